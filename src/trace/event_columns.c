/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout is that of builtin/script.c of Linux's tools/perf (process_event), which man
 * perf-script describes. */
#include <errno.h>
#include <time.h>
#include "base/visible.h"
#include "trace/event_columns.h"
#include "trace/event_line.h"
#include "trace/event_stack.h"
#include "trace/value.h"

#define BIT(name) (1u << COLUMN_##name)
#define NAME(name) #name,
static const char *const column_names[] = { EVENT_COLUMNS(NAME) };
#define COMMA_NAME(name) "," #name
static const char all_names[] = EVENT_COLUMNS(COMMA_NAME);

/* Columns of perf that recordings lack. */
static const char other_names[] =
	" addr srcline iregs uregs brstack brstacksym flags data_src weight bpf-output brstackinsn "
	"brstackinsnlen brstackoff callindent "
	"insn insnlen synth phys_addr metric srccode ipc data_page_size code_page_size ins_lat "
	"machine_pid vcpu ";

enum {
	PLAIN = BIT(comm) | BIT(tid) | BIT(cpu) | BIT(time) | BIT(event) | BIT(trace),
	STACK = BIT(ip) | BIT(sym) | BIT(symoff) | BIT(dso)
};

void event_columns_default(struct event_columns *c, bool has_stacks)
{
	c->set = PLAIN | (has_stacks ? STACK : 0);
	c->has_stacks = has_stacks;
}

/* ---- -F */

/* 0, or -EINVAL. */
static int column_of(const char *name, size_t len, u32 *bit, struct err *err)
{
	for (u32 i = 0; i < N_EVENT_COLUMNS; i++)
		if (strlen(column_names[i]) == len && !memcmp(column_names[i], name, len)) {
			*bit = 1u << i;
			return 0;
		}
	err_set(err, -EINVAL,
		lists_word(other_names, name, len) ? "-F: recordings have no %.*s" :
						     "-F: there is no field %.*s",
		(int)len, name);
	err_help(err, "the fields are %s", all_names + 1);
	return -EINVAL;
}

/* "trace:", "hw:" ...: what is after it, or NULL with err set; *applies: tracepoints have these
 * fields. */
static const char *take_type(const char *list, bool *applies, struct err *err)
{
	static const char others[] = " hw sw raw synth ";
	size_t len = strcspn(list, ":");

	*applies = true;
	if (!list[len])
		return list;
	if (len == strlen("trace") && !memcmp(list, "trace", len))
		return list + len + 1;
	*applies = false;
	if (lists_word(others, list, len))
		return list + len + 1;
	err_set(err, -EINVAL, "-F: there is no event type \"%.*s\"", (int)len, list);
	err_help(err, "use trace: or no type; hw:, sw:, raw: and synth: are for files of perf");
	return NULL;
}

static int mixed(struct err *err)
{
	err_set(err, -EINVAL, "-F: fields with + or - cannot be mixed with fields without");
	err_help(err, "-F +pid,-cpu changes the usual fields, -F comm,pid,time replaces them");
	return -EINVAL;
}

int event_columns_take(struct event_columns *c, const char *list, struct err *err)
{
	bool applies, changes = false;
	u32 plain = 0, add = 0, remove = 0, bit;
	const char *s = take_type(list, &applies, err);

	for (; s && *s; s += *s == ',') {
		size_t len = strcspn(s, ",");
		bool is_change = *s == '+' || *s == '-';

		if (len && column_of(s + is_change, len - is_change, &bit, err))
			return -EINVAL;
		*(*s == '+' ? &add : *s == '-' ? &remove : &plain) |= len ? bit : 0;
		changes |= is_change;
		s += len;
	}
	if (!s)
		return -EINVAL;
	if (changes && plain)
		return mixed(err);
	if (!applies)
		return 0;
	if (!c->was_chosen && changes) /* as perf: no stacks unless they are requested */
		c->set &= ~(u32)STACK;
	c->set = changes ? (c->set | add) & ~remove : plain;
	c->was_chosen = true;
	return 0;
}

int event_columns_check(const struct event_columns *c, struct err *err)
{
	if (!c->set) {
		err_set(err, -EINVAL, "-F: no field is left");
		err_help(err, "the fields are %s", all_names + 1);
		return -EINVAL;
	}
	if ((c->set & BIT(symoff)) && !(c->set & BIT(sym)))
		return err_set(err, -EINVAL,
			       "-F: symoff is the offset in sym, which is not selected");
	return 0;
}

/* ---- columns */

static void put_time(struct buf *b, const struct trace_event *e, struct event_columns *c)
{
	u64 since = c->times == TIME_SINCE_FIRST ? c->first_ns :
		    c->times == TIME_SINCE_LAST  ? c->last_ns :
						   0;

	if (c->times != TIME_SINCE_BOOT && !c->has_first)
		since = e->time;
	event_line_time(b, e->time - since, c->in_ns);
	if (!c->has_first)
		c->first_ns = e->time;
	c->last_ns = e->time;
	c->has_first = true;
}

