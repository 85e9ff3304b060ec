/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame instructions -> rows. In: the entries of .eh_frame (elf_frame.c). Out: a table of
 * rules, in which each distinct rule is kept once: the C library has some 9000 rows and 150 rules.
 *
 * The instructions of an entry are executed over a state of three registers. Expressions are
 * recognized by their shape:
 *
 *	breg N                       a register plus N
 *	breg N; deref [; plus M]     a stack pointer that was saved: signals, functions that align the stack
 *	breg sp 8; breg pc 0; lit15; and; lit M; ge; lit3; shl; plus        the linker's stubs (.plt);
 *	breg sp 4; ...                                   lit2; shl; plus        of 32-bit files
 */
#include <stdlib.h>
#include "object/bytes.h"
#include "object/cfi.h"
#include "object/cfi_vdso.h"
#include "object/elf_file.h"

enum { /* DWARF 5, 7.24 */
       OP_ADVANCE = 0x40,
       OP_OFFSET = 0x80,
       OP_RESTORE = 0xc0,
       OP_HIGH = 0xc0, /* mask of those three */
       OP_NOP = 0,
       OP_SET_LOC = 1,
       OP_ADVANCE1 = 2,
       OP_ADVANCE2 = 3,
       OP_ADVANCE4 = 4,
       OP_OFFSET_EXTENDED = 5,
       OP_RESTORE_EXTENDED = 6,
       OP_UNDEFINED = 7,
       OP_SAME_VALUE = 8,
       OP_REGISTER = 9,
       OP_REMEMBER = 10,
       OP_RESTORE_STATE = 11,
       OP_DEF_CFA = 12,
       OP_DEF_CFA_REGISTER = 13,
       OP_DEF_CFA_OFFSET = 14,
       OP_DEF_CFA_EXPRESSION = 15,
       OP_EXPRESSION = 16,
       OP_OFFSET_EXTENDED_SF = 17,
       OP_DEF_CFA_SF = 18,
       OP_DEF_CFA_OFFSET_SF = 19,
       OP_VAL_OFFSET = 20,
       OP_VAL_OFFSET_SF = 21,
       OP_VAL_EXPRESSION = 22,
       OP_AARCH64_NEGATE_RA_STATE =
	       0x2d, /* the return address is signed from here on, or no longer signed */
       OP_GNU_ARGS_SIZE = 0x2e,
};

enum { DW_OP_DEREF = 0x06, DW_OP_PLUS_UCONST = 0x23, DW_OP_LIT0 = 0x30, DW_OP_BREG0 = 0x70 };

enum { MAX_REMEMBERED = 16 };
/* DWARF numbers: System V ABI, x86-64, 3.6.2, and Intel386; DWARF for the Arm 64-bit
 * Architecture */
enum {
	X86_RBX = 3,
	X86_RDI = 5,
	X86_FP = 6,
	X86_SP = 7,
	I386_FP = 5,
	I386_SP = 4,
	ARM64_FP = 29,
	ARM64_SP = 31
};

/* The DWARF numbers of the three registers. */
struct numbers {
	u32 fp, sp, ra;
};

struct saved {
	u8 kind; /* enum cfi_saved */
	s32 offset;
};

struct state {
	u8 cfa_kind;
	u32 cfa_reg; /* CFI_SP and CFI_FP are distinguished at the end */
	/* offset of the last rule that was a register plus an offset: a later rule may change only
	 * one of them */
	s64 cfa;
	s64 deref; /* of CFI_SP_DEREF, and of a register and an offset given as an expression */
	s32 add;
	struct saved fp, ra;
};

struct machine {
	struct numbers number;
	const struct elf_fde *fde;
	struct bytes in;
	u64 pc;
	struct state now, initial, remembered[MAX_REMEMBERED];
	u32 n_remembered;
	struct builder *to;        /* NULL: no rows are made */
	struct saved_from *search; /* NULL: none */
	bool at_entry;             /* the first row is enough */
};

