/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process engine: tracepoints of include/sonde/sonde.h and entries of functions write records
 * into memory that the process and sonde share (rings.c), without a system call; their programs run
 * here, in the interpreter (vm/), in the order of the records. The context of a program is, for a
 * tracepoint, struct sonde_record, in which words of strings are addresses of text in this process;
 * for a function struct pt_regs, of which the record has what the programs read (reads.c):
 *
 *	SONDE_TP(shop, order, id, name)  ->  { size, tid, time, site, word[] = { id, "name" } }
 *	order(id, name)                  ->  { size, tid, time, site, word[] = { si, di } }
 *
 * functions.c prepares entries, patch.c puts jumps into the code, tsc.c converts times.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/hash.h"
#include "arch/arch.h"
#include "engine/process/area.h"
#include "engine/process/compiled.h"
#include "engine/process/detach.h"
#include "engine/process/together.h"
#include "engine/process/internal.h"
#include "engine/timers.h"
#include "sym/procmaps.h"
#include "vm/vm.h"

enum {
	BATCH = 16384, /* records of a drain() */
	/* Bytes of records: of all processors together, of one. */
	RINGS_SIZE = 64 << 20,
	MOST_RING_SIZE = 4 << 20,
	LEAST_RING_SIZE = 256 << 10,
	LOOK_NS = 10000000, /* polling interval of empty rings */
};

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
	/* By function: it runs at sites in the process; it runs in the process, for all that it
	 * knows of its sites. */
	bool *is_event, *runs;
	struct tids tids;
	bool is_elsewhere;
	struct hash handlers; /* struct handlers by site, in the arena */
	struct rings *rings;
	struct timers timers;
	struct tsc tsc;
	bool is_started, is_stopped;
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

static struct process *process_of(const void *self)
{
	return vm_world((struct vm *)(uintptr_t)self)->ctx;
}

/* ---- before a run */

static enum feature_answer try_feature(struct features *f, enum feature id)
{
	switch (id) {
	case FEAT_UPROBE:
	case FEAT_PERF_EVENTS: return FEATURE_YES;
	/* The kernel's engine serves these probes. */
	case FEAT_BTF:
	case FEAT_TRACEFS:
	case FEAT_KPROBE:
	case FEAT_KPROBE_MULTI:
	case FEAT_FENTRY:
	case FEAT_FENTRY_RECURSION:
	case FEAT_FENTRY_STEADY:
	case FEAT_LSM:
	case FEAT_LSM_PATH:
	case FEAT_ITER:
	case FEAT_ITER_PATH:
	case FEAT_RAW_TP_BTF:
	case FEAT_WATCHPOINT:
	case FEAT_HARDWARE: return feature_answer(kernel_features(), id);
	default: return in_vm_feature(id);
	}
}

static struct features *features(void)
{
	static struct features f = { .probe = try_feature };

	return &f;
}

static const char *why_not_function(const struct site *s)
{
	if (arch_native != &arch_x86_64)
		return "the process engine patches functions on x86-64 only";
	if (s->is_return)
		return s->user.no_jump ? s->user.no_jump :
					 "returns of functions are probed by the kernel";
	if (!s->user.takes_jump)
		return s->user.no_jump ? s->user.no_jump :
					 "the process engine patches entries of functions only";
	return NULL;
}

static const char *why_not(const struct site *s)
{
	if (s->kind == SITE_ONCE || s->kind == SITE_SIGNAL || s->kind == SITE_PERF_TIMER)
		return NULL;
	if (s->kind != SITE_RECORD && s->kind != SITE_UPROBE)
		return "the process engine has functions of programs and tracepoints of sonde/sonde.h only";
	if (s->pid < 0)
		return "the process engine needs -p PID or -c: it changes the code of that process";
	if (!tsc_is_usable())
		return "the time stamp counter of this machine is no clock";
	return s->kind == SITE_UPROBE ? why_not_function(s) : NULL;
}

static bool serves(const struct site *s, struct engine_answer *a)
{
	a->price_ns = 20;
	a->why_not = why_not(s);
	return !a->why_not;
}

static const char *lacks(u32 helper, bool memory)
{
	switch (helper) {
	case BPF_FUNC_probe_read:
	case BPF_FUNC_probe_read_str:
	case BPF_FUNC_probe_read_kernel:
	case BPF_FUNC_probe_read_kernel_str: return memory ? "memory of the kernel" : NULL;
	default: return in_vm_lacks(helper);
	}
}

