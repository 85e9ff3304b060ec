/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Type information of the kernel and of its modules, one after the other: /sys/kernel/btf has a
 * file for each. A probe's module part is a name or a pattern; without one the kernel itself comes
 * first and modules are only searched for what it lacks, as each of their files costs a
 * millisecond.
 */
#include <unistd.h>
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/btf.h"

struct module_btf *module_btf(struct provider_env *env, const char *module)
{
	struct btf *kernel = env_btf(env), *btf = kernel;
	struct module_btf *p;

	if (module && !streq(module, "vmlinux"))
		btf = kernel ? btf_module(kernel, module) : NULL;
	if (!btf)
		return NULL;
	p = arena_new(env->arena, struct module_btf);
	p->btf = btf;
	p->module = arena_strdup(env->arena, module ? module : "vmlinux");
	return p;
}

/* There modules have names with underscores; users write either form. */
static bool names_match(const char *pattern, const char *module)
{
	char text[128];
	u32 i;

	for (i = 0; pattern[i] && i < sizeof text - 1; i++)
		text[i] = pattern[i] == '-' ? '_' : pattern[i];
	text[i] = '\0';
	return glob_match(text, module);
}

struct each {
	struct provider_env *env;
	const char *pattern;
	bool (*f)(void *ctx, struct module_btf *p);
	void *ctx;
};

static bool each_module(void *ctx, const char *module)
{
	struct each *e = ctx;
	struct module_btf *p = names_match(e->pattern, module) ? module_btf(e->env, module) : NULL;

	return !p || e->f(e->ctx, p);
}

void module_btf_each(struct provider_env *env, const char *pattern,
		     bool (*f)(void *ctx, struct module_btf *p), void *ctx)
{
	struct module_btf *kernel = module_btf(env, NULL);

	if (!kernel || (names_match(pattern, "vmlinux") && !f(ctx, kernel)))
		return;
	if (!streq(pattern, "vmlinux"))
		btf_modules_each(each_module, &(struct each){ env, pattern, f, ctx });
}

/* Modules that are built into the kernel have a directory there, too. */
const char *module_missing(struct provider_env *env, const char *module)
{
	char *name;

	if (!module || streq(module, "vmlinux") || glob_has_wildcard(module) ||
	    access("/sys/module", F_OK) != 0)
		return NULL;
	name = arena_strdup(env->arena, module);
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	if (access(arena_printf(env->arena, "/sys/module/%s", name), F_OK) == 0)
		return NULL;
	return arena_printf(
		env->arena,
		"no module %s is loaded, and sonde does not wait for kernel functions of modules "
		"loaded later: modprobe %s first",
		module, module);
}
