/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the engine that serves each site.
 */
#ifndef SONDE_SESSION_CHOOSE_H
#define SONDE_SESSION_CHOOSE_H

#include <errno.h>
#include "engine/engine.h"
#include "session/session.h"

/* Those that a run may use, and the features that all of them offer. */
void choose_init(struct compiled *c);
/* The first of them: its features resolve probes, its rights are asked before the script is
 * read. */
const struct engine *choose_first(const struct request *q, const struct session_host *h);
/* Of choose_engines(): the engine that its engine names `instead` may serve the site. */
enum { CHOOSE_ANOTHER = -EPROTOTYPE };
/* Fills target_site.engine; after checking, before lowering. 0, or -errno: no engine serves a site,
 * and why. */
int choose_engines(struct compiled *c, struct err *err);
/* For -v, where there was a choice: which engine serves each probe, and why none of the others. */
void choose_tell(const struct compiled *c, struct buf *to);

#endif
