/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads and attaches the compiled programs so that the clauses of a script run in its order.
 *
 * A kernel puts a new program on a kprobe, uprobe or trampoline in front of the others
 * (kernel/kprobes.c: add_new_kprobe; kernel/trace/ftrace.c: add_ftrace_ops;
 * kernel/bpf/trampoline.c: hlist_add_head), and a new program on a tracepoint or perf event after
 * the others. So sites of the first kind are attached from the last clause to the first. Kernel
 * return probes that the function graph does not make stack their entries: the last one runs first.
 *
 * If the kernel refuses one site of a pattern, the site is skipped with a warning; if the script
 * names the site, the refusal is an error.
 */
#include <errno.h>
#include <stdio.h>
#include "session/run.h"
#include "session/system.h"
#include "sym/kallsyms.h"

enum { TOLD_ONE_BY_ONE = 5 };

struct skipped { /* of one clause */
	struct run *r;
	u32 n;
};

/* The sites of each function in one engine, in the order of the script. */
struct sites_of {
	const struct site **v;
	u32 n;
	bool runs_here; /* it has sites of any kind there */
	bool joined;    /* one program for entry and return: the entry's sites stand for both */
};

/*
 * A function of BTF that has another name in the kernel: the run restarts with the kernel's names.
 */
static bool is_renamed(struct compiled *c, const struct site *s)
{
	struct ksym found;

	return s->kind == SITE_KPROBE && s->kernel.symbol && !s->kernel.module &&
	       !c->attempt.no_substitutes &&
	       !kallsyms_find(system_kallsyms(&c->system), s->kernel.symbol, NULL, &found);
}

static void skip(void *ctx, const struct site *site, const struct err *err)
{
	struct skipped *s = ctx;
	struct buf text = { 0 };

	s->r->attach.again.substitute_refused |= is_renamed(&s->r->c, site);
	if (s->r->attach.again.substitute_refused)
		return;
	s->r->c.n_probes--;
	s->r->attach.skipped_some = true;
	if (s->r->c.env.config.missing_probes == MISSING_IGNORE)
		return;
	if (s->n++ >= TOLD_ONE_BY_ONE && !s->r->request->verbose)
		return;
	buf_printf(&text, "Unable to attach probe: %s. Skipping. (%s%s%s)", site->probe, err->text,
		   err->help[0] ? "; " : "", err->help);
	sink_warn(s->r->sink, text.s);
	buf_release(&text);
}

static void tell_rest(const struct skipped *s)
{
	struct buf text = { 0 };

	if (s->n <= TOLD_ONE_BY_ONE || s->r->request->verbose)
		return;
	buf_printf(&text, "and %u more are skipped (-v names them)", s->n - TOLD_ONE_BY_ONE);
	sink_warn(s->r->sink, text.s);
	buf_release(&text);
}

static bool run_by_hand(const struct site *s)
{
	return s->kind == SITE_ONCE || s->kind == SITE_SIGNAL;
}

static bool newest_runs_first(struct compiled *c, const struct site *s)
{
	switch (s->kind) {
	case SITE_KPROBE: return !s->is_return || feature_has(c->features, FEAT_FPROBE_GRAPH);
	case SITE_UPROBE:
	case SITE_TRAMPOLINE: return true;
	case SITE_ONCE:
	case SITE_SIGNAL:
	case SITE_PERF_TRACEPOINT:
	case SITE_RAW_TRACEPOINT:
	case SITE_PERF_SOFTWARE:
	case SITE_PERF_TIMER:
	case SITE_RECORD:
	case SITE_WATCHPOINT:
	case SITE_ITER: break;
	}
	return false;
}

/* Sites of a process apply to the command if there is one. */
static void bind_to_child(const struct child_process *child, const struct instance *in,
			  struct site *s)
{
	if (s->is_of_command ||
	    (s->kind == SITE_WATCHPOINT && in->profile->only_child && child->pid))
		s->pid = child->pid;
}

