/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a walk, and the code that its shared functions are made of. */
#include <unistd.h>
#include "builtin/unwind_walk.h"

/* ---- offsets from the kernel's types */

static bool member(const struct lower *l, const char *type, const char *name, u32 *offset)
{
	const struct world *w = &l->env->world;
	const struct type *t = w->type ? w->type(w->ctx, 's', type) : NULL;

	return t && type_field(t, name, offset);
}

/* ri_size: size of the part that is read. */
static bool find_returns(const struct lower *l, struct walk_offsets *p)
{
	bool all = member(l, "task_struct", "utask", &p->utask) &&
		   member(l, "uprobe_task", "return_instances", &p->returns) &&
		   member(l, "return_instance", "orig_ret_vaddr", &p->ri_addr) &&
		   member(l, "return_instance", "stack", &p->ri_stack) &&
		   member(l, "return_instance", "next", &p->ri_next);

	p->has_chained = member(l, "return_instance", "chained", &p->ri_chained);
	p->ri_size = MAX(MAX(p->ri_addr, p->ri_stack), MAX(p->ri_next, p->ri_chained)) + 8;
	return all && p->ri_size <= MAX_RETURN_INSTANCE;
}

static bool find_registers(const struct lower *l, struct walk_offsets *p)
{
	u32 x0;

	if (!UNWIND_HAS_LINK)
		return member(l, "pt_regs", "sp", &p->sp) && member(l, "pt_regs", "bp", &p->fp) &&
		       member(l, "pt_regs", "ip", &p->pc) && member(l, "pt_regs", "di", &p->link) &&
		       member(l, "pt_regs", "cs", &p->mode);
	if (!member(l, "pt_regs", "sp", &p->sp) || !member(l, "pt_regs", "pc", &p->pc) ||
	    !member(l, "pt_regs", "pstate", &p->mode) || !member(l, "pt_regs", "regs", &x0))
		return false;
	p->fp = x0 + 29 * 8;
	p->link = x0 + 30 * 8;
	return true;
}

/* A thread's pointer to its own data: C libraries put that above the stack of a new thread. On
 * arm64 it is the first member of uw. */
static bool find_thread_pointer(const struct lower *l, struct walk_offsets *p)
{
	u32 thread, at;

	if (!member(l, "task_struct", "thread", &thread) ||
	    !member(l, "thread_struct", UNWIND_HAS_LINK ? "uw" : "fsbase", &at))
		return false;
	p->thread_pointer = thread + at;
	return true;
}

bool walk_find_offsets(const struct lower *l, struct walk_offsets *p)
{
	const struct world *w = &l->env->world;
	const struct type *regs = w->type ? w->type(w->ctx, 's', "pt_regs") : NULL;

	*p = (struct walk_offsets){ .regs_size = regs ? regs->size : 0 };
	if (!regs || !find_registers(l, p) || !member(l, "task_struct", "stack", &p->stack) ||
	    !member(l, "task_struct", "mm", &p->mm) ||
	    !member(l, "task_struct", "tgid", &p->tgid) ||
	    !member(l, "task_struct", "real_parent", &p->real_parent) ||
	    !member(l, "mm_struct", "start_stack", &p->start_stack))
		return false;
	p->has_returns = find_returns(l, p);
	p->has_thread_pointer = find_thread_pointer(l, p);
	return true;
}

/* ---- maps */

/* Added by the first stack of a program. */
static u32 shared_map(struct lower *l, const struct map_desc *m)
{
	struct program *p = l->prog;
	u32 known = program_map_of(p, m->role);

	if (known != NO_INDEX)
		return known;
	vec_push(p->arena, &p->maps, *m);
	return p->maps.n - 1;
}

bool walk_is_whole(const struct lower *l)
{
	return feature_has(l->features, FEAT_BIG_ARRAYS);
}

bool walk_numbers_hits(const struct lower *l)
{
	return walk_is_whole(l) && feature_has(l->features, FEAT_ATOMIC_FETCH);
}

u32 walk_tables(struct lower *l)
{
	bool whole = walk_is_whole(l);

	return shared_map(l, &(struct map_desc){ .name = ".unwind",
						 .role = MAP_UNWIND,
						 .bpf_type = BPF_MAP_TYPE_ARRAY,
						 .key_size = 4,
						 .value_size = whole ? UNWIND_SIZE : UNWIND_PART,
						 .max_entries = whole ? 1 : UNWIND_PARTS,
						 .flags = BPF_F_MMAPABLE });
}

u32 walk_processes(struct lower *l)
{
	struct map_desc m = { .name = ".processes",
			      .role = MAP_UNWIND_PROCESSES,
			      .bpf_type = BPF_MAP_TYPE_HASH,
			      .key_size = 4,
			      .value_size = sizeof(struct unwind_process),
			      .max_entries = UNWIND_PROCESSES };

	if (feature_has(l->features, FEAT_HASH_NO_PREALLOC))
		m.flags = BPF_F_NO_PREALLOC;
	else
		m.max_entries /= 2; /* 6 MB */
	return shared_map(l, &m);
}

