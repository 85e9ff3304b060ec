/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uprobe:BINARY:FUNCTION[+OFFSET], uprobe:BINARY:ADDRESS, uprobe:BINARY:cpp:"demangled name", and
 * uretprobe: a program, library or pattern of files, and what ufunc.c finds in each.
 */
#include <errno.h>
#include "base/glob.h"
#include "provider/ufunc.h"
#include "provider/uargs.h"
#include "provider/ufile.h"
#include "provider/uline.h"
#include "sym/procs.h"

static bool split(struct ufunc_match *m)
{
	const struct spec *spec = m->spec;
	u32 n = spec->n_parts;

	m->func = spec->part[n - 1];
	m->binary = n > 2 ? spec->part[1] : NULL;
	m->is_cpp = n >= 4 && streq(spec->part[2], "cpp");
	if (n >= 4 && !m->is_cpp)
		return false;
	if (n > 4)
		m->func = spec_rest(m->env->arena, spec, 3);
	if (m->binary && !*m->binary)
		m->binary = NULL;
	return m->binary || env_pid(m->env) > 0;
}

static int bad_syntax(struct ufunc_match *m)
{
	const struct spec *spec = m->spec;
	const char *name = spec->provider->name;
	struct diag *d;

	if (spec->n_parts == 4) {
		d = probe_report(m->env, spec, D_PROBE_SYNTAX,
				 arena_printf(m->env->arena, "unsupported language type: %s",
					      spec->part[2]));
		probe_help(m->env, d, "a name of C++: %s:%s:cpp:\"%s\"", name, spec->part[1],
			   spec->part[3]);
		return -EINVAL;
	}
	if (strstr(spec->text, "::") && spec->n_parts > 4) {
		d = probe_report(m->env, spec, D_PROBE_PARTS, name, spec->provider->takes,
				 spec->n_parts - 1);
		probe_help(m->env, d, "a name of C++: %s:%s:cpp:\"%s\"", name, spec->part[1],
			   spec_rest(m->env->arena, spec, 2));
		return -EINVAL;
	}
	if (spec->n_parts == 3) {
		d = probe_report(m->env, spec, D_PROBE_SYNTAX,
				 arena_printf(m->env->arena, "%s should have a target", name));
		probe_help(m->env, d, "without a binary, -p must name the process");
		return -EINVAL;
	}
	if (spec->n_parts == 2 && *m->func && !strpbrk(m->func, "/.*")) {
		d = probe_report(m->env, spec, D_PROBE_PARTS, name, spec->provider->takes,
				 spec->n_parts - 1);
		probe_help(
			m->env, d,
			"for a program or library: %s:BINARY:%s; for a function of the kernel: %s:%s",
			name, m->func, spec->provider->replaces_return ? "kretprobe" : "kprobe",
			m->func);
		return -EINVAL;
	}
	return probe_bad_parts(m->env, spec);
}

static int no_binary(struct ufunc_match *m)
{
	ufile_missing(m->env, m->spec, m->binary);
	return -ENOENT;
}

static const char *near_probe(struct ufunc_match *m)
{
	const char *near = m->near.word ? near_best(&m->near) : NULL;

	return near ? arena_printf(m->env->arena, m->is_cpp ? "%s:%s:cpp:\"%s\"" : "%s:%s:%s",
				   m->spec->provider->name, m->shown_path, near) :
		      NULL;
}

/*
 * glibc 2.34 took these libraries into libc and left empty files. A script that requires a function
 * of one of them means libc's; a script that lists several binaries, or none, names libc itself.
 */
static bool is_part_of_libc(const char *binary)
{
	static const char *const merged[] = { "libpthread", "libdl", "librt", "libutil", "libanl" };

	for (u32 i = 0; i < ARRAY_SIZE(merged); i++)
		if (starts_with(binary, merged[i]) && strchr(".", binary[strlen(merged[i])]))
			return true;
	return false;
}

static int match_libc(struct ufunc_match *m)
{
	struct diag *d;
	int ret = ufile_each(m->env, "libc", ufunc_match_file, m);

	if (m->ts.list.n) {
		d = probe_report(m->env, m->spec, D_PART_OF_LIBC, m->func);
		probe_help(m->env, d, "%s:libc:%s", m->spec->provider->name, m->func);
	}
	return ret;
}

static const char *deferred(struct provider_env *env, const struct spec *spec)
{
	struct ufunc_match m = { .env = env, .spec = spec };

	return !uline_is_meant(spec) && split(&m) ? ufile_later(env, m.binary) : NULL;
}

/* Sites of files that appear during the run share the programs of earlier files. */
static int resolve_file(struct provider_env *env, const struct spec *spec, const char *path,
			const char *open_path, target_fn f, void *ctx)
{
	struct ufunc_match m = { .env = env,
				 .spec = spec,
				 .open_path = open_path,
				 .is_return = spec->provider == &provider_uretprobe };

	split(&m);
	near_init(&m.near, m.func);
	m.many = true;
	ufunc_match_file(&m, path);
	return m.unread ? m.unread : targets_hand_out(&m.ts, f, ctx);
}

