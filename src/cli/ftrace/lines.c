/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records as lines of the kernel's file "trace" (kernel/trace/trace_output.c; the columns:
 * Documentation/trace/ftrace.rst):
 *
 *	            bash-3812    [001] d..2.  3204.562194: sched_switch: prev_comm=bash ...
 *	            bash-3812    [001] .....  3204.562201: vfs_read <-ksys_read
 */
#include <stdlib.h>
#include <sys/utsname.h>
#include "cli/ftrace/ftrace.h"
#include "export/export.h"
#include "sym/constants.h"
#include "sym/event_layout.h"
#include "trace/event_line.h"

/* ---- names */

static bool ksym(void *ctx, u64 address, struct symbol *out)
{
	struct ftrace *f = ctx;
	struct ksym s;

	if (!kallsyms_lookup(f->symbols, address, &s))
		return false;
	*out = (struct symbol){ .name = s.name, .offset = s.offset, .module = s.module };
	return true;
}

static bool constant(void *ctx, const char *name, s64 *value)
{
	return constant_find(name, value);
}

static const char *kstring(void *ctx, u64 address)
{
	struct ftrace *f = ctx;

	if (!f->strings)
		f->strings = tracefs_read_strings(&f->arena);
	return tracefs_string(f->strings, address);
}

void lines_symbol(struct ftrace *f, u64 address)
{
	struct ksym s;

	if (kallsyms_lookup(f->symbols, address, &s))
		buf_puts(&f->text, s.name);
	else
		buf_printf(&f->text, "0x%llx", (unsigned long long)address);
}

/* "PID TEXT" lines of a file, the newest text of each. */
static void read_by_thread(struct ftrace *f, const char *file, struct hash *to)
{
	char *path = xasprintf("%s/%s", f->root, file), *line, *end;
	struct buf b = { 0 };

	buf_read_file(&b, path);
	free(path);
	for (line = b.s; b.len && (end = strchr(line, '\n')); line = end + 1) {
		u32 *tid = arena_new(&f->arena, u32);
		char *name;

		*tid = (u32)strtoul(line, &name, 10);
		if (*name == ' ')
			hash_put(to, tid, sizeof *tid,
				 arena_strndup(&f->arena, name + 1, (size_t)(end - name - 1)));
	}
	buf_release(&b);
}

const char *lines_comm(struct ftrace *f, u32 tid)
{
	const char *name = tid ? hash_get(&f->comms, &tid, sizeof tid) : "<idle>";

	return name ? name : "<...>";
}

/* ---- formats */

static void add_format(struct ftrace *f, const char *system, const char *name)
{
	struct err err = { 0 };
	struct tp_format *t = tracefs_format(&f->arena, system, name, &err);
	struct event_format *e = t ? event_layout(&f->arena, t) : NULL;

	if (e && !hash_get(&f->formats, &e->id, sizeof e->id))
		hash_put(&f->formats, &e->id, sizeof e->id, e);
	err_release(&err);
}

/* By the number: of what the tracers write themselves, then of all events. */
static void find_format(struct ftrace *f, u32 id)
{
	struct err err = { 0 };
	const char **systems, **names;
	u32 n = 0, n_names = 0;

	tracefs_categories(&f->arena, &systems, &n, &err);
	for (u32 i = 0; i < n && !hash_get(&f->formats, &id, sizeof id); i++) {
		if (tracefs_events(&f->arena, systems[i], &names, &n_names, &err) < 0)
			continue;
		for (u32 k = 0; k < n_names; k++)
			if (streq(systems[i], "ftrace") ||
			    tracefs_event_id(systems[i], names[k], &err) == (int)id)
				add_format(f, systems[i], names[k]);
	}
	err_release(&err);
}

/* Formats of the tracers' own records, each read at the first record with its number. */
const struct event_format *lines_format(struct ftrace *f, u32 id)
{
	static const struct event_format none;
	struct event_format *e = hash_get(&f->formats, &id, sizeof id);
	u32 *key;

	if (!e) {
		find_format(f, id);
		e = hash_get(&f->formats, &id, sizeof id);
	}
	if (e)
		return e == &none ? NULL : e;
	key = arena_new(&f->arena, u32);
	*key = id;
	hash_put(&f->formats, key, sizeof *key, (void *)(uintptr_t)&none);
	return NULL;
}

