/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data map: one array element mapped into our memory, so keyless maps, loss counters and
 * the gate are read and written without system calls.
 *
 *	0            data_size              gate_off (a cache line of its own)
 *	| prog->data | zeroes up to 64 ...  | u32 gate |
 *
 * The gate is 1 while programs may run. A script without data still gets the map if it has
 * programs, because the gate stops slow attachments at once (release.c).
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include "engine/kernel/internal.h"

enum { GATE_LINE = 64 };

static size_t map_bytes(const struct kernel *k)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return ALIGN_UP((size_t)k->data_len, page);
}

int data_create(struct kernel *k, struct err *err)
{
	struct program *prog = k->prog;
	u32 index = prog->data_map;
	u32 size = prog->data_size;
	void *at;

	if (index != NO_INDEX)
		size = MAX(size, prog->maps.v[index].value_size);
	k->gate_off = ALIGN_UP(size, (u32)GATE_LINE);
	k->data_len = k->gate_off + GATE_LINE;
	k->data_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "data", 4, k->data_len, 1, BPF_F_MMAPABLE);
	if (k->data_fd < 0)
		return refused(err, TRIED_MAP, "create the data map of %u bytes", k->data_len);
	at = mmap(NULL, map_bytes(k), PROT_READ | PROT_WRITE, MAP_SHARED, k->data_fd, 0);
	if (at == MAP_FAILED) {
		refused(err, TRIED_MAP, "map the data map of %u bytes", k->data_len);
		close(k->data_fd);
		k->data_fd = -1;
		return err->code;
	}
	k->data = at;
	if (prog->data)
		memcpy(k->data, prog->data, prog->data_size);
	__atomic_store_n(data_gate(k), 1, __ATOMIC_RELEASE);
	return 0;
}

void data_release(struct kernel *k)
{
	if (k->data)
		munmap(k->data, map_bytes(k));
	k->data = NULL;
	if (k->data_fd >= 0)
		close(k->data_fd);
	k->data_fd = -1;
}

u64 kernel_data_u64(struct kernel *k, u32 offset)
{
	if (!k->data || offset + 8 > k->gate_off)
		return 0;
	return __atomic_load_n((u64 *)(void *)(k->data + offset), __ATOMIC_RELAXED);
}

void kernel_set_data_u64(struct kernel *k, u32 offset, u64 value)
{
	if (k->data && offset + 8 <= k->gate_off)
		__atomic_store_n((u64 *)(void *)(k->data + offset), value, __ATOMIC_RELAXED);
}
