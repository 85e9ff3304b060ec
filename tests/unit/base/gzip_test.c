/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip files of stored blocks: gzip -dc reads them; the checksum's known values. */
#include <stdlib.h>
#include "base/crc32.h"
#include "base/fd.h"
#include "base/gzip.h"
#include "tap.h"

/* What gzip(1) makes of it. */
static bool survives(const char *bytes, size_t len)
{
	char path[] = "/tmp/gzip_test.XXXXXX", command[64];
	struct buf packed = { 0 };
	int fd = mkstemp(path);
	char *back = malloc(len + 1);
	size_t n = 0;
	FILE *pipe;

	gzip_store(&packed, bytes, len);
	if (fd < 0 || write_all(fd, packed.s, packed.len))
		return false;
	close(fd);
	snprintf(command, sizeof command, "gzip -dc <%s", path);
	pipe = popen(command, "r");
	n = fread(back, 1, len + 1, pipe);
	bool same = pclose(pipe) == 0 && n == len && !memcmp(back, bytes, len);

	unlink(path);
	free(back);
	buf_release(&packed);
	return same;
}

int main(void)
{
	static const size_t sizes[] = { 0, 1, 65534, 65535, 65536, 131070, 200000 };
	char *bytes = malloc(200000);

	for (u32 i = 0; i < 200000; i++)
		bytes[i] = (char)(i * 7 + i / 251);
	is_int(crc32_of("123456789", 9), 0xcbf43926, "the check value of CRC-32");
	is_int(crc32_of("", 0), 0, "of nothing");
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++)
		ok(survives(bytes, sizes[i]), "%zu bytes", sizes[i]);
	free(bytes);
	return done();
}
