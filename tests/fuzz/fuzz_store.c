/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings: the input is the file, with right checksums. */
#include "export/ctf.h"
#include "store_mend.h"
#include "store/names.h"
#include "trace/event_line.h"
#include "trace/event_stack.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static struct store_names *stack_names;

static bool name_ksym(void *ctx, u64 addr, struct symbol *out)
{
	return store_names_kernel(stack_names, addr, out);
}

static bool name_usym(void *ctx, u32 pid, u64 addr, struct symbol *out)
{
	return store_names_user(stack_names, pid, addr, out);
}

static const struct names names = { .ksym = name_ksym, .usym = name_usym };

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct store *s = mended_store(data, size);
	struct trace_event e;
	struct buf line = { 0 };
	struct arena a;

	arena_init(&a);
	stack_names = s ? store_names_new(store_tables(s)) : NULL;
	for (u32 i = 0; s && i < 2000 && store_next(s, &e); i++) {
		buf_clear(&line);
		event_line_perf(&line, &a, NULL, &e, 0);
		event_line_ftrace(&line, &a, NULL, &e);
		store_names_at(stack_names, e.time);
		event_stacks_perf(&line, &names, &e);
		ctf_put_fields(&line, &(struct ctf_event){ .format = e.format }, &e);
	}
	store_names_free(stack_names);
	store_close(s);
	buf_release(&line);
	arena_release(&a);
	return 0;
}
