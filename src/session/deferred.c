/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches probes to files that appear during the run: files that match the pattern of a probe, and
 * files that replace a probed one. deferred_watch.c reports each file before it runs; the provider
 * resolves the probe in it, and the sites get the programs that the clause has. A new layout of
 * arguments gets a program of its own (deferred_compile.c) while the process that runs the file is
 * held.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/clock.h"
#include "base/glob.h"
#include "provider/ufile.h"
#include "session/run.h"
#include "session/compile.h"
#include "session/deferred_watch.h"
#include "sym/procs.h"

/* restarts within as many seconds before sonde gives up: something ends the helper */
enum { MAX_WATCHES = 5 };

struct found {
	struct run *r;
	struct deferred_probe *probe;
	VEC(struct target *) targets;
	VEC(u32) func; /* of each target; NO_INDEX: it has none */
};

static int keep(void *ctx, struct target *t)
{
	struct found *f = ctx;

	if (traced_by_set(&f->r->request->traced))
		t->site.pid = -1;
	if (!t->site.is_deferred)
		vec_push(&f->r->c.arena, &f->targets, t);
	return 0;
}

static bool is_named_as(const struct site_name *n, const struct site *s)
{
	return streq(n->probe, s->probe) && streq(n->func ? n->func : "", s->func ? s->func : "");
}

/* Whether the program can say which site it is: by the cookie, or because it is the one compiled
 * in. */
static bool knows_site(const struct found *f, const struct profile *p, const struct target *t)
{
	const struct program *prog = &f->r->c.prog;

	if (!f->probe->reads_name || p->site.from_cookie)
		return true;
	if (p->site.index >= prog->sites.n)
		return false;
	return is_named_as(&prog->sites.v[p->site.index], &t->site);
}

/* Types that the file defines were used when the clause was compiled. Without typed arguments,
 * where the words of them lie counts. */
static bool same_layout(const struct deferred_probe *l, const struct profile *compiled,
			const struct profile *now)
{
	struct profile p = *now;

	if (!l->names_args)
		p.types = compiled->types;
	return profile_equal(compiled, &p);
}

static bool goes_with(const struct found *f, u32 instance, const struct target *t)
{
	const struct profile *p = f->r->c.instances.v[instance]->profile;

	if (f->probe->reads_file) /* its programs have addresses of other files */
		return false;
	return same_layout(f->probe, p, t->profile) && knows_site(f, p, t);
}

static u32 instance_of(const struct found *f, const struct target *t)
{
	for (u32 i = f->probe->first; i < f->probe->end; i++)
		if (goes_with(f, i, t))
			return i;
	for (u32 i = 0; i < f->probe->more.n; i++)
		if (goes_with(f, f->probe->more.v[i], t))
			return f->probe->more.v[i];
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
	word = engines_word(&r->engines, at) & ~(0xffffffffull << shift);
	engines_set_word(&r->engines, at, word | (u64)same_func(p, site) << shift);
}

static void tell_place(struct run *r, u32 site)
{
	const struct program *p = &r->c.prog;
	const struct site_name *n = &p->sites.v[site];
	u32 at = p->place_table + site * PLACE_WORDS * 8;

	if (site >= p->place_room)
		return;
	engines_set_word(&r->engines, at + PLACE_DISTANCE * 8, n->distance);
	engines_set_word(&r->engines, at + PLACE_SPAN * 8, n->span);
	engines_set_word(&r->engines, at + PLACE_ADDRESS * 8, n->address);
}

/* As much of its name as the others have room for. */
static void tell_text(struct run *r, u32 site)
{
	const struct program *p = &r->c.prog;
	const char *name = p->sites.v[site].probe;
	u32 at = p->site_text_off + site * p->site_text_len;
	char text[8];

	if (site >= p->site_text_rows)
		return;
	for (u32 i = 0; i < p->site_text_len; i += 8) {
		u64 word;

		memset(text, 0, sizeof text);
		strncpy(text, i < strlen(name) ? name + i : "", MIN(8u, p->site_text_len - 1 - i));
		memcpy(&word, text, sizeof word);
		engines_set_word(&r->engines, at + i, word);
	}
}

