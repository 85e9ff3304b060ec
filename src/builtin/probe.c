/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The probe: its arguments, result, name, registers, raw context. */
#include "builtin/builtin.h"
#include "builtin/record.h"
#include "builtin/site.h"
#include "builtin/user_site.h"
#include "type/agg.h"
#include "type/call.h"
#include "type/event_format.h"

static const struct profile *profile_of(struct check *c)
{
	return c->inst ? c->inst->profile : NULL;
}

static const char *probe_kind(struct check *c)
{
	return c->inst && c->inst->provider ? c->inst->provider : "this kind of";
}

/* The type of print(args): a record of all arguments that have a value. call->data maps its
 * fields to indices in p->args. */
static const struct type *whole_args(struct check *c, struct node *call,
				     const struct arg_list *args)
{
	struct field *fields = arena_array(c->arena, struct field, args->n);
	u32 *from = arena_array(c->arena, u32, args->n), n = 0;

	for (u32 i = 0; i < args->n; i++) {
		const struct type *t = type_complete(args->v[i].type);

		if (args->v[i].why || args->v[i].gap || !t->size || t->kind == TY_ERROR ||
		    t->kind == TY_VOID || t->kind == TY_FUNC)
			continue;
		from[n] = i;
		fields[n++] = (struct field){ .name = args->v[i].name, .type = t };
	}
	call->data = from;
	return type_record(c->arena, fields, n);
}

/* ---- argstr: formatted when printed */

static struct node *args_field(struct check *c, const struct node *call, const char *name)
{
	struct node *field = node_new(c->arena, N_FIELD, call->span),
		    *args = node_new(c->arena, N_IDENT, call->span);

	args->name = "args";
	field->name = name;
	field->a = args;
	return field;
}

static struct node *args_record(struct check *c, const struct node *call,
				const struct arg_list *args)
{
	struct node *record = node_new(c->arena, N_RECORD, call->span), **end = &record->a;

	for (u32 i = 0; i < args->n; i++) {
		*end = node_new(c->arena, N_NAMED, call->span);
		(*end)->name = args->v[i].name;
		(*end)->a = args_field(c, call, args->v[i].name);
		end = &(*end)->next;
	}
	return record;
}

static const struct type *check_args(struct check *c, struct node *call)
{
	const struct profile *p = profile_of(c);

	if (!p || !p->args.n)
		return diag_type(c, call->span, D_PROBE_NO_ARGS,
				 c->inst && c->inst->once ? "special" : probe_kind(c));
	if (!p->kept.map)
		return whole_args(c, call, &p->args);
	if (!call->data)
		call->data = args_record(c, call, &p->args);
	return check_expr(c, call->data);
}

/* @KEPT[curtask].N, which the call's entry has stored. */
static struct node *kept_snapshot(struct check *c, const struct node *call, const struct profile *p)
{
	struct node *kept = node_new(c->arena, N_FIELD, call->span),
		    *map = node_new(c->arena, N_MAP, call->span);

	map->name = p->kept.map;
	map->a = node_new(c->arena, N_IDENT, call->span);
	map->a->name = "curtask";
	kept->a = map;
	kept->value = (s64)p->snapshot.kept - 1;
	return kept;
}

static const struct type *check_argstr(struct check *c, struct node *call)
{
	const struct profile *p = profile_of(c);
	const struct type *t;

	if (p && p->record.type) /* a trace event, formatted by its print fmt */
		return p->record.type;
	if (!p || !p->snapshot.what)
		return diag_type(c, call->span, D_NO_ARGSTR, probe_kind(c));
	if (c->in_callback)
		return diag_type(c, call->span, D_CTX_IN_LOOP, call->name);
	if (!p->snapshot.kept)
		return type_call(c->arena, p->snapshot.what->size);
	if (!call->data)
		call->data = kept_snapshot(c, call, p);
	t = check_expr(c, call->data);
	return t->kind == TY_ERROR ? t : type_call(c->arena, MAX(p->snapshot.what->size, t->size));
}

