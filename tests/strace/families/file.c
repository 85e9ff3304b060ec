/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files: opened, read, written, sized. */
#include <sys/sendfile.h>
#include "calls.h"

struct open_how_64 {
	uint64_t flags, mode, resolve;
};

int main(void)
{
	struct open_how_64 how = { O_RDWR | O_CREAT | O_CLOEXEC, 0600, 8 };
	char b[600] = "some text\n\001\177\377", big[100];
	struct iovec v[3] = { { b, 4 }, { b + 4, 0 }, { b + 8, 300 } };
	loff_t at = 3, to = 0;
	int fd, out;

	memset(big, 'x', sizeof(big));
	fd = open("f", O_RDWR | O_CREAT | O_TRUNC, 0644);
	out = syscall(SYS_openat2, AT_FDCWD, "g", &how, sizeof(how));
	syscall(SYS_openat2, AT_FDCWD, "g", BAD, sizeof(how));
	syscall(SYS_openat2, AT_FDCWD, "g", &how, 3);
	creat("h", 0777);
	open("/nonexistent", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_PATH);
	open(BAD, O_WRONLY | O_APPEND | O_NONBLOCK | O_DSYNC);
	open("", O_SYNC | O_NOATIME | O_DIRECT);
	open(".", O_TMPFILE | O_RDWR, 0600);
	open("x", 3);
	write(fd, b, 14);
	write(fd, b, 0);
	write(fd, BAD, 5);
	write(-1, big, 100);
	write(fd, big, 100);
	pwrite(fd, b, 12, 1 << 20);
	writev(fd, v, 3);
	writev(fd, v, 0);
	writev(fd, BAD, 1);
	pwritev(fd, v, 2, 5);
	pwritev2(fd, v, 2, -1, RWF_APPEND | RWF_SYNC);
	lseek(fd, 0, SEEK_SET);
	lseek(fd, 0, SEEK_HOLE);
	lseek(fd, -1, 99);
	lseek(fd, 0, SEEK_SET);
	read(fd, b, 20);
	read(fd, b, 0);
	read(fd, BAD, 7);
	pread(fd, b, 500, 0);
	readv(fd, v, 3);
	preadv(fd, v, 3, 10);
	preadv2(fd, v, 3, 10, RWF_HIPRI);
	copy_file_range(fd, &at, out, &to, 5, 0);
	copy_file_range(fd, NULL, out, NULL, 5, 1);
	sendfile(out, fd, &at, 4);
	sendfile(out, fd, NULL, 4);
	ftruncate(fd, 70000);
	truncate("f", 1 << 20);
	truncate("nothing", -1);
	fallocate(fd, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 0, 4096);
	fallocate(fd, 0x80, 0, 1);
	posix_fadvise(fd, 0, 4096, POSIX_FADV_SEQUENTIAL);
	posix_fadvise(fd, 0, 4096, 17);
	readahead(fd, 0, 4096);
	fsync(fd);
	fdatasync(fd);
	syncfs(fd);
	sync_file_range(fd, 0, 4096, 7);
	umask(022);
	flock(fd, LOCK_EX | LOCK_NB);
	flock(fd, LOCK_UN);
	flock(fd, 0x77);
	dup(fd);
	dup2(fd, 40);
	dup3(fd, 41, O_CLOEXEC);
	dup3(fd, fd, 0x1234);
	syscall(SYS_close_range, 50, ~0u, 2);
	syscall(SYS_close_range, 60, 50, 7);
	close(fd);
	close(fd);
	close(-100);
	return 0;
}
