/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of system calls, in one of two ways for all clauses of a script.
 *
 * Many calls: the two raw tracepoints sys_enter and sys_exit, which see every call
 * (include/trace/events/syscalls.h): one program and one attachment for all calls with the same
 * arguments. The raw context is
 *
 *	sys_enter: { struct pt_regs *regs, long id }	sys_exit: { struct pt_regs *regs, long ret }
 *
 * so arguments are read from the saved registers. The program itself distinguishes 32-bit calls and
 * takes the number at exit from the registers: profile.syscall.
 *
 * One or two: a perf event for each. The kernel skips calls without an event by its own bitmap, and
 * ignores 32-bit calls (kernel/trace/trace_syscalls.c: perf_syscall_enter). The context is the
 * record, whose common bytes are not accessible:
 *
 *	enter: { u64 common; int nr; u64 args[] }	exit: { u64 common; int nr; s64 ret }
 *
 * Nanoseconds added to getppid() (AMD EPYC): traced 93 raw, 199 perf; not traced 93 raw, 51 perf.
 * So perf events are cheaper for the machine unless a third of all calls is traced. Closing each
 * takes the kernel about 70 ms, sequentially, so at most two are used.
 */
#include <errno.h>
#include "provider/internal.h"
#include "sym/btf.h"
#include "sym/calls.h"
#include "sym/callviews.h"
#include "sym/syscalls.h"
#include "sym/tracefs.h"

#define ENTER "sys_enter_"
#define EXIT "sys_exit_"

bool syscalls_raw_usable(const struct provider_env *env)
{
	return env->attach.prefer_raw;
}

/* "sys_enter_newstat" -> 4; -1: not one, or newer than the table. */
static int event_number(const char *event)
{
	bool is_enter = starts_with(event, ENTER);

	if (!is_enter && !starts_with(event, EXIT))
		return -1;
	return syscall_number_of_event(event + strlen(is_enter ? ENTER : EXIT));
}

s32 syscalls_event_call(const char *event)
{
	s32 call = event_number(event) + 1;

	return starts_with(event, ENTER) ? call : -call;
}

void syscalls_events(struct arena *a, const char ***names, u32 *n)
{
	u32 count = syscall_count();

	*names = arena_array(a, const char *, 2 * count + 1);
	*n = 0;
	for (u32 nr = 0; nr < count; nr++) {
		const char *name = syscall_event_name(nr);

		if (!name)
			continue;
		(*names)[(*n)++] = arena_printf(a, ENTER "%s", name);
		(*names)[(*n)++] = arena_printf(a, EXIT "%s", name);
	}
}

int syscalls_number(struct arena *a, const char *call)
{
	int nr = syscall_number(call);
	const char *instead = nr < 0 ? call_instead(a, call) : NULL;

	return instead ? syscall_number(instead) : nr;
}

const char *syscalls_event_of_call(struct arena *a, const char *event)
{
	bool is_enter = starts_with(event, ENTER);
	const char *prefix = is_enter ? ENTER : EXIT, *name;
	int nr;

	if (!is_enter && !starts_with(event, EXIT))
		return NULL;
	nr = syscalls_number(a, event + strlen(prefix));
	name = nr >= 0 ? syscall_event_name((u32)nr) : NULL;
	return name ? arena_printf(a, "%s%s", prefix, name) : NULL;
}

/* ---- arguments */

enum { RECORD_NUMBER = 8, RECORD_ARGS = 16, RECORD_RESULT = 16 };

static bool is_record(const struct profile *p)
{
	return p->kind == PROFILE_TRACEPOINT;
}

/* bx, cx, dx, si, di, bp (arch/x86/include/asm/syscall_wrapper.h: SC_IA32_REGS_TO_ARGS) */
static const u8 i386_arg[ARCH_SYSCALL_ARGS] = { 40, 88, 96, 104, 112, 32 };

static struct loc enter_loc(const struct profile *p, const struct type *t, u32 index)
{
	struct loc loc = { .kind = LOC_REGS_PTR,
			   .inner = (s32)arch_native->syscall_arg[index],
			   .size = (u8)(t->size && t->size <= 8 ? t->size : 8),
			   .is_signed = t->is_signed };

