/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compiler's access to the system: types, constants, kernel symbols.
 */
#ifndef SONDE_SESSION_SYSTEM_H
#define SONDE_SESSION_SYSTEM_H

#include "session/session.h"

void system_init(struct system_access *v, struct arena *arena);
void system_release(struct system_access *v);
/* NULL: the kernel has none, or it cannot be read. */
struct btf *system_btf(struct system_access *v);
struct kallsyms *system_kallsyms(struct system_access *v);
/* They are read again, once, at the next lookup. Names that were returned stay valid. */
void system_renew_kallsyms(struct system_access *v);
/* tracer_frames.c: without ranges if the kernel hides its symbols. In the arena. */
struct tracer_frames *tracer_frames_find(struct arena *a, struct kallsyms *symbols);
/* Fills in the queries of lang/env.h. */
void system_world(struct system_access *v, struct world *w);

#endif
