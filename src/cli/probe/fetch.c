/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An expression of C -> a fetch argument (Documentation/trace/kprobetrace.rst, uprobetracer.rst):
 *
 *	p->next->name     +4(+24(%di)):string      p in a register, next at 24 of its structure
 *	sum               -8(%bp):s64              a variable of the frame
 *	total             @+0x4040:s32             a static one, by its offset in the file
 *
 * What a location computes from registers is followed as a word and an offset; the kernel can add a
 * constant to a word and read there, and nothing else.
 */
#include <stdlib.h>
#include "arch/arch.h"
#include "cli/probe/probe.h"

/* A value, or where it lies. */
struct operand {
	const char *word;         /* a fetch argument of 8 bytes; NULL: none, a constant */
	s64 offset;               /* from it */
	bool is_address;          /* the value is in memory there; else it is the word itself */
	bool is_pc;               /* instead of a word, the address of the probe */
	const struct loc *pieces; /* instead of all that; offset counts from the first */
	const struct type *type;
	u32 bits, bit_offset; /* of a bit-field; 0: none */
};

struct fetching {
	struct probe *p;
	const struct probe_place *at;
	const struct probe_arg *arg;
	const char *why; /* it failed */
};

static bool fail(struct fetching *f, const char *why)
{
	if (!f->why)
		f->why = why;
	return false;
}

/* ---- memory */

/* A static variable of the kernel, which is not loaded where its image says. */
static const char *in_image(struct fetching *f, const struct operand *o)
{
	const char *expr = f->arg->expr;
	const struct probe_data data = {
		.name = arena_strndup(f->p->arena, expr, strcspn(expr, ".-[")),
		.site = f->at->site->user.offset,
		.offset = (u64)o->offset,
		.is_relative = o->is_pc,
	};
	struct buf b = { 0 };
	const char *text;

	buf_putc(&b, '@');
	if (!probe_put_address(f->p, &data, &b))
		fail(f, "it is static, and the image has no symbol _text");
	text = arena_strdup(f->p->arena, b.s);
	buf_release(&b);
	return text;
}

/* The fetch argument that reads at the address. */
static const char *memory(struct fetching *f, const struct operand *o, bool follows)
{
	struct arena *a = f->p->arena;

	if (f->p->is_kernel && (o->is_pc || !o->word))
		return in_image(f, o);
	if (o->is_pc && f->p->file)
		return arena_printf(a, "@+0x%llx",
				    (unsigned long long)f->at->site->user.offset +
					    (unsigned long long)o->offset);
	if (!o->word && !o->is_pc)
		return arena_printf(a, "@0x%llx", (unsigned long long)o->offset);
	return arena_printf(a, "%c%s%lld(%s)", o->offset < 0 ? '-' : '+',
			    follows && f->arg->is_user ? "u" : "", llabs((long long)o->offset),
			    o->is_pc ? "%ip" : o->word);
}

/* Whether the address is one that a pointer held, not one of the frame. */
static bool is_followed(const struct operand *o)
{
	return o->word && *o->word != '%';
}

/* ---- locations */

struct words {
	struct operand v[LOC_MAX_DEPTH];
	u32 n;
};

static const char cannot[] =
	"its location is computed, which an event cannot do: probe another line";

static bool add(struct fetching *f, struct words *w, bool subtract)
{
	struct operand *a = &w->v[w->n - 2], *b = &w->v[w->n - 1];

	if ((b->word || b->is_pc) && !subtract && !a->word && !a->is_pc) {
		struct operand t = *a;

		*a = *b;
		*b = t;
	}
	if (b->word || b->is_pc)
		return fail(f, cannot);
	a->offset += subtract ? -b->offset : b->offset;
	w->n--;
	return true;
}

static bool push(struct words *w, struct operand o)
{
	if (w->n == LOC_MAX_DEPTH)
		return false;
	w->v[w->n++] = o;
	return true;
}

