/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks in nanoseconds. */
#ifndef SONDE_BASE_CLOCK_H
#define SONDE_BASE_CLOCK_H

#include "base/base.h"

u64 clock_mono_ns(void);
u64 clock_boot_ns(void);
u64 clock_real_ns(void);
/* Length of a jiffy, the kernel's timer tick: 4 000 000 with CONFIG_HZ=250. */
u64 clock_tick_ns(void);
/* Add to a boot-clock timestamp to get wall-clock time; sampled once at first use. */
s64 clock_boot_to_real_ns(void);

#endif
