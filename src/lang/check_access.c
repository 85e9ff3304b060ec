/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Access to parts of values: fields, elements, targets of pointers. In: N_FIELD, N_INDEX and
 * dereference nodes. Out: the part's type, and for a field its descriptor and offset.
 *
 * A pointer that is read from memory belongs to the address space of that memory, unless its type
 * says otherwise. A pointer that is read through a BTF-trusted one is not trusted: whether the
 * verifier still tracks it depends on annotations that differ between kernels.
 */
#include "lang/check_internal.h"

static const struct type *in_space_of(struct check *c, const struct type *t, enum space from)
{
	if (t->kind != TY_POINTER || t->space != SPACE_NONE)
		return t;
	if (from == SPACE_BTF || from == SPACE_NONE)
		from = from == SPACE_BTF ? SPACE_KERNEL : check_default_space(c);
	/* our memory: does not determine where its contents point */
	if (from == SPACE_BPF || from == SPACE_CTX)
		return t;
	return type_in_space(c->arena, t, from);
}

/*
 * char arrays are treated as strings. One in memory may be filled to its last byte, so a value read
 * from it has room for an added NUL: char[5] is string[6].
 */
static const struct type *as_string(struct check *c, const struct type *t)
{
	if (t->kind == TY_STRING)
		return type_string(c->arena, t->count + 1);
	if (t->kind != TY_ARRAY || t->elem->kind != TY_INT || t->elem->size != 1 ||
	    !t->elem->name || !t->count || !streq(t->elem->name, "char"))
		return t;
	return type_string(c->arena, t->count + 1);
}

bool check_adds_nul(const struct node *n)
{
	if (n->type->kind != TY_STRING)
		return false;
	return n->kind == N_INDEX || (n->kind == N_UNARY && n->op == OP_DEREF) ||
	       (n->kind == N_FIELD && n->field &&
		type_complete(n->field->type)->size < n->type->count);
}

enum { LISTED_FIELDS = 24 };

static void near_fields(struct near *near, const struct type *t, u32 depth)
{
	for (u32 i = 0; i < t->n_fields && depth < 8; i++) {
		if (t->fields[i].name[0])
			near_try(near, t->fields[i].name);
		else
			near_fields(near, type_complete(t->fields[i].type), depth + 1);
	}
}

static void list_names(struct check *c, struct diag *d, const struct near *near, const char *all)
{
	if (near_best(near))
		diag_help(c->diags, d, "did you mean \"%s\"?", near_best(near));
	else if (*all)
		diag_help(c->diags, d, "it has: %s", all);
}

static const char *fields_text(struct check *c, const struct type *t)
{
	const char *text = "";

	for (u32 i = 0; i < t->n_fields && i < LISTED_FIELDS; i++)
		if (t->fields[i].name[0])
			text = arena_printf(c->arena, "%s%s%s", text, *text ? ", " : "",
					    t->fields[i].name);
	return text;
}

/* The name of a type with fields, for messages. */
const char *check_whole_text(struct check *c, const struct type *t)
{
	return t->kind == TY_RECORD ?
		       "Record" :
		       arena_printf(c->arena, "Struct/union of type '%s'", type_text(c, t));
}

static const struct type *unknown_field(struct check *c, struct node *n, const struct type *t)
{
	struct diag *d = check_report(c, n->span, D_UNKNOWN_FIELD, check_whole_text(c, t), n->name);
	struct near near;

	near_init(&near, n->name);
	near_fields(&near, t, 0);
	if (c->final)
		list_names(c, d, &near, t->n_fields <= LISTED_FIELDS ? fields_text(c, t) : "");
	if (c->final && !d->help.n && t->in_kernel)
		diag_help(c->diags, d, "sonde list -v '%s' shows its members", type_text(c, t));
	return &ty_error;
}

/* ---- args.NAME, vars.NAME */

struct named_args { /* the arguments that a row names */
	const struct builtin *row;
	struct arg_list list;
};

/* We may lack the right to read the kernel's description of the record. */
static const struct type *unseen_arg(struct check *c, struct node *n, const struct profile *p)
{
	const char *name = arena_printf(c->arena, "args.%s", n->name);

	if (c->inst->unseen)
		return &ty_unknown;
	if (c->env->request->compile.any_kernel) {
		if (!c->env->unchecked || !c->final) /* once is enough */
			check_report(c, n->span, D_NOT_CHECKED, name, p->missing.unseen);
		c->env->unchecked = true;
	} else {
		struct diag *d = check_report(c, n->span, D_NOT_VISIBLE, name, p->missing.unseen);

		if (p->missing.unseen_help && *p->missing.unseen_help)
			diag_help(c->diags, d, "%s", p->missing.unseen_help);
	}
	return &ty_error;
}

