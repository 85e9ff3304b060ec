/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lazy loading of elfutils: scripts without named arguments, source lines and variables never load
 * it. The build needs libdw.h; without it (and in static builds, which cannot load libraries)
 * dw_load() reports that libdw is missing.
 */
#ifndef SONDE_OBJECT_DWARF_LIB_H
#define SONDE_OBJECT_DWARF_LIB_H

#include "base/err.h"

#if __has_include(<elfutils/libdw.h>)
#include <dwarf.h>
#include <elfutils/libdw.h>
#define SONDE_HAVE_LIBDW 1

/* The functions that are used from libdw, and from libelf, which libdw loads. */
#define DW_FUNCTIONS(X)                                                                            \
	X(elf_version)                                                                             \
	X(elf_memory)                                                                              \
	X(elf_begin)                                                                               \
	X(elf_end)                                                                                 \
	X(dwarf_begin)                                                                             \
	X(dwarf_begin_elf)                                                                         \
	X(dwarf_end)                                                                               \
	X(dwarf_get_units)                                                                         \
	X(dwarf_tag)                                                                               \
	X(dwarf_attr)                                                                              \
	X(dwarf_attr_integrate)                                                                    \
	X(dwarf_hasattr)                                                                           \
	X(dwarf_hasattr_integrate)                                                                 \
	X(dwarf_child)                                                                             \
	X(dwarf_siblingof)                                                                         \
	X(dwarf_diename)                                                                           \
	X(dwarf_formstring)                                                                        \
	X(dwarf_formudata)                                                                         \
	X(dwarf_formsdata)                                                                         \
	X(dwarf_formflag)                                                                          \
	X(dwarf_formblock)                                                                         \
	X(dwarf_formref_die)                                                                       \
	X(dwarf_whatform)                                                                          \
	X(dwarf_haspc)                                                                             \
	X(dwarf_lowpc)                                                                             \
	X(dwarf_entrypc)                                                                           \
	X(dwarf_ranges)                                                                            \
	X(dwarf_diecu)                                                                             \
	X(dwarf_dieoffset)                                                                         \
	X(dwarf_offdie)                                                                            \
	X(dwarf_getlocation_addr)                                                                  \
	X(dwarf_getlocation)                                                                       \
	X(dwarf_getlocations)                                                                      \
	X(dwarf_decl_file)                                                                         \
	X(dwarf_getlocation_attr)                                                                  \
	X(dwarf_getlocation_die)                                                                   \
	X(dwarf_formaddr)                                                                          \
	X(dwarf_getsrclines)                                                                       \
	X(dwarf_getsrcfiles)                                                                       \
	X(dwarf_onesrcline)                                                                        \
	X(dwarf_filesrc)                                                                           \
	X(dwarf_lineaddr)                                                                          \
	X(dwarf_lineno)                                                                            \
	X(dwarf_linecol)                                                                           \
	X(dwarf_linesrc)                                                                           \
	X(dwarf_linebeginstatement)                                                                \
	X(dwarf_lineendsequence)                                                                   \
	X(dwarf_lineprologueend)                                                                   \
	X(dwarf_getcfi)                                                                            \
	X(dwarf_getcfi_elf)                                                                        \
	X(dwarf_cfi_end)                                                                           \
	X(dwarf_cfi_addrframe)                                                                     \
	X(dwarf_frame_cfa)                                                                         \
	X(dwarf_frame_register)                                                                    \
	X(dwarf_errmsg)

struct dw {
#define X(name) typeof(name) *name;
	DW_FUNCTIONS(X)
#undef X
};
#else
#define SONDE_HAVE_LIBDW 0
struct dw;
#endif

/* NULL: not available, err has the reason. */
const struct dw *dw_load(struct err *err);
/* Valid only after dw_load() succeeded. */
extern const struct dw *dw_fns;

#endif
