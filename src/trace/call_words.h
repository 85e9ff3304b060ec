/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of system calls as names, as strace spells them: flags, signals, the status of wait4. */
#ifndef SONDE_TRACE_CALL_WORDS_H
#define SONDE_TRACE_CALL_WORDS_H

#include "base/buf.h"
#include "trace/call_style.h"
#include "type/call.h"

/* O_WRONLY|O_CREAT, O_RDONLY|0x8000000, 0x8000 if no bit has a name: the set's prefix follows.
 * with_mode: other bits are permissions, IPC_CREAT|0600. */
void put_flag_words(struct buf *b, struct call_set *set, u64 v, bool with_mode);
/* SEEK_SET, 0x9 with the set's prefix; an ioctl request has all names of its number, or
 * is _IOC(...). */
void put_name_word(struct buf *b, struct call_set *set, s64 v, bool or_decimal);
/* [ICMP_ECHOREPLY ICMP_ECHO], ~[ICMP_ECHO]: 32 bits, by their numbers. */
void put_bit_set(struct buf *b, struct call_set *set, u32 bits);
/* [INT TERM], ~[KILL STOP] */
void put_signal_set(struct buf *b, u64 set, const struct call_style *style);
/* "SIGINT", "SIGRT_3", or the number */
void put_signal(struct buf *b, int sig);
/* 1<<CAP_CHOWN|1<<CAP_KILL */
void put_capability_words(struct buf *b, u64 caps);
/* 10, and its name as a comment */
void put_number_name(struct buf *b, struct call_set *set, s64 v);
/* disabled=1, precise_ip=0: bits that are set, and members of several bits; all: also those that
 * are 0; says_skid: with what precise_ip means. */
void put_bit_fields(struct buf *b, struct call_set *set, u64 v, bool all, bool says_skid);
/* QCMD(Q_GETQUOTA, USRQUOTA) */
void put_quota(struct buf *b, struct call_set *set, u32 v);
/* FUTEX_OP_SET<<28|0<<12|FUTEX_OP_CMP_GT<<24|0x1 (linux/futex.h) */
void put_futex_op(struct buf *b, u32 v);
/* 48, and how many seconds that are: 100 ticks are one (USER_HZ) */
void put_ticks(struct buf *b, s64 ticks);
/* [{WIFEXITED(s) && WEXITSTATUS(s) == 0}] */
void put_wait_status(struct buf *b, int status);

#endif
