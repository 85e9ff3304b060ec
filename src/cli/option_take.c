/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What options do with their values: a member of struct cli or of the request, after a check. A
 * message names the values that the option can have.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "cli/job.h"
#include "cli/option_take.h"
#include "engine/kernel/kernel.h"
#include "lang/number.h"
#include "output/output.h"
#include "object/elf.h"
#include "sym/procs.h"

enum { PID_MAX_LIMIT = 0x400000 }; /* include/linux/threads.h, 64-bit */

/* ---- destinations */

static void *member(struct cli *c, const struct option_row *row)
{
	return (char *)c + row->at;
}

int take_flag(struct cli *c, const struct option_row *row, const char *value)
{
	*(bool *)member(c, row) = true;
	return 0;
}

int take_text(struct cli *c, const struct option_row *row, const char *value)
{
	*(const char **)member(c, row) = value;
	return 0;
}

int take_number(struct cli *c, const struct option_row *row, const char *value)
{
	u32 *n = member(c, row);
	const char *end = job_read_number(value, n);

	if (end && !*end && *n)
		return 0;
	return say_usage(c, "--%s=%s: a number from 1 to 999999", row->name, value);
}

int take_count(struct cli *c, const struct option_row *row, const char *value)
{
	u64 *n = member(c, row);
	size_t digits = strspn(value, "0123456789");

	*n = strtoull(value, NULL, 10);
	if (*n && digits && !value[digits] && digits < 19)
		return 0;
	return say_usage(c, "--%s=%s: a number from 1 on", row->name, value);
}

int take_frequency(struct cli *c, const struct option_row *row, const char *value)
{
	struct buf most = { 0 };

	if (streq(value, "max") &&
	    buf_read_file(&most, "/proc/sys/kernel/perf_event_max_sample_rate") == 0)
		value = arena_strndup(&c->line.arena, most.s, strcspn(most.s, "\n"));
	buf_release(&most);
	return take_text(c, row, value);
}

/* A word among others. */
int take_input(struct cli *c, const struct option_row *row, const char *value)
{
	c->line.words[c->line.n_words++] = value;
	return 0;
}

int take_timeout(struct cli *c, const struct option_row *row, const char *value)
{
	u32 ms;
	const char *end = job_read_number(value, &ms);

	if (!end || *end || !ms)
		return say_usage(c, "--timeout=%s: milliseconds, from 1 to 999999", value);
	c->request.duration_ns = ms * 1000000ull;
	return 0;
}

/* The command reads c->line.given. */
int take_given(struct cli *c, const struct option_row *row, const char *value)
{
	return 0;
}

int take_from(struct cli *c, const struct option_row *row, const char *value)
{
	c->request.engine.name = "replay";
	return take_text(c, row, value);
}

int take_interpreter(struct cli *c, const struct option_row *row, const char *value)
{
	return take_text(c, row, "interpreter");
}

/* The values so far and this one, as a list that ends with NULL. */
int take_list(struct cli *c, const struct option_row *row, const char *value)
{
	const char *const **at = member(c, row);
	const char **list;
	u32 n = 0;

	while (*at && (*at)[n])
		n++;
	list = arena_array(&c->line.arena, const char *, n + 2);
	if (n)
		memcpy(list, *at, n * sizeof *list);
	list[n] = value;
	*at = list;
	return 0;
}

int take_event_filter(struct cli *c, const struct option_row *row, const char *value)
{
	u32 n = 0;
	const char **list;

	while (c->select.events && c->select.events[n])
		n++;
	if (!n)
		return say_usage(
			c,
			"--filter=%s: it is a condition of the events of the -e before it, and there is none",
			value);
	list = arena_array(&c->line.arena, const char *, n);
	if (c->select.n_event_filters)
		memcpy(list, c->select.event_filters, c->select.n_event_filters * sizeof *list);
	list[n - 1] = list[n - 1] ?
			      arena_printf(&c->line.arena, "(%s) && (%s)", list[n - 1], value) :
			      value;
	c->select.event_filters = list;
	c->select.n_event_filters = n;
	return 0;
}

