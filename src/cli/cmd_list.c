/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde list: probes that exist, or those that a script attaches. In: a pattern for the providers,
 * or a script whose attach points they resolve. Out: a name a line; with -v each is followed by its
 * arguments:
 *
 *	tracepoint:sched:sched_process_exit
 *	    char comm[16]
 *	    pid_t pid
 */
#include <stdlib.h>
#include <errno.h>
#include <sys/stat.h>
#include "base/fd.h"
#include "base/glob.h"
#include "base/visible.h"
#include "cli/front.h"
#include "engine/kernel/kernel.h"
#include "session/system.h"
#include "object/debuginfod.h"
#include "sym/tracefs.h"

struct listing {
	struct cli *c;
	struct buf out;
	int fd;
	int error;
	bool verbose, escape;
	struct hash *seen; /* NULL: names cannot repeat */
	struct arena *arena;
};

enum { FLUSH_SIZE = 32 << 10 };

static int flush(struct listing *l)
{
	if (l->escape)
		buf_visible(&l->out, 0, VISIBLE_TEXT);
	if (!l->error && l->out.len)
		l->error = write_all(l->fd, l->out.s, l->out.len);
	buf_clear(&l->out);
	return l->error;
}

static void put_arg(struct buf *b, const struct arg_desc *arg, const char *name)
{
	buf_puts(b, "    ");
	if (arg->text) {
		buf_puts(b, arg->text);
	} else {
		type_print(b, arg->type);
		buf_printf(b, " %s", name);
	}
	buf_putc(b, '\n');
}

static void put_args(struct buf *b, const struct profile *p)
{
	for (u32 i = 0; i < p->args.n; i++)
		put_arg(b, &p->args.v[i], p->args.v[i].name);
	for (u32 i = 0; i < p->vars.n; i++)
		put_arg(b, &p->vars.v[i], p->vars.v[i].name);
	if (p->retval.type && p->retval.loc.kind != LOC_NONE &&
	    (p->kind == PROFILE_BTF || p->retval.text))
		put_arg(b, &p->retval, "retval");
}

/* Writes each name when the provider finds it. */
static int on_probe(void *ctx, const char *probe, const struct profile *p)
{
	struct listing *l = ctx;

	if (l->seen) {
		char *name = arena_strdup(l->arena, probe);

		if (hash_puts(l->seen, name, name))
			return 0;
	}
	buf_printf(&l->out, "%s\n", probe);
	if (l->verbose && p)
		put_args(&l->out, p);
	return l->out.len < FLUSH_SIZE ? 0 : flush(l);
}

static int listing_open(struct listing *l, struct cli *c)
{
	*l = (struct listing){ .c = c, .fd = STDOUT_FILENO, .verbose = c->request.verbose };
	if (c->output.file && (l->fd = output_open(c)) < 0)
		return 1;
	l->escape = escape_wanted(c, l->fd);
	return 0;
}

static int listing_close(struct listing *l)
{
	flush(l);
	buf_release(&l->out);
	if (l->c->output.file)
		close(l->fd);
	if (!l->error || l->error == -EPIPE)
		return 0;
	say(l->c, "write the list: %s", strerror(-l->error));
	return 255;
}

/* ---- what exists */

static struct btf *front_btf(struct provider_env *env)
{
	struct front *f = env->system.ctx;

	return system_btf(&f->system);
}

static void provider_setup(struct provider_env *env, struct front *f, const struct cli *c)
{
	*env = (struct provider_env){
		.arena = &f->arena,
		.system = { .features = kernel_features(), .btf = front_btf, .ctx = f },
		.request = &c->request,
		.attach = { .prefer_raw = true }
	};
}

/* Whether tracefs would have had what matches: any word, or tracepoints. */
static bool is_of_tracefs(const char *pattern)
{
	const char *colon = pattern ? strchr(pattern, ':') : NULL;
	char name[32];

	if (!colon)
		return true;
	snprintf(name, sizeof name, "%.*s", (int)MIN(colon - pattern, 31), pattern);
	return glob_match(name, "tracepoint") || provider_find(name) == provider_find("tracepoint");
}

static int list_pattern(struct cli *c, struct listing *l, const char *pattern)
{
	struct err err = { 0 };
	struct provider_env env;
	struct front f;
	bool unseen;
	int n;

	c->request.script.text = "";
	c->request.script.name = "stdin";
	front_init(&f, c);
	provider_setup(&env, &f, c);
	debuginfod_allow(l->verbose);
	n = probes_list(&env, pattern, l->verbose, on_probe, l, &err);
	say_err(c, &err);
	err_release(&err);
	provider_env_release(&env);
	front_release(&f);
	unseen = n == 0 && !l->error && is_of_tracefs(pattern) && say_no_tracefs(c);
	if (unseen)
		return 255;
	if (n == 0 && !l->error)
		say_note(c, "nothing matches \"%s\"%s", pattern ? pattern : "*",
			 geteuid() ? " (most lists can be read by root alone)" : "");
	return n < 0 && !l->error ? 1 : 0;
}

