// SPDX-License-Identifier: GPL-2.0-or-later
// Calls it with values known to the test; knows no types of it by name.
struct in { int a; struct in *next; char s[8]; };
struct big { struct in in; int h; unsigned b1:3, b2:7; int b3:5; double d; int arr[4]; long e; unsigned short n; int grid[2][3]; void *fp; _Bool ok; };
int f(int n, struct big *p, int h, const char *s, unsigned short t); struct in g(struct in v, long *w);
int main(void) { struct in y = { 7, 0, "end" }; struct big b = { { 5, &y, "text" }, 70, 5, 100, -9, 1.5, { 1, 2, 3, 4 }, 0x51, 777, {{1,2,3},{4,5,6}}, 0, 1 }; long w = 3; struct in r = g(y, &w); return f(21, &b, 70, "str", 60000) + r.a == 0; }
