/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/PID/maps -> struct unwind_process. A process whose mappings do not fit keeps those at the
 * lowest addresses: what is not listed ends a stack, with the reason.
 */
#include <stdlib.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/hash.h"
#include "object/elf.h"
#include "object/unwind_table.h"
#include "sym/procmaps.h"
#include "sym/procs.h"
#include "sym/unwinds.h"
#include "sym/usym.h"

struct known_file {
	struct {
		u64 inode;
		u32 major, minor;
	} key;
	struct unwind_file table;
};

struct unwinds {
	struct usyms *usyms;
	struct unwind_tables tables;
	struct hash files; /* inode -> struct known_file */
	struct known_file vdso;
	bool vdso_known;
	u64 generation;
	unwind_set_fn set;
	void *ctx;
};

struct unwinds *unwinds_new(struct usyms *u, void *memory, unwind_set_fn set, void *ctx)
{
	struct unwinds *w = xcalloc(1, sizeof(*w));

	w->usyms = u;
	w->set = set;
	w->ctx = ctx;
	w->generation = clock_mono_ns();
	unwind_tables_init(&w->tables, memory);
	return w;
}

void unwinds_free(struct unwinds *w)
{
	if (!w)
		return;
	for (u32 i = 0; i < w->files.cap; i++)
		if (w->files.slot[i].key)
			free(w->files.slot[i].value);
	hash_release(&w->files);
	unwind_tables_release(&w->tables);
	free(w);
}

static void build(struct unwinds *w, struct known_file *f, const struct elf *e)
{
	if (e)
		unwind_tables_add(&w->tables, e, &f->table);
	else
		f->table = (struct unwind_file){ .pages = UNWIND_NO_CFI };
}

static const struct unwind_file *table_of(struct unwinds *w, const struct mapping *m,
					  const struct elf *e)
{
	struct known_file *f, key = { .key = { m->inode, m->dev_major, m->dev_minor } };

	if (!m->inode) {
		if (!w->vdso_known)
			build(w, &w->vdso, e);
		w->vdso_known = true;
		return &w->vdso.table;
	}
	f = hash_get(&w->files, &key.key, sizeof(key.key));
	if (!f) {
		f = xcalloc(1, sizeof(*f));
		f->key = key.key;
		build(w, f, e);
		hash_put(&w->files, &f->key, sizeof(f->key), f);
	}
	return &f->table;
}

/* The whole mapping, without a table. */
static struct unwind_area special_area(const struct mapping *m, u32 what)
{
	return (struct unwind_area){ m->start, what,
				     (u32)((m->end - m->start) >> UNWIND_PAGE_SHIFT) };
}

static struct unwind_area area_of(struct unwinds *w, u32 pid, const struct mapping *m)
{
	struct elf *e = usyms_elf(w->usyms, pid, m);
	const struct unwind_file *f;
	u64 first;

	if (streq(m->path, "[uprobes]"))
		return special_area(m, UNWIND_RETURNS);
	if (!e && (!m->inode || m->path[0] != '/'))
		return special_area(m, UNWIND_BY_FP);
	f = table_of(w, m, e);
	if (f->pages >= (u32)UNWIND_SPECIAL || !e)
		return special_area(m, f->pages);
	if (!m->inode)
		first = elf_load_address(e);
	else if (!elf_offset_to_address(e, m->offset, &first))
		return special_area(m, UNWIND_NO_CFI);
	return (struct unwind_area){ m->start - (first - f->base), f->pages, f->n_pages };
}

/* The next mapping of one file continues the table; generated code may have holes. */
static bool continues(const struct unwind_area *a, const struct unwind_area *b)
{
	return a->pages == b->pages && (a->base == b->base || a->pages == (u32)UNWIND_BY_FP);
}

static void fill_process(struct unwinds *w, u32 pid, const struct procmaps *maps,
			 struct unwind_process *p)
{
	u32 n = 0;

	for (u32 i = 0; i < maps->list.n && n < UNWIND_AREAS; i++) {
		const struct mapping *m = &maps->list.v[i];
		struct unwind_area a;

		if (!m->exec || streq(m->path, "[vsyscall]"))
			continue;
		a = area_of(w, pid, m);
		if (n && continues(&p->area[n - 1], &a)) {
			if (a.pages == (u32)UNWIND_BY_FP)
				p->area[n - 1].n_pages =
					(u32)((m->end - p->area[n - 1].base) >> UNWIND_PAGE_SHIFT);
			continue;
		}
		p->start[n] = m->start;
		p->area[n++] = a;
	}
	for (; n < UNWIND_AREAS; n++)
		p->start[n] = ~0ull;
}

void unwinds_note(struct unwinds *w, u32 pid)
{
	struct unwind_process *p = xcalloc(1, sizeof(*p));
	struct procmaps maps;
	struct err err = {};

	p->start_stack = proc_start_stack(pid);
	p->salt = ++w->generation * 0x9e3779b97f4a7c15ull ^ pid;
	if (procmaps_read(&maps, pid, &err) >= 0) {
		fill_process(w, pid, &maps, p);
		procmaps_release(&maps);
		/* an exec() in between would mix two programs */
		if (p->start_stack && p->start_stack == proc_start_stack(pid))
			w->set(w->ctx, pid, p);
	} else {
		w->set(w->ctx, pid, NULL);
	}
	err_release(&err);
	free(p);
}
