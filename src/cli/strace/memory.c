/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that argstr does not keep: data beyond its limits, buffers of long vectors, long lists of
 * strings. In: the views of a call. Out: clauses, each of which precedes one that prints argstr,
 * and print the memory in records. What comes before an entry or a return belongs to it.
 *
 *	syscall:=read:return {
 *		if (retval >= 0) {
 *			$most = 100000;
 *			$at = (uint64)args.buf;
 *			$n = (int64)retval;
 *			if ($n > 4096) { ... print((12, tid, pid, 0, $at, buf($at, $m))); ... }
 *		}
 *	}
 */
#include <stdlib.h>
#include "cli/strace/event.h"
#include "engine/engine.h"
#include "sym/callviews.h"

enum {
	CHUNK = 32764,                /* bytes of a record: max_strlen of the script, less 4 */
	PART = 16384,                 /* likewise of a string */
	KEPT_LEAST = 32,              /* what argstr keeps of all buffers, */
	KEPT_DATA = 4096,             /* of one that is an argument, */
	KEPT_INSIDE = 256,            /* of one to which a structure points, */
	KEPT_ARRAY = 512,             /* of an array, in bytes, */
	KEPT_ELEMENTS = 16,           /* and of how many elements it follows the pointers, */
	KEPT_BUFFERS = 4,             /* also of an array in an array, */
	KEPT_POINTERS = 96,           /* and of the environment; */
	KEPT_PROGRAM = 256,           /* bytes of a BPF program, */
	FILTER_MOST = 8 * UINT16_MAX, /* which has no more */
	EVERYTHING = INT32_MAX,
};

/*
 * Without bpf_loop() verifiers follow each iteration, and with a large bound each of these clauses
 * takes them as long as all other programs together. What is cut by these bounds is shown as cut.
 */
enum {
	FOLLOWED_ELEMENTS = 128, /* of a list, */
	FOLLOWED_OUTER = 16,     /* of an array of arrays, */
	FOLLOWED_NESTED = 4,     /* of an array in an array, */
	FOLLOWED_POINTERS = 512,
	FOLLOWED_PARTS = 16,       /* chunks of one object, */
	FOLLOWED_PARTS_INSIDE = 2, /* and of one in an array */
};

struct walk {
	struct buf b; /* what is to become the clause */
	const struct strace *st;
	const struct call_format *f;
	u32 nr;
	bool is_return, dumps; /* dumps: $dumps says whether the data are shown in hex */
	bool is_followed;      /* verifiers follow each iteration */
	u64 elements;          /* of a list at most, if it is not dumped */
	u32 depth;             /* of loops: the number in names of variables */
	u32 n_arrays;
	bool out, left; /* the call stores the memory; $left: bytes that it has stored */
	bool some;      /* something is printed */
	const char *beyond;
};

/* Where an address is: text of an expression, and of the structure that it is in; "": none. */
struct place {
	const char *address, *base;
};

static bool is_whole_call(const struct strace *st, u32 nr)
{
	return !strace_in_set(st->o.abbrev, SYSCALL_MAX, nr);
}

static const char *text(const struct walk *w, const char *format, ...) FORMAT(2, 3);

static const char *text(const struct walk *w, const char *format, ...)
{
	const char *s;
	va_list ap;

	va_start(ap, format);
	s = arena_vprintf(&w->st->c->line.arena, format, ap);
	va_end(ap);
	return s;
}

/* A length in its units; NULL: not known here. */
static const char *length(const struct walk *w, struct call_len len, struct place at)
{
	switch (len.kind) {
	case LEN_CONST: return text(w, "%u", len.value);
	case LEN_ARG:
		return len.value < w->f->n ? text(w, "(int64)args.%s", w->f->arg[len.value].name) :
					     NULL;
	case LEN_RESULT: return w->is_return ? "(int64)retval" : NULL;
	case LEN_POINTEE:
		return len.value < w->f->n ? text(w, "(int64)*uptr((uint32 *)(uint64)args.%s)",
						  w->f->arg[len.value].name) :
					     NULL;
	case LEN_MEMBER:
		return *at.base ? text(w, "(int64)*uptr((uint%u *)(%s + %u))", 8 * len.size,
				       at.base, len.value) :
				  NULL;
	case LEN_NONE:
	case LEN_BITS:
	case LEN_NODES:
	case LEN_PAGES: break;
	}
	return NULL;
}

