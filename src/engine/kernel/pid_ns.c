/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the address of our own pid namespace: a program that runs once, in our context, follows its
 * task.
 *
 *	pid = current->thread_pid
 *	data[DATA_PID_LEVEL] = pid->level
 *	data[DATA_PID_NS] = pid->numbers[pid->level].ns
 */
#include <unistd.h>
#include "engine/kernel/insn.h"
#include "engine/kernel/internal.h"

/* Reads the bytes at r6 + r7 + an offset to where r1 points. */
#define READ(size_, offset_)                                                                       \
	I_MOVI(2, size_), I_MOV(3, 6), I_ADD(3, 7), I_ALUI(BPF_ADD, 3, (s32)(offset_)),            \
		I_CALL(BPF_FUNC_probe_read_kernel)
#define I_ADD(d, s) I_RAW(BPF_ALU64 | BPF_ADD | BPF_X, d, s, 0, 0)
#define TO_STACK I_ST(BPF_DW, 10, -8, 0), I_MOV(1, 10), I_ALUI(BPF_ADD, 1, -8)

int kernel_find_pid_namespace(struct kernel *k, const struct pid_ns_offsets *at)
{
	const struct bpf_insn code[] = {
		I_CALL(BPF_FUNC_get_current_task),
		I_MOV(6, 0),
		I_MOVI(7, 0),
		TO_STACK,
		READ(8, at->thread_pid),
		I_LDX(BPF_DW, 6, 10, -8),
		TO_STACK,
		READ(4, at->level),
		I_LDX(BPF_W, 7, 10, -8),
		I_LD_VALUE(1, k->data_fd, DATA_PID_LEVEL),
		I_STX(BPF_DW, 1, 7, 0),
		I_ALUI(BPF_MUL, 7, (s32)at->upid_size),
		I_LD_VALUE(1, k->data_fd, DATA_PID_NS),
		READ(8, at->numbers + at->ns),
		I_MOVI(0, 0),
		I_EXIT(),
	};
	struct bpf_load l = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
			      .insns = code,
			      .n_insns = ARRAY_SIZE(code),
			      .license = "GPL",
			      .name = "pid_ns" };
	int fd = k->data_fd < 0 ? -1 : bpf_prog_load(&l), ret;

	if (fd < 0)
		return -1;
	ret = bpf_prog_run(fd, NULL, 0, NULL);
	close(fd);
	return ret;
}
