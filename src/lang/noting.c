/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A script that records what it reads. In: the checked trees of its clauses. Out: the same control
 * flow and maps, but nothing is printed; each read of the machine is kept in a variable, and the
 * clause ends with a tuple of them.
 *
 *	uprobe:/bin/a:f / pid > 1 /	uprobe:/bin/a:f
 *	{				{
 *		$p = arg0;		  let $noted0; let $noted1;
 *					  if (pid > 1) {
 *		print(str($p));			$p = { $noted0 = arg0; $noted0 };
 *						_ = { $noted1 = str($p); $noted1 };
 *						print((0, nsecs, pid, tid, cpu, comm, probe, $noted0, $noted1));
 *	}				} }
 *
 * So the events and values are those that the script uses: pointers in maps are followed while what
 * they point to is there.
 */
#include <ctype.h>
#include "lang/noted.h"
#include "type/layout.h"

enum {
	FIELD_MOST = 40,
	NUMBERS_MOST = 512, /* of an array: its elements are shown as such */
	EVENT_MOST = 60000, /* a record's length has 16 bits */
};

struct slot {
	const char *key, *var;
	struct noted_read read;
	u32 size;
};

struct notes { /* of one instance */
	struct check *c;
	struct instance *in;
	u32 number; /* of the tuple's list of fields */
	VEC(struct slot) slots;
	u32 branches, loops; /* around the node */
	u32 n_wrapped;       /* reads that statements keep */
	bool kstack, ustack;
	bool of_event; /* it reads what each event has */
};

void noting_see(struct check *c, struct node *n)
{
	struct noted_text *t;
	const struct node **key;

	if (hash_get(&c->env->noted_texts, &n, sizeof n)) /* its row has made it another one */
		return;
	t = arena_new(c->arena, struct noted_text);
	key = arena_new(c->arena, const struct node *);
	*t = noted_text_of(c, n);
	*key = n;
	hash_put(&c->env->noted_texts, key, sizeof *key, t);
}

void noting_move(struct check *c, const struct node *to, const struct node *from)
{
	void *text = hash_get(&c->env->noted_texts, &from, sizeof from);
	const struct node **key = arena_dup(c->arena, &to, sizeof to);

	if (text)
		hash_put(&c->env->noted_texts, key, sizeof *key, text);
}

static const struct noted_text *text_of(struct notes *s, const struct node *n)
{
	return hash_get(&s->c->env->noted_texts, &n, sizeof n);
}

/* ---- which nodes read the machine */

/* The node names memory outside of the program. */
static bool is_in_memory(struct notes *s, const struct node *n)
{
	const struct noted_text *t = text_of(s, n);

	if (t && t->is_arg)
		return true;
	switch (n->kind) {
	case N_FIELD:
	case N_INDEX:
		return (n->a->type && n->a->type->kind == TY_POINTER) || is_in_memory(s, n->a);
	case N_VAR: return n->type && n->type->kind == TY_STRUCT;
	case N_UNARY: return n->op == OP_DEREF || (n->op == OP_ADDR && is_in_memory(s, n->a));
	default: return false;
	}
}

/* ---- slots */

/* help: what to write instead. */
static void refuse(struct notes *s, const struct node *n, const char *why, const char *help)
{
	const struct noted_text *t = text_of(s, n);
	const char *key = t ? t->key : n->name ? n->name : "this";

	diag_help(s->c->diags, check_report(s->c, n->span, D_NOT_RECORDABLE, key, why), "%s", help);
}

static void refuse_type(struct notes *s, const struct node *n)
{
	const struct noted_text *t = text_of(s, n);
	struct arena *a = s->c->arena;
	bool has_members = t && n->type->kind == TY_STRUCT;

	refuse(s, n, arena_printf(a, "a value of type %s", type_text(s->c, n->type)),
	       has_members ?
		       arena_printf(a, "name the members that the script uses: %s.MEMBER", t->key) :
		       "numbers, strings and buf(ADDRESS, LENGTH) can be recorded");
}

