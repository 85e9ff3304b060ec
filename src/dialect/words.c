/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of C, DTrace and SystemTap that this language lacks. Input: the word. Output: a hint. */
#include "dialect/hints.h"

#include "base/base.h"

static const struct word {
	const char *foreign, *help;
} words[] = {
	{ "NULL", "a null pointer is written 0" },
	{ "nullptr", "a null pointer is written 0" },
	{ "nil", "a null pointer is written 0" },
	/* variables */
	{ "execname", "here it is comm" },
	{ "timestamp", "here it is nsecs" },
	{ "vtimestamp",
	  "here it is nsecs; the time on a processor is se.sum_exec_runtime of curtask" },
	{ "walltimestamp", "the time of day is strftime(\"%H:%M:%S\", nsecs)" },
	{ "probefunc", "here it is func" },
	{ "ppfunc", "here it is func" },
	{ "probename", "here it is probe" },
	{ "curthread", "here it is curtask" },
	{ "task_current", "here it is curtask" },
	{ "self", "a variable of each thread is a map: @name[tid]" },
	{ "this", "a variable of one event is $name" },
	/* functions */
	{ "copyinstr", "here it is str(ADDRESS)" },
	{ "user_string", "here it is str(ADDRESS)" },
	{ "user_string_quoted", "here it is str(ADDRESS)" },
	{ "kernel_string", "here it is str(ADDRESS)" },
	{ "stringof", "here it is str(ADDRESS)" },
	{ "copyin", "here it is *(TYPE *)uptr(ADDRESS), or buf(uptr(ADDRESS), LENGTH)" },
	{ "tracemem", "here it is buf(ADDRESS, LENGTH)" },
	{ "quantize", "here it is hist(N)" },
	{ "lquantize", "here it is lhist(N, MIN, MAX, STEP)" },
	{ "llquantize", "here it is llhist(N, ...)" },
	{ "trace", "here it is print(VALUE)" },
	{ "println", "here it is print(VALUE)" },
	{ "printa", "here it is print(@map)" },
	{ "trunc", "here it is print(@map, N), or clear(@map)" },
	{ "normalize", "here it is print(@map, 0, DIVISOR)" },
	{ "stack", "here it is kstack" },
	{ "print_backtrace", "here it is print(kstack)" },
	{ "print_ubacktrace", "here it is print(ustack)" },
	{ "gettimeofday_ns", "here it is nsecs" },
	{ "gettimeofday_us", "here it is nsecs / 1us" },
	{ "gettimeofday_ms", "here it is nsecs / 1ms" },
	{ "gettimeofday_s", "here it is nsecs / 1s" },
	{ "task_execname", "here it is comm(PID)" },
	{ "raise", "here it is signal(NAME)" },
};

const char *foreign_word(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		if (streq(words[i].foreign, name))
			return words[i].help;
	return NULL;
}
