/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The known work of sonde info --selftest. The executable is its own traced program, so that
 * nothing needs to be installed: a function that is not inlined, a USDT probe in it, some system
 * calls, fresh pages, a word at an address that is known beforehand.
 */
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "cli/selftest.h"

/*
 * A note as DTRACE_PROBE1(sonde, selftest, arg) makes it (systemtap's wiki,
 * "UserSpaceProbeImplementation"):
 *
 *	u32 size of the name, of the rest, 3; "stapsdt"; address of the nop, of .stapsdt.base, of the semaphore;
 *	provider, probe, arguments: 8 bytes, unsigned, in the register that the compiler has chosen
 */
#define USDT_NOTE                                                                                  \
	"990:	nop\n"                                                                               \
	"	.pushsection .note.stapsdt, \"\", \"note\"\n"                                            \
	"	.balign 4\n"                                                                             \
	"	.4byte 992f - 991f, 994f - 993f, 3\n"                                                    \
	"991:	.asciz \"stapsdt\"\n"                                                                \
	"992:	.balign 4\n"                                                                         \
	"993:	.8byte 990b, _.stapsdt.base, 0\n"                                                    \
	"	.asciz \"sonde\"\n"                                                                      \
	"	.asciz \"selftest\"\n"                                                                   \
	"	.asciz \"8@%[arg]\"\n"                                                                   \
	"994:	.balign 4\n"                                                                         \
	"	.popsection\n"                                                                           \
	"	.ifndef _.stapsdt.base\n"                                                                \
	"	.pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"               \
	"	.weak _.stapsdt.base\n"                                                                  \
	"	.hidden _.stapsdt.base\n"                                                                \
	"_.stapsdt.base: .space 1\n"                                                               \
	"	.size _.stapsdt.base, 1\n"                                                               \
	"	.popsection\n"                                                                           \
	"	.endif\n"

__attribute__((noinline)) static u64 selftest_step(u64 arg)
{
	__asm__ volatile(USDT_NOTE : : [arg] "r"(arg) : "memory");
	return arg + 1;
}

static int find_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	*(u64 *)bias = info->dlpi_addr;
	return 1; /* the first one is the executable */
}

u64 selftest_function(void)
{
	u64 bias = 0;

	dl_iterate_phdr(find_bias, &bias);
	return (u64)(uintptr_t)selftest_step - bias;
}

/* ---- what there is to do, n times */

static void do_getpgid(u64 n)
{
	while (n--)
		syscall(SYS_getpgid, 0);
}

static void do_call(u64 n)
{
	static volatile u64 arg =
		SELFTEST_ARG; /* no compiler makes a copy of the function for it */

	while (n--)
		if (selftest_step(arg) != SELFTEST_ARG + 1)
			abort();
}

static void do_touch(u64 n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len = (size_t)n * page;
	char *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return;
	madvise(at, len, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < len; i += page)
		((volatile char *)at)[i] = 1;
	munmap(at, len);
}

static void do_write(u64 n)
{
	volatile u64 *at = mmap((void *)(uintptr_t)SELFTEST_WATCHED, 4096, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	while (at != MAP_FAILED && n--)
		*at = n;
}

static void do_spin(u64 n)
{
	struct timespec used;

	do /* time of the processor: where that is shared, samples fall on others too */
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	while ((u64)used.tv_sec * 1000 + (u64)used.tv_nsec / 1000000 < n);
}

static void do_sleep(u64 n)
{
	struct timespec t = { .tv_sec = (time_t)(n / 1000), .tv_nsec = (long)(n % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

static const struct {
	const char *name;
	void (*work)(u64 n);
} works[] = {
	{ "getpgid", do_getpgid }, { "call", do_call }, { "touch", do_touch },
	{ "write", do_write },     { "spin", do_spin }, { "sleep", do_sleep },
};

int selftest_work(const struct cli *c, const char *what)
{
	size_t len = strcspn(what, ":");

	for (u32 i = 0; i < ARRAY_SIZE(works); i++)
		if (strlen(works[i].name) == len && !memcmp(works[i].name, what, len)) {
			works[i].work(what[len] ? strtoull(what + len + 1, NULL, 10) : 1);
			return 0;
		}
	return say_usage(
		c,
		"--selftest-work=%s: must be one of getpgid, call, touch, write, spin, sleep, with :TIMES",
		what);
}
