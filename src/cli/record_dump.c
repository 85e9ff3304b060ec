/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A copy is the file without its holes at the time of the request: FILE.1, FILE.2 and so on. */
#include <unistd.h>
#include "cli/record_dump.h"
#include "cli/record_session.h"
#include "store/compact.h"

static bool makes_copies(const struct cli *c)
{
	return c->dump_on || c->overwrite || c->background;
}

int record_dump_check(struct cli *c)
{
	if (!c->dump_on && c->dump_after_ns && !c->overwrite)
		return say_usage(c, "--after belongs to --dump-on or --overwrite");
	if (c->dump_on && strpbrk(c->dump_on, "{}\n;"))
		return say_usage(
			c,
			"--dump-on takes a probe and a condition, as 'tracepoint:sched:sched_process_exit "
			"/comm == \"server\"/'");
	return 0;
}

void record_dump_clauses(const struct cli *c, struct buf *script)
{
	if (makes_copies(c))
		buf_puts(script, "self:signal:SIGUSR2 { printf(\"SIGUSR2\"); }\n");
	if (c->dump_on)
		buf_printf(script, "%s { printf(\"--dump-on\"); }\n", c->dump_on);
}

/* The first name that does not exist. FILE.1 is an older file with --switch-output. */
static const char *name_of_copy(struct cli *c)
{
	const char *mark = c->switch_output ? "copy" : "";

	for (u32 i = 1;; i++) {
		const char *name = arena_printf(&c->words_arena, "%s.%s%u", c->output, mark, i);

		if (access(name, F_OK) < 0)
			return name;
	}
}

static void dump(void *ctx, const char *why)
{
	struct cli *c = ctx;
	struct err err = { 0 };
	const char *to = name_of_copy(c);

	if (store_compact(c->output, to, &err) == 0 && !c->quiet)
		say(c, "copied to %s (%s)", to, why);
	say_err(c, &err);
	record_session_copied(c, err.code ? "" : to);
	err_release(&err);
}

void record_dump_plan(struct cli *c, struct recording_plan *plan)
{
	if (!makes_copies(c))
		return;
	plan->dump = dump;
	plan->dump_ctx = c;
	plan->dump_after_ns = c->dump_after_ns;
}
