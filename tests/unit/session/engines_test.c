/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engines that exist here alone: canned contexts, which the interpreter runs when they are asked
 * for, as a replay of a recording would. Nothing else knows of them: they are handed to session by
 * their rows. Two of them in one run show that each site gets its engine, and what session makes of
 * the records, maps and losses of several.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <asm/ptrace.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "engine/engine.h"
#include "output/output.h"
#include "session/session.h"
#include "tests/unit/tap.h"
#include "vm/vm.h"

/* What the probes are on. */
void canned_left(void);
void canned_right(void);

__attribute__((noinline)) void canned_left(void)
{
	__asm__ volatile("");
}
__attribute__((noinline)) void canned_right(void)
{
	__asm__ volatile("");
}

enum { BOOT_OF_RECORDING = 1000, PID = 77 };

struct canned_event {
	u64 time;
	const char *func; /* the traced function */
	u64 arg0;
};

/* ---- the engine */

struct canned {
	struct program *prog;
	struct vm *vm;
	const struct canned_event *events; /* those that come, up to one without a function */
	u32 func[2], n_funcs;              /* attached, */
	const struct site *site[2];        /* to these */
	u64 now;
	bool started;
};

static const struct canned_event *left_events, *right_events;
static u32 n_open;

#if defined(__aarch64__)
typedef struct user_pt_regs registers;
#define ARG0(r) (r).regs[0]
#else
typedef struct pt_regs registers;
#define ARG0(r) (r).rdi
#endif

static enum feature_answer try_feature(struct features *f, enum feature id)
{
	if (id == FEAT_UPROBE)
		return FEATURE_YES;
	return feature_answer(engine_find("interpreter")->features(), id);
}

static struct features *features(void)
{
	static struct features f = { .probe = try_feature };

	return &f;
}

static bool serves(const struct site *s, struct engine_answer *a, const char *func)
{
	a->price_ns = 10;
	if (s->kind == SITE_ONCE || (s->func && streq(s->func, func)))
		return true;
	a->why_not = "it is not in the recording";
	return false;
}

static bool serves_left(const struct site *s, struct engine_answer *a)
{
	return serves(s, a, "canned_left");
}

static bool serves_right(const struct site *s, struct engine_answer *a)
{
	bool yes = serves(s, a, "canned_right");

	a->price_ns++; /* of two that can, the other one is better */
	return yes;
}

static u64 now_ns(void *ctx, u32 clock)
{
	return ((struct canned *)ctx)->now;
}

static void *open_canned(struct program *prog, const struct canned_event *events)
{
	struct canned *c = xcalloc(1, sizeof *c);
	struct vm_world world = { .pid_tgid = (u64)PID << 32 | PID,
				  .n_cpus = 1,
				  .comm = "canned",
				  .ring_size = 4096,
				  .now_ns = now_ns,
				  .ctx = c };

	c->prog = prog;
	c->events = events;
	c->now = BOOT_OF_RECORDING;
	c->vm = vm_new(prog, &world);
	n_open++;
	return c;
}

static void *open_left(struct program *prog, const struct engine_options *o, struct err *err)
{
	return open_canned(prog, left_events);
}

static void *open_right(struct program *prog, const struct engine_options *o, struct err *err)
{
	return open_canned(prog, right_events);
}

static struct leaving close_canned(void *self)
{
	struct canned *c = self;

	vm_free(c->vm);
	free(c);
	n_open--;
	return (struct leaving){ 0 };
}

static int attach(void *self, const struct attach_request *a, struct err *err)
{
	struct canned *c = self;

	for (u32 i = 0; i < a->n && c->n_funcs < 2; i++) {
		c->site[c->n_funcs] = a->sites[i];
		c->func[c->n_funcs++] = a->func;
	}
	return (int)a->n;
}

static void start(void *self)
{
	((struct canned *)self)->started = true;
}

static void detach_all(void *self)
{
	((struct canned *)self)->started = false;
}

static int run(void *self, u32 func, s32 *value, struct err *err)
{
	u64 wide = 0;
	int ret = vm_run(((struct canned *)self)->vm, func, NULL, 0, &wide, err);

	if (value)
		*value = (s32)wide;
	return ret;
}

static u64 next(void *self)
{
	const struct canned *c = self;

	return c->started && c->events->func ? c->events->time : 0;
}

static void happen(struct canned *c, const struct canned_event *e)
{
	struct err err = { 0 };
	registers regs = { 0 };

	ARG0(regs) = e->arg0;
	c->now = e->time;
	for (u32 i = 0; i < c->n_funcs; i++) {
		if (!streq(c->site[i]->func, e->func))
			continue;
		vm_world(c->vm)->cookie = (u64)c->site[i]->index
					  << c->prog->funcs.v[c->func[i]]->cookie_shift;
		if (vm_run(c->vm, c->func[i], &regs, sizeof regs, NULL, &err) < 0)
			note("%s: %s", e->func, err.text);
	}
	err_release(&err);
}

