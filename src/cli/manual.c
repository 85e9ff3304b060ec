/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics as documents: a manual page (man(7) macros) and markdown. What is not in a row, such as
 * the exit status, is here.
 */
#include "cli/option.h"
#include "cli/topic.h"
#include "ir/ir.h"

struct page {
	struct buf *b;
	const char *section; /* the one begun last */
	u32 level;           /* of a markdown heading */
};

/* ---- the manual page */

/*
 * A backslash starts an escape, a dot or quote at the start of a line a request, a bare - is a
 * hyphen.
 */
static void put_roff(struct buf *b, const char *s)
{
	bool starts_line = true;

	for (; *s; s++) {
		if (starts_line && (*s == '.' || *s == '\''))
			buf_puts(b, "\\&");
		starts_line = *s == '\n';
		if (*s == '\\')
			buf_puts(b, "\\e");
		else if (*s == '-')
			buf_puts(b, "\\-");
		else
			buf_putc(b, *s);
	}
}

static void put_roff_line(struct buf *b, const char *request, const char *text)
{
	buf_puts(b, request);
	put_roff(b, text);
	buf_putc(b, '\n');
}

static void put_heading(struct page *p, const char *request, const char *title)
{
	buf_printf(p->b, "%s \"", request);
	put_roff(p->b, title);
	buf_puts(p->b, "\"\n");
}

static void put_verbatim(struct buf *b, const char *before, const char *text)
{
	if (!text)
		return;
	buf_printf(b, "%s.nf\n", before);
	put_roff_line(b, "", text);
	buf_puts(b, ".fi\n");
}

static void man_topic(void *ctx, const struct topic *t)
{
	struct page *p = ctx;

	if (t->section && t->section != p->section)
		put_heading(p, ".SS", t->section);
	p->section = t->section;
	buf_puts(p->b, ".TP\n\\fB");
	put_roff(p->b, t->head);
	buf_puts(p->b, "\\fR\n");
	put_roff_line(p->b, "", t->brief);
	if (t->doc)
		put_roff_line(p->b, ".IP\n", t->doc);
	for (u32 i = 0; i < t->n_facts; i++)
		put_roff_line(p->b, i ? ".br\n" : ".IP\n", t->fact[i]);
	put_verbatim(p->b, ".IP\n", t->example);
	put_verbatim(p->b, ".IP\nprints\n.IP\n", t->output);
}

static void man_kind(struct page *p, struct arena *a, enum topic_kind kind, const char *title)
{
	put_heading(p, ".SH", title);
	p->section = NULL;
	topics_each(a, kind, man_topic, p);
}

static const struct {
	const char *name, *meaning;
} environment[] = {
	{ "BPFTRACE_COLOR", "auto, always or never: colors in messages." },
	{ "NO_COLOR", "When set, messages have no colors." },
	{ "SONDE_PATH", "Directories, separated by colons, of scripts that run finds by name: "
			"NAME in the file NAME.bt. They come before those of sonde itself." },
	{ "BPFTRACE_BTF", "A file of type information to be used instead of the kernel's." },
	{ "DEBUGINFOD_URLS", "Servers of debug information, for files that a script names and that have none on this system. "
			     "Fetched files stay in the client's cache; stacks are symbolized from the cache and fetch nothing." },
	{ "BPFTRACE_MAX_STRLEN, BPFTRACE_MAX_MAP_KEYS, ...",
	  "The variables of the config block in upper case, after BPFTRACE_ or SONDE_. They override "
	  "the block." },
}, statuses[] = {
	{ "0", "The script ended; also by Ctrl-C, by --duration, or because the process of -p, -c or -- "
	       "or the reader of the output ended. The status of that process does not change it." },
	{ "N", "The script called exit(N)." },
	{ "1", "The command line or the script is wrong." },
	{ "255", "The system refused: no privilege, something that the kernel lacks, or a probe that "
		 "cannot be attached." },
};

static const typeof(environment[0]) quiet_statuses[] = {
	{ "0", "Success." },
	{ "1", "The command line or a script is wrong, or a check that the command makes failed." },
	{ "255", "The system refused: no privilege, or something that the kernel lacks." },
};

static void put_pairs(struct page *p, const char *title, typeof(&environment[0]) rows, u32 n)
{
	put_heading(p, ".SH", title);
	for (u32 i = 0; i < n; i++) {
		put_roff_line(p->b, ".TP\n.B ", rows[i].name);
		put_roff_line(p->b, "", rows[i].meaning);
	}
}

static const char man_head[] =
	".TH SONDE 1 \"\" \"sonde " SONDE_VERSION "\" \"User Commands\"\n"
	".SH NAME\nsonde \\- dynamic tracer in bpftrace's language\n"
	".SH SYNOPSIS\n"
	".B sonde\n[\\fIOPTION\\fR]... \\fIFILE\\fR [\\fIPARAM\\fR]...\n.br\n"
	".B sonde\n[\\fIOPTION\\fR]... \\-e \\fIPROGRAM\\fR [\\fIPARAM\\fR]...\n.br\n"
	".B sonde\n\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIWORD\\fR]...\n"
	".SH DESCRIPTION\n"
	"A script attaches actions to events in the kernel or in programs:\n"
	"a \\fIprobe\\fR names the event, a block in braces contains the actions.\n"
	"sonde compiles the script to BPF, attaches it, and prints its results until the run ends.\n"
	"Results go to standard output, or to the file of \\-o; diagnostics, warnings and notes go to\n"
	"standard error. With \\-f json, messages of the run are part of the results.\n.PP\n"
	"Called by the name \\fBbpftrace\\fR, it has no commands and reports\n"
	"the version of bpftrace whose language it implements.\n";

