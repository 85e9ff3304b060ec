/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run from text to the last map printed:
 *
 *	compile -> child forked, stopped -> maps, programs -> begin probes -> attach -> child runs
 *	-> loop until exit(), a signal, or the end of the target -> detach -> end probes -> drain -> maps
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "builtin/builtin.h"
#include "base/glob.h"
#include "base/clock.h"
#include "base/visible.h"
#include "session/choose.h"
#include "session/run.h"
#include "session/compile.h"
#include "session/system.h"
#include "target/target.h"

/* ---- messages of the compiler */

static void show_diags(struct run *r)
{
	struct buf text = { 0 };

	if (r->request->diag.json)
		diags_render_json(&r->c.diags, &text);
	else if (!r->request->diag.hidden || !r->c.diags.n_errors)
		diags_render_text(&r->c.diags, &text, r->request->diag.color);
	sink_flush(r->sink);
	if (text.len)
		buf_add(&r->sink->err, text.s, text.len);
	sink_flush(r->sink);
	buf_release(&text);
}

static void show_dumps(struct run *r)
{
	struct buf *out = &r->sink->out;
	size_t start = out->len;

	if (r->request->compile.dump & STAGE_AST)
		ast_dump(out, r->c.lang.script);
	for (u32 i = 0; i < r->c.instances.n; i++) {
		if ((r->request->compile.dump & STAGE_AST) && r->c.instances.n) {
			buf_printf(out, "; %s\n", r->c.instances.v[i]->name);
			ast_dump_node(out, r->c.instances.v[i]->body, 0);
		}
		if ((r->request->compile.dump & STAGE_IR) && i < r->c.units.n)
			ir_print(out, r->c.units.v[i]);
		if ((r->request->compile.dump & (STAGE_BPF | STAGE_ASM)) && i < r->c.prog.funcs.n)
			target_dump(out, &r->c.prog, r->c.prog.funcs.v[i]);
	}
	if (r->sink->visible_out)
		buf_visible(out, start, VISIBLE_TEXT);
	sink_flush(r->sink);
}

/* ---- probes that sonde runs itself */

static int run_special(struct run *r, const char *probe, struct err *err)
{
	int ret;

	for (u32 i = 0; i < r->c.sites.n; i++) {
		const struct target_site *t = &r->c.sites.v[i];
		const struct used_engine *u = engine_of(&r->engines, t);

		if (t->site.kind != SITE_ONCE || !streq(r->c.instances.v[t->func]->provider, probe))
			continue;
		ret = u->ops->run(u->self, t->func, NULL, err);
		if (ret < 0)
			return err_wrap(err, "run the %s probe", probe);
		records_drain(r);
		records_command_wait(r);
		if (r->end.exiting && streq(probe, "begin"))
			break;
	}
	return 0;
}

/* Whether the script does anything before the first event. */
static bool does_begin(const struct run *r)
{
	for (u32 i = 0; i < r->c.sites.n; i++) {
		const struct target_site *t = &r->c.sites.v[i];

		if (t->site.kind == SITE_ONCE &&
		    streq(r->c.instances.v[t->func]->provider, "begin"))
			return true;
	}
	return false;
}

static bool only_special(const struct compiled *c)
{
	for (u32 i = 0; i < c->deferred.n; i++)
		if (c->deferred.v[i].holds)
			return false;
	for (u32 i = 0; i < c->sites.n; i++)
		if (c->sites.v[i].site.kind != SITE_ONCE)
			return false;
	return true;
}

/* The size of the programs, and how many instructions a verifier processed: its own count, and our
 * estimate. */
