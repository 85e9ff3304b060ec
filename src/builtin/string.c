/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * String functions: length, comparison, concatenation, substrings.
 *
 * Functions without a loop use bpf_probe_read_kernel_str(), which also reads BPF memory: it returns
 * the length, and it stops at a NUL written where a substring ends. Loops run byte by byte up to
 * the capacity. Verifiers follow each iteration, so a loop body has no branch but the exit.
 */
#include "builtin/text.h"

enum { MAX_CONCAT = 1024 }; /* unless max_strlen or an operand is longer */

/* ---- strlen, strcap */

static const struct type *check_strlen(struct check *c, struct node *call)
{
	const struct node *s = call_arg(call, 0);

	return node_is_const_str(s) ?
		       node_fold_int(call, (s64)strnlen(s->str, s->str_len), &ty_u64) :
		       &ty_u64;
}

static struct ir_val lower_strlen(struct lower *l, struct node *call)
{
	lower_str_limit(l);
	return val_scalar(&ty_u64, text_copy(l, call_arg(call, 0)).len);
}

static const struct type *check_strcap(struct check *c, struct node *call)
{
	return node_fold_int(call, call_arg(call, 0)->type->count, &ty_u64);
}

/* ---- strncmp, memcmp: unrolled, by words; the first word that differs decides */

struct comparison {
	struct ir_block *differ, *out;
	u32 x, y, result;
};

static void compare_begin(struct lower *l, struct comparison *k)
{
	*k = (struct comparison){ .differ = ir_block_new(l),
				  .out = ir_block_new(l),
				  .x = ir_var(l),
				  .y = ir_var(l),
				  .result = ir_var(l) };
}

static struct opnd literal_word(const char *s, u32 len, u32 at, u32 size)
{
	u64 w = 0;

	if (at < len)
		memcpy(&w, s + at, MIN(size, len - at));
	return o_imm((s64)w);
}

/* b: an address; NULL: compare with literal. */
static void compare_bytes(struct lower *l, struct comparison *k, struct opnd a,
			  const struct opnd *b, const struct node *literal, u32 len)
{
	for (u32 at = 0, size; at < len; at += size) {
		struct ir_block *next = ir_block_new(l);
		u32 left = len - at;
		struct opnd x, y;

		size = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
		x = ir_load(l, opnd_plus(a, at), size, false);
		y = b ? ir_load(l, opnd_plus(*b, at), size, false) :
			literal_word(literal->str, literal->str_len, at, size);
		ir_var_set(l, k->x, x);
		ir_var_set(l, k->y, y);
		ir_branch(l, CC_NE, x, y, k->differ, next);
		ir_place(l, next);
	}
}

static struct opnd swap(struct lower *l, struct opnd v, u32 size)
{
	return ir_emit(l, (struct ir_insn){ .op = IR_BSWAP, .size = (u8)size, .arg = { v } });
}

/* The result is 0 if equal, else 1. */
static struct ir_val compare_end_equal(struct lower *l, struct comparison *k)
{
	ir_var_set(l, k->result, o_imm(0));
	ir_jump(l, k->out);
	ir_place(l, k->differ);
	ir_var_set(l, k->result, o_imm(1));
	ir_jump(l, k->out);
	ir_place(l, k->out);
	return val_scalar(&ty_s64, o_temp(k->result));
}

/* The result is -1, 0 or 1. */
static struct ir_val compare_end(struct lower *l, struct comparison *k)
{
	struct ir_block *less = ir_block_new(l), *more = ir_block_new(l);

	ir_var_set(l, k->result, o_imm(0));
	ir_jump(l, k->out);
	ir_place(l, k->differ);
	ir_branch(l, CC_ULT, swap(l, o_temp(k->x), 8), swap(l, o_temp(k->y), 8), less, more);
	ir_place(l, less);
	ir_var_set(l, k->result, o_imm(-1));
	ir_jump(l, k->out);
	ir_place(l, more);
	ir_var_set(l, k->result, o_imm(1));
	ir_jump(l, k->out);
	ir_place(l, k->out);
	return val_scalar(&ty_s64, o_temp(k->result));
}

