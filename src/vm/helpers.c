/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers of the interpreter: rows {number, name, function} sorted by number (enum bpf_func_id).
 * Values from outside the program come from struct vm_world; memory arguments go through vm_at(),
 * so a bad one is a fault, not an error code. Errors that programs see are negative errno values,
 * as in kernel/trace/bpf_trace.c and kernel/bpf/helpers.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/hash.h"
#include "type/agg.h"
#include "vm/vm_impl.h"

#define ERR(e) ((u64)(s64) - (e))
#define HELPER(name) static u64 name(struct vm *vm, const u64 *a)

/* ---- maps */

static struct vm_map *table_arg(struct vm *vm, u64 ref)
{
	struct vm_map *m = vm_map_arg(vm, ref);

	if (m && !vm_map_is_hash(m) && !vm_map_is_array(m)) {
		vm_fault(vm, -EINVAL, "map %s has no keys", m->desc->name);
		return NULL;
	}
	return m;
}

HELPER(map_lookup)
{
	struct vm_map *m = table_arg(vm, a[0]);
	const u8 *key = m ? vm_at(vm, a[1], m->key_size, VM_READ) : NULL;
	u32 i = key ? vm_map_find(vm, m, key) : 0;

	return i ? vm_map_value_addr(vm, m, i - 1, vm_cpu(vm)) : 0;
}

HELPER(map_lookup_percpu)
{
	struct vm_map *m = table_arg(vm, a[0]);
	const u8 *key = m ? vm_at(vm, a[1], m->key_size, VM_READ) : NULL;
	u32 i = key ? vm_map_find(vm, m, key) : 0;

	return i && (u32)a[2] < m->n_copies ? vm_map_value_addr(vm, m, i - 1, (u32)a[2]) : 0;
}

HELPER(map_update)
{
	struct vm_map *m = table_arg(vm, a[0]);
	const u8 *key = m ? vm_at(vm, a[1], m->key_size, VM_READ) : NULL;
	const u8 *value = key ? vm_at(vm, a[2], m->value_size, VM_READ) : NULL;

	return value ? (u64)vm_map_update(vm, m, key, value, a[3]) : 0;
}

HELPER(map_delete)
{
	struct vm_map *m = table_arg(vm, a[0]);
	const u8 *key = m ? vm_at(vm, a[1], m->key_size, VM_READ) : NULL;

	return key ? (u64)vm_map_delete(vm, m, key) : 0;
}

static bool func_arg(struct vm *vm, u64 ref)
{
	if (vm_is_ref(ref, VM_REGION_FUNC) && (u32)ref < vm->func->n_insns)
		return true;
	vm_fault(vm, -EINVAL, "gives a helper 0x%llx where it needs a function",
		 (unsigned long long)ref);
	return false;
}

/*
 * Calls f(map, key, value, ctx) for each element until it returns non-zero; returns the number of
 * calls.
 */
HELPER(for_each_map_elem)
{
	struct vm_map *m = table_arg(vm, a[0]);
	u32 next, n = 0;
	u64 ret = 0;

	if (!m || !func_arg(vm, a[1]))
		return 0;
	if (a[3])
		return ERR(EINVAL);
	for (u32 i = 0; !ret && (next = vm_map_next(vm, m, i)) != 0; i = next, n++) {
		u64 arg[5] = { a[0], 0, vm_map_value_addr(vm, m, next - 1, vm_cpu(vm)), a[2] };

		vm->index_key = next - 1;
		arg[1] = vm_map_is_hash(m) ? vm_map_key_addr(vm, m, next - 1) :
					     vm_addr(vm->index_region, 0);
		if (vm_exec(vm, (u32)a[1], arg, &ret) < 0)
			return 0;
	}
	return n;
}

HELPER(loop)
{
	u64 ret = 0;
	u32 i;

	if (!func_arg(vm, a[1]))
		return 0;
	if (a[3])
		return ERR(EINVAL);
	if ((u32)a[0] > 1u << 23)
		return ERR(E2BIG);
	for (i = 0; i < (u32)a[0] && !ret; i++) {
		const u64 arg[5] = { i, a[2] };

		if (vm_exec(vm, (u32)a[1], arg, &ret) < 0)
			return 0;
	}
	return i;
}

