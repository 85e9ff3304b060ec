/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs assembled by hand for the engine's tests. The usual one counts at an offset of the
 * data map for this process only:
 *
 *	r6 = ctx
 *	if pid_tgid >> 32 != getpid() goto out
 *	<body: instructions with r6 = ctx, jumps of OUT(n) leave>
 *	lock *(u64 *)&data[offset] += 1
 *	out: r0 = 0; exit
 */
#ifndef TESTS_UNIT_ENGINE_HANDMADE_H
#define TESTS_UNIT_ENGINE_HANDMADE_H

#include <linux/bpf.h>
#include <stdlib.h>
#include <unistd.h>
#include "engine/kernel/kernel.h"
#include "engine/kernel/insn.h"
#include "engine/kernel/internal.h"
#include "tests/unit/tap.h"

struct handmade {
	struct arena arena;
	struct program prog;
	struct kernel *k;
	struct err err;
};

static inline void handmade_init(struct handmade *h)
{
	*h = (struct handmade){ 0 };
	arena_init(&h->arena);
	h->prog.arena = &h->arena;
	h->prog.data_map = h->prog.ring_map = h->prog.scratch_map = NO_INDEX;
}

static inline void handmade_open(struct handmade *h, u64 ring_size)
{
	struct engine_options o = { .ring_size = ring_size, .license = "GPL", .wait_detach = true };

	h->k = kernel_open(&h->prog, &o);
}

static inline void handmade_release(struct handmade *h)
{
	kernel_close(h->k);
	err_release(&h->err);
	arena_release(&h->arena);
}

static inline u32 add_map(struct handmade *h, struct map_desc m)
{
	vec_push(&h->arena, &h->prog.maps, m);
	return h->prog.maps.n - 1;
}

static inline u32 add_data(struct handmade *h, u32 size)
{
	h->prog.data_size = size;
	h->prog.data_map = add_map(h, (struct map_desc){ .name = ".data",
							 .role = MAP_DATA,
							 .bpf_type = BPF_MAP_TYPE_ARRAY,
							 .key_size = 4,
							 .value_size = size,
							 .max_entries = 1 });
	return h->prog.data_map;
}

static inline u32 add_ring(struct handmade *h)
{
	h->prog.ring_map = add_map(h, (struct map_desc){ .name = ".ring",
							 .role = MAP_RING,
							 .bpf_type = BPF_MAP_TYPE_RINGBUF });
	return h->prog.ring_map;
}

/* Instructions are copied. Each ld_imm64 with src BPF_PSEUDO_MAP_FD or _VALUE becomes a
 * relocation of the map whose index is its imm. */
static inline u32 add_func(struct handmade *h, u32 type, const struct bpf_insn *insns, u32 n)
{
	struct bpf_func *f = arena_new(&h->arena, struct bpf_func);

	f->name = "test.program-with-a-long-name";
	f->load.prog_type = type;
	f->insns = arena_dup(&h->arena, insns, n * sizeof *insns);
	f->n_insns = n;
	f->relocs = arena_array(&h->arena, struct reloc, n);
	for (u32 i = 0; i < n; i++) {
		const struct bpf_insn *in = &insns[i];

		if (in->code != (BPF_LD | BPF_DW | BPF_IMM))
			continue;
		if (in->src_reg == BPF_PSEUDO_MAP_FD || in->src_reg == BPF_PSEUDO_MAP_VALUE)
			f->relocs[f->n_relocs++] = (struct reloc){
				i, in->src_reg == BPF_PSEUDO_MAP_FD ? RELOC_MAP : RELOC_MAP_VALUE,
				(u32)in->imm, (u32)insns[i + 1].imm
			};
		i++;
	}
	vec_push(&h->arena, &h->prog.funcs, f);
	return h->prog.funcs.n - 1;
}

/* body may use `goto out` as a jump offset computed from the end: it is followed by 6 slots
 * before out. */
static inline u32 add_counter(struct handmade *h, u32 type, u32 offset, const struct bpf_insn *body,
			      u32 n)
{
	struct bpf_insn code[64];
	u32 at = 0;

	code[at++] = I_MOV(6, 1);
	code[at++] = I_CALL(BPF_FUNC_get_current_pid_tgid);
	code[at++] = I_ALUI(BPF_RSH, 0, 32);
	code[at++] = I_JMPI(BPF_JNE, 0, getpid(), (s16)(n + 4));
	for (u32 i = 0; i < n; i++)
		code[at++] = body[i];
	const struct bpf_insn tail[] = {
		I_LD_VALUE(1, (s32)h->prog.data_map, (s32)offset),
		I_MOVI(2, 1),
		I_ATOMIC(BPF_DW, BPF_ADD, 1, 2, 0),
		I_MOVI(0, 0),
		I_EXIT(),
	};
	memcpy(code + at, tail, sizeof tail);
	return add_func(h, type, code, at + (u32)ARRAY_SIZE(tail));
}
enum { TAIL_TO_OUT = 4 };

/* 0 when this machine lets us; otherwise the test has been skipped. */
static inline bool may_test(void)
{
	int fd;

	if (geteuid() != 0) {
		skip("not root");
		return false;
	}
	raise_memlock();
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "try", 4, 8, 1, 0);
	if (fd < 0) {
		skip("bpf(2) is refused here: %m");
		return false;
	}
	close(fd);
	return true;
}

#define good(h, call)                                                                              \
	ok((call) >= 0, "%s%s%s", #call, (h)->err.code ? ": " : "",                                \
	   (h)->err.code ? (h)->err.text : "")

#endif
