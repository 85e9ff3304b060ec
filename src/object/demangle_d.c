/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The D symbol demangler. Input: "_D3app3runFiZv" (D language specification, "Application Binary
 * Interface", "Name Mangling"); output: "app.run(int)". Attributes and results of functions are
 * omitted.
 *
 * The text comes from untrusted files: nesting, steps and length are bounded, and invalid text is
 * not demangled.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "object/demangle.h"

enum {
	MAX_DEPTH = 128,
	MAX_TEXT = 16384,
	MAX_STEPS = 65536, /* back references of back references grow exponentially */
};

struct d {
	const char *text;
	u32 at, len, depth, steps;
	bool bad;
	const char *of; /* prefix of an artificial symbol, for example "vtable for " */
	struct buf *out;
};

static char peek(const struct d *d)
{
	return d->at < d->len ? d->text[d->at] : '\0';
}

static char peek_next(const struct d *d)
{
	return d->at + 1 < d->len ? d->text[d->at + 1] : '\0';
}

static bool eat(struct d *d, const char *word)
{
	size_t n = strlen(word);

	if (d->len - d->at < n || memcmp(d->text + d->at, word, n) != 0)
		return false;
	d->at += (u32)n;
	return true;
}

static void show_bytes(struct d *d, const char *s, size_t len)
{
	if (d->out->len + len > MAX_TEXT)
		d->bad = true;
	else
		buf_add(d->out, s, len);
}

static void show(struct d *d, const char *s)
{
	show_bytes(d, s, strlen(s));
}

static bool deeper(struct d *d)
{
	if (++d->depth > MAX_DEPTH || ++d->steps > MAX_STEPS)
		d->bad = true;
	return !d->bad;
}

static u32 number(struct d *d)
{
	u64 n = 0;

	if (!isdigit((u8)peek(d)))
		d->bad = true;
	for (; isdigit((u8)peek(d)) && n <= UINT32_MAX; d->at++)
		n = n * 10 + (u64)(peek(d) - '0');
	if (n > UINT32_MAX)
		d->bad = true;
	return d->bad ? 0 : (u32)n;
}

/* Digits in base 26, the last one in lower case: the distance from the 'Q' at *at back to a
 * position. */
static bool back_place(const struct d *d, u32 *at, u32 *to)
{
	u32 q = *at, i = q + 1;
	u64 n = 0;

	for (; i < d->len && isupper((u8)d->text[i]) && n < d->len; i++)
		n = n * 26 + (u64)(d->text[i] - 'A');
	if (i >= d->len || !islower((u8)d->text[i]))
		return false;
	n = n * 26 + (u64)(d->text[i] - 'a');
	*at = i + 1;
	*to = q - (u32)n;
	return n && n <= q;
}

/* The earlier part is parsed once more, at its position. */
static void backref(struct d *d, void (*read)(struct d *d))
{
	u32 to, end = d->at;

	if (!back_place(d, &end, &to) || !deeper(d)) {
		d->bad = true;
		return;
	}
	d->at = to;
	read(d);
	d->at = end;
	d->depth--;
}

static void type(struct d *d);
static void qualified(struct d *d, bool suffix);
static void symbol(struct d *d);
static void value(struct d *d, char kind, const char *name);

/* Parses into a buffer of its own; the caller releases it. */
static struct buf aside(struct d *d, void (*read)(struct d *d))
{
	struct buf own = { 0 }, *was = d->out;

	d->out = &own;
	read(d);
	d->out = was;
	buf_puts(&own, "");
	return own;
}

/* ---- values of template arguments */

static void digits(struct d *d, bool hex)
{
	u32 from = d->at;

	while (hex ? isxdigit((u8)peek(d)) : isdigit((u8)peek(d)))
		d->at++;
	if (d->at == from)
		d->bad = true;
	show_bytes(d, d->text + from, d->at - from);
}

static void character(struct d *d, char kind, u32 c)
{
	struct buf text = { 0 };

	if (c >= 32 && c < 127 && c != '\'')
		buf_printf(&text, "'%c'", (int)c);
	else if (kind == 'a')
		buf_printf(&text, "'\\x%02x'", c);
	else
		buf_printf(&text, kind == 'u' ? "'\\u%04x'" : "'\\U%08x'", c);
	show(d, text.s);
	buf_release(&text);
}

static void integer(struct d *d, char kind)
{
	if (kind == 'a' || kind == 'u' || kind == 'w') {
		character(d, kind, number(d));
	} else if (kind == 'b') {
		show(d, number(d) ? "true" : "false");
	} else {
		digits(d, false);
		show(d, kind == 'm'                 ? "uL" :
			kind == 'l'                 ? "L" :
			kind && strchr("htk", kind) ? "u" :
						      "");
	}
}

static void real(struct d *d)
{
	if (eat(d, "NAN") || eat(d, "INF") || eat(d, "NINF")) {
		const char *s = d->text + d->at;

		show(d, s[-1] == 'N' ? "NaN" : s[-4] == 'N' && s[-3] == 'I' ? "-Inf" : "Inf");
		return;
	}
	show(d, eat(d, "N") ? "-0x" : "0x");
	if (!isxdigit((u8)peek(d)))
		d->bad = true;
	show_bytes(d, d->text + d->at, d->bad ? 0 : 1);
	d->at++;
	show(d, ".");
	digits(d, true);
	if (!eat(d, "P"))
		d->bad = true;
	show(d, eat(d, "N") ? "p-" : "p");
	digits(d, false);
}

static u8 hex_byte(struct d *d)
{
	char two[3] = { peek(d), peek_next(d), '\0' };

	if (!isxdigit((u8)two[0]) || !isxdigit((u8)two[1])) {
		d->bad = true;
		return 0;
	}
	d->at += 2;
	return (u8)strtoul(two, NULL, 16);
}

static void string_byte(struct d *d, u8 c)
{
	static const char plain[] = "\t\n\r\f\v", named[] = "tnrfv";
	const char *p = c ? strchr(plain, c) : NULL;
	struct buf text = { 0 };

	if (p)
		buf_printf(&text, "\\%c", named[p - plain]);
	else
		buf_printf(&text, c >= 32 && c < 127 ? "%c" : "\\x%02x", c);
	show(d, text.s);
	buf_release(&text);
}

static void string(struct d *d)
{
	char kind = peek(d);
	u32 n;

	d->at++;
	n = number(d);
	if (!eat(d, "_"))
		d->bad = true;
	show(d, "\"");
	for (u32 i = 0; i < n && !d->bad; i++)
		string_byte(d, hex_byte(d));
	show(d, "\"");
	show_bytes(d, &kind, kind != 'a');
}

/* Array "[a, b]", associative array "[k:v]", structure "Name(a, b)". */
static void values(struct d *d, const char *open, const char *close, bool pairs)
{
	u32 n = number(d);

	show(d, open);
	for (u32 i = 0; i < n && !d->bad; i++) {
		show(d, i ? ", " : "");
		value(d, '\0', NULL);
		if (pairs) {
			show(d, ":");
			value(d, '\0', NULL);
		}
	}
	show(d, close);
}

static void one_value(struct d *d, char kind, const char *name)
{
	if (isdigit((u8)peek(d)) || eat(d, "i")) {
		integer(d, kind);
	} else if (eat(d, "n")) {
		show(d, "null");
	} else if (eat(d, "N")) {
		show(d, "-");
		integer(d, kind);
	} else if (eat(d, "e")) {
		real(d);
	} else if (eat(d, "c")) {
		real(d);
		show(d, "+");
		if (!eat(d, "c"))
			d->bad = true;
		real(d);
		show(d, "i");
	} else if (peek(d) && strchr("awd", peek(d))) {
		string(d);
	} else if (eat(d, "A")) {
		values(d, "[", "]", kind == 'H');
	} else if (eat(d, "S")) {
		show(d, name ? name : "");
		values(d, "(", ")", false);
	} else if (eat(d, "f_D")) {
		symbol(d);
	} else {
		d->bad = true;
	}
}

static void value(struct d *d, char kind, const char *name)
{
	if (deeper(d))
		one_value(d, kind, name);
	d->depth--;
}

/* ---- names */

static bool symbol_follows(const struct d *d)
{
	u32 at = d->at, to;
	char c = peek(d);

	if (c == 'Q')
		return back_place(d, &at, &to) && isdigit((u8)d->text[to]);
	if (c != '_')
		return isdigit((u8)c);
	return d->len - at > 3 && d->text[at + 1] == '_' &&
	       (d->text[at + 2] == 'T' || d->text[at + 2] == 'U');
}

static void template_value(struct d *d)
{
	u32 at = d->at, to;
	char kind = peek(d);
	struct buf name;

	if (kind == 'Q' && back_place(d, &at, &to))
		kind = d->text[to];
	name = aside(d, type);
	value(d, kind, name.s);
	buf_release(&name);
}

/* A name in another language's mangling. */
static void foreign(struct d *d)
{
	u32 n = number(d);

	if (n > d->len - d->at)
		d->bad = true;
	if (d->bad)
		return;
	show_bytes(d, d->text + d->at, n);
	d->at += n;
}

static void template_arg(struct d *d)
{
	eat(d, "H"); /* a specialized parameter */
	if (eat(d, "T"))
		type(d);
	else if (eat(d, "V"))
		template_value(d);
	else if (eat(d, "X"))
		foreign(d);
	else if (!eat(d, "S"))
		d->bad = true;
	else if (eat(d, "_D"))
		symbol(d);
	else
		qualified(d, false);
}

static void identifier(struct d *d);

static void template_name(struct d *d)
{
	bool first = true;

	d->at += 3; /* "__T", "__U" */
	identifier(d);
	show(d, "!(");
	for (; !d->bad && !eat(d, "Z"); first = false) {
		show(d, first ? "" : ", ");
		template_arg(d);
	}
	show(d, ")");
}

/* The compiler's names of constructors and of a type's or a module's data. */
static bool special(struct d *d, const char *s, u32 len)
{
	static const struct {
		const char *name, *next, *text, *of;
	} names[] = {
		{ "__ctor", "", "this", NULL },
		{ "__dtor", "", "~this", NULL },
		{ "__postblit", "MFZ", "this(this)", NULL },
		{ "__init", "Z", "", "initializer for " },
		{ "__vtbl", "Z", "", "vtable for " },
		{ "__Class", "Z", "", "ClassInfo for " },
		{ "__Interface", "Z", "", "Interface for " },
		{ "__ModuleInfo", "Z", "", "ModuleInfo for " },
	};

	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		size_t next = strlen(names[i].next);

		if (strlen(names[i].name) != len || memcmp(names[i].name, s, len) != 0 ||
		    strncmp(s + len, names[i].next, next) != 0)
			continue;
		if (names[i].of) {
			d->of = names[i].of;
			if (d->out->len) /* the dot */
				d->out->s[--d->out->len] = '\0';
		} else {
			d->at += (u32)next;
		}
		show(d, names[i].text);
		return true;
	}
	return false;
}

