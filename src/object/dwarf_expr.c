/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Location expressions -> locations (type/loc.h). Input: operations as decoded by libdw, from an
 * untrusted file; output: steps for a stack of words with bounded depth, a register, or pieces.
 * References to the frame are expanded: fbreg becomes the frame base's own steps (mostly the CFA,
 * from unwind information for this address), an address in the file becomes the program counter
 * plus an offset, so that it holds wherever the file is loaded.
 *
 * DWARF 5, 2.5 and 2.6. Rejected, with a reason: values that only the caller knows (entry values of
 * registers that calls clobber), pointers to optimized-out objects, expressions with jumps.
 */
#include <stdlib.h>
#include "object/dwarf_file.h"
#include "object/elf.h"

#if SONDE_HAVE_LIBDW

enum { MAX_NESTING = 4 };

static const char malformed[] = "the debug information about it is damaged";
static const char gone[] = "it was optimized out";
const char dwarf_partly[] = "a part of it was optimized out";

struct build {
	struct expr_context *at;
	struct loc_step step[LOC_MAX_STEPS];
	u32 n;
	u32 depth;
	bool is_value;
	s32 reg; /* offset of the register that holds the value, -1: none */
	struct loc_piece piece[LOC_MAX_PIECES];
	u32 n_pieces, n_placed;
	const char *why;
};

static bool fail(struct build *b, const char *why)
{
	if (!b->why)
		b->why = why;
	return false;
}

static bool put(struct build *b, struct loc_step step, u32 pops, u32 pushes)
{
	if (b->n == LOC_MAX_STEPS || b->depth < pops || b->depth - pops + pushes > LOC_MAX_DEPTH)
		return fail(b, b->depth < pops ? malformed : "its location is too complicated");
	b->step[b->n++] = step;
	b->depth += pushes - pops;
	return true;
}

/* A step of 8 bytes. */
static bool emit(struct build *b, enum loc_op op, s64 value, u32 pops, u32 pushes)
{
	return put(b, (struct loc_step){ .op = op, .size = 8, .value = value }, pops, pushes);
}

/* Replaces the top of the stack. */
static bool emit_sized(struct build *b, enum loc_op op, u8 size, bool is_signed)
{
	return put(b, (struct loc_step){ .op = op, .size = size, .is_signed = is_signed }, 1, 1);
}

static bool push_const(struct build *b, s64 v)
{
	struct loc_step step = { .op = LOP_CONST, .size = 8, .is_signed = true, .value = v };

	return put(b, step, 0, 1);
}

static s32 register_offset(const struct build *b, u64 number)
{
	const struct dwarf_registers *r = b->at->d->regs;

	return r && number < r->n ? r->offset[number] : -1;
}

static bool no_register(struct build *b, u64 number)
{
	const struct dwarf_registers *r = b->at->d->regs;

	return fail(b, r && number >= r->vector && number - r->vector < r->n_vectors ?
			       "it is in a vector register, which kernel programs cannot read" :
			       "it is in a register that kernel programs cannot read");
}

static bool push_register(struct build *b, u64 number)
{
	s32 off = register_offset(b, number);

	return off < 0 ? no_register(b, number) : emit(b, LOP_REG, off, 0, 1);
}

static bool push_sum(struct build *b, u64 number, s64 offset)
{
	if (!push_register(b, number))
		return false;
	return !offset || (push_const(b, offset) && emit(b, LOP_ADD, 0, 2, 1));
}

/* Pushes an address of the file as the program counter plus an offset. */
static bool push_address(struct build *b, u64 address)
{
	if (!b->at->d->regs)
		return fail(b, malformed);
	return emit(b, LOP_REG, b->at->d->regs->ip, 0, 1) &&
	       push_const(b, (s64)(address - b->at->pc)) && emit(b, LOP_ADD, 0, 2, 1);
}

/* ---- the frame */

static bool run(struct build *b, const Dwarf_Op *ops, size_t n);

/* Operations of unwind information or of a frame base, inlined into this expression. */
static bool nested(struct build *b, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n)
{
	struct expr_context *at = b->at, inner = *at;
	bool ok;

	if (at->depth >= MAX_NESTING)
		return fail(b, malformed);
	inner.attr = attr;
	inner.depth++;
	b->at = &inner;
	ok = run(b, ops, n);
	b->at = at;
	at->used_frame |= inner.used_frame;
	return ok;
}

