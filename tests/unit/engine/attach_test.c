/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each way of attaching counts exactly what this process did, and stops when told. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "handmade.h"

enum { CALLS = 1000 };

static void call_getppid(int n)
{
	for (int i = 0; i < n; i++)
		syscall(SYS_getppid);
}

static void raw_tracepoint(void)
{
	struct handmade h;
	struct site s = { .kind = SITE_RAW_TRACEPOINT,
			  .tracepoint = "sys_enter",
			  .probe = "rawtracepoint:sys_enter" };
	struct site none = { .kind = SITE_RAW_TRACEPOINT,
			     .tracepoint = "no_such_tracepoint",
			     .probe = "x" };

	handmade_init(&h);
	add_data(&h, 16);
	h.prog.data = arena_alloc(&h.arena, 16);
	h.prog.data[8] = 42;
	add_counter(&h, BPF_PROG_TYPE_RAW_TRACEPOINT, 0,
		    (struct bpf_insn[]){ I_LDX(BPF_DW, 0, 6, 8),
					 I_JMPI(BPF_JNE, 0, SYS_getppid, TAIL_TO_OUT) },
		    2);
	handmade_open(&h, 0);
	good(&h, kernel_create_maps(h.k, &h.err));
	good(&h, kernel_load(h.k, 0, &h.err));
	call_getppid(10);
	good(&h, kernel_attach(h.k, 0, &s, &h.err));
	call_getppid(CALLS);
	is_int(kernel_data_u64(h.k, 0), CALLS, "raw tracepoint: each call once, none before");
	kernel_detach_all(h.k);
	call_getppid(CALLS);
	is_int(kernel_data_u64(h.k, 0), CALLS, "none after detaching");
	is_int(kernel_data_u64(h.k, 8), 42, "initial data");
	is_int(kernel_recursion_misses(h.k, 0), 0, "no misses");
	is_str(kernel_how(h.k, 0), "rawtracepoint:sys_enter: raw tracepoint sys_enter", "how");
	is_int(kernel_attach(h.k, 0, &none, &h.err), -ENOENT, "no such tracepoint");
	ok(strstr(h.err.help, "list") != NULL, "help: %s", h.err.help);
	handmade_release(&h);
}

static int n_asked;

static bool third_time(void)
{
	return ++n_asked > 2;
}

/* Ctrl-C while thousands are attached. */
static void stopped(void)
{
	struct engine_options o = { .stop = third_time };
	struct site s = { .kind = SITE_RAW_TRACEPOINT,
			  .tracepoint = "sys_enter",
			  .probe = "rawtracepoint:sys_enter" };
	const struct site *five[] = { &s, &s, &s, &s, &s };
	struct attach_request a = { .sites = five, .n = ARRAY_SIZE(five) };
	struct handmade h;

	handmade_init(&h);
	add_data(&h, 8);
	add_counter(&h, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, NULL, 0);
	h.k = kernel_open(&h.prog, &o);
	good(&h, kernel_create_maps(h.k, &h.err));
	is_int(kernel_attach_many(h.k, &a, &h.err), 2, "who is told to stop stops");
	handmade_release(&h);
}

static s64 tracepoint_id(const char *name)
{
	char path[160];
	FILE *f;
	int id = -1;

	snprintf(path, sizeof path, "/sys/kernel/tracing/events/%s/id", name);
	f = fopen(path, "r");
	if (!f && errno == ENOENT &&
	    mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL) == 0)
		f = fopen(path, "r");
	if (f && fscanf(f, "%d", &id) != 1)
		id = -1;
	if (f)
		fclose(f);
	return id;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
}

static void perf_tracepoint(bool cookie)
{
	s64 id = tracepoint_id("syscalls/sys_enter_getppid");
	struct site s = { .kind = SITE_PERF_TRACEPOINT,
			  .index = 7,
			  .event.config = (u64)id,
			  .probe = "tracepoint" };
	struct handmade h;
	cpu_set_t old;

	if (id < 0) {
		skip("no tracefs");
		return;
	}
	handmade_init(&h);
	add_data(&h, 8);
	if (cookie)
		add_counter(&h, BPF_PROG_TYPE_TRACEPOINT, 0,
			    (struct bpf_insn[]){ I_MOV(1, 6), I_CALL(174),
						 I_JMPI(BPF_JNE, 0, 7, TAIL_TO_OUT) },
			    3);
	else
		add_counter(&h, BPF_PROG_TYPE_TRACEPOINT, 0, NULL, 0);
	handmade_open(&h, 0);
	good(&h, kernel_create_maps(h.k, &h.err));
	good(&h, kernel_load(h.k, 0, &h.err));
	good(&h, kernel_attach(h.k, 0, &s, &h.err));
	sched_getaffinity(0, sizeof old, &old);
	for (int cpu = 0; cpu < CPU_COUNT(&old); cpu++) {
		pin(cpu);
		call_getppid(CALLS);
		is_int(kernel_data_u64(h.k, 0), (cpu + 1) * CALLS,
		       "perf tracepoint%s: one event serves CPU %d", cookie ? " with a cookie" : "",
		       cpu);
	}
	sched_setaffinity(0, sizeof old, &old);
	u64 before = kernel_data_u64(h.k, 0);

	kernel_detach_all(h.k);
	call_getppid(CALLS);
	is_int(kernel_data_u64(h.k, 0), before, "the gate stops it at once");
	handmade_release(&h);
}

