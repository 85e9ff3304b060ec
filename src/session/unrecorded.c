/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a script asks and the engine cannot answer, because its events are recorded: found in the
 * optimized code, so that what an option excludes is no error.
 *
 *	uid			call 15()		the engine lacks users
 *	str(args.filename)	call 114(slot, 64, t5)	t5 is a number: memory of a process
 *	args.prev_comm		call 113(slot, 16, t7)	t7 is ctx + 8: the event itself
 */
#include "session/choose.h"
#include "session/compile.h"

enum { MOST_STEPS = 64 }; /* back from an address */

struct search {
	struct compiled *c;
	const struct ir_func *f;
	struct fetches *to;
	bool has_registers; /* the context is struct pt_regs */
	bool is_call;       /* it is the record of the entry of a system call */
	u32 steps;
};

/* The argument of a helper that is the address to read from; -1: it reads none. */
static int address_of(s64 helper)
{
	switch (helper) {
	case BPF_FUNC_probe_read:
	case BPF_FUNC_probe_read_str:
	case BPF_FUNC_probe_read_user:
	case BPF_FUNC_probe_read_user_str:
	case BPF_FUNC_probe_read_kernel:
	case BPF_FUNC_probe_read_kernel_str:
	case BPF_FUNC_copy_from_user: return 2;
	default: return -1;
	}
}

static bool is_own(struct search *s, const struct opnd *o);

/* The top of the traced thread's stack: arguments, return address. */
static bool is_near(const struct search *s, const struct ir_insn *in)
{
	const struct engine *e = s->c->engines[0];

	return s->has_registers && e->has_memory_near && in->arg[0].kind == O_CTX &&
	       e->has_memory_near((u32)in->arg[0].imm);
}

/* What the instruction computes is an address in the memory of the program or of its event. */
static bool makes_own(struct search *s, const struct ir_insn *in)
{
	switch (in->op) {
	case IR_ADDR:
	case IR_MOVE:
	case IR_NUMBER: return is_own(s, &in->arg[0]);
	case IR_LOAD: return is_near(s, in);
	case IR_ADD:
	case IR_SUB: return is_own(s, &in->arg[0]) || is_own(s, &in->arg[1]);
	case IR_CALL:
		return in->imm == BPF_FUNC_map_lookup_elem ||
		       in->imm == BPF_FUNC_map_lookup_percpu_elem ||
		       in->imm == BPF_FUNC_ringbuf_reserve;
	default: return false;
	}
}

/* All definitions of a variable must be such; one through itself is decided by the others. */
static bool is_own_temp(struct search *s, u32 temp)
{
	bool some = temp <= s->f->n_params && s->f->callback;

	if (s->steps++ > MOST_STEPS)
		return true;
	for (u32 b = 0; b < s->f->blocks.n; b++)
		for (u32 i = 0; i < s->f->blocks.v[b]->insns.n; i++) {
			const struct ir_insn *in = &s->f->blocks.v[b]->insns.v[i];

			if (in->dst != temp || (in->op == IR_MOVE && in->arg[0].kind == O_IMM))
				continue;
			if (!makes_own(s, in))
				return false;
			some = true;
		}
	return some;
}

static bool is_own(struct search *s, const struct opnd *o)
{
	switch (o->kind) {
	case O_SLOT:
	case O_CTX:
	case O_MAP:
	case O_DATA:
	case O_FUNC: return true;
	case O_TEMP: return is_own_temp(s, o->id);
	case O_NONE:
	case O_IMM: return false;
	}
	return false;
}

/* ---- what can be fetched with the event: memory at constant distances from registers */

/* The only definition of a temporary; NULL: there are several. */
static const struct ir_insn *definition(const struct ir_func *f, u32 temp)
{
	const struct ir_insn *found = NULL;

	for (u32 b = 0; b < f->blocks.n; b++)
		for (u32 i = 0; i < f->blocks.v[b]->insns.n; i++) {
			const struct ir_insn *in = &f->blocks.v[b]->insns.v[i];

			if (in->dst != temp)
				continue;
			if (found)
				return NULL;
			found = in;
		}
	return found;
}

