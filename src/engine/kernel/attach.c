/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a site to the function that attaches its kind, one row for each; and attaching of many sites
 * at once. Sites that one link can hold are tried as one link; if the kernel refuses, in halves, so
 * that one bad site of a thousand costs about twenty calls and the others stay together.
 */
#include <errno.h>
#include <stdlib.h>
#include "engine/kernel/internal.h"

struct attach_row {
	const char *name;
	attach_fn *one;
	attach_batch_fn *batch; /* or NULL */
};

static const struct attach_row rows[] = {
	[SITE_ONCE] = { "by hand", attach_by_hand, NULL },
	[SITE_SIGNAL] = { "by hand", attach_by_hand, NULL },
	[SITE_PERF_TRACEPOINT] = { "perf tracepoint", attach_perf_tracepoint, NULL },
	[SITE_RAW_TRACEPOINT] = { "raw tracepoint", attach_raw_tracepoint, NULL },
	[SITE_PERF_SOFTWARE] = { "perf event", attach_perf_software, NULL },
	[SITE_PERF_TIMER] = { "timer", attach_perf_timer, NULL },
	[SITE_KPROBE] = { "kprobe", attach_kprobe, attach_kprobes },
	[SITE_UPROBE] = { "uprobe", attach_uprobe, attach_uprobes },
	[SITE_TRAMPOLINE] = { "trampoline", attach_trampoline, NULL },
	[SITE_WATCHPOINT] = { "watchpoint", attach_watchpoint, NULL },
	[SITE_ITER] = { "iterator", attach_iter, NULL },
};

/* NULL: sites are attached one by one. */
static attach_batch_fn *batch_of(const struct kernel *k, u32 func, const struct site *s)
{
	if (k->loaded[func].session_fd >= 0)
		return s->kind == SITE_KPROBE ? attach_kprobe_sessions : NULL;
	return rows[s->kind].batch;
}

int attach_by_hand(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	return kernel_note(k, func, 1, "%s: run by hand", s->probe ? s->probe : "program");
}

int kernel_run(struct kernel *k, u32 func, s32 *value, struct err *err)
{
	u32 retval = 0;
	int ret = kernel_load(k, func, err);

	if (ret < 0)
		return ret;
	if (bpf_prog_run(k->loaded[func].fd, NULL, 0, &retval) < 0)
		return refused(err, TRIED_RUN, "run program %s", k->prog->funcs.v[func]->name);
	if (value)
		*value = (s32)retval;
	return 0;
}

/* Whether one link can hold both, or no link holds several sites of this kind. */
static bool is_same_run(const struct site *a, const struct site *b)
{
	if (a->kind == b->kind && !rows[a->kind].batch)
		return true;
	if (a->kind != b->kind || a->is_return != b->is_return || a->pid != b->pid)
		return false;
	if (a->kind == SITE_KPROBE)
		return is_multi_kprobe(a) == is_multi_kprobe(b) &&
		       !a->kernel.address == !b->kernel.address;
	return streq(a->user.path, b->user.path);
}

struct many {
	struct kernel *k;
	const struct attach_request *request;
	struct err *err;
	int n_attached;
};

/* Errors that every other site would get, too: out of memory, or no permission. If this process has
 * all permissions, the refusal concerns this site alone, unless a lockdown refuses all kprobes. */
static bool is_final(const struct many *m, const struct site *s, int code)
{
	if (code == -EPERM || code == -EACCES)
		return !kernel_has_rights() ||
		       (s->kind == SITE_KPROBE && !m->n_attached && is_locked_down());
	return code == -EMFILE || code == -ENFILE || code == -ENOMEM;
}

/* 0: the others are still to be tried. */
static int refuse(struct many *m, const struct site *s, int code)
{
	if (!m->request->refused || is_final(m, s, code))
		return code;
	m->request->refused(m->request->ctx, s, m->err);
	err_release(m->err);
	*m->err = (struct err){ 0 };
	return 0;
}

/* The program before it at the site jumps to it. */
static int attach_in_chain(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	int ret = kernel_put_slots(k, func, s, err);

	return ret < 0 ? ret : kernel_note(k, func, 1, "%s: after the program before it", s->probe);
}

static int attach_one(struct many *m, u32 func, const struct site *s)
{
	const struct bpf_func *f = m->k->prog->funcs.v[func];
	bool is_next = f->in_chain && f->dispatcher;
	int ret = (is_next ? attach_in_chain : rows[s->kind].one)(m->k, func, s, m->err);

	m->n_attached += ret >= 0;
	return ret < 0 ? refuse(m, s, ret) : 0;
}

/* If the kernel refuses the session, the two are attached separately. */
static int attach_apart(struct many *m, const struct site *s)
{
	u32 partner = m->k->loaded[m->request->func].partner;
	int ret = kernel_load(m->k, m->request->func, m->err);

	if (ret >= 0)
		ret = kernel_load(m->k, partner, m->err);
	if (ret >= 0)
		ret = attach_one(m, m->request->func, s);
	return ret < 0 ? ret : attach_one(m, partner, s->twin);
}

static int attach_together(struct many *m, const struct site *s)
{
	attach_fn *attach = s->kind == SITE_KPROBE ? attach_kprobe_session :
						     attach_trampoline_session;
	int ret = attach(m->k, m->request->func, s, m->err);

	if (ret >= 0) {
		m->n_attached += 2;
		return 0;
	}
	if (is_final(m, s, ret))
		return ret;
	err_release(m->err);
	*m->err = (struct err){ 0 };
	return attach_apart(m, s);
}

static bool is_stopped(const struct kernel *k)
{
	return k->o.stop && k->o.stop();
}

