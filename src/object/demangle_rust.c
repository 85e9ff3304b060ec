/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Rust symbol demangler. Input: "_RNvCs1_5crate4func" (v0: RFC 2603, rustc's book, "v0 Symbol
 * Format") or "_ZN5crate4func17h0123456789abcdefE" (legacy: length and bytes of each part, the last
 * a hash); output: "crate::func". Hashes that distinguish versions of a crate are omitted.
 *
 * The text comes from untrusted files: nesting and length are bounded, and invalid text is not
 * demangled.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "object/demangle.h"

enum {
	MAX_DEPTH = 128,
	MAX_TEXT = 8192,
	HASH_LEN = 17, /* "h" and 16 digits */
};

/* ---- legacy */

static bool is_hash(const char *s)
{
	return s[0] == 'h' && strspn(s + 1, "0123456789abcdef") >= HASH_LEN - 1;
}

/* "$LT$" etc.; returns the number of characters consumed, 0: no escape. */
static u32 escape(const char *s, u32 len, struct buf *out)
{
	static const struct {
		const char *code, *text;
	} codes[] = {
		{ "$LT$", "<" }, { "$GT$", ">" }, { "$RF$", "&" }, { "$BP$", "*" },
		{ "$LP$", "(" }, { "$RP$", ")" }, { "$C$", "," },  { "$SP$", "@" },
	};
	char *end;
	unsigned long c;

	for (u32 i = 0; i < ARRAY_SIZE(codes); i++)
		if (strlen(codes[i].code) <= len && starts_with(s, codes[i].code)) {
			buf_puts(out, codes[i].text);
			return (u32)strlen(codes[i].code);
		}
	if (len < 4 || s[1] != 'u' || !isxdigit((u8)s[2]))
		return 0;
	c = strtoul(s + 2, &end, 16);
	if (*end != '$' || end >= s + len || c < 32 || c > 126)
		return 0;
	buf_putc(out, (char)c);
	return (u32)(end + 1 - s);
}

static void legacy_part(const char *s, u32 len, struct buf *out)
{
	if (len > 1 && s[0] == '_' && s[1] == '$')
		s++, len--;
	while (len) {
		u32 n = s[0] == '$' ? escape(s, len, out) : 0;

		if (!n && len > 1 && s[0] == '.' && s[1] == '.') {
			buf_puts(out, "::");
			n = 2;
		} else if (!n) {
			buf_putc(out, *s);
			n = 1;
		}
		s += n;
		len -= n;
	}
}

static bool legacy(const char *s, struct buf *out)
{
	bool first = true, hashed = false;

	for (s += strlen("_ZN"); isdigit((u8)*s);) {
		char *at;
		unsigned long len = strtoul(s, &at, 10);

		if (!len || strnlen(at, len) < len)
			return false;
		s = at + len;
		if (len == HASH_LEN && *s == 'E' && is_hash(at)) {
			hashed = true;
			break;
		}
		buf_puts(out, first ? "" : "::");
		legacy_part(at, (u32)len, out);
		first = false;
	}
	return hashed && !first && *s == 'E' && (!s[1] || s[1] == '.');
}

/* ---- v0 */

struct v0 {
	const char *text; /* after "_R" */
	u32 at, len, depth;
	bool bad, quiet; /* quiet: parse without output */
	struct buf *out;
};

static char peek(const struct v0 *v)
{
	return v->at < v->len ? v->text[v->at] : '\0';
}

static bool eat(struct v0 *v, char c)
{
	if (peek(v) != c || !c)
		return false;
	v->at++;
	return true;
}

static void show(struct v0 *v, const char *s)
{
	if (v->out->len > MAX_TEXT)
		v->bad = true;
	else if (!v->quiet)
		buf_puts(v->out, s);
}

static void show_bytes(struct v0 *v, const char *s, u32 len)
{
	if (v->out->len > MAX_TEXT)
		v->bad = true;
	else if (!v->quiet)
		buf_add(v->out, s, len);
}

/* "_" is 0, "0_" is 1, "1_" is 2 ... */
static u64 base62(struct v0 *v)
{
	u64 n = 0;

	if (eat(v, '_'))
		return 0;
	for (; !v->bad && !eat(v, '_'); v->at++) {
		char c = peek(v);

		if (isdigit((u8)c))
			n = n * 62 + (u64)(c - '0');
		else if (islower((u8)c))
			n = n * 62 + 10 + (u64)(c - 'a');
		else if (isupper((u8)c))
			n = n * 62 + 36 + (u64)(c - 'A');
		else
			v->bad = true;
	}
	return n + 1;
}

static u64 disambiguator(struct v0 *v)
{
	return eat(v, 's') ? base62(v) + 1 : 0;
}