static void refused(void *ctx, const struct site *site, const struct err *err)
{
	struct run *r = ctx;
	struct buf text = { 0 };

	buf_printf(&text, "%s: %s; skipping", site->probe, err->text);
	sink_warn(r->sink, text.s);
	buf_release(&text);
}

static void number(struct run *r, struct site *s, bool by_place)
{
	struct compiled *c = &r->c;

	u32 before = c->prog.sites.n;

	resolve_site(c, s, by_place);
	if (c->prog.sites.n > before) {
		tell_func(r, s->index);
		tell_text(r, s->index);
		tell_place(r, s->index);
	}
	r->deferred.n_sites++;
}

static bool is_unfit(const struct deferred_probe *l, const struct profile *p)
{
	for (u32 i = 0; i < l->unfit.n; i++)
		if (same_layout(l, l->unfit.v[i], p))
			return true;
	return false;
}

static void tell_unfit(struct found *f, const struct target *t, const struct err *err)
{
	struct run *r = f->r;

	refused(r, &t->site, err);
	vec_push(&r->c.arena, &f->probe->unfit, t->profile);
}

/* Compiles a program for a layout that no other program has. */
static u32 make_instance(struct found *f, struct target *t)
{
	struct run *r = f->r;
	u32 data_from = r->c.prog.data_size, n_losses = r->c.prog.losses.n;
	struct err err = { 0 };
	int func;

	if (is_unfit(f->probe, t->profile))
		return NO_INDEX;
	func = deferred_compile(&r->c, f->probe, t, &err);
	if (func >= 0 && engines_extend(&r->engines, data_from) < 0)
		BUG("the data map is full");
	if (func < 0) {
		tell_unfit(f, t, &err);
		err_release(&err);
		return NO_INDEX;
	}
	losses_more(r, n_losses);
	vec_push(&r->c.arena, &f->probe->more, (u32)func);
	return (u32)func;
}

static void find_func(struct found *f, struct target *t)
{
	struct run *r = f->r;
	u32 func = NO_INDEX;

	if (r->deferred.n_sites + 1 >= r->c.prog.spare_sites) {
		if (!r->deferred.too_many)
			sink_warn(r->sink,
				  "too many probes appeared while sonde ran; the rest is skipped");
		r->deferred.too_many = true;
	} else {
		func = instance_of(f, t);
		number(r, &t->site, f->probe->reads_file);
		if (func == NO_INDEX)
			func = make_instance(f, t);
	}
	vec_push(&r->c.arena, &f->func, func);
}

/* All sites of one program in one call. */
static void attach_found(struct found *f, u32 func)
{
	struct run *r = f->r;
	const struct site **sites = xcalloc(f->targets.n + 1, sizeof(struct site *));
	struct attach_request a = { func, sites, 0, refused, r };
	const struct used_engine *u;
	struct err err = { 0 };

	for (u32 i = 0; i < f->targets.n; i++)
		if (f->func.v[i] == func)
			sites[a.n++] = &f->targets.v[i]->site;
	u = a.n ? engine_for_deferred(&r->engines, sites[0]) : NULL;
	if (u && alone_attach(r, u, &a, &err) < 0)
		sink_warn(r->sink, err.text);
	err_release(&err);
	free(sites);
}

static void attach_all_found(struct found *f)
{
	const struct deferred_probe *l = f->probe;

	for (u32 i = 0; i < f->targets.n; i++)
		find_func(f, f->targets.v[i]);
	for (u32 i = l->more.n; f->targets.n && i-- > 0;)
		attach_found(f, l->more.v[i]);
	for (u32 func = l->end; f->targets.n && func-- > l->first;)
		attach_found(f, func);
}

static bool concerns(const struct deferred_probe *l, const char *path, const char *open_path)
{
	struct stat a, b;

	if (streq(l->pattern, "*") || fnmatch(l->pattern, path, FNM_PATHNAME) == 0)
		return true;
	if (!glob_has_wildcard(l->pattern))
		return stat(l->pattern, &a) == 0 && stat(open_path, &b) == 0 &&
		       a.st_ino == b.st_ino && a.st_dev == b.st_dev;
	return false;
}

