/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls the action of each record. system() runs one command at a time; records that arrive during
 * the command are queued in order, so that a slow command does not stall the ring.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "base/fd.h"
#include "session/run.h"
#include "type/agg.h"

/* ---- what actions may do */

static int on_record(void *ctx, const void *record, u32 len);

/* Said, because nothing of the map is then shown or done. What is not there needs no word. */
static int told(struct run *r, u32 map, const char *what, int ret)
{
	if (ret < 0 && ret != -ENOENT)
		sink_warn(r->sink, arena_printf(&r->scratch, "cannot %s %s: %s", what,
						r->c.prog.maps.v[map].name, strerror(-ret)));
	return ret;
}

static int map_read(void *ctx, u32 map, struct table *t)
{
	struct run *r = ctx;

	return told(r, map, "read", engines_map_read(r, map, &r->scratch, t));
}

static int map_clear(void *ctx, u32 map)
{
	return told(ctx, map, "clear", engines_map_clear(ctx, map));
}

static int map_zero(void *ctx, u32 map)
{
	return told(ctx, map, "zero", engines_map_zero(ctx, map));
}

static int map_delete(void *ctx, u32 map, const void *key)
{
	return told(ctx, map, "delete a key of", engines_map_delete(ctx, map, key));
}

static void do_exit(void *ctx, int code)
{
	struct run *r = ctx;

	if (!r->exit_called)
		r->exit_code = code;
	r->exiting = r->exit_called = true;
}

static void warn_of_command(struct run *r, const char *command)
{
	sink_warn(r->sink, arena_printf(&r->scratch, "system(\"%s\") cannot be run: %s", command,
					strerror(errno)));
}

static void do_system(void *ctx, const char *command)
{
	struct run *r = ctx;
	int out[2];
	pid_t pid;

	sink_flush(r->sink);
	if (pipe2(out, O_CLOEXEC) < 0) {
		warn_of_command(r, command);
		return;
	}
	pid = fork();
	if (pid == 0) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (dup2(out[1], STDOUT_FILENO) < 0)
			_exit(127);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (pid < 0)
		warn_of_command(r, command);
	close(out[1]);
	if (pid < 0) {
		close(out[0]);
		return;
	}
	r->command.pid = pid;
	r->command.out = out[0];
}

static void settle_speculation(void *ctx, u32 number, bool commit)
{
	struct run *r = ctx;
	struct buf b = speculation_take(r, number);

	for (size_t at = 0; commit && at < b.len;) {
		struct record_head *h = (void *)(b.s + at + 8);
		u32 len;

		memcpy(&len, b.s + at, sizeof len);
		h->speculation = 0;
		on_record(r, h, len);
		at += 8 + ALIGN_UP(len, 8u);
	}
	buf_release(&b);
}

void actor_init(struct run *r)
{
	r->actor = (struct actor){
		.sink = r->sink,
		.names = &r->names,
		.prog = &r->c.prog,
		.scratch = &r->scratch,
		.ctx = r,
		.map_read = map_read,
		.map_clear = map_clear,
		.map_zero = map_zero,
		.map_delete = map_delete,
		.exit = do_exit,
		.speculation = settle_speculation,
		.system = do_system,
		.warnings = !r->request->no_warnings,
		.max_cat_bytes = (u32)r->c.env.config.max_cat_bytes,
	};
	r->loss_seen = xcalloc(r->c.prog.losses.n + 1, sizeof *r->loss_seen);
}

/* ---- records */

static void keep_for_later(struct run *r, const void *record, u32 len)
{
	u32 head[2] = { len, 0 };

	buf_add(&r->backlog, head, sizeof head);
	buf_add(&r->backlog, record, len);
	buf_pad(&r->backlog, 0, ALIGN_UP(len, 8u) - len);
}

static void act(struct run *r, const void *record, u32 len)
{
	const struct record_head *h = record;
	struct event_desc *e;

	if (len < sizeof *h || h->event >= r->c.prog.events.n)
		return;
	if (r->exit_called && !r->ending) /* what other events recorded before they were detached */
		return;
	e = r->c.prog.events.v[h->event];
	if (h->speculation && speculation_keep(r, h->speculation, record, len))
		return;
	e->action->act(&r->actor, e, record, len);
	if (r->scratch.used) {
		arena_release(&r->scratch);
		arena_init(&r->scratch);
	}
}

/* A run that is about to end need not be attached. */
static void see_end(struct run *r, const void *record, u32 len)
{
	const struct record_head *h = record;

	if (len >= sizeof *h && h->event < r->c.prog.events.n &&
	    r->c.prog.events.v[h->event]->action->ends_run)
		r->exiting = true;
}