static const char *cannot_run(const struct bpf_func *f, const struct site *s)
{
	return s->kind == SITE_UPROBE ? reads_why_not(f) : NULL;
}

/* ---- the world of programs */

static u64 now_ns(void *ctx, u32 clock)
{
	const struct process *p = ctx;

	return clock == TS_TAI || clock == TS_REAL ? p->now + (u64)clock_boot_to_real_ns() : p->now;
}

static void clock_now(void *self, struct engine_clock *now)
{
	*now = (struct engine_clock){ .boot_ns = clock_boot_ns(),
				      .boot_to_real = clock_boot_to_real_ns() };
}

/* Strings of the record are in this process; other addresses are the process's current memory. */
static int read_memory(void *ctx, void *to, u32 len, u64 address, bool user)
{
	const struct process *p = ctx;
	const u64 text = (u64)(uintptr_t)p->context.text, end = text + sizeof p->context.text;
	struct iovec here = { to, len }, there = { (void *)(uintptr_t)address, len };

	if (address >= text && address < end) {
		u32 n = (u32)MIN((u64)len, end - address);

		memcpy(to, (const void *)(uintptr_t)address, n);
		memset((u8 *)to + n, 0, len - n);
		return 0;
	}
	return process_vm_readv((pid_t)p->pid, &here, 1, &there, 1, 0) == (ssize_t)len ? 0 :
											 -EFAULT;
}

/* ---- opening and closing */

/* NULL: a map of the script cannot be in the memory of a process. */
static struct compiled *new_compiled(const struct program *prog, u32 n_cpus)
{
	struct compiled *c = NULL;
	struct err err = { 0 };

	if (arch_native == &arch_x86_64)
		c = compiled_new(prog, n_cpus, &err);
	err_release(&err);
	return c;
}

static void *open_process(struct program *prog, const struct engine_options *o, struct err *err)
{
	struct process *p = xcalloc(1, sizeof *p);
	struct vm_world world = { .pid_tgid = (u64)getpid() << 32 | (u64)getpid(),
				  .n_cpus = (u32)sysconf(_SC_NPROCESSORS_CONF),
				  .comm = "sonde",
				  .ring_size = o->ring_size,
				  .now_ns = now_ns,
				  .read = read_memory,
				  .ctx = p };

	arena_init(&p->arena);
	p->lock_fd = -1;
	p->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (p->timer_fd < 0) {
		err_sys(err, "create a timer");
		free(p);
		return NULL;
	}
	p->compiled = new_compiled(prog, world.n_cpus);
	if (p->compiled) {
		world.shared = compiled_maps(p->compiled);
		world.block = compiled_block(p->compiled);
	}
	p->vm = vm_new(prog, &world);
	p->world = vm_world(p->vm);
	p->prog = prog;
	p->failed = xcalloc(prog->funcs.n + 1ul, sizeof *p->failed);
	p->sends = xcalloc(prog->funcs.n + 1ul, sizeof *p->sends);
	p->first_func = NO_INDEX;
	p->now = clock_boot_ns();
	p->timers.next = ~0ull;
	tsc_look(&p->tsc);
	return p->vm;
}

static struct patched patched(struct process *p, u32 from)
{
	struct patched of = {
		.pid = p->pid, .v = p->patches.v + from, .n = p->patches.n - from, .tid_offset = -1
	};

	if (p->functions)
		of.areas = functions_areas(p->functions, &of.n_areas, &of.tid_offset);
	return of;
}

/* If the threads do not stop, the watcher retries after this process has ended. */
static void disable(struct process *p)
{
	struct patched all = patched(p, 0);
	struct err err = { 0 };
	int ret = 0;

	if (!p->is_stopped && (all.n || all.n_areas))
		ret = patch_disable(&all, &err);
	if (ret >= 0)
		watcher_stop(&p->watcher);
	p->is_stopped = true;
	err_release(&err);
}

static void detach_all(void *self)
{
	disable(process_of(self));
}

static struct leaving close_process(void *self)
{
	struct process *p = process_of(self);

	disable(p);
	functions_free(p->functions);
	rings_free(p->rings);
	hash_release(&p->handlers);
	tids_release(&p->tids);
	arena_release(&p->arena);
	free(p->timers.v);
	free(p->failed);
	free(p->sends);
	fd_close(&p->timer_fd);
	fd_close(&p->lock_fd);
	vm_free(p->vm);
	compiled_free(p->compiled);
	free(p);
	return (struct leaving){ 0 };
}

