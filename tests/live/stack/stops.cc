// SPDX-License-Identifier: GPL-2.0-or-later
// Stops itself in a destructor, while an exception passes.
#include <csignal>
#include <functional>
#include <stdexcept>
#include <unistd.h>

struct guard {
	~guard() { kill(getpid(), SIGSTOP); }
};

static int deep(int n)
{
	if (!n) {
		guard g;
		throw std::runtime_error("passes");
	}
	std::function<int(int)> next = [](int x) { return deep(x - 1) + 1; };
	return next(n) + 1;
}

int main()
{
	try {
		deep(10);
	} catch (...) {
	}
}
