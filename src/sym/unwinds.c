/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/PID/maps -> struct unwind_process. If the mappings of a process do not fit, those at the
 * lowest addresses are kept; a stack ends, with a reason, where it enters one that is not listed.
 */
#include <stdlib.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/hash.h"
#include "object/elf.h"
#include "object/unwind_table.h"
#include "sym/procmaps.h"
#include "sym/procs.h"
#include "sym/unwind_raw.h"
#include "sym/unwinds.h"
#include "sym/usym.h"

struct known_file {
	struct {
		u64 inode;
		u32 major, minor;
	} key;
	struct unwind_file table;
};

struct known_process {
	u32 pid;
	struct unwind_process *p; /* NULL: forgotten */
};

struct unwinds {
	struct usyms *usyms;
	struct hash processes; /* u32 pid -> struct known_process */
	struct unwind_tables tables;
	struct hash files;         /* inode -> struct known_file */
	struct known_file vdso[2]; /* of 64-bit and 32-bit programs */
	bool vdso_known[2];
	bool is_jvm; /* the process being read */
	u64 generation;
	void *own_memory; /* NULL: programs have it */
	unwind_set_fn set;
	void *ctx;
};

struct unwinds *unwinds_new(struct usyms *u, void *memory, bool in_parts, unwind_set_fn set,
			    void *ctx)
{
	struct unwinds *w = xcalloc(1, sizeof *w);

	w->usyms = u;
	w->set = set;
	w->ctx = ctx;
	w->generation = clock_mono_ns();
	w->own_memory = memory ? NULL : xcalloc(1, UNWIND_SIZE);
	unwind_tables_init(&w->tables, memory ? memory : w->own_memory, in_parts);
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
	for (u32 i = 0; i < w->processes.cap; i++)
		if (w->processes.slot[i].key) {
			struct known_process *k = w->processes.slot[i].value;

			free(k->p);
			free(k);
		}
	hash_release(&w->processes);
	unwind_tables_release(&w->tables);
	free(w->own_memory);
	free(w);
}

static void build(struct unwinds *w, struct known_file *f, struct elf *e)
{
	if (!e) {
		f->table = (struct unwind_file){ .pages = UNWIND_BY_FP_FILE };
		return;
	}
	unwind_tables_add(&w->tables, e, &f->table);
	elf_unmap_pages(e);
}

static const struct unwind_file *table_of(struct unwinds *w, const struct mapping *m, struct elf *e)
{
	struct known_file *f, key = { .key = { m->inode, m->dev_major, m->dev_minor } };

	if (!m->inode) {
		bool is32 = e && elf_is32(e);

		if (!w->vdso_known[is32])
			build(w, &w->vdso[is32], e);
		w->vdso_known[is32] = true;
		return &w->vdso[is32].table;
	}
	f = hash_get(&w->files, &key.key, sizeof key.key);
	if (!f) {
		f = xcalloc(1, sizeof *f);
		f->key = key.key;
		build(w, f, e);
		hash_put(&w->files, &f->key, sizeof f->key, f);
	}
	return &f->table;
}

/* An area of the whole mapping, without a table. */
static struct unwind_area special_area(const struct mapping *m, u32 what)
{
	return (struct unwind_area){ m->start, what,
				     (u32)((m->end - m->start) >> UNWIND_PAGE_SHIFT) };
}

/* The address in the ELF file of a mapping's first byte. If two segments share a page of the file,
 * the one with code owns it. */
static bool first_address(const struct elf *e, const struct mapping *m, u64 *first)
{
	enum { FILE_PAGE = 4096 };
	struct elf_section code;

	for (u32 i = 0; elf_code_segment(e, i, &code); i++)
		if (m->offset >= (code.offset & ~(u64)(FILE_PAGE - 1)) &&
		    m->offset < code.offset + code.size) {
			*first = code.address - code.offset + m->offset;
			return true;
		}
	return false;
}

static struct unwind_area area_of(struct unwinds *w, u32 pid, const struct mapping *m)
{
	struct elf *e = usyms_elf(w->usyms, pid, m);
	const struct unwind_file *f;
	u64 first;

	if (streq(m->path, "[uprobes]"))
		return special_area(m, UNWIND_RETURNS);
	if (!e && (!m->inode || m->path[0] != '/'))
		return special_area(m, w->is_jvm ? UNWIND_BY_FP_JVM : UNWIND_BY_FP);
	f = table_of(w, m, e);
	if (f->pages >= (u32)UNWIND_SPECIAL || !e)
		return special_area(m, f->pages);
	if (!m->inode)
		first = elf_load_address(e);
	else if (!first_address(e, m, &first))
		return special_area(m, UNWIND_BY_FP_FILE);
	return (struct unwind_area){ m->start - (first - f->base), f->pages, f->n_pages };
}

static bool is_generated(const struct unwind_area *a)
{
	return a->pages == (u32)UNWIND_BY_FP || a->pages == (u32)UNWIND_BY_FP_JVM;
}

/* The mapping continues the previous area: the next one of the same file, or generated code,
 * perhaps after a hole. */
static bool continues(const struct unwind_area *a, const struct unwind_area *b)
{
	return a->pages == b->pages && (a->base == b->base || is_generated(a));
}

static bool is_jvm(const struct procmaps *maps)
{
	for (u32 i = 0; i < maps->list.n; i++)
		if (ends_with(maps->list.v[i].path, "/libjvm.so"))
			return true;
	return false;
}

static void fill_process(struct unwinds *w, u32 pid, const struct procmaps *maps,
			 struct unwind_process *p)
{
	u32 n = 0;