/* What reads memory into the slot, or writes to it in another way. */
static bool fills(const struct ir_insn *in, const struct opnd *o)
{
	const struct opnd *to = &in->arg[0];

	return to->kind == O_SLOT && to->id == o->id &&
	       (in->op == IR_CALL || in->op == IR_ADDR || ir_ops[in->op].flags & IRF_STORES);
}

static int fetch_of(struct search *s, const struct ir_insn *in);

/* What fills the slot that the instruction loads last before it, in its block; NULL: nothing
 * does. */
static const struct ir_insn *fill_before(const struct ir_func *f, const struct ir_insn *load)
{
	for (u32 b = 0; b < f->blocks.n; b++) {
		const struct ir_block *block = f->blocks.v[b];

		if (load < block->insns.v || load >= block->insns.v + block->insns.n)
			continue;
		for (const struct ir_insn *in = load; in-- > block->insns.v;)
			if (fills(in, &load->arg[0]))
				return in;
	}
	return NULL;
}

/* The fetch whose memory the instruction loads from a slot: of the last one that fills it before,
 * or all that fill it read the same. -1: there is none. */
static int fetch_in(struct search *s, const struct ir_insn *load)
{
	const struct ir_insn *before = fill_before(s->f, load);
	int found = -1;

	if (before)
		return before->op == IR_CALL ? fetch_of(s, before) : -1;
	for (u32 b = 0; b < s->f->blocks.n; b++)
		for (u32 i = 0; i < s->f->blocks.v[b]->insns.n; i++) {
			const struct ir_insn *in = &s->f->blocks.v[b]->insns.v[i];
			int n;

			if (!fills(in, &load->arg[0]))
				continue;
			n = in->op == IR_CALL ? fetch_of(s, in) : -1;
			if (n < 0 || (found >= 0 && n != found))
				return -1;
			found = n;
		}
	return found;
}

/* Of the address, kept in *x; false: it is none that can be fetched from. */
static bool trace(struct search *s, const struct opnd *o, struct fetch *x)
{
	const struct ir_insn *in = o->kind == O_TEMP ? definition(s->f, o->id) : NULL;

	if (!in || s->steps++ > MOST_STEPS)
		return false;
	x->offset += o->imm;
	if (in->op == IR_MOVE || in->op == IR_NUMBER)
		return trace(s, &in->arg[0], x);
	if ((in->op == IR_ADD || in->op == IR_SUB) && in->arg[1].kind == O_IMM) {
		x->offset += in->op == IR_ADD ? in->arg[1].imm : -in->arg[1].imm;
		return trace(s, &in->arg[0], x);
	}
	if (in->op != IR_LOAD || in->size != 8)
		return false;
	if (in->arg[0].kind == O_CTX) {
		x->ctx = (u32)in->arg[0].imm;
		return !s->is_call || x->ctx >= 16; /* the arguments */
	}
	x->parent = in->arg[0].kind == O_SLOT && !in->arg[0].imm ? fetch_in(s, in) : -1;
	return x->parent >= 0 && s->to->list.v[x->parent].len == 8;
}

static bool is_string_read(s64 helper)
{
	return helper == BPF_FUNC_probe_read_str || helper == BPF_FUNC_probe_read_user_str ||
	       helper == BPF_FUNC_probe_read_kernel_str;
}

/* Fetch arguments are numbers, or arrays of at most 64 of them. */
static bool has_type(const struct fetch *x)
{
	return x->is_string || (x->len && (x->len <= 64 || (x->len % 8 == 0 && x->len <= 512)));
}

static int add_fetch(struct search *s, const struct fetch *x)
{
	for (u32 i = 0; i < s->to->list.n; i++) {
		const struct fetch *y = &s->to->list.v[i];

		if (y->parent == x->parent && y->ctx == x->ctx && y->offset == x->offset &&
		    y->len == x->len && y->is_string == x->is_string && y->is_user == x->is_user)
			return (int)i;
	}
	vec_push(&s->c->arena, &s->to->list, *x);
	return (int)s->to->list.n - 1;
}

