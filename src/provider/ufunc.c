/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: an open file, and a function, a list or a pattern; out: one target for each function, all
 * with one profile. The kernel takes an offset in the file (kernel/events/uprobes.c); a probe in
 * the middle of an instruction would break the program, so offsets are checked by decoding the
 * function from its start.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include "base/glob.h"
#include "provider/ufunc.h"
#include "provider/uargs.h"
#include "provider/ufile.h"
#include "provider/uifunc.h"
#include "provider/uline.h"
#include "provider/upoint.h"
#include "object/cfi.h"
#include "object/demangle.h"
#include "object/elf_dynamic.h"

/* i386: arguments are on the stack above the return address, results in eax. */
static void profile_i386(struct profile *p)
{
	for (u32 i = 0; i < p->argn.n; i++)
		p->argn.v[i].loc = (struct loc){ .kind = LOC_STACK,
						 .offset = arch_native->sp,
						 .inner = 4 + 4 * (s32)i,
						 .size = 4 };
	p->retval.loc.size = 4;
}

struct profile *ufunc_profile(struct ufunc_match *m)
{
	bool is_i386 = m->elf && elf_machine(m->elf) == EM_386;
	struct profile **p = is_i386 ? &m->profile_i386 : &m->profile;

	if (!*p) {
		*p = profile_new(m->env, PROFILE_PT_REGS, BPF_PROG_TYPE_KPROBE);
		profile_function(m->env, *p, m->is_return, true);
		if (is_i386)
			profile_i386(*p);
	}
	return *p;
}

/* Called for each function, but determined once per file. */
static const char *path_to_open(struct ufunc_match *m)
{
	if (m->open_path)
		return m->open_path;
	if (m->now_of != m->path)
		m->now_at = ufile_open_path(m->env, m->path);
	m->now_of = m->path;
	return m->now_at;
}

static void note_range(const struct ufunc_match *m, struct site *s, u64 file_offset)
{
	u64 address, lo, hi;

	if (!m->elf || !elf_offset_to_address(m->elf, file_offset, &address) ||
	    !elf_span(m->elf, &lo, &hi))
		return;
	s->user.distance = address - lo;
	s->user.span = hi - lo;
}

struct target *ufunc_add_exactly(struct ufunc_match *m, const char *func, const char *shown,
				 u64 file_offset)
{
	const char *name = arena_printf(m->env->arena, "%s:%s:%s%s", m->spec->provider->name,
					m->shown_path, m->is_cpp ? "cpp:" : "", shown);
	struct uargs_site site = { .path = path_to_open(m),
				   .elf = m->elf,
				   .one_file = m->binary && !glob_has_wildcard(m->binary),
				   .many = m->many,
				   .typed_result = m->by_name ||
						   (m->is_cpp && !glob_has_wildcard(m->func)) };
	struct profile *p;
	struct target *t;

	site.offset = file_offset;
	p = uargs_profile(m->env, ufunc_profile(m), &site);
	t = targets_add(m->env, &m->ts, SITE_UPROBE, name,
			profile_for_site(m->env, p, m->many, true));
	t->site.func = func;
	t->site.user.path = site.path;
	t->site.user.offset = site.offset;
	env_bind(m->env, &t->site);
	note_range(m, &t->site, file_offset);
	m->moved_sp = site.sp;
	return t;
}

static int bad_point(struct ufunc_match *m, const char *text)
{
	probe_report(m->env, m->spec, D_BAD_OFFSET, text);
	return m->error = -EINVAL;
}

static void leave_out(struct ufunc_match *m, const char *name, const char *why)
{
	if (m->n_refused++)
		return;
	m->refused = name;
	m->why_refused = why;
}

/* Of a list, which a command has made, only this function is left out. */
static int bad_offset(struct ufunc_match *m, const char *why)
{
	if (m->is_of_list) {
		leave_out(m, m->func, why);
		return 0;
	}
	return bad_point(m, arena_printf(m->env->arena, "%s: %s", m->spec->text, why));
}

