/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the lines of sonde strace and sonde ltrace: times and frames of stacks. */
#ifndef SONDE_CLI_LINE_H
#define SONDE_CLI_LINE_H

#include "trace/sink.h"

struct cli;

enum line_time { TIME_NONE, TIME_OF_DAY, TIME_EPOCH };

struct line_clock {
	enum line_time time; /* -t, -tt, -ttt */
	int digits;          /* of its fraction */
	bool relative;       /* -r: time since the last line */
	int relative_digits;
	u32 times;   /* how often -t was given */
	u64 last_ns; /* of that line; 0: none yet */
};

/* -t: value NULL: one more, which is time of day, with microseconds, or seconds since 1970; else
 * FORMAT of --absolute-timestamps. 0, or 1 after a message. */
int line_read_time(const struct cli *c, struct line_clock *clock, const char *value);
/* -r, likewise. */
int line_read_relative(const struct cli *c, struct line_clock *clock, const char *value);
/* The PRECISION of an option, NULL: us. *digits: of the fraction. */
int line_read_precision(const struct cli *c, const char *option, const char *value, int *digits);
/* "s", "ms", "us", "ns": digits of the fraction; -1: another word. */
int line_read_digits(const char *unit);
/* Wall-clock time of a boot time. */
u64 line_wall_ns(const struct names *names, u64 ns);
/* "1.000123" */
void line_put_seconds(struct buf *b, u64 ns);
/* "1.0": a number of seconds, with that many digits after the point (at most 9; further ones are
 * cut off); width: the least number of characters before the point. */
void line_put_time_digits(struct buf *b, u64 ns, int width, int digits);
/* The times before a line, and a blank; nothing without -t and -r. */
void line_put_time(struct buf *b, const struct names *names, struct line_clock *clock, u64 ns);
/* A name of a traced program or file; control characters are escaped if visible
 * (base/visible.h). */
void line_put_name(struct buf *b, const char *name, bool visible);
/* The user frames of a stack value, a line each: " > FILE(FUNCTION+0x12) [0x3456]", the last an
 * offset in the file. */
void line_put_stack(struct buf *b, const struct names *names, const struct type *t,
		    const void *stack, bool visible);

#endif
