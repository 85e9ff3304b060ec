/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compared with a trace of LTTng 2.13 by tests/live/record/ctf-lttng. */
#include "trace/lttng.h"
#include "base/buf.h"

/* ---- events */

/* The beginnings of names that do not follow from the rule. Of two that a name has, the first. */
static const struct {
	const char *system, *kernel, *lttng;
} events[] = {
	{ "net", "netif_", "net_if_" },
	{ "skb", "kfree_skb", "skb_kfree" },
	{ "skb", "consume_skb", "skb_consume" },
	{ "irq_vectors", "", "x86_irq_vectors_" },
	{ "exceptions", "", "x86_exceptions_" },
	{ "vmscan", "mm_shrink_slab_", "mm_vmscan_shrink_slab_" },
	{ "vmscan", "mm_vmscan_", "mm_vmscan_" },
	{ "sunrpc", "rpc_", "rpc_" },
	{ "power", "power_domain_", "power_domain_" },
};

/* The rule: they begin with their system. */
const char *lttng_event_name(struct arena *a, const char *name)
{
	size_t n = strcspn(name, ":");
	const char *event = name + n + (name[n] == ':');

	for (u32 i = 0; i < ARRAY_SIZE(events); i++)
		if (strlen(events[i].system) == n && !strncmp(events[i].system, name, n) &&
		    starts_with(event, events[i].kernel))
			return arena_printf(a, "%s%s", events[i].lttng,
					    event + strlen(events[i].kernel));
	if (!strncmp(event, name, n) && event[n] == '_')
		return event;
	return arena_printf(a, "%.*s_%s", (int)n, name, event);
}

/* Beginnings of names to which the rule has added the system, which is before '|'. */
static const char *const added[] = {
	"irq|softirq_",
	"irq|tasklet_",
	"kmem|kmalloc",
	"kmem|kfree",
	"kmem|mm_page_",
	"kmem|rss_stat",
	"timer|hrtimer_",
	"timer|itimer_",
	"timer|tick_",
	"power|",
	"raw_syscalls|",
	"net|napi_",
	"printk|console",
	"uprobe|",
	"kprobe|",
	"usdt|",
	"writeback|global_",
	"writeback|bdi_d",
	"writeback|balance_",
	"filemap|",
	"sonde|",
};

/* The kernel's events whose names do not begin with their system. */
static const struct {
	const char *prefix, *system;
} systems[] = { { "softirq_", "irq" },  { "hrtimer_", "timer" }, { "cpuhp_", "cpuhp" },
		{ "itimer_", "timer" }, { "lttng_", "lttng" },   { "rcu_", "rcu" } };

static bool is_call(const char *name, const char **event, struct arena *a)
{
	static const char *const words[][2] = { { "syscall_entry_", "sys_enter_" },
						{ "syscall_exit_", "sys_exit_" },
						{ "compat_syscall_entry_", "sys_enter_compat_" },
						{ "compat_syscall_exit_", "sys_exit_compat_" } };

	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		if (starts_with(name, words[i][0])) {
			*event = arena_printf(a, "%s%s", words[i][1], name + strlen(words[i][0]));
			return true;
		}
	return false;
}

static bool is_special(const char *name, const char **system, const char **event, struct arena *a)
{
	for (u32 i = 0; i < ARRAY_SIZE(events); i++)
		if (starts_with(name, events[i].lttng)) {
			*system = events[i].system;
			*event = arena_printf(a, "%s%s", events[i].kernel,
					      name + strlen(events[i].lttng));
			return true;
		}
	return false;
}

static bool is_added(const char *name, const char **system, const char **event, struct arena *a)
{
	for (u32 i = 0; i < ARRAY_SIZE(added); i++) {
		const char *bar = strchr(added[i], '|');
		size_t n = (size_t)(bar - added[i]);

		if (strncmp(name, added[i], n) != 0 || name[n] != '_' ||
		    !starts_with(name + n + 1, bar + 1))
			continue;
		*system = arena_strndup(a, name, n);
		*event = name + n + 1;
		return true;
	}
	return false;
}

void lttng_kernel_event(struct arena *a, const char *name, const char **system, const char **event)
{
	*system = "syscalls";
	if (is_call(name, event, a) || is_special(name, system, event, a) ||
	    is_added(name, system, event, a))
		return;
	*event = name;
	*system = arena_strndup(a, name, strcspn(name, "_"));
	for (u32 i = 0; i < ARRAY_SIZE(systems); i++)
		if (starts_with(name, systems[i].prefix))
			*system = systems[i].system;
}

