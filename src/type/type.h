/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the language and of traced data. A type is immutable once made and is in an arena (or is
 * one of the static scalars below); compare with type_equal(), never by pointer. Structs and unions
 * from BTF, DWARF or C text may be incomplete until type_complete() is called: their fields are
 * read from the type's origin on first use.
 */
#ifndef SONDE_TYPE_H
#define SONDE_TYPE_H

#include "base/arena.h"

struct buf;

enum type_kind {
	TY_ERROR,   /* error already reported: every check accepts it silently */
	TY_UNKNOWN, /* not inferred yet (fixpoint passes) */
	TY_VOID,
	TY_BOOL,
	TY_INT,
	TY_FLOAT,   /* float, double: size 4 or 8 */
	TY_ENUM,    /* size, is_signed and name; enumerators through .enums */
	TY_STRING,  /* count = capacity in bytes including the NUL; NUL-terminated within it */
	TY_BUFFER,  /* u32 length, then count bytes; size = 4 + count rounded up to 4 */
	TY_INET,    /* u32 address family (AF_INET, AF_INET6), 16 bytes; size 20 */
	TY_POINTER, /* elem = pointee (may be TY_VOID), space */
	TY_ARRAY,   /* elem, count */
	TY_STRUCT,  /* C struct or union: name, fields, is_union */
	TY_FUNC,    /* pointee of a function pointer */
	TY_TUPLE,   /* fields named "0", "1", ... */
	/* a system call's arguments, shown as text: type/call.h */
	TY_CALL,
	TY_RECORD, /* fields named by the script: (a=1, b="x") */
	/* aggregations: values of maps only; layouts in type/agg.h */
	TY_COUNT,
	TY_SUM, /* is_signed as its argument, also min, max, avg, stats */
	TY_MIN,
	TY_MAX,
	TY_AVG,
	TY_STATS,
	TY_HIST,
	TY_LHIST,
	TY_LLHIST,
	TY_TSERIES,
	TY_SAMPLES,
	/* values that user space renders */
	TY_KSTACK, /* layouts in type/agg.h */
	TY_USTACK,
	TY_FULLSTACK,   /* kstack and ustack: struct stack_value[2]; the limit is the total */
	TY_KSYM,        /* u64 address */
	TY_USYM,        /* struct usym_value: address and pid, or SYM_OF_SITE */
	TY_USERNAME,    /* u32 uid */
	TY_TIMESTAMP,   /* u64 ns and the index of its format: struct timestamp_value */
	TY_MACADDR,     /* 6 bytes, size 8 */
	TY_CGROUP_PATH, /* u64 cgroup id; name: hierarchies, NULL: all */
	TY_EVENT,       /* raw record of a trace event; origin: struct event_format */
	TY_PROBE,       /* u64 site id; rendered as the probe's name */
	TY_STACK_MODE,  /* the names bpftrace, perf, raw, build_id as arguments */
	TY_TIMESTAMP_MODE,
	TY_MAP, /* a map as an argument */
	N_TYPE_KINDS
};

/* Address space of a pointer: selects a direct load or the helper that reads it. */
enum space {
	SPACE_NONE,   /* unknown: the clause's default */
	SPACE_KERNEL, /* probe_read_kernel */
	SPACE_USER,   /* probe_read_user */
	SPACE_EITHER, /* from a kernel function's caller: depends on the address, probe_read */
	SPACE_BTF, /* trusted kernel pointer of a BTF type: direct load where the feature exists */
	SPACE_BPF, /* our own memory: map value, record, stack */
	SPACE_CTX, /* the program's context */
};

/* The forms in which stacks are printed, with their names in scripts. */
#define STACK_MODES(M)                                                                             \
	M(SONDE, bpftrace)                                                                         \
	M(PERF, perf)                                                                              \
	M(RAW, raw)                                                                                \
	M(BUILD_ID, build_id)
#define M(id, name) STACK_MODE_##id,
enum stack_mode { STACK_MODES(M) };
#undef M
#define M(id, name) +1
enum { N_STACK_MODES = STACK_MODES(M) };
#undef M
extern const char *const stack_mode_names[N_STACK_MODES];

struct value_range {
	u64 first, last; /* both included */
};

