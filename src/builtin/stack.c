/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks: kstack, ustack, fullstack.
 *
 * The frames are stored once, in a separate map keyed by their hash, those of user stacks with the
 * time, because mappings of programs and libraries change. The value is the hash, the process and
 * the number of frames, so it can be a map key. Tracer frames are removed when the stack is
 * printed.
 *
 *	scratch[0] = function, in trampolines; the frames follow
 *	n = get_stack(ctx, scratch, limit * 8, flags) / 8
 *	hash = mix(ip[0..n))
 *	if !lookup(stacks, hash) update(stacks, hash, scratch)
 *
 * The kernel unwinds by frame pointers and misses the caller of a function that has just been
 * entered (arch/arm64/kernel/stacktrace.c: arch_stack_walk_user, and for kernel functions
 * kunwind_init_from_regs; until 6.10 perf_callchain.c; arch/x86/events/core.c:
 * perf_callchain_user). That frame is inserted, from the link register or from the stack.
 */
#include "builtin/frames.h"
#include "builtin/text.h"
#include "builtin/unwind.h"
#include "type/agg.h"
#include "type/bpf_isa.h"

enum { STACKS_ENTRIES = 16384 };
/* In aux, beside the type: bpftrace's word for it. */
enum { AUX_DWARF = 1 << 8 };

/* False: the configuration forbids it. */
static bool check_dwarf(struct check *c, struct node *call)
{
	u8 *unstable = &c->env->config.unstable[UNSTABLE_dw_ustack];

	if (!(call->builtin->aux & AUX_DWARF))
		return true;
	if (!*unstable)
		return diag_type(c, call->span, D_UNSTABLE_WORD, "dw_ustack", "unstable_dw_ustack"),
		       false;
	if (*unstable == 1 && c->final) { /* warn once */
		check_report(c, call->span, D_UNSTABLE_WARN, "dw_ustack", "unstable_dw_ustack");
		*unstable = 2;
	}
	return true;
}

/* Warns if a script uses unwinding that this kernel lacks. */
static void tell_of_frame_pointers(struct check *c, const struct node *call)
{
	if (!c->final || c->env->told_of_stacks || !(call->builtin->aux & AUX_DWARF) ||
	    c->env->has_past || feature_has(c->env->features, FEAT_MAPPED_ARRAYS))
		return;
	c->env->told_of_stacks = true;
	check_report(c, call->span, D_STACKS_BY_FP);
}

static const struct type *check_stack(struct check *c, struct node *call)
{
	enum stack_mode mode = c->env->config.stack_mode;
	s64 limit = STACK_DEFAULT_FRAMES;
	bool has_mode = false;

	if (!check_dwarf(c, call))
		return &ty_error;
	if (call_n_args(call) > 1 && call_arg(call, 0)->is_const)
		return diag_type(c, call->span, D_STACK_MODE_FIRST);
	for (u32 i = 0; i < call_n_args(call); i++) {
		struct node *a = call_arg(call, i);
		bool known = false;

		if (a->is_const && type_is_integer(a->type)) {
			limit = a->value;
			continue;
		}
		for (u32 m = 0; a->name && m < N_STACK_MODES; m++)
			if (streq(a->name, stack_mode_names[m])) {
				mode = (enum stack_mode)m;
				known = has_mode = true;
			}
		if (!known)
			return diag_type(c, a->span, D_STACK_MODE, call->name);
	}
	tell_of_frame_pointers(c, call);
	if (mode == STACK_MODE_BUILD_ID && (call->builtin->aux & ~AUX_DWARF) == TY_KSTACK) {
		if (has_mode)
			return diag_type(c, call->span, D_STACK_BUILD_ID);
		check_report(c, call->span, D_STACK_BUILD_ID_HERE);
		mode = STACK_MODE_RAW;
	}
	if (limit < 0 || limit > STACK_MAX_FRAMES)
		return diag_type(c, call->span, D_STACK_LIMIT, call->name, (long long)limit,
				 STACK_MAX_FRAMES);
	return type_stack(c->arena, (enum type_kind)(call->builtin->aux & ~AUX_DWARF), mode,
			  (u32)limit);
}