static const char man_examples[] =
	"sonde run execsnoop\n"
	"sonde -e 'tracepoint:syscalls:sys_enter_openat { printf(\"%s %s\\n\", comm, str(args.filename)); }'\n"
	"sonde -e 'tracepoint:syscalls:sys_enter_* { @[probe] = count(); }'\n"
	"sonde --follow -c 'ls /' -e 'syscall:open* { printf(\"%s\\n\", argstr); }'";

static void man_see_also(struct buf *b)
{
	buf_puts(b, ".SH SEE ALSO\n");
	for (u32 i = 0; commands[i]; i++)
		buf_printf(b, ".BR sonde\\-%s (1),\n", commands[i]->name);
	buf_puts(b, ".BR sonde\\-language (7)\n");
}

void put_man_page(struct buf *b)
{
	struct page p = { .b = b };
	struct arena a;

	arena_init(&a);
	buf_puts(b, man_head);
	man_kind(&p, &a, TOPIC_COMMAND, "COMMANDS");
	man_kind(&p, &a, TOPIC_TOOL, "TOOLS");
	man_kind(&p, &a, TOPIC_OPTION, "OPTIONS");
	man_kind(&p, &a, TOPIC_PROBE, "PROBES");
	man_kind(&p, &a, TOPIC_BUILTIN, "FUNCTIONS AND VARIABLES");
	man_kind(&p, &a, TOPIC_OUTPUT, "OUTPUT FORMATS");
	man_kind(&p, &a, TOPIC_PASS, "PASSES OF THE COMPILER");
	man_kind(&p, &a, TOPIC_FEATURE, "KERNEL FEATURES");
	put_pairs(&p, "ENVIRONMENT", environment, ARRAY_SIZE(environment));
	put_pairs(&p, "EXIT STATUS", statuses, ARRAY_SIZE(statuses));
	man_kind(&p, &a, TOPIC_DIAG, "DIAGNOSTICS");
	put_verbatim(b, ".SH EXAMPLES\n", man_examples);
	man_see_also(b);
	arena_release(&a);
}

static const char other_options[] =
	".PP\nThe options that select another command, and those that are accepted for\n"
	"compatibility, are in\n.BR sonde (1).\n",
		  see_also[] = ".SH SEE ALSO\n.BR sonde (1),\n.BR sonde\\-language (7)\n";

struct command_page {
	struct page *p;
	const struct command *cmd;
	bool own; /* first the options that only this command takes */
};

static void man_command_option(void *ctx, const struct topic *t)
{
	struct command_page *w = ctx;
	struct topic shown = *t;

	if (!option_is_listed(t->option, w->cmd) || w->own != (t->option->group == GROUP_HIDDEN))
		return;
	shown.section = w->own ? NULL : t->section;
	if (t->option->key && !option_key(t->option, w->cmd))
		shown.head = strstr(t->head, "--");
	shown.n_facts = 0;
	man_topic(w->p, &shown);
}

/* Its own, then those that it shares, in their groups. */
static void man_command_options(struct command_page *w, struct arena *a)
{
	put_heading(w->p, ".SH", "OPTIONS");
	for (u32 shared = 0; shared < 2; shared++) {
		w->own = !shared;
		topics_each(a, TOPIC_OPTION, man_command_option, w);
	}
	buf_puts(w->p->b, other_options);
}

bool put_command_page(struct buf *b, const char *name)
{
	const struct command *cmd = command_find(name);
	struct page p = { .b = b };
	struct command_page page = { .p = &p, .cmd = cmd };
	struct arena a;

	if (!cmd)
		return false;
	arena_init(&a);
	buf_printf(b,
		   ".TH SONDE-%s 1 \"\" \"sonde " SONDE_VERSION
		   "\" \"User Commands\"\n.SH NAME\nsonde\\-%s \\- ",
		   cmd->name, cmd->name);
	put_roff_line(b, "", cmd->brief);
	buf_printf(b, ".SH SYNOPSIS\n.B sonde %s\n%s", cmd->name,
		   cmd->own_options ? "" : "[\\fIOPTION\\fR]... ");
	put_roff_line(b, "", cmd->args);
	put_roff_line(b, ".SH DESCRIPTION\n", cmd->doc);
	if (!cmd->own_options)
		man_command_options(&page, &a);
	put_verbatim(b, ".SH EXAMPLES\n", cmd->example);
	if (cmd->takes & SET_RUN)
		put_pairs(&p, "EXIT STATUS", statuses, ARRAY_SIZE(statuses));
	else
		put_pairs(&p, "EXIT STATUS", quiet_statuses, ARRAY_SIZE(quiet_statuses));
	buf_puts(b, see_also);
	arena_release(&a);
	return true;
}

