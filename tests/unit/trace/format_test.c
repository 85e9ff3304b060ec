/* SPDX-License-Identifier: GPL-2.0-or-later */
/* printf formats: parsing, what each conversion takes, and what it prints; integers against
 * libc's. */
#include "trace/fixture.h"
#include "tap.h"

static struct buf out;

static const char *apply(const char *fmt, const struct type *const *types,
			 const void *const *values, u32 n)
{
	static char record[512];
	struct event_field fields[8];
	const char *error = NULL;
	u32 at = 8, where = 0;
	struct format *f = format_parse(&fx, fmt, strlen(fmt), &error, &where);

	buf_clear(&out);
	buf_puts(&out, "");
	if (!f)
		return error;
	for (u32 i = 0; i < n; i++) {
		fields[i] = (struct event_field){ .type = types[i], .offset = at };
		memcpy(record + at, values[i], types[i]->size);
		at += types[i]->size; /* unaligned on purpose */
	}
	format_apply(&out, f, &fx_names, fields, n, record);
	return out.s;
}

static void is_one(const char *fmt, const struct type *t, const void *v, const char *want)
{
	is_str(apply(fmt, &t, &v, 1), want, "\"%s\" of %s: %s", fmt, type_str(&fx, t), want);
}
#define IS(fmt, t, T, v, want) is_one((fmt), (t), &(T){ v }, (want))

static void literals(void)
{
	is_str(apply("", NULL, NULL, 0), "", "nothing");
	is_str(apply("hi\n", NULL, NULL, 0), "hi\n", "only text");
	is_str(apply("100%% of %%%%", NULL, NULL, 0), "100% of %%", "percent signs");
	is_str(apply("a %d b", NULL, NULL, 0), "a  b", "a missing argument prints nothing");
	IS("%%%d%%", &ty_s32, s32, 5, "%5%");
	is_str(apply("100%", NULL, NULL, 0), "100%", "a percent sign at the end");
	is_str(apply("50%, 5%\n%) %l %.3 %- %k", NULL, NULL, 0), "50%, 5%\n%) %l %.3 %- %k",
	       "percent signs that begin no conversion");
	IS("%y %d%\n", &ty_s32, s32, 5, "%y 5%\n");
}

static void integers(void)
{
	IS("%d", &ty_s32, s32, -5, "-5");
	IS("%d", &ty_s64, s64, 0x12345678abcdef, "2024525295");
	IS("%d", &ty_u32, u32, UINT32_MAX, "-1");
	IS("%u", &ty_s32, s32, -1, "4294967295");
	IS("%lu", &ty_s32, s32, -1, "18446744073709551615");
	IS("%lld", &ty_s64, s64, INT64_MIN, "-9223372036854775808");
	IS("%llu", &ty_u64, u64, UINT64_MAX, "18446744073709551615");
	IS("%hhx", &ty_s64, s64, 0x12345678abcdef, "ef");
	IS("%hx", &ty_s64, s64, 0x12345678abcdef, "cdef");
	IS("%x", &ty_s64, s64, 0x12345678abcdef, "78abcdef");
	IS("%jx", &ty_s64, s64, 0x12345678abcdef, "12345678abcdef");
	IS("%hhd", &ty_s64, s64, 0xff, "-1");
	IS("%zX", &ty_u8, u8, 0xab, "AB");
	IS("%o", &ty_u8, u8, 8, "10");
	IS("%d", &ty_bool, u8, 1, "1");
	IS("%ld", &ty_count, u64, 12, "12");
	IS("%d", &ty_f64, double, -3.9, "-3");
	IS("%ld", &ty_f64, double, 1e300, "9223372036854775807");
	IS("%c%%", &ty_s32, s32, 'A', "A%");
	IS("%4c|", &ty_s32, s32, 'A', "   A|");
	IS("%-4c|", &ty_s32, s32, 'A', "A   |");
	IS("%p", &ty_void_ptr, u64, 0xffff888012345678, "0xffff888012345678");
	IS("%p", &ty_u64, u64, 0, "0");
	IS("%-8p|", &ty_void_ptr, u64, 0x10, "0x10    |");
	IS("%8p|", &ty_void_ptr, u64, 0x10, "    0x10|");
	IS("%gr", &ty_u32, u32, 0xcc0, "GFP_KERNEL");
	IS("%12gr|", &ty_u32, u32, 0xcc0, "  GFP_KERNEL|");
}

