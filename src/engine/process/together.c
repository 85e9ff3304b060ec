/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs in the process run at the event, programs on records run later. If clauses share a map,
 * the difference in order would be visible; so either all of them run in the process, or all on
 * records.
 *
 *	uprobe:f:a { @x++; }	uprobe:f:b { printf("%d\n", @x); }	both on records, because of printf()
 */
#include <stdlib.h>
#include "engine/process/together.h"
#include "type/agg.h"
#include "type/bpf_isa.h"
#include "type/thread_slot.h"

static bool is_shared_kind(const struct map_desc *d)
{
	return d->role == MAP_USER || d->role == MAP_GLOBAL;
}

/* Bytes of the data map that hold it, or its thread slots. */
static u32 bytes_in_data(const struct map_desc *d)
{
	if (d->role == MAP_USER)
		return d->threads_off ? THREAD_SLOTS * (u32)sizeof(struct thread_slot) : 0;
	return type_is_agg(d->value) ? d->slot_size * MAX(d->n_slots, 1u) : 8 + d->value->size;
}

static bool has_offset(const struct map_desc *d, u32 off)
{
	u32 start = d->role == MAP_USER ? d->threads_off : d->data_off;

	return off >= start && off - start < bytes_in_data(d);
}

static bool uses(const struct program *prog, u32 func, u32 map)
{
	const struct bpf_func *f = prog->funcs.v[func];
	const struct map_desc *d = &prog->maps.v[map];

	for (u32 i = 0; i < f->n_relocs; i++) {
		const struct reloc *r = &f->relocs[i];

		if (r->kind == RELOC_MAP && r->index == map)
			return true;
		if (r->kind == RELOC_MAP_VALUE && r->index == prog->data_map &&
		    has_offset(d, r->add))
			return true;
	}
	return false;
}

bool together_with_others(const struct program *prog, const bool *is_event, u32 func)
{
	for (u32 m = 0; m < prog->maps.n; m++)
		for (u32 f = 0; is_shared_kind(&prog->maps.v[m]) && f < prog->funcs.n; f++)
			if (f != func && is_event[f] && uses(prog, f, m) && uses(prog, func, m))
				return true;
	return false;
}

/* Whether all functions that use the map can run in the process; if not, none does. */
static bool settle(const struct program *prog, u32 map, const bool *is_event, bool *runs)
{
	bool all = true, changed = false;

	for (u32 f = 0; f < prog->funcs.n; f++)
		all = all && (!is_event[f] || runs[f] || !uses(prog, f, map));
	for (u32 f = 0; !all && f < prog->funcs.n; f++)
		if (runs[f] && uses(prog, f, map)) {
			runs[f] = false;
			changed = true;
		}
	return changed;
}

void together_decide(const struct program *prog, const bool *is_event, bool *runs)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (u32 m = 0; m < prog->maps.n; m++)
			if (is_shared_kind(&prog->maps.v[m]))
				changed |= settle(prog, m, is_event, runs);
	}
}
