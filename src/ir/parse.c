/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text -> IR: parses exactly the output of ir/print.c. Line by line, one token of look-ahead; the
 * first error ends it with "line N: ...". The result satisfies the rules of ir/verify.c, so that
 * passes and the target may rely on them.
 */
#include <stdlib.h>

#include "ir/pass.h"

enum { MAX_TEMPS = 1 << 16, MAX_SLOTS = 1 << 12 };

struct reader {
	struct arena *arena;
	struct ir_unit *unit;
	struct ir_func *f;
	struct ir_block *block;
	const char *at, *error;
	u32 line;
};

static bool fail(struct reader *r, const char *what)
{
	if (!r->error)
		r->error = arena_printf(r->arena, "line %u: %s", r->line, what);
	return false;
}

static void skip_blanks(struct reader *r)
{
	while (*r->at == ' ' || *r->at == '\t')
		r->at++;
	if (*r->at == ';')
		while (*r->at && *r->at != '\n')
			r->at++;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Letters and underscores only: "load4s" is the word load, the number 4 and the word s. */
static u32 word_len(const char *s)
{
	u32 n = 0;

	while (is_word(s[n]))
		n++;
	return n;
}

static bool take(struct reader *r, const char *text)
{
	size_t n = strlen(text);

	skip_blanks(r);
	if (strncmp(r->at, text, n) || (is_word(text[n - 1]) && is_word(r->at[n])))
		return false;
	r->at += n;
	return true;
}

static bool need(struct reader *r, const char *text)
{
	return take(r, text) || fail(r, arena_printf(r->arena, "expected '%s'", text));
}

static bool read_s64(struct reader *r, s64 *v)
{
	char *end;

	skip_blanks(r);
	if (!is_digit(*r->at) && *r->at != '-' && *r->at != '+')
		return fail(r, "expected a number");
	*v = *r->at == '-' || *r->at == '+' ? (s64)strtoll(r->at, &end, 0) :
					      (s64)strtoull(r->at, &end, 0);
	if (end == r->at)
		return fail(r, "expected a number");
	r->at = end;
	return true;
}

static bool read_u32(struct reader *r, u32 max, u32 *v)
{
	s64 wide;

	if (!read_s64(r, &wide))
		return false;
	if (wide < 0 || wide > max)
		return fail(r, "number out of range");
	*v = (u32)wide;
	return true;
}

static bool read_temp(struct reader *r, u32 *id)
{
	if (!read_u32(r, MAX_TEMPS, id))
		return false;
	if (!*id)
		return fail(r, "temporary 0");
	while (r->f->temps.n <= *id)
		vec_push(r->arena, &r->f->temps, (struct ir_temp){ 0 });
	return true;
}

static bool read_id(struct reader *r, const char *word, u32 len, struct opnd *o)
{
	static const struct {
		const char *word;
		enum opnd_kind kind;
	} kinds[] = {
		{ "s", O_SLOT },
		{ "map", O_MAP },
		{ "data", O_DATA },
		{ "f", O_FUNC },
	};

	if (len == 1 && *word == 't') {
		o->kind = O_TEMP;
		return read_temp(r, &o->id);
	}
	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i].word) == len && !strncmp(kinds[i].word, word, len)) {
			o->kind = kinds[i].kind;
			return read_u32(r, MAX_TEMPS, &o->id);
		}
	return fail(r, "unknown kind of operand");
}

static bool read_opnd(struct reader *r, struct opnd *o)
{
	skip_blanks(r);

	const char *word = r->at;
	u32 len = word_len(word);

	*o = (struct opnd){ 0 };
	if (!len) {
		o->kind = O_IMM;
		return read_s64(r, &o->imm);
	}
	r->at += len;
	if (len == 4 && !strncmp(word, "none", 4))
		return true;
	if (len == 3 && !strncmp(word, "ctx", 3))
		o->kind = O_CTX;
	else if (!read_id(r, word, len, o))
		return false;
	if (*r->at == '+' || *r->at == '-')
		return read_s64(r, &o->imm);
	return true;
}

static bool read_cond(struct reader *r, u8 *cc)
{
	static const char *const names[] = { "eq",  "ne",  "ult", "ule", "ugt", "uge",
					     "slt", "sle", "sgt", "sge", "set" };

	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		if (take(r, names[i])) {
			*cc = (u8)i;
			return true;
		}
	return fail(r, "expected a condition");
}

static bool read_call(struct reader *r, struct ir_insn *in)
{
	if (!read_s64(r, &in->imm) || !need(r, "("))
		return false;
	if (take(r, ")"))
		return true;
	do {
		if (in->n_args == ARRAY_SIZE(in->arg))
			return fail(r, "too many arguments");
		if (!read_opnd(r, &in->arg[in->n_args++]))
			return false;
	} while (take(r, ","));
	return need(r, ")");
}

static bool read_target(struct reader *r, u32 *target)
{
	return need(r, "b") && read_u32(r, MAX_TEMPS, target);
}

static bool read_operands(struct reader *r, struct ir_insn *in)
{
	u32 n = ir_n_args(in);

	for (u32 i = 0; i < n; i++)
		if ((i && !need(r, ",")) || !read_opnd(r, &in->arg[i]))
			return false;
	if (in->op == IR_ZERO || in->op == IR_COPY)
		return need(r, ",") && read_s64(r, &in->imm);
	if (in->op == IR_JUMP)
		return read_target(r, &in->target[0]);
	if (in->op == IR_BRANCH)
		return need(r, "->") && read_target(r, &in->target[0]) && need(r, "else") &&
		       read_target(r, &in->target[1]);
	return true;
}

