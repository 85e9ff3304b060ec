/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.dat, version 6, as trace-cmd.dat.v6(5) describes it, for trace-cmd, KernelShark and
 * Perfetto:
 *
 *	descriptions of events | number of processors | options | offset and size for each processor |
 *	pages of processor 0 | pages of processor 1 | ...
 *
 * The pages are those of the kernel's ring buffer (include/linux/ring_buffer.h,
 * kernel/trace/ring_buffer.c):
 *
 *	u64 time, u64 length and flags | event ... | number of events that were lost before, if flagged
 *	event: u32 (length / 4 | time since the event before << 5), the record
 *
 * The names of threads and the sizes come before the events, and are known after them: pages wait
 * in a temporary file beside the result. After an event with stacks are the kernel's own events of
 * these, kernel_stack and user_stack; names of the kernel's functions are in the file's kallsyms,
 * for others there is no place. Where processors lost events is not known: the number is in the
 * first page that begins after the loss was noticed.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/hash.h"
#include "export/export.h"
#include "trace/event_line.h"
#include "trace/event_stack.h"

enum {
	PAGE = 128 << 10, /* the longest record fits */
	PAGE_HEAD = 16,
	DELTA_BITS = 27,
	WORDS_MOST = 28, /* a longer record has its length in a word of its own */
	TIME_EXTEND = 30,
	CPUS_MOST = 4096, /* that are taken from the head of a recording without events of them */
};

#define MISSED_EVENTS (1u << 31)
#define MISSED_STORED (1u << 30)

/* Numbers of options (TRACECMD_OPTION_* of libtracecmd). */
enum { OPTION_UNAME = 5, OPTION_CPUCOUNT = 8 };

struct lane { /* of a processor */
	struct buf page;
	u64 last, missed; /* time of the last event; events lost before the page */
	u64 n_pages;
};

struct page_place { /* of a page in the temporary file, after those before it */
	u32 cpu, len;
};

struct name {
	u32 tid;
	char comm[COMM_SIZE];
};

struct trace_dat {
	const struct export_job *j;
	struct out out, pages;
	struct arena arena;
	struct lane *lanes;
	u32 n_lanes;
	VEC(struct page_place) places;
	struct hash names; /* tid -> struct name * */
	VEC(struct name *) order;
	u32 next_loss; /* the first that no page has */
};

/* ---- names of threads */

static void note_name(struct trace_dat *d, u32 tid, const char *comm, u32 len)
{
	struct name *n = hash_get(&d->names, &tid, sizeof tid);

	if (!n) {
		n = arena_new(&d->arena, struct name);
		n->tid = tid;
		hash_put(&d->names, &n->tid, sizeof n->tid, n);
		vec_push(&d->arena, &d->order, n);
	}
	memset(n->comm, 0, sizeof n->comm);
	memcpy(n->comm, comm, len);
}

static void note_tasks(struct trace_dat *d)
{
	const struct store_tables *t = d->j->tables;

	for (u32 i = 0; i < t->tasks.n; i++)
		note_name(d, t->tasks.v[i].tid, t->tasks.v[i].comm,
			  (u32)strnlen(t->tasks.v[i].comm, COMM_SIZE));
}

/* "PID NAME" lines. */
static void put_names(const struct trace_dat *d, struct buf *b)
{
	for (u32 i = 0; i < d->order.n; i++) {
		const struct name *n = d->order.v[i];

		if (!n->tid || !n->comm[0] || memchr(n->comm, '\n', COMM_SIZE))
			continue;
		buf_printf(b, "%u %.*s\n", n->tid, COMM_SIZE, n->comm);
	}
}

/* ---- pages */

static struct lane *lane_of(struct trace_dat *d, u32 cpu)
{
	if (cpu >= d->n_lanes) {
		d->lanes = xrealloc(d->lanes, (cpu + 1) * sizeof *d->lanes);
		memset(d->lanes + d->n_lanes, 0, (cpu + 1 - d->n_lanes) * sizeof *d->lanes);
		d->n_lanes = cpu + 1;
	}
	return &d->lanes[cpu];
}

/* Of those noticed until then that no page has. */
static u64 take_losses(struct trace_dat *d, u64 until)
{
	const struct store_tables *t = d->j->tables;
	u64 n = 0;

	for (; d->next_loss < t->losses.n && t->losses.v[d->next_loss].time <= until;
	     d->next_loss++)
		n += t->losses.v[d->next_loss].count;
	return n;
}

