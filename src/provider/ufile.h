/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of user-space probes: the files that a name denotes, and whether an address may be
 * probed. */
#ifndef SONDE_PROVIDER_UFILE_H
#define SONDE_PROVIDER_UFILE_H

#include "provider/provider.h"

struct elf;

/*
 * Calls f for each file: a path, a program in PATH, a library, a pattern of paths. NULL: the
 * program of env_pid(env). "*": all files mapped by env_pid(env), or the programs of all processes.
 * -ENOENT: no such file; else f's nonzero result or 0.
 */
int ufile_each(struct provider_env *env, const char *name, int (*f)(void *ctx, const char *path),
	       void *ctx);
/* The meaning of "*" for probes that are as common in libraries as in programs: the files mapped by
 * env_pid(env), or by all processes. Files of processes with another root have paths
 * /proc/PID/root/... */
int ufile_each_mapped(struct provider_env *env, int (*f)(void *ctx, const char *path), void *ctx);
/* The file's name in names of probes: the script's name for it, if that leads to the file. */
const char *ufile_shown(const char *name, const char *path);
/* The path by which we can open it: through /proc/PID/root if the process has a different view of
 * files. */
const char *ufile_open_path(struct provider_env *env, const char *path);

/* The pattern of the files that a name may denote later: see provider.deferred. NULL: none. */
const char *ufile_later(struct provider_env *env, const char *name);
/* Whether to wait for files of the pattern. The pattern is probably wrong if n_there files match
 * now but lack what is probed, or if no directory matches. */
bool ufile_may_come(struct provider_env *env, const char *pattern, u32 n_there);
/* Whether to wait for files of the name: for a pattern always, for a single path if it may be
 * missing (missing_probes). */
bool ufile_is_awaited(struct provider_env *env, const char *name);

/* Reports that there is no such program or library, or that the process of -p may not be inspected.
 * NULL: no name. */
void ufile_missing(struct provider_env *env, const struct spec *spec, const char *name);

/* NULL: its code can run here; else the reason, as a sentence about the file. */
const char *ufile_is_foreign(struct provider_env *env, const struct elf *e);

enum boundary { BOUNDARY_NO, BOUNDARY_YES, BOUNDARY_UNKNOWN };
/* Whether an instruction begins offset bytes after the function's start. */
enum boundary ufile_boundary(const struct elf *e, u64 function, u64 offset);

#endif
