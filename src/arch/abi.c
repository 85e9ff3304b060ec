/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calling conventions. x86-64: System V ABI (x86-64 psABI 1.0, 3.2.3): a value of up to 16 bytes is
 * split into two words, each of which goes to a general register, a vector register (floats only)
 * or, if either does not fit, to the stack; C++ objects with copy constructors are passed by
 * address.
 *
 * arm64: AAPCS64 (2023Q3), 6.8.2: one to four floats of one size, alone or as the whole content of
 * a structure, go to that many vector registers; anything larger than 16 bytes is passed by
 * address; other structures are words in general registers, floats included, starting at an even
 * register if aligned to 16. An argument that does not fit ends the use of registers of its kind. A
 * result that does not fit registers is at the address that x8 held at the entry.
 *
 * i386: System V ABI (i386 psABI 1.1, 2.2): all parameters are on the stack, in words of four
 * bytes; a structure result is at the address in the first of them, which is returned in eax.
 *
 * Go: src/cmd/compile/abi-internal.md: each scalar part of a value has its own register; a value
 * whose parts do not all fit is on the stack as a whole.
 *
 * Kernel programs see general registers only (struct pt_regs).
 */
#include <elf.h>
#include "arch/abi.h"

enum { MAX_PARTS = 16, WORD = 8 };

enum part { PART_NONE, PART_INT, PART_FLOAT, PART_MEMORY };

struct abi_rules {
	const u16 *int_reg; /* offsets in struct pt_regs */
	u32 n_int, n_float;
	const u16 *result_reg;
	u32 n_result;
	u16 sp;
	u32 stack_first; /* offset of the first stack argument from sp at the entry */
	bool splits;     /* Go: values are split into scalar parts */
	bool is_aapcs;   /* arm64 */
	bool is_i386;
	bool hidden_result; /* the address of a large result is the first argument */
};

static const char vector[] = "it is in a vector register, which kernel programs cannot read";

/* di si dx cx r8 r9; ax dx. Go: ax bx cx di si r8 r9 r10 r11 */
static const u16 sysv_regs[] = { 112, 104, 96, 88, 72, 64 }, sysv_result[] = { 80, 96 };
static const u16 go_regs[] = { 80, 40, 88, 112, 104, 72, 64, 56, 48 };
/* x0 to x15, of which C uses the first eight */
static const u16 arm_regs[] = { 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120 };

static const struct abi_rules rules[] = {
	[ABI_SYSTEM_V] = { .int_reg = sysv_regs,
			   .n_int = 6,
			   .n_float = 8,
			   .result_reg = sysv_result,
			   .n_result = 2,
			   .sp = 152,
			   .stack_first = 8,
			   .hidden_result = true },
	[ABI_I386] = { .result_reg = sysv_result,
		       .n_result = 2,
		       .sp = 152,
		       .stack_first = 4,
		       .is_i386 = true },
	[ABI_AAPCS] = { .int_reg = arm_regs,
			.n_int = 8,
			.n_float = 8,
			.result_reg = arm_regs,
			.n_result = 2,
			.sp = 248,
			.stack_first = 0,
			.is_aapcs = true },
	[ABI_GO] = { .int_reg = go_regs,
		     .n_int = 9,
		     .n_float = 15,
		     .sp = 152,
		     .stack_first = 8,
		     .splits = true },
	[ABI_GO_ARM64] = { .int_reg = arm_regs,
			   .n_int = 16,
			   .n_float = 16,
			   .sp = 248,
			   .stack_first = 8,
			   .splits = true },
	[ABI_GO_STACK] = { .sp = 152, .stack_first = 8, .splits = true },
	[ABI_GO_STACK_ARM64] = { .sp = 248, .stack_first = 8, .splits = true },
};

enum abi_kind abi_of_c(u16 machine)
{
	return machine == EM_AARCH64 ? ABI_AAPCS : machine == EM_386 ? ABI_I386 : ABI_SYSTEM_V;
}

enum abi_kind abi_of_go(u16 machine, bool in_registers)
{
	if (machine == EM_AARCH64)
		return in_registers ? ABI_GO_ARM64 : ABI_GO_STACK_ARM64;
	return in_registers ? ABI_GO : ABI_GO_STACK;
}

void abi_begin(struct abi *abi, struct arena *a, enum abi_kind kind)
{
	*abi = (struct abi){ .arena = a, .rules = &rules[kind] };
}

