/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf(2) and perf_event_open(2), one function for each command used. The kernel takes an attribute
 * block of any size and takes missing fields as zero; fields that an older kernel does not know
 * must be zero (kernel/bpf/syscall.c: bpf_check_uarg_tail_zero, CHECK_ATTR), so each call passes
 * exactly the fields it uses.
 */
#include <ctype.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "engine/kernel/bpf.h"
#include "engine/machine.h"

static inline u64 ptr(const void *p)
{
	return (u64)(uintptr_t)p;
}

static bool refused_since, ran_short;

static int note_refusal(long ret)
{
	refused_since |= ret < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS);
	ran_short |= ret < 0 && (errno == ENOMEM || errno == EMFILE || errno == ENFILE ||
				 errno == EAGAIN || errno == EINTR);
	return (int)ret;
}

bool bpf_short_since(void)
{
	bool was = ran_short;

	ran_short = false;
	return was;
}

bool bpf_refused_since(void)
{
	bool was = refused_since;

	refused_since = false;
	return was;
}

static int sys_bpf(int cmd, void *attr, size_t size)
{
	return note_refusal(syscall(SYS_bpf, cmd, attr, (unsigned int)size));
}

int perf_event_open(struct perf_event_attr *attr, s32 pid, s32 cpu, int group, unsigned long flags)
{
	return note_refusal(
		syscall(SYS_perf_event_open, attr, pid, cpu, group, flags | PERF_FLAG_FD_CLOEXEC));
}

static void put_name(char *to, const char *name)
{
	if (name)
		strncpy(to, name, BPF_OBJ_NAME_LEN - 1);
}

int bpf_map_create(u32 type, const char *name, u32 key_size, u32 value_size, u32 max_entries,
		   u32 flags)
{
	union bpf_attr a = { 0 };

	a.map_type = type;
	a.key_size = key_size;
	a.value_size = value_size;
	a.max_entries = max_entries;
	a.map_flags = flags;
	put_name(a.map_name, name);
	return sys_bpf(BPF_MAP_CREATE, &a, offsetof(union bpf_attr, map_name) + sizeof a.map_name);
}

static int map_elem(int cmd, int fd, const void *key, const void *value, u64 flags)
{
	union bpf_attr a = { 0 };

	a.map_fd = (u32)fd;
	a.key = ptr(key);
	a.value = ptr(value);
	a.flags = flags;
	return sys_bpf(cmd, &a, offsetof(union bpf_attr, flags) + sizeof a.flags);
}

int bpf_map_lookup(int fd, const void *key, void *value)
{
	return map_elem(BPF_MAP_LOOKUP_ELEM, fd, key, value, 0);
}

int bpf_map_update(int fd, const void *key, const void *value, u64 flags)
{
	return map_elem(BPF_MAP_UPDATE_ELEM, fd, key, value, flags);
}

int bpf_map_delete(int fd, const void *key)
{
	return map_elem(BPF_MAP_DELETE_ELEM, fd, key, NULL, 0);
}

int bpf_map_next_key(int fd, const void *key, void *next)
{
	return map_elem(BPF_MAP_GET_NEXT_KEY, fd, key, next, 0);
}

int bpf_map_lookup_batch(int fd, const void *in, void *out, void *keys, void *values, u32 *n)
{
	union bpf_attr a = { 0 };
	int ret;

	a.batch.in_batch = ptr(in);
	a.batch.out_batch = ptr(out);
	a.batch.keys = ptr(keys);
	a.batch.values = ptr(values);
	a.batch.count = *n;
	a.batch.map_fd = (u32)fd;
	ret = sys_bpf(BPF_MAP_LOOKUP_BATCH, &a, sizeof a.batch);
	*n = a.batch.count;
	return ret;
}

int bpf_map_delete_batch(int fd, const void *keys, u32 *n)
{
	union bpf_attr a = { 0 };
	int ret;

	a.batch.keys = ptr(keys);
	a.batch.count = *n;
	a.batch.map_fd = (u32)fd;
	ret = sys_bpf(BPF_MAP_DELETE_BATCH, &a, sizeof a.batch);
	*n = a.batch.count;
	return ret;
}

