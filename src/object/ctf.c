/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts CTF sections (gcc -gctf), the Compact C Type Format, version 3 (include/ctf.h of
 * binutils; its document "The CTF File Format"), to BTF. Input: the bytes of .ctf; output: the same
 * types as BTF, which all other code reads. Types keep their numbers, so each is written in order:
 *
 *	header  magic 0xdff2, version 4, flags; offsets of the following parts, which may be
 *	        compressed (zlib)
 *	        ... function symbols (types), their names, ..., types, strings
 *	type    name, kind << 26 | root << 25 | length, size or type; then data by kind
 *
 * A name with the top bit set is in the file's string table. Linkers describe functions of dynamic
 * symbols only, and CTF has no parameter names. Of an archive (types that differ between source
 * files) the common dictionary is read.
 */
#include <dlfcn.h>
#include <elf.h>
#include <linux/btf.h>
#include <stdlib.h>
#include "base/buf.h"
#include "base/hash.h"
#include "object/ctf.h"
#include "object/elf.h"

enum {
	CTF_MAGIC = 0xdff2,
	CTF_VERSION_3 = 4,
	CTF_COMPRESSED = 1, /* flags */
	CTF_IN_DYNSTR = 8,
	MAX_BODY = 256 << 20,
	MAX_TYPES = 1 << 22,
	BTF_FLOAT = 16, /* BTF_KIND_FLOAT: older headers lack it */
};

enum ctf_kind {
	CTF_UNKNOWN,
	CTF_INTEGER,
	CTF_FLOAT,
	CTF_POINTER,
	CTF_ARRAY,
	CTF_FUNCTION,
	CTF_STRUCT,
	CTF_UNION,
	CTF_ENUM,
	CTF_FORWARD,
	CTF_TYPEDEF,
	CTF_VOLATILE,
	CTF_CONST,
	CTF_RESTRICT,
	CTF_SLICE,
};

#define LARGE_SIZE 0xffffffffu   /* the size is in two more words */
#define LARGE_STRUCT 0x20000000u /* from this size on, members have longer offsets */
#define ARCHIVE_MAGIC 0x8b47f2a4d7623eebull

struct ctf_header {
	u16 magic;
	u8 version, flags;
	u32 label, parent, unit, labels, objects, functions, object_names, function_names,
		variables, types, strings, strings_len;
};

struct ctf_type {
	enum ctf_kind kind;
	u32 name, length;
	u64 size; /* or the referenced type */
	const u8 *rest;
};

struct ctf_slice {
	u32 type;
	u16 offset, bits;
};

struct reader {
	const struct ctf_header *h;
	const u8 *body;
	size_t len;
	struct ctf_table file; /* names with the top bit set, and the functions */
	u32 *at;               /* offset of type i + 1 in the types */
	u32 n;
	struct buf types, strings;
	struct hash names; /* text -> offset in strings + 1 */
	struct arena arena;
};

static u32 word(const u8 *p, u32 i)
{
	u32 v;

	memcpy(&v, p + 4 * (size_t)i, sizeof v);
	return v;
}

/* ---- reading */

static const char *text_in(const char *table, size_t len, u32 at)
{
	return table && at < len && memchr(table + at, '\0', len - at) ? table + at : "";
}

static const char *text_of(const struct reader *r, u32 name)
{
	bool external = name >> 31;

	return external ? text_in(r->file.strings, r->file.strings_len, name & INT32_MAX) :
			  text_in((const char *)r->body + r->h->strings, r->h->strings_len, name);
}

static u64 rest_size(enum ctf_kind kind, u64 size, u32 length)
{
	switch (kind) {
	case CTF_INTEGER:
	case CTF_FLOAT: return 4;
	case CTF_ARRAY: return 12;
	case CTF_FUNCTION: return 4 * ((u64)length + (length & 1));
	case CTF_STRUCT:
	case CTF_UNION: return (size < LARGE_STRUCT ? 12 : 16) * (u64)length;
	case CTF_ENUM: return 8 * (u64)length;
	case CTF_SLICE: return sizeof(struct ctf_slice);
	case CTF_UNKNOWN:
	case CTF_POINTER:
	case CTF_FORWARD:
	case CTF_TYPEDEF:
	case CTF_VOLATILE:
	case CTF_CONST:
	case CTF_RESTRICT: break;
	}
	return 0;
}

