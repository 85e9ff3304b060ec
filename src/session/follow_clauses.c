/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --follow is a script: the set of followed processes is a map, maintained by two clauses. A fork
 * adds the child; a process leaves the set when it is freed, not when it exits, because the exit is
 * an event of that process.
 */
#include <linux/bpf.h>
#include "engine/engine.h"
#include "session/compile.h"
#include "session/system.h"

enum { MOST_PROCESSES = 32768, MOST_THREADS = 131072 };

static const char follow_map[] = "@__sonde_follow";

static const char follow_btf[] =
	"rawtracepoint:sched_process_fork /has_key(@__sonde_follow, (uint32)args.parent.tgid)/ {\n"
	"	@__sonde_follow[(uint32)args.child.tgid] = 1;\n"
	"}\n"
	"rawtracepoint:sched_process_free /args.p.pid == args.p.tgid/ {\n"
	"	_ = delete(@__sonde_follow, (uint32)args.p.tgid);\n"
	"}\n";

/* Where events have no structures of tasks. The set gets the numbers of threads, too, which are no
 * process's until they are freed. */
#define FORGET_FREED                                                                               \
	"tracepoint:sched:sched_process_free /has_key(@__sonde_follow, (uint32)args.pid)/ {\n"     \
	"	_ = delete(@__sonde_follow, (uint32)args.pid);\n"                                        \
	"}\n"

static const char follow_plain[] =
	"tracepoint:sched:sched_process_fork /has_key(@__sonde_follow, (uint32)pid)/ {\n"
	"	@__sonde_follow[(uint32)args.child_pid] = 1;\n"
	"}\n" FORGET_FREED;

/*
 * In a pid namespace of our own the set holds that namespace's numbers, because we know no others.
 * A process has one for each namespace above its own (struct pid.numbers, kernel/pid.c); those of
 * outside have none here. A number that is given to a process that is not followed is taken from
 * the set.
 */
static const char follow_in_namespace[] =
	"rawtracepoint:sched_process_fork /args.child.pid == args.child.tgid/ {\n"
	"	let $nr = (uint32)0;\n"
	"	for ($i : 0..8) {\n"
	"		let $u = (struct upid *)((uint64)args.child.thread_pid + offsetof(struct pid, numbers) +\n"
	"					 $i * sizeof(struct upid));\n"
	"		if ($i <= args.child.thread_pid.level && $u.ns.ns.inum == %llu) {\n"
	"			$nr = (uint32)$u.nr;\n"
	"		}\n"
	"	}\n"
	"	if (has_key(@__sonde_follow, (uint32)pid)) {\n"
	"		@__sonde_follow[$nr] = 1;\n"
	"	} else if (has_key(@__sonde_follow, $nr)) {\n"
	"		_ = delete(@__sonde_follow, $nr);\n"
	"	}\n"
	"}\n";

/*
 * For a script that calls followed(): the set has threads. %s: which of them stay in one process.
 */
static const char follow_threads[] =
	"rawtracepoint:sched_process_fork /has_key(@__sonde_follow, (uint32)args.parent.pid)%s/ {\n"
	"	@__sonde_follow[(uint32)args.child.pid] = 1;\n"
	"}\n"
	"rawtracepoint:sched_process_free {\n"
	"	if (has_key(@__sonde_follow, (uint32)args.p.pid)) {\n"
	"		_ = delete(@__sonde_follow, (uint32)args.p.pid);\n"
	"	}\n"
	"}\n";

static const char follow_threads_plain[] =
	"tracepoint:sched:sched_process_fork /has_key(@__sonde_follow, (uint32)args.parent_pid)/ {\n"
	"	@__sonde_follow[(uint32)args.child_pid] = 1;\n"
	"}\n" FORGET_FREED;

static bool has_tasks(struct compiled *c)
{
	return !c->engines[0]->by_perf_record && system_btf(&c->system);
}

static const char *threads_text(struct compiled *c)
{
	if (!has_tasks(c))
		return follow_threads_plain;
	return arena_printf(&c->arena, follow_threads,
			    c->request->traced.scope == SCOPE_TREE ?
				    "" :
				    " && args.child.tgid == args.parent.tgid");
}

static const char *follow_text(struct compiled *c)
{
	const struct world *w = &c->env.world;
	u64 ns[2];

	if (c->reads.followed)
		return threads_text(c);
	if (!has_tasks(c))
		return follow_plain;
	if (!w->pid_namespace(w->ctx, &ns[0], &ns[1]))
		return follow_btf;
	return arena_printf(&c->arena, follow_in_namespace, (unsigned long long)ns[1]);
}

/* The clauses that maintain the set. */
static void add_script(struct compiled *c)
{
	const char *text = follow_text(c);
	struct source *src = sources_add(&c->sources, "<follow>", text, strlen(text));
	struct clause *last = c->lang.script->clauses;

	while (last && last->next)
		last = last->next;
	if (!parse_script(&c->lang, src))
		BUG("the script behind --follow does not parse");
	for (struct clause *cl = last ? last->next : c->lang.script->clauses; cl; cl = cl->next)
		resolve_clause(c, cl, true);
}

/* Without SCOPE_TREE the set keeps what it has at the start. */
void follow_add_clauses(struct compiled *c)
{
	if (c->request->traced.scope == SCOPE_TREE || c->reads.followed)
		add_script(c);
	/* The set exists before the first clause that tests it is lowered. */
	c->follow_map = c->prog.maps.n;
	vec_push(&c->arena, &c->prog.maps,
		 (struct map_desc){ .name = ".follow",
				    .role = MAP_SET,
				    .is_followed = true,
				    .bpf_type = BPF_MAP_TYPE_HASH,
				    .key_size = 4,
				    .value_size = 8,
				    .max_entries = c->reads.followed ? MOST_THREADS :
								       MOST_PROCESSES,
				    .key = &ty_u32,
				    .value = &ty_u64 });
	for (u32 i = 0; i < c->instances.n; i++)
		if (c->instances.v[i]->follows || c->instances.v[i]->asks_follow)
			c->instances.v[i]->follow_map = c->follow_map;
}

/* The map of the clauses above is that set. */
void follow_bind_set(struct compiled *c)
{
	struct map *m = hash_gets(&c->lang.maps, follow_map);

	if (m && c->follow_map != NO_INDEX)
		m->index = c->follow_map + 1;
}
