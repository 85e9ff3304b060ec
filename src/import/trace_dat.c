/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.dat of trace-cmd, versions 6 and 7 (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)): the events
 * of the pages that trace-cmd copied from the kernel's ring buffers (kernel/trace/ring_buffer.c),
 * of the top instance. One with compressed sections is read by way of trace-cmd convert.
 *
 * A stack is a record after that of its event, of the same processor: an event waits for the next
 * one.
 *
 * trace-cmd keeps one name for each thread and no process: a thread is taken for its own process.
 */
#include <errno.h>
#include <stdlib.h>
#include "import/convert.h"
#include "import/import.h"
#include "import/kernel_stacks.h"
#include "import/ring_page.h"
#include "import/tracing_data.h"

/* Numbers of options (TRACECMD_OPTION_* of libtracecmd). */
enum {
	OPTION_DONE = 0,
	OPTION_BUFFER = 3,
	OPTION_UNAME = 5,
	OPTION_HEADER_INFO = 16,
	OPTION_OWN_FORMATS = 17,
	OPTION_EVENT_FORMATS = 18,
	OPTION_SYMBOLS = 19,
	OPTION_PRINTK = 20,
	OPTION_CMDLINES = 21,
	N_OPTIONS,
};

struct name {
	u32 tid;
	char comm[COMM_SIZE];
};

struct waiting { /* record NULL: none */
	u64 time;
	const u8 *record;
	u32 len;
	struct row_stacks stacks;
};

struct input {
	struct importing *to;
	const u8 *bytes;
	size_t len;
	struct arena arena;
	struct hash names; /* tid -> struct name * */
	struct kernel_stacks *stacks;
	struct waiting waiting;
	u32 page_size;
	struct cursor options[N_OPTIONS]; /* the first of each */
	bool has[N_OPTIONS];
};

static struct cursor part(const struct input *in, u64 offset, u64 len)
{
	return cursor_part(in->bytes, in->len, offset, len);
}

/* ---- names of threads: "PID NAME" lines */

static void add_name(struct input *in, const char *line, size_t len)
{
	char *text = arena_strndup(&in->arena, line, len), *end;
	struct name *n;
	u32 tid = (u32)strtoul(text, &end, 10);

	if (end == text || *end != ' ')
		return;
	n = arena_new(&in->arena, struct name);
	n->tid = tid;
	memcpy(n->comm, end + 1, strnlen(end + 1, sizeof n->comm));
	hash_put(&in->names, &n->tid, sizeof n->tid, n);
}

static void read_names(struct input *in, struct cursor *c)
{
	u64 len = take_u64(c);
	const char *s = (const char *)take_bytes(c, len), *end = s ? s + len : NULL;

	while (s < end) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));

		stop = stop ? stop : end;
		add_name(in, s, (size_t)(stop - s));
		s = stop + 1;
	}
}

static const char *name_of(const struct input *in, u32 tid)
{
	const struct name *n = hash_get(&in->names, &tid, sizeof tid);

	return n ? n->comm : tid ? "<...>" : "<idle>";
}

/* ---- pages */

/* Functions in the tracers' own records. */
static void name_functions(struct input *in, const struct event_format *f, const u8 *record,
			   u32 len)
{
	for (u32 i = 0; i < f->n_members && starts_with(f->name, "ftrace:"); i++) {
		const struct event_member *m = &f->members[i];
		u64 address;

		if (m->size != sizeof address || (u64)m->offset + m->size > len)
			continue;
		memcpy(&address, record + m->offset, sizeof address);
		kernel_stacks_name(in->stacks, address);
	}
}

static void give_waiting(struct input *in, u32 cpu)
{
	const struct waiting w = in->waiting;
	struct store_event who = { .time = w.time, .cpu = cpu, .stacks = w.stacks };
	struct common_fields common;

	in->waiting.record = NULL;
	if (!w.record)
		return;
	memcpy(&common, w.record, sizeof common);
	who.pid = who.tid = common.tid;
	who.comm = name_of(in, common.tid);
	import_event(in->to, &who, w.record, w.len);
}

