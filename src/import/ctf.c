/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of LTTng and others in the Common Trace Format, by way of babeltrace2, whose text this
 * reads (ctf_line.h). Before it is a line
 *
 *	# ctf freq=1000000000 offset=1795897634000000000
 *
 * of the clock: cycles in a second, and the nanoseconds from 1970 to its zero (and " sonde", if the
 * trace is an export of sonde); after it what babeltrace2 said on standard error. Events get
 * formats of their fields: numbers are s64 (of threads pid_t), texts strings, sequences arrays of
 * u64.
 */
#include <stdio.h>
#include <stdlib.h>
#include "import/ctf_line.h"
#include "import/ctf_names.h"
#include "import/import.h"

#define HEAD "# ctf freq="

enum { COMMON = 8, FORMATS_MOST = 60000, FIELDS_MOST = CTF_VALUES_MOST };

enum shape { SHAPE_NUMBER, SHAPE_PID, SHAPE_COMM, SHAPE_TEXT, SHAPE_LIST };

static const struct {
	const char *before, *after; /* the name */
	u32 size;
	bool is_signed;
	const char *print;
} shapes[] = { [SHAPE_NUMBER] = { "s64 ", "", 8, true, "%lld" },
	       [SHAPE_PID] = { "pid_t ", "", 4, true, "%d" },
	       [SHAPE_COMM] = { "char ", "[16]", COMM_SIZE, false, "%s" },
	       [SHAPE_TEXT] = { "__data_loc char[] ", "", 4, false, "%s" },
	       [SHAPE_LIST] = { "__data_loc u64[] ", "", 4, false, "%s" } };

struct format {
	const char *signature; /* "sched_switch prev_comm:2 ..." */
	u32 id;
	bool is_call;
};

struct thread {
	u32 tid, pid;
	char comm[COMM_SIZE];
};

struct input {
	struct importing *to;
	struct arena arena, line; /* line: of one line */
	struct hash known, threads;
	VEC(struct thread *) on_cpu; /* the running thread; NULL: not known */
	struct buf signature, record, text;
	u64 freq, latest, n_lines, n_strange, discarded;
	u32 n_formats;
	bool is_own; /* an export of sonde */
	struct ctf_line l;
};

/* ---- threads */

static struct thread *thread_of(struct input *in, u32 tid)
{
	struct thread *t = hash_get(&in->threads, &tid, sizeof tid);

	if (t)
		return t;
	t = arena_new(&in->arena, struct thread);
	*t = (struct thread){ .tid = tid, .pid = tid };
	hash_put(&in->threads, &t->tid, sizeof t->tid, t);
	return t;
}

static void name_thread(struct thread *t, const struct ctf_value *comm)
{
	if (!comm || comm->kind != CTF_TEXT)
		return;
	memset(t->comm, 0, sizeof t->comm);
	memcpy(t->comm, comm->text, MIN(comm->n, (u32)sizeof t->comm));
}

static bool number_of(const struct ctf_values *v, const char *const names[2], u32 *n)
{
	for (u32 i = 0; i < 2; i++) {
		const struct ctf_value *x = ctf_value_of(v, names[i]);

		if (x && x->kind == CTF_NUMBER) {
			*n = (u32)x->number;
			return true;
		}
	}
	return false;
}

static struct thread **running_on(struct input *in, u32 cpu)
{
	while (in->on_cpu.n <= cpu)
		vec_push(&in->arena, &in->on_cpu, NULL);
	return &in->on_cpu.v[cpu];
}

/* By the contexts of the event; without them, by the switches of its processor. */
static struct thread *task_of(struct input *in, u32 cpu)
{
	static const char *const tids[] = { "tid", "vtid" }, *const pids[] = { "pid", "vpid" };
	const struct ctf_values *c = &in->l.context;
	struct thread **running = running_on(in, cpu), *t;
	u32 tid, pid;

	if (number_of(c, tids, &tid))
		t = thread_of(in, tid);
	else if (*running)
		t = *running;
	else
		return thread_of(in, 0);
	if (number_of(c, pids, &pid))
		t->pid = pid;
	name_thread(t, ctf_value_of(c, "procname"));
	return t;
}

/* Data in events about other threads. */
static void note_threads(struct input *in, u32 cpu)
{
	static const char *const next[] = { "next_tid", "next_pid" },
				 *const child[] = { "child_tid", "child_pid" },
				 *const process[] = { "child_pid", "child_tgid" };
	const struct ctf_values *f = &in->l.fields;
	struct thread *t;
	u32 tid;

	if (streq(in->l.name, "sched_switch") && number_of(f, next, &tid)) {
		*running_on(in, cpu) = t = thread_of(in, tid);
		name_thread(t, ctf_value_of(f, "next_comm"));
	} else if (streq(in->l.name, "sched_process_fork") && number_of(f, child, &tid)) {
		t = thread_of(in, tid);
		number_of(f, process, &t->pid);
		name_thread(t, ctf_value_of(f, "child_comm"));
	}
}

