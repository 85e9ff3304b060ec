/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of perf.data (include/uapi/linux/perf_event.h). A chain is
 *
 *	PERF_CONTEXT_KERNEL  address ...  PERF_CONTEXT_USER  address ...
 *
 * Processes' mappings are records. The kernel's functions are not in the file; where its text lies
 * is (the offset of the mapping of process -1), so the running kernel names them if its text lies
 * at the same place: as perf takes kallsyms.
 *
 * A sample of --call-graph dwarf has registers and bytes of the stack instead: they are unwound
 * here, by the mappings that the records before it reported, and by the files that they name.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include "import/kernel_stacks.h"
#include "import/perf_stacks.h"
#include "store/names.h"
#include "sym/kallsyms.h"
#include "sym/unwinds.h"
#include "sym/usym.h"

struct perf_stacks {
	struct importing *to;
	struct kernel_stacks *kernel;
	struct arena arena;
	bool same_kernel; /* as the running one */
	struct usyms *usyms;
	struct unwinds *unwinds; /* NULL: nothing is unwound */
	struct unwind_raw *hit;  /* unwind_sample_room() */
};

struct perf_stacks *perf_stacks_new(struct importing *to)
{
	struct perf_stacks *s = xcalloc(1, sizeof *s);

	s->to = to;
	s->kernel = kernel_stacks_new(to);
	s->usyms = usyms_new_recorded();
	arena_init(&s->arena);
	return s;
}

void perf_stacks_free(struct perf_stacks *s)
{
	kernel_stacks_free(s->kernel);
	unwinds_free(s->unwinds);
	usyms_free(s->usyms);
	free(s->hit);
	arena_release(&s->arena);
	free(s);
}

void perf_stacks_begin(struct perf_stacks *s, bool same_kernel, bool unwinds)
{
	s->same_kernel = same_kernel;
	if (!unwinds || s->unwinds)
		return;
	s->hit = unwind_sample_room();
	s->unwinds = unwinds_new(s->usyms, NULL, false, NULL, NULL);
}

void perf_stacks_name_members(struct perf_stacks *s, struct event_format *f, const void *record,
			      u32 len)
{
	kernel_stacks_name_members(s->kernel, f, record, len);
}

void perf_stacks_symbols_text(struct perf_stacks *s, const void *text, size_t len)
{
	kernel_stacks_symbols_text(s->kernel, text, len);
}

/* ---- mappings */

/* "[kernel.kallsyms]_text" */
static void see_kernel(struct perf_stacks *s, const char *name, u64 text)
{
	const char *symbol = strchr(name, ']');
	struct kallsyms *symbols;
	struct ksym found;

	if (!starts_with(name, "[kernel.kallsyms]") || !text)
		return;
	symbols = kallsyms_new(NULL);
	if (kallsyms_find(symbols, symbol + 1, "vmlinux", &found) && found.address == text)
		kernel_stacks_symbols(s->kernel, symbols);
	else
		kallsyms_free(symbols);
}

static void take_build_id(struct mapping_row *row, struct cursor c)
{
	u8 head[4];

	take_to(&c, head, sizeof head);
	row->build_id_len = MIN(head[0], (u8)sizeof row->build_id);
	take_to(&c, row->build_id, sizeof row->build_id);
}

static void take_identity(struct mapping_row *row, struct cursor c, u16 misc)
{
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		take_build_id(row, c);
		return;
	}
	row->dev_major = take_u32(&c);
	row->dev_minor = take_u32(&c);
	row->inode = take_u64(&c);
}

/* Its stacks are unwound by what it maps from now on. */
static void note(struct perf_stacks *s, const struct mapping_row *row, const char *name)
{
	store_mapping(s->to->writer, row, name);
	if (!s->unwinds)
		return;
	store_names_apply(s->usyms, row, name);
	unwinds_forget(s->unwinds, row->pid);
}

/* The kernel's own code, which has no file and here no build id. */
static void take_vdso(struct perf_stacks *s, struct mapping_row *row)
{
	u32 len;
	const u8 *id = usyms_vdso_build_id(s->usyms, &len);

	if (!id || len > sizeof row->build_id)
		return;
	row->build_id_len = (u8)len;
	memcpy(row->build_id, id, len);
}