/* The stack begins at the registers of the context. */
static bool has_registers(const struct lower *l)
{
	return l->profile->load.prog_type == BPF_PROG_TYPE_KPROBE ||
	       l->profile->load.prog_type == BPF_PROG_TYPE_PERF_EVENT;
}

/* STACK_SPARE_FRAMES more than are printed, because tracer frames are removed when printing. A
 * stack that begins at registers has no tracer frames. */
static u32 captured_frames(const struct lower *l, const struct type *t, bool user)
{
	bool spare = !user && !has_registers(l) &&
		     t->stack.limit < STACK_DEFAULT_FRAMES - STACK_SPARE_FRAMES;

	return t->stack.limit + (spare ? STACK_SPARE_FRAMES : 0);
}

static enum stack_from stack_from(const struct lower *l, bool user)
{
	if (!user && has_registers(l))
		return STACK_FROM_REGS;
	if (user || l->profile->load.prog_type != BPF_PROG_TYPE_TRACING)
		return STACK_FROM_CONTEXT;
	if (l->profile->load.attach_type == BPF_TRACE_FENTRY)
		return STACK_FROM_ENTRY;
	return l->profile->load.attach_type == BPF_TRACE_FEXIT ? STACK_FROM_EXIT :
								 STACK_FROM_CONTEXT;
}

/* Stores the word before a trampoline's frames: the function's address, or 0. */
static void store_function(struct lower *l, struct opnd to)
{
	struct opnd ip = o_imm(0);

	if (feature_has(l->features, FEAT_GET_FUNC_IP))
		ip = ir_call(l, BPF_FUNC_get_func_ip, true, 1, lower_ctx(l, 0));
	ir_store(l, to, 8, ip);
}

/*
 * Counts the tracer frames of a trampoline's stack, as trace/stack.c does: those before the
 * function's frame, which is at most MAX_ENTRY_CALL bytes after its entry. If there is no such
 * frame, the trampoline was jumped to, and two frames precede the caller.
 */
static struct opnd count_trampoline(struct lower *l, enum stack_from from, struct opnd frames)
{
	enum { TRAMPOLINE_FRAMES = 2, MAX_ENTRY_CALL = 12 };
	bool is_exit = from == STACK_FROM_EXIT, has_ip = feature_has(l->features, FEAT_GET_FUNC_IP);
	struct opnd func = ir_load(l, frames, 8, false), offset;
	u32 cut = ir_var(l);

	ir_var_set(l, cut, o_imm(TRAMPOLINE_FRAMES - !is_exit + !has_ip));
	for (u32 i = STACK_SPARE_FRAMES - 1; has_ip && i; i--) {
		struct ir_block *found = ir_block_new(l), *out = ir_block_new(l);

		offset = ir_op2(l, IR_SUB, ir_load(l, opnd_plus(frames, 8 + 8 * (s64)i), 8, false),
				func);
		ir_branch(l, CC_ULT, ir_op2(l, IR_SUB, offset, o_imm(1)), o_imm(MAX_ENTRY_CALL),
			  found, out);
		ir_place(l, found);
		ir_var_set(l, cut, o_imm(i + is_exit));
		ir_jump(l, out);
		ir_place(l, out);
	}
	return o_temp(cut);
}

/* For each frame: hash = (hash ^ ip) * K; hash ^= hash >> 29. room: size of the buffer in
 * frames. Never 0, which means "no stack". */
static struct opnd hash_in_line(struct lower *l, struct opnd frames, struct opnd n, u32 limit,
				u32 room)
{
	struct ir_block *head = ir_block_new(l), *body = ir_block_new(l), *next = ir_block_new(l),
			*out = ir_block_new(l);
	u32 i = ir_var(l), h = ir_var(l);
	struct opnd at, ip, v;

	ir_var_set(l, i, o_imm(0));
	ir_var_set(l, h, o_imm(0x51ed270b));
	ir_jump(l, head);
	ir_place(l, head);
	ir_branch(l, CC_UGE, o_temp(i), o_imm(limit), out, next);
	ir_place(l, next);
	ir_branch(l, CC_SGE, o_temp(i), n, out, body);
	ir_place(l, body);
	at = ir_op2(l, IR_SHL, ir_op2(l, IR_AND, o_temp(i), o_imm(room - 1)), o_imm(3));
	ip = ir_load(l, ir_op2(l, IR_ADD, ir_addr(l, frames), at), 8, false);
	v = ir_op2(l, IR_MUL, ir_op2(l, IR_XOR, o_temp(h), ip), o_imm((s64)0x9e3779b97f4a7c15ull));
	v = ir_op2(l, IR_XOR, v, ir_op2(l, IR_SHR, v, o_imm(29)));
	ir_var_set(l, h, v);
	ir_var_set(l, i, ir_op2(l, IR_ADD, o_temp(i), o_imm(1)));
	ir_jump(l, head);
	ir_place(l, out);
	return ir_op2(l, IR_OR, o_temp(h), o_imm(1));
}