static Dwarf_Frame *frame_at(struct dwarf *d, u64 pc)
{
	Dwarf_Frame *frame = NULL;

	if (d->cfi && d->f->dwarf_cfi_addrframe(d->cfi, pc, &frame) == 0)
		return frame;
	if (d->debug_cfi && d->f->dwarf_cfi_addrframe(d->debug_cfi, pc, &frame) == 0)
		return frame;
	return NULL;
}

static bool push_cfa(struct build *b)
{
	struct dwarf *d = b->at->d;
	Dwarf_Frame *frame = frame_at(d, b->at->pc);
	Dwarf_Op *ops;
	size_t n;
	bool ok;

	if (!frame)
		return fail(b, "there is no unwind information for its frame");
	ok = d->f->dwarf_frame_cfa(frame, &ops, &n) == 0 && n ? nested(b, NULL, ops, n) :
								fail(b, malformed);
	free(frame);
	return ok;
}

/* If the frame base is a register, the base is its value, not its address. */
static bool push_frame_base(struct build *b)
{
	struct dwarf *d = b->at->d;
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	if (!b->at->func || !die_location(d, b->at->func, DW_AT_frame_base, &a) ||
	    d->f->dwarf_getlocation_addr(&a, b->at->pc, &ops, &n, 1) != 1 || !n)
		return fail(b, "its function has no frame base here");
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return push_register(b, ops[0].atom - DW_OP_reg0);
	if (n == 1 && ops[0].atom == DW_OP_regx)
		return push_register(b, ops[0].number);
	return nested(b, &a, ops, n);
}

static bool push_fbreg(struct build *b, s64 offset)
{
	b->at->used_frame = true;
	if (!push_frame_base(b))
		return false;
	return !offset || (push_const(b, offset) && emit(b, LOP_ADD, 0, 2, 1));
}

/*
 * A register's value at function entry: known at the entry itself; later for callee-saved
 * registers, whose save slots unwind information describes.
 */
static bool push_at_entry(struct build *b, u64 number)
{
	static const char lost[] =
		"only its value at the function's entry is known, and that is gone";
	struct dwarf *d = b->at->d;
	Dwarf_Frame *frame;
	Dwarf_Op mem[3], *ops;
	size_t n;
	bool ok = false;

	if (b->at->at_entry)
		return push_register(b, number);
	frame = number < INT32_MAX ? frame_at(d, b->at->pc) : NULL;
	if (!frame || d->f->dwarf_frame_register(frame, (int)number, mem, &ops, &n) != 0)
		ok = fail(b, lost);
	else if (!n && !ops)
		ok = push_register(b, number); /* the same value */
	else if (!n)
		ok = fail(b, lost);
	else if (ops[n - 1].atom == DW_OP_stack_value)
		ok = nested(b, NULL, ops, n - 1);
	else
		ok = nested(b, NULL, ops, n) && emit(b, LOP_DEREF, 0, 1, 1);
	free(frame);
	return ok;
}

/* libdw points at the block's length, a ULEB128 number. */
static const u8 *block_of(const Dwarf_Op *op)
{
	const u8 *p = (const u8 *)(uintptr_t)op->number2;

	while (p && *p & 0x80)
		p++;
	return p ? p + 1 : NULL;
}

/* The block of an entry value: one register. */
static bool entry_value(struct build *b, const Dwarf_Op *op)
{
	const u8 *block = block_of(op);

	if (op->number == 1 && block && block[0] >= DW_OP_reg0 && block[0] <= DW_OP_reg31)
		return push_at_entry(b, block[0] - DW_OP_reg0);
	return fail(b, "only its value at the function's entry is known");
}

/* ---- typed operations: the types are integers of the machine */

static bool base_type(struct build *b, const Dwarf_Op *op, u8 *size, bool *is_signed)
{
	struct dwarf *d = b->at->d;
	const struct type *t;
	Dwarf_Die die;

	*size = 8;
	*is_signed = false;
	if (!b->at->attr || d->f->dwarf_getlocation_die(b->at->attr, op, &die) != 0)
		return fail(b, malformed);
	t = die_type(d, &die);
	if (t->kind != TY_INT && t->kind != TY_BOOL)
		return fail(b,
			    "it is computed with a type that kernel programs cannot compute with");
	*size = (u8)t->size;
	*is_signed = t->is_signed;
	return true;
}

