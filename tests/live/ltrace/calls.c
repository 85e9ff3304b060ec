/* What tests of sonde ltrace trace: calls WHAT */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int outer(int n);
int jumps(int n);
int (*inner_pointer(void))(int);

static void basic(void)
{
	char b[32], *p = malloc(10);

	strcpy(p, "abc");
	outer(20);
	jumps(3);
	memcpy(b, p, 4);
	memmove(b + 1, b, 2);
	inner_pointer()(7);
	puts(b);
	free(p);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void nested(void)
{
	const char *words[] = { "b", "c", "a" };

	qsort(words, 3, sizeof(*words), compare);
}

static jmp_buf env;

static int leaves(const void *a, const void *b)
{
	longjmp(env, atoi("5"));
}

static void jumping(void)
{
	int words[] = { 1, 2 };

	if (!setjmp(env))
		qsort(words, 2, sizeof(*words), leaves);
	getenv("HOME");
}

static void waits(void)
{
	getenv("A");
	write(1, "ready\n", 6);
	sleep(30);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "basic";

	switch (what[0]) {
	case 'b': basic(); break;
	case 'n': nested(); break;
	case 'j': jumping(); break;
	case 'w': waits(); break;
	}
	return 3;
}
