/* A function whose first test and rest gcc splits and inlines one after the other: every call counts once. */
struct table {
	unsigned char *assigned;
	unsigned n;
};

static unsigned char bytes[64];
volatile unsigned sink;

static unsigned register_of(const struct table *t, unsigned v)
{
	return v < 9 ? v : v >= 10 ? t->assigned[v] : 255;
}

__attribute__((noinline)) static unsigned score(const struct table *t, const unsigned *list)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < t->n; i++) {
		unsigned reg = register_of(t, list[i]);

		if (reg != 255) {
			sum += 4 * reg;
			continue;
		}
		sum ^= register_of(t, sum & 7);
	}
	return sum;
}

int main(void)
{
	static const unsigned list[] = { 3, 12, 9, 40, 5, 9, 8, 13 };
	struct table t = { bytes, 8 };

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = i == 40 ? 255 : i;
	sink = score(&t, list);
	return 0;
}
