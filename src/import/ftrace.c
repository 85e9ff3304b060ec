/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of tracefs's files trace and trace_pipe (print_trace_line() in Linux's
 * kernel/trace/trace.c), and of trace-cmd report:
 *
 *	COMM-PID (TGID) [CPU] FLAGS SECONDS: EVENT: TEXT		TGID and FLAGS may be missing
 *
 * An event has no format there, so it gets one: "key=value" of its text are fields, numbers if the
 * value is one, and `text` is the whole. Events of one name with other keys or kinds of values are
 * formats of their own. The system of an event is known by its name.
 */
#include <stdio.h>
#include <stdlib.h>
#include "import/import.h"

enum {
	COMMON = 8,       /* bytes of the common fields */
	MOST_FIELDS = 32, /* of a text */
	MOST_FORMATS = 4096,
	MOST_TEXT = 16 << 10,
	LOOK_AT = 16 << 10, /* bytes in which a line must be for the file to be known */
};

struct text { /* a part of the line */
	const char *s;
	size_t len;
};

struct line {
	struct text comm, event, text;
	const char *
		side; /* "sys_enter_", "sys_exit_": the event's name goes on with event; "": it is event */
	u32 tid, pid, cpu;
	u64 time;
};

enum kind { KIND_TEXT, KIND_NUMBER, KIND_PID, KIND_COMM };

struct pair {
	struct text key, value;
	enum kind kind;
	s64 number;
};

struct format {
	char *signature; /* "sched_switch prev_comm:3 prev_pid:2 ..." */
	u32 id;
};

struct input {
	struct importing *to;
	struct arena arena;
	struct hash known; /* signature -> struct format * */
	u32 n_formats;
	u64 n_lines, n_strange; /* strange: lines that are no events */
	u64 latest;
	u64 shown, n_shown; /* the time of the latest line, and how many had it before */
	u64 lost;           /* before the next event */
	struct buf signature, record;
};

/* ---- lines */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static const char *pass_spaces(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s;
}

/* The number at s; NULL: there is none, or it has too many digits. */
static const char *take_digits(const char *s, const char *end, u64 *n)
{
	const char *begin = s;

	for (*n = 0; s < end && is_digit(*s); s++)
		*n = *n * 10 + (u64)(*s - '0');
	return s > begin && s - begin < 19 ? s : NULL;
}

/* "COMM-PID" or "COMM-PID (TGID)": from the end, because names may have anything in them. */
static bool read_task(const char *s, const char *end, struct line *to)
{
	u64 n = 0;
	const char *dash;

	s = pass_spaces(s, end);
	while (end > s && end[-1] == ' ')
		end--;
	if (end > s && end[-1] == ')') {
		const char *open = end;

		while (open > s && *open != '(')
			open--;
		if (take_digits(pass_spaces(open + 1, end), end, &n))
			to->pid = (u32)n;
		for (end = open; end > s && end[-1] == ' ';)
			end--;
	}
	for (dash = end; dash > s && is_digit(dash[-1]);)
		dash--;
	if (dash <= s || dash[-1] != '-' || !take_digits(dash, end, &n))
		return false;
	to->tid = (u32)n;
	to->pid = to->pid ? to->pid : to->tid;
	to->comm = (struct text){ s, (size_t)(dash - 1 - s) };
	return true;
}

/* "12.345678: "; a point is needed. */
static const char *take_time(const char *s, const char *end, u64 *ns)
{
	u64 seconds, unit = 1000000000;

	s = take_digits(s, end, &seconds);
	if (!s || s == end || *s != '.' || seconds > 1ull << 33)
		return NULL;
	*ns = seconds * unit;
	for (s++; s < end && is_digit(*s); s++)
		*ns += (u64)(*s - '0') * (unit /= 10);
	return s < end && *s == ':' ? s + 1 : NULL;
}

/* Events of single calls print themselves: "sys_openat(dfd: ...)", "sys_openat -> 0x3". */
static bool read_syscall(const char *name, const char *at, const char *end, struct line *to)
{
	bool is_entry = at<end && * at == '(', is_exit = end - at> 4 && !memcmp(at, " -> ", 4);

	if ((!is_entry && !is_exit) || at - name < 5 || at - name > NAME_MOST / 2 ||
	    memcmp(name, "sys_", 4) != 0)
		return false;
	to->side = is_exit ? "sys_exit_" : "sys_enter_";
	to->event = (struct text){ name + 4, (size_t)(at - name - 4) };
	to->text = (struct text){ name, MIN((size_t)(end - name), (size_t)MOST_TEXT) };
	return true;
}

