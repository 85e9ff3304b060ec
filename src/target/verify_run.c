/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the instructions of a function, lowest first. A jump forward leaves its state at the
 * target, where it is joined with the others that arrive; as only loops jump backward, all of them
 * have arrived when the walk reaches it, and straight-line code is visited once.
 *
 * A jump backward leaves its state at the loop's head and continues there, without joining
 * iterations: a counter keeps its value in each iteration, and the comparison with a constant ends
 * the loop here as it does in the kernel's verifier. An iteration that changes nothing never ends
 * and is refused.
 */
#include "target/verify.h"

struct loop {
	u32 head;
	bool again; /* its state arrived by a jump backward */
	struct state *seen;
};

struct sweep {
	u32 start, end, scan;
	bool callback;
	struct state **pending; /* by instruction, from start */
	struct state *out;
	VEC(struct loop) loops;
};

struct frame *verify_push_frame(struct verifier *c, struct state *s, u32 sub)
{
	struct frame *f;

	if (s->n_frames == VERIFY_FRAMES) {
		verify_fail(c, "more than %d functions call each other", VERIFY_FRAMES);
		return NULL;
	}
	f = frame_new(c);
	f->sub = sub;
	f->r[10] = (struct reg){ .kind = R_STACK, .frame = (u8)s->n_frames, .v = scalar_const(0) };
	s->frame[s->n_frames++] = f;
	return f;
}

static struct loop *loop_at(struct verifier *c, struct sweep *w, u32 head)
{
	for (u32 i = 0; i < w->loops.n; i++)
		if (w->loops.v[i].head == head)
			return &w->loops.v[i];
	vec_push(&c->arena, &w->loops, (struct loop){ .head = head });
	return vec_last(&w->loops);
}

/* Queues s at an instruction; takes ownership. */
static int leave(struct verifier *c, struct sweep *w, u32 at, struct state *s)
{
	struct state **p = &w->pending[at - w->start];

	if (at <= c->pc) {
		loop_at(c, w, at)->again = true;
		w->scan = MIN(w->scan, at);
	}
	if (!*p) {
		*p = s;
		return 0;
	}
	if (state_join(c, *p, s))
		return -1;
	state_free(c, s);
	return 0;
}

static int enter_loop(struct verifier *c, struct sweep *w, const struct state *s)
{
	struct loop *l = loop_at(c, w, c->pc);

	if (l->again && l->seen && state_equal(l->seen, s))
		return verify_fail(c, "this loop has no end that a verifier can see");
	if (l->seen)
		state_free(c, l->seen);
	l->seen = state_copy(c, s);
	l->again = false;
	return 0;
}

/* ---- leaving a function */

static int verify_result(struct verifier *c, const struct sweep *w, const struct state *s)
{
	const struct reg *r = &state_top(s)->r[0];
	u64 most = UINT64_MAX;

	if (verify_readable(c, state_top(s), 0))
		return -1;
	if (r->kind == R_STACK && s->n_frames > 1)
		return verify_fail(c, "returns an address of its own stack");
	if (s->n_frames > 1 && !w->callback)
		return 0;
	if (reg_is_pointer(r))
		return verify_fail(c, "returns an address");
	if (c->subs.v[state_top(s)->sub].shared)
		return 0;
	if (w->callback || c->profile == PROFILE_ITER)
		most = 1;
	else if (c->f->load.prog_type == BPF_PROG_TYPE_LSM)
		most = 0;
	else if (c->f->load.prog_type == BPF_PROG_TYPE_TRACING &&
		 c->f->load.attach_type != BPF_TRACE_RAW_TP &&
		 c->f->load.attach_type != BPF_MODIFY_RETURN)
		most = 0;
	if (r->v.umax > most)
		return verify_fail(c, "returns something else than %s", most ? "0 or 1" : "0");
	return 0;
}

static int leave_function(struct verifier *c, struct sweep *w, struct state *s)
{
	if (verify_result(c, w, s))
		return -1;
	if (s->n_frames == 1 && s->n_refs)
		return verify_fail(c, "exits while a ring record is held");
	if (!w->out) {
		w->out = s;
		return 0;
	}
	if (state_join(c, w->out, s))
		return -1;
	state_free(c, s);
	return 0;
}

