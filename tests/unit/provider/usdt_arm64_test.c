/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operands of arm64's USDT notes, as gcc and clang write them: each is read in a machine whose
 * registers and memory are known. Memory at an address holds the address itself, eight bytes at
 * each.
 */
#include "fixture.h"
#include "provider/usdt_args.h"

static struct arena arena;

/* x0 = 1000, x1 = 1001 ... but for two whose halves matter. */
static u64 reg_at(u32 offset)
{
	switch (offset) {
	case 5 * 8: return 0x11111111fffffffeull; /* w5 is -2 */
	case 6 * 8: return 0x2222222200000003ull; /* w6 is 3 */
	case 248: return 0x8000;                  /* sp */
	case 256: return 0x401000;                /* pc: 0x1000 in the file */
	default: return 1000 + offset / 8;
	}
}

static u64 extend(u64 v, u32 size, bool is_signed)
{
	u32 unused = 64 - 8 * size;

	return is_signed ? (u64)((s64)(v << unused) >> unused) : v << unused >> unused;
}

/* The stack of words that steps leave; what memory would hold is the address. */
static u64 run(const struct loc *loc)
{
	u64 stack[LOC_MAX_DEPTH];
	u32 n = 0;

	for (u32 i = 0; i < loc->n; i++) {
		const struct loc_step *s = &loc->step[i];

		switch (s->op) {
		case LOP_REG: stack[n++] = reg_at((u32)s->value); break;
		case LOP_CONST: stack[n++] = (u64)s->value; break;
		case LOP_EXT: stack[n - 1] = extend(stack[n - 1], s->size, s->is_signed); break;
		case LOP_ADD: n--, stack[n - 1] += stack[n]; break;
		case LOP_SHL: n--, stack[n - 1] <<= stack[n]; break;
		default: BUG("step %d", s->op);
		}
	}
	return n == 1 ? stack[0] : ~0ull;
}

static bool symbol(void *ctx, const char *name, u64 *address)
{
	*address = 0x5678;
	return streq(name, "foo");
}

static u64 value(const struct loc *loc)
{
	switch (loc->kind) {
	case LOC_CONST: return (u64)loc->value;
	case LOC_REG: return extend(reg_at(loc->offset), loc->size, loc->is_signed);
	case LOC_STACK: return reg_at(loc->offset) + (u64)(s64)loc->inner;
	case LOC_EXPR: return run(loc);
	default: return ~0ull;
	}
}

static void test_values(void)
{
	static const struct {
		const char *text;
		u64 value; /* of memory its address */
	} cases[] = {
		{ "8@x3", 1003 },
		{ "-8@x30", 1030 },
		{ "4@w3", 1003 },
		{ "4@x5", 0xfffffffe },
		{ "-4@w5", (u64)-2 },
		{ "-4@x5", (u64)-2 },
		{ "1@w3", 1003 & 0xff },
		{ "-1@w3", (u64)(s64)(s8)(1003 & 0xff) },
		{ "2@w5", 0xfffe },
		{ "8@sp", 0x8000 },
		{ "8@x29", 1029 },
		{ "8@fp", 1029 },
		{ "8@lr", 1030 },
		{ "8@xzr", 0 },
		{ "-4@wzr", 0 },
		{ "8f@xzr", 0 },
		{ "8f@x3", 1003 },
		{ "4f@w3", 1003 },
		{ "4@7", 7 },
		{ "-4@-7", (u64)-7 },
		{ "-4@#-7", (u64)-7 },
		{ "1@-1", 255 },
		{ "8@#0x10", 16 },
		{ "-8@-9223372036854775808", 1ull << 63 },
		{ "8@18446744073709551615", ~0ull },
		{ "8f@3.5e+0", 0x400c000000000000 },
		{ "4f@-2.5e+0", 0xc0200000 },
		{ "8f@#1.0", 0x3ff0000000000000 },
		{ "8@[x3]", 1003 },
		{ "8@[x3, 16]", 1019 },
		{ "8@[x3, #-16]", 987 },
		{ "8@[x3,16]", 1019 },
		{ "8@[sp]", 0x8000 },
		{ "8@[sp, 8]", 0x8008 },
		{ "8@[sp, #0x10]", 0x8010 },
		{ "8@[x29, -4]", 1025 },
		{ "8@[x3, 65536]", 66539 },
		{ "8@[x3, 8]!", 1011 },
		{ "8@[x3], 8", 1003 },
		{ "8@[sp], #16", 0x8000 },
		{ "8@[x3, x4]", 2007 },
		{ "8@[x3, x4, lsl 3]", 1003 + (1004 << 3) },
		{ "8@[x3, x4, lsl #1]", 1003 + 2008 },
		{ "8@[x3, w5, sxtw]", 1001 },
		{ "8@[x3, w5, sxtw 2]", 995 },
		{ "8@[x3, w5, uxtw]", 1003 + 0xfffffffeull },
		{ "8@[x3, w6, uxtw 3]", 1027 },
		{ "8@[x3, w6, sxtw #3]", 1027 },
		{ "8@[x3, x4, sxtx 1]", 3011 },
		{ "8@[x3, w6]", 1006 },
		{ "8@[x3, xzr]", 1003 },
		{ "8@[sp, x4]", 0x8000 + 1004 },
		{ "8f@[x3, 8]", 1011 },
		{ "4f@[x3, x4, lsl 2]", 1003 + 4016 },
		{ "8@[x3, :lo12:foo]", 1003 + 0x678 },
		{ "8@[x3, #:lo12:foo+8]", 1003 + 0x680 },
		{ "8@foo", 0x405678 },
		{ "8@foo+8", 0x405680 },
	};
	struct usdt_point point = {
		.arch = &arch_arm64, .arena = &arena, .address = 0x1000, .symbol = symbol
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arg_desc d[2] = { 0 };
		u32 n = usdt_parse_args(&point, cases[i].text, d, 2);

		ok(n == 1 && !d->why && value(&d->loc) == cases[i].value, "%s: %#llx, %s",
		   cases[i].text, (unsigned long long)value(&d->loc), d->why ? d->why : "known");
	}
}

