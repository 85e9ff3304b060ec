/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The type checker's interface for builtin rows. Checking runs over all instances, with diagnostics
 * muted, until no type of a variable or map changes, then once more to report.
 */
#ifndef SONDE_LANG_CHECK_H
#define SONDE_LANG_CHECK_H

#include "lang/lang.h"

struct check_state; /* private: lang/check_internal.h */

struct check {
	struct lang *lang;
	struct arena *arena;
	struct diags *diags;
	struct env *env;
	struct instance *inst;
	bool final;   /* the reporting pass */
	bool changed; /* some type grew in this pass: another one is needed */
	u32 loop_depth;
	u32 outer_loops;  /* around the macro that is expanded */
	bool in_callback; /* body of a for over a map: no context */
	struct check_state *s;
};

/*
 * An N_MAP without keys that is passed to a builtin as a map, not as a value, has aux MAP_BY_NAME;
 * its type is ty_map, or the type of the value if the signature also takes values and the map is
 * keyless. An N_PARAM ($1) keeps its text in name ("" if not given) and its number in aux; value or
 * str is the constant. After the check all constants are N_INT, N_BOOL or N_STR.
 */
enum { MAP_BY_NAME = 1 };
extern const struct type ty_map;

/* Reports at span and returns &ty_error. The arguments are those of the diagnostic's format. */
const struct type *diag_type(struct check *c, struct span span, enum diag_id id, ...);
/* The same; returns the diagnostic, for help and notes. */
struct diag *check_report(struct check *c, struct span span, enum diag_id id, ...);

/* Checks an expression: returns its type and sets n->type. */
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
/* The type of a value copied out of a map: count, sum, min, max and avg become integers. */
const struct type *check_value_type(const struct type *t);
/* A type by its name in the language ("uint64", "string[16]", "struct foo *"); NULL: unknown. */
const struct type *check_named_type(struct check *c, const char *text);
/* The address space of untyped integers, from the profile. */
enum space check_default_space(const struct check *c);
/*
 * There were many passes: a type that grows a little in each must now grow to its maximum at once.
 */
bool check_is_slow(const struct check *c);
/*
 * A constant string: a literal, or what folds to one (true ? "a" : "b", $1). Lowering sees a
 * literal, whatever the kind of node here.
 */
static inline bool node_is_const_str(const struct node *n)
{
	return n->is_const && n->type->kind == TY_STRING;
}
/* A positional parameter in a context that accepts only a string: else "123" is an integer. */
const struct type *check_param_text(struct check *c, struct node *n);
/* A char array in traced memory, as opposed to a string of the script: its string type counts a NUL
 * that the array does not have. */
bool check_adds_nul(const struct node *n);
/* The call's value is constant in this pass; types that grow may change it in the next. */
const struct type *node_fold_int(struct node *call, s64 value, const struct type *t);
const struct type *node_fold_str(struct node *call, const char *s, u32 len, const struct type *t);
/* Replaces the node by a constant permanently (folding at check time). */
void node_make_int(struct node *n, s64 value, const struct type *t);
void node_make_str(struct node *n, const char *s, u32 len, const struct type *t);

#endif
