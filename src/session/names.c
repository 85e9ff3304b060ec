/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for numbers while printing: symbols from sym/, users from the user database, stacks from
 * the engine. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "session/run.h"
#include "session/system.h"
#include "sym/cgroup.h"
#include "sym/kallsyms.h"
#include "sym/kimage.h"
#include "sym/tracefs.h"
#include "sym/usym.h"
#include "trace/event_text.h"
#include "type/unwind.h"

/* Reported when the run ends, not in the middle of a stack. */
static void note_hidden(struct run *r)
{
	struct err err = { 0 };

	if (!r->naming.ksyms.asked && engines_on_this_kernel(&r->engines))
		r->naming.ksyms.are_hidden = kallsyms_load(system_kallsyms(&r->c.system), &err) ==
					     -EPERM;
	r->naming.ksyms.asked = true;
	err_release(&err);
}

/* With hidepid a process that may not be inspected is not even listed. */
static bool is_hidden(u32 pid)
{
	return kill((pid_t)pid, 0) == 0 || errno == EPERM;
}

static void add_unseen(struct unseen_processes *unseen, u32 pid)
{
	unseen->more |= unseen->pid && unseen->pid != pid;
	if (!unseen->pid)
		unseen->pid = pid;
}

static void note_unseen(struct run *r, u32 pid)
{
	int why = usyms_unseen(run_usyms(r), pid);

	if (!why)
		return;
	if (why == -ENOENT && access("/proc/self", F_OK) < 0)
		r->naming.unseen.no_proc = true;
	else if (why == -EACCES || why == -EPERM || (why == -ENOENT && is_hidden(pid)))
		add_unseen(&r->naming.unseen, pid);
	else if (why == -ENOENT || why == -ESRCH)
		usermaps_note_gone(r->naming.usermaps);
}

static void report_unseen(const struct unseen_processes *u, struct sink *s)
{
	char text[200];

	if (u->no_proc)
		sink_warn(
			s,
			"/proc is not mounted: symbols of programs are numbers (mount -t proc proc /proc)");
	if (!u->pid)
		return;
	snprintf(
		text, sizeof text,
		"process %u%s may not be looked into: user symbols are numbers there (needs CAP_SYS_PTRACE: try it with sudo)",
		u->pid, u->more ? " and others" : "");
	sink_warn(s, text);
}

void names_report(struct run *r)
{
	report_unseen(&r->naming.unseen, r->sink);
	usermaps_report(r);
	if (r->naming.ksyms.are_hidden)
		sink_warn(
			r->sink,
			"the addresses of the kernel's symbols are hidden: kernel stacks are numbers, with frames of the tracer "
			"at their top (needs CAP_SYSLOG, or sysctl kernel.kptr_restrict=0)");
}

/* What the compiler read of the kernel's symbols is older than our own programs, which are symbols
 * too, and than modules that came since. */
static bool name_ksym(void *ctx, u64 addr, struct symbol *out)
{
	struct run *r = ctx;
	struct ksym s;

	if (engines_ksym(&r->engines, addr, out))
		return true;
	if (r->c.recorded && !r->c.recorded->is_this_boot)
		return false;
	if (!r->naming.ksyms.are_new && !kallsyms_is_fixed(system_kallsyms(&r->c.system), addr)) {
		if (engines_on_this_kernel(&r->engines))
			system_renew_kallsyms(&r->c.system);
		r->naming.ksyms.are_new = true;
	}
	if (!kallsyms_lookup(system_kallsyms(&r->c.system), addr, &s)) {
		note_hidden(r);
		return false;
	}
	*out = (struct symbol){ .name = s.name, .offset = s.offset, .module = s.module };
	return true;
}

static bool name_constant(void *ctx, const char *name, s64 *value)
{
	const struct world *w = &((struct run *)ctx)->c.env.world;
	const struct type *enum_type;

	return w->constant && w->constant(w->ctx, name, value, &enum_type);
}

static const char *name_kstring(void *ctx, u64 addr)
{
	struct run *r = ctx;

	if (!r->naming.kstrings)
		r->naming.kstrings =
			r->c.recorded ?
				tracefs_parse_strings(&r->c.arena, r->c.recorded->kstrings) :
				tracefs_read_strings(&r->c.arena);
	return tracefs_string(r->naming.kstrings, addr);
}

