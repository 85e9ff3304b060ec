/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Construction, lookup, comparison and layout of types. Input: parts of a type and an arena.
 * Output: immutable struct types. Sizes follow the C ABI of a 64-bit kernel; tuples and records are
 * laid out like C structs whose size is rounded up to 8 and whose padding is zeroed, so that a map
 * key has no uninitialized byte.
 */
#include "base/buf.h"
#include "type/agg.h"
#include "type/type.h"

#define M(id, name) #name,
const char *const stack_mode_names[N_STACK_MODES] = { STACK_MODES(M) };
#undef M

#define SCALAR(k, bytes, ...)                                                                      \
	{                                                                                          \
		.kind = (k), .size = (bytes), .align = (bytes), ##__VA_ARGS__                      \
	}

const struct type ty_error = { .kind = TY_ERROR };
const struct type ty_unknown = { .kind = TY_UNKNOWN };
const struct type ty_void = { .kind = TY_VOID, .align = 1 };
const struct type ty_bool = SCALAR(TY_BOOL, 1);
const struct type ty_s8 = SCALAR(TY_INT, 1, .is_signed = true);
const struct type ty_s16 = SCALAR(TY_INT, 2, .is_signed = true);
const struct type ty_s32 = SCALAR(TY_INT, 4, .is_signed = true);
const struct type ty_s64 = SCALAR(TY_INT, 8, .is_signed = true);
const struct type ty_u8 = SCALAR(TY_INT, 1);
const struct type ty_u16 = SCALAR(TY_INT, 2);
const struct type ty_u32 = SCALAR(TY_INT, 4);
const struct type ty_u64 = SCALAR(TY_INT, 8);
const struct type ty_f32 = SCALAR(TY_FLOAT, 4, .is_signed = true);
const struct type ty_f64 = SCALAR(TY_FLOAT, 8, .is_signed = true);
const struct type ty_ksym = SCALAR(TY_KSYM, 8);
const struct type ty_usym = { .kind = TY_USYM, .size = sizeof(struct usym_value), .align = 8 };
const struct type ty_username = SCALAR(TY_USERNAME, 4);
const struct type ty_timestamp = { .kind = TY_TIMESTAMP,
				   .size = sizeof(struct timestamp_value),
				   .align = 8 };
const struct type ty_macaddr = SCALAR(TY_MACADDR, 8);
const struct type ty_cgroup_path = SCALAR(TY_CGROUP_PATH, 8);
const struct type ty_inet = { .kind = TY_INET, .size = 20, .align = 4, .count = 16 };
const struct type ty_probe = SCALAR(TY_PROBE, 8);
const struct type ty_func = SCALAR(TY_PROBE, 8, .is_func = true);
const struct type ty_function = { .kind = TY_FUNC };
const struct type ty_stack_mode = SCALAR(TY_STACK_MODE, 8);
const struct type ty_timestamp_mode = SCALAR(TY_TIMESTAMP_MODE, 8);
const struct type ty_count = SCALAR(TY_COUNT, 8);
const struct type ty_comm = { .kind = TY_STRING, .size = 16, .align = 1, .count = 16 };
const struct type ty_void_ptr = SCALAR(TY_POINTER, 8, .elem = &ty_void);

const struct type *type_int(u32 size, bool is_signed)
{
	switch (size) {
	case 1: return is_signed ? &ty_s8 : &ty_u8;
	case 2: return is_signed ? &ty_s16 : &ty_u16;
	case 4: return is_signed ? &ty_s32 : &ty_u32;
	case 8: return is_signed ? &ty_s64 : &ty_u64;
	}
	BUG("integer of %u bytes", size);
}

static struct type *make(struct arena *a, enum type_kind kind, u32 size, u32 align)
{
	struct type *t = arena_new(a, struct type);

	t->kind = kind;
	t->size = size;
	t->align = align;
	return t;
}

const struct type *type_string(struct arena *a, u32 capacity)
{
	struct type *t = make(a, TY_STRING, capacity, 1);

	t->count = capacity;
	return t;
}

const struct type *type_known_text(struct arena *a, u32 len)
{
	struct type *t = make(a, TY_STRING, len + 1, 1);

	t->count = len + 1;
	t->is_whole = true;
	return t;
}

const struct type *type_buffer(struct arena *a, u32 capacity)
{
	struct type *t = make(a, TY_BUFFER, 4 + ALIGN_UP(capacity, 4), 4);

	t->count = capacity;
	return t;
}

