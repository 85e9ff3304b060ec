/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The generated tables: system calls and constants. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "sym/constants.h"
#include "sym/calls.h"
#include "sym/callviews.h"
#include "sym/syscalls.h"
#include "tap.h"

static void syscalls(void)
{
	u32 named = 0, bad = 0;

	is_str(syscall_name(SYS_openat), "openat", "by number");
	is_int(syscall_number("openat"), SYS_openat, "by name");
	is_int(syscall_number_of_event("newuname"), SYS_uname, "by event");
	is_str(syscall_event_name(SYS_sendfile), "sendfile64", "event by number");
	is_int(syscall_number_of_event("umount"), SYS_umount2, "umount is umount2");
#ifdef SYS_stat
	is_int(syscall_number_of_event("newstat"), SYS_stat, "newstat");
	is_int(syscall_number_of_event("stat"), -1, "stat is no event");
#endif
	is_int(syscall_number("no_such_call"), -1, "unknown name");
	is_int(syscall_number_of_event("no_such_call"), -1, "unknown event");
	ok(!syscall_name(511) && !syscall_name(~0u), "unknown numbers");
	for (u32 i = 0; i < syscall_count(); i++) {
		const char *name = syscall_name(i);

		named += name != NULL;
		if (name && (syscall_number(name) != (int)i ||
			     syscall_number_of_event(syscall_event_name(i)) != (int)i))
			bad++;
	}
	ok(named > 280, "%u calls are named", named);
	is_int(bad, 0, "names lead back to numbers");
}

#ifdef __x86_64__
/* Each has a format of its own, whose memory is known. */
static void i386(void)
{
	static const struct snapshot_limits limits = { .file_name = 64,
						       .data = 32,
						       .elements = 32 };
	struct arena a = { 0 };
	u32 named = 0, bad = 0;

	for (u32 nr = SYSCALL_I386; nr < SYSCALL_MAX; nr++) {
		const char *name = syscall_name(nr);
		const struct call_format *f = name ? call_format(name) : NULL;

		named += name != NULL;
		bad += name && (syscall_number(name) != (int)nr || !f ||
				!call_snapshot(&a, f, true, &limits)->size);
	}
	ok(named > 400, "%u calls of 32-bit programs", named);
	is_int(bad, 0, "names lead back to numbers");
	is_str(syscall_plain_name("i386_mmap2"), "mmap2", "as the program has it");
	is_int(view_size(&call_format("i386_writev")->arg[1].view.of->of[0]), 8,
	       "an iovec of 32 bits");
	is_int(view_size(&call_format("writev")->arg[1].view.of->of[0]), 16, "an iovec of 64 bits");
	is_int(call_format("i386_timer_create")->arg[1].view.kind, VIEW_ADDRESS,
	       "a structure without a row is an address");
	arena_release(&a);
}
#endif

static void constants(void)
{
	u32 unsorted = 0;
	s64 value;

	for (u32 i = 1; i < constants_count(); i++)
		unsorted += strcmp(constant_name(i - 1), constant_name(i)) >= 0;
	is_int(unsorted, 0, "the table is sorted, no name twice");
#define HAS(c) is_int(constant_find(#c, &value) ? value : -99999, c, #c)
	HAS(O_CLOEXEC);
	HAS(O_DIRECTORY);
	HAS(AF_INET6);
	HAS(SIGKILL);
	HAS(EAGAIN);
	HAS(SOCK_STREAM);
	HAS(AT_FDCWD);
	HAS(S_IFDIR);
	ok(!constant_find("NO_SUCH_CONSTANT", &value) && !constant_find("", &value),
	   "unknown names");
}