/* A thread at the start. False: the line is an event. */
static bool is_state(struct input *in)
{
	static const char *const tids[] = { "tid", "tid" }, *const pids[] = { "pid", "pid" },
				 *const ppids[] = { "ppid", "ppid" };
	const struct ctf_values *f = &in->l.fields;
	struct task_row row = { 0 };
	struct thread *t;

	if (streq(in->l.name, "lttng_statedump_start") || streq(in->l.name, "lttng_statedump_end"))
		return true;
	if (!streq(in->l.name, "lttng_statedump_process_state") || !number_of(f, tids, &row.tid))
		return false;
	t = thread_of(in, row.tid);
	number_of(f, pids, &t->pid);
	number_of(f, ppids, &row.ppid);
	name_thread(t, ctf_value_of(f, "name"));
	row.pid = t->pid;
	memcpy(row.comm, t->comm, sizeof row.comm);
	store_task(in->to->writer, &row);
	return true;
}

/* ---- formats */

static bool ends_in(const char *name, const char *word)
{
	size_t n = strlen(name), m = strlen(word);

	return n >= m && streq(name + n - m, word) && (n == m || name[n - m - 1] == '_');
}

static enum shape shape_of(const char *name, const struct ctf_value *v)
{
	if (v->kind == CTF_LIST)
		return SHAPE_LIST;
	if (v->kind == CTF_TEXT)
		return ends_in(name, "comm") && v->n <= COMM_SIZE ? SHAPE_COMM : SHAPE_TEXT;
	return ends_in(name, "pid") ? SHAPE_PID : SHAPE_NUMBER;
}

struct named { /* the fields of an event, as the kernel names them */
	const char *system, *event;
	const char *names[FIELDS_MOST];
	enum shape shapes[FIELDS_MOST];
	const struct ctf_value *values[FIELDS_MOST];
	u32 n;
};

static bool is_length(const char *name)
{
	return *name == '_' && ends_in(name, "length");
}

static void name_all(struct input *in, struct named *e)
{
	const struct ctf_values *f = &in->l.fields;

	const char *name;

	e->n = 0;
	ctf_event_names(&in->line, in->l.name, &e->system, &e->event);
	name = arena_printf(&in->line, "%s:%s", e->system, e->event);
	for (u32 i = 0; i < f->n; i++) {
		const struct ctf_value *v = &f->v[i];

		if (is_length(v->name)) /* of the list that follows */
			continue;
		e->names[e->n] = ctf_field_name(&in->line, e->system, f, v->name);
		if (!strchr(in->l.name, ':')) /* it is LTTng's */
			v = ctf_kernel_value(&in->line, v, name, e->names[e->n], in->is_own);
		e->shapes[e->n] = shape_of(e->names[e->n], v);
		e->values[e->n++] = v;
	}
}

/* The kernel's layouts of two events; of calls "dfd: 0x1, filename: 0x2" and "0x3"; else
 * "key=value". */
static void put_print(struct buf *b, const struct named *e)
{
	static const char states[] =
		"REC->prev_state & 255 ? __print_flags(REC->prev_state & 255, \"|\", { 1, \"S\" }, { 2, \"D\" }, "
		"{ 4, \"T\" }, { 8, \"t\" }, { 16, \"X\" }, { 32, \"Z\" }, { 64, \"P\" }, { 128, \"I\" }) : \"R\", "
		"REC->prev_state & 256 ? \"+\" : \"\"";
	bool is_call = streq(e->system, "syscalls"), is_exit = starts_with(e->event, "sys_exit_");

	buf_puts(b, "\nprint fmt: \"");
	for (u32 i = 0; i < e->n; i++) {
		bool is_number = e->shapes[i] == SHAPE_NUMBER,
		     is_state = is_number && streq(e->names[i], "prev_state");

		buf_puts(b, !i                              ? "" :
			    streq(e->names[i], "next_comm") ? " ==> " :
			    is_call                         ? ", " :
							      " ");
		if (!is_exit)
			buf_printf(b, is_call ? "%s: " : "%s=", e->names[i]);
		buf_puts(b, is_state                         ? "%s%s" :
			    is_call && is_number             ? (is_exit ? "0x%llx" : "0x%08llx") :
			    streq(e->names[i], "target_cpu") ? "%03lld" :
							       shapes[e->shapes[i]].print);
	}
	buf_putc(b, '"');
	for (u32 i = 0; i < e->n; i++) {
		buf_puts(b, ", ");
		if (streq(e->names[i], "prev_state") && e->shapes[i] == SHAPE_NUMBER)
			buf_puts(b, states);
		else if (e->shapes[i] == SHAPE_TEXT)
			buf_printf(b, "__get_str(%s)", e->names[i]);
		else if (e->shapes[i] == SHAPE_LIST)
			buf_printf(
				b,
				"__print_array(__get_dynamic_array(%s), __get_dynamic_array_len(%s) / 8, 8)",
				e->names[i], e->names[i]);
		else
			buf_printf(b, "REC->%s", e->names[i]);
	}
	buf_putc(b, '\n');
}

