/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Direct loads of fields through pointers that verifiers know by type: arguments of BTF
 * tracepoints, trampolines, hooks and iterators, and the current task. A load takes 1 to 2 ns per
 * pointer, where bpf_probe_read_kernel takes some 30, and is allowed where lockdown refuses the
 * helper. Like the helper, it gives 0 for memory that cannot be read.
 *
 * Direct loads need kernel addresses. A null pointer, an error (ERR_PTR) and a user address leave
 * to the slow path, which reads the rest as foreign memory:
 *
 *	args.p.mm.map_count	p1 = *(p0 + mm)			if p0 is null, or p0 s>= -4095: slow 0
 *				v = *(p1 + map_count)		if p1 is null, or p1 s>= -4095: slow 1
 *				goto out
 *			slow 0: x = read(p0 + mm); goto tail 1
 *			slow 1: x = p1
 *			tail 1: v = read(x + map_count)
 *			out:
 *
 * The comparison with null is for verifiers: since 6.4 they track that some members may be null,
 * and accept no other comparison. The other comparison avoids a load through an error where the
 * kernel trusts its own arguments and catches no fault (6.2 to 6.12).
 */
#include "ir/state.h"
#include "type/walk.h"

enum { MAX_HOPS = 4, MAX_ERRNO = 4095, DIRECT_BRANCHES = 1024 };

struct hop { /* one load through a pointer */
	u32 offset, size;
	bool is_signed;
	enum walk walk;
	const struct type *type, *to;
	enum space space;
};

struct path {
	struct node *root;
	bool is_sure; /* the root is a kernel address */
	struct hop hop[MAX_HOPS];
	u32 n;
};

struct opnd lower_of_task(struct lower *l, const struct type *t, s64 offset)
{
	struct opnd task;

	if (feature_has(l->features, FEAT_TASK_BTF))
		return ir_load(
			l, opnd_plus(ir_call(l, BPF_FUNC_get_current_task_btf, true, 0), offset),
			t->size, t->is_signed);
	task = ir_call(l, BPF_FUNC_get_current_task, true, 0);
	return lower_read_scalar(l, t, ir_op2(l, IR_ADD, task, o_imm(offset)), SPACE_KERNEL);
}

static bool is_current_task(const struct node *n)
{
	return n->kind == N_CALL && n->builtin && n->builtin->flags & BI_TRUSTED;
}

/* The type to which verifiers know the root to point; NULL: none. */
static const struct type *root_type(struct lower *l, const struct node *n)
{
	const struct arg_desc *arg = n->kind == N_FIELD ? n->data : NULL;
	const struct type *t;

	if (is_current_task(n))
		t = feature_has(l->features, FEAT_TASK_BTF) ? n->type : NULL;
	else
		t = !l->inst->no_direct_loads && arg && arg->loc.kind == LOC_CTX &&
				    arg->loc.known && feature_has(l->features, FEAT_BTF_LOADS) ?
			    arg->type :
			    NULL;
	return t && t->kind == TY_POINTER && t->elem->kind == TY_STRUCT && t->elem->in_kernel ?
		       t->elem :
		       NULL;
}

/*
 * The node of the pointer through which n is reached, n being a member of its target, or an element
 * at a constant index. Adds to *offset.
 */
static struct node *pointer_before(struct node *n, u32 *offset)
{
	for (*offset = 0;;) {
		if (n->kind == N_FIELD && n->field && !n->data && !n->field->bit_size)
			*offset += n->field_offset;
		else if (n->kind == N_INDEX && n->a->type->kind == TY_ARRAY &&
			 n->b->kind == N_INT && n->b->value >= 0 && n->b->value < n->a->type->count)
			*offset += (u32)n->b->value * n->a->type->elem->size;
		else
			return NULL;
		n = n->a;
		if (n->type->kind == TY_POINTER)
			return n;
		if (n->kind == N_UNARY && n->op == OP_DEREF && n->a->type->kind == TY_POINTER)
			return n->a;
	}
}

/* The path to the scalar n; false: verifiers do not know some pointer on it. */
static bool find_path(struct lower *l, struct node *n, struct path *p)
{
	const struct type *from = root_type(l, n);
	struct node *before;
	struct hop h = { .type = n->type, .size = n->type->size, .is_signed = n->type->is_signed };

	if (from) {
		p->root = n;
		p->is_sure = is_current_task(n);
		return true;
	}
	before = pointer_before(n, &h.offset);
	if (!before || !find_path(l, before, p) || p->n == MAX_HOPS)
		return false;
	from = p->n ? p->hop[p->n - 1].to : root_type(l, before);
	if (!from || !type_same_in_kernel(from, before->type->elem) ||
	    (p->n && p->hop[p->n - 1].walk != WALK_POINTER))
		return false;
	h.walk = type_walk(from, h.offset, h.size, &h.to);
	h.space = before->type->space;
	p->hop[p->n++] = h;
	return h.walk != WALK_REFUSED;
}