const struct type *type_pointer(struct arena *a, const struct type *to, enum space space)
{
	struct type *t = make(a, TY_POINTER, 8, 8);

	t->elem = to;
	t->space = space;
	return t;
}

const struct type *type_array(struct arena *a, const struct type *elem, u32 count)
{
	struct type *t;

	type_complete(elem);
	t = make(a, TY_ARRAY, elem->size * count, elem->align);
	t->elem = elem;
	t->count = count;
	return t;
}

const struct type *type_counted_array(struct arena *a, const struct type *elem, u32 most)
{
	struct type *t = arena_dup(a, type_array(a, elem, most), sizeof *t);

	t->is_counted = true;
	t->size = ALIGN_UP(t->size, 8u) + (u32)sizeof(u64);
	t->align = 8;
	return t;
}

u32 type_array_count(const struct type *t, const void *p)
{
	u64 n = t->count;

	if (t->is_counted)
		memcpy(&n, (const char *)p + type_count_at(t), sizeof n);
	return (u32)MIN(n, (u64)t->count);
}

/* Sets the offset of each field and the size of t. */
static void lay_out(struct type *t)
{
	u32 at = 0, align = 1;

	for (u32 i = 0; i < t->n_fields; i++) {
		const struct type *ft = type_complete(t->fields[i].type);
		u32 to = type_is_scalar(ft) ? MAX(ft->align, 1) : 8; /* copied word by word */

		at = ALIGN_UP(at, to);
		t->fields[i].offset = at;
		at += ft->size;
		align = MAX(align, to);
	}
	t->size = ALIGN_UP(at, 8);
	t->align = 8;
}

static u32 visible_align(const struct type *t)
{
	u32 align = 1;

	if (t->kind == TY_ENUM)
		return sizeof(u64);
	if (t->kind != TY_TUPLE && t->kind != TY_RECORD)
		return t->kind == TY_STRING || t->kind == TY_BUFFER ? 1 : MAX(t->align, 1);
	for (u32 i = 0; i < t->n_fields; i++)
		align = MAX(align, visible_align(t->fields[i].type));
	return align;
}

u32 type_visible_size(const struct type *t)
{
	u32 at = 0;

	if (t->kind == TY_ENUM)
		return sizeof(u64);
	if (t->kind == TY_BUFFER)
		return sizeof(u32) + t->count;
	if (t->kind != TY_TUPLE && t->kind != TY_RECORD)
		return t->size;
	for (u32 i = 0; i < t->n_fields; i++)
		at = ALIGN_UP(at, visible_align(t->fields[i].type)) +
		     type_visible_size(t->fields[i].type);
	return ALIGN_UP(at, visible_align(t));
}

static const char *index_name(struct arena *a, u32 i)
{
	static const char digit[][2] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" };

	return i < ARRAY_SIZE(digit) ? digit[i] : arena_printf(a, "%u", i);
}

const struct type *type_tuple(struct arena *a, const struct type **elems, u32 n)
{
	struct type *t = make(a, TY_TUPLE, 0, 8);

	t->fields = arena_array(a, struct field, n);
	t->n_fields = n;
	for (u32 i = 0; i < n; i++) {
		t->fields[i].name = index_name(a, i);
		t->fields[i].type = elems[i];
	}
	lay_out(t);
	return t;
}

const struct type *type_record(struct arena *a, const struct field *fields, u32 n)
{
	struct type *t = make(a, TY_RECORD, 0, 8);

	t->fields = arena_dup(a, fields, sizeof *fields * n);
	t->n_fields = n;
	lay_out(t);
	return t;
}

const struct type *type_agg(struct arena *a, enum type_kind kind, bool is_signed)
{
	struct type *t = make(a, kind, 0, 8);

	t->is_signed = is_signed;
	t->size = agg_size(t);
	return t;
}

const struct type *type_hist(struct arena *a, u32 bits)
{
	struct type *t = make(a, TY_HIST, 0, 8);

	t->hist.bits = bits;
	t->size = agg_size(t);
	return t;
}

const struct type *type_lhist(struct arena *a, s64 min, s64 max, s64 step)
{
	struct type *t = make(a, TY_LHIST, 0, 8);

	t->is_signed = true;
	t->lhist.min = min;
	t->lhist.max = max;
	t->lhist.step = step;
	t->size = agg_size(t);
	return t;
}

const struct type *type_llhist(struct arena *a, struct llhist_shape shape)
{
	struct type *t = make(a, TY_LLHIST, 0, 8);

	t->is_signed = true;
	t->llhist = shape;
	t->size = agg_size(t);
	return t;
}

