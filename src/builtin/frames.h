/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many frames on top of a kernel stack are there because it is looked at. */
#ifndef SONDE_BUILTIN_FRAMES_H
#define SONDE_BUILTIN_FRAMES_H

#include "builtin/builtin.h"

/* frames: what bpf_get_stack wrote, at least STACK_SPARE_FRAMES of them. As trace/stack.c counts by names. */
struct opnd frames_of_machinery(struct lower *l, struct opnd frames);

#endif
