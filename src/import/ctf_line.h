/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of babeltrace2's text with all names (sink.text.pretty, --names=all --clock-cycles
 * --no-delta):
 *
 *	timestamp = 42, trace:hostname = vm, name = sched_switch, stream.packet.context = { cpu_id = 0 },
 *		stream.event.context = { tid = 7 }, event.fields = { prev_comm = "sh", prev_prio = 120, list = [ [0] = 1 ] }
 */
#ifndef SONDE_IMPORT_CTF_LINE_H
#define SONDE_IMPORT_CTF_LINE_H

#include "base/arena.h"

enum ctf_kind { CTF_NUMBER, CTF_TEXT, CTF_LIST /* of numbers */ };

struct ctf_value {
	const char *name; /* of a member of a structure in the fields: "outer_inner" */
	enum ctf_kind kind;
	u64 number; /* as two's complement */
	const char *text;
	const u64 *list;
	u32 n; /* bytes of text, numbers of list */
};

enum { CTF_VALUES_MOST = 64 };

struct ctf_values { /* more than fit are left out */
	struct ctf_value v[CTF_VALUES_MOST];
	u32 n;
};

struct ctf_line {
	u64 cycles;
	const char *name;
	struct ctf_values context; /* of packet, stream and event */
	struct ctf_values fields;
};

/* False: it is no such line. What l points to lives in a. */
bool ctf_line_read(struct ctf_line *l, struct arena *a, const char *s, size_t len);
/* NULL: there is none of that name. */
const struct ctf_value *ctf_value_of(const struct ctf_values *v, const char *name);

#endif
