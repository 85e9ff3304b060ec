/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the running kernel can do, found by doing it: one small function for each row of
 * type/features.def, with a program of a few instructions. Versions are never compared:
 * distributions carry features backwards and configurations leave them out. Where attaching for
 * real would change the kernel's text or cost grace periods, the attempt is made to fail late:
 * at a symbol or file that does not exist, whose error only a kernel with the feature gives.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/fd.h"
#include "engine/insn.h"
#include "engine/internal.h"
#include "sym/btf.h"

enum { /* enum bpf_func_id */
       HELPER_PROBE_WRITE_USER = 36,
       HELPER_SEND_SIGNAL = 109,
       HELPER_GET_NS_PID_TGID = 120,
       HELPER_KTIME_GET_BOOT_NS = 125,
       HELPER_GET_CURRENT_TASK_BTF = 158,
       HELPER_FOR_EACH_MAP_ELEM = 164,
       HELPER_GET_FUNC_IP = 173,
       HELPER_LOOP = 181,
       HELPER_KTIME_GET_TAI_NS = 208,
       KIND_FUNC = 12, /* BTF_KIND_FUNC */
};

static int load_insns(u32 prog_type, u32 attach_type, const struct bpf_insn *insns, u32 n)
{
	struct bpf_load l = { .prog_type = prog_type,
			      .attach_type = attach_type,
			      .insns = insns,
			      .n_insns = n,
			      .name = "sonde_try" };

	return bpf_prog_load(&l);
}

static bool was_made(int fd)
{
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

#define LOADS(prog_type, ...)                                                                      \
	({                                                                                         \
		const struct bpf_insn insns_[] = { __VA_ARGS__ };                                  \
		was_made(load_insns(BPF_PROG_TYPE_##prog_type, 0, insns_, ARRAY_SIZE(insns_)));    \
	})

static int load_empty(u32 prog_type, u32 attach_type)
{
	const struct bpf_insn insns[] = { I_MOVI(0, 0), I_EXIT() };

	return load_insns(prog_type, attach_type, insns, ARRAY_SIZE(insns));
}

/* A helper that takes no arguments, or the context, and returns a number. */
static bool has_helper(u32 prog_type, int helper)
{
	const struct bpf_insn insns[] = { I_CALL(helper), I_MOVI(0, 0), I_EXIT() };

	return was_made(load_insns(prog_type, 0, insns, ARRAY_SIZE(insns)));
}

/* ---- maps */

static bool try_ringbuf(void)
{
	return was_made(bpf_map_create(BPF_MAP_TYPE_RINGBUF, "sonde_try", 0, 0,
				       (u32)sysconf(_SC_PAGESIZE), 0));
}

/* Before 6.1 only perf_event programs refuse such a map; the others load with a warning in the
 * log. */
static bool try_hash_no_prealloc(void)
{
	_fd int map = bpf_map_create(BPF_MAP_TYPE_HASH, "sonde_try", 8, 8, 1, BPF_F_NO_PREALLOC);

	return map >= 0 && LOADS(PERF_EVENT, I_ST(BPF_DW, 10, -8, 0), I_LD_MAP(1, map),
				 I_MOV(2, 10), I_ALUI(BPF_ADD, 2, -8),
				 I_CALL(BPF_FUNC_map_lookup_elem), I_MOVI(0, 0), I_EXIT());
}

static bool try_long_keys(void)
{
	_fd int map = bpf_map_create(BPF_MAP_TYPE_HASH, "sonde_try", LONG_KEY + 8, 8, 1, 0);

	return map >= 0;
}

static bool try_datasec_mmap(void)
{
	_fd int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "sonde_try", 4, 8, 1, BPF_F_MMAPABLE);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = map < 0 ? MAP_FAILED
			   : mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);

	if (at == MAP_FAILED)
		return false;
	munmap(at, page);
	return true;
}

static bool try_batch(void)
{
	_fd int map = bpf_map_create(BPF_MAP_TYPE_HASH, "sonde_try", 8, 8, 1, 0);
	u64 position[2] = {}, key, value;
	u32 n = 1;

	return map >= 0 && (bpf_map_lookup_batch(map, NULL, position, &key, &value, &n) == 0 ||
			    errno == ENOENT);
}

/* ---- instructions */

static bool try_atomic_fetch(void)
{
	return LOADS(RAW_TRACEPOINT, I_MOVI(1, 1), I_STX(BPF_DW, 10, 1, -8),
		     I_ATOMIC(BPF_DW, BPF_ADD | BPF_FETCH, 10, 1, -8), I_MOVI(0, 0), I_EXIT());
}

static bool try_sdiv(void)
{
	return LOADS(RAW_TRACEPOINT, I_MOVI(0, -8), I_RAW(BPF_ALU64 | BPF_DIV | BPF_K, 0, 0, 1, 2),
		     I_EXIT());
}

static bool try_movsx(void)
{
	return LOADS(RAW_TRACEPOINT, I_MOVI(1, 255), I_RAW(BPF_ALU64 | BPF_MOV | BPF_X, 0, 1, 8, 0),
		     I_EXIT());
}

static bool try_bswap(void)
{
	return LOADS(RAW_TRACEPOINT, I_MOVI(0, 255), I_RAW(BPF_ALU64 | BPF_END, 0, 0, 0, 32),
		     I_EXIT());
}

/* ---- helpers */

/* Older kernels (before 5.13 or so) give the pointer but the load through it matters as well. */
static bool try_task_btf(void)
{
	return LOADS(RAW_TRACEPOINT, I_CALL(HELPER_GET_CURRENT_TASK_BTF), I_LDX(BPF_DW, 1, 0, 0),
		     I_MOVI(0, 0), I_EXIT());
}

static bool try_get_func_ip(void)
{
	return has_helper(BPF_PROG_TYPE_KPROBE, HELPER_GET_FUNC_IP);
}

static bool try_cookie(void)
{
	return has_helper(BPF_PROG_TYPE_KPROBE, HELPER_GET_ATTACH_COOKIE);
}

static bool try_tai(void)
{
	return has_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, HELPER_KTIME_GET_TAI_NS);
}

