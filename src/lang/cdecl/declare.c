/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C declarations: specifiers (words, struct/union/enum with or without a body, typedef names) and
 * declarators (pointers, arrays, functions, parentheses). Types of the script take precedence over
 * those of the kernel. A struct is created when it is first named and completed by its body, so
 * pointers to it may be used in between.
 */
#include "lang/cdecl/cdecl.h"

enum { MAX_TYPES_DEEP = 24, MAX_DECLARATORS_DEEP = 6, MAX_REPLACEMENTS = 16 };

/* char of C: arrays of it are strings. */
static const struct type c_char = {
	.kind = TY_INT,
	.is_signed = true,
	.size = 1,
	.align = 1,
	.name = "char",
};

struct c_spec {
	const struct type *type;
	struct c_attrs attrs;
	struct span span;
	bool is_typedef, is_user; /* __user before a "*" */
	bool has_body;            /* defines a struct, union or enum */
};

/* ---- moves and errors */

/* A word that a macro replaces with another word or with nothing, as in "const FAR *p"; false: with
 * nothing. */
static bool replace_word(struct cdecl *c)
{
	const struct node *body;

	for (u32 n = 0; c->tok.kind == TOK_IDENT && n < MAX_REPLACEMENTS; n++) {
		if (!cdecl_is_defined(c, c->tok.name))
			return true;
		body = hash_gets(&c->lang->constants, c->tok.name);
		if (body && body->kind == N_MISFIT && !*body->str)
			return false;
		if (!body || body->kind != N_IDENT)
			return true;
		c->tok.name = body->name;
	}
	return true;
}

static void cdecl_advance(struct cdecl *c)
{
	if (c->panic)
		return;
	do {
		cdecl_directives(c);
		lex_next(&c->lx, &c->tok);
	} while (!replace_word(c));
}

static bool is(const struct cdecl *c, enum token_kind kind)
{
	return c->tok.kind == kind;
}

static bool accept(struct cdecl *c, enum token_kind kind)
{
	if (!is(c, kind))
		return false;
	cdecl_advance(c);
	return true;
}

static bool is_word(const struct cdecl *c, const char *word)
{
	return c->tok.kind == TOK_IDENT && streq(c->tok.name, word);
}

static struct diag *cdecl_error(struct cdecl *c, struct span span, enum diag_id id, ...)
{
	struct diags *diags = c->lang->diags;
	bool muted = diags->muted;
	va_list ap;

	diags->muted |= c->panic || c->foreign;
	va_start(ap, id);
	struct diag *d = diag_vreport(diags, span, id, ap);

	va_end(ap);
	diags->muted = muted;
	if (!c->panic)
		c->lx.pos = c->tok.off;
	c->panic = true;
	c->failed |= !c->foreign;
	c->tok.kind = TOK_BAD;
	return d;
}

static void expected(struct cdecl *c, const char *what)
{
	const struct token *t = &c->tok;
	const char *found = t->kind == TOK_EOF ?
				    "the end" :
				    arena_printf(c->arena, "\"%.*s\"", (int)MIN(t->len, 40u),
						 c->src->text + t->off);

	cdecl_error(c, cdecl_span(c), D_C_EXPECTED, what, found);
}

static void expect(struct cdecl *c, enum token_kind kind, const char *what)
{
	if (!accept(c, kind))
		expected(c, what);
}

/* Skips from after an opening bracket to after its partner. */
static void skip_to_close(struct cdecl *c)
{
	for (u32 depth = 1; depth && !is(c, TOK_EOF) && !is(c, TOK_BAD); cdecl_advance(c)) {
		depth += is(c, TOK_LPAREN) || is(c, TOK_LBRACE) || is(c, TOK_LBRACKET);
		depth -= is(c, TOK_RPAREN) || is(c, TOK_RBRACE) || is(c, TOK_RBRACKET);
	}
}

static bool closes(const struct cdecl *c)
{
	return is(c, TOK_COMMA) || is(c, TOK_SEMICOLON) || is(c, TOK_RPAREN) || is(c, TOK_RBRACE) ||
	       is(c, TOK_RBRACKET) || is(c, TOK_EOF) || is(c, TOK_BAD);
}

