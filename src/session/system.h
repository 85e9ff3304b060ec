/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system as the compiler asks about it: types, constants, kernel symbols. */
#ifndef SONDE_SESSION_VIEW_H
#define SONDE_SESSION_VIEW_H

#include "session/session.h"

void view_init(struct system_view *v, struct arena *arena);
void view_release(struct system_view *v);
/* NULL: the kernel has none, or it cannot be read. */
struct btf *view_btf(struct system_view *v);
struct kallsyms *view_kallsyms(struct system_view *v);
/* They are read again at the next question, once. Names that were given stay good. */
void view_renew_kallsyms(struct system_view *v);
/* tracer_frames.c: the answer of struct world. */
const struct machinery *view_machinery(void *view);
/* Fills the questions of lang/env.h. */
void view_world(struct system_view *v, struct world *w);

#endif
