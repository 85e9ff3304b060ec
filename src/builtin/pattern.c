/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searching in strings. A pattern that is known when the script is compiled becomes a table, the
 * deterministic automaton of it: the probe takes each byte's class and the state to the next state,
 * two loads for a byte, whatever the pattern. Only a needle that is itself a string of the probe is
 * searched by comparing.
 *
 *	class = class_of[byte];  state = next[state * n_classes + class]
 *
 * States 0 and 1 end the walk: 0 is "cannot match any more", 1 is "matches whatever follows".
 */
#include "builtin/text.h"

enum { MAX_PATTERN = 255, MAX_STATES = 255, DEAD = 0, DONE = 1 };

/* ---- the pattern: places, each of which takes a set of bytes; a star stays where it is */

struct glob_place {
	bool star;
	u8 bytes[32]; /* bitmap */
};

struct pattern {
	struct glob_place at[MAX_PATTERN + 1];
	u32 n;
};

static void add_byte(struct glob_place *p, u8 b)
{
	p->bytes[b / 8] |= (u8)(1u << b % 8);
}

static bool has_byte(const struct glob_place *p, u8 b)
{
	return p->bytes[b / 8] >> b % 8 & 1;
}

static void turn_set(struct glob_place *p)
{
	for (u32 i = 0; i < sizeof p->bytes; i++)
		p->bytes[i] = (u8)~p->bytes[i];
}

/* "[a-z_]", "[!0-9]": s is behind the bracket; behind the set afterwards; NULL: it has no end. */
static const char *parse_set(struct glob_place *p, const char *s)
{
	bool turned = *s == '!' || *s == '^', first = true;

	s += turned;
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
	if (turned)
		turn_set(p);
	return *s ? s + 1 : NULL;
}

static const char *parse_place(struct glob_place *p, const char *s)
{
	const char *end;

	switch (*s) {
	case '*':
		p->star = true;
		return s + 1;
	case '?':
		turn_set(p);
		return s + 1;
	case '[':
		end = parse_set(p, s + 1);
		if (end)
			return end;
		*p = (struct glob_place){ 0 }; /* a bracket without an end is itself */
		break;
	case '\\':
		s += s[1] != 0;
		break;
	}
	add_byte(p, (u8)*s);
	return s + 1;
}

static const char *parse_glob(struct pattern *p, const char *s)
{
	while (*s) {
		if (p->n == MAX_PATTERN)
			return "it has more than 255 characters";
		s = parse_place(&p->at[p->n++], s);
	}
	return NULL;
}

/* The needle anywhere: a star on both sides. */
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

struct set { /* of places: where in the pattern a match may be; place n: at its end */
	u64 word[MAX_PATTERN / 64 + 1];
};

struct automaton {
	const struct pattern *p;
	struct set state[MAX_STATES + 1];
	u32 n_states;
	u8 class_of[256];
	u8 sample[256]; /* a byte of each class */
	u32 n_classes;
};

static bool in_set(const struct set *s, u32 i)
{
	return s->word[i / 64] >> i % 64 & 1;
}

/* Puts a place in, and what follows stars without taking a byte. What stands before a star is given up:
 * whatever it could match later, the star can too. */
static void add_place(const struct pattern *p, struct set *s, u32 i)
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
			add_place(p, &to, i);
		else if (has_byte(&p->at[i], byte))
			add_place(p, &to, i + 1);
	}
	return to;
}

static bool is_done(const struct pattern *p, const struct set *s)
{
	return p->n && in_set(s, p->n - 1) && p->at[p->n - 1].star;
}

/* The number of a state; MAX_STATES + 1: there is no room. */
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

/* Bytes that no place tells apart are one class. */
static void find_classes(struct automaton *a)
{
	for (u32 b = 0; b < 256; b++) {
		u32 k = 0;

		for (; k < a->n_classes; k++) {
			u32 i = 0;

			while (i < a->p->n && has_byte(&a->p->at[i], (u8)b) == has_byte(&a->p->at[i], a->sample[k]))
				i++;
			if (i == a->p->n)
				break;
		}
		if (k == a->n_classes)
			a->sample[a->n_classes++] = (u8)b;
		a->class_of[b] = (u8)k;
	}
}

/* What the probe needs: class_of[256], accept[n_states], next[n_states][stride]. */
struct walk_table {
	u8 *bytes;
	u32 size, rows, stride, start;
};

static bool build_table(struct arena *arena, const struct pattern *p, struct walk_table *t)
{
	struct automaton *a = arena_new(arena, struct automaton);
	struct set first = { 0 };
	u8 *next = arena_array(arena, u8, (MAX_STATES + 1) * 256);

	a->p = p;
	a->n_states = 2;
	find_classes(a);
	add_place(p, &first, 0);
	t->start = state_number(a, &first);
	t->stride = power_of_two(a->n_classes);
	for (u32 s = 2; s < a->n_states; s++)
		for (u32 k = 0; k < a->n_classes; k++) {
			struct set to = step(p, &a->state[s], a->sample[k]);
			u32 number = state_number(a, &to);

			if (number > MAX_STATES)
				return false;
			next[s * t->stride + k] = (u8)number;
		}
	t->rows = power_of_two(a->n_states);
	t->size = 256 + t->rows + t->rows * t->stride;
	t->bytes = arena_array(arena, u8, t->size);
	memcpy(t->bytes, a->class_of, 256);
	t->bytes[256 + DONE] = 1;
	for (u32 s = 2; s < a->n_states; s++)
		t->bytes[256 + s] = in_set(&a->state[s], p->n);
	memcpy(t->bytes + 256 + t->rows, next, a->n_states * t->stride);
	return true;
}