static const struct type *check_length(struct check *c, struct node *call, s64 max)
{
	const struct node *n = call_arg(call, 2);

	if (n->value < 0)
		return diag_type(c, n->span, D_STR_LENGTH, (long long)n->value);
	if (max && n->value > max)
		return diag_type(c, n->span, D_MEMCMP_LENGTH, (long long)max, (long long)n->value);
	return &ty_s64;
}

static const struct type *check_strncmp(struct check *c, struct node *call)
{
	const struct node *a = call_arg(call, 0), *b = call_arg(call, 1);
	const struct type *t = check_length(c, call, 0);
	int order;

	if (t->kind == TY_ERROR)
		return t;
	if (!node_is_const_str(a) || !node_is_const_str(b))
		return &ty_u64;
	order = strncmp(a->str, b->str, (size_t)call_int(call, 2, 0));
	return node_fold_int(call, order != 0, &ty_u64);
}

static struct ir_val lower_strncmp(struct lower *l, struct node *call)
{
	struct node *a = call_arg(call, 0), *b = call_arg(call, 1);
	u32 n = (u32)MIN(call_int(call, 2, 0), (s64)UINT32_MAX / 2);
	bool is_swapped = node_is_const_str(a);
	struct comparison k;
	struct ir_val x, y;

	lower_str_limit(l);
	if (node_is_const_str(a) || node_is_const_str(b)) {
		const struct node *literal = is_swapped ? a : b;

		n = MIN(n, literal->str_len + 1);
		x = lower_string_prefix(l, is_swapped ? b : a, n);
		compare_begin(l, &k);
		compare_bytes(l, &k, x.o, NULL, literal, MIN(n, x.type->count));
		return compare_end_equal(l, &k);
	}
	x = lower_memory(l, a);
	y = lower_memory(l, b);
	n = MIN(n, MIN(x.type->count, y.type->count));
	compare_begin(l, &k);
	compare_bytes(l, &k, x.o, &y.o, NULL, n);
	return compare_end_equal(l, &k);
}

static const struct type *check_memcmp(struct check *c, struct node *call)
{
	s64 n = call_int(call, 2, 0);

	for (u32 i = 0; i < 2; i++) {
		const struct node *a = call_arg(call, i);

		if (!type_is_scalar(a->type) && a->type->size && n > (s64)a->type->size)
			return diag_type(c, a->span, D_MEMCMP_LENGTH, (long long)a->type->size,
					 (long long)n);
	}
	return check_length(c, call, 1024);
}

/* n bytes of the argument, or of what it points to, in BPF memory. */
static struct opnd bytes_of(struct lower *l, struct node *a, u32 n)
{
	struct opnd temp;
	struct ir_val v;

	if (type_is_scalar(a->type)) {
		struct opnd addr = lower_scalar(l, a);

		temp = lower_temp(l, MAX(n, 8u), 8, "bytes");
		lower_probe_read(l, temp, n, addr,
				 a->type->kind == TY_POINTER ? a->type->space : SPACE_NONE);
		return temp;
	}
	v = lower_lvalue(l, a);
	if (!v.is_foreign)
		return a->type->kind == TY_BUFFER ? opnd_plus(v.o, 4) : v.o;
	temp = lower_temp(l, MAX(n, 8u), 8, "bytes");
	lower_probe_read(l, temp, n, v.o, v.space);
	return temp;
}

static struct ir_val lower_memcmp(struct lower *l, struct node *call)
{
	u32 n = (u32)call_int(call, 2, 0);
	struct comparison k;
	struct opnd a, b;

	lower_str_limit(l);
	a = bytes_of(l, call_arg(call, 0), n);
	b = bytes_of(l, call_arg(call, 1), n);
	compare_begin(l, &k);
	compare_bytes(l, &k, a, &b, NULL, n);
	return compare_end(l, &k);
}