const struct type *type_tseries(struct arena *a, u64 interval_ns, u32 count, enum type_kind agg,
				bool is_signed)
{
	struct type *t = make(a, TY_TSERIES, 0, 8);

	t->is_signed = is_signed;
	t->tseries.interval_ns = interval_ns;
	t->tseries.count = count;
	t->tseries.agg = agg;
	t->size = agg_size(t);
	return t;
}

const struct type *type_samples(struct arena *a, u32 capacity, bool is_signed)
{
	struct type *t = make(a, TY_SAMPLES, 0, 8);

	t->is_signed = is_signed;
	t->count = capacity;
	t->size = agg_size(t);
	return t;
}

const struct type *type_stack(struct arena *a, enum type_kind kind, enum stack_mode mode, u32 limit)
{
	struct type *t =
		make(a, kind, sizeof(struct stack_value) * (kind == TY_FULLSTACK ? 2 : 1), 8);

	t->stack.mode = mode;
	t->stack.limit = limit;
	return t;
}

const struct type *type_call(struct arena *a, u32 size)
{
	return make(a, TY_CALL, ALIGN_UP(size, 8u), 8);
}

const struct type *type_of_result(struct arena *a, const struct type *t)
{
	struct type *word;

	if (t->kind != TY_POINTER)
		return t;
	word = arena_dup(a, t, sizeof *t);
	word->is_word = true;
	return word;
}

const struct type *type_in_space(struct arena *a, const struct type *ptr, enum space space)
{
	struct type *t;

	if (ptr->space == space)
		return ptr;
	t = arena_dup(a, ptr, sizeof *ptr);
	t->space = space;
	return t;
}

const struct type *type_complete(const struct type *t)
{
	/* The only mutation of a type: its fields are not in use yet. */
	struct type *open = (struct type *)(uintptr_t)t;
	int (*complete)(struct type *) = open->complete;

	if (complete) {
		open->complete = NULL;
		complete(open);
	}
	return t;
}

static bool has_fields(const struct type *t)
{
	return t->kind == TY_STRUCT || t->kind == TY_TUPLE || t->kind == TY_RECORD;
}

/* Limits on anonymous members: real structs have tens; those of a corrupt file may be recursive. */
enum { MAX_ANONYMOUS = 1000 };

struct field_search {
	const char *name;
	u32 left;    /* budget of classes and anonymous members to search */
	bool deeper; /* some bases are deeper than this search */
};

/*
 * depth: inheritance distance of bases searched; members of nearer bases hide those of farther
 * ones.
 */
static const struct field *find_field(struct field_search *s, const struct type *t, u32 depth,
				      u32 *offset)
{
	type_complete(t);
	if (!has_fields(t) || !s->left)
		return NULL;
	s->left--;
	for (u32 i = 0; i < t->n_fields; i++)
		if (t->fields[i].name[0] && streq(t->fields[i].name, s->name)) {
			*offset = t->fields[i].offset;
			return &t->fields[i];
		}
	for (u32 i = 0; i < t->n_fields; i++) {
		const struct field *f = &t->fields[i], *inner;
		u32 at;

		if (f->is_base && (f->virtual_at || !depth)) {
			s->deeper |= !f->virtual_at;
			continue;
		}
		if ((!f->name[0] || f->is_base) &&
		    (inner = find_field(s, f->type, depth - f->is_base, &at))) {
			*offset = f->offset + at;
			return inner;
		}
	}
	return NULL;
}

const struct field *type_field(const struct type *t, const char *name, u32 *offset)
{
	struct field_search s = { .name = name, .left = MAX_ANONYMOUS, .deeper = true };
	const struct field *f = NULL;
	u32 at;

	for (u32 depth = 0; s.deeper && !f; depth++) {
		s.deeper = false;
		f = find_field(&s, t, depth, &at);
	}
	if (f && offset)
		*offset = at;
	return f;
}

static const struct field *find_virtual(const struct type *t, const char *name, u32 *left)
{
	type_complete(t);
	if (!has_fields(t) || !*left)
		return NULL;
	--*left;
	for (u32 i = 0; i < t->n_fields; i++) {
		const struct field *f = &t->fields[i], *inner;

		if (!f->is_base)
			continue;
		if (f->virtual_at && type_field(f->type, name, NULL))
			return f;
		inner = find_virtual(f->type, name, left);
		if (inner)
			return f->virtual_at ? f : inner;
	}
	return NULL;
}

