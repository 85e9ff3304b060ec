/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of the function_graph tracer as the kernel draws them
 * (kernel/trace/trace_functions_graph.c, Documentation/trace/ftrace.rst):
 *
 *	 0)               |  vfs_read() {
 *	 0)   0.921 us    |    rw_verify_area();
 *	 0) + 12.345 us   |  }
 *
 * Depth, threshold and the function to begin with are switches of the whole system in the kernel:
 * here records are left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include "base/glob.h"
#include "cli/ftrace/ftrace.h"

enum { INDENT = 2, MAX_DEPTH = 64 };
/* How long an entry waits for the next record of its processor. */
enum { WAIT_NS = 200000000 };

/* An entry or a return. */
struct call {
	bool is_return;
	u64 func, calltime, rettime;
	u32 tid, depth;
};

bool graph_is_record(const struct event_format *format)
{
	return streq(format->name, "ftrace:funcgraph_entry") ||
	       streq(format->name, "ftrace:funcgraph_exit");
}

static struct call call_of(const struct ftrace *f, const struct ftrace_record *r,
			   const struct event_format *format)
{
	const u8 *record = (const u8 *)f->data.s + r->at;

	return (struct call){
		.is_return = streq(format->name, "ftrace:funcgraph_exit"),
		.func = lines_member(format, "func", record, r->len),
		.depth = (u32)lines_member(format, "depth", record, r->len),
		.calltime = lines_member(format, "calltime", record, r->len),
		.rettime = lines_member(format, "rettime", record, r->len),
		.tid = (u32)lines_member(format, "common_pid", record, r->len),
	};
}

static struct graph_cpu *cpu_of(struct ftrace *f, u32 cpu)
{
	if (!f->cpus)
		f->cpus = xcalloc(f->n_cpus, sizeof *f->cpus);
	return &f->cpus[cpu < f->n_cpus ? cpu : 0];
}

/* ---- columns */

static void put_cpu(struct ftrace *f, u32 cpu)
{
	int width = f->n_cpus > 100 ? 3 : f->n_cpus > 10 ? 2 : 1;

	buf_printf(&f->text, " %*u) ", width, cpu);
}

static void put_thread(struct ftrace *f, u32 tid)
{
	char text[32];
	int len = snprintf(text, sizeof text, "%.7s-%u", lines_comm(f, tid), tid);
	u32 spaces = len < 14 ? (u32)(14 - len) : 0;

	buf_pad(&f->text, ' ', spaces / 2);
	buf_puts(&f->text, text);
	buf_pad(&f->text, ' ', spaces - spaces / 2);
}

/* Another thread is on the processor. */
static void put_switch(struct ftrace *f, u32 cpu, u32 tid)
{
	static const char line[] = " ------------------------------------------\n";
	struct graph_cpu *g = cpu_of(f, cpu);
	bool was_other = g->was_seen && g->tid != tid;

	if (was_other) {
		buf_puts(&f->text, line);
		put_cpu(f, cpu);
		put_thread(f, g->tid);
		buf_puts(&f->text, " => ");
		put_thread(f, tid);
		buf_printf(&f->text, "\n%s\n", line);
	}
	g->tid = tid;
	g->was_seen = true;
}

static void put_interrupt(struct ftrace *f, const struct call *c, u32 cpu)
{
	if (!f->irq_end || c->func < f->irq_begin || c->func >= f->irq_end)
		return;
	put_cpu(f, cpu);
	buf_printf(&f->text, "  %s |\n", c->is_return ? "<==========" : "==========>");
}

