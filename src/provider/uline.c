/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uprobe:BIN@FILE:LINE[:COL], uprobe:BIN:FUNC@FILE:LINE[:COL] and uprobe:BIN:FUNC:*. In: a
 * statement of a source file, or all statements of a function; out: a target for each address where
 * its code begins, inlined copies included, with the variables in scope there. Also functions that
 * exist only as inlined copies.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/glob.h"
#include "provider/uargs.h"
#include "provider/ufile.h"
#include "provider/ufunc.h"
#include "provider/uline.h"
#include "provider/upoint.h"
#include "object/dwarf.h"
#include "object/elf.h"

struct lines {
	struct provider_env *env;
	const struct spec *spec;
	const char *binary, *func, *file; /* func NULL: any; file NULL: every line of func */
	u32 line, col, found;
	const char *path;       /* of the current file */
	const char *shown_path; /* in the names of its probes */
	struct elf *elf;
	struct dwarf *d;
	struct targets ts;
	struct near near;
	int error; /* reported */
};

/* ---- parsing */

static bool is_number(const char *s, u32 *out)
{
	char *end;
	unsigned long n = strtoul(s, &end, 10);

	if (!*s || *end || n > INT32_MAX || *s < '0' || *s > '9')
		return false;
	*out = (u32)n;
	return true;
}

/* "FILE:LINE[:COL]" after the "@" of a part. */
static bool parse_line(struct lines *l, const char *at, u32 next)
{
	const struct spec *s = l->spec;

	l->file = at + 1;
	if (!*l->file || next >= s->n_parts || !is_number(s->part[next], &l->line))
		return false;
	return next + 1 == s->n_parts ||
	       (next + 2 == s->n_parts && is_number(s->part[next + 1], &l->col));
}

static bool parse(struct lines *l, struct arena *a)
{
	const struct spec *s = l->spec;
	const char *at = s->n_parts > 1 ? strrchr(s->part[1], '@') : NULL;

	if (at && parse_line(l, at, 2)) {
		l->binary = a ? arena_strndup(a, s->part[1], (size_t)(at - s->part[1])) : "";
		return true;
	}
	if (s->n_parts < 4)
		return false;
	l->binary = s->part[1];
	at = strrchr(s->part[2], '@');
	if (at && parse_line(l, at, 3)) {
		l->func = a ? arena_strndup(a, s->part[2], (size_t)(at - s->part[2])) : "";
		return true;
	}
	l->file = NULL;
	l->func = s->part[2];
	return s->n_parts == 4 && streq(s->part[3], "*") && !streq(l->func, "cpp");
}

bool uline_is_meant(const struct spec *spec)
{
	struct lines l = { .spec = spec };

	return parse(&l, NULL);
}

/* ---- targets */

/* Some instructions break the program when the kernel single-steps them. */
static bool may_be_probed(struct lines *l, u64 address)
{
	const char *why = upoint_refuses(l->elf, address);

	if (why && l->file) { /* of all lines of a function, only this one is skipped */
		probe_report(l->env, l->spec, D_BAD_OFFSET,
			     arena_printf(l->env->arena, "%s: %s", l->spec->text, why));
		l->error = -EINVAL;
	}
	return !why;
}

/* Registers hold arguments only at a function's entry. */
static void forget_registers(struct lines *l, struct profile *p, u64 address)
{
	struct dwarf_func func;

	if (!dwarf_inline_at(l->d, address, &func) || (!func.inlined && func.entry == address))
		return;
	for (u32 i = 0; i < p->argn.n; i++)
		p->argn.v[i].why =
			"no function is called here, so its register holds something else: args.NAME and vars.NAME "
			"are where debug information locates them";
}

static struct target *add_place(struct lines *l, u64 address, const struct dwarf_instance *in,
				const char *name)
{
	struct uargs_site site = { .path = ufile_open_path(l->env, l->path),
				   .elf = l->elf,
				   .one_file = !l->binary || !glob_has_wildcard(l->binary),
				   .many = true,
				   .inner = true };
	struct dwarf_func func;
	struct profile *p;
	struct target *t;

	if (!elf_address_to_offset(l->elf, address, &site.offset) || !may_be_probed(l, address))
		return NULL;
	p = profile_new(l->env, PROFILE_PT_REGS, BPF_PROG_TYPE_KPROBE);
	profile_function(l->env, p, false, true);
	p->fixed_address = true;
	dwarf_stay_in(l->d, address, in);
	forget_registers(l, p, address);
	p = uargs_profile(l->env, p, &site);
	t = targets_add(l->env, &l->ts, SITE_UPROBE, name, profile_for_site(l->env, p, true, true));
	if (dwarf_inline_at(l->d, address, &func))
		t->site.func = arena_strdup(l->env->arena, func.name);
	dwarf_stay_in(l->d, 0, &(struct dwarf_instance){ 0 });
	t->site.user.path = site.path;
	t->site.user.offset = site.offset;
	t->site.pid = env_pid(l->env);
	return t;
}

