/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the views of system call arguments from calls.def, callstructs.def (both explain their
 * text), netlink.def and callsets.def. Each is read once, on first use.
 */
#include <stdlib.h>
#include "base/hash.h"
#include "sym/callrows.h"
#include "sym/calls.h"
#include "sym/callviews.h"
#include "sym/constants.h"
#include "sym/genl.h"
#include "sym/ioctls.h"
#include "sym/syscalls.h"

/* The programs whose calls are read. */
static enum {
	OF_NATIVE,
	OF_I386, /* arguments have 32 bits; memory is laid out as in 64-bit programs */
	/* so is memory of 32-bit programs: rows NAME_32, or what has no long and no pointer */
	OF_I386_ALSO,
} mode;

/* What the text being read describes. */
static enum { IN_ARGUMENTS, IN_MEMORY, IN_STRUCT, IN_STRUCT_32 } place;

static u32 n_unknown; /* lookups that find_struct() failed */

static struct arena all; /* for all of this file; never freed */
static struct hash formats, structs, choices, named_sets, attr_tables;

static const struct {
	u32 protocol;
	const char *head, *payload;
} message_table[] = {
#define S(name, size, text)
#define N(name, by, text)
#define A(name, prefix, text)
#define K(name, text)
#define M(protocol, head, payload) { protocol, #head, payload },
#include "sym/netlink.def"
#undef S
#undef N
#undef A
#undef K
#undef M
};

static const struct call_row *find_row(enum call_table table, const char *name)
{
	const struct call_row *row = call_row(table, name);

	if (!row)
		BUG("no description of %s", name);
	return row;
}

/* ---- text */

static u32 number(const char **s)
{
	char *end;
	u32 n = (u32)strtoul(*s, &end, 0);

	*s = end;
	return n;
}

/* The text up to one of the characters in `end`, which is skipped. */
static const char *word(const char **s, const char *end)
{
	size_t n = strcspn(*s, end);
	const char *w = arena_strndup(&all, *s, n);

	*s += n + ((*s)[n] != '\0');
	return w;
}

/* Likewise, but the character stays. */
static const char *word_before(const char **s, const char *end)
{
	const char *w = word(s, end);

	*s -= (*s)[-1] != '\0' && strchr(end, (*s)[-1]);
	return w;
}

/* ---- sets */

/* Families of generic netlink have numbers that the kernel chooses. */
static void complete_families(struct call_set *set)
{
	set->v = arena_array(&all, struct call_name, CALL_SET_MAX);
	set->n = genl_families(&all, set->v, CALL_SET_MAX);
	set->unknown = "GENERIC_FAMILY_";
	set->complete = NULL;
}

static void complete_set(struct call_set *set)
{
	const char *field;

	set->v = arena_array(&all, struct call_name, CALL_SET_MAX);
	set->n = call_set(&all, set->name, set->v, CALL_SET_MAX);
	set->unknown = call_set_word(&all, set->name, '?');
	set->others = call_set_word(&all, set->name, '%');
	set->shift = call_set_word(&all, set->name, '<');
	set->is_exact = call_set_word(&all, set->name, '=');
	field = call_set_word(&all, set->name, '&');
	set->any_field = field && *field != '?';
	set->field = field ? strtoull(field + !set->any_field, NULL, 0) : 0;
	set->complete = NULL;
}

#define IOCTLS_I386 "ioctl_i386"

static struct call_set *find_set(const char *name);

static void complete_ioctls(struct call_set *set)
{
	set->n = ioctl_names(&all, streq(set->name, IOCTLS_I386), &set->v);
	set->requests = ioctl_requests(find_set);
	set->complete = NULL;
}

static struct call_set *find_set(const char *name)
{
	const char *own = streq(name, "ioctl") && mode != OF_NATIVE ? IOCTLS_I386 : name;
	struct call_set *set = hash_gets(&named_sets, own);

	if (set)
		return set;
	set = arena_new(&all, struct call_set);
	set->name = name = own;
	set->complete = streq(name, "genl_family") ? complete_families :
			starts_with(name, "ioctl") ? complete_ioctls :
						     complete_set;
	hash_puts(&named_sets, name, set);
	return set;
}