static void tell_size(struct run *r, const struct used_engine *u)
{
	u64 insns = 0, followed = 0, expected = 0;
	u32 compact = 0;

	for (u32 i = 0; i < r->c.prog.funcs.n; i++) {
		const struct bpf_func *f = r->c.prog.funcs.v[i];

		insns += f->n_insns;
		followed += u->ops->followed(u->self, i);
		expected += target_verifier_cost(&r->c.prog, f, r->c.instances.v[i]->profile, 0,
						 MOST_INSNS);
		compact += r->c.instances.v[i]->compact;
	}
	buf_printf(
		&r->sink->err,
		"  programs: %u of %llu instructions, of which the verifier processes %llu (expected: %llu)%s\n",
		r->c.prog.funcs.n, (unsigned long long)insns, (unsigned long long)followed,
		(unsigned long long)expected, compact ? ", compact ones" : "");
}

static void tell_how(struct run *r)
{
	size_t start = r->sink->err.len;
	const char *how;

	if (!r->request->verbose || !engines_have_events(&r->engines))
		return;
	for (struct used_engine *u = engines_next(&r->engines, NULL); u;
	     u = engines_next(&r->engines, u))
		if (u->ops->followed)
			tell_size(r, u);
	for (struct used_engine *u = engines_next(&r->engines, NULL); u;
	     u = engines_next(&r->engines, u))
		for (u32 i = 0; u->ops->how && (how = u->ops->how(u->self, i)); i++)
			buf_printf(&r->sink->err, "  %s\n", how);
	for (u32 i = 0; i < r->c.sites.n; i++)
		if (r->c.sites.v[i].site.note)
			buf_printf(&r->sink->err, "  %s: %s\n", r->c.sites.v[i].site.probe,
				   r->c.sites.v[i].site.note);
	choose_tell(&r->c, &r->sink->err);
	if (r->sink->visible_err)
		buf_visible(&r->sink->err, start, VISIBLE_TEXT);
	sink_flush(r->sink);
}

static bool goes_back(const struct bpf_func *f)
{
	for (u32 i = 1; i < f->n_subprogs; i++)
		if (f->subprogs[i].callback) /* runs any number of times */
			return true;
	for (u32 i = 0; i < f->n_insns; i++) {
		u8 class = BPF_CLASS(f->insns[i].code), op = BPF_OP(f->insns[i].code);

		if ((class == BPF_JMP || class == BPF_JMP32) && op != BPF_CALL && op != BPF_EXIT &&
		    f->insns[i].off < 0)
			return true;
	}
	return false;
}

enum {
	SMALL_RING = 64 << 10,
	LOSSLESS_RING = 32 << 20, /* freezer.c: for what comes until a command stands still */
	EXIT_RING = 256 << 10, /* many processors may call exit() before the first call is seen */
	SLOW_HZ = 100,         /* a timer of at most this rate is not a flood */
};

static bool is_slow_timer(const struct site *s)
{
	u64 second = 1000 * 1000 * 1000;

	return s->kind == SITE_PERF_TIMER && s->event.one_cpu &&
	       (s->event.is_freq ? s->event.period <= SLOW_HZ :
				   s->event.period >= second / SLOW_HZ);
}

/* Whether a function runs a few times in all, or by a slow timer on one processor. */
static bool is_slow(const struct compiled *c, u32 func)
{
	for (u32 i = 0; i < c->sites.n; i++) {
		const struct site *s = &c->sites.v[i].site;

		if (c->sites.v[i].func == func && s->kind != SITE_ONCE && s->kind != SITE_SIGNAL &&
		    !is_slow_timer(s))
			return false;
	}
	return !goes_back(c->prog.funcs.v[func]);
}

/*
 * The ring is mapped twice and counts as memory of ours from the start: it is small where only
 * exit() or a few lines now and then are sent. Some records of the largest kind fit in any case.
 */
static u64 ring_size(const struct run *r)
{
	u64 need = 0, largest = 0, size = SMALL_RING;
	bool flood = r->request->mode; /* benchmarks run again and again */

	if (r->c.env.config.perf_rb_pages)
		return kernel_ring_pages(r->c.env.config.perf_rb_pages);
	for (u32 i = 0; i < r->c.prog.events.n; i++) {
		const struct event_desc *e = r->c.prog.events.v[i];

		if (!is_slow(&r->c, e->func)) {
			flood |= !e->action->ends_run;
			size = EXIT_RING;
		}
		need += 2 * (e->size + 8ull);
		largest = MAX(largest, e->size + 8ull);
	}
	if (flood)
		size = r->request->traced.lossless ? LOSSLESS_RING : kernel_ring_size();
	need = flood ? 4 * largest : MAX(need, 4 * largest);
	while (size < need)
		size *= 2;
	return size;
}