static bool is_nested(const struct walk *w)
{
	return w->n_arrays > 0;
}

/* The loop over `count`, which is at most `most` where that is known. */
static void put_loop(struct walk *w, const char *name, const char *count, u64 most, u32 followed)
{
	if (w->is_followed)
		buf_printf(&w->b, "for %s : 0..%llu { if ((int64)%s >= %s) { break; }\n", name,
			   (unsigned long long)MIN(most, (u64)followed), name, count);
	else
		buf_printf(&w->b, "for %s : 0..%s {", name, count);
}

/* Prints $n bytes from $at on, at most `most`. */
static void put_send(struct walk *w, u64 most)
{
	static const char send[] =
		"print((%d, tid, pid, (uint64)0, $at, buf(uptr((uint8 *)$at), $m)));";

	w->some = true;
	if (most <= CHUNK) {
		buf_puts(&w->b, "if ($n > 0) { $m = $n; ");
		buf_printf(&w->b, send, RECORD_MEMORY);
		buf_puts(&w->b, " }\n");
		return;
	}
	buf_printf(&w->b, "$parts = ($n + %d) / %d;\n", CHUNK - 1, CHUNK);
	put_loop(w, "$k", "$parts", (most + CHUNK - 1) / CHUNK,
		 is_nested(w) ? FOLLOWED_PARTS_INSIDE : FOLLOWED_PARTS);
	buf_printf(&w->b, "$m = $n > %d ? %d : $n; ", CHUNK, CHUNK);
	buf_printf(&w->b, send, RECORD_MEMORY);
	buf_puts(&w->b, " $at += (uint64)$m; $n -= $m; }\n");
}

/* Of data: bytes that are sent at most. */
static u64 most_data(const struct walk *w)
{
	return w->dumps ? EVERYTHING : MIN(w->st->o.strings, (u32)EVERYTHING);
}

static u64 most_elements(const struct walk *w)
{
	return w->dumps ? EVERYTHING : w->elements;
}

/* In a loop: whether argstr has not followed the pointers of this element. */
static const char *is_beyond(const struct walk *w)
{
	return w->beyond ? w->beyond : "false";
}

/* The condition inside the loop `i`, in which argstr follows the pointers of `kept` elements. */
static const char *beyond_in(const struct walk *w, u32 i, int kept)
{
	return w->beyond ? text(w, "%s || $i%u >= %d", w->beyond, i, kept) :
			   text(w, "$i%u >= %d", i, kept);
}

static void put_data(struct walk *w, const struct call_view *v, struct place at)
{
	const char *n = length(w, v->len, at);
	int kept = MIN(is_nested(w) || *at.base ? KEPT_INSIDE : KEPT_DATA,
		       MAX((int)w->st->o.strings, KEPT_LEAST));

	if (!n)
		return;
	buf_printf(&w->b, "$at = %s; $n = %s;\n", at.address, n);
	if (w->out && w->left && *at.base)
		buf_puts(&w->b, "$n = $n > $left ? $left : $n; $left -= $n;\n");
	buf_printf(&w->b, "$n = $n > $most ? $most : $n; if ($at != 0 && ($n > %d || (%s))) {\n",
		   kept, is_beyond(w));
	put_send(w, most_data(w));
	buf_puts(&w->b, "}\n");
}

/* The last part has less than PART - 1 characters. */
static void put_string(struct walk *w, struct place at)
{
	buf_printf(&w->b,
		   "$at = %s; $n = $at != 0 ? (int64)strlen(str(uptr((uint8 *)$at), %d)) : 0;\n"
		   "if ($n >= %d || ($at != 0 && (%s))) { $parts = $most / %d + 1;\n",
		   at.address, PART, MIN(KEPT_INSIDE, MAX((int)w->st->o.strings, KEPT_LEAST)),
		   is_beyond(w), PART / 2);
	put_loop(w, "$k", "$parts", most_data(w) / (PART / 2) + 1,
		 is_nested(w) ? FOLLOWED_PARTS_INSIDE : FOLLOWED_PARTS);
	buf_printf(&w->b,
		   "$n = (int64)strlen(str(uptr((uint8 *)$at), %d)); "
		   "$m = $n < %d ? $n + 1 : $n;\n"
		   "print((%d, tid, pid, (uint64)0, $at, buf(uptr((uint8 *)$at), $m))); "
		   "if ($n < %d) { break; } $at += (uint64)$n; }\n}\n",
		   PART, PART - 1, RECORD_MEMORY, PART - 1);
	w->some = true;
}

