/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which message of protos/perfetto/trace/ftrace/ an event is: the events that Perfetto's views are
 * made of have one of their own, and the calls of syscalls:* are sys_enter and sys_exit. Every
 * other event is a GenericFtraceEvent, which names its fields.
 *
 * The translation of a format is a plan, made at its first event.
 */
#include "base/protobuf.h"
#include "export/calls.h"
#include "export/perfetto.h"
#include "sym/syscalls.h"

enum {
	EVENT_GENERIC = 327,
	EVENT_SYS_ENTER = 329,
	EVENT_SYS_EXIT = 330,
	GENERIC_NAME = 1,
	GENERIC_FIELD = 2,
	FIELD_NAME = 1,
	FIELD_TEXT = 3,
	FIELD_INT = 4,
	FIELD_UINT = 5,
	CALL_ID = 1,
	ENTER_ARGS = 2,
	EXIT_RET = 2,
	MOST_FIELDS = 8,
};

/* Members in the order of the numbers 1, 2 ...; "" is a number that the kernel's event does not
 * have. */
static const struct known {
	const char *name;
	u32 field; /* of FtraceEvent */
	const char *members[MOST_FIELDS];
} known[] = {
	{ "sched:sched_switch",
	  4,
	  { "prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid",
	    "next_prio" } },
	{ "power:cpu_frequency", 11, { "state", "cpu_id" } },
	{ "power:cpu_idle", 13, { "state", "cpu_id" } },
	{ "sched:sched_wakeup", 17, { "comm", "pid", "prio", "success", "target_cpu" } },
	{ "sched:sched_waking", 20, { "comm", "pid", "prio", "success", "target_cpu" } },
	{ "irq:softirq_entry", 24, { "vec" } },
	{ "irq:softirq_exit", 25, { "vec" } },
	{ "irq:softirq_raise", 26, { "vec" } },
	{ "irq:irq_handler_entry", 36, { "irq", "name" } },
	{ "irq:irq_handler_exit", 37, { "irq", "ret" } },
	{ "power:suspend_resume", 113, { "action", "val", "start" } },
	{ "sched:sched_wakeup_new", 114, { "comm", "pid", "prio", "success", "target_cpu" } },
	{ "task:task_newtask", 235, { "pid", "comm", "clone_flags", "oom_score_adj" } },
	{ "task:task_rename", 236, { "pid", "oldcomm", "newcomm", "oom_score_adj" } },
	{ "sched:sched_process_exec", 237, { "filename", "pid", "old_pid" } },
	{ "sched:sched_process_exit", 238, { "comm", "pid", "", "prio" } },
	{ "sched:sched_process_fork",
	  239,
	  { "parent_comm", "parent_pid", "child_comm", "child_pid" } },
	{ "sched:sched_process_free", 240, { "comm", "pid", "prio" } },
	{ "sched:sched_process_wait", 242, { "comm", "pid", "prio" } },
	{ "signal:signal_deliver", 324, { "code", "sa_flags", "sig" } },
	{ "signal:signal_generate", 325, { "code", "comm", "group", "pid", "result", "sig" } },
};

struct planned {
	const struct event_member *member;
	u32 field; /* of the message; 0: of a generic one */
};

struct perfetto_plan {
	u32 field; /* of FtraceEvent */
	struct planned *members;
	u32 n;
	bool is_call, is_exit, is_raw;
	u32 call; /* number, unless is_raw */
};

void perfetto_events_init(struct perfetto_events *p, struct arena *a, const struct store_tables *t)
{
	number_formats(t);
	p->arena = a;
	p->plans = arena_array(a, struct perfetto_plan *, t->formats.n + 1);
}

/* ---- plans */

static void add_member(struct perfetto_plan *plan, const struct event_member *m, u32 field)
{
	if (m)
		plan->members[plan->n++] = (struct planned){ m, field };
}

static void plan_known(struct perfetto_plan *plan, const struct event_format *f,
		       const struct known *k)
{
	plan->field = k->field;
	for (u32 i = 0; i < MOST_FIELDS && k->members[i]; i++)
		add_member(plan, event_member(f, k->members[i]), i + 1);
}

static void plan_generic(struct perfetto_plan *plan, const struct event_format *f)
{
	plan->field = EVENT_GENERIC;
	for (u32 i = 0; i < f->n_members; i++)
		if (!f->members[i].is_common)
			add_member(plan, &f->members[i], 0);
}

