/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by outputs for messages of the run: positions, losses, levels of messages. */
#include <unistd.h>
#include "base/fd.h"
#include "output/notice.h"

static const struct loss_row losses[] = {
	[LOSS_RING_FULL] = { .reason = "ring buffer full" },
	[LOSS_MAP_FULL] = { .reason = "map full" },
	[LOSS_MAP_MEMORY] = { .reason = "no memory for a new key" },
	[LOSS_SCRATCH] = { .reason = "scratch memory busy: nested probe" },
	[LOSS_CONTENDED] = { .reason =
				     "other threads changed the value during each of four attempts" },
	[LOSS_NESTED] = { .reason = "within a program of this script" },
	[LOSS_STACKS] = { .reason = "stack table full" },
	[LOSS_UNREADABLE] = { .warning = "memory could not be read: taken as empty" },
	[LOSS_DIV_ZERO] = { .warning = "division by zero: x / 0 is 0, x % 0 is x" },
	[LOSS_BOUNDS] = { .warning =
				  "Array access out of bounds. This can lead to unexpected results." },
	[LOSS_NO_PROCESS] = { .warning = "no such process: its name is N/A" },
	[LOSS_NO_KEY] = { .warning = "read of a key that does not exist: taken as 0" },
	[LOSS_MISSING_KEY] = { .warning = "cannot delete a key that does not exist" },
	[LOSS_CUT] = { .warning =
			       "join() printed only a part: it takes 128 strings of 1023 bytes, 16384 bytes in all" },
	[LOSS_DEEP] = { .warning = "path() shows only the end of a path with more than 64 names" },
	[LOSS_SKIPPED] = { .warning =
				   "the kernel skipped events: the probe was running on their processor" },
	[LOSS_SKIPPED_ANY] = { .warning =
				       "the kernel skipped events, matching or not: the probe was running on their processor" },
	[LOSS_RECORDS] = { .reason = "the rings of the process were full" },
	[LOSS_SAMPLES] = { .reason = "the rings of perf events were full, before any predicate" },
	[LOSS_LOOP] = { .warning = "a loop was stopped at its bound" },
};

const struct loss_row *loss_row(const struct loss *loss)
{
	static const struct loss_row other = { .reason = "unknown reason" };

	return (size_t)loss->reason < ARRAY_SIZE(losses) ? &losses[loss->reason] : &other;
}

void put_loss_reason(struct buf *b, const struct loss *loss)
{
	const struct loss_row *row = loss_row(loss);

	buf_puts(b, row->reason ? row->reason : row->warning);
	if (loss->where && (*loss->where == '@' || loss->reason == LOSS_LOOP)) {
		buf_puts(b, ": ");
		buf_puts(b, loss->where);
	}
}

static const struct level levels[N_SINK_LEVELS] = {
	[LEVEL_ERRORF] = { "ERROR", false },
	[LEVEL_WARNF] = { "WARNING", false },
	[LEVEL_RUNTIME_ERROR] = { "WARNING", true },
};

const struct level *level_row(enum sink_level level)
{
	return &levels[level];
}

struct position sink_position(const struct sink *s, struct span span)
{
	if (!s->sources || !span.off)
		return (struct position){ 0 };
	return sources_find(s->sources, span);
}

void put_notify(struct sink *s)
{
	static const char word[] = "__BPFTRACE_NOTIFY_PROBES_ATTACHED\n";

	if (s->attached_on_stdout && s->is_file) /* of -o */
		write_all(STDOUT_FILENO, word, sizeof word - 1);
	else if (s->attached_on_stdout)
		buf_puts(&s->out, word);
	sink_flush(s);
}
