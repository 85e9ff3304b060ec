/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes that need nothing of the kernel to be resolved: timers, counters, signals, watchpoints. */
#include <signal.h>
#include "fixture.h"

static void test_timers(struct fixture *x)
{
	static const struct {
		const char *text;
		u64 period;
		bool is_freq;
	} good[] = {
		{ "interval:s:1", 1000000000, false }, { "interval:ms:10", 10000000, false },
		{ "interval:us:100", 100000, false },  { "interval:hz:99", 99, true },
		{ "interval:5s", 5000000000, false },  { "interval:250ms", 250000000, false },
		{ "interval:1000", 1000, false },      { "interval:1_000_000", 1000000, false },
		{ "i:2m", 120000000000, false },       { "INTERVAL:s:1", 1000000000, false },
	};
	static const char *const bad[] = { "interval:s:0",       "interval:ns:1",
					   "interval:999",       "interval:s:x",
					   "interval:5parsecs",  "interval:s:18446744073709551615",
					   "profile:hz:2000000", "profile:us:0",
					   "interval:-1" };
	static const u32 pid = 42;

	for (u32 i = 0; i < ARRAY_SIZE(good); i++) {
		is_int(resolve(x, good[i].text), 1, "%s", good[i].text);
		is_int(x->target[0]->site.event.period, good[i].period, "its period");
		is_int(x->target[0]->site.event.is_freq, good[i].is_freq, "or rate");
		ok(x->target[0]->site.event.one_cpu && x->target[0]->site.pid == -1,
		   "on one processor");
	}
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		ok(resolve(x, bad[i]) < 0, "%s is refused", bad[i]);
		is_str(said(x), "BAD_PERIOD", "why");
	}
	x->request.traced = (struct traced){ .pids = &pid, .n_pids = 1 };
	resolve(x, "profile:hz:99");
	is_int(x->target[0]->site.pid, 42, "profile is bound to -p");
	ok(!x->target[0]->site.event.one_cpu, "and runs everywhere");
	resolve(x, "interval:s:1");
	is_int(x->target[0]->site.pid, -1, "interval is not");
	x->request.traced = (struct traced){ 0 };
	ok(resolve(x, "interval:*:1") < 0 && streq(said(x), "PROBE_WILDCARD"), "no patterns");
}

static void test_counters(struct fixture *x)
{
	is_int(resolve(x, "software:page-faults"), 1, "software event");
	is_int(x->target[0]->site.event.period, 100, "its default");
	is_int(resolve(x, "software:faults:7"), 1, "alias, with a count");
	is_int(x->target[0]->site.event.period, 7, "the count");
	is_int(x->target[0]->site.event.type, 1, "PERF_TYPE_SOFTWARE");
	is_int(resolve(x, "h:cycles:"), 1, "hardware event");
	is_int(x->target[0]->site.event.type, 0, "PERF_TYPE_HARDWARE");
	is_int(x->target[0]->site.event.period, 1000000, "its default");
	ok(resolve(x, "software:cs:many") < 0 && streq(said(x), "BAD_COUNT"), "not a count");
	ok(resolve(x, "software:pagefaults") < 0 && streq(said(x), "NO_EVENT"), "no such event");
	is_str(hint(x), "did you mean software:page-faults?", "the nearest");
	x->env.config.missing_probes = 1;
	ok(resolve(x, "software:nonsense") < 0 && streq(said(x), "NO_EVENT"),
	   "a mistake with missing_probes = warn, too");
	x->env.config.missing_probes = 0;
}

static void test_special(struct fixture *x)
{
	is_int(resolve(x, "begin"), 1, "begin");
	is_int(x->target[0]->profile->kind, PROFILE_NONE, "reads nothing");
	is_int(resolve(x, "self:signal:SIGUSR1"), 1, "a signal");
	is_int(x->target[0]->site.signal, SIGUSR1, "its number");
	ok(resolve(x, "self:signal:SIGKILL") < 0 && streq(said(x), "BAD_SIGNAL_PROBE"),
	   "not that one");
	ok(resolve(x, "self:other:SIGUSR1") < 0, "nor other words");
}

static void test_watchpoints(struct fixture *x)
{
	is_int(resolve(x, "watchpoint:0x1000:8:w"), 1, "write");
	is_int(x->target[0]->site.watch.type, 2, "HW_BREAKPOINT_W");
	is_int(x->target[0]->site.watch.len, 8, "length");
	is_int(resolve(x, "w:0x1000:4:wr"), 1, "both, in any order");
	is_int(x->target[0]->site.watch.type, 3, "HW_BREAKPOINT_RW");
	ok(resolve(x, "watchpoint:0x1000:3:w") < 0, "length 3");
	ok(resolve(x, "watchpoint:0x1001:2:w") < 0, "not aligned");
	ok(resolve(x, "watchpoint:0x1000:8:wx") < 0, "write and execute");
	ok(resolve(x, "watchpoint:main:8:w") < 0, "not an address");
	is_str(said(x), "BAD_WATCHPOINT", "said");
}

static void test_sites(struct fixture *x)
{
	resolve(x, "interval:s:1");
	ok(!x->target[0]->profile->site.own,
	   "a program that does not ask where it is can be shared");
	x->env.clause.name = true;
	resolve(x, "interval:s:1");
	ok(x->target[0]->profile->site.own, "one that asks for its probe is not");
	x->env.clause.name = false;
}

int main(void)
{
	struct fixture x;

	fixture_init(&x);
	test_timers(&x);
	test_counters(&x);
	test_special(&x);
	test_watchpoints(&x);
	test_sites(&x);
	fixture_release(&x);
	return done();
}