static void texts(void)
{
	const struct type *s = type_string(&fx, 8), *t[2] = { s, s };
	struct {
		u32 len;
		char b[8];
	} buf = { 6, "Hello" };
	const void *v[2] = { "abc\0xyz", "de\0....." };

	is_str(apply("%s-%s!", t, v, 2), "abc-de!", "two strings");
	is_one("%6s|", s, "abc\0xyz", "   abc|");
	is_one("%-6s|", s, "abc\0xyz", "abc   |");
	is_one("%.2s|", s, "abc\0xyz", "ab|");
	is_one("%-6.2s|", s, "abc\0xyz", "ab    |");
	is_one("%2s|", s, "abc\0xyz", "abc|");
	is_one("%s", s, "abcdefgh", "abcdefgh..");
	IS("%s", &ty_s64, s64, 0x12345678abcdef, "5124095577148911");
	IS("%s", &ty_bool, u8, 1, "true");
	IS("%5s|", &ty_bool, u8, 0, "false|");
	IS("%s", &ty_ksym, u64, 0x1005, "vfs_read");
	IS("%20s|", &ty_ksym, u64, 0x1005, "            vfs_read|");
	is_one("%r", type_buffer(&fx, 8), &buf, "Hello\\x00");
	is_one("%rx", type_buffer(&fx, 8), &buf, "\\x48\\x65\\x6c\\x6c\\x6f\\x00");
	is_one("%rh", type_buffer(&fx, 8), &buf, "48 65 6c 6c 6f 00");
	is_one("%rhello", type_buffer(&fx, 8), &buf, "48 65 6c 6c 6f 00ello");
	is_one("%s", type_buffer(&fx, 8), &buf, "Hello\\x00");
}

static void floats(void)
{
	IS("%f", &ty_f64, double, 1.5, "1.500000");
	IS("%.2f", &ty_f32, float, 2.25f, "2.25");
	IS("%8.1f|", &ty_f64, double, -2.5, "    -2.5|");
	IS("%-8.1f|", &ty_f64, double, -2.5, "-2.5    |");
	IS("%08.1f", &ty_f64, double, -2.5, "-00002.5");
	IS("%+g", &ty_f64, double, 0.001, "+0.001");
	IS("%e", &ty_f64, double, 12345.678, "1.234568e+04");
	IS("%E", &ty_f64, double, 12345.678, "1.234568E+04");
	IS("%05f", &ty_f64, double, __builtin_inf(), "  inf");
	IS("% G", &ty_f64, double, 1e-10, " 1E-10");
	IS("%f", &ty_s32, s32, 3, "3.000000");
}

static void stars(void)
{
	const struct type *t[3] = { &ty_s32, &ty_s32, &ty_s32 };
	const void *v[3] = { &(s32){ 6 }, &(s32){ 3 }, &(s32){ 42 } };
	const void *left[2] = { &(s32){ -4 }, &(s32){ 7 } };

	is_str(apply("%*.*d|", t, v, 3), "   042|", "width and precision");
	is_str(apply("%*d|", t, left, 2), "7   |", "a negative width is to the left");
	is_str(apply("%*d|", t, v, 1), "|", "a star takes the only argument");
	v[0] = &(s32){ INT32_MAX };
	is_int((long long)strlen(apply("%*d", t, v, 2)), 65535, "a width has an end");
}

static void is_error(const char *fmt, u32 at)
{
	const char *error = NULL;
	u32 where = 999;

	ok(!format_parse(&fx, fmt, strlen(fmt), &error, &where) && error && *error,
	   "\"%s\" is refused", fmt);
	is_int(where, at, "at the place of the conversion");
}

static void errors(void)
{
	is_error("%n", 0);
	is_error("x%a", 1);
	is_error("%99999d", 1);
}

