/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sets of -e, as strace(1) writes them: "open,%file", "!read", "all". Out: a bit for each
 * member. */
#include <regex.h>
#include <stdlib.h>
#include "cli/strace/strace.h"
#include "sym/calls.h"

bool strace_in_set(const u64 *set, u64 n_set, u64 i)
{
	return i < n_set && set[i / 64] >> i % 64 & 1;
}

bool strace_has_call(const struct strace_options *o, u32 nr)
{
	return o->all_calls || strace_in_set(o->calls, SYSCALL_MAX, nr);
}

u32 strace_end_of_calls(const struct strace_options *o)
{
	return o->i386 ? SYSCALL_MAX : syscall_count();
}

bool strace_is_raw(const struct strace_options *o, u32 nr)
{
	return strace_in_set(o->raw, SYSCALL_MAX, nr);
}

/* ---- lists: "a,b", "!a,b", "all", "none" */

struct list {
	const char *what; /* for messages: "system call" */
	/* adds what a word means; false: nothing has that name */
	bool (*add)(struct strace *st, const struct list *list, const char *word, size_t len,
		    u64 *set);
	u32 n;             /* members of the whole set */
	const char *names; /* add_word: of the members, in order */
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
			 !list->add(st, list, s + skip, n - skip, set) && !skip)
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
	{ "fstat", "fstat newfstatat statx" },
	{ "%stat", "fstat lstat newfstatat stat statx" },
	{ "statfs", "statfs" },
	{ "fstatfs", "fstatfs" },
	{ "%statfs", "fstatfs statfs ustat" },
	{ "pure", "getegid geteuid getgid getpgrp getpid getppid gettid getuid" },
};

static void put_number(u64 *set, u32 nr)
{
	set[nr / 64] |= 1ull << nr % 64;
}

static int number_of_i386(const char *name)
{
	char full[80];

	snprintf(full, sizeof full, "i386_%s", name);
	return syscall_number(full);
}

static bool add_names(const char *names, u64 *set)
{
	char name[64];

	for (const char *s = names; *s;) {
		size_t n = strcspn(s, " ");
		int nr;

		snprintf(name, sizeof name, "%.*s", (int)n, s);
		nr = syscall_number(name);
		if (nr >= 0)
			put_number(set, (u32)nr);
		nr = number_of_i386(name);
		if (nr >= 0)
			put_number(set, (u32)nr);
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
	for (u32 nr = 0; nr < SYSCALL_MAX; nr++)
		if (in_group(nr, name)) {
			put_number(set, nr);
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
	for (u32 nr = 0; nr < SYSCALL_MAX; nr++)
		if (syscall_name(nr) &&
		    !regexec(&re, syscall_plain_name(syscall_name(nr)), 0, NULL, 0)) {
			put_number(set, nr);
			any = true;
		}
	regfree(&re);
	return any;
}

/* "open", "257", "%file", "file", "/^open"; "@64" may follow */
static bool add_call(struct strace *st, const struct list *list, const char *word, size_t len,
		     u64 *set)
{
	size_t n = len > 3 && !memcmp(word + len - 3, "@64", 3) ? len - 3 : len;
	/* without "%" the names of classes, even if a call has the name, too */
	static const char *const old_classes[] = { "desc",    "file",    "ipc",   "memory",
						   "network", "process", "signal" };
	const char *name = arena_strndup(&st->c->line.arena, word, n);
	char *end;
	unsigned long nr = strtoul(name, &end, 10);

	if (end != name && !*end && nr < SYSCALL_I386) {
		put_number(set, (u32)nr);
		put_number(set, SYSCALL_I386 + (u32)nr);
		return true;
	}
	if (*name == '/')
		return add_matching(name + 1, set);
	if (*name == '%')
		return add_class(name + 1, set);
	if (is_one_of(old_classes, ARRAY_SIZE(old_classes), name))
		return add_class(name, set);
	if (syscall_number(name) >= 0 || number_of_i386(name) >= 0)
		return add_names(name, set);
	return add_class(name, set);
}

int strace_read_calls(struct strace *st, const char *words, u64 *set)
{
	static const struct list calls = { "system call", add_call, SYSCALL_MAX, NULL };

	return read_list(st, &calls, words, set);
}

/* ---- descriptors, signals, words */

static bool add_fd(struct strace *st, const struct list *list, const char *word, size_t len,
		   u64 *set)
{
	char *end;
	unsigned long fd = strtoul(word, &end, 10);

	if (!len || end != word + len || fd >= list->n)
		return false;
	set[fd / 64] |= 1ull << fd % 64;
	return true;
}

int strace_read_fds(struct strace *st, const char *words, u64 *set)
{
	static const struct list fds = { "descriptor", add_fd, STRACE_FD_MAX, NULL };

	return read_list(st, &fds, words, set);
}

static bool add_signal(struct strace *st, const struct list *list, const char *word, size_t len,
		       u64 *set)
{
	u32 n = strace_signal_number(word, len);

	if (n)
		*set |= 1ull << (n - 1);
	return n != 0;
}

int strace_read_signals(struct strace *st, const char *words, u64 *set)
{
	static const struct list signals = { "signal", add_signal, 64, NULL };

	return read_list(st, &signals, words, set);
}

static bool add_word(struct strace *st, const struct list *list, const char *word, size_t len,
		     u64 *set)
{
	const char *names = list->names;

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

int strace_read_names(struct strace *st, const char *what, const char *names, const char *words,
		      u64 *set)
{
	const struct list list = { what, add_word, 64, names };

	return read_list(st, &list, words, set);
}
