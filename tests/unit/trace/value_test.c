/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every type as text, with the values at its ends. */
#include "trace/fixture.h"
#include "tap.h"

static struct buf out;

static void shows(const struct type *t, const void *p, const char *want)
{
	buf_clear(&out);
	buf_puts(&out, "");
	value_text(&out, &fx_names, t, p);
	is_str(out.s, want, "%s: %s", type_str(&fx, t), want);
}
#define SHOWS(t, T, v, want) shows((t), &(T){ v }, (want))

static void scalars(void)
{
	SHOWS(&ty_s8, s8, -128, "-128");
	SHOWS(&ty_u8, u8, 255, "255");
	SHOWS(&ty_s16, s16, -5, "-5");
	SHOWS(&ty_u16, u16, 65535, "65535");
	SHOWS(&ty_s32, s32, INT32_MIN, "-2147483648");
	SHOWS(&ty_u32, u32, UINT32_MAX, "4294967295");
	SHOWS(&ty_s64, s64, INT64_MIN, "-9223372036854775808");
	SHOWS(&ty_u64, u64, UINT64_MAX, "18446744073709551615");
	SHOWS(&ty_bool, u8, 1, "true");
	SHOWS(&ty_bool, u8, 0, "false");
	SHOWS(&ty_void_ptr, u64, 0xffff888012345678, "0xffff888012345678");
	SHOWS(&ty_void_ptr, u64, 0, "0x0");
	SHOWS(&ty_f64, double, 1.5, "1.5");
	SHOWS(&ty_f64, double, 0.1, "0.1");
	SHOWS(&ty_f64, double, 1.0 / 3, "0.3333333333333333");
	SHOWS(&ty_f32, float, 0.1f, "0.1");
	SHOWS(&ty_f32, float, 16777217.f, "16777216");
	shows(&ty_void, "", "null");
}

static void enums(void)
{
	struct enum_value v[] = { { "ONE", 1 }, { "MINUS", -1 } };
	struct type e = {
		.kind = TY_ENUM, .size = 4, .is_signed = true, .name = "n", .enums = v, .n_enums = 2
	};

	SHOWS(&e, s32, 1, "ONE");
	SHOWS(&e, s32, -1, "MINUS");
	SHOWS(&e, s32, 7, "7");
}

