/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of sonde trace. In: the records of the script. Out: a line for each event, in the
 * layout of ftrace and trace-cmd, or an object of JSON:
 *
 *	            bash-3812    [001]  3204.562194: sched_process_fork: comm=bash pid=3812 ...
 */
#include <sys/resource.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/json.h"
#include "cli/strace/strace.h"
#include "cli/trace/trace.h"
#include "output/none.h"
#include "output/notice.h"
#include "output/output.h"
#include "trace/event_line.h"
#include "trace/value.h"

/* Members of a record; stacks and values follow. */
enum { AT_CLAUSE, AT_NS, AT_PID, AT_TID, AT_CPU, AT_COMM, AT_PROBE, AT_MORE };

/* A record as it is shown. */
struct shown {
	struct trace *t;
	struct sink *s;
	const struct trace_clause *clause;
	const struct type *type; /* the tuple */
	const char *p;
	const char *probe, *name; /* "uprobe:/bin/bash:readline", "uprobe:bash:readline" */
	u32 values;               /* index of the first one */
};

static s64 number(const struct shown *e, u32 i)
{
	return tuple_int(e->type, e->p, i);
}

static const void *member(const struct shown *e, u32 i)
{
	return e->p + e->type->fields[i].offset;
}

/* false: enough have been shown. */
static bool counts(struct trace *t)
{
	if (t->limit && t->n_events >= t->limit)
		return false;
	t->n_events++;
	return true;
}

static void after_line(struct trace *t, struct sink *s)
{
	s->is_done = t->limit && t->n_events >= t->limit;
	sink_item(s);
}

/* ---- names */

/* Without the folders of the file: "uprobe:/bin/bash:readline" is "uprobe:bash:readline". */
static const char *without_folders(struct arena *a, const char *probe)
{
	const char *path = probe + strcspn(probe, ":"), *end, *base;

	path += *path == ':';
	end = strchrnul(path, ':');
	base = memrchr(path, '/', (size_t)(end - path));
	return base ? arena_printf(a, "%.*s%s", (int)(path - probe), probe, base + 1) : probe;
}

/* "syscall:openat:return" is "sys_exit_openat", as the kernel's event is called. */
static const char *call_name(struct arena *a, const char *probe)
{
	const char *name = strchr(probe, ':') + 1;
	size_t n = strcspn(name, ":");

	return arena_printf(a, "sys_%s_%.*s", name[n] ? "exit" : "enter", (int)n, name);
}

static const char *name_of(const struct shown *e)
{
	struct arena *a = e->s->names->prog->scratch;

	if (e->clause->event)
		return e->clause->event;
	if (e->clause->is_call)
		return call_name(a, e->probe);
	return e->clause->is_event ? strrchr(e->probe, ':') + 1 : without_folders(a, e->probe);
}

/* ---- lines */

static void put_name(const struct trace *t, struct buf *b, const char *name)
{
	buf_puts(b, t->has_color ? "\033[36m" : "");
	buf_puts(b, name);
	buf_puts(b, t->has_color ? "\033[0m:" : ":");
}

/* A string in quotes is one line and ends where it ends. */
static void put_quoted(struct buf *b, const char *text, size_t len)
{
	static const char special[] = "\"\\\n\t\r", letters[] = "\"\\ntr";

	buf_putc(b, '"');
	for (size_t i = 0; i < len; i++) {
		const char *at = text[i] ? strchr(special, text[i]) : NULL;

		if (at)
			buf_putc(b, '\\');
		buf_putc(b, at ? letters[at - special] : text[i]);
	}
	buf_putc(b, '"');
}

void trace_put_value(struct buf *b, const struct names *names, const struct type *type,
		     const void *p)
{
	struct buf text = { 0 };

	if (type->kind != TY_STRING) {
		value_text(b, names, type, p);
		return;
	}
	value_text(&text, names, type, p);
	put_quoted(b, text.s ? text.s : "", text.len);
	buf_release(&text);
}

static void put_field(const struct shown *e, struct buf *b, u32 i)
{
	trace_put_value(b, e->s->names, e->type->fields[i].type, member(e, i));
}

static void put_fields(const struct shown *e, struct buf *b)
{
	for (u32 i = 0; i < e->clause->fields.n; i++) {
		buf_printf(b, " %s=", e->clause->fields.v[i].name);
		put_field(e, b, e->values + i);
	}
}

static void put_call(const struct shown *e, struct buf *b)
{
	buf_putc(b, ' ');
	put_field(e, b, e->values);
}

