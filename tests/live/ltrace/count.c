/* Preloaded: counts the calls of the program to strcmp() and atoi() as they happen. */
#include <stdio.h>
#include <stdlib.h>

static int compared, converted;

int strcmp(const char *a, const char *b)
{
	compared++;
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}

int atoi(const char *s)
{
	converted++;
	return (int)strtol(s, NULL, 10);
}

__attribute__((destructor)) static void tell(void)
{
	fprintf(stderr, "%d %d\n", compared, converted);
}
