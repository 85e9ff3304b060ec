/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uprobes on source lines and in inlined functions. */
#ifndef SONDE_PROVIDER_ULINE_H
#define SONDE_PROVIDER_ULINE_H

#include "provider/internal.h"

/* Whether the probe is on source lines: BIN@FILE:LINE[:COL], BIN:FUNC@FILE:LINE[:COL],
 * BIN:FUNC:*. */
bool uline_is_meant(const struct spec *spec);
int uline_resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx);
int uline_list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
	       void *ctx);

struct elf;
struct ufunc_match;
/* Adds the inlined copies of its function, which has no separate code; returns their number. */
int uline_add_inlined(struct ufunc_match *m);

/* If a function has several copies, probes those with all values and reports the others; if no copy
 * has all, the type checker reports the reason. */
void uline_drop_unreadable(struct provider_env *env, const struct spec *spec, struct targets *ts);

/* A note if a function that has separate code is also inlined elsewhere. */
void uline_tell_inlined(struct provider_env *env, const struct spec *spec, const char *path,
			const struct elf *elf, const char *func);

#endif
