/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink whose bytes are read back, and a script for places. */
#ifndef TESTS_UNIT_OUTPUT_FIXTURE_H
#define TESTS_UNIT_OUTPUT_FIXTURE_H

#include <fcntl.h>
#include <unistd.h>

#include "trace/fixture.h"
#include "output/output.h"
#include "tap.h"

static struct sources fx_sources;
static struct sink fx_sink;
static int fx_out[2], fx_err[2], fx_stderr;
static struct span fx_span; /* of "printf" in the second line */

static inline void fx_open(const char *output)
{
	static const char script[] = "begin {\n\tprintf(1);\n}\n";

	setenv("TZ", "UTC", 1);
	arena_init(&fx);
	sources_init(&fx_sources, &fx);
	struct source *src = sources_add(&fx_sources, "stdin", script, sizeof script - 1);

	fx_span = (struct span){ src->base + 9, 6 };
	if (pipe2(fx_out, O_NONBLOCK) || pipe2(fx_err, O_NONBLOCK))
		exit(1);
	fcntl(fx_out[1], F_SETPIPE_SZ, 1 << 20);
	fx_stderr = dup(STDERR_FILENO);
	fx_sink = (struct sink){ .output = output_find(output),
				 .names = &fx_names,
				 .sources = &fx_sources,
				 .fd = fx_out[1],
				 .buffering = SINK_LINE };
}

static inline const char *fx_read(int fd)
{
	static char text[1 << 16];
	ssize_t n = read(fd, text, sizeof text - 1);

	text[n < 0 ? 0 : n] = '\0';
	return text;
}

static inline const char *fx_take(void)
{
	sink_flush(&fx_sink);
	return fx_read(fx_out[0]);
}

/* What do() writes to stderr. */
#define FX_ERR(do)                                                                                 \
	({                                                                                         \
		dup2(fx_err[1], STDERR_FILENO);                                                    \
		do                                                                                 \
			;                                                                          \
		dup2(fx_stderr, STDERR_FILENO);                                                    \
		fx_read(fx_err[0]);                                                                \
	})

static inline const char *fx_show(struct table *t)
{
	table_sort(t, &fx_names);
	fx_sink.output->table(&fx_sink, t);
	return fx_take();
}

static inline const char *fx_value(const struct type *t, const void *p)
{
	fx_sink.output->value(&fx_sink, t, p);
	return fx_take();
}

static inline struct table *fx_scalar(const char *name, const struct type *t, const void *p)
{
	struct table *table = fx_table(name, NULL, t);

	if (p)
		fx_row(table, NULL, p);
	return table;
}

/* Intervals that hold (epoch, value) pairs at their remainders. */
static inline struct agg_tseries_bucket *fx_points(const struct type *t, const s64 (*points)[2],
						   u32 n)
{
	struct agg_tseries_bucket *b = arena_alloc(&fx, agg_size(t));

	for (u32 i = 0; i < n; i++) {
		struct agg_tseries_bucket *at = &b[(u64)points[i][0] % t->tseries.count];

		*at = (struct agg_tseries_bucket){ points[i][1], 1, (u64)points[i][0] };
	}
	return b;
}

static inline void fx_close(void)
{
	sink_release(&fx_sink);
	arena_release(&fx);
	close(fx_out[0]);
	close(fx_out[1]);
	close(fx_err[0]);
	close(fx_err[1]);
	close(fx_stderr);
}

#endif
