/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output of sonde ltrace. In: the records of the script. Out: lines in the layout of ltrace(1). */
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "cli/ltrace/ltrace.h"
#include "output/notice.h"
#include "output/output.h"
#include "trace/value.h"

/* Members of the records. */
enum { AT_PROBE = 4, AT_FROM, AT_SP, AT_DEPTH, AT_ARGS };
enum { RETURN_SP = 5, RETURN_VALUE };
enum { AT_END_CODE = 4, AT_LEFT };
enum { RESULT_COLUMN = 48 };

struct record {
	const struct type *t;
	const char *p;
	u32 tid, pid;
	u64 ns;
};

struct caller_key {
	u64 from;
	u32 pid, pad;
};

struct ltrace_caller { /* what is known about a return address */
	struct caller_key key;
	struct ltrace_object *object; /* NULL: none that was there at the start */
	const char *module;           /* the file's name, if there is one */
	const char *name;             /* by which it calls, or NULL */
};

static struct ltrace *ltrace_of(struct sink *s)
{
	return ((struct cli *)((char *)s - offsetof(struct cli, sink)))->ltrace;
}

static s64 number(const struct record *r, u32 i)
{
	const struct field *f = &r->t->fields[i];

	return i < r->t->n_fields ? value_int(f->type, r->p + f->offset) : 0;
}

static struct ltrace_thread *thread(struct ltrace *lt, u32 tid, u32 pid)
{
	struct ltrace_thread *th = hash_get(&lt->threads, &tid, sizeof(tid));

	if (!th) {
		th = xcalloc(1, sizeof(*th));
		th->tid = tid;
		hash_put(&lt->threads, &th->tid, sizeof(th->tid), th);
	}
	th->pid = pid;
	return th;
}

/* ---- functions and callers */

/* "uretprobe:PATH:0xADDRESS" */
static const struct ltrace_func *func_at(struct ltrace *lt, u64 i)
{
	u32 n = lt->s->names->prog->sites.n;
	const char *text;

	if (i >= n)
		return NULL;
	if (lt->n_sites < n) {
		lt->sites = xrealloc(lt->sites, n * sizeof(*lt->sites));
		memset(lt->sites + lt->n_sites, 0, (n - lt->n_sites) * sizeof(*lt->sites));
		lt->n_sites = n;
	}
	text = lt->sites[i] ? NULL : site_text(lt->s->names->prog, false, i);
	if (text && strchr(text, ':'))
		lt->sites[i] = hash_gets(&lt->by_place, strchr(text, ':') + 1);
	return lt->sites[i];
}

static void find_caller(struct ltrace *lt, struct ltrace_caller *caller)
{
	const struct names *names = lt->s->names;
	const struct caller_key *k = &caller->key;
	struct symbol sym = { 0 };
	u64 offset, address;
	const char *id;

	if (names->usym)
		names->usym(names->ctx, k->pid, k->from, &sym);
	if (!sym.module)
		return;
	caller->object = hash_gets(&lt->by_path, sym.module);
	caller->module = strrchr(sym.module, '/') ? strrchr(sym.module, '/') + 1 : sym.module;
	caller->module = arena_strdup(&lt->c->words_arena, caller->module);
	if (caller->object && names->build_id &&
	    names->build_id(names->ctx, k->pid, k->from, &id, &offset) &&
	    elf_offset_to_address(caller->object->elf, offset, &address))
		caller->name = ltrace_called_name(caller->object, address);
}

static const struct ltrace_caller *caller_of(struct ltrace *lt, u32 pid, u64 from)
{
	struct caller_key key = { from, pid, 0 };
	struct ltrace_caller *caller = hash_get(&lt->callers, &key, sizeof(key));

	if (caller)
		return caller;
	caller = arena_new(&lt->c->words_arena, struct ltrace_caller);
	caller->key = key;
	find_caller(lt, caller);
	hash_put(&lt->callers, &caller->key, sizeof(key), caller);
	return caller;
}

/* Of several the one that the caller imports. */
static const char *name_for(const struct ltrace_func *f, const struct ltrace_caller *caller)
{
	for (u32 i = 0; i < f->names.n && caller->name; i++)
		if (streq(f->names.v[i], caller->name))
			return f->names.v[i];
	for (u32 i = 0; i < f->names.n && caller->object; i++)
		if (hash_gets(&caller->object->imports, f->names.v[i]))
			return f->names.v[i];
	return f->names.v[0];
}

static bool is_shown(const struct ltrace *lt, const struct ltrace_func *f, const char *name,
		     const struct ltrace_caller *caller)
{
	if (f->is_entry || !lt->o.calls)
		return true;
	return caller->object && ltrace_filter_has(lt->o.calls, name, caller->object);
}

/* ---- lines */

static void put_line(struct ltrace *lt)
{
	buf_add(&lt->s->out, lt->line.s, lt->line.len);
	buf_clear(&lt->line);
	sink_item(lt->s);
}

static void close_current(struct ltrace *lt)
{
	struct ltrace_thread *th = lt->current;

	lt->current = NULL;
	if (!th || !th->is_open)
		return;
	th->is_open = false;
	buf_puts(&lt->line, " <unfinished ...>\n");
	put_line(lt);
}

static void begin_line(struct ltrace *lt, const struct ltrace_thread *th)
{
	close_current(lt);
	if (lt->threads.n > 1)
		buf_printf(&lt->line, "[pid %u] ", th->tid);
}

