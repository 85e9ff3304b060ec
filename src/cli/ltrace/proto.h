/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prototypes of functions in the syntax of ltrace.conf(5), a line each:
 *
 *	long read(int, +string0, ulong);	the function writes the second; its length is the
 *						result
 *	typedef signum = enum(SIGHUP=1, SIGINT=2);
 *	; a comment
 *
 * and, as an extension for our own table, several functions of one kind:
 *
 *	int puts,unlink,rmdir(string)
 */
#ifndef SONDE_CLI_LTRACE_PROTO_H
#define SONDE_CLI_LTRACE_PROTO_H

#include "base/arena.h"
#include "base/hash.h"

enum proto_kind {
	PROTO_VOID,
	PROTO_INT,
	PROTO_CHAR,
	PROTO_FLOAT,
	PROTO_ADDR, /* file, too */
	PROTO_STRING,
	PROTO_FORMAT, /* of printf(): it and its arguments follow */
	PROTO_ENUM,
	PROTO_POINTER,
	PROTO_STRUCT,
	PROTO_ARRAY,
	PROTO_GUESS, /* nothing is known: a word */
};

enum proto_lens { LENS_NONE, LENS_HEX, LENS_OCTAL, LENS_BOOL, LENS_BITS, LENS_HIDE };
enum proto_len { COUNT_NONE, COUNT_CONST, COUNT_ARG, COUNT_RETURN };

/* How a structure is passed: of its numbers and pointers, what the calling conventions ask. */
struct proto_passing {
	bool is_known;
	bool in_memory; /* not in registers */
	bool has_whole; /* not only floating-point numbers of one size */
	u8 whole;       /* bit i: there are others in the 8 bytes i */
	u8 float_size;
	u32 n_floats;
};

struct proto_type {
	enum proto_kind kind;
	enum proto_lens lens;
	u32 size; /* bytes in memory */
	bool is_signed;
	const struct proto_type *elem; /* pointer, array */
	/* of strings and arrays: elements at most, by its argument (from 0) or the result */
	enum proto_len len_kind;
	u32 len;
	bool stops; /* at a NUL, though a length is given */
	u32 n;      /* members or names */
	const struct proto_member {
		const char *name; /* of enum */
		s64 value;        /* of enum; of struct, the offset */
		const struct proto_type *type;
	} * member;
	struct proto_passing passing; /* of a structure; unknown: that of its members */
};

struct proto_param {
	const struct proto_type *type;
	bool is_out; /* known when the function returns */
};

struct proto {
	const struct proto_type *result;
	const struct proto_param *param;
	u32 n;
	bool is_users; /* of a file of -F */
};

struct proto_table {
	struct arena *arena;
	struct hash protos, types; /* by name */
	bool is_users;             /* what is read from now on */
};

/*
 * Reads a file's text. Later prototypes of a name replace earlier ones. A line that is not
 * understood is passed over; the number of the first one and what is wrong with it, in the arena,
 * or 0.
 */
u32 proto_read(struct proto_table *t, const char *text, const char **why);
const struct proto *proto_find(const struct proto_table *t, const char *name);
void proto_release(struct proto_table *t);

/* ---- places.c */
enum { ARG_WORDS = 32, WORD_FLOAT = 0xffff /* in a floating-point register */ };
struct proto_walk { /* what the parameters before have taken */
	u32 whole, floats, stack;
};
struct proto_place {
	u32 n; /* words of 8 bytes */
	u16 word[ARG_WORDS];
	bool by_address; /* the word is the address of the value */
};
/* A number, floating-point or not, in a structure. */
void proto_pass(struct proto_passing *p, u32 offset, u32 size, bool is_float);
void proto_walk_begin(struct proto_walk *w, const struct proto *p);
void proto_place(struct proto_walk *w, const struct proto_type *t, struct proto_place *to);
/* w: of what follows the parameter. */
void proto_place_of(const struct proto *p, u32 param, struct proto_walk *w, struct proto_place *to);
bool proto_result_in_memory(const struct proto_type *t);
/* Such a function returns the address of the memory, where arm64's need not. */
bool proto_returns_address(void);
void proto_place_result(const struct proto_type *t, struct proto_place *to);

/* Of a function that is not known: four words. */
extern const struct proto proto_unknown;

/* Our own table: cli/packed.def */
extern const struct packed_data proto_builtin;

#endif
