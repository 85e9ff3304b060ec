/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde audit: prints what session_audit() determines about a script, as text or JSON. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/json.h"
#include "cli/cli.h"
#include "engine/kernel/kernel.h"
#include "output/output.h"
#include "session/audit.h"
#include "target/target.h"

static const struct {
	enum effect effect;
	const char *word, *text;
} effects[] = {
	{ EFFECT_READS_KERNEL, "kernel_memory", "kernel memory" },
	{ EFFECT_READS_USER, "user_memory", "memory of the traced process" },
	{ EFFECT_READS_STACK, "stacks", "stacks" },
	{ EFFECT_WRITES_USER, "write_user_memory", "writes into memory of the traced process" },
	{ EFFECT_OVERRIDES, "override_return", "replaces results of kernel functions" },
	{ EFFECT_SIGNALS, "signal", "sends signals" },
	{ EFFECT_TRACES, "trace_buffer", "writes into the kernel's trace buffer, which all share" },
};

/* An instruction takes 0.3 to 1 ns, so these are about one and ten microseconds. */
static const char *cost_word(const struct audit *a)
{
	return a->worst < 2000 ? "cheap" : a->worst < 20000 ? "moderate" : "expensive";
}

/* ---- as text */

static void put_bytes(struct buf *b, u64 n)
{
	static const char *const units[] = { "bytes", "KB", "MB", "GB" };
	u32 unit = 0;
	u64 tenths = n * 10;

	for (; tenths >= 10240 && unit + 1 < ARRAY_SIZE(units); unit++)
		tenths /= 1024;
	if (unit && tenths % 10)
		buf_printf(b, "%llu.%llu %s", (unsigned long long)tenths / 10,
			   (unsigned long long)tenths % 10, units[unit]);
	else
		buf_printf(b, "%llu %s", (unsigned long long)tenths / 10, units[unit]);
}

static void put_effects(struct buf *b, const char *title, u32 found, u32 which)
{
	u32 n = 0;

	for (u32 i = 0; i < ARRAY_SIZE(effects); i++)
		if (effects[i].effect & found & which)
			buf_printf(b, "%s%s", n++ ? ", " : title, effects[i].text);
	if (n)
		buf_putc(b, '\n');
}

static void put_clause(struct buf *b, const struct audit_clause *clause)
{
	buf_printf(b, "\n%s (line %u)\n", clause->in->name, clause->at.line);
	buf_printf(b, "    probes   %u, by one program of %u instructions\n", clause->n_sites,
		   clause->f->n_insns);
	buf_printf(b, "    an event %llu instructions at worst", (unsigned long long)clause->worst);
	if (clause->record_bytes) {
		buf_puts(b, ", ");
		put_bytes(b, clause->record_bytes);
		buf_puts(b, " of records");
	}
	buf_putc(b, '\n');
	put_effects(b, "    reads    ", clause->effects, ~(u32)EFFECTS_CHANGE);
	put_effects(b, "    CHANGES  ", clause->effects, EFFECTS_CHANGE);
}

static void put_map(struct buf *b, const struct audit_map *map)
{
	const struct map_desc *m = map->desc;

	buf_printf(b, "    %-12s ", m->name);
	if (m->role != MAP_GLOBAL && m->role != MAP_RING)
		buf_printf(b, "%u of %u + %u bytes%s, ", m->max_entries, m->key_size, m->value_size,
			   map->per_cpu ? " for each processor" : "");
	put_bytes(b, map->bytes);
	buf_putc(b, '\n');
}

static void put_verdict(struct buf *b, const struct audit *a)
{
	buf_printf(b, "\nverdict: it %s\n",
		   a->changes ? "CHANGES the system, and runs with --unsafe alone" :
				"reads, and changes nothing");
	buf_printf(b, "cost: %s, at most %llu instructions", cost_word(a),
		   (unsigned long long)a->worst);
	if (a->record_bytes) {
		buf_puts(b, " and ");
		put_bytes(b, a->record_bytes);
		buf_puts(b, " of records");
	}
	buf_puts(b, " for one event; ");
	put_bytes(b, a->bytes);
	buf_puts(b, " of memory\n");
}

static void put_text(struct buf *b, const struct audit *a, const struct compiled *c)
{
	buf_printf(b, "%s: %u program%s on %u probe%s\n", c->sources.files.v[0]->name,
		   c->prog.funcs.n, c->prog.funcs.n == 1 ? "" : "s", c->n_probes,
		   c->n_probes == 1 ? "" : "s");
	for (u32 i = 0; i < a->clauses.n; i++)
		put_clause(b, &a->clauses.v[i]);
	buf_puts(b, "\nmemory at worst\n");
	for (u32 i = 0; i < a->maps.n; i++)
		put_map(b, &a->maps.v[i]);
	buf_puts(b, "    in all       ");
	put_bytes(b, a->bytes);
	buf_puts(b, "\n\nactions\n");
	for (u32 i = 0; i < a->words.n; i++) {
		const struct audit_word *w = &a->words.v[i];

		buf_printf(b, "    %-12s %s%s (line %u)\n", w->row->name, w->row->brief,
			   w->unsafe ? ", needs --unsafe" : "", w->at.line);
	}
	if (!a->words.n)
		buf_puts(b, "    only maps\n");
	put_verdict(b, a);
}

/* ---- as JSON */