u64 lines_member(const struct event_format *format, const char *name, const u8 *record, u32 len)
{
	const struct event_member *m = event_member(format, name);
	u64 value = 0;

	if (m && m->size <= sizeof value && (u64)m->offset + m->size <= len)
		memcpy(&value, record + m->offset, m->size);
	return value;
}

static u32 offset_of(const struct event_format *format, const char *name)
{
	const struct event_member *m = event_member(format, name);

	return m ? m->offset : 0;
}

/* ---- the beginning of a line */

/* Of struct trace_entry (include/linux/trace_events.h). */
struct head {
	u16 type;
	u8 flags, preempt_count;
	s32 tid;
};

enum {
	IRQS_OFF = 0x01,
	RESCHED_LAZY = 0x02, /* before 6.13: not known whether interrupts are off */
	RESCHED = 0x04,
	HARDIRQ = 0x08,
	SOFTIRQ = 0x10,
	PREEMPT_RESCHED = 0x20,
	NMI = 0x40,
	BH_OFF = 0x80,
};

static char irqs_char(const struct ftrace *f, u8 flags)
{
	if (flags & IRQS_OFF)
		return flags & BH_OFF ? 'D' : 'd';
	if (flags & BH_OFF)
		return 'b';
	return !f->has_lazy && flags & RESCHED_LAZY ? 'X' : '.';
}

static char resched_char(const struct ftrace *f, u8 flags)
{
	bool lazy = f->has_lazy && flags & RESCHED_LAZY, preempt = flags & PREEMPT_RESCHED;

	if (flags & RESCHED)
		return lazy ? (preempt ? 'B' : 'b') : preempt ? 'N' : 'n';
	return lazy ? (preempt ? 'L' : 'l') : preempt ? 'p' : '.';
}

static char context_char(u8 flags)
{
	if (flags & NMI)
		return flags & HARDIRQ ? 'Z' : 'z';
	if (flags & HARDIRQ)
		return flags & SOFTIRQ ? 'H' : 'h';
	return flags & SOFTIRQ ? 's' : '.';
}

static void put_digit(struct buf *b, u32 n)
{
	buf_putc(b, n ? "0123456789abcdef"[n & 15] : '.');
}

static void put_head(struct ftrace *f, const struct head *h, const struct ftrace_record *r)
{
	buf_printf(&f->text, "%16.16s-%-7d [%03u] %c%c%c", lines_comm(f, (u32)h->tid), h->tid,
		   r->cpu, irqs_char(f, h->flags), resched_char(f, h->flags),
		   context_char(h->flags));
	put_digit(&f->text, h->preempt_count & 15);
	if (f->has_migration)
		put_digit(&f->text, h->preempt_count >> 4);
	buf_putc(&f->text, ' ');
	event_line_time(&f->text, r->time, false);
}

/* ---- records of the tracers */

static void put_function(struct ftrace *f, const struct event_format *e, const u8 *record, u32 len)
{
	lines_symbol(f, lines_member(e, "ip", record, len));
	buf_puts(&f->text, " <-");
	lines_symbol(f, lines_member(e, "parent_ip", record, len));
}

enum { TRAMPOLINE = 0x7fffffff }; /* FTRACE_TRAMPOLINE_MARKER */

static void put_stack(struct ftrace *f, const struct event_format *e, const u8 *record, u32 len)
{
	u64 address;

	buf_puts(&f->text, "<stack trace>");
	for (u32 at = offset_of(e, "caller"); at && (u64)at + 8 <= len; at += 8) {
		memcpy(&address, record + at, sizeof address);
		if (address == ~0ull)
			break;
		buf_puts(&f->text, "\n => ");
		if (address == TRAMPOLINE)
			buf_puts(&f->text, "[FTRACE TRAMPOLINE]");
		else
			lines_symbol(f, address);
	}
}

static void put_user_stack(struct ftrace *f, const struct event_format *e, const u8 *record,
			   u32 len)
{
	u64 address;

	buf_puts(&f->text, "<user stack trace>");
	for (u32 at = offset_of(e, "caller"); at && (u64)at + 8 <= len; at += 8) {
		memcpy(&address, record + at, sizeof address);
		if (!address || address == ~0ull)
			break;
		buf_printf(&f->text, "\n =>  <%016llx>", (unsigned long long)address);
	}
}