/* ---- views */

static struct call_view read_view(const char **s);
static const struct call_struct *find_struct(const char *name);
static bool is_wide_struct(const struct call_struct *st);
static const struct call_choice *find_choice(const char *name);
static const struct call_attrs *find_attrs(const char *name);
static const struct call_messages *find_messages(void);

/* :2 :r :*2 :=16 :m8/4 :b0 */
static struct call_len read_len(const char **s)
{
	static const struct {
		char letter;
		enum call_len_kind kind;
	} kinds[] = { { 'r', LEN_RESULT }, { '*', LEN_POINTEE }, { '=', LEN_CONST },
		      { 'm', LEN_MEMBER }, { 'b', LEN_BITS },    { 'g', LEN_PAGES },
		      { 'n', LEN_NODES } };
	struct call_len len = { 0 };

	if (**s != ':')
		return len;
	len.kind = LEN_ARG;
	++*s;
	len.exact = **s == '!';
	len.least = **s == '>';
	*s += len.exact || len.least;
	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
		if (**s == kinds[i].letter) {
			len.kind = kinds[i].kind;
			++*s;
			break;
		}
	if (len.kind != LEN_RESULT)
		len.value = (u16)number(s);
	if (len.kind == LEN_MEMBER || (len.kind == LEN_POINTEE && **s == '/')) {
		++*s;
		len.size = (u8)number(s);
	}
	return len;
}

static const struct call_view *read_inner(const char **s)
{
	struct call_view *v = arena_new(&all, struct call_view);

	*v = read_view(s);
	return v;
}

static const struct letter {
	char letter;
	u8 kind, size, base;
	bool is_signed;
} letters[] = {
	{ 'd', VIEW_NUMBER, 0, 10, true },      { 'u', VIEW_NUMBER, 0, 10, false },
	{ 'x', VIEW_NUMBER, 0, 16, false },     { 'X', VIEW_NUMBER, 0, 17, false },
	{ 'o', VIEW_NUMBER, 0, 8, false },      { 'p', VIEW_ADDRESS, 8, 16, false },
	{ 'f', VIEW_FLAGS, 0, 0, false },       { 'e', VIEW_NAMES, 0, 0, true },
	{ 'm', VIEW_FILE_MODE, 0, 8, false },   { 'M', VIEW_MODE, 0, 8, false },
	{ 'D', VIEW_DEVICE, 0, 0, false },      { 'i', VIEW_ID, 4, 0, false },
	{ 'h', VIEW_PORT, 2, 0, false },        { 'a', VIEW_INET, 4, 0, false },
	{ 'A', VIEW_INET6, 16, 0, false },      { 'S', VIEW_SIGNALS, 8, 0, false },
	{ 'W', VIEW_WAIT, 4, 0, false },        { 'c', VIEW_CHARS, 0, 0, false },
	{ '.', VIEW_CHARS, 0, 1, false },       { 'b', VIEW_BYTES, 0, 0, false },
	{ 'P', VIEW_PATH, 0, 0, false },        { 'F', VIEW_FD_SET, 0, 0, false },
	{ '"', VIEW_DATA, 0, 0, false },        { 's', VIEW_STRING, 0, 0, false },
	{ 'n', VIEW_FILE_NAME, 0, 0, false },   { 'V', VIEW_STRINGS, 8, 0, false },
	{ 'E', VIEW_ENVIRON, 8, 0, false },     { '@', VIEW_AT, 4, 0, true },
	{ '-', VIEW_HIDDEN, 0, 0, false },      { 'l', VIEW_LITERAL, 0, 0, false },
	{ 'R', VIEW_RLIMIT, 0, 0, false },      { 'Q', VIEW_HANDLER, 0, 0, false },
	{ 'T', VIEW_DATE, 0, 0, true },         { 'U', VIEW_DATED, 0, 0, false },
	{ 'C', VIEW_CAPS, 4, 0, false },        { 'O', VIEW_FUTEX_OP, 0, 0, false },
	{ 'N', VIEW_NUMBER_NAME, 0, 10, true }, { 'K', VIEW_BIT_FIELDS, 0, 0, false },
	{ 'v', VIEW_INT_OR_DATA, 0, 0, false }, { 'B', VIEW_HEX_DATA, 0, 0, false },
	{ 'Z', VIEW_DATA, 0, 1, false },        { 'q', VIEW_QUOTA, 0, 0, false },
	{ 'L', VIEW_LEFT, 0, 0, false },        { 'G', VIEW_DIRENTS, 0, 0, false },
	{ 'H', VIEW_CONTROL, 0, 0, false },     { 'k', VIEW_VERSION, 4, 0, false },
	{ 'I', VIEW_PRIORITY, 4, 0, false },    { 'w', VIEW_HARDWARE, 0, 0, false },
	{ '_', VIEW_PID, 4, 10, true },         { 'j', VIEW_FD, 4, 10, true },
	{ 'r', VIEW_ERROR, 4, 10, true },       { 't', VIEW_TICKS, 8, 10, true },
	{ 'y', VIEW_PAIR, 8, 0, false },        { 'Y', VIEW_PAIR, 8, 1, false },
	{ 'z', VIEW_PAGES, 8, 16, false },      { 'g', VIEW_DATE, 8, 1, true },
	{ 'J', VIEW_INTERFACE, 4, 10, true },   { '#', VIEW_MESSAGE, 0, 0, false },
	{ '$', VIEW_NET_ADDRESS, 0, 0, false }, { '|', VIEW_FILTER, 0, 0, false },
};

