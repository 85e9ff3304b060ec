/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The script of a run. In: clauses. Out: text of the language; the number of the clause comes first
 * in each record:
 *
 *	tracepoint:sched:sched_waking /followed(tid)/ { record((0, kstack, ustack)); }
 *	uprobe:/bin/bash:readline { print((1, nsecs, pid, tid, cpu, comm, probe, ustack, str(args.prompt))); }
 */
#include "cli/job.h"
#include "cli/trace/trace.h"

static void put_stacks(struct buf *b, const struct trace *t, const struct trace_clause *cl)
{
	if (t->has_stacks)
		buf_puts(b, cl->has_user_regs ? ", ustack" : ", kstack, ustack");
}

static void put_values(struct buf *b, const struct trace_clause *cl)
{
	switch (cl->kind) {
	case TRACE_EVENT: return;
	case TRACE_CALL: buf_puts(b, ", argstr"); return;
	case TRACE_RETURN: buf_puts(b, ", retval, argstr"); return;
	case TRACE_FORMAT: buf_puts(b, cl->values); return;
	case TRACE_FIELDS:
		for (u32 i = 0; i < cl->fields.n; i++)
			buf_printf(b, ", %s", cl->fields.v[i].expr);
		return;
	}
}

static void put_clause(struct buf *b, const struct trace *t, u32 number)
{
	const struct trace_clause *cl = &t->clauses.v[number];

	buf_puts(b, cl->probes);
	if (cl->condition)
		buf_printf(b, " /%s/", cl->condition);
	if (cl->kind == TRACE_EVENT && !t->has_stacks) {
		buf_puts(b, " { record(); }\n");
		return;
	}
	buf_printf(b,
		   cl->kind == TRACE_EVENT ? " { record((%u" :
					     " { print((%u, nsecs, pid, tid, cpu, comm, probe",
		   number);
	put_stacks(b, t, cl);
	put_values(b, cl);
	buf_puts(b, ")); }\n");
}

const char *trace_script(struct trace *t)
{
	struct buf b = { 0 };
	const char *text;
	u32 line = 1;

	buf_printf(&b, "config = { max_probes = 100000; perf_rb_pages = %llu }\n",
		   (unsigned long long)job_ring_pages());
	for (u32 i = 0; i < t->clauses.n; i++) {
		t->clauses.v[i].line = ++line;
		put_clause(&b, t, i);
		for (const char *s = t->clauses.v[i].probes; (s = strchr(s, '\n')); s++)
			line++;
	}
	text = arena_strdup(&t->c->line.arena, b.s);
	buf_release(&b);
	return text;
}
