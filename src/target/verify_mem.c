/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory accesses by instructions and helpers: bounds, alignment and initialization. The rules are
 * those of kernel/bpf/verifier.c (check_mem_access, check_stack_read, check_helper_mem_access) at
 * 5.10, with natural alignment demanded everywhere.
 */
#include "target/verify.h"

static const char *verb(enum access access)
{
	return access == ACCESS_READ ? "reads" : "writes";
}

/* Any number of `size` bytes. */
static struct reg reg_of_size(u32 size)
{
	return reg_scalar(scalar_between(0, size == 8 ? UINT64_MAX : (1ull << 8 * size) - 1));
}

/* ---- sized objects: map values, keys, ring records */

static u32 object_size(const struct verifier *c, const struct reg *r)
{
	if (r->kind == R_VALUE)
		return verify_value_size(c, r->map);
	return r->kind == R_KEY ? c->prog->maps.v[r->map].key_size : r->size;
}

static const char *object_name(const struct reg *r)
{
	return r->kind == R_VALUE ? "map value" : r->kind == R_KEY ? "map key" : "ring record";
}

struct extent {           /* what an instruction or a helper accesses: `size` bytes at `at` + off */
	const char *what; /* "reads" */
	const struct reg *at;
	s32 off;
	u64 size;
};

static struct extent extent_of(const struct mem_access *m)
{
	return (struct extent){ verb(m->how), m->at, m->off, m->size };
}

static int fail_bounds(struct verifier *c, const struct extent *e, s64 off)
{
	return verify_fail(c, "%s %llu bytes at offset %lld of a %u-byte %s", e->what,
			   (unsigned long long)e->size, (long long)off, object_size(c, e->at),
			   object_name(e->at));
}

static int verify_bounds(struct verifier *c, const struct extent *e)
{
	const struct reg *r = e->at;
	const u32 limit = object_size(c, r);
	const char *of = object_name(r);
	s64 at = (s64)r->off + e->off;

	if (r->v.smin < 0)
		return verify_fail(c,
				   "an offset into a %s may be negative: check it or use an "
				   "unsigned one",
				   of);
	if (at + r->v.smin < 0)
		return fail_bounds(c, e, at + r->v.smin);
	if (r->v.umax >= VERIFY_MAX_VAR_OFF)
		return verify_fail(
			c, "an offset into a %s has no upper bound: mask it or compare it", of);
	if (e->size > limit || at + (s64)r->v.umax > (s64)(limit - e->size))
		return fail_bounds(c, e, at + (s64)r->v.umax);
	return 0;
}

/*
 * Constant offsets must be multiples of the size. The alignment of a variable index is unknown
 * here, and both architectures accept misaligned accesses; atomic operations must be provably
 * aligned.
 */
static int verify_alignment(struct verifier *c, const struct mem_access *m, bool strict,
			    const char *of)
{
	struct tnum at = { (u64)((s64)m->at->off + m->off), 0 };

	if (strict)
		at = tnum_add(m->at->v.bits, at);
	if ((at.value | at.mask) & (m->size - 1))
		return verify_fail(c,
				   "%u bytes of a %s are accessed at an offset that is not a "
				   "multiple of %u",
				   m->size, of, m->size);
	return 0;
}

int verify_not_null(struct verifier *c, const struct reg *r)
{
	if (!r->maybe_null)
		return 0;
	if (r->kind == R_RECORD)
		return verify_fail(c, "ring record may be NULL here (nothing was reserved)");
	return verify_fail(c, "value of %s may be NULL here", verify_map_name(c, r->map));
}

/*
 * Addresses that may be stored: ctx, which scripts can read; values of bpf_seq_printf(); &$x, which
 * goes through scratch to become a number.
 */
static bool may_keep_address(const struct verifier *c, const struct reg *to, const struct reg *from)
{
	if (from->kind == R_CTX || (from->kind == R_VALUE && c->profile == PROFILE_ITER))
		return true;
	return to->kind == R_VALUE && c->prog->maps.v[to->map].role == MAP_SCRATCH;
}

static int verify_object(struct verifier *c, const struct mem_access *m)
{
	const struct extent e = extent_of(m);
	const char *of = object_name(m->at);

	if (verify_not_null(c, m->at) || verify_bounds(c, &e) ||
	    verify_alignment(c, m, m->how == ACCESS_ATOMIC, of))
		return -1;
	if (m->how != ACCESS_READ && m->at->kind == R_KEY)
		return verify_fail(c, "writes to the key of %s", verify_map_name(c, m->at->map));
	if (m->from && reg_is_pointer(m->from) && !may_keep_address(c, m->at, m->from))
		return verify_fail(c, "stores an address of the program's own memory in a %s", of);
	if (m->out)
		*m->out = reg_of_size(m->size);
	return 0;
}

