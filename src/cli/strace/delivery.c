/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals. In: records of deliveries. Out: lines "--- SIGCHLD {...} ---". */
#include <signal.h>
#include "base/json.h"
#include "cli/strace/event.h"

static void put_siginfo(struct buf *b, const struct strace_event *r, const struct call_style *style)
{
	u64 words[4];

	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = (u64)event_number(r, 7 + i);
	strace_put_siginfo(b, (u32)event_number(r, AT_SIGNAL), (s32)event_number(r, 5),
			   (s32)event_number(r, 6), words, style);
}

static void put_signal(struct buf *b, const struct strace_event *r, const struct call_style *style)
{
	buf_puts(b, "--- ");
	strace_put_signal_name(b, (u32)event_number(r, AT_SIGNAL));
	buf_putc(b, ' ');
	put_siginfo(b, r, style);
	buf_puts(b, " ---");
}

static void put_json_signal(struct strace *st, struct strace_thread *th,
			    const struct strace_event *r)
{
	struct buf info = { 0 };

	strace_json_begin(&st->line, th, "signal", line_wall_ns(st->s->names, r->ns));
	buf_puts(&st->line, ", \"name\": \"");
	strace_put_signal_name(&st->line, (u32)event_number(r, AT_SIGNAL));
	buf_puts(&st->line, "\", \"siginfo\": ");
	put_siginfo(&info, r, &st->style);
	json_strz(&st->line, info.s);
	buf_release(&info);
	buf_puts(&st->line, "}\n");
	strace_put_line(st, th);
}

/* SIGKILL is not delivered: its line is that of the end. */
static bool shows_signal(const struct strace *st, const struct strace_event *r)
{
	u64 signo = (u64)event_number(r, AT_SIGNAL);

	return st->o.lines && signo && signo != SIGKILL && st->o.signals >> (signo - 1) & 1;
}

void strace_on_signal(struct strace *st, const struct strace_event *r)
{
	struct strace_thread *th = strace_thread_of(st, r->tid, r->pid);

	strace_thread_of(st, r->pid, r->pid)->last_signal = (u32)event_number(r, AT_SIGNAL);
	if (!shows_signal(st, r))
		return;
	if (st->o.json) {
		put_json_signal(st, th, r);
		return;
	}
	if (event_number(r, 0) == RECORD_SIGNAL)
		strace_read_extras(st, th, r, AT_SIGNAL_LAST + 1);
	strace_begin_line(st, th, r->ns);
	put_signal(&st->line, r, &st->style);
	buf_putc(&st->line, '\n');
	strace_put_line(st, th);
}

/* It is not delivered: strace, a ptracer, gets it and shows it after the call. */
void strace_on_ignored(struct strace *st, const struct strace_event *r)
{
	struct strace_thread *th = hash_get(&st->threads, &r->tid, sizeof r->tid);

	if (!th || !th->lives || !shows_signal(st, r))
		return;
	if (st->o.json) {
		put_json_signal(st, th, r);
		return;
	}
	buf_clear(&th->held);
	put_signal(&th->held, r, &st->style);
	if (!th->call)
		strace_flush_held(st, th, r->ns);
}
