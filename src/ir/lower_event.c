/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events: a record is reserved in the ring, filled in place, submitted. The flags of the submit
 * come from the data map, where the reader stores whether it sleeps: no wake-up while it is awake.
 *
 *	r = ringbuf_reserve(ring, size, 0)
 *	if !r { loss } else { *(u64 *)r = event id; ...fill...; ringbuf_submit(r, data[RING_FLAGS]) }
 */
#include "ir/state.h"
#include "type/call.h"

enum {
	RINGBUF_OUTPUT = 130,
	SMALL_RECORD = 256, /* filled in place: cheaper than scratch and a copy */
};

u32 lower_string_index(struct lower *l, const char *s)
{
	struct program *p = l->prog;

	for (u32 i = 0; i < p->strings.n; i++)
		if (streq(p->strings.v[i], s))
			return i;
	vec_push(p->arena, &p->strings, s);
	return p->strings.n - 1;
}

struct event_desc *event_new(struct lower *l, const struct builtin *b, struct node *call)
{
	struct event_desc *e = arena_new(l->prog->arena, struct event_desc);

	e->action = b->action;
	e->span = call->span;
	e->site = b->name;
	e->func = l->inst->index;
	e->map = NO_INDEX;
	e->size = sizeof(struct record_head);
	return e;
}

u32 event_field(struct lower *l, struct event_desc *e, const struct type *t)
{
	struct event_field *grown =
		arena_array(l->prog->arena, struct event_field, e->n_fields + 1);
	u32 align = t->align ? MIN(t->align, 8u) : 8;

	if (!type_is_scalar(t))
		align = 8; /* byte arrays are written in words */
	if (e->n_fields)
		memcpy(grown, e->fields, e->n_fields * sizeof *grown);
	e->fields = grown;
	e->size = ALIGN_UP(e->size, align);
	grown[e->n_fields] = (struct event_field){ .type = t, .offset = e->size };
	e->size += type_is_scalar(t) ? t->size : ALIGN_UP(t->size, 8u);
	return e->n_fields++;
}

/* A variable, or a word of scratch if bodies of loops are functions. */
static struct opnd current_speculation(struct lower *l)
{
	return l->s->shares ? ir_load(l, l->s->speculation, 8, false) : l->s->speculation;
}

static void put_head(struct lower *l, const struct event_desc *e, struct opnd record, u32 id)
{
	struct opnd head = o_imm(id);

	if (l->s->speculation.kind != O_NONE && !e->immediate)
		head = ir_op2(l, IR_OR, ir_op2(l, IR_SHL, current_speculation(l), o_imm(32)), head);
	ir_store(l, record, 8, head);
}

void lower_speculate(struct lower *l, struct opnd number)
{
	struct opnd home = l->s->speculation;

	if (home.kind == O_NONE)
		return;
	if (l->s->shares)
		ir_store(l, home, 8, number);
	else
		ir_var_set(l, home.id, number);
}

void lower_speculation_decided(struct lower *l, struct opnd number)
{
	struct ir_block *same, *out;

	if (l->s->speculation.kind == O_NONE)
		return;
	same = ir_block_new(l);
	out = ir_block_new(l);
	ir_branch(l, CC_EQ, current_speculation(l), number, same, out);
	ir_place(l, same);
	lower_speculate(l, o_imm(0));
	ir_jump(l, out);
	ir_place(l, out);
}

static u32 number_event(struct lower *l, struct event_desc *e)
{
	vec_push(l->prog->arena, &l->prog->events, e);
	e->size = ALIGN_UP(e->size, 8u);
	return l->prog->events.n - 1;
}

static struct event_build begin(struct lower *l, struct event_desc *e, bool repeatable)
{
	struct ir_block *full = ir_block_new(l), *have = ir_block_new(l);
	struct event_build eb = { .desc = e, .out = ir_block_new(l) };
	u32 id = number_event(l, e);

	lower_hold(l, repeatable);
	eb.record = ir_call(l, BPF_FUNC_ringbuf_reserve, false, 3,
			    o_map(lower_internal_map(l, MAP_RING)), o_imm(e->size), o_imm(0));
	ir_branch(l, CC_EQ, eb.record, o_imm(0), full, have);
	ir_place(l, full);
	lower_loss(l, LOSS_RING_FULL, e->site);
	ir_jump(l, eb.out);
	ir_place(l, have);
	eb.mark = vn_mark(l);
	l->s->held.record = eb.record;
	put_head(l, e, eb.record, id);
	return eb;
}

struct event_build event_begin(struct lower *l, struct event_desc *e)
{
	return begin(l, e, false);
}

struct opnd event_at(const struct event_build *eb, u32 field)
{
	return opnd_plus(eb->record, eb->desc->fields[field].offset);
}

/*
 * Flags of a submit: the first record that finds the reader asleep wakes it and clears the request.
 * Waking runs through functions that may be probed themselves (_raw_spin_unlock_irqrestore);
 * without this their records would wake it again without end.
 */
static struct opnd ring_flags(struct lower *l)
{
	struct opnd word = o_data(lower_internal_map(l, MAP_DATA), DATA_RING_FLAGS),
		    flags = ir_load(l, word, 8, false);
	struct ir_block *asleep = ir_block_new(l), *on = ir_block_new(l);

