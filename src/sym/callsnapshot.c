/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the views of a call's arguments: which memory a program copies (type/call.h). Arrays are
 * unrolled, so that verifiers need not follow loops.
 */
#include "sym/callviews.h"

enum {
	MOST_NESTED = 16,    /* elements of an array whose pointers are followed */
	MOST_BUFFERS = 4,    /* likewise of an array inside an array */
	ENVIRON_CHUNK = 128, /* bytes of envp's pointers that are read at once */
	ENVIRON_CHUNKS = 8,
	MOST_BYTES = 1024,       /* of one array */
	FILTER_INSN = 8,         /* bytes of an instruction of classic BPF */
	MOST_FILTER = 2048,      /* bytes of such a program */
	MOST_LONG_ARRAY = 4096,  /* of numbers, if all elements are wanted */
	MOST_ENTRIES = 16384,    /* of directory entries, if all are wanted */
	REQUEST_SIZE_SHIFT = 16, /* asm-generic/ioctl.h */
};

struct plan {
	struct arena *a;
	const struct snapshot_limits *limits;
	VEC(struct snapshot_op) ops;
	bool is_return, has_messages;
	u32 depth;             /* of nested arrays */
	struct call_len bound; /* of bytes in buffers that the call fills in */
	u32 bound_in;
};

/* Where a pointer is stored. */
struct source {
	u32 parent, arg, off, plus, width;
	bool out, failed, stored;
};

static void plan_view(struct plan *p, const struct call_view *v, struct source at, u32 base);

static u32 add(struct plan *p, const struct source *at, struct snapshot_op op)
{
	if (p->ops.n >= SNAPSHOT_MAX_OPS)
		return SNAPSHOT_NONE;
	op.width = op.width ? op.width : (u8)(at->width ? at->width : 8);
	if (at->parent != SNAPSHOT_NONE && at->off + op.width > p->ops.v[at->parent].cap)
		BUG("a pointer at byte %u of %u", at->off, p->ops.v[at->parent].cap);
	op.parent = (u8)at->parent;
	op.arg = (u8)at->arg;
	op.src_off = (u16)at->off;
	op.plus = (u16)at->plus;
	op.on_success = at->out;
	op.on_failure = at->failed;
	op.stored = at->stored;
	vec_push(p->a, &p->ops, op);
	return p->ops.n - 1;
}

static void close_op(struct plan *p, u32 op)
{
	if (op != SNAPSHOT_NONE)
		p->ops.v[op].skip = (u16)(p->ops.n - op - 1);
}

static bool has_pointer(const struct call_view *v)
{
	bool found = v->kind == VIEW_POINTER;

	if (v->kind == VIEW_ARRAY)
		return has_pointer(v->of);
	for (u32 i = 0; v->kind == VIEW_CHOICE && i < v->choice->n; i++)
		found |= has_pointer(&v->choice->v[i].view);
	for (u32 i = 0; v->kind == VIEW_STRUCT && i < v->st->n; i++)
		found |= has_pointer(&v->st->v[i].view);
	return found;
}

bool view_has_array(const struct call_view *v)
{
	if (v->kind == VIEW_POINTER)
		return v->of->kind == VIEW_ARRAY;
	for (u32 i = 0; v->kind == VIEW_STRUCT && i < v->st->n; i++)
		if (view_has_array(&v->st->v[i].view))
			return true;
	return false;
}

static struct call_len len_at(struct call_len len, u32 base)
{
	if (len.kind == LEN_MEMBER)
		len.value = (u16)(len.value + base);
	return len;
}

/* Plans what the members of a structure point to. The structure is at at->off of its parent's
 * piece. */
static void plan_members(struct plan *p, const struct call_struct *st, const struct source *at)
{
	struct source after = *at;
	const struct call_len bound = p->bound;

	for (u32 i = 0; i < st->n; i++) {
		if (st->v[i].view.kind == VIEW_LEFT) {
			p->bound = len_at(st->v[i].view.len, at->off);
			p->bound_in = at->parent;
		}
		plan_view(p, &st->v[i].view,
			  (struct source){ .parent = at->parent,
					   .off = at->off + st->v[i].offset,
					   .out = at->out,
					   .stored = at->stored },
			  at->off);
	}
	p->bound = bound;
	after.out = p->is_return;
	if (st->after)
		plan_members(p, st->after, &after);
}

