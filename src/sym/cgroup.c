/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup ids. On 64-bit kernels the id of a cgroup is the inode number of its directory, and a file
 * handle of type FILEID_KERNFS (0xfe) holds it, so that open_by_handle_at() maps the id to the
 * directory (fs/kernfs/mount.c). That needs CAP_DAC_READ_SEARCH; without it the tree is walked.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <linux/magic.h>
#include "base/fd.h"
#include "base/glob.h"
#include "sym/cgroup.h"

enum { KERNFS_HANDLE = 0xfe, MAX_DEPTH = 64 };

static bool is_cgroup2(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
}

const char *cgroup_mount(void)
{
	static const char *const usual[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	static char elsewhere[256];
	char line[1024], type[32];
	FILE *f;

	for (u32 i = 0; i < ARRAY_SIZE(usual); i++)
		if (is_cgroup2(usual[i]))
			return usual[i];
	if (elsewhere[0])
		return elsewhere;
	f = fopen("/proc/self/mounts", "re");
	while (f && fgets(line, sizeof line, f)) {
		if (sscanf(line, "%*s %255s %31s", elsewhere, type) == 2 &&
		    streq(type, "cgroup2")) {
			fclose(f);
			return elsewhere;
		}
	}
	elsewhere[0] = '\0';
	if (f)
		fclose(f);
	return NULL;
}

/* The number of its parent directories in the same file system. */
static u32 level_of(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), up;
	struct statfs fs;
	u32 n = 0;

	while (fd >= 0 && n < MAX_DEPTH) {
		up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(fd);
		fd = up;
		if (fd < 0 || fstatfs(fd, &fs) < 0 || fs.f_type != CGROUP2_SUPER_MAGIC)
			break;
		n++;
	}
	fd_close(&fd);
	return n;
}

int cgroup_id(const char *path, u64 *id, u32 *level, struct err *err)
{
	const char *mount = cgroup_mount();
	char full[4096];
	struct stat st;

	if (!is_cgroup2(path) && mount) {
		snprintf(full, sizeof full, "%s/%s", mount, path);
		path = full;
	}
	if (stat(path, &st) < 0)
		return err_sys(err, "cgroup %s", path);
	if (!is_cgroup2(path) || !S_ISDIR(st.st_mode))
		return err_set(err, -EINVAL, "%s is not a cgroup (version 2)", path);
	*id = (u64)st.st_ino;
	*level = level_of(path);
	return 0;
}

/* The path after the mount point: "/" for the root. */
static const char *below(const char *mount, const char *path)
{
	size_t n = strlen(mount);

	if (strncmp(path, mount, n))
		return path;
	return path[n] ? path + n : "/";
}

static const char *by_handle(struct arena *a, const char *mount, u64 id)
{
	union {
		struct file_handle handle;
		u8 bytes[sizeof(struct file_handle) + sizeof(u64)];
	} h = { .handle = { .handle_bytes = sizeof(u64), .handle_type = KERNFS_HANDLE } };
	_fd int mount_fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_fd int fd = -1;
	char path[4096];

	memcpy(h.bytes + offsetof(struct file_handle, f_handle), &id, sizeof id);
	if (mount_fd < 0)
		return NULL;
	errno = 0;
	fd = open_by_handle_at(mount_fd, &h.handle, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	return fd_path(fd, path, sizeof path) ? arena_strdup(a, below(mount, path)) : NULL;
}

/* ---- walking */

struct walk {
	char path[4096];
	size_t mount_len;
	int (*f)(void *ctx, u64 id, const char *path);
	void *ctx;
};

static int walk(struct walk *w, size_t len, u32 depth)
{
	const char *shown = w->path[w->mount_len] ? w->path + w->mount_len : "/";
	struct dirent *e;
	struct stat st;
	DIR *d;
	int r;

	if (stat(w->path, &st) < 0)
		return 0;
	r = w->f(w->ctx, (u64)st.st_ino, shown);
	d = r || depth == MAX_DEPTH ? NULL : opendir(w->path);
	while (d && !r && (e = readdir(d))) {
		size_t n = strlen(e->d_name);

		if (e->d_type != DT_DIR || e->d_name[0] == '.' || len + n + 2 > sizeof w->path)
			continue;
		w->path[len] = '/';
		memcpy(w->path + len + 1, e->d_name, n + 1);
		r = walk(w, len + 1 + n, depth + 1);
		w->path[len] = '\0';
	}
	if (d)
		closedir(d);
	return r;
}

static int walk_all(const char *mount, int (*f)(void *ctx, u64 id, const char *path), void *ctx)
{
	struct walk w = { .f = f, .ctx = ctx };

	if (!mount)
		return -ENOENT;
	w.mount_len = strlen(mount);
	memcpy(w.path, mount, w.mount_len + 1);
	return walk(&w, w.mount_len, 0);
}

struct wanted {
	struct arena *a;
	u64 id;
	const char *found;
};

static int match_id(void *ctx, u64 id, const char *path)
{
	struct wanted *w = ctx;

	if (id != w->id)
		return 0;
	w->found = arena_strdup(w->a, path);
	return 1;
}

/* ---- hierarchies: version 2 is "unified", version 1 ones are named after their mount
 * directories */

struct hierarchy {
	const char *name, *mount;
};

enum { MAX_HIERARCHIES = 32 };

static int by_name(const void *a, const void *b)
{
	const struct hierarchy *x = a, *y = b;
	bool first = streq(x->name, "unified"), second = streq(y->name, "unified");

	return first || second ? second - first : strcmp(x->name, y->name);
}

static u32 hierarchies(struct arena *a, struct hierarchy *h)
{
	char line[1024], mount[512], type[32];
	FILE *f = fopen("/proc/self/mounts", "re");
	u32 n = 0;

	while (f && n < MAX_HIERARCHIES && fgets(line, sizeof line, f)) {
		if (sscanf(line, "%*s %511s %31s", mount, type) != 2 ||
		    !starts_with(type, "cgroup"))
			continue;
		h[n].mount = arena_strdup(a, mount);
		h[n].name = streq(type, "cgroup2") ? "unified" : strrchr(h[n].mount, '/') + 1;
		n++;
	}
	if (f)
		fclose(f);
	qsort(h, n, sizeof *h, by_name);
	return n;
}

const char *cgroup_path(struct arena *a, u64 id, const char *filter)
{
	struct hierarchy h[MAX_HIERARCHIES];
	u32 n = hierarchies(a, h), asked = 0;
	const char *text = "";

	for (u32 i = 0; i < n; i++) {
		struct wanted w = { .a = a, .id = id };

		if (filter && *filter && !glob_match(filter, h[i].name))
			continue;
		asked++;
		w.found = by_handle(a, h[i].mount, id);
		if (!w.found && errno == EPERM)
			walk_all(h[i].mount, match_id, &w);
		if (w.found)
			text = arena_printf(a, "%s%s%s:%s", text, *text ? "," : "", h[i].name,
					    w.found);
	}
	return *text || (filter && *filter && !asked) ? text : NULL;
}
