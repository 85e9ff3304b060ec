/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions as text, in the format of the kernel verifier's log (kernel/bpf/disasm.c).
 * Relocations give the names of maps and functions; a dump of a whole function shows the lines of
 * the script between its instructions.
 */
#include "target/bpf.h"
#include "ir/pass.h"
#include "target/target.h"

static const char *const alu_ops[16] = {
	[BPF_ADD >> 4] = "+=",  [BPF_SUB >> 4] = "-=",  [BPF_MUL >> 4] = "*=",
	[BPF_DIV >> 4] = "/=",  [BPF_OR >> 4] = "|=",   [BPF_AND >> 4] = "&=",
	[BPF_LSH >> 4] = "<<=", [BPF_RSH >> 4] = ">>=", [BPF_MOD >> 4] = "%=",
	[BPF_XOR >> 4] = "^=",  [BPF_MOV >> 4] = "=",   [BPF_ARSH >> 4] = "s>>=",
};

static const char *const jump_ops[16] = {
	[BPF_JEQ >> 4] = "==",   [BPF_JGT >> 4] = ">",    [BPF_JLT >> 4] = "<",
	[BPF_JGE >> 4] = ">=",   [BPF_JLE >> 4] = "<=",   [BPF_JSET >> 4] = "&",
	[BPF_JNE >> 4] = "!=",   [BPF_JSGT >> 4] = "s>",  [BPF_JSLT >> 4] = "s<",
	[BPF_JSGE >> 4] = "s>=", [BPF_JSLE >> 4] = "s<=",
};

static u32 access_bits(u8 code)
{
	switch (BPF_SIZE(code)) {
	case BPF_B: return 8;
	case BPF_H: return 16;
	case BPF_W: return 32;
	}
	return 64;
}

static char reg_letter(u8 code)
{
	return BPF_CLASS(code) == BPF_ALU || BPF_CLASS(code) == BPF_JMP32 ? 'w' : 'r';
}

/* ---- arithmetic */

static void put_swap(struct buf *b, const struct bpf_insn *in)
{
	const char *what = BPF_CLASS(in->code) == BPF_ALU64 ? "bswap" :
			   BPF_SRC(in->code) == BPF_TO_BE   ? "be" :
							      "le";

	buf_printf(b, "r%u = %s%d r%u", in->dst_reg, what, in->imm, in->dst_reg);
}

static void put_alu(struct buf *b, const struct bpf_insn *in)
{
	char r = reg_letter(in->code);
	const char *op = alu_ops[BPF_OP(in->code) >> 4];
	bool divides = BPF_OP(in->code) == BPF_DIV || BPF_OP(in->code) == BPF_MOD;

	if (BPF_OP(in->code) == BPF_END) {
		put_swap(b, in);
		return;
	}
	if (BPF_OP(in->code) == BPF_NEG) {
		buf_printf(b, "%c%u = -%c%u", r, in->dst_reg, r, in->dst_reg);
		return;
	}
	buf_printf(b, "%c%u %s%s ", r, in->dst_reg, divides && in->off ? "s" : "", op ? op : "?=");
	if (BPF_SRC(in->code) == BPF_K)
		buf_printf(b, "%d", in->imm);
	else if (BPF_OP(in->code) == BPF_MOV && in->off)
		buf_printf(b, "(s%d)%c%u", in->off, r, in->src_reg);
	else
		buf_printf(b, "%c%u", r, in->src_reg);
}

/* ---- memory */

static void put_place(struct buf *b, u8 code, bool is_signed, u32 reg, s16 off)
{
	buf_printf(b, "*(%c%u *)(r%u %+d)", is_signed ? 's' : 'u', access_bits(code), reg, off);
}

static void put_fetch(struct buf *b, const struct bpf_insn *in, const char *name)
{
	buf_printf(b, "r%u = atomic%s_%s((u%u *)(r%u %+d), r%u)", in->src_reg,
		   access_bits(in->code) == 64 ? "64" : "", name, access_bits(in->code),
		   in->dst_reg, in->off, in->src_reg);
}

