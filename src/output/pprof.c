/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles of pprof: gzip of a protocol buffer (github.com/google/pprof, proto/profile.proto). Each map
 * is a sample type; a sample is a list of locations from the innermost one, with a number for each
 * sample type. A location is a function, because the frames of a tree are functions.
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
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
};

struct pprof {
	struct buf *out, part, inner; /* the messages that are being built */
	const struct report *d;
	struct hash strings;
	u32 n_strings;
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

static void put_function(struct pprof *p, const struct stack_frame *f, u32 id)
{
	pb_number(&p->part, FUNCTION_ID, id);
	pb_number(&p->part, FUNCTION_NAME, string(p, f->name));
	pb_number(&p->part, FUNCTION_SYSTEM_NAME, string(p, f->name));
	pb_number(&p->part, FUNCTION_FILE, string(p, f->module));
	pb_message(p->out, PROFILE_FUNCTION, &p->part);
	pb_number(&p->inner, LINE_FUNCTION, id);
	pb_number(&p->part, LOCATION_ID, id);
	pb_message(&p->part, LOCATION_LINE, &p->inner);
	pb_message(p->out, PROFILE_LOCATION, &p->part);
}

/* base: the identifier of the tree's first frame. */
static void put_sample(struct pprof *p, u32 tree, u32 node, u32 base)
{
	const struct tree *t = &p->d->trees.v[tree];

	for (u32 at = node; at; at = t->nodes.v[at].parent)
		buf_varint(&p->inner, base + t->nodes.v[at].frame);
	pb_message(&p->part, SAMPLE_LOCATION, &p->inner);
	for (u32 i = 0; i < p->d->trees.n; i++)
		buf_varint(&p->inner, i == tree ? t->nodes.v[node].self : 0);
	pb_message(&p->part, SAMPLE_VALUE, &p->inner);
	pb_message(p->out, PROFILE_SAMPLE, &p->part);
}

static void put_tree(struct pprof *p, u32 tree, u32 base)
{
	const struct tree *t = &p->d->trees.v[tree];

	for (u32 i = 0; i < t->frames.n; i++)
		put_function(p, &t->frames.v[i], base + i);
	for (u32 i = 1; i < t->nodes.n; i++)
		if (t->nodes.v[i].self)
			put_sample(p, tree, i, base);
}

static void put_profile(struct pprof *p)
{
	const struct report *d = p->d;
	u32 base = 1; /* identifiers are not 0 */

	string(p, "");
	for (u32 i = 0; i < d->trees.n; i++)
		put_type(p, &d->trees.v[i]);
	for (u32 i = 0; i < d->trees.n; i++) {
		put_tree(p, i, base);
		base += d->trees.v[i].frames.n;
	}
	pb_number(p->out, PROFILE_TIME_NS, d->start_ns);
	pb_number(p->out, PROFILE_DURATION_NS, d->end_ns - d->start_ns);
	if (d->notes.len)
		pb_number(p->out, PROFILE_COMMENT, string(p, d->notes.s));
}

static void write(struct buf *out, const struct report *d)
{
	struct buf message = { 0 };
	struct pprof p = { .out = &message, .d = d };

	put_profile(&p);
	gzip_store(out, message.s, message.len);
	buf_release(&p.part);
	buf_release(&p.inner);
	buf_release(&message);
	hash_release(&p.strings);
}

static void finish(struct sink *s)
{
	report_close(s, write);
}

const struct output output_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.brief = "stack-keyed maps as a profile for pprof",
	.doc = "One file for pprof and what imports its profiles, written when the run ends: a sample type for each map "
	       "with stacks in its key. Everything else is text on stderr, and the comment of the profile.",
	.example = "sonde -o cpu.pb.gz -e 'profile:hz:99 { @[ustack, kstack] = count(); }'",
	REPORT_HOOKS,
	.close = finish,
};
