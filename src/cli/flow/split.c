/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which functions the process engine may serve: their entry and all their returns take a jump. In:
 * attach points, options. Out: f->split, lists of functions, or the reason why the kernel serves
 * all of them.
 *
 * A jump costs ten nanoseconds where a breakpoint costs one to ten microseconds, but the process is
 * changed. So without --engine=process it is done only if nothing can be missed. Children of fork()
 * have the jumps and write records, too; a process that executes the program again has none, and is
 * served by the kernel (SPLIT_ELSEWHERE).
 */
#include <elf.h>
#include <stdlib.h>
#include "base/hash.h"
#include "builtin/builtin.h"
#include "cli/flow/flow.h"
#include "cli/front.h"
#include "cli/libraries.h"
#include "engine/kernel/kernel.h"
#include "object/elf_dynamic.h"
#include "session/compile.h"
#include "session/system.h"
#include "sym/early.h"

/* ---- what a program can do */

/* Functions of libc with which a program starts a process that runs in its own memory: as a thread
 * of the process that the kernel knows by another number. */
static const char *const sharers[] = { "vfork", "__vfork", "clone", "__clone", "clone3", NULL };
/* The same of a program that contains libc. */
static const char *const inner_sharers[] = { "vfork",    "__vfork",   "posix_spawn",
					     "__spawni", "__spawnix", NULL };

struct finding {
	const char *name; /* one of them, which a file needs; NULL: none */
};

/* name: perhaps with a version, "fork@GLIBC_2.2.5" */
static const char *listed(const char *const *list, const char *name)
{
	for (u32 i = 0; list[i]; i++) {
		size_t n = strlen(list[i]);

		if (!strncmp(name, list[i], n) && (!name[n] || name[n] == '@'))
			return list[i];
	}
	return NULL;
}

static int see_import(void *ctx, const char *name)
{
	struct finding *x = ctx;

	x->name = listed(sharers, name);
	return x->name != NULL;
}

static void find_inner(const struct library *program, struct finding *x)
{
	struct elf_symbol s;

	for (u32 i = 0; inner_sharers[i] && !x->name; i++)
		if (elf_find((struct elf *)(uintptr_t)program->elf, inner_sharers[i], &s))
			x->name = inner_sharers[i];
}

/* Only functions of the program are served, which run in such a process only if the program starts
 * it. */
static const char *shares_memory(struct flow *f, const struct libraries *all)
{
	struct finding x = { 0 };
	struct elf_section s;

	if (!all->list.n)
		return "its file cannot be read";
	if (elf_section(all->list.v[0]->elf, ".gopclntab", &s))
		return "Go starts processes in memory that it shares with them";
	elf_each_import(all->list.v[0]->elf, see_import, &x);
	if (all->list.n == 1)
		find_inner(all->list.v[0], &x);
	return x.name ? arena_printf(&f->t.c->line.arena,
				     "%s calls %s(), and what runs in the process that it starts "
				     "would be taken for its own",
				     all->list.v[0]->name, x.name) :
			NULL;
}

/* A command is held before constructors run, if its dynamic linker says so. A static program has
 * none before its entry point. */
static const char *runs_before(const struct flow *f, const struct libraries *all)
{
	if (all->list.n <= 1 || early_is_possible(f->binary))
		return NULL;
	return "the dynamic linker of the program does not tell when it is ready";
}

/* What the process engine would not show, and the kernel's probes do; NULL: nothing. */
static const char *misses(struct flow *f)
{
	const struct traced *t = &f->t.c->request.traced;
	struct libraries all = { .arena = &f->t.c->line.arena };
	struct err err = { 0 };
	const char *why = NULL;

	if (t->n_pids && libraries_of_process(&all, t->pids[0], &err) < 0)
		why = "its files cannot be read";
	else if (!t->n_pids)
		libraries_of_program(&all, f->binary);
	if (!why)
		why = shares_memory(f, &all);
	if (!why && !t->n_pids)
		why = runs_before(f, &all);
	libraries_release(&all);
	err_release(&err);
	return why;
}

/* ---- functions */

/* A function by its name in the symbol table; several may have it. */
struct named {
	const char *name;
	const char *why_not; /* NULL: all of them can be served */
	bool is_begin;       /* FUNC */
	bool has_entry, has_return;
};

