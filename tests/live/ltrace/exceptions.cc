/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For exceptions.in: exceptions that pass through functions of C, threads that are ended. */
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

struct guard {
	const char *name;
	guard(const char *name) : name(name) {}
	~guard() { printf("destroyed %s\n", name); }
};

static int throws(const void *, const void *)
{
	throw 1;
}

static void *ends(void *)
{
	guard g("at pthread_exit");

	pthread_exit(NULL);
}

static void *waits(void *pipe)
{
	guard g("at cancellation");
	char c;

	return read(*(int *)pipe, &c, 1) ? pipe : NULL;
}

template <class F> static void caught(const char *name, F f)
{
	try {
		f();
	} catch (int n) {
		printf("%s %d\n", name, n);
	} catch (std::exception &e) {
		printf("%s\n", name);
	}
}

int main()
{
	int v[] = { 2, 1, 3 }, pipes[2];
	std::once_flag once;
	std::exception_ptr p;
	pthread_t t;

	caught("qsort", [&] { qsort(v, 3, sizeof *v, throws); });
	caught("bsearch", [&] { bsearch(v, v, 3, sizeof *v, throws); });
	caught("call_once", [&] { std::call_once(once, [] { throw 2; }); });
	caught("at", [] { std::vector<int>().at(3); });
	caught("rethrow", [] { try { guard g("rethrow"); throw 3; } catch (...) { throw; } });
	caught("rethrow_exception", [&] { try { std::stoi("x"); } catch (...) { p = std::current_exception(); } std::rethrow_exception(p); });
	pthread_create(&t, NULL, ends, NULL);
	pthread_join(t, NULL);
	if (pipe(pipes))
		return 1;
	pthread_create(&t, NULL, waits, pipes);
	usleep(50000);
	pthread_cancel(t);
	pthread_join(t, NULL);
	return 7;
}
