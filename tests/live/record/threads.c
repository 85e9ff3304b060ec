/* Two threads that make 10 and 3 system calls when a line comes, then 5 by the main one; prints the numbers of the two. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static int go[2];
static volatile int first;
static void *work(void *n)
{
	char c;
	printf("%ld\n", syscall(SYS_gettid)); fflush(stdout);
	first = 1;
	if (read(go[0], &c, 1) != 1) return n;
	for (long i = 0; i < (long)n; i++) syscall(SYS_getppid);
	return n;
}
int main(void)
{
	pthread_t a, b; char c[2];
	if (pipe(go)) return 1;
	pthread_create(&a, 0, work, (void *)10L); while (!first)
		usleep(1000); pthread_create(&b, 0, work, (void *)3L);
	if (read(0, c, 1) < 0 || write(go[1], "ab", 2) != 2) return 1;
	pthread_join(a, 0); pthread_join(b, 0);
	for (int i = 0; i < 5; i++) syscall(SYS_getppid);
	return 0;
}
