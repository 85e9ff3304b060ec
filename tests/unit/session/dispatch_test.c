/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several instances on the tracepoint of all system calls are one attachment that jumps by number:
 * for each number the programs of all clauses that ask for it run, in the order of the script, and
 * nothing else does.
 */
#include "builtin/builtin.h"
#include "session/session.h"
#include "sym/syscalls.h"
#include "tests/unit/tap.h"
#include "vm/vm.h"

enum { MOST = 40, MOST_ORDER = 12 };

/* What clauses stand on, each list of calls with spaces between; "*" is all of 64-bit programs.
 * Clause i of a script notes its number. */
static const char *const scripts[][MOST] = {
	{ "getppid", "read" },
	{ "read", "read", "read" },
	{ "*", "getppid", "write close", "*", "getppid write" },
	{ "getppid", "close", "*", "read getppid", "close", "write" },
	{ "read", "write", "read write", "read", "read write close" },
};

static struct compiled c;
static u32 order[MOST_ORDER], n_order;

static bool asks_for(const char *calls, u32 nr)
{
	const char *name = syscall_name(nr);
	size_t len = name ? strlen(name) : 0;

	if (!name || *calls == '*')
		return name && strncmp(name, "i386_", 5);
	for (const char *s = calls; *s; s += strspn(s, " ")) {
		size_t n = strcspn(s, " ");

		if (n == len && !memcmp(s, name, n))
			return true;
		s += n;
	}
	return false;
}

/* The arguments of the calls differ, and so do the programs. */
static void put_clause(struct buf *b, const char *calls, u32 number)
{
	const char *before = "";

	for (const char *s = calls; *s; s += strspn(s, " ")) {
		size_t n = strcspn(s, " ");

		buf_printf(b, "%ssyscall:%.*s", before, (int)n, s);
		before = ", ";
		s += n;
	}
	buf_printf(b, " { printf(\"%%d\", %u); @ = count(); print(argstr); }\n", number);
}

static int on_record(void *ctx, const void *record, u32 len)
{
	const struct record_head *head = record;
	const struct event_desc *e = c.prog.events.v[head->event];

	if (e->text && n_order < MOST_ORDER) /* printf */
		order[n_order++] =
			*(const u32 *)(const void *)((const u8 *)record + e->fields[0].offset);
	return 0;
}

static int read_zeros(void *ctx, void *dst, u32 len, u64 addr, bool user)
{
	memset(dst, 0, len);
	return 0;
}

static u32 attached(void)
{
	u32 n = 0, func = 0;

	for (u32 i = 0; i < c.prog.funcs.n; i++)
		if (!c.prog.funcs.v[i]->dispatcher) {
			func = i;
			n++;
		}
	return n == 1 ? func : NO_INDEX;
}

static bool is_right(struct vm *vm, u32 func, const char *const *clauses, u32 nr)
{
	u64 context[2] = { 1 << 20, nr }, ret;
	struct err err = { 0 };
	u32 n = 0;

	n_order = 0;
	if (vm_run(vm, func, context, sizeof context, &ret, &err) < 0) {
		tap_text("fault", err.text);
		return false;
	}
	vm_drain(vm, on_record, NULL);
	for (u32 i = 0; clauses[i]; i++)
		if (asks_for(clauses[i], nr) && (n >= n_order || order[n++] != i + 1))
			return false;
	return n == n_order;
}

static void test(const char *const *clauses)
{
	struct vm_world world = { .pid_tgid = 1, .n_cpus = 1, .read = read_zeros, .task = 1 << 24 };
	struct buf text = { 0 };
	struct err err = { 0 };
	u32 wrong = 0, func;
	struct vm *vm;

	for (u32 i = 0; clauses[i]; i++)
		put_clause(&text, clauses[i], i + 1);
	struct request q = { .script.name = "dispatch",
			     .script.text = text.s,
			     .script.len = text.len,
			     .engine.name = "interpreter",
			     .compile.no_warnings = true };
	struct session_host host = { .themes = builtin_themes };

	if (!is_int(session_compile(&c, &q, &host, &err), 0, "the script compiles"))
		tap_text("error", err.text);
	func = attached();
	if (ok(func != NO_INDEX, "one program is attached of %u", c.prog.funcs.n)) {
		vm = vm_new(&c.prog, &world);
		for (u32 nr = 0; nr < SYSCALL_SET_BITS + 2; nr++)
			wrong += !is_right(vm, func, clauses, nr);
		vm_free(vm);
	}
	is_int(wrong, 0, "each call has its programs, in order: %s, %s ...", clauses[0],
	       clauses[1]);
	compiled_release(&c);
	buf_release(&text);
}

/* More clauses on one call than the kernel follows jumps: several are attached. */
static void test_many(void)
{
	struct buf text = { 0 };
	struct err err = { 0 };
	u32 n = 0;

	for (u32 i = 0; i < MOST; i++)
		buf_printf(&text, "syscall:getppid { @a%u = count(); }\n", i);
	struct request q = { .script.name = "dispatch",
			     .script.text = text.s,
			     .script.len = text.len,
			     .engine.name = "interpreter",
			     .compile.no_warnings = true };
	struct session_host host = { .themes = builtin_themes };

	is_int(session_compile(&c, &q, &host, &err), 0, "%u clauses on one call", MOST);
	for (u32 i = 0; i < c.prog.funcs.n; i++)
		n += !c.prog.funcs.v[i]->dispatcher;
	is_int(n, 2, "two groups of them");
	compiled_release(&c);
	buf_release(&text);
}

int main(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(scripts); i++)
		test(scripts[i]);
	test_many();
	return done();
}