static void put_format(struct buf *b, const struct named *e, u32 id)
{
	u32 offset = COMMON;

	buf_printf(b, "name: %s\nID: %u\nformat:\n", e->event, id);
	buf_puts(b, "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n");
	for (u32 i = 0; i < e->n; i++) {
		enum shape s = e->shapes[i];

		buf_printf(b, "\tfield:%s%s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
			   shapes[s].before, e->names[i], shapes[s].after, offset, shapes[s].size,
			   shapes[s].is_signed);
		offset += shapes[s].size;
	}
	put_print(b, e);
}

static const struct format *make_format(struct input *in, const struct named *e)
{
	struct format *made = arena_new(&in->arena, struct format);

	*made = (struct format){ arena_strdup(&in->arena, in->signature.s), ++in->n_formats,
				 false };
	buf_clear(&in->text);
	put_format(&in->text, e, made->id);
	import_add_format(in->to, arena_strdup(&in->to->arena, e->system), in->text.s,
			  in->text.len);
	hash_puts(&in->known, made->signature, made);
	return made;
}

/* NULL: there are too many. */
static const struct format *format_of(struct input *in, const struct named *e)
{
	struct buf *b = &in->signature;
	const struct format *known;

	buf_clear(b);
	buf_printf(b, "%s:%s", e->system, e->event);
	for (u32 i = 0; i < e->n; i++)
		buf_printf(b, " %s:%u", e->names[i], e->shapes[i]);
	known = hash_gets(&in->known, b->s);
	return known || in->n_formats >= FORMATS_MOST ? known : make_format(in, e);
}

/* ---- records */

static u32 dynamic_len(const struct named *e, u32 i)
{
	return e->shapes[i] == SHAPE_TEXT ? e->values[i]->n + 1 :
	       e->shapes[i] == SHAPE_LIST ? e->values[i]->n * (u32)sizeof(u64) :
					    0;
}

static void put_field(struct buf *b, const struct named *e, u32 i, u32 *dynamic)
{
	const struct ctf_value *v = e->values[i];
	char comm[COMM_SIZE] = { 0 };
	u32 word = *dynamic | dynamic_len(e, i) << 16;

	switch (e->shapes[i]) {
	case SHAPE_NUMBER: buf_add(b, &v->number, sizeof v->number); return;
	case SHAPE_PID: buf_add(b, &(s32){ (s32)v->number }, sizeof(s32)); return;
	case SHAPE_COMM:
		memcpy(comm, v->text, v->n);
		buf_add(b, comm, sizeof comm);
		return;
	case SHAPE_TEXT:
	case SHAPE_LIST:
		buf_add(b, &word, sizeof word);
		*dynamic += dynamic_len(e, i);
		return;
	}
}

/* False: it is longer than records can be. */
static bool make_record(struct buf *b, const struct named *e, const struct format *f, u32 tid)
{
	struct common_fields common = { .type = (u16)f->id, .tid = tid };
	u32 dynamic = COMMON;

	for (u32 i = 0; i < e->n; i++)
		dynamic += shapes[e->shapes[i]].size;
	buf_clear(b);
	buf_add(b, &common, sizeof common);
	for (u32 i = 0; i < e->n; i++)
		put_field(b, e, i, &dynamic);
	for (u32 i = 0; i < e->n; i++) {
		if (e->shapes[i] == SHAPE_TEXT)
			buf_add(b, e->values[i]->text, e->values[i]->n + 1);
		else if (e->shapes[i] == SHAPE_LIST)
			buf_add(b, e->values[i]->list, e->values[i]->n * sizeof(u64));
	}
	return b->len < 65000;
}