static bool step(struct fetching *f, struct words *w, const struct loc_step *s)
{
	struct operand *top = w->n ? &w->v[w->n - 1] : NULL;
	const char *name;

	if (s->op == LOP_CONST)
		return push(w, (struct operand){ .offset = s->value });
	if (s->op == LOP_REG) {
		if ((u32)s->value == arch_native->ip)
			return push(w, (struct operand){ .is_pc = true });
		name = arch_kernel_register((u32)s->value);
		return name ? push(w, (struct operand){ .word = arena_printf(f->p->arena, "%%%s",
									     name) }) :
			      fail(f, cannot);
	}
	if ((s->op == LOP_ADD || s->op == LOP_SUB) && w->n >= 2)
		return add(f, w, s->op == LOP_SUB);
	if (s->op == LOP_DEREF && s->size == 8 && top) {
		*top = (struct operand){ .word = memory(f, top, false) };
		return true;
	}
	return (s->op == LOP_EXT && s->size == 8) || fail(f, cannot);
}

static bool place(struct fetching *f, const struct loc *loc, struct operand *o);

static bool place_expr(struct fetching *f, const struct loc *loc, struct operand *o)
{
	struct words w = { 0 };

	for (u32 i = 0; i < loc->n; i++)
		if (!step(f, &w, &loc->step[i]))
			return fail(f, cannot);
	if (!w.n)
		return fail(f, cannot);
	*o = w.v[w.n - 1];
	o->is_address = !loc->is_value;
	if (loc->is_value && !o->word && !o->is_pc)
		o->word = arena_printf(f->p->arena, "\\%lld", (long long)o->offset);
	else if (loc->is_value && (o->offset || o->is_pc))
		return fail(f, cannot);
	return true;
}

static bool place_register(struct fetching *f, const struct loc *loc, struct operand *o)
{
	const char *name = arch_kernel_register(loc->offset);

	if (!name || loc->inner)
		return fail(f, "it is in a part of a register that no event can name");
	*o = (struct operand){ .word = arena_printf(f->p->arena, "%%%s", name) };
	return true;
}

/* Keeps the type. */
static bool place(struct fetching *f, const struct loc *loc, struct operand *o)
{
	const struct type *type = o->type;
	bool ok = true;

	switch (loc->kind) {
	case LOC_REG: ok = place_register(f, loc, o); break;
	case LOC_EXPR: ok = place_expr(f, loc, o); break;
	case LOC_STACK:
		*o = (struct operand){ .word = "%sp", .offset = loc->inner, .is_address = true };
		break;
	case LOC_CONST:
		*o = (struct operand){ .word = arena_printf(f->p->arena, "\\%lld",
							    (long long)loc->value) };
		break;
	case LOC_PIECES: *o = (struct operand){ .pieces = loc }; break;
	case LOC_NONE:
	case LOC_CTX:
	case LOC_CTX_ADDR:
	case LOC_DATA_LOC:
	case LOC_REL_LOC:
	case LOC_REGS_PTR:
	case LOC_REGS_USER: ok = fail(f, "it cannot be read here"); break;
	}
	o->type = type;
	return ok;
}

/* Of a value in pieces, the piece that has the member. */
static bool settle(struct fetching *f, struct operand *o)
{
	const struct loc *all = o->pieces;
	const struct type *type = o->type;
	u64 at = (u64)o->offset, start = 0;

	for (u32 i = 0; all && i < all->n; start += all->piece[i].size, i++) {
		if (at < start || at + type->size > start + all->piece[i].size)
			continue;
		o->pieces = NULL;
		if (!place(f, &all->piece[i].loc, o))
			return false;
		o->type = type;
		if (!o->is_address && at != start)
			break;
		o->offset += (s64)(at - start);
		return true;
	}
	return !all || fail(f, "it is in several places at once: name a member of it");
}

/* ---- expressions */

static const struct type *whole(const struct type *t)
{
	return t ? type_complete(t) : &ty_u64;
}

/* A pointer becomes where it leads; an array is where it is. */
static bool follow(struct fetching *f, struct operand *o)
{
	const struct type *t = whole(o->type);

	if ((t->kind == TY_ARRAY || t->kind == TY_STRING) && (o->is_address || o->pieces)) {
		o->type = t->kind == TY_ARRAY ? t->elem : &ty_s8;
		return true;
	}
	if (t->kind != TY_POINTER)
		return fail(f, "what is before -> or [] is no pointer and no array in memory");
	if (!settle(f, o))
		return false;
	*o = (struct operand){ .word = o->is_address ? memory(f, o, is_followed(o)) : o->word,
			       .is_address = true,
			       .type = t->elem };
	return true;
}

