/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Type information of the kernel and of its modules, one after the other: /sys/kernel/btf has a file for
 * each. A probe's module part is a name or a pattern; without one the kernel itself comes first and
 * modules are only asked about what it does not have, as each of their files costs a millisecond.
 */
#include <dirent.h>
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/btf.h"

struct btf_place *btf_place(struct provider_env *env, const char *module)
{
	struct btf *kernel = env_btf(env), *btf = kernel;
	struct btf_place *p;

	if (module && !streq(module, "vmlinux"))
		btf = kernel ? btf_module(kernel, module) : NULL;
	if (!btf)
		return NULL;
	p = arena_new(env->arena, struct btf_place);
	p->btf = btf;
	p->module = arena_strdup(env->arena, module ? module : "vmlinux");
	return p;
}

/* Modules are named with underscores there; people write either. */
static bool names_match(const char *pattern, const char *module)
{
	char text[128];
	u32 i;

	for (i = 0; pattern[i] && i < sizeof(text) - 1; i++)
		text[i] = pattern[i] == '-' ? '_' : pattern[i];
	text[i] = '\0';
	return glob_match(text, module);
}

static bool each_module(struct provider_env *env, const char *pattern,
			bool (*f)(void *ctx, struct btf_place *p), void *ctx)
{
	DIR *dir = opendir("/sys/kernel/btf");
	struct dirent *e;
	bool go_on = true;

	while (go_on && dir && (e = readdir(dir))) {
		struct btf_place *p;

		if (e->d_name[0] == '.' || streq(e->d_name, "vmlinux") || !names_match(pattern, e->d_name))
			continue;
		p = btf_place(env, e->d_name);
		go_on = !p || f(ctx, p);
	}
	if (dir)
		closedir(dir);
	return go_on;
}

void btf_places_each(struct provider_env *env, const char *pattern, bool (*f)(void *ctx, struct btf_place *p),
		     void *ctx)
{
	struct btf_place *kernel = btf_place(env, NULL);

	if (!kernel || (names_match(pattern, "vmlinux") && !f(ctx, kernel)))
		return;
	if (!streq(pattern, "vmlinux"))
		each_module(env, pattern, f, ctx);
}
