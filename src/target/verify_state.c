/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States: what is known at one instruction, on all the paths that were joined there. A state is a
 * stack of frames (a callee's on top) and the ring records held. A join keeps what both sides agree
 * on; the identity of maybe-null pointers survives as a relation: registers that were copies of
 * each other on both sides remain copies of each other.
 */
#include "target/verify.h"

struct frame *frame_new(struct verifier *c)
{
	struct frame *f;

	if (!c->free_frames.n)
		return arena_new(&c->arena, struct frame);
	f = c->free_frames.v[--c->free_frames.n];
	f->n_slots = 0;
	memset(f->r, 0, sizeof f->r);
	return f;
}

struct state *state_new(struct verifier *c)
{
	struct state *s = c->free_states;

	if (!s)
		return arena_new(&c->arena, struct state);
	c->free_states = s->next;
	*s = (struct state){ 0 };
	return s;
}

struct state *state_copy(struct verifier *c, const struct state *s)
{
	struct state *copy = state_new(c);

	*copy = *s;
	for (u32 i = 0; i < s->n_frames; i++) {
		const struct frame *from = s->frame[i];

		copy->frame[i] = frame_new(c);
		memcpy(copy->frame[i], from,
		       offsetof(struct frame, slot) + from->n_slots * sizeof from->slot[0]);
	}
	return copy;
}

void state_pop_frame(struct verifier *c, struct state *s)
{
	vec_push(&c->arena, &c->free_frames, s->frame[--s->n_frames]);
}

void state_free(struct verifier *c, struct state *s)
{
	while (s->n_frames)
		state_pop_frame(c, s);
	s->next = c->free_states;
	c->free_states = s;
}

/* ---- identities */

struct ids { /* pairs of corresponding identities and the one that replaces them */
	struct verifier *c;
	struct {
		u32 a, b, id;
	} pair[16];
	u32 n;
};

enum { ID_NOT_NULL = 0, ID_ZERO = ~0u }; /* a non-null pointer; the number 0 */

static u32 reg_id(const struct reg *r)
{
	return r->kind == R_SCALAR ? ID_ZERO : r->maybe_null ? r->id : ID_NOT_NULL;
}

static u32 join_id(struct ids *ids, u32 a, u32 b)
{
	u32 id;

	if (a == b)
		return a;
	for (u32 i = 0; i < ids->n; i++)
		if (ids->pair[i].a == a && ids->pair[i].b == b)
			return ids->pair[i].id;
	id = ++ids->c->ids;
	if (ids->n < ARRAY_SIZE(ids->pair)) {
		ids->pair[ids->n].a = a;
		ids->pair[ids->n].b = b;
		ids->pair[ids->n++].id = id;
	}
	return id;
}

/* Whether a of one side has always corresponded to b of the other. */
static bool same_id(struct ids *ids, u32 a, u32 b)
{
	for (u32 i = 0; i < ids->n; i++)
		if (ids->pair[i].a == a || ids->pair[i].b == b)
			return ids->pair[i].a == a && ids->pair[i].b == b;
	if (ids->n == ARRAY_SIZE(ids->pair))
		return a == b;
	ids->pair[ids->n].a = a;
	ids->pair[ids->n++].b = b;
	return true;
}

/* ---- joining */

static bool can_be_null(const struct reg *r)
{
	return r->kind == R_VALUE || r->kind == R_RECORD;
}

static bool same_object(const struct reg *a, const struct reg *b)
{
	return a->kind == b->kind && a->frame == b->frame && a->map == b->map &&
	       a->size == b->size && a->ref == b->ref;
}

/* Different constant offsets become a variable offset from the smaller one. */
static void join_offsets(struct reg *into, const struct reg *r)
{
	s32 off = MIN(into->off, r->off);
	struct scalar a = scalar_const((u64)((s64)into->off - off)),
		      b = scalar_const((u64)((s64)r->off - off));

	a = scalar_add(&into->v, &a);
	b = scalar_add(&r->v, &b);
	into->off = off;
	into->v = scalar_join(&a, &b);
}

static void join_pointers(struct ids *ids, struct reg *into, const struct reg *r)
{
	u32 id = join_id(ids, reg_id(into), reg_id(r));

	if (into->off != r->off)
		join_offsets(into, r);
	else
		into->v = scalar_join(&into->v, &r->v);
	into->maybe_null = into->maybe_null || r->maybe_null;
	into->id = into->maybe_null ? id : 0;
}

static void join_with_zero(struct ids *ids, struct reg *into, const struct reg *pointer,
			   bool zero_first)
{
	u32 id = zero_first ? join_id(ids, ID_ZERO, reg_id(pointer)) :
			      join_id(ids, reg_id(pointer), ID_ZERO);

	*into = *pointer;
	into->maybe_null = true;
	into->id = id;
}

/* A null pointer is not null anymore after arithmetic: only unmodified ones join with 0. */
static bool is_pristine(const struct reg *r)
{
	return can_be_null(r) && !r->off && scalar_is_const(&r->v) && !r->v.umin;
}

/*
 * A pointer that was compared to be null is the number 0 on that path; the lowering emits a
 * comparison before each load.
 */
static bool is_btf_or_null(const struct reg *r)
{
	return r->btf || (scalar_is_const(&r->v) && !r->v.umin);
}

static void join_reg(struct ids *ids, struct reg *into, const struct reg *r)
{
	if (into->kind == R_SCALAR && r->kind == R_SCALAR) {
		into->btf = is_btf_or_null(into) && is_btf_or_null(r) && (into->btf || r->btf);
		into->v = scalar_join(&into->v, &r->v);
		into->far = into->far || r->far;
		into->fixed = into->fixed && r->fixed;
		into->shared = into->shared || r->shared;
		into->moved = into->moved || r->moved;
	} else if (reg_is_pointer(into) && same_object(into, r)) {
		if ((into->maybe_null || r->maybe_null) && into->off != r->off)
			into->kind = R_MIXED;
		else
			join_pointers(ids, into, r);
	} else if (is_pristine(into) && reg_is_zero(r)) {
		struct reg was = *into;

		join_with_zero(ids, into, &was, false);
	} else if (is_pristine(r) && reg_is_zero(into)) {
		join_with_zero(ids, into, r, true);
	} else {
		into->kind = into->kind == R_UNINIT || r->kind == R_UNINIT ? R_UNINIT : R_MIXED;
	}
}

static bool slot_is_number(const struct slot *s)
{
	return !s->spill || s->reg.kind == R_SCALAR;
}

static void join_slot(struct ids *ids, struct slot *into, const struct slot *s)
{
	into->init &= s->init;
	if (into->spill && s->spill) {
		join_reg(ids, &into->reg, &s->reg);
		return;
	}
	if (slot_is_number(into) && slot_is_number(s)) {
		into->spill = false;
		return;
	}
	into->spill = into->init == 0xff;
	into->reg = (struct reg){ .kind = R_MIXED };
	if (!into->spill)
		into->init = 0;
}

static void join_frame(struct ids *ids, struct frame *into, const struct frame *f)
{
	for (u32 i = 0; i < ARRAY_SIZE(f->r); i++)
		join_reg(ids, &into->r[i], &f->r[i]);
	into->n_slots = MIN(into->n_slots, f->n_slots);
	for (u32 i = 0; i < into->n_slots; i++)
		join_slot(ids, &into->slot[i], &f->slot[i]);
}

int state_join(struct verifier *c, struct state *into, const struct state *s)
{
	struct ids ids = { .c = c };

	if (into->n_refs != s->n_refs)
		return verify_fail(c,
				   "a ring record is held on one path to here and not on another");
	for (u32 i = 0; i < s->n_refs; i++)
		if (!state_has_ref(into, s->ref[i]))
			return verify_fail(c,
					   "different ring records are held on the paths to here");
	for (u32 i = 0; i < s->n_frames; i++)
		join_frame(&ids, into->frame[i], s->frame[i]);
	return 0;
}

/* ---- comparing */

static bool equal_reg(struct ids *ids, const struct reg *a, const struct reg *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == R_UNINIT || a->kind == R_MIXED)
		return true;
	if (a->kind == R_SCALAR)
		return a->btf == b->btf && a->far == b->far && scalar_equal(&a->v, &b->v);
	return same_object(a, b) && a->off == b->off && scalar_equal(&a->v, &b->v) &&
	       a->maybe_null == b->maybe_null && (!a->maybe_null || same_id(ids, a->id, b->id));
}

