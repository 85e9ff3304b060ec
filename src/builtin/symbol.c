/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses and names. Symbols are looked up when they are printed, never in the probe. */
#include "builtin/builtin.h"
#include "type/agg.h"

void lower_usym(struct lower *l, struct opnd dst, struct opnd addr)
{
	struct opnd tgid = ir_op2(l, IR_SHR, ir_call(l, BPF_FUNC_get_current_pid_tgid, true, 0), o_imm(32));

	ir_store(l, dst, 8, addr);
	ir_store(l, opnd_plus(dst, 8), 8, tgid);
}

static struct ir_val lower_ksym(struct lower *l, struct node *call)
{
	return val_scalar(&ty_ksym, lower_scalar(l, call_arg(call, 0)));
}

static struct ir_val lower_usym_call(struct lower *l, struct node *call)
{
	bool canonical;
	struct opnd dst = lower_dest(l, &ty_usym, &canonical);

	lower_usym(l, dst, lower_scalar(l, call_arg(call, 0)));
	return val_memory(&ty_usym, dst);
}

static const struct type *check_kaddr(struct check *c, struct node *call)
{
	const struct world *w = &c->env->world;
	const char *name = call_str(call, 0);
	u64 addr = w->ksym_addr && name ? w->ksym_addr(w->ctx, name) : 0;

	if (!addr)
		return diag_type(c, call_arg(call, 0)->span, D_NO_KSYM, name ? name : "");
	call->data = (void *)(uintptr_t)addr;
	return &ty_u64;
}

static struct ir_val lower_kaddr(struct lower *l, struct node *call)
{
	(void)l;
	return val_scalar(&ty_u64, o_imm((s64)(uintptr_t)call->data));
}

static const struct builtin rows[] = {
	{
		.name = "ksym", .sig = "ksym(address: int|ptr) -> ksym", .brief = "kernel symbol of an address",
		.doc = "Prints as the name of the kernel symbol that the address lies in.",
		.example = "begin { print(ksym(0)); }",
		.engines = ON_KERNEL | ON_REPLAY, .lower = lower_ksym,
	},
	{
		.name = "usym", .sig = "usym(address: int|ptr) -> usym", .brief = "user symbol of an address",
		.doc = "Prints as the name of the symbol in the current process that the address lies in.",
		.example = "begin { print(usym(0)); }",
		.engines = ON_ALL, .lower = lower_usym_call,
	},
	{
		.name = "kaddr", .sig = "kaddr(name: lit string) -> uint64", .brief = "address of a kernel symbol",
		.doc = "The address of a kernel variable or function, looked up when the script is compiled.",
		.example = "begin { printf(\"%p\\n\", kaddr(\"avenrun\")); }",
		.engines = ON_KERNEL, .check = check_kaddr, .lower = lower_kaddr,
	},
};

const struct builtin_theme builtin_symbol = THEME("Symbols", rows);