/* Parses the type at p; returns its length, 0: truncated. */
static size_t read_type(const u8 *p, const u8 *end, struct ctf_type *t)
{
	size_t head = 12;
	u64 rest;
	u32 info;

	if ((size_t)(end - p) < head)
		return 0;
	info = word(p, 1);
	*t = (struct ctf_type){ .kind = (enum ctf_kind)(info >> 26),
				.name = word(p, 0),
				.length = info & 0xffffff,
				.size = word(p, 2) };
	if (t->kind > CTF_SLICE)
		return 0;
	if (t->size == LARGE_SIZE) {
		head = 20;
		if ((size_t)(end - p) < head)
			return 0;
		t->size = (u64)word(p, 3) << 32 | word(p, 4);
	}
	t->rest = p + head;
	rest = rest_size(t->kind, t->size, t->length);
	return (u64)(end - p) < head + rest ? 0 : head + (size_t)rest;
}

static const u8 *types_end(const struct reader *r)
{
	return r->body + r->h->strings;
}

/* Records the offset of each type: slices are looked up by number. */
static bool index_types(struct reader *r)
{
	const u8 *first = r->body + r->h->types, *p = first;
	struct ctf_type t;
	u32 cap = 0;

	while (p < types_end(r)) {
		size_t len = read_type(p, types_end(r), &t);

		if (!len || r->n == MAX_TYPES)
			return false;
		if (r->n == cap) {
			cap = MAX(2 * cap, 64u);
			r->at = xrealloc(r->at, cap * sizeof *r->at);
		}
		r->at[r->n++] = (u32)(p - first);
		p += len;
	}
	return true;
}

static bool type_at(const struct reader *r, u32 id, struct ctf_type *t)
{
	return id && id <= r->n &&
	       read_type(r->body + r->h->types + r->at[id - 1], types_end(r), t);
}

static bool is_slice(const struct reader *r, u32 id, struct ctf_slice *s)
{
	struct ctf_type t;

	if (!type_at(r, id, &t) || t.kind != CTF_SLICE)
		return false;
	memcpy(s, t.rest, sizeof *s);
	return true;
}

/* ---- writing */

static u32 put_name(struct reader *r, const char *text)
{
	void *known = hash_gets(&r->names, text);
	u32 at;

	if (!*text)
		return 0;
	if (known)
		return (u32)(uintptr_t)known;
	at = (u32)r->strings.len;
	buf_add(&r->strings, text, strlen(text) + 1);
	hash_puts(&r->names, arena_strdup(&r->arena, text), (void *)(uintptr_t)at);
	return at;
}

static void put_words(struct reader *r, const u32 *words, u32 n)
{
	buf_add(&r->types, words, n * sizeof *words);
}

static void put_type(struct reader *r, u32 name, u32 kind, bool flag, u32 length, u32 size)
{
	put_words(r, (u32[]){ name, (u32)flag << 31 | kind << 24 | length, size }, 3);
}

/* A type that BTF cannot describe becomes void and keeps its number. */
static void put_nothing(struct reader *r)
{
	put_type(r, 0, BTF_KIND_CONST, false, 0, 0);
}

static u32 known(const struct reader *r, u32 id)
{
	return id <= r->n ? id : 0;
}

static void put_integer(struct reader *r, const struct ctf_type *t)
{
	u32 encoding = word(t->rest, 0), bits = encoding & 0xffff, format = encoding >> 24;
	u32 flags = (format & 1 ? BTF_INT_SIGNED : 0) | (format & 4 ? BTF_INT_BOOL : 0);

	if (!bits) { /* void */
		put_type(r, put_name(r, text_of(r, t->name)), BTF_KIND_TYPEDEF, false, 0, 0);
		return;
	}
	put_type(r, put_name(r, text_of(r, t->name)), BTF_KIND_INT, false, 0, (u32)t->size);
	put_words(r, (u32[]){ flags << 24 | MIN(bits, 128u) }, 1);
}

/* A member whose type is a slice is a bitfield. */
static void put_member(struct reader *r, const struct ctf_type *t, u32 i)
{
	bool large = t->size >= LARGE_STRUCT;
	const u8 *p = t->rest + (large ? 16 : 12) * (size_t)i;
	u64 at = large ? (u64)word(p, 1) << 32 | word(p, 3) : word(p, 1);
	u32 type = word(p, 2), bits = 0;
	struct ctf_slice s;

	if (is_slice(r, type, &s)) {
		at += s.offset;
		bits = s.bits <= 64 ? s.bits : 0;
		type = s.type;
	}
	put_words(r,
		  (u32[]){ put_name(r, text_of(r, word(p, 0))), known(r, type),
			   bits << 24 | (u32)(at & 0xffffff) },
		  3);
}

static void put_struct(struct reader *r, const struct ctf_type *t)
{
	u32 n = MIN(t->length, 0xffffu);

	put_type(r, put_name(r, text_of(r, t->name)),
		 t->kind == CTF_UNION ? BTF_KIND_UNION : BTF_KIND_STRUCT, true, n,
		 (u32)MIN(t->size, (u64)INT32_MAX));
	for (u32 i = 0; i < n; i++)
		put_member(r, t, i);
}

