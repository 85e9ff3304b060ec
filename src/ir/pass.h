/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Properties of operations, for passes, ir_verify() and the target; helpers that passes share. */
#ifndef SONDE_IR_PASS_H
#define SONDE_IR_PASS_H

#include "ir/ir.h"

u32 ir_n_args(const struct ir_insn *in);    /* used operands: in->arg[0..n) */
u32 ir_n_targets(const struct ir_insn *in); /* successors named by a terminator */
bool ir_has_size(u32 op);
bool ir_is_call(u32 op);
/* The value of a pure operation on constants; false when it has none. */
bool ir_eval(const struct ir_insn *in, u64 a, u64 b, u64 *r);
bool ir_eval_cond(enum ir_cond cc, u64 a, u64 b);
enum ir_cond ir_cond_swap(enum ir_cond cc);
/* "map_lookup_elem", from the kernel's own list. */
const char *ir_helper_name(u32 helper);

/* NULL, or the broken invariant (allocated in the unit's arena). */
const char *ir_check(const struct ir_unit *u);

/* The number of uses of each temporary (arena array, by id). */
u32 *ir_count_uses(const struct ir_unit *u, const struct ir_func *f);
/*
 * The instruction that defines each single-definition temporary; NULL for variables and parameters.
 */
struct ir_insn **ir_find_defs(const struct ir_unit *u, const struct ir_func *f);

#define P(name, brief) bool pass_##name(struct ir_unit *u);
#include "ir/index.h"
#undef P

#endif
