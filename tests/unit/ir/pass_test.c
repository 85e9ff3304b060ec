/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The effect of each pass on a few lines of IR. target/random_test.c tests that passes preserve the
 * meaning.
 */
#include "ir/pass.h"
#include "tap.h"

static struct arena arena;

static void become(const char *off, const char *from, const char *to, const char *what)
{
	const char *head = "func f params 0\n", *error = NULL;
	struct ir_unit *u =
		ir_parse(&arena, NULL, arena_printf(&arena, "%s%s", head, from), &error);
	struct buf b = { 0 };

	if (u) {
		ir_optimize(u, off);
		ir_verify(u);
		ir_print(&b, u);
	}
	is_str(u ? b.s + strlen(head) : error, to, "%s", what);
	buf_release(&b);
}

static void test_fold(void)
{
	become(NULL, "b0:\n  t1 = move 6\n  t2 = mul t1, 7\n  t3 = move t2\n  return t3\n",
	       "b0:\n  return 42\n", "constants and copies");
	become(NULL, "  var t1\nb0:\n  t1 = move 6\n  t2 = add t1, 1\n  return t2\n",
	       "b0:\n  return 7\n", "a variable set once is a constant");
	become(NULL,
	       "  var t1\nb0:\n  t1 = load8 ctx\n  t2 = move t1\n  t1 = add t1, 1\n  t3 = add t1, t2\n"
	       "  return t3\n",
	       "  var t1\nb0:\n  t1 = load8 ctx\n  t2 = move t1\n  t1 = add t1, 1\n  t3 = add t1, t2\n"
	       "  return t3\n",
	       "copies of a variable stay");
	become(NULL, "b0:\n  t1 = load8 ctx\n  t2 = add t1, 8\n  t3 = add t2, 16\n  return t3\n",
	       "b0:\n  t1 = load8 ctx\n  t3 = add t1, 24\n  return t3\n", "sums of constants");
	become(NULL,
	       "b0:\n  t1 = load8 ctx\n  t2 = udiv t1, 1024\n  t3 = umod t2, 8\n  t4 = mul t3, 4\n"
	       "  return t4\n",
	       "b0:\n  t1 = load8 ctx\n  t2 = shr t1, 10\n  t3 = and t2, 7\n  t4 = shl t3, 2\n  return t4\n",
	       "powers of two");
	become(NULL,
	       "b0:\n  t1 = load2 ctx\n  t2 = zext4 t1\n  t3 = and t2, 65535\n  t4 = sext4 t3\n  return t4\n",
	       "b0:\n  t1 = load2 ctx\n  return t1\n", "extensions of what is narrow");
	become(NULL, "b0:\n  t1 = load4 ctx\n  t2 = sext4 t1\n  return t2\n",
	       "b0:\n  t1 = load4s ctx\n  return t1\n", "a load that is only read signed");
	become(NULL, "b0:\n  t1 = load4 ctx\n  t2 = sext4 t1\n  t3 = add t1, t2\n  return t3\n",
	       "b0:\n  t1 = load4 ctx\n  t2 = sext4 t1\n  t3 = add t1, t2\n  return t3\n",
	       "but not one that is read both ways");
	become(NULL,
	       "b0:\n  t1 = call 14()\n  t2 = and t1, 4294967295\n  store4 data0, t2\n  return 0\n",
	       "b0:\n  t1 = call 14()                        ; get_current_pid_tgid\n"
	       "  store4 data0, t1\n  return 0\n",
	       "a mask before a narrow store");
	become(NULL, "b0:\n  t1 = load8 ctx\n  t2 = umod t1, 10\n  t3 = and t2, 15\n  return t3\n",
	       "b0:\n  t1 = load8 ctx\n  t2 = umod t1, 10\n  t3 = and t2, 15\n  return t3\n",
	       "a mask that a verifier needs stays");
}

static void test_branches(void)
{
	become(NULL, "b0:\n  branch eq 1, 2 -> b1 else b2\nb1:\n  return 1\nb2:\n  return 2\n",
	       "b0:\n  return 2\n", "a branch on constants");
	become(NULL,
	       "b0:\n  t1 = load8 ctx\n  t2 = set slt t1, 5\n  branch eq t2, 0 -> b1 else b2\n"
	       "b1:\n  return 1\nb2:\n  return 2\n",
	       "b0:\n  t1 = load8 ctx\n  branch slt t1, 5 -> b2 else b1\n"
	       "b1:\n  return 1\nb2:\n  return 2\n",
	       "a branch on a comparison");
	become(NULL,
	       "b0:\n  t1 = load8 ctx\n  t2 = and t1, 4\n  branch ne t2, 0 -> b1 else b2\n"
	       "b1:\n  return 1\nb2:\n  return 2\n",
	       "b0:\n  t1 = load8 ctx\n  branch set t1, 4 -> b1 else b2\n"
	       "b1:\n  return 1\nb2:\n  return 2\n",
	       "a branch on a bit");
	become(NULL,
	       "b0:\n  t1 = load8 ctx\n  branch eq t1, 0 -> b1 else b2\nb1:\n  jump b3\nb2:\n  jump b3\n"
	       "b3:\n  jump b4\nb4:\n  return 2\n",
	       "b0:\n  return 2\n", "a branch to the same place");
	become(NULL, "b0:\n  jump b1\nb1:\n  jump b1\n", "b0:\n  jump b1\nb1:\n  jump b1\n",
	       "an endless loop stays one");
}

static void test_dce(void)
{
	become("fold",
	       "b0:\n  t1 = load8 ctx\n  t2 = add t1, 1\n  t3 = call 5()\n  t4 = fetch_add8 data0, 1\n"
	       "  return 0\n",
	       "b0:\n  call 5()                              ; ktime_get_ns\n  atomic_add8 data0, 1\n"
	       "  return 0\n",
	       "what nobody reads");
	become("fold",
	       "b0:\n  t1 = load8 ctx\n  branch eq t1, 1 -> b1 else b2\nb1:\n  return 0\nb2:\n"
	       "  store8 data0, t1\n  branch eq t1, 2 -> b3 else b4\nb3:\n  store8 data0+8, t1\n  jump b4\n"
	       "b4:\n  return 0\n",
	       "b0:\n  t1 = load8 ctx\n  branch eq t1, 1 -> b3 else b1\nb1:\n"
	       "  store8 data0, t1\n  branch eq t1, 2 -> b2 else b3\nb2:\n  store8 data0+8, t1\n  jump b3\n"
	       "b3:\n  return 0\n",
	       "two returns of the same constant");
	become("all", "b0:\n  t1 = move 1\n  jump b1\nb1:\n  return 0\n",
	       "b0:\n  t1 = move 1\n  jump b1\nb1:\n  return 0\n", "no passes at all");
	become("dce,fold", "b0:\n  t1 = move 1\n  return t1\n", "b0:\n  t1 = move 1\n  return t1\n",
	       "both off by name");
}

static void test_move(void)
{
	become(NULL,
	       "  var t2\nb0:\n  t1 = load8 ctx\n  t2 = move t1\n  branch ne t1, 0 -> b2 else b1\n"
	       "b1:\n  t2 = load8 ctx+8\n  jump b2\nb2:\n  return t2\n",
	       "  var t2\nb0:\n  t1 = load8 ctx\n  t2 = move t1\n  branch ne t2, 0 -> b2 else b1\n"
	       "b1:\n  t2 = load8 ctx+8\n  jump b2\nb2:\n  return t2\n",
	       "a value is read from its variable");
}

int main(void)
{
	test_fold();
	test_move();
	test_branches();
	test_dce();
	arena_release(&arena);
	return done();
}