static bool wants_set(const struct call_view *v)
{
	return v->kind == VIEW_FLAGS || v->kind == VIEW_NAMES || v->kind == VIEW_LITERAL ||
	       v->kind == VIEW_NUMBER_NAME || v->kind == VIEW_BIT_FIELDS || v->kind == VIEW_QUOTA ||
	       v->kind == VIEW_PORT;
}

/* In 32-bit programs a long or a pointer has 4 bytes, except in a row for 64-bit programs alone. */
static u8 size_in_place(const struct call_view *v)
{
	bool is_argument = place == IN_ARGUMENTS;

	if (v->size != 8 || v->kind == VIEW_SIGNALS || mode == OF_NATIVE || place == IN_STRUCT)
		return v->size;
	if (is_argument)
		return v->is_signed ? 4 : 8;
	if (mode == OF_I386)
		return 8;
	return place == IN_MEMORY || v->kind == VIEW_ADDRESS ? 4 : 8;
}

static const struct call_struct *native_struct(const char *name)
{
	const int before = mode;
	const struct call_struct *st;

	mode = OF_NATIVE;
	st = find_struct(name);
	mode = before;
	return st;
}

/* How values without a name, or all of them, are shown. */
static void read_base(struct call_view *v, const char **s)
{
	static const struct {
		char letter;
		u8 base;
	} bases[] = { { 'o', 8 }, { 'd', 10 }, { 'x', 16 }, { 'b', 2 } };

	for (u32 i = 0; i < ARRAY_SIZE(bases); i++)
		if (bases[i].letter == **s) {
			v->base = bases[i].base;
			++*s;
			return;
		}
}

static void read_letter(struct call_view *v, const char **s)
{
	char c = **s;
	bool in_place;

	++*s;
	for (u32 i = 0; i < ARRAY_SIZE(letters); i++) {
		if (letters[i].letter != c)
			continue;
		*v = (struct call_view){ .kind = letters[i].kind,
					 .size = letters[i].size,
					 .base = letters[i].base,
					 .is_signed = letters[i].is_signed };
		in_place = v->kind == VIEW_CHARS || v->kind == VIEW_BYTES || v->kind == VIEW_PATH ||
			   v->kind == VIEW_HARDWARE;
		if (**s >= '0' && **s <= '9') {
			u32 n = number(s);

			if (in_place)
				v->count = (u16)n;
			else
				v->size = (u8)n;
		}
		v->size = size_in_place(v);
		v->is_signed &= v->kind != VIEW_NAMES || v->size >= 4;
		if (v->kind == VIEW_MESSAGE)
			v->messages = find_messages();
		if (v->kind == VIEW_DIRENTS)
			v->st = native_struct(v->size == 64 ? "dirent64" : "dirent");
		if (v->kind == VIEW_CONTROL)
			v->st = native_struct("cmsghdr");
		if (wants_set(v))
			read_base(v, s);
		if (**s == ':' && wants_set(v)) {
			++*s;
			v->set = find_set(word_before(s, " ;]:+"));
		}
		return;
	}
	BUG("view '%c%s'", c, *s);
}

