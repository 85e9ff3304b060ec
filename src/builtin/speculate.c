/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Speculative output, like DTrace's: records carry the number of a speculation and are buffered in
 * user space until commit() or discard(). The records of commit() and discard() are never buffered.
 */
#include "builtin/builtin.h"

static struct ir_val lower_speculation(struct lower *l, struct node *call)
{
	struct opnd old;

	lower_data(l, 0, NULL); /* creates the data map */
	old = ir_emit(l, (struct ir_insn){ .op = IR_ATOMIC_FETCH_ADD,
					   .size = 8,
					   .arg = { o_data(l->prog->data_map, DATA_SPECULATION),
						    o_imm(1) } });
	return val_scalar(call->type, ir_ext(l, ir_op2(l, IR_ADD, old, o_imm(1)), 4, false));
}

static struct ir_val lower_speculate_call(struct lower *l, struct node *call)
{
	lower_speculate(l, ir_ext(l, lower_scalar(l, call_arg(call, 0)), 4, false));
	return val_scalar(&ty_void, o_imm(0));
}

static struct ir_val lower_decide(struct lower *l, struct node *call)
{
	struct event_desc *e = event_new(l, call->builtin, call);
	struct opnd number = lower_scalar(l, call_arg(call, 0));
	u32 field = event_field(l, e, &ty_u64);
	struct event_build eb;

	e->immediate = true;
	e->arg[0] = call->builtin->aux;
	eb = event_begin(l, e);
	ir_store(l, event_at(&eb, field), 8, number);
	event_end(l, &eb);
	lower_speculation_decided(l, ir_ext(l, number, 4, false));
	return val_scalar(&ty_void, o_imm(0));
}

static int act_decide(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	u64 number;

	memcpy(&number, (const u8 *)record + e->fields[0].offset, sizeof number);
	a->speculation(a->ctx, (u32)number, e->arg[0]);
	return 0;
}

static const struct action action_decide = { .name = "speculation", .act = act_decide };

static const struct builtin rows[] = {
	{
		.name = "speculation",
		.sig = "speculation() -> uint64",
		.brief = "start a speculation",
		.doc = "Returns a new number for speculate(): never 0, never the same twice.",
		.example =
			"begin { $s = speculation(); speculate($s); print(\"kept\"); commit($s); print($s); }",
		.output = "kept\n"
			  "1",
		.engines = ON_ALL,
		.lower = lower_speculation,
	},
	{
		.name = "speculate",
		.sig = "speculate(number: int)",
		.brief = "buffer the clause's output",
		.doc = "From here on, the output of this clause is buffered until any clause "
		       "calls commit() or discard() with the number. With 0, nothing is buffered.",
		.example =
			"begin { $s = speculation(); speculate($s); printf(\"slow\\n\"); commit($s); }",
		.output = "slow",
		.flags = BI_STATEMENT | BI_SPECULATES,
		.engines = ON_ALL,
		.lower = lower_speculate_call,
	},
	{
		.name = "commit",
		.sig = "commit(number: int)",
		.brief = "print buffered output",
		.doc = "Prints the output that is buffered for the number, in order.",
		.example =
			"begin { $s = speculation(); speculate($s); print(\"kept\"); commit($s); }",
		.output = "kept",
		.flags = BI_STATEMENT,
		.engines = ON_ALL,
		.lower = lower_decide,
		.action = &action_decide,
		.aux = 1,
	},
	{
		.name = "discard",
		.sig = "discard(number: int)",
		.brief = "drop buffered output",
		.doc = "Drops the output that is buffered for the number.",
		.example = "begin { $s = speculation(); speculate($s); print(\"dropped\"); "
			   "discard($s); } end { print(\"end\"); }",
		.output = "end",
		.flags = BI_STATEMENT,
		.engines = ON_ALL,
		.lower = lower_decide,
		.action = &action_decide,
		.aux = 0,
	},
};

const struct builtin_theme builtin_speculate = THEME("Speculation", rows);
