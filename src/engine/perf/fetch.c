/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that a program reads through pointers, fetched by the kernel at the event: the probe
 * becomes a dynamic event with fetch arguments (Documentation/trace/uprobetracer.rst,
 * kprobetrace.rst), whose record has the bytes. Events are in a group named after this process, so
 * that a later run can remove those of a killed one:
 *
 *	p:sonde_4711/f3 /bin/x:0x1129 f0=+0(%di):string f1=+8(%si):u64 f2=+0(+8(%si)):string s1=+8(%si):string
 *
 * The entry of a system call is fetched by a probe of its function, whose argument is struct
 * pt_regs of the process; the record of the tracepoint is made of a0 to a5 (context):
 *
 *	p:sonde_4711/f4 __x64_sys_openat f0=+u0(+104(%di)):ustring a0=+112(%di):x64 ...
 *
 * A string that cannot be read is empty; a number is undefined. So each f of a number has an s of
 * the same address, which shows whether it was readable.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "arch/arch.h"
#include "base/buf.h"
#include "engine/perf/internal.h"
#include "sym/tracefs.h"

/* The definition being built. */
struct definition {
	const struct fetches *fetches;
	bool marks_user, is_call;
};

enum { CALL_ARGS_AT = 16 }; /* offset in the record of a system call's entry; 8 bytes each */

static void put_base(struct buf *to, const struct definition *d, const struct fetch *x)
{
	const struct arch *a = arch_native;

	if (d->is_call)
		buf_printf(to, "+%u(%%%s)", a->syscall_arg[(x->ctx - CALL_ARGS_AT) / 8],
			   arch_kernel_register(a->arg[0]));
	else
		buf_printf(to, "%%%s", arch_kernel_register(x->ctx));
}

static void put_address(struct buf *to, const struct definition *d, u32 i)
{
	const struct fetch *x = &d->fetches->list.v[i];

	buf_printf(to, "%c%s%llu(", x->offset < 0 ? '-' : '+',
		   x->is_user && d->marks_user ? "u" : "", (unsigned long long)llabs(x->offset));
	if (x->parent < 0)
		put_base(to, d, x);
	else
		put_address(to, d, (u32)x->parent);
	buf_putc(to, ')');
}

static void put_type(struct buf *to, const struct fetch *x, bool marks_user)
{
	if (x->is_string)
		buf_puts(to, x->is_user && marks_user ? ":ustring" : ":string");
	else if (x->len == 1 || x->len == 2 || x->len == 4 || x->len == 8)
		buf_printf(to, ":x%u", x->len * 8);
	else if (x->len % 8)
		buf_printf(to, ":x8[%u]", x->len);
	else
		buf_printf(to, ":x64[%u]", x->len / 8);
}

static void put_argument(struct buf *to, const struct definition *d, char name, u32 i,
			 const struct fetch *type)
{
	buf_printf(to, " %c%u=", name, i);
	put_address(to, d, i);
	put_type(to, type, d->marks_user);
}

static void put_arguments(struct buf *to, const struct definition *d)
{
	const struct arch *a = arch_native;

	for (u32 i = 0; i < d->fetches->list.n; i++)
		put_argument(to, d, 'f', i, &d->fetches->list.v[i]);
	for (u32 i = 0; i < ARCH_SYSCALL_ARGS && d->is_call; i++)
		buf_printf(to, " a%u=+%u(%%%s):x64", i, a->syscall_arg[i],
			   arch_kernel_register(a->arg[0]));
	for (u32 i = 0; i < d->fetches->list.n; i++) {
		const struct fetch test = { .is_string = true,
					    .is_user = d->fetches->list.v[i].is_user };

		if (!d->fetches->list.v[i].is_string)
			put_argument(to, d, 's', i, &test);
	}
}

static void put_place(struct buf *to, const struct site *s)
{
	if (s->kind == SITE_PERF_TRACEPOINT) /* ...:sys_enter_NAME */
		buf_printf(to, "%s%s", arch_native->syscall_prefix,
			   strrchr(s->probe, ':') + strlen(":sys_enter_"));
	else
		tracefs_put_place(to, s, s->user.path);
}

static const char *file_of(enum site_kind kind)
{
	return kind == SITE_UPROBE ? "uprobe_events" : "kprobe_events";
}

static int find_fields(struct fetched *t, struct arena *a, const char *group, const char *name,
		       struct err *err)
{
	struct tp_format *f = tracefs_format(a, group, name, err);

	if (!f)
		return err->code;
	t->id = f->id;
	t->value = arena_array(a, const struct tp_field *, t->fetches->list.n);
	t->test = arena_array(a, const struct tp_field *, t->fetches->list.n);
	for (u32 i = 0; i < t->fetches->list.n; i++) {
		t->value[i] = tp_format_field(f, arena_printf(a, "f%u", i));
		t->test[i] = tp_format_field(f, arena_printf(a, "s%u", i));
	}
	for (u32 i = 0; i < ARCH_SYSCALL_ARGS; i++)
		t->arg[i] = tp_format_field(f, arena_printf(a, "a%u", i));
	return 0;
}