/* ---- reading memory */

static int read_bytes(struct vm *vm, void *dst, u32 len, u64 addr, bool user)
{
	const u8 *own;

	if (vm_is_own(addr)) {
		own = vm_peek(vm, addr, len);
		if (!own)
			return -EFAULT;
		memmove(dst, own, len);
		return 0;
	}
	if (!vm->world.read)
		return -EFAULT;
	return vm->world.read(vm->world.ctx, dst, len, addr, user);
}

static u64 probe_read(struct vm *vm, const u64 *a, bool user)
{
	u8 *dst = (u32)a[1] ? vm_at(vm, a[0], (u32)a[1], VM_WRITE) : NULL;

	if (!dst || !read_bytes(vm, dst, (u32)a[1], a[2], user))
		return 0;
	memset(dst, 0, (u32)a[1]);
	return ERR(EFAULT);
}

/*
 * Returns the length with the NUL, which is always written; the bytes of dst after it do not
 * change.
 */
static u64 probe_read_str(struct vm *vm, const u64 *a, bool user)
{
	u32 size = (u32)a[1], n = 0;
	u8 *dst = size ? vm_at(vm, a[0], size, VM_WRITE) : NULL;

	if (!dst)
		return 0;
	while (n < size - 1) { /* the last byte always becomes the NUL */
		if (read_bytes(vm, dst + n, 1, a[2] + n, user) < 0) {
			memset(dst, 0, size);
			return ERR(EFAULT);
		}
		if (!dst[n++])
			return n;
	}
	dst[size - 1] = '\0';
	return size;
}

static bool is_user_address(u64 addr)
{
	return !(addr >> 63);
}

/* clang-format off */
HELPER(probe_read_any) { return probe_read(vm, a, is_user_address(a[2])); }
HELPER(probe_read_any_str) { return probe_read_str(vm, a, is_user_address(a[2])); }
HELPER(probe_read_user) { return probe_read(vm, a, true); }
HELPER(probe_read_kernel) { return probe_read(vm, a, false); }
HELPER(probe_read_user_str) { return probe_read_str(vm, a, true); }
HELPER(probe_read_kernel_str) { return probe_read_str(vm, a, false); }
/* clang-format on */

HELPER(probe_write_user)
{
	vm_at(vm, a[1], (u32)a[2], VM_READ);
	return ERR(EPERM); /* the interpreter never writes to foreign memory */
}

/* ---- the traced system */

