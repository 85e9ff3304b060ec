/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The script of a run. In: functions, the program. Out:
 *
 *	uprobe:PROGRAM:FUNC { if (the thread is outside) { @in[tid] = reg("sp"); } }
 *	uprobe:PROGRAM:* /the thread is inside/ { print((0, 0, nsecs, tid, probe, reg("sp"), return address, args...)); }
 *	uretprobe:PROGRAM:* /the thread is inside/ { print((1, 1, nsecs, tid, probe, reg("sp"), ..., retval)); ... }
 *
 * A thread is inside while its stack pointer is not above the frame of FUNC, or on another stack.
 * So a FUNC that longjmp() or an exception left counts as ended.
 */
#include "cli/flow/flow.h"
#include "cli/job.h"

/* Of a place on the stack, which @in[tid] may be. Numbers are unsigned. */
#define IS_OUTSIDE(sp) "(uint64)(" sp " - @in[tid] - 1) < (uint64)8388608"

static const char enter[] =
	"if (!@in[tid] || " IS_OUTSIDE("reg(\"sp\")") ") { @in[tid] = reg(\"sp\"); }";

static const char inside[] = "@in[tid] && !(" IS_OUTSIDE("reg(\"sp\")") ")";

/* What returns from the place of FUNC is FUNC, or what it jumped to. */
static const char leave[] = " if (reg(\"sp\") == @in[tid]) { delete(@in, tid); }";

#ifdef __aarch64__
static const char back[] = "reg(\"lr\")";
#else
static const char back[] = "*(uint64 *)uptr(reg(\"sp\"))";
#endif

/* FUNC, which not each file has. */
/* An error shows the line of the probe, and no more. */
static void put_begin(struct buf *b, const struct flow *f, const char *function)
{
	for (u32 i = 0; i < f->files.n; i++)
		buf_printf(b, "%suprobe:%s:cpp:\"%s\"", i ? ",\n" : "", f->files.v[i], function);
	buf_printf(b, "\n{ %s }\n", enter);
}

static void put_print(struct buf *b, const struct flow *f, u32 number, const char *from)
{
	const struct trace_clause *cl = &f->t.clauses.v[number];
	enum flow_record kind = cl->is_return ? FLOW_RETURN : FLOW_ENTER;

	buf_printf(b, "print((%u, %u, nsecs, tid, probe, reg(\"sp\"), %s", number, kind, from);
	for (u32 i = 0; i < cl->fields.n; i++)
		buf_printf(b, ", %s", cl->fields.v[i].expr);
	buf_puts(b, "));");
}

static void put_clause(struct buf *b, const struct flow *f, u32 number)
{
	const struct trace_clause *cl = &f->t.clauses.v[number];

	buf_printf(b, "%s /%s/ { ", cl->probes, inside);
	put_print(b, f, number, back);
	buf_printf(b, "%s }\n", cl->is_return ? leave : "");
}

static void put_calls(struct buf *b, const struct flow *f)
{
	const char *set = f->has_kernel ? " @kernel[tid] = 1;" : "";
	const char *clear = f->has_kernel ? " delete(@kernel, tid);" : "";

	buf_printf(
		b,
		"syscall:* /@in[tid]/ { print((%u, %u, nsecs, tid, probe, (uint64)0, (uint64)0));%s }\n"
		"syscall:*:return /@in[tid]/ { print((%u, %u, nsecs, tid, probe, (uint64)0, (uint64)0, retval, argstr));%s }\n",
		UINT32_MAX, FLOW_CALL_ENTER, set, UINT32_MAX, FLOW_CALL_RETURN, clear);
}

/* ---- the process engine */

/* Functions that the kernel serves have no map in common with the others, which would bring all of
 * them into one engine: order.c leaves out what is outside. */
static void put_split(struct buf *b, const struct flow *f, u32 number)
{
	static const struct {
		const char *before, *after;
		bool has_predicate;
	} forms[N_SPLIT_KINDS] = {
		[SPLIT_BEGIN] = { enter, "", false },     [SPLIT_ENTER] = { "", "", true },
		[SPLIT_LEAVE] = { "", leave, true },      [SPLIT_KERNEL_BEGIN] = { "", "", false },
		[SPLIT_KERNEL_ENTER] = { "", "", false }, [SPLIT_KERNEL_LEAVE] = { "", "", false }
	};
	const struct trace_clause *cl = &f->t.clauses.v[number];
	u8 kind = f->split.kinds.v[number];

	if (kind >= SPLIT_ELSEWHERE || f->split.sends_all)
		kind = cl->is_return ? SPLIT_KERNEL_LEAVE : SPLIT_KERNEL_ENTER;
	buf_puts(b, cl->probes);
	if (forms[kind].has_predicate)
		buf_printf(b, " /%s/", inside);
	buf_printf(b, " { %s ", forms[kind].before);
	put_print(b, f, number, cl->is_return ? "(uint64)0" : back);
	buf_printf(b, "%s }\n", forms[kind].after);
}

/* ---- the kernel */

/* Threads are inside while the count of FUNCs that they are in is not 0. All functions have probes:
 * the last two clauses get those that the first two do not have. */
