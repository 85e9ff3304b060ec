/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory while lowering: temporaries on the stack or in claimed scratch, reads of foreign memory,
 * and stores of strings and aggregates to their destination.
 *
 * Scratch is a per-CPU array with SCRATCH_LEVELS entries. A program claims the first entry whose
 * busy word it can exchange from 0 to its key + 1 and releases it at every return, so that a nested
 * or preempting program takes another entry: entries are never shared. The claim is at the end of
 * the predicate, or at the entry if the predicate itself needs scratch.
 *
 * Values of per-CPU arrays have at most 32 KB. A program that needs more takes its scratch from an
 * ordinary array, in which each CPU tries separate entries.
 */
#include "ir/state.h"
#include "type/agg.h"

enum {
	/* bytes of slots before temporaries go to scratch; spills use the rest */
	STACK_BUDGET = 240,
	STACK_OBJECT_MAX = 64,
	WORD_MARGIN = 80,  /* a one-word temporary may exceed it by this much, */
	KEPT_MARGIN = 160, /* one that lives to the end by this much */
};

static u32 *internal_index(struct program *p, enum map_role role)
{
	switch (role) {
	case MAP_DATA: return &p->data_map;
	case MAP_RING: return &p->ring_map;
	case MAP_SCRATCH: return &p->scratch_map;
	case MAP_HUGE_SCRATCH: return &p->huge_scratch_map;
	case MAP_USER:
	case MAP_GLOBAL:
	case MAP_STACKS:
	case MAP_SET:
	case MAP_UNWIND:
	case MAP_UNWIND_PROCESSES:
	case MAP_UNWIND_BELL:
	case MAP_PROGS: break;
	}
	BUG("internal map of role %d", role);
}

u32 lower_internal_map(struct lower *l, enum map_role role)
{
	struct program *p = l->prog;
	u32 *index = internal_index(p, role);
	struct map_desc m = { .role = role };

	if (*index != NO_INDEX)
		return *index;
	switch (role) {
	case MAP_DATA:
		m.name = ".data";
		m.bpf_type = BPF_MAP_TYPE_ARRAY;
		m.key_size = 4;
		m.max_entries = 1;
		m.flags = BPF_F_MMAPABLE;
		p->data_size = MAX(p->data_size, (u32)DATA_HEAD);
		break;
	case MAP_RING:
		m.name = ".ring";
		m.bpf_type = BPF_MAP_TYPE_RINGBUF;
		break;
	case MAP_SCRATCH:
		m.name = ".scratch";
		m.bpf_type = BPF_MAP_TYPE_PERCPU_ARRAY;
		m.key_size = 4;
		m.value_size = SCRATCH_HEAD;
		m.max_entries = SCRATCH_LEVELS;
		break;
	case MAP_HUGE_SCRATCH:
		m.name = ".huge_scratch";
		m.bpf_type = BPF_MAP_TYPE_ARRAY;
		m.key_size = 4;
		m.value_size = SCRATCH_HEAD;
		m.max_entries = HUGE_LEVELS * lower_cpu_slots();
		break;
	case MAP_USER:
	case MAP_GLOBAL:
	case MAP_STACKS:
	case MAP_SET:
	case MAP_UNWIND:
	case MAP_UNWIND_PROCESSES:
	case MAP_UNWIND_BELL:
	case MAP_PROGS: BUG("internal map of role %d", role);
	}
	*index = p->maps.n;
	vec_push(p->arena, &p->maps, m);
	return *index;
}

u32 lower_data(struct lower *l, u32 len, const void *init)
{
	struct program *p = l->prog;
	u32 off;

	lower_internal_map(l, MAP_DATA);
	off = ALIGN_UP(p->data_size, 8u);
	p->data_size = off + ALIGN_UP(len, 8u);
	if (!init)
		return off;
	if (p->data_size > p->data_room) {
		u32 room = p->data_room ? 2 * p->data_size : p->data_size;
		u8 *grown = arena_array(p->arena, u8, room);

		if (p->data)
			memcpy(grown, p->data, p->data_init_len);
		p->data = grown;
		p->data_room = room;
	}
	memset(p->data + p->data_init_len, 0, p->data_size - p->data_init_len);
	memcpy(p->data + off, init, len);
	p->data_init_len = p->data_size;
	return off;
}