/* The address is shown if what it points to is not known. */
static void read_pointer(struct call_view *v, const char **s)
{
	bool in_memory = place != IN_ARGUMENTS && place != IN_STRUCT && mode == OF_I386_ALSO;

	v->size = in_memory ? 4 : 8;
	place = place == IN_ARGUMENTS ? IN_MEMORY : place;
	v->of = read_inner(s);
	v->kind = v->of->kind == VIEW_HIDDEN ? VIEW_ADDRESS : VIEW_POINTER;
}

/* What follows a structure in a message. */
static void read_rest(struct call_view *v, const char **s)
{
	if (**s == '&') {
		++*s;
		v->attrs = find_attrs(word_before(s, " ;"));
	} else if (**s == '?') {
		v->of = read_inner(s);
	}
}

static struct call_view read_view(const char **s)
{
	static const char dirs[] = "<~^=>+"; /* in the order of enum view_dir */
	struct call_view v = { 0 };
	const int before = place;
	u8 dir = VIEW_IN;

	if (**s && strchr(dirs, **s)) {
		dir = (u8)(VIEW_OUT + strchr(dirs, **s) - dirs);
		++*s;
	}
	switch (*(*s)++) {
	case '*': read_pointer(&v, s); break;
	case '{':
		v.st = find_struct(word(s, "}"));
		v.kind = v.st ? VIEW_STRUCT : VIEW_HIDDEN;
		read_rest(&v, s);
		break;
	case '!':
		v = read_view(s);
		v.kind = VIEW_RECORDS;
		break;
	case '&':
	case '%':
		v.kind = (*s)[-1] == '&' ? VIEW_ATTRS : VIEW_BY_KIND;
		v.attrs = find_attrs(word_before(s, " ;"));
		break;
	case '(':
		v.st = find_struct(word(s, ")"));
		v.kind = v.st ? VIEW_MEMBERS : VIEW_HIDDEN;
		read_rest(&v, s);
		break;
	case '[':
		v.of = read_inner(s);
		v.kind = v.of->kind == VIEW_HIDDEN ? VIEW_HIDDEN : VIEW_ARRAY;
		++*s; /* ] */
		if (**s == '#') {
			++*s;
			v.set = find_set(word_before(s, " ;:"));
		}
		break;
	case '?':
		v.kind = VIEW_CHOICE;
		v.choice = find_choice(word(s, "?"));
		break;
	default: --*s; read_letter(&v, s);
	}
	place = before;
	v.dir = dir;
	v.len = read_len(s);
	return v;
}

u32 view_size(const struct call_view *v)
{
	u32 size = v->count ? v->count : v->size;

	switch ((enum view_kind)v->kind) {
	case VIEW_STRUCT:
	case VIEW_MEMBERS: return v->st->size;
	case VIEW_ARRAY: return v->len.kind == LEN_CONST ? v->len.value * view_size(v->of) : 0;
	case VIEW_CHOICE:
		size = view_size(&v->choice->rest);
		for (u32 i = 0; i < v->choice->n; i++)
			size = MAX(size, view_size(&v->choice->v[i].view));
		return size;
	case VIEW_FD_SET: return 128;
	case VIEW_CAPS: return 4;
	case VIEW_DATED: return 16;
	case VIEW_STRINGS:
	case VIEW_FILTER:
	case VIEW_ENVIRON: return 0;
	default: return size;
	}
}

/* ---- structures and choices */

static u32 alignment(const struct call_view *v)
{
	u32 size = v->kind == VIEW_ARRAY ? view_size(v->of) : v->size;

	return size == 2 || size == 4 || size == 8 ? size : 1;
}

