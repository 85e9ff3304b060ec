/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builtins that the compiler evaluates: script options, configuration, type predicates, static
 * assertions.
 *
 * A check function here folds its call to a constant or reports a diagnostic. Only container_of()
 * and is_err() generate code.
 */
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>
#include "builtin/builtin.h"
#include "lang/lexer.h"
#include "lang/number.h"

static const struct type *fold_bool(struct node *call, bool value)
{
	node_make_int(call, value, &ty_bool);
	return &ty_bool;
}

static const struct type *fold_str(struct check *c, struct node *call, const char *s)
{
	node_make_str(call, s, (u32)strlen(s), type_known_text(c->arena, (u32)strlen(s)));
	return call->type;
}

/* ---- getopt(): --name=value after -- */

static bool parse_bool(const char *s, s64 *value)
{
	static const char *const words[] = { "false", "true", "0", "1", "no", "yes", "off", "on" };

	*value = 1;
	if (!s)
		return true; /* --name alone */
	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcasecmp(s, words[i])) {
			*value = i & 1;
			return true;
		}
	return false;
}

/* The type of an option: that of its default, which is unsigned unless it is negative. */
static const struct type *option_type(const struct node *dflt)
{
	if (!dflt || dflt->type->kind == TY_BOOL)
		return &ty_bool;
	return dflt->type->is_signed && dflt->value < 0 ? &ty_s64 : &ty_u64;
}

/* The number of an option; why not, if not. */
static const char *parse_number(const char *text, const struct type *type, s64 *v)
{
	static const char range[] = "value is out of range";
	struct number num = { .fault = NUMBER_FINE };

	text += strspn(text, " \t\n\v\f\r");
	if (!lex_parse_param(text, v)) {
		text += *text == '-' || *text == '+';
		if (lex_is_digit(*text))
			number_scan(text, (u32)strlen(text), &num);
		return num.fault == NUMBER_TOO_BIG ? range :
		       lex_is_digit(*text)         ? "invalid trailing bytes" :
						     "invalid integer";
	}
	return type->is_signed && *v && (*v < 0) != (*text == '-') ? range : NULL;
}

static const struct type *fold_option(struct check *c, struct node *call, const char *value)
{
	const struct node *name = call_arg(call, 0), *dflt = call_arg(call, 1);
	const struct type *type = option_type(dflt);
	bool is_bool = type == &ty_bool;
	const char *why;
	s64 v = 0;

	if (dflt && dflt->type->kind == TY_STRING)
		return value ? fold_str(c, call, value) :
			       diag_type(c, name->span, D_OPTION_KIND, name->str, "a string",
					 "true");
	if (is_bool ? !parse_bool(value, &v) : !value)
		return diag_type(c, name->span, D_OPTION_KIND, name->str,
				 is_bool ? "a boolean (e.g. 'true')" : "an integer",
				 value ? value : "true");
	why = is_bool ? NULL : parse_number(value, type, &v);
	if (why)
		return diag_type(c, name->span, D_OPTION_VALUE, name->str, why, value);
	node_make_int(call, v, type);
	return type;
}

static bool same_default(const struct node *a, const struct node *b)
{
	if (a->type->kind == TY_STRING && b->type->kind == TY_STRING)
		return a->str_len == b->str_len && !memcmp(a->str, b->str, a->str_len);
	return (a->type->kind == TY_STRING) == (b->type->kind == TY_STRING) &&
	       (a->type->kind == TY_BOOL) == (b->type->kind == TY_BOOL) && a->value == b->value;
}

static const char *default_text(struct check *c, const struct node *n)
{
	if (n->type->kind == TY_STRING)
		return n->str;
	if (n->type->kind == TY_BOOL)
		return n->value ? "true" : "false";
	return arena_printf(c->arena, "%lld", (long long)n->value);
}

static bool has_one_default(struct check *c, const char *name, struct node *dflt)
{
	struct node *first = hash_gets(&c->env->option_default, name), *copy;
	struct diag *d;

	if (!first) {
		copy = arena_new(c->arena, struct node);
		*copy = *dflt;
		hash_puts(&c->env->option_default, name, copy);
		return true;
	}
	if (same_default(first, dflt))
		return true;
	d = check_report(c, dflt->span, D_OPTION_DEFAULT, name, default_text(c, first));
	diag_note(c->diags, d, first->span, "here it is different");
	return false;
}