struct opnd lower_own_word(struct lower *l, u32 offset)
{
	return ir_load(l, o_data(lower_internal_map(l, MAP_DATA), offset), 8, false);
}

/* ---- scratch */

static u32 slot_new(struct lower *l, u32 size, u32 align, const char *name);

static struct opnd level_key(struct lower *l, u32 level)
{
	struct opnd cpu;

	if (!l->s->huge)
		return o_imm(level);
	cpu = ir_op2(l, IR_AND, ir_call(l, BPF_FUNC_get_smp_processor_id, false, 0),
		     o_imm(lower_cpu_slots() - 1));
	return ir_op2(l, IR_ADD, ir_op2(l, IR_MUL, cpu, o_imm(HUGE_LEVELS)), o_imm(level));
}

static void claim_level(struct lower *l, u32 level, struct opnd key, struct ir_block *got,
			struct ir_block *next, struct ir_block *none)
{
	struct ir_block *have = ir_block_new(l);
	struct opnd number = level_key(l, level), entry, old;

	ir_store(l, key, 4, number);
	entry = ir_call(l, BPF_FUNC_map_lookup_elem, false, 2,
			o_map(lower_internal_map(l, l->s->huge ? MAP_HUGE_SCRATCH : MAP_SCRATCH)),
			key);
	ir_branch(l, CC_EQ, entry, o_imm(0), none, have);
	ir_place(l, have);
	ir_var_set(l, l->s->scratch, entry);
	old = ir_emit(l, (struct ir_insn){ .op = IR_ATOMIC_XCHG,
					   .size = 8,
					   .arg = { entry, ir_op2(l, IR_ADD, number, o_imm(1)) } });
	ir_branch(l, CC_EQ, old, o_imm(0), got, next);
}

/* Emits the claim into the block reserved for it, which then continues to its old successor. */
static void claim_scratch(struct lower *l)
{
	struct ir_block *here = l->block, *after = ir_block_new(l), *none = ir_block_new(l);
	u32 n_ordered = l->f->blocks.n, at = 0, levels = l->s->huge ? HUGE_LEVELS : SCRATCH_LEVELS;
	struct opnd key;
	struct ir_insn last;

	key = o_slot(slot_new(l, 8, 8, "level"), 0); /* always on the stack: the claim needs it */
	l->s->scratch = ir_var(l);
	l->block = l->s->claim;
	last = l->block->insns.v[--l->block->insns.n]; /* its jump */
	for (u32 i = 0; i < levels; i++) {
		struct ir_block *next = i + 1 < levels ? ir_block_new(l) : none;

		claim_level(l, i, key, after, next, none);
		ir_place(l, next);
	}
	lower_loss(l, LOSS_SCRATCH, NULL);
	ir_emit(l, (struct ir_insn){ .op = IR_RETURN, .arg = { o_imm(0) } });
	ir_place(l, after);
	ir_emit(l, last);
	/* The new blocks follow the claim block in the order. */
	while (l->f->blocks.v[at] != l->s->claim)
		at++;
	for (u32 i = n_ordered; i < l->f->blocks.n; i++) {
		struct ir_block *b = l->f->blocks.v[i];

		memmove(&l->f->blocks.v[at + 2], &l->f->blocks.v[at + 1],
			(i - at - 1) * sizeof(struct ir_block *));
		l->f->blocks.v[++at] = b;
	}
	l->block = here == l->s->claim ? after : here;
}

static struct opnd scratch_alloc(struct lower *l, u32 size)
{
	u32 off = l->s->scratch_used;

