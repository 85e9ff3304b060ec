/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded lines, the input of flame graph tools: how often each thread name had each event; events of
 * system calls are told apart by the call, events with stacks by these, the outermost function first.
 *
 *	make;sched:sched_process_fork 12
 *	make;raw_syscalls:sys_enter;openat 1204
 *	make;sched:sched_switch;main;read_all;read;entry_SYSCALL_64_after_hwframe;do_syscall_64;...;schedule 7
 */
#include <stdlib.h>
#include "base/hash.h"
#include "export/calls.h"
#include "export/export.h"
#include "trace/event_line.h"
#include "trace/event_stack.h"

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
	struct hash known; /* line_key -> struct line * */
	VEC(struct line *) lines;
};

/* The separator and line ends may not occur inside a name. */
static void put_name(struct buf *b, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf_putc(b, name[i] == ';' ? ':' : name[i] == '\n' ? ' ' : name[i]);
}

static void put_frame(struct buf *b, const struct symbol *sym, u64 ip)
{
	const char *slash = sym->module ? strrchr(sym->module, '/') : NULL;
	const char *module = slash ? slash + 1 : sym->module;

	buf_putc(b, ';');
	if (sym->name)
		put_name(b, sym->name, strlen(sym->name));
	else if (module)
		buf_printf(b, "[%.*s]", (int)strcspn(module, ";\n"), module);
	else
		buf_printf(b, "%#llx", (unsigned long long)ip);
}

/* The outermost frame first; what is missing above is one, too. */
static void put_stack(struct buf *b, const struct names *names, const struct trace_event *e,
		      u32 side)
{
	struct symbol sym;
	const char *why;

	for (u32 i = e->stack[side].n; i-- > 0;)
		if (event_frame(names, e, side, i, &sym, &why))
			put_frame(b, &sym, e->stack[side].ips[i]);
		else
			buf_printf(b, ";[%s]", why);
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
	store_names_at(f->j->stack_names, e->time);
	put_stack(&b, f->j->names, e, STACK_USER);
	put_stack(&b, f->j->names, e, STACK_KERNEL);
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
static void put_lines(struct folded *f, struct out *o)
{
	u64 count = 0;

	for (u32 i = 0; i < f->lines.n; i++) {
		const struct line *line = f->lines.v[i];

		count += line->count;
		if (i + 1 < f->lines.n && streq(line->text, f->lines.v[i + 1]->text))
			continue;
		buf_printf(&o->buf, "%s %llu\n", line->text, (unsigned long long)count);
		out_room(o);
		count = 0;
	}
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
		qsort(f.lines.v, f.lines.n, sizeof(*f.lines.v), by_text);
	put_lines(&f, &o);
	hash_release(&f.known);
	arena_release(&f.arena);
	return out_close(&o, j->path, err);
}

const struct exporter export_folded = {
	.name = "folded",
	.brief = "lines of thread, event, stack and count, for flame graphs",
	.suffix = ".folded",
	.run = run
};