static void begin_page(struct trace_dat *d, struct lane *l, u64 time)
{
	static const u8 length[8];

	buf_add(&l->page, &time, sizeof time);
	buf_add(&l->page, length, sizeof length);
	l->last = time;
	l->missed = take_losses(d, time);
}

static void end_page(struct trace_dat *d, u32 cpu)
{
	struct lane *l = &d->lanes[cpu];
	u64 commit = l->page.len - PAGE_HEAD;

	if (!l->page.len)
		return;
	if (l->missed) {
		commit |= MISSED_EVENTS | MISSED_STORED;
		buf_add(&l->page, &l->missed, sizeof l->missed);
	}
	memcpy(l->page.s + 8, &commit, sizeof commit);
	out_add(&d->pages, l->page.s, l->page.len);
	vec_push(&d->arena, &d->places, (struct page_place){ cpu, (u32)l->page.len });
	l->n_pages++;
	buf_clear(&l->page);
}

/* The beginning of a page has the time of its first event. Returns the time since the event before,
 * in DELTA_BITS. */
static u64 put_time(struct trace_dat *d, u32 cpu, u64 time, u32 len)
{
	struct lane *l = &d->lanes[cpu];
	u64 delta = time - l->last;
	u32 words[2];

	if (l->page.len + len + 4 * sizeof words > PAGE || delta >> (DELTA_BITS + 32))
		end_page(d, cpu);
	if (!l->page.len)
		begin_page(d, l, time);
	delta = time - l->last;
	l->last = time;
	if (!(delta >> DELTA_BITS))
		return delta;
	words[0] = TIME_EXTEND | (u32)delta << 5;
	words[1] = (u32)(delta >> DELTA_BITS);
	buf_add(&l->page, words, sizeof words);
	return 0;
}

static void put_record(struct trace_dat *d, const struct trace_event *e, const void *record,
		       u32 bytes)
{
	static const u8 zero[4];
	struct lane *l = lane_of(d, e->cpu);
	u32 len = ALIGN_UP(bytes, 4u);
	u64 delta = put_time(d, e->cpu, e->time, len);
	bool is_long = len / 4 > WORDS_MOST;
	u32 words[2] = { (is_long ? 0 : len / 4) | (u32)delta << 5, len + 4 };

	buf_add(&l->page, words, is_long ? sizeof words : sizeof words[0]);
	buf_add(&l->page, record, bytes);
	buf_add(&l->page, zero, len - bytes);
}

/* The layouts are those that tracing_data_put() describes. */
static void put_stack(struct trace_dat *d, const struct trace_event *e, u32 side)
{
	u32 n = event_stack_frames(&e->stack[side]);
	struct {
		struct common_fields common;
		/* of the kernel the number of frames; of a user the process and where the frames
		 * are */
		u32 word[2];
		u64 ips[FRAMES_MOST];
	} r = { .word = { n } };

	if (!n || n > FRAMES_MOST)
		return;
	memcpy(&r.common, e->record, sizeof r.common);
	r.common.type = side == STACK_KERNEL ? TRACE_KERNEL_STACK : TRACE_USER_STACK;
	if (side == STACK_USER) {
		r.word[0] = e->pid;
		r.word[1] = (u32)offsetof(typeof(r), ips) | n * (u32)sizeof(u64) << 16;
	}
	memcpy(r.ips, e->stack[side].ips, n * sizeof(u64));
	put_record(d, e, &r, (u32)(offsetof(typeof(r), ips) + n * sizeof(u64)));
}

static void put_event(struct trace_dat *d, const struct trace_event *e)
{
	u32 name_len;
	const char *comm = event_comm(e, &name_len);

	put_record(d, e, e->record, e->len);
	for (u32 side = 0; e->has_stacks && side < N_STACK_SIDES; side++)
		put_stack(d, e, side);
	note_name(d, e->tid, comm, name_len);
}

static void put_events(struct trace_dat *d)
{
	struct trace_event e;
	u64 rest;

	while (!d->pages.error && store_next(d->j->store, &e))
		put_event(d, &e);
	rest = take_losses(d, ~0ull);
	for (u32 i = 0; i < d->n_lanes; i++) {
		if (d->lanes[i].page.len) {
			d->lanes[i].missed += rest;
			rest = 0;
		}
		end_page(d, i);
	}
}