static bool is_pid(const char *name)
{
	return streq(name, "pid") || streq(name, "tgid") || streq(name, "upid") ||
	       streq(name, "pid1") || streq(name, "pid2") || streq(name, "l_pid") ||
	       streq(name, "nlmsg_pid");
}

/* Descriptors are recognized by the argument's name: fd, epfd, fd_in, fildes; so are processes. */
static void mark_number(struct call_view *v, const char *name)
{
	size_t n = strlen(name);
	bool is_fd = (n >= 2 && streq(name + n - 2, "fd")) || (starts_with(name, "fd") && n < 7) ||
		     streq(name, "fildes") || streq(name, "mqdes") || streq(name, "aio_fildes");

	if (is_fd && v->kind == VIEW_NUMBER && v->is_signed && v->size == 4)
		v->kind = VIEW_FD;
	if (is_pid(name) && v->kind == VIEW_NUMBER && v->is_signed && v->size == 4)
		v->kind = VIEW_PID;
}

static void read_members(struct call_struct *st, const char *s);

/* Reads the members after "...": then all members are known. */
static void read_full(struct call_struct *st, const char *s)
{
	struct call_struct *full;

	if (*s != ' ')
		return;
	full = arena_new(&all, struct call_struct);
	*full = (struct call_struct){ .name = st->name, .size = st->size };
	read_members(full, s + 1);
	st->full = full;
}

/* What is said of the structure before its members: "!" is_whole, "%" is_cut, "/<<8|/" between. */
static const char *read_marks(struct call_struct *st, const char *s)
{
	st->is_cut = *s == '%';
	s += st->is_cut ? strlen("% ") : 0;
	st->is_whole = *s == '!';
	s += st->is_whole ? strlen("! ") : 0;
	if (*s == '/') {
		s++;
		st->between = word(&s, "/");
		s++;
	}
	return s;
}

/* "tv_sec=d8 tv_nsec=d8": members follow each other as in C; "@16 " places one at byte 16, "..."
 * omits some. */
static void read_members(struct call_struct *st, const char *s)
{
	VEC(struct call_field) fields = { 0 };
	u32 at = 0;

	while (*s) {
		struct call_field f;

		if (*s == '@') {
			s++;
			at = number(&s);
			s += *s == ' ';
			continue;
		}
		if (*s == '~') {
			st->has_tail = true;
			st->tail_is_more = s[1] == '.';
			st->tail_is_extra = s[1] == '!';
			break;
		}
		if (*s == '.') {
			st->has_more = true;
			read_full(st, s + 3);
			break;
		}
		f.name = word(&s, "=");
		f.view = read_view(&s);
		mark_number(&f.view, f.name);
		s += *s == ' ';
		at = ALIGN_UP(at, MIN(alignment(&f.view), place == IN_STRUCT_32 ? 4u : 8u));
		f.offset = at;
		/* members of an unnamed choice have their own offsets */
		if (*f.name || f.view.kind != VIEW_CHOICE)
			at += view_size(&f.view);
		if (f.view.kind != VIEW_HIDDEN)
			vec_push(&all, &fields, f);
	}
	st->v = fields.v;
	st->n = fields.n;
}

/* Its layout differs in 32-bit programs: a long, a pointer, or a structure with one. */
static bool is_wide(const struct call_view *v)
{
	bool wide = v->kind == VIEW_POINTER || v->kind == VIEW_DATED ||
		    (v->size == 8 && v->kind != VIEW_SIGNALS && v->kind != VIEW_BIT_FIELDS);

	if (v->kind == VIEW_STRUCT || v->kind == VIEW_MEMBERS)
		return is_wide_struct(v->st);
	if (v->kind == VIEW_ARRAY)
		return is_wide(v->of);
	for (u32 i = 0; v->kind == VIEW_CHOICE && i < v->choice->n; i++)
		wide |= is_wide(&v->choice->v[i].view);
	return wide || (v->kind == VIEW_CHOICE && is_wide(&v->choice->rest));
}

static bool is_wide_struct(const struct call_struct *st)
{
	bool wide = strstr(st->name, "_32") || !st->size;

	for (u32 i = 0; i < st->n; i++)
		wide |= is_wide(&st->v[i].view);
	return wide;
}

