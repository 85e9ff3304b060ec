/* A function that is called through frames without frame pointers: from itself, from libc's qsort() in another thread, in
 * a child, after exec(). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline, noclone)) int inner(int x)
{
	volatile char b[64];

	memset((char *)b, x, sizeof b);
	return b[x & 31] + getppid();
}

__attribute__((noinline, noclone)) int outer(int depth, int x)
{
	volatile char b[200];

	memset((char *)b, x, sizeof b);
	return (depth ? outer(depth - 1, x) : inner(x)) + b[5];
}

static int by_inner(const void *a, const void *b)
{
	return (inner(*(const int *)a) > inner(*(const int *)b)) - 1;
}

static void *sort(void *arg)
{
	int v[] = { 3, 2, 1, 4, 5, 6, 9, 0 };

	qsort(v, 8, sizeof *v, by_inner);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;
	pid_t child;

	for (int i = 0; i < 20; i++)
		outer(5, i);
	pthread_create(&t, NULL, sort, NULL);
	pthread_join(t, NULL);
	child = fork();
	if (!child) {
		outer(2, 1);
		if (argc < 2)
			execl("/proc/self/exe", argv[0], "again", NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}
