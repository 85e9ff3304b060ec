/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaching of the process engine: finds the sites of a request in the process, prepares jumps for
 * entries of functions and pages for tracepoints, and patches all of a batch at once.
 */
#include <errno.h>
#include <stdlib.h>
#include "engine/process/detach.h"
#include "engine/process/process.h"
#include "engine/process/together.h"
#include "sym/procmaps.h"

enum {
	/* Bytes of records: of all processors together, and of one. */
	RINGS_SIZE = 64 << 20,
	MOST_RING_SIZE = 4 << 20,
	LEAST_RING_SIZE = 256 << 10,
};

struct patched process_patched(struct process *p, u32 from)
{
	struct patched of = {
		.pid = p->pid, .v = p->patches.v + from, .n = p->patches.n - from, .tid_offset = -1
	};

	if (p->functions)
		of.areas = functions_areas(p->functions, &of.n_areas, &of.tid_offset);
	return of;
}

void process_look_at_clock(struct process *p)
{
	tsc_look(&p->tsc);
	if (p->compiled)
		compiled_look(p->compiled, &p->tsc);
}

static int not_mapped(const struct process *p, const char *path, struct err *err)
{
	return err_set(err, -ENOENT, "process %u does not have %s", p->pid, path);
}

/* Tracepoints of the same name write records with the same sites: a function runs once for each
 * record. */
static struct handlers *add_handler(struct process *p, u64 site, struct handler h)
{
	struct handlers *of = hash_get(&p->handlers, &site, sizeof site);

	p->sends[h.func] |= h.is_compiled;
	if (!of) {
		of = arena_new(&p->arena, struct handlers);
		*of = (struct handlers){ .site = site };
		hash_put(&p->handlers, &of->site, sizeof of->site, of);
	}
	for (u32 i = 0; i < of->list.n; i++)
		if (of->list.v[i].func == h.func)
			return of;
	vec_push(&p->arena, &of->list, h);
	return of;
}

static int set_process(struct process *p, const struct site *s, struct err *err)
{
	if (p->pid && p->pid != (u32)s->pid)
		return err_set(err, -ENOTSUP, "the process engine reads records of one process");
	if (p->pid)
		return 0;
	p->pid = (u32)s->pid;
	tids_init(&p->tids, &p->arena, p->pid);
	return 0;
}

static int lock_process(struct process *p, struct err *err)
{
	if (p->lock_fd < 0)
		p->lock_fd = process_lock(p->pid, err);
	return p->lock_fd < 0 ? err->code : 0;
}

static u32 ring_size(u32 n_cpus)
{
	u32 size = MOST_RING_SIZE;

	while (size > LEAST_RING_SIZE && (u64)size * n_cpus > RINGS_SIZE)
		size /= 2;
	return size;
}

/* Sites that a function is attached to at once. */
struct batch {
	struct attach_request request;
	bool is_compiled;          /* the function runs in the process */
	VEC(struct entry) entries; /* index: of their site */
	u32 n_refused;
};

static const char *why_records(struct process *p, const struct batch *b)
{
	if (!p->compiled)
		return "a map of the script cannot be in a process";
	if (functions_compile(p->functions, b->request.func,
			      b->request.sites[0]->kind == SITE_RECORD ? b->request.sites[0] :
									 NULL))
		return "it shares a map with a clause whose records are read";
	return functions_why_not(p->functions);
}

static void tell_how(struct process *p, const struct batch *b, u32 n, u64 stood_ns)
{
	bool is_compiled = b->is_compiled;
	const char *why = is_compiled ? "" : why_records(p, b);

	vec_push(&p->arena, &p->how,
		 arena_printf(
			 &p->arena,
			 "%u jumps in process %u, whose threads were stopped for %llu us; %s%s%s",
			 n, p->pid, (unsigned long long)stood_ns / 1000,
			 is_compiled ? "the program runs there" : "records are written",
			 !is_compiled && *why ? ": " : "", is_compiled ? "" : why));
}

