/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outputs, in the order in which help shows them: NAME is output/NAME.c, -f NAME and
 * FILE.NAME. */
O(text)
O(json)
O(folded)
O(tree)
