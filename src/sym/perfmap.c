/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf maps: lines "START SIZE name", hexadecimal, in the order in which code was generated. The
 * format is that of tools/perf/Documentation/jit-interface.txt. Code moves and memory is reused: if
 * several entries cover an address, the last one is valid. A jitdump file (jitdump.h) gives such
 * entries, too.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "sym/jitdump.h"
#include "sym/perfmap.h"
#include "sym/procs.h"

struct jit_symbol {
	u64 start, size;
	u32 name; /* offset in text */
	u32 order;
};

struct perfmap {
	char *path;
	bool is_dump;
	struct buf text;   /* split into strings; of a dump, its names */
	u64 file_size, at; /* at: end of what was read of a dump */
	struct jit_symbol *v;
	u32 n, cap;
};

enum { MAX_PERFMAP_BYTES = 256 << 20, MAX_CODE = 4 << 20 };

static int by_start(const void *a, const void *b)
{
	const struct jit_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static bool parse_line(struct perfmap *p, char *s, u32 order)
{
	struct jit_symbol *sym = &p->v[p->n];
	char *end;

	sym->start = strtoull(s, &end, 16);
	if (end == s || *end != ' ')
		return false;
	s = end + 1;
	sym->size = strtoull(s, &end, 16);
	if (end == s || *end != ' ' || !end[1])
		return false;
	sym->name = (u32)(end + 1 - p->text.s);
	sym->order = order;
	return true;
}

static void parse(struct perfmap *p)
{
	u32 lines = 1, order = 0;

	for (size_t i = 0; i < p->text.len; i++)
		lines += p->text.s[i] == '\n';
	free(p->v);
	p->v = xmalloc(sizeof *p->v * lines);
	p->n = 0;
	for (char *s = p->text.s, *end = s + p->text.len; s < end;) {
		char *eol = memchr(s, '\n', (size_t)(end - s));

		if (!eol) /* an incomplete line: still being written */
			break;
		*eol = '\0';
		p->n += parse_line(p, s, order++);
		s = eol + 1;
	}
	qsort(p->v, p->n, sizeof *p->v, by_start);
}

struct perfmap *perfmap_parse(const char *text, size_t len)
{
	struct perfmap *p = xcalloc(1, sizeof *p);

	buf_add(&p->text, text, len);
	parse(p);
	return p;
}

void perfmap_close(struct perfmap *p)
{
	if (!p)
		return;
	buf_release(&p->text);
	free(p->path);
	free(p->v);
	free(p);
}

static bool refresh_text(struct perfmap *p)
{
	struct buf text = { 0 };

	if (buf_read_file(&text, p->path) < 0) {
		buf_release(&text);
		return false;
	}
	buf_release(&p->text);
	p->text = text;
	parse(p);
	return true;
}

/* ---- jitdump */

static void add_code(void *ctx, const struct jit_code *code)
{
	struct perfmap *p = ctx;

	if (p->text.len >= MAX_PERFMAP_BYTES || p->n >= MAX_CODE)
		return;
	if (p->n == p->cap) {
		p->cap = MAX(2 * p->cap, 1024u);
		p->v = xrealloc(p->v, p->cap * sizeof *p->v);
	}
	p->v[p->n] = (struct jit_symbol){ code->start, code->size, (u32)p->text.len, p->n };
	p->n++;
	buf_add(&p->text, code->name, strlen(code->name) + 1);
}

/* Reads what was appended; the file is not mapped, because its writer may truncate it. */
static bool refresh_dump(struct perfmap *p, u64 end)
{
	enum { PIECE = 64 << 10 };
	int fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *piece = xmalloc(PIECE);
	u64 before;
	ssize_t n;

	do {
		before = p->at;
		n = fd < 0 ? -1 : pread(fd, piece, PIECE, (off_t)before);
	} while (n > 0 && jitdump_parse(piece, (size_t)n, end, &p->at, add_code, p) &&
		 p->at > before);
	free(piece);
	if (fd >= 0)
		close(fd);
	if (p->n)
		qsort(p->v, p->n, sizeof *p->v, by_start);
	return p->at;
}

/* ---- files */

bool perfmap_refresh(struct perfmap *p)
{
	struct stat st;
	bool ok;

	if (!p->path || stat(p->path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (u64)st.st_size == p->file_size || (!p->is_dump && st.st_size > MAX_PERFMAP_BYTES))
		return false;
	ok = p->is_dump ? refresh_dump(p, (u64)st.st_size) : refresh_text(p);
	if (ok)
		p->file_size = (u64)st.st_size;
	return ok;
}

/* Takes ownership of the path. */
static bool try_path(struct perfmap *p, char *path, bool is_dump)
{
	free(p->path);
	p->path = path;
	p->is_dump = is_dump;
	return perfmap_refresh(p);
}

struct perfmap *perfmap_open(u32 pid, const char *dump)
{
	struct perfmap *p = xcalloc(1, sizeof *p);
	u32 number = proc_number(pid);

	if (try_path(p, xasprintf("/proc/%u/root/tmp/perf-%u.map", number, proc_inner_pid(pid)),
		     false) ||
	    try_path(p, xasprintf("/tmp/perf-%u.map", pid), false))
		return p;
	if (dump && (try_path(p, xasprintf("/proc/%u/root%s", number, dump), true) ||
		     try_path(p, xstrdup(dump), true)))
		return p;
	perfmap_close(p);
	return NULL;
}

const char *perfmap_lookup(const struct perfmap *p, u64 address, u64 *offset)
{
	const struct jit_symbol *last = NULL;
	u32 lo = 0, hi = p->n;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (p->v[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (u32 i = lo; i-- && lo - i <= 16;) {
		const struct jit_symbol *s = &p->v[i];

		if (address - s->start < s->size && (!last || s->order > last->order))
			last = s;
	}
	if (!last)
		return NULL;
	*offset = address - last->start;
	return p->text.s + last->name;
}