static bool convert(struct build *b, const Dwarf_Op *op)
{
	bool is_signed;
	u8 size;

	if (!op->number) /* to the generic type: a word */
		return true;
	return base_type(b, op, &size, &is_signed) && emit_sized(b, LOP_EXT, size, is_signed);
}

/* op->number: register or size; number2: the type. libdw reads the type by the attribute. */
static bool typed(struct build *b, const Dwarf_Op *op)
{
	const u8 *block = (const u8 *)(uintptr_t)op->number2;
	bool is_signed;
	s64 v = 0;
	u8 size;

	if (!base_type(b, op, &size, &is_signed))
		return false;
	switch (op->atom) {
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		return push_register(b, op->number) && emit_sized(b, LOP_EXT, size, is_signed);
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type: return emit_sized(b, LOP_DEREF, size, is_signed);
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
		if (!block || !block[0] || block[0] > 8)
			return fail(b, malformed);
		memcpy(&v, block + 1, block[0]);
		return push_const(b, v) && emit_sized(b, LOP_EXT, size, is_signed);
	}
	return fail(b, malformed);
}

/* ---- thread-local variables: an offset becomes an address */

static bool pick(struct build *b, u64 index)
{
	if (index >= b->depth)
		return fail(b, malformed);
	return emit(b, LOP_PICK, (s64)index, 0, 1);
}

static bool push_word_at(struct build *b, u64 address)
{
	return push_address(b, address) && emit(b, LOP_DEREF, 0, 1, 1);
}

static bool add_const(struct build *b, u64 v)
{
	return push_const(b, (s64)v) && emit(b, LOP_ADD, 0, 2, 1);
}

static bool push_thread(struct build *b)
{
	return emit(b, LOP_THREAD, 0, 0, 1);
}

/*
 * vector = *(thread + 8); (vector[n].address + offset) * (n <= vector[-1]): the vector of a thread
 * that has not used the library yet may be shorter; then the address is 0 and the read fails.
 */
static bool by_vector(struct build *b, u64 slot)
{
	enum { ENTRY = 16 };

	return push_word_at(b, slot) && push_thread(b) && add_const(b, 8) &&
	       emit(b, LOP_DEREF, 0, 1, 1) && pick(b, 1) && push_const(b, ENTRY) &&
	       emit(b, LOP_MUL, 0, 2, 1) && pick(b, 1) && emit(b, LOP_ADD, 0, 2, 1) &&
	       emit(b, LOP_DEREF, 0, 1, 1) && /* d n v address */
	       emit(b, LOP_ROT, 0, 3, 3) &&   /* d address n v */
	       add_const(b, (u64)-ENTRY) && emit(b, LOP_DEREF, 0, 1, 1) &&
	       emit(b, LOP_LE, 0, 2, 1) && emit(b, LOP_ROT, 0, 3, 3) && /* is_there d address */
	       emit(b, LOP_ADD, 0, 2, 1) && emit(b, LOP_MUL, 0, 2, 1);
}

static bool thread_local(struct build *b)
{
	struct elf_tls tls;
	const char *why = elf_tls(b->at->d->file, &tls);

	if (why || !b->depth)
		return fail(b, why ? why : malformed);
	switch (tls.how) {
	case TLS_BELOW:
		return push_thread(b) && emit(b, LOP_ADD, 0, 2, 1) && add_const(b, -tls.distance);
	case TLS_DISTANCE:
		return push_word_at(b, tls.slot) && emit(b, LOP_ADD, 0, 2, 1) &&
		       add_const(b, -tls.distance) && push_thread(b) && emit(b, LOP_ADD, 0, 2, 1);
	case TLS_MODULE: return by_vector(b, tls.slot);
	}
	return false;
}

/* ---- one operation */

