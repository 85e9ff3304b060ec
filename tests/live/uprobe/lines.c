/* Lines, locals, globals and an inlined function, by number: add at the end only. */


int shared = 7;
static long quiet = -9;
static __thread int own = 3;

static inline __attribute__((always_inline)) int twice(int inlined)
{
	int doubled = inlined * 2;

	__asm__ volatile("" : "+r"(doubled)); /* keeps it */
	return doubled;
}

__attribute__((noinline)) int sum(int n)
{
	int total = 0;

	for (int i = 0; i < n; i++) {
		total += twice(i);
		shared++;
	}
	quiet--;
	own += total;
	return total;
}

__attribute__((noinline)) int other(int m)
{
	return twice(m) + 1;
}

int main(void)
{
	shared = sum(4) + other(10);
	return 0;
}
