/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C text of a tracepoint's field -> type. In: "unsigned long", "const char *", "struct file *",
 * "u8", "enum hrtimer_mode". Structures have only a name at first; their fields are read from BTF
 * when they are used, so a script pays only for what it uses. In records of ordinary tracepoints
 * size and sign of an integer are those of the format file; records of system calls store every
 * value in 8 bytes ("natural"), and there the size is the C type's.
 */
#include <errno.h>
#include "provider/internal.h"
#include "sym/btf.h"
#include "sym/tracefs.h"

static const struct type ty_char = {
	.kind = TY_INT, .is_signed = true, .size = 1, .align = 1, .name = "char"
};

/* clang-format off */
/* Types that are known without opening BTF. */
static const struct {
	const char *name;
	u8 size;
	bool is_signed;
} ints[] = {
	{ "u8", 1, false }, { "u16", 2, false }, { "u32", 4, false }, { "u64", 8, false },
	{ "s8", 1, true }, { "s16", 2, true }, { "s32", 4, true }, { "s64", 8, true },
	{ "__u8", 1, false }, { "__u16", 2, false }, { "__u32", 4, false }, { "__u64", 8, false },
	{ "__s8", 1, true }, { "__s16", 2, true }, { "__s32", 4, true }, { "__s64", 8, true },
	{ "uint8_t", 1, false }, { "uint16_t", 2, false }, { "uint32_t", 4, false },
	{ "uint64_t", 8, false }, { "int8_t", 1, true }, { "int16_t", 2, true }, { "int32_t", 4, true },
	{ "int64_t", 8, true }, { "__be16", 2, false }, { "__be32", 4, false }, { "__be64", 8, false },
	{ "__le16", 2, false }, { "__le32", 4, false }, { "__le64", 8, false }, { "uint", 4, false },
	{ "ulong", 8, false }, { "pid_t", 4, true }, { "uid_t", 4, false }, { "gid_t", 4, false },
	{ "umode_t", 2, false }, { "dev_t", 4, false }, { "size_t", 8, false }, { "ssize_t", 8, true },
	{ "loff_t", 8, true }, { "off_t", 8, true }, { "ino_t", 8, false }, { "sector_t", 8, false },
	{ "gfp_t", 4, false }, { "key_t", 4, true }, { "key_serial_t", 4, true }, { "clockid_t", 4, true },
	{ "timer_t", 4, true }, { "mqd_t", 4, true }, { "qid_t", 4, false }, { "rwf_t", 4, true },
	{ "aio_context_t", 8, false }, { "fmode_t", 4, false }, { "pgoff_t", 8, false },
	{ "ktime_t", 8, true }, { "time64_t", 8, true }, { "dma_addr_t", 8, false },
	{ "phys_addr_t", 8, false }, { "old_uid_t", 2, false }, { "old_gid_t", 2, false },
	{ "old_sigset_t", 8, false }, { "uintptr_t", 8, false }, { "rwlock_t", 8, false },
};
/* clang-format on */

struct ctype {
	u8 tag;        /* 's', 'u', 'e' */
	char name[96]; /* of the tag or typedef; "" for plain C integers */
	u32 n_pointers;
	u32 n_long, size;
	bool is_char, is_unsigned, is_signed, is_void, is_bool, is_function, is_base;
};

static bool word_is(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(s, word, n);
}

static void add_word(struct ctype *c, const char *s, size_t n)
{
	static const char *const ignored[] = { "const", "volatile", "restrict", "__user",
					       "__rcu", "__percpu", "__iomem",  "int" };

	if (word_is(s, n, "int"))
		c->is_base = true;
	for (u32 i = 0; i < ARRAY_SIZE(ignored); i++)
		if (word_is(s, n, ignored[i]))
			return;
	if (word_is(s, n, "struct") || word_is(s, n, "union") || word_is(s, n, "enum")) {
		c->tag = (u8)*s;
		return;
	}
	if (!c->tag) {
		c->is_char |= word_is(s, n, "char");
		c->is_void |= word_is(s, n, "void");
		c->is_bool |= word_is(s, n, "bool") || word_is(s, n, "_Bool");
		c->is_unsigned |= word_is(s, n, "unsigned");
		c->is_signed |= word_is(s, n, "signed");
		c->n_long += word_is(s, n, "long");
		c->size = word_is(s, n, "short") ? 2 : c->size;
		c->is_base = c->is_base || c->is_char || c->is_void || c->is_bool ||
			     c->is_unsigned || c->is_signed || c->n_long || c->size;
		if (c->is_base)
			return;
	}
	n = MIN(n, sizeof c->name - 1);
	memcpy(c->name, s, n);
	c->name[n] = '\0';
}

static struct ctype scan(const char *s)
{
	struct ctype c = { 0 };