static void put_atomic(struct buf *b, const struct bpf_insn *in)
{
	const char *op = alu_ops[(u32)in->imm >> 4 & 15];

	if (in->imm == BPF_CMPXCHG) {
		buf_printf(b, "r0 = atomic%s_cmpxchg((u%u *)(r%u %+d), r0, r%u)",
			   access_bits(in->code) == 64 ? "64" : "", access_bits(in->code),
			   in->dst_reg, in->off, in->src_reg);
	} else if (in->imm == BPF_XCHG) {
		put_fetch(b, in, "xchg");
	} else if (in->imm & BPF_FETCH) {
		put_fetch(b, in,
			  (in->imm & ~BPF_FETCH) == BPF_ADD ? "fetch_add" :
			  (in->imm & ~BPF_FETCH) == BPF_OR  ? "fetch_or" :
			  (in->imm & ~BPF_FETCH) == BPF_AND ? "fetch_and" :
							      "fetch_xor");
	} else {
		buf_puts(b, "lock ");
		put_place(b, in->code, false, in->dst_reg, in->off);
		buf_printf(b, " %s r%u", op ? op : "?=", in->src_reg);
	}
}

static void put_store(struct buf *b, const struct bpf_insn *in)
{
	if (BPF_CLASS(in->code) == BPF_STX && BPF_MODE(in->code) == BPF_ATOMIC) {
		put_atomic(b, in);
		return;
	}
	put_place(b, in->code, false, in->dst_reg, in->off);
	if (BPF_CLASS(in->code) == BPF_ST)
		buf_printf(b, " = %d", in->imm);
	else
		buf_printf(b, " = r%u", in->src_reg);
}

/* ---- references */

static const struct reloc *find_reloc(const struct bpf_func *f, u32 insn)
{
	u32 lo = 0, hi = f->n_relocs;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (f->relocs[mid].insn < insn)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < f->n_relocs && f->relocs[lo].insn == insn ? &f->relocs[lo] : NULL;
}

static void put_map(struct buf *b, const struct program *prog, const struct reloc *r)
{
	if (prog && r->index < prog->maps.n && prog->maps.v[r->index].name)
		buf_printf(b, "map[%s]", prog->maps.v[r->index].name);
	else
		buf_printf(b, "map[%u]", r->index);
}

static const char *func_name(const struct bpf_func *f, u32 index)
{
	return index < f->n_subprogs && f->subprogs[index].name ? f->subprogs[index].name : "?";
}

static void put_imm64(struct buf *b, const struct program *prog, const struct bpf_func *f, u32 at)
{
	const struct bpf_insn *in = &f->insns[at];
	const struct reloc *r = find_reloc(f, at);
	u64 imm = (u32)in->imm | (at + 1 < f->n_insns ? (u64)(u32)in[1].imm << 32 : 0);

	buf_printf(b, "r%u = ", in->dst_reg);
	if (r && r->kind == RELOC_FUNC) {
		buf_printf(b, "func[%s]", func_name(f, r->index));
	} else if (r) {
		put_map(b, prog, r);
		if (r->kind == RELOC_MAP_VALUE)
			buf_printf(b, "[0]+%u", r->add);
	} else {
		buf_printf(b, "0x%llx", (unsigned long long)imm);
	}
	buf_puts(b, " ll");
}

static void put_call(struct buf *b, const struct program *prog, const struct bpf_func *f, u32 at)
{
	const struct bpf_insn *in = &f->insns[at];
	const struct reloc *r = find_reloc(f, at);

	if (in->src_reg == BPF_PSEUDO_CALL)
		buf_printf(b, "call pc%+d ; %s", in->imm, r ? func_name(f, r->index) : "?");
	else if (in->src_reg == BPF_PSEUDO_KFUNC_CALL)
		buf_printf(b, "call %s",
			   r && prog && r->index < prog->kfuncs.n ? prog->kfuncs.v[r->index] :
								    "kernel-function");
	else
		buf_printf(b, "call bpf_%s#%d", ir_helper_name((u32)in->imm), in->imm);
}

