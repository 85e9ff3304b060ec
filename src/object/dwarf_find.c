/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds types by name. Input: a name from the script, or a declaration; output: the entry that
 * defines it. Names in namespaces and classes are distinguished: two classes often have an Impl
 * each. g++ puts the definition of a nested class outside of the enclosing one, and refers to its
 * declaration there (DW_AT_specification); type units contain a type with its enclosing namespaces.
 */
#include "object/dwarf_file.h"
#include "object/elf.h"

#if SONDE_HAVE_LIBDW

enum { MAX_PATH = 16, MAX_DEPTH = 16 };

/* The scopes of a type, from the unit inwards, and the type: a::Node::Impl. */
struct path {
	const char *name[MAX_PATH]; /* "": an anonymous namespace */
	u32 n;
	bool is_local; /* visible in its unit only */
};

struct wanted {
	struct dwarf *d;
	u8 tag; /* of the type */
	const char *name;
	const struct path *path; /* NULL: any scope */
	Dwarf_Die *out;
};

static bool is_class(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static const char *name_or_empty(const struct dwarf *d, Dwarf_Die *die)
{
	const char *s = d->f->dwarf_diename(die);

	return s ? s : "";
}

/* ---- the scopes of an entry */

/* Sets *at to its child that is or contains the entry at offset. */
static bool step_towards(const struct dwarf *d, Dwarf_Off offset, Dwarf_Die *at)
{
	Dwarf_Die child, last;

	if (!die_child(d, at, &child))
		return false;
	do {
		if (d->f->dwarf_dieoffset(&child) > offset)
			break;
		last = child;
	} while (die_next(d, &child));
	if (d->f->dwarf_dieoffset(&last) > offset)
		return false;
	*at = last;
	return true;
}

static bool path_of(const struct dwarf *d, Dwarf_Die die, struct path *out)
{
	Dwarf_Attribute a;
	Dwarf_Off offset;
	Dwarf_Die at;

	*out = (struct path){ 0 };
	if (d->f->dwarf_attr(&die, DW_AT_specification, &a) && !d->f->dwarf_formref_die(&a, &die))
		return false;
	offset = d->f->dwarf_dieoffset(&die);
	if (!d->f->dwarf_diecu(&die, &at, NULL, NULL))
		return false;
	do {
		const char *name;

		if (out->n == MAX_PATH || !step_towards(d, offset, &at))
			return false;
		name = name_or_empty(d, &at);
		out->is_local |= !*name || d->f->dwarf_tag(&at) == DW_TAG_subprogram;
		out->name[out->n++] = name;
	} while (d->f->dwarf_dieoffset(&at) != offset);
	return true;
}

static bool same_path(const struct path *a, const struct path *b)
{
	bool same = a->n == b->n;

	for (u32 i = 0; same && i < a->n; i++)
		same = streq(a->name[i], b->name[i]);
	return same;
}

/* ---- in one unit */

bool die_is_declared(const struct dwarf *d, Dwarf_Die *type)
{
	return d->f->dwarf_hasattr(type, DW_AT_declaration) &&
	       !d->f->dwarf_hasattr(type, DW_AT_signature);
}

static bool tag_matches(u8 tag, int dwarf_tag)
{
	switch (dwarf_tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type: return tag == 's' || !tag;
	case DW_TAG_union_type: return tag == 'u' || !tag;
	case DW_TAG_enumeration_type: return tag == 'e' || !tag;
	case DW_TAG_typedef:
	case DW_TAG_base_type: return !tag;
	}
	return false;
}

/* There are many classes; only those that may enclose the wanted one are searched. */
static bool may_contain(const struct wanted *w, Dwarf_Die *die, int tag)
{
	if (tag == DW_TAG_namespace)
		return true;
	if (!w->path || !is_class(tag))
		return false;
	for (u32 i = 0; i + 1 < w->path->n; i++)
		if (streq(w->path->name[i], name_or_empty(w->d, die)))
			return true;
	return false;
}

static bool is_it(const struct wanted *w, Dwarf_Die *die, int tag)
{
	const char *s = tag_matches(w->tag, tag) ? w->d->f->dwarf_diename(die) : NULL;
	struct path path;

	if (!s || !streq(s, w->name) || die_is_declared(w->d, die))
		return false;
	return !w->path || (path_of(w->d, *die, &path) && same_path(w->path, &path));
}

static bool find_in(const struct wanted *w, Dwarf_Die *of, u32 depth)
{
	Dwarf_Die die;

	if (depth > MAX_DEPTH || !die_child(w->d, of, &die))
		return false;
	do {
		int tag = w->d->f->dwarf_tag(&die);

		if (is_it(w, &die, tag)) {
			*w->out = die;
			return true;
		}
		if (may_contain(w, &die, tag) && find_in(w, &die, depth + 1))
			return true;
	} while (die_next(w->d, &die));
	return false;
}

/* ---- in a file */

/*
 * A quick test: long names are in the string table unless it is compressed or shared. Most lookups
 * are for names that no file contains.
 */
static bool may_have_name(const struct dwarf *d, const char *name)
{
	static const char *const elsewhere[] = { ".gnu_debugaltlink", ".debug_types" };
	struct elf *e = d->file;
	struct elf_section s;
	size_t len = strlen(name) + 1;

	if (!elf_section(e, ".debug_info", &s))
		e = elf_debug_file(e);
	if (!e || len < 9 || !elf_section(e, ".debug_str", &s) || !s.bytes || s.flags & 0x800)
		return true;
	for (u32 i = 0; i < ARRAY_SIZE(elsewhere); i++) {
		struct elf_section other;

		if (elf_section(e, elsewhere[i], &other))
			return true;
	}
	for (u32 i = 0; i < d->units.n; i++)
		if (d->units.v[i].body.addr != d->units.v[i].die.addr)
			return true; /* split: the strings are in other files */
	return memmem(s.bytes, s.size, name, len) != NULL;
}

static bool find_elsewhere(const struct wanted *w, const struct unit *here)
{
	struct dwarf *d = w->d;

	for (u32 i = 0; i < d->units.n; i++)
		if (&d->units.v[i] != here && find_in(w, &d->units.v[i].body, 0))
			return true;
	for (u32 i = 0; i < d->type_units.n; i++)
		if (find_in(w, &d->type_units.v[i], 0))
			return true;
	return false;
}

const struct type *dwarf_find_type(struct dwarf *d, u64 pc, u8 tag, const char *name,
				   bool everywhere)
{
	struct unit *here = pc ? dwarf_unit_at(d, pc) : NULL;
	Dwarf_Die die;
	struct wanted w = { .d = d, .tag = tag, .name = name, .out = &die };

	if (!may_have_name(d, name))
		return NULL;
	if ((here && find_in(&w, &here->body, 0)) || (everywhere && find_elsewhere(&w, here)))
		return die_type(d, &die);
	return NULL;
}

/* ---- declarations without a definition */

bool dwarf_definition(struct dwarf *d, Dwarf_Die *declared, Dwarf_Die *out)
{
	struct path path;
	struct wanted w = { .d = d, .path = &path, .out = out };
	Dwarf_Die unit;

	if (!path_of(d, *declared, &path) || !*path.name[path.n - 1])
		return false;
	w.tag = d->f->dwarf_tag(declared) == DW_TAG_union_type ? 'u' : 's';
	w.name = path.name[path.n - 1];
	if (d->f->dwarf_diecu(declared, &unit, NULL, NULL) && find_in(&w, &unit, 0))
		return true;
	return !path.is_local && may_have_name(d, w.name) && find_elsewhere(&w, NULL);
}

/*
 * libstdc++ instantiates std::string itself, so clang omits its definition (-fno-standalone-debug),
 * or that of the nested structure with the pointer. The layouts are part of the ABI
 * (basic_string.h, class _Alloc_hider).
 */
static const struct type char_pointer = {
	.kind = TY_POINTER, .size = 8, .align = 8, .elem = &ty_s8, .space = SPACE_USER
};
static struct field string_members[] = {
	{ .name = "_M_p", .type = &char_pointer, .from_user = true },
	{ .name = "_M_string_length", .type = &ty_u64, .offset = 8 },
};
static const struct type string_hider = { .kind = TY_STRUCT,
					  .name = "_Alloc_hider",
					  .size = 8,
					  .align = 8,
					  .fields = string_members,
					  .n_fields = 1 };
static const struct type string = { .kind = TY_STRUCT,
				    .name = "basic_string",
				    .size = 32,
				    .align = 8,
				    .fields = string_members,
				    .n_fields = 2 };

const struct type *dwarf_library_type(struct dwarf *d, Dwarf_Die *type)
{
	static const char name[] =
		"basic_string<char, std::char_traits<char>, std::allocator<char> >";
	struct path path;
	const char *own, *outer;

	if (!path_of(d, *type, &path) || path.n < 3 || !streq(path.name[0], "std"))
		return NULL;
	own = path.name[path.n - 1];
	outer = path.name[path.n - 2];
	if (streq(own, name) && streq(outer, "__cxx11"))
		return &string;
	return streq(own, "_Alloc_hider") && streq(outer, name) ? &string_hider : NULL;
}

#endif
