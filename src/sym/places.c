/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: debug information and an address. Out: the functions there. They are cached until the cache
 * is full. */
#include <stdlib.h>
#include "object/dwarf.h"
#include "sym/places.h"

enum {
	MOST_BYTES = 32 << 20, /* of lists, names and slots: about 200,000 addresses */
	MOST_INLINED = 64,
};

struct place_key {
	u64 pc;
	u32 file, zero;
};

struct places {
	struct hash lists; /* struct place_key -> struct place_list */
	struct intern names;
	struct arena arena;
};

struct places *places_new(void)
{
	struct places *p = xcalloc(1, sizeof *p);

	arena_init(&p->arena);
	intern_init(&p->names);
	return p;
}

static void clear(struct places *p)
{
	hash_release(&p->lists);
	intern_release(&p->names);
	arena_release(&p->arena);
}

void places_free(struct places *p)
{
	if (p)
		clear(p);
	free(p);
}

const struct place_list *places_find(const struct places *p, u32 file, u64 pc)
{
	return hash_get(&p->lists, &(struct place_key){ pc, file, 0 }, sizeof(struct place_key));
}

static size_t bytes_of(const struct places *p)
{
	return p->arena.used + p->names.arena.used + p->lists.cap * sizeof *p->lists.slot;
}

const struct place_list *places_add(struct places *p, u32 file, u64 pc, struct dwarf *d,
				    const char *(*show)(void *ctx, const char *name), void *ctx)
{
	struct place_key key = { pc, file, 0 };
	struct dwarf_source at[MOST_INLINED];
	u32 n = d ? dwarf_sources_at(d, pc, at, MOST_INLINED) : 0;
	struct place_list *list;

	if (bytes_of(p) > MOST_BYTES) {
		clear(p);
		arena_init(&p->arena);
		intern_init(&p->names);
	}
	list = arena_alloc(&p->arena, sizeof *list + n * sizeof list->at[0]);
	for (list->n = 0; list->n < n; list->n++) {
		const struct dwarf_source *s = &at[list->n];

		list->at[list->n] =
			(struct usource){ .name = interns(&p->names, show(ctx, s->name)),
					  .file = interns(&p->names, s->file),
					  .line = s->line,
					  .inlined = s->inlined };
	}
	hash_put(&p->lists, arena_dup(&p->arena, &key, sizeof key), sizeof key, list);
	return list;
}
