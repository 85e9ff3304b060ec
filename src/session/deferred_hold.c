/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that holds the opener of a watched file until the probes are attached. fanotify(7)
 * reports the opening, and the kernel waits for the response without a limit. Therefore a separate
 * process responds: sonde itself may be stopped (Ctrl-Z, a debugger), swapped out, or blocked by a
 * disk or by the reader of its output.
 *
 *	opener		kernel		this process			sonde
 *	execve() --->	event --->	watched? no: respond
 *					yes: descriptor --------->	attaches
 *			<--- response	<------------------------	done
 *			<--- response	HOLD_MS are over
 *			<--- release	killed at HOLD_KILL_MS, by a kernel timer
 *
 * Only this process has the fanotify descriptor, so that its end releases every opener. It has its
 * own session, which signals of the terminal do not reach; its memory is locked; its priority is
 * above that of all ordinary processes; and it makes no system call that waits for a disk. If it is
 * stopped or frozen anyway, a timer (timer_create(2) with SIGKILL) kills it. The timer is set again
 * every 25 ms, to 97 ms after the last moment without a held opener or after the oldest held opener
 * came. SIGKILL ends a stopped process, a process under a debugger and one that cgroup v2 froze. It
 * does not end one that cgroup v1 froze, so the process moves to the root of that hierarchy, which
 * cannot be frozen.
 *
 * SIGKILL does not end a process that waits for a file server (NFS, FUSE) either, and the kernel
 * asks the server when it makes the descriptor of an event. So a second process watches all file
 * systems of this kind. While it waits, only processes that execute files of that server wait, as
 * they would without sonde.
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "session/deferred_hold.h"
#include "sym/procs.h"

#ifndef FAN_OPEN_EXEC_PERM
#define FAN_OPEN_EXEC_PERM 0x00040000
#endif
#ifndef FAN_MARK_EVICTABLE /* Linux 5.19: the mark does not keep the inode in memory */
#define FAN_MARK_EVICTABLE 0x00000200
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif

enum {
	IDLE_MS = 25, /* how often the timer is set again when nothing happens */
	SLACK_MS = 5, /* if no process is held, a timer that is earlier by less is not set again */
	/* sonde has not processed a file for this time: its openers are not held */
	IN_VAIN_MS = 500,
	START_MS = 5000, /* setting all marks */
	END_MS = 500,
	MAX_FILES = 256, /* that sonde has not looked at */
	MAX_BATCH = 64,
	SONDE_FIRST = 1,
	HOLDER_FIRST = 2, /* priorities, above all ordinary ones */
};

struct file { /* was sent to sonde, or will be */
	u64 seq, since_ms;
	int fd; /* -1: its opener went on, and sonde has the descriptor */
	struct file_id id;
	s32 pid; /* of its opener */
	bool held, sent;
};

struct ready {          /* its first message */
	int why;        /* errno, and it ends */
	int mark_error; /* -errno */
	u32 mark;
};

struct holder {
	const struct hold_plan *plan;
	pid_t sonde;
	int fan_fd, sock, mounts_fd;
	timer_t timer;
	u64 kill_ms;                 /* what the timer is set to */
	u64 empty_ms;                /* the last time without an opener that sonde has not seen */
	struct file file[MAX_FILES]; /* in the order of their coming */
	u32 n_files, n_dropped;
	u64 seq;
	struct hash known;
	u64 own_mounts, last_mounts; /* mount namespaces: ours, and the one of the process before */
	bool not_evictable;
	bool ready;            /* sonde knows that all is watched */
	struct hold_class was; /* sonde's main thread */
	bool favoured;
};

u64 hold_now_ms(void)
{
	return clock_mono_ns() / 1000000;
}

bool hold_is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof magic, 0) == sizeof magic && !memcmp(magic, ELFMAG, SELFMAG);
}

bool hold_be_first(pid_t thread, int priority)
{
	struct sched_param first = { .sched_priority = priority };

	return sched_setscheduler(thread, SCHED_RR | SCHED_RESET_ON_FORK, &first) == 0;
}

static void be_as_before(pid_t thread, const struct hold_class *was)
{
	struct sched_param p = { .sched_priority = was->priority };

	sched_setscheduler(thread, was->policy, &p);
}