static const char begins[] = "@kernel[tid]++; ";
static const char ends[] =
	"if (@kernel[tid] > 1) { @kernel[tid]-- } else { delete(@kernel, tid) } ";

static const char *kernel_values(const struct flow *f, bool is_return)
{
	if (!f->has_args)
		return "";
	return is_return ?
		       ", (uint64)retval" :
		       ", (uint64)arg0, (uint64)arg1, (uint64)arg2, (uint64)arg3, (uint64)arg4, (uint64)arg5";
}

struct kernel_clause {
	const char *const *names;
	u32 n;
	bool is_return;
	const char *before, *after; /* statements; without the first the thread has to be inside */
};

static void put_kernel_clause(struct buf *b, const struct flow *f, const struct kernel_clause *cl)
{
	for (u32 i = 0; i < cl->n; i++)
		buf_printf(b, "%sk%sprobe:%s", i ? ",\n" : "", cl->is_return ? "ret" : "",
			   cl->names[i]);
	buf_printf(b, "%s { %sprint((%u, %u, nsecs, tid, probe, (uint64)0, (uint64)0%s)); %s}\n",
		   *cl->before ? "" : " /@kernel[tid]/", cl->before, UINT32_MAX,
		   cl->is_return ? FLOW_KERNEL_RETURN : FLOW_KERNEL_ENTER,
		   kernel_values(f, cl->is_return), cl->after);
}

static void put_kernel(struct buf *b, const struct flow *f)
{
	static const char *const all[] = { "*", NULL };
	const char *const *names = f->kernel_functions.v;
	const char *const *below = f->t.c->own.flow.include ? f->t.c->own.flow.include : all;
	u32 n = f->kernel_functions.n, n_below = 0;

	while (below[n_below])
		n_below++;

	if (n) {
		put_kernel_clause(b, f, &(struct kernel_clause){ names, n, false, begins, "" });
		put_kernel_clause(b, f, &(struct kernel_clause){ names, n, true, "", ends });
	}
	put_kernel_clause(b, f, &(struct kernel_clause){ below, n_below, false, "", "" });
	put_kernel_clause(b, f, &(struct kernel_clause){ below, n_below, true, "", "" });
	/* the number of a thread that ended within FUNC */
	buf_puts(b, "tracepoint:sched:sched_process_fork /@kernel[args.child_pid]/ "
		    "{ delete(@kernel, args.child_pid) }\n");
}

bool flow_has_kernel(const struct flow *f)
{
	return f->has_kernel || f->kernel_functions.n;
}

/* ---- all of it */

/* With --args, probes that have equal arguments become a clause each. */
static void add_probe(struct flow *f, struct trace_clause *cl, const char *probe)
{
	struct arena *a = &f->t.c->line.arena;

	if (f->has_args)
		vec_push(a, &f->t.probes, probe);
	else
		trace_add_probe(a, cl, probe);
}

/* All functions of a file, or with --include those of that name and FUNC. */
static void add_file(struct flow *f, struct trace_clause *cl, const char *type, const char *file)
{
	struct arena *a = &f->t.c->line.arena;
	const char *const *include = f->t.c->own.flow.include;

	if (!include)
		add_probe(f, cl, arena_printf(a, "%s:%s:*", type, file));
	for (u32 i = 0; include && i < f->functions.n; i++)
		add_probe(f, cl,
			  arena_printf(a, "%s:%s:cpp:\"%s\"", type, file, f->functions.v[i]));
	for (u32 i = 0; include && include[i]; i++)
		add_probe(f, cl, arena_printf(a, "%s:%s:cpp:\"%s\"", type, file, include[i]));
}

static void add_probes(struct flow *f)
{
	static const char *const types[] = { "uprobe", "uretprobe" };

	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		struct trace_clause cl = { .is_return = i };

		for (u32 k = 0; k < f->files.n; k++)
			add_file(f, &cl, types[i], f->files.v[k]);
		if (!f->has_args)
			vec_push(&f->t.c->line.arena, &f->t.clauses, cl);
	}
}

static void put_program(struct buf *b, const struct flow *f)
{
	for (u32 i = 0; i < f->functions.n && !f->split.is_on; i++)
		put_begin(b, f, f->functions.v[i]);
	for (u32 i = 0; i < f->t.clauses.n; i++)
		(f->split.is_on ? put_split : put_clause)(b, f, i);
	if (f->has_calls)
		put_calls(b, f);
}

int flow_clauses(struct flow *f)
{
	if (f->functions.n)
		add_probes(f);
	return trace_resolve(&f->t);
}

void flow_script(struct flow *f, const char **script)
{
	struct buf b = { 0 };

	buf_printf(
		&b,
		"config = { max_probes = 1000000; perf_rb_pages = %llu; print_maps_on_exit = false }\n",
		(unsigned long long)job_ring_pages());
	if (f->functions.n)
		put_program(&b, f);
	if (flow_has_kernel(f))
		put_kernel(&b, f);
	*script = arena_strdup(&f->t.c->line.arena, b.s);
	buf_release(&b);
}
