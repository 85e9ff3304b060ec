/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uprobes in arm64 code: see upoint.h. */
#ifndef SONDE_PROVIDER_UPOINT_ARM64_H
#define SONDE_PROVIDER_UPOINT_ARM64_H

#include "provider/branch_targets.h"
#include "provider/upoint.h"

/* What is known of one file. */
struct arm64_code {
	struct provider_env *env;
	struct elf *elf; /* the caller's */
	bool searched;
	struct branch_targets targets; /* of every branch */
};

void arm64_code_release(struct arm64_code *c);
/* As upoint_find(), for a function whose code (of s->size bytes) is given. */
void arm64_find(struct arm64_code *c, const struct elf_symbol *s, const u8 *code,
		const struct upoint_need *need, struct upoint *out);
/* As upoint_refuses(). function: where the code before address begins. */
const char *arm64_refuses(const u8 *code, u64 function, u64 address);

#endif