	if (!l->s->scratch)
		claim_scratch(l);
	l->s->scratch_used = off + ALIGN_UP(size, 8u);
	l->s->scratch_peak = MAX(l->s->scratch_peak, l->s->scratch_used);
	return o_at(l->s->scratch, SCRATCH_HEAD + off);
}

void lower_scratch_now(struct lower *l)
{
	if (!l->s->scratch)
		claim_scratch(l);
}

struct opnd lower_scratch_temp(struct lower *l, u32 size)
{
	return scratch_alloc(l, size);
}

struct opnd lower_scratch_kept(struct lower *l, u32 size)
{
	struct opnd o = scratch_alloc(l, size);

	l->s->scratch_kept = l->s->scratch_used;
	return o;
}

/* ---- temporaries */

static u32 slot_new(struct lower *l, u32 size, u32 align, const char *name)
{
	struct ir_slot s = { .size = ALIGN_UP(size, 8u), .align = align, .name = name };

	for (u32 i = 0; i < l->s->free_slots.n; i++) {
		u32 id = l->s->free_slots.v[i];

		if (l->f->slots.v[id].size == s.size) {
			l->s->free_slots.v[i] = l->s->free_slots.v[--l->s->free_slots.n];
			return id;
		}
	}
	l->s->stack_used += s.size;
	vec_push(l->arena, &l->f->slots, s);
	return l->f->slots.n - 1;
}

bool lower_is_short_of_stack(const struct lower *l)
{
	return l->s->level > 0;
}

/* Functions that call each other share the stack. */
static u32 stack_budget(const struct lower *l)
{
	if (l->s->level)
		return l->s->shares ? 32 : 64;
	return l->s->shares ? STACK_BUDGET / 4 : STACK_BUDGET;
}

/*
 * Verifiers track each byte of the stack, and whether it is zero, and follow code again where a
 * branch left other bytes there; they forget a number once it is written. They do not track
 * scratch.
 */
static bool stack_is_precious(const struct lower *l, u32 size)
{
	return (l->unit->n_branches > MANY_CONDITIONS || l->inst->compact) &&
	       (size > 8 || (size & (size - 1)));
}

static bool fits_stack(struct lower *l, u32 size)
{
	return !stack_is_precious(l, size) && size <= STACK_OBJECT_MAX &&
	       l->s->stack_used + ALIGN_UP(size, 8u) <= stack_budget(l);
}

static bool word_fits_stack(struct lower *l, u32 size, u32 margin)
{
	if (l->s->level || l->s->shares)
		margin /= 4;
	return size <= 8 && !stack_is_precious(l, size) &&
	       l->s->stack_used < stack_budget(l) + margin;
}

struct opnd lower_temp_kept(struct lower *l, u32 size, u32 align, const char *name)
{
	struct opnd o;

	if (fits_stack(l, size) || word_fits_stack(l, size, KEPT_MARGIN))
		return o_slot(slot_new(l, size, align, name), 0);
	o = scratch_alloc(l, size);
	l->s->scratch_kept = l->s->scratch_used;
	return o;
}

static bool free_slot_of(struct lower *l, u32 size)
{
	for (u32 i = 0; i < l->s->free_slots.n; i++)
		if (l->f->slots.v[l->s->free_slots.v[i]].size == ALIGN_UP(size, 8u))
			return true;
	return false;
}

struct opnd lower_temp(struct lower *l, u32 size, u32 align, const char *name)
{
	u32 slot;

	size = MAX(size, 1u);
	if (!fits_stack(l, size) && !free_slot_of(l, size) &&
	    !word_fits_stack(l, size, WORD_MARGIN))
		return scratch_alloc(l, size);
	slot = slot_new(l, size, align, name);
	vec_push(l->arena, &l->s->live_slots, slot);
	return o_slot(slot, 0);
}

struct temp_mark temps_mark(struct lower *l)
{
	return (struct temp_mark){ l->s->live_slots.n, l->s->scratch_used };
}

