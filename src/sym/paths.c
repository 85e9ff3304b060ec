/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths of programs and libraries: PATH, and the cache of the dynamic linker. /etc/ld.so.cache,
 * format "glibc-ld.so.cache1.1" (glibc, sysdeps/generic/dl-cache.h):
 *
 *	char magic[20] | u32 n | u32 strings_len | u8 flags, pad[3] | u32 extension | u32 unused[3]
 *	n times: s32 flags | u32 key | u32 value | u32 osversion | u64 hwcap
 *
 * Offsets are relative to the magic. Older files begin with the libc5 cache ("ld.so-1.7.0"); the
 * new part is found by its magic.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/buf.h"
#include "base/fd.h"
#include "sym/procs.h"

struct cache_head {
	char magic[20];
	u32 n, strings_len;
	u8 flags, pad[3];
	u32 extension, unused[3];
};
struct cache_entry {
	s32 flags;
	u32 key, value, osversion;
	u64 hwcap;
};

/* The ABI of an entry: the low byte is 3 (ELF, libc6), the next one denotes the machine. */
#if defined(__x86_64__)
#define CACHE_ABI 0x0303
#define TRIPLET "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define CACHE_ABI 0x0a03
#define TRIPLET "aarch64-linux-gnu"
#else
#define CACHE_ABI 0x0003
#define TRIPLET "."
#endif

static const char magic[20] = "glibc-ld.so.cache1.1";

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static const char *find_in_path(struct arena *a, const char *root, const char *name)
{
	const char *path = getenv("PATH"), *colon;

	if (!path || !*path)
		path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	for (; *path; path = *colon ? colon + 1 : colon) {
		const char *full;

		colon = strchrnul(path, ':');
		if (colon == path)
			continue;
		full = arena_printf(a, "%s%.*s/%s", root, (int)(colon - path), path, name);
		if (is_program(full))
			return full;
	}
	return NULL;
}

const char *path_find_program(struct arena *a, const char *name)
{
	if (!*name)
		return NULL;
	if (strchr(name, '/'))
		return is_program(name) ? arena_strdup(a, name) : NULL;
	return find_in_path(a, "", name);
}

/* ---- libraries */

/* "libc.so.6" for any of libc, c, libc.so, libc.so.6, c.so.6 */
static bool library_matches(const char *soname, const char *name)
{
	const char *dot = strstr(name, ".so");
	size_t stem = dot ? (size_t)(dot - name) : strlen(name);

	if (starts_with(soname, "lib") && !starts_with(name, "lib"))
		soname += 3;
	if (strncmp(soname, name, stem) || !starts_with(soname + stem, ".so"))
		return false;
	/* without a version, any matches */
	return !dot || !dot[3] || streq(soname + stem, dot);
}

static const char *string_at(const char *base, size_t len, u32 off)
{
	return off < len && memchr(base + off, '\0', len - off) ? base + off : NULL;
}

static const char *search_cache(struct arena *a, const char *root, const char *base, size_t len,
				const char *name)
{
	struct cache_head head;
	struct cache_entry e;

	if (len < sizeof head)
		return NULL;
	memcpy(&head, base, sizeof head);
	for (u32 i = 0; i < head.n && (len - sizeof head) / sizeof e > i; i++) {
		const char *key, *value, *path;

		memcpy(&e, base + sizeof head + i * sizeof e, sizeof e);
		key = string_at(base, len, e.key);
		value = string_at(base, len, e.value);
		if ((e.flags & 0xffff) != CACHE_ABI || !key || !value ||
		    !library_matches(key, name))
			continue;
		path = arena_printf(a, "%s%s", root, value);
		if (access(path, R_OK) == 0)
			return path;
	}
	return NULL;
}

