/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of which a program has one copy for all calls. As they are global functions (BTF
 * func_info), verifiers verify them once, separately. Kernels before 5.12 pass only numbers to such
 * functions, so all get only numbers: the key of the scratch entry that the program claimed, taken
 * from its busy word, and offsets in the entry and in the data map.
 *
 *	caller:	t = call NAME(scratch->busy - 1, offset, ...)
 *	NAME:	entry = lookup(.scratch, &key); if !entry goto none
 *		if offset > size - room goto none
 *		... loads from entry + offset + 0 .. room
 *	none:	return 0
 *
 * Bodies are lowered after all calls: then the sizes of scratch and data are known, and what calls
 * need.
 */
#include "ir/state.h"

enum {
	SLACK = 8,            /* read past the end of the room */
	FEW_SEARCHES = 4,     /* inline in a program: a call costs some 10 ns each */
	IN_LINE_BYTES = 4096, /* of a text, times the enclosing branches */
};

/*
 * Verifiers follow an inline search through all bytes that a text may have, on each path that leads
 * to it: 1024 bytes are some 50 000 instructions.
 */
bool lower_wants_shared(struct lower *l, u32 bytes)
{
	if (l->inst->jump && !feature_has(l->features, FEAT_TAIL_CALL_FUNCS))
		return false;
	if (l->inst->compact || l->s->loop || l->s->depth ||
	    (u64)bytes * l->unit->n_branches > IN_LINE_BYTES)
		return true;
	return l->unit->n_searches++ >= FEW_SEARCHES;
}

static struct ir_func *shared_func_new(struct lower *l, const struct shared_func *row)
{
	struct ir_func *f = arena_new(l->arena, struct ir_func);

	f->name = row->name;
	f->n_params = 1 + row->n_args;
	f->shared = true;
	for (u32 i = 0; i <= f->n_params; i++)
		vec_push(l->arena, &f->temps, (struct ir_temp){ .kind = TK_INT });
	vec_push(l->arena, &l->unit->funcs, f);
	return f;
}

static struct shared_use *find_use(struct lower *l, const struct shared_func *row)
{
	struct ir_unit *u = l->unit;

	for (u32 i = 0; i < u->shared.n; i++)
		if (u->shared.v[i].row == row)
			return &u->shared.v[i];
	shared_func_new(l, row);
	vec_push(l->arena, &u->shared, (struct shared_use){ .row = row, .index = u->funcs.n - 1 });
	return vec_last(&u->shared);
}

struct opnd lower_call_shared(struct lower *l, const struct shared_func *row, const u32 most[2],
			      const struct opnd *arg)
{
	struct shared_use *use = find_use(l, row);
	struct ir_insn in = { .op = IR_CALLSUB,
			      .n_args = (u8)(1 + row->n_args),
			      .imm = use->index };

	for (u32 i = 0; i < 2; i++)
		use->most[i] = MAX(use->most[i], most[i]);
	lower_scratch_now(l);
	in.arg[0] = ir_op2(l, IR_SUB, ir_load(l, o_at(l->s->scratch, 0), 8, false), o_imm(1));
	for (u32 i = 0; i < row->n_args; i++)
		in.arg[1 + i] = arg[i];
	return ir_emit(l, in);
}

struct opnd lower_scratch_offset(const struct lower *l, struct opnd at)
{
	if (at.kind != O_TEMP || at.id != l->s->scratch)
		BUG("this does not lie in scratch");
	return o_imm(at.imm);
}

/* ---- bodies */

static void claim_check(struct lower *l, struct opnd offset, s64 limit)
{
	struct ir_block *inside = ir_block_new(l);

	ir_branch(l, CC_UGT, offset, o_imm(limit), l->s->exit_zero, inside);
	ir_place(l, inside);
}

struct opnd lower_shared_scratch(struct lower *l, struct opnd offset, u32 room)
{
	claim_check(l, offset, (s64)(SCRATCH_HEAD + ALIGN_UP(l->s->scratch_peak, 8u)) - room);
	return ir_op2(l, IR_ADD, o_temp(l->s->scratch), offset);
}

struct opnd lower_shared_data(struct lower *l, struct opnd offset, u32 len)
{
	claim_check(l, offset, (s64)ALIGN_UP(l->prog->data_size, 8u) - len);
	return ir_op2(l, IR_ADD, ir_addr(l, o_data(lower_internal_map(l, MAP_DATA), 0)), offset);
}

static void find_scratch(struct lower *l)
{
	struct opnd key = lower_temp(l, 8, 8, "level"), entry;
	struct ir_block *have = ir_block_new(l);

	ir_store(l, key, 4, o_temp(1));
	entry = ir_call(l, BPF_FUNC_map_lookup_elem, false, 2,
			o_map(lower_internal_map(l, l->s->huge ? MAP_HUGE_SCRATCH : MAP_SCRATCH)),
			key);
	ir_branch(l, CC_EQ, entry, o_imm(0), l->s->exit_zero, have);
	ir_place(l, have);
	l->s->scratch = ir_var(l);
	ir_var_set(l, l->s->scratch, entry);
}

static void lower_shared_body(struct lower *l, const struct shared_use *use)
{
	struct lower_state state = { .huge = l->s->huge, .scratch_peak = l->s->scratch_peak },
			   *outer = l->s;
	struct ir_func *entry = l->f;
	struct opnd arg[4], value;

	l->s = &state;
	l->f = l->unit->funcs.v[use->index];
	ir_place(l, ir_block_new(l));
	l->s->exit_zero = ir_block_new(l);
	find_scratch(l);
	for (u32 i = 0; i < use->row->n_args; i++)
		arg[i] = o_temp(2 + i);
	value = use->row->body(l, arg, use->most);
	ir_emit(l, (struct ir_insn){ .op = IR_RETURN, .arg = { value } });
	ir_place(l, l->s->exit_zero);
	ir_emit(l, (struct ir_insn){ .op = IR_RETURN, .arg = { o_imm(0) } });
	ir_order(l);
	l->s = outer;
	l->f = entry;
}

