/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ioctl of terminals, sockets, block devices, files. */
#include <asm/termbits.h>
#include <linux/fs.h>
#include <linux/fiemap.h>
#include <linux/if.h>
#include <linux/loop.h>
#include <linux/sockios.h>
#define _SYS_MOUNT_H
#include "calls.h"

int main(void)
{
	int tty = open("/dev/ptmx", O_RDWR | O_NOCTTY), n = 0, s, slave;
	struct winsize w = { 24, 80 };
	struct termios t;
	struct ifreq ifr = { .ifr_name = "lo" };
	struct fiemap *fm = calloc(1, 4096);
	uint64_t big;
	long flags;

	ioctl(tty, TCGETS, &t);
	ioctl(tty, TCSETS, &t);
	ioctl(tty, TIOCGWINSZ, &w);
	ioctl(tty, TIOCSWINSZ, &w);
	ioctl(tty, TIOCSPTLCK, &n);
	ioctl(tty, TIOCGPTN, &n);
	ioctl(tty, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	ioctl(tty, FIONREAD, &n);
	ioctl(tty, TIOCGPGRP, &n);
	ioctl(tty, TCFLSH, 2);
	ioctl(tty, TCXONC, 1);
	ioctl(tty, TIOCPKT, &n);
	ioctl(tty, TIOCSTI, "x");
	ioctl(tty, TIOCMGET, &n);
	ioctl(tty, FIOCLEX);
	ioctl(tty, FIONBIO, &n);
	ioctl(0, TCGETS, &t);
	ioctl(99, TCGETS, &t);
	s = socket(AF_INET, SOCK_DGRAM, 0);
	ioctl(s, SIOCGIFFLAGS, &ifr);
	ioctl(s, SIOCGIFMTU, &ifr);
	ioctl(s, SIOCGIFHWADDR, &ifr);
	ioctl(s, SIOCGIFADDR, &ifr);
	ioctl(s, SIOCGIFINDEX, &ifr);
	ioctl(s, SIOCOUTQ, &n);
	ioctl(s, SIOCGSTAMP, &big);
	s = open("f", O_RDWR | O_CREAT, 0600);
	write(s, "text", 4);
	ioctl(s, FS_IOC_GETFLAGS, &flags);
	ioctl(s, FS_IOC_SETFLAGS, &flags);
	ioctl(s, FIGETBSZ, &n);
	ioctl(s, FIBMAP, &n);
	fm->fm_length = ~0ull;
	ioctl(s, FS_IOC_FIEMAP, fm);
	ioctl(s, FICLONE, 0);
	ioctl(s, BLKGETSIZE64, &big);
	ioctl(s, BLKSSZGET, &n);
	ioctl(s, BLKROGET, &n);
	ioctl(s, BLKDISCARD, &fm->fm_start);
	ioctl(s, LOOP_SET_FD, 0);
	ioctl(s, LOOP_CTL_GET_FREE);
	ioctl(s, 0x1234, 5);
	ioctl(s, _IOWR('z', 3, int[5]), &n);
	ioctl(s, 0xdeadbeef, NULL);
	return 0;
}
