/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output: printf() and its variants, print(), time(), clear(), zero().
 *
 * The arguments of a format string are typed fields of one record, formatted in user space. A map
 * is sent as its index and is read when the record is handled, so print(@x) shows the contents at
 * that time.
 */
#include <stdlib.h>
#include "builtin/builtin.h"
#include "builtin/join.h"
#include "builtin/text.h"
#include "base/clock.h"

/* ---- format strings */

static bool is_moot(const struct type *t)
{
	return t->kind == TY_ERROR || t->kind == TY_UNKNOWN;
}

/* The letters of the conversion, as written. */
static const char *conversion_text(struct check *c, const struct format_spec *s)
{
	switch (s->conv) {
	case 'G': return "gr";
	case 'R': return "rx";
	case 'H': return "rh";
	case 'e': return arena_printf(c->arena, "%c", s->letter);
	default: return arena_printf(c->arena, "%c", s->conv);
	}
}

/* An aggregation that can be read as a number. */
static bool has_number(const struct type *t)
{
	return t->kind >= TY_COUNT && t->kind <= TY_AVG;
}

/* The reason, with the conversion at `from` if it is complete. */
static const char *with_conversion(struct check *c, const char *why, const char *from)
{
	size_t len = *from == '%' ? 1 + strspn(from + 1, "0123456789+-# .*$hljzt") : 0;

	return !len || !from[len] ? why :
				    arena_printf(c->arena, "%s %.*s", why, (int)len + 1, from);
}

static const struct type *bad_format(struct check *c, struct span span, const char *why,
				     const char *from)
{
	struct diag *d = check_report(c, span, D_FORMAT_BAD, with_conversion(c, why, from));

	diag_help(
		c->diags, d,
		"%%d %%u %%x %%o %%c %%p print integers, %%e %%f %%g floats, %%s any value, %%r buffers; "
		"a percent sign is written %%%%");
	return &ty_error;
}

static const struct type *check_format_args(struct check *c, struct node *call, u32 fmt_arg,
					    const struct format *f)
{
	u32 given = call_n_args(call) - fmt_arg - 1, arg = fmt_arg + 1;
	struct span span = call_arg(call, fmt_arg)->span;

	if (given < f->n_args) {
		struct diag *d = check_report(c, span, D_FORMAT_FEW, given, f->n_args);

		if (strstr(call_arg(call, fmt_arg)->str, "% "))
			diag_help(c->diags, d, "a percent sign is written %%%%");
		return &ty_error;
	}
	if (given > f->n_args && f->odd)
		return bad_format(c, span, "unknown conversion", f->odd);
	if (given > f->n_args)
		return diag_type(c, span, D_FORMAT_MANY, given, f->n_args);
	for (u32 i = 0; i < f->n; i++) {
		const struct format_spec *s = &f->spec[i];

		if (!s->conv)
			continue;
		arg += s->star_width + s->star_prec;
		struct node *n = call_arg(call, arg++);

		if (!is_moot(n->type) && !format_accepts(s, n->type))
			return diag_type(c, n->span, D_FORMAT_TYPE, conversion_text(c, s),
					 type_str(c->arena, n->type));
		if (type_is_agg(n->type) && !has_number(n->type))
			return diag_type(c, n->span, D_AGG_USE,
					 n->map ? n->map->name : type_str(c->arena, n->type));
	}
	return &ty_void;
}

const struct type *check_format(struct check *c, struct node *call, u32 fmt_arg)
{
	const char *why = NULL;
	u32 at = 0;
	struct format *f = format_parse(c->arena, call_str(call, fmt_arg),
					call_arg(call, fmt_arg)->str_len, &why, &at);

	if (!f)
		return bad_format(c, call_arg(call, fmt_arg)->span, why,
				  call_str(call, fmt_arg) + at);
	return check_format_args(c, call, fmt_arg, f);
}

/* Control flow inside an argument would leak a reserved record: such arguments are evaluated
 * first. */
static bool leaves(struct node *n, void *ctx)
{
	bool *found = ctx;

	*found |= n->kind == N_BLOCK_EXPR || n->kind == N_RETURN || n->kind == N_BREAK ||
		  n->kind == N_CONTINUE;
	return !*found;
}

static const struct type *field_type(const struct node *n)
{
	const struct type *t = n->type;

	if (type_is_agg(t)) /* read as a number */
		return t->is_signed ? &ty_s64 : &ty_u64;
	return t;
}

static u32 list_length(const struct node *n)
{
	u32 length = 0;

	for (; n; n = n->next)
		length++;
	return length;
}

