/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Determines what the running kernel can do by doing it: one small function for each row of
 * type/features.def, with a program of a few instructions. Versions are never compared, because
 * distributions backport features and configurations omit them. If attaching would change the
 * kernel's text or cost grace periods, the attempt is made to fail late: at a symbol or file that
 * does not exist, with an error that only a kernel with the feature returns.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/fd.h"
#include "engine/kernel/insn.h"
#include "engine/kernel/internal.h"
#include "engine/kernel/try.h"
#include "sym/btf.h"
#include "sym/kallsyms.h"
#include "sym/tracefs.h"

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

/* Not known now: a file that we may not open, hidden addresses, a switch that is off. */
static bool untold;

static bool opens(int fd)
{
	untold |= fd < 0 && (errno == EPERM || errno == EACCES);
	return was_made(fd);
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

/* kernel/bpf/arraymap.c: array_map_alloc_check; in 5.10 KMALLOC_MAX_SIZE. */
static bool try_big_arrays(void)
{
	enum { MORE = (4 << 20) + 4096 };

	return was_made(
		bpf_map_create(BPF_MAP_TYPE_ARRAY, "sonde_try", 4, MORE, 1, BPF_F_MMAPABLE));
}

static bool try_mapped_arrays(void)
{
	return was_made(bpf_map_create(BPF_MAP_TYPE_ARRAY, "sonde_try", 4, 8, 1, BPF_F_MMAPABLE));
}

static bool try_long_keys(void)
{
	_fd int map = bpf_map_create(BPF_MAP_TYPE_HASH, "sonde_try", LONG_KEY + 8, 8, 1, 0);

	return map >= 0;
}

static bool try_batch(void)
{
	_fd int map = bpf_map_create(BPF_MAP_TYPE_HASH, "sonde_try", 8, 8, 1, 0);
	u64 position[2] = { 0 }, key, value;
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

/* Older kernels (before about 5.13) have the helper, but loads through its result must work,
 * too. */
static bool try_task_btf(void)
{
	return LOADS(RAW_TRACEPOINT, I_CALL(BPF_FUNC_get_current_task_btf), I_LDX(BPF_DW, 1, 0, 0),
		     I_MOVI(0, 0), I_EXIT());
}

static bool try_task_pt_regs(void)
{
	return LOADS(RAW_TRACEPOINT, I_CALL(BPF_FUNC_get_current_task_btf), I_MOV(1, 0),
		     I_CALL(BPF_FUNC_task_pt_regs), I_MOVI(0, 0), I_EXIT());
}

static bool try_get_func_ip(void)
{
	return has_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_get_func_ip);
}

static bool try_cookie(void)
{
	return has_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_get_attach_cookie);
}

static bool try_raw_cookie(void)
{
	return has_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_get_attach_cookie);
}

static bool try_tai(void)
{
	return has_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_ktime_get_tai_ns);
}

static bool try_boot_ns(void)
{
	return has_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_ktime_get_boot_ns);
}

static bool try_ns_pid(void)
{
	return LOADS(RAW_TRACEPOINT, I_ST(BPF_DW, 10, -8, 0), I_MOVI(1, 0), I_MOVI(2, 0),
		     I_MOV(3, 10), I_ALUI(BPF_ADD, 3, -8), I_MOVI(4, 8),
		     I_CALL(BPF_FUNC_get_ns_current_pid_tgid), I_MOVI(0, 0), I_EXIT());
}

static bool try_probe_write_user(void)
{
	return LOADS(KPROBE, I_ST(BPF_DW, 10, -8, 0), I_MOVI(1, 0), I_MOV(2, 10),
		     I_ALUI(BPF_ADD, 2, -8), I_MOVI(3, 8), I_CALL(BPF_FUNC_probe_write_user),
		     I_MOVI(0, 0), I_EXIT());
}

static bool try_signal(void)
{
	return LOADS(RAW_TRACEPOINT, I_MOVI(1, 0), I_CALL(BPF_FUNC_send_signal), I_MOVI(0, 0),
		     I_EXIT());
}

/* insns: an entry, then from `callback` on a subprogram whose address is taken. */
static bool loads_callback(const struct bpf_insn *insns, u32 n, u32 callback)
{
	struct subprog parts[] = { { .name = "entry" },
				   { .insn = callback, .name = "callback", .callback = true } };
	struct bpf_func f = { .subprogs = parts, .n_subprogs = 2 };
	struct bpf_func_info info[2] = { 0 };
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
		I_MOVI(1, 1),          I_LD_FUNC(2, 6), I_MOVI(3, 0), I_MOVI(4, 0),
		I_CALL(BPF_FUNC_loop), I_MOVI(0, 0),    I_EXIT(),
		/* 8 */ I_MOVI(0, 1),  I_EXIT(),
	};

	return loads_callback(insns, ARRAY_SIZE(insns), 8);
}

