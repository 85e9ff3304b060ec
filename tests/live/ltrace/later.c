/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that the files of the first program do not show: of a program that env(1) executes, and into a library that is opened. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
	int v[] = { 3, 1, 2 };
	const char *(*version)(void);
	void *h;

	qsort(v, 3, sizeof(v[0]), by_value);
	if (strtol("12", NULL, 10) != 12 || !realpath("/", NULL))
		return 1;
	h = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	version = h ? (const char *(*)(void))(uintptr_t)dlsym(h, "zlibVersion") : NULL;
	return version && strlen(version()) < 3;
}
