/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde info --selftest: for each row a separate sonde runs the row's script over known work, so
 * that what is tested is what users run, and nothing that goes wrong ends the others. Out: a line
 * for each row: the count is right, it is not, or the kernel refuses, with its reason.
 *
 * %E in a script is our executable, %F the function in it, %N the number of getpgid(2).
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/os_names.h"
#include "cli/selftest.h"
#include "engine/kernel/kernel.h"
#include "output/output.h"

enum {
	TIMES = 500,
	LIMIT_MS = 20000
}; /* the limit is for what hangs: a busy machine may take seconds for a row */

#if defined(__aarch64__)
#define GETPGID "__arm64_sys_getpgid"
#else
#define GETPGID "__x64_sys_getpgid"
#endif
#define COUNT " { @n = count(); }"

struct row {
	const char *name, *script; /* prints @n, or n lines */
	const char *work;          /* "getpgid:500", or NULL: none is needed */
	u64 min, max;              /* what is right */
	const char *unit;
	const char *option; /* of the run, or NULL */
	/* its program runs for no other process: adjacent rows of this kind run concurrently */
	bool apart;
};

#define WORK(work_, min_, max_, unit_)                                                             \
	.work = (work_), .min = (min_), .max = (max_), .unit = (unit_)
#define CALLS WORK("getpgid:500", TIMES, TIMES, "calls")
#define STEPS WORK("call:500", TIMES, TIMES, "calls")

/* clang-format off */
/* Samples come late where the processor is shared: one of those that are due shows that they come. A named kernel
 * function would be probed through a trampoline, a pattern is not. A watchpoint beside uprobes that are stepped over
 * counts nothing in a guest of 5.10 with one processor: it has its own time. */
static const struct row rows[] = {
	{ "begin, end", "begin { @n = 1; } end { @n++; }", WORK(NULL, 2, 2, "runs") },
	{ "tracepoint", "tracepoint:syscalls:sys_enter_getpgid /pid == cpid/" COUNT, CALLS },
	{ "tracepoint's fields", "tracepoint:raw_syscalls:sys_enter /pid == cpid && args.id == %N/" COUNT, CALLS },
	{ "syscall", "syscall:getpgid /pid == cpid/" COUNT, CALLS },
	{ "rawtracepoint", "rawtracepoint:sys_enter /pid == cpid && arg1 == %N/" COUNT, CALLS },
	{ "kprobe", "kprobe:" GETPGID "* /pid == cpid/" COUNT, CALLS },
	{ "kretprobe", "kretprobe:" GETPGID "* /pid == cpid && (int64)retval >= 0/" COUNT, CALLS },
	{ "fentry", "fentry:" GETPGID " /pid == cpid/" COUNT, CALLS },
	{ "fexit", "fexit:" GETPGID " /pid == cpid && (int64)retval >= 0/" COUNT, CALLS },
	{ "uprobe", "uprobe:%E:%F /pid == cpid && arg0 == 41/" COUNT, STEPS, .apart = true },
	{ "uretprobe", "uretprobe:%E:%F /pid == cpid && retval == 42/" COUNT, STEPS, .apart = true },
	{ "usdt", "usdt:%E:sonde:selftest /pid == cpid && arg0 == 41/" COUNT, STEPS, .apart = true },
	{ "profile", "profile:hz:199 /pid == cpid/" COUNT, WORK("spin:150", 1, 1000, "samples"), .apart = true },
	{ "interval", "interval:ms:10" COUNT, WORK("sleep:150", 1, 1000, "ticks"), .apart = true },
	{ "software", "software:page-faults:1 /pid == cpid/" COUNT, WORK("touch:500", TIMES, 3 * TIMES, "faults"), .apart = true },
	{ "hardware", "hardware:cycles:100000 /pid == cpid/" COUNT, WORK("spin:50", 1, 1000000, "overflows"), .apart = true },
	{ "watchpoint", "watchpoint:0x10000000:8:w /pid == cpid/" COUNT, WORK("write:500", TIMES, TIMES, "writes") },
	{ "iter", "iter:task" COUNT, WORK(NULL, 1, 10000000, "tasks"), .apart = true },
	{ "printf", "tracepoint:syscalls:sys_enter_getpgid /pid == cpid/ { printf(\"x\\n\"); }", WORK("getpgid:2000", 2000, 2000, "lines") },
	{ "kstack", "tracepoint:raw_syscalls:sys_enter /pid == cpid && args.id == %N/ { printf(\"%s\", kstack); }", WORK("getpgid:1", 1, 127, "frames") },
	{ "ustack", "uprobe:%E:%F /pid == cpid/ { printf(\"%s\", ustack); }", WORK("call:1", 1, 127, "frames") },
	{ "--follow", "tracepoint:syscalls:sys_enter_getpgid" COUNT, CALLS, .option = "--follow" },
};
/* clang-format on */

enum verdict { RIGHT, WRONG, REFUSED };
static const char *const verdicts[] = {
	[RIGHT] = "right", [WRONG] = "wrong", [REFUSED] = "refused"
};

