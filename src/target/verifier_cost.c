/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimate of the number of instructions that a kernel's verifier will process. The verifier
 * follows each path through a program by itself and prunes it where a state that it verified before
 * is at least as permissive (kernel/bpf/verifier.c: do_check, is_state_visited, states_equal). The
 * steps are those of our own verifier, which joins paths where they meet; here they are walked one
 * after the other, the fall-through first, as in the kernel:
 *
 *	- at the target of a jump, at a branch and after a call it looks for a known state;
 *	- it stores a state if 2 jumps and 8 instructions were processed since the last one;
 *	- it compares only the parts of a state that are read later, and the value of a number only
 *	  where an instruction needs it.
 *
 * This costs as much as the kernel's verification. Therefore paths are first counted without
 * states: they merge where no value is needed anymore. For most programs this bound is already low
 * enough. Programs of one script that have the same loops cost about the same: the first one is
 * walked, the others are estimated from it.
 */
#include <errno.h>
#include <stdlib.h>
#include "target/verifier_cost.h"

enum {
	JUMPS_APART = 2,
	INSNS_APART = 8,
	MISSES = 3 /* for each hit */,
	CALLBACK_ITERATIONS = 3 /* followed of a callback */,
	MEET = 2,
	/* string functions, the same for every script: about the longest walk */
	SHARED_LOOPS = 15000
};

/* ---- counting paths */

struct counting {
	struct verifier *c;
	u64 most;
	struct needs needs; /* of all values that could be needed */
	u64 *arrive;        /* paths that arrive at an instruction */
	u64 *price;         /* of a subprogram, + 1 */
	u64 *exits;         /* paths that leave it */
	bool once;          /* loops count as one iteration; otherwise as `most` */
};

static u64 sum(const struct counting *k, u64 a, u64 b)
{
	return MIN(a + b, k->most);
}

static u64 product(const struct counting *k, u64 a, u64 b)
{
	return b && a > k->most / b ? k->most : a * b;
}

static u64 price_sub(struct counting *k, u32 sub);

/*
 * The instructions processed by paths that arrive at a call; *paths becomes the number that
 * continue.
 */
static u64 price_call(struct counting *k, u32 pc, u64 *paths)
{
	const struct bpf_insn *i = &k->c->f->insns[pc];
	u64 came = *paths;
	u32 sub;

	if (i->code == (BPF_LD | BPF_IMM | BPF_DW) && i->src_reg == BPF_PSEUDO_FUNC)
		return product(k, came,
			       product(k, CALLBACK_ITERATIONS,
				       price_sub(k, verify_sub_at(k->c, pc + 1 + (u32)i->imm))));
	if (i->code != (BPF_JMP | BPF_CALL) || i->src_reg != BPF_PSEUDO_CALL)
		return 0;
	sub = verify_sub_at(k->c, pc + 1 + (u32)i->imm);
	if (k->c->subs.v[sub].shared)
		return 0;
	price_sub(k, sub);
	*paths = product(k, came, k->exits[sub]);
	return product(k, came, price_sub(k, sub));
}

/*
 * Paths that merge here continue as one, plus one because the first state may not have been stored.
 */
static u64 meet(const struct counting *k, u32 pc, u64 paths)
{
	const struct need *n = &k->needs.at[pc];

	return n->exact || n->exact_slots ? paths : MIN(paths, MEET);
}

/* Jumps go forward: all arrivals at an instruction are known when it is reached. */
static u64 count_sub(struct counting *k, u32 sub)
{
	u32 start = k->c->subs.v[sub].start, end = k->c->subs.v[sub].end;
	u64 total = 0;

	k->arrive[start] = 1;
	for (u32 pc = start; pc < end; pc += BPF_CLASS(k->c->f->insns[pc].code) == BPF_LD ? 2 : 1) {
		const struct bpf_insn *i = &k->c->f->insns[pc];
		u64 paths = meet(k, pc, k->arrive[pc]);

		if (k->c->mark[pc] & MARK_LOOP && !k->once)
			return k->c->subs.v[sub].shared ? SHARED_LOOPS : k->most;
		total = sum(k, total, paths);
		total = sum(k, total, price_call(k, pc, &paths));
		if (i->code == (BPF_JMP | BPF_EXIT)) {
			k->exits[sub] = sum(k, k->exits[sub], paths);
			continue;
		}
		if (bpf_is_jump(i))
			k->arrive[bpf_jump_target(i, pc)] =
				sum(k, k->arrive[bpf_jump_target(i, pc)], paths);
		if (!bpf_is_goto(i)) {
			u64 *next = &k->arrive[pc + (BPF_CLASS(i->code) == BPF_LD ? 2 : 1)];

			*next = sum(k, *next, paths);
		}
	}
	return total;
}

