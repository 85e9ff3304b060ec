/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print fmt -> trees. The text is C, made by the kernel's TP_printk() macros (include/trace/stages/):
 *
 *	"comm=%s flags=%s", REC->comm, __print_flags(REC->flags, "|", { 0x01, "A" }, { 0x02, "B" })
 *
 * It comes from the kernel or from a file, so it is read as anything foreign: depth and length are bounded,
 * and whatever is not understood fails the whole.
 */
#include "trace/event_expr.h"
#include <stdlib.h>
#include "base/buf.h"

enum { MAX_DEPTH = 64, MAX_NODES = 4096 };

struct local { /* of a statement expression */
	const char *name;
	struct ex *value;
	const struct local *outer;
};

struct parse {
	struct arena *arena;
	const struct event_format *f;
	const struct names *names;
	const struct local *locals;
	const char *p;
	u32 depth, nodes;
	bool failed, unknown; /* unknown: a name had no value */
};

static struct ex *expression(struct parse *ps);
static struct ex *unary(struct parse *ps);

static struct ex *fail(struct parse *ps)
{
	static struct ex nothing;

	ps->failed = true;
	return &nothing;
}

static struct ex *node(struct parse *ps, enum ex_kind kind)
{
	struct ex *e = arena_new(ps->arena, struct ex);

	if (++ps->nodes > MAX_NODES)
		ps->failed = true;
	e->kind = kind;
	return e;
}

/* ---- words */

static void blank(struct parse *ps)
{
	ps->p += strspn(ps->p, " \t\n");
}

static bool eat(struct parse *ps, const char *word)
{
	blank(ps);
	if (!starts_with(ps->p, word))
		return false;
	ps->p += strlen(word);
	return true;
}

static bool is_word_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static const char *word(struct parse *ps)
{
	const char *from;

	blank(ps);
	from = ps->p;
	while (is_word_char(*ps->p))
		ps->p++;
	return arena_strndup(ps->arena, from, (size_t)(ps->p - from));
}

static char escaped(const char **p)
{
	char c = *(*p)++;

	switch (c) {
	case 'n': return '\n';
	case 't': return '\t';
	case 'r': return '\r';
	case '0': return '\0';
	}
	return c;
}

/* Neighbouring literals are one. */
static const char *string(struct parse *ps)
{
	struct buf b = { 0 };
	const char *s;

	while (eat(ps, "\"")) {
		while (*ps->p && *ps->p != '"') {
			char c = *ps->p++;

			if (c == '\\' && *ps->p)
				c = escaped(&ps->p);
			buf_putc(&b, c);
		}
		if (*ps->p++ != '"') {
			ps->p--;
			ps->failed = true;
			break;
		}
	}
	s = arena_strndup(ps->arena, b.s ? b.s : "", b.len);
	buf_release(&b);
	return s;
}

/* ---- types, as casts and in sizeof */

static const struct {
	const char *name;
	u32 size;
	bool is_signed;
} type_words[] = {
	{ "char", 1, true },         { "short", 2, true },
	{ "int", 4, true },          { "long", 8, true },
	{ "s8", 1, true },           { "s16", 2, true },
	{ "s32", 4, true },          { "s64", 8, true },
	{ "__s8", 1, true },         { "__s16", 2, true },
	{ "__s32", 4, true },        { "__s64", 8, true },
	{ "u8", 1, false },          { "u16", 2, false },
	{ "u32", 4, false },         { "u64", 8, false },
	{ "__u8", 1, false },        { "__u16", 2, false },
	{ "__u32", 4, false },       { "__u64", 8, false },
	{ "bool", 1, false },        { "dev_t", 4, false },
	{ "size_t", 8, false },      { "ssize_t", 8, true },
	{ "loff_t", 8, true },       { "pid_t", 4, true },
	{ "gfp_t", 4, false },       { "sector_t", 8, false },
	{ "ino_t", 8, false },       { "uintptr_t", 8, false },
	{ "umode_t", 2, false },     { "dma_addr_t", 8, false },
	{ "phys_addr_t", 8, false }, { "resource_size_t", 8, false },
	{ "ktime_t", 8, true },      { "__be16", 2, false },
	{ "__be32", 4, false },      { "__be64", 8, false },
	{ "uint32_t", 4, false },    { "uint64_t", 8, false },
	{ "uint8_t", 1, false },     { "uint16_t", 2, false },
	{ "void", 8, false },        { "uint", 4, false },
	{ "ulong", 8, false },       { "ushort", 2, false },
};

