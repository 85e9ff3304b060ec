/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftrace's spelling of probes (Documentation/trace/kprobetrace.rst, uprobetracer.rst), one a line:
 *
 *	p:myopen do_sys_open filename=+0(%si):string
 *	r:bash:readline +0($retval):string
 *	p[:[GROUP/]EVENT] [MODULE:]SYMBOL[+OFFSET] | PATH:OFFSET	[[NAME=]FETCH[:TYPE]] ...
 *
 * becomes
 *
 *	kprobe:do_sys_open { printf("%-16s %-7d myopen: filename=\"%s\"\n", comm, pid, ...); }
 *
 * FETCH is %REGISTER, $argN, $retval, $comm, $stack, $stackN, @ADDRESS, @SYMBOL[+-N], \NUMBER, or what lies
 * behind one of these: +N(FETCH), +uN(FETCH) in user memory. FILE:SYMBOL right behind "p:" is an uprobe, as
 * the perf-tools write it.
 */
#include "lang/ftrace.h"
#include <stdlib.h>
#include "base/buf.h"

enum { MAX_NESTING = 8, MAX_ARGS = 32 };

struct ftrace {
	struct arena *arena;
	const char *start, *p, *end; /* end: of the line */
	const char *error;
	bool is_return, is_user;
	struct buf format, values;
	u32 depth;
};

static bool fail(struct ftrace *f, const char *error)
{
	if (!f->error)
		f->error = error;
	return false;
}

static bool at_end(const struct ftrace *f)
{
	return f->p >= f->end;
}

static void blank(struct ftrace *f)
{
	while (!at_end(f) && (*f->p == ' ' || *f->p == '\t'))
		f->p++;
}

static bool eat(struct ftrace *f, char c)
{
	if (at_end(f) || *f->p != c)
		return false;
	f->p++;
	return true;
}

static bool is_word_char(char c)
{
	return c == '_' || c == '.' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static const char *take(struct ftrace *f, size_t n)
{
	const char *s = arena_strndup(f->arena, f->p, n);

	f->p += n;
	return s;
}

static const char *word(struct ftrace *f)
{
	size_t n = 0;

	while (f->p + n < f->end && is_word_char(f->p[n]))
		n++;
	return take(f, n);
}

/* Up to a blank. */
static const char *field(struct ftrace *f)
{
	size_t n = 0;

	blank(f);
	while (f->p + n < f->end && f->p[n] != ' ' && f->p[n] != '\t')
		n++;
	return take(f, n);
}

/* ---- types */

struct type_row {
	const char *name, *conversion, *cast; /* cast NULL: text */
};

static const struct type_row types[] = {
	{ "u8", "%u", "uint8" },      { "u16", "%u", "uint16" },   { "u32", "%u", "uint32" },
	{ "u64", "%lu", "uint64" },   { "s8", "%d", "int8" },	   { "s16", "%d", "int16" },
	{ "s32", "%d", "int32" },     { "s64", "%ld", "int64" },   { "x8", "0x%x", "uint8" },
	{ "x16", "0x%x", "uint16" },  { "x32", "0x%x", "uint32" }, { "x64", "0x%lx", "uint64" },
	{ "char", "'%c'", "int8" },   { "string", "\\\"%s\\\"", NULL }, { "ustring", "\\\"%s\\\"", NULL },
	{ "symbol", "%s", "uint64" },
};

static const struct type_row *find_type(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(types); i++)
		if (streq(types[i].name, name))
			return &types[i];
	return NULL;
}

/* ---- fetches, as expressions of integers */

static bool fetch(struct ftrace *f, struct buf *out, const struct type_row *type);

static bool put_deref(struct ftrace *f, struct buf *out, const struct type_row *type, bool user, s64 offset)
{
	struct buf inner = { 0 };
	const char *space = user ? "uptr" : f->is_user ? "uptr" : "kptr", *at;
	bool ok = fetch(f, &inner, find_type("x64")) && (eat(f, ')') || fail(f, "a \")\" is missing"));

	at = arena_printf(f->arena, "(uint64)(%s) + (%lld)", inner.s ? inner.s : "", (long long)offset);
	buf_release(&inner);
	if (!ok)
		return false;
	if (type->cast)
		buf_printf(out, "*(%s *)%s(%s)", type->cast, space, at);
	else if (user || f->is_user || streq(type->name, "ustring"))
		buf_printf(out, "str(uptr(%s))", at);
	else /* the kernel looks at the address, too */
		buf_printf(out, "((int64)(%s) < 0 ? str(kptr(%s)) : str(uptr(%s)))", at, at, at);
	return true;
}

