/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a script reads at a uprobe that was moved past its function's entry. In: the registers,
 * stack and arguments at the entry. Out: which of them must be available at the instruction, and
 * where.
 */
#include "arch/arch.h"
#include "arch/insn.h"
#include "provider/internal.h"
#include "provider/upoint.h"

/* Argument registers, by their numbers in instructions. */
#if defined(__aarch64__)
static const u8 arg_regs[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
enum { ALL_REGS = 0x7fffffff };
#else
static const u8 arg_regs[] = { X86_DI, X86_SI, X86_DX, X86_CX, 8, 9 };
enum { ALL_REGS = 0x1ffff };
#endif

struct upoint_need upoint_need_of(const struct provider_env *env, bool is_return)
{
	struct upoint_need n = { .is_return = is_return };

	if (is_return)
		return n; /* read when it returns, wherever the probe was */
	n.plain = env->script.record || env->script.ctx;
	n.stack = env->script.stack;
	n.caller = env->script.returns && (env->script.stack || env->script.regs);
	n.flags = env->script.regs;
	if (env->script.regs)
		n.regs = ALL_REGS;
	for (u32 i = 0; i < ARRAY_SIZE(arg_regs); i++)
		if (env->script.argn >> i & 1)
			n.regs |= 1u << arg_regs[i];
	return n;
}

/* Offsets in struct pt_regs by the instructions' register numbers. */
#if defined(__aarch64__)
static const u8 offsets[] = { 0,   8,   16,  24,  32,  40,  48,  56,  64,  72,  80,
			      88,  96,  104, 112, 120, 128, 136, 144, 152, 160, 168,
			      176, 184, 192, 200, 208, 216, 224, 232, 240 };
#else
static const u8 offsets[] = { 80, 88, 96, 40, 152, 32, 104, 112, 72, 64, 56, 48, 24, 16, 8, 0 };
#endif

static void move_reg(struct loc *loc, const struct upoint *at)
{
	if (loc->kind == LOC_STACK && loc->offset == arch_native->sp)
		loc->inner -= at->sp;
	if (loc->kind != LOC_REG)
		return;
	if (loc->offset == arch_native->ip)
		loc->inner -= (s32)at->offset;
	else if (loc->offset == arch_native->sp)
		loc->inner -= at->sp;
	else
		for (u32 i = 0; i < ARRAY_SIZE(offsets); i++)
			if (offsets[i] == loc->offset) {
				loc->offset = at->reg[i] == X86_NO_REG ? loc->offset :
									 offsets[at->reg[i]];
				return;
			}
}

static void move_args(struct provider_env *env, struct arg_list *args, const struct upoint *at)
{
	if (args->n)
		args->v = arena_dup(env->arena, args->v, args->n * sizeof *args->v);
	for (u32 i = 0; i < args->n; i++)
		move_reg(&args->v[i].loc, at);
}

static bool moves_registers(const struct provider_env *env, const struct upoint *at)
{
	bool moved = false;

	for (u32 i = 0; i < ARRAY_SIZE(arg_regs); i++)
		moved |= (env->script.argn >> i & 1) && at->reg[arg_regs[i]] != arg_regs[i];
	return moved;
}

struct profile *upoint_profile(struct provider_env *env, struct profile *base,
			       const struct upoint *at)
{
	struct profile *p;
	bool regs = env->script.regs || env->script.sp, stack = env->script.stack;

	if (base->func.is_return || !at->offset ||
	    !(regs || stack || (env->clause.args && moves_registers(env, at))))
		return base;
	p = arena_dup(env->arena, base, sizeof *base);
	move_args(env, &p->args, at);
	move_args(env, &p->argn, at);
	if (regs)
		move_args(env, &p->regs.list, at);
	if (stack)
		p->func.ip_delta = at->offset;
	return p;
}

/*
 * In a function that was just called, the kernel's walk by frame pointers misses the caller (arm64
 * before its frame is made; x86-64, except instructions on which it inspects rsp itself).
 */
static struct loc caller_of(const struct upoint *at, bool is_i386)
{
	if (at->framed || at->shows_caller)
		return (struct loc){ 0 };
	if (arch_native->link)
		return (struct loc){ .kind = LOC_REG, .offset = arch_native->link, .size = 8 };
	return (struct loc){ .kind = LOC_STACK,
			     .offset = arch_native->sp,
			     .inner = -at->sp,
			     .size = is_i386 ? 4 : 8 };
}

struct profile *upoint_with_caller(struct provider_env *env, struct profile *base,
				   const struct upoint *at, bool is_i386)
{
	struct profile *p;

	if (!env->clause.stack)
		return base;
	p = arena_dup(env->arena, base, sizeof *base);
	p->func.caller = caller_of(at, is_i386);
	if (!arch_native->link && !at->framed)
		p->func.return_at = (u32)-at->sp + 1;
	return p;
}
