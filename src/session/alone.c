/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User-space probes in the traced processes alone (struct traced, alone). A uprobe without a
 * process is a breakpoint in every process that has the file mapped, so a probe on libc slows down
 * all of the machine and takes a page of memory of each process. Attached for one process it is
 * kept from the others by the kernel (struct uprobe_consumer.filter), also when that process
 * executes another program. A child of fork() has its parent's breakpoints, but not their
 * consumers: each child gets attachments of its own when the kernel reports the fork.
 *
 * Until then, some milliseconds, the child's hits are not events; the longest time is reported.
 *
 * If an engine puts code into the process (struct traced, in_children), a child of fork() has it
 * from its first instruction on. A process that executes a program loses it: then the clauses from
 * `elsewhere` on (struct probe_choice) get attachments there. They must not be where that code is,
 * whose jumps a breakpoint would break.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/clock.h"
#include "session/compile.h"
#include "session/run.h"
#include "sym/procmaps.h"

/* An engine that changes the process itself has no probes elsewhere. */
static bool is_meant(const struct run *r, const struct site *s)
{
	return r->request->traced.alone && s->kind == SITE_UPROBE;
}

/* ---- code that an engine has changed */

static int refuse_changed(const struct attach_request *a, const struct site *s, u32 pid,
			  struct err *err)
{
	struct err one = { 0 };

	err_set(&one, -EBUSY,
		"the process engine has a jump there in process %u, which a breakpoint would break",
		pid);
	err_help(&one, "end that run of sonde, or trace other processes with -p");
	if (a->refused)
		a->refused(a->ctx, s, &one);
	else
		*err = one;
	return a->refused ? 0 : -EBUSY;
}

static void find_all_changed(const struct used_engine *u, const struct attach_request *a, u32 *pids)
{
	for (u32 i = 0; engines[i]; i++)
		if (engines[i]->find_changed && engines[i] != u->ops)
			engines[i]->find_changed(a->sites, a->n, pids);
}

/* Other sites than those where an engine, of this run or another one, has changed the code. */
static int attach_unchanged(const struct used_engine *u, const struct attach_request *a,
			    struct err *err)
{
	struct attach_request rest = *a;
	const struct site **sites;
	u32 *pids, n = 0;
	int ret = 0;

	if (!a->n || a->sites[0]->kind != SITE_UPROBE || u->ops->find_changed)
		return u->ops->attach(u->self, a, err);
	sites = xcalloc(a->n, sizeof *sites);
	pids = xcalloc(a->n, sizeof *pids);
	find_all_changed(u, a, pids);
	for (u32 i = 0; i < a->n && ret >= 0; i++)
		if (pids[i])
			ret = refuse_changed(a, a->sites[i], pids[i], err);
		else
			sites[n++] = a->sites[i];
	rest.sites = sites;
	rest.n = n;
	if (ret >= 0 && n)
		ret = u->ops->attach(u->self, &rest, err);
	free(pids);
	free(sites);
	return ret;
}

/* ---- attaching */

static int attach_for(const struct used_engine *u, struct attach_request a, u32 pid,
		      struct err *err)
{
	struct site *copy = xcalloc(a.n, sizeof *copy);
	const struct site **sites = xcalloc(a.n, sizeof *sites);
	int ret;

	for (u32 i = 0; i < a.n; i++) {
		copy[i] = *a.sites[i];
		copy[i].pid = (s32)pid;
		sites[i] = &copy[i];
	}
	a.sites = sites;
	ret = attach_unchanged(u, &a, err);
	free(sites);
	free(copy);
	return ret;
}

static void ignore(void *ctx, const struct site *site, const struct err *err)
{
}

/* As at the start: the last clause first, since the newest runs first. */
static void attach_kept(const struct alone_sites *v, u32 n, u32 pid)
{
	for (u32 i = 0; i < n; i++) {
		struct err err = { 0 };

		attach_for(v[i].engine, v[i].request, pid, &err);
		err_release(&err); /* a process that has ended meanwhile */
	}
}