static const struct type *check_getopt(struct check *c, struct node *call)
{
	const struct node *name = call_arg(call, 0), *about = call_arg(call, 2);
	const struct script_source *script = &c->env->request->script;
	const struct script_arg *given = NULL;
	struct node *dflt = call_arg(call, 1);

	if (dflt && !has_one_default(c, name->str, dflt))
		return &ty_error;
	hash_puts(&c->env->options, name->str, (void *)(uintptr_t)(about ? about->str : ""));
	for (u32 i = 0; i < script->n_named; i++)
		if (streq(script->named[i].name, name->str)) {
			c->env->named_used[i] = true;
			given = &script->named[i]; /* the last one counts */
		}
	if (given)
		return fold_option(c, call, given->value);
	if (!dflt)
		return fold_bool(call, false);
	if (dflt->type->kind == TY_STRING)
		return fold_str(c, call, arena_strndup(c->arena, dflt->str, dflt->str_len));
	node_make_int(call, dflt->value, option_type(dflt));
	return call->type;
}

/* Sorts the script's options by name, empty slots last. */
static int by_name(const void *a, const void *b)
{
	const struct hash_slot *x = a, *y = b;

	return !x->key || !y->key ? !x->key - !y->key : strcmp(x->key, y->key);
}

static void help_options(struct env *env, struct diags *diags, struct diag *d)
{
	struct hash_slot *all =
		arena_dup(diags->arena, env->options.slot, env->options.cap * sizeof *all);

	if (env->options.cap)
		qsort(all, env->options.cap, sizeof *all, by_name);
	for (u32 i = 0; i < env->options.n; i++) {
		const char *about = all[i].value;

		diag_help(diags, d, "--%s%s%s", (const char *)all[i].key, *about ? ": " : "",
			  about);
	}
	if (!env->options.n)
		diag_help(diags, d, "the script takes none");
}

bool builtin_check_options(struct env *env, struct diags *diags)
{
	const struct script_source *script = &env->request->script;
	struct buf unread = { 0 };

	for (u32 i = 0; i < script->n_named; i++)
		if (!env->named_used[i])
			buf_printf(&unread, "%s--%s", unread.len ? ", " : "",
				   script->named[i].name);
	if (!unread.len)
		return true;
	help_options(env, diags,
		     diag_report(diags, (struct span){ 0, 0 }, D_UNKNOWN_OPTION, unread.s));
	buf_release(&unread);
	return false;
}

/* ---- config() */

static struct node *config_member(struct check *c, struct node *call, const char *name)
{
	struct node *member = node_new(c->arena, N_NAMED, call->span);

	member->name = name;
	member->a = node_new(c->arena, N_INT, call->span);
	return member;
}

struct members {
	struct check *c;
	struct node *call, **end;
};

static void add_member(struct members *m, const char *name, s64 value, const struct type *t)
{
	struct node *n = config_member(m->c, m->call, name);

	node_make_int(n->a, value, t);
	*m->end = n;
	m->end = &n->next;
}

static void add_text(struct members *m, const char *name, const char *s)
{
	struct node *n = config_member(m->c, m->call, name);

	node_make_str(n->a, s, (u32)strlen(s), type_known_text(m->c->arena, (u32)strlen(s)));
	*m->end = n;
	m->end = &n->next;
}

/* Replaces the call by a record expression: (max_strlen = 1024, ...). */
static const struct type *check_config(struct check *c, struct node *call)
{
	static const char *const missing[] = { "error", "warn", "ignore" };
	const struct config *cfg = &c->env->config;
	struct members m = { c, call, &call->a };

	call->kind = N_RECORD;
	call->builtin = NULL;
	call->a = NULL;
	add_text(&m, "cache_user_symbols", cfg->cache_user_symbols);
	add_member(&m, "cpp_demangle", cfg->cpp_demangle, &ty_bool);
	add_member(&m, "exact_uprobes", cfg->exact_uprobes, &ty_bool);
	add_member(&m, "lazy_symbolication", cfg->lazy_symbolication, &ty_bool);
	add_text(&m, "license", cfg->license);
	add_member(&m, "log_size", (s64)cfg->log_size, &ty_u64);
	add_member(&m, "max_bpf_progs", (s64)cfg->max_bpf_progs, &ty_u64);
	add_member(&m, "max_cat_bytes", (s64)cfg->max_cat_bytes, &ty_u64);
	add_member(&m, "max_map_keys", (s64)cfg->max_map_keys, &ty_u64);
	add_member(&m, "max_probes", (s64)cfg->max_probes, &ty_u64);
	add_member(&m, "max_strlen", (s64)cfg->max_strlen, &ty_u64);
	add_text(&m, "missing_probes", missing[cfg->missing_probes]);
	add_member(&m, "on_stack_limit", (s64)cfg->on_stack_limit, &ty_u64);
	add_member(&m, "perf_rb_pages", (s64)cfg->perf_rb_pages, &ty_u64);
	add_member(&m, "print_maps_on_exit", cfg->print_maps_on_exit, &ty_bool);
	add_member(&m, "show_debug_info", cfg->show_debug_info, &ty_bool);
	add_member(&m, "stack_lines", cfg->stack_lines, &ty_bool);
	add_text(&m, "stack_mode", stack_mode_names[cfg->stack_mode]);
	add_text(&m, "str_trunc_trailer", cfg->str_trunc_trailer);
	return check_expr(c, call);
}

