/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rawtracepoint over a recording: the arguments that can be derived from the event's record
 * (sym/raw_events.h). A pointer to a task points into the context, to a struct task_struct with the
 * known members.
 */
#include <stddef.h>
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/raw_events.h"

static const struct type *task_type(struct provider_env *env)
{
	const struct type *comm = type_string(env->arena, sizeof(((struct raw_task *)0)->comm));
	const struct field fields[] = {
		{ .name = "pid", .type = &ty_s32, .offset = offsetof(struct raw_task, pid) },
		{ .name = "tgid", .type = &ty_s32, .offset = offsetof(struct raw_task, tgid) },
		{ .name = "comm", .type = comm, .offset = offsetof(struct raw_task, comm) },
		{ .name = "__state", .type = &ty_u32, .offset = offsetof(struct raw_task, state) },
		{ .name = "state", .type = &ty_u32, .offset = offsetof(struct raw_task, state) },
		{ .name = "exit_state",
		  .type = &ty_s32,
		  .offset = offsetof(struct raw_task, exit_state) },
		{ .name = "prio", .type = &ty_s32, .offset = offsetof(struct raw_task, prio) },
	};
	struct type *t = arena_new(env->arena, struct type);

	*t = (struct type){ .kind = TY_STRUCT,
			    .name = "task_struct",
			    .size = sizeof(struct raw_task),
			    .align = 8,
			    .fields = arena_dup(env->arena, fields, sizeof fields),
			    .n_fields = ARRAY_SIZE(fields) };
	return t;
}

static struct arg_desc argument(const struct raw_arg *a, const struct type *task)
{
	struct arg_desc d = { .name = a->name,
			      .type = a->kind == RAW_PREEMPTED ? &ty_bool : &ty_s64 };
	u32 offset = a->kind == RAW_TASK ? (u32)offsetof(struct raw_context, task) +
						   a->index * (u32)sizeof(struct raw_task) :
					   (u32)offsetof(struct raw_context, word) + a->index * 8;

	d.loc = (struct loc){ .kind = LOC_CTX, .offset = offset, .size = 8, .is_signed = true };
	if (a->kind == RAW_TASK) {
		d.loc.kind = LOC_CTX_ADDR;
		d.type = task;
	}
	return d;
}

static struct profile *profile_of(struct provider_env *env, const struct tp_format *f)
{
	struct profile *p = profile_new(env, PROFILE_TRACEPOINT, BPF_PROG_TYPE_TRACEPOINT);
	const struct raw_event *e = env->clause.args ? raw_event(env->arena, f) : NULL;
	const struct type *task = e ? type_pointer(env->arena, task_type(env), SPACE_KERNEL) : NULL;

	p->default_space = SPACE_KERNEL;
	p->args.v = e ? arena_array(env->arena, struct arg_desc, e->n) : NULL;
	for (u32 i = 0; e && i < e->n; i++)
		p->args.v[p->args.n++] = argument(&e->arg[i], task);
	if (e)
		p->record.name = arena_printf(env->arena, "the recorded arguments of %s", f->name);
	else
		p->missing.why = arena_printf(
			env->arena,
			"for rawtracepoint:%s a recording has only the fields: tracepoint:%s:%s",
			f->name, f->category, f->name);
	return p;
}

int recorded_raw_resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	const struct recorded_kernel *r = env->system.recorded;
	struct targets ts = { 0 };

	for (u32 i = 0; i < r->n; i++) {
		const struct tp_format *e = r->v[i];
		struct target *t;

		if (!glob_match(spec->part[spec->n_parts - 1], e->name))
			continue;
		t = targets_add(env, &ts, SITE_RAW_TRACEPOINT,
				arena_printf(env->arena, "rawtracepoint:vmlinux:%s", e->name),
				profile_of(env, e));
		t->site.tracepoint = e->name;
	}
	return targets_give(env, spec, &ts, NULL, f, ctx);
}
