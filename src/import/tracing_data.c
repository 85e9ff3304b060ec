/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace-cmd.dat.v6(5); util/trace-event-read.c of Linux's tools/perf. */
#include "import/tracing_data.h"

static const char magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

bool tracing_data_is(const u8 *bytes, size_t len)
{
	return len > sizeof magic && !memcmp(bytes, magic, sizeof magic);
}

bool tracing_data_read_head(struct cursor *c, struct tracing_data *t)
{
	const u8 *at = take_bytes(c, sizeof magic);
	bool is_big;

	t->version = take_cstring(c);
	is_big = take_u8(c);
	take_u8(c); /* sizeof(long) of the tool */
	t->page_size = take_u32(c);
	return at && !memcmp(at, magic, sizeof magic) && !is_big && !c->failed;
}

/* "header_page" and the like. */
static void pass_file(struct cursor *c)
{
	take_cstring(c);
	take_bytes(c, take_u64(c));
}

static void read_system(struct importing *to, struct cursor *c)
{
	const char *system = take_cstring(c);
	u32 n = take_u32(c);

	for (u32 i = 0; i < n && !c->failed; i++) {
		u64 len = take_u64(c);
		const u8 *text = take_bytes(c, len);

		if (text)
			import_add_format(to, arena_strdup(&to->arena, system), (const char *)text,
					  len);
	}
}

void tracing_data_read_formats(struct importing *to, struct cursor *c)
{
	u32 n = take_u32(c);

	for (u32 i = 0; i < n && !c->failed; i++)
		read_system(to, c);
}

void tracing_data_read_strings(struct importing *to, struct cursor *c)
{
	u32 n = take_u32(c);
	const u8 *strings = take_bytes(c, n);

	if (strings && n)
		store_text(to->writer, "printk_formats", strings, n);
}

void tracing_data_read_own(struct importing *to, struct cursor *c)
{
	u32 n = take_u32(c);

	for (u32 i = 0; i < n && !c->failed; i++) {
		u64 len = take_u64(c);
		const u8 *text = take_bytes(c, len);

		if (text)
			import_add_format(to, "ftrace", (const char *)text, len);
	}
}

struct cursor tracing_data_symbols(struct cursor *c)
{
	u32 len = take_u32(c);
	const u8 *text = take_bytes(c, len);

	return cursor_of(text, text ? len : 0);
}

bool tracing_data_read(struct importing *to, struct cursor *c, struct cursor *symbols)
{
	struct cursor text;

	pass_file(c);
	pass_file(c);
	tracing_data_read_own(to, c);
	tracing_data_read_formats(to, c);
	text = tracing_data_symbols(c);
	if (symbols)
		*symbols = text;
	tracing_data_read_strings(to, c);
	return !c->failed;
}
