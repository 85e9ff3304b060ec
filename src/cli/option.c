/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of options and what each does with its value. The spelling is bpftrace's wherever it
 * has the option, so that its command lines work unchanged. Options that only make sense with its
 * compiler are accepted with a note.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "cli/option.h"
#include "engine/kernel/kernel.h"
#include "lang/number.h"
#include "output/output.h"
#include "object/elf.h"
#include "sym/procs.h"

enum { PID_MAX_LIMIT = 0x400000 }; /* include/linux/threads.h, 64-bit */

const char *const option_groups[N_GROUPS] = {
	[GROUP_WHAT] = "What to trace",        [GROUP_OUTPUT] = "Output",
	[GROUP_ASK] = "Instead of tracing",    [GROUP_CHECKS] = "Warnings and safety",
	[GROUP_COMPILER] = "The compiler",     [GROUP_COMPAT] = "Accepted for compatibility",
	[GROUP_HIDDEN] = "Of single commands",
};

/* ---- destinations */

static void *member(struct cli *c, const struct option_row *row)
{
	return (char *)c + row->at;
}

static int take_flag(struct cli *c, const struct option_row *row, const char *value)
{
	*(bool *)member(c, row) = true;
	return 0;
}

static int take_text(struct cli *c, const struct option_row *row, const char *value)
{
	*(const char **)member(c, row) = value;
	return 0;
}

/* The command reads c->given. */
static int take_given(struct cli *c, const struct option_row *row, const char *value)
{
	return 0;
}

static int take_from(struct cli *c, const struct option_row *row, const char *value)
{
	c->request.engine = "replay";
	return take_text(c, row, value);
}

static int take_engine(struct cli *c, const struct option_row *row, const char *value)
{
	const struct engine *e = engine_find(value);

	if (!e || (e->by_name_only && !e->reads_records)) /* others have an option of their own */
		return say_usage(c, "--engine is kernel or process");
	return take_text(c, row, value);
}

static int take_interpreter(struct cli *c, const struct option_row *row, const char *value)
{
	return take_text(c, row, "interpreter");
}

/* The values so far and this one, as a list that ends with NULL. */
static int take_list(struct cli *c, const struct option_row *row, const char *value)
{
	const char *const **at = member(c, row);
	const char **list;
	u32 n = 0;

	while (*at && (*at)[n])
		n++;
	list = arena_array(&c->words_arena, const char *, n + 2);
	if (n)
		memcpy(list, *at, n * sizeof *list);
	list[n] = value;
	*at = list;
	return 0;
}

void take_include_path(struct cli *c, const char *variable)
{
	const char *s = getenv(variable);

	for (; s && *s; s += *s == ':') {
		size_t n = strcspn(s, ":");

		if (n)
			take_list(c, option_by_key(NULL, 'I'),
				  arena_strndup(&c->words_arena, s, n));
		s += n;
	}
}

static int take_debuginfo(struct cli *c, const struct option_row *row, const char *value)
{
	static char *dirs;

	free(dirs);
	dirs = xasprintf("%s:/usr/lib/debug", value);
	elf_debug_dirs(dirs);
	return 0;
}

static int take_note(struct cli *c, const struct option_row *row, const char *value)
{
	if (row->why)
		say_note(c, "ignoring --%s: %s", row->name, row->why);
	return 0;
}

static int take_command(struct cli *c, const struct option_row *row, const char *value)
{
	if (c->command == &command_explain && row->command == &command_list) {
		c->listed = true; /* "explain --list" */
		return 0;
	}
	c->command = row->command;
	return 0;
}

static int take_aot(struct cli *c, const struct option_row *row, const char *value)
{
	c->command = &command_build;
	return take_text(c, row, value);
}

static int take_object(struct cli *c, const struct option_row *row, const char *value)
{
	c->command = &command_object;
	return take_text(c, row, value);
}

static int take_run_mode(struct cli *c, const struct option_row *row, const char *value)
{
	c->request.mode |= row->number;
	return 0;
}

static int take_manual(struct cli *c, const struct option_row *row, const char *value)
{
	c->manual = (enum manual)row->number;
	return 0;
}

/* ---- values that are checked */

/* "'line', 'full' or 'none'" of "line|full|none". */
static const char *spell_choices(struct cli *c, const char *choices)
{
	struct buf b = { 0 };
	const char *text;

	for (const char *s = choices, *end; *s; s = *end ? end + 1 : end) {
		end = strchrnul(s, '|');
		buf_printf(&b, "%s'%.*s'",
			   s == choices ? "" :
			   *end         ? ", " :
					  " or ",
			   (int)(end - s), s);
	}
	text = arena_strndup(&c->words_arena, b.s, b.len);
	buf_release(&b);
	return text;
}

static int bad_choice(struct cli *c, const struct option_row *row, const char *value)
{
	return say_usage(c, "USAGE: --%s can only be %s.", row->name,
			 spell_choices(c, row->choices));
}

/* The index of value in the row's choices, or -1. */
static int choice(const struct option_row *row, const char *value)
{
	size_t n = strlen(value);
	int i = 0;

	for (const char *s = row->choices; s; i++) {
		const char *end = strchrnul(s, '|');

		if ((size_t)(end - s) == n && !memcmp(s, value, n))
			return i;
		s = *end ? end + 1 : NULL;
	}
	return -1;
}

static int take_text_choice(struct cli *c, const struct option_row *row, const char *value)
{
	return choice(row, value) < 0 ? bad_choice(c, row, value) : take_text(c, row, value);
}

static const char *number_fault(struct cli *c, const char *s)
{
	return arena_printf(
		&c->words_arena,
		*s >= '0' && *s <= '9' ? "invalid trailing bytes: %s" : "invalid integer: %s", s);
}

/* A number in the syntax of the language: 0, or 1 after a message. */
static int read_pid(struct cli *c, const char *value, s32 *pid)
{
	bool is_negative = value[0] == '-';
	const char *digits = value + is_negative;
	struct number n = { .fault = NUMBER_BAD_DIGIT };

	if (*digits >= '0' && *digits <= '9')
		number_scan(digits, (u32)strlen(digits), &n);
	if ((n.fault && n.fault != NUMBER_TOO_BIG) || digits[n.len]) {
		say(c, "Failed to parse pid: %s", number_fault(c, value));
		return 1;
	}
	if (is_negative || n.fault || n.value > PID_MAX_LIMIT) {
		say(c, "Pid out of range: %s", value);
		return 1;
	}
	*pid = (s32)n.value;
	return 0;
}

