/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lsm:HOOK: the hooks at which the kernel consults its security modules (security/security.c). BPF
 * is one of those modules: each hook has an empty function bpf_lsm_HOOK, to which a program is
 * attached by BTF id like to fentry. sonde only observes: programs return 0, which permits the
 * operation. Which hooks exist is listed by union security_list_options.
 *
 * If "bpf" is not in the kernel's list of modules (lsm= on the command line; Debian 11), programs
 * would attach and never run, so the probe is refused.
 */
#include <errno.h>
#include "base/buf.h"
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/btf.h"

#define PREFIX "bpf_lsm_"
#define MODULES "/sys/kernel/security/lsm"
enum { MAX_PARAMS = 16 };

struct match {
	struct provider_env *env;
	struct btf *btf;
	const char *pattern;
	struct targets ts;
	struct near near;
	list_fn list;
	void *list_ctx;
	bool verbose;
	int ret;
};

/* kernel/bpf/bpf_lsm.c, bpf_lsm_disabled_hooks (6.12): hooks whose result is more than a
 * permission. Patterns exclude them. */
static bool is_disabled(const char *hook)
{
	static const char *const names[] = { "vm_enough_memory",
					     "inode_need_killpriv",
					     "inode_getsecurity",
					     "inode_listsecurity",
					     "inode_copy_up_xattr",
					     "getselfattr",
					     "getprocattr",
					     "setprocattr",
					     "ismaclabel",
					     "audit_rule_known",
					     "inode_xattr_skipcap",
					     "xfrm_policy_alloc_security",
					     "xfrm_policy_free_security" };

	return is_one_of(names, ARRAY_SIZE(names), hook);
}

/* The same file's sleepable_lsm_hooks, those with a path: bpf_d_path() is allowed there. */
static bool has_d_path(struct provider_env *env, const char *hook)
{
	static const char *const names[] = { "bprm_check_security",
					     "bprm_committed_creds",
					     "bprm_committing_creds",
					     "bprm_creds_for_exec",
					     "bprm_creds_from_file",
					     "file_ioctl",
					     "file_lock",
					     "file_open",
					     "file_receive",
					     "inode_getattr",
					     "path_chmod",
					     "path_chown",
					     "path_chroot",
					     "path_link",
					     "path_mkdir",
					     "path_mknod",
					     "path_notify",
					     "path_rename",
					     "path_rmdir",
					     "path_symlink",
					     "path_truncate",
					     "path_unlink",
					     "sb_mount",
					     "kernel_read_file" };

	return is_one_of(names, ARRAY_SIZE(names), hook) && env_has(env, FEAT_LSM_PATH, true);
}

static struct profile *new_profile(struct match *m, const char *hook)
{
	const char *func = arena_printf(m->env->arena, PREFIX "%s", hook);
	struct btf_param params[MAX_PARAMS];
	u32 id = 0;
	int n = btf_func(m->btf, func, params, MAX_PARAMS, NULL, &id);
	struct profile *p;

	if (n < 0)
		return NULL;
	p = profile_new(m->env, PROFILE_BTF, BPF_PROG_TYPE_LSM);
	p->load.attach_type = BPF_LSM_MAC;
	p->load.btf_id = id;
	p->may_be_null = true;
	p->func.is_known = true;
	p->d_path = has_d_path(m->env, hook);
	btf_word_args(m->env, p, hook, params, (u32)n, true);
	return p;
}

static const char *site_name(struct match *m, const char *hook)
{
	return arena_printf(m->env->arena, "lsm:%s", hook);
}

static void add(struct match *m, const char *hook)
{
	struct profile *p = new_profile(m, hook);

	if (p)
		targets_add(m->env, &m->ts, SITE_TRAMPOLINE, site_name(m, hook),
			    profile_for_site(m->env, p, false, false))
			->site.func = arena_strdup(m->env->arena, hook);
}

/* ---- names */

static void each_hook(struct match *m, void (*f)(struct match *m, const char *hook))
{
	const struct type *t = btf_type_by_name(m->btf, 'u', "security_list_options");

	type_complete(t);
	for (u32 i = 0; t && i < t->n_fields && !m->ret; i++)
		if (t->fields[i].name)
			f(m, t->fields[i].name);
}

