/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Redirects the output of a run to memory, as text, for a while.
 */
#ifndef SONDE_SESSION_CAPTURE_H
#define SONDE_SESSION_CAPTURE_H

#include "session/run.h"

struct capture {
	struct sink sink; /* first: the only part that outputs see */
	u32 n_errors;     /* errorf() */
	struct output output;
	struct sink *before;
};

void capture_begin(struct capture *c, struct run *r);
/* Appends what was shown since the last call to out. */
void capture_take(struct capture *c, struct buf *out);
/* Back to the run's own sink; what was not taken is forgotten. */
void capture_end(struct capture *c, struct run *r);

#endif