/* A constant expression, up to the first token that cannot be part of it. */
static bool constant(struct cdecl *c, s64 *value)
{
	u32 from = c->tok.off;

	while (!closes(c)) {
		bool open = is(c, TOK_LPAREN) || is(c, TOK_LBRACKET);

		cdecl_advance(c);
		if (open)
			skip_to_close(c);
	}
	if (c->panic)
		return false;
	if (from == c->tok.off) {
		expected(c, "a number");
		return false;
	}
	if (ceval_range(c, from, c->tok.off, false, value))
		return true;
	c->lx.pos = c->tok.off;
	c->panic = true;
	c->tok.kind = TOK_BAD;
	return false;
}

/* ---- attributes and qualifiers */

static void attribute(struct cdecl *c, struct c_attrs *attrs)
{
	bool aligned = is_word(c, "aligned") || is_word(c, "__aligned__");
	s64 n = 16;

	attrs->packed |= is_word(c, "packed") || is_word(c, "__packed__");
	cdecl_advance(c);
	if (!accept(c, TOK_LPAREN)) {
		if (aligned)
			attrs->align = 16;
		return;
	}
	if (aligned && constant(c, &n) && n > 0 && n <= 4096 && !(n & (n - 1)))
		attrs->align = MAX(attrs->align, (u32)n);
	skip_to_close(c);
}

/* __attribute__((packed, aligned(8))) */
static bool attributes(struct cdecl *c, struct c_attrs *attrs)
{
	if (!is_word(c, "__attribute__") && !is_word(c, "__attribute"))
		return false;
	cdecl_advance(c);
	expect(c, TOK_LPAREN, "\"((\"");
	expect(c, TOK_LPAREN, "\"((\"");
	while (token_is_name(&c->tok)) {
		attribute(c, attrs);
		if (!accept(c, TOK_COMMA))
			break;
	}
	expect(c, TOK_RPAREN, "\"))\"");
	expect(c, TOK_RPAREN, "\"))\"");
	return true;
}

static bool qualifier(struct cdecl *c, struct c_spec *s)
{
	static const char *const words[] = {
		"const",    "volatile",     "restrict",      "__restrict", "__restrict__",
		"static",   "extern",       "inline",        "__inline",   "__inline__",
		"register", "_Atomic",      "__extension__", "__rcu",      "__percpu",
		"__iomem",  "__force",      "__kernel",      "__bitwise",  "_Noreturn",
		"__const",  "__volatile__",
	};

	if (attributes(c, &s->attrs))
		return true;
	if (!is(c, TOK_IDENT))
		return false;
	if (is_word(c, "__packed"))
		s->attrs.packed = true;
	else if (is_word(c, "__user"))
		s->is_user = true;
	else if (is_word(c, "typedef"))
		s->is_typedef = true;
	else
		for (u32 i = 0;; i++) {
			if (i == ARRAY_SIZE(words))
				return false;
			if (is_word(c, words[i]))
				break;
		}
	cdecl_advance(c);
	return true;
}

static void qualifiers(struct cdecl *c, struct c_spec *s)
{
	while (qualifier(c, s))
		;
}

/* ---- declarators */

static const struct type *declarator(struct cdecl *c, const struct type *base, struct c_spec *s,
				     struct token *name, u32 depth);

static const struct type *array_of(struct cdecl *c, const struct type *elem, s64 n)
{
	elem = type_complete(elem);
	if (elem->kind == TY_VOID || elem->kind == TY_FUNC ||
	    (elem->kind == TY_STRUCT && !elem->size && n)) {
		cdecl_error(c, cdecl_span(c), D_C_INCOMPLETE, type_str(c->arena, elem));
		return elem;
	}
	if (n < 0 || (u64)n * MAX(elem->size, 1u) > INT32_MAX) {
		cdecl_error(c, cdecl_span(c), D_C_TOO_BIG);
		return elem;
	}
	if (elem == &c_char && n)
		return type_string(c->arena, (u32)n);
	return type_array(c->arena, elem, (u32)n);
}

