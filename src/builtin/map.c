/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Map functions: lookup, deletion, length, and how a map is printed.
 *
 * normalize(), denormalize() and trunc() run in user space, in order with the output.
 */
#include "builtin/text.h"
#include "type/agg.h"

/* The N_MAP node with its key, from either form: (@m, key) or (@m[key]). */
static struct node *keyed_node(struct lower *l, struct node *call)
{
	struct node *map = call_arg(call, 0), *key = call_arg(call, 1), *n;

	if (!key)
		return map;
	n = arena_dup(l->arena, map, sizeof *n);
	n->a = arena_dup(l->arena, key, sizeof *key);
	n->a->next = NULL;
	return n;
}

static const struct type *key_wanted(struct check *c, struct node *call, struct node *map)
{
	struct diag *d = check_report(c, map->span, D_KEY_WANTED, call->name);

	diag_help(c->diags, d, "give the key: %s(%s, KEY)", call->name, map->map->name);
	if (call->discards_value)
		diag_help(c->diags, d, "clear(%s) removes them all", map->map->name);
	return &ty_error;
}

static const struct type *check_keyed(struct check *c, struct node *call, const struct type *result)
{
	struct node *map = call_arg(call, 0), *key = call_arg(call, 1);

	if (map->kind != N_MAP || !map->map)
		return map->type->kind == TY_ERROR ?
			       &ty_error :
			       diag_type(c, map->span, D_NOT_A_MAP, call->name);
	if (key && map->a)
		return diag_type(c, map->span, D_ARG_MAP, call->name, ", not a value in it");
	if (key && map->map->is_keyed)
		check_unify_map_key(c, map->map, key->type, key->span);
	else if (key && map->map->keyed_known)
		return diag_type(c, key->span, D_NO_KEY_WANTED, call->name, "two");
	else if (!map->a && map->map->keyed_known && map->map->is_keyed)
		return key_wanted(c, call, map);
	return result;
}

static const struct type *check_delete(struct check *c, struct node *call)
{
	return check_keyed(c, call, &ty_bool);
}

static struct ir_val lower_delete(struct lower *l, struct node *call)
{
	struct node *n = keyed_node(l, call);
	struct opnd ret = lower_map_delete(l, n);

	if (call->discards_value && n->map->is_keyed && l->env->request->compile.extra_warnings)
		lower_loss_unless_zero(l, ret, LOSS_MISSING_KEY, n->map->name);
	return val_scalar(&ty_bool,
			  call->discards_value ? o_imm(1) : ir_set(l, CC_EQ, ret, o_imm(0)));
}

static struct ir_val lower_has_key(struct lower *l, struct node *call)
{
	return val_scalar(&ty_bool, lower_map_has(l, keyed_node(l, call)));
}

/* ---- find(@m, key, $v): has_key() and lookup combined */

static const struct type *check_find(struct check *c, struct node *call)
{
	struct node *map = call_arg(call, 0), *v = call_arg(call, 2);
	const struct type *t = check_keyed(c, call, &ty_bool);

	if (t->kind == TY_ERROR)
		return t;
	if (map->map->keyed_known && !map->map->is_keyed)
		return diag_type(c, call_arg(call, 1)->span, D_NO_KEY_WANTED, call->name, "three");
	if (v->kind != N_VAR)
		return diag_type(c, v->span, D_ARG_VAR, call->name);
	t = check_value_type(map->map->value);
	if (t->kind == TY_UNKNOWN)
		return c->final ? &ty_bool : t;
	if (type_is_agg(t))
		return diag_type(c, map->span, D_AGG_USE, map->map->name);
	check_unify_var(c, v->var, t, v->span);
	v->type = v->var->type;
	return &ty_bool;
}

static struct ir_val lower_find(struct lower *l, struct node *call)
{
	struct node *map = arena_dup(l->arena, keyed_node(l, call), sizeof *map),
		    *v = call_arg(call, 2);
	struct node target = *v,
		    assign = { .kind = N_ASSIGN, .span = call->span, .a = &target, .b = map };
	struct node let = { .kind = N_LET, .span = call->span, .a = &target };
	struct ir_block *there = ir_block_new(l), *out = ir_block_new(l);
	struct opnd has;
	u32 mark;

	map->type = map->map->value;
	map->next = target.next = NULL;
	if (!v->var->ir) /* first use: defined on both paths */
		lower_stmts(l, &let);
	has = lower_map_has(l, map);
	ir_branch(l, CC_NE, has, o_imm(0), there, out);
	ir_place(l, there);
	mark = lower_values_mark(l);
	lower_stmts(l, &assign);
	lower_values_drop(l, mark);
	ir_jump(l, out);
	ir_place(l, out);
	return val_scalar(&ty_bool, has);
}