static void plan_array(struct plan *p, const struct call_view *v, struct source at, u32 base)
{
	u32 size = MAX(view_size(v->of), 1u),
	    most = MIN(p->limits->elements + 1, MOST_BYTES / size), followed, op;

	if (p->limits->whole && !p->depth && v->of->kind == VIEW_NUMBER)
		most = MOST_LONG_ARRAY / size;
	if (v->len.kind == LEN_CONST)
		most = MIN(most, v->len.value);
	followed = MIN(most, (u32)(p->depth || view_has_array(v->of) ? MOST_BUFFERS : MOST_NESTED));
	if (has_pointer(v->of) && (p->depth || view_has_array(v->of)))
		most = followed;
	op = add(p, &at,
		 (struct snapshot_op){ .len = len_at(v->len, base),
				       .scale = (u16)size,
				       .is_partial = !p->depth && v->len.kind != LEN_CONST,
				       .cap = (u16)(most * size) });
	if (op == SNAPSHOT_NONE || !has_pointer(v->of))
		return;
	p->depth++;
	for (u32 i = 0; i < followed; i++)
		plan_view(
			p, v->of,
			(struct source){
				.parent = op, .off = i * size, .out = at.out, .stored = at.stored },
			i * size);
	p->depth--;
	close_op(p, op);
}

static void plan_strings(struct plan *p, const struct call_view *v, struct source at)
{
	u32 first = p->ops.n, width = v->size ? v->size : 8;

	for (u32 i = 0; i < p->limits->elements + 1; i++) {
		u32 op;

		at.plus = width * i;
		op = add(p, &at,
			 (struct snapshot_op){ .len = { .kind = LEN_CONST, .value = (u16)width },
					       .width = (u8)width,
					       .scale = 1,
					       .cap = (u16)width,
					       .is_link = true });
		if (op == SNAPSHOT_NONE)
			break;
		add(p, &(struct source){ .parent = op, .stored = at.stored, .width = width },
		    (struct snapshot_op){ .is_string = true, .cap = (u16)(p->limits->data + 2) });
	}
	for (u32 i = first; i < p->ops.n; i++)
		if (p->ops.v[i].is_link)
			close_op(p, i);
}

static void plan_environ(struct plan *p, const struct call_view *v, struct source at)
{
	u32 first = p->ops.n;

	if (p->limits->whole) {
		plan_strings(p, v, at);
		return;
	}
	for (u32 i = 0; i < ENVIRON_CHUNKS; i++, at.plus += ENVIRON_CHUNK)
		add(p, &at,
		    (struct snapshot_op){ .len = { .kind = LEN_CONST, .value = ENVIRON_CHUNK },
					  .scale = 1,
					  .is_partial = true,
					  .cap = ENVIRON_CHUNK });
	for (u32 i = first; i < p->ops.n; i++)
		close_op(p, i);
}

static void plan_string(struct plan *p, struct source at, u32 cap)
{
	add(p, &at, (struct snapshot_op){ .is_string = true, .cap = (u16)cap });
}

/* A structure whose length is given: if not all of it can be read, its first members are shown. */
static bool is_short(const struct call_view *v)
{
	return v->kind == VIEW_STRUCT && v->len.kind != LEN_NONE && !v->len.exact &&
	       (!v->len.least || v->st->has_tail);
}

static u32 tail_of(const struct call_view *v)
{
	u32 tail = v->kind == VIEW_STRUCT && v->st->has_tail ? SNAPSHOT_TAIL : 0;

	for (u32 i = 0; v->kind == VIEW_CHOICE && i < v->choice->n; i++)
		tail = MAX(tail, tail_of(&v->choice->v[i].view));
	return tail;
}

static void plan_bytes(struct plan *p, const struct call_view *v, struct source at, u32 base,
		       u32 cap)
{
	struct call_len len = len_at(v->len, base);
	u32 op;

	/* a length that the structure says itself, with a default: all of it is copied */
	if (len.kind == LEN_NONE || (len.kind == LEN_POINTEE && len.size))
		len = (struct call_len){ .kind = LEN_CONST, .value = (u16)cap };
	op = add(p, &at,
		 (struct snapshot_op){ .len = len,
				       .scale = len.kind == LEN_BITS || len.kind == LEN_NODES ? 8 :
												1,
				       .is_partial = is_short(v),
				       .cap = (u16)(cap + tail_of(v)) });
	if (op == SNAPSHOT_NONE)
		return;
	plan_view(p, v, (struct source){ .parent = op, .out = at.out, .stored = at.stored }, 0);
	close_op(p, op);
}