/* [a][b] or (parameters), after the name. */
static const struct type *suffix(struct cdecl *c, const struct type *base, u32 depth)
{
	s64 n = 0;

	if (depth > MAX_DECLARATORS_DEEP) {
		cdecl_error(c, cdecl_span(c), D_TOO_DEEP, MAX_DECLARATORS_DEEP);
		return base;
	}
	if (accept(c, TOK_LPAREN)) {
		skip_to_close(c);
		return &ty_function;
	}
	if (!accept(c, TOK_LBRACKET))
		return base;
	if (!is(c, TOK_RBRACKET))
		constant(c, &n);
	expect(c, TOK_RBRACKET, "\"]\"");
	base = suffix(c, base, depth + 1);
	return c->panic ? base : array_of(c, base, n);
}

/*
 * "(*name[4])(int)": the declarator in parentheses applies to the type after them, so it is read
 * twice: once to skip it, once to apply it.
 */
static const struct type *nested(struct cdecl *c, const struct type *base, struct c_spec *s,
				 struct token *name, u32 depth)
{
	struct lexer inside = c->lx, after;
	struct token first = c->tok, last;

	skip_to_close(c);
	base = suffix(c, base, 0);
	after = c->lx;
	last = c->tok;
	if (c->panic)
		return base;
	c->lx = inside;
	c->tok = first;
	base = declarator(c, base, s, name, depth + 1);
	if (c->panic)
		return base;
	c->lx = after;
	c->tok = last;
	return base;
}

static bool begins_nested(const struct cdecl *c)
{
	struct lexer ahead = c->lx;
	struct token tok;

	ahead.quiet = true;
	lex_next(&ahead, &tok);
	return tok.kind == TOK_STAR || tok.kind == TOK_LPAREN || tok.kind == TOK_IDENT;
}

static const struct type *declarator(struct cdecl *c, const struct type *base, struct c_spec *s,
				     struct token *name, u32 depth)
{
	if (depth > MAX_DECLARATORS_DEEP) {
		cdecl_error(c, cdecl_span(c), D_TOO_DEEP, MAX_DECLARATORS_DEEP);
		return base;
	}
	for (u32 n = 0; accept(c, TOK_STAR) && n < 64; n++) {
		base = type_pointer(c->arena, base, s->is_user ? SPACE_USER : SPACE_NONE);
		s->is_user = false;
		qualifiers(c, s);
	}
	if (is(c, TOK_LPAREN) && begins_nested(c)) {
		cdecl_advance(c);
		return nested(c, base, s, name, depth);
	}
	if (token_is_name(&c->tok)) {
		*name = c->tok;
		cdecl_advance(c);
	}
	base = suffix(c, base, 0);
	qualifiers(c, s);
	return base;
}

/* ---- struct and union */

static void add_member(struct cdecl *c, struct c_members *to, const struct c_member *m)
{
	const struct type *t = type_complete(m->type);
	bool incomplete = t->kind == TY_VOID || t->kind == TY_FUNC ||
			  (t->kind == TY_STRUCT && !t->size && !t->fields);

	if (c->panic)
		return;
	if (incomplete) {
		cdecl_error(c, m->span, D_C_INCOMPLETE, *m->name ? m->name : type_str(c->arena, t));
		return;
	}
	if (m->bits > (s64)t->size * 8 || (m->bits == 0 && *m->name) ||
	    (m->bits >= 0 && !type_is_integer(t))) {
		cdecl_error(c, m->span, D_C_BIT_WIDTH, (long long)m->bits);
		return;
	}
	for (u32 i = 0; *m->name && i < to->list.n; i++)
		if (streq(to->list.v[i].name, m->name)) {
			cdecl_error(c, m->span, D_C_REDEFINED, m->name);
			return;
		}
	vec_push(c->arena, &to->list, *m);
}

