/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -y: what descriptors are. In: a record with the path of the kernel's own file before each call
 * that takes a descriptor, and before each return of one. Out: that path, when the arguments become
 * text. Descriptors that are in memory only (poll, pipe) and were not seen yet are looked up in
 * /proc.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "cli/strace/strace.h"
#include "engine/kernel/kernel.h"

enum { FILES_MORE = 16 /* entries that are allocated at once */ };

struct strace_file {
	s32 fd;
	char *text;
};

static struct strace_thread *process(const struct strace *st, u32 pid)
{
	return hash_get(&st->threads, &pid, sizeof pid);
}

static struct strace_file *find(const struct strace_files *files, s32 fd)
{
	for (u32 i = 0; i < files->n; i++)
		if (files->v[i].fd == fd)
			return &files->v[i];
	return NULL;
}

static const char *set(struct strace_files *files, s32 fd, const char *text, size_t len)
{
	struct strace_file *file = find(files, fd);

	if (!file) {
		if (files->n % FILES_MORE == 0)
			files->v = xrealloc(files->v, (files->n + FILES_MORE) * sizeof *file);
		file = &files->v[files->n++];
		*file = (struct strace_file){ .fd = fd };
	}
	file->text = xrealloc(file->text, len + 1);
	memcpy(file->text, text, len);
	file->text[len] = '\0';
	return file->text;
}

/* Without bpf_loop() verifiers follow each iteration. */
bool strace_lists_files(void)
{
	return feature_has(kernel_features(), FEAT_BPF_LOOP);
}

/* --decode-fds=dev without path: of devices alone. What -P compares is kept. */
bool strace_shows_path(const struct strace *st, u32 mode)
{
	return st->o.n_paths || st->o.files & DECODE_PATH ||
	       (st->o.files & DECODE_DEVICE && (S_ISCHR(mode) || S_ISBLK(mode)));
}

/* -yy: "<char 1:3>" after the path of a device. */
void strace_put_device(struct buf *b, u32 mode, u32 dev)
{
	if (S_ISCHR(mode) || S_ISBLK(mode))
		buf_printf(b, NAMES_REST "<%s %u:%u>", S_ISCHR(mode) ? "char" : "block", dev >> 20,
			   dev & 0xfffff);
}

void strace_forget_files(struct strace_files *files)
{
	for (u32 i = 0; i < files->n; i++)
		free(files->v[i].text);
	free(files->v);
	*files = (struct strace_files){ 0 };
}

void strace_set_file(struct strace *st, struct strace_thread *th, s32 fd, const char *text,
		     size_t len)
{
	struct strace_thread *of = process(st, th->pid);

	set(&th->next_files, fd, text, len);
	if (of)
		set(&of->files, fd, text, len);
}

void strace_close_file(struct strace *st, const struct strace_thread *th, s32 fd)
{
	struct strace_thread *of = process(st, th->pid);
	struct strace_file *file = of ? find(&of->files, fd) : NULL;

	if (!file)
		return;
	free(file->text);
	*file = of->files.v[--of->files.n];
}

/* Records since the last event of the thread belong to this one. */
void strace_take_files(struct strace_thread *th)
{
	strace_forget_files(&th->call_files);
	th->call_files = th->next_files;
	th->next_files = (struct strace_files){ 0 };
}

/* "/proc/7/fd/3" leads to what path() shows. */
static const char *look_up(const struct strace *st, s32 fd)
{
	struct strace_thread *of = process(st, st->shown->pid);
	const char *found = NULL;
	struct buf name = { 0 };
	char link[64], text[4096];
	struct stat s;
	ssize_t n;

	snprintf(link, sizeof link, "/proc/%u/fd/%d", st->shown->pid, fd);
	n = of ? readlink(link, text, sizeof text) : 0;
	if (n <= 0)
		return NULL;
	if (stat(link, &s))
		s = (struct stat){ 0 };
	if (strace_shows_path(st, s.st_mode))
		buf_add(&name, text, (size_t)n);
	if (st->o.files & DECODE_DEVICE)
		strace_put_device(&name, s.st_mode, major(s.st_rdev) << 20 | minor(s.st_rdev));
	found = set(&of->files, fd, name.len ? name.s : "", name.len);
	buf_release(&name);
	return found;
}

static const char *file_of(struct strace *st, s32 fd, bool is_arg)
{
	struct strace_thread *of = process(st, st->shown->pid);
	const struct strace_file *file = is_arg ? NULL : find(&st->shown->next_files, fd);

	if (!file)
		file = find(&st->shown->call_files, fd);
	if (!file && !st->shown->was_in_call && st->shown->call && st->shown->call->lists_fds)
		return NULL;
	if (!file && !is_arg && of)
		file = find(&of->files, fd);

	if (file)
		return file->text;
	return is_arg && !st->shown->was_in_call ? NULL : look_up(st, fd);
}

const char *strace_file(void *ctx, s32 fd, bool is_arg)
{
	const char *text = file_of(ctx, fd, is_arg);

	return text && *text ? text : NULL;
}