/* "2026-11-28 20:27:30.782721 " */
static void put_tod(struct buf *b, u64 time, const struct event_columns *c)
{
	u64 ns = time + (u64)c->to_real;
	time_t seconds = (time_t)(ns / 1000000000);
	char text[32];
	struct tm tm;

	localtime_r(&seconds, &tm);
	buf_add(b, text, strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S.", &tm));
	event_line_number(b, c->in_ns ? ns % 1000000000 : ns % 1000000000 / 1000, c->in_ns ? 9 : 6,
			  '0');
	buf_putc(b, ' ');
}

static void put_comm(struct buf *b, const struct trace_event *e, const struct event_columns *c)
{
	u32 len;
	const char *comm = event_comm(e, &len);

	if (!(c->set & BIT(ip)) || !c->has_stacks)
		buf_pad(b, ' ', EVENT_COMM_LEN - len);
	buf_add(b, comm, len);
	buf_putc(b, ' ');
}

/* "3812/3812  ", " 3812 " */
static void put_threads(struct buf *b, const struct trace_event *e, u32 set)
{
	size_t start;

	event_line_number(b, set & BIT(pid) ? e->pid : e->tid, 5, ' ');
	if ((set & (BIT(pid) | BIT(tid))) == (BIT(pid) | BIT(tid))) {
		buf_putc(b, '/');
		start = b->len;
		buf_u64(b, e->tid);
		if (b->len - start < 5)
			buf_pad(b, ' ', 5 - (b->len - start));
	}
	buf_putc(b, ' ');
}

static void put_name(struct buf *b, const char *name, u32 width)
{
	size_t len = strlen(name);

	if (len < width)
		buf_pad(b, ' ', width - len);
	buf_add(b, name, len);
	buf_puts(b, ": ");
}

/* Where the first address is of: perf's letter for a sample in the kernel or in a program. */
static bool is_user_only(const struct trace_event *e)
{
	return !e->stack[EVENT_KSTACK].n && e->stack[EVENT_USTACK].n &&
	       !frame_reason(true, e->stack[EVENT_USTACK].ips[0]);
}

void event_columns_line(struct buf *b, struct arena *a, const struct names *names,
			const struct trace_event *e, struct event_columns *c)
{
	size_t start = b->len;
	u32 set = c->set;

	if (set & BIT(comm))
		put_comm(b, e, c);
	if (set & (BIT(pid) | BIT(tid)))
		put_threads(b, e, set);
	if (set & BIT(cpu))
		event_line_cpu(b, e->cpu);
	if (set & BIT(misc))
		buf_puts(b, is_user_only(e) ? "U     " : "K     ");
	if (set & BIT(tod))
		put_tod(b, e->time, c);
	if (set & BIT(time))
		put_time(b, e, c);
	if (set & BIT(period))
		buf_puts(b, "         1 ");
	if (set & BIT(event))
		put_name(b, e->format->name, c->name_width);
	if (set & BIT(trace))
		event_text(b, a, names, e->format, e->record, e->len);
	event_line_clean(b, names, start);
}

/* ---- stacks */

/* " ([kernel.kallsyms])", " ([xfs])", " (/usr/bin/bash)", " ([unknown])" */
static void put_module(struct buf *b, bool user, const struct symbol *sym)
{
	const char *module = sym->module;

	buf_puts(b, " (");
	if (user)
		buf_puts(b, module ? module : "[unknown]");
	else if (module)
		buf_printf(b, "[%s]", module);
	else
		buf_puts(b, sym->name ? "[kernel.kallsyms]" : "[unknown]");
	buf_putc(b, ')');
}

static void put_frame(struct buf *b, bool user, u64 ip, const struct symbol *sym, u32 set)
{
	if (user && sym->module)
		ip = sym->file_offset;
	buf_printf(b, "%16llx", (unsigned long long)ip);
	if (set & BIT(sym)) {
		buf_printf(b, " %s", sym->name ? sym->name : "[unknown]");
		if (sym->name && (set & BIT(symoff)))
			buf_printf(b, "+0x%llx", (unsigned long long)sym->offset);
	}
	if (set & BIT(dso))
		put_module(b, user, sym);
}

static void put_stack(struct buf *b, const struct names *names, const struct trace_event *e,
		      u32 side, const struct event_columns *c)
{
	for (u32 i = 0; i < e->stack[side].n; i++) {
		struct symbol sym;
		const char *why;

		if (event_frame(names, e, side, i, &sym, &why)) {
			buf_putc(b, '\t');
			put_frame(b, side == EVENT_USTACK, e->stack[side].ips[i], &sym, c->set);
			buf_putc(b, '\n');
		} else if (!c->was_chosen) {
			buf_printf(b, "\t%16s [%s]\n", "", why);
		}
	}
}

bool event_columns_stacks(struct buf *b, const struct names *names, const struct trace_event *e,
			  const struct event_columns *c)
{
	static const struct symbol unknown;
	size_t start;

	if ((c->set & BIT(ip)) &&
	    !c->has_stacks) { /* perf: the address of the sample, which tracepoints do not have */
		buf_putc(b, ' ');
		put_frame(b, false, 0, &unknown, c->set);
	}
	buf_putc(b, '\n');
	if (!(c->set & BIT(ip)) || !c->has_stacks)
		return false;
	start = b->len;
	put_stack(b, names, e, EVENT_KSTACK, c);
	put_stack(b, names, e, EVENT_USTACK, c);
	if (names && names->visible)
		buf_visible(b, start, VISIBLE_TEXT);
	return true;
}