/* Messages of a netlink socket are copied whole, as far as there is room; what a call did not store
 * is left out. */
static void plan_message(struct plan *p, const struct call_view *v, struct source at, u32 base)
{
	u32 first = p->ops.n, second;

	plan_bytes(p, v, at, base, p->limits->data);
	second = p->ops.n;
	plan_bytes(p, v, at, base, p->has_messages ? SNAPSHOT_MORE_MESSAGES : SNAPSHOT_MESSAGES);
	if (p->ops.n != second + 1)
		return;
	p->has_messages = true;
	p->ops.v[first].of = NOT_OF_NETLINK;
	p->ops.v[second].of = OF_NETLINK;
	p->ops.v[second].is_partial = true;
	if (at.out) {
		p->ops.v[second].bound = p->bound;
		p->ops.v[second].bound_in = (u8)p->bound_in;
	}
}

static void plan_entries(struct plan *p, const struct call_view *v, struct source at)
{
	if (p->limits->whole)
		add(p, &at,
		    (struct snapshot_op){
			    .len = v->len, .scale = 1, .is_partial = true, .cap = MOST_ENTRIES });
	add(p, &at, (struct snapshot_op){ .len = v->len, .is_count = true, .cap = 16 });
}

static void plan_filter(struct plan *p, const struct call_view *v, struct source at, u32 base)
{
	if (p->limits->whole)
		add(p, &at,
		    (struct snapshot_op){ .len = len_at(v->len, base),
					  .scale = FILTER_INSN,
					  .is_partial = true,
					  .cap = MOST_FILTER });
}

/* Plans what a pointer points to. */
static void plan_pointee(struct plan *p, const struct call_view *v, struct source at, u32 base)
{
	switch ((enum view_kind)v->kind) {
	case VIEW_STRING: plan_string(p, at, p->limits->data + 2); break;
	case VIEW_FILE_NAME: plan_string(p, at, p->limits->file_name); break;
	case VIEW_STRINGS: plan_strings(p, v, at); break;
	case VIEW_ENVIRON: plan_environ(p, v, at); break;
	case VIEW_ARRAY: plan_array(p, v, at, base); break;
	case VIEW_DIRENTS: plan_entries(p, v, at); break;
	case VIEW_FILTER: plan_filter(p, v, at, base); break;
	case VIEW_CONTROL: plan_bytes(p, v, at, base, SNAPSHOT_CONTROL); break;
	case VIEW_MESSAGE: plan_message(p, v, at, base); break;
	case VIEW_DATA:
	case VIEW_HEX_DATA:
	case VIEW_INT_OR_DATA: plan_bytes(p, v, at, base, p->limits->data); break;
	case VIEW_CHOICE:
		plan_bytes(p, v, at, base, MAX(view_size(v), v->len.kind ? p->limits->data : 0));
		break;
	default: plan_bytes(p, v, at, base, view_size(v));
	}
}

/* ---- by the value of another argument */

static bool applies(const struct plan *p, const struct call_view *v)
{
	return v->kind == VIEW_POINTER &&
	       (p->is_return || (v->dir != VIEW_OUT && v->dir != VIEW_FAILED));
}

static void put_case(struct snapshot_table *t, u32 value, u32 bytes)
{
	u32 page = value & ~(SNAPSHOT_PAGE - 1u);

	for (u32 i = 0; i < SNAPSHOT_PAGES && !(value >> REQUEST_SIZE_SHIFT); i++) {
		if (t->page[i] == ~0u)
			t->page[i] = page;
		if (t->page[i] != page)
			continue;
		t->bytes[i * SNAPSHOT_PAGE + value % SNAPSHOT_PAGE] = (u8)MIN(bytes, 255u);
		return;
	}
	t->by_request = true;
}

/* To a structure with pointers. */
static bool is_nested(const struct call_view *v)
{
	return v->kind == VIEW_POINTER && v->of->kind == VIEW_STRUCT && has_pointer(v->of);
}

