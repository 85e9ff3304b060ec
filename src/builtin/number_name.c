/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of numbers: errno, signals, system calls.
 *
 * The texts are a table in the data map with rows of equal size. The program copies the row of the
 * number, or for unknown numbers the last row.
 */
#include "builtin/text.h"

enum { MAX_ROWS = 520 };

struct text_table {
	u8 *bytes;
	u32 n;   /* rows, without the one for unknown numbers */
	u32 row; /* bytes of a row */
};

static const char *text_of(struct check *c, enum world_text table, u32 n)
{
	const struct world *w = &c->env->world;

	return w->text_of ? w->text_of(w->ctx, table, n) : NULL;
}

/* A row's aux: the table (enum world_text) and flags. */
enum {
	EMPTY_IF_NONE = 256,    /* 0 has no name: errname is empty if the call succeeded */
	ANY_SIGN = 512,         /* the sign does not matter: results of system calls are negative */
	UNKNOWN_ERROR = 1024,   /* the name of unknown numbers */
	UNKNOWN_SYSCALL = 2048, /* likewise */
	AUX_FLAGS = 4096 - 256
};

static enum world_text table_of(const struct node *call)
{
	return (enum world_text)(call->builtin->aux & ~(u32)AUX_FLAGS);
}

static const char *no_text(const struct node *call)
{
	u64 aux = call->builtin->aux;

	return aux & EMPTY_IF_NONE   ? "" :
	       aux & UNKNOWN_ERROR   ? "Unknown error" :
	       aux & UNKNOWN_SYSCALL ? "Unknown syscall" :
				       "N/A";
}

static const char *text_or_none(struct check *c, const struct node *call, s64 n)
{
	bool none = n < 0 || n >= MAX_ROWS || (!n && (call->builtin->aux & EMPTY_IF_NONE));
	const char *text = none ? NULL : text_of(c, table_of(call), (u32)n);

	return text ? text : no_text(call);
}

/* A text is valid until the next call, so each is copied immediately. */
static struct text_table *make_table(struct check *c, const struct node *call)
{
	struct text_table *t = arena_new(c->arena, struct text_table);
	const char *text[MAX_ROWS], *none = no_text(call);
	u32 longest = (u32)strlen(none);

	for (u32 i = 0; i < MAX_ROWS; i++) {
		text[i] = arena_strdup(c->arena, text_or_none(c, call, i));
		longest = MAX(longest, (u32)strlen(text[i]));
		t->n = streq(text[i], none) ? t->n : i + 1;
	}
	t->row = ALIGN_UP(longest + 1, 8u);
	t->bytes = arena_array(c->arena, u8, (t->n + 1) * t->row);
	for (u32 i = 0; i < t->n; i++)
		memcpy(t->bytes + i * t->row, text[i], strlen(text[i]));
	memcpy(t->bytes + t->n * t->row, none, strlen(none));
	return t;
}

static const struct type *check_text(struct check *c, struct node *call)
{
	struct node *n = call_arg(call, 0);
	const char *text;

	if (n && n->is_const) {
		if (n->value < 0 && call->builtin->aux & ANY_SIGN)
			n->value = -n->value;
		text = arena_strdup(c->arena, text_or_none(c, call, n->value));
		node_make_str(call, text, (u32)strlen(text),
			      type_string(c->arena, (u32)strlen(text) + 1));
		return call->type;
	}
	if (!call->data)
		call->data = make_table(c, call);
	return type_string(c->arena, ((struct text_table *)call->data)->row);
}

/* errname: of the returning system call, or of a number with any sign. */
static const struct type *check_errname(struct check *c, struct node *call)
{
	const struct profile *p = c->inst ? c->inst->profile : NULL;
	struct node *n = call_arg(call, 0);

	if (!n && (!p || !p->syscall.decoded || p->retval.loc.kind == LOC_NONE))
		return diag_type(c, call->span, D_NO_ERRNAME,
				 c->inst && c->inst->provider ? c->inst->provider : "this kind");
	return check_text(c, call);
}

/* Index of the row: |n|; without an argument, -retval if it is negative, else 0. */
static struct opnd text_index(struct lower *l, struct node *call)
{
	struct node *n = call_arg(call, 0);
	struct opnd v = n ? lower_scalar(l, n) : lower_loc(l, &l->profile->retval).o, sign;