static void put_result(const struct shown *e, struct buf *b)
{
	struct strace_call call = { .name = e->name + strlen("sys_exit_") };
	size_t args = b->len + 1;

	buf_putc(b, ' ');
	put_field(e, b, e->values + 1);
	buf_puts(b, b->len > args ? " = " : "= ");
	strace_describe(&call);
	strace_put_result(b, &call, e->s->names, member(e, e->values + 1),
			  e->type->fields[e->values + 1].type->size, number(e, e->values));
}

static void put_format(const struct shown *e, struct buf *b)
{
	struct event_field fields[64];
	u32 n = 0;

	for (u32 i = e->values; i < e->type->n_fields && n < ARRAY_SIZE(fields); i++, n++)
		fields[n] = (struct event_field){ .type = e->type->fields[i].type,
						  .offset = e->type->fields[i].offset };
	format_apply(b, e->clause->format, e->s->names, fields, n, e->p);
}

/* Frames are lines of their own below the event's. */
static void put_stacks(const struct shown *e, struct buf *b, u32 first, u32 end)
{
	for (u32 i = first; i < end; i++) {
		size_t start = b->len;

		value_text(b, e->s->names, e->type->fields[i].type, member(e, i));
		if (b->len > start &&
		    b->s[start] == '\n') /* it begins with one and ends with one */
			memmove(b->s + start, b->s + start + 1, --b->len - start + 1);
	}
}

static void put_values(const struct shown *e, struct buf *b)
{
	switch (e->clause->kind) {
	case TRACE_CALL: put_call(e, b); break;
	case TRACE_RETURN: put_result(e, b); break;
	case TRACE_FIELDS: put_fields(e, b); break;
	case TRACE_FORMAT: put_format(e, b); break;
	case TRACE_EVENT: break;
	}
}

static void put_line(const struct shown *e)
{
	struct buf *b = &e->s->out;

	event_line_head(b, e->s->names, member(e, AT_COMM), (u32)number(e, AT_TID),
			(u32)number(e, AT_CPU), (u64)number(e, AT_NS));
	put_name(e->t, b, e->name);
	put_values(e, b);
	buf_putc(b, '\n');
	put_stacks(e, b, AT_MORE, e->values);
}

/* ---- JSON */

static void put_json_fields(const struct shown *e, struct buf *b)
{
	buf_puts(b, ", \"fields\": {");
	for (u32 i = 0; i < e->clause->fields.n; i++) {
		buf_puts(b, i ? ", " : "");
		json_strz(b, e->clause->fields.v[i].name);
		buf_puts(b, ": ");
		json_value(b, e->s->names, e->type->fields[e->values + i].type,
			   member(e, e->values + i));
	}
	buf_putc(b, '}');
}

static void put_json_text(const struct shown *e, struct buf *b)
{
	struct buf text = { 0 };

	put_values(e, &text);
	buf_puts(b, ", \"text\": ");
	json_strz(b, text.s ? text.s + (*text.s == ' ') : "");
	buf_release(&text);
}

static void put_json_stacks(const struct shown *e, struct buf *b, u32 first, u32 end)
{
	for (u32 i = first; i < end; i++) {
		buf_puts(b, e->type->fields[i].type->kind == TY_KSTACK ? ", \"kstack\": " :
									 ", \"ustack\": ");
		json_value(b, e->s->names, e->type->fields[i].type, member(e, i));
	}
}

static void put_json_head(struct buf *b, const struct trace_event *e, const char *name)
{
	u32 len;
	const char *comm = event_comm(e, &len);

	buf_printf(b,
		   "{\"type\": \"event\", \"data\": {\"time\": %llu, \"cpu\": %u, \"pid\": %u, "
		   "\"tid\": %u, \"comm\": ",
		   (unsigned long long)e->time, e->cpu, e->pid, e->tid);
	json_str(b, comm, len);
	buf_puts(b, ", \"event\": ");
	json_strz(b, name);
}

static void put_json(const struct shown *e)
{
	struct buf *b = &e->s->out;
	const struct trace_event head = { .time = (u64)number(e, AT_NS),
					  .cpu = (u32)number(e, AT_CPU),
					  .pid = (u32)number(e, AT_PID),
					  .tid = (u32)number(e, AT_TID),
					  .comm = member(e, AT_COMM) };

	put_json_head(b, &head, e->clause->event ? e->name : e->probe);
	if (e->clause->kind == TRACE_FIELDS)
		put_json_fields(e, b);
	else
		put_json_text(e, b);
	put_json_stacks(e, b, AT_MORE, e->values);
	buf_puts(b, "}}\n");
}