static void member(struct cdecl *c, struct c_members *to, const struct c_spec *spec)
{
	struct c_spec s = *spec;
	struct token name = { .off = c->tok.off };
	struct c_member m = { .name = "", .bits = -1 };

	m.type = declarator(c, s.type, &s, &name, 0);
	m.span = (struct span){ c->src->base + name.off, MAX(name.len, 1u) };
	if (name.name)
		m.name = name.name;
	if (accept(c, TOK_COLON) && constant(c, &m.bits))
		m.bits = MAX(m.bits, 0);
	attributes(c, &s.attrs);
	m.align = s.attrs.align;
	m.packed = s.attrs.packed;
	m.from_user = m.type->kind == TY_POINTER && m.type->space == SPACE_USER;
	add_member(c, to, &m);
}

static bool specifiers(struct cdecl *c, struct c_spec *s);

static void members(struct cdecl *c, struct c_members *to)
{
	while (!is(c, TOK_RBRACE) && !is(c, TOK_EOF) && !c->panic) {
		struct c_spec s = { 0 };

		if (accept(c, TOK_SEMICOLON))
			continue;
		if (!specifiers(c, &s))
			return;
		if (is(c, TOK_SEMICOLON)) { /* anonymous struct or union, or only a definition */
			struct c_member m = {
				.name = "", .bits = -1, .type = s.type, .span = s.span
			};

			if (s.has_body && s.type->kind == TY_STRUCT && !s.type->name)
				add_member(c, to, &m);
			continue;
		}
		do
			member(c, to, &s);
		while (accept(c, TOK_COMMA));
		if (!is(c, TOK_RBRACE)) /* many scripts omit the last semicolon */
			expect(c, TOK_SEMICOLON, "\";\" after a member");
	}
}

static const char *tag_key(struct cdecl *c, const char *tag, const char *name)
{
	const char *key = arena_printf(c->arena, "%s %s", tag, name);

	return interns(c->lang->names, key);
}

static struct type *new_struct(struct cdecl *c, bool is_union, const char *name)
{
	struct type *t = arena_new(c->arena, struct type);

	t->kind = TY_STRUCT;
	t->is_union = is_union;
	t->name = name;
	t->align = 1;
	return t;
}

/* The struct of that name: of this script, of the kernel, or a new one without a body. */
static const struct type *named_struct(struct cdecl *c, bool is_union, const char *name)
{
	const char *key = tag_key(c, is_union ? "union" : "struct", name);
	const struct world *w = &c->lang->env->world;
	const struct type *t = hash_gets(&c->lang->types, key);
	struct type *made;

	if (!t && w->type)
		t = w->type(w->ctx, is_union ? 'u' : 's', name);
	if (t)
		return t;
	made = new_struct(c, is_union, name);
	hash_puts(&c->lang->types, key, made);
	return made;
}

/* The struct whose body follows; NULL if it already has one. */
static struct type *open_struct(struct cdecl *c, bool is_union, const char *name, struct span span)
{
	const char *word = is_union ? "union" : "struct";
	struct type *t;

	if (!name)
		return new_struct(c, is_union, NULL);
	t = hash_gets(&c->lang->types, tag_key(c, word, name));
	if (!t) {
		t = new_struct(c, is_union, name);
		hash_puts(&c->lang->types, tag_key(c, word, name), t);
	} else if (t->fields || t->size) {
		cdecl_error(c, span, D_C_REDEFINED, tag_key(c, word, name));
		return NULL;
	}
	return t;
}

static void struct_specifier(struct cdecl *c, struct c_spec *s)
{
	bool is_union = is(c, TOK_UNION);
	struct c_members list = { 0 };
	struct c_attrs attrs = { .pack = c->pack };
	const char *name = NULL;
	struct type *t;

	cdecl_advance(c);
	attributes(c, &attrs);
	if (token_is_name(&c->tok)) {
		name = c->tok.name;
		s->span = cdecl_span(c);
		cdecl_advance(c);
	}
	if (!is(c, TOK_LBRACE)) {
		if (!name)
			return expected(c, "a name or a body");
		s->type = named_struct(c, is_union, name);
		return;
	}
	s->has_body = true;
	s->type = t = open_struct(c, is_union, name, s->span);
	if (!t)
		return;
	cdecl_advance(c);
	members(c, &list);
	expect(c, TOK_RBRACE, "\"}\"");
	while (attributes(c, &attrs) || is_word(c, "__packed"))
		if (is_word(c, "__packed")) {
			attrs.packed = true;
			cdecl_advance(c);
		}
	if (!c->panic && !cdecl_lay_out(c->arena, t, &list, &attrs))
		cdecl_error(c, s->span, D_C_TOO_BIG);
}

