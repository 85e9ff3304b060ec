/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel engine's object: opening and closing, small questions about it. Nothing is pinned and
 * nothing is written to tracefs, so the kernel cleans up however the process ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/fd.h"
#include "engine/kernel/internal.h"
#include "sym/btf.h"

static void grow_loaded(struct kernel *k)
{
	u32 n = k->prog->funcs.n;
	struct loaded *grown = arena_array(&k->arena, struct loaded, n + 1);

	if (k->n_loaded)
		memcpy(grown, k->loaded, k->n_loaded * sizeof *grown);
	for (u32 i = k->n_loaded; i < n; i++) {
		grown[i].fd = grown[i].alt_fd = grown[i].session_fd = -1;
		grown[i].type = k->prog->funcs.v[i]->load.attach_type;
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
	struct kernel *k = xcalloc(1, sizeof *k);

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
	struct leaving leaving = { 0 };

	if (!k)
		return leaving;
	kernel_detach_all(k);
	ahead_end(k);
	map_watch_close(k->map_watch);
	ring_unmap(k);
	data_release(k);
	close_programs(k);
	movers_release(k);
	for (u32 i = 0; i < k->prog->maps.n; i++)
		if (k->map_fd[i] >= 0)
			close(k->map_fd[i]);
	release_all(k, k->o.wait_detach, &leaving);
	if (k->turn_fd > 0)
		close(k->turn_fd);
	if (k->btf_of.fd > 0)
		close(k->btf_of.fd);
	kernel_features_save(k->features);
	if (k->own_btf)
		btf_close(k->btf);
	arena_release(&k->arena);
	free(k);
	return leaving;
}
