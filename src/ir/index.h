/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The passes, in the order in which they run: NAME is pass_NAME() in ir/pass_NAME.c. */
P(fold, "constants, copies, identities, branches on constants")
P(dce, "dead temporaries, unreachable and empty blocks, merging of blocks")
P(move, "values moved to a variable are read from it")
