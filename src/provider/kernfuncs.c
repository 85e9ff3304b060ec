/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the kernel by name. The most exact source comes first: available_filter_functions of
 * tracefs ("vfs_read", "xfs_file_open [xfs]"), else the text symbols of kallsyms. A single name is
 * looked up in BTF first, which costs neither.
 *
 * The list is read once per process. A name of static functions in several files of the kernel
 * occurs several times and is listed once, as ambiguous: such functions are probed by address.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/hash.h"
#include "provider/internal.h"
#include "sym/btf.h"
#include "sym/calls.h"
#include "object/elf.h"
#include "sym/kallsyms.h"
#include "sym/syscalls.h"
#include "sym/tracefs.h"

/* ---- the list */

struct known {
	const char *name, *module;
	bool repeats; /* the same name and module occurred before */
	bool ambiguous;
};

static struct {
	bool tried;
	struct buf text;
	struct known *v;
	u32 n, cap;
	struct hash names; /* "name" or "name\tmodule" -> index + 1 */
} all;                     /* of this process, read on first use */

static void push(char *name, char *module)
{
	const char *key = module ? xasprintf("%s\t%s", name, module) : name;
	uintptr_t first;

	if (all.n == all.cap) {
		all.cap = all.cap ? all.cap * 2 : 1 << 15;
		all.v = xrealloc(all.v, sizeof *all.v * all.cap);
	}
	all.v[all.n] = (struct known){ .name = name, .module = module };
	first = (uintptr_t)hash_gets(&all.names, key);
	if (first)
		all.v[all.n].repeats = all.v[first - 1].ambiguous = true;
	else
		hash_puts(&all.names, key, (void *)(uintptr_t)(all.n + 1));
	all.n++;
}

static void push_line(char *line)
{
	char *module = strchr(line, ' ');

	if (module) {
		*module++ = '\0';
		module += strspn(module, " \t[");
		module[strcspn(module, "]")] = '\0';
	}
	push(line, module);
}

/* Whether there is a list. Its text and tables are never freed. */
static bool read_list(void)
{
	struct err err = { 0 };
	const char *root;
	char *path;

	if (all.tried)
		return all.n;
	all.tried = true;
	root = tracefs_path(&err);
	err_release(&err);
	if (!root)
		return false;
	path = xasprintf("%s/available_filter_functions", root);
	if (buf_read_file(&all.text, path) == 0)
		for (char *line = all.text.s, *next; line && *line; line = next) {
			next = strchr(line, '\n');
			if (next)
				*next++ = '\0';
			push_line(line);
		}
	free(path);
	return all.n;
}

bool kernel_function_is_traceable(struct provider_env *env, const char *name, const char *module)
{
	const char *key = module ? arena_printf(env->arena, "%s\t%s", name, module) : name;

	return !read_list() || hash_gets(&all.names, key);
}

/* ---- kallsyms, if there is no list */

struct each {
	struct hash seen; /* by name and module */
	struct arena *arena;
	int (*f)(void *ctx, const struct kernel_function *fn);
	void *ctx;
};

static int give_symbol(void *ctx, const struct ksym *s)
{
	const struct kernel_function fn = { s->name, s->module, false };
	struct each *e = ctx;

	if (!ksym_is_text(s) ||
	    hash_puts(&e->seen,
		      s->module ? arena_printf(e->arena, "%s\t%s", s->name, s->module) : s->name,
		      e))
		return 0;
	return e->f(e->ctx, &fn);
}

static int each_symbol(struct provider_env *env,
		       int (*f)(void *ctx, const struct kernel_function *fn), void *ctx)
{
	struct each e = { .arena = env->arena, .f = f, .ctx = ctx };
	struct err err = { 0 };
	int ret = kallsyms_load(env_ksyms(env), &err);

	if (!ret || ret == -EPERM)
		ret = kallsyms_each(env_ksyms(env), give_symbol, &e);
	err_release(&err);
	hash_release(&e.seen);
	return ret;
}

/* ---- questions */

int kernel_functions_each(struct provider_env *env,
			  int (*f)(void *ctx, const struct kernel_function *fn), void *ctx)
{
	int ret = 0;

	if (!read_list())
		return each_symbol(env, f, ctx);
	for (u32 i = 0; i < all.n && !ret; i++) {
		const struct kernel_function fn = { all.v[i].name, all.v[i].module,
						    all.v[i].ambiguous };

		if (!all.v[i].repeats)
			ret = f(ctx, &fn);
	}
	return ret;
}

bool kernel_function_exists(struct provider_env *env, const char *module, const char *name)
{
	struct btf *btf = env_btf(env);
	bool in_kernel = !module || streq(module, "vmlinux");
	struct ksym s;

	if (!env->attach.by_kallsyms && btf && in_kernel && btf_find(btf, name, BTF_KIND_FUNC))
		return true;
	return kallsyms_find(env_ksyms(env), name, module, &s) && ksym_is_text(&s);
}

