/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments of USDT probes. In: the note's text, one operand for each argument, "SIZE@OPERAND" with
 * a negative size for signed values and "f" after it for floating point (sys/sdt.h); out:
 * locations. The operands are those that compilers emit for the constraint "nor" (a constant, a
 * register, memory with an offset), and others that programs allow with STAP_SDT_ARG_CONSTRAINT:
 *
 *	x86-64	$-5	%edi %ah %xmm0	(%rax) -16(%rbp) 8(%rax,%rbx,4) sym+4(%rip) sym %fs:-4
 *	arm64	5 #-5 3.5e+0	w0 x1 d0	[sp, 16] [x0, x1] [x0, w1, sxtw 2] [x0, :lo12:sym]
 *
 * A symbol is found at run time by its distance from the probe, whose address is the program
 * counter.
 */
#include <stdlib.h>
#include "base/buf.h"
#include "object/elf.h"
#include "provider/usdt_args.h"

static const char *const names[] = { "arg0", "arg1", "arg2", "arg3", "arg4",  "arg5",
				     "arg6", "arg7", "arg8", "arg9", "arg10", "arg11" };
_Static_assert(ARRAY_SIZE(names) == USDT_MAX_ARGS, "a name each");

enum { MAX_STEPS = 8 };

static const char unknown_form[] = "its operand is of no form that is known";

/* An operand that is being parsed; s advances. Parsing ends when why is set. */
struct operand {
	const struct usdt_point *point;
	const char *s;
	struct loc *loc;
	const struct type *type;
	const char *why;
	bool is_float;
	struct loc_step step[MAX_STEPS];
	u32 n_steps;
};

static bool fail(struct operand *o, const char *why)
{
	if (!o->why)
		o->why = why;
	return false;
}

static bool skip(struct operand *o, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(o->s, text, n))
		return false;
	o->s += n;
	return true;
}

static void blanks(struct operand *o)
{
	while (*o->s == ' ')
		o->s++;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '$';
}

static char *name(struct operand *o)
{
	const char *begin = o->s;

	while (is_name_char(*o->s))
		o->s++;
	return o->s > begin ? arena_strndup(o->point->arena, begin, (size_t)(o->s - begin)) : NULL;
}

static bool number(struct operand *o, s64 *out)
{
	const char *digits = o->s + (*o->s == '-' || *o->s == '+');
	char *end;

	if (*digits < '0' || *digits > '9')
		return false;
	*out = *o->s == '-' ? strtoll(o->s, &end, 0) : (s64)strtoull(o->s, &end, 0);
	o->s = end;
	return true;
}

static void push(struct operand *o, enum loc_op op, s64 value)
{
	o->step[o->n_steps++] = (struct loc_step){ .op = op, .size = 8, .value = value };
}

/* ---- symbols: "foo+4", "-8+foo", "foo@GOTPCREL" */

struct address {
	s64 offset;
	bool has_symbol;
	u64 symbol;
	bool is_got; /* the value is the address itself */
};

static bool symbol_term(struct operand *o, struct address *a)
{
	char *n = name(o);

	if (!n)
		return fail(o, unknown_form);
	if (skip(o, "@GOTPCREL") || skip(o, "@GOTPCRELX"))
		a->is_got = true;
	else if (*o->s == '@')
		return fail(o, strstr(o->s, "tpoff") || strstr(o->s, "TPOFF") ?
				       "it is in thread-local storage" :
				       unknown_form);
	if (a->has_symbol)
		return fail(o, "it lies between two symbols");
	a->has_symbol = true;
	if (!o->point->symbol || !o->point->symbol(o->point->ctx, n, &a->symbol))
		return fail(o, arena_printf(o->point->arena,
					    "its symbol %s is not in the symbol table", n));
	return true;
}

/* A sum of numbers and at most one symbol. */
static bool address(struct operand *o, struct address *a)
{
	s64 n;

	*a = (struct address){ 0 };
	while (*o->s && *o->s != '(' && *o->s != ']' && *o->s != ',' && *o->s != ' ') {
		if (number(o, &n)) {
			a->offset =
				(s64)((u64)a->offset + (u64)n); /* wraps around, as in assemblers */
			continue;
		}
		if (*o->s == '+')
			o->s++;
		if (!symbol_term(o, a))
			return false;
	}
	return true;
}

