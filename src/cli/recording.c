/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording from the command line. */
#include <errno.h>
#include <stdlib.h>
#include "cli/recording.h"
#include "import/import.h"
#include "store/gaps.h"
#include "sym/boot_id.h"
#include "sym/kallsyms.h"
#include "sym/tracefs.h"
#include "trace/event_line.h"

/* ---- names */

static bool name_ksym(void *ctx, u64 addr, struct symbol *out)
{
	struct recorded *r = ctx;
	struct ksym s;

	if (store_names_kernel(r->stack_names, addr, out))
		return true;
	if (!r->has_system || !kallsyms_lookup(system_kallsyms(&r->system), addr, &s))
		return false;
	*out = (struct symbol){ .name = s.name, .offset = s.offset, .module = s.module };
	return true;
}

static bool name_usym(void *ctx, struct process_at at, u64 addr, struct symbol *out)
{
	struct recorded *r = ctx;

	return store_names_user(r->stack_names, at.pid, addr, out);
}

static bool name_constant(void *ctx, const char *name, s64 *value)
{
	struct recorded *r = ctx;
	const struct type *enum_type;

	return r->has_system && r->world.constant &&
	       r->world.constant(r->world.ctx, name, value, &enum_type);
}

static const char *name_string(void *ctx, u64 addr)
{
	struct recorded *r = ctx;
	const struct store_text *text = store_find_text(r->store, "printk_formats");

	if (!r->strings)
		r->strings = tracefs_parse_strings(&r->arena, text ? text->bytes : "");
	return tracefs_string(r->strings, addr);
}

static bool is_this_boot(const struct recorded *r)
{
	u8 id[16] = { 0 };

	boot_id_read(id);
	return !memcmp(id, r->tables->head.boot_id, sizeof id);
}

static void names_make(struct recorded *r)
{
	r->has_system = is_this_boot(r);
	if (r->has_system) {
		system_init(&r->system, &r->arena);
		system_world(&r->system, &r->world);
	}
	r->stack_names = store_names_new(r->tables);
	r->names = (struct names){ .ctx = r,
				   .ksym = name_ksym,
				   .usym = name_usym,
				   .constant = name_constant,
				   .kstring = name_string };
}

/* ---- --time */

int recorded_set_range(struct recorded *r)
{
	const char *text = r->c->select.time_range;
	u32 n;

	if (!text)
		return 0;
	if (!time_ranges_parse(&r->ranges, &r->arena, text, r->tables->t0, r->tables->t1))
		return say_usage(r->c, "--time=%s: " TIME_RANGE_FORMS, text);
	n = r->ranges.spans.n;
	r->from = r->ranges.spans.v[0].from;
	r->to = r->ranges.spans.v[n - 1].to;
	store_spans(r->store, r->ranges.spans.v, n);
	return 0;
}

int recorded_one_range(const struct recorded *r)
{
	if (r->ranges.spans.n <= 1)
		return 0;
	return say_usage(r->c, "--time=%s: several ranges are for script, report and export",
			 r->c->select.time_range);
}

/* ---- columns of lines */

/* As perf script does: to the longest name of the file. */
static u32 name_width(const struct store_tables *t)
{
	u32 width = 0;

	for (u32 i = 0; i < t->formats.n; i++)
		width = MAX(width, (u32)strlen(t->formats.v[i]->name));
	return width;
}