/* ---- the file */

static void put_option(struct buf *b, u16 id, const void *bytes, u32 len)
{
	buf_add(b, &id, sizeof id);
	buf_add(b, &len, sizeof len);
	buf_add(b, bytes, len);
}

static void put_options(struct buf *b, const struct trace_dat *d)
{
	const struct store_text *uname = store_find_text(d->j->store, "uname");
	static const u16 end;
	struct buf line = { 0 };

	buf_add(b, "options  ", 10);
	for (u32 i = 0; uname && i < uname->len; i++)
		buf_putc(&line, uname->bytes[i] == '\n' ? ' ' : uname->bytes[i]);
	if (line.len)
		put_option(b, OPTION_UNAME, line.s, (u32)line.len + 1);
	put_option(b, OPTION_CPUCOUNT, &d->n_lanes, sizeof d->n_lanes);
	buf_add(b, &end, sizeof end);
	buf_release(&line);
}

static void put_head(struct buf *b, const struct trace_dat *d)
{
	struct buf names = { 0 };

	put_names(d, &names);
	tracing_data_put(b, d->j, "6", PAGE, &names);
	buf_release(&names);
	buf_add(b, &d->n_lanes, sizeof d->n_lanes);
	put_options(b, d);
	buf_add(b, "flyrecord", 10);
}

/* Where each processor's pages are; returns where they end. */
static u64 put_places(struct buf *b, const struct trace_dat *d, u64 *places)
{
	u64 at = ALIGN_UP(b->len + d->n_lanes * 2 * sizeof at, (u64)PAGE);

	for (u32 i = 0; i < d->n_lanes; i++) {
		u64 size = d->lanes[i].n_pages * PAGE;

		places[i] = at;
		buf_add(b, &at, sizeof at);
		buf_add(b, &size, sizeof size);
		at += size;
	}
	return at;
}

/* From the temporary file to each processor's place; the end of a page is a hole. */
static void copy_pages(struct trace_dat *d, u64 *places)
{
	u8 *page = xmalloc(PAGE);
	u64 from = 0;

	out_drain(&d->pages);
	for (u32 i = 0; i < d->places.n && !d->out.error && !d->pages.error; i++) {
		const struct page_place *p = &d->places.v[i];

		if (pread(d->pages.fd, page, p->len, (off_t)from) != (ssize_t)p->len)
			d->out.error = -EIO;
		out_patch(&d->out, places[p->cpu], page, p->len);
		places[p->cpu] += PAGE;
		from += p->len;
	}
	free(page);
}

static void put_file(struct trace_dat *d)
{
	u64 *places, end;

	if (d->j->tables->head.n_cpus > d->n_lanes)
		lane_of(d, MIN(d->j->tables->head.n_cpus, (u32)CPUS_MOST) - 1);
	places = xcalloc(d->n_lanes + 1ul, sizeof *places);
	put_head(&d->out.buf, d);
	end = put_places(&d->out.buf, d, places);
	copy_pages(d, places);
	out_drain(&d->out);
	if (!d->out.error && ftruncate(d->out.fd, (off_t)end) < 0)
		d->out.error = -errno;
	free(places);
}

static void release(struct trace_dat *d)
{
	for (u32 i = 0; i < d->n_lanes; i++)
		buf_release(&d->lanes[i].page);
	free(d->lanes);
	hash_release(&d->names);
	arena_release(&d->arena);
}

static int run(const struct export_job *j, struct err *err)
{
	struct trace_dat d = { .j = j, .pages.fd = -1 };

	if (out_open(&d.out, j->path, err) < 0)
		return err->code;
	arena_init(&d.arena);
	note_tasks(&d);
	if (out_open_nameless(&d.pages, j->path, err) == 0) {
		put_events(&d);
		put_file(&d);
		out_close(&d.pages, j->path, err);
	}
	out_close(&d.out, j->path, err);
	release(&d);
	return err->code;
}

const struct exporter export_trace_dat = { .name = "trace.dat",
					   .brief = "trace.dat, for trace-cmd and KernelShark",
					   .suffix = ".dat",
					   .run = run };