/* args as a value, with all members. */
static bool is_whole_args(struct notes *s, const struct node *n)
{
	return (n->kind == N_IDENT || n->kind == N_CALL) && noted_is_args(s->c, n) && text_of(s, n);
}

/* A structure that a variable gets: its fields are read when they are used. */
static bool is_structure(struct notes *s, const struct node *n)
{
	return n && n->type && n->type->kind == TY_STRUCT && text_of(s, n) && is_in_memory(s, n);
}

static bool is_numbers(const struct type *t)
{
	return t->kind == TY_ARRAY && t->elem->kind == TY_INT && t->count &&
	       t->size <= NUMBERS_MOST;
}

/* Its bytes are recorded, and what they mean: type/layout.h. NULL: it has no such text. */
static const char *layout_of(struct notes *s, const struct type *t)
{
	struct buf b = { 0 };
	const char *text = NULL;

	buf_putc(&b, NOTED_LAYOUT);
	if ((t->kind == TY_ARRAY || t->kind == TY_STRUCT || t->kind == TY_RECORD ||
	     t->kind == TY_TUPLE || t->kind == TY_ENUM || t->kind == TY_FLOAT) &&
	    t->size && layout_put(&b, t))
		text = arena_strdup(s->c->arena, b.s);
	buf_release(&b);
	return text;
}

static bool is_recordable(struct notes *s, const struct type *t)
{
	return t->kind == TY_STRING || t->kind == TY_BUFFER || is_numbers(t) || type_is_shown(t) ||
	       (type_is_scalar(t) && t->kind != TY_PROBE) || layout_of(s, t);
}

/* Names of fields are words of C, each its own. */
static const char *field_name(struct notes *s, const char *key, bool is_arg, u32 index)
{
	char word[FIELD_MOST + 1];
	u32 n = 0;
	const char *name;

	if (is_arg)
		key += strlen("args.");
	for (; *key && *key != '@' && n < FIELD_MOST; key++)
		if (isalnum((u8)*key) || *key == '_')
			word[n++] = *key;
		else if (n && word[n - 1] != '_')
			word[n++] = '_';
	while (n && word[n - 1] == '_')
		n--;
	word[n] = '\0';
	name = arena_strdup(s->c->arena, n && !isdigit((u8)*word) ? word : "value");
	for (u32 i = 0; i < s->slots.n; i++)
		if (streq(s->slots.v[i].read.field, name))
			return arena_printf(s->c->arena, "%.*s_%u", FIELD_MOST - 4, name, index);
	return name;
}

static const char *cast_of(struct notes *s, const struct type *t)
{
	if (t->kind == TY_STRING || type_is_shown(t) || is_numbers(t))
		return "";
	if (t->kind != TY_ENUM && (type_is_scalar(t) || t->kind == TY_BUFFER))
		return type_str(s->c->arena, t);
	return layout_of(s, t);
}

/* Of the expression at this place; one that is new has neither a variable nor a field. */
static struct slot *find_slot(struct notes *s, const struct node *n)
{
	const struct noted_text *t = text_of(s, n);
	bool is_bound = t->is_bound || s->branches;
	struct slot slot = {
		.read = { .key = is_bound ? t->bound : t->key, .field = "", .type = "" }
	};

	slot.key = slot.read.key;
	for (u32 i = 0; i < s->slots.n; i++)
		if (streq(s->slots.v[i].key, slot.key))
			return &s->slots.v[i];
	vec_push(s->c->arena, &s->slots, slot);
	return vec_last(&s->slots);
}

static struct slot *slot_of(struct notes *s, const struct node *n)
{
	const struct noted_text *t = text_of(s, n);
	struct slot *slot = find_slot(s, n);
	u32 index = (u32)(slot - s->slots.v);

