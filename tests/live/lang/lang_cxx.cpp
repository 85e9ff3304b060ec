// A C++ program for uprobes: bases, references, text, exceptions, templates.
#include <string>
#include <string_view>
#include <vector>
#include <memory>
#include <stdexcept>
#include <csetjmp>
struct Base { int b = 5; virtual ~Base() {} };
struct Left { long l = 77; };
struct Shape : Base, Left { std::string name = "a shape whose name is long"; int n = 3; static int count; int area(int k) const; };
int Shape::count = 9;
namespace geo { enum class Kind : unsigned char { None, Round = 7 }; struct Point { double x, y; int tag; }; 
__attribute__((noinline)) int visit(Kind k, const Point &p, std::string s, const std::string &r, std::string_view v, std::vector<int> *vec)
{ return (int)k + p.tag + (int)s.size() + (int)r.size() + (int)v.size() + (*vec)[0]; } }
__attribute__((noinline)) int Shape::area(int k) const { return b + (int)l + n + k + (int)name.size(); }
__attribute__((noinline)) std::string make(int n) { return std::string(n, 'z'); }
__attribute__((noinline)) int thrower(int n) { if (n > 1) throw std::runtime_error("x"); return n; }
template <typename T> __attribute__((noinline)) T twice(T v) { return v + v; }
int main()
{
	Shape s; std::vector<int> v { 4, 5 };
	geo::Point p { 1.5, 2.5, 42 };
	volatile int r = s.area(1) + geo::visit(geo::Kind::Round, p, "short", "referenced", std::string_view("viewed text", 6), &v);
	r += make(3).size();
	for (int i = 0; i < 4; i++) try { r += thrower(i); } catch (...) { r++; }
	r += twice(21) + (int)twice(21L);
}
