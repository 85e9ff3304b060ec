/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes whose binary is a pattern, or was replaced by a new file of its name, in files that come while we
 * look. watch.c tells of each before it runs; the provider resolves it, and what it finds is attached with
 * the programs that the clause has already: one whose profile is the same is there, because compiling asked
 * for the plain one (site.later).
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/glob.h"
#include "session/run.h"
#include "session/watch.h"
#include "sym/procs.h"

struct found {
	struct run *r;
	const struct late *late;
	VEC(struct target *) targets;
};

static int keep(void *ctx, struct target *t)
{
	struct found *f = ctx;

	if (!t->site.later)
		vec_push(&f->r->c.arena, &f->targets, t);
	return 0;
}

/* Whether the program can say which site it is: by the cookie, or because it is the one compiled in. */
static bool knows_site(const struct found *f, const struct profile *p, const struct target *t)
{
	const struct program *prog = &f->r->c.prog;

	if (!f->late->reads_name || p->site_from_cookie)
		return true;
	return p->site < prog->sites.n && streq(prog->sites.v[p->site].probe, t->site.probe);
}

/* The types that the file defines were used when the clause was compiled; where the arguments lie counts. */
static bool same_layout(const struct profile *compiled, const struct profile *now)
{
	struct profile p = *now;

	p.types = compiled->types;
	return profile_equal(compiled, &p);
}

static u32 instance_of(const struct found *f, const struct target *t)
{
	const struct compiled *c = &f->r->c;

	for (u32 i = f->late->first; i < f->late->end; i++)
		if (same_layout(c->instances.v[i]->profile, t->profile) && knows_site(f, c->instances.v[i]->profile, t))
			return i;
	return NO_INDEX;
}

/* The first site whose function has the name, for keys that are functions. */
static u32 same_func(const struct program *p, u32 site)
{
	const char *func = p->sites.v[site].func;

	for (u32 i = 0; func && i < site; i++)
		if (p->sites.v[i].func && streq(p->sites.v[i].func, func))
			return i;
	return site;
}

static void tell_func(struct run *r, u32 site)
{
	const struct program *p = &r->c.prog;
	u32 at = p->func_table + (site & ~1u) * 4, shift = (site & 1) * 32;
	u64 word;

	if (!p->func_room || site >= p->func_room)
		return;
	word = run_data_u64(r, at) & ~(0xffffffffull << shift);
	run_set_data_u64(r, at, word | (u64)same_func(p, site) << shift);
}

static void message(struct run *r, const char *text)
{
	r->o->sink->output->message(r->o->sink, "warnf", (struct span){ 0, 0 }, text);
}

static void refused(void *ctx, const struct site *site, const struct err *err)
{
	struct run *r = ctx;
	struct buf text = { 0 };

	buf_printf(&text, "%s: %s; skipping", site->probe, err->text);
	message(r, text.s);
	buf_release(&text);
}

static void number(struct run *r, struct site *s)
{
	struct compiled *c = &r->c;

	vec_push(&c->arena, &c->prog.sites, (struct site_name){ s->probe, s->func });
	s->index = c->prog.sites.n - 1;
	tell_func(r, s->index);
	r->n_appeared++;
}

/* All sites of one program in one call. */
static void attach_found(struct found *f, u32 func)
{
	struct run *r = f->r;
	const struct site **sites = arena_array(&r->c.arena, const struct site *, f->targets.n + 1);
	struct err err = { 0 };
	u32 n = 0;

	for (u32 i = 0; i < f->targets.n; i++) {
		struct target *t = f->targets.v[i];

		if (instance_of(f, t) != func)
			continue;
		if (r->n_appeared + 1 >= r->c.prog.spare_sites) {
			message(r, "too many probes came while sonde ran; the rest is left out");
			break;
		}
		number(r, &t->site);
		sites[n++] = &t->site;
	}
	if (n && kernel_attach_many(r->k, func, sites, n, refused, r, &err) < 0)
		message(r, err.text);
	err_release(&err);
}

