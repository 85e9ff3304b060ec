/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers are stored below the frame of the site's function and loaded from there at the end. */
#include "jit/internal.h"
#include "type/loc.h"
#include "type/site.h"

enum { RED_ZONE = 128, MOST_DEPTH = 512 };

/* Registers of struct pt_regs (arch/x86/include/asm/ptrace.h), 8 bytes each. */
enum { NO_REG = 0xff, REGS_IP = 0xfe, REGS_WORDS = 21 };
enum { REGS_ORIG_AX = 15, REGS_CS = 17, REGS_SS = 20, USER_CS = 0x33, USER_DS = 0x2b };
static const u8 context_regs[] = { X15, X14, X13, X12, RBP, RBX,    X11,     X10,    X9,     X8,
				   RAX, RCX, RDX, RSI, RDI, NO_REG, REGS_IP, NO_REG, NO_REG, RSP };

static u8 context_reg(s64 off)
{
	return off >= 0 && off / 8 < (s64)ARRAY_SIZE(context_regs) ? context_regs[off / 8] : NO_REG;
}

/* ---- planning */

static u32 depth_of(const struct bpf_insn *i)
{
	u8 class = BPF_CLASS(i->code);
	s32 off = 0;

	if ((class == BPF_LDX && i->src_reg == 10) ||
	    ((class == BPF_ST || class == BPF_STX) && i->dst_reg == 10))
		off = i->off;
	else if (i->code == (BPF_ALU64 | BPF_ADD))
		off = i->imm;
	return off < 0 && off >= -MOST_DEPTH ? ALIGN_UP((u32)-off, 8u) : 0;
}

/* The word of a tracepoint's record, or NULL. */
static const struct loc *word_at(const struct jit *j, s64 off)
{
	u64 i = (u64)(off - RECORD_WORDS) / 8;

	if (j->site->context != JIT_WORDS || off < RECORD_WORDS || i >= j->site->n_words)
		return NULL;
	return &j->site->words[i];
}

static u32 context_needs(const struct jit *j)
{
	const struct bpf_insn *i = &j->f->insns[j->pc];
	const struct loc *word;
	u8 reg;
	s64 off;

	if (BPF_CLASS(i->code) != BPF_LDX || jit_held(j, i->src_reg).kind != HELD_CONTEXT)
		return 0;
	off = jit_held(j, i->src_reg).v + i->off;
	word = word_at(j, off);
	if (word && word->kind != LOC_REG && word->kind != LOC_STACK)
		return 0;
	reg = context_reg(word ? word->offset : off);
	return reg < X86_REGS ? 1u << reg : 0;
}

void jit_frame_need(struct jit *j)
{
	j->frame.depth = MAX(j->frame.depth, depth_of(&j->f->insns[j->pc]));
	j->frame.needed |= context_needs(j);
	j->frame.reads_time |= flow_reads_time(&j->f->insns[j->pc]);
	j->frame.record = MAX(j->frame.record, jit_record_need(j));
}

static u32 context_size(const struct jit *j)
{
	return j->site->context == JIT_WORDS ? RECORD_WORDS + 8 * j->site->n_words : 8 * REGS_WORDS;
}

void jit_frame_plan(struct jit *j)
{
	struct jit_frame *fr = &j->frame;
	bool in_memory = fr->is_main && j->in.context_in_memory;

	if (in_memory) {
		fr->used |= 1u << RDI | 1u << T1;
		fr->needed = ~0u;
	}
	fr->used &= ~(1u << RSP);
	/* A subprogram saves what its caller expects to keep; the first one all that it or they
	 * change. */
	if (fr->is_main && j->in.has_subprograms)
		fr->used |= JIT_CALLER_SAVED;
	fr->saved = fr->is_main ? fr->used & ~(j->site->free & ~fr->needed) :
				  fr->used & (1u << RBX | 1u << X13 | 1u << X14 | 1u << X15);
	if (fr->is_main && j->site->keeps_flags)
		fr->saved |= 1u << RAX;
	fr->size = fr->depth + 8 * (u32)__builtin_popcount(fr->saved);
	if (fr->is_main && j->site->keeps_flags) {
		fr->flags_at = fr->size;
		fr->size += 8;
	}
	if (fr->record) {
		fr->record_at = fr->size;
		fr->size += fr->record;
		fr->tick_at = fr->reads_time ? fr->size : 0;
		fr->size += fr->reads_time ? 8 : 0;
	}
	if (in_memory) {
		fr->context_at = fr->size;
		fr->size += context_size(j);
	}
	if (fr->is_main && j->site->is_in_frame)
		fr->size += RED_ZONE;
	j->deepest = MAX(j->deepest, fr->size);
}

