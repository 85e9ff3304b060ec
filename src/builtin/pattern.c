/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pattern matching in strings: glob(), strcontains(), strstr().
 *
 * A constant pattern is compiled to a table, a deterministic automaton. The program maps each byte
 * to its class, and class and state to the next state: two loads for a byte, whatever the pattern.
 * A needle that is not constant is searched by comparing.
 *
 *	class = class_of[byte];  state = next[state * n_classes + class]
 *
 * States 0 (no match) and 1 (match) are final. The NUL always leads to one of them.
 */
#include <stdlib.h>
#include "builtin/text.h"

enum { MAX_PATTERN = 255, MAX_STATES = 255, DEAD = 0, DONE = 1 };

/* ---- the pattern: items, each of which matches one byte of a set; a star matches any number of
 * bytes */

struct item {
	bool star;
	u8 bytes[32]; /* bitmap */
};

struct pattern {
	struct item at[MAX_PATTERN + 1];
	u32 n;
};

static void add_byte(struct item *p, u8 b)
{
	p->bytes[b / 8] |= (u8)(1u << b % 8);
}

static bool has_byte(const struct item *p, u8 b)
{
	return p->bytes[b / 8] >> b % 8 & 1;
}

static void invert_set(struct item *p)
{
	for (u32 i = 0; i < sizeof p->bytes; i++)
		p->bytes[i] = (u8)~p->bytes[i];
}

/* Parses "[a-z_]" or "[!0-9]"; s points after the "[". Returns the position after the "]"; NULL: no
 * "]". */
static const char *parse_set(struct item *p, const char *s)
{
	bool is_inverted = *s == '!' || *s == '^', first = true;

	s += is_inverted;
	for (; *s && (*s != ']' || first); s++) {
		u8 lo = (u8)*s, hi = lo;

		if (s[1] == '-' && s[2] && s[2] != ']') {
			hi = (u8)s[2];
			s += 2;
		}
		for (u32 b = lo; b <= hi; b++)
			add_byte(p, (u8)b);
		first = false;
	}
	if (is_inverted)
		invert_set(p);
	return *s ? s + 1 : NULL;
}

static const char *parse_item(struct item *p, const char *s)
{
	const char *end;

	switch (*s) {
	case '*': p->star = true; return s + 1;
	case '?': invert_set(p); return s + 1;
	case '[':
		end = parse_set(p, s + 1);
		if (end)
			return end;
		*p = (struct item){ 0 }; /* an unclosed bracket is literal */
		break;
	case '\\': s += s[1] != 0; break;
	}
	add_byte(p, (u8)*s);
	return s + 1;
}

static const char *parse_glob(struct pattern *p, const char *s)
{
	while (*s) {
		if (p->n == MAX_PATTERN)
			return "it has more than 255 characters";
		s = parse_item(&p->at[p->n++], s);
	}
	return NULL;
}

/* The needle at any position: a star on both sides. */
static const char *parse_needle(struct pattern *p, const char *s)
{
	p->at[p->n++].star = true;
	for (; *s; s++) {
		if (p->n == MAX_PATTERN - 1)
			return "it has more than 253 characters";
		add_byte(&p->at[p->n++], (u8)*s);
	}
	p->at[p->n++].star = true;
	return NULL;
}

/* ---- the automaton */

/* A set of positions in the pattern (a state of the NFA). Position n is the end. */
struct set {
	u64 word[MAX_PATTERN / 64 + 1];
};

struct automaton {
	const struct pattern *p;
	u32 n_states;
	u8 class_of[256];
	u8 sample[256]; /* a byte of each class */
	u32 n_classes;
	struct set state[MAX_STATES + 1];
	u8 next[(MAX_STATES + 1) * 256]; /* rows of n_classes, rounded up to a power of two */
};

static bool in_set(const struct set *s, u32 i)
{
	return s->word[i / 64] >> i % 64 & 1;
}

/* Adds a position and, after stars, the positions reachable without consuming a byte. Positions
 * before a star are dropped: what they could match later, the star matches too. */
