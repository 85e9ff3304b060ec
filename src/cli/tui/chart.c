/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is computed over many events: histograms (view/values.h), and sums as sonde report prints
 * them, over the range between the markers. A child process prints them.
 */
#include <unistd.h>
#include "base/fd.h"
#include "cli/tui/tui.h"
#include "cli/view/values.h"
#include "import/import.h"

struct chart {
	struct tui *t;
	struct value_request request;
};

static void use_range(struct tui *t)
{
	if (!t->a || !t->b)
		return;
	t->r->from = MIN(t->a, t->b);
	t->r->to = MAX(t->a, t->b);
}

/* ---- the child */

static int print_values(struct job *j, void *ctx)
{
	const struct chart *c = ctx;
	struct buf text = { 0 };
	int ret;

	use_range(c->t);
	ret = values_run(c->t->r, &c->request, false, &text);
	write_all(STDOUT_FILENO, text.s ? text.s : "", text.len);
	return ret;
}

/* ---- the child: sums */

static int print_sums(struct job *j, void *ctx)
{
	struct tui *t = ((struct chart *)ctx)->t;
	struct cli *c = t->r->c;
	char range[64];

	use_range(t);
	if (t->a && t->b) {
		snprintf(range, sizeof range, "%llu.%09llu,%llu.%09llu",
			 (unsigned long long)(t->r->from / 1000000000),
			 (unsigned long long)(t->r->from % 1000000000),
			 (unsigned long long)(t->r->to / 1000000000),
			 (unsigned long long)(t->r->to % 1000000000));
		c->select.time_range = range;
	}
	import_remember(t->r->path, t->r->store, t->r->damage.s);
	return command_report.run(c);
}

/* ---- here */

static void begin(struct tui *t, int (*print)(struct job *j, void *ctx), struct chart c)
{
	c.t = t;
	if (!job_start(&t->chart, 0, print, &c)) {
		tui_say(t, "no process for it");
		return;
	}
	t->awaits_chart = true;
	t->flame.is_awaited = false;
}

static const char *range_text(const struct tui *t)
{
	return t->a && t->b ? "between A and B" : "all of the time";
}

void tui_show_sums(struct tui *t)
{
	snprintf(t->chart_title, sizeof t->chart_title, "Sums, %s", range_text(t));
	begin(t, print_sums, (struct chart){ 0 });
}

void tui_show_histogram(struct tui *t, const char *expr)
{
	snprintf(t->chart_title, sizeof t->chart_title, "%s, %s%s%s", expr, range_text(t),
		 t->filter[0] ? ", of " : "", t->filter);
	begin(t, print_values, (struct chart){ .request = { .expr = expr, .filter = t->filter } });
}

void tui_show_latency(struct tui *t, const char *from, const char *to, const char *key)
{
	snprintf(t->chart_title, sizeof t->chart_title, "From %s to %s with the same %s, ns, %s",
		 from, to, key, range_text(t));
	begin(t, print_values, (struct chart){ .request = { .from = from, .to = to, .key = key } });
}

void tui_chart_done(struct tui *t)
{
	const char *said = t->chart.said.s ? t->chart.said.s : "";

	t->awaits_chart = false;
	tui_lines_begin(t, t->chart_title);
	tui_lines_text(t, *said ? said : "nothing");
	tui_show_text(t);
}