/* ---- str_concat, substr */

/* Bounded, so that $s = str_concat($s, $t) does not grow the type of $s in every pass of type
 * inference. */
static u32 concat_cap(const struct check *c, u32 a, u32 b)
{
	u32 most = MAX(MAX((u32)c->env->config.max_strlen, (u32)MAX_CONCAT), MAX(a, b));

	return check_is_slow(c) ? most : MIN(a + b - 1, most);
}

static const struct type *check_concat(struct check *c, struct node *call)
{
	const struct node *a = call_arg(call, 0), *b = call_arg(call, 1);

	if (node_is_const_str(a) && node_is_const_str(b)) {
		char *s = arena_printf(c->arena, "%s%s", a->str, b->str);

		return node_fold_str(call, s, (u32)strlen(s),
				     type_known_text(c->arena, (u32)strlen(s)));
	}
	return type_string(c->arena, concat_cap(c, a->type->count, b->type->count));
}

static struct ir_val lower_concat(struct lower *l, struct node *call)
{
	struct node *a = call_arg(call, 0), *b = call_arg(call, 1);
	u32 cap_a = a->type->count, cap_b = b->type->count, room = power_of_two(cap_a);
	bool canonical;
	struct opnd dst = lower_dest(l, call->type, &canonical), both, len;
	struct text x, y;

	lower_str_limit(l);
	x = text_copy(l, a);
	y = text_copy(l, b);
	both = lower_temp(l, MAX(room + cap_b, (u32)SCRATCH_ROOM), 8, "both");
	len = text_move(l, both, cap_a, x.at);
	len = ir_op2(l, IR_AND, len, o_imm(room - 1));
	text_move(l, ir_op2(l, IR_ADD, ir_addr(l, both), len), cap_b, y.at);
	return text_result(l, call, dst, canonical, ir_addr(l, both));
}

static const struct type *check_substr(struct check *c, struct node *call)
{
	const struct node *s = call_arg(call, 0), *n = call_arg(call, 2);
	u32 cap = s->type->count;

	if (n && n->is_const && n->value < 0)
		return diag_type(c, n->span, D_STR_LENGTH, (long long)n->value);
	if (n && n->is_const && n->value + 1 < (s64)cap)
		cap = (u32)n->value + 1;
	return type_string(c->arena, cap);
}

/* Ends the text at `end` and returns the address of byte `from`; both are at most its length. */
static struct opnd cut(struct lower *l, const struct text *t, struct opnd from, struct opnd end)
{
	struct opnd base = t->at, mask = o_imm(t->room - 1);

	ir_store(l, ir_op2(l, IR_ADD, base, ir_op2(l, IR_AND, end, mask)), 1, o_imm(0));
	return ir_op2(l, IR_ADD, base, ir_op2(l, IR_AND, from, mask));
}

static struct ir_val lower_substr(struct lower *l, struct node *call)
{
	struct node *n = call_arg(call, 2);
	bool canonical;
	struct opnd dst = lower_dest(l, call->type, &canonical), from, size, end, over;
	struct text t;
	u32 e = ir_var(l);

	lower_str_limit(l);
	t = text_copy(l, call_arg(call, 0));
	from = ir_at_most(l, lower_scalar(l, call_arg(call, 1)), t.room - 1);
	size = n ? ir_at_most(l, lower_scalar(l, n), t.room) : o_imm(t.room);
	/* from = min(from, len); end = min(from + size, len) */
	ir_var_set(l, e, from);
	over = ir_op2(l, IR_SHR, ir_op2(l, IR_SUB, t.len, o_temp(e)), o_imm(63));
	choose(l, e, over, t.len);
	from = ir_emit(l, (struct ir_insn){ .op = IR_MOVE, .arg = { o_temp(e) } });
	end = ir_op2(l, IR_ADD, from, size);
	ir_var_set(l, e, end);
	over = ir_op2(l, IR_SHR, ir_op2(l, IR_SUB, t.len, end), o_imm(63));
	choose(l, e, over, t.len);
	return text_result(l, call, dst, canonical, cut(l, &t, from, o_temp(e)));
}

