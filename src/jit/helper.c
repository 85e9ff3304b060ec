/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers in line. Arguments are in rdi, rsi, rdx, rcx, r8, the result in rax; all these may
 * change. */
#include <errno.h>
#include "jit/internal.h"
#include "jit/routines.h"

enum { CPU_MASK = 0xfff, MOST_LOOPS = 1 << 23, MOST_INLINE_KEY = 32, MOST_PIECES = 7 };

static void multiply_by(struct jit *j, u8 reg, u32 n)
{
	if (!(n & (n - 1))) {
		x86_shift(j->code, D_SHL, 8, reg, (u8)__builtin_ctz(n));
		return;
	}
	x86_rr(j->code, X_IMUL_IMM, 8, reg, reg);
	buf_add(j->code, &n, 4);
}

#define slot_at(member)                                                                            \
	(s32)(offsetof(struct jit_clock, slot) + offsetof(struct jit_clock_slot, member))

/* ---- processors */

/*
 * The number of the processor: RDPID reads what the kernel stored there, in bits 0 to 11; else what
 * it keeps in the thread's struct rseq (cpu_id_start, which is 0 for a thread that has not
 * registered it); else, much slower, the limit of a segment that exists for it
 * (arch/x86/include/asm/segment.h: GDT_ENTRY_CPUNODE, 15), whose code is as long as any other. A
 * thread may move to another processor at once: programs change what is shared atomically.
 */
static void put_cpu(struct jit *j, u8 reg)
{
	const char rdpid[] = { (char)0xf3, (char)(0x40 | reg >> 3), 0x0f, (char)0xc7,
			       (char)(0xf8 | (reg & 7)) };

	if (j->world->has_rdpid) {
		x86_bytes(j->code, rdpid, sizeof rdpid);
	} else if (j->world->has_rseq) {
		x86_fs(j->code, X_LOAD, 4, reg, j->world->rseq);
	} else {
		x86_mov_imm(j->code, reg, 15 * 8 + 3);
		x86_rr(j->code, X_LSL, 4, reg, reg);
	}
	x86_ri(j->code, X_AND, 4, reg, CPU_MASK);
}

static int get_smp_processor_id(struct jit *j)
{
	put_cpu(j, RAX);
	return 0;
}

/* ---- the event */

static int get_current_pid_tgid(struct jit *j)
{
	if (!j->world->has_tid)
		return jit_refuse(j, "the location of thread ids in this process is not known");
	x86_fs(j->code, X_LOAD, 4, RAX, j->world->tid);
	x86_mov_imm(j->code, RCX, (u64)j->world->pid << 32);
	x86_rr(j->code, X_OR, 8, RCX, RAX);
	return 0;
}

static int get_attach_cookie(struct jit *j)
{
	x86_mov_imm(j->code, RAX, j->world->cookie);
	return 0;
}

/*
 *	r9 = slot of the clock
 *	rax = max(rdtsc - tick, 0) * rate >> 32
 */
static int put_time(struct jit *j, bool is_mono)
{
	struct buf *b = j->code;
	u32 after;

	if (!j->world->clock)
		return jit_refuse(j,
				  "the time stamp counter of this machine cannot serve as a clock");
	x86_mov_imm(b, X8, j->world->clock);
	x86_rm(b, X_LOAD, 4, X9, at(X8, offsetof(struct jit_clock, index)));
	x86_ri(b, X_AND, 4, X9, ARRAY_SIZE(((struct jit_clock *)0)->slot) - 1);
	multiply_by(j, X9, sizeof(struct jit_clock_slot));
	x86_rr(b, X_ADD, 8, X8, X9);
	X86_BYTES(b, "\x0f\x31"); /* rdtsc */
	x86_shift(b, D_SHL, 8, RDX, 32);
	x86_rr(b, X_OR, 8, RDX, RAX);
	if (j->frame.tick_at)
		x86_rm(b, X_MOV, 8, RAX, at(RSP, (s32)j->frame.tick_at));
	x86_rm(b, X_SUB_FROM, 8, RAX, at(X9, slot_at(tick)));
	after = x86_jump(b, C_AE);
	x86_rr(b, X_XOR, 4, RAX, RAX);
	x86_land(b, after, (u32)b->len);
	x86_rm(b, X_UNARY, 8, D_MUL, at(X9, slot_at(rate)));
	X86_BYTES(b, "\x48\x0f\xac\xd0\x20"); /* shrd $32, %rdx, %rax */
	x86_rm(b, X_ADD_TO, 8, RAX, at(X9, slot_at(ns)));
	if (is_mono)
		x86_rm(b, X_ADD_TO, 8, RAX, at(X9, slot_at(boot_to_mono)));
	return 0;
}