/* ---- the timer */

static bool make_timer(struct holder *h)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };

	return timer_create(CLOCK_MONOTONIC, &e, &h->timer) == 0;
}

static void set_timer(struct holder *h)
{
	const struct file *first = NULL;
	struct itimerspec at = { 0 };
	u64 ms;

	for (u32 i = 0; i < h->n_files && !first; i++)
		first = h->file[i].held ? &h->file[i] : NULL;
	ms = (first ? first->since_ms : h->empty_ms) + HOLD_KILL_MS;
	if (ms == h->kill_ms || (!first && ms > h->kill_ms && ms < h->kill_ms + SLACK_MS))
		return;
	h->kill_ms = ms;
	at.it_value.tv_sec = (time_t)(ms / 1000);
	at.it_value.tv_nsec = (long)(ms % 1000) * 1000000;
	if (timer_settime(h->timer, TIMER_ABSTIME, &at, NULL) < 0)
		_exit(1);
}

/* While an opener is held, sonde runs before all ordinary processes: on a busy machine it would not
 * attach in time otherwise. */
static void favour(struct holder *h)
{
	bool any = false;

	for (u32 i = 0; i < h->n_files && !any; i++)
		any = h->file[i].held;
	if (any == h->favoured)
		return;
	h->favoured = any;
	if (any)
		hold_be_first(h->sonde, SONDE_FIRST);
	else
		be_as_before(h->sonde, &h->was);
}

/* ---- answers to the kernel */

static void answer(const struct holder *h, int fd)
{
	struct fanotify_response r = { .fd = fd, .response = FAN_ALLOW };

	if (write(h->fan_fd, &r, sizeof r) < 0) {
		/* the opener is gone */
	}
}

/*
 * Suppresses openings of this file until it changes. The kernel's first answer about evictable
 * marks counts; without them only programs and libraries are kept in memory by the mark. Executions
 * are few, and reveal mount namespaces.
 */
static void forget(struct holder *h, int fd, bool is_elf)
{
	u32 flags = FAN_MARK_ADD | FAN_MARK_IGNORED_MASK;
	u64 mask = FAN_OPEN_PERM | FAN_ACCESS_PERM | (h->plan->everywhere ? 0 : FAN_OPEN_EXEC_PERM);

	if (h->plan->pid > 0)
		return;
	if (!h->not_evictable) {
		if (fanotify_mark(h->fan_fd, flags | FAN_MARK_EVICTABLE, mask, fd, NULL) == 0)
			return;
		h->not_evictable = errno == EINVAL;
	}
	if (h->not_evictable && is_elf)
		fanotify_mark(h->fan_fd, flags, mask, fd, NULL);
}

static void let_go(struct holder *h, struct file *f)
{
	answer(h, f->fd);
	f->held = false;
	if (f->sent)
		fd_close(&f->fd);
}

static void drop_file(struct holder *h, u32 at)
{
	if (h->file[at].held)
		answer(h, h->file[at].fd);
	fd_close(&h->file[at].fd);
	memmove(&h->file[at], &h->file[at + 1], (--h->n_files - at) * sizeof h->file[0]);
}

static void let_late_ones_go(struct holder *h)
{
	u64 now = hold_now_ms();

	for (u32 i = 0; i < h->n_files; i++)
		if (h->file[i].held && now >= h->file[i].since_ms + HOLD_MS)
			let_go(h, &h->file[i]);
}

/* ---- to and from sonde */

/* false: its end of the socket is full. */
static bool send_file(struct holder *h, struct file *f)
{
	struct hold_event e = {
		.seq = f->seq, .since_ms = f->since_ms, .n_dropped = h->n_dropped, .held = f->held
	};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct iovec iov = { &e, sizeof e };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof control };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &f->fd, sizeof(int));
	if (sendmsg(h->sock, &m, MSG_NOSIGNAL) < 0)
		return false;
	f->sent = true;
	if (!f->held)
		fd_close(&f->fd);
	return true;
}

static void send_files(struct holder *h)
{
	for (u32 i = 0; i < h->n_files && h->ready; i++)
		if (!h->file[i].sent && !send_file(h, &h->file[i]))
			return;
}