static void on_enter(struct ltrace *lt, const struct record *r)
{
	struct ltrace_thread *th = thread(lt, r->tid, r->pid);
	const struct ltrace_func *f = func_at(lt, (u64)number(r, AT_PROBE));
	const struct ltrace_caller *caller;
	struct usym_value from;
	struct ltrace_frame frame;

	if (!f)
		return;
	memcpy(&from, r->p + r->t->fields[AT_FROM].offset, sizeof(from));
	caller = caller_of(lt, r->pid, from.addr);
	frame = (struct ltrace_frame){ .func = f,
				       .name = name_for(f, caller),
				       .caller = caller->object,
				       .sp = (u64)number(r, AT_SP),
				       .ns = r->ns };
	if (!is_shown(lt, f, frame.name, caller))
		return;
	while (th->frames.n && vec_last(&th->frames)->sp < frame.sp)
		th->frames.n--;
	vec_push(&lt->c->words_arena, &th->frames, frame);
	begin_line(lt, th);
	if (caller->module && !(caller->object && caller->object->is_main))
		buf_printf(&lt->line, "%s->", caller->module);
	buf_printf(&lt->line, "%s(", frame.name);
	for (u32 i = 0; i < 4; i++)
		buf_printf(&lt->line, "%s%#llx", i ? ", " : "",
			   (unsigned long long)number(r, AT_ARGS + i));
	th->width = (u32)lt->line.len;
	th->is_open = true;
	lt->current = th;
	put_line(lt);
}

static void on_return(struct ltrace *lt, const struct record *r)
{
	struct ltrace_thread *th = thread(lt, r->tid, r->pid);
	const struct ltrace_func *f = func_at(lt, (u64)number(r, AT_PROBE));
	u64 sp = (u64)number(r, RETURN_SP);
	u32 i = th->frames.n, width = 0;

	while (i && !(th->frames.v[i - 1].func == f && th->frames.v[i - 1].sp + 8 == sp))
		i--;
	if (!i)
		return;
	th->frames.n = i - 1;
	if (th->is_open && lt->current == th) {
		width = th->width;
		th->is_open = false;
		lt->current = NULL;
	} else {
		begin_line(lt, th);
		buf_printf(&lt->line, "<... %s resumed> ", th->frames.v[i - 1].name);
	}
	buf_putc(&lt->line, ')');
	width += (u32)lt->line.len;
	buf_pad(&lt->line, ' ', width < RESULT_COLUMN ? RESULT_COLUMN - width : 0);
	buf_printf(&lt->line, " = %#llx\n", (unsigned long long)number(r, RETURN_VALUE));
	put_line(lt);
}

static void on_end(struct ltrace *lt, const struct record *r)
{
	struct ltrace_thread *th = thread(lt, r->tid, r->pid);
	s32 code = (s32)number(r, AT_END_CODE);

	th->frames.n = 0;
	if (number(r, AT_LEFT))
		return;
	begin_line(lt, th);
	if (WIFSIGNALED(code))
		buf_printf(&lt->line, "+++ killed by %d +++\n", WTERMSIG(code));
	else
		buf_printf(&lt->line, "+++ exited (status %d) +++\n", WEXITSTATUS(code));
	put_line(lt);
}

static void on_exec(struct ltrace *lt, const struct record *r)
{
	thread(lt, r->tid, r->pid)->frames.n = 0;
	hash_release(&lt->callers);
	lt->callers = (struct hash){ 0 };
}

static void (*const handlers[N_LTRACE_RECORDS])(struct ltrace *lt, const struct record *r) = {
	[LTRACE_ENTER] = on_enter,
	[LTRACE_RETURN] = on_return,
	[LTRACE_END] = on_end,
	[LTRACE_EXEC] = on_exec,
};

static void value(struct sink *s, const struct type *t, const void *p)
{
	struct ltrace *lt = ltrace_of(s);
	struct record r = { .t = t, .p = p };
	s64 kind;

	if (t->kind != TY_TUPLE || t->n_fields < 4)
		return;
	kind = number(&r, 0);
	r.tid = (u32)number(&r, 1);
	r.pid = (u32)number(&r, 2);
	r.ns = (u64)number(&r, 3);
	if (kind > 0 && kind < N_LTRACE_RECORDS)
		handlers[kind](lt, &r);
}

static void attached(struct sink *s, u32 n_probes)
{
	put_notify(s);
}

static void table(struct sink *s, const struct table *t)
{
}

static void end(struct sink *s)
{
	close_current(ltrace_of(s));
	sink_flush(s);
}

void ltrace_release_lines(struct ltrace *lt)
{
	for (u32 i = 0; i < lt->threads.cap; i++)
		if (lt->threads.slot[i].key)
			free(lt->threads.slot[i].value);
	hash_release(&lt->threads);
	hash_release(&lt->callers);
	buf_release(&lt->line);
	free(lt->sites);
}

const struct output output_ltrace = {
	.name = "ltrace",
	.brief = "lines as ltrace(1) prints them",
	.attached = attached,
	.text = text_text,
	.value = value,
	.table = table,
	.event = text_event,
	.lost = text_lost,
	.message = text_message,
	.test = text_test,
	.tested = text_tested,
	.bench = text_bench,
	.end = end,
};
