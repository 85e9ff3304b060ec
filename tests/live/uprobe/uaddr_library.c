/* SPDX-License-Identifier: GPL-2.0-or-later */
static char padding[70000] = { 1 };
static int of_library = 77;

void *library_place(void)
{
	return &of_library;
}

__attribute__((noinline)) int library(int n)
{
	of_library += padding[0];
	return n;
}
