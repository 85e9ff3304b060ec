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

/* ---- stacks */

#define COMMON_FIELDS                                                                              \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"            \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* The format of kernel_stack is a kernel's, because trace-cmd has a printer of its own for it. That
 * of user_stack differs: an array of any length instead of 8 frames. */
static const char *const stack_formats[] = {
	"name: kernel_stack\nID: 4\n" COMMON_FIELDS
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
	"print fmt: \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], (void *)REC->caller[1], (void *)REC->caller[2]\n",
	"name: user_stack\nID: 12\n" COMMON_FIELDS
	"\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc unsigned long[] caller;\toffset:12;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"tgid=%u %s\", REC->tgid, __print_array(__get_dynamic_array(caller), __get_dynamic_array_len(caller) / 8, 8)\n",
};

/* A symbol of no function ends the previous function. */
static void put_functions(struct buf *b, const struct store_tables *t)
{
	struct buf text = { 0 };

	for (u32 i = 0; i < t->functions.n; i++) {
		const struct store_function *f = &t->functions.v[i];

		buf_printf(&text, "%016llx t %s", (unsigned long long)f->address,
			   *f->name ? f->name : "unknown");
		if (*f->module)
			buf_printf(&text, "\t[%s]", f->module);
		buf_putc(&text, '\n');
	}
	if (text.len) /* libtraceevent finds a function by the next one */
		buf_puts(&text, "ffffffffffffffff t unknown\n");
	put_u32(b, (u32)text.len);
	buf_add(b, text.s ? text.s : "", text.len);
	buf_release(&text);
}

void tracing_data_put(struct buf *b, const struct export_job *j, const char *version, u32 page_size,
		      const struct buf *comms)
{
	static const char magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	bool has_stacks = comms && j->tables->n_stacks;
	static const char machine[] = { 0 /* little-endian */, sizeof(u64) };
	const struct store_text *strings = store_find_text(j->store, "printk_formats");

	buf_add(b, magic, sizeof magic);
	buf_add(b, version, strlen(version) + 1);
	buf_add(b, machine, sizeof machine);
	put_u32(b, page_size);
	put_header_page(b, page_size);
	put_file(b, "header_event", header_event);
	put_u32(b, has_stacks ? ARRAY_SIZE(stack_formats) : 0); /* of the function tracer */
	for (u32 i = 0; has_stacks && i < ARRAY_SIZE(stack_formats); i++)
		put_sized(b, stack_formats[i], strlen(stack_formats[i]));
	put_formats(b, j->tables);
	put_functions(b, j->tables);
	put_u32(b, strings ? strings->len : 0);
	if (strings)
		buf_add(b, strings->bytes, strings->len);
	put_sized(b, comms && comms->len ? comms->s : "", comms ? comms->len : 0);
}
