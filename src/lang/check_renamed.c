/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Renamed members of kernel structures. In: a structure of this kernel, and a member's name from
 * before or after the renaming. Out: the member, with a note. A row is for a change of the name
 * only: same position, same meaning, a type that reads the same.
 */
#include "lang/check_internal.h"

static const struct renamed {
	const char *type, *was, *is;
} renamed[] = {
	{ "task_struct", "state", "__state" },       /* 5.14, 2f064a59a11f */
	{ "cfs_rq", "nr_running", "nr_queued" },     /* 6.14, 736c55a02c47 */
	{ "cfs_rq", "h_nr_running", "h_nr_queued" }, /* 6.14, 7b8a702d9438 */
};

static const char *other_name(const struct renamed *r, const struct type *t, const char *name)
{
	if (!t->name || !streq(r->type, t->name))
		return NULL;
	return streq(name, r->was) ? r->is : streq(name, r->is) ? r->was : NULL;
}

const struct field *check_struct_field(struct check *c, struct span span, const struct type *t,
				       const char *name, u32 *offset)
{
	const struct field *f = type_field(t, name, offset);

	for (u32 i = 0; i < ARRAY_SIZE(renamed) && !f; i++) {
		const char *other = other_name(&renamed[i], t, name);

		f = other ? type_field(t, other, offset) : NULL;
		if (f)
			check_report(c, span, D_RENAMED_FIELD, name, t->name, other);
	}
	return f;
}