static const struct {
	u8 atom, op, pops, pushes;
} plain[] = {
	{ DW_OP_swap, LOP_SWAP, 2, 2 }, { DW_OP_rot, LOP_ROT, 3, 3 },
	{ DW_OP_drop, LOP_DROP, 1, 0 }, { DW_OP_plus, LOP_ADD, 2, 1 },
	{ DW_OP_minus, LOP_SUB, 2, 1 }, { DW_OP_mul, LOP_MUL, 2, 1 },
	{ DW_OP_div, LOP_DIV, 2, 1 },   { DW_OP_mod, LOP_MOD, 2, 1 },
	{ DW_OP_and, LOP_AND, 2, 1 },   { DW_OP_or, LOP_OR, 2, 1 },
	{ DW_OP_xor, LOP_XOR, 2, 1 },   { DW_OP_shl, LOP_SHL, 2, 1 },
	{ DW_OP_shr, LOP_SHR, 2, 1 },   { DW_OP_shra, LOP_SAR, 2, 1 },
	{ DW_OP_neg, LOP_NEG, 1, 1 },   { DW_OP_not, LOP_NOT, 1, 1 },
	{ DW_OP_abs, LOP_ABS, 1, 1 },   { DW_OP_eq, LOP_EQ, 2, 1 },
	{ DW_OP_ne, LOP_NE, 2, 1 },     { DW_OP_lt, LOP_LT, 2, 1 },
	{ DW_OP_le, LOP_LE, 2, 1 },     { DW_OP_gt, LOP_GT, 2, 1 },
	{ DW_OP_ge, LOP_GE, 2, 1 },
};

static bool run_plain(struct build *b, const Dwarf_Op *op, bool *ok)
{
	for (u32 i = 0; i < ARRAY_SIZE(plain); i++)
		if (plain[i].atom == op->atom) {
			*ok = emit(b, plain[i].op, 0, plain[i].pops, plain[i].pushes);
			return true;
		}
	return false;
}

/* By the unit's address table, through the attribute. */
static bool indexed(struct build *b, const Dwarf_Op *op)
{
	struct dwarf *d = b->at->d;
	Dwarf_Attribute a;
	Dwarf_Addr address;
	Dwarf_Word v;

	if (!b->at->attr || d->f->dwarf_getlocation_attr(b->at->attr, op, &a) != 0)
		return fail(b, malformed);
	if (op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index)
		return d->f->dwarf_formaddr(&a, &address) == 0 ? push_address(b, address) :
								 fail(b, malformed);
	return d->f->dwarf_formudata(&a, &v) == 0 ? push_const(b, (s64)v) : fail(b, malformed);
}

/* A value in the expression itself. */
static bool implicit_value(struct build *b, const Dwarf_Op *op)
{
	const u8 *bytes = block_of(op);
	s64 v = 0;

	if (!bytes || !op->number || op->number > 8)
		return fail(b, "it is a constant of more than 8 bytes");
	memcpy(&v, bytes, op->number);
	b->is_value = true;
	return push_const(b, v);
}

static bool run_one(struct build *b, const Dwarf_Op *op)
{
	bool ok;

	if (run_plain(b, op, &ok))
		return ok;
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push_const(b, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_sum(b, op->atom - DW_OP_breg0, (s64)op->number);
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		b->reg = register_offset(b, op->atom - DW_OP_reg0);
		return b->reg >= 0 || no_register(b, op->atom - DW_OP_reg0);
	}
	switch (op->atom) {
	case DW_OP_nop: return true;
	case DW_OP_addr: return push_address(b, op->number);
	case DW_OP_addrx:
	case DW_OP_constx:
	case DW_OP_GNU_addr_index:
	case DW_OP_GNU_const_index: return indexed(b, op);
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts: return push_const(b, (s64)op->number);
	case DW_OP_regx:
		b->reg = register_offset(b, op->number);
		return b->reg >= 0 || no_register(b, op->number);
	case DW_OP_bregx: return push_sum(b, op->number, (s64)op->number2);
	case DW_OP_fbreg: return push_fbreg(b, (s64)op->number);
	case DW_OP_call_frame_cfa: return push_cfa(b);
	case DW_OP_plus_uconst: return push_const(b, (s64)op->number) && emit(b, LOP_ADD, 0, 2, 1);
	case DW_OP_dup: return pick(b, 0);
	case DW_OP_over: return pick(b, 1);
	case DW_OP_pick: return pick(b, op->number);
	case DW_OP_deref: return emit(b, LOP_DEREF, 0, 1, 1);
	case DW_OP_deref_size:
		if (op->number != 1 && op->number != 2 && op->number != 4 && op->number != 8)
			return fail(b, malformed);
		return emit_sized(b, LOP_DEREF, (u8)op->number, false);
	case DW_OP_stack_value: b->is_value = true; return b->depth || fail(b, malformed);
	case DW_OP_implicit_value: return implicit_value(b, op);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value: return entry_value(b, op);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret: return convert(b, op);
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
	case DW_OP_const_type:
	case DW_OP_GNU_const_type: return typed(b, op);
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address: return thread_local(b);
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return fail(b, "it points to something that was optimized out");
	case DW_OP_GNU_uninit: return true;
	case DW_OP_GNU_parameter_ref:
	case DW_OP_GNU_variable_value: return fail(b, "only its caller knows it");
	}
	return fail(b, "its location is of a kind that sonde does not know");
}

