/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builtin/join.h"
#include "builtin/text.h"

enum {
	JOIN_ARGS = 128,
	JOIN_BYTES = 1024,
	JOIN_ROOM = 16384,
	JOIN_BUFFER = JOIN_ROOM + 2 * JOIN_BYTES,
	JOIN_MOST = 20480, /* of joined(): JOIN_ROOM, the last string, separators of 25 bytes */
};

/* ---- the array */

static bool is_array(const struct type *t)
{
	return type_is_integer(t) ||
	       (t->kind == TY_POINTER &&
		(t->elem->kind == TY_POINTER || t->elem->kind == TY_VOID)) ||
	       (t->kind == TY_ARRAY && t->elem->kind == TY_POINTER);
}

static const struct type *not_array(struct check *c, const struct node *call, const struct node *n)
{
	return diag_type(c, n->span, D_JOIN, call->name, type_str(c->arena, n->type));
}

/* Address of the array; *space is the address space of the array and the strings. */
static struct opnd join_array(struct lower *l, struct node *n, enum space *space)
{
	struct ir_val v;

	*space = n->type->kind == TY_POINTER ? n->type->space : SPACE_NONE;
	if (type_is_scalar(n->type))
		return lower_scalar(l, n);
	v = lower_lvalue(l, n);
	*space = v.is_foreign ? v.space : SPACE_KERNEL;
	return v.is_foreign ? v.o : ir_addr(l, v.o);
}

static const char *separator_of(const struct node *call)
{
	return call_arg(call, 1) ? call_str(call, 1) : " ";
}

struct joining {
	struct opnd array, strings; /* the pointers; the buffer of the strings */
	/* Word in memory: bytes of the strings so far, each with a NUL. Verifiers would track its
	 * values in a register. */
	struct opnd used;
	u32 room; /* where in `strings` the last one may begin: a power of two */
	enum space space;
	/* NULL: each string has its NUL. Else the separator is before each one, and the last one
	 * has a NUL. */
	const char *separator;
};

static u32 join_room(const struct joining *j)
{
	u32 n = j->separator ? (u32)strlen(j->separator) : 0;

	return power_of_two(JOIN_ROOM + (n > 1 ? JOIN_ARGS * (n - 1) : 0));
}

/* used: where the word is, after the buffer. */
static void joining_begin(struct lower *l, struct joining *j, struct node *call,
			  struct opnd strings, struct opnd used)
{
	j->array = join_array(l, call_arg(call, 0), &j->space);
	j->strings = strings;
	j->room = join_room(j);
	j->used = used;
}

static struct opnd join_used(struct lower *l, const struct joining *j)
{
	return ir_load(l, j->used, 8, false);
}

static struct opnd join_pointer(struct lower *l, const struct joining *j, struct opnd i)
{
	struct opnd at = ir_op2(l, IR_ADD, j->array, ir_op2(l, IR_SHL, i, o_imm(3)));

	return lower_read_scalar(l, &ty_u64, at, j->space);
}

/* The address where the i-th string, or the separator before it, begins. */
static struct opnd join_place(struct lower *l, const struct joining *j, struct opnd i)
{
	s64 more = j->separator ? (s64)strlen(j->separator) - 1 : 0; /* than a NUL */
	struct opnd at = join_used(l, j);

	if (more)
		at = ir_op2(l, IR_ADD, at, ir_op2(l, IR_MUL, i, o_imm(more)));
	return ir_op2(l, IR_ADD, ir_addr(l, j->strings), ir_op2(l, IR_AND, at, o_imm(j->room - 1)));
}

static void join_string(struct lower *l, const struct joining *j, struct opnd i, struct opnd p)
{
	struct opnd to = join_place(l, j, i), n;
	u32 before = 0;

	for (const char *s = j->separator; s && *s; s++, before++)
		ir_store(l, opnd_plus(to, before), 1, o_imm((u8)*s));
	n = text_append(l, before ? ir_op2(l, IR_ADD, to, o_imm(before)) : to, JOIN_BYTES, p,
			j->space);
	ir_store(l, j->used, 8, ir_op2(l, IR_ADD, join_used(l, j), n));
}

static void join_strings(struct lower *l, const struct joining *j)
{
	struct ir_block *done = ir_block_new(l), *more = ir_block_new(l), *cut = ir_block_new(l);
	struct byte_loop b;
	struct opnd p;

	ir_store(l, j->used, 8, o_imm(0));
	byte_loop_begin(l, &b, JOIN_ARGS);
	b.step = 1;
	p = join_pointer(l, j, o_temp(b.i));
	ir_branch(l, CC_EQ, p, o_imm(0), done, more);
	ir_place(l, more);
	join_string(l, j, o_temp(b.i), p);
	byte_loop_while(l, &b, CC_ULT, join_used(l, j), o_imm(JOIN_ROOM));
	ir_branch(l, CC_EQ, join_pointer(l, j, o_temp(b.i)), o_imm(0), done, cut);
	ir_place(l, cut);
	lower_loss(l, LOSS_CUT, NULL);
	ir_jump(l, done);
	ir_place(l, done);
}