/* A script that asks no event needs no kernel either. */
static void help_without_kernel(const struct run *r, struct err *err)
{
	char before[sizeof err->help];

	if ((err->code != -EPERM && err->code != -ENOSYS) || !only_special(&r->c) ||
	    r->request->traced.command)
		return;
	memcpy(before, err->help, sizeof before);
	err_help(err, "%.300s; begin and end alone run without any right by --vm", before);
}

static int start_engines(struct run *r, struct err *err)
{
	struct engine_options o = { .verbose = r->request->verbose,
				    .log_size = (u32)r->c.env.config.log_size,
				    .license = r->c.env.config.license,
				    .ring_size = ring_size(r),
				    .btf = r->c.system.btf,
				    .stop = signals_stop,
				    .duration_ns = r->request->duration_ns,
				    .from_ns = r->request->from.begin_ns,
				    .to_ns = r->request->from.end_ns,
				    .again_if_big = !r->c.attempt.compact,
				    .traced = &r->request->traced,
				    .fetches = &r->c.fetches,
				    .unwind = usermaps_unwind,
				    .unwind_ctx = r };
	int ret;

	follow_list(r);
	o.pids = r->follow.list.v;
	o.n_pids = r->follow.list.n;
	ret = engines_open(&r->engines, &r->c, &o, err);

	if (ret >= 0)
		ret = load_all(r, err);
	if (ret < 0)
		help_without_kernel(r, err);
	return ret;
}

/* comm(pid) looks a number up in our own pid namespace. */
static void find_pid_namespace(struct run *r)
{
	const struct world *w = &r->c.env.world;
	const struct type *task = w->type(w->ctx, 's', "task_struct"),
			  *pid = w->type(w->ctx, 's', "pid"), *upid = w->type(w->ctx, 's', "upid");
	struct pid_ns_offsets at = { .upid_size = upid ? upid->size : 0 };
	bool is_known;

	is_known = task && pid && upid && type_field(task, "thread_pid", &at.thread_pid) &&
		   type_field(pid, "level", &at.level) && type_field(pid, "numbers", &at.numbers) &&
		   type_field(upid, "ns", &at.ns);
	for (struct used_engine *u = engines_next(&r->engines, NULL); u && is_known;
	     u = engines_next(&r->engines, u))
		if (u->ops->find_pid_namespace)
			u->ops->find_pid_namespace(u->self, &at);
}

static void set_words(struct run *r)
{
	struct engine_clock now = engines_clock(&r->engines);

	engines_set_word(&r->engines, DATA_RING_FLAGS, BPF_RB_NO_WAKEUP);
	engines_set_word(&r->engines, DATA_START_NS, now.boot_ns);
	engines_set_word(&r->engines, DATA_CPID,
			 r->c.recorded ? r->c.env.recorded_cpid : (u64)r->child.pid);
	engines_set_word(&r->engines, DATA_BOOT_TO_TAI, (u64)now.boot_to_real);
	if (r->c.prog.wants_pid_ns && engines_on_this_kernel(&r->engines))
		find_pid_namespace(r);
}

/* Without types the set of --follow holds pids as the kernel's first namespace has them, and we
 * know only our own. */
static int refuse_follow_in_namespace(struct compiled *c, struct err *err)
{
	const struct world *w = &c->env.world;
	u64 dev, ino;

	if (c->reads.followed && w->pid_namespace(w->ctx, &dev, &ino)) {
		err_set(err, -EINVAL,
			"in a pid namespace (a container) events have the thread numbers of the host, and -p and commands those of the namespace");
		err_help(err, "run sonde on the container's host, or trace all processes (-a)");
		return err->code;
	}
	if ((system_btf(&c->system) && !c->engines[0]->by_perf_record) ||
	    !w->pid_namespace(w->ctx, &dev, &ino))
		return 0;
	err_set(err, -EINVAL,
		"--follow in a pid namespace (a container) needs the kernel's type information (BTF)");
	err_help(
		err,
		"run sonde outside of it, in the container's host, with -p; or compare pid in the script: /pid == cpid/");
	return err->code;
}

