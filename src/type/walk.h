/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which members of the kernel's structures a verifier lets a program load without a helper. */
#ifndef SONDE_TYPE_WALK_H
#define SONDE_TYPE_WALK_H

#include "type/type.h"

enum walk {
	WALK_REFUSED, /* or not known to be accepted by every kernel */
	WALK_NUMBER,
	WALK_POINTER, /* to a structure of the kernel, which *to is */
};

/*
 * What a verifier makes of a load of size bytes at this offset of t, a structure of the kernel's own BTF
 * (kernel/bpf/btf.c, btf_struct_walk): it looks for the first member that covers the place, whichever the script
 * named, so another member of a union may be refused, or be a number where a pointer was meant.
 */
enum walk type_walk(const struct type *t, u32 offset, u32 size, const struct type **to);

/* Whether both are the same structure of the kernel's BTF. */
bool type_same_in_kernel(const struct type *a, const struct type *b);

#endif
