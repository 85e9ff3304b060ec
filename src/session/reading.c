/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds what clauses read: of one clause, for the layout of its arguments; of all clauses together,
 * for the positions of user-space probes and the attachment of kernel functions and system calls.
 */
#include "engine/engine.h"
#include "session/reading.h"
#include "sym/tracefs.h"

/* The row of a name; arg0 is the row argN. */
static const struct builtin *row_of(const struct env *env, const char *name)
{
	const struct builtin *b = env_builtin(env, name);
	size_t len = strlen(name);
	char base[64];

	while (!b && len && name[len - 1] >= '0' && name[len - 1] <= '9')
		len--;
	if (b || !name[len] || len >= sizeof base - 2)
		return b;
	memcpy(base, name, len);
	memcpy(base + len, "N", 2);
	return env_builtin(env, base);
}

static bool find_reads(struct node *n, void *ctx);

static void read_function(struct reading *r, const char *name)
{
	enum { MAX_CALLS = 16 };

	if (r->depth >= MAX_CALLS)
		return;
	r->depth++;
	for (const struct function *f = r->functions; f; f = f->next)
		if (streq(f->name, name))
			ast_walk(f->body, find_reads, r);
	r->depth--;
}

static bool is_stack_pointer(const struct node *call)
{
	return call->kind == N_CALL && call->a && call->a->kind == N_STR && call->a->str &&
	       streq(call->a->str, "sp");
}

/* A name that is nothing else may be a type, too. */
static bool may_name_type(const struct reading *r, const struct node *n)
{
	if (n->kind == N_SIZEOF || node_has_path(n))
		return true;
	if (n->tref && !(n->tref->name && lang_has_type(n->tref->name)))
		return true;
	return n->kind == N_IDENT && n->name && !row_of(r->env, n->name);
}

static bool find_reads(struct node *n, void *ctx)
{
	struct reading *r = ctx;
	const struct builtin *b;

	r->names_types |= may_name_type(r, n);
	if (n->kind == N_FIELD && n->name && n->a->kind == N_IDENT) {
		b = row_of(r->env, n->a->name);
		if (b && (b->flags & BI_RECORD)) {
			r->flags |= b->flags & BI_READS_ARGS;
			vec_push(r->arena, &r->args, n->name);
			return false;
		}
		if (b && (b->flags & BI_READS_CTX)) { /* an iterator's arguments */
			r->flags |= BI_READS_ARGS;
			vec_push(r->arena, &r->args, n->name);
		}
		if (b && (b->flags & BI_VARS)) {
			vec_push(r->arena, &r->vars, n->name);
			return false;
		}
	}
	if ((n->kind != N_IDENT && n->kind != N_CALL) || !n->name)
		return true;
	if (n->kind == N_CALL)
		read_function(r, n->name);
	b = row_of(r->env, n->name);
	if (b) {
		s64 number = env_builtin_number(b, n->name);

		if (b->flags & BI_READS_ARGS && number >= 0 && number < 32)
			r->argn |= 1u << number;
		if (b->flags & BI_READS_REGS) {
			r->reads_sp |= is_stack_pointer(n);
			r->reads_regs |= !is_stack_pointer(n);
		}
		r->flags |= b->flags &
			    (BI_READS_ARGS | BI_READS_NAME | BI_READS_STACK | BI_READS_KSTACK |
			     BI_READS_TYPED | BI_READS_RECORD | BI_READS_REGS | BI_READS_CTX |
			     BI_READS_GOID | BI_READS_RESULT | BI_ASKS_FOLLOW | BI_READS_FILE);
		r->whole |= (b->flags & BI_RECORD) != 0;
		r->whole_args |= b->flags & BI_RECORD && !(b->flags & BI_READS_RECORD);
	}
	return true;
}