	if (!(call->builtin->aux & ANY_SIGN))
		return v;
	sign = ir_op2(l, IR_SAR, v, o_imm(63)); /* all ones if negative */
	if (!n)
		return ir_op2(l, IR_AND, ir_op2(l, IR_SUB, o_imm(0), v), sign);
	return ir_op2(l, IR_SUB, ir_op2(l, IR_XOR, v, sign), sign);
}

static struct ir_val lower_text(struct lower *l, struct node *call)
{
	const struct text_table *t = call->data;
	bool canonical;
	struct opnd dst = lower_dest(l, call->type, &canonical), off, n;
	u32 table = data_table(l, t->bytes, (t->n + 1) * t->row);
	struct ir_val v = val_memory(call->type, dst);

	n = ir_at_most(l, text_index(l, call), t->n);
	off = ir_op2(l, IR_MUL, n, o_imm(t->row));
	ir_copy(l, dst, ir_op2(l, IR_ADD, ir_addr(l, o_data(l->prog->data_map, table)), off),
		t->row);
	v.clean = true;
	return v;
}

#define TEXT_ROW(name_, sig_, brief_, doc_, example_, output_, table_)                             \
	{                                                                                          \
		.name = name_, .sig = sig_, .brief = brief_, .doc = doc_, .example = example_,     \
		.output = output_, .engines = ON_ALL, .check = check_text, .lower = lower_text,    \
		.aux = table_,                                                                     \
	}

static const struct builtin rows[] = {
	TEXT_ROW(
		"strerror", "strerror(errno: int) -> string", "text of an error number",
		"\"No such file or directory\" for 2 and for -2; \"Unknown error\" for unknown numbers.",
		"begin { print(strerror(2)); $e = 13; print(strerror($e)); }",
		"No such file or directory\n"
		"Permission denied",
		TEXT_ERRNO | ANY_SIGN | UNKNOWN_ERROR),
	TEXT_ROW(
		"errno_name", "errno_name(errno: int) -> string", "symbol of an error number",
		"\"ENOENT\" for 2, 0 for 0, \"ERESTARTSYS\" for 512, which a call that a signal interrupts returns "
		"within the kernel; N/A for unknown numbers.",
		"begin { print(errno_name(2)); $e = 13; print(errno_name($e)); }",
		"ENOENT\n"
		"EACCES",
		TEXT_ERRNO_NAME),
	TEXT_ROW(
		"sigabbrev", "sigabbrev(signal: int) -> string", "symbol of a signal, without SIG",
		"\"INT\" for 2 and \"RTMIN+1\" for 35, as kill(1) spells them; N/A for unknown numbers.",
		"begin { print(sigabbrev(2)); $s = 9; print(sigabbrev($s)); }",
		"INT\n"
		"KILL",
		TEXT_SIGNAL_ABBREV),
	{
		.name = "errname",
		.sig = "errname(errno: int = 0) -> string",
		.brief = "name of an error",
		.doc = "In syscall return probes, the name of the call's error, such as ENOENT; "
		       "empty if the call succeeded. errname(n) is the name of a number, which "
		       "may be negative.",
		.example = "begin { print(errname(2)); }",
		.output = "ENOENT",
		.flags = BI_VARIABLE | BI_READS_ARGS,
		.engines = ON_ALL,
		.check = check_errname,
		.lower = lower_text,
		.aux = TEXT_ERRNO_NAME | EMPTY_IF_NONE | ANY_SIGN,
	},
	TEXT_ROW("signal_name", "signal_name(signal: int) -> string", "name of a signal",
		 "\"Interrupt\" for 2; N/A for unknown numbers.",
		 "begin { print(signal_name(2)); $s = 9; print(signal_name($s)); }",
		 "Interrupt\n"
		 "Killed",
		 TEXT_SIGNAL),
	TEXT_ROW("syscall_name", "syscall_name(number: int) -> string", "name of a system call",
		 "\"read\" for 0 on x86-64; \"Unknown syscall\" for unknown numbers.",
		 "begin { print(syscall_name(0)); $n = 1; print(syscall_name($n)); }",
		 "read\n"
		 "write",
		 TEXT_SYSCALL | UNKNOWN_SYSCALL),
};

const struct builtin_theme builtin_number_name = THEME("Names of numbers", rows);
