/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results by AAPCS64: in registers, in vector registers, and where x8 points at the entry. */
struct big { long v[3]; char name[8]; };
struct pair { long n; double d; };
struct packed { char c; int i; } __attribute__((packed));
struct point { double x, y; };

__attribute__((noinline)) struct big big(long n)
{
	return (struct big){ { n, n + 1, n + 2 }, "big" };
}

__attribute__((noinline)) struct pair pair(struct pair p, struct packed k, __int128 w)
{
	p.n += k.i + (long)w;
	return p;
}

__attribute__((noinline)) struct point point(struct point p)
{
	return (struct point){ p.y, p.x };
}

int main(void)
{
	struct big b = big(5);
	struct pair p = pair((struct pair){ 7, 2.5 }, (struct packed){ 'p', -3 }, ((__int128)1 << 64) + 100);
	struct point q = point((struct point){ 1, 2 });

	return !(b.v[2] == 7 && p.n == 104 && q.x == 2);
}