/* A call that this machine does not have is a generic event. */
static bool plan_call(struct perfetto_plan *plan, const struct trace_event *e)
{
	struct call_event call;
	int nr;

	if (!call_of_event(e, &call))
		return false;
	nr = call.is_raw ? 0 : syscall_number_of_event(call.name);
	if (nr < 0)
		return false;
	plan->is_call = true;
	plan->is_raw = call.is_raw;
	plan->is_exit = call.is_exit;
	plan->call = (u32)nr;
	plan->field = call.is_exit ? EVENT_SYS_EXIT : EVENT_SYS_ENTER;
	return true;
}

static const struct known *find_known(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(known); i++)
		if (streq(known[i].name, name))
			return &known[i];
	return NULL;
}

static struct perfetto_plan *plan_of(struct perfetto_events *p, const struct trace_event *e)
{
	struct perfetto_plan **slot = &p->plans[e->format->stored - 1], *plan = *slot;
	const struct known *k;

	if (plan)
		return plan;
	plan = *slot = arena_new(p->arena, struct perfetto_plan);
	plan->members = arena_array(p->arena, struct planned, e->format->n_members + MOST_FIELDS);
	k = find_known(e->format->name);
	if (k)
		plan_known(plan, e->format, k);
	else if (!plan_call(plan, e))
		plan_generic(plan, e->format);
	return plan;
}

/* ---- bytes */

/* Arrays other than of characters are bytes that a text shows as hexadecimal digits. */
static void put_text(struct buf *b, u32 field, const struct trace_event *e,
		     const struct event_member *m)
{
	u32 len;
	const u8 *at = event_bytes(e, m, &len);
	size_t begin;

	if (m->is_char) {
		pb_bytes(b, field, at, strnlen((const char *)at, len));
		return;
	}
	begin = pb_begin(b, field);
	for (u32 i = 0; i < len; i++) {
		buf_putc(b, "0123456789abcdef"[at[i] >> 4]);
		buf_putc(b, "0123456789abcdef"[at[i] & 15]);
	}
	pb_end(b, begin);
}

static bool is_text(const struct event_member *m)
{
	return m->is_char || m->data_loc || m->is_array || m->size > sizeof(u64);
}

static void put_generic_field(struct buf *b, const struct trace_event *e,
			      const struct event_member *m)
{
	size_t field = pb_begin(b, GENERIC_FIELD);

	pb_bytes(b, FIELD_NAME, m->name, strlen(m->name));
	if (is_text(m))
		put_text(b, FIELD_TEXT, e, m);
	else
		pb_number(b, m->is_signed ? FIELD_INT : FIELD_UINT, (u64)event_value(e, m));
	pb_end(b, field);
}

static void put_member(struct buf *b, const struct trace_event *e, const struct planned *p)
{
	if (!p->field)
		put_generic_field(b, e, p->member);
	else if (is_text(p->member))
		put_text(b, p->field, e, p->member);
	else
		pb_number(b, p->field, (u64)event_value(e, p->member));
}

/* The arguments of a raw call are an array; those of a single one are the members after its
 * number. */
static void put_args(struct buf *b, const struct trace_event *e)
{
	const struct event_member *raw = event_member(e->format, "args");
	u32 len;
	const u8 *at = raw ? event_bytes(e, raw, &len) : NULL;
	u64 word;

	for (u32 i = 0; raw && i + sizeof word <= len; i += sizeof word) {
		memcpy(&word, at + i, sizeof word);
		pb_number(b, ENTER_ARGS, word);
	}
	for (u32 i = 0; !raw && i < e->format->n_members; i++)
		if (!e->format->members[i].is_common &&
		    !streq(e->format->members[i].name, "__syscall_nr"))
			pb_number(b, ENTER_ARGS, (u64)event_value(e, &e->format->members[i]));
}

static void put_call(struct buf *b, const struct perfetto_plan *plan, const struct trace_event *e)
{
	pb_number(b, CALL_ID, plan->is_raw ? (u64)event_number(e, "id") : plan->call);
	if (plan->is_exit)
		pb_number(b, EXIT_RET, (u64)event_number(e, "ret"));
	else
		put_args(b, e);
}

void perfetto_put(struct perfetto_events *p, struct buf *b, const struct trace_event *e)
{
	const struct perfetto_plan *plan = plan_of(p, e);
	size_t message = pb_begin(b, plan->field);
	const char *colon = strchr(e->format->name, ':');

	if (plan->field == EVENT_GENERIC)
		pb_bytes(b, GENERIC_NAME, colon + 1, strlen(colon + 1));
	if (plan->is_call)
		put_call(b, plan, e);
	for (u32 i = 0; i < plan->n; i++)
		put_member(b, e, &plan->members[i]);
	pb_end(b, message);
}