/* ---- enum */

static void keep_enumerator(struct cdecl *c, const struct token *name, s64 value,
			    const struct type *t)
{
	struct node *n =
		node_new(c->arena, N_INT, (struct span){ c->src->base + name->off, name->len });
	const struct node *before;

	n->value = value;
	n->type = t;
	n->is_const = true;
	before = hash_puts(&c->lang->constants, name->name, n);
	if (before && before->type && before->type->kind == TY_ENUM)
		cdecl_error(c, n->span, D_C_REDEFINED, name->name);
}

static void enumerators(struct cdecl *c, struct type *t)
{
	VEC(struct enum_value) list = { 0 };
	s64 value = 0;
	bool is_wide = false;

	while (token_is_name(&c->tok)) {
		struct token name = c->tok;
		struct c_attrs unused = { 0 };

		cdecl_advance(c);
		attributes(c, &unused);
		if (accept(c, TOK_ASSIGN) && !constant(c, &value))
			return;
		keep_enumerator(c, &name, value, t);
		vec_push(c->arena, &list, (struct enum_value){ name.name, value });
		t->is_signed |= value < 0;
		is_wide |= value > UINT32_MAX || value < INT32_MIN;
		value = (s64)((u64)value + 1);
		if (!accept(c, TOK_COMMA))
			break;
	}
	t->enums = list.v;
	t->n_enums = list.n;
	t->size = t->align =
		is_wide ? 8 :
			  /* in structures; sizeof gives that of an integer: type_visible_size() */
			  4;
}

static struct type *new_enum(struct cdecl *c, const char *name)
{
	struct type *t = arena_new(c->arena, struct type);

	t->kind = TY_ENUM;
	t->name = name;
	t->size = t->align = 4;
	return t;
}

static void enum_specifier(struct cdecl *c, struct c_spec *s)
{
	const struct world *w = &c->lang->env->world;
	const char *name = NULL, *key = NULL;
	struct c_attrs unused = { 0 };
	struct type *t;

	cdecl_advance(c);
	attributes(c, &unused);
	if (token_is_name(&c->tok)) {
		name = c->tok.name;
		key = tag_key(c, "enum", name);
		s->span = cdecl_span(c);
		cdecl_advance(c);
	}
	if (!is(c, TOK_LBRACE)) {
		if (!name)
			return expected(c, "a name or a body");
		s->type = hash_gets(&c->lang->types, key);
		if (!s->type && w->type)
			s->type = w->type(w->ctx, 'e', name);
		if (!s->type)
			s->type = new_enum(c, name);
		return;
	}
	cdecl_advance(c);
	s->has_body = true;
	s->type = t = new_enum(c, name);
	if (key && hash_puts(&c->lang->types, key, t))
		cdecl_error(c, s->span, D_C_REDEFINED, key);
	enumerators(c, t);
	expect(c, TOK_RBRACE, "\"}\" after the enumerators");
	attributes(c, &unused);
}

/* ---- words and names */

struct words {
	u32 n_void, n_char, n_short, n_int, n_long, n_unsigned, n_signed, n_float, n_double, n_bool;
	u32 n_int128, any;
};

static u32 *counter(struct words *w, const struct cdecl *c)
{
	const struct {
		const char *text;
		u32 *n;
	} rows[] = {
		{ "void", &w->n_void },       { "char", &w->n_char },
		{ "short", &w->n_short },     { "int", &w->n_int },
		{ "long", &w->n_long },       { "unsigned", &w->n_unsigned },
		{ "signed", &w->n_signed },   { "__signed__", &w->n_signed },
		{ "float", &w->n_float },     { "double", &w->n_double },
		{ "bool", &w->n_bool },       { "_Bool", &w->n_bool },
		{ "__int128", &w->n_int128 },
	};

	for (u32 i = 0; is(c, TOK_IDENT) && i < ARRAY_SIZE(rows); i++)
		if (streq(rows[i].text, c->tok.name))
			return rows[i].n;
	return NULL;
}

