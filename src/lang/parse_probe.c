/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes: attach points, predicate, block. Attach points are raw text that providers parse:
 *
 *	name=uprobe:/bin/sh:"f(int, int)"   tracepoint:sched:*,   kprobe:f
 *
 * up to white space, a comma or "{" outside of quotes. A "/" is part of it once a ":" was seen, so
 * that paths work; before that it begins the predicate. Positional parameters are substituted here,
 * except inside quotes.
 */
#include "dialect/hints.h"
#include "lang/parse.h"

/* ---- the raw text */

static bool is_control(char c)
{
	return ((u8)c < ' ' && c != '\t') || c == 0x7f;
}

/* At a quote: the length of the string with its quotes, or 0 if the line ends first. */
static u32 quoted_length(const struct lexer *lx, u32 at)
{
	for (u32 n = at + 1; lx->pos + n < lx->end; n++) {
		char c = lex_at(lx, n);

		if (c == '"')
			return n + 1 - at;
		if (is_control(c))
			return 0;
		n += c == '\\' && !is_control(lex_at(lx, n + 1));
	}
	return 0;
}

static bool ends_attach(char c, bool seen_colon)
{
	switch (c) {
	case ' ':
	case '\t':
	case ',':
	case '{': return true;
	case '/': return !seen_colon;
	default: return is_control(c);
	}
}

enum { MAX_AHEAD = 400 }; /* bytes; longer than any predicate */

/*
 * "kprobe:f/pid == 1/ {": old releases accept a predicate directly after a name, without a space.
 * At a "/": it is one if its part of the attach point is no path, only a predicate follows, and
 * another "/" precedes the block.
 */
static bool is_glued_predicate(const struct lexer *lx, u32 at)
{
	u32 part = at, n;
	bool in_word = true;

	while (part && lex_at(lx, part - 1) != ':')
		part--;
	if (part == at || lex_at(lx, part) == '/' || lex_at(lx, part) == '.')
		return false;
	for (n = at + 1; n < at + MAX_AHEAD && lx->pos + n < lx->end && lex_at(lx, n) != '{'; n++) {
		in_word &= lex_at(lx, n) != ' ' && lex_at(lx, n) != '\n';
		if (in_word && (lex_at(lx, n) == ':' || lex_at(lx, n) == ','))
			return false;
	}
	if (lex_at(lx, n) != '{')
		return false;
	while (lex_at(lx, n - 1) == ' ' || lex_at(lx, n - 1) == '\t' || lex_at(lx, n - 1) == '\n')
		n--;
	return n - 1 > at && lex_at(lx, n - 1) == '/';
}

/* Length of the attach point at the lexer's position. */
static u32 attach_length(struct parser *p)
{
	const struct lexer *lx = &p->lx;
	bool seen_colon = false;
	u32 n = 0;

	while (lx->pos + n < lx->end && !ends_attach(lex_at(lx, n), seen_colon)) {
		u32 quoted = 1;

		if (lex_at(lx, n) == '"')
			quoted = quoted_length(lx, n);
		if (seen_colon && lex_at(lx, n) == '/' && is_glued_predicate(lx, n))
			break;
		if (!quoted) {
			u32 at = lx->pos + n;

			parse_help(p,
				   parse_complain(p, parse_span(p, at, at + 1),
						  D_UNTERMINATED_STRING),
				   "close it with a double quote on the same line");
			quoted = 1;
		}
		seen_colon |= lex_at(lx, n) == ':';
		n += quoted;
	}
	return MIN(n, lx->end - lx->pos);
}

/* Length of "name=" in front, or 0. */
static u32 user_name_length(const char *s, u32 len)
{
	u32 n = 0;

	if (!len || !lex_is_word_start(s[0]))
		return 0;
	while (n < len && lex_is_word(s[n]))
		n++;
	return n < len && s[n] == '=' ? n + 1 : 0;
}

/* ---- positional parameters */

