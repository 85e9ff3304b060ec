/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads mappings of processes for scripts that print user symbols. Mappings that exist at the start
 * are read while the run is idle; later ones are reported by events, so that stacks of processes
 * that have ended have names. With -p or --follow only the visible processes matter, and their
 * files are opened at once, before they can be deleted.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include "base/clock.h"
#include "session/run.h"
#include "session/stack_keys.h"
#include "object/elf.h"
#include "sym/procmaps.h"
#include "sym/procs.h"
#include "sym/unwinds.h"
#include "sym/usym.h"

enum {
	MAX_TURN_NS = 4000000,
	SOON_MS = 4,
	REST_MS = 50,
	LONG_REST_MS = 200,
	FEW_EVENTS = 64, /* a ring has room for 400 */
};

struct usermaps {
	int refused;        /* changes of mappings are not reported, because of this errno; */
	bool missed_one;    /* and a process ended before its mappings were read */
	bool some;          /* only these: */
	struct hash member; /* of u32 *pid */
	u64 last_change;    /* when an event was read last (CLOCK_MONOTONIC) */
	bool told;          /* an event has come: no other wakes sonde; */
	u64 rest_until;     /* they are read then, unless 0 */
	u32 rest_ms;
	u32 n_events, n_matter;  /* read since; those of processes whose mappings programs have */
	VEC(u32) waiting;        /* processes that were there at the start */
	VEC(u32) changed;        /* processes whose mappings changed, for unwinds */
	struct unwinds *unwinds; /* NULL: no stacks are unwound */
	bool for_engine;         /* ... but an engine's, whose first hit asks for mappings */
	struct raw_stacks *raw;  /* NULL: no program keeps hits */
	struct stack_keys keys;
	VEC(u32) listed; /* processes in the programs' map, some twice; */
	u32 sweep_at;    /* at that number those that have ended are removed */
	struct arena arena;
};

struct usyms *run_usyms(struct run *r)
{
	if (!r->naming.usyms) {
		r->naming.usyms = usyms_new();
		usyms_demangle(r->naming.usyms, r->c.env.config.cpp_demangle);
	}
	return r->naming.usyms;
}

static bool matters(const struct usermaps *m, u32 pid)
{
	return !m->some || hash_get(&m->member, &pid, sizeof pid);
}

static void add_member(struct usermaps *m, u32 pid)
{
	u32 *key = arena_dup(&m->arena, &pid, sizeof pid);

	hash_put(&m->member, key, sizeof *key, key);
}

static void note_changed(struct usermaps *m, u32 pid)
{
	if (!m->unwinds ||
	    (!m->some && (m->raw || m->for_engine) && !unwinds_knows(m->unwinds, pid)))
		return; /* its first hit asks for its mappings */
	m->n_matter++;
	for (u32 i = m->changed.n; i--;)
		if (m->changed.v[i] == pid)
			return;
	vec_push(&m->arena, &m->changed, pid);
}

/* ---- for outputs that keep them */

static void tell_mapped(struct run *r, struct map_event e, const struct mapping *m)
{
	struct elf *elf = usyms_elf(run_usyms(r), e.pid, m);

	if (elf)
		e.build_id = elf_build_id(elf, &e.build_id_len);
	r->sink->output->mapping(r->sink, &e);
}

/* What a process has mapped already. */
static void tell_present(struct run *r, u32 pid)
{
	const struct procmaps *maps = r->sink->output->mapping ? usyms_read(run_usyms(r), pid) :
								 NULL;

	for (u32 i = 0; maps && i < maps->list.n; i++) {
		const struct mapping *m = &maps->list.v[i];

		if (m->exec)
			tell_mapped(r,
				    (struct map_event){ .kind = PROC_MAPPED,
							.pid = pid,
							.start = m->start,
							.end = m->end,
							.offset = m->offset,
							.inode = m->inode,
							.dev_major = m->dev_major,
							.dev_minor = m->dev_minor,
							.path = m->path },
				    m);
	}
}

