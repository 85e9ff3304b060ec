/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entries and returns of functions in a process. For each batch: read the code, copy the
 * instructions that jumps will displace, map areas near it, write the stubs there. patch.c changes
 * the code of the process later.
 */
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include "arch/arch.h"
#include "arch/insn.h"
#include "base/buf.h"
#include "engine/process/area.h"
#include "engine/process/compiled.h"
#include "engine/process/internal.h"
#include "engine/process/stub.h"

#ifndef PTRACE_GET_RSEQ_CONFIGURATION
#define PTRACE_GET_RSEQ_CONFIGURATION 0x420f
#endif

enum { ROUTINES_ALIGN = 64 };

struct functions {
	u32 pid;
	bool in_children; /* children of fork() write records, too */
	struct recorder recorder;
	bool is_elsewhere;      /* in another pid namespace, where threads have other ids */
	const char *no_records; /* the reason, or NULL */
	struct area *v;
	u32 n;
	u64 rings;
	struct compiled *compiled;
	bool has_moved; /* the memory of programs has become the shared file */
	struct length { /* of a function of the program, compiled */
		bool is_known;
		u32 bytes; /* 0: cannot be compiled */
		u32 stack;
	} * lengths;
	u32 n_lengths;
	char why_not[200];
};

struct functions *functions_new(u32 pid, u32 regs, u32 n_rings, u32 ring_size,
				struct compiled *compiled, bool in_children)
{
	struct functions *f = xcalloc(1, sizeof *f);

	f->pid = pid;
	f->in_children = in_children;
	f->compiled = compiled;
	f->recorder = (struct recorder){
		.regs = regs, .n_rings = n_rings, .ring_size = ring_size, .tid = -1
	};
	return f;
}

void functions_free(struct functions *f)
{
	if (!f)
		return;
	for (u32 i = 0; i < f->n; i++)
		area_release(&f->v[i]);
	free(f->v);
	free(f->lengths);
	free(f);
}

static struct compiled_site site_of(const struct site *point, u64 ip, u32 func)
{
	struct compiled_site s = { .func = func, .ip = ip, .is_point = point != NULL };

	if (point) {
		s.words = point->record.operands;
		s.n_words = point->record.n_operands;
	}
	return s;
}

/* Programs see thread IDs of sonde's pid namespace. */
static bool has_own_tid(const struct functions *f)
{
	return f->recorder.tid >= 0 && !f->is_elsewhere;
}

static u32 find_length(struct functions *f, u32 func, const struct site *point, u32 *stack)
{
	const struct compiled_place has = { .has_tid = has_own_tid(f),
					    .has_rseq = f->recorder.has_rseq };
	const struct compiled_site site = site_of(point, 0, func);
	struct err err = { 0 };
	u32 bytes = compiled_length(f->compiled, &site, &has, stack, &err);

	if (err.code)
		snprintf(f->why_not, sizeof f->why_not, "%.199s", err.text);
	err_release(&err);
	return bytes;
}

/* The maximum size of the compiled function; 0: not compiled. It is the same at all entries of
 * functions. */
static u32 length_of(struct functions *f, u32 func, const struct site *point)
{
	struct length *l;
	u32 stack;

	if (!f->compiled)
		return 0;
	if (point)
		return find_length(f, func, point, &stack);
	if (func >= f->n_lengths) {
		f->lengths = xrealloc(f->lengths, (func + 1) * sizeof *f->lengths);
		memset(f->lengths + f->n_lengths, 0,
		       (func + 1 - f->n_lengths) * sizeof *f->lengths);
		f->n_lengths = func + 1;
	}
	l = &f->lengths[func];
	if (!l->is_known) {
		l->bytes = find_length(f, func, NULL, &l->stack);
		l->is_known = true;
	}
	return l->bytes;
}

bool functions_compile(struct functions *f, u32 func, const struct site *point)
{
	return length_of(f, func, point) != 0;
}