static const char *param_text(struct parser *p, u64 number, u32 off, u32 len)
{
	const struct env *env = p->lang->env;

	if (number >= 1 && number <= env->request->script.n_params)
		return env->request->script.params[number - 1];
	if (!p->roles)
		parse_help(p,
			   parse_complain(p, parse_span(p, off, off + len), D_ATTACH_PARAM,
					  (unsigned long long)number),
			   "give it on the command line, after the script");
	return "";
}

/* At "$": the parameter's value, and its length in the text. */
static u32 expand_param(struct parser *p, const char *s, u32 off, u32 len, const char **value)
{
	u64 number = 0;
	u32 n = 1;

	if (len > 1 && s[1] == '#') {
		*value = arena_printf(p->arena, "%u", p->lang->env->request->script.n_params);
		return 2;
	}
	for (; n < len && lex_is_digit(s[n]); n++)
		number = MIN(number * 10 + (u64)(s[n] - '0'), (u64)UINT32_MAX);
	*value = n > 1 ? param_text(p, number, off, n) : "$";
	return n;
}

/* The text with parameters substituted; off is its offset in the source. */
static const char *expand_text(struct parser *p, u32 off, u32 len)
{
	const char *s = p->src->text + off, *value;
	VEC(char) out = { 0 };
	bool in_quotes = false;

	if (!memchr(s, '$', len))
		return arena_strndup(p->arena, s, len);
	for (u32 i = 0; i < len;) {
		if (s[i] == '$' && !in_quotes) {
			i += expand_param(p, s + i, off + i, len - i, &value);
			for (; *value; value++)
				vec_push(p->arena, &out, *value);
			continue;
		}
		if (in_quotes && s[i] == '\\' && i + 1 < len)
			vec_push(p->arena, &out, s[i++]);
		in_quotes ^= s[i] == '"' && (i == 0 || s[i - 1] != '\\');
		vec_push(p->arena, &out, s[i++]);
	}
	vec_push(p->arena, &out, '\0');
	return out.v;
}

/* ---- attach points */

/* Moves the lexer past raw text and reads the token there. */
static void resume_after(struct parser *p, u32 end)
{
	p->lx.pos = end;
	p->tok.off = end;
	p->tok.len = 0;
	parse_advance(p);
	p->prev_end = end;
}

static struct attach *parse_attach(struct parser *p)
{
	struct attach *at = arena_new(p->arena, struct attach);
	u32 start = p->tok.off, len, name_len;

	p->lx.pos = start;
	len = attach_length(p);
	name_len = user_name_length(p->src->text + start, len);
	at->span = parse_span(p, start, start + len);
	at->text = expand_text(p, start + name_len, len - name_len);
	if (name_len)
		at->user_name = intern(p->lang->names, p->src->text + start, name_len - 1);
	parse_mark_raw(p, start, start + len, ROLE_RAW);
	if (len == name_len) {
		const char *found = len ? "nothing" : parse_found(p);
		struct diag *d = parse_error(p, parse_span(p, start, start + 1), D_EXPECTED_PROBE);

		parse_help(p, d, "found %s; a probe looks like this: kprobe:vfs_read { ... }",
			   found);
		return at;
	}
	resume_after(p, start + len);
	return at;
}

/* After a comma: false when no further attach point follows. */
static bool next_attach(struct parser *p)
{
	char c;

	p->lx.pos = p->tok.off + 1;
	lex_layout(&p->lx);
	c = lex_at(&p->lx, 0);
	if (c == '{' || c == '/' || p->lx.pos >= p->lx.end) {
		parse_advance(p);
		return false;
	}
	p->tok = (struct token){ .kind = TOK_BAD, .off = p->lx.pos };
	return true;
}

static struct attach *parse_attaches(struct parser *p)
{
	struct attach *list = NULL, **end = &list;

	do {
		*end = parse_attach(p);
		end = &(*end)->next;
	} while (!p->panic && parse_is(p, TOK_COMMA) && next_attach(p));
	return list;
}

/* ---- predicate */

static struct node *parse_predicate(struct parser *p)
{
	struct node *n;