/* ---- join() */

const struct type *check_join(struct check *c, struct node *call)
{
	const struct node *a = call_arg(call, 0);
	/* a recording has the value of joined() */
	bool is_joined = a->type->kind == TY_STRING && c->inst && c->inst->profile &&
			 c->inst->profile->noted;

	return is_joined || is_array(a->type) ? &ty_void : not_array(c, call, a);
}

/* Returns the bytes of the text, which is joined already. */
static struct opnd copy_joined(struct lower *l, struct node *n, struct opnd to)
{
	struct ir_val v = lower_lvalue(l, n);
	struct opnd from = v.is_foreign ? v.o : ir_addr(l, v.o);
	struct opnd with_nul = lower_read_str(l, ir_addr(l, to), JOIN_MOST + 1, from,
					      v.is_foreign ? v.space : SPACE_KERNEL);

	return ir_op2(l, IR_SUB, with_nul, o_imm(1));
}

/*
 * The strings are concatenated in scratch, each with its NUL, and only the bytes used are sent:
 *
 *	record_head | "ls\0" "-l\0" ...
 *
 * arg[0]: else one text with the separators in it, without a NUL.
 */
struct ir_val lower_join(struct lower *l, struct node *call)
{
	struct event_desc *e = event_new(l, call->builtin, call);
	bool is_joined = call_arg(call, 0)->type->kind == TY_STRING;
	u32 head = e->size;
	struct joining j = { 0 };
	struct opnd record, used;

	e->text = separator_of(call);
	e->arg[0] = is_joined;
	e->size = head + (is_joined ? ALIGN_UP(JOIN_MOST + 1u, 8u) : (u32)JOIN_BUFFER);
	record = lower_temp(l, e->size + 8, 8, "join");
	if (is_joined) {
		used = copy_joined(l, call_arg(call, 0), opnd_plus(record, head));
	} else {
		joining_begin(l, &j, call, opnd_plus(record, head), opnd_plus(record, e->size));
		join_strings(l, &j);
		used = join_used(l, &j);
	}
	event_output(l, e, record, ir_at_most(l, ir_op2(l, IR_ADD, used, o_imm(head)), e->size));
	return val_scalar(&ty_void, o_imm(0));
}

static struct buf text; /* reused: nothing is allocated for an event */

/* To the next separator, or the end. */
static size_t part_length(const struct event_desc *e, const char *s, size_t left)
{
	const char *at;

	if (!e->arg[0])
		return strnlen(s, left);
	at = *e->text ? memmem(s, left, e->text, strlen(e->text)) : NULL;
	return at ? (size_t)(at - s) : left;
}

static int act_join(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	const char *s = (const char *)record + sizeof(struct record_head),
		   *end = (const char *)record + len;
	size_t between = e->arg[0] ? strlen(e->text) : 1;

	buf_clear(&text);
	while (s < end) {
		size_t n = part_length(e, s, (size_t)(end - s));
		bool is_last = s + n + between >= end && (!e->arg[0] || s + n == end);

		put_foreign(&text, a->names, s, n);
		if (!is_last)
			buf_puts(&text, e->text);
		s += is_last ? (size_t)(end - s) : n + between;
	}
	a->sink->output->text(a->sink, TEXT_JOIN, text.s ? text.s : "", text.len);
	return 0;
}

const struct action action_join = { .name = "join", .act = act_join };

/* ---- joined() */

static bool is_length(const struct node *n)
{
	return n->is_const && type_is_integer(n->type) && n->value >= 1 && n->value <= JOIN_MOST;
}

const struct type *check_joined(struct check *c, struct node *call)
{
	const struct node *a = call_arg(call, 0);
	s64 most = c->env->config.max_strlen;

	if (!is_array(a->type))
		return not_array(c, call, a);
	for (const struct node *n = call->a; n; n = n->next) {
		if (n->kind != N_NAMED)
			continue;
		if (!streq(n->name, "length") || !is_length(n->a))
			return diag_type(c, n->span, D_JOINED_LENGTH, JOIN_MOST);
		most = n->a->value;
	}
	return type_string(c->arena, (u32)most + 1);
}

struct ir_val lower_joined(struct lower *l, struct node *call)
{
	struct joining j = { .separator = separator_of(call) };
	u32 before = (u32)strlen(j.separator),
	    size = ALIGN_UP(join_room(&j) + 2 * JOIN_BYTES + before, 8u);
	bool canonical;
	struct opnd dst = lower_dest(l, call->type, &canonical);
	struct opnd strings = lower_temp(l, size + 8, 8, "join");

	joining_begin(l, &j, call, strings, opnd_plus(strings, size));
	ir_store(l, opnd_plus(strings, before), 1, o_imm(0));
	join_strings(l, &j);
	return text_result(l, call, dst, canonical, ir_addr(l, opnd_plus(strings, before)));
}