/* The first 8 bytes of a record are the common fields (struct trace_entry): u16 type, u8 flags,
 * u8 preempt_count, s32 pid. Programs may not read them; the pid comes from a helper. */
enum { FEW_WORDS = 16 }; /* of a record: loads are cheaper than a helper that copies */

/* Loads end with the last field: the kernel lets a program read no further. */
static void copy_words(struct lower *l, struct opnd dst, u32 size)
{
	u32 off = sizeof(u64), step;

	if (size % sizeof(u64))
		ir_store(l, opnd_plus(dst, size & ~7u), 8, o_imm(0));
	for (; off < size; off += step) {
		step = size - off >= 8 ? 8 : size - off >= 4 ? 4 : size - off >= 2 ? 2 : 1;
		ir_store(l, opnd_plus(dst, off), step, ir_load(l, lower_ctx(l, off), step, false));
	}
}

void lower_trace_record(struct lower *l, const struct type *t, struct opnd dst)
{
	const struct event_format *f = t->origin;

	ir_store(l, dst, 8, o_imm(0));
	if (f->wants_pid)
		ir_store(l, opnd_plus(dst, 4), 4,
			 ir_call(l, BPF_FUNC_get_current_pid_tgid, true, 0));
	if (!f->is_dynamic && f->fixed_size <= FEW_WORDS * sizeof(u64))
		copy_words(l, dst, f->fixed_size);
	else
		lower_probe_read(l, opnd_plus(dst, 8), t->size - 8, ir_addr(l, lower_ctx(l, 8)),
				 SPACE_KERNEL);
}

static struct ir_val lower_event_record(struct lower *l, const struct type *t)
{
	bool canonical;
	struct opnd dst = lower_dest(l, t, &canonical);

	lower_trace_record(l, t, dst);
	return val_memory(t, dst);
}

static struct ir_val lower_argstr(struct lower *l, struct node *call)
{
	return l->profile->record.type ? lower_event_record(l, l->profile->record.type) :
					 lower_snapshot(l, call->type, call->data);
}

static const struct type *check_vars(struct check *c, struct node *call)
{
	diag_help(c->diags, check_report(c, call->span, D_VARS_ALONE),
		  "name one of those in scope, which sonde list -v shows: vars.NAME");
	return &ty_error;
}

static struct ir_val lower_args(struct lower *l, struct node *call)
{
	const struct type *t = call->type;
	const u32 *from = call->data;
	bool canonical;
	struct opnd dst;

	if (t->kind != TY_RECORD || !from)
		return val_scalar(&ty_void, o_imm(0));
	dst = lower_dest(l, t, &canonical);
	if (l->profile->kept.map) {
		lower_into(l, call->data, t, dst);
		return val_memory(t, dst);
	}
	ir_zero(l, dst, t->size);
	for (u32 i = 0; i < t->n_fields; i++) {
		struct ir_val v = lower_loc(l, &l->profile->args.v[from[i]]);

		lower_store_val(l, &v, t->fields[i].type, opnd_plus(dst, t->fields[i].offset));
	}
	return val_memory(t, dst);
}

/* ---- argN, retval */

static const struct type *no_argn(struct check *c, struct node *call, const struct profile *p)
{
	struct diag *d = check_report(c, call->span, D_NO_ARGN, call->name);

	if (p && p->retval.loc.kind != LOC_NONE)
		diag_help(c->diags, d,
			  "the result is retval; keep an argument at the entry: @a[tid] = %s",
			  call->name);
	else if (p && p->kind != PROFILE_NONE && p->kind != PROFILE_PERF_EVENT)
		diag_help(c->diags, d,
			  "the arguments here have names, args.NAME: sonde -lv shows them");
	return &ty_error;
}

/* Sites of one pattern have different numbers of arguments: those that a site lacks are 0. */
static bool lacks_argument(struct check *c, const struct node *call, const struct profile *p)
{
	return p && (u64)call->value >= p->argn.n && c->inst && c->inst->provider &&
	       streq(c->inst->provider, "usdt");
}

