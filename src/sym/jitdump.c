/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: bytes of a jitdump file. Out: code with its name.
 *
 *	header	u32 magic, version, size of the header; ...
 *	record	u32 kind, u32 size of the record, u64 time
 *	  load	u32 pid, u32 tid, u64 vma, address, size, index; the name and a NUL; the code
 *
 * Records of moved code are skipped: the compilers that write these files report such code as
 * loaded again.
 */
#include "sym/jitdump.h"

enum {
	MAGIC = 0x4a695444, /* "JiTD", in the writer's byte order */
	KIND_LOAD = 0,
};

struct header {
	u32 magic, version, size;
};

struct record {
	u32 kind, size;
	u64 time;
};

struct load {
	struct record record;
	u32 pid, tid;
	u64 vma, address, size, index;
};

bool jitdump_is_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && starts_with(slash, "/jit-") && ends_with(slash, ".dump");
}

typedef void (*code_fn)(void *ctx, const struct jit_code *code);

/* len: bytes of the record that are available, at most its size. */
static void read_load(const u8 *bytes, size_t len, code_fn f, void *ctx)
{
	const char *name = (const char *)bytes + sizeof(struct load);
	struct load load;

	if (len <= sizeof load || !memchr(name, 0, len - sizeof load))
		return;
	memcpy(&load, bytes, sizeof load);
	f(ctx, &(struct jit_code){ load.address, load.size, name });
}

/* The size of the header; 0: not a jitdump header. */
static size_t skip_header(const void *bytes, size_t len)
{
	struct header h;

	if (len < sizeof h)
		return 0;
	memcpy(&h, bytes, sizeof h);
	return h.magic == MAGIC && h.size >= sizeof h ? h.size : 0;
}

bool jitdump_parse(const void *bytes, size_t len, u64 end, u64 *at, code_fn f, void *ctx)
{
	size_t i = *at ? 0 : skip_header(bytes, len);
	struct record r;

	if (!*at && !i)
		return false;
	*at += i;
	for (; i < len && len - i >= sizeof r; i += r.size, *at += r.size) {
		memcpy(&r, (const u8 *)bytes + i, sizeof r);
		if (r.size < sizeof r || r.size > end - MIN(*at, end))
			break;
		if (r.kind == KIND_LOAD)
			read_load((const u8 *)bytes + i, MIN(len - i, (size_t)r.size), f, ctx);
	}
	return true;
}