/* ---- calls */

/* Applies a global function, which is verified separately: numbers go in, a number comes out. */
static int call_shared(struct verifier *c, struct frame *f, const struct sub *sub)
{
	for (u32 r = 1; r <= sub->n_params; r++)
		if (verify_readable(c, f, r))
			return -1;
		else if (f->r[r].kind != R_SCALAR)
			return verify_fail(c, "r%u is not the number that %s() takes", r,
					   sub->name);
	verify_clobber(f);
	f->r[0] = reg_scalar(scalar_unknown());
	return 0;
}

static int call_sub(struct verifier *c, struct state **s, const struct bpf_insn *i)
{
	struct frame *caller = state_top(*s), *f;
	u32 pc = c->pc, sub = verify_sub_at(c, pc + 1 + (u32)i->imm);
	struct state *out;
	struct reg ret;

	if (c->subs.v[sub].shared)
		return call_shared(c, caller, &c->subs.v[sub]);
	f = verify_push_frame(c, *s, sub);
	if (!f)
		return -1;
	memcpy(&f->r[1], &caller->r[1], 5 * sizeof f->r[0]);
	if (verify_run(c, sub, *s, false, &out))
		return -1;
	c->pc = pc;
	*s = out;
	if (!out)
		return 0;
	ret = state_top(out)->r[0];
	state_pop_frame(c, out);
	state_top(out)->r[0] = ret;
	verify_clobber(state_top(out));
	return 0;
}

/* *out is s after one iteration of the callback. */
static int one_iteration(struct verifier *c, const struct state *s, u32 sub, const struct reg *arg,
			 struct state **out)
{
	struct state *iteration = state_copy(c, s);
	struct frame *f = verify_push_frame(c, iteration, sub);

	if (!f)
		return -1;
	memcpy(&f->r[1], arg, 5 * sizeof f->r[0]);
	if (verify_run(c, sub, iteration, true, out))
		return -1;
	if (*out)
		state_pop_frame(c, *out);
	return 0;
}

static void move_state(struct verifier *c, struct state *to, struct state *from)
{
	while (to->n_frames)
		state_pop_frame(c, to);
	*to = *from;
	from->n_frames = 0;
	state_free(c, from);
}

/* Adds an iteration of the callback to s; *settled: the iteration changed nothing. */
static int add_iteration(struct verifier *c, struct state *s, u32 sub, const struct reg *arg,
			 bool widen, bool *settled)
{
	struct state *joined = state_copy(c, s), *out;
	u32 pc = c->pc;

	if (one_iteration(c, s, sub, arg, &out))
		return -1;
	c->pc = pc;
	/*
	 * From 6.7 on verifiers follow iterations as long as such a number changes, which never
	 * ends.
	 */
	if (out && c->decided && state_has_moved(out))
		return verify_fail(c, "a number on the stack decides a branch of the callback and "
				      "changes with each iteration: it must live in a map");
	if (out && state_join(c, joined, out))
		return -1;
	if (out)
		state_free(c, out);
	if (widen)
		state_widen(joined, s);
	*settled = state_equal(joined, s);
	move_state(c, s, joined);
	return 0;
}

/* Joins iterations until one changes nothing; numbers that keep changing become unknown. */
int verify_callback(struct verifier *c, struct state *s, u32 insn, const struct reg *arg)
{
	bool settled = false, decided = c->decided;
	struct walk *walk = c->walk;

	c->walk = NULL;
	if (walk)
		verifier_cost_callback(walk, s, insn, arg);
	for (u32 iteration = 0; !settled; iteration++) {
		if (iteration == 64)
			return verify_fail(c,
					   "what the callback does to the stack does not settle");
		c->decided = false;
		state_clear_moved(s);
		if (add_iteration(c, s, verify_sub_at(c, insn), arg, iteration > 1, &settled))
			return -1;
	}
	c->decided = decided;
	c->walk = walk;
	if (walk)
		verifier_cost_callback(walk, s, insn, arg);
	return 0;
}

