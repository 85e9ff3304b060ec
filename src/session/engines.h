/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engines of one run. Each site has one (struct target_site); their results are merged: records
 * in the order of time, maps key by key, losses added.
 */
#ifndef SONDE_SESSION_ENGINES_H
#define SONDE_SESSION_ENGINES_H

#include "engine/engine.h"

struct compiled;
struct sink;
struct target_site;

/* By the index of compiled.engines; self NULL: no site needs it. */
struct used_engine {
	const struct engine *ops;
	void *self;
};

struct used_engines {
	struct used_engine *v; /* NULL: none is open */
	u32 n;
	const struct program *prog;
};

int engines_open(struct used_engines *e, struct compiled *c, const struct engine_options *o,
		 struct err *err);
void engines_close(struct used_engines *e, struct sink *s);
void engines_start(struct used_engines *e);
void engines_detach_all(struct used_engines *e);
/* The first that is used (u NULL), the next one; NULL: no more. */
struct used_engine *engines_next(const struct used_engines *e, struct used_engine *u);
bool engines_have_events(const struct used_engines *e);
bool engines_on_this_kernel(const struct used_engines *e);
/* No engine will return further records. */
bool engines_are_over(const struct used_engines *e);
bool engines_drained_much(const struct used_engines *e);
/* The fullest ring, of 256. */
u32 engines_fill(const struct used_engines *e);
/* The engine of a site; of a site that was added during the run, the best of those that are used,
 * or NULL. */
const struct used_engine *engine_of(const struct used_engines *e, const struct target_site *t);
const struct used_engine *engine_for_deferred(const struct used_engines *e, const struct site *s);
/* Makes room in all of them, see engine.h. */
int engines_extend(struct used_engines *e, u32 data_from);

/* Records of all, the oldest first; how many. Ends at the record that sets *is_over: an engine may
 * have an hour of them. *settled: all records up to this time have come, see trace/sink.h; 0: some
 * may be missing. */
int engines_drain(struct used_engines *e, const bool *is_over, u64 *settled, record_fn f,
		  void *ctx);
/* After the last record: the next drain finds it. */
void engines_settle(const struct used_engines *e);
u64 engines_skipped(struct used_engines *e, u32 func);

/* As in engine.h, for the maps of all. */
int engines_map_read(struct used_engines *e, u32 map, struct arena *a, struct table *t);
int engines_map_clear(struct used_engines *e, u32 map);
int engines_map_zero(struct used_engines *e, u32 map);
void *engines_map_memory(struct used_engines *e, u32 map);
bool engines_bell(struct used_engines *e, struct bell *out); /* engine.h; false: there is none */
int engines_map_set(struct used_engines *e, u32 map, const void *key, const void *value);
int engines_map_delete(struct used_engines *e, u32 map, const void *key);
/* As map_move of engine/engine.h, in the engine that has it. */
int engines_map_move(struct used_engines *e, u32 map, const void *from, const void *to,
		     bool replace);
u32 engines_stack(struct used_engines *e, const struct stack_value *v, u32 limit, u64 *ips,
		  u64 *time);
/* A counter: the sum. */
u64 engines_count(struct used_engines *e, u32 offset);
/* A word that session writes: the same in all. */
u64 engines_word(struct used_engines *e, u32 offset);
void engines_set_word(struct used_engines *e, u32 offset, u64 value);

/* Time, symbols, mappings: of the engine that has its own, else of this machine. */
struct engine_clock engines_clock(const struct used_engines *e);
bool engines_ksym(const struct used_engines *e, u64 addr, struct symbol *out);
/* Of the recorded event whose records are drained. */
void engines_recorded_stacks(const struct used_engines *e, struct trace_event *event);
bool engines_usym(const struct used_engines *e, const struct engine_code *at, struct symbol *out);
int engines_maps_open(struct used_engines *e, bool prompt); /* -ENOSYS: no engine reports them */
int engines_maps_fd(const struct used_engines *e);
void engines_maps_read(struct used_engines *e, map_event_fn f, void *ctx);

#endif