/* Has side effects, which would happen twice if a record were filled twice: see ir/lower_user.c. */
static bool acts(struct node *n, void *ctx)
{
	bool *found = ctx;

	*found |= n->kind == N_INCDEC ||
		  (n->kind == N_CALL && (!n->builtin || n->builtin->flags & BI_NO_DISCARD_WARNING));
	return !*found;
}

static bool must_be_early(struct lower *l, struct node *n)
{
	bool early = false;

	ast_walk(n, leaves, &early);
	if (!early && lower_may_sleep(l))
		ast_walk(n, acts, &early);
	return early;
}

static void add_field(struct lower *l, struct event_desc *e, const struct node *a)
{
	event_field(l, e, field_type(a));
	e->fields[e->n_fields - 1].is_literal = a->kind == N_STR;
}

/* A list of arguments, and those that were evaluated before the record was reserved. */
struct values {
	struct node *first;
	const struct opnd *scalar;
	const struct ir_val *early;
};

static void put_values(struct lower *l, const struct event_desc *e, struct opnd record, void *ctx)
{
	const struct values *v = ctx;
	u32 n = 0;

	for (struct node *a = v->first; a; a = a->next, n++) {
		const struct type *t = e->fields[n].type;
		struct opnd at = opnd_plus(record, e->fields[n].offset);

		if (type_is_scalar(t))
			ir_store(l, at, t->size, v->scalar[n]);
		else if (v->early[n].type)
			lower_store_val(l, &v->early[n], t, at);
		else
			lower_into_record(l, a, t, at);
	}
}

/* Only the bytes in use of what ends the last value are sent: a tenth of the capacity. */
static void output_values(struct lower *l, struct event_desc *e, const struct values *v, u32 at,
			  const struct type *end)
{
	struct opnd record = lower_scratch_kept(l, ALIGN_UP(e->size, 8u));

	put_values(l, e, record, (void *)(uintptr_t)v);
	event_output(l, e, record, event_cut_size(l, record, at, end));
}

enum { MANY_VALUES = 32 };

/* Builds the record in scratch, argument by argument, so that no number is kept on the stack
 * meanwhile. */
static void output_one_by_one(struct lower *l, struct event_desc *e, struct node *first)
{
	struct opnd record;
	u32 n = 0;

	for (struct node *a = first; a; a = a->next)
		add_field(l, e, a);
	e->size = ALIGN_UP(e->size, 8u);
	record = lower_scratch_kept(l, e->size);
	for (struct node *a = first; a; a = a->next, n++) {
		const struct type *t = e->fields[n].type;
		struct opnd at = opnd_plus(record, e->fields[n].offset);

		if (type_is_scalar(t))
			ir_store(l, at, t->size, lower_scalar(l, a));
		else
			lower_into(l, a, t, at);
	}
	event_output(l, e, record, o_imm(e->size));
}

/* Sends one record with the arguments starting at `first`. */
static void emit_values(struct lower *l, struct node *call, struct event_desc *e,
			struct node *first)
{
	u32 n_values = list_length(first), n = 0;
	struct opnd *scalar = arena_array(l->arena, struct opnd, n_values);
	struct ir_val *early = arena_array(l->arena, struct ir_val, n_values);
	struct values v = { first, scalar, early };
	const struct type *end = NULL;
	u32 at = 0;

	if (n_values > MANY_VALUES && lower_is_short_of_stack(l)) {
		output_one_by_one(l, e, first);
		return;
	}
	for (struct node *a = first; a; a = a->next, n++) {
		add_field(l, e, a);
		if (type_is_scalar(field_type(a)))
			scalar[n] = lower_scalar(l, a);
		else if (must_be_early(l, a))
			early[n] = lower_memory(l, a);
	}
	if (n) {
		at = e->fields[n - 1].offset;
		end = event_open_end(l, e->fields[n - 1].type, &at);
	}
	if (end)
		output_values(l, e, &v, at, end);
	else
		event_emit(l, e, put_values, &v);
}

struct ir_val lower_format(struct lower *l, struct node *call)
{
	struct event_desc *e = event_new(l, call->builtin, call);

	e->text = call_str(call, 0);
	e->text_len = call_arg(call, 0)->str_len;
	emit_values(l, call, e, call->a->next);
	return val_scalar(&ty_void, o_imm(0));
}

static void format_with(struct actor *a, const struct names *names, struct event_desc *e,
			const void *record, struct buf *out)
{
	const char *why;
	u32 at;

	if (!e->cache)
		e->cache = format_parse(a->prog->arena, e->text, e->text_len, &why, &at);
	format_apply(out, e->cache, names, e->fields, e->n_fields, record);
}