static u64 price_sub(struct counting *k, u32 sub)
{
	if (!k->price[sub])
		k->price[sub] = count_sub(k, sub) + 1;
	return k->price[sub] - 1;
}

static void start_counting(struct counting *k, struct verifier *c, u64 most)
{
	*k = (struct counting){ .c = c,
				.most = most,
				.arrive = arena_array(&c->arena, u64, verifier_cost_end(c) + 2),
				.price = arena_array(&c->arena, u64, c->subs.n),
				.exits = arena_array(&c->arena, u64, c->subs.n) };
}

/* ---- known states */

/* a frame of a known state: registers and slots that are read later, lowest first */
struct part {
	u32 sub, ret;
	u16 regs;
	u64 slots;
};

struct known {
	struct known *next;
	u32 hits, misses, n_frames, n_refs;
	struct part part[VERIFY_FRAMES];
	struct reg *v;
};

/* A pending path is packed onto a stack, because there may be thousands of them. */
struct packed_frame {
	u32 sub, ret, n_slots;
	u64 spilled;
	u16 regs;
	u8 init[VERIFY_SLOTS];
};

struct pending_path {
	u32 pc, n_frames, n_refs, words, ref[VERIFY_MAX_REFS];
};

struct walk {
	struct verifier *c;
	struct needs needs;
	struct known **known;                 /* by instruction */
	u64 most, n, n_jumps, n_at, jumps_at; /* at: when the last state was stored */
	u32 n_pending;
	/* pending paths: frames, each with its registers and slots, then struct pending_path */
	u64 *stack;
	size_t n_words, room;
};

/* The instruction at which a frame continues. */
static u32 frame_pc(const struct state *s, u32 frame, u32 pc)
{
	return frame + 1 == s->n_frames ? pc : s->frame[frame + 1]->ret;
}

static const struct need *frame_need(const struct walk *w, const struct state *s, u32 frame, u32 pc)
{
	static const struct need nothing;
	u32 at = frame_pc(s, frame, pc);

	return at == NO_INDEX ? &nothing : &w->needs.at[at];
}

static u32 put_frame(struct part *p, const struct frame *f, const struct need *need, struct reg *v)
{
	u32 n = 0;

	*p = (struct part){ .sub = f->sub, .ret = f->ret, .regs = need->regs };
	for (u32 r = 0; r < 10; r++)
		if (p->regs >> r & 1)
			v[n++] = f->r[r];
	for (u32 i = 0; i < f->n_slots; i++)
		if (need->slots >> i & 1 && f->slot[i].spill) {
			p->slots |= 1ull << i;
			v[n++] = f->slot[i].reg;
		}
	return n;
}

static void remember(struct walk *w, const struct state *s, u32 pc)
{
	struct reg v[VERIFY_FRAMES * (10 + VERIFY_SLOTS)];
	struct known *k = arena_new(&w->c->arena, struct known);
	u32 n = 0;

	k->n_frames = s->n_frames;
	k->n_refs = s->n_refs;
	for (u32 i = 0; i < s->n_frames; i++)
		n += put_frame(&k->part[i], s->frame[i], frame_need(w, s, i, pc), v + n);
	k->v = arena_array(&w->c->arena, struct reg, n);
	memcpy(k->v, v, n * sizeof *v);
	k->next = w->known[pc];
	w->known[pc] = k;
	w->n_at = w->n;
	w->jumps_at = w->n_jumps;
}