/* Where a function saves a register, from an address in it on. */
struct saved_from {
	u64 address;
	s32 offset; /* from the CFA; 0: it does not save it, or in several places */
};

struct span {
	u64 from, to;
};

struct builder {
	struct cfi_table *table;
	u32 room, rules_room;
	u32 *slots; /* hash of rules: index + 1 */
	u32 n_slots;
	struct elf_fde *fdes;
	struct elf_go_function *go; /* by address */
	u32 n_fdes, fdes_room, n_go, go_room;
	struct numbers number;
	const struct elf *elf;
	/* what has no rule in the end; of functions that add_calls() found */
	struct span blank[16];
	u32 n_blank;
};

/* ---- the table */

static u32 hash_rule(const struct cfi_rule *r)
{
	u64 h = (u64)r->cfa_kind | (u64)r->fp_kind << 8 | (u64)r->ra_kind << 16 |
		(u64)r->is_signal << 24 | (u64)(u32)r->cfa << 32;

	h = (h ^ (u32)r->add) * 0x9e3779b97f4a7c15ull;
	h = (h ^ h >> 29 ^ (u32)r->fp ^ (u64)(u32)r->ra << 32) * 0x9e3779b97f4a7c15ull;
	return (u32)(h >> 32);
}

static bool rule_equal(const struct cfi_rule *a, const struct cfi_rule *b)
{
	return a->cfa_kind == b->cfa_kind && a->fp_kind == b->fp_kind && a->ra_kind == b->ra_kind &&
	       a->is_signal == b->is_signal && a->cfa == b->cfa && a->add == b->add &&
	       a->fp == b->fp && a->ra == b->ra;
}

static u32 *slot_of(struct builder *b, const struct cfi_rule *r)
{
	u32 i = hash_rule(r) & (b->n_slots - 1);

	while (b->slots[i] && !rule_equal(&b->table->rules[b->slots[i] - 1], r))
		i = (i + 1) & (b->n_slots - 1);
	return &b->slots[i];
}

static void grow_rules(struct builder *b)
{
	struct cfi_table *t = b->table;

	b->rules_room = b->rules_room ? b->rules_room * 2 : 64;
	t->rules = xrealloc(t->rules, b->rules_room * sizeof *t->rules);
	free(b->slots);
	b->n_slots = b->rules_room * 2;
	b->slots = xcalloc(b->n_slots, sizeof *b->slots);
	for (u32 i = 0; i < t->n_rules; i++)
		*slot_of(b, &t->rules[i]) = i + 1;
}

static u32 rule_number(struct builder *b, const struct cfi_rule *r)
{
	u32 *slot;

	if (b->table->n_rules == b->rules_room)
		grow_rules(b);
	slot = slot_of(b, r);
	if (!*slot) {
		b->table->rules[b->table->n_rules++] = *r;
		*slot = b->table->n_rules;
	}
	return *slot - 1;
}

static void add_row(struct builder *b, u64 address, u32 rule)
{
	struct cfi_table *t = b->table;

	if (t->n_rows && t->rows[t->n_rows - 1].address == address)
		t->n_rows--;
	if (t->n_rows && t->rows[t->n_rows - 1].rule == rule)
		return;
	if (t->n_rows == b->room) {
		b->room = b->room ? b->room * 2 : 1024;
		t->rows = xrealloc(t->rows, b->room * sizeof *t->rows);
	}
	t->rows[t->n_rows++] = (struct cfi_row){ .address = address, .rule = rule };
}

/* ---- expressions */

/* The next block; m moves past it. */
static struct machine block(struct machine *m)
{
	struct machine e = { .number = m->number };
	u64 len = bytes_uleb(&m->in);

	if (m->in.bad || len > (u64)(m->in.end - m->in.at)) {
		m->in.bad = true;
		return e;
	}
	e.in.at = m->in.at;
	e.in.end = m->in.at += len;
	return e;
}

