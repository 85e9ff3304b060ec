/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of strace(1), in their order: -e trace=, -t, ... to struct strace_options. */
#include <regex.h>
#include <stdlib.h>
#include "cli/option.h"
#include "cli/strace/strace.h"
#include "sym/calls.h"

static bool set_has(const u64 *set, u32 i)
{
	return set[i / 64] >> i % 64 & 1;
}

bool strace_has_call(const struct strace_options *o, u32 nr)
{
	return o->all_calls || (nr < SYSCALL_MAX && set_has(o->calls, nr));
}

bool strace_is_raw(const struct strace_options *o, u32 nr)
{
	return nr < SYSCALL_MAX && set_has(o->raw, nr);
}

/* ---- lists: "a,b", "!a,b", "all", "none" */

struct list {
	const char *what; /* for messages: "system call" */
	/* adds what a word means; false: nothing has that name */
	bool (*add)(struct strace *st, const char *word, size_t len, u64 *set);
	u32 n; /* members of the whole set */
};

static int unknown(struct strace *st, const struct list *list, const char *word, size_t len)
{
	return say_usage(st->c, "invalid %s '%.*s'", list->what, (int)len, word);
}

static int read_words(struct strace *st, const struct list *list, const char *words, u64 *set)
{
	for (const char *s = words; *s;) {
		size_t n = strcspn(s, ","), skip = *s == '?';

		if (n == 3 && !memcmp(s, "all", n))
			memset(set, 0xff, list->n / 64 * 8);
		else if (!(n == 4 && !memcmp(s, "none", n)) &&
			 !list->add(st, s + skip, n - skip, set) && !skip)
			return unknown(st, list, s, n);
		s += n + (s[n] == ',');
	}
	return 0;
}

static int read_list(struct strace *st, const struct list *list, const char *words, u64 *set)
{
	bool is_not = *words == '!';
	int ret;

	memset(set, 0, list->n / 64 * 8);
	ret = read_words(st, list, words + is_not, set);
	for (u32 i = 0; i < list->n / 64 && is_not; i++)
		set[i] = ~set[i];
	return ret;
}

/* ---- system calls */

/* Classes that sym/calls.def does not have. */
static const struct {
	const char *name, *calls;
} classes[] = {
	{ "clock",
	  "adjtimex clock_adjtime clock_getres clock_gettime clock_settime gettimeofday settimeofday time" },
	{ "creds",
	  "capget capset getegid geteuid getgid getgroups getresgid getresuid getuid prctl setfsgid setfsuid "
	  "setgid setgroups setregid setresgid setresuid setreuid setuid" },
	{ "stat", "stat" },
	{ "lstat", "lstat" },
	{ "fstat", "fstat newfstatat" },
	{ "%stat", "fstat lstat newfstatat stat statx" },
	{ "statfs", "statfs" },
	{ "fstatfs", "fstatfs" },
	{ "%statfs", "fstatfs statfs ustat" },
	{ "pure", "getegid geteuid getgid getpgrp getpid getppid gettid getuid" },
};

static bool add_names(const char *names, u64 *set)
{
	char name[64];

	for (const char *s = names; *s;) {
		size_t n = strcspn(s, " ");
		int nr;

		snprintf(name, sizeof(name), "%.*s", (int)n, s);
		nr = syscall_number(name);
		if (nr >= 0)
			set[nr / 64] |= 1ull << nr % 64;
		s += n + strspn(s + n, " ");
	}
	return true;
}

static bool in_group(u32 nr, const char *group)
{
	const char *event = syscall_event_name(nr);
	const struct call_desc *desc = event ? call_find(event) : NULL;

	return desc && call_in_group(desc, streq(group, "net") ? "network" : group);
}

static bool add_class(const char *name, u64 *set)
{
	bool any = false;

	for (u32 i = 0; i < ARRAY_SIZE(classes); i++)
		if (streq(classes[i].name, name))
			return add_names(classes[i].calls, set);
	for (u32 nr = 0; nr < syscall_count(); nr++)
		if (in_group(nr, name)) {
			set[nr / 64] |= 1ull << nr % 64;
			any = true;
		}
	return any;
}

