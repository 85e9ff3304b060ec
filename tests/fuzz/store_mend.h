/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the checksums of a recording right: otherwise nothing beyond them would be reached. */
#ifndef SONDE_FUZZ_STORE_MEND_H
#define SONDE_FUZZ_STORE_MEND_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/crc32.h"
#include "store/read.h"

static inline void mend_chunk(u8 *at, size_t left)
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

static inline void mend(u8 *file, size_t size)
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

/* A file of the mended bytes, or -1. */
static inline int mended_file(const u8 *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	u8 *file = xmalloc(size + 1);

	memcpy(file, data, size);
	if (size >= sizeof(struct file_head))
		mend(file, size);
	if (write(fd, file, size) != (ssize_t)size) {
		close(fd);
		fd = -1;
	}
	free(file);
	return fd;
}

/* The mended bytes as a recording; NULL: they are none. */
static inline struct store *mended_store(const u8 *data, size_t size)
{
	int fd = mended_file(data, size);
	struct err err = { 0 };
	struct store *s = fd >= 0 ? store_open_fd(fd, "input", &err) : NULL;

	err_release(&err);
	return s;
}

#endif
