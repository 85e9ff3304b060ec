/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recording: record() sends a trace event as the kernel made it, followed() decides whose events
 * belong to a run.
 *
 *	record_head | u64 time | u32 tid, pid | u32 cpu | comm[16] | the event's record | value
 *
 * The event follows the rest at a multiple of 8, because it is copied in words. The value is that
 * of record(VALUE).
 */
#include "builtin/builtin.h"
#include "builtin/record.h"
#include "type/event_format.h"

enum { TIME, IDS, CPU, COMM, RECORD, VALUE }; /* fields of the event */

static const struct profile *profile_of(struct check *c)
{
	return c->inst ? c->inst->profile : NULL;
}

/* ---- record() */

static const struct type *check_record(struct check *c, struct node *call)
{
	const struct profile *p = profile_of(c);

	return p && p->record.type ?
		       &ty_void :
		       diag_type(c, call->span, D_NO_EVENT_RECORD,
				 c->inst && c->inst->provider ? c->inst->provider : "these");
}

static const struct builtin *comm_row(struct lower *l)
{
	return env_builtin(l->env, "comm");
}

static void put_comm(struct lower *l, struct node *call, struct opnd at)
{
	struct node *comm = node_new(l->arena, N_CALL, call->span);

	comm->name = "comm";
	comm->builtin = comm_row(l);
	comm->type = &ty_comm;
	lower_into(l, comm, &ty_comm, at);
}

struct recorded_call {
	struct node *call;
	struct ir_val value; /* type NULL: there is none */
};

static void put_event(struct lower *l, const struct event_desc *e, struct opnd record, void *ctx)
{
	struct event_build eb = { .desc = (struct event_desc *)(uintptr_t)e, .record = record };
	struct recorded_call *r = ctx;

	ir_store(l, event_at(&eb, TIME), 8, boot_clock(l));
	ir_store(l, event_at(&eb, IDS), 8, ir_call(l, BPF_FUNC_get_current_pid_tgid, true, 0));
	ir_store(l, event_at(&eb, CPU), 4, ir_call(l, BPF_FUNC_get_smp_processor_id, true, 0));
	put_comm(l, r->call, event_at(&eb, COMM));
	lower_trace_record(l, l->profile->record.type, event_at(&eb, RECORD));
	if (r->value.type)
		lower_store_val(l, &r->value, r->value.type, event_at(&eb, VALUE));
}

static struct ir_val lower_record(struct lower *l, struct node *call)
{
	struct event_desc *e = event_new(l, call->builtin, call);
	struct recorded_call r = { .call = call };

	event_field(l, e, &ty_u64);
	event_field(l, e, &ty_u64);
	event_field(l, e, &ty_u32);
	event_field(l, e, &ty_comm);
	event_field(l, e, l->profile->record.type);
	if (call_n_args(call)) {
		r.value = lower_memory(l, call_arg(call, 0));
		event_field(l, e, r.value.type);
	}
	event_emit(l, e, put_event, &r);
	return val_scalar(&ty_void, o_imm(0));
}

static u64 word_at(const struct event_desc *e, const u8 *record, u32 field)
{
	u64 v = 0;

	memcpy(&v, record + e->fields[field].offset, e->fields[field].type->size);
	return v;
}

static int act_record(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	u64 ids = word_at(e, record, IDS);
	struct trace_event ev = {
		.time = word_at(e, record, TIME),
		.tid = (u32)ids,
		.pid = (u32)(ids >> 32),
		.cpu = (u32)word_at(e, record, CPU),
		.comm = (const char *)record + e->fields[COMM].offset,
		.format = e->fields[RECORD].type->origin,
		.record = (const u8 *)record + e->fields[RECORD].offset,
		.len = e->fields[RECORD].type->size,
	};

	if (e->n_fields > VALUE) {
		ev.value_type = e->fields[VALUE].type;
		ev.value = (const u8 *)record + e->fields[VALUE].offset;
	}

	if (a->recorded_stacks)
		a->recorded_stacks(a->ctx, &ev);
	a->sink->output->event(a->sink, &ev);
	return 0;
}

static const struct action action_record = { .name = "record", .act = act_record };

/* ---- followed() */

static const struct type *check_followed(struct check *c, struct node *call)
{
	if (c->inst && !c->inst->asks_follow)
		node_make_int(call, 1, &ty_bool);
	return &ty_bool;
}

static struct ir_val lower_followed(struct lower *l, struct node *call)
{
	struct opnd key = lower_temp(l, 4, 4, "followed");
	struct opnd tid = lower_scalar(l, call_arg(call, 0)), found;

	ir_store(l, key, 4, tid);
	found = ir_call(l, BPF_FUNC_map_lookup_elem, false, 2, o_map(l->inst->follow_map), key);
	return val_scalar(&ty_bool, ir_set(l, CC_NE, found, o_imm(0)));
}

static const struct builtin rows[] = {
	{
		.name = "record",
		.sig = "record(value: tuple = 0)",
		.brief = "keep the event as the kernel made it",
		.doc = "In tracepoint probes: the time, the thread, the processor and the whole "
		       "record of the event. sonde record stores it in its file; elsewhere it is a "
		       "line as perf script prints it. A tuple, as (kstack, ustack), "
		       "is kept with it and printed after it.",
		.example = "tracepoint:sched:sched_process_exec { record(); }",
		.work = "true",
		.output = "            true  3812 [001]  3204.562194: sched:sched_process_exec: "
			  "filename=/usr/bin/true pid=3812 old_pid=3812",
		.varies = true,
		.flags = BI_STATEMENT | BI_READS_ARGS | BI_RECORD | BI_READS_RECORD |
			 BI_NEEDS_PROFILE,
		.engines = ON_ALL,
		.check = check_record,
		.lower = lower_record,
		.action = &action_record,
	},
	{
		.name = "followed",
		.sig = "followed(tid: int) -> bool",
		.brief = "whether a thread belongs to what is traced",
		.doc = "Whether a thread is one of the processes of -p or -c or, with --follow, of "
		       "their descendants; true if the run traces all processes. A clause that "
		       "calls it sees the events of all processes and decides itself: the thread "
		       "may be an argument instead of the current one.",
		.example = "tracepoint:sched:sched_wakeup_new /followed(args.pid)/ { printf(\"%s "
			   "starts\\n\", args.comm); }",
		.work = "sh -c \"true & wait\"",
		.output = "sh starts",
		.flags = BI_ASKS_FOLLOW,
		.engines = ON_KERNEL,
		.check = check_followed,
		.lower = lower_followed,
	},
};

const struct builtin_theme builtin_record = THEME("Recording", rows);
