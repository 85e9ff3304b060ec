/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The prototypes that sonde knows without a file. */
#include "cli/ltrace/proto.h"

const char proto_builtin[] =
#include "cli/ltrace/prototypes.def"
	;