void take_include_path(struct cli *c, const char *variable)
{
	const char *s = getenv(variable);

	for (; s && *s; s += *s == ':') {
		size_t n = strcspn(s, ":");

		if (n)
			take_list(c, option_by_key(NULL, 'I'), arena_strndup(&c->line.arena, s, n));
		s += n;
	}
}

int take_debuginfo(struct cli *c, const struct option_row *row, const char *value)
{
	static char *dirs;

	free(dirs);
	dirs = xasprintf("%s:/usr/lib/debug", value);
	elf_debug_dirs(dirs);
	return 0;
}

int take_note(struct cli *c, const struct option_row *row, const char *value)
{
	if (row->why)
		say_note(c, "ignoring --%s: %s", row->name, row->why);
	return 0;
}

int take_command(struct cli *c, const struct option_row *row, const char *value)
{
	if (c->command == &command_explain && row->command == &command_list) {
		c->own.listed = true; /* "explain --list" */
		return 0;
	}
	c->command = row->command;
	return 0;
}

int take_aot(struct cli *c, const struct option_row *row, const char *value)
{
	c->command = &command_build;
	return take_text(c, row, value);
}

int take_object(struct cli *c, const struct option_row *row, const char *value)
{
	c->command = &command_object;
	return take_text(c, row, value);
}

int take_run_mode(struct cli *c, const struct option_row *row, const char *value)
{
	c->request.mode |= row->number;
	return 0;
}

