/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declarations of events in TSDL, and their bytes:
 *
 *	int				integer of its size and sign
 *	char x[16]			array of characters
 *	u8 x[6]				array of integers
 *	__data_loc char[] x		string
 *	__data_loc u32[] x		u32 number of elements, sequence of integers
 */
#include "export/ctf.h"
#include "sym/calls.h"
#include "sym/syscalls.h"

/* ---- names */

/* LTTng's events begin with their subsystem. */
const char *ctf_event_name(struct arena *a, const struct event_format *f,
			   const struct call_event *call)
{
	size_t n = strcspn(f->name, ":");
	const char *event = f->name + n + (f->name[n] == ':');

	if (call)
		return arena_printf(a, "syscall_%s_%s", call->is_exit ? "exit" : "entry",
				    call->name);
	if (!strncmp(event, f->name, n) && event[n] == '_')
		return event;
	return arena_printf(a, "%.*s_%s", (int)n, f->name, event);
}

/* Threads are called tid there, and pid what user space calls so. */
static void put_name(struct buf *b, const struct event_format *f, const char *name)
{
	size_t n = strlen(name);
	bool is_tid = starts_with(f->name, "sched:") &&
		      (streq(name, "pid") || (n > 4 && streq(name + n - 4, "_pid")));

	buf_putc(b, '_');
	if (is_tid) {
		buf_add(b, name, n - 3);
		buf_puts(b, "tid");
	} else {
		buf_add(b, name, n);
	}
}

/* ---- arguments of a call that was recorded as a raw event: registers, by the names of the call */

enum { MOST_ARGS = 6 };

static struct ctf_arg arg_of(const struct call_arg *a)
{
	static const char *const ints[] = {
		"int", "pid_t", "key_t", "clockid_t", "timer_t", "mqd_t"
	};
	static const char *const uints[] = { "unsigned int", "unsigned", "u32",  "uid_t",
					     "gid_t",        "umode_t",  "qid_t" };
	struct ctf_arg arg = { .name = a->name };

	if (a->word == CALL_AT)
		return (struct ctf_arg){ a->name, true, true };
	if (a->word == CALL_MODE || a->word == CALL_HEX)
		return (struct ctf_arg){ a->name, true, false };
	if (a->word != CALL_CTYPE)
		return arg;
	for (u32 i = 0; i < ARRAY_SIZE(ints); i++)
		if (streq(a->type, ints[i]))
			return (struct ctf_arg){ a->name, true, true };
	for (u32 i = 0; i < ARRAY_SIZE(uints); i++)
		arg.is_int |= streq(a->type, uints[i]);
	return arg;
}

void ctf_name_args(struct arena *a, struct ctf_event *ev, const struct call_event *call)
{
	const char *event = call->is_raw && !call->is_exit ? syscall_event_name(call->number) :
							     NULL;
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

		buf_printf(b, "\t\t%sint%s_t _%s;\n", arg->is_signed ? "" : "u",
			   arg->is_int ? "32" : "64", arg->name);
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
	if (m->data_loc)
		return m->is_char ? SHAPE_STRING : SHAPE_SEQUENCE;
	if (m->is_char)
		return SHAPE_TEXT;
	return m->is_array || !is_int_size(m->size) ? SHAPE_ARRAY : SHAPE_INTEGER;
}

/* ---- declarations */

static void put_integer(struct buf *b, u32 size, bool is_signed)
{
	buf_printf(b, "%sint%u_t ", is_signed ? "" : "u", size * 8);
}

static void put_field(struct buf *b, const struct ctf_event *ev, const struct event_member *m)
{
	enum shape shape = shape_of(ev, m);

	if (shape == SHAPE_ARGS)
		put_arg_declarations(b, ev);
	if (shape == SHAPE_NONE || shape == SHAPE_ARGS)
		return;
	buf_puts(b, "\t\t");
	switch (shape) {
	case SHAPE_NONE:
	case SHAPE_ARGS: break;
	case SHAPE_INTEGER: put_integer(b, m->size, m->is_signed); break;
	case SHAPE_TEXT: buf_puts(b, "char_t "); break;
	case SHAPE_ARRAY: put_integer(b, elem_of(m), m->is_signed); break;
	case SHAPE_STRING: buf_puts(b, "string "); break;
	case SHAPE_SEQUENCE:
		buf_printf(b, "uint32_t __%s_length;\n\t\t", m->name);
		put_integer(b, elem_of(m), m->is_signed);
		break;
	}
	put_name(b, ev->format, m->name);
	if (shape == SHAPE_TEXT || shape == SHAPE_ARRAY)
		buf_printf(b, "[%u]", m->size / (shape == SHAPE_TEXT ? 1 : elem_of(m)));
	else if (shape == SHAPE_SEQUENCE)
		buf_printf(b, "[__%s_length]", m->name);
	buf_puts(b, ";\n");
}