static struct x86_mem saved_at(const struct jit_frame *fr, u32 reg)
{
	u32 before = (u32)__builtin_popcount(fr->saved & ((1u << reg) - 1));

	return at(RSP, (s32)(fr->depth + 8 * before));
}

static void move_saved(struct jit *j, u32 op)
{
	for (u32 reg = 0; reg < X86_REGS; reg++)
		if (j->frame.saved >> reg & 1)
			x86_rm(j->code, op, 8, (u8)reg, saved_at(&j->frame, reg));
}

/* Flags but one are loaded and stored by ah; overflow is in al, and set again by an addition. */
static void save_flags(struct jit *j)
{
	X86_BYTES(j->code, "\x9f\x0f\x90\xc0"); /* lahf; seto %al */
	x86_rm(j->code, X_MOV, 4, RAX, at(RSP, (s32)j->frame.flags_at));
}

static void load_flags(struct jit *j)
{
	x86_rm(j->code, X_LOAD, 4, RAX, at(RSP, (s32)j->frame.flags_at));
	X86_BYTES(j->code, "\x04\x7f\x9e"); /* add $127, %al; sahf */
}

/* cmpq $0, control(%rip); je end */
static void check_control(struct jit *j)
{
	s64 distance;

	if (!j->world->control)
		return;
	X86_BYTES(j->code, "\x48\x83\x3d");
	distance = (s64)(j->world->control - (j->address + (j->code->len - j->begin) + 5));
	buf_add(j->code, &distance, 4);
	X86_BYTES(j->code, "\x00");
	jit_goto(j, C_E, j->f->n_insns);
}

/* ---- the context */

static void load_unsigned(struct jit *j, u8 dst, struct x86_mem m, u32 size)
{
	static const u32 ops[] = { [1] = X_MOVZX_8, [2] = X_MOVZX_16, [4] = X_LOAD, [8] = X_LOAD };

	x86_rm(j->code, ops[size], size == 8 ? 8 : 4, dst, m);
}

/* Bytes first to first + size - 1 of a register that still has its value. */
static void take_part(struct jit *j, u8 dst, u8 reg, u32 first, u32 size)
{
	x86_rr(j->code, X_MOV, 8, reg, dst);
	if (first + size < 8)
		x86_shift(j->code, D_SHL, 8, dst, (u8)(8 * (8 - first - size)));
	if (size < 8)
		x86_shift(j->code, D_SHR, 8, dst, (u8)(8 * (8 - size)));
}

static void load_register(struct jit *j, u8 dst, u8 reg, u32 first, u32 size)
{
	struct x86_mem saved = saved_at(&j->frame, reg);

	if (j->frame.saved >> reg & 1) {
		saved.disp += (s32)first;
		load_unsigned(j, dst, saved, size);
		return;
	}
	take_part(j, dst, reg, first, size);
}

static void load_from(struct jit *j, u8 dst, const struct loc *word)
{
	u8 base = context_reg(word->offset);
	s32 disp = word->inner;

	if (base == RSP) {
		disp += (s32)j->frame.size;
	} else if (j->frame.saved >> base & 1) {
		x86_rm(j->code, X_LOAD, 8, T1, saved_at(&j->frame, base));
		base = T1;
	}
	load_unsigned(j, dst, at(base, disp), word->size);
}

static int refuse_word(struct jit *j)
{
	return jit_refuse(j, "an argument is where only the tracepoint itself can find it");
}