static bool type_word(const char *w, u32 *size, bool *is_signed)
{
	for (u32 i = 0; i < ARRAY_SIZE(type_words); i++)
		if (streq(type_words[i].name, w)) {
			*size = type_words[i].size;
			*is_signed = type_words[i].is_signed;
			return true;
		}
	return false;
}

/* "unsigned long long", "const struct foo *", "enum bar"; the text stands behind it then. */
static bool type_name(struct parse *ps, struct ex *cast)
{
	const char *start = ps->p;
	bool any = false, is_unsigned = false, known = false;

	cast->size = 4;
	cast->is_signed = true;
	for (;;) {
		const char *before = ps->p, *w = word(ps);

		if (streq(w, "unsigned") || streq(w, "signed")) {
			is_unsigned |= *w == 'u';
		} else if (streq(w, "struct") || streq(w, "enum") || streq(w, "union")) {
			(void)word(ps);
		} else if (!streq(w, "const") && !streq(w, "volatile")) {
			u32 size;
			bool sign;

			if (!type_word(w, &size, &sign)) {
				ps->p = before;
				break;
			}
			if (!known || !streq(w, "int")) { /* "long int", "short int" */
				cast->size = size;
				cast->is_signed = sign;
			}
			known = true;
		}
		any = true;
	}
	if (is_unsigned)
		cast->is_signed = false;
	while (any && eat(ps, "*")) {
		cast->size = 8;
		cast->is_signed = false;
		(void)eat(ps, "const");
	}
	if (!any)
		ps->p = start;
	return any;
}

/* ---- atoms */

static const struct event_member *find_member(struct parse *ps, const char *name)
{
	for (u32 i = 0; i < ps->f->n_members; i++)
		if (streq(ps->f->members[i].name, name))
			return &ps->f->members[i];
	ps->failed = true;
	return NULL;
}

/* "ent" is the struct trace_entry with which records begin: its pid is common_pid. */
static struct ex *member(struct parse *ps)
{
	struct ex *e = node(ps, EX_MEMBER);
	const char *name = word(ps);

	if (streq(name, "ent") && eat(ps, "."))
		name = arena_printf(ps->arena, "common_%s", word(ps));
	e->member = find_member(ps, name);
	return ps->failed ? fail(ps) : e;
}

/* The type of a literal is the first that holds it (C11 6.4.4.1): hexadecimal ones may take the top bit. */
static void type_literal(struct ex *e, u64 value, const char *suffix, bool decimal)
{
	bool is_unsigned = suffix[strcspn(suffix, "uU")], is_long = suffix[strcspn(suffix, "lL")];
	u64 most = decimal && !is_unsigned ? INT32_MAX : UINT32_MAX;

	e->value = (s64)value;
	e->size = is_long || value > most ? 8 : 4;
	e->is_signed = !is_unsigned && !(value >> (8 * e->size - 1) & 1);
}

static struct ex *constant(struct parse *ps, s64 value)
{
	struct ex *e = node(ps, EX_NUMBER);

	e->value = value;
	e->size = 4;
	e->is_signed = true;
	return e;
}

static struct ex *number(struct parse *ps)
{
	struct ex *e = node(ps, EX_NUMBER);
	char *end, suffix[4] = "";
	u64 value = strtoull(ps->p, &end, 0);
	size_t n = strspn(end, "uUlL");

	if (end == ps->p)
		return fail(ps);
	memcpy(suffix, end, MIN(n, sizeof suffix - 1));
	type_literal(e, value, suffix, *ps->p != '0');
	ps->p = end + n;
	return e;
}

static struct ex *character(struct parse *ps)
{
	char c = *ps->p ? *ps->p++ : '\0';
	struct ex *e = constant(ps, c == '\\' && *ps->p ? escaped(&ps->p) : c);

	return eat(ps, "'") ? e : fail(ps);
}

