/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hash.h"
#include "cli/expr_name.h"
#include "cli/predicate.h"
#include "cli/view/job.h"
#include "cli/view/lane.h"
#include "export/export.h"
#include "export/timeline/timeline.h"

enum {
	MOST_SAMPLES = 100000, /* of a run */
	MOST_KEYS = 20,        /* of a map, the largest */
	FILE_STEPS = 2400,     /* of a lane in a file */
};

/* The length of a comment at s; 0: there is none. */
static size_t comment_length(const char *s)
{
	const char *end;

	if (s[0] != '/' || (s[1] != '/' && s[1] != '*'))
		return 0;
	if (s[1] == '/')
		return strcspn(s, "\n");
	end = strstr(s + 2, "*/");
	return end ? (size_t)(end - s) + 2 : strlen(s);
}

/* "@name", also "@" alone; NULL: no further one. */
static const char *next_map(const char *s, size_t *len)
{
	for (; *s; s += *len) {
		*len = *s == '"' ? expr_quoted_length(s) : comment_length(s);
		if (*s == '@') {
			*len = 1 + expr_name_length(s + 1);
			return s;
		}
		*len = MAX(*len, (size_t)1);
	}
	return NULL;
}

void lane_put_script(struct buf *b, const char *script, u64 from, u64 to, u64 step)
{
	u64 ns = MAX(MAX(step, 1ull), (to - MIN(from, to)) / MOST_SAMPLES);
	struct hash known = { 0 };
	char seen;
	size_t len;

	buf_printf(b, "%s\ninterval:us:%llu { print(nsecs - %llu);", script,
		   (unsigned long long)(ns + 999) / 1000, (unsigned long long)from);
	for (const char *s = script; (s = next_map(s, &len)) != NULL; s += len) {
		if (hash_get(&known, s, len))
			continue;
		hash_put(&known, s, len, &seen);
		buf_printf(b, " print(%.*s, %u);", (int)len, s, MOST_KEYS);
	}
	buf_puts(b, " }");
	hash_release(&known);
}

/* ---- of a file */

struct lane_run { /* of the child */
	struct recorded *r;
	struct buf script;
};

/* The options of the command are about its own output and processes. */
static int print_maps(struct job *j, void *ctx)
{
	struct lane_run *run = ctx;
	struct cli fresh = { .command = &command_export,
			     .line.program = run->r->c->line.program,
			     .request.diag.json = true };

	arena_init(&fresh.line.arena);
	run->r->c = &fresh;
	return predicate_run(run->r, &run->script, NULL, &output_json, NULL);
}

int lane_read(struct recorded *r, const char *script, struct export_lane *lane)
{
	struct lane_run run = { .r = r };
	u64 from = r->from, to = r->to;
	struct timeline t;
	struct job j = { 0 };
	int ret;

	lane->script = script;
	timeline_init(&t, r->store, from, to ? to : ~0ull, 0);
	r->from = t.from;
	r->to = t.to;
	timeline_release(&t);
	lane_put_script(&run.script, script, r->from, r->to, (r->to - r->from) / FILE_STEPS);
	ret = job_start(&j, 0, print_maps, &run) ? job_wait(&j) : STATUS_REFUSED;
	if (ret)
		job_error(&j, &lane->wrong);
	else
		buf_add(&lane->lines, j.said.s ? j.said.s : "", j.said.len);
	job_end(&j);
	buf_release(&run.script);
	r->from = from;
	r->to = to;
	return ret;
}
