/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records that programs send. Between reserve and submit a record is in the frame; submit copies it
 * to the ring of the processor in a restartable sequence (rseq(2)), whose last store makes it a
 * part of the ring. A thread that is preempted, moved, interrupted by a signal or ended before has
 * written nothing, so no record is ever half there and none waits for another one.
 *
 *	again:	fs:rseq_cs = descriptor
 *	start:	rdi = ring of fs:cpu_id		(none: lost)
 *		rax = rdtsc, or what the program has read
 *		rcx = head; if (rcx + total - tail > ring_size) full: lost
 *		rdx = its place; size, length, time, the record
 *		head = rcx + total
 *	end:	fs:rseq_cs = 0
 *	done:
 *
 * If the reader is late and the program waits for it, it does so outside of the sequence, and
 * begins again when the reader has read something. A reader that reads nothing for a second is not
 * waited for again until it does.
 *
 * Behind the code of the program are the descriptors and what runs rarely.
 */
#define SONDE_LAYOUT
#include "sonde/sonde.h"
#include "jit/internal.h"

enum { RSEQ_CPU = 4, RSEQ_CS = 8 };

u32 jit_ring_stride(u32 ring_size)
{
	return SONDE_RING_HEADER + ring_size + JIT_RING_SLACK;
}

/* The size of the record that the call at j->pc reserves; 0: it is not known, or too large for a
 * frame. */
static u32 reserved(const struct jit *j)
{
	struct held size = jit_held(j, 2);

	return size.kind == HELD_CONSTANT && size.v > 0 && size.v <= JIT_MOST_RECORD ? (u32)size.v :
										       0;
}

u32 jit_record_need(const struct jit *j)
{
	const struct bpf_insn *i = &j->f->insns[j->pc];
	bool is_reserve = i->code == (BPF_JMP | BPF_CALL) && !i->src_reg &&
			  i->imm == BPF_FUNC_ringbuf_reserve;

	return is_reserve ? ALIGN_UP(reserved(j), 8u) : 0;
}

/* A frame has room for one. */
static bool has_record(const struct flow_state *s)
{
	for (u32 i = 0; i < ARRAY_SIZE(s->r); i++)
		if (s->r[i].kind == HELD_RECORD)
			return true;
	for (u32 i = 0; i < FLOW_SLOTS; i++)
		if (s->slot[i].kind == HELD_RECORD)
			return true;
	return false;
}

int jit_reserve(struct jit *j)
{
	if (!j->world->rings)
		return jit_refuse(j, "it sends records");
	if (!j->world->has_rseq)
		return jit_refuse(j, "it sends records, and threads have no rseq(2)");
	if (!reserved(j))
		return jit_refuse(j, "it sends a record of more than %u bytes", JIT_MOST_RECORD);
	if (has_record(&j->flow[j->pc]))
		return jit_refuse(j, "it makes two records at once");
	x86_rm(j->code, X_LEA, 8, RAX, at(RSP, (s32)j->frame.record_at));
	return 0;
}

int jit_discard(struct jit *j)
{
	(void)j;
	return 0;
}

/* ---- the sequence */

static void put_clear(struct jit *j)
{
	static const u32 zero;

	x86_fs(j->code, X_MOV_IMM, 8, 0, j->world->rseq + RSEQ_CS);
	buf_add(j->code, &zero, 4);
}

static void store_u32(struct jit *j, u8 base, s32 off, u32 value)
{
	x86_rm(j->code, X_MOV_IMM, 4, 0, at(base, off));
	buf_add(j->code, &value, 4);
}

static void put_choose_ring(struct jit *j, struct jit_commit *c)
{
	const struct jit_world *w = j->world;
	u32 stride = jit_ring_stride(w->ring_size);

	x86_fs(j->code, X_LOAD, 4, RCX, w->rseq + RSEQ_CPU);
	x86_ri(j->code, X_CMP, 4, RCX, (s32)w->n_rings);
	c->no_ring = x86_jump(j->code, C_AE);
	x86_rr(j->code, X_IMUL_IMM, 8, RDI, RCX);
	buf_add(j->code, &stride, 4);
	x86_mov_imm(j->code, RDX, w->rings);
	x86_rr(j->code, X_ADD, 8, RDX, RDI);
}