static void put_jump(struct buf *b, const struct program *prog, const struct bpf_func *f, u32 at)
{
	const struct bpf_insn *in = &f->insns[at];
	const char *op = jump_ops[BPF_OP(in->code) >> 4];
	char r = reg_letter(in->code);

	switch (BPF_OP(in->code)) {
	case BPF_CALL: put_call(b, prog, f, at); return;
	case BPF_EXIT: buf_puts(b, "exit"); return;
	case BPF_JA:
		if (BPF_CLASS(in->code) == BPF_JMP32)
			buf_printf(b, "gotol pc%+d", in->imm);
		else
			buf_printf(b, "goto pc%+d", in->off);
		return;
	}
	buf_printf(b, "if %c%u %s ", r, in->dst_reg, op ? op : "?");
	if (BPF_SRC(in->code) == BPF_K)
		buf_printf(b, "0x%x", (u32)in->imm);
	else
		buf_printf(b, "%c%u", r, in->src_reg);
	buf_printf(b, " goto pc%+d", in->off);
}

u32 target_disasm(struct buf *b, const struct program *prog, const struct bpf_func *f, u32 insn)
{
	const struct bpf_insn *in = &f->insns[insn];

	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64: put_alu(b, in); return 1;
	case BPF_LDX:
		buf_printf(b, "r%u = ", in->dst_reg);
		put_place(b, in->code, BPF_MODE(in->code) == BPF_MEMSX, in->src_reg, in->off);
		return 1;
	case BPF_ST:
	case BPF_STX: put_store(b, in); return 1;
	case BPF_JMP:
	case BPF_JMP32: put_jump(b, prog, f, insn); return 1;
	}
	if (in->code == OP_LD_IMM64) {
		put_imm64(b, prog, f, insn);
		return 2;
	}
	buf_printf(b, "unknown 0x%02x", in->code);
	return 1;
}

/* ---- whole functions */

struct dump {
	struct buf *b;
	const struct program *prog;
	const struct source *file; /* of the line shown last */
	u32 line;
};

static void put_source(struct dump *d, struct span span)
{
	struct position at = { 0 };
	const char *text;
	u32 len;

	if (d->prog && d->prog->sources && span.off)
		at = sources_find(d->prog->sources, span);
	if (!at.file || (at.file == d->file && at.line == d->line))
		return;
	d->file = at.file;
	d->line = at.line;
	text = source_line((struct source *)(uintptr_t)at.file, at.line, &len);
	while (len && (*text == ' ' || *text == '\t')) {
		text++;
		len--;
	}
	buf_printf(d->b, "; %s:%u: %.*s\n", at.file->name, at.line, (int)len, text);
}

static void put_subprog(struct dump *d, const struct bpf_func *f, u32 insn)
{
	for (u32 i = 1; i < f->n_subprogs; i++)
		if (f->subprogs[i].insn == insn) {
			buf_printf(d->b, "%s%s:\n", func_name(f, i),
				   f->subprogs[i].callback ? " (callback)" :
				   f->subprogs[i].shared   ? " (shared)" :
							     "");
			d->line = 0;
		}
}

void target_dump(struct buf *b, const struct program *prog, const struct bpf_func *f)
{
	struct dump d = { .b = b, .prog = prog };

	buf_printf(b, "%s: %u instructions, %u bytes of stack\n", f->name ? f->name : "program",
		   f->n_insns, f->stack_size);
	for (u32 i = 0; i < f->n_insns;) {
		put_subprog(&d, f, i);
		if (f->spans)
			put_source(&d, f->spans[i]);
		buf_printf(b, "%4u: ", i);
		i += target_disasm(b, prog, f, i);
		buf_putc(b, '\n');
	}
}
