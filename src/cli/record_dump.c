/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A copy is the file without its holes at the time of the request: FILE.1, FILE.2 and so on. */
#include <unistd.h>
#include "cli/record_dump.h"
#include "cli/record_session.h"
#include "store/compact.h"

static bool makes_copies(const struct record_options *o)
{
	return o->dump_on || o->overwrite || o->background;
}

int record_dump_check(const struct cli *c)
{
	const struct record_options *o = &c->own.record;

	if (!o->dump_on && o->dump_after_ns && !o->overwrite)
		return say_usage(c, "--after belongs to --dump-on or --overwrite");
	if (o->dump_on && strpbrk(o->dump_on, "{}\n;"))
		return say_usage(
			c,
			"--dump-on takes a probe and a condition, as 'tracepoint:sched:sched_process_exit "
			"/comm == \"server\"/'");
	return 0;
}

void record_dump_clauses(const struct record_options *o, struct buf *script)
{
	if (makes_copies(o))
		buf_puts(script, "self:signal:SIGUSR2 { printf(\"SIGUSR2\"); }\n");
	if (o->dump_on)
		buf_printf(script, "%s { printf(\"--dump-on\"); }\n", o->dump_on);
}

/* The first name that does not exist. FILE.1 is an older file with --switch-output. */
static const char *name_of_copy(struct cli *c)
{
	const char *mark = c->own.record.switch_output ? "copy" : "";

	for (u32 i = 1;; i++) {
		const char *name = arena_printf(&c->line.arena, "%s.%s%u", c->output.file, mark, i);

		if (access(name, F_OK) < 0)
			return name;
	}
}

static void dump(void *ctx, const char *why)
{
	struct cli *c = ctx;
	struct err err = { 0 };
	const char *to = name_of_copy(c);

	if (store_compact(c->output.file, to, &err) == 0 && !c->output.quiet)
		say(c, "copied to %s (%s)", to, why);
	say_err(c, &err);
	record_session_copied(c->own.record.background, err.code ? "" : to);
	err_release(&err);
}

void record_dump_plan(struct cli *c, struct recording_plan *plan)
{
	if (!makes_copies(&c->own.record))
		return;
	plan->dump = dump;
	plan->dump_ctx = c;
	plan->dump_after_ns = c->own.record.dump_after_ns;
}
