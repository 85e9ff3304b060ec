/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The existing trace events: those of tracefs, or of the recording that a script runs over (struct
 * recorded_kernel). There the id of an event is its index. A recording with raw_syscalls also has
 * each single call, because the records are alike:
 *
 *	raw_syscalls:sys_enter	{ u64 common; s64 id; u64 args[6] }	sys_exit { u64 common; s64 id, ret }
 *	syscalls:sys_enter_X	{ u64 common; int nr; u64 args[] }	sys_exit_X { u64 common; int nr; s64 ret }
 */
#include <errno.h>
#include <stdlib.h>
#include "provider/internal.h"
#include "sym/syscalls.h"
#include "sym/tracefs.h"

static const struct recorded_kernel *recorded(const struct provider_env *env)
{
	return env->system.recorded;
}

static int recorded_id(const struct recorded_kernel *r, const char *category, const char *event)
{
	for (u32 i = 0; i < r->n; i++)
		if (streq(r->v[i]->category, category) && streq(r->v[i]->name, event))
			return (int)i;
	return -ENOENT;
}

static const char *raw_event_of(const char *event)
{
	return starts_with(event, "sys_enter") ? "sys_enter" : "sys_exit";
}

bool events_have_raw_calls(const struct provider_env *env, const char *event)
{
	const struct recorded_kernel *r = recorded(env);

	return r && recorded_id(r, "raw_syscalls", raw_event_of(event)) >= 0;
}

/* ---- names */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the names and removes duplicates. */
static void finish(const char **names, u32 *n)
{
	u32 kept = 0;

	qsort(names, *n, sizeof *names, by_text);
	for (u32 i = 0; i < *n; i++)
		if (!kept || !streq(names[kept - 1], names[i]))
			names[kept++] = names[i];
	*n = kept;
	names[kept] = NULL;
}

int events_categories(const struct provider_env *env, const char ***names, u32 *n, struct err *err)
{
	const struct recorded_kernel *r = recorded(env);

	if (!r)
		return tracefs_categories(env->arena, names, n, err);
	*names = arena_array(env->arena, const char *, r->n + 2);
	*n = 0;
	for (u32 i = 0; i < r->n; i++)
		(*names)[(*n)++] = r->v[i]->category;
	if (events_have_raw_calls(env, "sys_enter") || events_have_raw_calls(env, "sys_exit"))
		(*names)[(*n)++] = "syscalls";
	finish(*names, n);
	return 0;
}

/* The events of one side of each call, if the recording has the raw event. */
static u32 add_calls(const struct provider_env *env, const char *side, const char **to, u32 n)
{
	for (u32 nr = 0; nr < syscall_count() && events_have_raw_calls(env, side); nr++)
		if (syscall_event_name(nr))
			to[n++] = arena_printf(env->arena, "%s_%s", side, syscall_event_name(nr));
	return n;
}

int events_of(const struct provider_env *env, const char *category, const char ***names, u32 *n,
	      struct err *err)
{
	const struct recorded_kernel *r = recorded(env);

	if (!r)
		return tracefs_events(env->arena, category, names, n, err);
	*names = arena_array(env->arena, const char *, r->n + 2 * syscall_count() + 1);
	*n = 0;
	for (u32 i = 0; i < r->n; i++)
		if (streq(r->v[i]->category, category))
			(*names)[(*n)++] = r->v[i]->name;
	if (streq(category, "syscalls")) {
		*n = add_calls(env, "sys_enter", *names, *n);
		*n = add_calls(env, "sys_exit", *names, *n);
	}
	finish(*names, n);
	return *n ? 0 : err_set(err, -ENOENT, "%s has no events of category %s", r->file, category);
}

/* ---- one event */

static int refuse(const struct recorded_kernel *r, const char *category, const char *event,
		  struct err *err)
{
	return err_set(err, -ENOENT, "%s has no event %s:%s", r->file, category, event);
}

int event_id(const struct provider_env *env, const char *category, const char *event,
	     struct err *err)
{
	const struct recorded_kernel *r = recorded(env);
	int id, nr;

	if (!r)
		return tracefs_event_id(category, event, err);
	id = recorded_id(r, category, event);
	if (id >= 0 || !streq(category, "syscalls") || !events_have_raw_calls(env, event))
		return id >= 0 ? id : refuse(r, category, event, err);
	nr = syscall_number_of_event(event + strlen(raw_event_of(event)) + 1);
	if (nr < 0)
		return refuse(r, category, event, err);
	return RECORDED_CALL | nr << 16 | recorded_id(r, "raw_syscalls", raw_event_of(event));
}

const struct tp_format *event_format(const struct provider_env *env, const char *category,
				     const char *event, struct err *err)
{
	const struct recorded_kernel *r = recorded(env);
	int id;

	if (!r)
		return tracefs_format(env->arena, category, event, err);
	id = recorded_id(r, category, event);
	if (id >= 0)
		return r->v[id];
	/* the names of the arguments; their positions are in the raw event */
	if (streq(category, "syscalls") && events_have_raw_calls(env, event))
		return tracefs_format(env->arena, category, event, err);
	refuse(r, category, event, err);
	return NULL;
}

/* "sched:sched_switch, sched:sched_waking, ... and 7 more" */
const char *events_recorded(const struct provider_env *env)
{
	enum { SHOWN = 12 };
	const struct recorded_kernel *r = recorded(env);
	const char **names = arena_array(env->arena, const char *, r->n + 1);
	struct buf b = { 0 };
	const char *text;
	u32 n = 0;

	for (; n < r->n; n++)
		names[n] = arena_printf(env->arena, "%s:%s", r->v[n]->category, r->v[n]->name);
	finish(names, &n);
	for (u32 i = 0; i < MIN(n, (u32)SHOWN); i++)
		buf_printf(&b, "%s%s", i ? ", " : "", names[i]);
	if (n > SHOWN)
		buf_printf(&b, " and %u more", n - SHOWN);
	text = arena_strdup(env->arena, b.len ? b.s : "no events");
	buf_release(&b);
	return text;
}
