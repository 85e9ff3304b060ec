/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF type entries -> struct type, like btf_type.c for BTF: structures are created without fields
 * and completed on first use. A C++ class has its bases as members named by their class; references
 * are pointers; a Rust enum is a structure with overlapping members, one for each variant, and an
 * enumeration "variant" that selects the active one.
 */
#include <errno.h>
#include "object/dwarf_file.h"
#include "object/elf.h"

#if SONDE_HAVE_LIBDW

enum { MAX_DEPTH = 48, MAX_FIELDS = 4096 };

struct origin {
	struct dwarf *d;
	Dwarf_Die die;
};

static struct type *new_type(struct dwarf *d, enum type_kind kind, u64 size)
{
	struct type *t = arena_new(&d->arena, struct type);

	t->kind = kind;
	t->size = size <= INT32_MAX ? (u32)size : 0;
	t->align = t->size >= 8 && t->size % 8 == 0 ? 8 :
		   t->size % 4 == 0 && t->size      ? 4 :
		   t->size % 2 == 0 && t->size      ? 2 :
						      1;
	t->origin = d;
	return t;
}

static u64 byte_size(struct dwarf *d, Dwarf_Die *die)
{
	u64 n = 0;

	return die_number(d, die, DW_AT_byte_size, &n) ? n : 0;
}

static const char *name_of(struct dwarf *d, Dwarf_Die *die)
{
	const char *s = d->f->dwarf_diename(die);

	return s && *s ? s : NULL;
}

static bool int_size(u64 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* ---- structs */

struct fields {
	VEC(struct field) list;
};

static void add_field(struct fields *fields, struct dwarf *d, struct field f)
{
	if (fields->list.n < MAX_FIELDS)
		vec_push(&d->arena, &fields->list, f);
}

/*
 * Offset of a virtual base, from the object's address: dup deref constu N minus deref plus, that is
 * address + *(*address - N). False: another form.
 */
static bool virtual_offset(struct dwarf *d, Dwarf_Die *die, s32 *at)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;
	s64 v;

	if (!d->f->dwarf_attr_integrate(die, DW_AT_data_member_location, &a) || d->regs == NULL ||
	    elf_is32(d->file) || d->f->dwarf_getlocation(&a, &ops, &n) != 0 || n != 6 ||
	    ops[0].atom != DW_OP_dup || ops[1].atom != DW_OP_deref || ops[4].atom != DW_OP_deref ||
	    ops[5].atom != DW_OP_plus)
		return false;
	v = ops[2].atom >= DW_OP_lit0 && ops[2].atom <= DW_OP_lit31 ? ops[2].atom - DW_OP_lit0 :
								      (s64)ops[2].number;
	*at = (s32)(ops[3].atom == DW_OP_minus ? -v : v);
	return (ops[3].atom == DW_OP_minus || ops[3].atom == DW_OP_plus) && *at && v > -INT16_MAX &&
	       v < INT16_MAX;
}

/* DWARF 3 and earlier used an expression: add a constant. */
static bool member_offset(struct dwarf *d, Dwarf_Die *die, u64 *out)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	*out = 0;
	if (!d->f->dwarf_attr_integrate(die, DW_AT_data_member_location, &a))
		return true;
	if (die_number(d, die, DW_AT_data_member_location, out))
		return true;
	if (d->f->dwarf_getlocation(&a, &ops, &n) != 0 || n != 1 ||
	    ops[0].atom != DW_OP_plus_uconst)
		return false; /* of a virtual base: found through the vtable */
	*out = ops[0].number;
	return true;
}

/*
 * Bit offset from the start of the structure. Before DWARF 4 it was counted from the unit's high
 * end.
 */
static bool bit_offset(struct dwarf *d, Dwarf_Die *die, u64 bytes, u64 bits, u64 unit, u64 *out)
{
	u64 n;

	if (die_number(d, die, DW_AT_data_bit_offset, out))
		return true;
	if (!die_number(d, die, DW_AT_bit_offset, &n))
		return false;
	if (byte_size(d, die))
		unit = byte_size(d, die);
	*out = bytes * 8 + unit * 8 - n - bits;
	return true;
}