int fetch_define(struct fetched *t, struct arena *a, const struct fetches *f, const struct site *s,
		 struct err *err)
{
	static u32 number;
	const struct definition d = { f, s->kind != SITE_UPROBE, s->kind == SITE_PERF_TRACEPOINT };
	const char *group = arena_printf(a, "sonde_%d", getpid()),
		   *name = arena_printf(a, "f%u", number++);
	struct buf line = { 0 };
	int ret;

	buf_printf(&line, "%c:%s/%s ", s->is_return ? 'r' : 'p', group, name);
	put_place(&line, s);
	put_arguments(&line, &d);
	ret = tracefs_put(file_of(s->kind), line.s, O_APPEND, err);
	if (ret >= 0) {
		t->fetches = f;
		t->call = d.is_call ? s->event.call : 0;
		t->remove = arena_printf(a, "-:%s/%s", group, name);
		t->file = file_of(s->kind);
		ret = find_fields(t, a, group, name, err);
	}
	buf_release(&line);
	return ret;
}

/* An event is in use for a while after its descriptor is closed. */
void fetch_remove(struct fetched *t)
{
	enum { TRIES = 100, TURN_US = 10000 };
	struct err err = { 0 };
	int ret = -EBUSY;

	for (u32 i = 0; t->remove && i < TRIES && ret == -EBUSY; i++) {
		ret = tracefs_put(t->file, t->remove, O_APPEND, &err);
		err_release(&err);
		err = (struct err){ 0 };
		if (ret == -EBUSY)
			usleep(TURN_US);
	}
	t->remove = NULL;
}

/* "p:sonde_4711/f3 ..." of a process that is gone. */
static void remove_left(const char *file, const char *line)
{
	struct err err = { 0 };
	char text[96];
	int pid, n = 0;

	if (sscanf(line, "%*[pr0-9]:sonde_%d/f%*u %n", &pid, &n) != 1 || n <= 0 ||
	    kill(pid, 0) == 0 || errno != ESRCH)
		return;
	line += strcspn(line, ":");
	snprintf(text, sizeof text, "-%.*s", (int)MIN(strcspn(line, " "), sizeof text - 2), line);
	tracefs_put(file, text, O_APPEND, &err);
	err_release(&err);
}

void fetch_remove_left(void)
{
	static const char *const files[] = { "uprobe_events", "kprobe_events" };
	struct err err = { 0 };
	const char *root = tracefs_path(&err);
	struct buf b = { 0 };
	char path[300];

	for (u32 i = 0; root && i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof path, "%s/%s", root, files[i]);
		buf_clear(&b);
		if (buf_read_file(&b, path) < 0 || !b.len)
			continue;
		for (char *at = b.s, *end; (end = strchr(at, '\n')); at = end + 1) {
			*end = '\0';
			remove_left(files[i], at);
		}
	}
	buf_release(&b);
	err_release(&err);
}

/* ---- samples */

static const u8 *bytes_of(const struct sample *s, const struct tp_field *f, u32 *len)
{
	const u8 *raw = s->raw;
	u32 at;

	if (!f || f->offset + 4ull > s->raw_len)
		return NULL;
	if (f->data_loc) {
		memcpy(&at, raw + f->offset, sizeof at);
		*len = at >> 16;
		at &= 0xffff;
	} else {
		at = f->offset;
		*len = f->size;
	}
	return *len && (u64)at + *len <= s->raw_len ? raw + at : NULL;
}

/* The fetched bytes, and their address; NULL: they could not be read. */
static const u8 *fetched(const struct fetched *t, const struct sample *s, const u8 *regs, u32 i,
			 u64 *from, u32 *len)
{
	const struct fetch *x = &t->fetches->list.v[i];
	u64 pointer = 0, there;
	const u8 *at;
	u32 n;

	if (x->parent < 0) {
		memcpy(&pointer, regs + x->ctx, sizeof pointer);
	} else {
		at = fetched(t, s, regs, (u32)x->parent, &there, &n);
		if (!at || n < sizeof pointer)
			return NULL;
		memcpy(&pointer, at, sizeof pointer);
	}
	*from = pointer + (u64)x->offset;
	at = bytes_of(s, t->value[i], len);
	return at && (x->is_string || bytes_of(s, t->test[i], &n)) ? at : NULL;
}

void fetch_record(const struct fetched *t, const struct sample *s, u8 *record)
{
	s64 number = t->call - 1;

	if (s->raw_len >= CALL_ARGS_AT - sizeof number)
		memcpy(record, s->raw, CALL_ARGS_AT - sizeof number);
	memcpy(record + CALL_ARGS_AT - sizeof number, &number, sizeof number);
	for (u32 i = 0; i < ARCH_SYSCALL_ARGS; i++) {
		u32 len = 0;
		const u8 *at = bytes_of(s, t->arg[i], &len);

		if (at && len == 8)
			memcpy(record + CALL_ARGS_AT + (size_t)8 * i, at, 8);
	}
}

int fetch_read(const struct fetched *t, const struct sample *s, const u8 *regs, void *to, u32 len,
	       u64 address)
{
	for (u32 i = 0; i < t->fetches->list.n; i++) {
		u64 from;
		u32 n;
		const u8 *at = fetched(t, s, regs, i, &from, &n);

		if (!at || address - from >= n || len > n - (address - from))
			continue;
		memcpy(to, at + (address - from), len);
		return 0;
	}
	return -EFAULT;
}