static void software_event(void)
{
	struct site s = { .kind = SITE_PERF_SOFTWARE,
			  .event.type = PERF_TYPE_SOFTWARE,
			  .event.config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
			  .event.period = 1,
			  .pid = -1,
			  .probe = "faults" };
	enum { PAGES = 64 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct handmade h;
	u8 *p;

	handmade_init(&h);
	add_data(&h, 8);
	add_counter(&h, BPF_PROG_TYPE_PERF_EVENT, 0, NULL, 0);
	handmade_open(&h, 0);
	good(&h, kernel_create_maps(h.k, &h.err));
	good(&h, kernel_attach(h.k, 0, &s, &h.err));
	p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	u64 before = kernel_data_u64(h.k, 0);

	for (int i = 0; i < PAGES; i++)
		*(volatile u8 *)(p + (size_t)i * page) = 1;
	u64 n = kernel_data_u64(h.k, 0) - before;

	ok(n >= PAGES && n < PAGES + 32, "page faults: %llu for %d pages", (unsigned long long)n,
	   PAGES);
	munmap(p, PAGES * page);
	note("%s", kernel_how(h.k, 0));
	s.pid = getpid();
	s.probe = "faults of this process";
	good(&h, kernel_attach(h.k, 0, &s, &h.err));
	note("%s", kernel_how(h.k, 1));
	s.pid = 0x3fffffff;
	is_int(kernel_attach(h.k, 0, &s, &h.err), -ESRCH, "no such process: %s", h.err.help);
	handmade_release(&h);
}

/* Only the threads of the process, those it starts later too; not its children. */
static void *fault(void *pages)
{
	for (long i = 0; i < 64; i++)
		*(volatile u8 *)((u8 *)pages + i * sysconf(_SC_PAGESIZE)) = 1;
	return NULL;
}

static void threads_of_process(void)
{
	struct site s = { .kind = SITE_PERF_SOFTWARE,
			  .event.type = PERF_TYPE_SOFTWARE,
			  .pid = getpid(),
			  .event.config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
			  .event.period = 1,
			  .probe = "faults" };
	const struct bpf_insn code[] = { I_LD_VALUE(1, 0, 0), I_MOVI(2, 1),
					 I_ATOMIC(BPF_DW, BPF_ADD, 1, 2, 0), I_MOVI(0, 0),
					 I_EXIT() };
	size_t len = 64 * (size_t)sysconf(_SC_PAGESIZE);
	struct handmade h;
	pthread_t thread;
	u8 *p;

	handmade_init(&h);
	add_data(&h, 8);
	add_func(&h, BPF_PROG_TYPE_PERF_EVENT, code, ARRAY_SIZE(code));
	handmade_open(&h, 0);
	good(&h, kernel_create_maps(h.k, &h.err));
	good(&h, kernel_attach(h.k, 0, &s, &h.err));
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, len, MADV_NOHUGEPAGE);
	u64 before = kernel_data_u64(h.k, 0);

	pthread_create(&thread, NULL, fault, p);
	pthread_join(thread, NULL);
	u64 n = kernel_data_u64(h.k, 0) - before;

	ok(n >= 64 && n < 128, "a thread started later: %llu faults for 64 pages",
	   (unsigned long long)n);
	handmade_release(&h);
	munmap(p, len);
}

static u64 ms_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