static struct opnd hash_body(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	return hash_in_line(l, lower_shared_scratch(l, arg[0], most[0]), arg[1], most[0] / 8,
			    most[0] / 8);
}

static const struct shared_func hash_func = { .name = "hash_stack",
					      .n_args = 2,
					      .body = hash_body };

/* Verifiers store a state for each iteration. So after a few stacks, in a loop, and where functions
 * are called anyway, a function is called, which they follow once. */
static struct opnd hash_frames(struct lower *l, struct opnd frames, struct opnd n, u32 limit)
{
	const u32 most[2] = { power_of_two(limit) * 8, 0 };

	if (!l->unit->shared.n && !lower_wants_shared(l, 0))
		return hash_in_line(l, frames, n, limit, power_of_two(limit));
	return lower_call_shared(l, &hash_func, most,
				 (struct opnd[]){ lower_scratch_offset(l, frames), n });
}

static u32 stacks_map(struct lower *l, u32 limit)
{
	struct program *p = l->prog;
	u32 size = power_of_two(limit) * 8;
	struct map_desc m = { .name = ".stacks",
			      .role = MAP_STACKS,
			      .bpf_type = BPF_MAP_TYPE_HASH,
			      .key_size = 8,
			      .value_size = size,
			      .max_entries = STACKS_ENTRIES };

	for (u32 i = 0; i < p->maps.n; i++)
		if (p->maps.v[i].role == MAP_STACKS && p->maps.v[i].value_size == size)
			return i;
	if (feature_has(l->features, FEAT_HASH_NO_PREALLOC))
		m.flags = BPF_F_NO_PREALLOC;
	vec_push(p->arena, &p->maps, m);
	return p->maps.n - 1;
}

/* `user`: stores the time in the last word. */
static void store_frames(struct lower *l, u32 map, struct opnd key, struct opnd frames, bool user)
{
	u32 size = l->prog->maps.v[map].value_size;
	struct ir_block *missing = ir_block_new(l), *fail = ir_block_new(l), *out = ir_block_new(l);
	struct opnd ret = ir_call(l, BPF_FUNC_map_lookup_elem, false, 2, o_map(map), key);

	ir_branch(l, CC_NE, ret, o_imm(0), out, missing);
	ir_place(l, missing);
	if (user && !l->env->is_replay) /* whose symbols are those at the time of the record */
		ir_store(l, opnd_plus(frames, size - 8), 8,
			 ir_call(l, BPF_FUNC_ktime_get_ns, false, 0));
	ret = ir_call(l, BPF_FUNC_map_update_elem, false, 4, o_map(map), key, frames,
		      o_imm(BPF_ANY));
	ir_branch(l, CC_NE, ret, o_imm(0), fail, out);
	ir_place(l, fail);
	lower_loss(l, LOSS_STACKS, NULL);
	ir_jump(l, out);
	ir_place(l, out);
}