void format_record(struct actor *a, struct event_desc *e, const void *record, struct buf *out)
{
	struct names exact = *a->names;

	exact.visible = false;
	format_with(a, &exact, e, record, out);
}

static const struct type *check_printf(struct check *c, struct node *call)
{
	return check_format(c, call, 0);
}

static bool is_pinned(const struct instance *in)
{
	return in && in->profile && in->profile->iterator.pinned;
}

static const struct type *check_plain_printf(struct check *c, struct node *call)
{
	const struct type *t = check_format(c, call, 0);

	return t->kind != TY_ERROR && is_pinned(c->inst) ? check_seq_printf(c, call) : t;
}

static struct ir_val lower_printf(struct lower *l, struct node *call)
{
	return is_pinned(l->inst) ? lower_seq_printf(l, call) : lower_format(l, call);
}

static struct buf text; /* reused: nothing is allocated for an event */

static int act_printf(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	buf_clear(&text);
	format_with(a, a->names, e, record, &text);
	a->sink->output->text(a->sink, TEXT_PRINTF, text.s ? text.s : "", text.len);
	return 0;
}

/* errorf, warnf: on stderr, with the position in the script. */
static int show_message(struct actor *a, struct event_desc *e, const void *record,
			enum sink_level level)
{
	struct names names = *a->names;

	buf_clear(&text);
	names.visible = a->sink->visible_err;
	format_with(a, &names, e, record, &text);
	a->sink->output->message(a->sink, level, e->span, text.s ? text.s : "");
	return 0;
}

static int act_errorf(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	return show_message(a, e, record, LEVEL_ERRORF);
}

static int act_warnf(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	return a->warnings ? show_message(a, e, record, LEVEL_WARNF) : 0;
}

static const struct action action_printf = { .name = "printf", .act = act_printf };
static const struct action action_errorf = { .name = "errorf", .act = act_errorf };
static const struct action action_warnf = { .name = "warnf", .act = act_warnf };

/* ---- print(), clear(), zero() */

static bool is_whole_map(const struct node *n)
{
	return n->kind == N_MAP && !n->a;
}

/* Keyword arguments of print(@m, sort="key", order="desc", pct=(50, 99.9)). */
struct print_how {
	enum table_order order;
	bool descending;
	u32 n_pct, pct[16]; /* thousandths of a percent */
};

static const char *const sorts[] = { "key", "value" }, *const orders[] = { "asc", "desc" };

static int word_of(const struct node *n, const char *const *words, u32 n_words)
{
	for (u32 i = 0; i < n_words; i++)
		if (node_is_const_str(n) && streq(n->str, words[i]))
			return (int)i;
	return -1;
}

/* An integer, or a decimal fraction, which the parser leaves as text. */
static bool percent(const struct node *n, u32 *pct)
{
	double v = node_is_const_str(n) ? strtod(n->str, NULL) :
		   n->is_const          ? (double)n->value :
					  -1;

	if (v < 0 || v > 100 || n->kind == N_TUPLE)
		return false;
	*pct = (u32)(v * 1000 + 0.5);
	return true;
}

static const struct type *check_pct(struct check *c, const struct node *n, struct print_how *how)
{
	const struct node *first = n->kind == N_TUPLE ? n->a : n;

	for (const struct node *e = first; e; e = n->kind == N_TUPLE ? e->next : NULL) {
		if (how->n_pct == ARRAY_SIZE(how->pct) || !percent(e, &how->pct[how->n_pct]))
			return diag_type(c, e->span, D_PRINT_PCT);
		how->n_pct++;
	}
	return &ty_void;
}

static const struct type *check_keyword(struct check *c, const struct node *k,
					struct print_how *how)
{
	int i;

	if (streq(k->name, "sort") && (i = word_of(k->a, sorts, 2)) >= 0)
		how->order = i ? TABLE_BY_VALUE : TABLE_BY_KEY;
	else if (streq(k->name, "order") && (i = word_of(k->a, orders, 2)) >= 0)
		how->descending = i;
	else if (streq(k->name, "pct"))
		return check_pct(c, k->a, how);
	else if (streq(k->name, "top") || streq(k->name, "div"))
		return k->a->is_const ? &ty_void : diag_type(c, k->span, D_PRINT_KEYWORD, k->name);
	else
		return diag_type(c, k->span, D_PRINT_KEYWORD, k->name);
	return &ty_void;
}

