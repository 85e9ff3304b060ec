/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ending the run, running commands, showing files: what changes or leaves the run. */
#include <errno.h>
#include <fcntl.h>
#include "base/fd.h"
#include "builtin/builtin.h"

static struct ir_val lower_exit(struct lower *l, struct node *call)
{
	struct event_desc *e = event_new(l, call->builtin, call);
	struct opnd code = call_arg(call, 0) ? lower_scalar(l, call_arg(call, 0)) : o_imm(0);
	u32 field = event_field(l, e, &ty_u64);
	struct event_build eb = event_begin(l, e);

	ir_store(l, event_at(&eb, field), 8, code);
	event_end_now(l, &eb);
	lower_return(l, o_imm(0));
	return val_scalar(&ty_void, o_imm(0));
}

static int act_exit(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	u64 code;

	(void)len;
	memcpy(&code, (const u8 *)record + e->fields[0].offset, sizeof code);
	a->exit(a->ctx, (int)(code & 0xff));
	return 0;
}

static const struct type *check_command(struct check *c, struct node *call)
{
	return check_format(c, call, 0);
}

static int act_system(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	struct buf command = { 0 };

	(void)len;
	format_record(a, e, record, &command);
	a->system(a->ctx, command.s ? command.s : "");
	buf_release(&command);
	return 0;
}

static int act_cat(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	struct buf path = { 0 }, content = { 0 };
	u32 left = a->max_cat_bytes;
	ssize_t got;

	(void)len;
	format_record(a, e, record, &path);
	_fd int fd = open(path.s ? path.s : "", O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		int rc = -errno;

		buf_printf(&content, "cannot open \"%s\": %s", path.s ? path.s : "", strerror(-rc));
		a->sink->output->message(a->sink, "warnf", e->span, content.s);
	} else {
		while (left) {
			buf_reserve(&content, MIN(left, 65536u));
			got = read(fd, content.s + content.len, MIN(left, 65536u));
			if (got <= 0)
				break;
			content.len += (size_t)got;
			left -= (u32)got;
		}
		a->sink->output->text(a->sink, "cat", content.s ? content.s : "", content.len);
	}
	buf_release(&path);
	buf_release(&content);
	return 0;
}

static const struct action action_exit = { "exit", act_exit };
static const struct action action_system = { "system", act_system };
static const struct action action_cat = { "cat", act_cat };

static const struct builtin rows[] = {
	{
		.name = "exit", .sig = "exit(status: int = 0)", .brief = "end the run",
		.doc = "Ends the probe at once and the run as soon as everything printed before is out. end probes run and "
		       "maps are printed. The status becomes the tool's.",
		.example = "begin { exit(); }",
		.flags = BI_STATEMENT, .engines = ON_ALL, .lower = lower_exit, .action = &action_exit,
	},
	{
		.name = "system", .sig = "system(format: lit string, ...)", .brief = "run a shell command",
		.doc = "Formats a command line and runs it with sh -c. Its output appears in order. Needs --unsafe.",
		.example = "begin { system(\"echo %d\", 1); }",
		.flags = BI_STATEMENT | BI_UNSAFE, .engines = ON_ALL, .check = check_command, .lower = lower_format,
		.action = &action_system,
	},
	{
		.name = "cat", .sig = "cat(format: lit string, ...)", .brief = "print a file",
		.doc = "Prints the file of the formatted name, at most max_cat_bytes of it.",
		.example = "begin { cat(\"/proc/loadavg\"); }",
		.flags = BI_STATEMENT, .engines = ON_ALL, .check = check_command, .lower = lower_format,
		.action = &action_cat,
	},
};

const struct builtin_theme builtin_control = THEME("Control", rows);