/* ---- fields */

static const struct {
	const char *event, *kernel, *lttng;
} fields[] = {
	{ "syscall_entry_clone", "clone_flags", "flags" },
	{ "syscall_entry_clone", "parent_tidptr", "parent_tid" },
	{ "syscall_entry_clone", "child_tidptr", "child_tid" },
	{ "syscall_entry_mmap", "off", "offset" },
	{ "vmscan:mm_vmscan_lru_isolate", "highest_zoneidx", "classzone_idx" },
};

/* Threads are called tid there, and pid what user space calls so. */
const char *lttng_field_name(struct arena *a, const char *event, const char *field)
{
	size_t n = strlen(field);
	bool is_pid = streq(field, "pid") || ends_with(field, "_pid");

	if (starts_with(event, "sched:") && is_pid)
		return arena_printf(a, "%.*stid", (int)(n - 3), field);
	if (starts_with(event, "sched:") && ends_with(field, "_tgid"))
		return arena_printf(a, "%.*spid", (int)(n - 4), field);
	for (u32 i = 0; i < ARRAY_SIZE(fields); i++)
		if (streq(fields[i].event, event) && streq(fields[i].kernel, field))
			return fields[i].lttng;
	return field;
}

enum lttng_value lttng_value_of(const char *event, const char *field)
{
	if (starts_with(event, "block:"))
		return streq(field, "rwbs") ? LTTNG_REQUEST : LTTNG_SAME;
	if (!starts_with(event, "sched:"))
		return LTTNG_SAME;
	if (ends_with(field, "prio"))
		return LTTNG_PRIO;
	return streq(field, "prev_state") ? LTTNG_STATE : LTTNG_SAME;
}

/* The kernel's event marks a thread that could go on by the first bit above its states. A parked
 * or idle thread of the kernel waits as one in D does. */
u64 lttng_state(u64 kernel)
{
	enum { UNINTERRUPTIBLE = 2, DEAD = 0x10, ZOMBIE = 0x20, PARKED = 0x40, IDLE = 0x80 };

	if (kernel & LTTNG_PREEMPTED)
		return 0;
	if (kernel & (DEAD | ZOMBIE))
		return LTTNG_DEAD;
	return kernel & (PARKED | IDLE) ? UNINTERRUPTIBLE : kernel;
}

/* ---- requests of block devices */

struct letter {
	char letter;
	u32 flag;
};

/* In the order of the kernel's letters (blk_fill_rwbs()): F before an operation, the operation or
 * N, others. */
static const struct letter operations[] = { { 'W', 1 << 0 },
					    { 'D', 1 << 1 },
					    { 'R', 1 << 2 },
					    { 'F', 1 << 8 } },
			   others[] = { { 'E', 1 << 7 },
					{ 'F', 1 << 9 },
					{ 'A', 1 << 3 },
					{ 'S', 1 << 5 },
					{ 'M', 1 << 6 } };
enum { PREFLUSH = 1 << 10 };

static u32 flag_of(const struct letter *v, size_t n, char letter)
{
	for (u32 i = 0; i < n; i++)
		if (v[i].letter == letter)
			return v[i].flag;
	return 0;
}

u32 lttng_request(const char *rwbs, size_t len)
{
	bool is_preflush = len > 1 && rwbs[0] == 'F' && memchr("WDRFN", rwbs[1], 5);
	u32 flags = is_preflush ? PREFLUSH : 0;

	for (size_t at = is_preflush, operation = at; at < len; at++)
		flags |= at == operation ? flag_of(operations, ARRAY_SIZE(operations), rwbs[at]) :
					   flag_of(others, ARRAY_SIZE(others), rwbs[at]);
	return flags;
}

static char *put_letters(char *to, const struct letter *v, size_t n, u32 flags)
{
	for (u32 i = 0; i < n; i++)
		if (flags & v[i].flag)
			*to++ = v[i].letter;
	return to;
}

void lttng_request_text(u32 flags, char rwbs[RWBS_SIZE])
{
	char *operation = rwbs, *end;

	if (flags & PREFLUSH)
		*operation++ = 'F';
	end = put_letters(operation, operations, ARRAY_SIZE(operations), flags);
	if (end == operation)
		*end++ = 'N';
	*put_letters(end, others, ARRAY_SIZE(others), flags) = '\0';
}
