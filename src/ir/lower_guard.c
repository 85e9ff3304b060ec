/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guard: one program of a run at a time on a processor. A helper may call a function that is
 * probed while it holds a lock that helpers of the other program take (_raw_spin_unlock_irqrestore
 * in bpf_ringbuf_reserve): the processor would deadlock with itself. The kernel excludes kprobes,
 * uprobes and perf events from each other (bpf_prog_active), and a program from itself since 5.12,
 * but not trampolines and raw tracepoints from others. In runs where this can happen
 * (instance.guarded):
 *
 *	busy = &data[guard + cpu * 64]
 *	if (*busy) { loss; return }
 *	*busy = 1
 *	...
 *	*busy = 0
 *	return
 *
 * No atomics: what interrupts between the load and the store runs to its end and restores the word.
 */
#include <sys/sysinfo.h>
#include "ir/state.h"

enum {
	LINE = 64,   /* bytes; each processor writes to its own line */
	LEAST = 256, /* processors: a program may be built for another machine */
};

static u32 n_words(void)
{
	u32 n = LEAST, cpus = (u32)get_nprocs_conf();

	while (n < cpus)
		n *= 2;
	return n;
}

static struct opnd busy_word(struct lower *l)
{
	u32 n = n_words();
	struct opnd cpu;

	if (!l->prog->guard)
		l->prog->guard = ALIGN_UP(lower_data(l, (n + 1) * LINE, NULL), (u32)LINE);
	cpu = ir_op2(l, IR_AND, ir_call(l, BPF_FUNC_get_smp_processor_id, false, 0), o_imm(n - 1));
	return ir_op2(l, IR_ADD,
		      ir_addr(l, o_data(lower_internal_map(l, MAP_DATA), l->prog->guard)),
		      ir_op2(l, IR_MUL, cpu, o_imm(LINE)));
}

void lower_guard_enter(struct lower *l)
{
	struct ir_block *nested = ir_block_new(l), *first = ir_block_new(l);

	l->s->busy = busy_word(l);
	ir_branch(l, CC_NE, ir_load(l, l->s->busy, 8, false), o_imm(0), nested, first);
	ir_place(l, nested);
	lower_loss(l, LOSS_NESTED, NULL);
	ir_emit(l, (struct ir_insn){ .op = IR_RETURN, .arg = { o_imm(l->inst->refuses_return) } });
	ir_place(l, first);
	ir_store(l, l->s->busy, 8, o_imm(1));
	l->s->nested = nested;
}

/* Before each return except that of the nested program. */
void lower_guard_leave(struct lower *l)
{
	const struct ir_insn free = { .op = IR_STORE, .size = 8, .arg = { l->s->busy, o_imm(0) } };

	for (u32 b = 0; b < l->f->blocks.n; b++) {
		struct ir_block *block = l->f->blocks.v[b];
		u32 last = block->insns.n - 1;

		if (block == l->s->nested || !block->insns.n ||
		    block->insns.v[last].op != IR_RETURN)
			continue;
		vec_push(l->arena, &block->insns, block->insns.v[last]);
		block->insns.v[last] = free;
	}
}
