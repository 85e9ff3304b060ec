/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory. */
#include "calls.h"

int main(void)
{
	char *p = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned char vec[16];
	void *pages[2] = { p, p + 4096 };
	int fd, nodes[2] = { 0, 0 }, status[2];
	struct iovec v = { p, 16 }, w = { p + 100, 16 };
	unsigned long mask = 1;

	p[0] = p[4096] = 1;
	mmap(p, 4096, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	mmap(NULL, 0, 0x100, 0, 5, 4096);
	mprotect(p, 4096, PROT_READ | PROT_EXEC);
	mprotect(p + 1, 4096, PROT_GROWSDOWN);
	p = mremap(p + 4096, 4096, 8192, MREMAP_MAYMOVE);
	mremap(p, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, p + 40960);
	madvise(p, 4096, MADV_DONTNEED);
	madvise(p, 4096, MADV_HUGEPAGE);
	madvise(p, 4096, 999);
	msync(p, 4096, MS_SYNC | MS_INVALIDATE);
	mincore(p, 8192, vec);
	mlock(p, 4096);
	mlock2(p, 4096, MLOCK_ONFAULT);
	munlock(p, 4096);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	munlockall();
	munmap(p, 8192);
	munmap(BAD, 3);
	sbrk(4096);
	syscall(SYS_brk, 0);
	fd = memfd_create("name", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	memfd_create("x", 0x800);
	syscall(SYS_memfd_secret, 0);
	fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK);
	fcntl(fd, F_GET_SEALS);
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1,
		 0);
	syscall(SYS_remap_file_pages, p, 4096, 0, 0, 0);
	syscall(SYS_process_vm_readv, getpid(), &v, 1, &w, 1, 0);
	v = (struct iovec){ p, 6 };
	w = (struct iovec){ "source", 6 };
	syscall(SYS_process_vm_readv, getpid(), &v, 1, &w, 1, 0);
	syscall(SYS_process_vm_writev, getpid(), &w, 1, &v, 1, 0);
	syscall(SYS_pkey_alloc, 0, 1);
	syscall(SYS_pkey_mprotect, p, 4096, PROT_READ, -1);
	syscall(SYS_pkey_free, 3);
	syscall(SYS_mbind, p, 4096, 1, &mask, 2, 0);
	syscall(SYS_set_mempolicy, 0, NULL, 0);
	syscall(SYS_get_mempolicy, nodes, NULL, 0, NULL, 0);
	syscall(SYS_get_mempolicy, NULL, nodes, 0, NULL, 0);
	syscall(SYS_move_pages, 0, 2, pages, nodes, status, 2);
	syscall(SYS_migrate_pages, 0, 2, &mask, &mask);
	syscall(SYS_membarrier, 0, 0, 0);
	syscall(SYS_membarrier, 2, 0);
	syscall(SYS_userfaultfd, O_CLOEXEC | 1);
	syscall(SYS_process_madvise, -1, &v, 1, MADV_COLD, 0);
	return 0;
}