static int enable(struct process *p, const struct batch *b, u32 from, struct err *err)
{
	struct patched all = process_patched(p, 0), new = process_patched(p, from);
	int ret;

	if (!p->rings)
		p->rings = rings_new(p->pid);
	new.points = arena_array(&p->arena, struct point_rings, new.n + 1);
	points_list(&new, p->rings, p->world->n_cpus, ring_size(p->world->n_cpus));
	watcher_stop(&p->watcher);
	p->watcher = watcher_start(&all, err);
	if (p->watcher < 0)
		return err->code;
	ret = patch_enable(&new, err);
	ret = points_add(&new, p->rings, ret, err);
	if (ret >= 0)
		tell_how(p, b, new.n, new.stood_ns);
	return ret;
}

/* ---- entries of functions */

static bool is_at_point(const struct bpf_func *f)
{
	return f->load.prog_type == BPF_PROG_TYPE_TRACEPOINT;
}

/* A tracepoint without arguments represents all tracepoints, because their operands are not known
 * here. */
static void decide(struct process *p)
{
	static const struct site point = { .kind = SITE_RECORD };
	u32 n = p->prog->funcs.n;

	p->is_event = arena_array(&p->arena, bool, n + 1);
	p->runs = arena_array(&p->arena, bool, n + 1);
	for (u32 i = 0; i < n; i++) {
		const struct bpf_func *f = p->prog->funcs.v[i];

		p->is_event[i] = is_at_point(f) || f->load.prog_type == BPF_PROG_TYPE_KPROBE;
		p->runs[i] = p->is_event[i] &&
			     functions_compile(p->functions, i, is_at_point(f) ? &point : NULL);
	}
	together_decide(p->prog, p->is_event, p->runs);
}

static int begin_functions(struct process *p, struct err *err)
{
	if (p->functions)
		return 0;
	if (lock_process(p, err) < 0 || process_remove_old(p->pid, LEAVE_MS, NULL, err) < 0)
		return err->code;
	p->functions = functions_new(p->pid, reads_registers(p->prog), p->world->n_cpus,
				     ring_size(p->world->n_cpus), p->compiled, p->run.in_children);
	if (functions_look(p->functions, err) < 0)
		return err->code;
	p->is_elsewhere = functions_is_elsewhere(p->functions);
	if (p->is_elsewhere)
		tids_look(&p->tids);
	decide(p);
	return 0;
}

static int add_rings(struct process *p, struct err *err)
{
	void *at = functions_map_rings(p->functions, err);

	if (!at)
		return err->code;
	if (!p->rings)
		p->rings = rings_new(p->pid);
	rings_add_mapped(p->rings, at, functions_n_rings(p->functions),
			 ring_size(p->world->n_cpus));
	p->has_rings = true;
	return 0;
}

static int refuse(struct batch *b, const struct site *s, const char *why, struct err *err)
{
	struct err one = { 0 };

	if (!b->request.refused)
		return err_set(err, -ENOTSUP, "%s: %s", s->probe, why);
	err_set(&one, -ENOTSUP, "%s", why);
	b->request.refused(b->request.ctx, s, &one);
	b->n_refused++;
	return 0;
}

static const struct patch *find_patch(const struct process *p, u64 at)
{
	for (u32 i = 0; i < p->patches.n; i++)
		if (p->patches.v[i].at == at)
			return &p->patches.v[i];
	return NULL;
}

/* Another clause has a jump there: the new one replaces it. */
static void replace_patch(struct process *p, u64 at)
{
	const struct patch *old = find_patch(p, at);
	u32 i = (u32)(old - p->patches.v);

	memmove(p->patches.v + i, p->patches.v + i + 1, (p->patches.n - i - 1) * sizeof *old);
	p->patches.n--;
}

static int place_functions(struct process *p, struct batch *b, u32 *from, struct err *err)
{
	int ret = functions_prepare(p->functions, b->entries.v, b->entries.n, err);

	if (ret >= 0 && !p->has_rings)
		ret = add_rings(p, err);
	process_look_at_clock(p);
	for (u32 i = 0; i < b->entries.n && ret >= 0; i++) {
		struct entry *e = &b->entries.v[i];

		if (e->why_not) {
			ret = refuse(b, b->request.sites[e->index], e->why_not, err);
			continue;
		}
		if (e->old) {
			replace_patch(p, e->at);
			--*from;
		}
		vec_push(&p->arena, &p->patches, e->patch);
	}
	return ret;
}