/* ---- split */

static const struct type *check_split(struct check *c, struct node *call)
{
	const struct node *sep = call_arg(call, 1);

	if (!sep->str_len || sep->str_len > 8)
		return diag_type(c, sep->span, D_SPLIT_SEPARATOR, sep->str_len);
	return call_arg(call, 0)->type;
}

struct split {
	const struct node *sep;
	struct text t;
	struct opnd index;
	u32 field, from, end, skip;
};

/* 1 if the separator is at byte k of this iteration. */
static struct opnd separator_at(struct lower *l, const struct split *s, const struct byte_loop *b,
				u32 k)
{
	struct opnd x = o_imm(0);

	for (u32 i = 0; i < s->sep->str_len; i++) {
		struct opnd byte = loop_byte(l, &s->t, b, k + i);

		x = ir_op2(l, IR_OR, x, ir_op2(l, IR_XOR, byte, o_imm((u8)s->sep->str[i])));
	}
	return is_zero(l, x);
}

/*
 * field counts separators; [from, end) is the wanted field. While skip is not 0, the rest of a
 * separator does not begin another one:
 *
 *	hit = skip == 0 && separator at i
 *	end = hit && field == index ? i : end;  field += hit;  from = hit && field == index ? i + n : from
 */
static void split_byte(struct lower *l, const struct split *s, const struct byte_loop *b, u32 k)
{
	struct opnd i = ir_op2(l, IR_ADD, o_temp(b->i), o_imm(k)), n = o_imm(s->sep->str_len), here,
		    hit;
	struct opnd inside = ir_op2(l, IR_SHR, ir_op2(l, IR_SUB, i, s->t.len), o_imm(63));

	hit = ir_op2(l, IR_AND, separator_at(l, s, b, k), inside);
	if (s->sep->str_len > 1) {
		struct opnd free = is_zero(l, o_temp(s->skip));
		struct opnd less =
			ir_op2(l, IR_SUB, o_temp(s->skip), ir_op2(l, IR_XOR, free, o_imm(1)));

		hit = ir_op2(l, IR_AND, hit, free);
		less = ir_op2(l, IR_ADD, less, ir_op2(l, IR_MUL, hit, o_imm(n.imm - 1)));
		ir_var_set(l, s->skip, less);
	}
	here = ir_op2(l, IR_AND, hit, is_zero(l, ir_op2(l, IR_XOR, o_temp(s->field), s->index)));
	choose(l, s->end, here, i);
	ir_var_set(l, s->field, ir_op2(l, IR_ADD, o_temp(s->field), hit));
	here = ir_op2(l, IR_AND, hit, is_zero(l, ir_op2(l, IR_XOR, o_temp(s->field), s->index)));
	choose(l, s->from, here, ir_op2(l, IR_ADD, i, n));
}

/*
 * As a shared function, for any separator, which is compared with the last bytes:
 *
 *	last = last >> 8 | byte << 56;  since++		bytes since the last separator
 *	hit = since >= n && last >> (64 - 8 * n) == separator && i < len
 *	since = hit ? 0 : since;  then as above, with i - n + 1 and i + 1
 */
enum { SPLIT_LENGTH_BITS = 4, MOST_FIELDS = 1 << 30, SPLIT_FROM = 32 };

struct any_split {
	struct text t;
	struct opnd len, separator, n, shift, index;
	u32 last, since, field, from, end;
};