static void put_event(struct buf *b, const struct ctf_event *ev, u32 id)
{
	buf_printf(
		b,
		"event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n",
		ev->name, id);
	for (u32 i = 0; ev->format && i < ev->format->n_members; i++)
		put_field(b, ev, &ev->format->members[i]);
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
	"typealias integer { size = 64; align = 8; signed = false; map = clock.boot.value; } := time_t;\n\n"
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
	buf_puts(b, "\";\n\tbyte_order = le;\n\tpacket.header := struct {\n\t\tuint32_t magic;\n"
		    "\t\tuint8_t uuid[16];\n\t\tuint32_t stream_id;\n\t};\n};\n\nenv {\n");
	put_env(b, j, "sysname", 0);
	put_env(b, j, "hostname", 1);
	put_env(b, j, "kernel_release", 2);
	put_env(b, j, "kernel_version", 3);
	/* the names are those of this tracer: readers choose by them how to read events */
	buf_puts(b,
		 "\tdomain = \"kernel\";\n\ttracer_name = \"lttng-modules\";\n\ttracer_major = 2;\n"
		 "\ttracer_minor = 13;\n\tsonde_version = \"" SONDE_VERSION "\";\n};\n\n");
	buf_printf(
		b,
		"clock {\n\tname = \"boot\";\n\tdescription = \"CLOCK_BOOTTIME\";\n\tfreq = 1000000000;\n"
		"\toffset = %lld;\n};\n\n",
		(long long)j->tables->head.to_real);
	buf_puts(b, stream_text);
	buf_puts(b, j->tables->n_stacks ? stacks_text : "");
	buf_puts(b, "\t};\n};\n\n");
	for (u32 i = 0; i < n; i++)
		put_event(b, &events[i], i);
}

/* ---- threads at the start, by which views know names and parents of those without events */

const char ctf_state_declarations[] =
	"\t\tint32_t _tid;\n\t\tint32_t _vtid;\n\t\tint32_t _pid;\n\t\tint32_t _vpid;\n"
	"\t\tint32_t _ppid;\n\t\tint32_t _vppid;\n\t\tchar_t _name[16];\n\t\tint32_t _type;\n"
	"\t\tint32_t _mode;\n\t\tint32_t _submode;\n\t\tint32_t _status;\n\t\tint32_t _ns_level;\n"
	"\t\tuint32_t _cpu;\n";

/* What the recording does not have is what LTTng writes for "not known". */
void ctf_put_state(struct buf *b, const struct task_row *t)
{
	enum { KTHREADD = 2, MODE_UNKNOWN = 5, SUBMODE_UNKNOWN = 1, STATUS_WAIT = 5 };
	bool is_kernel = t->pid == KTHREADD || t->ppid == KTHREADD;
	struct {
		u32 tid, vtid, pid, vpid, ppid, vppid;
		char name[COMM_SIZE];
		u32 type, mode, submode, status, ns_level, cpu;
	} state = {
		.tid = t->tid,
		.vtid = t->tid,
		.pid = t->pid,
		.vpid = t->pid,
		.ppid = t->ppid,
		.vppid = t->ppid,
		.type = is_kernel,
		.mode = MODE_UNKNOWN,
		.submode = SUBMODE_UNKNOWN,
		.status = STATUS_WAIT,
	};

	memcpy(state.name, t->comm, sizeof state.name);
	buf_add(b, &state, sizeof state);
}

/* ---- bytes */

/*
 * The state of a thread that leaves: S 1, D 2, T 4, t 8, dead or zombie 64, and 0 for one that
 * could go on, which the kernel's event marks by the first bit above its states.
 */
static u64 state_of(s64 state)
{
	enum { DEAD = 0x10, ZOMBIE = 0x20, ABOVE = 0x100 };

	if (state & ABOVE)
		return 0;
	return state & (DEAD | ZOMBIE) ? 64 : (u64)state;
}

/* Bytes that a short record lacks are zero. */
static void put_padded(struct buf *b, const u8 *at, u32 len, u32 size)
{
	buf_add(b, at, MIN(len, size));
	if (len < size)
		buf_pad(b, '\0', size - len);
}

static void put_member(struct buf *b, const struct ctf_event *ev, const struct event_member *m,
		       const struct trace_event *e)
{
	u32 len, n;
	const u8 *at = event_bytes(e, m, &len);
	u64 state;

	switch (shape_of(ev, m)) {
	case SHAPE_NONE: return;
	case SHAPE_ARGS: put_arg_values(b, ev, at, len); return;
	case SHAPE_INTEGER:
		if (m->size == 8 && streq(m->name, "prev_state")) {
			state = state_of(event_number(e, m->name));
			buf_add(b, &state, sizeof state);
			return;
		}
		put_padded(b, at, len, m->size);
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

void ctf_put_fields(struct buf *b, const struct ctf_event *ev, const struct trace_event *e)
{
	for (u32 i = 0; i < ev->format->n_members; i++)
		put_member(b, ev, &ev->format->members[i], e);
}