static void put_json_event(const struct shown *stacks, struct buf *b, const struct trace_event *e)
{
	struct buf text = { 0 };

	put_json_head(b, e, e->format->name);
	event_text(&text, stacks->s->names->prog->arena, stacks->s->names, e->format, e->record,
		   e->len);
	buf_puts(b, ", \"text\": ");
	json_strz(b, text.s ? text.s : "");
	put_json_stacks(stacks, b, 1, e->value_type ? e->value_type->n_fields : 1);
	buf_puts(b, "}}\n");
	buf_release(&text);
}

/* ---- the output */

static bool has_layout(const struct trace *t, const struct type *type)
{
	return type->kind == TY_TUPLE && type->n_fields >= AT_MORE &&
	       type->fields[AT_PROBE].type->kind == TY_PROBE;
}

static u32 count_stacks(const struct type *type)
{
	u32 n = 0;

	while (AT_MORE + n < type->n_fields && type_is_stack(type->fields[AT_MORE + n].type))
		n++;
	return n;
}

static void value(struct sink *s, const struct type *type, const void *p)
{
	struct shown e = { .t = s->state, .s = s, .type = type, .p = p };
	u64 clause;

	if (!has_layout(e.t, type))
		return;
	clause = (u64)number(&e, AT_CLAUSE);
	if (clause >= e.t->clauses.n || !counts(e.t))
		return;
	e.clause = &e.t->clauses.v[clause];
	e.probe = site_text(s->names->prog, false, (u64)number(&e, AT_PROBE));
	e.probe = e.probe ? e.probe : "?";
	e.values = AT_MORE + (e.t->has_stacks ? count_stacks(type) : 0);
	e.name = name_of(&e);
	if (e.t->is_json)
		put_json(&e);
	else
		put_line(&e);
	after_line(e.t, s);
}

static void put_event(const struct shown *stacks, struct buf *b, const struct trace_event *e)
{
	const char *colon = strchr(e->format->name, ':');

	event_line_head(b, stacks->s->names, e->comm, e->tid, e->cpu, e->time);
	put_name(stacks->t, b, colon ? colon + 1 : e->format->name);
	buf_putc(b, ' ');
	event_text(b, stacks->s->names->prog->arena, stacks->s->names, e->format, e->record,
		   e->len);
	buf_putc(b, '\n');
	put_stacks(stacks, b, 1, e->value_type ? e->value_type->n_fields : 1);
}

static void event(struct sink *s, const struct trace_event *e)
{
	struct trace *t = s->state;
	struct shown stacks = { .t = t, .s = s, .type = e->value_type, .p = e->value };

	if (!counts(t))
		return;
	if (t->is_json)
		put_json_event(&stacks, &s->out, e);
	else
		put_event(&stacks, &s->out, e);
	after_line(t, s);
}

static void attached(struct sink *s, u32 n_probes)
{
	struct trace *t = s->state;

	t->begun_ns = clock_mono_ns();
	text_attached(s, n_probes);
}

/* Of the clause of a line of the script: " of sched:sched_switch". */
static const char *probes_of(const struct trace *t, u32 line)
{
	const struct trace_clause *cl = NULL;
	const char *name;

	for (u32 i = 0; i < t->clauses.n && t->clauses.v[i].line <= line; i++)
		cl = &t->clauses.v[i];
	if (!cl)
		return "";
	name = cl->is_event ? strchr(cl->probes, ':') + 1 : cl->probes;
	return arena_printf(&t->c->line.arena, " of %.*s", (int)strcspn(name, "\n"), name);
}

static void lost(struct sink *s, const struct loss *loss, u64 count)
{
	struct trace *t = s->state;
	struct buf why = { 0 };

	if (loss->reason == LOSS_UNREADABLE) /* a string that is not there is empty */
		return;
	if (loss_row(loss)->reason)
		t->n_lost += count;
	put_loss_reason(&why, loss);
	sink_say(s, "sonde: %s %llu event%s%s: %s\n", loss_row(loss)->reason ? "lost" : "of",
		 (unsigned long long)count, count == 1 ? "" : "s",
		 probes_of(t, sink_position(s, loss->span).line), why.s);
	buf_release(&why);
	sink_item(s);
}

const struct output output_trace = {
	.name = "trace",
	.brief = "an event a line, as ftrace prints them",
	.attached = attached,
	TEXT_MESSAGES,
	.value = value,
	.table = none_table,
	.event = event,
	.lost = lost,
	.end = none_end,
};