static void tell(struct run *r, const struct map_event *e, const struct mapping *m)
{
	if (!r->sink->output->mapping)
		return;
	if (e->kind == PROC_MAPPED)
		tell_mapped(r, *e, m);
	else
		r->sink->output->mapping(r->sink, e);
}

/* ---- changes */

/* Hits until then are unwound by the mappings that it had. */
static void end_program(struct usermaps *m, const struct map_event *e)
{
	if (m->raw)
		raw_stacks_unwind(m->raw, e->pid, e->time);
	unwinds_forget(m->unwinds, e->pid);
}

static bool follows_forks(const struct traced *t)
{
	return t->scope == SCOPE_TREE || t->in_children;
}

static void on_map_event(void *ctx, const struct map_event *e)
{
	struct run *r = ctx;
	struct usyms *u = run_usyms(r);
	struct mapping m = { .start = e->start,
			     .end = e->end,
			     .offset = e->offset,
			     .inode = e->inode,
			     .dev_major = e->dev_major,
			     .dev_minor = e->dev_minor,
			     .exec = true,
			     .path = e->path };

	r->naming.usermaps->n_events++;
	if (e->kind == PROC_FORK && follows_forks(&r->request->traced))
		alone_forked(r, e->parent, e->pid, e->time);
	if (e->kind == PROC_MAPPED)
		alone_mapped(r, e);
	if (!matters(r->naming.usermaps, e->kind == PROC_FORK ? e->parent : e->pid))
		return;
	r->naming.usermaps->last_change = clock_mono_ns();
	if (e->kind == PROC_EXEC && r->naming.usermaps->unwinds)
		end_program(r->naming.usermaps, e);
	note_changed(r->naming.usermaps, e->pid);
	switch (e->kind) {
	case PROC_MAPPED: usyms_mapped(u, e->pid, &m, e->time); break;
	case PROC_EXEC: usyms_exec(u, e->pid, e->time); break;
	case PROC_FORK:
		if (r->naming.usermaps->some)
			add_member(r->naming.usermaps, e->pid);
		usyms_forked(u, e->parent, e->pid, e->time);
		break;
	}
	tell(r, e, &m);
}

static int wait_for_turn(void *ctx, u32 pid)
{
	struct usermaps *m = ctx;

	vec_push(&m->arena, &m->waiting, pid);
	return 0;
}

static void note_member(struct usermaps *m, u32 pid)
{
	add_member(m, pid);
	wait_for_turn(m, pid);
}

/* Notes the processes that exist already and that the script may trace. */
static void note_present(struct run *r, struct usermaps *m)
{
	const struct traced *t = &r->request->traced;

	m->some = traced_by_set(t) || t->n_pids || t->scope == SCOPE_EVENTS;
	if (!m->some)
		proc_each(wait_for_turn, m);
	if (m->some && t->command)
		note_member(m, (u32)r->child.pid);
	for (u32 i = 0; i < t->n_pids; i++)
		note_member(m, t->pids[i]);
}

static void forget(struct run *r, struct usermaps *m, u32 map, u32 pid)
{
	engines_map_delete(&r->engines, map, &pid);
	unwinds_forget(m->unwinds, pid);
}

/* Processes that end are noticed when the map has a quarter more than it had at the last look. */
static u32 next_sweep(const struct compiled *c, u32 n)
{
	u32 map = program_map_of(&c->prog, MAP_UNWIND_PROCESSES);

	return n + c->prog.maps.v[map].max_entries / 4;
}

static void sweep(struct run *r, struct usermaps *m)
{
	u32 map = program_map_of(&r->c.prog, MAP_UNWIND_PROCESSES), n = 0;

	for (u32 i = 0; i < m->listed.n; i++)
		if (proc_exists(m->listed.v[i]))
			m->listed.v[n++] = m->listed.v[i];
		else
			forget(r, m, map, m->listed.v[i]);
	m->listed.n = n;
	m->sweep_at = next_sweep(&r->c, n);
}