static bool is_within(const struct scalar *old, const struct scalar *v)
{
	return old->umin <= v->umin && v->umax <= old->umax && old->smin <= v->smin &&
	       v->smax <= old->smax &&
	       !((v->bits.mask | (v->bits.value ^ old->bits.value)) & ~old->bits.mask);
}

static bool covers_reg(const struct reg *old, const struct reg *r, bool exact)
{
	if (old->kind == R_UNINIT || old->kind == R_MIXED)
		return true;
	if (old->kind != r->kind)
		return false;
	if (old->kind == R_SCALAR)
		return old->btf == r->btf && (!exact || is_within(&old->v, &r->v));
	return old->map == r->map && old->size == r->size && old->frame == r->frame &&
	       old->off == r->off && old->maybe_null == r->maybe_null && is_within(&old->v, &r->v);
}

/* Compares registers, then slots, in the order of put_frame(). */
static bool covers_frame(const struct part *p, const struct frame *f, const struct need *need,
			 const struct reg **v)
{
	for (u32 r = 0; r < 10; r++)
		if (p->regs >> r & 1 && !covers_reg((*v)++, &f->r[r], need->exact >> r & 1))
			return false;
	for (u32 i = 0; i < VERIFY_SLOTS; i++)
		if (p->slots >> i & 1 &&
		    (i >= f->n_slots || !f->slot[i].spill ||
		     !covers_reg((*v)++, &f->slot[i].reg, need->exact_slots >> i & 1)))
			return false;
	return true;
}

static bool covers(const struct walk *w, const struct known *k, const struct state *s, u32 pc)
{
	const struct reg *v = k->v;

	if (k->n_frames != s->n_frames || k->n_refs != s->n_refs)
		return false;
	for (u32 i = s->n_frames; i--;)
		if (k->part[i].sub != s->frame[i]->sub || k->part[i].ret != s->frame[i]->ret)
			return false;
	for (u32 i = 0; i < s->n_frames; i++)
		if (!covers_frame(&k->part[i], s->frame[i], frame_need(w, s, i, pc), &v))
			return false;
	return true;
}

static bool is_known_state(struct walk *w, const struct state *s, u32 pc)
{
	for (struct known **p = &w->known[pc], *k; (k = *p);) {
		if (covers(w, k, s, pc)) {
			k->hits++;
			return true;
		}
		if (++k->misses > k->hits * MISSES + MISSES)
			*p = k->next;
		else
			p = &k->next;
	}
	if (w->n_jumps - w->jumps_at >= JUMPS_APART && w->n - w->n_at >= INSNS_APART)
		remember(w, s, pc);
	return false;
}

/* ---- one path */

static void *push(struct walk *w, size_t bytes)
{
	size_t words = (bytes + 7) / 8;

	if (w->n_words + words > w->room) {
		w->room = 2 * (w->n_words + words);
		w->stack = xrealloc(w->stack, w->room * 8);
	}
	w->n_words += words;
	return w->stack + w->n_words - words;
}

static void push_reg(struct walk *w, const struct reg *r)
{
	memcpy(push(w, sizeof *r), r, sizeof *r);
}

static void push_frame(struct walk *w, const struct frame *f, u16 regs)
{
	struct packed_frame *p = push(w, sizeof *p);
	u64 spilled = 0;

	p->sub = f->sub;
	p->ret = f->ret;
	p->regs = regs;
	p->n_slots = f->n_slots;
	for (u32 i = 0; i < f->n_slots; i++) {
		p->init[i] = f->slot[i].init;
		spilled |= (u64)f->slot[i].spill << i;
	}
	p->spilled = spilled;
	for (u32 r = 0; r < 10; r++)
		if (regs >> r & 1)
			push_reg(w, &f->r[r]);
	for (u32 i = 0; i < f->n_slots; i++)
		if (f->slot[i].spill)
			push_reg(w, &f->slot[i].reg);
}

/* Queues s; takes ownership. */
static void queue_path(struct walk *w, struct state *s, u32 pc)
{
	struct pending_path *wait;
	size_t before = w->n_words;

	for (u32 i = 0; i < s->n_frames; i++)
		push_frame(w, s->frame[i], frame_need(w, s, i, pc)->regs);
	wait = push(w, sizeof *wait);
	*wait = (struct pending_path){ pc, s->n_frames, s->n_refs, (u32)(w->n_words - before), {} };
	memcpy(wait->ref, s->ref, sizeof wait->ref);
	state_free(w->c, s);
	if (++w->n_pending > MOST_BRANCHES) /* kernels refuse this, too */
		w->n = w->most;
}

