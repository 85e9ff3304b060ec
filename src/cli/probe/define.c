/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Defines the events of points in tracefs. All or none: if the kernel refuses one, those before it
 * are removed. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include "cli/probe/probe.h"
#include "sym/tracefs.h"

enum { MAX_NAME = 63 }; /* MAX_EVENT_NAME_LEN of the kernel is 64, with the NUL */

struct definition {
	const char *file, *group, *name, *line;
	const char *where, *args; /* for the report */
};

struct defining {
	struct probe *p;
	struct probe_events there; /* before */
	VEC(struct definition) v;
	u32 n_done;
};

/* ---- names */

/* "foo.isra.0" is "foo"; what no name may have is "_". */
static const char *event_name(struct arena *a, const char *text, const char *suffix)
{
	size_t len = strcspn(text, ".("), room = MAX_NAME - strlen(suffix);
	char *name = arena_strndup(a, text, MIN(len ? len : strlen(text), room));

	for (char *s = name; *s; s++)
		if (*s != '_' && !(*s >= '0' && *s <= '9') &&
		    !((*s | 32) >= 'a' && (*s | 32) <= 'z'))
			*s = '_';
	return arena_printf(a, "%s%s%s", *name >= '0' && *name <= '9' ? "_" : "", name, suffix);
}

/* probe_libc of /lib/libc.so.6, as perf has it; sdt_PROVIDER. */
static const char *group_of(struct probe *p, const struct probe_point *at)
{
	const char *base = p->file && !p->is_kernel ? strrchr(p->file, '/') + 1 : "";
	size_t len = strcspn(base + (*base != '\0'), "-._") + (*base != '\0');

	if (at->group)
		return at->group;
	if (at->is_usdt)
		return event_name(p->arena,
				  arena_printf(p->arena, "sdt_%.*s", (int)strcspn(at->func, ":"),
					       at->func),
				  "");
	if (!p->file || p->is_kernel)
		return "probe";
	return event_name(p->arena, arena_printf(p->arena, "probe_%.*s", (int)len, base), "");
}

static const char *name_of(struct probe *p, const struct probe_point *at,
			   const struct probe_place *place)
{
	const char *suffix = at->is_return ? "__return" : "", *func = at->func, *colon;

	if (at->event)
		return at->event;
	if (at->is_usdt)
		return event_name(p->arena, (colon = strrchr(func, ':')) ? colon + 1 : func, "");
	if (func && starts_with(func, "0x"))
		return arena_printf(p->arena, "abs_%s%s", func + 2, suffix);
	if (!func || func[strcspn(func, "*?[")])
		func = place->func ? place->func : "line";
	if (at->has_line && at->func)
		suffix = arena_printf(p->arena, "_L%u", at->line);
	return event_name(p->arena, func, suffix);
}

/* Whether this run defines an event of that name. */
static bool is_ours(const struct defining *d, const char *group, const char *name)
{
	for (u32 i = 0; i < d->v.n; i++)
		if (streq(d->v.v[i].group, group) && streq(d->v.v[i].name, name))
			return true;
	return false;
}

/* Several places of one point are one event. */
static const char *free_name(struct defining *d, const char *group, const char *name, u32 first)
{
	struct arena *a = d->p->arena;
	const char *own = name;
	u32 n = 0;

	for (u32 i = first; i < d->v.n; i++)
		if (streq(d->v.v[i].group, group) && starts_with(d->v.v[i].name, name))
			return d->v.v[i].name;
	while (probe_find(&d->there, group, own) || is_ours(d, group, own)) {
		char *suffix = arena_printf(a, "_%u", ++n);

		own = arena_printf(a, "%.*s%s", (int)(MAX_NAME - strlen(suffix)), name, suffix);
	}
	return own;
}

/* ---- definitions */

static int put_all(struct probe *p, struct buf *b, const struct probe_place *at, bool with_vars)
{
	const struct profile *profile = at->profile;
	int ret = 0;

	for (u32 i = 0; i < profile->args.n + (with_vars ? profile->vars.n : 0) && !ret; i++) {
		const struct arg_desc *v = i < profile->args.n ?
						   &profile->args.v[i] :
						   &profile->vars.v[i - profile->args.n];
		const struct type *t = type_complete(v->type);
		const struct probe_arg arg = { .text = v->name, .expr = v->name };

		if (!v->why && t->kind != TY_STRUCT && t->size)
			ret = probe_put_arg(p, at, &arg, b);
	}
	return ret;
}

/* The operands of a tracepoint in the program, which has no other variables. */
static int put_usdt_args(struct probe *p, struct buf *b, const struct probe_place *at)
{
	int ret = 0;

	for (u32 i = 0; i < at->profile->argn.n && !ret; i++) {
		const struct arg_desc *v = &at->profile->argn.v[i];
		const struct profile one = { .args.v = at->profile->argn.v + i, .args.n = 1 };
		const struct probe_place here = { at->site, &one, at->func };
		const struct probe_arg arg = { .text = v->name,
					       .name = arena_printf(p->arena, "arg%u", i + 1),
					       .expr = v->name };

		ret = probe_put_arg(p, &here, &arg, b);
	}
	return ret;
}

static int put_args(struct probe *p, struct buf *b, const struct probe_point *at,
		    const struct probe_place *place)
{
	int ret = at->is_usdt && !at->n_args ? put_usdt_args(p, b, place) : 0;

	for (u32 i = 0; i < at->n_args && !ret; i++) {
		if (streq(at->args[i].text, "$vars") || streq(at->args[i].text, "$params"))
			ret = put_all(p, b, place, streq(at->args[i].text, "$vars"));
		else
			ret = probe_put_arg(p, place, &at->args[i], b);
	}
	return ret;
}