static int on_record(void *ctx, const void *record, u32 len)
{
	struct run *r = ctx;

	if (r->holding)
		see_end(r, record, len);
	if (r->holding || r->command.out >= 0)
		keep_for_later(r, record, len);
	else
		act(r, record, len);
	return 0;
}

u32 records_drain(struct run *r)
{
	return (u32)engines_drain(r, on_record, r);
}

static void replay_backlog(struct run *r)
{
	struct buf b = r->backlog;
	size_t at = 0;

	r->backlog = (struct buf){ 0 };
	while (at < b.len) {
		u32 len;

		memcpy(&len, b.s + at, sizeof len);
		on_record(r, b.s + at + 8, len); /* a system() in it keeps the rest again */
		at += 8 + ALIGN_UP(len, 8u);
	}
	buf_release(&b);
}

void records_release(struct run *r)
{
	r->holding = false;
	replay_backlog(r);
}

/* ---- system() */

enum { COMMAND_TEXT_MAX = 1 << 20 };

/* The output of one command is one item; a very long one is shown in pieces. */
static void command_show(struct run *r)
{
	r->sink->output->text(r->sink, TEXT_SYSTEM, r->command.text.s ? r->command.text.s : "",
			      r->command.text.len);
	buf_clear(&r->command.text);
}

static void command_done(struct run *r)
{
	command_show(r);
	close(r->command.out);
	r->command.out = -1;
	waitpid(r->command.pid, NULL, 0);
	r->command.pid = 0;
	replay_backlog(r);
}

void command_read(struct run *r)
{
	char chunk[16384];
	ssize_t n = read(r->command.out, chunk, sizeof chunk);

	if (n > 0) {
		buf_add(&r->command.text, chunk, (size_t)n);
		if (r->command.text.len >= COMMAND_TEXT_MAX)
			command_show(r);
		return;
	}
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0)
		sink_warn(r->sink,
			  arena_printf(&r->scratch,
				       "the output of a command of system() cannot be read: %s",
				       strerror(errno)));
	command_done(r);
}

void command_wait(struct run *r)
{
	while (r->command.out >= 0) {
		command_read(r);
		records_drain(r);
	}
}

/* ---- the end */

void losses_more(struct run *r, u32 n)
{
	u32 now = r->c.prog.losses.n;

	r->loss_seen = xrealloc(r->loss_seen, (now + 1) * sizeof *r->loss_seen);
	if (now > n)
		memset(r->loss_seen + n, 0, (now - n) * sizeof *r->loss_seen);
}

void losses_report(struct run *r)
{
	for (u32 i = 0; i < r->c.prog.losses.n; i++) {
		struct loss *l = &r->c.prog.losses.v[i];
		u64 now = engines_count(r, l->data_off);

		if (now > r->loss_seen[i]) {
			r->sink->output->lost(r->sink, l, now - r->loss_seen[i]);
			r->loss_seen[i] = now;
		}
	}
}

void losses_forget(struct run *r)
{
	for (u32 i = 0; i < r->c.prog.losses.n; i++)
		r->loss_seen[i] = engines_count(r, r->c.prog.losses.v[i].data_off);
}

static int by_name(const void *a, const void *b)
{
	const struct map_desc *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void print_maps(struct run *r, u32 top, bool descending)
{
	const struct map_desc **order = xcalloc(r->c.prog.maps.n + 1, sizeof *order);
	u32 n = 0;

	for (u32 i = 0; i < r->c.prog.maps.n; i++)
		if (r->c.prog.maps.v[i].role == MAP_USER || r->c.prog.maps.v[i].role == MAP_GLOBAL)
			order[n++] = &r->c.prog.maps.v[i];
	qsort(order, n, sizeof *order, by_name);
	for (u32 i = 0; i < n; i++) {
		struct table t = { .map = order[i],
				   .div = order[i]->normal,
				   .top = top,
				   .descending = descending };

		if (map_read(r, (u32)(order[i] - r->c.prog.maps.v), &t) == 0) {
			table_sort(&t, &r->names);
			r->sink->output->table(r->sink, &t);
		}
		arena_release(&r->scratch);
		arena_init(&r->scratch);
	}
	free(order);
}

void maps_print(struct run *r)
{
	print_maps(r, 0, false);
}

void maps_print_top(struct run *r, u32 top)
{
	print_maps(r, top, true);
}

void maps_restart(struct run *r)
{
	for (u32 i = 0; i < r->c.prog.maps.n; i++) {
		const struct map_desc *m = &r->c.prog.maps.v[i];

		if ((m->role == MAP_USER || m->role == MAP_GLOBAL) && type_is_agg(m->value))
			map_clear(r, i);
	}
}
