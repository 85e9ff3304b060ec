/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters, locals and globals in scope at an address, with their locations there. An unreadable
 * variable is still listed, with the reason: reporting "optimized out" before attaching is better
 * than printing zeros.
 */
#include "object/dwarf_file.h"
#include "object/elf.h"

#if SONDE_HAVE_LIBDW

/* ---- location of one variable */

static bool is_range_form(unsigned form)
{
	return form == DW_FORM_sec_offset || form == DW_FORM_loclistx || form == DW_FORM_data4 ||
	       form == DW_FORM_data8;
}

s64 dwarf_extended(const struct type *t, u64 word)
{
	u32 shift = t->size && t->size < 8 ? 64 - t->size * 8 : 0;

	return t->is_signed ? (s64)(word << shift) >> shift : (s64)(word << shift >> shift);
}

/* A constant larger than a word: its bytes, in words. */
static void constant_bytes(struct dwarf *d, struct dwarf_var *v, const u8 *bytes)
{
	u32 n = (v->type->size + 7) / 8;
	struct loc_piece *p = arena_array(&d->arena, struct loc_piece, n);

	for (u32 i = 0; i < n; i++) {
		p[i].size = MIN(v->type->size - i * 8, 8u);
		p[i].loc.kind = LOC_CONST;
		memcpy(&p[i].loc.value, bytes + (size_t)i * 8, p[i].size);
	}
	v->loc = (struct loc){ .kind = LOC_PIECES, .piece = p, .n = n };
}

static void constant(struct dwarf *d, Dwarf_Attribute *a, struct dwarf_var *v)
{
	u64 word[LOC_MAX_PIECES] = { 0 };
	Dwarf_Sword s;
	Dwarf_Word u;
	Dwarf_Block block;

	if (v->type->size > sizeof word)
		v->why = "it is a constant that is too large";
	else if (d->f->dwarf_whatform(a) == DW_FORM_sdata ||
		 d->f->dwarf_whatform(a) == DW_FORM_implicit_const)
		word[0] = d->f->dwarf_formsdata(a, &s) == 0 ? (u64)s : 0;
	else if (v->type->is_signed && d->f->dwarf_formsdata(a, &s) == 0)
		word[0] = (u64)s;
	else if (d->f->dwarf_formudata(a, &u) == 0)
		word[0] = u;
	else if (d->f->dwarf_formblock(a, &block) == 0 && block.length <= sizeof word)
		memcpy(word, block.data, block.length);
	else
		v->why = "it is a constant that is not a number";
	if (v->why)
		return;
	if (d->f->dwarf_whatform(a) == DW_FORM_sdata && (s64)word[0] < 0) /* __int128 */
		memset(word + 1, 0xff, sizeof word - sizeof *word);
	if (type_is_scalar(v->type))
		v->loc = (struct loc){ .kind = LOC_CONST,
				       .value = dwarf_extended(v->type, word[0]),
				       .size = 8 };
	else
		constant_bytes(d, v, (const u8 *)word);
}

enum gcc { GCC_NOT, GCC_UNOPTIMIZED, GCC_OPTIMIZED };

static enum gcc gcc_of(struct dwarf *d, struct unit *u)
{
	const char *by = die_string(d, &u->body, DW_AT_producer), *level;

	if (!by || !starts_with(by, "GNU"))
		return GCC_NOT;
	level = strstr(by, " -O");
	return level && level[3] != '0' ? GCC_OPTIMIZED : GCC_UNOPTIMIZED;
}

static bool is_in_register(const Dwarf_Op *ops, size_t n)
{
	return n == 1 && ((ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31) ||
			  (ops->atom >= DW_OP_breg0 && ops->atom <= DW_OP_breg31) ||
			  ops->atom == DW_OP_regx || ops->atom == DW_OP_bregx);
}

/*
 * Without optimization gcc describes variables in a register (declared so, or addresses of large
 * structures on arm64) as being there throughout the function, although the first instructions fill
 * it.
 */
static bool is_filled_later(struct dwarf *d, struct scopes *s, const struct dwarf_var *v,
			    const Dwarf_Op *ops, size_t n)
{
	return v->is_param && v->loc.kind != LOC_NONE && is_in_register(ops, n) &&
	       gcc_of(d, s->unit) == GCC_UNOPTIMIZED;
}