/* Those of the first function; its neighbors' follow. */
static struct sites_of *sites_in(struct run *r, const struct used_engine *u)
{
	return r->attach.sites + (size_t)(u - r->engines.v) * r->c.instances.n;
}

static struct sites_of *sites_of(struct run *r, const struct target_site *t)
{
	return &sites_in(r, engine_of(&r->engines, t))[t->func];
}

static void sites_by_func(struct run *r)
{
	u32 n = r->c.n_engines * r->c.instances.n;

	r->attach.sites = arena_array(&r->c.arena, struct sites_of, n + 1);
	for (u32 i = 0; i < r->c.sites.n; i++)
		sites_of(r, &r->c.sites.v[i])->n++;
	for (u32 f = 0; f < n; f++) {
		struct sites_of *s = &r->attach.sites[f];

		s->v = arena_array(&r->c.arena, const struct site *, s->n + 1);
		s->runs_here = s->n || r->c.n_engines == 1;
		s->n = 0;
	}
	for (u32 i = 0; i < r->c.sites.n; i++) {
		struct target_site *t = &r->c.sites.v[i];
		struct sites_of *s = sites_of(r, t);

		bind_to_child(&r->child, r->c.instances.v[t->func], &t->site);
		if (!run_by_hand(&t->site))
			s->v[s->n++] = &t->site;
	}
}

/* Whether the clause names exactly this site. */
static bool is_wanted(const struct compiled *c, u32 func, const struct sites_of *sites)
{
	const struct instance *in = c->instances.v[func];

	return c->env.config.missing_probes == MISSING_ERROR && sites->n == 1 &&
	       !in->clause->attaches->next && !in->is_one_of_many;
}

static void skip_func(struct skipped *s, struct sites_of *sites, struct err *err)
{
	for (u32 i = 0; i < sites->n; i++)
		skip(s, sites->v[i], err);
	sites->n = 0;
	err_release(err);
	*err = (struct err){ 0 };
}

/*
 * Where each kernel function is an event of its own the kernel looks its name up: four times
 * through all of its symbols in 5.10, which is most of what attaching costs there (60 ms of 65 in a
 * guest). We know where they are after one look.
 */
static void address_kprobes(struct run *r)
{
	enum { WORTH_READING = 8 };
	u32 n = 0;

	for (u32 i = 0; i < r->c.sites.n; i++)
		n += r->c.sites.v[i].site.kind == SITE_KPROBE;
	if (n < WORTH_READING || !engines_on_this_kernel(&r->engines) ||
	    feature_has(r->c.features, FEAT_KPROBE_MULTI))
		return;
	for (u32 i = 0; i < r->c.sites.n; i++) {
		struct site *s = &r->c.sites.v[i].site;
		struct kallsyms *ksyms = system_kallsyms(&r->c.system);
		struct ksym found;

		if (s->kind == SITE_KPROBE && s->kernel.symbol && !s->kernel.address &&
		    !s->kernel.module &&
		    kallsyms_occurrences(ksyms, s->kernel.symbol, "vmlinux") == 1 &&
		    kallsyms_find(ksyms, s->kernel.symbol, "vmlinux", &found) &&
		    ksym_is_text(&found))
			s->kernel.address = found.address;
	}
}

/* Errors that the next site would get, too. */
static bool is_final(const struct used_engine *u, int code)
{
	if (code == -EPERM || code == -EACCES)
		return u->ops->has_rights && !u->ops->has_rights();
	return code == -EMFILE || code == -ENFILE || code == -ENOMEM;
}

/* Reports loop bounds that were lowered to make the program load. */
static void note_bounds(struct compiled *c, const struct used_engine *u, u32 func)
{
	const struct bpf_func *f = c->prog.funcs.v[func];

	for (u32 i = 0; u->ops->loop_turns && i < f->n_relocs; i++) {
		const struct reloc *rel = &f->relocs[i];

		if (rel->kind == RELOC_BOUND)
			c->prog.losses.v[rel->index].where =
				arena_printf(c->prog.arena, "%u iterations",
					     u->ops->loop_turns(u->self, func, rel->insn));
	}
}

