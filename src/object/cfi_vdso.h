/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to cfi.c. */
#ifndef SONDE_OBJECT_CFI_VDSO_H
#define SONDE_OBJECT_CFI_VDSO_H

#include "object/cfi.h"

/*
 * arm64's kernel describes a signal frame by the frame record next to it, which lacks the
 * interrupted pc and sp. Those are in the signal frame: struct rt_sigframe is a siginfo of 128
 * bytes and a ucontext, whose registers begin at 184 (arch/arm64/kernel/signal.c).
 */
extern const struct cfi_rule cfi_arm64_signal;

/* The rows of a vDSO of arm64 without call frame information, in address order. */
void cfi_each_vdso_row(struct elf *e, void (*f)(void *ctx, u64 address, const struct cfi_rule *r),
		       void *ctx);

#endif
