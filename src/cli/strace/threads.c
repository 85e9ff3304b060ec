/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traced threads, by ID: the state of each, and whether any is left. */
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/clock.h"
#include "cli/strace/strace.h"
#include "trace/value.h"
#include "type/call.h"

struct strace_thread *strace_thread_of(struct strace *st, u32 tid, u32 pid)
{
	struct strace_thread *th = hash_get(&st->threads, &tid, sizeof tid);

	if (!th) {
		th = xcalloc(1, sizeof *th);
		th->tid = tid;
		th->fd = -1;
		hash_put(&st->threads, &th->tid, sizeof th->tid, th);
	}
	if (!th->lives) {
		th->pid = pid;
		th->lives = true;
		st->n_live++;
	}
	return th;
}

static void forget(struct strace_thread *th)
{
	strace_forget_files(&th->call_files);
	strace_forget_files(&th->next_files);
	strace_forget_files(&th->files);
	free(th->more.v);
	buf_release(&th->more.bytes);
	th->more = (struct call_more){ 0 };
}

/* The entry remains: the ID may be reused. */
void strace_thread_ends(struct strace *st, struct strace_thread *th)
{
	if (st->current == th)
		st->current = NULL;
	th->call = NULL;
	th->lives = th->is_open = th->is_ending = th->is_missing = false;
	th->last_signal = 0;
	th->is_detached = false;
	*th->comm = '\0';
	forget(th);
	st->n_live--;
}

void strace_add_process(struct strace *st, u32 pid)
{
	bool is_i386 = strace_is_i386(pid);
	char path[64];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			strace_thread_of(st, (u32)strtoul(e->d_name, NULL, 10), pid)->is_i386 =
				is_i386;
	if (dir)
		closedir(dir);
}

struct strace_thread *strace_next_thread(const struct strace *st, u32 *i)
{
	while (*i < st->threads.cap) {
		const struct hash_slot *slot = &st->threads.slot[(*i)++];
		struct strace_thread *th = slot->key ? slot->value : NULL;

		if (th && th->lives)
			return th;
	}
	return NULL;
}

/* The call in which a thread is already. Its return, if it is in the ring, comes first. */
void strace_look_in_call(struct strace *st, struct strace_thread *th)
{
	static const struct type args = { .kind = TY_CALL, .size = CALL_USED };
	struct strace_call *call;
	u32 nr;

	if (!strace_in_call(th->pid, th->tid, st->s->names->prog, &nr, &th->args) ||
	    !strace_has_call(&st->o, nr))
		return;
	call = arena_new(&st->c->line.arena, struct strace_call);
	call->name = syscall_name(nr);
	strace_describe(call);
	th->call = call;
	th->args_type = &args;
	th->begun_ns = clock_boot_ns();
	th->was_in_call = true;
}

/* An end may have been lost. */
void strace_look_for_ends(struct strace *st)
{
	struct strace_thread *th;
	char path[32];
	u32 i = 0;

	if (!st->n_live && st->none_lived)
		st->n_expected = 0;
	st->none_lived = !st->n_live;
	while ((th = strace_next_thread(st, &i))) {
		snprintf(path, sizeof path, "/proc/%u", th->tid);
		if (access(path, F_OK) < 0)
			th->is_missing ? strace_thread_ends(st, th) : (void)(th->is_missing = true);
	}
}

void strace_release(struct strace *st)
{
	for (u32 i = 0; i < st->threads.cap; i++) {
		struct strace_thread *th = st->threads.slot[i].key ? st->threads.slot[i].value :
								     NULL;

		if (!th)
			continue;
		if (th->fd >= 0)
			close(th->fd);
		buf_release(&th->args);
		buf_release(&th->held);
		buf_release(&th->out);
		forget(th);
		free(th);
	}
	hash_release(&st->threads);
	hash_release(&st->sockets);
	buf_release(&st->line);
	buf_release(&st->entry_args);
	buf_release(&st->args);
	buf_release(&st->joined);
	buf_release(&st->comm);
	free(st->o.paths);
	free(st->sites);
}
