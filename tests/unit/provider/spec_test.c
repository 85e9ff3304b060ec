/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probe text: parts, quotes, names of providers, what is wrong. */
#include "fixture.h"

static void test_names(void)
{
	is_str(provider_find("tracepoint")->name, "tracepoint", "a name");
	is_str(provider_find("BEGIN")->name, "begin", "in any case");
	is_str(provider_find("u")->name, "uprobe", "alias u");
	is_str(provider_find("U")->name, "usdt", "alias U is another");
	is_str(provider_find("kr")->name, "kretprobe", "alias of two letters");
	is_str(provider_find("kfunc")->name, "fentry", "an old name");
	is_str(provider_find("kretfunc")->name, "fexit", "another");
	ok(!provider_find("tracepoin"), "no prefix");
	ok(!provider_find(""), "nothing");
	for (u32 i = 0; providers[i]; i++) {
		const struct provider *p = providers[i];

		ok(p->name && p->syntax && p->brief && p->doc && p->example && p->resolve &&
			   p->list && p->min_parts && p->max_parts >= p->min_parts,
		   "row of %s is complete", p->name);
		ok(provider_find(p->name) == p, "%s finds itself", p->name);
	}
}

static void test_split(struct fixture *x)
{
	struct spec *s = parse(x, "uprobe:/bin/app:cpp:\"run(int)::x\"");

	is_int(s->n_parts, 4, "a quoted colon separates nothing");
	is_str(s->part[3], "run(int)::x", "quotes are removed");
	is_str(s->text, "uprobe:/bin/app:cpp:run(int)::x", "also from the text");
	s = parse(x, "uprobe:\"/tmp/a \\\"b\\\"\":main");
	is_str(s->part[1], "/tmp/a \"b\"", "escapes");
	s = parse(x, "  hardware:cycles: ");
	is_int(s->n_parts, 2, "an empty last part is none");
	s = parse(x, "begin:*");
	is_int(s->n_parts, 1, "begin:* is begin");
	s = parse(x, "t:sched:sched_switch");
	is_str(s->provider->name, "tracepoint", "by alias");
	is_str(spec_name(&x->env, s), "tracepoint:sched:sched_switch", "canonical name");
	ok(!spec_has_wildcard(s, 1), "no wildcard");
}

static void test_faults(struct fixture *x)
{
	ok(!parse(x, "tracepont:a:b"), "unknown provider");
	is_str(said(x), "UNKNOWN_PROBE", "said");
	is_str(hint(x), "did you mean \"tracepoint\"?", "with the nearest");
	ok(!parse(x, "interval"), "too few parts");
	is_str(said(x), "PROBE_PARTS", "said");
	ok(!parse(x, "tracepoint:a:b:c"), "too many parts");
	ok(!parse(x, ""), "empty");
	ok(!parse(x, ":::::::::::"), "only colons");
	ok(parse(x, "kfunc:f") != NULL, "an old name is accepted");
	is_str(said(x), "OLD_PROBE", "with a note");
	is_int(x->diags.n_errors, 0, "that is no error");
}

static void test_numbers(void)
{
	u64 v = 7;

	ok(text_number("0x10", &v) && v == 16, "hexadecimal");
	ok(text_number("0b101", &v) && v == 5, "binary");
	ok(text_number("010", &v) && v == 8, "octal");
	ok(text_number("1_000", &v) && v == 1000, "separators");
	ok(text_number("18446744073709551615", &v) && v == UINT64_MAX, "the largest");
	ok(!text_number("18446744073709551616", &v), "too large");
	ok(!text_number("", &v) && !text_number("0x", &v) && !text_number("12z", &v) &&
		   !text_number("-1", &v) && !text_number("1_", &v),
	   "not numbers");
}

int main(void)
{
	struct fixture x;

	fixture_init(&x);
	test_names();
	test_split(&x);
	test_faults(&x);
	test_numbers();
	fixture_release(&x);
	return done();
}
