/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps. Keyless ones are at a fixed address in the data map; keyed ones are kernel hashes, per-CPU
 * for aggregations. Every update that can fail counts a loss of its statement. Sums are atomic
 * adds, so they are exact under nesting and concurrency.
 *
 *	keyed update:  p = lookup(map, key)
 *	               if !p { update(map, key, zeroes, NOEXIST); p = lookup(map, key) }
 *	               if !p { loss } else { atomic add at p }
 */
#include <errno.h>
#include <sys/sysinfo.h>
#include "ir/state.h"
#include "type/agg.h"

enum { SLOT_ALIGN = 64, MAX_SLOTS = 64, PERCPU_LOOKUP = 195 /* bpf_map_lookup_percpu_elem */ };

/* Integers are stored in 8 bytes, so that atomic adds and widening always work. */
static const struct type *map_stored_type(struct lower *l, const struct type *t)
{
	struct type *wide;

	if (!type_is_scalar(t) || t->size == 8)
		return t;
	if (t->kind == TY_INT)
		return t->is_signed ? &ty_s64 : &ty_u64;
	wide = arena_dup(l->prog->arena, t, sizeof *t);
	wide->size = 8;
	return wide;
}

u32 lower_cpu_slots(void)
{
	u32 n = 1, cpus = (u32)get_nprocs_conf();

	while (n < cpus && n < MAX_SLOTS)
		n *= 2;
	return n;
}

static void global_map(struct lower *l, struct map_desc *m)
{
	m->role = MAP_GLOBAL;
	if (type_is_agg(m->value)) {
		m->n_slots = lower_cpu_slots();
		m->slot_size = ALIGN_UP(agg_size(m->value), (u32)SLOT_ALIGN);
		m->value_size = m->slot_size;
		m->data_off = lower_data(l, m->n_slots * m->slot_size + SLOT_ALIGN, NULL);
		m->data_off = ALIGN_UP(m->data_off, (u32)SLOT_ALIGN);
	} else {
		m->value_size = ALIGN_UP(m->value->size, 8u);
		m->data_off = lower_data(l, 8 + m->value_size, NULL);
	}
}