/* breg N. False: it begins differently. */
static bool register_plus(struct machine *e, u32 *reg, s64 *offset)
{
	*reg = (u32)bytes_take(&e->in, 1) - DW_OP_BREG0;
	*offset = bytes_sleb(&e->in);
	return !e->in.bad && *reg < 32;
}

static bool is_plt(struct machine e, s32 *threshold)
{
	static const struct {
		u8 sp, before[6], after[4];
	} form[] = {
		{ X86_SP, { 0x77, 8, 0x80, 0, 0x3f, 0x1a }, { 0x2a, 0x33, 0x24, 0x22 } },
		{ I386_SP, { 0x74, 4, 0x78, 0, 0x3f, 0x1a }, { 0x2a, 0x32, 0x24, 0x22 } },
	};
	u32 i = e.number.sp == form[1].sp, n = sizeof form[i].before;

	if (e.number.sp != form[i].sp ||
	    (u64)(e.in.end - e.in.at) != n + 1 + sizeof form[i].after ||
	    memcmp(e.in.at, form[i].before, n) != 0 ||
	    memcmp(e.in.at + n + 1, form[i].after, sizeof form[i].after) != 0)
		return false;
	*threshold = e.in.at[n] - DW_OP_LIT0;
	return *threshold >= 0 && *threshold < 32;
}

static void cfa_expression(struct machine *m)
{
	struct machine e = block(m);
	struct state *s = &m->now;
	u32 reg;

	s->cfa_kind = CFI_NONE;
	s->add = 0;
	if (m->in.bad)
		return;
	if (is_plt(e, &s->add)) {
		s->cfa_kind = CFI_PLT;
		s->deref = 0;
		return;
	}
	if (!register_plus(&e, &reg, &s->deref) || (reg != m->number.sp && reg != m->number.fp))
		return;
	s->cfa_reg = reg;
	if (e.in.at == e.in.end) {
		s->cfa_kind = CFI_SP;
		return;
	}
	if (bytes_take(&e.in, 1) != DW_OP_DEREF)
		return;
	if (e.in.at < e.in.end) {
		u64 more = bytes_take(&e.in, 1) == DW_OP_PLUS_UCONST ? bytes_uleb(&e.in) : 1u << 31;

		if (e.in.bad || e.in.at < e.in.end || more > INT32_MAX)
			return;
		s->add = (s32)more;
	}
	s->cfa_kind = CFI_SP_DEREF;
}

/* ---- registers */

static struct saved *register_of(struct machine *m, struct state *s, u64 reg)
{
	return reg == m->number.fp ? &s->fp : reg == m->number.ra ? &s->ra : NULL;
}

static void set(struct machine *m, u64 reg, enum cfi_saved kind, s64 offset)
{
	struct saved *r = register_of(m, &m->now, reg);

	if (offset != (s32)offset) {
		m->in.bad = true;
	}
	if (r)
		*r = (struct saved){ .kind = (u8)kind, .offset = (s32)offset };
}

static void restore(struct machine *m, u64 reg)
{
	struct saved *r = register_of(m, &m->now, reg);

	if (r)
		*r = *register_of(m, &m->initial, reg);
}

static void saved_expression(struct machine *m)
{
	u64 reg = bytes_uleb(&m->in);
	struct machine e = block(m);
	s64 offset;
	u32 base;

	if (m->in.bad)
		return;
	if (!register_plus(&e, &base, &offset) || e.in.at < e.in.end)
		set(m, reg, CFI_OTHER, 0);
	else if (base == m->number.sp)
		set(m, reg, CFI_AT_SP, offset);
	else if (base == m->number.fp)
		set(m, reg, CFI_AT_FP, offset);
	else
		set(m, reg, CFI_OTHER, 0);
}

