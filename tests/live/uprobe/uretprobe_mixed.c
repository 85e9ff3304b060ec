struct first { double x; long n; };
struct second { long n; double x; };

__attribute__((noinline)) struct first first(int k)
{
	return (struct first){ k + .25, k + 40 };
}

__attribute__((noinline)) struct second second(int k)
{
	return (struct second){ k + 50, k + .25 };
}

int main(void)
{
	return first(3).n + second(4).n != 97;
}
