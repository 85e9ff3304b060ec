/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel engine's row: the contract of engine/engine.h by the functions of kernel.h. */
#include <errno.h>
#include <stdio.h>
#include "base/buf.h"
#include "engine/kernel/internal.h"
#include "sym/tracefs.h"

/*
 * Whether a tracepoint is an event of kprobe_events and the like. The kernel gives its programs
 * registers instead of the record (kernel/events/core.c, perf_event_set_bpf_prog()).
 */
static bool is_dynamic(const struct site *s)
{
	static const char prefix[] = "tracepoint:";
	static struct buf events;
	static bool is_read;
	const char *root = is_read ? NULL : tracefs_path(NULL);
	char path[300], word[160], *colon;

	is_read = true;
	snprintf(path, sizeof path, "%s/dynamic_events", root ? root : "");
	if (root)
		buf_read_file(&events, path);
	if (!events.len || !s->probe || !starts_with(s->probe, prefix))
		return false;
	snprintf(word, sizeof word, ":%s ", s->probe + strlen(prefix));
	colon = strchr(word + 1, ':');
	if (colon)
		*colon = '/';
	return colon && strstr(events.s, word);
}

/* Nanoseconds that an event costs the traced program, rounded from bench/: only their order
 * matters. */
static bool serves(const struct site *s, struct engine_answer *a)
{
	static const u32 price[] = {
		[SITE_ONCE] = 1000,
		[SITE_SIGNAL] = 1000,
		[SITE_PERF_TRACEPOINT] = 120,
		[SITE_RAW_TRACEPOINT] = 50,
		[SITE_PERF_SOFTWARE] = 300,
		[SITE_PERF_TIMER] = 500,
		[SITE_KPROBE] = 150,
		[SITE_UPROBE] = 900,
		[SITE_TRAMPOLINE] = 40,
		[SITE_WATCHPOINT] = 1500,
		[SITE_ITER] = 100,
	};

	if (s->kind == SITE_RECORD) {
		a->why_not = "the kernel does not read records of programs";
		return false;
	}
	if (s->kind == SITE_PERF_TRACEPOINT && is_dynamic(s))
		a->why_not =
			"the kernel does not give BPF programs the records of events that tracefs users define";
	a->price_ns = price[s->kind];
	return !a->why_not;
}

/* The switch is read once: a script may have ten thousand such sites. */
static const char *in_vain(const struct site *s)
{
	static const char *text;
	static bool asked;

	if (!kernel_may_disarm(s))
		return NULL;
	if (!asked)
		text = kernel_disarmed();
	asked = true;
	return text;
}

/*
 * Tracepoints have 64 programs, those of all tracers (BPF_TRACE_MAX_PROGS,
 * kernel/trace/bpf_trace.c); functions 38 (BPF_MAX_TRAMP_LINKS, include/linux/bpf.h), before 5.17
 * 40. A processor has four breakpoints, and few counters of hardware, which events share in turns
 * where there are more.
 */
static struct program_room room(const struct site *s)
{
	switch (s->kind) {
	case SITE_PERF_TRACEPOINT: return (struct program_room){ 32, 64 };
	case SITE_TRAMPOLINE: return (struct program_room){ 16, 38 };
	case SITE_WATCHPOINT: return (struct program_room){ 1, PROGRAMS_NO_LIMIT };
	case SITE_PERF_SOFTWARE:
		if (s->event.type != PERF_TYPE_SOFTWARE)
			return (struct program_room){ 1, PROGRAMS_NO_LIMIT };
		break;
	case SITE_ONCE:
	case SITE_SIGNAL:
	case SITE_RAW_TRACEPOINT:
	case SITE_PERF_TIMER:
	case SITE_KPROBE:
	case SITE_UPROBE:
	case SITE_RECORD:
	case SITE_ITER: break;
	}
	return (struct program_room){ 0 };
}

static void *open_kernel(struct program *prog, const struct engine_options *o, struct err *err)
{
	return kernel_open(prog, o);
}

static int create_maps(void *self, struct err *err)
{
	return kernel_create_maps(self, err);
}

static int extend(void *self, u32 data_from)
{
	return kernel_extend(self, data_from);
}

static int find_pid_namespace(void *self, const struct pid_ns_offsets *at)
{
	return kernel_find_pid_namespace(self, at);
}

static void detach_all(void *self)
{
	kernel_detach_all(self);
}

static struct leaving close_kernel(void *self)
{
	return kernel_close(self);
}

static int load(void *self, u32 func, const struct site *first, struct err *err)
{
	if (first)
		kernel_plan(self, func, first);
	return kernel_load(self, func, err);
}