	if (is_record(p)) {
		loc.kind = LOC_CTX;
		loc.inner = 0;
		loc.offset = RECORD_ARGS + 8 * index;
	}
	return loc;
}

static struct loc result_loc(const struct profile *p)
{
	return (struct loc){ .kind = LOC_CTX,
			     .offset = is_record(p) ? RECORD_RESULT : 8,
			     .size = 8,
			     .is_signed = true };
}

static struct arg_desc number_arg(const struct profile *p, bool is_enter)
{
	struct arg_desc a = { .name = "__syscall_nr", .type = &ty_s32, .text = "int __syscall_nr" };

	if (is_record(p))
		a.loc = (struct loc){
			.kind = LOC_CTX, .offset = RECORD_NUMBER, .size = 4, .is_signed = true
		};
	else if (is_enter)
		a.loc = (struct loc){ .kind = LOC_CTX, .offset = 8, .size = 4, .is_signed = true };
	else
		a.loc = (struct loc){ .kind = LOC_REGS_PTR,
				      .inner = (s32)arch_native->syscall_nr,
				      .value = arch_native->syscall_nr_size,
				      .size = 4,
				      .is_signed = true };
	return a;
}

static void exit_args(struct provider_env *env, struct profile *p)
{
	p->args.v = arena_array(env->arena, struct arg_desc, 2);
	p->args.v[p->args.n++] = number_arg(p, false);
	p->args.v[p->args.n++] = (struct arg_desc){
		.name = "ret", .type = &ty_s64, .text = "long ret", .loc = result_loc(p)
	};
}

/* A field after the number is in the register of its position: 8 bytes each from offset 16. */
static void enter_args_of_format(struct provider_env *env, struct profile *p,
				 const struct tp_format *f)
{
	p->args.v = arena_array(env->arena, struct arg_desc, ARCH_SYSCALL_ARGS + 1);
	p->args.v[p->args.n++] = number_arg(p, true);
	for (u32 i = 0; i < f->fields.n; i++) {
		const struct tp_field *field = &f->fields.v[i];
		u32 index = (field->offset - 16) / 8;
		const struct type *t;

		if (field->is_common || field->offset < 16 || field->is_array ||
		    index >= ARCH_SYSCALL_ARGS || p->args.n > ARCH_SYSCALL_ARGS)
			continue;
		t = ctype_field(env, field, true);
		if (!type_is_scalar(t))
			continue;
		p->args.v[p->args.n++] = (struct arg_desc){ .name = field->name,
							    .type = t,
							    .loc = enter_loc(p, t, index),
							    .text = field->text };
	}
}

/* Without tracefs: the function made by SYSCALL_DEFINE has the parameters with their types. */
static void enter_args_of_btf(struct provider_env *env, struct profile *p, const char *call)
{
	struct btf *btf = env_btf(env);
	struct btf_param params[ARCH_SYSCALL_ARGS];
	int n = btf ? btf_func(btf, arena_printf(env->arena, "__do_sys_%s", call), params,
			       ARCH_SYSCALL_ARGS, NULL, NULL) :
		      -ENOENT;

	p->args.v = arena_array(env->arena, struct arg_desc, ARCH_SYSCALL_ARGS + 1);
	p->args.v[p->args.n++] = number_arg(p, true);
	for (int i = 0; i < MIN(n, (int)ARCH_SYSCALL_ARGS); i++) {
		const struct type *t = params[i].type;

		if (!type_is_scalar(t))
			continue;
		if (t->kind == TY_POINTER)
			t = type_in_space(env->arena, t, SPACE_USER);
		p->args.v[p->args.n++] = (struct arg_desc){
			.name = params[i].name,
			.type = t,
			.loc = enter_loc(p, t, (u32)i),
			.text = declaration_text(env->arena, t, params[i].name)
		};
	}
}