static const struct {
	const char *name;
	enum ex_call call;
	bool of_member; /* the first argument is a member's name */
} calls[] = {
	{ "__get_str", EX_GET_STR, true },
	{ "__get_rel_str", EX_GET_STR, true },
	{ "__get_dynamic_array", EX_GET_ARRAY, true },
	{ "__get_rel_dynamic_array", EX_GET_ARRAY, true },
	{ "__get_dynamic_array_len", EX_GET_LEN, true },
	{ "__get_rel_dynamic_array_len", EX_GET_LEN, true },
	{ "__get_bitmask", EX_GET_BITMASK, true },
	{ "__get_rel_bitmask", EX_GET_BITMASK, true },
	{ "__get_cpumask", EX_GET_CPUMASK, true },
	{ "__get_rel_cpumask", EX_GET_CPUMASK, true },
	{ "__get_sockaddr", EX_GET_SOCKADDR, true },
	{ "__get_rel_sockaddr", EX_GET_SOCKADDR, true },
	{ "__print_flags", EX_PRINT_FLAGS, false },
	{ "__print_flags_u64", EX_PRINT_FLAGS, false },
	{ "__print_symbolic", EX_PRINT_SYMBOLIC, false },
	{ "__print_symbolic_u64", EX_PRINT_SYMBOLIC, false },
	{ "__print_hex", EX_PRINT_HEX, false },
	{ "__print_hex_str", EX_PRINT_HEX_STR, false },
	{ "__print_array", EX_PRINT_ARRAY, false },
	{ "__print_ns_to_secs", EX_NS_TO_SECS, false },
	{ "__print_ns_without_secs", EX_NS_WITHOUT_SECS, false },
	{ "__print_dynamic_array", EX_PRINT_DYNAMIC, true },
	{ "__builtin_bswap16", EX_BSWAP16, false },
	{ "__builtin_bswap32", EX_BSWAP32, false },
	{ "__builtin_bswap64", EX_BSWAP64, false },
	{ "__builtin_expect", EX_SAME, false },
	{ "jiffies_to_msecs", EX_JIFFIES_TO_MS, false },
	/* drivers/nvme/host/trace.c, drivers/nvme/target/trace.c, drivers/block/null_blk/trace.c */
	{ "nvme_trace_disk_name", EX_DISK_NAME, false },
	{ "nvmet_trace_disk_name", EX_DISK_NAME, false },
	{ "nullb_trace_disk_name", EX_DISK_NAME, false },
	{ "nvmet_trace_ctrl_id", EX_CTRL_ID, false },
	/* arch/x86/include/asm/paravirt.h, without a hypervisor that keeps other values there */
	{ "pte_val", EX_SAME, false },
	{ "pmd_val", EX_SAME, false },
	{ "pud_val", EX_SAME, false },
	{ "p4d_val", EX_SAME, false },
	{ "pgd_val", EX_SAME, false },
	{ "native_make_pte", EX_SAME, false },
	{ "native_make_pmd", EX_SAME, false },
	{ "native_make_pud", EX_SAME, false },
	{ "native_make_p4d", EX_SAME, false },
	{ "native_make_pgd", EX_SAME, false },
	{ "ERR_PTR", EX_SAME, false },
};

/* { value, "text" }. A name that the kernel left in the value is none of the record's (perf script holds so, too). */
static struct ex *pair(struct parse *ps)
{
	struct ex *e = node(ps, EX_PAIR);
	bool was_unknown = ps->unknown, known;

	if (eat(ps, "}")) /* a table of nothing */
		return e;
	ps->unknown = false;
	e->a = expression(ps);
	known = !ps->unknown;
	ps->unknown = was_unknown;
	if (!eat(ps, ","))
		return fail(ps);
	blank(ps);
	if (*ps->p == '"') {
		const char *text = string(ps);

		e->text = known ? text : NULL;
	} else
		expression(ps); /* { 0, NULL } at the end */
	return eat(ps, "}") ? e : fail(ps);
}

static struct ex *arguments(struct parse *ps)
{
	struct ex *first = NULL, **last = &first;

	if (eat(ps, ")"))
		return NULL;
	do {
		*last = eat(ps, "{") ? pair(ps) : expression(ps);
		last = &(*last)->next;
		if (ps->failed)
			return fail(ps);
	} while (eat(ps, ","));
	return eat(ps, ")") ? first : fail(ps);
}

