/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The current process, thread, user, CPU. */
#include <sys/sysinfo.h>
#include "builtin/builtin.h"

static struct opnd pid_tgid(struct lower *l)
{
	return ir_call(l, BPF_FUNC_get_current_pid_tgid, true, 0);
}

/* pid, tid: in sonde's pid namespace or the initial one. bpf_get_ns_current_pid_tgid()
 * identifies a namespace by device and inode. */
static const struct type *check_pid(struct check *c, struct node *call)
{
	const struct world *w = &c->env->world;
	const struct node *mode = call_arg(call, 0);
	bool init = mode && mode->name && streq(mode->name, "init");
	u64 ns[2];

	if (mode && !init && !(mode->name && streq(mode->name, "curr_ns")))
		return diag_type(c, mode->span, D_PID_NAMESPACE, mode->name ? mode->name : "?");
	if (!init && w->pid_namespace && feature_has(c->env->features, FEAT_NS_PID) &&
	    w->pid_namespace(w->ctx, &ns[0], &ns[1]))
		call->data = arena_dup(c->arena, ns, sizeof ns);
	return &ty_u32;
}

static struct ir_val lower_pid(struct lower *l, struct node *call)
{
	if (call->data)
		return val_scalar(call->type, lower_ns_number(l, call->data, true));
	return val_scalar(call->type, ir_op2(l, IR_SHR, pid_tgid(l), o_imm(32)));
}

static struct ir_val lower_tid(struct lower *l, struct node *call)
{
	if (call->data)
		return val_scalar(call->type, lower_ns_number(l, call->data, false));
	return val_scalar(call->type, ir_ext(l, pid_tgid(l), 4, false));
}

static struct ir_val lower_uid(struct lower *l, struct node *call)
{
	return val_scalar(call->type,
			  ir_ext(l, ir_call(l, BPF_FUNC_get_current_uid_gid, true, 0), 4, false));
}

static struct ir_val lower_gid(struct lower *l, struct node *call)
{
	return val_scalar(call->type,
			  ir_op2(l, IR_SHR, ir_call(l, BPF_FUNC_get_current_uid_gid, true, 0),
				 o_imm(32)));
}

/* A helper without arguments; its result is stable within a probe. The row's aux is its number. */
static struct ir_val lower_helper(struct lower *l, struct node *call)
{
	return val_scalar(call->type, ir_call(l, call->builtin->aux, true, 0));
}

static struct ir_val lower_rand(struct lower *l, struct node *call)
{
	return val_scalar(call->type,
			  ir_ext(l, ir_call(l, BPF_FUNC_get_prandom_u32, false, 0), 4, false));
}

static struct ir_val lower_ncpus(struct lower *l, struct node *call)
{
	s64 n = l->env->is_replay ? (s64)l->env->recorded_cpus : get_nprocs_conf();

	return val_scalar(call->type, o_imm(n));
}

/*
 * comm(pid): looks up a task by pid as the kernel does (kernel/pid.c: find_pid_ns), but with plain
 * reads, so that it works in every probe on every kernel with BTF.
 *
 *	ns = current->thread_pid->numbers[0].ns		the initial namespace, or sonde's (DATA_PID_NS)
 *	e = ns->idr.idr_rt.xa_head			lib/xarray.c: an entry; a node has the low bits 10
 *	while e is a node:	e = node->slots[(pid >> node->shift) & 63]
 *	task = container_of(e->tasks[0].first, struct task_struct, pid_links[0])
 */
enum {
	PID_LEVELS = 4,
	XA_SLOTS = 64,
	XA_NODE = 2,
	XA_LOWEST_NODE = 4096
}; /* 4 * 6 bits: PID_MAX_LIMIT is 2^22 */

enum pid_step {
	AT_THREAD_PID,
	AT_NS,
	AT_HEAD,
	AT_SHIFT,
	AT_SLOTS,
	AT_TASKS,
	AT_LINK,
	AT_COMM,
	N_PID_STEPS
};

