/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded lines, the input of flame graph tools: how often each thread name had each event; events of
 * system calls are told apart by the call.
 *
 *	make;sched:sched_process_fork 12
 *	make;raw_syscalls:sys_enter;openat 1204
 */
#include <stdlib.h>
#include "base/hash.h"
#include "export/calls.h"
#include "export/export.h"
#include "trace/event_line.h"

struct line_key {
	char comm[COMM_SIZE];
	u32 format, call; /* numbers; call: of a raw call, else ~0 */
};

struct line {
	struct line_key key;
	const char *event, *call; /* call: NULL, or the name of a raw call */
	u64 count;
};

struct folded {
	const struct export_job *j;
	struct arena arena;
	struct hash known; /* line_key -> struct line * */
	VEC(struct line *) lines;
};

static struct line *line_of(struct folded *f, const struct trace_event *e)
{
	struct call_event call = { 0 };
	bool is_raw = call_of_event(e, &call) && call.is_raw;
	struct line_key key = { .format = e->format->stored, .call = is_raw ? call.number : ~0u };
	struct line *line;
	u32 len;
	const char *comm = event_comm(e, &len);

	memcpy(key.comm, comm, len);
	line = hash_get(&f->known, &key, sizeof key);
	if (line)
		return line;
	line = arena_new(&f->arena, struct line);
	*line = (struct line){ .key = key, .event = e->format->name };
	if (is_raw)
		line->call = arena_printf(&f->arena, "%s", call.name);
	hash_put(&f->known, &line->key, sizeof line->key, line);
	vec_push(&f->arena, &f->lines, line);
	return line;
}

static int by_name(const void *a, const void *b)
{
	const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;
	int n = memcmp(x->key.comm, y->key.comm, COMM_SIZE);

	n = n ? n : strcmp(x->event, y->event);
	return n ? n : strcmp(x->call ? x->call : "", y->call ? y->call : "");
}

/* The separator and line ends may not occur inside a name. */
static void put_name(struct buf *b, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf_putc(b, name[i] == ';' ? ':' : name[i] == '\n' ? ' ' : name[i]);
}

static void put_line(struct buf *b, const struct line *line)
{
	put_name(b, line->key.comm, strnlen(line->key.comm, COMM_SIZE));
	buf_putc(b, ';');
	put_name(b, line->event, strlen(line->event));
	if (line->call)
		buf_printf(b, ";%s", line->call);
	buf_printf(b, " %llu\n", (unsigned long long)line->count);
}

static int run(const struct export_job *j, struct err *err)
{
	struct folded f = { .j = j };
	struct trace_event e;
	struct out o;

	if (out_open(&o, j->path, err) < 0)
		return err->code;
	arena_init(&f.arena);
	number_formats(j->tables);
	while (store_next(j->store, &e))
		line_of(&f, &e)->count++;
	if (f.lines.n)
		qsort(f.lines.v, f.lines.n, sizeof(*f.lines.v), by_name);
	for (u32 i = 0; i < f.lines.n; i++) {
		put_line(&o.buf, f.lines.v[i]);
		out_room(&o);
	}
	hash_release(&f.known);
	arena_release(&f.arena);
	return out_close(&o, j->path, err);
}

const struct exporter export_folded = {
	.name = "folded",
	.brief = "lines of thread, event and count, for flame graphs",
	.suffix = ".folded",
	.run = run
};