/* Memory based on an argument register, which calls clobber. */
static bool is_at_argument(struct dwarf *d, const Dwarf_Op *ops, size_t n)
{
	return d->regs && n == 1 && ops->atom >= DW_OP_breg0 && ops->atom <= DW_OP_breg31 &&
	       d->regs->arguments >> (ops->atom - DW_OP_breg0) & 1;
}

/*
 * gcc gives a structure (or __int128) that was passed in registers one location for the whole
 * function, those registers or a stack slot, even if the registers are reused and the stores to the
 * slot were eliminated as dead (seen with 12.2 at -O1 and -O2). Unoptimized arm64 code does the
 * same with a large structure that the function does not use: the register that held its address
 * (12.2).
 */
static bool may_be_unstored(struct dwarf *d, struct scopes *s, const struct dwarf_var *v,
			    const Dwarf_Op *ops, size_t n)
{
	bool by_caller = n == 1 && ops[0].atom == DW_OP_fbreg && (s64)ops[0].number >= 0 &&
			 v->type->kind == TY_STRUCT;
	enum gcc gcc;

	if (!v->is_param || v->in_list || type_is_scalar(v->type) || v->type->kind == TY_FLOAT ||
	    by_caller)
		return false;
	gcc = gcc_of(d, s->unit);
	return gcc == GCC_OPTIMIZED || (gcc == GCC_UNOPTIMIZED && is_at_argument(d, ops, n));
}

/*
 * At the first instruction of an inlined copy gcc describes the parameter in location views of that
 * address (empty ranges), which dwarf_getlocation_addr() skips.
 */
static bool location_at_view(struct dwarf *d, Dwarf_Attribute *a, u64 pc, Dwarf_Op **ops, size_t *n)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = d->f->dwarf_getlocations(a, at, &base, &start, &end, ops, n)) > 0)
		if (start == pc && end == pc && *n)
			return true;
	return false;
}

static bool location_at(struct dwarf *d, Dwarf_Attribute *a, const struct dwarf_var *v, u64 pc,
			Dwarf_Op **ops, size_t *n)
{
	return d->f->dwarf_getlocation_addr(a, pc, ops, n, 1) == 1 ||
	       (v->is_param && v->in_list && location_at_view(d, a, pc, ops, n));
}

/*
 * clang ends a list of pieces after the last one with a location; the rest is LOC_NONE like other
 * gaps.
 */
static bool lacks_pieces(const struct dwarf_var *v)
{
	u32 size = 0;

	if (v->loc.kind != LOC_PIECES)
		return false;
	for (u32 i = 0; i < v->loc.n; i++)
		size += v->loc.piece[i].size;
	return size < v->type->size;
}

static void locate(struct dwarf *d, struct scopes *s, Dwarf_Die *die, u64 pc, struct dwarf_var *v)
{
	int func = scopes_function(d, s, false);
	struct expr_context at = { .d = d, .pc = pc, .func = func >= 0 ? &s->die[func] : NULL };
	Dwarf_Attribute a;
	Dwarf_Addr entry;
	Dwarf_Op *ops;
	size_t n;

	if (!die_location(d, die, DW_AT_location, &a)) {
		if (d->f->dwarf_attr_integrate(die, DW_AT_const_value, &a))
			constant(d, &a, v);
		else
			v->why = "it was optimized out";
		return;
	}
	at.attr = &a;
	at.at_entry = at.func && d->f->dwarf_entrypc(at.func, &entry) == 0 && entry == pc;
	v->in_list = is_range_form(d->f->dwarf_whatform(&a));
	if (!location_at(d, &a, v, pc, &ops, &n)) {
		v->why =
			v->in_list ?
				"it was optimized out here (it has a location at other addresses)" :
				"it was optimized out";
		return;
	}
	if (v->is_param && n == 2 && ops[0].atom == DW_OP_fbreg && ops[1].atom == DW_OP_deref)
		v->by_reference =
			true; /* gcc's equivalent of DW_CC_pass_by_reference before DWARF 5 */
	if (!expr_to_loc(&at, ops, n, &v->loc, &v->why))
		v->loc = (struct loc){ 0 };
	v->gap = v->loc.kind != LOC_PIECES ? NULL :
		 at.gap                    ? at.gap :
		 lacks_pieces(v)           ? dwarf_partly :
					     NULL;
	v->in_frame = !v->in_list && (at.used_frame || is_filled_later(d, s, v, ops, n));
	if (!at.at_entry && may_be_unstored(d, s, v, ops, n)) {
		v->loc = (struct loc){ 0 };
		v->why =
			"gcc does not tell whether its code has stored it: read it at the function's entry";
	}
}

