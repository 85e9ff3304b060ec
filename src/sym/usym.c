/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of processes. Input: pid and address. Output: function, offset, file. Two bounded LRU
 * caches: the maps of processes, and ELF files (shared by all processes that map the same inode). A
 * file is opened when a process that maps it is first seen, through /proc/PID/root, so that it
 * stays readable when the process, its container or the file's name is gone.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/hash.h"
#include "object/demangle.h"
#include "object/dwarf.h"
#include "object/elf.h"
#include "sym/jitdump.h"
#include "sym/past_maps.h"
#include "sym/perfmap.h"
#include "sym/places.h"
#include "sym/procmaps.h"
#include "sym/procs.h"
#include "sym/usym.h"

enum {
	MAX_PROCS = 1024,
	MAX_FILES = 256,
	DEMANGLED = 1024, /* slots, a power of two */
	RECHECK_MS = 100, /* interval of checks for pid reuse and exec */
};

struct file_key {
	u64 inode;
	u32 major, minor;
};

struct file {
	struct file_key key;
	struct elf *elf; /* NULL: cannot be opened; not retried */
	struct dwarf *dwarf;
	bool dwarf_tried;
	u32 number; /* its number in the cache of source positions */
	u64 used;
};

struct proc {
	u32 pid;
	bool have_maps, perfmap_tried;
	bool exec_seen; /* from_events has all code mappings of the program */
	int unseen;     /* -errno of the last read of the maps */
	u64 start_time, exe_inode;
	u64 forked_ns, checked_ns, read_ns, used;
	struct procmaps maps;
	struct procmaps from_events; /* mappings reported by events since its last exec */
	struct past_maps past;
	struct perfmap *perfmap;
};

struct demangled {
	char *from, *to; /* to: NULL: shown unchanged */
};

struct usyms {
	struct hash procs, files;
	u64 clock;   /* LRU clock */
	u32 n_files; /* opened so far */
	struct places *places;
	struct elf *vdso;
	struct elf *vdso32; /* of 32-bit processes; NULL: not read yet */
	void *vdso32_bytes;
	bool vdso_tried, demangle;
	bool recorded; /* of a recording: /proc is not read */
	struct demangled demangled[DEMANGLED];
};

/* ---- demangling */

#define VERSION_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."

char *(*demangle_hook)(const char *mangled) = demangle;