static const struct type *check_print(struct check *c, struct node *call)
{
	struct node *what = call_arg(call, 0);
	struct print_how *how = NULL;

	if (call_n_args(call) > 1 && !is_whole_map(what))
		return diag_type(c, call_arg(call, 1)->span, D_PRINT_NOT_MAP, call_n_args(call));
	for (struct node *k = call->a; k; k = k->next) {
		if (k->kind != N_NAMED)
			continue;
		if (!is_whole_map(what))
			return diag_type(c, k->span, D_PRINT_NOT_MAP, call_n_args(call));
		how = how ? how : arena_new(c->arena, struct print_how);
		if (check_keyword(c, k, how)->kind == TY_ERROR)
			return &ty_error;
	}
	call->data = how;
	return &ty_void;
}

/* A number, positional or by keyword. */
static s64 print_number(const struct node *call, u32 i, const char *keyword)
{
	const struct node *k = call_keyword(call, keyword);

	return k && k->is_const ? k->value : call_int(call, i, 0);
}

static void emit_map_event(struct lower *l, struct node *call, struct node *map)
{
	struct event_desc *e = event_new(l, call->builtin, call);
	struct event_build eb;

	e->map = lower_map(l, map->map);
	e->arg[0] = print_number(call, 1, "top");
	e->arg[1] = print_number(call, 2, "div");
	e->cache = call->data;
	eb = event_begin(l, e);
	event_end(l, &eb);
}

/* print(@m[key]) of an aggregation that is not one number: the key is sent, the value is read
 * later. */
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

static struct ir_val lower_print(struct lower *l, struct node *call)
{
	struct node *what = call_arg(call, 0);
	struct event_desc *e;

	if (is_whole_map(what)) {
		emit_map_event(l, call, what);
	} else if (what->kind == N_MAP && type_is_agg(what->map->value) &&
		   !has_number(what->map->value)) {
		emit_key_event(l, call, what);
	} else {
		e = event_new(l, call->builtin, call);
		emit_values(l, call, e, what);
	}
	return val_scalar(&ty_void, o_imm(0));
}

static bool same_key(const struct table_row *row, const void *key, u32 size)
{
	return memcmp(row->key, key, size) == 0;
}

static void select_key(struct table *t, const void *key, u32 size)
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
	const struct print_how *how = e->cache;
	struct table t = { 0 };
	int ret;

	if (e->map == NO_INDEX) {
		a->sink->output->value(a->sink, e->fields[0].type,
				       (const u8 *)record + e->fields[0].offset);
		return 0;
	}
	t.map = &a->prog->maps.v[e->map];
	t.shown_by_name = true;
	t.top = (u32)e->arg[0];
	t.div = e->arg[1];
	if (t.map->normal)
		t.div = (s64)((u64)(t.div ? t.div : 1) * t.map->normal);
	if (how) {
		t.order = how->order;
		t.descending = how->descending;
		t.pct = how->pct;
		t.n_pct = how->n_pct;
	}
	ret = a->map_read(a->ctx, e->map, &t);
	if (ret)
		return ret;
	if (e->n_fields)
		select_key(&t, (const u8 *)record + e->fields[0].offset, t.map->key_size);
	table_sort(&t, a->names);
	a->sink->output->table(a->sink, &t);
	return 0;
}

static int act_clear(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	a->prog->maps.v[e->map].zeroed = false;
	return a->map_clear(a->ctx, e->map);
}

static int act_zero(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	struct map_desc *map = &a->prog->maps.v[e->map];
	struct table t = { .map = map };

	if (!map->key && !map->zeroed && a->map_read(a->ctx, e->map, &t) == 0)
		map->zeroed = t.rows.n > 0;
	return a->map_zero(a->ctx, e->map);
}

static struct ir_val lower_map_statement(struct lower *l, struct node *call)
{
	emit_map_event(l, call, call_arg(call, 0));
	return val_scalar(&ty_void, o_imm(0));
}

static const struct action action_print = { .name = "print", .act = act_print };
static const struct action action_clear = { .name = "clear", .act = act_clear };
static const struct action action_zero = { .name = "zero", .act = act_zero };

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
	buf_clear(&text);
	time_text(&text, e->text, a->real_ns(a->ctx));
	a->sink->output->text(a->sink, TEXT_TIME, text.s ? text.s : "", text.len);
	return 0;
}

static const struct action action_time = { .name = "time", .act = act_time };