/*
 * Of overlapping members, the active one: selected while the tag's value is in one of the ranges
 * (for the default member: in none of them). Tag and ranges have the same width and are unsigned.
 */
struct presence {
	const struct field *tag; /* in the same structure */
	const struct value_range *range;
	u32 n;
	bool otherwise;
};

struct field {
	const char *name; /* "" for an anonymous member */
	const struct type *type;
	u32 offset;              /* bytes */
	u8 bit_offset, bit_size; /* bitfield: bits from the byte offset; bit_size 0 = not one */
	u8 data_loc;    /* tracepoint field: 1 = __data_loc, 2 = __rel_loc (u32 len << 16 | off) */
	bool from_user; /* a pointer value that points into user memory */
	bool is_base;   /* a C++ base class: its members are found as if inlined here */
	/*
	 * A virtual base: its offset depends on the dynamic type. The vtable word at this offset
	 * (never 0) holds it. Not shown with the other members.
	 */
	s32 virtual_at;
	bool is_tag;                 /* discriminant of a variant: found by name, not shown */
	const struct presence *when; /* condition for being active; NULL: always */
};

struct enum_value {
	const char *name;
	s64 value;
};

struct llhist_shape {
	u32 base, low, high, steps;
};

struct type {
	enum type_kind kind;
	bool is_signed;
	bool is_union;
	bool is_func; /* TY_PROBE: shows the traced function, not the probe */
	/* TY_POINTER: a result used as a number; uint64 unless a member is accessed */
	bool is_word;
	/* TY_STRUCT: from the kernel's own BTF: the verifier knows pointers to it */
	bool in_kernel;
	bool is_offset;  /* TY_POINTER: tagged as not dereferenceable (percpu) */
	bool is_counted; /* TY_ARRAY: a u64 count follows the elements; unused elements are zero */
	bool is_flags;   /* TY_ENUM: a bit mask; value is the value | compared bits << 32 */
	bool is_whole;   /* TY_STRING: a known text, complete though it fills its capacity */
	u8 base;         /* TY_INT: displayed in base 8 or 16; 0: decimal */
	enum space space;
	u32 size, align; /* bytes in memory; size 0 for incomplete and void */
	u32 count;       /* elements of an array, capacity of a string or buffer */
	/* struct, union, enum tag, or the typedef's name of an int; may be NULL */
	const char *name;
	const struct type *elem;
	struct field *fields;
	u32 n_fields;
	struct enum_value *enums;
	u32 n_enums;
	bool has_rest; /* TY_ENUM: any other value is read as the last enumerator */
	union {
		struct {
			u32 bits; /* hist: log2 of sub-buckets per power of two */
		} hist;
		struct {
			s64 min, max, step; /* lhist */
		} lhist;
		struct llhist_shape llhist;
		struct {
			u64 interval_ns;
			u32 count;
			enum type_kind agg; /* TY_AVG, TY_MIN, TY_MAX, TY_SUM, or TY_VOID: last */
		} tseries;
		struct {
			enum stack_mode mode;
			u32 limit; /* in frames */
		} stack;
	};
	/* structs that are completed lazily */
	int (*complete)(struct type *t); /* NULL once complete; returns 0 or -errno */
	void *origin;                    /* e.g. struct btf * */
	u32 origin_id;                   /* e.g. BTF type id */
};

extern const struct type ty_error, ty_unknown, ty_void, ty_bool, ty_s8, ty_s16, ty_s32, ty_s64,
	ty_u8, ty_u16, ty_u32, ty_u64, ty_f32, ty_f64, ty_ksym, ty_usym, ty_username, ty_timestamp,
	ty_macaddr, ty_cgroup_path, ty_inet, ty_probe, ty_func, ty_stack_mode, ty_timestamp_mode,
	ty_count, ty_comm, ty_void_ptr;
/* What pointers to functions point to: it has no value. (ty_func is the name of a function.) */
extern const struct type ty_function;

