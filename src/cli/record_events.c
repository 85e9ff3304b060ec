/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A clause for each event, on a line of its own, so that its line identifies a loss (with -g,
 * record((kstack, ustack))):
 *
 *	tracepoint:sched:sched_waking /followed(tid) || followed(args.pid)/ { record(); }
 *
 * --filter after an -e is a further condition of its events, as those of perf and ftrace
 * (trace/expr.c).
 *
 * An event belongs to the followed processes if a thread of theirs is current or is one of its
 * fields of type pid_t. Without processes, only what sonde itself does is left out; switches
 * between it and others stay, or processors would seem to be idle.
 *
 * More than a few events of system calls are two clauses on raw_syscalls: attaching and detaching
 * hundreds of events takes tens of seconds. If raw events are recorded, too, those that do not
 * become events of calls have a tuple that begins with a number:
 *
 *	tracepoint:raw_syscalls:sys_enter /followed(tid)/ { if (NATIVE) { record(); } else { record((0, 0)); } }
 */
#include <stdio.h>
#include <unistd.h>
#include "base/glob.h"
#include "cli/job.h"
#include "cli/record_dump.h"
#include "cli/record_events.h"
#include "cli/record_probes.h"
#include "cli/trace/trace.h"
#include "provider/provider.h"
#include "sym/event_layout.h"
#include "sym/syscalls.h"

#ifdef __aarch64__
#define SAMPLED_PC "reg(\"pc\")"
#else
#define SAMPLED_PC "reg(\"ip\")"
#endif

enum { FEW_CALLS = 2 };

static const char *const time_line[] = {
	"sched:sched_switch",
	"sched:sched_waking",
	"sched:sched_wakeup",
	"sched:sched_wakeup_new",
	"sched:sched_migrate_task",
	"sched:sched_process_fork",
	"sched:sched_process_exec",
	"sched:sched_process_exit",
	"raw_syscalls:sys_enter",
	"raw_syscalls:sys_exit",
	NULL,
};

struct events {
	struct cli *c;
	struct arena *arena;
	VEC(const char *)
	names;                   /* "sched:sched_switch", in the order of the command line */
	struct hash known;       /* name -> struct asked * */
	const char *filter;      /* filter of the -e whose events are being added; NULL: none */
	VEC(const char *) calls; /* those of category syscalls */
	VEC(const char *)
	single; /* those of `calls` that need events of their own: raw events do not cover them */
	VEC(const char *) probes; /* of the language */
	const char *side;         /* of counters: "u", "k", "uk"; NULL: none yet */
	struct err err;
};

struct asked {
	const char *filter; /* NULL: none */
};

/* ---- the events of the command line */

static void add(struct events *ev, const char *category, const char *event)
{
	const char *name = arena_printf(ev->arena, "%s:%s", category, event);

	struct asked *asked = hash_gets(&ev->known, name);

	if (asked)
		return;
	asked = arena_new(ev->arena, struct asked);
	asked->filter = ev->filter;
	hash_puts(&ev->known, name, asked);
	if (streq(category, "syscalls"))
		vec_push(ev->arena, &ev->calls, name);
	else
		vec_push(ev->arena, &ev->names, name);
}

/* Their number. Records of the function tracer are no tracepoints. */
static u32 add_matches(struct events *ev, const char *category, const char *pattern)
{
	const char **names;
	u32 n, found = 0;

	if (streq(category, "ftrace") ||
	    tracefs_events(ev->arena, category, &names, &n, &ev->err) < 0)
		return 0;
	for (u32 i = 0; i < n; i++)
		if (glob_match(pattern, names[i])) {
			add(ev, category, names[i]);
			found++;
		}
	return found;
}

static u32 add_pattern(struct events *ev, const char *category, const char *pattern)
{
	const char **names;
	u32 n, found = 0;

	if (!glob_has_wildcard(category))
		return add_matches(ev, category, pattern);
	if (tracefs_categories(ev->arena, &names, &n, &ev->err) < 0)
		return 0;
	for (u32 i = 0; i < n; i++)
		if (glob_match(category, names[i]))
			found += add_matches(ev, names[i], pattern);
	return found;
}

static int refuse(struct events *ev, const char *text)
{
	if (say_no_tracefs(ev->c))
		return STATUS_REFUSED;
	if (!strchr(text, ':'))
		return say_usage(
			ev->c,
			"-e %s: there is no event, system of events or counter of that name (\"sonde list '*%s*'\")",
			text, text);
	return say_usage(ev->c,
			 "-e %s: there is no such event (\"sonde list 'tracepoint:%.*s:*'\")", text,
			 (int)strcspn(text, ":"), text);
}