	if (slot->var) /* it was read before */
		return slot;
	slot->var = arena_printf(s->c->arena, "noted#%u", index);
	slot->read.field = field_name(s, t->key, t->is_arg, index);
	slot->read.type = cast_of(s, n->type);
	slot->size = n->type->size;
	return slot;
}

/* Of a structure that a variable gets no value is needed, unless it is read elsewhere as well. */
static void skip_structure(struct notes *s, struct node *n)
{
	find_slot(s, n);
}

static u32 size_of_event(const struct notes *s)
{
	u32 size = 0;

	for (u32 i = 0; i < s->slots.n; i++)
		size += s->slots.v[i].size;
	return size;
}

static struct node *named(struct notes *s, enum node_kind kind, const char *name, struct span span)
{
	struct node *n = node_new(s->c->arena, kind, span);

	n->name = name;
	return n;
}

/* R -> { $noted = R; $noted } */
static void wrap(struct notes *s, struct node *n)
{
	struct node *read = node_new(s->c->arena, n->kind, n->span), *next = n->next,
		    *set = node_new(s->c->arena, N_ASSIGN, n->span);
	const struct slot *slot = slot_of(s, n);

	s->n_wrapped++;
	*read = *n;
	read->next = NULL;
	set->a = named(s, N_VAR, slot->var, n->span);
	set->b = read;
	*n = (struct node){ .kind = N_BLOCK_EXPR, .span = n->span, .next = next, .a = set };
	n->b = named(s, N_VAR, slot->var, n->span);
}

/* Whether an event can have what is read at this place. False after the report that it cannot. */
static bool has_event(struct notes *s, const struct node *n)
{
	const struct noted_text *t = text_of(s, n);

	if (!s->loops || (t && !t->is_bound))
		return true;
	refuse(s, n, "in a loop it has several values",
	       "read all of it before the loop, with str(), buf() or as an array, or unroll the loop");
	return false;
}

static void note(struct notes *s, struct node *n)
{
	if (!n->type || type_is_moot(n->type)) {
		s->n_wrapped++; /* is reported when it is checked again */
		return;
	}
	if (!has_event(s, n))
		return;
	if (!text_of(s, n) || !is_recordable(s, n->type) ||
	    size_of_event(s) + n->type->size > EVENT_MOST)
		refuse_type(s, n);
	else
		wrap(s, n);
}

/* Room for all that a statement prints. */
enum { STATEMENT_MOST = 20480 };

/* join(P) -> _ = { $noted = joined(P, length=20480); $noted } */
static void note_statement(struct notes *s, struct node *n)
{
	struct node *call = n->a, *length = named(s, N_NAMED, "length", call->span), **end;

	if (!has_event(s, call))
		return;
	wrap(s, call);
	call = call->a->b; /* what is read */
	call->name = call->builtin->noted_as;
	call->builtin = NULL;
	call->type = NULL;
	length->a = node_new(s->c->arena, N_INT, call->span);
	node_make_int(length->a, STATEMENT_MOST, &ty_u64);
	for (end = &call->a; *end; end = &(*end)->next)
		;
	*end = length;
	n->kind = N_DISCARD;
}

/* ---- expressions */

static void walk_statements(struct notes *s, struct node **list);

static void walk(struct notes *s, struct node *n);

static void walk_list(struct notes *s, struct node *n)
{
	for (; n; n = n->next)
		walk(s, n);
}

static void walk_stack(struct notes *s, const struct node *n)
{
	bool is_kernel = n->builtin->flags & BI_READS_KSTACK;

	s->kstack |= is_kernel;
	s->ustack |= !is_kernel || n->type->kind == TY_FULLSTACK;
}

/* Operands that are evaluated conditionally. */
static void walk_branch(struct notes *s, struct node *n)
{
	s->branches++;
	walk(s, n);
	s->branches--;
}

