/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our own verifier, which every function passes before it is loaded. In: a function of a program
 * and the profile of its context. Out: success, or the instruction and the reason why a kernel
 * would refuse it. It is an abstract interpretation of the final bytecode that joins paths where
 * they meet, so its time grows with the length of the program, not with the number of its paths.
 * What it accepts must load from Linux 5.10 on (kernel/bpf/verifier.c), so its rules are the oldest
 * ones.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "target/verify.h"

int verify_fail(struct verifier *c, const char *fmt, ...)
{
	va_list ap;

	if (c->failed)
		return -1;
	c->failed = true;
	if (!c->error)
		return -1;
	c->error->insn = c->pc;
	va_start(ap, fmt);
	vsnprintf(c->error->text, sizeof c->error->text, fmt, ap);
	va_end(ap);
	return -1;
}

const char *verify_map_name(const struct verifier *c, u32 map)
{
	return map < c->prog->maps.n && c->prog->maps.v[map].name ? c->prog->maps.v[map].name : "?";
}

u32 verify_value_size(const struct verifier *c, u32 map)
{
	const struct map_desc *m = &c->prog->maps.v[map];

	return m->role == MAP_DATA ? MAX(m->value_size, c->prog->data_size) : m->value_size;
}

const struct reloc *verify_reloc(const struct verifier *c, u32 insn)
{
	return c->reloc[insn] ? &c->f->relocs[c->reloc[insn] - 1] : NULL;
}

/* The context's kind by the program's type, if the profile has none because the program reads
 * nothing. */
enum profile_kind verify_kind(const struct bpf_func *f, const struct profile *profile)
{
	if (profile && profile->kind != PROFILE_NONE)
		return profile->kind;
	switch (f->load.prog_type) {
	case BPF_PROG_TYPE_KPROBE: return PROFILE_PT_REGS;
	case BPF_PROG_TYPE_TRACEPOINT: return PROFILE_TRACEPOINT;
	case BPF_PROG_TYPE_RAW_TRACEPOINT: return PROFILE_RAW_TP;
	case BPF_PROG_TYPE_PERF_EVENT: return PROFILE_PERF_EVENT;
	case BPF_PROG_TYPE_LSM: return PROFILE_BTF;
	case BPF_PROG_TYPE_TRACING:
		return f->load.attach_type == BPF_TRACE_ITER ? PROFILE_ITER : PROFILE_BTF;
	}
	return PROFILE_NONE;
}

static int index_relocs(struct verifier *c)
{
	c->mark = arena_array(&c->arena, u8, c->f->n_insns + 1);
	c->reloc = arena_array(&c->arena, u32, c->f->n_insns + 1);
	for (u32 i = 0; i < c->f->n_relocs; i++) {
		c->pc = c->f->relocs[i].insn;
		if (c->pc >= c->f->n_insns)
			return verify_fail(c, "a relocation beyond the end");
		c->reloc[c->pc] = i + 1;
	}
	return 0;
}

static int verify_values(struct verifier *c)
{
	struct state *s = state_new(c), *out;
	struct frame *f = verify_push_frame(c, s, 0);

	f->r[1] = (struct reg){ .kind = R_CTX, .v = scalar_const(0) };
	return verify_run(c, 0, s, false, &out);
}

static int verify_shared(struct verifier *c)
{
	for (u32 i = 1; i < c->subs.n; i++) {
		struct state *s, *out;
		struct frame *f;

		if (!c->subs.v[i].shared || c->subs.v[i].known)
			continue;
		s = state_new(c);
		f = verify_push_frame(c, s, i);
		for (u32 r = 1; r <= c->subs.v[i].n_params; r++)
			f->r[r] = reg_scalar(scalar_unknown());
		if (verify_run(c, i, s, false, &out))
			return -1;
	}
	return 0;
}

int verify_all(struct verifier *c)
{
	return index_relocs(c) || verify_shape(c) || verify_values(c) || verify_shared(c) ||
	       verify_depth(c);
}

int target_verify(const struct program *prog, const struct bpf_func *f,
		  const struct profile *profile, struct verify_error *error)
{
	struct verifier c = {
		.prog = prog, .f = f, .error = error, .profile = verify_kind(f, profile)
	};
	int bad;

	arena_init(&c.arena);
	bad = verify_all(&c);
	arena_release(&c.arena);
	return bad ? -EACCES : 0;
}
