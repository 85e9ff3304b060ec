/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: the name of a binary as a probe has it; out: paths of files. With -p names mean what the
 * process sees: its own root and mounts.
 */
#include <elf.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/glob.h"
#include "base/hash.h"
#include "lang/env.h"
#include "arch/insn.h"
#include "provider/internal.h"
#include "provider/ufile.h"
#include "object/elf.h"
#include "sym/procmaps.h"
#include "sym/procs.h"

/* Finds a file that the process runs although it was deleted or replaced, through the mapping. */
static const char *deleted_file(struct provider_env *env, const char *path)
{
	struct procmaps maps;
	struct err err = { 0 };
	const char *link = NULL;

	if (procmaps_read(&maps, (u32)env_pid(env), &err) < 0) {
		err_release(&err);
		return NULL;
	}
	for (u32 i = 0; i < maps.list.n && !link; i++) {
		const struct mapping *m = &maps.list.v[i];

		if (m->deleted && m->exec && streq(m->path, path))
			link = arena_printf(env->arena, "/proc/%d/map_files/%llx-%llx",
					    env_pid(env), (unsigned long long)m->start,
					    (unsigned long long)m->end);
	}
	procmaps_release(&maps);
	return link && access(link, R_OK) == 0 ? link : NULL;
}

/*
 * Resolves a path of the process or its mappings, relative to its root. For a process with another
 * root only (chroot), the kernel reports paths of mappings relative to our root.
 */
static const char *path_of(struct provider_env *env, u32 pid, const char *path)
{
	const char *inside = arena_printf(env->arena, "/proc/%u/root%s", pid, path);

	return access(inside, F_OK) < 0 && access(path, F_OK) == 0 ?
		       arena_strdup(env->arena, path) :
		       inside;
}

const char *ufile_open_path(struct provider_env *env, const char *path)
{
	const char *deleted =
		env_pid(env) > 0 && !starts_with(path, "/proc/") ? deleted_file(env, path) : NULL;

	if (deleted)
		return deleted;
	if (env_pid(env) <= 0 || !proc_in_other_mnt_ns((u32)env_pid(env)) ||
	    starts_with(path, "/proc/"))
		return path;
	return path_of(env, (u32)env_pid(env), path);
}