/* Pushes the run-time address of the symbol. */
static void push_symbol(struct operand *o, const struct address *a)
{
	push(o, LOP_REG, o->point->arch->ip);
	push(o, LOP_CONST, (s64)(a->symbol + (u64)a->offset - o->point->address));
	push(o, LOP_ADD, 0);
}

static bool finish_steps(struct operand *o, bool is_value)
{
	struct loc_step *copy = arena_array(o->point->arena, struct loc_step, o->n_steps);

	memcpy(copy, o->step, o->n_steps * sizeof *copy);
	o->loc->kind = LOC_EXPR;
	o->loc->step = copy;
	o->loc->n = o->n_steps;
	o->loc->is_value = is_value;
	return true;
}

static bool at_symbol(struct operand *o, const struct address *a)
{
	push_symbol(o, a);
	return finish_steps(o, a->is_got);
}

/* ---- registers and memory of both architectures */

static const char vector_register[] = "it is in a vector register, which the kernel does not show";

static bool in_register(struct operand *o, const char *reg)
{
	u32 size, byte;
	s32 off = arch_reg_offset(o->point->arch, reg, &size);

	if (off < 0 && (off = arch_high_byte(o->point->arch, reg)) >= 0)
		size = 1;
	if (off < 0)
		return fail(o, arch_is_vector(o->point->arch, reg) ?
				       vector_register :
				       arena_printf(o->point->arena, "the register %s is not known",
						    reg));
	if (o->type->kind == TY_FLOAT) { /* its bits */
		push(o, LOP_REG, off);
		return finish_steps(o, true);
	}
	byte = MIN(o->loc->size, size);
	o->loc->kind = LOC_REG;
	o->loc->offset = (u32)off;
	o->loc->size = (u8)byte;
	return true;
}

static bool push_register(struct operand *o, const char *reg, u32 *size)
{
	s32 off = arch_reg_offset(o->point->arch, reg, size);

	if (off < 0)
		return fail(o, arena_printf(o->point->arena, "the register %s is not known", reg));
	push(o, LOP_REG, off);
	return true;
}

static bool at_base(struct operand *o, const char *base, s64 displacement)
{
	s32 off = arch_reg_offset(o->point->arch, base, NULL);

	if (off < 0)
		return fail(o, arena_printf(o->point->arena, "the register %s is not known", base));
	if (displacement < INT32_MIN || displacement > INT32_MAX)
		return fail(o, "its displacement is too large");
	if (o->type->kind == TY_FLOAT) { /* its address is needed, not its word */
		push(o, LOP_REG, off);
		push(o, LOP_CONST, displacement);
		push(o, LOP_ADD, 0);
		return finish_steps(o, false);
	}
	o->loc->kind = LOC_STACK;
	o->loc->offset = (u32)off;
	o->loc->inner = (s32)displacement;
	return true;
}

static s64 cut(s64 value, u32 size, bool is_signed)
{
	u32 unused = 64 - 8 * size;

	return is_signed ? (s64)((u64)value << unused) >> unused :
			   (s64)((u64)value << unused >> unused);
}

/* "3.5e+0": the bits of a double or float. */
static bool float_constant(struct operand *o)
{
	char *end;
	double d = strtod(o->s, &end);
	float f = (float)d;
	u64 bits = 0;

	if (end == o->s || *end)
		return fail(o, unknown_form);
	if (o->loc->size == 4)
		memcpy(&bits, &f, sizeof f);
	else
		memcpy(&bits, &d, sizeof d);
	o->s = end;
	push(o, LOP_CONST, (s64)bits);
	return finish_steps(o, true);
}

static bool constant(struct operand *o)
{
	struct address a;

	if (o->type->kind == TY_FLOAT)
		return float_constant(o);
	if (!address(o, &a))
		return false;
	if (a.has_symbol) {
		a.is_got = true;
		return at_symbol(o, &a);
	}
	o->loc->kind = LOC_CONST;
	o->loc->value = cut(a.offset, o->loc->size, o->loc->is_signed);
	return true;
}

/* ---- x86-64 */

static char *x86_register(struct operand *o)
{
	if (*o->s != '%')
		return NULL;
	o->s++;
	return name(o);
}

