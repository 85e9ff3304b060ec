/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde ltrace: the calls of a command or of processes to their libraries, in the format of
 * ltrace(1). */
#include <stdlib.h>
#include "cli/job.h"
#include "cli/ltrace/ltrace.h"
#include "output/output.h"
#include "provider/uret.h"

/* -x names functions; those of -e and -l may be called later, by another program. */
static int check_entries(const struct ltrace *lt)
{
	const char *vain = ltrace_filter_vain(lt->o.entries);

	return vain ? say_usage(lt->c,
				"-x %s: neither the program nor its libraries have such a function",
				vain) :
		      0;
}

/* A trace without lines has a reason. */
static void tell_nothing(const struct ltrace *lt)
{
	const struct ltrace_options *o = &lt->o;
	const char *vain = ltrace_filter_vain(o->calls);

	if (vain)
		say_note(
			lt->c,
			"-e %s: neither the program nor its libraries call such a function%s", vain,
			strpbrk(vain, ",|= ") ?
				" (names are joined by +, as in malloc+free; system calls: -S, or sonde strace)" :
				"");
	else if (!lt->funcs.n && !o->no_default && !o->entries && !o->libraries && !o->system_calls)
		say_note(
			lt->c,
			"%s: no calls to shared libraries (-x '*' shows the program's own functions, sonde flow main what they call)",
			lt->objects.n ? lt->objects.v[0]->name : "the program");
}

/* Exceptions pass through functions of C, too, which call back, or at which a thread is cancelled:
 * the return addresses of a program in C++ or Rust, or with coroutines, must stay as they are. */
static bool has_exceptions(const struct ltrace *lt)
{
	for (u32 i = 0; i < lt->objects.n; i++)
		if (uret_unwinds(lt->objects.v[i]->elf) == UNWINDS_STACKS)
			return true;
	return false;
}

static int trace(struct ltrace *lt)
{
	struct cli *c = lt->c;
	struct job job = {
		.output = &output_ltrace, .status_of_cmd = true, .on_stderr = true, .verbatim = true
	};
	int ret = ltrace_find_objects(lt);

	if (ret)
		return ret;
	ltrace_find_functions(lt);
	ret = check_entries(lt);
	if (ret)
		return ret;
	tell_nothing(lt);
	lt->has_exceptions = has_exceptions(lt);
	c->request.probes.keeps_return_addresses = lt->has_exceptions;
	job.script = ltrace_script(lt);
	lt->s = &c->sink;
	lt->o.json = c->sink.output == &output_json;
	lt->awaits_exec = c->request.traced.command != NULL;
	c->request.traced.alone = true;
	/* of functions that take no probe, and that nothing may ever call */
	c->request.compile.no_warnings |= (lt->o.other_programs || lt->has_exceptions) &&
					  !c->request.verbose;
	if (c->request.verbose)
		say_note(c, "the script:\n%s", job.script);
	return job_run(c, &job);
}

static int check_format(const struct ltrace *lt)
{
	const struct cli *c = lt->c;
	bool is_json = c->sink.output == &output_json;

	if (c->sink.output && !is_json && c->sink.output != &output_text)
		return say_usage(c, "--format=%s: calls are text or json", c->sink.output->name);
	if (is_json && (lt->o.summary || lt->o.frames))
		return say_usage(c, "-%c is text", lt->o.summary ? 'c' : 'k');
	return 0;
}

static int run(struct cli *c)
{
	struct ltrace *lt;
	int ret = job_targets(c, JOB_NEEDS_TARGET);

	if (ret)
		return ret;
	lt = xcalloc(1, sizeof *lt);
	lt->c = c;
	c->own.ltrace = lt;
	ret = ltrace_read_options(lt);
	ret = ret ? ret : check_format(lt);
	ret = ret ? ret : trace(lt);
	ltrace_release_lines(lt);
	ltrace_release_objects(lt);
	proto_release(&lt->prototypes);
	free(lt);
	return ret;
}

const struct command command_ltrace = {
	.name = "ltrace",
	.args = "-p PID | CMD [ARG]...",
	.brief = "print calls to shared libraries, as ltrace does",
	.doc = "Calls of a program to its libraries and of libraries to each other. Lines are those of ltrace(1), and so "
	       "are the options. The trace goes to standard error, or to the file of -o, and the exit status is "
	       "that of CMD. Functions are probed where they begin, so it makes no difference whether calls go through "
	       "the PLT, through the GOT (-fno-plt) or by pointers. A library's calls to itself are shown with -x.",
	.example = "sonde ltrace date\n"
		   "sonde ltrace -e malloc+free -T sort /etc/passwd\n"
		   "sonde ltrace -c -p 1234",
	.run = run,
	.takes = SETS_JOB | SET_CALLS,
	.words_are_cmd = true,
	.cmd_and_pids = true,
};
