/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of what a jump displaces: functions of libc and libm, and some written for each kind of
 * instruction, run from a copy of their first instructions and must give what they give otherwise.
 * For every function of some libraries: a copy is made or refused for a known reason.
 */
#include "arch/insn.h"
#include "arch/insn_move.h"
#include "object/elf.h"
#include "tap.h"
#include <dlfcn.h>
#include <sys/mman.h>

#ifdef __x86_64__
static const char too_short[] = "it is too short for a jump of 5 bytes";

/* A page at about this address; NULL: it is taken. */
static void *page_at(u64 address)
{
	void *at = mmap((void *)(uintptr_t)address, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	s64 from_there = (s64)((u64)(uintptr_t)at - address);

	if (at == MAP_FAILED)
		return NULL;
	if (from_there > -(1ll << 28) && from_there < 1ll << 28)
		return at;
	munmap(at, 4096);
	return NULL;
}

/* Memory for copies, within reach of an address: below it, or above where a program begins at 4
 * MB. */
static u8 *room_near(const void *address)
{
	u64 near = (u64)(uintptr_t)address & ~0xfffull;

	for (u64 distance = 1 << 20; distance < 1ull << 30; distance += 1 << 20) {
		u8 *at = distance < near ? page_at(near - distance) : NULL;

		if (!at)
			at = page_at(near + distance);
		if (at)
			return at;
	}
	return NULL;
}

/* The function by way of a copy of its entry; NULL: *why. */
static void *moved(const void *function, const char **why)
{
	u8 *to = room_near(function);
	u64 from = (u64)(uintptr_t)function;
	struct x86_moved m;
	s32 distance;

	*why = "no room";
	if (!to)
		return NULL;
	*why = x86_move(function, 64, from, (u64)(uintptr_t)to, &m);
	if (*why)
		return NULL;
	memcpy(to, m.code, m.len);
	distance = (s32)(from + m.displaced - ((u64)(uintptr_t)to + m.len + 5));
	to[m.len] = 0xe9;
	memcpy(to + m.len + 1, &distance, 4);
	return to;
}

/* ---- one of each kind */

__asm__(".text\n"
	"plus: lea (%rdi, %rsi), %rax\n"
	"	ret\n"
	"	.balign 16\n"
	"number: .quad 1000\n"
	"pointer: .quad 0\n"
	"rip: mov number(%rip), %rax\n"
	"	add %rdi, %rax\n"
	"	ret\n"
	"rip_and_constant: cmpq $1000, number(%rip)\n"
	"	sete %al\n"
	"	movzbl %al, %eax\n"
	"	ret\n"
	"branch: test %edi, %edi\n"
	"	je 1f\n"
	"	mov %rdi, %rax\n"
	"	ret\n"
	"1:	mov %rsi, %rax\n"
	"	ret\n"
	"jump: .byte 0xe9\n"
	"	.long plus - . - 4\n"
	"call: push %rbx\n"
	"	call plus\n"
	"	mov %rax, %rbx\n"
	"	add %rbx, %rax\n"
	"	pop %rbx\n"
	"	ret\n"
	"call_pointer: call *pointer(%rip)\n"
	"	add $7, %rax\n"
	"	ret\n"
	"jump_pointer: jmp *pointer(%rip)\n"
	"early_call: call plus\n"
	"	ret\n"
	"short: mov %edi, %eax\n"
	"	ret\n"
	"	.balign 16\n"
	"syscall: xor %eax, %eax\n"
	"	syscall\n"
	"	ret\n"
	"loop: mov %rdi, %rcx\n"
	"1:	loop 1b\n"
	"	ret\n"
	"inner_call: call *%rax\n"
	"	call *%rax\n"
	"	nop\n"
	"	ret\n"
	"by_sp: push %rax\n"
	"	call *8(%rsp)\n"
	"	ret\n");
typedef long (*two_longs)(long, long);
extern char plus[], rip[], rip_and_constant[], branch[], jump[], call[], call_pointer[],
	jump_pointer[], early_call[],
	short_[] __asm__("short"), syscall_[] __asm__("syscall"), loop[],
	inner_call[], by_sp[], pointer[];

static void same(const char *name, const void *function)
{
	const char *why;
	two_longs is = (two_longs)(uintptr_t)moved(function, &why),
		  was = (two_longs)(uintptr_t)function;
	u32 n = 0;

	if (!ok(is, "%s is copied: %s", name, is ? "yes" : why))
		return;
	for (long a = -3; a <= 3; a++)
		for (long b = -3; b <= 3; b++)
			n += is(a, b) == was(a, b);
	is_int(n, 49, "%s: results", name);
}

static void refused(const char *name, const void *function, const char *want)
{
	const char *why;

	moved(function, &why);
	is_str(why ? why : "", want, "%s", name);
}

static void test_kinds(void)
{
	u64 to = (u64)(uintptr_t)plus;

	mprotect((void *)((uintptr_t)pointer & ~0xffful), 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy(pointer, &to, sizeof to);
	same("an operand by rip", rip);
	same("an operand by rip and a constant", rip_and_constant);
	same("a branch", branch);
	same("a jump", jump);
	same("a call", call);
	same("a first call", early_call);
	same("a call by a pointer", call_pointer);
	same("a jump by a pointer", jump_pointer);
	refused("a short function", short_, too_short);
	refused("a system call", syscall_, "it begins with a system call");
	refused("a loop", loop, "it begins with a branch that reaches only 127 bytes");
	refused("two calls", inner_call, "a call would return into the bytes of a jump");
	refused("a call by rsp", by_sp, "it begins with a call through the stack pointer");
}

static void test_inner(void)
{
	static const u8 code[] = {
		0x55, 0x48, 0x89, 0xe5, 0x74, 0x10, 0xc3
	}; /* push; mov; je; ret */
	struct x86_moved m;

	ok(!x86_move(code, sizeof code, 0x1000, 0x2000, &m), "push, mov, je");
	is_int(m.displaced, 6, "bytes displaced");
	ok(m.n_inner == 2 && m.inner[0] == 1 && m.copy[0] == 1 && m.inner[1] == 4 && m.copy[1] == 4,
	   "where its instructions are");
	ok(m.len == 10 && m.code[4] == 0x0f && m.code[5] == 0x84, "je with 32 bits");
	ok(x86_move(code, 4, 0x1000, 0x2000, &m) != NULL, "a part of a function");
	ok(x86_move((const u8 *)"\x8b\x05\0\0\0\0", 6, 0x1000, 1ull << 33, &m) != NULL, "too far");
}

/* ---- functions of libm and libc */

static const char *const of_double[] = {
	"sin",   "cos",       "tan",       "asin",  "acos",        "atan",   "sinh",
	"cosh",  "tanh",      "asinh",     "acosh", "atanh",       "exp",    "exp2",
	"exp10", "expm1",     "log",       "log2",  "log10",       "log1p",  "logb",
	"cbrt",  "sqrt",      "erf",       "erfc",  "lgamma",      "tgamma", "j0",
	"j1",    "y0",        "y1",        "ceil",  "floor",       "trunc",  "round",
	"rint",  "nearbyint", "roundeven", "fabs",  "significand", "gamma",
};
static const char *const of_doubles[] = {
	"pow",  "atan2", "hypot",    "fmod",      "remainder", "fmin",
	"fmax", "fdim",  "copysign", "nextafter", "drem",      "scalb",
};
static const char *const of_longs[] = {
	"abs",     "labs",    "toupper",  "tolower",       "isalpha",       "isdigit",
	"isspace", "ispunct", "isupper",  "isxdigit",      "ffs",           "ffsl",
	"htonl",   "htons",   "toascii",  "gnu_dev_major", "gnu_dev_minor", "gnu_dev_makedev",
	"wctob",   "btowc",   "towupper", "towlower",      "iswalpha",      "iswdigit",
};

static u32 n_same, n_calls, n_refused;

static const double values[] = { -1e300, -7.25, -1, -0.3, -0.0, 0.0, 0.3, 1, 2.5, 100, 1e300 };

static void try_double(const char *name)
{
	double (*was)(double) = (double (*)(double))(uintptr_t)dlsym(RTLD_DEFAULT, name),
	       (*is)(double);
	const char *why;

	is = was ? (double (*)(double))(uintptr_t)moved((void *)(uintptr_t)was, &why) : NULL;
	n_refused += !is;
	for (u32 i = 0; is && i < ARRAY_SIZE(values); i++) {
		double a = was(values[i]), b = is(values[i]);

		n_calls++;
		n_same += !memcmp(&a, &b, sizeof a);
	}
}

static void try_doubles(const char *name)
{
	typedef double (*function)(double, double);
	function was = (function)(uintptr_t)dlsym(RTLD_DEFAULT, name), is;
	const char *why;

	is = was ? (function)(uintptr_t)moved((void *)(uintptr_t)was, &why) : NULL;
	n_refused += !is;
	for (u32 i = 0; is && i < 121; i++) {
		double a = was(values[i / 11], values[i % 11]),
		       b = is(values[i / 11], values[i % 11]);

		n_calls++;
		n_same += !memcmp(&a, &b, sizeof a);
	}
}

static void try_longs(const char *name)
{
	two_longs was = (two_longs)(uintptr_t)dlsym(RTLD_DEFAULT, name), is;
	const char *why;

	is = was ? (two_longs)(uintptr_t)moved((void *)(uintptr_t)was, &why) : NULL;
	n_refused += !is;
	for (long i = 0; is && i < 128; i++) {
		n_calls++;
		n_same += was(i, i) == is(i, i);
	}
}

static void test_libraries(void)
{
	dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
	for (u32 i = 0; i < ARRAY_SIZE(of_double); i++)
		try_double(of_double[i]);
	for (u32 i = 0; i < ARRAY_SIZE(of_doubles); i++)
		try_doubles(of_doubles[i]);
	for (u32 i = 0; i < ARRAY_SIZE(of_longs); i++)
		try_longs(of_longs[i]);
	ok(n_calls > 2000 && n_same == n_calls, "libm and libc: %u of %u results are the same",
	   n_same, n_calls);
	ok(n_refused < 20, "of %zu functions %u are not copied",
	   ARRAY_SIZE(of_double) + ARRAY_SIZE(of_doubles) + ARRAY_SIZE(of_longs), n_refused);
}

/* ---- every function of a file */

struct tally {
	const struct elf *elf;
	u32 n, refused, bad;
};

static int tally_function(void *ctx, const struct elf_symbol *s)
{
	struct tally *t = ctx;
	struct x86_moved m;
	struct x86_insn in;
	const u8 *code = NULL;
	struct elf_section segment;

	for (u32 i = 0; elf_code_segment(t->elf, i, &segment) && !code; i++)
		if (segment.bytes && s->value >= segment.address &&
		    s->value - segment.address < segment.size)
			code = (const u8 *)segment.bytes + (s->value - segment.address);
	if (!code || !s->size)
		return 0;
	t->n++;
	if (x86_move(code, (u32)MIN(s->size, 64u), s->value, s->value + 4096, &m)) {
		t->refused++;
		return 0;
	}
	for (u32 at = 0; at < m.len; at += in.len)
		if (!x86_decode(m.code + at, m.len - at, X86_64, &in)) {
			t->bad++;
			break;
		}
	return 0;
}

static void test_files(void)
{
	static const char *const files[] = { "/lib/x86_64-linux-gnu/libc.so.6", "/bin/bash",
					     "/usr/bin/perl",
					     "/lib/x86_64-linux-gnu/libcrypto.so.3" };

	for (u32 i = 0; i < ARRAY_SIZE(files); i++) {
		struct err err = { 0 };
		struct elf *e = elf_open(files[i], &err);
		struct tally t = { .elf = e };

		err_release(&err);
		if (!e)
			continue;
		elf_each_function(e, NULL, tally_function, &t);
		elf_close(e);
		ok(!t.bad && t.refused * 20 < t.n,
		   "%s: of %u functions %u refused, %u copies unknown", files[i], t.n, t.refused,
		   t.bad);
	}
}

int main(void)
{
	test_kinds();
	test_inner();
	test_libraries();
	test_files();
	return done();
}
#else
int main(void)
{
	ok(true, "x86-64 only");
	return done();
}
#endif
