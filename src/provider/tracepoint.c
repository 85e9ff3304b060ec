/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracepoint:CATEGORY:EVENT. In: names or patterns; out: targets by the cheapest attachment that
 * gives the same answer:
 *
 *	system calls			few: a perf event each; raw tracepoint sys_enter or sys_exit, one for many (syscalls.c)
 *	nothing of the record is read	raw tracepoint of the same name: detaching is 60 ms cheaper
 *	else				perf event of the tracepoint's id; the context is the record
 *
 * A kernel stack has different frames on the raw path, so clauses that read one take the perf path;
 * system calls do not, because there the perf path has the process's registers and, on some kernels
 * (6.1), no kernel stack at all. Events and their records come from tracefs, see sym/tracefs.h.
 */
#include <errno.h>
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/btf.h"
#include "sym/tracefs.h"

struct match {
	struct provider_env *env;
	const struct spec *spec;
	struct targets ts;
	struct profile *raw, *perf; /* without arguments: shared */
	struct buf dynamic;         /* "p:group/name ..." lines of events made at run time */
	bool dynamic_read, many;
	struct err err;
};

static const char *category_of(const struct spec *spec)
{
	return spec->n_parts > 2 ? spec->part[1] : "*";
}

static const char *event_of(const struct spec *spec)
{
	return spec->part[spec->n_parts - 1];
}

/* Function tracer records: they have formats but are no tracepoints. */
static bool is_internal(const char *category)
{
	return streq(category, "ftrace");
}

/* Whether the event is a dynamic one (kprobe_events and the like): no tracepoint has that name. */
static bool is_dynamic(struct match *m, const char *category, const char *event)
{
	const char *hit, *word;

	if (!m->dynamic_read) {
		const char *root = tracefs_path(&m->err);

		m->dynamic_read = true;
		if (root)
			buf_read_file(&m->dynamic,
				      arena_printf(m->env->arena, "%s/dynamic_events", root));
	}
	if (!m->dynamic.len)
		return false;
	word = arena_printf(m->env->arena, ":%s/%s ", category, event);
	hit = strstr(m->dynamic.s, word);
	return hit || streq(category, "synthetic");
}

static bool can_be_raw(const struct provider_env *env)
{
	return env->attach.prefer_raw && !env_reads_args(env) && !env->clause.record &&
	       !env->clause.stack;
}

static const char *full_name(struct match *m, const char *category, const char *event)
{
	return arena_printf(m->env->arena, "%s:%s:%s", m->spec->provider->name, category, event);
}

static void add_raw(struct match *m, const char *name, const char *event)
{
	struct target *t;

	if (!m->raw)
		m->raw = profile_new(m->env, PROFILE_RAW_TP, BPF_PROG_TYPE_RAW_TRACEPOINT);
	t = targets_add(m->env, &m->ts, SITE_RAW_TRACEPOINT, name,
			profile_for_site(m->env, m->raw, m->many,
					 m->env->clause.is_large &&
						 env_has(m->env, FEAT_RAW_COOKIE, false)));
	t->site.tracepoint = event;
}

static struct profile *perf_profile(struct match *m, const char *category, const char *event)
{
	bool is_syscall = streq(category, "syscalls"),
	     reads = env_reads_args(m->env) || m->env->clause.record;
	const struct tp_format *f;
	struct profile *p;

	if (!reads && m->perf && m->perf->default_space == (is_syscall ? SPACE_USER : SPACE_KERNEL))
		return m->perf;
	p = profile_new(m->env, PROFILE_TRACEPOINT, BPF_PROG_TYPE_TRACEPOINT);
	p->default_space = is_syscall ? SPACE_USER : SPACE_KERNEL;
	if (!reads)
		return m->perf = p;
	f = event_format(m->env, category, event, &m->err);
	if (!f)
		return NULL;
	format_args(m->env, p, f, is_syscall);
	profile_trim_args(m->env, p, m->many && !m->env->clause.record);
	if (m->env->clause.record)
		format_whole(m->env, p, f);
	return p;
}

static int add_perf(struct match *m, const char *category, const char *event, const char *name)
{
	int id = event_id(m->env, category, event, &m->err);
	struct profile *p = id < 0 ? NULL : perf_profile(m, category, event);
	struct target *t;

	if (!p)
		return m->err.code;
	t = targets_add(m->env, &m->ts, SITE_PERF_TRACEPOINT, name,
			profile_for_site(m->env, p, m->many, true));
	t->site.event.config = (u64)id;
	if (streq(category, "syscalls"))
		t->site.event.call = syscalls_event_call(event);
	return 0;
}

static int add_event(struct match *m, const char *category, const char *event)
{
	struct provider_env *env = m->env;
	const char *name = full_name(m, category, event);

	if (can_be_raw(env) && !streq(category, "syscalls") && !is_internal(category) &&
	    !is_dynamic(m, category, event)) {
		add_raw(m, name, event);
		return 0;
	}
	return add_perf(m, category, event, name);
}

