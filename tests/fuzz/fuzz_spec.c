/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probe text, C text of format files, USDT operands and instruction bytes: anything may come in.
 * Only what asks little of the system is resolved.
 */
#include "arch/insn.h"
#include "provider/internal.h"
#include "provider/usdt_args.h"
#include "sym/tracefs.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t len);

static int ignore(void *ctx, struct target *t)
{
	return 0;
}

static bool is_pure(const struct provider *p)
{
	return p == &provider_begin || p == &provider_self || p == &provider_profile ||
	       p == &provider_interval || p == &provider_software || p == &provider_hardware ||
	       p == &provider_watchpoint;
}

static void try_spec(struct provider_env *env, const char *text)
{
	struct attach at = { .text = text, .span = { 1, 1 } };
	struct spec *spec = spec_parse(env, &at);

	if (spec && is_pure(spec->provider))
		spec->provider->resolve(env, spec, ignore, NULL);
}

static void try_format(struct provider_env *env, const char *text, size_t len)
{
	struct tp_format *f = tracefs_parse_format(env->arena, text, len);
	struct profile *p = profile_new(env, PROFILE_TRACEPOINT, 0);

	if (f)
		format_args(env, p, f, len & 1);
	ctype_scalar(env, text, 8, false, true, SPACE_USER);
}

static bool any_symbol(void *ctx, const char *name, u64 *address)
{
	*address = 0x1234;
	return *name != '.';
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	static const struct request request;
	struct arena arena;
	struct sources sources;
	struct diags diags;
	struct provider_env env = { .arena = &arena, .diags = &diags, .request = &request };
	struct arg_desc args[12];
	char *text;

	arena_init(&arena);
	sources_init(&sources, &arena);
	diags_init(&diags, &arena, &sources);
	text = arena_strndup(&arena, (const char *)data, len);
	try_spec(&env, text);
	try_format(&env, text, strlen(text));
	usdt_parse_args(
		&(struct usdt_point){ .arch = &arch_x86_64, .arena = &arena, .symbol = any_symbol },
		text, args, ARRAY_SIZE(args));
	usdt_parse_args(
		&(struct usdt_point){ .arch = &arch_arm64, .arena = &arena, .symbol = any_symbol },
		text, args, ARRAY_SIZE(args));
	for (size_t at = 0; at < len;) {
		u32 n = x86_insn_len(data + at, (u32)MIN(len - at, (size_t)64));

		at += n ? n : 1;
	}
	provider_env_release(&env); /* a watchpoint on a name has read the kernel's symbols */
	arena_release(&arena);
	return 0;
}