static int ktime_get_ns(struct jit *j)
{
	return put_time(j, true);
}

static int ktime_get_boot_ns(struct jit *j)
{
	return put_time(j, false);
}

/* ---- maps */

/* The map that a call's first argument refers to, or NULL with the reason. */
static const struct shared_map *map_of(struct jit *j)
{
	struct held h = jit_held(j, 1);
	const struct shared_map *m =
		h.kind == HELD_MAP && h.v < j->world->maps->n ? &j->world->maps->v[h.v] : NULL;

	if (m && m->type)
		return m;
	jit_refuse(j, "a map that is not known before it runs");
	return NULL;
}

static bool is_hash(const struct shared_map *m)
{
	return m->n_slots != 0;
}

/* The number of this processor's copy; 0 on a processor that was added since. Changes r9. */
static void put_copy_number(struct jit *j, const struct shared_map *m, u8 reg)
{
	put_cpu(j, reg);
	x86_ri(j->code, X_CMP, 4, reg, (s32)m->n_copies);
	x86_rr(j->code, X_SBB, 4, X9, X9); /* all ones if it is one of ours */
	x86_rr(j->code, X_AND, 4, X9, reg);
}

/* rax += this processor's copy. Changes rcx, r9. */
static void add_copy(struct jit *j, const struct shared_map *m)
{
	if (m->n_copies == 1)
		return;
	put_copy_number(j, m, RCX);
	multiply_by(j, RCX, m->value_stride);
	x86_rr(j->code, X_ADD, 8, RCX, RAX);
}

/* rax, the index of an element, becomes the address of its value. Changes rcx, r9. */
static void value_address(struct jit *j, const struct shared_map *m, u64 values)
{
	multiply_by(j, RAX, m->value_stride * m->n_copies);
	x86_mov_imm(j->code, RCX, j->world->block + values);
	x86_rr(j->code, X_ADD, 8, RCX, RAX);
	add_copy(j, m);
}

static void array_lookup(struct jit *j, const struct shared_map *m)
{
	u32 none, end;

	x86_rm(j->code, X_LOAD, 4, RAX, at(RSI, 0));
	x86_ri(j->code, X_CMP, 4, RAX, (s32)m->max_entries);
	none = x86_jump(j->code, C_AE);
	value_address(j, m, m->offset);
	end = x86_jump(j->code, C_ALWAYS);
	x86_land(j->code, none, (u32)j->code->len);
	x86_rr(j->code, X_XOR, 4, RAX, RAX);
	x86_land(j->code, end, (u32)j->code->len);
}

/* ---- hashes */

static void call_routine(struct jit *j, const struct shared_map *m, enum jit_routine r)
{
	u32 map = (u32)(m - j->world->maps->v), at;
	u64 here;

	x86_mov_imm(j->code, RDI, jit_map_address(j->world, map));
	at = x86_jump(j->code, C_CALL);
	here = j->address + (at - j->begin);
	x86_land(j->code, at, at + (u32)(j->world->routines + jit_routine(r) - here));
}

/* The size of the next piece of a key (vm/shared.h). */
static u32 piece_at(const struct shared_map *m, u32 at)
{
	u32 size = 8;

	while (size > m->key_size - at)
		size /= 2;
	return size;
}

static void load_piece(struct jit *j, u8 reg, u8 base, u32 at_, u32 size)
{
	static const u16 ops[] = { [1] = X_MOVZX_8, [2] = X_MOVZX_16, [4] = X_LOAD, [8] = X_LOAD };

	x86_rm(j->code, ops[size], size == 8 ? 8 : 4, reg, at(base, (s32)at_));
}

/* edx = the tag of a slot that has the key, rcx = the first slot. */
static void hash_key(struct jit *j, const struct shared_map *m)
{
	struct buf *b = j->code;

	x86_mov_imm(b, X8, SHARED_FACTOR);
	for (u32 i = 0, size; i < m->key_size; i += size) {
		size = piece_at(m, i);
		load_piece(j, i ? RCX : RDX, RSI, i, size);
		if (i)
			x86_rr(b, X_XOR, 8, RCX, RDX);
		x86_rr(b, X_IMUL, 8, RDX, X8);
		x86_rr(b, X_MOV, 8, RDX, RCX);
		x86_shift(b, D_SHR, 8, RCX, 32);
		x86_rr(b, X_XOR, 8, RCX, RDX);
	}
	x86_rr(b, X_MOV, 4, RDX, RCX);
	x86_shift(b, D_SHR, 4, RCX, 2);
	x86_ri(b, X_AND, 4, RCX, (s32)(m->n_slots - 1));
	x86_ri(b, X_AND, 4, RDX, ~SHARED_STATE);
	x86_ri(b, X_OR, 4, RDX, SHARED_READY);
}