/* "__S12": a scope that the compiler adds to distinguish local names. */
static bool is_scope(const char *s, u32 len)
{
	u32 i = 3;

	while (i < len && isdigit((u8)s[i]))
		i++;
	return len > 3 && memcmp(s, "__S", 3) == 0 && i == len;
}

static void plain_name(struct d *d)
{
	u32 len = number(d), from = d->at;
	const char *s = d->text + from;

	if (!len || len > d->len - d->at)
		d->bad = true;
	if (d->bad)
		return;
	if (len > 4 && s[0] == '_' && s[1] == '_' && (s[2] == 'T' || s[2] == 'U')) {
		template_name(d); /* with its length, as compilers before 2.077 write it */
		d->bad |= d->at != from + len;
		return;
	}
	d->at += len;
	if (is_scope(s, len))
		identifier(d);
	else if (!special(d, s, len))
		show_bytes(d, s, len);
}

static void identifier(struct d *d)
{
	if (!deeper(d) || !symbol_follows(d))
		d->bad = true;
	else if (peek(d) == 'Q')
		backref(d, plain_name);
	else if (peek(d) == '_')
		template_name(d);
	else
		plain_name(d);
	d->depth--;
}

/* ---- functions */

struct letters {
	const char *code, *text;
};

/* The text of one code of the list, or NULL. */
static const char *take(struct d *d, const struct letters *list, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (eat(d, list[i].code))
			return list[i].text;
	return NULL;
}

