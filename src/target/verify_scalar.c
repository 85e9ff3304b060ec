/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known about a 64-bit number: bits (tristate), a signed and an unsigned range, which
 * refine each other. Operations are no more precise than those of the 5.10 verifier
 * (kernel/bpf/verifier.c, adjust_scalar_min_max_vals; kernel/bpf/tnum.c): quotients, remainders,
 * negations and byte swaps are unknown there and here. 32-bit operations work on zero-extended
 * operands and truncate the result.
 */
#include "target/verify.h"

static const struct scalar unknown = { { 0, UINT64_MAX }, INT64_MIN, INT64_MAX, 0, UINT64_MAX };

struct scalar scalar_unknown(void)
{
	return unknown;
}

struct scalar scalar_const(u64 v)
{
	return (struct scalar){ { v, 0 }, (s64)v, (s64)v, v, v };
}

/* The bits that all numbers of a range share. */
static struct tnum tnum_range(u64 lo, u64 hi)
{
	u64 differ = lo ^ hi, mask;

	if (!differ)
		return (struct tnum){ lo, 0 };
	mask = differ >> 63 ? UINT64_MAX : (2ull << (63 - __builtin_clzll(differ))) - 1;
	return (struct tnum){ lo & ~mask, mask };
}

static void from_bits(struct scalar *v)
{
	u64 sign = 1ull << 63;
	s64 smin = (s64)(v->bits.value | (v->bits.mask & sign));
	s64 smax = (s64)(v->bits.value | (v->bits.mask & ~sign));

	v->smin = MAX(v->smin, smin);
	v->smax = MIN(v->smax, smax);
	v->umin = MAX(v->umin, v->bits.value);
	v->umax = MIN(v->umax, v->bits.value | v->bits.mask);
}

/* Where either range determines the sign, both become one range. */
static void from_each_other(struct scalar *v)
{
	if (v->smin >= 0 || v->smax < 0) {
		v->umin = MAX(v->umin, (u64)v->smin);
		v->umax = MIN(v->umax, (u64)v->smax);
	} else if ((s64)v->umax >= 0) {
		v->umax = MIN(v->umax, (u64)v->smax);
	} else if ((s64)v->umin < 0) {
		v->umin = MAX(v->umin, (u64)v->smin);
	} else {
		return;
	}
	v->smin = (s64)v->umin;
	v->smax = (s64)v->umax;
}

/* False: contradictory (an impossible path); v is then unspecified. */
static bool sync(struct scalar *v)
{
	struct tnum range;

	from_bits(v);
	from_each_other(v);
	if (v->umin > v->umax || v->smin > v->smax)
		return false;
	range = tnum_range(v->umin, v->umax);
	if ((range.value ^ v->bits.value) & ~range.mask & ~v->bits.mask)
		return false;
	v->bits.mask &= range.mask;
	v->bits.value = (v->bits.value | range.value) & ~v->bits.mask;
	from_bits(v);
	return v->umin <= v->umax && v->smin <= v->smax;
}

static struct scalar synced(struct scalar v)
{
	return sync(&v) ? v : unknown;
}

struct scalar scalar_between(u64 lo, u64 hi)
{
	struct scalar v = unknown;

	v.umin = lo;
	v.umax = hi;
	return synced(v);
}

struct scalar scalar_signed(s64 lo, s64 hi)
{
	struct scalar v = unknown;

	v.smin = lo;
	v.smax = hi;
	return synced(v);
}

struct scalar scalar_join(const struct scalar *a, const struct scalar *b)
{
	u64 mask = a->bits.mask | b->bits.mask | (a->bits.value ^ b->bits.value);

	return (struct scalar){
		{ a->bits.value & ~mask, mask }, MIN(a->smin, b->smin), MAX(a->smax, b->smax),
		MIN(a->umin, b->umin),           MAX(a->umax, b->umax),
	};
}

bool scalar_equal(const struct scalar *a, const struct scalar *b)
{
	return a->bits.value == b->bits.value && a->bits.mask == b->bits.mask &&
	       a->smin == b->smin && a->smax == b->smax && a->umin == b->umin && a->umax == b->umax;
}

/* ---- bits */

/* A bit of a sum is unknown where an unknown bit or its carry can reach. */
struct tnum tnum_add(struct tnum a, struct tnum b)
{
	u64 low = a.value + b.value, high = low + a.mask + b.mask;
	u64 mask = (high ^ low) | a.mask | b.mask;

	return (struct tnum){ low & ~mask, mask };
}