static int set_columns(struct recorded *r)
{
	const struct cli *c = r->c;
	struct event_columns *columns = &r->columns;
	struct err err = { 0 };
	int ret = 0;

	if (c->own.script.reltime && c->own.script.deltatime)
		return say_usage(c, "--reltime and --deltatime exclude each other");
	if (c->own.script.columns && c->own.script.as_ftrace)
		return say_usage(c,
				 "-F chooses columns of perf script's lines: --ftrace has its own");
	*columns = (struct event_columns){ .in_ns = c->own.script.time_in_ns,
					   .times = c->own.script.reltime   ? TIME_SINCE_FIRST :
						    c->own.script.deltatime ? TIME_SINCE_LAST :
									      TIME_SINCE_BOOT,
					   .name_width = name_width(r->tables),
					   .to_real = r->tables->head.to_real };
	event_columns_default(columns, r->tables->n_stacks);
	for (u32 i = 0; c->own.script.columns && c->own.script.columns[i] && !ret; i++)
		ret = event_columns_take(columns, c->own.script.columns[i], &err);
	if (c->own.script.no_stacks)
		columns->set &= ~(1u << COLUMN_ip | 1u << COLUMN_sym | 1u << COLUMN_symoff |
				  1u << COLUMN_dso);
	ret = ret ? ret : event_columns_check(columns, &err);
	if (!ret && (columns->set & 1u << COLUMN_tod) && !columns->to_real)
		ret = err_set(&err, -EINVAL,
			      "-F: %s does not have the time of day: it was recorded without tod",
			      r->path);
	if (ret)
		say_err(c, &err);
	err_release(&err);
	return ret ? STATUS_WRONG : 0;
}

/* ---- the file */

int recorded_open_path(struct recorded *r, struct cli *c, const char *path)
{
	struct err err = { 0 };
	int ret;

	r->c = c;
	r->path = path;
	r->store = import_open(path, &r->damage, &err);
	if (!r->store) {
		if (err.code == -ENOENT && streq(path, RECORDING_FILE))
			err_help(&err, "%s record makes it", c->line.program);
		say_err(c, &err);
		ret = err.code == -EACCES ? STATUS_REFUSED : STATUS_WRONG;
		err_release(&err);
		return ret;
	}
	r->tables = store_tables(r->store);
	arena_init(&r->arena);
	names_make(r);
	return 0;
}

int recorded_open(struct recorded *r, struct cli *c)
{
	const char *path;
	int ret;

	r->c = c;
	if (c->line.n_words > 1)
		return say_usage(c, "one recording at a time");
	path = c->line.n_words ? c->line.words[0] : RECORDING_FILE;
	ret = is_own_input(c, c->output.file, path) ? STATUS_WRONG : recorded_open_path(r, c, path);
	if (ret)
		return ret;
	ret = recorded_set_range(r);
	ret = ret ? ret : set_columns(r);
	if (ret)
		recorded_close_quietly(r);
	return ret;
}

static void tell(void *ctx, const char *line)
{
	say(ctx, "%s", line);
}

void recorded_close_quietly(struct recorded *r)
{
	if (r->has_system)
		system_release(&r->system);
	store_names_free(r->stack_names);
	store_close(r->store);
	buf_release(&r->damage);
	arena_release(&r->arena);
}

int recorded_close(struct recorded *r)
{
	bool is_damaged = store_damage(r->store) || r->damage.len;

	if (r->damage.len)
		say(r->c, "%s: %s; everything readable was read", r->path, r->damage.s);
	store_tell_gaps(r->store, r->path, tell, r->c);
	recorded_close_quietly(r);
	return is_damaged ? STATUS_WRONG : 0;
}

int recorded_print(struct cli *c, void (*print)(struct recorded *r, struct sink *s))
{
	struct recorded r = { 0 };
	int ret = recorded_open(&r, c), lost;

	if (ret)
		return ret;
	if (sink_open(c)) {
		recorded_close(&r);
		return STATUS_WRONG;
	}
	r.names.visible = c->sink.visible_out;
	print(&r, &c->sink);
	lost = sink_close(c);
	ret = recorded_close(&r);
	return ret ? ret : lost;
}

/* ---- events */

bool recorded_next(struct recorded *r, struct trace_event *e)
{
	if (!store_next(r->store, e))
		return false;
	if (e->has_stacks)
		store_names_at(r->stack_names, e->time);
	return true;
}

void recorded_put_line(struct recorded *r, struct sink *s, const struct trace_event *e)
{
	if (r->c->own.script.as_ftrace) {
		event_line_ftrace(&s->out, &r->arena, &r->names, e);
		buf_putc(&s->out, '\n');
		event_stacks_ftrace(&s->out, &r->names, e);
		return;
	}
	event_columns_line(&s->out, &r->arena, &r->names, e, &r->columns);
	if (event_columns_stacks(&s->out, &r->names, e, &r->columns))
		buf_putc(&s->out, '\n');
}
