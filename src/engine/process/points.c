/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings of include/sonde/sonde.h, made as sonde_map_() makes them. Threads that were stopped within
 * a record restart it (rseq(2)), so rings of an earlier run can be replaced at their address.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "base/fd.h"
#include "engine/process/area.h"
#include "engine/process/internal.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum {
	MOST_RINGS = 8192,
	MOST_BYTES = 1 << 30,
	PAGE = 4096,
	SCRATCH = 64 /* after struct sonde_page */
};

static u64 bytes_of(const struct point_rings *r)
{
	return (u64)r->n_rings * (SONDE_RING_HEADER + (u64)r->ring_size);
}

/* The process is not trusted. */
static bool is_mapped(const struct sonde_module *m)
{
	return m->page && m->state == SONDE_MAPPED && m->n_rings && m->n_rings <= MOST_RINGS &&
	       m->ring_size && !(m->ring_size & (m->ring_size - 1)) &&
	       (u64)m->n_rings * m->ring_size <= MOST_BYTES;
}

static s64 make_page(struct injector *in)
{
	s64 at = inject_call(in, SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, ~0ull);
	s64 ret = at < 0 ? at : inject_call(in, SYS_madvise, (u64)at, PAGE, MADV_WIPEONFORK);

	return ret < 0 ? ret : at;
}

/* Their address in the process, or -errno. */
static s64 map_rings(struct point_rings *r, struct injector *in, u64 page, u64 old)
{
	struct area_file f = { .name = "sonde-rings",
			       .scratch = page + SCRATCH,
			       .size = bytes_of(r),
			       .at = old,
			       .prot = PROT_READ | PROT_WRITE,
			       .flags = MAP_SHARED | (old ? MAP_FIXED : 0) };
	s64 at = area_map_file(in, &f, &r->fd);
	s64 ret = at < 0 ? at : inject_call(in, SYS_madvise, (u64)at, bytes_of(r), MADV_DONTFORK);

	return ret < 0 ? ret : at;
}

static int map(struct point_rings *r, struct sonde_module *m, struct injector *in)
{
	struct sonde_page page = { 0 };
	s64 at = m->page ? (s64)(uintptr_t)m->page : make_page(in), rings;
	bool again = is_mapped(m) && process_read(in->pid, (u64)at, &page, sizeof page);

	if (at < 0)
		return (int)at;
	if (again) {
		r->n_rings = m->n_rings;
		r->ring_size = m->ring_size;
	}
	rings = map_rings(r, in, (u64)at, again ? (u64)(uintptr_t)page.rings : 0);
	if (rings < 0)
		return (int)rings;
	page.rings = (char *)(uintptr_t)rings;
	page.owner = (unsigned)inject_call(in, SYS_getpid);
	m->page = (struct sonde_page *)(uintptr_t)at;
	m->n_rings = r->n_rings;
	m->ring_size = r->ring_size;
	m->state = SONDE_MAPPED;
	return process_write(in->pid, (u64)at, &page, sizeof page) &&
			       process_write(in->pid, r->module, m,
					     offsetof(struct sonde_module, lost)) ?
		       0 :
		       -EFAULT;
}

static int map_module(struct point_rings *r, struct injector *in, u32 pid, struct err *err)
{
	struct sonde_module m;
	int ret;

	if (!process_read(pid, r->module, &m, sizeof m))
		return err_sys(err, "read the tracepoints' data");
	if (m.version != SONDE_VERSION)
		return err_set(err, -EPROTO,
			       "its tracepoints use version %u of sonde.h, this sonde uses %u",
			       m.version, SONDE_VERSION);
	if (m.state == SONDE_MAPPING)
		return err_set(err, -EAGAIN, "a thread of process %u is mapping rings: try again",
			       pid);
	ret = map(r, &m, in);
	errno = -ret;
	return ret < 0 ? err_sys(err, "map rings in process %u", pid) : 0;
}

int points_map(struct point_rings *v, u32 n, const struct stopped *s, struct err *err)
{
	struct injector in;
	u32 runs = 0;
	int ret = 0;

	if (!n)
		return 0;
	while (runs < s->n && s->v[runs].is_gone)
		runs++;
	if (runs == s->n)
		return err_set(err, -ESRCH, "process %u has ended", s->pid);
	if (inject_begin(&in, s->pid, s->v[runs].tid, err) < 0)
		return err->code;
	for (u32 i = 0; i < n && ret >= 0; i++)
		ret = map_module(&v[i], &in, s->pid, err);
	inject_end(&in);
	return ret;
}

static bool is_listed(const struct patched *p, u64 module)
{
	for (u32 i = 0; i < p->n_points; i++)
		if (p->points[i].module == module)
			return true;
	return false;
}

void points_list(struct patched *p, const struct rings *have, u32 n_rings, u32 ring_size)
{
	for (u32 i = 0; i < p->n; i++) {
		u64 module = p->v[i].module;

		if (module && !rings_have(have, module) && !is_listed(p, module))
			p->points[p->n_points++] = (struct point_rings){ .module = module,
									 .n_rings = n_rings,
									 .ring_size = ring_size,
									 .fd = -1 };
	}
}

int points_add(const struct patched *p, struct rings *to, int ret, struct err *err)
{
	for (u32 i = 0; i < p->n_points; i++) {
		if (ret >= 0)
			ret = rings_add_points(to, &p->points[i], err);
		fd_close(&p->points[i].fd);
	}
	return ret;
}
