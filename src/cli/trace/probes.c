/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields shown of each probe. In: attach points. Out: clauses: one for each trace event, whose
 * losses are identified by it, and one for all probes of a word that show the same.
 *
 * With --filter and --fields, a probe that lacks what they name, but another has, is left out.
 */
#include <unistd.h>
#include "base/glob.h"
#include "builtin/builtin.h"
#include "cli/front.h"
#include "cli/trace/trace.h"
#include "engine/kernel/kernel.h"
#include "session/system.h"

struct resolving {
	struct trace *t;
	struct arena *arena; /* of the command line */
	struct provider_env env;
	const struct provider *provider;
	/* the probes of one word */
	VEC(struct target *) targets;
	struct hash fields; /* names that some probe has */
	u32 n_left_out, n_resolved;
	const char *named;    /* arguments of the first probe that has some; NULL: none has */
	const char *left_out; /* a name that the last of them lacks */
};

/* ---- resolve */

static void add_known(struct resolving *r, const char *name)
{
	if (!hash_gets(&r->fields, name))
		hash_puts(&r->fields, arena_strdup(r->arena, name), r);
}

static const char *list_names(struct arena *a, const struct arg_list *args)
{
	enum { MOST = 8 };
	const char *list = args->v[0].name;

	for (u32 i = 1; i < MIN(args->n, (u32)MOST); i++)
		list = arena_printf(a, "%s, %s", list, args->v[i].name);
	return arena_strdup(a, list);
}

static int on_target(void *ctx, struct target *target)
{
	struct resolving *r = ctx;
	const struct profile *p = target->profile;

	if (target->is_part)
		return 0;
	vec_push(r->arena, &r->targets, target);
	if (!r->named && p && p->args.n)
		r->named = list_names(r->arena, &p->args);
	for (u32 i = 0; p && i < p->args.n; i++)
		add_known(r, p->args.v[i].name);
	for (u32 i = 0; p && i < p->vars.n; i++)
		add_known(r, p->vars.v[i].name);
	if (p && trace_result_expr(p))
		hash_puts(&r->fields, TRACE_RESULT, r);
	return 0;
}

static struct btf *front_btf(struct provider_env *env)
{
	struct front *f = env->system.ctx;

	return system_btf(&f->system);
}

static void setup(struct resolving *r, struct front *f, const struct trace *t)
{
	r->env = (struct provider_env){
		.arena = &f->arena,
		.diags = &f->diags,
		.system = { .features = kernel_features(), .btf = front_btf, .ctx = f },
		.request = &t->c->request,
		.attach = { .prefer_raw = true },
		.config = { .missing_probes = f->env.config.missing_probes, .max_targets = 100000 },
		.clause = { .args = true, .result = true, .record = true },
		.script = { .args = true, .record = true },
	};
}

/* ---- names in options */

struct name_list {
	struct arena *arena;
	VEC(const char *) v;
};

static void add_name(void *ctx, const char *name)
{
	struct name_list *list = ctx;

	vec_push(list->arena, &list->v, name);
}

/* Variables in scope are described only if they are used. */
static void ask_for_variables(struct resolving *r)
{
	const struct trace_options *o = &r->t->c->own.trace;
	struct name_list list = { .arena = r->arena };

	if (o->fields)
		trace_expr_names(r->arena, o->fields, add_name, &list);
	if (r->t->c->select.filter)
		trace_expr_names(r->arena, r->t->c->select.filter, add_name, &list);
	r->env.clause.var_names = list.v.v;
	r->env.clause.n_var_names = list.v.n;
}

struct lacking {
	const struct resolving *r;
	const struct profile *profile;
	const char *name; /* that the probe lacks and another has */
};

static void look(void *ctx, const char *name)
{
	struct lacking *l = ctx;

	if (hash_gets((struct hash *)(uintptr_t)&l->r->fields, name) && !trace_is_common(name) &&
	    !trace_has_field(l->profile, name))
		l->name = name;
}