static bool load_session(void *self, u32 entry, u32 ret, const struct site *at)
{
	return kernel_load_session(self, entry, ret, at);
}

static u32 loop_turns(const void *self, u32 func, u32 insn)
{
	return kernel_loop_turns(self, func, insn);
}

static int attach(void *self, const struct attach_request *a, struct err *err)
{
	return kernel_attach_many(self, a, err);
}

static const char *how(const void *self, u32 i)
{
	return kernel_how(self, i);
}

static int run(void *self, u32 func, s32 *value, struct err *err)
{
	return kernel_run(self, func, value, err);
}

static int time_it(void *self, u32 func, u64 times, u64 *ns, s32 *value, struct err *err)
{
	return kernel_time(self, func, times, ns, value, err);
}

static int iter_open(void *self, u32 func, struct err *err)
{
	return kernel_iter_open(self, func, err);
}

static int event_fd(const void *self)
{
	return kernel_event_fd(self);
}

static int drain(void *self, u64 until, record_fn f, void *ctx)
{
	return kernel_drain(self, f, ctx);
}

static bool has_all(const void *self)
{
	return kernel_drained_all(self);
}

static bool drained_much(const void *self)
{
	return kernel_drained_much(self);
}

static u32 fill(const void *self)
{
	return kernel_fill(self);
}

static u64 followed(void *self, u32 func)
{
	return kernel_followed(self, func);
}

static u64 skipped(void *self, u32 func)
{
	return kernel_recursion_misses(self, func);
}

static int map_read(void *self, u32 map, struct arena *a, struct table *t)
{
	return kernel_map_read(self, map, a, t);
}

static int map_clear(void *self, u32 map)
{
	return kernel_map_clear(self, map);
}

static int map_zero(void *self, u32 map)
{
	return kernel_map_zero(self, map);
}

static void *map_memory(void *self, u32 map)
{
	return kernel_map_memory(self, map);
}

static bool bell(void *self, struct bell *out)
{
	const struct kernel *k = self;

	*out = k->bell;
	return k->bell.consumer;
}

static int map_set(void *self, u32 map, const void *key, const void *value)
{
	return kernel_set_add(self, map, key, value);
}

static int map_move(void *self, u32 map, const void *from, const void *to, bool replace)
{
	return kernel_map_move(self, map, from, to, replace);
}

static int map_delete(void *self, u32 map, const void *key)
{
	return kernel_map_delete(self, map, key);
}

static u32 stack(void *self, const struct stack_value *v, u32 limit, u64 *ips, u64 *time)
{
	return kernel_stack(self, v, limit, ips, time);
}

static u64 data_u64(void *self, u32 offset)
{
	return kernel_data_u64(self, offset);
}

static void set_data_u64(void *self, u32 offset, u64 value)
{
	kernel_set_data_u64(self, offset, value);
}

static int maps_open(void *self, bool prompt)
{
	struct kernel *k = self;

	k->map_watch = map_watch_open(prompt);
	return k->map_watch ? 0 : -errno;
}

static int maps_fd(const void *self)
{
	return map_watch_fd(((const struct kernel *)self)->map_watch);
}

static void maps_read(void *self, map_event_fn f, void *ctx)
{
	map_watch_read(((struct kernel *)self)->map_watch, f, ctx);
}

const struct engine engine_kernel = {
	.name = "kernel",
	.brief = "the running kernel, by bpf(2) and perf_event_open(2)",
	.has_events = true,
	.on_this_kernel = true,
	.features = kernel_features,
	.check_rights = kernel_check_rights,
	.has_rights = kernel_has_rights,
	.room = room,
	.instead = "perf",
	.serves = serves,
	.in_vain = in_vain,
	.open = open_kernel,
	.create_maps = create_maps,
	.extend = extend,
	.find_pid_namespace = find_pid_namespace,
	.drop_rights = rights_drop,
	.detach_all = detach_all,
	.close = close_kernel,
	.load = load,
	.load_session = load_session,
	.loop_turns = loop_turns,
	.followed = followed,
	.attach = attach,
	.how = how,
	.run = run,
	.time = time_it,
	.iter_open = iter_open,
	.event_fd = event_fd,
	.drain = drain,
	.has_all = has_all,
	.drained_much = drained_much,
	.fill = fill,
	.skipped = skipped,
	.map_read = map_read,
	.map_clear = map_clear,
	.map_zero = map_zero,
	.map_set = map_set,
	.map_memory = map_memory,
	.bell = bell,
	.map_delete = map_delete,
	.map_move = map_move,
	.stack = stack,
	.data_u64 = data_u64,
	.set_data_u64 = set_data_u64,
	.maps_open = maps_open,
	.maps_fd = maps_fd,
	.maps_read = maps_read,
};