static bool set_offsets(struct dwarf *d, Dwarf_Die *die, struct field *f)
{
	u32 unit = MAX(f->type->size, 1u);
	u64 bytes, bits, at;

	if (!member_offset(d, die, &bytes))
		return false;
	f->offset = (u32)bytes;
	if (!die_number(d, die, DW_AT_bit_size, &bits) || !bits || bits > 64)
		return true;
	if (!bit_offset(d, die, bytes, bits, unit, &at))
		at = bytes * 8;
	f->offset = (u32)(at / 8 / unit * unit);
	if (at - (u64)f->offset * 8 + bits > unit * 8)
		f->offset = (u32)(at / 8);
	f->bit_offset = (u8)(at - (u64)f->offset * 8);
	f->bit_size = (u8)bits;
	return true;
}

/* Static members are described as variables. */
static bool is_static(struct dwarf *d, Dwarf_Die *die)
{
	return die_flag(d, die, DW_AT_external) || die_flag(d, die, DW_AT_declaration);
}

static void add_member(struct dwarf *d, Dwarf_Die *die, bool is_base, struct fields *fields)
{
	const char *name = d->f->dwarf_diename(die);
	struct field f = { .type = die_type_of(d, die, NULL) };

	f.name = is_base ? f.type->name : name;
	if (!f.name)
		f.name = "";
	f.is_base = is_base;
	if (is_static(d, die) ||
	    (!set_offsets(d, die, &f) && !(is_base && virtual_offset(d, die, &f.virtual_at))))
		return;
	f.from_user = f.type->kind == TY_POINTER;
	add_field(fields, d, f);
}

/*
 * The variants of a Rust enum (DWARF 5, 5.7.10). Each has its tag value, except that one may have
 * none: it is active at all other values, which are its own data (the pointer of Option<&T>, where
 * 0 means None).
 *
 *	variant_part  discr -> member
 *	    member    type u64, offset 0		the tag; none in an enum of a single variant
 *	    variant   discr_value 0
 *		member None
 *	    variant
 *		member Some
 */
struct variants {
	struct field *tag; /* NULL: the active variant cannot be determined */
	VEC(struct enum_value) names;
	VEC(struct value_range) values;
	const char *otherwise;
};

static u64 low_bytes(u64 v, u32 size)
{
	return size < 8 ? v & ((1ull << size * 8) - 1) : v;
}

static struct field *tag_of(struct dwarf *d, Dwarf_Die *part)
{
	struct field f = { .name = "variant", .is_tag = true };
	Dwarf_Die die;

	if (!die_ref(d, part, DW_AT_discr, &die))
		return NULL;
	f.type = die_type_of(d, &die, NULL);
	if (f.type->kind == TY_ARRAY &&
	    f.type->elem == &ty_u64) /* of 16 bytes: the upper half is redundant */
		f.type = &ty_u64;
	if (!type_is_integer(f.type) || !set_offsets(d, &die, &f) || f.bit_size)
		return NULL;
	return arena_dup(&d->arena, &f, sizeof f);
}

/* False: it has no tag value and is active at all others. */
static bool discriminant(struct dwarf *d, Dwarf_Die *variant, const struct type *tag, u64 *out)
{
	Dwarf_Attribute a;
	Dwarf_Block block;
	Dwarf_Sword s;
	Dwarf_Word u = 0;

	if (!d->f->dwarf_attr(variant, DW_AT_discr_value, &a))
		return false;
	if (d->f->dwarf_formblock(&a, &block) == 0)
		memcpy(&u, block.data, MIN(block.length, sizeof u));
	else if (tag->is_signed && d->f->dwarf_formsdata(&a, &s) == 0)
		u = (Dwarf_Word)s;
	else if (d->f->dwarf_formudata(&a, &u) != 0)
		return false;
	*out = low_bytes(u, tag->size);
	return true;
}

static void add_variant(struct dwarf *d, Dwarf_Die *of, struct variants *all, struct fields *fields)
{
	struct presence *when = arena_new(&d->arena, struct presence);
	u32 first = fields->list.n;
	struct value_range value;
	Dwarf_Die die;

	if (!die_child(d, of, &die))
		return;
	do {
		if (d->f->dwarf_tag(&die) == DW_TAG_member)
			add_member(d, &die, false, fields);
	} while (die_next(d, &die));
	if (!all->tag || first == fields->list.n)
		return;
	when->tag = all->tag;
	if (discriminant(d, of, all->tag->type, &value.first)) {
		value.last = value.first;
		when->range = arena_dup(&d->arena, &value, sizeof value);
		when->n = 1;
		vec_push(&d->arena, &all->values, value);
		vec_push(&d->arena, &all->names,
			 ((struct enum_value){ fields->list.v[first].name,
					       dwarf_extended(all->tag->type, value.first) }));
	} else {
		when->otherwise = true;
		all->otherwise = fields->list.v[first].name;
	}
	for (u32 i = first; i < fields->list.n; i++)
		fields->list.v[i].when = when;
}