/* ---- stack */

struct range { /* bytes of a frame, counted from its lowest address */
	struct frame *f;
	u32 lo, n;
};

static struct slot *slot_of(const struct range *g, u32 byte)
{
	return &g->f->slot[VERIFY_SLOTS - 1 - byte / 8];
}

static int stack_range(struct verifier *c, const struct state *s, const struct extent *e,
		       struct range *g)
{
	const struct reg *r = e->at;
	s64 at = (s64)r->off + e->off + (s64)r->v.umin;

	if (!scalar_is_const(&r->v))
		return verify_fail(c, "the address on the stack is not constant");
	if (at < -VERIFY_STACK || at >= 0 || e->size > (u64)-at)
		return verify_fail(c,
				   "%s %llu bytes at offset %lld of the stack, which reaches from "
				   "-512 to 0",
				   e->what, (unsigned long long)e->size, (long long)at);
	*g = (struct range){ s->frame[r->frame], (u32)(at + VERIFY_STACK), (u32)e->size };
	if ((u32)-at > c->subs.v[g->f->sub].depth)
		c->subs.v[g->f->sub].depth = (u32)-at;
	return 0;
}

/* Creates the slots down to the range's lowest byte. */
static void touch(const struct range *g)
{
	u32 n = VERIFY_SLOTS - g->lo / 8;

	for (; g->f->n_slots < n; g->f->n_slots++)
		g->f->slot[g->f->n_slots] = (struct slot){ 0 };
}

static bool is_written(const struct range *g, u32 byte)
{
	return VERIFY_SLOTS - 1 - byte / 8 < g->f->n_slots &&
	       slot_of(g, byte)->init >> byte % 8 & 1;
}

static void write_bytes(const struct range *g)
{
	touch(g);
	for (u32 b = g->lo; b < g->lo + g->n; b++) {
		struct slot *s = slot_of(g, b);

		/* the rest of a pointer is unusable */
		if (s->spill && s->reg.kind != R_SCALAR)
			s->init = 0;
		s->spill = false;
		s->init |= (u8)(1 << b % 8);
	}
}

static int read_bytes(struct verifier *c, const struct range *g)
{
	for (u32 b = g->lo; b < g->lo + g->n; b++) {
		if (!is_written(g, b))
			return verify_fail(c, "byte %d of the stack is read and was never written",
					   (int)b - VERIFY_STACK);
		if (slot_of(g, b)->spill && slot_of(g, b)->reg.kind != R_SCALAR)
			return verify_fail(c,
					   "a part of an address that lies at byte %d of the stack "
					   "is read as data",
					   (int)(b & ~7u) - VERIFY_STACK);
	}
	return 0;
}

static int write_stack(struct verifier *c, const struct state *s, const struct range *g,
		       const struct reg *from)
{
	if (!from || !(reg_is_pointer(from) || g->n == 8)) {
		write_bytes(g);
		return 0;
	}
	if (g->n != 8)
		return verify_fail(c, "stores a part of an address");
	if (from->kind == R_STACK && s->frame[from->frame] != g->f && g->f != state_top(s))
		return verify_fail(c, "stores an address of the stack in the stack of a caller");
	touch(g);
	*slot_of(g, g->lo) = (struct slot){ .init = 0xff, .spill = true, .reg = *from };
	return 0;
}

static int read_stack(struct verifier *c, const struct state *s, const struct range *g,
		      struct reg *out)
{
	if (g->n == 8 && is_written(g, g->lo) && slot_of(g, g->lo)->spill) {
		*out = slot_of(g, g->lo)->reg;
		if (out->kind == R_UNINIT || out->kind == R_MIXED)
			return verify_fail(
				c, "byte %d of the stack holds something else on another path",
				(int)g->lo - VERIFY_STACK);
		if (out->kind == R_SCALAR && g->f != state_top(s)) {
			out->shared = true;
			out->moved = false;
		}
		return 0;
	}
	*out = reg_of_size(g->n);
	return read_bytes(c, g);
}

static int verify_stack(struct verifier *c, struct state *s, const struct mem_access *m)
{
	const struct extent e = extent_of(m);
	struct range g;

	if (stack_range(c, s, &e, &g) || verify_alignment(c, m, true, "stack"))
		return -1;
	if (m->how == ACCESS_READ)
		return read_stack(c, s, &g, m->out);
	if (m->how == ACCESS_WRITE)
		return write_stack(c, s, &g, m->from);
	if (read_bytes(c, &g))
		return -1;
	write_bytes(&g);
	if (m->out)
		*m->out =
			reg_scalar(m->size == 8 ? scalar_unknown() : scalar_between(0, UINT32_MAX));
	return 0;
}

