/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program's debug information (DWARF 4 and 5, split, shared by dwz, in type units) says about a
 * place in its code: the function, its parameters, the variables in scope and where they are, the
 * source line; and types by name. Read by libdw, and only what is asked for: a unit's first entry to
 * know its addresses, then the one unit that a question is about.
 *
 * All addresses are in the file's own numbering. Types, names and locations live until the process ends:
 * structures are completed when the checker asks, long after the probe was resolved.
 */
#ifndef SONDE_OBJECT_DWARF_H
#define SONDE_OBJECT_DWARF_H

#include "base/err.h"
#include "type/loc.h"

struct dwarf;

/* Where the context keeps the registers, by DWARF's numbers; -1: it does not. */
struct dwarf_registers {
	const s16 *offset;
	u32 n;
	u32 ip;                /* offset of the program counter */
	u32 vector, n_vectors; /* numbers of vector registers */
	u32 arguments;         /* set of the numbers of general registers that arguments come in */
};

/* Opened once and kept. NULL with err set: no debug information is to be found, or nothing to read it. */
struct dwarf *dwarf_of(const char *path, const struct dwarf_registers *regs, struct err *err);

enum dwarf_language { LANGUAGE_OTHER, LANGUAGE_C, LANGUAGE_CXX, LANGUAGE_RUST, LANGUAGE_GO };

enum { DWARF_MAX_RANGES = 16 };

/* An entry of debug information: one instance of a function, NULL: none. */
struct dwarf_instance {
	void *entry;
	u32 unit;
};

struct dwarf_func {
	struct dwarf_instance instance;
	const char *name, *linkage_name; /* linkage_name may be NULL */
	u64 entry; /* its first instruction; of an inlined copy where it begins */
	struct {
		u64 low, high;
	} range[DWARF_MAX_RANGES]; /* all of its code: unlikely parts lie elsewhere */
	u32 n_ranges;
	bool inlined;
	bool external;
	bool is_changed; /* LLVM (since 16) has left out arguments, the result or parts of it */
	enum dwarf_language language;
	const char *producer;      /* the compiler, "" when unknown */
	const struct type *result; /* &ty_void: none */
	bool result_by_reference;  /* a C++ object that is not copied bit by bit */
};

struct dwarf_var {
	const char *name;
	const struct type *type;
	struct loc loc; /* LOC_NONE: why says the reason */
	const char *why;
	bool is_param;
	bool is_result;    /* Go's results are listed with the parameters */
	bool by_reference; /* passed as the address of a C++ object */
	/* The location is memory of the frame, or a register, that the function's own first instructions fill. */
	bool in_frame;
	bool in_list;    /* the location is given for ranges of addresses: exact at each */
	const char *gap; /* why some of it has no location: pieces of LOC_NONE */
	bool is_global;
	u32 line; /* of the declaration, 0: unknown */
};

typedef int (*dwarf_var_fn)(void *ctx, const struct dwarf_var *v); /* non-zero stops */

/* Why nothing is known about the code at pc. */
const char *dwarf_why_nothing(struct dwarf *d, u64 pc);
/* The function whose code covers pc, not an inlined one. */
bool dwarf_func_at(struct dwarf *d, u64 pc, struct dwarf_func *out);
/* The innermost function at pc, inlined ones included. */
bool dwarf_inline_at(struct dwarf *d, u64 pc, struct dwarf_func *out);
/*
 * From now on the code at pc is in the scope of that instance, whatever its ranges: at the first instruction of a copy
 * gcc has the copies that are inlined into it begin as well, or leaves that instruction to the caller. Entry NULL: in
 * the scope that ranges say again.
 */
void dwarf_stay_in(struct dwarf *d, u64 pc, const struct dwarf_instance *instance);
/* Of the functions at pc the innermost whose text has that line; false: none, or it is the innermost of all. */
bool dwarf_instance_of_line(struct dwarf *d, u64 pc, const char *file, u32 line,
			    struct dwarf_instance *out);
/* Parameters, in order, of the function that covers pc, with locations as of pc; inner: of the innermost
 * inlined one. */
int dwarf_params(struct dwarf *d, u64 pc, bool inner, dwarf_var_fn f, void *ctx);
/* Parameters and locals in scope at pc, innermost first, hidden ones left out; no globals. */
int dwarf_vars(struct dwarf *d, u64 pc, dwarf_var_fn f, void *ctx);
/* One by name: locals, parameters, then globals of this unit and of others. False: no such name. */
bool dwarf_var(struct dwarf *d, u64 pc, const char *name, struct dwarf_var *out);
/* The inlined copies of a function. */
int dwarf_each_inlined(struct dwarf *d, const char *name,
		       int (*f)(void *ctx, const struct dwarf_func *copy), void *ctx);

/* A type as code at pc sees it: of its unit, or, with everywhere, of any. tag as in struct world. */
const struct type *dwarf_find_type(struct dwarf *d, u64 pc, u8 tag, const char *name,
				   bool everywhere);

/* ---- dwarf_line.c */

struct dwarf_line {
	u64 address;
	const char *file;
	u32 line, col;
};

/* The line that the code at pc belongs to. */
bool dwarf_line_at(struct dwarf *d, u64 pc, struct dwarf_line *out);
struct dwarf_source {
	const char *name; /* as linkers know it where they do */
	const char *file;
	u32 line;
	bool inlined; /* into the function of the next depth */
};

/* The depth-th function whose text the code at pc is of, from the innermost inlined one to the function itself. */
bool dwarf_source_at(struct dwarf *d, u64 pc, u32 depth, struct dwarf_source *out);
/* Where a function's prologue ends; 0: not known. */
u64 dwarf_prologue_end(struct dwarf *d, u64 pc);
/*
 * Statements at file:line (col 0: any; func NULL: any, else in that function, in an inlined copy of it, or
 * inlined into it), one address for each copy of the code. file is a path or its end. When no code begins
 * there, *found gets the nearest later line that has some, and its addresses are given. Returns their
 * number; -ENOENT: no such file; 0: no later line.
 */
int dwarf_each_at_line(struct dwarf *d, const char *func, const char *file, u32 line, u32 col,
		       u32 *found, int (*f)(void *ctx, const struct dwarf_line *l), void *ctx);
/* Every statement line of a function's own text, wherever its code lies, in order of lines. */
int dwarf_each_line_of(struct dwarf *d, const char *func,
		       int (*f)(void *ctx, const struct dwarf_line *l), void *ctx);
/* Main source files, for "did you mean". */
void dwarf_each_file(struct dwarf *d, void (*f)(void *ctx, const char *path), void *ctx);

#endif
