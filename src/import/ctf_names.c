/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/ctf_names.h"
#include "base/buf.h"
#include "trace/lttng.h"

void ctf_event_names(struct arena *a, const char *name, const char **system, const char **event)
{
	size_t n = strcspn(name, ":");

	if (!name[n]) {
		lttng_kernel_event(a, name, system, event);
		return;
	}
	*system = arena_strndup(a, name, n);
	*event = name + n + 1;
}

const char *ctf_field_name(struct arena *a, const char *system, const struct ctf_values *fields,
			   const char *name)
{
	size_t n = strlen(name);
	const char *stem;

	if (!streq(system, "sched") || n < 3)
		return name;
	stem = arena_strndup(a, name, n - 3);
	if (streq(name + n - 3, "tid"))
		return arena_printf(a, "%spid", stem);
	if (streq(name + n - 3, "pid") && ctf_value_of(fields, arena_printf(a, "%stid", stem)))
		return arena_printf(a, "%stgid", stem);
	return name;
}

const struct ctf_value *ctf_kernel_value(struct arena *a, const struct ctf_value *v,
					 const char *event, const char *name, bool is_own)
{
	enum lttng_value kind = v->kind == CTF_NUMBER ? lttng_value_of(event, name) : LTTNG_SAME;
	enum { ZOMBIE = 0x20 };
	struct ctf_value *made;
	char *rwbs;

	if (kind == LTTNG_SAME || (kind == LTTNG_STATE && (!is_own || v->number != LTTNG_DEAD)))
		return v;
	made = arena_new(a, struct ctf_value);
	*made = *v;
	if (kind == LTTNG_PRIO) {
		made->number += LTTNG_PRIO_BASE;
	} else if (kind == LTTNG_STATE) {
		made->number = ZOMBIE;
	} else {
		made->kind = CTF_TEXT;
		made->text = rwbs = arena_array(a, char, RWBS_SIZE);
		lttng_request_text((u32)v->number, rwbs);
		made->n = (u32)strlen(rwbs);
	}
	return made;
}
