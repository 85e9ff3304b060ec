// SPDX-License-Identifier: GPL-2.0-or-later
// One function, its types and two lines, for the forms in which debug information comes.
#include <stdio.h>
struct in { int a; struct in *next; char s[8]; };
enum hue { RED = -1, BLUE = 70 };
struct big { struct in in; enum hue h; unsigned b1:3, b2:7; double d; int arr[4]; };
volatile int sink;
__attribute__((noinline)) int f(int n, struct big *p, enum hue h, const char *s) { int local = n * 2; sink += local; sink += p->in.a; return local + sink; }
int main(void) { struct in y = { 7, 0, "end" }; struct big b = { { 5, &y, "text" }, BLUE, 5, 100, 1.5, { 1, 2, 3, 4 } }; return f(21, &b, BLUE, "str") == 0; }
