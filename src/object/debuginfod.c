/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fetches debug files with libdebuginfod (elfutils), loaded when a build id has no local file and
 * the environment names servers. It caches files and misses; for the location see
 * debuginfod_find_debuginfo(3).
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/clock.h"
#include "object/debuginfod.h"

static char *hex(const u8 *id, u32 len)
{
	struct buf b = { 0 };

	for (u32 i = 0; i < len; i++)
		buf_printf(&b, "%02x", id[i]);
	return buf_steal(&b);
}

/* ---- the cache */

static char *file_in(char *cache, const char *id)
{
	char *path = xasprintf("%s/%s/debuginfo", cache, id);
	struct stat st;

	free(cache);
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size) /* an empty file: a cached miss */
		return path;
	free(path);
	return NULL;
}

char *debuginfod_cached(const u8 *build_id, u32 len)
{
	const char *cache = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME"),
		   *xdg = getenv("XDG_CACHE_HOME");
	char *id, *path = NULL;

	if (!len || (!cache && !xdg && !home))
		return NULL;
	id = hex(build_id, len);
	if (cache)
		path = file_in(xstrdup(cache), id);
	if (!path && home) /* the location before elfutils 0.180 */
		path = file_in(xasprintf("%s/.debuginfod_client_cache", home), id);
	if (!path && xdg)
		path = file_in(xasprintf("%s/debuginfod_client", xdg), id);
	if (!path && home)
		path = file_in(xasprintf("%s/.cache/debuginfod_client", home), id);
	free(id);
	return path;
}

/* ---- the servers */

static bool allowed;
static struct {
	void (*f)(void *ctx, const char *build_id);
	void *ctx;
} on_wait;

void debuginfod_allow(bool on)
{
	allowed = on;
}

void debuginfod_on_wait(void (*f)(void *ctx, const char *build_id), void *ctx)
{
	on_wait.f = f;
	on_wait.ctx = ctx;
}

#if defined(SONDE_STATIC) && SONDE_STATIC

char *debuginfod_fetch(const u8 *build_id, u32 len)
{
	return NULL;
}

#else

struct client;

static struct {
	struct client *(*begin)(void);
	int (*find_debuginfo)(struct client *c, const u8 *id, int len, char **path);
	void (*set_progressfn)(struct client *c, int (*f)(struct client *c, long done, long all));
	void (*end)(struct client *c);
} lib;

static bool load(void)
{
	static bool tried;
	void *so;

	if (tried)
		return lib.end != NULL;
	tried = true;
	so = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (!so)
		return false;
	*(void **)&lib.begin = dlsym(so, "debuginfod_begin");
	*(void **)&lib.find_debuginfo = dlsym(so, "debuginfod_find_debuginfo");
	*(void **)&lib.set_progressfn = dlsym(so, "debuginfod_set_progressfn");
	if (lib.begin && lib.find_debuginfo && lib.set_progressfn)
		*(void **)&lib.end = dlsym(so, "debuginfod_end");
	return lib.end != NULL;
}

enum { PATIENCE_NS = 1000000000 }; /* longer downloads are reported */

/* The current download; there is one at a time. */
static struct {
	const char *build_id; /* NULL: already reported */
	u64 since;            /* start time in ns */
} wait;

static int progress(struct client *c, long done, long all)
{
	if (wait.build_id && on_wait.f && clock_mono_ns() - wait.since > PATIENCE_NS) {
		on_wait.f(on_wait.ctx, wait.build_id);
		wait.build_id = NULL;
	}
	return 0;
}

/* A descriptor of the file, or a negative error. */
static int ask(const u8 *build_id, u32 len, const char *id, char **path)
{
	struct client *c = lib.begin();
	int fd;

	if (!c)
		return -1;
	wait.build_id = id;
	wait.since = clock_mono_ns();
	lib.set_progressfn(c, progress);
	fd = lib.find_debuginfo(c, build_id, (int)len, path);
	lib.end(c);
	return fd;
}

/* Files that servers did not have: an unresponsive server delays only once. */
static struct miss {
	struct miss *next;
	char *id;
} * misses;

static bool was_missed(const char *id)
{
	for (const struct miss *m = misses; m; m = m->next)
		if (streq(m->id, id))
			return true;
	return false;
}

static void remember_miss(const char *id)
{
	struct miss *m = xmalloc(sizeof *m);

	*m = (struct miss){ misses, xstrdup(id) };
	misses = m;
}

char *debuginfod_fetch(const u8 *build_id, u32 len)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *path = NULL, *id;
	int fd = -1;

	if (!allowed || !urls || !*urls || !len || !load())
		return NULL;
	id = hex(build_id, len);
	if (!was_missed(id)) {
		fd = ask(build_id, len, id, &path);
		if (fd < 0)
			remember_miss(id);
		else
			close(fd);
	}
	free(id);
	return fd < 0 ? NULL : path;
}

#endif