	parse_mark(p, p->tok.off, ROLE_PREDICATE_OPEN);
	p->in_predicate = true;
	parse_advance(p);
	n = parse_expr(p);
	p->in_predicate = false;
	if (!p->panic && !parse_is(p, TOK_SLASH))
		parse_help(p, parse_expected(p, "'/' to close predicate", NULL),
			   "it is enclosed in slashes before the block; to compare, write \"==\"");
	parse_mark(p, p->tok.off, ROLE_PREDICATE_CLOSE);
	parse_accept(p, TOK_SLASH);
	parse_recover_block(p);
	return n;
}

/* The text before the block, the body of a statement or the end of the line. */
static const char *rest_of_line(struct parser *p)
{
	const char *at = p->src->text + p->tok.off;
	size_t n = strcspn(at, "{;=,\n");

	while (n && (at[n - 1] == ' ' || at[n - 1] == '\t'))
		n--;
	return arena_strndup(p->arena, at, n);
}

/* SystemTap's word before a probe. */
static bool is_word_probe(const struct clause *c)
{
	return !c->predicate && !c->attaches->next && streq(c->attaches->text, "probe");
}

/* Whether the probe has dots, as in SystemTap: those are translated when they are looked up. */
static bool is_dotted(struct parser *p)
{
	const char *rest = rest_of_line(p);

	return rest[strcspn(rest, ".:")] == '.';
}

static bool has_colon(const char *text)
{
	return strchr(text, ':') != NULL;
}

/* first to last: the attach points before the text that is no block. */
static const char *head_help(struct parser *p, const struct attach *first,
			     const struct attach *last)
{
	static const char *const whole[] = { "begin", "end", "BEGIN", "END" };
	const char *rest = rest_of_line(p), *foreign = foreign_head(first->text);
	size_t len = strlen(last->text);

	if (foreign)
		return foreign;
	if (streq(first->text, "global"))
		return arena_printf(p->arena, "maps need no declaration: assign to @%s", rest);
	if (len && last->text[len - 1] == ':')
		return arena_printf(p->arena, "an attach point has no spaces: %s%s", last->text,
				    rest);
	if (strchr(rest, '('))
		return arena_printf(p->arena, "the statements are enclosed in braces: %s { ... }",
				    last->text);
	if (*rest && is_one_of(whole, ARRAY_SIZE(whole), last->text))
		return arena_printf(p->arena, "attach points are separated by commas: %s, %s",
				    last->text, rest);
	if (!has_colon(last->text) && *rest && !has_colon(rest))
		return arena_printf(p->arena, "parts are separated by colons: %s:%s", last->text,
				    rest);
	return "attach points are separated by commas; text with spaces goes in quotes";
}

/* A predicate that directly follows a path is read as part of it. */
static void no_block(struct parser *p, const struct clause *c)
{
	const struct attach *last = c->attaches;

	while (last->next)
		last = last->next;

	const char *slash = strrchr(last->text, '/');
	struct diag *d = parse_expected(
		p, "'{'", c->predicate ? "after the predicate" : "after the attach point");

	if (slash && slash[1] != '\0' && !c->predicate)
		parse_help(p, d, "if \"%s\" begins a predicate, put a space before it", slash);
	else if (is_word_probe(c))
		parse_help(p, d,
			   "a probe begins with its type, without a word before it: %s { ... }",
			   rest_of_line(p));
	else if (!c->predicate && d->help.n < 2)
		parse_help(p, d, "%s", head_help(p, c->attaches, last));
}

void parse_probe(struct parser *p)
{
	struct clause *c = arena_new(p->arena, struct clause);
	u32 start = p->tok.off;

	c->attaches = parse_attaches(p);
	if (!p->panic && is_word_probe(c) && !parse_is(p, TOK_LBRACE) && is_dotted(p))
		c->attaches = parse_attaches(p);
	parse_recover_block(p);
	if (parse_is(p, TOK_SLASH))
		c->predicate = parse_predicate(p);
	if (!p->panic && !parse_is(p, TOK_LBRACE))
		no_block(p, c);
	c->body = parse_block(p, ROLE_PROBE_OPEN);
	c->span = parse_span(p, start, MAX(p->prev_end, start));

	struct clause **end = &p->script->clauses;

	while (*end)
		end = &(*end)->next;
	*end = c;
	p->seen_probe = true;
}