/* kernel/bpf/verifier.c: allow_tail_call_in_subprogs */
static bool try_tail_call_funcs(void)
{
	_fd int map = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "sonde_try", 4, 4, 1, 0);

	return map >= 0 &&
	       LOADS(RAW_TRACEPOINT, I_LD_MAP(2, map), I_MOVI(3, 0), I_CALL(BPF_FUNC_tail_call),
		     I_RAW(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 2), I_MOVI(0, 0), I_EXIT(),
		     /* the function */ I_MOVI(0, 0), I_EXIT());
}

static bool try_for_each_map(void)
{
	_fd int map = bpf_map_create(BPF_MAP_TYPE_HASH, "sonde_try", 8, 8, 1, 0);
	const struct bpf_insn insns[] = {
		I_LD_MAP(1, map),
		I_LD_FUNC(2, 6),
		I_MOVI(3, 0),
		I_MOVI(4, 0),
		I_CALL(BPF_FUNC_for_each_map_elem),
		I_MOVI(0, 0),
		I_EXIT(),
		/* 9 */ I_MOVI(0, 1),
		I_EXIT(),
	};

	return map >= 0 && loads_callback(insns, ARRAY_SIZE(insns), 9);
}

static bool try_lookup_percpu(void)
{
	_fd int map = bpf_map_create(BPF_MAP_TYPE_PERCPU_HASH, "sonde_try", 8, 8, 1, 0);

	return map >= 0 && LOADS(RAW_TRACEPOINT, I_ST(BPF_DW, 10, -8, 0), I_LD_MAP(1, map),
				 I_MOV(2, 10), I_ALUI(BPF_ADD, 2, -8), I_MOVI(3, 0),
				 I_CALL(BPF_FUNC_map_lookup_percpu_elem), I_MOVI(0, 0), I_EXIT());
}

/* ---- BTF */

static bool try_btf(void)
{
	return access("/sys/kernel/btf/vmlinux", R_OK) == 0;
}