/* ---- len() */

enum { STACK_FROM_AT = 8, STACK_FRAMES_AT = 12 /* struct stack_value */ };

static const struct type *check_len(struct check *c, struct node *call)
{
	c->env->counts_frames |= call_n_args(call) && type_is_stack(call_arg(call, 0)->type);
	const struct node *n = call_arg(call, 0);
	struct diag *d;

	if (type_is_stack(n->type))
		return &ty_s64;
	if (n->kind != N_MAP || n->a)
		return diag_type(c, n->span, D_NOT_A_MAP, call->name);
	if (!n->map->is_keyed)
		return diag_type(c, call->span, D_LEN_SCALAR);
	if (feature_has(c->env->features, FEAT_FOR_EACH_MAP))
		return &ty_s64;
	d = check_report(c, call->span, D_MISSING_FEATURE, "len() of a map",
			 feature_rows[FEAT_FOR_EACH_MAP].text);
	diag_help(c->diags, d, "it exists since Linux %s", feature_rows[FEAT_FOR_EACH_MAP].since);
	return &ty_error;
}

/* An empty callback: bpf_for_each_map_elem() returns the number of elements. */
static u32 empty_callback(struct lower *l)
{
	struct ir_func *f = arena_new(l->arena, struct ir_func);
	struct ir_block *b = arena_new(l->arena, struct ir_block);

	f->name = "count";
	f->n_params = 4;
	f->callback = true;
	for (u32 i = 0; i <= f->n_params; i++)
		vec_push(l->arena, &f->temps, (struct ir_temp){ .kind = TK_PTR });
	vec_push(l->arena, &b->insns,
		 (struct ir_insn){ .op = IR_RETURN, .arg = { o_imm(0) }, .span = l->span });
	vec_push(l->arena, &f->blocks, b);
	vec_push(l->arena, &l->unit->funcs, f);
	return l->unit->funcs.n - 1;
}

/* The captured frames without the tracer frames, at most the type's limit. */
static struct opnd stack_length(struct lower *l, struct node *n)
{
	struct opnd at = lower_memory(l, n).o,
		    frames = ir_load(l, opnd_plus(at, STACK_FRAMES_AT), 4, false), from;

	if (n->type->kind != TY_USTACK) {
		from = ir_load(l, opnd_plus(at, STACK_FROM_AT), 4, false);
		frames = ir_op2(l, IR_SUB, frames, ir_op2(l, IR_SHR, from, o_imm(STACK_CUT_SHIFT)));
	}
	if (n->type->kind == TY_FULLSTACK)
		frames = ir_op2(l, IR_ADD, frames,
				ir_load(l,
					opnd_plus(at, sizeof(struct stack_value) + STACK_FRAMES_AT),
					4, false));
	return ir_at_most(l, frames, n->type->stack.limit);
}

static struct ir_val lower_len(struct lower *l, struct node *call)
{
	struct node *n = call_arg(call, 0);
	struct opnd r;

	if (type_is_stack(n->type))
		return val_scalar(&ty_s64, stack_length(l, n));
	if (!n->map->is_keyed)
		return val_scalar(&ty_s64, lower_map_has(l, n));
	r = ir_call(l, BPF_FUNC_for_each_map_elem, false, 4, o_map(lower_map(l, n->map)),
		    o_func(empty_callback(l)), o_imm(0), o_imm(0));
	return val_scalar(&ty_s64, r);
}

/* ---- normalize, denormalize, trunc */

static struct ir_val lower_map_action(struct lower *l, struct node *call)
{
	struct event_desc *e = event_new(l, call->builtin, call);
	struct event_build eb;

	e->map = lower_map(l, call_arg(call, 0)->map);
	e->arg[0] = call_int(call, 1, 0);
	eb = event_begin(l, e);
	event_end(l, &eb);
	return val_scalar(&ty_void, o_imm(0));
}

static const struct type *check_normalize(struct check *c, struct node *call)
{
	s64 n = call_int(call, 1, 0);

	if (n < 1 || n > UINT32_MAX)
		return diag_type(c, call_arg(call, 1)->span, D_NORMALIZE, (long long)n);
	return &ty_void;
}

static int act_normalize(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	a->prog->maps.v[e->map].normal = (u32)e->arg[0];
	return 0;
}