/* A value that no other variant uses. */
static u64 rest_value(const struct variants *all)
{
	u64 v = 0;

	for (u32 i = 0; i < all->values.n; i++)
		if (all->values.v[i].first == v) {
			v++;
			i = ~0u; /* restart */
		}
	return v;
}

static void name_variants(struct dwarf *d, struct variants *all, const struct type *of)
{
	struct type *t = new_type(d, TY_ENUM, all->tag->type->size);
	u64 rest = rest_value(all);

	t->name = of->name;
	t->is_signed = all->tag->type->is_signed;
	t->has_rest = all->otherwise;
	if (all->otherwise)
		vec_push(&d->arena, &all->names,
			 ((struct enum_value){ all->otherwise, dwarf_extended(t, rest) }));
	t->enums = all->names.v;
	t->n_enums = all->names.n;
	all->tag->type = t;
}

static void add_variants(struct dwarf *d, Dwarf_Die *part, const struct type *of,
			 struct fields *fields)
{
	struct variants all = { .tag = tag_of(d, part) };
	u32 first = fields->list.n;
	Dwarf_Die die;

	if (!die_child(d, part, &die))
		return;
	do {
		if (d->f->dwarf_tag(&die) == DW_TAG_variant)
			add_variant(d, &die, &all, fields);
	} while (die_next(d, &die));
	for (u32 i = first; i < fields->list.n; i++) {
		struct presence *when = (struct presence *)(uintptr_t)fields->list.v[i].when;

		if (when && when->otherwise) {
			when->range = all.values.v;
			when->n = all.values.n;
		}
	}
	if (all.tag && all.names.n + (all.otherwise != NULL)) {
		name_variants(d, &all, of);
		add_field(fields, d, *all.tag);
	}
}

static void add_members(struct dwarf *d, Dwarf_Die *of, const struct type *t, struct fields *fields)
{
	Dwarf_Die die;

	if (!die_child(d, of, &die))
		return;
	do {
		switch (d->f->dwarf_tag(&die)) {
		case DW_TAG_member: add_member(d, &die, false, fields); break;
		case DW_TAG_inheritance: add_member(d, &die, true, fields); break;
		case DW_TAG_variant_part: add_variants(d, &die, t, fields); break;
		}
	} while (die_next(d, &die));
}

static int complete_struct(struct type *t)
{
	struct origin *o = t->origin;
	struct fields fields = { 0 };

	add_members(o->d, &o->die, t, &fields);
	t->fields = fields.list.v;
	t->n_fields = fields.list.n;
	return 0;
}

/* Completes a declaration from the unit that defines the type. */
static int complete_declared(struct type *t)
{
	struct origin *o = t->origin;
	const struct type *full;
	Dwarf_Die die;

	if (dwarf_definition(o->d, &o->die, &die)) {
		full = die_type(o->d, &die);
		if (full == t || full->kind != TY_STRUCT || !full->size)
			return -ENOENT;
		type_complete(full);
	} else {
		full = dwarf_library_type(o->d, &o->die);
		if (!full)
			return -ENOENT;
	}
	t->size = full->size;
	t->align = full->align;
	t->fields = full->fields;
	t->n_fields = full->n_fields;
	return 0;
}

static const struct type *make_struct(struct dwarf *d, Dwarf_Die *die, bool is_union)
{
	bool declared = die_is_declared(d, die);
	struct type *t = new_type(d, TY_STRUCT, declared ? 0 : byte_size(d, die));
	struct origin *o = arena_new(&d->arena, struct origin);

	o->d = d;
	o->die = *die;
	t->origin = o;
	t->origin_id = 1; /* one type, one origin */
	t->name = name_of(d, die);
	t->is_union = is_union;
	t->complete = declared ? complete_declared : complete_struct;
	return t;
}

/* ---- scalars */

/* A numeric type without arithmetic (long double) becomes bytes with its name. */
static const struct type *make_bytes(struct dwarf *d, Dwarf_Die *die, u64 size)
{
	struct type *t;

	if (!size || size > 64)
		return &ty_error;
	t = arena_dup(&d->arena, type_array(&d->arena, &ty_u8, (u32)size), sizeof *t);
	t->name = name_of(d, die);
	return t;
}