static void walk_parts(struct notes *s, struct node *n)
{
	bool is_either = n->kind == N_COND ||
			 (n->kind == N_BINARY && (n->op == OP_LAND || n->op == OP_LOR));

	if (n->kind == N_BLOCK_EXPR) {
		walk_statements(s, &n->a);
		walk(s, n->b);
	} else if (is_either) {
		walk(s, n->a);
		walk_branch(s, n->b);
		walk_branch(s, n->c);
	} else {
		walk_list(s, n->a);
		walk(s, n->b);
	}
}

static bool is_about_types(const struct node *n)
{
	return n->kind == N_SIZEOF || node_has_path(n) || n->kind == N_TYPEOF ||
	       n->kind == N_TYPEINFO || n->kind == N_TYPE || n->kind == N_COMPTIME;
}

static void walk(struct notes *s, struct node *n)
{
	if (!n || n->is_const || is_about_types(n))
		return;
	s->of_event |= n->kind == N_CALL && n->builtin && n->builtin->flags & BI_OF_EVENT;
	if (n->kind == N_CALL && n->builtin && n->builtin->flags & BI_READS_STACK)
		walk_stack(s, n);
	else if (is_whole_args(s, n) || is_in_memory(s, n) ||
		 (n->kind == N_CALL && noted_is_asked(n->builtin, n)))
		note(s, n);
	else
		walk_parts(s, n);
}

/* ---- statements */

static struct node *tuple_of(struct notes *s, struct span span)
{
	static const char *const before[] = { "nsecs", "pid", "tid", "cpu", "comm", "probe" };
	struct node *tuple = node_new(s->c->arena, N_TUPLE, span), **end = &tuple->a;

	*end = node_new(s->c->arena, N_INT, span);
	(*end)->value = s->number;
	end = &(*end)->next;
	for (u32 i = 0; i < ARRAY_SIZE(before); i++, end = &(*end)->next)
		*end = named(s, N_IDENT, before[i], span);
	if (s->kstack) {
		*end = named(s, N_IDENT, "kstack", span);
		end = &(*end)->next;
	}
	if (s->ustack) {
		*end = named(s, N_IDENT, "ustack", span);
		end = &(*end)->next;
	}
	for (u32 i = 0; i < s->slots.n; i++) {
		if (!s->slots.v[i].var)
			continue;
		*end = named(s, N_VAR, s->slots.v[i].var, span);
		end = &(*end)->next;
	}
	return tuple;
}

static struct node *event(struct notes *s, struct span span)
{
	struct node *n = node_new(s->c->arena, N_EXPR, span);

	n->a = named(s, N_CALL, "print", span);
	n->a->a = tuple_of(s, span);
	return n;
}

/* An end of the clause before its last statement: the event is inserted when all slots are
 * known. */
enum { EVENT_BEFORE = 0x4e4f };

/* Values that read something stay, as statements. */
static void keep_reads(struct notes *s, struct node *value, struct node ***end)
{
	u32 before = s->n_wrapped;

	value->next = NULL;
	walk(s, value);
	if (s->n_wrapped == before)
		return;
	**end = node_new(s->c->arena, N_DISCARD, value->span);
	(**end)->a = value;
	*end = &(**end)->next;
}

/* Of what would be printed only the reads remain. */
static void silence(struct notes *s, struct node *n)
{
	struct node *list = NULL, **end = &list, *next, *next_key;

	for (struct node *a = n->a->a; a; a = next) {
		struct node *value = a->kind == N_NAMED ? a->a : a;

		next = a->next;
		if (value->kind != N_MAP) {
			keep_reads(s, value, &end);
			continue;
		}
		for (struct node *key = value->a; key; key = next_key) {
			next_key = key->next;
			keep_reads(s, key, &end);
		}
	}
	n->kind = N_BLOCK;
	n->a = list;
}