/* Such functions write into a struct trace_seq *p, which comes first. */
static void skip_sequence(struct parse *ps)
{
	const char *start = ps->p;

	if (!streq(word(ps), "p") || !eat(ps, ","))
		ps->p = start;
}

static struct ex *call(struct parse *ps, const char *name)
{
	struct ex *e = node(ps, EX_CALL);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(calls) && !streq(calls[i].name, name); i++)
		;
	e->call = i < ARRAY_SIZE(calls) ? calls[i].call : EX_UNKNOWN;
	if (i < ARRAY_SIZE(calls) && calls[i].of_member) {
		e->member = find_member(ps, word(ps));
		if (eat(ps, ","))
			e->a = expression(ps);
		return eat(ps, ")") ? e : fail(ps);
	}
	skip_sequence(ps);
	e->a = arguments(ps);
	return e->a ? e : fail(ps);
}

static struct ex *size_of(struct parse *ps)
{
	struct ex *e = constant(ps, 0), cast = { 0 };

	if (!eat(ps, "(") || !type_name(ps, &cast) || !eat(ps, ")"))
		return fail(ps);
	e->value = cast.size;
	e->size = 8;
	e->is_signed = false;
	return e;
}

/* An enumerator whose value the kernel did not put in its place, or one of its variables (jiffies, vmemmap_base): 0 */
static struct ex *constant_named(struct parse *ps, const char *name)
{
	struct ex *e = node(ps, EX_NUMBER);
	s64 value;

	if (ps->names && ps->names->constant && ps->names->constant(ps->names->ctx, name, &value)) {
		type_literal(e, (u64)value, "", true);
		return e;
	}
	ps->unknown = true;
	e->size = 8;
	return e;
}

/* A node of its own for each mention, as nodes are members of lists: "+x". */
static struct ex *copy_of(struct parse *ps, struct ex *value)
{
	struct ex *e = node(ps, EX_UNARY);

	e->op = '+';
	e->a = value;
	return e;
}

static struct ex *named(struct parse *ps)
{
	const char *name = word(ps);

	if (streq(name, "REC"))
		return eat(ps, "->") ? member(ps) : fail(ps);
	if (streq(name, "sizeof"))
		return size_of(ps);
	if (streq(name, "true") || streq(name, "false"))
		return constant(ps, *name == 't');
	for (const struct local *v = ps->locals; v; v = v->outer)
		if (streq(v->name, name))
			return copy_of(ps, v->value);
	if (*name && eat(ps, "("))
		return call(ps, name);
	return *name ? constant_named(ps, name) : fail(ps);
}

/* "(name)x" of a type that we do not know: behind a value no other can begin. */
static bool unknown_type(struct parse *ps, struct ex *cast)
{
	const char *start = ps->p;

	cast->size = 8;
	cast->is_signed = false;
	if (*word(ps) && eat(ps, ")")) {
		blank(ps);
		if (*ps->p == '(' || is_word_char(*ps->p))
			return true;
	}
	ps->p = start;
	return false;
}

/* "int x = (REC->n);": the value, cast to its type. False: this is no declaration. */
static bool declaration(struct parse *ps)
{
	struct local *v = arena_new(ps->arena, struct local);
	struct ex *cast = node(ps, EX_CAST);
	const char *start = ps->p;

	if (!type_name(ps, cast) || !*(v->name = word(ps)) || !eat(ps, "=")) {
		ps->p = start;
		return false;
	}
	cast->a = expression(ps);
	v->value = cast;
	v->outer = ps->locals;
	ps->locals = v;
	return true;
}

/* GNU C's ({ int x = (a); int y = (b); x < y ? x : y; }), as min() leaves it: the last expression is the value. */
static struct ex *statements(struct parse *ps)
{
	const struct local *outer = ps->locals;
	struct ex *e = NULL;

	do {
		if (!declaration(ps))
			e = expression(ps);
		if (ps->failed || !eat(ps, ";"))
			return fail(ps);
	} while (!eat(ps, "}"));
	ps->locals = outer;
	return e && eat(ps, ")") ? e : fail(ps);
}

static struct ex *in_parentheses(struct parse *ps)
{
	struct ex cast = { 0 }, *e;
	const char *start = ps->p;
	bool is_cast;

