/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with several implementations (STT_GNU_IFUNC: memcpy, strlen …). The symbol is the
 * function that chooses, which runs once, when a program starts. Which one was chosen depends on
 * the processor alone, as long as GLIBC_TUNABLES is not set: in our own libc the loader has
 * resolved us already.
 */
#include <dlfcn.h>
#include <sys/stat.h>
#include "provider/uifunc.h"

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool uifunc_choice(const char *path, struct elf *e, const char *name, struct elf_symbol *chosen)
{
	void *address = dlsym(RTLD_DEFAULT, name);
	Dl_info info;
	u64 value;

	if (!address || !dladdr(address, &info) || !same_file(info.dli_fname, path))
		return false;
	value = (u64)(uintptr_t)address - (u64)(uintptr_t)info.dli_fbase;
	*chosen = (struct elf_symbol){ 0 };
	if (!elf_symbol_at(e, value, chosen) && !elf_frame_at(e, value, chosen))
		return false;
	return chosen->value == value;
}
