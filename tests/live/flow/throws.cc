/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exceptions for the tests of "sonde flow". */
#include <cstdio>
#include <stdexcept>
#include <cstring>

#define CALLED __attribute__((noinline, noclone))

namespace shop {

CALLED int price(const char *item)
{
	if (!*item)
		throw std::invalid_argument("no item");
	return (int)std::strlen(item);
}

CALLED int order(const char *item, int n)
{
	return price(item) * n + 1;
}

class basket {
	int total_ = 0;

public:
	CALLED int add(const char *item, int n);
};

CALLED int basket::add(const char *item, int n)
{
	try {
		total_ += order(item, n);
	} catch (const std::exception &) {
		return -1;
	}
	return total_;
}

} // namespace shop

CALLED int shopping(void)
{
	shop::basket basket;

	basket.add("tea", 2);
	basket.add("", 1);
	return basket.add("bread", 1);
}

int main()
{
	return shopping() != 13;
}
