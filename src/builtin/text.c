/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers to texts: errno, signals, system calls. The texts lie in the data map, in rows of one size;
 * the probe copies the row of the number, or the last one, which stands for all others.
 */
#include "builtin/text.h"

enum { MAX_ROWS = 512 };

struct text_table {
	u8 *bytes;
	u32 n, row; /* rows, without the one for all others; bytes of each */
};

static const char *text_of(struct check *c, enum world_text table, u32 n)
{
	const struct world *w = &c->env->world;

	return w->text_of ? w->text_of(w->ctx, table, n) : NULL;
}

/* What libc says of a number may lie in a buffer of its own: each text is copied at once. */
static struct text_table *make_table(struct check *c, enum world_text table)
{
	struct text_table *t = arena_new(c->arena, struct text_table);
	const char *text[MAX_ROWS + 1] = { 0 };
	u32 longest = (u32)strlen("N/A");

	for (u32 i = 0; i < MAX_ROWS; i++) {
		const char *s = text_of(c, table, i);

		text[i] = s ? arena_strdup(c->arena, s) : "N/A";
		longest = MAX(longest, (u32)strlen(text[i]));
		t->n = s ? i + 1 : t->n;
	}
	t->row = ALIGN_UP(longest + 1, 8u);
	t->bytes = arena_array(c->arena, u8, (t->n + 1) * t->row);
	for (u32 i = 0; i < t->n; i++)
		memcpy(t->bytes + i * t->row, text[i], strlen(text[i]));
	memcpy(t->bytes + t->n * t->row, "N/A", 3);
	return t;
}

static const struct type *check_text(struct check *c, struct node *call)
{
	struct node *n = call_arg(call, 0);
	enum world_text table = (enum world_text)call->builtin->aux;
	const char *text;

	if (n->is_const) {
		text = n->value >= 0 && n->value < MAX_ROWS ? text_of(c, table, (u32)n->value) : NULL;
		text = arena_strdup(c->arena, text ? text : "N/A");
		node_make_str(call, text, (u32)strlen(text), type_string(c->arena, (u32)strlen(text) + 1));
		return call->type;
	}
	if (!call->data)
		call->data = make_table(c, table);
	return type_string(c->arena, ((struct text_table *)call->data)->row);
}

static struct ir_val lower_text(struct lower *l, struct node *call)
{
	const struct text_table *t = call->data;
	bool canonical;
	struct opnd dst = lower_dest(l, call->type, &canonical), off, n;
	u32 table = data_table(l, t->bytes, (t->n + 1) * t->row);
	struct ir_val v = val_memory(call->type, dst);

	n = at_most(l, lower_scalar(l, call_arg(call, 0)), t->n);
	off = ir_op2(l, IR_MUL, n, o_imm(t->row));
	ir_copy(l, dst, ir_op2(l, IR_ADD, ir_addr(l, o_data(l->prog->data_map, table)), off), t->row);
	v.clean = true;
	return v;
}

#define TEXT_ROW(name_, sig_, brief_, doc_, example_, table_)                                      \
	{                                                                                          \
		.name = name_, .sig = sig_, .brief = brief_, .doc = doc_, .example = example_,     \
		.engines = ON_ALL, .check = check_text, .lower = lower_text, .aux = table_,        \
	}

static const struct builtin rows[] = {
	TEXT_ROW("strerror", "strerror(errno: int) -> string", "text of an error number",
		 "\"No such file or directory\" for 2; N/A for numbers that are none. Results of system calls are "
		 "negative: strerror(-args.ret).",
		 "begin { print(strerror(2)); $e = 13; print(strerror($e)); }", TEXT_ERRNO),
	TEXT_ROW("errno_name", "errno_name(errno: int) -> string", "symbol of an error number",
		 "\"ENOENT\" for 2, 0 for 0; N/A for numbers that are none.",
		 "begin { print(errno_name(2)); $e = 13; print(errno_name($e)); }", TEXT_ERRNO_NAME),
	TEXT_ROW("sigabbrev", "sigabbrev(signal: int) -> string", "symbol of a signal, without SIG",
		 "\"INT\" for 2, as kill(1) spells it; N/A for numbers that are none.",
		 "begin { print(sigabbrev(2)); $s = 9; print(sigabbrev($s)); }", TEXT_SIGNAL_ABBREV),
	TEXT_ROW("signal_name", "signal_name(signal: int) -> string", "name of a signal",
		 "\"Interrupt\" for 2; N/A for numbers that are none.",
		 "begin { print(signal_name(2)); $s = 9; print(signal_name($s)); }", TEXT_SIGNAL),
	TEXT_ROW("syscall_name", "syscall_name(number: int) -> string", "name of a system call",
		 "\"read\" for 0 on x86-64; N/A for numbers that are none.",
		 "tracepoint:raw_syscalls:sys_enter { @[syscall_name(args.id)] = count(); }", TEXT_SYSCALL),
};

const struct builtin_theme builtin_text = THEME("Names of numbers", rows);