static void add_position(const struct pattern *p, struct set *s, u32 i)
{
	for (;; i++) {
		if (i < p->n && p->at[i].star)
			*s = (struct set){ 0 };
		s->word[i / 64] |= 1ull << i % 64;
		if (i == p->n || !p->at[i].star)
			return;
	}
}

static u32 last_star(const struct pattern *p, const struct set *s)
{
	u32 at = 0;

	for (u32 i = 0; i < p->n; i++)
		if (in_set(s, i) && p->at[i].star)
			at = i;
	return at;
}

static struct set step(const struct pattern *p, const struct set *from, u8 byte)
{
	struct set to = { 0 };
	u32 star = last_star(p, from);

	for (u32 i = star; i < p->n; i++) {
		if (!in_set(from, i))
			continue;
		if (p->at[i].star)
			add_position(p, &to, i);
		else if (has_byte(&p->at[i], byte))
			add_position(p, &to, i + 1);
	}
	return to;
}

static bool is_done(const struct pattern *p, const struct set *s)
{
	return p->n && in_set(s, p->n - 1) && p->at[p->n - 1].star;
}

/* Number of a state, which is added if it is new; MAX_STATES + 1: too many. */
static u32 state_number(struct automaton *a, const struct set *s)
{
	static const struct set nothing;

	if (!memcmp(s, &nothing, sizeof nothing))
		return DEAD;
	if (is_done(a->p, s))
		return DONE;
	for (u32 i = 2; i < a->n_states; i++)
		if (!memcmp(s, &a->state[i], sizeof *s))
			return i;
	if (a->n_states > MAX_STATES)
		return MAX_STATES + 1;
	a->state[a->n_states] = *s;
	return a->n_states++;
}

/* Bytes that no item distinguishes are one class. */
static void find_classes(struct automaton *a)
{
	a->n_classes = 1; /* class 0: the NUL */
	for (u32 b = 1; b < 256; b++) {
		u32 k = 1;

		for (; k < a->n_classes; k++) {
			u32 i = 0;

			while (i < a->p->n && has_byte(&a->p->at[i], (u8)b) ==
						      has_byte(&a->p->at[i], a->sample[k]))
				i++;
			if (i == a->p->n)
				break;
		}
		if (k == a->n_classes)
			a->sample[a->n_classes++] = (u8)b;
		a->class_of[b] = (u8)k;
	}
}

/* The data of the program: class_of[256], next[rows][stride]. */
struct walk_table {
	u8 *bytes;
	u32 size, rows, stride, start;
	u32 off; /* in the data map; 0: not stored yet */
};

static bool fill_table(struct arena *arena, struct automaton *a, u8 *next, struct walk_table *t)
{
	const struct pattern *p = a->p;
	struct set first = { 0 };

	a->n_states = 2;
	find_classes(a);
	add_position(p, &first, 0);
	t->start = state_number(a, &first);
	t->stride = power_of_two(a->n_classes);
	memset(next, DEAD, t->stride);
	memset(next + DONE * t->stride, DONE, t->stride); /* final states loop */
	for (u32 s = 2; s < a->n_states; s++) {
		memset(next + s * t->stride, DEAD, t->stride);
		next[s * t->stride] = in_set(&a->state[s], p->n) ? DONE : DEAD;
		for (u32 k = 1; k < a->n_classes; k++) {
			struct set to = step(p, &a->state[s], a->sample[k]);
			u32 number = state_number(a, &to);

			if (number > MAX_STATES)
				return false;
			next[s * t->stride + k] = (u8)number;
		}
	}
	t->rows = power_of_two(a->n_states);
	t->size = 256 + t->rows * t->stride;
	t->bytes = arena_array(arena, u8, t->size);
	memcpy(t->bytes, a->class_of, 256);
	memcpy(t->bytes + 256, next, a->n_states * t->stride);
	return true;
}

/* The automaton is allocated here because it is larger than most tables. */
static bool build_table(struct arena *arena, const struct pattern *p, struct walk_table *t)
{
	struct automaton *a = xmalloc(sizeof *a);
	bool fits;

	memset(a, 0, offsetof(struct automaton, state));
	a->p = p;
	fits = fill_table(arena, a, a->next, t);
	free(a);
	return fits;
}

