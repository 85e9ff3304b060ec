/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments with memory behind pointers: strings, members, members behind members, null. */
#include <stdio.h>
#include <string.h>

struct inner {
	long n;
	const char *name;
};
struct outer {
	int a;
	struct inner *in;
	char text[24];
	struct outer *next;
};

__attribute__((noipa)) const char *take(const char *name, struct outer *o, int n)
{
	return o && o->in ? o->in->name : name;
}

int main(void)
{
	struct inner in[2] = { { 77, "inner" }, { -5, "" } };
	struct outer last = { 1, NULL, "last" }, o = { 5, &in[0], "textual", &last };
	char long_name[600];

	memset(long_name, 'x', sizeof long_name);
	long_name[sizeof long_name - 1] = '\0';
	for (int i = 0; i < 100; i++) {
		o.in = &in[i % 2];
		o.a = i % 3;
		take(i % 4 ? "first" : long_name, i % 5 ? &o : NULL, i);
	}
	return 0;
}
