/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of strace(1), in their order: -e trace=, -t, ... to struct strace_options. */
#include <stdlib.h>
#include "cli/option_take.h"
#include "cli/strace/strace.h"
#include "cli/traced_user.h"

/* ---- sets */

static int read_calls(struct strace *st, const char *words)
{
	st->o.all_calls = streq(words, "all");
	return strace_read_calls(st, words, st->o.calls);
}

static int read_raw(struct strace *st, const char *words)
{
	return strace_read_calls(st, words, st->o.raw);
}

static int read_abbrev(struct strace *st, const char *words)
{
	return strace_read_calls(st, words, st->o.abbrev);
}

static int read_verbose(struct strace *st, const char *words)
{
	return strace_read_calls(st, words, st->o.verbose);
}

static int read_reads(struct strace *st, const char *words)
{
	return strace_read_fds(st, words, st->o.read_fds);
}

static int read_writes(struct strace *st, const char *words)
{
	return strace_read_fds(st, words, st->o.write_fds);
}

static int read_user(struct strace *st, const char *name)
{
	return set_traced_user(st->c, name);
}

static int read_signals(struct strace *st, const char *words)
{
	return strace_read_signals(st, words, &st->o.signals);
}

static int read_status(struct strace *st, const char *words)
{
	u64 set;
	int ret = strace_read_names(
		st, "status", "successful failed unfinished unavailable detached", words, &set);

	st->o.status = (u32)set & STATUS_ALL;
	return ret;
}

/* -q, -qq, -qqq; --quiet=SET */
static int read_quiet(struct strace *st, const char *words)
{
	static const u32 levels[] = { MESSAGE_ATTACH | MESSAGE_PERSONALITY,
				      MESSAGE_ATTACH | MESSAGE_PERSONALITY | MESSAGE_EXIT,
				      MESSAGE_ALL };
	u64 set;
	int ret;

	if (!words) {
		st->o.silent |= levels[MIN(st->o.quiet, 2u)];
		st->o.quiet++;
		return 0;
	}
	ret = strace_read_names(st, "quiet",
				"attach exit path-resolution personality thread-execve superseded",
				words, &set);
	st->o.silent = (u32)set & MESSAGE_ALL;
	return ret;
}

/* -y, -yy; --decode-fds=SET */
static int read_decode(struct strace *st, const char *words)
{
	u64 set;
	int ret;

	if (!words) {
		st->o.files = st->o.files ? DECODE_ALL : DECODE_PATH;
		return 0;
	}
	ret = strace_read_names(st, "decode-fds", "path socket dev pidfd", words, &set);
	st->o.files = (u32)set & DECODE_ALL;
	return ret;
}

/* ---- options that need ptrace, or another program */

static int refuse(struct strace *st, const char *words)
{
	return say_usage(
		st->c, "-e inject and -e fault change what a call does, which needs ptrace: sonde "
		       "observes without it; use strace for that");
}

static int refuse_kvm(struct strace *st, const char *words)
{
	return say_usage(st->c, "-e kvm: exits of virtual CPUs are events of the kernel: "
				"sonde trace 'kvm:kvm_exit' shows them with their reasons");
}

static int refuse_daemon(struct strace *st, const char *words)
{
	return say_usage(st->c,
			 "-D: CMD is a child of sonde, which takes its exit status; to trace a "
			 "process that is not, start it and give -p PID");
}

static int refuse_tips(struct strace *st, const char *words)
{
	return say_usage(st->c, "--tips: there are none; \"sonde help strace\" has examples");
}

/* ---- times */

static int read_relative(struct strace *st, const char *value)
{
	return line_read_relative(st->c, &st->o.clock, value);
}

static int read_spent(struct strace *st, const char *value)
{
	st->o.spent = true;
	return line_read_precision(st->c, "syscall-times", value, &st->o.spent_digits);
}

static int more_time(struct strace *st, const char *value)
{
	return line_read_time(st->c, &st->o.clock, value);
}

/* "10", "10us", "1ms" */
static int read_overhead(struct strace *st, const char *value)
{
	char *end;
	double n = strtod(value, &end);
	int digits = *end ? line_read_digits(end) : 6;

	if (end == value || n < 0 || digits < 0)
		return say_usage(st->c, "invalid -O argument: '%s': a number, and s, ms, us or ns",
				 value);
	for (; digits < 9; digits++)
		n *= 10;
	st->o.overhead_ns = (u64)n;
	return 0;
}

/* ---- options with a value */

static int only_successful(struct strace *st, const char *value)
{
	st->o.status = STATUS_SUCCESSFUL;
	return 0;
}

static int only_failed(struct strace *st, const char *value)
{
	st->o.status = STATUS_FAILED;
	return 0;
}

