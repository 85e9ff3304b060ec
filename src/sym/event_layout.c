/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct tp_format -> struct event_format. The element size of an array of unknown length comes
 * from its C text; anything that is not an integer type counts as bytes.
 */
#include "sym/event_layout.h"

/* The first row whose text occurs in the declaration applies. */
static const struct {
	const char *text;
	u32 size;
} sizes[] = {
	{ "*", 8 },      { "char", 1 },  { "bool", 1 },     { "short", 2 }, { "long", 8 },
	{ "64", 8 },     { "16", 2 },    { "32", 4 },       { "u8", 1 },    { "s8", 1 },
	{ "struct", 1 }, { "int", 4 },   { "unsigned", 4 }, { "pid_t", 4 }, { "uid_t", 4 },
	{ "gid_t", 4 },  { "dev_t", 4 },
};

static u32 elem_size(const struct tp_field *f)
{
	if (f->is_char)
		return 1;
	if (!f->data_loc && f->count && f->size % f->count == 0)
		return f->size / f->count;
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++)
		if (strstr(f->type, sizes[i].text))
			return sizes[i].size;
	return 1;
}

struct event_format *event_layout(struct arena *a, const struct tp_format *f)
{
	struct event_format *e = arena_new(a, struct event_format);

	e->name = arena_printf(a, "%s:%s", f->category, f->name);
	e->id = f->id;
	e->print_fmt = f->print_fmt;
	e->text = f->text;
	e->wants_pid = strstr(f->print_fmt, "REC->ent.pid") ||
		       strstr(f->print_fmt, "REC->common_pid");
	e->members = arena_array(a, struct event_member, f->fields.n);
	for (u32 i = 0; i < f->fields.n; i++) {
		const struct tp_field *field = &f->fields.v[i];
		bool is_array = field->is_array || field->size > 8;

		e->members[e->n_members++] = (struct event_member){
			.name = field->name,
			.offset = field->offset,
			.size = field->size,
			.elem = is_array ? elem_size(field) : field->size,
			.is_signed = field->is_signed,
			.is_array = is_array,
			.is_char = field->is_char,
			.is_common = field->is_common,
			.is_pid = streq(field->type, "pid_t"),
			.data_loc = field->data_loc,
		};
		e->is_dynamic |= field->data_loc != 0;
	}
	e->fixed_size = event_fixed_size(e);
	return e;
}