/* "page-faults" of perf: a sample every -c times, by default each time; of clocks and of what the
 * processor counts, which is too often, at perf's rate or the language's default. False: it is no
 * counter. */
static bool add_counter(struct events *ev, const char *text)
{
	struct cli *c = ev->c;
	const char *probe = perf_event_probe(ev->arena, text);
	u64 count = c->own.record.count;

	if (!probe)
		return false;
	if (ends_with(text, "-clock") && !count)
		c->select.frequency = c->select.frequency ? c->select.frequency : "4000";
	else if (!count)
		vec_push(ev->arena, &ev->probes, probe);
	else
		vec_push(ev->arena, &ev->probes,
			 arena_printf(ev->arena, "%.*s:%s:%llu", (int)strcspn(probe, ":"), probe,
				      text, (unsigned long long)count));
	return true;
}

/* A name alone, as trace-cmd takes it: of a system or of an event of any. */
static u32 add_by_name(struct events *ev, const char *text)
{
	u32 n = glob_has_wildcard(text) ? 0 : add_matches(ev, text, "*");

	return n ? n : add_pattern(ev, "*", text);
}

/* The sides of a counter, "u", "k" or "uk"; NULL: these are no modifiers of perf. Precision and
 * guests have no effect on samples. */
static const char *sides_of(const char *modifiers)
{
	static const char *const both[] = { "uk", "u", "k", "uk" };

	if (!*modifiers || modifiers[strspn(modifiers, "ukhpPHGIDSWe")])
		return NULL;
	return both[(strchr(modifiers, 'u') ? 1 : 0) + (strchr(modifiers, 'k') ? 2 : 0)];
}

/* "cycles:up": the condition is one of the whole run, so that all counters have the same. 1: a
 * message was printed; false: it is no counter with modifiers. */
static bool add_modified(struct events *ev, const char *text, const char *modifiers, int *ret)
{
	const char *side = sides_of(modifiers + 1);

	if (!side || !add_counter(ev, arena_strndup(ev->arena, text, strcspn(text, ":"))))
		return false;
	if (ev->side && !streq(ev->side, side))
		*ret = say_usage(ev->c,
				 "-e %s: counters of one recording are all :u, all :k, or neither",
				 text);
	ev->side = side;
	return true;
}

/* --all-user, --all-kernel, and :u, :k of counters: a condition of all probes. */
static int take_side(struct events *ev)
{
	const struct selection *o = &ev->c->select;
	const char **where = &ev->c->request.traced.where, *side = ev->side, *cond;

	if (o->all_user || o->all_kernel)
		side = o->all_user && o->all_kernel ? "uk" : o->all_user ? "u" : "k";
	if (!side || streq(side, "uk"))
		return 0;
	if (ev->names.n || ev->calls.n)
		return say_usage(
			ev->c,
			"%s: trace events are of the kernel: only counters and -F have :u and :k",
			side[0] == 'u' ? ":u" : ":k");
	cond = side[0] == 'u' ? "!(" SAMPLED_PC " >> 63)" : SAMPLED_PC " >> 63";
	*where = *where ? arena_printf(ev->arena, "%s && (%s)", cond, *where) : cond;
	return 0;
}

static int add_one(struct events *ev, const char *text)
{
	const char *colon = strchr(text, ':');
	int ret = 0;

	if (colon && add_modified(ev, text, colon, &ret))
		return ret;
	if (!colon && add_modified(ev, text, ":uk", &ret))
		return ret;
	if (!colon && add_by_name(ev, text))
		return 0;
	if (colon && colon[1] &&
	    add_pattern(ev, arena_strndup(ev->arena, text, (size_t)(colon - text)), colon + 1))
		return 0;
	return refuse(ev, text);
}

/* "a:b,c:d"; perf's groups are in braces, which have no effect: each event is recorded. */
static int add_list(struct events *ev, const char *list)
{
	int ret = 0;

	if (probe_has_type(list)) { /* a signature may have commas */
		if (ev->c->select.tids.n)
			return say_usage(
				ev->c,
				"-t is for events: for %s, --where 'tid == N' has the same effect",
				list);
		if (ev->filter)
			return say_usage(
				ev->c,
				"--filter=%s: filters are for events; of %s, --where has conditions",
				ev->filter, list);
		vec_push(ev->arena, &ev->probes, list);
		return 0;
	}
	for (const char *s = list; *s && !ret;) {
		size_t n = strcspn(s, ",{} ");

		if (n)
			ret = add_one(ev, arena_strndup(ev->arena, s, n));
		s += n + (s[n] != '\0');
	}
	return ret;
}

