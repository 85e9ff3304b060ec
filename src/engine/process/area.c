/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/fd.h"
#include "engine/process/area.h"
#include "engine/process/internal.h"
#include "sym/procmaps.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#endif

enum {
	SEAL_ALL = 1 | 2 | 4 | 8, /* F_SEAL_SEAL, SHRINK, GROW, WRITE */
	SEAL_SIZE = 1 | 2 | 4,
	MFD_FLAGS = 1 | 2, /* MFD_CLOEXEC, MFD_ALLOW_SEALING */
	MFD_NOEXEC = 8,    /* MFD_NOEXEC_SEAL, since 6.3: the file, not its mappings */
};

static const char code_name[] = "sonde-code", rings_name[] = "sonde-rings";

u64 area_head_size(u32 n_patches)
{
	u64 size = sizeof(struct area_head) + n_patches * sizeof(struct area_patch);

	return (size + 63) & ~63ull;
}

/* ---- an address range */

enum { LOWEST = 0x10000, GUARD = 1 << 20 };
#define REACH 0x7ff00000ull /* of a 32-bit distance */

struct place {
	u64 from, to; /* allowed range */
	u64 size, at; /* at: 0: none yet */
};

/* The highest part of a gap that fits; the heap and stacks grow into the ends of gaps. */
static void try_gap(struct place *p, u64 low, u64 high)
{
	u64 guard = high - low > p->size + 2ull * GUARD ? GUARD : 0;

	low = MAX(low + guard, p->from);
	high = MIN(high - guard, p->to);
	if (high > low && high - low >= p->size)
		p->at = (high - p->size) & ~(u64)(AREA_PAGE - 1);
	if (p->at < low)
		p->at = 0;
}

/* Searches below the functions, as near as possible; then above. */
static u64 find_place(u32 pid, u64 low, u64 high, u64 size, struct err *err)
{
	struct place p = { .from = high > REACH ? high - REACH : LOWEST,
			   .to = low + REACH,
			   .size = size };
	struct procmaps maps = { 0 };
	u64 end = LOWEST;

	if (procmaps_read(&maps, pid, err) < 0)
		return 0;
	for (u32 i = 0; i < maps.list.n; i++) {
		const struct mapping *m = &maps.list.v[i];
		u64 before = p.at;

		if (m->start > end && (m->start <= low || !p.at))
			try_gap(&p, end, m->start);
		if (!p.at)
			p.at = before;
		end = m->end;
	}
	procmaps_release(&maps);
	if (!p.at)
		err_set(err, -ENOMEM,
			"process %u has no free addresses within 2 GB of its functions", pid);
	return p.at;
}

/* ---- mapping */

/* Creates the file in the process. Returns this process's descriptor of it, or -errno. */
static int make_file(struct injector *in, const struct area_file *f, s64 *theirs)
{
	char path[64];
	int fd;

	if (!process_write(in->pid, f->scratch, f->name, strlen(f->name) + 1))
		return -EFAULT;
	*theirs = inject_call(in, SYS_memfd_create, f->scratch, MFD_FLAGS | MFD_NOEXEC);
	if (*theirs == -EINVAL)
		*theirs = inject_call(in, SYS_memfd_create, f->scratch, MFD_FLAGS);
	if (*theirs < 0)
		return (int)*theirs;
	snprintf(path, sizeof path, "/proc/%d/fd/%lld", in->tid, (long long)*theirs);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)f->size) < 0) {
		int ret = -errno;

		if (fd >= 0)
			close(fd);
		return ret;
	}
	return fd;
}

s64 area_map_file(struct injector *in, const struct area_file *f, int *fd)
{
	s64 theirs = -1, to;

	*fd = make_file(in, f, &theirs);
	to = *fd < 0 ? *fd :
		       inject_call(in, SYS_mmap, f->at, f->size, (u64)f->prot, (u64)f->flags,
				   (u64)theirs);
	if (theirs >= 0)
		inject_call(in, SYS_close, (u64)theirs);
	return to;
}

