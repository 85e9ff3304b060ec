/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The descriptions of events with which a trace.dat begins and that a perf.data has as the section
 * TRACING_DATA (trace-cmd.dat.v6(5); util/trace-event-info.c of Linux's tools/perf):
 *
 *	magic version 0 | endian, sizeof(long), page size | header_page | header_event |
 *	formats of the function tracer | formats by system | kallsyms | printk_formats | names of threads
 */
#include "export/export.h"

static void put_u32(struct buf *b, u32 n)
{
	buf_add(b, &n, sizeof n);
}

static void put_sized(struct buf *b, const char *bytes, u64 len)
{
	buf_add(b, &len, sizeof len);
	buf_add(b, bytes, len);
}

/* A file of tracefs, by its name. */
static void put_file(struct buf *b, const char *name, const char *text)
{
	buf_add(b, name, strlen(name) + 1);
	put_sized(b, text, strlen(text));
}

/* ---- the layout of pages and of events in them: that of 64-bit kernels since Linux 3.0 */

static void put_header_page(struct buf *b, u32 page_size)
{
	struct buf text = { 0 };

	buf_printf(&text,
		   "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		   "\tfield: char data;\toffset:16;\tsize:%u;\tsigned:0;\n",
		   page_size - 16);
	put_file(b, "header_page", text.s);
	buf_release(&text);
}

static const char header_event[] = "# compressed entry header\n"
				   "\ttype_len    :    5 bits\n"
				   "\ttime_delta  :   27 bits\n"
				   "\tarray       :   32 bits\n"
				   "\n"
				   "\tpadding     : type == 29\n"
				   "\ttime_extend : type == 30\n"
				   "\ttime_stamp : type == 31\n"
				   "\tdata max type_len  == 28\n";

/* ---- formats */

static size_t system_len(const struct event_format *f)
{
	return strcspn(f->name, ":");
}

static bool same_system(const struct event_format *a, const struct event_format *b)
{
	return system_len(a) == system_len(b) && !memcmp(a->name, b->name, system_len(a));
}

/* Whether format i is the first of its system; n: how many formats that has. */
static bool begins_system(const struct store_tables *t, u32 i, u32 *n)
{
	*n = 0;
	for (u32 k = 0; k < t->formats.n; k++) {
		if (!same_system(t->formats.v[i], t->formats.v[k]))
			continue;
		if (k < i)
			return false;
		++*n;
	}
	return true;
}

static void put_system(struct buf *b, const struct store_tables *t, u32 first, u32 n)
{
	const struct event_format *f = t->formats.v[first];

	buf_add(b, f->name, system_len(f));
	buf_putc(b, '\0');
	put_u32(b, n);
	for (u32 i = first; i < t->formats.n; i++)
		if (same_system(f, t->formats.v[i]))
			put_sized(b, t->formats.v[i]->text, strlen(t->formats.v[i]->text));
}

static void put_formats(struct buf *b, const struct store_tables *t)
{
	u32 n_systems = 0, n;

	for (u32 i = 0; i < t->formats.n; i++)
		n_systems += begins_system(t, i, &n);
	put_u32(b, n_systems);
	for (u32 i = 0; i < t->formats.n; i++)
		if (begins_system(t, i, &n))
			put_system(b, t, i, n);
}

void tracing_data_put(struct buf *b, const struct export_job *j, const char *version, u32 page_size,
		      const struct buf *comms)
{
	static const char magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	static const char machine[] = { 0 /* little-endian */, sizeof(u64) };
	const struct store_text *strings = store_find_text(j->store, "printk_formats");

	buf_add(b, magic, sizeof magic);
	buf_add(b, version, strlen(version) + 1);
	buf_add(b, machine, sizeof machine);
	put_u32(b, page_size);
	put_header_page(b, page_size);
	put_file(b, "header_event", header_event);
	put_u32(b, 0); /* of the function tracer */
	put_formats(b, j->tables);
	put_u32(b, 0); /* kallsyms */
	put_u32(b, strings ? strings->len : 0);
	if (strings)
		buf_add(b, strings->bytes, strings->len);
	put_sized(b, comms && comms->len ? comms->s : "", comms ? comms->len : 0);
}