static void keep_without_call(void *ctx, u64 address)
{
	struct ufunc_match *m = ctx;

	vec_push(m->env->arena, &m->without_call.at, address);
}

static int by_address(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Whether the word on top of the stack at the entry is not the return address. */
static bool is_without_call(struct ufunc_match *m, u64 address)
{
	struct without_call *w = &m->without_call;

	if (!w->known) {
		w->known = true;
		w->at.n = 0;
		cfi_each_without_call(m->elf, keep_without_call, m);
		if (w->at.n)
			qsort(w->at.v, w->at.n, sizeof address, by_address);
	}
	return w->at.n && bsearch(&address, w->at.v, w->at.n, sizeof address, by_address);
}

static const char *no_return(struct ufunc_match *m, const struct elf_symbol *s)
{
	if (is_without_call(m, s->value))
		return "it is entered by a jump: a return probe would replace something else than its return address";
	if (s->value == elf_entry(m->elf))
		return "the entry point of a program does not return";
	if (uret_returns_twice(s->name))
		return "it returns more than once, which a return probe would break";
	return uret_throws(s->name) ?
		       "it throws, and a return probe would hide from where: the program would end" :
		       NULL;
}

static struct profile *with_caller(struct ufunc_match *m, struct profile *p,
				   const struct upoint *at)
{
	return upoint_with_caller(m->env, p, at, m->elf && elf_machine(m->elf) == EM_386);
}

bool ufunc_is_list(const struct ufunc_match *m)
{
	return !m->is_cpp && strchr(m->func, '|');
}

/* The script names the function itself; it is not from a pattern or a generated list. */
static bool is_named(const struct ufunc_match *m)
{
	return m->func && !m->is_of_list && !glob_has_wildcard(m->func) && !ufunc_is_list(m);
}

/* Probes each ret, if the return address must not be changed. False: use the kernel's return probe.
 * no_jump: see struct site. */
static bool add_rets(struct ufunc_match *m, const struct elf_symbol *s, const char *func,
		     const char *shown, const char *no_jump)
{
	struct urets rets = { 0 };
	const char *why = m->unwinds ? uret_find(m->env->arena, m->elf, s, m->unwinds, &rets) :
				       NULL;

	if (!m->unwinds)
		return false;
	if (m->env->request->probes.keeps_return_addresses && rets.jumps && rets.at.n)
		why = NULL; /* only the returns in its own code */
	if (why && m->unwinds == UNWINDS_STACKS && is_named(m) &&
	    !m->env->request->probes.keeps_return_addresses)
		/* safe unless an exception passes through it: the user's choice */
		return false;
	if (why && m->unwinds == UNWINDS_STACKS)
		leave_out(m, shown, why);
	if (why && !m->many)
		bad_offset(m, why);
	for (u32 i = 0; !why && i < rets.at.n; i++) {
		struct target *t = ufunc_add_exactly(m, func, shown, rets.at.v[i]);

		t->site.user.no_jump = no_jump;
		t->site.is_return = false; /* an ordinary probe for the kernel */
		t->site.user.span = 0;     /* the function's entry is not known there */
		if (!arch_native->link)    /* there it may be signed by now */
			t->profile =
				with_caller(m, t->profile, &(struct upoint){ .sp = m->moved_sp });
		t->is_part = i > 0;
	}
	return true;
}

/* Adds all returns if the process engine may put jumps there. False: not at all of them. */
static bool add_exit_jumps(struct ufunc_match *m, const struct elf_symbol *s, const char *func,
			   const char *shown, const char **why)
{
	struct urets rets = { 0 };
	u8 *back;

	*why = m->unwinds == UNWINDS_GO ? "the kernel probes returns of Go" :
					  uret_find(m->env->arena, m->elf, s, m->unwinds, &rets);
	if (m->env->request->probes.keeps_return_addresses && rets.jumps && rets.at.n)
		*why = NULL; /* only the returns in its own code, as add_rets() */
	back = arena_array(m->env->arena, u8, rets.at.n + 1);
	for (u32 i = 0; i < rets.at.n && !*why; i++)
		*why = upoint_no_exit_jump(m->finder, s, rets.address.v[i], &back[i]);
	for (u32 i = 0; i < rets.at.n && !*why; i++) {
		struct target *t = ufunc_add_exactly(m, func, shown, rets.at.v[i]);

		t->site.is_return = false;
		t->site.user.span = 0;
		t->site.user.takes_jump = t->site.user.is_exit = true;
		t->site.user.back = back[i];
		t->is_part = i > 0;
	}
	return !*why;
}

/*
 * A function of Go begins with a stack check, and restarts when its stack has grown. The jump
 * replaces only this check: since 1.14, Go's scheduler may preempt a goroutine at any later
 * instruction and stores where it continues, although no thread is there. It does not do so at the
 * branch.
 */
static const char *no_go_jump(struct ufunc_match *m, const struct elf_symbol *s, u32 *check)
{
	*check = uret_go_entry(m->elf, s);
	return *check ? upoint_no_jump_over(m->finder, s, *check) :
			"a function of Go that does not ask for stack may have none left";
}

/* Adds the entry itself if the process engine may put a jump there. */
static bool add_jump(struct ufunc_match *m, const struct elf_symbol *s, const char *func,
		     const char *shown, u64 file_offset, const char **why)
{
	struct target *t;
	u32 offset = 0, check = 0;

	*why = m->unwinds == UNWINDS_GO ? no_go_jump(m, s, &check) :
					  upoint_no_jump(m->finder, s, &offset);
	if (*why)
		return false;
	t = ufunc_add_exactly(m, func, shown, file_offset);
	t->site.user.takes_jump = true;
	t->site.user.go_check = (u8)check;
	t->site.user.offset += offset;
	return true;
}

static void find_in_go(const struct ufunc_match *m, const struct elf_symbol *s, struct upoint *at)
{
	*at = (struct upoint){ .offset = uret_go_entry(m->elf, s) };
	at->shows_caller = upoint_shows_caller(m->env, m->elf, s->value + at->offset);
	at->refused = upoint_refuses(m->elf, s->value + at->offset);
}

/* Adds a whole function; the site may be after its entry. If a probe would break the program, it is
 * an error for a named function, and a pattern skips the function. */
static void add(struct ufunc_match *m, const struct elf_symbol *s, const char *func,
		const char *shown, u64 file_offset)
{
	struct upoint_need need = upoint_need_of(m->env, m->is_return);
	const char *why = m->is_return ? no_return(m, s) : NULL, *no_jump = NULL;
	struct target *t;
	struct upoint at;

	if (!m->finder) {
		m->finder = upoint_finder_new(m->env, m->elf);
		m->unwinds = uret_unwinds(m->elf);
		if (m->unwinds == UNWINDS_NOT && m->env->request->probes.keeps_return_addresses)
			m->unwinds = UNWINDS_STACKS;
	}
	if (m->env->attach.records && !why &&
	    (m->is_return ? add_exit_jumps(m, s, func, shown, &no_jump) :
			    add_jump(m, s, func, shown, file_offset, &no_jump)))
		return;
	if (m->is_return && !why && add_rets(m, s, func, shown, no_jump))
		return;
	if (m->unwinds == UNWINDS_GO)
		find_in_go(m, s, &at);
	else
		upoint_find(m->finder, s, &need, &at);
	if (why || at.refused) {
		if (!m->many)
			bad_offset(m, why ? why : at.refused);
		else if (!why)
			leave_out(m, shown, at.refused);
		return;
	}
	t = ufunc_add_exactly(m, func, shown, file_offset);
	t->site.user.no_jump = no_jump;
	if (m->unwinds == UNWINDS_GO) {
		t->site.user.offset += at.offset;
		t->profile = with_caller(m, t->profile, &at);
		return;
	}
	if (t->profile->fixed_address) /* the position of its variables */
		return;
	t->site.user.offset += at.offset;
	t->site.note = at.why;
	t->profile = upoint_profile(m->env, t->profile, &at);
	if (!m->is_return) /* at a return the instruction pointer is already the caller's */
		t->profile = with_caller(m, t->profile, &at);
}

static void close_file(struct ufunc_match *m)
{
	upoint_finder_free(m->finder);
	m->finder = NULL;
	m->without_call.known = false;
	elf_close(m->elf);
}

/* ---- functions of one file */

static int add_symbol(void *ctx, const struct elf_symbol *s)
{
	struct ufunc_match *m = ctx;
	const char *name;
	u64 offset;

	if (!elf_address_to_offset(m->elf, s->value, &offset))
		return 0;
	name = arena_strdup(m->env->arena, s->name);
	add(m, s, name, name, offset);
	return 0;
}

const char *ufunc_cpp_name(struct ufunc_match *m, const struct elf_symbol *s)
{
	char *shown = demangle_matches(s->name, m->func) ? demangle(s->name) : NULL;
	const char *name = shown ? arena_strdup(m->env->arena, shown) : NULL;

	free(shown);
	if (!name && !starts_with(s->name, "_Z") &&
	    glob_match(m->func, s->name)) /* of C: main() is */
		name = arena_strdup(m->env->arena, s->name);
	if (!name || (m->last_cpp && m->last_value == s->value && streq(m->last_cpp, name)))
		return NULL;
	m->last_cpp = name;
	m->last_value = s->value;
	return name;
}

static int add_cpp(void *ctx, const struct elf_symbol *s)
{
	struct ufunc_match *m = ctx;
	const char *shown = ufunc_cpp_name(m, s);
	u64 offset;

	if (shown && elf_address_to_offset(m->elf, s->value, &offset))
		add(m, s, shown, shown, offset);
	return 0;
}

static int near_symbol(void *ctx, const struct elf_symbol *s)
{
	struct ufunc_match *m = ctx;

	near_try(&m->near, s->name);
	return 0;
}

/* The name of C++ or Rust without its parameters. */
static int near_cpp(void *ctx, const struct elf_symbol *s)
{
	struct ufunc_match *m = ctx;
	char *shown = demangle(s->name);

	if (shown && !strchr(m->func, '('))
		shown[strcspn(shown, "(")] = '\0';
	if (shown)
		near_try(&m->near, shown);
	if (m->near.best == shown && shown)
		m->near.best = arena_strdup(m->env->arena, shown);
	free(shown);
	return 0;
}

struct meant {
	struct ufunc_match *m;
	const char *pattern[2];
};

/* A function of C++ or Rust by its unqualified name. */
static int inner_name(void *ctx, const struct elf_symbol *s)
{
	const struct meant *meant = ctx;
	struct ufunc_match *m = meant->m;

	for (u32 i = 0; i < ARRAY_SIZE(meant->pattern); i++)
		if (demangle_matches(s->name, meant->pattern[i])) {
			m->ts.help = arena_printf(m->env->arena, "did you mean %s:%s:cpp:\"%s\"?",
						  m->spec->provider->name, m->path,
						  meant->pattern[i]);
			return 1;
		}
	return 0;
}

/* Suggests a similar name if one file is named. */
static void suggest(struct ufunc_match *m)
{
	struct meant meant = { m, { m->func, arena_printf(m->env->arena, "*::%s", m->func) } };

	elf_each_function(m->elf, NULL, m->is_cpp ? near_cpp : near_symbol, m);
	if (!near_best(&m->near))
		elf_each_function(m->elf, NULL, inner_name, &meant);
	if (near_best(&m->near)) /* must outlive the file */
		m->near.best = arena_strdup(m->env->arena, m->near.best);
	else if (!m->ts.help && elf_is_stripped(m->elf) && !elf_debug_file(m->elf))
		m->ts.help = arena_printf(
			m->env->arena,
			"%s has no symbol table: install its -dbgsym (-dbg, -debuginfo) "
			"package, or list what it has: sonde list 'uprobe:%s:*'",
			m->path, m->shown_path);
}

static int unsafe(struct ufunc_match *m)
{
	struct diag *d = probe_report(
		m->env, m->spec, D_UNSAFE_PROBE,
		arena_printf(
			m->env->arena,
			"Could not determine instruction boundary for %s (binary appears stripped).",
			spec_name(m->env, m->spec)));

	probe_help(m->env, d,
		   "Use --unsafe to force attachment. WARNING: "
		   "This option could lead to data corruption in the target process.");
	return m->error = -EPERM;
}

static int check_boundary(struct ufunc_match *m, const struct elf_symbol *s, u64 offset)
{
	if (!offset || m->env->request->compile.unsafe)
		return 0;
	if (s->size && offset >= s->size)
		return bad_point(
			m, arena_printf(m->env->arena,
					"Offset outside the function bounds ('%s' size is %llu)",
					s->name, (unsigned long long)s->size));
	switch (ufile_boundary(m->elf, s->value, offset)) {
	case BOUNDARY_YES: return 0;
	case BOUNDARY_NO:
		return bad_point(m,
				 arena_printf(m->env->arena,
					      "Could not add uprobe into middle of instruction: %s",
					      spec_rest(m->env->arena, m->spec, 1)));
	case BOUNDARY_UNKNOWN: break;
	}
	return unsafe(m);
}

static void warn_ifunc(struct ufunc_match *m, const char *name)
{
	struct diag *d = probe_report(m->env, m->spec, D_IFUNC_PROBE, name);

	probe_help(m->env, d, "probe the implementations by a pattern: %s:%s:__%s_*",
		   m->spec->provider->name, m->path, name);
}

/* Replaces the name by the implementation that is called. False: unknown. */
static bool add_chosen(struct ufunc_match *m, const char *name)
{
	struct elf_symbol s;
	const char *own;
	u64 file_offset;

	if (!uifunc_choice(path_to_open(m), m->elf, name, &s) ||
	    !elf_address_to_offset(m->elf, s.value, &file_offset))
		return false;
	own = *s.name ? arena_strdup(m->env->arena, s.name) : "one without a name";
	add(m, &s, name, name, file_offset);
	if (!m->error)
		probe_report(m->env, m->spec, D_IFUNC_CHOSEN, name, own);
	return true;
}

static int add_offset(struct ufunc_match *m, const char *name, const struct elf_symbol *s,
		      u64 offset)
{
	const char *shown =
		offset ? arena_printf(m->env->arena, "%s+%llu", name, (unsigned long long)offset) :
			 name;
	int ret = check_boundary(m, s, offset);
	u64 address = s->value;
	const char *why = offset ? upoint_refuses(m->elf, s->value + offset) : NULL;
	u64 file_offset;

	if (s->type == STT_OBJECT || s->type == STT_COMMON)
		return bad_offset(m, "it is a variable, which is not executed");
	if (s->type == STT_GNU_IFUNC && !offset && add_chosen(m, name))
		return m->error;
	if (ret < 0 || why)
		return ret < 0 ? ret : bad_offset(m, why);
	if (offset)
		address = upoint_exact(m->env, m->elf, s->value + offset, &why);
	if (why)
		return bad_offset(m, why);
	if (elf_address_to_offset(m->elf, address, &file_offset)) {
		if (offset)
			ufunc_add_exactly(m, name, shown, file_offset);
		else
			add(m, s, name, shown, file_offset);
	}
	if (s->type == STT_GNU_IFUNC)
		warn_ifunc(m, name);
	return 0;
}

/* An entry of the PLT, which jumps to a function of another file. */
static bool stub_at(const struct elf *e, u64 address, struct elf_symbol *out)
{
	struct elf_section s;

	if (!elf_section_around(e, address, ".plt", &s) || (address - s.address) % 8)
		return false;
	*out = (struct elf_symbol){ .name = "", .value = address, .size = 16 };
	return true;
}

static int add_address(struct ufunc_match *m, u64 address)
{
	struct elf_symbol s = { 0 };
	const char *why;
	bool known;
	u64 offset;

	if (!elf_address_to_offset(m->elf, address, &offset))
		return bad_offset(m, "the address is in no loaded part of the file");
	known = elf_symbol_at(m->elf, address, &s) || stub_at(m->elf, address, &s) ||
		elf_frame_at(m->elf, address, &s);
	if (known && check_boundary(m, &s, address - s.value) < 0)
		return m->error;
	if (known && s.value == address) {
		add(m, &s, *s.name ? arena_strdup(m->env->arena, s.name) : m->func, m->func,
		    offset);
		return m->error;
	}
	if (m->is_return)
		return bad_offset(m, "a return probe needs the start of a function");
	why = upoint_refuses(m->elf, address);
	if (!why)
		offset += upoint_exact(m->env, m->elf, address, &why) - address;
	if (why)
		return bad_offset(m, why);
	if (!known && !m->env->request->compile.unsafe)
		return unsafe(m);
	ufunc_add_exactly(m, known && *s.name ? arena_strdup(m->env->arena, s.name) : NULL, m->func,
			  offset);
	return 0;
}

struct symbols {
	struct arena *arena;
	VEC(struct elf_symbol) list;
};

static int keep_symbol(void *ctx, const struct elf_symbol *s)
{
	struct symbols *all = ctx;

	vec_push(all->arena, &all->list, *s);
	return 0;
}

static const char *clone_names(struct ufunc_match *m, const struct symbols *all)
{
	const char *first = all->list.v[0].name;

	return all->list.n == 1 ?
		       first :
		       arena_printf(m->env->arena, "%s and %u more", first, all->list.n - 1);
}

/* Clones take different arguments, so argN would be wrong: they are reported, not probed. */
static void tell_clones(struct ufunc_match *m, const char *name)
{
	struct symbols all = { .arena = m->env->arena };
	struct diag *d;

	elf_each_clone(m->elf, name, keep_symbol, &all);
	if (!all.list.n)
		return;
	d = probe_report(m->env, m->spec, D_CLONES_LEFT, name, clone_names(m, &all));
	probe_help(m->env, d, "%s:%s:%s.* are the copies", m->spec->provider->name, m->path, name);
}

/* Adds all functions with the name: one, or the static ones of several files. */
static bool add_whole(struct ufunc_match *m, const char *name)
{
	struct symbols all = { .arena = m->env->arena };

	elf_each_named(m->elf, name, keep_symbol, &all);
	m->many |= all.list.n > 1;
	for (u32 i = 0; i < all.list.n && !m->error; i++)
		add_offset(m, name, &all.list.v[i], 0);
	if (all.list.n && !m->error && m->by_name) {
		tell_clones(m, name);
		uline_tell_inlined(m->env, m->spec, m->path, m->elf, name);
	}
	return all.list.n > 0;
}

/* Clones of a function that has no code under its own name. */
static void add_clones(struct ufunc_match *m)
{
	struct symbols all = { .arena = m->env->arena };

	elf_each_clone(m->elf, m->func, keep_symbol, &all);
	if (!all.list.n)
		return;
	m->many = true;
	for (u32 i = 0; i < all.list.n && !m->error; i++)
		add_symbol(m, &all.list.v[i]);
	if (!m->error)
		probe_report(m->env, m->spec, D_CLONES_PROBED, m->func, clone_names(m, &all));
}

static int add_named(struct ufunc_match *m)
{
	const char *plus = strrchr(m->func, '+'), *name = m->func;
	struct elf_symbol s;
	u64 value = 0;

	if (add_whole(m, name)) /* operator+ and friends have one in their names */
		return m->error;
	if (text_number(m->func, &value))
		return add_address(m, value);
	if (!plus)
		return 0;
	if (!text_number(plus + 1, &value))
		return bad_point(m, plus[1] ? arena_printf(m->env->arena, "Invalid offset: %s",
							   text_fault(m->env->arena, plus + 1)) :
					      "Invalid offset");
	if (m->is_return && value)
		return bad_point(m, "Offset not allowed");
	name = arena_strndup(m->env->arena, name, (size_t)(plus - name));
	return elf_find(m->elf, name, &s) ? add_offset(m, name, &s, value) : 0;
}

/* Adds the inlined copies of a function that has no separate code. */
static void add_rest(struct ufunc_match *m)
{
	if (!m->is_return)
		uline_add_inlined(m);
	add_clones(m);
}

static void no_elf(struct ufunc_match *m, int error, const char *why)
{
	if (m->many) /* in a pattern of files, unreadable ones are skipped */
		return;
	m->error = error;
	struct diag *d = probe_report(m->env, m->spec, D_BAD_BINARY, why);
	u64 offset;

	if (error == -ENOEXEC && text_number(m->func, &offset))
		probe_help(m->env, d, "--unsafe probes whatever is at that offset of the file");
}

/* Code that is not an ELF file, such as a JIT's or an image: --unsafe probes an offset of the
 * file. */
static bool add_flat(struct ufunc_match *m, int error)
{
	u64 offset;
	struct target *t;

	if (error != -ENOEXEC || m->is_cpp || !m->env->request->compile.unsafe ||
	    !text_number(m->func, &offset))
		return false;
	t = targets_add(m->env, &m->ts, SITE_UPROBE,
			arena_printf(m->env->arena, "%s:%s:%s", m->spec->provider->name,
				     m->shown_path, m->func),
			ufunc_profile(m));
	t->site.user.path = path_to_open(m);
	t->site.user.offset = offset;
	env_bind(m->env, &t->site);
	m->n_files++;
	return true;
}

static void match_list(struct ufunc_match *m)
{
	const char *all = m->func;

	m->is_of_list = true;
	for (const char *s = all; *s && !m->error;) {
		size_t n = strcspn(s, "|");

		m->func = arena_strndup(m->env->arena, s, n);
		if (n)
			add_named(m);
		s += n + (s[n] == '|');
	}
	m->func = all;
	m->is_of_list = false;
}

static void match_functions(struct ufunc_match *m)
{
	m->last_cpp = NULL;
	if (m->is_cpp)
		elf_each_function(m->elf, NULL, add_cpp, m);
	else if (ufunc_is_list(m))
		match_list(m);
	else if (glob_has_wildcard(m->func))
		elf_each_function(m->elf, m->func, add_symbol, m);
	else
		add_named(m);
}

bool ufunc_may_fetch(const struct ufunc_match *m)
{
	return elf_is_stripped(m->elf) && !elf_debug_file(m->elf) &&
	       !(m->binary && glob_has_wildcard(m->binary));
}

int ufunc_match_file(void *ctx, const char *path)
{
	struct ufunc_match *m = ctx;
	struct err err = { 0 };
	const char *foreign;
	u32 before = m->ts.list.n;

	m->path = path;
	m->shown_path = ufile_shown(m->binary, path);
	m->elf = elf_open(path_to_open(m), &err);
	if (!m->elf) {
		m->unread = err.code;
		if (!add_flat(m, err.code))
			no_elf(m, err.code, err.text);
		return 0;
	}
	foreign = ufile_is_foreign(m->env, m->elf);
	if (foreign) {
		no_elf(m, -ENOEXEC, foreign);
		elf_close(m->elf);
		return m->error;
	}
	m->n_files++;
	match_functions(m);
	if (m->ts.list.n == before && !m->error && ufunc_may_fetch(m) &&
	    elf_fetch_debug_file(m->elf))
		match_functions(m);
	if (m->ts.list.n == before && m->by_name && !m->error)
		add_rest(m);
	if (m->ts.list.n == before && m->is_exact && !m->error)
		suggest(m);
	close_file(m);
	return m->error;
}
