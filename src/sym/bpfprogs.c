/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loaded BPF programs, by bpf(2). Two queries for each object: the first returns sizes, the second
 * fills the arrays (kernel/bpf/syscall.c: bpf_prog_get_info_by_fd; kernel/bpf/btf.c:
 * btf_get_info_by_fd).
 */
#include "sym/bpfprogs.h"
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/fd.h"

static int sys_bpf(int cmd, union bpf_attr *a)
{
	return (int)syscall(SYS_bpf, cmd, a, sizeof *a);
}

static u64 ptr(const void *p)
{
	return (u64)(uintptr_t)p;
}

static bool next_id(int cmd, u32 *id)
{
	union bpf_attr a = { .start_id = *id };

	if (sys_bpf(cmd, &a) < 0)
		return false;
	*id = a.next_id;
	return true;
}

static int open_id(int cmd, u32 id)
{
	union bpf_attr a = { .prog_id = id };

	return sys_bpf(cmd, &a);
}

int bpf_prog_open(u32 id)
{
	return open_id(BPF_PROG_GET_FD_BY_ID, id);
}

static bool get_info(int fd, void *info, u32 size)
{
	union bpf_attr a = { .info = { .bpf_fd = (u32)fd, .info_len = size, .info = ptr(info) } };

	return sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &a) == 0;
}

int bpf_progs_each(int (*f)(void *ctx, u32 id), void *ctx)
{
	u32 id = 0;
	int ret = 0;

	while (!ret && next_id(BPF_PROG_GET_NEXT_ID, &id))
		ret = f(ctx, id);
	return ret ? ret : errno == ENOENT ? 0 : -errno;
}

static bool read_btf(u32 id, struct bpf_prog_types *out)
{
	_fd int fd = open_id(BPF_BTF_GET_FD_BY_ID, id);
	struct bpf_btf_info info = { 0 };

	if (fd < 0 || !get_info(fd, &info, sizeof info) || !info.btf_size)
		return false;
	out->len = info.btf_size;
	out->bytes = xmalloc(out->len);
	info = (struct bpf_btf_info){ .btf = ptr(out->bytes), .btf_size = (u32)out->len };
	if (get_info(fd, &info, sizeof info))
		return true;
	free(out->bytes);
	return false;
}

bool bpf_prog_types(u32 id, struct bpf_prog_types *out)
{
	_fd int fd = open_id(BPF_PROG_GET_FD_BY_ID, id);
	struct bpf_prog_info info = { 0 };
	struct bpf_func_info *funcs;
	u32 n, size, btf;
	bool got;

	if (fd < 0 || !get_info(fd, &info, sizeof info) || !info.btf_id || !info.nr_func_info ||
	    info.func_info_rec_size < sizeof *funcs)
		return false;
	n = info.nr_func_info;
	size = info.func_info_rec_size;
	btf = info.btf_id;
	funcs = xcalloc(n, size);
	info = (struct bpf_prog_info){ .nr_func_info = n,
				       .func_info_rec_size = size,
				       .func_info = ptr(funcs) };
	got = get_info(fd, &info, sizeof info) && read_btf(btf, out);
	out->func_type = funcs[0].type_id; /* the main function is first */
	free(funcs);
	return got;
}

int bpf_module_btf_fd(const char *module)
{
	char name[64];
	u32 id = 0;

	while (next_id(BPF_BTF_GET_NEXT_ID, &id)) {
		int fd = open_id(BPF_BTF_GET_FD_BY_ID, id);
		struct { /* 5.11: newer than the oldest supported headers */
			u64 btf;
			u32 btf_size, id;
			u64 name;
			u32 name_len, kernel_btf;
		} info = { .name = ptr(name), .name_len = sizeof name };

		if (fd < 0)
			continue;
		if (get_info(fd, &info, sizeof info) && info.kernel_btf && streq(name, module))
			return fd;
		close(fd);
	}
	errno = ENOENT;
	return -1;
}
