/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by btf.c (file, index, names), btf_type.c (struct types) and btf_text.c (C text); nobody else includes it. */
#ifndef SONDE_SYM_BTF_FILE_H
#define SONDE_SYM_BTF_FILE_H

#include "sym/btf.h"

#ifndef BTF_KIND_TYPE_TAG
#define BTF_KIND_TYPE_TAG 18
#endif
#ifndef BTF_KIND_DECL_TAG
#define BTF_KIND_DECL_TAG 17
#endif
enum { N_BTF_KINDS = 20 };

struct raw_param { /* after a BTF_KIND_FUNC_PROTO */
	u32 name_off, type;
};
struct raw_enum64 {
	u32 name_off, lo, hi;
};

struct btf_module_entry {
	const char *name;
	struct btf *btf; /* NULL: the module has none */
};

struct btf {
	struct arena *arena;
	const u8 *bytes;
	size_t len;
	bool mapped, owned; /* bytes are ours: munmap or free */
	const u8 *types;
	u32 types_len;
	const char *strings;
	u32 strings_len;
	struct btf *base; /* split BTF: ids below start_id and strings below start_str are its */
	u32 start_id, start_str;
	u32 n;           /* types in this file, without void */
	u32 *offset;     /* of type start_id + i, within types */
	void *index_map; /* the cache that offset and names (and bytes, perhaps) lie in, or NULL */
	size_t index_len;
	bool is_vmlinux; /* the running kernel's: worth caching */
	bool is_user;    /* a program's: pointers are to its memory */
	/* names, built after a few searches: open addressing, 0 is free, else id */
	u32 *names;
	u32 names_cap;
	u32 searches;
	const struct type **made; /* struct types by id - start_id */
	VEC(struct btf_module_entry) modules;
	u32 depth; /* of conversions under way: bounds cycles in hostile input */
};

/* The type's header, or NULL at a bad id. Everything behind it that its kind and vlen promise is
 * inside the file. */
const struct btf_type *btf_raw(const struct btf *b, u32 id);
/* Never NULL: "" at bad offsets. */
const char *btf_string(const struct btf *b, u32 offset);
/* Offset of a string or 0 when no name is spelled so. */
u32 btf_find_string(const struct btf *b, const char *s, size_t len);

static inline u32 raw_kind(const struct btf_type *t)
{
	return t->info >> 24 & 0x1f;
}
static inline u32 raw_vlen(const struct btf_type *t)
{
	return t->info & 0xffff;
}
static inline bool raw_flag(const struct btf_type *t)
{
	return t->info >> 31;
}
/* The index of the running kernel's BTF, kept for the boot: btf_cache.c. Load fills offset, n,
 * names, and bytes unless they are there. Store wants the table of names built. */
bool btf_cache_load(struct btf *b);
void btf_cache_store(const struct btf *b);
/* Skips const, volatile, restrict and type tags; typedefs too if asked. */
u32 btf_skip(const struct btf *b, u32 id, bool typedefs);

#endif
