/* For BTF sections: gcc -gbtf. */
struct in {
	int a;
	char *s;
	struct in *next;
};

__attribute__((noinline)) int f(struct in *p, long n, unsigned char c)
{
	return p->a + n + c;
}

int main(void)
{
	char hey[] = "hey", you[] = "you";
	struct in x = { 5, hey, 0 }, y = { 6, you, &x };

	return f(&y, -3, 200);
}
