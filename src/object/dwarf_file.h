/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private declarations of dwarf*.c. */
#ifndef SONDE_OBJECT_DWARF_FILE_H
#define SONDE_OBJECT_DWARF_FILE_H

#include "base/hash.h"
#include "object/dwarf.h"
#include "object/dwarf_lib.h"

#if SONDE_HAVE_LIBDW

struct elf;

struct code { /* a range of addresses and its entry */
	u64 low, high;
	Dwarf_Die die; /* a function */
	u32 unit;
};

struct unit {
	Dwarf_Die die;  /* with the addresses and lines */
	Dwarf_Die body; /* with the entries: a different one in split files */
	enum dwarf_language language;
	bool is_missing;        /* its entries are in a file that was not found */
	VEC(struct code) funcs; /* filled on first lookup */
	bool has_funcs, has_inner, has_rows;
};

struct dwarf {
	struct dwarf *next;
	struct arena arena; /* owns all results */
	char *path;
	u64 dev, ino, mtime;
	const struct dw *f;
	const struct dwarf_registers *regs;
	struct elf *file;
	bool file_is_borrowed;
	int fd, debug_fd;
	Dwarf *dw;
	Elf *elf, *image; /* image: of debug information that is read from memory */
	Dwarf_CFI *cfi, *debug_cfi;
	VEC(struct unit) units;
	VEC(Dwarf_Die) type_units;
	VEC(struct code) code; /* of units */
	bool has_code;
	struct dwarf_instance stay; /* the scope of the code at stay_pc */
	u64 stay_pc;
	struct {
		struct hash known; /* address of an entry -> struct type */
		u32 depth;
	} types;
	struct {
		struct hash names; /* of functions; from the second search on */
		u32 n_searches;
	} inlined;
	size_t n_rows; /* of the line tables read so far */
};

enum { MAX_SCOPES = 64 };

/* From the unit inwards: functions, blocks, inlined functions whose code covers an address. */
struct scopes {
	struct unit *unit;
	Dwarf_Die die[MAX_SCOPES];
	u32 n;
};

/* ---- dwarf.c */
bool die_child(const struct dwarf *d, Dwarf_Die *of, Dwarf_Die *out);
bool die_next(const struct dwarf *d, Dwarf_Die *die); /* in place */
bool die_flag(const struct dwarf *d, Dwarf_Die *die, unsigned attr);
bool die_number(const struct dwarf *d, Dwarf_Die *die, unsigned attr, u64 *out);
/* The entry that an attribute of this one, or of its abstract origin, refers to. */
bool die_ref(const struct dwarf *d, Dwarf_Die *die, unsigned attr, Dwarf_Die *out);
/* An attribute that is an expression or a location list. */
bool die_location(const struct dwarf *d, Dwarf_Die *die, unsigned attr, Dwarf_Attribute *out);
const char *die_string(const struct dwarf *d, Dwarf_Die *die, unsigned attr); /* NULL: none */
struct unit *dwarf_unit_at(struct dwarf *d, u64 pc);
bool dwarf_scopes(struct dwarf *d, u64 pc, struct scopes *out);
/* Index of the innermost function (or the outermost, not inlined, one) in scopes, -1: none. */
int scopes_function(const struct dwarf *d, struct scopes *s, bool inner);

const char *die_linkage_name(const struct dwarf *d, Dwarf_Die *die); /* NULL: none */
/* The code at pc belongs to a function of that name, or to an inlined copy of it. */
bool dwarf_is_in(struct dwarf *d, u64 pc, const char *func);

/* ---- dwarf_type.c */
const struct type *die_type(struct dwarf *d, Dwarf_Die *type);
/* The type in DW_AT_type; &ty_void if none. *by_reference: a C++ object passed by address. */
const struct type *die_type_of(struct dwarf *d, Dwarf_Die *die, bool *by_reference);

/* ---- dwarf_var.c */
/* A number as in a register: extended from the size of its type. */
s64 dwarf_extended(const struct type *t, u64 word);

/* ---- dwarf_find.c */

/* The entry of a type is only a declaration. */
bool die_is_declared(const struct dwarf *d, Dwarf_Die *type);
/* The definition of a declared type: same name in the same namespaces and classes. */
bool dwarf_definition(struct dwarf *d, Dwarf_Die *declared, Dwarf_Die *out);
/* The layout of a library type that has no definition in the file; NULL: unknown. */
const struct type *dwarf_library_type(struct dwarf *d, Dwarf_Die *type);

/* ---- dwarf_expr.c */
struct expr_context {
	struct dwarf *d;
	u64 pc;
	Dwarf_Attribute *attr; /* source of the operations; NULL: unwind information */
	Dwarf_Die *func;       /* function of the frame base; may be NULL */
	bool at_entry;         /* pc is the function's first instruction */
	bool used_frame;       /* out */
	const char *gap;       /* out: reason for pieces of LOC_NONE */
	u32 depth;
};

/* False: unreadable, *why is the reason. */
bool expr_to_loc(struct expr_context *at, const Dwarf_Op *ops, size_t n, struct loc *out,
		 const char **why);
extern const char dwarf_partly[]; /* the gap of a partly optimized-out value */

#endif
#endif