/* [u] length [_] bytes; *bytes points into the text. */
static const char *identifier(struct v0 *v, u32 *len, bool *punycode)
{
	const char *s;
	u32 n = 0;

	*punycode = eat(v, 'u');
	if (!isdigit((u8)peek(v)))
		v->bad = true;
	if (!eat(v, '0'))
		for (; isdigit((u8)peek(v)) && n < MAX_TEXT; v->at++)
			n = n * 10 + (u32)(peek(v) - '0');
	eat(v, '_');
	if (n > v->len - v->at)
		v->bad = true;
	*len = v->bad ? 0 : n;
	s = v->text + v->at;
	v->at += *len;
	return s;
}

static void show_identifier(struct v0 *v, const char *s, u32 len, bool punycode)
{
	show(v, punycode ? "punycode{" : "");
	show_bytes(v, s, len);
	show(v, punycode ? "}" : "");
}

static void path(struct v0 *v, bool in_value);
static void type(struct v0 *v);

static bool deeper(struct v0 *v)
{
	if (++v->depth > MAX_DEPTH)
		v->bad = true;
	return !v->bad;
}

/* A backreference: the earlier part is parsed once more, at its position. */
static void backref(struct v0 *v, void (*read)(struct v0 *v))
{
	u32 here = v->at - 1, back;
	u64 to = base62(v);

	if (to >= here) {
		v->bad = true;
		return;
	}
	if (v->quiet)
		return;
	back = v->at;
	v->at = (u32)to;
	read(v);
	v->at = back;
}

static void type_path(struct v0 *v)
{
	path(v, false);
}

static void value_path(struct v0 *v)
{
	path(v, true);
}

static void lifetime(struct v0 *v)
{
	if (base62(v) == 0)
		show(v, "'_");
	else
		show(v, "'a");
}

static void char_text(char *text, size_t room, u64 c)
{
	if (c >= 32 && c < 127)
		snprintf(text, room, "'%c'", (int)c);
	else
		snprintf(text, room, "'\\u{%llx}'", (unsigned long long)c);
}

static void constant(struct v0 *v)
{
	char kind = peek(v), text[24];
	const char *from;
	bool negative;
	u64 n = 0;

	if (eat(v, 'p')) {
		show(v, "_");
		return;
	}
	if (eat(v, 'B')) {
		backref(v, constant);
		return;
	}
	v->at++;
	negative = eat(v, 'n');
	for (from = v->text + v->at; isxdigit((u8)peek(v)) && !isupper((u8)peek(v)); v->at++)
		n = n * 16 + (u64)(isdigit((u8)peek(v)) ? peek(v) - '0' : peek(v) - 'a' + 10);
	if (!strchr("hmtyojaslxnibc", kind) || !kind || v->text + v->at - from > 16 ||
	    !eat(v, '_')) {
		v->bad = true;
		return;
	}
	if (kind == 'b')
		snprintf(text, sizeof text, "%s", n ? "true" : "false");
	else if (kind == 'c')
		char_text(text, sizeof text, n);
	else
		snprintf(text, sizeof text, "%s%llu", negative ? "-" : "", (unsigned long long)n);
	show(v, text);
}

static void generic_args(struct v0 *v)
{
	for (bool first = true; !v->bad && !eat(v, 'E'); first = false) {
		show(v, first ? "" : ", ");
		if (eat(v, 'L'))
			lifetime(v);
		else if (eat(v, 'K'))
			constant(v);
		else
			type(v);
	}
}

static void nested(struct v0 *v, bool in_value)
{
	char ns = peek(v), number[32];
	const char *s;
	bool punycode;
	u64 which;
	u32 len;

	if (!isalpha((u8)ns)) {
		v->bad = true;
		return;
	}
	v->at++;
	path(v, in_value);
	which = disambiguator(v);
	s = identifier(v, &len, &punycode);
	if (islower((u8)ns)) {
		show(v, len ? "::" : "");
		show_identifier(v, s, len, punycode);
		return;
	}
	show(v, ns == 'C' ? "::{closure" : ns == 'S' ? "::{shim" : "::{");
	show(v, len ? ":" : "");
	show_identifier(v, s, len, punycode);
	snprintf(number, sizeof number, "#%llu}", (unsigned long long)which);
	show(v, number);
}

/* The path of an impl block is not part of the name. */
static void skip_impl_path(struct v0 *v)
{
	bool was = v->quiet;

	v->quiet = true;
	disambiguator(v);
	path(v, false);
	v->quiet = was;
}

static void path(struct v0 *v, bool in_value)
{
	const char *s;
	bool punycode;
	char c = peek(v);
	u32 len;

	if (!deeper(v))
		return;
	v->at++;
	switch (c) {
	case 'C':
		disambiguator(v);
		s = identifier(v, &len, &punycode);
		show_identifier(v, s, len, punycode);
		break;
	case 'N': nested(v, in_value); break;
	case 'M':
	case 'X':
	case 'Y':
		if (c != 'Y')
			skip_impl_path(v);
		show(v, "<");
		type(v);
		if (c != 'M') {
			show(v, " as ");
			path(v, false);
		}
		show(v, ">");
		break;
	case 'I':
		path(v, in_value);
		show(v, in_value ? "::<" : "<");
		generic_args(v);
		show(v, ">");
		break;
	case 'B': backref(v, in_value ? value_path : type_path); break;
	default: v->bad = true; break;
	}
	v->depth--;
}

