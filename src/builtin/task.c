/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Relatives of the current task, its mode, its cgroups.
 *
 * A call such as ppid is replaced by the expression curtask->real_parent->tgid, so BTF gives the
 * offsets.
 */
#include "builtin/builtin.h"
#include "type/bpf_isa.h"

/* ---- relatives: a row's aux is an enum walk */

enum walk { WALK_PPID, WALK_PCOMM, WALK_LEADER_TID, WALK_LEADER_COMM };

static const struct {
	const char *link, *field;
} walks[] = {
	[WALK_PPID] = { "real_parent", "tgid" },
	[WALK_PCOMM] = { "real_parent", "comm" },
	[WALK_LEADER_TID] = { "group_leader", "pid" },
	[WALK_LEADER_COMM] = { "group_leader", "comm" },
};

static struct node *field_of(struct check *c, struct node *a, const char *name)
{
	struct node *n = node_new(c->arena, N_FIELD, a->span);

	n->a = a;
	n->name = name;
	n->op = OP_DEREF;
	return n;
}

static struct node *current_task(struct check *c, struct span span)
{
	struct node *n = node_new(c->arena, N_CALL, span);

	n->name = "curtask";
	return n;
}

static const struct type *check_walk(struct check *c, struct node *call)
{
	const struct world *w = &c->env->world;
	u32 walk = call->builtin->aux;
	struct node *task = call_arg(call, 0), *next = call->next;

	if (walk == WALK_LEADER_COMM && !task && c->env->has_past)
		return &ty_comm;
	if (!w->type || !w->type(w->ctx, 's', "task_struct"))
		return diag_type(c, call->span, D_MISSING_FEATURE, call->name,
				 feature_rows[FEAT_BTF].text);
	if (!task)
		task = current_task(c, call->span);
	*call = *field_of(c, field_of(c, task, walks[walk].link), walks[walk].field);
	call->next = next;
	return check_expr(c, call);
}

/* For an engine that knows the names of threads; the others walk. */
static struct ir_val lower_walk(struct lower *l, struct node *call)
{
	bool canonical;
	struct opnd dst = lower_dest(l, &ty_comm, &canonical);
	struct ir_val v = val_memory(&ty_comm, dst);

	v.clean = true;
	ir_zero(l, dst, ty_comm.size);
	ir_call(l, BPF_FUNC_get_leader_comm, false, 2, dst, o_imm(ty_comm.size));
	return v;
}

/* ---- usermode */

static const struct type *check_usermode(struct check *c, struct node *call)
{
	const struct profile *p = c->inst ? c->inst->profile : NULL;

	/* begin and end run in sonde itself, events without registers in the kernel. */
	if (!p || !p->regs.list.n)
		node_make_int(call, !p || p->kind == PROFILE_NONE, &ty_u8);
	return &ty_u8;
}

static struct ir_val lower_usermode(struct lower *l, struct node *call)
{
	const struct profile *p = l->profile;
	struct opnd bits = ir_op2(l, IR_AND, lower_loc(l, &p->regs.mode.where).o,
				  o_imm((s64)p->regs.mode.mask));

	return val_scalar(&ty_u8, ir_set(l, CC_EQ, bits, o_imm((s64)p->regs.mode.user)));
}

static const struct type *check_has_cpid(struct check *c, struct node *call)
{
	bool has = c->env->is_replay ? c->env->recorded_cpid :
				       c->env->request->traced.command != NULL;

	node_make_int(call, has, &ty_bool);
	return &ty_bool;
}

/* ---- cgroups */

/* The id of the cgroup that the argument names; 0: none, which is reported. */
static u64 find_cgroup(struct check *c, struct node *call, u32 *level)
{
	const struct world *w = &c->env->world;
	const char *path = call_str(call, 0);
	u64 id = *path && w->cgroup_id ? w->cgroup_id(w->ctx, path, level) : 0;

	if (!id)
		diag_help(c->diags, check_report(c, call_arg(call, 0)->span, D_NO_CGROUP, path),
			  "cgroups are the directories below /sys/fs/cgroup");
	return id;
}

static const struct type *check_cgroupid(struct check *c, struct node *call)
{
	u32 level;
	u64 id = find_cgroup(c, call, &level);

	if (!id)
		return &ty_error;
	node_make_int(call, (s64)id, &ty_u64);
	return &ty_u64;
}

/* aux: the level, value: the id. */
static const struct type *check_in_cgroup(struct check *c, struct node *call)
{
	u64 id = find_cgroup(c, call, &call->aux);

	call->value = (s64)id;
	return id ? &ty_bool : &ty_error;
}

/* bpf_get_current_ancestor_cgroup_id() (Linux 5.7) returns the ID of the current task's ancestor
 * cgroup at a level below the root, or 0 if the task's cgroup is above that level. */
static struct ir_val lower_in_cgroup(struct lower *l, struct node *call)
{
	struct opnd id =
		ir_call(l, BPF_FUNC_get_current_ancestor_cgroup_id, true, 1, o_imm((s64)call->aux));

	return val_scalar(&ty_bool, ir_set(l, CC_EQ, id, o_imm(call->value)));
}