/* The table of a pattern, shared by all its uses. NULL: *why has the reason. */
static struct walk_table *find_table(struct check *c, const char *pattern, bool is_glob,
				     const char **why)
{
	const char *name = arena_printf(c->arena, "%c%s", is_glob ? 'g' : 'n', pattern);
	struct walk_table *t = hash_gets(&c->lang->patterns, name);
	struct pattern *p;

	if (t)
		return t;
	p = arena_new(c->arena, struct pattern);
	*why = is_glob ? parse_glob(p, pattern) : parse_needle(p, pattern);
	t = arena_new(c->arena, struct walk_table);
	if (!*why && !build_table(c->arena, p, t))
		*why = "its table has more than 255 states";
	if (*why)
		return NULL;
	hash_puts(&c->lang->patterns, name, t);
	return t;
}

/* Offset of the table in the data map. It is stored again if a discarded compilation took the
 * data with it. */
static u32 table_offset(struct lower *l, struct walk_table *t)
{
	const struct program *p = l->prog;

	if (!t->off || t->off + t->size > p->data_init_len ||
	    memcmp(p->data + t->off, t->bytes, t->size))
		t->off = lower_data(l, t->size, t->bytes);
	return t->off;
}

/* ---- code for the program */

static struct opnd data_at(struct lower *l, u32 off)
{
	return ir_addr(l, o_data(l->prog->data_map, off));
}

/*
 * Runs the automaton over a text and returns the variable of the final state. If taken is not NULL,
 * *taken counts the bytes consumed before the last one.
 */
static u32 run_table(struct lower *l, const struct text *text, struct walk_table *t, u32 *taken)
{
	u32 off = table_offset(l, t), state = ir_var(l), log = (u32)__builtin_ctz(t->stride);
	struct opnd classes = data_at(l, off), next = data_at(l, off + 256), k;
	struct byte_loop b;

	ir_var_set(l, state, o_imm(t->start));
	if (taken)
		ir_var_set(l, *taken, o_imm(0));
	byte_loop_begin(l, &b, text->cap);
	for (u32 i = 0; i < b.step; i++) {
		k = ir_load(l, ir_op2(l, IR_ADD, classes, loop_byte(l, text, &b, i)), 1, false);
		k = ir_op2(l, IR_ADD, ir_op2(l, IR_SHL, o_temp(state), o_imm(log)), k);
		k = ir_op2(l, IR_AND, k, o_imm(t->rows * t->stride - 1));
		ir_var_set(l, state, ir_load(l, ir_op2(l, IR_ADD, next, k), 1, false));
		if (taken) {
			k = ir_op2(l, IR_SHR, ir_op2(l, IR_SUB, o_imm(DONE), o_temp(state)),
				   o_imm(63));
			ir_var_set(l, *taken, ir_op2(l, IR_ADD, o_temp(*taken), k));
		}
	}
	byte_loop_while(l, &b, CC_UGT, o_temp(state), o_imm(DONE));
	return state;
}

/*
 * The same as a function, of which the program has one for all tables. Its arguments describe the
 * table; the mask is that of the largest table.
 */
enum { INFO_LOG = 8, INFO_TAKEN = 8 };

