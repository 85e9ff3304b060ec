/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde record: the trace events of some processes, or of the machine, in a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/export_file.h"
#include "cli/job.h"
#include "cli/record_dump.h"
#include "cli/record_events.h"
#include "cli/record_session.h"
#include "cli/record_start.h"
#include "store/compact.h"

/* ---- the file */

struct wanted { /* -o */
	const char *path;
	const struct exporter *exporter; /* by its suffix; NULL: a recording */
};

/* -o -: the recording goes to standard output, and other output of CMD and sonde to standard
 * error. */
static int make_stream(struct cli *c)
{
	int fd;

	if (isatty(STDOUT_FILENO))
		return say_usage(
			c, "-o -: a recording is not for a terminal: write it to a pipe or a file");
	if (c->own.record.overwrite || c->own.record.switch_output || c->own.record.dump_on)
		return say_usage(
			c, "-o - goes with neither --overwrite, --switch-output nor --dump-on");
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
		say(c, "write to standard output: %s", strerror(errno));
		return STATUS_REFUSED;
	}
	c->output.file = arena_printf(&c->line.arena, "/proc/self/fd/%d", fd);
	return 0;
}

/* -o x.perf.data is recorded to x.perf.data.sonde first. */
static int make_files(struct cli *c, const struct wanted *w)
{
	if (streq(w->path, "-"))
		return make_stream(c);
	if (w->exporter && record_keep_old(c, w->path))
		return STATUS_REFUSED;
	c->output.file = w->exporter ? arena_printf(&c->line.arena, "%s.sonde", w->path) : w->path;
	return record_make_file(c);
}

/* A killed sonde leaves holes in the file; otherwise it has none. */
static int without_holes(struct cli *c)
{
	const char *to = arena_printf(&c->line.arena, "%s.new", c->output.file);
	struct err err = { 0 };

	if (store_compact(c->output.file, to, &err) == 0 && rename(to, c->output.file) < 0)
		err_sys(&err, "rename %s to %s", to, c->output.file);
	say_err(c, &err);
	err_release(&err);
	return err.code ? STATUS_REFUSED : 0;
}

/* ---- limits */

struct amount {
	u64 bytes, ns;
};

/* "16M" or "30s"; false: it is neither. */
static bool read_amount(const char *text, struct amount *to)
{
	static const struct {
		const char *unit;
		struct amount amount;
	} units[] = { { "K", { 1 << 10, 0 } },      { "M", { 1 << 20, 0 } },
		      { "G", { 1 << 30, 0 } },      { "ms", { 0, 1000000 } },
		      { "s", { 0, 1000000000 } },   { "m", { 0, 60000000000 } },
		      { "h", { 0, 3600000000000 } } };
	char *end;
	u64 n = strtoull(text, &end, 10);

	for (u32 i = 0; i < ARRAY_SIZE(units) && n && n < 1 << 20; i++)
		if (streq(end, units[i].unit)) {
			*to = (struct amount){ n * units[i].amount.bytes, n * units[i].amount.ns };
			return true;
		}
	return false;
}

struct files {
	struct cli *c;
	u32 n, most; /* number of files besides FILE; its maximum, 0: none */
};

/* The values of --overwrite, --switch-output, --switch-max-files and --max-size. */
static int read_limits(struct cli *c, struct recording_plan *plan, struct files *files)
{
	const struct record_options *o = &c->own.record;
	struct amount kept = { 0 }, each = { 0 }, all = { 0 };

	if (o->overwrite && !read_amount(o->overwrite, &kept))
		return say_usage(c, "--overwrite=%s: a size as 16M, or a time as 30s",
				 o->overwrite);
	if (o->switch_output && !read_amount(o->switch_output, &each))
		return say_usage(c, "--switch-output=%s: a size as 16M, or a time as 30s",
				 o->switch_output);
	if (o->max_size && (!read_amount(o->max_size, &all) || !all.bytes))
		return say_usage(c, "--max-size=%s: a size as 16M", o->max_size);
	if (o->switch_output &&
	    (o->overwrite || exporter_by_suffix(c->output.file ? c->output.file : "")))
		return say_usage(
			c,
			"--switch-output goes with neither --overwrite nor the suffix of a format");
	files->most = o->switch_max_files ? (u32)strtoul(o->switch_max_files, NULL, 10) : 0;
	if (o->switch_max_files && (!files->most || !o->switch_output))
		return say_usage(c,
				 "--switch-max-files=%s: a number from 1 on, with --switch-output",
				 o->switch_max_files);
	plan->most_bytes = kept.bytes;
	plan->most_ns = kept.ns;
	plan->file_bytes = each.bytes;
	plan->file_ns = each.ns;
	plan->end_bytes = all.bytes;
	return 0;
}

