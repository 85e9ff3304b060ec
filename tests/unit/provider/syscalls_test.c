/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System call events on the raw path: which calls share an attachment, sets of numbers, names. */
#include "fixture.h"
#include "sym/syscalls.h"
#include "sym/tracefs.h"

static struct targets split(struct fixture *x, const char **events, u32 n, u32 *n_rest)
{
	struct spec *spec = parse(x, "tracepoint:syscalls:sys_*");
	const char *rest[8];
	struct targets ts = { 0 };

	memcpy(rest, events, n * sizeof *rest);
	*n_rest = syscalls_resolve(&x->env, spec, rest, n, &ts);
	return ts;
}

static bool has(const struct profile *p, const char *name)
{
	u32 nr = (u32)syscall_number(name);

	return p->syscall.set[nr / 64] >> nr % 64 & 1;
}

static void test_one(struct fixture *x)
{
	const char *events[] = { "sys_enter_openat" };
	u32 n_rest;
	struct targets ts = split(x, events, 1, &n_rest);
	const struct target *t = ts.list.v[0];

	is_int(ts.list.n, 1, "one event, one target");
	is_int(t->site.kind, SITE_RAW_TRACEPOINT, "on the raw path");
	is_str(t->site.tracepoint, "sys_enter", "at the entry of calls");
	is_str(t->site.probe, "tracepoint:syscalls:sys_enter_openat", "its name");
	is_int(t->n_covered, 0, "it stands for itself");
	ok(t->profile->syscall.enter && !t->profile->syscall.exit, "direction");
	ok(has(t->profile, "openat") && !has(t->profile, "openat2"), "its number only");
	is_int(t->profile->default_space, SPACE_USER, "pointers are the process's");
}

static void test_many(struct fixture *x)
{
	const char *events[] = { "sys_enter_openat", "sys_exit_openat", "sys_enter_newfstat",
				 "sys_exit_close", "sys_enter_no_such_call" };
	u32 n_rest;
	struct targets ts = split(x, events, 5, &n_rest);

	is_int(n_rest, 1, "a call without a number is left for the perf path");
	is_int(ts.list.n, 2, "one target for entries, one for exits");
	is_int(ts.list.v[0]->n_covered, 2, "two entries");
	is_str(ts.list.v[0]->covered[1], "tracepoint:syscalls:sys_enter_newfstat",
	       "each with its name");
	ok(has(ts.list.v[0]->profile, "fstat"), "newfstat is fstat");
	is_str(ts.list.v[1]->site.tracepoint, "sys_exit", "the other");
	ok(!ts.list.v[0]->profile->syscall.site, "no table of sites unless somebody asks");

	x->env.clause.name = true;
	ts = split(x, events, 5, &n_rest);
	is_int(ts.list.v[0]->profile->syscall.site[syscall_number("fstat")], 1, "number to name");
	is_int(ts.list.v[0]->profile->syscall.site[syscall_number("close")], NO_SITE,
	       "others have none");
	x->env.clause.name = false;
}

static void test_exit_args(struct fixture *x)
{
	const char *events[] = { "sys_exit_openat", "sys_exit_close", "sys_exit_read" };
	u32 n_rest;
	struct targets ts;
	const struct arg_desc *ret;

	x->env.clause.args = true;
	ts = split(x, events, 3, &n_rest);
	is_int(ts.list.n, 1, "all exits have one layout");
	ret = arg(ts.list.v[0]->profile, "ret");
	ok(ret && ret->loc.kind == LOC_CTX && ret->loc.offset == 8 && ret->loc.is_signed,
	   "ret is args[1]");
	x->env.clause.args = false;
}

static void test_enter_args(struct fixture *x)
{
	const char *events[] = { "sys_enter_openat", "sys_enter_close", "sys_enter_read",
				 "sys_enter_write" };
	const char *used[] = { "fd" };
	const struct arg_desc *a;
	struct err err = { 0 };
	u32 n_rest;
	struct targets ts;

	if (!tracefs_path(&err)) {
		skip("%s", err.text);
		return;
	}
	x->env.clause.args = true;
	ts = split(x, events, 4, &n_rest);
	is_int(ts.list.n, 3,
	       "read and write differ only in names of one type: not from openat and close");
	a = arg(ts.list.v[0]->profile, "filename");
	ok(a && a->loc.kind == LOC_REGS_PTR && a->loc.inner == (s32)arch_native->syscall_arg[1],
	   "the second argument is in the second register");
	x->env.clause.arg_names = used;
	x->env.clause.n_arg_names = 1;
	ts = split(x, events, 4, &n_rest);
	is_int(ts.list.n, 2, "with only fd in use: those that have none, and the others");
	x->env.clause.arg_names = NULL;
	x->env.clause.n_arg_names = 0;
	x->env.clause.args = false;
}

static void test_names(struct fixture *x)
{
	const char **names;
	u32 n;

	is_str(syscalls_event_of_call(&x->arena, "sys_enter_fstat"), "sys_enter_newfstat",
	       "fstat is newfstat");
	ok(!syscalls_event_of_call(&x->arena, "sys_enter_nonsense"), "nonsense is nothing");
	ok(!syscalls_event_of_call(&x->arena, "sched_switch"), "nor what is no call");
	syscalls_events(&x->arena, &names, &n);
	ok(n > 500, "two events for each call: %u", n);
}

int main(void)
{
	struct fixture x;

	fixture_init(&x);
	test_one(&x);
	test_many(&x);
	test_exit_args(&x);
	test_enter_args(&x);
	test_names(&x);
	fixture_release(&x);
	return done();
}