/*
 *	again:	if (tag[rcx] == edx && the keys are equal) return rcx's value
 *		if (tag[rcx] && --r8d) { rcx = (rcx + 1) & mask; goto again }
 *		return 0
 */
static void find_inline(struct jit *j, const struct shared_map *m)
{
	u32 again, end, none, other[MOST_PIECES + 1], n = 0;
	struct buf *b = j->code;

	hash_key(j, m);
	x86_mov_imm(b, RDI, j->world->block + m->offset + offsetof(struct shared_hash, tag));
	x86_mov_imm(b, X8, m->n_slots);
	again = (u32)b->len;
	X86_BYTES(b, "\x3b\x14\x8f"); /* cmp (%rdi, %rcx, 4), %edx */
	other[n++] = x86_jump(b, C_NE);
	x86_rr(b, X_MOV, 4, RCX, RAX);
	multiply_by(j, RAX, m->key_stride);
	x86_mov_imm(b, T0, j->world->block + m->keys);
	x86_rr(b, X_ADD, 8, T0, RAX);
	for (u32 i = 0, size; i < m->key_size; i += size) {
		size = piece_at(m, i);
		load_piece(j, T1, RSI, i, size);
		x86_rm(b, X_CMP, size, T1, at(RAX, (s32)i));
		other[n++] = x86_jump(b, C_NE);
	}
	x86_rr(b, X_MOV, 4, RCX, RAX);
	value_address(j, m, m->values);
	end = x86_jump(b, C_ALWAYS);
	for (u32 i = 0; i < n; i++)
		x86_land(b, other[i], (u32)b->len);
	X86_BYTES(b, "\x83\x3c\x8f\x00"); /* cmpl $0, (%rdi, %rcx, 4) */
	none = x86_jump(b, C_E);
	x86_ri(b, X_ADD, 4, RCX, 1);
	x86_ri(b, X_AND, 4, RCX, (s32)(m->n_slots - 1));
	x86_ri(b, X_SUB, 4, X8, 1);
	x86_land(b, x86_jump(b, C_NE), again);
	x86_land(b, none, (u32)b->len);
	x86_rr(b, X_XOR, 4, RAX, RAX);
	x86_land(b, end, (u32)b->len);
}

static void find_by_routine(struct jit *j, const struct shared_map *m)
{
	u32 none;

	call_routine(j, m, JIT_FIND);
	x86_rr(j->code, X_TEST, 8, RAX, RAX);
	none = x86_jump(j->code, C_E);
	add_copy(j, m);
	x86_land(j->code, none, (u32)j->code->len);
}

static int map_lookup(struct jit *j)
{
	const struct shared_map *m = map_of(j);

	if (!m)
		return j->err->code;
	if (!is_hash(m))
		array_lookup(j, m);
	else if (m->key_size <= MOST_INLINE_KEY)
		find_inline(j, m);
	else
		find_by_routine(j, m);
	return 0;
}

static int change_hash(struct jit *j, enum jit_routine r)
{
	const struct shared_map *m = map_of(j);

	if (!m)
		return j->err->code;
	if (!is_hash(m))
		return jit_refuse(j, "it changes the elements of an array by a call");
	if (r == JIT_UPDATE && m->n_copies > 1)
		put_copy_number(j, m, X8);
	else if (r == JIT_UPDATE)
		x86_mov_imm(j->code, X8, 0);
	call_routine(j, m, r);
	return 0;
}

static int map_update(struct jit *j)
{
	return change_hash(j, JIT_UPDATE);
}

static int map_delete(struct jit *j)
{
	return change_hash(j, JIT_DELETE);
}

/* ---- calls of functions of the program */

/*
 *	push context, count, i = 0
 *	while (i < count) { f(i, context); i++; if (r0) break; }
 *	r0 = i
 */