static const char *lacks(const struct resolving *r, const struct profile *p, const char *text)
{
	struct lacking l = { .r = r, .profile = p };

	trace_expr_names(r->arena, text, look, &l);
	return l.name;
}

/* ---- names that nothing has */

struct checking {
	struct resolving *r;
	const struct front *front;
	int ret; /* 0, or the exit status after a message */
};

static bool is_of_language(const struct env *env, const char *name)
{
	const struct type *type;
	s64 value;

	return env_builtin(env, name) ||
	       (env->world.constant && env->world.constant(env->world.ctx, name, &value, &type));
}

/* The end of a list's member: the comma that no parenthesis or quotation mark encloses. */
static const char *member_end(const char *s)
{
	u32 depth = 0;
	char quote = '\0';

	for (; *s && (depth || quote || *s != ','); s++) {
		if (quote)
			quote = *s == quote ? '\0' : quote;
		else if (*s == '"' || *s == '\'')
			quote = *s;
		else if (strchr("([{", *s))
			depth++;
		else if (strchr(")]}", *s) && depth)
			depth--;
	}
	return s;
}

/* Whether a member of --fields is this name, without anything else. */
static bool is_listed(const char *list, const char *name)
{
	while (list && *list) {
		const char *end = member_end(list);

		if (strlen(name) == (size_t)(end - list) && starts_with(list, name))
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

static int no_field(const struct resolving *r, const char *name)
{
	return say_usage(r->t->c, "no probe has a field \"%s\": %s%s", name,
			 r->named ? "there are " :
				    "arguments have no names, they are arg0, arg1, ...",
			 r->named ? r->named : "");
}

/* A typing error is reported once, not by each clause. An expression with names that are like no
 * field is left to the compiler. */
static void check_name(void *ctx, const char *name)
{
	struct checking *k = ctx;
	struct hash *fields = &k->r->fields;
	struct near near;

	if (k->ret || hash_gets(fields, name) || is_of_language(&k->front->env, name))
		return;
	near_init(&near, name);
	for (u32 i = 0; i < fields->cap; i++)
		if (fields->slot[i].key)
			near_try(&near, fields->slot[i].key);
	if (near_best(&near))
		k->ret = say_usage(k->r->t->c, "no probe has a field \"%s\": did you mean \"%s\"?",
				   name, near_best(&near));
	else if (is_listed(k->r->t->c->own.trace.fields, name))
		k->ret = no_field(k->r, name);
}

static int check_names(struct resolving *r, const struct front *f)
{
	const struct trace_options *o = &r->t->c->own.trace;
	struct checking k = { .r = r, .front = f };

	if (o->fields)
		trace_expr_names(r->arena, o->fields, check_name, &k);
	if (r->t->c->select.filter)
		trace_expr_names(r->arena, r->t->c->select.filter, check_name, &k);
	return k.ret;
}

/* ---- fields */

static void add_field(struct resolving *r, struct trace_clause *cl, const char *name,
		      const char *expr)
{
	struct trace_field f = { arena_strdup(r->arena, name), expr };

	if (expr)
		vec_push(r->arena, &cl->fields, f);
}

/* A member of --fields. Those that the probe lacks are left out. */
static void add_wanted(struct resolving *r, struct trace_clause *cl, const struct profile *p,
		       const char *text)
{
	const char *expr = trace_field_expr(r->arena, p, text);

	if (!expr && !lacks(r, p, text))
		expr = trace_expr(r->arena, p, text);
	add_field(r, cl, text, expr);
}

static void add_wanted_fields(struct resolving *r, struct trace_clause *cl, const struct profile *p)
{
	const char *end;

	for (const char *s = r->t->c->own.trace.fields; *s; s = *end ? end + 1 : end) {
		end = member_end(s);
		if (end > s)
			add_wanted(r, cl, p, arena_strndup(r->arena, s, (size_t)(end - s)));
	}
}

static bool is_shown(const struct arg_desc *arg)
{
	const struct type *t = arg->type ? type_complete(arg->type) : NULL;

	return t && t->size && t->size <= 256 && t->kind != TY_ERROR && !arg->is_foreign &&
	       trace_is_known(arg);
}

static bool is_in_memory(const struct arg_desc *arg)
{
	const struct type *t = arg->type ? type_complete(arg->type) : NULL;

	return arg->loc.kind != LOC_REG || !t || t->size > 8 ||
	       (t->kind != TY_BOOL && t->kind != TY_INT && t->kind != TY_ENUM &&
		t->kind != TY_POINTER) ||
	       trace_is_text(t);
}

/* By debug information. */
static bool returns_nothing(const struct profile *p)
{
	return p->regs.are_users && p->record.name && !p->retval.text;
}

/* All arguments, and the result. */
static void add_own_fields(struct resolving *r, struct trace_clause *cl, const struct profile *p)
{
	for (u32 i = 0; i < p->args.n; i++)
		if (is_shown(&p->args.v[i])) {
			add_field(r, cl, p->args.v[i].name,
				  trace_field_expr(r->arena, p, p->args.v[i].name));
			cl->reads_memory |= is_in_memory(&p->args.v[i]);
		}
	if (!p->args.n && r->provider->argn_is_all)
		for (u32 i = 0; i < p->argn.n; i++)
			add_field(r, cl, p->argn.v[i].name,
				  trace_word_expr(r->arena, &p->argn.v[i]));
	if (returns_nothing(p) || !trace_result_expr(p))
		return;
	add_field(r, cl, TRACE_RESULT, trace_result_expr(p));
	cl->reads_memory |= is_in_memory(&p->retval);
}

/* ---- conditions */

/* As of sonde record: an event belongs to a thread that is current or one of its fields. */
static void put_followed(struct buf *b, const struct profile *p)
{
	buf_puts(b, "(followed(tid)");
	for (u32 i = 0; i < p->args.n; i++)
		if (p->args.v[i].text && starts_with(p->args.v[i].text, "pid_t "))
			buf_printf(b, " || followed(args.%s)", p->args.v[i].name);
	buf_putc(b, ')');
}

/* What sonde itself does is left out, except switches between it and others: a processor would seem
 * to be idle. */
static void put_not_own(struct buf *b, const struct profile *p)
{
	if (!p->record.type || !trace_has_field(p, "next_pid"))
		buf_printf(b, "pid != %d && ", getpid());
}

static const char *condition_of(struct resolving *r, const struct profile *p)
{
	const struct cli *c = r->t->c;
	bool is_all = c->request.traced.scope == SCOPE_SCRIPT;
	const char *text = NULL;
	struct buf b = { 0 };

	if (is_all || p->record.type)
		put_not_own(&b, p);
	if (!is_all && p->record.type) {
		put_followed(&b, p);
		buf_puts(&b, " && ");
	}
	if (c->select.filter)
		buf_printf(&b, "(%s) && ", trace_expr(r->arena, p, c->select.filter));
	if (b.len)
		text = arena_strndup(r->arena, b.s, b.len - strlen(" && "));
	buf_release(&b);
	return text;
}

/* ---- clauses */

static enum trace_kind kind_of(const struct resolving *r, const struct profile *p)
{
	if (r->t->c->own.trace.fields)
		return TRACE_FIELDS;
	if (p->snapshot.what)
		return p->syscall.exit ? TRACE_RETURN : TRACE_CALL;
	return p->record.type ? TRACE_EVENT : TRACE_FIELDS;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && streq(a, b));
}

static bool same_clause(const struct trace_clause *a, const struct trace_clause *b)
{
	if (a->kind != b->kind || a->kind == TRACE_EVENT || a->fields.n != b->fields.n ||
	    a->has_user_regs != b->has_user_regs || a->reads_memory != b->reads_memory ||
	    a->is_return != b->is_return || !same_text(a->condition, b->condition))
		return false;
	for (u32 i = 0; i < a->fields.n; i++)
		if (!streq(a->fields.v[i].expr, b->fields.v[i].expr))
			return false;
	return true;
}

/* false: the probe lacks something and is left out. */
static bool make_clause(struct resolving *r, const struct profile *p, struct trace_clause *cl)
{
	const char *lacking = r->t->c->select.filter ? lacks(r, p, r->t->c->select.filter) : NULL;

	*cl = (struct trace_clause){
		.kind = kind_of(r, p),
		.is_event = p->record.type != NULL,
		.is_call = p->snapshot.what != NULL,
		.is_return = p->func.is_return,
		.has_user_regs = p->regs.are_users,
	};
	if (!lacking && r->t->c->own.trace.fields) {
		add_wanted_fields(r, cl, p);
		lacking = cl->fields.n ? NULL : r->t->c->own.trace.fields;
	} else if (cl->kind == TRACE_FIELDS) {
		add_own_fields(r, cl, p);
	}
	cl->condition = condition_of(r, p);
	if (!lacking)
		return true;
	r->left_out = lacking;
	r->n_left_out++;
	return false;
}

/* A name as an attach point: the last part, which may be a signature, in quotes if it has to be. */
static const char *spelled(struct resolving *r, const char *probe)
{
	const char *odd = probe + strcspn(probe, "(<>, \"{}&~[]=");
	const char *from;

	if (!*odd)
		return arena_strdup(r->arena, probe);
	for (from = odd; from > probe && from[-1] != ':';)
		from--;
	while (from - probe >= 2 && from[-2] == ':') /* A::f */
		for (from -= 2; from > probe && from[-1] != ':';)
			from--;
	return arena_printf(r->arena, "%.*s\"%s\"", (int)(from - probe), probe, from);
}

void trace_add_probe(struct arena *a, struct trace_clause *cl, const char *probe)
{
	u32 n = (u32)strlen(probe), at = cl->probes ? cl->len + 2 : 0;
	char *text = (char *)(uintptr_t)cl->probes;

	if (at + n >= cl->room) {
		cl->room = 2 * (at + n + 1);
		text = arena_alloc(a, cl->room);
		if (at)
			memcpy(text, cl->probes, cl->len);
	}
	if (at)
		memcpy(text + cl->len, ",\n", 2);
	memcpy(text + at, probe, n + 1);
	cl->probes = text;
	cl->len = at + n;
}

static u32 clause_like(const struct trace *t, const struct trace_clause *cl)
{
	u32 k = 0;

	while (k < t->clauses.n && !same_clause(&t->clauses.v[k], cl))
		k++;
	return k;
}

static void add_to(struct resolving *r, const struct trace_clause *cl, const char *probe)
{
	struct trace *t = r->t;
	u32 k = clause_like(t, cl);

	if (k == t->clauses.n)
		vec_push(r->arena, &t->clauses, *cl);
	trace_add_probe(r->arena, &t->clauses.v[k], probe);
}

/* Whether all of the word's probes show the same: then the word stands for them. */
static bool are_alike(struct resolving *r, struct trace_clause *cl)
{
	struct trace_clause other;

	for (u32 i = 0; i < r->targets.n; i++) {
		if (!make_clause(r, r->targets.v[i]->profile, i ? &other : cl))
			return false;
		if (i && !same_clause(cl, &other))
			return false;
	}
	return r->targets.n > 0;
}

static void add_word(struct resolving *r, const char *word)
{
	u32 left_out = r->n_left_out;
	struct trace_clause cl;

	if (are_alike(r, &cl)) {
		add_to(r, &cl, word);
		return;
	}
	r->n_left_out = left_out;
	for (u32 i = 0; i < r->targets.n; i++)
		if (make_clause(r, r->targets.v[i]->profile, &cl))
			add_to(r, &cl, spelled(r, r->targets.v[i]->site.probe));
}

/*
 * The results of a pattern's functions are numbers to the language, because they share a program.
 * By their names each has its type.
 */
static void spell_out_returns(struct resolving *r, const char *word)
{
	enum { MOST = 20000 };
	struct trace *t = r->t;
	bool some = glob_has_wildcard(word) && r->targets.n && r->targets.n <= MOST;

	for (u32 i = 0; i < r->targets.n && some; i++)
		some = r->targets.v[i]->profile->func.is_return &&
		       !r->targets.v[i]->site.is_deferred;
	if (!some)
		vec_push(r->arena, &t->probes, word);
	for (u32 i = 0; i < r->targets.n && some; i++)
		vec_push(r->arena, &t->probes, spelled(r, r->targets.v[i]->site.probe));
}

/* ---- all words */

/* The clauses of the script, which are the words as "PROBE {}". f: for each, when r->targets has
 * its probes. */
static void resolve_words(struct resolving *r, struct front *f, const char *const *words,
			  void (*take)(struct resolving *r, const char *word))
{
	u32 i = 0;

	for (struct clause *cl = f->lang.script->clauses; cl; cl = cl->next, i++) {
		r->targets.n = 0;
		for (const struct attach *a = cl->attaches; a; a = a->next) {
			struct spec *spec = spec_parse(&r->env, a);

			if (!spec)
				continue;
			r->provider = spec->provider;
			spec->provider->resolve(&r->env, spec, on_target, r);
		}
		take(r, words[i]);
	}
}

static void put_words(struct buf *b, const struct trace *t)
{
	for (u32 i = 0; i < t->probes.n; i++)
		buf_printf(b, "%s {}\n", t->probes.v[i]);
}

/* Resolves all words of t->probes. 0, or the exit status after a message. */
static int resolve_all(struct resolving *r, void (*take)(struct resolving *r, const char *word),
		       bool checks)
{
	struct trace *t = r->t;
	struct buf script = { 0 };
	const char *const *words = t->probes.v;
	struct front f;
	int ret = 0;

	put_words(&script, t);
	t->c->request.script.text = script.s;
	t->c->request.script.len = script.len;
	t->c->request.script.name = "<trace>";
	t->c->request.script.is_of_command = true;
	t->c->host.themes = builtin_themes;
	front_init(&f, t->c);
	setup(r, &f, t);
	ask_for_variables(r);
	if (checks)
		ret = check_names(r, &f);
	if (!checks)
		memset(&t->probes, 0, sizeof t->probes);
	if (!ret && parse_script(&f.lang, f.src) && lang_prepare(&f.lang))
		resolve_words(r, &f, words, take);
	say_diags(t->c, &f.diags);
	if (f.diags.n_errors)
		ret = diags_are_refusals(&f.diags) ? STATUS_REFUSED : STATUS_WRONG;
	provider_env_release(&r->env);
	front_release(&f);
	buf_release(&script);
	return ret;
}

static int report(const struct resolving *r)
{
	const struct cli *c = r->t->c;

	if (!r->t->clauses.n)
		return say_usage(
			c,
			"no probe has all of that: \"%s\" is missing (sonde list -v shows the "
			"fields of probes)",
			r->left_out ? r->left_out : "");
	if (r->n_left_out && !c->output.quiet)
		say_note(c, "%u probe%s left out: without \"%s\"", r->n_left_out,
			 r->n_left_out == 1 ? " is" : "s are", r->left_out);
	return 0;
}

/* Twice: first to know which names are fields of some probe. */
int trace_resolve(struct trace *t)
{
	struct resolving r = { .t = t, .arena = &t->c->line.arena };
	int ret;

	if (!t->probes.n)
		return 0;
	ret = resolve_all(&r, spell_out_returns, false);
	ret = ret ? ret : resolve_all(&r, add_word, true);
	ret = ret ? ret : report(&r);
	hash_release(&r.fields);
	return ret;
}