/*
 * After usermaps_turn(). The time of a stack is that of its first hit, and a record has none: it
 * may be older than changes of mappings that were read since the drain before this one began; else
 * it is of now, when the addresses may be those of another file than at the first hit.
 */
static struct process_at at_hit(const struct run *r, struct process_at at)
{
	if (r->records.in_record && usermaps_changed(r->naming.usermaps) < r->records.drain_before)
		at.time = 0;
	return at;
}

static bool name_usym(void *ctx, struct process_at at, u64 addr, struct symbol *out)
{
	struct usym u = { 0 };
	struct run *r = ctx;
	bool found;

	if (r->c.recorded) /* the process of now is another one */
		return engines_usym(&r->engines, &(struct engine_code){ at.pid, addr, false, -1 },
				    out);
	usermaps_turn(ctx); /* what is shown is younger than the mappings of its process */
	at = at_hit(ctx, at);
	found = usyms_resolve(run_usyms(ctx), at.pid, at.time, addr, &u);
	if (!found && !u.path)
		note_unseen(ctx, at.pid);
	*out = (struct symbol){ .name = u.name, .offset = u.offset, .module = u.path };
	return found;
}

static bool kernel_source(struct run *r, const struct frame_at *at, u32 depth, struct usource *out)
{
	if (!r->naming.kimage)
		r->naming.kimage = kimage_new(NULL);
	return kimage_source(r->naming.kimage, system_kallsyms(&r->c.system), at->ip, at->is_return,
			     depth, out);
}

static bool user_source(struct run *r, const struct frame_at *at, u32 depth, struct usource *out)
{
	struct process_at of = at_hit(r, at->of);
	struct code_at code = { of.pid, of.time, at->ip, at->is_return };

	return usyms_source(run_usyms(r), &code, depth, out);
}

static bool recorded_source(struct run *r, const struct frame_at *at, u32 depth, struct symbol *out)
{
	struct engine_code code = { at->of.pid, at->ip, at->is_return, (s32)depth };

	return at->user && engines_usym(&r->engines, &code, out);
}

static bool name_source(void *ctx, const struct frame_at *at, u32 depth, struct symbol *out)
{
	struct run *r = ctx;
	struct usource s;

	if (r->c.recorded)
		return recorded_source(r, at, depth, out);
	if (!(at->user ? user_source : kernel_source)(r, at, depth, &s))
		return false;
	*out = (struct symbol){
		.name = s.name, .file = s.file, .line = s.line, .inlined = s.inlined
	};
	return true;
}

static bool give_build_id(struct run *r, const u8 *build_id, u32 len, const char **id)
{
	buf_clear(&r->naming.text);
	for (u32 i = 0; i < len; i++)
		buf_printf(&r->naming.text, "%02x", build_id[i]);
	*id = r->naming.text.s;
	return true;
}

static bool name_build_id(void *ctx, struct process_at at, u64 addr, const char **id, u64 *offset)
{
	struct run *r = ctx;
	struct symbol recorded = { 0 };
	struct usym u = { 0 };

	if (r->c.recorded) {
		engines_usym(&r->engines, &(struct engine_code){ at.pid, addr, false, -1 },
			     &recorded);
		*offset = recorded.file_offset;
		return recorded.build_id &&
		       give_build_id(r, recorded.build_id, recorded.build_id_len, id);
	}
	usermaps_turn(r);
	at = at_hit(r, at);
	usyms_resolve(run_usyms(r), at.pid, at.time, addr, &u);
	if (!u.build_id) {
		note_unseen(r, at.pid);
		return false;
	}
	*offset = u.file_offset;
	return give_build_id(r, u.build_id, u.build_id_len, id);
}

/* /etc/passwd, without the name service: a tracer must not wait for a directory server. */
static const char *name_user(void *ctx, u32 uid)
{
	struct run *r = ctx;
	struct buf b = { 0 };
	const char *found = NULL;

	if (buf_read_file(&b, "/etc/passwd") == 0 && b.s)
		for (char *line = b.s, *end; *line && !found; line = end) {
			char *colon = strchr(line, ':'),
			     *id = colon ? strchr(colon + 1, ':') : NULL;

			end = strchr(line, '\n');
			end = end ? end + 1 : line + strlen(line);
			if (id && id < end && strtoul(id + 1, NULL, 10) == uid) {
				buf_clear(&r->naming.text);
				buf_add(&r->naming.text, line, (size_t)(colon - line));
				found = r->naming.text.s;
			}
		}
	buf_release(&b);
	return found;
}