void temps_release(struct lower *l, struct temp_mark m)
{
	for (u32 i = m.live_slots; i < l->s->live_slots.n; i++)
		vec_push(l->arena, &l->s->free_slots, l->s->live_slots.v[i]);
	l->s->live_slots.n = m.live_slots;
	l->s->scratch_used = MAX(m.scratch_used, l->s->scratch_kept);
}

/* ---- foreign memory */

static enum space lower_space(const struct lower *l, enum space s)
{
	if (s == SPACE_NONE)
		s = l->profile->default_space;
	if (s == SPACE_EITHER || s == SPACE_NONE || s == SPACE_BTF || s == SPACE_CTX ||
	    s == SPACE_BPF)
		return SPACE_KERNEL;
	return s;
}

/* A record that is filled again would count twice: the number is counted at its end. */
static void count_unread(struct lower *l)
{
	u32 unread = l->s->held.unread;

	if (l->s->held.is_trial)
		return;
	if (unread)
		ir_var_set(l, unread, ir_op2(l, IR_ADD, o_temp(unread), o_imm(1)));
	else
		lower_loss(l, LOSS_UNREADABLE, NULL);
}

enum space lower_handed_space(const struct lower *l, enum space s)
{
	const struct profile *p = l->profile;

	if (lower_space(l, s) != SPACE_KERNEL || p->default_space == SPACE_USER ||
	    p->load.prog_type == BPF_PROG_TYPE_XDP)
		return s;
	return SPACE_EITHER;
}

static const struct {
	u32 bytes, string; /* helpers */
} readers[] = {
	[SPACE_KERNEL] = { BPF_FUNC_probe_read_kernel, BPF_FUNC_probe_read_kernel_str },
	[SPACE_EITHER] = { BPF_FUNC_probe_read, BPF_FUNC_probe_read_str },
};

/*
 * Pointers among a function's arguments, and what they reach, may be its caller's, as strings may.
 */
static enum space reader_of(const struct lower *l, enum space s)
{
	const struct profile *p = l->profile;

	if (s == SPACE_EITHER)
		return s;
	if (p->kind == PROFILE_BTF || p->kind == PROFILE_PT_REGS)
		s = lower_handed_space(l, s);
	return s == SPACE_EITHER ? s : lower_space(l, s);
}

/* Unreadable memory is counted; null_is_fine: a null pointer is not. */
static void count_failure(struct lower *l, struct opnd ret, struct opnd addr, bool null_is_fine)
{
	struct ir_block *bad = ir_block_new(l), *ok = ir_block_new(l), *failed = ir_block_new(l);

	ir_branch(l, CC_SLT, ret, o_imm(0), failed, ok);
	ir_place(l, failed);
	if (null_is_fine)
		ir_branch(l, CC_EQ, addr, o_imm(0), ok, bad);
	else
		ir_jump(l, bad);
	ir_place(l, bad);
	count_unread(l);
	ir_jump(l, ok);
	ir_place(l, ok);
}

/* With -k. */
static void count_unreadable(struct lower *l, struct opnd ret, struct opnd addr)
{
	if (l->env->request->compile.extra_warnings)
		count_failure(l, ret, addr, false);
}

/*
 * A string argument of a process may be in a page that it has not touched; only here is that
 * frequent.
 */
static bool is_call_entry(const struct lower *l)
{
	const struct profile *p = l->profile;

	return p->syscall.enter ||
	       (p->kind == PROFILE_TRACEPOINT && p->default_space == SPACE_USER);
}

void lower_count_unread(struct lower *l, struct opnd ret, struct opnd addr)
{
	if (is_call_entry(l) && !l->env->request->compile.extra_warnings)
		count_failure(l, ret, addr, true);
	else
		count_unreadable(l, ret, addr);
}

void lower_probe_read(struct lower *l, struct opnd dst, u32 size, struct opnd addr,
		      enum space space)
{
	lower_probe_read_sized(l, dst, o_imm(size), size, addr, space);
}

