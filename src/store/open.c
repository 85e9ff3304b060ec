/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening reads the tables: all chunks but those of events, which chunks.c finds. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/crc32.h"
#include "base/fd.h"
#include "store/gaps.h"
#include "store/internal.h"
#include "type/event_format.h"

static int read_file_head(struct store *s, const char *name, struct err *err)
{
	struct file_head *h = &s->t.head;

	if (!s->t.size)
		return err_usage(err, -EINVAL, "%s is empty: it is not a recording", name);
	if (s->t.size < sizeof *h || !store_read_at(s, h, sizeof *h, 0) ||
	    memcmp(h->magic, STORE_MAGIC, sizeof h->magic))
		return err_usage(err, -EINVAL, "%s is not a recording of sonde", name);
	if (h->version > STORE_VERSION) {
		err_set(err, -EINVAL,
			"%s is a recording of version %u; this sonde reads version %u", name,
			h->version, STORE_VERSION);
		err_help(err, "read it with the sonde that made it, or a newer one");
		return err->code;
	}
	if (h->size < sizeof *h || h->crc != crc32_of(h, offsetof(struct file_head, crc)))
		return err_set(err, -EINVAL, "the head of %s is damaged", name);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct store_mapping *x = a, *y = b;

	if (x->row.time != y->row.time)
		return x->row.time < y->row.time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int by_address(const void *a, const void *b)
{
	const struct store_function *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void sort_tables(struct store_tables *t)
{
	if (t->mappings.n)
		qsort(t->mappings.v, t->mappings.n, sizeof *t->mappings.v, by_time);
	if (t->functions.n)
		qsort(t->functions.v, t->functions.n, sizeof *t->functions.v, by_address);
}

static s64 mtime_of(const struct stat *st)
{
	return st->st_mtim.tv_sec * 1000000000ll + st->st_mtim.tv_nsec;
}

struct store *store_open_fd(int fd, const char *name, struct err *err)
{
	struct store *s = xcalloc(1, sizeof *s);
	struct stat st;

	s->fd = fd;
	s->to = ~0ull;
	arena_init(&s->arena);
	s->by_id = xcalloc(0x10000, sizeof *s->by_id);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		err_usage(err, -EINVAL, "%s is no file", name);
	} else {
		s->t.size = (u64)st.st_size;
		s->mtime_ns = mtime_of(&st);
		read_file_head(s, name, err);
	}
	if (err->code) {
		store_close(s);
		return NULL;
	}
	store_note_ends(s, store_find_chunks(s));
	sort_tables(&s->t);
	return s;
}

struct store *store_open(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		err_sys(err, "open %s", path);
		return NULL;
	}
	return store_open_fd(fd, path, err);
}

enum store_change store_change(const struct store *s)
{
	struct stat st;

	if (fstat(s->fd, &st) < 0 || (u64)st.st_size < s->t.size)
		return STORE_CHANGED;
	if ((u64)st.st_size > s->t.size)
		return STORE_GROWN;
	return mtime_of(&st) == s->mtime_ns ? STORE_SAME : STORE_CHANGED;
}

int store_file(const struct store *s)
{
	return s->fd;
}

const struct store_tables *store_tables(const struct store *s)
{
	return &s->t;
}

bool store_has_event(const struct store_tables *t, const char *name)
{
	for (u32 i = 0; i < t->formats.n; i++)
		if (streq(t->formats.v[i]->name, name))
			return true;
	return false;
}

const struct store_text *store_find_text(const struct store *s, const char *name)
{
	for (u32 i = 0; i < s->t.texts.n; i++)
		if (streq(s->t.texts.v[i].name, name))
			return &s->t.texts.v[i];
	return NULL;
}

const char *store_damage(const struct store *s)
{
	return s->damage[0] ? s->damage : NULL;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	for (u32 i = 0; i < s->n_lanes; i++)
		if (s->lanes[i]) {
			store_cursor_release(&s->lanes[i]->cursor);
			free(s->lanes[i]);
		}
	fd_close(&s->fd);
	buf_release(&s->stored);
	buf_release(&s->body);
	buf_release(&s->counts);
	arena_release(&s->arena);
	free(s->by_id);
	free(s->stacks);
	free(s->lanes);
	free(s->heap);
	free(s);
}
