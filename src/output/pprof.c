/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles of pprof: gzip of a protocol buffer (github.com/google/pprof, proto/profile.proto). Each
 * map is a sample type; a sample is a list of locations from the innermost one, with a number for
 * each sample type. A location is a frame with the functions that are inlined there: a line for
 * each of them, the innermost first.
 */
#include "base/gzip.h"
#include "base/protobuf.h"
#include "output/report.h"
#include "output/notice.h"
#include "output/output.h"

/* ---- the messages */

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS = 10,
	PROFILE_COMMENT = 13,
	TYPE_TYPE = 1,
	TYPE_UNIT = 2,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	LOCATION_ID = 1,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_LINE = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
};

struct pprof {
	struct buf *out, part, inner; /* the messages that are being built */
	const struct report *d;
	struct arena arena;
	struct hash strings, functions, locations; /* values: their numbers, from 1 */
	u32 n_strings, n_functions, n_locations;
};

/* The number of a string in the string table, where it is put when it is first used. */
static u64 string(struct pprof *p, const char *s)
{
	size_t len = strlen(s);
	void *known = hash_get(&p->strings, s, len + 1);

	if (known)
		return (uintptr_t)known - 1;
	pb_bytes(p->out, PROFILE_STRING, s, len);
	p->n_strings++;
	hash_put(&p->strings, s, len + 1, (void *)(uintptr_t)p->n_strings);
	return p->n_strings - 1;
}

static void put_type(struct pprof *p, const struct tree *t)
{
	pb_number(&p->part, TYPE_TYPE, string(p, t->name[1] ? t->name + 1 : t->unit));
	pb_number(&p->part, TYPE_UNIT, string(p, tree_unit(t, "count")));
	pb_message(p->out, PROFILE_SAMPLE_TYPE, &p->part);
}

/* The number of a key, a new one if `*n` numbers have not it among them. */
static u32 number_of(struct pprof *p, struct hash *numbers, u32 *n, const void *key, size_t len,
		     bool *is_new)
{
	void *known = hash_get(numbers, key, len);

	*is_new = !known;
	if (known)
		return (u32)(uintptr_t)known;
	hash_put(numbers, arena_dup(&p->arena, key, len), len, (void *)(uintptr_t)++ * n);
	return *n;
}

/* The source file, or else what the code is in. */
static const char *file_of(const struct stack_frame *f)
{
	return *f->file ? f->file : f->module;
}

static u32 function(struct pprof *p, const struct stack_frame *f)
{
	u64 name = string(p, f->name), file = string(p, file_of(f));
	u64 key[2] = { name, file };
	bool is_new;
	u32 id = number_of(p, &p->functions, &p->n_functions, key, sizeof key, &is_new);

	if (!is_new)
		return id;
	pb_number(&p->inner, FUNCTION_ID, id);
	pb_number(&p->inner, FUNCTION_NAME, name);
	pb_number(&p->inner, FUNCTION_SYSTEM_NAME, name);
	pb_number(&p->inner, FUNCTION_FILE, file);
	pb_message(p->out, PROFILE_FUNCTION, &p->inner);
	return id;
}

/* The frame at a node of a tree and, outwards, those it is inlined into. Returns the next node. */
static u32 put_location(struct pprof *p, const struct tree *t, u32 node, struct buf *ids)
{
	struct buf key = { 0 }, location = { 0 };
	bool inlined = true, is_new;
	u32 id;

	for (; node && inlined; node = t->nodes.v[node].parent) {
		const struct stack_frame *f = &t->frames.v[t->nodes.v[node].frame];

		id = function(p, f);
		pb_number(&p->inner, LINE_FUNCTION, id);
		pb_number(&p->inner, LINE_LINE, f->line);
		pb_message(&key, LOCATION_LINE, &p->inner);
		inlined = f->kind == FRAME_INLINED;
	}
	id = number_of(p, &p->locations, &p->n_locations, key.s, key.len, &is_new);
	if (is_new) {
		pb_number(&location, LOCATION_ID, id);
		buf_add(&location, key.s, key.len);
		pb_message(p->out, PROFILE_LOCATION, &location);
	}
	buf_varint(ids, id);
	buf_release(&key);
	buf_release(&location);
	return node;
}

static void put_sample(struct pprof *p, u32 tree, u32 node)
{
	const struct tree *t = &p->d->trees.v[tree];
	struct buf numbers = { 0 };

	for (u32 at = node; at;)
		at = put_location(p, t, at, &numbers);
	pb_message(&p->part, SAMPLE_LOCATION, &numbers);
	for (u32 i = 0; i < p->d->trees.n; i++)
		buf_varint(&numbers, i == tree ? t->nodes.v[node].self : 0);
	pb_message(&p->part, SAMPLE_VALUE, &numbers);
	pb_message(p->out, PROFILE_SAMPLE, &p->part);
	buf_release(&numbers);
}

static void put_tree(struct pprof *p, u32 tree)
{
	const struct tree *t = &p->d->trees.v[tree];

	for (u32 i = 1; i < t->nodes.n; i++)
		if (t->nodes.v[i].self)
			put_sample(p, tree, i);
}

static void put_profile(struct pprof *p)
{
	const struct report *d = p->d;

	string(p, "");
	for (u32 i = 0; i < d->trees.n; i++)
		put_type(p, &d->trees.v[i]);
	for (u32 i = 0; i < d->trees.n; i++)
		put_tree(p, i);
	pb_number(p->out, PROFILE_TIME_NS, d->start_ns);
	pb_number(p->out, PROFILE_DURATION_NS, d->end_ns - d->start_ns);
	if (d->notes.len)
		pb_number(p->out, PROFILE_COMMENT, string(p, d->notes.s));
}

static void write(struct buf *out, const struct report *d)
{
	struct buf message = { 0 };
	struct pprof p = { .out = &message, .d = d };

	arena_init(&p.arena);
	put_profile(&p);
	gzip_store(out, message.s, message.len);
	buf_release(&p.part);
	buf_release(&p.inner);
	buf_release(&message);
	hash_release(&p.strings);
	hash_release(&p.functions);
	hash_release(&p.locations);
	arena_release(&p.arena);
}

static void finish(struct sink *s)
{
	report_close(s, write);
}

const struct output output_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.brief = "stack-keyed maps as a profile for pprof",
	.doc = "One file for pprof and what imports its profiles, written when the run ends: "
	       "a sample type for each map "
	       "with stacks in its key. Everything else is text on stderr, "
	       "and the comment of the profile.",
	.example = "sonde -o cpu.pb.gz -e 'profile:hz:99 { @[ustack, kstack] = count(); }'",
	REPORT_HOOKS,
	.table = report_table_by_line,
	.close = finish,
};