struct opnd lower_read_scalar(struct lower *l, const struct type *t, struct opnd addr,
			      enum space space)
{
	struct ir_insn key = { .op = IR_LOAD,
			       .size = (u8)t->size,
			       .is_signed = t->is_signed,
			       .imm = lower_space(l, space),
			       .arg = { addr } };
	struct opnd slot, r;

	if (vn_find(l, &key, false, &r))
		return r;
	slot = lower_temp(l, t->size, t->size, "read");
	lower_probe_read(l, slot, t->size, addr, space);
	r = ir_load(l, slot, t->size, t->is_signed);
	vn_add(l, &key, false, r);
	return r;
}

struct opnd lower_read_str_sized(struct lower *l, struct opnd dst, struct opnd size, u32 cap,
				 struct opnd addr, enum space space)
{
	enum space from = reader_of(l, space);
	bool user = from == SPACE_USER;
	struct opnd ret =
		user ? lower_user_read(l, BPF_FUNC_probe_read_user_str, dst, size, cap, addr) :
		       ir_call(l, readers[from].string, false, 3, dst, size, addr);

	if (user)
		lower_count_unread(l, ret, addr);
	else
		count_unreadable(l, ret, addr);
	return ret;
}

struct opnd lower_read_str(struct lower *l, struct opnd dst, u32 cap, struct opnd addr,
			   enum space space)
{
	return lower_read_str_sized(l, dst, o_imm(cap), cap, addr, space);
}

struct opnd lower_probe_read_sized(struct lower *l, struct opnd dst, struct opnd size, u32 cap,
				   struct opnd addr, enum space space)
{
	enum space from = reader_of(l, space);
	struct opnd ret =
		from == SPACE_USER ?
			lower_user_read(l, BPF_FUNC_probe_read_user, dst, size, cap, addr) :
			ir_call(l, readers[from].bytes, false, 3, dst, size, addr);

	count_unreadable(l, ret, addr);
	return ret;
}

u32 lower_str_limit(struct lower *l)
{
	u32 limit = l->s->str_limit;

	l->s->str_limit = 0;
	return limit;
}

/* ---- writing values */

void lower_zero_from(struct lower *l, struct opnd dst, u32 from, u32 to)
{
	if (from < to)
		ir_zero(l, opnd_plus(dst, from), to - from);
}

void lower_put_string(struct lower *l, const char *s, u32 len, u32 cap, struct opnd dst,
		      bool canonical)
{
	u8 word[8];
	u32 n = (u32)strnlen(s, MIN(len, cap - 1)), end = n + 1, at = 0;

	while (at < end) {
		u32 size = cap - at >= 8 ? 8 : cap - at >= 4 ? 4 : cap - at >= 2 ? 2 : 1;
		u64 v = 0;

		memset(word, 0, sizeof word);
		if (at < n)
			memcpy(word, s + at, MIN(n - at, size));
		memcpy(&v, word, size);
		ir_store(l, opnd_plus(dst, at), size, o_imm((s64)v));
		at += size;
	}
	if (canonical)
		lower_zero_from(l, dst, at, cap);
}

/*
 * A string in our memory of another capacity: copies the common part, terminates it, zeroes the
 * rest.
 */
static void put_string_copy(struct lower *l, const struct ir_val *v, const struct type *t,
			    struct opnd dst, bool canonical)
{
	u32 n = MIN(v->type->count, t->count);

	ir_copy(l, dst, v->o, n);
	if (v->type->count > t->count)
		ir_store(l, opnd_plus(dst, t->count - 1), 1, o_imm(0));
	if (canonical)
		lower_zero_from(l, dst, n, t->count);
}

static void put_counted(struct lower *l, const struct ir_val *v, const struct type *t,
			struct opnd dst)
{
	u32 most = t->count * t->elem->size;
	struct opnd n = ir_at_most(l, v->bytes, most);

