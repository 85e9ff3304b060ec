/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tools look at: `work WHAT...` does one thing for each word, and little else. What a test
 * of a tool must print stands in its expected output.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int port = 47811; /* of the word "port=N" before */

/* ---- functions that are traced */

__attribute__((noinline)) int flow_leaf(int n) { __asm__ volatile(""); return n * 2; }

__attribute__((noinline)) int flow_root(int n)
{
	int sum = 0;

	for (int i = 1; i <= n; i++)
		sum += flow_leaf(i);
	return sum;
}

__attribute__((noinline)) int flow_recursive(int n)
{
	int r = n ? flow_recursive(n - 1) + 1 : 0;

	__asm__ volatile("");
	return r;
}

static jmp_buf before;

__attribute__((noinline)) void jump_inner(int n)
{
	__asm__ volatile("");
	if (n)
		longjmp(before, 1);
}

__attribute__((noinline)) int jump_outer(int n)
{
	usleep(30000);
	if (!setjmp(before))
		jump_inner(1);
	__asm__ volatile("");
	return n;
}

__attribute__((noinline)) int other_minus(int n) { __asm__ volatile(""); return -n; }

__attribute__((noinline)) long other_long(int n) { __asm__ volatile(""); return other_minus(n) + (1L << 40); }

__attribute__((noinline)) void *thread_body(void *arg) { return arg; }

__attribute__((noinline)) void *keep_memory(size_t n)
{
	void *p = malloc(n);

	__asm__ volatile("" : : "r"(p) : "memory");
	return p;
}

/* ---- what a word does */

static void opens(void)
{
	char path[3000] = "/tmp/";

	open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	open("/sonde-none-such", O_RDONLY);
	for (int i = 0; i < 2000; i++)
		strcat(path, i % 100 ? "x" : "/");
	open(path, O_RDONLY);
#ifdef SYS_creat
	syscall(SYS_creat, "/proc/version", 0600);
#else /* arm64 */
	open("/proc/version", O_CREAT | O_WRONLY | O_TRUNC, 0600);
#endif
}

/* Names that no directory has: within a path, made, and made as a folder. */
static void looks(void)
{
	struct stat st;

	stat("/tmp/sonde-no-folder/file", &st);
	close(open("/tmp/sonde-made", O_CREAT | O_WRONLY, 0600));
	mkdir("/tmp/sonde-folder", 0700);
	unlink("/tmp/sonde-made");
	rmdir("/tmp/sonde-folder");
}

/* As new versions of mount(8) do it, in a mount namespace of its own. */
static void mounts(void)
{
	int fs, made;

	unshare(CLONE_NEWNS);
	mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
	fs = syscall(SYS_fsopen, "tmpfs", 0);
	syscall(SYS_fsconfig, fs, 1, "source", "memory", 0);
	syscall(SYS_fsconfig, fs, 6, NULL, NULL, 0);
	made = syscall(SYS_fsmount, fs, 0, 0);
	syscall(SYS_move_mount, made, "", AT_FDCWD, "/mnt", 4);
}

static void run(char **argv, int fails)
{
	pid_t pid = fork();

	if (!pid) {
		execv(argv[0], argv);
		_exit(fails ? 0 : 1);
	}
	waitpid(pid, NULL, 0);
}

static void execs(void)
{
	run((char *[]){ "/bin/true", "one", "two words", "", "last", NULL }, 0);
	run((char *[]){ "/sonde-none-such", NULL }, 1);
	run((char *[]){ "/etc/passwd", NULL }, 1);
}

static void stats(void)
{
	struct stat st;

	stat("/etc", &st);
	lstat("/sonde-none-such", &st);
	access("/root", R_OK);
}

static void kills(void)
{
	pid_t pid;

	kill(getpid(), 0);
	signal(SIGUSR1, SIG_IGN);
	syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1);
	kill(0x3ffffe, SIGTERM); /* there is none */
	if (!(pid = fork()))
		pause();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* By every call that sends signals, and an open() that one of them interrupts. */
static void on_alarm(int sig)
{
}