static int act_trunc(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	struct table t = { .map = &a->prog->maps.v[e->map], .order = TABLE_BY_VALUE };
	int ret;

	if (!e->arg[0] || !t.map->key) {
		a->prog->maps.v[e->map].zeroed = false;
		return a->map_clear(a->ctx, e->map);
	}
	ret = a->map_read(a->ctx, e->map, &t);
	table_sort(&t, a->names);
	for (u32 i = 0; i + (u64)e->arg[0] < t.rows.n && !ret; i++)
		ret = a->map_delete(a->ctx, e->map, t.rows.v[i].key);
	return ret;
}

static const struct action action_normalize = { .name = "normalize", .act = act_normalize };
static const struct action action_trunc = { .name = "trunc", .act = act_trunc };

static const struct builtin rows[] = {
	{
		.name = "delete",
		.sig = "delete(map: any|map, key: any = 0) -> bool",
		.brief = "delete a key",
		.doc = "delete(@m, key), or delete(@m) for a map without keys. Returns true if "
		       "the key was there. With -k a missing key is reported if the result is not used.",
		.example = "begin { @x[1] = 2; @x[3] = 4; print(delete(@x, 1)); }",
		.output = "true\n"
			  "\n"
			  "@x[3]: 4",
		.flags = BI_NO_DISCARD_WARNING,
		.engines = ON_ALL,
		.check = check_delete,
		.lower = lower_delete,
	},
	{
		.name = "has_key",
		.sig = "has_key(map: map, key: any = 0) -> bool",
		.brief = "whether a map has a key",
		.doc = "True if the map has the key. Unlike a comparison with 0, it distinguishes "
		       "a zero from a missing key.",
		.example = "begin { @x[1] = 0; print(has_key(@x, 1)); print(has_key(@x, 2)); }",
		.output = "true\n"
			  "false\n"
			  "\n"
			  "@x[1]: 0",
		.engines = ON_ALL,
		.check = check_delete,
		.lower = lower_has_key,
	},
	{
		.name = "find",
		.sig = "find(map: map, key: any, value: var) -> bool",
		.brief = "look up a key and store its value",
		.doc = "True if the map has the key; its value is then stored in the variable. "
		       "Otherwise the variable does not change.",
		.example = "begin { @x[1] = 7; if (find(@x, 1, $v)) { print($v); } }",
		.output = "7\n"
			  "\n"
			  "@x[1]: 7",
		.engines = ON_ALL,
		.check = check_find,
		.lower = lower_find,
	},
	{
		.name = "len",
		.sig = "len(what: map|stack) -> int64",
		.brief = "number of keys or frames",
		.doc = "Number of keys in a map, or of frames in a stack.",
		.example = "begin { @x[1] = 1; @x[2] = 1; print(len(@x)); }",
		.output = "2\n"
			  "\n"
			  "@x[1]: 1\n"
			  "@x[2]: 1",
		.engines = ON_ALL,
		.check = check_len,
		.lower = lower_len,
	},
	{
		.name = "normalize",
		.sig = "normalize(map: map, divisor: lit int)",
		.brief = "divide a map's values when printing",
		.doc = "From now on, the map's values are printed divided by that number; the map "
		       "itself does not change.",
		.example = "begin { @x[1] = sum(5000); normalize(@x, 1000); }",
		.output = "@x[1]: 5",
		.flags = BI_STATEMENT,
		.engines = ON_ALL,
		.check = check_normalize,
		.lower = lower_map_action,
		.action = &action_normalize,
	},
	{
		.name = "denormalize",
		.sig = "denormalize(map: map)",
		.brief = "undo normalize()",
		.doc = "The map's values are printed undivided again.",
		.example = "begin { @x[1] = sum(5000); normalize(@x, 1000); denormalize(@x); }",
		.output = "@x[1]: 5000",
		.flags = BI_STATEMENT,
		.engines = ON_ALL,
		.lower = lower_map_action,
		.action = &action_normalize,
	},
	{
		.name = "trunc",
		.sig = "trunc(map: map, n: lit int = 0)",
		.brief = "keep the largest values of a map",
		.doc = "Deletes all keys except those of the n largest values; without n, all "
		       "keys.",
		.example = "begin { @x[1] = 10; @x[2] = 20; trunc(@x, 1); }",
		.output = "@x[2]: 20",
		.flags = BI_STATEMENT,
		.engines = ON_ALL,
		.lower = lower_map_action,
		.action = &action_trunc,
	},
};

const struct builtin_theme builtin_map = THEME("Maps", rows);
