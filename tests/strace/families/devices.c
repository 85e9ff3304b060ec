/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ioctl requests with structures of clocks, disks, network interfaces and files, most of them on no file. */
#include <linux/blkpg.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <linux/rtc.h>
#include <linux/sockios.h>
#include <linux/userfaultfd.h>
#include <net/if.h>
#include <scsi/sg.h>
#define _SYS_MOUNT_H
#include "calls.h"

static void clocks(void)
{
	struct rtc_time t = { 1, 2, 3, 4, 5, 120, 1, 2, 0 };
	struct rtc_wkalrm alarm = { 1, 0, { 1, 2, 3, 4, 5, 6, 0, 0, 0 } };
	struct rtc_pll_info pll = { 1, -2, 3, 4, 5, 6, 7 };

	ioctl(-1, RTC_SET_TIME, &t);
	ioctl(-1, RTC_ALM_SET, &t);
	ioctl(-1, RTC_RD_TIME, &t);
	ioctl(-1, RTC_WKALM_SET, &alarm);
	ioctl(-1, RTC_PLL_SET, &pll);
	ioctl(-1, RTC_SET_TIME, 0);
	ioctl(-1, RTC_SET_TIME, 8);
}

static void disks(void)
{
	struct loop_info64 loop = { .lo_offset = 512,
				    .lo_number = 3,
				    .lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_READ_ONLY,
				    .lo_file_name = "image" };
	struct blkpg_ioctl_arg none = { BLKPG_DEL_PARTITION, 1, 8, NULL };
	struct blkpg_partition part = { 0, 4096, 3, "device", "volume" };
	struct blkpg_ioctl_arg add = { BLKPG_ADD_PARTITION, 0, sizeof part, &part };
	int n = 60;

	ioctl(-1, LOOP_SET_STATUS64, &loop);
	ioctl(-1, LOOP_GET_STATUS64, &loop);
	ioctl(-1, BLKPG, &none);
	ioctl(-1, BLKPG, &add);
	ioctl(-1, SG_SET_TIMEOUT, &n);
	ioctl(-1, SG_GET_VERSION_NUM, &n);
	ioctl(-1, LOOP_SET_FD, 5);
}

static void interfaces(void)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq r = { .ifr_name = "lo", .ifr_newname = "new" };

	ioctl(s, SIOCGIFMAP, &r);
	ioctl(s, SIOCGIFFLAGS, &r);
	ioctl(-1, SIOCGIFFLAGS, &r);
	ioctl(-1, SIOCGIFADDR, &r);
	ioctl(-1, SIOCGIFNAME, &r);
	ioctl(-1, SIOCSIFNAME, &r);
	ioctl(-1, SIOCBRADDBR, "bridge0");
	ioctl(-1, SIOCBRADDIF, &r);
	close(s);
}

static void files(void)
{
	int fd = open("file", O_CREAT | O_RDWR, 0600), random = open("/dev/urandom", O_RDONLY),
	    n = 0;
	struct fsxattr x = { FS_XFLAG_IMMUTABLE | FS_XFLAG_NODUMP, 1, 2, 3, 4 };
	struct fstrim_range trim = { 0, -1, 4096 };
	struct file_clone_range range = { fd, 1, 2, 3 };
	struct uffdio_range faults = { 4096, 8192 };
	char label[256] = "label";

	ioctl(-1, FS_IOC_FSSETXATTR, &x);
	ioctl(fd, FS_IOC_FSGETXATTR, &x);
	ioctl(-1, FITRIM, &trim);
	ioctl(fd, FICLONERANGE, &range);
	ioctl(-1, UFFDIO_WAKE, &faults);
	ioctl(-1, FS_IOC_SETFSLABEL, label);
	ioctl(fd, FS_IOC_GETFSLABEL, label);
	ioctl(random, _IOR('R', 0, int), &n);
	ioctl(-1, FIFREEZE, 0);
}

int main(void)
{
	clocks();
	disks();
	interfaces();
	files();
	return 0;
}