static const struct type *check_str_length(struct check *c, struct node *call)
{
	node_make_int(call, (s64)c->env->config.max_strlen, &ty_u64);
	return &ty_u64;
}

/* ---- type predicates: a row's aux is its predicate */

enum predicate { IS_STR, IS_PTR, IS_ARRAY, IS_INTEGER, IS_UNSIGNED, IS_LITERAL, IS_SCALAR };

/* Constants as they are written, and what consists of them; casts and sizes are computed. */
static bool is_literal(const struct node *n)
{
	if (n->kind == N_NAMED)
		return is_literal(n->a);
	if (n->kind != N_TUPLE && n->kind != N_RECORD)
		return n->is_const && n->kind != N_CAST && n->kind != N_SIZEOF &&
		       n->kind != N_OFFSETOF;
	for (const struct node *e = n->a; e; e = e->next)
		if (!is_literal(e))
			return false;
	return true;
}

static bool satisfies(const struct node *n, enum predicate p)
{
	const struct type *t = n->type;

	switch (p) {
	case IS_STR: return t->kind == TY_STRING || (t->kind == TY_PROBE && !t->is_func);
	case IS_PTR: return t->kind == TY_POINTER;
	case IS_ARRAY: return t->kind == TY_ARRAY;
	case IS_INTEGER: return t->kind == TY_INT;
	case IS_UNSIGNED: return t->kind == TY_INT && !t->is_signed;
	case IS_LITERAL: return is_literal(n);
	case IS_SCALAR: return n->map && !n->map->is_keyed;
	}
	return false;
}

static const struct type *check_kind(struct check *c, struct node *call)
{
	return fold_bool(call, satisfies(call_arg(call, 0), (enum predicate)call->builtin->aux));
}

static u32 kernel_func_id(const struct check *c, const struct node *call)
{
	const struct world *w = &c->env->world;

	return w->kernel_func ? w->kernel_func(w->ctx, call_str(call, 0)) : 0;
}

static const struct type *check_kfunc_exist(struct check *c, struct node *call)
{
	return fold_bool(call, kernel_func_id(c, call));
}

static const struct type *check_kfunc_allowed(struct check *c, struct node *call)
{
	const struct load_kind *load = &c->inst->profile->load;
	struct features *f = c->env->features;
	u32 id = kernel_func_id(c, call);

	return fold_bool(call, id && f->may_call &&
				       f->may_call(f, id, load->prog_type, load->attach_type,
						   load->module ? 0 : load->btf_id));
}

/* ---- static assertions */

/* The message of fail(). Its arguments are literals, so it is formatted here. */
static const char *fail_text(struct check *c, struct node *call, u32 fmt_arg)
{
	struct buf b = { 0 };
	const char *s = call_str(call, fmt_arg), *text;
	u32 arg = fmt_arg + 1;

	for (; *s; s++) {
		const struct node *n;

		if (*s != '%' || s[1] == '%' || !(n = call_arg(call, arg))) {
			s += *s == '%' && s[1] == '%';
			buf_putc(&b, *s);
			continue;
		}
		s += strspn(s + 1, "-+ #0123456789.lhjzt") + 1;
		if (n->type->kind == TY_STRING)
			buf_add(&b, n->str, n->str_len);
		else if (*s == 'x')
			buf_hex(&b, (u64)n->value);
		else
			buf_s64(&b, n->value);
		arg++;
		if (!*s)
			break;
	}
	text = arena_strdup(c->arena, b.s ? b.s : "");
	buf_release(&b);
	return text;
}