static bool may_be_mangled(const struct usyms *u, const char *name)
{
	return u->demangle && demangle_hook && name[0] == '_' &&
	       (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D');
}

/* The version suffix of a library's symbol, "@@GLIBC_2.2.5"; NULL: none. */
static const char *find_version(const char *name)
{
	const char *at = strchr(name, '@');
	const char *version = at ? at + 1 + (at[1] == '@') : NULL;

	return version && at > name && *version && !version[strspn(version, VERSION_LETTERS)] ?
		       at :
		       NULL;
}

/* malloc'ed; NULL: the name is shown unchanged. */
static char *make_name(const struct usyms *u, const char *name)
{
	const char *version = find_version(name);
	char *plain = version ? xasprintf("%.*s", (int)(version - name), name) : NULL;
	const char *from = plain ? plain : name;
	char *to = may_be_mangled(u, from) ? demangle_hook(from) : NULL;

	if (!to)
		return plain;
	free(plain);
	return to;
}

/* The name to show: without a version; C++, Rust and D names demangled. */
static const char *show_name(struct usyms *u, const char *name)
{
	struct demangled *d;

	if (!may_be_mangled(u, name) && !find_version(name))
		return name;
	d = &u->demangled[hash_bytes(name, strlen(name)) & (DEMANGLED - 1)];
	if (!d->from || !streq(d->from, name)) {
		free(d->from);
		free(d->to);
		d->from = xstrdup(name);
		d->to = make_name(u, name);
	}
	return d->to ? d->to : name;
}

/* ---- files */

static struct hash_slot *oldest(struct hash *h, u64 (*used)(const void *value))
{
	struct hash_slot *best = NULL;

	for (u32 i = 0; i < h->cap; i++)
		if (h->slot[i].key && h->slot[i].value &&
		    (!best || used(h->slot[i].value) < used(best->value)))
			best = &h->slot[i];
	return best;
}

static u64 file_used(const void *file)
{
	return ((const struct file *)file)->used;
}

static void free_file(struct file *f)
{
	dwarf_close(f->dwarf);
	elf_close(f->elf);
	free(f);
}

static int by_number(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* The hash table has no removal: it is rebuilt without the evicted file. This is rare, and the
 * table is small. */
static void drop(struct hash *h, const void *value, size_t key_len)
{
	struct hash rest = { 0 };

	for (u32 i = 0; i < h->cap; i++)
		if (h->slot[i].key && h->slot[i].value != value)
			hash_put(&rest, h->slot[i].key, key_len, h->slot[i].value);
	hash_release(h);
	*h = rest;
}

static struct elf *open_if_same(const char *path, u64 inode)
{
	struct stat st;
	struct err err = { 0 };
	struct elf *e;

	if (stat(path, &st) < 0 || (u64)st.st_ino != inode)
		return NULL;
	e = elf_open(path, &err);
	err_release(&err);
	return e;
}

/* Opens a mapping's path in our root if it is the same file there: this path outlives the
 * process. */
static struct elf *open_by_plain_name(const struct mapping *m)
{
	struct stat st;
	bool same = !m->deleted && stat(m->path, &st) == 0 && major(st.st_dev) == m->dev_major &&
		    minor(st.st_dev) == m->dev_minor;

	return same ? open_if_same(m->path, m->inode) : NULL;
}

/*
 * Tries the path in our root, the path in the process's root, and the mapping itself (for deleted
 * files).
 */
static struct elf *open_mapped(u32 pid, const struct mapping *m)
{
	char link[96];
	char *path = xasprintf("/proc/%u/root%s", proc_number(pid), m->path);
	struct elf *e = open_by_plain_name(m);

	if (!e && !m->deleted)
		e = open_if_same(path, m->inode);
	free(path);
	if (e)
		return e;
	snprintf(link, sizeof link, "/proc/%u/map_files/%llx-%llx", proc_number(pid),
		 (unsigned long long)m->start, (unsigned long long)m->end);
	e = open_if_same(link, m->inode);
	return e || m->deleted ? e : open_if_same(m->path, m->inode);
}

/* For recordings: the file has the build id of the one that was mapped; without a build id, it is
 * the same file. */
static bool is_build(const struct elf *e, const struct mapping *m)
{
	u32 len = 0;
	const u8 *id = elf_build_id(e, &len);

	return id && len == m->build_id_len && !memcmp(id, m->build_id, len);
}

static struct elf *open_recorded(const struct mapping *m)
{
	struct err err = { 0 };
	struct stat st;
	struct elf *e;

	if (!m->build_id_len)
		return open_by_plain_name(m);
	if (stat(m->path, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	e = elf_open(m->path, &err);
	err_release(&err);
	if (e && !is_build(e, m)) {
		elf_close(e);
		e = NULL;
	}
	return e;
}

static bool is_file(const struct mapping *m)
{
	return m->path[0] == '/' && m->inode && !starts_with(m->path, "/memfd:") &&
	       !starts_with(m->path, "/dev/");
}

static struct file *file_of(struct usyms *u, u32 pid, const struct mapping *m)
{
	struct file_key key = { m->inode, m->dev_major, m->dev_minor };
	struct file *f = hash_get(&u->files, &key, sizeof key);
	struct hash_slot *old;

	if (f) {
		f->used = ++u->clock;
		return f;
	}
	if (u->files.n >= MAX_FILES && (old = oldest(&u->files, file_used))) {
		struct file *gone = old->value;

		drop(&u->files, gone, sizeof gone->key);
		free_file(gone);
	}
	f = xcalloc(1, sizeof *f);
	f->key = key;
	f->number = u->n_files++;
	f->used = ++u->clock;
	f->elf = u->recorded ? open_recorded(m) : open_mapped(pid, m);
	hash_put(&u->files, &f->key, sizeof f->key, f);
	return f;
}

/* ---- processes */

static u64 proc_used(const void *proc)
{
	return ((const struct proc *)proc)->used;
}

static void release_maps(struct proc *p)
{
	if (p->have_maps)
		procmaps_release(&p->maps);
	perfmap_close(p->perfmap);
	p->perfmap = NULL;
	p->have_maps = p->perfmap_tried = false;
}

static void free_proc(struct proc *p)
{
	release_maps(p);
	procmaps_release(&p->from_events);
	past_maps_release(&p->past);
	free(p);
}

static u64 exe_inode(u32 pid)
{
	char path[40];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%u/exe", proc_number(pid));
	return stat(path, &st) < 0 ? 0 : (u64)st.st_ino;
}

static bool has_code(const struct procmaps *maps, const struct mapping *one)
{
	const struct mapping *m = procmaps_find(maps, one->start);

	return m && m->start == one->start && m->inode == one->inode && m->offset == one->offset &&
	       m->dev_major == one->dev_major && m->dev_minor == one->dev_minor;
}

/* Keeps mappings of code that are gone; the event with the time of their end may follow. */
static void keep_past(struct proc *p, const struct procmaps *now, u64 seen)
{
	for (u32 i = 0; i < p->maps.list.n; i++) {
		const struct mapping *m = &p->maps.list.v[i];

		if (m->exec && m->inode && !has_code(now, m))
			past_maps_add_missed(&p->past, m, seen, p->read_ns);
	}
}

/* Known mappings are kept if the process is gone or exiting (empty maps). */
static bool read_maps(struct usyms *u, struct proc *p)
{
	struct procmaps maps;
	struct err err = { 0 };
	u64 before = p->read_ns;

	p->read_ns = clock_mono_ns();
	p->unseen = procmaps_read(&maps, p->pid, &err);
	if (p->unseen < 0) {
		err_release(&err);
		return false;
	}
	if (!maps.list.n) {
		procmaps_release(&maps);
		return false;
	}
	if (p->have_maps) {
		keep_past(p, &maps, before);
		procmaps_release(&p->maps);
	}
	p->maps = maps;
	p->have_maps = true;
	for (u32 i = 0; i < maps.list.n; i++)
		if (maps.list.v[i].exec && is_file(&maps.list.v[i]))
			file_of(u, p->pid, &maps.list.v[i]);
	return true;
}

/* Checks whether the pid was reused or the process called exec. */
static void recheck(struct usyms *u, struct proc *p)
{
	u64 now = clock_mono_ns(), start, inode;

	if (now - p->checked_ns < RECHECK_MS * 1000000ULL)
		return;
	p->checked_ns = now;
	start = proc_start_time(p->pid);
	inode = start ? exe_inode(p->pid) : 0;
	if (!start || !inode || (start == p->start_time && inode == p->exe_inode))
		return;
	release_maps(p);
	p->start_time = start;
	p->exe_inode = inode;
	read_maps(u, p);
}

/* Forgets the least recently used quarter of the processes. */
static void drop_old_procs(struct usyms *u)
{
	struct hash rest = { 0 };
	u64 used[MAX_PROCS], limit;
	u32 n = 0;

	for (u32 i = 0; i < u->procs.cap && n < MAX_PROCS; i++)
		if (u->procs.slot[i].key)
			used[n++] = proc_used(u->procs.slot[i].value);
	qsort(used, n, sizeof *used, by_number);
	limit = used[n / 4];
	for (u32 i = 0; i < u->procs.cap; i++) {
		struct proc *p = u->procs.slot[i].value;

		if (!u->procs.slot[i].key)
			continue;
		if (p->used < limit)
			free_proc(p);
		else
			hash_put(&rest, &p->pid, sizeof p->pid, p);
	}
	hash_release(&u->procs);
	u->procs = rest;
}

/* The process's entry, without reading /proc. */
static struct proc *entry_of(struct usyms *u, u32 pid)
{
	struct proc *p = hash_get(&u->procs, &pid, sizeof pid);

	if (!p) {
		if (!u->recorded && u->procs.n >= MAX_PROCS)
			drop_old_procs(u);
		p = xcalloc(1, sizeof *p);
		p->pid = pid;
		hash_put(&u->procs, &p->pid, sizeof p->pid, p);
	}
	p->used = ++u->clock;
	return p;
}

static struct proc *proc_of(struct usyms *u, u32 pid)
{
	struct proc *p = entry_of(u, pid);

	if (!u->recorded)
		recheck(u, p);
	return p;
}

const struct procmaps *usyms_read(struct usyms *u, u32 pid)
{
	struct proc *p = entry_of(u, pid);

	p->checked_ns = clock_mono_ns();
	p->start_time = proc_start_time(pid);
	p->exe_inode = exe_inode(pid);
	return read_maps(u, p) ? &p->maps : NULL;
}

int usyms_unseen(struct usyms *u, u32 pid)
{
	const struct proc *p = hash_get(&u->procs, &pid, sizeof pid);

	return p ? MIN(p->unseen, 0) : 0;
}

void usyms_note(struct usyms *u, u32 pid)
{
	if (!hash_get(&u->procs, &pid, sizeof pid))
		proc_of(u, pid);
}

/* ---- events */

void usyms_mapped(struct usyms *u, u32 pid, const struct mapping *m, u64 time)
{
	struct proc *p = entry_of(u, pid);

	past_maps_ended(&p->past, m, time);
	past_maps_add_replaced(&p->past, &p->from_events, m, time);
	if (p->have_maps && p->read_ns <= time)
		past_maps_add_replaced(&p->past, &p->maps, m, time);
	procmaps_add(&p->from_events, m);
	if (p->have_maps) /* it may have been read in the middle of a dlopen() */
		procmaps_add(&p->maps, m);
	if (is_file(m) && !u->recorded)
		file_of(u, pid, m); /* open it now: it may be unlinked soon */
}

static void add_code(struct procmaps *to, const struct procmaps *from)
{
	for (u32 i = 0; i < from->list.n; i++)
		if (from->list.v[i].exec)
			procmaps_add(to, &from->list.v[i]);
}

static void begin_program(struct proc *p)
{
	release_maps(p);
	procmaps_release(&p->from_events);
	p->start_time = p->checked_ns = 0;
}

static void end_code(struct proc *p, const struct procmaps *maps, u64 time)
{
	for (u32 i = 0; i < maps->list.n; i++)
		if (maps->list.v[i].exec)
			past_maps_add(&p->past, &maps->list.v[i], time);
}

void usyms_exec(struct usyms *u, u32 pid, u64 time)
{
	struct proc *p = entry_of(u, pid);

	past_maps_ended(&p->past, NULL, time);
	end_code(p, &p->from_events, time);
	if (p->have_maps && p->read_ns <= time) /* else they already are those of the new program */
		end_code(p, &p->maps, time);
	begin_program(p);
	p->exec_seen = true;
}

/* The child has its parent's mappings until exec. */
void usyms_forked(struct usyms *u, u32 parent, u32 pid, u64 time)
{
	struct proc *from = entry_of(u, parent), *p;

	if (!from->exec_seen)
		recheck(u, from); /* reads its mappings */
	p = entry_of(u, pid);
	begin_program(p); /* the pid may have been reused */
	past_maps_release(&p->past);
	from = entry_of(u, parent); /* it may have been forgotten */
	p->forked_ns = time;
	p->exec_seen = from->exec_seen;
	if (from->have_maps)
		add_code(&p->from_events, &from->maps);
	add_code(&p->from_events, &from->from_events);
}

bool usyms_all_reported(const struct usyms *u, u32 pid)
{
	const struct proc *p = hash_get(&u->procs, &pid, sizeof pid);

	return p && p->exec_seen && p->from_events.list.n;
}

const struct procmaps *usyms_reported(struct usyms *u, u32 pid)
{
	return &entry_of(u, pid)->from_events;
}

/* ---- resolving */

/* All 64-bit processes have the same vdso as sonde. */
static struct elf *own_vdso(struct usyms *u)
{
	void *image = (void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct procmaps maps;
	struct err err = { 0 };
	const struct mapping *m;

	if (u->vdso_tried)
		return u->vdso;
	u->vdso_tried = true;
	if (!image || procmaps_read(&maps, (u32)getpid(), &err) < 0)
		return NULL;
	m = procmaps_find(&maps, (u64)(uintptr_t)image);
	if (m)
		u->vdso = elf_from_bytes(image, m->end - (u64)(uintptr_t)image, &err);
	procmaps_release(&maps);
	err_release(&err);
	return u->vdso;
}

/* All 32-bit processes have the same one, read from the first that is seen alive. */
static struct elf *vdso32(struct usyms *u, u32 pid, const struct mapping *m)
{
	enum { MOST = 1 << 20 };
	size_t size = (size_t)(m->end - m->start);
	struct err err = { 0 };
	struct iovec from, to;

	if (u->vdso32 || u->recorded || size > MOST)
		return u->vdso32;
	to = (struct iovec){ xmalloc(size), size };
	from = (struct iovec){ (void *)(uintptr_t)m->start, size };
	if (process_vm_readv((pid_t)pid, &to, 1, &from, 1, 0) == (ssize_t)size)
		u->vdso32 = elf_from_bytes(to.iov_base, size, &err);
	err_release(&err);
	if (u->vdso32)
		u->vdso32_bytes = to.iov_base;
	else
		free(to.iov_base);
	return u->vdso32;
}

/* NULL: not known, or a recording has that of another kernel. */
static struct elf *vdso(struct usyms *u, u32 pid, const struct mapping *m)
{
	struct elf *e = m->end >> 32 ? own_vdso(u) : vdso32(u, pid, m);

	return u->recorded && e && !is_build(e, m) ? NULL : e;
}

struct elf *usyms_elf(struct usyms *u, u32 pid, const struct mapping *m)
{
	if (streq(m->path, "[vdso]"))
		return vdso(u, pid, m);
	return is_file(m) ? file_of(u, pid, m)->elf : NULL;
}

static bool from_elf(struct usyms *u, struct elf *e, u64 file_address, struct usym *out)
{
	struct elf_symbol s;

	out->build_id = elf_build_id(e, &out->build_id_len);
	if (!elf_symbol_at(e, file_address, &s))
		return false;
	out->name = show_name(u, s.name);
	out->offset = file_address - s.value;
	return true;
}

static const char *dump_in_past(const struct past_maps *past)
{
	for (u32 i = past->list.n; i--;)
		if (jitdump_is_name(past->list.v[i].m.path))
			return past->list.v[i].m.path;
	return NULL;
}

static const char *dump_in(const struct procmaps *maps)
{
	for (u32 i = 0; i < maps->list.n; i++)
		if (jitdump_is_name(maps->list.v[i].path))
			return maps->list.v[i].path;
	return NULL;
}

/* The jitdump file that the process maps, which is how a compiler announces it; NULL: none. */
static const char *jitdump_of(const struct proc *p)
{
	const char *path = p->have_maps ? dump_in(&p->maps) : NULL;

	path = path ? path : dump_in(&p->from_events);
	return path ? path : dump_in_past(&p->past);
}

static bool from_perfmap(struct usyms *u, struct proc *p, u64 address, struct usym *out)
{
	const char *name;

	if (!p->perfmap_tried) {
		p->perfmap = perfmap_open(p->pid, jitdump_of(p));
		p->perfmap_tried = true;
	}
	if (!p->perfmap)
		return false;
	name = perfmap_lookup(p->perfmap, address, &out->offset);
	if (!name && perfmap_refresh(p->perfmap))
		name = perfmap_lookup(p->perfmap, address, &out->offset);
	out->name = name ? show_name(u, name) : NULL;
	return name;
}

/* The mapping at that time. The maps may have been read after it was gone but before its event
 * arrived. */
static const struct mapping *find_mapping_then(const struct proc *p, u64 address, u64 time)
{
	const struct mapping *m = past_maps_at(&p->past, address, time);

	return m || !p->have_maps || p->read_ns <= time ? m :
							  procmaps_find(&p->from_events, address);
}

/* Libraries may be loaded during the run: the maps are read again, but not for every unknown
 * address. A time before the process existed is that of an equal stack of another one. */
static const struct mapping *find_mapping(struct usyms *u, struct proc *p, u64 address, u64 time)
{
	const struct mapping *m = time > p->forked_ns ? find_mapping_then(p, address, time) : NULL;

	if (m)
		return m;
	m = p->have_maps ? procmaps_find(&p->maps, address) : NULL;
	if (!m && !u->recorded && clock_mono_ns() - p->read_ns >= RECHECK_MS * 100000ULL &&
	    read_maps(u, p))
		m = procmaps_find(&p->maps, address);
	m = m ? m : procmaps_find(&p->from_events, address);
	return m ? m : past_maps_last(&p->past, address);
}

bool usyms_is_code(struct usyms *u, u32 pid, u64 time, u64 address)
{
	struct proc *p = proc_of(u, pid);
	const struct mapping *m = find_mapping(u, p, address, time);

	return m ? m->exec : !p->have_maps && !p->from_events.list.n;
}

bool usyms_resolve(struct usyms *u, u32 pid, u64 time, u64 address, struct usym *out)
{
	struct proc *p = proc_of(u, pid);
	const struct mapping *m = find_mapping(u, p, address, time);
	struct elf *e;
	u64 file_address;

	memset(out, 0, sizeof *out);
	if (!m)
		return false;
	out->path = *m->path ? m->path : NULL;
	out->file_offset = out->offset = address - m->start + m->offset;
	if (streq(m->path, "[vdso]")) {
		e = vdso(u, pid, m);
		return e && from_elf(u, e, address - m->start + elf_load_address(e), out);
	}
	if (!is_file(m))
		return from_perfmap(u, p, address, out);
	e = file_of(u, pid, m)->elf;
	return e && elf_offset_to_address(e, out->file_offset, &file_address) &&
	       from_elf(u, e, file_address, out);
}

/* ---- source lines */

static void close_dwarf(struct file *f)
{
	dwarf_close(f->dwarf);
	f->dwarf = NULL;
}

static struct dwarf *dwarf_of_file(struct file *f)
{
	struct err err = { 0 };

	if (f->dwarf && dwarf_memory(f->dwarf) > DWARF_MOST_BYTES) {
		close_dwarf(f);
		f->dwarf_tried = false;
	}
	if (!f->dwarf_tried && f->elf)
		f->dwarf = dwarf_open(f->elf, &err);
	f->dwarf_tried = true;
	err_release(&err);
	return f->dwarf;
}

static const char *show_name_of(void *ctx, const char *name)
{
	return show_name(ctx, name);
}

bool usyms_source(struct usyms *u, const struct code_at *at, u32 depth, struct usource *out)
{
	const struct mapping *m = find_mapping(u, proc_of(u, at->pid), at->address, at->time);
	struct file *f = m && is_file(m) ? file_of(u, at->pid, m) : NULL;
	const struct place_list *list;
	u64 pc;

	if (!f || !f->elf ||
	    !elf_offset_to_address(f->elf, at->address - m->start + m->offset, &pc))
		return false;
	pc -= at->is_return;
	list = places_find(u->places, f->number, pc);
	if (!list)
		list = places_add(u->places, f->number, pc, dwarf_of_file(f), show_name_of, u);
	if (depth >= list->n)
		return false;
	*out = list->at[depth];
	return true;
}

/* ---- creation and release */

void usyms_demangle(struct usyms *u, bool on)
{
	u->demangle = on;
}

struct usyms *usyms_new(void)
{
	struct usyms *u = xcalloc(1, sizeof *u);

	u->demangle = true;
	u->places = places_new();
	return u;
}

struct usyms *usyms_new_recorded(void)
{
	struct usyms *u = usyms_new();

	u->recorded = true;
	return u;
}

const u8 *usyms_vdso_build_id(struct usyms *u, u32 *len)
{
	const struct elf *e = own_vdso(u);

	*len = 0;
	return e ? elf_build_id(e, len) : NULL;
}

void usyms_free(struct usyms *u)
{
	if (!u)
		return;
	for (u32 i = 0; i < u->procs.cap; i++)
		if (u->procs.slot[i].key)
			free_proc(u->procs.slot[i].value);
	for (u32 i = 0; i < u->files.cap; i++)
		if (u->files.slot[i].key)
			free_file(u->files.slot[i].value);
	for (u32 i = 0; i < DEMANGLED; i++) {
		free(u->demangled[i].from);
		free(u->demangled[i].to);
	}
	places_free(u->places);
	hash_release(&u->procs);
	hash_release(&u->files);
	elf_close(u->vdso);
	elf_close(u->vdso32);
	free(u->vdso32_bytes);
	free(u);
}
