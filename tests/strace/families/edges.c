/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that ends within what a call is told of, sizes of other objects, numbers with a field or a shift. */
#include "calls.h"

static char *page; /* the page after it does not exist */

static char *at_end(unsigned n)
{
	return page + 4096 - n;
}

static void ends(void)
{
	struct iovec *v = (struct iovec *)at_end(40);

	syscall(SYS_io_submit, 0x1234, 5, at_end(24));
	v[0] = (struct iovec){ "text", 4 };
	v[1] = (struct iovec){ "more", 4 };
	syscall(SYS_writev, -1, v, 5);
	syscall(SYS_writev, -1, at_end(8), 5);
	syscall(SYS_poll, at_end(20), 4, 0);
	syscall(SYS_semop, 0x7ffffff0, at_end(15), 4);
	syscall(SYS_move_pages, 0x7ffffff0, 9, at_end(28), at_end(10), 0, 2);
	syscall(SYS_execve, "/nonexistent", at_end(16), at_end(16));
	syscall(SYS_execve, "/nonexistent", at_end(4), at_end(8));
	syscall(SYS_openat2, -100, "a", at_end(30), 40);
	syscall(SYS_openat2, -100, "a", at_end(20), 24);
	syscall(SYS_select, 9, at_end(4), 0, 0, at_end(8));
	syscall(SYS_write, -1, at_end(5), 9);
}

static void sizes(void)
{
	unsigned long set = 0x101, t[] = { 0, -1ul };

	syscall(SYS_rt_sigprocmask, 0, &set, 0, 4);
	syscall(SYS_signalfd4, -1, &set, 16, 0);
	syscall(SYS_ppoll, 0, 0, t, &set, 8);
	syscall(SYS_ppoll, 0, 0, t, &set, 7);
	syscall(SYS_epoll_pwait, -1, &set, 1, 0, &set, 8);
	syscall(SYS_utimensat, -100, "/nonexistent", t, 1);
}

static void fields(void)
{
	long mask = 1;

	syscall(SYS_mmap, -1l, 1, 0, 0x20 | 20 << 26, -1, 0);
	syscall(SYS_mmap, -1l, 1, 0, 0xf | 0x20, -1, 0);
	syscall(SYS_shmget, 0x7654321, 1, 0x800 | 3 << 26 | 0600);
	syscall(SYS_memfd_create, "name", 3 << 26 | 4 | 0x80);
	syscall(SYS_semget, 0x7654321, 1, 0x6400 | 0600);
	syscall(SYS_set_mempolicy, 0x8002, &mask, 64);
	syscall(SYS_set_mempolicy, 0x2006, &mask, 64);
	syscall(SYS_set_mempolicy, 0, 0, 0);
	syscall(SYS_mbind, 0, 0, 0x4009, &mask, 64, 5);
	syscall(SYS_personality, 0x20015);
	syscall(SYS_personality, 0);
	syscall(SYS_socket, 2, 0x42, -1);
	syscall(SYS_socketpair, 2, 0x46, -1, 0);
	syscall(SYS_fanotify_init, 0xc | 1, 2);
	syscall(SYS_futex, &mask, 20, 9, 2, 3, 4);
	syscall(SYS_mremap, 1, 1, 1, 2, 5);
	syscall(SYS_mremap, 1, 1, 1, 3, 5);
	syscall(SYS_kcmp, 0x7ffffff0, 1, 8, 10, 11);
	syscall(SYS_kcmp, 0x7ffffff0, 1, 1, 10, 11);
	syscall(SYS_seccomp, 9, 1, 0);
	syscall(SYS_modify_ldt, 99, 0, 0);
	syscall(SYS_keyctl, 30, 4, 2, 51, 3);
	syscall(SYS_membarrier, 1, 3, 5);
	syscall(SYS_umask, -1);
}

static void siginfos(void)
{
	int info[32] = { SIGCHLD, ENOENT, -1 };

	syscall(SYS_rt_sigqueueinfo, 0x7ffffff0, 10, info);
	info[0] = SIGSEGV;
	info[2] = 1;
	syscall(SYS_rt_sigqueueinfo, 0x7ffffff0, 10, info);
}

int main(void)
{
	page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(page, 0, 4096);
	munmap(page + 4096, 4096);
	ends();
	sizes();
	fields();
	siginfos();
	return 0;
}