/* Plans the cases that are structures, or those that are strings. */
static void plan_cases(struct plan *p, const struct call_choice *c, struct source at, bool strings)
{
	struct snapshot_table *t = arena_new(p->a, struct snapshot_table);
	u32 cap = 0;

	memset(t->page, 0xff, sizeof t->page);
	t->mask = c->mask;
	for (u32 i = 0; i < c->n; i++) {
		const struct call_view *v = &c->v[i].view;
		u32 bytes;

		if (!applies(p, v) || (v->of->kind == VIEW_STRING) != strings || is_nested(v))
			continue;
		at.stored |= v->dir != VIEW_IN;
		bytes = strings ? 1 : view_size(v->of) ? view_size(v->of) : p->limits->data;
		put_case(t, (u32)c->v[i].value, bytes);
		cap = MAX(cap, bytes);
	}
	if (!cap)
		return;
	add(p, &at,
	    (struct snapshot_op){ .len = { .kind = LEN_ARG, .value = c->where },
				  .scale = 1,
				  .table = t,
				  .is_string = strings,
				  .cap = (u16)(strings ? p->limits->data + 2 : MIN(cap, 255u)) });
}

/* What a case points to is copied if the choice has its value. */
static void plan_case(struct plan *p, const struct call_choice *c, const struct call_case *one,
		      struct source at, u32 base)
{
	u32 first = p->ops.n;

	plan_view(p, &one->view, at, base);
	for (u32 k = first; k < p->ops.n; k++) {
		struct snapshot_op *o = &p->ops.v[k];

		if (o->choice || o->parent != at.parent)
			continue;
		o->choice = c;
		o->value = (u32)one->value;
		o->choice_base = (u16)base;
	}
}

/* Plans a choice inside a structure. Pointers of the remaining case ("*") are always followed. */
static void plan_member_cases(struct plan *p, const struct call_choice *c, struct source at,
			      u32 base)
{
	for (u32 i = 0; i < c->n; i++)
		plan_case(p, c, &c->v[i], at, base);
	plan_view(p, &c->rest, at, base);
}

static void plan_view(struct plan *p, const struct call_view *v, struct source at, u32 base)
{
	if (v->kind == VIEW_CHOICE && at.parent == SNAPSHOT_NONE) {
		plan_cases(p, v->choice, at, false);
		plan_cases(p, v->choice, at, true);
		for (u32 i = 0; i < v->choice->n; i++)
			if (is_nested(&v->choice->v[i].view))
				plan_case(p, v->choice, &v->choice->v[i], at, base);
		plan_view(p, &v->choice->rest, at, base);
	} else if (v->kind == VIEW_STRUCT || v->kind == VIEW_MEMBERS) {
		plan_members(p, v->st, &at);
	} else if (v->kind == VIEW_CHOICE) {
		plan_member_cases(p, v->choice, at, base);
	} else if (applies(p, v)) {
		at.width = v->size;
		at.out |= v->dir == VIEW_OUT;
		at.failed |= v->dir == VIEW_FAILED;
		at.stored |= v->dir != VIEW_IN && v->dir != VIEW_WAS;
		plan_pointee(p, v->of, at, base);
	}
}

/* What is shown after the result may be a word of an argument, as the call left it. */
static bool shows_after_result(const struct call_view *v, u32 word)
{
	bool found = false;

	for (u32 i = 0; v->kind == VIEW_CHOICE && i < v->choice->n; i++)
		found |= shows_after_result(&v->choice->v[i].view, word);
	for (u32 i = 0; v->kind == VIEW_MEMBERS && i < v->st->n; i++)
		found |= v->st->v[i].offset == word;
	return found;
}

/* What a call stores may be at an address in a piece that it does not change: that piece is needed,
 * too. */
static void mark_parents(struct plan *p)
{
	for (u32 i = p->ops.n; i-- > 0;)
		if (p->ops.v[i].stored && p->ops.v[i].parent != SNAPSHOT_NONE)
			p->ops.v[p->ops.v[i].parent].stored = true;
}

/* A text of argv or of the environment: most are much shorter than the limit. */
static bool is_listed(const struct snapshot *c, u32 op)
{
	const struct snapshot_op *o = &c->v[op];

	return o->is_string && o->parent != SNAPSHOT_NONE && c->v[o->parent].is_link;
}