struct result {
	enum verdict verdict;
	u64 n;
	char reason[400]; /* REFUSED, and where the count says too little */
};

/* ---- one run */

static void put_script(struct buf *b, const char *script)
{
	for (const char *s = script; *s; s++)
		if (starts_with(s, "%E"))
			buf_printf(b, "/proc/%d/exe", (int)getpid()), s++;
		else if (starts_with(s, "%F"))
			buf_printf(b, "0x%llx", (unsigned long long)selftest_function()), s++;
		else if (starts_with(s, "%N"))
			buf_printf(b, "%d", SYS_getpgid), s++;
		else
			buf_putc(b, *s);
}

NORETURN static void become(const struct row *row, int out, int err)
{
	char exe[32], command[64];
	const char *argv[8] = { exe, "-q", "-e" };
	struct buf script = { 0 };
	u32 n = 3;

	put_script(&script, row->script);
	snprintf(exe, sizeof exe, "/proc/%d/exe", (int)getppid());
	snprintf(command, sizeof command, "%s info --selftest-work=%s", exe,
		 row->work ? row->work : "");
	argv[n++] = script.s;
	if (row->work) {
		argv[n++] = "-c";
		argv[n++] = command;
	}
	argv[n] = row->option;
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	execv("/proc/self/exe", (char *const *)(uintptr_t)argv);
	_exit(127);
}

/* Reads what both pipes give until they end; false when the time is over first. */
static bool gather(const int fd[2], struct buf text[2])
{
	u64 end = clock_mono_ns() + LIMIT_MS * 1000000ull, now;
	struct pollfd p[2] = { { .fd = fd[0], .events = POLLIN },
			       { .fd = fd[1], .events = POLLIN } };
	char piece[4096];

	while ((p[0].fd >= 0 || p[1].fd >= 0) && (now = clock_mono_ns()) < end) {
		if (poll(p, 2, (int)((end - now) / 1000000) + 1) <= 0)
			continue;
		for (u32 i = 0; i < 2; i++) {
			ssize_t n = p[i].revents ? read(p[i].fd, piece, sizeof piece) : -1;

			if (n > 0)
				buf_add(&text[i], piece, (size_t)n);
			else if (p[i].revents)
				p[i].fd = -1;
		}
	}
	return p[0].fd < 0 && p[1].fd < 0;
}

/* "@n: 500", or the lines that are not empty. */
static u64 count_of(const char *text)
{
	const char *at = strstr(text, "@n: ");
	u64 lines = 0;

	if (at)
		return strtoull(at + 4, NULL, 10);
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		lines += *text != '\n' && text[strspn(text, " ")] != '\n';
	return lines;
}

/* The first message, without the name of the program and the position in the script, and all
 * help. */
static void put_reason(char *to, size_t size, const char *text)
{
	const char *at = strstr(text, "ERROR: "), *help = strstr(text, "\n  help: ");
	size_t len;

	at = at                             ? at + 7 :
	     starts_with(text, "sonde: ")   ? text + 7 :
	     starts_with(text, "WARNING: ") ? text + 9 :
					      text;
	len = strcspn(at, "\n");
	if (len && at[len - 1] == ']' && memrchr(at, '[', len)) /* the message's number */
		len = (size_t)((const char *)memrchr(at, '[', len) - at);
	while (len && at[len - 1] == ' ')
		len--;
	snprintf(to, size, "%.*s", (int)len, at);
	for (; help; help = strstr(help + 1, "\n  help: "))
		snprintf(to + strlen(to), size - strlen(to), "; %.*s", (int)strcspn(help + 9, "\n"),
			 help + 9);
}

static void judge(struct result *r, const struct row *row, const char *out, const char *err,
		  int status)
{
	r->n = count_of(out);
	if (WIFEXITED(status) && WEXITSTATUS(status) && !r->n) {
		r->verdict = REFUSED;
		put_reason(r->reason, sizeof r->reason, *err ? err : "it ended without a word");
		return;
	}
	if (WIFSIGNALED(status)) {
		r->verdict = WTERMSIG(status) == SIGKILL ?
				     REFUSED :
				     WRONG; /* what it would have counted is not known */
		snprintf(r->reason, sizeof r->reason, "it was ended by SIG%s%s",
			 os_signal_name((u32)WTERMSIG(status)),
			 r->verdict == REFUSED ? ", as the kernel does where memory is short" : "");
		return;
	}
	r->verdict = status == 0 && r->n >= row->min && r->n <= row->max ? RIGHT : WRONG;
	if (r->verdict == WRONG)
		put_reason(r->reason, sizeof r->reason, err);
}

struct running {
	pid_t pid; /* -1: it did not start */
	int fd[2]; /* its output, its errors */
};

static void start_row(const struct row *row, struct running *run)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 };

	run->pid = -1;
	if (pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0)
		run->pid = fork();
	if (run->pid == 0)
		become(row, out[1], err[1]);
	fd_close(&out[1]);
	fd_close(&err[1]);
	run->fd[0] = out[0];
	run->fd[1] = err[0];
}

