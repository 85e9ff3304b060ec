/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording from which events come. A process has one, as it has one kernel: features and
 * formats are needed before the run exists.
 */
#include <stdlib.h>
#include "engine/replay/internal.h"
#include "import/import.h"
#include "store/chunks.h"
#include "sym/boot_id.h"

static struct {
	struct store *store;
	char *path;
	struct buf damage; /* of a file from another tool */
	struct arena arena;
	struct recorded_kernel kernel;
} source;

static void read_formats(const struct store_tables *t)
{
	const struct noted_reads **noted;
	const struct tp_format **v;
	struct hash known = { 0 };

	arena_init(&source.arena);
	v = arena_array(&source.arena, const struct tp_format *, t->formats.n + 1);
	noted = arena_array(&source.arena, const struct noted_reads *, t->formats.n + 1);
	for (u32 i = 0; i < t->formats.n; i++) {
		struct event_format *e = t->formats.v[i];
		struct tp_format *f = tracefs_parse_format(&source.arena, e->text, strlen(e->text));
		size_t n = strcspn(e->name, ":");

		f->category = arena_strndup(&source.arena, e->name, n);
		f->name = arena_strdup(&source.arena, e->name + n + 1);
		e->stored = i;
		v[i] = f;
		noted[i] = noted_parse(&source.arena, source.store, e->name, &known);
	}
	hash_release(&known);
	source.kernel = (struct recorded_kernel){
		.file = source.path, .v = v, .noted = noted, .n = t->formats.n
	};
}

static void release(void)
{
	store_close(source.store);
	if (source.store)
		arena_release(&source.arena);
	free(source.path);
	buf_release(&source.damage);
	memset(&source, 0, sizeof source);
}

/* ftrace's text lacks the number of processors. */
static u32 n_cpus(const struct store *s)
{
	return MIN(MAX(MAX(store_tables(s)->head.n_cpus, store_cpus(s)), 1u),
		   (u32)REPLAY_MOST_CPUS);
}

static void read_kernel(const struct store_tables *t)
{
	const struct store_text *strings = store_find_text(source.store, "printk_formats");
	const struct store_text *script = store_find_text(source.store, "script");
	const struct store_text *cpid = store_find_text(source.store, "cpid");
	u8 boot[16] = { 0 };

	boot_id_read(boot);
	source.kernel.script = script ? (u32)strtoul(script->bytes, NULL, 16) : 0;
	source.kernel.n_cpus = n_cpus(source.store);
	source.kernel.cpid = cpid ? (u32)strtoul(cpid->bytes, NULL, 10) : 0;
	source.kernel.is_this_boot = !memcmp(boot, t->head.boot_id, sizeof boot);
	source.kernel.kstrings = arena_strndup(&source.arena, strings ? strings->bytes : "",
					       strings ? strings->len : 0);
}

int replay_select(const char *path, struct err *err)
{
	if (source.store && streq(source.path, path))
		return 0;
	release();
	source.path = xstrdup(path);
	source.store = import_open(path, &source.damage, err);
	if (source.store) {
		read_formats(store_tables(source.store));
		read_kernel(store_tables(source.store));
	}
	return source.store ? 0 : err->code;
}

const struct recorded_kernel *replay_formats(void)
{
	return &source.kernel;
}

const char *replay_damage(void)
{
	return source.damage.len ? source.damage.s : NULL;
}

struct store *replay_store(void)
{
	return source.store;
}

u64 replay_begin_ns(const struct store_tables *t)
{
	if (t->n_events &&
	    t->n_written > t->n_chunks) /* a flight recorder, which began long before */
		return t->t0;
	return t->n_events ? MIN(t->head.start_ns, t->t0) : t->head.start_ns;
}

/* The recorder stores the time of day each second, even without events. */
u64 replay_end_ns(const struct store_tables *t)
{
	u64 last = MAX(replay_begin_ns(t), t->t1);

	return t->clocks.n ? MAX(last, t->clocks.v[t->clocks.n - 1].time) : last;
}
