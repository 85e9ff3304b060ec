/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records come in order, whole, each once; a full ring loses only what did not fit. */
#include <poll.h>
#include <sys/syscall.h>
#include "handmade.h"

enum { RING = 4096 * 4 };

struct record {
	struct record_head head;
	u64 number, pad[4];
};

struct seen {
	u64 next, n, wrong;
	u64 stop_at;
};

static int take(void *ctx, const void *record, u32 len)
{
	const struct record *r = record;
	struct seen *s = ctx;

	s->wrong += len != sizeof *r || r->number != s->next || r->head.event != 7;
	s->next = r->number + 1;
	s->n++;
	return s->n == s->stop_at;
}

/* r6 = number = fetch_add(data[0], 1); reserve, fill, submit without waking; data[8]++ when
 * full. */
static void add_producer(struct handmade *h)
{
	const struct bpf_insn code[] = {
		I_LD_MAP(1, (s32)h->prog.ring_map),
		I_MOVI(2, sizeof(struct record)),
		I_MOVI(3, 0),
		I_CALL(BPF_FUNC_ringbuf_reserve),
		I_JMPI(BPF_JNE, 0, 0, 6),
		I_LD_VALUE(1, (s32)h->prog.data_map, 8),
		I_MOVI(2, 1),
		I_ATOMIC(BPF_DW, BPF_ADD, 1, 2, 0),
		I_MOVI(0, 0),
		I_EXIT(),
		I_LD_VALUE(1, (s32)h->prog.data_map, 0),
		I_LDX(BPF_DW, 6, 1, 0),
		I_MOVI(2, 1),
		I_ATOMIC(BPF_DW, BPF_ADD, 1, 2, 0),
		I_ST(BPF_W, 0, 0, 7),
		I_ST(BPF_W, 0, 4, 0),
		I_STX(BPF_DW, 0, 6, 8),
		I_MOV(1, 0),
		I_MOVI(2, 0),
		I_CALL(BPF_FUNC_ringbuf_submit),
		I_MOVI(0, 0),
		I_EXIT(),
	};

	add_func(h, BPF_PROG_TYPE_RAW_TRACEPOINT, code, ARRAY_SIZE(code));
}

static void produce(struct handmade *h, int n)
{
	for (int i = 0; i < n; i++)
		kernel_run(h->k, 0, NULL, &h->err);
}

int main(void)
{
	enum { FIT = RING / (8 + sizeof(struct record)) };
	struct seen s = { 0 };
	struct handmade h;

	if (!may_test())
		return done();
	handmade_init(&h);
	add_data(&h, 16);
	add_ring(&h);
	add_producer(&h);
	handmade_open(&h, RING);
	good(&h, kernel_create_maps(h.k, &h.err));
	good(&h, kernel_load(h.k, 0, &h.err));
	is_int(kernel_drain(h.k, take, &s), 0, "nothing yet");
	produce(&h, 5);
	struct pollfd p = { .fd = kernel_event_fd(h.k), .events = POLLIN };

	is_int(poll(&p, 1, 1000), 1, "the descriptor says so");
	is_int(kernel_drain(h.k, take, &s), 5, "five");
	is_int(poll(&p, 1, 0), 0, "and no more");
	for (int round = 0; round < 50; round++) {
		produce(&h, 100);
		is_int(kernel_drain(h.k, take, &s), 100, "round %d", round);
	}
	is_int(s.wrong, 0, "all in order and whole");
	produce(&h, FIT + 10);
	ok(kernel_data_u64(h.k, 8) >= 10, "a full ring: %llu lost",
	   (unsigned long long)kernel_data_u64(h.k, 8));
	s.stop_at = s.n + 3;
	is_int(kernel_drain(h.k, take, &s), 3, "stopped after the third");
	s.stop_at = 0;
	kernel_drain(h.k, take, &s);
	is_int(s.wrong, 0, "still in order");
	is_int(s.n, kernel_data_u64(h.k, 0), "as many as were sent");
	handmade_release(&h);
	return done();
}
