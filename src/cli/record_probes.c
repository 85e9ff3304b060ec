/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <unistd.h>
#include "cli/record_probes.h"
#include "cli/trace/trace.h"
#include "provider/provider.h"

/* Only threads that are followed; with -a, all but sonde. */
static void put_condition(struct buf *b, const struct cli *c)
{
	if (c->select.all)
		buf_printf(b, " /pid != %d/", getpid());
	else
		buf_puts(b, " /followed(tid)/");
}

static void begin_tuple(struct buf *b, const struct record_script *to, bool has_stacks,
			bool user_only)
{
	buf_printf(b, " { print((%u, nsecs, pid, tid, cpu, comm, probe", to->probes.n);
	if (has_stacks)
		buf_puts(b, user_only ? ", ustack" : ", kstack, ustack");
}

/* Names of members are words of C. */
static const char *member_name(struct arena *a, const char *name)
{
	char *word = arena_strdup(a, name);

	for (char *s = word; *s; s++)
		if (!isalnum((u8)*s))
			*s = '_';
	return word;
}

static void add_probe(struct arena *a, struct record_script *to, struct recorded_probe p)
{
	VEC(struct recorded_probe)
	all = { .v = to->probes.v, .n = to->probes.n, .cap = to->probes.n };

	vec_push(a, &all, p);
	to->probes.v = all.v;
	to->probes.n = all.n;
}

/* The names of the fields in scripts (type/noted.h). */
static const char *reads_of(struct arena *a, const struct record_script *to,
			    const struct trace_clause *cl, const char *const *fields)
{
	struct buf b = { 0 };
	const char *text;

	buf_printf(&b, "clause\t%u\nscript\t0\n", to->probes.n);
	for (u32 i = 0; i < cl->fields.n; i++) {
		buf_printf(&b, "read\t%s\t\t", fields[i]);
		for (const char *s = cl->fields.v[i].expr; *s; s++)
			if (!isspace((u8)*s))
				buf_putc(&b, *s);
		buf_putc(&b, '\n');
	}
	text = arena_strdup(a, b.s);
	buf_release(&b);
	return text;
}

static int put_clause(struct cli *c, const struct trace_clause *cl, struct record_script *to)
{
	struct arena *a = &c->line.arena;
	struct buf *b = &to->text;
	const char **fields = arena_array(a, const char *, cl->fields.n + 1);

	if (cl->kind != TRACE_FIELDS && cl->kind != TRACE_EVENT)
		return say_usage(
			c,
			"-e %s: system calls are recorded as syscalls:sys_enter_NAME and syscalls:sys_exit_NAME",
			cl->probes);
	buf_puts(b, cl->probes);
	put_condition(b, c);
	if (cl->kind == TRACE_EVENT) {
		buf_puts(b, c->own.record.stacks ? " { record((kstack, ustack)); }\n" :
						   " { record(); }\n");
		return 0;
	}
	begin_tuple(b, to, c->own.record.stacks, cl->has_user_regs);
	for (u32 i = 0; i < cl->fields.n; i++) {
		fields[i] = member_name(a, cl->fields.v[i].name);
		buf_printf(b, ", %s", cl->fields.v[i].expr);
	}
	buf_puts(b, ")); }\n");
	add_probe(a, to,
		  (struct recorded_probe){ .fields = fields,
					   .reads = reads_of(a, to, cl, fields) });
	return 0;
}

/* ---- samples */

static int put_samples(struct cli *c, struct record_script *to)
{
	static const char *const none[] = { NULL };
	const char *hz = c->select.frequency;
	size_t n = strspn(hz, "0123456789");

	if (!n || n > 6 || hz[n] || *hz == '0')
		return say_usage(c, "-F %s: samples a second, as 99", hz);
	buf_printf(&to->text, "profile:hz:%s", hz);
	put_condition(&to->text, c);
	begin_tuple(&to->text, to, true, false);
	buf_puts(&to->text, ")); }\n");
	add_probe(&c->line.arena, to,
		  (struct recorded_probe){ .name = "sonde:cpu_clock", .fields = none });
	return 0;
}

int record_probes_put(struct cli *c, const char *const *words, u32 n, struct record_script *to)
{
	struct trace t = { .c = c };
	int ret = 0;

	for (u32 i = 0; i < n && !ret; i++)
		ret = trace_spell(&t, words[i]);
	ret = ret ? ret : trace_resolve(&t);
	for (u32 i = 0; i < t.clauses.n && !ret; i++)
		ret = put_clause(c, &t.clauses.v[i], to);
	return !ret && c->select.frequency ? put_samples(c, to) : ret;
}
