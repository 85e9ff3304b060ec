/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library and a program (with MAIN) for values.in: structures by value, arguments on the stack, what follows formats. */
#include <stdio.h>

struct two { int a, b; };
struct five { long a, b, c; const char *text; short e; };
struct real { double x, y; };
struct mixed { long n; double x; };
struct three { unsigned char a[3]; };
struct packed { char c; long n; } __attribute__((packed));
struct bits { unsigned a : 3, b : 5; int n; };
union either { double x; long n; };
struct empty { };

int two(struct two s);
int five(int first, struct five s, int last);
int five_nines(struct five s, struct five t);
double real(struct real s, int n);
int mixed(struct mixed s, int n);
int three(struct three s, struct two t);
int packed(struct packed s, int n);
int bits(struct bits s, int n);
int either(union either u, int n);
int after(int a, int b, int c, int d, int e, struct mixed s, struct real r, int f, struct five g, long h);
struct two two_back(int n);
struct five five_back(int n, const char *text);
struct mixed mixed_back(int n);
struct real real_back(int n);
int many(int a, int b, int c, int d, int e, int f, short g, long h, const char *i, unsigned char j);
float floats(float a, float b, float c, float d, float e, float f, float g, float h, float i, double j);

#ifndef MAIN
int two(struct two s) { return s.a + s.b; }
int five(int first, struct five s, int last) { return first + s.a + last; }
int five_nines(struct five s, struct five t) { return s.e + t.e; }
double real(struct real s, int n) { return s.x + n; }
int mixed(struct mixed s, int n) { return s.n + n; }
int three(struct three s, struct two t) { return s.a[2] + t.b; }
int packed(struct packed s, int n) { return s.c + n; }
int bits(struct bits s, int n) { return s.a + n; }
int either(union either u, int n) { return u.n + n; }
int after(int a, int b, int c, int d, int e, struct mixed s, struct real r, int f, struct five g, long h) { return s.n + f + h; }
struct two two_back(int n) { return (struct two){ n, -n }; }
struct five five_back(int n, const char *text) { return (struct five){ n, n + 1, n + 2, NULL, -1 }; }
struct mixed mixed_back(int n) { return (struct mixed){ n, n }; }
struct real real_back(int n) { return (struct real){ n, n }; }
int many(int a, int b, int c, int d, int e, int f, short g, long h, const char *i, unsigned char j) { return g; }
float floats(float a, float b, float c, float d, float e, float f, float g, float h, float i, double j) { return i + j; }
#else
int main(void)
{
	struct five s = { 1, 2, 3, NULL, -5 };
	struct mixed m = { 1L << 40, 2.5 };
	char out[200];

	two((struct two){ 1, -2 });
	five(7, s, 8);
	five_nines(s, s);
	real((struct real){ 1, 2 }, 3);
	mixed(m, 4);
	three((struct three){ { 1, 2, 3 } }, (struct two){ 4, 5 });
	packed((struct packed){ 'p', 6 }, 7);
	bits((struct bits){ 1, 2, 3 }, 4);
	either((union either){ .n = 5 }, 6);
	after(1, 2, 3, 4, 5, m, (struct real){ 1, 2 }, 6, s, 7);
	two_back(3);
	five_back(4, "text");
	mixed_back(5);
	real_back(6);
	many(1, 2, 3, 4, 5, 6, -7, 1L << 33, "nine", 255);
	floats(1, 2, 3, 4, 5, 6, 7, 8, 9.5f, 10.25);
	snprintf(out, sizeof out, "a format that is longer than what is shown: %d %s", 5, "six");
	snprintf(out, sizeof out, "%.*s|%*d|%.2s|%hhu|%hd|%zu|%o", 2, "abc", 5, 6, "xyz", 300, -1, sizeof out, 8);
	snprintf(out, sizeof out, "%d%d%d%d%d%d%d%d%d", 1, 2, 3, 4, 5, 6, 7, 8, 9);
	snprintf(out, sizeof out, "%2$s %1$d", 1, "two");
	snprintf(out, sizeof out, "%f %g %e %f %f %f %f %f %f %d %Lf %d", 1., 2., 3., 4., 5., 6., 7., 8., 9.5, 10, 11.0L, 12);
	snprintf(out, sizeof out, "%%%s%m%c", "text", 'c');
	return 0;
}
#endif