static int attach_each(struct many *m, const struct site *const *sites, u32 n)
{
	bool session = m->k->loaded[m->request->func].session_fd >= 0;
	int ret = 0;

	for (u32 i = 0; i < n && ret >= 0 && !is_stopped(m->k); i++)
		ret = session ? attach_together(m, sites[i]) :
				attach_one(m, m->request->func, sites[i]);
	return ret;
}

static int attach_run(struct many *m, const struct site *const *sites, u32 n);

/* A name of several functions is attached alone, because a link would take only the first of
 * them. */
static int attach_without_namesakes(struct many *m, const struct site *const *sites, u32 n)
{
	const struct site **others = xcalloc(n, sizeof *others);
	u32 n_others = 0;
	int ret = 0;

	for (u32 i = 0; i < n && ret >= 0; i++)
		if (kprobe_has_namesakes(sites[i]))
			ret = attach_each(m, &sites[i], 1);
		else
			others[n_others++] = sites[i];
	if (ret >= 0 && n_others)
		ret = attach_run(m, others, n_others);
	free(others);
	return ret;
}

static bool has_namesakes(const struct site *const *sites, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (sites[i]->kind == SITE_KPROBE && kprobe_has_namesakes(sites[i]))
			return true;
	return false;
}

static int attach_run(struct many *m, const struct site *const *sites, u32 n)
{
	attach_batch_fn *batch = batch_of(m->k, m->request->func, sites[0]);
	int ret;

	if (!batch || n == 1)
		return attach_each(m, sites, n);
	kernel_want_files(m->k, 1);
	ret = batch(m->k, m->request->func, sites, n, m->err);
	if (ret >= 0) {
		m->n_attached += sites[0]->twin ? 2 * (int)n : (int)n;
		return 0;
	}
	if (ret == -EOPNOTSUPP) {
		err_release(m->err);
		*m->err = (struct err){ 0 };
		kernel_want_files(m->k, n);
		return attach_each(m, sites, n);
	}
	if (is_final(m, sites[0], ret))
		return ret;
	err_release(m->err);
	*m->err = (struct err){ 0 };
	ret = attach_run(m, sites, n / 2);
	return ret < 0 ? ret : attach_run(m, sites + n / 2, n - n / 2);
}

/*
 * Reorders the sites so that those which one link can hold are adjacent and otherwise in their
 * original order. Exits of a library's functions are probed partly at the return instruction (for
 * the kernel an entry) and partly as returns: a link for each alternation would make thousands of
 * links. Runs are searched from the newest one, because sites come file by file.
 */
static const struct site **in_runs(const struct site *const *sites, u32 n)
{
	const struct site **sorted = xcalloc(n, sizeof *sorted);
	u32 *words = xcalloc((size_t)n * 2 + 1, sizeof *words);
	u32 *run_of = words, *start = words + n, n_runs = 0;

	for (u32 i = 0, run; i < n; i++) {
		for (run = n_runs; run && !is_same_run(sorted[run - 1], sites[i]); run--)
			;
		if (!run)
			sorted[n_runs++] = sites[i]; /* the first of each, until all are known */
		run_of[i] = run ? run - 1 : n_runs - 1;
		start[run_of[i] + 1]++;
	}
	for (u32 run = 1; run < n_runs; run++)
		start[run] += start[run - 1];
	for (u32 i = 0; i < n; i++)
		sorted[start[run_of[i]]++] = sites[i];
	free(words);
	return sorted;
}

static int refuse_off(struct many *m, const struct site *s)
{
	return s ? refuse(m, s, refused_by_function_tracer(m->err, s)) : 0;
}

/*
 * Drops the sites that would not run because the function tracer is off. Returns how many are left.
 */
static int leave_out_off(struct many *m, const struct site **sites, u32 n)
{
	u32 left = 0;
	int ret = 0;

	for (u32 i = 0; i < n && ret >= 0; i++) {
		if (!stands_on_function_tracer(m->k, m->request->func, sites[i]) ||
		    !function_tracer_is_off(m->k)) {
			sites[left++] = sites[i];
			continue;
		}
		ret = refuse_off(m, sites[i]);
		if (ret >= 0 && m->k->loaded[m->request->func].session_fd >= 0)
			ret = refuse_off(m, sites[i]->twin);
	}
	return ret < 0 ? ret : (int)left;
}

int kernel_attach_many(struct kernel *k, const struct attach_request *a, struct err *err)
{
	struct many m = { k, a, err, 0 };
	const struct site **sorted = in_runs(a->sites, a->n);
	int ret = leave_out_off(&m, sorted, a->n);
	u32 n = ret < 0 ? 0 : (u32)ret;

	ahead_end(k);
	if (n && k->loaded[a->func].session_fd < 0) {
		kernel_plan(k, a->func, sorted[0]);
		ret = kernel_load(k, a->func, err);
	}
	if (n && !rows[sorted[0]->kind].batch)
		kernel_want_files(k, n + 8);
	turn_take(k);
	for (u32 at = 0, end; ret >= 0 && at < n; at = end) {
		for (end = at + 1; end < n && is_same_run(sorted[at], sorted[end]); end++)
			;
		ret = end - at > 1 && has_namesakes(sorted + at, end - at) ?
			      attach_without_namesakes(&m, sorted + at, end - at) :
			      attach_run(&m, sorted + at, end - at);
	}
	turn_give(k);
	free(sorted);
	return ret < 0 ? ret : m.n_attached;
}

int kernel_attach(struct kernel *k, u32 func, const struct site *site, struct err *err)
{
	struct attach_request a = { .func = func, .sites = &site, .n = 1 };
	int ret = kernel_attach_many(k, &a, err);

	return ret < 0 ? ret : 0;
}