	w->is_jvm = is_jvm(maps);
	for (u32 i = 0; i < maps->list.n && n < UNWIND_AREAS; i++) {
		const struct mapping *m = &maps->list.v[i];
		struct unwind_area a;

		if (!m->exec || streq(m->path, "[vsyscall]"))
			continue;
		a = area_of(w, pid, m);
		if (n && continues(&p->area[n - 1], &a)) {
			if (is_generated(&a))
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

static struct unwind_process *process_of(const struct unwinds *w, u32 pid)
{
	const struct known_process *k = hash_get(&w->processes, &pid, sizeof pid);

	return k ? k->p : NULL;
}

/* Replaces the process's entry. */
static void keep(struct unwinds *w, u32 pid, struct unwind_process *p)
{
	struct known_process *k = hash_get(&w->processes, &pid, sizeof pid);

	if (!k) {
		k = xcalloc(1, sizeof *k);
		k->pid = pid;
		hash_put(&w->processes, &k->pid, sizeof k->pid, k);
	}
	free(k->p);
	k->p = p;
}

static struct unwind_process *new_process(struct unwinds *w, u32 pid, u64 start_stack)
{
	struct unwind_process *p = xcalloc(1, sizeof *p);

	p->start_stack = start_stack;
	p->salt = ++w->generation * 0x9e3779b97f4a7c15ull ^ pid;
	return p;
}

static void tell_programs(struct unwinds *w, u32 pid, const struct unwind_process *p)
{
	if (w->set)
		w->set(w->ctx, pid, p);
}

static void publish(struct unwinds *w, u32 pid, struct unwind_process *p)
{
	keep(w, pid, p);
	tell_programs(w, pid, p);
}

/* Uses only what events reported, which saves reading three files of /proc. */
static void note_reported(struct unwinds *w, u32 pid, u64 start_stack)
{
	struct unwind_process *p = new_process(w, pid, start_stack);

	fill_process(w, pid, usyms_reported(w->usyms, pid), p);
	publish(w, pid, p);
}

static bool note_read(struct unwinds *w, u32 pid)
{
	struct unwind_process *p = new_process(w, pid, proc_start_stack(pid));
	const struct procmaps *maps = usyms_read(w->usyms, pid);
	bool stable = false;

	if (maps) {
		fill_process(w, pid, maps, p);
		/* an exec() in between would mix the mappings of two programs */
		stable = p->start_stack && p->start_stack == proc_start_stack(pid);
	}
	if (stable) {
		publish(w, pid, p);
		return true;
	}
	if (usyms_unseen(w->usyms, pid) < 0)
		tell_programs(w, pid, NULL);
	free(p);
	return false;
}

bool unwinds_note(struct unwinds *w, u32 pid)
{
	const struct unwind_process *p = process_of(w, pid);

	if (!p || !usyms_all_reported(w->usyms, pid))
		return note_read(w, pid);
	note_reported(w, pid, p->start_stack);
	return true;
}

bool unwinds_knows(const struct unwinds *w, u32 pid)
{
	return process_of(w, pid);
}

void unwinds_forget(struct unwinds *w, u32 pid)
{
	if (process_of(w, pid))
		keep(w, pid, NULL);
}

/* ---- hits that programs stored */

static u32 not_known(const struct unwind_raw *raw, u64 *ips, bool *is_new)
{
	*is_new = true;
	ips[0] = raw->shown;
	ips[1] = UNWIND_WHY_NEW;
	return 2;
}

/* Tries the mappings that are known now. is_new: they do not have all of the code. */
static u32 try_known(struct unwinds *w, const struct unwind_raw *raw, u64 *ips, u32 max,
		     bool *is_new)
{
	const struct unwind_process *p = process_of(w, raw->pid);

	if (p && (!raw->start_stack || p->start_stack == raw->start_stack))
		return unwind_raw_frames(&w->tables, p, raw, ips, max, is_new);
	return not_known(raw, ips, is_new);
}

/* Tries the mappings that events reported: the process has ended, or runs another program now. */
static u32 try_reported(struct unwinds *w, const struct unwind_raw *raw, u64 *ips, u32 max)
{
	const struct procmaps *maps = usyms_reported(w->usyms, raw->pid);
	struct unwind_process p = { 0 };
	bool is_new;

	if (!maps->list.n)
		return not_known(raw, ips, &is_new);
	fill_process(w, raw->pid, maps, &p);
	return unwind_raw_frames(&w->tables, &p, raw, ips, max, &is_new);
}

/* Reading the mappings again would not help hits of this process: programs need not store them. */
static void settle(struct unwinds *w, u32 pid)
{
	struct unwind_process *p = process_of(w, pid);

	if (!p || p->settled)
		return;
	p->settled = 1;
	tell_programs(w, pid, p);
}

u32 unwinds_frames(struct unwinds *w, const struct unwind_raw *raw, u64 *ips, u32 max)
{
	bool is_new, lives;
	u32 n = try_known(w, raw, ips, max, &is_new);
	const struct unwind_process *p = process_of(w, raw->pid);

	if (!is_new || (p && p->settled))
		return n;
	if (usyms_all_reported(w->usyms, raw->pid)) {
		note_reported(w, raw->pid, raw->start_stack);
		n = try_known(w, raw, ips, max, &is_new);
		if (!is_new)
			return n;
	}
	lives = note_read(w, raw->pid);
	n = try_known(w, raw, ips, max, &is_new);
	if (!is_new)
		return n;
	if (lives && ips[n - 1] != UNWIND_WHY_NEW) {
		settle(w, raw->pid);
		return n;
	}
	return try_reported(w, raw, ips, max);
}

u32 unwinds_frames_reported(struct unwinds *w, const struct unwind_raw *raw, u64 *ips, u32 max)
{
	bool is_new;

	if (!unwinds_knows(w, raw->pid))
		note_reported(w, raw->pid, raw->start_stack);
	return try_known(w, raw, ips, max, &is_new);
}