static struct opnd walk_body(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	struct text text = text_shared(l, arg[0], most[0]);
	struct opnd classes = lower_shared_data(l, arg[1], most[1]), next = opnd_plus(classes, 256),
		    k;
	struct opnd start = ir_op2(l, IR_AND, arg[2], o_imm(255)),
		    log = ir_op2(l, IR_SHR, arg[2], o_imm(INFO_LOG));
	u32 state = ir_var(l), taken = ir_var(l);
	struct byte_loop b;

	ir_var_set(l, state, start);
	ir_var_set(l, taken, o_imm(0));
	byte_loop_begin(l, &b, text.cap);
	for (u32 i = 0; i < b.step; i++) {
		k = ir_load(l, ir_op2(l, IR_ADD, classes, loop_byte(l, &text, &b, i)), 1, false);
		k = ir_op2(l, IR_ADD, ir_op2(l, IR_SHL, o_temp(state), log), k);
		k = ir_op2(l, IR_AND, k, o_imm(most[1] - 256 - 1));
		k = ir_op2(l, IR_ADD, classes, k);
		ir_var_set(l, state, ir_load(l, opnd_plus(k, next.imm), 1, false));
		k = ir_op2(l, IR_SHR, ir_op2(l, IR_SUB, o_imm(DONE), o_temp(state)), o_imm(63));
		ir_var_set(l, taken, ir_op2(l, IR_ADD, o_temp(taken), k));
	}
	byte_loop_while(l, &b, CC_UGT, o_temp(state), o_imm(DONE));
	return ir_op2(l, IR_OR, ir_op2(l, IR_SHL, o_temp(taken), o_imm(INFO_TAKEN)), o_temp(state));
}

static const struct shared_func walk_func = {
	.name = "walk_table", .n_args = 3, .is_table = true, .body = walk_body
};

/* The final state of the text, in line or by a call; *taken as in run_table(). */
static struct opnd walk(struct lower *l, struct node *n, struct walk_table *t, struct opnd *taken)
{
	u32 v = 0, off, state, table = power_of_two(t->rows * t->stride);
	struct opnd arg[3], r;
	struct text text;

	if (!lower_wants_shared(l, n->type->count)) {
		text = text_view(l, n);
		v = taken ? ir_var(l) : 0;
		state = run_table(l, &text, t, taken ? &v : NULL);
		if (taken)
			*taken = o_temp(v);
		return o_temp(state);
	}
	text = text_in_scratch(l, n);
	off = table_offset(l, t);
	arg[0] = lower_scratch_offset(l, text.scratch);
	arg[1] = o_imm(off);
	arg[2] = o_imm(t->start | (u32)__builtin_ctz(t->stride) << INFO_LOG);
	r = lower_call_shared(l, &walk_func, (u32[]){ text.room, 256 + table }, arg);
	if (taken)
		*taken = ir_op2(l, IR_SHR, r, o_imm(INFO_TAKEN));
	return ir_op2(l, IR_AND, r, o_imm(255));
}

/* ---- glob */

static bool match(const struct walk_table *t, const char *s)
{
	u32 state = t->start;

	while (state > DONE)
		state = t->bytes[256 + state * t->stride + t->bytes[(u8)*s++]];
	return state == DONE;
}

static const struct type *check_pattern(struct check *c, struct node *call, bool is_glob)
{
	const struct node *s = call_arg(call, 0), *n = call_arg(call, 1);
	const char *why = NULL;
	struct walk_table *t = find_table(c, n->str, is_glob, &why);

	if (!t)
		return diag_type(c, n->span, D_PATTERN_COMPLEX, why);
	call->data = t;
	if (node_is_const_str(s))
		node_fold_int(call, match(t, s->str), &ty_bool);
	return &ty_bool;
}

static const struct type *check_glob(struct check *c, struct node *call)
{
	return check_pattern(c, call, true);
}

static struct ir_val lower_pattern(struct lower *l, struct node *call)
{
	struct walk_table *t = call->data;

	lower_str_limit(l);
	if (t->start <= DONE)
		return val_scalar(&ty_bool, o_imm(t->start));
	return val_scalar(&ty_bool,
			  ir_set(l, CC_EQ, walk(l, call_arg(call, 0), t, NULL), o_imm(DONE)));
}

/* ---- a needle that is not constant */

enum { SEARCH_BYTES = 2048 };

struct search {
	struct text hay, needle;
	u32 i, j, go, found;
};

/*
 * Compares one byte, then continues with the next byte of the needle, or with its start at the next
 * position.
 *
 *	n = needle[j];  h = hay[i + j];  same = h == n
 *	found |= go && !n;  go &= n && h;  i += !same && go;  j = same ? j + 1 : 0
 */
