/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information of a program (DWARF 4 and 5, split, shared by dwz, in type units) for a code
 * address: the function, its parameters, the variables in scope with their locations, the source
 * line; and types by name. libdw reads it lazily: each unit's first entry for its addresses, then
 * only the units that a query needs.
 *
 * All addresses are file virtual addresses. Types, names and locations are never freed: structures
 * are completed when the checker needs them, long after the probe was resolved.
 */
#ifndef SONDE_OBJECT_DWARF_H
#define SONDE_OBJECT_DWARF_H

#include "base/err.h"
#include "type/loc.h"

struct dwarf;

/* Offsets of registers in the context, by DWARF number; -1: not there. */
struct dwarf_registers {
	const s16 *offset;
	u32 n;
	u32 ip;                /* offset of the program counter */
	u32 vector, n_vectors; /* numbers of vector registers */
	u32 arguments;         /* set of DWARF numbers of the general argument registers */
};

/* Opened once and cached. NULL with err set: no debug information, or no libdw. */
struct dwarf *dwarf_of(const char *path, const struct dwarf_registers *regs, struct err *err);
/*
 * For lines and inlined functions only: the debug information of an open file, which must stay open
 * until dwarf_close(), even if its name is gone. NULL as above. What dwarf_sources_at() returns is
 * valid until dwarf_close().
 */
struct elf;
struct dwarf *dwarf_open(struct elf *e, struct err *err);
void dwarf_close(struct dwarf *d); /* d may be NULL */
/* Approximate bytes of memory allocated for it so far. A reader that holds more than
 * DWARF_MOST_BYTES should be closed and opened again, which frees them. */
enum { DWARF_MOST_BYTES = 48 << 20 };
size_t dwarf_memory(const struct dwarf *d);

enum dwarf_language { LANGUAGE_OTHER, LANGUAGE_C, LANGUAGE_CXX, LANGUAGE_RUST, LANGUAGE_GO };

enum { DWARF_MAX_RANGES = 16 };

/* An entry of debug information: one instance of a function; NULL: none. */
struct dwarf_instance {
	void *entry;
	u32 unit;
};

struct dwarf_func {
	struct dwarf_instance instance;
	const char *name, *linkage_name; /* linkage_name may be NULL */
	u64 entry;                       /* first instruction, also of an inlined copy */
	struct {
		u64 low, high;
	} range[DWARF_MAX_RANGES]; /* all of its code, cold parts included */
	u32 n_ranges;
	bool inlined;
	bool external;
	bool is_changed; /* LLVM (since 16) removed arguments, the result or parts of it */
	enum dwarf_language language;
	const char *producer;      /* the compiler, "" when unknown */
	const struct type *result; /* &ty_void: none */
	bool result_by_reference;  /* a C++ object that is not trivially copyable */
};

struct dwarf_var {
	const char *name;
	const struct type *type;
	struct loc loc; /* LOC_NONE: the reason is in why */
	const char *why;
	bool is_param;
	bool is_result;    /* Go's results are listed with the parameters */
	bool by_reference; /* a C++ object passed by address */
	/* The location is frame memory or a register that the prologue fills. */
	bool in_frame;
	bool in_list;    /* from a location list: exact at each address */
	const char *gap; /* reason for pieces of LOC_NONE */
	bool is_global;
	u32 line; /* of the declaration, 0: unknown */
};

typedef int (*dwarf_var_fn)(void *ctx, const struct dwarf_var *v); /* non-zero stops */

/* Why there is no information about the code at pc. */
const char *dwarf_why_nothing(struct dwarf *d, u64 pc);
/* The function whose code covers pc; never an inlined one. */
bool dwarf_func_at(struct dwarf *d, u64 pc, struct dwarf_func *out);
/* The innermost function at pc, inlined ones included. */
bool dwarf_inline_at(struct dwarf *d, u64 pc, struct dwarf_func *out);
/*
 * Makes this instance the scope of the code at pc, regardless of ranges: at the first instruction
 * of a copy gcc also begins nested copies, or assigns the instruction to the caller. Entry NULL:
 * ranges apply again.
 */
void dwarf_stay_in(struct dwarf *d, u64 pc, const struct dwarf_instance *instance);
/*
 * The innermost function at pc whose text contains the line; false: none, or it is the innermost
 * function of all.
 */
bool dwarf_instance_of_line(struct dwarf *d, u64 pc, const char *file, u32 line,
			    struct dwarf_instance *out);
/*
 * Parameters, in order, of the function that covers pc, with locations at pc; inner: of the
 * innermost inlined one.
 */
int dwarf_params(struct dwarf *d, u64 pc, bool inner, dwarf_var_fn f, void *ctx);
/* Parameters and locals in scope at pc, innermost first, without hidden ones; no globals. */
int dwarf_vars(struct dwarf *d, u64 pc, dwarf_var_fn f, void *ctx);
/*
 * A variable by name: locals, parameters, then globals of this unit and of others. False: no such
 * name.
 */
bool dwarf_var(struct dwarf *d, u64 pc, const char *name, struct dwarf_var *out);
/* The inlined copies of a function. */
int dwarf_each_inlined(struct dwarf *d, const char *name,
		       int (*f)(void *ctx, const struct dwarf_func *copy), void *ctx);

enum { DWARF_MAX_BODIES = 32 };
struct text_body { /* lines of a source file, inclusive; last: UINT32_MAX for the file's last function */
	const char *file;
	u32 first, last;
};
/* The source texts of functions of that name. */
u32 dwarf_bodies(struct dwarf *d, const char *name, struct text_body out[DWARF_MAX_BODIES]);

/*
 * A type visible to the code at pc: of its unit or, if everywhere, of any. tag: the kind of type.
 */
const struct type *dwarf_find_type(struct dwarf *d, u64 pc, u8 tag, const char *name,
				   bool everywhere);

/* ---- dwarf_line.c */

struct dwarf_line {
	u64 address;
	const char *file;
	u32 line, col;
};

/* The source line of the code at pc. */
bool dwarf_line_at(struct dwarf *d, u64 pc, struct dwarf_line *out);
struct dwarf_source {
	const char *name; /* the linkage name if there is one */
	const char *file;
	u32 line;
	bool inlined; /* into the next function */
};

/* The functions that contain pc, at most max, from the innermost inlined one to the function
 * itself; returns their number. */
u32 dwarf_sources_at(struct dwarf *d, u64 pc, struct dwarf_source *out, u32 max);
/* The end of a function's prologue; 0: unknown. */
u64 dwarf_prologue_end(struct dwarf *d, u64 pc);
struct dwarf_place {
	/* in this function, in an inlined copy of it, or inlined into it; NULL: any */
	const char *func;
	const char *file; /* a path or a suffix of one */
	u32 line, col;    /* column 0: any */
};
/*
 * Calls f for the statements at a source position, with one address for each copy of the code. If
 * the line has no code, the nearest later line with code, *found, is used. Returns their number;
 * -ENOENT: no such file; 0: no later line.
 */
int dwarf_each_at_line(struct dwarf *d, const struct dwarf_place *place, u32 *found,
		       int (*f)(void *ctx, const struct dwarf_line *l), void *ctx);
/* Calls f for every statement line of a function's own text, in line order. */
int dwarf_each_line_of(struct dwarf *d, const char *func,
		       int (*f)(void *ctx, const struct dwarf_line *l), void *ctx);
/* Main source files, for "did you mean". */
void dwarf_each_file(struct dwarf *d, void (*f)(void *ctx, const char *path), void *ctx);

#endif