static int call(struct verifier *c, struct state **s, const struct bpf_insn *i)
{
	struct frame *f = state_top(*s);

	if (i->src_reg == BPF_PSEUDO_CALL)
		return call_sub(c, s, i);
	if (!i->src_reg)
		return verify_helper(c, *s, i);
	verify_clobber(f);
	f->r[0] = reg_scalar(scalar_unknown());
	f->r[0].btf = true;
	return 0;
}

/* ---- one step */

/* A conditional jump: one state continues here, a refined copy is queued at the target. */
static int branch(struct verifier *c, struct sweep *w, struct state **s, const struct bpf_insn *i)
{
	u32 target = bpf_jump_target(i, c->pc);
	struct state *jump, *cur = *s;
	struct edge e;

	if (verify_branch(c, cur, i, &e, &jump))
		return -1;
	if (!e.fallthrough || target <= c->pc) {
		*s = NULL;
		w->scan = c->pc + 1;
	}
	if (!e.taken)
		return *s ? 0 : leave(c, w, c->pc + 1, cur);
	if (leave(c, w, target, jump ? jump : cur))
		return -1;
	return jump && !*s ? leave(c, w, c->pc + 1, cur) : 0;
}

static int jump_or_call(struct verifier *c, struct sweep *w, struct state **s,
			const struct bpf_insn *i)
{
	struct state *cur = *s;

	switch (BPF_OP(i->code)) {
	case BPF_CALL: return call(c, s, i);
	case BPF_EXIT: *s = NULL; return leave_function(c, w, cur);
	case BPF_JA:
		*s = NULL;
		w->scan = c->pc + 1;
		return leave(c, w, bpf_jump_target(i, c->pc), cur);
	}
	return branch(c, w, s, i);
}

static int step(struct verifier *c, struct sweep *w, struct state **s, const struct bpf_insn *i)
{
	if (c->cost)
		c->cost->visits[c->pc]++;
	if (++c->steps > VERIFY_MAX_STEPS && c->error)
		c->error->too_long = true;
	if (c->steps > VERIFY_MAX_STEPS)
		return verify_fail(c, "a verifier would have to follow more than %d instructions",
				   VERIFY_MAX_STEPS);
	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64: return verify_alu(c, state_top(*s), i);
	case BPF_LDX: return verify_ldx(c, *s, i);
	case BPF_ST:
	case BPF_STX: return verify_store(c, *s, i);
	case BPF_LD: return verify_ld_imm64(c, state_top(*s), i);
	}
	return jump_or_call(c, w, s, i);
}

/* The next instruction with a queued state; end: none. */
static u32 next_pending(const struct sweep *w)
{
	u32 at = w->scan;

	while (at < w->end && !w->pending[at - w->start])
		at++;
	return at;
}

/* Joins the state that falls through to c->pc with the one that is queued there. */
static int arrive(struct verifier *c, struct sweep *w, struct state **s)
{
	struct state **p = &w->pending[c->pc - w->start];

	if (!*p)
		return 0;
	if (*s) {
		if (state_join(c, *s, *p))
			return -1;
		state_free(c, *p);
	} else {
		*s = *p;
	}
	*p = NULL;
	return 0;
}

int verify_run(struct verifier *c, u32 sub, struct state *in, bool callback, struct state **out)
{
	struct sweep w = { .start = c->subs.v[sub].start,
			   .end = c->subs.v[sub].end,
			   .callback = callback };
	struct state *s = in;

	w.pending = arena_array(&c->arena, struct state *, w.end - w.start);
	c->pc = w.start;
	for (;;) {
		if (!s) {
			c->pc = next_pending(&w);
			if (c->pc == w.end)
				break;
		}
		if (arrive(c, &w, &s) || ((c->mark[c->pc] & MARK_LOOP) && enter_loop(c, &w, s)))
			return -1;

		const struct bpf_insn *i = &c->f->insns[c->pc];

		w.scan = c->pc + 1;
		if (step(c, &w, &s, i))
			return -1;
		c->pc += BPF_CLASS(i->code) == BPF_LD ? 2 : 1;
	}
	for (u32 i = 0; i < w.loops.n; i++)
		if (w.loops.v[i].seen)
			state_free(c, w.loops.v[i].seen);
	*out = w.out;
	return 0;
}
