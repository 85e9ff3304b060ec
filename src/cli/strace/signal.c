/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals and ends, as strace(1) shows them. The layout of a siginfo:
 * include/uapi/asm-generic/siginfo.h. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "base/os_names.h"
#include "cli/strace/strace.h"
#include "trace/call_quote.h"
#include "trace/call_text.h"
#include "trace/call_words.h"
#include "sym/constants.h"

enum { LAST_SIGNAL = 64 };

void strace_put_signal_name(struct buf *b, u32 signo)
{
	put_signal(b, (int)signo);
}

static bool is_name_of(u32 signo, const char *word, size_t len)
{
	struct buf name = { 0 };
	bool same;

	strace_put_signal_name(&name, signo);
	same = (name.len == len && !strncasecmp(name.s, word, len)) ||
	       (name.len == len + 3 && !strncasecmp(name.s + 3, word, len));
	buf_release(&name);
	return same;
}

u32 strace_signal_number(const char *name, size_t len)
{
	char *end;
	unsigned long n = strtoul(name, &end, 10);

	if (end == name + len && n && n <= LAST_SIGNAL)
		return (u32)n;
	for (u32 i = 1; i <= LAST_SIGNAL; i++)
		if (is_name_of(i, name, len))
			return i;
	return 0;
}

/* ---- si_code */

static const struct code_row {
	u32 signo;         /* 0: of any signal */
	const char *names; /* from code 1 on; of any signal: NAME:CODE */
} codes[] = {
	{ SIGILL,
	  "ILL_ILLOPC ILL_ILLOPN ILL_ILLADR ILL_ILLTRP ILL_PRVOPC ILL_PRVREG ILL_COPROC ILL_BADSTK" },
	{ SIGFPE,
	  "FPE_INTDIV FPE_INTOVF FPE_FLTDIV FPE_FLTOVF FPE_FLTUND FPE_FLTRES FPE_FLTINV FPE_FLTSUB" },
	{ SIGSEGV, "SEGV_MAPERR SEGV_ACCERR SEGV_BNDERR SEGV_PKUERR" },
	{ SIGBUS, "BUS_ADRALN BUS_ADRERR BUS_OBJERR BUS_MCEERR_AR BUS_MCEERR_AO" },
	{ SIGTRAP, "TRAP_BRKPT TRAP_TRACE TRAP_BRANCH TRAP_HWBKPT TRAP_UNK TRAP_PERF" },
	{ SIGCHLD, "CLD_EXITED CLD_KILLED CLD_DUMPED CLD_TRAPPED CLD_STOPPED CLD_CONTINUED" },
	{ SIGIO, "POLL_IN POLL_OUT POLL_MSG POLL_ERR POLL_PRI POLL_HUP" },
	{ SIGSYS, "SYS_SECCOMP SYS_USER_DISPATCH" },
};

static const struct {
	s32 code;
	const char *name;
} common_codes[] = {
	{ SI_USER, "SI_USER" },       { SI_KERNEL, "SI_KERNEL" }, { SI_QUEUE, "SI_QUEUE" },
	{ SI_TIMER, "SI_TIMER" },     { SI_MESGQ, "SI_MESGQ" },   { SI_ASYNCIO, "SI_ASYNCIO" },
	{ SI_SIGIO, "SI_SIGIO" },     { SI_TKILL, "SI_TKILL" },   { -7, "SI_DETHREAD" },
	{ SI_ASYNCNL, "SI_ASYNCNL" },
};

static void put_code(struct buf *b, u32 signo, s32 code)
{
	const char *s = NULL;

	for (u32 i = 0; i < ARRAY_SIZE(common_codes); i++)
		if (common_codes[i].code == code) {
			buf_puts(b, common_codes[i].name);
			return;
		}
	for (u32 i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i].signo == signo)
			s = codes[i].names;
	for (s32 i = 1; s && i < code; i++) {
		s = strchr(s, ' ');
		s += s != NULL;
	}
	if (s && code > 0)
		buf_add(b, s, strcspn(s, " "));
	else
		buf_printf(b, "%#x", (u32)code);
}

/* ---- members */

static void put_address(struct buf *b, u64 at)
{
	if (at)
		buf_printf(b, "%#llx", (unsigned long long)at);
	else
		buf_puts(b, "NULL");
}

