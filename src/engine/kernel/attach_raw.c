/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attachments without a perf event: raw tracepoints (kernel/trace/bpf_trace.c, bpf_probe_register),
 * trampolines (kernel/bpf/trampoline.c) and iterators (kernel/bpf/bpf_iter.c). All close fast.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/buf.h"
#include "engine/kernel/internal.h"
#include "sym/tracefs.h"

static bool is_typed(const struct kernel *k, u32 func)
{
	return k->prog->funcs.v[func]->load.prog_type == BPF_PROG_TYPE_TRACING;
}

static int open_raw_tracepoint(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	int fd = bpf_raw_tracepoint_open(is_typed(k, func) ? NULL : s->tracepoint,
					 k->loaded[func].fd, site_cookie(k, func, s));

	if (fd < 0)
		return refused(err, TRIED_RAW_TRACEPOINT, "attach to raw tracepoint %s",
			       s->tracepoint);
	kernel_keep(k, fd, false);
	return 0;
}

int kernel_put_slots(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	const struct bpf_func *f = k->prog->funcs.v[func];

	for (u32 i = 0; i < f->n_slots; i++)
		if (bpf_map_update(k->map_fd[f->jump_map], &f->slots[i], &k->loaded[func].fd,
				   BPF_ANY) < 0)
			return refused(err, TRIED_RAW_TRACEPOINT, "have %s jumped to", s->probe);
	return 0;
}

/* The first program that is reached by a tail call attaches the dispatcher. */
static int attach_slots(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	const struct bpf_func *f = k->prog->funcs.v[func];
	struct loaded *dispatcher = &k->loaded[f->dispatcher - 1];
	int ret = kernel_put_slots(k, func, s, err);

	if (ret < 0)
		return ret;
	if (!dispatcher->is_attached) {
		ret = kernel_load(k, f->dispatcher - 1, err);
		if (ret >= 0)
			ret = open_raw_tracepoint(k, f->dispatcher - 1, s, err);
		if (ret < 0)
			return ret;
		dispatcher->is_attached = true;
	}
	return kernel_note(k, func, 1, "%s: raw tracepoint %s%s, by number of the call", s->probe,
			   s->tracepoint, is_typed(k, func) ? " with types" : "");
}

int attach_raw_tracepoint(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	int ret;

	if (k->prog->funcs.v[func]->dispatcher)
		return attach_slots(k, func, s, err);
	ret = open_raw_tracepoint(k, func, s, err);
	if (ret < 0)
		return ret;
	return kernel_note(k, func, 1, "%s: raw tracepoint %s%s",
			   s->probe ? s->probe : s->tracepoint, s->tracepoint,
			   is_typed(k, func) ? " with types" : "");
}

/*
 * Before 6.4 (kernel commit 31bf1dbccfb0) a trampoline for a module's function was put on the
 * kernel's own function if that has the same name. The function tracer gives its address:
 * "comm_write [module] (1) ...". If this is unknown, the symbol is used.
 */
static bool is_on_namesake(const struct site *s)
{
	struct buf text = { 0 };
	char *line = xasprintf("\n%s [%s]", s->kernel.symbol, s->kernel.module);
	const char *root = tracefs_path(NULL);
	char *path = xasprintf("%s/enabled_functions", root ? root : "");
	bool known = buf_read_file(&text, path) == 0 && text.s;
	bool right = known && (strstr(text.s, line) || starts_with(text.s, line + 1));

	free(path);
	free(line);
	buf_release(&text);
	return known && !right;
}

static int on_namesake(struct err *err, const struct site *s)
{
	err_set(err, -EADDRNOTAVAIL,
		"attach %s: this kernel confuses it with its own function of that name", s->probe);
	err_help(err, "Linux 6.4 and later tell them apart: use kprobe:%s:%s or kretprobe:%s:%s",
		 s->kernel.module, s->kernel.symbol, s->kernel.module, s->kernel.symbol);
	return -EADDRNOTAVAIL;
}

/* The kernel finds the function by its name, and takes the first. */
static int several(struct err *err, const struct site *s)
{
	err_set(err, -EADDRNOTAVAIL, "attach to %s: several functions have this name", s->probe);
	err_help(err, "kprobe:%s probes all of them", s->kernel.symbol);
	return -EADDRNOTAVAIL;
}

