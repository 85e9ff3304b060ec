/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracepoint's record -> arguments. Offsets of the format file are offsets from the context of a
 * program on the perf path: the record begins with the 8 common bytes, which programs must not
 * read.
 *
 *	field:char prev_comm[16];	offset:8;	-> LOC_CTX_ADDR 8, string[16]
 *	field:pid_t prev_pid;		offset:24;	-> LOC_CTX 24, int32
 *	field:__data_loc char[] name;	offset:8;	-> LOC_DATA_LOC 8, string
 */
#include "provider/internal.h"
#include "sym/event_layout.h"

static struct loc field_loc(const struct tp_field *f, const struct type *t)
{
	struct loc loc = { .kind = LOC_CTX, .offset = f->offset };

	if (f->data_loc)
		loc.kind = f->data_loc == 1 ? LOC_DATA_LOC : LOC_REL_LOC;
	else if (!type_is_scalar(t))
		loc.kind = LOC_CTX_ADDR;
	loc.size = (u8)MIN(type_is_scalar(t) && t->size ? t->size : 4, MIN(f->size, 8u));
	loc.is_signed = type_is_scalar(t) && t->is_signed;
	return loc;
}

/* Dynamic data follow the fixed part, which ends with the last field. */
void format_whole(struct provider_env *env, struct profile *p, const struct tp_format *f)
{
	struct event_format *e = event_layout(env->arena, f);
	struct type *t = arena_new(env->arena, struct type);
	u32 size = e->fixed_size;

	for (u32 i = 0; i < e->n_members; i++)
		if (e->members[i].data_loc)
			size = MAX(size, e->members[i].offset + 4 + env_strlen(env));
	*t = (struct type){ .kind = TY_EVENT, .size = ALIGN_UP(size, 8u), .align = 8, .origin = e };
	p->record.type = t;
}

void format_args(struct provider_env *env, struct profile *p, const struct tp_format *f,
		 bool is_syscall)
{
	p->args.v = arena_array(env->arena, struct arg_desc, f->fields.n);
	p->record.name = arena_printf(env->arena, "struct %s_%s_args", f->category, f->name);
	for (u32 i = 0; i < f->fields.n; i++) {
		const struct tp_field *field = &f->fields.v[i];
		const struct type *t;

		if (field->is_common)
			continue;
		t = ctype_field(env, field, is_syscall);
		p->args.v[p->args.n++] = (struct arg_desc){ .name = field->name,
							    .type = t,
							    .loc = field_loc(field, t),
							    .text = field->text };
	}
}
