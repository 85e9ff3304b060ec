/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "cli/record_start.h"
#include "sym/boot_id.h"
#include "sym/procs.h"
#include "sym/tracefs.h"

static void add_text(struct record_start *s, const char *name, const char *bytes, size_t len)
{
	s->texts[s->plan.n_texts++] = (struct recorded_text){ name, bytes, len };
}

/* One that cannot be read is left out. */
static void add_file(struct record_start *s, const char *name, const char *path)
{
	struct buf *b = &s->file[s->n_files++];

	if (!buf_read_file(b, path) && b->len)
		add_text(s, name, b->s, b->len);
}

/* Properties of the kernel that exports need. */
static void add_tracefs(struct record_start *s)
{
	struct err err = { 0 };
	const char *root = tracefs_path(&err);
	struct arena *a = &s->c->line.arena;

	err_release(&err);
	if (!root)
		return;
	add_file(s, "printk_formats", arena_printf(a, "%s/printk_formats", root));
}

/* ---- threads that are there already */

/* After the name in parentheses, which may contain anything: " S PPID ". */
static bool read_stat(const char *text, struct task_row *row)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');

	if (!open || !close || close < open)
		return false;
	memcpy(row->comm, open + 1, MIN((size_t)(close - open - 1), sizeof row->comm - 1));
	row->ppid = close[1] && close[2] && close[3] ? (u32)strtoul(close + 4, NULL, 10) : 0;
	return true;
}

static int add_thread(void *ctx, u32 tid)
{
	struct record_start *s = ctx;
	struct task_row row = { .tid = tid, .pid = s->pid };
	struct buf b = { 0 };

	if (!buf_read_file(&b,
			   arena_printf(&s->c->line.arena, "/proc/%u/task/%u/stat", s->pid, tid)) &&
	    b.s && read_stat(b.s, &row))
		vec_push(&s->c->line.arena, &s->tasks, row);
	buf_release(&b);
	return 0;
}

static int add_process(void *ctx, u32 pid)
{
	struct record_start *s = ctx;

	s->pid = pid;
	return proc_each_thread(pid, add_thread, s);
}

static void add_tasks(struct record_start *s)
{
	const struct traced *t = &s->c->request.traced;

	if (s->c->select.all)
		proc_each(add_process, s);
	for (u32 i = 0; i < t->n_pids; i++)
		add_process(s, t->pids[i]);
	s->plan.tasks = s->tasks.v;
	s->plan.n_tasks = s->tasks.n;
}

void record_start_make(struct record_start *s, struct cli *c)
{
	struct file_head *h = &s->plan.head;
	const char *uname_text;

	s->c = c;
	s->plan.texts = s->texts;
	h->page_size = (u32)sysconf(_SC_PAGESIZE);
	h->n_cpus = (u32)sysconf(_SC_NPROCESSORS_CONF);
	h->recorder_pid = (u32)getpid();
	h->start_ns = clock_boot_ns();
	h->to_real = clock_boot_to_real_ns();
	h->scope = !c->select.all;
	boot_id_read(h->boot_id);
	uname(&s->uname);
	uname_text = arena_printf(&c->line.arena, "%s\n%s\n%s\n%s\n%s\n", s->uname.sysname,
				  s->uname.nodename, s->uname.release, s->uname.version,
				  s->uname.machine);
	add_text(s, "uname", uname_text, strlen(uname_text));
	if (c->request.traced.command)
		add_text(s, "command", c->request.traced.command,
			 strlen(c->request.traced.command));
	if (c->request.noting) /* its maps can be shown: sonde view */
		add_text(s, "program", c->request.script.text, c->request.script.len);
	add_tracefs(s);
	add_tasks(s);
}

void record_start_release(struct record_start *s)
{
	for (u32 i = 0; i < s->n_files; i++)
		buf_release(&s->file[i]);
}

/* ---- the file */

int record_keep_old(struct cli *c, const char *path)
{
	const char *old = arena_printf(&c->line.arena, "%s.old", path);
	struct stat st;

	if (lstat(path, &st) < 0 || !(S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && st.st_size)))
		return 0;
	if (rename(path, old) == 0) {
		vec_push(&c->line.arena, &c->output.moved, path);
		return 0;
	}
	say(c, "keep the old %s as %s: %s", path, old, strerror(errno));
	return STATUS_REFUSED;
}

int record_make_file(struct cli *c)
{
	int fd;

	if (record_keep_old(c, c->output.file))
		return STATUS_REFUSED;
	fd = open(c->output.file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		say(c, "create %s: %s", c->output.file, strerror(errno));
		return STATUS_REFUSED;
	}
	close(fd);
	return 0;
}

void record_drop_empty(struct cli *c)
{
	struct stat st;

	if (lstat(c->output.file, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size ||
	    unlink(c->output.file) < 0)
		return;
	for (u32 i = 0; i < c->output.moved.n; i++) {
		const char *path = c->output.moved.v[i];

		rename(arena_printf(&c->line.arena, "%s.old", path), path);
	}
}

static u64 size_of(const char *path, u64 otherwise)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (u64)st.st_size : otherwise;
}

void record_tell(const struct cli *c, const struct recording *r, const char *path)
{
	if (c->output.quiet)
		return;
	if (c->own.record.overwrite)
		say(c, "%llu events, the last of which are in %s", (unsigned long long)r->n_events,
		    path);
	else
		say(c, "%llu event%s in %s, %llu KB%s", (unsigned long long)r->n_events,
		    r->n_events == 1 ? "" : "s", path,
		    (unsigned long long)(size_of(path, r->bytes) + 1023) / 1024,
		    r->n_lost ? " (some were lost)" : "");
}
