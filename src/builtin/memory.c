/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads from traced memory: str(), buf(); casts between kernel and user address space: kptr(),
 * uptr(). */
#include "builtin/builtin.h"
#include "builtin/join.h"
#include "type/text.h"

/* ---- str() */

/* Size of the array with its maximum number of elements. */
static u32 array_bytes(const struct type *t)
{
	return t->is_counted ? t->count * t->elem->size : t->size;
}

/* str() of a constant number: its digits, at most `most`. */
static const struct type *str_of_number(struct check *c, struct node *call, const struct node *n,
					s64 most)
{
	const char *text = arena_printf(c->arena, "%lld", (long long)n->value);
	u32 len = (u32)MIN((s64)strlen(text), most);

	return node_fold_str(call, text, len, type_known_text(c->arena, len));
}

/* The probe's name, which counts as a literal: its NUL is not counted. */
static bool is_probe_name(const struct node *n)
{
	return n->kind == N_CAST && n->a->kind == N_CALL && n->a->type->kind == TY_PROBE;
}

static u32 max_strlen(const struct check *c)
{
	return (u32)c->env->config.max_strlen;
}

/* Capacity of the result: max_strlen + 1, or the constant length + 1. The length itself counts
 * the NUL. */
static u32 str_room(struct check *c, const struct node *len)
{
	if (!len || !len->is_const)
		return max_strlen(c) + 1;
	if (len->value <= (s64)max_strlen(c))
		return (u32)len->value + 1;
	struct diag *d =
		check_report(c, len->span, D_STR_LONG, (long long)len->value, max_strlen(c));

	diag_help(c->diags, d, "config = { max_strlen = %lld } allows it", (long long)len->value);
	return max_strlen(c) + 1;
}

/* A parameter's text, even if it is a number; $1 + 2 is without its first two characters. */
static void take_param_text(struct check *c, struct node *what)
{
	const struct node *param = what->kind == N_BINARY && what->op == OP_ADD ? what->a : NULL;
	u32 len, skip;

	if (what->kind == N_PARAM && what->name)
		check_param_text(c, what);
	if (!param || param->kind != N_PARAM || !param->aux || !what->b->is_const ||
	    !type_is_integer(what->b->type) || what->b->value < 0)
		return;
	len = (u32)strlen(param->name);
	skip = (u32)MIN(what->b->value, (s64)len);
	len -= skip;
	node_make_str(what, param->name + skip, len, type_known_text(c->arena, len));
}

static const struct type *check_str(struct check *c, struct node *call)
{
	struct node *what = call_arg(call, 0), *len = call_arg(call, 1);
	s64 most = len && len->is_const ? len->value : INT32_MAX;
	struct text_layout text;
	u32 cap;

	take_param_text(c, what);
	if (most < 0)
		return diag_type(c, len->span, D_STR_LENGTH, (long long)most);
	if (node_is_const_str(what) && (!len || len->is_const)) {
		u32 n = len ? MIN(what->str_len, (u32)MIN(most, (s64)max_strlen(c))) :
			      what->str_len;

		return node_fold_str(call, what->str, n, type_known_text(c->arena, n));
	}
	if (what->is_const && type_is_integer(what->type) && (!len || len->is_const))
		return str_of_number(c, call, what, most);
	if (what->type->kind == TY_STRING && !len)
		return what->type;
	cap = str_room(c, len);
	if (what->type->kind == TY_STRUCT && !type_text_layout(what->type, &text))
		return diag_type(c, what->span, D_NOT_TEXT, type_str(c->arena, what->type));
	if (what->type->kind == TY_STRING)
		cap = MIN(cap, what->type->count);
	if (what->type->is_whole && cap == what->type->count)
		return what->type;
	if (what->type->kind == TY_ARRAY && what->type->size && array_bytes(what->type) < cap)
		cap = array_bytes(what->type) + 1;
	return type_string(c->arena, MAX(cap, 1u));
}