static void put_rdtsc(struct jit *j)
{
	X86_BYTES(j->code, "\x0f\x31");
	x86_shift(j->code, D_SHL, 8, RDX, 32);
	x86_rr(j->code, X_OR, 8, RDX, RAX);
}

/* The counter of the time that the program has read is that of the record, too. */
static void put_counter(struct jit *j)
{
	if (j->frame.tick_at && j->flow[j->pc].tick.kind == HELD_CONSTANT) {
		x86_rm(j->code, X_LOAD, 8, RAX, at(RSP, (s32)j->frame.tick_at));
		return;
	}
	put_rdtsc(j);
}

/* rax = time, rcx = head, rdx = SONDE_RING_HEADER before the place of the record */
static void put_find_room(struct jit *j, struct jit_commit *c, u32 total)
{
	struct buf *b = j->code;

	put_counter(j);
	x86_rm(b, X_LOAD, 8, RCX, at(RDI, offsetof(struct sonde_ring, head)));
	x86_rm(b, X_LEA, 8, RDX, at(RCX, (s32)total));
	x86_rm(b, X_SUB_FROM, 8, RDX, at(RDI, offsetof(struct sonde_ring, tail)));
	x86_ri(b, X_CMP, 8, RDX, (s32)j->world->ring_size);
	c->full = x86_jump(b, C_A);
	x86_rr(b, X_MOV, 4, RCX, RDX);
	x86_ri(b, X_AND, 4, RDX, (s32)(j->world->ring_size - 1));
	x86_rr(b, X_ADD, 8, RDI, RDX);
}

static void put_record(struct jit *j, u32 len, u32 total)
{
	struct buf *b = j->code;
	s32 to = SONDE_RING_HEADER;

	store_u32(j, RDX, to + (s32)offsetof(struct jit_record, size), total | JIT_RECORD_SENT);
	store_u32(j, RDX, to + (s32)offsetof(struct jit_record, len), len);
	x86_rm(b, X_MOV, 8, RAX, at(RDX, to + (s32)offsetof(struct jit_record, time)));
	to += (s32)sizeof(struct jit_record);
	for (s32 i = 0; i < (s32)len; i += 8) {
		x86_rm(b, X_LOAD, 8, RAX, at(RSP, (s32)j->frame.record_at + i));
		x86_rm(b, X_MOV, 8, RAX, at(RDX, to + i));
	}
	x86_ri(b, X_ADD, 8, RCX, (s32)total);
	x86_rm(b, X_MOV, 8, RCX, at(RDI, offsetof(struct sonde_ring, head)));
}

int jit_submit(struct jit *j)
{
	struct held h = jit_held(j, 1);
	struct jit_commit c = { .again = (u32)j->code->len };
	u32 len = (u32)h.v, total = (u32)sizeof(struct jit_record) + ALIGN_UP(len, 8u);

	if (h.kind != HELD_RECORD)
		return jit_refuse(j, "it sends a record that is not known before it runs");
	X86_BYTES(j->code, "\x48\x8d\x05"); /* lea descriptor(%rip), %rax */
	buf_pad(j->code, 0, 4);
	c.descriptor = (u32)j->code->len - 4;
	x86_fs(j->code, X_MOV, 8, RAX, j->world->rseq + RSEQ_CS);
	c.start = (u32)j->code->len;
	put_choose_ring(j, &c);
	put_find_room(j, &c, total);
	put_record(j, len, total);
	c.end = (u32)j->code->len;
	put_clear(j);
	c.done = (u32)j->code->len;
	vec_push(&j->arena, &j->commits, c);
	return 0;
}

/* ---- what runs rarely */

static u64 address_of(const struct jit *j, u32 at)
{
	return j->address + (at - j->begin);
}

