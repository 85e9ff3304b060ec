/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of the type checker: only check*.c, macro.c, inline.c, fold.c and map_uses.c include
 * this.
 */
#ifndef SONDE_LANG_CHECK_INTERNAL_H
#define SONDE_LANG_CHECK_INTERNAL_H

#include "lang/check.h"
#include "lang/sig.h"

/* One expansion of a macro, function or constant: diagnostics inside it also show the call. */
struct expansion {
	const char *name;
	struct span call;
	const struct macro *macro; /* this, or */
	const struct function *fn; /* this, or a #define */
	const struct expansion *up;
};

/* In aux of a generated N_CAST: it may be redundant; the type of a result was checked before. */
enum { CAST_ARG = 1, CAST_RESULT = 2 };

/* In aux of a generated N_LET. */
enum { LET_OLD_SCOPE = 1, LET_NOTED = 2 };
/* In aux of an N_IF: its condition is constant because of a parameter. */
enum { IF_BY_OPTION = 1 };

enum {
	MAX_NESTING = 2500,
	MAX_EXPANDED_HEIGHT = 1200,
	MAX_EXPANDED_NODES = 200000,
	LONG_PASSES = 8, /* types that still grow become as large as they can */
	MAX_PASSES = 40
};

struct check_state {
	u32 n_passes;
	struct hash visible;     /* name -> struct var in scope, or &no_var */
	VEC(struct var *) scope; /* the visible ones, innermost last */
	struct hash macros;      /* name -> struct macro_set */
	struct hash functions;   /* name -> struct function */
	struct hash sigs;        /* text -> struct sig */
	const struct builtin *exit_row;
	const struct expansion *expansion;
	struct function *fn;       /* being checked, or NULL: a probe */
	struct instance *fns;      /* one for each fn: holds its variables */
	const char *terminated_by; /* the statement after which nothing runs, or NULL */
	u32 depth, for_depth, n_names, n_expanded;
	/* calls of BI_OPTION rows and parameters so far: a branch on them is disabled, not dead */
	u32 n_options;
	u32 n_bare; /* enclosing blocks that belong to no if, loop or probe */
	/* the call that is assigned directly to a map, or is the last value of such a block */
	const struct node *agg_call;
	bool wants_string; /* checking an argument that may be a string */
	bool wants_key;    /* checking the variable of a loop of which only .0 is read */
	bool wants_type;   /* checking a node that may be a type */
};

/* ---- check.c */
struct node *node_copy_over(struct node *n, const struct node *from); /* keeps n->next */
void check_scope_begin(struct check *c, u32 *mark);
void check_scope_end(struct check *c, u32 mark);
struct var *check_find_var(struct check *c, const char *name);
struct var *check_new_var(struct check *c, const char *name, struct span span);
void check_show_var(struct check *c, struct var *v);
const char *var_text(struct check *c, const char *name); /* "$x", without the mark of a macro */
const struct type *check_undefined_var(struct check *c, struct node *n);
/* The variable of an inner block that ended before n, by the scoping of older scripts, or NULL. */
struct var *check_old_scope(struct check *c, const struct node *n);

/* Whether nothing runs after it: return, exit(), or an if whose branches all end so. */
bool check_leaves(const struct check *c, const struct node *n);

/* ---- check_type.c */
bool type_is_flexible(const struct type *t); /* of a positive literal: fits either sign */
const struct type *type_literal(s64 value);
const struct type *type_rigid(const struct type *t); /* the ordinary type of the same layout */
const struct type *
type_as_number(const struct type *t); /* uint64 for a pointer that is_word, else t */
/* The smallest type that holds both, or NULL. *mixed: 64-bit values of both signs met. */
const struct type *type_join(struct check *c, const struct type *a, const struct type *b,
			     bool *mixed);
/* &ty_error after a report */
const struct type *check_resolve_type(struct check *c, struct type_ref *t);
/* NULL without a report if the name is unknown. */
/* Of an expression in sizeof() and the like. */
const struct type *check_type_of(struct check *c, struct node *n);
const struct type *check_try_type(struct check *c, struct type_ref *t);
bool type_is_storable(const struct type *t); /* can be stored in a variable, key or tuple */
/* has an error or is not known yet: not reported */
static inline bool type_is_moot(const struct type *t)
{
	return t->kind == TY_ERROR || t->kind == TY_UNKNOWN;
}
static inline const struct type *moot(const struct type *a, const struct type *b)
{
	return a->kind == TY_ERROR || b->kind == TY_ERROR ? &ty_error : &ty_unknown;
}
const char *type_text(struct check *c, const struct type *t);
bool type_is_condition(const struct type *t);
bool int_fits(s64 value, const struct type *from, const struct type *t);