const char *functions_why_not(const struct functions *f)
{
	return f->why_not;
}

const struct area *functions_areas(const struct functions *f, u32 *n, s32 *tid_offset)
{
	*n = f->n;
	*tid_offset = f->recorder.tid;
	return f->v;
}

static u64 rings_size(const struct functions *f)
{
	return (u64)f->recorder.n_rings * jit_ring_stride(f->recorder.ring_size);
}

void *functions_map_rings(const struct functions *f, struct err *err)
{
	void *at =
		mmap(NULL, rings_size(f), PROT_READ | PROT_WRITE, MAP_SHARED, f->v[0].rings_fd, 0);

	if (at != MAP_FAILED)
		return at;
	err_sys(err, "map the rings of process %u", f->pid);
	return NULL;
}

/* ---- thread-local data of the process */

/* The kernel's struct ptrace_rseq_configuration. */
struct rseq_configuration {
	u64 address;
	u32 size, signature, flags, pad;
};

/* In glibc 2.35 and later it is at the same distance from the thread pointer in all threads. */
static void learn_rseq(struct recorder *r, s32 tid, u64 thread_pointer)
{
	struct rseq_configuration c = { 0 };

	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, tid, (void *)sizeof c, &c) < 0 || !c.address)
		return;
	r->rseq = (s32)(c.address - thread_pointer);
	r->signature = c.signature;
	r->has_rseq = (s64)r->rseq == (s64)(c.address - thread_pointer);
}

/* struct pthread of glibc (nptl/descr.h) and of musl (src/internal/pthread_impl.h) */
static void learn_tid(struct functions *f, u32 inner, u64 thread_pointer)
{
	static const u16 known[] = { 720, 48, 56 };
	s32 id;

	for (u32 i = 0; i < ARRAY_SIZE(known) && f->recorder.tid < 0; i++)
		if (process_read(f->pid, thread_pointer + known[i], &id, sizeof id) &&
		    id == (s32)inner)
			f->recorder.tid = known[i];
}

/* All are locked only if this many threads are preempted while they write a record. */
enum { LOCKED_RINGS = 8 };

/* If its position is not known, a system call returns the ID. It must not be within a restartable
 * sequence. */
static void learn_threads(struct functions *f, s32 tid, u64 thread_pointer)
{
	struct recorder *r = &f->recorder;
	u32 inner = thread_inner_id((u32)tid);

	f->is_elsewhere = inner != (u32)tid;
	learn_tid(f, inner, thread_pointer);
	learn_rseq(r, tid, thread_pointer);
	r->has_rseq = r->has_rseq && r->tid >= 0;
	if (!r->has_rseq)
		r->n_rings = MAX(r->n_rings, (u32)LOCKED_RINGS);
	if (r->tid < 0 && process_status((u32)tid, "Seccomp"))
		f->no_records =
			"records need the thread's id, where the C library of the process does not have "
			"it, and a seccomp filter might kill it for a system call";
}

/* ---- areas: a group of entries that one can serve */

#define GROUP_SPAN (1ull << 30)