static void walk_call(struct notes *s, struct node *n)
{
	const struct builtin *row = n->a->kind == N_CALL ? n->a->builtin : NULL;

	if (!row || !(row->flags & BI_STATEMENT)) {
		walk(s, n->a);
		return;
	}
	if (row->noted_as)
		note_statement(s, n);
	else if (row->flags & BI_NOTED)
		refuse(s, n->a, "what it reads is not known before it prints",
		       "omit it from the recorded script");
	else if (!(row->flags & BI_STAYS))
		silence(s, n);
	else
		walk_list(s, n->a->a);
	if (row == s->c->s->exit_row)
		n->aux = EVENT_BEFORE;
}

static void walk_loop(struct notes *s, struct node *n)
{
	s->loops++;
	s->branches++;
	if (n->kind != N_FOR || n->a->kind != N_MAP)
		walk(s, n->a);
	walk(s, n->d);
	walk_statements(s, &n->b->a);
	s->branches--;
	s->loops--;
}

static void walk_if(struct notes *s, struct node *n)
{
	walk(s, n->a);
	s->branches++;
	walk_statements(s, &n->b);
	walk_statements(s, &n->c);
	s->branches--;
}

static void walk_statement(struct notes *s, struct node *n)
{
	switch (n->kind) {
	case N_EXPR: walk_call(s, n); break;
	case N_ASSIGN:
		walk_list(s, n->a->a);
		if (n->a->kind == N_VAR && is_structure(s, n->b))
			skip_structure(s, n->b);
		else
			walk(s, n->b);
		break;
	case N_LET:
		if (is_structure(s, n->b))
			skip_structure(s, n->b);
		else
			walk(s, n->b);
		break;
	case N_DISCARD: walk(s, n->a); break;
	case N_IF: walk_if(s, n); break;
	case N_WHILE:
	case N_UNROLL:
	case N_FOR: walk_loop(s, n); break;
	case N_RETURN:
		walk(s, n->a);
		n->aux = EVENT_BEFORE;
		break;
	case N_BLOCK: walk_statements(s, &n->a); break;
	default: break;
	}
}

static void walk_statements(struct notes *s, struct node **list)
{
	for (struct node *n = *list; n; n = n->next)
		walk_statement(s, n);
}

/* ---- the clause */

static void insert_events(struct notes *s, struct node **list)
{
	for (struct node **at = list; *at; at = &(*at)->next) {
		struct node *n = *at;

		if (n->kind == N_IF || n->kind == N_WHILE || n->kind == N_UNROLL ||
		    n->kind == N_FOR) {
			insert_events(s, &n->b);
			if (n->kind == N_IF)
				insert_events(s, &n->c);
		} else if (n->kind == N_BLOCK) {
			insert_events(s, &n->a);
		} else if (n->kind == N_EXPR && n->a->kind == N_BLOCK_EXPR) { /* a macro */
			insert_events(s, &n->a->a);
		} else if ((n->kind == N_EXPR || n->kind == N_RETURN) && n->aux == EVENT_BEFORE) {
			n->aux = 0;
			*at = event(s, n->span);
			(*at)->next = n;
			at = &(*at)->next;
		}
	}
}

static void append_event(struct notes *s, struct node **list)
{
	for (; *list; list = &(*list)->next)
		if (check_leaves(s->c, *list))
			return;
	*list = event(s, s->in->body->span);
}

/* The predicate's variables are those of the body. */
static void join_predicate(struct notes *s)
{
	struct instance *in = s->in;
	struct node *n;

	if (!in->predicate)
		return;
	n = node_new(s->c->arena, N_IF, in->predicate->span);
	n->a = in->predicate;
	n->b = node_new(s->c->arena, N_BLOCK, in->body->span);
	n->b->a = in->body->a;
	in->body->a = n;
	in->predicate = NULL;
}

static void declare(struct notes *s)
{
	for (u32 i = s->slots.n; i-- > 0;) {
		struct node *let = node_new(s->c->arena, N_LET, s->in->body->span);

		if (!s->slots.v[i].var)
			continue;
		let->a = named(s, N_VAR, s->slots.v[i].var, let->span);
		let->aux = LET_NOTED;
		let->next = s->in->body->a;
		s->in->body->a = let;
	}
}

