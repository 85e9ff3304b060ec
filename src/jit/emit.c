/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by all files that write code. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include "jit/internal.h"

int jit_refuse(struct jit *j, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(j->err, -ENOTSUP, "%s", text);
}

void jit_goto(struct jit *j, enum x86_cond c, u32 target)
{
	vec_push(&j->arena, &j->jumps, (struct jit_jump){ x86_jump(j->code, c), target, false });
}

void jit_call_subprogram(struct jit *j, u32 target)
{
	vec_push(&j->arena, &j->jumps,
		 (struct jit_jump){ x86_jump(j->code, C_CALL), target, true });
}
