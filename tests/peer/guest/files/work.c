// SPDX-License-Identifier: GPL-2.0-or-later
/* work NAME: system calls of a kind, in a fixed order with fixed arguments. Linked statically, so that no loader adds others. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char buf[4096];
static volatile int seen;

static int do_read(void)
{
	int fd = open("data.txt", O_RDONLY | O_CLOEXEC);

	read(fd, buf, 37);
	read(fd, buf, 10);
	pread(fd, buf, 5, 3);
	lseek(fd, 2, SEEK_SET);
	read(fd, buf, 4000);
	close(fd);
	return 0;
}

static int do_write(void)
{
	int fd = open("/dev/null", O_WRONLY);
	struct iovec v[2] = { { "ab", 2 }, { "cdefg", 5 } };

	write(fd, "hello world\n", 12);
	write(fd, "x", 1);
	writev(fd, v, 2);
	close(fd);
	return 0;
}

static int do_fail(void)
{
	open("/nonexistent/file", O_RDWR | O_CREAT, 0640);
	kill(4194000, 0);
	close(77);
	return 0;
}

static int do_sleep(void)
{
	struct timespec t = { 0, 1000000 };

	nanosleep(&t, NULL);
	t.tv_nsec = 2000000;
	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
	return 0;
}

static int do_udp(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(5353), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 b = { .sin6_family = AF_INET6, .sin6_port = htons(5354), .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int to = socket(AF_INET, SOCK_DGRAM, 0), from = socket(AF_INET, SOCK_DGRAM, 0);
	int to6 = socket(AF_INET6, SOCK_DGRAM, 0), from6 = socket(AF_INET6, SOCK_DGRAM, 0);

	bind(to, (void *)&a, sizeof(a));
	sendto(from, "datagram of 23 bytes..", 23, 0, (void *)&a, sizeof(a));
	recv(to, buf, sizeof(buf), 0);
	bind(to6, (void *)&b, sizeof(b));
	sendto(from6, "six", 3, 0, (void *)&b, sizeof(b));
	recv(to6, buf, sizeof(buf), 0);
	return 0;
}

static int do_tcp(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(8765), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int on = 1, l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), s;

	setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	bind(l, (void *)&a, sizeof(a));
	listen(l, 7);
	connect(c, (void *)&a, sizeof(a));
	s = accept(l, NULL, NULL);
	send(c, "hello", 5, 0);
	recv(s, buf, 100, 0);
	close(c);
	close(s);
	close(l);
	return 0;
}

static int do_unix(void)
{
	int v[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, v);
	send(v[0], "unix", 4, 0);
	recv(v[1], buf, 100, 0);
	return 0;
}

static int do_pipe(void)
{
	int v[2];

	pipe2(v, O_NONBLOCK);
	write(v[1], "pipe data", 9);
	read(v[0], buf, 100);
	return 0;
}

static int do_fork(void)
{
	for (int i = 3; i <= 4; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(i);
		waitpid(pid, NULL, 0);
	}
	return 0;
}

static void on_signal(int n)
{
	seen += n;
}

static int do_signal(void)
{
	signal(SIGUSR1, on_signal);
	signal(SIGTERM, on_signal);
	kill(getpid(), SIGUSR1);
	raise(SIGTERM);
	return seen == SIGUSR1 + SIGTERM ? 0 : 1;
}

static int do_mmap(void)
{
	char *p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	p[0] = p[4096] = p[8192] = 1;
	mprotect(p, 4096, PROT_READ);
	madvise(p, 4096, MADV_NORMAL);
	munmap(p, 3 * 4096);
	return 0;
}

static int do_file(void)
{
	int fd;

	rmdir("folder");
	mkdir("folder", 0750);
	fd = open("folder/first", O_CREAT | O_RDWR | O_TRUNC, 0644);
	ftruncate(fd, 100);
	fchmod(fd, 0600);
	fsync(fd);
	close(fd);
	rename("folder/first", "folder/second");
	symlink("second", "folder/link");
	link("folder/second", "folder/third");
	unlink("folder/link");
	unlink("folder/third");
	unlink("folder/second");
	rmdir("folder");
	return 0;
}

static int do_exec(void)
{
	char *argv[] = { "./work", "nothing", "two words", NULL };

	return execv("./work", argv);
}

static int do_name(void)
{
	prctl(PR_SET_NAME, "renamed");
	getpgid(0);
	return 0;
}

static int do_poll(void)
{
	struct pollfd p = { .fd = 0, .events = POLLIN | POLLPRI };
	int e = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event v = { .events = EPOLLIN, .data.u64 = 0x1122334455667788 };
	int w[2];

	pipe(w);
	poll(&p, 0, 1);
	epoll_ctl(e, EPOLL_CTL_ADD, w[0], &v);
	epoll_wait(e, &v, 1, 1);
	return 0;
}

/* At an address that scripts know. */
static int do_watch(void)
{
	volatile long *watched = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	for (int i = 1; i <= 3; i++)
		*watched = i * 10;
	return 0;
}

static int do_many(void)
{
	for (int i = 0; i < 100; i++)
		getpgid(0);
	return 0;
}

/* A read of a block device past the cache, which is of a module in guests. */
static int do_disk(void)
{
	static char block[4096] __attribute__((aligned(4096)));
	int fd = open("/dev/vda", O_RDONLY | O_DIRECT);

	read(fd, block, sizeof(block));
	close(fd);
	return 0;
}

static int do_nothing(void)
{
	return 0;
}

#define WORK(name) { #name, do_##name }

static const struct {
	const char *name;
	int (*run)(void);
} works[] = {
	WORK(read), WORK(write), WORK(fail), WORK(sleep), WORK(udp), WORK(tcp), WORK(unix), WORK(pipe), WORK(fork), WORK(signal),
	WORK(mmap), WORK(file), WORK(exec), WORK(name), WORK(poll), WORK(watch), WORK(many), WORK(disk), WORK(nothing),
};

int main(int argc, char **argv)
{
	for (int n = 1; n < argc; n++)
		for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++)
			if (!strcmp(argv[n], works[i].name) && works[i].run())
				return 1;
	return 0;
}