static const struct type *unknown_arg(struct check *c, struct node *n,
				      const struct named_args *from)
{
	const char *what = c->inst->profile->record.name, *all = "";
	struct diag *d;
	struct near near;

	if (from->row->flags & BI_VARS) {
		d = check_report(c, n->span, D_UNKNOWN_VARIABLE, n->name,
				 c->inst->name ? c->inst->name : "this");
		diag_help(c->diags, d, "sonde list -v shows what is in scope");
		return &ty_error;
	}
	d = check_report(c, n->span, D_UNKNOWN_FIELD,
			 !what ? from->row->name :
			 starts_with(what, "struct ") ?
				 arena_printf(c->arena, "Struct/union of type '%s'", what) :
				 what,
			 n->name);
	near_init(&near, n->name);
	for (u32 i = 0; i < from->list.n; i++) {
		near_try(&near, from->list.v[i].name);
		all = arena_printf(c->arena, "%s%s%s", all, i ? ", " : "", from->list.v[i].name);
	}
	list_names(c, d, &near, all);
	return &ty_error;
}

/* The return value was args->retval in older releases; providers name it ret. */
static struct arg_desc *find_return(struct check *c, struct node *n, const struct named_args *from)
{
	const char *other = streq(n->name, "retval") ? "ret" :
			    streq(n->name, "ret")    ? "retval" :
						       NULL;
	struct arg_desc *arg = other ? arg_find(&from->list, other) : NULL;

	if (arg && streq(other, "ret"))
		check_report(c, n->span, D_OLD_SPELLING, "args.retval", "args.ret");
	return arg;
}

static const struct type *no_args(struct check *c, struct node *n, const struct profile *p)
{
	struct diag *d;

	if (p && p->missing.no_btf)
		d = check_report(c, n->a->span, D_NO_KERNEL_TYPES,
				 arena_printf(c->arena, "args.%s", n->name ? n->name : "*"));
	else
		d = check_report(c, n->a->span, D_NO_ARGS, c->inst->name ? c->inst->name : "this");
	if (p && p->missing.why)
		diag_help(c->diags, d, "%s", p->missing.why);
	if (p && p->argn.n)
		diag_help(c->diags, d, "use arg0, arg1 ... and cast them");
	if (p && p->kind == PROFILE_PT_REGS && p->func.is_return && !p->regs.are_users)
		diag_help(
			c->diags, d,
			"fexit has the arguments and the result; a kprobe may keep them in a map until the return");
	return &ty_error;
}

static const struct type *arg_type(struct check *c, struct node *n, const struct arg_desc *arg)
{
	const struct type *t = arg->type->kind == TY_STRING ? arg->type : as_string(c, arg->type);

	if (arg->why || (arg->gap && !n->is_part_of))
		return diag_type(c, n->span, D_UNREADABLE_ARG, arg->name,
				 arg->why ? arg->why : arg->gap);
	if (t->kind == TY_POINTER && t->space == SPACE_NONE)
		t = type_in_space(c->arena, t, check_default_space(c));
	return t;
}

enum { READ_NOW = 1 }; /* aux of args.NAME */

static struct node *ident(struct check *c, const struct node *n, const char *name)
{
	struct node *ident = node_new(c->arena, N_IDENT, n->span);

	ident->name = name;
	return ident;
}

/*
 * args.NAME of memory that is freed when the call succeeded: retval < 0 ? args.NAME :
 * @kept[curtask].N. If it failed, all of it still exists, and pages that were missing at the entry
 * are present.
 */
static const struct type *check_kept(struct check *c, struct node *n, const struct arg_desc *arg)
{
	struct node *failed = node_new(c->arena, N_BINARY, n->span),
		    *now = node_new(c->arena, N_FIELD, n->span),
		    *kept = node_new(c->arena, N_FIELD, n->span),
		    *map = node_new(c->arena, N_MAP, n->span);

	failed->op = OP_LT;
	failed->a = ident(c, n, "retval");
	failed->b = node_new(c->arena, N_INT, n->span);
	now->a = ident(c, n, "args");
	now->name = arg->name;
	now->aux = READ_NOW;
	map->name = c->inst->profile->kept.map;
	map->a = ident(c, n, "curtask");
	kept->a = map;
	kept->value = (s64)arg->kept - 1;
	n->kind = N_COND;
	n->name = NULL;
	n->a = failed;
	n->b = now;
	n->c = kept;
	return check_expr(c, n);
}

