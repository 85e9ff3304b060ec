// SPDX-License-Identifier: GPL-2.0-or-later
// A library whose only debug information is a CTF section.
#include <stddef.h>
typedef unsigned short small_t;
struct in { int a; struct in *next; char s[8]; };
enum hue { RED = -1, BLUE = 70 };
union either { long l; char c; };
typedef struct { small_t x; } nameless;
struct big { struct in in; enum hue h; unsigned b1:3, b2:7; int b3:5; double d; int arr[4]; union either e; nameless n; int grid[2][3]; struct in *(*fp)(int); _Bool ok; };
volatile int sink;
int f(int n, struct big *p, enum hue h, const char *s, small_t t) { sink += n + p->in.a + s[0] + t; return n * 2; }
struct in g(struct in v, long *w) { v.a += (int)*w; return v; }
#ifdef MANY /* more than linkers leave as it is */
#define ONE(n) struct many_##n { int a_##n, b_##n, c_##n; long long_name_of_a_member_##n; } many_##n##_here;
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9)
#endif
