/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading records of 64 bytes from a ring buffer that a program fills by hand: time per record,
 * of the reading only. */
#include "bare.h"

enum { RING = 1 << 20, RECORD = 64, FIT = RING / (RECORD + 8) - 1, ROUNDS = 20 };

static int load_producer(int ring)
{
	const struct bpf_insn code[] = {
		I_LD_MAP(1, ring),
		I_MOVI(2, RECORD),
		I_MOVI(3, 0),
		I_CALL(BPF_FUNC_ringbuf_reserve),
		I_JMPI(BPF_JNE, 0, 0, 2),
		I_MOVI(0, 1),
		I_EXIT(),
		I_ST(BPF_DW, 0, 0, 7),
		I_MOV(1, 0),
		I_MOVI(2, BPF_RB_NO_WAKEUP),
		I_CALL(BPF_FUNC_ringbuf_submit),
		I_MOVI(0, 0),
		I_EXIT(),
	};
	struct bpf_load l = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
			      .insns = code,
			      .n_insns = ARRAY_SIZE(code),
			      .name = "bare" };

	return must(bpf_prog_load(&l), "load");
}

int main(void)
{
	int ring = must(bpf_map_create(BPF_MAP_TYPE_RINGBUF, "bare", 0, 0, RING, 0), "ring");
	int prog = load_producer(ring);
	u64 *consumer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
	u8 *producer = mmap(NULL, 4096 + 2 * RING, PROT_READ, MAP_SHARED, ring, 4096);
	u64 sum = 0, n = 0, ns = 0;

	if (consumer == MAP_FAILED || producer == MAP_FAILED)
		must(-1, "mmap");
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < FIT; i++)
			must(bpf_prog_run(prog, NULL, 0, NULL), "run");
		u64 start = now_ns(), at = *consumer;
		u64 end = __atomic_load_n((u64 *)(void *)producer, __ATOMIC_ACQUIRE);

		for (; at < end; n++) {
			u8 *record = producer + 4096 + (at & (RING - 1));
			u32 len = __atomic_load_n((u32 *)(void *)record, __ATOMIC_ACQUIRE);

			sum += *(u64 *)(void *)(record + 8);
			at += ((len + 7) & ~7u) + 8;
		}
		__atomic_store_n(consumer, at, __ATOMIC_RELEASE);
		ns += now_ns() - start;
	}
	report(n && sum == n * 7 ? ns / n : 0);
	return sum != n * 7;
}
