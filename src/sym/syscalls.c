/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lookup in the system call table of this machine (syscalls.def, from build-aux/gen-syscalls). */
#include <stdlib.h>
#include "sym/syscalls.h"

#if defined(__aarch64__)
#define PICK(x86, arm64) (arm64)
#else
#define PICK(x86, arm64) (x86)
#endif

struct row {
	const char *name, *event;
	s16 nr; /* -1: this machine lacks it */
};

static const struct row rows[] = {
#define S(name, event, x86, arm64) { #name, #event, PICK(x86, arm64) },
#include "sym/syscalls.def"
#undef S
};

#if defined(__x86_64__)
static const struct syscall_i386 rows_i386[] = {
#define I(nr, name, event, has_structs, args) { nr, "i386_" #name, #event, has_structs, args },
#include "sym/calls32.def"
#undef I
};
enum { N_I386 = ARRAY_SIZE(rows_i386) };
#else
static const struct syscall_i386 rows_i386[1];
enum { N_I386 = 0 };
#endif

/* Rows are sorted by number; few numbers are missing. */
const struct syscall_i386 *syscall_i386(u32 nr)
{
	u32 i = MIN(nr - SYSCALL_I386, (u32)N_I386 - 1);

	if (nr < SYSCALL_I386 || !N_I386)
		return NULL;
	while (i && rows_i386[i].nr > nr - SYSCALL_I386)
		i--;
	return rows_i386[i].nr == nr - SYSCALL_I386 ? &rows_i386[i] : NULL;
}

const char *syscall_plain_name(const char *name)
{
	return starts_with(name, "i386_") ? name + strlen("i386_") : name;
}

const struct syscall_i386 *syscall_i386_find(const char *name)
{
	if (!starts_with(name, "i386_"))
		return NULL;
	for (u32 i = 0, n = N_I386; i < n; i++)
		if (streq(rows_i386[i].name, name))
			return &rows_i386[i];
	return NULL;
}

/* number -> row + 1, built on first use */
static u16 by_nr[SYSCALL_MAX];
static u32 end_nr;

static const struct row *row_of(u32 nr)
{
	if (!end_nr) {
		for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
			if (rows[i].nr < 0)
				continue;
			by_nr[rows[i].nr] = (u16)(i + 1);
			end_nr = MAX(end_nr, (u32)rows[i].nr + 1);
		}
	}
	return nr < SYSCALL_MAX && by_nr[nr] ? &rows[by_nr[nr] - 1] : NULL;
}

const char *syscall_name(u32 nr)
{
	const struct syscall_i386 *i386 = syscall_i386(nr);
	const struct row *r = i386 ? NULL : row_of(nr);

	return i386 ? i386->name : r ? r->name : NULL;
}

const char *syscall_event_name(u32 nr)
{
	const struct syscall_i386 *i386 = syscall_i386(nr);
	const struct row *r = i386 ? NULL : row_of(nr);

	return i386 ? i386->name : r ? r->event : NULL;
}

u32 syscall_count(void)
{
	row_of(0);
	return end_nr;
}

static int by_name(const void *key, const void *row)
{
	return strcmp(key, ((const struct row *)row)->name);
}

/* A name may have two adjacent rows, one for each machine. */
static const struct row *find(const char *name)
{
	const struct row *r = bsearch(name, rows, ARRAY_SIZE(rows), sizeof rows[0], by_name);

	if (!r || r->nr >= 0)
		return r;
	if (r > rows && streq(r[-1].name, name))
		return r - 1;
	if (r + 1 < rows + ARRAY_SIZE(rows) && streq(r[1].name, name))
		return r + 1;
	return r;
}

int syscall_number(const char *name)
{
	const struct syscall_i386 *i386 = syscall_i386_find(name);
	const struct row *r = i386 ? NULL : find(name);

	return i386 ? SYSCALL_I386 + i386->nr : r ? r->nr : -1;
}

/* Most events have the call's name; for the few others all rows are scanned. */
int syscall_number_of_event(const char *event)
{
	const struct syscall_i386 *i386 = syscall_i386_find(event);
	const struct row *r = find(event);

	if (i386)
		return SYSCALL_I386 + i386->nr;
	if (r && r->nr >= 0 && streq(r->event, event))
		return r->nr;
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].nr >= 0 && streq(rows[i].event, event))
			return rows[i].nr;
	return -1;
}