static void add_pid(struct cli *c, u32 pid)
{
	struct traced *t = &c->request.traced;
	u32 *pids;

	for (u32 i = 0; i < t->n_pids; i++)
		if (t->pids[i] == pid)
			return;
	pids = arena_array(&c->words_arena, u32, t->n_pids + 1);
	if (t->n_pids)
		memcpy(pids, t->pids, t->n_pids * sizeof *pids);
	pids[t->n_pids++] = pid;
	t->pids = pids;
}

static int take_one_pid(struct cli *c, const char *value)
{
	u32 process;
	s32 pid;
	int ret = read_pid(c, value, &pid);

	if (ret)
		return ret;
	if (!pid || (!c->request.from && !proc_exists((u32)pid))) {
		say(c, "Failed to attach to pid: Unable to open pidfd (%s)",
		    strerror(pid ? ESRCH : EINVAL));
		fprintf(stderr, "  help: there is no process %d\n", pid);
		return 1;
	}
	if (c->request.from) {
		add_pid(c, (u32)pid);
		return 0;
	}
	process = proc_of_thread((u32)pid);
	if (process && process != (u32)pid) {
		say(c, "%d is a thread of process %u: use -p %u, and /tid == %d/ in the script",
		    pid, process, process, pid);
		return 1;
	}
	add_pid(c, (u32)pid);
	return 0;
}

/* "12,34"; bpftrace takes one only. */
static int take_pid(struct cli *c, const struct option_row *row, const char *value)
{
	int ret = 0;

	if (c->drop_in)
		c->request.traced.n_pids = 0; /* the last wins */
	if (c->drop_in || !strchr(value, ','))
		return take_one_pid(c, value);
	for (const char *s = value, *end; s && !ret; s = *end ? end + 1 : NULL) {
		end = strchrnul(s, ',');
		ret = take_one_pid(c, arena_strndup(&c->words_arena, s, (size_t)(end - s)));
	}
	return ret;
}

static int take_follow(struct cli *c, const struct option_row *row, const char *value)
{
	c->request.traced.scope = SCOPE_TREE;
	return 0;
}

static int take_dwarf_pid(struct cli *c, const struct option_row *row, const char *value)
{
	s32 pid;
	int ret = read_pid(c, value, &pid);

	return ret ? ret : take_note(c, row, value);
}

static int take_traceable(struct cli *c, const struct option_row *row, const char *value)
{
	if (access(value, R_OK) == 0)
		return take_note(c, row, value);
	say(c, "Failed to open kernel function info: Could not read functions from %s. (%s)", value,
	    strerror(errno));
	return 1;
}

/* "2s", "500ms"; a number alone counts seconds. */
static int take_time(struct cli *c, const struct option_row *row, const char *value)
{
	static const struct {
		const char *unit;
		u64 ns;
	} units[] = {
		{ "ms", 1000000 }, { "s", 1000000000 }, { "", 1000000000 }, { "m", 60000000000 }
	};
	char *end;
	double n = strtod(value, &end);

	for (u32 i = 0; i < ARRAY_SIZE(units) && end != value; i++)
		if (streq(end, units[i].unit) && n * (double)units[i].ns >= 1e7 && n < 1e6) {
			*(u64 *)member(c, row) = (u64)(n * (double)units[i].ns);
			return 0;
		}
	return say_usage(c, "--%s=%s: a time of 10 ms at least, as 1s or 500ms", row->name, value);
}

/* "50us", "1ms", "2s". */
static int take_short_time(struct cli *c, const struct option_row *row, const char *value)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *end;
	double n = strtod(value, &end);

	for (u32 i = 0; i < ARRAY_SIZE(units) && end != value; i++)
		if (streq(end, units[i].unit) && n > 0 && n < 1e6) {
			*(u64 *)member(c, row) = (u64)(n * units[i].ns);
			return 0;
		}
	return say_usage(c, "--%s=%s: a time, as 1ms or 50us", row->name, value);
}

static int take_format(struct cli *c, const struct option_row *row, const char *value)
{
	c->sink.output = output_find(value);
	if (c->sink.output)
		return 0;
	say(c, "Invalid output format \"%s\"", value);
	fprintf(stderr, "Valid formats: ");
	for (u32 i = 0; outputs[i]; i++)
		fprintf(stderr, "%s'%s'", i ? ", " : "", outputs[i]->name);
	fprintf(stderr, "\n");
	return 1;
}

static int take_buffering(struct cli *c, const struct option_row *row, const char *value)
{
	switch (choice(row, value)) {
	case 0: c->sink.buffering = SINK_LINE; break;
	case 1: c->sink.buffering = SINK_FULL; break;
	case 2: c->sink.buffering = SINK_NONE; break;
	default: return say_usage(c, "USAGE: -B must be either 'line', 'full', or 'none'.");
	}
	c->buffering_given = true;
	return 0;
}

static int take_escape(struct cli *c, const struct option_row *row, const char *value)
{
	switch (choice(row, value)) {
	case 0: c->escape = WHEN_TERMINAL; return 0;
	case 1: c->escape = WHEN_ALWAYS; return 0;
	case 2: c->escape = WHEN_NEVER; return 0;
	default: return bad_choice(c, row, value);
	}
}

static int take_diag(struct cli *c, const struct option_row *row, const char *value)
{
	int i = choice(row, value);

	if (i < 0)
		return bad_choice(c, row, value);
	c->request.diag_json = i == 1;
	return 0;
}

/* Old releases of bpftrace accepted -kk; it is an error since. */
static int take_warnings(struct cli *c, const struct option_row *row, const char *value)
{
	if (c->n_warnings_given++)
		return say_usage(
			c,
			"USAGE: -kk has been deprecated. Use a single -k for runtime warnings for errors in map "
			"lookups and probe reads.");
	c->request.extra_warnings = true;
	return 0;
}

/* clang-format off */
static const struct { const char *name; u32 stage; } stages[] = {
	{ "ast", STAGE_AST },	   { "ir", STAGE_IR },	   { "bpf", STAGE_BPF },
	{ "parse", STAGE_AST },	   { "types", STAGE_AST }, { "codegen", STAGE_IR },
	{ "codegen-opt", STAGE_IR }, { "asm", STAGE_ASM },
	{ "dis", STAGE_BPF },	{ "libbpf", STAGE_BPF },     { "verifier", STAGE_BPF },
	{ "all", STAGE_AST | STAGE_IR | STAGE_BPF },
};
/* clang-format on */

static int add_stage(struct cli *c, const char *name, size_t len)
{
	for (u32 i = 0; i < ARRAY_SIZE(stages); i++)
		if (strlen(stages[i].name) == len && !memcmp(stages[i].name, name, len)) {
			c->request.dump |= stages[i].stage;
			return 0;
		}
	return -1;
}