/* Whether a handler from `from` on needs records. */
static bool sends_records(const struct handlers *h, u32 from)
{
	for (u32 i = from; i < h->list.n; i++)
		if (!h->list.v[i].is_compiled)
			return true;
	return false;
}

/* Whether any of them runs in the process. */
static bool runs_some(const struct handlers *h)
{
	for (u32 i = 0; i < h->list.n; i++)
		if (h->list.v[i].is_compiled)
			return true;
	return false;
}

/* Clauses on functions are attached from the last one to the first (session/attach.c). */
static void put_in_front(struct handlers *h)
{
	struct handler last = h->list.v[h->list.n - 1];

	memmove(h->list.v + 1, h->list.v, (h->list.n - 1) * sizeof last);
	h->list.v[0] = last;
}

/* What it reads of the stack is not in records. */
static const char *why_stack(struct process *p, u32 func)
{
	const char *why = reads_why_not_recorded(p->prog->funcs.v[func]);

	if (!why || !p->compiled || functions_compile(p->functions, func, NULL))
		return why;
	return arena_printf(&p->arena, "%s; it cannot run in the process: %s", why,
			    functions_why_not(p->functions));
}

/* Another clause may already have a jump there; its stub serves this one, too. */
static int add_function(struct process *p, const struct procmaps *maps, struct batch *b, u32 i,
			struct err *err)
{
	const struct site *s = b->request.sites[i];
	struct entry e = { .at = find_mapped(maps, s->user.path, s->user.offset),
			   .index = i,
			   .path = s->user.path,
			   .offset = s->user.offset - s->user.back,
			   .is_exit = s->user.is_exit,
			   .back = s->user.back,
			   .go_check = s->user.go_check };
	struct handler h = { .func = b->request.func, .cookie = s->index };
	struct handlers *of;
	const char *why;
	u32 before;

	if (!e.at)
		return not_mapped(p, s->user.path, err);
	if (begin_functions(p, err) < 0)
		return err->code;
	e.at -= e.back;
	b->is_compiled = h.is_compiled = p->runs[b->request.func];
	why = functions_refuse(p->functions, s, b->request.func, h.is_compiled);
	if (!why && !h.is_compiled)
		why = why_stack(p, b->request.func);
	if (why)
		return refuse(b, s, why, err);
	of = hash_get(&p->handlers, &e.at, sizeof e.at);
	before = of ? of->list.n : 0;
	of = add_handler(p, e.at, h);
	of->is_function = true;
	of->back = e.back;
	if (of->list.n > before)
		put_in_front(of);
	if (of->list.n == before || (!h.is_compiled && sends_records(of, 1)))
		return 0;
	if (before)
		e.old = find_patch(p, e.at);
	e.handlers = of->list.v;
	e.n_handlers = of->list.n;
	vec_push(&p->arena, &b->entries, e);
	return 0;
}

/* A tracepoint jumps to its cold path, or to a stub if programs run there. */
static int add_point(struct process *p, const struct procmaps *maps, struct batch *b, u32 i,
		     struct err *err)
{
	static const u8 nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	const struct site *s = b->request.sites[i];
	u64 at = find_mapped(maps, s->record.path, s->record.offset), bias = at - s->record.address;
	struct entry e = { .at = at + 1,
			   .index = i,
			   .point = s,
			   .cold_path = s->record.cold_path + bias,
			   .module = s->record.module + bias,
			   .semaphore = s->record.semaphore ? s->record.semaphore + bias : 0 };
	struct patch new = {
		.at = e.at, .to = e.cold_path, .module = e.module, .semaphore = e.semaphore
	};
	struct handler h = { .func = b->request.func,
			     .cookie = s->index,
			     .is_compiled = b->is_compiled };
	struct handlers *of;

