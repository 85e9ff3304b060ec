/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe as written -> its parts. Colons separate, quotes protect ("a:b" is one part, \" and \\ are
 * escapes within them) and are removed. The text has at most 8 parts; what follows the eighth colon
 * belongs to the last one.
 *
 *	uprobe:/bin/app:cpp:"run(int)"  ->  "uprobe" "/bin/app" "cpp" "run(int)"
 */
#include <stdlib.h>
#include "base/glob.h"
#include "provider/internal.h"

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
		near = provider_near(name);
	if (near)
		probe_help(env, d, "did you mean \"%s\"?", near);
	return NULL;
}

/* "software:faults:" counts as without its last part; so does ":*" behind what takes no more. */
static void drop_empty_tail(struct spec *spec)
{
	const struct provider *p = spec->provider;

	while (spec->n_parts > 1 && (!*spec->part[spec->n_parts - 1] ||
				     (spec->n_parts > p->max_parts && p->max_parts == 1 &&
				      streq(spec->part[spec->n_parts - 1], "*"))))
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
	drop_empty_tail(spec);
	if (spec->n_parts < p->min_parts || spec->n_parts > p->max_parts) {
		struct diag *d = probe_report(env, spec, D_PROBE_SYNTAX, spec->text, p->syntax);
		const char *ours = foreign_probe(env->arena, spec->text);

		probe_help(env, d, ours ? "did you mean \"%s\"?" : "for example: %s", ours ? ours : p->example);
		return NULL;
	}
	return spec;
}

const char *spec_name(struct provider_env *env, const struct spec *spec)
{
	const char *name = spec->provider->name;

	return spec->n_parts > 1 ? arena_printf(env->arena, "%s:%s", name, spec_rest(env->arena, spec, 1)) : name;
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
	u32 base = 10;
	u64 v = 0;

	if (s[0] == '0' && s[1]) {
		base = (s[1] | 32) == 'x' ? 16 : (s[1] | 32) == 'b' ? 2 : 8;
		s += base == 8 ? 1 : 2;
	}
	if (digit_value(*s) >= base)
		return false;
	for (; *s; s++) {
		u32 d = digit_value(*s);

		if (*s == '_' && s[1])
			continue;
		if (d >= base || __builtin_mul_overflow(v, (u64)base, &v) ||
		    __builtin_add_overflow(v, (u64)d, &v))
			return false;
	}
	*out = v;
	return true;
}
