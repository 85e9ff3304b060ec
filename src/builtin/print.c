/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Printing. A format string's arguments travel as typed fields of one record and are formatted in user
 * space; maps travel as their index and are read when the record is met, so that print(@x) shows what
 * is in the map then.
 */
#include <time.h>
#include "builtin/builtin.h"
#include "base/clock.h"

/* ---- format strings */

static bool is_moot(const struct type *t)
{
	return t->kind == TY_ERROR || t->kind == TY_UNKNOWN;
}

static const struct type *check_format_args(struct check *c, struct node *call, u32 fmt_arg,
					    const struct format *f)
{
	u32 given = call_n_args(call) - fmt_arg - 1, arg = fmt_arg + 1;
	struct span span = call_arg(call, fmt_arg)->span;

	if (given < f->n_args)
		return diag_type(c, span, D_FORMAT_FEW, given, f->n_args);
	if (given > f->n_args)
		return diag_type(c, span, D_FORMAT_MANY, given, f->n_args);
	for (u32 i = 0; i < f->n; i++) {
		const struct format_spec *s = &f->spec[i];

		if (!s->conv)
			continue;
		arg += s->star_width + s->star_prec;
		struct node *n = call_arg(call, arg++);

		if (!is_moot(n->type) && !format_accepts(s, n->type))
			return diag_type(c, n->span, D_FORMAT_TYPE, s->conv, type_str(c->arena, n->type));
	}
	return &ty_void;
}

const struct type *check_format(struct check *c, struct node *call, u32 fmt_arg)
{
	const char *why = NULL;
	u32 at = 0;
	struct format *f = format_parse(c->arena, call_str(call, fmt_arg), &why, &at);

	if (!f)
		return diag_type(c, call_arg(call, fmt_arg)->span, D_FORMAT_BAD, why);
	return check_format_args(c, call, fmt_arg, f);
}

/* Control flow inside an argument would leave a reserved record behind: evaluate such arguments first. */
static bool leaves(struct node *n, void *ctx)
{
	bool *found = ctx;

	*found |= n->kind == N_BLOCK_EXPR || n->kind == N_RETURN || n->kind == N_BREAK || n->kind == N_CONTINUE;
	return !*found;
}

static const struct type *field_type(const struct node *n)
{
	const struct type *t = n->type;

	if (type_is_agg(t)) /* a number by now */
		return t->is_signed ? &ty_s64 : &ty_u64;
	return t;
}

enum { MAX_FORMAT_ARGS = 127 };

/* One record with all arguments from first on. */
static void emit_values(struct lower *l, struct node *call, struct event_desc *e, struct node *first, bool now)
{
	struct opnd scalar[MAX_FORMAT_ARGS + 1];
	struct ir_val early[MAX_FORMAT_ARGS + 1];
	struct event_build eb;
	u32 n = 0;

	(void)call;
	for (struct node *a = first; a && n < MAX_FORMAT_ARGS; a = a->next, n++) {
		bool must_be_early = false;

		event_field(l, e, field_type(a));
		early[n] = (struct ir_val){ 0 };
		ast_walk(a, leaves, &must_be_early);
		if (type_is_scalar(field_type(a)))
			scalar[n] = lower_scalar(l, a);
		else if (must_be_early)
			early[n] = lower_memory(l, a);
	}
	eb = event_begin(l, e);
	n = 0;
	for (struct node *a = first; a && n < MAX_FORMAT_ARGS; a = a->next, n++) {
		const struct type *t = e->fields[n].type;

		if (type_is_scalar(t))
			ir_store(l, event_at(&eb, n), t->size, scalar[n]);
		else if (early[n].type)
			lower_store_val(l, &early[n], t, event_at(&eb, n));
		else
			lower_into_record(l, a, t, event_at(&eb, n));
	}
	if (now)
		event_end_now(l, &eb);
	else
		event_end(l, &eb);
}

struct ir_val lower_format(struct lower *l, struct node *call)
{
	struct event_desc *e = event_new(l, call->builtin, call);

	e->text = call_str(call, 0);
	emit_values(l, call, e, call->a->next, false);
	return val_scalar(&ty_void, o_imm(0));
}

void format_record(struct actor *a, struct event_desc *e, const void *record, struct buf *out)
{
	const char *why;
	u32 at;

	if (!e->cache)
		e->cache = format_parse(a->prog->arena, e->text, &why, &at);
	format_apply(out, e->cache, a->names, e->fields, e->n_fields, record);
}