	if (!at)
		return not_mapped(p, s->record.path, err);
	for (u32 k = 0; k < s->record.n_sites; k++)
		add_handler(p, s->record.sites[k] + bias, h)->strings |= s->record.strings;
	e.old = find_patch(p, e.at);
	of = add_handler(p, e.at, h);
	if (runs_some(of)) {
		e.handlers = of->list.v;
		e.n_handlers = of->list.n;
		vec_push(&p->arena, &b->entries, e);
	} else if (!e.old) {
		memcpy(new.was, nop5, sizeof nop5);
		vec_push(&p->arena, &p->patches, new);
	}
	return 0;
}

/* Records of one tracepoint name all of its sites, so a function runs at all of them or at none. */
static int compile_points(struct process *p, struct batch *b, struct err *err)
{
	if (begin_functions(p, err) < 0)
		return err->code;
	b->is_compiled = p->runs[b->request.func] ||
			 !together_with_others(p->prog, p->is_event, b->request.func);
	for (u32 i = 0; i < b->request.n && b->is_compiled; i++)
		b->is_compiled =
			functions_compile(p->functions, b->request.func, b->request.sites[i]);
	return 0;
}

static int add_site(struct process *p, const struct procmaps *maps, struct batch *b, u32 i,
		    struct err *err)
{
	const struct site *s = b->request.sites[i];
	int ret;

	if (s->kind == SITE_PERF_TIMER) {
		timers_add(&p->timers, s, b->request.func);
		return 0;
	}
	ret = set_process(p, s, err);
	if (ret >= 0 && s->kind == SITE_UPROBE)
		return add_function(p, maps, b, i, err);
	if (ret >= 0 && !i)
		ret = compile_points(p, b, err);
	return ret < 0 ? ret : add_point(p, maps, b, i, err);
}

static int attach_now(struct process *p, struct batch *b, struct err *err)
{
	u32 n = b->request.n, from = p->patches.n;
	struct procmaps maps = { 0 };
	int ret = n && b->request.sites[0]->pid > 0 ?
			  procmaps_read(&maps, (u32)b->request.sites[0]->pid, err) :
			  0;

	for (u32 i = 0; i < n && ret >= 0; i++)
		ret = add_site(p, &maps, b, i, err);
	if (maps.list.n)
		procmaps_release(&maps);
	if (ret >= 0 && (b->entries.n || p->patches.n > from))
		ret = lock_process(p, err);
	if (ret >= 0 && b->entries.n)
		ret = place_functions(p, b, &from, err);
	if (ret >= 0 && p->patches.n > from)
		ret = enable(p, b, from, err);
	return ret;
}

/* Sites of the command of -c, which does not have their files yet. */
static bool awaits_command(const struct process *p, const struct site *s)
{
	return !p->launched.pid && s->is_of_command;
}

int process_attach(void *self, const struct attach_request *a, struct err *err)
{
	struct process *p = process_of(self);
	struct batch b = { .request = *a };
	int ret = 0;

	p->first_func = MIN(p->first_func, a->func);
	if (a->n && awaits_command(p, a->sites[0])) {
		struct attach_request later = *a;

		later.sites = arena_dup(&p->arena, a->sites, a->n * sizeof(struct site *));
		vec_push(&p->arena, &p->awaiting, later);
		return (int)a->n;
	}
	ret = attach_now(p, &b, err);
	return ret < 0 ? ret : (int)(a->n - b.n_refused);
}

/* A refusal now ends the run and the command, which has not started. */
int process_launch_command(void *self, s32 pid, int (*release)(void *ctx, struct err *err),
			   void *ctx, struct err *err)
{
	struct process *p = process_of(self);
	int ret;

	if (!p->awaiting.n)
		return release(ctx, err);
	ret = launch(&p->launched, pid, release, ctx, err);
	for (u32 i = 0; i < p->awaiting.n && ret >= 0; i++) {
		struct batch b = { .request = p->awaiting.v[i] };

		b.request.refused = NULL;
		ret = attach_now(p, &b, err);
	}
	if (ret >= 0)
		launch_go(&p->launched);
	return ret;
}

const char *process_how(const void *self, u32 i)
{
	const struct process *p = process_of(self);

	return i < p->how.n ? p->how.v[i] : NULL;
}