static void search_byte(struct lower *l, const struct search *s)
{
	struct opnd j = ir_op2(l, IR_AND, o_temp(s->j), o_imm(s->needle.room - 1)), n, h, same, at;

	n = text_byte(l, &s->needle, j);
	at = ir_op2(l, IR_AND, ir_op2(l, IR_ADD, o_temp(s->i), o_temp(s->j)),
		    o_imm(s->hay.room - 1));
	h = text_byte(l, &s->hay, at);
	same = is_zero(l, ir_op2(l, IR_XOR, h, n));
	ir_var_set(l, s->found,
		   ir_op2(l, IR_OR, o_temp(s->found),
			  ir_op2(l, IR_AND, o_temp(s->go), is_zero(l, n))));
	at = ir_op2(l, IR_XOR, is_zero(l, ir_op2(l, IR_MUL, n, h)), o_imm(1));
	ir_var_set(l, s->go, ir_op2(l, IR_AND, o_temp(s->go), at));
	at = ir_op2(l, IR_AND, ir_op2(l, IR_XOR, same, o_imm(1)), o_temp(s->go));
	ir_var_set(l, s->i, ir_op2(l, IR_ADD, o_temp(s->i), at));
	ir_var_set(l, s->j, ir_op2(l, IR_MUL, ir_op2(l, IR_ADD, o_temp(s->j), o_imm(1)), same));
}

/* If SEARCH_BYTES comparisons were not enough, counts a loss; the result is "not found". */
static struct opnd search_result(struct lower *l, struct node *call, struct opnd go,
				 struct opnd is_found, struct opnd at)
{
	struct ir_block *found = ir_block_new(l), *none = ir_block_new(l), *lost = ir_block_new(l),
			*out = ir_block_new(l);
	u32 result = ir_var(l);

	ir_var_set(l, result, o_imm(-1));
	ir_branch(l, CC_NE, is_found, o_imm(0), found, none);
	ir_place(l, none);
	ir_branch(l, CC_NE, go, o_imm(0), lost, out);
	ir_place(l, lost);
	lower_loss(l, LOSS_LOOP, call->builtin->name);
	ir_jump(l, out);
	ir_place(l, found);
	ir_var_set(l, result, at);
	ir_jump(l, out);
	ir_place(l, out);
	return o_temp(result);
}

static void search_texts(struct lower *l, struct search *s)
{
	struct byte_loop b;

	s->i = ir_var(l);
	s->j = ir_var(l);
	s->go = ir_var(l);
	s->found = ir_var(l);
	ir_var_set(l, s->i, o_imm(0));
	ir_var_set(l, s->j, o_imm(0));
	ir_var_set(l, s->go, o_imm(1));
	ir_var_set(l, s->found, o_imm(0));
	byte_loop_begin(l, &b, MIN(s->hay.cap * 4, (u32)SEARCH_BYTES));
	for (u32 k = 0; k < b.step; k++)
		search_byte(l, s);
	byte_loop_while(l, &b, CC_NE, o_temp(s->go), o_imm(0));
}

/* As a function; the result is go | found << 1 | i << 2. */
static struct opnd search_body(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	struct search s = { .hay = text_shared(l, arg[0], most[0]),
			    .needle = text_shared(l, arg[1], most[1]) };
	struct opnd r;

	search_texts(l, &s);
	r = ir_op2(l, IR_OR, o_temp(s.go), ir_op2(l, IR_SHL, o_temp(s.found), o_imm(1)));
	return ir_op2(l, IR_OR, r, ir_op2(l, IR_SHL, o_temp(s.i), o_imm(2)));
}

static const struct shared_func search_func = { .name = "search",
						.n_args = 2,
						.body = search_body };

static struct opnd search(struct lower *l, struct node *call)
{
	bool shared = lower_wants_shared(l, call_arg(call, 0)->type->count);
	struct opnd arg[2], r;
	struct search s;