static void put_enum(struct reader *r, const struct ctf_type *t)
{
	u32 n = MIN(t->length, 0xffffu);
	bool is_signed = false;

	for (u32 i = 0; i < n; i++)
		is_signed |= (s32)word(t->rest, 2 * i + 1) < 0;
	put_type(r, put_name(r, text_of(r, t->name)), BTF_KIND_ENUM, is_signed, n, (u32)t->size);
	for (u32 i = 0; i < n; i++)
		put_words(r,
			  (u32[]){ put_name(r, text_of(r, word(t->rest, 2 * i))),
				   word(t->rest, 2 * i + 1) },
			  2);
}

static void put_function(struct reader *r, const struct ctf_type *t)
{
	u32 n = MIN(t->length, 0xffffu);

	put_type(r, 0, BTF_KIND_FUNC_PROTO, false, n, known(r, (u32)t->size));
	for (u32 i = 0; i < n; i++)
		put_words(r, (u32[]){ 0, known(r, word(t->rest, i)) }, 2);
}

static void put_reference(struct reader *r, const struct ctf_type *t, u32 kind, bool named)
{
	put_type(r, named ? put_name(r, text_of(r, t->name)) : 0, kind, false, 0,
		 known(r, (u32)t->size));
}

static void put_one(struct reader *r, const struct ctf_type *t)
{
	struct ctf_slice s;

	switch (t->kind) {
	case CTF_UNKNOWN: put_nothing(r); return;
	case CTF_INTEGER: put_integer(r, t); return;
	case CTF_FLOAT:
		put_type(r, put_name(r, text_of(r, t->name)), BTF_FLOAT, false, 0, (u32)t->size);
		return;
	case CTF_POINTER: put_reference(r, t, BTF_KIND_PTR, false); return;
	case CTF_ARRAY:
		put_type(r, 0, BTF_KIND_ARRAY, false, 0, 0);
		put_words(r,
			  (u32[]){ known(r, word(t->rest, 0)), known(r, word(t->rest, 1)),
				   word(t->rest, 2) },
			  3);
		return;
	case CTF_FUNCTION: put_function(r, t); return;
	case CTF_STRUCT:
	case CTF_UNION: put_struct(r, t); return;
	case CTF_ENUM: put_enum(r, t); return;
	case CTF_FORWARD:
		put_type(r, put_name(r, text_of(r, t->name)), BTF_KIND_FWD, t->size == CTF_UNION, 0,
			 0);
		return;
	case CTF_TYPEDEF: put_reference(r, t, BTF_KIND_TYPEDEF, true); return;
	case CTF_VOLATILE: put_reference(r, t, BTF_KIND_VOLATILE, false); return;
	case CTF_CONST: put_reference(r, t, BTF_KIND_CONST, false); return;
	case CTF_RESTRICT: put_reference(r, t, BTF_KIND_RESTRICT, false); return;
	case CTF_SLICE:
		memcpy(&s, t->rest, sizeof s);
		put_type(r, 0, BTF_KIND_CONST, false, 0, known(r, s.type));
		return;
	}
}

static void put_symbol(struct reader *r, const char *name, u32 i)
{
	u32 type = word(r->body + r->h->functions, i);
	struct ctf_type t;

	if (*name && type_at(r, type, &t) && t.kind == CTF_FUNCTION)
		put_type(r, put_name(r, name), BTF_KIND_FUNC, false, BTF_FUNC_GLOBAL, type);
}

/*
 * Function types, in the order of a table of names, or of the functions in the file's symbol table.
 */
static void put_functions(struct reader *r)
{
	const struct ctf_header *h = r->h;
	u32 n = (h->object_names - h->functions) / 4,
	    names = (h->variables - h->function_names) / 4, next = 0;
	Elf64_Sym s;

	for (u32 i = 0; i < MIN(n, names); i++)
		put_symbol(r, text_of(r, word(r->body + h->function_names, i)), i);
	for (size_t at = 0; !names && next < n && at + sizeof s <= r->file.symbols_len;
	     at += sizeof s) {
		const char *name;

		memcpy(&s, (const u8 *)r->file.symbols + at, sizeof s);
		name = text_in(r->file.strings, r->file.strings_len, s.st_name);
		if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && s.st_shndx != SHN_UNDEF && *name)
			put_symbol(r, name, next++);
	}
}

/* ---- the section */

static bool is_ordered(const struct ctf_header *h, size_t len)
{
	const u32 at[] = { h->labels,         h->objects,   h->functions, h->object_names,
			   h->function_names, h->variables, h->types,     h->strings };

	for (u32 i = 0; i + 1 < ARRAY_SIZE(at); i++)
		if (at[i] > at[i + 1])
			return false;
	return h->strings <= len && h->strings_len <= len - h->strings;
}