static void strings(void)
{
	char bytes[34];

	memset(bytes, 'x', sizeof bytes);
	shows(type_string(&fx, 4), "abc", "abc");
	shows(type_string(&fx, 8), "ab\0garba", "ab");
	shows(type_string(&fx, 8), "", "");
	shows(&ty_comm, "fifteen-letters", "fifteen-letters");
	shows(type_string(&fx, 4), "abcd", "abcd..");
	bytes[31] = '\0';
	shows(type_string(&fx, 32), bytes, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..");
	bytes[30] = '\0';
	shows(type_string(&fx, 32), bytes, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	is_int(value_strlen(type_string(&fx, 3), "abcdef"), 3, "length within capacity");
}

static void bytes(void)
{
	struct {
		u32 len;
		char b[8];
	} buf = { 6, "a\\\0\x7f\xff~" };

	shows(type_buffer(&fx, 8), &buf, "a\\\\x00\\x7f\\xff~");
	buf.len = 4000000000;
	shows(type_buffer(&fx, 2), &buf, "a\\");
	buf.len = 0;
	shows(type_buffer(&fx, 2), &buf, "");
	shows(&ty_inet, "\2\0\0\0\300\0\2\1\0\0\0\0\0\0\0\0\0\0\0", "192.0.2.1");
	shows(&ty_inet, "\12\0\0\0\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1", "2001:db8::1");
	shows(&ty_macaddr, "\x05\x04\xab\x02\x01\x02", "05:04:AB:02:01:02");
}

static void compounds(void)
{
	const struct type *inner = fx_tuple2(&ty_s64, &ty_s64), *t;
	struct {
		s64 a;
		s64 b, c;
	} nested = { -1, 2, 3 };
	struct {
		s32 n;
		char s[4] __attribute__((aligned(8))); /* bytes lie in words */
	} pair = { 1, "abc" };

	shows(fx_tuple2(&ty_s64, inner), &nested, "(-1, (2, 3))");
	shows(fx_tuple2(&ty_s32, type_string(&fx, 4)), &pair, "(1, abc)");
	shows(type_tuple(&fx, NULL, 0), "", "()");
	t = type_array(&fx, type_array(&fx, &ty_s16, 2), 2);
	shows(t, (s16[]){ 5, 6, -7, 8 }, "[[5,6],[-7,8]]");
	shows(type_array(&fx, &ty_s16, 0), "", "[]");
	shows(type_record(&fx,
			  (struct field[]){ { .name = "a", .type = &ty_s32 },
					    { .name = "b", .type = type_string(&fx, 4) } },
			  2),
	      &pair, "{ .a = 1, .b = abc }");
}

static void structs(void)
{
	struct field in[] = { { .name = "n", .type = &ty_s32 } };
	struct type anon = { .kind = TY_STRUCT, .size = 4, .fields = in, .n_fields = 1 };
	struct field f[] = {
		{ .name = "m", .type = &ty_s32 },
		{ .name = "", .type = &anon, .offset = 4 },
		{ .name = "in", .type = &anon, .offset = 4 },
		{ .name = "lo", .type = &ty_s32, .offset = 8, .bit_size = 3 },
		{ .name = "hi", .type = &ty_u32, .offset = 8, .bit_offset = 3, .bit_size = 9 },
		{ .name = "s", .type = type_string(&fx, 4), .offset = 12 },
		{ .name = "loc", .type = &ty_comm, .offset = 12, .data_loc = 1 },
	};
	struct type t = {
		.kind = TY_STRUCT, .size = 16, .name = "foo", .fields = f, .n_fields = 7
	};
	struct type empty = { .kind = TY_STRUCT, .name = "none" };
	u32 words[] = { 2, 3, 7 | 257 << 3, 0x64636261 };

	shows(&t, words,
	      "{ .m = 2, .n = 3, .in = { .n = 3 }, .lo = -1, .hi = 257, .s = abcd, .loc = 0x64636261 }");
	shows(&empty, "", "{}");
}

static void aggregations(void)
{
	shows(&ty_count, &(u64){ 7 }, "7");
	shows(type_agg(&fx, TY_SUM, true), &(struct agg_sum){ -3, 2 }, "-3");
	shows(type_agg(&fx, TY_SUM, false), &(struct agg_sum){ -1, 2 }, "18446744073709551615");
	shows(type_agg(&fx, TY_MIN, true), &(struct agg_minmax){ -9, 1 }, "-9");
	shows(type_agg(&fx, TY_MAX, true), &(struct agg_minmax){ 9, 0 }, "0");
	shows(type_agg(&fx, TY_AVG, true), &(struct agg_avg){ -7, 2 }, "-3");
	shows(type_agg(&fx, TY_AVG, true), &(struct agg_avg){ 0, 0 }, "0");
	shows(type_agg(&fx, TY_STATS, true), &(struct agg_avg){ 6, 3 },
	      "{ .count = 3, .average = 2, .total = 6 }");

	buf_clear(&out);
	value_text_div(&out, &fx_names, type_agg(&fx, TY_STATS, true), &(struct agg_avg){ 60, 3 },
		       10);
	is_str(out.s, "{ .count = 3, .average = 2, .total = 60 }", "div is for the average");
	buf_clear(&out);
	value_text_div(&out, &fx_names, &ty_s32, &(s32){ -25 }, 10);
	is_str(out.s, "-2", "signed division");
	buf_clear(&out);
	value_text_div(&out, &fx_names, &ty_s32, &(s32){ 10 }, -3);
	is_str(out.s, "-3", "by a negative number");
	buf_clear(&out);
	value_text_div(&out, &fx_names, &ty_s64, &(s64){ INT64_MIN }, -1);
	is_str(out.s, "-9223372036854775808", "what has no negative");
	buf_clear(&out);
	value_text_div(&out, &fx_names, &ty_u64, &(u64){ UINT64_MAX }, 2);
	is_str(out.s, "9223372036854775807", "unsigned division");
}

static void names(void)
{
	struct names none = { 0 };

	SHOWS(&ty_ksym, u64, 0x1005, "vfs_read");
	SHOWS(&ty_ksym, u64, 0x10, "0x10");
	shows(&ty_usym, &(struct usym_value){ 0x1001, 42, 0 }, "main");
	shows(&ty_usym, &(struct usym_value){ 0x1001, 43, 0 }, "0x1001");
	SHOWS(&ty_username, u32, 0, "root");
	SHOWS(&ty_username, u32, 1000, "1000");
	SHOWS(&ty_cgroup_path, u64, 1, "unified:/user.slice");
	SHOWS(&ty_probe, u64, 1, "kprobe:one");
	SHOWS(&ty_probe, u64, 9, "9");
	buf_clear(&out);
	value_text(&out, &none, &ty_ksym, &(u64){ 0x1005 });
	is_str(out.s, "0x1005", "a symbol when nobody can be asked");
}

static void times(void)
{
	struct timestamp_value ts = { 3661123456789, TS_BOOT, 99 };

	shows(&ty_timestamp, &ts, "1970-01-01T01:01:01.123456789");
	ts.format = 0;
	shows(&ty_timestamp, &ts, "01:01:01");
	ts.format = 1;
	shows(&ty_timestamp, &ts, "123456");
	buf_clear(&out);
	time_text(&out, "%l %k %f %% %-H %5Y%n%m/%d/%y %", 3661123456789);
	is_str(out.s, "123 123456789 123456 % 1 01970\n01/01/70 %", "conversions");
}

/* A function is on its stack at its entry and no longer at its exit, however the trampoline was
 * reached. */
static void trampolines(void)
{
	const struct type *t = type_stack(&fx, TY_KSTACK, STACK_MODE_SONDE, 127);

	for (u64 hash = 4; hash <= 7; hash++) {
		struct stack_value entry = { hash, STACK_FROM_ENTRY, 4 },
				   at_exit = { hash, STACK_FROM_EXIT, 4 };

		shows(t, &entry,
		      hash == 5 ? "\n        vfs_read+0\n        do_sys_open+16\n" :
		      hash == 7 ? "\n        vfs_read+5\n        do_sys_open+16\n" :
				  "\n        vfs_read+9\n        do_sys_open+16\n");
		shows(t, &at_exit, "\n        do_sys_open+16\n");
	}
}

static void stacks(void)
{
	struct stack_value k = { 1, 0, 2 }, u = { 2, 42, 2 }, lost = { 9, 0, 2 }, none = { 0 },
			   odd = { 3, 1, 1 }, odd_kernel = { 3, 0, 1 };

	shows(type_stack(&fx, TY_KSTACK, STACK_MODE_SONDE, 127), &k,
	      "\n        vfs_read+5\n        do_sys_open+16\n");
	shows(type_stack(&fx, TY_KSTACK, STACK_MODE_SONDE, 1), &k, "\n        vfs_read+5\n");
	shows(type_stack(&fx, TY_USTACK, STACK_MODE_SONDE, 127), &u,
	      "\n        main+1\n        read;line@src/cat.c:7\n");
	shows(type_stack(&fx, TY_KSTACK, STACK_MODE_PERF, 127), &k,
	      "\n\t1005 vfs_read+5\n\t2010 do_sys_open+16\n");
	shows(type_stack(&fx, TY_USTACK, STACK_MODE_PERF, 127), &u,
	      "\n\t1001 main+1 (/usr/bin/cat)\n"
	      "\t2002 read;line@src/cat.c:7 (inlined) (/usr/bin/cat)\n");
	shows(type_stack(&fx, TY_USTACK, STACK_MODE_PERF, 127), &odd, "\n\t10 ([unknown])\n");
	shows(type_stack(&fx, TY_KSTACK, STACK_MODE_RAW, 127), &k, "\n1005\n2010\n");
	shows(type_stack(&fx, TY_USTACK, STACK_MODE_BUILD_ID, 127), &u,
	      "\n0123456789abcdef 0x1\n0123456789abcdef 0x2\n");
	shows(type_stack(&fx, TY_KSTACK, STACK_MODE_SONDE, 127), &odd_kernel, "\n        0x10\n");
	shows(type_stack(&fx, TY_KSTACK, STACK_MODE_SONDE, 127), &lost, "\n");
	shows(type_stack(&fx, TY_KSTACK, STACK_MODE_SONDE, 127), &none, "\n");
}

static void gfp(u64 flags, const char *want)
{
	buf_clear(&out);
	gfp_text(&out, flags);
	is_str(out.s, want, "gfp 0x%llx", (unsigned long long)flags);
}

static void gfp_flags(void)
{
	gfp(0, "0");
	gfp(1, "GFP_DMA");
	gfp(0x41, "GFP_DMA|__GFP_IO");
	gfp(0xcc0, "GFP_KERNEL");
	gfp(0xdc0, "GFP_KERNEL|__GFP_ZERO");
	gfp(0x400cc0, "GFP_KERNEL_ACCOUNT");
	gfp(0x820, "GFP_ATOMIC");
	gfp(0x100cca, "GFP_HIGHUSER_MOVABLE");
	gfp(0x80000001, "GFP_DMA|0x80000000");
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	arena_init(&fx);
	scalars();
	enums();
	strings();
	bytes();
	compounds();
	structs();
	aggregations();
	names();
	times();
	stacks();
	trampolines();
	gfp_flags();
	buf_release(&out);
	arena_release(&fx);
	return done();
}