static void enter_args(struct provider_env *env, struct profile *p, const char *event)
{
	struct err err = { 0 };
	const struct tp_format *f = event_format(env, "syscalls", event, &err);

	if (f)
		enter_args_of_format(env, p, f);
	else
		enter_args_of_btf(env, p, event + strlen(ENTER));
	if (!f && p->args.n <= 1) { /* the number alone */
		p->missing.unseen = arena_strdup(env->arena, err.text);
		p->missing.unseen_help = arena_strdup(env->arena, err.help);
	}
	err_release(&err);
}

/*
 * Through BTF the saved registers are loaded directly, 1 ns instead of 27 for a helper: the
 * arguments, the number at exit, and what distinguishes a 64-bit call.
 */
static void type_registers(struct provider_env *env, struct profile *p)
{
	bool typed = env->system.features && feature_has(env->system.features, FEAT_RAW_TP_BTF);
	struct btf *btf = typed ? env_btf(env) : NULL;
	struct btf_param params[16];
	u32 id = 0;

	if (!btf || btf_raw_tracepoint(btf, p->syscall.enter ? "sys_enter" : "sys_exit", params,
				       ARRAY_SIZE(params), &id) < 0)
		return;
	p->kind = PROFILE_BTF;
	p->load.prog_type = BPF_PROG_TYPE_TRACING;
	p->load.attach_type = BPF_TRACE_RAW_TP;
	p->load.btf_id = id;
}

/* ---- decoded arguments: of "syscall" probes */

static const struct type *set_type(struct provider_env *env, const struct call_arg *arg)
{
	struct call_name names[CALL_SET_MAX];
	struct type *t =
		arena_dup(env->arena, arg->word == CALL_FLAGS ? &ty_u32 : &ty_s32, sizeof *t);

	t->kind = TY_ENUM;
	t->name = arena_printf(env->arena, "%s", arg->type);
	t->is_flags = arg->word == CALL_FLAGS;
	t->n_enums = call_set(env->arena, arg->type, names, CALL_SET_MAX);
	t->enums = arena_array(env->arena, struct enum_value, t->n_enums + 1);
	for (u32 i = 0; i < t->n_enums; i++) {
		t->enums[i].name = names[i].name;
		t->enums[i].value = names[i].value;
		if (t->is_flags)
			t->enums[i].value = (s64)(names[i].mask << 32 | (u32)names[i].value);
	}
	return t;
}

static const struct type *based_int(struct provider_env *env, const struct type *of, u8 base)
{
	struct type *t = arena_dup(env->arena, of, sizeof *t);

	t->base = base;
	return t;
}

static const struct type *decoded_type(struct provider_env *env, const struct call_arg *arg)
{
	static struct enum_value cwd = { "AT_FDCWD", -100 };
	struct type *t;

	switch (arg->word) {
	case CALL_STRING: return type_string(env->arena, env_strlen(env));
	case CALL_MODE: return based_int(env, &ty_u16, 8);
	case CALL_HEX: return based_int(env, &ty_u32, 16);
	case CALL_ADDRESS: return based_int(env, &ty_u64, 16);
	case CALL_FLAGS:
	case CALL_NAMES: return set_type(env, arg);
	case CALL_AT:
		t = arena_dup(env->arena, &ty_s32, sizeof *t);
		t->kind = TY_ENUM;
		t->name = "directory";
		t->enums = &cwd;
		t->n_enums = 1;
		return t;
	case CALL_CTYPE: break;
	}
	return ctype_scalar(env, arg->type, 8, true, true, SPACE_USER);
}

static const char *decoded_text(struct provider_env *env, const struct call_arg *arg,
				const struct type *t)
{
	static const char *const words[] = {
		[CALL_CTYPE] = "",           [CALL_STRING] = "string",
		[CALL_AT] = "int",           [CALL_MODE] = "umode_t",
		[CALL_HEX] = "unsigned int", [CALL_ADDRESS] = "unsigned long"
	};

	if (arg->word == CALL_FLAGS || arg->word == CALL_NAMES)
		return arena_printf(env->arena, "%s %s %s", t->is_flags ? "flags" : "enum",
				    arg->type, arg->name);
	return arena_printf(env->arena, "%s %s",
			    arg->word == CALL_CTYPE ? arg->type : words[arg->word], arg->name);
}

