// SPDX-License-Identifier: GPL-2.0-or-later
// Exceptions through probed functions, with destructors on the way; how many were caught and a sum, printed.
#include <cstdio>
#include <stdexcept>
volatile int sink;
struct D { ~D() { sink++; } };
__attribute__((noinline)) int leafs(int n) { if (n % 3 == 0) throw std::runtime_error("x"); return n; }
__attribute__((noinline)) int mid(int n) { D d; int r = leafs(n); sink += r; return r + 1; }
__attribute__((noinline)) int top(int n) { D d; int r = mid(n); sink += r; return r * 2; }
int main() { long caught = 0, sum = 0; for (int i = 0; i < 3000; i++) { try { sum += top(i); } catch (std::exception &) { caught++; } } printf("%ld %ld\n", caught, sum); }