/* ---- in the probe */

static struct opnd data_at(struct lower *l, u32 off)
{
	return ir_addr(l, o_data(l->prog->data_map, off));
}

/* Runs the automaton over a text: the state it ends in, and the index where it ended. */
static u32 run_table(struct lower *l, const struct text *text, const struct walk_table *t, struct byte_loop *b)
{
	u32 off = data_table(l, t->bytes, t->size), state = ir_var(l), log = (u32)__builtin_ctz(t->stride);
	struct opnd classes = data_at(l, off), next = data_at(l, off + 256 + t->rows), byte, k;
	struct ir_block *in = ir_block_new(l), *on = ir_block_new(l);

	ir_var_set(l, state, o_imm(t->start));
	byte_loop_begin(l, b, text->cap);
	byte = text_byte(l, text, o_temp(b->i));
	ir_branch(l, CC_EQ, byte, o_imm(0), b->out, in);
	ir_place(l, in);
	k = ir_load(l, ir_op2(l, IR_ADD, classes, byte), 1, false);
	k = ir_op2(l, IR_ADD, ir_op2(l, IR_SHL, o_temp(state), o_imm(log)), k);
	k = ir_op2(l, IR_AND, k, o_imm(t->rows * t->stride - 1));
	ir_var_set(l, state, ir_load(l, ir_op2(l, IR_ADD, next, k), 1, false));
	ir_branch(l, CC_ULE, o_temp(state), o_imm(DONE), b->out, on);
	ir_place(l, on);
	byte_loop_end(l, b);
	return state;
}

static struct opnd accepts(struct lower *l, const struct walk_table *t, u32 state)
{
	u32 off = data_table(l, t->bytes, t->size);
	struct opnd at = ir_op2(l, IR_AND, o_temp(state), o_imm(t->rows - 1));

	return ir_load(l, ir_op2(l, IR_ADD, data_at(l, off + 256), at), 1, false);
}

/* ---- glob */

static bool match(const struct walk_table *t, const char *s)
{
	u32 state = t->start;

	for (; *s; s++)
		state = state > DONE ? t->bytes[256 + t->rows + state * t->stride + t->bytes[(u8)*s]] : state;
	return t->bytes[256 + state];
}

static const struct type *check_pattern(struct check *c, struct node *call, bool is_glob)
{
	const struct node *s = call_arg(call, 0), *n = call_arg(call, 1);
	struct pattern *p = arena_new(c->arena, struct pattern);
	const char *why = is_glob ? parse_glob(p, n->str) : parse_needle(p, n->str);
	struct walk_table *t = arena_new(c->arena, struct walk_table);

	if (!why && !build_table(c->arena, p, t))
		why = "its table has more than 255 states";
	if (why)
		return diag_type(c, n->span, D_PATTERN_COMPLEX, why);
	call->data = t;
	if (s->kind == N_STR)
		node_make_int(call, match(t, s->str), &ty_bool);
	return &ty_bool;
}

static const struct type *check_glob(struct check *c, struct node *call)
{
	return check_pattern(c, call, true);
}

static struct ir_val lower_pattern(struct lower *l, struct node *call)
{
	const struct walk_table *t = call->data;
	struct byte_loop b;
	struct text text;
	u32 state;

	lower_str_limit(l);
	text = text_view(l, call_arg(call, 0));
	state = t->start;
	if (t->start > DONE) {
		state = run_table(l, &text, t, &b);
		return val_scalar(&ty_bool, accepts(l, t, state));
	}
	return val_scalar(&ty_bool, o_imm(t->bytes[256 + t->start]));
}

/* ---- a needle that only the probe knows */

enum { SEARCH_TURNS = 4096 };

/*
 * One turn compares one byte: on to the next of the needle, or back to its start one place further.
 *
 *	n = needle[j]; if !n found;  h = hay[i + j]; if !h not found
 *	same = h == n;  i += !same;  j = same ? j + 1 : 0
 */
static struct opnd search(struct lower *l, struct node *call)
{
	struct ir_block *found = ir_block_new(l), *more = ir_block_new(l), *in = ir_block_new(l),
			*none = ir_block_new(l), *done = ir_block_new(l);
	u32 i = ir_var(l), j = ir_var(l), result = ir_var(l);
	struct opnd n, h, same, at;
	struct text hay, needle;
	struct byte_loop b;