static void test_refused(void)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "8f@d0", "vector" },
		{ "4f@s31", "vector" },
		{ "8@v3", "vector" },
		{ "8@q1", "vector" },
		{ "8@v3.d[1]", "vector" },
		{ "8@z4", "vector" },
		{ "16@x0", "16 bytes" },
		{ "3@x0", "3 bytes" },
		{ "8@x31", "x31" },
		{ "8@w77", "w77" },
		{ "8@[x0", "form" },
		{ "8@[x0, ]", "form" },
		{ "8@[, 8]", "form" },
		{ "8@[x0, x1, lsl 9]", "form" },
		{ "8@[x0, x1, ror 1]", "form" },
		{ "8@[x0, 8", "form" },
		{ "8@[x0] 8", "" },
		{ "8@[x0], ", "form" },
		{ "8@[x0, :lo12:bar]", "bar" },
		{ "8@bar", "bar" },
		{ "8f@3.5x", "form" },
		{ "8@[nosuch]", "nosuch" },
		{ "8@[x0, 99999999999]", "large" },
		{ "8@[x0, x1, lsl -1]", "form" },
	};
	struct usdt_point point = { .arch = &arch_arm64, .arena = &arena, .symbol = symbol };

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arg_desc d[2] = { 0 };
		u32 n = usdt_parse_args(&point, cases[i].text, d, 2);

		if (!*cases[i].why)
			ok(n == 2, "%s: two operands", cases[i].text);
		else
			ok(n == 1 && d->why && strstr(d->why, cases[i].why), "%s: %s",
			   cases[i].text, d->why ? d->why : "taken");
	}
}

/* The types that a listing shows, and operands that hold blanks among others. */
static void test_many(void)
{
	static const char text[] = "-4@w0 8@[sp, 16] 4f@[x0], 8 2@[x1, x2, lsl 1] -1@5 8f@d0 8@x7";
	struct usdt_point point = { .arch = &arch_arm64, .arena = &arena };
	struct arg_desc d[12] = { 0 };

	is_int(usdt_parse_args(&point, text, d, 12), 7, "seven operands");
	ok(d[0].type->size == 4 && d[0].type->is_signed, "int32");
	ok(d[1].type->size == 8 && !d[1].type->is_signed, "uint64");
	ok(d[2].type->kind == TY_FLOAT && d[2].type->size == 4, "float");
	ok(d[3].type->size == 2 && d[4].type->size == 1 && d[5].type->kind == TY_FLOAT,
	   "uint16, int8, double");
	ok(d[6].loc.kind == LOC_REG && d[6].loc.offset == 56 && d[5].why && !d[6].why,
	   "one that cannot be read hides no other");
}

int main(void)
{
	arena_init(&arena);
	test_values();
	test_refused();
	test_many();
	arena_release(&arena);
	return done();
}