/* A list of pointers that ends with NULL, to strings if they are shown. */
static void put_list(struct walk *w, struct place at, bool is_shown)
{
	u32 i = ++w->depth;
	u64 most = is_shown ? most_elements(w) : EVERYTHING;

	w->n_arrays++;
	buf_printf(&w->b, "$l%u = %s; $c%u = (int64)0; $most%u = $l%u != 0 ? %s : (int64)0;\n", i,
		   at.address, i, i, i, is_shown ? "$elements" : text(w, "(int64)%d", EVERYTHING));
	put_loop(w, text(w, "$i%u", i), text(w, "$most%u", i), most,
		 is_shown ? FOLLOWED_ELEMENTS : FOLLOWED_POINTERS);
	buf_printf(&w->b,
		   "$w%u = *uptr((uint64 *)($l%u + 8 * (uint64)$i%u));\n"
		   "$c%u++; if ($w%u == 0) { break; }\n",
		   i, i, i, i, i);
	w->beyond = beyond_in(w, i, KEPT_ELEMENTS);
	if (is_shown)
		put_string(w, (struct place){ text(w, "$w%u", i), "" });
	w->beyond = NULL;
	buf_printf(&w->b, "}\nif ($c%u > %d) { $at = $l%u; $n = 8 * $c%u;\n", i,
		   is_shown ? KEPT_ELEMENTS : KEPT_POINTERS, i, i);
	put_send(w, 8 * (w->is_followed ? MIN(most, (u64)FOLLOWED_POINTERS) : most));
	buf_puts(&w->b, "}\n");
	w->n_arrays--;
	w->depth--;
}

static void put_value(struct walk *w, const struct call_view *v, struct place at);

static bool has_pointer(const struct call_view *v)
{
	bool found = v->kind == VIEW_POINTER;

	for (u32 i = 0; (v->kind == VIEW_STRUCT || v->kind == VIEW_MEMBERS) && i < v->st->n; i++)
		found |= has_pointer(&v->st->v[i].view);
	return found;
}

/* Whether argstr keeps only a few elements, if they have pointers. */
static bool is_short(const struct walk *w, const struct call_view *v)
{
	return is_nested(w) || view_has_array(v->of);
}

static void put_array(struct walk *w, const struct call_view *v, struct place at)
{
	const char *n = length(w, v->len, at), *beyond = w->beyond;
	u32 size = view_size(v->of), i;
	size_t before;

	if (!n || !size)
		return;
	i = ++w->depth;
	buf_printf(
		&w->b,
		"$l%u = %s; $c%u = $l%u != 0 ? %s : 0; $c%u = $c%u > $elements ? $elements : $c%u;\n"
		"if ($c%u > %u || ($c%u > 0 && (%s))) { $at = $l%u; $n = $c%u * %u;\n",
		i, at.address, i, i, n, i, i, i, i,
		is_short(w, v) && has_pointer(v->of) ? (u32)KEPT_BUFFERS : KEPT_ARRAY / size, i,
		is_beyond(w), i, i, size);
	put_send(w, most_elements(w) * size);
	buf_puts(&w->b, "}\n");
	before = w->b.len;
	if (has_pointer(v->of)) {
		bool some = w->some;

		w->some = false;
		w->beyond = beyond_in(w, i, is_short(w, v) ? KEPT_BUFFERS : KEPT_ELEMENTS);
		put_loop(w, text(w, "$i%u", i), text(w, "$c%u", i), most_elements(w),
			 is_nested(w)          ? FOLLOWED_NESTED :
			 view_has_array(v->of) ? FOLLOWED_OUTER :
						 FOLLOWED_ELEMENTS);
		w->n_arrays++;
		buf_printf(&w->b, "$e%u = $l%u + %u * (uint64)$i%u;\n", i, i, size, i);
		put_value(w, v->of, (struct place){ text(w, "$e%u", i), text(w, "$e%u", i) });
		buf_puts(&w->b, "}\n");
		w->n_arrays--;
		w->beyond = beyond;
		if (!w->some) /* of what the call does not read */
			buf_cut(&w->b, before, w->b.len - before);
		w->some |= some;
	}
	w->depth--;
}

