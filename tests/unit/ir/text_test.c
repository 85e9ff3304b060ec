/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IR as text: printed text is parsed again, errors are reported with their line, invalid IR is
 * refused.
 */
#include "ir/pass.h"
#include "tap.h"

static struct arena arena;

static void round_trip(const char *text, const char *what)
{
	const char *error = NULL;
	struct ir_unit *u = ir_parse(&arena, NULL, text, &error);
	struct buf b = { 0 };

	if (u)
		ir_print(&b, u);
	is_str(u ? b.s : error, text, "%s", what);
	buf_release(&b);
}

static void refuse(const char *body, const char *want)
{
	const char *error = NULL;
	char *text = arena_printf(&arena, "func f params 0\n%s", body);

	if (ir_parse(&arena, NULL, text, &error))
		error = "accepted";
	is_str(error, want, "refused: %s", want);
}

int main(void)
{
	round_trip("func f params 0\n"
		   "b0:\n"
		   "  return 0\n",
		   "the smallest function");
	round_trip("func f params 0\n"
		   "  slot s0 size 16 align 8 key of @x\n"
		   "  slot s1 size 3 align 1\n"
		   "  var t5\n"
		   "  ptr t2\n"
		   "b0:\n"
		   "  t1 = load4s ctx+16\n"
		   "  t2 = addr s0+8\n"
		   "  store8 t2-8, -1\n"
		   "  t3 = zext2 t1\n"
		   "  t4 = set slt t3, 7\n"
		   "  t5 = move 9223372036854775807\n"
		   "  zero s1, 3\n"
		   "  copy s1, s0, 3\n"
		   "  t6 = cmpxchg8 data1+8, t4, t5\n"
		   "  branch set t6, t5 -> b1 else b2\n"
		   "b1: depth 1\n"
		   "  t7 = call 1(map0, s0)                 ; map_lookup_elem\n"
		   "  t8 = callsub 1(t5, f1)\n"
		   "  jump b2\n"
		   "b2:\n"
		   "  return t5\n"
		   "func g params 2 callback\n"
		   "b0:\n"
		   "  t3 = add t1, t2\n"
		   "  return t3\n",
		   "every kind of operand");
	refuse("b0:\n  jump b0\n  return 0\n", "f, b0, instruction 0: code after a terminator");
	refuse("b0:\n  t1 = move 1\n", "f, b0, instruction 0: block without a terminator");
	refuse("b0:\n  t1 = mvoe 1\n", "line 3: unknown operation");
	refuse("b0:\n  t1 = move 1 2\n", "line 3: unexpected text at the end of the line");
	refuse("b0:\n  return t1\n", "f, b0, instruction 0: t1 is read where it is not defined");
	refuse("b0:\n  t1 = move 1\n  t1 = move 2\n  return t1\n",
	       "f, b0, instruction 1: t1 is defined twice");
	refuse("b0:\n  branch eq 1, ctx -> b1 else b2\nb1:\n  t1 = move 1\n  jump b2\nb2:\n  return t1\n",
	       "f, b2, instruction 0: t1 is read where it is not defined");
	refuse("b0:\n  jump b7\n", "f, b0, instruction 0: no such block b7");
	refuse("b0:\n  store3 s0, 1\n  return 0\n", "f, b0, instruction 0: store of 3 bytes");
	refuse("b0:\n  store8 s0, 1\n  return 0\n", "f, b0, instruction 0: no such slot");
	refuse("b0:\n  return 0\nb2:\n  return 0\n", "line 4: blocks out of order");
	refuse("  return 0\n", "line 2: instruction outside a block");
	refuse("b0:\n  t1 = load8 q4\n", "line 3: unknown kind of operand");
	refuse("b0:\n  t1 = callsub 3()\n  return 0\n", "f, b0, instruction 0: no such function");
	arena_release(&arena);
	return done();
}
