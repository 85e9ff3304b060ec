/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One probe whose arguments lie elsewhere in each build: -DVALUE= an expression of x, -DTYPE= its type. */
#include <sys/sdt.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	volatile TYPE x = argc > 1 ? atoi(argv[1]) : 3;
	const char *text = argv[0] + argc;
	TYPE y = x * 2;

	for (int i = 0; i < 5; i++)
		DTRACE_PROBE3(later, tick, VALUE, i, text);
	return y < 0;
}
