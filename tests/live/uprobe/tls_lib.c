// See tls.c.
static __thread int before[9] = { 9 };
__thread long counted = 1000;
static __thread char unused[4096];

__attribute__((noinline)) int in_library(int n)
{
	int late = n;

	counted += late;
	before[1] = n;
	unused[n] = 1;
	return before[1]; // line 13
}
