/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that differ by one instruction, VERSION: the text of one program at the addresses of another. */
#include <stdio.h>

#define FUNCTION(n) \
	__attribute__((noinline, used)) int f##n(void) { return VERSION + n; }
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)

static int (*volatile functions[])(void) = { f1, f2, f3, f4, f5, f6 };

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 6; i++)
		sum += functions[i]();
	printf("%d\n", sum);
	return 0;
}