/* Patterns with links in their folders: the same files by another name. */
static bool concerns_by_name(const struct deferred_probe *l, const char *path)
{
	const char *slash = strrchr(path, '/'), *last = strrchr(l->pattern, '/');
	char *folder, *real;
	bool same = false;

	if (!slash || !last || last == l->pattern || fnmatch(last + 1, slash + 1, 0) != 0)
		return false;
	folder = xasprintf("%.*s", (int)(last - l->pattern), l->pattern);
	real = glob_has_wildcard(folder) ? NULL : realpath(folder, NULL);
	same = real && strlen(real) == (size_t)(slash - path) &&
	       !memcmp(real, path, (size_t)(slash - path));
	free(folder);
	free(real);
	return same;
}

/* A file that is no program, or was deleted meanwhile, is not reported. */
static void tell_unread(struct run *r, const char *path, int ret)
{
	if (ret < 0 && ret != -ENOEXEC && ret != -ENOENT)
		sink_warn(r->sink,
			  arena_printf(&r->c.arena, "%s is not probed: %s", path, strerror(-ret)));
}

/* Later clauses first, as the kernel runs the newest first. Returns whether it has probes. */
static bool handle(struct run *r, const char *path, const char *open_path)
{
	const char *own_path = NULL;
	bool any = false;

	for (u32 i = r->c.deferred.n; i-- > 0;) {
		struct deferred_probe *l = &r->c.deferred.v[i];
		struct found f = { .r = r, .probe = l };

		if (!concerns(l, path, open_path) && !concerns_by_name(l, path))
			continue;
		l->env->diags = NULL;
		if (!own_path) {
			own_path = arena_strdup(&r->c.arena, path);
			open_path = arena_strdup(&r->c.arena, open_path);
		}
		tell_unread(r, own_path,
			    l->spec->provider->resolve_file(l->env, l->spec, own_path, open_path,
							    keep, &f));
		attach_all_found(&f);
		any |= f.targets.n > 0;
	}
	return any;
}

struct again {
	struct run *r;
	const struct deferred_probe *probe;
};

/* Files that appeared between resolving and watching. */
static int look_again(void *ctx, const char *path)
{
	const struct again *a = ctx;
	const char *open_path = ufile_open_path(a->probe->env, path);

	if (!file_watch_is_known(a->r->deferred.watch, open_path) && handle(a->r, path, open_path))
		file_watch_known(a->r->deferred.watch, open_path);
	return 0;
}

static void look_at_all_again(struct run *r, const struct deferred_probe *l)
{
	struct again a = { r, l };

	if (!streq(l->pattern, "*"))
		path_glob(&r->c.arena, l->pattern, look_again, &a);
	else if (l->libraries)
		ufile_each_mapped(l->env, look_again, &a);
	else
		ufile_each(l->env, "*", look_again, &a);
}

/* A named file that exists is probed anyway, and seldom replaced. */
static void warn_of_no_watch(struct run *r, int why)
{
	const struct deferred_probe *wanted = NULL;

	for (u32 i = 0; i < r->c.deferred.n && !wanted; i++)
		if (r->c.deferred.v[i].holds)
			wanted = &r->c.deferred.v[i];
	if (wanted)
		sink_warn(r->sink,
			  arena_printf(&r->c.arena,
				       "files of \"%s\" that appear later are not probed: %s",
				       wanted->pattern,
				       why == -ENOSYS || why == -EINVAL ?
					       "this kernel has no fanotify" :
				       why == -EPERM ? why_no_fanotify() :
						       strerror(-why)));
}

static void begin(struct run *r, int ret)
{
	const char *folder;
	int why;

	if (ret < 0) {
		warn_of_no_watch(r, ret);
		file_watch_free(r->deferred.watch);
		r->deferred.watch = NULL;
	}
	why = r->deferred.watch ? file_watch_missed(r->deferred.watch, &folder) : 0;
	if (why)
		sink_warn(r->sink,
			  arena_printf(&r->c.arena, "files that appear in %s are not probed: %s",
				       folder, strerror(-why)));
	for (u32 i = 0; i < r->c.deferred.n && r->deferred.watch; i++)
		look_at_all_again(r, &r->c.deferred.v[i]);
}

