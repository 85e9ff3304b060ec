/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads libdw by dlopen. */
#include <dlfcn.h>
#include <errno.h>
#include "object/dwarf_lib.h"

const struct dw *dw_fns;

#if SONDE_HAVE_LIBDW && !SONDE_STATIC

static int load(struct dw *fns, struct err *err)
{
	static const struct {
		const char *name;
		size_t offset;
	} rows[] = {
#define X(name) { #name, offsetof(struct dw, name) },
		DW_FUNCTIONS(X)
#undef X
	};
	void *lib = dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);

	if (!lib) {
		err_set(err, -ENOENT, "debug information is read by libdw, which is not installed");
		err_help(err, "apt-get install libdw1 (elfutils-libs elsewhere)");
		return -ENOENT;
	}
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		void *f = dlsym(lib, rows[i].name);

		if (!f)
			return err_set(err, -ENOENT, "libdw is too old: it has no %s",
				       rows[i].name);
		memcpy((char *)fns + rows[i].offset, &f, sizeof f);
	}
	fns->elf_version(EV_CURRENT);
	return 0;
}

const struct dw *dw_load(struct err *err)
{
	static struct dw fns;

	if (!dw_fns && load(&fns, err) == 0)
		dw_fns = &fns;
	return dw_fns;
}

#else

const struct dw *dw_load(struct err *err)
{
	err_set(err, -EOPNOTSUPP, "this build of sonde cannot read debug information (DWARF)");
	return NULL;
}

#endif
