/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rings of the instance, one for each processor: pages of per_cpu/cpuN/trace_pipe_raw, merged
 * by time. A page that is read ends with the newest event, so after all rings are read everything
 * up to the time before is there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fd.h"
#include "base/visible.h"
#include "cli/ftrace/ftrace.h"
#include "import/ring_page.h"

/* An event that is being written may get an older time; events of clocks that cannot be compared
 * are merged as far as they are read together. */
enum { SLACK_NS = 1000000 };

/* The size of header_page's data and what is before it. */
static u32 page_size(struct ftrace *f)
{
	struct buf b = { 0 };
	char path[320];
	const char *at;
	u32 size = 4096;

	snprintf(path, sizeof path, "%s/events/header_page", f->root);
	if (buf_read_file(&b, path) >= 0 && b.len && (at = strstr(b.s, "field: char data;")) &&
	    (at = strstr(at, "size:")))
		size = (u32)strtoul(at + strlen("size:"), NULL, 10) + RING_PAGE_HEAD;
	buf_release(&b);
	return MAX(size, 1024u);
}

int rings_open(struct ftrace *f, struct err *err)
{
	u32 n = (u32)sysconf(_SC_NPROCESSORS_CONF);
	char path[400];

	f->page_size = page_size(f);
	f->page = xcalloc(1, f->page_size);
	f->n_cpus = n;
	for (u32 cpu = 0; cpu < n; cpu++) {
		struct ring r = { .cpu = cpu };

		snprintf(path, sizeof path, "%s/%s/per_cpu/cpu%u/trace_pipe_raw", f->root, f->dir,
			 cpu);
		r.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (r.fd < 0 && errno != ENOENT && errno != ENODEV)
			return err_sys(err, "open %s", path);
		if (r.fd >= 0)
			vec_push(&f->arena, &f->rings, r);
	}
	return 0;
}

void rings_close(struct ftrace *f)
{
	for (u32 i = 0; i < f->rings.n; i++)
		fd_close(&f->rings.v[i].fd);
	f->rings.n = 0;
	free(f->page);
	f->page = NULL;
	free(f->records.v);
	f->records.v = NULL;
	f->records.n = f->records.cap = 0;
	buf_release(&f->data);
}

/* ---- pages */

static struct ftrace_record *add(struct ftrace *f, u32 cpu, u64 time)
{
	struct ftrace_record *r;

	if (f->records.n == f->records.cap) {
		f->records.cap = f->records.cap ? 2 * f->records.cap : 1024;
		f->records.v = xrealloc(f->records.v, f->records.cap * sizeof *f->records.v);
	}
	r = &f->records.v[f->records.n];
	*r = (struct ftrace_record){ .time = time, .cpu = cpu, .order = f->records.n++ };
	return r;
}

static void take_page(struct ftrace *f, u32 cpu, u32 len)
{
	struct ring_page p;
	const u8 *record;
	u32 size;

	if (!ring_page_begin(&p, cursor_of(f->page, len)))
		return;
	if (p.has_missed) {
		add(f, cpu, p.time)->lost = p.missed ? p.missed : ~0ull;
		f->n_lost += p.missed;
		f->n_unknown_losses += !p.missed;
	}
	while (ring_page_next(&p, &record, &size)) {
		struct ftrace_record *r = add(f, cpu, p.time);

		r->at = (u32)f->data.len;
		r->len = size;
		buf_add(&f->data, record, size);
	}
}

static void read_ring(struct ftrace *f, const struct ring *r)
{
	enum { PAGES_A_TURN = 4096 };
	ssize_t n;

	for (u32 i = 0; i < PAGES_A_TURN && (n = read(r->fd, f->page, f->page_size)) > 0; i++)
		take_page(f, r->cpu, (u32)n);
}

/* ---- in the order of time */

static int by_time(const void *a, const void *b)
{
	const struct ftrace_record *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* The first `done` records are printed: the rest moves to the front. */
static void drop(struct ftrace *f, u32 done)
{
	struct buf data = { 0 };

	for (u32 i = done; i < f->records.n; i++) {
		struct ftrace_record *r = &f->records.v[i];
		u32 at = (u32)data.len;

		if (!r->lost)
			buf_add(&data, f->data.s + r->at, r->len);
		r->at = at;
		r->order = i - done;
		f->records.v[i - done] = *r;
	}
	f->records.n -= done;
	buf_release(&f->data);
	f->data = data;
}

static void put_out_text(struct ftrace *f)
{
	if (f->escapes)
		buf_visible(&f->text, 0, VISIBLE_TEXT);
	if (f->text.len && write_all(f->out, f->text.s, f->text.len) < 0)
		f->c->sink.closed = true;
	buf_clear(&f->text);
}

static bool put_record(struct ftrace *f, u32 i, bool all)
{
	const struct ftrace_record *r = &f->records.v[i];
	const struct event_format *format = NULL;
	u16 id;

	if (f->keeps) {
		kept_put(f, i);
		return true;
	}
	if (!r->lost && r->len >= sizeof id) {
		memcpy(&id, f->data.s + r->at, sizeof id);
		format = f->is_graph ? lines_format(f, id) : NULL;
	}
	if (format && graph_is_record(format))
		return graph_put(f, i, format, all);
	if (f->is_graph && !r->lost)
		graph_begin_comment(f, r);
	lines_put(f, r);
	return true;
}

void rings_drain(struct ftrace *f, bool all)
{
	u64 now = streq(f->clock, "mono") ? clock_mono_ns() :
		  streq(f->clock, "boot") ? clock_boot_ns() :
					    0;
	u64 until = all || !now ? ~0ull : now - SLACK_NS;
	u32 i;

	for (i = 0; i < f->rings.n && !f->is_latency; i++)
		read_ring(f, &f->rings.v[i]);
	if (f->records.n)
		qsort(f->records.v, f->records.n, sizeof *f->records.v, by_time);
	if (f->records.n)
		lines_names(f);
	for (i = 0; i < f->records.n; i++)
		f->records.v[i].order = i;
	for (i = 0; i < f->records.n && f->records.v[i].time <= until; i++) {
		if (!put_record(f, i, all))
			break;
		if (f->text.len > 64 << 10)
			put_out_text(f);
	}
	put_out_text(f);
	drop(f, i);
}
