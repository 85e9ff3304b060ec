/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The spellings of probes. In: a word of the command line. Out: attach points of the language.
 *
 *	sched:sched_switch,irq:*	tracepoints as perf and trace-cmd write them
 *	syscalls:sys_enter_openat	syscall:openat, which has decoded arguments
 *	sched, sched_switch		a subsystem, an event of any subsystem
 *	p:myopen do_sys_open name=+0(%si):string	a definition of ftrace
 *	/bin/bash:readline		a function of a file
 *	uprobe:/bin/bash:readline	as it is
 */
#include "base/glob.h"
#include "cli/trace/trace.h"
#include "dialect/ftrace.h"
#include "provider/provider.h"
#include "sym/syscalls.h"
#include "sym/tracefs.h"

static void add(struct trace *t, const char *probe)
{
	vec_push(&t->c->line.arena, &t->probes, probe);
}

/* ---- system calls */

static const struct {
	const char *begin, *suffix;
} sides[] = {
	{ "sys_enter_", "" },
	{ "sys_exit_", ":return" },
};

/* false: a pattern that is not about names of calls alone. */
static bool spell_calls(struct trace *t, const char *event)
{
	bool is_all = streq(event, "*") || streq(event, "sys_*"), any = is_all;

	for (u32 i = 0; i < ARRAY_SIZE(sides); i++) {
		const char *name = is_all ? "*" : event + strlen(sides[i].begin);

		if (!is_all && !starts_with(event, sides[i].begin))
			continue;
		add(t, arena_printf(&t->c->line.arena, "syscall:%s%s", name, sides[i].suffix));
		any = true;
	}
	return any;
}

/* ---- tracepoints */

static bool is_category_of_calls(const char *category)
{
	return streq(category, "syscalls");
}

static u32 spell_category(struct trace *t, const char *category, const char *event)
{
	struct arena *a = &t->c->line.arena;
	struct err err = { 0 };
	const char **names;
	u32 n = 0, found = 0;

	if (is_category_of_calls(category) && spell_calls(t, event))
		return 1;
	if (tracefs_events(a, category, &names, &n, &err) < 0)
		n = 0;
	err_release(&err);
	for (u32 i = 0; i < n && !found; i++)
		found += glob_match(event, names[i]);
	if (found)
		add(t, arena_printf(a, "tracepoint:%s:%s", category, event));
	return found;
}

/* Records of the function tracer are no tracepoints. */
static u32 spell_categories(struct trace *t, const char *category, const char *event)
{
	struct err err = { 0 };
	const char **names;
	u32 n = 0, found = 0;

	if (!glob_has_wildcard(category))
		return spell_category(t, category, event);
	if (tracefs_categories(&t->c->line.arena, &names, &n, &err) < 0)
		n = 0;
	err_release(&err);
	for (u32 i = 0; i < n; i++)
		if (glob_match(category, names[i]) && !streq(names[i], "ftrace"))
			found += spell_category(t, names[i], event);
	return found;
}

/* ---- what is none */

/* Tries "CATEGORY:EVENT" of each event; names of one category are in text. */
static void near_events(struct trace *t, struct near *near, const char *category)
{
	struct arena *a = &t->c->line.arena;
	struct err err = { 0 };
	const char **names;
	u32 n = 0;

	if (tracefs_events(a, category, &names, &n, &err) < 0)
		n = 0;
	err_release(&err);
	for (u32 i = 0; i < n; i++)
		near_try(near, arena_printf(a, "%s:%s", category, names[i]));
}

/* NULL: none is like it. */
static const char *near_event(struct trace *t, const char *text)
{
	struct err err = { 0 };
	struct near near;
	const char **names;
	u32 n = 0;

	if (tracefs_categories(&t->c->line.arena, &names, &n, &err) < 0)
		n = 0;
	err_release(&err);
	near_init(&near, text);
	for (u32 i = 0; i < n; i++)
		near_events(t, &near, names[i]);
	return near_best(&near);
}