static void put_sender(struct buf *b, u64 word, const struct call_style *style)
{
	buf_printf(b, ", si_pid=%d", (s32)word);
	put_comm(b, style, (s32)word);
	buf_printf(b, ", si_uid=%u", (u32)(word >> 32));
}

static void put_value(struct buf *b, u64 value)
{
	buf_printf(b, ", si_int=%d, si_ptr=", (s32)value);
	put_address(b, value);
}

static void put_child(struct buf *b, s32 code, const u64 w[4], const struct call_style *style)
{
	u32 status = (u32)w[1];

	put_sender(b, w[0], style);
	buf_puts(b, ", si_status=");
	if (code == CLD_EXITED)
		buf_u64(b, status);
	else
		strace_put_signal_name(b, status);
	buf_puts(b, ", si_utime=");
	put_ticks(b, (s64)w[2]);
	buf_puts(b, ", si_stime=");
	put_ticks(b, (s64)w[3]);
}

static void put_system_call(struct buf *b, const u64 w[4])
{
	const char *name = syscall_name((u32)w[1]);

	buf_puts(b, ", si_call_addr=");
	put_address(b, w[0]);
	if (name)
		buf_printf(b, ", si_syscall=__NR_%s", name);
	else
		buf_printf(b, ", si_syscall=%u", (u32)w[1]);
	buf_printf(b, ", si_arch=%s",
		   (u32)(w[1] >> 32) == 0xc000003e ? "AUDIT_ARCH_X86_64" :
		   (u32)(w[1] >> 32) == 0xc00000b7 ? "AUDIT_ARCH_AARCH64" :
						     "AUDIT_ARCH_I386");
}

static void put_of_kernel(struct buf *b, u32 signo, s32 code, const u64 w[4],
			  const struct call_style *style)
{
	switch (signo) {
	case SIGCHLD: put_child(b, code, w, style); return;
	case SIGSYS: put_system_call(b, w); return;
	case SIGIO: buf_printf(b, ", si_band=%lld, si_fd=%d", (long long)w[0], (s32)w[1]); return;
	case SIGILL:
	case SIGFPE:
	case SIGSEGV:
	case SIGBUS:
	case SIGTRAP:
		buf_puts(b, ", si_addr=");
		put_address(b, w[0]);
		return;
	}
	if (w[0] || w[1])
		put_sender(b, w[0], style);
	if (w[1])
		put_value(b, w[1]);
}

static bool is_fault(u32 signo)
{
	return signo == SIGILL || signo == SIGFPE || signo == SIGSEGV || signo == SIGBUS ||
	       signo == SIGTRAP;
}

void strace_put_siginfo(struct buf *b, u32 signo, s32 code, s32 err, const u64 w[4],
			const struct call_style *style)
{
	size_t start;

	buf_puts(b, "{si_signo=");
	start = b->len;
	strace_put_signal_name(b, signo);
	call_restyle(b, style, start, CALL_AS_SIGNED, signo);
	buf_puts(b, ", si_code=");
	start = b->len;
	put_code(b, signo, code);
	call_restyle(b, style, start, CALL_AS_HEX, (u32)code);
	if (err) {
		const char *name = os_error_name((u32)err);

		buf_printf(b, ", si_errno=%s", name ? name : "?");
	}
	if (code == SI_USER || code == SI_TKILL || code == -7) {
		put_sender(b, w[0], style);
	} else if (code == SI_TIMER) {
		buf_printf(b, ", si_timerid=%#x, si_overrun=%d", (u32)w[0], (s32)(w[0] >> 32));
		put_value(b, w[1]);
	} else if (code < 0) {
		put_sender(b, w[0], style);
		if (w[1])
			put_value(b, w[1]);
	} else if (code != SI_KERNEL || is_fault(signo)) {
		put_of_kernel(b, signo, code, w, style);
	}
	buf_putc(b, '}');
}

void strace_put_end(struct buf *b, s32 wait_status)
{
	if (WIFEXITED(wait_status)) {
		buf_printf(b, "+++ exited with %d +++", WEXITSTATUS(wait_status));
		return;
	}
	buf_puts(b, "+++ killed by ");
	strace_put_signal_name(b, (u32)WTERMSIG(wait_status));
	buf_puts(b, WCOREDUMP(wait_status) ? " (core dumped) +++" : " +++");
}