static const struct call_struct *find_if_any(const char *name)
{
	return call_row(CALL_STRUCTS, name) ? find_struct(name) : NULL;
}

/* Members of the rows call_CALL and result_CALL are words of arguments. */
static bool is_of_arguments(const char *name)
{
	return starts_with(name, "call_") || starts_with(name, "result_");
}

/* The row for 32-bit programs if there is one, else the row for all. */
static const struct call_row *row_in_mode(enum call_table table, const char *name)
{
	const char *own = mode == OF_I386_ALSO ? arena_printf(&all, "%s_32", name) : name;
	const struct call_row *row = call_row(table, own);

	return row ? row : find_row(table, name);
}

static const char *key_in_mode(const char *name)
{
	return mode == OF_I386_ALSO ? arena_printf(&all, "%s@32", name) : name;
}

/* NULL: only 64-bit programs have the structure. */
static const struct call_struct *find_struct(const char *name)
{
	const int mode_before = mode, place_before = place;
	bool of_arguments = is_of_arguments(name);
	const u32 unknown_before = n_unknown;
	struct call_struct *st;
	const struct call_row *row;
	const char *key;

	mode = mode == OF_I386 && !of_arguments ? OF_NATIVE : mode;
	key = key_in_mode(name);
	st = hash_gets(&structs, key);
	if (!st) {
		row = row_in_mode(CALL_STRUCTS, name);
		place = of_arguments             ? IN_ARGUMENTS :
			strstr(row->name, "_32") ? IN_STRUCT_32 :
						   IN_STRUCT;
		st = arena_new(&all, struct call_struct);
		*st = (struct call_struct){ .name = row->name,
					    .size = (u32)strtoul(row->by, NULL, 10) };
		hash_puts(&structs, key, st);
		read_members(st, read_marks(st, row->text));
		st->after = find_if_any(arena_printf(&all, "%s_after", name));
		st->failed = find_if_any(arena_printf(&all, "%s_failed", name));
		st->size = n_unknown > unknown_before && !of_arguments ? 0 : st->size;
	}
	key = mode == OF_I386_ALSO && !of_arguments && !strstr(st->name, "_32") &&
			      is_wide_struct(st) ?
		      NULL :
		      key;
	mode = mode_before;
	place = place_before;
	n_unknown += !key;
	return key ? st : NULL;
}

/* A constant, the name of an ioctl request, or a number. False: the request is of another
 * architecture. */
static bool case_value(const char *text, s64 *value)
{
	const char *own = strchr(text, ':');
	char *end;

	if (!own && constant_find(text, value))
		return true;
	*value = strtoll(own ? own + 1 : text, &end, 0);
	if (!*end)
		return true;
	if (ioctl_find(text, mode != OF_NATIVE, value))
		return *value;
	BUG("no value of %s", text);
}

/* "+16" */
static u32 read_least(const char **s)
{
	if (**s != '+')
		return 0;
	++*s;
	return number(s);
}

/* "TCGETS,TCGETS2 <*{termios};* p": values, a space, their view; "*": any other value. */
static void read_cases(struct call_choice *c, const char *s)
{
	VEC(struct call_case) cases = { 0 };

	while (*s) {
		const char *values = word(&s, " ");
		struct call_view view = read_view(&s);
		u32 least = read_least(&s);

		s += *s == ';';
		if (*values == '*') {
			c->rest = view;
			c->rest_least = least;
		}
		while (*values && *values != '*') {
			struct call_case one = { 0, least, view };

			if (case_value(word(&values, ","), &one.value))
				vec_push(&all, &cases, one);
		}
	}
	c->v = cases.v;
	c->n = cases.n;
}

static void read_by(struct call_choice *c, const char *by)
{
	if (*by == 'm') {
		by++;
		c->by_member = true;
	}
	c->where = (u16)number(&by);
	if (*by == '/') {
		by++;
		c->size = (u8)number(&by);
	}
	if (*by == '&') {
		by++;
		c->mask = number(&by);
	}
}