/* Where the array is: there, or where a word there says. */
static u32 begin_of(const struct event_member *m, const u8 *record, u32 len)
{
	u32 word = 0;

	if (!m->data_loc)
		return m->offset;
	if ((u64)m->offset + sizeof word <= len)
		memcpy(&word, record + m->offset, sizeof word);
	return (m->data_loc == 2 ? m->offset + (u32)sizeof word : 0) + (word & 0xffff);
}

/* "caller" of ftrace:kernel_stack and ftrace:user_stack. */
static u32 frames_of(const struct event_format *f, const u8 *record, u32 len, u64 *ips)
{
	const struct event_member *caller = event_member(f, "caller");
	u32 n = 0, first = caller ? begin_of(caller, record, len) : len;

	for (u64 at = first; at + 8 <= len && n < STACK_FRAMES_MOST; at += 8) {
		memcpy(&ips[n], record + at, sizeof *ips);
		if (!ips[n] || ips[n] == ~0ull)
			break;
		n++;
	}
	return n;
}

/* False: it is no stack, or not of an event that waits. */
static bool take_stack(struct input *in, const struct event_format *f, const u8 *record, u32 len)
{
	bool is_user = streq(f->name, "ftrace:user_stack");
	u64 ips[STACK_FRAMES_MOST];
	u32 n;

	if (!in->waiting.record || (!is_user && !streq(f->name, "ftrace:kernel_stack")))
		return false;
	n = frames_of(f, record, len, ips);
	in->waiting.stacks.number[is_user] = !is_user ? kernel_stacks_add(in->stacks, ips, n) :
					     n        ? store_stack(in->to->writer, ips, n) :
							0;
	return true;
}

static void give_event(struct input *in, u32 cpu, u64 time, const u8 *record, u32 len)
{
	const struct import_format *f;
	u16 type;

	if (len < sizeof(struct common_fields))
		return;
	memcpy(&type, record, sizeof type);
	f = import_find_format(in->to, type);
	if (f && take_stack(in, f->format, record, len))
		return;
	give_waiting(in, cpu);
	if (f) {
		name_functions(in, f->format, record, len);
		kernel_stacks_name_members(in->stacks, f->format, record, len);
	}
	in->waiting = (struct waiting){ .time = time, .record = record, .len = len };
}

static void give_missed(struct input *in, const struct ring_page *p)
{
	if (p->has_missed)
		store_lost(in->to->writer, p->time, p->missed ? p->missed : 1,
			   "the kernel's ring buffer was full");
}

static void read_page(struct input *in, u32 cpu, struct cursor page)
{
	unsigned long long at = (unsigned long long)(page.at - in->bytes);
	struct ring_page p;
	const u8 *record;
	u32 len;

	if (!ring_page_begin(&p, page)) {
		import_damage(in->to,
			      "a page of processor %u at byte %llu is longer than pages are", cpu,
			      at);
		return;
	}
	give_missed(in, &p);
	while (ring_page_next(&p, &record, &len))
		give_event(in, cpu, p.time, record, len);
	if (p.events.failed)
		import_damage(in->to, "a page of processor %u at byte %llu ends within an event",
			      cpu, at);
}

static void read_pages(struct input *in, u32 cpu, struct cursor pages)
{
	if (pages.failed)
		import_damage(in->to, "the pages of processor %u are incomplete", cpu);
	while (cursor_left(&pages) >= RING_PAGE_HEAD) {
		struct cursor page = pages;

		page.end = page.at + MIN(cursor_left(&pages), (size_t)in->page_size);
		take_bytes(&pages, cursor_left(&page));
		read_page(in, cpu, page);
	}
	give_waiting(in, cpu);
}

