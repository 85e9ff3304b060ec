// What the optimizer makes constant, of a copy of a function that nobody else calls: numbers of each width, a double, __int128, text.
#include <string.h>
__attribute__((noinline)) int numbers(int *p, unsigned char small, signed char negative, unsigned wide, double fraction, __int128 huge, const char *text, int shown)
{
	__asm__ volatile("" ::: "memory");
	return *p + small + negative + (int)wide + (int)fraction + (int)huge + (int)strlen(text) + shown;
}

int main(int argc, char **argv)
{
	return numbers(&argc, 200, -7, 4000000000u, 2.5, -5, "text", 12) == 0;
}