/* Writes one struct stack_value at dst, for a stack that is unwound by call frame information. */
static void lower_unwound(struct lower *l, const struct type *t, struct opnd dst)
{
	/* the reason for the end is one more frame, which is included in the default limit but not
	 * in others */
	bool counts = t->stack.limit == STACK_DEFAULT_FRAMES;
	u32 limit = t->stack.limit - counts, room = power_of_two(limit + 2) * 8, n_var = ir_var(l),
	    h_var = ir_var(l), mark;
	struct ir_block *kept = ir_block_new(l), *walked = ir_block_new(l), *some = ir_block_new(l),
			*out = ir_block_new(l);
	struct opnd buffer, frames, key, n;
	struct unwound u;

	l->prog->has_user_symbols = true;
	buffer = lower_temp(l, unwind_head() + room, 8, "unwind");
	frames = opnd_plus(buffer, unwind_head());
	key = lower_temp(l, 8, 8, "stack");
	u = lower_unwind(l, buffer, limit, room);
	ir_var_set(l, h_var, u.id);
	ir_var_set(l, n_var, o_imm(t->stack.limit));
	ir_branch(l, CC_NE, u.id, o_imm(0), kept, walked);
	ir_place(l, walked);
	ir_var_set(l, n_var, u.n);
	ir_branch(l, CC_NE, u.n, o_imm(0), some, out);
	ir_place(l, some);
	mark = lower_values_mark(l);
	if (l->profile->regs.are_users && l->profile->func.ip_delta)
		ir_store(l, frames, 8,
			 ir_op2(l, IR_SUB, ir_load(l, frames, 8, false),
				o_imm(l->profile->func.ip_delta)));
	n = ir_at_most(l, u.n, counts ? room / 8 : limit);
	ir_var_set(l, n_var, n);
	ir_var_set(l, h_var, hash_frames(l, frames, n, room / 8));
	ir_store(l, key, 8, o_temp(h_var));
	store_frames(l, stacks_map(l, room / 8), key, frames, true);
	lower_values_drop(l, mark);
	ir_jump(l, out);
	ir_place(l, kept);
	ir_jump(l, out);
	ir_place(l, out);
	ir_store(l, dst, 8, o_temp(h_var));
	ir_store(l, opnd_plus(dst, 8), 4, lower_own_pid(l));
	ir_store(l, opnd_plus(dst, 12), 4, o_temp(n_var));
}

/* flags: those of bpf_get_stack. */
static void compute_side(struct lower *l, const struct type *t, u32 flags, struct opnd dst)
{
	bool user = flags & BPF_F_USER_STACK, unwound = flags & STACK_UNWOUND;
	enum stack_from from = stack_from(l, user);
	u32 lead = from == STACK_FROM_ENTRY || from == STACK_FROM_EXIT,
	    limit = captured_frames(l, t, user);
	u32 held = limit + lead + user, room = power_of_two(held) * 8, map, n_var = ir_var(l),
	    h_var = ir_var(l);
	bool counts = !user && from != STACK_FROM_REGS && l->env->counts_frames;
	struct opnd frames, n, hash, key, pid, origin;
	struct ir_block *some = ir_block_new(l), *out = ir_block_new(l);
	struct arg_desc caller = { .type = &ty_u64, .loc = l->profile->func.caller };
	u32 mark, add, cut_var = 0;

	l->prog->has_user_symbols |= user && t->stack.mode != STACK_MODE_RAW;
	map = stacks_map(l, held);
	frames = lower_temp(l, MAX(room, 128u), 8, "frames");
	key = lower_temp(l, 8, 8, "stack");
	pid = user ? lower_own_pid(l) : o_imm(0);
	ir_var_set(l, n_var, o_imm(0));
	ir_var_set(l, h_var, o_imm(0));
	origin = user ? pid : o_imm(from);
	if (counts)
		ir_var_set(l, cut_var = ir_var(l), o_imm(0));
	if (lead)
		store_function(l, frames);
	add = !unwound && user == l->profile->regs.are_users && limit > 1 && caller.loc.kind ? 8 :
											       0;
	n = ir_call(l, BPF_FUNC_get_stack, false, 4, lower_ctx(l, 0),
		    opnd_plus(frames, lead ? 8 : add), o_imm(limit * 8 - add), o_imm(flags));
	ir_branch(l, CC_SGT, n, o_imm(0), some, out);
	ir_place(l, some);
	mark = lower_values_mark(l);
	if (add) {
		ir_store(l, frames, 8, ir_load(l, opnd_plus(frames, 8), 8, false));
		ir_store(l, opnd_plus(frames, 8), 8, lower_loc(l, &caller).o);
		n = ir_op2(l, IR_ADD, n, o_imm(add));
	}
	if (user &&
	    l->profile->func.ip_delta) /* the probe was moved past the entry: show the entry */
		ir_store(l, frames, 8,
			 ir_op2(l, IR_SUB, ir_load(l, frames, 8, false),
				o_imm(l->profile->func.ip_delta)));
	if (counts)
		ir_var_set(l, cut_var,
			   lead ? count_trampoline(l, from, frames) :
				  count_tracer_frames(l, frames));
	n = ir_op2(l, IR_SHR, n, o_imm(3));
	hash = hash_frames(l, frames, lead ? ir_op2(l, IR_ADD, n, o_imm(lead)) : n, held);
	ir_var_set(l, n_var, n);
	ir_var_set(l, h_var, hash);
	ir_store(l, key, 8, o_temp(h_var));
	store_frames(l, map, key, frames, user);
	lower_values_drop(l, mark);
	ir_jump(l, out);
	ir_place(l, out);
	ir_store(l, dst, 8, o_temp(h_var));
	if (counts)
		origin = ir_op2(l, IR_OR,
				ir_op2(l, IR_SHL, o_temp(cut_var), o_imm(STACK_CUT_SHIFT)), origin);
	ir_store(l, opnd_plus(dst, 8), 4, origin);
	ir_store(l, opnd_plus(dst, 12), 4, o_temp(n_var));
}