static bool equal_slot(struct ids *ids, const struct slot *a, const struct slot *b)
{
	return a->init == b->init && a->spill == b->spill &&
	       (!a->spill || equal_reg(ids, &a->reg, &b->reg));
}

static bool equal_frame(struct ids *ids, const struct frame *a, const struct frame *b)
{
	if (a->n_slots != b->n_slots)
		return false;
	for (u32 i = 0; i < ARRAY_SIZE(a->r); i++)
		if (!equal_reg(ids, &a->r[i], &b->r[i]))
			return false;
	for (u32 i = 0; i < a->n_slots; i++)
		if (!equal_slot(ids, &a->slot[i], &b->slot[i]))
			return false;
	return true;
}

bool state_equal(const struct state *a, const struct state *b)
{
	struct ids ids = { 0 };

	if (a->n_frames != b->n_frames || a->n_refs != b->n_refs)
		return false;
	for (u32 i = 0; i < a->n_refs; i++)
		if (!state_has_ref(b, a->ref[i]))
			return false;
	for (u32 i = 0; i < a->n_frames; i++)
		if (!equal_frame(&ids, a->frame[i], b->frame[i]))
			return false;
	return true;
}

/* ---- changing all copies */

static void each_reg(struct state *s, void (*f)(struct reg *r, u32 id), u32 id)
{
	for (u32 i = 0; i < s->n_frames; i++) {
		struct frame *fr = s->frame[i];

		for (u32 n = 0; n < ARRAY_SIZE(fr->r); n++)
			f(&fr->r[n], id);
		for (u32 n = 0; n < fr->n_slots; n++)
			if (fr->slot[n].spill)
				f(&fr->slot[n].reg, id);
	}
}

