/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde audit: what a script can read, change and cost at worst. The script is compiled and nothing is
 * loaded; what is told of the kernel's side is read off the programs themselves (which helpers they call,
 * how many instructions one event can take), so that nothing a script does can be missed.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/json.h"
#include "cli/cli.h"
#include "engine/kernel/kernel.h"
#include "output/output.h"
#include "target/target.h"

enum effect {
	READS_KERNEL = 1,
	READS_USER = 2,
	READS_STACK = 4,
	WRITES_USER = 8,
	OVERRIDES = 16,
	SIGNALS = 32,
	TRACES = 64,
	CHANGES = WRITES_USER | OVERRIDES | SIGNALS | TRACES,
};

static const struct {
	enum effect effect;
	const char *word, *text;
} effects[] = {
	{ READS_KERNEL, "kernel_memory", "kernel memory" },
	{ READS_USER, "user_memory", "memory of the traced process" },
	{ READS_STACK, "stacks", "stacks" },
	{ WRITES_USER, "write_user_memory", "writes into memory of the traced process" },
	{ OVERRIDES, "override_return", "replaces results of kernel functions" },
	{ SIGNALS, "signal", "sends signals" },
	{ TRACES, "trace_buffer", "writes into the kernel's trace buffer, which all share" },
};

/* include/uapi/linux/bpf.h, ___BPF_FUNC_MAPPER */
static const struct {
	s32 helper;
	u32 effect;
} helper_effects[] = {
	{ 4, READS_KERNEL | READS_USER },
	{ 45, READS_KERNEL | READS_USER },
	{ 112, READS_USER },
	{ 113, READS_KERNEL },
	{ 114, READS_USER },
	{ 115, READS_KERNEL },
	{ 148, READS_USER },
	{ 191, READS_USER },
	{ 147, READS_KERNEL },
	{ 27, READS_STACK },
	{ 67, READS_STACK },
	{ 141, READS_STACK },
	{ 36, WRITES_USER },
	{ 58, OVERRIDES },
	{ 109, SIGNALS },
	{ 117, SIGNALS },
	{ 6, TRACES },
	{ 177, TRACES },
};

struct clause_audit {
	const struct instance *in;
	const struct bpf_func *f;
	u32 n_sites, effects, record_bytes; /* record: the largest set of records of one event */
	u64 worst;                          /* instructions */
};

struct audit {
	struct compiled *c;
	struct buf b;
	bool json;
	u32 n_cpus;
};

/* ---- looking */

static u32 effects_of(const struct bpf_func *f)
{
	u32 found = 0;

	for (u32 i = 0; i < f->n_insns; i++) {
		const struct bpf_insn *insn = &f->insns[i];

		if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg)
			continue;
		for (u32 k = 0; k < ARRAY_SIZE(helper_effects); k++)
			if (helper_effects[k].helper == insn->imm)
				found |= helper_effects[k].effect;
	}
	return found;
}

static bool is_inside(struct span s, struct span whole)
{
	return s.off >= whole.off && s.off + s.len <= whole.off + whole.len;
}

/* All the records that its statements can make, once each. */
static u32 bytes_of(const struct compiled *c, const struct clause *clause)
{
	u32 sum = 0;

	for (u32 i = 0; i < c->prog.events.n; i++)
		if (is_inside(c->prog.events.v[i]->span, clause->span))
			sum += 8 + c->prog.events.v[i]->size; /* the ring's own head */
	return sum;
}

static struct clause_audit look(struct compiled *c, u32 func)
{
	struct clause_audit a = { .in = c->instances.v[func], .f = c->prog.funcs.v[func] };

	for (u32 i = 0; i < c->sites.n; i++)
		if (c->sites.v[i].func == func ||
		    c->prog.funcs.v[c->sites.v[i].func]->dispatcher == func + 1)
			a.n_sites += c->sites.v[i].n_covered;
	a.effects = effects_of(a.f);
	if (a.in->profile->kind == PROFILE_BTF || a.in->profile->kind == PROFILE_ITER)
		a.effects |= READS_KERNEL; /* loads by type need no helper */
	a.record_bytes = bytes_of(c, a.in->clause);
	a.worst = target_cost(&c->prog, a.f, a.in->profile);
	return a;
}

