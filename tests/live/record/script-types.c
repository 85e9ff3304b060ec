// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
enum color { RED, GREEN = 5, NONE = -1 };
struct in {
	short a;
	unsigned b : 3, c : 5;
	char n[6];
};
struct big {
	int id;
	enum color c;
	struct in in[2];
	double d;
	union {
		int i;
		float f;
	} u;
	enum color list[2];
};

__attribute__((noinline)) int take(struct big *p, enum color c)
{
	asm volatile("" ::: "memory");
	return p->id + (int)c;
}

int main(void)
{
	int s = 0;

	for (int i = 0; i < 4; i++) {
		struct big b = { .id = i, .c = i & 1 ? RED : GREEN, .d = i / 4.0, .list = { NONE, RED } };

		b.in[1].a = (short)i;
		b.in[0].b = 5;
		strcpy(b.in[0].n, "abc");
		b.u.f = 1.5;
		s += take(&b, i & 1 ? NONE : GREEN);
	}
	return s != 6 + 8;
}
