/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF's instruction set where linux/bpf.h of the oldest supported distribution (6.1) stops short, for whoever
 * writes, checks or runs instructions. Documentation/bpf/standardization/instruction-set.rst.
 */
#ifndef SONDE_TYPE_BPF_ISA_H
#define SONDE_TYPE_BPF_ISA_H

#include <linux/bpf.h>
#include "base/base.h"

#ifndef BPF_MEMSX
#define BPF_MEMSX 0x80 /* sign-extending load, 6.6 */
#endif
#ifndef BPF_LOAD_ACQ
#define BPF_LOAD_ACQ 0x100 /* atomic load and store, 6.15 */
#define BPF_STORE_REL 0x110
#endif

/* Bytes that a load, store or atomic operation touches. */
static inline u32 bpf_access_size(u8 code)
{
	switch (BPF_SIZE(code)) {
	case BPF_B: return 1;
	case BPF_H: return 2;
	case BPF_W: return 4;
	default: return 8;
	}
}

#endif
