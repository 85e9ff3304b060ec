/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translation of ftrace probe definitions to a script (Documentation/trace/kprobetrace.rst,
 * uprobetracer.rst, fprobetrace.rst), one per line: ftrace's spelling of probes
 * (Documentation/trace/kprobetrace.rst, uprobetracer.rst, fprobetrace.rst), one a line:
 *
 *	p:myopen do_sys_open filename=+0(%si):string
 *	r:bash:readline +0($retval):string
 *	p[:[GROUP/]EVENT] [MODULE:]SYMBOL[+OFFSET][%return] | PATH:OFFSET
 *		[[NAME=]FETCH[:TYPE]] ...
 *	f[:[GROUP/]EVENT] SYMBOL[%return] ...		t[:[GROUP/]EVENT] TRACEPOINT ...
 *
 * becomes
 *
 *	kprobe:do_sys_open { printf("%-16s %-7d myopen: filename=\"%s\"\n", comm, pid, ...); }
 *
 * FETCH is %REGISTER, $argN, $retval, $comm, $stack, $stackN, @ADDRESS, @SYMBOL[+-N], \NUMBER,
 * \"TEXT", an argument name with members (file->f_flags), or memory at one of these: +N(FETCH),
 * +uN(FETCH) in user memory. TYPE is a row of types[], TYPE[N] of memory, or bWIDTH@OFFSET/SIZE.
 * FILE:SYMBOL directly after "p:" is a uprobe, as in perf-tools.
 */
#include "dialect/ftrace.h"
#include <stdio.h>
#include <stdlib.h>
#include "base/buf.h"

enum { MAX_NESTING = 8, MAX_ARGS = 32, MAX_ELEMENTS = 64 };

struct ftrace {
	struct arena *arena;
	const char *start, *p, *end; /* end of the line */
	const char *error;
	char kind; /* p, r, f or t */
	bool is_return, is_user;
	struct buf format, values;
	u32 depth, element; /* element: array index, applied to the outermost memory fetch */
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
	return c == '_' || c == '.' || (c >= '0' && c <= '9') ||
	       ((c | 32) >= 'a' && (c | 32) <= 'z');
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

/* Up to the next blank. */
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
	u32 size;
};

static const struct type_row types[] = {
	{ "u8", "%u", "uint8", 1 },       { "u16", "%u", "uint16", 2 },
	{ "u32", "%u", "uint32", 4 },     { "u64", "%lu", "uint64", 8 },
	{ "s8", "%d", "int8", 1 },        { "s16", "%d", "int16", 2 },
	{ "s32", "%d", "int32", 4 },      { "s64", "%ld", "int64", 8 },
	{ "x8", "0x%x", "uint8", 1 },     { "x16", "0x%x", "uint16", 2 },
	{ "x32", "0x%x", "uint32", 4 },   { "x64", "0x%lx", "uint64", 8 },
	{ "char", "'%c'", "int8", 1 },    { "string", "\"%s\"", NULL, 8 },
	{ "ustring", "\"%s\"", NULL, 8 }, { "symbol", "%s", "uint64", 8 },
};

/* The type after the colon. */
struct spelled {
	const struct type_row *row;
	u32 count;        /* array length; 0: not an array */
	u32 width, shift; /* bit field; width 0: none */
	bool is_given;
};

static const struct type_row *find_type(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(types); i++)
		if (streq(types[i].name, name))
			return &types[i];
	return NULL;
}

