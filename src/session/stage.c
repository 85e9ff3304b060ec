/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces of compilation: names, imports, 32-bit calls, and --follow, which is itself a script: the set
 * of followed processes is a map, kept by two clauses: a fork adds the child, and what is freed leaves
 * (not at exit already, because the exit itself is an event of the process).
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "session/stage.h"
#include "session/system.h"

static enum feature_answer any_feature(struct features *f, enum feature id)
{
	return FEATURE_YES;
}

struct features *stage_all_features(void)
{
	static struct features f = { .probe = any_feature };

	return &f;
}

const char *stage_func_name(struct arena *a, const char *probe, u32 index)
{
	char *name = arena_printf(a, "%.100s_%u", probe, index + 1);

	for (char *p = name; *p; p++)
		if (!isalnum((u8)*p))
			*p = '_';
	return name;
}

/* ---- imports */

char *stage_join_path(const char *from, const char *path)
{
	const char *slash = strrchr(from, '/');

	if (path[0] == '/' || !slash)
		return xstrdup(path);
	return xasprintf("%.*s/%s", (int)(slash - from), from, path);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The files of a folder, by name; not hidden ones. */
static char **list_folder(const char *path)
{
	DIR *dir = opendir(path);
	char **list = xcalloc(1, sizeof *list);
	size_t n = 0;

	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (e->d_name[0] == '.')
			continue;
		list = xrealloc(list, (n + 2) * sizeof *list);
		list[n++] = xasprintf("%s/%s", path, e->d_name);
		list[n] = NULL;
	}
	if (dir)
		closedir(dir);
	qsort(list, n, sizeof *list, by_name);
	return list;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* Beside the file that asks, else in the folders of -I; from NULL: only there. */
static char *find_import(const struct env *env, const char *from, const char *path)
{
	char *full = from ? stage_join_path(from, path) : xstrdup(path);

	if (path[0] == '/' || (from && exists(full)))
		return full;
	for (u32 i = 0; env->include_dirs && env->include_dirs[i]; i++) {
		char *in = xasprintf("%s/%s", env->include_dirs[i], path);

		if (exists(in)) {
			free(full);
			return in;
		}
		free(in);
	}
	return full;
}

void stage_read_import(struct env *env, const char *from, const char *path,
		       struct import_source *found)
{
	char *full = find_import(env, from, path);
	struct buf text = { 0 };
	struct stat st;

	*found = (struct import_source){ .path = full, .id = realpath(full, NULL) };
	if (!found->id || stat(full, &st))
		found->why = strerror(errno);
	else if (st.st_mode & S_IWOTH)
		found->why = "everyone may write to it";
	else if (S_ISDIR(st.st_mode))
		found->entries = list_folder(full);
	else if (buf_read_file(&text, full))
		found->why = "it cannot be read";
	else
		found->text = buf_steal(&text);
}

/* ---- 32-bit calls */

/*
 * x86: thread_info.status & TS_COMPAT (arch/x86/include/asm/thread_info.h); arm64: thread_info.flags &
 * _TIF_32BIT. thread_info is the first member of task_struct on both.
 */
#if defined(__aarch64__)
static const struct {
	const char *field;
	u64 mask;
} compat = { "flags", 1 << 22 };
#else
static const struct {
	const char *field;
	u64 mask;
} compat = { "status", 2 };
#endif

static void native_registers(const struct world *w, struct profile *p)
{
#if defined(__x86_64__)
	const struct type *regs = w->type(w->ctx, 's', "pt_regs");
	u32 cs = 0, cx = 0, ip = 0;

	if (p->kind != PROFILE_BTF || !regs || !type_field(regs, "cs", &cs) ||
	    !type_field(regs, "cx", &cx) || !type_field(regs, "ip", &ip))
		return;
	p->user_cs = 0x33; /* __USER_CS, arch/x86/include/asm/segment.h */
	p->at_cs = (u16)cs;
	p->at_cx = (u16)cx;
	p->at_ip = (u16)ip;
#endif
}

void stage_compat(struct compiled *c, struct profile *p)
{
	const struct world *w = &c->env.world;
	const struct type *t;
	const struct field *f;
	u32 offset = 0;

	if ((!p->syscall_enter && !p->syscall_exit) || p->compat_mask)
		return;
	t = w->type(w->ctx, 's', "thread_info");
	f = t ? type_field(t, compat.field, &offset) : NULL;
	if (!f)
		return;
	p->compat_offset = offset;
	p->compat_size = f->type->size;
	p->compat_mask = compat.mask;
	native_registers(w, p);
}

/* ---- arguments that are gone when the call returns */

enum {
	KEPT = 1024
}; /* calls that may be under way: the oldest make room, since a killed one never returns */

static bool is_kept_already(const struct compiled *c, u32 n, const char *map)
{
	for (u32 i = 0; i < n; i++) {
		const char *kept = c->instances.v[i]->profile->kept;

		if (kept && streq(kept, map))
			return true;
	}
	return false;
}

static bool put_span(struct node *n, void *span)
{
	n->span = *(const struct span *)span;
	return true;
}

/* What it cannot read is told at the clause that asks. */
static void blame(struct clause *keeper, struct span span)
{
	keeper->span = span;
	ast_walk(keeper->body, put_span, &span);
	for (struct attach *a = keeper->attaches; a; a = a->next)
		a->span = span;
}

static void add_keeper(struct compiled *c, const struct session_options *o,
		       const struct instance *in)
{
	const struct profile *p = in->profile;
	const char *name = interns(&c->names, arena_printf(&c->arena, "@%s", p->kept));
	struct source *src = sources_add(&c->sources, "<entry>", p->keeper, strlen(p->keeper));
	struct clause *last = c->lang.script->clauses;
	struct map *m = arena_new(&c->arena, struct map);

	*m = (struct map){ .name = name,
			   .key = &ty_unknown,
			   .value = &ty_unknown,
			   .has_decl = true,
			   .is_internal = true,
			   .decl_kind = BPF_MAP_TYPE_LRU_HASH,
			   .max_entries = KEPT };
	hash_puts(&c->lang.maps, name, m);
	vec_push(&c->arena, &c->lang.map_list, m);
	while (last->next)
		last = last->next;
	if (!parse_script(&c->lang, src))
		BUG("the clause that keeps arguments does not parse");
	blame(last->next, in->clause->span);
	resolve_clause(c, o, last->next, true);
}

void stage_keep(struct compiled *c, const struct session_options *o)
{
	for (u32 i = 0, n = c->instances.n; i < n; i++) {
		const char *kept = c->instances.v[i]->profile->kept;

		if (kept && !is_kept_already(c, i, kept))
			add_keeper(c, o, c->instances.v[i]);
	}
}

/* ---- --follow */

static const char follow_map[] = "@__sonde_follow";

static const char follow_btf[] =
	"rawtracepoint:sched_process_fork /has_key(@__sonde_follow, (uint32)args.parent.tgid)/ {\n"
	"	@__sonde_follow[(uint32)args.child.tgid] = 1;\n"
	"}\n"
	"rawtracepoint:sched_process_free /args.p.pid == args.p.tgid/ {\n"
	"	_ = delete(@__sonde_follow, (uint32)args.p.tgid);\n"
	"}\n";

static const char follow_plain[] =
	"tracepoint:sched:sched_process_fork /has_key(@__sonde_follow, (uint32)pid)/ {\n"
	"	@__sonde_follow[(uint32)args.child_pid] = 1;\n"
	"}\n";

/*
 * In a pid namespace of our own the set holds that namespace's numbers, because we know no others. A process has one
 * for each namespace above its own (struct pid.numbers, kernel/pid.c); those of outside have none here. A
 * number that is given to a process that is not followed is taken from the set.
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

static const char *follow_text(struct compiled *c)
{
	const struct world *w = &c->env.world;
	u64 ns[2];

	if (!system_btf(&c->system))
		return follow_plain;
	if (!w->pid_namespace(w->ctx, &ns[0], &ns[1]))
		return follow_btf;
	return arena_printf(&c->arena, follow_in_namespace, (unsigned long long)ns[1]);
}

void stage_follow(struct compiled *c, const struct session_options *o)
{
	const char *text = follow_text(c);
	struct source *src = sources_add(&c->sources, "<follow>", text, strlen(text));
	struct clause *last = c->lang.script->clauses;

	while (last && last->next)
		last = last->next;
	if (!parse_script(&c->lang, src))
		BUG("the script behind --follow does not parse");
	for (struct clause *cl = last ? last->next : c->lang.script->clauses; cl; cl = cl->next)
		resolve_clause(c, o, cl, true);
	/* The set exists before the first clause that asks it is lowered. */
	c->follow_map = c->prog.maps.n;
	vec_push(&c->arena, &c->prog.maps,
		 (struct map_desc){ .name = ".follow",
				    .role = MAP_SET,
				    .bpf_type = BPF_MAP_TYPE_HASH,
				    .key_size = 4,
				    .value_size = 8,
				    .max_entries = 32768,
				    .key = &ty_u32,
				    .value = &ty_u64 });
	for (u32 i = 0; i < c->instances.n; i++)
		if (c->instances.v[i]->follows)
			c->instances.v[i]->follow_map = c->follow_map;
}

/* The map of the clauses above is that set. */
void stage_bind_follow(struct compiled *c)
{
	struct map *m = hash_gets(&c->lang.maps, follow_map);

	if (m && c->follow_map != NO_INDEX)
		m->index = c->follow_map + 1;
}