static struct tnum tnum_sub(struct tnum a, struct tnum b)
{
	u64 d = a.value - b.value, most = d + a.mask, least = d - b.mask;
	u64 mask = (most ^ least) | a.mask | b.mask;

	return (struct tnum){ d & ~mask, mask };
}

static struct tnum tnum_shl(struct tnum a, u32 n)
{
	return (struct tnum){ a.value << n, a.mask << n };
}

/* Long multiplication: for an unknown bit of a, all set bits of b may or may not be added. */
static struct tnum tnum_mul(struct tnum a, struct tnum b)
{
	struct tnum sum = { 0 };

	for (u64 left = a.value | a.mask; left; left &= left - 1) {
		u32 n = (u32)__builtin_ctzll(left);
		struct tnum part = tnum_shl(b, n);

		if (a.mask >> n & 1)
			part = (struct tnum){ 0, part.value | part.mask };
		sum = tnum_add(sum, part);
	}
	return sum;
}

static struct tnum tnum_and(struct tnum a, struct tnum b)
{
	u64 value = a.value & b.value, maybe = (a.value | a.mask) & (b.value | b.mask);

	return (struct tnum){ value, maybe & ~value };
}

static struct tnum tnum_or(struct tnum a, struct tnum b)
{
	u64 value = a.value | b.value;

	return (struct tnum){ value, (a.mask | b.mask) & ~value };
}

static struct tnum tnum_xor(struct tnum a, struct tnum b)
{
	u64 mask = a.mask | b.mask;

	return (struct tnum){ (a.value ^ b.value) & ~mask, mask };
}

/* ---- arithmetic */

struct scalar scalar_add(const struct scalar *a, const struct scalar *b)
{
	struct scalar v = unknown;

	if (__builtin_add_overflow(a->smin, b->smin, &v.smin) ||
	    __builtin_add_overflow(a->smax, b->smax, &v.smax)) {
		v.smin = INT64_MIN;
		v.smax = INT64_MAX;
	}
	if (__builtin_add_overflow(a->umin, b->umin, &v.umin) ||
	    __builtin_add_overflow(a->umax, b->umax, &v.umax)) {
		v.umin = 0;
		v.umax = UINT64_MAX;
	}
	v.bits = tnum_add(a->bits, b->bits);
	return synced(v);
}

struct scalar scalar_sub(const struct scalar *a, const struct scalar *b)
{
	struct scalar v = unknown;

	if (__builtin_sub_overflow(a->smin, b->smax, &v.smin) ||
	    __builtin_sub_overflow(a->smax, b->smin, &v.smax)) {
		v.smin = INT64_MIN;
		v.smax = INT64_MAX;
	}
	if (a->umin >= b->umax) {
		v.umin = a->umin - b->umax;
		v.umax = a->umax - b->umin;
	}
	v.bits = tnum_sub(a->bits, b->bits);
	return synced(v);
}

static struct scalar mul(const struct scalar *a, const struct scalar *b)
{
	struct scalar v = unknown;

	v.bits = tnum_mul(a->bits, b->bits);
	if (a->smin >= 0 && b->smin >= 0 && a->umax <= UINT32_MAX && b->umax <= UINT32_MAX) {
		v.umin = a->umin * b->umin;
		v.umax = a->umax * b->umax;
	}
	return synced(v);
}

static struct scalar bitwise(u8 op, const struct scalar *a, const struct scalar *b)
{
	struct scalar v = unknown;

	if (op == BPF_AND) {
		v.bits = tnum_and(a->bits, b->bits);
		v.umax = MIN(a->umax, b->umax);
	} else if (op == BPF_OR) {
		v.bits = tnum_or(a->bits, b->bits);
		v.umin = MAX(a->umin, b->umin);
	} else {
		v.bits = tnum_xor(a->bits, b->bits);
	}
	return synced(v);
}

/* After a shift by an unknown amount, bounded or not, verifiers know nothing. */
static struct scalar shl(const struct scalar *a, u32 n)
{
	struct scalar v = unknown;

	v.bits = tnum_shl(a->bits, n);
	if (a->umax <= UINT64_MAX >> n) {
		v.umin = a->umin << n;
		v.umax = a->umax << n;
	}
	return synced(v);
}

static struct scalar shr(const struct scalar *a, u32 n)
{
	struct scalar v = unknown;

	v.bits = (struct tnum){ a->bits.value >> n, a->bits.mask >> n };
	v.umin = a->umin >> n;
	v.umax = a->umax >> n;
	return synced(v);
}

