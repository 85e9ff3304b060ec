/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include "store/names.h"
#include "sym/procmaps.h"
#include "sym/usym.h"

struct store_names {
	const struct store_tables *tables;
	struct usyms *usyms;
	u32 next; /* the first mapping that is later */
	u64 now;
};

struct store_names *store_names_new(const struct store_tables *t)
{
	struct store_names *n = xcalloc(1, sizeof *n);

	n->tables = t;
	n->usyms = usyms_new_recorded();
	return n;
}

void store_names_free(struct store_names *n)
{
	if (n)
		usyms_free(n->usyms);
	free(n);
}

void store_names_apply(struct usyms *u, const struct mapping_row *row, const char *path)
{
	struct mapping mapping = { .start = row->start,
				   .end = row->end,
				   .offset = row->offset,
				   .inode = row->inode,
				   .dev_major = row->dev_major,
				   .dev_minor = row->dev_minor,
				   .exec = true,
				   .build_id_len = row->build_id_len,
				   .path = path };

	memcpy(mapping.build_id, row->build_id, sizeof mapping.build_id);
	switch ((enum mapping_kind)row->kind) {
	case MAPPING_ADDED: usyms_mapped(u, row->pid, &mapping, row->time); return;
	case MAPPING_CLEARED: usyms_exec(u, row->pid, row->time); return;
	case MAPPING_FORKED: usyms_forked(u, row->parent, row->pid, row->time); return;
	case N_MAPPING_KINDS: return;
	}
}

void store_names_at(struct store_names *n, u64 time)
{
	const struct store_tables *t = n->tables;

	if (time < n->now) {
		usyms_free(n->usyms);
		n->usyms = usyms_new_recorded();
		n->next = 0;
	}
	n->now = time;
	for (; n->next < t->mappings.n && t->mappings.v[n->next].row.time <= time; n->next++)
		store_names_apply(n->usyms, &t->mappings.v[n->next].row,
				  t->mappings.v[n->next].path);
}

bool store_names_kernel(const struct store_names *n, u64 address, struct symbol *out)
{
	const struct store_tables *t = n->tables;
	const struct store_function *f;
	u32 low = 0, high = t->functions.n; /* the first row above the address */

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (t->functions.v[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return false;
	f = &t->functions.v[low - 1];
	*out = (struct symbol){ .name = *f->name ? f->name : NULL,
				.offset = address - f->address,
				.module = *f->module ? f->module : NULL };
	return out->name;
}

bool store_names_user(struct store_names *n, u32 pid, u64 address, struct symbol *out)
{
	struct usym u = { 0 };
	bool found = usyms_resolve(n->usyms, pid, 0, address, &u);

	*out = (struct symbol){ .name = u.name,
				.offset = u.offset,
				.module = u.path,
				.file_offset = u.file_offset,
				.build_id = u.build_id,
				.build_id_len = u.build_id_len };
	return found;
}

bool store_names_source(struct store_names *n, u32 pid, u64 address, bool is_return, u32 depth,
			struct symbol *out)
{
	struct usource s;

	if (!usyms_source(n->usyms, &(struct code_at){ pid, 0, address, is_return }, depth, &s))
		return false;
	*out = (struct symbol){
		.name = s.name, .file = s.file, .line = s.line, .inlined = s.inlined
	};
	return true;
}
