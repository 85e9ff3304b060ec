/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <stdlib.h>
#include "base/hash.h"
#include "output/recording_probes.h"
#include "store/layout.h"
#include "trace/value.h"
#include "type/layout.h"

enum { AT_CLAUSE, AT_NS, AT_PID, AT_TID, AT_CPU, AT_COMM, AT_PROBE, AT_MORE };
/* Numbers of events, above those that kernels have. */
enum { FIRST_ID = 50000 };

struct made { /* the format of a probe's events */
	struct {
		u64 clause, probe;
	} key;
	struct event_format format;
};

struct recorded_probes {
	const struct noting *list;
	u32 n_made;
	struct hash made;  /* by clause and probe */
	struct hash names; /* of events */
	struct buf record, strings;
	struct arena arena;
};

struct recorded_probes *recorded_probes_new(const struct noting *list)
{
	struct recorded_probes *p = xcalloc(1, sizeof *p);

	p->list = list;
	arena_init(&p->arena);
	return p;
}

void recorded_probes_free(struct recorded_probes *p)
{
	if (!p)
		return;
	hash_release(&p->made);
	hash_release(&p->names);
	buf_release(&p->record);
	buf_release(&p->strings);
	arena_release(&p->arena);
	free(p);
}

/* ---- the format */

static bool is_numbers(const struct type *t)
{
	return t->kind == TY_ARRAY && t->elem->kind == TY_INT;
}

static bool is_text(const struct type *t)
{
	return t->kind == TY_STRING || type_is_shown(t);
}

/* How a value lies in the record: numbers in at least 4 bytes, texts after the rest, arrays of
 * numbers as they are, anything else as bytes. */
static u32 size_in_record(const struct type *t)
{
	if (is_text(t))
		return sizeof(u32);
	return type_is_scalar(t) ? MAX(t->size, (u32)sizeof(u32)) : t->size;
}

static u32 align_in_record(const struct type *t)
{
	return is_text(t) || type_is_scalar(t) ? size_in_record(t) :
	       is_numbers(t)                   ? t->elem->size :
						 1;
}

static void put_member(struct buf *b, const struct type *t, const char *name, u32 offset)
{
	if (is_text(t))
		buf_printf(b, "\tfield:__data_loc char[] %s;", name);
	else if (type_is_scalar(t))
		buf_printf(b, "\tfield:%c%u %s;", t->is_signed ? 's' : 'u', 8 * size_in_record(t),
			   name);
	else if (is_numbers(t))
		buf_printf(b, "\tfield:%c%u %s[%u];", t->elem->is_signed ? 's' : 'u',
			   8 * t->elem->size, name, t->count);
	else
		buf_printf(b, "\tfield:u8 %s[%u];", name, t->size);
	buf_printf(b, "\toffset:%u;\tsize:%u;\tsigned:%u;\n", offset, size_in_record(t),
		   is_numbers(t) ? t->elem->is_signed : t->is_signed);
}

static void put_print(struct buf *b, struct buf *args, const struct type *t, const char *name)
{
	static const char *const formats[2][2] = { { "%u", "%d" }, { "%llu", "%lld" } };
	bool is_long = size_in_record(t) > sizeof(u32);

	if (is_text(t)) {
		buf_printf(b, "%s=\\\"%%s\\\"", name);
		buf_printf(args, ", __get_str(%s)", name);
	} else if (type_is_scalar(t)) {
		buf_printf(b, "%s=%s", name,
			   type_is_integer(t) ? formats[is_long][t->is_signed] : "0x%llx");
		buf_printf(args, ", REC->%s", name);
	} else {
		buf_printf(b, "%s=%%s", name);
		buf_printf(args, ", __print_hex(REC->%s, %u)", name, t->size);
	}
}

/* "uprobe:/bin/bash:readline" -> "uprobe:bash_readline", a system and an event as those of tracefs;
 * "begin" -> "sonde:begin"; NULL: it is no probe. */
static const char *event_of(struct arena *a, const char *probe)
{
	const char *colon = probe ? strchr(probe, ':') : NULL,
		   *slash = probe ? strrchr(probe, '/') : NULL;
	char *word;

	if (!probe || strlen(probe) > NAME_MOST / 2)
		return NULL;
	if (!colon)
		return arena_printf(a, "sonde:%s", probe);
	if (starts_with(probe, "tracepoint:")) /* is named as the kernel names it */
		return colon + 1;
	word = arena_strdup(a, slash ? slash + 1 : colon + 1);
	for (char *s = word; *s; s++)
		if (!isalnum((u8)*s))
			*s = '_';
	return arena_printf(a, "%.*s:%s", (int)(colon - probe), probe, word);
}

/* Numbers distinguish probes on files of the same name. */
static const char *unique_name(struct recorded_probes *p, const char *name)
{
	const char *tried = name;

	for (u32 n = 1; hash_gets(&p->names, tried); n++)
		tried = arena_printf(&p->arena, "%s_%u", name, n);
	hash_puts(&p->names, tried, p);
	return tried;
}

