/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compiler's access to the system by sym/; each source is opened on first use. */
#include <signal.h>
#include <stdio.h>
#include <linux/btf.h>
#include <string.h>
#include <sys/stat.h>
#include "base/os_names.h"
#include "session/system.h"
#include "sym/btf.h"
#include "sym/cgroup.h"
#include "sym/constants.h"
#include "object/elf.h"
#include "sym/kallsyms.h"
#include "sym/procs.h"
#include "sym/syscalls.h"

void system_init(struct system_access *v, struct arena *arena)
{
	*v = (struct system_access){ .arena = arena };
}

void system_release(struct system_access *v)
{
	if (v->btf)
		btf_close(v->btf);
	kallsyms_free(v->kallsyms);
	kallsyms_free(v->kallsyms_before);
	*v = (struct system_access){ 0 };
}

struct btf *system_btf(struct system_access *v)
{
	struct err err = { 0 };

	if (!v->btf_tried) {
		v->btf = btf_open(v->arena, NULL, &err);
		v->btf_tried = true;
		err_release(&err);
	}
	return v->btf;
}

struct kallsyms *system_kallsyms(struct system_access *v)
{
	if (!v->kallsyms)
		v->kallsyms = kallsyms_new(NULL);
	return v->kallsyms;
}

void system_renew_kallsyms(struct system_access *v)
{
	if (v->kallsyms_before)
		return;
	v->kallsyms_before = v->kallsyms;
	v->kallsyms = NULL;
}

/* ---- names: of the kernel itself, then of its modules. Few names are unknown to the kernel. */

struct in_modules {
	struct btf *base;
	u8 tag;
	const char *name;
	const struct type *type;
	s64 value;
};

static bool is_complete(struct btf *b, const struct type *t)
{
	return t && btf_kind(b, t->origin_id) != BTF_KIND_FWD;
}

static bool type_in_module(void *ctx, const char *module)
{
	struct in_modules *m = ctx;
	struct btf *b = btf_module(m->base, module);
	const struct type *t = b ? btf_type_by_name(b, m->tag, m->name) : NULL;

	if (is_complete(b, t))
		m->type = t;
	return !m->type;
}

static bool constant_in_module(void *ctx, const char *module)
{
	struct in_modules *m = ctx;
	struct btf *b = btf_module(m->base, module);

	return !b || !btf_enumerator(b, m->name, &m->value, &m->type);
}

static const struct type *world_type(void *ctx, u8 tag, const char *name)
{
	struct btf *btf = system_btf(ctx);
	struct in_modules m = { .base = btf, .tag = tag, .name = name };
	const struct type *t = btf ? btf_type_by_name(btf, tag, name) : NULL;

	if (btf && !is_complete(btf, t))
		btf_modules_each(type_in_module, &m);
	return m.type ? m.type : t;
}

static bool world_constant(void *ctx, const char *name, s64 *value, const struct type **enum_type)
{
	struct in_modules m;
	struct btf *btf;

	*enum_type = NULL;
	if (constant_find(name, value))
		return true;
	btf = system_btf(ctx);
	if (!btf || btf_enumerator(btf, name, value, enum_type))
		return btf;
	m = (struct in_modules){ .base = btf, .name = name };
	if (btf_modules_each(constant_in_module, &m))
		return false;
	*value = m.value;
	*enum_type = m.type;
	return true;
}

static u64 world_ksym_addr(void *ctx, const char *name)
{
	struct ksym s;

	return kallsyms_find(system_kallsyms(ctx), name, NULL, &s) ? s.address : 0;
}

/* ---- texts and addresses that builtins ask for */

#define PROC_PID_INIT_INO 0xeffffffcul

/* What a call that a signal interrupts returns to the kernel, seen before programs get EINTR or the
 * call is repeated (include/linux/errno.h). */
static const char *restart_name(u32 n)
{
	switch (n) {
	case 512: return "ERESTARTSYS";
	case 513: return "ERESTARTNOINTR";
	case 514: return "ERESTARTNOHAND";
	case 516: return "ERESTART_RESTARTBLOCK";
	}
	return NULL;
}

/* As kill(1) spells them: RTMIN+3. The C library keeps the first two of the kernel for itself. */
static const char *realtime_name(u32 n)
{
	static char text[16];

	if ((int)n < SIGRTMIN || (int)n > SIGRTMAX)
		return NULL;
	snprintf(text, sizeof text, (int)n == SIGRTMIN ? "RTMIN" : "RTMIN+%d", (int)n - SIGRTMIN);
	return text;
}

static const char *error_name(u32 n)
{
	const char *name = restart_name(n);

	return name ? name : os_error_name(n);
}

static const char *signal_name(u32 n)
{
	const char *name = realtime_name(n);

	return name ? name : os_signal_name(n);
}

static const char *world_text_of(void *ctx, enum world_text table, u32 n)
{
	switch (table) {
	case TEXT_ERRNO: return os_error_text(n);
	case TEXT_ERRNO_NAME: return error_name(n);
	case TEXT_SIGNAL_ABBREV: return signal_name(n);
	case TEXT_SIGNAL: return os_signal_text(n);
	case TEXT_SYSCALL: return n < syscall_count() ? syscall_name(n) : NULL;
	}
	return NULL;
}

static u32 world_kernel_func(void *ctx, const char *name)
{
	struct btf *btf = system_btf(ctx);

	return btf ? btf_find(btf, name, BTF_KIND_FUNC) : 0;
}

static u64 world_cgroup_id(void *ctx, const char *path, u32 *level)
{
	struct err err = { 0 };
	u64 id = 0;

	if (cgroup_id(path, &id, level, &err) < 0)
		id = 0;
	err_release(&err);
	return id;
}

static bool world_user_symbol(void *ctx, const char *path, const char *name,
			      struct user_symbol *out)
{
	struct err err = { 0 };
	struct elf *e = elf_open(path, &err);
	struct elf_symbol s;
	bool found = e && elf_find(e, name, &s);

	if (found)
		*out = (struct user_symbol){ .address = s.value,
					     .size = s.size,
					     .moves = elf_type(e) == 3 /* ET_DYN */ };
	if (e)
		elf_close(e);
	err_release(&err);
	return found;
}

/* include/linux/proc_ns.h: the inode number of the first pid namespace is fixed. */
static bool world_pid_namespace(void *ctx, u64 *dev, u64 *ino)
{
	struct system_access *v = ctx;
	struct stat st;

	if (!v->pid_ns_asked && stat("/proc/self/ns/pid", &st) == 0) {
		v->pid_ns_dev = st.st_dev;
		v->pid_ns_ino = st.st_ino;
	}
	v->pid_ns_asked = true;
	*dev = v->pid_ns_dev;
	*ino = v->pid_ns_ino;
	return v->pid_ns_ino && v->pid_ns_ino != PROC_PID_INIT_INO;
}

static const struct tracer_frames *world_tracer_frames(void *ctx)
{
	struct system_access *v = ctx;

	if (!v->tracer_frames)
		v->tracer_frames = tracer_frames_find(v->arena, system_kallsyms(v));
	return v->tracer_frames;
}

void system_world(struct system_access *v, struct world *w)
{
	*w = (struct world){ .ctx = v,
			     .type = world_type,
			     .constant = world_constant,
			     .ksym_addr = world_ksym_addr,
			     .text_of = world_text_of,
			     .kernel_func = world_kernel_func,
			     .cgroup_id = world_cgroup_id,
			     .user_symbol = world_user_symbol,
			     .pid_namespace = world_pid_namespace,
			     .tracer_frames = world_tracer_frames };
}