static void set_process(void *ctx, u32 pid, const struct unwind_process *p)
{
	struct run *r = ctx;
	u32 map = program_map_of(&r->c.prog, MAP_UNWIND_PROCESSES);
	int ret;

	if (!p) {
		engines_map_delete(&r->engines, map, &pid);
		return;
	}
	if (r->naming.usermaps->listed.n >= r->naming.usermaps->sweep_at)
		sweep(r, r->naming.usermaps);
	ret = engines_map_set(&r->engines, map, &pid, p);
	if (ret == -E2BIG) {
		sweep(r, r->naming.usermaps);
		ret = engines_map_set(&r->engines, map, &pid, p);
	}
	if (!ret)
		vec_push(&r->naming.usermaps->arena, &r->naming.usermaps->listed, pid);
}

/* ---- stacks that an engine unwinds */

/* A process within exec() is asked again: no event follows that. */
static void read_changes(struct run *r)
{
	struct usermaps *m = r->naming.usermaps;
	u32 n = 0;

	if (!m->refused)
		engines_maps_read(&r->engines, on_map_event, r);
	for (u32 i = 0; i < m->changed.n; i++) {
		u32 pid = m->changed.v[i];

		if (!unwinds_note(m->unwinds, pid) && proc_is_in_exec(pid))
			m->changed.v[n++] = pid;
	}
	m->changed.n = n;
}

u32 usermaps_unwind(void *run, const struct unwind_raw *raw, u64 *ips, u32 max)
{
	struct run *r = run;

	if (!r->naming.usermaps || !r->naming.usermaps->unwinds)
		return 0;
	read_changes(r);
	return unwinds_frames(r->naming.usermaps->unwinds, raw, ips, max);
}

/* The processes that are traced by name are known before the first event. */
static void start_unwinding(struct run *r, struct usermaps *m)
{
	u32 map = program_map_of(&r->c.prog, MAP_UNWIND);
	void *memory = map == NO_INDEX ? NULL : engines_map_memory(&r->engines, map);
	bool is_whole = feature_has(r->c.features, FEAT_BIG_ARRAYS);
	struct bell bell;

	if (!memory && r->c.env.has_past) {
		m->for_engine = true;
		m->unwinds = unwinds_new(run_usyms(r), NULL, false, NULL, NULL);
	}
	if (!memory)
		return;
	m->sweep_at = next_sweep(&r->c, 0);
	m->unwinds = unwinds_new(run_usyms(r), memory, !is_whole, set_process, r);
	/* none where frames matter at once: by their number, or whether two stacks are equal */
	if (engines_bell(&r->engines, &bell))
		m->raw = raw_stacks_new(memory,
					is_whole && feature_has(r->c.features, FEAT_ATOMIC_FETCH),
					&bell, m->unwinds);
	for (u32 i = 0; m->some && i < m->waiting.n; i++)
		unwinds_note(m->unwinds, m->waiting.v[i]);
}

/* For names of addresses, and for forks: children get probes of their own (alone.c). */
static bool are_needed(const struct run *r)
{
	const struct traced *t = &r->request->traced;

	return r->c.prog.has_user_symbols ||
	       (t->alone && (follows_forks(t) || r->request->probes.elsewhere));
}

void usermaps_start(struct run *r)
{
	struct usermaps *m;

	if (!engines_have_events(&r->engines) || !are_needed(r) || r->c.recorded)
		return;
	r->naming.usermaps = m = xcalloc(1, sizeof *m);
	arena_init(&m->arena);
	note_present(r, m);
	m->refused = -engines_maps_open(
		&r->engines, m->some || program_map_of(&r->c.prog, MAP_UNWIND) != NO_INDEX);
	start_unwinding(r, m);
}

void usermaps_note_gone(struct usermaps *m)
{
	if (m)
		m->missed_one |= m->refused != 0;
}

void usermaps_report(struct run *r)
{
	const struct usermaps *m = r->naming.usermaps;

	if (m && m->missed_one)
		sink_warn(
			r->sink,
			arena_printf(
				&r->c.arena,
				"addresses in processes that were gone when they were printed are numbers: what "
				"they map could not be followed (perf_event_open, mmap): %s",
				strerror(m->refused)));
}

