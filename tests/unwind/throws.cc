// SPDX-License-Identifier: GPL-2.0-or-later
// System calls in destructors while exceptions pass, in handlers, and after they are thrown again.
#include <functional>
#include <stdexcept>
#include <string>
#include <sys/stat.h>

struct guard {
	~guard()
	{
		struct stat s;
		stat("/etc/passwd", &s);
	}
};

static int depth(int n)
{
	guard g;
	if (!n)
		throw std::runtime_error("deep " + std::to_string(n));
	std::function<int(int)> next = [](int x) {
		guard h;
		return depth(x - 1) + 1;
	};
	return next(n);
}

static void again()
{
	try {
		depth(12);
	} catch (const std::exception &e) {
		guard g;
		throw;
	}
}

int main()
{
	for (int i = 0; i < 200; i++) {
		try {
			again();
		} catch (const std::runtime_error &e) {
			guard g;
		}
	}
}
