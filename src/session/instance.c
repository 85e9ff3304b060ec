/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One instance becomes one BPF function: lowered, optimized, emitted, verified. */
#include <ctype.h>
#include <errno.h>
#include <linux/bpf.h>
#include "ir/lower.h"
#include "session/compile.h"
#include "target/target.h"

enum { LOWER_LEVELS = 2, LONG_TO_FOLLOW = MOST_INSNS / 2 };

/* "kprobe:vfs_read", 1 -> "kprobe_vfs_read_2" */
static const char *func_name(struct arena *a, const char *probe, u32 index)
{
	char *name = arena_printf(a, "%.100s_%u", probe, index + 1);

	for (char *p = name; *p; p++)
		if (!isalnum((u8)*p))
			*p = '_';
	return name;
}

static struct bpf_func *new_func(struct compiled *c, const struct instance *in)
{
	struct bpf_func *f = arena_new(&c->arena, struct bpf_func);
	const struct profile *p = in->profile;

	f->name = func_name(&c->arena, in->name, in->index);
	f->load = p->load;
	f->cookie_shift = p->site.cookie_bits == 64 ? 32 : 0;
	f->span = in->clause->span;
	if (in->jump && in->jump->dispatcher != in->index) {
		f->dispatcher = in->jump->dispatcher + 1;
		f->jump_map = in->jump->map;
		f->slots = in->jump->slots;
		f->n_slots = in->jump->n_slots;
	}
	f->in_chain = in->jump && in->jump->is_chain;
	return f;
}

/* Reports what no kernel would load, with a remedy. */
static int refuse_too_big(struct compiled *c, const struct bpf_func *f)
{
	struct target_measure m = target_measure(&c->prog, f);
	struct span at = f->spans[m.at];
	struct diag *d;

	if (m.branches > MOST_BRANCHES)
		d = diag_report(&c->diags, at, D_TOO_MANY_BRANCHES);
	else if (m.maps > MOST_MAPS)
		d = diag_report(&c->diags, at, D_TOO_MANY_MAPS, m.maps);
	else if (m.insns > MOST_INSNS)
		d = diag_report(&c->diags, at, D_TOO_MANY_INSNS, m.insns);
	else if (m.funcs > MOST_FUNCS)
		d = diag_report(&c->diags, at, D_TOO_MANY_LOOPS, m.funcs - 1);
	else
		return 0;
	diag_help(
		&c->diags, d,
		"everything before this fits: write the rest as a second clause of the same probe, which runs right after");
	return 1;
}

/* Lowers, optimizes, emits; when the frame does not fit, once more with less on the stack. */
int emit_instance(struct compiled *c, struct instance *in, struct err *err)
{
	struct bpf_func *f = new_func(c, in);
	int ret = -E2BIG;
	bool keeps = c->request->compile.dump & STAGE_IR, is_cut = false;
	struct arena *arena = keeps ? &c->arena : &c->ir;

	for (u32 level = 0; level < LOWER_LEVELS && ret == -E2BIG; level++) {
		struct ir_unit *u = lower_instance(&c->lang, &c->prog, arena, in, level);

		if (!u)
			return 1;
		ir_verify(u);
		ir_optimize(u, c->request->compile.no_pass ? c->request->compile.no_pass : "");
		if (keeps)
			vec_push(&c->arena, &c->units, u);
		is_cut = u->is_cut;
		unrecorded_report(c, u, in->profile->load.prog_type, in->index);
		f->prog_flags = u->n_fetches ? BPF_F_SLEEPABLE : 0;
		ret = target_emit(u, c->env.features, f);
		if (ret && keeps)
			c->units.n--;
		if (!keeps)
			arena_reset(arena);
	}
	if (ret == -E2BIG && in->compact) { /* its stack is not enough */
		in->compact = false;
		return emit_instance(c, in, err);
	}
	if (ret == -E2BIG) {
		diag_report(&c->diags, in->clause->span, D_TOO_COMPLEX);
		return 1;
	}
	if (ret < 0)
		return err_set(err, ret, "emit code for %s", in->name);
	if (is_cut && target_measure(&c->prog, f).branches <= MOST_BRANCHES) {
		in->whole = true;
		c->units.n -= keeps;
		return emit_instance(c, in, err);
	}
	vec_push(&c->arena, &c->prog.funcs, f);
	return refuse_too_big(c, f);
}

static void note_long(struct compiled *c, const struct instance *in)
{
	if (!c->is_long)
		c->is_long = arena_array(&c->arena, u8, c->instances.n);
	c->is_long[in->index] = 1;
}

/* Runs our own verifier: a refusal is a bug in sonde, reported at the user's line. */
int instance_verify(struct compiled *c, const struct instance *in, struct err *err)
{
	const struct bpf_func *f = c->prog.funcs.v[in->index];
	struct verify_error e = { 0 };
	struct target_cost cost = { .known = &c->walks,
				    .enough = LONG_TO_FOLLOW,
				    .most = LONG_TO_FOLLOW };
	int ret = target_verify_with_cost(&c->prog, f, in->profile, &e, &cost);
	struct position at;

	if (cost.n >= LONG_TO_FOLLOW && !in->compact)
		note_long(c, in);
	if (e.too_long) {
		diag_report(&c->diags, f->spans[e.insn], D_TOO_LONG_TO_FOLLOW);
		return 1;
	}
	if (ret >= 0)
		return 0;
	at = sources_find(&c->sources, f->spans[e.insn]);
	err_set(err, ret,
		"%s:%u:%u: the code for this fails sonde's own verifier at instruction %u: %s",
		at.file ? at.file->name : "?", at.line, at.col, e.insn, e.text);
	err_help(err, "this is a mistake in sonde: please report it with the script");
	return ret;
}

int compile_instance(struct compiled *c, struct instance *in, struct err *err)
{
	int ret;

	in->compact = c->attempt.compact;
	in->no_direct_loads = c->attempt.no_direct_loads;
	ret = emit_instance(c, in, err);
	return ret ? ret : instance_verify(c, in, err);
}