	ir_zero(l, dst, t->size);
	lower_probe_read_sized(l, dst, n, most, v->o, v->space);
	ir_store(l, opnd_plus(dst, type_count_at(t)), 8,
		 ir_op2(l, IR_UDIV, n, o_imm(t->elem->size)));
}

static void put_foreign(struct lower *l, const struct ir_val *v, const struct type *t,
			struct opnd dst, bool canonical)
{
	if (t->kind == TY_STRING && v->type->kind == TY_STRING) {
		if (canonical)
			ir_zero(l, dst, t->count);
		lower_read_str(l, dst, MIN(t->count, v->type->count), v->o, v->space);
		return;
	}
	if (t->is_counted && v->bytes.kind != O_NONE) {
		put_counted(l, v, t, dst);
		return;
	}
	lower_probe_read(l, dst, MIN(t->size, v->type->size), v->o, v->space);
	lower_zero_from(l, dst, v->type->size, t->size);
}

/*
 * Tuples and records whose fields were widened are converted field by field. Strings are always
 * padded: tuples are copied as a whole.
 */
static void put_fields(struct lower *l, const struct ir_val *v, const struct type *t,
		       struct opnd dst)
{
	u32 at = 0;

	for (u32 i = 0; i < t->n_fields; i++) {
		const struct field *to = &t->fields[i],
				   *from = &v->type->fields[MIN(i, v->type->n_fields - 1)];
		struct ir_val part = { .type = from->type,
				       .in_memory = true,
				       .clean = v->clean,
				       .o = opnd_plus(v->o, from->offset) };

		if (t->kind == TY_RECORD)
			for (u32 j = 0; j < v->type->n_fields; j++)
				if (streq(v->type->fields[j].name, to->name)) {
					part.type = v->type->fields[j].type;
					part.o = opnd_plus(v->o, v->type->fields[j].offset);
				}
		lower_zero_from(l, dst, at, to->offset);
		lower_put(l, &part, to->type, opnd_plus(dst, to->offset), true);
		at = to->offset + to->type->size;
	}
	lower_zero_from(l, dst, at, t->size);
}

static void put_probe_text(struct lower *l, const struct ir_val *v, const struct type *t,
			   struct opnd dst, bool canonical)
{
	struct ir_val text =
		lower_probe_text(l, v->in_memory ? lower_load_lvalue(l, v, NULL) : v->o);

	put_string_copy(l, &text, t, dst, canonical);
}

/* func becomes a symbol of the program. */
static void put_func(struct lower *l, const struct ir_val *v, struct opnd dst)
{
	struct opnd site = v->in_memory ? lower_load_lvalue(l, v, NULL) : v->o;

	ir_store(l, dst, 8, ir_op2(l, IR_OR, site, o_imm((s64)SYM_OF_SITE)));
	ir_store(l, opnd_plus(dst, 8), 8, o_imm(0));
}

void lower_put(struct lower *l, const struct ir_val *v, const struct type *t, struct opnd dst,
	       bool canonical)
{
	if (v->type->kind == TY_PROBE && t->kind == TY_STRING) {
		put_probe_text(l, v, t, dst, canonical);
		return;
	}
	if (v->type->kind == TY_PROBE && t->kind == TY_USYM) {
		put_func(l, v, dst);
		return;
	}
	if (type_is_scalar(t)) {
		struct opnd o = v->o;

		if (v->in_memory)
			o = lower_load_lvalue(l, v, NULL);
		o = lower_convert(l, o, v->type, t);
		ir_store(l, dst, t->size, o);
	} else if (t->kind == TY_FLOAT && v->type->size < t->size) {
		ir_store(l, dst, 8, lower_float_load(l, v));
	} else if (v->is_foreign) {
		put_foreign(l, v, t, dst, canonical);
	} else if (t->kind == TY_STRING && v->type->kind == TY_STRING &&
		   t->count != v->type->count) {
		put_string_copy(l, v, t, dst, canonical);
	} else if ((t->kind == TY_TUPLE || t->kind == TY_RECORD) && !type_equal(t, v->type)) {
		put_fields(l, v, t, dst);
	} else {
		ir_copy(l, dst, v->o, MIN(t->size, v->type->size));
		lower_zero_from(l, dst, v->type->size, t->size);
	}
}

