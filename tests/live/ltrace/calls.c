/* What tests of sonde ltrace trace: calls WHAT */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int outer(int n);
int jumps(int n);
int (*inner_pointer(void))(int);
struct shape {
	int number;
	long more;
	short list[3];
};
int shape(const struct shape *s, int kind);
int fill(char *to, int n);

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

static volatile long sink;

/* Strings, characters, numbers, what a function writes. */
static void typed(void)
{
	char b[40];
	FILE *f = fopen("/etc/hostname-that-is-not", "r");

	snprintf(b, sizeof(b), "%s-%d-%c%%", "abc", -5, 'x');
	sink = strncmp("abcdef", "abc", 3);
	memcpy(b, "a\0\"\n\1z", 6);
	sink = (long)strchr("a long string that is longer than the limit", 'z');
	strtol("0x1f", NULL, 16);
	umask(022);
	lseek(-1, 10, 2);
	getenv("NO_SUCH_VARIABLE");
	shape(&(struct shape){ 7, -1, { 1, 2, 3 } }, 2);
	fill(b, 5);
	sink = atoi("12");
}

static int depth;

static int again(const void *a, const void *b)
{
	int words[] = { 1, 2 };

	if (++depth < 70)
		qsort(words, 2, sizeof(*words), again);
	return 0;
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
	case 't': typed(); break;
	case 'r': again(NULL, NULL); break;
	case 'w': waits(); break;
	}
	return 3;
}