/* After the processor: " FLAGS SECONDS: EVENT: TEXT". */
static bool read_event(const char *s, const char *end, struct line *to)
{
	const char *at = take_time(pass_spaces(s, end), end, &to->time), *name;

	if (!at) {
		s = pass_spaces(s, end);
		while (s < end && *s != ' ')
			s++;
		at = take_time(pass_spaces(s, end), end, &to->time);
	}
	if (!at)
		return false;
	name = at = pass_spaces(at, end);
	while (at < end && is_word(*at))
		at++;
	if (read_syscall(name, at, end, to))
		return true;
	if (at == name || at == end || *at != ':' || at - name > NAME_MOST / 2)
		return false;
	to->event = (struct text){ name, (size_t)(at - name) };
	at = pass_spaces(at + 1, end);
	to->text = (struct text){ at, MIN((size_t)(end - at), (size_t)MOST_TEXT) };
	return true;
}

/* A name may have brackets: the first ones with a number that something fits to are the
 * processor's. */
static bool read_line(const char *s, const char *end, struct line *to)
{
	for (const char *open = s; open < end; open++) {
		const char *close;
		u64 cpu;

		if (*open != '[')
			continue;
		close = take_digits(open + 1, end, &cpu);
		*to = (struct line){ .side = "", .cpu = (u32)MIN(cpu, 1ull << 20) };
		if (close && close < end && *close == ']' && read_task(s, open, to) &&
		    read_event(close + 1, end, to))
			return true;
	}
	return false;
}

/* ---- fields */

static bool ends_in(const struct text *t, const char *word)
{
	size_t n = strlen(word);

	return t->len >= n && !memcmp(t->s + t->len - n, word, n) &&
	       (t->len == n || t->s[t->len - n - 1] == '_');
}

static bool read_number(const struct text *t, s64 *n)
{
	char text[24] = { 0 }, *end;

	if (!t->len || t->len >= sizeof text)
		return false;
	memcpy(text, t->s, t->len);
	*n = (s64)strtoull(text, &end, starts_with(text, "0x") ? 16 : 10);
	return !*end && (is_digit(*text) || *text == '-');
}

/* The letters of a thread's state (TASK_STATE_TO_CHAR_STR of the kernel), as the number of
 * sched_switch. */
static bool read_state(const struct text *t, s64 *n)
{
	static const struct {
		char letter;
		u32 bit;
	} states[] = { { 'R', 0 },   { 'S', 1 },   { 'D', 2 },  { 'T', 4 },
		       { 't', 8 },   { 'X', 16 },  { 'Z', 32 }, { 'P', 64 },
		       { 'I', 128 }, { '+', 256 }, { '|', 0 } };
	u32 i = 0;

	*n = 0;
	for (size_t at = 0; at < t->len && i < ARRAY_SIZE(states); at++) {
		for (i = 0; i < ARRAY_SIZE(states) && states[i].letter != t->s[at];)
			i++;
		*n |= i < ARRAY_SIZE(states) ? states[i].bit : 0;
	}
	return t->len && i < ARRAY_SIZE(states);
}

static enum kind kind_of(struct pair *f)
{
	if (f->key.len == 10 && !memcmp(f->key.s, "prev_state", 10) &&
	    read_state(&f->value, &f->number))
		return KIND_NUMBER;
	if (ends_in(&f->key, "comm") && f->value.len <= COMM_SIZE)
		return KIND_COMM;
	if (!read_number(&f->value, &f->number))
		return KIND_TEXT;
	return ends_in(&f->key, "pid") ? KIND_PID : KIND_NUMBER;
}

/* The key before the "=" at `at`; false: there is none. */
static bool key_before(const char *begin, const char *at, struct text *key)
{
	const char *s = at;

	while (s > begin && is_word(s[-1]))
		s--;
	*key = (struct text){ s, (size_t)(at - s) };
	return s < at && !is_digit(*s) && (s == begin || s[-1] == ' ') && at - s < 64 &&
	       !(key->len == 4 && !memcmp(s, "text", 4)); /* the name of the whole */
}

static bool has_key(const struct pair *fields, u32 n, const struct text *key)
{
	for (u32 i = 0; i < n; i++)
		if (fields[i].key.len == key->len && !memcmp(fields[i].key.s, key->s, key->len))
			return true;
	return false;
}

