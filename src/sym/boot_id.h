/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which boot of which machine this is: addresses of the kernel are those of one boot. */
#ifndef SONDE_SYM_BOOT_ID_H
#define SONDE_SYM_BOOT_ID_H

#include "base/base.h"

/* /proc/sys/kernel/random/boot_id; zeroes if it cannot be read. */
void boot_id_read(u8 id[16]);

#endif
