/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library and a program (with MAIN) for dwarf.in: functions that no table of prototypes has, or that have the name of another. */
enum shape { ROUND, SQUARE = 5 };
struct point { int x, y; };
struct box { struct point at; short side; const char *name; double weight; };

#ifndef MAIN
int area(const struct box *b, enum shape s, unsigned char c)
{
	return b->side * b->side + s + c;
}

enum shape next(enum shape s)
{
	return s == ROUND ? SQUARE : ROUND;
}

const char *label(const char *first, const char **more, long n)
{
	return n ? *more : first;
}

double scale(double by, int n, float f)
{
	return by * n + f;
}

_Bool is_small(const int *n, void *opaque, unsigned short u)
{
	return *n < 10;
}

struct point moved(struct point p, int by)
{
	p.x += by;
	return p;
}

void nothing(void)
{
}

/* zlib's has four parameters. */
int compress(int level)
{
	return level + 1;
}

/* libc's: the table knows that the second is written. */
long read(int fd, void *data, unsigned long n)
{
	*(char *)data = 'x';
	return 1;
}
#else
int area(const struct box *b, enum shape s, unsigned char c);
enum shape next(enum shape s);
const char *label(const char *first, const char **more, long n);
double scale(double by, int n, float f);
_Bool is_small(const int *n, void *opaque, unsigned short u);
struct point moved(struct point p, int by);
void nothing(void);
int compress(int level);
long read(int fd, void *data, unsigned long n);

int main(void)
{
	struct box b = { { 1, -2 }, 3, "box", 2.5 };
	const char *more[] = { "more" };
	char data[8];
	int n = 7;

	area(&b, SQUARE, 200);
	next(ROUND);
	label("first", more, 1L << 40);
	scale(2, 3, 4);
	is_small(&n, main, 65535);
	moved(b.at, 1);
	nothing();
	read(100, data, 8);
	return compress(-3) & 0;
}
#endif
