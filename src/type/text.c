/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layouts of string types, by their names in debug information. libstdc++ stores the address of the
 * bytes in the same member for short and long strings, so one rule covers both. libc++'s
 * std::string packs short strings into the object and is not supported. libstdc++'s older ABI has
 * only a pointer to NUL-terminated bytes.
 *
 * A Go interface is a type address and a value address. Errors of the standard library (errors.New,
 * fmt.Errorf) point to a structure that begins with a string, as do most others; one that begins
 * otherwise has no readable bytes there.
 */
#include "type/text.h"

static const struct {
	const char *type;   /* prefix of the structure's name */
	bool whole;         /* type is the full name */
	const char *data;   /* NULL: the first pointer in it */
	const char *length; /* NULL: none */
} rows[] = {
	{ "basic_string<char", false, "_M_p", "_M_string_length" },
	{ "basic_string<char", false, "_M_p", NULL },
	{ "basic_string_view<char", false, "_M_str", "_M_len" },
	{ "basic_string_view<char", false, "__data_", "__size_" },
	{ "basic_string_view<char", false, "__data", "__size" },
	{ "&str", true, "data_ptr", "length" },
	{ "&mut str", true, "data_ptr", "length" },
	{ "&[u8]", true, "data_ptr", "length" },
	{ "&mut [u8]", true, "data_ptr", "length" },
	{ "Box<str", false, "data_ptr", "length" },
	{ "String", true, NULL, "len" },
	{ "Vec<u8", false, NULL, "len" },
};

enum { MAX_DEPTH = 8 };

static bool is_it(const struct field *f, const char *name)
{
	return name ? streq(f->name, name) && f->type->size == 8 : f->type->kind == TY_POINTER;
}

/* Finds a member, depth first; name NULL: the first pointer. */
static bool find(const struct type *t, const char *name, u32 at, u32 depth, u32 *out)
{
	type_complete(t);
	if (t->kind != TY_STRUCT || depth > MAX_DEPTH)
		return false;
	for (u32 i = 0; i < t->n_fields; i++) {
		const struct field *f = &t->fields[i];

		if (is_it(f, name)) {
			*out = at + f->offset;
			return true;
		}
		if (find(f->type, name, at + f->offset, depth + 1, out))
			return true;
	}
	return false;
}

/* "type Name string" and "type Raw []byte"; their instances in generic code have other names */
static bool is_go_text(const struct type *t, struct text_layout *out)
{
	static const char *const data[] = { "str", "array" };

	for (u32 i = 0; i < ARRAY_SIZE(data); i++)
		if (t->n_fields == 2 + i && streq(t->fields[0].name, data[i]) &&
		    streq(t->fields[1].name, "len") && t->fields[0].type->kind == TY_POINTER &&
		    t->fields[0].type->elem->size == 1) {
			*out = (struct text_layout){ .length = t->fields[1].offset };
			return true;
		}
	return false;
}

/* The interface's second word points to struct string { char *str; int len; }. */
static bool is_interface(const struct type *t, struct text_layout *out)
{
	if (!streq(t->name, "runtime.iface") && !streq(t->name, "runtime.eface"))
		return false;
	*out = (struct text_layout){ .is_boxed = true, .data = 0, .length = 8 };
	return find(t, "data", 0, 0, &out->box);
}

bool type_text_layout(const struct type *t, struct text_layout *out)
{
	if (t->kind != TY_STRUCT || !t->name)
		return false;
	if (is_interface(t, out))
		return true;
	*out = (struct text_layout){ 0 };
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if ((rows[i].whole ? streq(t->name, rows[i].type) :
				     starts_with(t->name, rows[i].type)) &&
		    find(t, rows[i].data, 0, 0, &out->data) &&
		    (!rows[i].length || find(t, rows[i].length, 0, 0, &out->length))) {
			out->is_terminated = !rows[i].length;
			return true;
		}
	type_complete(t);
	return is_go_text(t, out);
}
