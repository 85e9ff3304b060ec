/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the text of a call is made of: its arguments and the memory that was copied
 * (type/call.h). */
#ifndef SONDE_TRACE_CALL_MEMORY_H
#define SONDE_TRACE_CALL_MEMORY_H

#include "type/call.h"

struct buf;
struct call_more;
struct call_style;
struct names;

struct shown {
	struct buf *b;
	const struct names *names;
	const u8 *value;
	u32 used, n_args;
	u32 protocol;  /* of the netlink socket that is argument 0, and 1; 0: it is none */
	u8 net_family; /* of the netlink message */
	bool returned;
	s64 result;
	s64 left; /* bytes that the call stored in buffers that were not shown yet */
	u32 depth;
	const struct call_format *f;
	u32 most, hex; /* bytes of text; argstr_hex */
	bool plain_fds;
	const struct call_style *style;
	struct buf *dump; /* receives the data of buffers in hex; may be NULL */
	u32 n_dumped;
	const struct call_more *more; /* memory besides; may be NULL */
	u32 most_name;                /* bytes that are copied of a file name; 0: not known */
};

/* Where the bytes of a value are. */
struct bytes {
	const u8 *p;
	u32 n;
	const u8 *base; /* of the structure that it is a member of: n_base bytes */
	u32 n_base;
	bool out;      /* it is as the call has left it */
	const u8 *was; /* its previous bytes, of the same size; NULL: not known */
	u64 address;   /* of p; 0: it is in place */
	u64 whole;     /* size that the call was given; 0: not known */
};

/* An argument as a word; 0: the value has none. */
u64 call_arg_of(const struct shown *s, u32 i);
/*
 * The captured memory from an address on: of the return if out, else of the entry. Of several
 * pieces the first that has `wanted` bytes, else the longest. p is NULL if nothing was copied
 * there.
 */
struct bytes call_memory(const struct shown *s, u64 address, u32 wanted, bool out);
/* Likewise of a string: up to its NUL, or what is shown of it. */
struct bytes call_string(const struct shown *s, u64 address, bool out);
/* The length of `at`, in its units; -1: not known. */
s64 call_len_of(const struct shown *s, struct call_len len, struct bytes at);
/* Size of the object of a view; 0: it varies. */
u32 call_size_of(const struct call_view *v);
/* The case of a choice for the members at `base`; of a choice in a choice, that one's. */
const struct call_view *call_chosen(const struct shown *s, const struct call_choice *c,
				    const u8 *base, u32 n_base);

#endif
