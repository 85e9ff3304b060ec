/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of argstr: the input is the number of the call in two bytes, whether it has returned and,
 * above that bit, the protocol of a netlink socket, then the value after its head, which lies alone
 * in memory of exactly its size. Formats are those of all calls.
 */
#include <stdlib.h>
#include "sym/callviews.h"
#include "sym/syscalls.h"
#include "trace/call_text.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static const struct call_format *formats[SYSCALL_MAX];

static void read_formats(void)
{
	for (u32 nr = 0; nr < SYSCALL_MAX; nr++)
		formats[nr] = syscall_event_name(nr) ? call_format(syscall_event_name(nr)) : NULL;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct program prog = { .calls = formats };
	struct names names = { .prog = &prog, .argstr_bytes = 32 };
	struct buf b = {};
	u64 head;
	u8 *value;

	if (size < 3)
		return 0;
	if (!formats[0])
		read_formats();
	size = MIN(size + 5, (size_t)CALL_USED & ~7ul);
	value = xcalloc(1, size);
	memcpy(value + 8, data + 3, size - 8);
	head = size | (u64)(data[0] | data[1] << 8) % SYSCALL_MAX << CALL_NUMBER_SHIFT |
	       (u64)(data[2] & 1) << CALL_RESULT_SHIFT | 6ull << CALL_ARGS_SHIFT |
	       (u64)(data[2] >> 1) << CALL_PROTOCOL_SHIFT;
	memcpy(value, &head, sizeof(head));
	call_text(&b, &names, value, (u32)size);
	call_raw_text(&b, &names, value, (u32)size);
	call_result_text(&b, &names, value, (u32)size, 1);
	free(value);
	buf_release(&b);
	return 0;
}
