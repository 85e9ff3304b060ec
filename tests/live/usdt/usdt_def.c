/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Built with what sonde dtrace made of tests/fuzz/corpus/usdt_def/example.d: prints how often the first probe was wanted. */
#include <stdio.h>
#include "p.h"

int main(int argc, char **argv)
{
	int on = 0;

	for (int i = 0; i < 3; i++) {
		if (TRACETEST_TEST_PROBE_ENABLED()) {
			on++;
			TRACETEST_TEST_PROBE(i, argv[0], 0);
		}
		TRACETEST_PLAIN();
		OTHER_ONE(i * 2);
		TRACETEST_NONE();
		TRACETEST_FN(0, i);
	}
	printf("%d\n", on);
	return 0;
}
