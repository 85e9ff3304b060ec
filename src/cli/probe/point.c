/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A point as perf-probe(1) spells it, "PROBE SYNTAX" and "PROBE ARGUMENT". A backslash takes the
 * meaning of the character after it.
 *
 *	[[GROUP:]EVENT=]FUNC[@SRC][:LINE|+OFFSET|%return|;PATTERN] [ARG...]
 *	[[GROUP:]EVENT=]SRC:LINE [ARG...]
 *	%PROVIDER:NAME [ARG...]
 */
#include <stdlib.h>
#include "cli/job.h"
#include "cli/probe/probe.h"

/* The first character of a set that no backslash precedes, or the end. */
static const char *find(const char *s, const char *set)
{
	while (*s && !strchr(set, *s))
		s += *s == '\\' && s[1] ? 2 : 1;
	return s;
}

/* Without the backslashes; NULL: it is empty. */
static const char *plain(struct probe *p, const char *from, const char *end)
{
	char *text = arena_strndup(p->arena, from, (size_t)(end - from)), *to = text;

	for (const char *s = text; *s; s++) {
		if (*s == '\\' && s[1])
			s++;
		*to++ = *s;
	}
	*to = '\0';
	return *text ? text : NULL;
}

static bool is_name(const char *s)
{
	const char *end = s;

	while (*end == '_' || (*end >= '0' && *end <= '9') ||
	       ((*end | 32) >= 'a' && (*end | 32) <= 'z'))
		end++;
	return *s && !*end && !(*s >= '0' && *s <= '9');
}

static int take_event(struct probe *p, struct probe_point *out, const char *from, const char *end)
{
	const char *colon = find(from, ":");

	if (colon < end) {
		out->group = plain(p, from, colon);
		from = colon + 1;
	}
	out->event = plain(p, from, end);
	if (out->event && is_name(out->event) && (!out->group || is_name(out->group)))
		return 0;
	return say_usage(p->c,
			 "%s: the name of an event has letters, digits and underscores, as in "
			 "mine:opened=FUNC",
			 out->text);
}

static int take_line(struct probe *p, struct probe_point *out, const char *text)
{
	char *end;

	out->line = (u32)strtoul(text, &end, 10);
	out->has_line = out->line || !out->func; /* FUNC:0 is FUNC */
	if (*text >= '0' && *text <= '9' && !*end)
		return 0;
	return say_usage(
		p->c,
		"%s: a line is a number, as in FUNC:3 (from the function's first) or FILE.c:120",
		out->text);
}

/* What may follow a function or a source file. */
static int take_rest(struct probe *p, struct probe_point *out, const char *s)
{
	const char *end;

	if (*s == '@') {
		end = find(s + 1, ":+%;");
		out->source = plain(p, s + 1, end);
		s = end;
	}
	if (*s == ':')
		return take_line(p, out, s + 1);
	if (*s == '+')
		out->offset = arena_strdup(p->arena, s);
	else if (*s == ';')
		out->pattern = plain(p, s + 1, s + strlen(s));
	else if (streq(s, "%return"))
		out->is_return = true;
	else if (*s)
		return say_usage(
			p->c,
			"%s: \"%s\" after a function; known are :LINE, +OFFSET, ;PATTERN and %%return",
			out->text, s);
	return 0;
}

static int take_where(struct probe *p, struct probe_point *out)
{
	const char *s = out->where, *end = find(s, ";=@+%");
	int ret = *end == '=' ? take_event(p, out, s, end) : 0;

	if (ret)
		return ret;
	if (*end == '=')
		s = end + 1;
	out->is_usdt = *s == '%' || starts_with(s, "sdt_");
	if (out->is_usdt) {
		out->func = s + (*s == '%');
		out->func += starts_with(out->func, "sdt_") ? strlen("sdt_") : 0;
		return 0;
	}
	end = find(s, "@:+%;");
	out->func = plain(p, s, end);
	if ((*end == ':' || *end == ';') && out->func && strchr(out->func, '.')) {
		out->source = out->func; /* a function has no dot where a line may follow */
		out->func = NULL;
	}
	if (!out->func && !out->source)
		return say_usage(p->c, "\"%s\" names no function: FUNC, FUNC:LINE, FILE.c:LINE",
				 out->text);
	return take_rest(p, out, end);
}

static struct probe_arg take_arg(struct probe *p, const char *s)
{
	static const char user[] = "@user";
	size_t len = strlen(s);
	struct probe_arg arg = { .is_user = len > strlen(user) &&
					    streq(s + len - strlen(user), user) };
	const char *equals, *colon;

	if (arg.is_user)
		s = arena_strndup(p->arena, s, len - strlen(user));
	arg.text = s;
	equals = strchr(s, '=');
	if (equals && strcspn(s, "%@$+-\\") > (size_t)(equals - s)) {
		arg.name = arena_strndup(p->arena, s, (size_t)(equals - s));
		s = equals + 1;
	}
	colon = strrchr(s, ':');
	arg.expr = colon ? arena_strndup(p->arena, s, (size_t)(colon - s)) : s;
	arg.type = colon ? colon + 1 : NULL;
	return arg;
}

int probe_parse(struct probe *p, const char *text, struct probe_point *out)
{
	struct probe_arg *args = arena_array(p->arena, struct probe_arg, strlen(text) / 2 + 1);
	u32 n = 0;
	size_t len;

	*out = (struct probe_point){ .text = text, .offset = "", .args = args };
	for (const char *s = text; *(s += strspn(s, " \t\n")); s += len) {
		const char *word = arena_strndup(p->arena, s, len = strcspn(s, " \t\n"));

		if (!out->where)
			out->where = word;
		else
			args[n++] = take_arg(p, word);
	}
	out->n_args = n;
	return out->where ? take_where(p, out) :
			    say_usage(p->c,
				      "an empty probe: FUNC, FUNC:LINE, FILE.c:LINE, FUNC%%return");
}

bool probe_range(const char *text, u32 *first, u32 *last)
{
	const char *end;
	u32 n;

	*first = 0;
	*last = UINT32_MAX;
	if (!text)
		return true;
	end = job_read_number(text, first);
	if (!end || !*end)
		return end != NULL;
	if ((*end != '-' && *end != '+') || !job_read_number(end + 1, &n))
		return false;
	*last = *end == '-' ? n : *first + n - 1;
	return *job_read_number(end + 1, &n) == '\0';
}
