/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF of the running kernel and its modules, read lazily: the file is mapped, an index by name is
 * built once (or loaded from a private cache if the kernel cannot map the file), and types are
 * converted to struct type on demand. Format: Documentation/bpf/btf.rst.
 */
#ifndef SONDE_SYM_BTF_H
#define SONDE_SYM_BTF_H

#include <linux/btf.h> /* BTF_KIND_* */
#include "base/err.h"
#include "type/type.h"

/* linux/btf.h defines struct btf_param, too (two words of the file); in sonde it is the one
 * below. */
#define btf_param btf_named_param

#ifndef BTF_KIND_ENUM64 /* uapi headers older than 6.0 */
#define BTF_KIND_ENUM64 19
#endif

struct btf;

/*
 * path NULL: /sys/kernel/btf/vmlinux (or $BPFTRACE_BTF). Types are allocated in a. NULL with err
 * set.
 */
struct btf *btf_open(struct arena *a, const char *path, struct err *err);
/* From bytes (fuzzing, BTF sections of binaries); base may be NULL. Bytes are borrowed. */
struct btf *btf_from_bytes(struct arena *a, const void *bytes, size_t len, struct btf *base,
			   struct err *err);
/*
 * The .BTF section of a program or library, whose pointers refer to user memory. Never freed; NULL:
 * missing or unreadable.
 */
struct btf *btf_of_program(const char *path);
/* Split BTF of a module from /sys/kernel/btf/NAME; cached in base. */
struct btf *btf_module(struct btf *base, const char *module);
/* Names of the modules that have BTF; if f returns false the walk stops and false is returned. */
bool btf_modules_each(bool (*f)(void *ctx, const char *module), void *ctx);
void btf_close(struct btf *b);

/*
 * BTF kinds as in linux/btf.h. Returns the first id of that kind; 0: not found.
 */
u32 btf_find(struct btf *b, const char *name, u32 kind);
/* The same, without the base of split BTF. */
u32 btf_find_own(struct btf *b, const char *name, u32 kind);
u32 btf_n_types(const struct btf *b);
const char *btf_name(struct btf *b, u32 id);
u32 btf_kind(struct btf *b, u32 id);
/* Type by id: structs are completed on demand, char arrays are strings, kernel pointers have
 * SPACE_KERNEL unless tagged __user (SPACE_USER). Never NULL (ty_error at bad ids). */
const struct type *btf_type(struct btf *b, u32 id);
/* tag 's' struct, 'u' union, 'e' enum, 0: any of these, typedef or base type. NULL: none. */
const struct type *btf_type_by_name(struct btf *b, u8 tag, const char *name);

struct btf_param {
	const char *name;
	const struct type *type;
	u32 type_id;
	bool is_const; /* it, or what it points to */
};
/* Parameters of function `name` (BTF_KIND_FUNC); returns their number, or -ENOENT. ret may be
 * NULL. */
int btf_func(struct btf *b, const char *name, struct btf_param *params, u32 max,
	     const struct type **ret, u32 *func_id);
/*
 * Parameters of the prototype of typedef btf_trace_NAME (raw tracepoints), without the first one
 * (void *__data). *typedef_id is what load_kind.btf_id takes.
 */
int btf_raw_tracepoint(struct btf *b, const char *name, struct btf_param *params, u32 max,
		       u32 *typedef_id);
/* Value of an enumerator anywhere in BTF. */
bool btf_enumerator(struct btf *b, const char *name, s64 *value, const struct type **enum_type);
/*
 * "struct list_head { ... };" as C, anonymous members inline; in arena a. NULL: no struct, union or
 * enum.
 */
const char *btf_definition(struct arena *a, struct btf *b, u32 id);
/*
 * Calls f for every named type of a kind (for listings and for suggestions of similar names).
 */
void btf_each(struct btf *b, u32 kind, bool (*f)(void *ctx, const char *name, u32 id), void *ctx);

#endif
