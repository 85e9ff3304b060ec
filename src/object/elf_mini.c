/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mini-debuginfo: the section .gnu_debugdata is a separate ELF file, compressed with xz, whose
 * .symtab has the functions that .dynsym lacks (gdb's manual, "Debugging information in a special
 * section"). liblzma is loaded only if a file has such a section.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include "object/elf_file.h"

enum {
	LZMA_OK = 0,
	LZMA_BUF_ERROR = 10,
	MAX_MINI = 256 << 20, /* bytes, unpacked */
};

typedef int (*decode_fn)(u64 *memory_limit, u32 flags, const void *allocator, const u8 *in,
			 size_t *in_at, size_t in_len, u8 *out, size_t *out_at, size_t out_len);

static decode_fn find_decoder(void)
{
#if SONDE_STATIC
	return NULL; /* a static program cannot load libraries */
#else
	static decode_fn fn;
	static bool tried;

	if (!tried) {
		void *lib = dlopen("liblzma.so.5", RTLD_LAZY | RTLD_LOCAL);

		tried = true;
		if (lib)
			fn = (decode_fn)(uintptr_t)dlsym(lib, "lzma_stream_buffer_decode");
	}
	return fn;
#endif
}

/* malloc'ed, *len bytes; NULL: corrupt, too large, or liblzma is missing. */
static u8 *unpack(const u8 *in, size_t in_len, size_t *len)
{
	decode_fn decode = find_decoder();

	for (size_t room = in_len * 4 + 4096; decode && room <= MAX_MINI; room *= 2) {
		u64 limit = MAX_MINI;
		size_t in_at = 0;
		u8 *out = xmalloc(room);
		int code;

		*len = 0;
		code = decode(&limit, 0, NULL, in, &in_at, in_len, out, len, room);
		if (code == LZMA_OK)
			return out;
		free(out);
		if (code != LZMA_BUF_ERROR)
			break;
	}
	return NULL;
}

static struct elf *unpacked_file(const struct elf *e)
{
	struct err err = { 0 };
	struct elf_section s;
	struct elf *mini;
	size_t len;
	u8 *bytes;

	if (!elf_section(e, ".gnu_debugdata", &s) || !s.bytes)
		return NULL;
	bytes = unpack(s.bytes, s.size, &len);
	mini = bytes ? elf_from_bytes(bytes, len, &err) : NULL;
	err_release(&err);
	if (mini)
		mini->unpacked = bytes;
	else
		free(bytes);
	return mini;
}

struct elf *elf_mini_file(struct elf *e)
{
	if (e->mini_tried)
		return e->mini;
	e->mini_tried = true;
	e->mini = unpacked_file(e);
	if (!e->mini)
		e->mini = elf_go_symbols(e);
	return e->mini;
}
