/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde dtrace: what builds of programs with USDT probes call dtrace(1) for. Its options are those
 * of that program, not ours; called by the name dtrace (a link to sonde) it is all that there is.
 */
#include <elf.h>
#include <errno.h>
#include "base/fd.h"
#include "cli/option.h"
#include "arch/arch.h"
#include "provider/usdt_def.h"

struct usdt_job {
	bool header, object;
	const char *in, *out;
};

/* -h -G -C -v, -s FILE, -o FILE, -I DIR, -D NAME; object files after -G, which need nothing done
 * to them. */
static int read_request(struct cli *c, struct usdt_job *q)
{
	for (u32 i = 0; i < c->line.n_words; i++) {
		const char *w = c->line.words[i], *value = NULL;

		if (w[0] != '-' || !w[1])
			continue;
		if (strchr("soIDxb", w[1])) {
			value = w[2] ? w + 2 : i + 1 < c->line.n_words ? c->line.words[++i] : NULL;
			if (!value)
				return say_usage(c, "dtrace: -%c needs a value", w[1]);
		}
		switch (w[1]) {
		case 'h': q->header = true; break;
		case 'G': q->object = true; break;
		case 's': q->in = value; break;
		case 'o': q->out = value; break;
		case 'I':
		case 'D':
		case 'x':
		case 'b':
		case 'C':
		case 'v':
		case 'k':
		case '6': /* -64 */ break;
		default:
			return say_usage(
				c,
				"dtrace: unknown option %s: it makes headers (-h) and objects (-G) of .d files; programs: sonde -e 'PROGRAM', sonde FILE; -l: sonde list",
				w);
		}
	}
	if (!q->in || q->header == q->object)
		return say_usage(
			c,
			"dtrace: give -h or -G, and the definition by -s FILE.d; a program: sonde FILE");
	return 0;
}

/* FILE.d becomes FILE.h or FILE.o here, as dtrace(1) does. */
static const char *output_name(struct cli *c, const struct usdt_job *q)
{
	const char *name = base_name(q->in);
	size_t len = strlen(name);

	if (q->out)
		return q->out;
	len -= len > 2 && streq(name + len - 2, ".d") ? 2 : 0;
	return arena_printf(&c->line.arena, "%.*s.%c", (int)len, name, q->header ? 'h' : 'o');
}

static int make(struct cli *c, const struct usdt_job *q, const struct buf *text)
{
	struct buf out = { 0 };
	struct usdt_defs d;
	struct arena a;
	int ret = 0;

	arena_init(&a);
	c->output.file = output_name(c, q);
	if (!usdt_def_parse(&d, &a, text->s ? text->s : "")) {
		fprintf(stderr, "%s:%u: ERROR: %s\n", q->in, d.line, d.error);
		ret = 1;
	} else {
		if (q->header)
			usdt_def_header(&d, c->output.file, &out);
		else
			usdt_def_object(&d, arch_native->elf_machine, &out);
		ret = put_out(c, &out);
	}
	arena_release(&a);
	buf_release(&out);
	return ret;
}

static int run(struct cli *c)
{
	struct usdt_job q = { 0 };
	struct buf text = { 0 };
	int ret = read_request(c, &q);

	if (!ret)
		ret = script_read_file(c, q.in, &text);
	if (!ret)
		ret = make(c, &q, &text);
	buf_release(&text);
	return ret;
}

const struct command command_dtrace = {
	.name = "dtrace",
	.args = "-h|-G -s FILE.d",
	.brief = "make a header or an object of USDT probe definitions",
	.doc = "-h writes a C header with a macro for each probe (PROVIDER_PROBE() and PROVIDER_PROBE_ENABLED()), for "
	       "sys/sdt.h; -G an object with their semaphores. -o names the file. A link called dtrace does the same, for "
	       "builds that call it so.",
	.example = "sonde dtrace -h -s probes.d -o probes.h",
	.run = run,
	.own_options = true,
};