static void add_decoded(struct provider_env *env, struct profile *p, const struct call_arg *arg,
			struct loc loc)
{
	const struct type *t = decoded_type(env, arg);

	loc.size = t->kind == TY_STRING ? 8 : (u8)t->size;
	loc.is_signed = t->is_signed;
	p->args.v[p->args.n++] = (struct arg_desc){
		.name = arg->name, .type = t, .loc = loc, .text = decoded_text(env, arg, t)
	};
}

/* openat2 has its flags in memory (struct open_how): their names are those of open's. */
static void decode_open_how(struct provider_env *env, struct profile *p, const char *event)
{
	static const struct call_arg members[] = { { CALL_FLAGS, "open", "flags", NULL },
						   { CALL_MODE, "", "mode", NULL } };

	for (u32 i = 0; streq(event, "openat2") && i < ARRAY_SIZE(members); i++) {
		struct loc loc = enter_loc(p, &ty_u64, 2);

		loc.kind = LOC_REGS_USER;
		loc.value = i * 8;
		add_decoded(env, p, &members[i], loc);
	}
}

/*
 * A successful exec replaces its caller's memory and registers: the entry stores the arguments for
 * the return, by task, because a thread other than the first gets the id of the process.
 */
static bool replaces_memory(const char *event)
{
	return streq(event, "execve") || streq(event, "execveat");
}

static void keep_args(struct provider_env *env, struct profile *p, const char *event)
{
	bool gone = replaces_memory(event);
	struct buf text = { 0 };

	p->kept.map =
		arena_printf(env->arena, "__sonde_%s%s", env->clause.record ? "text_" : "", event);
	buf_printf(&text, "syscall:%s { @%s[curtask] = (",
		   syscall_name((u32)syscall_number_of_event(event)), p->kept.map);
	for (u32 i = 0; gone && i < p->args.n; i++) {
		p->args.v[i].kept = i + 1;
		buf_printf(&text, "args.%s, ", p->args.v[i].name);
	}
	if (env->clause.record) {
		p->snapshot.kept = gone ? p->args.n + 1 : 1;
		p->snapshot.gone = gone;
		buf_puts(&text, "argstr, ");
	}
	buf_puts(&text, "0); }\n");
	p->kept.clause = arena_strdup(env->arena, text.s);
	buf_release(&text);
}

/* ---- argstr: of "syscall" probes */

enum { SHOWN = 32, WHOLE = 64 /* elements that are copied */ };

static struct loc arg_at(const struct profile *p, u32 index, bool is_enter)
{
	struct loc loc = enter_loc(p, &ty_u64, index);

	if (p->syscall.i386) {
		loc.inner = i386_arg[index];
		loc.size = 4;
		return loc;
	}
	if (!is_enter && !index && !is_record(p))
		loc.inner = (s32)arch_native->syscall_arg0_at_exit;
	return loc;
}

/* Calls with few buffers can have larger ones. */
enum { SNAPSHOT_ROOM = 24 << 10, DATA_MOST = 4096 };

static u32 data_limit(const struct provider_env *env)
{
	u64 want = env->config.argstr_bytes;

	return (u32)MIN(MAX(want, (u64)SHOWN), (u64)DATA_MOST);
}

static void add_snapshot(struct provider_env *env, struct profile *p, const char *event,
			 bool is_enter)
{
	struct snapshot_limits limits = { .file_name = MIN(env_strlen(env), CALL_FILE_NAME),
					  .data = data_limit(env),
					  .elements = env->config.argstr_whole ? WHOLE : SHOWN,
					  .whole = env->config.argstr_whole,
					  .rest = env->config.argstr_rest,
					  .room = SNAPSHOT_ROOM };
	const struct call_format *f = call_format(event);
	static const struct call_format unknown;
	int nr = syscall_number_of_event(event);

	p->snapshot.what = call_snapshot(env->arena, f ? f : &unknown, !is_enter, &limits);
	while (p->snapshot.what->size > SNAPSHOT_ROOM && limits.data > SHOWN) {
		limits.data = MAX(limits.data / 2, (u32)SHOWN);
		p->snapshot.what = call_snapshot(env->arena, f ? f : &unknown, !is_enter, &limits);
	}
	p->snapshot.args = arena_array(env->arena, struct arg_desc, CALL_MAX_ARGS);
	for (u32 i = 0; i < CALL_MAX_ARGS; i++)
		p->snapshot.args[i] =
			(struct arg_desc){ .type = &ty_u64, .loc = arg_at(p, i, is_enter) };
	if (!is_enter)
		p->snapshot.result = (struct arg_desc){ .type = &ty_s64, .loc = result_loc(p) };
	p->snapshot.calls = arena_array(env->arena, const struct call_format *, SYSCALL_MAX);
	p->snapshot.calls[nr] = f;
}

