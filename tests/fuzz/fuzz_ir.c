/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as IR: what parses is printed and read back the same, survives the passes, and is
 * emitted for an old and a new kernel, with all registers and with three; every instruction
 * prints.
 */
#include <stdlib.h>

#include "target/mach.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t len);

static void emit(struct ir_unit *u, bool modern, const struct limits *limits)
{
	struct bpf_func f = { .name = "fuzz" };
	struct features ft = {};
	struct buf b = {};

	memset(ft.known, modern ? 1 : -1, sizeof(ft.known));
	if (!target_emit_with(u, &ft, &f, limits))
		target_dump(&b, NULL, &f);
	buf_release(&b);
}

static void read_back(struct arena *a, const struct ir_unit *u)
{
	struct buf one = {}, two = {};
	const char *error;
	struct ir_unit *again;

	ir_print(&one, u);
	again = ir_parse(a, NULL, one.s ? one.s : "", &error);
	if (!again)
		BUG("what was printed does not parse: %s\n%s", error, one.s);
	ir_print(&two, again);
	if (strcmp(one.s, two.s))
		BUG("printed differently:\n%s\n%s", one.s, two.s);
	buf_release(&one);
	buf_release(&two);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	static const struct limits all = { ALL_REGS, FAR }, few = { FEW_REGS, NEAR };
	struct arena a = {};
	struct program prog = { .arena = &a };
	const char *error;
	char *text = malloc(len + 1);
	struct ir_unit *u;

	if (len)
		memcpy(text, data, len);
	text[len] = '\0';
	u = ir_parse(&a, &prog, text, &error);
	if (u) {
		read_back(&a, u);
		emit(u, false, &few);
		emit(u, true, &all);
		ir_optimize(u, NULL);
		ir_verify(u);
		emit(u, true, &few);
		emit(u, false, &all);
	}
	arena_release(&a);
	free(text);
	return 0;
}