static void match_hook(struct match *m, const char *hook)
{
	if (glob_match(m->pattern, hook) && !is_disabled(hook))
		add(m, hook);
}

static void near_hook(struct match *m, const char *hook)
{
	near_try(&m->near, hook);
}

static void list_hook(struct match *m, const char *hook)
{
	if (glob_match(m->pattern, hook) && !is_disabled(hook) &&
	    btf_find(m->btf, arena_printf(m->env->arena, PREFIX "%s", hook), BTF_KIND_FUNC))
		m->ret = m->list(m->list_ctx, site_name(m, hook),
				 m->verbose ? new_profile(m, hook) : NULL);
}

/* ---- hooks of the provider */

/* False only if the kernel lists them and it is missing. */
static bool bpf_is_a_module(struct buf *modules)
{
	char *list;

	if (buf_read_file(modules, MODULES) < 0 || !modules->s)
		return true;
	list = modules->s;
	list[strcspn(list, "\n")] = '\0';
	for (char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strcspn(at, ",") == strlen("bpf") && starts_with(at, "bpf"))
			return true;
	}
	return false;
}

static int not_in_list(struct match *m, const struct spec *spec, const char *modules)
{
	struct diag *d = probe_report(m->env, spec, D_NO_BPF_MODULE, spec->text, modules);

	probe_help(m->env, d,
		   "boot with lsm=%s%sbpf, or probe the kernel's own call: fentry:security_%s",
		   modules, *modules ? "," : "", m->pattern);
	return -EOPNOTSUPP;
}

static int refuse(struct match *m, const struct spec *spec)
{
	struct buf modules = { 0 };
	int ret = 0;

	if (!m->btf) {
		probe_untyped(m->env, spec);
		return -EOPNOTSUPP;
	}
	if (m->env->request->compile.any_kernel)
		return 0;
	if (!bpf_is_a_module(&modules)) {
		ret = not_in_list(m, spec, modules.s);
	} else if (!env_has(m->env, FEAT_LSM, true)) {
		ret = probe_lacks(
			m->env, spec, "hooks for BPF in its security modules",
			"it lacks CONFIG_BPF_LSM or function trampolines: use a tracepoint or rawtracepoint");
	}
	buf_release(&modules);
	return ret;
}

static int resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	struct match m = { .env = env, .btf = env_btf(env), .pattern = spec->part[1] };
	const char *near = NULL;
	int ret = refuse(&m, spec);

	if (ret < 0)
		return ret;
	if (glob_has_wildcard(m.pattern))
		each_hook(&m, match_hook);
	else
		add(&m, m.pattern);
	if (!m.ts.list.n) {
		near_init(&m.near, m.pattern);
		each_hook(&m, near_hook);
		near = near_best(&m.near);
	}
	return targets_give(env, spec, &m.ts, near ? site_name(&m, near) : NULL, f, ctx);
}

static int list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		void *ctx)
{
	struct match m = { .env = env,
			   .btf = env_btf(env),
			   .verbose = verbose,
			   .list = f,
			   .list_ctx = ctx,
			   .pattern = spec->n_parts > 1 ? spec_pattern(spec, 1) : "*" };

	if (!m.btf || (spec->n_parts < 2 && !env_has(env, FEAT_LSM, true)))
		return 0;
	each_hook(&m, list_hook);
	return m.ret;
}

const struct provider provider_lsm = {
	.name = "lsm",
	.syntax = "lsm:HOOK",
	.brief = "a security (LSM) hook, with typed arguments",
	.doc = "Hooks check whether a file may be opened, a program run, a socket connected. "
	       "args.NAME are the hook's arguments. sonde only observes: a script cannot change "
	       "the decision. func is the hook. Needs \"bpf\" in the kernel's list of security "
	       "modules (/sys/kernel/security/lsm).",
	.example = "lsm:file_open { printf(\"%s\\n\", str(args.file.f_path.dentry.d_name.name)); }",
	.work = "cat /dev/null",
	.output = "cat\n"
		  "...\n"
		  "null",
	.min_parts = 2,
	.max_parts = 2,
	.takes = "1",
	.feature = FEAT_LSM + 1,
	.resolve = resolve,
	.list = list,
};
