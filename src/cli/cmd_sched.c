/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde sched: waits for processors, runs, and threads by processor; live or of a recording. */
#include <unistd.h>
#include "cli/job.h"
#include "cli/option_take.h"
#include "cli/record_events.h"
#include "cli/recording.h"
#include "cli/sched/sched.h"
#include "export/export.h"
#include "output/none.h"
#include "output/notice.h"
#include "trace/event_line.h"

#define MIGRATION "sched:sched_migrate_task"

/* ---- threads */

static struct sched_thread *thread_of(struct sched *s, u32 tid)
{
	struct sched_thread *t = hash_get(&s->by_tid, &tid, sizeof tid);

	if (t)
		return t;
	t = arena_new(&s->arena, struct sched_thread);
	t->tid = tid;
	hash_put(&s->by_tid, &t->tid, sizeof t->tid, t);
	vec_push(&s->arena, &s->threads, t);
	return t;
}

static void name(struct sched_thread *t, const char *comm, u32 len)
{
	if (!len)
		return;
	memset(t->comm, 0, sizeof t->comm);
	memcpy(t->comm, comm, MIN(len, (u32)sizeof t->comm - 1));
}

static struct sched_thread *thread_in(struct sched *s, const struct trace_event *e, const char *tid,
				      const char *comm)
{
	struct sched_thread *t = thread_of(s, (u32)event_number(e, tid));
	u32 len;
	const char *text = event_string(e, comm, &len);

	name(t, text, len);
	return t;
}

/* ---- events */

static void take_switch(struct sched *s, struct sched_event *e)
{
	e->thread = thread_in(s, e->e, "prev_pid", "prev_comm");
	e->next = thread_in(s, e->e, "next_pid", "next_comm");
	e->state = event_number(e->e, "prev_state");
	s->view->on_switch(s, e);
}

static void take_wakeup(struct sched *s, struct sched_event *e)
{
	e->thread = thread_in(s, e->e, "pid", "comm");
	if (s->view->on_wakeup)
		s->view->on_wakeup(s, e);
}

/* Of a wake-up there are two events: when it begins, and when the thread is in a queue. */
static void take_waking(struct sched *s, struct sched_event *e)
{
	if (s->by_waking)
		take_wakeup(s, e);
}

static void take_woken(struct sched *s, struct sched_event *e)
{
	if (!s->by_waking)
		take_wakeup(s, e);
}

static void take_migration(struct sched *s, struct sched_event *e)
{
	e->thread = thread_in(s, e->e, "pid", "comm");
	e->from_cpu = event_number(e->e, "orig_cpu");
	e->to_cpu = event_number(e->e, "dest_cpu");
	if (s->view->on_migration)
		s->view->on_migration(s, e);
}

static void take_runtime(struct sched *s, struct sched_event *e)
{
	e->thread = thread_in(s, e->e, "pid", "comm");
	e->runtime = (u64)event_number(e->e, "runtime");
	if (s->view->on_runtime)
		s->view->on_runtime(s, e);
}

static const struct {
	const char *name;
	void (*take)(struct sched *s, struct sched_event *e);
} takers[] = {
	{ "sched:sched_switch", take_switch },        { "sched:sched_waking", take_waking },
	{ "sched:sched_wakeup", take_woken },         { "sched:sched_wakeup_new", take_wakeup },
	{ "sched:sched_stat_runtime", take_runtime }, { MIGRATION, take_migration }
};

static void take_event(struct sched *s, const struct trace_event *event)
{
	struct sched_event e = { .e = event };
	struct sched_thread *current = thread_of(s, event->tid);
	u32 len;
	const char *comm = event_comm(event, &len);

	current->pid = event->tid ? event->pid : 0;
	name(current, comm, len);
	for (u32 i = 0; i < ARRAY_SIZE(takers); i++)
		if (streq(takers[i].name, event->format->name))
			takers[i].take(s, &e);
}

static void finish(struct sched *s)
{
	if (s->view->end)
		s->view->end(s);
}

static void release(struct sched *s)
{
	hash_release(&s->by_tid);
	arena_release(&s->arena);
}

/* ---- of a recording */

static void read_tasks(struct sched *s, const struct recorded *r)
{
	for (u32 i = 0; i < r->tables->tasks.n; i++) {
		const struct task_row *row = &r->tables->tasks.v[i];
		struct sched_thread *t = thread_of(s, row->tid);

		t->pid = row->pid;
		name(t, row->comm, (u32)strnlen(row->comm, sizeof row->comm));
	}
}