/* An object whose size is known. */
static void put_object(struct walk *w, const struct call_view *v, struct place at)
{
	u32 size = view_size(v), i;

	if (size && is_nested(w)) {
		buf_printf(&w->b, "$at = %s; $n = $at != 0 && (%s) ? %u : 0;\n", at.address,
			   is_beyond(w), size);
		put_send(w, size);
	}
	if (!has_pointer(v))
		return;
	i = ++w->depth;
	buf_printf(&w->b, "$p%u = %s; if ($p%u != 0) {\n", i, at.address, i);
	w->depth = i;
	put_value(w, v, (struct place){ text(w, "$p%u", i), text(w, "$p%u", i) });
	buf_puts(&w->b, "}\n");
	w->depth--;
}

/* An instruction of a filter has 8 bytes. */
static void put_program(struct walk *w, const struct call_view *v, struct place at)
{
	const char *n = length(w, v->len, at);

	if (!n || !is_whole_call(w->st, w->nr))
		return;
	buf_printf(&w->b, "$at = %s; $n = 8 * %s; $n = $at != 0 && $n > %d ? $n : 0;\n", at.address,
		   n, KEPT_PROGRAM);
	put_send(w, FILTER_MOST);
}

/* A structure by the value of another argument. */
static void put_cases(struct walk *w, const struct call_choice *c, struct place at)
{
	for (u32 i = 0; !c->by_member && c->where < w->f->n && i < c->n; i++) {
		const struct call_view *v = &c->v[i].view;

		if (v->kind != VIEW_STRUCT || !has_pointer(v))
			continue;
		buf_printf(&w->b, "if (((uint64)args.%s & %#x) == %#llx) {\n",
			   w->f->arg[c->where].name, c->mask,
			   (unsigned long long)((u64)c->v[i].value & c->mask));
		put_object(w, v, at);
		buf_puts(&w->b, "}\n");
	}
}

static bool applies(const struct walk *w, const struct call_view *v)
{
	if (!w->is_return)
		return v->dir != VIEW_OUT && v->dir != VIEW_FAILED;
	return v->dir != VIEW_FAILED;
}

/* What a pointer points to. at: of the pointer's value. */
static void put_pointee(struct walk *w, const struct call_view *v, struct place at)
{
	const bool out = w->out;

	if (!applies(w, v))
		return;
	w->out |= v->dir == VIEW_OUT || v->dir == VIEW_INOUT;
	switch ((enum view_kind)v->of->kind) {
	case VIEW_DATA:
	case VIEW_HEX_DATA:
	case VIEW_INT_OR_DATA:
	case VIEW_MESSAGE: put_data(w, v->of, at); break;
	case VIEW_STRING:
		if (*at.base) /* those of arguments are names, which the kernel limits */
			put_string(w, at);
		break;
	case VIEW_STRINGS: put_list(w, at, true); break;
	case VIEW_ENVIRON: put_list(w, at, is_whole_call(w->st, w->nr)); break;
	case VIEW_ARRAY: put_array(w, v->of, at); break;
	case VIEW_STRUCT: put_object(w, v->of, at); break;
	case VIEW_FILTER: put_program(w, v->of, at); break;
	case VIEW_CHOICE: put_cases(w, v->of->choice, at); break;
	default: break;
	}
	w->out = out;
}