/* ---- locations */

static struct loc in_register(u32 offset, u32 size, bool is_signed)
{
	return (struct loc){
		.kind = LOC_REG, .offset = offset, .size = (u8)size, .is_signed = is_signed
	};
}

struct loc abi_in_memory(struct abi *abi, u32 reg, u64 distance)
{
	struct loc_step *s = arena_array(abi->arena, struct loc_step, 3);

	s[0] = (struct loc_step){ .op = LOP_REG, .value = reg };
	s[1] = (struct loc_step){ .op = LOP_CONST, .value = (s64)distance };
	s[2] = (struct loc_step){ .op = LOP_ADD };
	return (struct loc){ .kind = LOC_EXPR, .step = s, .n = distance ? 3 : 1 };
}

static struct loc on_stack(struct abi *abi, const struct type *t)
{
	u32 align = abi->rules->splits ? MAX(t->align, 1u) : MAX(t->align, (u32)WORD);
	struct loc loc;

	if (!abi->rules->splits && t->kind == TY_ARRAY && t->size == 16)
		align = 16;
	abi->stack = ALIGN_UP(abi->stack, align);
	loc = abi_in_memory(abi, abi->rules->sp, abi->rules->stack_first + abi->stack);
	abi->stack += abi->rules->splits ? t->size : ALIGN_UP(t->size, (u32)WORD);
	return loc;
}

const u16 *abi_result_registers(const struct abi *abi, u32 *n)
{
	*n = abi->rules->n_result;
	return abi->rules->result_reg;
}

bool abi_returns_address(const struct abi *abi)
{
	return abi->rules->hidden_result || abi->rules->is_i386;
}

/* ---- words of a value (System V, AAPCS64) */

static enum part merge(enum part a, enum part b)
{
	return a == PART_NONE                 ? b :
	       b == PART_NONE                 ? a :
	       a == PART_INT || b == PART_INT ? PART_INT :
						PART_FLOAT;
}

/* false: it is passed in memory. */
static bool classify(const struct type *t, u32 at, enum part word[2], u32 depth)
{
	bool ok = true;

	type_complete(t);
	if (depth > 16 || at + t->size > 2 * WORD || !t->size)
		return t->size == 0;
	switch (t->kind) {
	case TY_STRUCT:
		for (u32 i = 0; i < t->n_fields && ok; i++)
			ok = classify(t->fields[i].type, at + t->fields[i].offset, word, depth + 1);
		return ok;
	case TY_ARRAY:
		if (t->name) /* long double: passed on the x87 stack */
			return false;
		for (u32 i = 0; i < t->count && ok; i++)
			ok = classify(t->elem, at + i * t->elem->size, word, depth + 1);
		return ok;
	case TY_STRING: /* a character array */
		for (u32 i = at; i < at + t->size; i++)
			word[i / WORD] = merge(word[i / WORD], PART_INT);
		return true;
	default:
		if (at % MIN(t->size, (u32)WORD)) /* packed */
			return false;
		word[at / WORD] =
			merge(word[at / WORD], t->kind == TY_FLOAT ? PART_FLOAT : PART_INT);
		return true;
	}
}

/* The words of t from regs[first..): scalars directly, other types as pieces. */
static struct loc words(struct abi *abi, const struct type *t, const u16 *regs, u32 n)
{
	struct loc_piece *p;

	if (n == 1 && type_is_scalar(t))
		return in_register(regs[0], t->size, t->is_signed);
	p = arena_array(abi->arena, struct loc_piece, n);
	for (u32 i = 0; i < n; i++)
		p[i] = (struct loc_piece){ in_register(regs[i], 8, false),
					   MIN(t->size - i * WORD, (u32)WORD) };
	return (struct loc){ .kind = LOC_PIECES, .piece = p, .n = n };
}

/* The location of a word in a vector register is not described. */
static struct loc mixed_words(struct abi *abi, const struct type *t, const u16 *reg,
			      const enum part *word, u32 n)
{
	struct loc_piece *p = arena_array(abi->arena, struct loc_piece, n);

	for (u32 i = 0; i < n; i++) {
		p[i].size = MIN(t->size - i * WORD, (u32)WORD);
		if (word[i] != PART_FLOAT)
			p[i].loc = in_register(*reg++, 8, false);
	}
	return (struct loc){ .kind = LOC_PIECES, .piece = p, .n = n };
}

