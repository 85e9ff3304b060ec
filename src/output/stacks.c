/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: the rows of a map keyed by stacks. Out: lines of frames, a tree. */
#include "output/stacks.h"
#include "trace/value.h"
#include "type/agg.h"

static bool is_tuple(const struct type *t)
{
	return t->kind == TY_TUPLE || t->kind == TY_RECORD;
}

static bool has_stack(const struct type *t)
{
	if (type_is_stack(t))
		return true;
	for (u32 i = 0; i < t->n_fields && is_tuple(t); i++)
		if (has_stack(t->fields[i].type))
			return true;
	return false;
}

static bool has_kind(const struct type *t, enum type_kind kind)
{
	bool has = t->kind == kind;

	for (u32 i = 0; i < t->n_fields && is_tuple(t) && !has; i++)
		has = has_kind(t->fields[i].type, kind);
	return has;
}

const struct stack_frame *stacks_frame_of_none(const struct type *key)
{
	static const struct stack_frame user_mode = { FRAME_WORD, "[user mode]", "", "", 0 },
					no_frames = { FRAME_REASON, "[no frames]", "", "", 0 };
	bool has_user = has_kind(key, TY_USTACK) || has_kind(key, TY_FULLSTACK);

	return has_user ? &no_frames : &user_mode;
}

static bool has_number(const struct type *t)
{
	return t->kind == TY_INT || (type_is_agg(t) && t->kind != TY_TSERIES);
}

bool stacks_are_keys(const struct table *t)
{
	return t->map->key && has_stack(t->map->key) && has_number(t->map->value);
}

/* ---- a line */

struct walk {
	const struct names *names;
	void (*f)(void *ctx, const struct stack_frame *frame);
	void *ctx;
	bool reversed; /* from the innermost frame */
	bool over;     /* what follows was interrupted */
};