int bpf_prog_load(const struct bpf_load *l)
{
	union bpf_attr a = { 0 };
	int fd, tries = 5;

	a.prog_type = l->prog_type;
	a.insn_cnt = l->n_insns;
	a.insns = ptr(l->insns);
	a.license = ptr(l->license ? l->license : "GPL");
	a.log_level = l->log ? l->log_level : 0;
	a.log_size = l->log ? l->log_size : 0;
	a.log_buf = ptr(l->log);
	a.prog_flags = l->flags;
	put_name(a.prog_name, l->name);
	a.expected_attach_type = l->attach_type;
	a.prog_btf_fd = (u32)l->btf_fd;
	a.func_info_rec_size = l->n_func_info ? sizeof(struct bpf_func_info) : 0;
	a.func_info = ptr(l->func_info);
	a.func_info_cnt = l->n_func_info;
	a.attach_btf_id = l->attach_btf_id;
	a.attach_prog_fd = (u32)l->attach_fd;
	do { /* the verifier returns EAGAIN if a signal is pending */
		fd = sys_bpf(BPF_PROG_LOAD, &a,
			     offsetof(union bpf_attr, attach_prog_fd) + sizeof a.attach_prog_fd);
	} while (fd < 0 && errno == EAGAIN && --tries);
	return fd;
}

int bpf_prog_run(int fd, const void *ctx, u32 ctx_size, u32 *ret)
{
	union bpf_attr a = { 0 };
	int r;

	a.test.prog_fd = (u32)fd;
	a.test.ctx_in = ptr(ctx);
	a.test.ctx_size_in = ctx_size;
	r = sys_bpf(BPF_PROG_TEST_RUN, &a, offsetof(union bpf_attr, test.cpu) + sizeof a.test.cpu);
	if (r == 0 && ret)
		*ret = a.test.retval;
	return r;
}

int bpf_prog_run_on(int fd, u32 cpu, u32 *ret)
{
	union bpf_attr a = { 0 };
	int r;

	a.test.prog_fd = (u32)fd;
	a.test.flags = BPF_F_TEST_RUN_ON_CPU;
	a.test.cpu = cpu;
	r = sys_bpf(BPF_PROG_TEST_RUN, &a, offsetof(union bpf_attr, test.cpu) + sizeof a.test.cpu);
	if (r == 0)
		*ret = a.test.retval;
	return r;
}

/* How many bytes of it the kernel knows, or -1. */
static s64 prog_info(int fd, struct bpf_prog_info *info)
{
	union bpf_attr a = { 0 };

	a.info.bpf_fd = (u32)fd;
	a.info.info_len = sizeof *info;
	a.info.info = ptr(info);
	return sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &a, sizeof a.info) < 0 ? -1 : (s64)a.info.info_len;
}

bool bpf_prog_counts_misses(int fd)
{
	struct bpf_prog_info info = { 0 };

	return prog_info(fd, &info) >= (s64)(offsetof(struct bpf_prog_info, recursion_misses) +
					     sizeof info.recursion_misses);
}

int bpf_prog_recursion_misses(int fd, u64 *n)
{
	struct bpf_prog_info info = { 0 };

	if (prog_info(fd, &info) < 0)
		return -1;
	*n = info.recursion_misses;
	return 0;
}

int bpf_prog_run_time(int fd, u64 *ns)
{
	struct bpf_prog_info info = { 0 };

	if (prog_info(fd, &info) < 0)
		return -1;
	*ns = info.run_time_ns;
	return 0;
}

int bpf_prog_followed(int fd, u64 *n)
{
	struct bpf_prog_info info = { 0 };

	if (prog_info(fd, &info) <
	    (s64)(offsetof(struct bpf_prog_info, verified_insns) + sizeof info.verified_insns))
		return -1;
	*n = info.verified_insns;
	return 0;
}

int bpf_enable_stats(void)
{
	union bpf_attr a = { 0 };

	a.enable_stats.type = BPF_STATS_RUN_TIME;
	return sys_bpf(BPF_ENABLE_STATS, &a, sizeof a.enable_stats);
}

int bpf_btf_load(const void *btf, u32 len, char *log, u32 log_size)
{
	union bpf_attr a = { 0 };

	a.btf = ptr(btf);
	a.btf_size = len;
	a.btf_log_buf = ptr(log);
	a.btf_log_size = log ? log_size : 0;
	a.btf_log_level = log ? 1 : 0;
	return sys_bpf(BPF_BTF_LOAD, &a,
		       offsetof(union bpf_attr, btf_log_level) + sizeof a.btf_log_level);
}

int bpf_raw_tracepoint_open(const char *name, int prog_fd, u64 cookie)
{
	struct {
		u64 name;
		u32 prog_fd, pad;
		u64 cookie; /* 6.10 */
	} a = { .name = ptr(name), .prog_fd = (u32)prog_fd, .cookie = cookie };

	return sys_bpf(BPF_RAW_TRACEPOINT_OPEN, &a,
		       cookie ? sizeof a : offsetof(typeof(a), cookie));
}