static void any_split_byte(struct lower *l, const struct any_split *s, const struct byte_loop *b,
			   u32 k)
{
	struct opnd i = ir_op2(l, IR_ADD, o_temp(b->i), o_imm(k)), byte = loop_byte(l, &s->t, b, k),
		    hit, here;

	ir_var_set(l, s->last,
		   ir_op2(l, IR_OR, ir_op2(l, IR_SHR, o_temp(s->last), o_imm(8)),
			  ir_op2(l, IR_SHL, byte, o_imm(56))));
	ir_var_set(l, s->since, ir_op2(l, IR_ADD, o_temp(s->since), o_imm(1)));
	hit = is_zero(l, ir_op2(l, IR_XOR, ir_op2(l, IR_SHR, o_temp(s->last), s->shift),
				s->separator));
	here = ir_op2(l, IR_SHR, ir_op2(l, IR_SUB, i, s->len), o_imm(63));
	hit = ir_op2(l, IR_AND, hit, here);
	here = ir_op2(l, IR_SHR,
		      ir_op2(l, IR_SUB, ir_op2(l, IR_SUB, s->n, o_imm(1)), o_temp(s->since)),
		      o_imm(63));
	hit = ir_op2(l, IR_AND, hit, here);
	ir_var_set(l, s->since,
		   ir_op2(l, IR_MUL, o_temp(s->since), ir_op2(l, IR_XOR, hit, o_imm(1))));
	here = ir_op2(l, IR_AND, hit, is_zero(l, ir_op2(l, IR_XOR, o_temp(s->field), s->index)));
	choose(l, s->end, here, ir_op2(l, IR_SUB, ir_op2(l, IR_ADD, i, o_imm(1)), s->n));
	ir_var_set(l, s->field, ir_op2(l, IR_ADD, o_temp(s->field), hit));
	here = ir_op2(l, IR_AND, hit, is_zero(l, ir_op2(l, IR_XOR, o_temp(s->field), s->index)));
	choose(l, s->from, here, ir_op2(l, IR_ADD, i, o_imm(1)));
}

static struct opnd split_body(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	struct any_split s = { .t = text_shared(l, arg[0], most[0]),
			       .len = arg[1],
			       .separator = arg[2],
			       .last = ir_var(l),
			       .since = ir_var(l),
			       .field = ir_var(l),
			       .from = ir_var(l),
			       .end = ir_var(l) };
	struct opnd none;
	struct byte_loop b;

	s.n = ir_op2(l, IR_AND, arg[3], o_imm((1 << SPLIT_LENGTH_BITS) - 1));
	s.shift = ir_op2(l, IR_SUB, o_imm(64), ir_op2(l, IR_SHL, s.n, o_imm(3)));
	s.index = ir_op2(l, IR_SHR, arg[3], o_imm(SPLIT_LENGTH_BITS));
	ir_var_set(l, s.last, o_imm(0));
	ir_var_set(l, s.since, o_imm(0));
	ir_var_set(l, s.field, o_imm(0));
	none = ir_op2(l, IR_XOR, is_zero(l, s.index), o_imm(1));
	ir_var_set(l, s.from, ir_op2(l, IR_MUL, none, s.len));
	ir_var_set(l, s.end, s.len);
	byte_loop_begin(l, &b, s.t.cap);
	for (u32 k = 0; k < b.step; k++)
		any_split_byte(l, &s, &b, k);
	byte_loop_while(l, &b, CC_ULT, o_temp(b.i), s.len);
	return ir_op2(l, IR_OR, ir_op2(l, IR_SHL, o_temp(s.from), o_imm(SPLIT_FROM)),
		      o_temp(s.end));
}

static const struct shared_func split_func = { .name = "split", .n_args = 4, .body = split_body };

static struct ir_val split_by_call(struct lower *l, struct node *call, struct opnd dst,
				   bool canonical)
{
	const struct node *sep = call_arg(call, 1);
	struct text t = text_copy(l, call_arg(call, 0));
	struct opnd index = ir_at_most(l, lower_scalar(l, call_arg(call, 2)), MOST_FIELDS), r, end;
	u64 word = 0;

	memcpy(&word, sep->str, sep->str_len);
	index = ir_op2(l, IR_OR, ir_op2(l, IR_SHL, index, o_imm(SPLIT_LENGTH_BITS)),
		       o_imm(sep->str_len));
	r = lower_call_shared(l, &split_func, (u32[]){ t.room, 0 },
			      (struct opnd[]){ lower_scratch_offset(l, t.scratch), t.len,
					       o_imm((s64)word), index });
	end = ir_ext(l, r, 4, false);
	return text_result(l, call, dst, canonical,
			   cut(l, &t, ir_op2(l, IR_SHR, r, o_imm(SPLIT_FROM)), end));
}