/* A value at an address: a structure, or a pointer. */
static void put_value(struct walk *w, const struct call_view *v, struct place at)
{
	if (v->kind == VIEW_POINTER && v->size == 8) {
		put_pointee(w, v,
			    (struct place){ text(w, "*uptr((uint64 *)(%s))", at.address),
					    at.base });
		return;
	}
	if (v->kind != VIEW_STRUCT && v->kind != VIEW_MEMBERS)
		return;
	for (u32 i = 0; i < v->st->n; i++) {
		const struct call_field *m = &v->st->v[i];
		const char *address = text(w, "%s + %u", at.address, m->offset);
		bool is_inside = m->view.kind == VIEW_STRUCT || m->view.kind == VIEW_MEMBERS;

		if (m->view.kind == VIEW_LEFT && w->is_return && w->left)
			buf_printf(&w->b, "$left = %s;\n",
				   length(w, m->view.len, (struct place){ "", at.address }));
		put_value(w, &m->view, (struct place){ address, is_inside ? address : at.address });
	}
}

/* ---- clauses */

/* Whether a pointer leads to an array of pointers. */
static bool is_vector(const struct call_view *v)
{
	if (v->kind != VIEW_POINTER)
		return false;
	if (v->of->kind == VIEW_ARRAY)
		return has_pointer(v->of->of);
	for (u32 i = 0; v->of->kind == VIEW_STRUCT && i < v->of->st->n; i++)
		if (is_vector(&v->of->st->v[i].view))
			return true;
	return false;
}

static bool has_vector(const struct call_format *f)
{
	for (u32 i = 0; i < f->n; i++)
		if (is_vector(&f->arg[i].view))
			return true;
	return false;
}

static bool has_list(const struct call_format *f)
{
	for (u32 i = 0; i < f->n; i++)
		if (f->arg[i].view.kind == VIEW_POINTER &&
		    (f->arg[i].view.of->kind == VIEW_STRINGS ||
		     f->arg[i].view.of->kind == VIEW_ENVIRON))
			return true;
	return false;
}

/* Whether the argument is one of a set of descriptors. */
static void put_is_in_set(struct buf *b, const u64 *fds, const char *fd)
{
	const char *between = "";

	buf_printf(b, "$fd = (uint64)%s; $dumps = ", fd);
	for (u32 word = 0; word < STRACE_FD_MAX / 64; word++)
		if (fds[word]) {
			buf_printf(b, "%s($fd >> 6 == %u && (%#llxull >> ($fd & 63) & 1) == 1)",
				   between, word, (unsigned long long)fds[word]);
			between = " || ";
		}
	buf_printf(b, "%s;\n", *between ? "" : "false");
}

static bool is_empty(const u64 *fds)
{
	for (u32 word = 0; word < STRACE_FD_MAX / 64; word++)
		if (fds[word])
			return false;
	return true;
}

/* The clause, without the name of its call; "": none. */
static const char *clause(const struct strace *st, u32 nr, const struct call_format *f,
			  bool is_return)
{
	const u64 *fds = is_return ? strace_dumped_fds(&st->o, syscall_name(nr)) : NULL;
	struct walk w = { .st = st,
			  .f = f,
			  .nr = nr,
			  .is_return = is_return,
			  .is_followed = !feature_has(kernel_features(), FEAT_BPF_LOOP),
			  .elements = is_whole_call(st, nr) ? EVERYTHING : st->o.strings + 1ull };
	struct buf b = { 0 };
	const char *s;

	w.dumps = fds && !is_empty(fds);
	w.left = is_return;
	for (u32 i = 0; i < f->n; i++) {
		const struct call_view *v = &f->arg[i].view;
		const char *arg = text(&w, "(uint64)args.%s", f->arg[i].name);

		if (v->kind == VIEW_POINTER)
			put_pointee(&w, v, (struct place){ arg, "" });
	}
	if (w.some) {
		buf_printf(&b, "%s {\n", is_return ? ":return /retval >= 0/" : "");
		if (w.dumps)
			put_is_in_set(&b, fds, text(&w, "args.%s", f->arg[0].name));
		buf_printf(
			&b,
			"$at = (uint64)0; $n = (int64)0; $m = (int64)0; $most = (int64)%u; $elements = (int64)%llu;\n",
			MIN(st->o.strings, (u32)EVERYTHING), (unsigned long long)w.elements);
		if (w.dumps)
			buf_printf(&b,
				   "if ($dumps) { $most = (int64)%d; $elements = (int64)%d; }\n",
				   EVERYTHING, EVERYTHING);
		if (is_return)
			buf_puts(&b, "$left = (int64)retval;\n");
		buf_add(&b, w.b.s, w.b.len);
		buf_puts(&b, "}\n");
	}
	buf_release(&w.b);
	s = text(&w, "%s", b.len ? b.s : "");
	buf_release(&b);
	return s;
}