/* Whether, by tracefs, neither the function tracer nor a trampoline can attach there. */
static bool is_untraceable(const struct site *s)
{
	struct buf text = { 0 };
	const char *root = tracefs_path(NULL);
	char *path = xasprintf("%s/available_filter_functions", root ? root : "");
	size_t len = s->kernel.symbol ? strlen(s->kernel.symbol) : 0;
	bool found = buf_read_file(&text, path) < 0 || !text.s || !len;

	for (const char *line = found ? NULL : text.s; line && !found;
	     line = strchr(line, '\n'), line += line != NULL)
		found = starts_with(line, s->kernel.symbol) &&
			(line[len] == '\n' || line[len] == ' ');
	free(path);
	buf_release(&text);
	return !found;
}

static int refused_trampoline(struct err *err, const struct site *s)
{
	int error = errno;

	if (error == EBUSY && is_untraceable(s)) {
		err_set(err, -EBUSY, "attach to %s: the kernel forbids tracing this function",
			s->probe);
		err_help(
			err,
			"probes themselves run through it, or nothing may interrupt it: probe its callers or callees");
		return -EBUSY;
	}
	errno = error;
	return refused(err, TRIED_TRAMPOLINE, "attach %s", s->probe);
}

int attach_trampoline(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	u64 cookie = site_cookie(k, func, s);
	int prog = k->loaded[func].fd, fd;

	if (s->kernel.symbol && !k->prog->funcs.v[func]->load.module &&
	    !k->prog->funcs.v[func]->load.bpf_prog && is_one_of_several(k, s->kernel.symbol))
		return several(err, s);
	if (cookie) /* 5.19; without a cookie the older call suffices */
		fd = bpf_link_tracing(prog, k->prog->funcs.v[func]->load.attach_type, cookie);
	else
		fd = bpf_raw_tracepoint_open(NULL, prog, 0);
	if (fd < 0)
		return refused_trampoline(err, s);
	kernel_keep(k, fd, true);
	if (s->kernel.module && is_on_namesake(s))
		return on_namesake(err, s);
	return kernel_note(k, func, 1, "%s: trampoline", s->probe);
}

int attach_trampoline_session(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	const struct bpf_func *f = k->prog->funcs.v[func];
	int fd;

	if (s->kernel.symbol && !f->load.module && !f->load.bpf_prog &&
	    is_one_of_several(k, s->kernel.symbol))
		return several(err, s);
	fd = bpf_raw_tracepoint_open(NULL, k->loaded[func].session_fd, 0);
	if (fd < 0)
		return refused_trampoline(err, s);
	kernel_keep(k, fd, true);
	return kernel_note(k, func, 1, "%s: one trampoline session for entry and return", s->probe);
}

static int pin(int link, const char *path, struct err *err)
{
	int ret;

	if (bpf_obj_pin(link, path) == 0)
		return 0;
	ret = err_sys(err, "pin the iterator as %s", path);
	if (ret == -EEXIST)
		err_help(err, "remove that file first, or choose another name");
	else if (ret == -EPERM || ret == -ENOENT)
		err_help(err,
			 "the path must be in a BPF file system: mount -t bpf bpf /sys/fs/bpf");
	return ret;
}

static int no_link(struct err *err, const struct site *s)
{
	if (errno != EBADF)
		return refused(err, TRIED_ITER, "attach %s", s->probe);
	err_set(err, -EBADF, "attach %s: it iterates over the elements of one BPF map", s->probe);
	err_help(err, "a script cannot name maps of other programs; iter:bpf_map lists them");
	return -EBADF;
}

int attach_iter(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	int link = bpf_link_iter(k->loaded[func].fd), ret;

	if (link < 0)
		return no_link(err, s);
	kernel_keep(k, link, false);
	k->loaded[func].iter_link = link;
	ret = s->pin ? pin(link, s->pin, err) : 0;
	if (ret < 0)
		return ret;
	return kernel_note(k, func, 1, "%s: iterator, run when it is read", s->probe);
}

int kernel_iter_open(struct kernel *k, u32 func, struct err *err)
{
	int fd = bpf_iter_create(k->loaded[func].iter_link);

	return fd < 0 ?
		       refused(err, TRIED_ITER, "start iterator %s", k->prog->funcs.v[func]->name) :
		       fd;
}