static u64 now(struct vm *vm, enum timestamp_mode clock)
{
	static const clockid_t ids[] = { [TS_BOOT] = CLOCK_BOOTTIME,
					 [TS_MONOTONIC] = CLOCK_MONOTONIC,
					 [TS_TAI] = CLOCK_TAI,
					 [TS_REAL] = CLOCK_REALTIME };
	struct timespec ts = { 0 };

	if (vm->world.now_ns)
		return vm->world.now_ns(vm->world.ctx, clock);
	clock_gettime(ids[clock], &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

/* clang-format off */
HELPER(ktime_get_ns) { return now(vm, TS_MONOTONIC); }
HELPER(ktime_get_boot_ns) { return now(vm, TS_BOOT); }
HELPER(ktime_get_tai_ns) { return now(vm, TS_TAI); }
HELPER(jiffies64) { return 4294667296ull + now(vm, TS_MONOTONIC) / 4000000; /* HZ 250 */ }
HELPER(get_current_pid_tgid) { return vm->world.pid_tgid; }
HELPER(get_current_uid_gid) { return vm->world.uid_gid; }
HELPER(get_current_cgroup_id) { return vm->world.cgroup_id; }
HELPER(get_current_task) { return vm->world.task; }
HELPER(get_smp_processor_id) { return vm_cpu(vm); }
HELPER(get_numa_node_id) { return vm->world.numa_node; }
HELPER(get_func_ip) { return vm->world.func_ip; }
HELPER(get_attach_cookie) { return vm->world.cookie; }
/* clang-format on */

static u64 copy_comm(struct vm *vm, const u64 *a, const char comm[16])
{
	u32 size = (u32)a[1], n = MIN(size, 16u);
	u8 *dst = vm_at(vm, a[0], size, VM_WRITE);

	if (dst && size) {
		memset(dst, 0, size);
		memcpy(dst, comm, n);
		dst[size - 1] = '\0';
	}
	return 0;
}

/* clang-format off */
HELPER(get_current_comm) { return copy_comm(vm, a, vm->world.comm); }
HELPER(get_leader_comm) { return copy_comm(vm, a, vm->world.leader_comm); }
/* clang-format on */

/* There is no program to jump to: execution continues. */
HELPER(no_tail_call)
{
	return (u64)-ENOENT;
}

HELPER(get_ns_current_pid_tgid)
{
	u8 *dst = vm_at(vm, a[2], (u32)a[3], VM_WRITE);
	u32 ids[2] = { (u32)vm->world.pid_tgid, (u32)(vm->world.pid_tgid >> 32) };

	if (!dst)
		return 0;
	if ((u32)a[3] != sizeof ids) {
		memset(dst, 0, (u32)a[3]);
		return ERR(EINVAL);
	}
	memcpy(dst, ids, sizeof ids);
	return 0;
}

HELPER(get_prandom_u32)
{
	if (vm->world.random)
		return vm->world.random(vm->world.ctx);
	vm->random ^= vm->random << 13;
	vm->random ^= vm->random >> 7;
	vm->random ^= vm->random << 17;
	return (u32)(vm->random >> 16);
}

HELPER(send_signal)
{
	if (vm->world.ignores_signals)
		return 0;
	vm->signals = xrealloc(vm->signals, (vm->n_signals + 1) * sizeof *vm->signals);
	vm->signals[vm->n_signals++] = (u32)a[0];
	return 0;
}

/* ---- ring */

static struct vm_map *ring_arg(struct vm *vm, u64 ref)
{
	struct vm_map *m = vm_map_arg(vm, ref);

	if (m && m->type != BPF_MAP_TYPE_RINGBUF) {
		vm_fault(vm, -EINVAL, "map %s is no ring", m->desc->name);
		return NULL;
	}
	return m;
}

HELPER(ringbuf_reserve)
{
	struct vm_map *m = ring_arg(vm, a[0]);

	return m && !a[2] ? vm_ring_reserve(vm, m, a[1]) : 0;
}

/* clang-format off */
HELPER(ringbuf_submit) { return (u64)vm_ring_finish(vm, a[0], false); }
HELPER(ringbuf_discard) { return (u64)vm_ring_finish(vm, a[0], true); }
/* clang-format on */

HELPER(ringbuf_output)
{
	struct vm_map *m = ring_arg(vm, a[0]);
	const u8 *src = m && a[2] ? vm_at(vm, a[1], a[2], VM_READ) : NULL;
	u64 rec;

	if (vm->fault.code || !m)
		return 0;
	if (a[3] & ~(u64)(BPF_RB_NO_WAKEUP | BPF_RB_FORCE_WAKEUP))
		return ERR(EINVAL);
	rec = vm_ring_reserve(vm, m, a[2]);
	if (!rec)
		return ERR(EAGAIN);
	if (src)
		memcpy(vm_at(vm, rec, a[2], VM_WRITE), src, a[2]);
	vm_ring_finish(vm, rec, false);
	return 0;
}

HELPER(ringbuf_query)
{
	struct vm_map *m = ring_arg(vm, a[0]);

	return m ? vm_ring_query(m, a[1]) : 0;
}

/* ---- stacks */

/* Frames after those to skip; *all is one allocation that the caller frees. */
static u32 frames(struct vm *vm, u64 flags, u32 max, u64 **all)
{
	u32 skip = flags & BPF_F_SKIP_FIELD_MASK, n;

	*all = xcalloc(max + skip + 1, sizeof **all);
	n = (u32)vm->world.stack(vm->world.ctx, *all, max + skip, flags);
	if ((s32)n < 0 || n <= skip)
		return 0;
	memmove(*all, *all + skip, (n - skip) * sizeof **all);
	return MIN(n - skip, max);
}

HELPER(get_stack)
{
	u32 size = (u32)a[2], n;
	u8 *dst = vm_at(vm, a[1], size, VM_WRITE);
	u64 *ips;

	if (!dst)
		return 0;
	memset(dst, 0, size);
	if (size % 8 || !vm->world.stack)
		return size % 8 ? ERR(EINVAL) : ERR(EFAULT);
	n = frames(vm, a[3], size / 8, &ips);
	memcpy(dst, ips, n * 8);
	free(ips);
	return n * 8;
}

static u64 keep_trace(struct vm_map *m, u64 *ips, u32 n, u64 flags)
{
	u32 id = hash_bytes(ips, n * 8) % MAX(m->max_entries, 1u);
	bool same;

	if (!m->trace) {
		m->trace = xcalloc(MAX(m->max_entries, 1u), sizeof *m->trace);
		m->trace_len = xcalloc(MAX(m->max_entries, 1u), sizeof *m->trace_len);
	}
	same = m->trace[id] && m->trace_len[id] == n && !memcmp(m->trace[id], ips, n * 8);
	if (m->trace[id] && !same && !(flags & BPF_F_REUSE_STACKID)) {
		free(ips);
		return ERR(EEXIST);
	}
	free(m->trace[id]);
	m->trace[id] = ips;
	m->trace_len[id] = n;
	return id;
}

HELPER(get_stackid)
{
	struct vm_map *m = vm_map_arg(vm, a[1]);
	u64 *ips;
	u32 n;

	if (!m)
		return 0;
	if (m->type != BPF_MAP_TYPE_STACK_TRACE)
		return vm_fault(vm, -EINVAL, "map %s holds no stack traces", m->desc->name), 0;
	if (!vm->world.stack)
		return ERR(EFAULT);
	n = frames(vm, a[2], m->value_size / 8, &ips);
	if (!n) {
		free(ips);
		return ERR(EFAULT);
	}
	return keep_trace(m, ips, n, a[2]);
}

/* ---- text */

HELPER(trace_printk)
{
	return vm_at(vm, a[0], (u32)a[1], VM_READ) ? (u32)a[1] : 0;
}

HELPER(vm_strncmp)
{
	const u8 *s = vm_at(vm, a[0], (u32)a[1], VM_READ);

	for (u32 i = 0; s && i < (u32)a[1]; i++) {
		const u8 *t = vm_at(vm, a[2] + i, 1, VM_READ);

		if (!t)
			return 0;
		if (s[i] != *t || !s[i])
			return (u64)(s64)(s[i] - *t);
	}
	return 0;
}

static void put_string(struct vm *vm, struct buf *out, u64 addr)
{
	char c;

	for (u32 i = 0; i < 512 && !read_bytes(vm, &c, 1, addr + i, false) && c; i++)
		buf_putc(out, c);
}

/*
 * One conversion: %[l[l]](d i u x c s p); others are copied unchanged. Returns characters consumed.
 */
static u32 convert(struct vm *vm, struct buf *out, const char *spec, u64 v)
{
	u32 n = 0, longs = 0;

	for (; spec[n] == 'l'; n++)
		longs++;
	switch (spec[n]) {
	case 'd':
	case 'i': buf_s64(out, longs ? (s64)v : (s32)v); break;
	case 'u': buf_u64(out, longs ? v : (u32)v); break;
	case 'x': buf_hex(out, longs ? v : (u32)v); break;
	case 'p':
		buf_puts(out, "0x");
		buf_hex(out, v);
		break;
	case 'c': buf_putc(out, (char)v); break;
	case 's': put_string(vm, out, v); break;
	default: return 0;
	}
	return n + 1;
}

/* bpf_snprintf(str, str_size, fmt, data, data_len): arguments are u64s at data. */
HELPER(vm_snprintf)
{
	u8 *dst = (u32)a[1] ? vm_at(vm, a[0], (u32)a[1], VM_WRITE) : NULL;
	const u8 *args = (u32)a[4] ? vm_at(vm, a[3], (u32)a[4], VM_READ) : NULL;
	u32 used = 0, n_args = (u32)a[4] / 8, taken;
	struct buf fmt = { 0 }, out = { 0 };
	u64 v;

	if (vm->fault.code)
		return 0;
	put_string(vm, &fmt, a[2]);
	for (const char *s = fmt.s ? fmt.s : ""; *s; s++) {
		if (*s != '%' || s[1] == '%' || used == n_args) {
			buf_putc(&out, *s);
			s += s[0] == '%' && s[1] == '%';
			continue;
		}
		memcpy(&v, args + 8 * used, sizeof v);
		taken = convert(vm, &out, s + 1, v);
		used += taken != 0;
		s += taken;
	}
	if (dst) {
		u32 n = (u32)MIN(out.len, (size_t)(u32)a[1] - 1);

		if (n)
			memcpy(dst, out.s, n);
		dst[n] = '\0';
	}
	v = out.len + 1;
	buf_release(&fmt);
	buf_release(&out);
	return v;
}

/* clang-format off */
static vm_helper_fn *const helpers[] = {
	[BPF_FUNC_map_lookup_elem] = map_lookup,
	[BPF_FUNC_map_update_elem] = map_update,
	[BPF_FUNC_map_delete_elem] = map_delete,
	[BPF_FUNC_probe_read] = probe_read_any,
	[BPF_FUNC_ktime_get_ns] = ktime_get_ns,
	[BPF_FUNC_trace_printk] = trace_printk,
	[BPF_FUNC_get_prandom_u32] = get_prandom_u32,
	[BPF_FUNC_get_smp_processor_id] = get_smp_processor_id,
	[BPF_FUNC_get_current_pid_tgid] = get_current_pid_tgid,
	[BPF_FUNC_get_current_uid_gid] = get_current_uid_gid,
	[BPF_FUNC_get_current_comm] = get_current_comm,
	[BPF_FUNC_get_stackid] = get_stackid,
	[BPF_FUNC_get_current_task] = get_current_task,
	[BPF_FUNC_probe_write_user] = probe_write_user,
	[BPF_FUNC_get_numa_node_id] = get_numa_node_id,
	[BPF_FUNC_probe_read_str] = probe_read_any_str,
	[BPF_FUNC_get_stack] = get_stack,
	[BPF_FUNC_get_current_cgroup_id] = get_current_cgroup_id,
	[BPF_FUNC_send_signal] = send_signal,
	[BPF_FUNC_probe_read_user] = probe_read_user,
	[BPF_FUNC_probe_read_kernel] = probe_read_kernel,
	[BPF_FUNC_probe_read_user_str] = probe_read_user_str,
	[BPF_FUNC_probe_read_kernel_str] = probe_read_kernel_str,
	[BPF_FUNC_send_signal_thread] = send_signal,
	[BPF_FUNC_jiffies64] = jiffies64,
	[BPF_FUNC_tail_call] = no_tail_call,
	[BPF_FUNC_get_ns_current_pid_tgid] = get_ns_current_pid_tgid,
	[BPF_FUNC_ktime_get_boot_ns] = ktime_get_boot_ns,
	[BPF_FUNC_ringbuf_output] = ringbuf_output,
	[BPF_FUNC_ringbuf_reserve] = ringbuf_reserve,
	[BPF_FUNC_ringbuf_submit] = ringbuf_submit,
	[BPF_FUNC_ringbuf_discard] = ringbuf_discard,
	[BPF_FUNC_ringbuf_query] = ringbuf_query,
	[BPF_FUNC_copy_from_user] = probe_read_user,
	[BPF_FUNC_get_current_task_btf] = get_current_task,
	[BPF_FUNC_ktime_get_coarse_ns] = ktime_get_ns,
	[BPF_FUNC_for_each_map_elem] = for_each_map_elem,
	[BPF_FUNC_snprintf] = vm_snprintf,
	[BPF_FUNC_get_func_ip] = get_func_ip,
	[BPF_FUNC_get_attach_cookie] = get_attach_cookie,
	[BPF_FUNC_loop] = loop,
	[BPF_FUNC_strncmp] = vm_strncmp,
	[BPF_FUNC_map_lookup_percpu_elem] = map_lookup_percpu,
	[BPF_FUNC_ktime_get_tai_ns] = ktime_get_tai_ns,
	[BPF_FUNC_get_leader_comm] = get_leader_comm,
};
/* clang-format on */

vm_helper_fn *vm_helper(u32 number)
{
	return number < ARRAY_SIZE(helpers) ? helpers[number] : NULL;
}