static const char *text_of(struct recorded_probes *p, const struct event_format *f,
			   const struct type *tuple, u32 first, const char *const *fields)
{
	static const char common[] =
		"format:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
	struct buf b = { 0 }, print = { 0 }, args = { 0 };
	u32 offset = sizeof(struct common_fields);
	const char *text;

	buf_printf(&b, "name: %s\nID: %u\n%s", strchr(f->name, ':') + 1, f->id, common);
	for (u32 i = first; i < tuple->n_fields && fields[i - first]; i++) {
		const struct type *t = tuple->fields[i].type;

		offset = ALIGN_UP(offset, align_in_record(t));
		put_member(&b, t, fields[i - first], offset);
		offset += size_in_record(t);
		buf_puts(&print, i > first ? " " : "");
		put_print(&print, &args, t, fields[i - first]);
	}
	buf_printf(&b, "\nprint fmt: \"%s\"%s\n", print.s ? print.s : "", args.s ? args.s : "");
	text = arena_strdup(&p->arena, b.s);
	buf_release(&b);
	buf_release(&print);
	buf_release(&args);
	return text;
}

static const char *reads_of(struct recorded_probes *p, const struct names *names, u64 probe,
			    const char *rows)
{
	const char *func = names->prog->sites.v[probe].func;

	return arena_printf(&p->arena, "probe\t%s\n%s%s%s%s", site_text(names->prog, false, probe),
			    func ? "func\t" : "", func ? func : "", func ? "\n" : "", rows);
}

static struct event_format *format_of(struct recorded_probes *p, const struct names *names,
				      u64 clause, u64 probe, const struct type *tuple, u32 first)
{
	struct made *m, key = { .key = { clause, probe } };
	const struct recorded_probe *of = &p->list->v[clause];
	const char *name = of->name, *site;

	m = hash_get(&p->made, &key.key, sizeof key.key);
	if (m)
		return &m->format;
	site = name ? NULL : site_text(names->prog, false, probe);
	name = site ? event_of(&p->arena, site) : name;
	if (!name)
		return NULL;
	m = arena_new(&p->arena, struct made);
	m->key = key.key;
	m->format.name = unique_name(p, name);
	m->format.id = FIRST_ID + p->n_made++;
	m->format.text = text_of(p, &m->format, tuple, first, of->fields);
	m->format.reads = of->reads && site ? reads_of(p, names, probe, of->reads) : NULL;
	hash_put(&p->made, &m->key, sizeof m->key, m);
	return &m->format;
}

/* ---- the record */

static void pad_to(struct buf *b, u32 align)
{
	buf_pad(b, '\0', ALIGN_UP(b->len, (size_t)align) - b->len);
}

/* With a NUL. Control characters are escaped when the recording is printed. */
static u32 put_text(struct buf *b, const struct names *names, const struct type *t, const u8 *at)
{
	u32 before = (u32)b->len;
	struct names plain = *names;

	plain.visible = false;
	if (t->kind == TY_STRING)
		buf_add(b, at, value_strlen(t, at));
	else
		value_text(b, &plain, t, at);
	buf_putc(b, '\0');
	return (u32)b->len - before;
}

/* Texts follow all other values; where they are is known when those are. */
static void put_values(struct recorded_probes *p, const struct names *names,
		       const struct type *tuple, const u8 *value, u32 first)
{
	u32 fixed = sizeof(struct common_fields);

	for (u32 i = first; i < tuple->n_fields; i++)
		fixed = ALIGN_UP(fixed, align_in_record(tuple->fields[i].type)) +
			size_in_record(tuple->fields[i].type);
	buf_clear(&p->record);
	buf_clear(&p->strings);
	buf_pad(&p->record, '\0', sizeof(struct common_fields));
	for (u32 i = first; i < tuple->n_fields; i++) {
		const struct type *t = tuple->fields[i].type;
		const u8 *at = value + tuple->fields[i].offset;
		u32 from = fixed + (u32)p->strings.len,
		    len = is_text(t) ? put_text(&p->strings, names, t, at) : 0;
		s64 word = len ? len << 16 | from : 0;

		if (!len && type_is_scalar(t))
			word = value_int(t, at);
		pad_to(&p->record, align_in_record(t));
		buf_add(&p->record, len || type_is_scalar(t) ? (const void *)&word : at,
			size_in_record(t));
	}
	buf_add(&p->record, p->strings.s, p->strings.len);
}

static u64 number(const struct type *tuple, const u8 *value, u32 i)
{
	return (u64)value_int(tuple->fields[i].type, value + tuple->fields[i].offset);
}

bool recorded_probe_event(struct recorded_probes *p, const struct names *names,
			  const struct type *tuple, const void *value, struct trace_event *e)
{
	u32 first = AT_MORE;
	u64 clause;

	if (tuple->kind != TY_TUPLE || tuple->n_fields < AT_MORE ||
	    tuple->fields[AT_PROBE].type->kind != TY_PROBE)
		return false;
	while (first < tuple->n_fields && type_is_stack(tuple->fields[first].type))
		first++;
	clause = number(tuple, value, AT_CLAUSE);
	*e = (struct trace_event){
		.time = number(tuple, value, AT_NS),
		.pid = (u32)number(tuple, value, AT_PID),
		.tid = (u32)number(tuple, value, AT_TID),
		.cpu = (u32)number(tuple, value, AT_CPU),
		.comm = (const char *)value + tuple->fields[AT_COMM].offset,
		.value_type = first > AT_MORE ? tuple : NULL,
		.value = value,
	};
	if (clause < p->list->n)
		e->format =
			format_of(p, names, clause, number(tuple, value, AT_PROBE), tuple, first);
	put_values(p, names, tuple, value, first);
	e->record = p->record.s;
	e->len = (u32)MIN(p->record.len, (size_t)65000);
	return e->format;
}
