/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters named by BTF -> arguments with locations. kprobe: in registers and on the stack, by
 * the C calling convention. BTF tracepoints and trampolines: words of the context, 8 bytes each; a
 * trampoline gives a structure passed by value as many words as it needs (kernel/bpf/btf.c,
 * btf_distill_func_proto).
 */
#include "arch/abi.h"
#include "provider/internal.h"
#include "sym/btf.h"

enum { MAX_PARAMS = 16 };

const char *declaration_text(struct arena *a, const struct type *t, const char *name)
{
	struct buf b = { 0 };
	const char *s;

	type_print_c(&b, t, name);
	s = arena_strdup(a, b.s);
	buf_release(&b);
	return s;
}

static struct arg_desc describe(struct arena *a, const struct btf_param *param, u32 i,
				struct loc loc)
{
	const struct type *t = param->type->kind == TY_ERROR ? &ty_u64 : param->type;
	const char *name = param->name && *param->name ? param->name : arena_printf(a, "arg%u", i);

	if (!loc.n) /* one word */
		loc.size = (u8)(t->size && t->size <= 8 ? t->size : 8);
	loc.is_signed = type_is_scalar(t) && t->is_signed;
	const char *text = declaration_text(a, t, name);

	return (struct arg_desc){ .name = name,
				  .type = t,
				  .loc = loc,
				  .text = param->is_const ? arena_printf(a, "const %s", text) :
							    text };
}

static void describe_result(struct provider_env *env, struct profile *p, const struct type *ret)
{
	if (!ret || !type_is_scalar(ret))
		return;
	p->retval.type = type_of_result(env->arena, ret);
	p->retval.loc.size = (u8)ret->size;
	p->retval.loc.is_signed = ret->is_signed;
	p->retval.text = declaration_text(env->arena, ret, "retval");
}

/* The kernel is C: parameters are where its calling convention puts them, including the stack. */
static void describe_params(struct provider_env *env, struct profile *p,
			    const struct btf_param *params, u32 n, const struct type *ret)
{
	struct abi abi;

	abi_begin(&abi, env->arena, abi_of_c(arch_native->elf_machine));
	if (ret)
		abi_skip_result(&abi, ret, false);
	p->args.v = arena_array(env->arena, struct arg_desc, n);
	for (u32 i = 0; i < n; i++) {
		struct loc loc = { 0 };
		const char *why = NULL;
		const struct type *t = params[i].type->kind == TY_ERROR ? &ty_u64 : params[i].type;
		bool found = abi_param(&abi, t, false, &loc, &why);

		p->args.v[p->args.n] =
			describe(env->arena, &params[i], i, found ? loc : (struct loc){ 0 });
		p->args.v[p->args.n++].why = found ? NULL : why;
	}
}

/* How messages name them: "the argument list of vfs_read has no field ...". */
static const char *list_name(struct provider_env *env, const char *of)
{
	return arena_printf(env->arena, "the argument list of %s", of);
}

void btf_register_args(struct provider_env *env, struct profile *p, struct btf *btf,
		       const char *func)
{
	struct btf_param params[MAX_PARAMS];
	const struct type *ret = NULL;
	int n = btf_func(btf, func, params, MAX_PARAMS, &ret, NULL);

	if (n < 0)
		return;
	if (p->func.is_return) {
		describe_result(env, p, ret);
		return;
	}
	p->record.name = list_name(env, func);
	describe_params(env, p, params, (u32)n, ret);
}

/*
 * What kernel/bpf/btf.c, btf_ctx_access, lets a program load on every kernel: numbers, and pointers
 * to characters and structures. Later kernels added others (const void *, functions, pointers to
 * pointers).
 */
static bool is_opaque(const struct type *t)
{
	const struct type *to = t->kind == TY_POINTER ? t->elem : NULL;

	return to && to->kind != TY_STRUCT && !(to->kind == TY_INT && to->size == 1);
}

void btf_word_loc(const struct profile *p, const struct type *t, struct loc *loc)
{
	loc->opaque = is_opaque(t);
	loc->known = t->kind == TY_POINTER && t->elem->kind == TY_STRUCT;
	loc->nullable = p->may_be_null && t->kind == TY_POINTER && !loc->opaque;
}

u32 btf_word_args(struct provider_env *env, struct profile *p, const char *of,
		  const struct btf_param *params, u32 n, bool is_trampoline)
{
	u32 word = 0;

	p->record.name = list_name(env, of);
	p->args.v = arena_array(env->arena, struct arg_desc, n);
	for (u32 i = 0; i < n; i++) {
		const struct type *t = params[i].type;
		bool by_value = !type_is_scalar(t) && t->kind != TY_ERROR;
		struct loc loc = { .kind = by_value ? LOC_CTX_ADDR : LOC_CTX, .offset = 8 * word };

		btf_word_loc(p, t, &loc);
		/* A raw tracepoint truncates a large argument to a word, which is useless. */
		if (!by_value || is_trampoline)
			p->args.v[p->args.n++] = describe(env->arena, &params[i], i, loc);
		word += is_trampoline && by_value ? MAX(ALIGN_UP(t->size, 8u) / 8, 1u) : 1;
	}
	return word;
}
