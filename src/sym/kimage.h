/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The image of the running kernel (vmlinux) with debug information: packages of distributions and
 * builds of kernels leave it in a few places. It is the image only if it has the kernel's build id.
 */
#ifndef SONDE_SYM_KIMAGE_H
#define SONDE_SYM_KIMAGE_H

#include "sym/usym.h"

struct kallsyms;

/* The build id of the running kernel; malloc'ed, NULL: not known. */
u8 *kimage_build_id(u32 *len);
/* Whether the file is the image of the running kernel. */
bool kimage_is_running(const char *path);
/* Where the image is; malloc'ed, NULL: it is not on this machine. */
char *kimage_find(void);

struct kimage;

/* Never NULL; path NULL: where kimage_find() finds it. It is opened when the first address is
 * looked up. */
struct kimage *kimage_new(const char *path);
void kimage_free(struct kimage *k); /* k may be NULL */
/*
 * The depth-th function that contains the kernel's address, innermost first; is_return: the line of
 * the call before the address is wanted. False: none, or there is no image. Strings are valid until
 * the next call.
 */
bool kimage_source(struct kimage *k, struct kallsyms *symbols, u64 address, bool is_return,
		   u32 depth, struct usource *out);

#endif
