// SPDX-License-Identifier: GPL-2.0-or-later
// std::string as libstdc++ laid it out before C++11: a pointer.
#define _GLIBCXX_USE_CXX11_ABI 0
#include <string>
#include <cstdio>
__attribute__((noinline)) int f(std::string s, const std::string &r, std::string *p) { return (int)(s.size() + r.size() + p->size()); }
int main() { std::string a("by value"), b("a longer string by reference"), c; printf("%d\n", f(a, b, &c)); }
