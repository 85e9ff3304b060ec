/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two functions as one: where the pieces lie, and that calls, addresses and relocations still mean
 * the same. */
#include "handmade.h"

enum { IS_RETURN = 77, HEAD = 5 };

/* main: r2 = &sub, call sub, exit; sub: r0 = value, exit. */
static struct bpf_func *with_sub(struct handmade *h, s32 value, s32 map)
{
	const struct bpf_insn insns[] = {
		I_LD_MAP(1, map), /* 0 */
		I_LD_FUNC(2, 3),  /* 2: behind 3 slots */
		I_RAW(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 1),
		I_EXIT(),
		I_MOVI(0, value), /* 6 */
		I_EXIT(),
	};
	u32 index = add_func(h, BPF_PROG_TYPE_KPROBE, insns, ARRAY_SIZE(insns));
	struct bpf_func *f = h->prog.funcs.v[index];

	f->insns[2].imm =
		3; /* the address is relative to the first slot's next, as the verifier takes it */
	f->subprogs = arena_array(&h->arena, struct subprog, 2);
	f->subprogs[0] = (struct subprog){ .name = "main" };
	f->subprogs[1] = (struct subprog){ .insn = 6, .name = "sub", .callback = true };
	f->n_subprogs = 2;
	return f;
}

/* Which instruction a call or an address at `at` means. */
static u32 meant(const struct bpf_func *f, u32 at)
{
	return at + 1 + (u32)f->insns[at].imm;
}

static void with_subprograms(void)
{
	struct handmade h;
	struct bpf_func *e, *r, *f;

	handmade_init(&h);
	e = with_sub(&h, 11, 3);
	r = with_sub(&h, 22, 4);
	e->stack_size = 16;
	r->stack_size = 64;
	f = join_functions(&h.arena, e, r, IS_RETURN);
	is_int(f->n_insns, HEAD + 16, "all of both");
	is_int(f->stack_size, 64, "the larger frame");
	is_int(f->insns[1].imm, IS_RETURN, "asks which it is");
	is_int(f->insns[4].off, 6, "over the entry's main part");
	is_int(f->insns[HEAD + 5].code, BPF_JMP | BPF_EXIT, "which ends there");
	is_int(f->n_subprogs, 3, "subprograms");
	is_int(f->subprogs[0].insn, 0, "main");
	is_int(f->subprogs[1].insn, HEAD + 12, "of the entry");
	is_int(f->subprogs[2].insn, HEAD + 14, "of the return");
	is_int(f->insns[HEAD + 12].imm, 11, "the entry's");
	is_int(f->insns[HEAD + 14].imm, 22, "the return's");
	is_int(meant(f, HEAD + 4), HEAD + 12, "the entry calls its own");
	is_int(meant(f, HEAD + 6 + 4), HEAD + 14, "the return its own");
	is_int(meant(f, HEAD + 2), HEAD + 12, "address in the entry");
	is_int(meant(f, HEAD + 6 + 2), HEAD + 14, "address in the return");
	is_int(f->n_relocs, 2, "relocations");
	is_int(f->relocs[0].insn, HEAD, "of the entry");
	is_int(f->relocs[1].insn, HEAD + 6, "of the return");
	is_int(f->relocs[1].index, 4, "its map");
	is_int(e->insns[4].imm, 1, "the functions themselves are left alone");
	arena_release(&h.arena);
}

static void too_long(void)
{
	struct bpf_insn *insns = xcalloc(40000, sizeof *insns);
	struct handmade h;
	struct bpf_func *e, *r;
	u32 index;

	handmade_init(&h);
	for (u32 i = 0; i < 39999; i++)
		insns[i] = I_MOVI(0, 0);
	insns[39999] = I_EXIT();
	index = add_func(&h, BPF_PROG_TYPE_KPROBE, insns, 40000);
	e = h.prog.funcs.v[index];
	index = add_func(&h, BPF_PROG_TYPE_KPROBE, insns + 39999, 1);
	r = h.prog.funcs.v[index];
	ok(!join_functions(&h.arena, e, r, IS_RETURN), "no jump goes that far");
	ok(join_functions(&h.arena, r, e, IS_RETURN) != NULL, "the return may be long");
	free(insns);
	arena_release(&h.arena);
}

int main(void)
{
	with_subprograms();
	too_long();
	return done();
}
