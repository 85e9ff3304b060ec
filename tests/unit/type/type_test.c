/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constructors, layout, fields, equality and spelling of types. */
#include "base/buf.h"
#include "tap.h"
#include "type/features.h"
#include "type/type.h"

static struct arena a;

static void spelling(void)
{
	static const struct type task = { .kind = TY_STRUCT, .name = "task_struct" };
	static const struct type addr = { .kind = TY_STRUCT, .is_union = true };
	static const struct type state = { .kind = TY_ENUM, .size = 4, .name = "state" };
	const struct type *pair[] = { &ty_s32, &ty_comm };
	const struct type *ptr = type_pointer(&a, &task, SPACE_BTF);

	is_str(type_str(&a, &ty_u64), "uint64", "u64");
	is_str(type_str(&a, &ty_s8), "int8", "s8");
	is_str(type_str(&a, &ty_bool), "bool", "bool");
	is_str(type_str(&a, &ty_comm), "string[16]", "comm");
	is_str(type_str(&a, ptr), "struct task_struct *", "pointer to struct");
	is_str(type_str(&a, type_pointer(&a, ptr, SPACE_NONE)), "struct task_struct **", "twice");
	is_str(type_str(&a, &ty_void_ptr), "void *", "void pointer");
	is_str(type_str(&a, type_tuple(&a, pair, 2)), "(int32,string[16])", "tuple");
	is_str(type_str(&a, type_array(&a, type_array(&a, &ty_u16, 3), 2)), "uint16[2][3]",
	       "array");
	is_str(type_str(&a, &addr), "union <anonymous>", "nameless union");
	is_str(type_str(&a, &state), "enum state", "enum");
	is_str(type_str(&a, type_agg(&a, TY_SUM, false)), "usum_t", "unsigned sum");
	is_str(type_str(&a, type_agg(&a, TY_SUM, true)), "sum_t", "signed sum");
	is_str(type_str(&a, &ty_count), "count_t", "count");
	is_str(type_str(&a, type_buffer(&a, 6)), "buffer[6]", "buffer");
	is_str(type_str(&a, &ty_f64), "double", "double");
	for (int kind = 0; kind < N_TYPE_KINDS; kind++) {
		struct type t = { .kind = kind, .size = 8, .elem = &ty_void };

		ok(type_str(&a, &t)[0], "kind %d has a spelling", kind);
	}
}

static void layout(void)
{
	const struct type *mixed[] = { &ty_u8, &ty_u32, &ty_u8, &ty_u64, &ty_u16 };
	const struct type *t = type_tuple(&a, mixed, 5);
	static const u32 want[] = { 0, 4, 8, 16, 24 };
	struct field f[] = { { .name = "a", .type = &ty_u8 }, { .name = "b", .type = &ty_comm } };
	const struct type *r = type_record(&a, f, 2);
	u32 at = 99;

	for (u32 i = 0; i < 5; i++)
		is_int(t->fields[i].offset, want[i], "element %u", i);
	is_int(t->size, 32, "size of the tuple");
	is_str(t->fields[4].name, "4", "name of an element");
	is_int(r->size, 24, "size of the record");
	ok(type_field(r, "b", &at) && at == 8, "record field");
	ok(!type_field(r, "c", &at) && at == 8, "no field leaves the offset");
	is_int(type_buffer(&a, 6)->size, 12, "buffer");
	is_int(type_buffer(&a, 8)->size, 12, "buffer, even");
	is_int(type_array(&a, &ty_u32, 5)->size, 20, "array");
	is_int(type_stack(&a, TY_USTACK, STACK_MODE_PERF, 9)->size, 16, "stack");
	is_int(type_stack(&a, TY_USTACK, STACK_MODE_PERF, 9)->stack.limit, 9, "limit of a stack");
	ok(type_int(2, false) == &ty_u16 && type_int(8, true) == &ty_s64, "integers are static");
}

static int completed;

static int complete(struct type *t)
{
	static struct field f[] = { { .name = "x", .type = &ty_u32, .offset = 4 } };

	completed++;
	t->fields = f;
	t->n_fields = 1;
	return 0;
}

static void fields(void)
{
	struct type inner = { .kind = TY_STRUCT, .size = 8, .complete = complete };
	struct field f[] = { { .name = "head", .type = &ty_u64 },
			     { .name = "", .type = &inner, .offset = 8 } };
	struct type outer = { .kind = TY_STRUCT, .size = 16, .fields = f, .n_fields = 2 };
	const struct field *x;
	u32 at = 0;

	x = type_field(&outer, "x", &at);
	ok(x && x->type == &ty_u32, "through an anonymous member");
	is_int(at, 12, "total offset");
	type_field(&outer, "x", NULL);
	is_int(completed, 1, "completed once");
	ok(!type_field(&outer, "", NULL), "no field has the empty name");
	ok(!type_field(&ty_u32, "x", NULL), "integers have no fields");
}

static void equality(void)
{
	struct type s1 = { .kind = TY_STRUCT, .name = "s", .size = 8 }, s2 = s1, s3 = s1;
	struct field ab[] = { { .name = "a", .type = &ty_u8 }, { .name = "b", .type = &ty_u8 } };
	struct field ac[] = { { .name = "a", .type = &ty_u8 }, { .name = "c", .type = &ty_u8 } };
	struct type size_t_ = ty_u64;

	size_t_.name = "size_t";
	s3.size = 16;
	ok(type_equal(&size_t_, &ty_u64), "typedefs of integers are integers");
	ok(!type_equal(&ty_u64, &ty_s64) && !type_equal(&ty_u64, &ty_u32), "size and sign count");
	ok(type_equal(&s1, &s2), "structs by name");
	ok(!type_equal(&s1, &s3), "another struct of that name");
	ok(type_equal(type_pointer(&a, &s1, SPACE_USER), type_pointer(&a, &s2, SPACE_USER)),
	   "pointers");
	ok(!type_equal(type_pointer(&a, &s1, SPACE_USER), type_pointer(&a, &s2, SPACE_BTF)),
	   "spaces");
	ok(type_equal(type_string(&a, 16), &ty_comm), "strings by capacity");
	ok(type_equal(type_record(&a, ab, 2), type_record(&a, ab, 2)), "records");
	ok(!type_equal(type_record(&a, ab, 2), type_record(&a, ac, 2)), "records have names");
	ok(!type_equal(type_hist(&a, 0), type_hist(&a, 5)), "hist parameters");
	ok(type_equal(type_lhist(&a, 0, 10, 1), type_lhist(&a, 0, 10, 1)), "lhist parameters");
	ok(type_in_space(&a, &ty_void_ptr, SPACE_NONE) == &ty_void_ptr, "same space, same type");
	is_int(type_in_space(&a, &ty_void_ptr, SPACE_USER)->space, SPACE_USER, "other space");
}

int main(void)
{
	arena_init(&a);
	spelling();
	layout();
	fields();
	equality();
	for (int i = 0; i < N_FEATURES; i++)
		ok(feature_rows[i].name && feature_rows[i].text[0], "feature row %d", i);
	arena_release(&a);
	return done();
}
