/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches the features of the kernel per boot and user, so that a feature is probed once, not at
 * each start. The file is read on first use, and written at the end if features were probed.
 *
 *	/run/sonde (0700, ours)   or $XDG_RUNTIME_DIR/sonde
 *	   features-<boot id>-<uid>:
 *		sonde-features 1 000001ffffffffff none		version, capabilities, lockdown
 *		BTF=1
 *		KPROBE=0
 *
 * The cache is valid only if its first line is what this process would write: with other
 * privileges, or in a mount namespace that hides BTF or sysfs, the results differ. Results that may
 * change are not written: those of features that could not be probed (a sysctl decides), and of
 * features that change while the kernel runs. A directory that another user owns or can enter is
 * not used. A broken file costs only the probing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/fd.h"
#include "engine/kernel/internal.h"

enum { CACHE_VERSION = 1 };

struct cache {
	bool read;    /* reading the file was attempted */
	bool learned; /* features were probed since then */
	char file[96];
	char head[96];
};

static struct cache cache;

static bool name_cache(void)
{
	struct buf boot = { 0 };
	bool good = buf_read_file(&boot, "/proc/sys/kernel/random/boot_id") == 0 && boot.len >= 36;

	if (good)
		snprintf(cache.file, sizeof cache.file, "features-%.36s-%u", boot.s,
			 (unsigned)geteuid());
	buf_release(&boot);
	snprintf(cache.head, sizeof cache.head, "sonde-features %d %016llx %s%s%s\n", CACHE_VERSION,
		 (unsigned long long)effective_capabilities(), lockdown_file(),
		 access("/sys/kernel/btf/vmlinux", R_OK) ? " no-btf" : "",
		 access("/sys/bus/event_source", F_OK) ? " no-sysfs" : "");
	return good;
}

/* Lines are in the order of the rows, and some rows have no line: the row of this line is `from` or
 * a later one. */
static u32 parse_line(struct features *f, const char *line, size_t len, u32 from)
{
	for (u32 i = from; i < N_FEATURES; i++) {
		size_t n = strlen(feature_rows[i].name);

		if (len == n + 2 && line[n] == '=' && memcmp(line, feature_rows[i].name, n) == 0) {
			f->known[i] = line[n + 1] == '1' ? FEATURE_YES : FEATURE_NO;
			return i + 1;
		}
	}
	return from;
}

static void parse_cache(struct features *f, const char *text)
{
	u32 from = 0;

	if (!starts_with(text, cache.head))
		return;
	for (text += strlen(cache.head); *text;) {
		size_t len = strcspn(text, "\n");

		from = parse_line(f, text, len, from);
		text += len + (text[len] == '\n');
	}
}

static void read_cache(struct features *f)
{
	_fd int dir = name_cache() ? private_dir() : -1;
	_fd int fd = dir < 0 ? -1 : openat(dir, cache.file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char text[2048];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (n <= 0)
		return;
	text[n] = '\0';
	parse_cache(f, text);
}

static void save_at_exit(void)
{
	kernel_features_save(kernel_features());
}

static enum feature_answer ask(struct features *f, enum feature id)
{
	enum feature_answer answer;

	if (!cache.read) {
		cache.read = true;
		read_cache(f);
		if (f->known[id])
			return (enum feature_answer)f->known[id];
	}
	answer = feature_try(id);
	if (answer == FEATURE_DENIED)
		return answer;
	if (!cache.learned)
		atexit(save_at_exit);
	cache.learned = true;
	return answer;
}

struct features *kernel_features(void)
{
	static struct features features = { .probe = ask, .may_call = may_call_kfunc };

	return &features;
}

static bool may_change(u32 id)
{
	return id == FEAT_FENTRY_STEADY; /* debugfs, sched/preempt */
}

/* Written to a temporary file and renamed: readers see the old file or the new one. */
void kernel_features_save(struct features *f)
{
	char aside[128];
	struct buf b = { 0 };
	_fd int dir = cache.learned && *cache.file && !f->pretended ? private_dir() : -1;
	_fd int fd = -1;

	if (dir < 0)
		return;
	buf_puts(&b, cache.head);
	for (u32 i = 0; i < N_FEATURES; i++)
		if (!may_change(i) && (f->known[i] == FEATURE_YES || f->known[i] == FEATURE_NO))
			buf_printf(&b, "%s=%d\n", feature_rows[i].name, f->known[i] == FEATURE_YES);
	snprintf(aside, sizeof aside, "%s.new", cache.file);
	fd = openat(dir, aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 &&
	    errno ==
		    EEXIST) /* another process is writing, or was killed while writing: the next run writes */
		unlinkat(dir, aside, 0);
	if (fd >= 0 && write_all(fd, b.s, b.len) == 0 && renameat(dir, aside, dir, cache.file) == 0)
		cache.learned = false;
	else if (fd >= 0)
		unlinkat(dir, aside, 0);
	buf_release(&b);
}

void kernel_features_refresh(struct features *f)
{
	_fd int dir = name_cache() ? private_dir() : -1;

	if (dir >= 0)
		unlinkat(dir, cache.file, 0);
	memset(f->known, 0, sizeof f->known);
	cache.read = true;
	cache.learned = false;
}