void lower_store_val(struct lower *l, const struct ir_val *v, const struct type *t, struct opnd dst)
{
	lower_put(l, v, t, dst, true);
}

/* ---- losses */

/* The statement's counter, in the hash chain of its span and reason. */
static u32 find_loss(struct lower *l, enum loss_reason reason)
{
	struct program *p = l->prog;
	u32 i = p->loss_head[(l->span.off * 31 + reason) % LOSS_BUCKETS];

	while (i &&
	       !(p->losses.v[i - 1].span.off == l->span.off && p->losses.v[i - 1].reason == reason))
		i = p->losses.v[i - 1].prev;
	return i;
}

static u32 new_loss(struct lower *l, enum loss_reason reason, const char *where, u32 data_off)
{
	struct program *p = l->prog;
	u32 *head = &p->loss_head[(l->span.off * 31 + reason) % LOSS_BUCKETS];
	struct loss loss = { .span = l->span,
			     .reason = reason,
			     .where = where,
			     .data_off = data_off,
			     .prev = *head };

	vec_push(p->arena, &p->losses, loss);
	*head = p->losses.n;
	return *head;
}

static u32 lose(struct lower *l, enum loss_reason reason, const char *where, struct opnd times)
{
	u32 i = find_loss(l, reason);

	if (!i)
		i = new_loss(l, reason, where, lower_data(l, 8, NULL));
	l->unit->counts_apart |= l->f->shared;
	if (!l->s->held.is_trial)
		ir_atomic_add(l,
			      o_data(lower_internal_map(l, MAP_DATA),
				     l->prog->losses.v[i - 1].data_off),
			      8, times);
	return i - 1;
}

u32 lower_loss(struct lower *l, enum loss_reason reason, const char *where)
{
	return lose(l, reason, where, o_imm(1));
}

static void loss_if(struct lower *l, enum ir_cond cc, struct opnd v, enum loss_reason reason,
		    const char *where)
{
	struct ir_block *lost = ir_block_new(l), *on = ir_block_new(l);

	ir_branch(l, cc, v, o_imm(0), lost, on);
	ir_place(l, lost);
	lower_loss(l, reason, where);
	ir_jump(l, on);
	ir_place(l, on);
}

void lower_loss_if_zero(struct lower *l, struct opnd v, enum loss_reason reason, const char *where)
{
	loss_if(l, CC_EQ, v, reason, where);
}

void lower_loss_unless_zero(struct lower *l, struct opnd v, enum loss_reason reason,
			    const char *where)
{
	loss_if(l, CC_NE, v, reason, where);
}

void lower_losses(struct lower *l, enum loss_reason reason, struct opnd times)
{
	lose(l, reason, NULL, times);
}

void lower_loss_by_bit(struct lower *l, enum loss_reason even, enum loss_reason odd,
		       const char *where, struct opnd which)
{
	u32 i = find_loss(l, even),
	    off = i ? l->prog->losses.v[i - 1].data_off : lower_data(l, 16, NULL);
	u32 mark = vn_mark(l);
	struct opnd at;

	l->unit->counts_apart |= l->f->shared;
	if (!i) {
		new_loss(l, even, where, off);
		new_loss(l, odd, where, off + 8);
	}
	at = ir_op2(l, IR_SHL, ir_op2(l, IR_AND, which, o_imm(1)), o_imm(3));
	at = ir_op2(l, IR_ADD, ir_addr(l, o_data(lower_internal_map(l, MAP_DATA), off)), at);
	ir_atomic_add(l, at, 8, o_imm(1));
	vn_truncate(l, mark); /* this is off the main path */
}