static struct scalar sar(const struct scalar *a, u32 n)
{
	struct scalar v = unknown;

	v.bits = (struct tnum){ (u64)((s64)a->bits.value >> n), (u64)((s64)a->bits.mask >> n) };
	v.smin = a->smin >> n;
	v.smax = a->smax >> n;
	return synced(v);
}

static struct scalar alu64(u8 op, const struct scalar *a, const struct scalar *b)
{
	switch (op) {
	case BPF_ADD: return scalar_add(a, b);
	case BPF_SUB: return scalar_sub(a, b);
	case BPF_MUL: return mul(a, b);
	case BPF_AND:
	case BPF_OR:
	case BPF_XOR: return bitwise(op, a, b);
	case BPF_LSH: return shl(a, (u32)b->umin);
	case BPF_RSH: return shr(a, (u32)b->umin);
	case BPF_ARSH: return sar(a, (u32)b->umin);
	case BPF_MOV: return *b;
	}
	return unknown;
}

struct scalar scalar_zext(const struct scalar *v, u32 bytes)
{
	u64 most = bytes == 8 ? UINT64_MAX : (1ull << (8 * bytes)) - 1;
	struct scalar cut = unknown;

	if (v->umax <= most)
		return *v;
	cut.bits = (struct tnum){ v->bits.value & most, v->bits.mask & most };
	cut.umax = most;
	return synced(cut);
}

struct scalar scalar_sext(const struct scalar *v, u32 bits)
{
	s64 half = (s64)(1ull << (bits - 1));

	if (scalar_is_const(v))
		return scalar_const((u64)((s64)(v->bits.value << (64 - bits)) >> (64 - bits)));
	/* verifiers forget the bits */
	if (v->smin >= -half && v->smax < half)
		return scalar_signed(v->smin, v->smax);
	return scalar_signed(-half, half - 1);
}

static bool is_shift(u8 op)
{
	return op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH;
}

struct scalar scalar_alu(u8 op, bool wide, const struct scalar *a, const struct scalar *b)
{
	struct scalar low_a, low_b, v;

	/* also for 32-bit operations: not even the upper half is known */
	if (op == BPF_DIV || op == BPF_MOD ||
	    (is_shift(op) && (!scalar_is_const(b) || b->umax >= (wide ? 64 : 32))))
		return unknown;
	if (wide)
		return alu64(op, a, b);
	low_a = scalar_zext(a, 4);
	low_b = scalar_zext(b, 4);
	/*
	 * 7.2 tracks one circular range of 32 bits, which unsigned comparisons do not narrow here.
	 */
	if (op == BPF_ARSH && low_a.umax > INT32_MAX)
		return unknown;
	v = alu64(op, &low_a, &low_b);
	return scalar_zext(&v, 4);
}

/* ---- comparison */

u8 jump_mirror(u8 op)
{
	switch (op) {
	case BPF_JGT: return BPF_JLT;
	case BPF_JGE: return BPF_JLE;
	case BPF_JLT: return BPF_JGT;
	case BPF_JLE: return BPF_JGE;
	case BPF_JSGT: return BPF_JSLT;
	case BPF_JSGE: return BPF_JSLE;
	case BPF_JSLT: return BPF_JSGT;
	case BPF_JSLE: return BPF_JSGE;
	}
	return op;
}

static u8 jump_negate(u8 op)
{
	switch (op) {
	case BPF_JEQ: return BPF_JNE;
	case BPF_JNE: return BPF_JEQ;
	case BPF_JGT: return BPF_JLE;
	case BPF_JGE: return BPF_JLT;
	case BPF_JLT: return BPF_JGE;
	case BPF_JLE: return BPF_JGT;
	case BPF_JSGT: return BPF_JSLE;
	case BPF_JSGE: return BPF_JSLT;
	case BPF_JSLT: return BPF_JSGE;
	case BPF_JSLE: return BPF_JSGT;
	}
	return op;
}

static int sure(bool yes, bool no)
{
	return yes ? 1 : no ? 0 : -1;
}