static void def_cfa(struct machine *m, u64 reg, s64 offset)
{
	bool known = reg == m->number.sp || reg == m->number.fp;

	m->now.cfa_kind = known && offset == (s32)offset ? CFI_SP : CFI_NONE;
	m->now.cfa_reg = (u32)reg;
	m->now.cfa = m->now.deref = offset;
	m->now.add = 0;
}

/* ---- a CFA relative to rbx
 *
 * The dynamic linker's _dl_runtime_resolve() aligns the stack to store vector registers, and keeps
 * its CFA in rbx (glibc, sysdeps/x86_64/dl-trampoline.h). No table follows rbx, but the function
 * that it calls saves it, so at the return address of the call it is below sp, which is the
 * callee's CFA. This holds once the callee has saved it: its rows before that are removed (blank),
 * so that no walk comes from there.
 */

static int by_start(const void *a, const void *b);

static const struct elf_fde *function_at(const struct builder *b, u64 start)
{
	const struct elf_fde key = { .start = start };

	return b->n_fdes ? bsearch(&key, b->fdes, b->n_fdes, sizeof key, by_start) : NULL;
}

static void run(struct machine *m, const struct elf_fde *fde, struct builder *to);

static struct saved_from saves_rbx(const struct elf_fde *fde)
{
	struct saved_from found = { 0 };
	struct machine m = { .number = { .fp = X86_RBX, .sp = X86_SP, .ra = fde->return_reg },
			     .search = &found };

	run(&m, fde, NULL);
	if (m.in.bad)
		found.offset = 0;
	return found;
}

/* False: there are too many. */
static bool add_blank(struct builder *b, u64 from, u64 to)
{
	for (u32 i = 0; i < b->n_blank; i++)
		if (b->blank[i].from == from)
			return true;
	if (b->n_blank == ARRAY_SIZE(b->blank))
		return false;
	b->blank[b->n_blank++] = (struct span){ from, to };
	return true;
}

static void blank(const struct builder *b)
{
	for (u32 i = 0; i < b->n_blank; i++)
		for (u32 k = 0; k < b->table->n_rows; k++)
			if (b->table->rows[k].address - b->blank[i].from <
			    b->blank[i].to - b->blank[i].from)
				b->table->rows[k].rule = 0;
}

enum { CALL = 0xe8, CALL_SIZE = 5 };

/* The function that the call instruction at an address calls, or NULL. */
static const struct elf_fde *callee_of(const struct builder *b, const u8 *insn, u64 address)
{
	s32 distance;

	if (insn[0] != CALL)
		return NULL;
	memcpy(&distance, insn + 1, sizeof distance);
	return function_at(b, address + CALL_SIZE + (u64)(s64)distance);
}

/* Adds the rules of the return addresses of calls between m->pc and `end`. */
static void add_calls(struct machine *m, u64 end)
{
	enum { MOST = 4096 };
	struct builder *b = m->to;
	const struct state *s = &m->now;
	size_t len;
	const u8 *bytes = elf_bytes(b->elf, &len);
	u64 at, n = end - m->pc;

	if (!elf_address_to_offset(b->elf, m->pc, &at) || at > len || n > MIN(len - at, (u64)MOST))
		return;
	for (u64 i = 0; i + CALL_SIZE <= n; i++) {
		const struct elf_fde *callee = callee_of(b, bytes + at + i, m->pc + i);
		struct saved_from rbx = callee ? saves_rbx(callee) : (struct saved_from){ 0 };
		struct cfi_rule r = { .cfa_kind = CFI_SP_DEREF,
				      .cfa = rbx.offset,
				      .add = (s32)s->cfa,
				      .fp_kind = s->fp.kind,
				      .fp = s->fp.offset,
				      .ra_kind = s->ra.kind,
				      .ra = s->ra.offset };

		if (rbx.offset >= 0 || !add_blank(b, callee->start, rbx.address))
			continue;
		/* not the call itself, where the function is the innermost frame */
		add_row(b, m->pc + i + 1, rule_number(b, &r));
		add_row(b, m->pc + i + CALL_SIZE, 0 /* CFI_NONE */);
	}
}