static bool calls_by_number(const struct match *m)
{
	if (m->env->clause.record)
		return false;
	if (m->env->system.recorded)
		return events_have_raw_calls(m->env, "sys_enter") ||
		       events_have_raw_calls(m->env, "sys_exit");
	return syscalls_raw_usable(m->env);
}

static int add_events(struct match *m, const char *category, const char **events, u32 n)
{
	int ret = 0;

	if (streq(category, "syscalls") && calls_by_number(m))
		n = syscalls_resolve(m->env, m->spec, events, n, &m->ts);
	for (u32 i = 0; i < n && ret >= 0; i++)
		ret = add_event(m, category, events[i]);
	return ret;
}

/* ---- existing events */

static u32 filter(const char **names, u32 n, const char *pattern)
{
	u32 kept = 0;

	for (u32 i = 0; i < n; i++)
		if (glob_match(pattern, names[i]))
			names[kept++] = names[i];
	return kept;
}

/*
 * Whether an error means that tracefs is missing or unreadable, not that the name does not exist.
 */
static bool is_unseen(const struct match *m, int ret)
{
	struct err ignored = { 0 };

	return ret < 0 && !m->env->system.recorded && (ret != -ENOENT || !tracefs_path(&ignored));
}

/* Without tracefs, system calls are still known by number. */
static int read_events(struct match *m, const char *category, const char ***names, u32 *n)
{
	int ret = events_of(m->env, category, names, n, &m->err);

	if (is_unseen(m, ret) && streq(category, "syscalls") && syscalls_raw_usable(m->env)) {
		m->err = (struct err){ 0 };
		syscalls_events(m->env->arena, names, n);
		return 0;
	}
	return ret;
}

static int match_category(struct match *m, const char *category)
{
	const char **names;
	u32 n;
	int ret = read_events(m, category, &names, &n);

	if (ret < 0)
		return ret;
	return add_events(m, category, names, filter(names, n, event_of(m->spec)));
}

static int match_pattern(struct match *m)
{
	const char *pattern = category_of(m->spec), **names;
	u32 n;
	int ret;

	m->many = true;
	if (!glob_has_wildcard(pattern)) {
		ret = match_category(m, pattern);
		return ret == -ENOENT ? 0 : ret;
	}
	ret = events_categories(m->env, &names, &n, &m->err);
	for (u32 i = 0; ret >= 0 && i < n; i++)
		if (glob_match(pattern, names[i]) && !is_internal(names[i]))
			ret = match_category(m, names[i]);
	return ret;
}

/* BTF has the event, which suffices if its record is not read, but not its category. */
static bool add_unseen(struct match *m, const char *category, const char *event)
{
	struct btf *btf = can_be_raw(m->env) ? env_btf(m->env) : NULL;

	if (!btf ||
	    !btf_find(btf, arena_printf(m->env->arena, "btf_trace_%s", event), BTF_KIND_TYPEDEF))
		return false;
	add_raw(m, full_name(m, category, event), event);
	return true;
}

/* Matches one event by its full name, without reading a directory. */
static int match_exactly(struct match *m)
{
	const char *category = category_of(m->spec), *event = event_of(m->spec);
	int ret = event_id(m->env, category, event, &m->err);

	if (ret >= 0)
		return add_events(m, category, (const char *[]){ event }, 1);
	if (!is_unseen(m, ret))
		return 0;
	if (streq(category, "syscalls"))
		return syscalls_raw_usable(m->env) ? match_category(m, category) : ret;
	return add_unseen(m, category, event) ? 0 : ret;
}

/* ---- suggestions */

static const char *near_in(struct match *m, const char *category)
{
	struct err err = { 0 };
	const char **names, *guess;
	struct near near;
	u32 n;

	if (events_of(m->env, category, &names, &n, &err) < 0)
		return NULL;
	near_init(&near, event_of(m->spec));
	for (u32 i = 0; i < n; i++)
		near_try(&near, names[i]);
	guess = near_best(&near);
	return guess ? full_name(m, category, guess) : NULL;
}

/* The same event in another category, or a similar one in the named category. */
static const char *near_category(struct match *m)
{
	const char *event = event_of(m->spec), **names, *guess;
	struct err err = { 0 };
	struct near near;
	u32 n = 0;

	near_init(&near, category_of(m->spec));
	if (events_categories(m->env, &names, &n, &err) < 0)
		return NULL;
	for (u32 i = 0; i < n; i++) {
		if (event_id(m->env, names[i], event, &err) > 0)
			return full_name(m, names[i], event);
		near_try(&near, names[i]);
	}
	guess = near_best(&near);
	return guess ? near_in(m, guess) : NULL;
}

static const char *near_event(struct match *m)
{
	const char *category = category_of(m->spec), *event = event_of(m->spec), *guess;

	guess = streq(category, "syscalls") ? syscalls_event_of_call(m->env->arena, event) : NULL;
	if (!guess && streq(category, "syscalls")) /* the call's own name */
		guess = syscalls_event_of_call(m->env->arena,
					       arena_printf(m->env->arena, "sys_enter_%s", event));
	if (guess && !streq(guess, event))
		return full_name(m, category, guess);
	guess = near_in(m, category);
	return guess ? guess : near_category(m);
}