static bool is_part(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
	       c == '$';
}

static void no_member(struct fetching *f, const struct type *t, const char *name)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s %s has no member \"%s\"; it has", t->is_union ? "union" : "struct",
		   t->name ? t->name : "", name);
	for (u32 i = 0; i < t->n_fields && i < 12; i++)
		buf_printf(&b, "%s %s", i ? "," : "",
			   *t->fields[i].name ? t->fields[i].name : "(unnamed)");
	fail(f, arena_strdup(f->p->arena, b.s));
	buf_release(&b);
}

static const char *take_member(struct fetching *f, struct operand *o, const char *s)
{
	const struct type *t;
	const struct field *field;
	const char *name;
	size_t len = 0;
	u32 offset;

	if (*s == '-' && !follow(f, o))
		return NULL;
	s += *s == '-' ? 2 : 1;
	while (is_part(s[len]))
		len++;
	name = arena_strndup(f->p->arena, s, len);
	t = whole(o->type);
	field = t->kind == TY_STRUCT ? type_field(t, name, &offset) : NULL;
	if (t->kind != TY_STRUCT)
		fail(f,
		     arena_printf(f->p->arena, "what \"%s\" is to be a member of is no structure%s",
				  name, t->kind == TY_POINTER ? " but a pointer: ->" : ""));
	else if (!field)
		no_member(f, t, name);
	else if (!o->is_address && !o->pieces && offset)
		fail(f, "the structure is in a register");
	if (f->why)
		return NULL;
	o->type = field->type;
	o->offset += offset;
	o->bits = field->bit_size;
	o->bit_offset = field->bit_offset;
	return s + len;
}

static const char *take_index(struct fetching *f, struct operand *o, const char *s)
{
	const struct type *t;
	char *end;
	long long i = strtoll(s + 1, &end, 0);

	if (end == s + 1 || *end != ']') {
		fail(f, "an index is a number: argv[1]");
		return NULL;
	}
	t = whole(o->type);
	if ((t->kind == TY_ARRAY || t->kind == TY_STRING) && t->count > 1 &&
	    (i < 0 || i >= t->count))
		fail(f, arena_printf(f->p->arena, "the array has %u elements", t->count));
	if (f->why || !follow(f, o))
		return NULL;
	o->offset += i * (s64)whole(o->type)->size;
	return end + 1;
}

/* The variable that the expression begins with. */
static bool begin(struct fetching *f, const char *name, struct operand *o)
{
	const struct profile *p = f->at->profile;
	const struct arg_desc *arg = arg_find(&p->vars, name);

	if (!arg)
		arg = arg_find(&p->args, name);
	if (streq(name, "$retval")) {
		*o = (struct operand){ .word = name,
				       .type = p->retval.type ? p->retval.type : &ty_u64 };
		return true;
	}
	if (!arg)
		return fail(f, p->missing.why ?
				       p->missing.why :
				       "there is no such variable here: sonde probe -V lists them");
	if (arg->why)
		return fail(f, arg->why);
	*o = (struct operand){ .type = arg->type };
	return place(f, &arg->loc, o);
}

static bool evaluate(struct fetching *f, struct operand *o)
{
	const char *s = f->arg->expr;
	size_t len = strcspn(s, ".-[");

	if (!begin(f, arena_strndup(f->p->arena, s, len), o))
		return false;
	for (s += len; s && *s;) {
		if (*s == '[')
			s = take_index(f, o, s);
		else if (*s == '.' || (*s == '-' && s[1] == '>'))
			s = take_member(f, o, s);
		else
			return fail(f, "what follows a name is .MEMBER, ->MEMBER or [INDEX]");
	}
	return s && settle(f, o);
}

/* ---- types */

/* An array of characters. */
static bool is_text(const struct type *t)
{
	const struct type *elem = t->kind == TY_ARRAY ? whole(t->elem) : NULL;

	return t->kind == TY_STRING ||
	       (elem && elem->kind == TY_INT && elem->size == 1 && elem->is_signed);
}

