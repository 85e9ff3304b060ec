/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The probed functions: for each name that an object imports, the functions of that name in the
 * first other object that defines it. A function with several implementations (STT_GNU_IFUNC) is
 * probed in each that its chooser names; where the choice may lie in the vDSO, which takes no
 * probes, the caller's entry of the PLT is probed instead.
 */
#include <elf.h>
#include <stdlib.h>
#include "cli/ltrace/ltrace.h"
#include "provider/uifunc.h"
#include "provider/upoint.h"

#ifndef STT_GNU_IFUNC
#define STT_GNU_IFUNC 10
#endif

struct adding {
	struct ltrace *lt;
	struct ltrace_object *object;
	const char *name;
	bool is_entry, is_stub;
	bool names_only; /* for places that are there: other names of what is probed */
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
	struct arena *arena = &a->lt->c->line.arena;
	const char *place =
		arena_printf(arena, "%s:%#llx", a->object->path, (unsigned long long)address);
	struct ltrace_func *f = hash_gets(&a->lt->by_place, place);

	if (!f && a->names_only)
		return 0;
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

/* The caller's entry of the PLT instead. False: it has none. */
static bool add_stub(const struct adding *a, struct ltrace_object *caller)
{
	struct adding in_caller = { a->lt, caller, a->name, .is_stub = true,
				    .names_only = a->names_only };
	u64 stub = caller ? ltrace_stub(caller, a->name) : 0;

	if (stub)
		add_place(&in_caller, stub);
	return stub;
}

/* Where the kernel takes no probe, calls through the PLT are seen in the PLT. */
static void add_code(struct adding *a, u64 address, struct ltrace_object *caller)
{
	if (!upoint_refuses(a->object->elf, address) || !add_stub(a, caller))
		add_place(a, address);
}

struct candidate {
	struct adding *adding;
	struct ltrace_object *caller;
};

static int add_candidate(void *ctx, u64 address)
{
	const struct candidate *c = ctx;

	if (!upoint_refuses(c->adding->object->elf, address))
		add_place(c->adding, address);
	return 0;
}

static void add_function(struct adding *a, const struct elf_symbol *s, struct ltrace_object *caller)
{
	struct candidate all = { a, caller };
	struct elf_symbol chosen;
	bool calls = false;

	if (s->type != STT_GNU_IFUNC) {
		add_code(a, s->value, caller);
		return;
	}
	if (!getenv("GLIBC_TUNABLES") &&
	    uifunc_choice(a->object->path, a->object->elf, a->name, &chosen)) {
		add_code(a, chosen.value, caller);
		return;
	}
	uifunc_candidates(a->object->elf, s, add_candidate, &all, &calls);
	if (calls)
		add_stub(a, caller);
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

	if (is_of_start(name) || (in->is_loader && !o->libraries))
		return false;
	if (o->libraries && !ltrace_filter_has(o->libraries, name, in))
		return false;
	if (o->calls)
		return ltrace_filter_has(o->calls, name, from);
	return o->libraries || !o->no_default;
}

/* In the first object that has it: others of the name are not called. */
static void add_import(struct ltrace *lt, struct ltrace_object *from, const char *name,
		       bool names_only)
{
	for (u32 i = 0; i < lt->objects.n; i++) {
		struct ltrace_object *in = lt->objects.v[i];
		const struct ltrace_export *e = in == from ? NULL : hash_gets(&in->exports, name);
		struct adding a = {
			.lt = lt, .object = in, .name = name, .names_only = names_only
		};

		if (!e)
			continue;
		for (; e && (names_only || is_wanted(lt, name, from, in)); e = e->next)
			add_function(&a, &e->symbol, from);
		return;
	}
}

static void add_imports(struct ltrace *lt, struct ltrace_object *o, bool names_only)
{
	for (u32 i = 0; i < o->imports.cap; i++)
		if (o->imports.slot[i].key)
			add_import(lt, o, o->imports.slot[i].key, names_only);
}

/* ---- callers that are not there yet */

/* Names of libraries' own use begin with an underscore. */
static bool is_public(const struct ltrace *lt, const char *name)
{
	return name[0] != '_' || proto_find(&lt->prototypes, name) ||
	       (strlen(name) > 4 && streq(name + strlen(name) - 4, "_chk"));
}

/* Functions that another program, or a pointer from dlsym(), may call. */
static void add_exports(struct ltrace *lt, struct ltrace_object *in)
{
	for (u32 i = 0; i < in->exports.cap; i++) {
		const struct ltrace_export *e =
			in->exports.slot[i].key ? in->exports.slot[i].value : NULL;
		struct adding a = { .lt = lt, .object = in };

		if (!e || !is_public(lt, e->symbol.name) ||
		    !is_wanted(lt, e->symbol.name, lt->objects.v[0], in))
			continue;
		a.name = e->symbol.name;
		for (; e; e = e->next)
			add_function(&a, &e->symbol, NULL);
	}
}

static int add_entry(void *ctx, const struct elf_symbol *s)
{
	struct adding *a = ctx;
	struct adding one = *a;

	if (!ltrace_filter_has(a->lt->o.entries, s->name, a->object))
		return 0;
	one.name = arena_strdup(&a->lt->c->line.arena, s->name);
	one.is_entry = true;
	add_function(&one, s, NULL);
	return 0;
}

/* What is probed first; then the names that its callers may use, of which a filter may leave some
 * out. */
void ltrace_find_functions(struct ltrace *lt)
{
	for (u32 i = 0; i < lt->objects.n; i++) {
		struct ltrace_object *o = lt->objects.v[i];
		struct adding a = { .lt = lt, .object = o };

		add_imports(lt, o, false);
		if (lt->o.entries)
			elf_each_function(o->elf, NULL, add_entry, &a);
	}
	for (u32 i = 0; i < lt->objects.n; i++)
		add_imports(lt, lt->objects.v[i], true);
	for (u32 i = 1; i < lt->objects.n; i++)
		if (lt->objects.v[i]->is_late ||
		    (lt->o.other_programs && !lt->objects.v[i]->is_loader))
			add_exports(lt, lt->objects.v[i]);
	for (u32 i = 0; i < lt->funcs.n; i++)
		ltrace_find_captures(lt, lt->funcs.v[i]);
}
