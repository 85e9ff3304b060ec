/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declarations of events in TSDL, and their bytes:
 *
 *	int				integer of its size and sign
 *	char x[16]			array of characters
 *	rwbs of block devices		u32 flags
 *	u8 x[6]				array of integers
 *	__data_loc char[] x		string
 *	__data_loc u32[] x		u32 number of elements, sequence of integers
 */
#include <time.h>
#include "export/ctf.h"
#include "sym/calls.h"
#include "sym/syscalls.h"
#include "trace/lttng.h"

/* ---- names */

const char *ctf_event_name(struct arena *a, const struct event_format *f,
			   const struct call_event *call)
{
	return call ? arena_printf(a, "syscall_%s_%s", call->is_exit ? "exit" : "entry",
				   call->name) :
		      lttng_event_name(a, f->name);
}

static void put_name(struct buf *b, const struct ctf_event *ev, const char *name)
{
	struct arena a;

	arena_init(&a);
	buf_printf(b, "_%s",
		   lttng_field_name(&a, ev->leaves_id ? ev->name : ev->format->name, name));
	arena_release(&a);
}

/* ---- arguments of calls: registers, in which kernel and recording have 64 bits of each */

enum { MOST_ARGS = 6 };

/* Flags keep 64 bits: the kernel has int and unsigned long. */
static struct ctf_arg arg_of(const struct call_arg *a)
{
	static const char
		*const ints[] = { "int", "pid_t", "key_t", "clockid_t", "timer_t", "mqd_t" },
		       *const uints[] = { "unsigned int", "unsigned", "u32",  "uid_t",
					  "gid_t",        "umode_t",  "qid_t" },
		       *const longs[] = { "long", "loff_t", "off_t", "ssize_t" };
	bool is_type = a->word == CALL_CTYPE,
	     is_int = a->word == CALL_AT || a->word == CALL_NAMES ||
		      (is_type && is_one_of(ints, ARRAY_SIZE(ints), a->type)),
	     is_uint = a->word == CALL_MODE || a->word == CALL_HEX ||
		       (is_type && is_one_of(uints, ARRAY_SIZE(uints), a->type));

	return (struct ctf_arg){ a->name, is_int || is_uint,
				 is_int || (is_type &&
					    is_one_of(longs, ARRAY_SIZE(longs), a->type)) };
}

void ctf_name_args(struct arena *a, struct ctf_event *ev, const struct call_event *call)
{
	const char *event = call->is_exit ? NULL :
			    call->is_raw  ? syscall_event_name(call->number) :
					    call->name;
	const struct call_desc *desc = event ? call_find(event) : NULL;
	struct call_arg args[MOST_ARGS];
	struct ctf_arg *named;

	if (!desc)
		return;
	ev->n_args = call_args(a, desc, args, MOST_ARGS);
	ev->args = named = arena_array(a, struct ctf_arg, ev->n_args + 1);
	for (u32 i = 0; i < ev->n_args; i++)
		named[i] = arg_of(&args[i]);
}

static void put_arg_declarations(struct buf *b, const struct ctf_event *ev)
{
	for (u32 i = 0; i < ev->n_args; i++) {
		const struct ctf_arg *arg = &ev->args[i];

		buf_printf(b, "\t\t%sint%s_t ", arg->is_signed ? "" : "u",
			   arg->is_int ? "32" : "64");
		put_name(b, ev, arg->name);
		buf_puts(b, ";\n");
	}
}

/* What a short record lacks is zero. */
static void put_arg_values(struct buf *b, const struct ctf_event *ev, const u8 *at, u32 len)
{
	for (u32 i = 0; i < ev->n_args; i++) {
		u64 word = 0;

		if ((i + 1) * sizeof word <= len)
			memcpy(&word, at + i * sizeof word, sizeof word);
		buf_add(b, &word, ev->args[i].is_int ? sizeof(u32) : sizeof word);
	}
}

/* ---- which bytes */

enum shape {
	SHAPE_NONE,
	SHAPE_INTEGER,
	SHAPE_REQUEST, /* letters, which are flags in LTTng */
	SHAPE_TEXT,
	SHAPE_ARRAY,
	SHAPE_STRING,
	SHAPE_SEQUENCE,
	SHAPE_ARGS, /* of a raw entry: the fields are ctf_event.args */
};

