/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lowers a checked instance of a clause to a unit of IR. The order of a program:
 *
 *	filters     system-call set, -p, --follow: return at once for other events
 *	claim A     scratch, if the predicate needs it
 *	predicate
 *	claim B     scratch, if only the body needs it
 *	body
 *	return      scratch released
 */
#include "ir/state.h"

/*
 * Trampolines, hooks of security modules and iterators, entries in a session and uprobe multi links
 * of 6.6 to 6.12: the kernel interprets the value that they return.
 */
static bool must_return_zero(const struct profile *p)
{
	return p->kind == PROFILE_PT_REGS || p->kind == PROFILE_ITER ||
	       (p->kind == PROFILE_BTF && p->load.attach_type != BPF_TRACE_RAW_TP);
}

/*
 * Returns of the body share one or two exit blocks, because it is known only after lowering the
 * body whether scratch must be released.
 */
void lower_return(struct lower *l, struct opnd value)
{
	if (must_return_zero(l->profile))
		value = o_imm(0);
	if (l->s->depth) {
		lower_return_from_body(l, value);
		return;
	}
	if (value.kind == O_IMM && value.imm == 0) {
		ir_jump(l, l->s->exit_zero);
		return;
	}
	if (!l->s->exit_value) {
		l->s->exit_value = ir_block_new(l);
		l->s->return_var = ir_var(l);
	}
	ir_var_set(l, l->s->return_var, value);
	ir_jump(l, l->s->exit_value);
}

static void emit_exit(struct lower *l, struct ir_block *exit, u32 scratch, struct opnd value)
{
	ir_place(l, exit);
	if (scratch)
		ir_store(l, o_at(scratch, 0), 8, o_imm(0));
	ir_emit(l, (struct ir_insn){ .op = IR_RETURN, .arg = { value } });
}

/* 1: the kernel is not to call the program again at the return (kprobe sessions). */
static struct opnd value_of_refusal(const struct lower *l)
{
	return o_imm(l->inst->refuses_return);
}

/* arch/x86/entry/syscalls/syscall_32.tbl */
enum { I386_RT_SIGRETURN = 173 };

static void emit_exits(struct lower *l)
{
	if (l->s->exit_value)
		emit_exit(l, l->s->exit_value, l->s->scratch, o_temp(l->s->return_var));
	emit_exit(l, l->s->exit_zero, l->s->scratch, o_imm(0));
	if (l->s->exit_predicate)
		emit_exit(l, l->s->exit_predicate, l->s->predicate_scratch, value_of_refusal(l));
	emit_exit(l, l->s->exit_filter, 0, value_of_refusal(l));
}

/* ---- filters */

/* All filters exit through one block at the end, so that wanted events fall through. */
void lower_return_unless(struct lower *l, enum ir_cond cc, struct opnd a, struct opnd b)
{
	struct ir_block *go = ir_block_new(l);

	ir_branch(l, cc, a, b, go, l->s->exit_filter);
	ir_place(l, go);
}

/*
 * If the program may neither load from the task nor call a helper (5.10, locked down): every call
 * that was not entered by SYSCALL is 32-bit. At the exit ip may have changed (execve, sigreturn),
 * so only cs is compared.
 */
static void filter_by_registers(struct lower *l)
{
	const struct profile *p = l->profile;
	struct opnd regs = lower_saved_registers(l);

	lower_return_unless(l, CC_EQ, ir_load(l, opnd_plus(regs, p->syscall.native.cs), 2, false),
			    o_imm(p->syscall.native.user_cs));
	if (p->syscall.enter)
		lower_return_unless(l, CC_EQ,
				    ir_load(l, opnd_plus(regs, p->syscall.native.cx), 8, false),
				    ir_load(l, opnd_plus(regs, p->syscall.native.ip), 8, false));
}

/* Avoids a helper call, which costs 19 ns: only undecided cases take the slow check. */
static void branch_if_native(struct lower *l, struct ir_block *native)
{
	const struct profile *p = l->profile;
	struct ir_block *user = ir_block_new(l), *slow = ir_block_new(l);
	struct opnd regs = lower_saved_registers(l);

	ir_branch(l, CC_EQ, ir_load(l, opnd_plus(regs, p->syscall.native.cs), 2, false),
		  o_imm(p->syscall.native.user_cs), user, slow);
	ir_place(l, user);
	ir_branch(l, CC_EQ, ir_load(l, opnd_plus(regs, p->syscall.native.cx), 8, false),
		  ir_load(l, opnd_plus(regs, p->syscall.native.ip), 8, false), native, slow);
	ir_place(l, slow);
}

