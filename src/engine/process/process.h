/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the process engine: attach.c fills it, process.c runs it. */
#ifndef SONDE_PROCESS_PROCESS_H
#define SONDE_PROCESS_PROCESS_H

#include "base/hash.h"
#include "engine/process/area.h"
#include "engine/process/compiled.h"
#include "engine/process/internal.h"
#include "engine/timers.h"
#include "vm/vm.h"

/* Functions that run for the records of a site. */
struct handlers {
	u64 site;    /* address in the process */
	u64 strings; /* bit i: argument i is one */
	bool is_function;
	u8 back; /* of a return: bytes from the site to it */
	VEC(struct handler) list;
};

struct process {
	struct vm *vm;
	struct vm_world *world;
	const struct program *prog;
	struct arena arena;
	u32 pid; /* 0: no tracepoint is attached */
	VEC(struct patch) patches;
	struct functions *functions; /* NULL: none is probed */
	struct compiled *compiled;   /* NULL: nothing can run in a process */
	/* By function: it has sites in the process; it runs in the process at all of them known so
	 * far. */
	bool *is_event, *runs;
	struct tids tids;
	bool is_elsewhere;
	struct hash handlers; /* struct handlers by site, in the arena */
	struct rings *rings;
	struct timers timers;
	struct tsc tsc;
	struct {
		bool is_started, is_stopped;
		bool has_more;    /* the last drain has left records */
		bool in_children; /* it is also one of the process's children */
	} run;
	u64 now, record_time;
	u64 *failed; /* by function: runs that a fault ended */
	bool *sends; /* by function: it runs in the process at some site */
	u32 first_func;
	int timer_fd, lock_fd;
	s32 watcher;
	bool has_rings; /* of functions */
	struct launched launched;
	VEC(struct attach_request) awaiting; /* launch_command() attaches them */
	struct record_context context;
	u64 registers[PT_REGS_WORDS];
	VEC(const char *) how; /* of each attachment, for -v */
};

static inline struct process *process_of(const void *self)
{
	return vm_world((struct vm *)(uintptr_t)self)->ctx;
}

/* ---- attach.c */
/* All patches, of which those from `from` on are new. */
struct patched process_patched(struct process *p, u32 from);
/* Measures the time stamp counter against the clock again. */
void process_look_at_clock(struct process *p);
/* The operations of struct engine. */
int process_attach(void *self, const struct attach_request *a, struct err *err);
int process_launch_command(void *self, s32 pid, int (*release)(void *ctx, struct err *err),
			   void *ctx, struct err *err);
const char *process_how(const void *self, u32 i);

#endif
