/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The C expressions of a print fmt as trees: event_expr.c parses, event_text.c evaluates. */
#ifndef SONDE_TRACE_EVENT_EXPR_H
#define SONDE_TRACE_EVENT_EXPR_H

#include "base/arena.h"
#include "trace/names.h"
#include "type/event_format.h"

enum ex_kind {
	EX_NUMBER, /* value, size, is_signed */
	EX_STRING,
	EX_MEMBER,  /* member of the record; an array is its address */
	EX_INDEX,   /* a[b] */
	EX_UNARY,   /* op a */
	EX_BINARY,  /* a op b; op: one character, or two as in "<<" */
	EX_TERNARY, /* a ? b : c */
	EX_CAST,    /* size and is_signed */
	EX_CALL,    /* call; args */
	EX_PAIR,    /* { a, "text" } of a table; text NULL: the end, or a is unknown */
};

enum ex_call {
	EX_GET_STR,     /* __get_str, __get_rel_str */
	EX_GET_ARRAY,   /* __get_dynamic_array and the like */
	EX_GET_LEN,     /* __get_dynamic_array_len */
	EX_GET_BITMASK, /* "00000000,00000003" */
	EX_GET_CPUMASK, /* "0-1,4" */
	EX_GET_SOCKADDR,
	EX_PRINT_FLAGS,
	EX_PRINT_SYMBOLIC,
	EX_PRINT_HEX,     /* "0a 1b" */
	EX_PRINT_HEX_STR, /* "0a1b" */
	EX_PRINT_ARRAY,
	EX_NS_TO_SECS,
	EX_NS_WITHOUT_SECS,
	EX_PRINT_DYNAMIC, /* __print_dynamic_array: the member has its length */
	EX_BSWAP16,
	EX_BSWAP32,
	EX_BSWAP64,
	EX_JIFFIES_TO_MS,
	EX_DISK_NAME, /* "disk=NAME, " or nothing */
	EX_CTRL_ID,   /* "3", or "_" for none */
	EX_UNKNOWN,   /* a kernel function: its argument as a number, or bytes in hexadecimal */
	EX_SAME,      /* f(x) is treated as x */
};

struct ex {
	enum ex_kind kind;
	u16 op;
	enum ex_call call;
	bool is_signed;
	u32 size;
	s64 value;
	const char *text;
	const struct event_member *member;
	struct ex *a, *b, *c;
	struct ex *next; /* next argument or pair */
};

struct ex_format {
	const char *text; /* the format string, unescaped */
	struct ex *args;
};

/* names: for enumerators that the kernel left in the text; may be NULL. Allocates in a. Returns
 * NULL if the text cannot be parsed. */
struct ex_format *ex_parse(struct arena *a, const struct event_format *f,
			   const struct names *names);

#endif