	while (*s) {
		size_t n = strspn(
			s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

		if (n)
			add_word(&c, s, n);
		else if (*s == '*')
			c.n_pointers++;
		else if (*s == '(')
			c.is_function = true;
		s += n ? n : 1;
	}
	return c;
}

static u32 base_size(const struct ctype *c)
{
	return c->is_char || c->is_bool ? 1 : c->size ? c->size : c->n_long ? 8 : 4;
}

/* ---- structs, completed from BTF when needed */

static int complete_struct(struct type *t)
{
	struct btf *btf = env_btf(t->origin);
	const struct type *full = NULL;

	t->origin = NULL;
	if (btf && t->name)
		full = type_complete(btf_type_by_name(btf, t->is_union ? 'u' : 's', t->name));
	if (!full || full->kind != TY_STRUCT)
		return -ENOENT;
	type_copy_layout(t, full);
	t->origin = full->origin;
	t->origin_id = full->origin_id;
	return 0;
}

static const struct type *named_struct(struct provider_env *env, const struct ctype *c, u32 size)
{
	struct type *t = arena_new(env->arena, struct type);

	t->kind = TY_STRUCT;
	t->is_union = c->tag == 'u';
	t->name = arena_strdup(env->arena, c->name);
	t->size = size;
	t->align = 1;
	t->origin = env;
	t->complete = complete_struct;
	return t;
}

static const struct type *from_btf(struct provider_env *env, u8 tag, const char *name)
{
	struct btf *btf = *name ? env_btf(env) : NULL;
	const struct type *t = btf ? btf_type_by_name(btf, tag, name) : NULL;

	return t && t->kind != TY_ERROR ? t : NULL;
}

static const struct type *known_int(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(ints); i++)
		if (streq(ints[i].name, name))
			return type_int(ints[i].size, ints[i].is_signed);
	return NULL;
}

static bool fits_int(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* What a pointer points to. */
static const struct type *pointee(struct provider_env *env, const struct ctype *c)
{
	const struct type *t;

	if (c->is_function || c->is_void)
		return &ty_void;
	if (c->tag == 's' || c->tag == 'u')
		return named_struct(env, c, 0);
	if (c->tag == 'e')
		return &ty_s32;
	if (c->is_base)
		return c->is_char && !c->is_unsigned ? &ty_char :
		       c->is_bool                    ? &ty_bool :
						       type_int(base_size(c), !c->is_unsigned);
	t = known_int(c->name);
	if (!t)
		t = from_btf(env, 0, c->name);
	return t ? t : &ty_void;
}

static const struct type *pointer_type(struct provider_env *env, const struct ctype *c,
				       enum space space)
{
	const struct type *t = pointee(env, c);

	for (u32 i = c->n_pointers ? c->n_pointers : 1; i; i--)
		t = type_pointer(env->arena, t, space);
	return t;
}

static const struct type *typedef_type(struct provider_env *env, const struct ctype *c, u32 size,
				       bool is_signed, bool natural, enum space space)
{
	const struct type *t = known_int(c->name);

	if (t && (natural || fits_int(size)))
		return natural ? t : type_int(size, is_signed);
	t = from_btf(env, 0, c->name);
	if (t && t->kind == TY_POINTER)
		return type_in_space(env->arena, t, space);
	if (t && (t->kind == TY_STRUCT || t->kind == TY_ARRAY) &&
	    (t->size == size || !fits_int(size)))
		return t;
	if (t && type_is_scalar(t) && t->size <= size && (natural || t->size == size))
		return t;
	return fits_int(size) ? type_int(size, is_signed) : type_array(env->arena, &ty_u8, size);
}

const struct type *ctype_scalar(struct provider_env *env, const char *text, u32 size,
				bool is_signed, bool natural, enum space space)
{
	struct ctype c = scan(text);
	const struct type *t;

	if (c.n_pointers || c.is_function)
		return pointer_type(env, &c, space);
	if (c.tag == 's' || c.tag == 'u')
		return named_struct(env, &c, size);
	if (c.tag == 'e') {
		t = from_btf(env, 'e', c.name);
		if (t && t->kind == TY_ENUM && (natural || t->size == size))
			return t;
		return type_int(natural || !fits_int(size) ? 4 : size, is_signed);
	}
	if (c.is_bool && (natural || size == 1))
		return &ty_bool;
	if (!c.is_base)
		return typedef_type(env, &c, size, is_signed, natural, space);
	if (natural)
		return type_int(base_size(&c), !c.is_unsigned);
	return fits_int(size) ? type_int(size, is_signed) : type_array(env->arena, &ty_u8, size);
}

/* An array whose length varies with the event holds as many bytes as a string may have. */
static const struct type *array_type(struct provider_env *env, const struct tp_field *f)
{
	struct ctype c = scan(f->type);
	const struct type *elem;
	u32 size, n = f->count;

	if (f->is_char)
		return type_string(env->arena, n && !f->data_loc       ? n :
					       f->size && !f->data_loc ? f->size :
									 env_strlen(env));
	if (n && !f->data_loc)
		size = f->size / n;
	else if (c.n_pointers || starts_with(c.name, "cpumask"))
		size = 8;
	else
		size = c.is_base ? base_size(&c) : known_int(c.name) ? known_int(c.name)->size : 1;
	if (!size) /* "[n]" is a macro with another meaning */
		size = 1, n = f->size;
	elem = starts_with(c.name, "cpumask") ?
		       &ty_u64 :
		       ctype_scalar(env, f->type, size, !c.is_unsigned && f->is_signed, false,
				    SPACE_KERNEL);
	if (!f->data_loc && !n) /* "[sizeof(struct x)]" */
		n = f->size / size;
	if (f->data_loc)
		return type_counted_array(env->arena, elem, MAX(env_strlen(env) / size, 1u));
	return type_array(env->arena, elem, n ? n : MAX(env_strlen(env) / size, 1u));
}

const struct type *ctype_field(struct provider_env *env, const struct tp_field *f, bool is_syscall)
{
	if (f->is_array)
		return array_type(env, f);
	return ctype_scalar(env, f->type, f->size, f->is_signed, is_syscall,
			    is_syscall ? SPACE_USER : SPACE_KERNEL);
}
