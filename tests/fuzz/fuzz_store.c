/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings: the input is the file, with right checksums. */
#include "export/ctf.h"
#include "store_mend.h"
#include "store/chunks.h"
#include "store/names.h"
#include "trace/event_columns.h"
#include "trace/event_line.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static struct store_names *stack_names;

static bool name_ksym(void *ctx, u64 addr, struct symbol *out)
{
	return store_names_kernel(stack_names, addr, out);
}

static bool name_usym(void *ctx, struct process_at at, u64 addr, struct symbol *out)
{
	return store_names_user(stack_names, at.pid, addr, out);
}

static const struct names names = { .ksym = name_ksym, .usym = name_usym };

/* Random access: counts, and the events of every chunk. */
static void visit_chunks(struct store *s)
{
	struct trace_event e;
	u32 n, kinds;

	for (u32 cpu = 0; cpu < store_cpus(s); cpu++) {
		const struct store_chunk *chunk = store_chunks(s, cpu, cpu, ~0ull, &n);

		for (u32 i = 0; i < MIN(n, 20u); i++) {
			const struct store_count *count = store_counts(s, &chunk[i], &kinds);
			struct store_cursor *c = store_chunk_open(s, &chunk[i]);

			for (u32 k = 0; k < kinds; k++)
				store_format_of(s, count[k].format);
			if (c)
				store_chunk_seek(c, chunk[i].t0);
			while (c && store_chunk_next(c, &e))
				;
			store_chunk_close(c);
		}
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct store *s = mended_store(data, size);
	struct trace_event e;
	struct event_columns columns = { 0 };
	struct ctf_event ctf;
	struct buf line = { 0 };
	struct arena a;

	arena_init(&a);
	event_columns_default(&columns, true);
	if (s)
		visit_chunks(s);
	stack_names = s ? store_names_new(store_tables(s)) : NULL;
	for (u32 i = 0; s && i < 2000 && store_next(s, &e); i++) {
		buf_clear(&line);
		event_columns_line(&line, &a, NULL, &e, &columns);
		event_line_ftrace(&line, &a, NULL, &e);
		store_names_at(stack_names, e.time);
		event_columns_stacks(&line, &names, &e, &columns);
		ctf = (struct ctf_event){ .format = e.format };
		ctf_plan_members(&a, &ctf);
		ctf_put_fields(&line, &ctf, &e);
	}
	store_names_free(stack_names);
	store_close(s);
	buf_release(&line);
	arena_release(&a);
	return 0;
}