struct splitting {
	struct flow *f;
	struct provider_env env;
	struct hash by_name, by_place;
	VEC(struct named *) list;
	enum { ENTRIES, RETURNS, BEGINS } looked_at;
	const char *start;  /* where the command begins, if -c holds it there */
	bool has_odd_names; /* of which no list can be made */
};

static const char *reason(const struct site *s)
{
	return s->user.no_jump ? s->user.no_jump : "it is not the entry of a function";
}

static int on_target(void *ctx, struct target *target)
{
	struct splitting *sp = ctx;
	const char *name = target->site.func;
	u64 place = target->site.user.offset;
	struct named *of;

	if (resolve_leaves_out(&sp->f->t.c->request, name))
		return 0;
	sp->has_odd_names |= !name || strpbrk(name, "|:,{}\" ");
	if (sp->has_odd_names)
		return 0;
	of = hash_get(&sp->by_place, &place, sizeof place); /* code that has several names */
	if (of && !hash_gets(&sp->by_name, name))
		hash_puts(&sp->by_name, arena_strdup(&sp->f->t.c->line.arena, name), of);
	of = of ? of : hash_gets(&sp->by_name, name);
	if (!of) {
		of = arena_new(&sp->f->t.c->line.arena, struct named);
		*of = (struct named){ .name = arena_strdup(&sp->f->t.c->line.arena, name) };
		hash_puts(&sp->by_name, of->name, of);
		vec_push(&sp->f->t.c->line.arena, &sp->list, of);
	}
	if (!hash_get(&sp->by_place, &place, sizeof place))
		hash_put(&sp->by_place, arena_dup(&sp->f->t.c->line.arena, &place, sizeof place),
			 sizeof place, of);
	if (sp->start && streq(name, sp->start))
		of->why_not = "the command is held there before it runs";
	of->is_begin |= sp->looked_at == BEGINS;
	of->has_entry |= sp->looked_at != RETURNS;
	of->has_return |= sp->looked_at == RETURNS;
	if (!target->site.user.takes_jump)
		of->why_not = arena_strdup(&sp->f->t.c->line.arena, reason(&target->site));
	return 0;
}

static const char *probes_of(struct flow *f, const char *type)
{
	struct arena *a = &f->t.c->line.arena;
	const char *const *include = f->t.c->own.flow.include;
	const char *list = NULL, *file = f->files.v[0];

	if (!include && type)
		return arena_printf(a, "%s:%s:*", type, file);
	for (u32 i = 0; i < f->functions.n; i++)
		list = arena_printf(a, "%s%s%s:%s:cpp:\"%s\"", list ? list : "", list ? ",\n" : "",
				    type ? type : "uprobe", file, f->functions.v[i]);
	for (u32 i = 0; type && include[i]; i++)
		list = arena_printf(a, "%s,\n%s:%s:cpp:\"%s\"", list, type, file, include[i]);
	return list;
}

static struct btf *front_btf(struct provider_env *env)
{
	struct front *front = env->system.ctx;

	return system_btf(&front->system);
}

/* Errors are those of the script without jumps, which is then used. */
static void resolve(struct splitting *sp, struct front *front)
{
	for (struct clause *cl = front->lang.script->clauses; cl; cl = cl->next, sp->looked_at++)
		for (const struct attach *a = cl->attaches; a; a = a->next) {
			struct spec *spec = spec_parse(&sp->env, a);

			if (spec)
				spec->provider->resolve(&sp->env, spec, on_target, sp);
		}
}

static bool look(struct splitting *sp)
{
	struct cli *c = sp->f->t.c;
	struct front front;
	struct buf script = { 0 };
	bool ok;

	buf_printf(&script, "%s {}\n%s {}\n%s {}\n", probes_of(sp->f, "uprobe"),
		   probes_of(sp->f, "uretprobe"), probes_of(sp->f, NULL));
	c->request.script.text = script.s;
	c->request.script.len = script.len;
	c->request.script.name = "<flow>";
	c->request.script.is_of_command = true;
	c->host.themes = builtin_themes;
	front_init(&front, c);
	sp->env = (struct provider_env){
		.arena = &front.arena,
		.diags = &front.diags,
		.system = { .features = kernel_features(), .btf = front_btf, .ctx = &front },
		.request = &c->request,
		.attach = { .records = true },
		.config = { .missing_probes = front.env.config.missing_probes,
			    .max_targets = 1000000 },
	};
	ok = parse_script(&front.lang, front.src) && lang_prepare(&front.lang);
	if (ok)
		resolve(sp, &front);
	ok = ok && !front.diags.n_errors;
	provider_env_release(&sp->env);
	front_release(&front);
	buf_release(&script);
	return ok;
}