/* NULL: it is in none. */
static const char *file_of(const struct site *s)
{
	return s->kind == SITE_UPROBE ? s->user.path :
	       s->kind == SITE_RECORD ? s->record.path :
					NULL;
}

void deferred_start(struct run *r)
{
	if (!r->c.deferred.n || !engines_have_events(&r->engines) || r->request->dry_run)
		return;
	r->deferred.watch = file_watch_new(
		traced_by_set(&r->request->traced) ? -1 : traced_pid(&r->request->traced));
	if (!r->deferred.watch) {
		warn_of_no_watch(r, -errno);
		return;
	}
	for (u32 i = 0; i < r->c.sites.n; i++)
		if (file_of(&r->c.sites.v[i].site))
			file_watch_known(r->deferred.watch, file_of(&r->c.sites.v[i].site));
	for (u32 i = 0; i < r->c.deferred.n; i++) {
		struct deferred_probe *l = &r->c.deferred.v[i];
		const char *path = NULL;

		if (!l->holds)
			path = path_find_binary(&r->c.arena, l->pattern, -1);
		if (path)
			l->pattern = path;
		file_watch_add(r->deferred.watch, l->pattern, l->holds, l->libraries);
	}
	begin(r, file_watch_start(r->deferred.watch));
}

int deferred_fd(const struct deferred_state *d)
{
	return d->watch ? file_watch_fd(d->watch) : -1;
}

static void tell_in_vain(struct run *r, const char *path, u64 ms)
{
	sink_warn(
		r->sink,
		arena_printf(
			&r->c.arena,
			"%s ran for a while before its probes were there: it was held for %llu ms, and sonde "
			"was held up longer",
			path, (unsigned long long)ms));
}

/* It did not run for a while (stopped, frozen), so the kernel ended it; or another process did. */
static void begin_again(struct run *r)
{
	u64 now = clock_mono_ns();

	if (!r->deferred.n_watches ||
	    now - r->deferred.first_watch_ns > MAX_WATCHES * 1000000000ull) {
		r->deferred.n_watches = 0;
		r->deferred.first_watch_ns = now;
	}
	if (++r->deferred.n_watches > MAX_WATCHES) {
		begin(r, -ETIMEDOUT);
		return;
	}
	sink_warn(
		r->sink,
		"the process that holds new programs for their probes was ended and begins again: what ran meanwhile was "
		"not held");
	begin(r, file_watch_restart(r->deferred.watch));
}

void deferred_poll(struct run *r)
{
	const char *path, *open_path;
	u64 ms = 0;
	bool any;

	while (r->deferred.watch && (path = file_watch_next(r->deferred.watch, &open_path))) {
		any = handle(r, path, open_path);
		if (!file_watch_done(r->deferred.watch, any, &ms) && any)
			tell_in_vain(r, path, ms);
	}
	if (r->deferred.watch && file_watch_is_lost(r->deferred.watch))
		begin_again(r);
}

/* Reports how long files were held (with -v), and files that were not examined (always). */
static void tell_holds(struct run *r)
{
	const char *path;
	u64 n_dropped, ms = file_watch_longest(r->deferred.watch, &path, &n_dropped);

	if (n_dropped)
		sink_warn(
			r->sink,
			arena_printf(
				&r->c.arena,
				"%llu files that appeared while sonde was delayed were not examined",
				(unsigned long long)n_dropped));
	if (path && r->request->verbose) {
		sink_say(r->sink,
			 "  programs and libraries waited for their probes %llu ms at most (%s)\n",
			 (unsigned long long)ms, path);
		sink_flush(r->sink);
	}
}

void deferred_end(struct run *r)
{
	if (r->deferred.watch)
		tell_holds(r);
	file_watch_free(r->deferred.watch);
	r->deferred.watch = NULL;
}