static int start(struct run *r, struct err *err)
{
	int ret;

	if ((r->request->traced.command || r->request->traced.timer) &&
	    (ret = child_start(r, err)) < 0)
		return ret;
	if ((ret = start_engines(r, err)) < 0)
		return ret;
	set_words(r);
	r->records.holding = true;
	if ((ret = run_special(r, "begin", err)) < 0)
		return ret;
	if (r->end.exiting || !engines_have_events(&r->engines))
		return 0;
	/* clauses that fill sets and arguments first, then those that read them */
	if ((r->c.follow_map != NO_INDEX && (ret = refuse_follow_in_namespace(&r->c, err)) < 0) ||
	    (ret = attach_all(r, true, err)) < 0)
		return ret;
	usermaps_start(r); /* from here on it reports forks: follow_start() reads the others */
	if ((ret = follow_start(r, err)) < 0)
		return ret;
	if ((ret = attach_all(r, false, err)) < 0)
		return ret;
	engines_start(&r->engines);
	alone_start(r);
	return 0;
}

/* What the kernel skipped before our programs ran: unlike losses these events were never seen. */
static void skipped_report(struct run *r)
{
	for (u32 f = 0; f < r->c.instances.n; f++) {
		const struct instance *in = r->c.instances.v[f];
		bool filters = in->predicate || in->only_pid || in->follow_map != NO_INDEX ||
			       in->profile->syscall.set;
		struct loss loss = { .span = in->clause->span,
				     .reason = r->c.engines[0]->misses ? r->c.engines[0]->misses :
					       filters                 ? LOSS_SKIPPED_ANY :
									 LOSS_SKIPPED };
		u64 n = engines_skipped(&r->engines, f);

		if (n)
			r->sink->output->lost(r->sink, &loss, n);
	}
}

static void warn(void *ctx, const char *line)
{
	sink_warn(ctx, line);
}

static void gaps_report(const struct used_engines *e, struct sink *s)
{
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->tell_gaps)
			u->ops->tell_gaps(u->self, warn, s);
}

static void finish(struct run *r, struct err *err)
{
	engines_detach_all(&r->engines);
	engines_settle(&r->engines);
	while (records_drain(r)) /* an engine may take a part of them at a time */
		;
	alone_report(r);
	records_command_wait(r);
	usermaps_settle(r);
	r->end.exiting = r->end.exit_called =
		false; /* a status of theirs replaces an earlier one */
	r->end.in_end_clauses = true;
	run_special(r, "end", err);
	records_drain(r);
	records_command_wait(r);
	losses_report(r);
	freezer_report(r);
	skipped_report(r);
	gaps_report(&r->engines, r->sink);
	if (!r->request->mode)
		r->sink->output->end(r->sink);
	if (r->c.env.config.print_maps_on_exit && !r->request->mode)
		maps_print(r);
	names_report(r);
	sink_flush(r->sink);
}

/* The output of begin probes follows this: they have run, and it is not shown yet. */
static void tell_attached(struct run *r)
{
	if (!r->request->dry_run)
		r->sink->output->attached(r->sink, r->c.n_probes);
	tell_how(r);
	sink_flush(r->sink);
}

static void loop_traced(struct run *r)
{
	screen_start(r);
	loop_run(r);
	screen_end(r);
}

/* What happens later needs the initial privileges: files that are probed when they appear,
 * commands, files, and the name of the file that an output writes at the end. */
