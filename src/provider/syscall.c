/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall:NAME, syscall:NAME:return, syscall:%GROUP: decoded system calls. In: the name of a call,
 * of its family (open is open, openat and openat2), a pattern, a group, or several with | between.
 * Out: targets on the two raw tracepoints of all calls (syscalls.c), with arguments decoded by the
 * tables of sym/calls.h.
 */
#include <errno.h>
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/calls.h"
#include "sym/syscalls.h"

struct numbers {
	u32 v[SYSCALL_MAX];
	u32 n;
};

static void add_name(struct numbers *to, const char *name)
{
	int nr = syscall_number(name);

	if (nr >= 0 && to->n < SYSCALL_MAX)
		to->v[to->n++] = (u32)nr;
}

static void add_family(struct provider_env *env, struct numbers *to, const char *words)
{
	for (const char *s = words; *s;) {
		size_t n = strcspn(s, " ");

		add_name(to, arena_strndup(env->arena, s, n));
		s += n + strspn(s + n, " ");
	}
}

static bool in_group(u32 nr, const char *group)
{
	const struct call_desc *c = call_find(syscall_event_name(nr));

	return c && call_in_group(c, group);
}

static void find_some(struct provider_env *env, const char *what, struct numbers *to)
{
	const char *family = call_family(what);

	if (*what == '=') {
		add_name(to, what + 1);
		return;
	}
	if (starts_with(what, "i386_")) {
		for (u32 nr = SYSCALL_I386; nr < SYSCALL_MAX; nr++)
			if (syscall_name(nr) && glob_match(what, syscall_name(nr)))
				to->v[to->n++] = nr;
		return;
	}
	if (family) {
		add_family(env, to, family);
		return;
	}
	for (u32 nr = 0; nr < syscall_count(); nr++) {
		const char *name = syscall_name(nr);

		if (name && (*what == '%' ? in_group(nr, what + 1) : glob_match(what, name)))
			to->v[to->n++] = nr;
	}
}

/* NAME|NAME: the calls of either. */
static void find_calls(struct provider_env *env, const char *what, struct numbers *to)
{
	u64 found[SYSCALL_MAX / 64] = { 0 };
	struct numbers all = { 0 };

	for (const char *s = what; *s;) {
		size_t n = strcspn(s, "|");

		all.n = 0;
		find_some(env, arena_strndup(env->arena, s, n), &all);
		for (u32 i = 0; i < all.n; i++) {
			u32 nr = all.v[i];

			if (!(found[nr / 64] >> nr % 64 & 1))
				to->v[to->n++] = nr;
			found[nr / 64] |= 1ull << nr % 64;
		}
		s += n + (s[n] == '|');
	}
}

static const char *near_call(struct provider_env *env, const struct spec *spec)
{
	const char *instead = call_instead(env->arena, spec->part[1]);
	struct near near;

	if (instead)
		return arena_printf(env->arena, "%s:%s", spec->provider->name, instead);
	near_init(&near, spec->part[1]);
	for (u32 nr = 0; nr < syscall_count(); nr++)
		if (syscall_name(nr))
			near_try(&near, syscall_name(nr));
	return near_best(&near) ?
		       arena_printf(env->arena, "%s:%s", spec->provider->name, near_best(&near)) :
		       NULL;
}

static int bad_spec(struct provider_env *env, const struct spec *spec)
{
	struct diag *d = probe_report(env, spec, D_PROBE_SYNTAX,
				      arena_printf(env->arena, "%s: expected %s", spec->text,
						   spec->provider->syntax));

	if (*spec->part[1] == '%')
		probe_help(env, d, "the groups are: %s", call_groups());
	return -EINVAL;
}

static int resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	bool is_return = spec->n_parts > 2 && streq(spec->part[2], "return");
	struct numbers numbers = { 0 };
	struct targets ts = { 0 };

	find_calls(env, spec->part[1], &numbers);
	if ((spec->n_parts > 2 && !is_return) || (!numbers.n && *spec->part[1] == '%'))
		return bad_spec(env, spec);
	syscalls_add_decoded(env, spec, numbers.v, numbers.n, is_return, &ts);
	return targets_give(env, spec, &ts, near_call(env, spec), f, ctx);
}

static int list_one(struct provider_env *env, u32 nr, bool is_return, bool verbose, list_fn f,
		    void *ctx)
{
	return f(ctx,
		 arena_printf(env->arena, "syscall:%s%s", syscall_name(nr),
			      is_return ? ":return" : ""),
		 verbose ? syscalls_decoded(env, nr, is_return) : NULL);
}

static int list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		void *ctx)
{
	bool entries = spec->n_parts < 3 || glob_match(spec->part[2], ""),
	     returns = spec->n_parts < 3 || glob_match(spec->part[2], "return");
	struct numbers numbers = { 0 };
	int ret = 0;

	find_calls(env, spec_pattern(spec, 1), &numbers);
	for (u32 i = 0; i < numbers.n && !ret; i++) {
		if (entries)
			ret = list_one(env, numbers.v[i], false, verbose, f, ctx);
		if (returns && !ret)
			ret = list_one(env, numbers.v[i], true, verbose, f, ctx);
	}
	return ret;
}

/* syscall:NAME[:return], syscall:=NAME */
static void calls(struct arena *a, const char *text, struct call_events *to)
{
	const char *name = text + strcspn(text, ":"), *end;
	const char *family;

	name += *name == ':';
	end = name + strcspn(name, ":");
	name = arena_strndup(a, name, (size_t)(end - name));
	family = call_family(name);
	if (*name == '%' || strchr(name, '|') || glob_has_wildcard(name) ||
	    starts_with(name, "i386_"))
		to->raw = "the script has patterns of calls";
	else if (*end && to->reads_args)
		to->raw = "arguments are read at the return";
	to->n++;
	for (const char *s = family ? family : ""; *s; s++)
		to->n += *s == ' ';
}

const struct provider provider_syscall = {
	.name = "syscall",
	.aliases = "",
	.syntax = "syscall:NAME[:return]",
	.brief = "system calls, decoded",
	.doc = "NAME is a system call with its newer variants (open is open, openat and openat2), "
	       "=NAME is that call alone (=open). NAME|NAME is either: calls that the clause reads "
	       "alike share a program. It may be a pattern, or a group, as strace has "
	       "them: %clock, %creds, %desc, %file, %ipc, %memory, %network, %process, %pure, "
	       "%signal, %stat, %lstat, %fstat, %%stat (all of these), %statfs, %fstatfs, %%statfs. "
	       "i386_NAME is a call of 32-bit programs on x86-64, with argstr alone. "
	       "args has the decoded arguments, including strings and flag names; argstr is all "
	       "of them as text, with the structures and data that they point to, as strace "
	       "prints them: what a call fills in is shown at its return. Return probes have "
	       "args, too, with retval and errname.",
	.example = "syscall:open { printf(\"%s %s\\n\", comm, argstr); }",
	.work = "cat /dev/null",
	.output = "cat AT_FDCWD, \"/etc/ld.so.cache\", O_RDONLY|O_CLOEXEC\n"
		  "cat AT_FDCWD, \"/lib/x86_64-linux-gnu/libc.so.6\", O_RDONLY|O_CLOEXEC\n"
		  "cat AT_FDCWD, \"/dev/null\", O_RDONLY",
	.varies = true,
	.min_parts = 2,
	.max_parts = 3,
	.takes = "1 or 2",
	.is_replayed = true,
	.resolve = resolve,
	.list = list,
	.calls = calls,
};