static void count_parts(const enum part word[2], u32 n, u32 *ints, u32 *floats)
{
	*ints = *floats = 0;
	for (u32 i = 0; i < n; i++) {
		*floats += word[i] == PART_FLOAT;
		*ints += word[i] != PART_FLOAT;
	}
}

/* Passed by address, which is an argument itself. */
static bool by_address(struct abi *abi, struct loc *out)
{
	static const struct type address = { .kind = TY_INT, .size = 8, .align = 8 };
	const struct abi_rules *r = abi->rules;
	struct loc_step *s;

	if (abi->n_int < r->n_int) {
		*out = abi_in_memory(abi, r->int_reg[abi->n_int++], 0);
		return true;
	}
	*out = on_stack(abi, &address);
	s = arena_array(abi->arena, struct loc_step, out->n + 1);
	memcpy(s, out->step, out->n * sizeof *s);
	s[out->n++] = (struct loc_step){ .op = LOP_DEREF, .size = 8 };
	out->step = s;
	return true;
}

/* ---- AAPCS64 */

/* The number of floats, each of *size bytes, that make up a value (AAPCS64: HFA); 0: not one. */
static u32 floats_of(const struct type *t, u32 *size, u32 depth)
{
	bool is_complex = t->kind == TY_ARRAY && t->name && strstr(t->name, "complex");
	u32 own = is_complex ? t->size / 2 : t->size, n = 0;

	type_complete(t);
	if (t->kind == TY_FLOAT || (t->kind == TY_ARRAY && t->name)) {
		if (*size && *size != own)
			return 0;
		*size = own;
		return is_complex ? 2 : 1;
	}
	if (depth > 16 || (t->kind != TY_STRUCT && t->kind != TY_ARRAY))
		return 0;
	if (t->kind == TY_ARRAY)
		return t->count > 4 ? 0 : t->count * floats_of(t->elem, size, depth + 1);
	for (u32 i = 0; i < t->n_fields; i++) {
		u32 k = floats_of(t->fields[i].type, size, depth + 1);

		if (!k)
			return 0;
		n = t->is_union ? MAX(n, k) : n + k;
	}
	return n;
}

/* __int128 is the only array type that is passed directly; all others are vectors. */
static bool is_int128(const struct type *t)
{
	return t->kind == TY_ARRAY && t->elem == &ty_u64 && !t->name;
}

/* Vector registers that a value takes; 0: none. */
static u32 vectors_of(const struct type *t)
{
	u32 size = 0, n = floats_of(t, &size, 0);

	if (t->kind == TY_ARRAY && !t->name && !is_int128(t))
		return 1;
	return n <= 4 && n * size == t->size ? n : 0;
}

static bool arm_param(struct abi *abi, const struct type *t, bool by_reference, struct loc *out,
		      const char **why)
{
	const struct abi_rules *r = abi->rules;
	u32 n = (t->size + WORD - 1) / WORD, vectors = by_reference ? 0 : vectors_of(t);

	if (by_reference || (!vectors && n > 2))
		return by_address(abi, out);
	if (!t->size) {
		*why = "it has no bytes";
		return false;
	}
	if (vectors && abi->n_float + vectors <= r->n_float) {
		abi->n_float += vectors;
		*why = vector;
		return false;
	}
	if (is_int128(t))
		abi->n_int = ALIGN_UP(abi->n_int, 2u);
	if (!vectors && abi->n_int + n <= r->n_int) {
		*out = words(abi, t, r->int_reg + abi->n_int, n);
		abi->n_int += n;
		return true;
	}
	if (vectors)
		abi->n_float = r->n_float;
	else
		abi->n_int = r->n_int;
	*out = on_stack(abi, t);
	return true;
}

static bool arm_result(struct abi *abi, const struct type *t, bool by_reference, struct loc *out,
		       const char **why)
{
	u32 n = (t->size + WORD - 1) / WORD;

	if (!by_reference && vectors_of(t)) {
		*why = vector;
		return false;
	}
	if (by_reference || n > 2) {
		*why = "its address was in x8 at the function's entry: keep reg(\"x8\") there";
		return false;
	}
	*out = words(abi, t, abi->rules->result_reg, n);
	return true;
}

/* ---- System V */