/* Continues if p is a kernel address. */
static void branch_on_address(struct lower *l, struct opnd p, struct ir_block *slow)
{
	struct ir_block *some = ir_block_new(l), *good = ir_block_new(l);

	ir_branch(l, CC_EQ, p, o_imm(0), slow, some);
	ir_place(l, some);
	ir_branch(l, CC_SGE, p, o_imm(-MAX_ERRNO), slow, good);
	ir_place(l, good);
}

static struct opnd load_hop(struct lower *l, const struct hop *h, struct opnd p)
{
	struct opnd r = ir_load(l, opnd_plus(p, h->offset), h->size, h->is_signed);

	return h->walk == WALK_POINTER ? ir_known(l, r) : r;
}

/*
 * Where the helper for kernel memory is refused, the one for user memory works. It reads from a
 * copy of the variable: an earlier read through it at the same offset is a different value.
 */
static struct opnd read_hop(struct lower *l, const struct hop *h, u32 x)
{
	struct opnd now = ir_emit(l, (struct ir_insn){ .op = IR_MOVE, .arg = { o_temp(x) } });
	struct opnd at = ir_op2(l, IR_ADD, now, o_imm(h->offset));
	bool locked = !feature_has(l->features, FEAT_READ_KERNEL);

	return lower_read_scalar(l, h->type, at, locked ? SPACE_USER : h->space);
}

/* slow[i] is the block where the fast path left hop i with the pointer p[i]; NULL: it did not. */
static void place_slow_way(struct lower *l, const struct path *path, struct ir_block *const *slow,
			   const struct opnd *p, u32 v)
{
	u32 x = ir_var(l);
	bool begun = false;

	for (u32 i = 0; i < path->n; i++) {
		struct ir_block *tail = ir_block_new(l);

		if (begun)
			ir_jump(l, tail);
		if (slow[i]) {
			ir_place(l, slow[i]);
			ir_var_set(l, x, p[i]);
			ir_jump(l, tail);
			begun = true;
		}
		if (!begun)
			continue;
		ir_place(l, tail);
		ir_var_set(l, i + 1 == path->n ? v : x, read_hop(l, &path->hop[i], x));
	}
}

static struct opnd follow_path(struct lower *l, const struct path *path)
{
	struct ir_block *slow[MAX_HOPS] = { NULL }, *out = ir_block_new(l);
	struct opnd p[MAX_HOPS + 1] = { lower_scalar(l, path->root) };
	u32 v = ir_var(l), mark = vn_mark(l);

	for (u32 i = 0; i < path->n; i++) {
		if (i || !path->is_sure) {
			slow[i] = ir_block_new(l);
			branch_on_address(l, p[i], slow[i]);
		}
		p[i + 1] = load_hop(l, &path->hop[i], p[i]);
	}
	ir_var_set(l, v, p[path->n]);
	ir_jump(l, out);
	place_slow_way(l, path, slow, p, v);
	ir_jump(l, out);
	vn_truncate(l, mark);
	ir_place(l, out);
	return ir_emit(l, (struct ir_insn){ .op = IR_MOVE, .arg = { o_temp(v) } });
}

/* With -k unreadable memory is counted; in loops of old kernels pending branches are scarce. */
static bool wants_helper(struct lower *l, const struct path *p)
{
	if (p->n == 1 && p->is_sure)
		return false;
	return feature_has(l->features, FEAT_READ_KERNEL) &&
	       (l->env->request->compile.extra_warnings || l->s->loop ||
		lower_branches_so_far(l) > DIRECT_BRANCHES);
}

bool lower_direct(struct lower *l, struct node *n, struct opnd *value)
{
	struct path p = { .n = 0 };
	struct ir_insn key = { .op = IR_LOAD, .imm = -4 };

	if (!type_is_scalar(n->type) || !find_path(l, n, &p) || !p.n || wants_helper(l, &p))
		return false;
	key.arg[0] = lower_scalar(l, p.root);
	for (u32 i = 0; i < p.n; i++)
		key.arg[i + 1] = o_imm(p.hop[i].offset);
	key.size = (u8)p.hop[p.n - 1].size;
	key.is_signed = p.hop[p.n - 1].is_signed;
	if (vn_find(l, &key, false, value))
		return true;
	if (p.n == 1 && p.is_sure)
		*value = load_hop(l, &p.hop[0], key.arg[0]);
	else
		*value = follow_path(l, &p);
	vn_add(l, &key, false, *value);
	return true;
}
