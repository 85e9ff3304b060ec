/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree as text (-d ast): one node per line, children indented by two, with types after
 * checking. The dump does not depend on the layout of the script.
 *
 *	probe tracepoint:sched:sched_switch
 *	  if
 *	    == : bool
 *	      ident pid
 *	      int 1
 */
#include "base/buf.h"
#include "base/json.h"
#include "lang/ast.h"

static const char *const kinds[N_NODE_KINDS] = {
	[N_INT] = "int",
	[N_STR] = "string",
	[N_BOOL] = "bool",
	[N_IDENT] = "ident",
	[N_VAR] = "var",
	[N_MAP] = "map",
	[N_PARAM] = "param",
	[N_UNARY] = "unary",
	[N_BINARY] = "binary",
	[N_INCDEC] = "step",
	[N_COND] = "cond",
	[N_FIELD] = "field",
	[N_INDEX] = "index",
	[N_CALL] = "call",
	[N_CAST] = "cast",
	[N_SIZEOF] = "sizeof",
	[N_OFFSETOF] = "offsetof",
	[N_FIELD_EXISTS] = "field-exists",
	[N_TYPEOF] = "typeof",
	[N_TYPEINFO] = "typeinfo",
	[N_COMPTIME] = "comptime",
	[N_TUPLE] = "tuple",
	[N_RECORD] = "record",
	[N_NAMED] = "named",
	[N_TYPE] = "type",
	[N_BLOCK_EXPR] = "block-value",
	[N_EXPR] = "expr",
	[N_ASSIGN] = "assign",
	[N_LET] = "let",
	[N_DISCARD] = "discard",
	[N_IF] = "if",
	[N_WHILE] = "while",
	[N_UNROLL] = "unroll",
	[N_FOR] = "for",
	[N_BREAK] = "break",
	[N_CONTINUE] = "continue",
	[N_RETURN] = "return",
	[N_BLOCK] = "block",
	[N_IMPORT] = "import",
	[N_MISFIT] = "misfit",
};

static void put_line(struct buf *b, u32 indent, const char *label, const char *name)
{
	buf_pad(b, ' ', 2 * (size_t)indent);
	buf_puts(b, label);
	if (name)
		buf_printf(b, " %s", name);
}

static void put_suffix(struct buf *b, s64 n)
{
	if (n == -1)
		buf_puts(b, "*");
	else if (n < 0)
		buf_puts(b, "[]");
	else
		buf_printf(b, "[%lld]", (long long)n);
}

static void put_tref(struct buf *b, const struct type_ref *t, u32 indent)
{
	const char *tag = t->tag == 's' ? "struct " :
			  t->tag == 'u' ? "union " :
			  t->tag == 'e' ? "enum " :
					  "";

	buf_pad(b, ' ', 2 * (size_t)indent);
	buf_printf(b, "as %s%s", tag, t->name ? t->name : "typeof");
	for (u32 i = 0; i < t->suffix.n; i++)
		put_suffix(b, t->suffix.v[i]);
	buf_putc(b, '\n');
	if (t->of)
		ast_dump_node(b, t->of, indent + 1);
	if (t->of_type)
		put_tref(b, t->of_type, indent + 1);
}

static void put_string(struct buf *b, const char *s, u32 len)
{
	buf_puts(b, " \"");
	json_escape(b, s, len);
	buf_putc(b, '"');
}

static void put_number(struct buf *b, const struct node *n)
{
	if (n->value < 0 && n->str)
		buf_printf(b, " %llu", (unsigned long long)n->value);
	else
		buf_printf(b, " %lld", (long long)n->value);
}

