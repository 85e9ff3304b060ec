/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names, types and records for the tests of trace/ and output/: small and fixed. */
#ifndef TESTS_UNIT_TRACE_FIXTURE_H
#define TESTS_UNIT_TRACE_FIXTURE_H

#include "trace/table.h"
#include "trace/value.h"
#include "type/agg.h"

static struct arena fx;

static inline bool fx_ksym(void *ctx, u64 addr, struct symbol *out)
{
	(void)ctx;
	if (addr < 0x1000)
		return false;
	*out = (struct symbol){ .name = addr < 0x2000 ? "vfs_read" :
					addr < 0x4000 ? "do_sys_open" :
					addr < 0x5000 ? "bpf_prog_1234_ours" :
							"bpf_trampoline_77",
				.offset = addr & 0xfff };
	if (addr >= 0x3000)
		out->module = "ext4";
	return true;
}

static inline const char *fx_kstring(void *ctx, u64 addr)
{
	(void)ctx;
	return addr == 0x105 ? "constant" : NULL;
}

static inline bool fx_usym(void *ctx, struct process_at at, u64 addr, struct symbol *out)
{
	(void)ctx;
	if (addr < 0x1000 || at.pid != 42)
		return false;
	*out = (struct symbol){ .name = addr < 0x2000 ? "main" : "read;line",
				.offset = addr & 0xfff,
				.module = "/usr/bin/cat" };
	if (addr >= 0x2000) {
		out->file = "src/cat.c";
		out->line = 7;
		out->inlined = true;
	}
	return true;
}

static inline const char *fx_user(void *ctx, u32 uid)
{
	(void)ctx;
	return uid ? NULL : "root";
}

static inline const char *fx_cgroup(void *ctx, u64 id, const char *filter)
{
	(void)ctx;
	(void)filter;
	return id == 1 ? "unified:/user.slice" : NULL;
}

/*
 * hash 1: two kernel frames; 2: two user frames; 3: one that nobody knows; with the function in
 * front 4: called a trampoline, 5: jumped to it, 6: called one that has no name any more, 7: the
 * same, and nobody knows the function
 */
static inline u32 fx_stack(void *ctx, const struct stack_value *v, bool user, u32 limit, u64 *ips,
			   u64 *time)
{
	static const struct {
		u32 n;
		u64 ip[6];
	} stacks[] = {
		{},
		{ 2, { 0x1005, 0x2010 } },
		{ 2, { 0x1001, 0x2002 } },
		{ 1, { 0x10 } },
		{ 5, { 0x1000, 0x4010, 0x5010, 0x1009, 0x2010 } },
		{ 4, { 0x1000, 0x4010, 0x5010, 0x2010 } },
		{ 5, { 0x1000, 0x4010, 0x10, 0x1009, 0x2010 } },
		{ 5, { 0, 0x4010, 0x10, 0x1005, 0x2010 } },
	};
	u32 n;

	(void)ctx;
	*time = 0;
	(void)user;
	if (v->hash < 1 || v->hash >= sizeof stacks / sizeof stacks[0])
		return 0;
	n = stacks[v->hash].n;
	n = n < limit ? n : limit;
	memcpy(ips, stacks[v->hash].ip, n * sizeof *ips);
	return n;
}

static inline u64 fx_wall_ns(void *ctx, const struct timestamp_value *ts)
{
	(void)ctx;
	return ts->ns;
}

static inline bool fx_build_id(void *ctx, struct process_at at, u64 addr, const char **id,
			       u64 *offset)
{
	(void)ctx;
	if (at.pid != 42)
		return false;
	*id = "0123456789abcdef";
	*offset = addr & 0xfff;
	return true;
}

static struct site_name fx_sites[] = { { .probe = "tracepoint:b:two", .func = "two" },
				       { .probe = "kprobe:one", .func = "one" } };
