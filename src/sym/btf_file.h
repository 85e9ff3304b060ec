/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private declarations of btf.c (file, index, names), btf_type.c (struct types) and btf_text.c (C
 * text).
 */
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
	bool mapped, owned; /* bytes are released by munmap() or free() */
	const u8 *types;
	u32 types_len;
	const char *strings;
	u32 strings_len;
	struct btf *base; /* split BTF: owns ids below start_id and strings below start_str */
	u32 start_id, start_str;
	u32 n;       /* types in this file, without void */
	u32 *offset; /* of type start_id + i, in `types` */
	/* the mapped cache that holds offset and names (and possibly bytes), or NULL */
	void *index_map;
	size_t index_len;
	bool is_vmlinux; /* of the running kernel: cached */
	bool is_user;    /* of a program: pointers refer to its memory */
	/* table of ids by name, open addressing, 0: free slot; built after a few searches */
	u32 *names;
	u32 names_cap;
	u32 searches;
	const struct type **made; /* struct types by id - start_id */
	VEC(struct btf_module_entry) modules;
	u32 depth; /* of nested conversions: a limit stops cycles in untrusted input */
};

/*
 * The type's header, or NULL for an invalid id. The data that its kind and vlen imply is inside the
 * file.
 */
const struct btf_type *btf_raw(const struct btf *b, u32 id);
/* Never NULL: "" at invalid offsets. */
const char *btf_string(const struct btf *b, u32 offset);
/* Offset of a string, or 0 if there is none. */
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
/*
 * The cached index of the running kernel's BTF: btf_cache.c. Loading fills offset, n and names, and
 * bytes unless they are present. Storing requires the table of names.
 */
bool btf_cache_load(struct btf *b);
void btf_cache_store(const struct btf *b);
/* Skips const, volatile, restrict and type tags; typedefs too if requested. */
u32 btf_skip(const struct btf *b, u32 id, bool typedefs);

#endif
