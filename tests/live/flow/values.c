/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments and results in registers, in memory and behind pointers. */
#include <string.h>
#define CALLED __attribute__((noinline, noclone))
struct pt { int x, y; };
struct big { long a[6]; };
enum color { RED, GREEN, BLUE };
static volatile long sink;
CALLED int text(const char *s, int n) { sink += s[0] + n; return (int)strlen(s) * n + n / 3; }
CALLED struct pt point(struct pt p, int k) { p.x += k * 3; p.y -= k * 5; sink += p.x; return p; }
CALLED struct big large(struct big b, int k) { b.a[2] += k * k; sink += b.a[2]; return b; }
CALLED double half(double d, int n) { sink += n; return d / 2 + n; }
CALLED enum color next(enum color c, unsigned char b, short s, long long l, _Bool f) { sink += b + s + l + f; return (enum color)((c + 1) % 3); }
CALLED long many(int a, int b, int c, int d, int e, int f, int g, int h) { sink += a; return a + b * 2L + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8; }
CALLED const char *name(int n) { sink += n; return n % 2 ? "odd" : "even"; }
CALLED void nothing(int *p, struct pt *q) { *p += q->x; sink += *p; }
CALLED int all(int n) { struct pt p = { n, n + 1 }; struct big b = { { 1, 2, 3 } }; int k = n; sink += text("hello", n); p = point(p, n); b = large(b, n); sink += (long)half(n, 3); sink += next(GREEN, 200, -5, -7, 1); sink += many(1,2,3,4,5,6,7,8); sink += name(n)[0]; nothing(&k, &p); return (int)(p.x + b.a[2] + k); }
int main(void) { for (int i = 0; i < 5; i++) sink += all(i - 2); return 0; }
