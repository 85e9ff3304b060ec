/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/PID/maps -> mappings. One line, see show_map_vma() in fs/proc/task_mmu.c:
 *
 *	7f5c1000-7f5c3000 r-xp 00001000 fd:01 1234          /usr/lib/libc.so.6 (deleted)
 *
 * The kernel writes a newline in a path as \012, which is decoded here.
 */
#include <errno.h>
#include <stdio.h>
#include "base/buf.h"
#include "sym/procmaps.h"
#include "sym/procs.h"

struct cursor {
	const char *at, *end;
};

static u64 number(struct cursor *c, u32 base)
{
	u64 v = 0;

	for (; c->at < c->end; c->at++) {
		u32 ch = (u8)*c->at, d = ch - '0';

		if (d > 9)
			d = (ch | 32) - 'a' + 10;
		if (ch < '0' || d >= base || (ch > '9' && ch < 'A'))
			break;
		v = v * base + d;
	}
	return v;
}

static bool eat(struct cursor *c, char ch)
{
	if (c->at == c->end || *c->at != ch)
		return false;
	c->at++;
	return true;
}

static bool permissions(struct cursor *c, struct mapping *m)
{
	if (c->end - c->at < 4)
		return false;
	m->read = c->at[0] == 'r';
	m->write = c->at[1] == 'w';
	m->exec = c->at[2] == 'x';
	m->shared = c->at[3] == 's';
	c->at += 4;
	return true;
}

static void unescape_newlines(char *s)
{
	char *to = s;

	for (; *s; to++) {
		if (starts_with(s, "\\012")) {
			*to = '\n';
			s += 4;
		} else {
			*to = *s++;
		}
	}
	*to = '\0';
}

/* before: the previous mapping, most often of the same file; NULL: none. */
static void set_path(struct arena *a, struct mapping *m, struct cursor *c,
		     const struct mapping *before)
{
	static const char deleted[] = " (deleted)";
	size_t len;
	char *path;

	while (eat(c, ' '))
		;
	len = (size_t)(c->end - c->at);
	if (!len) {
		m->path = "";
		return;
	}
	if (before && strlen(before->path) == len && !memcmp(before->path, c->at, len)) {
		m->path = before->path;
		return;
	}
	path = arena_strndup(a, c->at, len);
	unescape_newlines(path);
	if (path[0] == '/' && ends_with(path, deleted)) {
		path[strlen(path) - strlen(deleted)] = '\0';
		m->deleted = true;
	}
	m->path = path;
}

static bool parse_line(struct arena *a, struct cursor c, struct mapping *m,
		       const struct mapping *before)
{
	m->start = number(&c, 16);
	if (!eat(&c, '-'))
		return false;
	m->end = number(&c, 16);
	if (!eat(&c, ' ') || !permissions(&c, m) || !eat(&c, ' '))
		return false;
	m->offset = number(&c, 16);
	if (!eat(&c, ' '))
		return false;
	m->dev_major = (u32)number(&c, 16);
	if (!eat(&c, ':'))
		return false;
	m->dev_minor = (u32)number(&c, 16);
	if (!eat(&c, ' '))
		return false;
	m->inode = number(&c, 10);
	set_path(a, m, &c, before);
	return m->end > m->start;
}

static u32 count_lines(const char *text, size_t len)
{
	const char *end = text + len;
	u32 n = 0;

	for (const char *s = text; s < end && (s = memchr(s, '\n', (size_t)(end - s))); s++)
		n++;
	return n;
}

void procmaps_parse(struct procmaps *m, const char *text, size_t len)
{
	const char *end = text + len, *eol;
	u32 lines = count_lines(text, len) + 1;

	memset(m, 0, sizeof *m);
	arena_init(&m->arena);
	vec_reserve(&m->arena, &m->list, lines);
	for (const char *s = text; s < end; s = eol + 1) {
		struct mapping map = { 0 };

		eol = memchr(s, '\n', (size_t)(end - s));
		if (!eol)
			eol = end;
		if (parse_line(&m->arena, (struct cursor){ s, eol }, &map,
			       m->list.n ? vec_last(&m->list) : NULL))
			vec_push(&m->arena, &m->list, map);
	}
}

int procmaps_read(struct procmaps *m, u32 pid, struct err *err)
{
	char path[40];
	struct buf text = { 0 };
	int r;

	snprintf(path, sizeof path, "/proc/%u/maps", proc_number(pid));
	r = buf_read_file(&text, path);
	if (r < 0) {
		buf_release(&text);
		return err_set(err, r, "read %s: %s", path, strerror(-r));
	}
	procmaps_parse(m, text.s ? text.s : "", text.len);
	buf_release(&text);
	return 0;
}

static void insert(struct procmaps *m, u32 at, const struct mapping *one)
{
	vec_push(&m->arena, &m->list, *one);
	memmove(&m->list.v[at + 1], &m->list.v[at], (m->list.n - 1 - at) * sizeof *one);
	m->list.v[at] = *one;
}

void procmaps_add(struct procmaps *m, const struct mapping *one)
{
	struct mapping before = {}, after = {}, copy = *one;
	u32 kept = 0, at = 0;

	for (u32 i = 0; i < m->list.n; i++) {
		const struct mapping *old = &m->list.v[i];

		if (old->start >= one->end || old->end <= one->start) {
			at = old->start < one->start ? kept + 1 : at;
			m->list.v[kept++] = *old;
			continue;
		}
		if (old->start < one->start) {
			before = *old;
			before.end = one->start;
		}
		if (old->end > one->end) {
			after = *old;
			after.offset += one->end - old->start;
			after.start = one->end;
		}
	}
	m->list.n = kept;
	copy.path = arena_strdup(&m->arena, one->path);
	if (before.end)
		insert(m, at++, &before);
	insert(m, at++, &copy);
	if (after.end)
		insert(m, at, &after);
}

void procmaps_release(struct procmaps *m)
{
	arena_release(&m->arena);
	memset(&m->list, 0, sizeof m->list);
}

const struct mapping *procmaps_find(const struct procmaps *m, u64 address)
{
	u32 lo = 0, hi = m->list.n;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (m->list.v[mid].end <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->list.n && m->list.v[lo].start <= address ? &m->list.v[lo] : NULL;
}