static char mark_of(u64 ns)
{
	static const struct {
		u64 over;
		char mark;
	} marks[] = { { 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		      { 1000000, '#' },    { 100000, '!' },    { 10000, '+' } };

	for (u32 i = 0; i < ARRAY_SIZE(marks); i++)
		if (ns > marks[i].over)
			return marks[i].mark;
	return ' ';
}

/* At most seven digits of microseconds. */
static void put_duration(struct ftrace *f, u64 ns)
{
	char text[40];
	int len = snprintf(text, sizeof text, "%llu", (unsigned long long)(ns / 1000));

	if (len < 7)
		len += snprintf(text + len, sizeof text - (size_t)len, ".%.*s", MIN(3, 7 - len),
				(const char[4]){ (char)('0' + ns % 1000 / 100),
						 (char)('0' + ns % 100 / 10), (char)('0' + ns % 10),
						 '\0' });
	buf_printf(&f->text, "%c %s us ", mark_of(ns), text);
	buf_pad(&f->text, ' ', len < 8 ? (size_t)(8 - len) : 0);
	buf_puts(&f->text, "|  ");
}

static void put_no_duration(struct ftrace *f)
{
	buf_puts(&f->text, "              |  ");
}

/* ---- what is left out */

static bool is_like(struct ftrace *f, const char *const *patterns, u64 func)
{
	struct ksym s;

	if (!patterns || !kallsyms_lookup(f->symbols, func, &s))
		return false;
	for (u32 i = 0; patterns[i]; i++)
		if (glob_match(patterns[i], s.name))
			return true;
	return false;
}

/* The depth + 1 of the function of -G that a thread is inside; 0: none. */
static u32 *inside_of(struct ftrace *f, u32 tid)
{
	struct graph_thread *t = hash_get(&f->threads, &tid, sizeof tid);

	if (!t) {
		t = arena_new(&f->arena, struct graph_thread);
		t->tid = tid;
		hash_put(&f->threads, &t->tid, sizeof t->tid, t);
	}
	return &t->inside;
}

/* -G: from the entry of such a function to its return; then the depth counts from it. */
static bool is_inside(struct ftrace *f, struct call *c)
{
	const char *const *wanted = f->c->own.ftrace.graph;
	u32 *inside = wanted ? inside_of(f, c->tid) : NULL, base;

	if (!wanted)
		return true;
	if (*inside && c->depth + 1 < *inside) /* its return was lost */
		*inside = 0;
	if (!*inside && !c->is_return && is_like(f, wanted, c->func))
		*inside = c->depth + 1;
	if (!*inside)
		return false;
	base = *inside - 1;
	if (c->is_return && c->depth == base)
		*inside = 0;
	c->depth -= base;
	return true;
}

static bool is_shown(struct ftrace *f, struct call *c)
{
	const struct ftrace_options *o = &f->c->own.ftrace;

	return is_inside(f, c) && !is_like(f, o->nograph, c->func) &&
	       (!o->depth || c->depth < o->depth);
}

/* ---- lines */

static void put_indent(struct ftrace *f, u32 depth)
{
	buf_pad(&f->text, ' ', (size_t)MIN(depth, 128u) * INDENT);
}

static void put_leaf(struct ftrace *f, const struct ftrace_record *r, const struct call *c, u64 ns)
{
	put_switch(f, r->cpu, c->tid);
	put_interrupt(f, c, r->cpu);
	put_cpu(f, r->cpu);
	put_duration(f, ns);
	put_indent(f, c->depth);
	lines_symbol(f, c->func);
	buf_puts(&f->text, "();\n");
	if (f->irq_end && c->func >= f->irq_begin && c->func < f->irq_end) {
		const struct call end = { .is_return = true, .func = c->func };

		put_interrupt(f, &end, r->cpu);
	}
}

static void put_entry(struct ftrace *f, const struct ftrace_record *r, const struct call *c)
{
	struct graph_cpu *g = cpu_of(f, r->cpu);

	put_switch(f, r->cpu, c->tid);
	put_interrupt(f, c, r->cpu);
	put_cpu(f, r->cpu);
	put_no_duration(f);
	put_indent(f, c->depth);
	lines_symbol(f, c->func);
	buf_puts(&f->text, "() {\n");
	g->depth = c->depth;
	if (c->depth < MAX_DEPTH) {
		g->func[c->depth] = c->func;
		g->entered[c->depth] = r->time;
	}
}

/* The kernel's times; without them those of the records. */
static u64 duration(const struct graph_cpu *g, const struct ftrace_record *r, const struct call *c)
{
	if (c->rettime)
		return c->rettime - c->calltime;
	return c->depth < MAX_DEPTH && g->func[c->depth] == c->func ?
		       r->time - g->entered[c->depth] :
		       0;
}

static void put_return(struct ftrace *f, const struct ftrace_record *r, const struct call *c)
{
	struct graph_cpu *g = cpu_of(f, r->cpu);
	u64 over = f->c->select.over_ns, ns = duration(g, r, c);
	bool known = c->depth < MAX_DEPTH && g->func[c->depth] == c->func && !over;

	if (c->depth < MAX_DEPTH)
		g->func[c->depth] = 0;
	g->depth = c->depth ? c->depth - 1 : 0;
	if (ns < over)
		return;
	put_switch(f, r->cpu, c->tid);
	put_cpu(f, r->cpu);
	put_duration(f, ns);
	put_indent(f, c->depth);
	buf_putc(&f->text, '}');
	if (!known) {
		buf_puts(&f->text, " /* ");
		lines_symbol(f, c->func);
		buf_puts(&f->text, " */");
	}
	buf_putc(&f->text, '\n');
	put_interrupt(f, c, r->cpu);
}

/* The next record of the processor; NULL: not read yet. */
static struct ftrace_record *next_of(const struct ftrace *f, u32 i)
{
	for (u32 k = i + 1; k < f->records.n; k++)
		if (f->records.v[k].cpu == f->records.v[i].cpu)
			return &f->records.v[k];
	return NULL;
}

/* The return of a call within which nothing was recorded; it is printed with its entry. */
static bool is_leaf(struct ftrace *f, const struct call *c, const struct ftrace_record *next,
		    struct call *end)
{
	const struct event_format *format;
	u16 id;

	if (!next || next->lost || next->len < sizeof id)
		return false;
	memcpy(&id, f->data.s + next->at, sizeof id);
	format = lines_format(f, id);
	if (!format || !graph_is_record(format))
		return false;
	*end = call_of(f, next, format);
	return end->is_return && end->func == c->func && end->tid == c->tid &&
	       end->depth == c->depth;
}

bool graph_put(struct ftrace *f, u32 i, const struct event_format *format, bool all)
{
	struct ftrace_record *r = &f->records.v[i], *next = next_of(f, i);
	struct call c = call_of(f, r, format), end;
	struct graph_cpu *g = cpu_of(f, r->cpu);
	bool is_call_leaf;

	if (!r->len) /* printed with its entry */
		return true;
	if (!c.is_return && !next && !all &&
	    f->records.v[f->records.n - 1].time - r->time < WAIT_NS)
		return false;
	is_call_leaf = !c.is_return && is_leaf(f, &c, next, &end);
	if (!is_shown(f, &c))
		return true;
	if (c.is_return) {
		put_return(f, r, &c);
	} else if (f->c->select.over_ns) {
		if (c.depth < MAX_DEPTH) {
			g->func[c.depth] = c.func;
			g->entered[c.depth] = r->time;
		}
	} else if (is_call_leaf) {
		put_leaf(f, r, &c, end.rettime ? end.rettime - end.calltime : next->time - r->time);
		is_inside(f, &end);
		next->len = 0;
		g->depth = c.depth ? c.depth - 1 : 0;
	} else {
		put_entry(f, r, &c);
	}
	return true;
}

void graph_begin_comment(struct ftrace *f, const struct ftrace_record *r)
{
	struct graph_cpu *g = cpu_of(f, r->cpu);
	s32 tid;

	if (r->len < 4 + sizeof tid)
		return;
	memcpy(&tid, f->data.s + r->at + 4, sizeof tid);
	put_switch(f, r->cpu, (u32)tid);
	put_cpu(f, r->cpu);
	put_no_duration(f);
	put_indent(f, g->depth + 1);
	buf_puts(&f->text, "/* ");
}

void graph_head(struct ftrace *f)
{
	struct ksym s;

	if (kallsyms_find(f->symbols, "__irqentry_text_start", NULL, &s))
		f->irq_begin = s.address;
	if (kallsyms_find(f->symbols, "__irqentry_text_end", NULL, &s))
		f->irq_end = s.address;
}