/* Whether it leads to a BPF program. */
static bool has_program(const struct call_view *v)
{
	bool found = v->kind == VIEW_FILTER;

	if (v->kind == VIEW_POINTER)
		return has_program(v->of);
	for (u32 i = 0; v->kind == VIEW_STRUCT && i < v->st->n; i++)
		found |= has_program(&v->st->v[i].view);
	for (u32 i = 0; v->kind == VIEW_CHOICE && i < v->choice->n; i++)
		found |= has_program(&v->choice->v[i].view);
	return found;
}

static bool has_programs(const struct call_format *f)
{
	for (u32 i = 0; i < f->n; i++)
		if (has_program(&f->arg[i].view))
			return true;
	return false;
}

static bool is_needed(const struct strace *st, u32 nr, const struct call_format *f, bool is_return)
{
	const u64 *fds = strace_dumped_fds(&st->o, syscall_name(nr));

	if (is_return && has_list(f)) /* execve replaces the memory */
		return false;
	return has_vector(f) || has_list(f) || st->o.strings > KEPT_DATA ||
	       (is_return && fds && !is_empty(fds)) || (is_whole_call(st, nr) && has_programs(f));
}

struct memory_clause {
	const char *text;
	struct buf names; /* of the calls */
};

struct memory_clauses {
	struct memory_clause *v;
	u32 n;
};

/* Calls whose clauses are equal share one: readv, preadv and preadv2. */
static void add_clause(struct memory_clauses *c, const char *name, const char *text)
{
	u32 i = 0;

	if (!*text)
		return;
	while (i < c->n && !streq(c->v[i].text, text))
		i++;
	if (i == c->n) {
		c->v = xrealloc(c->v, (c->n + 1) * sizeof *c->v);
		c->v[c->n++] = (struct memory_clause){ .text = text };
	}
	buf_printf(&c->v[i].names, "%s=%s", c->v[i].names.len ? "|" : "", name);
}

void strace_put_memory(struct buf *b, const struct strace *st)
{
	struct memory_clauses c = { 0 };

	for (u32 nr = 0; nr < SYSCALL_I386; nr++) {
		const char *event = syscall_name(nr) && strace_has_call(&st->o, nr) ?
					    syscall_event_name(nr) :
					    NULL;
		const struct call_format *f = event ? call_format(event) : NULL;

		for (u32 i = 0; f && i < 2; i++)
			if (is_needed(st, nr, f, i))
				add_clause(&c, syscall_name(nr), clause(st, nr, f, i));
	}
	for (u32 i = 0; i < c.n; i++) {
		buf_printf(b, "syscall:%s%s", c.v[i].names.s, c.v[i].text);
		buf_release(&c.v[i].names);
	}
	free(c.v);
}

/* ---- records */

enum { AT_ADDRESS = 4 };

void strace_on_memory(struct strace *st, const struct strace_event *r)
{
	struct strace_thread *th = strace_thread_of(st, r->tid, r->pid);
	struct call_more *more = &th->more;
	u64 address = (u64)event_number(r, AT_ADDRESS);
	const struct field *f = event_args(r);
	struct call_piece *last = more->n ? &more->v[more->n - 1] : NULL;
	const u8 *p;
	u32 n = value_bytes(f->type, r->p + f->offset, &p);
	bool out = th->call != NULL;

	if (!n) /* not readable */
		return;
	if (last && last->address + last->len == address && last->out == out) {
		last->len += n;
	} else {
		if (more->n == more->room) {
			more->room += 64;
			more->v = xrealloc(more->v, more->room * sizeof *more->v);
		}
		more->v[more->n++] = (struct call_piece){ address, n, (u32)more->bytes.len, out };
	}
	buf_add(&more->bytes, p, n);
}

void strace_forget_memory(struct strace_thread *th)
{
	th->more.n = 0;
	buf_clear(&th->more.bytes);
	if (th->more.bytes.cap > CHUNK)
		buf_release(&th->more.bytes);
}
