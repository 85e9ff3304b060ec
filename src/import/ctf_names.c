/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/ctf_names.h"

/* Beginnings of LTTng's names that are not those of the kernel's event: what is before '|' is the
 * system, which is taken off. */
static const char *const added[] = {
	"irq|softirq_",  "irq|tasklet_",     "kmem|kmalloc",   "kmem|kfree",
	"kmem|mm_page_", "kmem|rss_stat",    "timer|hrtimer_", "timer|itimer_",
	"timer|tick_",   "power|",           "exceptions|",    "raw_syscalls|",
	"skb|",          "x86_irq_vectors|", "uprobe|",        "kprobe|",
	"usdt|",         "filemap|",         "sonde|"
};

/* The kernel's events whose names do not begin with their system. */
static const struct {
	const char *prefix, *system;
} systems[] = { { "softirq_", "irq" },      { "hrtimer_", "timer" }, { "netif_", "net" },
		{ "mm_vmscan_", "vmscan" }, { "cpuhp_", "cpuhp" },   { "itimer_", "timer" },
		{ "consume_", "skb" },      { "lttng_", "lttng" },   { "rcu_", "rcu" } };

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

void ctf_event_names(struct arena *a, const char *name, const char **system, const char **event)
{
	size_t n = strcspn(name, ":");

	if (name[n]) {
		*system = arena_strndup(a, name, n);
		*event = name + n + 1;
		return;
	}
	*system = "syscalls";
	if (is_call(name, event, a) || is_added(name, system, event, a))
		return;
	*event = name;
	*system = arena_strndup(a, name, strcspn(name, "_"));
	for (u32 i = 0; i < ARRAY_SIZE(systems); i++)
		if (starts_with(name, systems[i].prefix))
			*system = systems[i].system;
}

const char *ctf_field_name(struct arena *a, const char *system, const struct ctf_values *fields,
			   const char *name)
{
	size_t n = strlen(name);
	const char *stem;

	if (!streq(system, "sched") || n < 3)
		return name;
	stem = arena_strndup(a, name, n - 3);
	if (streq(name + n - 3, "tid"))
		return arena_printf(a, "%spid", stem);
	if (streq(name + n - 3, "pid") && ctf_value_of(fields, arena_printf(a, "%stid", stem)))
		return arena_printf(a, "%stgid", stem);
	return name;
}