/* The number of the fetch by which the call gets its memory; -1: there is none. */
static int fetch_of(struct search *s, const struct ir_insn *in)
{
	struct fetch x = { .parent = -1 };
	int at = address_of(in->imm);

	if (at != 2 || in->arg[1].kind != O_IMM)
		return -1;
	x.len = (u32)in->arg[1].imm;
	x.is_string = is_string_read(in->imm);
	x.is_user = in->imm != BPF_FUNC_probe_read_kernel &&
		    in->imm != BPF_FUNC_probe_read_kernel_str;
	return has_type(&x) && trace(s, &in->arg[at], &x) ? add_fetch(s, &x) : -1;
}

static bool can_fetch(struct search *s, const struct ir_insn *in)
{
	s->steps = 0;
	return s->c->engines[0]->has_past && (s->has_registers || s->is_call) &&
	       fetch_of(s, in) >= 0;
}

/* The kernel's functions of the calls can be probed, with which their memory is fetched. */
static bool is_of_calls(const struct compiled *c, u32 func)
{
	bool some = false;

	for (u32 i = 0; i < c->sites.n; i++) {
		const struct site *s = &c->sites.v[i].site;

		if (c->sites.v[i].func != func)
			continue;
		if (s->kind != SITE_PERF_TRACEPOINT || s->event.call <= 0)
			return false;
		some = true;
	}
	return some && feature_has(c->features, FEAT_KPROBE);
}

static const char *missing(const struct search *where, const struct ir_insn *in)
{
	struct search s = *where;
	int at = in->op == IR_CALL ? address_of(in->imm) : -1;
	bool memory = at >= 0 && !is_own(&s, &in->arg[at]);

	if (in->op == IR_KCALL)
		return "functions of the kernel";
	if (in->op != IR_CALL)
		return NULL;
	return s.c->engines[0]->lacks((u32)in->imm, memory && !can_fetch(&s, in));
}

static bool is_told(const struct compiled *c, struct span span)
{
	for (u32 i = 0; i < c->diags.list.n; i++)
		if (c->diags.list.v[i]->id == D_NOT_RECORDED &&
		    c->diags.list.v[i]->span.off == span.off)
			return true;
	return false;
}

static void report(struct compiled *c, struct span span, const char *what)
{
	const struct engine *e = c->engines[0];

	if (is_told(c, span))
		return;
	diag_help(&c->diags, diag_report(&c->diags, span, D_NOT_RECORDED, e->source, what),
		  "it has %s", e->source_has);
}

/* Sites that no other engine serves. */
static bool has_records(const struct compiled *c)
{
	for (u32 i = 0; i < c->sites.n; i++)
		if (c->sites.v[i].site.kind == SITE_RECORD)
			return true;
	return false;
}

static void report_func(struct compiled *c, const struct search *where)
{
	for (u32 b = 0; b < where->f->blocks.n; b++)
		for (u32 i = 0; i < where->f->blocks.v[b]->insns.n; i++) {
			const struct ir_insn *in = &where->f->blocks.v[b]->insns.v[i];
			const char *what = missing(where, in);

			if (what)
				report(c, in->span, what);
		}
}

static struct fetches *fetches_of(struct compiled *c, u32 index)
{
	while (c->fetches.by_func.n <= index)
		vec_push(&c->arena, &c->fetches.by_func, (struct fetches){ 0 });
	c->fetches.by_func.v[index].list.n = 0;
	return &c->fetches.by_func.v[index];
}

void unrecorded_report(struct compiled *c, const struct ir_unit *u, u32 prog_type, u32 index)
{
	struct search where = { .c = c,
				.to = fetches_of(c, index),
				.has_registers = prog_type == BPF_PROG_TYPE_KPROBE };

	if (!c->engines[0]->lacks || (c->n_engines > 1 && !has_records(c)))
		return;
	where.is_call = c->engines[0]->has_past && is_of_calls(c, index);
	for (u32 k = 0; k < u->funcs.n; k++) {
		where.f = u->funcs.v[k];
		report_func(c, &where);
	}
}