static int take_dump(struct cli *c, const struct option_row *row, const char *value)
{
	for (const char *s = value; s;) {
		const char *end = strchrnul(s, ',');

		if (add_stage(c, s, (size_t)(end - s)))
			return say_usage(c, "USAGE: invalid option for -d: %s", value);
		s = *end ? end + 1 : NULL;
	}
	return 0;
}

static bool listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = list; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
		if (!strncasecmp(s, name, n) && (!s[n] || s[n] == ','))
			return true;
	return false;
}

static int take_no_pass(struct cli *c, const struct option_row *row, const char *value)
{
	c->request.no_pass = value;
	for (u32 i = 0; i < n_ir_passes; i++)
		if (listed(value, ir_passes[i].name) || listed(value, "all"))
			return 0;
	return say_usage(c, "--no-pass=%s: no such pass (\"%s help passes\" lists them)", value,
			 c->program);
}

/* Detects and caches all features first: those disabled below must not reach the cache. */
static struct features *all_features(void)
{
	struct features *f = kernel_features();

	for (u32 i = 0; i < N_FEATURES; i++)
		feature_has(f, (enum feature)i);
	kernel_features_save(f);
	return f;
}

static int find_feature(const char *name, size_t len)
{
	for (u32 i = 0; i < N_FEATURES; i++)
		if (!strncasecmp(feature_rows[i].name, name, len) && !feature_rows[i].name[len])
			return (int)i;
	return -1;
}

/* Names of type/features.def in any case; the kernel is then treated as one without them. */
static int take_no_feature(struct cli *c, const struct option_row *row, const char *value)
{
	struct features *f = all_features();
	const char *end;

	for (const char *s = value; *s; s = *end ? end + 1 : end) {
		int i;

		end = strchrnul(s, ',');
		i = find_feature(s, (size_t)(end - s));
		if (i < 0) {
			say(c,
			    "USAGE: --no-feature can only have values 'kprobe_multi,kprobe_session,uprobe_multi'.");
			fprintf(stderr,
				"  help: and those that \"%s --info\" lists; not \"%.*s\"\n",
				c->program, (int)(end - s), s);
			return 1;
		}
		f->known[i] = FEATURE_NO;
		f->pretended = true;
	}
	return 0;
}

static int take_mode(struct cli *c, const struct option_row *row, const char *value)
{
	switch (choice(row, value)) {
	case 0: c->command = &command_check; return 0;
	case 1: c->command = &command_fmt; return 0;
	case 2: c->command = &command_compiler_bench; return 0;
	case 3: c->request.mode |= MODE_TEST; return 0;
	case 4: c->request.mode |= MODE_BENCH; return 0;
	default:
		return say_usage(
			c,
			"USAGE: --mode can only be 'codegen', 'compiler-bench', 'bench', 'test' or 'format'.");
	}
}

/* ---- the table */

#define O(name) "|" #name
static const char formats[] =
#include "output/index.h"
	;
#undef O
#define O(name) " " #name
static const char format_help[] = "format of the results:"
#include "output/index.h"
	;
#undef O

#define O(member) .at = offsetof(struct cli, request.member)

static const char no_llvm[] = "there is no LLVM here; -d ir and -d bpf show what the compiler does";

