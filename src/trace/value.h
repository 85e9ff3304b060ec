/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values as text: the format of print() and %s. JSON is formatted by output/json.c. */
#ifndef SONDE_TRACE_VALUE_H
#define SONDE_TRACE_VALUE_H

#include "base/buf.h"
#include "trace/names.h"

/* Appends the value of type t at p, without a newline. Formats: value.c. */
void value_text(struct buf *b, const struct names *names, const struct type *t, const void *p);
/* The same, with integers and aggregations divided by div, for print(@x, top, div). */
void value_text_div(struct buf *b, const struct names *names, const struct type *t, const void *p,
		    s64 div);
/* Appends text from a traced process or a foreign file; escapes control characters if
 * names->visible. */
void put_foreign(struct buf *b, const struct names *names, const char *text, size_t len);
void put_foreignz(struct buf *b, const struct names *names, const char *text);
/* Appends a newline, then each frame on an indented line. */
void stack_text(struct buf *b, const struct names *names, const struct type *t, const void *p);
/* Appends the symbol of an address, without offset: "vfs_read". False: it is unknown, "0x..." is
 * appended. */
bool symbol_name(struct buf *b, const struct names *names, bool user, struct process_at of, u64 ip);
/* The same of a frame; is_return: ip is a return address. In the place of an address there may be
 * the reason why the stack ends. */
bool frame_name(struct buf *b, const struct names *names, bool user, struct process_at of, u64 ip,
		bool is_return);
/* Why a user stack ends there: the text that frame_name() puts in brackets. NULL: ip is an
 * address. */
const char *frame_reason(bool user, u64 ip);
/* The file of a frame without its folders, or the kernel module; "kernel", and "" if it is unknown.
 * Valid until the next lookup. */
const char *frame_module(const struct names *names, bool user, struct process_at of, u64 ip);
/* The frames of one side of a stack value as printed, innermost first. ips has room for
 * STACK_MAX_FRAMES. Returns their number; 0 if the value has no such side. *of: of user frames, the
 * process. */
u32 stack_frames(const struct names *names, const struct type *t, const void *p, bool user,
		 u64 *ips, struct process_at *of);
/* Whether a kernel function of that name is a tracer frame: between the event and the BPF
 * program. */
bool stack_is_tracer_frame(const char *name);
/* A hash of the frames as printed: equal for stacks that print the same. */
u64 stack_identity(const struct names *names, const struct type *t, const void *p);
/* The name of a TY_PROBE value, or NULL. */
const char *site_text(const struct program *prog, bool is_func, u64 site);
/* The text of a string value: its length without NUL, at most its capacity. */
u32 value_strlen(const struct type *t, const void *p);
/*
 * The text to append to a string of len bytes: the trailer if the string fills its capacity, else
 * "". Literals and comm always fit exactly, so a terminated string counts only if its capacity is
 * max_strlen and it was read.
 */
const char *value_str_trailer(const struct names *names, const struct type *t, u32 len);
/* A bitfield of the struct at base, sign- or zero-extended. */
s64 value_bitfield(const struct field *f, const void *base);
/* Whether to print a member of the struct at base; of variants, only the active one. */
bool value_has_field(const struct field *f, const void *base);
/* Signed or unsigned division, by the type; div 0 is treated as 1. */
s64 value_div(const struct type *t, s64 v, s64 div);
/* The shortest decimal that reads back as the same float or double. */
void value_float(struct buf *b, const struct type *t, const void *p);
double value_double(const struct type *t, const void *p);
/* strftime in local time, with %f (us, 6 digits), %k (ns, 9 digits) and %l (ms, 3 digits). */
void time_text(struct buf *b, const char *fmt, u64 wall_ns);
/* Names of an allocation's GFP flags: composites first, then single flags, the rest in hex. */
void gfp_text(struct buf *b, u64 flags);
/* Bytes: printable as they are and \xNN; all as \xNN; all as "4a 4b". */
void bytes_text(struct buf *b, const u8 *bytes, u32 len);
void bytes_escaped(struct buf *b, const u8 *bytes, u32 len);
void bytes_hex(struct buf *b, const u8 *bytes, u32 len);
/* The bytes of a TY_BUFFER value; at most its capacity. */
u32 value_bytes(const struct type *t, const void *p, const u8 **bytes);

/*
 * printf: a format of len bytes, NULs among them, parsed once, applied to records. format_parse
 * returns NULL and sets *error (a static text) and *at (offset in fmt) on a bad format; the checker
 * uses it too.
 */
struct format_spec {
	const char *literal; /* text before it (already unescaped) */
	u32 literal_len;
	/* d i u o x X c p s; 'r' buffer, 'R' = rx, 'H' = rh, 'G' = gr, 'e' float; 0: tail */
	char conv;
	char letter; /* of a float: e E f F g G */
	bool minus, plus, blank, hash, zero, star_width, star_prec;
	s32 width, precision; /* -1: none */
	u8 length;            /* bytes that the length modifier keeps: 1, 2, 4, 8; 0: none given */
	u32 offset;           /* in the format string, for messages */
	u32 end;
};
struct format {
	struct format_spec *spec;
	u32 n;      /* including the tail */
	u32 n_args; /* consumed values, star widths included */
	/* the first percent sign that begins no conversion, in the format parsed */
	const char *odd;
};
struct format *format_parse(struct arena *a, const char *fmt, size_t len, const char **error,
			    u32 *at);
/* Whether a conversion accepts a value of type t. */
bool format_accepts(const struct format_spec *spec, const struct type *t);
void format_apply(struct buf *b, const struct format *f, const struct names *names,
		  const struct event_field *fields, u32 n_fields, const void *record);

#endif
