/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "cli/job.h"
#include "cli/option.h"
#include "cli/report_part.h"
#include "export/export.h"
#include "trace/event_stack.h"
#include "trace/value.h"

void where_init(struct where *w, struct recorded *r)
{
	static const struct chain_frame nothing = {
		.symbol = "[unknown]", .dso = "[unknown]", .path = "", .is_kernel = true
	};
	static const struct chain_step step = { &nothing, 0 };

	*w = (struct where){ .r = r, .nowhere = { 1, &step } };
	frames_init(&w->frames, &r->names, r->stack_names);
}

void where_release(struct where *w)
{
	hash_release(&w->by_address);
	hash_release(&w->alone);
	frames_release(&w->frames);
}

/* ---- frames */

static struct chain_frame *frame_new(struct where *w, const char *symbol, const char *path,
				     bool is_kernel)
{
	struct chain_frame *f = arena_new(&w->frames.arena, struct chain_frame);

	*f = (struct chain_frame){ .symbol = symbol,
				   .dso = *path ? base_name(path) : "[unknown]",
				   .path = path,
				   .is_kernel = is_kernel };
	return f;
}

/* Without a name each address is a function of its own. */
static const struct chain_frame *frame_at(struct where *w, u64 ip, const char *path, u64 offset,
					  bool is_kernel)
{
	char *symbol = arena_printf(&w->frames.arena, "%#llx", (unsigned long long)ip);
	struct chain_frame *f = hash_gets(&w->by_address, symbol);

	if (!f) {
		f = frame_new(w, symbol, path, is_kernel);
		f->offset = offset ? offset : ip;
		hash_puts(&w->by_address, symbol, f);
	}
	return f;
}

static const struct chain_frame *frame_of(struct where *w, const struct frame *frame,
					  const struct trace_event *e, u32 side, u32 i)
{
	bool is_kernel = side == EVENT_KSTACK;
	struct chain_frame **at;
	struct symbol sym = { 0 };
	const char *why;

	if (!frame->start) {
		event_frame(w->frames.names, e, side, i, &sym, &why);
		return frame_at(w, e->stack[side].ips[i],
				is_kernel ? "[kernel.kallsyms]" : frame->module, sym.file_offset,
				is_kernel);
	}
	while (w->by_number.n <= frame->number)
		vec_push(&w->frames.arena, &w->by_number, NULL);
	at = &w->by_number.v[frame->number];
	if (!*at) {
		*at = frame_new(w, frame->name, frame->module, is_kernel);
		(*at)->has_name = true;
	}
	return *at;
}

static struct chain *chain_new(struct where *w, const struct trace_event *e,
			       const struct framed_stack *s)
{
	struct chain_step *v = arena_array(&w->frames.arena, struct chain_step, s->n);
	struct chain *chain = arena_new(&w->frames.arena, struct chain);
	u32 n_kernel = e->stack[EVENT_KSTACK].n;

	*chain = (struct chain){ .v = v };
	for (u32 i = 0; i < s->n; i++) {
		u32 side = i < n_kernel ? EVENT_KSTACK : EVENT_USTACK, k = side ? i - n_kernel : i;

		if (!s->frames[i]->is_reason)
			v[chain->n++] = (struct chain_step){ frame_of(w, s->frames[i], e, side, k),
							     e->stack[side].ips[k] };
	}
	return chain;
}

/* A sample of perf without -g has its address as a field: a stack of one. */
static bool make_stack(struct where *w, const struct trace_event *e, struct trace_event *with)
{
	const struct event_member *m = is_sample_format(e->format) ? event_member(e->format, "ip") :
								     NULL;
	struct {
		u64 ip, pid;
	} key = { m ? (u64)event_value(e, m) : 0, e->pid }, *kept;
	u32 side = key.ip >> 63 ? EVENT_KSTACK : EVENT_USTACK;

	if (!key.ip)
		return false;
	kept = hash_get(&w->alone, &key, sizeof key);
	if (!kept) {
		kept = arena_dup(&w->frames.arena, &key, sizeof key);
		hash_put(&w->alone, kept, sizeof *kept, kept);
	}
	*with = *e;
	with->has_stacks = true;
	with->stack[EVENT_KSTACK].n = with->stack[EVENT_USTACK].n = 0;
	with->stack[side] = (struct event_stack){ .n = 1, .ips = &kept->ip };
	return true;
}

struct chain where_chain(struct where *w, const struct trace_event *e)
{
	struct framed_stack *s = frames_of(&w->frames, e);
	struct trace_event with;

	if (!s && make_stack(w, e, &with)) {
		s = frames_of(&w->frames, &with);
		e = &with;
	}
	if (!s)
		return w->nowhere;
	if (!s->note)
		s->note = chain_new(w, e, s);
	return ((struct chain *)s->note)->n ? *(struct chain *)s->note : w->nowhere;
}

/* Samples of perf without -g have a stack of one function. */
bool where_has_chains(struct recorded *r)
{
	struct trace_event e;
	bool found = false;

	if (!r->tables->n_stacks)
		return false;
	while (!found && store_next(r->store, &e))
		found = e.has_stacks && e.stack[0].n + e.stack[1].n > 1;
	store_rewind(r->store);
	return found;
}