static const char *basic(char c)
{
	static const char *const names[26] = {
		"i8",    "bool", "char", "f64", "str",  "f32",  NULL,  "u8", "isize",
		"usize", NULL,   "i32",  "u32", "i128", "u128", "_",   NULL, NULL,
		"i16",   "u16",  "()",   "...", NULL,   "i64",  "u64", "!",
	};

	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

static void binder(struct v0 *v)
{
	if (eat(v, 'G'))
		base62(v);
}

static void function_type(struct v0 *v)
{
	const char *abi;
	bool punycode;
	u32 len;

	binder(v);
	show(v, eat(v, 'U') ? "unsafe " : "");
	if (eat(v, 'K')) {
		show(v, "extern \"");
		if (eat(v, 'C')) {
			show(v, "C");
		} else {
			abi = identifier(v, &len, &punycode);
			show_bytes(v, abi, len);
		}
		show(v, "\" ");
	}
	show(v, "fn(");
	for (bool first = true; !v->bad && !eat(v, 'E'); first = false) {
		show(v, first ? "" : ", ");
		type(v);
	}
	show(v, ")");
	if (eat(v, 'u'))
		return;
	show(v, " -> ");
	type(v);
}

/* A trait's path; its generics stay open for dyn's associated types. Returns whether they are. */
static bool open_path(struct v0 *v)
{
	u32 here = v->at, back;
	bool open;
	u64 to;

	if (eat(v, 'B')) {
		to = base62(v);
		if (to >= here || !deeper(v)) {
			v->bad = true;
			return false;
		}
		back = v->at;
		v->at = (u32)to;
		open = open_path(v);
		v->at = back;
		v->depth--;
		return open;
	}
	if (!eat(v, 'I')) {
		path(v, false);
		return false;
	}
	path(v, false);
	show(v, "<");
	generic_args(v);
	return true;
}

static void dyn_type(struct v0 *v)
{
	show(v, "dyn ");
	binder(v);
	for (bool first = true; !v->bad && !eat(v, 'E'); first = false) {
		bool open;

		show(v, first ? "" : " + ");
		open = open_path(v);
		while (eat(v, 'p')) {
			bool punycode;
			u32 len;
			const char *s = identifier(v, &len, &punycode);

			show(v, open ? ", " : "<");
			open = true;
			show_identifier(v, s, len, punycode);
			show(v, " = ");
			type(v);
		}
		show(v, open ? ">" : "");
	}
	if (!eat(v, 'L'))
		v->bad = true;
	base62(v);
}

static void tuple(struct v0 *v)
{
	u32 n = 0;

	show(v, "(");
	for (; !v->bad && !eat(v, 'E'); n++) {
		show(v, n ? ", " : "");
		type(v);
	}
	show(v, n == 1 ? ",)" : ")");
}

static void reference(struct v0 *v, const char *mutable)
{
	show(v, "&");
	if (eat(v, 'L') && base62(v))
		show(v, "'a ");
	show(v, mutable);
	type(v);
}

static void type(struct v0 *v)
{
	char c = peek(v);
	const char *name = basic(c);

	if (!deeper(v))
		return;
	v->at++;
	switch (c) {
	case 'A':
	case 'S':
		show(v, "[");
		type(v);
		if (c == 'A') {
			show(v, "; ");
			constant(v);
		}
		show(v, "]");
		break;
	case 'T': tuple(v); break;
	case 'R': reference(v, ""); break;
	case 'Q': reference(v, "mut "); break;
	case 'P':
	case 'O':
		show(v, c == 'P' ? "*const " : "*mut ");
		type(v);
		break;
	case 'F': function_type(v); break;
	case 'D': dyn_type(v); break;
	case 'B': backref(v, type); break;
	default:
		if (name) {
			show(v, name);
		} else {
			v->at--;
			path(v, false);
		}
	}
	v->depth--;
}

static bool v0_name(const char *s, struct buf *out)
{
	struct v0 v = { .text = s + 2, .len = (u32)strcspn(s + 2, "."), .out = out };

	if (isdigit((u8)peek(&v))) /* a future encoding version */
		return false;
	path(&v, true);
	if (!v.bad && v.at < v.len) { /* the instantiating crate */
		v.quiet = true;
		path(&v, false);
	}
	return !v.bad && v.at == v.len;
}

char *demangle_rust(const char *name)
{
	struct buf out = { 0 };
	bool good = false;

	if (strlen(name) < MAX_TEXT) {
		if (starts_with(name, "_ZN"))
			good = legacy(name, &out);
		else if (starts_with(name, "_R"))
			good = v0_name(name, &out);
	}
	if (good && out.len)
		return buf_steal(&out);
	buf_release(&out);
	return NULL;
}