static void compute_user_side(struct lower *l, const struct type *t, bool dwarf, struct opnd dst)
{
	bool by_fp = !dwarf && l->env->config.user_stacks == USER_STACKS_FP;

	if (by_fp || l->env->has_past || !unwind_serves(l)) {
		bool unwound = !by_fp && l->env->has_past;

		compute_side(l, t, BPF_F_USER_STACK | (unwound ? STACK_UNWOUND : 0), dst);
		return;
	}
	lower_unwound(l, t, dst);
}

enum side { SIDE_KERNEL, SIDE_USER, SIDE_USER_DWARF };

/* The key of a word of a stack's struct stack_value: an event has one stack of each kind. */
static struct ir_insn word_key(const struct type *t, enum side side, u32 word)
{
	return (struct ir_insn){ .op = IR_CALL,
				 .imm = BPF_FUNC_get_stack,
				 .arg = { o_imm(side), o_imm(t->stack.limit), o_imm(word) } };
}

/* Stores at dst what an earlier use in this run of the program has computed. */
static bool store_kept(struct lower *l, const struct type *t, enum side side, struct opnd dst)
{
	struct opnd word[2];

	for (u32 i = 0; i < ARRAY_SIZE(word); i++) {
		struct ir_insn key = word_key(t, side, i);

		if (!lower_value_kept(l, &key, &word[i]))
			return false;
	}
	for (u32 i = 0; i < ARRAY_SIZE(word); i++)
		ir_store(l, opnd_plus(dst, 8 * i), 8, word[i]);
	l->prog->has_user_symbols |= side != SIDE_KERNEL && t->stack.mode != STACK_MODE_RAW;
	return true;
}

/* Writes one struct stack_value at dst. */
static void lower_side(struct lower *l, const struct type *t, enum side side, struct opnd dst)
{
	_Static_assert(sizeof(struct stack_value) == 16, "two words");

	if (!t->stack.limit) { /* without frames, as a stack that could not be taken */
		ir_zero(l, dst, sizeof(struct stack_value));
		return;
	}
	if (store_kept(l, t, side, dst))
		return;
	if (side == SIDE_KERNEL)
		compute_side(l, t, 0, dst);
	else
		compute_user_side(l, t, side == SIDE_USER_DWARF, dst);
	for (u32 i = 0; i < 2; i++) {
		struct ir_insn key = word_key(t, side, i);

		lower_value_keep(l, &key, ir_load(l, opnd_plus(dst, 8 * i), 8, false));
	}
}

static struct ir_val lower_stack(struct lower *l, struct node *call)
{
	const struct type *t = call->type;
	enum side user = call->builtin->aux & AUX_DWARF ? SIDE_USER_DWARF : SIDE_USER;
	bool canonical;
	struct opnd dst = lower_dest(l, t, &canonical), second = dst;

	if (t->kind == TY_FULLSTACK)
		second = opnd_plus(dst, sizeof(struct stack_value));
	if (t->kind != TY_USTACK)
		lower_side(l, t, SIDE_KERNEL, dst);
	if (t->kind != TY_KSTACK)
		lower_side(l, t, user, second);
	return val_memory(t, dst);
}

