/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded lines, the input of flame graph tools: one count for each thread name and event. The name
 * of the call follows an event of system calls, the stack, outermost function first, an event that
 * has one.
 *
 *	make;sched:sched_process_fork 12
 *	make;raw_syscalls:sys_enter;openat 1204
 *	make;sched:sched_switch;main;read_all;read;entry_SYSCALL_64_after_hwframe;do_syscall_64;...;schedule 7
 */
#include <stdlib.h>
#include "export/calls.h"
#include "export/frames.h"
#include "trace/event_line.h"

struct line_key {
	char comm[COMM_SIZE];
	u32 format, call; /* numbers; call: of a raw call, else ~0 */
	/* Equal stacks of a file are at the same address; names depend on the process. */
	const u64 *stack[N_STACK_SIDES];
	u64 pid; /* 0 without user stack */
};

struct line {
	struct line_key key;
	const char *text;
	u64 count;
};

struct folded {
	const struct export_job *j;
	struct arena arena;
	struct frames frames;
	struct hash known; /* line_key -> struct line * */
	VEC(struct line *) lines;
};

/* The separator and line ends may not occur inside a name. */
static void put_name(struct buf *b, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf_putc(b, name[i] == ';' ? ':' : name[i] == '\n' ? ' ' : name[i]);
}

/* The outermost frame first; what is missing above is one, too. */
static void put_stack(struct buf *b, const struct framed_stack *s)
{
	for (u32 i = s ? s->n : 0; i-- > 0;) {
		buf_putc(b, ';');
		put_name(b, s->frames[i]->name, strlen(s->frames[i]->name));
	}
}

static const char *text_of(struct folded *f, const struct trace_event *e, const char *call)
{
	struct buf b = { 0 };
	const char *text;
	u32 len;
	const char *comm = event_comm(e, &len);

	put_name(&b, comm, len);
	buf_putc(&b, ';');
	put_name(&b, e->format->name, strlen(e->format->name));
	if (call)
		buf_printf(&b, ";%s", call);
	put_stack(&b, frames_of(&f->frames, e));
	text = arena_strdup(&f->arena, b.s);
	buf_release(&b);
	return text;
}

static struct line *line_of(struct folded *f, const struct trace_event *e)
{
	struct call_event call = { 0 };
	bool is_raw = call_of_event(e, &call) && call.is_raw;
	struct line_key key = { .format = e->format->stored,
				.call = is_raw ? call.number : ~0u,
				.stack = { e->stack[STACK_KERNEL].ips, e->stack[STACK_USER].ips },
				.pid = e->stack[STACK_USER].n ? e->pid : 0 };
	struct line *line;
	u32 len;
	const char *comm = event_comm(e, &len);

	memcpy(key.comm, comm, len);
	line = hash_get(&f->known, &key, sizeof key);
	if (line)
		return line;
	line = arena_new(&f->arena, struct line);
	*line = (struct line){ .key = key, .text = text_of(f, e, is_raw ? call.name : NULL) };
	hash_put(&f->known, &line->key, sizeof line->key, line);
	vec_push(&f->arena, &f->lines, line);
	return line;
}

static int by_text(const void *a, const void *b)
{
	const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;

	return strcmp(x->text, y->text);
}

/* Lines of several processes may be the same. */
static void put_lines(struct folded *f, struct buf *b)
{
	u64 count = 0;

	for (u32 i = 0; i < f->lines.n; i++) {
		const struct line *line = f->lines.v[i];

		count += line->count;
		if (i + 1 < f->lines.n && streq(line->text, f->lines.v[i + 1]->text))
			continue;
		buf_printf(b, "%s %llu\n", line->text, (unsigned long long)count);
		count = 0;
	}
}

void put_folded(const struct export_job *j, struct buf *b)
{
	struct folded f = { .j = j };
	struct trace_event e;

	arena_init(&f.arena);
	frames_init(&f.frames, j->names, j->stack_names);
	number_formats(j->tables);
	while (store_next(j->store, &e))
		line_of(&f, &e)->count++;
	if (f.lines.n)
		qsort(f.lines.v, f.lines.n, sizeof *f.lines.v, by_text);
	put_lines(&f, b);
	frames_release(&f.frames);
	hash_release(&f.known);
	arena_release(&f.arena);
}

static int run(const struct export_job *j, struct err *err)
{
	struct out o;

	if (out_open(&o, j->path, err) < 0)
		return err->code;
	put_folded(j, &o.buf);
	return out_close(&o, j->path, err);
}

const struct exporter export_folded = {
	.name = "folded",
	.brief = "lines of thread, event, stack and count, for flame graphs",
	.suffix = ".folded",
	.run = run
};
