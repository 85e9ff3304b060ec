/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -e read=, -e write=: which calls have their data in hex. In: a value of argstr. Out: lines after
 * that of the call. */
#include "cli/strace/strace.h"

static const char reads[] =
	"read pread64 readv preadv preadv2 recvfrom recvmsg recvmmsg mq_timedreceive";
static const char writes[] =
	"write pwrite64 writev pwritev pwritev2 sendto sendmsg sendmmsg vmsplice mq_timedsend";

/* The descriptors for which the call shows its data; NULL: it shows none. */
const u64 *strace_dumped_fds(const struct strace_options *o, const char *name)
{
	size_t len = strlen(name);

	return lists_word(reads, name, len)  ? o->read_fds :
	       lists_word(writes, name, len) ? o->write_fds :
					       NULL;
}

void strace_put_dump(struct strace *st, const struct strace_call *call, const void *value, u32 size)
{
	const u64 *fds = strace_dumped_fds(&st->o, call->name);
	u32 fd;

	if (!fds || size < CALL_AT_ARGS + sizeof(u64))
		return;
	memcpy(&fd, (const char *)value + CALL_AT_ARGS, sizeof fd);
	if (strace_in_set(fds, STRACE_FD_MAX, fd))
		call_dump_text(&st->line, &st->names, value, size);
}