/* The words of perf list for kinds of events. */
static const char *kind_as_in_perf(const char *word)
{
	static const char *const kinds[][2] = {
		{ "hw", "hardware:*" },           { "hardware", "hardware:*" },
		{ "cache", "hardware:*-*s" },     { "hwcache", "hardware:*-*s" },
		{ "sw", "software:*" },           { "software", "software:*" },
		{ "tracepoint", "tracepoint:*" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
		if (streq(kinds[i][0], word))
			return kinds[i][1];
	return word;
}

static int list_patterns(struct cli *c, struct listing *l)
{
	int ret = 0, one;

	if (!c->line.n_words)
		return list_pattern(c, l, NULL);
	for (u32 i = 0; i < (u32)c->line.n_words && !l->error; i++) {
		one = list_pattern(c, l, kind_as_in_perf(c->line.words[i]));
		ret = MAX(ret, one);
	}
	return ret;
}

/* ---- what a script would attach to */

struct found {
	const char *name;
	const struct profile *profile;
};

/* What an attach point means, which is listed by name. */
struct of_attach {
	struct arena *arena;
	VEC(struct found) list;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct found *)a)->name, ((const struct found *)b)->name);
}

static int on_target(void *ctx, struct target *t)
{
	struct of_attach *of = ctx;

	if (!t->n_covered)
		vec_push(of->arena, &of->list,
			 (struct found){ arena_strdup(of->arena, t->site.probe), t->profile });
	for (u32 i = 0; i < t->n_covered; i++)
		vec_push(of->arena, &of->list,
			 (struct found){ arena_strdup(of->arena, t->covered[i]), t->profile });
	return 0;
}

static void list_clause(struct provider_env *env, const struct clause *clause, struct listing *l)
{
	for (const struct attach *a = clause->attaches; a && !l->error; a = a->next) {
		struct spec *spec = spec_parse(env, a);
		struct of_attach of = { .arena = l->arena };

		if (spec)
			spec->provider->resolve(env, spec, on_target, &of);
		if (of.list.n)
			qsort(of.list.v, of.list.n, sizeof *of.list.v, by_name);
		for (u32 i = 0; i < of.list.n && !l->error; i++)
			on_probe(l, of.list.v[i].name, of.list.v[i].profile);
	}
}

static int list_script(struct cli *c, struct listing *l)
{
	struct provider_env env;
	struct hash seen = { 0 };
	struct front f;
	int ret = script_read(c);

	if (ret)
		return ret;
	front_init(&f, c);
	provider_setup(&env, &f, c);
	env.diags = &f.diags;
	env.clause.args = l->verbose;
	env.config.missing_probes = f.env.config.missing_probes;
	env.config.max_targets = (u32)f.env.config.max_probes;
	l->seen = &seen;
	l->arena = &f.arena;
	if (parse_script(&f.lang, f.src) && lang_prepare(&f.lang))
		for (struct clause *cl = f.lang.script->clauses; cl && !l->error; cl = cl->next)
			list_clause(&env, cl, l);
	flush(l);
	say_diags(c, &f.diags);
	ret = diags_are_refusals(&f.diags) ? STATUS_REFUSED : f.diags.n_errors ? STATUS_WRONG : 0;
	l->seen = NULL;
	l->arena = NULL;
	provider_env_release(&env);
	hash_release(&seen);
	front_release(&f);
	return ret;
}

/* ---- which of the two */

static bool names_a_script(const char *word)
{
	struct stat st;

	return streq(word, "-") ||
	       (!strpbrk(word, ":*") && stat(word, &st) == 0 && S_ISREG(st.st_mode));
}

static int run(struct cli *c)
{
	struct listing l;
	int ret, lost;

	if (c->line.is_run && !c->line.n_words && !c->request.script.text)
		return tools_list(c);
	if (listing_open(&l, c))
		return 1;
	if (c->request.script.text &&
	    !strchr(c->request.script.text, '{')) /* as trace-cmd list -e */
		ret = list_pattern(c, &l, c->request.script.text);
	else if (c->request.script.text || c->tool ||
		 (c->line.n_words && names_a_script(c->line.words[0])))
		ret = list_script(c, &l);
	else
		ret = list_patterns(c, &l);
	lost = listing_close(&l);
	return ret ? ret : lost;
}

const struct command command_list = {
	.name = "list",
	.args = "[PATTERN... | FILE]",
	.brief = "list probes that match, or those of a script",
	.doc = "A pattern with colons matches part by part, one without matches anywhere in the "
	       "name; * stands for any text. \"struct NAME\" lists types. -v adds arguments and "
	       "fields.",
	.example = "sonde list -v 'tracepoint:sched:*exec*'",
	.takes = SETS_COMPILE | SET_OUTPUT,
	.run = run,
};