/* clang-format off */
const struct option_row option_rows[] = {
	{ .key = 'e', .name = "execute", .arg = "PROGRAM", .group = GROUP_WHAT, .sets = SET_SCRIPT,
	  .help = "run this program instead of a file; if repeated, the last wins", .take = take_text,
	  O(script), .not_for_tools = true },
	{ .key = 'p', .name = "pid", .arg = "PID[,PID]", .group = GROUP_WHAT, .sets = SET_TARGET,
	  .help = "trace only these processes; end when all have ended",
	  .doc = "Probes in programs, samples and counters attach to the process, or to all if there are "
		 "several; probes in the kernel ignore events of others. interval, begin and end are not filtered.",
	  .take = take_pid },
	{ .key = 'a', .name = "all", .group = GROUP_WHAT, .sets = SET_TREE,
	  .help = "trace all processes of the machine", .take = take_flag,
	  .at = offsetof(struct cli, all) },
	{ .key = 'c', .name = "cmd", .arg = "COMMAND", .group = GROUP_WHAT, .sets = SET_CHILD,
	  .help = "start COMMAND when the probes are attached; end when it ends",
	  .doc = "COMMAND is split at spaces, except in quotes, and found in PATH. It filters "
		 "nothing: cpid is its process ID, and --follow restricts probes to it and its children. "
		 "\"-- COMMAND ARGS\" at the end of the line is another form, whose words are not split.",
	  .take = take_text, O(traced.command) },
	{ .name = "follow", .group = GROUP_WHAT, .sets = SET_CHILD,
	  .help = "trace only the process of -p or -c, its threads and its children",
	  .doc = "Applies to probes of every type except interval, begin and end; new children are "
		 "followed from their first instruction.",
	  .take = take_follow },
	{ .name = "no-follow", .group = GROUP_WHAT, .sets = SET_TREE,
	  .help = "do not trace the children of traced processes", .take = take_flag,
	  .at = offsetof(struct cli, no_follow) },
	{ .name = "where", .arg = "EXPR", .group = GROUP_WHAT, .sets = SET_TARGET,
	  .help = "trace only events for which this expression of the language is true",
	  .doc = "Each clause has EXPR as a further condition, evaluated in the kernel: --where 'comm == "
		 "\"bash\" && uid == 0'. It may use what all probes of the script have. interval, begin and end "
		 "are not filtered.",
	  .take = take_text, O(traced.where) },
	{ .name = "duration", .arg = "TIME", .group = GROUP_WHAT, .sets = SET_RUN,
	  .help = "end after TIME, as exit() does: 10s, 500ms, 1m",
	  .doc = "TIME starts when the probes are attached; a number without a unit counts seconds. The end probes run and the maps are printed; the "
		 "exit status is 0.",
	  .take = take_time, O(duration_ns) },
	{ .name = "from", .arg = "FILE", .group = GROUP_WHAT, .sets = SET_SCRIPT_RUN,
	  .help = "run the script over the events of a recording (sonde record)",
	  .doc = "The script gets the events of FILE instead of those of now, at their times: interval, profile, nsecs, elapsed and "
		 "strftime follow the clock of the recording, and end probes run at its end. It needs no privilege. What the recording "
		 "does not have is an error; system() and signal() do nothing. A -p after it is a process of the recording.",
	  .take = take_from, O(from) },
	{ .name = "engine", .arg = "NAME", .group = GROUP_WHAT, .sets = SET_SCRIPT_RUN,
	  .help = "kernel; process: read records of sonde.h's tracepoints from -p PID",
	  .doc = "With process, a tracepoint of sonde/sonde.h writes a record into memory that it shares with sonde, which takes some "
		 "nanoseconds instead of the microsecond of a uprobe. sonde stops the threads of the process for a moment to enable and "
		 "to disable them. The script runs in sonde: builtins about the moment of the event (stacks, users, cgroups) are an error.",
	  .take = take_engine, O(engine) },
	{ .name = "probe-filter", .arg = "REGEX", .group = GROUP_WHAT, .sets = SET_CHILD,
	  .help = "attach only probes whose name matches", .take = take_text,
	  O(probe_filter) },
	{ .name = "debuginfo", .arg = "DIR[:DIR]", .group = GROUP_WHAT, .sets = SET_COMPILE,
	  .help = "directories of debug files; relative to the traced file", .take = take_debuginfo },

	{ .key = 'f', .name = "format", .arg = "FORMAT", .choices = formats + 1,
	  .group = GROUP_OUTPUT, .sets = SET_FORMAT,
	  .help = format_help,
	  .doc = "Without -f, the suffix of FILE of -o selects the format: .json, .folded, .tree, .html, .pb.gz (pprof), .speedscope.json; called "
		 "bpftrace, the format is text then.",
	  .take = take_format },
	{ .key = 'o', .name = "output", .arg = "FILE", .group = GROUP_OUTPUT, .sets = SET_OUTPUT,
	  .help = "write results to FILE; its suffix may select the format, as .json",
	  .take = take_text, .at = offsetof(struct cli, output) },
	{ .key = 'B', .name = "buffer", .arg = "MODE", .choices = "line|full|none",
	  .group = GROUP_OUTPUT, .sets = SET_RUN,
	  .help = "output buffering: line, full, none (line on a terminal, else full)",
	  .doc = "full collects results and writes them when there are many, or when the run is "
		 "idle.",
	  .take = take_buffering },
	{ .name = "escape", .arg = "WHEN", .choices = "auto|always|never", .group = GROUP_OUTPUT,
	  .help = "escape control characters of traced text (auto: on a terminal)",
	  .doc = "A terminal interprets control characters, and a traced program controls its strings, names and "
		 "symbols. "
		 "Escaped, they are shown as \\n, \\r or \\xNN. The text of the script itself, such as its printf formats, is "
		 "never changed; pipes and files get the bytes as they are.",
	  .take = take_escape },
	{ .key = 'q', .name = "quiet", .group = GROUP_OUTPUT, .sets = SET_RUN,
	  .help = "do not print how many probes are attached", .take = take_flag,
	  .at = offsetof(struct cli, quiet) },
	{ .key = 'v', .name = "verbose", .group = GROUP_OUTPUT,
	  .help = "print how each probe is attached; with -l: the arguments of probes",
	  .take = take_flag, O(verbose) },
	{ .name = "diag", .arg = "FORMAT", .choices = "text|json", .group = GROUP_OUTPUT, .sets = SET_SCRIPT,
	  .help = "format of diagnostics: text, json", .take = take_diag },

	{ .key = 'l', .name = "list", .group = GROUP_ASK,
	  .help = "list the probes that match a pattern, or those of a script",
	  .doc = "\"-l PATTERN\" lists what exists, \"-l FILE\" and \"-l -e PROGRAM\" the "
		 "probes that a script attaches. -v adds their arguments.",
	  .take = take_command, .command = &command_list, .not_for_tools = true },
	{ .name = "info", .group = GROUP_ASK,
	  .help = "print what this system supports", .take = take_command, .command = &command_info, .not_for_tools = true },
	{ .name = "dry-run", .group = GROUP_ASK, .sets = SET_RUN,
	  .help = "attach the probes, then exit", .take = take_flag, O(dry_run) },
	{ .name = "test", .group = GROUP_ASK, .sets = SET_SCRIPT_RUN,
	  .help = "run the script's test: probes; exit with status 1 if one fails",
	  .take = take_run_mode, .number = MODE_TEST, .not_for_tools = true },
	{ .name = "bench", .group = GROUP_ASK, .sets = SET_SCRIPT_RUN,
	  .help = "run and time the script's bench: probes", .take = take_run_mode, .number = MODE_BENCH,
	  .not_for_tools = true },
	{ .name = "fmt", .group = GROUP_ASK,
	  .help = "print the script in canonical layout", .take = take_command,
	  .command = &command_fmt, .not_for_tools = true },
	{ .key = 'd', .name = "debug", .arg = "STAGE", .choices = "ast|ir|bpf|asm|all",
	  .group = GROUP_ASK, .sets = SET_COMPILE,
	  .help = "print a stage of compilation and exit: ast, ir, bpf, asm, all",
	  .doc = "Several stages are separated by commas. The names parse, types, codegen, "
		 "codegen-opt, dis, libbpf and verifier select the nearest stage.",
	  .take = take_dump, .not_for_tools = true },
	{ .key = 'h', .name = "help", .group = GROUP_ASK,
	  .help = "print this help", .take = take_command, .command = &command_usage },
	{ .key = 'V', .name = "version", .group = GROUP_ASK,
	  .help = "print the version", .take = take_command, .command = &command_version },
	{ .name = "aot", .arg = "TOOL", .group = GROUP_ASK, .sets = SET_SCRIPT_RUN,
	  .help = "make a stand-alone executable of the script, as \"build -o TOOL\"",
	  .take = take_aot, .at = offsetof(struct cli, output), .not_for_tools = true },

	{ .key = 'k', .name = "warnings", .group = GROUP_CHECKS, .sets = SET_COMPILE,
	  .help = "warn if a read of memory or of a map fails at run time", .take = take_warnings },
	{ .name = "no-warnings", .group = GROUP_CHECKS, .sets = SET_SCRIPT,
	  .help = "do not print warnings of the compiler", .take = take_flag, O(no_warnings) },
	{ .name = "unsafe", .group = GROUP_CHECKS, .sets = SET_COMPILE,
	  .help = "allow functions that change the system: system(), signal() ...", .take = take_flag,
	  O(unsafe) },

	{ .key = 'I', .name = "include-dir", .arg = "DIR", .group = GROUP_COMPILER, .sets = SET_SCRIPT,
	  .help = "directory for #include and import, besides that of the script",
	  .doc = "May be repeated. The directories of CPATH and C_INCLUDE_PATH follow. Kernel headers are not "
		 "read: their declarations come from the kernel's BTF.",
	  .take = take_list, O(include_dirs), .not_for_tools = true },
	{ .name = "include", .arg = "FILE", .group = GROUP_COMPILER, .sets = SET_SCRIPT,
	  .help = "read this header before the script; may be repeated", .take = take_list,
	  O(includes), .not_for_tools = true },
	{ .name = "no-pass", .arg = "NAME", .group = GROUP_COMPILER, .sets = SET_COMPILE,
	  .help = "skip a pass of the compiler, or all", .take = take_no_pass },
	{ .name = "no-feature", .arg = "NAME", .group = GROUP_COMPILER,
	  .help = "pretend the kernel lacks this feature (see --info)",
	  .doc = "Several names are separated by commas: kprobe_multi, uprobe_multi, "
		 "kprobe_session, ringbuf ...",
	  .take = take_no_feature },
	{ .name = "mode", .arg = "MODE", .choices = "codegen|format|compiler-bench|test|bench",
	  .group = GROUP_COMPILER, .sets = SET_COMPILE,
	  .help = "codegen: only compile; compiler-bench: time it; format, test, bench",
	  .take = take_mode },
	{ .name = "emit-elf", .arg = "FILE", .group = GROUP_COMPILER, .sets = SET_SCRIPT_RUN,
	  .help = "write the programs to an object file and exit", .take = take_object,
	  .at = offsetof(struct cli, object), .not_for_tools = true },

	{ .key = 'b', .name = "btf", .group = GROUP_COMPAT,
	  .help = "BTF is always used", .take = take_note },
	{ .name = "usdt-file-activation", .group = GROUP_COMPAT,
	  .help = "semaphores are always handled", .take = take_note },
	{ .name = "dwarf-pid", .arg = "PID", .group = GROUP_COMPAT,
	  .help = "dw_ustack works for all processes", .take = take_dwarf_pid,
	  .why = "dw_ustack works for all processes without it" },
	{ .name = "traceable-functions", .arg = "FILE", .group = GROUP_COMPAT,
	  .help = "read from the kernel", .take = take_traceable,
	  .why = "the list of traceable functions is read from the kernel" },
	{ .name = "emit-llvm", .arg = "FILE", .group = GROUP_COMPAT,
	  .help = "there is no LLVM here", .take = take_note,
	  .why = no_llvm },
	{ .name = "verify-llvm-ir", .group = GROUP_COMPAT,
	  .help = "likewise", .take = take_note,
	  .why = no_llvm },

	{ .name = "vm", .group = GROUP_HIDDEN, .sets = SET_COMPILE,
	  .help = "run begin and end in user space, without the kernel",
	  .doc = "Needs no privilege; other probes receive no events. For tests of the language.",
	  .take = take_interpreter, O(engine) },
	{ .key = 'e', .name = "expression", .arg = "EXPR", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "trace=SET, signal=SET, status=SET, quiet=SET, raw=SET; SET alone is trace=SET",
	  .doc = "SET is a list of names, separated by commas; ! before it means all others, and all and none are sets. "
		 "Calls: names, numbers, classes (%file, %desc, %process, %network, %memory, %signal, %ipc, %clock, %creds, "
		 "%stat, %fstat, %%stat, %statfs, %pure), and /REGEX. Results: successful, failed, unfinished, detached.",
	  .command = &command_strace },
	{ .key = 'f', .name = "follow-forks", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "as without it; -ff: write FILE.TID for each thread", .command = &command_strace },
	{ .key = 'A', .name = "output-append-mode", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "append to the file of -o", .command = &command_strace },
	{ .key = 'q', .name = "quiet", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "-qq: no lines about how threads end", .command = &command_strace },
	{ .key = 't', .name = "absolute-timestamps", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "time of day; -tt: with microseconds; -ttt: seconds since 1970", .command = &command_strace },
	{ .key = 'r', .name = "relative-timestamps", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "time since the line before", .command = &command_strace },
	{ .key = 'T', .name = "syscall-times", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "time spent in each call", .command = &command_strace },
	{ .key = 'k', .name = "stack-traces", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "user stack after each call; needs no frame pointers (x86-64)", .command = &command_strace },
	{ .key = 'y', .name = "decode-fds", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "paths of descriptors", .command = &command_strace },
	{ .key = 'n', .name = "syscall-number", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "numbers of calls", .command = &command_strace },
	{ .key = 'a', .name = "columns", .arg = "COLUMN", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "align results in this column (40)", .command = &command_strace },
	{ .key = 's', .name = "string-limit", .arg = "BYTES", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "bytes of strings that are shown (32); file names are shown whole", .command = &command_strace },
	{ .key = 'x', .name = "strings-in-hex", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "strings with unprintable characters in hex; -xx: all strings", .command = &command_strace },
	{ .key = 'z', .name = "successful-only", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "only calls that succeed", .command = &command_strace },
	{ .key = 'Z', .name = "failed-only", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "only calls that fail", .command = &command_strace },
	{ .key = 'E', .name = "env", .arg = "VAR[=VAL]", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "set or remove a variable of CMD's environment", .command = &command_strace },
	{ .key = 'c', .name = "summary-only", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "print a table of calls, errors and time instead of lines", .command = &command_strace },
	{ .key = 'C', .name = "summary", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "print lines and the table", .command = &command_strace },
	{ .key = 'w', .name = "summary-wall-clock", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "the table shows time passed, not processor time", .command = &command_strace },
	{ .key = 'S', .name = "summary-sort-by", .arg = "COLUMN", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "order of the table: time, calls, errors, name, avg-time, ...", .command = &command_strace },
	{ .key = 'U', .name = "summary-columns", .arg = "LIST", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "columns of the table: time-percent,total-time,avg-time,calls,errors,name,min-time,max-time",
	  .command = &command_strace },
	{ .key = 'e', .name = "filter", .arg = "FILTER", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "calls to show: malloc+free, -@libc.so*, str*@MAIN (default: all)",
	  .doc = "[+|-][FUNCTION][@CALLER], repeated: the last rule that matches holds. Both are patterns, or regular "
		 "expressions between slashes; CALLER is the soname or the path of the file that calls, MAIN the program.",
	  .command = &command_ltrace },
	{ .key = 'l', .name = "library", .arg = "PATTERN", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "only functions of these libraries", .command = &command_ltrace },
	{ .key = 'x', .name = "entry", .arg = "FILTER", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "functions to show for every caller, also the library itself: qsort@libc.so*",
	  .doc = "As -e; what follows @ is the file that has the function.", .command = &command_ltrace },
	{ .name = "check", .group = GROUP_HIDDEN,
	  .help = "list files whose layout differs; exit with status 1 if there is one",
	  .take = take_flag, .at = offsetof(struct cli, compare), .command = &command_fmt },
	{ .name = "write", .group = GROUP_HIDDEN,
	  .help = "write the result back to the files", .take = take_flag,
	  .at = offsetof(struct cli, rewrite), .command = &command_fmt },
	{ .key = 'i', .name = "interval", .arg = "TIME", .group = GROUP_HIDDEN,
	  .help = "time between updates: 1s, 500ms", .take = take_time,
	  O(redraw_ns), .command = &command_top },
	{ .name = "anew", .group = GROUP_HIDDEN,
	  .help = "reset aggregations after each update", .take = take_flag,
	  O(redraw_anew), .command = &command_top },
	{ .key = 'F', .name = "frequency", .arg = "HZ", .group = GROUP_HIDDEN,
	  .help = "samples per second and CPU (99)", .take = take_text,
	  .at = offsetof(struct cli, profile.frequency), .command = &command_profile },
	{ .name = "off-cpu", .group = GROUP_HIDDEN,
	  .help = "time off the CPU in microseconds, by state, with the stack of the waker", .take = take_flag,
	  .at = offsetof(struct cli, profile.off_cpu), .command = &command_profile },
	{ .name = "wall", .group = GROUP_HIDDEN,
	  .help = "time on the CPU, by samples, and off the CPU", .take = take_flag,
	  .at = offsetof(struct cli, profile.wall), .command = &command_profile },
	{ .name = "min", .arg = "TIME", .group = GROUP_HIDDEN,
	  .help = "off the CPU: only waits of at least TIME: 1ms, 50us", .take = take_text,
	  .at = offsetof(struct cli, profile.min), .command = &command_profile },
	{ .name = "event", .arg = "PROBE", .group = GROUP_HIDDEN,
	  .help = "count the stacks of a probe, as tracepoint:exceptions:page_fault_user", .take = take_text,
	  .at = offsetof(struct cli, profile.event), .command = &command_profile },
	{ .name = "by", .arg = "ROOT", .choices = "process|thread|comm|cpu|none", .group = GROUP_HIDDEN,
	  .help = "what the stacks are divided by: process (default), thread, comm, cpu, none",
	  .take = take_text_choice, .at = offsetof(struct cli, profile.by), .command = &command_profile },
	{ .key = 't', .name = "threads", .group = GROUP_HIDDEN,
	  .help = "as --by thread", .take = take_flag,
	  .at = offsetof(struct cli, profile.threads), .command = &command_profile },
	{ .key = 'C', .name = "cpus", .arg = "LIST", .group = GROUP_HIDDEN,
	  .help = "only these CPUs: 0,2-3", .take = take_text,
	  .at = offsetof(struct cli, profile.cpus), .command = &command_profile },
	{ .name = "cgroup", .arg = "PATH", .group = GROUP_HIDDEN,
	  .help = "only threads in this cgroup (version 2)", .take = take_text,
	  .at = offsetof(struct cli, profile.cgroup), .command = &command_profile },
	{ .name = "user", .group = GROUP_HIDDEN,
	  .help = "only user frames", .take = take_flag,
	  .at = offsetof(struct cli, profile.user), .command = &command_profile },
	{ .name = "kernel", .group = GROUP_HIDDEN,
	  .help = "only kernel frames", .take = take_flag,
	  .at = offsetof(struct cli, profile.kernel), .command = &command_profile },
	{ .key = 'e', .name = "event", .arg = "EVENTS", .group = GROUP_HIDDEN,
	  .help = "events to record: sched:sched_switch,irq:*; may be repeated",
	  .doc = "SYSTEM:NAME, both of which may be patterns, separated by commas, as perf record takes them. "
		 "syscalls:* are all system calls.",
	  .take = take_list, .at = offsetof(struct cli, events), .command = &command_record },
	{ .key = 'e', .name = "event", .arg = "PROBE", .group = GROUP_HIDDEN,
	  .help = "one more probe, as perf and trace-cmd take them; may be repeated", .take = take_list,
	  .at = offsetof(struct cli, events), .command = &command_trace },
	{ .name = "fields", .arg = "LIST", .group = GROUP_HIDDEN,
	  .help = "what is shown: prev_comm,next_comm, or any expressions: 'str(arg0),retval'",
	  .doc = "Names of fields or arguments and expressions of the language, separated by commas. Of several probes, each shows those "
		 "that it has; a probe that has none is left out.",
	  .take = take_text, .at = offsetof(struct cli, trace.fields), .command = &command_trace },
	{ .name = "filter", .arg = "EXPR", .group = GROUP_HIDDEN,
	  .help = "only events for which it is true: 'prev_prio < 100 && prev_comm ~ \"b*\"'",
	  .doc = "As the filters of ftrace and perf: names are fields of the event. It may be any expression of the language, and is evaluated in the "
		 "kernel. A probe without such a field is left out if another has it.",
	  .take = take_text, .at = offsetof(struct cli, trace.filter), .command = &command_trace },
	{ .name = "stack", .group = GROUP_HIDDEN,
	  .help = "stacks below each event: the kernel's, then the user's", .take = take_flag,
	  .at = offsetof(struct cli, trace.stack), .command = &command_trace },
	{ .key = 'n', .name = "number", .arg = "COUNT", .group = GROUP_HIDDEN,
	  .help = "end after COUNT events", .take = take_text,
	  .at = offsetof(struct cli, trace.limit), .command = &command_trace },
	{ .name = "follow", .group = GROUP_HIDDEN,
	  .help = "as without it: children are traced unless there is --no-follow", .take = take_note,
	  .command = &command_trace },
	{ .name = "args", .group = GROUP_HIDDEN,
	  .help = "arguments and results, by debug information", .take = take_flag,
	  .at = offsetof(struct cli, flow.args), .command = &command_flow },
	{ .name = "depth", .arg = "LEVELS", .group = GROUP_HIDDEN,
	  .help = "show at most this many levels of calls", .take = take_text,
	  .at = offsetof(struct cli, flow.depth), .command = &command_flow },
	{ .name = "over", .arg = "TIME", .group = GROUP_HIDDEN,
	  .help = "show only calls that took longer, and what they called that did: 1ms, 50us",
	  .take = take_short_time, .at = offsetof(struct cli, flow.over_ns), .command = &command_flow },
	{ .name = "syscalls", .group = GROUP_HIDDEN,
	  .help = "the system calls among them, as sonde strace shows them", .take = take_flag,
	  .at = offsetof(struct cli, flow.calls), .command = &command_flow },
	{ .name = "report", .group = GROUP_HIDDEN,
	  .help = "calls, time and time without what it called, of each function", .take = take_flag,
	  .at = offsetof(struct cli, flow.report), .command = &command_flow },
	{ .name = "graph", .group = GROUP_HIDDEN,
	  .help = "calls and time of each path of calls", .take = take_flag,
	  .at = offsetof(struct cli, flow.graph), .command = &command_flow },
	{ .name = "binary", .arg = "FILE", .group = GROUP_HIDDEN,
	  .help = "functions of this file, such as a library, instead of those of the program", .take = take_text,
	  .at = offsetof(struct cli, flow.binary), .command = &command_flow },
	{ .name = "overwrite", .arg = "SIZE|TIME", .group = GROUP_HIDDEN,
	  .help = "flight recorder: keep only the last events: 16M of file, or 30s",
	  .doc = "What is older is overwritten while sonde runs. The file can be read at any time, also after "
		 "sonde was killed.",
	  .take = take_text, .at = offsetof(struct cli, overwrite), .command = &command_record },
	{ .name = "max-size", .arg = "SIZE", .group = GROUP_HIDDEN,
	  .help = "end when the file has this size: 16M",
	  .take = take_text, .at = offsetof(struct cli, max_size), .command = &command_record },
	{ .name = "switch-output", .arg = "SIZE|TIME", .group = GROUP_HIDDEN,
	  .help = "begin another file when one has this size or is this old: 16M, 30s",
	  .doc = "Those that are full are FILE.1, FILE.2 and so on, each of them complete.",
	  .take = take_text, .at = offsetof(struct cli, switch_output), .command = &command_record },
	{ .name = "switch-max-files", .arg = "N", .group = GROUP_HIDDEN,
	  .help = "keep only the last N files of --switch-output",
	  .take = take_text, .at = offsetof(struct cli, switch_max_files), .command = &command_record },
	{ .name = "dump-on", .arg = "PROBE", .group = GROUP_HIDDEN,
	  .help = "copy the recording when this happens: 'PROBE /CONDITION/'",
	  .doc = "Any probe of the language, which need not be recorded: --dump-on 'tracepoint:sched:sched_process_exit "
		 "/comm == \"server\"/'. The copy is FILE.1, the next one FILE.2; the recording goes on. With "
		 "--overwrite it has the last events before that moment; SIGUSR2 to sonde asks for a copy, too.",
	  .take = take_text, .at = offsetof(struct cli, dump_on), .command = &command_record },
	{ .name = "after", .arg = "TIME", .group = GROUP_HIDDEN,
	  .help = "copy the recording this much later than --dump-on or SIGUSR2 says: 2s",
	  .take = take_time, .at = offsetof(struct cli, dump_after_ns), .command = &command_record },
	{ .name = "time", .arg = "FROM,TO", .group = GROUP_HIDDEN,
	  .help = "only events between these times, in seconds as they are printed; either may be missing",
	  .take = take_text, .at = offsetof(struct cli, time_range), .command = &command_script },
	{ .name = "time", .arg = "FROM,TO", .group = GROUP_HIDDEN,
	  .help = "only events between these times, in seconds as sonde script prints them; either may be missing",
	  .take = take_text, .at = offsetof(struct cli, time_range), .command = &command_export },
	{ .name = "time", .arg = "FROM,TO", .group = GROUP_HIDDEN,
	  .help = "only events between these times, in seconds as sonde script prints them; either may be missing",
	  .take = take_text, .at = offsetof(struct cli, time_range), .command = &command_report },
	{ .name = "to", .arg = "FORMAT", .choices = "perf|chrome|perfetto|ctf|trace.dat|ftrace|folded",
	  .group = GROUP_HIDDEN,
	  .help = "the format; without it, that of -o's suffix: .perf.data, .json, .pftrace, .ctf, .dat, .ftrace, .folded",
	  .take = take_text, .at = offsetof(struct cli, export_to), .command = &command_export },
	{ .name = "filter", .arg = "EXPR", .group = GROUP_HIDDEN,
	  .help = "only events for which this expression of the language is true",
	  .doc = "As the predicate of a clause: args.NAME is a field of the event, and events without that field are left out; comm, pid, "
		 "tid, cpu, nsecs and all functions that need nothing else.",
	  .take = take_text, .at = offsetof(struct cli, filter), .command = &command_script },
	{ .name = "ftrace", .group = GROUP_HIDDEN,
	  .help = "print lines as the kernel's trace file has them",
	  .take = take_flag, .at = offsetof(struct cli, as_ftrace), .command = &command_script },
	{ .name = "runtime", .arg = "FILE", .group = GROUP_HIDDEN,
	  .help = "the sonde executable to embed", .take = take_text,
	  .at = offsetof(struct cli, runtime), .command = &command_build },
	{ .name = "refresh", .group = GROUP_HIDDEN,
	  .help = "discard cached features of this kernel and detect them again", .take = take_flag,
	  .at = offsetof(struct cli, refresh), .command = &command_info },
	{ .name = "selftest", .group = GROUP_HIDDEN,
	  .help = "trace a known workload with each probe type and report which count correctly",
	  .doc = "Takes a few seconds and traces only its own processes. The status is 1 if a type counts wrong, "
		 "255 if all are refused.",
	  .take = take_flag, .at = offsetof(struct cli, selftest), .command = &command_info },
	{ .name = "selftest-work", .arg = "WORK", .group = GROUP_HIDDEN,
	  .help = "run only the workload that --selftest traces: getpgid:500, call:500 ...", .take = take_text,
	  .at = offsetof(struct cli, selftest_work), .command = &command_info },
	{ .name = "man", .group = GROUP_HIDDEN,
	  .help = "print the manual page of sonde or of a command", .take = take_manual, .number = MANUAL_MAN,
	  .command = &command_help },
	{ .name = "builtins-md", .group = GROUP_HIDDEN,
	  .help = "functions and variables as markdown", .take = take_manual,
	  .number = MANUAL_BUILTINS, .command = &command_help },
	{ .name = "configuration-md", .group = GROUP_HIDDEN,
	  .help = "configuration variables as markdown", .take = take_manual,
	  .number = MANUAL_CONFIGURATION, .command = &command_help },
	{ .name = "probes-md", .group = GROUP_HIDDEN,
	  .help = "probe types as markdown", .take = take_manual, .number = MANUAL_PROBES,
	  .command = &command_help },
	{ .name = "tools-md", .group = GROUP_HIDDEN,
	  .help = "tools as markdown", .take = take_manual, .number = MANUAL_TOOLS,
	  .command = &command_help },
	{ .name = "options-md", .group = GROUP_HIDDEN,
	  .help = "commands and options as markdown", .take = take_manual, .number = MANUAL_OPTIONS,
	  .command = &command_help },
	{ .name = "diagnostics-md", .group = GROUP_HIDDEN,
	  .help = "messages of the compiler as markdown", .take = take_manual,
	  .number = MANUAL_DIAGNOSTICS, .command = &command_help },
	{ .name = "requirements-md", .group = GROUP_HIDDEN,
	  .help = "requirements as markdown", .take = take_manual,
	  .number = MANUAL_REQUIREMENTS, .command = &command_help },
	{ .name = "ir-md", .group = GROUP_HIDDEN,
	  .help = "operations and passes of the compiler as markdown", .take = take_manual,
	  .number = MANUAL_IR, .command = &command_help },
	{ .name = "completion", .arg = "SHELL", .choices = "bash|zsh|fish", .group = GROUP_HIDDEN,
	  .help = "a completion script", .take = take_text, .at = offsetof(struct cli, completion),
	  .command = &command_help },
	{ .key = 'e', .name = "filter", .arg = "FILTER", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "calls to show: malloc+free, -@libc.so*, str*@MAIN (default: all)",
	  .doc = "[+|-][FUNCTION][@CALLER], repeated: the last rule that matches holds. Both are patterns, or regular "
		 "expressions between slashes; CALLER is the soname or the path of the file that calls, MAIN the program.",
	  .command = &command_ltrace },
	{ .key = 'l', .name = "library", .arg = "PATTERN", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "only functions of these libraries", .command = &command_ltrace },
	{ .key = 'x', .name = "entry", .arg = "FILTER", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "functions to show for every caller, also the library itself: qsort@libc.so*",
	  .doc = "As -e; what follows @ is the file that has the function.", .command = &command_ltrace },
	{ .key = 'L', .name = "no-calls", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "without -e: only what -x and -l name", .command = &command_ltrace },
	{ .key = 'F', .name = "config", .arg = "FILE", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "prototypes in the syntax of ltrace.conf(5)", .command = &command_ltrace },
	{ .key = 'c', .name = "summary-only", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "print a table of functions, calls and time instead of lines", .command = &command_ltrace },
	{ .key = 'S', .name = "system-calls", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "show system calls, too", .command = &command_ltrace },
	{ .key = 'n', .name = "indent", .arg = "BLANKS", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "indent calls within calls", .command = &command_ltrace },
	{ .key = 'C', .name = "demangle", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "names of C++ as in the source", .command = &command_ltrace },
	{ .key = 'k', .name = "stack-traces", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "user stack after each call; needs no frame pointers (x86-64)", .command = &command_ltrace },
	{ .key = 'i', .name = "instruction-pointer", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "the address to which the call returns", .command = &command_ltrace },
	{ .key = 't', .name = "absolute-timestamps", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "time of day; -tt: with microseconds; -ttt: seconds since 1970", .command = &command_ltrace },
	{ .key = 'r', .name = "relative-timestamps", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "time since the line before", .command = &command_ltrace },
	{ .key = 'T', .name = "call-times", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "time spent in each call", .command = &command_ltrace },
	{ .key = 's', .name = "string-limit", .arg = "BYTES", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "bytes of strings that are shown (32)", .command = &command_ltrace },
	{ .key = 'a', .name = "align", .arg = "COLUMN", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "align results in this column (49)", .command = &command_ltrace },
	{ .key = 'b', .name = "no-signals", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "do not show signals", .command = &command_ltrace },
	{ .key = 'f', .name = "follow-forks", .group = GROUP_HIDDEN, .take = take_given,
	  .help = "as without it: children are traced unless there is --no-follow", .command = &command_ltrace },
};
/* clang-format on */
const u32 n_option_rows = ARRAY_SIZE(option_rows);