static const struct type *words_type(struct cdecl *c, const struct words *w)
{
	bool is_signed = !w->n_unsigned;

	if (w->n_void)
		return &ty_void;
	if (w->n_bool)
		return &ty_bool;
	if (w->n_float || (w->n_double && !w->n_long))
		return w->n_float ? &ty_f32 : &ty_f64;
	if (w->n_int128 || w->n_double) { /* 16 bytes that cannot be used */
		struct type *t = arena_dup(c->arena, type_array(c->arena, &ty_u64, 2), sizeof *t);

		t->align = 16;
		return t;
	}
	if (w->n_char)
		return w->n_unsigned || w->n_signed ? type_int(1, is_signed) : &c_char;
	if (w->n_short)
		return type_int(2, is_signed);
	return type_int(w->n_long ? 8 : 4, is_signed);
}

/* __u32 u32 uint32_t s32 int32 __be32 ... */
static const struct type *sized_integer(const char *name)
{
	static const struct {
		const char *prefix;
		bool is_signed;
	} rows[] = {
		{ "uint", false }, { "u_int", false }, { "int", true }, { "u", false },
		{ "s", true },     { "le", false },    { "be", false },
	};
	static const char *const widths[] = { "8", "16", "32", "64" };

	while (*name == '_')
		name++;
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *rest = name + strlen(rows[i].prefix);

		for (u32 w = 0; starts_with(name, rows[i].prefix) && w < ARRAY_SIZE(widths); w++) {
			const char *end = rest + strlen(widths[w]);

			if (starts_with(rest, widths[w]) && (!*end || streq(end, "_t")))
				return type_int(1u << w, rows[i].is_signed);
		}
	}
	return NULL;
}