/* Where the kernel enters an interrupt: x86, arm64 (5.12 and before). */
static bool is_interrupt(const char *name)
{
	static const char *const prefixes[] = { "asm_sysvec_",   "asm_common_interrupt",
						"asm_spurious_", "el1h_64_irq",
						"el0t_64_irq",   "el1_irq",
						"el0_irq" };

	for (u32 i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (starts_with(name, prefixes[i]))
			return true;
	return false;
}

/* Functions without symbols are one for each file, "[libz.so.1.2.13]": addresses differ from
 * process to process. */
static void name_by_file(struct buf *name, const struct names *names, const char *module)
{
	buf_clear(name);
	buf_putc(name, '[');
	put_foreignz(name, names, module);
	buf_putc(name, ']');
}

/* The name of a file, escaped as names of functions are. */
static const char *shown(struct buf *b, const struct names *names, const char *text)
{
	put_foreignz(b, names, text);
	return b->s ? b->s : "";
}

/* The depth-th function whose code is at the address, from the innermost one. */
static bool source_at(const struct walk *w, const struct frame_at *at, u32 depth,
		      struct symbol *out)
{
	const struct names *names = w->names;

	*out = (struct symbol){ .file = "" };
	return names && names->source && !frame_reason(at->user, at->ip) &&
	       names->source(names->ctx, at, depth, out);
}

static u32 count_inlined(const struct walk *w, const struct frame_at *at)
{
	struct symbol s;
	u32 n = 0;

	while (source_at(w, at, n, &s) && s.inlined)
		n++;
	return n;
}

static void pass_frame(struct walk *w, const struct stack_frame *frame, const char *module)
{
	struct stack_frame shown_frame = *frame;
	struct buf text = { 0 };

	shown_frame.module = module ? shown(&text, w->names, module) : "";
	w->f(w->ctx, &shown_frame);
	buf_release(&text);
}

static void walk_inlined(struct walk *w, const struct frame_at *at, u32 depth)
{
	const char *module = frame_module(w->names, at->user, at->of, at->ip);
	struct buf name = { 0 };
	struct symbol s;

	source_at(w, at, depth, &s);
	put_foreignz(&name, w->names, s.name);
	pass_frame(w,
		   &(struct stack_frame){ FRAME_INLINED, name.s ? name.s : "", NULL, s.file,
					  s.line },
		   module);
	buf_release(&name);
}

static void walk_function(struct walk *w, const struct frame_at *at, u32 depth)
{
	struct stack_frame frame = { .kind = at->user ? FRAME_USER : FRAME_KERNEL };
	struct buf name = { 0 };
	bool known = frame_name(&name, w->names, at->user, at->of, at->ip, at->is_return);
	const char *module = NULL;
	struct symbol s;

	if (frame_reason(at->user, at->ip))
		frame.kind = FRAME_REASON;
	else
		module = frame_module(w->names, at->user, at->of, at->ip);
	if (!known && at->user && module && *module)
		name_by_file(&name, w->names, module);
	source_at(w, at, depth, &s);
	frame.name = name.s;
	frame.file = s.file;
	frame.line = s.line;
	pass_frame(w, &frame, module);
	w->over = w->reversed && !at->user && is_interrupt(frame.name);
	buf_release(&name);
}

static void walk_place(struct walk *w, const struct frame_at *at)
{
	u32 n = count_inlined(w, at);

	for (u32 i = 0; w->reversed && i < n; i++)
		walk_inlined(w, at, i);
	walk_function(w, at, n);
	for (u32 i = n; !w->reversed && i-- > 0;)
		walk_inlined(w, at, i);
}

static void walk_stack(struct walk *w, const struct type *t, const void *p, bool user)
{
	u64 ips[STACK_MAX_FRAMES];
	struct process_at of;
	u32 n = stack_frames(w->names, t, p, user, ips, &of);

	for (u32 i = 0; i < n && !w->over; i++) {
		u32 at = w->reversed ? i : n - 1 - i;

		walk_place(w, &(struct frame_at){ user, at > 0, of, ips[at] });
	}
}

static void put_word(struct buf *b, const struct names *names, const struct type *t, const char *p)
{
	if (!is_tuple(t)) {
		value_text(b, names, t, p);
		return;
	}
	for (u32 i = 0; i < t->n_fields; i++) {
		buf_puts(b, i ? " " : "");
		put_word(b, names, t->fields[i].type, p + t->fields[i].offset);
	}
}

static void walk_word(const struct walk *w, const struct type *t, const void *p)
{
	struct buf word = { 0 };

	put_word(&word, w->names, t, p);
	w->f(w->ctx, &(struct stack_frame){ FRAME_WORD, word.s ? word.s : "", "", "", 0 });
	buf_release(&word);
}

enum part { PART_WORD, PART_USER, PART_KERNEL, PART_TUPLE, N_PARTS };

static bool has_frames(const struct names *names, const struct type *t, const char *p)
{
	u64 ips[STACK_MAX_FRAMES];
	struct process_at of;

	if (type_is_stack(t))
		return stack_frames(names, t, p, false, ips, &of) ||
		       stack_frames(names, t, p, true, ips, &of);
	for (u32 i = 0; i < t->n_fields && is_tuple(t); i++)
		if (has_frames(names, t->fields[i].type, p + t->fields[i].offset))
			return true;
	return false;
}

static void walk_line(struct walk *w, const struct type *t, const char *p);

static void walk_behind(const struct walk *w, const struct type *t, const void *p)
{
	struct walk behind = *w;

	behind.reversed = true;
	if (has_frames(w->names, t, p))
		walk_line(&behind, t, p);
}

static void walk_field(struct walk *w, enum part part, const struct type *t, const void *p)
{
	switch (part) {
	case PART_WORD:
		if (!has_stack(t))
			walk_word(w, t, p);
		break;
	case PART_USER:
	case PART_KERNEL:
		if (type_is_stack(t))
			walk_stack(w, t, p, part == PART_USER);
		break;
	case PART_TUPLE:
		if (is_tuple(t) && has_stack(t))
			walk_behind(w, t, p);
		break;
	case N_PARTS: break;
	}
}

static void walk_line(struct walk *w, const struct type *t, const char *p)
{
	static const enum part order[2][N_PARTS] = {
		{ PART_WORD, PART_USER, PART_KERNEL, PART_TUPLE },
		{ PART_KERNEL, PART_USER, PART_WORD, PART_TUPLE },
	};

	for (u32 part = 0; part < N_PARTS && !w->over; part++) {
		if (!is_tuple(t))
			walk_field(w, order[w->reversed][part], t, p);
		for (u32 i = 0; i < t->n_fields && is_tuple(t); i++)
			walk_field(w, order[w->reversed][part], t->fields[i].type,
				   p + t->fields[i].offset);
	}
}

void stacks_walk(const struct names *names, const struct type *key, const void *p,
		 void (*f)(void *ctx, const struct stack_frame *frame), void *ctx)
{
	walk_line(&(struct walk){ .names = names, .f = f, .ctx = ctx }, key, p);
}

/* ---- the tree */

struct child_key {
	u32 parent, frame;
};

/* Values of a hash are pointers that are not NULL: indexes + 1. */
static void *of_index(u32 i)
{
	return (void *)(uintptr_t)(i + 1);
}

static u32 index_of(const void *value)
{
	return (u32)(uintptr_t)value - 1;
}

void put_frame_label(struct buf *b, const struct names *names, const struct stack_frame *f)
{
	buf_puts(b, f->name);
	if (!names || !names->lines || !*f->file)
		return;
	buf_putc(b, '@');
	put_foreignz(b, names, base_name(f->file));
	buf_printf(b, ":%u", f->line);
}

void put_frame(struct buf *b, const struct stack_frame *f)
{
	buf_puts(b, f->name);
	if (*f->module && f->name[0] != '[') /* "[FILE]" says it already */
		buf_printf(b, " (%s%s)", f->module, f->kind == FRAME_INLINED ? ", inlined" : "");
}

bool frame_is_function(const struct stack_frame *f)
{
	return f->kind == FRAME_USER || f->kind == FRAME_KERNEL || f->kind == FRAME_INLINED;
}

/* "kind module NUL label" is the identity of a frame; by line, "line NUL file" follow. */
static void put_identity(struct buf *key, const struct tree *t, const struct stack_frame *f)
{
	buf_putc(key, (char)('0' + f->kind));
	buf_add(key, f->module, strlen(f->module) + 1);
	if (t->detail == FRAMES_BY_FUNCTION) {
		put_frame_label(key, t->names, f);
		return;
	}
	buf_add(key, f->name, strlen(f->name) + 1);
	buf_add(key, (const char *)&f->line, sizeof f->line);
	buf_puts(key, f->file);
}

static u32 frame_index(struct tree *t, const struct stack_frame *f)
{
	struct buf key = { 0 };
	void *known;
	u32 index = t->frames.n;

	put_identity(&key, t, f);
	known = hash_get(&t->frame_ids, key.s, key.len);
	if (known) {
		index = index_of(known);
	} else {
		const char *copy = arena_dup(t->arena, key.s, key.len + 1);

		hash_put(&t->frame_ids, copy, key.len, of_index(index));
		vec_push(t->arena, &t->frames,
			 (struct stack_frame){ f->kind, copy + 2 + strlen(f->module), copy + 1,
					       *f->file ? arena_strdup(t->arena, f->file) : "",
					       t->detail == FRAMES_BY_LINE ? f->line : 0 });
	}
	buf_release(&key);
	return index;
}

struct growth {
	struct tree *tree;
	u32 at; /* the node so far */
};

static void grow(void *ctx, const struct stack_frame *f)
{
	struct growth *g = ctx;
	struct tree *t = g->tree;
	struct child_key key = { g->at, frame_index(t, f) };
	void *known = hash_get(&t->children, &key, sizeof key);

	if (known) {
		g->at = index_of(known);
		return;
	}
	hash_put(&t->children, arena_dup(t->arena, &key, sizeof key), sizeof key,
		 of_index(t->nodes.n));
	g->at = t->nodes.n;
	vec_push(t->arena, &t->nodes, (struct tree_node){ key.parent, key.frame, 0, 0 });
}

static void add_row(struct tree *t, const struct names *names, const struct table *table,
		    const struct table_row *row)
{
	const struct type *type = table->map->value;
	s64 n = value_div(type, table_number(type, row->value), table->div);
	struct growth g = { t, 0 };

	if (n < 0 && type->is_signed) {
		t->n_left_out++;
		return;
	}
	stacks_walk(names, table->map->key, row->key, grow, &g);
	if (!g.at)
		grow(&g, stacks_frame_of_none(table->map->key));
	t->nodes.v[g.at].self += (u64)n;
}

static void add_up(struct tree *t)
{
	for (u32 i = t->nodes.n; i-- > 0;) {
		struct tree_node *n = &t->nodes.v[i];

		n->total += n->self;
		if (i)
			t->nodes.v[n->parent].total += n->total;
	}
}

static const char *unit_of(const char *name)
{
	return name[0] == '@' && name[1] ? name + 1 : "samples";
}

void tree_init(struct tree *t, struct arena *a, const struct names *names,
	       const struct table *table, enum frame_detail detail)
{
	*t = (struct tree){ .arena = a,
			    .names = names,
			    .detail = detail,
			    .name = arena_strdup(a, table->map->name) };
	t->unit = unit_of(t->name);
	vec_push(a, &t->nodes, (struct tree_node){ 0 });
	for (u32 i = 0; i < table->rows.n; i++)
		add_row(t, names, table, &table->rows.v[i]);
	add_up(t);
}

void tree_release(struct tree *t)
{
	hash_release(&t->frame_ids);
	hash_release(&t->children);
}

const char *tree_unit(const struct tree *t, const char *other)
{
	static const char *const units[][2] = { { "ns", "nanoseconds" },
						{ "us", "microseconds" },
						{ "ms", "milliseconds" },
						{ "bytes", "bytes" } };

	for (u32 i = 0; i < ARRAY_SIZE(units); i++)
		if (streq(t->unit, units[i][0]))
			return units[i][1];
	return other;
}

struct tree_function *tree_functions(const struct tree *t, struct arena *a)
{
	struct tree_function *all = arena_array(a, struct tree_function, t->frames.n);
	u32 *seen = arena_array(a, u32, t->frames.n); /* the node whose stack counted it last */

	for (u32 i = 0; i < t->frames.n; i++)
		all[i] = (struct tree_function){ .frame = i };
	for (u32 i = 1; i < t->nodes.n; i++) {
		const struct tree_node *n = &t->nodes.v[i];

		all[n->frame].self += n->self;
		for (u32 at = i; at && n->self; at = t->nodes.v[at].parent) {
			u32 f = t->nodes.v[at].frame;

			all[f].total += seen[f] == i ? 0 : n->self;
			seen[f] = i;
		}
	}
	return all;
}
