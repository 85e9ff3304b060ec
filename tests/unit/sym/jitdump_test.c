/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jitdump files: whole, in pieces, half written; and as a process's symbols. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/buf.h"
#include "sym/jitdump.h"
#include "sym/perfmap.h"
#include "tap.h"

static void put(struct buf *b, const void *bytes, size_t len)
{
	buf_add(b, bytes, len);
}

static void put_header(struct buf *b)
{
	const u32 header[10] = { 0x4a695444, 1, sizeof header, 62 };

	put(b, header, sizeof header);
}

static void put_load(struct buf *b, u64 address, u64 size, const char *name)
{
	u32 head[2] = { 0, (u32)(56 + strlen(name) + 1 + size) };
	u64 rest[6] = { 1, 0, address, address, size, 0 };

	put(b, head, sizeof head);
	put(b, rest, sizeof rest);
	put(b, name, strlen(name) + 1);
	for (u64 i = 0; i < size; i++)
		buf_putc(b, '\xc3');
}

static void put_other(struct buf *b)
{
	u32 record[4] = { 3, 16, 0, 0 };

	put(b, record, sizeof record);
}

static void see(void *ctx, const struct jit_code *code)
{
	buf_printf(ctx, "%llx+%llx %s;", (unsigned long long)code->start,
		   (unsigned long long)code->size, code->name);
}

static void records(void)
{
	struct buf file = { 0 }, seen = { 0 };
	u64 at = 0;

	put_header(&file);
	put_load(&file, 0x1000, 16, "f");
	put_other(&file);
	put_load(&file, 0x2000, 300, "g h");
	ok(jitdump_parse(file.s, file.len - 200, file.len, &at, see, &seen), "a dump");
	is_str(seen.s, "1000+10 f;2000+12c g h;", "code is not needed");
	is_int(at, file.len, "read to the end");
	buf_clear(&seen);
	at = 0;
	jitdump_parse(file.s, file.len, file.len - 1, &at, see, &seen);
	is_str(seen.s, "1000+10 f;", "a record that is being written waits");
	at = 0;
	ok(!jitdump_parse("1000 10 f\n234567", 16, 16, &at, see, &seen), "not a dump");
	buf_release(&file);
	buf_release(&seen);
}

static void append(const char *path, const struct buf *b)
{
	FILE *f = fopen(path, "a");

	fwrite(b->s, 1, b->len, f);
	fclose(f);
}

static void of_a_process(void)
{
	char *path = xasprintf("/tmp/jit-%u.dump", (u32)getpid());
	struct buf file = { 0 };
	struct perfmap *p;
	u64 offset = 0;

	ok(jitdump_is_name(path) && !jitdump_is_name("/tmp/jit-1.so") &&
		   !jitdump_is_name("jit-1.dump"),
	   "names");
	put_header(&file);
	for (u64 i = 0; i < 2000; i++)
		put_load(&file, 0x10000 + 0x100 * i, 0x100, "f");
	put_load(&file, 0x10140, 0x20, "later");
	append(path, &file);
	p = perfmap_open((u32)getpid(), path);
	is_str(p ? perfmap_lookup(p, 0x10110, &offset) : NULL, "f", "a function");
	is_int(offset, 0x10, "offset");
	is_str(p ? perfmap_lookup(p, 0x10150, &offset) : NULL, "later", "the last one wins");
	buf_clear(&file);
	put_load(&file, 0x1000, 0x10, "appended");
	append(path, &file);
	ok(p && perfmap_refresh(p) && !perfmap_refresh(p), "read further, once");
	is_str(p ? perfmap_lookup(p, 0x1000, &offset) : NULL, "appended", "what was appended");
	perfmap_close(p);
	unlink(path);
	free(path);
	buf_release(&file);
}

int main(void)
{
	records();
	of_a_process();
	return done();
}
