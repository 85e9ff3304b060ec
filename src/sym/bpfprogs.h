/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loaded BPF programs and their type information. */
#ifndef SONDE_SYM_BPFPROGS_H
#define SONDE_SYM_BPFPROGS_H

#include "base/base.h"

/* From the bpf_prog_info and bpf_btf_info of include/uapi/linux/bpf.h. */
struct bpf_prog_types {
	u32 func_type; /* BTF id of the program's main function */
	void *bytes;   /* its BTF, malloc'ed; the caller frees */
	size_t len;
};

/*
 * Ids in ascending order; a nonzero return of f stops the walk and is returned. -errno: not
 * allowed.
 */
int bpf_progs_each(int (*f)(void *ctx, u32 id), void *ctx);
/* false: gone, not allowed, or without BTF. */
bool bpf_prog_types(u32 id, struct bpf_prog_types *out);
/* Descriptor of a program, or -1 with errno. */
int bpf_prog_open(u32 id);
/* Descriptor of a module's BTF object (name as in /sys/kernel/btf), or -1 with errno. */
int bpf_module_btf_fd(const char *module);

#endif