/* 32-bit calls share the tracepoint but not the numbers: thread_info distinguishes them. */
static void branch_if_compat(struct lower *l, struct ir_block *compat, struct ir_block *native)
{
	const struct profile *p = l->profile;
	u32 mark = vn_mark(l);
	struct opnd flags =
		lower_of_task(l, type_int(p->syscall.compat.size, false), p->syscall.compat.offset);

	ir_branch(l, CC_EQ, ir_op2(l, IR_AND, flags, o_imm(p->syscall.compat.mask)), o_imm(0),
		  native, compat);
	vn_truncate(l, mark); /* not every path here runs the slow check */
}

/* Whether registers are the only source of information about a call. */
static bool knows_registers_alone(struct lower *l)
{
	return l->profile->syscall.native.user_cs && !feature_has(l->features, FEAT_TASK_BTF) &&
	       !feature_has(l->features, FEAT_READ_KERNEL);
}

static bool tells_apart(struct lower *l)
{
	return l->profile->syscall.compat.mask && !knows_registers_alone(l);
}

static void filter_compat(struct lower *l)
{
	const struct profile *p = l->profile;
	struct ir_block *native;

	if (!p->syscall.compat.mask)
		return;
	if (knows_registers_alone(l)) {
		filter_by_registers(l);
		return;
	}
	native = ir_block_new(l);
	if (p->syscall.native.user_cs)
		branch_if_native(l, native);
	branch_if_compat(l, l->s->exit_filter, native);
	ir_place(l, native);
}

static u32 set_size(const u64 *set, u32 *only)
{
	u32 n = 0;

	for (u32 nr = 0; nr < SYSCALL_SET_BITS; nr++)
		if (set[nr / 64] >> (nr % 64) & 1) {
			*only = nr;
			n++;
		}
	return n;
}

/* At the exit of a call that restores registers the kernel's number is -1. */
static struct opnd number_or(struct lower *l, u32 instead)
{
	struct opnd nr = lower_loc(l, &l->profile->syscall.nr).o;

	if (instead)
		nr = ir_op2(l, IR_ADD, nr,
			    ir_op2(l, IR_AND, ir_op2(l, IR_SAR, nr, o_imm(63)),
				   o_imm((s64)instead + 1)));
	return nr;
}

/* The attached one of several programs on one attachment. */
static bool is_dispatcher(const struct instance *in)
{
	return in->jump && !in->jump->is_chain && in->jump->dispatcher == in->index;
}

static bool has_i386(const u64 *set)
{
	for (u32 i = SYSCALL_I386 / 64; set && i < SYSCALL_SET_BITS / 64; i++)
		if (set[i])
			return true;
	return false;
}

/* The number of a native or a 32-bit call, in a variable. is_known: another program has checked
 * it. */
static struct opnd take_number(struct lower *l, bool is_known)
{
	const struct profile *p = l->profile;
	struct ir_block *native = ir_block_new(l), *compat = ir_block_new(l),
			*out = ir_block_new(l);
	u32 var = ir_var(l), mark;
	struct opnd nr;

	if (p->syscall.native.user_cs)
		branch_if_native(l, native);
	branch_if_compat(l, compat, native);
	mark = vn_mark(l);
	ir_place(l, compat);
	nr = number_or(l, p->syscall.exit ? I386_RT_SIGRETURN : 0);
	if (!is_known)
		lower_return_unless(l, CC_ULT, nr, o_imm(SYSCALL_I386));
	ir_var_set(l, var, ir_op2(l, IR_OR, nr, o_imm(SYSCALL_I386)));
	ir_jump(l, out);
	vn_truncate(l, mark);
	ir_place(l, native);
	nr = number_or(l, p->syscall.of_none);
	if (!is_known)
		lower_return_unless(l, CC_ULT, nr, o_imm(SYSCALL_I386));
	ir_var_set(l, var, nr);
	ir_jump(l, out);
	vn_truncate(l, mark);
	ir_place(l, out);
	return o_temp(var);
}

struct opnd lower_syscall_number(struct lower *l)
{
	struct opnd nr = l->s->call_number;