void file_ids_remember(struct hash *ids, const struct file_id *id)
{
	struct file_id *copy;

	if (hash_get(ids, id, sizeof *id))
		return;
	copy = xmalloc(sizeof *copy);
	*copy = *id;
	hash_put(ids, copy, sizeof *copy, copy);
}

static void take_answer(struct holder *h, const struct hold_answer *a)
{
	if (a->known)
		file_ids_remember(&h->known, &a->id);
	for (u32 i = 0; i < h->n_files; i++) {
		struct file *f = &h->file[i];

		if (f->seq != a->seq)
			continue;
		if (a->forget && f->fd >= 0)
			forget(h, f->fd, true);
		drop_file(h, i);
		return;
	}
}

/* false: sonde is gone. */
static bool read_answers(struct holder *h)
{
	struct hold_answer a;
	ssize_t n;

	while ((n = recv(h->sock, &a, sizeof a, MSG_DONTWAIT)) == (ssize_t)sizeof a)
		take_answer(h, &a);
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* ---- mounts */

static void turn(struct holder *h, int wait_ms);

/* Answers other events between two marks. */
static int mark(struct holder *h, u32 flags, u64 mask, const char *path)
{
	if (fanotify_mark(h->fan_fd, FAN_MARK_ADD | flags, mask, AT_FDCWD, path) == 0)
		return 0;
	if (!(flags & FAN_MARK_FILESYSTEM))
		return -errno;
	return fanotify_mark(h->fan_fd, FAN_MARK_ADD | FAN_MARK_MOUNT, mask, AT_FDCWD, path) < 0 ?
		       -errno :
		       0;
}

/* "36 35 98:0 /root /mnt opts - ext3 /dev/sda1 rw": the mount point, ended by a NUL, or NULL. */
static char *read_mount(char *line, bool *served)
{
	static const char *const types[] = { "fuse", "nfs", "cifs", "smb",   "9p ",
					     "ceph", "afs", "coda", "lustre" };
	const char *type = strstr(line, " - ");
	char *at = line;

	*served = false;
	for (u32 i = 0; type && i < ARRAY_SIZE(types); i++)
		*served |= starts_with(type + 3, types[i]);
	for (u32 i = 0; i < 4 && at; i++)
		at = strchr(at + (i != 0), ' ');
	if (!at)
		return NULL;
	at++;
	at[strcspn(at, " ")] = '\0';
	return at;
}

static bool is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return streq(folder, "/") ||
	       (starts_with(path, folder) && (path[len] == '/' || !path[len]));
}

/* Of the longest mount points above a mark the last one wins. longest: of each mark, so far. */
static void judge_mount(struct hold_mark *marks, u32 n, size_t *longest, const char *at,
			bool served)
{
	size_t len = strlen(at);

	for (u32 i = 0; i < n; i++) {
		if (len < longest[i] || !is_below(marks[i].path, at))
			continue;
		longest[i] = len;
		marks[i].served = served;
	}
}

void hold_find_served(struct hold_mark *marks, u32 n)
{
	size_t *longest = xcalloc(n + 1, sizeof *longest);
	struct buf text = { 0 };
	char *at, *line, *save = NULL;
	bool served;

	if (n && buf_read_file(&text, "/proc/self/mountinfo") == 0 && text.s)
		for (line = strtok_r(text.s, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save)) {
			at = read_mount(line, &served);
			if (at)
				judge_mount(marks, n, longest, at, served);
		}
	buf_release(&text);
	free(longest);
}

/* File systems without programs refuse the mark, or it does no harm. */
static void mark_mounts_of(struct holder *h, const char *process, bool answering)
{
	u64 mask = FAN_OPEN_EXEC_PERM | (h->plan->all_opens ? FAN_OPEN_PERM : 0);
	struct buf text = { 0 };
	char *at, *line, *save = NULL, path[PATH_MAX + 32];
	bool served;

	snprintf(path, sizeof path, "/proc/%s/mountinfo", process);
	if (buf_read_file(&text, path) == 0 && text.s)
		for (line = strtok_r(text.s, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save)) {
			at = read_mount(line, &served);
			if (!at || served != h->plan->served || starts_with(at, "/proc") ||
			    starts_with(at, "/sys"))
				continue;
			snprintf(path, sizeof path, "/proc/%s/root%s", process, at);
			mark(h, FAN_MARK_FILESYSTEM, mask, path);
			if (answering)
				turn(h, 0);
		}
	buf_release(&text);
}

