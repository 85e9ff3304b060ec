/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording says was lost: each event that a lost record stands for. */
#include <sys/mman.h>
#include "output/fixture.h"
#include "output/recording.h"

static struct event_format *calls[2][RECORDED_CALLS];
static struct recording_plan plan = { .calls = calls };
static struct recording recording;

static void begin(bool keeps_raw)
{
	plan.keeps_raw[0] = keeps_raw;
	recording = (struct recording){ .plan = &plan };
	fx_sink.output = &output_recording;
	fx_sink.state = &recording;
	fx_sink.fd = memfd_create("recording", MFD_CLOEXEC);
}

static const char *lost(const char *clause, enum loss_reason reason)
{
	struct source *src = sources_add(&fx_sources, "stdin", clause, strlen(clause));
	struct loss loss = { .span = { src->base, 4 }, .reason = reason };

	return FX_ERR({
		output_recording.lost(&fx_sink, &loss, 7);
		sink_flush(&fx_sink);
	});
}

static void end(u64 n_lost, const char *what)
{
	output_recording.end(&fx_sink);
	is_int((s64)recording.n_lost, (s64)n_lost, "%s", what);
	close(fx_sink.fd);
}

int main(void)
{
	static const char enter[] = "tracepoint:raw_syscalls:sys_enter { record(); }",
			  leave[] = "tracepoint:raw_syscalls:sys_exit { record(); }";

	fx_open("text");
	begin(true);
	is_str(lost(enter, LOSS_RING_FULL),
	       "sonde: lost 7 events (ring buffer full: tracepoint:raw_syscalls:sys_enter)\n"
	       "sonde: lost 7 events (at most: ring buffer full: tracepoint:syscalls:sys_enter_*)\n",
	       "a raw event that is kept, and the event of its call");
	end(14, "both are counted");
	begin(true);
	lost(leave, LOSS_RING_FULL);
	end(7, "the raw event that is not kept stands for one");
	begin(false);
	lost(enter, LOSS_RING_FULL);
	end(7, "likewise");
	begin(true);
	is_str(lost(enter, LOSS_SKIPPED_ANY),
	       "sonde: lost 7 events (at most: the kernel skipped events, matching or not: "
	       "the probe was running on their processor: tracepoint:raw_syscalls:sys_enter)\n"
	       "sonde: lost 7 events (at most: the kernel skipped events, matching or not: "
	       "the probe was running on their processor: tracepoint:syscalls:sys_enter_*)\n",
	       "at most, said once");
	end(14, "skipped");
	begin(true);
	is_str(lost(enter, LOSS_DIV_ZERO),
	       "sonde: WARNING: division by zero: x / 0 is 0, x % 0 is x: "
	       "tracepoint:raw_syscalls:sys_enter (7 times)\n",
	       "a warning");
	end(0, "loses nothing");
	fx_close();
	return done();
}
