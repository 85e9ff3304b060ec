/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the kernel by name. In order of what is exact: available_filter_functions of tracefs
 * ("vfs_read", "xfs_file_open [xfs]"), else the text symbols of kallsyms. A single name is looked up in
 * BTF first, which costs neither.
 */
#include <errno.h>
#include "base/hash.h"
#include "provider/internal.h"
#include "sym/btf.h"
#include "sym/kallsyms.h"
#include "sym/tracefs.h"

bool kernel_function_is_hidden(const char *name)
{
	static const char *const prefixes[] = {
		"__cfi_",	    "__pfx_",	       "__SCT__",	"__SCK__",
		"__ftrace_invalid", "__x86_indirect_", "__x86_return_", "__probestub_",
		"__traceiter_",	    "__bpf_trace_",    "__initcall__",	"."
	};

	for (u32 i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (starts_with(name, prefixes[i]))
			return true;
	return strstr(name, ".cold") != NULL;
}

struct each {
	struct provider_env *env;
	struct hash seen; /* by name, or "name\tmodule" */
	int (*f)(void *ctx, const struct kernel_function *fn);
	void *ctx;
};

static int give(struct each *e, const char *name, const char *module)
{
	const struct kernel_function fn = { name, module };

	if (!module) {
		if (hash_puts(&e->seen, name, e))
			return 0;
	} else if (hash_puts(&e->seen, arena_printf(e->env->arena, "%s\t%s", name, module), e)) {
		return 0;
	}
	return e->f(e->ctx, &fn);
}

/* ---- available_filter_functions */

static int give_line(struct each *e, char *line)
{
	char *module = strchr(line, ' ');

	if (!module)
		return give(e, line, NULL);
	*module++ = '\0';
	module += strspn(module, " \t[");
	module[strcspn(module, "]")] = '\0';
	return give(e, line, module);
}

static int each_line(struct each *e, char *text)
{
	int ret = 0;

	for (char *line = text, *next; line && *line && !ret; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		ret = give_line(e, line);
	}
	return ret;
}

/* The text lives in the arena: names are kept by callers. -errno: nothing readable. */
static char *filter_functions(struct provider_env *env)
{
	struct err err = {};
	const char *root = tracefs_path(&err);
	struct buf b = {};
	char *text = NULL;

	if (root &&
	    buf_read_file(&b, arena_printf(env->arena, "%s/available_filter_functions", root)) ==
		    0 &&
	    b.len)
		text = arena_strndup(env->arena, b.s, b.len);
	buf_release(&b);
	return text;
}

/* ---- kallsyms */

static int give_symbol(void *ctx, const struct ksym *s)
{
	return ksym_is_text(s) ? give(ctx, s->name, s->module) : 0;
}

int kernel_functions_each(struct provider_env *env,
			  int (*f)(void *ctx, const struct kernel_function *fn), void *ctx)
{
	struct each e = { .env = env, .f = f, .ctx = ctx };
	char *text = filter_functions(env);
	struct err err = {};
	int ret;

	if (text) {
		ret = each_line(&e, text);
	} else {
		ret = kallsyms_load(env_ksyms(env), &err);
		if (!ret || ret == -EPERM)
			ret = kallsyms_each(env_ksyms(env), give_symbol, &e);
	}
	hash_release(&e.seen);
	return ret;
}

bool kernel_function_exists(struct provider_env *env, const char *module, const char *name)
{
	struct btf *btf = env_btf(env);
	bool in_kernel = !module || streq(module, "vmlinux");
	struct ksym s;

	if (btf && in_kernel && btf_find(btf, name, BTF_KIND_FUNC))
		return true;
	return kallsyms_find(env_ksyms(env), name, module, &s) && ksym_is_text(&s);
}