struct pass {
	record_fn f;
	void *ctx;
	bool stopped;
};

static int pass_on(void *ctx, const void *record, u32 len)
{
	struct pass *p = ctx;

	p->stopped |= p->f(p->ctx, record, len) != 0;
	return p->stopped;
}

/* An event counts as a record: that it was none for the script is no reason to wait. */
static int drain(void *self, u64 until, record_fn f, void *ctx)
{
	struct pass p = { .f = f, .ctx = ctx };
	struct canned *c = self;
	int n = vm_drain(c->vm, pass_on, &p); /* of begin and end */

	for (; !p.stopped && next(c) && next(c) <= until; n++) {
		happen(c, c->events++);
		vm_drain(c->vm, pass_on, &p);
	}
	return n;
}

static bool is_over(const void *self)
{
	return !((const struct canned *)self)->events->func;
}

static int map_read(void *self, u32 map, struct arena *a, struct table *t)
{
	return vm_map_read(((struct canned *)self)->vm, map, a, t);
}

static int map_clear(void *self, u32 map)
{
	return vm_map_clear(((struct canned *)self)->vm, map);
}

static int map_zero(void *self, u32 map)
{
	return vm_map_zero(((struct canned *)self)->vm, map);
}

static int map_set(void *self, u32 map, const void *key, const void *value)
{
	return vm_set_add(((struct canned *)self)->vm, map, key, value);
}

static int map_delete(void *self, u32 map, const void *key)
{
	return vm_set_add(((struct canned *)self)->vm, map, key, NULL);
}

static u32 stack(void *self, const struct stack_value *v, u32 limit, u64 *ips, u64 *time)
{
	return vm_stack(((struct canned *)self)->vm, v, limit, ips, time);
}

static u64 data_u64(void *self, u32 offset)
{
	return vm_data_u64(((struct canned *)self)->vm, offset);
}

static void set_data_u64(void *self, u32 offset, u64 value)
{
	vm_set_data_u64(((struct canned *)self)->vm, offset, value);
}

static void clock_of(void *self, struct engine_clock *now)
{
	now->boot_ns = BOOT_OF_RECORDING;
	now->boot_to_real = 0;
}

static bool ksym(void *self, u64 addr, struct symbol *out)
{
	*out = (struct symbol){ .name = "recorded_function" };
	return addr == 0x1234;
}

/* clang-format off */
#define CANNED(side)										\
	.name = #side, .brief = "canned contexts", .has_events = true, .features = features,	\
	.serves = serves_##side, .open = open_##side, .close = close_canned, .attach = attach,	\
	.start = start, .detach_all = detach_all, .run = run, .next = next, .drain = drain,	\
	.is_over = is_over,									\
	.map_read = map_read, .map_clear = map_clear, .map_zero = map_zero, .map_set = map_set,	\
	.map_delete = map_delete, .stack = stack, .data_u64 = data_u64,				\
	.set_data_u64 = set_data_u64, .clock = clock_of, .ksym = ksym
/* clang-format on */
static const struct engine left = { CANNED(left) }, right = { CANNED(right) };

/* ---- runs */

static char *exe;
static const struct engine *const both[] = { &left, &right, NULL };
static const struct engine *const alone[] = { &left, NULL };

static const struct canned_event left_few[] = { { 1010, "canned_left", 1 },
						{ 1030, "canned_left", 2 },
						{ 1050, "canned_left", 3 },
						{ 0, NULL, 0 } };
static const struct canned_event right_few[] = { { 1020, "canned_right", 10 },
						 { 1040, "canned_right", 20 },
						 { 1060, "canned_right", 2 },
						 { 0, NULL, 0 } };

static u64 n_lost;

static void count_lost(struct sink *s, const struct loss *l, u64 n)
{
	n_lost += n;
}

/* What a script prints, but for blank lines around it; LEFT and RIGHT in it are its two probes. */
static char *output_of(const char *text, const struct engine *const *list, struct err *err)
{
	struct sink sink = { .fd = memfd_create("out", MFD_CLOEXEC), .quiet = true };
	char *script = xasprintf("config = { exact_uprobes = true }\n%s", text),
	     *got = xcalloc(1, 65536);
	struct request q = { .script.name = "test", .compile.no_warnings = true };
	struct session_host host = { .sink = &sink, .engines = list, .themes = builtin_themes };
	struct output counting = output_text;
	struct buf b = { 0 };

	counting.lost = count_lost;
	sink.output = &counting;
	n_lost = 0;
	for (const char *p = script; *p; p++)
		if (*p == 'L' && starts_with(p, "LEFT")) {
			buf_printf(&b, "uprobe:%s:canned_left", exe);
			p += 3;
		} else if (*p == 'R' && starts_with(p, "RIGHT")) {
			buf_printf(&b, "uprobe:%s:canned_right", exe);
			p += 4;
		} else {
			buf_add(&b, p, 1);
		}
	q.script.text = b.s;
	q.script.len = b.len;
	left_events = left_few;
	right_events = right_few;
	session_run(&q, &host, err);
	sink_flush(&sink);
	if (pread(sink.fd, got, 65535, 0) < 0)
		got[0] = '\0';
	for (size_t len = strlen(got); len && got[len - 1] == '\n'; len--)
		got[len - 1] = '\0';
	close(sink.fd);
	sink_release(&sink);
	buf_release(&b);
	free(script);
	memmove(got, got + strspn(got, "\n"), strlen(got + strspn(got, "\n")) + 1);
	return got;
}

