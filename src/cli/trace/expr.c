/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields in expressions. The filters of ftrace and perf name fields alone, so a name that the probe
 * has as an argument means that; any other is left to the language:
 *
 *	prev_prio < 100 && prev_comm ~ "b*"  ->  args.prev_prio < 100 && glob(args.prev_comm, "b*")
 */
#include <ctype.h>
#include "cli/expr_name.h"
#include "cli/trace/trace.h"

bool trace_is_known(const struct arg_desc *arg)
{
	return !arg->why && !(arg->gap && arg->loc.kind == LOC_PIECES);
}

static const struct arg_desc *find(const struct arg_list *args, const char *name)
{
	for (u32 i = 0; i < args->n; i++)
		if (streq(args->v[i].name, name) && trace_is_known(&args->v[i]))
			return &args->v[i];
	return NULL;
}

bool trace_is_text(const struct type *t)
{
	return t && t->kind == TY_POINTER && t->elem && t->elem->kind == TY_INT &&
	       t->elem->size == 1;
}

/* Names of ftrace's filters, and their names in the language. */
static const char *common_name(const char *name)
{
	static const char *const rows[][2] = { { "common_pid", "tid" },
					       { "CPU", "cpu" },
					       { "COMM", "comm" } };

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if (streq(rows[i][0], name))
			return rows[i][1];
	return name;
}

bool trace_is_common(const char *name)
{
	return streq(name, "comm") || streq(name, "cpu");
}

bool trace_has_field(const struct profile *p, const char *name)
{
	if (streq(name, TRACE_RESULT))
		return trace_result_expr(p) != NULL;
	return find(&p->args, name) || find(&p->vars, name);
}

/* As it is written in an expression. NULL: the probe has no such field. */
static const char *field_name(struct arena *a, const struct profile *p, const char *name)
{
	if (find(&p->args, name))
		return arena_printf(a, "args.%s", name);
	if (find(&p->vars, name))
		return arena_printf(a, "vars.%s", name);
	return NULL;
}

const char *trace_word_expr(struct arena *a, const struct arg_desc *word)
{
	return trace_is_text(word->type) ? arena_printf(a, "str(%s)", word->name) :
					   arena_strdup(a, word->name);
}

const char *trace_field_expr(struct arena *a, const struct profile *p, const char *name)
{
	const struct arg_desc *arg = find(&p->args, name);
	const char *expr = field_name(a, p, name);

	if (streq(name, TRACE_RESULT))
		return trace_result_expr(p);
	arg = arg ? arg : find(&p->vars, name);
	return arg && trace_is_text(arg->type) ? arena_printf(a, "str(%s)", expr) : expr;
}

const char *trace_result_expr(const struct profile *p)
{
	if (p->retval.loc.kind == LOC_NONE || !trace_is_known(&p->retval))
		return NULL;
	return trace_is_text(p->retval.type) ? "str(" TRACE_RESULT ")" : TRACE_RESULT;
}

/* ---- text */

struct scan {
	struct arena *arena;
	const struct profile *profile; /* NULL: names are only told */
	void (*name)(void *ctx, const char *name);
	void *ctx;
	struct buf out;
	size_t operand; /* where the one that was read last begins in out */
	bool is_text;   /* it is a field that is text */
	bool compares;  /* == or != follows it */
};

static bool is_name_start(char c)
{
	return isalpha((u8)c) || c == '_';
}

/* "(name)" is a cast. */
static bool may_be_field(const char *text, const char *s, size_t n)
{
	char before = s > text ? s[-1] : ' ';
	const char *after = s + n + strspn(s + n, " \t");

	return expr_is_alone(text, s, n) && !isdigit((u8)before) &&
	       !(before == '(' && *after == ')');
}

static bool is_text_field(const struct profile *p, const char *name)
{
	const struct arg_desc *arg = find(&p->args, name);

	return arg && (trace_is_text(arg->type) || (arg->type && arg->type->kind == TY_STRING));
}

