/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events to a store_writer, which writes to the sink's descriptor itself. Messages go to stderr. */
#include <stdio.h>
#include <stdlib.h>
#include "base/clock.h"
#include "output/none.h"
#include "output/notice.h"
#include "output/recording.h"
#include "output/recording_stacks.h"
#include "store/write.h"

#define CLOCK_NS 1000000000ull

static bool has_stacks(const struct recording_plan *p)
{
	return p->has_stacks || (p->probes && p->probes->reads_stacks);
}

static void put_number(struct store_writer *w, const char *name, u32 n, bool is_hex)
{
	char text[16];
	int len = snprintf(text, sizeof text, is_hex ? "%x" : "%u", n);

	store_text(w, name, text, (u32)len);
}

static struct store_writer *begin(struct sink *s, struct recording *r)
{
	const struct recording_plan *p = r->plan;
	struct file_head head = p->head;
	struct store_writer *w;

	head.version = has_stacks(p) ? STORE_VERSION : STORE_PLAIN;
	w = r->writer = store_writer_new(s->fd, &head);
	if (!r->stacks)
		r->stacks = recorded_stacks_new(p->next_file);
	recorded_stacks_begin(r->stacks, w);
	r->file_start_ns = clock_boot_ns();
	if (p->most_bytes || p->most_ns)
		store_overwrite(w, p->most_bytes, p->most_ns);
	for (u32 i = 0; i < p->n_texts; i++)
		store_text(w, p->texts[i].name, p->texts[i].bytes, p->texts[i].len);
	if (s->command_pid)
		put_number(w, "cpid", s->command_pid, false);
	for (u32 i = 0; i < p->n_tasks; i++)
		store_task(w, &p->tasks[i]);
	if (p->probes && p->probes->script)
		put_number(w, "script", p->probes->script, true);
	return w;
}

static struct store_writer *writer_of(struct sink *s, struct recording *r)
{
	return r->writer ? r->writer : begin(s, r);
}

/* The run ends when nothing more can be stored. */
static void see_error(struct sink *s, const struct recording *r)
{
	if (!s->error)
		s->error = store_error(r->writer);
}

u64 recording_bytes(const struct recording *r)
{
	return r->bytes + (r->writer ? store_bytes(r->writer) : 0);
}

static void tell_progress(const struct recording *r)
{
	if (r->plan->progress)
		r->plan->progress(r->plan->progress_ctx, r);
}

/* ---- events */

static void store_reads(struct store_writer *w, const struct event_format *f)
{
	struct buf name = { 0 };

	if (!f->reads)
		return;
	buf_printf(&name, "reads:%s", f->name);
	store_text(w, name.s, f->reads, strlen(f->reads));
	buf_release(&name);
}

static u32 number_of(struct recording *r, struct event_format *f)
{
	if (!f->stored) {
		store_format(r->writer, r->n_formats, f->name, f->text);
		store_reads(r->writer, f);
		r->formats = xrealloc(r->formats, (r->n_formats + 1) * sizeof *r->formats);
		r->formats[r->n_formats] = f;
		f->stored = ++r->n_formats;
	}
	return f->stored - 1;
}

/* Of a program with another table of calls: its tuple begins with a number
 * (cli/record_events.c). */
static bool is_of_no_call(const struct trace_event *e)
{
	return e->value_type && e->value_type->n_fields &&
	       type_is_integer(e->value_type->fields[0].type);
}

/* Whether it replaces the events of calls. */
static bool is_of_calls(const struct recording *r, const struct trace_event *e, bool *is_exit)
{
	if (is_of_no_call(e))
		return false;
	*is_exit = streq(e->format->name, "raw_syscalls:sys_exit");
	return r->plan->calls && (*is_exit || streq(e->format->name, "raw_syscalls:sys_enter"));
}

/*
 * The event of the single call: its number and arguments, or result, are where the raw event has
 * them. NULL: it is not recorded.
 */
static struct event_format *call_of(const struct recording *r, const struct trace_event *e,
				    bool is_exit)
{
	u64 number;

	memcpy(&number, (const u8 *)e->record + sizeof(struct common_fields), sizeof number);
	return number < RECORDED_CALLS ? r->plan->calls[is_exit][number] : NULL;
}