/* malloc'ed */
static u8 *unpack(const u8 *in, size_t in_len, size_t len)
{
#if defined(SONDE_STATIC) && SONDE_STATIC
	return NULL; /* a static program cannot load libraries */
#else
	typedef int (*uncompress_fn)(u8 * out, unsigned long *out_len, const u8 *in,
				     unsigned long in_len);
	void *lib = dlopen("libz.so.1", RTLD_LAZY | RTLD_LOCAL);
	uncompress_fn f = lib ? (uncompress_fn)(uintptr_t)dlsym(lib, "uncompress") : NULL;
	unsigned long got = len;
	u8 *out;

	if (!f || len > MAX_BODY)
		return NULL;
	out = xcalloc(1, len + 1);
	if (f(out, &got, in, in_len) == 0 && got == len)
		return out;
	free(out);
	return NULL;
#endif
}

static void *finish(struct reader *r, size_t *len)
{
	struct btf_header h = { .magic = BTF_MAGIC,
				.version = BTF_VERSION,
				.hdr_len = sizeof h,
				.type_len = (u32)r->types.len,
				.str_off = (u32)r->types.len,
				.str_len = (u32)r->strings.len };
	struct buf out = { 0 };

	buf_add(&out, &h, sizeof h);
	buf_add(&out, r->types.s, r->types.len);
	buf_add(&out, r->strings.s, r->strings.len);
	*len = out.len;
	return buf_steal(&out);
}

static void *convert(struct reader *r, size_t *len)
{
	struct ctf_type t;

	if (!is_ordered(r->h, r->len) || !index_types(r))
		return NULL;
	buf_putc(&r->strings, '\0');
	for (u32 id = 1; id <= r->n; id++)
		if (type_at(r, id, &t))
			put_one(r, &t);
	put_functions(r);
	return r->types.len ? finish(r, len) : NULL;
}

/* One dictionary. */
static void *read_dict(const u8 *bytes, size_t n, const struct ctf_table *plain,
		       const struct ctf_table *dynamic, size_t *len)
{
	struct ctf_header h;
	struct reader r = { .h = &h };
	u8 *unpacked = NULL;
	void *out = NULL;

	if (n < sizeof h)
		return NULL;
	memcpy(&h, bytes, sizeof h);
	if (h.magic != CTF_MAGIC || h.version != CTF_VERSION_3)
		return NULL;
	r.body = bytes + sizeof h;
	r.len = n - sizeof h;
	if (h.flags & CTF_COMPRESSED) {
		r.len = (size_t)h.strings + h.strings_len;
		r.body = unpacked = unpack(bytes + sizeof h, n - sizeof h, r.len);
	}
	r.file = h.flags & CTF_IN_DYNSTR ? *dynamic : *plain;
	arena_init(&r.arena);
	if (r.body)
		out = convert(&r, len);
	free(unpacked);
	free(r.at);
	buf_release(&r.types);
	buf_release(&r.strings);
	hash_release(&r.names);
	arena_release(&r.arena);
	return out;
}

/* Archive: magic, model, count, offsets of names and dictionaries; then an offset pair for each */
static void *read_archive(const u8 *bytes, size_t n, const struct ctf_table *plain,
			  const struct ctf_table *dynamic, size_t *len)
{
	u64 head[5], entry[2], size, at;

	if (n < sizeof head)
		return NULL;
	memcpy(head, bytes, sizeof head);
	if (head[2] > (n - sizeof head) / sizeof entry || head[3] >= n || head[4] > n - sizeof size)
		return NULL;
	for (u64 i = 0; i < head[2]; i++) {
		memcpy(entry, bytes + sizeof head + i * sizeof entry, sizeof entry);
		if (entry[0] >= n - head[3] || entry[1] > n - sizeof size - head[4])
			return NULL;
		at = head[3] + entry[0];
		if (n - at < sizeof(".ctf") || memcmp(bytes + at, ".ctf", sizeof(".ctf")))
			continue; /* private to one source file */
		at = head[4] + entry[1];
		memcpy(&size, bytes + at, sizeof size);
		at += sizeof size;
		return size <= n - at ? read_dict(bytes + at, (size_t)size, plain, dynamic, len) :
					NULL;
	}
	return NULL;
}

void *ctf_to_btf(const void *bytes, size_t n, const struct ctf_table *plain,
		 const struct ctf_table *dynamic, size_t *len)
{
	u64 magic = 0;

	if (n >= sizeof magic)
		memcpy(&magic, bytes, sizeof magic);
	return magic == ARCHIVE_MAGIC ? read_archive(bytes, n, plain, dynamic, len) :
					read_dict(bytes, n, plain, dynamic, len);
}
