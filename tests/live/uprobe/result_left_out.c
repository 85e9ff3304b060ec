/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results that compilers leave out, because no caller looks at them or all know them, and such that they keep. */
#define NI __attribute__((noinline))
volatile int data;

static NI int known(int k) { data = k; return 42 + (data & 0); }
static NI int constant(int k) { data = k; int seen = data; (void)seen; return 42; }
static NI int passed(int k) { return constant(k + 1); }
static NI int ignored(int k) { data = k; return data * 3; }
static NI int used(int k) { data = k; return k * 5; }
static NI int unread_argument(int a, int k) { data = k; (void)a; return k * 7; }
static NI int of_used(int k) { return used(k + 1); }
struct pair { long a, b; };
static NI struct pair half(int k) { data = k; return (struct pair){ 1, k }; }

int main(void)
{
	int sum = 0;

	for (int i = 1; i < 4; i++) {
		data = i;
		int k = data;
		sum += known(k) + constant(k) + passed(k) + used(k) + unread_argument(data, k) + of_used(k) + (int)half(k).b;
		ignored(k);
	}
	data = sum;
	return 0;
}