static bool is_text_name(const char *name)
{
	return streq(name, "comm");
}

static void put_name(struct scan *x, const char *s, size_t n)
{
	const char *name = arena_strndup(x->arena, s, n), *expr;
	bool is_word; /* comm == bash: ftrace and perf need no quotes */

	if (x->name)
		x->name(x->ctx, name);
	expr = x->profile ? field_name(x->arena, x->profile, name) : NULL;
	is_word = x->compares && x->is_text && !expr;
	x->operand = x->out.len;
	x->is_text = expr ? is_text_field(x->profile, name) : is_text_name(common_name(name));
	x->compares = false;
	buf_printf(&x->out, is_word ? "\"%s\"" : "%s", expr ? expr : common_name(name));
}

/* The language has texts in double quotes alone, ftrace's filters in either, and no escapes. */
static void put_quoted(struct scan *x, const char *s, size_t n)
{
	bool is_closed = n > 1 && s[n - 1] == '\'';

	if (*s == '"') {
		buf_add(&x->out, s, n);
		return;
	}
	buf_putc(&x->out, '"');
	for (size_t i = 1; i < n - is_closed; i++)
		buf_printf(&x->out, s[i] == '"' || s[i] == '\\' ? "\\%c" : "%c", s[i]);
	buf_putc(&x->out, '"');
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* FIELD ~ "PATTERN": the operator of ftrace and perf. Returns the length of what was read; 0: it is
 * none. */
static size_t put_match(struct scan *x, const char *s)
{
	size_t blank = 1 + strspn(s + 1, " \t"), n;
	bool is_quoted = is_quote(s[blank]);
	const char *left;

	n = is_quoted ? expr_quoted_length(s + blank) : strcspn(s + blank, " \t)&|\"'");
	if (!n || x->operand >= x->out.len || (!is_quoted && !x->is_text))
		return 0;
	left = arena_strndup(x->arena, x->out.s + x->operand, x->out.len - x->operand);
	x->out.len = x->operand;
	buf_printf(&x->out, "glob(%s, ", left);
	if (is_quoted)
		put_quoted(x, s + blank, n);
	else
		buf_printf(&x->out, "\"%.*s\"", (int)n, s + blank);
	buf_putc(&x->out, ')');
	return blank + n;
}

/* Returns the length of what was read at s. */
static size_t put_token(struct scan *x, const char *text, const char *s)
{
	size_t n = 1;

	x->compares &= !isdigit((u8)*s);
	if (is_quote(*s)) {
		n = expr_quoted_length(s);
		put_quoted(x, s, n);
		return n;
	} else if (isdigit((u8)*s))
		n = MAX(expr_name_length(s), (size_t)1);
	else if (is_name_start(*s)) {
		n = expr_name_length(s);
		if (may_be_field(text, s, n)) {
			put_name(x, s, n);
			return n;
		}
	} else if (*s == '~' && (n = put_match(x, s))) {
		return n;
	} else {
		x->compares = starts_with(s, "==") || starts_with(s, "!=") ||
			      (x->compares && isspace((u8)*s));
		n = x->compares && !isspace((u8)*s) ? 2 : 1;
	}
	buf_add(&x->out, s, n);
	return n;
}

static const char *scan_text(struct scan *x, const char *text)
{
	const char *out;

	for (const char *s = text; *s;)
		s += put_token(x, text, s);
	out = arena_strndup(x->arena, x->out.s ? x->out.s : "", x->out.len);
	buf_release(&x->out);
	return out;
}

const char *trace_expr(struct arena *a, const struct profile *p, const char *text)
{
	struct scan x = { .arena = a, .profile = p };

	return scan_text(&x, text);
}

void trace_expr_names(struct arena *a, const char *text, void (*f)(void *ctx, const char *name),
		      void *ctx)
{
	struct scan x = { .arena = a, .name = f, .ctx = ctx };

	scan_text(&x, text);
}