static const struct type *check_argn(struct check *c, struct node *call)
{
	const struct profile *p = profile_of(c);

	if (lacks_argument(c, call, p)) {
		check_report(c, call->span, D_ARGN_LACKS, call->name, p->argn.n);
		return &ty_u64;
	}
	if (!p || !p->argn.n)
		return no_argn(c, call, p);
	if ((u64)call->value >= p->argn.n)
		return diag_type(c, call->span, D_ARGN_RANGE, call->name, p->argn.n);
	if (p->argn.v[call->value].why)
		return diag_type(c, call->span, D_UNREADABLE_ARG, call->name,
				 p->argn.v[call->value].why);
	return p->argn.v[call->value].type;
}

static struct ir_val lower_argn(struct lower *l, struct node *call)
{
	if ((u64)call->value >= l->profile->argn.n)
		return val_scalar(&ty_u64, o_imm(0));
	return lower_loc(l, &l->profile->argn.v[call->value]);
}

static bool has_arg(const struct profile *p, const char *name)
{
	return p && arg_find(&p->args, name);
}

static bool result_is_field(struct check *c)
{
	return c->inst && c->inst->provider && streq(c->inst->provider, "tracepoint");
}

/* Hint: where to find the result, since this probe has none. */
static void help_retval(struct check *c, struct diag *d)
{
	static const struct {
		const char *at, *returns; /* prefix of the probe, and of its return probe */
	} rows[] = { { "kprobe:", "kretprobe:" }, { "uprobe:", "uretprobe:" } };
	const char *name = c->inst && c->inst->name ? c->inst->name : "";

	if (has_arg(profile_of(c), "ret") || starts_with(name, "tracepoint:syscalls:sys_exit_") ||
	    starts_with(name, "tracepoint:raw_syscalls:sys_exit"))
		diag_help(c->diags, d, "the result is args.ret here");
	else if (ends_with(probe_kind(c), "tracepoint"))
		diag_help(c->diags, d,
			  "an event's fields are args.NAME: "
			  "the result of a system call is args.ret at its sys_exit event");
	else if (starts_with(name, "syscall:"))
		diag_help(c->diags, d, "the result is known at the return: %s:return", name);
	else if (starts_with(name, "fexit:"))
		diag_help(c->diags, d, "this function returns nothing");
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if (starts_with(name, rows[i].at))
			diag_help(c->diags, d, "the result is known at the return: %s%s",
				  rows[i].returns, name + strlen(rows[i].at));
}

static const struct type *check_retval(struct check *c, struct node *call)
{
	const struct profile *p = profile_of(c);

	if (p && p->retval.why)
		return diag_type(c, call->span, D_UNREADABLE_ARG, "retval", p->retval.why);
	if (p && p->retval.gap && !call->is_part_of)
		return diag_type(c, call->span, D_UNREADABLE_ARG, "retval", p->retval.gap);
	if (p && p->retval.loc.kind != LOC_NONE)
		return p->retval.type;
	help_retval(c, check_report(c, call->span, D_NO_RETVAL,
				    result_is_field(c) ? " (try to use args.ret instead)" : ""));
	return &ty_error;
}

static struct ir_val lower_retval(struct lower *l, struct node *call)
{
	return lower_loc(l, &l->profile->retval);
}

/* ---- names */

/* The first site with the same name: a USDT probe may have several locations. */
static u32 namesake(const struct program *p, u32 site)
{
	for (u32 i = 0; i < site; i++)
		if (streq(p->sites.v[i].probe, p->sites.v[site].probe))
			return i;
	return site;
}

/* namesake() of all sites; NULL: all names differ. */
static u32 *namesakes(struct lower *l, u32 room)
{
	const struct program *p = l->prog;
	u32 *table = arena_array(l->arena, u32, room), n = 0;
	struct hash first = { 0 };

	for (u32 i = 0; i < room; i++) {
		const char *name = i < p->sites.n ? p->sites.v[i].probe : NULL;
		uintptr_t known = name ? (uintptr_t)hash_gets(&first, name) : 0;

		table[i] = known ? (u32)known - 1 : i;
		n += known != 0;
		if (name && !known)
			hash_puts(&first, name, (void *)(uintptr_t)(i + 1));
	}
	hash_release(&first);
	return n ? table : NULL;
}

