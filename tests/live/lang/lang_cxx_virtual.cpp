// Virtual bases: alone, of several, of bases, of classes that are more than they are declared to be.
#include <string>
// Optimizers write the table of an object only for those who look at it.
#define keep() __asm__ volatile("" ::: "memory")
struct Root { int id = 11; std::string name{"root"}; virtual ~Root() {} };
struct Left : virtual Root { int left = 21; };
struct Right : virtual Root { long right = 31; int same = 1; };
struct Other { int other = 41; virtual int f() { return other; } };
struct Both : Left, Right, Other { int both = 51; };
struct Other2 { int deep = 71; };
struct Last : Both, virtual Other2 { int last = 61; };
__attribute__((noinline)) int take(Left *l, Both *b, Right &r, Last *z) { keep(); return l->id + b->id + r.id + (z ? z->deep + z->id : 0); }
__attribute__((noinline)) int by_value(Both b) { keep(); return b.id; }
int main()
{
	Left l;
	Both b;
	Last z;
	l.id = 1;
	b.id = 2;
	b.name = "of both";
	z.id = 3;
	z.deep = 7;
	take(&l, &b, b, nullptr);
	take(&b, &z, z, &z);
	return by_value(b) == 2 ? 0 : 1;
}
