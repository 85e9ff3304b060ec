/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions at a code address. Entries are walked by hand, because libdw's
 * dwarf_getscopes() continues with the scopes of an inlined function's definition and omits the
 * function whose frame it runs in.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "object/dwarf_file.h"
#include "object/elf.h"

#if SONDE_HAVE_LIBDW

/* ---- entries */

bool die_child(const struct dwarf *d, Dwarf_Die *of, Dwarf_Die *out)
{
	return d->f->dwarf_child(of, out) == 0;
}

bool die_next(const struct dwarf *d, Dwarf_Die *die)
{
	Dwarf_Die next;

	if (d->f->dwarf_siblingof(die, &next) != 0)
		return false;
	*die = next;
	return true;
}

bool die_flag(const struct dwarf *d, Dwarf_Die *die, unsigned attr)
{
	Dwarf_Attribute a;
	bool yes = false;

	return d->f->dwarf_attr_integrate(die, attr, &a) && d->f->dwarf_formflag(&a, &yes) == 0 &&
	       yes;
}

bool die_number(const struct dwarf *d, Dwarf_Die *die, unsigned attr, u64 *out)
{
	Dwarf_Attribute a;
	Dwarf_Word v;

	if (!d->f->dwarf_attr_integrate(die, attr, &a) || d->f->dwarf_formudata(&a, &v) != 0)
		return false;
	*out = v;
	return true;
}

bool die_ref(const struct dwarf *d, Dwarf_Die *die, unsigned attr, Dwarf_Die *out)
{
	Dwarf_Attribute a;

	return d->f->dwarf_attr_integrate(die, attr, &a) && d->f->dwarf_formref_die(&a, out);
}

/*
 * Go writes DWARF 4 with DW_FORM_block1 as in DWARF 3; libdw does not accept it for expressions
 * from version 4 on. A block of less than 128 bytes has the same encoding as an exprloc.
 */
bool die_location(const struct dwarf *d, Dwarf_Die *die, unsigned attr, Dwarf_Attribute *out)
{
	if (!d->f->dwarf_attr_integrate(die, attr, out))
		return false;
	if (out->form == DW_FORM_block1 && *out->valp < 128)
		out->form = DW_FORM_exprloc;
	return true;
}

const char *die_string(const struct dwarf *d, Dwarf_Die *die, unsigned attr)
{
	Dwarf_Attribute a;

	return d->f->dwarf_attr_integrate(die, attr, &a) ? d->f->dwarf_formstring(&a) : NULL;
}

/* ---- code to scopes */

