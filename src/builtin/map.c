/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions and changes to maps: keys removed, looked for. */
#include "builtin/builtin.h"

/* @m and a separate key, or @m[key], as one N_MAP node with its key. */
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

static const struct type *check_keyed(struct check *c, struct node *call, const struct type *result)
{
	struct node *map = call_arg(call, 0), *key = call_arg(call, 1);

	if (map->kind != N_MAP || !map->map)
		return map->type->kind == TY_ERROR ? &ty_error
						   : diag_type(c, map->span, D_NOT_A_MAP, call->name);
	if (key && map->map->is_keyed)
		check_unify_map_key(c, map->map, key->type, key->span);
	else if (key && map->map->keyed_known)
		return diag_type(c, key->span, D_NO_KEY_WANTED, map->map->name);
	else if (!map->a && map->map->keyed_known && map->map->is_keyed)
		return diag_type(c, map->span, D_KEY_WANTED, call->name, map->map->name);
	return result;
}

static const struct type *check_delete(struct check *c, struct node *call)
{
	return check_keyed(c, call, &ty_bool);
}

static struct ir_val lower_delete(struct lower *l, struct node *call)
{
	struct node *n = keyed_node(l, call);
	struct opnd rc = lower_map_delete(l, n);

	if (call->discards_value && n->map->is_keyed) {
		struct ir_block *missing = ir_block_new(l), *out = ir_block_new(l);

		ir_branch(l, CC_SLT, rc, o_imm(0), missing, out);
		ir_place(l, missing);
		lower_loss(l, LOSS_MISSING_KEY, n->map->name);
		ir_jump(l, out);
		ir_place(l, out);
	}
	return val_scalar(&ty_bool, call->discards_value ? o_imm(1) : ir_set(l, CC_EQ, rc, o_imm(0)));
}

static struct ir_val lower_has_key(struct lower *l, struct node *call)
{
	return val_scalar(&ty_bool, lower_map_has(l, keyed_node(l, call)));
}

static const struct builtin rows[] = {
	{
		.name = "delete", .sig = "delete(map: any|map, key: any = 0) -> bool", .brief = "remove a key",
		.doc = "delete(@m, key), or delete(@m) of a map without keys. True when the key was there; a missing key is "
		       "a warning where the result is not used.",
		.example = "begin { @x[1] = 2; delete(@x, 1); }",
		.flags = BI_NO_DISCARD_WARNING, .engines = ON_ALL, .check = check_delete, .lower = lower_delete,
	},
	{
		.name = "has_key", .sig = "has_key(map: map, key: any = 0) -> bool", .brief = "whether a key is there",
		.doc = "True when the map holds the key; unlike a comparison with 0 it tells a zero from nothing.",
		.example = "begin { @x[1] = 0; printf(\"%d\\n\", has_key(@x, 1)); }",
		.engines = ON_ALL, .check = check_delete, .lower = lower_has_key,
	},
};

const struct builtin_theme builtin_map = THEME("Maps", rows);
