/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "lim": the questions of bench/run answered by hand in C, compiled by clang -O2 -target bpf. What
 * a careful person would write for one machine with BTF and at most 64 CPUs. Each section is a
 * program:
 *
 *	QUESTION/raw/TRACEPOINT		on a raw tracepoint
 *	QUESTION/btf/TRACEPOINT		on a raw tracepoint with types
 *	QUESTION/perf/CATEGORY/EVENT	on the perf event
 *
 * See lim.c, which loads and attaches those of one question.
 */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))

static void *(*const lookup)(const void *map, const void *key) = (void *)1;
static long (*const update)(const void *map, const void *key, const void *value,
			    u64 flags) = (void *)2;
static long (*const delete)(const void *map, const void *key) = (void *)3;
static u64 (*const cpu_id)(void) = (void *)8;
static u64 (*const pid_tgid)(void) = (void *)14;
static u64 (*const boot_ns)(void) = (void *)125;
static void *(*const reserve)(const void *ring, u64 size, u64 flags) = (void *)131;
static void (*const submit)(void *record, u64 flags) = (void *)132;

enum {
	HASH = 1,
	PERCPU_HASH = 5,
	RINGBUF = 27,
	NR_getppid = 110,
	NR_read = 0,
	NO_PREALLOC = 1,
	NOEXIST = 1
};

/* What lim.c reads of the section "maps". */
struct map_def {
	u32 type, key_size, value_size, max_entries, flags;
};

struct name {
	u64 a, b;
};

struct map_def SEC("maps") by_comm_map = { PERCPU_HASH, 16, 8, 4096, NO_PREALLOC };
struct map_def SEC("maps") by_pid_comm_map = { PERCPU_HASH, 24, 8, 4096, NO_PREALLOC };
struct map_def SEC("maps") starts = { HASH, 4, 8, 4096, NO_PREALLOC };
struct map_def SEC("maps") ring = { RINGBUF, 0, 0, 1 << 20, 0 };

/* 64 bytes apart: two CPUs never write to one line. */
u64 counts[64 * 8];
u64 hists[64 * 72];
u64 zero;

INLINE void add(u64 *n, u64 by)
{
	__sync_fetch_and_add(n, by);
}

INLINE void count(void)
{
	add(&counts[(cpu_id() & 63) * 8], 1);
}

/* bpf_get_current_task_btf() + offset of comm: 0x7f0 stands for the offset in the running
 * kernel. */
INLINE void current_comm(struct name *name)
{
	u64 task;

	asm volatile("call 158\n\t"
		     "%1 = *(u64 *)(r0 + 0x7f0)\n\t"
		     "%2 = *(u64 *)(r0 + 0x7f8)\n\t"
		     "%0 = r0"
		     : "=r"(task), "=&r"(name->a), "=&r"(name->b)
		     :
		     : "r0", "r1", "r2", "r3", "r4", "r5");
}

INLINE void add_to_key(struct map_def *map, const void *key)
{
	u64 *n = lookup(map, key);

	if (!n) {
		update(map, key, &zero, NOEXIST);
		n = lookup(map, key);
	}
	if (n)
		add(n, 1);
}

INLINE u64 log2_bucket(u64 v)
{
	u64 r = 0, s;

	if (!v)
		return 1;
	s = (v > 0xffffffff) << 5, v >>= s, r |= s;
	s = (v > 0xffff) << 4, v >>= s, r |= s;
	s = (v > 0xff) << 3, v >>= s, r |= s;
	s = (v > 0xf) << 2, v >>= s, r |= s;
	s = (v > 0x3) << 1, v >>= s, r |= s;
	return (r | (v >> 1)) + 2;
}

INLINE void hist(u64 v)
{
	u64 at = (cpu_id() & 63) * 72 + log2_bucket(v);

	if (at < sizeof(hists) / 8)
		add(&hists[at], 1);
}

/* ---- empty */

SEC("empty/raw/sys_enter") int empty_raw(void *ctx)
{
	return 0;
}

SEC("empty-perf/perf/raw_syscalls/sys_enter") int empty_perf(void *ctx)
{
	return 0;
}

/* ---- @ = count() */

SEC("count/raw/sys_enter") int count_raw(void *ctx)
{
	count();
	return 0;
}

SEC("count-perf/perf/raw_syscalls/sys_enter") int count_perf(void *ctx)
{
	count();
	return 0;
}

INLINE int count_call(u64 *ctx, u32 nr)
{
	if ((u32)ctx[1] == nr)
		count();
	return 0;
}

SEC("one-call/raw/sys_enter") int one_call(u64 *ctx)
{
	return count_call(ctx, NR_getppid);
}

SEC("one-call-perf/perf/syscalls/sys_enter_getppid") int one_call_perf(void *ctx)
{
	count();
	return 0;
}

SEC("other-call/raw/sys_enter") int other_call(u64 *ctx)
{
	return count_call(ctx, NR_read);
}

SEC("other-call-perf/perf/syscalls/sys_enter_read") int other_call_perf(void *ctx)
{
	count();
	return 0;
}

/* ---- @[comm] = count(), @[pid, comm] = sum(1), /comm == "x"/ */

SEC("by-comm/raw/sys_enter") int by_comm(void *ctx)
{
	struct name name;

	current_comm(&name);
	add_to_key(&by_comm_map, &name);
	return 0;
}

SEC("by-pid-comm/raw/sys_enter") int by_pid_comm(void *ctx)
{
	struct {
		u64 pid;
		struct name name;
	} key;

	key.pid = pid_tgid() >> 32;
	current_comm(&key.name);
	add_to_key(&by_pid_comm_map, &key);
	return 0;
}

SEC("filter/raw/sys_enter") int filter(void *ctx)
{
	struct name name;

	current_comm(&name);
	if (name.a == 'x')
		count();
	return 0;
}

/* ---- @ = hist(nsecs & 65535) */

SEC("hist/raw/sys_enter") int hist_raw(void *ctx)
{
	hist(boot_ns() & 65535);
	return 0;
}

/* ---- latency of one call. At the exit the start tells that it is that call. */

SEC("latency/raw/sys_enter") int latency_enter(u64 *ctx)
{
	u32 tid;
	u64 now;

	if ((u32)ctx[1] != NR_getppid)
		return 0;
	now = boot_ns();
	tid = (u32)pid_tgid();
	update(&starts, &tid, &now, 0);
	return 0;
}

SEC("latency/btf/sys_exit") int latency_exit(u64 *ctx)
{
	u64 *start, now;
	u32 tid;

	if (*(u32 *)(ctx[0] + 120) != NR_getppid) /* pt_regs.orig_ax */
		return 0;
	tid = (u32)pid_tgid();
	start = lookup(&starts, &tid);
	if (!start)
		return 0;
	now = boot_ns();
	hist(now - *start);
	delete (&starts, &tid);
	return 0;
}

/* ---- printf("%d\n", pid) */

SEC("printf/raw/sys_enter") int print(void *ctx)
{
	u64 *record = reserve(&ring, 16, 0);

	if (!record)
		return 0;
	record[0] = 0;
	record[1] = pid_tgid() >> 32;
	submit(record, 1);
	return 0;
}

char gpl[] SEC("license") = "GPL";
