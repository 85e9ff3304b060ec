/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Location of a Rust function's result at its return. The convention is rustc's own and depends on
 * the compiler's internal representation of a type (rustc_abi: BackendRepr), which debug
 * information does not contain but its layout implies:
 *
 *	scalar		an integer, pointer, float, fieldless enum, or a structure that wraps one
 *	scalar pair	a structure of two scalars, (u32, bool), &str; an enum of a tag and one
 *			scalar, Option<u32>, Result<usize, Box<E>>; each of the two is in its
 *			own register, whatever its size
 *	memory		all others: up to a word in one register, else at the caller's address,
 *			which x86-64 returns
 *
 * An enum whose tag is a niche of its data (Option<&T>, Option<String>) is represented as that
 * data. Derived from rustc's source and tested with 1.63, 1.95 and 1.97.
 */
#include "arch/abi.h"

enum { WORD = 8, MAX_NESTING = 24 };

enum prim { PRIM_INT, PRIM_POINTER, PRIM_FLOAT };
enum repr_kind { REPR_NONE, REPR_MEMORY, REPR_SCALAR, REPR_PAIR, REPR_VECTOR };

struct scalar {
	enum prim prim;
	u32 offset, size;
	bool is_signed;
};

struct repr {
	enum repr_kind kind;
	struct scalar part[2]; /* if scalar or scalar pair */
};

static struct repr repr_of(const struct type *t, u32 rustc, u32 depth);

static struct repr scalar(enum prim prim, const struct type *t)
{
	return (struct repr){
		.kind = REPR_SCALAR,
		.part = { { .prim = prim, .size = t->size, .is_signed = t->is_signed } }
	};
}

static u32 align_of(const struct scalar *s, u32 rustc)
{
	return s->size > WORD && rustc < 177 ? WORD : s->size; /* 128-bit integers since 1.77 */
}

/* Two scalars at the offsets of a structure of the two. */
static struct repr pair_of(struct scalar a, struct scalar b, u32 size, u32 rustc)
{
	u32 align = MAX(align_of(&a, rustc), align_of(&b, rustc));

	if (a.offset || b.offset != ALIGN_UP(a.size, align_of(&b, rustc)) ||
	    size != ALIGN_UP(b.offset + b.size, align))
		return (struct repr){ .kind = REPR_MEMORY };
	return (struct repr){ .kind = REPR_PAIR, .part = { a, b } };
}

/* A field with storage that is not the tag. */
static bool is_stored(const struct field *f)
{
	type_complete(f->type);
	return !f->is_tag && f->type->size;
}

/* The fields of nonzero size, at most three of them. */
static u32 stored(const struct type *t, const struct field *out[3])
{
	u32 n = 0;

	for (u32 i = 0; i < t->n_fields && n < 3; i++)
		if (is_stored(&t->fields[i]))
			out[n++] = &t->fields[i];
	return n;
}

/* repr(simd): types of intrinsics and portable ones. */
static bool is_vector(const struct type *t, const struct field *only)
{
	return t->name && only->type->kind == TY_ARRAY &&
	       (starts_with(t->name, "__m") || starts_with(t->name, "Simd<"));
}

static struct repr of_struct(const struct type *t, u32 rustc, u32 depth)
{
	const struct field *f[3];
	struct repr a, b;
	u32 n = stored(t, f);

	if (n == 1 && is_vector(t, f[0]))
		return (struct repr){ .kind = REPR_VECTOR };
	if (n == 1 && !f[0]->offset && f[0]->type->size == t->size)
		return repr_of(f[0]->type, rustc, depth + 1);
	if (n != 2)
		return (struct repr){ .kind = REPR_MEMORY };
	if (f[0]->offset > f[1]->offset) {
		const struct field *first = f[1];

		f[1] = f[0];
		f[0] = first;
	}
	a = repr_of(f[0]->type, rustc, depth + 1);
	b = repr_of(f[1]->type, rustc, depth + 1);
	if (a.kind != REPR_SCALAR || b.kind != REPR_SCALAR)
		return (struct repr){ .kind = REPR_MEMORY };
	a.part[0].offset += f[0]->offset;
	b.part[0].offset += f[1]->offset;
	return pair_of(a.part[0], b.part[0], t->size, rustc);
}

/* MaybeUninit<T> has the representation of T. */
static struct repr of_union(const struct type *t, u32 rustc, u32 depth)
{
	struct repr all = { 0 };

