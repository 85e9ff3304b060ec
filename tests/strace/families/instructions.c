/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program of eBPF with every code, which the kernel refuses. */
#include <linux/bpf.h>
#include "calls.h"

enum { INSTRUCTIONS = 600 };

static struct bpf_insn insns[INSTRUCTIONS];

static void load(const void *at, unsigned n)
{
	union bpf_attr a = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER };

	a.insns = (uintptr_t)at;
	a.insn_cnt = n;
	a.license = (uintptr_t) "GPL";
	syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof a);
}

int main(void)
{
	for (int i = 0; i < INSTRUCTIONS; i++)
		insns[i] = (struct bpf_insn){
			.code = i, .dst_reg = i, .src_reg = i * 7, .off = i - 128, .imm = i * 77 - 3
		};
	load(insns, INSTRUCTIONS);
	load(insns, 0);
	load((void *)8, 5);
	return 0;
}