static const struct type *check_args_field(struct check *c, struct node *n,
					   const struct builtin *row)
{
	const struct profile *p = c->inst->profile;
	struct named_args from = { .row = row };
	struct arg_desc *arg;

	n->a->kind = N_CALL;
	n->a->builtin = row;
	n->a->type = &ty_void;
	if (p && p->missing.awaits_file)
		return check_awaited(c, n);
	if (p && row->flags & BI_VARS)
		from.list = p->vars;
	else if (p)
		from.list = p->args;
	if (p && p->missing.unseen && row->flags & BI_RECORD &&
	    (!n->name || !arg_find(&from.list, n->name)))
		return unseen_arg(c, n, p);
	if (!from.list.n && !(p && (from.list.v || row->flags & BI_VARS) && !p->missing.why))
		return no_args(c, n, p);
	if (c->in_callback)
		return diag_type(c, n->span, D_CTX_IN_LOOP, row->name);
	if (!n->name)
		return diag_type(c, n->span, D_UNKNOWN_FIELD, row->name,
				 arena_printf(c->arena, "%lld", (long long)n->value));
	arg = arg_find(&from.list, n->name);
	if (!arg)
		arg = find_return(c, n, &from);
	if (!arg)
		return unknown_arg(c, n, &from);
	if (arg->kept && n->aux != READ_NOW)
		return check_kept(c, n, arg);
	n->data = arg;
	return arg_type(c, n, arg);
}

/* The row of n if its fields are names of the probe's arguments; else NULL. */
static const struct builtin *args_row(const struct check *c, const struct node *a)
{
	const struct builtin *row = NULL;

	if (a->kind == N_CALL && a->builtin)
		row = a->builtin;
	else if (a->kind == N_IDENT || (a->kind == N_CALL && !a->a))
		row = env_builtin(c->env, a->name);
	if (row && row->flags & BI_READS_CTX && c->inst && c->inst->profile &&
	    c->inst->profile->kind == PROFILE_ITER)
		/* they are the members of struct bpf_iter__NAME */
		row = env_builtin(c->env, "args");
	return row && row->flags & (BI_RECORD | BI_VARS) ? row : NULL;
}

/* ---- fields */

static const struct type *check_tuple_index(struct check *c, struct node *n, const struct type *t,
					    s64 index)
{
	if (index < 0 || index >= t->n_fields)
		return diag_type(c, n->span, D_TUPLE_INDEX, (long long)index, t->n_fields);
	n->field = &t->fields[index];
	n->field_offset = n->field->offset;
	return n->field->type;
}

static const struct type *no_fields(struct check *c, struct node *n, const struct type *t)
{
	const char *name = n->name ? n->name : arena_printf(c->arena, "%lld", (long long)n->value);
	bool untyped = t->kind == TY_INT && n->a->kind == N_CALL && n->a->builtin &&
		       n->a->builtin->flags & BI_TRUSTED;
	struct diag *d;

	if (untyped) /* curtask has a type if the kernel has BTF */
		return diag_type(c, n->a->span, D_NO_KERNEL_TYPES,
				 arena_printf(c->arena, "%s.%s", n->a->name, name));
	d = check_report(c, n->span, D_NO_FIELDS, type_text(c, t), name);
	if (t->kind == TY_INT || (t->kind == TY_POINTER && t->elem->kind == TY_VOID))
		diag_help(c->diags, d, "cast it first: ((struct NAME *)...).%s", name);
	return &ty_error;
}

static const struct type *field_type(struct check *c, const struct field *f, const struct type *in,
				     enum space space)
{
	const struct type *t = in->kind == TY_STRUCT ? as_string(c, f->type) : f->type;

	if (f->from_user && t->kind == TY_POINTER)
		return type_in_space(c->arena, t, SPACE_USER);
	if (t->kind == TY_ARRAY)
		return t; /* its elements are checked again */
	return in_space_of(c, t, space);
}

static const struct type *check_typeinfo_field(struct check *c, struct node *n)
{
	u32 at;
	const struct field *f = n->name ? type_field(n->a->type, n->name, &at) : NULL;

	if (!f)
		return unknown_field(c, n, n->a->type);
	const char *s = streq(f->name, "full_type") ? n->a->str : n->a->data;

	n->is_const = true;
	n->str = s;
	n->str_len = (u32)strlen(s);
	return type_known_text(c->arena, n->str_len);
}

