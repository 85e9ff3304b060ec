/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that this engine has changed, for engines that put breakpoints into code. The kernel writes
 * one without looking at what is there; in a jump it would change the distance, and the instruction
 * that the kernel then executes is the file's.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "arch/insn_move.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "engine/process/area.h"
#include "engine/process/internal.h"
#include "sym/procmaps.h"
#include "sym/procs.h"

u64 find_mapped(const struct procmaps *maps, const char *path, u64 offset)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return 0;
	for (u32 i = 0; i < maps->list.n; i++) {
		const struct mapping *m = &maps->list.v[i];

		if (m->exec && m->inode == st.st_ino && m->dev_major == major(st.st_dev) &&
		    m->dev_minor == minor(st.st_dev) && offset >= m->offset &&
		    offset - m->offset < m->end - m->start)
			return m->start + (offset - m->offset);
	}
	return 0;
}

/* Runs of this engine bind the name of process_lock(). A script asks for each of its probes, and
 * servers have thousands of sockets: the answer is kept for a moment. */
static bool some_run_is_there(void)
{
	enum { FRESH_NS = 20000000 };
	static u64 asked_ns;
	static bool is;
	u64 now = clock_mono_ns();
	struct buf b = { 0 };

	if (asked_ns && now - asked_ns < FRESH_NS)
		return is;
	asked_ns = now;
	buf_read_file(&b, "/proc/net/unix");
	is = b.s && strstr(b.s, " @sonde-records-");
	buf_release(&b);
	return is;
}

struct search {
	const struct site *const *sites;
	u32 n;
	u32 *pids;
};

/* Tracepoints have jumps without an area, to their own cold paths. */
static bool is_point_enabled(u32 pid, const struct site *s, u64 at)
{
	enum { JMP = 0xe9 };
	u8 there, original = JMP;
	_fd int fd = -1;

	if (!process_read(pid, at, &there, 1) || there != JMP)
		return false;
	fd = open(s->user.path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && pread(fd, &original, 1, (off_t)s->user.offset) == 1 && original != JMP;
}

static bool is_displaced(const struct areas *all, u64 at)
{
	for (u32 i = 0; i < all->patches.n; i++)
		if (at - all->patches.v[i].at <
		    MAX((u32)all->patches.v[i].displaced, (u32)X86_JUMP_LEN))
			return true;
	return false;
}

static void look_in(struct search *f, u32 pid, const struct procmaps *maps, const struct areas *all)
{
	for (u32 i = 0; i < f->n; i++) {
		const struct site *s = f->sites[i];
		u64 at = !f->pids[i] && (s->pid <= 0 || (u32)s->pid == pid) ?
				 find_mapped(maps, s->user.path, s->user.offset) :
				 0;

		if (at && (is_displaced(all, at) || is_point_enabled(pid, s, at)))
			f->pids[i] = pid;
	}
}

static int look(void *ctx, u32 pid)
{
	struct procmaps maps = { 0 };
	struct areas all = { 0 };
	struct err err = { 0 };
	struct arena arena;

	arena_init(&arena);
	if (area_find_all(pid, &arena, &all, &err) >= 0 && procmaps_read(&maps, pid, &err) >= 0) {
		look_in(ctx, pid, &maps, &all);
		procmaps_release(&maps);
	}
	arena_release(&arena);
	err_release(&err);
	return 0;
}

/* The process of all sites; 0: not one alone. */
static u32 only_process(const struct site *const *sites, u32 n)
{
	s32 pid = n ? sites[0]->pid : 0;

	for (u32 i = 1; i < n; i++)
		if (sites[i]->pid != pid)
			return 0;
	return (u32)MAX(pid, 0);
}

/* Children of fork() have copies of the code, so any process may have it. */
void find_changed(const struct site *const *sites, u32 n, u32 *pids)
{
	struct search f = { sites, n, pids };
	u32 pid = only_process(sites, n);

	memset(pids, 0, n * sizeof *pids);
	if (pid)
		look(&f, pid);
	else if (some_run_is_there())
		proc_each(look, &f);
}
