/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -f json: an object in a line for each call, when it ends; what it called comes before it, one
 * deeper.
 *
 *	{"type": "call", "data": {"tid": 7, "depth": 1, "function": "leaf", "begin": 81234567890, "ns": 653, "args": "n=2", "result": "3"}}
 *	{"type": "function", "data": {"function": "leaf", "calls": 3, "ns": 1959, "self_ns": 1959}}	--report
 *	{"type": "path", "data": {"depth": 1, "function": "leaf", "calls": 3, "ns": 1959}}	--graph
 *
 * "return_seen": false: something else showed that it has ended. "ns": null: it has not returned.
 */
#include "base/json.h"
#include "cli/flow/flow.h"

static void put_text(struct buf *b, const char *name, const char *text)
{
	if (!text)
		return;
	buf_printf(b, ", \"%s\": ", name);
	json_strz(b, text);
}

static void put_head(const struct flow *f, struct buf *b, const struct flow_thread *th, u32 depth)
{
	const struct flow_frame *frame = &th->open.v[depth];

	buf_printf(b, "{\"type\": \"call\", \"data\": {\"tid\": %u, \"depth\": %u, \"function\": ",
		   th->tid, depth);
	json_strz(b, flow_name(f, frame->function));
	buf_puts(b, frame->in_kernel ? ", \"in_kernel\": true" : "");
	buf_printf(b, ", \"begin\": %llu, \"ns\": ", (unsigned long long)frame->ns);
}

void flow_json_end(struct flow *f, struct flow_thread *th, const struct flow_end *end)
{
	u32 depth = th->open.n - 1;
	const struct flow_frame *top = &th->open.v[depth];
	u64 took = end->ns - top->ns;
	struct buf *b = &f->s->out;

	if (took < f->over_ns || (f->depth && depth >= f->depth))
		return;
	put_head(f, b, th, depth);
	json_u64(b, took);
	put_text(b, "args", end->args ? end->args : top->args);
	put_text(b, "result", end->result);
	buf_puts(b, end->unseen ? ", \"return_seen\": false}}\n" : "}}\n");
	sink_item(f->s);
}

void flow_json_unfinished(struct flow *f, struct flow_thread *th, u32 i)
{
	const struct flow_frame *frame = &th->open.v[i];

	if ((f->depth && i >= f->depth) || th->last_ns - frame->ns < f->over_ns)
		return;
	put_head(f, &f->s->out, th, i);
	buf_puts(&f->s->out, "null");
	put_text(&f->s->out, "args", frame->args);
	buf_puts(&f->s->out, "}}\n");
	sink_item(f->s);
}

void flow_json_sum(struct buf *b, const char *name, const struct flow_sum *sum)
{
	buf_puts(b, "{\"type\": \"function\", \"data\": {\"function\": ");
	json_strz(b, name);
	buf_printf(b, ", \"calls\": %llu, \"ns\": %llu, \"self_ns\": %llu}}\n",
		   (unsigned long long)sum->calls, (unsigned long long)sum->ns,
		   (unsigned long long)sum->self_ns);
}

void flow_json_node(struct buf *b, const char *name, const struct flow_node *node, u32 depth)
{
	buf_printf(b, "{\"type\": \"path\", \"data\": {\"depth\": %u, \"function\": ", depth);
	json_strz(b, name);
	buf_printf(b, ", \"calls\": %llu, \"ns\": %llu}}\n", (unsigned long long)node->calls,
		   (unsigned long long)node->ns);
}
