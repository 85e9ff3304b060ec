/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols: ksym(), usym(), and the addresses of kernel and user symbols.
 *
 * An address is symbolized when it is printed, never in the program. Names are looked up at compile
 * time.
 */
#include <sys/sysinfo.h>
#include "builtin/builtin.h"
#include "type/agg.h"

/* Writes a struct usym_value: the address in the current process. */
static void lower_usym(struct lower *l, struct opnd dst, struct opnd addr)
{
	struct opnd tgid = lower_own_pid(l);

	l->prog->has_user_symbols = true;
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

/* Reports that the symbol does not exist, or that kallsyms hides all addresses. */
static const struct type *no_ksym(struct check *c, struct span span, const char *name)
{
	struct features *f = c->env->features;
	struct diag *d;

	if (!f || feature_answer(f, FEAT_KALLSYMS) == FEATURE_YES)
		return diag_type(c, span, D_NO_KSYM, name);
	d = check_report(c, span, D_HIDDEN_KSYM, name);
	diag_help(c->diags, d,
		  "root sees them where kernel.kptr_restrict is 0 or 1 and /proc is mounted");
	return &ty_error;
}

static const struct type *check_kaddr(struct check *c, struct node *call)
{
	const struct world *w = &c->env->world;
	const char *name = call_str(call, 0);
	u64 addr = w->ksym_addr && name ? w->ksym_addr(w->ctx, name) : 0;

	if (!addr && c->env->request->compile.any_kernel)
		check_report(c, call_arg(call, 0)->span, D_NOT_HERE, name ? name : "");
	else if (!addr)
		return no_ksym(c, call_arg(call, 0)->span, name ? name : "");
	call->data = (void *)(uintptr_t)addr;
	return &ty_u64;
}

static struct ir_val lower_kaddr(struct lower *l, struct node *call)
{
	return val_scalar(&ty_u64, o_imm((s64)(uintptr_t)call->data));
}

/*
 * percpu_kaddr(): the symbol's address plus the CPU's offset, from the array __per_cpu_offset
 * (include/asm-generic/percpu.h). 0 for a CPU that does not exist: its entry points to the initial
 * image of the areas.
 */
static const struct type *check_percpu(struct check *c, struct node *call)
{
	const struct world *w = &c->env->world;
	const struct type *t = check_kaddr(c, call);
	u64 addresses[2] = { (u64)(uintptr_t)call->data };

	if (t->kind == TY_ERROR)
		return t;
	addresses[1] = w->ksym_addr(w->ctx, "__per_cpu_offset");
	if (!addresses[1] && !c->env->request->compile.any_kernel)
		return no_ksym(c, call->span, "__per_cpu_offset");
	call->data = arena_dup(c->arena, addresses, sizeof addresses);
	return &ty_u64;
}

static struct ir_val lower_percpu(struct lower *l, struct node *call)
{
	const u64 *addresses = call->data;
	struct node *n = call_arg(call, 1);
	struct opnd cpu = n ? lower_scalar(l, n) :
			      ir_call(l, BPF_FUNC_get_smp_processor_id, true, 0),
		    at, exists;

	at = ir_op2(l, IR_ADD, ir_op2(l, IR_SHL, cpu, o_imm(3)), o_imm((s64)addresses[1]));
	at = lower_read_scalar(l, &ty_u64, at, SPACE_KERNEL);
	at = ir_op2(l, IR_ADD, at, o_imm((s64)addresses[0]));
	if (!n)
		return val_scalar(&ty_u64, at);
	exists = ir_set(l, CC_ULT, cpu, o_imm(get_nprocs_conf()));
	return val_scalar(&ty_u64, ir_op2(l, IR_MUL, at, exists));
}

/*
 * uaddr(): for a position-independent file, the load base is the probe's address minus the
 * function's address in the file, rounded down to a page. So the clause must name one function.
 */
struct user_symbol {
	u64 address, function;
	bool moves;
	struct arg_desc *ip;
};

/* The file and the function of "uprobe:FILE:FUNCTION", the only attach point. */
static bool split_attach(struct check *c, const char **file, const char **function)
{
	const struct attach *a = c->inst ? c->inst->clause->attaches : NULL;
	const char *from, *to;

	if (!a || a->next || !(from = strchr(a->text, ':')) || !(to = strrchr(from + 1, ':')))
		return false;
	*file = arena_strndup(c->arena, from + 1, (size_t)(to - from - 1));
	*function = to + 1;
	return !strpbrk(*function, "*?[+") && !strpbrk(*file, "*?[");
}

static const struct type *check_uaddr(struct check *c, struct node *call)
{
	const struct world *w = &c->env->world;
	const struct profile *p = c->inst ? c->inst->profile : NULL;
	struct user_symbol *s = arena_new(c->arena, struct user_symbol);
	const char *file, *function, *name = call_str(call, 0);
	bool moves;

	if (!p || !p->regs.are_users || !split_attach(c, &file, &function))
		return diag_type(c, call->span, D_UADDR_PROBE);
	if (!w->user_symbol || !w->user_symbol(w->ctx, file, name, &s->address, &s->moves))
		return diag_type(c, call_arg(call, 0)->span, D_NO_USYM, name, file);
	for (u32 i = 0; i < p->regs.list.n; i++)
		if (streq(p->regs.list.v[i].name, "ip") || streq(p->regs.list.v[i].name, "pc"))
			s->ip = &p->regs.list.v[i];
	if (s->moves && (p->func.is_return || !s->ip ||
			 !w->user_symbol(w->ctx, file, function, &s->function, &moves)))
		return diag_type(c, call->span, D_UADDR_PROBE);
	call->data = s;
	return &ty_u64;
}

static struct ir_val lower_uaddr(struct lower *l, struct node *call)
{
	const struct user_symbol *s = call->data;
	struct opnd base;

	if (!s->moves)
		return val_scalar(&ty_u64, o_imm((s64)s->address));
	base = ir_op2(l, IR_SUB, lower_loc(l, s->ip).o, o_imm((s64)s->function));
	base = ir_op2(l, IR_AND, base, o_imm(-4096));
	return val_scalar(&ty_u64, ir_op2(l, IR_ADD, base, o_imm((s64)s->address)));
}

static const struct builtin rows[] = {
	{
		.name = "ksym",
		.sig = "ksym(address: int|ptr) -> ksym",
		.brief = "kernel symbol of an address",
		.doc = "Prints as the name of the kernel symbol that contains the address.",
		.example = "tracepoint:timer:hrtimer_start { @[ksym(args.function)] = count(); }",
		.work = "sleep 0.01",
		.output = "...\n"
			  "@[hrtimer_wakeup]: 1\n"
			  "...",
		.engines = ON_KERNEL | ON_REPLAY,
		.lower = lower_ksym,
	},
	{
		.name = "usym",
		.sig = "usym(address: int|ptr) -> usym",
		.brief = "user symbol of an address",
		.doc = "Prints as the name of the symbol in the current process that contains the "
		       "address.",
		.example = "uprobe:libc:clock_nanosleep { print(usym(reg(\"ip\"))); }",
		.work = "sleep 0.01",
		.output = "clock_nanosleep@@GLIBC_2.17",
		.varies = true,
		.engines = ON_ALL,
		.lower = lower_usym_call,
	},
	{
		.name = "kaddr",
		.sig = "kaddr(name: lit string) -> uint64",
		.brief = "address of a kernel symbol",
		.doc = "The address of a kernel variable or function, looked up at compile time.",
		.example = "begin { printf(\"%p\\n\", kaddr(\"avenrun\")); }",
		.output = "0xffffffff832ed800",
		.varies = true,
		.flags = BI_NOTED,
		.engines = ON_KERNEL,
		.check = check_kaddr,
		.lower = lower_kaddr,
	},
	{
		.name = "percpu_kaddr",
		.sig = "percpu_kaddr(name: lit string, cpu: int = 0) -> uint64",
		.brief = "address of a per-CPU variable",
		.doc = "The address of a kernel per-CPU variable, for the current CPU or a given "
		       "one.",
		.example = "begin { printf(\"%p\\n\", percpu_kaddr(\"runqueues\")); }",
		.output = "0xffff88803ea31980",
		.varies = true,
		.flags = BI_NOTED,
		.engines = ON_KERNEL,
		.check = check_percpu,
		.lower = lower_percpu,
	},
	{
		.name = "uaddr",
		.sig = "uaddr(name: lit string) -> uint64",
		.brief = "address of a user symbol",
		.doc = "The address of a symbol of the probed file in the current process. In "
		       "uprobe clauses that name one function; in others only if the file is "
		       "always loaded at the same address.",
		.example = "uprobe:libc:clock_nanosleep { printf(\"%p\\n\", uaddr(\"stdout\")); }",
		.work = "sleep 0.01",
		.output = "0x7fc12b0ae848",
		.varies = true,
		.flags = BI_NEEDS_PROFILE | BI_NOTED,
		.engines = ON_KERNEL,
		.check = check_uaddr,
		.lower = lower_uaddr,
	},
};

const struct builtin_theme builtin_symbol = THEME("Symbols", rows);