static void widen_reg(struct reg *r, const struct reg *was)
{
	if (r->kind != was->kind || r->kind <= R_MIXED)
		return;
	if (r->kind == R_SCALAR && !scalar_equal(&r->v, &was->v))
		r->v = scalar_unknown();
	else if (r->kind != R_SCALAR && (r->off != was->off || !scalar_equal(&r->v, &was->v)))
		r->kind = R_MIXED;
}

void state_widen(struct state *s, const struct state *was)
{
	for (u32 i = 0; i < s->n_frames; i++) {
		struct frame *f = s->frame[i], *old = was->frame[i];

		for (u32 n = 0; n < ARRAY_SIZE(f->r); n++)
			widen_reg(&f->r[n], &old->r[n]);
		for (u32 n = 0; n < f->n_slots && n < old->n_slots; n++)
			if (f->slot[n].spill && old->slot[n].spill)
				widen_reg(&f->slot[n].reg, &old->slot[n].reg);
	}
}

bool state_has_moved(const struct state *s)
{
	for (u32 i = 0; i < s->n_frames; i++)
		for (u32 n = 0; n < s->frame[i]->n_slots; n++) {
			const struct slot *slot = &s->frame[i]->slot[n];

			if (slot->spill && slot->reg.moved && slot->reg.fixed)
				return true;
		}
	return false;
}

static void clear_moved(struct reg *r, u32 id UNUSED)
{
	r->moved = false;
}

void state_clear_moved(struct state *s)
{
	each_reg(s, clear_moved, 0);
}

static void make_null(struct reg *r, u32 id)
{
	if (reg_is_pointer(r) && r->maybe_null && r->id == id)
		*r = reg_scalar(scalar_const(0));
}

static void make_present(struct reg *r, u32 id)
{
	if (reg_is_pointer(r) && r->maybe_null && r->id == id) {
		r->maybe_null = false;
		r->id = 0;
	}
}

static u32 ref_of_id(const struct state *s, u32 id)
{
	for (u32 i = 0; i < s->n_frames; i++) {
		const struct frame *f = s->frame[i];

		for (u32 n = 0; n < ARRAY_SIZE(f->r); n++)
			if (f->r[n].kind == R_RECORD && f->r[n].maybe_null && f->r[n].id == id)
				return f->r[n].ref;
	}
	return 0;
}

void state_known_null(struct state *s, u32 id, bool null)
{
	u32 ref = ref_of_id(s, id);

	each_reg(s, null ? make_null : make_present, id);
	if (null && ref)
		state_drop_ref(s, ref);
}

bool state_has_ref(const struct state *s, u32 ref)
{
	for (u32 i = 0; i < s->n_refs; i++)
		if (s->ref[i] == ref)
			return true;
	return false;
}

static void forget_record(struct reg *r, u32 ref)
{
	if (r->kind == R_RECORD && r->ref == ref)
		*r = (struct reg){ .kind = R_UNINIT };
}

void state_drop_ref(struct state *s, u32 ref)
{
	for (u32 i = 0; i < s->n_refs; i++)
		if (s->ref[i] == ref) {
			s->ref[i] = s->ref[--s->n_refs];
			each_reg(s, forget_record, ref);
			return;
		}
}