static void see_mapping(struct perf_stacks *s, const struct perf_event_header *h, struct cursor c,
			u64 time)
{
	enum { IDENTITY = 24 };
	struct mapping_row row = { .kind = MAPPING_ADDED, .time = time, .pid = take_u32(&c) };
	u32 prot = PROT_EXEC;
	const char *name;

	take_u32(&c); /* thread */
	row.start = take_u64(&c);
	row.end = row.start + take_u64(&c);
	row.offset = take_u64(&c);
	if (h->type == PERF_RECORD_MMAP2) {
		take_identity(&row, c, h->misc);
		take_bytes(&c, IDENTITY);
		prot = take_u32(&c);
		take_u32(&c); /* flags */
	}
	if (c.failed || !cursor_left(&c))
		return;
	name = arena_strndup(&s->arena, (const char *)c.at,
			     strnlen((const char *)c.at, MIN(cursor_left(&c), (size_t)4096)));
	if (streq(name, "[vdso]") && !row.build_id_len && s->same_kernel)
		take_vdso(s, &row);
	if (row.pid == ~0u)
		see_kernel(s, name, row.offset);
	else if (prot & PROT_EXEC && !(h->misc & PERF_RECORD_MISC_MMAP_DATA))
		note(s, &row, name);
}

static void see_fork(struct perf_stacks *s, struct cursor c, u64 time)
{
	struct mapping_row row = { .kind = MAPPING_FORKED, .time = time, .pid = take_u32(&c) };

	row.parent = take_u32(&c);
	if (!c.failed && row.pid != row.parent)
		note(s, &row, "");
}

void perf_stacks_see(struct perf_stacks *s, const struct perf_event_header *h, struct cursor body,
		     u64 time)
{
	struct mapping_row exec = { .kind = MAPPING_CLEARED, .time = time };

	if (h->type == PERF_RECORD_MMAP || h->type == PERF_RECORD_MMAP2) {
		see_mapping(s, h, body, time);
	} else if (h->type == PERF_RECORD_FORK) {
		see_fork(s, body, time);
	} else if (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC) {
		exec.pid = take_u32(&body);
		if (!body.failed)
			note(s, &exec, "");
	}
}

/* ---- chains */

/* The number of frames; 0: the sample has nothing to unwind. */
static u32 unwind(struct perf_stacks *s, const struct unwind_sample *user, u32 pid, u64 *ips)
{
	if (!s->unwinds || !user->stack || !unwind_sample_take(user, s->hit))
		return 0;
	s->hit->pid = pid;
	return unwinds_frames_reported(s->unwinds, s->hit, ips, STACK_FRAMES_MOST);
}

struct row_stacks perf_stacks_one(struct perf_stacks *s, u64 ip, bool user)
{
	if (user)
		return (struct row_stacks){ .number[1] = store_stack(s->to->writer, &ip, 1) };
	return (struct row_stacks){ .number[0] = kernel_stacks_add(s->kernel, &ip, 1) };
}

struct row_stacks perf_stacks_of(struct perf_stacks *s, struct cursor chain,
				 const struct unwind_sample *user, u32 pid)
{
	struct row_stacks to = { 0 };
	u64 ips[2][STACK_FRAMES_MOST] = { { 0 } };
	u32 n[2] = { 0 }, unwound;
	int side = -1;

	while (cursor_left(&chain) >= sizeof(u64)) {
		u64 ip = take_u64(&chain);

		if (ip >= (u64)PERF_CONTEXT_MAX)
			side = ip == (u64)PERF_CONTEXT_KERNEL ? 0 :
			       ip == (u64)PERF_CONTEXT_USER   ? 1 :
								-1;
		else if (side >= 0 && n[side] < STACK_FRAMES_MOST)
			ips[side][n[side]++] = ip;
	}
	unwound = unwind(s, user, pid, ips[1]);
	n[1] = unwound ? unwound : n[1];
	to.number[0] = kernel_stacks_add(s->kernel, ips[0], n[0]);
	to.number[1] = n[1] ? store_stack(s->to->writer, ips[1], n[1]) : 0;
	return to;
}