	ir_branch(l, CC_NE, flags, o_imm(BPF_RB_NO_WAKEUP), asleep, on);
	ir_place(l, asleep);
	ir_store(l, word, 8, o_imm(BPF_RB_NO_WAKEUP));
	ir_jump(l, on);
	ir_place(l, on);
	return flags;
}

void event_end(struct lower *l, struct event_build *eb)
{
	ir_emit(l, (struct ir_insn){ .op = IR_CALL,
				     .imm = BPF_FUNC_ringbuf_submit,
				     .n_args = 2,
				     .arg = { eb->record, ring_flags(l) } });
	lower_release(l);
	ir_jump(l, eb->out);
	vn_truncate(l, eb->mark);
	ir_place(l, eb->out);
}

void event_output(struct lower *l, struct event_desc *e, struct opnd record, struct opnd len)
{
	struct ir_block *full = ir_block_new(l), *out = ir_block_new(l);
	u32 ring = lower_internal_map(l, MAP_RING);
	struct opnd ret;

	put_head(l, e, record, number_event(l, e));
	ret = ir_call(l, RINGBUF_OUTPUT, false, 4, o_map(ring), record, len, ring_flags(l));
	ir_branch(l, CC_EQ, ret, o_imm(0), out, full);
	ir_place(l, full);
	lower_loss(l, LOSS_RING_FULL, e->site);
	ir_jump(l, out);
	ir_place(l, out);
}

/* ---- records that end with the arguments of a system call (type/call.h) or with buf(): as long as
 * needed */

/* A program that may sleep does not read user memory into scratch, which another one may use
 * then. */
const struct type *event_open_end(struct lower *l, const struct type *t, u32 *at)
{
	const struct field *last;

	if (t->kind == TY_CALL ||
	    (t->kind == TY_BUFFER && t->size > SMALL_RECORD && !lower_may_sleep(l)))
		return t;
	if ((t->kind != TY_TUPLE && t->kind != TY_RECORD) || !t->n_fields)
		return NULL;
	last = &t->fields[t->n_fields - 1];
	*at += last->offset;
	return event_open_end(l, last->type, at);
}

struct opnd event_cut_size(struct lower *l, struct opnd record, u32 at, const struct type *end)
{
	struct opnd used;

	if (end->kind == TY_CALL)
		used = ir_op2(l, IR_AND, ir_load(l, opnd_plus(record, at), 8, false),
			      o_imm(CALL_USED & ~7));
	else
		used = ir_op2(l, IR_ADD, ir_load(l, opnd_plus(record, at), 4, false),
			      o_imm(sizeof(u32)));
	return ir_op2(l, IR_ADD, ir_at_most(l, used, end->size), o_imm(at));
}

/* Moves a field that ends so after all others and returns the type of the end, and where it is;
 * NULL: there is none. */
static const struct type *open_end_last(struct lower *l, struct event_desc *e, u32 *at)
{
	struct event_field *last = NULL;
	u32 end = sizeof(struct record_head);

	for (u32 i = 0; i < e->n_fields; i++)
		if (event_open_end(l, e->fields[i].type, &(u32){ 0 }))
			last = &e->fields[i];
	if (!last)
		return NULL;
	for (u32 i = 0; i < e->n_fields; i++) {
		struct event_field *f = &e->fields[i];

		if (f == last)
			continue;
		end = ALIGN_UP(end, type_is_scalar(f->type) ? MAX(f->type->align, 1u) : 8u);
		f->offset = end;
		end += type_is_scalar(f->type) ? f->type->size : ALIGN_UP(f->type->size, 8u);
	}
	last->offset = *at = ALIGN_UP(end, 8u);
	e->size = last->offset + ALIGN_UP(last->type->size, 8u);
	return event_open_end(l, last->type, at);
}

static void emit_cut(struct lower *l, struct event_desc *e, u32 at, const struct type *end,
		     event_fill_fn fill, void *ctx)
{
	struct opnd record = lower_scratch_temp(l, e->size);
	u32 mark = vn_mark(l);

	fill(l, e, record, ctx);
	event_output(l, e, record, event_cut_size(l, record, at, end));
	vn_truncate(l, mark);
}

/*
 * The trial follows the record (lower_user.c); values that it may reuse are those numbered before
 * the record.
 */
void event_emit(struct lower *l, struct event_desc *e, event_fill_fn fill, void *ctx)
{
	u32 at = 0;
	const struct type *end = open_end_last(l, e, &at);
	struct event_build eb;

	if (end && e->size > SMALL_RECORD) {
		emit_cut(l, e, at, end, fill, ctx);
		return;
	}
	eb = begin(l, e, true);
	fill(l, e, eb.record, ctx);
	event_end(l, &eb);
	if (lower_wants_trial(l)) {
		struct ir_block *out = ir_block_new(l);
		u32 values = vn_mark(l);

		ir_jump(l, out);
		fill(l, e, lower_trial_begin(l, e->size), ctx);
		lower_trial_end(l);
		vn_truncate(l, values);
		ir_place(l, out);
	}
	l->s->held = (struct record_held){ 0 };
}