const struct type *type_int(u32 size, bool is_signed); /* static; size 1, 2, 4, 8 */
const struct type *type_string(struct arena *a, u32 capacity);
/* A text of len characters that is known when the script is compiled. */
const struct type *type_known_text(struct arena *a, u32 len);
const struct type *type_buffer(struct arena *a, u32 capacity);
const struct type *type_pointer(struct arena *a, const struct type *to, enum space space);
const struct type *type_array(struct arena *a, const struct type *elem, u32 count);
/* At most `count` elements; the actual length is part of the value. */
const struct type *type_counted_array(struct arena *a, const struct type *elem, u32 most);
static inline u32 type_count_at(const struct type *t) /* offset of the u64 count */
{
	return t->size - (u32)sizeof(u64);
}
u32 type_array_count(const struct type *t, const void *p); /* length of the value at p */
/*
 * The result of sizeof(): tuples and records have the size of natural alignment alone, although in
 * memory their fields are padded to words; a buffer is its length and its bytes.
 */
u32 type_visible_size(const struct type *t);
/* Lays fields out in order with natural alignment, size rounded to 8 (padding is always zeroed). */
const struct type *type_tuple(struct arena *a, const struct type **elems, u32 n);
const struct type *type_record(struct arena *a, const struct field *fields, u32 n);
const struct type *type_agg(struct arena *a, enum type_kind kind, bool is_signed);
const struct type *type_hist(struct arena *a, u32 bits);
const struct type *type_lhist(struct arena *a, s64 min, s64 max, s64 step);
const struct type *type_llhist(struct arena *a, struct llhist_shape shape);
const struct type *type_tseries(struct arena *a, u64 interval_ns, u32 count, enum type_kind agg,
				bool is_signed);
const struct type *type_samples(struct arena *a, u32 capacity, bool is_signed);
/* kind: TY_KSTACK, TY_USTACK or TY_FULLSTACK. */
const struct type *type_stack(struct arena *a, enum type_kind kind, enum stack_mode mode,
			      u32 limit);
/* Of that many bytes at most; calls of different sizes can be joined. */
const struct type *type_call(struct arena *a, u32 size);
/* A copy of a pointer type in another address space. */
const struct type *type_in_space(struct arena *a, const struct type *ptr, enum space space);
/* The result type in a return probe: for a pointer, a copy with is_word; else t. */
const struct type *type_of_result(struct arena *a, const struct type *t);

const struct type *type_complete(const struct type *t);
/* Gives a structure that has only a name the size, alignment and fields of its definition. */
static inline void type_copy_layout(struct type *t, const struct type *definition)
{
	t->size = definition->size;
	t->align = definition->align;
	t->fields = definition->fields;
	t->n_fields = definition->n_fields;
}
/* Finds a field, also in anonymous members; *offset gets the total byte offset. NULL: none. */
const struct field *type_field(const struct type *t, const char *name, u32 *offset);
/* The virtual base of a C++ class through which alone a name is found; NULL: none. */
const struct field *type_virtual_base(const struct type *t, const char *name);
bool type_equal(const struct type *a, const struct type *b);
/* Type spelling: "uint64", "struct task_struct *", "string[64]", "(int32,string[16])". */
void type_print(struct buf *b, const struct type *t);
const char *type_str(struct arena *a, const struct type *t);
/* A declaration in C: "struct file * file", "char comm[16]"; name "": the type alone. */
void type_print_c(struct buf *b, const struct type *t, const char *name);

static inline bool type_is_scalar(const struct type *t) /* fits a register */
{
	return t->kind == TY_BOOL || t->kind == TY_INT || t->kind == TY_ENUM ||
	       t->kind == TY_POINTER || t->kind == TY_KSYM || t->kind == TY_USERNAME ||
	       t->kind == TY_CGROUP_PATH || t->kind == TY_PROBE;
}
static inline bool type_is_integer(const struct type *t)
{
	return t->kind == TY_INT || t->kind == TY_BOOL || t->kind == TY_ENUM;
}
static inline bool type_is_agg(const struct type *t)
{
	return t->kind >= TY_COUNT && t->kind <= TY_SAMPLES;
}
static inline bool type_is_stack(const struct type *t)
{
	return t->kind >= TY_KSTACK && t->kind <= TY_FULLSTACK;
}
/* It or a part of it is a stack. */
bool type_has_stack(const struct type *t);
bool type_has_user_stack(const struct type *t);

#endif
