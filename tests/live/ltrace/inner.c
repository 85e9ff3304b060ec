int inner(int n) { return n * 2; }
int (*inner_pointer(void))(int) { return inner; }

struct shape;
int shape(const struct shape *s, int kind) { return kind; }
int fill(char *to, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = 'a' + i;
	to[n] = 0;
	return n;
}
