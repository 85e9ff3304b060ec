/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of system calls as names, as strace spells them: flags, signals, the status of wait4. */
#ifndef SONDE_TRACE_CALL_WORDS_H
#define SONDE_TRACE_CALL_WORDS_H

#include "base/buf.h"
#include "type/call.h"

/* O_WRONLY|O_CREAT, O_RDONLY|0x8000000, 0x8000 if no bit has a name: the set's prefix follows. */
void put_flag_words(struct buf *b, struct call_set *set, u64 v);
/* SEEK_SET, 0x9 with the set's prefix. */
void put_name_word(struct buf *b, struct call_set *set, s64 v);
/* [INT TERM], ~[KILL STOP] */
void put_signal_set(struct buf *b, u64 set);
/* "SIGINT", "SIGRT_3", or the number */
void put_signal(struct buf *b, int sig);
/* [{WIFEXITED(s) && WEXITSTATUS(s) == 0}] */
void put_wait_status(struct buf *b, int status);

#endif