/* The registers still hold the arguments when the call returns; a record at the exit has only the
 * result. */
static void decoded_args(struct provider_env *env, struct profile *p, const char *event,
			 bool is_enter)
{
	const struct call_desc *c = p->syscall.i386 ? NULL : call_find(event);
	struct call_arg args[ARCH_SYSCALL_ARGS];
	u32 n = c && (is_enter || !is_record(p)) ?
			call_args(env->arena, c, args, ARCH_SYSCALL_ARGS) :
			0;

	p->args.v = arena_array(env->arena, struct arg_desc, ARCH_SYSCALL_ARGS + 3);
	for (u32 i = 0; i < n; i++) {
		add_decoded(env, p, &args[i], arg_at(p, i, is_enter));
	}
	if (n)
		decode_open_how(env, p, event);
	p->record.name = arena_printf(env->arena, "syscall:%s", event);
	p->syscall.decoded = true;
	if (env->clause.record)
		add_snapshot(env, p, event, is_enter);
	if (is_enter)
		return;
	if (env->clause.args && n && !(env->clause.record && env->config.argstr_rest) &&
	    (replaces_memory(event) || (p->snapshot.what && p->snapshot.what->wants_entry)))
		keep_args(env, p, event);
	p->retval = (struct arg_desc){ .name = "ret",
				       .type = &ty_s64,
				       .text = "long ret",
				       .is_foreign = true,
				       .loc = result_loc(p) };
	p->args.v[p->args.n++] = p->retval;
	p->retval.text = NULL; /* listed once */
}

static struct profile *raw_profile(struct provider_env *env, bool is_enter, bool i386)
{
	struct profile *p = profile_new(env, PROFILE_RAW_TP, BPF_PROG_TYPE_RAW_TRACEPOINT);

	p->default_space = SPACE_USER;
	p->syscall.enter = is_enter;
	p->syscall.i386 = i386;
	p->syscall.nr = number_arg(p, is_enter);
	p->syscall.exit = !is_enter;
	type_registers(env, p);
	return p;
}

static struct profile *record_profile(struct provider_env *env)
{
	struct profile *p = profile_new(env, PROFILE_TRACEPOINT, BPF_PROG_TYPE_TRACEPOINT);

	p->default_space = SPACE_USER;
	p->syscall.nr = number_arg(p, true);
	return p;
}

static struct profile *call_profile(struct provider_env *env, const char *event, bool is_enter,
				    bool decoded)
{
	bool i386 = syscall_i386_find(event) != NULL;
	struct profile *p = env->attach.calls_by_perf && !i386 ? record_profile(env) :
								 raw_profile(env, is_enter, i386);

	if (decoded) {
		decoded_args(env, p, event, is_enter);
		return p;
	}
	if (!env_reads_args(env))
		return p;
	p->record.name = arena_printf(env->arena, "struct syscalls_%s_args", event);
	if (is_enter)
		enter_args(env, p, event);
	else
		exit_args(env, p);
	return p;
}

/* ---- groups of calls with the same arguments */

struct group {
	struct profile *profile;
	bool is_enter;
	VEC(const char *) names; /* probe names */
	VEC(u32) numbers;
};

struct groups {
	VEC(struct group *) list;
};

/* Of a clause without args, calls of 32-bit programs that only have elsewhere what argstr reads. */
static bool equal_as_native(const struct profile *native, const struct profile *p)
{
	struct profile as_native = *p;

	if (native->syscall.i386 || !p->syscall.i386)
		return false;
	as_native.syscall.i386 = false;
	as_native.syscall.either = native->syscall.either;
	return profile_equal(native, &as_native);
}