static struct opnd probe_by_cookie(struct lower *l)
{
	struct opnd at, site = lower_site(l);
	u32 room = site_rows(l), *table, off;

	table = namesakes(l, room);
	if (!table)
		return site;
	off = lower_data(l, room * 4, table);
	at = ir_op2(l, IR_SHL, ir_op2(l, IR_AND, site, o_imm(room - 1)), o_imm(2));
	return ir_load(l, ir_op2(l, IR_ADD, ir_addr(l, o_data(l->prog->data_map, off)), at), 4,
		       false);
}

static struct ir_val lower_probe(struct lower *l, struct node *call)
{
	const struct profile *p = l->profile;

	if (p->site.from_cookie)
		return val_scalar(&ty_probe, probe_by_cookie(l));
	return val_scalar(&ty_probe, p->syscall.site ? lower_site(l) :
						       o_imm(namesake(l->prog, p->site.index)));
}

static const struct type *check_probetype(struct check *c, struct node *call)
{
	const char *s = !c->inst ? "" : c->inst->once ? "special" : c->inst->provider;

	node_make_str(call, s, (u32)strlen(s), type_known_text(c->arena, (u32)strlen(s)));
	return call->type;
}

static const struct type *check_func(struct check *c, struct node *call)
{
	const struct profile *p = profile_of(c);

	if (!p || !p->func.is_known) {
		diag_help(c->diags, check_report(c, call->span, D_NO_FUNC, probe_kind(c)),
			  "probe is the name of every probe");
		return &ty_error;
	}
	return &ty_func;
}

/* The first site with the same function, so that entry and return give equal map keys. */
static u32 func_of_site(const struct program *p, u32 site)
{
	const char *func = p->sites.v[site].func;

	for (u32 i = 0; func && i < site; i++)
		if (p->sites.v[i].func && streq(p->sites.v[i].func, func))
			return i;
	return site;
}

/* func_of_site() of all sites, of which there may be tens of thousands. */
static const u32 *func_table(struct lower *l, u32 room)
{
	const struct program *p = l->prog;
	u32 *table = arena_array(l->arena, u32, room);
	struct hash first = { 0 }; /* function -> its first site + 1 */

	for (u32 i = 0; i < p->sites.n; i++) {
		const char *func = p->sites.v[i].func;
		uintptr_t known = func ? (uintptr_t)hash_gets(&first, func) : 0;

		table[i] = known ? (u32)known - 1 : i;
		if (func && !known)
			hash_puts(&first, func, (void *)(uintptr_t)(i + 1));
	}
	hash_release(&first);
	return table;
}

static struct opnd func_by_cookie(struct lower *l)
{
	struct program *p = l->prog;
	u32 room = site_rows(l), off = p->func_table;
	struct opnd at;

	if (p->func_room != room) {
		p->func_table = off = lower_data(l, room * 4, func_table(l, room));
		p->func_room = room;
	}
	at = ir_op2(l, IR_SHL, ir_op2(l, IR_AND, lower_site(l), o_imm(room - 1)), o_imm(2));
	return ir_load(l, ir_op2(l, IR_ADD, ir_addr(l, o_data(l->prog->data_map, off)), at), 4,
		       false);
}

static struct ir_val lower_func(struct lower *l, struct node *call)
{
	const struct profile *p = l->profile;

	if (p->site.from_cookie)
		return val_scalar(&ty_func, func_by_cookie(l));
	return val_scalar(&ty_func, o_imm(func_of_site(l->prog, p->site.index)));
}

/* ---- outside(): an address against the mappings of the probed file */

static const struct type *check_outside(struct check *c, struct node *call)
{
	const struct profile *p = profile_of(c);

	if (!p || p->kind != PROFILE_PT_REGS || !p->regs.are_users)
		return diag_type(c, call->span, D_NO_REGS, probe_kind(c));
	return &ty_bool;
}