/* Fields of a struct are in the address space of the struct. */
static enum space space_of(struct check *c, const struct node *n)
{
	for (; n; n = n->a) {
		if (n->type && n->type->kind == TY_POINTER)
			return n->type->space;
		if (n->kind != N_FIELD && n->kind != N_INDEX && n->kind != N_UNARY)
			break;
	}
	/* a copy in our memory: its pointers belong to the probe's default space */
	return check_default_space(c);
}

/*
 * The argument, variable or result of which n is a member, not through a pointer; *at: its offset
 * there. NULL: none.
 */
static const struct arg_desc *member_of(const struct check *c, const struct node *n, u32 *at)
{
	*at = 0;
	for (; n->kind == N_FIELD && n->field && n->a->type && n->a->type->kind == TY_STRUCT;
	     n = n->a)
		*at += n->field_offset;
	if (n->kind == N_CALL && c->inst && streq(n->name, "retval"))
		return &c->inst->profile->retval;
	return n->kind == N_FIELD && n->data && args_row(c, n->a) ? n->data : NULL;
}

/* Whether no byte of [at, at + size) is in a piece without a location. */
static bool has_place(const struct arg_desc *arg, u32 at, u32 size)
{
	const struct loc_piece *p = arg->loc.piece;
	u32 begin = 0;

	for (u32 i = 0; i < arg->loc.n; begin += p[i++].size)
		if (p[i].loc.kind == LOC_NONE && begin < at + size && at < begin + p[i].size)
			return false;
	return begin >= at + size; /* bytes after the last piece have none either */
}

/* Of a value of which only a part has a location, members in that part are readable. */
static bool is_readable(struct check *c, struct node *n)
{
	u32 at;
	const struct arg_desc *arg = n->is_part_of ? NULL : member_of(c, n, &at);

	if (!arg || !arg->gap || has_place(arg, at, n->field->type->size))
		return true;
	check_report(c, n->span, D_UNREADABLE_ARG, n->name, arg->gap);
	return false;
}

/* $p->x of a virtual base becomes $p->Base.x. */
static bool through_virtual_base(struct check *c, struct node *n, const struct type *t)
{
	const struct field *base = type_virtual_base(t, n->name);
	struct node *step;

	if (!base)
		return false;
	step = node_new(c->arena, N_FIELD, n->span);
	step->name = base->name;
	step->a = n->a;
	n->a = step;
	return true;
}

/* The offset of a virtual base is stored in the object, so there must be an object. */
static bool is_in_object(struct check *c, struct node *n)
{
	if (!n->field->virtual_at || check_pointer_before(n))
		return true;
	check_report(c, n->span, D_UNREADABLE_ARG, n->name,
		     "the location of a virtual base is read from the object itself, "
		     "and this is a copy of it: use its address");
	return false;
}

static const struct type *check_member(struct check *c, struct node *n)
{
	const struct builtin *row = args_row(c, n->a);

	if (row)
		return check_args_field(c, n, row);
	n->a->is_part_of = n->a->kind == N_FIELD || n->a->kind == N_CALL || n->a->kind == N_IDENT;
	c->s->wants_key = n->a->kind == N_VAR && !n->name && !n->value;
	const struct type *t = check_value(c, n->a);
	enum space space = t->kind == TY_POINTER ? t->space : space_of(c, n->a);

	if (type_is_moot(t))
		return t;
	if (check_is_awaited(n->a))
		return check_awaited(c, n);
	if (n->a->kind == N_TYPEINFO)
		return check_typeinfo_field(c, n);
	if (t->kind == TY_POINTER)
		t = t->elem;
	type_complete(t);
	if (!n->name)
		return t->kind == TY_TUPLE || t->kind == TY_RECORD ?
			       check_tuple_index(c, n, t, n->value) :
			       no_fields(c, n, t);
	if (t->kind != TY_STRUCT && t->kind != TY_RECORD && t->kind != TY_TUPLE)
		return no_fields(c, n, n->a->type->kind == TY_POINTER ? n->a->type : t);
	n->field = check_struct_field(c, n->span, t, n->name, &n->field_offset);
	if (!n->field && through_virtual_base(c, n, t))
		return check_member(c, n);
	if (!n->field)
		return unknown_field(c, n, t);
	return is_in_object(c, n) && is_readable(c, n) ? field_type(c, n->field, t, space) :
							 &ty_error;
}

/* The member of a tuple or record of constants, as config().max_strlen, is a constant. */
static void fold_member(struct node *n)
{
	const struct node *m = n->a->a;

	if ((n->a->kind != N_TUPLE && n->a->kind != N_RECORD) || !fold_is_literal(n->a))
		return;
	for (s64 i = 0; m && (n->name ? !m->name || !streq(m->name, n->name) : i < n->value); i++)
		m = m->next;
	if (m && m->kind == N_NAMED)
		m = m->a;
	if (m && node_is_const_int(m))
		node_make_int(n, m->value, m->type);
	else if (m && node_is_const_str(m))
		node_make_str(n, m->str, m->str_len, m->type);
}