	hay = text_copy(l, call_arg(call, 0));
	needle = text_copy(l, call_arg(call, 1));
	ir_var_set(l, i, o_imm(0));
	ir_var_set(l, j, o_imm(0));
	byte_loop_begin(l, &b, MIN(hay.cap * 4, (u32)SEARCH_TURNS));
	n = text_byte(l, &needle, ir_op2(l, IR_AND, o_temp(j), o_imm(needle.room - 1)));
	ir_branch(l, CC_EQ, n, o_imm(0), found, more);
	ir_place(l, more);
	at = ir_op2(l, IR_AND, ir_op2(l, IR_ADD, o_temp(i), o_temp(j)), o_imm(hay.room - 1));
	h = text_byte(l, &hay, at);
	ir_branch(l, CC_EQ, h, o_imm(0), none, in);
	ir_place(l, in);
	same = is_zero(l, ir_op2(l, IR_XOR, h, n));
	ir_var_set(l, i, ir_op2(l, IR_ADD, o_temp(i), ir_op2(l, IR_XOR, same, o_imm(1))));
	ir_var_set(l, j, ir_op2(l, IR_MUL, ir_op2(l, IR_ADD, o_temp(j), o_imm(1)), same));
	byte_loop_end(l, &b);
	lower_loss(l, LOSS_LOOP, call->builtin->name);
	ir_jump(l, none);
	ir_place(l, none);
	ir_var_set(l, result, o_imm(-1));
	ir_jump(l, done);
	ir_place(l, found);
	ir_var_set(l, result, forget(l, hay.at, o_temp(i)));
	ir_jump(l, done);
	ir_place(l, done);
	return o_temp(result);
}

/* ---- strstr, strcontains */

static const struct type *check_strstr(struct check *c, struct node *call)
{
	const struct node *s = call_arg(call, 0), *n = call_arg(call, 1);
	const struct type *t = &ty_s64;

	if (n->kind == N_STR && s->kind == N_STR) {
		const char *at = strstr(s->str, n->str);

		node_make_int(call, at ? at - s->str : -1, &ty_s64);
	} else if (n->kind == N_STR) {
		t = check_pattern(c, call, false);
	}
	return t->kind == TY_ERROR ? t : &ty_s64;
}

static struct ir_val lower_strstr(struct lower *l, struct node *call)
{
	const struct node *n = call_arg(call, 1);
	struct ir_block *found = ir_block_new(l), *none = ir_block_new(l), *out = ir_block_new(l);
	u32 result = ir_var(l), state;
	struct byte_loop b;
	struct text text;

	lower_str_limit(l);
	if (n->kind != N_STR)
		return val_scalar(&ty_s64, search(l, call));
	if (!n->str_len)
		return val_scalar(&ty_s64, o_imm(0));
	text = text_copy(l, call_arg(call, 0));
	state = run_table(l, &text, call->data, &b);
	ir_branch(l, CC_EQ, o_temp(state), o_imm(DONE), found, none);
	ir_place(l, found);
	ir_var_set(l, result, ir_op2(l, IR_SUB, forget(l, text.at, o_temp(b.i)), o_imm((s64)n->str_len - 1)));
	ir_jump(l, out);
	ir_place(l, none);
	ir_var_set(l, result, o_imm(-1));
	ir_jump(l, out);
	ir_place(l, out);
	return val_scalar(&ty_s64, o_temp(result));
}

static const struct type *check_strcontains(struct check *c, struct node *call)
{
	return call_arg(call, 1)->kind == N_STR ? check_pattern(c, call, false) : &ty_bool;
}

static struct ir_val lower_strcontains(struct lower *l, struct node *call)
{
	if (call_arg(call, 1)->kind == N_STR)
		return lower_pattern(l, call);
	lower_str_limit(l);
	return val_scalar(&ty_bool, ir_set(l, CC_SGE, search(l, call), o_imm(0)));
}

static const struct builtin rows[] = {
	{
		.name = "glob", .sig = "glob(s: string, pattern: lit string) -> bool",
		.brief = "whether a string matches a pattern",
		.doc = "The whole string must match: * is any number of characters, ? is one, [a-z] one of a set, [!a-z] one "
		       "that is not in it; \\ takes the next character as it is.",
		.example = "begin { print(glob(\"libc.so.6\", \"lib*.so*\")); print(glob(comm, \"[a-z]*\")); }",
		.engines = ON_ALL, .check = check_glob, .lower = lower_pattern,
	},
	{
		.name = "strcontains", .sig = "strcontains(s: string, needle: string) -> bool",
		.brief = "whether a string is in another",
		.doc = "True when needle occurs in s; the empty one always does.",
		.example = "begin { print(strcontains(comm, \"on\")); }",
		.engines = ON_ALL, .check = check_strcontains, .lower = lower_strcontains,
	},
	{
		.name = "strstr", .sig = "strstr(s: string, needle: string) -> int64",
		.brief = "where a string is in another",
		.doc = "Index of the first occurrence of needle in s, counted from 0; -1 when there is none.",
		.example = "begin { print(strstr(comm, \"on\")); }",
		.engines = ON_ALL, .check = check_strstr, .lower = lower_strstr,
	},
};

const struct builtin_theme builtin_pattern = THEME("Searching in strings", rows);