static u32 stack_of(struct input *in, const char *name)
{
	const struct ctf_value *v = ctf_value_of(&in->l.context, name);

	return v && v->kind == CTF_LIST && v->n ?
		       store_stack(in->to->writer, v->list, MIN(v->n, (u32)FRAMES_MOST)) :
		       0;
}

static bool give_event(struct input *in)
{
	const struct ctf_value *cpu_id = ctf_value_of(&in->l.context, "cpu_id");
	u32 cpu = cpu_id && cpu_id->kind == CTF_NUMBER && cpu_id->number < 4096 ?
			  (u32)cpu_id->number :
			  0;
	struct thread *t = task_of(in, cpu);
	const struct format *f;
	struct named e;

	name_all(in, &e);
	f = format_of(in, &e);
	if (!f || !make_record(&in->record, &e, f, t->tid))
		return false;
	in->latest = (u64)((unsigned __int128)in->l.cycles * 1000000000 / in->freq);
	if (!import_event(
		    in->to,
		    &(struct store_event){ .time = in->latest,
					   .cpu = cpu,
					   .pid = t->pid,
					   .tid = t->tid,
					   .comm = t->comm,
					   .stacks.number = { stack_of(in, "callstack_kernel"),
							      stack_of(in, "callstack_user") } },
		    in->record.s, (u32)in->record.len))
		return false;
	note_threads(in, cpu);
	return true;
}

/* ---- the file */

/* Messages of babeltrace2: "... Tracer discarded 12 events between [...] ...", or its error. */
static void take_message(struct input *in, const char *s, size_t len)
{
	static const char word[] = " discarded ", error[] = "ERROR";
	const char *at = memmem(s, len, word, sizeof word - 1);

	if (at && (size_t)(at - s) + sizeof word < len)
		in->discarded += strtoull(arena_strndup(&in->line, at + sizeof word - 1,
							len - (size_t)(at - s) - (sizeof word - 1)),
					  NULL, 10);
	if (memmem(s, len, error, sizeof error - 1))
		import_damage(in->to, "babeltrace2: %.*s", (int)MIN(len, (size_t)150), s);
}

static void take_line(struct input *in, const char *s, size_t len)
{
	if (!len || *s == '#')
		return;
	arena_reset(&in->line);
	if (len < 12 || memcmp(s, "timestamp = ", 12) != 0) {
		take_message(in, s, len);
		return;
	}
	in->n_lines++;
	if (!ctf_line_read(&in->l, &in->line, s, len) || (!is_state(in) && !give_event(in)))
		in->n_strange++;
}

static bool knows(const u8 *bytes, size_t len)
{
	return len > sizeof HEAD && !memcmp(bytes, HEAD, sizeof HEAD - 1);
}

static void begin(struct input *in, const char *text)
{
	struct file_head head = { .page_size = 4096 };
	const char *offset = strstr(text, " offset=");

	in->freq = strtoull(text + sizeof HEAD - 1, NULL, 10);
	in->freq = in->freq ? in->freq : 1000000000;
	in->is_own = strstr(text, " sonde");
	head.to_real = offset ? strtoll(offset + strlen(" offset="), NULL, 10) : 0;
	head.version = STORE_VERSION;
	import_begin(in->to, &head);
}

static int run(struct importing *to, const u8 *bytes, size_t len, struct err *err)
{
	struct input *in = xcalloc(1, sizeof *in);
	const char *s = (const char *)bytes, *end = s + len;

	in->to = to;
	arena_init(&in->arena);
	arena_init(&in->line);
	begin(in,
	      arena_strndup(&in->arena, s,
			    strcspn(arena_strndup(&in->arena, s, MIN(len, (size_t)200)), "\n")));
	for (const char *stop; s < end; s = stop + 1) {
		stop = memchr(s, '\n', (size_t)(end - s));
		stop = stop ? stop : end;
		take_line(in, s, (size_t)(stop - s));
	}
	if (in->discarded)
		store_lost(to->writer, in->latest, in->discarded, "the tracer's buffers were full");
	if (in->n_strange)
		import_damage(to, "%llu of %llu events cannot be read",
			      (unsigned long long)in->n_strange, (unsigned long long)in->n_lines);
	hash_release(&in->known);
	hash_release(&in->threads);
	buf_release(&in->signature);
	buf_release(&in->record);
	buf_release(&in->text);
	arena_release(&in->line);
	arena_release(&in->arena);
	free(in);
	return 0;
}

const struct importer import_ctf = {
	.name = "ctf",
	.brief = "a folder in the Common Trace Format (LTTng), read by babeltrace2",
	.knows = knows,
	.run = run
};
