/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distances of jumps. A BPF jump reaches 32767 instructions; one that must reach farther goes
 * through a chain of islands, unconditional jumps that all jumps to the same target share:
 *
 *	if r1 == 0 goto island		...
 *	...				goto past	; only where code falls into it
 *			island:		goto target
 *			past:		...
 *
 * (gotol reaches farther, but only since 6.6.) Inserting code moves everything after it, so this
 * repeats until every jump reaches; programs of ordinary size take one iteration and insert
 * nothing.
 */
#include <errno.h>

#include "target/mach.h"

enum { MAX_ISLANDS = 2000 };

static s64 distance(const struct jumps *j, const struct fixup *f)
{
	return (s64)j->at.v[f->label] - f->insn - 1;
}

static bool reaches(const struct jumps *j, s64 distance_)
{
	return distance_ <= j->reach && distance_ >= -(s64)j->reach;
}

/* Whether execution falls through from the preceding instruction to `at`. */
static bool runs_into(const struct jumps *j, u32 at)
{
	u8 code = j->c->insns.v[at - 1].code;

	return code != OP_JA && code != OP_EXIT;
}

static bool is_second_half(const struct jumps *j, u32 at)
{
	return at && j->c->insns.v[at - 1].code == OP_LD_IMM64;
}

static void shift(u32 *at, u32 from, u32 n)
{
	if (*at >= from)
		*at += n;
}

/* Inserts a gap of n instructions at `at`; what was there follows the gap. */
static void insert(struct jumps *j, u32 at, u32 n)
{
	struct code *c = j->c;
	u32 old = c->insns.n;

	for (u32 i = 0; i < n; i++) {
		vec_push(j->arena, &c->insns, (struct bpf_insn){ .code = OP_JA });
		vec_push(j->arena, &c->spans, c->spans.v[at - 1]);
	}
	memmove(c->insns.v + at + n, c->insns.v + at, (old - at) * sizeof *c->insns.v);
	memmove(c->spans.v + at + n, c->spans.v + at, (old - at) * sizeof *c->spans.v);
	for (u32 i = 0; i < n; i++) {
		c->insns.v[at + i] = (struct bpf_insn){ .code = OP_JA };
		c->spans.v[at + i] = c->spans.v[at - 1];
	}
	for (u32 i = 0; i < c->relocs.n; i++)
		shift(&c->relocs.v[i].insn, at, n);
	for (u32 i = 0; i < j->fixups.n; i++)
		shift(&j->fixups.v[i].insn, at, n);
	for (u32 i = 0; i < j->at.n; i++)
		shift(&j->at.v[i], at, n);
}

/*
 * A position for an island, about as far as the jump reaches, preferably where no code falls into
 * it. Later insertions between the two must not push it out of reach at once, so an eighth of the
 * range is left.
 */
static u32 island_position(const struct jumps *j, const struct fixup *f)
{
	s32 way = distance(j, f) > 0 ? 1 : -1;
	u32 want = f->insn + (u32)(way * (s32)(j->reach - j->reach / 8)), at = want;

	for (u32 i = 0; i < j->reach / 4; i++, at -= (u32)way)
		if (!runs_into(j, at) && !is_second_half(j, at))
			return at;
	return is_second_half(j, want) ? want - (u32)way : want;
}

static u32 new_label(struct jumps *j, u32 at)
{
	vec_push(j->arena, &j->at, at);
	return j->at.n - 1;
}

static u32 make_island(struct jumps *j, const struct fixup *f)
{
	u32 at = island_position(j, f), label, past;
	bool skip = runs_into(j, at);

	insert(j, at, skip ? 2 : 1);
	label = new_label(j, at + skip);
	if (skip) {
		past = new_label(j, at + 2);
		vec_push(j->arena, &j->fixups, (struct fixup){ at, past });
	}
	vec_push(j->arena, &j->fixups, (struct fixup){ at + skip, f->label });
	vec_push(j->arena, &j->islands, (struct island){ label, f->label });
	return label;
}

/*
 * An island between the jump and its target that the jump reaches and that is much nearer to the
 * target.
 */
static u32 find_island(const struct jumps *j, const struct fixup *f)
{
	s64 all = distance(j, f);

	for (u32 i = 0; i < j->islands.n; i++) {
		const struct island *is = &j->islands.v[i];
		s64 way = (s64)j->at.v[is->label] - f->insn - 1;

		if (is->target == f->label && reaches(j, way) && (way > 0) == (all > 0) &&
		    (way > 0 ? way : -way) > (s64)j->reach / 4)
			return is->label;
	}
	return ~0u;
}

static bool shorten(struct jumps *j)
{
	bool changed = false;

	for (u32 i = 0; i < j->fixups.n; i++) {
		struct fixup f = j->fixups.v[i];
		u32 label;

		if (reaches(j, distance(j, &f)))
			continue;
		label = find_island(j, &f);
		if (label == ~0u)
			label = make_island(j, &f);
		j->fixups.v[i].label = label;
		changed = true;
	}
	return changed;
}

int fix_jumps(struct jumps *j)
{
	while (shorten(j))
		if (j->islands.n > MAX_ISLANDS)
			return -E2BIG;
	for (u32 i = 0; i < j->fixups.n; i++)
		j->c->insns.v[j->fixups.v[i].insn].off = (s16)distance(j, &j->fixups.v[i]);
	return 0;
}
