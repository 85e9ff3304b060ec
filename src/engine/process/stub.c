/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodings: Intel SDM volume 2; struct rseq and struct rseq_cs: include/uapi/linux/rseq.h. */
#include <sys/syscall.h>
#include "arch/insn.h"
#include "engine/process/internal.h"
#include "engine/process/stub.h"
#include "jit/jit.h"

static void put(struct code *c, const void *bytes, u32 n)
{
	if (c->room - c->len < n) {
		c->is_broken = true;
		return;
	}
	memcpy(c->at + c->len, bytes, n);
	c->len += n;
}

#define PUT(c, bytes) put(c, bytes, sizeof bytes - 1)

static void put32(struct code *c, u32 v)
{
	put(c, &v, sizeof v);
}

static void put64(struct code *c, u64 v)
{
	put(c, &v, sizeof v);
}

static u64 here(const struct code *c)
{
	return c->address + c->len;
}

/* The distance from the end of an instruction that ends with it. */
static void put_rel(struct code *c, u64 to)
{
	s64 distance = (s64)(to - here(c) - 4);

	c->is_broken |= distance != (s32)distance;
	put32(c, (u32)distance);
}

static void align(struct code *c, u32 to)
{
	while (here(c) & (to - 1) && !c->is_broken)
		PUT(c, "\xcc");
}

/* A forward jump, whose distance is filled in by land(). */
static u32 put_jump(struct code *c, const char *opcode, u32 n)
{
	put(c, opcode, n);
	put32(c, 0);
	return c->len;
}

static void land(struct code *c, u32 jump)
{
	u32 distance = c->len - jump;

	if (!c->is_broken)
		memcpy(c->at + jump - 4, &distance, sizeof distance);
}

/* ---- the recorder */

enum {
	/* bytes at rsp in the recorder: what it has pushed, the stub's return address and rax */
	AT_R11 = 8,
	AT_R10 = 16,
	AT_DX = 24,
	AT_CX = 32,
	AT_AX = 48,
	AT_CALLER = 56, /* rsp at the function's entry */
	R10 = 10,
	R11 = 11,
};

u32 stub_record_size(u32 regs)
{
	return RECORD_WORDS + 8 * (u32)__builtin_popcount(regs);
}

/* mov %reg, SONDE_RING_HEADER + offset(%rdx) */
static void put_store(struct code *c, u32 offset, u32 reg)
{
	const u8 store[] = { (u8)(0x48 | (reg & 8) >> 1), 0x89, (u8)(0x82 | (reg & 7) << 3) };

	put(c, store, sizeof store);
	put32(c, SONDE_RING_HEADER + offset);
}

/* Returns the register with its value; a value on the stack is loaded to rax. */
static u32 put_load(struct code *c, u32 reg)
{
	static const u8 saved[16] = {
		[X86_AX] = AT_AX, [X86_CX] = AT_CX, [X86_DX] = AT_DX, [R10] = AT_R10, [R11] = AT_R11
	};
	const u8 lea[] = { 0x48, 0x8d, 0x44, 0x24, AT_CALLER },
		 mov[] = { 0x48, 0x8b, 0x44, 0x24, saved[reg] };

	if (reg == X86_SP)
		put(c, lea, sizeof lea);
	else if (saved[reg])
		put(c, mov, sizeof mov);
	else
		return reg;
	return X86_AX;
}

/* eax = the thread's id */
static void put_tid(struct code *c, const struct recorder *r)
{
	if (r->tid >= 0) {
		PUT(c, "\x64\x8b\x04\x25"); /* mov %fs:tid, %eax */
		put32(c, (u32)r->tid);
		return;
	}
	PUT(c, "\x51\x41\x53\xb8"); /* push %rcx; push %r11; mov $SYS_gettid, %eax; syscall */
	put32(c, SYS_gettid);
	PUT(c, "\x0f\x05\x41\x5b\x59"); /* pop %r11; pop %rcx */
}

static void put_words(struct code *c, const struct recorder *r)
{
	u32 size = stub_record_size(r->regs), at = RECORD_WORDS;

	PUT(c, "\x89\xca\x81\xe2"); /* mov %ecx, %edx; and $mask, %edx; add %r10, %rdx */
	put32(c, r->ring_size - 1);
	PUT(c, "\x4c\x01\xd2");
	put_store(c, offsetof(struct sonde_record, time), X86_AX);
	put_tid(c, r);
	PUT(c, "\x48\xc1\xe0\x20\x48\x0d"); /* shl $32, %rax; or $size, %rax */
	put32(c, size);
	put_store(c, 0, X86_AX);
	put_store(c, offsetof(struct sonde_record, site), R11);
	for (u32 i = 0; i < 16; i++)
		if (r->regs >> i & 1) {
			put_store(c, at, put_load(c, i));
			at += 8;
		}
}

