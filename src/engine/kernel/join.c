/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two functions as one program, for sessions: the kernel runs it at the entry of a function and at
 * its return (kernel/trace/bpf_trace.c: kprobe_multi_link_handler, _exit_handler;
 * kernel/bpf/trampoline.c: fsession) and a kernel function returns which of them it is. Both may be
 * long, so they are joined as compiled.
 *
 *	r6 = r1
 *	call bpf_session_is_return		its argument is the context since 7.0, before it has none
 *	r0 &= 255				a bool is one byte
 *	r1 = r6
 *	if r0 != 0 goto return
 *	...entry, without its subprograms
 *	return: ...likewise
 *	...subprograms of the entry, then of the return
 *
 * Both parts begin with the context in r1, as they would alone, and end with exit. The value that
 * the entry returns tells whether the return is wanted: functions on kernel probes return 0, which
 * means yes.
 */
#include "engine/kernel/insn.h"
#include "engine/kernel/internal.h"

enum { HEAD = 5, MOST_JUMP = 32000 /* instructions: an offset of a jump has 16 bits */ };

struct part {
	const struct bpf_func *f;
	u32 main_len;         /* instructions in front of the first subprogram */
	u32 main_at, subs_at; /* positions of the two pieces */
};

static u32 main_len(const struct bpf_func *f)
{
	return f->n_subprogs > 1 ? f->subprogs[1].insn : f->n_insns;
}

static u32 moved(const struct part *p, u32 at)
{
	return at < p->main_len ? at + p->main_at : at - p->main_len + p->subs_at;
}

/* Calls and addresses of subprograms are relative to the next instruction. */
static bool names_subprogram(const struct bpf_insn *insn)
{
	return (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL) ||
	       (insn->code == (BPF_LD | BPF_DW | BPF_IMM) && insn->src_reg == BPF_PSEUDO_FUNC);
}

static void put_part(struct bpf_func *to, const struct part *p)
{
	const struct bpf_func *f = p->f;

	for (u32 i = 0; i < f->n_insns; i++) {
		struct bpf_insn *insn = &to->insns[moved(p, i)];

		*insn = f->insns[i];
		if (names_subprogram(insn))
			insn->imm = (s32)moved(p, i + 1 + (u32)insn->imm) - (s32)moved(p, i) - 1;
		if (insn->code == (BPF_LD | BPF_DW | BPF_IMM)) {
			i++;
			insn[1] = f->insns[i];
		}
	}
	for (u32 i = 0; i < f->n_relocs; i++) {
		to->relocs[to->n_relocs] = f->relocs[i];
		to->relocs[to->n_relocs++].insn = moved(p, f->relocs[i].insn);
	}
	for (u32 i = 1; i < f->n_subprogs; i++) {
		to->subprogs[to->n_subprogs] = f->subprogs[i];
		to->subprogs[to->n_subprogs++].insn = moved(p, f->subprogs[i].insn);
	}
}

static void put_head(struct bpf_func *to, s32 is_return, u32 entry_len)
{
	const struct bpf_insn head[HEAD] = {
		I_MOV(6, 1),
		I_CALL_KFUNC(is_return),
		I_ALUI(BPF_AND, 0, 255),
		I_MOV(1, 6),
		I_JMPI(BPF_JNE, 0, 0, (s16)entry_len),
	};

	memcpy(to->insns, head, sizeof head);
}

struct bpf_func *join_functions(struct arena *a, const struct bpf_func *entry,
				const struct bpf_func *ret, s32 is_return)
{
	struct bpf_func *f = arena_dup(a, entry, sizeof *entry);
	u32 e = main_len(entry), r = main_len(ret);
	struct part first = { entry, e, HEAD, HEAD + e + r };
	struct part second = { ret, r, HEAD + e, HEAD + entry->n_insns + r };

	if (e > MOST_JUMP)
		return NULL;
	f->spans = NULL;
	f->stack_size = MAX(entry->stack_size, ret->stack_size);
	f->n_insns = HEAD + entry->n_insns + ret->n_insns;
	f->insns = arena_array(a, struct bpf_insn, f->n_insns);
	f->relocs = arena_array(a, struct reloc, entry->n_relocs + ret->n_relocs + 1);
	f->subprogs = arena_array(a, struct subprog, entry->n_subprogs + ret->n_subprogs + 1);
	f->n_relocs = f->n_subprogs = 0;
	f->subprogs[f->n_subprogs++] = (struct subprog){ .name = entry->name };
	put_head(f, is_return, e);
	put_part(f, &first);
	put_part(f, &second);
	return f;
}