	for (u32 i = 0; i < t->n_fields; i++) {
		struct repr r;

		if (!is_stored(&t->fields[i]))
			continue;
		r = repr_of(t->fields[i].type, rustc, depth + 1);
		if (t->fields[i].type->size != t->size ||
		    (all.kind && memcmp(&r, &all, sizeof r) != 0))
			return (struct repr){ .kind = REPR_MEMORY };
		all = r;
	}
	return all;
}

/* ---- enums */

static const struct field *tag_of(const struct type *t)
{
	for (u32 i = 0; i < t->n_fields; i++)
		if (t->fields[i].is_tag)
			return &t->fields[i];
	return NULL;
}

/* The variant for all other values of the tag; the tag is part of it. */
static const struct field *untagged(const struct type *t)
{
	for (u32 i = 0; i < t->n_fields; i++)
		if (t->fields[i].when && t->fields[i].when->otherwise)
			return &t->fields[i];
	return NULL;
}

static bool others_are_empty(const struct type *t, const struct field *but)
{
	const struct field *f[3];

	for (u32 i = 0; i < t->n_fields; i++) {
		if (&t->fields[i] == but || !is_stored(&t->fields[i]))
			continue;
		if (stored(t->fields[i].type, f))
			return false;
	}
	return true;
}

static bool merge(struct scalar *into, const struct scalar *s, u32 rustc)
{
	if (into->offset != s->offset || into->size != s->size)
		return false;
	if (into->prim == s->prim)
		return into->prim != PRIM_INT || into->is_signed == s->is_signed || rustc >= 179;
	if (rustc < 179 || into->prim == PRIM_FLOAT || s->prim == PRIM_FLOAT)
		return false;
	into->prim = PRIM_INT;
	return true;
}

/* A tag and, in every variant with data, one scalar at the same offset. */
static struct repr of_tagged(const struct type *t, const struct field *tag, u32 rustc, u32 depth)
{
	struct scalar first = { .prim = PRIM_INT, .offset = tag->offset, .size = tag->type->size },
		      data = { 0 };

	for (u32 i = 0; i < t->n_fields; i++) {
		const struct field *f[3];
		struct repr r;
		u32 n;

		if (!is_stored(&t->fields[i]))
			continue;
		n = stored(t->fields[i].type, f);
		if (!n)
			continue;
		r = repr_of(f[0]->type, rustc, depth + 1);
		r.part[0].offset += f[0]->offset;
		if (n > 1 || r.kind != REPR_SCALAR ||
		    (data.size && !merge(&data, &r.part[0], rustc)))
			return (struct repr){ .kind = REPR_MEMORY };
		if (!data.size)
			data = r.part[0];
	}
	return data.size ? pair_of(first, data, t->size, rustc) :
			   (struct repr){ .kind = REPR_MEMORY };
}

static struct repr of_enum(const struct type *t, const struct field *tag, u32 rustc, u32 depth)
{
	const struct field *whole = untagged(t);

	if (tag->type->size == t->size && others_are_empty(t, whole) && !whole)
		return scalar(PRIM_INT, tag->type);
	if (!whole)
		return of_tagged(t, tag, rustc, depth);
	return others_are_empty(t, whole) ? repr_of(whole->type, rustc, depth + 1) :
					    (struct repr){ .kind = REPR_MEMORY };
}

static struct repr repr_of(const struct type *t, u32 rustc, u32 depth)
{
	const struct field *tag;

	type_complete(t);
	if (!t->size || depth > MAX_NESTING)
		return (struct repr){ .kind = t->size ? REPR_MEMORY : REPR_NONE };
	switch ((int)t->kind) {
	case TY_BOOL:
	case TY_INT:
	case TY_ENUM: return scalar(PRIM_INT, t);
	case TY_POINTER: return scalar(PRIM_POINTER, t);
	case TY_FLOAT: return scalar(PRIM_FLOAT, t);
	case TY_ARRAY: /* __int128, then f16 and f128, then arrays */
		if (t->elem == &ty_u64 && !t->name)
			return scalar(PRIM_INT, t);
		return t->name ? scalar(PRIM_FLOAT, t) : (struct repr){ .kind = REPR_MEMORY };
	case TY_STRUCT:
		tag = tag_of(t);
		if (t->is_union)
			return of_union(t, rustc, depth);
		return tag ? of_enum(t, tag, rustc, depth) : of_struct(t, rustc, depth);
	}
	return (struct repr){ .kind = REPR_MEMORY };
}

/* ---- registers */

static const char vector[] = "it is in a vector register, which kernel programs cannot read";

static u32 words_of(u32 size)
{
	return (size + WORD - 1) / WORD;
}