static bool try_boot_ns(void)
{
	return has_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, HELPER_KTIME_GET_BOOT_NS);
}

static bool try_ns_pid(void)
{
	return LOADS(RAW_TRACEPOINT, I_ST(BPF_DW, 10, -8, 0), I_MOVI(1, 0), I_MOVI(2, 0),
		     I_MOV(3, 10), I_ALUI(BPF_ADD, 3, -8), I_MOVI(4, 8),
		     I_CALL(HELPER_GET_NS_PID_TGID), I_MOVI(0, 0), I_EXIT());
}

static bool try_probe_write_user(void)
{
	return LOADS(KPROBE, I_ST(BPF_DW, 10, -8, 0), I_MOVI(1, 0), I_MOV(2, 10),
		     I_ALUI(BPF_ADD, 2, -8), I_MOVI(3, 8), I_CALL(HELPER_PROBE_WRITE_USER),
		     I_MOVI(0, 0), I_EXIT());
}

static bool try_signal(void)
{
	return LOADS(RAW_TRACEPOINT, I_MOVI(1, 0), I_CALL(HELPER_SEND_SIGNAL), I_MOVI(0, 0),
		     I_EXIT());
}

/* insns: an entry, then from `callback` on a subprogram whose address is taken. */
static bool loads_callback(const struct bpf_insn *insns, u32 n, u32 callback)
{
	struct subprog parts[] = { { 0, "entry", false }, { callback, "callback", true } };
	struct bpf_func f = { .subprogs = parts, .n_subprogs = 2 };
	struct bpf_func_info info[2] = {};
	_fd int btf = btf_blob_load(&f, 0, info);
	struct bpf_load l = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
			      .insns = insns,
			      .n_insns = n,
			      .name = "sonde_try",
			      .btf_fd = btf,
			      .func_info = info,
			      .n_func_info = 2 };

	return btf >= 0 && was_made(bpf_prog_load(&l));
}