static u64 mount_namespace(const char *process)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%s/ns/mnt", process);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

/* A process whose mounts are not ours: they are found through the processes that run there. */
static void mark_elsewhere(struct holder *h, u32 pid, bool answering)
{
	char process[16];
	u64 ns;

	snprintf(process, sizeof process, "%u", pid);
	ns = mount_namespace(process);
	if (ns && ns != h->own_mounts && ns != h->last_mounts)
		mark_mounts_of(h, process, answering);
	h->last_mounts = ns;
}

static int mark_of_process(void *ctx, u32 pid)
{
	mark_elsewhere(ctx, pid, true);
	return 0;
}

static void mark_everything(struct holder *h)
{
	char process[16] = "self";

	if (h->plan->pid > 0)
		snprintf(process, sizeof process, "%d", h->plan->pid);
	h->own_mounts = mount_namespace(process);
	mark_mounts_of(h, process, true);
	if (h->plan->pid <= 0)
		proc_each(mark_of_process, h);
	h->last_mounts = 0;
}

static void mark_all(struct holder *h, struct ready *ready)
{
	for (u32 i = 0; i < h->plan->n_marks; i++) {
		const struct hold_mark *m = &h->plan->marks[i];
		int ret = m->served == h->plan->served ? mark(h, m->flags, m->mask, m->path) : 0;

		if (ret < 0 && !ready->mark_error) {
			ready->mark_error = ret;
			ready->mark = i;
		}
		turn(h, 0);
	}
	if (h->plan->everywhere) {
		mark_everything(h);
		h->mounts_fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	}
}

/* ---- what the kernel asks */

/* Decides at once if the file's start is in memory; otherwise sonde reads it, because the disk may
 * be slow. */
static bool is_surely_no_elf(int fd)
{
	char magic[SELFMAG];
	struct iovec iov = { magic, sizeof magic };
	ssize_t n = syscall(SYS_preadv2, fd, &iov, 1, 0, 0, RWF_NOWAIT);

	return n >= 0 && (n < (ssize_t)sizeof magic || memcmp(magic, ELFMAG, SELFMAG));
}

/* statx(2) does not query a file server. Seccomp filters of containers that are older than statx(2)
 * refuse it. */
static bool identify(int fd, struct file_id *id)
{
	struct statx x;
	struct stat st;

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO,
		    &x) == 0) {
		*id = (struct file_id){ makedev(x.stx_dev_major, x.stx_dev_minor), x.stx_ino };
		return S_ISREG(x.stx_mode);
	}
	if (fstat(fd, &st) < 0)
		return false;
	*id = (struct file_id){ st.st_dev, st.st_ino };
	return S_ISREG(st.st_mode);
}

static bool is_wanted(struct holder *h, int fd, s32 pid, struct file_id *id)
{
	char path[PATH_MAX];

	if (pid == h->sonde || (h->plan->pid > 0 && pid != h->plan->pid))
		return false;
	return fd_path(fd, path, sizeof path) && identify(fd, id) &&
	       !hash_get(&h->known, id, sizeof *id) && h->plan->wants(h->plan->ctx, path) &&
	       !is_surely_no_elf(fd);
}

/* An earlier file with the same identity or opener that sonde has not processed. */
static const struct file *like(const struct holder *h, const struct file *f)
{
	for (u32 i = 0; i < h->n_files; i++)
		if (!memcmp(&h->file[i].id, &f->id, sizeof f->id) ||
		    (!h->file[i].held && h->file[i].pid == f->pid))
			return &h->file[i];
	return NULL;
}

/* sonde is stopped or blocked: a process is held once, and after a while none is. */
static bool is_in_vain(const struct holder *h, const struct file *before)
{
	const struct file *first = h->n_files ? &h->file[0] : NULL;

	return (before && !before->held) ||
	       (first && !first->held && hold_now_ms() > first->since_ms + IN_VAIN_MS);
}