static bool is_named(const struct run *r, u32 pid)
{
	const struct traced *t = &r->request->traced;
	bool is = (u32)r->child.pid == pid;

	for (u32 i = 0; i < t->n_pids; i++)
		is |= t->pids[i] == pid;
	return is;
}

static bool changes_processes(const struct run *r)
{
	for (struct used_engine *u = engines_next(&r->engines, NULL); u;
	     u = engines_next(&r->engines, u))
		if (u->ops->has_substitute)
			return true;
	return false;
}

int alone_attach(struct run *r, const struct used_engine *u, const struct attach_request *a,
		 struct err *err)
{
	struct alone_sites kept = { u, { a->func, .n = a->n, .refused = ignore } };
	int ret = (int)a->n;

	if (!a->n || !is_meant(r, a->sites[0]) || u->ops->has_substitute)
		return attach_unchanged(u, a, err);
	kept.request.sites = arena_dup(&r->c.arena, a->sites, a->n * sizeof(struct site *));
	if (instance_is_elsewhere(&r->c, r->c.instances.v[a->func])) {
		if (changes_processes(r)) /* else these sites would be probed twice */
			vec_push(&r->c.arena, &r->alone.elsewhere, kept);
		return ret;
	}
	vec_push(&r->c.arena, &r->alone.sites, kept);
	for (u32 i = 0; i < r->alone.pids.n && ret >= 0; i++) {
		u32 pid = r->alone.pids.v[i];

		if (is_named(r, pid))
			ret = attach_for(u, *a, pid, err);
		else
			attach_kept(&kept, 1, pid);
	}
	return ret;
}

bool alone_has(const struct alone_state *alone, u32 pid)
{
	for (u32 i = 0; i < alone->pids.n; i++)
		if (alone->pids.v[i] == pid)
			return true;
	return false;
}

/* ---- where no code is */

/* Code of the process engine: its mappings have that name. */
static bool has_code(const struct procmaps *maps)
{
	for (u32 i = 0; i < maps->list.n; i++)
		if (maps->list.v[i].exec && strstr(maps->list.v[i].path, "/memfd:sonde-code"))
			return true;
	return false;
}

static bool is_file_of(u64 inode, const struct alone_sites *sites)
{
	struct stat st;

	return stat(sites->request.sites[0]->user.path, &st) == 0 && inode == st.st_ino;
}

static bool has_file_of(const struct procmaps *maps, const struct alone_sites *sites)
{
	for (u32 i = 0; i < maps->list.n; i++)
		if (maps->list.v[i].exec && is_file_of(maps->list.v[i].inode, sites))
			return true;
	return false;
}

static bool has_elsewhere(const struct alone_state *alone, u32 pid)
{
	for (u32 i = 0; i < alone->executed.n; i++)
		if (alone->executed.v[i] == pid)
			return true;
	return false;
}

/* Whether the process runs the program without code, or did so until it ended, and has no probes
 * yet. Code is never added later. */
static bool lacks_code(const struct alone_state *alone, u32 pid, bool has_run_it)
{
	struct procmaps maps = { 0 };
	struct err err = { 0 };
	bool lacks = alone->elsewhere.n && !has_elsewhere(alone, pid);

	if (lacks && procmaps_read(&maps, pid, &err) >= 0)
		lacks = !has_code(&maps) && has_file_of(&maps, &alone->elsewhere.v[0]);
	else
		lacks &= has_run_it;
	procmaps_release(&maps);
	err_release(&err);
	return lacks;
}

static void attach_elsewhere(struct run *r, u32 pid)
{
	vec_push(&r->c.arena, &r->alone.executed, pid);
	attach_kept(r->alone.elsewhere.v, r->alone.elsewhere.n, pid);
}

static bool add_elsewhere(struct run *r, u32 pid, bool has_run_it)
{
	bool lacks = lacks_code(&r->alone, pid, has_run_it);

	if (lacks)
		attach_elsewhere(r, pid);
	return lacks;
}