static struct ir_val lower_split(struct lower *l, struct node *call)
{
	struct split s = { .sep = call_arg(call, 1) };
	bool canonical;
	struct opnd dst = lower_dest(l, call->type, &canonical), none;
	struct byte_loop b;

	lower_str_limit(l);
	if (lower_wants_shared(l, call_arg(call, 0)->type->count))
		return split_by_call(l, call, dst, canonical);
	s.t = text_copy(l, call_arg(call, 0));
	s.index = ir_opaque(l, lower_scalar(l, call_arg(call, 2)));
	s.field = ir_var(l);
	s.from = ir_var(l);
	s.end = ir_var(l);
	s.skip = ir_var(l);
	ir_var_set(l, s.field, o_imm(0));
	ir_var_set(l, s.skip, o_imm(0));
	/* Field 0 begins at 0; another field is empty until it is found. */
	none = ir_op2(l, IR_XOR, is_zero(l, s.index), o_imm(1));
	ir_var_set(l, s.from, ir_op2(l, IR_MUL, none, s.t.len));
	ir_var_set(l, s.end, s.t.len);
	byte_loop_begin(l, &b, s.t.cap);
	for (u32 k = 0; k < b.step; k++)
		split_byte(l, &s, &b, k);
	byte_loop_while(l, &b, CC_ULT, o_temp(b.i), s.t.len);
	return text_result(l, call, dst, canonical, cut(l, &s.t, o_temp(s.from), o_temp(s.end)));
}

/* ---- basename, dirname */

struct path_parts {
	u32 base, base_end; /* the last component */
	u32 dir_end;        /* end of what is before it, without trailing slashes */
	u32 was_slash, ended;
};

/*
 * A component begins at a byte that is not a slash, after a slash or at the start. The NUL and all
 * bytes after it count as slashes.
 *
 *	begins = !slash && was_slash
 *	dir_end = begins ? base_end : dir_end;  base = begins ? i : base;  base_end = !slash ? i + 1 : base_end
 */
static void path_byte(struct lower *l, const struct text *t, const struct byte_loop *b, u32 k,
		      const struct path_parts *p)
{
	struct opnd byte = loop_byte(l, t, b, k), i = ir_op2(l, IR_ADD, o_temp(b->i), o_imm(k)),
		    other, begins;
	struct opnd slash = is_zero(l, ir_op2(l, IR_XOR, byte, o_imm('/')));

	ir_var_set(l, p->ended, ir_op2(l, IR_OR, o_temp(p->ended), is_zero(l, byte)));
	slash = ir_op2(l, IR_OR, slash, o_temp(p->ended));
	other = ir_op2(l, IR_XOR, slash, o_imm(1));
	begins = ir_op2(l, IR_AND, other, o_temp(p->was_slash));
	choose(l, p->dir_end, begins, o_temp(p->base_end));
	choose(l, p->base, begins, i);
	choose(l, p->base_end, other, ir_op2(l, IR_ADD, i, o_imm(1)));
	ir_var_set(l, p->was_slash, slash);
}

static struct path_parts path_parts(struct lower *l, const struct text *t)
{
	struct path_parts p = { ir_var(l), ir_var(l), ir_var(l), ir_var(l), ir_var(l) };
	struct byte_loop b;

	ir_var_set(l, p.base, o_imm(0));
	ir_var_set(l, p.base_end, o_imm(0));
	ir_var_set(l, p.dir_end, o_imm(0));
	ir_var_set(l, p.was_slash, o_imm(1));
	ir_var_set(l, p.ended, o_imm(0));
	byte_loop_begin(l, &b, t->cap);
	for (u32 k = 0; k < b.step; k++)
		path_byte(l, t, &b, k, &p);
	byte_loop_while(l, &b, CC_EQ, o_temp(p.ended), o_imm(0));
	return p;
}