/* "(base,index,scale)": base or index may be missing. */
static bool x86_indexed(struct operand *o, const struct address *a, const char *base)
{
	u32 size;
	const char *index;
	s64 scale = 1;

	if (base && !push_register(o, base, &size))
		return false;
	o->s++;
	blanks(o);
	index = x86_register(o);
	if (!index || !push_register(o, index, &size))
		return fail(o, unknown_form);
	if (skip(o, ",") && !number(o, &scale))
		return fail(o, unknown_form);
	if (scale != 1) {
		push(o, LOP_CONST, scale);
		push(o, LOP_MUL, 0);
	}
	if (base)
		push(o, LOP_ADD, 0);
	if (a->offset) {
		push(o, LOP_CONST, a->offset);
		push(o, LOP_ADD, 0);
	}
	if (a->has_symbol)
		return fail(o, unknown_form);
	return skip(o, ")") && finish_steps(o, false);
}

static bool x86_memory(struct operand *o)
{
	struct address a;
	const char *base;

	if (!address(o, &a))
		return false;
	if (!skip(o, "("))
		return a.has_symbol ? at_symbol(o, &a) : fail(o, "it is at an absolute address");
	base = x86_register(o);
	if (*o->s == ',')
		return x86_indexed(o, &a, base);
	if (!base || !skip(o, ")"))
		return fail(o, unknown_form);
	if (a.has_symbol)
		return streq(base, "rip") ? at_symbol(o, &a) : fail(o, unknown_form);
	if (streq(base, "rip"))
		return fail(o, unknown_form);
	return at_base(o, base, a.offset);
}

static bool x86_operand(struct operand *o)
{
	const char *reg;

	if (skip(o, "$"))
		return constant(o);
	if (skip(o, "%fs:") || skip(o, "%gs:"))
		return fail(o, "it is in thread-local storage");
	if ((reg = x86_register(o)))
		return *o->s == '(' ? fail(o, vector_register) /* %st(1) */ : in_register(o, reg);
	return x86_memory(o);
}

/* ---- arm64 */

/* These read as 0 and are not in struct pt_regs. */
static bool is_zero(const char *reg)
{
	return streq(reg, "xzr") || streq(reg, "wzr");
}

static bool is_register(const struct operand *o, const char *reg)
{
	return is_zero(reg) || arch_reg_offset(o->point->arch, reg, NULL) >= 0;
}

static bool arm_push(struct operand *o, const char *reg, u32 *size)
{
	if (!is_zero(reg))
		return push_register(o, reg, size);
	*size = 8;
	push(o, LOP_CONST, 0);
	return true;
}

/* After an index: ", lsl 3", ", sxtw #2", ", uxtw". Only the lower half of a w register is used. */
static bool arm_extend(struct operand *o, u32 size)
{
	bool is_signed = false;
	s64 shift = 0;

	blanks(o);
	if (skip(o, ",")) {
		blanks(o);
		is_signed = skip(o, "sxtw") || skip(o, "sxtx");
		if (!is_signed && !skip(o, "uxtw") && !skip(o, "uxtx") && !skip(o, "lsl"))
			return fail(o, unknown_form);
		blanks(o);
		skip(o, "#");
		number(o, &shift);
	}
	if (shift < 0 || shift > 4)
		return fail(o, unknown_form);
	if (size == 4)
		o->step[o->n_steps++] =
			(struct loc_step){ .op = LOP_EXT, .size = 4, .is_signed = is_signed };
	if (shift) {
		push(o, LOP_CONST, shift);
		push(o, LOP_SHL, 0);
	}
	return true;
}

/* "x1", "x1, lsl 3", "w1, sxtw 2", "w1, uxtw" after the base. */
static bool arm_indexed(struct operand *o, const char *base, const char *index)
{
	u32 size;

	if (!arm_push(o, base, &size) || !arm_push(o, index, &size) || !arm_extend(o, size))
		return false;
	push(o, LOP_ADD, 0);
	blanks(o);
	return skip(o, "]") && finish_steps(o, false);
}

/* "16", "#-8", ":lo12:sym+4": the linker puts the page of sym into the base. */
static bool arm_offset(struct operand *o, struct address *a)
{
	skip(o, "#");
	if (number(o, &a->offset))
		return true;
	if (!skip(o, ":lo12:") || !address(o, a))
		return fail(o, unknown_form);
	a->offset = (s64)((a->symbol + (u64)a->offset) & 0xfff);
	return true;
}

/*
 * After "[". Updates of the base ("[x0, 8]!", "[x0], 8") do not happen at a probe: the value is
 * read from the address that the access would use.
 */