/* Takes fd over. since_ms: it came later than that. */
static void consider(struct holder *h, int fd, s32 pid, u64 since_ms)
{
	struct file f = { .fd = fd, .since_ms = since_ms, .pid = pid, .held = true };
	bool wanted = is_wanted(h, fd, pid, &f.id);
	const struct file *before = wanted ? like(h, &f) : NULL;

	if (!wanted || h->n_files == MAX_FILES) {
		if (!wanted && pid != h->sonde && h->plan->all_opens)
			forget(h, fd, hold_is_elf(fd));
		h->n_dropped += wanted;
		answer(h, fd);
		close(fd);
		return;
	}
	f.seq = ++h->seq;
	if (is_in_vain(h, before))
		let_go(h, &f);
	else if (before)
		f.since_ms = before->since_ms;
	h->file[h->n_files++] = f;
}

static void read_events(struct holder *h)
{
	struct fanotify_event_metadata events[MAX_BATCH], *e = events;
	u64 since_ms = h->empty_ms, now = hold_now_ms();
	ssize_t len = read(h->fan_fd, events, sizeof events);

	if (len < (ssize_t)sizeof events)
		h->empty_ms = now;
	for (; FAN_EVENT_OK(e, len); e = FAN_EVENT_NEXT(e, len)) {
		if (e->vers != FANOTIFY_METADATA_VERSION || e->fd < 0)
			continue;
		if (h->plan->everywhere && h->plan->pid <= 0 && (e->mask & FAN_OPEN_EXEC_PERM)) {
			h->last_mounts =
				0; /* it may have more than when it executed something before */
			mark_elsewhere(h, (u32)e->pid, false);
		}
		consider(h, e->fd, e->pid, since_ms);
	}
}

static int wait_ms_of(const struct holder *h, int wait_ms)
{
	u64 now = hold_now_ms();

	for (u32 i = 0; i < h->n_files; i++)
		if (h->file[i].held) {
			u64 end = h->file[i].since_ms + HOLD_MS;

			return MIN(wait_ms, end > now ? (int)(end - now) : 0);
		}
	return wait_ms;
}

static void turn(struct holder *h, int wait_ms)
{
	bool unsent = h->ready && h->n_files && !h->file[h->n_files - 1].sent;
	struct pollfd p[] = { { .fd = h->fan_fd, .events = POLLIN },
			      { .fd = h->sock, .events = (short)(POLLIN | (unsent ? POLLOUT : 0)) },
			      { .fd = h->mounts_fd, .events = POLLPRI } };

	poll(p, ARRAY_SIZE(p), wait_ms_of(h, wait_ms));
	let_late_ones_go(h);
	if (p[1].revents & ~POLLOUT && !read_answers(h))
		_exit(0);
	read_events(h);
	send_files(h);
	let_late_ones_go(h);
	favour(h);
	set_timer(h);
	if (p[2].revents)
		mark_everything(h);
}

/* ---- setup of the process */

/* Before 5.9, and where a filter knows no close_range(2). */
static void close_above(int last)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (atoi(e->d_name) > last && atoi(e->d_name) != dirfd(dir))
			close(atoi(e->d_name));
	if (dir)
		closedir(dir);
}

/* Standard input, output and errors lead nowhere: a reader of sonde's output must see its end. */
static void close_all_but(int sock)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	if (dup2(sock, 3) == 3 && syscall(SYS_close_range, 4, ~0u, 0) < 0)
		close_above(3);
}

/* "7:freezer:/user/x" of /proc/self/cgroup: "/" if it cannot be frozen. */
static bool is_in_freezer(void)
{
	struct buf text = { 0 };
	const char *at = buf_read_file(&text, "/proc/self/cgroup") == 0 && text.s ?
				 strstr(text.s, "freezer") :
				 NULL;
	bool is_in;

	at = at ? strchr(at, ':') : NULL;
	is_in = at && !starts_with(at, ":/\n");
	buf_release(&text);
	return is_in;
}

/* "… - cgroup cgroup rw,freezer" of /proc/self/mountinfo; the fifth field is where. */
static void leave_freezer(void)
{
	struct buf text = { 0 };
	char path[PATH_MAX], *line, *save = NULL;

	if (!is_in_freezer() || buf_read_file(&text, "/proc/self/mountinfo") < 0 || !text.s)
		return;
	for (line = strtok_r(text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const char *type = strstr(line, " - cgroup ");

		if (!type || !strstr(type, "freezer") ||
		    sscanf(line, "%*s %*s %*s %*s %4000s", path) != 1)
			continue;
		strcat(path, "/cgroup.procs");
		_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd >= 0 && write(fd, "0", 1) == 1)
			break;
	}
	buf_release(&text);
}