/* The attributes of a node other than its children. */
static void put_detail(struct buf *b, const struct node *n)
{
	switch (n->kind) {
	case N_INT: put_number(b, n); break;
	case N_STR:
	case N_IMPORT: put_string(b, n->str, n->str_len); break;
	case N_BOOL: buf_puts(b, n->value ? " true" : " false"); break;
	case N_VAR: buf_printf(b, " $%s", n->name); break;
	case N_MAP: buf_printf(b, " @%s", n->name); break;
	case N_PARAM: buf_printf(b, n->value ? " $%lld" : " $#", (long long)n->value); break;
	case N_FIELD:
		if (n->name)
			buf_printf(b, " %s", n->name);
		else
			buf_printf(b, " %lld", (long long)n->value);
		break;
	case N_IDENT:
	case N_CALL:
	case N_NAMED: buf_printf(b, " %s", n->name); break;
	case N_UNARY:
	case N_BINARY: buf_printf(b, " %s", op_text(n->op)); break;
	case N_INCDEC: buf_printf(b, " %s%s", n->is_prefix ? "before " : "", op_text(n->op)); break;
	case N_COND: buf_puts(b, n->is_elvis ? " ?:" : ""); break;
	case N_ASSIGN: buf_printf(b, " %s=", op_text(n->op)); break;
	case N_INDEX:
	case N_CAST:
	case N_SIZEOF:
	case N_OFFSETOF:
	case N_FIELD_EXISTS:
	case N_TYPEOF:
	case N_TYPEINFO:
	case N_COMPTIME:
	case N_TUPLE:
	case N_RECORD:
	case N_TYPE:
	case N_BLOCK_EXPR:
	case N_EXPR:
	case N_LET:
	case N_DISCARD:
	case N_IF:
	case N_WHILE:
	case N_UNROLL:
	case N_FOR:
	case N_BREAK:
	case N_CONTINUE:
	case N_RETURN:
	case N_BLOCK:
	case N_MISFIT:
	case N_NODE_KINDS: break;
	}
}

static void put_list(struct buf *b, const struct node *n, u32 indent)
{
	for (; n; n = n->next)
		ast_dump_node(b, n, indent);
}

void ast_dump_node(struct buf *b, const struct node *n, u32 indent)
{
	put_line(b, indent, kinds[n->kind], NULL);
	put_detail(b, n);
	if (n->type) {
		buf_puts(b, " : ");
		type_print(b, n->type);
	}
	buf_putc(b, '\n');
	if (n->tref)
		put_tref(b, n->tref, indent + 1);
	if (n->kind == N_FOR) /* the variable first */
		put_list(b, n->c, indent + 1);
	put_list(b, n->a, indent + 1);
	put_list(b, n->b, indent + 1);
	if (n->kind != N_FOR)
		put_list(b, n->c, indent + 1);
	put_list(b, n->d, indent + 1);
}

static void put_clause(struct buf *b, const struct clause *c)
{
	for (const struct attach *at = c->attaches; at; at = at->next) {
		put_line(b, 0, "probe", at->text);
		if (at->user_name)
			buf_printf(b, " named %s", at->user_name);
		buf_putc(b, '\n');
	}
	if (c->predicate) {
		buf_puts(b, "  predicate\n");
		ast_dump_node(b, c->predicate, 2);
	}
	ast_dump_node(b, c->body, 1);
}

static void put_macro(struct buf *b, const struct macro *m)
{
	put_line(b, 0, "macro", m->name);
	for (u32 i = 0; i < m->params.n; i++) {
		enum node_kind kind = m->params.v[i].kind;

		buf_printf(b, " %s%s",
			   kind == N_VAR ? "$" :
			   kind == N_MAP ? "@" :
					   "",
			   m->params.v[i].name);
	}
	buf_putc(b, '\n');
	ast_dump_node(b, m->body, 1);
}

static void put_function(struct buf *b, const struct function *f)
{
	put_line(b, 0, "fn", f->name);
	buf_putc(b, '\n');
	for (u32 i = 0; i < f->params.n; i++)
		ast_dump_node(b, f->params.v[i], 1);
	put_tref(b, f->result, 1);
	ast_dump_node(b, f->body, 1);
}

static void put_head(struct buf *b, const struct script *s)
{
	for (const struct c_text *c = s->c_texts; c; c = c->next)
		buf_printf(b, "C %s\n", c->text);
	for (const struct config_item *i = s->config; i; i = i->next)
		buf_printf(b, "config %s = %s\n", i->key, i->value);
	for (const struct import *i = s->imports; i; i = i->next)
		buf_printf(b, "import %s\n", i->path);
	for (const struct map_decl *m = s->map_decls; m; m = m->next) {
		buf_printf(b, "map @%s = %s\n", m->map, m->kind);
		ast_dump_node(b, m->max_entries, 1);
	}
}

void ast_dump(struct buf *b, const struct script *s)
{
	put_head(b, s);
	for (const struct macro *m = s->macros; m; m = m->next)
		put_macro(b, m);
	for (const struct function *f = s->functions; f; f = f->next)
		put_function(b, f);
	for (const struct clause *c = s->clauses; c; c = c->next)
		put_clause(b, c);
}