static const struct type *make_base(struct dwarf *d, Dwarf_Die *die)
{
	u64 encoding = 0, size = byte_size(d, die);
	struct type *t;

	die_number(d, die, DW_AT_encoding, &encoding);
	if (encoding == DW_ATE_float)
		return size == 4 ? &ty_f32 : size == 8 ? &ty_f64 : make_bytes(d, die, size);
	if (encoding == DW_ATE_boolean && size == 1)
		return &ty_bool;
	if (encoding == DW_ATE_complex_float || !size)
		return size ? make_bytes(d, die, size) : &ty_void; /* Rust's () is empty */
	if (size == 16)
		return type_array(&d->arena, &ty_u64, 2);
	if (!int_size(size))
		return &ty_error;
	t = new_type(d, TY_INT, size);
	t->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	t->name = name_of(d, die);
	return t;
}

static s64 enumerator_value(struct dwarf *d, Dwarf_Die *die, bool is_signed)
{
	Dwarf_Attribute a;
	Dwarf_Sword s = 0;
	Dwarf_Word u = 0;

	if (!d->f->dwarf_attr(die, DW_AT_const_value, &a))
		return 0;
	if (is_signed || d->f->dwarf_formudata(&a, &u) != 0)
		return d->f->dwarf_formsdata(&a, &s) == 0 ? s : 0;
	return (s64)u;
}

/* Without an underlying type (some compilers before DWARF 5) the signed forms of its values
 * decide. */
static bool enum_is_signed(struct dwarf *d, Dwarf_Die *die)
{
	const struct type *under = die_type_of(d, die, NULL);
	Dwarf_Attribute a;
	Dwarf_Sword v;
	Dwarf_Die c;

	if (under->kind == TY_INT)
		return under->is_signed;
	if (!die_child(d, die, &c))
		return false;
	do {
		if (d->f->dwarf_attr(&c, DW_AT_const_value, &a) &&
		    d->f->dwarf_whatform(&a) == DW_FORM_sdata &&
		    d->f->dwarf_formsdata(&a, &v) == 0 && v < 0)
			return true;
	} while (die_next(d, &c));
	return false;
}

static const struct type *make_enum(struct dwarf *d, Dwarf_Die *die)
{
	u64 size = byte_size(d, die);
	VEC(struct enum_value) values = { 0 };
	struct type *t;
	Dwarf_Die c;

	if (!size &&
	    die_number(d, die, DW_AT_byte_size, &size)) /* Rust's enum of a single value is empty */
		return &ty_void;
	if (!int_size(size))
		return size ? &ty_error : &ty_s32;
	t = new_type(d, TY_ENUM, size);
	t->name = name_of(d, die);
	t->is_signed = enum_is_signed(d, die);
	if (die_child(d, die, &c))
		do {
			struct enum_value v = { d->f->dwarf_diename(&c),
						enumerator_value(d, &c, t->is_signed) };

			if (d->f->dwarf_tag(&c) == DW_TAG_enumerator && v.name)
				vec_push(&d->arena, &values, v);
		} while (die_next(d, &c));
	t->enums = values.v;
	t->n_enums = values.n;
	return t;
}

/* ---- derived types */

static u64 dimension(struct dwarf *d, Dwarf_Die *range)
{
	u64 n = 0;

	if (die_number(d, range, DW_AT_count, &n))
		return n;
	return die_number(d, range, DW_AT_upper_bound, &n) && n < INT32_MAX ? n + 1 : 0;
}

static bool is_char(const struct type *t)
{
	return t->kind == TY_INT && t->size == 1 && t->name && streq(t->name, "char");
}

static const struct type *make_array(struct dwarf *d, Dwarf_Die *die)
{
	const struct type *t = die_type_of(d, die, NULL);
	u64 dim[8];
	u32 n = 0;
	Dwarf_Die c;

	if (t->kind == TY_ERROR)
		return t;
	if (die_child(d, die, &c))
		do {
			int tag = d->f->dwarf_tag(&c);

			if ((tag == DW_TAG_subrange_type || tag == DW_TAG_enumeration_type) &&
			    n < ARRAY_SIZE(dim))
				dim[n++] = dimension(d, &c);
		} while (die_next(d, &c));
	if (n && dim[n - 1] && dim[n - 1] <= INT32_MAX && is_char(t)) {
		n--; /* text for display */
		t = type_string(&d->arena, (u32)dim[n]);
	}
	while (n) {
		n--;
		if (dim[n] > INT32_MAX || (t->size && dim[n] > INT32_MAX / t->size))
			return &ty_error;
		t = type_array(&d->arena, t, (u32)dim[n]);
	}
	return t;
}