static bool is_per_cpu(const struct map_desc *m)
{
	return m->bpf_type == BPF_MAP_TYPE_PERCPU_HASH ||
	       m->bpf_type == BPF_MAP_TYPE_LRU_PERCPU_HASH ||
	       m->bpf_type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

static bool is_array(const struct map_desc *m)
{
	return m->bpf_type == BPF_MAP_TYPE_ARRAY || m->bpf_type == BPF_MAP_TYPE_PERCPU_ARRAY ||
	       m->bpf_type == BPF_MAP_TYPE_PROG_ARRAY;
}

/* struct htab_elem, kernel/bpf/hashtab.c: 48 bytes before the key, both padded to 8; 16 a bucket. */
static u64 bytes_of_map(const struct audit *a, const struct map_desc *m)
{
	u64 value = ALIGN_UP((u64)m->value_size, 8u) * (is_per_cpu(m) ? a->n_cpus : 1);

	if (m->role == MAP_GLOBAL)
		return m->n_slots ? (u64)m->n_slots * m->slot_size :
		       m->value   ? m->value->size + 8u :
				    8;
	if (m->role == MAP_RING)
		return a->c->env.config.perf_rb_pages ?
			       kernel_ring_pages(a->c->env.config.perf_rb_pages) :
			       kernel_ring_size();
	if (is_array(m))
		return value * m->max_entries;
	return (48 + ALIGN_UP((u64)m->key_size, 8u) + value + 16) * m->max_entries;
}

/* ---- telling, as text */

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

static void text_clause(struct audit *a, const struct clause_audit *ca)
{
	struct buf *b = &a->b;
	struct place at = sources_find(&a->c->sources, ca->in->clause->span);

	buf_printf(b, "\n%s (line %u)\n", ca->in->name, at.line);
	buf_printf(b, "    places   %u, by one program of %u instructions\n", ca->n_sites,
		   ca->f->n_insns);
	buf_printf(b, "    an event %llu instructions at worst", (unsigned long long)ca->worst);
	if (ca->record_bytes) {
		buf_puts(b, ", ");
		put_bytes(b, ca->record_bytes);
		buf_puts(b, " of records");
	}
	buf_putc(b, '\n');
	put_effects(b, "    reads    ", ca->effects, ~(u32)CHANGES);
	put_effects(b, "    CHANGES  ", ca->effects, CHANGES);
}

static void text_map(struct audit *a, const struct map_desc *m)
{
	struct buf *b = &a->b;

	buf_printf(b, "    %-12s ", m->name);
	if (m->role != MAP_GLOBAL && m->role != MAP_RING)
		buf_printf(b, "%u of %u + %u bytes%s, ", m->max_entries, m->key_size, m->value_size,
			   is_per_cpu(m) ? " for each processor" : "");
	put_bytes(b, bytes_of_map(a, m));
	buf_putc(b, '\n');
}

/* ---- what user space does */

struct word {
	const char *name;
	const struct builtin *row;
	struct span first;
	u32 n;
};

struct words {
	struct compiled *c;
	VEC(struct word) v;
};

static void add_word(struct words *w, const struct builtin *row, struct span span)
{
	for (u32 i = 0; i < w->v.n; i++)
		if (w->v.v[i].row == row) {
			w->v.v[i].n++;
			return;
		}
	vec_push(&w->c->arena, &w->v, (struct word){ row->name, row, span, 1 });
}

static bool on_node(struct node *n, void *ctx)
{
	struct words *w = ctx;

	if (n->kind == N_CALL && n->builtin &&
	    (n->builtin->action || (n->builtin->flags & BI_UNSAFE)))
		add_word(w, n->builtin, n->span);
	return true;
}

static void gather_words(struct words *w, struct compiled *c)
{
	*w = (struct words){ .c = c };
	for (u32 i = 0; i < c->instances.n; i++) {
		ast_walk(c->instances.v[i]->predicate, on_node, w);
		ast_walk(c->instances.v[i]->body, on_node, w);
	}
}

static u32 count_unsafe(const struct words *w)
{
	u32 n = 0;

	for (u32 i = 0; i < w->v.n; i++)
		n += (w->v.v[i].row->flags & BI_UNSAFE) != 0;
	return n;
}

static void text_words(struct audit *a, const struct words *w)
{
	for (u32 i = 0; i < w->v.n; i++) {
		struct place at = sources_find(&a->c->sources, w->v.v[i].first);

		buf_printf(&a->b, "    %-12s %s%s (line %u)\n", w->v.v[i].name,
			   w->v.v[i].row->brief,
			   w->v.v[i].row->flags & BI_UNSAFE ? ", needs --unsafe" : "", at.line);
	}
}

/* Of the whole script. */
struct total {
	u64 worst, bytes; /* instructions of the dearest event; of all maps, full */
	u32 record_bytes; /* of the event with the most */
	bool changes;
};

static void add_clause(struct total *t, const struct clause_audit *ca)
{
	t->worst = MAX(t->worst, ca->worst);
	t->record_bytes = MAX(t->record_bytes, ca->record_bytes);
	t->changes |= (ca->effects & CHANGES) != 0;
}

static void add_map(const struct audit *a, struct total *t, const struct map_desc *m)
{
	if (m->role != MAP_GLOBAL) /* those lie in the data map */
		t->bytes += bytes_of_map(a, m);
}

/* An instruction takes 0.3 to 1 ns, so these are about a microsecond and about ten. */
static const char *price_of(const struct total *t)
{
	return t->worst < 2000 ? "cheap" : t->worst < 20000 ? "moderate" : "expensive";
}

static void text_verdict(struct audit *a, const struct total *t)
{
	struct buf *b = &a->b;

	buf_printf(b, "\nverdict: it %s\n",
		   t->changes ? "CHANGES the system, and runs with --unsafe alone" :
				"reads, and changes nothing");
	buf_printf(b, "cost: %s, at most %llu instructions", price_of(t),
		   (unsigned long long)t->worst);
	if (t->record_bytes) {
		buf_puts(b, " and ");
		put_bytes(b, t->record_bytes);
		buf_puts(b, " of records");
	}
	buf_puts(b, " for one event; ");
	put_bytes(b, t->bytes);
	buf_puts(b, " of memory\n");
}

static void put_text(struct audit *a, const struct words *w)
{
	struct compiled *c = a->c;
	struct total total = { .changes = count_unsafe(w) > 0 };

	buf_printf(&a->b, "%s: %u program%s at %u places\n", c->sources.files.v[0]->name,
		   c->prog.funcs.n, c->prog.funcs.n == 1 ? "" : "s", c->n_probes);
	for (u32 i = 0; i < c->prog.funcs.n; i++) {
		struct clause_audit ca = look(c, i);

		add_clause(&total, &ca);
		text_clause(a, &ca);
	}
	buf_puts(&a->b, "\nmemory at worst\n");
	for (u32 i = 0; i < c->prog.maps.n; i++) {
		text_map(a, &c->prog.maps.v[i]);
		add_map(a, &total, &c->prog.maps.v[i]);
	}
	buf_puts(&a->b, "    in all       ");
	put_bytes(&a->b, total.bytes);
	buf_puts(&a->b, "\n\nwhat the script asks for\n");
	text_words(a, w);
	if (!w->v.n)
		buf_puts(&a->b, "    nothing but maps\n");
	text_verdict(a, &total);
}

/* ---- telling, as JSON */

static void json_effects(struct buf *b, u32 found, u32 which)
{
	u32 n = 0;

	buf_putc(b, '[');
	for (u32 i = 0; i < ARRAY_SIZE(effects); i++)
		if (effects[i].effect & found & which)
			buf_printf(b, "%s\"%s\"", n++ ? "," : "", effects[i].word);
	buf_putc(b, ']');
}

static void json_clause(struct audit *a, const struct clause_audit *ca)
{
	struct buf *b = &a->b;
	struct place at = sources_find(&a->c->sources, ca->in->clause->span);

	buf_puts(b, "{\"probe\": ");
	json_strz(b, ca->in->name);
	buf_printf(b,
		   ", \"line\": %u, \"places\": %u, \"instructions\": %u, \"worst_instructions\": ",
		   at.line, ca->n_sites, ca->f->n_insns);
	json_u64(b, ca->worst);
	buf_printf(b, ", \"record_bytes\": %u, \"reads\": ", ca->record_bytes);
	json_effects(b, ca->effects, ~(u32)CHANGES);
	buf_puts(b, ", \"changes\": ");
	json_effects(b, ca->effects, CHANGES);
	buf_putc(b, '}');
}

static void json_map(struct audit *a, const struct map_desc *m)
{
	buf_puts(&a->b, "{\"name\": ");
	json_strz(&a->b, m->name);
	buf_printf(&a->b,
		   ", \"entries\": %u, \"key\": %u, \"value\": %u, \"per_cpu\": %s, \"bytes\": ",
		   m->role == MAP_GLOBAL ? 1 : m->max_entries, m->key_size, m->value_size,
		   is_per_cpu(m) ? "true" : "false");
	json_u64(&a->b, bytes_of_map(a, m));
	buf_putc(&a->b, '}');
}

static void put_json(struct audit *a, const struct words *w)
{
	struct compiled *c = a->c;
	struct total total = { .changes = count_unsafe(w) > 0 };

	buf_puts(&a->b, "{\"file\": ");
	json_strz(&a->b, c->sources.files.v[0]->name);
	buf_printf(&a->b, ", \"places\": %u, \"probes\": [", c->n_probes);
	for (u32 i = 0; i < c->prog.funcs.n; i++) {
		struct clause_audit ca = look(c, i);

		add_clause(&total, &ca);
		buf_puts(&a->b, i ? ", " : "");
		json_clause(a, &ca);
	}
	buf_puts(&a->b, "], \"maps\": [");
	for (u32 i = 0; i < c->prog.maps.n; i++) {
		buf_puts(&a->b, i ? ", " : "");
		json_map(a, &c->prog.maps.v[i]);
		add_map(a, &total, &c->prog.maps.v[i]);
	}
	buf_puts(&a->b, "], \"functions\": [");
	for (u32 i = 0; i < w->v.n; i++) {
		struct place at = sources_find(&c->sources, w->v.v[i].first);

		buf_puts(&a->b, i ? ", {\"name\": " : "{\"name\": ");
		json_strz(&a->b, w->v.v[i].name);
		buf_printf(&a->b, ", \"line\": %u, \"unsafe\": %s}", at.line,
			   w->v.v[i].row->flags & BI_UNSAFE ? "true" : "false");
	}
	buf_printf(
		&a->b,
		"], \"cost\": \"%s\", \"worst_instructions\": %llu, \"record_bytes\": %u, \"bytes\": %llu",
		price_of(&total), (unsigned long long)total.worst, total.record_bytes,
		(unsigned long long)total.bytes);
	buf_printf(&a->b, ", \"unsafe\": %s}\n", total.changes ? "true" : "false");
}

/* ---- the command */

static int tell(struct cli *c, struct compiled *compiled)
{
	struct audit a = { .c = compiled,
			   .json = c->sink.output == &output_json,
			   .n_cpus = (u32)MAX(sysconf(_SC_NPROCESSORS_CONF), 1L) };
	struct words w;
	int rc;

	gather_words(&w, compiled);
	a.json ? put_json(&a, &w) : put_text(&a, &w);
	rc = put_out(c, &a.b);
	buf_release(&a.b);
	return rc;
}

static int run(struct cli *c)
{
	struct compiled *compiled;
	struct err err = { 0 };
	int rc = script_read(c);

	if (rc)
		return rc;
	c->o.unsafe = c->o.any_kernel = true; /* what it would do if it were let */
	compiled = xcalloc(1, sizeof *compiled);
	rc = session_compile(compiled, &c->o, &err);
	say_diags(c, &compiled->diags);
	say_err(c, &err);
	err_release(&err);
	if (!rc && compiled->env.unchecked) {
		say(c,
		    "what is not known here cannot be audited: try it as root, where the script is to run");
		rc = geteuid() ? -EPERM : STATUS_WRONG; /* root sees all there is */
	}
	rc = session_status(compiled, rc);
	rc = rc ? rc : tell(c, compiled);
	compiled_release(compiled);
	free(compiled);
	return rc;
}

const struct command command_audit = {
	.name = "audit",
	.args = "FILE",
	.brief = "tell what a script can read, change and cost at worst",
	.doc = "Compiles the script and runs nothing. For each probe: at how many places it runs, the most "
	       "instructions that one event can take (loops and calls included; what the kernel's helpers do inside is "
	       "not), bytes of records, whose memory it reads, what it changes. Then the memory of all maps "
	       "when they are full, the functions with an effect, and a verdict. Its cost is called cheap below 2000 "
	       "instructions for one event, about a microsecond, and expensive from 20000 on. -f json prints it as an object. What a "
	       "verifier checks sonde has checked before: a script that this command accepts is one that kernels "
	       "load.",
	.example = "sonde audit opensnoop.bt",
	.takes = SETS_TRACE,
	.run = run,
};