static const struct type *check_printf(struct check *c, struct node *call)
{
	return check_format(c, call, 0);
}

static struct buf text; /* reused: nothing is allocated for an event */

static int act_printf(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	(void)len;
	buf_clear(&text);
	format_record(a, e, record, &text);
	a->sink->output->text(a->sink, e->action->name, text.s ? text.s : "", text.len);
	return 0;
}

/* errorf, warnf: the same on stderr with the place in the script. */
static int act_message(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	(void)len;
	if (streq(e->action->name, "warnf") && !a->warnings)
		return 0;
	buf_clear(&text);
	format_record(a, e, record, &text);
	a->sink->output->message(a->sink, e->action->name, e->span, text.s ? text.s : "");
	return 0;
}

static const struct action action_printf = { "printf", act_printf };
static const struct action action_errorf = { "errorf", act_message };
static const struct action action_warnf = { "warnf", act_message };

/* ---- print(), clear(), zero() */

static bool is_whole_map(const struct node *n)
{
	return n->kind == N_MAP && !n->a;
}

static const struct type *check_print(struct check *c, struct node *call)
{
	struct node *what = call_arg(call, 0);

	if (call_n_args(call) > 1 && !is_whole_map(what))
		return diag_type(c, call_arg(call, 1)->span, D_PRINT_NOT_MAP);
	return &ty_void;
}

static void emit_map_event(struct lower *l, struct node *call, struct node *map)
{
	struct event_desc *e = event_new(l, call->builtin, call);
	struct event_build eb;

	e->map = lower_map(l, map->map);
	e->arg[0] = call_int(call, 1, 0);
	e->arg[1] = call_int(call, 2, 0);
	eb = event_begin(l, e);
	event_end(l, &eb);
}

/* print(@m[key]) of an aggregation that has no number: the key travels, the value is read later. */
static void emit_key_event(struct lower *l, struct node *call, struct node *map)
{
	struct event_desc *e = event_new(l, call->builtin, call);
	struct opnd key = lower_key(l, map);
	struct event_build eb;

	e->map = lower_map(l, map->map);
	event_field(l, e, map->map->key);
	eb = event_begin(l, e);
	ir_copy(l, event_at(&eb, 0), key, map->map->key->size);
	event_end(l, &eb);
}

static bool has_number(const struct type *t)
{
	return t->kind >= TY_COUNT && t->kind <= TY_AVG;
}

static struct ir_val lower_print(struct lower *l, struct node *call)
{
	struct node *what = call_arg(call, 0);
	struct event_desc *e;

	if (is_whole_map(what)) {
		emit_map_event(l, call, what);
	} else if (what->kind == N_MAP && type_is_agg(what->map->value) && !has_number(what->map->value)) {
		emit_key_event(l, call, what);
	} else {
		e = event_new(l, call->builtin, call);
		emit_values(l, call, e, what, false);
	}
	return val_scalar(&ty_void, o_imm(0));
}

static bool same_key(const struct table_row *row, const void *key, u32 size)
{
	return memcmp(row->key, key, size) == 0;
}

static void keep_key(struct table *t, const void *key, u32 size)
{
	for (u32 i = 0; i < t->rows.n; i++)
		if (same_key(&t->rows.v[i], key, size)) {
			t->rows.v[0] = t->rows.v[i];
			t->rows.n = 1;
			return;
		}
	t->rows.n = 0;
}

static int act_print(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	struct table t = { 0 };
	int rc;

	(void)len;
	if (e->map == NO_INDEX) {
		a->sink->output->value(a->sink, e->fields[0].type, (const u8 *)record + e->fields[0].offset);
		return 0;
	}
	t.map = &a->prog->maps.v[e->map];
	t.shown_by_name = true;
	t.top = (u32)e->arg[0];
	t.div = (u32)e->arg[1];
	rc = a->map_read(a->ctx, e->map, &t);
	if (rc)
		return rc;
	if (e->n_fields)
		keep_key(&t, (const u8 *)record + e->fields[0].offset, t.map->key_size);
	table_sort(&t, a->names);
	a->sink->output->table(a->sink, &t);
	return 0;
}

static int act_clear(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	(void)record;
	(void)len;
	return a->map_clear(a->ctx, e->map);
}

static int act_zero(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	(void)record;
	(void)len;
	return a->map_zero(a->ctx, e->map);
}