static bool is_per_cpu(const struct map_desc *d)
{
	return d->bpf_type == BPF_MAP_TYPE_PERCPU_HASH ||
	       d->bpf_type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

u32 lower_map(struct lower *l, struct map *m)
{
	struct map_desc d = { .name = m->name, .span = m->first, .is_assigned = m->assignments };

	if (m->index)
		return m->index - 1;
	d.value = map_stored_type(l, m->value);
	d.key = m->is_keyed ? m->key : NULL;
	if (m->is_keyed) {
		map_shape(l, m, &d);
		if (lower_wants_threads(l, m, &d))
			d.threads_off = lower_thread_slots(l);
	} else {
		global_map(l, &d);
	}
	vec_push(l->prog->arena, &l->prog->maps, d);
	m->index = l->prog->maps.n;
	return m->index - 1;
}

static struct map_desc *desc_of(struct lower *l, struct node *n)
{
	u32 index = lower_map(l, n->map); /* may grow the vector */

	return &l->prog->maps.v[index];
}

/* A separate kernel map with keys (MAP_USER, or the internal set of --follow). */
static bool is_hash(const struct map_desc *d)
{
	return d->role != MAP_GLOBAL;
}

static struct opnd data_at(struct lower *l, u32 off)
{
	return o_data(lower_internal_map(l, MAP_DATA), off);
}

/* ---- keys */

static u32 count_list(struct node *n)
{
	u32 i = 0;

	for (; n; n = n->next)
		i++;
	return i;
}

/* Keys of at most five scalars are numbered by their operands: an equal key is written once. */
static bool scalar_key(struct lower *l, struct node *n, const struct type *kt, struct ir_insn *key)
{
	u32 parts = count_list(n->a), i = 0;

	*key = (struct ir_insn){ .op = IR_ADDR, .size = (u8)parts, .imm = (s64)(uintptr_t)kt };
	if (parts > ARRAY_SIZE(key->arg) || (parts > 1 && kt->kind != TY_TUPLE))
		return false;
	for (struct node *e = n->a; e; e = e->next)
		if (!type_is_scalar(e->type) ||
		    !type_is_scalar(parts == 1 ? kt : kt->fields[i++].type))
			return false;
	i = 0;
	for (struct node *e = n->a; e; e = e->next, i++) {
		const struct type *t = parts == 1 ? kt : kt->fields[i].type;

		key->arg[i] = lower_convert(l, lower_scalar(l, e), e->type, t);
	}
	return true;
}

static void store_scalar_key(struct lower *l, const struct type *kt, const struct ir_insn *key,
			     struct opnd slot)
{
	u32 at = 0;

	if (key->size == 1) {
		ir_store(l, slot, kt->size, key->arg[0]);
		return;
	}
	for (u32 i = 0; i < key->size; i++) {
		const struct field *f = &kt->fields[i];

		lower_zero_from(l, slot, at, f->offset);
		ir_store(l, opnd_plus(slot, f->offset), f->type->size, key->arg[i]);
		at = f->offset + f->type->size;
	}
	lower_zero_from(l, slot, at, kt->size);
}

static struct opnd memory_key(struct lower *l, struct node *n, const struct type *kt)
{
	struct opnd slot = lower_temp(l, kt->size, 8, "key");
	u32 at = 0, i = 0;

	if (!n->a->next) {
		lower_into(l, n->a, kt, slot);
		return slot;
	}
	for (struct node *e = n->a; e; e = e->next, i++) {
		const struct field *f = &kt->fields[i];

		lower_zero_from(l, slot, at, f->offset);
		lower_into(l, e, f->type, opnd_plus(slot, f->offset));
		at = f->offset + f->type->size;
	}
	lower_zero_from(l, slot, at, kt->size);
	return slot;
}

struct opnd lower_key(struct lower *l, struct node *n)
{
	const struct type *kt = n->map->key;
	struct ir_insn key;
	struct opnd slot;

	if (!n->map->is_keyed || !n->a)
		return (struct opnd){ 0 };
	l->s->key_is_numbered = scalar_key(l, n, kt, &key);
	if (!l->s->key_is_numbered)
		return memory_key(l, n, kt);
	if (vn_find(l, &key, false, &slot))
		return slot;
	slot = lower_temp_kept(l, kt->size, 8, "key");
	store_scalar_key(l, kt, &key, slot);
	vn_add(l, &key, false, slot);
	return slot;
}

/* ---- elements */

static struct opnd lookup(struct lower *l, u32 map, struct opnd key)
{
	return ir_call(l, BPF_FUNC_map_lookup_elem, false, 2, o_map(map), key);
}

/* Pointer to the value or 0, for keyed maps; the caller branches. */
static struct opnd lower_map_lookup(struct lower *l, struct node *n)
{
	struct opnd key = lower_key(l, n);

	return lookup(l, lower_map(l, n->map), key);
}

/*
 * A failed update: the map is full (-E2BIG), or the kernel has no memory for another element at
 * once (-ENOMEM, -EBUSY). The lowest bit distinguishes them without another branch: verifiers hold
 * 8192 at most.
 */
static void update_failed(struct lower *l, struct node *n, struct opnd ret, struct ir_block *out)
{
	_Static_assert((E2BIG & 1) && !(ENOMEM & 1) && !(EBUSY & 1), "the lowest bit tells");

	lower_loss_by_bit(l, LOSS_MAP_MEMORY, LOSS_MAP_FULL, n->map->name, ret);
	ir_jump(l, out);
}

static struct opnd zeroes(struct lower *l, u32 len)
{
	struct program *p = l->prog;

	if (p->zero_len < len) {
		p->zero_off = lower_data(l, len, NULL);
		p->zero_len = len;
	}
	return data_at(l, p->zero_off);
}

/*
 * The element of a keyed map, created if missing. Continues in a block where it exists; the failure
 * path (a counted loss) continues at `out`.
 */
static struct opnd element(struct lower *l, struct node *n, struct ir_block *out)
{
	u32 map = lower_map(l, n->map);
	struct map_desc *d = &l->prog->maps.v[map];
	struct ir_block *have = ir_block_new(l), *make = ir_block_new(l), *fail = ir_block_new(l);
	struct opnd key = lower_key(l, n), p = lookup(l, map, key), ret;
	u32 v = ir_var(l);

	ir_var_set(l, v, p);
	ir_branch(l, CC_NE, p, o_imm(0), have, make);
	ir_place(l, make);
	ret = ir_call(l, BPF_FUNC_map_update_elem, false, 4, o_map(map), key,
		      zeroes(l, d->value_size), o_imm(BPF_NOEXIST));
	p = lookup(l, map, key);
	ir_var_set(l, v, p);
	ir_branch(l, CC_EQ, p, o_imm(0), fail, have);
	ir_place(l, fail);
	update_failed(l, n, ret, out);
	ir_place(l, have);
	return o_temp(v);
}

/* The copy, of n, to which this processor adds; n is a power of two. */
static struct opnd copy_of_cpu(struct lower *l, struct opnd first, u32 n, u32 size)
{
	struct opnd cpu;

	if (n <= 1)
		return first;
	cpu = ir_call(l, BPF_FUNC_get_smp_processor_id, false, 0);
	cpu = ir_op2(l, IR_MUL, ir_op2(l, IR_AND, cpu, o_imm(n - 1)), o_imm(size));
	return ir_op2(l, IR_ADD, ir_addr(l, first), cpu);
}

struct agg_slot lower_agg_begin(struct lower *l, struct node *n)
{
	struct map_desc *d = desc_of(l, n);
	struct agg_slot slot = { .out = ir_block_new(l) };
	u32 n_slots = d->n_slots, slot_size = d->slot_size; /* later code may move the descriptor */

	vn_map_written(l, lower_map(l, n->map));
	slot.addr = is_hash(d) ? element(l, n, slot.out) : data_at(l, d->data_off);
	slot.addr = copy_of_cpu(l, slot.addr, n_slots, slot_size);
	return slot;
}

void lower_agg_end(struct lower *l, struct agg_slot *slot)
{
	ir_jump(l, slot->out);
	ir_place(l, slot->out);
}

/* ---- reading */

static struct opnd merge_number(struct lower *l, const struct type *t, struct opnd at, u32 total,
				u32 second)
{
	struct opnd v = ir_load(l, at, 8, false), set;
	struct ir_block *take = ir_block_new(l), *skip = ir_block_new(l), *better = ir_block_new(l);

	switch (t->kind) {
	case TY_COUNT:
	case TY_SUM: ir_var_set(l, total, ir_op2(l, IR_ADD, o_temp(total), v)); break;
	case TY_AVG:
	case TY_STATS:
		ir_var_set(l, total, ir_op2(l, IR_ADD, o_temp(total), v));
		ir_var_set(l, second,
			   ir_op2(l, IR_ADD, o_temp(second),
				  ir_load(l, opnd_plus(at, 8), 8, false)));
		break;
	default: { /* min, max */
		enum ir_cond cc = t->kind == TY_MIN ? (t->is_signed ? CC_SLT : CC_ULT) :
						      (t->is_signed ? CC_SGT : CC_UGT);

		set = ir_load(l, opnd_plus(at, 8), 8, false);
		ir_branch(l, CC_NE, set, o_imm(0), better, skip);
		ir_place(l, better);
		struct ir_block *compare = ir_block_new(l);
		ir_branch(l, CC_EQ, o_temp(second), o_imm(0), take, compare);
		ir_place(l, compare);
		ir_branch(l, cc, v, o_temp(total), take, skip);
		ir_place(l, take);
		ir_var_set(l, total, v);
		ir_var_set(l, second, o_imm(1));
		ir_jump(l, skip);
		ir_place(l, skip);
	}
	}
	return o_temp(total);
}

static struct ir_val read_aggregate(struct lower *l, struct node *n)
{
	bool keyed = is_hash(desc_of(l, n));

	return lower_merge_element(l, n, keyed ? lower_key(l, n) : (struct opnd){ 0 });
}

struct ir_val lower_merge_element(struct lower *l, struct node *n, struct opnd key)
{
	struct map_desc *d = desc_of(l, n);
	u32 total = ir_var(l), second = ir_var(l), map = lower_map(l, n->map);
	const struct type *t = d->value;

	ir_var_set(l, total, o_imm(0));
	ir_var_set(l, second, o_imm(0));
	if (d->role == MAP_GLOBAL) {
		for (u32 i = 0; i < d->n_slots; i++)
			merge_number(l, t, data_at(l, d->data_off + i * d->slot_size), total,
				     second);
	} else {
		u32 copies = is_per_cpu(d) ? (u32)get_nprocs_conf() : 1;

		for (u32 cpu = 0; cpu < copies; cpu++) {
			struct ir_block *have = ir_block_new(l), *next = ir_block_new(l);
			struct opnd p = is_per_cpu(d) ? ir_call(l, PERCPU_LOOKUP, false, 3,
								o_map(map), key, o_imm(cpu)) :
							lookup(l, map, key);

			ir_branch(l, CC_NE, p, o_imm(0), have, next);
			ir_place(l, have);
			for (u32 i = 0; i < d->n_slots; i++)
				merge_number(l, t, opnd_plus(p, i * d->slot_size), total, second);
			ir_jump(l, next);
			ir_place(l, next);
		}
	}
	if (t->kind == TY_AVG || t->kind == TY_STATS)
		return val_scalar(n->type, ir_op2(l, t->is_signed ? IR_SDIV : IR_UDIV,
						  o_temp(total), o_temp(second)));
	return val_scalar(n->type,
			  ir_emit(l, (struct ir_insn){ .op = IR_MOVE, .arg = { o_temp(total) } }));
}

static struct ir_val read_keyed_scalar(struct lower *l, struct node *n)
{
	u32 map = lower_map(l, n->map), v;
	struct ir_block *have = ir_block_new(l), *out = ir_block_new(l);
	struct opnd key = lower_key(l, n), p, r;
	struct ir_insn id = { .op = IR_CALL, .imm = map, .arg = { key } };
	bool numbered = l->s->key_is_numbered; /* else the slot is reused for other keys */

	if (numbered && vn_find(l, &id, true, &r))
		return val_scalar(n->map->value, r);
	p = lookup(l, map, key);
	v = ir_var(l);
	ir_var_set(l, v, o_imm(0));
	ir_branch(l, CC_EQ, p, o_imm(0), out, have);
	ir_place(l, have);
	ir_var_set(l, v, ir_load(l, p, 8, false));
	ir_jump(l, out);
	ir_place(l, out);
	r = ir_emit(l, (struct ir_insn){ .op = IR_MOVE, .arg = { o_temp(v) } });
	if (l->env->request->compile.extra_warnings)
		lower_loss_if_zero(l, p, LOSS_NO_KEY, n->map->name);
	if (numbered)
		vn_add(l, &id, true, r);
	return val_scalar(n->map->value, r);
}

/* A read that has been emitted is identified by the number of the thread. */
static struct ir_val read_of_thread(struct lower *l, struct node *n)
{
	u32 map = lower_map(l, n->map);
	struct ir_insn id = {
		.op = IR_CALL, .size = sizeof(u32), .imm = map, .arg = { lower_scalar(l, n->a) }
	};
	struct opnd r, has;

	if (vn_find(l, &id, true, &r))
		return val_scalar(n->map->value, r);
	r = lower_thread_read(l, map, n, l->env->request->compile.extra_warnings ? &has : NULL);
	if (l->env->request->compile.extra_warnings)
		lower_loss_if_zero(l, has, LOSS_NO_KEY, n->map->name);
	vn_add(l, &id, true, r);
	return val_scalar(n->map->value, r);
}

static struct ir_val read_keyed_memory(struct lower *l, struct node *n)
{
	u32 map = lower_map(l, n->map);
	const struct type *t = n->map->value;
	struct ir_block *have = ir_block_new(l), *missing = ir_block_new(l), *out = ir_block_new(l);
	struct opnd temp = lower_temp(l, t->size, 8, "mapvalue");
	struct opnd p = lookup(l, map, lower_key(l, n));
	struct ir_val v = val_memory(t, temp);

	ir_branch(l, CC_EQ, p, o_imm(0), missing, have);
	ir_place(l,
		 /*
		 * first: a path that verifiers followed with any bytes needs no second pass with
		 * zeros
		 */
		 have);
	ir_copy(l, temp, p, t->size);
	ir_jump(l, out);
	ir_place(l, missing);
	ir_zero(l, temp, t->size);
	ir_jump(l, out);
	ir_place(l, out);
	v.clean = true;
	return v;
}

struct ir_val lower_map_read(struct lower *l, struct node *n)
{
	struct map_desc *d = desc_of(l, n);
	struct ir_val v;

	if (type_is_agg(d->value))
		return read_aggregate(l, n);
	if (d->threads_off)
		return read_of_thread(l, n);
	if (is_hash(d))
		return type_is_scalar(d->value) ? read_keyed_scalar(l, n) : read_keyed_memory(l, n);
	v = val_memory(n->map->value, data_at(l, d->data_off + 8));
	v.clean = true;
	if (type_is_scalar(d->value))
		return val_scalar(n->map->value, ir_load(l, v.o, 8, false));
	return v;
}

struct opnd lower_map_address(struct lower *l, struct node *n)
{
	struct map_desc *d = desc_of(l, n);
	struct ir_block *have = ir_block_new(l), *out = ir_block_new(l);
	struct opnd p;
	u32 v = ir_var(l);

	if (!is_hash(d))
		return ir_addr(l, data_at(l, d->data_off + 8));
	p = lower_map_lookup(l, n);
	ir_var_set(l, v, o_imm(0)); /* verifiers refuse arithmetic on what may be null */
	ir_branch(l, CC_EQ, p, o_imm(0), out, have);
	ir_place(l, have);
	ir_var_set(l, v, p);
	ir_jump(l, out);
	ir_place(l, out);
	return ir_emit(l, (struct ir_insn){ .op = IR_MOVE, .arg = { o_temp(v) } });
}

struct opnd lower_map_has(struct lower *l, struct node *n)
{
	struct map_desc *d = desc_of(l, n);
	struct opnd has;

	if (d->threads_off) {
		lower_thread_read(l, lower_map(l, n->map), n, &has);
		return has;
	}
	if (is_hash(d))
		return ir_set(l, CC_NE, lower_map_lookup(l, n), o_imm(0));
	return ir_set(l, CC_NE, ir_load(l, data_at(l, d->data_off), 8, false), o_imm(0));
}

/* ---- writing */

void map_update_checked(struct lower *l, struct node *n, u32 map, struct opnd key,
			struct opnd value)
{
	struct ir_block *fail = ir_block_new(l), *out = ir_block_new(l);
	struct opnd ret = ir_call(l, BPF_FUNC_map_update_elem, false, 4, o_map(map), key, value,
				  o_imm(BPF_ANY));

	ir_branch(l, CC_NE, ret, o_imm(0), fail, out);
	ir_place(l, fail);
	update_failed(l, n, ret, out);
	ir_place(l, out);
}

static void assign_keyed(struct lower *l, struct node *n, struct node *value)
{
	u32 map = lower_map(l, n->map);
	const struct type *t = l->prog->maps.v[map].value;
	struct opnd temp, key, scalar = { 0 };

	if (type_is_scalar(t)) {
		scalar = lower_convert(l, lower_scalar(l, value), value->type, n->map->value);
		if (l->prog->maps.v[map].threads_off) {
			lower_thread_store(l, map, n, scalar);
			vn_map_written(l, map);
			return;
		}
		temp = lower_temp(l, 8, 8, "value");
		ir_store(l, temp, 8, scalar);
	} else {
		temp = lower_temp(l, ALIGN_UP(t->size, 8u), 8, "value");
		lower_into(l, value, t, temp);
		lower_zero_from(l, temp, t->size, ALIGN_UP(t->size, 8u));
	}
	key = lower_key(l, n);
	map_update_checked(l, n, map, key, temp);
	vn_map_written(l, map);
}

/*
 * @m = { $x = f(); sum($x) }: lowers the statements before the aggregation and returns the
 * aggregation.
 */
static struct node *lower_before_agg(struct lower *l, struct node *value)
{
	struct node *last = value;

	while (last->kind == N_BLOCK_EXPR && last->b)
		last = last->b;
	if (last->kind != N_CALL || !last->builtin || !last->builtin->lower_update)
		return value;
	for (; value != last; value = value->b)
		lower_stmts(l, value->a);
	return last;
}

void lower_map_assign(struct lower *l, struct node *n, struct node *value)
{
	struct map_desc *d;

	value = lower_before_agg(l, value);
	if (value->kind == N_CALL && value->builtin && value->builtin->lower_update) {
		value->builtin->lower_update(l, value, n);
		return;
	}
	d = desc_of(l, n);
	if (is_hash(d)) {
		assign_keyed(l, n, value);
		return;
	}
	const struct type *t = d->value;
	u32 off = d->data_off;

	if (type_is_scalar(t)) {
		struct opnd v =
			lower_convert(l, lower_scalar(l, value), value->type, n->map->value);

		ir_store(l, data_at(l, off + 8), 8, v);
	} else {
		struct opnd temp = lower_temp(l, t->size, 8, "value");

		lower_into(l, value, t, temp);
		ir_copy(l, data_at(l, off + 8), temp, t->size);
	}
	ir_store(l, data_at(l, off), 8, o_imm(1));
	vn_map_written(l, lower_map(l, n->map));
}

/* Address of the 8-byte number of @m or @m[k], created if missing. */
static struct agg_slot number_slot(struct lower *l, struct node *n)
{
	struct map_desc *d = desc_of(l, n);
	struct agg_slot slot = { .out = ir_block_new(l) };

	vn_map_written(l, lower_map(l, n->map));
	if (is_hash(d)) {
		slot.addr = element(l, n, slot.out);
	} else {
		slot.addr = data_at(l, d->data_off + 8);
		ir_store(l, data_at(l, d->data_off), 8, o_imm(1));
	}
	return slot;
}

static enum ir_opcode atomic_op(enum op op)
{
	return op == OP_OR ? IR_ATOMIC_OR : op == OP_AND ? IR_ATOMIC_AND : IR_ATOMIC_XOR;
}

void lower_map_compound(struct lower *l, struct node *n, enum op op, struct node *value)
{
	struct opnd v = lower_scalar(l, value), old;
	struct agg_slot slot;

	if (n->map->value->kind == TY_POINTER && (op == OP_ADD || op == OP_SUB) &&
	    n->map->value->elem)
		v = ir_op2(l, IR_MUL, v, o_imm(MAX(type_complete(n->map->value->elem)->size, 1u)));
	if (op == OP_SUB)
		v = ir_op2(l, IR_SUB, o_imm(0), v);
	slot = number_slot(l, n);
	if (op == OP_ADD || op == OP_SUB) {
		ir_atomic_add(l, slot.addr, 8, v);
	} else if ((op == OP_AND || op == OP_OR || op == OP_XOR) &&
		   feature_has(l->features, FEAT_ATOMIC_FETCH)) {
		ir_emit(l, (struct ir_insn){
				   .op = atomic_op(op), .size = 8, .arg = { slot.addr, v } });
	} else {
		struct node binary = { .kind = N_BINARY,
				       .op = op,
				       .span = value->span,
				       .a = n,
				       .b = value,
				       .type = n->map->value->is_signed ? &ty_s64 : &ty_u64 };

		old = ir_load(l, slot.addr, 8, false);
		ir_store(l, slot.addr, 8, lower_arithmetic(l, &binary, op, old, v));
	}
	lower_agg_end(l, &slot);
}

struct ir_val lower_map_incdec(struct lower *l, struct node *n, s64 step)
{
	struct agg_slot slot;
	struct opnd old;
	u32 v = ir_var(l);

	ir_var_set(l, v, o_imm(0)); /* the value if the element cannot be created */
	slot = number_slot(l, n->a);
	if (n->a->map->value->kind == TY_POINTER && n->a->map->value->elem)
		step *= MAX(type_complete(n->a->map->value->elem)->size, 1u);
	if (n->discards_value) {
		ir_atomic_add(l, slot.addr, 8, o_imm(step));
		lower_agg_end(l, &slot);
		return val_scalar(n->type, o_imm(0));
	}
	old = ir_emit(l, (struct ir_insn){ .op = IR_ATOMIC_FETCH_ADD,
					   .size = 8,
					   .arg = { slot.addr, o_imm(step) } });
	if (n->is_prefix)
		old = ir_op2(l, IR_ADD, old, o_imm(step));
	ir_var_set(l, v, old);
	lower_agg_end(l, &slot);
	return val_scalar(n->type,
			  ir_emit(l, (struct ir_insn){ .op = IR_MOVE, .arg = { o_temp(v) } }));
}

struct opnd lower_map_delete(struct lower *l, struct node *n)
{
	struct map_desc *d = desc_of(l, n);
	u32 map = lower_map(l, n->map);
	struct opnd key, had;

	vn_map_written(l, map);
	if (d->threads_off)
		return lower_thread_delete(l, map, n);
	if (is_hash(d)) {
		key = lower_key(l, n);
		if (d->is_followed)
			lower_forget_followed(l, ir_load(l, key, 4, false));
		return ir_call(l, BPF_FUNC_map_delete_elem, false, 2, o_map(map), key);
	}
	if (type_is_agg(d->value)) {
		for (u32 i = 0; i < d->n_slots; i++)
			ir_zero(l, data_at(l, d->data_off + i * d->slot_size), d->slot_size);
		return o_imm(0);
	}
	had = ir_load(l, data_at(l, d->data_off), 8, false);
	ir_store(l, data_at(l, d->data_off), 8, o_imm(0));
	ir_zero(l, data_at(l, d->data_off + 8), d->value_size);
	return ir_op2(l, IR_SUB, had, o_imm(1));
}