/* ---- rows */

static void note_saved(struct machine *m)
{
	struct saved_from *f = m->search;
	const struct saved *r = &m->now.fp; /* the number of fp is that of the register */

	if (!f->address && r->kind == CFI_AT_CFA)
		*f = (struct saved_from){ m->pc, r->offset };
	else if (f->address && (r->kind != CFI_AT_CFA || r->offset != f->offset))
		f->offset = 0;
}

/* The row from the current address to `end`. */
static void emit(struct machine *m, u64 end)
{
	const struct state *s = &m->now;
	struct cfi_rule r = { 0 };

	if (m->search)
		note_saved(m);
	if (!m->to)
		return;
	if (s->ra.kind == CFI_NOWHERE || (s->cfa_kind != CFI_NONE && s->ra.kind != CFI_OTHER)) {
		bool is_fp = s->cfa_reg == m->number.fp;

		r = (struct cfi_rule){ .cfa_kind = s->cfa_kind,
				       .fp_kind = s->fp.kind,
				       .ra_kind = s->ra.kind,
				       .is_signal = m->fde->is_signal,
				       .cfa = (s32)s->deref,
				       .add = s->add,
				       .fp = s->fp.offset,
				       .ra = s->ra.offset };
		if (s->cfa_kind == CFI_SP && is_fp)
			r.cfa_kind = CFI_FP;
		else if (s->cfa_kind == CFI_SP_DEREF && is_fp)
			r.cfa_kind = CFI_FP_DEREF;
		if (r.is_signal && m->number.sp == ARM64_SP)
			r = cfi_arm64_signal;
	}
	add_row(m->to, m->pc, rule_number(m->to, &r));
	if (m->number.sp == X86_SP && s->cfa_reg == X86_RBX && s->ra.kind == CFI_AT_CFA)
		add_calls(m, end);
}

static void advance(struct machine *m, u64 units)
{
	u64 next = m->pc + units * m->fde->code_align;

	if (m->at_entry) {
		m->in.at = m->in.end;
		return;
	}
	emit(m, next);
	m->pc = next;
	if (m->pc - m->fde->start >= m->fde->size)
		m->in.at = m->in.end; /* what follows belongs to no function */
}

static void remember(struct machine *m, bool back)
{
	if (!back && m->n_remembered < MAX_REMEMBERED)
		m->remembered[m->n_remembered++] = m->now;
	else if (back && m->n_remembered)
		m->now = m->remembered[--m->n_remembered];
	else
		m->in.bad = true;
}

/* A register whose value is in another one meanwhile. */
static enum cfi_saved kept_in(const struct machine *m, u64 reg, u64 other)
{
	return m->number.sp == X86_SP && reg == m->number.ra && other == X86_RDI ? CFI_IN_RDI :
										   CFI_OTHER;
}