static const struct letters conventions[] = {
	{ "F", "" },
	{ "U", "extern(C) " },
	{ "W", "extern(Windows) " },
	{ "V", "extern(Pascal) " },
	{ "R", "extern(C++) " },
	{ "Y", "extern(Objective-C) " },
};

static bool function_follows(const struct d *d)
{
	return peek(d) && strchr("FUWVRY", peek(d));
}

static void attributes(struct d *d)
{
	static const struct letters list[] = {
		{ "Na", "pure " },      { "Nb", "nothrow " },  { "Nc", "ref " },
		{ "Nd", "@property " }, { "Ne", "@trusted " }, { "Nf", "@safe " },
		{ "Ni", "@nogc " },     { "Nj", "return " },   { "Nl", "scope " },
		{ "Nm", "@live " },
	};
	const char *text;

	while ((text = take(d, list, ARRAY_SIZE(list))))
		show(d, text);
}

static void modifiers(struct d *d)
{
	static const struct letters list[] = {
		{ "x", " const" },
		{ "y", " immutable" },
		{ "O", " shared" },
		{ "Ng", " inout" },
	};
	const char *text;

	while ((text = take(d, list, ARRAY_SIZE(list))))
		show(d, text);
}

static void parameter(struct d *d)
{
	static const struct letters list[] = {
		{ "M", "scope " }, { "Nk", "return " }, { "I", "in " },
		{ "J", "out " },   { "K", "ref " },     { "L", "lazy " },
	};
	const char *text;

	while ((text = take(d, list, ARRAY_SIZE(list))))
		show(d, text);
	type(d);
}