static const u64 *take_frame(struct verifier *c, struct state *s, const u64 *at)
{
	const struct packed_frame *p = (const void *)at;
	const struct reg *v = (const void *)(at + (sizeof *p + 7) / 8);
	struct frame *f = verify_push_frame(c, s, p->sub);

	f->ret = p->ret;
	f->n_slots = p->n_slots;
	for (u32 r = 0; r < 10; r++)
		if (p->regs >> r & 1)
			f->r[r] = *v++;
	for (u32 i = 0; i < p->n_slots; i++) {
		f->slot[i].init = p->init[i];
		f->slot[i].spill = p->spilled >> i & 1;
		if (f->slot[i].spill)
			f->slot[i].reg = *v++;
	}
	return (const void *)v;
}

/* The path that was queued last. */
static struct state *take(struct walk *w, u32 *pc)
{
	struct state *s = state_new(w->c);
	const u64 *end = w->stack + w->n_words, *at;
	struct pending_path wait;

	memcpy(&wait, end - (sizeof wait + 7) / 8, sizeof wait);
	at = end - wait.words;
	for (u32 i = 0; i < wait.n_frames; i++)
		at = take_frame(w->c, s, at);
	s->n_refs = wait.n_refs;
	memcpy(s->ref, wait.ref, sizeof wait.ref);
	w->n_words -= wait.words;
	w->n_pending--;
	*pc = wait.pc;
	return s;
}

static void enter(struct verifier *c, struct state *s, u32 sub, u32 ret, const struct reg *arg)
{
	struct reg r[5];
	struct frame *f;

	memcpy(r, arg, sizeof r);
	f = verify_push_frame(c, s, sub);
	if (!f)
		return;
	f->ret = ret;
	memcpy(&f->r[1], r, sizeof r);
}

/* Called when the program passes a function to a helper. */
void verifier_cost_callback(struct walk *w, const struct state *s, u32 insn, const struct reg *arg)
{
	struct state *iteration = state_copy(w->c, s);

	enter(w->c, iteration, verify_sub_at(w->c, insn), NO_INDEX, arg);
	queue_path(w, iteration, insn);
}

static u32 call_sub(struct verifier *c, struct state *s, const struct bpf_insn *i)
{
	u32 to = c->pc + 1 + (u32)i->imm, sub = verify_sub_at(c, to);
	struct frame *f = state_top(s);

	if (!c->subs.v[sub].shared) {
		enter(c, s, sub, c->pc + 1, &f->r[1]);
		return to;
	}
	verify_clobber(f);
	f->r[0] = reg_scalar(scalar_unknown());
	return c->pc + 1;
}

static void want_sizes(struct walk *w, u32 helper)
{
	u16 sizes = verifier_cost_sizes(helper);

	for (u32 r = 1; r <= 5; r++)
		if (sizes >> r & 1)
			verifier_cost_want(&w->needs, w->c->pc, r);
}

static u32 call(struct walk *w, struct state *s, const struct bpf_insn *i)
{
	struct verifier *c = w->c;

	if (i->src_reg == BPF_PSEUDO_CALL)
		return call_sub(c, s, i);
	if (!i->src_reg) {
		want_sizes(w, (u32)i->imm);
		return verify_helper(c, s, i) ? NO_INDEX : c->pc + 1;
	}
	verify_clobber(state_top(s));
	state_top(s)->r[0] = reg_scalar(scalar_unknown());
	state_top(s)->r[0].btf = true;
	return c->pc + 1;
}

/* Returns to the caller; a callback and the program itself end here. */
static u32 leave(struct verifier *c, struct state *s)
{
	struct reg ret = state_top(s)->r[0];
	u32 to = state_top(s)->ret;

	if (s->n_frames == 1 || to == NO_INDEX)
		return NO_INDEX;
	state_pop_frame(c, s);
	state_top(s)->r[0] = ret;
	verify_clobber(state_top(s));
	return to;
}