static bool try_bpf_loop(void)
{
	const struct bpf_insn insns[] = {
		I_MOVI(1, 1),	      I_LD_FUNC(2, 6), I_MOVI(3, 0), I_MOVI(4, 0),
		I_CALL(HELPER_LOOP),  I_MOVI(0, 0),    I_EXIT(),
		/* 8 */ I_MOVI(0, 1), I_EXIT(),
	};

	return loads_callback(insns, ARRAY_SIZE(insns), 8);
}

static bool try_for_each_map(void)
{
	_fd int map = bpf_map_create(BPF_MAP_TYPE_HASH, "sonde_try", 8, 8, 1, 0);
	const struct bpf_insn insns[] = {
		I_LD_MAP(1, map),
		I_LD_FUNC(2, 6),
		I_MOVI(3, 0),
		I_MOVI(4, 0),
		I_CALL(HELPER_FOR_EACH_MAP_ELEM),
		I_MOVI(0, 0),
		I_EXIT(),
		/* 9 */ I_MOVI(0, 1),
		I_EXIT(),
	};

	return map >= 0 && loads_callback(insns, ARRAY_SIZE(insns), 9);
}

/* ---- BTF */

static bool try_btf(void)
{
	return access("/sys/kernel/btf/vmlinux", R_OK) == 0;
}

/* Kernel BTF for the length of one question. */
static bool with_btf(bool (*ask)(struct btf *btf))
{
	struct err err = {};
	struct arena a;
	struct btf *btf;
	bool yes;

	arena_init(&a);
	btf = btf_open(&a, NULL, &err);
	yes = btf && ask(btf);
	if (btf)
		btf_close(btf);
	err_release(&err);
	arena_release(&a);
	return yes;
}

static int load_tracing(u32 attach_type, u32 btf_id)
{
	const struct bpf_insn insns[] = { I_MOVI(0, 0), I_EXIT() };
	struct bpf_load l = { .prog_type = BPF_PROG_TYPE_TRACING,
			      .attach_type = attach_type,
			      .attach_btf_id = btf_id,
			      .insns = insns,
			      .n_insns = ARRAY_SIZE(insns),
			      .name = "sonde_try" };

	return btf_id ? bpf_prog_load(&l) : -1;
}

static bool ask_raw_tp_btf(struct btf *btf)
{
	u32 id = 0;

	btf_raw_tracepoint(btf, "sys_enter", NULL, 0, &id);
	return was_made(load_tracing(ATTACH_TRACE_RAW_TP, id));
}

static bool try_raw_tp_btf(void)
{
	return with_btf(ask_raw_tp_btf);
}

/* Loading is not enough: arm64 of 6.1 loads the program and cannot attach it. */
static bool ask_fentry(struct btf *btf)
{
	static const char *const quiet[] = { "__x64_sys_getpgid", "__arm64_sys_getpgid",
					     "__do_sys_getpgid" };
	u32 id = 0;

	for (size_t i = 0; i < ARRAY_SIZE(quiet) && !id; i++)
		id = btf_find(btf, quiet[i], KIND_FUNC);
	_fd int prog = load_tracing(ATTACH_TRACE_FENTRY, id);

	return prog >= 0 && was_made(bpf_raw_tracepoint_open(NULL, prog, 0));
}

static bool try_fentry(void)
{
	return with_btf(ask_fentry);
}

static bool ask_kfunc(struct btf *btf)
{
	s32 lock = (s32)btf_find(btf, "bpf_rcu_read_lock", KIND_FUNC);
	s32 unlock = (s32)btf_find(btf, "bpf_rcu_read_unlock", KIND_FUNC);

	return lock && unlock &&
	       LOADS(RAW_TRACEPOINT, I_CALL_KFUNC(lock), I_CALL_KFUNC(unlock), I_MOVI(0, 0),
		     I_EXIT());
}

