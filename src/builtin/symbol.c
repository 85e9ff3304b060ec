/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols: ksym(), usym(), and the addresses of kernel and user symbols.
 *
 * An address is symbolized when it is printed, never in the program. Names are looked up at compile
 * time.
 */
#include <sys/sysinfo.h>
#include "builtin/builtin.h"
#include "builtin/user_site.h"
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

/* ---- uaddr(): the address in the file, plus where the process has mapped the file */

/* As wide as the symbol, like the peer's: what it points to is read without a cast. */
static const struct type *pointer_to_symbol(struct check *c, const struct user_symbol *s)
{
	const struct type *to = s->size == 1 ? &ty_s8 :
				s->size == 2 ? &ty_s16 :
				s->size == 4 ? &ty_s32 :
					       &ty_s64;

	return type_pointer(c->arena, to, SPACE_USER);
}

static const char *file_as_typed(struct check *c)
{
	const char *file = strchr(c->inst->name, ':') + 1;

	return arena_strndup(c->arena, file, strcspn(file, ":"));
}

static const struct type *check_uaddr(struct check *c, struct node *call)
{
	const struct world *w = &c->env->world;
	const struct profile *p = c->inst ? c->inst->profile : NULL;
	struct user_symbol *s = arena_new(c->arena, struct user_symbol);
	const char *name = call_str(call, 0);

	if (!p || !p->regs.are_users)
		return diag_type(c, call->span, D_UADDR_PROBE, c->inst ? c->inst->provider : "");
	call->data = s;
	if (!p->site.file) /* each file that comes later gets a program of its own */
		return pointer_to_symbol(c, s);
	if (!w->user_symbol || !w->user_symbol(w->ctx, p->site.file, name, s))
		return diag_type(c, call_arg(call, 0)->span, D_NO_USYM, name, file_as_typed(c));
	if (s->moves && !user_site_has_ip(c))
		return diag_type(c, call->span, D_UADDR_UNKNOWN);
	return pointer_to_symbol(c, s);
}

static struct ir_val lower_uaddr(struct lower *l, struct node *call)
{
	const struct user_symbol *s = call->data;
	struct opnd base;

	if (!s->moves)
		return val_scalar(call->type, o_imm((s64)s->address));
	base = ir_op2(l, IR_SUB, user_site_ip(l), user_site_word(l, PLACE_ADDRESS));
	return val_scalar(call->type, ir_op2(l, IR_ADD, base, o_imm((s64)s->address)));
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
		.sig = "uaddr(name: lit string) -> any",
		.brief = "address of a user symbol",
		.doc = "The address of a symbol of the probed file in the current process, in "
		       "uprobe, uretprobe and usdt clauses, wherever the process has mapped the "
		       "file. It is a pointer to a signed integer as wide as the symbol (1, 2, 4 "
		       "bytes, else 8): *uaddr(\"environ\") is the value of the variable.",
		.example = "uprobe:libc:clock_nanosleep { printf(\"%p\\n\", uaddr(\"stdout\")); }",
		.work = "sleep 0.01",
		.output = "0x7fc12b0ae848",
		.varies = true,
		.flags = BI_NEEDS_PROFILE | BI_READS_FILE | BI_READS_NAME | BI_NOTED,
		.engines = ON_KERNEL,
		.check = check_uaddr,
		.lower = lower_uaddr,
	},
};

const struct builtin_theme builtin_symbol = THEME("Symbols", rows);