static bool is_int_size(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static u32 elem_of(const struct event_member *m)
{
	return is_int_size(m->elem) ? m->elem : 1;
}

static enum shape shape_of(const struct ctf_event *ev, const struct event_member *m)
{
	if (m->is_common ||
	    (ev->leaves_id && (streq(m->name, "id") || streq(m->name, "__syscall_nr"))))
		return SHAPE_NONE;
	if (ev->args && streq(m->name, "args"))
		return SHAPE_ARGS;
	if (m->is_char && lttng_value_of(ev->format->name, m->name) == LTTNG_REQUEST)
		return SHAPE_REQUEST;
	if (m->data_loc)
		return m->is_char ? SHAPE_STRING : SHAPE_SEQUENCE;
	if (m->is_char)
		return SHAPE_TEXT;
	return m->is_array || !is_int_size(m->size) ? SHAPE_ARRAY : SHAPE_INTEGER;
}

/* Fields of LTTng that the record lacks: a thread before its name, processes after their
 * threads. */
enum extra { EXTRA_NONE, EXTRA_THREAD, EXTRA_PARENT, EXTRA_CHILD };

static enum extra extra_at(const struct event_format *f, const struct event_member *m)
{
	if (streq(m->name, "comm") && starts_with(f->name, "block:") && !event_member(f, "tid"))
		return EXTRA_THREAD;
	if (!streq(f->name, "sched:sched_process_fork") || event_member(f, "child_tgid"))
		return EXTRA_NONE;
	return streq(m->name, "parent_pid") ? EXTRA_PARENT :
	       streq(m->name, "child_pid")  ? EXTRA_CHILD :
					      EXTRA_NONE;
}

struct ctf_member {
	enum shape shape;
	u32 size; /* of a SHAPE_INTEGER */
	bool is_signed;
	enum extra extra;
	enum lttng_value value;
};

static const struct ctf_arg *named_arg(const struct ctf_event *ev, const char *name)
{
	for (u32 i = 0; i < ev->n_args; i++)
		if (streq(ev->args[i].name, name))
			return &ev->args[i];
	return NULL;
}

void ctf_plan_members(struct arena *a, struct ctf_event *ev)
{
	const struct event_format *f = ev->format;
	struct ctf_member *plan = arena_array(a, struct ctf_member, f->n_members + 1);

	for (u32 i = 0; i < f->n_members; i++) {
		const struct event_member *m = &f->members[i];
		const struct ctf_arg *arg = m->size == sizeof(u64) ? named_arg(ev, m->name) : NULL;

		plan[i] = (struct ctf_member){
			.shape = shape_of(ev, m),
			.size = arg && arg->is_int ? sizeof(u32) : m->size,
			.is_signed = arg ? arg->is_signed : m->is_signed,
			.extra = extra_at(f, m),
			.value = lttng_value_of(f->name, m->name),
		};
	}
	ev->members = plan;
}

/* ---- declarations */

static void put_integer(struct buf *b, u32 size, bool is_signed)
{
	buf_printf(b, "%sint%u_t ", is_signed ? "" : "u", size * 8);
}

static void put_field(struct buf *b, const struct ctf_event *ev, u32 i)
{
	const struct event_member *m = &ev->format->members[i];
	enum shape shape = ev->members[i].shape;
	enum extra extra = ev->members[i].extra;

	if (shape == SHAPE_ARGS)
		put_arg_declarations(b, ev);
	if (shape == SHAPE_NONE || shape == SHAPE_ARGS)
		return;
	if (extra == EXTRA_THREAD)
		buf_puts(b, "\t\tint32_t _tid;\n");
	buf_puts(b, "\t\t");
	switch (shape) {
	case SHAPE_NONE:
	case SHAPE_ARGS: break;
	case SHAPE_REQUEST: buf_puts(b, "uint32_t "); break;
	case SHAPE_INTEGER: put_integer(b, ev->members[i].size, ev->members[i].is_signed); break;
	case SHAPE_TEXT: buf_puts(b, "char_t "); break;
	case SHAPE_ARRAY: put_integer(b, elem_of(m), m->is_signed); break;
	case SHAPE_STRING: buf_puts(b, "string "); break;
	case SHAPE_SEQUENCE:
		buf_printf(b, "uint32_t __%s_length;\n\t\t", m->name);
		put_integer(b, elem_of(m), m->is_signed);
		break;
	}
	put_name(b, ev, m->name);
	if (shape == SHAPE_TEXT || shape == SHAPE_ARRAY)
		buf_printf(b, "[%u]", m->size / (shape == SHAPE_TEXT ? 1 : elem_of(m)));
	else if (shape == SHAPE_SEQUENCE)
		buf_printf(b, "[__%s_length]", m->name);
	buf_puts(b, extra == EXTRA_PARENT ? ";\n\t\tint32_t _parent_pid;\n" :
		    extra == EXTRA_CHILD  ? ";\n\t\tint32_t _child_pid;\n" :
					    ";\n");
}

static void put_event(struct buf *b, const struct ctf_event *ev, u32 id)
{
	buf_printf(
		b,
		"event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n",
		ev->name, id);
	for (u32 i = 0; ev->format && i < ev->format->n_members; i++)
		put_field(b, ev, i);
	if (!ev->format)
		buf_puts(b, ev->declarations);
	buf_puts(b, "\t};\n};\n\n");
}

static void put_uuid(struct buf *b, const u8 uuid[16])
{
	for (u32 i = 0; i < 16; i++)
		buf_printf(b, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

/* Line i of "uname", as a string of TSDL. */
static void put_env(struct buf *b, const struct export_job *j, const char *name, u32 line)
{
	const struct store_text *text = store_find_text(j->store, "uname");
	const char *s = text ? text->bytes : "";

	for (; line && *s; line--)
		s += strcspn(s, "\n") + (s[strcspn(s, "\n")] == '\n');
	buf_printf(b, "\t%s = \"", name);
	for (; *s && *s != '\n'; s++)
		if (*s != '"' && *s != '\\')
			buf_putc(b, *s);
	buf_puts(b, "\";\n");
}

/* The name and the beginning of the recording. */
static void put_session(struct buf *b, const struct export_job *j)
{
	const struct file_head *h = &j->tables->head;
	time_t start = (time_t)((s64)(h->start_ns + (u64)h->to_real) / 1000000000);
	struct tm tm = { 0 };
	char text[32];

	buf_puts(b, "\ttrace_name = \"");
	for (const char *s = base_name(j->file); *s; s++)
		if (*s != '"' && *s != '\\' && (u8)*s >= ' ')
			buf_putc(b, *s);
	localtime_r(&start, &tm);
	strftime(text, sizeof text, "%Y%m%dT%H%M%S%z", &tm);
	buf_printf(b, "\";\n\ttrace_creation_datetime = \"%s\";\n", text);
}

/* Trace Compass takes traces whose clocks are called monotonic and have one identity for those of
 * one machine. The offset makes our times of the boot clock comparable. */
static void put_clock(struct buf *b, const struct file_head *h)
{
	buf_puts(b, "clock {\n\tname = \"monotonic\";\n\tuuid = \"");
	put_uuid(b, h->boot_id);
	buf_printf(b,
		   "\";\n\tdescription = \"CLOCK_BOOTTIME\";\n\tfreq = 1000000000;\n"
		   "\toffset = %lld;\n};\n\n",
		   (long long)h->to_real);
}

static void put_types(struct buf *b)
{
	for (u32 size = 8; size <= 64; size *= 2)
		buf_printf(
			b,
			"typealias integer { size = %u; align = 8; signed = false; } := uint%u_t;\n"
			"typealias integer { size = %u; align = 8; signed = true; } := int%u_t;\n",
			size, size, size, size);
	buf_puts(
		b,
		"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char_t;\n"
		"typealias integer { size = 64; align = 8; signed = false; base = 16; } := address_t;\n\n");
}

static const char stream_text[] =
	"typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := time_t;\n\n"
	"stream {\n\tid = 0;\n"
	"\tpacket.context := struct {\n"
	"\t\ttime_t timestamp_begin;\n\t\ttime_t timestamp_end;\n"
	"\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n"
	"\t\tuint64_t packet_seq_num;\n\t\tuint64_t events_discarded;\n"
	"\t\tuint32_t cpu_id;\n\t};\n"
	"\tevent.header := struct {\n\t\tuint16_t id;\n\t\ttime_t timestamp;\n\t};\n"
	"\tevent.context := struct {\n\t\tint32_t _tid;\n\t\tint32_t _pid;\n"
	"\t\tchar_t _procname[16];\n";
static const char stacks_text[] =
	"\t\tuint32_t __callstack_kernel_length;\n\t\taddress_t _callstack_kernel[__callstack_kernel_length];\n"
	"\t\tuint32_t __callstack_user_length;\n\t\taddress_t _callstack_user[__callstack_user_length];\n";

void ctf_put_metadata(struct buf *b, const struct export_job *j, const u8 uuid[16],
		      const struct ctf_event *events, u32 n)
{
	buf_puts(b, "/* CTF 1.8 */\n\n");
	put_types(b);
	buf_puts(b, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"");
	put_uuid(b, uuid);
	buf_puts(
		b,
		"\";\n\tbyte_order = le;\n\tpacket.header := struct {\n\t\tuint32_t magic;\n"
		"\t\tuint8_t uuid[16];\n\t\tuint32_t stream_id;\n\t\tuint64_t stream_instance_id;\n"
		"\t};\n};\n\nenv {\n");
	put_env(b, j, "sysname", 0);
	put_env(b, j, "hostname", 1);
	put_env(b, j, "kernel_release", 2);
	put_env(b, j, "kernel_version", 3);
	/* the names are those of this tracer: readers choose by them how to read events */
	buf_puts(b,
		 "\tdomain = \"kernel\";\n\ttracer_name = \"lttng-modules\";\n\ttracer_major = 2;\n"
		 "\ttracer_minor = 13;\n\ttracer_patchlevel = 0;\n"
		 "\ttrace_buffering_scheme = \"global\";\n");
	put_session(b, j);
	buf_puts(b, "\tsonde_version = \"" SONDE_VERSION "\";\n};\n\n");
	put_clock(b, &j->tables->head);
	buf_puts(b, stream_text);
	buf_puts(b, j->tables->n_stacks ? stacks_text : "");
	buf_puts(b, "\t};\n};\n\n");
	for (u32 i = 0; i < n; i++)
		put_event(b, &events[i], i);
}

/* ---- threads at the start, by which views know names and parents of those without events */

const char ctf_state_declarations[] =
	"\t\tint32_t _tid;\n\t\tint32_t _pid;\n\t\tint32_t _ppid;\n\t\tchar_t _name[16];\n"
	"\t\tint32_t _type;\n\t\tint32_t _mode;\n\t\tint32_t _submode;\n\t\tint32_t _status;\n"
	"\t\tuint32_t _cpu;\n\t\taddress_t _file_table_address;\n";

/* What the recording does not have is what LTTng writes for "not known". */
void ctf_put_state(struct buf *b, const struct task_row *t)
{
	enum { KTHREADD = 2, MODE_UNKNOWN = 5, STATUS_WAIT = 5 };
	bool is_kernel = t->pid == KTHREADD || t->ppid == KTHREADD;
	struct {
		u32 tid, pid, ppid;
		char name[COMM_SIZE];
		u32 type, mode, submode, status, cpu;
		u64 file_table_address;
	} __attribute__((packed)) state = {
		.tid = t->tid,
		.pid = t->pid,
		.ppid = t->ppid,
		.type = is_kernel,
		.mode = MODE_UNKNOWN,
		.status = STATUS_WAIT,
	};

	memcpy(state.name, t->comm, sizeof state.name);
	buf_add(b, &state, sizeof state);
}

/* ---- bytes */

/* Bytes that a short record lacks are zero. */
static void put_padded(struct buf *b, const u8 *at, u32 len, u32 size)
{
	buf_add(b, at, MIN(len, size));
	if (len < size)
		buf_pad(b, '\0', size - len);
}

/* A number that LTTng has otherwise. */
static void put_changed(struct buf *b, const struct event_member *m, const struct trace_event *e,
			enum lttng_value value)
{
	u64 n = (u64)event_value(e, m);

	n = value == LTTNG_STATE ? lttng_state(n) : n - LTTNG_PRIO_BASE;
	buf_add(b, &n, m->size);
}

static void put_member(struct buf *b, const struct ctf_event *ev, u32 i,
		       const struct trace_event *e)
{
	const struct event_member *m = &ev->format->members[i];
	u32 len, n;
	const u8 *at = event_bytes(e, m, &len);

	switch (ev->members[i].shape) {
	case SHAPE_NONE: return;
	case SHAPE_ARGS: put_arg_values(b, ev, at, len); return;
	case SHAPE_INTEGER:
		if (ev->members[i].value == LTTNG_SAME)
			put_padded(b, at, len, ev->members[i].size);
		else
			put_changed(b, m, e, ev->members[i].value);
		return;
	case SHAPE_REQUEST:
		n = lttng_request((const char *)at, strnlen((const char *)at, len));
		buf_add(b, &n, sizeof n);
		return;
	case SHAPE_TEXT: put_padded(b, at, len, m->size); return;
	case SHAPE_ARRAY: put_padded(b, at, len, m->size / elem_of(m) * elem_of(m)); return;
	case SHAPE_STRING:
		buf_add(b, at, strnlen((const char *)at, len));
		buf_putc(b, '\0');
		return;
	case SHAPE_SEQUENCE:
		n = len / elem_of(m);
		buf_add(b, &n, sizeof n);
		buf_add(b, at, (size_t)n * elem_of(m));
		return;
	}
}

size_t ctf_put_fields(struct buf *b, const struct ctf_event *ev, const struct trace_event *e)
{
	size_t child = 0;
	u32 tid;

	for (u32 i = 0; i < ev->format->n_members; i++) {
		enum extra extra = ev->members[i].extra;

		if (extra == EXTRA_THREAD)
			buf_add(b, &e->tid, sizeof e->tid);
		put_member(b, ev, i, e);
		if (extra == EXTRA_PARENT) /* it is the current process */
			buf_add(b, &e->pid, sizeof e->pid);
		if (extra != EXTRA_CHILD)
			continue;
		child = b->len;
		tid = (u32)event_value(e, &ev->format->members[i]);
		buf_add(b, &tid, sizeof tid);
	}
	return child;
}
