/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When two targets share a program; registers; lists of probes. */
#include "fixture.h"
#include "base/glob.h"
#include "sym/tracefs.h"

static void test_equal(struct fixture *x)
{
	struct profile *a = profile_new(&x->env, PROFILE_PT_REGS, BPF_PROG_TYPE_KPROBE), *b;
	struct arg_desc args[2] = {
		{ .name = "x", .type = &ty_u32, .loc = { .kind = LOC_CTX, .offset = 8 } }
	};
	u64 set[SYSCALL_SET_BITS / 64] = { 1 }, other[SYSCALL_SET_BITS / 64] = { 2 };

	profile_function(&x->env, a, false, true);
	b = profile_new(&x->env, PROFILE_PT_REGS, BPF_PROG_TYPE_KPROBE);
	profile_function(&x->env, b, false, true);
	ok(profile_equal(a, b), "the same layout, made twice");
	b->args.v = args;
	b->args.n = 1;
	ok(!profile_equal(a, b), "another argument");
	b->args.n = 0;
	b->site.own = true;
	ok(!profile_equal(a, b) && profile_equal(b, b), "a site of its own");
	b->site.own = false;
	a->syscall.set = set;
	b->syscall.set = other;
	ok(!profile_equal(a, b), "other system calls");
	other[0] = 1;
	ok(profile_equal(a, b), "the same system calls");
	b->func.is_return = true;
	ok(!profile_equal(a, b), "entry and return");
}

static void test_registers(void)
{
	u32 size;

	is_int(arch_reg_offset(&arch_x86_64, "di", &size), 112, "di");
	is_int(arch_reg_offset(&arch_x86_64, "rdi", &size), 112, "rdi");
	is_int(size, 8, "8 bytes");
	is_int(arch_reg_offset(&arch_x86_64, "eax", &size), 80, "eax");
	is_int(size, 4, "4 bytes");
	is_int(arch_reg_offset(&arch_x86_64, "sil", &size), 104, "sil");
	is_int(arch_reg_offset(&arch_x86_64, "r9w", &size), 64, "r9w");
	is_int(arch_reg_offset(&arch_x86_64, "orig_ax", NULL), 120, "orig_ax");
	is_int(arch_reg_offset(&arch_x86_64, "xmm0", NULL), -1, "xmm0");
	is_int(arch_reg_offset(&arch_arm64, "x8", &size), 64, "x8");
	is_int(arch_reg_offset(&arch_arm64, "lr", NULL), 240, "lr");
	is_int(arch_reg_offset(&arch_arm64, "x31", NULL), -1, "x31");
}

struct seen {
	const char *want;
	int n;
	bool found;
};

static int look(void *ctx, const char *probe, const struct profile *p)
{
	struct seen *s = ctx;

	s->n++;
	s->found |= streq(probe, s->want);
	return 0;
}

static int list(struct fixture *x, const char *pattern, struct seen *s, const char *want)
{
	struct err err = { 0 };

	*s = (struct seen){ .want = want };
	return probes_list(&x->env, pattern, false, look, s, &err);
}

static void test_lists(struct fixture *x)
{
	struct err err = { 0 };
	struct seen s;
	int n = list(x, "*ware:*", &s, "software:page-faults:");

	is_int(n, s.n, "a pattern of providers");
	ok(s.found && s.n > 20, "lists events of both");
	list(x, "software", &s, "software:cpu-clock:");
	ok(s.found, "a provider's name lists it");
	list(x, "self:signal:*", &s, "self:signal:SIGUSR1");
	ok(s.found, "signals");
	ok(list(x, "nonsense:*", &s, "") < 0, "an unknown provider is an error");
	list(x, "interval:h*", &s, "interval:hz:");
	ok(s.found && s.n == 1, "units of timers");
	if (!tracefs_path(&err)) {
		skip("%s", err.text);
		return;
	}
	list(x, "tracepoint:syscalls:sys_enter_*", &s, "tracepoint:syscalls:sys_enter_openat");
	ok(s.found && s.n > 200, "system calls");
	list(x, "t:sched:sched_sw*", &s, "tracepoint:sched:sched_switch");
	ok(s.found, "by alias");
}

int main(void)
{
	struct fixture x;

	fixture_init(&x);
	test_equal(&x);
	test_registers();
	test_lists(&x);
	fixture_release(&x);
	return done();
}