static int by_address(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static u32 group_end(const struct entry *v, u32 n, u32 from)
{
	u32 to = from + 1;

	while (to < n && v[to].at - v[from].at < GROUP_SPAN)
		to++;
	return to;
}

static u64 code_size(struct functions *f, const struct entry *v, u32 n)
{
	u64 size = area_head_size(n) + RECORDER_MAX + (u64)n * STUB_MAX;

	if (f->compiled)
		size += compiled_routines_size(f->compiled) + ROUTINES_ALIGN;
	for (u32 i = 0; i < n; i++)
		for (u32 k = 0; k < v[i].n_handlers; k++)
			size += length_of(f, v[i].handlers[k].func,
					  v[i].point); /* 0: the entry sends records */
	return size;
}

/* The size of the file that the process and sonde share. */
static u64 shared_size(const struct functions *f)
{
	return rings_size(f) + (f->compiled ? compiled_size(f->compiled) : 0);
}

static int map_group(struct functions *f, struct injector *in, const struct entry *v, u32 n,
		     struct err *err)
{
	struct area *a;
	int ret;

	f->v = xrealloc(f->v, (f->n + 1) * sizeof *f->v);
	a = &f->v[f->n];
	*a = (struct area){ .code_size = code_size(f, v, n),
			    .rings_size = f->rings ? 0 : shared_size(f),
			    .in_children = f->in_children };
	ret = area_map(a, in, v[0].at, v[n - 1].at + CODE_MAX, err);
	if (ret < 0) {
		area_release(a);
		return ret;
	}
	f->n++;
	f->rings = f->rings ? f->rings : a->rings;
	return 0;
}

static int map_groups(struct functions *f, struct injector *in, const struct entry *v, u32 n,
		      struct err *err)
{
	int ret = 0;

	for (u32 i = 0, end; i < n && ret >= 0; i = end) {
		end = group_end(v, n, i);
		ret = map_group(f, in, v + i, end - i, err);
	}
	return ret;
}

/* Work for an injected thread. */
struct inside {
	struct functions *f;
	const struct entry *v; /* map memory for these */
	u32 n;
	struct err *err;
};

static int map_inside(void *ctx)
{
	const struct inside *x = ctx;
	struct injector in;
	struct stopped s;
	int ret = threads_stop_one(&s, x->f->pid, x->err);

	if (ret >= 0)
		ret = inject_begin(&in, x->f->pid, s.v[0].tid, x->err);
	if (ret >= 0) {
		ret = map_groups(x->f, &in, x->v, x->n, x->err);
		inject_end(&in);
	}
	threads_resume(&s);
	return ret;
}

static int map_all(struct functions *f, const struct entry *v, u32 n, struct err *err)
{
	return survivor_run(map_inside, &(struct inside){ .f = f, .v = v, .n = n, .err = err });
}

static int look_inside(void *ctx)
{
	const struct inside *x = ctx;
	struct stopped s;
	u64 thread_pointer;
	int ret = threads_stop_one(&s, x->f->pid, x->err);

	if (ret >= 0)
		ret = thread_pointer_of(s.v[0].tid, &thread_pointer, x->err);
	if (ret >= 0)
		learn_threads(x->f, s.v[0].tid, thread_pointer);
	threads_resume(&s);
	return ret;
}

int functions_look(struct functions *f, struct err *err)
{
	return survivor_run(look_inside, &(struct inside){ .f = f, .err = err });
}

u32 functions_n_rings(const struct functions *f)
{
	return f->recorder.n_rings;
}

u64 functions_split_site(const struct functions *f, u64 site, u32 *cpu)
{
	if (f->recorder.has_rseq)
		return site;
	*cpu = (u32)(site >> STUB_CPU_SHIFT);
	return site & ((1ull << STUB_CPU_SHIFT) - 1);
}

bool functions_is_elsewhere(const struct functions *f)
{
	return f->is_elsewhere;
}

const char *functions_refuse(const struct functions *f, const struct site *s, u32 func,
			     bool is_compiled)
{
	/* Stack that Go code may use without a check: StackGuard of its runtime, 928, less what
	 * routines called by programs use. */
	enum { GO_STACK = 600 };

	if (!is_compiled)
		return f->no_records;
	return s->user.go_check && f->lengths[func].stack > GO_STACK ?
		       "the program may need more stack than a function of Go has" :
		       NULL;
}

/* ---- code */

/* Addresses to which programs and stubs of an area refer. */
struct shared_code {
	const struct functions *f;
	u64 recorder;
	struct compiled_place place;
};

static void set_patch(struct entry *e, const u8 *code, u64 stub, u32 head,
		      const struct x86_moved *m)
{
	struct patch *p = &e->patch;

	*p = (struct patch){
		.at = e->at, .to = stub, .displaced = m->displaced, .n_inner = m->n_inner
	};
	p->before = e->old ? e->old->to : 0;
	p->module = e->module;
	p->semaphore = e->semaphore;
	memcpy(p->was, code, sizeof p->was);
	memcpy(p->inner, m->inner, sizeof p->inner);
	for (u32 i = 0; i < m->n_inner; i++)
		p->copy[i] = head + m->copy[i];
}

/* Appends programs that run in the process. False: the entry needs records, too. */
static bool put_handlers(const struct shared_code *s, struct code *c, const struct entry *e)
{
	struct compiled_site site = site_of(e->point, e->at + e->back, 0);
	bool all = true;

	for (u32 i = 0; i < e->n_handlers; i++) {
		const struct handler *p = &e->handlers[i];
		struct buf b = { 0 };
		struct err err = { 0 };

		site.func = p->func;
		site.cookie = p->cookie;
		if (!p->is_compiled)
			all = false;
		else if (compiled_put(s->f->compiled, &site, &s->place, c->address + c->len, &b,
				      &err) < 0)
			BUG("a program that can be compiled cannot: %s", err.text);
		stub_put(c, b.s, (u32)b.len);
		buf_release(&b);
	}
	return all;
}

/* the first len bytes, less a return of ret_len bytes | programs */
static const char *put_before(const struct shared_code *s, struct code *c, struct entry *e,
			      const u8 *code, u32 len, u32 ret_len)
{
	struct x86_moved m;
	const char *why = x86_move_exit(code, len, ret_len, e->at, c->address + c->len, &m);

	if (why)
		return why;
	set_patch(e, code, c->address + c->len, 0, &m);
	stub_put(c, m.code, m.len);
	if (!put_handlers(s, c, e))
		stub_put_record(c, e->at, s->recorder);
	return NULL;
}

/* stack check | programs | continue */
static const char *put_go_entry(const struct shared_code *s, struct code *c, struct entry *e,
				const u8 *code)
{
	const char *why = put_before(s, c, e, code, e->go_check, 0);

	if (!why)
		stub_put_jump(c, e->at + e->go_check);
	return why;
}

/* programs | displaced instructions | continue; for records of a tracepoint, jump to its cold
 * path */
static const char *put_entry(const struct shared_code *s, struct code *c, struct entry *e,
			     const u8 *code)
{
	u64 stub = c->address + c->len;
	bool all = put_handlers(s, c, e);
	struct x86_moved m;
	const char *why;
	u32 head;

	if (!all && !e->point)
		stub_put_record(c, e->at, s->recorder);
	head = (u32)(c->address + c->len - stub);
	why = x86_move(code, CODE_MAX, e->at, stub + head, &m);
	if (why)
		return why;
	set_patch(e, code, stub, head, &m);
	if (!all && e->point) /* which continues after the site */
		stub_put_jump(c, e->cold_path);
	else
		stub_put_moved(c, &m, e->at + m.displaced);
	return NULL;
}

/* instructions before the return | programs | the return */
static const char *put_exit(const struct shared_code *s, struct code *c, struct entry *e,
			    const u8 *code)
{
	u32 len = x86_insn_len(code + e->back, CODE_MAX - e->back);
	const char *why = put_before(s, c, e, code, e->back + len, len);

	if (!why)
		stub_put(c, code + e->back, len);
	return why;
}

static void make_stub(const struct shared_code *s, struct code *c, struct entry *e)
{
	if (e->why_not)
		return;
	e->why_not = e->is_exit  ? put_exit(s, c, e, e->code) :
		     e->go_check ? put_go_entry(s, c, e, e->code) :
				   put_entry(s, c, e, e->code);
	if (!e->why_not && c->is_broken)
		e->why_not = "it is too far away from its stub";
	c->is_broken = false;
}

static void put_head(const struct area *a, const struct entry *v, u32 n, u8 *to)
{
	struct area_head *h = (struct area_head *)(void *)to;

	area_put_head(h, a);
	for (u32 i = 0; i < n; i++) {
		struct area_patch *p = &h->patch[h->n_patches];

		if (v[i].why_not)
			continue;
		*p = (struct area_patch){ .at = v[i].patch.at,
					  .to = v[i].patch.to,
					  .displaced = v[i].patch.displaced };
		memcpy(p->was, v[i].patch.was, sizeof v[i].patch.was);
		h->n_patches++;
	}
}

static void put_shared(struct functions *f, const struct area *a, struct code *c,
		       struct shared_code *s)
{
	struct buf b = { 0 };

	f->recorder.rings = a->control;
	*s = (struct shared_code){ .f = f, .recorder = stub_put_recorder(c, &f->recorder) };
	if (!f->compiled)
		return;
	stub_align(c, ROUTINES_ALIGN);
	s->place = (struct compiled_place){ .memory = f->rings + rings_size(f),
					    .routines = c->address + c->len,
					    .control = a->control,
					    .pid = f->pid,
					    .tid = f->recorder.tid,
					    .has_tid = has_own_tid(f),
					    .rseq = f->recorder.rseq,
					    .has_rseq = f->recorder.has_rseq,
					    .rings = f->rings,
					    .n_rings = f->recorder.n_rings,
					    .ring_size = f->recorder.ring_size,
					    .signature = f->recorder.signature };
	compiled_put_routines(f->compiled, &s->place, &b);
	stub_put(c, b.s, (u32)b.len);
	buf_release(&b);
}

static int fill_area(struct functions *f, struct area *a, struct entry *v, u32 n, struct err *err)
{
	u8 *image = xcalloc(1, a->code_size);
	struct code c = { .at = image,
			  .len = (u32)area_head_size(n),
			  .room = (u32)a->code_size,
			  .address = a->code };
	struct shared_code shared;
	int ret;

	put_shared(f, a, &c, &shared);
	if (c.is_broken)
		BUG("no space for the recorder");
	for (u32 i = 0; i < n; i++)
		make_stub(&shared, &c, &v[i]);
	put_head(a, v, n, image);
	ret = area_fill(a, image, c.len, err);
	if (ret >= 0 && !process_write(f->pid, a->control, &f->rings, sizeof f->rings))
		ret = err_sys(err, "write the memory of process %u", f->pid);
	free(image);
	return ret;
}

int functions_prepare(struct functions *f, struct entry *v, u32 n, struct err *err)
{
	u32 area = f->n;
	int ret;

	qsort(v, n, sizeof *v, by_address);
	codes_read(f->pid, v, n);
	ret = map_all(f, v, n, err);
	if (ret >= 0 && f->compiled && !f->has_moved) {
		ret = compiled_move(f->compiled, f->v[0].rings_fd, rings_size(f), err);
		f->has_moved = ret >= 0;
	}
	for (u32 i = 0, end; i < n && ret >= 0; i = end) {
		end = group_end(v, n, i);
		ret = fill_area(f, &f->v[area++], v + i, end - i, err);
	}
	return ret;
}

/* ---- records */

void functions_registers(const struct functions *f, const struct sonde_record *r, u64 site, u8 back,
			 u64 regs[PT_REGS_WORDS])
{
	/* by the instructions' numbers of registers: index in struct pt_regs */
	static const u8 at[16] = { 10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0 };
	enum { ORIG_AX = 15, IP = 16, CS = 17, SS = 20, USER_CS = 0x33, USER_DS = 0x2b };
	u32 word = 0;

	memset(regs, 0, PT_REGS_WORDS * sizeof *regs);
	for (u32 i = 0; i < 16; i++)
		if (f->recorder.regs >> i & 1)
			regs[at[i]] = r->word[word++];
	regs[ORIG_AX] = ~0ull;
	regs[IP] = site + back;
	regs[CS] = USER_CS;
	regs[SS] = USER_DS;
}