#define STACK_ROW(name_, sig_, brief_, doc_, example_, output_, kind_, ...)                        \
	{                                                                                          \
		.name = name_, .sig = sig_, .brief = brief_, .doc = doc_, .example = example_,     \
		.work = "sleep 0.01", .output = output_, .varies = true,                           \
		.flags = BI_VARIABLE | BI_NEEDS_PROFILE | BI_READS_STACK |                         \
			 (((kind_) & ~AUX_DWARF) == TY_USTACK ? 0 : BI_READS_KSTACK),              \
		.engines = ON_KERNEL | ON_REPLAY, .check = check_stack, .lower = lower_stack,      \
		.aux = kind_, __VA_ARGS__                                                          \
	}

static const struct builtin rows[] = {
	STACK_ROW(
		"kstack", "kstack(mode: name|lit int = bpftrace, limit: lit int = 127) -> kstack",
		"kernel stack",
		"The kernel stack at the probe, innermost frame first. Modes: bpftrace, perf, raw.",
		"tracepoint:syscalls:sys_enter_clock_nanosleep { print(kstack(3)); }",
		"        syscall_trace_enter+384\n"
		"        do_syscall_64+506\n"
		"        entry_SYSCALL_64_after_hwframe+118",
		TY_KSTACK),
	STACK_ROW(
		"ustack", "ustack(mode: name|lit int = bpftrace, limit: lit int = 127) -> ustack",
		"user stack",
		"The user stack at the probe, innermost frame first, "
		"unwound in the kernel by the .eh_frame sections of "
		"programs and libraries and the stack tables of Go programs, "
		"so that programs without frame pointers have whole stacks; "
		"elsewhere, and with config = { user_stacks = frame_pointers }, by frame pointers. "
		"A stack that ends before "
		"the thread's first function has the reason as its last frame, in brackets. Modes: "
		"bpftrace, perf, raw, "
		"build_id.",
		"tracepoint:syscalls:sys_enter_clock_nanosleep { print(ustack(3)); }",
		"        clock_nanosleep@@GLIBC_2.17+35@../sysdeps/unix/sysv/linux/clock_nanosleep.c:71\n"
		"        nanosleep+19@../sysdeps/unix/sysv/linux/nanosleep.c:25\n"
		"        0x563816d944af",
		TY_USTACK),
	STACK_ROW(
		"dw_ustack",
		"dw_ustack(mode: name|lit int = bpftrace, limit: lit int = 127) -> ustack",
		"user stack, unwound by call frame information",
		"The same as ustack, whatever the configuration says: bpftrace's word.",
		"config = { unstable_dw_ustack = enable } "
		"tracepoint:syscalls:sys_enter_clock_nanosleep { print(dw_ustack(3)); }",
		"        clock_nanosleep@@GLIBC_2.17+35@../sysdeps/unix/sysv/linux/clock_nanosleep.c:71\n"
		"        nanosleep+19@../sysdeps/unix/sysv/linux/nanosleep.c:25\n"
		"        0x563816d944af",
		TY_USTACK | AUX_DWARF),
	STACK_ROW(
		"fullstack",
		"fullstack(mode: name|lit int = bpftrace, limit: lit int = 127) -> fullstack",
		"kernel and user stack",
		"The kernel stack at the probe followed by the user stack, "
		"as one stack of at most limit frames, innermost "
		"frame first. For a map keyed by it, -f folded prints the input of a flame graph.",
		"tracepoint:syscalls:sys_enter_clock_nanosleep { print(fullstack(4)); }",
		"        syscall_trace_enter+384\n"
		"        do_syscall_64+506\n"
		"        entry_SYSCALL_64_after_hwframe+118\n"
		"        clock_nanosleep@@GLIBC_2.17+35@../sysdeps/unix/sysv/linux/clock_nanosleep.c:71",
		TY_FULLSTACK),
	STACK_ROW("stack", "stack(mode: name|lit int = bpftrace, limit: lit int = 127) -> kstack",
		  "kernel stack", "An alias for old scripts.",
		  "tracepoint:syscalls:sys_enter_clock_nanosleep { print(stack(3)); }",
		  "        syscall_trace_enter+384\n"
		  "        do_syscall_64+506\n"
		  "        entry_SYSCALL_64_after_hwframe+118",
		  TY_KSTACK, .alias_of = "kstack"),
};

const struct builtin_theme builtin_stack = THEME("Stacks", rows);