static const struct type *check_fail(struct check *c, struct node *call)
{
	for (u32 i = 1; i < call_n_args(call); i++)
		if (!call_arg(call, i)->is_const)
			return diag_type(c, call_arg(call, i)->span, D_FAIL_CONST, call->name);
	if (!c->final) /* only the final pass knows which branches are dead */
		return &ty_void;
	return diag_type(c, call->span, D_FAIL, fail_text(c, call, 0));
}

static const struct type *check_static_assert(struct check *c, struct node *call)
{
	const struct node *cond = call_arg(call, 0);

	if (!cond->is_const)
		return c->final ? diag_type(c, cond->span, D_FAIL_CONST, call->name) : &ty_void;
	if (!cond->value && c->final)
		return diag_type(c, call->span, D_FAIL, call_str(call, 1));
	return &ty_void;
}

static const struct type *check_assert_str(struct check *c, struct node *call)
{
	const struct node *n = call_arg(call, 0);

	if (n->type->kind != TY_STRING && c->final)
		return diag_type(c, n->span, D_FAIL, "a string is expected here");
	return &ty_void;
}

static struct ir_val lower_nothing(struct lower *l, struct node *call)
{
	return val_scalar(&ty_void, o_imm(0));
}

/* ---- container_of() */

static const struct type *check_container(struct check *c, struct node *call)
{
	const struct node *p = call_arg(call, 0), *t = call_arg(call, 1), *f = call_arg(call, 2);
	const struct type *s = type_complete(t->type);
	u32 offset = 0;

	if (f->kind != N_IDENT)
		return diag_type(c, f->span, D_CONTAINER_FIELD, type_str(c->arena, s), "");
	if (!type_field(s, f->name, &offset))
		return diag_type(c, f->span, D_CONTAINER_FIELD, type_str(c->arena, s), f->name);
	call->aux = offset;
	return type_pointer(c->arena, s, p->type->kind == TY_POINTER ? p->type->space : SPACE_NONE);
}

static struct ir_val lower_container(struct lower *l, struct node *call)
{
	return val_scalar(call->type,
			  ir_op2(l, IR_SUB, lower_scalar(l, call_arg(call, 0)), o_imm(call->aux)));
}

/* ---- is_err(): the last 4095 addresses are error numbers (include/linux/err.h) */

static struct ir_val lower_is_err(struct lower *l, struct node *call)
{
	return val_scalar(&ty_bool,
			  ir_set(l, CC_UGE, lower_scalar(l, call_arg(call, 0)), o_imm(-4095)));
}

#define KIND_ROW(name_, sig_, brief_, example_, output_, aux_)                                           \
	{                                                                                                \
		.name = name_, .sig = sig_, .brief = brief_,                                             \
		.doc = "Evaluated at compile time: branches that it makes unreachable are not checked.", \
		.example = example_, .output = output_, .flags = BI_CONST, .engines = ON_ALL,            \
		.check = check_kind, .aux = aux_,                                                        \
	}