/* A trampoline in place of a kprobe: not what the script asks for, and no reason to fail. */
static bool is_substitute(const struct sites_of *sites)
{
	return sites->n && sites->v[0]->is_substitute;
}

/* Loads pairs as one program; if the engine refuses one, both are loaded separately. */
static void load_sessions(struct run *r, const struct used_engine *u)
{
	struct sites_of *of = sites_in(r, u);

	for (u32 f = 0; u->ops->load_session && f < r->c.prog.funcs.n; f++) {
		u32 partner = r->c.instances.v[f]->partner;

		if (partner != NO_INDEX && of[f].n && of[f].v[0]->twin &&
		    u->ops->load_session(u->self, f, partner, of[f].v[0]))
			of[f].joined = of[partner].joined = true;
	}
}

/*
 * Kernels list raw tracepoints that pass errors in place of pointers (kernel/bpf/btf.c,
 * raw_tp_null_args, since 6.13 and in later 6.12), and refuse direct loads through such arguments.
 */
static bool may_be_direct_load(const struct compiled *c, u32 f, int ret)
{
	return ret == -EACCES && !c->attempt.no_direct_loads &&
	       c->instances.v[f]->profile->kind == PROFILE_BTF &&
	       c->instances.v[f]->profile->may_be_null;
}

bool is_tried_again(const struct run_again *again)
{
	return again->too_big || again->substitute_refused || again->direct_load_refused;
}

static int load_func(struct run *r, const struct used_engine *u, u32 f, struct skipped *skipped,
		     struct err *err)
{
	struct sites_of *s = &sites_in(r, u)[f];
	int ret = u->ops->load(u->self, f, s->n ? s->v[0] : NULL, err);

	r->attach.again.too_big |= ret == -E2BIG && !r->c.attempt.compact;
	r->attach.again.substitute_refused |= ret < 0 && !r->attach.again.too_big &&
					      (is_substitute(s) || r->c.instances.v[f]->jump);
	r->attach.again.direct_load_refused |= may_be_direct_load(&r->c, f, ret);
	if (ret < 0 && !is_tried_again(&r->attach.again) && r->c.instances.v[f]->is_one_of_many &&
	    !is_final(u, ret)) {
		skip_func(skipped, s, err);
		ret = 0;
	}
	if (ret < 0)
		err_wrap(err, "load the program of %s", r->c.instances.v[f]->name);
	else
		note_bounds(&r->c, u, f);
	return ret;
}

static int load_in(struct run *r, const struct used_engine *u, struct skipped *skipped,
		   struct err *err)
{
	const struct sites_of *of = sites_in(r, u);
	int ret = u->ops->create_maps ? u->ops->create_maps(u->self, err) : 0;

	if (!ret)
		load_sessions(r, u);
	for (u32 f = 0; u->ops->load && f < r->c.prog.funcs.n && ret >= 0; f++)
		if (of[f].runs_here && !of[f].joined)
			ret = load_func(r, u, f, skipped, err);
	return ret;
}

int load_all(struct run *r, struct err *err)
{
	struct skipped skipped = { r, 0 };
	int ret = 0;

	address_kprobes(r);
	sites_by_func(r);
	for (struct used_engine *u = engines_next(&r->engines, NULL); u && ret >= 0;
	     u = engines_next(&r->engines, u))
		ret = load_in(r, u, &skipped, err);
	tell_rest(&skipped);
	return ret < 0 ? ret : 0;
}

static void tell_unable(const struct site *s, struct err *err)
{
	struct err why = *err;

	snprintf(
		err->text, sizeof err->text,
		"Unable to attach probe: %s. If this is expected, set the 'missing_probes' config variable to 'warn'.",
		s->probe);
	err_help(err, "%.250s%s%.250s", why.text, why.help[0] ? "\n" : "", why.help);
}

