/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF types -> C text, in the layout of libbpf's btf_dump without its padding members. A declarator
 * is built from the inside: stars, brackets and parameters are added to the name on the way to the
 * base type.
 *
 *	id of "ssize_t (*)(struct file *, char *)", "read"  ->  ssize_t (*read)(struct file *, char *)
 */
#include "base/buf.h"
#include "sym/btf_file.h"

enum { MAX_DEPTH = 24, MAX_PARTS = 100000 }; /* untrusted files may have cycles and deep nesting */

struct writer {
	struct arena *arena;
	struct btf *btf;
	u32 depth, parts;
};

static const char *declare(struct writer *w, u32 id, const char *inner, u32 indent);

/* Puts a, such as "const", before a star or a name. */
static const char *join(struct writer *w, const char *a, const char *b)
{
	return *b ? arena_printf(w->arena, "%s%s%s", a, *b == '[' ? "" : " ", b) : a;
}

static bool is_modifier(u32 kind)
{
	return kind == BTF_KIND_CONST || kind == BTF_KIND_VOLATILE || kind == BTF_KIND_RESTRICT;
}

static const char *modifier(u32 kind)
{
	return kind == BTF_KIND_CONST    ? "const" :
	       kind == BTF_KIND_VOLATILE ? "volatile" :
					   "restrict";
}

static void put_members(struct writer *w, struct buf *b, const struct btf_type *raw, u32 indent)
{
	const struct btf_member *m = (const void *)(raw + 1);

	for (u32 i = 0; i < raw_vlen(raw); i++) {
		u32 bits = raw_flag(raw) ? m[i].offset >> 24 : 0;

		buf_pad(b, '\t', indent + 1);
		buf_puts(b, declare(w, m[i].type, btf_string(w->btf, m[i].name_off), indent + 1));
		if (bits)
			buf_printf(b, ": %u", bits);
		buf_puts(b, ";\n");
	}
}

static void put_enumerators(struct writer *w, struct buf *b, const struct btf_type *raw, u32 indent)
{
	const struct btf_enum *e = (const void *)(raw + 1);
	const struct raw_enum64 *e64 = (const void *)(raw + 1);

	for (u32 i = 0; i < raw_vlen(raw); i++) {
		bool wide = raw_kind(raw) == BTF_KIND_ENUM64;
		u64 value = wide ? e64[i].lo | (u64)e64[i].hi << 32 : (u64)(s64)e[i].val;

		buf_pad(b, '\t', indent + 1);
		buf_printf(b, "%s = ", btf_string(w->btf, wide ? e64[i].name_off : e[i].name_off));
		if (raw_flag(raw))
			buf_s64(b, (s64)value);
		else
			buf_u64(b, wide ? value : (u32)value);
		buf_puts(b, ",\n");
	}
}

/* The text from the opening brace on. */
static const char *body(struct writer *w, const struct btf_type *raw, u32 indent)
{
	struct buf b = { 0 };
	const char *text;

	buf_puts(&b, "{\n");
	if (raw_kind(raw) == BTF_KIND_STRUCT || raw_kind(raw) == BTF_KIND_UNION)
		put_members(w, &b, raw, indent);
	else
		put_enumerators(w, &b, raw, indent);
	buf_pad(&b, '\t', indent);
	buf_putc(&b, '}');
	text = arena_strndup(w->arena, b.s, b.len);
	buf_release(&b);
	return text;
}

static const char *word_of(const struct btf_type *raw)
{
	switch (raw_kind(raw)) {
	case BTF_KIND_STRUCT: return "struct";
	case BTF_KIND_UNION: return "union";
	case BTF_KIND_FWD: return raw_flag(raw) ? "union" : "struct";
	default: return "enum";
	}
}