static bool read_opcode(struct reader *r, struct ir_insn *in)
{
	u32 size = 0;

	skip_blanks(r);

	u32 len = word_len(r->at);

	for (in->op = 0; in->op < N_IR_OPS; in->op++)
		if (strlen(ir_ops[in->op].text) == len && !strncmp(ir_ops[in->op].text, r->at, len))
			break;
	if (in->op == N_IR_OPS)
		return fail(r, "unknown operation");
	r->at += len;
	if (!ir_has_size(in->op))
		return true;
	if (!read_u32(r, 8, &size))
		return false;
	in->size = (u8)size;
	if (*r->at == 's') {
		in->is_signed = true;
		r->at++;
	}
	return true;
}

static bool read_insn(struct reader *r)
{
	struct ir_insn in = { 0 };

	if (!r->block)
		return fail(r, "instruction outside a block");
	skip_blanks(r);
	if (r->at[0] == 't' && is_digit(r->at[1])) {
		r->at++;
		if (!read_temp(r, &in.dst) || !need(r, "="))
			return false;
	}
	if (!read_opcode(r, &in))
		return false;
	if (ir_ops[in.op].flags & IRF_CMP && !read_cond(r, &in.cc))
		return false;
	if (!(ir_is_call(in.op) ? read_call(r, &in) : read_operands(r, &in)))
		return false;
	vec_push(r->arena, &r->block->insns, in);
	return true;
}

static bool read_func(struct reader *r)
{
	struct ir_func *f = arena_new(r->arena, struct ir_func);
	const char *name;

	skip_blanks(r);
	name = r->at;
	while (*r->at && *r->at != ' ' && *r->at != '\n')
		r->at++;
	f->name = arena_strndup(r->arena, name, (size_t)(r->at - name));
	vec_push(r->arena, &f->temps, (struct ir_temp){ 0 });
	r->f = f;
	r->block = NULL;
	vec_push(r->arena, &r->unit->funcs, f);
	if (!need(r, "params") || !read_u32(r, 5, &f->n_params))
		return false;
	for (u32 i = 0; i < f->n_params; i++)
		vec_push(r->arena, &f->temps, (struct ir_temp){ 0 });
	f->callback = take(r, "callback");
	f->shared = !f->callback && take(r, "shared");
	return true;
}

static bool read_slot(struct reader *r)
{
	struct ir_slot s = { 0 };
	u32 id, len = 0;

	if (!need(r, "s") || !read_u32(r, MAX_SLOTS, &id) || !need(r, "size") ||
	    !read_u32(r, 1 << 16, &s.size) || !need(r, "align") || !read_u32(r, 8, &s.align))
		return false;
	if (id != r->f->slots.n)
		return fail(r, "slots out of order");
	if (*r->at == ' ') {
		r->at++;
		while (r->at[len] && r->at[len] != '\n')
			len++;
		s.name = arena_strndup(r->arena, r->at, len);
		r->at += len;
	}
	vec_push(r->arena, &r->f->slots, s);
	return true;
}

static bool read_temps(struct reader *r, bool vars)
{
	u32 id;

	while (take(r, "t")) {
		if (!read_temp(r, &id))
			return false;
		if (vars)
			r->f->temps.v[id].is_var = true;
		else
			r->f->temps.v[id].kind = TK_PTR;
	}
	return true;
}

static bool read_block(struct reader *r)
{
	struct ir_block *b = arena_new(r->arena, struct ir_block);

	r->at++;
	if (!read_u32(r, MAX_TEMPS, &b->id) || !need(r, ":"))
		return false;
	if (b->id != r->f->blocks.n)
		return fail(r, "blocks out of order");
	if (take(r, "depth") && !read_u32(r, 64, &b->loop_depth))
		return false;
	vec_push(r->arena, &r->f->blocks, b);
	r->block = b;
	return true;
}

static bool read_line(struct reader *r)
{
	skip_blanks(r);
	if (*r->at == '\n' || !*r->at)
		return true;
	if (take(r, "func"))
		return read_func(r);
	if (!r->f)
		return fail(r, "expected 'func'");
	if (take(r, "slot"))
		return read_slot(r);
	if (take(r, "var"))
		return read_temps(r, true);
	if (take(r, "ptr"))
		return read_temps(r, false);
	if (r->at[0] == 'b' && is_digit(r->at[1]))
		return read_block(r);
	return read_insn(r);
}

struct ir_unit *ir_parse(struct arena *a, struct program *prog, const char *text,
			 const char **error)
{
	struct ir_unit *u = arena_new(a, struct ir_unit);
	struct reader r = { .arena = a, .unit = u, .at = text };

	u->arena = a;
	u->prog = prog;
	for (r.line = 1; *r.at && !r.error; r.line++) {
		if (!read_line(&r))
			break;
		skip_blanks(&r);
		if (*r.at == '\n')
			r.at++;
		else if (*r.at)
			fail(&r, "unexpected text at the end of the line");
	}
	if (!r.error)
		r.error = ir_check(u);
	if (!r.error)
		return u;
	*error = r.error;
	return NULL;
}