static int by_low(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

/*
 * Finds the sorted range that covers pc. Ranges do not overlap, except those of code that a linker
 * dropped, which begin at 0 and so come first; for other compilers, a few before the nearest are
 * tried.
 */
static const struct code *code_at(const struct code *v, u32 n, u64 pc)
{
	enum { TRIES = 8 };
	u32 low = 0, high = n;

	while (low < high) {
		u32 mid = (low + high) / 2;

		if (v[mid].low <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	for (u32 i = 0; i < TRIES && low-- > 0; i++)
		if (pc < v[low].high)
			return &v[low];
	return NULL;
}

static void index_units(struct dwarf *d)
{
	Dwarf_Addr base, low, high;

	d->has_code = true;
	for (u32 i = 0; i < d->units.n; i++)
		for (ptrdiff_t at = 0;
		     (at = d->f->dwarf_ranges(&d->units.v[i].die, at, &base, &low, &high)) > 0;)
			vec_push(&d->arena, &d->code,
				 (struct code){ low, high, d->units.v[i].die, i });
	if (d->code.n)
		qsort(d->code.v, d->code.n, sizeof d->code.v[0], by_low);
}

struct unit *dwarf_unit_at(struct dwarf *d, u64 pc)
{
	const struct code *c;

	if (!d->has_code)
		index_units(d);
	c = code_at(d->code.v, d->code.n, pc);
	return c ? &d->units.v[c->unit] : NULL;
}

/* Entries without addresses that may contain functions. */
static bool is_container(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: /* Rust: methods of enums */ return true;
	}
	return false;
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static bool descend(struct dwarf *d, Dwarf_Die *die, u64 pc, struct scopes *out, u32 depth)
{
	Dwarf_Die c;

	if (depth > MAX_SCOPES || !die_child(d, die, &c))
		return false;
	do {
		int tag = d->f->dwarf_tag(&c);

		if (is_container(tag) && descend(d, &c, pc, out, depth + 1))
			return true;
		if (!is_scope(tag) || d->f->dwarf_haspc(&c, pc) <= 0 || out->n == MAX_SCOPES)
			continue;
		out->die[out->n++] = c;
		descend(d, &c, pc, out, depth + 1);
		return true;
	} while (die_next(d, &c));
	return false;
}

/* The functions outside of others, with their addresses; inner: nested ones too. */
static void index_functions(struct dwarf *d, struct unit *u, Dwarf_Die *of, bool inner, u32 depth)
{
	Dwarf_Addr base, low, high;
	Dwarf_Die die;

	if (depth > MAX_SCOPES || !die_child(d, of, &die))
		return;
	do {
		int tag = d->f->dwarf_tag(&die);
		ptrdiff_t at = 0;

		if (is_container(tag) || (inner && is_scope(tag)))
			index_functions(d, u, &die, inner, depth + 1);
		while (tag == DW_TAG_subprogram &&
		       (at = d->f->dwarf_ranges(&die, at, &base, &low, &high)) > 0)
			vec_push(&d->arena, &u->funcs, (struct code){ low, high, die, 0 });
	} while (die_next(d, &die));
}

static const struct code *indexed(struct dwarf *d, struct unit *u, u64 pc, bool inner)
{
	bool *done = inner ? &u->has_inner : &u->has_funcs;

	if (!*done) {
		*done = true;
		u->funcs.n = 0;
		index_functions(d, u, &u->body, inner, 0);
		if (u->funcs.n)
			qsort(u->funcs.v, u->funcs.n, sizeof u->funcs.v[0], by_low);
	}
	return code_at(u->funcs.v, u->funcs.n, pc);
}

/* The child that is or contains target; an entry ends where the next one begins. */
static bool child_towards(struct dwarf *d, Dwarf_Die *of, const void *target, Dwarf_Die *out)
{
	Dwarf_Die next;

	if (!die_child(d, of, out))
		return false;
	for (next = *out; die_next(d, &next) && (u8 *)next.addr <= (const u8 *)target; *out = next)
		;
	return (const u8 *)out->addr <= (const u8 *)target;
}

/* Blocks that cover pc, without inlined functions. */
static void descend_blocks(struct dwarf *d, u64 pc, struct scopes *out)
{
	Dwarf_Die c;
	bool found = true;

	while (found && out->n < MAX_SCOPES && die_child(d, &out->die[out->n - 1], &c)) {
		do
			found = d->f->dwarf_tag(&c) == DW_TAG_lexical_block &&
				d->f->dwarf_haspc(&c, pc) > 0;
		while (!found && die_next(d, &c));
		if (found)
			out->die[out->n++] = c;
	}
}

static bool scopes_of_instance(struct dwarf *d, struct scopes *out)
{
	struct unit *u = &d->units.v[d->stay.unit];
	Dwarf_Die at = u->body;

	*out = (struct scopes){ .unit = u };
	out->die[out->n++] = at;
	while (at.addr != d->stay.entry && out->n < MAX_SCOPES) {
		if (!child_towards(d, &at, d->stay.entry, &at))
			return false;
		if (is_scope(d->f->dwarf_tag(&at)))
			out->die[out->n++] = at;
	}
	descend_blocks(d, d->stay_pc, out);
	return true;
}

void dwarf_stay_in(struct dwarf *d, u64 pc, const struct dwarf_instance *instance)
{
	d->stay = *instance;
	d->stay_pc = pc;
}

bool dwarf_scopes(struct dwarf *d, u64 pc, struct scopes *out)
{
	struct unit *u = dwarf_unit_at(d, pc);
	const struct code *c;

	if (d->stay.entry && d->stay_pc == pc)
		return scopes_of_instance(d, out);
	out->n = 0;
	out->unit = u;
	if (!u)
		return false;
	out->die[out->n++] = u->body;
	c = indexed(d, u, pc, false);
	if (!c) /* g++: a lambda or local class is inside its function */
		c = indexed(d, u, pc, true);
	if (!c)
		return false;
	out->die[out->n++] = c->die;
	descend(d, &out->die[1], pc, out, 0);
	return true;
}

int scopes_function(const struct dwarf *d, struct scopes *s, bool inner)
{
	for (u32 i = s->n; i-- > 1;) {
		int tag = d->f->dwarf_tag(&s->die[i]);

		if (tag == DW_TAG_subprogram || (inner && tag == DW_TAG_inlined_subroutine))
			return (int)i;
	}
	return -1;
}

/* ---- functions */

const char *die_linkage_name(const struct dwarf *d, Dwarf_Die *die)
{
	const char *s = die_string(d, die, DW_AT_linkage_name);

	return s ? s : die_string(d, die, DW_AT_MIPS_linkage_name);
}

/* DW_CC_nocall: the function does not follow the calling convention. */
static bool has_own_convention(const struct dwarf *d, Dwarf_Die *die)
{
	u64 how;

	return die_number(d, die, DW_AT_calling_convention, &how) && how == DW_CC_nocall;
}

static void describe(struct dwarf *d, struct unit *u, Dwarf_Die *die, struct dwarf_func *out)
{
	const char *producer = die_string(d, &u->body, DW_AT_producer);
	Dwarf_Addr base, low, high, entry;
	ptrdiff_t at = 0;

	*out = (struct dwarf_func){ .language = u->language,
				    .instance = { die->addr, (u32)(u - d->units.v) } };
	out->name = d->f->dwarf_diename(die);
	if (!out->name)
		out->name = "";
	out->producer = producer ? producer : "";
	out->linkage_name = die_linkage_name(d, die);
	out->inlined = d->f->dwarf_tag(die) == DW_TAG_inlined_subroutine;
	out->external = die_flag(d, die, DW_AT_external);
	out->is_changed = has_own_convention(d, die);
	if (d->f->dwarf_entrypc(die, &entry) == 0)
		out->entry = entry;
	while (out->n_ranges < DWARF_MAX_RANGES &&
	       (at = d->f->dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		out->range[out->n_ranges].low = low;
		out->range[out->n_ranges++].high = high;
	}
	if (!out->entry && out->n_ranges)
		out->entry = out->range[0].low;
	out->result = die_type_of(d, die, &out->result_by_reference);
}

static bool function_at(struct dwarf *d, u64 pc, bool inner, struct dwarf_func *out)
{
	struct scopes s;
	int i = dwarf_scopes(d, pc, &s) ? scopes_function(d, &s, inner) : -1;

	if (i < 0)
		return false;
	describe(d, s.unit, &s.die[i], out);
	return true;
}

const char *dwarf_why_nothing(struct dwarf *d, u64 pc)
{
	struct unit *u = dwarf_unit_at(d, pc);
	const char *name, *packed = arena_printf(&d->arena, "%s.dwp", d->path);

	if (!u || !u->is_missing)
		return "the debug information does not cover this code";
	if (access(packed, F_OK) == 0)
		return arena_printf(
			&d->arena,
			"its debug information is packed in %s, which libdw reads since elfutils 0.191",
			packed);
	name = die_string(d, &u->die, DW_AT_dwo_name);
	if (!name)
		name = die_string(d, &u->die, DW_AT_GNU_dwo_name);
	return arena_printf(
		&d->arena,
		"its debug information is in %s, which is missing: put it next to the program",
		name ? name : "a .dwo file");
}

bool dwarf_func_at(struct dwarf *d, u64 pc, struct dwarf_func *out)
{
	return function_at(d, pc, false, out);
}

bool dwarf_inline_at(struct dwarf *d, u64 pc, struct dwarf_func *out)
{
	return function_at(d, pc, true, out);
}

/* The line is in the function, or in the text of a function with that name. */
static bool has_line(struct dwarf *d, Dwarf_Die *func, const char *file, u32 line)
{
	const char *name = d->f->dwarf_diename(func);
	struct text_body body[DWARF_MAX_BODIES];
	u32 n = name ? dwarf_bodies(d, name, body) : 0;

	for (u32 i = 0; i < n; i++)
		if (line >= body[i].first && line <= body[i].last && streq(body[i].file, file))
			return true;
	return false;
}

bool dwarf_instance_of_line(struct dwarf *d, u64 pc, const char *file, u32 line,
			    struct dwarf_instance *out)
{
	struct scopes s;
	bool is_first = true;

	if (!dwarf_scopes(d, pc, &s))
		return false;
	for (u32 i = s.n; i-- > 1; is_first = false) {
		while (i > 0 && d->f->dwarf_tag(&s.die[i]) != DW_TAG_subprogram &&
		       d->f->dwarf_tag(&s.die[i]) != DW_TAG_inlined_subroutine)
			i--;
		if (!i || (is_first && d->f->dwarf_tag(&s.die[i]) == DW_TAG_subprogram))
			return false; /* no inlining here */
		if (!has_line(d, &s.die[i], file, line))
			continue;
		*out = (struct dwarf_instance){ s.die[i].addr, (u32)(s.unit - d->units.v) };
		return !is_first;
	}
	return false;
}

struct copies {
	struct dwarf *d;
	struct unit *unit;
	const char *name;
	int (*f)(void *ctx, const struct dwarf_func *copy);
	void *ctx;
	int n, stop;
};

/* The entry has this name or linkage name. */
static bool die_is_named(const struct dwarf *d, Dwarf_Die *die, const char *name)
{
	const char *s = d->f->dwarf_diename(die);

	if (s && streq(s, name))
		return true;
	s = die_linkage_name(d, die);
	return s && streq(s, name);
}

bool dwarf_is_in(struct dwarf *d, u64 pc, const char *func)
{
	struct scopes s;

	dwarf_scopes(d, pc, &s);
	for (u32 i = 1; i < s.n; i++)
		if (die_is_named(d, &s.die[i], func))
			return true;
	return false;
}

/* ---- a function's source text: from its line to that of the next function in the file */

struct bodies {
	struct dwarf *d;
	struct unit *unit;
	const char *name;
	struct text_body *list;
	u32 n;
	bool ends; /* second pass: find the ends */
};

/* In DWARF 5, file 0 is the unit's main file, which libdw before 0.190 does not report. */
static const char *declared_in(struct dwarf *d, struct unit *u, Dwarf_Die *die)
{
	u64 index;

	if (die_number(d, die, DW_AT_decl_file, &index) && !index)
		return d->f->dwarf_diename(&u->die);
	return d->f->dwarf_decl_file(die);
}

/* The first line of the text. Go has no declaration line: the line of the first instruction is
 * used. */
static bool begin_of_text(struct bodies *b, Dwarf_Die *die, const char **file, u64 *line)
{
	struct dwarf_line at;
	Dwarf_Addr entry;

	*file = declared_in(b->d, b->unit, die);
	if (*file && die_number(b->d, die, DW_AT_decl_line, line))
		return true;
	if (b->unit->language != LANGUAGE_GO || b->d->f->dwarf_entrypc(die, &entry) != 0 ||
	    !dwarf_line_at(b->d, entry, &at))
		return false;
	*file = at.file;
	*line = at.line;
	return true;
}

static void see_function(struct bodies *b, Dwarf_Die *die)
{
	struct dwarf *d = b->d;
	const char *file;
	u64 line;

	if (d->f->dwarf_hasattr(die, DW_AT_declaration) || !begin_of_text(b, die, &file, &line))
		return;
	if (!b->ends) {
		if (b->n < DWARF_MAX_BODIES && die_is_named(d, die, b->name))
			b->list[b->n++] = (struct text_body){ file, (u32)line, UINT32_MAX };
		return;
	}
	for (u32 i = 0; i < b->n; i++)
		if (line > b->list[i].first && line <= b->list[i].last &&
		    streq(file, b->list[i].file))
			b->list[i].last = (u32)line - 1;
}

static void see_functions(struct bodies *b, Dwarf_Die *of, u32 depth)
{
	Dwarf_Die die;

	if (depth > MAX_SCOPES || !die_child(b->d, of, &die))
		return;
	do {
		int tag = b->d->f->dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			see_function(b, &die);
		else if (is_container(tag))
			see_functions(b, &die, depth + 1);
	} while (die_next(b->d, &die));
}

static u32 bodies_in(struct dwarf *d, struct unit *u, const char *name, struct text_body *out,
		     u32 room)
{
	struct text_body here[DWARF_MAX_BODIES];
	struct bodies b = { .d = d, .unit = u, .name = name, .list = here };
	u32 n = 0;

	see_functions(&b, &u->body, 0);
	b.ends = true;
	if (b.n)
		see_functions(&b, &u->body, 0);
	while (n < b.n && n < room) {
		out[n] = here[n];
		n++;
	}
	return n;
}

struct symbol_units {
	struct dwarf *d;
	const char *name;
	struct unit *unit[DWARF_MAX_BODIES];
	u32 n;
};

static int add_unit(void *ctx, const struct elf_symbol *s)
{
	struct symbol_units *w = ctx;
	struct unit *u = dwarf_unit_at(w->d, s->value);

	for (u32 i = 0; i < w->n; i++)
		if (w->unit[i] == u)
			return 0;
	if (u && w->n < DWARF_MAX_BODIES && streq(s->name, w->name))
		w->unit[w->n++] = u;
	return 0;
}

/*
 * Symbols lead to the units; all units are searched only for functions without a symbol (all copies
 * inlined, C++ by plain name).
 */
u32 dwarf_bodies(struct dwarf *d, const char *name, struct text_body out[DWARF_MAX_BODIES])
{
	struct symbol_units w = { .d = d, .name = name };
	u32 n = 0;

	elf_each_function(d->file, name, add_unit, &w);
	for (u32 i = 0; i < w.n; i++)
		n += bodies_in(d, w.unit[i], name, out + n, DWARF_MAX_BODIES - n);
	for (u32 i = 0; !w.n && i < d->units.n && n < DWARF_MAX_BODIES; i++)
		n += bodies_in(d, &d->units.v[i], name, out + n, DWARF_MAX_BODIES - n);
	return n;
}

static bool same_number(const struct dwarf *d, Dwarf_Die *die, unsigned a, unsigned b)
{
	u64 x, y;

	return die_number(d, die, a, &x) && die_number(d, die, b, &y) && x == y;
}

/*
 * gcc splits a function into its first test and the rest, and may inline both. The rest is then
 * described as a copy of the function within the function, called at the line of its declaration:
 * not a call in the program. (A call of itself on the same line has another column.)
 */
static bool is_rest_of(const struct dwarf *d, Dwarf_Die *copy, Dwarf_Die *owner, const char *name)
{
	return owner && die_is_named(d, owner, name) &&
	       same_number(d, copy, DW_AT_call_line, DW_AT_decl_line) &&
	       same_number(d, copy, DW_AT_call_column, DW_AT_decl_column);
}

static bool is_function(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram;
}

/* owner: the innermost enclosing function, or NULL. */
static void find_copies(struct copies *c, Dwarf_Die *of, Dwarf_Die *owner, u32 depth)
{
	struct dwarf *d = c->d;
	struct dwarf_func copy;
	Dwarf_Die die;

	if (depth > MAX_SCOPES || c->stop || !die_child(d, of, &die))
		return;
	do {
		int tag = d->f->dwarf_tag(&die);

		if (tag == DW_TAG_inlined_subroutine && die_is_named(d, &die, c->name) &&
		    !is_rest_of(d, &die, owner, c->name)) {
			describe(d, c->unit, &die, &copy);
			if (copy.entry) {
				c->n++;
				c->stop = c->f(c->ctx, &copy);
			}
		}
		if (is_scope(tag) || is_container(tag))
			find_copies(c, &die, is_function(tag) ? &die : owner, depth + 1);
	} while (!c->stop && die_next(d, &die));
}

static void note_name(struct dwarf *d, const char *name)
{
	if (name && !hash_gets(&d->inlined.names, name))
		hash_puts(&d->inlined.names, arena_strdup(&d->arena, name), d);
}

static void index_inlined(struct dwarf *d, Dwarf_Die *of, u32 depth)
{
	Dwarf_Die die;

	if (depth > MAX_SCOPES || !die_child(d, of, &die))
		return;
	do {
		int tag = d->f->dwarf_tag(&die);

		if (tag == DW_TAG_inlined_subroutine) {
			note_name(d, d->f->dwarf_diename(&die));
			note_name(d, die_linkage_name(d, &die));
		}
		if (is_scope(tag) || is_container(tag))
			index_inlined(d, &die, depth + 1);
	} while (die_next(d, &die));
}

/* The first search walks all entries; the second one notes all names, which are then known. */
static bool is_inlined(struct dwarf *d, const char *name)
{
	enum { INDEX_FROM = 2 };

	if (d->inlined.n_searches < INDEX_FROM && ++d->inlined.n_searches == INDEX_FROM)
		for (u32 i = 0; i < d->units.n; i++)
			index_inlined(d, &d->units.v[i].body, 0);
	return d->inlined.n_searches < INDEX_FROM || hash_gets(&d->inlined.names, name);
}

int dwarf_each_inlined(struct dwarf *d, const char *name,
		       int (*f)(void *ctx, const struct dwarf_func *copy), void *ctx)
{
	struct copies c = { .d = d, .name = name, .f = f, .ctx = ctx };

	if (!is_inlined(d, name))
		return 0;
	for (u32 i = 0; i < d->units.n && !c.stop; i++) {
		c.unit = &d->units.v[i];
		find_copies(&c, &c.unit->body, NULL, 0);
	}
	return c.stop ? c.stop : c.n;
}

#else /* without libdw */

const char *dwarf_why_nothing(struct dwarf *d, u64 pc)
{
	return "this build of sonde cannot read it";
}

bool dwarf_func_at(struct dwarf *d, u64 pc, struct dwarf_func *out)
{
	return false;
}

bool dwarf_inline_at(struct dwarf *d, u64 pc, struct dwarf_func *out)
{
	return false;
}

void dwarf_stay_in(struct dwarf *d, u64 pc, const struct dwarf_instance *instance)
{
}

bool dwarf_instance_of_line(struct dwarf *d, u64 pc, const char *file, u32 line,
			    struct dwarf_instance *out)
{
	return false;
}

int dwarf_params(struct dwarf *d, u64 pc, bool inner, dwarf_var_fn f, void *ctx)
{
	return -1;
}

int dwarf_vars(struct dwarf *d, u64 pc, dwarf_var_fn f, void *ctx)
{
	return -1;
}

bool dwarf_var(struct dwarf *d, u64 pc, const char *name, struct dwarf_var *out)
{
	return false;
}

int dwarf_each_inlined(struct dwarf *d, const char *name,
		       int (*f)(void *ctx, const struct dwarf_func *copy), void *ctx)
{
	return 0;
}

u32 dwarf_bodies(struct dwarf *d, const char *name, struct text_body out[DWARF_MAX_BODIES])
{
	return 0;
}

const struct type *dwarf_find_type(struct dwarf *d, u64 pc, u8 tag, const char *name,
				   bool everywhere)
{
	return NULL;
}

bool dwarf_line_at(struct dwarf *d, u64 pc, struct dwarf_line *out)
{
	return false;
}

u32 dwarf_sources_at(struct dwarf *d, u64 pc, struct dwarf_source *out, u32 max)
{
	return 0;
}

u64 dwarf_prologue_end(struct dwarf *d, u64 pc)
{
	return 0;
}

int dwarf_each_at_line(struct dwarf *d, const struct dwarf_place *place, u32 *found,
		       int (*f)(void *ctx, const struct dwarf_line *l), void *ctx)
{
	return -ENOENT;
}

int dwarf_each_line_of(struct dwarf *d, const char *func,
		       int (*f)(void *ctx, const struct dwarf_line *l), void *ctx)
{
	return 0;
}

void dwarf_each_file(struct dwarf *d, void (*f)(void *ctx, const char *path), void *ctx)
{
}

#endif
