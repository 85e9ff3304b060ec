/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers of sym/ to the compiler's questions, each source opened when it is first needed. */
#include "session/view.h"
#include "sym/btf.h"
#include "sym/constants.h"
#include "sym/kallsyms.h"

void view_init(struct system_view *v, struct arena *arena)
{
	*v = (struct system_view){ .arena = arena };
}

void view_release(struct system_view *v)
{
	if (v->btf)
		btf_close(v->btf);
	kallsyms_free(v->kallsyms);
	*v = (struct system_view){ 0 };
}

struct btf *view_btf(struct system_view *v)
{
	struct err err = { 0 };

	if (!v->btf_tried) {
		v->btf = btf_open(v->arena, NULL, &err);
		v->btf_tried = true;
		err_release(&err);
	}
	return v->btf;
}

struct kallsyms *view_kallsyms(struct system_view *v)
{
	if (!v->kallsyms)
		v->kallsyms = kallsyms_new(NULL);
	return v->kallsyms;
}

static const struct type *world_type(void *ctx, u8 tag, const char *name)
{
	struct btf *btf = view_btf(ctx);

	return btf ? btf_type_by_name(btf, tag, name) : NULL;
}

static bool world_constant(void *ctx, const char *name, s64 *value, const struct type **enum_type)
{
	const struct constant *c = constant_find(name);
	struct btf *btf;

	*enum_type = NULL;
	if (c) {
		*value = c->value;
		return true;
	}
	btf = view_btf(ctx);
	return btf && btf_enumerator(btf, name, value, enum_type);
}

static u64 world_ksym_addr(void *ctx, const char *name)
{
	struct ksym s;

	return kallsyms_find(view_kallsyms(ctx), name, NULL, &s) ? s.address : 0;
}

void view_world(struct system_view *v, struct world *w)
{
	*w = (struct world){ .ctx = v, .type = world_type, .constant = world_constant,
			     .ksym_addr = world_ksym_addr };
}
