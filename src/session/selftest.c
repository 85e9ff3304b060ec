/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --test and --bench. A test's output is kept apart, to be shown with its verdict. */
#include "base/clock.h"
#include "session/capture.h"

enum { BENCH_NS = 1000000, BENCH_MAX_TIMES = 1 << 20 };

/* ---- one */

static int run_once(struct run *r, const struct target_site *t, s32 *value, struct err *err)
{
	const struct used_engine *u = engine_of(&r->engines, t);
	int ret = u->ops->run(u->self, t->func, value, err);

	records_drain(r);
	records_command_wait(r);
	return ret;
}

static int time_it(struct run *r, const struct target_site *t, u64 times, u64 *ns, s32 *value,
		   struct err *err)
{
	const struct used_engine *u = engine_of(&r->engines, t);

	return u->ops->time(u->self, t->func, times, ns, value, err);
}

static int test_one(struct run *r, const struct target_site *t, bool *passed, struct err *err)
{
	struct test_result result = { .name = t->site.probe };
	struct capture c;
	struct buf text = { 0 };
	u64 start = clock_mono_ns();
	s32 value = 0;
	int ret;

	r->end.exit_code = 0;
	capture_begin(&c, r);
	ret = run_once(r, t, &value, err);
	result.took_ns = clock_mono_ns() - start;
	capture_take(&c, &text);
	capture_end(&c, r);
	r->end.exiting = r->end.exit_called = false;
	*passed = ret >= 0 && !value && !r->end.exit_code && !c.n_errors;
	result.passed = *passed;
	result.text = text.s ? text.s : "";
	result.len = text.len;
	if (ret >= 0)
		r->sink->output->test(r->sink, &result);
	buf_release(&text);
	return ret;
}

static int bench_one(struct run *r, const struct target_site *t, struct err *err)
{
	struct bench_result result = { .name = t->site.probe };
	struct capture c;
	u64 took = 0;
	s32 value = 0;
	int ret = 0;

	losses_report(r);
	capture_begin(&c, r);
	for (result.iters = 1; ret >= 0; result.iters *= 2) {
		ret = time_it(r, t, result.iters, &took, &value, err);
		records_drain(r);
		if (took >= BENCH_NS || value == 1 || result.iters >= BENCH_MAX_TIMES)
			break;
	}
	capture_end(&c, r);
	losses_forget(r);
	r->end.exiting = r->end.exit_called = false;
	result.skipped = value == 1;
	result.average_ns = (double)took / (double)result.iters;
	if (ret >= 0)
		r->sink->output->bench(r->sink, &result);
	return ret;
}

/* ---- all */

int selftest_run(struct run *r, struct err *err)
{
	u32 n_failed = 0, n_passed = 0;
	bool passed;
	int ret = 0;

	for (u32 i = 0; i < r->c.sites.n && ret >= 0; i++) {
		const struct target_site *t = &r->c.sites.v[i];
		u32 mode = r->c.instances.v[t->func]->mode;

		if (mode & r->request->mode & MODE_TEST) {
			ret = test_one(r, t, &passed, err);
			n_passed += ret >= 0 && passed;
			n_failed += ret >= 0 && !passed;
		} else if (mode & r->request->mode & MODE_BENCH) {
			ret = bench_one(r, t, err);
		}
		if (ret < 0)
			err_wrap(err, "run %s", t->site.probe);
	}
	r->end.exit_code = n_failed ? 1 : 0;
	if (ret >= 0 && (r->request->mode & MODE_TEST))
		r->sink->output->tested(r->sink, n_passed, n_failed);
	return ret;
}
