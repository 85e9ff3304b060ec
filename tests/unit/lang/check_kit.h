/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fixture for tests of the type checker: a few rows, a profile with arguments, a whole compilation.
 */
#ifndef TESTS_UNIT_LANG_CHECK_KIT_H
#define TESTS_UNIT_LANG_CHECK_KIT_H

#include <stdio.h>

#include "base/buf.h"
#include "lang/check.h"

static const struct type *kit_count(struct check *c, struct node *call)
{
	return &ty_count;
}

static const struct type *kit_sum(struct check *c, struct node *call)
{
	return type_agg(c->arena, TY_SUM, call_arg(call, 0)->type->is_signed);
}

static const struct type *kit_hist(struct check *c, struct node *call)
{
	return type_agg(c->arena, TY_STATS, false);
}

static const struct type *kit_str(struct check *c, struct node *call)
{
	const struct node *a = call_arg(call, 0);

	if (a->kind == N_PARAM)
		node_make_str(call, a->name, (u32)strlen(a->name),
			      type_string(c->arena, (u32)strlen(a->name) + 1));
	return type_string(c->arena, 64);
}

static const struct type *kit_is_str(struct check *c, struct node *call)
{
	node_make_int(call, call_arg(call, 0)->type->kind == TY_STRING, &ty_bool);
	return &ty_bool;
}

static const struct type *kit_curtask(struct check *c, struct node *call)
{
	const struct world *w = &c->env->world;
	const struct type *t = w->type ? w->type(w->ctx, 's', "task_struct") : NULL;

	return t ? type_pointer(c->arena, t, SPACE_KERNEL) : &ty_void_ptr;
}

static const struct type *kit_has_key(struct check *c, struct node *call)
{
	struct node *key = call_arg(call, 1);

	check_unify_map_key(c, call_arg(call, 0)->map, key->type, key->span);
	return &ty_bool;
}

static const struct type *kit_kptr(struct check *c, struct node *call)
{
	return type_in_space(c->arena, call_arg(call, 0)->type, SPACE_KERNEL);
}

static const struct type *kit_uptr(struct check *c, struct node *call)
{
	return type_in_space(c->arena, call_arg(call, 0)->type, SPACE_USER);
}

static const struct builtin kit_rows[] = {
	{ .name = "pid", .sig = "pid() -> uint32", .flags = BI_VARIABLE },
	{ .name = "comm", .sig = "comm -> comm", .flags = BI_VARIABLE },
	{ .name = "nsecs", .sig = "nsecs(clock: name = boot) -> uint64", .flags = BI_VARIABLE },
	{ .name = "argN", .sig = "argN -> u64", .flags = BI_VARIABLE },
	{ .name = "args", .sig = "args -> struct", .flags = BI_RECORD | BI_VARIABLE },
	{ .name = "curtask", .sig = "curtask -> task", .flags = BI_VARIABLE, .check = kit_curtask },
	{ .name = "kstack",
	  .sig = "kstack(mode: stack_mode|int = 0, n: lit int = 127) -> kstack_t",
	  .flags = BI_VARIABLE },
	{ .name = "stack", .alias_of = "kstack", .flags = BI_VARIABLE },
	{ .name = "printf", .sig = "printf(fmt: lit string, ...)", .flags = BI_STATEMENT },
	{ .name = "print",
	  .sig = "print(what: any|map, top: lit int = 0, div: lit int = 0)",
	  .flags = BI_STATEMENT | BI_KEYWORDS },
	{ .name = "clear", .sig = "clear(m: map)", .flags = BI_STATEMENT },
	{ .name = "exit", .sig = "exit(code: int = 0)", .flags = BI_STATEMENT },
	{ .name = "system",
	  .sig = "system(fmt: lit string, ...)",
	  .flags = BI_STATEMENT | BI_UNSAFE },
	{ .name = "str",
	  .sig = "str(addr: ptr|int|string|array, len: int = 0) -> string",
	  .check = kit_str },
	{ .name = "strftime", .sig = "strftime(fmt: lit string, ns: int) -> timestamp" },
	{ .name = "kptr", .sig = "kptr(p: ptr) -> ptr", .check = kit_kptr },
	{ .name = "uptr", .sig = "uptr(p: ptr) -> ptr", .check = kit_uptr },
	{ .name = "strlen", .sig = "strlen(s: string) -> u64" },
	{ .name = "is_str",
	  .sig = "is_str(x: any) -> bool",
	  .flags = BI_CONST,
	  .check = kit_is_str },
	{ .name = "delete",
	  .sig = "delete(m: any|map, key: any = 0) -> bool",
	  .flags = BI_NO_DISCARD_WARNING },
	{ .name = "has_key", .sig = "has_key(m: map, key: any) -> bool", .check = kit_has_key },
	{ .name = "find", .sig = "find(m: map, key: any, v: var) -> bool" },
	{ .name = "count", .sig = "count() -> count", .flags = BI_AGGREGATE, .check = kit_count },
	{ .name = "sum", .sig = "sum(n: int) -> sum", .flags = BI_AGGREGATE, .check = kit_sum },
	{ .name = "hist", .sig = "hist(n: int) -> hist", .flags = BI_AGGREGATE, .check = kit_hist },
	{ .name = "tai", .sig = "tai -> u64", .flags = BI_VARIABLE, .feature = FEAT_TAI + 1 },
};
static const struct builtin_theme kit_theme = THEME("Test", kit_rows);
static const struct builtin_theme *const kit_themes[] = { &kit_theme, NULL };