static const struct type *check_cgroup_path(struct check *c, struct node *call)
{
	struct type *t;

	if (!call_arg(call, 1))
		return &ty_cgroup_path;
	t = arena_dup(c->arena, &ty_cgroup_path, sizeof *t);
	t->name = call_str(call, 1);
	return t;
}

static struct ir_val lower_cgroup_path(struct lower *l, struct node *call)
{
	return val_scalar(call->type, lower_scalar(l, call_arg(call, 0)));
}

#define WALK_ROW(name_, sig_, brief_, doc_, example_, output_, aux_)                               \
	{                                                                                          \
		.name = name_, .sig = sig_, .brief = brief_, .doc = doc_, .example = example_,     \
		.work = "sleep 0.01", .output = output_, .varies = true,                           \
		.flags = BI_VARIABLE | BI_NOTED, .engines = ON_KERNEL, .check = check_walk,        \
		.lower = lower_walk, .aux = aux_,                                                  \
	}

static const struct builtin rows[] = {
	WALK_ROW("ppid", "ppid(task: ptr = 0) -> int32", "pid of the parent",
		 "The process id of the current task's parent, or of a given struct task_struct's.",
		 "tracepoint:syscalls:sys_enter_clock_nanosleep { print(ppid); }", "21152",
		 WALK_PPID),
	WALK_ROW("pcomm", "pcomm(task: ptr = 0) -> comm", "name of the parent",
		 "The name of the current task's parent, or of a given struct task_struct's.",
		 "tracepoint:syscalls:sys_enter_clock_nanosleep { print(pcomm); }", "sonde",
		 WALK_PCOMM),
	WALK_ROW("leader_tid", "leader_tid(task: ptr = 0) -> int32",
		 "thread id of the group leader", "The id of the first thread of the process.",
		 "tracepoint:syscalls:sys_enter_clock_nanosleep { print(leader_tid == tid); }",
		 "true", WALK_LEADER_TID),
	WALK_ROW("leader_comm", "leader_comm(task: ptr = 0) -> comm", "name of the group leader",
		 "The name of the first thread of the process.",
		 "tracepoint:syscalls:sys_enter_clock_nanosleep { print(leader_comm); }", "sleep",
		 WALK_LEADER_COMM),
	{
		.name = "usermode",
		.sig = "usermode() -> uint8",
		.brief = "whether user code was interrupted",
		.doc = "1 if the probe interrupted user code, 0 if kernel code, by the registers. "
		       "Probes without registers run in the kernel: 0; begin and end: 1.",
		.example = "profile:hz:999 { @[usermode] = count(); }",
		.work = "bash -c \"for ((i = 0; i < 3000; i++)); do :; done\"",
		.output = "...\n"
			  "@[1]: 23",
		.varies = true,
		.flags = BI_PREFIXED | BI_VARIABLE | BI_NEEDS_PROFILE | BI_NOTED,
		.engines = ON_KERNEL,
		.check = check_usermode,
		.lower = lower_usermode,
	},
	{
		.name = "has_cpid",
		.sig = "has_cpid() -> bool",
		.brief = "whether there is a -c command",
		.doc = "True if sonde was started with -c; with --from, if the recording was.",
		.example = "begin { print(has_cpid); }",
		.output = "false",
		.flags = BI_VARIABLE | BI_CONST,
		.engines = ON_ALL,
		.check = check_has_cpid,
	},
	{
		.name = "cgroupid",
		.sig = "cgroupid(path: lit string) -> uint64",
		.brief = "id of a cgroup",
		.doc = "The id of the cgroup v2 at a path, absolute or relative to the mount, "
		       "looked up at compile time; compare it with cgroup.",
		.example = "begin { print(cgroupid(\"/sys/fs/cgroup\")); }",
		.output = "1",
		.varies = true,
		.flags = BI_CONST,
		.engines = ON_ALL,
		.check = check_cgroupid,
	},
	{
		.name = "in_cgroup",
		.sig = "in_cgroup(path: lit string) -> bool",
		.brief = "whether the task is in a cgroup or below it",
		.doc = "True if the current task is in the cgroup v2 at a path, "
		       "absolute or relative to the mount, or in "
		       "one below it: in a container and all that it starts.",
		.example =
			"tracepoint:syscalls:sys_enter_clock_nanosleep { print(in_cgroup(\"/\")); }",
		.work = "sleep 0.01",
		.output = "true",
		.flags = BI_NOTED,
		.engines = ON_KERNEL,
		.check = check_in_cgroup,
		.lower = lower_in_cgroup,
	},
	{
		.name = "cgroup_path",
		.sig = "cgroup_path(id: int, filter: lit string = \"\") -> cgroup_path",
		.brief = "path of a cgroup",
		.doc = "Prints as the path of the cgroup with that id in each hierarchy that has "
		       "it: unified:/user.slice,cpu:/. Version 2 is called unified; the others "
		       "have the name of the directory where they are mounted. filter, a pattern "
		       "with *, selects hierarchies.",
		.example =
			"tracepoint:syscalls:sys_enter_clock_nanosleep { print(cgroup_path(cgroup, \"unified\")); }",
		.work = "sleep 0.01",
		.output = "unified:/...",
		.engines = ON_ALL,
		.check = check_cgroup_path,
		.lower = lower_cgroup_path,
	},
};

const struct builtin_theme builtin_task = THEME("Tasks and cgroups", rows);
