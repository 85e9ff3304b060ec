/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where parameters and results are: AAPCS64 as gcc and clang follow it, and Go's on arm64 and, of
 * old, on x86-64. */
#include <elf.h>
#include "fixture.h"
#include "arch/abi.h"

static struct arena arena;

static const struct type *record(const char *what)
{
	static const struct {
		char c;
		const struct type *t;
	} all[] = {
		{ 'd', &ty_f64 }, { 'f', &ty_f32 }, { 'l', &ty_s64 },
		{ 'i', &ty_s32 }, { 'c', &ty_s8 },
	};
	u32 n = (u32)strlen(what), at = 0;
	struct type *t = arena_new(&arena, struct type);
	struct field *f = arena_array(&arena, struct field, n);

	for (u32 i = 0; i < n; i++)
		for (u32 k = 0; k < ARRAY_SIZE(all); k++)
			if (all[k].c == what[i]) {
				at = ALIGN_UP(at, all[k].t->size);
				f[i] = (struct field){ .name = "m",
						       .type = all[k].t,
						       .offset = at };
				at += all[k].t->size;
				t->align = MAX(t->align, all[k].t->size);
			}
	t->kind = TY_STRUCT;
	t->size = ALIGN_UP(at, t->align);
	t->fields = f;
	t->n_fields = n;
	return t;
}

static const struct type *named_bytes(const char *name, u32 size)
{
	struct type *t = arena_dup(&arena, type_array(&arena, &ty_u8, size), sizeof *t);

	t->name = name;
	return t;
}

/* "x3", "x1 x2", "[sp+16]", "[x3]", or what the reason begins with. */
static const char *show(const struct loc *loc, const char *why)
{
	static char text[128];
	const struct loc_step *s = loc->step;

	text[0] = '\0';
	if (loc->kind == LOC_REG)
		snprintf(text, sizeof text, "x%u", loc->offset / 8);
	for (u32 i = 0; loc->kind == LOC_PIECES && i < loc->n; i++)
		sprintf(text + strlen(text), "%sx%u", i ? " " : "", loc->piece[i].loc.offset / 8);
	if (loc->kind == LOC_EXPR && s[0].value == 248)
		snprintf(text, sizeof text, "[sp+%d]%s", loc->n >= 3 ? (int)s[1].value : 0,
			 s[loc->n - 1].op == LOP_DEREF ? "*" : "");
	else if (loc->kind == LOC_EXPR)
		snprintf(text, sizeof text, "[x%d]", (int)s[0].value / 8);
	return loc->kind == LOC_NONE ? why : text;
}

static void expect(struct abi *abi, const struct type *t, bool by_reference, const char *want,
		   const char *what)
{
	struct loc loc = { 0 };
	const char *why = "", *got;

	abi_param(abi, t, by_reference, &loc, &why);
	got = show(&loc, why);
	ok(!strncmp(got, want, strlen(want)) && (*want == 'i' || streq(got, want)), "%s: %s", what,
	   got);
}

static const char vector[] = "it is in a vector register";

/* f(int, double, struct { double x, y; }, struct { long n; double d; }, struct { long v[4]; },
 * struct { float a, b, c; }, struct { char c[3]; }, struct { int i; float f; }, long) */
static void test_words(void)
{
	struct abi abi;

	abi_begin(&abi, &arena, abi_of_c(EM_AARCH64));
	expect(&abi, &ty_s32, false, "x0", "an int");
	expect(&abi, &ty_f64, false, vector, "a double");
	expect(&abi, record("dd"), false, vector, "two doubles");
	expect(&abi, record("ld"), false, "x1 x2",
	       "a long and a double: both in general registers");
	expect(&abi, record("llll"), false, "[x3]", "32 bytes: by address");
	expect(&abi, record("fff"), false, vector, "three floats");
	expect(&abi, record("ccc"), false, "x4", "three bytes");
	expect(&abi, record("if"), false, "x5", "an int and a float");
	expect(&abi, &ty_s64, false, "x6", "a long behind them");
	is_int(abi.n_float, 6, "six vector registers");
	expect(&abi, record("l"), true, "[x7]", "a C++ object by its address");
	expect(&abi, record("l"), true, "[sp+0]*", "another, whose address is on the stack");
}

/* g(char, __int128, short, struct { double x, y, z; }, long double, struct { long; double; } twice,
 * long) */
static void test_stack(void)
{
	struct abi abi;

	abi_begin(&abi, &arena, abi_of_c(EM_AARCH64));
	expect(&abi, &ty_s8, false, "x0", "a char");
	expect(&abi, type_array(&arena, &ty_u64, 2), false, "x2 x3",
	       "__int128 from an even register on");
	expect(&abi, &ty_s16, false, "x4", "x1 stays free");
	expect(&abi, record("ddd"), false, vector, "three doubles, 24 bytes");
	expect(&abi, named_bytes("long double", 16), false, vector, "a long double");
	expect(&abi, record("ld"), false, "x5 x6", "the last two");
	expect(&abi, record("ld"), false, "[sp+0]", "what does not fit is on the stack as a whole");
	expect(&abi, &ty_s64, false, "[sp+16]", "nothing comes back to x7");
	expect(&abi, record("dddd"), false, vector, "four doubles fit still");
	expect(&abi, record("d"), false, "[sp+24]", "no vector register is left");
	expect(&abi, &ty_f32, false, "[sp+32]", "a float in a word");
	expect(&abi, type_array(&arena, &ty_u64, 2), false, "[sp+48]", "__int128 is aligned");
}