static void sends(void)
{
	siginfo_t info = { .si_signo = SIGUSR1, .si_code = SI_QUEUE };
	struct sigaction act = { .sa_handler = on_alarm };
	int self;

	signal(SIGUSR1, SIG_IGN);
	signal(37, SIG_IGN);
	self = syscall(SYS_pidfd_open, getpid(), 0);
	syscall(SYS_pidfd_send_signal, self, SIGUSR1, NULL, 0);
	syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), SIGUSR1, &info);
	syscall(SYS_tkill, getpid(), SIGUSR1);
	syscall(SYS_kill, getpid(), 37);
	syscall(SYS_kill, getpid(), 999);
	mkfifo("tw.FIFOFI", 0600);
	sigaction(SIGALRM, &act, NULL);
	alarm(1);
	open("tw.FIFOFI", O_RDONLY);
	unlink("tw.FIFOFI");
}

static void syncs(void)
{
	char path[] = "tw.XXXXXX";
	int fd = mkstemp(path);

	write(fd, "x", 1);
	fsync(fd);
	fdatasync(fd);
	fsync(-1);
	unlink(path);
}

static void exits(void)
{
	if (!fork())
		_exit(0);
	wait(NULL);
	if (!fork())
		_exit(3);
	wait(NULL);
	if (!fork())
		raise(SIGTERM);
	wait(NULL);
}

static pthread_barrier_t together;

static void *crowd_body(void *arg)
{
	prctl(PR_SET_NAME, "thread");
	pthread_barrier_wait(&together);
	return arg;
}

/* Processes whose threads end all at once, and one whose first thread ends before another. */
static void crowd(void)
{
	pthread_t t;

	for (int i = 0; i < 10; i++) {
		if (!fork()) {
			pthread_barrier_init(&together, NULL, 9);
			for (int k = 0; k < 8; k++)
				pthread_create(&t, NULL, crowd_body, NULL);
			pthread_barrier_wait(&together);
			exit(7);
		}
		wait(NULL);
	}
}

static void naps(void)
{
	struct timespec t = { 0, 25000000 }, at;

	syscall(SYS_nanosleep, &t, NULL);
	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL);
	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += 1;
	if (!fork()) {
		alarm(1);
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		_exit(0);
	}
	wait(NULL);
	clock_gettime(CLOCK_REALTIME, &at); /* is over when it begins */
	syscall(SYS_clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL);
	clock_gettime(CLOCK_BOOTTIME, &at);
	at.tv_sec++;
	if (!fork()) {
		ualarm(1000, 0);
		syscall(SYS_clock_nanosleep, CLOCK_BOOTTIME, TIMER_ABSTIME, &at, NULL);
		_exit(0);
	}
	wait(NULL);
}

/* A timer's signal, an alarm, and a signal to a thread: its second one. */
static void timers(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
	pthread_t other;
	timer_t t;

	signal(SIGUSR2, SIG_IGN);
	signal(SIGALRM, SIG_IGN);
	timer_create(CLOCK_MONOTONIC, &e, &t);
	timer_settime(t, 0, &(struct itimerspec){ .it_value.tv_nsec = 1000000 }, NULL);
	usleep(30000);
	ualarm(1000, 0);
	usleep(30000);
	pthread_barrier_init(&together, NULL, 2);
	pthread_create(&other, NULL, crowd_body, NULL);
	usleep(10000);
	pthread_kill(other, SIGUSR2);
	pthread_barrier_wait(&together);
	pthread_join(other, NULL);
}

static void setids(void)
{
	syscall(SYS_setresuid, -1, -1, -1);
	syscall(SYS_setuid, -1);
	syscall(SYS_setregid, 0, 0);
	if (!fork()) {
		syscall(SYS_setresuid, 65534, 65534, 65534);
		syscall(SYS_setfsuid, -1);
		syscall(SYS_setfsuid, 0);
		syscall(SYS_setfsuid, 65534);
		_exit(0);
	}
	wait(NULL);
}

static void threads(void)
{
	pthread_t t;

	for (int i = 0; i < 2; i++) {
		pthread_create(&t, NULL, thread_body, NULL);
		pthread_join(t, NULL);
	}
}

static void *arena_body(void *arg)
{
	free(keep_memory(100));
	pthread_barrier_wait(&together);
	return arg;
}