/* The default events that this kernel has. */
static void add_time_line(struct events *ev)
{
	for (u32 i = 0; time_line[i]; i++) {
		size_t n = strcspn(time_line[i], ":");

		add_matches(ev, arena_strndup(ev->arena, time_line[i], n), time_line[i] + n + 1);
	}
}

/* ---- the script */

/* --filter in the language: names of fields are those of the event. */
static const char *filter_of(struct events *ev, const struct tp_format *f, const char *name)
{
	static const struct type character = { .kind = TY_INT, .size = 1 }, text = {
		.kind = TY_POINTER, .size = 8, .elem = (struct type *)(uintptr_t)&character
	};
	const struct asked *asked = hash_gets(&ev->known, name);
	struct arg_desc *args = arena_array(ev->arena, struct arg_desc, f->fields.n);
	struct profile p = { .args.v = args, .args.n = f->fields.n };

	if (!asked || !asked->filter)
		return NULL;
	for (u32 i = 0; i < f->fields.n; i++) {
		const struct tp_field *field = &f->fields.v[i];

		args[i].name = field->is_common ? "" : field->name;
		args[i].type = (field->is_char && field->data_loc) ||
					       ends_with(field->type, "char *") ?
				       &text :
				       NULL;
	}
	return trace_expr(ev->arena, &p, asked->filter);
}

/* "followed(args.pid)", or whether it is one of the threads of -t. */
static void put_whose(struct buf *b, const struct cli *c, const char *thread)
{
	if (!c->select.tids.n)
		buf_printf(b, "followed(%s)", thread);
	job_put_tids(c, b, thread);
}

/* The condition for an event to belong to the followed processes; filter: NULL, or a further
 * condition. */
static void put_condition(struct buf *b, const struct tp_format *f, const struct cli *c,
			  const char *filter)
{
	bool all = c->select.all;
	const char *and = filter ? " && " : "";

	if (all && tp_format_field(f, "next_pid")) {
		buf_puts(b, filter ? " /" : "");
		and = "";
	} else if (all) {
		buf_printf(b, " /pid != %d", getpid());
	} else {
		buf_puts(b, " /(");
		put_whose(b, c, "tid");
		for (u32 i = 0; i < f->fields.n; i++)
			if (streq(f->fields.v[i].type, "pid_t")) {
				char thread[80];

				snprintf(thread, sizeof thread, "args.%s", f->fields.v[i].name);
				buf_puts(b, " || ");
				put_whose(b, c, thread);
			}
		buf_putc(b, ')');
	}
	if (filter)
		buf_printf(b, "%s(%s)", and, filter);
	if (filter || !all || !tp_format_field(f, "next_pid"))
		buf_putc(b, '/');
}

static struct tp_format *format_of(struct events *ev, const char *name)
{
	size_t n = strcspn(name, ":");

	return tracefs_format(ev->arena, arena_strndup(ev->arena, name, n), name + n + 1, &ev->err);
}

/* ---- system calls */

static const char *const sides[] = { "sys_enter", "sys_exit" };

/* Its entry or exit, and number; -1: it is not a call of this machine. */
static int number_of_call(const char *name, u32 *side)
{
	const char *event = name + strlen("syscalls:");

	*side = starts_with(event, "sys_exit_");
	return syscall_number_of_event(event + strlen(sides[*side]) + 1);
}

static bool take_call(struct events *ev, struct record_script *to, const char *name)
{
	const struct asked *asked = hash_gets(&ev->known, name);
	u32 side;
	int nr = number_of_call(name, &side);
	struct tp_format *f = nr < 0 || nr >= RECORDED_CALLS ? NULL : format_of(ev, name);

	if (!f || (asked && asked->filter))
		return false;
	to->calls[side][nr] = event_layout(ev->arena, f);
	to->renames_calls = true;
	return true;
}

static const char *raw_event(struct events *ev, u32 side)
{
	return arena_printf(ev->arena, "raw_syscalls:%s", sides[side]);
}

/*
 * Calls of 32-bit programs have numbers of another table, and no events of their own
 * (linux/syscalls.h, ARCH_TRACE_IGNORE_COMPAT_SYSCALLS): raw events that become those of calls are
 * of other programs. thread_info: TS_COMPAT of x86, TIF_32BIT of arm64.
 */