/* A record has arguments without their sign. */
static int load_word(struct jit *j, u8 dst, const struct loc *word, u32 first, u32 size)
{
	u8 reg = context_reg(word->offset);

	if (word->size != 1 && word->size != 2 && word->size != 4 && word->size != 8)
		return refuse_word(j);
	if (word->kind == LOC_CONST)
		x86_mov_imm(j->code, dst, (u64)word->value & ~0ull >> 8 * (8 - word->size));
	else if (word->kind == LOC_STACK && reg < X86_REGS)
		load_from(j, dst, word);
	else if (word->kind == LOC_REG && reg < X86_REGS && reg != RSP)
		load_register(j, dst, reg, word->offset & 7, word->size);
	else
		return refuse_word(j);
	if (first || size < 8)
		take_part(j, dst, dst, first, size);
	return 0;
}

int jit_context_load(struct jit *j, u32 dst, s64 off, u32 size)
{
	u8 to = jit_reg(dst), reg = context_reg(off), first = (u8)(off & 7);
	const struct loc *word = word_at(j, off);

	if (j->site->context == JIT_WORDS && word)
		return load_word(j, to, word, first, size);
	if (j->site->context == JIT_WORDS)
		return jit_refuse(j, "it reads what only a record has");
	if (reg == NO_REG || first + size > 8)
		return jit_refuse(j, "it reads a register that only the kernel knows");
	if (reg == REGS_IP) {
		x86_mov_imm(j->code, to, j->site->ip >> 8 * first & (~0ull >> 8 * (8 - size)));
	} else if (reg == RSP) {
		x86_rm(j->code, X_LEA, 8, T1, at(RSP, (s32)j->frame.size));
		take_part(j, to, T1, first, size);
	} else {
		load_register(j, to, reg, first, size);
	}
	return 0;
}

/* ---- the context in memory */

static void store_imm(struct jit *j, u32 word, s32 value)
{
	x86_rm(j->code, X_MOV_IMM, 8, 0, at(RSP, (s32)(j->frame.context_at + 8 * word)));
	buf_add(j->code, &value, sizeof value);
}

/* struct pt_regs as the kernel's probes have it, but for the flags. */
static int make_registers(struct jit *j)
{
	for (u32 i = 0; i < REGS_WORDS; i++) {
		u8 reg = context_reg(8 * i);

		if (reg == NO_REG) {
			store_imm(j, i,
				  i == REGS_ORIG_AX ? -1 :
				  i == REGS_CS      ? USER_CS :
				  i == REGS_SS      ? USER_DS :
						      0);
			continue;
		}
		if (reg == REGS_IP)
			x86_mov_imm(j->code, T1, j->site->ip);
		else if (reg == RSP)
			x86_rm(j->code, X_LEA, 8, T1, at(RSP, (s32)j->frame.size));
		else
			load_register(j, T1, reg, 0, 8);
		x86_rm(j->code, X_MOV, 8, T1, at(RSP, (s32)(j->frame.context_at + 8 * i)));
	}
	return 0;
}

static int make_words(struct jit *j)
{
	for (u32 i = 0; i < RECORD_WORDS / 8; i++)
		store_imm(j, i, 0);
	for (u32 i = 0; i < j->site->n_words; i++) {
		if (load_word(j, T1, &j->site->words[i], 0, 8) < 0)
			return j->err->code;
		x86_rm(j->code, X_MOV, 8, T1,
		       at(RSP, (s32)(j->frame.context_at + RECORD_WORDS + 8 * i)));
	}
	return 0;
}

static int make_context(struct jit *j)
{
	int ret = j->site->context == JIT_WORDS ? make_words(j) : make_registers(j);

	x86_rm(j->code, X_LEA, 8, RDI, at(RSP, (s32)j->frame.context_at));
	return ret;
}

/* ---- both ends */

int jit_frame_enter(struct jit *j)
{
	if (j->frame.size)
		x86_rm(j->code, X_LEA, 8, RSP, at(RSP, -(s32)j->frame.size));
	move_saved(j, X_MOV);
	if (j->frame.flags_at)
		save_flags(j);
	if (j->frame.is_main)
		check_control(j);
	return j->frame.context_at ? make_context(j) : 0;
}

void jit_frame_leave(struct jit *j)
{
	if (j->frame.flags_at)
		load_flags(j);
	move_saved(j, X_LOAD);
	if (j->frame.size)
		x86_rm(j->code, X_LEA, 8, RSP, at(RSP, (s32)j->frame.size));
	if (!j->frame.is_main)
		X86_BYTES(j->code, "\xc3"); /* ret */
}