static bool try_kfunc(void)
{
	return with_btf(ask_kfunc);
}

/* Nothing that can be tried tells it: the function that the function graph calls is there or not. */
static bool ask_fprobe_graph(struct btf *btf)
{
	return btf_find(btf, "fprobe_return", KIND_FUNC);
}

static bool try_fprobe_graph(void)
{
	return with_btf(ask_fprobe_graph);
}

/* ---- attaching */

/* An event of a probe PMU in a place that does not exist: "no such place" means that it would
 * work. */
static bool pmu_answers(const char *type_file, const char *place)
{
	s64 type = file_number(type_file);
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = (u32)type,
					.sample_period = 1 };

	if (type < 0)
		return false;
	attr.config1 = (u64)(uintptr_t)place;
	return was_made(perf_event_open(&attr, -1, 0, -1, 0)) ||
	       (errno != EPERM && errno != EACCES && errno != EOPNOTSUPP);
}

static bool try_kprobe(void)
{
	return pmu_answers("/sys/bus/event_source/devices/kprobe/type", "sonde_no_such_function");
}

static bool try_uprobe(void)
{
	return pmu_answers("/sys/bus/event_source/devices/uprobe/type", "/sonde/no/such/file");
}

static bool link_gives(const struct bpf_multi_link *l, u32 prog_attach_type, int error)
{
	struct bpf_multi_link with = *l;
	_fd int prog = load_empty(BPF_PROG_TYPE_KPROBE, prog_attach_type);

	with.prog_fd = prog;
	return prog >= 0 && (was_made(bpf_link_multi(&with)) || errno == error);
}

static bool try_kprobe_links(u32 attach_type)
{
	const char *sym = "sonde_no_such_function";

	return link_gives(
		&(struct bpf_multi_link){ .attach_type = attach_type, .n = 1, .syms = &sym },
		attach_type, ESRCH);
}

static bool try_kprobe_multi(void)
{
	return try_kprobe_links(ATTACH_KPROBE_MULTI);
}

static bool try_kprobe_session(void)
{
	return try_kprobe_links(ATTACH_KPROBE_SESSION);
}

/* A directory is not a file that could be probed: EBADF. */
static bool try_uprobe_multi(void)
{
	u64 offset = 0;

	return link_gives(
		&(struct bpf_multi_link){
			.attach_type = ATTACH_UPROBE_MULTI, .n = 1, .addrs = &offset, .path = "/" },
		ATTACH_UPROBE_MULTI, EBADF);
}

#if defined(__x86_64__)
/*
 * From 6.18 on a uprobe on a five-byte nop becomes a call, which writes its return address below rsp,
 * where leaf functions keep variables (System V ABI, the red zone). The function: both words below rsp
 * are written, nop5, their conjunction is the result.
 */
static const u8 red_zone[] = { 0x48, 0x89, 0x7c, 0x24, 0xf8,   /* mov %rdi, -8(%rsp) */
			       0x48, 0x89, 0x7c, 0x24, 0xf0,   /* mov %rdi, -16(%rsp) */
			       0x0f, 0x1f, 0x44, 0x00, 0x00,   /* nop5 */
			       0x48, 0x8b, 0x44, 0x24, 0xf8,   /* mov -8(%rsp), %rax */
			       0x48, 0x23, 0x44, 0x24, 0xf0,   /* and -16(%rsp), %rax */
			       0xc3 };
enum { RED_ZONE_NOP = 10, RED_ZONE_CALLS = 8 };

static bool keeps_red_zone(const void *code)
{
	u64 (*f)(u64) = (u64(*)(u64))(uintptr_t)code;
	u64 want = 0x5a5a123456789abc;

	for (int i = 0; i < RED_ZONE_CALLS; i++)
		if (f(want) != want)
			return false;
	return true;
}

