/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of tracepoints as arguments, from format files kept in data/. */
#include "fixture.h"
#include "sym/tracefs.h"

#define DATA "tests/unit/provider/data/"

static struct profile *profile_of(struct fixture *x, const char *file, bool is_syscall)
{
	struct profile *p = profile_new(&x->env, PROFILE_TRACEPOINT, BPF_PROG_TYPE_TRACEPOINT);
	struct buf b = { 0 };
	struct tp_format *f = NULL;

	if (buf_read_file(&b, arena_printf(&x->arena, DATA "%s", file)) == 0)
		f = tracefs_parse_format(&x->arena, b.s, b.len);
	buf_release(&b);
	if (ok(f != NULL, "%s is read", file)) {
		f->category = is_syscall ? "syscalls" : "test";
		format_args(&x->env, p, f, is_syscall);
	}
	return p;
}

static void check(const struct profile *p, const char *name, const char *type, enum loc_kind kind,
		  u32 offset, u32 size)
{
	const struct arg_desc *a = arg(p, name);
	struct arena arena;

	if (!ok(a != NULL, "%s", name))
		return;
	arena_init(&arena);
	is_str(type_str(&arena, a->type), type, "type of %s", name);
	is_int(a->loc.kind, kind, "kind of %s", name);
	is_int(a->loc.offset, offset, "offset of %s", name);
	if (kind == LOC_CTX)
		is_int(a->loc.size, size, "size of %s", name);
	arena_release(&arena);
}

static void test_sched(struct fixture *x)
{
	struct profile *p = profile_of(x, "sched_switch.format", false);

	is_int(p->args.n, 7, "the common fields are left out");
	is_str(p->record.name, "struct test_sched_switch_args", "name of the record");
	ok(!arg(p, "common_pid"), "common_pid is not there");
	check(p, "prev_comm", "string[16]", LOC_CTX_ADDR, 8, 0);
	check(p, "prev_pid", "int32", LOC_CTX, 24, 4);
	check(p, "prev_state", "int64", LOC_CTX, 32, 8);
	ok(arg(p, "prev_state")->loc.is_signed, "signed");
	is_str(arg(p, "prev_comm")->text, "char prev_comm[16]", "as the kernel writes it");
}

static void test_odd(struct fixture *x)
{
	struct profile *p;

	x->env.config.max_strlen = 200;
	p = profile_of(x, "odd.format", false);
	check(p, "name", "string[200]", LOC_DATA_LOC, 8, 0);
	check(p, "rel", "string[200]", LOC_REL_LOC, 12, 0);
	check(p, "addr", "uint8[4]", LOC_CTX_ADDR, 16, 0);
	check(p, "args", "uint64[6]", LOC_CTX_ADDR, 24, 0);
	check(p, "ok", "bool", LOC_CTX, 72, 1);
	check(p, "tiny", "int8", LOC_CTX, 73, 1);
	check(p, "file", "struct file *", LOC_CTX, 80, 8);
	check(p, "anything", "void *", LOC_CTX, 88, 8);
	check(p, "fn", "void *", LOC_CTX, 96, 8);
	check(p, "mode", "uint32", LOC_CTX, 104, 4);
	check(p, "dev", "uint32", LOC_CTX, 108, 4);
	check(p, "mask", "uint64[25]", LOC_DATA_LOC, 112, 0);
	is_int(arg(p, "file")->type->space, SPACE_KERNEL, "kernel pointer");
	x->env.config.max_strlen = 0;
}

static void test_syscall(struct fixture *x)
{
	struct profile *p = profile_of(x, "sys_enter_openat.format", true);

	check(p, "__syscall_nr", "int32", LOC_CTX, 8, 4);
	check(p, "dfd", "int32", LOC_CTX, 16, 4);
	ok(arg(p, "dfd")->loc.is_signed, "AT_FDCWD is negative whatever the file says");
	check(p, "filename", "int8 *", LOC_CTX, 24, 8);
	is_int(arg(p, "filename")->type->space, SPACE_USER, "user pointer");
	check(p, "mode", "uint16", LOC_CTX, 40, 2);
}

static void test_ctype(struct fixture *x)
{
	static const struct {
		const char *text, *type;
	} cases[] = {
		{ "unsigned int", "uint32" },
		{ "int", "int32" },
		{ "unsigned long", "uint64" },
		{ "long long", "int64" },
		{ "unsigned char", "uint8" },
		{ "unsigned short", "uint16" },
		{ "short", "int16" },
		{ "unsigned", "uint32" },
		{ "char", "int8" },
		{ "size_t", "uint64" },
		{ "umode_t", "uint16" },
		{ "const char *const *", "int8 **" },
		{ "struct iovec *", "struct iovec *" },
		{ "const void *", "void *" },
		{ "unsigned long *", "uint64 *" },
		{ "u32 *", "uint32 *" },
		{ "no_such_t", "uint64" },
		{ "union bpf_attr *", "union bpf_attr *" },
		{ "", "uint64" },
		{ "bool", "bool" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++)
		is_str(type_str(&x->arena,
				ctype_scalar(&x->env, cases[i].text, 8, false, true, SPACE_USER)),
		       cases[i].type, "\"%s\"", cases[i].text);
}

int main(void)
{
	struct fixture x;

	fixture_init(&x);
	test_sched(&x);
	test_odd(&x);
	test_syscall(&x);
	test_ctype(&x);
	fixture_release(&x);
	return done();
}
