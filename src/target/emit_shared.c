/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that several programs of a script share (ir/lower_func.c) are compiled once. Two
 * functions are the same if their IR is, except for the spans. References to other functions are
 * numbers of the unit, as in the IR, so they mean the same in every unit with that IR.
 */
#include "base/hash.h"
#include "target/emit_shared.h"

/* What code generation reads of an instruction, without padding and span. */
static struct ir_insn without_span(const struct ir_insn *in)
{
	struct ir_insn k;

	memset(&k, 0, sizeof k);
	k.op = in->op;
	k.size = in->size;
	k.cc = in->cc;
	k.is_signed = in->is_signed;
	k.n_args = in->n_args;
	k.dst = in->dst;
	k.target[0] = in->target[0];
	k.target[1] = in->target[1];
	for (u32 i = 0; i < ARRAY_SIZE(in->arg); i++) {
		k.arg[i].kind = in->arg[i].kind;
		k.arg[i].id = in->arg[i].id;
		k.arg[i].imm = in->arg[i].imm;
	}
	k.imm = in->imm;
	return k;
}

static size_t n_key_insns(const struct ir_func *f)
{
	size_t n = 0;

	for (u32 b = 0; b < f->blocks.n; b++)
		n += f->blocks.v[b]->insns.n + 1;
	return n;
}

/* Blocks, each followed by a separator (an invalid instruction); then temporaries and slots. */
struct shared_key shared_key_of(struct arena *a, const struct ir_func *f)
{
	size_t n_insns = n_key_insns(f), n = 0;
	u32 rest = 2 + f->temps.n + 2 * f->slots.n, at = 0;
	size_t len = n_insns * sizeof(struct ir_insn) + rest * sizeof(u32);
	struct ir_insn *insn = arena_alloc(a, len);
	u32 *word = (u32 *)(void *)(insn + n_insns);

	for (u32 b = 0; b < f->blocks.n; b++) {
		const struct ir_block *block = f->blocks.v[b];

		for (u32 i = 0; i < block->insns.n; i++)
			insn[n++] = without_span(&block->insns.v[i]);
		insn[n++].imm = block->loop_depth;
	}
	word[at++] = f->temps.n;
	word[at++] = f->n_params;
	for (u32 i = 0; i < f->temps.n; i++)
		word[at++] = f->temps.v[i].kind | (u32)f->temps.v[i].is_known << 8 |
			     (u32)f->temps.v[i].is_var << 9;
	for (u32 i = 0; i < f->slots.n; i++) {
		word[at++] = f->slots.v[i].size;
		word[at++] = f->slots.v[i].align;
	}
	return (struct shared_key){ insn, len, hash_bytes(insn, len) };
}

const struct shared_code *shared_code_find(const struct program *p, const struct shared_key *key)
{
	const struct shared_code *s = p->shared_code;

	while (s && (s->key.hash != key->hash || s->key.len != key->len ||
		     memcmp(s->key.bytes, key->bytes, key->len) != 0))
		s = s->next;
	return s;
}

void shared_code_put(const struct shared_code *s, struct span span, struct arena *a, struct code *c)
{
	u32 base = c->insns.n, need = base + s->n_insns;

	vec_reserve(a, &c->insns, need <= c->insns.cap ? need : 2 * need);
	vec_reserve(a, &c->spans, need <= c->spans.cap ? need : 2 * need);
	memcpy(c->insns.v + base, s->insns, s->n_insns * sizeof *s->insns);
	for (u32 i = 0; i < s->n_insns; i++)
		c->spans.v[base + i] = span;
	c->insns.n = c->spans.n = need;
	for (u32 i = 0; i < s->n_relocs; i++) {
		vec_push(a, &c->relocs, s->relocs[i]);
		vec_last(&c->relocs)->insn += base;
	}
}

const struct shared_code *shared_code_keep(struct program *p, const struct shared_key *key,
					   const struct code *c, u32 first_insn, u32 first_reloc,
					   u32 frame)
{
	struct shared_code *s = arena_new(p->arena, struct shared_code);

	s->key = *key;
	s->key.bytes = arena_dup(p->arena, key->bytes, key->len);
	s->frame = frame;
	s->n_insns = c->insns.n - first_insn;
	s->insns = arena_dup(p->arena, c->insns.v + first_insn, s->n_insns * sizeof *s->insns);
	s->n_relocs = c->relocs.n - first_reloc;
	s->relocs = s->n_relocs ? arena_dup(p->arena, c->relocs.v + first_reloc,
					    s->n_relocs * sizeof *s->relocs) :
				  NULL;
	for (u32 i = 0; i < s->n_relocs; i++)
		s->relocs[i].insn -= first_insn;
	s->next = p->shared_code;
	p->shared_code = s;
	return s;
}