static bool add_matching(const char *pattern, u64 *set)
{
	bool any = false;
	regex_t re;

	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB))
		return false;
	for (u32 nr = 0; nr < syscall_count(); nr++)
		if (syscall_name(nr) && !regexec(&re, syscall_name(nr), 0, NULL, 0)) {
			set[nr / 64] |= 1ull << nr % 64;
			any = true;
		}
	regfree(&re);
	return any;
}

/* "open", "257", "%file", "file", "/^open"; "@64" may follow */
static bool add_call(struct strace *st, const char *word, size_t len, u64 *set)
{
	size_t n = len > 3 && !memcmp(word + len - 3, "@64", 3) ? len - 3 : len;
	const char *name = arena_strndup(&st->c->words_arena, word, n);
	char *end;
	unsigned long nr = strtoul(name, &end, 10);

	if (end != name && !*end && nr < SYSCALL_MAX) {
		set[nr / 64] |= 1ull << nr % 64;
		return true;
	}
	if (*name == '/')
		return add_matching(name + 1, set);
	if (*name == '%')
		return add_class(name + 1, set);
	if (syscall_number(name) >= 0)
		return add_names(name, set);
	return add_class(name, set);
}

static const struct list calls = { "system call", add_call, SYSCALL_MAX };

static int read_calls(struct strace *st, const char *words)
{
	st->o.all_calls = streq(words, "all");
	return read_list(st, &calls, words, st->o.calls);
}

static int read_raw(struct strace *st, const char *words)
{
	return read_list(st, &calls, words, st->o.raw);
}

/* ---- signals, results, messages */

static bool add_signal(struct strace *st, const char *word, size_t len, u64 *set)
{
	u32 n = strace_signal_number(word, len);

	if (n)
		*set |= 1ull << (n - 1);
	return n != 0;
}

static int read_signals(struct strace *st, const char *words)
{
	static const struct list signals = { "signal", add_signal, 64 };

	return read_list(st, &signals, words, &st->o.signals);
}

static bool add_word(const char *names, const char *word, size_t len, u64 *set)
{
	for (u32 i = 0; *names; i++) {
		size_t n = strcspn(names, " ");

		if (n == len && !memcmp(names, word, n)) {
			*set |= 1ull << i;
			return true;
		}
		names += n + strspn(names + n, " ");
	}
	return false;
}

static bool add_status(struct strace *st, const char *word, size_t len, u64 *set)
{
	return add_word("successful failed unfinished unavailable detached", word, len, set);
}

static int read_status(struct strace *st, const char *words)
{
	static const struct list states = { "status", add_status, 64 };
	u64 set;
	int ret = read_list(st, &states, words, &set);

	st->o.status = (u32)set & STATUS_ALL;
	return ret;
}

enum { QUIET_ATTACH = 1, QUIET_EXIT = 2 };

static bool add_quiet(struct strace *st, const char *word, size_t len, u64 *set)
{
	return add_word("attach exit path-resolution personality thread-execve superseded", word,
			len, set);
}

static int read_quiet(struct strace *st, const char *words)
{
	static const struct list messages = { "quiet", add_quiet, 64 };
	u64 set;
	int ret = read_list(st, &messages, words, &set);

	st->o.no_attach = set & QUIET_ATTACH;
	st->o.no_exit = set & QUIET_EXIT;
	return ret;
}

/* ---- -e */

static int refuse(struct strace *st, const char *words)
{
	return say_usage(
		st->c, "-e inject and -e fault change what a call does, which needs ptrace: sonde "
		       "observes without it; use strace for that");
}

static const struct {
	const char *name;
	int (*read)(struct strace *st, const char *words);
} qualifiers[] = {
	{ "trace", read_calls },     { "t", read_calls },      { "signal", read_signals },
	{ "signals", read_signals }, { "s", read_signals },    { "status", read_status },
	{ "quiet", read_quiet },     { "silent", read_quiet }, { "q", read_quiet },
	{ "raw", read_raw },         { "inject", refuse },     { "fault", refuse },
};

static int read_expression(struct strace *st, const char *value)
{
	size_t n = strcspn(value, "=");

	if (!value[n])
		return read_calls(st, value);
	for (u32 i = 0; i < ARRAY_SIZE(qualifiers); i++)
		if (strlen(qualifiers[i].name) == n && !memcmp(qualifiers[i].name, value, n))
			return qualifiers[i].read(st, value + n + 1);
	return say_usage(
		st->c,
		"-e %s: sonde has trace=, signal=, status=, quiet= and raw=, or names of calls",
		value);
}