static int add_line(void *ctx, const struct dwarf_line *at)
{
	struct lines *l = ctx;
	const char *file = l->file ? l->file : base_name(at->file);
	const char *name = arena_printf(l->env->arena, "%s:%s%s%s@%s:%u", l->spec->provider->name,
					l->shown_path, l->func ? ":" : "", l->func ? l->func : "",
					file, at->line);
	struct dwarf_instance in = { 0 };

	if (!dwarf_instance_of_line(l->d, at->address, at->file, at->line, &in))
		in.entry = NULL;
	add_place(l, at->address, &in, name);
	return 0;
}

/* ---- copies that lack a value */

static bool has_all(const struct arg_list *args, const char *const *names, u32 n_names)
{
	for (u32 i = 0; i < n_names; i++) {
		const struct arg_desc *arg = arg_find(args, names[i]);

		if (!arg || arg->why || arg->gap)
			return false;
	}
	return true;
}

static bool is_readable(const struct provider_env *env, const struct profile *p)
{
	return has_all(&p->args, env->clause.arg_names,
		       env->clause.arg_names ? env->clause.n_arg_names : 0) &&
	       has_all(&p->vars, env->clause.var_names, env->clause.n_var_names);
}

void uline_drop_unreadable(struct provider_env *env, const struct spec *spec, struct targets *ts)
{
	u32 n = ts->list.n, kept = 0;

	for (u32 i = 0; i < n; i++)
		kept += is_readable(env, ts->list.v[i]->profile);
	if (!kept || kept == n || !env->diags)
		return;
	ts->list.n = 0;
	for (u32 i = 0; i < n; i++)
		if (is_readable(env, ts->list.v[i]->profile))
			ts->list.v[ts->list.n++] = ts->list.v[i];
	probe_report(env, spec, D_COPIES_SKIPPED, n - kept, n);
}

/* ---- files */

static void near_file(void *ctx, const char *path)
{
	struct lines *l = ctx;

	near_try(&l->near, base_name(path));
}

static void no_such_file(struct lines *l)
{
	struct diag *d = probe_report(l->env, l->spec, D_NO_SOURCE_FILE, l->file);
	const char *near;

	near_init(&l->near, base_name(l->file));
	dwarf_each_file(l->d, near_file, l);
	near = near_best(&l->near);
	if (near)
		probe_help(l->env, d, "did you mean %s?", near);
	l->error = -ENOENT;
}

static void no_such_line(struct lines *l)
{
	struct diag *d = probe_report(l->env, l->spec, D_NO_SOURCE_LINE, l->file, l->line);

	probe_help(l->env, d, "%s has no code at line %u or later%s%s", l->file, l->line,
		   l->func ? " of " : "", l->func ? l->func : "");
	probe_help(l->env, d, "lines of a function: sonde list '%s:%s:FUNCTION:*'",
		   l->spec->provider->name, l->path);
	l->error = -ENOENT;
}

static void add_lines(struct lines *l)
{
	const struct dwarf_place place = { l->func, l->file, l->line, l->col };
	int n = dwarf_each_at_line(l->d, &place, &l->found, add_line, l);

	if (n == -ENOENT)
		no_such_file(l);
	else if (!n)
		no_such_line(l);
	else if (l->found != l->line)
		probe_report(l->env, l->spec, D_LATER_LINE, l->file, l->line, l->found);
}

static int match_file(void *ctx, const char *path)
{
	struct lines *l = ctx;
	const char *open_path = ufile_open_path(l->env, path);
	struct err err = { 0 };
	const char *foreign;

	l->path = path;
	l->shown_path = ufile_shown(l->binary, path);
	l->elf = elf_open(open_path, &err);
	foreign = l->elf && l->env->diags ? ufile_is_foreign(l->env, l->elf) : NULL;
	if (foreign)
		err_set(&err, -ENOEXEC, "%s", foreign);
	l->d = l->elf && !foreign ? uargs_open(open_path, elf_machine(l->elf), &err) : NULL;
	if (!l->d) {
		struct diag *d = probe_report(l->env, l->spec, D_BAD_BINARY, err.text);

		if (*err.help)
			probe_help(l->env, d, "%s", err.help);
		l->error = err.code;
	} else if (l->file) {
		add_lines(l);
	} else {
		dwarf_each_line_of(l->d, l->func, add_line, l);
	}
	err_release(&err);
	elf_close(l->elf);
	return l->error;
}