/* Two threads at once: each gets an arena of malloc's. */
static void arenas(void)
{
	pthread_t t[2];

	pthread_barrier_init(&together, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, arena_body, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

static void spin(int ms)
{
	for (clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000); clock() < end;)
		flow_leaf(ms);
}

static void naps_short(void)
{
	for (int i = 0; i < 20; i++)
		usleep(5000);
}

/* A child waits for its parent. */
static void wakes(void)
{
	int to[2];
	char c;

	pipe(to);
	if (!fork()) {
		close(to[1]);
		while (read(to[0], &c, 1) == 1)
			;
		_exit(0);
	}
	for (int i = 0; i < 20; i++) {
		usleep(3000);
		write(to[1], "x", 1);
	}
	close(to[1]);
	wait(NULL);
}

static void calls(void)
{
	for (int i = 0; i < 500; i++)
		syscall(i % 5 ? SYS_getppid : SYS_getpgid, 0);
	for (int i = 0; i < 7; i++)
		close(-1);
}

static void leaks(void)
{
	volatile size_t zero = 0;
	void *p;

	for (int i = 0; i < 8; i++)
		keep_memory(1000);
	for (int i = 0; i < 50; i++)
		free(keep_memory(5000));
	p = realloc(keep_memory(100), 3000);
	free(realloc(p, 70000));
	p = realloc(keep_memory(200), zero); /* frees it */
}

static void files(void)
{
	char buf[4096] = "", path[] = "tw.XXXXXX";
	int fd = mkstemp(path);

	for (int i = 0; i < 3; i++)
		write(fd, buf, sizeof buf);
	for (int i = 0; i < 2; i++)
		pread(fd, buf, 1000, 0);
	write(open("/dev/null", O_WRONLY), buf, 100);
	unlink(path);
}

/* Each write syncs the file within. */
static void synced(void)
{
	char path[] = "tw.XXXXXX";
	int fd = mkstemp(path), sync = open(path, O_WRONLY | O_SYNC);

	write(sync, path, 5);
	close(fd);
	unlink(path);
}

/* A file with two names, and one that takes another's place. */
static void linked(void)
{
	close(open("tw.first", O_CREAT | O_WRONLY, 0600));
	link("tw.first", "tw.second");
	unlink("tw.first");
	close(open("tw.third", O_CREAT | O_WRONLY, 0600));
	rename("tw.third", "tw.second");
	unlink("tw.second");
}

static void direct(void)
{
	char path[] = "tw.XXXXXX";
	int fd = mkstemp(path);
	char *buf = aligned_alloc(4096, 65536);

	memset(buf, 1, 65536);
	fcntl(fd, F_SETFL, O_DIRECT);
	for (int i = 0; i < 8; i++)
		write(fd, buf, 65536);
	for (int i = 0; i < 8; i++)
		pread(fd, buf, 65536, i * 65536);
	unlink(path);
}

/* ---- sockets */

static socklen_t address(struct sockaddr_storage *a, int family)
{
	struct sockaddr_in *in = (void *)a;
	struct sockaddr_in6 *in6 = (void *)a;

	memset(a, 0, sizeof *a);
	a->ss_family = family;
	if (family == AF_INET) {
		in->sin_port = htons(port);
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		return sizeof *in;
	}
	in6->sin6_port = htons(port);
	in6->sin6_addr = in6addr_loopback;
	return sizeof *in6;
}

static int dial(int family)
{
	struct sockaddr_storage a;
	socklen_t len = address(&a, family);
	int fd = socket(family, SOCK_STREAM, 0);

	connect(fd, (void *)&a, len);
	return fd;
}

static int listener(int family, int backlog)
{
	struct sockaddr_storage a;
	socklen_t len = address(&a, family);
	int fd = socket(family, SOCK_STREAM, 0);

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, (int[]){ 1 }, sizeof(int));
	if (bind(fd, (void *)&a, len) || listen(fd, backlog)) {
		perror("listen");
		exit(1);
	}
	return fd;
}

/* One connection: 5 bytes there, 3 back. */
static void tcp(int family)
{
	int on = listener(family, 5), there = dial(family), here = accept(on, NULL, NULL);
	char buf[8];

	write(there, "hello", 5);
	read(here, buf, 5);
	write(here, "yes", 3);
	read(there, buf, 3);
	usleep(10000);
	close(there);
	read(here, buf, 1);
	close(here);
	close(on);
	usleep(10000);
}

/* More than fits: what write() took is said. */
static void flood(void)
{
	int on = listener(AF_INET, 5), there = dial(AF_INET), here = accept(on, NULL, NULL);
	static char buf[1 << 20];
	long sent = 0, got = 0;
	ssize_t n;

	fcntl(there, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 50; i++)
		if ((n = write(there, buf, sizeof buf)) > 0)
			sent += n;
	while (got < sent && (n = read(here, buf, sizeof buf)) > 0)
		got += n;
	printf("flood: %ld\n", sent);
	fflush(stdout);
	close(there);
	close(here);
	close(on);
}

