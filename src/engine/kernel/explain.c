/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explains why the kernel refused something, with a remedy. In: errno and the attempted operation.
 * Out: an err whose help is the best known remedy. The rows are tried in order; errno 0 in a row
 * matches any.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include "engine/kernel/internal.h"

enum { ANYTHING = -1, KERNEL_ENOTSUPP = 524 };

struct remedy {
	int what; /* enum tried or ANYTHING */
	int error;
	const char *help;
};

/* clang-format off */
static const struct remedy remedies[] = {
	{ANYTHING, EMFILE, "too many open files for one process: "
			   "raise the limit (ulimit -n) or use fewer probes"},
	{ANYTHING, ENFILE, "the system has too many open files: raise fs.file-max or use fewer probes"},
	{TRIED_MAP, E2BIG, "the map is larger than the kernel allows: use fewer keys or smaller ones"},
	{TRIED_MAP, ENOMEM, "not enough kernel memory for the map: use a smaller max_map_keys"},
	{TRIED_LOAD, E2BIG, "the probe is larger than this kernel's verifier follows: "
			    "write a part of it as a second clause of the same probe"},
	{TRIED_LOAD, EFAULT, "the probe has more branches than this kernel's verifier keeps: "
			     "write a part of it as a second clause of the same probe"},
	{TRIED_LOAD, ENOMEM, "no memory for the program, or it is too large: "
			     "write a part of it as a second clause of the same probe"},
	{TRIED_LOAD, EACCES, "the kernel's verifier refused the program; "
			     "please report the script and the log"},
	{TRIED_LOAD, EINVAL, "the kernel's verifier refused the program; "
			     "please report the script and the log"},
	{TRIED_TRACEPOINT, EEXIST, "this program is attached to that tracepoint already"},
	{TRIED_TRACEPOINT, EINVAL, "the tracepoint's number is not known to this kernel"},
	{TRIED_TRACEPOINT, E2BIG, "the kernel runs at most 64 programs on a tracepoint, "
				  "those of all tracers: make one clause of several"},
	{TRIED_RAW_TRACEPOINT, ENOENT, "this kernel has no such tracepoint: "
				       "sonde list 'rawtracepoint:*' shows them"},
	{TRIED_RAW_TRACEPOINT, EINVAL, "the program reads more arguments than the tracepoint has"},
	{TRIED_TRAMPOLINE, ENOENT, "the function is not in this kernel, or cannot be traced: "
				   "use a tracepoint or kprobe"},
	{TRIED_TRAMPOLINE, EBUSY, "nothing may trace this function (noinstr: "
				  "it is not in available_filter_functions), "
				  "or another tracer holds it: "
				  "probe what it calls, or use a kprobe"},
	{TRIED_TRAMPOLINE, KERNEL_ENOTSUPP, "this kernel has no trampolines for this "
					    "architecture, or none for functions with more than "
					    "6 words of arguments: use a kprobe"},
	{TRIED_TRAMPOLINE, EOPNOTSUPP, "this kernel has no function tracer "
				       "(CONFIG_DYNAMIC_FTRACE): use a tracepoint"},
	{TRIED_KPROBE, EADDRNOTAVAIL, "several functions have this name: "
				      "name its module (kprobe:MODULE:FUNCTION)"},
	{TRIED_KPROBE, EINVAL, "the kernel forbids probes in this function, or at this offset: "
			       "no instruction begins there, or the instruction belongs to the "
			       "function tracer"},
	{TRIED_KPROBE, EILSEQ, "the offset is not at the start of an instruction"},
	{TRIED_KPROBE, ENOENT, "no such function, or it is not traceable: "
			       "sonde list 'kprobe:*' shows those that are"},
	{TRIED_KPROBE, ESRCH, "no such function, or it is not traceable: "
			      "sonde list 'kprobe:*' shows those that are"},
	{TRIED_UPROBE, ENOENT, "the file does not exist (in this mount namespace?)"},
	{TRIED_UPROBE, ESRCH, "the process is gone"},
	{TRIED_UPROBE, KERNEL_ENOTSUPP, "the kernel cannot probe this instruction"},
	{TRIED_UPROBE, EINVAL, "the offset is not in the file's code, or the semaphore is not "
			       "where the note says"},
	{TRIED_UPROBE, EIO, "the offset is beyond the end of the file"},
	{TRIED_PERF, ESRCH, "the process is gone"},
	{TRIED_PERF, ENOENT, "this machine has no such event: "
			     "virtual machines often lack hardware counters; "
			     "profile and software probes work without them"},
	{TRIED_PERF, EOPNOTSUPP, "this machine cannot sample on this event"},
	{TRIED_TIMER, ESRCH, "the process is gone"},
	{TRIED_TIMER, EINVAL, "the frequency is above kernel.perf_event_max_sample_rate, "
			      "or the period too short"},
	{TRIED_WATCHPOINT, ENOSPC, "all debug registers are in use (there are 4)"},
	{TRIED_WATCHPOINT, EINVAL, "the address must be a multiple of the length, the length 1, "
				   "2, 4 or 8"},
	{TRIED_WATCHPOINT, ESRCH, "the process is gone"},
};
/* clang-format on */