/* rax, rdx and LLVM's third result register, rcx; arm64 has enough. */
static bool result_register(struct abi *abi, u32 i, u32 *offset)
{
	enum { X86_64_RCX = 88 };
	const u16 *reg;
	u32 n;

	reg = abi_result_registers(abi, &n);
	if (i < n)
		*offset = reg[i];
	else
		*offset = abi_returns_address(abi) ? X86_64_RCX : i * WORD;
	return i < 3;
}

struct pieces {
	struct abi *abi;
	struct loc_piece list[2 * LOC_MAX_PIECES];
	u32 n, at, n_int;
	bool has_vector;
};

static void pad(struct pieces *p, u32 to)
{
	if (to > p->at)
		p->list[p->n++] = (struct loc_piece){ { .kind = LOC_CONST }, to - p->at };
	p->at = to;
}

static void add_words(struct pieces *p, u32 size)
{
	for (u32 done = 0; done < size; done += WORD) {
		struct loc_piece *piece = &p->list[p->n++];
		u32 reg = 0;

		result_register(p->abi, p->n_int++, &reg);
		*piece = (struct loc_piece){ { .kind = LOC_REG, .offset = reg, .size = WORD },
					     MIN(size - done, (u32)WORD) };
	}
	p->at += size;
}

static void add_scalar(struct pieces *p, const struct scalar *s)
{
	pad(p, s->offset);
	if (s->prim != PRIM_FLOAT) {
		add_words(p, s->size);
		return;
	}
	p->list[p->n++] = (struct loc_piece){ .size = s->size };
	p->at += s->size;
	p->has_vector = true;
}

static struct loc finish(struct pieces *p, const struct type *t)
{
	const struct loc *first = &p->list[0].loc;

	pad(p, t->size);
	if (p->n == 1 && type_is_scalar(t) && t->size <= WORD)
		return (struct loc){ .kind = LOC_REG,
				     .offset = first->offset,
				     .size = (u8)t->size,
				     .is_signed = t->is_signed };
	return (struct loc){ .kind = LOC_PIECES,
			     .n = p->n,
			     .piece = arena_dup(p->abi->arena, p->list, p->n * sizeof p->list[0]) };
}

/*
 * Larger than two words: since 1.84 always at the caller's address (rust-lang/rust pull request
 * 131211); before, whatever fits LLVM's three registers was returned there.
 */
static bool in_registers(const struct repr *r, const struct type *t, u32 rustc)
{
	u32 ints = 0, n = r->kind == REPR_PAIR ? 2 : 1;

	for (u32 i = 0; i < n; i++)
		ints += r->part[i].prim == PRIM_FLOAT ? 0 : words_of(r->part[i].size);
	return t->size <= 2 * WORD || (rustc < 184 && ints <= 3);
}

static bool in_memory(struct abi *abi, struct loc *out, const char **why)
{
	const u16 *reg;
	u32 n;

	reg = abi_result_registers(abi, &n);
	if (!abi_returns_address(abi)) {
		*why = "its address was in x8 at the function's entry: keep reg(\"x8\") there";
		return false;
	}
	*out = abi_in_memory(abi, reg[0], 0);
	return true;
}

static bool aggregate(struct abi *abi, const struct type *t, u32 rustc, struct loc *out,
		      const char **why)
{
	struct pieces p = { .abi = abi };

	if (t->size > 2 * WORD || (t->size > WORD && (rustc >= 163 || rustc < 148)))
		return in_memory(abi, out, why);
	if (t->size >
	    WORD) { /* by value and by address within a few releases, arm64 later than x86-64 */
		*why = "its compiler returns it in one of two ways, and debug information does not tell which";
		return false;
	}
	add_words(&p, t->size);
	*out = finish(&p, t);
	return true;
}

bool abi_rust_result(struct abi *abi, const struct type *t, u32 rustc, struct loc *out,
		     const char **why)
{
	struct repr r = repr_of(t, rustc, 0);
	struct pieces p = { .abi = abi };

	*why = NULL;
	if (r.kind == REPR_NONE) {
		*why = "the function returns nothing";
		return false;
	}
	if (r.kind == REPR_VECTOR) {
		*why = vector;
		return false;
	}
	if (r.kind == REPR_MEMORY)
		return aggregate(abi, t, rustc, out, why);
	if (!in_registers(&r, t, rustc))
		return in_memory(abi, out, why);
	add_scalar(&p, &r.part[0]);
	if (r.kind == REPR_PAIR)
		add_scalar(&p, &r.part[1]);
	*why = p.has_vector ? vector : NULL;
	if (!p.n_int)
		return false;
	*out = finish(&p, t);
	return true;
}
