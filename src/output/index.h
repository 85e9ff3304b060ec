/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outputs, in the order in which help shows them: NAME is output/NAME.c, -f NAME and, if the
 * row has no suffix, FILE.NAME. */
O(text)
O(json)
O(folded)
O(tree)
O(html)
O(pprof)
O(speedscope)
