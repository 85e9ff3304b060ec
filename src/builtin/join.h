/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join(), which prints the strings of an array of pointers, and joined(), which returns them as one
 * string. */
#ifndef SONDE_BUILTIN_JOIN_H
#define SONDE_BUILTIN_JOIN_H

#include "builtin/builtin.h"

const struct type *check_join(struct check *c, struct node *call);
struct ir_val lower_join(struct lower *l, struct node *call);
extern const struct action action_join;

const struct type *check_joined(struct check *c, struct node *call);
struct ir_val lower_joined(struct lower *l, struct node *call);

#endif
