/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a run. In: sites. Out: numbers from 1, one for the entry and the return of a
 * function, and names. */
#include <stdlib.h>
#include "cli/flow/flow.h"
#include "object/demangle.h"

/* The function or system call of "uprobe:/bin/ls:main", "syscall:openat:return",
 * "kprobe:vfs_read". */
static const char *symbol_of(struct arena *a, const char *probe)
{
	const char *end = strchr(probe, '\0'), *colon;

	if (end - probe > 7 && streq(end - 7, ":return"))
		end -= 7;
	colon = memrchr(probe, ':', (size_t)(end - probe));
	colon = colon ? colon + 1 : probe;
	return arena_strndup(a, colon, (size_t)(end - colon));
}

/* The same for the entry and the return of a function: the kernel and each file have functions of
 * the same name. */
static const char *key_of(struct arena *a, const char *probe, const char *symbol)
{
	const char *place = strchr(probe, ':'), *last = memrchr(probe, ':', strlen(probe));

	if (starts_with(probe, "k") || starts_with(probe, "syscall:"))
		return arena_printf(a, "%c %s", probe[0], symbol);
	return arena_printf(a, "%.*s %s", place ? (int)(last - place) : 0, place, symbol);
}

/* The unlikely part of a function, which its compiler has moved away, is no function. */
static bool is_cold_part(const char *symbol)
{
	return strstr(symbol, ".cold") != NULL;
}

/* "uprobe:/bin/ls:main"; NULL: not in a file */
static const char *file_of(struct arena *a, const char *probe)
{
	const char *file = strchr(probe, ':'), *end = strrchr(probe, ':');

	return starts_with(probe, "u") && file++ && file < end ?
		       arena_strndup(a, file, (size_t)(end - file)) :
		       NULL;
}

static u32 function_new(struct flow *f, const char *probe, const char *symbol)
{
	struct arena *a = &f->t.c->line.arena;
	char *plain = demangle(symbol);
	struct flow_function new = { .name = plain ? arena_strdup(a, plain) : symbol,
				     .file = file_of(a, probe),
				     .symbol = symbol };

	free(plain);
	vec_push(a, &f->known, new);
	return f->known.n;
}

static u32 look_up(struct flow *f, u32 site)
{
	struct arena *a = &f->t.c->line.arena;
	const char *text = site_text(f->s->names->prog, false, site), *probe = text ? text : "?",
		   *symbol = symbol_of(a, probe), *key;
	void *known;

	if (is_cold_part(symbol))
		return FLOW_NONE;
	key = key_of(a, probe, symbol);
	known = hash_gets(&f->functions_by_symbol, key);
	if (!known) {
		known = (void *)(uintptr_t)function_new(f, probe, symbol);
		hash_puts(&f->functions_by_symbol, key, known);
	}
	return (u32)(uintptr_t)known;
}

/* The number of the function of a site, from 1; an entry and a return have one. FLOW_NONE: it is
 * none. */
u32 flow_function(struct flow *f, u32 site)
{
	while (f->sites.n <= site)
		vec_push(&f->t.c->line.arena, &f->sites, 0);
	if (!f->sites.v[site])
		f->sites.v[site] = look_up(f, site);
	return f->sites.v[site];
}

const char *flow_name(const struct flow *f, u32 function)
{
	return f->known.v[function - 1].name;
}

void flow_put_time(struct buf *b, u64 ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = { { 1e9, " s" }, { 1e6, "ms" }, { 1e3, "us" } };
	u32 i = 0;

	while (i + 1 < ARRAY_SIZE(units) && (double)ns < units[i].ns)
		i++;
	buf_printf(b, "%9.3f %s", (double)ns / units[i].ns, units[i].unit);
}