	if (nr.kind == O_SLOT)
		return ir_load(l, nr, 2, false);
	if (nr.kind != O_NONE)
		return nr;
	if (l->profile->syscall.either && tells_apart(l)) /* in the body of a loop */
		return take_number(l, true);
	nr = number_or(l, l->profile->syscall.of_none);
	return l->profile->syscall.i386 ? ir_op2(l, IR_OR, nr, o_imm(SYSCALL_I386)) : nr;
}

/*
 * Verifiers would follow all that comes next twice, for the numbers of either ABI. They know what a
 * word of the stack begins with, but forget what is stored further in.
 */
static void keep_number(struct lower *l)
{
	struct opnd nr = take_number(l, l->inst->jump && !is_dispatcher(l->inst));

	vec_push(l->arena, &l->f->slots, (struct ir_slot){ .size = 8, .align = 8, .name = "call" });
	l->s->stack_used += 8;
	l->s->call_number = o_slot(l->f->slots.n - 1, 2);
	ir_store(l, l->s->call_number, 2, nr);
}

static void filter_number(struct lower *l, struct opnd nr)
{
	const u64 *set = l->profile->syscall.set;
	u8 bytes[SYSCALL_SET_BITS] = { 0 };
	struct opnd byte;
	u32 only = 0, off;

	if (set && set_size(set, &only) == 1) {
		lower_return_unless(l, CC_EQ, nr, o_imm(only));
		return;
	}
	lower_return_unless(l, CC_ULT, nr, o_imm(SYSCALL_SET_BITS));
	if (!set)
		return;
	for (u32 i = 0; i < SYSCALL_SET_BITS; i++)
		bytes[i] = set[i / 64] >> (i % 64) & 1;
	off = lower_data(l, sizeof bytes, bytes); /* creates the map */
	byte = ir_op2(l, IR_ADD, ir_addr(l, o_data(l->prog->data_map, off)),
		      ir_op2(l, IR_AND, nr, o_imm(SYSCALL_SET_BITS - 1)));
	lower_return_unless(l, CC_NE, ir_load(l, byte, 1, false), o_imm(0));
}

static void filter_syscalls(struct lower *l)
{
	const struct profile *p = l->profile;

	if (!p->syscall.enter && !p->syscall.exit)
		return;
	if (p->syscall.either && tells_apart(l))
		keep_number(l);
	if (l->inst->jump && !is_dispatcher(l->inst))
		return;
	if (has_i386(p->syscall.set) && tells_apart(l)) {
		if (l->s->call_number.kind == O_NONE)
			l->s->call_number = take_number(l, false);
		filter_number(l, lower_syscall_number(l));
		return;
	}
	filter_number(l, number_or(l, p->syscall.of_none));
	filter_compat(l);
}

/* ---- several programs on one attachment: session/dispatch.c, session/chain.c */

/*
 * Jumps to the first program for the number of the call from this layer on; continues if there is
 * none.
 */
static void jump_to_layer(struct lower *l, u32 layer)
{
	struct opnd slot = o_imm(layer);

	if (!l->inst->jump->is_chain)
		slot = ir_op2(l, IR_ADD,
			      ir_op2(l, IR_AND, lower_syscall_number(l),
				     o_imm(SYSCALL_SET_BITS - 1)),
			      o_imm((s64)layer * SYSCALL_SET_BITS));
	ir_call(l, BPF_FUNC_tail_call, false, 3, lower_ctx(l, 0), o_map(l->inst->jump->map), slot);
}

/* A tail call does not return: each return of the program jumps to the next layer first. */
static void lower_next_layer(struct lower *l)
{
	struct ir_block *next = ir_block_new(l);

	for (u32 b = 0; b < l->f->blocks.n; b++)
		for (u32 i = 0; i < l->f->blocks.v[b]->insns.n; i++) {
			struct ir_insn *insn = &l->f->blocks.v[b]->insns.v[i];

			if (insn->op == IR_RETURN)
				*insn = (struct ir_insn){ .op = IR_JUMP,
							  .target = { next->id },
							  .span = insn->span };
		}
	vn_truncate(l, 0);
	ir_place(l, next);
	jump_to_layer(l, l->inst->jump->layer + 1);
	ir_emit(l, (struct ir_insn){ .op = IR_RETURN, .arg = { o_imm(0) } });
}

