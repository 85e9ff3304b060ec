/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether FUNC... are functions of the files. In: f->functions, f->files. Out: for one that is in
 * none of them, a message that names it as it was typed: those about the script would name a line
 * that the user did not write.
 */
#include <stdlib.h>
#include "builtin/builtin.h"
#include "cli/flow/flow.h"
#include "cli/front.h"
#include "engine/kernel/kernel.h"
#include "object/demangle.h"
#include "object/elf.h"
#include "session/system.h"

struct search {
	struct flow *f;
	const char *function;
	struct front front;
	struct provider_env env;
	u32 n_found;
};

static int on_target(void *ctx, struct target *t)
{
	struct search *s = ctx;

	s->n_found++;
	return 1;
}

static struct btf *front_btf(struct provider_env *env)
{
	struct front *front = env->system.ctx;

	return system_btf(&front->system);
}

static void resolve(struct search *s)
{
	const struct attach *a = s->front.lang.script->clauses->attaches;

	for (; a && !s->n_found; a = a->next) {
		struct spec *spec = spec_parse(&s->env, a);

		if (spec)
			spec->provider->resolve(&s->env, spec, on_target, s);
	}
}

/* ---- messages */

static int try_name(void *ctx, const struct elf_symbol *s)
{
	char *plain = demangle(s->name);

	if (plain)
		plain[strcspn(plain, "(")] = '\0';
	near_try(ctx, plain ? plain : s->name);
	free(plain);
	return 0;
}

static void put_near(const struct search *s, struct buf *b)
{
	struct near near;

	near_init(&near, s->function);
	for (u32 i = 0; i < s->f->files.n; i++) {
		struct err err = { 0 };
		struct elf *e = elf_open(s->f->files.v[i], &err);

		if (e)
			elf_each_function(e, NULL, try_name, &near);
		if (near_best(&near))
			buf_printf(b, "\n  help: did you mean %s?", near_best(&near));
		elf_close(e);
		err_release(&err);
		if (near_best(&near))
			return;
	}
}

static bool is_about_name(const struct diag *d)
{
	return d->id == D_NO_MATCH || d->id == D_NO_MATCH_SKIPPED;
}

/* The first error that says more than that nothing has that name, and the help of all. */
static int tell(const struct search *s)
{
	const struct flow *f = s->f;
	const struct diags *all = &s->front.diags;
	const char *text = NULL;
	struct buf b = { 0 };

	for (u32 i = 0; i < all->list.n && !text; i++)
		if (all->list.v[i]->severity == SEV_ERROR && !is_about_name(all->list.v[i]))
			text = all->list.v[i]->text;
	if (!text)
		put_near(s, &b);
	for (u32 i = 0; i < all->list.n && f->files.n == 1; i++)
		for (u32 k = 0; k < diag_n_helps(all->list.v[i]); k++)
			buf_printf(&b, "\n  help: %s", diag_nth_help(all->list.v[i], k));
	if (text)
		say(f->t.c, "%s: %s%s", s->function, text, b.s ? b.s : "");
	else if (f->files.n == 1)
		say(f->t.c, "%s: %s has no function of that name%s", s->function, f->files.v[0],
		    b.s ? b.s : "");
	else
		say(f->t.c, "%s: none of the %u files has a function of that name%s", s->function,
		    f->files.n, b.s ? b.s : "");
	buf_release(&b);
	return diags_are_refusals(all) ? STATUS_REFUSED : STATUS_WRONG;
}

static int search(struct flow *f, const char *function)
{
	struct cli *c = f->t.c;
	struct search s = { .f = f, .function = function };
	struct buf script = { 0 };
	int ret = 0;

	for (u32 i = 0; i < f->files.n; i++)
		buf_printf(&script, "%suprobe:%s:cpp:\"%s\"", i ? ",\n" : "", f->files.v[i],
			   function);
	buf_puts(&script, " {}\n");
	c->request.script.text = script.s;
	c->request.script.len = script.len;
	c->request.script.name = c->command->name;
	c->host.themes = builtin_themes;
	front_init(&s.front, c);
	s.env = (struct provider_env){
		.arena = &s.front.arena,
		.diags = &s.front.diags,
		.system = { .features = kernel_features(), .btf = front_btf, .ctx = &s.front },
		.request = &c->request,
		.config = { .missing_probes = s.front.env.config.missing_probes,
			    .max_targets = 1000000 },
	};
	if (parse_script(&s.front.lang, s.front.src) && lang_prepare(&s.front.lang))
		resolve(&s);
	if (!s.n_found)
		ret = tell(&s);
	provider_env_release(&s.env);
	front_release(&s.front);
	buf_release(&script);
	return ret;
}

int flow_check_found(struct flow *f)
{
	int ret = 0;

	for (u32 i = 0; i < f->functions.n && !ret; i++)
		ret = search(f, f->functions.v[i]);
	return ret;
}