/* ---- context */

/*
 * Sizes of struct pt_regs, and of its part in the context of perf events. On arm64
 * (arch/arm64/include/asm/ptrace.h) the former continues after struct user_pt_regs with orig_x0 and
 * syscallno, then differs between versions.
 */
#ifdef __aarch64__
enum { PERF_REGS_SIZE = 34 * 8, REGS_SIZE = 36 * 8 };
#else
enum { REGS_SIZE = 21 * 8, PERF_REGS_SIZE = REGS_SIZE };
#endif

static int verify_ctx(struct verifier *c, const struct mem_access *m)
{
	const struct reg *r = m->at;
	u32 lo = 0, hi = 0, least = 1; /* allowed offsets, smallest size */

	switch (c->profile) {
	case PROFILE_NONE: break;
	case PROFILE_PT_REGS: hi = REGS_SIZE; break;
	case PROFILE_TRACEPOINT: lo = 8, hi = 2048; break;
	case PROFILE_RAW_TP: hi = 12 * 8; break;
	case PROFILE_BTF:
	case PROFILE_ITER: hi = 12 * 8, least = 8; break;
	case PROFILE_PERF_EVENT: hi = PERF_REGS_SIZE + 16, least = 8; break;
	}
	if (m->how != ACCESS_READ)
		return verify_fail(c, "writes to the context");
	if (r->off || !scalar_is_const(&r->v) || r->v.umin)
		return verify_fail(c,
				   "loads through an address computed from the context: the offset "
				   "belongs into the load");
	if (m->off < (s32)lo || m->off + (s32)m->size > (s32)hi || m->size < least ||
	    m->off % (s32)m->size)
		return verify_fail(c,
				   "reads %u bytes at offset %d of the context, which has aligned "
				   "words of at least %u bytes in [%u, %u)",
				   m->size, m->off, least, lo, hi);
	*m->out = reg_of_size(m->size);
	m->out->btf = c->profile == PROFILE_BTF || c->profile == PROFILE_ITER;
	return 0;
}

/* ---- any memory */

static int verify_trusted(struct verifier *c, const struct mem_access *m)
{
	if (!m->at->btf)
		return verify_fail(c, "%s memory through a number that is no known pointer",
				   verb(m->how));
	if (m->how != ACCESS_READ)
		return verify_fail(c, "writes to kernel memory");
	*m->out = reg_of_size(m->size);
	m->out->btf = m->size == 8;
	return 0;
}

int verify_access(struct verifier *c, struct state *s, const struct mem_access *m)
{
	switch ((enum reg_kind)m->at->kind) {
	case R_SCALAR: return verify_trusted(c, m);
	case R_CTX: return verify_ctx(c, m);
	case R_STACK: return verify_stack(c, s, m);
	case R_VALUE:
	case R_KEY:
	case R_RECORD: return verify_object(c, m);
	case R_MAP:
		return verify_fail(c, "%s memory through the reference of map %s", verb(m->how),
				   verify_map_name(c, m->at->map));
	case R_FUNC: return verify_fail(c, "%s memory through a function", verb(m->how));
	case R_UNINIT:
	case R_MIXED: break;
	}
	return verify_fail(c, "%s memory through a register that has no value on every path",
			   verb(m->how));
}

int verify_memory(struct verifier *c, struct state *s, const struct reg *r, u64 size, bool write,
		  bool raw)
{
	const struct extent e = { write ? "helper writes" : "helper reads", r, 0, size };
	struct range g;

	switch ((enum reg_kind)r->kind) {
	case R_STACK:
		if (stack_range(c, s, &e, &g) || (!raw && read_bytes(c, &g)))
			return -1;
		if (write)
			write_bytes(&g);
		return 0;
	case R_VALUE:
	case R_KEY:
	case R_RECORD:
		if (write && r->kind == R_KEY)
			return verify_fail(c, "helper writes to the key of %s",
					   verify_map_name(c, r->map));
		return verify_not_null(c, r) ? -1 : verify_bounds(c, &e);
	case R_UNINIT:
	case R_MIXED:
	case R_SCALAR:
	case R_CTX:
	case R_MAP:
	case R_FUNC: break;
	}
	return verify_fail(c, "%s memory that is not the program's own", e.what);
}
