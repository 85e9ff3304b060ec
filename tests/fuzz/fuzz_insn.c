/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as code: every instruction lies within them, and has an effect. */
#include <stdlib.h>
#include "arch/insn.h"
#include "arch/insn_arm64.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode_all(const u8 *code, u32 size, enum x86_mode mode)
{
	struct x86_insn in;
	struct x86_effect e;

	for (u32 at = 0; at < size; at += in.len ? in.len : 1) {
		if (x86_decode(code + at, size - at, mode, &in) > MIN(size - at, 15u))
			abort();
		x86_effect(&in, &e);
		if (in.len && x86_uprobe_emulates(&in, code + at, true) && x86_uprobe_misreads(&in))
			abort();
	}
}

static void words_of_arm64(const u8 *code, size_t size)
{
	struct arm64_effect e;
	u32 word;

	for (size_t at = 0; size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, code + at, sizeof(word));
		arm64_effect(word, &e);
		if ((arm64_uprobe_simulates(word, true) && arm64_uprobe_refuses(word)) ||
		    e.target % 4 ||
		    (arm64_is_exclusive_load(word) && !arm64_uprobe_refuses(word)) ||
		    (e.moves_sp && !(e.writes & 1u << ARM64_SP)) ||
		    (e.copy_to != ARM64_NO_REG && !(e.writes & 1u << e.copy_to)))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u8 *copy = malloc(size + 1); /* so that one byte too far is seen */

	memcpy(copy, data, size);
	copy = realloc(copy, size ? size : 1);
	decode_all(copy, (u32)size, X86_64);
	decode_all(copy, (u32)size, X86_32);
	words_of_arm64(copy, size);
	free(copy);
	return 0;
}
