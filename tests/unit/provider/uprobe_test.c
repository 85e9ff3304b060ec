/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions and USDT probes of this very program; lengths of instructions; argument texts. */
#include "fixture.h"
#include "arch/insn.h"
#include "provider/usdt_args.h"

#define SELF "/proc/self/exe"

int probed_function_one(int x);
int probed_function_two(int x);

__attribute__((noinline)) int probed_function_one(int x)
{
	__asm__ volatile(""); /* not merged with the other */
	return x * 3 + 1;
}

/* A place of provider "sonde_test" named "here", laid down as sys/sdt.h does. */
__attribute__((noinline)) int probed_function_two(int x)
{
	__asm__ volatile("990:	nop\n"
			 "	.pushsection .note.stapsdt,\"?\",\"note\"\n"
			 "	.balign 4\n"
			 "	.4byte 992f-991f, 994f-993f, 3\n"
			 "991:	.asciz \"stapsdt\"\n"
			 "992:	.balign 4\n"
			 "993:	.8byte 990b\n"
			 "	.8byte 0\n"
			 "	.8byte 0\n"
			 "	.asciz \"sonde_test\"\n"
			 "	.asciz \"here\"\n"
#ifdef __aarch64__
			 "	.asciz \"-4@w0 8@[sp, 16]\"\n"
#else
			 "	.asciz \"-4@%edi 8@-16(%rbp)\"\n"
#endif
			 "994:	.balign 4\n"
			 "	.popsection\n");
	return x * 5;
}

static void test_functions(struct fixture *x)
{
	is_int(resolve(x, "uprobe:" SELF ":probed_function_one"), 1, "a function of this program");
	ok(x->target[0] && x->target[0]->site.user.offset, "has an offset");
	is_str(x->target[0]->site.func, "probed_function_one", "its name");
	ok(x->target[0]->profile->regs.are_users &&
		   x->target[0]->profile->argn.n == arch_native->n_args,
	   "arg0 ...");
	is_int(resolve(x, "uretprobe:" SELF ":probed_function_one"), 1, "its return");
	ok(x->target[0]->site.is_return && x->target[0]->profile->retval.type == &ty_u64, "retval");
	is_int(x->target[0]->profile->argn.n, 0, "no arguments there");
	is_int(resolve(x, "uprobe:" SELF ":probed_function_*"), 2, "a pattern");
	ok(x->target[0]->profile == x->target[1]->profile, "one profile for all");
	ok(resolve(x, "uprobe:" SELF ":probed_function_onf") < 0 && streq(said(x), "NO_MATCH"),
	   "a typing mistake");
	ok(strstr(hint(x), "probed_function_one") != NULL, "is corrected: %s", hint(x));
	ok(resolve(x, "uprobe:/no/such/file:main") < 0 && streq(said(x), "NO_BINARY"), "no file");
	ok(resolve(x, "uprobe:/proc/self/maps:main") < 0 && streq(said(x), "BAD_BINARY"),
	   "no ELF file");
	ok(resolve(x, "uretprobe:" SELF ":probed_function_one+1") < 0 &&
		   streq(said(x), "BAD_OFFSET"),
	   "no offsets of returns");
	ok(resolve(x, "uprobe:" SELF ":probed_function_one+100000") < 0 &&
		   streq(said(x), "BAD_OFFSET"),
	   "beyond the function");
	ok(resolve(x, "uprobe:main") < 0 && streq(said(x), "PROBE_PARTS"),
	   "a binary is needed without -p");
	x->env.config.missing_probes = 1;
	is_int(resolve(x, "uprobe:/no/such/file:main"), 0, "missing_probes = warn");
	x->env.config.missing_probes = 0;
}

static void test_usdt(struct fixture *x)
{
	struct profile *p;

	is_int(resolve(x, "usdt:" SELF ":sonde_test:here"), 1, "a USDT probe of this program");
	if (!x->target[0])
		return;
	p = x->target[0]->profile;
	is_str(x->target[0]->site.func, "probed_function_two", "in this function");
	is_int(p->argn.n, 2, "two arguments");
	ok(p->argn.v[0].loc.kind == LOC_REG && p->argn.v[0].loc.size == 4 &&
		   p->argn.v[0].loc.is_signed,
	   "in a register");
	ok(p->argn.v[1].loc.kind == LOC_STACK, "in memory");
	is_int(resolve(x, "usdt:" SELF ":her*"), 1, "a pattern, any provider");
	ok(resolve(x, "usdt:" SELF ":sonde_test:hear") < 0, "not that one");
	ok(probed_function_one(1) + probed_function_two(1) == 9, "they are in the program");
}