const struct field *type_virtual_base(const struct type *t, const char *name)
{
	u32 left = MAX_ANONYMOUS;

	return find_virtual(t, name, &left);
}

static bool same_name(const char *a, const char *b)
{
	return a && b && (a == b || streq(a, b));
}

/* Two C types are equal if they have one origin, or the same name and size. */
static bool same_tag(const struct type *a, const struct type *b)
{
	if (a->origin && a->origin == b->origin && a->origin_id && a->origin_id == b->origin_id)
		return true;
	return a->is_union == b->is_union && same_name(a->name, b->name) &&
	       (a->size == b->size || type_complete(a)->size == type_complete(b)->size);
}

static bool same_fields(const struct type *a, const struct type *b, bool named)
{
	if (a->n_fields != b->n_fields)
		return false;
	for (u32 i = 0; i < a->n_fields; i++) {
		if (named && !streq(a->fields[i].name, b->fields[i].name))
			return false;
		if (!type_equal(a->fields[i].type, b->fields[i].type))
			return false;
	}
	return true;
}

bool type_equal(const struct type *a, const struct type *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case TY_INT:
	case TY_FLOAT: return a->size == b->size && a->is_signed == b->is_signed;
	case TY_ENUM: return a->size == b->size && same_tag(a, b);
	case TY_STRING:
	case TY_BUFFER: return a->count == b->count;
	case TY_POINTER:
		return a->space == b->space && a->is_word == b->is_word &&
		       type_equal(a->elem, b->elem);
	case TY_ARRAY:
		return a->count == b->count && a->is_counted == b->is_counted &&
		       type_equal(a->elem, b->elem);
	case TY_STRUCT: return same_tag(a, b);
	case TY_TUPLE:
	case TY_RECORD: return same_fields(a, b, a->kind == TY_RECORD);
	case TY_SUM:
	case TY_MIN:
	case TY_MAX:
	case TY_AVG:
	case TY_STATS: return a->is_signed == b->is_signed;
	case TY_HIST: return a->hist.bits == b->hist.bits;
	case TY_LHIST:
		return a->lhist.min == b->lhist.min && a->lhist.max == b->lhist.max &&
		       a->lhist.step == b->lhist.step;
	case TY_LLHIST:
		return a->llhist.base == b->llhist.base && a->llhist.low == b->llhist.low &&
		       a->llhist.high == b->llhist.high && a->llhist.steps == b->llhist.steps;
	case TY_TSERIES:
		return a->tseries.interval_ns == b->tseries.interval_ns &&
		       a->tseries.count == b->tseries.count && a->tseries.agg == b->tseries.agg &&
		       a->is_signed == b->is_signed;
	case TY_SAMPLES: return a->count == b->count && a->is_signed == b->is_signed;
	case TY_KSTACK:
	case TY_USTACK:
	case TY_FULLSTACK:
		return a->stack.mode == b->stack.mode && a->stack.limit == b->stack.limit;
	case TY_CALL: return a->size == b->size;
	case TY_CGROUP_PATH: return same_name(a->name, b->name);
	case TY_MAP: return a->elem == b->elem && same_name(a->name, b->name);
	case TY_PROBE: return a->is_func == b->is_func;
	case TY_ERROR:
	case TY_UNKNOWN:
	case TY_VOID:
	case TY_BOOL:
	case TY_INET:
	case TY_FUNC:
	case TY_COUNT:
	case TY_KSYM:
	case TY_USYM:
	case TY_USERNAME:
	case TY_TIMESTAMP:
	case TY_MACADDR:
	case TY_EVENT:
	case TY_STACK_MODE:
	case TY_TIMESTAMP_MODE:
	case N_TYPE_KINDS: return true;
	}
	return true;
}

bool type_has_user_stack(const struct type *t)
{
	if (t->kind == TY_USTACK || t->kind == TY_FULLSTACK)
		return true;
	for (u32 i = 0; i < t->n_fields && (t->kind == TY_TUPLE || t->kind == TY_RECORD); i++)
		if (type_has_user_stack(t->fields[i].type))
			return true;
	return false;
}

bool type_has_stack(const struct type *t)
{
	if (type_is_stack(t))
		return true;
	for (u32 i = 0; i < t->n_fields && (t->kind == TY_TUPLE || t->kind == TY_RECORD); i++)
		if (type_has_stack(t->fields[i].type))
			return true;
	return false;
}