int take_manual(struct cli *c, const struct option_row *row, const char *value)
{
	c->own.help.manual = (enum manual)row->number;
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
	text = arena_strndup(&c->line.arena, b.s, b.len);
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

int take_engine(struct cli *c, const struct option_row *row, const char *value)
{
	if (choice(row, value) < 0)
		return bad_choice(c, row, value);
	c->request.engine.is_auto = streq(value, "auto");
	return c->request.engine.is_auto ? 0 : take_text(c, row, value);
}

int take_text_choice(struct cli *c, const struct option_row *row, const char *value)
{
	return choice(row, value) < 0 ? bad_choice(c, row, value) : take_text(c, row, value);
}

static const char *number_fault(struct cli *c, const char *s)
{
	return arena_printf(
		&c->line.arena,
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
	pids = arena_array(&c->line.arena, u32, t->n_pids + 1);
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
	if (!pid || (!c->request.from.file && !proc_exists((u32)pid))) {
		say(c, "Failed to attach to pid: Unable to open pidfd (%s)",
		    strerror(pid ? ESRCH : EINVAL));
		fprintf(stderr, "  help: there is no process %d\n", pid);
		return 1;
	}
	if (c->request.from.file) {
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
int take_pids(struct cli *c, const char *value)
{
	int ret = 0;

	if (c->line.drop_in)
		c->request.traced.n_pids = 0; /* the last wins */
	if (c->line.drop_in || !strchr(value, ','))
		return take_one_pid(c, value);
	for (const char *s = value, *end; s && !ret; s = *end ? end + 1 : NULL) {
		end = strchrnul(s, ',');
		ret = take_one_pid(c, arena_strndup(&c->line.arena, s, (size_t)(end - s)));
	}
	return ret;
}

int take_pid(struct cli *c, const struct option_row *row, const char *value)
{
	if (c->command == &command_record && strspn(value, "abcdefghijklmnopqrstuvwxyz_") > 2)
		return say_usage(c,
				 "-p %s: -p is a process; a tracer is that of sonde ftrace: -t %s",
				 value, value);
	if (c->command != &command_sched)
		return take_pids(c, value);
	c->own.sched.pids_given = value; /* they may be those of a recording */
	return 0;
}

static int take_one_tid(struct cli *c, const char *value)
{
	struct traced *t = &c->request.traced;
	u32 process, i = 0;
	s32 tid;
	int ret = read_pid(c, value, &tid);

	if (ret)
		return ret;
	process = tid > 0 ? proc_of_thread((u32)tid) : 0;
	if (!process)
		return say_usage(c, "--tid=%s: there is no thread %s", value, value);
	while (i < t->n_pids && t->pids[i] != process)
		i++;
	if (i == t->n_pids)
		add_pid(c, process);
	for (i = 0; i < c->select.tids.n; i++)
		if (c->select.tids.v[i] == (u32)tid)
			return 0;
	vec_push(&c->line.arena, &c->select.tids, (u32)tid);
	return 0;
}

int take_tid(struct cli *c, const struct option_row *row, const char *value)
{
	int ret = 0;

	c->select.no_follow = true;
	for (const char *s = value, *end; s && !ret; s = *end ? end + 1 : NULL) {
		end = strchrnul(s, ',');
		ret = take_one_tid(c, arena_strndup(&c->line.arena, s, (size_t)(end - s)));
	}
	return ret;
}

int take_follow(struct cli *c, const struct option_row *row, const char *value)
{
	c->request.traced.scope = SCOPE_TREE;
	return 0;
}

int take_dwarf_pid(struct cli *c, const struct option_row *row, const char *value)
{
	s32 pid;
	int ret = read_pid(c, value, &pid);

	return ret ? ret : take_note(c, row, value);
}

int take_traceable(struct cli *c, const struct option_row *row, const char *value)
{
	if (access(value, R_OK) == 0)
		return take_note(c, row, value);
	say(c, "Failed to open kernel function info: Could not read functions from %s. (%s)", value,
	    strerror(errno));
	return 1;
}

/* "2s", "500ms"; a number alone counts seconds. */
int take_time(struct cli *c, const struct option_row *row, const char *value)
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
int take_short_time(struct cli *c, const struct option_row *row, const char *value)
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

int take_format(struct cli *c, const struct option_row *row, const char *value)
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

int take_buffering(struct cli *c, const struct option_row *row, const char *value)
{
	switch (choice(row, value)) {
	case 0: c->sink.buffering = SINK_LINE; break;
	case 1: c->sink.buffering = SINK_FULL; break;
	case 2: c->sink.buffering = SINK_NONE; break;
	default: return say_usage(c, "USAGE: -B must be either 'line', 'full', or 'none'.");
	}
	c->output.buffering_given = true;
	return 0;
}

int take_escape(struct cli *c, const struct option_row *row, const char *value)
{
	switch (choice(row, value)) {
	case 0: c->output.escape = WHEN_TERMINAL; return 0;
	case 1: c->output.escape = WHEN_ALWAYS; return 0;
	case 2: c->output.escape = WHEN_NEVER; return 0;
	default: return bad_choice(c, row, value);
	}
}

int take_diag(struct cli *c, const struct option_row *row, const char *value)
{
	int i = choice(row, value);

	if (i < 0)
		return bad_choice(c, row, value);
	c->request.diag.json = i == 1;
	return 0;
}

/* Old releases of bpftrace accepted -kk; it is an error since. */
int take_warnings(struct cli *c, const struct option_row *row, const char *value)
{
	if (c->n_warnings_given++)
		return say_usage(
			c,
			"USAGE: -kk has been deprecated. Use a single -k for runtime warnings for errors in map "
			"lookups and probe reads.");
	c->request.compile.extra_warnings = true;
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
			c->request.compile.dump |= stages[i].stage;
			return 0;
		}
	return -1;
}

int take_dump(struct cli *c, const struct option_row *row, const char *value)
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

int take_no_pass(struct cli *c, const struct option_row *row, const char *value)
{
	c->request.compile.no_pass = value;
	for (u32 i = 0; i < n_ir_passes; i++)
		if (listed(value, ir_passes[i].name) || listed(value, "all"))
			return 0;
	return say_usage(c, "--no-pass=%s: no such pass (\"%s help passes\" lists them)", value,
			 c->line.program);
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
int take_no_feature(struct cli *c, const struct option_row *row, const char *value)
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
				c->line.program, (int)(end - s), s);
			return 1;
		}
		f->known[i] = FEATURE_NO;
		f->pretended = true;
	}
	return 0;
}

int take_mode(struct cli *c, const struct option_row *row, const char *value)
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