/* How much a command means this row where several have the same spelling. */
enum closeness { OF_ANOTHER, SHARED, APPLIES, OWN };

static enum closeness closeness(const struct option_row *row, const struct command *cmd)
{
	bool is_own = row->group == GROUP_HIDDEN && row->command;

	if (cmd && is_own && row->command == cmd)
		return OWN;
	if (cmd && option_applies(row, cmd))
		return APPLIES;
	return is_own ? OF_ANOTHER : SHARED;
}

static const struct option_row *closer(const struct option_row *a, const struct option_row *b,
				       const struct command *cmd)
{
	return !a || closeness(b, cmd) > closeness(a, cmd) ? b : a;
}

const struct option_row *option_by_key(const struct command *cmd, char key)
{
	const struct option_row *found = NULL;

	for (u32 i = 0; i < n_option_rows; i++)
		if (option_rows[i].key == key)
			found = closer(found, &option_rows[i], cmd);
	return found;
}

static const struct option_row *by_whole_name(const struct command *cmd, const char *name,
					      size_t len)
{
	const struct option_row *found = NULL;

	for (u32 i = 0; i < n_option_rows; i++)
		if (!strncmp(option_rows[i].name, name, len) && !option_rows[i].name[len])
			found = closer(found, &option_rows[i], cmd);
	return found;
}

