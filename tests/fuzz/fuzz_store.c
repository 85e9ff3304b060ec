/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings: the input is the file. Its checksums are made right first, or nothing beyond them would
 * be reached.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/crc32.h"
#include "export/ctf.h"
#include "store/read.h"
#include "trace/event_line.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void mend_chunk(u8 *at, size_t left)
{
	struct chunk_head h;

	memcpy(&h, at, sizeof h);
	h.magic = CHUNK_MAGIC;
	h.stored_len = MIN(h.stored_len, (u32)(left - sizeof h));
	h.raw_len = h.codec ? h.raw_len % (1 << 20) : h.stored_len;
	h.body_crc = crc32_of(at + sizeof h, h.stored_len);
	h.crc = crc32_of(&h, offsetof(struct chunk_head, crc));
	memcpy(at, &h, sizeof h);
}

static void mend(u8 *file, size_t size)
{
	struct file_head head;
	size_t at = sizeof head;

	memcpy(&head, file, sizeof head);
	memcpy(head.magic, STORE_MAGIC, sizeof head.magic);
	head.version = STORE_VERSION;
	head.size = sizeof head;
	head.crc = crc32_of(&head, offsetof(struct file_head, crc));
	memcpy(file, &head, sizeof head);
	while (at + sizeof(struct chunk_head) <= size) {
		struct chunk_head h;

		mend_chunk(file + at, size - at);
		memcpy(&h, file + at, sizeof h);
		at += sizeof h + h.stored_len;
	}
}

static void read_all(int fd)
{
	struct err err = { 0 };
	struct store *s = store_open_fd(fd, "input", &err);
	struct trace_event e;
	struct buf line = { 0 };
	struct arena a;

	arena_init(&a);
	for (u32 i = 0; s && i < 2000 && store_next(s, &e); i++) {
		buf_clear(&line);
		event_line_perf(&line, &a, NULL, &e, 0);
		event_line_ftrace(&line, &a, NULL, &e);
		ctf_put_fields(&line, &(struct ctf_event){ .format = e.format }, &e);
	}
	store_close(s);
	buf_release(&line);
	arena_release(&a);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	u8 *file = xmalloc(size + 1);

	memcpy(file, data, size);
	if (size >= sizeof(struct file_head))
		mend(file, size);
	if (write(fd, file, size) == (ssize_t)size)
		read_all(fd);
	else
		close(fd);
	free(file);
	return 0;
}