static int read_all(struct sched *s, struct recorded *r)
{
	struct trace_event e;

	if (!store_has_event(r->tables, "sched:sched_switch"))
		return say_usage(
			s->c, "%s has no sched:sched_switch: sonde record -e 'sched:*' records it",
			r->path);
	if (s->c->own.sched.migrations && !store_has_event(r->tables, MIGRATION))
		return say_usage(s->c,
				 "%s has no " MIGRATION ": sonde record -e 'sched:*' records it",
				 r->path);
	if (sink_open(s->c))
		return STATUS_WRONG;
	s->sink = &s->c->sink;
	r->names.visible = s->sink->visible_out;
	s->names = &r->names;
	s->by_waking = s->view->by_waking ? store_has_event(r->tables, "sched:sched_waking") :
					    !store_has_event(r->tables, "sched:sched_wakeup");
	s->has_runtimes = store_has_event(r->tables, "sched:sched_stat_runtime");
	s->n_cpus = MIN(r->tables->head.n_cpus, (u32)SCHED_CPUS);
	read_tasks(s, r);
	while (!s->sink->closed && store_next(r->store, &e))
		take_event(s, &e);
	finish(s);
	return sink_close(s->c);
}

static int from_file(struct sched *s, const char *path)
{
	struct recorded r = { 0 };
	int closed, ret = is_own_input(s->c, s->c->output.file, path) ?
				  STATUS_WRONG :
				  recorded_open_path(&r, s->c, path);

	if (ret)
		return ret;
	ret = recorded_set_range(&r) ?: recorded_one_range(&r);
	if (!ret && s->view->has_window) {
		s->window.from = r.from;
		s->window.to = r.to;
		store_range(r.store, 0, ~0ull);
	}
	ret = ret ? ret : read_all(s, &r);
	closed = recorded_close(&r);
	return ret ? ret : closed;
}

/* ---- live */

static void on_event(struct sink *sink, const struct trace_event *e)
{
	struct sched *s = sink->state;

	s->sink = sink;
	s->names = sink->names;
	take_event(s, e);
}

static void on_end(struct sink *sink)
{
	struct sched *s = sink->state;

	s->sink = sink;
	s->names = sink->names;
	finish(s);
}

static const struct output output_sched = {
	.name = "sched",
	TEXT_MESSAGES,
	.attached = text_attached,
	.value = text_value,
	.table = none_table,
	.event = on_event,
	.lost = text_lost,
	.end = on_end,
};

static int live(struct sched *s)
{
	const char *const events[] = {
		"sched:sched_switch,sched:sched_waking,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_stat_runtime",
		s->c->own.sched.migrations ? MIGRATION : NULL, NULL
	};
	struct record_script script = { 0 };
	int ret = record_script_make(s->c, events, &script);

	s->n_cpus = (u32)sysconf(_SC_NPROCESSORS_CONF);
	s->has_runtimes = true;
	s->by_waking = s->view->by_waking;
	s->c->sink.state = s;
	if (!ret)
		ret = job_run(s->c, &(struct job){ .script = script.text.s,
						   .output = &output_sched,
						   .status_of_cmd = true });
	buf_release(&script.text);
	return ret;
}

/* ---- the command line */

static const struct sched_view *const views[] = { &sched_latency, &sched_timehist, &sched_map };

/* -s is perf's: of latency the columns follow, of timehist it is a flag. */
static u32 take_sort(struct cli *c)
{
	if (!c->own.sched.summary || c->line.n_words < 2 || !sched_is_sort_list(c->line.words[1]))
		return 0;
	c->own.sched.sort = c->line.words[1];
	return 1;
}

static int find_view(struct sched *s)
{
	struct cli *c = s->c;
	u32 n;

	for (u32 i = 0; i < ARRAY_SIZE(views) && c->line.n_words; i++)
		if (streq(views[i]->name, c->line.words[0]))
			s->view = views[i];
	if (!s->view && c->line.n_words && streq(c->line.words[0], "record"))
		return say_usage(
			c,
			"latency, timehist and map record by themselves; sonde record -e 'sched:*' makes a file for --from");
	if (!s->view)
		return say_usage(
			c,
			"what to show: latency, timehist or map, as in \"%s sched latency -- make\"",
			c->line.program);
	n = 1 + (s->view == &sched_latency ? take_sort(c) : 0);
	if (c->own.sched.sort && !sched_is_sort_list(c->own.sched.sort))
		return say_usage(c, "--sort=%s: the columns are avg, max, switch and runtime",
				 c->own.sched.sort);
	return c->line.n_words > n ? say_usage(c, "%s: a command follows --, a recording --from",
					       c->line.words[n]) :
				     0;
}