static void filter_loading(struct lower *l)
{
	const struct profile *p = l->profile;
	struct opnd task, word;

	if (!p->loading.mask)
		return;
	task = ir_call(l, BPF_FUNC_get_current_task, true, 0);
	word = lower_read_scalar(l, type_int(p->loading.size, false),
				 ir_op2(l, IR_ADD, task, o_imm(p->loading.offset)), SPACE_KERNEL);
	lower_return_unless(l, CC_EQ, ir_op2(l, IR_AND, word, o_imm((s64)p->loading.mask)),
			    o_imm(0));
}

/* Members of kernel structures that hold the numbers of a task. */
struct pid_members {
	u32 leader, thread_pid, level, numbers, ns, nr, upid_size;
};

static bool find_pid_members(const struct world *w, struct pid_members *at)
{
	const struct type *task = w->type ? w->type(w->ctx, 's', "task_struct") : NULL;
	const struct type *pid = task ? w->type(w->ctx, 's', "pid") : NULL,
			  *upid = pid ? w->type(w->ctx, 's', "upid") : NULL;

	if (!upid)
		return false;
	at->upid_size = upid->size;
	return type_field(task, "group_leader", &at->leader) &&
	       type_field(task, "thread_pid", &at->thread_pid) &&
	       type_field(pid, "level", &at->level) && type_field(pid, "numbers", &at->numbers) &&
	       type_field(upid, "ns", &at->ns) && type_field(upid, "nr", &at->nr);
}

static struct opnd read_member(struct lower *l, struct opnd base, u32 offset, u32 size)
{
	return lower_read_scalar(l, type_int(size, false), ir_op2(l, IR_ADD, base, o_imm(offset)),
				 SPACE_KERNEL);
}

/*
 * As pid_nr_ns() of kernel/pid.c: pid->numbers[LEVEL].nr if pid->level >= LEVEL and
 * numbers[LEVEL].ns is ours; else 0.
 */
static void read_number_below(struct lower *l, const struct pid_members *at, bool is_process,
			      u32 result)
{
	struct ir_block *deep = ir_block_new(l), *ours = ir_block_new(l), *out = ir_block_new(l);
	struct opnd p = ir_call(l, BPF_FUNC_get_current_task, true, 0), level, upid;

	l->prog->wants_pid_ns = true;
	if (is_process)
		p = read_member(l, p, at->leader, 8);
	p = read_member(l, p, at->thread_pid, 8);
	level = lower_own_word(l, DATA_PID_LEVEL);
	ir_branch(l, CC_UGE, read_member(l, p, at->level, 4), level, deep, out);
	ir_place(l, deep);
	upid = ir_op2(l, IR_ADD, p, ir_op2(l, IR_MUL, level, o_imm(at->upid_size)));
	upid = ir_op2(l, IR_ADD, upid, o_imm(at->numbers));
	ir_branch(l, CC_EQ, read_member(l, upid, at->ns, 8), lower_own_word(l, DATA_PID_NS), ours,
		  out);
	ir_place(l, ours);
	ir_var_set(l, result, read_member(l, upid, at->nr, 4));
	ir_jump(l, out);
	ir_place(l, out);
}

struct opnd lower_ns_number(struct lower *l, const u64 ns[2], bool is_process)
{
	struct opnd ids = lower_temp(l, 8, 4, "ids"), ret;
	struct ir_block *below, *out;
	struct pid_members at;
	u32 result, mark;

	ret = ir_call(l, BPF_FUNC_get_ns_current_pid_tgid, false, 4, o_imm((s64)ns[0]),
		      o_imm((s64)ns[1]), ids, o_imm(8));
	if (!find_pid_members(&l->env->world, &at))
		return ir_load(l, opnd_plus(ids, is_process ? 4 : 0), 4, false);
	below = ir_block_new(l);
	out = ir_block_new(l);
	result = ir_var(l);
	ir_var_set(l, result, ir_load(l, opnd_plus(ids, is_process ? 4 : 0), 4, false));
	ir_branch(l, CC_NE, ret, o_imm(0), below, out);
	ir_place(l, below);
	mark = lower_values_mark(l);
	read_number_below(l, &at, is_process, result);
	lower_values_drop(l, mark);
	ir_jump(l, out);
	ir_place(l, out);
	return o_temp(result);
}

struct opnd lower_own_pid(struct lower *l)
{
	const u64 *ns = l->inst->pid_ns;