/* ---- hooks */

static int needs_category(struct match *m)
{
	struct diag *d = probe_report(m->env, m->spec, D_PROBE_PARTS, "tracepoint",
				      m->spec->provider->takes, m->spec->n_parts - 1);
	const char *near = near_category(m);

	if (near)
		probe_help(m->env, d, "did you mean %s?", near);
	else
		probe_help(
			m->env, d,
			"an event is tracepoint:CATEGORY:NAME; sonde list 'tracepoint:*' shows them");
	return -EINVAL;
}

static int resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	struct match m = { .env = env, .spec = spec };
	bool wildcard = spec_has_wildcard(spec, 1);
	int ret;

	if (spec->n_parts == 2 && !wildcard)
		return needs_category(&m);
	ret = wildcard ? match_pattern(&m) : match_exactly(&m);
	buf_release(&m.dynamic);
	if (ret < 0)
		return probe_refused(env, spec, &m.err);
	if (m.ts.list.n || wildcard)
		return targets_give(env, spec, &m.ts, NULL, f, ctx);
	m.ts.help = event_class_help(env, category_of(spec), event_of(spec));
	return targets_give(env, spec, &m.ts, m.ts.help ? NULL : near_event(&m), f, ctx);
}

static int list_category(struct provider_env *env, const char *category, const char *pattern,
			 bool verbose, list_fn f, void *ctx)
{
	struct err err = { 0 };
	const char **names;
	u32 n = 0;
	int ret = 0;

	if (events_of(env, category, &names, &n, &err) < 0)
		return 0;
	for (u32 i = 0; i < n && !ret; i++) {
		struct profile *p = NULL;
		const struct tp_format *format;

		if (!glob_match(pattern, names[i]))
			continue;
		format = verbose ? event_format(env, category, names[i], &err) : NULL;
		if (format) {
			p = profile_new(env, PROFILE_TRACEPOINT, BPF_PROG_TYPE_TRACEPOINT);
			format_args(env, p, format, streq(category, "syscalls"));
		}
		ret = f(ctx, arena_printf(env->arena, "tracepoint:%s:%s", category, names[i]), p);
	}
	return ret;
}

static int list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		void *ctx)
{
	const char *category = spec->n_parts > 2 ? spec_pattern(spec, 1) : "*";
	const char *event = spec->n_parts > 1 ? spec_pattern(spec, spec->n_parts - 1) : "*";
	struct err err = { 0 };
	const char **names;
	u32 n = 0;
	int ret = events_categories(env, &names, &n, &err);

	if (ret < 0)
		return ret;
	for (u32 i = 0; i < n && !ret; i++)
		if (glob_match(category, names[i]) && !is_internal(names[i]))
			ret = list_category(env, names[i], event, verbose, f, ctx);
	return ret;
}

static bool matches(const char *pattern, const char *name)
{
	return glob_match(pattern, name);
}

/* tracepoint:CATEGORY:EVENT */
static void calls(struct arena *a, const char *text, struct call_events *to)
{
	const char *category = text + strcspn(text, ":"), *event;

	category += *category == ':';
	event = category + strcspn(category, ":");
	category = arena_strndup(a, category, (size_t)(event - category));
	event += *event == ':';
	if (matches(category, "raw_syscalls"))
		to->raw = "a clause is on the raw tracepoint itself";
	else if (!matches(category, "syscalls"))
		return;
	else if (glob_has_wildcard(category) || glob_has_wildcard(event))
		to->raw = "the script has patterns of calls";
	else
		to->n++;
}

const struct provider provider_tracepoint = {
	.name = "tracepoint",
	.aliases = "t",
	.syntax = "tracepoint:CATEGORY:EVENT",
	.brief = "static kernel events, including system calls",
	.doc = "args has the fields of the event; \"sonde list -v\" shows them. Both parts may be "
	       "patterns; events of a class (DECLARE_EVENT_CLASS) have the same fields, so a "
	       "pattern that matches them is one program. System call events are "
	       "tracepoint:syscalls:sys_enter_NAME and sys_exit_NAME.",
	.example =
		"tracepoint:syscalls:sys_enter_openat { printf(\"%s\\n\", str(args.filename)); }",
	.work = "cat /dev/null",
	.output = "/etc/ld.so.cache\n"
		  "/lib/x86_64-linux-gnu/libc.so.6\n"
		  "/dev/null",
	.varies = true,
	.feature = FEAT_TRACEFS + 1,
	.feature_instead = FEAT_RAW_TP_BTF + 1,
	.min_parts = 2,
	.max_parts = 3,
	.takes = "2",
	.empty = "tracepoint probe must have a target",
	.is_replayed = true,
	.resolve = resolve,
	.list = list,
	.calls = calls,
};
