/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outputs that write one document at the end: speedscope in full, the data in a page, what is not a
 * profile. */
#include "output/fixture.h"

static struct table *two_stacks(const char *name)
{
	const struct type *k = type_stack(&fx, TY_KSTACK, STACK_MODE_SONDE, 127);
	struct table *t = fx_table(name, fx_tuple2(&ty_comm, k), type_agg(&fx, TY_SUM, true));
	struct key {
		char comm[16];
		struct stack_value k;
	};
	static const struct key deep = { "</a>\"", { 1, 0, 2 } }, flat = { "</a>\"", { 0, 0, 0 } },
				negative = { "x", { 0, 0, 0 } };

	fx_row(t, &deep, &(struct agg_sum){ 3, 1 });
	fx_row(t, &flat, &(struct agg_sum){ 4, 1 });
	fx_row(t, &negative, &(struct agg_sum){ -1, 1 });
	return t;
}

static const char *document(const char *output)
{
	fx_sink.output = output_find(output);
	fx_sink.output->attached(&fx_sink, 1);
	fx_show(two_stacks("@us"));
	fx_show(two_stacks("@us"));
	fx_sink.output->text(&fx_sink, TEXT_PRINTF, "said <b>\n", 9);
	is_str(fx_take(), "", "%s: nothing before the end", output);
	fx_sink.output->end(&fx_sink);
	fx_sink.output->close(&fx_sink);
	return fx_take();
}

static void speedscope(void)
{
	is_str(strstr(document("speedscope"), "\"shared\""),
	       "\"shared\":{\"frames\":[{\"name\":\"</a>\\\"\"},\n"
	       "{\"name\":\"do_sys_open\",\"file\":\"kernel\"},\n"
	       "{\"name\":\"vfs_read\",\"file\":\"kernel\"},\n"
	       "{\"name\":\"</a>\\\"\"},\n"
	       "{\"name\":\"do_sys_open\",\"file\":\"kernel\"},\n"
	       "{\"name\":\"vfs_read\",\"file\":\"kernel\"}]},\n"
	       "\"profiles\":[{\"type\":\"sampled\",\"name\":\"@us\",\"unit\":\"microseconds\",\"startValue\":0,"
	       "\"endValue\":7,\n"
	       "\"samples\":[[0],\n[0,1,2]],\n\"weights\":[4,3]},\n"
	       "{\"type\":\"sampled\",\"name\":\"@us 2\",\"unit\":\"microseconds\",\"startValue\":0,\"endValue\":7,\n"
	       "\"samples\":[[3],\n[3,4,5]],\n\"weights\":[4,3]}]}\n",
	       "two profiles with frames of their own");
}

static void html(void)
{
	const char *page = document("html"), *data = strstr(page, "id=\"data\">{");

	ok(data && !strncmp(page, "<!doctype html>", 15), "a page with data");
	ok(data && strstr(data, "\"notes\":\"said \\u003cb>\\n\","), "what the script printed");
	ok(data && strstr(data,
			  "\"frames\":[[0,\"\\u003c/a>\\\"\",\"\"],\n[2,\"do_sys_open\",\"kernel\"],"),
	   "no name ends the element");
	ok(data && strstr(data, "\"left_out\":1,"), "negative numbers are counted");
	ok(data && strstr(data, "\"parent\":[0,0,1,2],\n\"frame\":[0,0,1,2],\n\"self\":[0,4,0,3]"),
	   "the nodes");
	ok(strstr(page, "</html>"), "the end");
}

static void not_attached(void)
{
	fx_sink.output = output_find("html");
	FX_ERR(fx_sink.output->message(&fx_sink, LEVEL_WARNF, fx_span, "m"));
	fx_sink.output->close(&fx_sink);
	is_str(fx_take(), "", "no document of a run that failed");
}

static void suffixes(void)
{
	static const char *const of[][2] = {
		{ "a.html", "html" },
		{ "a.pb.gz", "pprof" },
		{ "a.speedscope.json", "speedscope" },
		{ "a.json", "json" },
		{ "a.tar/b.folded", "folded" },
		{ "a.tree", "tree" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(of); i++)
		ok(output_by_suffix(of[i][0]) == output_find(of[i][1]), "%s", of[i][0]);
	ok(!output_by_suffix("a.gz") && !output_by_suffix("html") && !output_by_suffix("a.pprof"),
	   "no suffixes");
}

int main(void)
{
	fx_open("html");
	speedscope();
	html();
	not_attached();
	suffixes();
	fx_close();
	return done();
}