static void finish_row(const struct row *row, struct running *run, struct result *r)
{
	struct buf text[2] = { 0 };
	int status = 0;

	*r = (struct result){ .verdict = WRONG };
	if (run->pid > 0) {
		bool ended = gather(run->fd, text);

		if (!ended)
			kill(run->pid, SIGKILL); /* its command dies with it */
		waitpid(run->pid, &status, 0);
		buf_putc(&text[0], '\0');
		buf_putc(&text[1], '\0');
		judge(r, row, text[0].s, text[1].s, status);
		if (!ended) {
			r->verdict = WRONG;
			snprintf(r->reason, sizeof r->reason, "no end after %d s", LIMIT_MS / 1000);
		}
	}
	fd_close(&run->fd[0]);
	fd_close(&run->fd[1]);
	buf_release(&text[0]);
	buf_release(&text[1]);
}

/* A dozen runs take 60 MB together, of which 4 MB are for each the symbols of the kernel, and as
 * much in its maps. */
static bool has_room_for_all(void)
{
	return sysconf(_SC_PHYS_PAGES) / 1024 * (sysconf(_SC_PAGESIZE) / 1024) >= 256;
}

/* From the first on; those that see only their own events run concurrently, because most of a run
 * is waiting. Returns how many. */
static u32 run_rows(u32 first, struct result *r)
{
	struct running run[ARRAY_SIZE(rows)];
	u32 n = 1;

	while (rows[first].apart && has_room_for_all() && first + n < ARRAY_SIZE(rows) &&
	       rows[first + n].apart)
		n++;
	for (u32 i = 0; i < n; i++)
		start_row(&rows[first + i], &run[i]);
	for (u32 i = 0; i < n; i++)
		finish_row(&rows[first + i], &run[i], &r[i]);
	return n;
}

/* ---- the report */

static void put_text(struct buf *b, const struct row *row, const struct result *r)
{
	bool exact = row->min == row->max;

	buf_printf(b, "  %-20s ", row->name);
	if (r->verdict == REFUSED)
		buf_printf(b, "refused: %s\n", r->reason);
	else if (r->verdict == RIGHT)
		buf_printf(b, "right: %llu%s%s\n", (unsigned long long)r->n, *row->unit ? " " : "",
			   row->unit);
	else
		buf_printf(b, "WRONG: %llu of %s%llu %s%s%s\n", (unsigned long long)r->n,
			   exact ? "" : "at least ", (unsigned long long)row->min, row->unit,
			   *r->reason ? ": " : "", r->reason);
}

static void put_json(struct buf *b, const struct row *row, const struct result *r)
{
	buf_puts(b, "{\"probe\": ");
	json_strz(b, row->name);
	buf_printf(
		b,
		", \"result\": \"%s\", \"counted\": %llu, \"min\": %llu, \"max\": %llu, \"unit\": \"%s\", \"reason\": ",
		verdicts[r->verdict], (unsigned long long)r->n, (unsigned long long)row->min,
		(unsigned long long)row->max, row->unit);
	json_strz(b, r->reason);
	buf_putc(b, '}');
}

/* Not a count: whether variables below the stack pointer survive a probe on a five-byte nop. */
static const char *red_zone(void)
{
	return feature_has(kernel_features(), FEAT_UPROBE_NOP5) ?
		       "kept" :
		       "overwritten by this kernel's probes on five-byte nops: sonde puts its own elsewhere";
}

static int conclude(struct cli *c, struct buf *b, bool json, const u32 n[3], u64 took_ns)
{
	if (json) {
		buf_puts(b, "], \"red_zone\": ");
		json_strz(b, red_zone());
		buf_printf(b, ", \"right\": %u, \"wrong\": %u, \"refused\": %u, \"ms\": %llu}\n",
			   n[RIGHT], n[WRONG], n[REFUSED], (unsigned long long)(took_ns / 1000000));
	} else {
		buf_printf(b, "  %-20s %s\n", "red zone", red_zone());
		buf_printf(b, "%u right, %u wrong, %u refused, %.1f s\n", n[RIGHT], n[WRONG],
			   n[REFUSED], (double)took_ns / 1e9);
	}
	put_out(c, b);
	return n[WRONG] ? 1 : n[RIGHT] ? 0 : 255;
}

int selftest(struct cli *c)
{
	bool json = c->sink.output == &output_json;
	struct buf b = { 0 };
	u32 n[3] = { 0 };
	u64 start = clock_mono_ns();
	struct result r[ARRAY_SIZE(rows)];
	int ret;

	if (access("/proc/self/exe", X_OK) < 0) {
		say(c, "the self-test needs /proc: mount -t proc proc /proc");
		return 255;
	}
	buf_puts(&b, json ? "{\"selftest\": [" : "Self-test\n");
	for (u32 i = 0; i < ARRAY_SIZE(rows);)
		i += run_rows(i, &r[i]);
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		n[r[i].verdict]++;
		buf_puts(&b, json && i ? ", " : "");
		(json ? put_json : put_text)(&b, &rows[i], &r[i]);
	}
	ret = conclude(c, &b, json, n, clock_mono_ns() - start);
	buf_release(&b);
	return ret;
}
