/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program reads and changes through helpers, by the helpers' numbers in its code. */
#include "target/target.h"
#include "type/bpf_isa.h"

#define E(name, effects)                                                                           \
	{                                                                                          \
		BPF_FUNC_##name, effects                                                           \
	}

static const struct {
	s32 helper;
	u32 effects;
} helper_effects[] = {
	E(probe_read, EFFECT_READS_KERNEL | EFFECT_READS_USER),
	E(probe_read_str, EFFECT_READS_KERNEL | EFFECT_READS_USER),
	E(probe_read_user, EFFECT_READS_USER),
	E(probe_read_kernel, EFFECT_READS_KERNEL),
	E(probe_read_user_str, EFFECT_READS_USER),
	E(probe_read_kernel_str, EFFECT_READS_KERNEL),
	E(copy_from_user, EFFECT_READS_USER),
	E(copy_from_user_task, EFFECT_READS_USER),
	E(d_path, EFFECT_READS_KERNEL),
	E(get_stackid, EFFECT_READS_STACK),
	E(get_stack, EFFECT_READS_STACK),
	E(get_task_stack, EFFECT_READS_STACK),
	E(probe_write_user, EFFECT_WRITES_USER),
	E(override_return, EFFECT_OVERRIDES),
	E(send_signal, EFFECT_SIGNALS),
	E(send_signal_thread, EFFECT_SIGNALS),
	E(trace_printk, EFFECT_TRACES),
	E(trace_vprintk, EFFECT_TRACES),
};

u32 target_effects(const struct bpf_func *f)
{
	u32 found = 0;

	for (u32 i = 0; i < f->n_insns; i++) {
		const struct bpf_insn *insn = &f->insns[i];

		if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg)
			continue;
		for (u32 k = 0; k < ARRAY_SIZE(helper_effects); k++)
			if (helper_effects[k].helper == insn->imm)
				found |= helper_effects[k].effects;
	}
	return found;
}