/* +N(FETCH), +uN(FETCH), -N(FETCH) */
static bool dereference(struct ftrace *f, struct buf *out, const struct type_row *type)
{
	bool negative = *f->p++ == '-', user = eat(f, 'u');
	char *end;
	s64 n = (s64)strtoull(f->p, &end, 0);

	if (end == f->p || end >= f->end || *end != '(')
		return fail(f, "after the offset comes \"(\"");
	if (++f->depth > MAX_NESTING)
		return fail(f, "too many levels");
	f->p = end + 1;
	return put_deref(f, out, type, user, negative ? -n : n);
}

/* $retval, $comm, $stack, $stackN, $argN */
static bool variable(struct ftrace *f, struct buf *out)
{
	const char *name = word(f);

	if (streq(name, "retval"))
		buf_puts(out, "retval");
	else if (streq(name, "comm"))
		buf_puts(out, "comm");
	else if (streq(name, "stack"))
		buf_puts(out, "reg(\"sp\")");
	else if (starts_with(name, "stack"))
		buf_printf(out, "*(uint64 *)%s(reg(\"sp\") + %d)", f->is_user ? "uptr" : "kptr", 8 * atoi(name + 5));
	else if (starts_with(name, "arg") && atoi(name + 3) > 0)
		buf_printf(out, "arg%d", atoi(name + 3) - 1);
	else
		return fail(f, "no such variable: $retval, $comm, $stack, $stackN and $argN are known");
	return true;
}

/* @ADDRESS, @SYMBOL, @SYMBOL+N, @SYMBOL-N: what is there */
static bool memory(struct ftrace *f, struct buf *out, const struct type_row *type)
{
	const char *name = word(f), *space = f->is_user ? "uptr" : "kptr";
	char *end;
	s64 n = 0;

	if (!*name)
		return fail(f, "an address or a symbol comes after \"@\"");
	if (!at_end(f) && (*f->p == '+' || *f->p == '-')) {
		n = strtoll(f->p, &end, 0);
		f->p = end;
	}
	if (*name >= '0' && *name <= '9')
		buf_printf(out, "*(%s *)%s(%s + (%lld))", type->cast ? type->cast : "uint64", space, name, (long long)n);
	else
		buf_printf(out, "*(%s *)kptr(kaddr(\"%s\") + (%lld))", type->cast ? type->cast : "uint64", name, (long long)n);
	return true;
}

static bool fetch(struct ftrace *f, struct buf *out, const struct type_row *type)
{
	char c = at_end(f) ? '\0' : *f->p;

	switch (c) {
	case '+':
	case '-': return dereference(f, out, type);
	case '%': f->p++; buf_printf(out, "reg(\"%s\")", word(f)); return true;
	case '$': f->p++; return variable(f, out);
	case '@': f->p++; return memory(f, out, type);
	case '\\': f->p++; buf_puts(out, word(f)); return true;
	}
	return fail(f, "an argument is %REGISTER, $argN, $retval, $comm, $stackN, @ADDRESS, @SYMBOL or +N(...)");
}

/* ---- one argument: [NAME=]FETCH[:TYPE] */

/* The type stands behind the fetch, which is written by it: look ahead. */
static const struct type_row *type_ahead(struct ftrace *f, const char *stop)
{
	const char *colon = memrchr(f->p, ':', (size_t)(stop - f->p)), *name;
	const struct type_row *row;

	if (!colon)
		return memmem(f->p, (size_t)(stop - f->p), "$comm", 5) ? find_type("string") : find_type("x64");
	name = arena_strndup(f->arena, colon + 1, (size_t)(stop - colon - 1));
	row = find_type(name);
	if (!row)
		fail(f, "types are u8 to u64, s8 to s64, x8 to x64, char, string, ustring and symbol");
	return row;
}