/* BPF_LINK_CREATE: the same 16 bytes for all, then a part for each attach type. */
struct link_create {
	u32 prog_fd, target_fd, attach_type, flags;
	union {
		struct {
			u64 cookie;
		} perf;
		struct {
			u32 target_btf_id, pad;
			u64 cookie;
		} tracing;
		struct {
			u32 flags, cnt;
			u64 syms, addrs, cookies;
		} kprobes;
		struct {
			u64 path, offsets, ref_ctr_offsets, cookies;
			u32 cnt, flags, pid, path_fd;
		} uprobes;
		struct {
			u64 info;
			u32 len;
		} iter;
	};
};
#define LINK_SIZE(member)                                                                          \
	(offsetof(struct link_create, member) + sizeof(((struct link_create *)0)->member))
#define LINK_HEAD offsetof(struct link_create, perf)

int bpf_link_perf(int prog_fd, int event_fd, u64 cookie)
{
	struct link_create a = { (u32)prog_fd, (u32)event_fd, ATTACH_PERF_EVENT, 0, {} };

	a.perf.cookie = cookie;
	return sys_bpf(BPF_LINK_CREATE, &a, LINK_SIZE(perf));
}

int bpf_link_tracing(int prog_fd, u32 attach_type, u64 cookie)
{
	struct link_create a = { (u32)prog_fd, 0, attach_type, 0, {} };

	a.tracing.cookie = cookie;
	return sys_bpf(BPF_LINK_CREATE, &a, cookie ? LINK_SIZE(tracing) : LINK_HEAD);
}

int bpf_link_iter(int prog_fd)
{
	struct link_create a = { (u32)prog_fd, 0, ATTACH_TRACE_ITER, 0, {} };
	struct { /* the cgroup member of union bpf_iter_link_info; no cgroup named: all */
		u32 order, fd;
		u64 id;
	} cgroups = { .order = 2 /* BPF_CGROUP_ITER_DESCENDANTS_PRE */ };
	int fd = sys_bpf(BPF_LINK_CREATE, &a, LINK_HEAD);

	if (fd >= 0 || errno != EINVAL)
		return fd;
	a.iter.info = ptr(&cgroups);
	a.iter.len = sizeof cgroups;
	return sys_bpf(BPF_LINK_CREATE, &a, LINK_SIZE(iter));
}

int bpf_link_multi(const struct bpf_multi_link *l)
{
	struct link_create a = { (u32)l->prog_fd, 0, l->attach_type, 0, {} };
	u32 flags = l->is_return ? LINK_MULTI_RETURN : 0;

	if (l->attach_type == ATTACH_UPROBE_MULTI || l->attach_type == ATTACH_UPROBE_SESSION) {
		a.uprobes.path = ptr(l->path);
		a.uprobes.offsets = ptr(l->addrs);
		a.uprobes.ref_ctr_offsets = ptr(l->ref_ctrs);
		a.uprobes.cookies = ptr(l->cookies);
		a.uprobes.cnt = l->n;
		a.uprobes.flags = flags;
		a.uprobes.pid = l->pid;
		return sys_bpf(BPF_LINK_CREATE, &a, LINK_SIZE(uprobes.pid));
	}
	a.kprobes.flags = flags;
	a.kprobes.cnt = l->n;
	a.kprobes.syms = ptr(l->syms);
	a.kprobes.addrs = ptr(l->addrs);
	a.kprobes.cookies = ptr(l->cookies);
	return sys_bpf(BPF_LINK_CREATE, &a, LINK_SIZE(kprobes));
}

int bpf_obj_pin(int fd, const char *path)
{
	struct {
		u64 path;
		u32 fd, flags;
	} a = { ptr(path), (u32)fd, 0 };

	return sys_bpf(BPF_OBJ_PIN, &a, sizeof a);
}

int bpf_iter_create(int link_fd)
{
	struct {
		u32 link_fd, flags;
	} a = { (u32)link_fd, 0 };

	return sys_bpf(BPF_ITER_CREATE, &a, sizeof a);
}

void object_name(char to[BPF_OBJ_NAME_LEN], const char *name)
{
	u32 n = 0;

	for (; *name && n < BPF_OBJ_NAME_LEN - 1; name++)
		if (*name != '@')
			to[n++] = isalnum((unsigned char)*name) ? *name : '_';
	if (!n)
		to[n++] = '_';
	to[n] = '\0';
}