static bool takes(struct group *g, const struct profile *p)
{
	if (equal_as_native(g->profile, p)) {
		g->profile->syscall.either = true;
		g->profile->snapshot.i386_args = p->snapshot.args;
		return true;
	}
	return profile_equal(g->profile, p);
}

static struct group *group_of(struct provider_env *env, struct groups *gs, struct profile *p,
			      bool is_enter)
{
	struct group *g;

	for (u32 i = 0; i < gs->list.n; i++)
		if (gs->list.v[i]->is_enter == is_enter && takes(gs->list.v[i], p))
			return gs->list.v[i];
	g = arena_new(env->arena, struct group);
	g->profile = p;
	g->is_enter = is_enter;
	vec_push(env->arena, &gs->list, g);
	return g;
}

static void add_to_group(struct provider_env *env, struct groups *gs, struct profile *p,
			 bool is_enter, const char *probe, u32 nr)
{
	struct group *g = group_of(env, gs, p, is_enter);

	vec_push(env->arena, &g->names, probe);
	vec_push(env->arena, &g->numbers, nr);
	if (p->snapshot.calls)
		g->profile->snapshot.calls[nr] = p->snapshot.calls[nr];
}

static void group_event(struct provider_env *env, const struct spec *spec, struct groups *gs,
			const char *event, u32 nr, bool many)
{
	bool is_enter = starts_with(event, ENTER);
	struct profile *p = call_profile(env, event, is_enter, false);

	profile_trim_args(env, p, many);
	add_to_group(env, gs, p, is_enter,
		     arena_printf(env->arena, "%s:syscalls:%s", spec->provider->name, event), nr);
}

/*
 * Most calls copy little, each something else. If there are many groups, those share one program,
 * which looks up what to copy by the number of the call: loading a program takes longer than
 * tracing thousands of calls.
 */
enum { GROUPS_FEW = 16 };

static bool is_plain(const struct group *g)
{
	const struct profile_snapshot *s = &g->profile->snapshot;

	return s->what && !s->kept && !s->gone && snapshot_fits_row(s->what);
}

/* The group that others join; NULL: none. */
static struct group *first_plain(const struct groups *gs)
{
	struct group *first = NULL;
	u32 n = 0;

	for (u32 i = 0; i < gs->list.n; i++) {
		struct group *g = gs->list.v[i];

		if (!is_plain(g))
			continue;
		n++;
		if (!first || (first->profile->syscall.i386 && !g->profile->syscall.i386))
			first = g;
	}
	return n > GROUPS_FEW ? first : NULL;
}

static bool joins(const struct group *base, const struct group *g)
{
	struct profile *to = base->profile, as_base = *g->profile;

	if (base == g || !is_plain(g) ||
	    g->profile->snapshot.what->is_half != to->snapshot.what->is_half ||
	    (to->syscall.i386 && !g->profile->syscall.i386))
		return false;
	as_base.syscall.i386 = to->syscall.i386;
	as_base.syscall.either = to->syscall.either;
	as_base.snapshot.what = to->snapshot.what;
	return profile_equal(to, &as_base);
}

static void join_group(struct provider_env *env, struct group *base, const struct group *g)
{
	struct profile_snapshot *to = &base->profile->snapshot, *from = &g->profile->snapshot;
	const struct syscall_profile *call = &g->profile->syscall;

	if (base != g && !base->profile->syscall.i386 && (call->i386 || call->either)) {
		base->profile->syscall.either = true;
		to->i386_args = call->either ? from->i386_args : from->args;
	}
	for (u32 i = 0; i < g->numbers.n; i++) {
		u32 nr = g->numbers.v[i];

		if (base != g) {
			vec_push(env->arena, &base->names, g->names.v[i]);
			vec_push(env->arena, &base->numbers, nr);
		}
		to->rows[nr] = from->what;
		to->calls[nr] = from->calls[nr];
	}
}