/* Adds the target that files which appear later will share. */
static void add_deferred(struct ufunc_match *m)
{
	const char *pattern = deferred(m->env, m->spec);
	struct target *t;

	if (!pattern || !ufile_is_awaited(m->env, pattern) ||
	    (!m->ts.list.n && !ufile_may_come(m->env, pattern, m->n_files)))
		return;
	if (!m->ts.list.n &&
	    (env_demands(m->env, m->spec) || (!m->many && env_tells_missing(m->env))))
		probe_report(m->env, m->spec, D_NO_FILE_YET, pattern);
	m->elf = NULL;
	m->profile = NULL;
	m->many = true; /* cookies identify sites */
	ufunc_profile(m)->missing.awaits_file = true;
	t = targets_add(m->env, &m->ts, SITE_UPROBE, m->spec->text,
			profile_for_site(m->env, ufunc_profile(m), true, true));
	t->site.is_deferred = true;
}

static int resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	struct ufunc_match m = { .env = env,
				 .spec = spec,
				 .is_return = spec->provider == &provider_uretprobe };
	const char *near;
	int ret;

	if (!env_has(env, FEAT_UPROBE, true) && !env_has(env, FEAT_UPROBE_MULTI, true)) {
		if (!probe_lacks_sysfs(env, spec, "user-space probes"))
			probe_lacks(env, spec, "user-space probes", NULL);
		return -EOPNOTSUPP;
	}
	if (uline_is_meant(spec))
		return uline_resolve(env, spec, f, ctx);
	if (spec->n_parts < spec->n_parts_written)
		return probe_bad_parts(env, spec);
	if (!split(&m))
		return bad_syntax(&m);
	near_init(&m.near, m.func);
	m.many = (m.binary && glob_has_wildcard(m.binary)) || glob_has_wildcard(m.func) ||
		 m.is_cpp || ufunc_is_list(&m);
	m.by_name = !m.many;
	m.is_exact = !(m.binary && glob_has_wildcard(m.binary)) && !glob_has_wildcard(m.func) &&
		     !ufunc_is_list(&m);
	ret = ufile_each(env, m.binary, ufunc_match_file, &m);
	if (!m.ts.list.n && !m.error && m.binary && env_insists(env, spec) &&
	    is_part_of_libc(m.binary))
		ret = match_libc(&m);
	if (m.error)
		return m.error;
	if (!m.ts.list.n && env->request->compile.any_kernel && !m.many && m.binary) {
		probe_report(env, spec, D_NOT_HERE, spec->text);
		m.path = m.shown_path = m.binary;
		m.elf = NULL;
		ufunc_profile(&m)->missing.awaits_file = true;
		ufunc_add_exactly(&m, m.func, m.func, 0);
	}
	if (ret < 0 && env_demands(env, spec) && !(m.binary && glob_has_wildcard(m.binary)))
		return no_binary(&m);
	if (m.n_refused)
		probe_report(env, spec, D_FUNCTIONS_SKIPPED, m.n_refused,
			     m.n_refused == 1 ? "is" : "are", m.refused, m.why_refused);
	if (m.by_name && m.many && !m.is_return)
		uline_drop_unreadable(env, spec, &m.ts);
	near = near_probe(&m);
	add_deferred(&m);
	return targets_give(env, spec, &m.ts, near, f, ctx);
}

static struct profile *listed_profile(struct ufunc_match *m, const struct elf_symbol *s)
{
	struct uargs_site site = { .path = ufile_open_path(m->env, m->path), .elf = m->elf };
	struct profile *p = profile_new(m->env, PROFILE_PT_REGS, BPF_PROG_TYPE_KPROBE);

	profile_function(m->env, p, m->spec->provider == &provider_uretprobe, true);
	return elf_address_to_offset(m->elf, s->value, &site.offset) ?
		       uargs_profile(m->env, p, &site) :
		       p;
}

static int list_symbol(void *ctx, const struct elf_symbol *s)
{
	struct ufunc_match *m = ctx;

	m->n_files++;
	return m->list(m->list_ctx,
		       arena_printf(m->env->arena, "%s:%s:%s", m->spec->provider->name,
				    m->shown_path, s->name),
		       m->verbose ? listed_profile(m, s) : NULL);
}

static int list_cpp(void *ctx, const struct elf_symbol *s)
{
	struct ufunc_match *m = ctx;
	const char *shown = ufunc_cpp_name(m, s);

	return shown ? m->list(m->list_ctx,
			       arena_printf(m->env->arena, "%s:%s:cpp:\"%s\"",
					    m->spec->provider->name, m->shown_path, shown),
			       m->verbose ? listed_profile(m, s) : NULL) :
		       0;
}