/* What is refused is not needed while the machine has a free processor and free memory. */
static void be_quick(void)
{
	if (!hold_be_first(0, HOLDER_FIRST))
		setpriority(PRIO_PROCESS, 0, -20);
	mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
}

/* If no descriptor can be made for an event, its opener gets an error. */
static void raise_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

NORETURN static void be_holder(const struct hold_plan *plan, pid_t sonde,
			       const struct hold_class *was, int sock)
{
	static struct holder h;
	struct ready ready = { 0 };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != sonde)
		_exit(0);
	setsid();
	prctl(PR_SET_NAME, "sonde-hold");
	close_all_but(sock);
	raise_files();
	leave_freezer();
	h = (struct holder){
		.plan = plan, .sonde = sonde, .sock = 3, .mounts_fd = -1, .was = *was
	};
	for (u32 i = 0; i < plan->known->cap; i++)
		if (plan->known->slot[i].key)
			file_ids_remember(&h.known, plan->known->slot[i].key);
	h.fan_fd =
		fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_MARKS,
			      O_RDONLY | O_CLOEXEC);
	if (h.fan_fd < 0 || !make_timer(&h))
		ready.why = errno;
	h.empty_ms = hold_now_ms();
	if (!ready.why) {
		be_quick();
		set_timer(&h);
		mark_all(&h, &ready);
	}
	if (send(h.sock, &ready, sizeof ready, MSG_NOSIGNAL) != sizeof ready || ready.why)
		_exit(0);
	h.ready = true;
	for (;;)
		turn(&h, IDLE_MS);
}

/* ---- sonde's end */

struct hold_class hold_own_class(void)
{
	struct sched_param param = { 0 };
	struct hold_class c = { .policy = sched_getscheduler(0) };

	sched_getparam(0, &param);
	c.priority = param.sched_priority;
	return c;
}

int hold_start(struct hold *h, const struct hold_plan *plan, const struct hold_class *was)
{
	pid_t sonde = getpid();
	struct ready ready = { 0 };
	struct pollfd p;
	int pair[2];

	h->was = *was;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return -errno;
	h->pid = fork();
	if (h->pid == 0)
		be_holder(plan, sonde, &h->was, pair[1]);
	ready.why = errno;
	h->sock = pair[0];
	close(pair[1]);
	p = (struct pollfd){ .fd = h->sock, .events = POLLIN };
	if (h->pid > 0)
		ready.why = 0;
	if (h->pid > 0 &&
	    (poll(&p, 1, START_MS) != 1 || recv(h->sock, &ready, sizeof ready, 0) != sizeof ready))
		ready.why = ETIMEDOUT;
	h->mark_error = ready.mark_error;
	h->mark = ready.mark;
	if (ready.why)
		hold_end(h);
	return -ready.why;
}

int hold_next(struct hold *h, struct hold_event *e, int *fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { e, sizeof *e };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof control };
	ssize_t n = recvmsg(h->sock, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	const struct cmsghdr *c = n == (ssize_t)sizeof *e ? CMSG_FIRSTHDR(&m) : NULL;

	*fd = -1;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof *fd);
	return n == (ssize_t)sizeof *e ? 1 : -1;
}

void hold_reply(struct hold *h, const struct hold_answer *a)
{
	if (h->sock >= 0 && send(h->sock, a, sizeof *a, MSG_NOSIGNAL) < 0) {
		/* it is gone, and with it what it held */
	}
}

/* In a system call that waits for a disk it dies when that is over: nothing to wait for here. */
void hold_end(struct hold *h)
{
	struct timespec turn = { 0, 1000000 };
	u64 end = hold_now_ms() + END_MS;

	fd_close(&h->sock);
	if (h->pid > 0) {
		kill(h->pid, SIGKILL);
		while (waitpid(h->pid, NULL, WNOHANG) == 0 && hold_now_ms() < end)
			nanosleep(&turn, NULL);
		be_as_before(0, &h->was);
	}
	h->pid = 0;
}