	if (eat(ps, "{"))
		return statements(ps);
	is_cast = type_name(ps, &cast) && eat(ps, ")");

	if (!is_cast)
		ps->p = start;
	if (is_cast || unknown_type(ps, &cast)) {
		e = node(ps, EX_CAST);
		e->size = cast.size;
		e->is_signed = cast.is_signed;
		e->a = unary(ps);
		return e;
	}
	ps->p = start;
	e = expression(ps);
	return eat(ps, ")") ? e : fail(ps);
}

static struct ex *atom(struct parse *ps)
{
	struct ex *e;

	blank(ps);
	if (*ps->p >= '0' && *ps->p <= '9')
		return number(ps);
	if (*ps->p == '"') {
		e = node(ps, EX_STRING);
		e->text = string(ps);
		return e;
	}
	if (eat(ps, "'"))
		return character(ps);
	return eat(ps, "(") ? in_parentheses(ps) : named(ps);
}

static struct ex *postfix(struct parse *ps)
{
	struct ex *e = atom(ps);

	while (!ps->failed && eat(ps, "[")) {
		struct ex *i = node(ps, EX_INDEX);

		i->a = e;
		i->b = expression(ps);
		e = eat(ps, "]") ? i : fail(ps);
	}
	return e;
}

/* ---- operators */

static struct ex *unary(struct parse *ps)
{
	struct ex *e;

	blank(ps);
	if (!*ps->p || !strchr("!~-+*&", *ps->p))
		return postfix(ps);
	if (++ps->depth > MAX_DEPTH)
		return fail(ps);
	e = node(ps, EX_UNARY);
	e->op = (u16)*ps->p++;
	e->a = unary(ps);
	ps->depth--;
	return e;
}

static const struct {
	const char *text;
	u32 level;
} operators[] = {
	{ "||", 1 }, { "&&", 2 }, { "==", 6 }, { "!=", 6 }, { "<=", 7 }, { ">=", 7 },
	{ "<<", 8 }, { ">>", 8 }, { "|", 3 },  { "^", 4 },  { "&", 5 },  { "<", 7 },
	{ ">", 7 },  { "+", 9 },  { "-", 9 },  { "*", 10 }, { "/", 10 }, { "%", 10 },
};

static u32 operator_at(struct parse *ps)
{
	blank(ps);
	for (u32 i = 0; i < ARRAY_SIZE(operators); i++)
		if (starts_with(ps->p, operators[i].text))
			return i;
	return ARRAY_SIZE(operators);
}

static struct ex *binary(struct parse *ps, u32 level)
{
	struct ex *left = unary(ps);
	u32 i;

	while (!ps->failed && (i = operator_at(ps)) < ARRAY_SIZE(operators) &&
	       operators[i].level >= level) {
		struct ex *e = node(ps, EX_BINARY);
		const char *text = operators[i].text;

		ps->p += strlen(text);
		e->op = (u16)(text[1] ? text[0] << 8 | text[1] : text[0]);
		e->a = left;
		e->b = binary(ps, operators[i].level + 1);
		left = e;
	}
	return left;
}

static struct ex *expression(struct parse *ps)
{
	struct ex *e, *t;

	if (ps->failed || ++ps->depth > MAX_DEPTH)
		return fail(ps);
	e = binary(ps, 1);
	if (eat(ps, "?")) {
		t = node(ps, EX_TERNARY);
		t->a = e;
		t->b = expression(ps);
		t->c = eat(ps, ":") ? expression(ps) : fail(ps);
		e = t;
	}
	ps->depth--;
	return e;
}

struct ex_format *ex_parse(struct arena *a, const struct event_format *f, const struct names *names)
{
	struct parse ps = { .arena = a, .f = f, .names = names, .p = f->print_fmt };
	struct ex_format *out = arena_new(a, struct ex_format);
	struct ex **last = &out->args;

	blank(&ps);
	if (*ps.p != '"')
		return NULL;
	out->text = string(&ps);
	while (!ps.failed && eat(&ps, ",")) {
		*last = expression(&ps);
		last = &(*last)->next;
	}
	blank(&ps);
	return ps.failed || *ps.p ? NULL : out;
}
