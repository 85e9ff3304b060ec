/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exceptions READY: functions that return and that are left by exceptions; as returns.c. */
#include <csignal>
#include <cstdio>
#include <stdexcept>

#define NOINLINE extern "C" __attribute__((noinline))

NOINLINE int inner(int x)
{
	if (x % 3 == 0)
		throw std::runtime_error("x");
	__asm__ volatile("");
	return x * 2;
}
struct counts {
	int &n;
	~counts()
	{
		n++;
	}
};
NOINLINE int middle(int x)
{
	int n = 0;
	{
		counts c{ n };
		n += inner(x);
	}
	return n;
}
NOINLINE int outer(int x)
{
	try {
		return middle(x) + 1;
	} catch (std::exception &) {
		return -1;
	}
}
NOINLINE int add(int a, int b) noexcept
{
	__asm__ volatile("");
	return a + b * 3;
}
int main(int argc, char **argv)
{
	long sum = 0;
	int signal;
	sigset_t go;

	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	sigprocmask(SIG_BLOCK, &go, nullptr);
	fclose(fopen(argv[argc - 1], "w"));
	sigwait(&go, &signal);
	for (int i = 0; i < 300; i++)
		sum += outer(i) + add(i, 3);
	printf("%ld\n", sum);
	return 0;
}