/* ---- pieces */

/* Either a register alone, or steps that push a value. */
static bool has_result(const struct build *b)
{
	return b->depth || (b->reg >= 0 && !b->n);
}

static struct loc finish_loc(struct build *b)
{
	struct loc loc = { .kind = LOC_REG, .size = 8 };

	if (b->reg >= 0 && !b->n) {
		loc.offset = (u32)b->reg;
		return loc;
	}
	loc.kind = LOC_EXPR;
	loc.is_value = b->is_value;
	loc.step = arena_dup(&b->at->d->arena, b->step, b->n * sizeof b->step[0]);
	loc.n = b->n;
	return loc;
}

static bool end_piece(struct build *b, u64 size)
{
	struct loc_piece *p = &b->piece[b->n_pieces];

	if (!has_result(b) && b->n)
		return fail(b, malformed);
	if (b->n_pieces == LOC_MAX_PIECES || !size || size > 4096)
		return fail(b, "its location is too complicated");
	if (has_result(b)) {
		p->loc = finish_loc(b);
		b->n_placed++;
	} else {
		p->loc = (struct loc){ 0 };
		b->at->gap = b->at->gap ? b->at->gap : dwarf_partly;
	}
	p->size = (u32)size;
	b->n_pieces++;
	b->n = b->depth = 0;
	b->reg = -1;
	b->is_value = false;
	return true;
}

/* An unreadable piece (in a vector register) leaves the others. False: it is the first or last. */
static bool skip_to_piece(struct build *b, const Dwarf_Op *ops, size_t n, size_t *i)
{
	size_t at = *i + 1;

	while (at < n && ops[at].atom != DW_OP_piece && ops[at].atom != DW_OP_bit_piece)
		at++;
	if (at == n)
		return false;
	b->at->gap = b->why;
	b->why = NULL;
	b->n = b->depth = 0;
	b->reg = -1;
	b->is_value = false;
	*i = at - 1;
	return true;
}

static bool run(struct build *b, const Dwarf_Op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const Dwarf_Op *op = &ops[i];
		bool ok;

		if (op->atom == DW_OP_piece && !b->at->depth)
			ok = end_piece(b, op->number);
		else if (op->atom == DW_OP_bit_piece && !b->at->depth)
			ok = op->number % 8 || op->number2 ?
				     fail(b, "its bits are in several locations") :
				     end_piece(b, op->number / 8);
		else
			ok = run_one(b, op) || (!b->at->depth && skip_to_piece(b, ops, n, &i));
		if (!ok)
			return false;
	}
	return true;
}

bool expr_to_loc(struct expr_context *at, const Dwarf_Op *ops, size_t n, struct loc *out,
		 const char **why)
{
	struct build b = { .at = at, .reg = -1 };

	if (!n)
		return *why = gone, false;
	if (!run(&b, ops, n) || (!b.n_pieces && !has_result(&b))) {
		*why = b.why ? b.why : malformed;
		return false;
	}
	if (!b.n_pieces) {
		*out = finish_loc(&b);
		return true;
	}
	if (!b.n_placed)
		return *why = at->gap, false;
	*out = (struct loc){ .kind = LOC_PIECES, .n = b.n_pieces };
	out->piece = arena_dup(&at->d->arena, b.piece, b.n_pieces * sizeof b.piece[0]);
	return true;
}

#endif
