/* Lambdas in a method and in a variable. */
namespace ns {
struct S {
	int f(int k)
	{
		auto g = [k](int x) __attribute__((noinline)) { return x * k; };

		return g(3) + g(4);
	}
};
}

static auto global = [](long v) __attribute__((noinline)) { return v + 1; };

int main(int c, char **)
{
	ns::S s;

	return s.f(c) + (int)global(c) != 9;
}