/* ---- check_expr.c */
/* As check_expr, for a value that is used: readable aggregations become integers in the result (not
 * in n->type); void is an error. */
const struct type *check_value(struct check *c, struct node *n);
/* The same for a value that is already checked: t is what check_expr returned. */
const struct type *check_used(struct check *c, struct node *n, const struct type *t);
/* Whether the branch that a constant condition excludes need not make sense here: on this kernel,
 * for these parameters. */
bool check_is_for_one(const struct node *condition);
const struct type *check_as_condition(struct node *n, const struct type *t);
const struct type *check_condition(struct check *c, struct node *n);
const struct type *check_var(struct check *c, struct node *n);
/* As check_ident, NULL without a report when the name is unknown. */
const struct type *check_try_ident(struct check *c, struct node *n);

/* ---- check_operator.c */
/* The type of `a op b`; sets n->promoted. */
const struct type *check_operator(struct check *c, struct node *n, const struct type *a,
				  const struct type *b);
const struct type *check_binary(struct check *c, struct node *n);
const struct type *check_unary(struct check *c, struct node *n);
const struct type *check_incdec(struct check *c, struct node *n);

/* ---- check_renamed.c: a member, also by its name in other kernels; NULL: none */
const char *check_whole_text(struct check *c, const struct type *t);
const struct field *check_struct_field(struct check *c, struct span span, const struct type *t,
				       const char *name, u32 *offset);

/* ---- check_access.c, check_cast.c */
const struct type *check_field(struct check *c, struct node *n);
/* check_awaited.c: makes n a value whose type is in a file that is not here yet; whether it is. */
const struct type *check_awaited(struct check *c, struct node *n);
bool check_is_awaited(const struct node *n);
const struct type *check_index(struct check *c, struct node *n);
const struct type *check_deref(struct check *c, struct node *n, const struct type *t);
const struct type *check_cast(struct check *c, struct node *n);
const struct type *check_sizeof(struct check *c, struct node *n);
const struct type *check_offsetof(struct check *c, struct node *n);
const struct type *check_typeinfo(struct check *c, struct node *n);

/* ---- check_call.c */
const struct type *check_call(struct check *c, struct node *n);

/* ---- check_map.c */
/* binds, checks keys; NULL after a report */
struct map *check_map(struct check *c, struct node *n);
const struct type *check_map_read(struct check *c, struct node *n);
const struct type *check_map_key(struct check *c, struct node *n);
const struct type *check_map_by_name(struct check *c, struct node *n, const struct sig_arg *arg);
void check_maps_default(struct check *c);
void check_maps_finish(struct check *c);
/* ---- map_uses.c */
void check_map_uses(struct instance **instances, u32 n);

/* ---- check_stmt.c */
void check_statements(struct check *c, struct node *list);
void check_block(struct check *c, struct node *block);
void check_settle(struct check *c, struct node *n);

/* ---- macro.c */
void macro_index(struct check *c);
/* Replaces a call of a macro by its body. 0: not a macro, 1: replaced, -1: reported. */
int macro_expand(struct check *c, struct node *n);
int macro_constant(struct check *c, struct node *n);
/* -1, after a report: the name is a #define that is no value. 0: it is none. */
int macro_misfit(struct check *c, const struct node *n);
/* Gives the variables of a list unique names. */
void macro_rename(struct check *c, struct node *list, u32 mark);
/* false, after a report, when the expansions of this program become too many or too deep. */
bool macro_spend(struct check *c, const struct node *n, struct span span);
bool macro_exists(struct check *c, const char *name);
void macro_near(struct check *c, struct near *near);

/* ---- inline.c: replaces a call of a fn by a block; false after a report */
bool inline_call(struct check *c, struct node *n, struct function *f);

/* ---- fold.c: set is_const and value of n when its operands are constants */
bool fold_binary(struct check *c, struct node *n);
/*
 * Folds operators on strings and on tuples of constants, which are defined for constants only; sets
 * the type.
 */
bool fold_constants(struct check *c, struct node *n);
/* n shifts by `by`: warns if that is constant and out of range. */
void fold_warn_shift(struct check *c, const struct node *n, const struct node *by);
bool fold_unary(struct check *c, struct node *n);
__int128 fold_value(const struct node *n);
void fold_set_bool(struct node *n, bool value);
/* Wraps the name of a probe in a cast to a string. */
const struct type *check_name_as_text(struct check *c, struct node *n);
void fold_set_int(struct node *n, s64 value);
/* A number, a string, or a tuple or record of them. */
bool fold_is_literal(const struct node *n);
/* The type of the pointer through which n is reached, or NULL: it is a copy. */
const struct type *check_pointer_before(const struct node *n);

static inline bool node_is_const_int(const struct node *n)
{
	return n->is_const && type_is_integer(n->type);
}

#endif