static const struct snapshot *rows_of(struct provider_env *env, const struct group *base)
{
	struct snapshot *all = arena_new(env->arena, struct snapshot);
	const struct snapshot *own = base->profile->snapshot.what;

	*all = (struct snapshot){ .is_rows = true,
				  .is_half = own->is_half,
				  .n_args = CALL_MAX_ARGS,
				  .size = CALL_AT_ARGS + 8 * CALL_MAX_ARGS };
	for (u32 i = 0; i < base->numbers.n; i++) {
		const struct snapshot *s = base->profile->snapshot.rows[base->numbers.v[i]];

		all->size = MAX(all->size, s->size);
		for (u32 k = 0; k < s->n; k++)
			all->row_cap = MAX(all->row_cap, (u32)s->v[k].cap);
	}
	all->size += CALL_PIECE_HEAD + ALIGN_UP(all->row_cap, 8u);
	return all;
}

/* All are of entries, or all of returns. */
static void join_plain(struct provider_env *env, struct groups *gs)
{
	struct group *base = first_plain(gs);
	u32 n = 0;

	if (!base)
		return;
	base->profile->snapshot.rows =
		arena_array(env->arena, const struct snapshot *, SYSCALL_SET_BITS);
	join_group(env, base, base);
	for (u32 i = 0; i < gs->list.n; i++) {
		struct group *g = gs->list.v[i];

		if (joins(base, g))
			join_group(env, base, g);
		else
			gs->list.v[n++] = g;
	}
	gs->list.n = n;
	base->profile->snapshot.what = rows_of(env, base);
}

/* It restores the registers from before the signal; the kernel then reports the number -1. */
static u32 sigreturn_in(const u64 *set, bool i386)
{
	int nr = syscall_number(i386 ? "i386_rt_sigreturn" : "rt_sigreturn");

	return nr >= 0 && set[nr / 64] >> nr % 64 & 1 ? (u32)nr % SYSCALL_I386 : 0;
}

static void fill_set(struct provider_env *env, struct group *g)
{
	struct profile *p = g->profile;

	p->syscall.set = arena_array(env->arena, u64, SYSCALL_MAX / 64);
	for (u32 i = 0; i < g->numbers.n; i++)
		p->syscall.set[g->numbers.v[i] / 64] |= 1ull << g->numbers.v[i] % 64;
	p->syscall.of_none = p->syscall.decoded && !g->is_enter ?
				     sigreturn_in(p->syscall.set, p->syscall.i386) :
				     0;
	if (!env->clause.name)
		return;
	if (g->numbers.n == 1) {
		p->site.own = true;
		return;
	}
	p->syscall.site = arena_array(env->arena, u32, SYSCALL_MAX);
	for (u32 i = 0; i < SYSCALL_MAX; i++)
		p->syscall.site[i] = NO_SITE;
	for (u32 i = 0; i < g->numbers.n; i++)
		p->syscall.site[g->numbers.v[i]] = i;
}

static void add_perf(struct provider_env *env, struct group *g, struct targets *ts)
{
	for (u32 i = 0; i < g->names.n; i++) {
		const char *event = arena_printf(env->arena, "%s%s", g->is_enter ? ENTER : EXIT,
						 syscall_event_name(g->numbers.v[i]));
		struct err err = { 0 };
		int id = event_id(env, "syscalls", event, &err);
		struct profile *p;
		struct target *t;

		if (id < 0 && env->system.recorded) {
			err_release(&err);
			continue;
		}
		p = profile_for_site(env, g->profile, g->names.n > 1, true);
		t = targets_add(env, ts, SITE_PERF_TRACEPOINT, g->names.v[i], p);
		t->site.event.config = (u64)MAX(id, 0);
		t->site.event.call = syscalls_event_call(event);
		t->site.is_substitute =
			true; /* if the kernel refuses it, the raw tracepoint is used */
		t->site.note = "an event of its own, so that other calls pay less";
		err_release(&err);
	}
}

static void add_group(struct provider_env *env, const struct spec *spec, struct group *g,
		      struct targets *ts)
{
	const char *name = g->names.n == 1 ? g->names.v[0] : spec_name(env, spec);
	struct target *t;