static int compare64(u8 op, const struct scalar *a, const struct scalar *b)
{
	u64 c = b->umin;
	s64 s = b->smin;
	bool differ = c < a->umin || c > a->umax || s < a->smin || s > a->smax ||
		      ((a->bits.value ^ c) & ~a->bits.mask);

	switch (op) {
	case BPF_JEQ: return sure(scalar_is_const(a) && !differ, differ);
	case BPF_JNE: return sure(differ, scalar_is_const(a) && !differ);
	case BPF_JSET: return sure(a->bits.value & c, !((a->bits.value | a->bits.mask) & c));
	case BPF_JGT: return sure(a->umin > c, a->umax <= c);
	case BPF_JGE: return sure(a->umin >= c, a->umax < c);
	case BPF_JLT: return sure(a->umax < c, a->umin >= c);
	case BPF_JLE: return sure(a->umax <= c, a->umin > c);
	case BPF_JSGT: return sure(a->smin > s, a->smax <= s);
	case BPF_JSGE: return sure(a->smin >= s, a->smax < s);
	case BPF_JSLT: return sure(a->smax < s, a->smin >= s);
	case BPF_JSLE: return sure(a->smax <= s, a->smin > s);
	}
	return -1;
}

static bool is_signed_jump(u8 op)
{
	return op == BPF_JSGT || op == BPF_JSGE || op == BPF_JSLT || op == BPF_JSLE;
}

/* The low half as the operator interprets it. */
static struct scalar low_half(u8 op, const struct scalar *v)
{
	struct scalar low = scalar_zext(v, 4);

	return is_signed_jump(op) ? scalar_sext(&low, 32) : low;
}

int scalar_compare(u8 op, bool wide, const struct scalar *a, const struct scalar *b)
{
	struct scalar low_a, low_b;

	if (!scalar_is_const(b))
		return -1;
	if (wide)
		return compare64(op, a, b);
	low_a = low_half(op, a);
	low_b = low_half(op, b);
	return compare64(op, &low_a, &low_b);
}

/*
 * While the sign is unknown, 6.18 forgets the signed range at an unsigned comparison and vice
 * versa; a range made by two comparisons of the same kind remains.
 */
static void forget_other_range(struct scalar *a, u8 op)
{
	if (a->smin >= 0 || a->smax < 0 || op == BPF_JEQ || op == BPF_JNE)
		return;
	if (is_signed_jump(op)) {
		a->umin = 0;
		a->umax = UINT64_MAX;
	} else {
		a->smin = INT64_MIN;
		a->smax = INT64_MAX;
	}
}

static void narrow(struct scalar *a, u8 op, u64 c)
{
	s64 s = (s64)c;

	forget_other_range(a, op);
	switch (op) {
	case BPF_JEQ: *a = scalar_const(c); break;
	case BPF_JGT: a->umin = c == UINT64_MAX ? a->umin : MAX(a->umin, c + 1); break;
	case BPF_JGE: a->umin = MAX(a->umin, c); break;
	case BPF_JLT: a->umax = c ? MIN(a->umax, c - 1) : a->umax; break;
	case BPF_JLE: a->umax = MIN(a->umax, c); break;
	case BPF_JSGT: a->smin = s == INT64_MAX ? a->smin : MAX(a->smin, s + 1); break;
	case BPF_JSGE: a->smin = MAX(a->smin, s); break;
	case BPF_JSLT: a->smax = s == INT64_MIN ? a->smax : MIN(a->smax, s - 1); break;
	case BPF_JSLE: a->smax = MIN(a->smax, s); break;
	}
}

/* The ranges are recomputed from the bits: 6.18 forgets them here. */
static void narrow_set(struct scalar *a, bool set, u64 c)
{
	struct tnum bits = a->bits;

	if (set && c & (c - 1))
		c = 0; /* it is unknown which of the bits is set */
	*a = unknown;
	a->bits.value = set ? bits.value | c : bits.value & ~c;
	a->bits.mask = bits.mask & ~c;
}

/* A comparison of the low half narrows a value only if the value equals its low half. */
static bool is_low_half(u8 op, const struct scalar *a, const struct scalar *b)
{
	return is_signed_jump(op) ? a->umax <= INT32_MAX && b->smin >= 0 : a->umax <= UINT32_MAX;
}

void scalar_refine(struct scalar *a, u8 op, bool wide, bool truth, const struct scalar *b)
{
	struct scalar v = *a, c = wide ? *b : low_half(op, b);

	if (!scalar_is_const(&c))
		return;
	if (!wide && !is_low_half(op, a, &c)) {
		if (op == BPF_JSET)
			narrow_set(a, true, 0);
		*a = synced(*a);
		return;
	}
	if (op == BPF_JSET)
		narrow_set(&v, truth, c.umin);
	else
		narrow(&v, truth ? op : jump_negate(op), c.umin);
	/* On an impossible path verifiers hold contradictions; we use no knowledge there. */
	*a = synced(v);
}