/* IPv4 to a socket of both families */
static void mapped(void)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	int on = socket(AF_INET6, SOCK_STREAM, 0), there;

	setsockopt(on, SOL_SOCKET, SO_REUSEADDR, (int[]){ 1 }, sizeof(int));
	bind(on, (void *)&in6, sizeof in6);
	listen(on, 5);
	there = dial(AF_INET);
	close(accept(on, NULL, NULL));
	close(there);
	close(on);
}

static void refused(void)
{
	close(dial(AF_INET));
	close(dial(AF_INET6));
}

/* The second connection does not fit into the queue: what asks for it is dropped and sent again. */
static void full(void)
{
	int on = listener(AF_INET, 0), first = dial(AF_INET), second = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct sockaddr_storage a;
	socklen_t len = address(&a, AF_INET);

	for (int i = 0; i < 4; i++)
		connect(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), (void *)&a, len);
	usleep(1300000);
}

static void unixes(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/sonde-none-such" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), pair[2];
	char buf[64];

	connect(fd, (void *)&un, sizeof un);
	memcpy(un.sun_path, "\0hidden/name", 12);
	connect(fd, (void *)&un, offsetof(struct sockaddr_un, sun_path) + 7); /* the name ends without NUL */
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	write(pair[0], "ping\0\x01\n", 7);
	read(pair[1], buf, sizeof buf);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	write(pair[0], "datagram", 8);
	read(pair[1], buf, sizeof buf);
}

static void big_unix(void)
{
	static char buf[100000];
	int pair[2];

	memset(buf, 'x', sizeof buf);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, (int[]){ 1 << 20 }, sizeof(int));
	write(pair[0], buf, sizeof buf);
	read(pair[1], buf, sizeof buf);
}

static void listens(void)
{
	close(listener(AF_INET, 7));
	close(listener(AF_INET6, 3));
	listen(-1, 1);
	listen(socket(AF_UNIX, SOCK_STREAM, 0), 5);
}

static void names(void)
{
	struct addrinfo *a, hints = { .ai_flags = AI_NUMERICHOST };

	getaddrinfo("127.0.0.1", NULL, &hints, &a);
	getaddrinfo("no number", NULL, &hints, &a);
	gethostbyname2("127.0.0.1", AF_INET);
	gethostbyname("300.1.1.1");
}

static void sleep_ms(int ms)
{
	usleep(ms * 1000);
}

/* ---- */

static const struct {
	const char *word;
	void (*act)(void);
} acts[] = {
	{ "opens", opens },	{ "looks", looks },	{ "execs", execs },   { "stats", stats },     { "kills", kills }, { "sends", sends },
	{ "syncs", syncs },	{ "exits", exits },   { "naps", naps },	      { "setids", setids },
	{ "threads", threads }, { "calls", calls },   { "leaks", leaks },     { "files", files },
	{ "direct", direct },	{ "refused", refused }, { "full", full },     { "unixes", unixes },
	{ "listens", listens }, { "names", names },   { "short", naps_short },
	{ "arenas", arenas },	{ "wakes", wakes },	{ "mounts", mounts },	{ "crowd", crowd },	{ "synced", synced }, { "linked", linked },
	{ "flood", flood },	{ "mapped", mapped },	{ "bigunix", big_unix },	{ "timers", timers },
};

static const struct {
	const char *word;
	void (*act)(int n);
} counted[] = {
	{ "spin=", spin },
	{ "sleep=", sleep_ms },
	{ "tcp=", tcp },
};

static void one(const char *word)
{
	for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
		if (!strcmp(acts[i].word, word))
			acts[i].act();
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
		if (!strncmp(counted[i].word, word, strlen(counted[i].word)))
			counted[i].act(atoi(word + strlen(counted[i].word)));
	if (!strncmp(word, "port=", 5))
		port = atoi(word + 5);
	if (!strcmp(word, "flow"))
		flow_root(3);
	if (!strcmp(word, "recursive"))
		flow_recursive(4);
	if (!strcmp(word, "jump"))
		jump_outer(jump_outer(7));
	if (!strcmp(word, "other"))
		other_long(3);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		one(argv[i]);
	return 0;
}