/* Anonymous types are written out inline. */
static const char *tagged(struct writer *w, const struct btf_type *raw, u32 indent)
{
	const char *name = btf_string(w->btf, raw->name_off);

	if (!*name && raw_kind(raw) != BTF_KIND_FWD)
		name = body(w, raw, indent);
	return arena_printf(w->arena, "%s %s", word_of(raw), name);
}

static const char *pointer_to(struct writer *w, u32 id, const char *inner, u32 indent)
{
	u32 to = btf_kind(w->btf, btf_skip(w->btf, id, false));
	bool bound = to == BTF_KIND_ARRAY || to == BTF_KIND_FUNC_PROTO;

	return declare(w, id,
		       arena_printf(w->arena,
				    bound         ? "(*%s)" :
				    *inner == '(' ? "* %s" :
						    "*%s",
				    inner),
		       indent);
}

static const char *function(struct writer *w, const struct btf_type *raw, const char *inner,
			    u32 indent)
{
	const struct raw_param *p = (const void *)(raw + 1);
	u32 n = raw_vlen(raw) == 1 && !p[0].type ? 0 : raw_vlen(raw);
	struct buf b = { 0 };
	const char *text;

	buf_printf(&b, "%s(", inner);
	for (u32 i = 0; i < n; i++)
		buf_printf(&b, "%s%s", i ? ", " : "",
			   p[i].type ? declare(w, p[i].type, "", indent) : "...");
	buf_puts(&b, n ? ")" : "void)");
	text = arena_strndup(w->arena, b.s, b.len);
	buf_release(&b);
	return declare(w, raw->type, text, indent);
}

static const char *array(struct writer *w, const struct btf_type *raw, const char *inner,
			 u32 indent)
{
	const struct btf_array *a = (const void *)(raw + 1);

	return declare(w, a->type, arena_printf(w->arena, "%s[%u]", inner, a->nelems), indent);
}

static const char *declare_kind(struct writer *w, const struct btf_type *raw, const char *inner,
				u32 indent)
{
	u32 kind = raw_kind(raw);

	if (is_modifier(kind) &&
	    btf_kind(w->btf, btf_skip(w->btf, raw->type, false)) == BTF_KIND_PTR)
		return declare(w, raw->type, join(w, modifier(kind), inner), indent);
	if (is_modifier(kind))
		return arena_printf(w->arena, "%s %s", modifier(kind),
				    declare(w, raw->type, inner, indent));
	switch (kind) {
	case BTF_KIND_PTR: return pointer_to(w, raw->type, inner, indent);
	case BTF_KIND_ARRAY: return array(w, raw, inner, indent);
	case BTF_KIND_FUNC_PROTO: return function(w, raw, inner, indent);
	case BTF_KIND_TYPE_TAG: return declare(w, raw->type, inner, indent);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_FWD:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: return join(w, tagged(w, raw, indent), inner);
	default: return join(w, btf_string(w->btf, raw->name_off), inner);
	}
}

static const char *declare(struct writer *w, u32 id, const char *inner, u32 indent)
{
	const struct btf_type *raw = id ? btf_raw(w->btf, id) : NULL;
	const char *text;

	if (!raw || w->depth >= MAX_DEPTH || ++w->parts > MAX_PARTS)
		return join(w, id ? "..." : "void", inner);
	w->depth++;
	text = declare_kind(w, raw, inner, indent);
	w->depth--;
	return text;
}

const char *btf_definition(struct arena *a, struct btf *b, u32 id)
{
	struct writer w = { .arena = a, .btf = b };
	const struct btf_type *raw = btf_raw(b, id);

	if (!raw || (raw_kind(raw) != BTF_KIND_STRUCT && raw_kind(raw) != BTF_KIND_UNION &&
		     raw_kind(raw) != BTF_KIND_ENUM && raw_kind(raw) != BTF_KIND_ENUM64))
		return NULL;
	return arena_printf(a, "%s %s %s;", word_of(raw), btf_string(b, raw->name_off),
			    body(&w, raw, 0));
}