/* The end of the number in "1234 [ns]"; else the end. */
static const char *without_unit(const char *s, const char *end)
{
	const char *unit = end;
	s64 n;

	if (end == s || end[-1] != ']')
		return end;
	while (unit > s && *unit != '[')
		unit--;
	return unit > s && unit[-1] == ' ' &&
			       read_number(&(struct text){ s, (size_t)(unit - 1 - s) }, &n) ?
		       unit - 1 :
		       end;
}

/* A value ends at the next key, or at " ==>". */
static void end_value(struct pair *f, const char *end)
{
	const char *s = f->value.s;

	for (const char *arrow = s; arrow + 4 <= end; arrow++)
		if (!memcmp(arrow, " ==>", 4))
			end = arrow;
	while (end > s && (end[-1] == ' ' || end[-1] == ','))
		end--;
	f->value.len = (size_t)(without_unit(s, end) - s);
	f->kind = kind_of(f);
}

static u32 add_number(struct pair *fields, u32 n, const char *key, const char *s, const char *end)
{
	fields[n] = (struct pair){ .key = { key, strlen(key) }, .value = { s, (size_t)(end - s) } };
	fields[n].kind = KIND_NUMBER;
	return read_number(&fields[n].value, &fields[n].number) ? n + 1 : n;
}

/* "NR 59 (0, 7ffd, ...)", "NR 59 = -2"; "sys_openat -> 0x3" */
static u32 read_call(const struct text *text, struct pair *fields)
{
	const char *s = text->s, *end = s + text->len, *stop;
	u32 n = 0;

	if (text->len > 3 && !memcmp(s, "NR ", 3)) {
		for (s += 3, stop = s; stop < end && *stop != ' ';)
			stop++;
		n = add_number(fields, n, "id", s, stop);
		s = stop;
	}
	for (; s + 4 < end; s++) {
		if (!memcmp(s, " = ", 3))
			return add_number(fields, n, "ret", s + 3, end);
		if (!memcmp(s, " -> ", 4))
			return add_number(fields, n, "ret", s + 4, end);
	}
	return n;
}

static u32 read_fields(const struct line *l, struct pair *fields)
{
	const struct text *text = &l->text;
	const char *end = text->s + text->len;
	u32 n = 0;
	struct text key;

	if (*l->side || (l->event.len > 4 && !memcmp(l->event.s, "sys_", 4)))
		return read_call(text, fields);
	for (const char *s = text->s; s < end && n < MOST_FIELDS; s++) {
		if (*s != '=' || !key_before(text->s, s, &key) || has_key(fields, n, &key))
			continue;
		if (n)
			end_value(&fields[n - 1], key.s);
		fields[n++] = (struct pair){ .key = key, .value = { s + 1, 0 } };
	}
	if (n)
		end_value(&fields[n - 1], end);
	return n;
}

/* ---- formats */

