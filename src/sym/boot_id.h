/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identifies a boot of a machine: kernel addresses are valid for one boot only. */
#ifndef SONDE_SYM_BOOT_ID_H
#define SONDE_SYM_BOOT_ID_H

#include "base/base.h"

/* /proc/sys/kernel/random/boot_id; zeros if it cannot be read. */
void boot_id_read(u8 id[16]);

#endif