static void extended(struct machine *m, u8 op)
{
	s64 align = m->fde->data_align;
	u64 reg;

	switch (op) {
	case OP_NOP: break;
	case OP_ADVANCE1: advance(m, bytes_take(&m->in, 1)); break;
	case OP_ADVANCE2: advance(m, bytes_take(&m->in, 2)); break;
	case OP_ADVANCE4: advance(m, bytes_take(&m->in, 4)); break;
	case OP_OFFSET_EXTENDED:
		reg = bytes_uleb(&m->in);
		set(m, reg, CFI_AT_CFA, (s64)bytes_uleb(&m->in) * align);
		break;
	case OP_OFFSET_EXTENDED_SF:
		reg = bytes_uleb(&m->in);
		set(m, reg, CFI_AT_CFA, bytes_sleb(&m->in) * align);
		break;
	case OP_RESTORE_EXTENDED: restore(m, bytes_uleb(&m->in)); break;
	case OP_UNDEFINED: set(m, bytes_uleb(&m->in), CFI_NOWHERE, 0); break;
	case OP_SAME_VALUE: set(m, bytes_uleb(&m->in), CFI_SAME, 0); break;
	case OP_REGISTER:
		reg = bytes_uleb(&m->in);
		set(m, reg, kept_in(m, reg, bytes_uleb(&m->in)), 0);
		break;
	case OP_REMEMBER: remember(m, false); break;
	case OP_RESTORE_STATE: remember(m, true); break;
	case OP_DEF_CFA:
		reg = bytes_uleb(&m->in);
		def_cfa(m, reg, (s64)bytes_uleb(&m->in));
		break;
	case OP_DEF_CFA_SF:
		reg = bytes_uleb(&m->in);
		def_cfa(m, reg, bytes_sleb(&m->in) * align);
		break;
	case OP_DEF_CFA_REGISTER: def_cfa(m, bytes_uleb(&m->in), m->now.cfa); break;
	case OP_DEF_CFA_OFFSET: def_cfa(m, m->now.cfa_reg, (s64)bytes_uleb(&m->in)); break;
	case OP_DEF_CFA_OFFSET_SF: def_cfa(m, m->now.cfa_reg, bytes_sleb(&m->in) * align); break;
	case OP_DEF_CFA_EXPRESSION: cfa_expression(m); break;
	case OP_EXPRESSION: saved_expression(m); break;
	case OP_VAL_OFFSET:
		reg = bytes_uleb(&m->in);
		bytes_uleb(&m->in);
		set(m, reg, CFI_OTHER, 0);
		break;
	case OP_VAL_OFFSET_SF:
		reg = bytes_uleb(&m->in);
		bytes_sleb(&m->in);
		set(m, reg, CFI_OTHER, 0);
		break;
	case OP_VAL_EXPRESSION:
		reg = bytes_uleb(&m->in);
		block(m);
		set(m, reg, CFI_OTHER, 0);
		break;
	case OP_AARCH64_NEGATE_RA_STATE:
		break; /* readers of return addresses always strip signatures */
	case OP_GNU_ARGS_SIZE: bytes_uleb(&m->in); break;
	default: m->in.bad = true; /* among them OP_SET_LOC, which no compiler is known to use */
	}
}

static void execute(struct machine *m, const u8 *insns, u32 len)
{
	m->in.at = insns;
	m->in.end = insns + len;
	while (m->in.at < m->in.end && !m->in.bad) {
		u8 op = (u8)bytes_take(&m->in, 1), low = op & ~OP_HIGH & 0xff;

		switch (op & OP_HIGH) {
		case OP_ADVANCE: advance(m, low); break;
		case OP_OFFSET:
			set(m, low, CFI_AT_CFA, (s64)bytes_uleb(&m->in) * m->fde->data_align);
			break;
		case OP_RESTORE: restore(m, low); break;
		default: extended(m, op);
		}
	}
}

/* The rows of a function. */
static void run(struct machine *m, const struct elf_fde *fde, struct builder *to)
{
	m->fde = fde;
	m->pc = fde->start;
	execute(m, fde->initial, fde->n_initial);
	m->initial = m->now;
	m->to = to;
	if (!m->in.bad)
		execute(m, fde->insns, fde->n_insns);
	if (m->in.bad)
		m->now = (struct state){ 0 };
	if (m->pc - fde->start < fde->size)
		emit(m, fde->start + fde->size);
}

static void add_function(struct builder *b, const struct elf_fde *fde)
{
	struct machine m = { .number = b->number };

	m.number.ra = fde->return_reg;
	run(&m, fde, b);
	add_row(b, fde->start + fde->size, 0 /* CFI_NONE */);
}

static void keep(void *ctx, const struct elf_fde *fde)
{
	struct builder *b = ctx;

	if (fde->start + fde->size < fde->start)
		return;
	if (b->n_fdes == b->fdes_room) {
		b->fdes_room = b->fdes_room ? b->fdes_room * 2 : 256;
		b->fdes = xrealloc(b->fdes, b->fdes_room * sizeof *b->fdes);
	}
	b->fdes[b->n_fdes++] = *fde;
}

