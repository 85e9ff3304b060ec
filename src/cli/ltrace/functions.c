/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is probed: for each name that an object imports, the functions of that name in the first other
 * object that defines it. A function with several implementations (STT_GNU_IFUNC) is probed in
 * each that its chooser names; where the choice may lie in the vDSO, which takes no probes, the
 * caller's entry of the PLT is probed instead.
 */
#include <elf.h>
#include "cli/ltrace/ltrace.h"
#include "provider/uifunc.h"

#ifndef STT_GNU_IFUNC
#define STT_GNU_IFUNC 10
#endif

struct adding {
	struct ltrace *lt;
	struct ltrace_object *object;
	const char *name;
	bool is_entry, is_stub;
};

static bool has_name(const struct ltrace_func *f, const char *name)
{
	for (u32 i = 0; i < f->names.n; i++)
		if (streq(f->names.v[i], name))
			return true;
	return false;
}

static int add_place(void *ctx, u64 address)
{
	struct adding *a = ctx;
	struct arena *arena = &a->lt->c->words_arena;
	const char *place =
		arena_printf(arena, "%s:%#llx", a->object->path, (unsigned long long)address);
	struct ltrace_func *f = hash_gets(&a->lt->by_place, place);

	if (!f) {
		f = arena_new(arena, struct ltrace_func);
		f->object = a->object;
		f->address = address;
		f->is_stub = a->is_stub;
		hash_puts(&a->lt->by_place, place, f);
		vec_push(arena, &a->lt->funcs, f);
	}
	f->is_entry |= a->is_entry;
	if (!has_name(f, a->name))
		vec_push(arena, &f->names, a->name);
	return 0;
}

static void add_function(struct adding *a, const struct elf_symbol *s, struct ltrace_object *caller)
{
	bool calls = false;
	u64 stub;

	if (s->type != STT_GNU_IFUNC) {
		add_place(a, s->value);
		return;
	}
	uifunc_candidates(a->object->elf, s, add_place, a, &calls);
	stub = calls && caller ? ltrace_stub(caller, a->name) : 0;
	if (stub) {
		struct adding in_caller = { a->lt, caller, a->name, .is_stub = true };

		add_place(&in_caller, stub);
	}
}

/* Calls that the compiler's start and end code makes, not the program. */
static bool is_of_start(const char *name)
{
	static const char *const names[] = { "__libc_start_main", "__cxa_finalize",
					     "__cxa_thread_atexit_impl" };

	return is_one_of(names, ARRAY_SIZE(names), name);
}

static bool is_wanted(const struct ltrace *lt, const char *name, const struct ltrace_object *from,
		      const struct ltrace_object *in)
{
	const struct ltrace_options *o = &lt->o;

	if (o->libraries && !ltrace_filter_has(o->libraries, name, in))
		return false;
	if (o->calls)
		return ltrace_filter_has(o->calls, name, from);
	return o->libraries || !(in->is_loader || is_of_start(name));
}

/* In the first object that has it: others of the name are not called. */
static void add_import(struct ltrace *lt, struct ltrace_object *from, const char *name)
{
	for (u32 i = 0; i < lt->objects.n; i++) {
		struct ltrace_object *in = lt->objects.v[i];
		const struct ltrace_export *e = in == from ? NULL : hash_gets(&in->exports, name);
		struct adding a = { .lt = lt, .object = in, .name = name };

		if (!e)
			continue;
		for (; e && is_wanted(lt, name, from, in); e = e->next)
			add_function(&a, &e->symbol, from);
		return;
	}
}

static int add_entry(void *ctx, const struct elf_symbol *s)
{
	struct adding *a = ctx;
	struct adding one = *a;

	if (!ltrace_filter_has(a->lt->o.entries, s->name, a->object))
		return 0;
	one.name = arena_strdup(&a->lt->c->words_arena, s->name);
	one.is_entry = true;
	add_function(&one, s, NULL);
	return 0;
}

void ltrace_find_functions(struct ltrace *lt)
{
	for (u32 i = 0; i < lt->objects.n; i++) {
		struct ltrace_object *o = lt->objects.v[i];
		struct adding a = { .lt = lt, .object = o };

		for (u32 j = 0; j < o->imports.cap; j++)
			if (o->imports.slot[j].key)
				add_import(lt, o, o->imports.slot[j].key);
		if (lt->o.entries)
			elf_each_function(o->elf, NULL, add_entry, &a);
	}
}