static void parameters(struct d *d)
{
	bool first = true;

	show(d, "(");
	for (; !d->bad; first = false) {
		if (eat(d, "Z"))
			break;
		if (eat(d, "X")) {
			show(d, "...");
			break;
		}
		show(d, first ? "" : ", ");
		if (eat(d, "Y")) {
			show(d, "...");
			break;
		}
		parameter(d);
	}
	show(d, ")");
}

static void function_type(struct d *d)
{
	const char *convention = take(d, conventions, ARRAY_SIZE(conventions));
	struct buf attrs = aside(d, attributes), args = aside(d, parameters);

	show(d, convention ? convention : "");
	type(d);
	show(d, args.s);
	show(d, " ");
	show(d, attrs.s);
	buf_release(&args);
	buf_release(&attrs);
}

/*
 * The parameters of a function in a qualified name. A result, or the name of something inside the
 * function, follows; otherwise the letters are the type of a variable and are not consumed.
 */
static void name_parameters(struct d *d, bool suffix)
{
	struct d start = *d;
	size_t len = d->out->len;
	struct buf mods = { 0 }, attrs;

	if (eat(d, "M"))
		mods = aside(d, modifiers);
	if (take(d, conventions, ARRAY_SIZE(conventions))) {
		attrs = aside(d, attributes);
		buf_release(&attrs);
		parameters(d);
	} else {
		d->bad = true;
	}
	if (suffix && mods.len)
		show(d, mods.s);
	buf_release(&mods);
	if (!d->bad && peek(d))
		return;
	start.steps = d->steps;
	*d = start;
	d->out->len = len;
	d->out->s[len] = '\0';
}

/* `suffix`: with the modifiers of methods, "S.get() const". */
static void qualified(struct d *d, bool suffix)
{
	size_t from = d->out->len;

	if (!deeper(d))
		return;
	do {
		if (eat(d, "0")) /* a scope without name */
			continue;
		show(d, d->out->len > from ? "." : "");
		identifier(d);
		if (!d->bad && (peek(d) == 'M' || function_follows(d)))
			name_parameters(d, suffix);
	} while (!d->bad && symbol_follows(d));
	d->depth--;
}

/* Parses what follows "_D"; the type is parsed but not shown. */
static void symbol(struct d *d)
{
	struct buf unused;

	qualified(d, true);
	if (d->bad || eat(d, "Z"))
		return;
	unused = aside(d, type);
	buf_release(&unused);
}