static u32 branch(struct walk *w, struct state *s, const struct bpf_insn *i)
{
	struct verifier *c = w->c;
	u32 pc = c->pc, target = bpf_jump_target(i, pc);
	struct state *jump;
	struct edge e;

	if (verify_branch(c, s, i, &e, &jump))
		return NO_INDEX;
	if (!jump && state_top(s)->r[i->dst_reg].kind == R_SCALAR) {
		verifier_cost_want(&w->needs, pc, i->dst_reg);
		if (BPF_SRC(i->code) == BPF_X)
			verifier_cost_want(&w->needs, pc, i->src_reg);
	}
	if (jump)
		queue_path(w, jump, target);
	return e.fallthrough ? pc + 1 : target;
}

static u32 jump(struct walk *w, struct state *s, const struct bpf_insn *i)
{
	if (BPF_OP(i->code) == BPF_CALL)
		return call(w, s, i);
	w->n_jumps++;
	if (BPF_OP(i->code) == BPF_EXIT)
		return leave(w->c, s);
	return BPF_OP(i->code) == BPF_JA ? bpf_jump_target(i, w->c->pc) : branch(w, s, i);
}

/* The value of a number that is added to an address is needed. */
static void want_offset(struct walk *w, const struct state *s, const struct bpf_insn *i)
{
	const struct frame *f = state_top(s);

	if (BPF_SRC(i->code) != BPF_X || BPF_OP(i->code) == BPF_MOV)
		return;
	if (reg_is_pointer(&f->r[i->dst_reg]))
		verifier_cost_want(&w->needs, w->c->pc, i->src_reg);
	else if (reg_is_pointer(&f->r[i->src_reg]))
		verifier_cost_want(&w->needs, w->c->pc, i->dst_reg);
}

/* The next instruction on this path; NO_INDEX: it ends. */
static u32 step(struct walk *w, struct state *s)
{
	struct verifier *c = w->c;
	const struct bpf_insn *i = &c->f->insns[c->pc];
	int bad;

	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		want_offset(w, s, i);
		bad = verify_alu(c, state_top(s), i);
		break;
	case BPF_LDX: bad = verify_ldx(c, s, i); break;
	case BPF_ST:
	case BPF_STX: bad = verify_store(c, s, i); break;
	case BPF_LD: return verify_ld_imm64(c, state_top(s), i) ? NO_INDEX : c->pc + 2;
	default: return jump(w, s, i); /* BPF_JMP, BPF_JMP32 */
	}
	return bad ? NO_INDEX : c->pc + 1;
}

static bool is_prune_point(const struct verifier *c, u32 pc)
{
	const struct bpf_insn *i = &c->f->insns[pc];

	return c->mark[pc] & (MARK_TARGET | MARK_SUB) || (bpf_is_jump(i) && !bpf_is_goto(i)) ||
	       (pc && c->f->insns[pc - 1].code == (BPF_JMP | BPF_CALL) &&
		c->f->insns[pc - 1].src_reg == BPF_PSEUDO_CALL);
}

static void walk_path(struct walk *w, struct state *s, u32 pc)
{
	while (pc != NO_INDEX && w->n < w->most) {
		w->c->pc = pc;
		if (is_prune_point(w->c, pc) && is_known_state(w, s, pc))
			break;
		w->n++;
		pc = step(w, s);
	}
	state_free(w->c, s);
}

static void start_walking(struct walk *w, struct verifier *c, u32 from, u64 most)
{
	*w = (struct walk){ .c = c,
			    .most = most,
			    .known = arena_array(&c->arena, struct known *, c->f->n_insns + 1) };
	verifier_cost_needs(&w->needs, c, c->subs.v[from].start, NULL);
}

