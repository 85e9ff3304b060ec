/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that depend on their address are rewritten, all others are copied (Intel SDM volume
 * 2):
 *
 *	mov disp32(%rip), %eax	the same operand, from there
 *	jmp, jcc		with a distance of 32 bits to the same target
 *	call f			push the address after the original; jmp f
 *
 * A copied call pushes the original's return address, so that unwinders and the callee see no
 * difference; therefore it must be the last, or its callee would return into displaced bytes.
 */
#include "arch/insn.h"
#include "arch/insn_move.h"

enum { MOST_COPY = 20 + 15 }; /* bytes that one becomes: a push of an address, an indirect jump */

/* How control leaves an instruction. */
enum flow {
	FLOW_NEXT,
	FLOW_JUMP,
	FLOW_BRANCH,
	FLOW_CALL,
	FLOW_CALL_INDIRECT,
	FLOW_AWAY, /* ret, an indirect jump, a trap: never to the next instruction */
	FLOW_KERNEL,
	FLOW_SHORT, /* loop, jrcxz: their distance has 8 bits only */
};

static enum flow flow_of_ff(const struct x86_insn *in)
{
	static const u8 by_reg[] = { [2] = FLOW_CALL_INDIRECT,
				     [3] = FLOW_AWAY,
				     [4] = FLOW_AWAY,
				     [5] = FLOW_AWAY,
				     [7] = FLOW_AWAY };

	return by_reg[in->modrm >> 3 & 7];
}

static enum flow flow_of_one(const struct x86_insn *in)
{
	u8 op = in->op;

	if (op >= 0x70 && op <= 0x7f)
		return FLOW_BRANCH;
	if (op >= 0xe0 && op <= 0xe3)
		return FLOW_SHORT;
	switch (op) {
	case 0xe8: return FLOW_CALL;
	case 0xe9:
	case 0xeb: return FLOW_JUMP;
	case 0xcd: return FLOW_KERNEL; /* int */
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcc:
	case 0xcf:
	case 0xf1:
	case 0xf4: return FLOW_AWAY;
	case 0xc6:
	case 0xc7: return in->modrm == 0xf8 ? FLOW_SHORT : FLOW_NEXT; /* xabort, xbegin */
	case 0xff: return flow_of_ff(in);
	default: return FLOW_NEXT;
	}
}

static enum flow flow_of(const struct x86_insn *in)
{
	enum { SYSCALL = 0x05, SYSRET = 0x07, UD2 = 0x0b, SYSENTER = 0x34, SYSEXIT = 0x35 };
	u8 op = in->op;

	if (in->vector || in->map > 1)
		return FLOW_NEXT;
	if (!in->map)
		return flow_of_one(in);
	if (op >= 0x80 && op <= 0x8f)
		return FLOW_BRANCH;
	if (op == SYSCALL || op == SYSENTER)
		return FLOW_KERNEL;
	return op == SYSRET || op == UD2 || op == SYSEXIT ? FLOW_AWAY : FLOW_NEXT;
}

struct mover {
	const u8 *code; /* the instruction */
	const struct x86_insn *in;
	u64 from, to; /* its address, that of what is written next */
	struct x86_moved *out;
};

static void put(struct mover *m, const void *bytes, u32 n)
{
	memcpy(m->out->code + m->out->len, bytes, n);
	m->out->len += (u8)n;
	m->to += n;
}

/* A distance of 32 bits from the end of the instruction, `after` bytes after it. False: too far. */
static bool put_distance(struct mover *m, u64 target, u32 after)
{
	s64 distance = (s64)(target - (m->to + 4 + after));
	s32 low = (s32)distance;

	put(m, &low, sizeof low);
	return low == distance;
}

/* The instruction, with another value in the reg field of its ModRM if xor is not 0. */
static bool put_same(struct mover *m, u8 xor)
{
	const struct x86_insn *in = m->in;
	u32 modrm_at = in->disp_at ? in->disp_at - 1u : 0;
	u8 copy[15];

	memcpy(copy, m->code, in->len);
	for (u32 i = 0; xor &&!modrm_at; i++)
		if (copy[i] == in->op)
			modrm_at = i + 1;
	copy[modrm_at] ^= xor;
	if (!in->disp_at) {
		put(m, copy, in->len);
		return true;
	}
	put(m, copy, in->disp_at);
	if (!put_distance(m, m->from + in->len + (u64)(s64)in->disp, in->len - in->disp_at - 4u))
		return false;
	put(m, copy + in->disp_at + 4, in->len - in->disp_at - 4u);
	return true;
}

static bool put_jump(struct mover *m)
{
	put(m, "\xe9", 1);
	return put_distance(m, m->from + m->in->len + (u64)m->in->imm, 0);
}