static const struct {
	const char *type, *path[3];
} pid_steps[N_PID_STEPS] = {
	[AT_THREAD_PID] = { "task_struct", { "thread_pid" } },
	[AT_NS] = { "pid", { "numbers", "ns" } },
	[AT_HEAD] = { "pid_namespace", { "idr", "idr_rt", "xa_head" } },
	[AT_SHIFT] = { "xa_node", { "shift" } },
	[AT_SLOTS] = { "xa_node", { "slots" } },
	[AT_TASKS] = { "pid", { "tasks" } },
	[AT_LINK] = { "task_struct", { "pid_links" } },
	[AT_COMM] = { "task_struct", { "comm" } },
};

/* Offset of a nested member; of arrays, the first element. */
static bool offset_of_path(const struct type *t, const char *const path[3], u32 *offset)
{
	*offset = 0;
	for (u32 i = 0; i < 3 && path[i]; i++) {
		u32 at = 0;
		const struct field *f;

		while (t && t->kind == TY_ARRAY)
			t = t->elem;
		f = t && t->kind == TY_STRUCT ? type_field(type_complete(t), path[i], &at) : NULL;
		if (!f)
			return false;
		*offset += at;
		t = f->type;
	}
	return true;
}

static const struct type *check_comm(struct check *c, struct node *call)
{
	const struct world *w = &c->env->world;
	u32 *at;

	if (!call_arg(call, 0) || call->data)
		return &ty_comm;
	at = arena_array(c->arena, u32, N_PID_STEPS);
	for (u32 i = 0; i < N_PID_STEPS; i++) {
		const struct type *t = w->type ? w->type(w->ctx, 's', pid_steps[i].type) : NULL;

		if (!t || !offset_of_path(t, pid_steps[i].path, &at[i]))
			return diag_type(c, call->span, D_NO_TASK_BY_PID);
	}
	call->data = at;
	return &ty_comm;
}

static struct opnd read_at(struct lower *l, struct opnd base, u32 offset, const struct type *t)
{
	return lower_read_scalar(l, t, ir_op2(l, IR_ADD, base, o_imm(offset)), SPACE_KERNEL);
}

/* One level down if entry is a node; otherwise entry does not change. The root has no slot for a
 * pid that is too large. */
static void descend(struct lower *l, const u32 *at, u32 entry, struct opnd pid, bool is_root,
		    struct ir_block *none)
{
	struct ir_block *low = ir_block_new(l), *node = ir_block_new(l), *inside = ir_block_new(l),
			*out = ir_block_new(l);
	struct opnd base, shift, index;
	u32 mark;

	ir_branch(l, CC_EQ, ir_op2(l, IR_AND, o_temp(entry), o_imm(3)), o_imm(XA_NODE), low, out);
	ir_place(l, low);
	ir_branch(l, CC_UGT, o_temp(entry), o_imm(XA_LOWEST_NODE), node, out);
	ir_place(l, node);
	mark = lower_values_mark(l);
	base = ir_op2(l, IR_SUB, o_temp(entry), o_imm(XA_NODE));
	shift = ir_op2(l, IR_AND, read_at(l, base, at[AT_SHIFT], &ty_u8), o_imm(63));
	index = ir_op2(l, IR_SHR, pid, shift);
	if (is_root)
		ir_branch(l, CC_UGE, index, o_imm(XA_SLOTS), none, inside);
	else
		ir_jump(l, inside);
	ir_place(l, inside);
	index = ir_op2(l, IR_SHL, ir_op2(l, IR_AND, index, o_imm(XA_SLOTS - 1)), o_imm(3));
	ir_var_set(l, entry, read_at(l, ir_op2(l, IR_ADD, base, index), at[AT_SLOTS], &ty_u64));
	lower_values_drop(l, mark);
	ir_jump(l, out);
	ir_place(l, out);
}

