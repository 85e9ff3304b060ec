/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf maps: lines "START SIZE name", hexadecimal, in the order in which code was generated. The
 * format is that of tools/perf/Documentation/jit-interface.txt. Code moves and memory is reused:
 * the last line that covers an address is valid, so sorting is stable and later entries win.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/buf.h"
#include "sym/perfmap.h"
#include "sym/procs.h"

struct jit_symbol {
	u64 start, size;
	u32 name; /* offset in text */
	u32 order;
};

struct perfmap {
	char *path;
	struct buf text; /* split into strings */
	u64 file_size;
	struct jit_symbol *v;
	u32 n;
};

enum { MAX_PERFMAP_BYTES = 256 << 20 };

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
	p->v = xmalloc(sizeof(*p->v) * lines);
	p->n = 0;
	for (char *s = p->text.s, *end = s + p->text.len; s < end;) {
		char *eol = memchr(s, '\n', (size_t)(end - s));

		if (!eol) /* an incomplete line: still being written */
			break;
		*eol = '\0';
		p->n += parse_line(p, s, order++);
		s = eol + 1;
	}
	qsort(p->v, p->n, sizeof(*p->v), by_start);
}

struct perfmap *perfmap_parse(const char *text, size_t len)
{
	struct perfmap *p = xcalloc(1, sizeof(*p));

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

bool perfmap_refresh(struct perfmap *p)
{
	struct stat st;
	struct buf text = {};

	if (!p->path || stat(p->path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (u64)st.st_size == p->file_size || st.st_size > MAX_PERFMAP_BYTES)
		return false;
	if (buf_read_file(&text, p->path) < 0) {
		buf_release(&text);
		return false;
	}
	buf_release(&p->text);
	p->text = text;
	p->file_size = (u64)st.st_size;
	parse(p);
	return true;
}

struct perfmap *perfmap_open(u32 pid)
{
	struct perfmap *p = xcalloc(1, sizeof(*p));
	u32 inner = proc_inner_pid(pid);

	p->path = xasprintf("/proc/%u/root/tmp/perf-%u.map", proc_number(pid), inner);
	if (perfmap_refresh(p))
		return p;
	free(p->path);
	p->path = xasprintf("/tmp/perf-%u.map", pid);
	if (perfmap_refresh(p))
		return p;
	perfmap_close(p);
	return NULL;
}

const char *perfmap_lookup(const struct perfmap *p, u64 address, u64 *offset)
{
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

		if (address - s->start < s->size) {
			*offset = address - s->start;
			return p->text.s + s->name;
		}
	}
	return NULL;
}