static int find_clone(void *ctx, const struct ksym *s)
{
	const char *const *name = ctx;

	return ksym_is_text(s) && symbol_is_clone_of(s->name, *name);
}

bool kernel_has_clones(struct provider_env *env, const char *name)
{
	struct kallsyms *k = env_ksyms(env);

	return !kallsyms_count(k) || kallsyms_each(k, find_clone, &name);
}

void kernel_function_address(struct provider_env *env, const char *module, struct site *s)
{
	struct ksym found;

	if (!module)
		return;
	s->kernel.module = module;
	if (kallsyms_find(env_ksyms(env), s->kernel.symbol, module, &found) && ksym_is_text(&found))
		s->kernel.address = found.address;
}

/* Addresses that the function tracer patches, listed since 6.5: a few bytes after a function's
 * start. */
static struct {
	bool tried;
	u64 *v; /* sorted; NULL: not known */
	u32 n;
} calls;

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* "ffffffff81200014 vfs_read", "ffffffffc0201000 xfs_file_open [xfs]" */
static void read_calls(void)
{
	const char *root = tracefs_path(NULL);
	char *path = xasprintf("%s/available_filter_functions_addrs", root ? root : "");
	struct buf text = { 0 };
	u32 cap = 0;

	calls.tried = true;
	if (buf_read_file(&text, path) == 0)
		for (char *line = text.s; line && *line;
		     line = strchr(line, '\n'), line += line != NULL) {
			if (calls.n == cap) {
				cap = cap ? cap * 2 : 1 << 15;
				calls.v = xrealloc(calls.v, sizeof *calls.v * cap);
			}
			calls.v[calls.n++] = strtoull(line, NULL, 16);
		}
	if (calls.n)
		qsort(calls.v, calls.n, sizeof *calls.v, by_value);
	buf_release(&text);
	free(path);
}

/* Tracing itself may execute some of the functions with one name. */
static bool is_traced_at(u64 address)
{
	enum { LATEST_CALL = 16 };
	u32 lo = 0, hi;

	if (!calls.tried)
		read_calls();
	for (hi = calls.n; lo < hi;) { /* the first call at or after the address */
		u32 mid = lo + (hi - lo) / 2;

		if (calls.v[mid] < address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return !calls.n || (lo < calls.n && calls.v[lo] - address <= LATEST_CALL);
}

struct addresses {
	void (*f)(void *ctx, u64 address);
	void *ctx;
};

static int give_address(void *ctx, const struct ksym *s)
{
	struct addresses *a = ctx;

	if (s->address && ksym_is_text(s) && is_traced_at(s->address))
		a->f(a->ctx, s->address);
	return 0;
}

void kernel_function_addresses(struct provider_env *env, const char *module, const char *name,
			       void (*f)(void *ctx, u64 address), void *ctx)
{
	kallsyms_each_named(env_ksyms(env), name, module ? module : "vmlinux", give_address,
			    &(struct addresses){ f, ctx });
}

struct alias {
	struct btf *btf;
	const struct ksym *of;
	const char *found;
};

static int try_alias(void *ctx, const struct ksym *s)
{
	struct alias *a = ctx;

	if (s->address == a->of->address && ksym_is_text(s) &&
	    btf_find_own(a->btf, s->name, BTF_KIND_FUNC))
		a->found = s->name;
	return a->found != NULL;
}

const char *kernel_function_alias(struct provider_env *env, struct btf *btf, const char *module,
				  const char *name)
{
	struct ksym s;
	struct alias a = { btf, &s, NULL };

	if (kallsyms_find(env_ksyms(env), name, module ? module : "vmlinux", &s) && s.address &&
	    ksym_is_text(&s))
		kallsyms_each(env_ksyms(env), try_alias, &a);
	return a.found ? arena_strdup(env->arena, a.found) : NULL;
}

const char *kernel_function_of_call(struct provider_env *env, const char *name)
{
	static const char *const prefixes[] = { "__x64_sys_", "__arm64_sys_", "__se_sys_", "sys_",
						"SyS_" };
	const char *call = NULL, *function;
	int nr;

	for (u32 i = 0; i < ARRAY_SIZE(prefixes) && !call; i++)
		call = starts_with(name, prefixes[i]) ? name + strlen(prefixes[i]) : NULL;
	if (!call)
		return NULL;
	nr = syscall_number_of_event(call); /* newuname */
	if (nr < 0)
		nr = syscalls_number(env->arena, call);
	if (nr < 0)
		return NULL;
	function = arena_printf(env->arena, "%s%s", arch_native->syscall_prefix,
				syscall_event_name((u32)nr));
	return kernel_function_exists(env, "vmlinux", function) ? function : NULL;
}