static const struct builtin rows[] = {
	{
		.name = "printf",
		.sig = "printf(format: lit string, ...)",
		.brief = "print formatted text",
		.doc = "Conversions: d i u o x X c s p; e f g for floats; r for buffers (rx, rh: "
		       "in hex); gr for GFP flags. Flags, width and precision as in C. %s prints "
		       "any value.",
		.example = "begin { printf(\"%s has %d\\n\", \"it\", 3); }",
		.output = "it has 3",
		.flags = BI_STATEMENT | BI_SEQ,
		.engines = ON_ALL,
		.check = check_plain_printf,
		.lower = lower_printf,
		.action = &action_printf,
	},
	{
		.name = "errorf",
		.sig = "errorf(format: lit string, ...)",
		.brief = "print an error to stderr",
		.doc = "Like printf, but on stderr, after the position in the script and the word "
		       "ERROR.",
		.example = "begin { errorf(\"bad value %d\", 3); }",
		.output = "stdin:1:9-34: ERROR: bad value 3",
		.flags = BI_STATEMENT,
		.engines = ON_ALL,
		.check = check_printf,
		.lower = lower_format,
		.action = &action_errorf,
	},
	{
		.name = "warnf",
		.sig = "warnf(format: lit string, ...)",
		.brief = "print a warning to stderr",
		.doc = "Like printf, but on stderr, after the position in the script and the word "
		       "WARNING. --no-warnings suppresses it.",
		.example = "begin { warnf(\"odd value %d\", 3); }",
		.output = "stdin:1:9-33: WARNING: odd value 3",
		.flags = BI_STATEMENT,
		.engines = ON_ALL,
		.check = check_printf,
		.lower = lower_format,
		.action = &action_warnf,
	},
	{
		.name = "print",
		.sig = "print(what: any|map, top: lit int = 0, div: lit int = 0)",
		.brief = "print a value or a map",
		.doc = "Prints a value and a newline, or a map as at the end of a run: only the "
		       "top largest entries, values divided by div. Further arguments: "
		       "sort=\"key\" or \"value\", order=\"asc\" or \"desc\", pct=(50, 99, 99.9) "
		       "for percentiles of histograms and samples().",
		.example = "begin { print(42); @x[1] = 2; print(@x); clear(@x); }",
		.output = "42\n"
			  "@x[1]: 2",
		.flags = BI_STATEMENT | BI_KEYWORDS,
		.engines = ON_ALL,
		.check = check_print,
		.lower = lower_print,
		.action = &action_print,
	},
	{
		.name = "join",
		.sig = "join(strings: any, separator: lit string = \" \")",
		.brief = "print an array of strings",
		.doc = "Prints the strings of a null-terminated array of pointers, with "
		       "separators and a newline. At most 128 strings of 1023 bytes, 16384 bytes "
		       "in total; losses are counted.",
		.example = "tracepoint:syscalls:sys_enter_execve { join(args.argv); }",
		.work = "true one two",
		.output = "true one two",
		.flags = BI_STATEMENT | BI_NOTED,
		.noted_as = "joined",
		.engines = ON_ALL,
		.check = check_join,
		.lower = lower_join,
		.action = &action_join,
	},
	{
		.name = "clear",
		.sig = "clear(map: map)",
		.brief = "delete all keys of a map",
		.doc = "Deletes all keys. Runs in user space, in order with the output.",
		.example = "begin { @x[1] = 2; clear(@x); print(len(@x)); }",
		.output = "1",
		.flags = BI_STATEMENT | BI_STAYS,
		.engines = ON_ALL,
		.lower = lower_map_statement,
		.action = &action_clear,
	},
	{
		.name = "zero",
		.sig = "zero(map: map)",
		.brief = "set all values of a map to zero",
		.doc = "Sets the values of all keys to zero. Runs in user space, in order with "
		       "the output.",
		.example = "begin { @x[1] = 2; zero(@x); }",
		.output = "@x[1]: 0",
		.flags = BI_STATEMENT | BI_STAYS,
		.engines = ON_ALL,
		.lower = lower_map_statement,
		.action = &action_zero,
	},
	{
		.name = "time",
		.sig = "time(format: lit string = \"%H:%M:%S\\n\")",
		.brief = "print the time of day",
		.doc = "Prints the wall-clock time at which the record is handled, in a "
		       "strftime(3) format; also %f for microseconds, %k nanoseconds, %l "
		       "milliseconds.",
		.example = "begin { time(\"%H:%M:%S\\n\"); }",
		.output = "07:04:55",
		.varies = true,
		.flags = BI_STATEMENT,
		.engines = ON_ALL,
		.lower = lower_time,
		.action = &action_time,
	},
};

const struct builtin_theme builtin_print = THEME("Printing", rows);