u32 walk_bell(struct lower *l)
{
	return shared_map(l, &(struct map_desc){ .name = ".bell",
						 .role = MAP_UNWIND_BELL,
						 .bpf_type = BPF_MAP_TYPE_RINGBUF });
}

struct opnd walk_part(const struct walk *w, struct opnd number)
{
	struct lower *l = w->l;
	struct ir_block *have = ir_block_new(l);
	struct opnd key = lower_temp(l, 8, 8, "part"), at;

	ir_store(l, key, 4, number);
	at = ir_call(l, BPF_FUNC_map_lookup_elem, false, 2, o_map(walk_tables(l)), key);
	ir_branch(l, CC_NE, at, o_imm(0), have, w->stop);
	walk_place(l, have);
	return at;
}

struct opnd walk_tables_at(const struct walk *w, s64 offset)
{
	struct lower *l = w->l;

	if (walk_is_whole(l))
		return ir_addr(l, o_data(walk_tables(l), offset));
	return ir_op2(l, IR_ADD, walk_part(w, o_imm(offset / UNWIND_PART)),
		      o_imm(offset % UNWIND_PART));
}

struct opnd walk_table_at(const struct walk *w, s64 offset, struct opnd index, u32 n, u32 shift)
{
	struct lower *l = w->l;
	struct opnd at = ir_op2(l, IR_SHL, ir_op2(l, IR_AND, index, o_imm(n - 1)), o_imm(shift));

	return ir_op2(l, IR_ADD, walk_tables_at(w, offset), at);
}

/* ---- small pieces of code */

/* Continues in a block of a shared function, where no value of another block is known. */
void walk_place(struct lower *l, struct ir_block *b)
{
	ir_place(l, b);
	lower_values_drop(l, 0);
}

struct opnd walk_address(struct lower *l, struct opnd word)
{
	return UNWIND_HAS_LINK ? ir_op2(l, IR_AND, word, o_imm((s64)unwind_address_mask())) : word;
}

struct opnd walk_get(const struct walk *w, u32 what)
{
	return ir_load(w->l, opnd_plus(w->at, what), 8, false);
}

void walk_put(const struct walk *w, u32 what, struct opnd v)
{
	ir_store(w->l, opnd_plus(w->at, what), 8, v);
}

void walk_push(const struct walk *w, struct opnd n, struct opnd pc)
{
	struct lower *l = w->l;
	struct opnd i = ir_op2(l, IR_AND, n, o_imm(w->room / 8 - 1));

	ir_store(l, opnd_plus(ir_op2(l, IR_ADD, w->at, ir_op2(l, IR_SHL, i, o_imm(3))), ST_FRAMES),
		 8, pc);
}

/* Continues if the condition holds; else stops for that reason. */
void walk_demand_or(const struct walk *w, enum ir_cond cc, struct opnd a, struct opnd b,
		    struct opnd why)
{
	struct lower *l = w->l;
	struct ir_block *good = ir_block_new(l), *bad = ir_block_new(l);

	ir_branch(l, cc, a, b, good, bad);
	walk_place(l, bad);
	walk_put(w, ST_WHY, why);
	ir_jump(l, w->stop);
	walk_place(l, good);
}

void walk_demand(const struct walk *w, enum ir_cond cc, struct opnd a, struct opnd b,
		 enum unwind_reason why)
{
	walk_demand_or(w, cc, a, b, o_imm(why));
}

struct walk walk_begin(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	struct walk w = { .l = l, .room = most[0] - ST_FRAMES };

	w.at = lower_shared_scratch(l, arg[0], most[0]);
	w.stop = ir_block_new(l);
	return w;
}

/* The function returns `value`, or 0 from the stop block. */
struct opnd walk_end(const struct walk *w, struct opnd value)
{
	struct lower *l = w->l;
	struct ir_block *out = ir_block_new(l);
	u32 v = ir_var(l);

	ir_var_set(l, v, value);
	ir_jump(l, out);
	walk_place(l, w->stop);
	ir_var_set(l, v, o_imm(0));
	ir_jump(l, out);
	walk_place(l, out);
	return o_temp(v);
}

struct opnd walk_kernel_word(struct lower *l, struct opnd base, u32 offset)
{
	return lower_read_scalar(l, &ty_u64, ir_op2(l, IR_ADD, base, o_imm(offset)), SPACE_KERNEL);
}

struct opnd walk_task(struct lower *l)
{
	return ir_call(l, BPF_FUNC_get_current_task, true, 0);
}

/*
 * The registers with which the process entered the kernel are at the top of its kernel stack
 * (arch/x86 and arch/arm64/include/asm/processor.h: task_pt_regs).
 */
struct opnd walk_registers(struct lower *l, const struct walk_offsets *p)
{
	s64 thread_size = MAX(16 << 10, sysconf(_SC_PAGESIZE));

