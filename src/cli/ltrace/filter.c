/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filter expressions of ltrace(1): {[+-][symbol][@library]}. Patterns are globs with * ? [ ], or
 * regular expressions between slashes; a library that begins with a slash is a path; MAIN is the
 * program. The rules are applied in order; what the last one that matches says holds.
 */
#include <fnmatch.h>
#include <regex.h>
#include "cli/ltrace/ltrace.h"

struct pattern {
	enum { PATTERN_GLOB, PATTERN_REGEX, PATTERN_PATH, PATTERN_MAIN } kind;
	const char *glob;
	regex_t regex;
};

struct rule {
	bool takes;
	struct pattern symbol, library;
};

struct ltrace_filter {
	VEC(struct rule) rules;
	const struct ltrace_filter *also; /* of an option given before: either one is enough */
	const char *text;                 /* of the option */
	bool *has_some;                   /* of the names that were compared */
};

static bool pattern_has(const struct pattern *p, const char *text)
{
	switch (p->kind) {
	case PATTERN_MAIN: return false;
	case PATTERN_REGEX: return regexec(&p->regex, text, 0, NULL, 0) == 0;
	case PATTERN_GLOB:
	case PATTERN_PATH: break;
	}
	return fnmatch(p->glob, text, 0) == 0;
}

static bool library_has(const struct pattern *p, const struct ltrace_object *o)
{
	if (p->kind == PATTERN_MAIN)
		return o->is_main;
	return pattern_has(p, p->kind == PATTERN_PATH ? o->path : o->name);
}

static bool chain_has(const struct ltrace_filter *f, const char *name,
		      const struct ltrace_object *o)
{
	bool has = false;

	for (u32 i = 0; i < f->rules.n; i++)
		if (pattern_has(&f->rules.v[i].symbol, name) &&
		    library_has(&f->rules.v[i].library, o))
			has = f->rules.v[i].takes;
	return has;
}

bool ltrace_filter_has(const struct ltrace_filter *f, const char *name,
		       const struct ltrace_object *object)
{
	bool has = false;

	for (; f; f = f->also)
		if (chain_has(f, name, object))
			has = *f->has_some = true;
	return has;
}

const char *ltrace_filter_vain(const struct ltrace_filter *f)
{
	while (f && *f->has_some)
		f = f->also;
	return f ? f->text : NULL;
}

static bool set_regex(struct ltrace *lt, struct pattern *p, const char *text)
{
	char why[128];
	int code = regcomp(&p->regex, text, REG_EXTENDED | REG_NOSUB);

	p->kind = PATTERN_REGEX;
	if (!code)
		return true;
	regerror(code, &p->regex, why, sizeof why);
	say_usage(lt->c, "regular expression '%s': %s", text, why);
	return false;
}

/* fnmatch() needs neither ^ nor $. */
static const char *without_anchors(struct arena *a, const char *text, size_t len)
{
	bool begin = len && text[0] == '^';

	len -= begin;
	text += begin;
	len -= len && text[len - 1] == '$';
	return arena_strndup(a, text, len);
}

static bool set_pattern(struct ltrace *lt, struct pattern *p, const char *text, size_t len,
			bool is_library)
{
	struct arena *a = &lt->c->line.arena;
	bool in_slashes = len > 1 && text[0] == '/' && text[len - 1] == '/';

	if (in_slashes)
		return set_regex(lt, p, arena_strndup(a, text + 1, len - 2));
	p->kind = is_library && len && text[0] == '/'                 ? PATTERN_PATH :
		  is_library && len == 4 && starts_with(text, "MAIN") ? PATTERN_MAIN :
									PATTERN_GLOB;
	p->glob = len ? without_anchors(a, text, len) : "*";
	return true;
}

/* Where a pattern ends. Slashes protect what is between them; "libstdc++" is a name. */
static size_t pattern_len(const char *s, const char *ends)
{
	const char *close = *s == '/' ? strchr(s + 1, '/') : NULL;
	size_t n = close && (!close[1] || strchr("+-@", close[1])) ? (size_t)(close + 1 - s) : 0;

	n += strcspn(s + n, ends);
	while (s[n] == '+' && s[n + 1] == '+')
		n += 2 + strcspn(s + n + 2, ends);
	return n;
}

static const char *parse_rule(struct ltrace *lt, struct rule *r, const char *s)
{
	size_t n = pattern_len(s, "+-@");

	if (!set_pattern(lt, &r->symbol, s, n, false))
		return NULL;
	s += n;
	if (*s != '@')
		return set_pattern(lt, &r->library, "", 0, true) ? s : NULL;
	n = pattern_len(++s, "+-");
	return set_pattern(lt, &r->library, s, n, true) ? s + n : NULL;
}

static struct ltrace_filter *filter_new(struct ltrace *lt, const char *text,
					const struct ltrace_filter *before)
{
	struct ltrace_filter *f = arena_new(&lt->c->line.arena, struct ltrace_filter);

	f->also = before;
	f->text = text;
	f->has_some = arena_new(&lt->c->line.arena, bool);
	return f;
}

const struct ltrace_filter *ltrace_filter_parse(struct ltrace *lt, const char *text,
						const struct ltrace_filter *before)
{
	static const struct rule all = { .takes = true, .symbol.glob = "*", .library.glob = "*" };
	struct ltrace_filter *f = filter_new(lt, text, before);
	const char *s = text;

	if (*s == '-') /* all but */
		vec_push(&lt->c->line.arena, &f->rules, all);
	while (s && *s) {
		struct rule r = { .takes = *s != '-' };

		s = parse_rule(lt, &r, s + (*s == '+' || *s == '-'));
		if (s)
			vec_push(&lt->c->line.arena, &f->rules, r);
	}
	return s ? f : NULL;
}

const struct ltrace_filter *ltrace_filter_library(struct ltrace *lt, const char *text,
						  const struct ltrace_filter *before)
{
	struct ltrace_filter *f = filter_new(lt, text, before);
	struct rule r = { .takes = true, .symbol.glob = "*" };

	if (!set_pattern(lt, &r.library, text, strlen(text), true))
		return NULL;
	vec_push(&lt->c->line.arena, &f->rules, r);
	return f;
}