static int only_summary(struct strace *st, const char *value)
{
	st->o.summary = true;
	st->o.lines = false;
	return 0;
}

/* -f: the default; -ff: a file for each thread. */
static int follow(struct strace *st, const char *value)
{
	st->o.separate |= st->o.forks++ > 0;
	return 0;
}

static int no_abbrev(struct strace *st, const char *value)
{
	return read_abbrev(st, "none");
}

static int debug(struct strace *st, const char *value)
{
	st->c->request.verbose = true;
	return 0;
}

static int read_column(struct strace *st, const char *value)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (end == value || *end || n > 1000)
		return say_usage(st->c, "invalid -a argument: '%s'", value);
	st->o.column = (u32)n;
	return 0;
}

static int read_strings(struct strace *st, const char *value)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (end == value || *end || *value == '-' || n > UINT32_MAX / 4)
		return say_usage(st->c, "invalid -s argument: '%s'", value);
	st->o.strings = (u32)n;
	return 0;
}

/* One of some words; -1 after a message. */
static int one_of(struct strace *st, const char *option, const char *words, const char *value)
{
	size_t n = 0;
	int i = 0;

	for (const char *s = words; *s; s += n + (s[n] == ' '), i++) {
		n = strcspn(s, " ");
		if (strlen(value) == n && !memcmp(s, value, n))
			return i;
	}
	say_usage(st->c, "invalid %s '%s'", option, value);
	return -1;
}

/* -x: strings with unprintable characters; -xx: all; --strings-in-hex=non-ascii-chars: escapes */
static int more_hex(struct strace *st, const char *value)
{
	int how =
		value ? one_of(st, "strings-in-hex", "none non-ascii all non-ascii-chars", value) :
			0;

	if (how < 0)
		return 1;
	if (value)
		st->o.hex = (u32)how;
	else
		st->o.hex += st->o.hex < CALL_HEX_ALL;
	return 0;
}

/* --strings-in-hex without a value is -xx. */
static int read_hex(struct strace *st, const char *value)
{
	return more_hex(st, value ? value : "all");
}

static int read_constants(struct strace *st, const char *value)
{
	int how = one_of(st, "const-print-style", "abbrev raw verbose", value);

	st->o.constants = (enum call_constants)MAX(how, 0);
	return how < 0;
}

static int read_pids(struct strace *st, const char *value)
{
	if (value && streq(value, "pidns"))
		return say_usage(
			st->c,
			"--decode-pids=pidns: process numbers are shown as the calls have them; "
			"--decode-pids=comm shows names");
	if (value && !streq(value, "comm"))
		return say_usage(st->c, "invalid --decode-pids argument: '%s': comm", value);
	st->o.pids = true;
	return 0;
}

static int refuse_pidns(struct strace *st, const char *value)
{
	return read_pids(st, value ? value : "pidns");
}

static int detach_on(struct strace *st, const char *value)
{
	if (!streq(value, "execve"))
		return say_usage(st->c, "-b %s: only execve is a call to detach on", value);
	st->o.detach_on_execve = true;
	return 0;
}

static int set_environment(struct strace *st, const char *value)
{
	size_t n = strcspn(value, "=");

	if (!value[n])
		unsetenv(value);
	else
		setenv(arena_strndup(&st->c->line.arena, value, n), value + n + 1, 1);
	return 0;
}

static int nothing(struct strace *st, const char *value)
{
	return 0;
}

static int read_sort(struct strace *st, const char *value)
{
	st->o.sort = value;
	return 0;
}

static int read_columns(struct strace *st, const char *value)
{
	st->o.columns = value;
	return 0;
}

/* ---- the table: by the names of option.c; those that -e has, too, with its short spellings */

static int read_expression(struct strace *st, const char *value);
#define FLAG(member) .flag = offsetof(struct strace_options, member)