static bool bit_field(struct spelled *t, const char *text)
{
	static const char *const of_size[] = { [1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64" };
	u32 bits, end = 0;

	if (sscanf(text, "b%2u@%2u/%2u%n", &t->width, &t->shift, &bits, &end) != 3 || text[end])
		return false;
	if (bits % 8 || bits / 8 >= ARRAY_SIZE(of_size) || !of_size[bits / 8] || !t->width ||
	    t->width + t->shift > bits)
		return false;
	t->row = find_type(of_size[bits / 8]);
	return true;
}

static bool spelled_type(struct arena *a, struct spelled *t, const char *text)
{
	const char *open = strchr(text, '[');
	char *end;

	t->is_given = true;
	if (!open) {
		t->row = find_type(text);
		return t->row || bit_field(t, text);
	}
	t->row = find_type(arena_strndup(a, text, (size_t)(open - text)));
	t->count = (u32)strtoul(open + 1, &end, 10);
	return t->row && streq(end, "]") && t->count && t->count <= MAX_ELEMENTS;
}

/* ---- fetches, as expressions of integers */

static bool fetch(struct ftrace *f, struct buf *out, const struct spelled *type);

static bool put_deref(struct ftrace *f, struct buf *out, const struct spelled *t, bool user,
		      s64 offset)
{
	struct buf inner = { 0 };
	const struct type_row *type = t->row;
	const struct spelled word_type = { .row = find_type("x64") };
	const char *space = user ? "uptr" : f->is_user ? "uptr" : "kptr", *at;
	bool ok = fetch(f, &inner, &word_type) && (eat(f, ')') || fail(f, "a \")\" is missing"));

	at = arena_printf(f->arena, "(uint64)(%s) + (%lld)", inner.s ? inner.s : "",
			  (long long)offset);
	buf_release(&inner);
	if (!ok)
		return false;
	if (t->count && !type->cast) /* an array of strings is an array of their addresses */
		at = arena_printf(f->arena, "*(uint64 *)%s(%s)", space, at);
	if (type->cast)
		buf_printf(out, "*(%s *)%s(%s)", type->cast, space, at);
	else if (user || f->is_user || streq(type->name, "ustring"))
		buf_printf(out, "str(uptr(%s))", at);
	else /* the kernel decides by the address, too */
		buf_printf(out, "((int64)(%s) < 0 ? str(kptr(%s)) : str(uptr(%s)))", at, at, at);
	return true;
}

/* +N(FETCH), +uN(FETCH), -N(FETCH) */
static bool dereference(struct ftrace *f, struct buf *out, const struct spelled *type)
{
	bool negative = *f->p++ == '-', user = eat(f, 'u');
	char *end;
	s64 n = (s64)strtoull(f->p, &end, 0);

	if (end == f->p || end >= f->end || *end != '(')
		return fail(f, "after the offset comes \"(\"");
	if (++f->depth > MAX_NESTING)
		return fail(f, "too many levels");
	f->p = end + 1;
	n = negative ? -n : n;
	return put_deref(f, out, type, user, f->depth == 1 ? n + f->element * type->row->size : n);
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
		buf_printf(out, "*(uint64 *)%s(reg(\"sp\") + %d)", f->is_user ? "uptr" : "kptr",
			   8 * atoi(name + 5));
	else if (starts_with(name, "arg") && atoi(name + 3) > 0)
		buf_printf(out, "arg%d", atoi(name + 3) - 1);
	else
		return fail(
			f, "no such variable: $retval, $comm, $stack, $stackN and $argN are known");
	return true;
}

/* @ADDRESS, @SYMBOL, @SYMBOL+N, @SYMBOL-N: the memory there */
static bool memory(struct ftrace *f, struct buf *out, const struct spelled *t)
{
	const char *name = word(f), *space = f->is_user ? "uptr" : "kptr";
	const struct type_row *type = t->row;
	char *end;
	s64 n = 0;

	if (!*name)
		return fail(f, "an address or a symbol comes after \"@\"");
	if (!at_end(f) && (*f->p == '+' || *f->p == '-')) {
		n = strtoll(f->p, &end, 0);
		f->p = end;
	}
	n += f->depth ? 0 : f->element * type->size;
	if (*name >= '0' && *name <= '9')
		buf_printf(out, "*(%s *)%s(%s + (%lld))", type->cast ? type->cast : "uint64", space,
			   name, (long long)n);
	else
		buf_printf(out, "*(%s *)kptr(kaddr(\"%s\") + (%lld))",
			   type->cast ? type->cast : "uint64", name, (long long)n);
	return true;
}

/* \NUMBER, \"TEXT" */
static bool immediate(struct ftrace *f, struct buf *out)
{
	size_t n = 0;

	if (!eat(f, '"')) {
		if (eat(f, '-'))
			buf_putc(out, '-');
		buf_puts(out, word(f));
		return true;
	}
	while (f->p + n < f->end && f->p[n] != '"' && f->p[n] != '\\')
		n++;
	if (f->p + n >= f->end || f->p[n] != '"')
		return fail(f, "the text after \\\" ends with \"");
	buf_printf(out, "\"%s\"", take(f, n));
	f->p++;
	return true;
}

/* NAME, NAME->MEMBER, NAME.MEMBER: an argument, by the kernel's BTF */
static bool named(struct ftrace *f, struct buf *out, const struct spelled *type)
{
	bool is_text = type->is_given && !type->row->cast;

	buf_puts(out, is_text ? "str(args." : "args.");
	buf_puts(out, word(f));
	while (f->p + 1 < f->end && f->p[0] == '-' && f->p[1] == '>') {
		f->p += 2;
		buf_putc(out, '.');
		buf_puts(out, word(f));
	}
	if (is_text)
		buf_putc(out, ')');
	return true;
}

static bool fetch(struct ftrace *f, struct buf *out, const struct spelled *type)
{
	char c = at_end(f) ? '\0' : *f->p;

	switch (c) {
	case '+':
	case '-': return dereference(f, out, type);
	case '%':
		f->p++;
		buf_printf(out, "reg(\"%s\")", word(f));
		return true;
	case '$': f->p++; return variable(f, out);
	case '@': f->p++; return memory(f, out, type);
	case '\\': f->p++; return immediate(f, out);
	}
	if (is_word_char(c) && !(c >= '0' && c <= '9') && !f->is_user)
		return named(f, out, type);
	return fail(
		f,
		"an argument is %REGISTER, $argN, $retval, $comm, $stackN, @ADDRESS, @SYMBOL, +N(...) or a name");
}

/* ---- one argument: [NAME=]FETCH[:TYPE] */

/* The type follows the fetch but is needed to translate it: look ahead. */
static bool type_ahead(struct ftrace *f, const char *stop, struct spelled *t)
{
	const char *colon = memrchr(f->p, ':', (size_t)(stop - f->p));
	bool is_text = memmem(f->p, (size_t)(stop - f->p), "$comm", 5) ||
		       memmem(f->p, (size_t)(stop - f->p), "\\\"", 2);

	*t = (struct spelled){ .row = find_type(is_text ? "string" : "x64") };
	if (!colon || spelled_type(f->arena, t,
				   arena_strndup(f->arena, colon + 1, (size_t)(stop - colon - 1))))
		return true;
	return fail(
		f,
		"types are u8 to u64, s8 to s64, x8 to x64, char, string, ustring, symbol, these with [N], and bW@O/S");
}

/* The printf() argument for one fetched value. */
static void put_value(struct ftrace *f, const struct spelled *t, const char *value, bool is_named)
{
	if (is_named && !t->is_given)
		buf_printf(&f->values, ", %s", value);
	else if (t->width)
		buf_printf(&f->values, ", ((uint64)(%s)(%s) >> %u) & %llu", t->row->cast, value,
			   t->shift, t->width == 64 ? ~0ull : (1ull << t->width) - 1);
	else if (streq(t->row->name, "symbol"))
		buf_printf(&f->values, ", ksym(%s)", value);
	else if (!t->row->cast || strchr(value, '*'))
		buf_printf(&f->values, ", %s", value);
	else
		buf_printf(&f->values, ", (%s)(%s)", t->row->cast, value);
}

static bool is_memory(char c)
{
	return c == '+' || c == '-' || c == '@';
}

/* The value, or the elements of an array: {1,2,3}. */
static void put_elements(struct ftrace *f, const struct spelled *t)
{
	const char *start = f->p;
	bool is_named = !at_end(f) && !strchr("+-%$@\\", *start);
	struct buf value = { 0 };

	if (t->count && !is_memory(*start))
		fail(f, "only memory has elements: +N(...) or @ADDRESS");
	for (f->element = 0; !f->error && f->element < MAX(t->count, 1u); f->element++) {
		f->p = start;
		f->depth = 0;
		buf_clear(&value);
		if (!fetch(f, &value, t))
			break;
		buf_puts(&f->format, f->element ? "," : t->count ? "{" : "");
		buf_puts(&f->format, is_named && !t->is_given ? "%s" : t->row->conversion);
		put_value(f, t, value.s, is_named);
	}
	buf_puts(&f->format, t->count ? "}" : "");
	buf_release(&value);
}

static bool argument(struct ftrace *f, u32 n)
{
	const char *start, *stop, *name;
	struct spelled type;

	blank(f);
	start = stop = f->p;
	while (stop < f->end && *stop != ' ' && *stop != '\t')
		stop++;
	name = word(f);
	if (!*name || !eat(f, '=')) {
		bool is_plain = *name && (f->p == stop ||
					  *f->p == ':'); /* not a member, no number, no register */

		f->p = start;
		if (!is_plain || f->is_user)
			name = arena_printf(f->arena, "arg%u", n + 1);
	}
	if (!type_ahead(f, stop, &type))
		return false;
	buf_printf(&f->format, " %s=", name);
	put_elements(f, &type);
	if (!f->error && eat(f, ':'))
		f->p = stop; /* read ahead */
	if (f->p != stop)
		fail(f, "this does not belong to the argument");
	return !f->error;
}

/* ---- one line */

static bool is_argument(const char *s)
{
	return *s && (strchr("+-%$@\\", *s) || strchr(s, '='));
}

/* After "p:" or "p": the event's name, or directly the probe address. */
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

/* SYMBOL%return: strips the suffix. */
static const char *without_return(struct ftrace *f, const char *target)
{
	const char *mark = strstr(target, "%return");

	if (!mark || mark[7])
		return target;
	f->is_return = true;
	return arena_strndup(f->arena, target, (size_t)(mark - target));
}

static const char *provider_of(const struct ftrace *f)
{
	if (f->kind == 't')
		return "rawtracepoint";
	if (f->is_user)
		return f->is_return ? "uretprobe" : "uprobe";
	if (f->kind == 'f' && f->is_return) /* it also has the arguments */
		return "fexit";
	return f->is_return ? "kretprobe" : "kprobe";
}

static bool line(struct ftrace *f, struct ftrace_probe *to)
{
	const char *event, *target;
	u32 n = 0;

	f->kind = *f->p++;
	f->is_return = f->kind == 'r';
	while (!at_end(f) && *f->p >= '0' && *f->p <= '9') /* maxactive */
		f->p++;
	target = head(f, &event);
	if (!*target)
		return fail(f, "a function comes after the event's name");
	f->is_user |= strchr(target, '/') != NULL;
	target = without_return(f, target);
	buf_clear(&f->format);
	buf_clear(&f->values);
	for (blank(f); !at_end(f) && n < MAX_ARGS; blank(f))
		if (!argument(f, n++))
			return false;
	to->probe = arena_printf(f->arena, "%s:%s", provider_of(f), target);
	to->event = without_return(f, event);
	to->format = arena_strndup(f->arena, f->format.s ? f->format.s : "", f->format.len);
	to->values = arena_strndup(f->arena, f->values.s ? f->values.s : "", f->values.len);
	return true;
}

static void put_clause(struct buf *out, const struct ftrace_probe *p)
{
	buf_printf(out, "%s { printf(\"%%-16s %%-7d %s:", p->probe, p->event);
	for (const char *s = p->format; *s; s++) {
		if (*s == '"')
			buf_putc(out, '\\');
		buf_putc(out, *s);
	}
	buf_printf(out, "\\n\", comm, pid%s); }\n", p->values);
}

/* f and t are probe types of bpftrace as well: here a function or tracepoint follows a blank. */
static bool has_target(const char *s, const char *end)
{
	while (s < end && *s != ' ' && *s != '\t' && *s != '\n')
		s++;
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s < end && is_word_char(*s);
}

static bool is_kind(char c)
{
	return c == 'p' || c == 'r' || c == 'f' || c == 't';
}

bool ftrace_spelled(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && strchr(" \t\n", text[i]))
		i++;
	if (i >= len || !is_kind(text[i]) || memchr(text, '{', len))
		return false;
	if ((text[i] == 'f' || text[i] == 't') && !has_target(text + i, text + len))
		return false;
	for (i++; i < len && text[i] >= '0' && text[i] <= '9'; i++)
		;
	return i < len && (text[i] == ':' || text[i] == ' ' || text[i] == '\t');
}

static void release(struct ftrace *f)
{
	buf_release(&f->format);
	buf_release(&f->values);
}

const char *ftrace_probe(struct arena *a, const char *text, size_t len, struct ftrace_probe *to,
			 u32 *at)
{
	const char *copy = arena_strndup(a, text, len);
	struct ftrace f = { .arena = a, .start = copy, .p = copy, .end = copy + len };

	blank(&f);
	line(&f, to);
	*at = (u32)(f.p - copy);
	release(&f);
	return f.error;
}

const char *ftrace_script(struct arena *a, const char *text, size_t len, const char **error,
			  u32 *at)
{
	/* strtoull reads numbers: the copy is NUL-terminated */
	const char *copy = arena_strndup(a, text, len), *end = copy + len;
	struct ftrace f = { .arena = a, .start = copy, .p = copy };
	struct ftrace_probe probe;
	struct buf out = { 0 };
	const char *script = NULL;

	while (f.p < end && !f.error) {
		const char *eol = memchr(f.p, '\n', (size_t)(end - f.p));

		f.end = eol ? eol : end;
		blank(&f);
		if (!at_end(&f) && *f.p != '#') {
			if (!is_kind(*f.p))
				fail(&f, "a probe begins with p, r, f or t");
			else if (line(&f, &probe))
				put_clause(&out, &probe);
		}
		if (!f.error)
			f.p = f.end + (eol != NULL);
	}
	*error = f.error;
	*at = (u32)(f.p - copy);
	if (!f.error)
		script = arena_strndup(a, out.s ? out.s : "", out.len);
	buf_release(&out);
	release(&f);
	return script;
}
