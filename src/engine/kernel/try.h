/* SPDX-License-Identifier: GPL-2.0-or-later */
/* try_run.c: features of user-space probes that only show when code runs. */
#ifndef SONDE_ENGINE_TRY_H
#define SONDE_ENGINE_TRY_H

#include "base/base.h"

bool try_uprobe_caller(void);
bool try_uprobe_caller_endbr(void);
bool try_uprobe_nop5(void);
bool try_uprobe_nops(void);
bool try_uprobe_multi_pid(void);

#endif