static const struct row {
	const char *name;
	int (*read)(struct strace *st, const char *value);
	size_t flag;       /* without read: a bool */
	const char *for_e; /* other names after -e; NULL: not one of -e */
} rows[] = {
	{ .name = "expression", .read = read_expression },
	{ .name = "trace", .read = read_calls, .for_e = "t" },
	{ .name = "signal", .read = read_signals, .for_e = "signals s" },
	{ .name = "status", .read = read_status, .for_e = "" },
	{ .name = "quiet", .read = read_quiet, .for_e = "silent silence q" },
	{ .name = "raw", .read = read_raw, .for_e = "x" },
	{ .name = "abbrev", .read = read_abbrev, .for_e = "a" },
	{ .name = "verbose", .read = read_verbose, .for_e = "v" },
	{ .name = "read", .read = read_reads, .for_e = "reads r" },
	{ .name = "write", .read = read_writes, .for_e = "writes w" },
	{ .name = "decode-fds", .read = read_decode, .for_e = "decode-fd" },
	{ .name = "inject", .read = refuse, .for_e = "" },
	{ .name = "fault", .read = refuse, .for_e = "" },
	{ .name = "kvm", .read = refuse_kvm, .for_e = "" },
	{ .name = "silent", .read = read_quiet },
	{ .name = "silence", .read = read_quiet },
	{ .name = "timestamps", .read = more_time },
	{ .name = "pidns-translation", .read = refuse_pidns },
	{ .name = "columns", .read = read_column },
	{ .name = "summary-only", .read = only_summary },
	{ .name = "follow-forks", .read = follow },
	{ .name = "output-separately", FLAG(separate) },
	{ .name = "absolute-timestamps", .read = more_time },
	{ .name = "relative-timestamps", .read = read_relative },
	{ .name = "syscall-times", .read = read_spent },
	{ .name = "successful-only", .read = only_successful },
	{ .name = "failed-only", .read = only_failed },
	{ .name = "env", .read = set_environment },
	{ .name = "string-limit", .read = read_strings },
	{ .name = "hex", .read = more_hex },
	{ .name = "strings-in-hex", .read = read_hex },
	{ .name = "const-print-style", .read = read_constants },
	{ .name = "trace-path", .read = strace_add_path },
	{ .name = "output-append-mode", FLAG(append) },
	{ .name = "summary", FLAG(summary) },
	{ .name = "stack-traces", FLAG(stacks) },
	{ .name = "syscall-number", FLAG(numbers) },
	{ .name = "instruction-pointer", FLAG(pointer) },
	{ .name = "arg-names", FLAG(arg_names) },
	{ .name = "summary-wall-clock", FLAG(wall) },
	{ .name = "summary-sort-by", .read = read_sort },
	{ .name = "summary-columns", .read = read_columns },
	{ .name = "summary-syscall-overhead", .read = read_overhead },
	{ .name = "no-abbrev", .read = no_abbrev },
	{ .name = "decode-pids", .read = read_pids },
	{ .name = "user", .read = read_user },
	{ .name = "detach-on", .read = detach_on },
	{ .name = "debug", .read = debug },
	{ .name = "seccomp-bpf", .read = nothing },
	{ .name = "interruptible", .read = nothing },
	{ .name = "daemonize", .read = refuse_daemon },
	{ .name = "tips", .read = refuse_tips },
};

/* "trace=open", "open" */
static int read_expression(struct strace *st, const char *value)
{
	size_t n = strcspn(value, "=");

	if (!value[n])
		return read_calls(st, value);
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].for_e &&
		    (lists_word(rows[i].name, value, n) || lists_word(rows[i].for_e, value, n)))
			return rows[i].read(st, value + n + 1);
	return say_usage(
		st->c,
		"-e %s: sonde has trace=, signal=, status=, quiet=, raw=, abbrev=, verbose=, "
		"read=, write= and decode-fds=, or names of calls",
		value);
}

static int read_option(struct strace *st, const char *name, const char *value)
{
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!streq(rows[i].name, name))
			continue;
		if (rows[i].read)
			return rows[i].read(st, value);
		*(bool *)((char *)&st->o + rows[i].flag) = true;
	}
	return 0;
}

static int check_together(struct strace *st)
{
	struct cli *c = st->c;

	if (st->o.separate && !c->output.file)
		return say_usage(c, "-ff writes a file for each thread: it needs -o FILE");
	if (st->o.wall && !st->o.summary)
		return say_usage(c, "-w must be given with -c or -C");
	if (st->o.append && !c->output.file)
		return say_usage(c, "-A appends to a file: it needs -o FILE");
	if (c->request.traced.user && !c->request.traced.command)
		return say_usage(c, "-u is for a command that sonde starts");
	return strace_check_summary(st);
}

int strace_read_options(struct strace *st)
{
	struct cli *c = st->c;
	int ret = 0;

	st->o = (struct strace_options){ .all_calls = true,
					 .signals = ~0ull,
					 .status = STATUS_ALL,
					 .column = 40,
					 .strings = 32,
					 .spent_digits = 6,
					 .clock.relative_digits = 6,
					 .lines = true };
	memset(st->o.abbrev, 0xff, sizeof st->o.abbrev);
	memset(st->o.verbose, 0xff, sizeof st->o.verbose);
	for (u32 i = 0; i < c->line.n_given && !ret; i++)
		if (c->line.given[i].row->take == take_given)
			ret = read_option(st, c->line.given[i].row->name, c->line.given[i].value);
	if (c->output.file && c->request.traced.command) /* as strace(1) documents for -q */
		st->o.silent |= MESSAGE_ATTACH | MESSAGE_PERSONALITY;
	st->o.i386 = !ret && strace_wants_i386(&c->request.traced);
	return ret ? ret : check_together(st);
}