/* ---- types */

static void wrapped(struct d *d, const char *open, const char *close)
{
	show(d, open);
	type(d);
	show(d, close);
}

static void static_array(struct d *d)
{
	struct buf n = { 0 };

	buf_printf(&n, "[%u]", number(d));
	wrapped(d, "", n.s);
	buf_release(&n);
}

static void map_type(struct d *d)
{
	struct buf key = aside(d, type);

	wrapped(d, "", "[");
	show(d, key.s);
	show(d, "]");
	buf_release(&key);
}

static void tuple(struct d *d)
{
	u32 n = number(d);

	show(d, "Tuple!(");
	for (u32 i = 0; i < n && !d->bad; i++) {
		show(d, i ? ", " : "");
		type(d);
	}
	show(d, ")");
}

static void named_function_type(struct d *d)
{
	function_type(d);
	show(d, "function");
}

static void delegate(struct d *d)
{
	struct buf mods = aside(d, modifiers);

	if (peek(d) == 'Q')
		backref(d, function_type);
	else
		function_type(d);
	show(d, "delegate");
	show(d, mods.s);
	buf_release(&mods);
}

static bool simple_type(struct d *d)
{
	static const struct letters list[] = {
		{ "v", "void" },         { "g", "byte" },      { "h", "ubyte" },
		{ "s", "short" },        { "t", "ushort" },    { "i", "int" },
		{ "k", "uint" },         { "l", "long" },      { "m", "ulong" },
		{ "zi", "cent" },        { "zk", "ucent" },    { "f", "float" },
		{ "d", "double" },       { "e", "real" },      { "o", "ifloat" },
		{ "p", "idouble" },      { "j", "ireal" },     { "q", "cfloat" },
		{ "r", "cdouble" },      { "c", "creal" },     { "b", "bool" },
		{ "a", "char" },         { "u", "wchar" },     { "w", "dchar" },
		{ "n", "typeof(null)" }, { "Nn", "noreturn" },
	};
	const char *text = take(d, list, ARRAY_SIZE(list));

	if (text)
		show(d, text);
	return text;
}

static void compound_type(struct d *d)
{
	static const struct {
		const char *code, *open, *close;
	} wraps[] = {
		{ "x", "const(", ")" },  { "y", "immutable(", ")" }, { "O", "shared(", ")" },
		{ "Ng", "inout(", ")" }, { "Nh", "__vector(", ")" }, { "A", "", "[]" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(wraps); i++)
		if (eat(d, wraps[i].code)) {
			wrapped(d, wraps[i].open, wraps[i].close);
			return;
		}
	if (peek(d) == 'Q')
		backref(d, type);
	else if (eat(d, "G"))
		static_array(d);
	else if (eat(d, "H"))
		map_type(d);
	else if (eat(d, "P") && !function_follows(d))
		wrapped(d, "", "*");
	else if (eat(d, "D"))
		delegate(d);
	else if (eat(d, "B"))
		tuple(d);
	else if (function_follows(d)) /* with or without 'P' */
		named_function_type(d);
	else if (eat(d, "C") || eat(d, "S") || eat(d, "E") || eat(d, "T") || eat(d, "I"))
		qualified(d, false);
	else
		d->bad = true;
}

static void type(struct d *d)
{
	if (deeper(d) && !simple_type(d))
		compound_type(d);
	d->depth--;
}

char *demangle_d(const char *name)
{
	struct buf out = { 0 }, all = { 0 };
	struct d d = { .text = name, .at = 2, .len = (u32)strnlen(name, MAX_TEXT), .out = &out };

	if (strcmp(name, "_Dmain") == 0)
		return strdup("D main");
	if (!starts_with(name, "_D"))
		return NULL;
	buf_puts(&out, "");
	symbol(&d);
	if (!d.bad && d.at == d.len && !name[d.len] && out.len) {
		buf_puts(&all, d.of ? d.of : "");
		buf_add(&all, out.s, out.len);
	}
	buf_release(&out);
	return all.len ? buf_steal(&all) : (buf_release(&all), NULL);
}
