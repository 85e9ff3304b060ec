/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde report: what a recording contains, in sums. */
#include "cli/recording.h"
#include "cli/report.h"
#include "cli/report_samples.h"
#include "cli/report_stacks.h"
#include "trace/value.h"

static void put_count(struct buf *b, u64 n)
{
	buf_printf(b, " %10llu", (unsigned long long)n);
}

static void put_us(struct buf *b, u64 ns)
{
	buf_printf(b, " %12llu.%01llu", (unsigned long long)ns / 1000,
		   (unsigned long long)ns % 1000 / 100);
}

/* Sum, average and longest, in microseconds. */
static void put_spans(struct buf *b, const struct spans *s)
{
	put_us(b, s->sum);
	put_us(b, s->n ? s->sum / s->n : 0);
	put_us(b, s->max);
}

/* A name of the recording, filled up to a column of that width. */
static void put_name(struct buf *b, const struct names *names, const char *text, size_t len,
		     size_t width)
{
	size_t start = b->len;

	put_foreign(b, names, text, len);
	if (b->len - start < width)
		buf_pad(b, ' ', width - (b->len - start));
}

static void put_events(struct buf *b, const struct names *names, const struct report *r)
{
	buf_puts(b, "events      name\n");
	for (u32 i = 0; i < r->events.n; i++) {
		buf_printf(b, "%-11llu ", (unsigned long long)r->events.v[i]->n);
		put_foreignz(b, names, r->events.v[i]->name);
		buf_putc(b, '\n');
	}
}

static void put_threads(struct buf *b, const struct names *names, const struct report *r)
{
	buf_puts(b, "\nthread  name                 events");
	if (r->has_switches)
		buf_puts(b, "       runs     on CPU, us        average        longest"
			    "      waits, us        average        longest");
	buf_putc(b, '\n');
	for (u32 i = 0; i < r->threads.n; i++) {
		const struct report_thread *t = r->threads.v[i];

		buf_printf(b, "%-7u ", t->tid);
		put_name(b, names, t->comm, strnlen(t->comm, sizeof t->comm), 16);
		put_count(b, t->n_events);
		if (r->has_switches) {
			put_count(b, t->on_cpu.n);
			put_spans(b, &t->on_cpu);
			put_spans(b, &t->waits);
		}
		buf_putc(b, '\n');
	}
}

/* Errors are in the exits of calls; times also need their entries. */
static void put_calls(struct buf *b, const struct names *names, const struct report *r)
{
	bool has_times = r->has_entries && r->has_exits;

	if (!r->calls.n)
		return;
	buf_puts(b, "\nsystem call               calls");
	if (r->has_exits)
		buf_puts(b, "     errors");
	if (has_times)
		buf_puts(b, "       time, us        average        longest");
	buf_putc(b, '\n');
	for (u32 i = 0; i < r->calls.n; i++) {
		const struct report_call *c = r->calls.v[i];

		put_name(b, names, c->name, strlen(c->name), 20);
		put_count(b, has_times ? c->times.n : MAX(c->n_entries, c->n_exits));
		if (r->has_exits)
			put_count(b, c->n_errors);
		if (has_times)
			put_spans(b, &c->times);
		buf_putc(b, '\n');
	}
}

static void put_report(struct recorded *r, struct sink *s)
{
	struct report sums = { .tables = r->tables };
	struct framed_stack *stack;
	struct frames frames;
	struct trace_event e;

	arena_init(&sums.arena);
	frames_init(&frames, &r->names, r->stack_names);
	while (store_next(r->store, &e)) {
		report_add(&sums, &e);
		stack = frames_of(&frames, &e);
		if (stack)
			stack->count++;
	}
	report_sort(&sums);
	put_events(&s->out, &r->names, &sums);
	put_threads(&s->out, &r->names, &sums);
	put_calls(&s->out, &r->names, &sums);
	report_put_stacks(&s->out, &frames);
	frames_release(&frames);
	report_release(&sums);
}

static int report(struct cli *c)
{
	return report_wants_samples(c) ? report_samples(c) : recorded_print(c, put_report);
}

const struct command command_report = {
	.name = "report",
	.args = "[FILE]",
	.brief = "sum up the events of a recording",
	.doc = "How many events of each name there are; of each thread its time on a processor and its "
	       "waits from the wake-up until it ran, if switches and wake-ups were recorded; of each "
	       "system call its number, errors and times; of stacks (record -g) the functions: in how many events each was the innermost one (self), "
	       "or called it (total), and the stacks that occur most. Times are microseconds; only spans whose "
	       "beginning and end were recorded count. What the recorded events do not show has no column. FILE is made by sonde record, "
	       "by perf record (its tracepoints are read) or trace-cmd, is text of ftrace, or a folder in CTF as LTTng makes it (read by babeltrace2); without it, sonde.data.",
	.example = "sonde report sonde.data",
	.run = report,
	.takes = SET_OUTPUT | SET_TIME | SET_INPUT | SET_PART | SET_CPUS,
};