static struct arena arena;

static bool symbol(void *ctx, const char *name, u64 *address)
{
	*address = 0x5000;
	return streq(name, "foo");
}

static struct arg_desc one(const struct arch *a, const char *text, bool *good)
{
	struct usdt_point place = {
		.arch = a, .arena = &arena, .address = 0x1000, .symbol = symbol
	};
	struct arg_desc d[4] = { 0 };

	*good = usdt_parse_args(&place, text, d, 4) == 1 && d->loc.kind != LOC_NONE;
	return *d;
}

static void test_operands(void)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "8f@%xmm0", "vector" },
		{ "8@%st(1)", "vector" },
		{ "8@bar(%rip)", "bar" },
		{ "8@%fs:-4", "thread-local" },
		{ "8@%fs:x@tpoff", "thread-local" },
		{ "3@%rax", "3 bytes" },
		{ "16@%rax", "16 bytes" },
		{ "8@%nosuch", "nosuch" },
		{ "8@-16(", "form" },
		{ "@%rax", "bytes" },
		{ "8@", "absolute" },
		{ "8@(%rax", "form" },
		{ "8@(,,4)", "form" },
		{ "8@%rax,", "form" },
	};
	struct arg_desc *d = (struct arg_desc[4]){ 0 };
	bool good;

	*d = one(&arch_x86_64, "-4@%edi", &good);
	ok(good && d->loc.kind == LOC_REG && d->loc.offset == 112 && d->loc.size == 4 &&
		   d->loc.is_signed,
	   "%%edi");
	*d = one(&arch_x86_64, "8@%r10", &good);
	ok(good && d->loc.offset == 56 && d->loc.size == 8, "%%r10");
	*d = one(&arch_x86_64, "4@%r10d", &good);
	ok(good && d->loc.offset == 56 && d->loc.size == 4, "%%r10d");
	*d = one(&arch_x86_64, "1@%al", &good);
	ok(good && d->loc.offset == 80 && d->loc.size == 1, "%%al");
	*d = one(&arch_x86_64, "1@%dh", &good);
	ok(good && d->loc.offset == 97 && d->loc.size == 1, "%%dh");
	*d = one(&arch_x86_64, "8@-16(%rbp)", &good);
	ok(good && d->loc.kind == LOC_STACK && d->loc.offset == 32 && d->loc.inner == -16,
	   "-16(%%rbp)");
	*d = one(&arch_x86_64, "8@-16+20(%rbp)", &good);
	ok(good && d->loc.inner == 4, "-16+20(%%rbp)");
	*d = one(&arch_x86_64, "-4@$-5", &good);
	ok(good && d->loc.kind == LOC_CONST && d->loc.value == -5, "$-5");
	*d = one(&arch_x86_64, "1@$-1", &good);
	ok(good && d->loc.value == 255, "$-1 in an unsigned byte");
	*d = one(&arch_x86_64, "8@8(%rax,%rbx,4)", &good);
	ok(good && d->loc.kind == LOC_EXPR && !d->loc.is_value && d->loc.n == 7,
	   "8(%%rax,%%rbx,4)");
	*d = one(&arch_x86_64, "4@(,%rbx,8)", &good);
	ok(good && d->loc.kind == LOC_EXPR && d->loc.n == 3, "(,%%rbx,8)");
	*d = one(&arch_x86_64, "4@foo+4(%rip)", &good);
	ok(good && d->loc.kind == LOC_EXPR && d->loc.step[0].value == 128 &&
		   d->loc.step[1].value == 0x4004 && !d->loc.is_value,
	   "foo+4(%%rip)");
	*d = one(&arch_x86_64, "8@foo@GOTPCREL(%rip)", &good);
	ok(good && d->loc.is_value, "foo@GOTPCREL(%%rip)");
	*d = one(&arch_x86_64, "8f@%rdi", &good);
	ok(good && d->type == &ty_f64 && d->loc.kind == LOC_EXPR && d->loc.is_value,
	   "the bits of a double in %%rdi");
	*d = one(&arch_arm64, "8@[sp, 16]", &good);
	ok(good && d->loc.kind == LOC_STACK && d->loc.offset == 248 && d->loc.inner == 16,
	   "[sp, 16]");
	*d = one(&arch_arm64, "-4@w1", &good);
	ok(good && d->loc.kind == LOC_REG && d->loc.offset == 8 && d->loc.size == 4, "w1");
	*d = one(&arch_arm64, "4@7", &good);
	ok(good && d->loc.kind == LOC_CONST && d->loc.value == 7, "7");
	*d = one(&arch_arm64, "8@xzr", &good);
	ok(good && d->loc.kind == LOC_CONST && !d->loc.value, "xzr");
	*d = one(&arch_arm64, "8@[x0, x1, lsl 3]", &good);
	ok(good && d->loc.kind == LOC_EXPR && d->loc.n == 5, "[x0, x1, lsl 3]");
	*d = one(&arch_arm64, "4@[x0, w1, sxtw 2]", &good);
	ok(good && d->loc.n == 6 && d->loc.step[2].op == LOP_EXT && d->loc.step[2].is_signed,
	   "[x0, w1, sxtw 2]");
	*d = one(&arch_arm64, "8@[x3, :lo12:foo]", &good);
	ok(good && d->loc.kind == LOC_STACK && d->loc.inner == 0, "[x3, :lo12:foo]");
	*d = one(&arch_arm64, "8f@d0", &good);
	ok(!good && strstr(d->why, "vector"), "d0");
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		*d = one(&arch_x86_64, bad[i].text, &good);
		ok(!good && d->why && strstr(d->why, bad[i].why), "\"%s\": %s", bad[i].text,
		   d->why ? d->why : "");
	}
	is_int(usdt_parse_args(&(struct usdt_point){ .arch = &arch_x86_64, .arena = &arena },
			       "8@%rax 8f@%xmm0 8@%rbx", d, 4),
	       3, "one without a place does not hide the others");
	ok(d[2].loc.offset == 40 && !d[2].why, "the one behind it");
	is_int(usdt_parse_args(&(struct usdt_point){ .arch = &arch_x86_64, .arena = &arena }, "", d,
			       4),
	       0, "none");
}

