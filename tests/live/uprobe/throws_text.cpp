// SPDX-License-Identifier: GPL-2.0-or-later
// Throws what has to be made first: clang puts a jump to the function's end behind the call that throws.
#include <string>
__attribute__((noinline)) static void thrower(int n) { if (n % 3 == 0) throw std::string("x"); }
int main() { int caught = 0; for (int i = 0; i < 300; i++) { try { thrower(i); } catch (std::string &) { caught++; } } return caught == 100 ? 0 : 1; }