static void parsing(void)
{
	const char *error;
	u32 at;
	struct format *f = format_parse(&fx, "a%-+ #05.3lldb%%c%*.*s%rx", 25, &error, &at);

	is_int(f->n, 4, "three conversions and a tail");
	is_int(f->n_args, 5, "five arguments");
	ok(f->spec[0].minus && f->spec[0].plus && f->spec[0].blank && f->spec[0].hash &&
		   f->spec[0].zero,
	   "all flags");
	is_int(f->spec[0].width, 5, "width");
	is_int(f->spec[0].precision, 3, "precision");
	is_int(f->spec[0].length, 8, "length");
	is_int(f->spec[0].offset, 1, "offset");
	is_int(f->spec[0].end, 13, "end");
	is_int(f->spec[1].literal_len, 3, "b%%c is three characters");
	is_int(f->spec[1].precision, -1, "a star is not a number");
	is_int(f->spec[2].conv, 'R', "rx");
	is_int(f->spec[3].conv, 0, "the tail");
}

static bool takes(const char *fmt, const struct type *t)
{
	const char *error;
	u32 at;

	return format_accepts(&format_parse(&fx, fmt, strlen(fmt), &error, &at)->spec[0], t);
}

static void accepting(void)
{
	const struct type *s = type_string(&fx, 4), *b = type_buffer(&fx, 4);

	ok(takes("%d", &ty_s8) && takes("%x", &ty_bool) && takes("%c", &ty_u64), "numbers");
	ok(takes("%d", &ty_void_ptr) && takes("%p", &ty_void_ptr), "pointers");
	ok(takes("%d", &ty_count) && takes("%d", type_agg(&fx, TY_AVG, true)), "aggregations");
	ok(!takes("%d", s) && !takes("%d", b) && !takes("%d", &ty_ksym), "%%d takes no texts");
	ok(takes("%s", s) && takes("%s", &ty_s8) && takes("%s", b) && takes("%s", &ty_usym), "%%s");
	ok(!takes("%s", &ty_void), "%%s takes no void");
	ok(takes("%r", b) && !takes("%r", s) && takes("%rx", b) && takes("%rh", b), "%%r");
	ok(takes("%gr", &ty_u32) && !takes("%gr", s), "%%gr");
	ok(takes("%f", &ty_f32) && takes("%g", &ty_f64) && !takes("%f", &ty_s32), "%%f");
	ok(!takes("%d", &ty_f64), "%%d takes no float");
	ok(takes("%d", &ty_error), "what was already reported passes");
	ok(!takes("tail", &ty_s32), "a tail takes nothing");
}

/* Every flag, some widths and precisions, all bases: the same as libc. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void like_libc(void)
{
	static const s64 values[] = { 0,   1,         -1,        9,         10,
				      255, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN };
	static const char *const sizes[] = { "", "4", "11", "25" }, *const precs[] = { "", ".0",
										       ".3",
										       ".24" };
	static const char convs[] = "diuoxX";
	u32 bad = 0, n = 0;
	char fmt[32], want[64];

	for (u32 i = 0; i < 32 * 4 * 4 * 6; i++) {
		u32 k = i / 32;

		snprintf(fmt, sizeof fmt, "%%%s%s%s%s%s%s%sll%c", i & 1 ? "-" : "",
			 i & 2 ? "+" : "", i & 4 ? " " : "", i & 8 ? "#" : "", i & 16 ? "0" : "",
			 sizes[k % 4], precs[k / 4 % 4], convs[k / 16]);
		for (u32 v = 0; v < ARRAY_SIZE(values); v++, n++) {
			const struct type *t = &ty_s64;
			const void *p = &values[v];
			const char *got = apply(fmt, &t, &p, 1);

			snprintf(want, sizeof want, fmt, values[v]);
			if (strcmp(got, want) && bad++ < 5)
				note("%s of %lld: got [%s], want [%s]", fmt, (long long)values[v],
				     got, want);
		}
	}
	is_int(bad, 0, "%u integers look as libc prints them", n);
}

int main(void)
{
	arena_init(&fx);
	literals();
	integers();
	texts();
	floats();
	stars();
	errors();
	parsing();
	accepting();
	like_libc();
	buf_release(&out);
	arena_release(&fx);
	return done();
}
