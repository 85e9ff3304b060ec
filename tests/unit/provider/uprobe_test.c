/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions and USDT probes of this very program; lengths of instructions; argument texts. */
#include "fixture.h"
#include "provider/insn.h"
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
	ok(x->target[0] && x->target[0]->site.offset, "has an offset");
	is_str(x->target[0]->site.func, "probed_function_one", "its name");
	ok(x->target[0]->profile->user_regs && x->target[0]->profile->n_argn == arch_native->n_args,
	   "arg0 ...");
	is_int(resolve(x, "uretprobe:" SELF ":probed_function_one"), 1, "its return");
	ok(x->target[0]->site.is_return && x->target[0]->profile->retval.type == &ty_u64, "retval");
	is_int(x->target[0]->profile->n_argn, 0, "no arguments there");
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
	ok(resolve(x, "uprobe:main") < 0 && streq(said(x), "PROBE_SYNTAX"),
	   "a binary is needed without -p");
	x->env.missing_mode = 1;
	is_int(resolve(x, "uprobe:/no/such/file:main"), 0, "missing_probes = warn");
	x->env.missing_mode = 0;
}

static void test_usdt(struct fixture *x)
{
	struct profile *p;

	is_int(resolve(x, "usdt:" SELF ":sonde_test:here"), 1, "a USDT probe of this program");
	if (!x->target[0])
		return;
	p = x->target[0]->profile;
	is_str(x->target[0]->site.func, "probed_function_two", "in this function");
	is_int(p->n_argn, 2, "two arguments");
	ok(p->argn[0].loc.kind == LOC_REG && p->argn[0].loc.size == 4 && p->argn[0].loc.is_signed,
	   "in a register");
	ok(p->argn[1].loc.kind == LOC_STACK, "in memory");
	is_int(resolve(x, "usdt:" SELF ":her*"), 1, "a pattern, any provider");
	ok(resolve(x, "usdt:" SELF ":sonde_test:hear") < 0, "not that one");
	ok(probed_function_one(1) + probed_function_two(1) == 9, "they are in the program");
}

static struct arg_desc one(const struct arch *a, const char *text, bool *good)
{
	struct arg_desc d = {};

	*good = usdt_parse_args(a, text, &d, 1) == 1;
	return d;
}

static void test_operands(void)
{
	static const char *const bad[] = { "8f@%xmm0",	"8@(%rax,%rbx,8)", "8@foo(%rip)",
					   "8@",	"@%rax",	   "3@%rax",
					   "8@%nosuch", "8@-16(",	   "" };
	struct arg_desc d[4];
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
	*d = one(&arch_x86_64, "8@-16(%rbp)", &good);
	ok(good && d->loc.kind == LOC_STACK && d->loc.offset == 32 && d->loc.inner == -16,
	   "-16(%%rbp)");
	*d = one(&arch_x86_64, "-4@$-5", &good);
	ok(good && d->loc.kind == LOC_CONST && d->loc.value == -5, "$-5");
	*d = one(&arch_arm64, "8@[sp, 16]", &good);
	ok(good && d->loc.kind == LOC_STACK && d->loc.offset == 248 && d->loc.inner == 16,
	   "[sp, 16]");
	*d = one(&arch_arm64, "-4@w1", &good);
	ok(good && d->loc.kind == LOC_REG && d->loc.offset == 8 && d->loc.size == 4, "w1");
	*d = one(&arch_arm64, "4@7", &good);
	ok(good && d->loc.kind == LOC_CONST && d->loc.value == 7, "7");
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++)
		is_int(usdt_parse_args(&arch_x86_64, bad[i], d, 4), 0, "\"%s\" has no place",
		       bad[i]);
	is_int(usdt_parse_args(&arch_x86_64, "8@%rax 8f@%xmm0 8@%rbx", d, 4), 1,
	       "up to the first without");
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