static bool needs_rights(const struct run *r)
{
	for (u32 i = 0; i < r->c.prog.events.n; i++)
		if (r->c.prog.events.v[i]->action->needs_rights)
			return true;
	return r->c.deferred.n || (r->sink->is_file && r->sink->output->close);
}

/* A privilege that one engine no longer needs, another may. */
static void drop_rights_of(struct run *r, struct buf *how)
{
	struct used_engine *u = engines_next(&r->engines, NULL);

	if (u && u->ops->drop_rights && !engines_next(&r->engines, u))
		u->ops->drop_rights(r->child.pid, how);
}

static void drop_rights(struct run *r)
{
	struct buf how = { 0 };

	if (needs_rights(r))
		buf_puts(
			&how,
			"privileges: all are kept, because the script runs commands, writes files or waits for files\n");
	else
		drop_rights_of(r, &how);
	if (r->request->verbose && how.len)
		buf_printf(&r->sink->err, "  %s", how.s);
	buf_release(&how);
	sink_flush(r->sink);
}

static int release_child(void *ctx, struct err *err)
{
	return child_release(ctx, err);
}

/* Through the engine that attaches to it then, if there is one. */
static int launch_child(struct run *r, struct err *err)
{
	for (struct used_engine *u = engines_next(&r->engines, NULL);
	     u && r->request->traced.command; u = engines_next(&r->engines, u))
		if (u->ops->launch)
			return u->ops->launch(u->self, r->child.pid, release_child, r, err);
	return child_release(r, err);
}

static int loop_through(struct run *r, struct err *err)
{
	const struct beside *beside = r->host->beside;
	int ret = loop_init(r, err);

	if (ret >= 0 && beside)
		ret = beside->begin(beside->ctx, r->request->traced.command ? r->child.pid : 0,
				    err);
	if (ret < 0 || (ret = launch_child(r, err)) < 0) {
		/* a command's script does nothing before */
		r->attach.has_started = !r->request->script.is_of_command && does_begin(r);
		loop_release(&r->loop);
		return ret;
	}
	r->alone.begun_ns = clock_mono_ns();
	if (iter_run_all(r, err) >= 0) {
		drop_rights(r);
		loop_traced(r);
	}
	if (beside)
		beside->over(beside->ctx);
	deferred_end(r);
	loop_release(&r->loop);
	if (r->loop.error && !err->code)
		err_set(err, r->loop.error, "wait for what comes: %s", strerror(-r->loop.error));
	return 0;
}

static int status_of(const struct err *err)
{
	return err->is_usage ? STATUS_WRONG : STATUS_REFUSED;
}

static int refuse_nothing(const struct compiled *c, struct err *err)
{
	if (c->instances.n)
		return 0;
	if (c->left_out)
		return err_set(err, -ENOENT, "No probes attached; use %s probes.",
			       c->left_out & MODE_TEST ? "--test to run test" :
							 "--bench to run benchmark");
	return err_usage(err, -ENOENT, "No probes to attach");
}

/* The kernel refused all that could still fire, and the script works without it. */
static bool nothing_comes(const struct run *r)
{
	u32 once = 0;

	for (u32 i = 0; i < r->c.sites.n; i++)
		once += r->c.sites.v[i].site.kind == SITE_ONCE;
	return r->attach.skipped_some && r->c.n_probes <= once;
}

static int run_attached(struct run *r, struct err *err)
{
	int ret = refuse_nothing(&r->c, err);
	bool loops;

	if (!ret)
		ret = start(r, err);
	if (ret < 0)
		return status_of(err);
	r->attach.has_started = true;
	loops = !r->end.exiting && (engines_have_events(&r->engines) || r->host->beside) &&
		!r->request->mode &&
		!((only_special(&r->c) || nothing_comes(r)) && !r->child.pid && !r->host->beside);
	if (loops) /* what was reported as live is live */
		deferred_start(r);
	if (!r->request->mode)
		tell_attached(r);
	if (r->request->dry_run) { /* records that arrived meanwhile are not shown */
		engines_detach_all(&r->engines);
		return 0;
	}
	records_release(r);
	if (!r->end.exiting && r->request->mode)
		ret = selftest_run(r, err);
	else if (!r->end.exiting && loops)
		ret = loop_through(r, err);
	deferred_end(r);
	if (ret < 0)
		return status_of(err);
	finish(r, err);
	child_verdict(r, err);
	if (r->sink->error && !err->code)
		err_set(err, r->sink->error, "write the output: %s", strerror(-r->sink->error));
	return err->code ? status_of(err) : r->end.exit_code;
}