/* ---- clauses */

static enum flow_split_kind kind_of(const struct named *of, bool is_return)
{
	if (is_return)
		return of->why_not ? SPLIT_KERNEL_LEAVE : SPLIT_LEAVE;
	if (of->why_not)
		return of->is_begin ? SPLIT_KERNEL_BEGIN : SPLIT_KERNEL_ENTER;
	return of->is_begin ? SPLIT_BEGIN : SPLIT_ENTER;
}

/* The next of a clause's attach points; its length. */
static size_t next_probe(const char **s)
{
	*s += strspn(*s, ",\n");
	return strcspn(*s, ",\n");
}

/* The function of an attach point, or NULL: those of a pattern. */
static struct named *function_of(struct splitting *sp, const char *probe, size_t n)
{
	const char *colon = memrchr(probe, ':', n);
	size_t at = (size_t)(colon + 1 - probe);

	return hash_gets(&sp->by_name, arena_strndup(&sp->f->t.c->line.arena, colon + 1, n - at));
}

static bool has_unknown(struct splitting *sp, const struct trace_clause *cl)
{
	const char *s = cl->probes;

	for (size_t n; (n = next_probe(&s)); s += n)
		if (!memchr(s, '*', n) && !function_of(sp, s, n))
			return true;
	return false;
}

static void tell_memory(struct named *of)
{
	if (!of->why_not)
		of->why_not = "its arguments or its result are in memory";
}

/* Functions whose values are in memory. */
static void leave_to_kernel(struct splitting *sp, const struct trace_clause *cl)
{
	const char *s = cl->probes;
	struct named *of;

	for (size_t n; (n = next_probe(&s)); s += n) {
		bool is_pattern = memchr(s, '*', n);

		of = is_pattern ? NULL : function_of(sp, s, n);
		if (of)
			tell_memory(of);
		for (u32 i = 0; is_pattern && i < sp->list.n; i++)
			tell_memory(sp->list.v[i]);
	}
}

static void add_member(const struct splitting *sp, struct buf *b, const struct named *of,
		       const struct trace_clause *cl, enum flow_split_kind kind)
{
	bool has = cl->is_return ? of->has_return : of->has_entry;

	if (has && kind_of(of, cl->is_return) == kind &&
	    !(sp->start && streq(of->name, sp->start))) /* nothing calls it */
		buf_printf(b, "%s|", of->name);
}

/* Attach points of a pattern: a list of names; of functions: one by one, so that values have
 * types. */
static const char *probes_of_kind(struct splitting *sp, const struct trace_clause *cl,
				  enum flow_split_kind kind)
{
	const char *s = cl->probes, *probes;
	struct buf one_by_one = { 0 }, names = { 0 };
	bool all = false;

	for (size_t n; (n = next_probe(&s)); s += n) {
		bool is_pattern = !sp->f->has_args || memchr(s, '*', n);
		const struct named *of = is_pattern ? NULL : function_of(sp, s, n);
		struct buf name = { 0 };

		all |= is_pattern;
		if (of)
			add_member(sp, &name, of, cl, kind);
		if (name.len && name.len - 1 <= n &&
		    !memcmp(s + n - (name.len - 1), name.s, name.len - 1)) /* no other name */
			buf_printf(&one_by_one, "%s%.*s", one_by_one.len ? ",\n" : "", (int)n, s);
		buf_release(&name);
	}
	for (u32 i = 0; all && i < sp->list.n; i++)
		add_member(sp, &names, sp->list.v[i], cl, kind);
	probes = names.len      ? arena_printf(&sp->f->t.c->line.arena, "%s:%s:%s",
                                          cl->is_return ? "uretprobe" : "uprobe", sp->f->files.v[0],
					       names.s) :
		 one_by_one.len ? arena_strdup(&sp->f->t.c->line.arena, one_by_one.s) :
				  NULL;
	buf_release(&one_by_one);
	buf_release(&names);
	return probes;
}