static struct ir_val lower_map_statement(struct lower *l, struct node *call)
{
	emit_map_event(l, call, call_arg(call, 0));
	return val_scalar(&ty_void, o_imm(0));
}

static const struct action action_print = { "print", act_print };
static const struct action action_clear = { "clear", act_clear };
static const struct action action_zero = { "zero", act_zero };

/* ---- time() */

static struct ir_val lower_time(struct lower *l, struct node *call)
{
	struct event_desc *e = event_new(l, call->builtin, call);
	struct event_build eb;

	e->text = call_arg(call, 0) ? call_str(call, 0) : "%H:%M:%S\n";
	eb = event_begin(l, e);
	event_end(l, &eb);
	return val_scalar(&ty_void, o_imm(0));
}

static int act_time(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	time_t now = (time_t)(clock_real_ns() / 1000000000);
	char out[512];
	struct tm tm;
	size_t n;

	(void)record;
	(void)len;
	localtime_r(&now, &tm);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	n = strftime(out, sizeof out, e->text, &tm); /* the format is the script's */
#pragma GCC diagnostic pop
	a->sink->output->text(a->sink, "time", out, n);
	return 0;
}

static const struct action action_time = { "time", act_time };

static const struct builtin rows[] = {
	{
		.name = "printf", .sig = "printf(format: lit string, ...)", .brief = "print formatted text",
		.doc = "Conversions: d i u o x X c s p, e f g for floats, r (buffer; rx, rh in hex), gr (GFP flags), "
		       "with flags, width and precision as in C. %s prints any value.",
		.example = "begin { printf(\"%s has %d\\n\", \"it\", 3); }",
		.flags = BI_STATEMENT, .engines = ON_ALL, .check = check_printf, .lower = lower_format,
		.action = &action_printf,
	},
	{
		.name = "errorf", .sig = "errorf(format: lit string, ...)", .brief = "print an error to stderr",
		.doc = "As printf, on stderr, after the place in the script and the word ERROR.",
		.example = "begin { errorf(\"bad value %d\", 3); }",
		.flags = BI_STATEMENT, .engines = ON_ALL, .check = check_printf, .lower = lower_format,
		.action = &action_errorf,
	},
	{
		.name = "warnf", .sig = "warnf(format: lit string, ...)", .brief = "print a warning to stderr",
		.doc = "As printf, on stderr, after the place in the script and the word WARNING. Silent with "
		       "--no-warnings.",
		.example = "begin { warnf(\"odd value %d\", 3); }",
		.flags = BI_STATEMENT, .engines = ON_ALL, .check = check_printf, .lower = lower_format,
		.action = &action_warnf,
	},
	{
		.name = "print", .sig = "print(what: any|map, top: lit int = 0, div: lit int = 0)",
		.brief = "print a value or a map",
		.doc = "A value is printed with a newline. A map is printed whole as at the end of a run; top keeps the "
		       "largest entries, div divides the values.",
		.example = "begin { print(42); @x[1] = 2; print(@x); clear(@x); }",
		.flags = BI_STATEMENT | BI_KEYWORDS, .engines = ON_ALL, .check = check_print, .lower = lower_print,
		.action = &action_print,
	},
	{
		.name = "clear", .sig = "clear(map: map)", .brief = "remove all keys of a map",
		.doc = "Removes all keys. Happens in user space, in order with what is printed.",
		.example = "begin { @x[1] = 2; clear(@x); }",
		.flags = BI_STATEMENT, .engines = ON_ALL, .lower = lower_map_statement, .action = &action_clear,
	},
	{
		.name = "zero", .sig = "zero(map: map)", .brief = "set all values of a map to zero",
		.doc = "Keeps the keys and sets their values to zero. Happens in user space, in order with what is "
		       "printed.",
		.example = "begin { @x[1] = 2; zero(@x); }",
		.flags = BI_STATEMENT, .engines = ON_ALL, .lower = lower_map_statement, .action = &action_zero,
	},
	{
		.name = "time", .sig = "time(format: lit string = \"%H:%M:%S\\n\")", .brief = "print the time of day",
		.doc = "Prints the wall-clock time by a strftime(3) format when the record is handled.",
		.example = "begin { time(\"\"); }",
		.flags = BI_STATEMENT, .engines = ON_ALL, .lower = lower_time, .action = &action_time,
	},
};

const struct builtin_theme builtin_print = THEME("Printing", rows);