/* A run that restarted has reported all, except the names that it restarted for. */
static void keep_news(struct diags *d)
{
	u32 n = 0;

	for (u32 i = 0; i < d->list.n; i++)
		if (d->list.v[i]->id == D_CLONES_PROBED || d->list.v[i]->severity == SEV_ERROR)
			d->list.v[n++] = d->list.v[i];
	d->list.n = n;
}

/* From "attached" to the end; frees what the run has opened. */
static int run_compiled(struct run *r, struct err *err)
{
	int ret;

	arena_init(&r->scratch);
	signals_hold(r);
	names_init(r);
	names_prepare_events(&r->naming.names);
	actor_init(r);
	ret = run_attached(r, err);
	freezer_end(&r->freezer);
	child_end(r);
	processes_release(r);
	action_files_close(&r->actor);
	names_release(&r->naming); /* ends a thread that uses memory of engines */
	engines_close(&r->engines, r->sink);
	signals_restore(r, !is_tried_again(&r->attach.again));
	buf_release(&r->records.backlog);
	command_release(r);
	speculations_release(&r->speculations);
	arena_release(&r->scratch);
	free(r->records.loss_seen);
	return ret;
}

/* Sets *next if nothing has been shown or done, and the run is to be tried in that way. */
static int run_once(const struct request *q, const struct session_host *h, struct attempt *next,
		    struct err *err)
{
	struct run *r = xcalloc(1, sizeof *r);
	struct sink *sink = h->sink;
	int ret;

	r->request = q;
	r->host = h;
	r->sink = sink;
	r->child.fd = r->child.tells = r->command.out = r->command.err = r->command.err_end =
		r->loop.signal_fd = r->loop.epoll_fd = -1;
	ret = session_compile_again(&r->c, q, h, *next, err);
	sink->sources = &r->c.sources;
	if (next->no_substitutes || next->compact || next->no_direct_loads)
		keep_news(&r->c.diags);
	show_diags(r);
	if (q->compile.dump)
		show_dumps(r);
	if (ret || q->compile.dump || r->c.diags.n_errors)
		ret = session_status(&r->c, ret);
	else
		ret = run_compiled(r, err);
	next->has_started = r->attach.has_started;
	next->no_substitutes |= r->attach.again.substitute_refused;
	next->compact |= r->attach.again.too_big;
	next->no_direct_loads |= r->attach.again.direct_load_refused;
	sink->sources = NULL;
	sink->names = NULL;
	compiled_release(&r->c);
	free(r);
	return ret;
}

/* Before the script is read: what sonde may not see would be reported as a mistake of the
 * script. */
static int check_rights(const struct request *q, const struct session_host *h, struct err *err)
{
	const struct engine *e = choose_first(q, h);
	char before[sizeof err->help];

	if (e->select && e->select(q->from.file, err) < 0)
		return err->code == -EACCES ? STATUS_REFUSED : STATUS_WRONG;

	if (q->compile.dump || !e->check_rights || e->check_rights(err) == 0)
		return 0;
	memcpy(before, err->help, sizeof before);
	err_help(err, "%.300s (sonde check and --vm need no privilege)", before);
	return STATUS_REFUSED;
}

static bool is_another(const struct attempt *a, const struct attempt *b)
{
	return a->no_substitutes != b->no_substitutes || a->compact != b->compact ||
	       a->no_direct_loads != b->no_direct_loads;
}

/* Where the kernel gives only the events of these processes and their descendants, no set is
 * kept. */