static bool arm_memory(struct operand *o)
{
	const char *base = name(o), *rest;
	struct address a = { 0 };
	char *index;
	s64 after;

	if (!base)
		return fail(o, unknown_form);
	blanks(o);
	if (skip(o, ",")) {
		blanks(o);
		rest = o->s;
		index = name(o);
		if (index && is_register(o, index))
			return arm_indexed(o, base, index);
		o->s = rest;
		if (!arm_offset(o, &a))
			return false;
	}
	blanks(o);
	if (!skip(o, "]"))
		return fail(o, unknown_form);
	if (!skip(o, "!") && skip(o, ",")) {
		blanks(o);
		skip(o, "#");
		if (!number(o, &after))
			return fail(o, unknown_form);
	}
	return at_base(o, base, a.offset);
}

static bool arm_operand(struct operand *o)
{
	const char *begin = o->s;
	char *reg;

	if (skip(o, "["))
		return arm_memory(o);
	if (skip(o, "#") || *o->s == '-' || (*o->s >= '0' && *o->s <= '9'))
		return constant(o);
	reg = name(o);
	if (reg && is_zero(reg) && o->type->kind != TY_FLOAT) {
		o->loc->kind = LOC_CONST;
		return true;
	}
	if (reg && (!*o->s || *o->s == '[') &&
	    arch_is_vector(o->point->arch, reg)) /* "d0", "v0.d[1]" */
		return fail(o, vector_register);
	if (reg && !*o->s && is_zero(reg)) {
		push(o, LOP_CONST, 0);
		return finish_steps(o, true);
	}
	if (reg && !*o->s && arch_reg_offset(o->point->arch, reg, NULL) >= 0)
		return in_register(o, reg);
	o->s = begin;
	return constant(o);
}

/* ---- all arguments */

/* An operand ends at a blank outside brackets, except that of "[x0], 8". */
static size_t operand_len(const char *s)
{
	size_t n = 0;
	int depth = 0;

	for (; s[n] && (s[n] != ' ' || depth > 0 || (n && s[n - 1] == ',')); n++)
		depth += (s[n] == '[' || s[n] == '(') - (s[n] == ']' || s[n] == ')');
	return n;
}

/* "-4@", "8f@"; without one the argument is a word. */
static bool parse_size(struct operand *o)
{
	const char *at = strchr(o->s, '@'), *s = o->s;
	char *end;
	unsigned long n;

	o->loc->size = 8;
	o->type = &ty_u64;
	if (!at || at[1] == 'G' ||
	    strcspn(s, "%$([") < (size_t)(at - s)) /* foo@GOTPCREL, %fs:x@tpoff */
		return true;
	o->loc->is_signed = *s == '-';
	n = strtoul(s + o->loc->is_signed, &end, 10);
	o->s = at + 1;
	if (*end == 'f') {
		o->is_float = true;
		end++;
	}
	if (o->is_float && (n == 4 || n == 8)) {
		o->type = n == 4 ? &ty_f32 : &ty_f64;
	} else if (n == 1 || n == 2 || n == 4 || n == 8) {
		o->type = type_int((u32)n, o->loc->is_signed);
	} else {
		return fail(o, arena_printf(o->point->arena, "it has %lu bytes", n));
	}
	o->loc->size = (u8)n;
	return end == at ? true : fail(o, "its size is of no form that is known");
}

static bool is_whole(struct operand *o)
{
	return !*o->s || fail(o, unknown_form);
}

static void parse_one(const struct usdt_point *point, const char *text, enum usdt_kind kind,
		      struct arg_desc *arg)
{
	struct operand o = {
		.point = point, .s = text, .loc = &arg->loc, .is_float = kind == USDT_FLOAT
	};
	bool good = parse_size(&o) &&
		    (point->arch == &arch_arm64 ? arm_operand(&o) : x86_operand(&o)) &&
		    is_whole(&o);

	arg->type = o.type;
	if (good)
		return;
	arg->loc = (struct loc){ .kind = LOC_NONE };
	arg->why = o.why ? o.why : unknown_form;
}

u32 usdt_parse_args(const struct usdt_point *point, const char *text, struct arg_desc *args,
		    u32 max)
{
	u32 n = 0;

	max = MIN(max, (u32)USDT_MAX_ARGS);
	for (const char *s = text; n < max; n++) {
		size_t len;

		s += strspn(s, " ");
		len = operand_len(s);
		if (!len)
			break;
		args[n] = (struct arg_desc){ .name = names[n] };
		parse_one(point, arena_strndup(point->arena, s, len), usdt_kind(point->kinds, n),
			  &args[n]);
		s += len;
	}
	return n;
}