/* Walks a function that verifiers verify by itself. */
static u64 walk_from(struct walk *w, const struct counting *k, u32 sub)
{
	struct verifier *c = k->c;
	struct state *s = state_new(c);
	struct frame *f = verify_push_frame(c, s, sub);
	u32 pc = c->subs.v[sub].start;
	u64 before;

	if (!w->c)
		start_walking(w, c, sub, k->most);
	before = w->n;
	f->ret = 0;
	f->r[1] = (struct reg){ .kind = R_CTX, .v = scalar_const(0) };
	for (u32 r = 1; sub && r <= c->subs.v[sub].n_params; r++)
		f->r[r] = reg_scalar(scalar_unknown());
	c->walk = w;
	for (walk_path(w, s, pc); w->n_words && w->n < w->most && !c->failed; walk_path(w, s, pc))
		s = take(w, &pc);
	c->walk = NULL;
	return w->n - before;
}

/* ---- programs with the same loops */

/* The operations of all loops of the program, whatever their registers and numbers are; 0: none. */
static u64 hash_loops(const struct verifier *c)
{
	u64 hash = 0;

	for (u32 pc = 0; pc < c->f->n_insns; pc++) {
		const struct bpf_insn *i = &c->f->insns[pc];
		u32 from = bpf_is_jump(i) ? bpf_jump_target(i, pc) : pc;

		for (u32 at = from; at < pc; at++) /* a jump back */
			hash = (hash ^ c->f->insns[at].code) * 0x100000001b3ull;
	}
	return hash;
}

/* The count of all iterations has found what is needed. */
static u64 bound_with_loops_once(const struct counting *all, u32 sub)
{
	struct counting k;

	start_counting(&k, all->c, all->most);
	k.needs = all->needs;
	k.once = true;
	return price_sub(&k, sub);
}

/* Walks the program from sub, or takes the result of one with the same loops, doubled. */
static u64 walk_or_compare(struct walk *w, const struct counting *k, u32 sub, u64 enough)
{
	struct target_walks *known = k->c->known;
	struct target_walk now = { .loops = known ? hash_loops(k->c) : 0 };

	if (!now.loops)
		return walk_from(w, k, sub);
	now.bound = bound_with_loops_once(k, sub);
	for (u32 i = 0; i < known->list.n; i++) {
		const struct target_walk *was = &known->list.v[i];
		u64 n = 2 * was->n * MAX(now.bound / MAX(was->bound, 1ull), 1ull);

		if (was->loops == now.loops && now.bound < k->most && n <= enough)
			return n;
	}
	now.n = walk_from(w, k, sub);
	vec_push(known->arena, &known->list, now);
	return now.n;
}

static u64 estimate_sub(struct verifier *c, struct counting *k, struct walk *w, u32 i, u64 enough)
{
	const struct sub *s = &c->subs.v[i];
	u64 n;

	if (i && !s->shared)
		return 0;
	if (s->known)
		return s->known->n;
	n = price_sub(k, i);
	if (n > enough || n == k->most) {
		n = walk_or_compare(w, k, i, enough);
	}
	verify_keep(c, s, n);
	return n;
}

static u64 estimate_program(struct verifier *c, u64 enough, u64 most)
{
	struct counting k;
	struct walk w = { 0 };
	u64 sum = 0;

	start_counting(&k, c, most);
	verifier_cost_needs(&k.needs, c, 0, c->wanted);
	for (u32 i = 0; i < c->subs.n && sum < most; i++)
		sum += estimate_sub(c, &k, &w, i, enough);
	free(w.stack);
	return MIN(sum, most);
}

int target_verify_with_cost(const struct program *prog, const struct bpf_func *f,
			    const struct profile *profile, struct verify_error *error,
			    struct target_cost *cost)
{
	struct verifier c = { .prog = prog,
			      .f = f,
			      .error = error,
			      .profile = verify_kind(f, profile),
			      .known = cost->known };
	int bad;

	arena_init(&c.arena);
	c.wanted = arena_array(&c.arena, u16, f->n_insns + 1);
	bad = verify_all(&c);
	c.error = NULL;
	cost->n = bad ? 0 : estimate_program(&c, cost->enough, cost->most);
	arena_release(&c.arena);
	return bad ? -EACCES : 0;
}

u64 target_verifier_cost(const struct program *prog, const struct bpf_func *f,
			 const struct profile *profile, u64 enough, u64 most)
{
	struct target_cost cost = { .enough = enough, .most = most };

	target_verify_with_cost(prog, f, profile, NULL, &cost);
	return cost.n;
}