static const char *native_calls(void)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return NULL;
#ifdef __aarch64__
	return "!(curtask.thread_info.flags & (1 << 22))";
#else
	return "!(curtask.thread_info.status & 2)";
#endif
}

static bool has_calls(const struct record_script *s, u32 side)
{
	for (u32 i = 0; i < RECORDED_CALLS; i++)
		if (s->calls[side][i])
			return true;
	return false;
}

/* NULL: all raw events of that name become events of calls, or none. */
static const char *native_condition(struct events *ev, const struct record_script *to,
				    const char *name)
{
	for (u32 side = 0; side < ARRAY_SIZE(sides); side++)
		if (streq(name, raw_event(ev, side)) && to->keeps_raw[side] && has_calls(to, side))
			return native_calls();
	return NULL;
}

/* ---- clauses */

static void put_body(struct buf *b, bool has_stacks, const char *native)
{
	const char *stacks = has_stacks ? "kstack, ustack" : "";

	buf_puts(b, " { ");
	if (native)
		buf_printf(b, "if (%s) { ", native);
	buf_printf(b, has_stacks ? "record((%s));" : "record(%s);", stacks);
	if (native)
		buf_printf(b, " } else { record((0, %s)); }", has_stacks ? stacks : "0");
	buf_puts(b, " }\n");
}

/* filter: a condition besides that of --filter; NULL: none. */
static int put_clause(struct events *ev, struct record_script *to, const char *name,
		      const char *filter)
{
	struct tp_format *f = format_of(ev, name);

	if (!f) {
		say_err(ev->c, &ev->err);
		return STATUS_REFUSED;
	}
	buf_printf(&to->text, "tracepoint:%s", name);
	put_condition(&to->text, f, ev->c, filter ? filter : filter_of(ev, f, name));
	put_body(&to->text, ev->c->own.record.stacks, native_condition(ev, to, name));
	return 0;
}

/* Many calls are recorded as raw events, which may be requested, too; not if those have a
 * filter. */
static void take_calls(struct events *ev, struct record_script *to)
{
	/* These events themselves have the registers of the process on older kernels: no kernel
	 * stack. */
	bool is_few = ev->calls.n <= FEW_CALLS && !ev->c->own.record.stacks, is_filtered = false;

	for (u32 side = 0; side < ARRAY_SIZE(sides); side++) {
		const struct asked *raw = hash_gets(&ev->known, raw_event(ev, side));

		to->keeps_raw[side] = raw;
		is_filtered |= raw && raw->filter;
	}
	for (u32 i = 0; i < ev->calls.n; i++)
		if (is_filtered || is_few || !take_call(ev, to, ev->calls.v[i]))
			vec_push(ev->arena, &ev->single, ev->calls.v[i]);
}

static int put_clauses(struct events *ev, struct record_script *to)
{
	int ret = 0;

	take_calls(ev, to);
	for (u32 i = 0; i < ev->names.n && !ret; i++)
		ret = put_clause(ev, to, ev->names.v[i], NULL);
	for (u32 i = 0; i < ev->single.n && !ret; i++)
		ret = put_clause(ev, to, ev->single.v[i], NULL);
	for (u32 side = 0; side < ARRAY_SIZE(sides) && !ret; side++)
		if (has_calls(to, side) && !to->keeps_raw[side])
			ret = put_clause(ev, to, raw_event(ev, side), native_calls());
	return ret;
}

int record_script_make(struct cli *c, const char *const *events, struct record_script *to)
{
	struct events ev = { .c = c, .arena = &c->line.arena };
	int ret = 0;

	if (c->select.tids.n && (c->select.all || c->select.frequency))
		return say_usage(c, "-t is for the events of -e: it does not go with -a and -F");
	for (u32 i = 0; events && events[i] && !ret; i++) {
		ev.filter = i < c->select.n_event_filters ? c->select.event_filters[i] : NULL;
		ret = add_list(&ev, events[i]);
	}
	if (!events && !c->select.frequency)
		add_time_line(&ev);
	ret = ret ? ret : take_side(&ev);
	buf_puts(&to->text, "config = { max_probes = 100000; perf_rb_pages = 8192 }\n");
	record_dump_clauses(&c->own.record, &to->text);
	if (!ret)
		ret = put_clauses(&ev, to);
	if (!ret)
		ret = record_probes_put(c, ev.probes.v, ev.probes.n, to);
	if (!ret && !ev.names.n && !ev.calls.n && !to->probes.n && !ev.probes.n)
		ret = refuse(&ev, "*:*");
	hash_release(&ev.known);
	return ret;
}