static void timer(void)
{
	struct site s = { .kind = SITE_PERF_TIMER,
			  .event.period = 1000,
			  .event.is_freq = true,
			  .pid = -1,
			  .probe = "profile:hz:1000" };
	struct site one = { .kind = SITE_PERF_TIMER,
			    .event.period = 1000000,
			    .event.one_cpu = true,
			    .pid = -1,
			    .probe = "interval:ms:1" };
	struct site fast = { .kind = SITE_PERF_TIMER,
			     .event.period = 1000000000,
			     .event.is_freq = true,
			     .pid = -1,
			     .probe = "x" };
	struct handmade h;
	u64 wall, cpu;

	handmade_init(&h);
	add_data(&h, 16);
	add_counter(&h, BPF_PROG_TYPE_PERF_EVENT, 0, NULL, 0);
	/* interval: whoever runs there */
	add_func(&h, BPF_PROG_TYPE_PERF_EVENT,
		 (struct bpf_insn[]){ I_LD_VALUE(1, (s32)h.prog.data_map, 8), I_MOVI(2, 1),
				      I_ATOMIC(BPF_DW, BPF_ADD, 1, 2, 0), I_MOVI(0, 0), I_EXIT() },
		 6);
	handmade_open(&h, 0);
	good(&h, kernel_create_maps(h.k, &h.err));
	cpu = ms_of(
		CLOCK_PROCESS_CPUTIME_ID); /* attaching takes some of it, more on a busy machine */
	good(&h, kernel_attach(h.k, 0, &s, &h.err));
	good(&h, kernel_attach(h.k, 1, &one, &h.err));
	wall = ms_of(CLOCK_MONOTONIC);
	while (ms_of(CLOCK_PROCESS_CPUTIME_ID) - cpu < 300)
		;
	u64 n = kernel_data_u64(h.k, 0), m = kernel_data_u64(h.k, 8);

	wall = ms_of(CLOCK_MONOTONIC) - wall;
	ok(n > 50 && n < 340, "profile at 1000 Hz, 300 ms on a processor: %llu hits",
	   (unsigned long long)n);
	ok(m > wall / 3 && m < wall + 40, "interval of 1 ms, %llu ms: %llu",
	   (unsigned long long)wall, (unsigned long long)m);
	note("%s; %s", kernel_how(h.k, 0), kernel_how(h.k, 1));
	is_int(kernel_attach(h.k, 0, &fast, &h.err), -EINVAL, "1 GHz is refused: %s", h.err.help);
	handmade_release(&h);
}

static void run_by_hand(void)
{
	struct handmade h;
	s32 ret = 0;

	handmade_init(&h);
	add_func(&h, BPF_PROG_TYPE_RAW_TRACEPOINT, (struct bpf_insn[]){ I_MOVI(0, 77), I_EXIT() },
		 2);
	handmade_open(&h, 0);
	good(&h, kernel_create_maps(h.k, &h.err));
	good(&h, kernel_load(h.k, 0, &h.err));
	good(&h, kernel_run(h.k, 0, &ret, &h.err));
	is_int(ret, 77, "test run returns the program's value");
	handmade_release(&h);
}

static void refused_program(void)
{
	struct handmade h;

	handmade_init(&h);
	add_func(&h, BPF_PROG_TYPE_RAW_TRACEPOINT,
		 (struct bpf_insn[]){ I_LDX(BPF_DW, 0, 3, 0), I_EXIT() }, 2);
	handmade_open(&h, 0);
	good(&h, kernel_create_maps(h.k, &h.err));
	is_int(kernel_load(h.k, 0, &h.err), -EACCES, "an unset register is refused");
	ok(h.err.log && strstr(h.err.log, "R3 !read_ok"), "with the verifier's words");
	handmade_release(&h);
}

static void callback(void)
{
	struct handmade h;
	s32 ret = 0;
	struct bpf_insn code[] = {
		I_MOVI(1, 5),         I_LD_FUNC(2, 5), I_MOVI(3, 0),
		I_MOVI(4, 0),         I_CALL(181),     I_EXIT(),
		/* 7 */ I_MOVI(0, 0), I_EXIT(),
	};
	struct subprog parts[] = { { .name = "main" },
				   { .insn = 7, .name = "body", .callback = true } };

	if (!feature_has(kernel_features(), FEAT_BPF_LOOP)) {
		skip("no bpf_loop");
		return;
	}
	handmade_init(&h);
	add_func(&h, BPF_PROG_TYPE_RAW_TRACEPOINT, code, ARRAY_SIZE(code));
	add_func(&h, BPF_PROG_TYPE_KPROBE, code, ARRAY_SIZE(code));
	for (u32 i = 0; i < 2; i++) {
		h.prog.funcs.v[i]->subprogs = parts;
		h.prog.funcs.v[i]->n_subprogs = 2;
	}
	handmade_open(&h, 0);
	good(&h, kernel_create_maps(h.k, &h.err));
	good(&h, kernel_load(h.k, 0, &h.err));
	good(&h, kernel_load(h.k, 1, &h.err)); /* behind the gate */
	good(&h, kernel_run(h.k, 0, &ret, &h.err));
	is_int(ret, 5, "bpf_loop went round");
	handmade_release(&h);
}

int main(void)
{
	if (!may_test())
		return done();
	raw_tracepoint();
	stopped();
	perf_tracepoint(false);
	if (feature_has(kernel_features(), FEAT_COOKIE))
		perf_tracepoint(true);
	software_event();
	threads_of_process();
	timer();
	run_by_hand();
	refused_program();
	callback();
	return done();
}