	s.hay = text_copy(l, call_arg(call, 0));
	s.needle = text_copy(l, call_arg(call, 1));
	if (!shared) {
		search_texts(l, &s);
		return search_result(l, call, o_temp(s.go), o_temp(s.found), o_temp(s.i));
	}
	arg[0] = lower_scratch_offset(l, s.hay.scratch);
	arg[1] = lower_scratch_offset(l, s.needle.scratch);
	r = lower_call_shared(l, &search_func, (u32[]){ s.hay.room, s.needle.room }, arg);
	return search_result(l, call, ir_op2(l, IR_AND, r, o_imm(1)),
			     ir_op2(l, IR_AND, r, o_imm(2)), ir_op2(l, IR_SHR, r, o_imm(2)));
}

/* ---- strstr, strcontains */

static const struct type *check_strstr(struct check *c, struct node *call)
{
	const struct node *s = call_arg(call, 0), *n = call_arg(call, 1);
	const struct type *t = &ty_s64;

	if (node_is_const_str(n) && node_is_const_str(s)) {
		const char *at = strstr(s->str, n->str);

		node_fold_int(call, at ? at - s->str : -1, &ty_s64);
	} else if (node_is_const_str(n)) {
		t = check_pattern(c, call, false);
	}
	return t->kind == TY_ERROR ? t : &ty_s64;
}

static struct ir_val lower_strstr(struct lower *l, struct node *call)
{
	const struct node *n = call_arg(call, 1);
	struct ir_block *found = ir_block_new(l), *none = ir_block_new(l), *out = ir_block_new(l);
	u32 result = ir_var(l);
	struct opnd state, taken;

	lower_str_limit(l);
	if (!node_is_const_str(n))
		return val_scalar(&ty_s64, search(l, call));
	if (!n->str_len)
		return val_scalar(&ty_s64, o_imm(0));
	state = walk(l, call_arg(call, 0), call->data, &taken);
	ir_branch(l, CC_EQ, state, o_imm(DONE), found, none);
	ir_place(l, found);
	ir_var_set(l, result, ir_op2(l, IR_SUB, taken, o_imm((s64)n->str_len - 1)));
	ir_jump(l, out);
	ir_place(l, none);
	ir_var_set(l, result, o_imm(-1));
	ir_jump(l, out);
	ir_place(l, out);
	return val_scalar(&ty_s64, o_temp(result));
}

static const struct type *check_strcontains(struct check *c, struct node *call)
{
	return node_is_const_str(call_arg(call, 1)) ? check_pattern(c, call, false) : &ty_bool;
}

static struct ir_val lower_strcontains(struct lower *l, struct node *call)
{
	if (node_is_const_str(call_arg(call, 1)))
		return lower_pattern(l, call);
	lower_str_limit(l);
	return val_scalar(&ty_bool, ir_set(l, CC_SGE, search(l, call), o_imm(0)));
}

static const struct builtin rows[] = {
	{
		.name = "glob",
		.sig = "glob(s: string, pattern: lit string) -> bool",
		.brief = "whether a string matches a glob pattern",
		.doc = "The whole string must match. * is any number of characters, ? is one, "
		       "[a-z] is one in a set, [!a-z] one not in it; \\ escapes the next "
		       "character.",
		.example = "begin { print(glob(\"libc.so.6\", \"lib*.so*\")); }",
		.output = "true",
		.engines = ON_ALL,
		.check = check_glob,
		.lower = lower_pattern,
	},
	{
		.name = "strcontains",
		.sig = "strcontains(s: string, needle: string) -> bool",
		.brief = "whether a string contains another",
		.doc = "True if needle occurs in s. The empty string always does.",
		.example = "begin { print(strcontains(\"sonde\", \"on\")); }",
		.output = "true",
		.engines = ON_ALL,
		.check = check_strcontains,
		.lower = lower_strcontains,
	},
	{
		.name = "strstr",
		.sig = "strstr(s: string, needle: string) -> int64",
		.brief = "find a string in another",
		.doc = "Index of the first occurrence of needle in s, counted from 0; -1 if there "
		       "is none.",
		.example = "begin { print(strstr(\"sonde\", \"on\")); }",
		.work = "sleep 0.01",
		.output = "1",
		.engines = ON_ALL,
		.check = check_strstr,
		.lower = lower_strstr,
	},
};

const struct builtin_theme builtin_pattern = THEME("Searching in strings", rows);