void where_put_line(const struct where *w, struct buf *b, const struct trace_event *e,
		    const struct chain_step *at)
{
	struct symbol sym = { 0 };

	if (!at->frame->is_kernel && at->ip &&
	    store_names_source(w->r->stack_names, e->pid, at->ip, false, 0, &sym) && sym.file) {
		put_foreignz(b, &w->r->names, base_name(sym.file));
		buf_printf(b, ":%u", sym.line);
	} else {
		put_foreignz(b, &w->r->names, at->frame->symbol);
	}
}

/* ---- events */

bool is_sample_format(const struct event_format *f)
{
	static const char *const groups[] = { "perf:", "sonde:", "software:", "hardware:" };

	for (u32 i = 0; i < ARRAY_SIZE(groups); i++)
		if (starts_with(f->name, groups[i]))
			return true;
	return false;
}

void where_put_event(struct buf *b, const struct event_format *f)
{
	size_t start = b->len;

	buf_puts(b, is_sample_format(f) ? strchr(f->name, ':') + 1 : f->name);
	if (is_sample_format(f) && strstr(f->name, "ware:")) /* software:page_faults_1: -c 1 */
		while (b->len > start && strchr("_0123456789", b->s[b->len - 1]))
			buf_cut(b, b->len - 1, 1);
	for (char *s = b->s + start; is_sample_format(f) && *s; s++)
		*s = *s == '_' ? '-' : *s;
}

static const char *line_of(struct recorded *r, u32 n)
{
	const struct store_text *text = store_find_text(r->store, "uname");
	const char *s = text ? text->bytes : "";

	for (; n && *s; n--)
		s = strchrnul(s, '\n') + (strchr(s, '\n') != NULL);
	return arena_strndup(&r->arena, s, strcspn(s, "\n"));
}

void where_put_head(struct recorded *r, struct buf *b)
{
	const struct file_head *h = &r->tables->head;
	const struct store_text *command = store_find_text(r->store, "command");
	time_t at = (time_t)((h->start_ns + (u64)h->to_real) / 1000000000);
	char when[32] = "";

	buf_puts(b, "# ========\n");
	if (h->to_real && ctime_r(&at, when))
		buf_printf(b, "# captured on    : %s", when);
	buf_printf(b, "# hostname : %s\n# os release : %s\n# arch : %s\n", line_of(r, 1),
		   line_of(r, 2), line_of(r, 4));
	buf_printf(b, "# nrcpus avail : %u\n", h->n_cpus);
	if (command) {
		buf_puts(b, "# command : ");
		put_foreign(b, &r->names, command->bytes, command->len);
		buf_putc(b, '\n');
	}
	for (u32 i = 0; i < r->tables->formats.n; i++) {
		buf_puts(b, "# event : name = ");
		where_put_event(b, r->tables->formats.v[i]);
		buf_putc(b, '\n');
	}
	buf_printf(b, "# time of first sample : %.6f\n# time of last sample : %.6f\n",
		   (double)r->tables->t0 / 1e9, (double)r->tables->t1 / 1e9);
	buf_puts(b, "# ========\n#\n");
}

/* ---- the part that is chosen */

static bool are_numbers(const char *list)
{
	return !list || (*list && !list[strspn(list, "0123456789,")]);
}

bool part_is_given(const struct cli *c)
{
	const struct part_options *o = &c->select.part;

	return c->select.cpus || o->comms || o->dsos || o->symbols || o->pids || o->tids;
}

static void add_range(void *ctx, u32 first, u32 last)
{
	struct part *p = ctx;

	for (u32 i = first; i <= last && i < 64 * ARRAY_SIZE(p->cpus); i++)
		p->cpus[i / 64] |= 1ull << i % 64;
}

int part_read(struct part *p, const struct cli *c)
{
	const char *cpus = c->select.cpus;

	*p = (struct part){ .o = &c->select.part, .has_cpus = cpus };
	if (cpus && !job_read_ranges(cpus, add_range, p))
		return job_refuse_cpus(c);
	if (!are_numbers(p->o->pids) || !are_numbers(p->o->tids))
		return say_usage(c, "--pid and --tid take numbers, as 12,15");
	return 0;
}

bool part_has_cpu(const struct part *p, const struct trace_event *e)
{
	return !p->has_cpus ||
	       (e->cpu < 64 * ARRAY_SIZE(p->cpus) && (p->cpus[e->cpu / 64] >> e->cpu % 64 & 1));
}

/* No list has all. */
static bool is_listed(const char *list, const char *text, size_t len)
{
	for (const char *s = list; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
		size_t n = strcspn(s, ",");

		if (n == len && !memcmp(s, text, n))
			return true;
	}
	return !list;
}

static bool is_numbered(const char *list, u32 n)
{
	char text[16];

	return is_listed(list, text, (size_t)snprintf(text, sizeof text, "%u", n));
}

bool part_has_place(const struct part *p, const struct trace_event *e, const struct chain_frame *f)
{
	const struct part_options *o = p->o;

	return is_listed(o->comms, e->comm, strnlen(e->comm, 16)) && is_numbered(o->pids, e->pid) &&
	       is_numbered(o->tids, e->tid) &&
	       (is_listed(o->dsos, f->dso, strlen(f->dso)) ||
		is_listed(o->dsos, f->path, strlen(f->path))) &&
	       is_listed(o->symbols, f->symbol, strlen(f->symbol));
}
