// SPDX-License-Identifier: GPL-2.0-or-later
// For names of C++: overloads, operators, templates, packs, closures, constructors, anonymous namespaces, parts that
// the compiler splits off.
#include <cstdio>
#include <cstdlib>
#include <string>
#define KEEP __attribute__((noinline))
volatile int sink;
namespace geo {
struct Point {
	int x;
	KEEP explicit Point(int n) : x(n) { sink += n; }
	KEEP ~Point() { sink--; }
	KEEP int operator()(int n) const { return x + n + sink; }
	KEEP Point &operator+=(int n) { x += n + sink - sink; return *this; }
	KEEP operator bool() const { return x > sink; }
};
template <class T> KEEP T twice(T v) { return v + v + (T)sink - (T)sink; }
template <class... T> KEEP int count(T... v) { sink++; return (int)sizeof...(v); }
KEEP int area(int n) { return n * 2 + sink; }
KEEP int area(const char *s) { return s[0] + sink; }
KEEP std::string label(int n) { return std::string(n, 'x'); }
}
namespace {
KEEP int hidden(int (*f)(int)) { return f(3); }
}
KEEP int cold(int n)
{
	if (__builtin_expect(n == 77, 0)) {
		fprintf(stderr, "never %d\n", n);
		abort();
	}
	return n + sink;
}
int main()
{
	geo::Point p(5);
	p += p(2);
	auto f = [](int n) KEEP { return n + sink; };
	int r = geo::twice(3) + (int)geo::twice(2.5) + geo::count(1, 2L, 'c') + geo::count() + geo::area(2) + geo::area("a");
	r += (int)geo::label(3).size() + hidden([](int n) { return n; }) + f(1) + cold(r) + (p ? 1 : 0);
	return r == -1;
}
