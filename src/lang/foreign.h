/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of other languages and tracers: help for who writes them. NULL: not one of them. */
#ifndef SONDE_LANG_FOREIGN_H
#define SONDE_LANG_FOREIGN_H

const char *foreign_word(const char *name);

#endif
