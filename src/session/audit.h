/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a compiled script can read, change and cost at worst; nothing is loaded. */
#ifndef SONDE_SESSION_AUDIT_H
#define SONDE_SESSION_AUDIT_H

#include "session/session.h"

struct audit_clause {
	const struct instance *in;
	const struct bpf_func *f;
	struct position at;
	u32 n_sites, effects; /* effects: enum effect set */
	u32 record_bytes;     /* of all records of one event */
	u64 worst;            /* instructions of one event */
};

struct audit_map {
	const struct map_desc *desc;
	bool per_cpu;
	u64 bytes; /* when it is full */
};

/* A function of the script that acts in user space or needs --unsafe. */
struct audit_word {
	const struct builtin *row;
	struct position at; /* the first call */
	bool unsafe;
};

struct audit {
	VEC(struct audit_clause) clauses; /* one for each program */
	VEC(struct audit_map) maps;
	VEC(struct audit_word) words;
	u64 worst, bytes; /* instructions of the most expensive event; of all maps, full */
	u32 record_bytes; /* of the event with the most */
	bool changes;     /* the system, beyond tracing it */
};

/* Lists are in c's arena. ring_bytes: the size of a ring buffer on this kernel. */
void session_audit(struct audit *a, struct compiled *c, u64 ring_bytes);

#endif
