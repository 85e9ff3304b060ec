/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the kernel functions that are on top of a kernel stack only because the stack is traced.
 * In: kernel symbols. Out: the bounds of these functions, sorted for a search by programs
 * (builtin/frames.c). A function ends where the next symbol begins.
 */
#include "session/system.h"
#include "sym/kallsyms.h"
#include "trace/value.h"

struct scan {
	struct arena *arena;
	struct tracer_frames *m;
	VEC(u64) bounds;
	bool inside, in_run;
};

static void bound(struct scan *s, bool inside, u64 address)
{
	if (inside == s->inside)
		return;
	s->inside = inside;
	if (s->bounds.n > 1 &&
	    s->bounds.v[s->bounds.n - 1] == address) /* a name of nothing, or two of one address */
		s->bounds.n--;
	else
		vec_push(s->arena, &s->bounds, address);
}

static void note_mark(struct tracer_frames *m, const struct ksym *k)
{
	if (streq(k->name, "_stext"))
		m->text_from = k->address;
	else if (streq(k->name, "_etext"))
		m->text_to = k->address;
}

/* They are consecutive (kernel/trace/bpf_trace.c: BPF_TRACE_DEFN_x). */
static void note_run(struct scan *s, const struct ksym *k)
{
	bool is_run = starts_with(k->name, "bpf_trace_run");

	if (is_run && !s->m->run_from)
		s->m->run_from = k->address;
	if (!is_run && s->in_run)
		s->m->run_to = k->address;
	s->in_run = is_run;
}

/*
 * Programs and trampolines come and go: they are recognized by being outside of the kernel's code.
 */
static int scan_symbol(void *ctx, const struct ksym *k)
{
	struct scan *s = ctx;

	if (!(k->address >> 63)) /* per-CPU offsets */
		return 0;
	note_mark(s->m, k);
	if (!ksym_is_text(k) || (k->module && streq(k->module, "bpf"))) {
		bound(s, false, k->address);
		return 0;
	}
	if (starts_with(k->name, "__pfx_")) /* padding in front of a function */
		return 0;
	note_run(s, k);
	bound(s, stack_is_tracer_frame(k->name), k->address);
	return 0;
}

struct tracer_frames *tracer_frames_find(struct arena *a, struct kallsyms *symbols)
{
	struct scan s = { .arena = a, .m = arena_new(a, struct tracer_frames) };
	struct err err = { 0 };
	u32 used;

	vec_push(s.arena, &s.bounds, 0);
	if (kallsyms_load(symbols, &err) == 0)
		kallsyms_each(symbols, scan_symbol, &s);
	err_release(&err);
	used = s.bounds.n;
	for (s.m->n = 2; s.m->n < used; s.m->n *= 2)
		;
	while (s.bounds.n < s.m->n)
		vec_push(s.arena, &s.bounds, ~0ull);
	s.m->bounds = s.bounds.v;
	return s.m;
}