static const char *find_in_cache(struct arena *a, const char *root, const char *name)
{
	struct buf text = { 0 };
	const char *path = arena_printf(a, "%s/etc/ld.so.cache", root), *at, *found = NULL;

	if (buf_read_file(&text, path) == 0 && text.len) {
		at = memmem(text.s, text.len, magic, sizeof magic);
		if (at)
			found = search_cache(a, root, at, text.len - (size_t)(at - text.s), name);
	}
	buf_release(&text);
	return found;
}

static bool is_elf(const char *path)
{
	_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char head[4];
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && read(fd, head, 4) == 4 &&
	       !memcmp(head, "\177ELF", 4);
}

/*
 * The first library of a directory that matches a name without its version: libstdc++.so.6. A file
 * libc.so may be a linker script.
 */
static const char *find_in_dir(struct arena *a, const char *dir, const char *name)
{
	const char *lib = starts_with(name, "lib") ? "" : "lib",
		   *so = strstr(name, ".so") ? "" : ".so", *found = NULL;
	glob_t g;

	if (glob(arena_printf(a, "%s/%s%s%s*", dir, lib, name, so), 0, NULL, &g))
		return NULL;
	for (size_t i = 0; i < g.gl_pathc && !found; i++)
		if (library_matches(strrchr(g.gl_pathv[i], '/') + 1, name) && is_elf(g.gl_pathv[i]))
			found = arena_strdup(a, g.gl_pathv[i]);
	globfree(&g);
	return found;
}

/*
 * For C libraries without a cache (musl), containers without one, and libraries newer than the
 * cache.
 */
static const char *find_in_dirs(struct arena *a, const char *root, const char *name)
{
	static const char *const dirs[] = { "/lib64",        "/usr/lib64",        "/lib",
					    "/usr/lib",      "/usr/lib/" TRIPLET, "/lib/" TRIPLET,
					    "/usr/local/lib" };
	const char *found = NULL;

	for (u32 i = 0; i < ARRAY_SIZE(dirs) && !found; i++)
		found = find_in_dir(a, arena_printf(a, "%s%s", root, dirs[i]), name);
	return found;
}

static const char *find_library(struct arena *a, const char *root, const char *name)
{
	const char *path = find_in_cache(a, root, name);

	return path ? path : find_in_dirs(a, root, name);
}

const char *path_find_library(struct arena *a, const char *soname)
{
	return find_library(a, "", soname);
}

static const char *absolute(struct arena *a, const char *path)
{
	char *real;
	const char *copy;

	if (path[0] == '/')
		return arena_strdup(a, path);
	real = realpath(path, NULL);
	copy = real ? arena_strdup(a, real) : NULL;
	free(real);
	return copy;
}

const char *path_find_binary(struct arena *a, const char *name, s32 pid)
{
	const char *root = "", *found;

	if (!*name)
		return NULL;
	if (pid > 0 && proc_in_other_mnt_ns((u32)pid))
		root = arena_printf(a, "/proc/%d/root", pid);
	if (strchr(name, '/')) {
		found = *root && name[0] == '/' ? arena_printf(a, "%s%s", root, name) :
						  absolute(a, name);
		return found && access(found, R_OK) == 0 ? found : NULL;
	}
	if (starts_with(name, "lib") && (found = find_library(a, root, name)))
		return found;
	if ((found = find_in_path(a, root, name)) || (found = find_library(a, root, name)))
		return found;
	return access(name, R_OK) == 0 ? absolute(a, name) : NULL;
}

/* ---- patterns */

int path_glob(struct arena *a, const char *pattern, int (*f)(void *ctx, const char *path),
	      void *ctx)
{
	glob_t g;
	int r = glob(pattern, 0, NULL, &g);

	if (r == GLOB_NOMATCH)
		return 0;
	if (r)
		return r == GLOB_NOSPACE ? -ENOMEM : -EIO;
	for (size_t i = 0; i < g.gl_pathc && !r; i++)
		if (is_elf(g.gl_pathv[i]))
			r = f(ctx, arena_strdup(a, g.gl_pathv[i]));
	globfree(&g);
	return r;
}