static bool word_param(struct abi *abi, const struct type *t, bool by_reference, struct loc *out,
		       const char **why)
{
	const struct abi_rules *r = abi->rules;
	enum part word[2] = { 0 };
	u32 n = (t->size + WORD - 1) / WORD, ints, floats;

	if (by_reference)
		return by_address(abi, out);
	if (!t->size) {
		*why = "it has no bytes";
		return false;
	}
	if (n > 2 || !classify(t, 0, word, 0)) {
		*out = on_stack(abi, t);
		return true;
	}
	count_parts(word, n, &ints, &floats);
	if (abi->n_int + ints > r->n_int || abi->n_float + floats > r->n_float) {
		*out = on_stack(abi, t);
		return true;
	}
	*out = floats ? mixed_words(abi, t, r->int_reg + abi->n_int, word, n) :
			words(abi, t, r->int_reg + abi->n_int, n);
	abi->n_int += ints;
	abi->n_float += floats;
	*why = floats ? vector : NULL;
	return ints;
}

static bool in_big_memory(const struct type *t, bool by_reference)
{
	enum part word[2] = { 0 };

	return by_reference || t->size > 2 * WORD || !classify(t, 0, word, 0);
}

/* A long double is returned on the x87 stack. */
static bool is_long_double(const struct type *t)
{
	return t->kind == TY_ARRAY && t->name;
}

/* ---- i386 */

enum { WORD_I386 = 4 };

static struct loc i386_stack(struct abi *abi, u32 size)
{
	struct loc loc = abi_in_memory(abi, abi->rules->sp, abi->rules->stack_first + abi->stack);

	abi->stack += ALIGN_UP(size, (u32)WORD_I386);
	return loc;
}

static bool i386_param(struct abi *abi, const struct type *t, bool by_reference, struct loc *out,
		       const char **why)
{
	struct loc_step *s;

	if (!t->size) {
		*why = "it has no bytes";
		return false;
	}
	*out = i386_stack(abi, by_reference ? WORD_I386 : t->size);
	if (!by_reference)
		return true;
	s = arena_array(abi->arena, struct loc_step, out->n + 1);
	memcpy(s, out->step, out->n * sizeof *s);
	s[out->n++] = (struct loc_step){ .op = LOP_DEREF, .size = WORD_I386 };
	out->step = s;
	return true;
}

static bool i386_result(struct abi *abi, const struct type *t, bool by_reference, struct loc *out,
			const char **why)
{
	const u16 *reg = abi->rules->result_reg;
	struct loc_piece *p;

	if (t->kind == TY_FLOAT || is_long_double(t)) {
		*why = "it is on the stack of the floating-point unit, which kernel programs cannot read";
		return false;
	}
	if (by_reference || !type_is_scalar(t)) {
		*out = abi_in_memory(abi, reg[0], 0);
	} else if (t->size <= WORD_I386) {
		*out = in_register(reg[0], t->size, t->is_signed);
	} else {
		p = arena_array(abi->arena, struct loc_piece, 2);
		for (u32 i = 0; i < 2; i++)
			p[i] = (struct loc_piece){ in_register(reg[i], WORD_I386, false),
						   WORD_I386 };
		*out = (struct loc){ .kind = LOC_PIECES, .piece = p, .n = 2 };
	}
	return true;
}

/* ---- all conventions */

void abi_skip_result(struct abi *abi, const struct type *result, bool by_reference)
{
	type_complete(result);
	if (abi->rules->is_i386 && result->size &&
	    (by_reference || (!type_is_scalar(result) && !is_long_double(result))))
		abi->stack += WORD_I386;
	if (abi->rules->hidden_result && result->size && !is_long_double(result) &&
	    in_big_memory(result, by_reference))
		abi->n_int++;
}

