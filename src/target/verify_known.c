/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared functions are verified without their callers (verify.c: verify_shared), so one that is
 * identical to a function of an earlier program of the script need not be verified again.
 */
#include "target/verify.h"

static u64 mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

/* The distance of a call differs between programs; only the callee's number of arguments
 * matters. */
static u64 hash_insn(const struct verifier *c, u32 pc, u64 hash)
{
	const struct bpf_insn *i = &c->f->insns[pc];
	const struct reloc *r = verify_reloc(c, pc);
	bool calls = r && r->kind == RELOC_FUNC;
	u32 imm = calls ? c->subs.v[verify_sub_at(c, pc + 1 + (u32)i->imm)].n_params : (u32)i->imm;

	hash = mix(hash, i->code | (u64)i->dst_reg << 8 | (u64)i->src_reg << 12 |
				 (u64)(u16)i->off << 16 | (u64)imm << 32);
	return r ? mix(hash, (u64)r->kind << 32 | (calls ? 0 : r->index)) : hash;
}

static bool has_callback(const struct verifier *c, const struct sub *s)
{
	for (u32 pc = s->start; pc < s->end; pc++)
		if (c->f->insns[pc].code == (BPF_LD | BPF_IMM | BPF_DW) &&
		    c->f->insns[pc].src_reg == BPF_PSEUDO_FUNC)
			return true;
	return false;
}

bool verify_is_known(struct verifier *c, u32 sub)
{
	struct sub *s = &c->subs.v[sub];

	if (!c->known || has_callback(c, s))
		return false;
	s->hash = mix(s->n_params, s->end - s->start);
	for (u32 pc = s->start; pc < s->end; pc++)
		s->hash = hash_insn(c, pc, s->hash);
	for (u32 i = 0; i < c->known->shared.n && !s->known; i++)
		if (c->known->shared.v[i].hash == s->hash)
			s->known = &c->known->shared.v[i];
	return s->known;
}

void verify_keep(const struct verifier *c, const struct sub *s, u64 followed)
{
	if (s->hash && !s->known)
		vec_push(c->known->arena, &c->known->shared,
			 (struct target_shared){ s->hash, followed });
}
