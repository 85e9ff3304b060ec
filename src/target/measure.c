/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a kernel counts before it verifies a program (kernel/bpf/verifier.c): the maps that it uses
 * (MAX_USED_MAPS) and the branches that are pending (BPF_COMPLEXITY_LIMIT_JMP_SEQ). At each branch
 * the verifier falls through and queues the jump; when a path ends or reaches an instruction that
 * it has visited, it continues with the jump that was queued last.
 */
#include "target/target.h"
#include "type/bpf_isa.h"

struct walk {
	const struct bpf_func *f;
	u64 *seen;          /* a bit for each instruction */
	u32 *wait, n, most; /* targets of pending jumps */
	u32 beyond;         /* the instruction at which they exceed the limit */
};

static bool was_here(struct walk *w, u32 at)
{
	u64 bit = 1ull << at % 64, *word = &w->seen[at / 64];
	bool was = *word & bit;

	*word |= bit;
	return was;
}

/* The next instruction on this path; n_insns: it ends here. */
static u32 step(struct walk *w, u32 at)
{
	const struct bpf_insn *i = &w->f->insns[at];

	if (i->code == (BPF_LD | BPF_IMM | BPF_DW))
		return at + 2;
	if (i->code == (BPF_JMP | BPF_EXIT))
		return w->f->n_insns;
	if (!bpf_is_jump(i))
		return at + 1;
	if (bpf_is_goto(i))
		return bpf_jump_target(i, at);
	w->wait[w->n++] = bpf_jump_target(i, at);
	if (w->n > MOST_BRANCHES && !w->beyond)
		w->beyond = at;
	w->most = MAX(w->most, w->n);
	return at + 1;
}

static void walk_all(struct walk *w)
{
	u32 at = 0, end = w->f->n_insns;

	for (;;) {
		while (at < end && !was_here(w, at))
			at = step(w, at);
		if (!w->n)
			break;
		at = w->wait[--w->n];
	}
}

static u32 count_maps(const struct program *prog, const struct bpf_func *f, u8 *seen, u32 *beyond)
{
	u32 n = 0;

	for (u32 i = 0; i < f->n_relocs; i++) {
		const struct reloc *r = &f->relocs[i];

		if ((r->kind != RELOC_MAP && r->kind != RELOC_MAP_VALUE) ||
		    r->index >= prog->maps.n || seen[r->index])
			continue;
		seen[r->index] = 1;
		if (++n == MOST_MAPS + 1)
			*beyond = r->insn;
	}
	return n;
}

struct target_measure target_measure(const struct program *prog, const struct bpf_func *f)
{
	struct arena scratch;
	struct walk w = { .f = f };
	u32 maps_beyond = 0;
	struct target_measure m = { .insns = f->n_insns, .funcs = f->n_subprogs };

	arena_init(&scratch);
	w.seen = arena_array(&scratch, u64, f->n_insns / 64 + 1);
	w.wait = arena_array(&scratch, u32, f->n_insns);
	walk_all(&w);
	m.branches = w.most;
	m.maps = count_maps(prog, f, arena_array(&scratch, u8, prog->maps.n + 1), &maps_beyond);
	m.at = m.branches > MOST_BRANCHES ? w.beyond :
	       m.maps > MOST_MAPS         ? maps_beyond :
	       m.insns > MOST_INSNS       ? MOST_INSNS :
	       m.funcs > MOST_FUNCS       ? f->subprogs[MOST_FUNCS].insn :
					    0;
	arena_release(&scratch);
	return m;
}