/* Kernels that do not pad names (see comm_offset()) leave old bytes after the NUL. */
static void read_comm(struct lower *l, struct opnd dst, struct opnd addr)
{
	if (feature_has(l->features, FEAT_BPF_LOOP)) {
		lower_probe_read(l, dst, ty_comm.size, addr, SPACE_KERNEL);
		return;
	}
	ir_zero(l, dst, ty_comm.size);
	lower_read_str(l, dst, ty_comm.size, addr, SPACE_KERNEL);
}

static void comm_of_pid(struct lower *l, struct node *call, struct opnd dst)
{
	const u32 *at = call->data;
	struct ir_block *none = ir_block_new(l), *out = ir_block_new(l), *found = ir_block_new(l),
			*have = ir_block_new(l);
	struct opnd pid = ir_ext(l, lower_scalar(l, call_arg(call, 0)), 4, false), p, first;
	u32 entry = ir_var(l), mark = lower_values_mark(l);

	if (l->inst->pid_ns[1]) {
		l->prog->wants_pid_ns = true;
		p = lower_own_word(l, DATA_PID_NS);
	} else {
		p = ir_call(l, BPF_FUNC_get_current_task, true, 0);
		p = read_at(l, p, at[AT_THREAD_PID], &ty_u64);
		p = read_at(l, p, at[AT_NS], &ty_u64);
	}
	ir_var_set(l, entry, read_at(l, p, at[AT_HEAD], &ty_u64));
	for (u32 i = 0; i < PID_LEVELS; i++)
		descend(l, at, entry, pid, i == 0, none);
	ir_branch(l, CC_EQ, o_temp(entry), o_imm(0), none, found);
	ir_place(l, found);
	first = read_at(l, o_temp(entry), at[AT_TASKS], &ty_u64);
	ir_branch(l, CC_EQ, first, o_imm(0), none, have);
	ir_place(l, have);
	read_comm(l, dst, ir_op2(l, IR_ADD, first, o_imm((s64)at[AT_COMM] - at[AT_LINK])));
	ir_jump(l, out);
	ir_place(l, none);
	lower_values_drop(l, mark);
	ir_zero(l, dst, ty_comm.size);
	ir_store(l, dst, 4, o_imm('N' | '/' << 8 | 'A' << 16));
	lower_loss(l, LOSS_NO_PROCESS, NULL);
	ir_jump(l, out);
	ir_place(l, out);
	lower_values_drop(l, mark);
}

/* Offset of the name in task_struct, if it can be loaded directly and is padded with zeros:
 * saves 50 ns over the helper. */
static bool comm_offset(struct lower *l, u32 *offset)
{
	const struct world *w = &l->env->world;
	const struct type *task;
	const struct field *f;

	if (!feature_has(l->features, FEAT_TASK_BTF) ||
	    !feature_has(l->features, FEAT_COMM_PADDED) || !w->type)
		return false;
	task = w->type(w->ctx, 's', "task_struct");
	f = task ? type_field(task, "comm", offset) : NULL;
	return f && f->type->size == ty_comm.size;
}

static struct ir_val lower_comm(struct lower *l, struct node *call)
{
	bool canonical;
	struct opnd dst = lower_dest(l, &ty_comm, &canonical), task;
	struct ir_val v = val_memory(&ty_comm, dst);
	u32 offset;

	v.clean = true;
	if (call_arg(call, 0)) {
		v.clean = false; /* the name may change while it is read */
		comm_of_pid(l, call, dst);
		return v;
	}
	if (comm_offset(l, &offset)) {
		task = ir_call(l, BPF_FUNC_get_current_task_btf, true, 0);
		for (u32 i = 0; i < ty_comm.size; i += 8)
			ir_store(l, opnd_plus(dst, i), 8,
				 ir_load(l, opnd_plus(task, offset + i), 8, false));
		return v;
	}
	ir_zero(l, dst, ty_comm.size); /* some kernels (6.1) do not write the bytes after the NUL */
	ir_call(l, BPF_FUNC_get_current_comm, false, 2, dst, o_imm(ty_comm.size));
	return v;
}