/* Number of bytes to read, the NUL included. */
static struct opnd str_bytes(struct lower *l, const struct node *what, struct node *len, u32 cap)
{
	if (!len || (len->is_const && is_probe_name(what)))
		return o_imm(cap);
	if (len->is_const)
		return o_imm(MAX(MIN(len->value, (s64)cap), 1));
	return ir_at_most(l, lower_scalar(l, len), cap);
}

/* A word of a structure, in traced memory or in a copy. */
static struct opnd text_word(struct lower *l, const struct ir_val *v, u32 offset)
{
	if (v->is_foreign)
		return lower_read_scalar(l, &ty_u64, ir_op2(l, IR_ADD, v->o, o_imm(offset)),
					 v->space);
	return ir_load(l, opnd_plus(v->o, offset), 8, false);
}

/* Address and length of the bytes of a std::string, &str, Go string etc. (type/text.h), or of a
 * pointer to one. False: not such a value. */
static bool text_parts(struct lower *l, struct node *what, struct opnd *addr, struct opnd *length)
{
	const struct type *t = what->type;
	bool is_pointer = t->kind == TY_POINTER;
	struct text_layout text;
	struct ir_val v;

	if (!type_text_layout(is_pointer ? t->elem : t, &text))
		return false;
	v = is_pointer ? (struct ir_val){ .type = t->elem,
					  .in_memory = true,
					  .is_foreign = true,
					  .space = t->space,
					  .o = lower_scalar(l, what) } :
			 lower_lvalue(l, what);
	if (text.is_boxed)
		v = (struct ir_val){ .type = &ty_void,
				     .in_memory = true,
				     .is_foreign = true,
				     .space = SPACE_USER,
				     .o = text_word(l, &v, text.box) };
	*addr = text_word(l, &v, text.data);
	*length = text.is_terminated ? o_imm(INT32_MAX) : text_word(l, &v, text.length);
	return true;
}

static struct ir_val lower_str(struct lower *l, struct node *call)
{
	struct node *what = call_arg(call, 0), *len = call_arg(call, 1);
	const struct type *t = call->type;
	u32 cap = t->count, limit = lower_str_limit(l);
	bool canonical;
	struct opnd dst, addr, size = o_imm(0);
	struct ir_val v;
	enum space space = SPACE_NONE;
	bool is_text = false;

	if (what->type->kind == TY_STRING && !len)
		return lower_lvalue(l, what);
	if (limit && limit < cap) { /* the caller compares with a short literal */
		cap = ALIGN_UP(limit, 8u);
		t = type_string(l->prog->arena, cap);
	}
	dst = lower_dest(l, t, &canonical);
	if (text_parts(l, what, &addr, &size)) {
		is_text = true;
		space = SPACE_USER;
	} else if (what->type->kind == TY_ARRAY || what->type->kind == TY_STRING) {
		v = lower_lvalue(l, what);
		addr = v.o;
		space = v.space;
		if (!v.is_foreign) {
			addr = ir_addr(l, addr);
			space = SPACE_KERNEL;
		}
	} else {
		addr = lower_scalar(l, what);
		space = lower_handed_space(l, what->type->kind == TY_POINTER ? what->type->space :
									       SPACE_NONE);
	}
	if (is_text)
		size = ir_at_most(l, ir_op2(l, IR_ADD, size, o_imm(1)), cap);
	else
		size = str_bytes(l, what, len, cap);
	if (canonical)
		ir_zero(l, dst, t->count);
	else if (len && !len->is_const) /* with length 0 the helper writes nothing */
		ir_store(l, dst, 1, o_imm(0));
	lower_read_str_sized(l, dst, size, cap, addr, space);
	v = val_memory(t, dst);
	v.clean = canonical;
	return v;
}

/* ---- buf() */

