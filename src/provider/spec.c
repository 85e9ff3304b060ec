/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe as written -> its parts. Colons separate, quotes protect ("a:b" is one part, \" and \\
 * are escapes within them) and are removed. A text has at most 8 parts; further colons belong to
 * the last one.
 *
 *	uprobe:/bin/app:cpp:"run(int)"  ->  "uprobe" "/bin/app" "cpp" "run(int)"
 */
#include <stdlib.h>
#include "base/glob.h"
#include "lang/number.h"
#include "dialect/hints.h"
#include "provider/internal.h"
#include "sym/tracefs.h"

enum { MAX_PARTS = ARRAY_SIZE(((struct spec *)0)->part) };

/* Copies one part, without quotes; returns where it ended (at ':' or the end). */
static const char *take_part(char *to, const char *s, bool is_last)
{
	bool quoted = false;

	for (; *s && (quoted || is_last || *s != ':'); s++) {
		if (*s == '"') {
			quoted = !quoted;
			continue;
		}
		if (quoted && *s == '\\' && (s[1] == '"' || s[1] == '\\'))
			s++;
		*to++ = *s;
	}
	*to = '\0';
	return s;
}

static char *trim(struct arena *a, const char *text)
{
	size_t len;

	text += strspn(text, " \t\r\n");
	for (len = strlen(text); len && strchr(" \t\r\n", text[len - 1]); len--)
		;
	return arena_strndup(a, text, len);
}

struct spec *spec_split(struct provider_env *env, const char *text)
{
	struct spec *spec = arena_new(env->arena, struct spec);
	const char *s = trim(env->arena, text);
	size_t len = strlen(s);
	char *unquoted = arena_alloc(env->arena, len + 1);

	for (;;) {
		char *part = arena_alloc(env->arena, len + 1);

		s = take_part(part, s, spec->n_parts == MAX_PARTS - 1);
		if (spec->n_parts)
			strcat(unquoted, ":");
		strcat(unquoted, part);
		spec->part[spec->n_parts++] = part;
		if (*s != ':')
			break;
		s++;
	}
	spec->text = unquoted;
	return spec;
}

/* perf and trace-cmd write sched:sched_switch. */
static const char *event_of_perf(struct provider_env *env, const struct spec *spec)
{
	const char **names;
	struct err err = { 0 };
	u32 n = 0;

	if (spec->n_parts != 2 || events_of(env, spec->part[0], &names, &n, &err) < 0 || !n)
		return NULL;
	return arena_printf(env->arena, "tracepoint:%s:%s", spec->part[0], spec->part[1]);
}

static const struct provider *find(struct provider_env *env, struct spec *spec)
{
	const char *name = spec->part[0], *near;
	bool old_name;
	const struct provider *p = provider_lookup(name, &old_name);
	struct diag *d;

	if (p && old_name)
		probe_report(env, spec, D_OLD_PROBE, name, p->name);
	if (p)
		return p;
	d = probe_report(env, spec, D_UNKNOWN_PROBE, name);
	near = foreign_probe(env->arena, spec->text);
	if (!near)
		near = event_of_perf(env, spec);
	if (!near)
		near = provider_near(name);
	if (near)
		probe_help(env, d, "did you mean \"%s\"?", near);
	else
		probe_help(env, d,
			   "a probe begins with its type, as kprobe:NAME or uprobe:PROGRAM:NAME; "
			   "sonde list '*%s*' looks for the name",
			   name);
	return NULL;
}

/* "software:faults:" is taken as "software:faults"; so is a complete spec followed by ":*". */
static void drop_empty_tail(struct spec *spec)
{
	const struct provider *p = spec->provider;

	while (spec->n_parts > 1 && spec->n_parts <= p->max_parts &&
	       !*spec->part[spec->n_parts - 1])
		spec->n_parts--;
	if (p->max_parts == 1 && spec->n_parts == 2 && streq(spec->part[1], "*"))
		spec->n_parts--;
}

struct spec *spec_parse(struct provider_env *env, const struct attach *attach)
{
	struct spec *spec = spec_split(env, attach->text);
	const struct provider *p;

	spec->attach = attach;
	p = spec->provider = find(env, spec);
	if (!p)
		return NULL;
	spec->n_parts_written = spec->n_parts;
	drop_empty_tail(spec);
	if (spec->n_parts < p->min_parts || spec->n_parts > p->max_parts) {
		const char *ours = foreign_probe(env->arena, spec->text);

		if (ours)
			probe_help(env,
				   probe_report(env, spec, D_PROBE_PARTS, p->name, p->takes,
						spec->n_parts_written - 1),
				   "did you mean \"%s\"?", ours);
		else
			probe_bad_parts(env, spec);
		return NULL;
	}
	return spec;
}

const char *spec_name(struct provider_env *env, const struct spec *spec)
{
	const char *name = spec->provider->name;

	return spec->n_parts > 1 ?
		       arena_printf(env->arena, "%s:%s", name, spec_rest(env->arena, spec, 1)) :
		       name;
}

const char *spec_rest(struct arena *a, const struct spec *spec, u32 from)
{
	const char *s = spec->part[from];

	for (u32 i = from + 1; i < spec->n_parts; i++)
		s = arena_printf(a, "%s:%s", s, spec->part[i]);
	return s;
}

bool spec_has_wildcard(const struct spec *spec, u32 from)
{
	for (u32 i = from; i < spec->n_parts; i++)
		if (glob_has_wildcard(spec->part[i]))
			return true;
	return false;
}

const char *spec_pattern(const struct spec *spec, u32 i)
{
	return i < spec->n_parts && *spec->part[i] ? spec->part[i] : "*";
}

static u32 digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (u32)(c - '0');
	c = (char)(c | 32);
	return c >= 'a' && c <= 'f' ? (u32)(c - 'a') + 10 : 99;
}

bool text_number_hex(const char *s, u64 *out)
{
	u64 v = 0;

	if (!*s || strlen(s) > 16)
		return false;
	for (; *s; s++) {
		if (digit_value(*s) >= 16)
			return false;
		v = v << 4 | digit_value(*s);
	}
	*out = v;
	return true;
}

bool text_number(const char *s, u64 *out)
{
	struct number n;

	if (*s < '0' || *s > '9')
		return false;
	number_scan(s, (u32)strlen(s), &n);
	*out = n.value;
	return !n.fault && !s[n.len];
}

const char *text_fault(struct arena *a, const char *s)
{
	struct number n = { 0 };

	if (*s < '0' || *s > '9')
		return arena_printf(a, "invalid integer: %s", s);
	number_scan(s, (u32)strlen(s), &n);
	switch (n.fault) {
	case NUMBER_TOO_BIG:
		return arena_printf(a, "overflow error, maximum value is %llu: %s",
				    (unsigned long long)n.max, s);
	case NUMBER_BAD_COEFFICIENT:
		return arena_printf(a, "coefficient part of scientific literal must be 1-9: %s", s);
	case NUMBER_FINE:
	case NUMBER_BAD_UNDERSCORE:
	case NUMBER_BAD_SUFFIX:
	case NUMBER_BAD_DIGIT: break;
	}
	return arena_printf(a, "invalid trailing bytes: %s", s);
}