static struct ir_val lower_outside(struct lower *l, struct node *call)
{
	struct opnd from = ir_op2(l, IR_SUB, user_site_ip(l), user_site_word(l, PLACE_DISTANCE)),
		    address = lower_scalar(l, call_arg(call, 0));

	return val_scalar(&ty_bool, ir_set(l, CC_UGE, ir_op2(l, IR_SUB, address, from),
					   user_site_word(l, PLACE_SPAN)));
}

static const struct type *check_ctx(struct check *c, struct node *call)
{
	const struct profile *p = profile_of(c);

	if (!p || p->kind == PROFILE_NONE || p->kind == PROFILE_TRACEPOINT)
		return diag_type(c, call->span, D_NO_CTX, probe_kind(c));
	if (p->kind == PROFILE_PT_REGS)
		return check_named_type(c, "struct pt_regs *");
	if (p->kind == PROFILE_PERF_EVENT)
		return check_named_type(c, "struct bpf_perf_event_data *");
	return &ty_u64;
}

static struct ir_val lower_ctx_word(struct lower *l, struct node *call)
{
	return val_scalar(call->type, ir_addr(l, lower_ctx(l, 0)));
}

/* Hint: the names of the registers; the last one if several names mean the same register. */
static void help_registers(struct check *c, struct diag *d, const struct profile *p)
{
	struct buf names = { 0 };

	for (u32 i = 0; i < p->regs.list.n; i++) {
		bool again = false;

		for (u32 j = i + 1; j < p->regs.list.n; j++)
			again |= p->regs.list.v[j].loc.offset == p->regs.list.v[i].loc.offset;
		if (!again)
			buf_printf(&names, " %s", p->regs.list.v[i].name);
	}
	diag_help(c->diags, d, "there are%s", names.s ? names.s : " none");
	buf_release(&names);
}

static const struct type *check_reg(struct check *c, struct node *call)
{
	const struct profile *p = profile_of(c);
	const char *name = call_str(call, 0);

	if (!p || (p->kind != PROFILE_PT_REGS && p->kind != PROFILE_PERF_EVENT))
		return diag_type(c, call->span, D_NO_REGS, probe_kind(c));
	for (u32 i = 0; i < p->regs.list.n; i++)
		if (name && streq(p->regs.list.v[i].name, name)) {
			call->data = &p->regs.list.v[i];
			return &ty_u64;
		}
	help_registers(c, check_report(c, call_arg(call, 0)->span, D_BAD_REG, name ? name : ""), p);
	return &ty_error;
}

static struct ir_val lower_reg(struct lower *l, struct node *call)
{
	return lower_loc(l, call->data);
}

static const struct type *check_goid(struct check *c, struct node *call)
{
	const struct profile *p = profile_of(c);

	return p && p->goid.loc.kind != LOC_NONE ? p->goid.type :
						   diag_type(c, call->span, D_NO_GOID);
}

static struct ir_val lower_goid(struct lower *l, struct node *call)
{
	return lower_loc(l, &l->profile->goid);
}