/* ---- the world: struct task_struct { int pid; char comm[16]; struct task_struct *parent; ... } */

static struct type kit_task, kit_char, kit_inner;
static struct field kit_fields[5], kit_inner_fields[2];

static void kit_make_world(struct arena *a)
{
	kit_char = ty_s8;
	kit_char.name = "char";
	kit_inner_fields[0] = (struct field){ .name = "a", .type = &ty_s32 };
	kit_inner_fields[1] = (struct field){ .name = "b", .type = &ty_s32, .offset = 4 };
	kit_inner = (struct type){ .kind = TY_STRUCT,
				   .name = "inner",
				   .size = 8,
				   .align = 4,
				   .fields = kit_inner_fields,
				   .n_fields = 2 };
	kit_fields[0] = (struct field){ .name = "pid", .type = &ty_s32 };
	kit_fields[1] =
		(struct field){ .name = "comm", .offset = 4, .type = type_array(a, &kit_char, 16) };
	kit_fields[2] = (struct field){ .name = "parent",
					.offset = 24,
					.type = type_pointer(a, &kit_task, SPACE_NONE) };
	kit_fields[3] = (struct field){ .name = "", .offset = 32, .type = &kit_inner };
	kit_fields[4] = (struct field){ .name = "ubuf",
					.offset = 40,
					.from_user = true,
					.type = type_pointer(a, &kit_char, SPACE_NONE) };
	kit_task = (struct type){ .kind = TY_STRUCT,
				  .name = "task_struct",
				  .size = 48,
				  .align = 8,
				  .fields = kit_fields,
				  .n_fields = 5 };
}

static const struct type *kit_world_type(void *ctx, u8 tag, const char *name)
{
	if ((tag == 's' || !tag) && streq(name, "task_struct"))
		return &kit_task;
	return (tag == 's' || !tag) && streq(name, "inner") ? &kit_inner : NULL;
}

static bool kit_world_constant(void *ctx, const char *name, s64 *value,
			       const struct type **enum_type)
{
	*value = 9;
	return streq(name, "SIGKILL");
}

static enum feature_answer kit_feature(struct features *f, enum feature id)
{
	return id != FEAT_TAI ? FEATURE_YES : FEATURE_NO;
}

/* ---- a compilation */

