/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of a child with eight threads are patched and restored in a loop, while each thread
 * compares what they return with what they must. SONDE_CYCLES=N: N cycles; the longest time that a
 * thread stood is printed.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "engine/process/area.h"
#include "engine/process/internal.h"
#include "sym/procmaps.h"
#include "tap.h"

#ifdef __x86_64__
#ifdef __clang__
#define FUNCTION __attribute__((noinline))
#else
#define FUNCTION __attribute__((noinline, noclone, noipa))
#endif
enum { THREADS = 8, RING_SIZE = 1 << 16, CYCLES = 300 };

static struct shared {
	volatile u64 rounds, wrong, signals;
	volatile bool ends;
} * shared;

static const long numbers[4] = { 3, 5, 7, 11 };

FUNCTION static long plain(long a, long b)
{
	return (a ^ b) + 3 * a;
}
FUNCTION static long branch(long a)
{
	if (!a)
		return 1;
	return plain(a, 7) + 1;
}
FUNCTION static long by_rip(long i)
{
	return numbers[i & 3];
}
FUNCTION static long recursive(long n)
{
	return n < 2 ? n : recursive(n - 1) + recursive(n - 2);
}
FUNCTION static double floats(double x)
{
	return x * 0.5 + 1;
}
FUNCTION static long with_stack(long n)
{
	volatile char room[100];

	for (long i = 0; i < 100; i++)
		room[i] = (char)n;
	return room[99];
}
FUNCTION static void on_alarm(int sig)
{
	shared->signals += sig == SIGALRM;
}

static const void *const functions[] = { plain,  branch,     by_rip,  recursive,
					 floats, with_stack, on_alarm };

static bool is_right(long x)
{
	return plain(x, 5) == (x ^ 5) + 3 * x && branch(x) == (x ? (x ^ 7) + 3 * x + 1 : 1) &&
	       by_rip(x) == "\3\5\7\13"[x & 3] && recursive(9) == 34 &&
	       floats((double)x) == (double)x * 0.5 + 1 && with_stack(x) == (char)x;
}

static void *call_all(void *arg)
{
	for (long x = (long)(intptr_t)arg; !shared->ends; x++) {
		if (!is_right(x & 0xffff))
			__atomic_fetch_add(&shared->wrong, 1, __ATOMIC_RELAXED);
		if (!(x & 63))
			__atomic_fetch_add(&shared->rounds, 64, __ATOMIC_RELAXED);
		if (!(x & 1023))
			usleep(100);
	}
	return NULL;
}

NORETURN static void be_target(void)
{
	struct itimerval every = { { 0, 500 }, { 0, 500 } };
	pthread_t t[THREADS];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGALRM, on_alarm);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, call_all, (void *)(i * 1000));
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	_exit(shared->wrong != 0);
}

static u64 offset_in_program(u64 at)
{
	struct procmaps maps = { 0 };
	struct err err = { 0 };
	const struct mapping *m =
		procmaps_read(&maps, (u32)getpid(), &err) < 0 ? NULL : procmaps_find(&maps, at);
	u64 offset = m ? at - m->start + m->offset : 0;

	procmaps_release(&maps);
	return offset;
}

/* A subset that differs from cycle to cycle. */
static u32 choose(struct entry *v, u32 cycle)
{
	static u64 offsets[ARRAY_SIZE(functions)];
	u32 n = 0;

	for (u32 i = 0; i < ARRAY_SIZE(functions); i++) {
		u64 at = (u64)(uintptr_t)functions[i];

		offsets[i] = offsets[i] ? offsets[i] : offset_in_program(at);
		if (cycle % 7 != i)
			v[n++] = (struct entry){ .at = at,
						 .path = "/proc/self/exe",
						 .offset = offsets[i] };
	}
	return n;
}

static u64 longest;

/* NULL, or what went wrong. */
static const char *cycle(u32 pid, u32 number, struct err *err)
{
	struct functions *f = functions_new(pid, number & 1 ? 0xffff : 0,
					    (u32)sysconf(_SC_NPROCESSORS_CONF), RING_SIZE, NULL,
					    false);
	struct entry v[ARRAY_SIZE(functions)];
	struct patch patches[ARRAY_SIZE(functions)];
	u32 n = choose(v, number);
	struct patched p = { .pid = pid, .v = patches };
	const char *why = functions_prepare(f, v, n, err) < 0 ? err->text : NULL;

	for (u32 i = 0; i < n && !why; i++)
		if (v[i].why_not)
			why = v[i].why_not;
		else
			patches[p.n++] = v[i].patch;
	if (!why) {
		p.areas = functions_areas(f, &p.n_areas, &p.tid_offset);
		if (patch_enable(&p, err) < 0)
			why = err->text;
		longest = MAX(longest, p.stood_ns);
		usleep(number % 50 ? 0 : 2000);
		if (patch_disable(&p, LEAVE_MS, err) != 0)
			why = *err->text ? err->text : "memory is left";
		longest = MAX(longest, p.stood_ns);
	}
	functions_free(f);
	return why;
}

static u32 count_areas(u32 pid)
{
	struct areas all = { 0 };
	struct arena a;
	struct err err = { 0 };
	u32 n;

	arena_init(&a);
	n = area_find_all(pid, &a, &all, &err) < 0 ? ~0u : all.list.n;
	arena_release(&a);
	return n;
}

static bool has_its_bytes(u32 pid)
{
	u8 code[32];

	for (u32 i = 0; i < ARRAY_SIZE(functions); i++)
		if (!process_read(pid, (u64)(uintptr_t)functions[i], code, sizeof code) ||
		    memcmp(code, functions[i], sizeof code))
			return false;
	return true;
}

static void test_cycles(u32 pid, u32 n)
{
	struct err err = { 0 };
	const char *why = NULL;
	u64 start = clock_mono_ns();
	u32 done = 0, areas;

	while (done < n && !why) {
		why = cycle(pid, done, &err);
		done++;
	}
	ok(!why, "%u cycles of %u: %s", done, n, why ? why : "no error");
	ok(has_its_bytes(pid), "the functions have their own bytes");
	areas = count_areas(pid);
	ok(areas <= 2, "%u areas were in use and are still mapped", areas);
	ok(!shared->wrong && shared->rounds, "%llu rounds, %llu signals: no result is wrong",
	   (unsigned long long)shared->rounds, (unsigned long long)shared->signals);
	note("%.0f cycles a second; a thread stood for at most %llu us",
	     done * 1e9 / (double)(clock_mono_ns() - start), (unsigned long long)longest / 1000);
	err_release(&err);
}

int main(void)
{
	const char *cycles = getenv("SONDE_CYCLES");
	int status = -1;
	pid_t child;

	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	child = fork();
	if (!child)
		be_target();
	while (shared->rounds < 1000)
		usleep(1000);
	test_cycles((u32)child, cycles ? (u32)strtoul(cycles, NULL, 10) : CYCLES);
	shared->ends = true;
	waitpid(child, &status, 0);
	is_int(status, 0, "the child ended by itself");
	return done();
}
#else
int main(void)
{
	ok(true, "x86-64 only");
	return done();
}
#endif