/* A tuple of them, or those that the event has already. */
static struct row_stacks stacks_of(const struct sink *s, const struct recording *r,
				   const struct trace_event *e)
{
	struct row_stacks to = { 0 };

	if (e->value_type)
		return recorded_stacks_of(r->stacks, r->writer, s->names, e->value_type, e->value);
	for (u32 i = 0; e->has_stacks && i < ARRAY_SIZE(e->stack); i++)
		if (e->stack[i].n)
			to.number[i] = store_stack(r->writer, e->stack[i].ips, e->stack[i].n);
	return to;
}

static void keep(struct sink *s, const struct trace_event *e, struct event_format *f, u32 len)
{
	struct recording *r = s->state;
	struct store_writer *w = r->writer;
	u32 number;

	if (len < sizeof(struct common_fields))
		return;
	number = number_of(r, f);
	recorded_stacks_symbols(r->stacks, w, s->names, number, f, e);
	store_event(w, &(struct store_event){
			       .time = e->time,
			       .cpu = e->cpu,
			       .pid = e->pid,
			       .tid = e->tid,
			       .format = number,
			       .type = (u16)f->id,
			       .comm = e->comm,
			       .fields = (const u8 *)e->record + sizeof(struct common_fields),
			       .len = len - (u32)sizeof(struct common_fields),
			       .stacks = stacks_of(s, r, e),
		       });
	r->n_events++;
	see_error(s, r);
}

static void keep_as(struct sink *s, const struct trace_event *e, struct event_format *f)
{
	if (f)
		keep(s, e, f, event_length(f, e->record, e->len));
}

static void event(struct sink *s, const struct trace_event *e)
{
	struct recording *r = s->state;
	bool is_exit = false, is_of = is_of_calls(r, e, &is_exit);

	writer_of(s, r);
	if (!is_of || r->plan->keeps_raw[is_exit])
		keep_as(s, e, e->format);
	if (is_of)
		keep_as(s, e, call_of(r, e, is_exit));
}

static void value(struct sink *s, const struct type *t, const void *p)
{
	struct recording *r = s->state;
	struct trace_event e;

	writer_of(s, r);
	if (!r->probes)
		r->probes = recorded_probes_new(r->plan->probes);
	if (recorded_probe_event(r->probes, s->names, t, p, &e))
		keep(s, &e, e.format, e.len);
}

static void mapping(struct sink *s, const struct map_event *e)
{
	struct recording *r = s->state;

	if (!has_stacks(r->plan))
		return;
	writer_of(s, r);
	recorded_stacks_map(r->stacks, r->writer, e);
	see_error(s, r);
}

/* ---- the end of a file */

static void end_file(struct sink *s, struct recording *r)
{
	u64 unwritten;

	store_writer_end(r->writer);
	unwritten = store_events(r->writer) - store_events_written(r->writer);
	r->n_events -= unwritten;
	r->n_lost += unwritten;
	r->bytes += store_bytes(r->writer);
	see_error(s, r);
	store_writer_free(r->writer);
	r->writer = NULL;
	for (u32 i = 0; i < r->n_formats; i++)
		r->formats[i]->stored = 0;
	r->n_formats = 0;
}

static void next_file(struct sink *s, struct recording *r)
{
	int error;

	end_file(s, r);
	r->n_files++;
	error = s->error ? 0 : r->plan->next_file(r->plan->file_ctx, s->fd);
	if (error)
		s->error = error;
}

/* Whether the file is as long or as old as it may be. */
static bool is_full(const struct recording *r, u64 now)
{
	const struct recording_plan *p = r->plan;

	return p->next_file && store_events(r->writer) &&
	       ((p->file_bytes && store_bytes(r->writer) >= p->file_bytes) ||
		(p->file_ns && now >= r->file_start_ns + p->file_ns));
}

static void see_size(struct sink *s, struct recording *r, u64 now)
{
	if (r->plan->end_bytes && store_bytes(r->writer) >= r->plan->end_bytes)
		s->closed = true;
	if (is_full(r, now))
		next_file(s, r);
}

/* ---- copies */

static void dump(struct recording *r)
{
	r->dump_ns = 0;
	r->plan->dump(r->plan->dump_ctx, r->dump_why);
}

/* A script that records has no other results. Further texts until the copy is made ask for the same
 * one. */
static void text(struct sink *s, enum sink_text kind, const char *bytes, size_t len)
{
	struct recording *r = s->state;

	if (!r->plan->dump || r->dump_ns)
		return;
	r->dump_ns = clock_boot_ns() + r->plan->dump_after_ns;
	snprintf(r->dump_why, sizeof r->dump_why, "%.*s", (int)MIN(len, sizeof r->dump_why), bytes);
}