static const char *args_text(struct probe *p, const struct probe_point *at)
{
	const char *s = at->text + strspn(at->text, " ") + strlen(at->where);

	return *s ? arena_printf(p->arena, " with%s", s) : "";
}

static int add_place(struct defining *d, const struct probe_point *at,
		     const struct probe_place *place, u32 first)
{
	struct probe *p = d->p;
	const char *group = group_of(p, at), *name = name_of(p, at, place);
	bool is_user = place->site->kind == SITE_UPROBE && !p->is_kernel;
	struct buf b = { 0 };
	int ret;

	if (d->v.n == first && probe_find(&d->there, group, name) && !p->c->own.probe.force) {
		say(p->c,
		    "event %s:%s exists: sonde probe -d %s:%s removes it, --force adds another, "
		    "OTHER=FUNC names it differently",
		    group, name, group, name);
		return STATUS_WRONG;
	}
	name = free_name(d, group, name, first);
	buf_printf(&b, "%c:%s/%s ", place->site->is_return ? 'r' : 'p', group, name);
	if (!p->is_kernel)
		tracefs_put_place(&b, place->site, p->file);
	else if (!probe_put_symbol(p, place->site->user.offset, &b))
		say(p->c, "%s has no symbol _text", p->file);
	ret = put_args(p, &b, at, place);
	if (!ret)
		vec_push(p->arena, &d->v,
			 (struct definition){ is_user ? "uprobe_events" : "kprobe_events", group,
					      name, arena_strdup(p->arena, b.s), at->where,
					      args_text(p, at) });
	buf_release(&b);
	return ret;
}

static bool wants_all(const struct probe_point *at)
{
	for (u32 i = 0; i < at->n_args; i++)
		if (streq(at->args[i].text, "$vars") || streq(at->args[i].text, "$params"))
			return true;
	return false;
}

static int add_point(struct defining *d, const char *text)
{
	struct probe_point at;
	u32 first = d->v.n;
	int ret = probe_parse(d->p, text, &at);

	ret = ret ? ret : probe_resolve(d->p, &at, wants_all(&at));
	if (ret)
		return ret;
	for (u32 i = 0; i < d->p->places.n && !ret; i++)
		ret = add_place(d, &at, &d->p->places.v[i], first);
	probe_done(d->p);
	return ret;
}

/* ---- the kernel */

static void undo(struct defining *d)
{
	struct err err = { 0 };

	for (u32 i = 0; i < d->n_done; i++) {
		tracefs_put(d->v.v[i].file,
			    arena_printf(d->p->arena, "-:%s/%s", d->v.v[i].group, d->v.v[i].name),
			    O_APPEND, &err);
		err_release(&err);
		err = (struct err){ 0 };
	}
}

static int tell(struct defining *d)
{
	struct err err = { 0 };
	int ret = 0;

	if (d->p->is_of_other) {
		say(d->p->c, "%s is not the image of the kernel that runs: it has another build id",
		    d->p->file);
		return STATUS_WRONG;
	}
	for (; d->n_done < d->v.n && ret >= 0; d->n_done += ret >= 0)
		ret = tracefs_put(d->v.v[d->n_done].file, d->v.v[d->n_done].line, O_APPEND, &err);
	if (ret >= 0)
		return 0;
	if (ret == -ENOENT && !*err.help)
		err_help(
			&err, "%s",
			d->p->file && !d->p->is_kernel ?
				"this kernel has no uprobe events" :
				"this kernel has no kprobe events (CONFIG_KPROBE_EVENTS): sonde info");
	undo(d);
	say_err(d->p->c, &err);
	err_release(&err);
	return STATUS_REFUSED;
}

static void put_report(struct buf *out, const struct defining *d)
{
	const struct definition *last = &d->v.v[d->v.n - 1];
	const char *file = d->p->is_kernel ? NULL : d->p->file;

	buf_printf(out, "Added new event%s:\n", d->v.n == 1 ? "" : "s");
	for (u32 i = 0; i < d->v.n; i++) {
		const struct definition *e = &d->v.v[i];
		char *name = xasprintf("%s:%s", e->group, e->name);

		buf_printf(out, "  %-20s (on %s%s%s%s)\n", name, e->where, file ? " in " : "",
			   file ? file : "", e->args);
		free(name);
	}
	buf_printf(out,
		   "\nIt stays until sonde probe -d %s:%s. To use it:\n\n\tsonde trace %s:%s\n",
		   last->group, last->name, last->group, last->name);
}

int probe_define(struct probe *p, const char *const *points, bool only_show)
{
	struct defining d = { .p = p };
	struct buf out = { 0 };
	int ret = only_show ? 0 : probe_read(p, &d.there);

	for (u32 i = 0; points[i] && !ret; i++)
		ret = add_point(&d, points[i]);
	if (!ret && !only_show && !p->c->request.dry_run)
		ret = tell(&d);
	for (u32 i = 0; i < d.v.n && !ret && (only_show || p->c->request.dry_run); i++)
		buf_printf(&out, "%s\n", d.v.v[i].line);
	if (!ret && !only_show && !p->c->request.dry_run && !p->c->output.quiet)
		put_report(&out, &d);
	ret = ret ? ret : put_out(p->c, &out);
	buf_release(&out);
	return ret;
}