static const struct type *check_buf(struct check *c, struct node *call)
{
	struct node *what = call_arg(call, 0), *len = call_arg(call, 1);
	u32 cap = (u32)c->env->config.max_strlen - 4;

	if (len && len->is_const) {
		if (len->value < 0)
			return diag_type(c, len->span, D_STR_LENGTH, (long long)len->value);
		cap = (u32)MIN((s64)cap, len->value);
	} else if (!len) {
		if (what->type->kind != TY_ARRAY && what->type->kind != TY_STRING)
			return diag_type(c, call->span, D_BUF_LENGTH,
					 type_is_integer(what->type) ?
						 "int" :
						 type_str(c->arena, what->type));
		cap = MIN(cap, array_bytes(what->type) - check_adds_nul(what));
	}
	return type_buffer(c->arena, MAX(cap, 1u));
}

/* Size of the elements that a counted array has. */
static struct opnd counted_bytes(struct lower *l, const struct ir_val *v)
{
	if (v->is_foreign)
		return v->bytes;
	return ir_op2(l, IR_MUL, ir_load(l, opnd_plus(v->o, type_count_at(v->type)), 8, false),
		      o_imm(v->type->elem->size));
}

/* buf() of a literal: all its bytes, including NULs. */
static struct ir_val buf_of_text(struct lower *l, struct node *call, const struct node *text,
				 const struct node *len)
{
	const struct type *t = call->type;
	u32 size = len && !len->value ? 0 : t->count, n = MIN(text->str_len, size);
	bool canonical;
	struct opnd dst = lower_dest(l, t, &canonical);

	ir_zero(l, dst, t->size);
	ir_store(l, dst, 4, o_imm(size));
	for (u32 at = 0, part; at < n; at += part) {
		u32 word = 0;

		part = n - at >= 4 ? 4 : n - at >= 2 ? 2 : 1;
		memcpy(&word, text->str + at, part);
		ir_store(l, opnd_plus(dst, 4 + at), part, o_imm(word));
	}
	return val_memory(t, dst);
}

static void read_buf(struct lower *l, struct opnd dst, struct opnd size, u32 cap, struct opnd addr,
		     enum space space)
{
	struct opnd ret = lower_probe_read_sized(l, opnd_plus(dst, 4), size, cap, addr, space);
	struct ir_block *failed, *out;

	if (!l->env->config.buf_empty)
		return;
	failed = ir_block_new(l);
	out = ir_block_new(l);
	ir_branch(l, CC_SLT, ret, o_imm(0), failed, out);
	ir_place(l, failed);
	ir_store(l, dst, 4, o_imm(0));
	ir_jump(l, out);
	ir_place(l, out);
}

static struct ir_val lower_buf(struct lower *l, struct node *call)
{
	struct node *what = call_arg(call, 0), *len = call_arg(call, 1);
	const struct type *t = call->type;
	bool canonical;
	bool none = len && len->is_const && !len->value; /* the type has room for one byte anyway */
	struct opnd dst = lower_dest(l, t, &canonical), addr, size, all = o_imm(t->count);
	enum space space = SPACE_NONE;
	struct ir_val v;

	if (node_is_const_str(what) && (!len || len->is_const))
		return buf_of_text(l, call, what, len);
	if (type_is_scalar(what->type)) {
		addr = lower_scalar(l, what);
		space = lower_handed_space(l, what->type->kind == TY_POINTER ? what->type->space :
									       SPACE_NONE);
	} else {
		v = lower_lvalue(l, what);
		addr = v.is_foreign ? v.o : ir_addr(l, v.o);
		space = v.is_foreign ? v.space : SPACE_KERNEL;
		if (what->type->is_counted)
			all = counted_bytes(l, &v);
	}
	if (!len)
		size = ir_at_most(l, all, t->count);
	else
		size = len->is_const ? o_imm(none ? 0 : t->count) :
				       ir_at_most(l, lower_scalar(l, len), t->count);
	if (canonical || none)
		ir_zero(l, dst, t->size);
	ir_store(l, dst, 4, size);
	if (!none)
		read_buf(l, dst, size, t->count, addr, space);
	v = val_memory(t, dst);
	return v;
}

