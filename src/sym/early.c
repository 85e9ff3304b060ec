/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <link.h>
#include <stddef.h>
#include "object/elf.h"
#include "sym/early.h"

bool early_find(const char *linker, struct early *out)
{
	struct err err = { 0 };
	struct elf *e = elf_open(linker, &err);
	struct elf_symbol function, debug;
	bool found = e && elf_find(e, "_dl_debug_state", &function) &&
		     elf_find(e, "_r_debug", &debug);

	if (found)
		*out = (struct early){ function.value,
				       debug.value + offsetof(struct r_debug, r_state) };
	elf_close(e);
	err_release(&err);
	return found;
}

bool early_is_possible(const char *program)
{
	struct err err = { 0 };
	struct elf *e = elf_open(program, &err);
	struct elf_section s;
	struct early at;
	bool is = e && elf_section(e, ".interp", &s) && s.bytes && s.size &&
		  !((const char *)s.bytes)[s.size - 1] && early_find(s.bytes, &at);

	elf_close(e);
	err_release(&err);
	return is;
}
