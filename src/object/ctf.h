/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CTF sections as BTF. */
#ifndef SONDE_OBJECT_CTF_H
#define SONDE_OBJECT_CTF_H

#include "base/base.h"

/* A symbol table of the file with its strings; missing parts are NULL and 0. */
struct ctf_table {
	const void *symbols; /* Elf64_Sym */
	size_t symbols_len;
	const char *strings;
	size_t strings_len;
};

/* malloc'ed BTF of *len bytes; NULL: corrupt, another version, or without types. */
void *ctf_to_btf(const void *bytes, size_t n, const struct ctf_table *plain,
		 const struct ctf_table *dynamic, size_t *len);

#endif