/* Opens the kernel's BTF for one query. */
static bool with_btf(bool (*ask)(struct btf *btf))
{
	struct err err = { 0 };
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

static int load_by_id(u32 prog_type, u32 attach_type, u32 btf_id)
{
	const struct bpf_insn insns[] = { I_MOVI(0, 0), I_EXIT() };
	struct bpf_load l = { .prog_type = prog_type,
			      .attach_type = attach_type,
			      .attach_btf_id = btf_id,
			      .insns = insns,
			      .n_insns = ARRAY_SIZE(insns),
			      .name = "sonde_try" };

	return btf_id ? bpf_prog_load(&l) : -1;
}

static int load_tracing(u32 attach_type, u32 btf_id)
{
	return load_by_id(BPF_PROG_TYPE_TRACING, attach_type, btf_id);
}

/* struct pt_regs *regs is the first argument of sys_enter. */
static bool ask_btf_loads(struct btf *btf)
{
	const struct bpf_insn insns[] = { I_LDX(BPF_DW, 1, 1, 0), I_LDX(BPF_DW, 1, 1, 0),
					  I_MOVI(0, 0), I_EXIT() };
	struct bpf_load l = { .prog_type = BPF_PROG_TYPE_TRACING,
			      .attach_type = ATTACH_TRACE_RAW_TP,
			      .insns = insns,
			      .n_insns = ARRAY_SIZE(insns),
			      .name = "sonde_try" };

	btf_raw_tracepoint(btf, "sys_enter", NULL, 0, &l.attach_btf_id);
	return l.attach_btf_id && was_made(bpf_prog_load(&l));
}

static bool try_btf_loads(void)
{
	return with_btf(ask_btf_loads);
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
static bool attaches(int prog)
{
	bool off = prog >= 0 && function_tracer_is_off(NULL);

	untold |= off;
	return prog >= 0 && !off && was_made(bpf_raw_tracepoint_open(NULL, prog, 0));
}

static bool attaches_trampoline(struct btf *btf, u32 attach_type)
{
	static const char *const quiet[] = { "__x64_sys_getpgid", "__arm64_sys_getpgid",
					     "__do_sys_getpgid" };
	u32 id = 0;

	for (size_t i = 0; i < ARRAY_SIZE(quiet) && !id; i++)
		id = btf_find(btf, quiet[i], BTF_KIND_FUNC);
	_fd int prog = load_tracing(attach_type, id);

	return attaches(prog);
}

static bool ask_fentry(struct btf *btf)
{
	return attaches_trampoline(btf, ATTACH_TRACE_FENTRY);
}

static bool ask_fsession(struct btf *btf)
{
	return attaches_trampoline(btf, ATTACH_TRACE_FSESSION);
}

static bool try_fentry(void)
{
	return with_btf(ask_fentry);
}

static bool try_fsession(void)
{
	return with_btf(ask_fsession);
}

/* A hook that does not fire now. */
static bool ask_lsm(struct btf *btf)
{
	_fd int prog = load_by_id(BPF_PROG_TYPE_LSM, BPF_LSM_MAC,
				  btf_find(btf, "bpf_lsm_task_getpgid", BTF_KIND_FUNC));

	return attaches(prog);
}

static bool try_lsm(void)
{
	return with_btf(ask_lsm);
}

/* kernel/bpf/verifier.c, fetch_kfunc_meta: other complaints concern the arguments. */
bool may_call_kfunc(struct features *f, u32 func_id, u32 prog_type, u32 attach_type, u32 attach_id)
{
	const struct bpf_insn insns[] = { I_MOVI(1, 0), I_MOVI(2, 0), I_MOVI(3, 0),
					  I_MOVI(4, 0), I_MOVI(5, 0), I_CALL_KFUNC((s32)func_id),
					  I_MOVI(0, 0), I_EXIT() };
	char log[4096] = "";
	struct bpf_load l = { .prog_type = prog_type,
			      .attach_type = attach_type,
			      .attach_btf_id = attach_id,
			      .insns = insns,
			      .n_insns = ARRAY_SIZE(insns),
			      .name = "sonde_try",
			      .log = log,
			      .log_size = sizeof log,
			      .log_level = 1 };
	(void)f;

	return was_made(bpf_prog_load(&l)) || (*log && !strstr(log, "is not allowed"));
}

/* Cannot be tested by trying: whether the function that the function graph calls exists. */
static bool ask_fprobe_graph(struct btf *btf)
{
	return btf_find(btf, "fprobe_return", BTF_KIND_FUNC);
}

static bool try_fprobe_graph(void)
{
	return with_btf(ask_fprobe_graph);
}

/* Where a member of a kernel structure is. */
static bool member_at(struct btf *btf, const char *type, const char *member, s16 *at)
{
	const struct type *t = btf_type_by_name(btf, 's', type);
	u32 offset = 0;

	if (!t || !type_field(t, member, &offset) || offset > INT16_MAX)
		return false;
	*at = (s16)offset;
	return true;
}

/*
 * A thread gets a name of 15 bytes and then one of a single byte: any rest of the first one is
 * visible in task_struct. Kernels that pad do so wherever a name is set (fs/exec.c:
 * __set_task_comm).
 */
static bool ask_comm_padded(struct btf *btf)
{
	char before[16] = "";
	s16 at = 0;
	u32 rest = 1;
	bool known = member_at(btf, "task_struct", "comm", &at);
	const struct bpf_insn insns[] = { I_CALL(BPF_FUNC_get_current_task_btf),
					  I_LDX(BPF_W, 0, 0, (s16)(at + 8)), I_EXIT() };
	_fd int prog =
		known ? load_insns(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, insns, ARRAY_SIZE(insns)) : -1;

	if (prog < 0)
		return false;
	prctl(PR_GET_NAME, before);
	prctl(PR_SET_NAME, "sonde-sonde-son");
	prctl(PR_SET_NAME, "s");
	if (bpf_prog_run(prog, NULL, 0, &rest) < 0)
		rest = 1;
	prctl(PR_SET_NAME, before);
	return rest == 0;
}

static bool try_comm_padded(void)
{
	return with_btf(ask_comm_padded);
}

/* The kernel function by which the unwinder finds a replaced return address, if it exists; the
 * second name is rethook's (since 5.18). */
static const char *const find_ret_addr[] = { "kretprobe_find_ret_addr", "rethook_find_ret_addr" };

static bool ask_kretprobe_unwind(struct btf *btf)
{
	return btf_find(btf, find_ret_addr[0], BTF_KIND_FUNC) ||
	       btf_find(btf, find_ret_addr[1], BTF_KIND_FUNC);
}

static bool try_kretprobe_unwind(void)
{
	struct kallsyms *all;
	struct ksym sym;
	bool found;

	if (try_btf())
		return with_btf(ask_kretprobe_unwind);
	all = kallsyms_new(NULL);
	found = kallsyms_find(all, find_ret_addr[0], NULL, &sym) ||
		kallsyms_find(all, find_ret_addr[1], NULL, &sym);
	kallsyms_free(all);
	return found;
}

/* Loads a program that calls d_path() for a file that is in the context at `ctx` and may be NULL in
 * iterators. */
static bool loads_d_path(struct btf *btf, const struct bpf_load *where, s16 ctx)
{
	s16 at = 0;
	bool known = member_at(btf, "file", "f_path", &at);
	const struct bpf_insn insns[] = {
		I_LDX(BPF_DW, 1, 1, ctx),
		I_JMPI(BPF_JEQ, 1, 0, 6),
		I_ALUI(BPF_ADD, 1, at),
		I_ST(BPF_DW, 10, -8, 0),
		I_MOV(2, 10),
		I_ALUI(BPF_ADD, 2, -8),
		I_MOVI(3, 8),
		I_CALL(BPF_FUNC_d_path),
		I_MOVI(0, 0),
		I_EXIT(),
	};

	struct bpf_load l = *where;

	l.insns = insns;
	l.n_insns = ARRAY_SIZE(insns);
	l.name = "sonde_try";
	return known && l.attach_btf_id && was_made(bpf_prog_load(&l));
}

static bool ask_lsm_path(struct btf *btf)
{
	struct bpf_load l = { .prog_type = BPF_PROG_TYPE_LSM,
			      .attach_type = BPF_LSM_MAC,
			      .flags = BPF_F_SLEEPABLE,
			      .attach_btf_id = btf_find(btf, "bpf_lsm_file_open", BTF_KIND_FUNC) };

	return loads_d_path(btf, &l, 0);
}

static bool try_lsm_path(void)
{
	return with_btf(ask_lsm_path);
}

static bool ask_iter_path(struct btf *btf)
{
	struct bpf_load l = { .prog_type = BPF_PROG_TYPE_TRACING,
			      .attach_type = ATTACH_TRACE_ITER,
			      .attach_btf_id = btf_find(btf, "bpf_iter_task_file", BTF_KIND_FUNC) };
	s16 at = 0;

	return member_at(btf, "bpf_iter__task_file", "file", &at) && loads_d_path(btf, &l, at);
}

static bool try_iter_path(void)
{
	return with_btf(ask_iter_path);
}

/* ---- attaching */

/* An event of a probe PMU on a target that does not exist: the error for a missing target means
 * that it would work. */
static bool pmu_answers(const char *type_file, const char *target, u64 offset)
{
	s64 type = file_number(type_file);
	struct perf_event_attr attr = { .size = sizeof attr,
					.type = (u32)type,
					.sample_period = 1 };

	if (type < 0)
		return false;
	attr.config1 = (u64)(uintptr_t)target;
	attr.config2 = offset;
	return was_made(perf_event_open(&attr, -1, 0, -1, 0)) ||
	       (errno != EPERM && errno != EACCES && errno != EOPNOTSUPP);
}

/* At an address without code: the kernel looks up a name before it checks lockdown, so a name that
 * does not exist shows nothing. */
static bool try_kprobe(void)
{
	return pmu_answers("/sys/bus/event_source/devices/kprobe/type", NULL, 1);
}

/* Lockdown does not restrict these: a refusal means that CAP_SYS_ADMIN is missing, which some
 * kernels demand (6.1 does). */
static bool try_uprobe(void)
{
	if (pmu_answers("/sys/bus/event_source/devices/uprobe/type", "/sonde/no/such/file", 0))
		return true;
	untold |= errno == EACCES || errno == EPERM;
	return false;
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

/* Loading is enough: the same kernel version made events and links of user-space probes accept such
 * programs. */
static bool try_uprobe_sleep(void)
{
	const struct bpf_insn insns[] = {
		I_MOV(1, 10), I_ALUI(BPF_ADD, 1, -8),          I_MOVI(2, 8),
		I_MOVI(3, 0), I_CALL(BPF_FUNC_copy_from_user), I_MOVI(0, 0),
		I_EXIT()
	};
	struct bpf_load l = { .prog_type = BPF_PROG_TYPE_KPROBE,
			      .flags = BPF_F_SLEEPABLE,
			      .insns = insns,
			      .n_insns = ARRAY_SIZE(insns),
			      .name = "sonde_try" };

	return was_made(bpf_prog_load(&l));
}

/* ---- what is open, and what may be closed by configuration, lockdown or a missing device */

static bool try_perf_events(void)
{
	return !perf_right();
}

/* For this process only: permission to count others has its own row. */
static bool counts_own(u32 type, u64 config)
{
	struct perf_event_attr attr = { .size = sizeof attr,
					.type = type,
					.config = config,
					.disabled = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1 };

	return was_made(perf_event_open(&attr, 0, -1, -1, 0));
}

static bool try_inherit_thread(void)
{
	struct perf_event_attr attr = { .size = sizeof attr,
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY,
					.disabled = 1,
					.inherit = 1,
					.inherit_thread = 1,
					.exclude_kernel = 1 };

	return was_made(perf_event_open(&attr, 0, -1, -1, 0));
}

static bool try_hardware(void)
{
	return counts_own(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
}

/* Some hypervisors accept a breakpoint and never report its hits (PVM guests of Linux 6.18): tested
 * by one write. */
static bool try_watchpoint(void)
{
	static volatile u64 watched;
	struct perf_event_attr attr = { .size = sizeof attr,
					.type = PERF_TYPE_BREAKPOINT,
					.exclude_kernel = 1,
					.exclude_hv = 1,
					.sample_period = 1 };
	u64 hits = 0;

	attr.bp_addr = (u64)(uintptr_t)&watched;
	attr.bp_len = HW_BREAKPOINT_LEN_8;
	attr.bp_type = HW_BREAKPOINT_W;
	_fd int fd = perf_event_open(&attr, 0, -1, -1, 0);
	if (fd < 0) {
		untold |= errno == EPERM || errno == EACCES ||
			  errno == ENOSPC; /* ENOSPC: all are in use */
		return errno == ENOSPC;
	}
	watched = 1;
	return read(fd, &hits, sizeof hits) == sizeof hits && hits > 0;
}

/* Lockdown (confidentiality) disables the helper. */
static bool try_read_kernel(void)
{
	return LOADS(RAW_TRACEPOINT, I_MOV(1, 10), I_ALUI(BPF_ADD, 1, -8), I_MOVI(2, 8),
		     I_MOVI(3, 0), I_CALL(BPF_FUNC_probe_read_kernel), I_MOVI(0, 0), I_EXIT());
}

static bool ask_iter(struct btf *btf)
{
	_fd int prog =
		load_tracing(ATTACH_TRACE_ITER, btf_find(btf, "bpf_iter_task", BTF_KIND_FUNC));

	return prog >= 0 && was_made(bpf_link_iter(prog));
}

static bool try_iter(void)
{
	return with_btf(ask_iter);
}

static bool try_tracefs(void)
{
	struct err err = { 0 };
	const char *root = tracefs_path(&err);
	char path[300];

	err_release(&err);
	if (!root)
		return false;
	snprintf(path, sizeof path, "%s/events", root);
	return opens(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/* Without the right to see them (kptr_restrict) all addresses are zero. */
static bool try_kallsyms(void)
{
	char text[64] = "";
	_fd int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || pread(fd, text, sizeof text - 1, 4096) <= 0)
		return false;
	untold |= strspn(strchrnul(text, '\n'), "\n0") >= 16;
	return !untold;
}

/* The modes of CONFIG_PREEMPT_DYNAMIC, the current one in brackets (kernel/sched/debug.c:
 * sched_dynamic_show). */
static bool preempt_mode(char *text, size_t size)
{
	_fd int fd = open("/sys/kernel/debug/sched/preempt", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

	text[MAX(n, 0)] = '\0';
	return n > 0;
}

/*
 * A program on a trampoline may be preempted where the kernel is preemptible: until its task runs
 * again every other event of the program on that processor is skipped (kernel/bpf/trampoline.c:
 * __bpf_prog_enter_recur), so a processor that several tasks share loses whole time slices (7.2,
 * six tasks on two processors: 145,541 of 180,000 events). A kprobe's program is not preempted. If
 * the mode is not known, the build configuration decides; if it allows both, the kernel is assumed
 * not to be preemptible.
 */
static bool try_fentry_steady(void)
{
	struct utsname u;
	char mode[128];

	if (preempt_mode(mode, sizeof mode))
		return !strstr(mode, "(full)") && !strstr(mode, "(lazy)");
	return uname(&u) < 0 || strstr(u.version, "PREEMPT_DYNAMIC") ||
	       !strstr(u.version, "PREEMPT");
}

/* Kernels that prevent recursion of a program also count it (bpf_prog_info). */
static bool try_fentry_recursion(void)
{
	_fd int prog = load_empty(BPF_PROG_TYPE_RAW_TRACEPOINT, 0);

	return prog >= 0 ? bpf_prog_counts_misses(prog) : was_made(prog);
}

static bool try_fanotify(void)
{
	return opens(fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC));
}

static bool (*const tries[N_FEATURES])(void) = {
	[FEAT_BTF] = try_btf,
	[FEAT_RINGBUF] = try_ringbuf,
	[FEAT_ATOMIC_FETCH] = try_atomic_fetch,
	[FEAT_HASH_NO_PREALLOC] = try_hash_no_prealloc,
	[FEAT_MAPPED_ARRAYS] = try_mapped_arrays,
	[FEAT_BIG_ARRAYS] = try_big_arrays,
	[FEAT_LONG_KEYS] = try_long_keys,
	[FEAT_SDIV] = try_sdiv,
	[FEAT_MOVSX] = try_movsx,
	[FEAT_BSWAP] = try_bswap,
	[FEAT_TASK_BTF] = try_task_btf,
	[FEAT_TASK_PT_REGS] = try_task_pt_regs,
	[FEAT_GET_FUNC_IP] = try_get_func_ip,
	[FEAT_COOKIE] = try_cookie,
	[FEAT_RAW_COOKIE] = try_raw_cookie,
	[FEAT_BPF_LOOP] = try_bpf_loop,
	[FEAT_TAIL_CALL_FUNCS] = try_tail_call_funcs,
	[FEAT_FOR_EACH_MAP] = try_for_each_map,
	[FEAT_LOOKUP_PERCPU] = try_lookup_percpu,
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
	[FEAT_UPROBE_MULTI_PID] = try_uprobe_multi_pid,
	[FEAT_UPROBE_NOPS] = try_uprobe_nops,
	[FEAT_UPROBE_NOP5] = try_uprobe_nop5,
	[FEAT_UPROBE_CALLER] = try_uprobe_caller,
	[FEAT_UPROBE_CALLER_ENDBR] = try_uprobe_caller_endbr,
	[FEAT_UPROBE_SLEEP] = try_uprobe_sleep,
	[FEAT_FENTRY] = try_fentry,
	[FEAT_FENTRY_RECURSION] = try_fentry_recursion,
	[FEAT_FENTRY_STEADY] = try_fentry_steady,
	[FEAT_FSESSION] = try_fsession,
	[FEAT_LSM] = try_lsm,
	[FEAT_RAW_TP_BTF] = try_raw_tp_btf,
	[FEAT_BTF_LOADS] = try_btf_loads,
	[FEAT_BATCH] = try_batch,
	[FEAT_TRACEFS] = try_tracefs,
	[FEAT_KALLSYMS] = try_kallsyms,
	[FEAT_READ_KERNEL] = try_read_kernel,
	[FEAT_PERF_EVENTS] = try_perf_events,
	[FEAT_HARDWARE] = try_hardware,
	[FEAT_WATCHPOINT] = try_watchpoint,
	[FEAT_ITER] = try_iter,
	[FEAT_FANOTIFY] = try_fanotify,
	[FEAT_COMM_PADDED] = try_comm_padded,
	[FEAT_KRETPROBE_UNWIND] = try_kretprobe_unwind,
	[FEAT_LSM_PATH] = try_lsm_path,
	[FEAT_ITER_PATH] = try_iter_path,
	[FEAT_INHERIT_THREAD] = try_inherit_thread,
};

/* The verifier and lockdown return EPERM and EACCES, too: the errors show nothing only if a
 * privilege is missing. */
enum feature_answer feature_try(enum feature id)
{
	if (!tries[id])
		BUG("feature %s has no probe", feature_rows[id].name);
	raise_memlock();
	bpf_refused_since();
	bpf_short_since();
	untold = false;
	if (tries[id]())
		return FEATURE_YES;
	untold |= bpf_short_since(); /* temporary: not to be cached as missing */
	return untold || (bpf_refused_since() && (bpf_right() || perf_right())) ? FEATURE_DENIED :
										  FEATURE_NO;
}