/* Chosen by: "1" the second argument; "m0/2" the member of 2 bytes at offset 0; "1&0xff" some
 * bits. */
static const struct call_choice *find_choice(const char *name)
{
	const int mode_before = mode;
	struct call_choice *c;
	const struct call_row *row;
	const char *key;

	mode = mode == OF_I386 ? OF_NATIVE : mode;
	key = key_in_mode(name);
	c = hash_gets(&choices, key);
	if (!c) {
		row = row_in_mode(CALL_CHOICES, name);
		c = arena_new(&all, struct call_choice);
		*c = (struct call_choice){ .mask = ~0u, .size = 4 };
		hash_puts(&choices, key, c);
		read_by(c, row->by);
		read_cases(c, row->text);
	}
	mode = mode_before;
	return c;
}

/* ---- netlink */

/* Of attributes: names and numbers of V and F, or one more than the one before. */
static const char *read_attr_name(const char **s, const char *prefix, struct call_name *n)
{
	const char *name = word_before(s, " :=");

	n->name = arena_printf(&all, "%s%s", prefix, name);
	if (**s == ':') {
		++*s;
		n->value = (s64)number(s);
	}
	return name;
}

/* "ADDRESS:1=w BROADCAST=w IFNAME=s"; "?IFLA_VF_PORT_" is how others are called. */
static void read_attrs(struct call_attrs *t, const struct call_row *row)
{
	VEC(struct call_attr) attrs = { 0 };
	VEC(struct call_name) names = { 0 };
	struct call_name n = { .value = -1 };
	bool has_set = row->by && *row->by == '=';

	t->set->unknown = row->by;
	for (const char *s = row->text; *s; s += *s == ' ') {
		struct call_attr a = { 0 };

		n.value++;
		if (*s == '?') {
			n.value--;
			s++;
			t->set->unknown = word_before(&s, " ");
			continue;
		}
		if (has_set)
			n.value = (s64)number(&s);
		else
			a.kind = read_attr_name(&s, row->by ? row->by : "", &n);
		vec_push(&all, &names, n);
		a.type = (u32)n.value;
		if (*s == '=') {
			s++;
			a.view = read_view(&s);
			vec_push(&all, &attrs, a);
		}
	}
	t->v = attrs.v;
	t->n = attrs.n;
	if (has_set) {
		t->set = find_set(row->by + 1);
		return;
	}
	t->set->v = names.v;
	t->set->n = row->by && *row->by ? names.n : 0;
}

static const struct call_attrs *find_attrs(const char *name)
{
	struct call_attrs *t = hash_gets(&attr_tables, name);

	if (t)
		return t;
	t = arena_new(&all, struct call_attrs);
	t->set = arena_new(&all, struct call_set);
	t->set->name = name;
	hash_puts(&attr_tables, name, t);
	read_attrs(t, find_row(CALL_ATTRS, name));
	return t;
}

/* The same for all programs: messages have no longs and pointers. */
static const struct call_messages *find_messages(void)
{
	static struct call_messages messages;
	const int mode_before = mode, place_before = place;

	if (messages.error)
		return &messages;
	mode = OF_NATIVE;
	place = IN_STRUCT;
	messages.error = find_attrs("nlmsgerr");
	messages.event = find_struct("udev_monitor");
	messages.other.head = find_struct("nlmsghdr");
	for (u32 i = 0; i < CALL_PROTOCOLS; i++)
		messages.of[i] = messages.other;
	for (u32 i = 0; i < ARRAY_SIZE(message_table); i++) {
		const char *payload = message_table[i].payload;
		u32 protocol = message_table[i].protocol;

		messages.of[protocol].head = find_struct(message_table[i].head);
		messages.of[protocol].payload = read_view(&payload);
	}
	mode = mode_before;
	place = place_before;
	return &messages;
}

/* ---- calls */