/* What of len bytes at that offset is there. */
static struct cursor pages_at(const struct input *in, u64 offset, u64 len)
{
	struct cursor all = part(in, offset, len);

	if (all.failed && offset < in->len) {
		all = part(in, offset, in->len - offset);
		all.failed = true;
	}
	return all;
}

/* ---- options */

/* Up to the one that ends them. */
static void take_options(struct input *in, struct cursor *c)
{
	for (;;) {
		u16 id = take_u16(c);
		u32 len;

		if (id == OPTION_DONE || c->failed)
			return;
		len = take_u32(c);
		if (id < N_OPTIONS && !in->has[id]) {
			in->has[id] = true;
			in->options[id] = cursor_of(c->at, MIN((size_t)len, cursor_left(c)));
		}
		take_bytes(c, len);
	}
}

/* One line of uname(2) with spaces: "Linux HOST RELEASE VERSION... MACHINE". */
static void put_uname(struct input *in)
{
	struct cursor *c = &in->options[OPTION_UNAME];
	char *line = arena_strndup(&in->arena, in->has[OPTION_UNAME] ? (const char *)c->at : "",
				   cursor_left(c));
	char *last = strrchr(line, ' '), *s = line;

	for (u32 i = 0; i < 3; i++) {
		s += strcspn(s, " ");
		if (*s && s != last)
			*s++ = '\n';
	}
	if (last)
		*last = '\n';
	s = arena_printf(&in->arena, "%s\n", line);
	store_text(in->to->writer, "uname", s, strlen(s));
}

static void begin(struct input *in, u32 n_cpus)
{
	import_begin(in->to, &(struct file_head){ .version = STORE_VERSION,
						  .page_size = in->page_size,
						  .n_cpus = n_cpus });
}

/* ---- version 6: everything one after the other */

static void read_places(struct input *in, struct cursor *c, u32 n_cpus)
{
	for (u32 cpu = 0; cpu < n_cpus && cursor_left(c) >= 16; cpu++) {
		u64 offset = take_u64(c), len = take_u64(c);

		read_pages(in, cpu, pages_at(in, offset, len));
	}
}

static void read_v6(struct input *in, struct cursor c)
{
	struct cursor symbols;
	u32 n_cpus;
	const u8 *kind;

	begin(in, 0);
	tracing_data_read(in->to, &c, &symbols);
	kernel_stacks_symbols_text(in->stacks, symbols.at, cursor_left(&symbols));
	read_names(in, &c);
	n_cpus = take_u32(&c);
	kind = take_bytes(&c, 10);
	if (kind && !memcmp(kind, "options  ", 10)) {
		take_options(in, &c);
		kind = take_bytes(&c, 10);
	}
	put_uname(in);
	if (!kind)
		import_damage(
			in->to,
			"it ends before its events: trace-cmd was killed, or the file was cut");
	else if (memcmp(kind, "flyrecord", 10) != 0)
		import_damage(in->to, "it has no events, but a text (trace-cmd report prints it)");
	else
		read_places(in, &c, n_cpus);
}

/* ---- version 7: sections, which options lead to */

enum { SECTION_HEAD = 16, SECTION_COMPRESSED = 1 };

/* Failed: it is not there, or cannot be read. */
static struct cursor section(struct input *in, u64 offset)
{
	struct cursor c = part(in, offset, SECTION_HEAD);
	u16 flags;
	u64 len;

	take_u16(&c); /* id */
	flags = take_u16(&c);
	take_u32(&c); /* its description */
	len = take_u64(&c);
	if (flags & SECTION_COMPRESSED) {
		import_damage(
			in->to,
			"it is compressed, and trace-cmd, which sonde uses to decompress it, is missing or "
			"cannot read it");
		c.failed = true;
	}
	return c.failed ? c : part(in, offset + SECTION_HEAD, len);
}

/* The section at whose offset an option is. */
static struct cursor section_of(struct input *in, u32 option)
{
	if (!in->has[option])
		return (struct cursor){ .failed = true };
	return section(in, take_u64(&in->options[option]));
}

