/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The checker's side that builtin rows see. Checking runs over all instances until no variable's and
 * no map's type changes (those passes are muted), then once more to report.
 */
#ifndef SONDE_LANG_CHECK_H
#define SONDE_LANG_CHECK_H

#include "lang/lang.h"

struct check_state; /* the checker's own: lang/check_internal.h */

struct check {
	struct lang *lang;
	struct arena *arena;
	struct diags *diags;
	struct env *env;
	struct instance *inst;
	bool final;   /* the reporting pass */
	bool changed; /* some type grew in this pass: run again */
	u32 loop_depth;
	bool in_callback; /* body of a for over a map: no context */
	struct check_state *s;
};

/*
 * An N_MAP without keys that was given to a builtin as a map, not as a value, has aux MAP_BY_NAME; its
 * type is ty_map, or the type of the value where the signature also takes values and the map is keyless.
 * An N_PARAM ($1) keeps its text in name ("" when not given) and its number in aux; value or str is
 * the constant. After the whole check all constants are N_INT, N_BOOL or N_STR.
 */
enum { MAP_BY_NAME = 1 };
extern const struct type ty_map;

/* Reports at span and returns &ty_error. Arguments as the row's format. */
const struct type *diag_type(struct check *c, struct span span, enum diag_id id, ...);
/* The same, keeping the diag for help and notes. */
struct diag *check_report(struct check *c, struct span span, enum diag_id id, ...);

/* Types of an expression node (sets n->type). */
const struct type *check_expr(struct check *c, struct node *n);

/* Arguments of a checked call. */
struct node *call_arg(const struct node *call, u32 i); /* NULL when absent */
u32 call_n_args(const struct node *call);
struct node *call_keyword(const struct node *call, const char *name); /* value node or NULL */
/* Literal value of argument i, or dflt. */
s64 call_int(const struct node *call, u32 i, s64 dflt);
const char *call_str(const struct node *call, u32 i);
/* Widens a map's or variable's type to also hold t; reports a clash at span. */
void check_unify_map_value(struct check *c, struct map *m, const struct type *t, struct span span);
/* The same for the key of a keyed map: delete(@m, key), has_key(@m, key). */
void check_unify_map_key(struct check *c, struct map *m, const struct type *t, struct span span);
void check_unify_var(struct check *c, struct var *v, const struct type *t, struct span span);
/* The type a value has once copied out of a map: count, sum, min, max and avg become integers. */
const struct type *check_value_type(const struct type *t);
/* A type by its name in the language ("uint64", "string[16]", "struct foo *"); NULL: unknown. */
const struct type *check_named_type(struct check *c, const char *text);
/* Default address space of untyped integers here: from the profile. */
enum space check_default_space(const struct check *c);
/* Passes go on and on: what grows a type a little in each of them must give it all at once. */
bool check_is_slow(const struct check *c);
/* A string that is known: a literal, or what folds to one (true ? "a" : "b", $1). It is a literal when it is lowered,
 * whatever kind of node check sees. */
static inline bool node_is_const_str(const struct node *n)
{
	return n->is_const && n->type->kind == TY_STRING;
}
/* A positional parameter: "123" is an integer to most, but a string where only strings will do. */
const struct type *check_param_text(struct check *c, struct node *n);
/* The call's value is known in this pass; types that grow may give another one in the next. */
const struct type *node_fold_int(struct node *call, s64 value, const struct type *t);
const struct type *node_fold_str(struct node *call, const char *s, u32 len, const struct type *t);
/* Turns the node into a constant of its kind for good (folding at check time). */
void node_make_int(struct node *n, s64 value, const struct type *t);
void node_make_str(struct node *n, const char *s, u32 len, const struct type *t);

#endif
