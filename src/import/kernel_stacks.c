/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/fd.h"
#include "base/hash.h"
#include "import/kernel_stacks.h"
#include "sym/kallsyms.h"
#include "trace/event_text.h"

enum { FEW_SYMBOLS = 4 };

struct symbols { /* members of an event that are functions of the kernel */
	struct event_format *format;
	const struct event_member *members[FEW_SYMBOLS];
	u32 n;
};

struct kernel_stacks {
	struct importing *to;
	struct kallsyms *symbols; /* NULL: there are none */
	struct hash functions;    /* addresses that are stored */
	struct hash formats;      /* by struct event_format *: struct symbols */
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
	hash_release(&k->formats);
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

static const struct symbols *symbols_of(struct kernel_stacks *k, struct event_format *f)
{
	struct symbols *s = hash_get(&k->formats, &f, sizeof f);

	if (s)
		return s;
	s = arena_new(&k->arena, struct symbols);
	s->format = f;
	s->n = event_symbols(&k->arena, NULL, f, s->members, FEW_SYMBOLS);
	hash_put(&k->formats, &s->format, sizeof s->format, s);
	return s;
}

void kernel_stacks_name_members(struct kernel_stacks *k, struct event_format *f, const void *record,
				u32 len)
{
	const struct symbols *s;

	if (!k->symbols || !f->print_fmt)
		return;
	s = symbols_of(k, f);
	for (u32 i = 0; i < s->n; i++) {
		u64 address;

		if (s->members[i]->offset + sizeof address > len)
			continue;
		memcpy(&address, (const u8 *)record + s->members[i]->offset, sizeof address);
		if ((s64)address < 0) /* of a process none is */
			kernel_stacks_name(k, address);
	}
}

u32 kernel_stacks_add(struct kernel_stacks *k, const u64 *ips, u32 n)
{
	for (u32 i = 0; i < n; i++)
		kernel_stacks_name(k, ips[i]);
	return n ? store_stack(k->to->writer, ips, n) : 0;
}