/* ---- markdown */

/* Text outside code: what would be markup is escaped. */
static void put_md(struct buf *b, const char *s)
{
	for (; *s; s++) {
		if (strchr("*_<>`[]|\\", *s))
			buf_putc(b, '\\');
		buf_putc(b, *s);
	}
}

static void md_heading(struct page *p, u32 level, const char *around, const char *title)
{
	buf_pad(p->b, '#', p->level + level);
	buf_printf(p->b, " %s%s%s\n\n", around, title, around);
}

static void md_paragraph(struct buf *b, const char *text)
{
	put_md(b, text);
	buf_puts(b, "\n\n");
}

/*
 * With an output, in the fences of tests/doc/run, which runs the example and compares: a script and
 * what it prints, or a command and what it prints.
 */
static void md_example(struct buf *b, const struct topic *t)
{
	const char *varies = t->output_varies ? " varies" : "";

	if (!t->example)
		return;
	if (!t->output)
		buf_printf(b, "```%s\n%s\n```\n\n", t->example_is_command ? "sh" : "bpftrace",
			   t->example);
	else if (t->example_is_command)
		buf_printf(b, "```console%s\n$ %s\n%s\n```\n\n", varies, t->example, t->output);
	else
		buf_printf(b, "```sonde%s\n%s\n```\n\nprints\n\n```output\n%s\n```\n\n", varies,
			   t->example, t->output);
}

static void md_topic(void *ctx, const struct topic *t)
{
	struct page *p = ctx;

	if (t->section && t->section != p->section)
		md_heading(p, 1, "", t->section);
	p->section = t->section;
	md_heading(p, t->section ? 2 : 1, "`", t->head);
	md_paragraph(p->b, t->brief);
	if (t->doc)
		md_paragraph(p->b, t->doc);
	for (u32 i = 0; i < t->n_facts; i++) {
		buf_puts(p->b, "- ");
		put_md(p->b, t->fact[i]);
		buf_puts(p->b, i + 1 == t->n_facts ? "\n\n" : "\n");
	}
	md_example(p->b, t);
}

void put_markdown(struct buf *b, const enum topic_kind *kinds, u32 n, const char *title)
{
	struct page p = { .b = b, .level = n > 1 ? 2 : 1 };
	struct arena a;

	arena_init(&a);
	buf_printf(
		b,
		"# %s\n\n"
		"Generated by `sonde help` from the tables in the source; not edited by hand.\n\n",
		title);
	for (u32 i = 0; i < n; i++) {
		if (n > 1)
			md_heading(&p, 0, "", topic_kinds[kinds[i]].title);
		p.section = NULL;
		topics_each(&a, kinds[i], md_topic, &p);
	}
	while (b->len > 1 && b->s[b->len - 1] == '\n' && b->s[b->len - 2] == '\n')
		b->s[--b->len] = '\0';
	arena_release(&a);
}

/* ---- the IR */

static const struct {
	u32 flag;
	const char *word;
} op_flags[] = {
	{ IRF_DEF, "result" },        { IRF_PURE, "pure" },   { IRF_COMMUTES, "commutes" },
	{ IRF_CMP, "compares" },      { IRF_LOADS, "loads" }, { IRF_STORES, "stores" },
	{ IRF_TERM, "ends a block" },
};

static void md_op(struct buf *b, const struct ir_op_row *op)
{
	const char *comma = "";

	buf_printf(b, "| `%s` | ", op->text);
	put_md(b, op->doc);
	buf_puts(b, " | ");
	for (u32 i = 0; i < ARRAY_SIZE(op_flags); i++)
		if (op->flags & op_flags[i].flag) {
			buf_printf(b, "%s%s", comma, op_flags[i].word);
			comma = ", ";
		}
	buf_puts(b, " |\n");
}

static const char ir_head[] =
	"# Operations of the compiler\n\n"
	"Printed by `sonde help --ir-md` from `src/ir/op.def`; not written by hand. "
	"`sonde -d ir` shows a script in this form.\n\n"
	"d is the result; a, b and c are the operands: numbers, temporaries (`t7`), or addresses "
	"of known objects with an offset: the stack (`s0+8`), the probe's context (`ctx+16`), "
	"the data map (`data0+64`). All integers have 64 bits; a digit after an operation is the "
	"number of bytes that it touches.\n\n"
	"| operation | meaning | properties |\n| --- | --- | --- |\n";

void put_ir_manual(struct buf *b)
{
	buf_puts(b, ir_head);
	for (u32 i = 0; i < N_IR_OPS; i++)
		md_op(b, &ir_ops[i]);
	buf_puts(b, "\n## Passes\n\nIn the order in which they run; `--no-pass=NAME` skips one.\n\n"
		    "| pass | what it removes or rewrites |\n| --- | --- |\n");
	for (u32 i = 0; i < n_ir_passes; i++) {
		buf_printf(b, "| `%s` | ", ir_passes[i].name);
		put_md(b, ir_passes[i].brief);
		buf_puts(b, " |\n");
	}
}
