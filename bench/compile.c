/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text to bytecode: how long session_compile() takes for a script, in this process, again and
 * again. Prints "first_ns median_ns fastest_ns instructions". The first includes what is opened
 * once per run (BTF, kallsyms, tracefs); nothing is loaded into the kernel.
 *
 *	compile FILE [TIMES]
 */
#include <stdio.h>
#include <stdlib.h>
#include "base/buf.h"
#include "base/clock.h"
#include "builtin/builtin.h"
#include "output/output.h"
#include "session/session.h"

static int compile(const char *name, const struct buf *text, u64 *ns, u32 *n_insns)
{
	static struct sink sink;
	struct request q = { .script.name = name, .script.text = text->s, .script.len = text->len };
	struct session_host host = { .sink = &sink, .themes = builtin_themes };
	struct compiled *c = calloc(1, sizeof(*c));
	struct buf said = { 0 };
	struct err err = { 0 };
	u64 start = clock_mono_ns();
	int ret = session_compile(c, &q, &host, &err);

	if (ret) {
		diags_render_text(&c->diags, &said, false);
		fprintf(stderr, "%.*s%s\n", (int)said.len, said.s ? said.s : "", err.text);
		exit(1);
	}
	*n_insns = 0;
	for (u32 i = 0; i < c->prog.funcs.n; i++)
		*n_insns += c->prog.funcs.v[i]->n_insns;
	compiled_release(c);
	*ns = clock_mono_ns() - start;
	free(c);
	return ret;
}

static int by_size(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	u32 times = argc > 2 ? (u32)atoi(argv[2]) : 50, n_insns = 0;
	struct buf text = { 0 };
	u64 *ns, first;

	if (argc < 2 || !times || buf_read_file(&text, argv[1]))
		return 2;
	ns = calloc(times, sizeof(*ns));
	for (u32 i = 0; i < times; i++)
		compile(argv[1], &text, &ns[i], &n_insns);
	first = ns[0];
	qsort(ns, times, sizeof(*ns), by_size);
	printf("%llu %llu %llu %u\n", (unsigned long long)first, (unsigned long long)ns[times / 2],
	       (unsigned long long)ns[0], n_insns);
	free(ns);
	buf_release(&text);
	return 0;
}
