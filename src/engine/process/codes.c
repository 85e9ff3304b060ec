/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions at entries, as their files have them. A process may have a breakpoint there, of
 * a uprobe or a debugger: an int3 in a copy of the instructions would end the process, because its
 * tracer does not know that address.
 */
#include <fcntl.h>
#include <time.h>
#include "arch/insn.h"
#include "arch/insn_move.h"
#include "base/fd.h"
#include "engine/process/internal.h"

enum { INT3 = 0xcc };

/* Entries of a batch are in few different files. */
struct code_file {
	const char *path;
	int fd;
};

static void read_original(struct code_file *f, struct entry *e)
{
	if (!f->path || strcmp(f->path, e->path)) {
		fd_close(&f->fd);
		f->path = e->path;
		f->fd = open(e->path, O_RDONLY | O_CLOEXEC);
	}
	memset(e->code, 0, sizeof e->code);
	if (f->fd < 0 || pread(f->fd, e->code, sizeof e->code, (off_t)e->offset) <= 0)
		e->why_not = "the file that has its code cannot be read";
}

/* How many bytes a jump displaces. */
static u32 n_displaced(const struct entry *e)
{
	struct x86_moved m;

	if (e->is_exit)
		return e->back + x86_insn_len(e->code + e->back, CODE_MAX - e->back);
	if (e->go_check)
		return e->go_check;
	return x86_move(e->code, CODE_MAX, e->at, e->at, &m) ? X86_JUMP_LEN : m.displaced;
}

/* The tracer that has changed the first n bytes, or NULL. */
static const char *changed_by(const struct entry *e, const u8 *there, u32 n)
{
	const char *who = NULL;

	for (u32 i = 0; i < n; i++)
		if (there[i] != e->code[i] && there[i] == INT3)
			return "a breakpoint of another tracer (a uprobe, a debugger) is there";
		else if (there[i] != e->code[i])
			who = "another tracer, or the process itself, has changed its code";
	return who;
}

static void read_one(u32 pid, struct code_file *f, struct entry *e)
{
	static const u8 nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	u8 there[CODE_MAX];

	e->why_not = NULL;
	if (e->point)
		memcpy(e->code, nop5, sizeof nop5);
	else
		read_original(f, e);
	if (e->why_not)
		return;
	if (!process_read(pid, e->at, there, sizeof there)) {
		e->why_not = "its code cannot be read";
		return;
	}
	if (e->old)
		memcpy(there, e->old->was, sizeof e->old->was);
	e->why_not = changed_by(e, there, e->point ? sizeof nop5 : n_displaced(e));
}

/* Reads those that were refused. Returns how many are. */
static u32 read_again(u32 pid, struct entry *v, u32 n)
{
	struct code_file file = { .fd = -1 };
	u32 refused = 0;

	for (u32 i = 0; i < n; i++) {
		if (v[i].why_not)
			read_one(pid, &file, &v[i]);
		refused += v[i].why_not != NULL;
	}
	fd_close(&file.fd);
	return refused;
}

/* The kernel may take breakpoints out after their tracer has ended. */
void codes_read(u32 pid, struct entry *v, u32 n)
{
	enum { TURNS = 40, STEP_NS = 5000000 };

	for (u32 i = 0; i < n; i++)
		v[i].why_not = "not read";
	for (u32 i = 0; read_again(pid, v, n) && i < TURNS; i++)
		nanosleep(&(struct timespec){ .tv_nsec = STEP_NS }, NULL);
}