/* ---- Go */

static const struct cfi_rule go_first = { .cfa_kind = CFI_SP, .ra_kind = CFI_NOWHERE },
			     go_switch = { .cfa_kind = CFI_SP, .ra_kind = CFI_OTHER },
			     /* the kernel's frame (struct rt_sigframe), as glibc's call frame
			      * information describes it */
	go_signal = { .cfa_kind = CFI_SP_DEREF,
		      .cfa = 160,
		      .fp_kind = CFI_AT_SP,
		      .fp = 120,
		      .ra_kind = CFI_AT_SP,
		      .ra = 168,
		      .is_signal = true };

/* pushed: bytes pushed since the entry. */
static struct cfi_rule go_rule(const struct elf_go_function *f, s64 pushed)
{
	enum { WORD = 8, MAX_PUSHED = 1 << 30 };
	struct cfi_rule r = {
		.cfa_kind = CFI_SP, .cfa = (s32)(pushed + WORD), .ra_kind = CFI_AT_CFA, .ra = -WORD
	};

	if (pushed < 0 || pushed > MAX_PUSHED)
		return (struct cfi_rule){ 0 };
	if (pushed && f->kind == ELF_GO_COMPILED) {
		r.fp_kind = CFI_AT_CFA;
		r.fp = -2 * WORD;
	} else if (pushed) {
		r.fp_kind = CFI_OTHER;
	}
	return r;
}

static void add_go_rows(struct builder *b, const struct elf_go_function *f)
{
	struct bytes in = { .at = f->deltas, .end = f->deltas_end };
	s64 pushed = -1;
	u64 at = f->start;

	while (f->deltas && at < f->end) {
		u64 delta = bytes_uleb(&in), size = bytes_uleb(&in);
		struct cfi_rule r;

		if (in.bad || (!delta && at != f->start) || size > f->end - at)
			break;
		pushed += (s32)(delta >> 1 ^ -(delta & 1));
		r = go_rule(f, pushed);
		add_row(b, at, rule_number(b, &r));
		at += size;
	}
	if (at < f->end)
		add_row(b, at, 0 /* CFI_NONE */);
}

static void add_go_function(struct builder *b, const struct elf_go_function *f)
{
	switch (f->kind) {
	case ELF_GO_FIRST: add_row(b, f->start, rule_number(b, &go_first)); break;
	case ELF_GO_SWITCH: add_row(b, f->start, rule_number(b, &go_switch)); break;
	case ELF_GO_SIGNAL: /* callers are looked up one byte before */
		add_row(b, f->start - 1, rule_number(b, &go_signal));
		break;
	case ELF_GO_COMPILED:
	case ELF_GO_ASSEMBLY: add_go_rows(b, f); break;
	}
	add_row(b, f->end, 0 /* CFI_NONE */);
}

static void keep_go(void *ctx, const struct elf_go_function *f)
{
	struct builder *b = ctx;

	if (b->n_go && f->start < b->go[b->n_go - 1].end)
		return;
	if (b->n_go == b->go_room) {
		b->go_room = b->go_room ? b->go_room * 2 : 256;
		b->go = xrealloc(b->go, b->go_room * sizeof *b->go);
	}
	b->go[b->n_go++] = *f;
}

/* ---- all */

