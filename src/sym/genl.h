/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Families of generic netlink by their numbers, which differ from machine to machine. */
#ifndef SONDE_SYM_GENL_H
#define SONDE_SYM_GENL_H

#include "base/arena.h"
#include "type/call.h"

/* Asks the kernel; names are in the arena. Returns how many there are, at most max. */
u32 genl_families(struct arena *a, struct call_name *v, u32 max);

#endif