void reading_of_clause(struct compiled *c, struct clause *clause, struct reading *r)
{
	*r = (struct reading){ .env = &c->env,
			       .arena = &c->arena,
			       .functions = c->lang.script->functions,
			       .names_types = c->lang.script->functions != NULL };
	if (clause->predicate)
		ast_walk(clause->predicate, find_reads, r);
	ast_walk(clause->body, find_reads, r);
	for (struct macro *m = c->lang.script->macros; m; m = m->next)
		ast_walk(m->body, find_reads, r); /* which are used is known only later */
	if (!r->args.v)                           /* not NULL: known, and none */
		r->args.v = arena_array(&c->arena, const char *, 1);
}

static void add_reading(struct script_reads *all, const struct reading *r)
{
	all->argn |= r->argn;
	all->record |= r->whole || r->args.n || r->vars.n;
	all->regs |= r->reads_regs;
	all->sp |= r->reads_sp;
	all->ctx |= (r->flags & BI_READS_CTX) != 0;
	all->stack |= (r->flags & BI_READS_STACK) != 0;
	all->args |= (r->flags & BI_READS_ARGS) != 0;
	all->followed |= (r->flags & BI_ASKS_FOLLOW) != 0;
}

static bool is_on_kernel_function(const struct provider *p)
{
	return p && p->may_be_trampoline;
}

/*
 * Kprobes of one function run before its trampolines, whatever the order of the script: it is all
 * of one kind or all of the other.
 */
static const char *kprobe_only(struct compiled *c)
{
	const struct script_reads *reads = &c->kernel_reads;

	if (c->request->compile.any_kernel || !c->engines[0]->on_this_kernel)
		return "";
	if (c->attempt.no_substitutes)
		return "the kernel refused a trampoline";
	for (struct clause *cl = c->lang.script->clauses; cl; cl = cl->next)
		for (struct attach *a = cl->attaches; a; a = a->next)
			if (is_on_kernel_function(provider_of(a->text)) && strpbrk(a->text, "*?[+"))
				return "the script has patterns or offsets of kprobes";
	return reads->ctx || reads->regs || reads->sp ? "the script reads registers" : NULL;
}

/*
 * How events of system calls are attached, all alike, so that clauses on one call keep their order:
 * few as perf events, which cost other calls less; see provider/syscalls.c. Kernel stacks begin
 * elsewhere there, or are missing (6.1).
 */
static void choose_calls(struct compiled *c)
{
	enum { FEW = 2 };
	struct call_events *e = &c->call_events;
	struct err err = { 0 };

	if (!e->n && !e->raw)
		return;
	if (c->request->compile.any_kernel || !c->engines[0]->on_this_kernel)
		e->raw = "";
	else if (!e->raw && c->attempt.no_substitutes)
		e->raw = "the kernel refused an event of the call";
	else if (!e->raw && e->n > FEW)
		e->raw = "the script asks for more than two of them";
	else if (!e->raw && !tracefs_path(&err))
		e->raw = "tracefs cannot be read";
	err_release(&err);
}

static void add_calls(struct compiled *c, const struct provider *p, const struct attach *a,
		      const struct reading *r)
{
	struct call_events *e = &c->call_events;
	u32 before = e->n;

	if (!p || !p->calls)
		return;
	e->reads_args = r->whole || r->args.n;
	p->calls(&c->arena, a->text, e);
	if (e->n == before || e->raw)
		return;
	if (r->flags & BI_READS_KSTACK)
		e->raw = "a clause reads kernel stacks";
	else if (r->flags & (BI_READS_TYPED | BI_READS_CTX | BI_READS_REGS))
		e->raw = "a clause reads the context";
}

void reading_of_script(struct compiled *c)
{
	for (struct clause *cl = c->lang.script->clauses; cl; cl = cl->next) {
		bool in_kernel = false;
		struct reading r;

		reading_of_clause(c, cl, &r);
		add_reading(&c->reads, &r);
		for (struct attach *a = cl->attaches; a; a = a->next) {
			const struct provider *p = provider_of(a->text);

			in_kernel |= is_on_kernel_function(p);
			add_calls(c, p, a, &r);
			c->reads.returns |= p && p->replaces_return;
		}
		if (in_kernel)
			add_reading(&c->kernel_reads, &r);
	}
	c->kprobe_only = kprobe_only(c);
	choose_calls(c);
}