static void jump_to(struct jit *j, u32 to)
{
	x86_land(j->code, x86_jump(j->code, C_ALWAYS), to);
}

/*
 *		rdi = the ring
 *		r10 = tail; if (r10 == stuck) goto lost
 *		r11 = rdtsc + PATIENCE
 *	wait:	if (tail != r10) goto again
 *		if (rdtsc < r11) goto wait
 *		stuck = r10
 *	lost:
 */
static void put_wait(struct jit *j, const struct jit_commit *c)
{
	enum { PATIENCE = 0x7fffffff }; /* about a second */
	struct buf *b = j->code;
	u32 is_stuck, moved, wait;

	put_clear(j);
	x86_rm(b, X_LOAD, 8, T0, at(RDI, offsetof(struct sonde_ring, tail)));
	x86_rm(b, X_CMP, 8, T0, at(RDI, JIT_RING_STUCK));
	is_stuck = x86_jump(b, C_E);
	put_rdtsc(j);
	x86_ri(b, X_ADD, 8, RAX, PATIENCE);
	x86_rr(b, X_MOV, 8, RAX, T1);
	wait = (u32)b->len;
	X86_BYTES(b, "\xf3\x90"); /* pause */
	x86_rm(b, X_CMP, 8, T0, at(RDI, offsetof(struct sonde_ring, tail)));
	moved = x86_jump(b, C_NE);
	put_rdtsc(j);
	x86_rr(b, X_CMP, 8, T1, RAX);
	x86_land(b, x86_jump(b, C_B), wait);
	x86_rm(b, X_MOV, 8, T0, at(RDI, JIT_RING_STUCK));
	x86_land(b, moved, c->again);
	x86_land(b, is_stuck, (u32)b->len);
}

static void put_lost(struct jit *j, const struct jit_commit *c)
{
	u32 at = offsetof(struct sonde_ring, lost), lost;

	x86_land(j->code, c->full, (u32)j->code->len);
	if (j->world->waits)
		put_wait(j, c);
	lost = x86_jump(j->code, C_ALWAYS);
	x86_land(j->code, c->no_ring, (u32)j->code->len);
	x86_mov_imm(j->code, RDI, j->world->rings);
	x86_land(j->code, lost, (u32)j->code->len);
	put_clear(j);
	X86_BYTES(j->code, "\xf0\x48\xff\x87"); /* lock incq lost(%rdi) */
	buf_add(j->code, &at, 4);
	jump_to(j, c->done);
}

/* Where the kernel continues instead of within the sequence; the signature is in an instruction
 * that traps. */
static u32 put_abort(struct jit *j, const struct jit_commit *c)
{
	u32 at;

	X86_BYTES(j->code, "\x0f\xb9\x3d");
	buf_add(j->code, &j->world->signature, 4);
	at = (u32)j->code->len;
	jump_to(j, c->again);
	return at;
}

/* struct rseq_cs: version, flags, start, length, abort */
static void put_descriptor(struct jit *j, const struct jit_commit *c, u32 abort_at, u32 to)
{
	u64 words[] = { 0, address_of(j, c->start), c->end - c->start, address_of(j, abort_at) };

	x86_land(j->code, c->descriptor, to);
	memcpy(j->code->s + to, words, sizeof words);
}

void jit_records_end(struct jit *j)
{
	enum { SIZE = 32 };
	u32 over, at;

	if (!j->commits.n)
		return;
	over = x86_jump(j->code, C_ALWAYS);
	while (address_of(j, (u32)j->code->len) % SIZE)
		buf_putc(j->code, (char)0xcc);
	at = (u32)j->code->len;
	buf_pad(j->code, 0, (u64)j->commits.n * SIZE);
	for (u32 i = 0; i < j->commits.n; i++) {
		put_lost(j, &j->commits.v[i]);
		put_descriptor(j, &j->commits.v[i], put_abort(j, &j->commits.v[i]), at + i * SIZE);
	}
	x86_land(j->code, over, (u32)j->code->len);
}
