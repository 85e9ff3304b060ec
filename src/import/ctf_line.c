/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/ctf_line.h"
#include "base/buf.h"

enum { DEPTH_MOST = 8, LIST_MOST = 4096 };

struct reader {
	const char *at, *end;
	struct arena *arena;
	u32 depth;
};

static bool take(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
		return false;
	r->at += n;
	return true;
}

static void pass_blanks(struct reader *r)
{
	while (r->at < r->end && *r->at == ' ')
		r->at++;
}

/* Up to one of the characters. */
static const char *take_until(struct reader *r, const char *stops)
{
	const char *begin = r->at;

	while (r->at < r->end && !strchr(stops, *r->at))
		r->at++;
	return arena_strndup(r->arena, begin, (size_t)(r->at - begin));
}

/* ---- values */

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 :
				      -1;
}

/* "-12", "0xFFFF", "0755", "0b101": all but the decimal ones by their prefix. */
static bool read_number(struct reader *r, u64 *n)
{
	bool is_negative = take(r, "-");
	u32 base = take(r, "0x") ? 16 : take(r, "0b") ? 2 : 10;
	const char *begin = r->at;

	if (base == 10 && r->end - begin > 1 && *begin == '0' && hex_digit(begin[1]) >= 0)
		base = 8;
	for (*n = 0; r->at < r->end; r->at++) {
		int digit = hex_digit(*r->at);

		if (digit < 0 || (u32)digit >= base)
			break;
		*n = *n * base + (u32)digit;
	}
	*n = is_negative ? -*n : *n;
	return r->at > begin;
}

/* What follows a backslash. */
static char unescape(struct reader *r)
{
	static const char letters[] = "abefnrtv", bytes[] = "\a\b\033\f\n\r\t\v";
	char c = *r->at++;
	const char *letter = strchr(letters, c);
	char byte = 0;

	if (c != 'x')
		return c && letter ? bytes[letter - letters] : c;
	for (u32 i = 0; i < 2 && r->at < r->end && hex_digit(*r->at) >= 0; i++)
		byte = (char)(byte * 16 + hex_digit(*r->at++));
	return byte;
}

static bool read_text(struct reader *r, struct ctf_value *v)
{
	struct buf b = { 0 };

	while (r->at < r->end && *r->at != '"') {
		char c = *r->at++;

		buf_putc(&b, c == '\\' && r->at < r->end ? unescape(r) : c);
	}
	v->kind = CTF_TEXT;
	v->text = arena_strndup(r->arena, b.s ? b.s : "", b.len);
	v->n = (u32)b.len;
	buf_release(&b);
	return take(r, "\"");
}

static bool read_value(struct reader *r, struct ctf_value *v, struct ctf_values *members);

/* "[0] = 1, [1] = 2 ]" */
static bool read_list(struct reader *r, struct ctf_value *v)
{
	VEC(u64) list = { 0 };

	for (pass_blanks(r); !take(r, "]"); pass_blanks(r)) {
		struct ctf_values ignored = { 0 };
		struct ctf_value item = { 0 };

		if (!take(r, "["))
			return false;
		take_until(r, "]");
		if (!take(r, "] = ") || !read_value(r, &item, &ignored))
			return false;
		if (item.kind == CTF_NUMBER && list.n < LIST_MOST)
			vec_push(r->arena, &list, item.number);
		take(r, ",");
	}
	*v = (struct ctf_value){ .name = v->name, .kind = CTF_LIST, .list = list.v, .n = list.n };
	return true;
}

/* "\"NAME\" : container = 5 )": the number. */
static bool read_enum(struct reader *r, struct ctf_value *v)
{
	static const char before[] = "container = ";

	while (r->at < r->end && !take(r, before))
		r->at++;
	v->kind = CTF_NUMBER;
	if (!read_number(r, &v->number))
		return false;
	pass_blanks(r);
	return take(r, ")");
}

/* "prev_comm = \"sh\", x = { y = 1 } }"; the members of a structure have its name before theirs.
 * What a variant has is a structure without a name: "x = { { y = 1 } }". */
static bool read_members(struct reader *r, const char *outer, struct ctf_values *to)
{
	for (pass_blanks(r); !take(r, "}"); pass_blanks(r)) {
		bool has_name = r->at < r->end && *r->at != '{';
		const char *name = has_name ? take_until(r, " ={}") : "";
		struct ctf_value v = { .name = *outer && has_name ? arena_printf(r->arena, "%s_%s",
										 outer, name) :
					       has_name           ? name :
								    outer };
		u32 before = to->n;

		if ((has_name && !take(r, " = ")) || !read_value(r, &v, to))
			return false;
		if (v.name && to->n == before && to->n < CTF_VALUES_MOST)
			to->v[to->n++] = v;
		take(r, ",");
	}
	return true;
}

/* What is neither number nor text, as a floating-point number: its text. */
static bool read_other(struct reader *r, struct ctf_value *v)
{
	v->kind = CTF_TEXT;
	v->text = take_until(r, ", ]}");
	v->n = (u32)strlen(v->text);
	return v->n;
}

/* name NULL afterwards: its members were added to `members` instead. */
static bool read_value(struct reader *r, struct ctf_value *v, struct ctf_values *members)
{
	const char *begin;
	bool is_read;

	if (r->depth >= DEPTH_MOST)
		return false;
	r->depth++;
	begin = r->at;
	if (take(r, "\"")) {
		is_read = read_text(r, v);
	} else if (take(r, "[")) {
		is_read = read_list(r, v);
	} else if (take(r, "(")) {
		is_read = read_enum(r, v);
	} else if (take(r, "{")) {
		is_read = read_members(r, v->name ? v->name : "", members);
		v->name = NULL;
	} else if (!read_number(r, &v->number) || (r->at < r->end && !strchr(", ]}", *r->at))) {
		r->at = begin;
		is_read = read_other(r, v);
	} else {
		v->kind = CTF_NUMBER;
		is_read = true;
	}
	r->depth--;
	return is_read;
}

/* ---- lines */

/* What follows "NAME = " on the top level. */
static bool read_part(struct reader *r, struct ctf_line *l, const char *name)
{
	if (streq(name, "timestamp"))
		return (r->at += strspn(r->at, "0")) &&
		       (read_number(r, &l->cycles) || l->cycles == 0);
	if (take(r, "{"))
		return read_members(r, "", streq(name, "event.fields") ? &l->fields : &l->context);
	if (streq(name, "name"))
		l->name = take_until(r, ",");
	else
		take_until(r, ",");
	return true;
}

bool ctf_line_read(struct ctf_line *l, struct arena *a, const char *s, size_t len)
{
	const char *text = arena_strndup(a, s, len);
	struct reader r = { .at = text, .end = text + len, .arena = a };

	l->cycles = 0;
	l->name = NULL;
	l->context.n = l->fields.n = 0;
	if (!starts_with(text, "timestamp = "))
		return false;
	while (r.at < r.end) {
		const char *name;

		pass_blanks(&r);
		name = take_until(&r, " =,");
		if (!take(&r, " = ") || !read_part(&r, l, name))
			return false;
		take(&r, ",");
	}
	return l->name;
}

const struct ctf_value *ctf_value_of(const struct ctf_values *v, const char *name)
{
	for (u32 i = 0; i < v->n; i++)
		if (streq(v->v[i].name, name))
			return &v->v[i];
	return NULL;
}