static bool begin(struct lines *l, struct provider_env *env, const struct spec *spec)
{
	*l = (struct lines){ .env = env, .spec = spec };
	parse(l, env->arena);
	if (l->binary && !*l->binary)
		l->binary = NULL;
	return l->binary || env_pid(env) > 0;
}

int uline_resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	struct lines l;
	struct diag *d;
	int ret;

	if (spec->provider == &provider_uretprobe)
		return probe_bad_syntax(env, spec, "Source code location not allowed");
	if (!begin(&l, env, spec)) {
		d = probe_report(
			env, spec, D_PROBE_SYNTAX,
			"Invalid uprobe arguments, expected format: uprobe:TARGET@FILE:LINE[:COL]");
		probe_help(env, d, "for example: uprobe:/bin/prog@main.c:12");
		return -EINVAL;
	}
	ret = ufile_each(env, l.binary, match_file, &l);
	if (l.error)
		return l.error;
	if (ret < 0 && env_demands(env, spec)) {
		ufile_missing(env, spec, l.binary);
		return -ENOENT;
	}
	if (l.file)
		uline_drop_unreadable(env, spec, &l.ts);
	return targets_give(env, spec, &l.ts, NULL, f, ctx);
}

int uline_list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
	       void *ctx)
{
	struct lines l;
	int stop = 0;

	env->clause.args = verbose;
	if (!begin(&l, env, spec))
		return 0;
	ufile_each(env, l.binary, match_file, &l);
	for (u32 i = 0; i < l.ts.list.n && !stop; i++)
		if (verbose || !i ||
		    !streq(l.ts.list.v[i]->site.probe, l.ts.list.v[i - 1]->site.probe))
			stop = f(ctx, l.ts.list.v[i]->site.probe,
				 verbose ? l.ts.list.v[i]->profile : NULL);
	return stop;
}

/* ---- inlined functions */

static int add_copy(void *ctx, const struct dwarf_func *copy)
{
	struct lines *l = ctx;

	/* a copy in a loop may begin with the padding before the loop, which runs once */
	add_place(l, upoint_past_nops(l->elf, copy->entry), &copy->instance,
		  arena_printf(l->env->arena, "%s:%s:%s", l->spec->provider->name, l->shown_path,
			       l->func));
	return 0;
}

int uline_add_inlined(struct ufunc_match *m)
{
	struct lines l = { .env = m->env,
			   .spec = m->spec,
			   .path = m->path,
			   .shown_path = m->shown_path,
			   .func = m->func,
			   .elf = m->elf };
	struct err err = { 0 };

	l.d = uargs_open(ufile_open_path(m->env, m->path), elf_machine(m->elf), &err);
	err_release(&err);
	if (!l.d)
		return 0;
	dwarf_each_inlined(l.d, m->func, add_copy, &l);
	uline_drop_unreadable(m->env, m->spec, &l.ts);
	for (u32 i = 0; i < l.ts.list.n; i++)
		vec_push(m->env->arena, &m->ts.list, l.ts.list.v[i]);
	return (int)l.ts.list.n;
}

static int count_copy(void *ctx, const struct dwarf_func *copy)
{
	++*(u32 *)ctx;
	return 0;
}

/* Reading debug information takes some milliseconds, more if it is large. */
static bool is_read_anyway(const struct provider_env *env, const struct elf *elf)
{
	enum { LITTLE = 256 << 10 };
	struct elf_section s;

	return env_reads_args(env) || env->clause.n_var_names ||
	       (elf_section(elf, ".debug_info", &s) && s.size <= LITTLE);
}

void uline_tell_inlined(struct provider_env *env, const struct spec *spec, const char *path,
			const struct elf *elf, const char *func)
{
	struct err err = { 0 };
	struct dwarf *d;
	u32 n = 0;

	if (!env->diags || !is_read_anyway(env, elf))
		return;
	d = uargs_open(ufile_open_path(env, path), elf_machine(elf), &err);
	err_release(&err);
	if (!d)
		return;
	dwarf_each_inlined(d, func, count_copy, &n);
	if (n)
		probe_help(env, probe_report(env, spec, D_INLINED_LEFT, func, n),
			   "%s:%s:%s@FILE:LINE, with its first line, reaches them",
			   spec->provider->name, path, func);
}