static int map_rings(struct area *a, struct injector *in)
{
	struct area_file f = { .name = rings_name,
			       .scratch = a->control,
			       .size = a->rings_size,
			       .prot = PROT_READ | PROT_WRITE,
			       .flags = MAP_SHARED };
	s64 at = area_map_file(in, &f, &a->rings_fd);

	if (at < 0)
		return (int)at;
	a->rings = (u64)at;
	fcntl(a->rings_fd, F_ADD_SEALS, SEAL_SIZE);
	if (a->in_children)
		return 0;
	return (int)inject_call(in, SYS_madvise, a->rings, a->rings_size, MADV_DONTFORK);
}

static int map_code(struct area *a, struct injector *in)
{
	struct area_file f = { .name = code_name,
			       .scratch = a->control,
			       .size = a->code_size,
			       .at = a->code,
			       .prot = PROT_READ | PROT_EXEC,
			       .flags = MAP_PRIVATE | MAP_FIXED_NOREPLACE };
	s64 at = area_map_file(in, &f, &a->code_fd);

	if (at >= 0 && (u64)at != a->code) { /* before 4.17 the flag is not known */
		inject_call(in, SYS_munmap, (u64)at, a->code_size);
		return -EEXIST;
	}
	return at < 0 ? (int)at : 0;
}

static int map_control(struct area *a, struct injector *in)
{
	s64 at = inject_call(in, SYS_mmap, a->control, AREA_PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, ~0ull);

	if (at < 0)
		return (int)at;
	if ((u64)at != a->control) {
		inject_call(in, SYS_munmap, (u64)at, AREA_PAGE);
		return -EEXIST;
	}
	if (a->in_children)
		return 0;
	return (int)inject_call(in, SYS_madvise, a->control, AREA_PAGE, MADV_WIPEONFORK);
}

void area_put_head(struct area_head *h, const struct area *a)
{
	*h = (struct area_head){ .magic = AREA_MAGIC,
				 .version = AREA_VERSION,
				 .code_size = a->code_size,
				 .control = a->control,
				 .rings = a->rings,
				 .rings_size = a->rings_size,
				 .id = a->id };
}

static u32 run_id(void)
{
	static u32 id;

	if (!id && getrandom(&id, sizeof id, GRND_NONBLOCK) < 0)
		id = (u32)getpid();
	return id;
}

/* So that a later run finds the area of a sonde that was killed before area_fill(). */
static int put_head(const struct area *a)
{
	struct area_head h;

	area_put_head(&h, a);
	return pwrite(a->code_fd, &h, sizeof h, 0) == (ssize_t)sizeof h ? 0 : -EIO;
}

int area_map(struct area *a, struct injector *in, u64 low, u64 high, struct err *err)
{
	static const u8 zeros[16];
	int ret;

	*a = (struct area){ .code_size = (a->code_size + AREA_PAGE - 1) & ~(u64)(AREA_PAGE - 1),
			    .rings_size = a->rings_size,
			    .id = run_id(),
			    .in_children = a->in_children,
			    .code_fd = -1,
			    .rings_fd = -1 };
	a->control = find_place(in->pid, low, high, AREA_PAGE + a->code_size, err);
	if (!a->control)
		return err->code;
	a->code = a->control + AREA_PAGE;
	ret = map_control(a, in);
	if (ret >= 0)
		ret = map_code(a, in);
	if (ret >= 0 && a->rings_size)
		ret = map_rings(a, in);
	if (ret >= 0)
		ret = put_head(a);
	process_write(in->pid, a->control, zeros, sizeof zeros);
	if (ret >= 0)
		return 0;
	area_unmap(a, in);
	errno = -ret;
	return err_sys(err, "map memory in process %u", in->pid);
}

