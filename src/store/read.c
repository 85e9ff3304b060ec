/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: the bytes of a chunk. Out: rows of tables.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/crc32.h"
#include "store/internal.h"
#include "store/lz4.h"
#include "sym/event_layout.h"

/* ---- bytes */

void store_note_damage(struct store *s, u64 offset, const char *what)
{
	if (!s->damage[0])
		snprintf(s->damage, sizeof s->damage, "%s at byte %llu", what,
			 (unsigned long long)offset);
}

bool store_read_at(const struct store *s, void *to, size_t len, u64 offset)
{
	u8 *at = to;

	while (len) {
		ssize_t n = pread(s->fd, at, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
		offset += (u64)n;
	}
	return true;
}

/* NULL: it is one, else what is wrong with it. */
static const char *fault_of_head(const struct store *s, const struct chunk_head *h, u64 offset)
{
	if (h->magic != CHUNK_MAGIC)
		return "no chunk begins where one should";
	if (h->crc != crc32_of(h, offsetof(struct chunk_head, crc)))
		return "a chunk's head is damaged";
	if ((h->kind != CHUNK_GONE && MAX(h->raw_len, h->stored_len) > CHUNK_MOST) ||
	    (h->codec == CODEC_STORED && h->raw_len != h->stored_len) || h->codec > CODEC_LZ4)
		return "a chunk has impossible lengths";
	if (h->stored_len > s->t.size - offset - sizeof *h)
		return "the file ends within a chunk";
	return NULL;
}

bool store_read_head(struct store *s, struct chunk_head *h, u64 offset)
{
	const char *fault = "the file ends within the head of a chunk";

	if (s->t.size >= sizeof *h && offset <= s->t.size - sizeof *h &&
	    store_read_at(s, h, sizeof *h, offset))
		fault = fault_of_head(s, h, offset);
	if (fault)
		store_note_damage(s, offset, fault);
	return !fault;
}

/* The body as it was before compression, to `to`, of raw_len bytes. */
bool store_read_body(struct store *s, const struct chunk_head *h, u64 offset, u8 *to)
{
	bool is_stored = h->codec == CODEC_STORED;
	u8 *stored = to;

	if (!is_stored) {
		buf_clear(&s->stored);
		buf_reserve(&s->stored, h->stored_len + 1ul);
		stored = (u8 *)s->stored.s;
	}
	if (store_read_at(s, stored, h->stored_len, offset + sizeof *h) &&
	    crc32_of(stored, h->stored_len) == h->body_crc &&
	    (is_stored || lz4_unpack(to, h->raw_len, stored, h->stored_len)))
		return true;
	store_note_damage(s, offset, "a chunk is damaged");
	return false;
}

/* ---- tables */

/* A copy that ends with NUL; NULL if it is not there. */
static char *take_string(struct store *s, struct bytes *b, size_t len)
{
	const void *at = bytes_take(b, len);

	return at ? arena_strndup(&s->arena, at, len) : NULL;
}

static bool take_text(struct store *s, struct bytes *b)
{
	const void *at = bytes_take(b, sizeof(struct text_row));
	struct store_text text = { 0 };
	struct text_row row;
	char *copy;

	if (!at)
		return false;
	memcpy(&row, at, sizeof row);
	text.name = row.name_len <= NAME_MOST ? take_string(s, b, row.name_len) : NULL;
	at = text.name ? bytes_take(b, row.len) : NULL;
	if (!at)
		return false;
	text.bytes = copy = arena_alloc(&s->arena, row.len + 1ul);
	memcpy(copy, at, row.len);
	text.len = row.len;
	vec_push(&s->arena, &s->t.texts, text);
	return true;
}

static bool take_format(struct store *s, struct bytes *b)
{
	const void *at = bytes_take(b, sizeof(struct format_row));
	struct tp_format *f;
	struct format_row row;
	char *name, *text, *colon;

	if (!at)
		return false;
	memcpy(&row, at, sizeof row);
	name = row.name_len <= NAME_MOST ? take_string(s, b, row.name_len) : NULL;
	text = name ? take_string(s, b, row.len) : NULL;
	if (!text || row.id > 0xffff || s->by_id[row.id])
		return false;
	f = tracefs_parse_format(&s->arena, text, strlen(text));
	colon = strchr(name, ':');
	if (!f || !colon)
		return false;
	f->category = arena_strndup(&s->arena, name, (size_t)(colon - name));
	f->name = colon + 1;
	s->by_id[row.id] = event_layout(&s->arena, f);
	vec_push(&s->arena, &s->t.formats, s->by_id[row.id]);
	return true;
}

static bool take_task(struct store *s, struct bytes *b)
{
	const void *at = bytes_take(b, sizeof(struct task_row));
	struct task_row row;

	if (!at)
		return false;
	memcpy(&row, at, sizeof row);
	vec_push(&s->arena, &s->t.tasks, row);
	return true;
}

static bool take_loss(struct store *s, struct bytes *b)
{
	enum { HEAD = offsetof(struct lost_row, len) + sizeof(u32) };
	const void *at = bytes_take(b, HEAD);
	struct lost_row row = { 0 };
	char *why;

	if (!at)
		return false;
	memcpy(&row, at, HEAD);
	why = take_string(s, b, row.len);
	if (why)
		vec_push(&s->arena, &s->t.losses, (struct store_loss){ row.time, row.count, why });
	return why;
}

static bool take_clock(struct store *s, struct bytes *b)
{
	const void *at = bytes_take(b, sizeof(struct clock_row));
	struct clock_row row;

	if (!at)
		return false;
	memcpy(&row, at, sizeof row);
	vec_push(&s->arena, &s->t.clocks, row);
	return true;
}

static void keep_stack(struct store *s, u32 number, const struct stack_frames *f)
{
	if (number >= s->stacks_room) {
		u32 room = MAX(number + 1, 2 * s->stacks_room);

		s->stacks = xrealloc(s->stacks, room * sizeof *s->stacks);
		memset(s->stacks + s->stacks_room, 0, (room - s->stacks_room) * sizeof *s->stacks);
		s->stacks_room = room;
	}
	s->stacks[number] = f;
	s->t.n_stacks = MAX(s->t.n_stacks, number);
}

static bool take_stack(struct store *s, struct bytes *b)
{
	const void *at = bytes_take(b, sizeof(struct stack_row));
	struct stack_frames *f;
	struct stack_row row;

	if (!at)
		return false;
	memcpy(&row, at, sizeof row);
	if (!row.number || row.number > STACKS_MOST || row.n > FRAMES_MOST)
		return false;
	at = bytes_take(b, row.n * sizeof *f->ips);
	if (!at)
		return false;
	f = arena_alloc(&s->arena, sizeof *f + row.n * sizeof *f->ips);
	f->n = row.n;
	memcpy(f->ips, at, row.n * sizeof *f->ips);
	keep_stack(s, row.number, f);
	return true;
}

static bool take_mapping(struct store *s, struct bytes *b)
{
	const void *at = bytes_take(b, sizeof(struct mapping_row));
	struct store_mapping m = { .number = s->t.mappings.n };

	if (!at)
		return false;
	memcpy(&m.row, at, sizeof m.row);
	m.path = take_string(s, b, m.row.path_len);
	if (!m.path || m.row.kind >= N_MAPPING_KINDS || m.row.build_id_len > sizeof m.row.build_id)
		return false;
	vec_push(&s->arena, &s->t.mappings, m);
	return true;
}

static bool take_function(struct store *s, struct bytes *b)
{
	const void *at = bytes_take(b, sizeof(struct function_row));
	struct store_function f = { 0 };
	struct function_row row;

	if (!at)
		return false;
	memcpy(&row, at, sizeof row);
	f.address = row.address;
	f.name = take_string(s, b, row.name_len);
	f.module = f.name ? take_string(s, b, row.module_len) : NULL;
	if (f.module)
		vec_push(&s->arena, &s->t.functions, f);
	return f.module;
}

static bool (*const takers[])(struct store *s, struct bytes *b) = {
	[CHUNK_TEXTS] = take_text,       [CHUNK_FORMATS] = take_format,
	[CHUNK_TASKS] = take_task,       [CHUNK_LOST] = take_loss,
	[CHUNK_CLOCKS] = take_clock,     [CHUNK_STACKS] = take_stack,
	[CHUNK_MAPPINGS] = take_mapping, [CHUNK_FUNCTIONS] = take_function,
};

bool store_read_whole(struct store *s, const struct chunk_head *h, u64 offset)
{
	buf_clear(&s->body);
	buf_reserve(&s->body, h->raw_len + 1ul);
	return store_read_body(s, h, offset, (u8 *)s->body.s);
}

void store_read_table(struct store *s, const struct chunk_head *h, u64 offset)
{
	struct bytes b;

	if (h->kind >= ARRAY_SIZE(takers) || !takers[h->kind] || !store_read_whole(s, h, offset))
		return;
	b = (struct bytes){ (u8 *)s->body.s, (u8 *)s->body.s + h->raw_len };
	for (u32 i = 0; i < h->count; i++)
		if (!takers[h->kind](s, &b)) {
			store_note_damage(s, offset, "a table has an impossible row");
			return;
		}
}
