// SPDX-License-Identifier: GPL-2.0-or-later
// Two classes of the same short name, each defined in a part of its own and declared only where the probed functions
// are; strings that the program only refers to; values that come on the stack or by their address.
#include <string>

namespace left {
struct Node {
	struct Impl;
	Impl *impl;
	Node();
	int run(int k);
};
}
namespace right {
struct Node {
	struct Impl;
	Impl *impl;
	Node();
	int run(int k);
};
}
struct Named {
	std::string name;
	explicit Named(const char *s);
	~Named();
};
std::string make(int n);
int by_value(std::string s, Named named);
int stacked(int a, int b, int c, int d, int e, int f, unsigned short last, struct half h);
struct half {
	int low, high;
};
int halves(half h);

#if PART == 1
namespace left {
struct Node::Impl {
	long pad;
	int value;
};
Node::Node() : impl(new Impl{1, 111}) {}
}
#elif PART == 2
namespace right {
struct Node::Impl {
	int value, pad;
};
Node::Node() : impl(new Impl{222, 2}) {}
}
Named::Named(const char *s) : name(s) {}
Named::~Named() {}
#else
#define KEEP(x) asm volatile("" : : "r"(x) : "memory")
int left::Node::run(int k) { KEEP(impl); return k; }
int right::Node::run(int k) { KEEP(impl); return k; }
std::string make(int n) { return std::string(n, 'x'); }
std::string make(char c) { return std::string(2, c); }
int by_value(std::string s, Named named) { KEEP(s.size()); return (int)named.name.size(); }
int stacked(int a, int b, int c, int d, int e, int f, unsigned short last, half h)
{
	KEEP(a + b + c + d + e + f);
	KEEP(last);
	return h.low - h.high;
}
int halves(half h)
{
	for (int i = 0; i < h.high; i++)
		KEEP(h.low);
	return h.low + h.high;
}
int main()
{
	left::Node l;
	right::Node r;

	for (volatile int i = 0; i < 1; i = i + 1)
		KEEP(l.run(1) + r.run(2) + make(3).size() + make('y').size() + by_value("value", Named("a name of many letters")) +
		     stacked(1, 2, 3, 4, 5, 6, 65535, half{7, -8}) + halves(half{i + 9, -10}));
}
#endif
