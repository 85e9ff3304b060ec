/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with several implementations (STT_GNU_IFUNC: memcpy, strlen …). The symbol is the
 * resolver, which runs once at program start. Its choice depends only on the processor unless
 * GLIBC_TUNABLES is set, and the loader has already made it for sonde's own libc.
 */
#include <dlfcn.h>
#include <elf.h>
#include <sys/stat.h>
#include "arch/insn.h"
#include "arch/insn_arm64.h"
#include "provider/uifunc.h"

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool uifunc_choice(const char *path, struct elf *e, const char *name, struct elf_symbol *chosen)
{
	void *address = dlsym(RTLD_DEFAULT, name);
	Dl_info info;
	u64 value;

	if (!address || !dladdr(address, &info) || !same_file(info.dli_fname, path))
		return false;
	value = (u64)(uintptr_t)address - (u64)(uintptr_t)info.dli_fbase;
	*chosen = (struct elf_symbol){ 0 };
	if (!elf_symbol_at(e, value, chosen) && !elf_frame_at(e, value, chosen))
		return false;
	return chosen->value == value;
}

/* ---- addresses in the code of a resolver */

struct chooser {
	const struct elf *e;
	int (*f)(void *ctx, u64 address);
	void *ctx;
	bool calls;
};

static bool is_code(const struct elf *e, u64 address)
{
	struct elf_section s;

	for (u32 i = 0; elf_code_segment(e, i, &s); i++)
		if (address - s.address < s.size)
			return true;
	return false;
}

static int see_address(const struct chooser *c, u64 address)
{
	return is_code(c->e, address) ? c->f(c->ctx, address) : 0;
}

static int walk_x86(struct chooser *c, const u8 *code, u64 len, u64 address)
{
	int stop = 0;

	for (u64 at = 0; at < len && !stop;) {
		struct x86_insn in;
		struct x86_effect effect;
		u32 n = x86_decode(code + at, (u32)MIN(len - at, 16), X86_64, &in);

		if (!n)
			break;
		x86_effect(&in, &effect);
		c->calls |= effect.kind == X86_CALL || effect.kind == X86_CALL_INDIRECT;
		if (!in.map && in.op == 0x8d && in.base == X86_RIP)
			stop = see_address(c, address + at + n + (u64)(s64)in.disp);
		at += n;
	}
	return stop;
}

static int walk_arm64(struct chooser *c, const u8 *code, u64 len, u64 address)
{
	u64 page[32] = { 0 };
	int stop = 0;

	for (u64 at = 0; at + 4 <= len && !stop; at += 4) {
		struct arm64_effect effect;
		u32 word;

		memcpy(&word, code + at, 4);
		arm64_effect(word, &effect);
		c->calls |= effect.kind == ARM64_CALL || effect.kind == ARM64_CALL_INDIRECT;
		if ((word & 0x9f000000) == 0x90000000) { /* adrp: immhi 23:5, immlo 30:29 */
			s64 pages = (s32)((word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3)) << 11 >>
				    11;

			page[word & 31] = ((address + at) & ~0xfffull) + (u64)pages * 4096;
		} else if ((word & 0xffc00000) == 0x91000000 &&
			   page[word >> 5 & 31]) { /* add imm12 */
			stop = see_address(c, page[word >> 5 & 31] + (word >> 10 & 0xfff));
		}
	}
	return stop;
}

int uifunc_candidates(const struct elf *e, const struct elf_symbol *chooser,
		      int (*f)(void *ctx, u64 address), void *ctx, bool *calls)
{
	struct chooser c = { .e = e, .f = f, .ctx = ctx };
	struct elf_section s;
	int stop = 0;

	for (u32 i = 0; elf_code_segment(e, i, &s); i++) {
		u64 at = chooser->value - s.address;
		const u8 *code = s.bytes;

		if (at >= s.size || chooser->size > s.size - at || !code)
			continue;
		stop = elf_machine(e) == EM_AARCH64 ?
			       walk_arm64(&c, code + at, chooser->size, chooser->value) :
			       walk_x86(&c, code + at, chooser->size, chooser->value);
	}
	*calls = c.calls;
	return stop;
}