/* The only one that is as close as that, or NULL. */
static const struct option_row *by_beginning(const struct command *cmd, const char *name,
					     size_t len, enum closeness least)
{
	const struct option_row *found = NULL;
	u32 n = 0;

	for (u32 i = 0; i < n_option_rows; i++)
		if (!strncmp(option_rows[i].name, name, len) &&
		    closeness(&option_rows[i], cmd) >= least) {
			found = &option_rows[i];
			n++;
		}
	return n == 1 ? found : NULL;
}

const struct option_row *option_by_name(const struct command *cmd, const char *name, size_t len)
{
	const struct option_row *found = by_whole_name(cmd, name, len);

	if (!found)
		found = by_beginning(cmd, name, len, cmd ? APPLIES : SHARED);
	return found ? found : by_beginning(cmd, name, len, OF_ANOTHER);
}

bool option_applies(const struct option_row *row, const struct command *cmd)
{
	if (row->group == GROUP_HIDDEN && row->command)
		return row->command == cmd;
	return !cmd->own_options && (!row->sets || (row->sets & cmd->takes));
}

bool option_is_listed(const struct option_row *row, const struct command *cmd)
{
	if (!option_applies(row, cmd) || row->group == GROUP_COMPAT ||
	    by_whole_name(cmd, row->name, strlen(row->name)) != row)
		return false;
	return row->group == GROUP_HIDDEN ? row->command != NULL : row->command == NULL;
}

void option_takers(struct buf *b, const struct option_row *row)
{
	u32 n = 0;

	for (u32 i = 0; commands[i]; i++)
		if (option_applies(row, commands[i]))
			buf_printf(b, "%s%s", n++ ? ", " : "", commands[i]->name);
}

char option_key(const struct option_row *row, const struct command *cmd)
{
	return row->key && (!cmd || option_by_key(cmd, row->key) == row) ? row->key : 0;
}

void option_spelling(struct buf *b, const struct option_row *row, const struct command *cmd)
{
	if (option_key(row, cmd))
		buf_printf(b, "-%c, ", row->key);
	buf_printf(b, "--%s", row->name);
	if (row->arg)
		buf_printf(b, "=%s", row->arg);
}
