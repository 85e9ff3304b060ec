/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spelling of types. Input: a type; output: its text in the syntax of the language. */
#include "base/buf.h"
#include "type/type.h"

/* Kinds spelled in one word; a leading '?' becomes 'u' if unsigned, else nothing. */
static const char *const words[N_TYPE_KINDS] = {
	[TY_ERROR] = "<error>",
	[TY_UNKNOWN] = "none",
	[TY_VOID] = "void",
	[TY_BOOL] = "bool",
	[TY_INET] = "inet",
	[TY_FUNC] = "func",
	[TY_COUNT] = "count_t",
	[TY_SUM] = "?sum_t",
	[TY_MIN] = "?min_t",
	[TY_MAX] = "?max_t",
	[TY_AVG] = "?avg_t",
	[TY_STATS] = "?stats_t",
	[TY_HIST] = "hist_t",
	[TY_LHIST] = "lhist_t",
	[TY_LLHIST] = "llhist_t",
	[TY_TSERIES] = "tseries_t",
	[TY_SAMPLES] = "samples_t",
	[TY_CALL] = "argstr_t",
	[TY_KSTACK] = "kstack_t",
	[TY_USTACK] = "ustack_t",
	[TY_FULLSTACK] = "fullstack_t",
	[TY_KSYM] = "ksym_t",
	[TY_USYM] = "usym_t",
	[TY_USERNAME] = "username_t",
	[TY_TIMESTAMP] = "timestamp",
	[TY_MACADDR] = "macaddr_t",
	[TY_EVENT] = "event_t",
	[TY_CGROUP_PATH] = "cgroup_path_t",
	[TY_PROBE] = "probe",
	[TY_STACK_MODE] = "stack_mode",
	[TY_TIMESTAMP_MODE] = "timestamp_mode",
	[TY_MAP] = "map",
};

static void print_word(struct buf *b, const struct type *t)
{
	const char *w = words[t->kind];

	if (*w == '?') {
		if (!t->is_signed)
			buf_putc(b, 'u');
		w++;
	}
	buf_puts(b, w);
}

static void print_tag(struct buf *b, const char *what, const struct type *t)
{
	buf_puts(b, what);
	buf_putc(b, ' ');
	buf_puts(b, t->name && t->name[0] ? t->name : "<anonymous>");
}

static void print_fields(struct buf *b, const struct type *t)
{
	buf_putc(b, '(');
	for (u32 i = 0; i < t->n_fields; i++) {
		if (i)
			buf_putc(b, ',');
		if (t->kind == TY_RECORD) {
			buf_puts(b, t->fields[i].name);
			buf_putc(b, '=');
		}
		type_print(b, t->fields[i].type);
	}
	buf_putc(b, ')');
}

static void print_array(struct buf *b, const struct type *t)
{
	const struct type *inner = t;

	while (inner->kind == TY_ARRAY)
		inner = inner->elem;
	type_print(b, inner);
	for (; t->kind == TY_ARRAY; t = t->elem)
		buf_printf(b, "[%u]", t->count);
}

void type_print(struct buf *b, const struct type *t)
{
	switch (t->kind) {
	case TY_INT: buf_printf(b, "%sint%u", t->is_signed ? "" : "u", t->size * 8); return;
	case TY_FLOAT: buf_puts(b, t->size == 4 ? "float" : "double"); return;
	case TY_ENUM: print_tag(b, "enum", t); return;
	case TY_STRING: buf_printf(b, "string[%u]", t->count); return;
	case TY_BUFFER: buf_printf(b, "buffer[%u]", t->count); return;
	case TY_POINTER:
		type_print(b, t->elem);
		buf_puts(b, t->elem->kind == TY_POINTER ? "*" : " *");
		return;
	case TY_ARRAY: print_array(b, t); return;
	case TY_STRUCT: print_tag(b, t->is_union ? "union" : "struct", t); return;
	case TY_TUPLE:
	case TY_RECORD: print_fields(b, t); return;
	default:
		buf_puts(b, "");
		if (t->kind < N_TYPE_KINDS && words[t->kind])
			print_word(b, t);
		return;
	}
}

const char *type_str(struct arena *a, const struct type *t)
{
	struct buf b = { 0 };
	const char *s;

	type_print(&b, t);
	s = arena_strndup(a, b.s, b.len);
	buf_release(&b);
	return s;
}

static const char *tag_of(const struct type *t)
{
	return t->kind == TY_ENUM ? "enum " : t->is_union ? "union " : "struct ";
}

static void print_c_words(struct buf *b, const struct type *t)
{
	switch (t->kind) {
	case TY_POINTER:
		print_c_words(b, t->elem);
		buf_puts(b, t->elem->kind == TY_POINTER ? "*" : " *");
		break;
	case TY_ARRAY: print_c_words(b, t->elem); break;
	case TY_STRING: buf_puts(b, "char"); break;
	case TY_FUNC: buf_puts(b, "void"); break;
	case TY_STRUCT:
	case TY_ENUM: buf_printf(b, "%s%s", tag_of(t), t->name ? t->name : "{...}"); break;
	default:
		if (t->kind == TY_INT && t->name)
			buf_puts(b, t->name);
		else
			type_print(b, t);
		break;
	}
}

void type_print_c(struct buf *b, const struct type *t, const char *name)
{
	print_c_words(b, t);
	if (*name)
		buf_printf(b, " %s", name);
	if (t->kind == TY_STRING)
		buf_printf(b, "[%u]", t->count);
	for (; t->kind == TY_ARRAY; t = t->elem)
		buf_printf(b, "[%u]", t->count);
}