/* In 32-bit programs: four bytes. */
/* What has the type of a function, not of a pointer to one, is a word in Go. */
static const struct type function_value = {
	.kind = TY_POINTER, .size = 8, .align = 8, .elem = &ty_function, .space = SPACE_USER
};

static const struct type *make_pointer(struct dwarf *d, Dwarf_Die *die)
{
	const struct type *to = die_type_of(d, die, NULL), *t;
	struct type *narrow;

	t = type_pointer(&d->arena, to == &function_value ? &ty_function : to, SPACE_USER);

	if (byte_size(d, die) != 4)
		return t;
	narrow = arena_dup(&d->arena, t, sizeof *t);
	narrow->size = narrow->align = 4;
	return narrow;
}

static const struct type *make_typedef(struct dwarf *d, Dwarf_Die *die)
{
	const struct type *to = die_type_of(d, die, NULL);
	bool nameless = (to->kind == TY_STRUCT || to->kind == TY_ENUM) && !to->name;
	struct type *t;

	if ((to->kind != TY_INT && !nameless) ||
	    starts_with(d->f->dwarf_diename(die) ?: "", ".param"))
		return to; /* .param0 is Go's name of a type parameter */
	t = arena_dup(&d->arena, to, sizeof *to);
	t->name = name_of(d, die);
	return t;
}

static const struct type *make_type(struct dwarf *d, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Die full;

	/* A skeleton for the definition in a type unit. */
	if (d->f->dwarf_attr(die, DW_AT_signature, &a) && d->f->dwarf_formref_die(&a, &full) &&
	    full.addr != die->addr)
		return die_type(d, &full);
	switch (d->f->dwarf_tag(die)) {
	case DW_TAG_base_type: return make_base(d, die);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type: return make_pointer(d, die);
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_subrange_type:
	case DW_TAG_template_alias: return die_type_of(d, die, NULL);
	case DW_TAG_typedef: return make_typedef(d, die);
	case DW_TAG_array_type: return make_array(d, die);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type: return make_struct(d, die, false);
	case DW_TAG_union_type: return make_struct(d, die, true);
	case DW_TAG_enumeration_type: return make_enum(d, die);
	case DW_TAG_subroutine_type: return &function_value;
	case DW_TAG_ptr_to_member_type: return &ty_u64;
	case DW_TAG_unspecified_type: return &ty_void;
	}
	return &ty_error;
}

const struct type *die_type(struct dwarf *d, Dwarf_Die *die)
{
	void **key = &die->addr;
	const struct type *t = hash_get(&d->types.known, key, sizeof *key);

	if (t)
		return t;
	if (d->types.depth >= MAX_DEPTH)
		return &ty_error;
	d->types.depth++;
	t = make_type(d, die);
	d->types.depth--;
	key = arena_dup(&d->arena, key, sizeof *key);
	hash_put(&d->types.known, key, sizeof *key, (void *)(uintptr_t)t);
	return t;
}

/* Strips typedefs and qualifiers. */
static bool peel(struct dwarf *d, Dwarf_Die *type)
{
	for (u32 i = 0; i < 8; i++) {
		int tag = d->f->dwarf_tag(type);

		if (tag != DW_TAG_typedef && tag != DW_TAG_const_type &&
		    tag != DW_TAG_volatile_type)
			break;
		if (!die_ref(d, type, DW_AT_type, type))
			return false;
	}
	return true;
}

/* DW_CC_pass_by_reference: the class has a nontrivial copy constructor or destructor. */
static bool is_by_reference(struct dwarf *d, Dwarf_Die *type)
{
	Dwarf_Die full;
	u64 how = 0;

	if (!peel(d, type))
		return false;
	if (die_is_declared(d, type)) {
		if (!dwarf_definition(d, type, &full))
			return dwarf_library_type(d, type) != NULL;
		*type = full;
	}
	return die_number(d, type, DW_AT_calling_convention, &how) &&
	       how == DW_CC_pass_by_reference;
}

const struct type *die_type_of(struct dwarf *d, Dwarf_Die *die, bool *by_reference)
{
	Dwarf_Die type;
	const struct type *t;

	if (by_reference)
		*by_reference = false;
	if (!die_ref(d, die, DW_AT_type, &type))
		return &ty_void;
	t = die_type(d, &type);
	if (by_reference)
		*by_reference = is_by_reference(d, &type);
	return t;
}

#endif
