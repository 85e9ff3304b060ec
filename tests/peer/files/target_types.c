#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sonde/sonde.h>

enum kind { SMALL, LARGE = 7, NEGATIVE = -2 };

struct flags {
	unsigned ready : 1;
	unsigned level : 5;
	int delta : 4;
	uint64_t rest : 40;
};

struct item {
	struct item *next;
	int id;
	enum kind kind;
	char name[8];
	unsigned char mac[6];
	bool used;
	const char *text;
};

union value {
	int number;
	unsigned char bytes[4];
	struct {
		short low, high;
	} halves;
};

typedef int (*callback)(int);
typedef struct {
	int grid[2][3];
	struct {
		int inner;
	} named;
	union value value;
	struct flags flags;
	callback call;
} shape_t;

int counter = 41;
const char *greeting = "good morning";
char line[16] = "fixed text";
struct item last = { 0, 3, NEGATIVE, "third", { 1, 2, 3, 4, 5, 0xaf }, true, "last text" };
struct item first = { &last, 1, LARGE, "first", { 0 }, false, 0 };
shape_t shape = { { { 1, 2, 3 }, { 4, 5, 6 } }, { 99 }, { 0x01020304 }, { 1, 17, -3, 0x123456789 }, 0 };

SONDE_SEMAPHORE(types, guarded);

int __attribute__((noinline)) walk(struct item *from, int depth)
{
	return from->next && depth < 5 ? walk(from->next, depth + 1) : from->id;
}

long __attribute__((noinline)) fill(shape_t *s, enum kind k, bool on, int8_t tiny, uint16_t narrow, int64_t wide)
{
	return s->grid[1][2] + k + on + tiny + narrow + wide;
}

const char *__attribute__((noinline)) say(const char *what, size_t n)
{
	return n > 3 ? what : "short";
}

bool __attribute__((noinline)) is_even(unsigned n)
{
	return n % 2 == 0;
}

void __attribute__((noinline)) nothing(void)
{
	counter++;
}

int main(void)
{
	walk(&first, 0);
	fill(&shape, LARGE, true, -5, 65535, -1);
	say("a long word", 11);
	say("no", 2);
	for (unsigned i = 0; i < 3; i++)
		is_even(i);
	nothing();
	for (int i = 0; i < 3; i++) {
		SONDE_TP(types, tick, i, greeting, &first, (int8_t)-i, (uint64_t)1 << 40);
		SONDE_TP(types, plain);
		SONDE_TP_IF_ENABLED(types, guarded, i * 2);
	}
	return 3;
}
