struct item { int x, y; const char *name; };
static struct item items[4];
int counter;

__attribute__((noinline)) int scale(struct item *p, int by)
{
	int sum = 0;

	for (int i = 0; i < by; i++) {
		int part = p->x * i;

		sum += part + p->y;
	}
	return sum;
}

__attribute__((noinline)) int work(int n, const char *word)
{
	struct item p = { n, 2, word };
	int total = counter++ + items[n & 3].y++;

	total += scale(&p, n);
	return total;
}

int main(int argc, char **argv)
{
	return work(argc, argv[0]);
}