void usermaps_turn(struct run *r)
{
	struct usermaps *m = r->naming.usermaps;
	u64 now;

	if (!m)
		return;
	if (m->raw) {
		raw_stacks_watch(m->raw);
		raw_stacks_collect(m->raw);
	}
	now = clock_mono_ns();
	read_changes(r);
	if (m->raw) {
		raw_stacks_unwind(m->raw, 0, now);
		stack_keys_turn(r, &m->keys, m->raw);
	}
	for (u64 end = clock_mono_ns() + MAX_TURN_NS; m->waiting.n && clock_mono_ns() < end;) {
		u32 pid = m->waiting.v[--m->waiting.n];

		if (m->unwinds && !m->for_engine)
			unwinds_note(m->unwinds, pid);
		else
			usyms_note(run_usyms(r), pid);
		tell_present(r, pid);
	}
}

u64 usermaps_changed(const struct usermaps *m)
{
	return m ? m->last_change : 0;
}

u32 usermaps_raw_stack(struct run *r, u64 id, u32 limit, u64 *ips, u64 *time)
{
	struct usermaps *m = r->naming.usermaps;
	u32 n;

	if (!m || !m->raw)
		return 0;
	n = raw_stacks_hit(m->raw, id, time, ips, limit);
	if (n)
		return n;
	raw_stacks_collect_all(m->raw);
	usermaps_turn(r);
	n = raw_stacks_hit(m->raw, id, time, ips, limit);
	if (!n)
		ips[n++] = UNWIND_WHY_NEW;
	return n;
}

void usermaps_settle(struct run *r)
{
	if (r->naming.usermaps && r->naming.usermaps->raw)
		raw_stacks_collect_all(r->naming.usermaps->raw);
	do
		usermaps_turn(r);
	while (r->naming.usermaps && r->naming.usermaps->waiting.n && r->sink->output->mapping);
	if (r->naming.usermaps && r->naming.usermaps->raw)
		stack_keys_merge(r, r->naming.usermaps->raw, clock_mono_ns());
}

int usermaps_fd(const struct run *r)
{
	return r->naming.usermaps && !r->naming.usermaps->refused ? engines_maps_fd(&r->engines) :
								    -1;
}

int usermaps_hits_fd(const struct usermaps *m)
{
	return m && m->raw ? raw_stacks_fd(m->raw) : -1;
}

void usermaps_told(struct usermaps *m)
{
	m->told = true;
}

/* Longer and longer, while few processes of others start. */
static void rest(struct usermaps *m, bool rests, u32 n_events)
{
	m->rest_ms = m->rest_until && n_events <= FEW_EVENTS ?
			     MIN(2 * m->rest_ms, (u32)LONG_REST_MS) :
			     REST_MS;
	m->rest_until = rests ? clock_mono_ns() + m->rest_ms * 1000000ull : 0;
	if (m->raw && !m->some)
		raw_stacks_rest(m->raw, rests);
}

bool usermaps_listens_again(struct usermaps *m)
{
	bool matter;
	u32 n_events;

	if (!m || !m->told || (m->rest_until && clock_mono_ns() < m->rest_until))
		return false;
	matter = m->n_matter;
	n_events = m->n_events;
	m->n_matter = m->n_events = 0;
	m->told = n_events && !matter;
	if (m->told || m->rest_until)
		rest(m, m->told, n_events);
	return !m->told;
}

static int rest_left_ms(const struct usermaps *m)
{
	u64 now = clock_mono_ns();

	return m->rest_until > now ? (int)((m->rest_until - now) / 1000000) + 1 : 0;
}

int usermaps_wait_ms(const struct usermaps *m, int most)
{
	if (m && (m->waiting.n || m->changed.n))
		return MIN(most, SOON_MS);
	if (m && m->rest_until)
		most = MIN(most, rest_left_ms(m));
	return m && m->raw && raw_stacks_unmerged(m->raw) ? MIN(most, STACK_KEYS_MS) : most;
}

void usermaps_release(struct naming *n)
{
	struct usermaps *m = n->usermaps;

	if (m) {
		raw_stacks_free(m->raw);
		unwinds_free(m->unwinds);
	}
	usyms_free(n->usyms);
	if (!m)
		return;
	hash_release(&m->member);
	arena_release(&m->arena);
	free(m);
}
