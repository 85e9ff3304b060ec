/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What gzip(1) packs is unpacked, in blocks of every kind; what is damaged is refused or differs,
 * and stays in its bounds. */
#include <stdlib.h>
#include "base/buf.h"
#include "base/fd.h"
#include "base/packed.h"
#include "tap.h"

enum { HEAD = 10, TAIL = 8, LONGEST = 200000 }; /* of gzip's format, around the blocks */

static size_t pack(const char *bytes, size_t len, const char *level, u8 *to, size_t max)
{
	char path[] = "/tmp/packed_test.XXXXXX", command[64];
	int fd = mkstemp(path);
	size_t n;
	FILE *pipe;

	if (fd < 0 || write_all(fd, bytes, len))
		return 0;
	close(fd);
	snprintf(command, sizeof command, "gzip %s -c <%s", level, path);
	pipe = popen(command, "r");
	n = fread(to, 1, max, pipe);
	unlink(path);
	return pclose(pipe) == 0 && n > HEAD + TAIL ? n : 0;
}

static void check(const char *bytes, size_t len, const char *level, const char *what)
{
	u8 *packed = malloc(LONGEST + 1000), *back = malloc(len + 1);
	size_t n = pack(bytes, len, level, packed, LONGEST + 1000);
	bool good = n && inflate_bytes(back, len, packed + HEAD, n - HEAD - TAIL);

	ok(good && !memcmp(back, bytes, len), "%s, %zu bytes, gzip %s", what, len, level);
	ok(n && !inflate_bytes(back, len + 1, packed + HEAD, n - HEAD - TAIL),
	   "fewer bytes than expected");
	ok(n && (!len || !inflate_bytes(back, len - 1, packed + HEAD, n - HEAD - TAIL)),
	   "more bytes than expected");
	free(packed);
	free(back);
}

static void check_damaged(const char *bytes, size_t len)
{
	u8 *packed = malloc(LONGEST + 1000), *back = malloc(len);
	size_t n = pack(bytes, len, "-9", packed, LONGEST + 1000);
	u32 unpacked = 0;

	for (size_t at = HEAD; at < n - TAIL; at++) {
		u8 *copy = malloc(at - HEAD + 1); /* its bounds are the sanitizer's */

		memcpy(copy, packed + HEAD, at - HEAD);
		unpacked += inflate_bytes(back, len, copy, at - HEAD);
		free(copy);
	}
	is_int(unpacked, 0, "no part of %zu bytes is taken for the whole", n - HEAD - TAIL);
	for (size_t at = HEAD; at < n - TAIL; at++) {
		packed[at] ^= (u8)(1 + at % 255);
		inflate_bytes(back, len, packed + HEAD, n - HEAD - TAIL);
		packed[at] ^= (u8)(1 + at % 255);
	}
	ok(inflate_bytes(back, len, packed + HEAD, n - HEAD - TAIL), "and the whole is");
	free(packed);
	free(back);
}

int main(void)
{
	static const size_t sizes[] = { 0, 1, 3, 300, 40000, LONGEST };
	char *text = malloc(LONGEST), *noise = malloc(LONGEST);
	u32 x = 1;

	for (u32 i = 0; i < LONGEST; i++) {
		x = x * 1103515245 + 12345;
		noise[i] = (char)(x >> 16);
		text[i] = (char)(i % 7000 < 300 ? 'a' : "TCGETS KVM_RUN "[(x >> 20) % 15]);
	}
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		check(text, sizes[i], "-9", "text");
		check(text, sizes[i], "-1", "text");
		check(noise, sizes[i], "-9", "noise");
	}
	check_damaged(text, 2000);
	check_damaged("abcabcabcabc", 12);
	free(text);
	free(noise);
	return done();
}