static void test_kinds(void)
{
	struct abi abi;

	abi_begin(&abi, &arena, abi_of_c(EM_AARCH64));
	expect(&abi, record("ddddd"), false, "[x0]", "five doubles are no vector");
	expect(&abi, record("df"), false, "x1 x2", "nor are a double and a float");
	expect(&abi, named_bytes("complex double", 16), false, vector, "a complex number");
	is_int(abi.n_float, 2, "takes two");
	expect(&abi, type_array(&arena, &ty_s32, 4), false, vector, "a vector of ints");
	expect(&abi, record("ccccccccccccc"), false, "x3 x4", "13 bytes");
}

static void result(const struct type *t, bool by_reference, const char *want, const char *what)
{
	struct abi abi;
	struct loc loc = { 0 };
	const char *why = "", *got;

	abi_begin(&abi, &arena, ABI_AAPCS);
	abi_skip_result(&abi, t, by_reference);
	is_int(abi.n_int, 0, "%s: no parameter moves", what);
	abi_result(&abi, t, by_reference, &loc, &why);
	got = show(&loc, why);
	ok(!strncmp(got, want, strlen(want)), "%s: %s", what, got);
}

static void test_results(void)
{
	result(&ty_s32, false, "x0", "an int");
	result(record("ld"), false, "x0 x1", "two words");
	result(record("dd"), false, vector, "two doubles");
	result(record("dddd"), false, vector, "four");
	result(record("lll"), false, "its address was in x8", "24 bytes");
	result(record("l"), true, "its address was in x8", "a C++ object");
	result(named_bytes("long double", 16), false, vector, "a long double");
}

static void test_go(void)
{
	struct abi abi;

	abi_begin(&abi, &arena, abi_of_go(EM_AARCH64, true));
	expect(&abi, &ty_s64, false, "x0", "Go: an int");
	expect(&abi, record("ll"), false, "x1 x2", "a string");
	expect(&abi, record("lll"), false, "x3 x4 x5", "a slice");
	expect(&abi, &ty_f64, false, vector, "a float64");
	expect(&abi, record("llllllll"), false, "x6 x7 x8 x9 x10 x11 x12 x13", "eight words");
	expect(&abi, record("lll"), false, "[sp+8]", "what does not fit");
	expect(&abi, &ty_s64, false, "x14", "registers go on");
	abi_begin(&abi, &arena, abi_of_go(EM_AARCH64, false));
	expect(&abi, &ty_s64, false, "[sp+8]", "Go before 1.18");
}

static void at_stack(struct abi *abi, const struct type *t, s64 want, const char *what)
{
	struct loc loc = { 0 };
	const char *why = "";

	abi_param(abi, t, false, &loc, &why);
	ok(loc.kind == LOC_EXPR && loc.n == 3, "%s is on the stack", what);
	if (loc.kind == LOC_EXPR && loc.n == 3)
		is_int(loc.step[1].value, want, "%s, bytes from the return address", what);
}

/* func(n int, ok bool, s string, f float64, b byte) (count int, text string, err error), before
 * registers were used */
static void test_go_stack(void)
{
	struct abi abi;

	abi_begin(&abi, &arena, abi_of_go(EM_X86_64, false));
	at_stack(&abi, &ty_s64, 8, "an int");
	at_stack(&abi, &ty_s8, 16, "a bool");
	at_stack(&abi, record("ll"), 24, "a string");
	at_stack(&abi, &ty_f64, 40, "a float64");
	at_stack(&abi, &ty_s8, 48, "a byte");
	abi_go_results(&abi);
	at_stack(&abi, &ty_s64, 56, "the first result");
	at_stack(&abi, record("ll"), 64, "the second");
	at_stack(&abi, record("ll"), 80, "the third");
}

static void rust(u16 machine, const struct type *t, u32 rustc, const char *want, const char *what)
{
	const char *why = NULL, *got;
	struct loc loc = { 0 };
	struct abi abi;

	abi_begin(&abi, &arena, abi_of_c(machine));
	abi_rust_result(&abi, t, rustc, &loc, &why);
	got = show(&loc, why);
	ok(starts_with(got, want), "Rust: %s: %s", what, got);
}

static void test_rust(void)
{
	rust(EM_AARCH64, &ty_s32, 195, "x0", "a number");
	rust(EM_AARCH64, record("l"), 195, "x0", "a structure that is one");
	rust(EM_AARCH64, record("ic"), 195, "x0 x1 x0", "two numbers, then padding");
	rust(EM_AARCH64, record("ll"), 195, "x0 x1", "two words");
	rust(EM_AARCH64, record("ccc"), 195, "x0", "three bytes, one word");
	rust(EM_AARCH64, record("lll"), 195, "its address was in x8", "three words");
	rust(EM_AARCH64, record("iii"), 163, "its address was in x8",
	     "twelve bytes that are no pair");
	rust(EM_AARCH64, record("iii"), 155, "its compiler returns",
	     "twelve bytes of a compiler that tried both");
	rust(EM_AARCH64, &ty_f64, 195, vector, "a float");
	rust(EM_X86_64, record("lll"), 195, "[x10]", "three words, whose address is in rax");
	rust(EM_X86_64, record("ll"), 195, "x10 x12", "two words in rax and rdx");
}

int main(void)
{
	arena_init(&arena);
	test_words();
	test_stack();
	test_kinds();
	test_results();
	test_go();
	test_go_stack();
	test_rust();
	arena_release(&arena);
	return done();
}
