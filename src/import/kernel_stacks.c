/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/fd.h"
#include "base/hash.h"
#include "import/kernel_stacks.h"
#include "sym/kallsyms.h"

struct kernel_stacks {
	struct importing *to;
	struct kallsyms *symbols; /* NULL: there are none */
	struct hash functions;    /* addresses that are stored */
	struct arena arena;
};

struct kernel_stacks *kernel_stacks_new(struct importing *to)
{
	struct kernel_stacks *k = xcalloc(1, sizeof *k);

	k->to = to;
	arena_init(&k->arena);
	return k;
}

void kernel_stacks_free(struct kernel_stacks *k)
{
	kallsyms_free(k->symbols);
	hash_release(&k->functions);
	arena_release(&k->arena);
	free(k);
}

bool kernel_stacks_symbols(struct kernel_stacks *k, struct kallsyms *symbols)
{
	if (k->symbols) {
		kallsyms_free(symbols);
		return false;
	}
	k->symbols = symbols;
	return true;
}

void kernel_stacks_symbols_text(struct kernel_stacks *k, const void *text, size_t len)
{
	int fd = len ? memfd_create("kallsyms", MFD_CLOEXEC) : -1;
	char path[40];

	if (fd < 0)
		return;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (write_all(fd, text, len) == 0 && kernel_stacks_symbols(k, kallsyms_new(path)))
		kallsyms_count(k->symbols); /* it is read now */
	close(fd);
}

void kernel_stacks_name(struct kernel_stacks *k, u64 ip)
{
	struct ksym found = { 0 };
	u64 address;

	if (!k->symbols || !kallsyms_lookup(k->symbols, ip, &found))
		return;
	address = ip - found.offset;
	if (hash_get(&k->functions, &address, sizeof address))
		return;
	hash_put(&k->functions, arena_dup(&k->arena, &address, sizeof address), sizeof address, k);
	store_function(k->to->writer, address, found.name, found.module);
}

u32 kernel_stacks_add(struct kernel_stacks *k, const u64 *ips, u32 n)
{
	for (u32 i = 0; i < n; i++)
		kernel_stacks_name(k, ips[i]);
	return n ? store_stack(k->to->writer, ips, n) : 0;
}