/* Numbers with commas between them. */
static bool read_list(struct sched *s, const char *list, bool of_pids)
{
	u32 n;

	for (const char *at = list; at; at = *at ? at + 1 : NULL) {
		at = job_read_number(at, &n);
		if (!at || (*at && *at != ','))
			return false;
		if (of_pids)
			vec_push(&s->arena, &s->pids, n);
		else
			vec_push(&s->arena, &s->tids, n);
	}
	return true;
}

static void show_cpus(void *ctx, u32 first, u32 last)
{
	struct sched *s = ctx;

	for (u32 i = first; i <= last && i < SCHED_CPUS; i++)
		s->shown[i] = 1;
}

static bool read_cpus(struct sched *s, const char *list)
{
	s->shown = arena_array(&s->arena, u8, SCHED_CPUS);
	return job_read_ranges(list, show_cpus, s);
}

/* What is shown of the events. */
static int read_choice(struct sched *s)
{
	struct cli *c = s->c;
	const char *tids = c->own.sched.tids, *pids = c->own.sched.pids_given,
		   *cpus = c->select.cpus;

	if (tids && !read_list(s, tids, false))
		return say_usage(c, "--tid=%s: numbers of threads, as 12,15", tids);
	if (cpus && !read_cpus(s, cpus))
		return job_refuse_cpus(c);
	if (c->select.time_range && !c->request.from.file)
		return say_usage(c, "--time is for a recording: --from");
	if (pids && !c->request.from.file)
		return take_pids(c, pids);
	if (pids && !read_list(s, pids, true))
		return say_usage(c, "--pid=%s: numbers of processes, as 12,15", pids);
	return s->view != &sched_timehist && (s->tids.n || s->pids.n) ?
		       say_usage(c, "-p and -t choose threads of a recording's timehist") :
		       0;
}

static int sched(struct cli *c)
{
	struct sched s = { .c = c };
	bool has_target = c->select.all || c->line.n_after || c->own.sched.pids_given;
	const char *from = c->request.from.file;
	int ret = find_view(&s);

	if (!from && !has_target && !access(RECORDING_FILE, R_OK)) /* as perf sched */
		from = c->request.from.file = RECORDING_FILE;

	arena_init(&s.arena);
	ret = ret ? ret : read_choice(&s);
	if (!ret && from && (c->select.all || c->line.n_after))
		ret = say_usage(c, "--from shows a recording: without -a and a command");
	c->request.from.file = c->request.engine.name = NULL;
	if (!ret && from)
		ret = from_file(&s, from);
	else if (!ret)
		ret = (ret = job_targets(c, JOB_NEEDS_TARGET)) ? ret :
		      (ret = job_only_cpus(c))                 ? ret :
								 live(&s);
	release(&s);
	return ret;
}

const struct command command_sched = {
	.name = "sched",
	.args = "latency | timehist | map [-- CMD [ARG]...]",
	.brief = "show how threads wait for processors and run",
	.doc = "latency: of each name (--pids: thread) how long it ran, how often it was switched to and how long it had waited then. "
	       "timehist: a line for each time that a thread ran: how long it was off before its wake-up, how long it waited for the processor, how long it ran; "
	       "-w adds wake-ups, -M migrations, -n the next thread, --state that in which it leaves, -V a column for each processor; -s prints sums "
	       "instead of lines, -S both, with how long processors were idle; --state -s sums what threads waited for; -I shows only how long processors were idle, "
	       "and after which thread; -p, -t, -C and --time choose what of a recording is shown. map: which thread is on which processor. Of CMD and its children, the processes of -p, all (-a), "
	       "or of a recording: of sonde record -e 'sched:*', perf (perf sched record) or trace-cmd. Figures are those of perf sched. The exit status is that of CMD.",
	.example = "sonde sched latency -- make -j4\n"
		   "sonde sched timehist -w --from sonde.data\n"
		   "sonde sched map -a --duration 1s",
	.run = sched,
	.takes = (SETS_JOB | SET_CPUS | SET_FROM | SET_TIME) & ~(u32)SET_FORMAT,
	.cmd_after = true,
	.cmd_times_pids = true,
};