/* ---- --switch-output: the file that is full is FILE.1, FILE.2 ... */

static void remove_old(const struct files *f)
{
	struct cli *c = f->c;

	if (f->most && f->n >= f->most)
		unlink(arena_printf(&c->line.arena, "%s.%u", c->output.file, f->n + 1 - f->most));
}

static int next_file(void *ctx, int fd)
{
	struct files *f = ctx;
	struct cli *c = f->c;
	int made, ret = 0;

	if (rename(c->output.file, arena_printf(&c->line.arena, "%s.%u", c->output.file, ++f->n)) <
	    0)
		return -errno;
	remove_old(f);
	made = open(c->output.file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (made < 0 || dup3(made, fd, O_CLOEXEC) < 0)
		ret = -errno;
	if (made >= 0)
		close(made);
	return ret;
}

/* The recording itself goes when its export is whole. */
static int export_recording(struct cli *c, const struct wanted *w)
{
	const char *recording = c->output.file;
	struct recorded r = { 0 };
	int ret;

	c->output.file = w->path;
	ret = recorded_open_path(&r, c, recording);
	if (ret)
		return ret;
	ret = export_file(&r, w->exporter, w->path);
	recorded_close_quietly(&r);
	if (ret)
		say(c, "the recording is in %s", recording);
	else
		unlink(recording);
	return ret;
}

struct run {
	struct recording recording;
	struct wanted wanted;
};

static int finish(struct cli *c, void *ctx)
{
	struct run *run = ctx;
	int ret = 0;

	if (!run->recording.bytes)
		return 0;
	if (c->own.record.overwrite)
		ret = without_holes(c);
	if (!ret && run->wanted.exporter)
		ret = export_recording(c, &run->wanted);
	if (!ret)
		record_tell(c, &run->recording,
			    streq(run->wanted.path, "-") ? "standard output" : run->wanted.path);
	return ret;
}

static struct wanted wanted_of(const struct cli *c)
{
	const char *path = c->output.file ? c->output.file : RECORDING_FILE;

	return (struct wanted){ path, exporter_by_suffix(path) };
}

static int record_to_file(struct cli *c, const struct record_script *script)
{
	struct record_start *s = xcalloc(1, sizeof *s);
	struct run run = { .recording.plan = &s->plan, .wanted = wanted_of(c) };
	struct job job = {
		.script = script->text.s,
		.output = &output_recording,
		.finish = finish,
		.finish_ctx = &run,
		.status_of_cmd = !c->own.record.background,
	};
	struct files files = { .c = c };
	int ret = read_limits(c, &s->plan, &files);

	record_dump_plan(c, &s->plan);
	record_session_plan(c, &s->plan);
	s->plan.has_stacks = c->own.record.stacks || c->select.frequency;
	s->plan.probes = &script->probes;
	s->plan.next_file = c->own.record.switch_output ? next_file : NULL;
	s->plan.file_ctx = &files;
	if (!ret)
		ret = make_files(c, &run.wanted);
	if (!ret)
		record_start_make(s, c);
	memcpy(s->plan.keeps_raw, script->keeps_raw, sizeof script->keeps_raw);
	if (script->renames_calls)
		s->plan.calls = (struct event_format * (*)[RECORDED_CALLS])(uintptr_t)script->calls;
	c->sink.state = &run.recording;
	if (!ret) {
		ret = job_run(c, &job);
		if (!run.recording.bytes)
			record_drop_empty(c);
	}
	record_start_release(s);
	free(s);
	return ret;
}

static int record_here(struct cli *c)
{
	struct record_script *script = xcalloc(1, sizeof *script);
	int ret = job_targets(c, JOB_NEEDS_TARGET);

	if (!ret)
		ret = job_only_cpus(c);
	if (!ret)
		ret = record_dump_check(c);
	if (!ret)
		ret = record_script_make(c, c->select.events, script);
	if (!ret)
		ret = record_to_file(c, script);
	buf_release(&script->text);
	free(script);
	return ret;
}

/* ---- SCRIPT */

/* "-e 'PROGRAM'": text with a clause is a script, not an event. */
static bool take_program(struct cli *c)
{
	const char *text = c->select.events ? c->select.events[0] : NULL;

	if (!text || c->select.events[1] || !strchr(text, '{') || text[0] == '{')
		return false;
	c->request.script.text = text;
	return true;
}

/* The script itself runs, and the values that it reads are recorded: lang/noting.c. */
static int record_reads(struct cli *c)
{
	struct record_script *script = xcalloc(1, sizeof *script);
	int ret;

	script->probes.arena = &c->line.arena;
	c->request.noting = &script->probes;
	ret = script_read(c);
	c->line.n_after = 0;
	if (!ret && !c->request.traced.command && !c->request.traced.n_pids && !c->select.all)
		ret = say_usage(c, "what to trace: a command after --, -p PID or -a");
	if (!ret)
		ret = job_targets(c, JOB_NEEDS_TARGET);
	if (!ret)
		ret = job_only_cpus(c);
	if (!ret && (c->own.record.stacks || c->select.frequency || c->own.record.dump_on ||
		     c->select.tids.n || (c->select.events && c->line.n_words)))
		ret = say_usage(
			c,
			"a script says itself what is recorded: it goes with none of -e EVENT, -g, -F, -t and --dump-on");
	if (!ret)
		ret = record_to_file(c, script);
	free(script);
	return ret;
}

static int record(struct cli *c)
{
	if (c->line.n_words && !c->line.has_script)
		return record_session(c, record_here);
	return c->line.has_script || take_program(c) ? record_reads(c) : record_here(c);
}

const struct command command_record = {
	.name = "record",
	.args = "CMD [ARG]...",
	.brief = "record trace events of a command to a file",
	.doc = "Writes trace events to a compressed file with mode 0600: sonde.data, or the file of -o. "
	       "An older file is kept as FILE.old. With a suffix of sonde export (x.perf.data, trace.dat, "
	       "x.pftrace) the file is in that format; -o - writes a recording to standard output. Records only events of CMD, or of the processes of "
	       "-p, their threads and descendants: those that one of these threads causes, and those "
	       "that have one in a field of type pid_t (a switch to it, a wake-up by another process). "
	       "-a records all processes except sonde, as long as CMD runs if there is one. With SCRIPT (a file *.bt, a tool, or -e PROGRAM) "
	       "exactly what the script reads is kept, at its probes: \"sonde run SCRIPT --from FILE\" then prints what it would have printed live. EVENTS are SYSTEM:NAME, either "
	       "alone, or counters: page-faults, cycles, cpu-clock. Without -e and -F: switches, wake-ups, the life of processes and "
	       "system calls. With -p and CMD, CMD is not recorded: it only tells how long. If sonde is killed, the file has all that is older than half a second. "
	       "The exit status is that of CMD. \"record start NAME\" with the same options records in the background, to sonde-NAME.data, "
	       "without -p and CMD all processes; \"record status\" shows such recordings, \"record snapshot NAME\" copies "
	       "what one has so far to FILE.1, and \"record stop NAME\" ends it and waits until its file is complete.",
	.example = "sonde record -e sched:sched_process_fork -- make",
	.run = record,
	.takes = SET_TARGET | SET_TREE | SET_RUN | SET_OUTPUT | SET_CPUS | SET_SAMPLES |
		 SET_EVENTS | SET_THREADS,
	.words_are_cmd = true,
	.cmd_times_pids = true,
	.verbs = record_verbs,
	.script_before_cmd = true,
};