static bool put_branch(struct mover *m)
{
	const u8 jcc[] = { 0x0f, (u8)(0x80 | (m->in->op & 15)) };

	put(m, jcc, sizeof jcc);
	return put_distance(m, m->from + m->in->len + (u64)m->in->imm, 0);
}

/* lea -8(%rsp), %rsp; movl $low, (%rsp); movl $high, 4(%rsp): flags stay. */
static void put_push(struct mover *m, u64 address)
{
	put(m, "\x48\x8d\x64\x24\xf8\xc7\x04\x24", 8);
	put(m, &address, 4);
	put(m, "\xc7\x44\x24\x04", 4);
	put(m, (const u8 *)&address + 4, 4);
}

static const char *move_call(struct mover *m, bool is_indirect)
{
	enum { CALL_TO_JMP = 0x30 }; /* the reg field of ModRM: /2 is call, /4 jmp */
	const struct x86_insn *in = m->in;
	bool ok;

	if (is_indirect && (in->base == X86_SP ||
			    (in->modrm >= 0xc0 && (in->modrm & 7) == X86_SP && !(in->rex & 1))))
		return "it begins with a call through the stack pointer";
	put_push(m, m->from + in->len);
	ok = is_indirect ? put_same(m, CALL_TO_JMP) : put_jump(m);
	return ok ? NULL : "its first instructions refer to an address that is too far away";
}

static const char *move_one(struct mover *m, enum flow flow, bool is_last)
{
	static const char far[] = "its first instructions refer to an address that is too far away";

	switch (flow) {
	case FLOW_NEXT: return put_same(m, 0) ? NULL : far;
	case FLOW_BRANCH: return put_branch(m) ? NULL : far;
	case FLOW_KERNEL: return "it begins with a system call";
	case FLOW_SHORT: return "it begins with a branch that reaches only 127 bytes";
	case FLOW_JUMP:
	case FLOW_AWAY:
		if (!is_last)
			return "it is too short for a jump of 5 bytes";
		return (flow == FLOW_JUMP ? put_jump(m) : put_same(m, 0)) ? NULL : far;
	case FLOW_CALL:
	case FLOW_CALL_INDIRECT:
		if (!is_last)
			return "a call would return into the bytes of a jump";
		return move_call(m, flow == FLOW_CALL_INDIRECT);
	}
	return NULL;
}

static void note_inner(struct x86_moved *out, u32 at)
{
	if (!at || at >= X86_JUMP_LEN)
		return;
	out->inner[out->n_inner] = (u8)at;
	out->copy[out->n_inner++] = out->len;
}

struct region {
	const u8 *code;
	u32 room;
	u64 from, to;
	bool (*may_leave)(
		u32 end); /* an instruction that ends there may be one that does not fall through */
};

/* The instruction at r->code + at; *len: of the original. */
static const char *move_next(const struct region *r, u32 at, struct x86_moved *out, u32 *len)
{
	struct x86_insn in;
	struct mover m = { r->code + at, &in, r->from + at, r->to + out->len, out };

	if (at >= r->room)
		return "it is too short for a jump of 5 bytes";
	if (!x86_decode(r->code + at, r->room - at, X86_64, &in))
		return "one of its first instructions is not known";
	if (out->len + (u32)MOST_COPY > sizeof out->code)
		return "its first instructions are too long";
	note_inner(out, at);
	*len = in.len;
	return move_one(&m, flow_of(&in), r->may_leave(at + in.len));
}

static bool ends_jump(u32 end)
{
	return end >= X86_JUMP_LEN;
}

static bool never(u32 end)
{
	return false;
}

const char *x86_move(const u8 *code, u32 room, u64 from, u64 to, struct x86_moved *out)
{
	const struct region r = { code, room, from, to, ends_jump };
	const char *why = NULL;
	u32 at = 0, len = 0;

	*out = (struct x86_moved){ 0 };
	for (; at < X86_JUMP_LEN && !why; at += len)
		why = move_next(&r, at, out, &len);
	out->displaced = why ? 0 : (u8)at;
	return why;
}

const char *x86_move_exit(const u8 *code, u32 len, u32 ret_len, u64 from, u64 to,
			  struct x86_moved *out)
{
	const struct region r = { code, len, from, to, never };
	const char *why = NULL;
	u32 at = 0, one = 0;

	*out = (struct x86_moved){ 0 };
	for (; at < len - ret_len && !why; at += one)
		why = move_next(&r, at, out, &one);
	note_inner(out, at);
	out->displaced = (u8)len;
	return why;
}

bool x86_is_endbr64(const u8 *code, u32 room)
{
	static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	return room >= sizeof endbr64 && !memcmp(code, endbr64, sizeof endbr64);
}