static const struct builtin rows[] = {
	{
		.name = "getopt",
		.sig = "getopt(name: lit string, default: "
		       "lit int|bool|string = false, description: lit string = \"\")",
		.brief = "script option",
		.doc = "The value of --name=value after -- on the command line, or else the "
		       "default. The value has the default's type: unsigned, if that is a number that is "
		       "not negative. Without a default: whether "
		       "--name was given.",
		.example = "begin { print(getopt(\"limit\", 10, \"how many\")); }",
		.output = "10",
		.flags = BI_CONST | BI_OPTION,
		.engines = ON_ALL,
		.check = check_getopt,
	},
	{
		.name = "config",
		.sig = "config() -> record",
		.brief = "the configuration",
		.doc = "A record of all configuration variables, for example config().max_strlen.",
		.example = "begin { print(config().max_strlen); }",
		.output = "1024",
		.flags = BI_VARIABLE | BI_CONST,
		.engines = ON_ALL,
		.check = check_config,
	},
	{
		.name = "default_str_length",
		.sig = "default_str_length() -> uint64",
		.brief = "maximum string length",
		.doc = "The configuration variable max_strlen.",
		.example = "begin { print(default_str_length()); }",
		.output = "1024",
		.flags = BI_VARIABLE | BI_CONST,
		.engines = ON_ALL,
		.check = check_str_length,
	},
	KIND_ROW("is_str", "is_str(value: any) -> bool", "whether a value is a string",
		 "begin { print(is_str(comm)); }", "true", IS_STR),
	KIND_ROW("is_ptr", "is_ptr(value: any) -> bool", "whether a value is a pointer",
		 "begin { print(is_ptr(1)); }", "false", IS_PTR),
	KIND_ROW("is_array", "is_array(value: any) -> bool", "whether a value is an array",
		 "begin { print(is_array(1)); }", "false", IS_ARRAY),
	KIND_ROW("is_integer", "is_integer(value: any) -> bool", "whether a value is an integer",
		 "begin { print(is_integer(pid)); }", "true", IS_INTEGER),
	KIND_ROW("is_unsigned_integer", "is_unsigned_integer(value: any) -> bool",
		 "whether a value is an unsigned integer",
		 "begin { print(is_unsigned_integer(pid)); }", "true", IS_UNSIGNED),
	KIND_ROW("is_literal", "is_literal(value: any) -> bool",
		 "whether a value is a compile-time constant", "begin { print(is_literal(1)); }",
		 "true", IS_LITERAL),
	KIND_ROW("is_scalar", "is_scalar(map: any|map) -> bool", "whether a map has no keys",
		 "begin { @x = 1; print(is_scalar(@x)); }",
		 "true\n"
		 "\n"
		 "@x: 1",
		 IS_SCALAR),
	{
		.name = "kfunc_exist",
		.sig = "kfunc_exist(name: lit string) -> bool",
		.brief = "whether the kernel has a function",
		.doc = "Whether the kernel's BTF has a function of that name.",
		.example = "begin { print(kfunc_exist(\"vfs_read\")); }",
		.output = "true",
		.flags = BI_CONST,
		.engines = ON_ALL,
		.check = check_kfunc_exist,
	},
	{
		.name = "kfunc_allowed",
		.sig = "kfunc_allowed(name: lit string) -> bool",
		.brief = "whether a kernel function may be called",
		.doc = "Whether the kernel lets programs of this probe's type call the function (a kfunc); "
		       "the kernel is asked.",
		.example =
			"begin { print((kfunc_exist(\"vfs_read\"), kfunc_allowed(\"vfs_read\"))); }",
		.output = "(true, false)",
		.flags = BI_CONST | BI_NEEDS_PROFILE,
		.engines = ON_ALL,
		.check = check_kfunc_allowed,
	},
	{
		.name = "fail",
		.sig = "fail(format: lit string, ...)",
		.brief = "compile error",
		.doc = "A compile error with that message, unless the call is in a branch that "
		       "`if comptime` excludes. The arguments are literals.",
		.example =
			"begin { if comptime (is_str(1)) { fail(\"no number: %d\", 1); } print(\"compiled\"); }",
		.output = "compiled",
		.flags = BI_STATEMENT,
		.engines = ON_ALL,
		.check = check_fail,
		.lower = lower_nothing,
	},
	{
		.name = "static_assert",
		.sig = "static_assert(condition: any, message: lit string)",
		.brief = "compile error if the condition is false",
		.doc = "A compile error with that message if the condition is false. The "
		       "condition must be a compile-time constant.",
		.example =
			"begin { static_assert(sizeof(uint64) == 8, \"odd machine\"); print(\"compiled\"); }",
		.output = "compiled",
		.flags = BI_STATEMENT,
		.engines = ON_ALL,
		.check = check_static_assert,
		.lower = lower_nothing,
	},
	{
		.name = "assert_str",
		.sig = "assert_str(value: any)",
		.brief = "compile error if the value is not a string",
		.doc = "A compile error if the value is not a string.",
		.example = "begin { assert_str(comm); print(\"compiled\"); }",
		.output = "compiled",
		.flags = BI_STATEMENT,
		.engines = ON_ALL,
		.check = check_assert_str,
		.lower = lower_nothing,
	},
	{
		.name = "container_of",
		.sig = "container_of(pointer: ptr|int, type: type, field: name) -> ptr",
		.brief = "the struct around a field",
		.doc = "Given a pointer to a field, the pointer to the struct that contains it.",
		.example =
			"begin { $t = container_of(kptr(4096), struct task_struct, comm); print($t != 0); }",
		.output = "true",
		.engines = ON_ALL,
		.check = check_container,
		.lower = lower_container,
	},
	{
		.name = "is_err",
		.sig = "is_err(pointer: ptr|int) -> bool",
		.brief = "whether a pointer is an error code",
		.doc = "Some kernel functions return errors as pointers into the last page "
		       "(IS_ERR()): true for those.",
		.example = "begin { print(is_err((uint64)-2)); }",
		.output = "true",
		.engines = ON_ALL,
		.lower = lower_is_err,
	},
};

const struct builtin_theme builtin_config = THEME("When compiling", rows);
