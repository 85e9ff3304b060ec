/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * printf() in a pinned iterator.
 *
 * sonde does not run when the file is read, so the kernel formats the text (bpf_seq_printf,
 * kernel/trace/bpf_trace.c). Input: a format of sonde and its arguments. Output: a format of the
 * kernel and one word for each argument:
 *
 *	%-8d %s  of an int32 and a string	->	"%-8lld %s"	{ value, address of the bytes }
 *
 * The kernel accepts flags and a width, d u x with a length, and s; c only since 5.13.
 */
#include "builtin/builtin.h"

enum { MAX_WORDS = 12 /* MAX_SEQ_PRINTF_VARARGS */ };

static bool is_number(const struct format_spec *s)
{
	return s->conv && strchr("diuxXcp", s->conv);
}

static const struct type *refuse(struct check *c, struct span span, const char *why)
{
	return diag_type(c, span, D_PINNED_FORMAT, why);
}

const struct type *check_seq_printf(struct check *c, struct node *call)
{
	const char *why;
	u32 at, arg = 1;
	struct format *f =
		format_parse(c->arena, call_str(call, 0), call_arg(call, 0)->str_len, &why, &at);

	if (strlen(call_str(call, 0)) < call_arg(call, 0)->str_len)
		return refuse(c, call->span, "the kernel ends a format at its first NUL");
	if (f->n_args > MAX_WORDS)
		return refuse(c, call->span, "the kernel takes up to 12 values");
	for (u32 i = 0; i < f->n; i++) {
		const struct format_spec *s = &f->spec[i];
		struct node *n = s->conv ? call_arg(call, arg++) : NULL;

		if (!n || n->type->kind == TY_ERROR || n->type->kind == TY_UNKNOWN)
			continue;
		if (s->star_width || s->star_prec || s->precision >= 0)
			return refuse(c, n->span, "a width is a number, and there is no precision");
		if (s->conv == 's' ? n->type->kind != TY_STRING : !is_number(s))
			return refuse(c, n->span, "values are integers, pointers and strings");
	}
	return &ty_void;
}

static void put_literal(struct buf *b, const struct format_spec *s)
{
	for (u32 i = 0; i < s->literal_len; i++) {
		if (s->literal[i] == '%')
			buf_puts(b, "%");
		buf_add(b, &s->literal[i], 1);
	}
}

static const char *kernel_conversion(const struct format_spec *s)
{
	switch (s->conv) {
	case 'd':
	case 'i': return "lld";
	case 'u': return "llu";
	case 's':
	case 'c': return "s";
	}
	return "llx";
}

static void put_conversion(struct buf *b, const struct format_spec *s)
{
	if (s->conv == 'p' || (s->hash && (s->conv | 32) == 'x'))
		buf_puts(b, "0x");
	buf_puts(b, "%");
	if (s->minus)
		buf_puts(b, "-");
	if (s->plus)
		buf_puts(b, "+");
	if (s->zero && !s->minus)
		buf_puts(b, "0");
	if (s->width > 0)
		buf_printf(b, "%d", s->width);
	buf_puts(b, kernel_conversion(s));
}

static struct opnd format_text(struct lower *l, const struct format *f, u32 *len)
{
	struct buf b = { 0 };
	u32 off;

	for (u32 i = 0; i < f->n; i++) {
		put_literal(&b, &f->spec[i]);
		if (f->spec[i].conv)
			put_conversion(&b, &f->spec[i]);
	}
	buf_pad(&b, 0, 1);
	*len = (u32)b.len;
	off = lower_data(l, *len, b.s);
	buf_release(&b);
	return o_data(l->prog->data_map, off);
}

/* The word of one argument: the number, or the address of its bytes. These are in scratch,
 * because the oldest verifiers do not allow a stack address to be stored in memory. */
static struct opnd word_of(struct lower *l, const struct format_spec *s, struct node *n)
{
	struct opnd at;

	if (s->conv == 's') {
		at = lower_scratch_kept(l, n->type->count);
		lower_into(l, n, n->type, at);
		return ir_addr(l, at);
	}
	if (s->conv == 'c') {
		at = lower_scratch_kept(l, 8);
		ir_store(l, at, 8, ir_op2(l, IR_AND, lower_scalar(l, n), o_imm(0xff)));
		return ir_addr(l, at);
	}
	if (s->conv == 'p')
		return lower_scalar(l, n);
	return ir_ext(l, lower_scalar(l, n), s->length ? s->length : 4,
		      s->conv == 'd' || s->conv == 'i');
}

struct ir_val lower_seq_printf(struct lower *l, struct node *call)
{
	const char *why;
	u32 at, len, arg = 1, n = 0;
	struct format *f =
		format_parse(l->arena, call_str(call, 0), call_arg(call, 0)->str_len, &why, &at);
	struct opnd words = lower_scratch_kept(l, 8 * MAX(f->n_args, 1u)), text, seq;

	for (u32 i = 0; i < f->n; i++)
		if (f->spec[i].conv)
			ir_store(l, opnd_plus(words, 8 * n++), 8,
				 word_of(l, &f->spec[i], call_arg(call, arg++)));
	text = format_text(l, f, &len);
	seq = ir_load(l, ir_load(l, o_ctx(0), 8, false), 8, false); /* ctx->meta->seq */
	ir_call(l, BPF_FUNC_seq_printf, false, 5, seq, ir_addr(l, text), o_imm(len),
		n ? ir_addr(l, words) : o_imm(0), o_imm(8 * n));
	return val_scalar(&ty_void, o_imm(0));
}