static struct arena kit_arena;
static struct intern kit_names;
static struct sources kit_sources;
static struct diags kit_diags;
static struct env kit_env;
static struct features kit_features = { .probe = kit_feature };
static struct lang kit_lang;
static struct arg_desc kit_args[] = {
	{ .name = "fd", .type = &ty_s32 },
	{ .name = "buf", .type = &ty_void_ptr },
	{ .name = "ret", .type = &ty_s64 },
};
static struct profile kit_profile = {
	.default_space = SPACE_USER,
	.args.v = kit_args,
	.args.n = 3,
	.record.name = "struct kit_args",
};
static struct profile kit_plain; /* a probe without arguments */
static bool kit_use_plain;
static struct instance *kit_instances[512];
static u32 kit_n;
static const char *const *kit_params;
static u32 kit_n_params;
static bool kit_unsafe;
static struct request kit_request;

static UNUSED void kit_end(void)
{
	if (!kit_arena.chunk)
		return;
	lang_release(&kit_lang);
	env_release(&kit_env);
	intern_release(&kit_names);
	arena_release(&kit_arena);
}

static UNUSED bool kit_check(const char *text)
{
	kit_end();
	arena_init(&kit_arena);
	intern_init(&kit_names);
	sources_init(&kit_sources, &kit_arena);
	diags_init(&kit_diags, &kit_arena, &kit_sources);
	kit_make_world(&kit_arena);
	kit_request = (struct request){ .script.params = kit_params,
					.script.n_params = kit_n_params,
					.compile.unsafe = kit_unsafe };
	kit_env = (struct env){ .themes = kit_themes,
				.request = &kit_request,
				.features = &kit_features };
	kit_env.world = (struct world){ .type = kit_world_type, .constant = kit_world_constant };
	config_defaults(&kit_env.config);
	env_init(&kit_env);
	lang_init(&kit_lang, &kit_arena, &kit_names, &kit_sources, &kit_diags, &kit_env);
	kit_n = 0;

	struct source *src = sources_add(&kit_sources, "test", text, strlen(text));

	if (!parse_script(&kit_lang, src) || !lang_prepare(&kit_lang))
		return false;
	for (struct clause *cl = kit_lang.script->clauses; cl && kit_n < 512; cl = cl->next) {
		struct instance *in = arena_new(&kit_arena, struct instance);

		in->profile = kit_use_plain ? &kit_plain : &kit_profile;
		in->name = "test";
		in->provider = "test";
		instance_init(&kit_lang, in, cl);
		kit_instances[kit_n++] = in;
	}
	return lang_check(&kit_lang, kit_instances, kit_n);
}

/* The names of all diagnostics, in the order of reporting: "UNKNOWN_NAME DISCARDED". */
static UNUSED const char *kit_said(void)
{
	const char *text = "";

	for (u32 i = 0; i < kit_diags.list.n; i++)
		text = arena_printf(&kit_arena, "%s%s%s", text, i ? " " : "",
				    diag_rows[kit_diags.list.v[i]->id].name);
	return text;
}

static UNUSED const char *kit_text(void)
{
	struct buf b = { 0 };

	diags_render_text(&kit_diags, &b, false);
	const char *text = arena_strdup(&kit_arena, b.s ? b.s : "");

	buf_release(&b);
	return text;
}

/* The same, as comments of the test's output. */
static UNUSED void kit_show(void)
{
	for (const char *at = kit_text(); *at;
	     at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != 0))
		printf("# %.*s\n", (int)strcspn(at, "\n"), at);
}

static UNUSED const char *kit_map(const char *name, bool key)
{
	const struct map *m = hash_gets(&kit_lang.maps, name);
	const struct type *t = m ? key ? m->key : m->value : NULL;

	return t ? type_str(&kit_arena, t) : "(none)";
}

static UNUSED const struct var *kit_var(const char *name)
{
	for (u32 i = 0; i < kit_n; i++)
		for (u32 j = 0; j < kit_instances[i]->vars.n; j++)
			if (streq(kit_instances[i]->vars.v[j]->name, name))
				return kit_instances[i]->vars.v[j];
	return NULL;
}

static UNUSED const char *kit_var_type(const char *name)
{
	const struct var *v = kit_var(name);

	return v ? type_str(&kit_arena, v->type) : "(none)";
}

#endif
