/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SONDE_PROVIDER_DWARF_REGISTERS_H
#define SONDE_PROVIDER_DWARF_REGISTERS_H

#include "base/base.h"

struct dwarf_registers;
/* The registers for a machine (EM_*); x86-64's for an unknown one. */
const struct dwarf_registers *dwarf_registers_of(u16 machine);

#endif
