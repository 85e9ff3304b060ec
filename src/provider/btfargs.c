/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters that BTF names -> arguments with locations. kprobe: in registers, by the C calling
 * convention. BTF tracepoints and trampolines: words of the context, 8 bytes each; a trampoline gives a
 * structure passed by value as many words as it needs (kernel/bpf/btf.c, btf_distill_func_proto).
 */
#include "provider/internal.h"
#include "sym/btf.h"

enum { MAX_PARAMS = 16 };

static const char *tag_of(const struct type *t)
{
	return t->kind == TY_ENUM ? "enum " : t->is_union ? "union " : "struct ";
}

static void type_words(struct buf *b, const struct type *t)
{
	switch (t->kind) {
	case TY_POINTER:
		type_words(b, t->elem);
		buf_puts(b, t->elem->kind == TY_POINTER ? "*" : " *");
		break;
	case TY_ARRAY: type_words(b, t->elem); break;
	case TY_STRING: buf_puts(b, "char"); break;
	case TY_FUNC: buf_puts(b, "void"); break;
	case TY_STRUCT:
	case TY_ENUM: buf_printf(b, "%s%s", tag_of(t), t->name ? t->name : "{...}"); break;
	default:
		if (t->kind == TY_INT && t->name)
			buf_puts(b, t->name);
		else
			type_print(b, t);
		break;
	}
}

const char *declaration_text(struct arena *a, const struct type *t, const char *name)
{
	struct buf b = {};
	const char *s;

	type_words(&b, t);
	if (*name)
		buf_printf(&b, " %s", name);
	if (t->kind == TY_STRING)
		buf_printf(&b, "[%u]", t->count);
	for (; t->kind == TY_ARRAY; t = t->elem)
		buf_printf(&b, "[%u]", t->count);
	s = arena_strdup(a, b.s);
	buf_release(&b);
	return s;
}

static struct arg_desc describe(struct arena *a, const struct btf_param *param, u32 i,
				struct loc loc)
{
	const struct type *t = param->type->kind == TY_ERROR ? &ty_u64 : param->type;
	const char *name = param->name && *param->name ? param->name : arena_printf(a, "arg%u", i);

	loc.size = (u8)(t->size && t->size <= 8 ? t->size : 8);
	loc.is_signed = type_is_scalar(t) && t->is_signed;
	return (struct arg_desc){
		.name = name, .type = t, .loc = loc, .text = declaration_text(a, t, name)
	};
}

void btf_register_args(struct provider_env *env, struct profile *p, struct btf *btf,
		       const char *func)
{
	struct btf_param params[MAX_PARAMS];
	const struct type *ret = NULL;
	int n = btf_func(btf, func, params, MAX_PARAMS, &ret, NULL);

	if (n < 0)
		return;
	if (p->is_return) {
		if (ret && type_is_scalar(ret)) {
			p->retval.type = ret;
			p->retval.loc.size = (u8)ret->size;
			p->retval.loc.is_signed = ret->is_signed;
			p->retval.text = declaration_text(env->arena, ret, "retval");
		}
		return;
	}
	n = MIN(n, (int)arch_native->n_args);
	p->args = arena_array(env->arena, struct arg_desc, (u32)n);
	p->args_name = arena_printf(env->arena, "the arguments of %s", func);
	for (int i = 0; i < n && type_is_scalar(params[i].type); i++)
		p->args[p->n_args++] =
			describe(env->arena, &params[i], (u32)i,
				 (struct loc){ .kind = LOC_REG, .offset = arch_native->arg[i] });
}

u32 btf_word_args(struct provider_env *env, struct profile *p, const struct btf_param *params,
		  u32 n, bool is_trampoline)
{
	u32 word = 0;

	p->args = arena_array(env->arena, struct arg_desc, n);
	for (u32 i = 0; i < n; i++) {
		const struct type *t = params[i].type;
		bool by_value = !type_is_scalar(t) && t->kind != TY_ERROR;
		struct loc loc = { .kind = by_value ? LOC_CTX_ADDR : LOC_CTX, .offset = 8 * word };

		/* A raw tracepoint's big argument is squeezed into a word: it has no use. */
		if (!by_value || is_trampoline)
			p->args[p->n_args++] = describe(env->arena, &params[i], i, loc);
		word += is_trampoline && by_value ? MAX(ALIGN_UP(t->size, 8u) / 8, 1u) : 1;
	}
	return word;
}