/* Words of other tracers, and what is written here instead. */
static const char *hint(struct trace *t, const char *text)
{
	size_t n = strcspn(text, "/");

	if (strchr(text, '{') || text[0] == '@')
		return "a script is for sonde -e 'SCRIPT'";
	if (streq(text, "if") || (text[n] && n && text[n - 1] != ':' && strchr(text, ':')))
		return "--filter 'EXPR' has the condition";
	if (starts_with(text, "e:"))
		return "event probes of ftrace are not read: name the event, and its fields with --fields";
	return NULL;
}

static int refuse(struct trace *t, const char *text)
{
	const char *more = hint(t, text), *near;

	if (more)
		return say_usage(t->c, "\"%s\": %s", text, more);
	if (say_no_tracefs(t->c))
		return STATUS_REFUSED;
	if (!strchr(text, ':') && syscall_number(text) >= 0)
		return say_usage(t->c,
				 "\"%s\" is a system call: sonde strace -e %s CMD prints it, "
				 "sonde trace syscalls:sys_enter_%s is its event",
				 text, text, text);
	if (!strchr(text, ':'))
		return say_usage(
			t->c,
			"\"%s\" is no probe and no trace event: a command follows \"--\", as in sonde "
			"trace 'sched:*' -- %s; sonde strace %s prints its system calls",
			text, text, text);
	near = near_event(t, text);
	if (near)
		return say_usage(t->c, "there is no event \"%s\": did you mean \"%s\"?", text,
				 near);
	return say_usage(t->c, "there is no event \"%s\" (sonde list 'tracepoint:%.*s:*')", text,
			 (int)strcspn(text, ":"), text);
}

/* "sched:sched_switch", "sched_switch", "sched", "page-faults" */
static int spell_event(struct trace *t, const char *text)
{
	const char *colon = strchr(text, ':'), *count = perf_event_probe(&t->c->line.arena, text);
	u32 found;

	if (count) {
		add(t, count);
		return 0;
	}
	if (colon)
		found = spell_categories(
			t, arena_strndup(&t->c->line.arena, text, (size_t)(colon - text)),
			colon + 1);
	else if (!(found = spell_category(t, text, "*")))
		found = spell_categories(t, "*", text);
	return found ? 0 : refuse(t, text);
}

/* "a:b,c:d"; perf's groups are in braces, and mean nothing here. */
static int spell_events(struct trace *t, const char *list)
{
	int ret = 0;

	for (const char *s = list; *s && !ret;) {
		size_t n = strcspn(s, ",{} ");

		if (n)
			ret = spell_event(t, arena_strndup(&t->c->line.arena, s, n));
		s += n + (s[n] != '\0');
	}
	return ret;
}

/* ---- definitions of ftrace */

static int spell_definition(struct trace *t, const char *text)
{
	struct arena *a = &t->c->line.arena;
	struct trace_clause clause = { .kind = TRACE_FORMAT };
	struct ftrace_probe p;
	const char *why;
	u32 at = 0;
	const char *error = ftrace_probe(a, text, strlen(text), &p, &at);

	if (error)
		return say_usage(t->c, "%s: %s (after \"%.*s\")", text, error, (int)at, text);
	clause.probes = p.probe;
	clause.event = p.event;
	clause.values = p.values;
	clause.has_user_regs = starts_with(p.probe, "u");
	clause.format = format_parse(a, p.format, strlen(p.format), &why, &at);
	if (!clause.format)
		BUG("format of a definition: %s", why);
	vec_push(a, &t->clauses, clause);
	return 0;
}

/* ---- a word */

/* "/bin/bash:readline", as perf and ftrace name a function of a file. */
static bool is_file_and_function(const char *word)
{
	const char *colon = strrchr(word, ':');

	return (word[0] == '/' || starts_with(word, "./")) && colon && colon[1];
}

int trace_spell(struct trace *t, const char *word)
{
	if (ftrace_spelled(word, strlen(word)))
		return spell_definition(t, word);
	if (strchr(word, '{') && word[0] != '{') /* not perf's groups */
		return refuse(t, word);
	if (is_file_and_function(word)) {
		add(t, arena_printf(&t->c->line.arena, "uprobe:%s", word));
		return 0;
	}
	if (probe_has_type(word)) {
		add(t, word);
		return 0;
	}
	return spell_events(t, word);
}
