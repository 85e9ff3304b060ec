/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User-space probes in this very program: one, with cookies, many at once, and some refused
 * among them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "handmade.h"

/* A thousand functions, each with one nop that a probe can sit on; a probe does not care for
 * symbols. */
/* clang-format off */
#define PLACE(n) __attribute__((noinline, used)) static void place_##n(void) { asm volatile("nop; nop; nop; nop"); }
#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define HUNDRED(m, n) TEN(m, n##0) TEN(m, n##1) TEN(m, n##2) TEN(m, n##3) TEN(m, n##4) \
	TEN(m, n##5) TEN(m, n##6) TEN(m, n##7) TEN(m, n##8) TEN(m, n##9)
#define THOUSAND(m) HUNDRED(m, 0) HUNDRED(m, 1) HUNDRED(m, 2) HUNDRED(m, 3) HUNDRED(m, 4) \
	HUNDRED(m, 5) HUNDRED(m, 6) HUNDRED(m, 7) HUNDRED(m, 8) HUNDRED(m, 9)
#define NAME(n) place_##n,
/* clang-format on */

THOUSAND(PLACE)
typedef void place_fn(void);
static place_fn *const places[] = { THOUSAND(NAME) };
enum { N_PLACES = ARRAY_SIZE(places) };

static struct site sites[N_PLACES];
static const struct site *site_list[N_PLACES];
static char self[256];

static u64 file_offset(const void *address)
{
	unsigned long lo, hi, off, at = (unsigned long)(uintptr_t)address;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	u64 found = 0;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "%lx-%lx %*s %lx", &lo, &hi, &off) == 3 && at >= lo && at < hi)
			found = at - lo + off;
	if (f)
		fclose(f);
	return found;
}

static void prepare(void)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	self[n > 0 ? n : 0] = '\0';
	for (u32 i = 0; i < N_PLACES; i++) {
		sites[i] = (struct site){ .kind = SITE_UPROBE,
					  .index = i,
					  .user.path = self,
					  .pid = -1,
					  .probe = "uprobe" };
		sites[i].user.offset = file_offset((const void *)(uintptr_t)places[i]);
		site_list[i] = &sites[i];
	}
}

static double ms_since(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - from->tv_sec) * 1e3 +
	       (double)(now.tv_nsec - from->tv_nsec) / 1e6;
}

static void start(struct handmade *h, bool cookie)
{
	handmade_init(h);
	add_data(h, 64);
	if (cookie) /* only those whose cookie is 5 */
		add_counter(h, BPF_PROG_TYPE_KPROBE, 0,
			    (struct bpf_insn[]){ I_MOV(1, 6), I_CALL(BPF_FUNC_get_attach_cookie),
						 I_JMPI(BPF_JNE, 0, 5, TAIL_TO_OUT) },
			    3);
	else
		add_counter(h, BPF_PROG_TYPE_KPROBE, 0, NULL, 0);
	handmade_open(h, 0);
	good(h, kernel_create_maps(h->k, &h->err));
	kernel_plan(h->k, 0, &sites[3]);
	good(h, kernel_load(h->k, 0, &h->err));
}

static void one(s32 pid, bool is_return, bool multi)
{
	struct handmade h;
	struct site s = sites[3];
	s8 known = kernel_features()->known[FEAT_UPROBE_MULTI];

	s.pid = pid;
	s.is_return = is_return;
	if (!multi)
		kernel_features()->known[FEAT_UPROBE_MULTI] = -1;
	start(&h, false);
	good(&h, kernel_attach(h.k, 0, &s, &h.err));
	note("%s", kernel_how(h.k, 0));
	for (int i = 0; i < 100; i++)
		places[3]();
	places[4]();
	is_int(kernel_data_u64(h.k, 0), 100, "%s, pid %d", is_return ? "return" : "entry",
	       (int)pid);
	is_int(h.k->loaded[0].alt_fd, -1, "loaded once");
	kernel_detach_all(h.k);
	places[3]();
	is_int(kernel_data_u64(h.k, 0), 100, "not after detaching");
	handmade_release(&h);
	kernel_features()->known[FEAT_UPROBE_MULTI] = known;
}

static void count_refused(void *ctx, const struct site *s, const struct err *err)
{
	++*(int *)ctx;
	note("refused %u: %s (%s)", s->index, err->text, err->help);
}

