/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The responses of sonde view: the page, and parts of the recording. */
#ifndef SONDE_CLI_VIEW_ANSWERS_H
#define SONDE_CLI_VIEW_ANSWERS_H

#include "cli/recording.h"
#include "cli/view/asked.h"
#include "cli/view/http.h"
#include "export/timeline/timeline.h"

struct viewed {
	struct recorded *recorded;
	struct timeline timeline;
	struct asked asked;
};

/* Hooks of struct http_server; ctx is a struct viewed. */
void view_answer(void *ctx, const char *path, const char *query, struct http_answer *a);
bool view_work(void *ctx);
bool view_watch(void *ctx);

#endif