static int loop(struct jit *j)
{
	struct held func = jit_held(j, 2);
	struct buf *b = j->code;
	u32 again, done, end, few;

	if (func.kind != HELD_FUNC)
		return jit_refuse(j, "a function that is not known before it runs");
	x86_rr(b, X_MOV, 4, RDI, RDI);
	x86_mov_imm(b, RAX, (u64)-E2BIG);
	x86_ri(b, X_CMP, 8, RDI, MOST_LOOPS);
	few = x86_jump(b, C_BE);
	end = x86_jump(b, C_ALWAYS);
	x86_land(b, few, (u32)b->len);
	x86_push(b, RDX);
	x86_push(b, RDI);
	X86_BYTES(b, "\x6a\x00"); /* push 0 */
	again = (u32)b->len;
	x86_rm(b, X_LOAD, 8, RDI, at(RSP, 0));
	x86_rm(b, X_CMP, 8, RDI, at(RSP, 8)); /* memory with register: count - i */
	done = x86_jump(b, C_BE);
	x86_rm(b, X_LOAD, 8, RSI, at(RSP, 16));
	jit_call_subprogram(j, (u32)func.v);
	x86_mi(b, X_ADD, 8, at(RSP, 0), 1);
	x86_rr(b, X_TEST, 8, RAX, RAX);
	x86_land(b, x86_jump(b, C_E), again);
	x86_land(b, done, (u32)b->len);
	x86_rm(b, X_LOAD, 8, RAX, at(RSP, 0));
	x86_rm(b, X_LEA, 8, RSP, at(RSP, 24));
	x86_land(b, end, (u32)b->len);
	return 0;
}

/* ---- memory */

/* The word at the stack pointer, which is there. */
static int read_stack(struct jit *j)
{
	u32 size = (u32)jit_held(j, 2).v;

	if (!flow_reads_stack(&j->f->insns[j->pc], &j->flow[j->pc]))
		return jit_refuse(j, "it reads memory that may not be there");
	load_piece(j, RAX, RDX, 0, size);
	x86_rm(j->code, X_MOV, size, RAX, at(RDI, 0));
	x86_rr(j->code, X_XOR, 4, RAX, RAX);
	return 0;
}

/* ---- rows */

struct row {
	u32 helper;
	u32 changes;               /* registers, besides rax */
	int (*put)(struct jit *j); /* NULL: why_not */
	const char *why_not;
};

enum { TIME_CHANGES = 1 << RDX | 1 << X8 | 1 << X9 };

enum { SUBMIT_CHANGES = 1 << RCX | 1 << RDX | 1 << RDI | 1 << T0 | 1 << T1 };

static const struct row rows[] = {
	{ BPF_FUNC_map_lookup_elem, JIT_CALLER_SAVED, map_lookup, NULL },
	{ BPF_FUNC_map_update_elem, JIT_CALLER_SAVED, map_update, NULL },
	{ BPF_FUNC_map_delete_elem, JIT_CALLER_SAVED, map_delete, NULL },
	{ BPF_FUNC_get_smp_processor_id, 0, get_smp_processor_id, NULL },
	{ BPF_FUNC_get_current_pid_tgid, 1 << RCX, get_current_pid_tgid, NULL },
	{ BPF_FUNC_get_attach_cookie, 0, get_attach_cookie, NULL },
	{ BPF_FUNC_ktime_get_ns, TIME_CHANGES, ktime_get_ns, NULL },
	{ BPF_FUNC_ktime_get_boot_ns, TIME_CHANGES, ktime_get_boot_ns, NULL },
	{ BPF_FUNC_loop, JIT_CALLER_SAVED, loop, NULL },
	{ BPF_FUNC_ringbuf_reserve, 0, jit_reserve, NULL },
	{ BPF_FUNC_ringbuf_submit, SUBMIT_CHANGES, jit_submit, NULL },
	{ BPF_FUNC_ringbuf_discard, 0, jit_discard, NULL },
	{ BPF_FUNC_ringbuf_output, 0, NULL, "it sends records" },
	{ BPF_FUNC_probe_read_user, 0, read_stack, NULL },
	{ BPF_FUNC_probe_read_user_str, 0, NULL, "it reads memory that may not be there" },
	{ BPF_FUNC_get_current_comm, 0, NULL, "it reads comm" },
	{ BPF_FUNC_get_stack, 0, NULL, "it reads a stack" },
	{ BPF_FUNC_for_each_map_elem, 0, NULL, "it has a loop over a map" },
};

static const struct row *row_of(u32 helper)
{
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].helper == helper)
			return &rows[i];
	return NULL;
}

int jit_call(struct jit *j)
{
	const struct bpf_insn *i = &j->f->insns[j->pc];
	const struct row *row;

	if (i->src_reg == BPF_PSEUDO_CALL) {
		jit_call_subprogram(j, j->pc + 1 + (u32)i->imm);
		return 0;
	}
	if (i->src_reg)
		return jit_refuse(j, "it calls a function of the kernel");
	row = row_of((u32)i->imm);
	if (row && row->put)
		return row->put(j);
	if (row)
		return jit_refuse(j, "%s", row->why_not);
	return jit_refuse(j, "it calls the kernel's helper %d", i->imm);
}

u32 jit_call_changes(u32 helper)
{
	const struct row *row = row_of(helper);

	return 1u << RAX | (row ? row->changes : 0);
}