static struct request narrow(const struct request *q, const struct session_host *h)
{
	const struct engine *e = choose_first(q, h);
	struct request own = *q;

	if (q->traced.scope == SCOPE_TREE && e->is_own && e->is_own(&q->traced))
		own.traced.scope = SCOPE_EVENTS;
	return own;
}

/* Stores in *has_started whether anything of the script ran. */
static int run_by(const struct request *asked, const struct session_host *h, bool *has_started,
		  struct err *err)
{
	const struct request narrowed = narrow(asked, h), *q = &narrowed;
	struct attempt now = { 0 }, next = { 0 };
	int ret = check_rights(q, h, err);

	if (!ret)
		ret = run_once(q, h, &next, err);
	while (is_another(&now, &next)) {
		err_release(err);
		*err = (struct err){ 0 };
		now = next;
		ret = run_once(q, h, &next, err);
	}
	*has_started = next.has_started;
	return ret;
}

static void help_own(struct err *err, const struct engine *other)
{
	char before[sizeof err->help];

	memcpy(before, err->help, sizeof before);
	err_help(err, "%.300s; --engine=%s traces processes of this user (-p PID, -c COMMAND)",
		 before, other->name);
}

/* The engine that may be tried after this error; NULL: none. */
static const struct engine *choose_instead(const struct request *q, const struct session_host *h,
					   struct err *err)
{
	const struct engine *e = choose_first(q, h), *other;
	struct err refused = { 0 };
	bool may;

	if (q->engine.is_auto && e->has_substitute && err->code && !err->is_usage)
		return engines[0];
	if (q->engine.name || h->engines || !e->instead || !e->has_rights ||
	    (err->code != -EPERM && err->code != -EACCES && err->code != -ENOSYS &&
	     err->code != CHOOSE_ANOTHER) ||
	    (err->code != CHOOSE_ANOTHER && e->has_rights()))
		return NULL;
	other = engine_find(e->instead);
	may = !other->check_rights || other->check_rights(&refused) >= 0;
	err_release(&refused);
	if (may && !other->has_rights() && other->is_own && !other->is_own(&q->traced)) {
		help_own(err, other);
		may = false;
	}
	return may ? other : NULL;
}

/* Of a script that the other engine cannot serve the first error stays, after the reasons. */
static int run_instead(const struct request *q, const struct session_host *h,
		       const struct engine *other, int ret, struct err *err)
{
	struct request less = *q;
	struct err other_err = { 0 };
	bool has_started;
	const char *why = *err->help ? err->help : err->text;
	char text[sizeof err->text + sizeof err->help + 64];
	int other_ret;
	/* the user of a command has not named the engine that refuses */
	bool is_unasked = q->engine.is_auto && q->script.is_of_command && !q->verbose;

	less.engine.name = other->name;
	less.engine.is_auto = false;
	less.diag.hidden = q->script.is_of_command;           /* its user does not know it */
	if (q->engine.is_auto || err->code == CHOOSE_ANOTHER) /* the first line has the cause */
		snprintf(text, sizeof text, "%.*s: --engine=%s is used", (int)strcspn(why, "\n"),
			 why, other->name);
	else
		snprintf(text, sizeof text, "%s: trying --engine=%s (%s)", err->text, other->name,
			 other->brief);
	if (!is_unasked)
		sink_warn(h->sink, text);
	other_ret = run_by(&less, h, &has_started, &other_err);
	if (has_started || is_unasked) {
		err_release(err);
		*err = other_err;
		return other_ret;
	}
	if (other_err.code) {
		snprintf(text, sizeof text, "%s%s%s", other_err.text, *other_err.help ? ": " : "",
			 other_err.help);
		sink_warn(h->sink, text);
	}
	err_release(&other_err);
	return ret;
}

int session_run(const struct request *q, const struct session_host *h, struct err *err)
{
	const struct engine *other;
	bool has_started;
	int ret = run_by(q, h, &has_started, err);

	other = has_started ? NULL : choose_instead(q, h, err);
	return other ? run_instead(q, h, other, ret, err) : ret;
}
