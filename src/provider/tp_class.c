/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classes of events (DECLARE_EVENT_CLASS, include/trace/trace_events.h). The kernel makes one
 * struct for the records of a class, trace_event_raw_CLASS, and lists its events only; so a class
 * is recognized by that struct, and its events by having the struct's fields but no struct of their
 * own. If two classes look alike this is a guess, which is good enough for a hint.
 */
#include "base/buf.h"
#include "provider/internal.h"
#include "sym/btf.h"
#include "sym/tracefs.h"

enum { SHOWN = 6 };

static const struct type *record_of(struct provider_env *env, const char *name)
{
	struct btf *btf = env_btf(env);
	const struct type *t =
		btf ? btf_type_by_name(btf, 's',
				       arena_printf(env->arena, "trace_event_raw_%s", name)) :
		      NULL;

	return t ? type_complete(t) : NULL;
}

static bool has_field(const struct type *record, const char *name, u32 offset)
{
	for (u32 i = 0; i < record->n_fields; i++) {
		const char *have = record->fields[i].name;

		if (starts_with(have, "__data_loc_"))
			have += strlen("__data_loc_");
		if (streq(have, name) && record->fields[i].offset == offset)
			return true;
	}
	return false;
}

/* The struct has the common fields as its first member and the dynamic data as its last. */
static bool is_of_class(struct provider_env *env, const char *category, const char *event,
			const struct type *record)
{
	struct err err = { 0 };
	const struct tp_format *f =
		record_of(env, event) ? NULL : event_format(env, category, event, &err);
	u32 n = 0;

	err_release(&err);
	for (u32 i = 0; f && i < f->fields.n; i++) {
		if (f->fields.v[i].is_common)
			continue;
		if (!has_field(record, f->fields.v[i].name, f->fields.v[i].offset))
			return false;
		n++;
	}
	return f && n + 2 == record->n_fields;
}

const char *event_class_help(struct provider_env *env, const char *category, const char *name)
{
	const struct type *record = record_of(env, name);
	struct err err = { 0 };
	const char **events, *text = NULL;
	u32 n = 0, found = 0;

	if (!record || events_of(env, category, &events, &n, &err) < 0) {
		err_release(&err);
		return NULL;
	}
	for (u32 i = 0; i < n && found <= SHOWN; i++)
		if (is_of_class(env, category, events[i], record)) {
			const char *next = found++ < SHOWN ? events[i] : "...";

			text = text ? arena_printf(env->arena, "%s, %s", text, next) : next;
		}
	if (!text)
		return NULL;
	return arena_printf(
		env->arena,
		"%s is a class of events, which the kernel does not list; events with its fields: %s; a pattern "
		"probes several",
		name, text);
}
