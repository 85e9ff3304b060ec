/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IR -> text, for -d ir and for tests of passes; ir/parse.c parses it. Temporaries are numbers:
 * only variables, pointers and slots are declared, before the blocks.
 *
 *	func f0 params 0
 *	  slot s0 size 16 align 8 key
 *	  var t5
 *	b0:
 *	  t7 = call 14()                          ; get_current_pid_tgid
 *	  t8 = load4 ctx+16
 *	  branch ne t8, 4711 -> b2 else b1
 */
#include "ir/pass.h"

static const char *const cond_names[] = {
	[CC_EQ] = "eq",   [CC_NE] = "ne",   [CC_ULT] = "ult", [CC_ULE] = "ule",
	[CC_UGT] = "ugt", [CC_UGE] = "uge", [CC_SLT] = "slt", [CC_SLE] = "sle",
	[CC_SGT] = "sgt", [CC_SGE] = "sge", [CC_SET] = "set",
};

static const char *opnd_prefix(enum opnd_kind kind)
{
	switch (kind) {
	case O_TEMP: return "t";
	case O_SLOT: return "s";
	case O_MAP: return "map";
	case O_DATA: return "data";
	case O_FUNC: return "f";
	case O_NONE:
	case O_IMM:
	case O_CTX: break;
	}
	return "?";
}

static void print_opnd(struct buf *b, struct opnd o)
{
	if (o.kind == O_IMM) {
		buf_printf(b, "%lld", (long long)o.imm);
		return;
	}
	if (o.kind == O_NONE) {
		buf_puts(b, "none");
		return;
	}
	if (o.kind == O_CTX)
		buf_puts(b, "ctx");
	else
		buf_printf(b, "%s%u", opnd_prefix(o.kind), o.id);
	if (o.imm)
		buf_printf(b, "%+lld", (long long)o.imm);
}

static void print_args(struct buf *b, const struct ir_insn *in)
{
	for (u32 i = 0; i < ir_n_args(in); i++) {
		if (i)
			buf_puts(b, ", ");
		print_opnd(b, in->arg[i]);
	}
}

static void print_call(struct buf *b, const struct ir_insn *in)
{
	buf_printf(b, " %lld(", (long long)in->imm);
	print_args(b, in);
	buf_putc(b, ')');
}

static void print_note(struct buf *b, const struct ir_unit *u, const struct ir_insn *in,
		       size_t from)
{
	const char *note = NULL;

	if (in->op == IR_CALL)
		note = ir_helper_name((u32)in->imm);
	else if (in->op == IR_KCALL && u->prog && (u64)in->imm < u->prog->kfuncs.n)
		note = u->prog->kfuncs.v[in->imm];
	if (!note)
		return;
	buf_pad(b, ' ', b->len - from < 40 ? 40 - (b->len - from) : 1);
	buf_printf(b, "; %s", note);
}

static void print_insn(struct buf *b, const struct ir_unit *u, const struct ir_insn *in)
{
	size_t from = b->len;

	buf_puts(b, "  ");
	if (in->dst)
		buf_printf(b, "t%u = ", in->dst);
	buf_puts(b, ir_ops[in->op].text);
	if (ir_has_size(in->op))
		buf_printf(b, "%u%s", in->size, in->is_signed ? "s" : "");
	if (ir_is_call(in->op)) {
		print_call(b, in);
	} else {
		if (ir_ops[in->op].flags & IRF_CMP)
			buf_printf(b, " %s", cond_names[in->cc]);
		if (ir_n_args(in))
			buf_putc(b, ' ');
		print_args(b, in);
	}
	if (in->op == IR_ZERO || in->op == IR_COPY)
		buf_printf(b, ", %lld", (long long)in->imm);
	if (in->op == IR_JUMP)
		buf_printf(b, " b%u", in->target[0]);
	if (in->op == IR_BRANCH)
		buf_printf(b, " -> b%u else b%u", in->target[0], in->target[1]);
	print_note(b, u, in, from);
	buf_putc(b, '\n');
}

static void print_temps(struct buf *b, const struct ir_func *f, const char *word, bool vars)
{
	bool any = false;

	for (u32 i = 1; i < f->temps.n; i++) {
		const struct ir_temp *t = &f->temps.v[i];

		if (vars ? !t->is_var : t->kind != TK_PTR)
			continue;
		if (!any)
			buf_printf(b, "  %s", word);
		buf_printf(b, " t%u", i);
		any = true;
	}
	if (any)
		buf_putc(b, '\n');
}

static void print_func(struct buf *b, const struct ir_unit *u, const struct ir_func *f)
{
	buf_printf(b, "func %s params %u%s\n", f->name ? f->name : "?", f->n_params,
		   f->callback ? " callback" :
		   f->shared   ? " shared" :
				 "");
	for (u32 i = 0; i < f->slots.n; i++) {
		const struct ir_slot *s = &f->slots.v[i];

		buf_printf(b, "  slot s%u size %u align %u%s%s\n", i, s->size, s->align,
			   s->name ? " " : "", s->name ? s->name : "");
	}
	print_temps(b, f, "var", true);
	print_temps(b, f, "ptr", false);
	for (u32 i = 0; i < f->blocks.n; i++) {
		const struct ir_block *block = f->blocks.v[i];

		buf_printf(b, "b%u:", block->id);
		if (block->loop_depth)
			buf_printf(b, " depth %u", block->loop_depth);
		buf_putc(b, '\n');
		for (u32 k = 0; k < block->insns.n; k++)
			print_insn(b, u, &block->insns.v[k]);
	}
}

void ir_print(struct buf *b, const struct ir_unit *u)
{
	for (u32 i = 0; i < u->funcs.n; i++)
		print_func(b, u, u->funcs.v[i]);
}