static void split_clauses(struct splitting *sp)
{
	struct flow *f = sp->f;
	struct arena *a = &f->t.c->line.arena;
	const struct trace_clause *v = f->t.clauses.v;
	u32 n = f->t.clauses.n;

	memset(&f->t.clauses, 0, sizeof f->t.clauses);
	for (u32 i = 0; i < n; i++)
		for (u32 kind = 0; kind < SPLIT_ELSEWHERE; kind++) {
			struct trace_clause cl = v[i];

			cl.probes = probes_of_kind(sp, &v[i], kind);
			if (!cl.probes)
				continue;
			vec_push(a, &f->t.clauses, cl);
			vec_push(a, &f->split.kinds, (u8)kind);
		}
	if (!kernel_has_rights())
		return;
	f->t.c->request.probes.elsewhere = f->t.clauses.n;
	for (u32 i = 0; i < n; i++)
		for (u32 kind = SPLIT_BEGIN; kind <= SPLIT_LEAVE; kind++) {
			struct trace_clause cl = v[i];

			cl.probes = probes_of_kind(sp, &v[i], kind);
			if (!cl.probes)
				continue;
			vec_push(a, &f->t.clauses, cl);
			vec_push(a, &f->split.kinds, (u8)(SPLIT_ELSEWHERE + kind));
		}
}

static void find_start(struct splitting *sp)
{
	struct flow *f = sp->f;
	struct err err = { 0 };
	bool is_held_there = !f->t.c->request.traced.n_pids && !early_is_possible(f->binary);
	struct elf *e = is_held_there ? elf_open(f->binary, &err) : NULL;
	struct elf_symbol s;

	if (e && elf_symbol_at(e, elf_entry(e), &s))
		sp->start = arena_strdup(&f->t.c->line.arena, s.name);
	else if (e)
		sp->start = arena_printf(&f->t.c->line.arena, "0x%llx",
					 (unsigned long long)elf_entry(e));
	elf_close(e);
	err_release(&err);
}

static const char *why_not_functions(struct splitting *sp)
{
	bool has_begin = false, has_process = false;

	find_start(sp);
	if (!look(sp))
		return "its functions are not known";
	if (sp->has_odd_names)
		return "names of functions have characters that separate names";
	for (u32 i = 0; i < sp->f->t.clauses.n; i++) {
		if (sp->f->has_args && has_unknown(sp, &sp->f->t.clauses.v[i]))
			return "its functions are not known";
		if (sp->f->t.clauses.v[i].reads_memory)
			leave_to_kernel(sp, &sp->f->t.clauses.v[i]);
	}
	for (u32 i = 0; i < sp->list.n; i++) {
		const struct named *of = sp->list.v[i];

		sp->f->split.sends_all |= of->is_begin && of->why_not;
		has_begin |= of->is_begin;
		has_process |= !of->why_not;
	}
	return !has_begin   ? "the function is not known" :
	       !has_process ? "no function takes a jump" :
			      NULL;
}

/* What the options ask for. */
static const char *why_not_options(struct flow *f)
{
	const struct cli *c = f->t.c;

	if (c->request.engine.name && !streq(c->request.engine.name, "process"))
		return "--engine names another";
	if (!f->functions.n || f->has_calls || flow_has_kernel(f))
		return "calls of the kernel are shown";
	if (f->has_args && c->own.flow.include)
		return "values are shown of functions that --include names";
	if (f->files.n != 1 || c->own.flow.binary)
		return "functions of libraries are shown";
	return c->request.engine.name ? NULL : misses(f);
}

void flow_split(struct flow *f)
{
	struct cli *c = f->t.c;
	struct splitting sp = { .f = f };
	const char *why = why_not_options(f);

	why = why ? why : why_not_functions(&sp);
	if (!why) {
		split_clauses(&sp);
		f->split.is_on = true;
		c->request.traced.waits = true;
		c->request.engine.is_auto = !c->request.engine.name;
		c->request.traced.in_children = c->request.traced.scope == SCOPE_TREE;
		c->request.traced.scope = SCOPE_EVENTS; /* no clause asks again */
	} else if (c->request.verbose || c->request.engine.name) {
		if (!c->request.engine.name || streq(c->request.engine.name, "process"))
			say_note(c, "the kernel serves all functions: %s", why);
	}
	if (why && c->request.engine.name && streq(c->request.engine.name, "process"))
		c->request.engine.name = NULL;
	hash_release(&sp.by_name);
	hash_release(&sp.by_place);
}