const struct type *check_field(struct check *c, struct node *n)
{
	const struct type *t = check_member(c, n);

	if (!type_is_moot(t) && n->kind == N_FIELD)
		fold_member(n);
	return n->kind == N_FIELD ? t : n->type;
}

/* ---- elements */

static const struct type *check_bounds(struct check *c, struct node *n, const struct type *t)
{
	u32 count = t->count - check_adds_nul(n->a);

	if (!node_is_const_int(n->b) || !t->count)
		return NULL;
	if (n->b->value >= 0 && n->b->value < count)
		return NULL;
	return diag_type(c, n->b->span, D_INDEX_RANGE, (long long)n->b->value, count);
}

static const struct type *check_element(struct check *c, struct node *n, const struct type *t)
{
	const struct type *bad = NULL;

	if (t->kind == TY_ARRAY || t->kind == TY_STRING || t->kind == TY_BUFFER)
		bad = check_bounds(c, n, t);
	if (bad)
		return bad;
	if (t->kind == TY_STRING)
		return &ty_s8;
	if (t->kind == TY_BUFFER)
		return &ty_u8;
	if (t->kind == TY_ARRAY)
		return in_space_of(c, as_string(c, t->elem), space_of(c, n->a));
	return check_deref(c, n, t);
}

/* $tuple[1] is $tuple.1; of a record it is the member at that index. */
static const struct type *check_part(struct check *c, struct node *n, const struct type *t)
{
	s64 index = n->b->value;
	const struct type *found;

	if (!node_is_const_int(n->b))
		return diag_type(c, n->b->span, D_TUPLE_CONST_INDEX);
	found = check_tuple_index(c, n, t, index);
	if (found->kind == TY_ERROR)
		return found;
	n->kind = N_FIELD;
	n->name = t->kind == TY_RECORD ? t->fields[index].name : NULL;
	n->value = index;
	n->b = NULL;
	return check_field(c, n);
}

const struct type *check_index(struct check *c, struct node *n)
{
	const struct type *i = check_value(c, n->b), *t;

	c->s->wants_key = n->a->kind == N_VAR && node_is_const_int(n->b) && !n->b->value;
	t = check_value(c, n->a);
	if (type_is_moot(t) || type_is_moot(i))
		return moot(t, i);
	if (check_is_awaited(n->a))
		return check_awaited(c, n);
	if (t->kind == TY_PROBE && !t->is_func)
		t = check_name_as_text(c, n->a);
	if (t->kind == TY_TUPLE || t->kind == TY_RECORD)
		return check_part(c, n, t);
	if (t->kind != TY_ARRAY && t->kind != TY_STRING && t->kind != TY_BUFFER &&
	    t->kind != TY_POINTER)
		return diag_type(c, n->span, D_NOT_INDEXABLE, type_text(c, t));
	if (!type_is_integer(i))
		return diag_type(c, n->b->span, D_INDEX_KIND, type_text(c, i));
	return check_element(c, n, t);
}

/* Older scripts read a word at an address of integer type: *$addr. */
static const struct type *word_pointer(struct check *c, struct node *n)
{
	struct node *cast = node_new(c->arena, N_CAST, n->a->span);

	cast->tref = arena_new(c->arena, struct type_ref);
	cast->tref->span = n->a->span;
	cast->tref->name = "uint64";
	vec_push(c->arena, &cast->tref->suffix, -1);
	cast->a = n->a;
	n->a = cast;
	return check_expr(c, cast);
}

const struct type *check_deref(struct check *c, struct node *n, const struct type *t)
{
	if (n->kind == N_UNARY && t->kind == TY_INT && t->size == 8 && !n->a->is_const)
		t = word_pointer(c, n);
	if (t->kind != TY_POINTER || t->elem->kind == TY_VOID || t->elem->kind == TY_FUNC ||
	    !type_complete(t->elem)->size) {
		struct diag *d = check_report(c, n->span, D_BAD_DEREF, type_text(c, t));

		if (t->kind == TY_INT || t->kind == TY_POINTER)
			diag_help(c->diags, d, "cast it to a pointer first: *(uint64 *)...");
		return &ty_error;
	}
	if (t->space == SPACE_BPF &&
	    t->elem->kind == TY_STRING) /* a variable or map of the script */
		return t->elem;
	return in_space_of(c, as_string(c, t->elem), t->space);
}