static bool fits_register(const struct type *t)
{
	return type_is_scalar(t) || t->size <= 8;
}

/* A register holds a scalar's low bytes; other values that fit are copied to the program's
 * memory. */
static void settle(struct dwarf *d, struct dwarf_var *v)
{
	struct loc_piece *p;

	if (v->loc.kind != LOC_REG)
		return;
	if (!fits_register(v->type)) {
		v->loc = (struct loc){ 0 };
		v->why = "its location is too small for its type";
		return;
	}
	if (type_is_scalar(v->type)) {
		v->loc.size = (u8)v->type->size;
		v->loc.is_signed = v->type->is_signed;
		return;
	}
	p = arena_new(&d->arena, struct loc_piece);
	*p = (struct loc_piece){ v->loc, v->type->size };
	v->loc = (struct loc){ .kind = LOC_PIECES, .piece = p, .n = 1 };
}

static void describe(struct dwarf *d, struct scopes *s, Dwarf_Die *die, u64 pc, struct dwarf_var *v)
{
	u64 line = 0;

	*v = (struct dwarf_var){ .name = d->f->dwarf_diename(die) };
	if (!v->name)
		v->name = "";
	v->is_param = d->f->dwarf_tag(die) == DW_TAG_formal_parameter;
	v->is_result = die_flag(d, die, DW_AT_variable_parameter);
	v->type = die_type_of(d, die, &v->by_reference);
	if (die_number(d, die, DW_AT_decl_line, &line))
		v->line = (u32)line;
	locate(d, s, die, pc, v);
	settle(d, v);
	if (v->loc.kind != LOC_NONE && v->type->kind == TY_ERROR) {
		v->loc = (struct loc){ 0 };
		v->why = "its type is not one that sonde knows";
	}
}

/* ---- variables of one scope */

static bool is_variable(int tag)
{
	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter || tag == DW_TAG_constant;
}

struct walk {
	struct dwarf *d;
	struct scopes *s;
	u64 pc;
	dwarf_var_fn f;
	void *ctx;
	struct hash seen;
	bool params_only;
	int n;
};

static int walk_scope(struct walk *w, Dwarf_Die *scope)
{
	struct dwarf *d = w->d;
	struct dwarf_var v;
	Dwarf_Die die;
	int stop;

	if (!die_child(d, scope, &die))
		return 0;
	do {
		int tag = d->f->dwarf_tag(&die);
		const char *name;

		if (!is_variable(tag) || (w->params_only && tag != DW_TAG_formal_parameter))
			continue;
		name = d->f->dwarf_diename(&die);
		if (!w->params_only && (!name || hash_puts(&w->seen, name, w)))
			continue;
		describe(d, w->s, &die, w->pc, &v);
		w->n++;
		stop = w->f(w->ctx, &v);
		if (stop)
			return stop;
	} while (die_next(d, &die));
	return 0;
}

static bool named_in(struct dwarf *d, Dwarf_Die *scope, const char *name, Dwarf_Die *out)
{
	Dwarf_Die die;

	if (!die_child(d, scope, &die))
		return false;
	do {
		const char *s = is_variable(d->f->dwarf_tag(&die)) ? d->f->dwarf_diename(&die) :
								     NULL;

		if (s && streq(s, name)) {
			*out = die;
			return true;
		}
	} while (die_next(d, &die));
	return false;
}

/* clang omits parameters of an inlined copy for which it has no value: the definition lists them,
 * without a location. */
static int walk_dropped(struct walk *w, Dwarf_Die *copy)
{
	struct dwarf *d = w->d;
	Dwarf_Die origin, die, same;
	struct dwarf_var v;
	int stop = 0;

	if (d->f->dwarf_tag(copy) != DW_TAG_inlined_subroutine ||
	    !die_ref(d, copy, DW_AT_abstract_origin, &origin) || !die_child(d, &origin, &die))
		return 0;
	do {
		const char *name = d->f->dwarf_diename(&die);

		if (d->f->dwarf_tag(&die) != DW_TAG_formal_parameter || !name ||
		    named_in(d, copy, name, &same))
			continue;
		describe(d, w->s, &die, w->pc, &v);
		w->n++;
		stop = w->f(w->ctx, &v);
	} while (!stop && die_next(d, &die));
	return stop;
}

