/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results of --test and --bench, for people. */
#include "output/notice.h"

static void put_time(struct buf *b, u64 ns)
{
	static const struct {
		u64 ns;
		const char *unit;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };
	u32 i = 0;

	while (i + 1 < ARRAY_SIZE(units) && ns < units[i].ns)
		i++;
	buf_u64(b, ns / units[i].ns);
	buf_puts(b, units[i].unit);
}

void text_test(struct sink *s, const struct test_result *r)
{
	buf_printf(&s->out, "%s: %s (", r->name, r->passed ? "passed" : "FAILED");
	put_time(&s->out, r->took_ns);
	buf_puts(&s->out, ")\n");
	for (const char *at = r->text, *end = r->text + r->len; at < end;) {
		const char *next = memchr(at, '\n', (size_t)(end - at));

		next = next ? next : end;
		buf_puts(&s->out, "    ");
		buf_add(&s->out, at, (size_t)(next - at));
		buf_putc(&s->out, '\n');
		at = next + 1;
	}
	sink_item(s);
}

void text_tested(struct sink *s, u32 n_passed, u32 n_failed)
{
	buf_printf(&s->out, "%u passed, %u failed\n", n_passed, n_failed);
	sink_item(s);
}

void text_bench(struct sink *s, const struct bench_result *r)
{
	if (r->skipped)
		buf_printf(&s->out, "%s: skipped\n", r->name);
	else
		buf_printf(&s->out, "%s: %.1f ns (%llu times)\n", r->name, r->average_ns,
			   (unsigned long long)r->iters);
	sink_item(s);
}