bool abi_result(struct abi *abi, const struct type *t, bool by_reference, struct loc *out,
		const char **why)
{
	const struct abi_rules *r = abi->rules;
	enum part word[2] = { 0 };
	u32 n = (t->size + WORD - 1) / WORD, ints, floats;

	type_complete(t);
	if (t->size && r->is_aapcs)
		return arm_result(abi, t, by_reference, out, why);
	if (t->size && r->is_i386)
		return i386_result(abi, t, by_reference, out, why);
	if (is_long_double(t)) {
		*why = "it is on the stack of the floating-point unit, which kernel programs cannot read";
		return false;
	}
	if (!t->size) {
		*why = "the function returns nothing";
		return false;
	}
	if (in_big_memory(t, by_reference)) { /* its address is returned in ax */
		*out = abi_in_memory(abi, r->result_reg[0], 0);
		return true;
	}
	classify(t, 0, word, 0);
	count_parts(word, n, &ints, &floats);
	*why = floats ? vector : NULL;
	if (ints)
		*out = floats ? mixed_words(abi, t, r->result_reg, word, n) :
				words(abi, t, r->result_reg, n);
	return ints;
}

/* ---- Go: scalar parts */

struct parts {
	struct {
		enum part kind;
		u32 offset, size;
	} at[MAX_PARTS];
	u32 n;
	bool too_many;
};

static void add_parts(struct parts *p, const struct type *t, u32 at, u32 depth)
{
	type_complete(t);
	if (depth > 16 || p->too_many)
		return;
	if (t->kind == TY_STRUCT) {
		for (u32 i = 0; i < t->n_fields; i++)
			add_parts(p, t->fields[i].type, at + t->fields[i].offset, depth + 1);
		return;
	}
	if (t->kind == TY_ARRAY) { /* one element: as that element; more: never in registers */
		p->too_many |= t->count > 1;
		if (t->count == 1)
			add_parts(p, t->elem, at, depth + 1);
		return;
	}
	if (p->n == MAX_PARTS) {
		p->too_many = true;
		return;
	}
	p->at[p->n].kind = t->kind == TY_FLOAT ? PART_FLOAT : PART_INT;
	p->at[p->n].offset = at;
	p->at[p->n++].size = t->size;
}

/* Pieces must be contiguous: gaps between parts are padding, filled with a constant. */
static struct loc join(struct abi *abi, const struct type *t, const struct parts *parts)
{
	struct loc_piece *p = arena_array(abi->arena, struct loc_piece, 2 * parts->n + 1);
	u32 n = 0, at = 0, reg = abi->n_int;

	if (parts->n == 1 && type_is_scalar(t))
		return in_register(abi->rules->int_reg[reg], t->size, t->is_signed);
	for (u32 i = 0; i < parts->n; i++) {
		if (parts->at[i].offset > at)
			p[n++] = (struct loc_piece){ { .kind = LOC_CONST },
						     parts->at[i].offset - at };
		if (parts->at[i].kind == PART_FLOAT)
			p[n++] = (struct loc_piece){ .size = parts->at[i].size };
		else
			p[n++] = (struct loc_piece){
				in_register(abi->rules->int_reg[reg++], 8, false), parts->at[i].size
			};
		at = parts->at[i].offset + parts->at[i].size;
	}
	return (struct loc){ .kind = LOC_PIECES, .piece = p, .n = n };
}

static bool part_param(struct abi *abi, const struct type *t, struct loc *out, const char **why)
{
	const struct abi_rules *r = abi->rules;
	struct parts parts = { 0 };
	u32 ints = 0, floats = 0;

	add_parts(&parts, t, 0, 0);
	for (u32 i = 0; i < parts.n; i++) {
		ints += parts.at[i].kind == PART_INT;
		floats += parts.at[i].kind == PART_FLOAT;
	}
	if (!t->size) {
		*why = "it has no bytes";
		return false;
	}
	if (parts.too_many || abi->n_int + ints > r->n_int || abi->n_float + floats > r->n_float) {
		*out = on_stack(abi, t);
		return true;
	}
	*why = floats ? vector : NULL;
	if (ints || !floats)
		*out = join(abi, t, &parts);
	abi->n_int += ints;
	abi->n_float += floats;
	return ints || !floats;
}

void abi_go_results(struct abi *abi)
{
	abi->n_int = abi->n_float = 0;
	abi->stack = ALIGN_UP(abi->stack, (u64)WORD);
}

bool abi_param(struct abi *abi, const struct type *t, bool by_reference, struct loc *out,
	       const char **why)
{
	type_complete(t);
	if (abi->rules->splits)
		return part_param(abi, t, out, why);
	if (abi->rules->is_i386)
		return i386_param(abi, t, by_reference, out, why);
	return abi->rules->is_aapcs ? arm_param(abi, t, by_reference, out, why) :
				      word_param(abi, t, by_reference, out, why);
}