static bool concerns(const struct late *l, const char *path, const char *open_path)
{
	struct stat a, b;

	if (streq(l->pattern, "*") || fnmatch(l->pattern, path, FNM_PATHNAME) == 0)
		return true;
	if (!glob_has_wildcard(l->pattern))
		return stat(l->pattern, &a) == 0 && stat(open_path, &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
	return false;
}

/* Patterns with links in their folders: the same files by another name. */
static bool concerns_by_name(const struct late *l, const char *path)
{
	const char *slash = strrchr(path, '/'), *last = strrchr(l->pattern, '/');
	char *folder, *real;
	bool same = false;

	if (!slash || !last || last == l->pattern || fnmatch(last + 1, slash + 1, 0) != 0)
		return false;
	folder = xasprintf("%.*s", (int)(last - l->pattern), l->pattern);
	real = glob_has_wildcard(folder) ? NULL : realpath(folder, NULL);
	same = real && strlen(real) == (size_t)(slash - path) && !memcmp(real, path, (size_t)(slash - path));
	free(folder);
	free(real);
	return same;
}

/* Later clauses first, as the kernel runs the newest first. Whether anything is there. */
static bool handle(struct run *r, const char *path, const char *open_path)
{
	bool any = false;

	path = arena_strdup(&r->c.arena, path);
	open_path = arena_strdup(&r->c.arena, open_path);
	for (u32 i = r->c.lates.n; i-- > 0;) {
		const struct late *l = &r->c.lates.v[i];
		struct found f = { .r = r, .late = l };

		if (!concerns(l, path, open_path) && !concerns_by_name(l, path))
			continue;
		l->env->diags = NULL;
		l->spec->provider->resolve_file(l->env, l->spec, path, open_path, keep, &f);
		for (u32 func = l->end; func-- > l->first;)
			attach_found(&f, func);
		any |= f.targets.n > 0;
	}
	return any;
}

/* What came between resolving and watching. */
static int look_again(void *ctx, const char *path)
{
	struct run *r = ctx;

	if (!watch_is_known(r->watch, path) && handle(r, path, path))
		watch_known(r->watch, path);
	return 0;
}

static int look_at_program(void *ctx, u32 pid)
{
	struct run *r = ctx;
	const char *path = proc_exe(&r->c.arena, pid);

	return path ? look_again(r, path) : 0;
}

void appear_start(struct run *r)
{
	if (!r->c.lates.n || r->vm || r->o->dry_run || !(r->watch = watch_new()))
		return;
	for (u32 i = 0; i < r->c.sites.n; i++)
		if (r->c.sites.v[i].site.kind == SITE_UPROBE && r->c.sites.v[i].site.path)
			watch_known(r->watch, r->c.sites.v[i].site.path);
	for (u32 i = 0; i < r->c.lates.n; i++) {
		struct late *l = &r->c.lates.v[i];
		const char *path = NULL;

		if (!glob_has_wildcard(l->pattern))
			path = path_find_binary(&r->c.arena, l->pattern, -1);
		if (path)
			l->pattern = path;
		watch_add(r->watch, l->pattern);
	}
	watch_start(r->watch);
	for (u32 i = 0; i < r->c.lates.n; i++) {
		const char *pattern = r->c.lates.v[i].pattern;

		if (streq(pattern, "*"))
			proc_each(look_at_program, r);
		else
			path_glob(&r->c.arena, pattern, look_again, r);
	}
}

int appear_fd(const struct run *r)
{
	return r->watch ? watch_fd(r->watch) : -1;
}

void appear_turn(struct run *r)
{
	const char *path, *open_path;

	while (r->watch && (path = watch_next(r->watch, &open_path)))
		watch_done(r->watch, handle(r, path, open_path));
}

void appear_end(struct run *r)
{
	watch_free(r->watch);
	r->watch = NULL;
}