/* ---- options without a list */

static int more_time(struct strace *st, const char *value)
{
	st->o.clock.time += st->o.clock.time < TIME_EPOCH_US;
	return 0;
}

static int more_quiet(struct strace *st, const char *value)
{
	st->o.quiet++;
	st->o.no_attach = true;
	st->o.no_exit |= st->o.quiet > 1;
	return 0;
}

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

/* -f: as it is anyway; -ff: a file for each thread. */
static int follow(struct strace *st, const char *value)
{
	st->o.separate = st->o.forks++ > 0;
	return 0;
}

static int show_files(struct strace *st, const char *value)
{
	if (st->o.files)
		say_note(
			st->c,
			"-yy: descriptors are shown as with -y: paths, and inode numbers of sockets");
	st->o.files = true;
	return 0;
}

enum { STRINGS_MOST = 4096 }; /* what a program copies of a buffer */

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

	if (end == value || *end || *value == '-')
		return say_usage(st->c, "invalid -s argument: '%s'", value);
	if (n > STRINGS_MOST) {
		say_note(st->c, "-s %s: strings are shown up to %d bytes", value, STRINGS_MOST);
		n = STRINGS_MOST;
	}
	st->o.strings = (u32)n;
	return 0;
}

static int more_hex(struct strace *st, const char *value)
{
	st->o.hex += st->o.hex < 2;
	return 0;
}

static int set_environment(struct strace *st, const char *value)
{
	size_t n = strcspn(value, "=");

	if (!value[n])
		unsetenv(value);
	else
		setenv(arena_strndup(&st->c->words_arena, value, n), value + n + 1, 1);
	return 0;
}

#define FLAG(member) .flag = offsetof(struct strace_options, member)

static const struct {
	char key;
	int (*read)(struct strace *st, const char *value);
	size_t flag; /* without read: a bool */
} options[] = {
	{ .key = 'e', .read = read_expression },
	{ .key = 'a', .read = read_column },
	{ .key = 'c', .read = only_summary },
	{ .key = 'f', .read = follow },
	{ .key = 'q', .read = more_quiet },
	{ .key = 't', .read = more_time },
	{ .key = 'z', .read = only_successful },
	{ .key = 'Z', .read = only_failed },
	{ .key = 'E', .read = set_environment },
	{ .key = 's', .read = read_strings },
	{ .key = 'x', .read = more_hex },
	{ .key = 'P', .read = strace_add_path },
	{ .key = 'A', FLAG(append) },
	{ .key = 'C', FLAG(summary) },
	{ .key = 'T', FLAG(spent) },
	{ .key = 'k', FLAG(stacks) },
	{ .key = 'n', FLAG(numbers) },
	{ .key = 'r', FLAG(clock.relative) },
	{ .key = 'w', FLAG(wall) },
	{ .key = 'y', .read = show_files },
};

static int read_option(struct strace *st, char key, const char *value)
{
	for (u32 i = 0; i < ARRAY_SIZE(options); i++) {
		if (options[i].key != key)
			continue;
		if (options[i].read)
			return options[i].read(st, value);
		*(bool *)((char *)&st->o + options[i].flag) = true;
		return 0;
	}
	if (key == 'S')
		st->o.sort = value;
	else if (key == 'U')
		st->o.columns = value;
	return 0;
}

static int check_together(struct strace *st)
{
	struct cli *c = st->c;

	if (st->o.separate && !c->output)
		return say_usage(c, "-ff writes a file for each thread: it needs -o FILE");
	if (st->o.wall && !st->o.summary)
		return say_usage(c, "-w must be given with -c or -C");
	if (st->o.append && !c->output)
		return say_usage(c, "-A appends to a file: it needs -o FILE");
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
					 .lines = true };
	for (u32 i = 0; i < c->n_given && !ret; i++)
		if (c->given[i].row->command == &command_strace)
			ret = read_option(st, c->given[i].row->key, c->given[i].value);
	return ret ? ret : check_together(st);
}