	if (ns[1])
		return lower_ns_number(l, ns, true);
	return ir_op2(l, IR_SHR, ir_call(l, BPF_FUNC_get_current_pid_tgid, true, 0), o_imm(32));
}

/* -p and --follow: the current process, or the owner of an iterator's object. */
static void filter_tgid(struct lower *l, const struct arg_desc *owner)
{
	struct opnd tgid;

	if (!l->inst->only_pid && (l->inst->follow_map == NO_INDEX || l->inst->asks_follow))
		return;
	if (!owner && l->inst->follows_threads && !l->inst->only_pid)
		tgid = ir_call(l, BPF_FUNC_get_current_pid_tgid, true, 0);
	else if (!owner)
		tgid = lower_own_pid(l);
	else
		tgid = lower_read_scalar(l, type_int(4, false),
					 ir_op2(l, IR_ADD, lower_loc(l, owner).o,
						o_imm(l->profile->iterator.owner_tgid)),
					 SPACE_KERNEL);
	if (l->inst->only_pid) {
		lower_return_unless(l, CC_EQ, tgid, o_imm(l->inst->only_pid));
		return;
	}
	lower_return_unless_followed(l, tgid);
}

static void filter_process(struct lower *l)
{
	filter_loading(l);
	if (l->profile->only_child)
		lower_return_unless(l, CC_EQ, lower_own_pid(l), lower_own_word(l, DATA_CPID));
	if (l->profile->kind != PROFILE_ITER) /* lower_clause() */
		filter_tgid(l, NULL);
}

/*
 * Only for objects: at the end the kernel calls the program once more without one. Writes one byte
 * for each object into the iterator's output, which counts them for the reader: it reads a few at a
 * time and empties the ring in between. ctx->meta is the first word of every context, meta->seq the
 * first of struct bpf_iter_meta (include/linux/bpf.h).
 */
static void mark_object(struct lower *l)
{
	const struct profile *p = l->profile;
	struct opnd seq;

	if (p->kind != PROFILE_ITER)
		return;
	/* the call after the last object has none */
	if (p->args.n > 1 && p->args.v[1].type->kind == TY_POINTER)
		lower_return_unless(l, CC_NE, lower_loc(l, &p->args.v[1]).o, o_imm(0));
	if (p->iterator.pinned)
		return;
	seq = ir_load(l, opnd_plus(ir_load(l, o_ctx(0), 8, false), 0), 8, false);
	ir_call(l, BPF_FUNC_seq_write, false, 3, seq,
		ir_addr(l, o_data(lower_internal_map(l, MAP_DATA), DATA_START_NS)), o_imm(1));
}

/* ---- a whole instance */

static void claim_point(struct lower *l)
{
	struct ir_block *next = ir_block_new(l);

	if (l->s->scratch)
		return;
	l->s->claim = ir_block_new(l);
	ir_jump(l, l->s->claim);
	ir_place(l, l->s->claim);
	ir_jump(l, next);
	ir_place(l, next);
}

static bool find_speculation(struct node *n, void *ctx)
{
	bool *found = ctx;

	*found |= n->kind == N_CALL && n->builtin && (n->builtin->flags & BI_SPECULATES);
	return !*found;
}

/* If there is a speculate(), all records of the clause carry a number: 0 before it. */
static void start_speculation(struct lower *l)
{
	bool found = false;

	for (struct node *n = l->inst->body->a; n && !found; n = n->next)
		ast_walk(n, find_speculation, &found);
	if (!found)
		return;
	l->s->speculation = l->s->shares ? lower_scratch_kept(l, 8) : o_temp(ir_var(l));
	lower_speculate(l, o_imm(0));
}

static void lower_dispatch(struct lower *l)
{
	l->s->exit_filter = ir_block_new(l);
	filter_syscalls(l);
	jump_to_layer(l, 0);
	ir_jump(l, l->s->exit_filter);
	emit_exit(l, l->s->exit_filter, 0, o_imm(0));
}

