/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --args of functions of the kernel. In: registers of arguments, the result. Out: text by BTF. All
 * functions share a program, so types are applied when a record is printed.
 */
#include "cli/flow/flow.h"
#include "session/system.h"
#include "sym/btf.h"

struct flow_signature {
	struct btf_param params[FLOW_WORDS];
	int n; /* negative: not known */
	const struct type *result;
};

static const struct flow_signature *signature_of(struct flow *f, u32 function)
{
	struct btf *btf = system_btf(&f->system);
	struct flow_signature *s = hash_get(&f->signatures, &function, sizeof function);
	u32 *key;

	if (s)
		return s;
	s = arena_new(&f->t.c->line.arena, struct flow_signature);
	key = arena_dup(&f->t.c->line.arena, &function, sizeof function);
	s->n = btf ? btf_func(btf, flow_name(f, function), s->params, FLOW_WORDS, &s->result,
			      NULL) :
		     -1;
	hash_put(&f->signatures, key, sizeof *key, s);
	return s;
}

void flow_put_kernel_args(struct flow *f, struct buf *b, u32 function, const u64 *words)
{
	const struct flow_signature *s = signature_of(f, function);

	for (int i = 0; i < s->n; i++) {
		const struct type *t = s->params[i].type;

		buf_puts(b, i ? ", " : "");
		if (i == FLOW_WORDS || !type_is_scalar(t)) { /* the others may be elsewhere */
			buf_puts(b, "...");
			return;
		}
		buf_printf(b, "%s=", s->params[i].name);
		trace_put_value(b, f->s->names, t, &words[i]);
	}
}

void flow_put_kernel_result(struct flow *f, struct buf *b, u32 function, u64 word)
{
	const struct flow_signature *s = signature_of(f, function);

	if (s->n >= 0 && s->result && type_is_scalar(s->result))
		trace_put_value(b, f->s->names, s->result, &word);
}
