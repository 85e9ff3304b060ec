/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types as text and back; texts that are damaged. */
#include "base/buf.h"
#include "tap.h"
#include "type/layout.h"

/*
 * struct all { u32 flags : 3; u32 rest : 29; char name[16]; enum color c; struct all *next; void
 * *any;
 *		union { u64 word; u8 bytes[8]; }; double d; u8 flexible[]; }
 */
static struct enum_value colors[] = { { "RED", 0 }, { "NONE", -1 } };
static struct type color = { .kind = TY_ENUM,
			     .size = 4,
			     .align = 4,
			     .is_signed = true,
			     .name = "color",
			     .enums = colors,
			     .n_enums = 2 };
static const struct type ch = {
	.kind = TY_INT, .is_signed = true, .size = 1, .align = 1, .name = "char"
};
static const struct type name16 = { .kind = TY_ARRAY, .size = 16, .count = 16, .elem = &ch };
static const struct type bytes8 = { .kind = TY_ARRAY, .size = 8, .count = 8, .elem = &ty_u8 };
static const struct type flexible = { .kind = TY_ARRAY, .elem = &ty_u8 };
static struct type all;
static const struct type to_all = {
	.kind = TY_POINTER, .size = 8, .align = 8, .elem = &all, .space = SPACE_KERNEL
};
static struct field either_fields[] = { { .name = "word", .type = &ty_u64 },
					{ .name = "bytes", .type = &bytes8 } };
static struct type either = { .kind = TY_STRUCT,
			      .is_union = true,
			      .size = 8,
			      .align = 8,
			      .fields = either_fields,
			      .n_fields = 2 };
static struct field fields[] = {
	{ .name = "flags", .type = &ty_u32, .bit_size = 3 },
	{ .name = "rest", .type = &ty_u32, .bit_offset = 3, .bit_size = 29 },
	{ .name = "name", .type = &name16, .offset = 4 },
	{ .name = "c", .type = &color, .offset = 20 },
	{ .name = "next", .type = &to_all, .offset = 24 },
	{ .name = "any", .type = &ty_void_ptr, .offset = 32 },
	{ .name = "", .type = &either, .offset = 40 },
	{ .name = "d", .type = &ty_f64, .offset = 48 },
	{ .name = "b", .type = &ty_bool, .offset = 56 },
	{ .name = "flexible", .type = &flexible, .offset = 57 },
};
static struct type all = { .kind = TY_STRUCT,
			   .name = "all",
			   .size = 64,
			   .align = 8,
			   .fields = fields,
			   .n_fields = ARRAY_SIZE(fields) };

static const char *text_of(struct arena *a, const struct type *t)
{
	struct buf b = { 0 };
	const char *text = layout_put(&b, t) ? arena_strdup(a, b.s) : NULL;

	buf_release(&b);
	return text;
}

static void check_members(const struct type *t)
{
	ok(t->kind == TY_STRUCT && t->size == 64 && t->align == 8 && streq(t->name, "all"),
	   "the structure");
	is_int(t->n_fields, ARRAY_SIZE(fields), "its members");
	for (u32 i = 0; i < t->n_fields && i < ARRAY_SIZE(fields); i++)
		ok(streq(t->fields[i].name, fields[i].name) &&
			   t->fields[i].offset == fields[i].offset &&
			   t->fields[i].bit_offset == fields[i].bit_offset &&
			   t->fields[i].bit_size == fields[i].bit_size &&
			   t->fields[i].type->kind == fields[i].type->kind &&
			   t->fields[i].type->size == fields[i].type->size,
		   "member %s", fields[i].name);
	ok(streq(t->fields[2].type->elem->name, "char"), "an array of char");
	ok(t->fields[3].type->enums[1].value == -1 &&
		   streq(t->fields[3].type->enums[1].name, "NONE"),
	   "an enumerator");
	ok(streq(t->fields[4].type->elem->name, "all"), "what a pointer points to");
	ok(t->fields[6].type->is_union, "a union");
}

/* No part of a text is one, and none is read beyond its end. */
static void check_damage(struct arena *a, const char *text)
{
	u32 good = 0, parsed = 0;

	for (size_t n = 0; n < strlen(text); n++)
		good += layout_parse(a, arena_strndup(a, text, n)) != NULL;
	is_int(good, 0, "the text cut off anywhere is none");
	for (size_t n = 0; n < strlen(text); n++) {
		char *bad = arena_strdup(a, text);

		bad[n] = '9';
		parsed += layout_parse(a, bad) != NULL;
	}
	ok(parsed < strlen(text), "with a wrong character it is none, or another one");
}

int main(void)
{
	static const char *const refused[] = {
		"",
		"x",
		"S8,4\"a\"{\"x\"8,0,0i4\"int\"}",
		"S8,4\"a\"{\"x\"0,0,65u8\"\"}",
		"i3\"int\"",
		"a4294967295:i4\"\"",
		"s0",
		"i4\"int\"i4\"int\"",
		"S4,4\"\"{\"f\"0,0,4f4}",
	};
	struct arena a;
	const struct type *t;
	struct field hidden = { .name = "tag", .type = &ty_u8, .is_tag = true };
	struct type variant = { .kind = TY_STRUCT, .size = 1, .fields = &hidden, .n_fields = 1 };
	char *deep;

	arena_init(&a);
	t = layout_parse(&a, text_of(&a, &all));
	ok(t != NULL, "the text of a structure is one");
	check_members(t);
	is_str(text_of(&a, t), text_of(&a, &all), "the same text again");
	check_damage(&a, text_of(&a, &all));
	for (u32 i = 0; i < ARRAY_SIZE(refused); i++)
		ok(!layout_parse(&a, refused[i]), "refused: %s", refused[i]);
	ok(!text_of(&a, &ty_ksym), "an address has no text");
	ok(!text_of(&a, &variant), "nor has a structure whose members depend on a value");
	deep = arena_array(&a, char, 3 * 1000 + 1);
	for (u32 i = 0; i < 1000; i++)
		memcpy(deep + 3 * (size_t)i, "a1:", 3);
	ok(!layout_parse(&a, deep), "too deep");
	arena_release(&a);
	return done();
}
