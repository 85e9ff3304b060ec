/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/frames.h"
#include <stdio.h>
#include "trace/event_stack.h"

struct addresses { /* equal stacks of a file are at the same place; names depend on the process */
	const u64 *ips[N_STACK_SIDES];
	u64 pid; /* 0 without user stack */
};

void frames_init(struct frames *f, const struct names *names, struct store_names *stack_names)
{
	*f = (struct frames){ .names = names, .stack_names = stack_names };
	arena_init(&f->arena);
}

void frames_release(struct frames *f)
{
	hash_release(&f->by_name);
	hash_release(&f->by_addresses);
	arena_release(&f->arena);
}

/* The frame of that name in that module. key: both, which lives as long as f if the frame is
 * new. */
static struct frame *frame_named(struct frames *f, const char *name, const char *module)
{
	size_t name_len = strlen(name) + 1, len = name_len + strlen(module) + 1;
	struct buf b = { 0 };
	struct frame *frame;
	char *key;

	buf_add(&b, name, name_len);
	buf_add(&b, module, len - name_len);
	frame = hash_get(&f->by_name, b.s, len);
	if (!frame) {
		key = arena_dup(&f->arena, b.s, len);
		frame = arena_new(&f->arena, struct frame);
		*frame = (struct frame){ .number = f->frames.n + 1,
					 .name = key,
					 .module = key + name_len };
		hash_put(&f->by_name, key, len, frame);
		vec_push(&f->arena, &f->frames, frame);
	}
	buf_release(&b);
	return frame;
}

static struct frame *frame_missing(struct frames *f, const char *why)
{
	char name[128];
	struct frame *frame;

	snprintf(name, sizeof name, "[%s]", why);
	frame = frame_named(f, name, "");
	frame->is_reason = true;
	return frame;
}

/* Without a function: by the file, else by the address. */
static struct frame *frame_nameless(struct frames *f, const char *module, u64 ip)
{
	char name[280];

	if (*module)
		snprintf(name, sizeof name, "[%.250s]", base_name(module));
	else
		snprintf(name, sizeof name, "%#llx", (unsigned long long)ip);
	return frame_named(f, name, module);
}

static struct frame *frame_at(struct frames *f, const struct trace_event *e, u32 side, u32 i)
{
	u64 ip = e->stack[side].ips[i];
	bool user = side == EVENT_USTACK;
	char bracketed[256];
	const char *module, *why;
	struct frame *frame;
	struct symbol sym;

	if (!event_frame(f->names, e, side, i, &sym, &why))
		return frame_missing(f, why);
	module = sym.module ? sym.module : "";
	if (!user && sym.name) {
		snprintf(bracketed, sizeof bracketed, "[%.250s]",
			 sym.module ? sym.module : "kernel.kallsyms");
		module = bracketed;
	}
	if (!sym.name)
		return frame_nameless(f, module, ip);
	frame = frame_named(f, sym.name, module);
	frame->start = (user ? sym.file_offset : ip) - sym.offset;
	return frame;
}

static struct framed_stack *stack_new(struct frames *f, const struct trace_event *e)
{
	const struct frame **frames =
		arena_array(&f->arena, const struct frame *, e->stack[0].n + e->stack[1].n);
	struct framed_stack *s = arena_new(&f->arena, struct framed_stack);

	*s = (struct framed_stack){ .number = f->stacks.n + 1, .frames = frames };
	store_names_at(f->stack_names, e->time);
	for (u32 side = 0; side < N_STACK_SIDES; side++)
		for (u32 i = 0; i < e->stack[side].n; i++)
			frames[s->n++] = frame_at(f, e, side, i);
	vec_push(&f->arena, &f->stacks, s);
	return s;
}

struct framed_stack *frames_of(struct frames *f, const struct trace_event *e)
{
	struct addresses key = { .pid = e->stack[EVENT_USTACK].n ? e->pid : 0 }, *kept;
	struct framed_stack *s;

	if (!e->has_stacks || !(e->stack[0].n + e->stack[1].n))
		return NULL;
	for (u32 side = 0; side < N_STACK_SIDES; side++)
		key.ips[side] = e->stack[side].n ? e->stack[side].ips : NULL;
	s = hash_get(&f->by_addresses, &key, sizeof key);
	if (s)
		return s;
	s = stack_new(f, e);
	kept = arena_dup(&f->arena, &key, sizeof key);
	hash_put(&f->by_addresses, kept, sizeof *kept, s);
	return s;
}