static bool try_uprobe_nop5(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .sample_period = 1, .probe_offset = RED_ZONE_NOP };
	s64 type = file_number("/sys/bus/event_source/devices/uprobe/type");
	_fd int file = memfd_create("sonde-nop5", MFD_CLOEXEC), event = -1;
	char path[40];
	void *code;
	bool good = true;

	if (type < 0 || file < 0 || write(file, red_zone, sizeof(red_zone)) != sizeof(red_zone))
		return true;
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	if (code == MAP_FAILED)
		return true;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	attr.type = (u32)type;
	attr.uprobe_path = (u64)(uintptr_t)path;
	event = perf_event_open(&attr, getpid(), -1, -1, 0);
	if (event >= 0)
		good = keeps_red_zone(code);
	munmap(code, 4096);
	close(event);
	return good;
}
#else
static bool try_uprobe_nop5(void)
{
	return true;
}
#endif

static bool try_perf_link(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000000000,
					.disabled = 1 };
	_fd int prog = load_empty(BPF_PROG_TYPE_PERF_EVENT, 0);
	_fd int event = perf_event_open(&attr, 0, -1, -1, 0);

	return prog >= 0 && event >= 0 && was_made(bpf_link_perf(prog, event, 0));
}

static bool try_test_run(void)
{
	_fd int prog = load_empty(BPF_PROG_TYPE_RAW_TRACEPOINT, 0);

	return prog >= 0 && bpf_prog_run(prog, NULL, 0, NULL) == 0;
}

static bool (*const tries[N_FEATURES])(void) = {
	[FEAT_BTF] = try_btf,
	[FEAT_RINGBUF] = try_ringbuf,
	[FEAT_ATOMIC_FETCH] = try_atomic_fetch,
	[FEAT_HASH_NO_PREALLOC] = try_hash_no_prealloc,
	[FEAT_LONG_KEYS] = try_long_keys,
	[FEAT_SDIV] = try_sdiv,
	[FEAT_MOVSX] = try_movsx,
	[FEAT_BSWAP] = try_bswap,
	[FEAT_TASK_BTF] = try_task_btf,
	[FEAT_GET_FUNC_IP] = try_get_func_ip,
	[FEAT_COOKIE] = try_cookie,
	[FEAT_BPF_LOOP] = try_bpf_loop,
	[FEAT_FOR_EACH_MAP] = try_for_each_map,
	[FEAT_TAI] = try_tai,
	[FEAT_BOOT_NS] = try_boot_ns,
	[FEAT_NS_PID] = try_ns_pid,
	[FEAT_PROBE_WRITE_USER] = try_probe_write_user,
	[FEAT_SIGNAL] = try_signal,
	[FEAT_KPROBE] = try_kprobe,
	[FEAT_KPROBE_MULTI] = try_kprobe_multi,
	[FEAT_KPROBE_SESSION] = try_kprobe_session,
	[FEAT_FPROBE_GRAPH] = try_fprobe_graph,
	[FEAT_UPROBE] = try_uprobe,
	[FEAT_UPROBE_MULTI] = try_uprobe_multi,
	[FEAT_UPROBE_NOP5] = try_uprobe_nop5,
	[FEAT_FENTRY] = try_fentry,
	[FEAT_RAW_TP_BTF] = try_raw_tp_btf,
	[FEAT_PERF_LINK] = try_perf_link,
	[FEAT_PROG_TEST_RUN_RAW_TP] = try_test_run,
	[FEAT_DATASEC_MMAP] = try_datasec_mmap,
	[FEAT_BATCH] = try_batch,
	[FEAT_KFUNC_TP] = try_kfunc,
};

bool feature_try(enum feature id)
{
	if (!tries[id])
		BUG("feature %s has no probe", feature_rows[id].name);
	raise_memlock();
	return tries[id]();
}
