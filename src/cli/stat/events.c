/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: -e in perf's spelling: names, separated by commas; {a,b} for a group, which is counted at the
 * same times; :u, :k ... after a name or a group. Out: events.
 *
 *	cycles:u  page-faults  L1-dcache-load-misses  r01c2  cpu/event=0x3c/  sched:sched_switch  sched:*
 *	kprobe:vfs_read  uprobe:/bin/bash:readline	probes of the language
 */
#include <errno.h>
#include <linux/perf_event.h>
#include "base/glob.h"
#include "cli/stat/stat.h"
#include "provider/provider.h"
#include "sym/tracefs.h"

struct reading {
	struct counting *st;
	struct arena *a;
	const char *modifiers; /* of the group that is read; NULL: none */
	u32 leader;            /* NO_INDEX: no group is read */
	struct err refused;    /* trace events may not be read */
};

static bool are_modifiers(const char *s)
{
	return *s && !s[strspn(s, "ukhGHpPSDIWeb")];
}

/* Any of u, k and h leaves out those that are not named. */
static void take_modifiers(struct stat_event *e, const char *s)
{
	bool some = strpbrk(s, "ukh") != NULL, guest = strchr(s, 'G') != NULL,
	     host = strchr(s, 'H') != NULL;

	for (; *s; s++)
		e->precise += *s == 'p';
	s = e->name + strlen(e->name);
	while (s > e->name && s[-1] != ':' && s[-1] != '/')
		s--;
	e->no_user = some && !strchr(s, 'u');
	e->no_kernel = some && !strchr(s, 'k');
	e->no_hypervisor = some && !strchr(s, 'h');
	e->no_host = guest && !host;
	e->no_guest = host && !guest;
}

static void add(struct reading *r, struct stat_event *e, const char *modifiers)
{
	u32 number = r->st->events.n;

	if (r->modifiers && !modifiers)
		e->name = arena_printf(r->a, "%s:%s", e->name, modifiers = r->modifiers);
	if (modifiers)
		take_modifiers(e, modifiers);
	e->leader = r->leader == NO_INDEX ? number : MIN(r->leader, number);
	e->is_supported = true;
	vec_push(r->a, &r->st->events, *e);
}

/* ---- kinds of names; false: it is none of that kind */

static bool add_known(struct reading *r, const char *name, const char *base, const char *modifiers)
{
	struct stat_event e = { .name = name };

	if (!perf_event_find(r->a, base, &e.type, &e.config[0]))
		return false;
	e.unit = e.type != PERF_TYPE_SOFTWARE ? UNIT_HARDWARE :
		 e.config[0] == PERF_COUNT_SW_CPU_CLOCK || e.config[0] == PERF_COUNT_SW_TASK_CLOCK ?
						UNIT_CLOCK :
						UNIT_NONE;
	add(r, &e, modifiers);
	return true;
}

/* Where an error goes; that of a right that lacks stays. */
static struct err *keep_refusal(struct reading *r)
{
	static struct err other;
	bool is_refusal = r->refused.code == -EACCES || r->refused.code == -EPERM;

	err_release(is_refusal ? &other : &r->refused);
	return is_refusal ? &other : &r->refused;
}

static void add_tracepoint(struct reading *r, const char *system, const char *event,
			   const char *modifiers)
{
	int id = tracefs_event_id(system, event, keep_refusal(r));
	struct stat_event e = { .name = arena_printf(r->a, "%s:%s%s%s", system, event,
						     modifiers ? ":" : "",
						     modifiers ? modifiers : ""),
				.type = PERF_TYPE_TRACEPOINT,
				.config = { (u64)id } };

	if (id >= 0)
		add(r, &e, modifiers);
}

static void add_events_of(struct reading *r, const char *system, const char *pattern,
			  const char *modifiers)
{
	const char **names;
	u32 n;

	if (tracefs_events(r->a, system, &names, &n, keep_refusal(r)) >= 0)
		for (u32 i = 0; i < n; i++)
			if (glob_match(pattern, names[i]))
				add_tracepoint(r, system, names[i], modifiers);
}

static bool add_tracepoints(struct reading *r, const char *base, const char *modifiers)
{
	const char *colon = strchr(base, ':'), *system, **systems;
	u32 n, before = r->st->events.n;

	if (!colon)
		return false;
	system = arena_strndup(r->a, base, (size_t)(colon - base));
	if (!strpbrk(base, "*?["))
		add_tracepoint(r, system, colon + 1, modifiers);
	else if (tracefs_categories(r->a, &systems, &n, keep_refusal(r)) >= 0)
		for (u32 i = 0; i < n; i++)
			if (glob_match(system, systems[i]))
				add_events_of(r, systems[i], colon + 1, modifiers);
	return r->st->events.n > before;
}