	if (is_record(g->profile)) {
		add_perf(env, g, ts);
		return;
	}
	fill_set(env, g);
	t = targets_add(env, ts, SITE_RAW_TRACEPOINT, name, g->profile);
	t->site.tracepoint = g->profile->syscall.enter ? "sys_enter" : "sys_exit";
	if (env->attach.calls_why)
		t->site.note = arena_printf(env->arena, "the tracepoint of all calls, because %s",
					    env->attach.calls_why);
	t->covered = g->names.n > 1 ? g->names.v : NULL;
	t->n_covered = g->names.n > 1 ? g->names.n : 0;
}

u32 syscalls_resolve(struct provider_env *env, const struct spec *spec, const char **events, u32 n,
		     struct targets *ts)
{
	struct groups gs = { 0 };
	u32 n_rest = 0;

	for (u32 i = 0; i < n; i++) {
		int nr = event_number(events[i]);

		if (nr < 0 || nr >= SYSCALL_MAX)
			events[n_rest++] = events[i];
		else
			group_event(env, spec, &gs, events[i], (u32)nr, n > 1);
	}
	for (u32 i = 0; i < gs.list.n; i++)
		add_group(env, spec, gs.list.v[i], ts);
	return n_rest;
}

/* ---- decoded calls */

static void add_absent(struct provider_env *env, struct profile *p, const struct arg_desc *some)
{
	struct arg_desc *args = arena_array(env->arena, struct arg_desc, p->args.n + 1);

	if (p->args.n)
		memcpy(args, p->args.v, p->args.n * sizeof *args);
	args[p->args.n] = *some;
	args[p->args.n].is_foreign = true;
	args[p->args.n].kept = 0;
	args[p->args.n].loc = (struct loc){ .kind = LOC_CONST,
					    .size = some->loc.size,
					    .is_signed = some->loc.is_signed };
	p->args.v = args;
	p->args.n++;
}

enum { MAX_FAMILY = 16 };

/*
 * If a clause has several calls, some may lack an argument that it names: there it is 0, or empty.
 * This does not apply if all arguments are used, because then it is not known which are named, nor
 * to groups and patterns, which have too many calls.
 */
static void fill_absent(struct provider_env *env, struct profile **p, u32 n)
{
	if (n < 2 || (!env->clause.arg_names && n > MAX_FAMILY))
		return;
	for (u32 i = 0; i < n; i++)
		for (u32 k = 0, own = p[i]->args.n; k < own; k++)
			for (u32 j = 0; j < n; j++)
				if (!p[i]->args.v[k].is_foreign &&
				    !arg_find(&p[j]->args, p[i]->args.v[k].name))
					add_absent(env, p[j], &p[i]->args.v[k]);
}

/* Calls that differ in arguments that the clause does not name share a program. */
static void trim_decoded(const struct provider_env *env, struct profile *p)
{
	if (!env->clause.args)
		p->args.n = 0;
	else if (env->clause.call_args)
		profile_keep_args(p, env->clause.call_args, env->clause.n_call_args);
}

struct profile *syscalls_decoded(struct provider_env *env, u32 nr, bool is_return)
{
	return call_profile(env, syscall_event_name(nr), !is_return, true);
}

void syscalls_add_decoded(struct provider_env *env, const struct spec *spec, const u32 *numbers,
			  u32 n, bool is_return, struct targets *ts)
{
	struct profile **p = arena_array(env->arena, struct profile *, n + 1);
	struct groups gs = { 0 };

	for (u32 i = 0; i < n; i++) {
		p[i] = syscalls_decoded(env, numbers[i], is_return);
		if (n > 1 || !env->clause.args)
			trim_decoded(env, p[i]);
	}
	fill_absent(env, p, n);
	for (u32 i = 0; i < n; i++)
		add_to_group(env, &gs, p[i], !is_return,
			     arena_printf(env->arena, "%s:%s%s", spec->provider->name,
					  syscall_name(numbers[i]), is_return ? ":return" : ""),
			     numbers[i]);
	join_plain(env, &gs);
	for (u32 i = 0; i < gs.list.n; i++)
		add_group(env, spec, gs.list.v[i], ts);
}
