/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Format strings and values of random bytes, through printf and through all outputs. The input is
 * one byte for the type, the format up to a NUL, and the value. The value lies alone in memory of
 * exactly its size, so a sanitizer sees each byte that is read behind it.
 */
#include <fcntl.h>
#include <stdlib.h>

#include "output/output.h"
#include "trace/value.h"
#include "type/agg.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { MAX_TYPES = 64 };

static bool ksym(void *ctx, u64 addr, struct symbol *out)
{
	(void)ctx;
	*out = (struct symbol){ .name = addr & 1 ? "f" : NULL, .offset = addr & 15, .module = "m" };
	return addr & 3;
}

static bool usym(void *ctx, struct process_at at, u64 addr, struct symbol *out)
{
	(void)at;
	return ksym(ctx, addr, out);
}

static u32 stack(void *ctx, const struct stack_value *v, bool user, u32 limit, u64 *ips, u64 *time)
{
	u32 n = MIN(v->n % 16, limit);

	(void)ctx;
	(void)user;
	*time = 0;
	for (u32 i = 0; i < n; i++)
		ips[i] = v->hash + i;
	return n;
}

static const struct names names = {
	.ksym = ksym, .usym = usym, .stack = stack, .max_strlen = 8, .trunc_trailer = ".."
};

static const struct type *agg(struct arena *a, struct type t)
{
	t.size = agg_size(&t);
	return arena_dup(a, &t, sizeof(t));
}

static u32 make_scalars(struct arena *a, const struct type **t)
{
	const struct type *all[] = {
		&ty_s8,
		&ty_u8,
		&ty_s16,
		&ty_u16,
		&ty_s32,
		&ty_u32,
		&ty_s64,
		&ty_u64,
		&ty_bool,
		&ty_f32,
		&ty_f64,
		&ty_void_ptr,
		&ty_comm,
		&ty_inet,
		&ty_macaddr,
		&ty_ksym,
		&ty_usym,
		&ty_username,
		&ty_timestamp,
		&ty_cgroup_path,
		&ty_probe,
		&ty_count,
		type_string(a, 1),
		type_string(a, 8),
		type_buffer(a, 3),
		type_buffer(a, 8),
		type_stack(a, TY_KSTACK, STACK_MODE_SONDE, 7),
		type_stack(a, TY_USTACK, STACK_MODE_PERF, 7),
		type_stack(a, TY_KSTACK, STACK_MODE_RAW, 7),
		type_stack(a, TY_USTACK, STACK_MODE_BUILD_ID, 7),
	};

	memcpy(t, all, sizeof(all));
	return ARRAY_SIZE(all);
}

static u32 make_aggs(struct arena *a, const struct type **t)
{
	const struct type *all[] = {
		agg(a, (struct type){ .kind = TY_SUM, .is_signed = true }),
		agg(a, (struct type){ .kind = TY_MIN }),
		agg(a, (struct type){ .kind = TY_AVG, .is_signed = true }),
		agg(a, (struct type){ .kind = TY_STATS }),
		agg(a, (struct type){ .kind = TY_HIST, .hist.bits = 0 }),
		agg(a, (struct type){ .kind = TY_LHIST, .lhist = { 0, 100, 7 } }),
		agg(a, (struct type){ .kind = TY_LLHIST, .llhist = { 10, 0, 3, 5 } }),
		agg(a, (struct type){ .kind = TY_SAMPLES, .is_signed = true, .count = 4 }),
		agg(a, (struct type){ .kind = TY_TSERIES,
				      .is_signed = true,
				      .tseries = { 1000, 4, TY_AVG } }),
	};

	memcpy(t, all, sizeof(all));
	return ARRAY_SIZE(all);
}

static u32 make_types(struct arena *a, const struct type **t)
{
	u32 n = make_scalars(a, t);

	t[n] = type_tuple(a, (const struct type *[]){ &ty_s32, type_string(a, 5), &ty_u64 }, 3);
	t[n + 1] = type_tuple(a, (const struct type *[]){ t[n], &ty_comm }, 2);
	t[n + 2] = type_array(a, type_array(a, &ty_s16, 2), 3);
	t[n + 3] = type_tuple(a, (const struct type *[]){ t[26], t[27] }, 2);
	n += 4;
	return n + make_aggs(a, t + n);
}

/* A value of exactly its size; missing bytes are zero. */
static void *make_value(const struct type *t, const u8 **data, size_t *size)
{
	size_t n = MIN(*size, t->size);
	u8 *p = xcalloc(1, t->size);

	memcpy(p, *data, n);
	*data += n;
	*size -= n;
	return p;
}

static void try_printf(struct arena *a, const char *fmt, const struct type *t, const void *p)
{
	struct buf b = {};
	const char *error;
	u32 at;
	struct format *f = format_parse(a, fmt, strlen(fmt), &error, &at);
	struct event_field field[2] = { { .type = t }, { .type = t } };

	if (!f)
		return;
	for (u32 i = 0; i < f->n; i++)
		format_accepts(&f->spec[i], t);
	format_apply(&b, f, &names, field, 2, p);
	buf_release(&b);
}

static void try_outputs(struct sink *s, const struct type *t, void *p)
{
	static const u32 pct[] = { 50000, 99990 };
	static const struct type key = { .kind = TY_INT, .size = 8 };
	u64 zero = 0;

	for (const struct output *const *o = outputs; *o; o++) {
		struct map_desc by_int = { .name = "@x", .key = &key, .value = t };
		struct map_desc by_it = {
			.name = "@y", .key = t, .key_size = t->size, .value = &ty_count
		};
		struct table_row row = { &zero, p }, other[2] = { { p, &zero }, { p, &zero } };
		struct table as_value = { .map = &by_int, .rows = { &row, 1, 1 }, .div = 3 };
		struct table as_key = { .map = &by_it, .rows = { other, 2, 2 } };

		(*o)->value(s, t, p);
		(*o)->table(s, &as_value);
		as_value.pct = pct;
		as_value.n_pct = ARRAY_SIZE(pct);
		(*o)->table(s, &as_value);
		if (!type_is_agg(t)) {
			table_sort(&as_key, &names);
			(*o)->table(s, &as_key);
		}
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static int null = -1;
	const struct type *types[MAX_TYPES];
	struct arena a;
	char *fmt;

	if (!size)
		return 0;
	if (null < 0)
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	arena_init(&a);

	struct sink s = { .names = &names, .fd = null };
	u32 n_types = make_types(&a, types);
	const struct type *t = types[data[0] % n_types];

	data++;
	size--;
	fmt = arena_strndup(&a, (const char *)data, strnlen((const char *)data, size));
	data += MIN(size, strlen(fmt) + 1);
	size -= MIN(size, strlen(fmt) + 1);

	void *p = make_value(t, &data, &size);

	try_printf(&a, fmt, t, p);
	try_outputs(&s, t, p);
	free(p);
	sink_release(&s);
	arena_release(&a);
	return 0;
}
