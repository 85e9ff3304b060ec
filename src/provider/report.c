/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How providers report, and what they need from their environment. In: a spec, whose attach point
 * is the position of the message; out: a diagnostic. Nothing is reported while listing.
 */
#include <errno.h>
#include <unistd.h>
#include "provider/internal.h"
#include "sym/btf.h"
#include "sym/kallsyms.h"

struct diag *probe_report(struct provider_env *env, const struct spec *spec, enum diag_id id, ...)
{
	struct diag *d;
	va_list ap;

	if (!env->diags || !spec || !spec->attach)
		return NULL;
	va_start(ap, id);
	d = diag_vreport(env->diags, spec->attach->span, id, ap);
	va_end(ap);
	return d;
}

void probe_help(struct provider_env *env, struct diag *d, const char *fmt, ...)
{
	va_list ap;

	if (!d)
		return;
	va_start(ap, fmt);
	diag_help(env->diags, d, "%s", arena_vprintf(env->arena, fmt, ap));
	va_end(ap);
}

static void help_syntax(struct provider_env *env, const struct spec *spec, struct diag *d)
{
	probe_help(env, d, "%s; for example: %s", spec->provider->syntax, spec->provider->example);
}

/* Shows a probe with $1, $2 ... replaced, because the message has it as written. */
static struct diag *help_expanded(struct provider_env *env, const struct spec *spec, struct diag *d)
{
	const struct attach *at = spec->attach;

	if (at && strlen(at->text) != at->span.len)
		probe_help(env, d, "with the parameters of the command line: %s", at->text);
	return d;
}

int probe_bad_parts(struct provider_env *env, const struct spec *spec)
{
	struct diag *d;

	if (spec->n_parts < spec->n_parts_written &&
	    spec->n_parts_written > spec->provider->min_parts - 1 && spec->provider->empty)
		return probe_bad_syntax(env, spec, spec->provider->empty);
	d = probe_report(env, spec, D_PROBE_PARTS, spec->provider->name, spec->provider->takes,
			 spec->n_parts_written - 1);
	help_syntax(env, spec, help_expanded(env, spec, d));
	return -EINVAL;
}

int probe_bad_syntax(struct provider_env *env, const struct spec *spec, const char *why)
{
	help_syntax(env, spec, probe_report(env, spec, D_PROBE_SYNTAX, why));
	return -EINVAL;
}

int probe_refused(struct provider_env *env, const struct spec *spec, const struct err *err)
{
	bool hidden = err->code == -EACCES || err->code == -EPERM;
	enum diag_id id = !hidden                          ? D_PROBE_REFUSED :
			  env->request->compile.any_kernel ? D_NOT_CHECKED :
							     D_NOT_VISIBLE;
	struct diag *d = probe_report(env, spec, id, spec->text, err->text);

	if (err->help[0])
		probe_help(env, d, "%s", err->help);
	return err->code ? err->code : -EIO;
}

void probe_untyped(struct provider_env *env, const struct spec *spec)
{
	struct diag *d = probe_report(env, spec, D_NO_KERNEL_TYPES, spec->text);

	probe_help(env, d,
		   "tracepoint, syscall, kprobe and uprobe need none; "
		   "BPFTRACE_BTF=FILE names a BTF file of this kernel");
}

int probe_lacks(struct provider_env *env, const struct spec *spec, const char *what,
		const char *fmt, ...)
{
	const char *engine = env->system.features ? env->system.features->engine : NULL;
	struct diag *d;
	va_list ap;

	if (engine) {
		d = probe_report(env, spec, D_ENGINE_LACKS, spec->text, engine, what);
		probe_help(env, d, "without --vm, --from and --engine the kernel runs the script");
		return -EOPNOTSUPP;
	}
	d = probe_report(env, spec, D_PROBE_FEATURE, spec->text, what);
	va_start(ap, fmt);
	if (fmt)
		probe_help(env, d, "%s", arena_vprintf(env->arena, fmt, ap));
	va_end(ap);
	return -EOPNOTSUPP;
}

/* sysfs has the numbers of the kernel's probe PMUs. */
bool probe_lacks_sysfs(struct provider_env *env, const struct spec *spec, const char *what)
{
	struct diag *d;

	if (access("/sys/bus/event_source", F_OK) == 0)
		return false;
	d = probe_report(env, spec, D_PROBE_REFUSED, spec->text,
			 arena_printf(env->arena, "without sysfs there are no %s", what));
	probe_help(env, d, "mount it as root: mount -t sysfs sysfs /sys");
	return true;
}

bool env_has(struct provider_env *env, enum feature id, bool unknown)
{
	return env->system.features ? feature_has(env->system.features, id) : unknown;
}

struct btf *env_btf(struct provider_env *env)
{
	return env->system.btf ? env->system.btf(env) : NULL;
}

struct kallsyms *env_ksyms(struct provider_env *env)
{
	if (!env->system.ksyms) {
		env->system.ksyms = kallsyms_new(NULL);
		env->system.own_ksyms = true;
	}
	return env->system.ksyms;
}

void provider_env_release(struct provider_env *env)
{
	if (env->system.own_ksyms)
		kallsyms_free(env->system.ksyms);
	env->system.ksyms = NULL;
	env->system.own_ksyms = false;
}

bool env_reads_args(const struct provider_env *env)
{
	return env->clause.args && !(env->clause.arg_names && !env->clause.n_arg_names);
}

u32 env_strlen(const struct provider_env *env)
{
	return env->config.max_strlen ? env->config.max_strlen : 1024;
}
