/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a file of prototypes (sonde ltrace -F), and values of a call of its functions as
 * text. */
#include <stdlib.h>
#include "cli/ltrace/values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(const struct proto *p)
{
	static const u8 memory[64] = "memory %d %s %5.3lf";
	struct ltrace lt = { .o = { .strings = 32, .elements = 8 } };
	struct ltrace_func f = { .proto = p };
	struct ltrace_values v = { .result = { 1 }, .n_words = LTRACE_WORDS };
	struct buf b = { 0 };

	for (u32 i = 0; i < ARRAY_SIZE(v.memory); i++)
		v.memory[i] = (struct ltrace_memory){ memory, sizeof(memory) };
	for (u32 i = 0; i < ARRAY_SIZE(v.word); i++)
		v.word[i] = i;
	ltrace_put_args(&b, &lt, &f, &v, 0, p->n);
	ltrace_put_result(&b, &lt, &f, &v);
	buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct proto_table t = { 0 };
	struct arena arena;
	const char *why;

	memcpy(text, data, size);
	text[size] = '\0';
	arena_init(&arena);
	t.arena = &arena;
	proto_read(&t, text, &why);
	for (u32 i = 0; i < t.protos.cap; i++)
		if (t.protos.slot[i].key)
			put(t.protos.slot[i].value);
	proto_release(&t);
	arena_release(&arena);
	free(text);
	return 0;
}