/* Text written to trace_marker. */
static void put_print(struct ftrace *f, const struct event_format *e, const u8 *record, u32 len)
{
	u32 at = offset_of(e, "buf"),
	    n = at < len ? (u32)strnlen((const char *)record + at, len - at) : 0;

	while (n && record[at + n - 1] == '\n')
		n--;
	lines_symbol(f, lines_member(e, "ip", record, len));
	buf_printf(&f->text, ": %.*s", (int)n, (const char *)record + at);
}

static const struct {
	const char *name;
	void (*put)(struct ftrace *f, const struct event_format *e, const u8 *record, u32 len);
} own[] = { { "ftrace:function", put_function },
	    { "ftrace:kernel_stack", put_stack },
	    { "ftrace:user_stack", put_user_stack },
	    { "ftrace:print", put_print } };

static void put_text(struct ftrace *f, struct event_format *e, const u8 *record, u32 len)
{
	const char *colon = strchr(e->name, ':');

	for (u32 i = 0; i < ARRAY_SIZE(own); i++)
		if (streq(own[i].name, e->name)) {
			own[i].put(f, e, record, len);
			return;
		}
	buf_printf(&f->text, "%s: ", colon ? colon + 1 : e->name);
	event_text(&f->text, &f->arena, &f->names, e, record, len);
}

/* ---- lines */

/* As in the kernel's trace_pipe. */
static void put_lost(struct ftrace *f, const struct ftrace_record *r)
{
	if (r->lost == ~0ull)
		buf_printf(&f->text, "CPU:%u [LOST EVENTS]\n", r->cpu);
	else
		buf_printf(&f->text, "CPU:%u [LOST %llu EVENTS]\n", r->cpu,
			   (unsigned long long)r->lost);
}

void lines_put(struct ftrace *f, const struct ftrace_record *r)
{
	const u8 *record = (const u8 *)f->data.s + r->at;
	const struct event_format *e;
	struct head h;

	if (r->lost) {
		put_lost(f, r);
		return;
	}
	if (r->len < sizeof h)
		return;
	memcpy(&h, record, sizeof h);
	e = lines_format(f, h.type);
	if (!f->is_graph)
		put_head(f, &h, r);
	if (e)
		put_text(f, (struct event_format *)(uintptr_t)e, record, r->len);
	else
		buf_printf(&f->text, "Unknown type %u", h.type);
	buf_puts(&f->text, f->is_graph ? " */\n" : "\n");
}

/* The head of the instance's empty file "trace": its columns are the kernel's. */
void lines_head(struct ftrace *f)
{
	struct buf b = { 0 };
	bool was_left_out = false;

	instance_read(f, "trace", &b);
	f->has_migration = b.len && strstr(b.s, "migrate-disable");
	for (const char *s = b.len ? b.s : "", *end; *s == '#' && (end = strchr(s, '\n'));
	     s = end + 1) {
		bool is_blank = end == s + 1;

		if (!starts_with(s, "# entries-in-buffer") && !(was_left_out && is_blank))
			buf_printf(&f->text, "%.*s\n", (int)(end - s), s);
		was_left_out = starts_with(s, "# entries-in-buffer");
	}
	buf_release(&b);
}

void lines_init(struct ftrace *f)
{
	struct utsname u;
	int major = 0, minor = 0;

	f->symbols = kallsyms_new(NULL);
	f->names =
		(struct names){ .ctx = f, .ksym = ksym, .constant = constant, .kstring = kstring };
	if (uname(&u) == 0 && sscanf(u.release, "%d.%d", &major, &minor) == 2)
		f->has_lazy = major > 6 || (major == 6 && minor >= 13);
}

void lines_names(struct ftrace *f)
{
	read_by_thread(f, "saved_cmdlines", &f->comms);
	if (f->keeps)
		read_by_thread(f, "saved_tgids", &f->processes);
}

void lines_release(struct ftrace *f)
{
	kallsyms_free(f->symbols);
	hash_release(&f->formats);
	hash_release(&f->comms);
	hash_release(&f->processes);
	hash_release(&f->threads);
	buf_release(&f->text);
}