static void put_clear_sequence(struct code *c, const struct recorder *r)
{
	if (!r->has_rseq)
		return;
	PUT(c, "\x64\x48\xc7\x04\x25"); /* movq $0, %fs:rseq_cs */
	put32(c, (u32)r->rseq + 8);
	put32(c, 0);
}

/* Forward jumps of the recorder. */
struct jumps {
	u32 no_rings, no_cpu, moved, full;
};

/* movl $0, lock(%r10) */
static void put_unlock(struct code *c, const struct recorder *r)
{
	if (r->has_rseq)
		return;
	PUT(c, "\x41\xc7\x82");
	put32(c, offsetof(struct sonde_ring, lock));
	put32(c, 0);
}

static void put_entry(struct code *c)
{
	PUT(c, "\x51\x52\x41\x52\x41\x53"); /* push %rcx, %rdx, %r10, %r11 */
	PUT(c, "\x49\x89\xc3");             /* mov %rax, %r11 */
	PUT(c, "\x9f\x0f\x90\xc0\x50");     /* lahf; seto %al; push %rax */
}

static void put_exit(struct code *c)
{
	PUT(c, "\x58\x04\x7f\x9e");             /* pop %rax; add $127, %al; sahf */
	PUT(c, "\x41\x5b\x41\x5a\x5a\x59\xc3"); /* pop %r11, %r10, %rdx, %rcx; ret */
}

/* mov %rcx, %rdx; shl $48, %rdx; or %rdx, %r11: another ring may be used, so the site includes the
 * processor */
static void put_note_cpu(struct code *c)
{
	_Static_assert(STUB_CPU_SHIFT == 48, "as in the instruction");
	PUT(c, "\x48\x89\xca\x48\xc1\xe2\x30\x49\x09\xd3");
}

/* r10 = the ring of this processor, whose number is in ecx. */
static void put_choose_ring(struct code *c, const struct recorder *r, struct jumps *j)
{
	PUT(c, "\x4c\x8b\x15"); /* mov rings(%rip), %r10 */
	put_rel(c, r->rings);
	PUT(c, "\x4d\x85\xd2"); /* test %r10, %r10 */
	j->no_rings = put_jump(c, "\x0f\x84", 2);
	if (r->has_rseq) {
		PUT(c, "\x64\x8b\x0c\x25"); /* mov %fs:cpu_id, %ecx: -1 or -2 if there is none */
		put32(c, (u32)r->rseq + 4);
	} else { /* mov $0x7b, %ecx; lsl %ecx, %ecx; and $0xfff, %ecx: a segment has it, as for vgetcpu() */
		PUT(c, "\xb9\x7b\x00\x00\x00\x0f\x03\xc9\x81\xe1\xff\x0f\x00\x00");
	}
	PUT(c, "\x81\xf9"); /* cmp $n_rings, %ecx */
	put32(c, r->n_rings);
	j->no_cpu = put_jump(c, "\x0f\x83", 2);
	if (!r->has_rseq)
		put_note_cpu(c);
	PUT(c, "\x48\x69\xd1"); /* imul $bytes of a ring, %rcx, %rdx; add %rdx, %r10 */
	put32(c, jit_ring_stride(r->ring_size));
	PUT(c, "\x49\x01\xd2");
}

static void put_jump_back(struct code *c, const char *opcode, u32 n, u64 to)
{
	put(c, opcode, n);
	put_rel(c, to);
}

/* The first ring from r10 on that is not locked. */
static void put_lock(struct code *c, const struct recorder *r, struct jumps *j)
{
	enum { TRIES = 1000 };
	u64 again;
	u32 locked;

	PUT(c, "\xba"); /* mov $TRIES, %edx */
	put32(c, TRIES);
	again = here(c);
	PUT(c, "\xb8\x01\x00\x00\x00\x41\x87\x82"); /* mov $1, %eax; xchg %eax, lock(%r10) */
	put32(c, offsetof(struct sonde_ring, lock));
	PUT(c, "\x85\xc0"); /* test %eax, %eax */
	locked = put_jump(c, "\x0f\x84", 2);
	PUT(c, "\xff\xca"); /* dec %edx */
	j->moved = put_jump(c, "\x0f\x84", 2);
	PUT(c, "\x49\x81\xc2"); /* add $bytes of a ring, %r10 */
	put32(c, jit_ring_stride(r->ring_size));
	PUT(c, "\x48\x8b\x05"); /* mov rings(%rip), %rax; add $bytes of all, %rax; cmp %rax, %r10 */
	put_rel(c, r->rings);
	PUT(c, "\x48\x05");
	put32(c, jit_ring_stride(r->ring_size) * r->n_rings);
	PUT(c, "\x49\x39\xc2");
	put_jump_back(c, "\x0f\x82", 2, again);
	PUT(c, "\x4c\x8b\x15"); /* mov rings(%rip), %r10 */
	put_rel(c, r->rings);
	put_jump_back(c, "\xe9", 1, again);
	land(c, locked);
}

