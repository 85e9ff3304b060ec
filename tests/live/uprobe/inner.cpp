// SPDX-License-Identifier: GPL-2.0-or-later
// Functions within functions: a closure, a member of a local class, whose second parameter has no name.
#define KEEP(x) asm volatile("" : "+r"(x))
int total;
int outer(int n)
{
	struct Local {
		int add(int by, long)
		{
			int sum = by + 1;
			KEEP(sum);
			return sum;
		}
	};
	auto closure = [&](int z) {
		int inner = z + n;
		KEEP(inner);
		return inner;
	};
	return closure(5) + Local().add(8, 7);
}
int main()
{
	total = outer(10);
	return total == 0;
}
