/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One key for one stack: a hit that is unwound afterwards has made a key with its id in the maps of
 * the script. When its frames are known, the value moves to the key that programs use for these
 * frames.
 */
#ifndef SONDE_SESSION_STACK_KEYS_H
#define SONDE_SESSION_STACK_KEYS_H

#include "session/raw_stacks.h"

struct run;

enum { STACK_KEYS_MS = 100 }; /* between two turns that do something */

struct stack_keys {
	u64 next; /* CLOCK_MONOTONIC: not before */
};

/* Looks through the maps if there may be such keys and it is time to. */
void stack_keys_turn(struct run *r, struct stack_keys *k, struct raw_stacks *raw);
/* Looks through them now. before: time of the hits (CLOCK_MONOTONIC) whose programs have ended. */
void stack_keys_merge(struct run *r, struct raw_stacks *raw, u64 before);

#endif