static const char *find_remedy(enum tried what, int error)
{
	for (size_t i = 0; i < ARRAY_SIZE(remedies); i++)
		if ((remedies[i].what == ANYTHING || remedies[i].what == (int)what) &&
		    remedies[i].error == error)
			return remedies[i].help;
	return NULL;
}

/* Attached by perf_event_open(2), which needs other permissions than bpf(2). */
static bool needs_perf(enum tried what)
{
	switch (what) {
	case TRIED_TRACEPOINT:
	case TRIED_PERF:
	case TRIED_TIMER:
	case TRIED_KPROBE:
	case TRIED_UPROBE:
	case TRIED_WATCHPOINT: return true;
	case TRIED_MAP:
	case TRIED_LOAD:
	case TRIED_RUN:
	case TRIED_RAW_TRACEPOINT:
	case TRIED_TRAMPOLINE:
	case TRIED_ITER: break;
	}
	return false;
}

/* "76: (85) call bpf_d_path#147", "R1 type=untrusted_ptr_ expected=ptr_, trusted_ptr_"
 * (kernel/bpf/verifier.c, check_reg_type) */
static bool path_is_refused(const char *log)
{
	const char *call = strstr(log, "call bpf_d_path"), *next = call;

	while (next && (next = strstr(next + 1, "call bpf_d_path")))
		call = next;
	return call && strstr(call, "R1 type=");
}

/* Messages of the verifier and what they mean; the first row whose words all occur applies. */
static const struct log_row {
	const char *begin, *words, *help;
} log_rows[] = {
	/* kernel/bpf/btf.c, btf_distill_func_proto: arguments by value of more than 16 bytes,
	 * before 6.0 any structure */
	{ "The function ", " with variable args",
	  "trampolines do not pass a variable number of arguments: use a kprobe" },
	{ "The function ", " too many",
	  "trampolines do not pass that many arguments: use a kprobe" },
	{ "The function ", " is unsupported.",
	  "trampolines do not pass a structure like this function's: a kprobe reads it" },
	/* kernel/bpf/verifier.c, bpf_check_attach_target */
	{ "The address of function ", " cannot be found",
	  "the compiler left nothing of this function under its own name: "
	  "sonde list 'kprobe:NAME.*' shows what is left" },
	{ "Attaching ", " is rejected", "the kernel refuses trampolines there: use a kprobe" },
	{ "", "bpf_override_return",
	  "this kernel does not let programs replace results: it needs CONFIG_BPF_KPROBE_OVERRIDE, and a "
	  "function that is marked for it (/sys/kernel/debug/error_injection/list)" },
	{ "", "points to disabled hook", "this kernel does not allow programs on this hook" },
};

void explain_log(struct err *err, const char *log)
{
	const char *help = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(log_rows) && !help; i++)
		if (starts_with(log, log_rows[i].begin) && strstr(log, log_rows[i].words))
			help = log_rows[i].help;
	if (!help && path_is_refused(log))
		help = "this kernel's path() takes what is reached from the probe's arguments in "
		       "one expression, as "
		       "path(args.file.f_path), and not through every pointer: str(....dentry.d_name.name) is "
		       "the last part of the name";
	if (!help)
		return;
	err_help(err, "%s", help);
	err->log_is_explained = true;
}

int refused(struct err *err, enum tried what, const char *fmt, ...)
{
	int error = errno;
	const char *help = find_remedy(what, error);
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (error == KERNEL_ENOTSUPP)
		err_set(err, -error, "%s: not supported by this kernel", text);
	else {
		errno = error;
		err_sys(err, "%s", text);
	}
	if (what == TRIED_MAP && (error == EPERM || error == ENOMEM) && help_memlock(err))
		return -error;
	if (what == TRIED_UPROBE && (error == EPERM || error == EACCES) && help_uprobe_right(err))
		return -error;
	if (error == EPERM || error == ENOSYS ||
	    (error == EACCES && (what != TRIED_LOAD || bpf_right())))
		help_rights(err, needs_perf(what));
	else if (help)
		err_help(err, "%s", help);
	return -error;
}