/* ---- attaching */

/* The address at which the process maps an offset of a file; 0: none. */
static u64 find_mapped(const struct procmaps *maps, const char *path, u64 offset)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return 0;
	for (u32 i = 0; i < maps->list.n; i++) {
		const struct mapping *m = &maps->list.v[i];

		if (m->exec && m->inode == st.st_ino && m->dev_major == major(st.st_dev) &&
		    m->dev_minor == minor(st.st_dev) && offset >= m->offset &&
		    offset - m->offset < m->end - m->start)
			return m->start + (offset - m->offset);
	}
	return 0;
}

static int not_mapped(const struct process *p, const char *path, struct err *err)
{
	return err_set(err, -ENOENT, "process %u does not have %s", p->pid, path);
}

/* The tracepoints of one name write records of the same sites: a function runs once for each. */
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
		 arena_printf(&p->arena,
			      "%u jumps in process %u, whose threads stood %llu us; %s%s%s", n,
			      p->pid, (unsigned long long)stood_ns / 1000,
			      is_compiled ? "the program runs there" : "records are written",
			      !is_compiled && *why ? ": " : "", is_compiled ? "" : why));
}

static int enable(struct process *p, const struct batch *b, u32 from, struct err *err)
{
	struct patched all = patched(p, 0), new = patched(p, from);
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

static void look_at_clock(struct process *p)
{
	tsc_look(&p->tsc);
	if (p->compiled)
		compiled_look(p->compiled, &p->tsc);
}

/* ---- entries of functions */

static bool is_at_point(const struct bpf_func *f)
{
	return f->load.prog_type == BPF_PROG_TYPE_TRACEPOINT;
}

/* A tracepoint without arguments represents all: the operands of each are not known here. */
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
	if (lock_process(p, err) < 0 || process_remove_old(p->pid, NULL, err) < 0)
		return err->code;
	p->functions = functions_new(p->pid, reads_registers(p->prog), p->world->n_cpus,
				     ring_size(p->world->n_cpus), p->compiled);
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
	look_at_clock(p);
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

/* Whether handlers from that one on do. */
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

/* Another clause may have a jump there already, whose stub serves this one, too. */
static int add_function(struct process *p, const struct procmaps *maps, struct batch *b, u32 i,
			struct err *err)
{
	const struct site *s = b->request.sites[i];
	struct entry e = { .at = find_mapped(maps, s->user.path, s->user.offset),
			   .index = i,
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
			   .module = s->record.module + bias };
	struct patch new = { .at = e.at, .to = e.cold_path, .module = e.module };
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

static int attach(void *self, const struct attach_request *a, struct err *err)
{
	struct process *p = process_of(self);
	struct batch b = { .request = *a };
	int ret = 0;

	p->first_func = MIN(p->first_func, a->func);
	if (a->n && awaits_command(p, a->sites[0])) {
		vec_push(&p->arena, &p->awaiting, *a);
		return (int)a->n;
	}
	ret = attach_now(p, &b, err);
	return ret < 0 ? ret : (int)(a->n - b.n_refused);
}

/* A refusal now ends the run, and the command, which has not begun. */
static int launch_command(void *self, s32 pid, int (*release)(void *ctx, struct err *err),
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

static const char *how(const void *self, u32 i)
{
	const struct process *p = process_of(self);

	return i < p->how.n ? p->how.v[i] : NULL;
}

static void start(void *self)
{
	struct process *p = process_of(self);
	struct itimerspec look = { .it_interval.tv_nsec = LOOK_NS, .it_value.tv_nsec = LOOK_NS };

	timers_start(&p->timers, clock_boot_ns());
	timerfd_settime(p->timer_fd, 0, &look, NULL);
	p->is_started = true;
}

/* ---- running */

static void run_handler(struct process *p, const struct handler *h, void *ctx, u32 len,
			struct in_vm_receiver *to)
{
	if (!in_vm_handle(p->vm, h->func, h->cookie, ctx, len, to))
		p->failed[h->func]++;
}

/* Times of records never decrease, whatever the process writes. */
static void set_now(struct process *p, u64 now)
{
	p->now = MAX(p->now, now);
}

/* A record that a program in the process sent. The process may have changed it. */
static void pass_on(struct process *p, const struct sonde_record *r, struct in_vm_receiver *to)
{
	u32 len;
	const struct record_head *h = rings_sent(r, &len);
	const struct event_desc *e = h && len >= sizeof *h && h->event < p->prog->events.n ?
					     p->prog->events.v[h->event] :
					     NULL;

	if (e && p->sends[e->func] && len == e->size)
		to->has_enough |= to->f(to->ctx, h, len) != 0;
	else
		p->failed[p->first_func]++;
}

static void run_record(struct process *p, const struct sonde_record *r, u32 cpu,
		       struct in_vm_receiver *to)
{
	const struct handlers *h;
	u64 site;
	u32 tid;

	if (r->time > p->tsc.tick_2)
		tsc_look(&p->tsc);
	set_now(p, MIN(tsc_to_ns(&p->tsc, r->time), p->tsc.ns_2));
	if (r->size & JIT_RECORD_SENT) {
		pass_on(p, r, to);
		return;
	}
	site = p->functions ? functions_split_site(p->functions, r->site, &cpu) : r->site;
	h = hash_get(&p->handlers, &site, sizeof site);
	if (!h)
		return;
	tid = p->is_elsewhere ? tids_ours(&p->tids, r->tid) : r->tid;
	if (!tid) {
		p->failed[p->first_func]++;
		return;
	}
	if (h->is_function)
		functions_registers(p->functions, r, site, h->back, p->registers);
	else
		record_context(&p->context, r, h->strings);
	p->world->cpu = cpu;
	p->world->pid_tgid = (u64)p->pid << 32 | tid;
	memcpy(p->world->comm, tids_comm(&p->tids, tid), sizeof p->world->comm);
	for (u32 i = 0; i < h->list.n && !to->has_enough; i++)
		if (h->list.v[i].is_compiled)
			continue;
		else if (h->is_function)
			run_handler(p, &h->list.v[i], p->registers, sizeof p->registers, to);
		else
			run_handler(p, &h->list.v[i], &p->context, sizeof p->context, to);
}

static void run_timer(struct process *p, struct in_vm_receiver *to)
{
	const struct timer *t;

	set_now(p, p->timers.next);
	t = timers_take(&p->timers);
	p->world->pid_tgid = 0;
	memset(p->world->comm, 0, sizeof p->world->comm);
	run_handler(p, &(struct handler){ .func = t->func, .cookie = t->cookie }, NULL, 0, to);
}

static int drain(void *self, u64 until, record_fn f, void *ctx)
{
	struct process *p = process_of(self);
	struct in_vm_receiver to = { .f = f, .ctx = ctx };
	const struct sonde_record *r;
	u64 expirations;
	u32 cpu = 0;
	int n = in_vm_drain(self, &to);

	if (!p->is_started)
		return n;
	(void)!read(p->timer_fd, &expirations, sizeof expirations);
	look_at_clock(p);
	if (p->rings)
		rings_look(p->rings);
	for (u32 i = 0; i < BATCH && !to.has_enough && p->rings && (r = rings_next(p->rings, &cpu));
	     i++, n++)
		run_record(p, r, cpu, &to);
	while (!to.has_enough && !p->is_stopped && p->timers.next <= p->tsc.ns_2)
		run_timer(p, &to);
	return n;
}

static int event_fd(const void *self)
{
	return process_of(self)->timer_fd;
}

static u64 skipped(void *self, u32 func)
{
	struct process *p = process_of(self);
	u64 lost = func == p->first_func && p->rings ? rings_lost(p->rings) : 0;

	return p->failed[func] + lost;
}

const struct engine engine_process = {
	.name = "process",
	.brief = "functions and tracepoints of sonde/sonde.h, by memory shared with the process",
	.by_name_only = true,
	.has_substitute = true,
	.reads_records = true,
	.has_events = true,
	.features = features,
	.lacks = lacks,
	.source = "a record",
	.source_has =
		"the arguments, comm, pid, tid, cpu, nsecs, elapsed and probe; --engine=kernel for the rest",
	.serves = serves,
	.cannot_run = cannot_run,
	.open = open_process,
	.detach_all = detach_all,
	.close = close_process,
	.attach = attach,
	.launch = launch_command,
	.start = start,
	.how = how,
	.run = in_vm_run,
	.event_fd = event_fd,
	.drain = drain,
	.skipped = skipped,
	.misses = LOSS_RECORDS,
	.clock = clock_now,
	IN_VM_OPERATIONS,
};
