/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where instructions begin in code of the kernel. */
#include "provider/internal.h"
#include "tap.h"

static const u8 code[] = {
	0xf3, 0x0f, 0x1e, 0xfa,       /*  0 endbr64 */
	0x0f, 0x1f, 0x44, 0x00, 0x00, /*  4 nop, where the function tracer calls */
	0x41, 0x57,                   /*  9 push r15 */
	0x48, 0x89, 0xf7,             /* 11 mov rdi, rsi */
	0xcc, 0x89, 0xf7,             /* 14 somebody's int3 */
	0xc3,                         /* 17 ret */
};

static void at(u32 offset, bool is_boundary, u32 before, u32 after)
{
	u32 b = 0, a = 0;

	ok(kernel_code_boundary(code, sizeof code, offset, &b, &a) == is_boundary, "+%u", offset);
	if (!is_boundary)
		ok(b == before && a == after, "+%u lies between +%u and +%u, got +%u and +%u",
		   offset, before, after, b, a);
}

int main(void)
{
	u32 b = 0, a = 0;

	at(0, true, 0, 0);
	at(4, true, 0, 0);
	at(9, true, 0, 0);
	at(11, true, 0, 0);
	at(14, true, 0, 0);
	at(3, false, 0, 4);
	at(5, false, 4, 9);
	at(13, false, 11, 14);
	at(15, true, 0, 0); /* behind int3 nobody knows */
	at(17, true, 0, 0);
	ok(kernel_code_boundary(code, 6, 8, &b, &a), "what could not be read is not known");
	ok(kernel_code_boundary(NULL, 0, 8, &b, &a), "nothing was read");
	return done();
}
