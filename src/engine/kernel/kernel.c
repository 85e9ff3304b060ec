/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel engine's object: opening, the list of what it owns, small questions about it.
 * Nothing is pinned and nothing is written to tracefs, so the kernel cleans up after any kind
 * of death.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/fd.h"
#include "engine/kernel/internal.h"
#include "sym/btf.h"

/* Before 5.11 maps and programs count against the limit of locked memory. Where the limit cannot be
 * raised it usually is not needed either: only a later EPERM or ENOMEM names it. */
bool raise_memlock(void)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	static int raised;

	if (!raised)
		raised = setrlimit(RLIMIT_MEMLOCK, &unlimited) == 0 ? 1 : -1;
	return raised > 0;
}

static void grow_loaded(struct kernel *k)
{
	u32 n = k->prog->funcs.n;
	struct loaded *grown = arena_array(&k->arena, struct loaded, n + 1);

	if (k->n_loaded)
		memcpy(grown, k->loaded, k->n_loaded * sizeof(*grown));
	for (u32 i = k->n_loaded; i < n; i++) {
		grown[i].fd = grown[i].alt_fd = grown[i].session_fd = -1;
		grown[i].type = k->prog->funcs.v[i]->attach_type;
	}
	k->loaded = grown;
	k->n_loaded = n;
}

int kernel_extend(struct kernel *k, u32 data_from)
{
	const struct program *p = k->prog;

	if (p->data_size > k->gate_off)
		return -E2BIG;
	if (p->data_init_len > data_from)
		memcpy(k->data + data_from, p->data + data_from, p->data_init_len - data_from);
	grow_loaded(k);
	return 0;
}

struct kernel *kernel_open(struct program *prog, const struct engine_options *o)
{
	struct kernel *k = xcalloc(1, sizeof(*k));

	k->prog = prog;
	k->o = *o;
	arena_init(&k->arena);
	k->features = kernel_features();
	k->btf = o->btf;
	k->data_fd = -1;
	k->ring.fd = -1;
	k->map_fd = arena_array(&k->arena, int, prog->maps.n + 1);
	for (u32 i = 0; i < prog->maps.n; i++)
		k->map_fd[i] = -1;
	grow_loaded(k);
	raise_memlock();
	return k;
}

void kernel_keep(struct kernel *k, int fd, bool slow)
{
	vec_push(&k->arena, &k->kept, (struct kept){ fd, slow });
}

int kernel_note(struct kernel *k, u32 func, u32 n_sites, const char *fmt, ...)
{
	struct attachment a = { .func = func, .n_sites = n_sites };
	va_list ap;

	va_start(ap, fmt);
	a.how = arena_vprintf(&k->arena, fmt, ap);
	va_end(ap);
	vec_push(&k->arena, &k->attached, a);
	return 0;
}

/* Only when it is needed: a command started with -c inherits the limit. */
void kernel_want_files(struct kernel *k, u32 more)
{
	struct rlimit r, raised;
	u64 need = (u64)k->kept.n + k->prog->funcs.n + more +
		   64; /* attachments, programs, maps and what else is open */

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur >= need)
		return;
	raised = (struct rlimit){ .rlim_cur = need, .rlim_max = MAX(need, r.rlim_max) };
	if (setrlimit(RLIMIT_NOFILE, &raised) ==
	    0) /* beyond the hard limit with CAP_SYS_RESOURCE */
		return;
	r.rlim_cur = MIN(r.rlim_max, need);
	setrlimit(RLIMIT_NOFILE, &r); /* too little shows as EMFILE later */
}

struct btf *kernel_btf(struct kernel *k, struct err *err)
{
	if (!k->btf) {
		k->btf = btf_open(&k->arena, NULL, err);
		k->own_btf = k->btf;
	}
	return k->btf;
}

const char *kernel_how(const struct kernel *k, u32 attachment)
{
	return attachment < k->attached.n ? k->attached.v[attachment].how : NULL;
}

u32 kernel_n_attached(const struct kernel *k)
{
	return k->attached.n;
}

u64 kernel_followed(struct kernel *k, u32 func)
{
	u64 n = 0;

	return k->loaded[func].fd >= 0 && bpf_prog_followed(k->loaded[func].fd, &n) == 0 ? n : 0;
}

u64 kernel_recursion_misses(struct kernel *k, u32 func)
{
	const struct loaded *l = &k->loaded[func];
	const int fds[] = { l->fd, l->alt_fd, l->session_fd };
	u64 sum = 0;

	for (u32 i = 0; i < ARRAY_SIZE(fds); i++) {
		u64 n;

		if (fds[i] >= 0 && bpf_prog_recursion_misses(fds[i], &n) == 0)
			sum += n;
	}
	return sum;
}

void kernel_detach_all(struct kernel *k)
{
	u32 *gate = data_gate(k);

	if (gate)
		__atomic_store_n(gate, 0, __ATOMIC_SEQ_CST);
	release_fast(k);
}

static void close_programs(struct kernel *k)
{
	for (u32 i = 0; i < k->n_loaded; i++) {
		fd_close(&k->loaded[i].fd);
		fd_close(&k->loaded[i].alt_fd);
		fd_close(&k->loaded[i].session_fd);
	}
}

struct leaving kernel_close(struct kernel *k)
{
	struct leaving leaving = {};

	if (!k)
		return leaving;
	kernel_detach_all(k);
	map_watch_close(k->map_watch);
	ring_unmap(k);
	data_release(k);
	close_programs(k);
	for (u32 i = 0; i < k->prog->maps.n; i++)
		if (k->map_fd[i] >= 0)
			close(k->map_fd[i]);
	release_all(k, k->o.wait_detach, &leaving);
	if (k->turn_fd > 0)
		close(k->turn_fd);
	if (k->attach_fd > 0)
		close(k->attach_fd);
	kernel_features_save(k->features);
	if (k->own_btf)
		btf_close(k->btf);
	arena_release(&k->arena);
	free(k);
	return leaving;
}