static const char *fx_strings[] = { "%H:%M:%S", "%f" };
static const struct program fx_prog = {
	.sites = { fx_sites, 2, 2 },
	.strings = { fx_strings, 2, 2 },
};
static const struct names fx_names = {
	.ksym = fx_ksym,
	.kstring = fx_kstring,
	.usym = fx_usym,
	.user = fx_user,
	.cgroup = fx_cgroup,
	.stack = fx_stack,
	.wall_ns = fx_wall_ns,
	.build_id = fx_build_id,
	.prog = &fx_prog,
	.max_strlen = 32,
	.trunc_trailer = "..",
};

static inline const struct type *fx_tuple2(const struct type *a, const struct type *b)
{
	return type_tuple(&fx, (const struct type *[]){ a, b }, 2);
}

static inline const struct type *fx_hist(u32 bits)
{
	struct type *t = arena_new(&fx, struct type);

	*t = (struct type){ .kind = TY_HIST, .is_signed = true, .hist.bits = bits };
	t->size = agg_size(t);
	return t;
}

static inline const struct type *fx_lhist(s64 min, s64 max, s64 step)
{
	struct type *t = arena_new(&fx, struct type);

	*t = (struct type){ .kind = TY_LHIST, .is_signed = true, .lhist = { min, max, step } };
	t->size = agg_size(t);
	return t;
}

static inline const struct type *fx_llhist(u32 base, u32 low, u32 high, u32 steps)
{
	struct type *t = arena_new(&fx, struct type);

	*t = (struct type){ .kind = TY_LLHIST, .llhist = { base, low, high, steps } };
	t->size = agg_size(t);
	return t;
}

static inline const struct type *fx_series(u64 interval_ns, u32 n, enum type_kind agg)
{
	struct type *t = arena_new(&fx, struct type);

	*t = (struct type){ .kind = TY_TSERIES,
			    .is_signed = true,
			    .tseries = { interval_ns, n, agg } };
	t->size = agg_size(t);
	return t;
}

static inline const struct type *fx_samples(u32 capacity)
{
	struct type *t = arena_new(&fx, struct type);

	*t = (struct type){ .kind = TY_SAMPLES, .is_signed = true, .count = capacity };
	t->size = agg_size(t);
	return t;
}

/* A histogram value with one count for each of n values. */
static inline u64 *fx_counts(const struct type *t, const s64 *v, u32 n)
{
	u64 *b = arena_alloc(&fx, agg_size(t));

	for (u32 i = 0; i < n; i++) {
		u32 at = t->kind == TY_HIST ?
				 hist_bucket(v[i], t->hist.bits) :
			 t->kind == TY_LHIST ?
				 lhist_bucket(v[i], t->lhist.min, t->lhist.max, t->lhist.step) :
				 llhist_bucket(&t->llhist, v[i]);
		b[at]++;
	}
	return b;
}
#define FX_COUNTS(t, ...)                                                                          \
	fx_counts((t), (const s64[]){ __VA_ARGS__ },                                               \
		  sizeof((const s64[]){ __VA_ARGS__ }) / sizeof(s64))

static inline struct map_desc *fx_map(const char *name, const struct type *key,
				      const struct type *value)
{
	struct map_desc *m = arena_new(&fx, struct map_desc);

	*m = (struct map_desc){ .name = name,
				.key = key,
				.value = value,
				.key_size = key ? key->size : 0,
				.value_size = value->size };
	return m;
}

static inline struct table *fx_table(const char *name, const struct type *key,
				     const struct type *value)
{
	struct table *t = arena_new(&fx, struct table);

	t->map = fx_map(name, key, value);
	return t;
}

static inline void fx_row(struct table *t, const void *key, const void *value)
{
	vec_push(&fx, &t->rows,
		 (struct table_row){ key ? arena_dup(&fx, key, t->map->key->size) : NULL,
				     arena_dup(&fx, value, t->map->value->size) });
}

static inline void fx_row_s64(struct table *t, s64 key, s64 value)
{
	fx_row(t, &key, &value);
}

#endif
