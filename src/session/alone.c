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
 */
#include <stdlib.h>
#include "base/clock.h"
#include "session/run.h"

/* An engine that changes the process itself has no probes elsewhere. */
static bool is_meant(const struct run *r, const struct site *s)
{
	return r->request->traced.alone && s->kind == SITE_UPROBE;
}

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
	ret = u->ops->attach(u->self, &a, err);
	free(sites);
	free(copy);
	return ret;
}

static void ignore(void *ctx, const struct site *site, const struct err *err)
{
}

int alone_attach(struct run *r, const struct used_engine *u, const struct attach_request *a,
		 struct err *err)
{
	struct alone_sites kept = { u, { a->func, .n = a->n, .refused = ignore } };
	int ret = (int)a->n;

	if (!a->n || !is_meant(r, a->sites[0]) || u->ops->has_substitute)
		return u->ops->attach(u->self, a, err);
	kept.request.sites = arena_dup(&r->c.arena, a->sites, a->n * sizeof(struct site *));
	vec_push(&r->c.arena, &r->alone.sites, kept);
	for (u32 i = 0; i < r->alone.pids.n && ret >= 0; i++)
		ret = attach_for(u, *a, r->alone.pids.v[i], err);
	return ret;
}

bool alone_has(const struct alone_state *alone, u32 pid)
{
	for (u32 i = 0; i < alone->pids.n; i++)
		if (alone->pids.v[i] == pid)
			return true;
	return false;
}

/* As at the start: the last clause first, since the newest runs first. */
void alone_add(struct run *r, u32 pid)
{
	if (!r->request->traced.alone || alone_has(&r->alone, pid))
		return;
	vec_push(&r->c.arena, &r->alone.pids, pid);
	for (u32 i = 0; i < r->alone.sites.n; i++) {
		const struct alone_sites *a = &r->alone.sites.v[i];
		struct err err = { 0 };

		attach_for(a->engine, a->request, pid, &err);
		err_release(&err); /* a process that has ended meanwhile */
	}
}

void alone_forked(struct run *r, u32 parent, u32 pid, u64 mono_ns)
{
	u64 late;

	if (!r->request->traced.alone || !alone_has(&r->alone, parent) || alone_has(&r->alone, pid))
		return;
	alone_add(r, pid);
	late = clock_mono_ns() - mono_ns;
	r->alone.n_late++;
	r->alone.longest_ns = MAX(r->alone.longest_ns, late);
}

void alone_report(struct run *r)
{
	const struct alone_state *a = &r->alone;

	if (a->n_late)
		sink_warn(
			r->sink,
			arena_printf(
				&r->c.arena,
				"%u child process%s ran for up to %llu us before %s probes were there",
				a->n_late, a->n_late > 1 ? "es" : "",
				(unsigned long long)(a->longest_ns / 1000),
				a->n_late > 1 ? "their" : "its"));
}
