#include <stdint.h>
#include <string.h>

struct box {
	int grid[2][3];
	char full[4];
	char name[8];
	const char *text;
};

int64_t __attribute__((noinline)) below(struct box *b, int64_t n)
{
	return b->grid[1][2] - n;
}

const char *__attribute__((noinline)) text_of(struct box *b)
{
	return b->text;
}

int main(void)
{
	char text[] = "a text";
	struct box b = { { { 1, 2, 3 }, { 4, 5, 6 } }, { 'f', 'u', 'l', 'l' }, "named", text };

	below(&b, 11);
	text_of(&b);
	return 0;
}