static void put_json_effects(struct buf *b, u32 found, u32 which)
{
	u32 n = 0;

	buf_putc(b, '[');
	for (u32 i = 0; i < ARRAY_SIZE(effects); i++)
		if (effects[i].effect & found & which)
			buf_printf(b, "%s\"%s\"", n++ ? "," : "", effects[i].word);
	buf_putc(b, ']');
}

static void put_json_clause(struct buf *b, const struct audit_clause *clause)
{
	buf_puts(b, "{\"probe\": ");
	json_strz(b, clause->in->name);
	buf_printf(b,
		   ", \"line\": %u, \"places\": %u, \"instructions\": %u, \"worst_instructions\": ",
		   clause->at.line, clause->n_sites, clause->f->n_insns);
	json_u64(b, clause->worst);
	buf_printf(b, ", \"record_bytes\": %u, \"reads\": ", clause->record_bytes);
	put_json_effects(b, clause->effects, ~(u32)EFFECTS_CHANGE);
	buf_puts(b, ", \"changes\": ");
	put_json_effects(b, clause->effects, EFFECTS_CHANGE);
	buf_putc(b, '}');
}

static void put_json_map(struct buf *b, const struct audit_map *map)
{
	const struct map_desc *m = map->desc;

	buf_puts(b, "{\"name\": ");
	json_strz(b, m->name);
	buf_printf(b, ", \"entries\": %u, \"key\": %u, \"value\": %u, \"per_cpu\": %s, \"bytes\": ",
		   m->role == MAP_GLOBAL ? 1 : m->max_entries, m->key_size, m->value_size,
		   map->per_cpu ? "true" : "false");
	json_u64(b, map->bytes);
	buf_putc(b, '}');
}

static void put_json_words(struct buf *b, const struct audit *a)
{
	for (u32 i = 0; i < a->words.n; i++) {
		const struct audit_word *w = &a->words.v[i];

		buf_puts(b, i ? ", {\"name\": " : "{\"name\": ");
		json_strz(b, w->row->name);
		buf_printf(b, ", \"line\": %u, \"unsafe\": %s}", w->at.line,
			   w->unsafe ? "true" : "false");
	}
}

static void put_json(struct buf *b, const struct audit *a, const struct compiled *c)
{
	buf_puts(b, "{\"file\": ");
	json_strz(b, c->sources.files.v[0]->name);
	buf_printf(b, ", \"places\": %u, \"probes\": [", c->n_probes);
	for (u32 i = 0; i < a->clauses.n; i++) {
		buf_puts(b, i ? ", " : "");
		put_json_clause(b, &a->clauses.v[i]);
	}
	buf_puts(b, "], \"maps\": [");
	for (u32 i = 0; i < a->maps.n; i++) {
		buf_puts(b, i ? ", " : "");
		put_json_map(b, &a->maps.v[i]);
	}
	buf_puts(b, "], \"functions\": [");
	put_json_words(b, a);
	buf_printf(
		b,
		"], \"cost\": \"%s\", \"worst_instructions\": %llu, \"record_bytes\": %u, \"bytes\": %llu",
		cost_word(a), (unsigned long long)a->worst, a->record_bytes,
		(unsigned long long)a->bytes);
	buf_printf(b, ", \"unsafe\": %s}\n", a->changes ? "true" : "false");
}

/* ---- the command */

static int print_audit(struct cli *c, struct compiled *compiled)
{
	u64 pages = compiled->env.config.perf_rb_pages;
	struct buf b = { 0 };
	struct audit a;
	int ret;

	session_audit(&a, compiled, pages ? kernel_ring_pages(pages) : kernel_ring_size());
	c->sink.output == &output_json ? put_json(&b, &a, compiled) : put_text(&b, &a, compiled);
	ret = put_out(c, &b);
	buf_release(&b);
	return ret;
}

static int run(struct cli *c)
{
	struct compiled *compiled;
	struct err err = { 0 };
	int ret = script_read(c);

	if (ret)
		return ret;
	c->request.compile.unsafe = c->request.compile.any_kernel =
		true; /* the audit shows what it would do if it may */
	compiled = xcalloc(1, sizeof *compiled);
	ret = session_compile(compiled, &c->request, &c->host, &err);
	say_diags(c, &compiled->diags);
	say_err(c, &err);
	err_release(&err);
	if (!ret && compiled->env.unchecked) {
		say(c,
		    "what is unknown here cannot be audited: try it as root, on the machine where the script will run");
		ret = geteuid() ? -EPERM : STATUS_WRONG; /* root sees everything */
	}
	ret = session_status(compiled, ret);
	ret = ret ? ret : print_audit(c, compiled);
	compiled_release(compiled);
	free(compiled);
	return ret;
}

const struct command command_audit = {
	.name = "audit",
	.args = "FILE",
	.brief = "report what a script can read, change and cost at worst",
	.doc = "Compiles the script and runs nothing. For each probe: the number of sites, the most instructions that "
	       "one event can execute (including loops and calls, excluding the kernel's helpers), bytes of records, "
	       "the memory that it reads and what it changes. Then the memory of all maps when they are full, the "
	       "functions with an effect, and a verdict. The cost is cheap below 2000 instructions per event, about a "
	       "microsecond, and expensive from 20000. -f json prints an object. sonde runs its own verifier: a "
	       "script that this command accepts is one that kernels load.",
	.example = "sonde audit opensnoop.bt",
	.takes = SETS_TRACE,
	.run = run,
};
