/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where instructions begin in a function of the kernel. In: the symbol and an offset; out: whether
 * a probe can be there. The code is read from /proc/kcore, an ELF core file whose segments are the
 * kernel's memory (fs/proc/kcore.c); if that is not allowed, or an instruction is not known,
 * nothing is reported and the kernel decides.
 *
 * The text is the live one: a call where a function is traced, and int3 (0xcc) where another tracer
 * has a probe, after which instruction boundaries are unknown.
 */
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>
#include "base/fd.h"
#include "arch/insn.h"
#include "provider/internal.h"
#include "provider/kcode.h"
#include "sym/kallsyms.h"

enum { MOST_SEGMENTS = 256, INT3 = 0xcc, LONGEST = 15 };

u32 kernel_code_read(u64 address, u8 *to, u32 len)
{
	_fd int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr head;
	Elf64_Phdr segment;

	if (fd < 0 || pread(fd, &head, sizeof head, 0) != sizeof head ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG))
		return 0;
	for (u32 i = 0; i < MIN(head.e_phnum, (u32)MOST_SEGMENTS); i++) {
		u64 at = head.e_phoff + (u64)i * head.e_phentsize;

		if (pread(fd, &segment, sizeof segment, (off_t)at) != sizeof segment)
			return 0;
		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
		    address - segment.p_vaddr < segment.p_memsz) {
			u64 from = segment.p_offset + (address - segment.p_vaddr);
			ssize_t n = pread(fd, to,
					  MIN(len, segment.p_memsz - (address - segment.p_vaddr)),
					  (off_t)from);

			return n > 0 ? (u32)n : 0;
		}
	}
	return 0;
}

bool kernel_code_boundary(const u8 *code, u32 len, u32 offset, u32 *before, u32 *after)
{
	u32 at = 0;

	while (at < offset && at < len) {
		u32 n = code[at] == INT3 ? 0 : x86_insn_len(code + at, len - at);

		if (!n)
			return true;
		*before = at;
		at += n;
	}
	*after = at;
	return at >= len || at == offset;
}

static const char *beside(struct provider_env *env, u64 address, u32 offset)
{
	u32 len = offset + 2 * LONGEST, before = 0, after = 0;
	u8 *code = arena_alloc(env->arena, len);

	len = kernel_code_read(address, code, len);
	if (kernel_code_boundary(code, len, offset, &before, &after))
		return NULL;
	return arena_printf(env->arena,
			    "no instruction begins at this offset: the next ones do at +%u and +%u",
			    before, after);
}

const char *kernel_offset_refused(struct provider_env *env, const char *module, const char *name,
				  u64 offset)
{
	const char *in = module && !streq(module, "vmlinux") ? module : "vmlinux";
	struct kallsyms *ksyms = env_ksyms(env);
	struct ksym func, there;

	if (!kallsyms_find(ksyms, name, module ? in : NULL, &func) || !ksym_is_text(&func) ||
	    !func.address || kallsyms_occurrences(ksyms, name, module ? in : NULL) != 1)
		return NULL;
	if (!kallsyms_lookup(ksyms, func.address + offset, &there) || there.address != func.address)
		return arena_printf(env->arena, "it is past the end of %s", name);
	if (arch_native == &arch_arm64)
		return offset % 4 ? "instructions begin at multiples of 4" : NULL;
	return beside(env, func.address, (u32)offset);
}