/* Copies of a function that has no separate code. */
static int list_inlined(struct ufunc_match *m)
{
	int stop = 0;

	if (m->is_return || !m->func || glob_has_wildcard(m->func) || !uline_add_inlined(m))
		return 0;
	for (u32 i = 0; i < m->ts.list.n && !stop; i++)
		if (m->verbose || !i)
			stop = m->list(m->list_ctx, m->ts.list.v[i]->site.probe,
				       m->verbose ? m->ts.list.v[i]->profile : NULL);
	return stop;
}

static int list_file(void *ctx, const char *path)
{
	struct ufunc_match *m = ctx;
	struct err err = { 0 };
	int ret;

	m->path = path;
	m->shown_path = ufile_shown(m->binary, path);
	m->elf = elf_open(ufile_open_path(m->env, path), &err);
	if (!m->elf)
		return 0;
	if (m->verbose && ufunc_may_fetch(m))
		elf_fetch_debug_file(m->elf);
	m->ts.list.n = m->n_files = 0;
	m->last_cpp = NULL;
	ret = m->is_cpp ? elf_each_function(m->elf, NULL, list_cpp, m) :
			  elf_each_function(m->elf, m->func, list_symbol, m);
	if (!ret && !m->is_cpp && !m->n_files)
		ret = list_inlined(m);
	if (!ret && !m->is_cpp && !m->n_files && m->func)
		ret = elf_each_clone(m->elf, m->func, list_symbol, m);
	elf_close(m->elf);
	return ret;
}

/* Only if a file is named: a list of all functions of all programs is useless. */
static int list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		void *ctx)
{
	struct ufunc_match m = { .env = env,
				 .spec = spec,
				 .list = f,
				 .list_ctx = ctx,
				 .verbose = verbose,
				 .binary = spec->n_parts > 1 ? spec->part[1] : NULL,
				 .is_return = spec->provider == &provider_uretprobe,
				 .is_cpp = spec->n_parts > 3 && streq(spec->part[2], "cpp"),
				 .func = spec_pattern(spec,
						      spec->n_parts > 2 ? spec->n_parts - 1 : 2) };

	if (m.is_cpp && spec->n_parts > 4)
		m.func = spec_rest(env->arena, spec, 3);
	env->clause.args = verbose;
	if (uline_is_meant(spec))
		return uline_list(env, spec, verbose, f, ctx);
	if (!m.binary || !*m.binary || (streq(m.binary, "*") && env_pid(env) <= 0))
		m.binary = NULL;
	if (!m.binary && env_pid(env) <= 0)
		return 0;
	return ufile_each(env, m.binary, list_file, &m);
}

const struct provider provider_uprobe = {
	.name = "uprobe",
	.aliases = "u",
	.syntax =
		"uprobe:BINARY:FUNCTION[+OFFSET], uprobe:BINARY:cpp:\"NAME\", uprobe:BINARY@FILE:LINE, "
		"uprobe:BINARY:FUNCTION@FILE:LINE or uprobe:BINARY:FUNCTION:*",
	.brief = "the entry of a function of a program or library, or a source line",
	.doc = "BINARY is a path, a program in PATH, a library (libc), or a pattern. arg0, arg1 "
	       "... are the function's arguments; with debug information (-g, or a -dbgsym "
	       "package) args.NAME are its parameters with their types, and vars.NAME the "
	       "variables in scope at a source line. FILE may be the end of a path; FUNCTION:* is "
	       "every line of it. A function that exists only inlined is probed at each of its "
	       "copies. With -p the binary may be left out.",
	.example = "uprobe:libc:getpwnam { printf(\"%s\\n\", str(arg0)); }",
	.work = "sh -c \"id root >/dev/null\"",
	.output = "root\n"
		  "root",
	.min_parts = 2,
	.max_parts = 8, /* names of C++ without quotes */
	.takes = "2 or 3",
	.empty =
		"uprobe should be attached to a function, address, or source file and line (using DWARF)",
	.feature = FEAT_UPROBE + 1,
	.feature_instead = FEAT_UPROBE_MULTI + 1,
	.resolve = resolve,
	.deferred = deferred,
	.resolve_file = resolve_file,
	.list = list,
	.bound_to_pid = true,
};

const struct provider provider_uretprobe = {
	.name = "uretprobe",
	.aliases = "ur",
	.syntax = "uretprobe:BINARY:FUNCTION",
	.brief = "the return of a function of a program or library",
	.doc = "retval is the return value, with its type if there is debug information.",
	.replaces_return = true,
	.example = "uretprobe:libc:malloc { @[comm] = count(); }",
	.work = "cat /dev/null",
	.output = "@[cat]: 2",
	.varies = true,
	.min_parts = 2,
	.max_parts = 8,
	.takes = "2 or 3",
	.empty =
		"uretprobe should be attached to a function, address, or source file and line (using DWARF)",
	.feature = FEAT_UPROBE + 1,
	.feature_instead = FEAT_UPROBE_MULTI + 1,
	.resolve = resolve,
	.deferred = deferred,
	.resolve_file = resolve_file,
	.list = list,
	.bound_to_pid = true,
};
