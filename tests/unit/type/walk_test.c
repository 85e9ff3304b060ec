/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which loads through a pointer to a kernel structure verifiers accept, and what they know of the
 * result. */
#include "tap.h"
#include "type/walk.h"

/*
 *	struct task { u32 flags; u32 a : 3; struct mm *mm; union { struct mm *active; u64 word; }; struct mm *mms[2];
 *		      struct mm *percpu; u64 *number; u8 bytes[8]; struct inner { u16 x, y; } in[2]; struct unseen *u;
 *		      struct mm *of_user; struct { u32 counter; } counts[2]; };
 */
static struct field mm_fields[] = { { .name = "count", .type = &ty_s32, .offset = 0 } };
static struct type mm = { .kind = TY_STRUCT,
			  .size = 64,
			  .in_kernel = true,
			  .fields = mm_fields,
			  .n_fields = 1,
			  .origin_id = 1 };
static struct type unseen = { .kind = TY_STRUCT, .name = "unseen" };
static const struct type to_mm = {
	.kind = TY_POINTER, .size = 8, .elem = &mm, .space = SPACE_KERNEL
};
static const struct type percpu = { .kind = TY_POINTER, .size = 8, .elem = &mm, .is_offset = true };
static const struct type of_user = {
	.kind = TY_POINTER, .size = 8, .elem = &mm, .space = SPACE_USER
};
static const struct type number = { .kind = TY_POINTER, .size = 8, .elem = &ty_u64 };
static const struct type to_unseen = { .kind = TY_POINTER, .size = 8, .elem = &unseen };
static const struct type mms = { .kind = TY_ARRAY, .size = 16, .count = 2, .elem = &to_mm };
static const struct type bytes = { .kind = TY_ARRAY, .size = 8, .count = 8, .elem = &ty_u8 };
static struct field union_fields[] = { { .name = "active", .type = &to_mm },
				       { .name = "word", .type = &ty_u64 } };
static struct type either = { .kind = TY_STRUCT,
			      .is_union = true,
			      .size = 8,
			      .in_kernel = true,
			      .fields = union_fields,
			      .n_fields = 2 };
static struct field inner_fields[] = { { .name = "x", .type = &ty_u16 },
				       { .name = "y", .type = &ty_u16, .offset = 2 } };
static struct type inner = {
	.kind = TY_STRUCT, .size = 4, .in_kernel = true, .fields = inner_fields, .n_fields = 2
};
static struct field single_fields[] = { { .name = "counter", .type = &ty_u32 } };
static struct type single = {
	.kind = TY_STRUCT, .size = 4, .in_kernel = true, .fields = single_fields, .n_fields = 1
};
static const struct type singles = { .kind = TY_ARRAY, .size = 8, .count = 2, .elem = &single };
static const struct type inners = { .kind = TY_ARRAY, .size = 8, .count = 2, .elem = &inner };
static struct field task_fields[] = {
	{ .name = "flags", .type = &ty_u32, .offset = 0 },
	{ .name = "a", .type = &ty_u32, .offset = 4, .bit_size = 3 },
	{ .name = "mm", .type = &to_mm, .offset = 8 },
	{ .name = "", .type = &either, .offset = 16 },
	{ .name = "mms", .type = &mms, .offset = 24 },
	{ .name = "percpu", .type = &percpu, .offset = 40 },
	{ .name = "number", .type = &number, .offset = 48 },
	{ .name = "bytes", .type = &bytes, .offset = 56 },
	{ .name = "in", .type = &inners, .offset = 64 },
	{ .name = "u", .type = &to_unseen, .offset = 72 },
	{ .name = "of_user", .type = &of_user, .offset = 80 },
	{ .name = "counts", .type = &singles, .offset = 88 },
};
static struct type task = { .kind = TY_STRUCT,
			    .size = 96,
			    .in_kernel = true,
			    .fields = task_fields,
			    .n_fields = ARRAY_SIZE(task_fields),
			    .origin_id = 2 };

static const struct {
	u32 offset, size;
	enum walk walk;
	const char *what;
} cases[] = {
	{ 0, 4, WALK_NUMBER, "a number" },
	{ 0, 1, WALK_NUMBER, "a part of one" },
	{ 0, 8, WALK_REFUSED, "more than it has" },
	{ 4, 4, WALK_REFUSED, "a bitfield" },
	{ 5, 1, WALK_REFUSED, "what no member covers" },
	{ 8, 8, WALK_POINTER, "a pointer" },
	{ 8, 4, WALK_REFUSED, "a half of one" },
	{ 12, 4, WALK_REFUSED, "the other half" },
	{ 16, 8, WALK_POINTER, "the first member of a union, whichever was named" },
	{ 16, 4, WALK_REFUSED, "a part of it" },
	{ 24, 8, WALK_POINTER, "an element" },
	{ 32, 8, WALK_POINTER, "another" },
	{ 28, 8, WALK_REFUSED, "what lies in two" },
	{ 40, 8, WALK_NUMBER, "a pointer for each processor" },
	{ 48, 8, WALK_NUMBER, "a pointer to a number" },
	{ 48, 4, WALK_REFUSED, "a half of one, which another member of a union may be" },
	{ 63, 1, WALK_NUMBER, "the last of some bytes" },
	{ 60, 8, WALK_REFUSED, "beyond them" },
	{ 70, 2, WALK_NUMBER, "a member of an element" },
	{ 69, 2, WALK_REFUSED, "between two" },
	{ 88, 4, WALK_REFUSED, "a whole element that is a structure" },
	{ 92, 2, WALK_NUMBER, "a part of one" },
	{ 72, 8, WALK_REFUSED, "a pointer to what is only declared" },
	{ 80, 8, WALK_NUMBER, "a pointer of the process" },
	{ 96, 1, WALK_REFUSED, "behind the end" },
	{ UINT32_MAX, 1, WALK_REFUSED, "far behind" },
};

int main(void)
{
	static struct type foreign;
	const struct type *to;

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		to = NULL;
		is_int(type_walk(&task, cases[i].offset, cases[i].size, &to), cases[i].walk, "%s",
		       cases[i].what);
		if (cases[i].walk == WALK_POINTER)
			ok(to == &mm, "%s: where to", cases[i].what);
	}
	foreign = task;
	foreign.in_kernel = false;
	is_int(type_walk(&foreign, 0, 4, &to), WALK_REFUSED, "a structure of the script's own");
	ok(type_same_in_kernel(&mm, &mm), "the same");
	ok(!type_same_in_kernel(&mm, &task), "another");
	ok(!type_same_in_kernel(&unseen, &unseen), "what the kernel does not define");
	return done();
}
