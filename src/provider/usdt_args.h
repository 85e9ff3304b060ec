/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Argument text of USDT notes, as assemblers wrote it. */
#ifndef SONDE_PROVIDER_USDT_ARGS_H
#define SONDE_PROVIDER_USDT_ARGS_H

#include "provider/arch.h"
#include "type/loc.h"

/*
 * "-4@%edi 8@-16(%rbp) 4@$5", arm64: "-4@w0 8@[sp, 16] 4@5". Fills at most max arguments and returns
 * how many; stops at the first one that has no location of ours (vector registers, scaled indexes,
 * addresses relative to the program counter).
 */
u32 usdt_parse_args(const struct arch *a, const char *text, struct arg_desc *args, u32 max);

#endif