static const char *name_cgroup(void *ctx, u64 id, const char *filter)
{
	struct run *r = ctx;

	return cgroup_path(&r->scratch, id, filter);
}

/* As the last frame of a stack that the engine unwound. */
static bool is_reason(const struct run *r, u64 ip)
{
	return r->c.env.has_past && r->c.env.config.user_stacks != USER_STACKS_FP && ip &&
	       ip < N_UNWIND_REASONS;
}

/*
 * Frame pointers that are none lead to words that are no return addresses: such a frame ends the
 * stack. Returns the number of frames. The first one is that of the hit.
 */
static u32 end_at_data(struct run *r, struct process_at at, u64 *ips, u32 n)
{
	usermaps_turn(r);
	at = at_hit(r, at);
	for (u32 i = 1; i < n && !(i == n - 1 && is_reason(r, ips[i])); i++)
		if (!usyms_is_code(run_usyms(r), at.pid, at.time, ips[i] - 1)) {
			ips[i] = UNWIND_WHY_NOT_CODE;
			return i + 1;
		}
	return n;
}

static u32 name_stack(void *ctx, const struct stack_value *v, bool user, u32 limit, u64 *ips,
		      u64 *time)
{
	struct run *r = ctx;
	u32 n;

	*time = 0;
	if (stack_is_raw(v))
		return usermaps_raw_stack(r, v->hash, limit, ips, time);
	n = engines_stack(&r->engines, v, limit, ips, time);
	if (!user || r->c.recorded)
		*time = 0;
	if (!user || n < 2 || r->c.recorded || program_map_of(&r->c.prog, MAP_UNWIND) != NO_INDEX)
		return n;
	return end_at_data(r, (struct process_at){ v->pid, *time }, ips, n);
}

static void name_forget_stack(void *ctx, const struct stack_value *v)
{
	struct run *r = ctx;

	for (u32 i = 0; i < r->c.prog.maps.n; i++)
		if (r->c.prog.maps.v[i].role == MAP_STACKS)
			engines_map_delete(&r->engines, i, &v->hash);
}

static u64 name_wall_ns(void *ctx, const struct timestamp_value *ts)
{
	const struct run *r = ctx;

	if (r->c.env.clock_map) /* a time that the test sets */
		return ts->ns;
	switch ((enum timestamp_mode)ts->mode) {
	case TS_BOOT:
	case TS_MONOTONIC: return ts->ns + (u64)engines_clock(&r->engines).boot_to_real;
	case TS_TAI:
	case TS_REAL: break;
	}
	return ts->ns;
}

void names_init(struct run *r)
{
	r->naming.names = (struct names){
		.ctx = r,
		.ksym = name_ksym,
		.constant = name_constant,
		.kstring = name_kstring,
		.usym = name_usym,
		.user = name_user,
		.cgroup = name_cgroup,
		.stack = name_stack,
		.forget_stack = name_forget_stack,
		.build_id = name_build_id,
		.wall_ns = name_wall_ns,
		.prog = &r->c.prog,
		.source = r->c.env.config.show_debug_info ? name_source : NULL,
		.lines = r->c.env.config.stack_lines,
		.max_strlen = (u32)r->c.env.config.max_strlen,
		.argstr_bytes = (u32)r->c.env.config.argstr_bytes,
		.argstr_hex = (u32)r->c.env.config.argstr_hex,
		.trunc_trailer = r->c.env.config.str_trunc_trailer,
	};
	r->naming.names.visible = r->sink->visible_out;
	r->sink->names = &r->naming.names;
}

static void prepare_formats(const struct names *names, const struct type *t)
{
	if (t->kind == TY_EVENT)
		event_prepare(names->prog->arena, names, t->origin);
	else if (t->kind == TY_TUPLE)
		for (u32 i = 0; i < t->n_fields; i++)
			prepare_formats(names, t->fields[i].type);
}

void names_prepare_events(const struct names *names)
{
	for (u32 i = 0; i < names->prog->events.n; i++)
		for (u32 k = 0; k < names->prog->events.v[i]->n_fields; k++)
			prepare_formats(names, names->prog->events.v[i]->fields[k].type);
}

void names_release(struct naming *n)
{
	usermaps_release(n);
	kimage_free(n->kimage);
	buf_release(&n->text);
}