/* A name without a slash that is found in PATH or among libraries is shown with its path. */
static bool leads_to(const char *name, const char *path)
{
	struct stat a, b;

	return strchr(name, '/') || (stat(name, &a) == 0 && stat(path, &b) == 0 &&
				     a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

const char *ufile_shown(const char *name, const char *path)
{
	if (!name || glob_has_wildcard(name) ||
	    (starts_with(path, "/proc/") && !starts_with(name, "/proc/")))
		return path;
	return leads_to(name, path) ? name : path;
}

struct each {
	struct provider_env *env;
	struct hash seen;
	u32 pid;         /* of the current process */
	bool other_root; /* its root or mounts are not ours */
	int (*f)(void *ctx, const char *path);
	void *ctx;
};

static int give_once(struct each *e, const char *path)
{
	path = arena_strdup(e->env->arena, path);
	return hash_puts(&e->seen, path, e) ? 0 : e->f(e->ctx, path);
}

/* Passes on a file that our own paths may not reach: through the mapping if it was deleted, else
 * through the process's root. The same file is not passed on again for another such path. */
static int give_foreign(struct each *e, const struct mapping *m)
{
	struct provider_env *env = e->env;
	struct stat st;
	const char *path, *id;

	if (m->deleted)
		path = arena_printf(env->arena, "/proc/%u/map_files/%llx-%llx", e->pid,
				    (unsigned long long)m->start, (unsigned long long)m->end);
	else
		path = path_of(env, e->pid, m->path);
	if (stat(path, &st) < 0)
		return 0;
	id = arena_printf(env->arena, "%llx:%llx", (unsigned long long)st.st_dev,
			  (unsigned long long)st.st_ino);
	return hash_puts(&e->seen, id, e) ? 0 : e->f(e->ctx, path);
}

/* Calls f for the files from which a process maps code. With -p paths are as the process sees them
 * (ufile_open_path). */
static int each_mapped(struct each *e, u32 pid)
{
	struct procmaps maps;
	struct err err = { 0 };
	int ret = procmaps_read(&maps, pid, &err);

	if (ret < 0) {
		err_release(&err);
		return ret;
	}
	e->pid = pid;
	e->other_root = env_pid(e->env) <= 0 && maps.list.n && proc_in_other_mnt_ns(pid);
	for (u32 i = 0; i < maps.list.n && !ret; i++) {
		const struct mapping *map = &maps.list.v[i];

		if (!map->exec || map->path[0] != '/' || starts_with(map->path, "/memfd:"))
			continue;
		if (env_pid(e->env) <= 0 && (e->other_root || map->deleted))
			ret = give_foreign(e, map);
		else
			ret = give_once(e, map->path);
	}
	procmaps_release(&maps);
	return ret;
}

static int give_mapped(void *ctx, u32 pid)
{
	int ret = each_mapped(ctx, pid);

	return ret < 0 ? 0 : ret; /* it has ended, or may not be inspected */
}

static int give_program(void *ctx, u32 pid)
{
	struct each *e = ctx;
	const char *path = proc_exe(e->env->arena, pid);

	if (path && proc_in_other_mnt_ns(pid))
		path = arena_printf(e->env->arena, "/proc/%u/exe", pid);
	return path ? give_once(e, path) : 0;
}

static int each_running(struct provider_env *env, bool libraries,
			int (*f)(void *ctx, const char *path), void *ctx)
{
	struct each e = { .env = env, .f = f, .ctx = ctx };
	int ret = env_pid(env) > 0 ? each_mapped(&e, (u32)env_pid(env)) :
				     proc_each(libraries ? give_mapped : give_program, &e);

	hash_release(&e.seen);
	return ret;
}

int ufile_each_mapped(struct provider_env *env, int (*f)(void *ctx, const char *path), void *ctx)
{
	return each_running(env, true, f, ctx);
}

/* "c", "libc", "libc.so.6" for ".../libc.so.6", "libc-2.31.so". */
static bool is_library(const char *path, const char *name)
{
	const char *base = strrchr(path, '/') + 1;
	size_t len = strlen(name);

	if (starts_with(base, "lib") && !starts_with(name, "lib"))
		base += strlen("lib");
	return starts_with(base, name) && (!base[len] || base[len] == '.' || base[len] == '-');
}

/* Finds a library mapped by the process, if its root has no loader cache. */
static const char *mapped_library(struct provider_env *env, const char *name)
{
	struct procmaps maps;
	struct err err = { 0 };
	const char *path = NULL;

	if (env_pid(env) <= 0 || strchr(name, '/') ||
	    procmaps_read(&maps, (u32)env_pid(env), &err) < 0) {
		err_release(&err);
		return NULL;
	}
	for (u32 i = 0; i < maps.list.n && !path; i++)
		if (maps.list.v[i].exec && maps.list.v[i].path[0] == '/' &&
		    is_library(maps.list.v[i].path, name))
			path = arena_strdup(env->arena, maps.list.v[i].path);
	procmaps_release(&maps);
	return path;
}

int ufile_each(struct provider_env *env, const char *name, int (*f)(void *ctx, const char *path),
	       void *ctx)
{
	const char *path;

	if (!name)
		path = env_pid(env) > 0 ? proc_exe(env->arena, (u32)env_pid(env)) : NULL;
	else if (streq(name, "*"))
		return each_running(env, false, f, ctx);
	else if (glob_has_wildcard(name))
		return path_glob(env->arena, name, f, ctx);
	else
		path = path_find_binary(env->arena, name, env_pid(env));
	if (!path && name)
		path = mapped_library(env, name);
	if (!path && name && env_pid(env) > 0 && name[0] == '/' && deleted_file(env, name))
		path = name;
	return path ? f(ctx, path) : -ENOENT;
}

/* Files that appear later are matched by their absolute path, without "." and "..". */
static const char *from_root(struct provider_env *env, const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *folder = slash ? arena_strndup(env->arena, name, (size_t)(slash - name)) : ".";
	char path[PATH_MAX];

	if (glob_has_wildcard(folder))
		return getcwd(path, sizeof path) ? arena_printf(env->arena, "%s/%s", path, name) :
						   NULL;
	return realpath(folder, path) ?
		       arena_printf(env->arena, "%s/%s", path, slash ? slash + 1 : name) :
		       name;
}

/*
 * A file of a pattern may appear at any time, and a named one may be replaced. A process of -p may
 * map further files, but nothing replaces what it runs.
 */
const char *ufile_later(struct provider_env *env, const char *name)
{
	if (!name || env->request->compile.any_kernel ||
	    (env_pid(env) > 0 && !glob_has_wildcard(name)))
		return NULL;
	if (streq(name, "*") || name[0] == '/' || (!glob_has_wildcard(name) && !strchr(name, '/')))
		return name;
	return from_root(env, name);
}

static bool has_folder(struct provider_env *env, const char *pattern)
{
	const char *slash = strrchr(pattern, '/');
	glob_t g;
	bool any;

	if (!slash || slash == pattern)
		return slash;
	/* With the slash, only directories match. */
	any = glob(arena_strndup(env->arena, pattern, (size_t)(slash + 1 - pattern)), 0, NULL,
		   &g) == 0;
	if (any)
		globfree(&g);
	return any;
}

bool ufile_may_come(struct provider_env *env, const char *pattern, u32 n_there)
{
	return streq(pattern, "*") || (!n_there && has_folder(env, pattern));
}

bool ufile_is_awaited(struct provider_env *env, const char *name)
{
	if (glob_has_wildcard(name))
		return true;
	return env->config.missing_probes != MISSING_ERROR && name[0] == '/' &&
	       access(name, F_OK) < 0 && ufile_may_come(env, name, 0);
}

/* ---- machines */

static const char *machine_name(u16 machine)
{
	switch (machine) {
	case EM_386: return "i386";
	case EM_X86_64: return "x86-64";
	case EM_ARM: return "32-bit arm";
	case EM_AARCH64: return "arm64";
	case EM_RISCV: return "RISC-V";
	case EM_PPC64: return "ppc64";
	case EM_S390: return "s390x";
	default: return "another machine's";
	}
}

const char *ufile_is_foreign(struct provider_env *env, const struct elf *e)
{
	u16 machine = elf_machine(e), native = arch_native->elf_machine;

	if (machine == native || (machine == EM_386 && native == EM_X86_64))
		return NULL;
	if (machine == EM_ARM && native == EM_AARCH64)
		return arena_printf(env->arena,
				    "%s: 32-bit arm code, where the kernel does not allow probes",
				    elf_path(e));
	return arena_printf(env->arena, "%s: %s code, which this machine does not run", elf_path(e),
			    machine_name(machine));
}

/* ---- instructions */

/* The code from an address to the end of its section. */
static const u8 *code_at(const struct elf *e, u64 address, u64 *room)
{
	struct elf_section s;

	for (u32 i = 0; i < elf_n_sections(e); i++) {
		if (!elf_section_at(e, i, &s) || !s.bytes || !s.address || address < s.address ||
		    address - s.address >= s.size)
			continue;
		*room = s.size - (address - s.address);
		return (const u8 *)s.bytes + (address - s.address);
	}
	return NULL;
}

enum boundary ufile_boundary(const struct elf *e, u64 function, u64 offset)
{
	u64 room, at = 0;
	const u8 *code = code_at(e, function, &room);

	if (!code || offset >= room)
		return BOUNDARY_UNKNOWN;
	if (elf_machine(e) == arch_arm64.elf_machine)
		return offset % 4 ? BOUNDARY_NO : BOUNDARY_YES;
	if (elf_machine(e) != arch_x86_64.elf_machine && elf_machine(e) != EM_386)
		return BOUNDARY_UNKNOWN;
	while (at < offset) {
		enum x86_mode mode = elf_machine(e) == EM_386 ? X86_32 : X86_64;
		struct x86_insn in;
		u32 len = x86_decode(code + at, (u32)MIN(room - at, 16u), mode, &in);

		if (!len)
			return BOUNDARY_UNKNOWN;
		at += len;
	}
	return at == offset ? BOUNDARY_YES : BOUNDARY_NO;
}

static void refuse_sight(struct provider_env *env, const struct spec *spec)
{
	struct diag *d =
		probe_report(env, spec, D_PROBE_REFUSED, spec->text,
			     arena_printf(env->arena, "the files of process %d are not accessible",
					  env_pid(env)));

	probe_help(env, d,
		   "a process of another user, or with more privileges, needs CAP_SYS_PTRACE: "
		   "try it with sudo; without -p "
		   "the probe is put into the file for all processes");
}

void ufile_missing(struct provider_env *env, const struct spec *spec, const char *name)
{
	struct diag *d;

	if (env_pid(env) > 0 && !proc_is_visible((u32)env_pid(env))) {
		refuse_sight(env, spec);
		return;
	}
	d = probe_report(env, spec, D_NO_BINARY, spec->provider->name, name ? name : "");
	if (name && strchr(name, '@'))
		probe_help(env, d, "a source line is BINARY@FILE:LINE, and LINE a number");
	else if (name && !strchr(name, '/'))
		probe_help(
			env, d,
			"programs are looked up in PATH, libraries in ld.so's cache; a path works for any file");
	else if (name && ufile_later(env, name) && access(name, F_OK) < 0 &&
		 ufile_may_come(env, name, 0))
		probe_help(
			env, d,
			"to wait until there is such a file: config = { missing_probes = \"warn\" }");
}