static int by_start(const void *a, const void *b)
{
	const struct elf_fde *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Linkers write the entries nearly in order. */
static void sort(struct builder *b)
{
	for (u32 i = 1; i < b->n_fdes; i++)
		if (b->fdes[i].start < b->fdes[i - 1].start) {
			qsort(b->fdes, b->n_fdes, sizeof *b->fdes, by_start);
			return;
		}
}

/* Adds functions by address; if several overlap, only the first. */
static void add_all(struct builder *b)
{
	u64 end = 0;

	for (u32 i = 0, k = 0; i < b->n_fdes || k < b->n_go;) {
		const struct elf_fde *fde = i < b->n_fdes ? &b->fdes[i] : NULL;
		const struct elf_go_function *go = k < b->n_go ? &b->go[k] : NULL;

		if (fde && (!go || fde->start <= go->start)) {
			i++;
			if (fde->start < end)
				continue;
			add_function(b, fde);
			end = fde->start + fde->size;
		} else if (go) {
			k++;
			if (go->start < end)
				continue;
			add_go_function(b, go);
			end = go->end;
		}
	}
}

static void add_vdso_row(void *ctx, u64 address, const struct cfi_rule *r)
{
	struct builder *b = ctx;

	add_row(b, address, rule_number(b, r));
}

static bool find_numbers(const struct elf *e, struct numbers *n)
{
	switch (elf_machine(e)) {
	case EM_X86_64: *n = (struct numbers){ .fp = X86_FP, .sp = X86_SP }; break;
	case EM_386: *n = (struct numbers){ .fp = I386_FP, .sp = I386_SP }; break;
	case EM_AARCH64: *n = (struct numbers){ .fp = ARM64_FP, .sp = ARM64_SP }; break;
	default: return false;
	}
	return elf_is32(e) == (elf_machine(e) == EM_386);
}

bool cfi_build(struct cfi_table *t, struct elf *e)
{
	struct builder b = { .table = t, .elf = e };

	*t = (struct cfi_table){ 0 };
	if (!find_numbers(e, &b.number))
		return false;
	elf_each_fde(e, keep, &b);
	if (elf_machine(e) == EM_X86_64) /* on arm64 they keep frame pointers */
		elf_each_go_function(e, keep_go, &b);
	sort(&b);
	add_row(&b, 0, rule_number(&b, &(struct cfi_rule){ 0 }));
	add_all(&b);
	blank(&b);
	if (!b.n_fdes && elf_machine(e) == EM_AARCH64)
		cfi_each_vdso_row(e, add_vdso_row, &b);
	free(b.fdes);
	free(b.go);
	free(b.slots);
	if (t->n_rows > 1)
		return true;
	cfi_release(t);
	return false;
}

struct entries {
	struct numbers number;
	u32 word; /* of the return address on the stack; 0: it is in a register */
	void (*f)(void *ctx, u64 address);
	void *ctx;
};

static void check_entry(void *ctx, const struct elf_fde *fde)
{
	const struct entries *to = ctx;
	struct machine m = { .number = to->number, .at_entry = true };
	const struct state *s = &m.now;

	m.number.ra = fde->return_reg;
	run(&m, fde, NULL);
	if (m.in.bad || (s->cfa_kind == CFI_SP && s->cfa_reg == m.number.sp && s->cfa == to->word &&
			 (to->word ? s->ra.kind == CFI_AT_CFA && s->ra.offset == -(s32)to->word :
				     s->ra.kind == CFI_SAME)))
		return;
	to->f(to->ctx, fde->start);
}

void cfi_each_without_call(const struct elf *e, void (*f)(void *ctx, u64 address), void *ctx)
{
	struct entries to = { .word = elf_machine(e) == EM_AARCH64 ? 0 :
				      elf_is32(e)                  ? 4 :
								     8,
			      .f = f,
			      .ctx = ctx };

	if (find_numbers(e, &to.number))
		elf_each_fde(e, check_entry, &to);
}

void cfi_release(struct cfi_table *t)
{
	free(t->rows);
	free(t->rules);
	*t = (struct cfi_table){ 0 };
}

const struct cfi_rule *cfi_at(const struct cfi_table *t, u64 address)
{
	u32 lo = 0, hi = t->n_rows;

	while (hi - lo > 1) {
		u32 mid = lo + (hi - lo) / 2;

		if (t->rows[mid].address <= address)
			lo = mid;
		else
			hi = mid;
	}
	return &t->rules[t->rows[lo].rule];
}