/* Without a component, the result is "/" for an absolute path, else ".". Returns the variable of
 * the end. */
static u32 root_or_dot(struct lower *l, const struct text *t, struct opnd end)
{
	u32 end_var = ir_var(l);
	struct ir_block *none = ir_block_new(l), *dot = ir_block_new(l), *set = ir_block_new(l),
			*some = ir_block_new(l), *out = ir_block_new(l);

	ir_branch(l, CC_EQ, end, o_imm(0), none, some);
	ir_place(l, some);
	ir_var_set(l, end_var, end);
	ir_jump(l, out);
	ir_place(l, none);
	ir_branch(l, CC_EQ, ir_load(l, t->at, 1, false), o_imm('/'), set, dot);
	ir_place(l, dot);
	ir_store(l, t->at, 1, o_imm('.'));
	ir_jump(l, set);
	ir_place(l, set);
	ir_var_set(l, end_var, o_imm(1));
	ir_jump(l, out);
	ir_place(l, out);
	return end_var;
}

/* Returns the start of the part; *end is its end. */
static struct opnd path_range(struct lower *l, const struct text *t, bool is_base, struct opnd *end)
{
	struct path_parts p = path_parts(l, t);

	*end = o_temp(root_or_dot(l, t, o_temp(is_base ? p.base_end : p.dir_end)));
	return is_base ? o_temp(p.base) : o_imm(0);
}

/* As a shared function; the result is from << 32 | end. */
static struct opnd path_body(struct lower *l, const struct opnd *arg, u32 most, bool is_base)
{
	struct text t = text_shared(l, arg[0], most);
	struct opnd end, from = path_range(l, &t, is_base, &end);

	return ir_op2(l, IR_OR, ir_op2(l, IR_SHL, from, o_imm(32)), end);
}

static struct opnd base_body(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	return path_body(l, arg, most[0], true);
}

static struct opnd dir_body(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	return path_body(l, arg, most[0], false);
}

static const struct shared_func base_func = { .name = "basename", .n_args = 1, .body = base_body };
static const struct shared_func dir_func = { .name = "dirname", .n_args = 1, .body = dir_body };

static const struct type *check_path_part(struct check *c, struct node *call)
{
	u32 cap = call_arg(call, 0)->type->count;

	return type_string(c->arena, MAX(cap, 2u));
}

static struct ir_val lower_path_part(struct lower *l, struct node *call, bool is_base)
{
	bool canonical;
	struct opnd dst = lower_dest(l, call->type, &canonical), from, end;
	bool shared = lower_wants_shared(l, call_arg(call, 0)->type->count);
	struct text t;

	lower_str_limit(l);
	t = text_copy(l, call_arg(call, 0));
	if (shared) {
		end = lower_scratch_offset(l, t.scratch);
		from = lower_call_shared(l, is_base ? &base_func : &dir_func, (u32[]){ t.room, 0 },
					 &end);
		end = ir_ext(l, from, 4, false);
		from = ir_op2(l, IR_SHR, from, o_imm(32));
	} else {
		from = path_range(l, &t, is_base, &end);
	}
	return text_result(l, call, dst, canonical, cut(l, &t, from, end));
}

static struct ir_val lower_basename(struct lower *l, struct node *call)
{
	return lower_path_part(l, call, true);
}

static struct ir_val lower_dirname(struct lower *l, struct node *call)
{
	return lower_path_part(l, call, false);
}