/* A thread that is preempted, migrated or interrupted before the last store restarts. */
static void put_begin(struct code *c, const struct recorder *r, struct jumps *j)
{
	if (!r->has_rseq) {
		put_lock(c, r, j);
		return;
	}
	PUT(c, "\x64\x39\x0c\x25"); /* cmp %ecx, %fs:cpu_id */
	put32(c, (u32)r->rseq + 4);
	j->moved = put_jump(c, "\x0f\x85", 2);
}

static void put_sequence(struct code *c, const struct recorder *r, struct jumps *j)
{
	u32 size = stub_record_size(r->regs);

	put_begin(c, r, j);
	PUT(c, "\x0f\x31\x48\xc1\xe2\x20\x48\x09\xd0"); /* rdtsc; shl $32, %rdx; or %rdx, %rax */
	PUT(c, "\x49\x8b\x0a\x48\x8d\x91");             /* mov (%r10), %rcx; lea size(%rcx), %rdx */
	put32(c, size);
	PUT(c, "\x49\x2b\x52\x40\x48\x81\xfa"); /* sub tail(%r10), %rdx; cmp $ring_size, %rdx */
	put32(c, r->ring_size);
	j->full = put_jump(c, "\x0f\x87", 2);
	put_words(c, r);
	PUT(c, "\x48\x81\xc1"); /* add $size, %rcx; mov %rcx, (%r10): the record is there */
	put32(c, size);
	PUT(c, "\x49\x89\x0a");
}

/* The abort handler; the signature is in an instruction that traps. */
static u64 put_abort(struct code *c, const struct recorder *r, u32 moved, u64 again)
{
	u64 at;

	PUT(c, "\x0f\xb9\x3d");
	put32(c, r->signature);
	at = here(c);
	land(c, moved);
	put_jump_back(c, "\xe9", 1, again);
	return at;
}

static void put_lost(struct code *c, u64 leave)
{
	PUT(c, "\xf0\x49\xff\x82"); /* lock incq lost(%r10); jmp leave */
	put32(c, offsetof(struct sonde_ring, lost));
	put_jump_back(c, "\xe9", 1, leave);
}

/* lea descriptor(%rip), %rax; mov %rax, %fs:rseq_cs */
static void put_set_sequence(struct code *c, const struct recorder *r, u64 descriptor)
{
	if (!r->has_rseq)
		return;
	PUT(c, "\x48\x8d\x05");
	put_rel(c, descriptor);
	PUT(c, "\x64\x48\x89\x04\x25");
	put32(c, (u32)r->rseq + 8);
}

u64 stub_put_recorder(struct code *c, const struct recorder *r)
{
	struct jumps j = { 0 };
	u64 descriptor, start, commit, leave, abort, entry, again;

	align(c, 32);
	descriptor = here(c); /* struct rseq_cs: version, flags, start, length, abort */
	for (u32 i = 0; i < 4; i++)
		put64(c, 0);
	entry = here(c);
	put_entry(c);
	again = here(c);
	put_choose_ring(c, r, &j);
	put_set_sequence(c, r, descriptor);
	start = here(c);
	put_sequence(c, r, &j);
	commit = here(c);
	put_clear_sequence(c, r);
	put_unlock(c, r);
	land(c, j.no_rings);
	leave = here(c);
	put_exit(c);
	land(c, j.full);
	put_clear_sequence(c, r);
	put_unlock(c, r);
	land(c, j.no_cpu);
	if (!r->has_rseq)
		land(c, j.moved); /* all rings are locked */
	put_lost(c, leave);
	if (!r->has_rseq)
		return entry;
	abort = put_abort(c, r, j.moved, again);
	if (!c->is_broken) {
		u64 words[] = { 0, start, commit - start, abort };

		memcpy(c->at + (descriptor - c->address), words, sizeof words);
	}
	return entry;
}

/* ---- stubs */

void stub_put(struct code *c, const void *bytes, u32 n)
{
	put(c, bytes, n);
}

void stub_align(struct code *c, u32 to)
{
	align(c, to);
}

void stub_put_record(struct code *c, u64 function, u64 recorder)
{
	PUT(c, "\x50\x48\x8d\x05"); /* push %rax; lea function(%rip), %rax */
	put_rel(c, function);
	PUT(c, "\xe8"); /* call recorder */
	put_rel(c, recorder);
	PUT(c, "\x58"); /* pop %rax */
}

void stub_put_jump(struct code *c, u64 to)
{
	PUT(c, "\xe9");
	put_rel(c, to);
}

void stub_put_moved(struct code *c, const struct x86_moved *moved, u64 back)
{
	put(c, moved->code, moved->len);
	stub_put_jump(c, back);
}
