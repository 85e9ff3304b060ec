/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Argument text of USDT notes, as assemblers wrote it. */
#ifndef SONDE_PROVIDER_USDT_ARGS_H
#define SONDE_PROVIDER_USDT_ARGS_H

#include "base/arena.h"
#include "arch/arch.h"
#include "type/loc.h"

enum { USDT_MAX_ARGS = 12 }; /* the most that sys/sdt.h supports */

/* The probe whose arguments are parsed. */
struct usdt_point {
	const struct arch *arch;
	struct arena *arena;
	u64 address; /* file virtual address of the probe */
	u64 kinds;   /* of struct elf_usdt */
	/* File virtual address of a symbol; false: no such symbol. */
	bool (*symbol)(void *ctx, const char *name, u64 *address);
	void *ctx;
};

/*
 * "-4@%edi 8@-16(%rbp) 4@$5", arm64: "-4@w0 8@[sp, 16] 4@5". Fills at most max arguments and
 * returns their number. An argument without a supported location (vector registers, thread-local
 * storage, symbols that were stripped) has LOC_NONE and gives the reason.
 */
u32 usdt_parse_args(const struct usdt_point *point, const char *text, struct arg_desc *args,
		    u32 max);

#endif