static const struct builtin rows[] = {
	{
		.name = "strlen",
		.sig = "strlen(s: string) -> uint64",
		.brief = "length of a string",
		.doc = "The number of bytes before the NUL.",
		.example = "begin { print(strlen(\"four\")); print(strlen(comm)); }",
		.output = "4\n"
			  "5",
		.engines = ON_ALL,
		.check = check_strlen,
		.lower = lower_strlen,
	},
	{
		.name = "strcap",
		.sig = "strcap(s: string) -> uint64",
		.brief = "capacity of a string",
		.doc = "The number of bytes that a string of this type can hold, the NUL included.",
		.example = "begin { print(strcap(comm)); }",
		.output = "16",
		.flags = BI_CONST,
		.engines = ON_ALL,
		.check = check_strcap,
	},
	{
		.name = "strncmp",
		.sig = "strncmp(a: string, b: string, n: lit int) -> uint64",
		.brief = "compare the beginnings of strings",
		.doc = "Compares at most n bytes. Returns 0 if they are equal, else 1.",
		.example = "begin { print(strncmp(\"bash\", \"bat\", 2)); }",
		.output = "0",
		.engines = ON_ALL,
		.check = check_strncmp,
		.lower = lower_strncmp,
	},
	{
		.name = "memcmp",
		.sig = "memcmp(a: any, b: any, n: lit int) -> int64",
		.brief = "compare bytes",
		.doc = "Compares n bytes, at most 1024, of arrays, strings, or what pointers "
		       "point to. Returns 0, -1 or 1.",
		.example =
			"begin { print(memcmp(\"bash\", \"bat\", 2)); print(memcmp(\"bash\", \"bat\", 3) < 0); }",
		.output = "0\n"
			  "true",
		.engines = ON_ALL,
		.check = check_memcmp,
		.lower = lower_memcmp,
	},
	{
		.name = "str_concat",
		.sig = "str_concat(a: string, b: string) -> string",
		.brief = "concatenate two strings",
		.doc = "a followed by b, cut at 1023 bytes, or at max_strlen if that is longer.",
		.example =
			"tracepoint:syscalls:sys_enter_clock_nanosleep { print(str_concat(comm, \"!\")); }",
		.work = "sleep 0.01",
		.output = "sleep!",
		.engines = ON_ALL,
		.check = check_concat,
		.lower = lower_concat,
	},
	{
		.name = "substr",
		.sig = "substr(s: string, from: int, n: int = 0) -> string",
		.brief = "part of a string",
		.doc = "n bytes of s starting at index `from`, counted from 0; without n, up to "
		       "the end.",
		.example = "begin { print(substr(\"abcdef\", 2, 3)); }",
		.output = "cde",
		.engines = ON_ALL,
		.check = check_substr,
		.lower = lower_substr,
	},
	{
		.name = "split",
		.sig = "split(s: string, separator: lit string, index: int) -> string",
		.brief = "one field of a string",
		.doc = "The field at index, counted from 0. The separator has 1 to 8 characters. "
		       "Empty if there are fewer fields.",
		.example = "begin { print(split(\"a:b:c\", \":\", 1)); }",
		.output = "b",
		.engines = ON_ALL,
		.check = check_split,
		.lower = lower_split,
	},
	{
		.name = "basename",
		.sig = "basename(path: string) -> string",
		.brief = "last part of a path",
		.doc = "Like basename(1): \"b\" for \"/a/b\" and \"/a/b/\", \"/\" for \"/\", "
		       "\".\" for the empty string.",
		.example = "begin { print(basename(\"/usr/lib/libc.so\")); }",
		.output = "libc.so",
		.engines = ON_ALL,
		.check = check_path_part,
		.lower = lower_basename,
	},
	{
		.name = "dirname",
		.sig = "dirname(path: string) -> string",
		.brief = "directory of a path",
		.doc = "Like dirname(1): \"/a\" for \"/a/b\", \"/\" for \"/a\", \".\" for \"a\".",
		.example = "begin { print(dirname(\"/usr/lib/libc.so\")); }",
		.output = "/usr/lib",
		.engines = ON_ALL,
		.check = check_path_part,
		.lower = lower_dirname,
	},
};

const struct builtin_theme builtin_string = THEME("Strings", rows);
