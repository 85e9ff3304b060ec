/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One event: its thread, its fields, its stacks. */
#include "base/json.h"
#include "base/visible.h"
#include "cli/tui/tui.h"
#include "export/export.h"
#include "type/event_format.h"
#include "trace/event_line.h"

FORMAT(4, 5)
static void put_line(struct tui *t, const char *name, const char *predicate, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	buf_visible(&b, 0, VISIBLE_NAME);
	vec_push(&t->lines.arena, &t->lines.lines,
		 (struct tui_line){ arena_strdup(&t->lines.arena, b.s), name, predicate });
	buf_release(&b);
}

/* "comm" or "comm.prefix": what of the event every event has. */
static void put_heads(struct tui *t, const struct trace_event *e)
{
	struct arena *a = &t->lines.arena;
	struct buf comm = { 0 };
	u32 len;
	const char *name = event_comm(e, &len);

	json_str(&comm, name, len);
	put_line(t, "nsecs", NULL, "  time       %llu.%09llu s",
		 (unsigned long long)(e->time / 1000000000),
		 (unsigned long long)(e->time % 1000000000));
	put_line(t, "comm", arena_printf(a, "comm == %s", comm.s), "  comm       %.*s", (int)len,
		 name);
	put_line(t, "tid", arena_printf(a, "tid == %u", e->tid), "  tid        %u", e->tid);
	put_line(t, "pid", arena_printf(a, "pid == %u", e->pid), "  pid        %u%s", e->pid,
		 e->pid ? "" : " (not known)");
	put_line(t, "cpu", arena_printf(a, "cpu == %u", e->cpu), "  cpu        %u", e->cpu);
	buf_release(&comm);
}

static void put_string(struct tui *t, const char *name, const char *shown, const u8 *s, u32 len)
{
	struct buf quoted = { 0 };

	len = (u32)strnlen((const char *)s, len);
	json_str(&quoted, (const char *)s, len);
	put_line(t, name, arena_printf(&t->lines.arena, "%s == %s", name, quoted.s), "%s%.*s",
		 shown, (int)len, (const char *)s);
	buf_release(&quoted);
}

static void put_bytes(struct tui *t, const char *name, const char *shown, const u8 *s, u32 len)
{
	struct buf hex = { 0 };

	for (u32 i = 0; s && i < MIN(len, 64u); i++)
		buf_printf(&hex, "%02x ", s[i]);
	put_line(t, name, NULL, "%s%s%s", shown, hex.s ? hex.s : "", len > 64 ? "…" : "");
	buf_release(&hex);
}

static void put_field(struct tui *t, const struct trace_event *e, const struct event_member *m)
{
	struct arena *a = &t->lines.arena;
	const char *name = arena_printf(a, "args.%s", m->name),
		   *shown = arena_printf(a, "  %-24s ", m->name);
	u32 len;
	const u8 *bytes;
	s64 n;

	if (m->is_char || m->is_array || m->data_loc) {
		bytes = event_bytes(e, m, &len);
		if (bytes && m->is_char)
			put_string(t, name, shown, bytes, len);
		else
			put_bytes(t, name, shown, bytes, len);
		return;
	}
	n = event_value(e, m);
	put_line(t, name,
		 arena_printf(a, m->is_signed ? "%s == %lld" : "%s == %llu", name, (long long)n),
		 m->is_signed ? "%s%lld" : "%s%llu   0x%llx", shown, (long long)n, (long long)n);
}

static void put_stacks(struct tui *t, const struct trace_event *e)
{
	struct buf b = { 0 };

	if (!e->has_stacks) {
		put_line(t, NULL, NULL, "stack: none was recorded (sonde record -g)");
		return;
	}
	store_names_at(t->r->stack_names, e->time);
	event_columns_stacks(&b, &t->r->names, e, &t->r->columns);
	put_line(t, NULL, NULL, b.len > 1 ? "stack, the innermost function first:" : "stack: none");
	tui_lines_text(t, b.s ? b.s + strspn(b.s, "\n") : "");
	buf_release(&b);
}

void tui_show_event(struct tui *t)
{
	struct trace_event e;
	struct buf text = { 0 };
	u32 at = t->view == VIEW_EVENT ? t->lines.at : 0;

	if (!tui_read(t, t->at, &e))
		return;
	tui_lines_begin(t, e.format->name);
	put_heads(t, &e);
	event_text(&text, &t->r->arena, &t->r->names, e.format, e.record, e.len);
	put_line(t, NULL, NULL, "%s", text.s ? text.s : "");
	for (u32 i = 0; i < e.format->n_members; i++)
		if (!e.format->members[i].is_common)
			put_field(t, &e, &e.format->members[i]);
	put_stacks(t, &e);
	buf_release(&text);
	t->lines.at = MIN(at, t->lines.lines.n - 1);
	t->view = VIEW_EVENT;
}

const char *tui_field(const struct tui *t)
{
	return t->view == VIEW_EVENT && t->lines.at < t->lines.lines.n ?
		       t->lines.lines.v[t->lines.at].name :
		       NULL;
}