static void test_lengths(void)
{
	static const struct {
		u32 len;
		u8 code[12];
		const char *text;
	} cases[] = {
		{ 4, { 0xf3, 0x0f, 0x1e, 0xfa }, "endbr64" },
		{ 1, { 0x55 }, "push rbp" },
		{ 3, { 0x48, 0x89, 0xe5 }, "mov rbp, rsp" },
		{ 7, { 0x48, 0x81, 0xec, 0, 1, 0, 0 }, "sub rsp, 256" },
		{ 4, { 0x48, 0x83, 0xec, 8 }, "sub rsp, 8" },
		{ 10, { 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 }, "movabs rax" },
		{ 7, { 0x48, 0x8d, 0x3d, 0, 0, 0, 0 }, "lea rdi, [rip]" },
		{ 5, { 0xe8, 0, 0, 0, 0 }, "call" },
		{ 6, { 0x0f, 0x84, 0, 0, 0, 0 }, "je" },
		{ 9, { 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 }, "nopw" },
		{ 8, { 0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0 }, "mov rax, fs:0x28 cut short" },
		{ 2, { 0xf6, 0xd8 }, "neg al" },
		{ 3, { 0xf6, 0xc1, 1 }, "test cl, 1" },
		{ 5, { 0xc5, 0xf8, 0x11, 0x47, 0x10 }, "vmovups" },
		{ 3, { 0xc5, 0xf8, 0x77 }, "vzeroupper" },
		{ 6, { 0xc4, 0xe3, 0x79, 0x14, 0xc0, 1 }, "vpextrb" },
	};
	u8 none[] = { 0x06 };

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++)
		is_int(x86_insn_len(cases[i].code, cases[i].len),
		       cases[i].code[0] == 0x64 ? 0 : cases[i].len, "%s", cases[i].text);
	is_int(x86_insn_len(none, 1), 0, "what does not exist");
	is_int(x86_insn_len(cases[0].code, 0), 0, "nothing");
}

int main(void)
{
	struct fixture x;

	fixture_init(&x);
	test_functions(&x);
	test_usdt(&x);
	test_operands();
	test_lengths();
	fixture_release(&x);
	return done();
}