/* What a body reads after an offset is inside the map for every offset. */
void lower_shared_room(struct lower *l)
{
	u32 scratch = 0, data = 0;

	for (u32 i = 0; i < l->unit->shared.n; i++) {
		const struct shared_use *use = &l->unit->shared.v[i];

		scratch = MAX(scratch, MAX(use->most[0], use->row->is_table ? 0 : use->most[1]));
		data = MAX(data, use->row->is_table ? use->most[1] : 0);
	}
	if (l->unit->shared.n)
		l->s->scratch_peak =
			ALIGN_UP(l->s->scratch_peak, 8u) + ALIGN_UP(scratch, 8u) + SLACK;
	if (data)
		lower_data(l, data, NULL);
}

/* ---- bodies that an earlier program has compiled */

/* All that bodies are made of besides the language's state, which is that of all programs. */
struct body_key {
	u32 n_uses, scratch, data, prog_type;
	bool huge, compact, may_be_null;
};

struct shared_bodies {
	const struct shared_bodies *next;
	struct body_key key;
	const struct shared_use *before; /* what the program used: key.n_uses of them */
	u32 n;                           /* with what bodies used, */
	u32 n_funcs;                     /* whose functions have numbers from this one on */
	struct shared_use *use;
	const struct shared_code **code; /* of each; NULL: not compiled */
};

static struct body_key key_of(const struct lower *l)
{
	struct body_key k = { .n_uses = l->unit->shared.n,
			      .scratch = l->s->scratch_peak,
			      .prog_type = l->profile->load.prog_type,
			      .huge = l->s->huge,
			      .compact = l->inst->compact,
			      .may_be_null = l->profile->may_be_null };

	for (u32 i = 0; i < k.n_uses; i++)
		if (l->unit->shared.v[i].row->is_table)
			k.data = l->prog->data_size;
	return k;
}

static bool is_same(const struct body_key *a, const struct body_key *b)
{
	return a->n_uses == b->n_uses && a->scratch == b->scratch && a->data == b->data &&
	       a->prog_type == b->prog_type && a->huge == b->huge && a->compact == b->compact &&
	       a->may_be_null == b->may_be_null;
}

/* Whether they are the bodies of this program, all compiled. */
static bool serves(const struct shared_bodies *b, const struct lower *l, const struct body_key *key)
{
	if (!is_same(&b->key, key) || (b->n > key->n_uses && b->n_funcs != l->unit->funcs.n))
		return false;
	for (u32 i = 0; i < key->n_uses; i++) {
		const struct shared_use *was = &b->before[i], *now = &l->unit->shared.v[i];

		if (was->row != now->row || was->index != now->index ||
		    was->most[0] != now->most[0] || was->most[1] != now->most[1])
			return false;
	}
	for (u32 i = 0; i < b->n; i++)
		if (!b->code[i])
			return false;
	return true;
}

static bool take_bodies(struct lower *l, const struct body_key *key)
{
	const struct shared_bodies *b = l->prog->shared_bodies;
	struct ir_unit *u = l->unit;

	while (b && !serves(b, l, key))
		b = b->next;
	for (u32 i = 0; b && i < b->n; i++) {
		struct ir_func *f;

		if (i == u->shared.n) { /* in the order and with the numbers of that program */
			shared_func_new(l, b->use[i].row);
			vec_push(l->arena, &u->shared, b->use[i]);
		}
		f = u->funcs.v[b->use[i].index];
		f->compiled = &b->code[i];
		f->span = l->span;
	}
	return b;
}

/* For programs that come later. */
static void offer_bodies(struct lower *l, const struct body_key *key,
			 const struct shared_use *before)
{
	struct arena *a = l->prog->arena;
	struct ir_unit *u = l->unit;
	struct shared_bodies *b = arena_new(a, struct shared_bodies);

	*b = (struct shared_bodies){
		.next = l->prog->shared_bodies,
		.key = *key,
		.before = before,
		.n = u->shared.n,
		.n_funcs = u->funcs.n - (u->shared.n - key->n_uses),
		.use = arena_dup(a, u->shared.v, u->shared.n * sizeof *u->shared.v),
		.code = arena_array(a, const struct shared_code *, u->shared.n)
	};
	l->prog->shared_bodies = b;
	for (u32 i = 0; i < b->n; i++)
		u->funcs.v[b->use[i].index]->compiled = &b->code[i];
}

void lower_shared_bodies(struct lower *l)
{
	struct ir_unit *u = l->unit;
	struct body_key key = key_of(l);
	const struct shared_use *before;
	u32 n_others = u->funcs.n - key.n_uses, data = l->prog->data_size;

	if (!key.n_uses || (!l->prog->whole_bodies && take_bodies(l, &key)))
		return;
	before = arena_dup(l->prog->arena, u->shared.v, key.n_uses * sizeof *before);
	for (u32 i = 0; i < u->shared.n; i++)
		lower_shared_body(l, &u->shared.v[i]);
	/* without callbacks, and without counters, which belong to a statement */
	if (u->funcs.n == n_others + u->shared.n && l->prog->data_size == data && !u->counts_apart)
		offer_bodies(l, &key, before);
}