static int attach_func(struct run *r, const struct used_engine *u, u32 f, struct skipped *skipped,
		       struct err *err)
{
	struct sites_of *s = &sites_in(r, u)[f];
	/* without its user's notice a command's script goes to the engine that serves all of it */
	bool whole = u->ops->has_substitute && r->request->script.is_of_command;
	bool must = is_substitute(s) || is_wanted(&r->c, f, s) || whole;
	struct attach_request a = { f, s->v, s->n, must ? NULL : skip, skipped };
	int ret = alone_attach(r, u, &a, err);

	r->attach.again.substitute_refused |= ret < 0 &&
					      (is_substitute(s) || is_renamed(&r->c, s->v[0]));
	if (ret < 0 && !r->attach.again.substitute_refused && !is_final(u, ret) &&
	    s->v[0]->kind != SITE_ITER)
		tell_unable(s->v[0], err);
	return r->attach.again.substitute_refused ? -ENOENT : ret;
}

enum turn { OLD_RETURNS, NEWEST_FIRST, OLDEST_FIRST, N_TURNS }; /* of attaching */

/*
 * Before 5.16 the kernel's unwinder ends at the trampoline that a return probe puts into the return
 * address: entry probes must run before those, and so are attached after them.
 */
static bool returns_come_first(struct compiled *c)
{
	return !feature_has(c->features, FEAT_KRETPROBE_UNWIND);
}

static enum turn turn_of(struct compiled *c, const struct site *s)
{
	if (newest_runs_first(c, s))
		return NEWEST_FIRST;
	return s->kind == SITE_KPROBE && s->is_return && returns_come_first(c) ? OLD_RETURNS :
										 OLDEST_FIRST;
}

static int attach_some(struct run *r, const struct used_engine *u, bool internal, enum turn turn,
		       struct err *err)
{
	u32 n = r->c.instances.n;
	struct skipped skipped = { r, 0 };
	int ret = 0;

	for (u32 i = 0; i < n && ret >= 0 && !r->end.exiting; i++) {
		u32 f = turn == NEWEST_FIRST ? n - 1 - i : i;
		const struct sites_of *s = &sites_in(r, u)[f];

		if (!s->n || r->c.instances.v[f]->internal != internal ||
		    turn_of(&r->c, s->v[0]) != turn || (s->joined && !s->v[0]->twin))
			continue;
		if (!signals_stop())
			ret = attach_func(r, u, f, &skipped, err);
		r->end.exiting |= signals_stop();
	}
	tell_rest(&skipped);
	return ret < 0 ? ret : 0;
}

/* Reports at once what is attached and will not run. */
static void tell_in_vain(struct run *r, const struct used_engine *u, bool internal)
{
	const struct sites_of *of = sites_in(r, u);
	const char *text = NULL;

	for (u32 f = 0; u->ops->in_vain && f < r->c.instances.n && !text; f++)
		if (of[f].n && r->c.instances.v[f]->internal == internal)
			text = u->ops->in_vain(of[f].v[0]);
	if (text)
		sink_warn(r->sink, text);
}

static int attach_in(struct run *r, const struct used_engine *u, bool internal, struct err *err)
{
	int ret = 0;

	for (enum turn t = OLD_RETURNS; u->ops->attach && t < N_TURNS && ret >= 0; t++)
		ret = attach_some(r, u, internal, t, err);
	return ret;
}

int attach_all(struct run *r, bool internal, struct err *err)
{
	int ret = 0;

	for (struct used_engine *u = engines_next(&r->engines, NULL); u && ret >= 0;
	     u = engines_next(&r->engines, u))
		ret = attach_in(r, u, internal, err);
	if (!ret && !r->c.n_probes && r->attach.skipped_some &&
	    !r->end.exiting) { /* nothing is left to wait for */
		err_set(err, -ENOENT, "Attachment failed for all probes.");
		return err->code;
	}
	for (struct used_engine *u = engines_next(&r->engines, NULL); u && ret >= 0;
	     u = engines_next(&r->engines, u))
		tell_in_vain(r, u, internal);
	return ret;
}