/* Names of integers that need no header. */
static const struct type *known_integer(const char *name)
{
	static const struct {
		const char *name;
		u8 size;
		bool is_signed;
	} rows[] = {
		{ "size_t", 8, false },      { "ssize_t", 8, true },    { "off_t", 8, true },
		{ "loff_t", 8, true },       { "uintptr_t", 8, false }, { "intptr_t", 8, true },
		{ "ptrdiff_t", 8, true },    { "pid_t", 4, true },      { "uid_t", 4, false },
		{ "gid_t", 4, false },       { "dev_t", 4, false },     { "umode_t", 2, false },
		{ "mode_t", 4, false },      { "time_t", 8, true },     { "sector_t", 8, false },
		{ "gfp_t", 4, false },       { "ino_t", 8, false },     { "socklen_t", 4, false },
		{ "sa_family_t", 2, false }, { "ushort", 2, false },    { "uint", 4, false },
		{ "ulong", 8, false },       { "uchar", 1, false },     { "u_int", 4, false },
		{ "u_char", 1, false },      { "u_short", 2, false },   { "u_long", 8, false },
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if (streq(rows[i].name, name))
			return type_int(rows[i].size, rows[i].is_signed);
	return sized_integer(name);
}

static const struct type *named_type(struct cdecl *c, const char *name)
{
	const struct world *w = &c->lang->env->world;
	const struct type *t = hash_gets(&c->lang->types, name);

	if (!t)
		t = known_integer(name);
	if (!t && w->type)
		t = w->type(w->ctx, 0, name);
	return t;
}

static bool name_specifier(struct cdecl *c, struct c_spec *s)
{
	s->type = named_type(c, c->tok.name);
	if (!s->type) {
		cdecl_error(c, cdecl_span(c), D_C_UNKNOWN_TYPE, c->tok.name);
		return false;
	}
	cdecl_advance(c);
	return true;
}

/* One specifier; false if the token is none. */
static bool specifier(struct cdecl *c, struct c_spec *s, struct words *w)
{
	u32 *n;

	if (qualifier(c, s))
		return true;
	n = counter(w, c);
	if (n) {
		++*n;
		w->any++;
		cdecl_advance(c);
		return true;
	}
	if (s->type || w->any)
		return false;
	if (is(c, TOK_STRUCT) || is(c, TOK_UNION))
		struct_specifier(c, s);
	else if (is(c, TOK_ENUM))
		enum_specifier(c, s);
	else if (is(c, TOK_IDENT))
		return name_specifier(c, s);
	else
		return false;
	return true;
}

/* All specifiers of a declaration; false (reported) if there is no type. */
static bool specifiers(struct cdecl *c, struct c_spec *s)
{
	struct words w = { 0 };

	if (++c->depth > MAX_TYPES_DEEP)
		cdecl_error(c, cdecl_span(c), D_TOO_DEEP, MAX_TYPES_DEEP);
	while (!c->panic && specifier(c, s, &w))
		;
	c->depth--;
	if (w.any)
		s->type = words_type(c, &w);
	if (!s->type && !c->panic)
		expected(c, "a type");
	return s->type && !c->panic;
}

/* ---- declarations */

static void keep_typedef(struct cdecl *c, const struct token *name, const struct type *t)
{
	struct type *own;

	if (!name->name)
		return expected(c, "the typedef's name");
	own = hash_gets(&c->lang->types, name->name);
	if (own && !type_equal(own, t)) {
		cdecl_error(c, (struct span){ c->src->base + name->off, name->len }, D_C_REDEFINED,
			    name->name);
		return;
	}
	own = arena_dup(c->arena, t, sizeof *t);
	if (t->kind == TY_STRUCT && (t->name || t->complete || !t->size)) {
		union { /* the table holds pointers to non-const; types are only read */
			const struct type *t;
			void *value;
		} u = { t };

		hash_puts(&c->lang->types, name->name, u.value);
		return;
	}
	if ((t->kind == TY_STRUCT || t->kind == TY_ENUM) && !t->name)
		own->name = name->name;
	hash_puts(&c->lang->types, name->name, own);
}

static void declare(struct cdecl *c, const struct c_spec *spec)
{
	do {
		struct c_spec s = *spec;
		struct token name = { .off = c->tok.off };
		const struct type *t = declarator(c, s.type, &s, &name, 0);

		if (spec->is_typedef && !c->panic)
			keep_typedef(c, &name, t);
		if (accept(c, TOK_ASSIGN)) /* a variable: ignored */
			while (!closes(c) && !c->panic)
				cdecl_advance(c);
	} while (accept(c, TOK_COMMA));
}

/* Skips a declaration that is not understood. */
static void give_up(struct cdecl *c)
{
	u32 depth = 0;

	c->panic = false;
	if (!c->foreign) { /* one message for each error */
		c->lx.pos = c->lx.end;
		return;
	}
	c->lx.quiet = true;
	for (lex_next(&c->lx, &c->tok); !is(c, TOK_EOF); lex_next(&c->lx, &c->tok)) {
		depth += is(c, TOK_LBRACE);
		if (is(c, TOK_RBRACE) && depth)
			depth--;
		if (!depth && (is(c, TOK_SEMICOLON) || is(c, TOK_RBRACE)))
			break;
	}
}

void cdecl_declaration(struct cdecl *c)
{
	struct c_spec s = { 0 };

	cdecl_advance(c);
	if (is(c, TOK_SEMICOLON) || is(c, TOK_EOF))
		return;
	if (specifiers(c, &s) && !is(c, TOK_SEMICOLON) && !is(c, TOK_EOF))
		declare(c, &s);
	if (!c->panic && is(c, TOK_LBRACE)) { /* a function's body */
		cdecl_advance(c);
		skip_to_close(c);
		c->lx.pos = c->tok.off;
		return;
	}
	if (!c->panic && !is(c, TOK_SEMICOLON) && !is(c, TOK_EOF))
		expected(c, "\";\"");
	if (c->panic)
		give_up(c);
}
