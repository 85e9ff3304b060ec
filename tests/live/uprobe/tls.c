// Thread-local variables of a program and of libraries, each thread with values of its own; tls_lib.c is the library.
#include <pthread.h>
#include <stdlib.h>
#ifdef OPENED
#include <dlfcn.h>
#endif

static __thread int first = 3;
static __thread char text[20] = "main";
_Alignas(128) __thread long wide = 5;
struct pair { int a; long b; };
static __thread struct pair pair;
#ifdef LIBRARY
int in_library(int n);
#endif
static int (*call)(int);

__attribute__((noinline)) int look(int n)
{
	first += n;
	text[0] = 'A' + n;
	wide -= n;
	pair.a = n;
	pair.b = -n;
	__asm__ volatile("" ::: "memory");
	return call ? call(n) : 0; // line 26
}

static void *run(void *n)
{
	return (void *)(long)look((int)(long)n);
}

int main(void)
{
	pthread_t t;

#ifdef OPENED
	call = (int (*)(int))dlsym(dlopen(getenv("OPENED"), RTLD_NOW), "in_library");
	if (!call)
		return 1;
#elif defined(LIBRARY)
	call = in_library;
#endif
	for (long n = 1; n < 4; n++)
		if (n == 1)
			look(1);
		else if (pthread_create(&t, NULL, run, (void *)n) == 0)
			pthread_join(t, NULL);
	look(4);
	return 0;
}