static const struct type *check_curtask(struct check *c, struct node *call)
{
	const struct world *w = &c->env->world;
	const struct type *t = w->type ? w->type(w->ctx, 's', "task_struct") : NULL;

	return t ? type_pointer(c->arena, t, SPACE_KERNEL) : &ty_u64;
}

static struct ir_val lower_curtask(struct lower *l, struct node *call)
{
	bool btf = feature_has(l->features, FEAT_TASK_BTF);
	struct opnd task = ir_call(
		l, btf ? BPF_FUNC_get_current_task_btf : BPF_FUNC_get_current_task, true, 0);

	return val_scalar(call->type, btf ? ir_known(l, task) : task);
}

static const struct type *check_cpid(struct check *c, struct node *call)
{
	if (c->env->is_replay && !c->env->recorded_cpid)
		return diag_type(c, call->span, D_NOT_RECORDED, "the recording",
				 "the process id of a command");
	return &ty_u64;
}

static struct ir_val lower_cpid(struct lower *l, struct node *call)
{
	return val_scalar(call->type, lower_own_word(l, DATA_CPID));
}

static const struct builtin rows[] = {
	{
		.name = "pid",
		.sig = "pid(namespace: name = curr_ns) -> uint32",
		.brief = "process id",
		.doc = "The process (thread group) id of the current task, in sonde's pid "
		       "namespace; pid(init) is in the initial one.",
		.example = "begin { print(pid); }",
		.output = "20030",
		.varies = true,
		.flags = BI_VARIABLE | BI_NOTED_ARGS | BI_OF_EVENT,
		.engines = ON_ALL,
		.check = check_pid,
		.lower = lower_pid,
	},
	{
		.name = "tid",
		.sig = "tid(namespace: name = curr_ns) -> uint32",
		.brief = "thread id",
		.doc = "The thread id of the current task: the map key for state between entry "
		       "and return. tid(init) is in the initial pid namespace.",
		.example = "begin { print(tid); }",
		.output = "20033",
		.varies = true,
		.flags = BI_VARIABLE | BI_THREAD | BI_NOTED_ARGS | BI_OF_EVENT,
		.engines = ON_ALL,
		.check = check_pid,
		.lower = lower_tid,
	},
	{
		.name = "uid",
		.sig = "uid() -> uint64",
		.brief = "user id",
		.doc = "The real user id of the current task, in the initial user namespace.",
		.example = "begin { print(uid); }",
		.output = "0",
		.varies = true,
		.flags = BI_VARIABLE | BI_NOTED,
		.engines = ON_ALL,
		.lower = lower_uid,
	},
	{
		.name = "gid",
		.sig = "gid() -> uint64",
		.brief = "group id",
		.doc = "The real group id of the current task, in the initial user namespace.",
		.example = "begin { print(gid); }",
		.output = "0",
		.varies = true,
		.flags = BI_VARIABLE | BI_NOTED,
		.engines = ON_ALL,
		.lower = lower_gid,
	},
	{
		.name = "username",
		.sig = "username() -> username",
		.brief = "user name",
		.doc = "The user id of the current task, printed as its name in the user database.",
		.example = "begin { print(username); }",
		.output = "root",
		.varies = true,
		.flags = BI_VARIABLE | BI_NOTED,
		.engines = ON_ALL,
		.lower = lower_uid,
	},
	{
		.name = "comm",
		.sig = "comm(pid: int = 0) -> comm",
		.brief = "name of the thread",
		.doc = "The name of the current thread, at most 15 characters. comm(pid) is the "
		       "name of another task; N/A and a counted warning if there is none.",
		.example = "tracepoint:syscalls:sys_enter_clock_nanosleep { print(comm); }",
		.work = "sleep 0.01",
		.output = "sleep",
		.flags = BI_PREFIXED | BI_VARIABLE | BI_NOTED_ARGS | BI_OF_EVENT,
		.engines = ON_ALL,
		.check = check_comm,
		.lower = lower_comm,
		.filter = "COMM",
	},
	{
		.name = "cpu",
		.sig = "cpu() -> uint32",
		.brief = "CPU number",
		.doc = "The CPU that the probe fires on.",
		.example = "begin { print(cpu); }",
		.output = "0",
		.varies = true,
		.flags = BI_PREFIXED | BI_VARIABLE | BI_OF_EVENT,
		.engines = ON_ALL,
		.lower = lower_helper,
		.aux = BPF_FUNC_get_smp_processor_id,
		.filter = "CPU",
	},
	{
		.name = "numaid",
		.sig = "numaid() -> uint32",
		.brief = "NUMA node",
		.doc = "The NUMA node of the CPU that the probe fires on.",
		.example = "begin { print(numaid); }",
		.output = "0",
		.varies = true,
		.flags = BI_VARIABLE | BI_NOTED,
		.engines = ON_KERNEL | ON_REPLAY,
		.lower = lower_helper,
		.aux = BPF_FUNC_get_numa_node_id,
	},
	{
		.name = "ncpus",
		.sig = "ncpus() -> uint64",
		.brief = "number of CPUs",
		.doc = "The number of CPUs of the machine; with --from, of the one that was recorded.",
		.example = "begin { print(ncpus); }",
		.output = "2",
		.varies = true,
		.flags = BI_PREFIXED | BI_VARIABLE,
		.engines = ON_ALL,
		.lower = lower_ncpus,
	},
	{
		.name = "cgroup",
		.sig = "cgroup() -> uint64",
		.brief = "cgroup id",
		.doc = "The cgroup v2 id of the current task.",
		.example = "begin { print(cgroup); }",
		.output = "1",
		.varies = true,
		.flags = BI_VARIABLE | BI_NOTED,
		.engines = ON_KERNEL | ON_REPLAY,
		.lower = lower_helper,
		.aux = BPF_FUNC_get_current_cgroup_id,
	},
	{
		.name = "rand",
		.sig = "rand() -> uint64",
		.brief = "random number",
		.doc = "A pseudo-random unsigned 32-bit number.",
		.example = "begin { print(rand % 100); }",
		.output = "80",
		.varies = true,
		.flags = BI_VARIABLE | BI_NOTED,
		.engines = ON_ALL,
		.lower = lower_rand,
	},
	{
		.name = "jiffies",
		.sig = "jiffies() -> uint64",
		.brief = "kernel ticks",
		.doc = "The kernel's tick counter.",
		.example = "begin { print(jiffies); }",
		.output = "4295498985",
		.varies = true,
		.flags = BI_VARIABLE | BI_NOTED,
		.engines = ON_KERNEL,
		.lower = lower_helper,
		.aux = BPF_FUNC_jiffies64,
	},
	{
		.name = "curtask",
		.sig = "curtask() -> task_struct",
		.brief = "current task",
		.doc = "Pointer to the struct task_struct of the current task, for example "
		       "curtask->mm->total_vm.",
		.example = "begin { printf(\"%p\\n\", curtask); }",
		.output = "0xffff888109f90000",
		.varies = true,
		.flags = BI_VARIABLE | BI_TRUSTED | BI_NOTED,
		.engines = ON_KERNEL,
		.check = check_curtask,
		.lower = lower_curtask,
	},
	{
		.name = "cpid",
		.sig = "cpid() -> uint64",
		.brief = "pid of the -c command",
		.doc = "The process id of the command started with -c; 0 without one. With --from, "
		       "of the recorded command.",
		.example = "tracepoint:syscalls:sys_enter_clock_nanosleep { print(pid == cpid); }",
		.work = "sleep 0.01",
		.output = "true",
		.flags = BI_PREFIXED | BI_VARIABLE,
		.engines = ON_ALL,
		.check = check_cpid,
		.lower = lower_cpid,
	},
};

const struct builtin_theme builtin_process = THEME("Processes and CPUs", rows);