static void tick(struct sink *s)
{
	struct recording *r = s->state;
	struct store_writer *w = writer_of(s, r);
	u64 now = clock_boot_ns();

	if (now >= r->next_clock_ns) {
		store_clock(w, now, clock_boot_to_real_ns());
		r->next_clock_ns = now + CLOCK_NS;
		tell_progress(r);
	}
	store_tick(w, now);
	if (r->dump_ns && now >= r->dump_ns) {
		store_flush(w);
		dump(r);
	}
	see_error(s, r);
	see_size(s, r, now);
}

/* ---- about the run */

/* Reports events, not probes: the user named events. */
static void attached(struct sink *s, u32 n_probes)
{
	put_notify(s);
	tell_progress(s->state);
}

/* Of the script there is one clause on a line, and it begins with the event's name. */
static void put_event_name(struct sink *s, struct buf *b, const struct loss *loss)
{
	struct position at = sink_position(s, loss->span);
	u32 len = 0;
	const char *line =
		at.file ? source_line((struct source *)(uintptr_t)at.file, at.line, &len) : "";
	const char *end = memchr(line, ' ', len);

	buf_add(b, line, end ? (size_t)(end - line) : len);
}

void recording_lost(struct sink *s, u64 count, const char *why)
{
	struct recording *r = s->state;

	store_lost(writer_of(s, r), clock_boot_ns(), count, why);
	r->n_lost += count;
}

void recording_function(struct sink *s, const struct names *names, u64 address)
{
	struct recording *r = s->state;

	writer_of(s, r);
	recorded_stacks_function(r->stacks, r->writer, address, names);
}

/* Warnings of a script that records are no lost events. */
static bool is_of_events(const struct loss *loss)
{
	return loss_row(loss)->reason || loss->reason == LOSS_SKIPPED ||
	       loss->reason == LOSS_SKIPPED_ANY;
}

static void tell_lost(struct sink *s, u64 count, const char *why)
{
	recording_lost(s, count, why);
	sink_say(s, "sonde: lost %llu events (%s)\n", (unsigned long long)count, why);
}

/* A raw event that is kept besides the events of calls counts as two; a call may have no event of
 * its own. */
static void tell_lost_calls(struct sink *s, u64 count, const char *why)
{
	static const char *const raw[] = { "raw_syscalls:sys_enter", "raw_syscalls:sys_exit" };
	const struct recording *r = s->state;
	struct buf b = { 0 };

	for (u32 side = 0; side < ARRAY_SIZE(raw); side++) {
		if (!r->plan->calls || !r->plan->keeps_raw[side] || !ends_with(why, raw[side]))
			continue;
		buf_printf(&b, "%s%.*s%s_*", starts_with(why, "at most: ") ? "" : "at most: ",
			   (int)(strlen(why) - strlen(raw[side])), why, raw[side] + strlen("raw_"));
		tell_lost(s, count, b.s);
	}
	buf_release(&b);
}

static void lost(struct sink *s, const struct loss *loss, u64 count)
{
	struct buf why = { 0 };

	if (loss->reason == LOSS_SKIPPED_ANY) /* its filter did not run */
		buf_puts(&why, "at most: ");
	put_loss_reason(&why, loss);
	buf_puts(&why, ": ");
	put_event_name(s, &why, loss);
	if (is_of_events(loss)) {
		tell_lost(s, count, why.s);
		tell_lost_calls(s, count, why.s);
	} else {
		sink_say(s, "sonde: WARNING: %s (%llu %s)\n", why.s, (unsigned long long)count,
			 count == 1 ? "time" : "times");
	}
	buf_release(&why);
	sink_item(s);
}

static void end(struct sink *s)
{
	struct recording *r = s->state;

	writer_of(s, r);
	end_file(s, r);
	tell_progress(r);
	free(r->formats);
	r->formats = NULL;
	recorded_stacks_free(r->stacks);
	r->stacks = NULL;
	recorded_probes_free(r->probes);
	r->probes = NULL;
	if (r->dump_ns) /* the run has ended before */
		dump(r);
}

const struct output output_recording = {
	.name = "recording",
	.attached = attached,
	.text = text,
	.value = value,
	.table = none_table,
	.event = event,
	.lost = lost,
	.mapping = mapping,
	.message = text_message,
	.end = end,
	.tick = tick,
};
