/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of ioctl requests: ioctls.def, which build-aux/gen-ioctls makes of headers. */
#ifndef SONDE_SYM_IOCTLS_H
#define SONDE_SYM_IOCTLS_H

#include "base/arena.h"
#include "type/call.h"

/* All, sorted by number, those of one number by name; returns how many. in_i386: as 32-bit
 * programs have them. */
u32 ioctl_names(struct arena *a, bool in_i386, struct call_name **names);
/* false: no such name. *number 0: programs of this kind have no such request. */
bool ioctl_find(const char *name, bool in_i386, s64 *number);
/* Ends with an empty row. `of` is set by find. */
const struct call_request *ioctl_requests(struct call_set *(*find)(const char *set));

#endif
