/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libdebuginfod (elfutils), opened when a build id has no file here and the environment names servers. It
 * keeps what it fetches, and what it did not find, in ~/.cache/debuginfod_client.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
#include "sym/debuginfod.h"

#if defined(SONDE_STATIC) && SONDE_STATIC

char *debuginfod_path(const u8 *build_id, u32 len)
{
	return NULL;
}

#else

struct client;

static struct {
	struct client *(*begin)(void);
	int (*find_debuginfo)(struct client *c, const u8 *id, int len, char **path);
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
	lib.begin = (struct client * (*)(void))(uintptr_t)dlsym(so, "debuginfod_begin");
	lib.find_debuginfo = (int (*)(struct client *, const u8 *, int, char **))(uintptr_t)
		dlsym(so, "debuginfod_find_debuginfo");
	if (lib.begin && lib.find_debuginfo)
		lib.end = (void (*)(struct client *))(uintptr_t)dlsym(so, "debuginfod_end");
	return lib.end != NULL;
}

char *debuginfod_path(const u8 *build_id, u32 len)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct client *c;
	char *path = NULL;
	int fd;

	if (!urls || !*urls || !len || !load())
		return NULL;
	c = lib.begin();
	if (!c)
		return NULL;
	fd = lib.find_debuginfo(c, build_id, (int)len, &path);
	lib.end(c);
	if (fd >= 0)
		close(fd);
	return fd >= 0 ? path : NULL;
}

#endif
