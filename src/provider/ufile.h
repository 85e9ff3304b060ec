/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of user-space probes: which files a name means, and whether an address may be probed. */
#ifndef SONDE_PROVIDER_UFILE_H
#define SONDE_PROVIDER_UFILE_H

#include "provider/provider.h"

struct elf;

/*
 * Calls f for each file: a path, a program in PATH, a library, a pattern of paths. NULL: the
 * program of env_pid(env). "*": all files mapped by env_pid(env), or the programs of all processes.
 * -ENOENT: no such file; else f's non-zero result or 0.
 */
int ufile_each(struct provider_env *env, const char *name, int (*f)(void *ctx, const char *path),
	       void *ctx);
/* What "*" means for probes that are in libraries as often as in programs: the files mapped by
 * env_pid(env), or by all processes. Those of processes with another root are called
 * /proc/PID/root/... */
int ufile_each_mapped(struct provider_env *env, int (*f)(void *ctx, const char *path), void *ctx);
/* How the file is called in names of probes: as the script calls it, where that leads to the
 * file. */
const char *ufile_shown(const char *name, const char *path);
/* The path by which we can open it: through /proc/PID/root when the process sees other files. */
const char *ufile_open_path(struct provider_env *env, const char *path);

/* The pattern of the files that a name may mean later: see provider.deferred. NULL: none. */
const char *ufile_later(struct provider_env *env, const char *name);
/* Whether to wait for files of the pattern. If n_there files match now and lack what is probed, or
 * no folder matches, the pattern is probably wrong. */
bool ufile_may_come(struct provider_env *env, const char *pattern, u32 n_there);
/* Whether files of the name are waited for: a pattern's are, one path's file where it may be
 * missing (missing_probes). */
bool ufile_is_awaited(struct provider_env *env, const char *name);

/* Reports that there is no such program or library, or that the process of -p may not be inspected.
 * NULL: none is named. */
void ufile_missing(struct provider_env *env, const struct spec *spec, const char *name);

/* NULL: its code can run here; else why not, as a whole sentence about the file. */
const char *ufile_is_foreign(struct provider_env *env, const struct elf *e);

enum boundary { BOUNDARY_NO, BOUNDARY_YES, BOUNDARY_UNKNOWN };
/* Whether an instruction begins offset bytes after the function's start. */
enum boundary ufile_boundary(const struct elf *e, u64 function, u64 offset);

#endif