static const char *type_text(struct fetching *f, const struct operand *o, char sign)
{
	const struct type *t = whole(o->type);
	struct arena *a = f->p->arena;
	u32 unit = 8;

	while (o->bits && unit < o->bit_offset + o->bits)
		unit *= 2;
	if (o->bits)
		return arena_printf(a, "b%u@%u/%u", o->bits, o->bit_offset, unit);
	if (is_text(t))
		return "string";
	if (t->kind == TY_ARRAY && t->count && t->count <= 64) {
		struct operand elem = { .type = t->elem };
		const char *text = type_text(f, &elem, sign);

		return text ? arena_printf(a, "%s[%u]", text, t->count) : NULL;
	}
	if (t->kind == TY_STRUCT || t->kind == TY_ARRAY ||
	    (t->size != 1 && t->size != 2 && t->size != 4 && t->size != 8)) {
		fail(f, t->kind == TY_STRUCT ?
				"it is a structure: name a member of it" :
				"an event has no type for it: name an element or give :TYPE");
		return NULL;
	}
	if (!sign)
		sign = (t->kind == TY_INT || t->kind == TY_ENUM) && t->is_signed ? 's' : 'x';
	return arena_printf(a, "%c%u", sign, t->size * 8);
}

static bool is_string(const char *type)
{
	return streq(type, "string") || streq(type, "ustring");
}

/* NULL: it failed. */
static const char *type_of(struct fetching *f, struct operand *o)
{
	const char *type = f->arg->type;
	const struct type *t = whole(o->type);

	if (!type)
		return type_text(f, o, '\0');
	if ((*type == 's' || *type == 'u' || *type == 'x') && !type[1])
		return type_text(f, o, *type);
	if (is_string(type) && t->kind != TY_STRING && !follow(f, o)) {
		f->why = "a string is an array of characters or a pointer to one";
		return NULL;
	}
	return f->arg->is_user && streq(type, "string") ? "ustring" : type;
}

/* ---- the argument */

/* As perf names it: the last member, or with the given type. */
static const char *name_of(struct fetching *f)
{
	const struct probe_arg *arg = f->arg;
	const char *from = arg->expr, *end;
	bool is_plain = !strpbrk(from, ".[>");

	if (arg->name)
		return arg->name;
	for (const char *s = from; *s; s++)
		if (*s == '.' || *s == '>')
			from = s + 1;
	for (end = from; is_part(*end) && *end != '$';)
		end++;
	return arena_printf(f->p->arena, "%.*s%s%s", (int)(end - from), from,
			    is_plain && arg->type ? "_" : "",
			    is_plain && arg->type ? arg->type : "");
}

bool probe_is_raw(const struct probe_arg *arg)
{
	const char *s = arg->expr;

	return strchr("%@+-\\", *s) ||
	       (*s == '$' && !(starts_with(s, "$retval") && s[strlen("$retval")]));
}

static bool is_taken(const struct buf *line, const char *name)
{
	char *text = xasprintf(" %s=", name);
	bool found = strstr(line->s, text) != NULL;

	free(text);
	return found;
}

static void put_named(struct fetching *f, struct buf *line, const struct operand *o,
		      const char *type)
{
	const char *name = name_of(f), *own = name;
	const char *value = !o->is_address ? o->word : memory(f, o, is_followed(o));

	for (u32 i = 1; is_taken(line, own); i++)
		own = arena_printf(f->p->arena, "%s_%u", name, i);
	buf_printf(line, " %s=%s:%s", own, value, type);
}

int probe_put_arg(struct probe *p, const struct probe_place *at, const struct probe_arg *arg,
		  struct buf *line)
{
	struct fetching f = { .p = p, .at = at, .arg = arg };
	struct operand o = { 0 };
	const char *type = NULL;

	if (probe_is_raw(arg)) {
		buf_printf(line, " %s", arg->text);
		return 0;
	}
	if (evaluate(&f, &o))
		type = type_of(&f, &o);
	if (type)
		put_named(&f, line, &o, type);
	else
		say(p->c, "%s at %s: %s", arg->text, at->site->probe,
		    f.why ? f.why : "an event has no type for it: give :TYPE");
	return type ? 0 : STATUS_WRONG;
}