static void lower_clause(struct lower *l)
{
	struct instance *in = l->inst;

	l->s->exit_filter = ir_block_new(l);
	filter_syscalls(l);
	filter_process(l);
	mark_object(l);
	if (l->profile->iterator.owner)
		filter_tgid(l, l->profile->iterator.owner);
	claim_point(l);
	if (in->predicate && !(in->predicate->is_const && in->predicate->value)) {
		struct ir_block *yes = ir_block_new(l);
		struct cond_marks m;

		l->s->exit_predicate = ir_block_new(l);
		if (l->s->shares_early)
			lower_place_captures(l);
		lower_place_opaque(l, in->predicate);
		m = lower_cond_marks(l, in->predicate, yes, l->s->exit_predicate);
		l->s->predicate_scratch = l->s->scratch;
		vn_truncate(l, m.yes);
		ir_place(l, yes);
	}
	claim_point(l);
	l->s->exit_zero = ir_block_new(l);
	lower_place_captures(l);
	lower_place_opaque(l, in->body);
	start_speculation(l);
	lower_stmts(l, in->body->a);
	lower_return(l, o_imm(0));
	emit_exits(l);
}

static struct ir_func *func_new(struct arena *a, const char *name)
{
	struct ir_func *f = arena_new(a, struct ir_func);

	f->name = name;
	vec_push(a, &f->temps, (struct ir_temp){ 0 });
	return f;
}

static void size_scratch(struct lower *l)
{
	struct map_desc *m;

	if (!l->s->scratch_peak)
		return;
	u32 index = lower_internal_map(l, l->s->huge ? MAP_HUGE_SCRATCH : MAP_SCRATCH);

	m = &l->prog->maps.v[index];
	m->value_size = MAX(m->value_size, (u32)SCRATCH_HEAD + l->s->scratch_peak);
}

/*
 * A program on a tracepoint's perf event that returns 0 hides the event from all other perf users
 * (include/trace/perf.h: perf_trace_run_bpf_submit): so it returns 1, regardless of what the script
 * returns.
 */
static void keep_event(struct lower *l)
{
	if (l->profile->load.prog_type != BPF_PROG_TYPE_TRACEPOINT)
		return;
	for (u32 b = 0; b < l->f->blocks.n; b++)
		for (u32 i = 0; i < l->f->blocks.v[b]->insns.n; i++)
			if (l->f->blocks.v[b]->insns.v[i].op == IR_RETURN)
				l->f->blocks.v[b]->insns.v[i].arg[0] = o_imm(1);
}

static struct ir_unit *lower_with(struct lang *lang, struct program *prog, struct arena *a,
				  struct instance *in, u32 level, bool huge)
{
	struct lower_state s = { .level = in->compact ? 1 : level, .huge = huge };
	struct lower l = { .arena = a,
			   .lang = lang,
			   .env = lang->env,
			   .features = lang->env->features,
			   .prog = prog,
			   .inst = in,
			   .profile = in->profile,
			   .s = &s };

	l.unit = arena_new(a, struct ir_unit);
	l.unit->arena = a;
	l.unit->prog = prog;
	l.f = func_new(a, in->name);
	vec_push(a, &l.unit->funcs, l.f);
	l.span = in->clause->span;
	for (u32 i = 0; i < in->vars.n; i++)
		in->vars.v[i]->ir = 0;
	ir_place(&l, ir_block_new(&l));
	lower_find_loops(&l);
	lower_count_branches(&l);
	if (in->guarded)
		lower_guard_enter(&l);
	if (is_dispatcher(in))
		lower_dispatch(&l);
	else
		lower_clause(&l);
	if (in->guarded)
		lower_guard_leave(&l);
	if (in->jump && in->jump->has_next)
		lower_next_layer(&l);
	lower_shared_room(&l);
	if (s.scratch_peak > SCRATCH_MAX - SCRATCH_HEAD && !huge)
		return lower_with(lang, prog, a, in, level, true);
	keep_event(&l);
	size_scratch(&l);
	ir_order(&l);
	lower_shared_bodies(&l);
	return l.unit;
}

struct ir_unit *lower_instance(struct lang *lang, struct program *prog, struct arena *arena,
			       struct instance *in, u32 level)
{
	return lower_with(lang, prog, arena, in, level, false);
}

void lower_finish(struct program *prog)
{
	u8 *full;

	if (prog->data_init_len < prog->data_size) {
		full = arena_array(prog->arena, u8, prog->data_size);
		if (prog->data_init_len)
			memcpy(full, prog->data, prog->data_init_len);
		prog->data = full;
		prog->data_init_len = prog->data_room = prog->data_size;
	}
	if (prog->data_map != NO_INDEX)
		prog->maps.v[prog->data_map].value_size =
			ALIGN_UP(prog->data_size, 8u) + prog->spare_data;
}