/* While the kernel itself holds a page for a moment, as to move it, it refuses: EBUSY. */
static bool seal(int fd)
{
	enum { TRIES = 20, STEP_NS = 10000000 };
	int ret = fcntl(fd, F_ADD_SEALS, SEAL_ALL);

	for (u32 i = 1; i < TRIES && ret < 0 && errno == EBUSY; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = STEP_NS }, NULL);
		ret = fcntl(fd, F_ADD_SEALS, SEAL_ALL);
	}
	return ret >= 0;
}

int area_fill(struct area *a, const void *code, u64 size, struct err *err)
{
	if (pwrite(a->code_fd, code, size, 0) != (ssize_t)size || !seal(a->code_fd))
		return err_sys(err, "write the code of probes");
	return 0;
}

void area_unmap(const struct area *a, struct injector *in)
{
	inject_call(in, SYS_munmap, a->control, AREA_PAGE + a->code_size);
	if (a->rings)
		inject_call(in, SYS_munmap, a->rings, a->rings_size);
}

bool area_is_there(u32 pid, const struct area *a)
{
	struct area_head h;

	return process_read(pid, a->code, &h, sizeof h) && h.magic == AREA_MAGIC &&
	       h.control == a->control && h.id == a->id;
}

bool area_any_is_there(u32 pid, const struct area *v, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (area_is_there(pid, &v[i]))
			return true;
	return false;
}

void area_release(struct area *a)
{
	fd_close(&a->code_fd);
	fd_close(&a->rings_fd);
}

/* ---- those of an earlier run */

enum { MOST_PATCHES = 1 << 20 }; /* the process is not trusted */

static bool read_head(u32 pid, const struct mapping *m, struct area_head *h)
{
	u64 size = m->end - m->start;

	return process_read(pid, m->start, h, sizeof *h) && h->magic == AREA_MAGIC &&
	       h->version == AREA_VERSION && h->code_size == size &&
	       h->control + AREA_PAGE == m->start &&
	       h->n_patches <= MIN((size - sizeof *h) / sizeof h->patch[0], (u64)MOST_PATCHES);
}

/* A child of fork() has none, and something else may be mapped there. */
static bool has_rings(const struct procmaps *maps, const struct area_head *h)
{
	const struct mapping *m = procmaps_find(maps, h->rings);

	return h->rings && m && m->start == h->rings && m->end - m->start == h->rings_size &&
	       m->shared && strstr(m->path, "/memfd:sonde-rings");
}

static void add_patches(u32 pid, struct arena *a, struct areas *all, u64 code,
			const struct area_head *h)
{
	u64 size = h->n_patches * sizeof(struct area_patch);
	struct area_patch *v = xmalloc(size + 1);

	if (process_read(pid, code + sizeof *h, v, size))
		for (u32 i = 0; i < h->n_patches; i++) {
			struct patch p = { .at = v[i].at,
					   .to = v[i].to,
					   .displaced = v[i].displaced };

			memcpy(p.was, v[i].was, sizeof p.was);
			vec_push(a, &all->patches, p);
		}
	free(v);
}

int area_find_all(u32 pid, struct arena *a, struct areas *all, struct err *err)
{
	struct procmaps maps = { 0 };
	struct area_head h;

	if (procmaps_read(&maps, pid, err) < 0)
		return err->code;
	for (u32 i = 0; i < maps.list.n; i++) {
		const struct mapping *m = &maps.list.v[i];

		if (!m->exec || !strstr(m->path, "/memfd:sonde-code") || !read_head(pid, m, &h))
			continue;
		vec_push(a, &all->list,
			 (struct area){ .control = h.control,
					.code = m->start,
					.code_size = h.code_size,
					.rings = has_rings(&maps, &h) ? h.rings : 0,
					.rings_size = h.rings_size,
					.id = h.id,
					.code_fd = -1,
					.rings_fd = -1 });
		add_patches(pid, a, all, m->start, &h);
	}
	procmaps_release(&maps);
	return 0;
}