static const struct builtin rows[] = {
	{
		.name = "args",
		.sig = "args() -> args",
		.brief = "typed arguments of the probe",
		.doc = "args.NAME is an argument by name: the field of a tracepoint, the "
		       "parameter of a function. sonde -lv PROBE lists them.",
		.example = "tracepoint:syscalls:sys_enter_openat { @[args.flags] = count(); }",
		.work = "cat /dev/null",
		.output = "@[0]: 1\n"
			  "@[524288]: 2",
		.varies = true,
		.flags = BI_VARIABLE | BI_READS_ARGS | BI_RECORD | BI_NEEDS_PROFILE,
		.engines = ON_ALL,
		.check = check_args,
		.lower = lower_args,
	},
	{
		.name = "vars",
		.sig = "vars() -> vars",
		.brief = "variables in scope at a source line",
		.doc = "vars.NAME is a local variable, parameter or global of the traced program, "
		       "with its type. Debug information gives its location at the probe's "
		       "address. sonde-example is tests/doc/example/main.c.",
		.example = "uprobe:sonde-example@main.c:8 { printf(\"%d\\n\", vars.count); }",
		.work = "sonde-example",
		.output = "1\n"
			  "2\n"
			  "3",
		.flags = BI_VARIABLE | BI_VARS | BI_NEEDS_PROFILE,
		.engines = ON_ALL,
		.check = check_vars,
		.lower = lower_args,
	},
	{
		.name = "argstr",
		.sig = "argstr() -> record",
		.brief = "arguments of a call, or an event, as text",
		.doc = "In syscall probes: AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC, "
		       "as strace prints them. In "
		       "tracepoint probes, the event as perf script shows it: flags, symbols and "
		       "addresses by its print fmt, formatted when it is printed. What only a "
		       "driver's function can decode (commands of nvme, scsi and libata, "
		       "operations of ceph and bcachefs) is a number or bytes. Events of kvmmmu, "
		       "whose print fmt decodes a union, are shown by their fields.",
		.example = "syscall:openat { printf(\"openat(%s)\\n\", argstr); }",
		.work = "cat /dev/null",
		.output =
			"openat(AT_FDCWD, \"/etc/ld.so.cache\", O_RDONLY|O_CLOEXEC)\n"
			"openat(AT_FDCWD, \"/lib/x86_64-linux-gnu/libc.so.6\", O_RDONLY|O_CLOEXEC)\n"
			"openat(AT_FDCWD, \"/dev/null\", O_RDONLY)",
		.varies = true,
		.flags = BI_VARIABLE | BI_READS_ARGS | BI_RECORD | BI_READS_RECORD |
			 BI_NEEDS_PROFILE | BI_NOTED,
		.engines = ON_ALL,
		.check = check_argstr,
		.lower = lower_argstr,
	},
	{
		.name = "argN",
		.sig = "argN() -> uint64",
		.brief = "argument by number",
		.doc = "arg0, arg1, … are the arguments of the traced function as 64-bit numbers.",
		.example = "uprobe:libc:malloc { @ = sum(arg0); }",
		.work = "cat /dev/null",
		.output = "@: 44",
		.varies = true,
		.flags = BI_VARIABLE | BI_READS_ARGS | BI_NEEDS_PROFILE | BI_NOTED,
		.engines = ON_ALL,
		.check = check_argn,
		.lower = lower_argn,
	},
	{
		.name = "retval",
		.sig = "retval() -> uint64",
		.brief = "result of the traced function",
		.doc = "The return value of the traced function, in return probes, with its type "
		       "if that is known. A pointer can be used as a number (hist(retval), "
		       "@born[retval]); retval.MEMBER reads what it points to.",
		.example = "uretprobe:libc:malloc { @[retval != 0] = count(); }",
		.work = "cat /dev/null",
		.output = "@[true]: 2",
		.varies = true,
		.flags = BI_PREFIXED | BI_VARIABLE | BI_READS_ARGS | BI_READS_RESULT |
			 BI_NEEDS_PROFILE | BI_NOTED,
		.engines = ON_ALL,
		.check = check_retval,
		.lower = lower_retval,
	},
	{
		.name = "probe",
		.sig = "probe() -> probe",
		.brief = "full name of the probe",
		.doc = "The name of the attach point that fired, with wildcards expanded.",
		.example = "begin { print(probe); }",
		.output = "begin",
		.flags = BI_PREFIXED | BI_VARIABLE | BI_READS_NAME,
		.engines = ON_ALL,
		.lower = lower_probe,
	},
	{
		.name = "name",
		.sig = "name() -> probe",
		.brief = "full name of the probe",
		.doc = "An alias for old scripts.",
		.example = "begin { print(name); }",
		.output = "begin",
		.flags = BI_VARIABLE | BI_READS_NAME,
		.engines = ON_ALL,
		.lower = lower_probe,
		.alias_of = "probe",
	},
	{
		.name = "probetype",
		.sig = "probetype() -> string",
		.brief = "type of the probe",
		.doc = "\"kprobe\", \"tracepoint\", …: a constant string.",
		.example = "begin { print(probetype); }",
		.output = "special",
		.flags = BI_VARIABLE | BI_CONST,
		.engines = ON_ALL,
		.check = check_probetype,
	},
	{
		.name = "func",
		.sig = "func() -> func",
		.brief = "traced function",
		.doc = "The function that contains the probe; printed as its name.",
		.example = "uprobe:libc:malloc { @[func] = count(); }",
		.work = "cat /dev/null",
		.output = "@[malloc]: 2",
		.varies = true,
		.flags = BI_PREFIXED | BI_VARIABLE | BI_READS_NAME | BI_NEEDS_PROFILE,
		.engines = ON_ALL,
		.check = check_func,
		.lower = lower_func,
	},
	{
		.name = "goid",
		.sig = "goid() -> uint64",
		.brief = "goroutine id",
		.doc = "In probes of Go programs (Go 1.17 and later, with debug information): the "
		       "id of the current goroutine. sonde-example-go is tests/doc/example/main.go.",
		.example = "uprobe:sonde-example-go:\"main.work\" { print(goid); }",
		.work = "sonde-example-go",
		.output = "17\n"
			  "1",
		.varies = true,
		.flags = BI_VARIABLE | BI_READS_GOID | BI_NEEDS_PROFILE | BI_NOTED,
		.engines = ON_ALL,
		.check = check_goid,
		.lower = lower_goid,
	},
	{
		.name = "ctx",
		.sig = "ctx() -> any",
		.brief = "raw context of the probe",
		.doc = "The address of the BPF context: struct pt_regs * in kprobes and uprobes, "
		       "struct bpf_perf_event_data * in timers and counters, the iterator's "
		       "members (as in args), the arguments of a raw tracepoint.",
		.example = "uprobe:libc:clock_nanosleep { printf(\"%p\\n\", ctx); }",
		.work = "sleep 0.01",
		.output = "0xffffc90000f47f58",
		.varies = true,
		.flags = BI_VARIABLE | BI_NEEDS_PROFILE | BI_READS_CTX | BI_NOTED,
		.engines = ON_KERNEL,
		.check = check_ctx,
		.lower = lower_ctx_word,
	},
	{
		.name = "reg",
		.sig = "reg(name: lit string) -> uint64",
		.brief = "value of a register",
		.doc = "A register of the traced context by name: reg(\"sp\"), reg(\"ip\").",
		.example = "uprobe:libc:clock_nanosleep { printf(\"%p\\n\", reg(\"sp\")); }",
		.work = "sleep 0.01",
		.output = "0x7ffdc2d5ebb8",
		.varies = true,
		.flags = BI_NEEDS_PROFILE | BI_READS_REGS | BI_NOTED,
		.engines = ON_ALL,
		.check = check_reg,
		.lower = lower_reg,
	},
	{
		.name = "outside",
		.sig = "outside(address: int|ptr) -> bool",
		.brief = "whether an address of the process is outside of the probed file",
		.doc = "In probes on functions of programs and libraries: false if the address lies in the "
		       "mappings of the file that has the function. "
		       "With the return address it distinguishes calls that come "
		       "from other files from a library's calls to itself. True where it cannot be "
		       "known: at returns, before Linux 6.6 without BTF.",
		.example =
			"uprobe:libc:malloc /outside(*(uint64 *)reg(\"sp\"))/ { @[comm] = count(); }",
		.work = "ls /dev/null",
		.output = "/dev/null\n"
			  "@[ls]: 6",
		.varies = true,
		.flags = BI_NEEDS_PROFILE | BI_READS_REGS | BI_READS_NAME | BI_NOTED,
		.engines = ON_KERNEL,
		.check = check_outside,
		.lower = lower_outside,
	},
};

const struct builtin_theme builtin_probe = THEME("The probe", rows);