const struct snapshot *call_snapshot(struct arena *a, const struct call_format *f, bool is_return,
				     const struct snapshot_limits *limits)
{
	struct plan p = {
		.a = a, .limits = limits, .is_return = is_return, .bound = { .kind = LEN_RESULT }
	};
	struct snapshot *c = arena_new(a, struct snapshot);
	u32 texts = 0, messages = 0;

	for (u32 i = 0; i < f->n; i++) {
		const struct call_view *v = &f->arg[i].view;

		plan_view(&p, v,
			  (struct source){
				  .parent = SNAPSHOT_NONE,
				  .arg = i,
				  .stored = shows_after_result(
					  &f->result, CALL_AT_ARGS - CALL_AT_RESULT + 8 * i) },
			  0);
		c->wants_entry |= is_return && !limits->rest && v->dir >= VIEW_INOUT &&
				  v->dir <= VIEW_WAS;
	}
	mark_parents(&p);
	c->is_half = limits->rest;
	c->n_args = ALIGN_UP(f->n, 2u);
	c->n = p.ops.n;
	c->v = p.ops.v;
	c->size = CALL_AT_ARGS + 8 * c->n_args;
	c->has_messages = p.has_messages;
	for (u32 i = 0; i < c->n; i++) {
		if (c->v[i].of == OF_NETLINK) {
			messages += CALL_PIECE_HEAD + ALIGN_UP((u32)c->v[i].cap, 8u);
			continue;
		}
		c->size += CALL_PIECE_HEAD + ALIGN_UP((u32)c->v[i].cap, 8u);
		texts += is_listed(c, i) ? ALIGN_UP((u32)c->v[i].cap, 8u) : 0;
	}
	if (c->size > limits->room && c->size - texts <= limits->room / 2)
		c->size = limits->room;
	c->size = MIN(c->size + messages, MAX(c->size, limits->room));
	if (c->wants_entry)
		c->size += call_snapshot(a, f, false, limits)->size;
	return c;
}

static bool same_table(const struct snapshot_table *a, const struct snapshot_table *b)
{
	return a == b || (a && b && !memcmp(a->page, b->page, sizeof a->page) &&
			  !memcmp(a->bytes, b->bytes, sizeof a->bytes) && a->mask == b->mask &&
			  a->by_request == b->by_request);
}

static bool same_choice(const struct snapshot_op *a, const struct snapshot_op *b)
{
	const struct call_choice *x = a->choice, *y = b->choice;

	if (!x || !y)
		return x == y;
	return x->by_member == y->by_member && x->where == y->where && x->size == y->size &&
	       x->mask == y->mask && a->value == b->value && a->choice_base == b->choice_base;
}

static bool same_op(const struct snapshot_op *a, const struct snapshot_op *b)
{
	return same_choice(a, b) && a->parent == b->parent && a->arg == b->arg &&
	       a->src_off == b->src_off && a->width == b->width && a->plus == b->plus &&
	       a->is_string == b->is_string && a->is_link == b->is_link &&
	       a->is_partial == b->is_partial && a->is_count == b->is_count &&
	       a->stored == b->stored && a->on_success == b->on_success &&
	       a->on_failure == b->on_failure && a->len.kind == b->len.kind &&
	       a->len.value == b->len.value && a->len.size == b->len.size && a->scale == b->scale &&
	       a->cap == b->cap && a->skip == b->skip && a->of == b->of &&
	       a->bound.kind == b->bound.kind && a->bound.value == b->bound.value &&
	       a->bound.size == b->bound.size && a->bound_in == b->bound_in &&
	       same_table(a->table, b->table);
}

bool snapshot_equal(const struct snapshot *a, const struct snapshot *b)
{
	if (!a || !b || a == b || a->is_rows || b->is_rows)
		return a == b;
	if (a->n_args != b->n_args || a->n != b->n || a->wants_entry != b->wants_entry ||
	    a->is_half != b->is_half)
		return false;
	for (u32 i = 0; i < a->n; i++)
		if (!same_op(&a->v[i], &b->v[i]))
			return false;
	return true;
}

static bool fits_row(const struct snapshot_op *o)
{
	return o->parent == SNAPSHOT_NONE && !o->plus && !o->is_link && !o->is_count && !o->table &&
	       !o->choice && o->of == OF_ANY_FILE && o->bound.kind == LEN_NONE &&
	       o->cap <= ROW_CAP_MOST && o->len.kind != LEN_POINTEE && o->len.kind != LEN_MEMBER &&
	       (o->is_string || o->len.kind != LEN_NONE);
}

bool snapshot_fits_row(const struct snapshot *s)
{
	if (s->n > ROW_OPS || s->wants_entry || s->has_messages || s->is_rows)
		return false;
	for (u32 i = 0; i < s->n; i++)
		if (!fits_row(&s->v[i]))
			return false;
	return true;
}