	if (feature_has(l->features, FEAT_TASK_PT_REGS))
		return ir_call(l, BPF_FUNC_task_pt_regs, false, 1,
			       ir_call(l, BPF_FUNC_get_current_task_btf, true, 0));
	return ir_op2(l, IR_ADD, walk_kernel_word(l, walk_task(l), p->stack),
		      o_imm(thread_size - (s64)p->regs_size));
}

struct opnd walk_link(struct lower *l)
{
	struct walk_offsets p;

	walk_find_offsets(l, &p);
	return walk_kernel_word(l, walk_registers(l, &p), p.link);
}

struct opnd walk_past(const struct walk *w, struct opnd address, u32 n)
{
	struct lower *l = w->l;

	if (UNWIND_HAS_LINK)
		return ir_op2(l, IR_ADD, address, o_imm(n * 8));
	return ir_op2(l, IR_ADD, address, ir_op2(l, IR_MUL, walk_get(w, ST_WORD), o_imm(n)));
}

struct opnd walk_process(const struct walk *w)
{
	return ir_call(w->l, BPF_FUNC_map_lookup_elem, false, 2, o_map(walk_processes(w->l)),
		       opnd_plus(w->at, ST_PID));
}

/* ---- parts of code */

struct opnd walk_rule_field(struct lower *l, struct opnd rule, u32 offset, u32 size)
{
	return ir_load(l, opnd_plus(rule, offset), size, size == 4);
}

struct ir_block *walk_if(struct lower *l, struct opnd kind, s64 k)
{
	struct ir_block *is = ir_block_new(l), *no = ir_block_new(l);

	ir_branch(l, CC_EQ, kind, o_imm(k), is, no);
	walk_place(l, is);
	return no;
}

void walk_else(struct lower *l, struct ir_block *no, struct ir_block *out)
{
	ir_jump(l, out);
	walk_place(l, no);
}

/* ---- the stack */

/* Copies the stack from an address on; returns the word there. */
static struct opnd refill_body(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	struct walk w = walk_begin(l, arg, most);
	struct opnd left, len, ret;

	walk_put(&w, ST_WINDOW_LEN, o_imm(0));
	walk_demand(&w, CC_EQ, ir_op2(l, IR_AND, arg[1], o_imm(7)), o_imm(0),
		    UNWIND_WHY_UNREADABLE);
	left = ir_op2(l, IR_SUB, o_imm(USER_PAGE), ir_op2(l, IR_AND, arg[1], o_imm(USER_PAGE - 1)));
	len = ir_at_most(l, left, WINDOW);
	ret = ir_call(l, BPF_FUNC_probe_read_user, false, 3, opnd_plus(w.at, ST_WINDOW), len,
		      arg[1]);
	walk_demand(&w, CC_SGE, ret, o_imm(0), UNWIND_WHY_UNREADABLE);
	walk_put(&w, ST_WINDOW_AT, arg[1]);
	walk_put(&w, ST_WINDOW_LEN, ir_op2(l, IR_SUB, len, o_imm(7)));
	return walk_end(&w, walk_get(&w, ST_WINDOW));
}

static const struct shared_func refill_func = { .name = "unwind_refill",
						.n_args = 2,
						.body = refill_body };

struct opnd walk_read_word(const struct walk *w, struct opnd address)
{
	struct lower *l = w->l;
	const u32 most[2] = { ST_FRAMES + w->room, 0 };
	struct ir_block *hit = ir_block_new(l), *miss = ir_block_new(l), *out = ir_block_new(l);
	struct opnd off = ir_op2(l, IR_SUB, address, walk_get(w, ST_WINDOW_AT)), at;
	u32 v = ir_var(l);

	ir_branch(l, CC_ULT, off, walk_get(w, ST_WINDOW_LEN), hit, miss);
	walk_place(l, hit);
	at = ir_op2(l, IR_ADD, w->at, ir_op2(l, IR_AND, off, o_imm(WINDOW - 8)));
	ir_var_set(l, v, ir_load(l, opnd_plus(at, ST_WINDOW), 8, false));
	ir_jump(l, out);
	walk_place(l, miss);
	ir_var_set(l, v,
		   lower_call_shared(l, &refill_func, most,
				     (struct opnd[]){ walk_get(w, ST_SELF), address }));
	ir_branch(l, CC_EQ, walk_get(w, ST_WHY), o_imm(0), out, w->stop);
	walk_place(l, out);
	return o_temp(v);
}

/* In 32-bit programs half of the aligned word that holds it. */
struct opnd walk_read_pointer(const struct walk *w, struct opnd address)
{
	struct lower *l = w->l;
	u32 half = ir_var(l);
	struct opnd v;

	if (UNWIND_HAS_LINK)
		return walk_read_word(w, address);
	ir_var_set(l, half,
		   ir_op2(l, IR_AND, address, ir_op2(l, IR_SUB, o_imm(8), walk_get(w, ST_WORD))));
	v = walk_read_word(w, ir_op2(l, IR_SUB, address, o_temp(half)));
	v = ir_op2(l, IR_SHR, v, ir_op2(l, IR_SHL, o_temp(half), o_imm(3)));
	return ir_op2(l, IR_AND, v, walk_get(w, ST_MASK));
}