/* There can be several, one leads to the next. */
static void read_options(struct input *in, u64 offset)
{
	for (u32 i = 0; offset && i < 1000; i++) {
		struct cursor c = section(in, offset);

		take_options(in, &c);
		take_u32(&c); /* length of what follows */
		offset = take_u64(&c);
	}
}

static void read_buffer(struct input *in)
{
	struct cursor *c = &in->options[OPTION_BUFFER], head;
	u32 n_cpus;

	if (!in->has[OPTION_BUFFER]) {
		import_damage(in->to, "it has no events, or was cut");
		return;
	}
	head = section(in, take_u64(c));
	take_cstring(c); /* instance, clock */
	take_cstring(c);
	in->page_size = take_u32(c);
	n_cpus = take_u32(c);
	for (u32 i = 0; i < n_cpus && !c->failed && in->page_size && !head.failed; i++) {
		u32 cpu = take_u32(c);
		u64 offset = take_u64(c), len = take_u64(c);

		if (!c->failed && cpu < 0xffff)
			read_pages(in, cpu, pages_at(in, offset, len));
	}
}

static void read_v7(struct input *in, struct cursor c)
{
	struct cursor own, formats, symbols, strings, names;

	take_cstring(&c); /* compression: its name, its version */
	take_cstring(&c);
	begin(in, 0);
	read_options(in, take_u64(&c));
	put_uname(in);
	own = section_of(in, OPTION_OWN_FORMATS);
	formats = section_of(in, OPTION_EVENT_FORMATS);
	symbols = section_of(in, OPTION_SYMBOLS);
	strings = section_of(in, OPTION_PRINTK);
	names = section_of(in, OPTION_CMDLINES);
	tracing_data_read_own(in->to, &own);
	tracing_data_read_formats(in->to, &formats);
	symbols = tracing_data_symbols(&symbols);
	kernel_stacks_symbols_text(in->stacks, symbols.at, cursor_left(&symbols));
	tracing_data_read_strings(in->to, &strings);
	read_names(in, &names);
	read_buffer(in);
}

/* Version 7 that names a compression. */
static bool is_compressed(const u8 *bytes, size_t len)
{
	struct cursor c = cursor_of(bytes, len);
	struct tracing_data t;
	const char *how;

	if (!tracing_data_read_head(&c, &t) || !streq(t.version, "7"))
		return false;
	how = take_cstring(&c);
	return *how && !streq(how, "none");
}

static int convert(const u8 *bytes, size_t len, int fd)
{
	return is_compressed(bytes, len) ? convert_trace_dat(fd) : -1;
}

static bool knows(const u8 *bytes, size_t len)
{
	return tracing_data_is(bytes, len);
}

static int run(struct importing *to, const u8 *bytes, size_t len, struct err *err)
{
	struct input in = { .to = to, .bytes = bytes, .len = len };
	struct cursor c = cursor_of(bytes, len);
	struct tracing_data t;

	if (!tracing_data_read_head(&c, &t) || !(streq(t.version, "6") || streq(t.version, "7")) ||
	    t.page_size < 1024 || t.page_size > 1 << 24) {
		err_usage(
			err, -EINVAL,
			"%s is a trace.dat of a version or a processor that sonde does not support",
			to->name);
		return err->code;
	}
	arena_init(&in.arena);
	in.page_size = t.page_size;
	in.stacks = kernel_stacks_new(to);
	if (streq(t.version, "6"))
		read_v6(&in, c);
	else
		read_v7(&in, c);
	kernel_stacks_free(in.stacks);
	hash_release(&in.names);
	arena_release(&in.arena);
	return 0;
}

const struct importer import_trace_dat = { .name = "trace.dat",
					   .brief = "output of trace-cmd record",
					   .knows = knows,
					   .run = run,
					   .convert = convert };