static bool argument(struct ftrace *f, u32 n)
{
	const char *start, *stop, *name = NULL;
	const struct type_row *type;
	struct buf value = { 0 };

	blank(f);
	start = stop = f->p;
	while (stop < f->end && *stop != ' ' && *stop != '\t')
		stop++;
	name = word(f);
	if (!*name || !eat(f, '=')) {
		f->p = start;
		name = arena_printf(f->arena, "arg%u", n + 1);
	}
	f->depth = 0;
	type = type_ahead(f, stop);
	if (type && fetch(f, &value, type)) {
		if (eat(f, ':'))
			word(f);
		if (f->p != stop)
			fail(f, "this does not belong to the argument");
		buf_printf(&f->format, " %s=%s", name, type->conversion);
		if (streq(type->name, "symbol"))
			buf_printf(&f->values, ", ksym(%s)", value.s);
		else if (!type->cast || strchr(value.s, '*'))
			buf_printf(&f->values, ", %s", value.s);
		else
			buf_printf(&f->values, ", (%s)(%s)", type->cast, value.s);
	}
	buf_release(&value);
	return !f->error;
}

/* ---- one line */

static bool is_argument(const char *s)
{
	return *s && (strchr("+-%$@\\", *s) || strchr(s, '='));
}

/* What stands behind "p:" or "p": the event's name, or a place at once. */
static const char *head(struct ftrace *f, const char **event)
{
	const char *first, *back, *next, *slash;

	f->is_user = false;
	if (!eat(f, ':')) /* "p SYMBOL" */
		return *event = field(f);
	*event = first = field(f);
	back = f->p;
	next = field(f);
	if (strchr(first, ':') || !*next || is_argument(next)) {
		f->p = back;
		f->is_user = strchr(first, ':');
		if (f->is_user)
			*event = strrchr(first, ':') + 1;
		return first;
	}
	slash = strrchr(first, '/');
	if (slash)
		*event = slash + 1;
	return next;
}

static bool line(struct ftrace *f, struct buf *out)
{
	const char *event, *place;
	u32 n = 0;

	f->is_return = *f->p++ == 'r';
	while (!at_end(f) && *f->p >= '0' && *f->p <= '9') /* maxactive */
		f->p++;
	place = head(f, &event);
	if (!*place)
		return fail(f, "a function comes after the event's name");
	f->is_user |= strchr(place, '/') != NULL;
	buf_clear(&f->format);
	buf_clear(&f->values);
	for (blank(f); !at_end(f) && n < MAX_ARGS; blank(f))
		if (!argument(f, n++))
			return false;
	buf_printf(out, "%s%s:%s { printf(\"%%-16s %%-7d %s:%s\\n\", comm, pid%s); }\n",
		   f->is_user ? "u" : "k", f->is_return ? "retprobe" : "probe", place, event,
		   f->format.s ? f->format.s : "", f->values.s ? f->values.s : "");
	return true;
}

bool ftrace_spelled(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && strchr(" \t\n", text[i]))
		i++;
	if (i >= len || (text[i] != 'p' && text[i] != 'r') || memchr(text, '{', len))
		return false;
	for (i++; i < len && text[i] >= '0' && text[i] <= '9'; i++)
		;
	return i < len && (text[i] == ':' || text[i] == ' ' || text[i] == '\t');
}

const char *ftrace_script(struct arena *a, const char *text, size_t len, const char **error, u32 *at)
{
	/* numbers are read by strtoull: the copy ends in NUL */
	const char *copy = arena_strndup(a, text, len), *end = copy + len;
	struct ftrace f = { .arena = a, .start = copy, .p = copy };
	struct buf out = { 0 };
	const char *script = NULL;

	while (f.p < end && !f.error) {
		const char *eol = memchr(f.p, '\n', (size_t)(end - f.p));

		f.end = eol ? eol : end;
		blank(&f);
		if (!at_end(&f) && *f.p != '#') {
			if (*f.p != 'p' && *f.p != 'r')
				fail(&f, "a probe begins with p or r");
			else
				line(&f, &out);
		}
		if (!f.error)
			f.p = f.end + (eol != NULL);
	}
	*error = f.error;
	*at = (u32)(f.p - copy);
	if (!f.error)
		script = arena_strndup(a, out.s ? out.s : "", out.len);
	buf_release(&out);
	buf_release(&f.format);
	buf_release(&f.values);
	return script;
}
