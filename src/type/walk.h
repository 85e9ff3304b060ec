/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of kernel structures that the verifier lets a program load without a helper. */
#ifndef SONDE_TYPE_WALK_H
#define SONDE_TYPE_WALK_H

#include "type/type.h"

enum walk {
	WALK_REFUSED, /* or not accepted by every kernel */
	WALK_NUMBER,
	WALK_POINTER, /* to a kernel structure, *to */
};

/*
 * The verifier's result for a load of size bytes at this offset of t, a structure of the kernel's
 * own BTF (kernel/bpf/btf.c, btf_struct_walk). The verifier takes the first member that covers the
 * access, whichever the script named, so another member of a union may be refused, or be a number
 * where a pointer was meant.
 */
enum walk type_walk(const struct type *t, u32 offset, u32 size, const struct type **to);

/* Both are the same structure of the kernel's BTF. */
bool type_same_in_kernel(const struct type *a, const struct type *b);

#endif
