/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracer frames: frames on top of a kernel stack that belong to the tracer, not to the event. */
#ifndef SONDE_BUILTIN_FRAMES_H
#define SONDE_BUILTIN_FRAMES_H

#include "builtin/builtin.h"

/* frames: the output of bpf_get_stack(), at least STACK_SPARE_FRAMES entries. Gives the same
 * count as trace/stack.c does by names. */
struct opnd count_tracer_frames(struct lower *l, struct opnd frames);

#endif