static void note_late(struct alone_late *late, u64 mono_ns)
{
	late->n++;
	late->longest_ns = MAX(late->longest_ns, clock_mono_ns() - mono_ns);
}

/* ---- */

void alone_add(struct run *r, u32 pid)
{
	if (!r->request->traced.alone || alone_has(&r->alone, pid))
		return;
	vec_push(&r->c.arena, &r->alone.pids, pid);
	attach_kept(r->alone.sites.v, r->alone.sites.n, pid);
	if (!is_named(r, pid)) /* which gets code */
		add_elsewhere(r, pid, false);
}

static u32 n_sites(const struct alone_sites *v, u32 n)
{
	u32 sum = 0;

	for (u32 i = 0; i < n; i++)
		sum += v[i].request.n;
	return sum;
}

/*
 * Children that were there before, or were made while the engine changed their parent. Each probe
 * takes the kernel some 40 us: a server's hundred processes would be ready after minutes.
 */
void alone_start(struct run *r)
{
	enum { MOST_PROBES = 60000 };
	const struct alone_state *alone = &r->alone;
	u32 sites = n_sites(alone->elsewhere.v, alone->elsewhere.n);
	VEC(u32) lacking = { 0 };

	for (u32 i = 0; i < alone->pids.n && sites; i++)
		if (!is_named(r, alone->pids.v[i]) && lacks_code(alone, alone->pids.v[i], false))
			vec_push(&r->c.arena, &lacking, alone->pids.v[i]);
	if (lacking.n * (u64)sites > MOST_PROBES) {
		sink_warn(
			r->sink,
			arena_printf(
				&r->c.arena,
				"%u child processes that were there before are not traced: %u probes for each would take long; name "
				"them with -p, or fewer functions",
				lacking.n, sites));
		return;
	}
	for (u32 i = 0; i < lacking.n; i++)
		attach_elsewhere(r, lacking.v[i]);
}

void alone_forked(struct run *r, u32 parent, u32 pid, u64 mono_ns)
{
	if (!r->request->traced.alone || !alone_has(&r->alone, parent) || alone_has(&r->alone, pid))
		return;
	alone_add(r, pid);
	if (r->alone.sites.n)
		note_late(&r->alone.late, mono_ns);
	if (has_elsewhere(&r->alone, pid))
		note_late(&r->alone.late_elsewhere, mono_ns);
}

void alone_mapped(struct run *r, const struct map_event *e)
{
	const struct alone_state *alone = &r->alone;

	if (!alone->elsewhere.n || !is_file_of(e->inode, &alone->elsewhere.v[0]))
		return;
	if (!alone_has(alone, e->pid) || (is_named(r, e->pid) && e->time < alone->begun_ns))
		return;
	if (add_elsewhere(r, e->pid, true))
		note_late(&r->alone.late_elsewhere, e->time);
}

static void tell_late(struct run *r, const struct alone_late *late, const char *did,
		      const char *probes)
{
	if (late->n)
		sink_warn(r->sink,
			  arena_printf(&r->c.arena, "%u %s for up to %llu us before %s were there",
				       late->n, did, (unsigned long long)(late->longest_ns / 1000),
				       probes));
}

void alone_report(struct run *r)
{
	const struct alone_late *forked = &r->alone.late, *executed = &r->alone.late_elsewhere;
	const char *probes = forked->n > 1 ? "their probes" : "its probes";

	if (r->request->traced.in_children)
		probes = arena_printf(&r->c.arena, "the kernel's probes, on %u functions,",
				      n_sites(r->alone.sites.v, r->alone.sites.n));
	tell_late(r, forked, forked->n > 1 ? "child processes ran" : "child process ran", probes);
	tell_late(r, executed,
		  executed->n > 1 ? "processes ran the program without jumps" :
				    "process ran the program without jumps",
		  executed->n > 1 ? "their probes" : "its probes");
}