/* ---- address spaces */

static const struct type *in_space(struct check *c, struct node *call, enum space space)
{
	const struct type *t = call_arg(call, 0)->type;

	return t->kind == TY_POINTER ? type_in_space(c->arena, t, space) : t;
}

static const struct type *check_kptr(struct check *c, struct node *call)
{
	return in_space(c, call, SPACE_KERNEL);
}

static const struct type *check_uptr(struct check *c, struct node *call)
{
	return in_space(c, call, SPACE_USER);
}

static struct ir_val lower_ptr(struct lower *l, struct node *call)
{
	return val_scalar(call->type, lower_scalar(l, call_arg(call, 0)));
}

static const struct builtin rows[] = {
	{
		.name = "str",
		.sig = "str(address: ptr|int|string|array|struct, length: int = 0) -> string",
		.brief = "read a string",
		.doc = "Reads a NUL-terminated string, at most max_strlen characters. The length "
		       "counts the NUL: str(p, 5) has four characters. A literal number gives its "
		       "digits. Kernel or user memory is chosen by the pointer's type or the "
		       "probe type; in kernel functions by the address. std::string, "
		       "std::string_view, Rust's &str, String and byte slices, Go's string and "
		       "error, and pointers to them, give their text.",
		.example =
			"tracepoint:syscalls:sys_enter_openat { @[str(args.filename)] = count(); }",
		.work = "cat /dev/null",
		.output = "@[/dev/null]: 1\n"
			  "@[/etc/ld.so.cache]: 1\n"
			  "@[/lib/x86_64-linux-gnu/libc.so.6]: 1",
		.varies = true,
		.flags = BI_NOTED,
		.engines = ON_ALL,
		.check = check_str,
		.lower = lower_str,
	},
	{
		.name = "joined",
		.sig = "joined(strings: any, separator: lit string = \" \") -> string",
		.brief = "the strings of an array as one",
		.doc = "The strings of a null-terminated array of pointers, with separators: what join() "
		       "prints. The result has at most max_strlen characters; joined(p, \" \", "
		       "length=N) has room for N, at most 20480.",
		.example =
			"tracepoint:syscalls:sys_enter_execve { @[joined(args.argv)] = count(); }",
		.work = "true one two",
		.output = "@[true one two]: 1",
		.flags = BI_NOTED | BI_KEYWORDS,
		.engines = ON_ALL,
		.check = check_joined,
		.lower = lower_joined,
	},
	{
		.name = "buf",
		.sig = "buf(data: ptr|int|string|array, length: int = 0) -> buffer",
		.brief = "read bytes",
		.doc = "Reads length bytes; %r prints them. The length is optional for arrays.",
		.example =
			"tracepoint:syscalls:sys_enter_write { printf(\"%r\\n\", buf(args.buf, args.count)); }",
		.work = "dd if=/proc/sys/kernel/ostype of=/dev/null status=none",
		.output = "Linux\\x0a",
		.flags = BI_NOTED,
		.engines = ON_ALL,
		.check = check_buf,
		.lower = lower_buf,
	},
	{
		.name = "kptr",
		.sig = "kptr(address: ptr|int) -> ptr",
		.brief = "cast to a kernel address",
		.doc = "The same address; reads through it use kernel memory.",
		.example = "begin { $p = kptr(0); print($p == 0); }",
		.output = "true",
		.engines = ON_ALL,
		.check = check_kptr,
		.lower = lower_ptr,
	},
	{
		.name = "uptr",
		.sig = "uptr(address: ptr|int) -> ptr",
		.brief = "cast to a user address",
		.doc = "The same address; reads through it use the memory of the current process.",
		.example = "begin { $p = uptr(0); print($p == 0); }",
		.output = "true",
		.engines = ON_ALL,
		.check = check_uptr,
		.lower = lower_ptr,
	},
};

const struct builtin_theme builtin_memory = THEME("Memory", rows);