static bool add_probe(struct reading *r, const char *name)
{
	struct stat_event e = { .name = name, .probe = name };

	if (!probe_has_type(name) || strpbrk(name, "{}"))
		return false;
	add(r, &e, NULL);
	r->st->has_probes = true;
	return true;
}

static int add_unit(struct reading *r, const char *name, const char *end)
{
	struct stat_event e = { .name = name, .unit = UNIT_HARDWARE };
	struct err err = { 0 };
	int ret = stat_read_pmu(r->a, arena_strndup(r->a, name, (size_t)(end - name)), &e, &err);

	if (!ret && end[1] && !are_modifiers(end + 1 + (end[1] == ':')))
		ret = err_usage(&err, -EINVAL,
				"%s: what follows the second / is :u, :k or the like", name);
	if (ret)
		say_err(r->st->c, &err);
	else
		add(r, &e, end[1] ? end + 1 + (end[1] == ':') : NULL);
	err_release(&err);
	return ret ? STATUS_WRONG : 0;
}

static int unknown(struct reading *r, const char *name)
{
	const char *near = perf_event_near(r->a, name);

	if (strchr(name, ':') && (r->refused.code == -EACCES || r->refused.code == -EPERM)) {
		say_err(r->st->c, &r->refused);
		return STATUS_REFUSED;
	}
	if (strchr(name, ':'))
		return say_usage(r->st->c,
				 "there is no event %s: \"%s list '%s*'\" lists what is there",
				 name, r->st->c->line.program,
				 arena_strndup(r->a, name, strcspn(name, ":")));
	return say_usage(r->st->c,
			 "there is no event %s%s%s%s: \"%s list 'software:*'\" and 'hardware:*' "
			 "list names, SYSTEM:EVENT is a trace event",
			 name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "",
			 r->st->c->line.program);
}

static int read_one(struct reading *r, const char *name)
{
	const char *last = strrchr(name, ':'), *slash = strchr(name, '/'), *base = name, *end;

	if (slash && slash > name && memchr(name, ':', (size_t)(slash - name)) == NULL &&
	    (end = strchr(slash + 1, '/')))
		return add_unit(r, name, end);
	last = last && are_modifiers(last + 1) ? last : NULL;
	if (last)
		base = arena_strndup(r->a, name, (size_t)(last - name));
	if (add_known(r, name, base, last ? last + 1 : NULL) || add_tracepoints(r, name, NULL) ||
	    (last && add_tracepoints(r, base, last + 1)) || add_probe(r, name))
		return 0;
	return unknown(r, name);
}

/* ---- the list */

/* To the next comma or brace that is not within /.../ of a unit; in a path, a slash follows a
 * colon. */
static size_t name_length(const char *s)
{
	size_t n = strcspn(s, ",{}/:");

	if (s[n] == '/' && strchr(s + n + 1, '/'))
		n = (size_t)(strchr(s + n + 1, '/') - s);
	return n + strcspn(s + n, ",{}");
}

static int open_group(struct reading *r, const char *s)
{
	const char *end = strchr(s, '}');
	size_t n;

	if (!end || r->leader != NO_INDEX)
		return say_usage(r->st->c, "-e %s: a group is {EVENT,EVENT}", s);
	r->leader = r->st->events.n;
	n = end[1] == ':' ? strcspn(end + 2, ",") : 0;
	r->modifiers = n ? arena_strndup(r->a, end + 2, n) : NULL;
	if (r->modifiers && !are_modifiers(r->modifiers))
		return say_usage(r->st->c, "-e %s: :%s is not :u, :k or the like", s, r->modifiers);
	return 0;
}

int stat_read_events(struct counting *st, const char *list)
{
	struct reading r = { .st = st, .a = &st->c->line.arena, .leader = NO_INDEX };
	int ret = 0;

	for (const char *s = list; *s && !ret;) {
		size_t n = name_length(s);

		if (*s == '{') {
			ret = open_group(&r, s++);
		} else if (*s == '}') {
			r.leader = NO_INDEX;
			s += strcspn(s, ",");
			r.modifiers = NULL;
		} else if (n) {
			ret = read_one(&r, arena_strndup(r.a, s, n));
			s += n;
		} else {
			s++;
		}
	}
	return ret;
}