/* Sizes and signs of C types that are not evident. */
static struct call_view view_of_c_type(const char *type)
{
	static const struct {
		const char *type, *view;
	} rows[] = {
		{ "int", "d4" },           { "unsigned int", "u4" }, { "unsigned", "u4" },
		{ "u32", "u4" },           { "__u32", "u4" },        { "__s32", "d4" },
		{ "pid_t", "d4" },         { "uid_t", "i4" },        { "gid_t", "i4" },
		{ "qid_t", "i4" },         { "key_t", "x4" },        { "timer_t", "d4" },
		{ "mqd_t", "d4" },         { "const int", "d4" },    { "const __u32", "u4" },
		{ "long", "d8" },          { "loff_t", "d8" },       { "off_t", "d8" },
		{ "unsigned long", "u8" }, { "size_t", "u8" },       { "const size_t", "u8" },
		{ "clockid_t", "d4" },     { "key_serial_t", "d4" }, { "rwf_t", "u4" },
		{ "__u64", "x8" },         { "aio_context_t", "p" }, { "umode_t", "M4" },
	};
	const char *text = "p";

	if (!strchr(type, '*'))
		text = "d4";
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if (streq(rows[i].type, type))
			text = rows[i].view;
	return read_view(&text);
}

static struct call_view view_of_word(const struct call_arg *arg)
{
	static const char *const views[] = { [CALL_STRING] = "*n",
					     [CALL_AT] = "@",
					     [CALL_MODE] = "M2",
					     [CALL_HEX] = "x4",
					     [CALL_ADDRESS] = "p" };
	const char *text;
	struct call_view v;

	switch (arg->word) {
	case CALL_CTYPE: return view_of_c_type(arg->type);
	case CALL_FLAGS:
	case CALL_NAMES:
		return (struct call_view){ .kind = arg->word == CALL_FLAGS ? VIEW_FLAGS :
									     VIEW_NAMES,
					   .size = 4,
					   .is_signed = arg->word == CALL_NAMES,
					   .set = find_set(arg->type) };
	case CALL_STRING:
	case CALL_AT:
	case CALL_MODE:
	case CALL_HEX:
	case CALL_ADDRESS: break;
	}
	text = views[arg->word];
	v = read_view(&text);
	return v;
}

/* The structure or choice result_EVENT is shown after the result. */
static struct call_view find_result(const char *event)
{
	const char *name = arena_printf(&all, "result_%s", event);

	if (call_row(CALL_CHOICES, name))
		return (struct call_view){ .kind = VIEW_CHOICE, .choice = find_choice(name) };
	if (call_row(CALL_STRUCTS, name))
		return (struct call_view){ .kind = VIEW_MEMBERS, .st = find_struct(name) };
	return (struct call_view){ .kind = VIEW_HIDDEN };
}

/* The row that describes all arguments of a call: its own, or that of the call with the same
 * arguments. */
static const struct call_struct *find_whole(const char *event, const char *base)
{
	const struct call_struct *st = find_if_any(arena_printf(&all, "call_%s", event));

	return st ? st : find_if_any(arena_printf(&all, "call_%s", base));
}

static void read_format(struct call_format *f, const struct call_desc *c)
{
	const struct syscall_i386 *i386 = syscall_i386_find(c->event);
	const char *base = i386 ? i386->event : c->event;
	struct call_arg args[CALL_MAX_ARGS];

	mode = !i386 ? OF_NATIVE : i386->has_structs ? OF_I386_ALSO : OF_I386;
	f->name = c->event;
	f->n = call_args(&all, c, args, CALL_MAX_ARGS);
	f->whole = i386 && i386->args ? find_if_any(arena_printf(&all, "call_%s", c->event)) :
					find_whole(c->event, base);
	f->result = find_result(base);
	for (u32 i = 0; i < f->n; i++) {
		const char *view = args[i].view;

		f->arg[i] = (struct call_field){ .name = args[i].name,
						 .offset = i,
						 .view = view ? read_view(&view) :
								view_of_word(&args[i]) };
		mark_number(&f->arg[i].view, f->arg[i].name);
	}
	mode = OF_NATIVE;
}

const struct call_format *call_format(const char *event)
{
	struct call_format *f = hash_gets(&formats, event);
	const struct call_desc *c = f ? NULL : call_find(event);

	if (!c)
		return f;
	f = arena_new(&all, struct call_format);
	hash_puts(&formats, c->event, f);
	read_format(f, c);
	return f;
}
