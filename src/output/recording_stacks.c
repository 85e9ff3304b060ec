/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include "base/clock.h"
#include "base/hash.h"
#include "output/recording_stacks.h"
#include "trace/event_text.h"
#include "trace/value.h"

/* A stack by its reference. */
struct known {
	struct stack_value key;
	u32 file, number; /* of that file; file 0: of none yet */
	u32 n;
	u64 ips[];
};

struct kept_mapping {
	struct mapping_row row;
	const char *path;
};

enum { FEW_ADDRESSES = 256, FEW_SYMBOLS = 4, UNKNOWN = FEW_SYMBOLS + 1 };

struct symbols { /* members of an event that are functions of the kernel */
	const struct event_member *members[FEW_SYMBOLS];
	u32 n;
};

struct recorded_stacks {
	/* addresses of functions that were stored last, by their low bits */
	u64 stored[FEW_ADDRESSES];
	u32 file;                    /* counted from 1 */
	struct hash known;           /* by struct stack_value */
	struct hash functions;       /* of the file, by address */
	VEC(struct symbols) symbols; /* of the file's formats, by number */
	bool keeps_mappings;
	VEC(struct kept_mapping) mappings;
	struct arena arena, of_file;
};

/* The programs' table has room for twice as many (builtin/stack.c). */
enum { FORGET_AFTER = 8192 };

struct recorded_stacks *recorded_stacks_new(bool keeps_mappings)
{
	struct recorded_stacks *k = xcalloc(1, sizeof *k);

	k->keeps_mappings = keeps_mappings;
	arena_init(&k->arena);
	arena_init(&k->of_file);
	return k;
}

void recorded_stacks_free(struct recorded_stacks *k)
{
	if (!k)
		return;
	hash_release(&k->known);
	hash_release(&k->functions);
	arena_release(&k->arena);
	arena_release(&k->of_file);
	free(k);
}

/* ---- functions of the kernel */

void recorded_stacks_function(struct recorded_stacks *k, struct store_writer *w, u64 ip,
			      const struct names *names)
{
	struct symbol sym = { 0 };
	u64 *stored = &k->stored[(ip ^ ip >> 8) % FEW_ADDRESSES], address;
	bool found;

	if (*stored == ip)
		return;
	*stored = ip;
	found = names->ksym && names->ksym(names->ctx, ip, &sym) && sym.name;
	address = found ? ip - sym.offset : ip;
	if (hash_get(&k->functions, &address, sizeof address))
		return;
	hash_put(&k->functions, arena_dup(&k->of_file, &address, sizeof address), sizeof address,
		 k);
	store_function(w, address, found ? sym.name : NULL, sym.module);
}

void recorded_stacks_symbols(struct recorded_stacks *k, struct store_writer *w,
			     const struct names *names, u32 number, struct event_format *f,
			     const struct trace_event *e)
{
	const struct symbols *s;

	while (k->symbols.n <= number)
		vec_push(&k->arena, &k->symbols, (struct symbols){ .n = UNKNOWN });
	if (k->symbols.v[number].n == UNKNOWN)
		k->symbols.v[number].n = f->print_fmt ? event_symbols(&k->arena, names, f,
								      k->symbols.v[number].members,
								      FEW_SYMBOLS) :
							0;
	s = &k->symbols.v[number];
	for (u32 i = 0; i < s->n; i++) {
		u64 address;

		if (s->members[i]->offset + sizeof address > e->len)
			continue;
		memcpy(&address, (const u8 *)e->record + s->members[i]->offset, sizeof address);
		if ((s64)address < 0) /* of a process none is */
			recorded_stacks_function(k, w, address, names);
	}
}

/* ---- stacks */

static void forget(struct recorded_stacks *k, const struct names *names)
{
	for (u32 i = 0; i < k->known.cap; i++)
		if (k->known.slot[i].key)
			names->forget_stack(names->ctx, k->known.slot[i].key);
}

static struct known *learn(struct recorded_stacks *k, const struct names *names,
			   const struct type *t, const void *p, bool user)
{
	u64 ips[STACK_MAX_FRAMES];
	struct process_at of;
	u32 n = stack_frames(names, t, p, user, ips, &of);
	struct known *s = arena_alloc(&k->arena, sizeof *s + n * sizeof *ips);

	*s = (struct known){ .n = n };
	memcpy(&s->key, p, sizeof s->key);
	memcpy(s->ips, ips, n * sizeof *ips);
	hash_put(&k->known, &s->key, sizeof s->key, s);
	if (k->known.n % FORGET_AFTER == 0 && names->forget_stack)
		forget(k, names);
	return s;
}

static u32 number_of(struct recorded_stacks *k, struct store_writer *w, const struct names *names,
		     const struct type *t, const void *p)
{
	bool user = t->kind == TY_USTACK;
	struct stack_value v;
	struct known *s;

	memcpy(&v, p, sizeof v);
	if (!v.n)
		return 0;
	s = hash_get(&k->known, &v, sizeof v);
	if (!s)
		s = learn(k, names, t, p, user);
	if (s->file == k->file)
		return s->number;
	s->file = k->file;
	s->number = store_stack(w, s->ips, s->n);
	for (u32 i = 0; i < s->n && !user; i++)
		recorded_stacks_function(k, w, s->ips[i], names);
	return s->number;
}

struct row_stacks recorded_stacks_of(struct recorded_stacks *k, struct store_writer *w,
				     const struct names *names, const struct type *tuple,
				     const void *value)
{
	struct row_stacks to = { 0 };

	for (u32 i = 0; i < tuple->n_fields; i++) {
		const struct type *t = tuple->fields[i].type;

		if (t->kind == TY_KSTACK || t->kind == TY_USTACK)
			to.number[t->kind == TY_USTACK] = number_of(
				k, w, names, t, (const u8 *)value + tuple->fields[i].offset);
	}
	return to;
}

/* ---- mappings */

static const u8 kinds[] = {
	[PROC_MAPPED] = MAPPING_ADDED, [PROC_EXEC] = MAPPING_CLEARED, [PROC_FORK] = MAPPING_FORKED
};

void recorded_stacks_map(struct recorded_stacks *k, struct store_writer *w,
			 const struct map_event *e)
{
	const char *path = e->kind == PROC_MAPPED ? e->path : "";
	struct mapping_row row = { .kind = kinds[e->kind],
				   .pid = e->pid,
				   .parent = e->parent,
				   .start = e->start,
				   .end = e->end,
				   .offset = e->offset,
				   .inode = e->inode,
				   .dev_major = e->dev_major,
				   .dev_minor = e->dev_minor };

	if (e->time)
		row.time = e->time + clock_boot_ns() - clock_mono_ns();
	if (e->build_id && e->build_id_len <= sizeof row.build_id) {
		row.build_id_len = (u8)e->build_id_len;
		memcpy(row.build_id, e->build_id, e->build_id_len);
	}
	store_mapping(w, &row, path);
	if (k->keeps_mappings)
		vec_push(&k->arena, &k->mappings,
			 ((struct kept_mapping){ row, arena_strdup(&k->arena, path) }));
}

void recorded_stacks_begin(struct recorded_stacks *k, struct store_writer *w)
{
	k->file++;
	hash_release(&k->functions);
	memset(&k->functions, 0, sizeof k->functions);
	memset(k->stored, 0, sizeof k->stored);
	k->symbols.n = 0;
	arena_release(&k->of_file);
	arena_init(&k->of_file);
	for (u32 i = 0; i < k->mappings.n; i++)
		store_mapping(w, &k->mappings.v[i].row, k->mappings.v[i].path);
}