/* Each set that a call names exists, and each of its names has a value. */
static void call_tables(void)
{
	struct arena a;
	struct call_arg args[6];
	struct call_name names[CALL_SET_MAX];
	u32 calls = 0, no_set = 0, no_value = 0, n;

	arena_init(&a);
	for (u32 nr = 0; nr < syscall_count(); nr++) {
		const struct call_desc *c = syscall_name(nr) ? call_find(syscall_event_name(nr)) :
							       NULL;

		n = c ? call_args(&a, c, args, 6) : 0;
		calls += c != NULL;
		for (u32 i = 0; i < n; i++) {
			u32 members = call_set(&a, args[i].type, names, CALL_SET_MAX), zeroes = 0;

			if (args[i].word != CALL_FLAGS && args[i].word != CALL_NAMES)
				continue;
			no_set += !members || members == CALL_SET_MAX;
			for (u32 k = 0; k < members; k++)
				zeroes += !names[k].value &&
					  (args[i].word == CALL_NAMES || !names[k].mask);
			no_value += zeroes > 1; /* O_LARGEFILE is nothing on 64 bits */
		}
	}
	ok(calls > 250, "%u calls are described", calls);
	is_int(no_set, 0, "sets exist");
	is_int(no_value, 0, "names have values");
	n = call_args(&a, call_find("openat"), args, 6);
	is_int(n, 4, "openat has four arguments");
	ok(args[0].word == CALL_AT && streq(args[0].name, "dfd"), "a directory");
	ok(args[1].word == CALL_STRING && streq(args[1].name, "filename"), "a string");
	ok(args[2].word == CALL_FLAGS && streq(args[2].type, "open"), "flags of open");
	ok(args[3].word == CALL_MODE, "a mode");
	ok(call_in_group(call_find("openat"), "file") && !call_in_group(call_find("openat"), "fil"),
	   "groups");
	is_str(call_family("open"), "open openat openat2", "family");
	is_str(call_instead(&a, "lstat"), syscall_number("stat") >= 0 ? "stat" : "newfstatat",
	       "what this machine has for a call");
	is_str(call_instead(&a, "send"), "sendto", "a name of the C library's");
	ok(!call_instead(&a, "getpid"), "nothing does the same");
	ok(!call_family("openat") && !call_family("ope"), "only the first name stands for all");
	arena_release(&a);
}

/* The view of each argument is readable, and what is copied for it fits: views.c ends the program
 * otherwise. */
static void call_views(void)
{
	const struct snapshot_limits limits = { .file_name = 1024, .data = 32, .elements = 32 };
	const struct snapshot *at_entry, *at_return;
	const struct call_format *f;
	struct arena a;
	u32 n = 0, no_format = 0, most = 0;

	arena_init(&a);
	for (u32 nr = 0; nr < syscall_count(); nr++) {
		f = syscall_event_name(nr) ? call_format(syscall_event_name(nr)) : NULL;
		no_format += syscall_event_name(nr) && !f;
		if (!f)
			continue;
		at_entry = call_snapshot(&a, f, false, &limits);
		at_return = call_snapshot(&a, f, true, &limits);
		most = MAX(most, MAX(at_entry->size, at_return->size));
		n++;
	}
	ok(n > 280, "%u calls are shown", n);
	ok(no_format < 20, "%u are not", no_format);
	ok(most < 16384, "a snapshot has at most %u bytes", most);
	f = call_format("read");
	at_entry = call_snapshot(&a, f, false, &limits);
	at_return = call_snapshot(&a, f, true, &limits);
	is_int(at_entry->n, 0, "read has filled in nothing at its entry");
	is_int(at_return->n, 1, "one buffer at its return");
	ok(at_return->v[0].on_success && at_return->v[0].len.kind == LEN_RESULT &&
		   at_return->v[0].cap == 32,
	   "as many bytes as the result says, of what is shown");
	ok(!at_return->wants_entry &&
		   call_snapshot(&a, call_format("accept"), true, &limits)->wants_entry,
	   "accept overwrites a length");
	ok(!snapshot_equal(at_entry, at_return) &&
		   snapshot_equal(at_return, call_snapshot(&a, f, true, &limits)),
	   "equal ones are recognized");
	arena_release(&a);
}

int main(void)
{
	call_views();
	call_tables();
	syscalls();
#ifdef __x86_64__
	i386();
#endif
	constants();
	return done();
}