static void put_reads(struct buf *b, const struct notes *s, u32 clause)
{
	const struct profile *p = s->in->profile;

	buf_printf(b, "clause\t%u\nscript\t%x\n", clause, s->c->env->script_id);
	if (p && p->args.n) {
		buf_puts(b, "args\t");
		for (u32 i = 0; i < p->args.n; i++)
			buf_printf(b, "%s ", p->args.v[i].name);
		buf_putc(b, '\n');
	}
	for (u32 i = 0; i < s->slots.n; i++) {
		const struct noted_read *r = &s->slots.v[i].read;

		buf_printf(b, "read\t%s\t%s\t%s\n", r->field, r->type, r->key);
	}
}

static u32 number_of_clause(const struct notes *s)
{
	u32 n = 0;

	for (const struct clause *cl = s->c->lang->script->clauses; cl && cl != s->in->clause;
	     cl = cl->next)
		n++;
	return n;
}

/* Outlives the compilation. */
static void keep(struct notes *s)
{
	struct noting *to = s->c->env->noting;
	const char **fields = arena_array(to->arena, const char *, s->slots.n + 1);
	struct recorded_probe *v = arena_array(to->arena, struct recorded_probe, to->n + 1);
	struct buf b = { 0 };
	u32 n = 0;

	for (u32 i = 0; i < s->slots.n; i++)
		if (s->slots.v[i].var)
			fields[n++] = arena_strdup(to->arena, s->slots.v[i].read.field);
	put_reads(&b, s, number_of_clause(s));
	memcpy(v, to->v, to->n * sizeof *v);
	v[to->n++] =
		(struct recorded_probe){ .fields = fields, .reads = arena_strdup(to->arena, b.s) };
	to->v = v;
	to->reads_stacks |= s->kstack || s->ustack;
	buf_release(&b);
}

/* All parts of a && b && c are true if the event happens. */
static void walk_predicate(struct notes *s, struct node *n)
{
	if (n->kind == N_BINARY && n->op == OP_LAND && !n->is_const) {
		walk_predicate(s, n->a);
		walk_predicate(s, n->b);
	} else {
		walk(s, n);
	}
}

static void note_reads(struct notes *s)
{
	s->c->inst = s->in;
	if (s->in->predicate)
		walk_predicate(s, s->in->predicate);
	walk_statements(s, &s->in->body->a);
}

static void add_events(struct notes *s)
{
	bool has_predicate = s->in->predicate;
	struct node **inner;

	s->c->inst = s->in;
	s->number = s->c->env->noting->n;
	join_predicate(s);
	inner = has_predicate ? &s->in->body->a->b->a : &s->in->body->a;
	insert_events(s, inner);
	append_event(s, inner);
	declare(s);
	keep(s);
}

static bool reads_some(const struct notes *s)
{
	return s->slots.n || s->kstack || s->ustack || s->of_event;
}

/*
 * Over a recording, begin and end run as they do live if none of them reads anything: a flight
 * recorder may have lost their events. Otherwise all have events, which keeps their order.
 */
void noting_rewrite(struct check *c, struct instance **instances, u32 n)
{
	struct notes *all = arena_array(c->arena, struct notes, n + 1);
	bool once_reads = false;
	u32 before = c->diags->n_errors;

	for (u32 i = 0; i < n; i++) {
		all[i] = (struct notes){ .c = c, .in = instances[i] };
		if (instances[i]->internal || instances[i]->unseen)
			continue;
		note_reads(&all[i]);
		once_reads |= instances[i]->once && reads_some(&all[i]);
	}
	for (u32 i = 0; i < n && c->diags->n_errors == before; i++)
		if (!instances[i]->internal && !instances[i]->unseen &&
		    (once_reads || !instances[i]->once))
			add_events(&all[i]);
}