int dwarf_params(struct dwarf *d, u64 pc, bool inner, dwarf_var_fn f, void *ctx)
{
	struct scopes s;
	struct walk w = { .d = d, .s = &s, .pc = pc, .f = f, .ctx = ctx, .params_only = true };
	int i = dwarf_scopes(d, pc, &s) ? scopes_function(d, &s, inner) : -1, stop;

	if (i < 0)
		return -1;
	stop = walk_scope(&w, &s.die[i]);
	if (!stop)
		stop = walk_dropped(&w, &s.die[i]);
	return stop ? stop : w.n;
}

int dwarf_vars(struct dwarf *d, u64 pc, dwarf_var_fn f, void *ctx)
{
	struct scopes s;
	struct walk w = { .d = d, .s = &s, .pc = pc, .f = f, .ctx = ctx };
	int stop = 0, tag;

	if (!dwarf_scopes(d, pc, &s))
		return -1;
	for (u32 i = s.n; i-- > 1 && !stop;) {
		stop = walk_scope(&w, &s.die[i]);
		tag = d->f->dwarf_tag(&s.die[i]);
		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			break;
	}
	hash_release(&w.seen);
	return stop ? stop : w.n;
}

/* ---- lookup by name */

/* A global with a location: declarations and abstract definitions have none. */
static bool global_in(struct dwarf *d, Dwarf_Die *of, const char *name, Dwarf_Die *out, u32 depth)
{
	Dwarf_Die die;

	if (depth > 8 || !die_child(d, of, &die))
		return false;
	do {
		int tag = d->f->dwarf_tag(&die);
		const char *s = tag == DW_TAG_variable ? d->f->dwarf_diename(&die) : NULL;

		if (tag == DW_TAG_namespace && global_in(d, &die, name, out, depth + 1))
			return true;
		if (!s || !streq(s, name))
			continue;
		if (d->f->dwarf_hasattr_integrate(&die, DW_AT_location) ||
		    d->f->dwarf_hasattr_integrate(&die, DW_AT_const_value)) {
			*out = die;
			return true;
		}
	} while (die_next(d, &die));
	return false;
}

static bool find_global(struct dwarf *d, struct unit *here, const char *name, Dwarf_Die *out)
{
	if (here && global_in(d, &here->body, name, out, 0))
		return true;
	for (u32 i = 0; i < d->units.n; i++)
		if (&d->units.v[i] != here && global_in(d, &d->units.v[i].body, name, out, 0))
			return true;
	return false;
}

/* The variable is in a lexical block that has no code here. */
static bool elsewhere_in(struct dwarf *d, Dwarf_Die *scope, const char *name, u32 depth)
{
	Dwarf_Die die;

	if (named_in(d, scope, name, &die))
		return true;
	if (depth > MAX_SCOPES || !die_child(d, scope, &die))
		return false;
	do {
		if (d->f->dwarf_tag(&die) == DW_TAG_lexical_block &&
		    elsewhere_in(d, &die, name, depth + 1))
			return true;
	} while (die_next(d, &die));
	return false;
}

bool dwarf_var(struct dwarf *d, u64 pc, const char *name, struct dwarf_var *out)
{
	struct scopes s;
	Dwarf_Die die;
	int func;

	dwarf_scopes(d, pc, &s);
	for (u32 i = s.n; i-- > 1;)
		if (named_in(d, &s.die[i], name, &die)) {
			describe(d, &s, &die, pc, out);
			return true;
		}
	func = scopes_function(d, &s, true);
	if (func > 0 && elsewhere_in(d, &s.die[func], name, 0)) {
		*out = (struct dwarf_var){ .name = name, .type = &ty_error };
		out->why = "the block that declares it has no code at this address";
		return true;
	}
	if (!find_global(d, s.unit, name, &die))
		return false;
	describe(d, &s, &die, pc, out);
	out->is_global = true;
	return true;
}

#endif