/* The first n sites; n_refused NULL: the first refusal is an error. */
static int attach(struct handmade *h, u32 n, int *n_refused)
{
	struct attach_request a = { .sites = site_list,
				    .n = n,
				    .refused = n_refused ? count_refused : NULL,
				    .ctx = n_refused };

	return kernel_attach_many(h->k, &a, &h->err);
}

static void cookies(void)
{
	struct handmade h;

	start(&h, true);
	is_int(attach(&h, 10, NULL), 10, "ten sites %s", h.err.text);
	for (int i = 0; i < 10; i++)
		places[i]();
	is_int(kernel_data_u64(h.k, 0), 1, "the cookie is the site's index");
	handmade_release(&h);
}

static void many(void)
{
	struct handmade h;
	struct timespec t;
	int n_refused = 0;
	u64 was;

	start(&h, false);
	clock_gettime(CLOCK_MONOTONIC, &t);
	is_int(attach(&h, N_PLACES, NULL), N_PLACES, "all at once: %s", h.err.text);
	note("%d sites attached in %.1f ms: %s", N_PLACES, ms_since(&t), kernel_how(h.k, 0));
	for (u32 i = 0; i < N_PLACES; i++)
		places[i]();
	is_int(kernel_data_u64(h.k, 0), N_PLACES, "each fired once");
	clock_gettime(CLOCK_MONOTONIC, &t);
	handmade_release(&h);
	note("detached in %.1f ms", ms_since(&t));

	start(&h, false);
	was = sites[17].user.offset;
	sites[17].user.offset = 1ull << 40;
	ok(attach(&h, 50, NULL) < 0, "one of 50 is wrong: %s", h.err.text);
	h.err = (struct err){ 0 };
	is_int(attach(&h, 50, &n_refused), 49, "or is left out");
	is_int(n_refused, 1, "and told");
	sites[17].user.offset = was;
	handmade_release(&h);
}

/* As the exits of functions come: some at their returns, some not. */
static void mixed(void)
{
	enum { N = 100 };
	struct handmade h;

	for (u32 i = 0; i < N; i++)
		sites[i].is_return = i % 2;
	start(&h, false);
	is_int(attach(&h, N, NULL), N, "entries and returns in turn: %s", h.err.text);
	is_int((s64)kernel_n_attached(h.k), 2, "are held by a link each");
	for (u32 i = 0; i < N; i++)
		places[i]();
	is_int(kernel_data_u64(h.k, 0), N, "each fired once");
	handmade_release(&h);
	for (u32 i = 0; i < N; i++)
		sites[i].is_return = false;
}

static void missing_file(void)
{
	struct handmade h;
	struct site s = sites[0];

	s.user.path = "/no/such/binary";
	start(&h, false);
	is_int(kernel_attach(h.k, 0, &s, &h.err), -ENOENT, "no such file: %s", h.err.text);
	handmade_release(&h);
}

/* Milliseconds that closing an attached probe takes. */
static double close_attached(void)
{
	struct engine_options o = { 0 };
	struct handmade h;
	struct timespec t;

	handmade_init(&h);
	add_data(&h, 8);
	add_counter(&h, BPF_PROG_TYPE_KPROBE, 0, NULL, 0);
	h.k = kernel_open(&h.prog, &o);
	good(&h, kernel_create_maps(h.k, &h.err));
	good(&h, kernel_attach(h.k, 0, &sites[3], &h.err));
	clock_gettime(CLOCK_MONOTONIC, &t);
	handmade_release(&h);
	return ms_since(&t);
}

/* The least of some: what waits for the kernel waits each time, a busy machine does not. */
static void in_background(void)
{
	double ms = close_attached();

	for (u32 i = 0; i < 9 && ms >= 60; i++)
		ms = MIN(ms, close_attached());
	ok(ms < 60, "closing took %.2f ms: the kernel's waiting is not ours", ms);
}

int main(void)
{
	if (!may_test())
		return done();
	if (!feature_has(kernel_features(), FEAT_UPROBE)) {
		skip("no uprobes");
		return done();
	}
	prepare();
	one(-1, false, true);
	one(getpid(), false, true);
	one(-1, true, true);
	one(-1, false, false);
	one(getpid(), true, false);
	if (feature_has(kernel_features(), FEAT_UPROBE_MULTI)) {
		cookies();
		many();
		mixed();
	} else {
		skip("no uprobe links");
	}
	missing_file();
	in_background();
	return done();
}