/* By the beginning of its name. */
static const char *system_of(const struct text *event)
{
	static const struct {
		const char *prefix, *system;
	} systems[] = {
		{ "sched_", "sched" },
		{ "sys_enter_", "syscalls" },
		{ "sys_exit_", "syscalls" },
		{ "sys_", "raw_syscalls" },
		{ "irq_", "irq" },
		{ "softirq_", "irq" },
		{ "tasklet_", "irq" },
		{ "signal_", "signal" },
		{ "task_", "task" },
		{ "workqueue_", "workqueue" },
		{ "timer_", "timer" },
		{ "hrtimer_", "timer" },
		{ "block_", "block" },
		{ "kmalloc", "kmem" },
		{ "kfree", "kmem" },
		{ "kmem_", "kmem" },
		{ "mm_page_", "kmem" },
		{ "mm_filemap_", "filemap" },
		{ "net_", "net" },
		{ "netif_", "net" },
		{ "napi_", "napi" },
		{ "tcp_", "tcp" },
		{ "udp_", "udp" },
		{ "sock_", "sock" },
		{ "cpu_", "power" },
		{ "ext4_", "ext4" },
		{ "xfs_", "xfs" },
		{ "btrfs_", "btrfs" },
		{ "nfs_", "nfs" },
		{ "kvm_", "kvm" },
		{ "writeback_", "writeback" },
		{ "page_fault_", "exceptions" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(systems); i++) {
		size_t n = strlen(systems[i].prefix);

		if (event->len >= n && !memcmp(event->s, systems[i].prefix, n))
			return systems[i].system;
	}
	return "ftrace";
}

static const struct {
	const char *before, *after; /* the name */
	u32 size;
	bool is_signed;
} layouts[] = {
	[KIND_TEXT] = { "__data_loc char[] ", "", 4, false },
	[KIND_NUMBER] = { "s64 ", "", 8, true },
	[KIND_PID] = { "pid_t ", "", 4, true },
	[KIND_COMM] = { "char ", "[16]", COMM_SIZE, false },
};

static void put_field(struct buf *b, const char *name, size_t len, enum kind kind, u32 *offset)
{
	buf_printf(b, "\tfield:%s%.*s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", layouts[kind].before,
		   (int)len, name, layouts[kind].after, *offset, layouts[kind].size,
		   layouts[kind].is_signed);
	*offset += layouts[kind].size;
}

static void put_format(struct buf *b, const struct line *l, u32 id, const struct pair *f, u32 n)
{
	u32 offset = COMMON;

	buf_printf(b, "name: %s%.*s\nID: %u\nformat:\n", l->side, (int)l->event.len, l->event.s,
		   id);
	buf_puts(b, "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n");
	for (u32 i = 0; i < n; i++)
		put_field(b, f[i].key.s, f[i].key.len, f[i].kind, &offset);
	put_field(b, "text", 4, KIND_TEXT, &offset);
	buf_puts(b, "\nprint fmt: \"%s\", __get_str(text)\n");
}

static u32 make_format(struct input *in, const struct line *l, const struct pair *f, u32 n)
{
	struct buf text = { 0 };
	u32 id = ++in->n_formats;
	struct format *made = arena_new(&in->arena, struct format);

	put_format(&text, l, id, f, n);
	import_add_format(in->to, *l->side ? "syscalls" : system_of(&l->event), text.s, text.len);
	buf_release(&text);
	*made = (struct format){ arena_strdup(&in->arena, in->signature.s), id };
	hash_puts(&in->known, made->signature, made);
	return id;
}

/* With too many formats, only the text of further ones is kept: *n is 0 then. */
static u32 format_of(struct input *in, const struct line *l, const struct pair *f, u32 *n)
{
	struct buf *b = &in->signature;
	const struct format *known;

	for (;;) {
		buf_clear(b);
		buf_puts(b, l->side);
		buf_add(b, l->event.s, l->event.len);
		for (u32 i = 0; i < *n; i++)
			buf_printf(b, " %.*s:%u", (int)f[i].key.len, f[i].key.s, f[i].kind);
		known = hash_gets(&in->known, b->s);
		if (known)
			return known->id;
		if (in->n_formats < MOST_FORMATS || !*n)
			return make_format(in, l, f, *n);
		*n = 0;
	}
}

/* ---- records */

/* The texts follow the fields that are of fixed size, each with its NUL. */
static void put_text(struct buf *b, const struct text *t, u32 *dynamic)
{
	u32 word = *dynamic | (u32)(t->len + 1) << 16;

	buf_add(b, &word, sizeof word);
	*dynamic += (u32)t->len + 1;
}

static void put_value(struct buf *b, const struct pair *f, u32 *dynamic)
{
	char comm[COMM_SIZE] = { 0 };

	switch (f->kind) {
	case KIND_TEXT: put_text(b, &f->value, dynamic); return;
	case KIND_NUMBER: buf_add(b, &f->number, sizeof f->number); return;
	case KIND_PID: buf_add(b, &(s32){ (s32)f->number }, sizeof(s32)); return;
	case KIND_COMM:
		memcpy(comm, f->value.s, f->value.len);
		buf_add(b, comm, sizeof comm);
		return;
	}
}

static void put_bytes(struct buf *b, const struct text *t)
{
	buf_add(b, t->s, t->len);
	buf_putc(b, '\0');
}

static void make_record(struct buf *b, u32 id, const struct line *l, const struct pair *f, u32 n)
{
	struct common_fields common = { .type = (u16)id, .tid = l->tid };
	u32 dynamic = COMMON + layouts[KIND_TEXT].size;

	for (u32 i = 0; i < n; i++)
		dynamic += layouts[f[i].kind].size;
	buf_clear(b);
	buf_add(b, &common, sizeof common);
	for (u32 i = 0; i < n; i++)
		put_value(b, &f[i], &dynamic);
	put_text(b, &l->text, &dynamic);
	for (u32 i = 0; i < n; i++)
		if (f[i].kind == KIND_TEXT)
			put_bytes(b, &f[i].value);
	put_bytes(b, &l->text);
}

/*
 * Times are in microseconds, and events of several processors may have the same one. The recording
 * keeps the order of their lines: each is a nanosecond after the one before, which texts do not
 * show.
 */
static u64 time_in_order(struct input *in, u64 time)
{
	enum { MOST = 499 }; /* a microsecond is rounded somewhere */

	in->n_shown = time == in->shown && time % 1000 == 0 ? MIN(in->n_shown + 1, (u64)MOST) : 0;
	in->shown = time;
	return time + in->n_shown;
}

/* False: there are too many kinds of events. */
static bool give_line(struct input *in, const struct line *l)
{
	u64 time = time_in_order(in, l->time);
	struct pair fields[MOST_FIELDS] = { 0 };
	u32 n = read_fields(l, fields), id = format_of(in, l, fields, &n);
	char comm[COMM_SIZE] = { 0 };

	memcpy(comm, l->comm.s, MIN(l->comm.len, sizeof comm));
	make_record(&in->record, id, l, fields, n);
	in->latest = MAX(in->latest, time);
	return import_event(
		in->to,
		&(struct store_event){
			.time = time, .cpu = l->cpu, .pid = l->pid, .tid = l->tid, .comm = comm },
		in->record.s, (u32)in->record.len);
}

/* "CPU:1 [LOST 12 EVENTS]" */
static bool is_loss(const char *s, const char *end, u64 *n)
{
	static const char word[] = " [LOST ";

	if (end - s < 4 || memcmp(s, "CPU:", 4) != 0)
		return false;
	for (; s + sizeof word <= end; s++)
		if (!memcmp(s, word, sizeof word - 1))
			return take_digits(s + sizeof word - 1, end, n);
	return false;
}

/* " => function+0x12", and the line before the first of these. They have names and no addresses, so
 * nothing is kept. */
static bool is_stack(const char *s, const char *end)
{
	static const char *const heads[] = { "<stack trace>", "<stack trace >",
					     "<user stack trace>" };

	s += s < end && *s == ' ';
	if (end - s >= 3 && !memcmp(s, "=> ", 3))
		return true;
	for (u32 i = 0; i < ARRAY_SIZE(heads); i++) {
		size_t n = strlen(heads[i]);

		if ((size_t)(end - s) >= n && !memcmp(end - n, heads[i], n))
			return true;
	}
	return false;
}

/* They are noticed at the event after them: what was lost was before that. */
static void give_losses(struct input *in)
{
	if (in->lost)
		store_lost(in->to->writer, in->latest, in->lost,
			   "the kernel's ring buffer was full");
	in->lost = 0;
}

static void take_line(struct input *in, const char *s, const char *end)
{
	struct line l;
	u64 lost;

	if (s == end || *s == '#' || (end - s > 5 && !memcmp(s, "cpus=", 5)))
		return;
	in->n_lines++;
	if (is_stack(s, end))
		return;
	if (is_loss(s, end, &lost))
		in->lost += lost;
	else if (!read_line(s, end, &l) || !give_line(in, &l))
		in->n_strange++;
	else
		give_losses(in);
}

/* ---- the file */

static const char *end_of_line(const char *s, const char *end)
{
	const char *nl = memchr(s, '\n', (size_t)(end - s));

	return nl ? nl : end;
}

/* Some line at the beginning is an event. */
static bool knows(const u8 *bytes, size_t len)
{
	const char *s = (const char *)bytes, *end = s + MIN(len, (size_t)LOOK_AT);
	struct line l;

	if (memchr(s, '\0', (size_t)(end - s)))
		return false;
	for (const char *stop; s < end; s = stop + 1) {
		stop = end_of_line(s, end);
		if (read_line(s, stop, &l))
			return true;
	}
	return false;
}

static int run(struct importing *to, const u8 *bytes, size_t len, struct err *err)
{
	struct input in = { .to = to };
	const char *s = (const char *)bytes, *end = s + len;

	arena_init(&in.arena);
	import_begin(to, &(struct file_head){ .page_size = 4096 });
	for (const char *stop; s < end; s = stop + 1) {
		stop = end_of_line(s, end);
		take_line(&in, s, stop);
	}
	give_losses(&in);
	if (in.n_strange)
		import_damage(to, "%llu of %llu lines are not events",
			      (unsigned long long)in.n_strange, (unsigned long long)in.n_lines);
	hash_release(&in.known);
	buf_release(&in.signature);
	buf_release(&in.record);
	arena_release(&in.arena);
	return 0;
}

const struct importer import_ftrace = { .name = "ftrace",
					.brief = "text of tracefs's trace and of trace-cmd report",
					.knows = knows,
					.run = run };
