// Objects that are passed by their address, to functions that others call and that nobody else does; members of one name in several bases.
#include <string>
#include <vector>
#include <memory>
struct NT { int a; long b; NT(int x) : a(x), b(x * 2) {} NT(const NT &o) : a(o.a), b(o.b) {} ~NT() { asm volatile("" ::: "memory"); } };
__attribute__((noinline)) static int seen(std::string s, NT n, int k) { asm volatile("" ::: "memory"); return s.size() + n.a + k; }
__attribute__((noinline)) int shared(std::string s, NT n, int k) { asm volatile("" ::: "memory"); return s.size() + n.a + k; }
__attribute__((noinline)) static int owners(std::vector<int> x, std::unique_ptr<int> p, std::shared_ptr<long> q) { asm volatile("" ::: "memory"); return x.size() + *p + *q; }
int main()
{
	return seen("hello", NT(4), 3) + shared("world", NT(5), 9) + owners({1, 2, 3}, std::make_unique<int>(7), std::make_shared<long>(8)) > 1000;
}