static void prints(const char *script, const struct engine *const *list, const char *want,
		   const char *what)
{
	struct err err = { 0 };
	char *got = output_of(script, list, &err);

	if (err.code)
		note("%s (%s)", err.text, err.help);
	is_str(got, want, "%s", what);
	is_int(n_open, 0, "all engines are closed");
	err_release(&err);
	free(got);
}

static void test_contexts(void)
{
	prints("LEFT { printf(\"%d %s %d at %llu, %llu in\\n\", arg0, comm, pid, nsecs, elapsed); }",
	       alone,
	       "1 canned 77 at 1010, 10 in\n2 canned 77 at 1030, 30 in\n3 canned 77 at 1050, 50 in",
	       "an engine of canned contexts, with a clock of its own");
	prints("begin { @last[0] = (uint64)5; } LEFT /arg0 > 1/ { @last[arg0] = @last[0] + arg0; }",
	       alone, "@last[0]: 5\n@last[2]: 7\n@last[3]: 8", "its maps, which begin uses, too");
	prints("LEFT /arg0 == 1/ { print(ksym(0x1234)); }", alone, "recorded_function",
	       "symbols of the kernel that it saw");
}

static void test_order(void)
{
	prints("LEFT { printf(\"left %d\\n\", arg0); } RIGHT { printf(\"right %d\\n\", arg0); }",
	       both, "left 1\nright 10\nleft 2\nright 20\nleft 3\nright 2",
	       "records of two engines, by their times");
	prints("RIGHT { printf(\"%d\\n\", arg0); if (arg0 == 20) { exit(); } } LEFT { printf(\"%d\\n\", arg0); }",
	       both, "1\n10\n2\n20", "exit() of one ends both");
}

static void test_maps(void)
{
	prints("LEFT { @n[arg0] = count(); @s = sum(arg0); @h = max(arg0); } RIGHT { @n[arg0] = count(); @s = sum(arg0); @h = max(arg0); }",
	       both, "@h: 20\n@n[1]: 1\n@n[3]: 1\n@n[10]: 1\n@n[20]: 1\n@n[2]: 2\n@s: 38",
	       "aggregations are one");
	prints("LEFT { @n = count(); } RIGHT /arg0 == 2/ { @n = count(); print(@n); clear(@n); }",
	       both, "@n: 4", "printed and emptied as one");
	prints("RIGHT { @n = count(); if (arg0 == 20) { exit(); } } LEFT { @n = count(); }", both,
	       "@n: 4", "nothing is counted behind exit()");
	prints("LEFT { @l = arg0; } RIGHT { @r = arg0; }", both, "@l: 3\n@r: 2",
	       "other maps are where their clauses are");
}

static void test_losses(void)
{
	prints("LEFT, RIGHT { @d = sum(arg0 / (arg0 - arg0)); }", both, "@d: 0",
	       "a clause on two engines");
	is_int(n_lost, 6, "what its statement lost in both is told");
}

static void test_refusals(void)
{
	struct err err = { 0 };
	char *got = output_of("LEFT { @s = arg0; } RIGHT { print(@s); }", both, &err);

	is_int(err.code, -EOPNOTSUPP, "clauses that share a map need one engine for both");
	ok(strstr(err.text, "no engine serves") && strstr(err.text, "shares maps"),
	   "which is told: %s", err.text);
	is_int(n_open, 0, "nothing was opened");
	free(got);
	err_release(&err);
	err = (struct err){ 0 };
	got = output_of("RIGHT { print(1); }", alone, &err);
	is_int(err.code, -EOPNOTSUPP, "a probe that no engine serves");
	ok(strstr(err.help, "left: it is not in the recording"), "says why: %s", err.help);
	free(got);
	err_release(&err);
}

int main(int argc, char **argv)
{
	exe = realpath(argv[0], NULL);
	test_contexts();
	test_order();
	test_maps();
	test_losses();
	test_refusals();
	canned_left();
	canned_right();
	free(exe);
	return done();
}
