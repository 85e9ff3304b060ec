/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BTF: a small file made here, broken files, and the running kernel's. */
#include "base/buf.h"
#include "sym/btf.h"
#include "tap.h"

static struct arena a;

/* ---- a writer: types are words, names are offsets */

struct blob {
	u32 type[512];
	u32 n;
	char strings[1024];
	u32 len;
	u32 id;
};

static u32 str(struct blob *b, const char *s)
{
	u32 at = b->len;

	if (!*s)
		return 0;
	strcpy(b->strings + at, s);
	b->len += (u32)strlen(s) + 1;
	return at;
}

static u32 type(struct blob *b, const char *name, u32 kind, u32 vlen, bool flag, u32 size)
{
	b->type[b->n++] = str(b, name);
	b->type[b->n++] = kind << 24 | vlen | (u32)flag << 31;
	b->type[b->n++] = size;
	return ++b->id;
}

static void words(struct blob *b, u32 x, u32 y, u32 z, u32 n)
{
	u32 w[] = { x, y, z };

	memcpy(b->type + b->n, w, n * sizeof(u32));
	b->n += n;
}

static const void *finish(struct blob *b, size_t *len)
{
	static char out[8][4096];
	static u32 next;
	char *at = out[next++ % 8];
	struct btf_header h = { .magic = BTF_MAGIC,
				.version = 1,
				.hdr_len = sizeof h,
				.type_len = b->n * 4,
				.str_off = b->n * 4,
				.str_len = b->len };

	memcpy(at, &h, sizeof h);
	memcpy(at + sizeof h, b->type, b->n * 4);
	memcpy(at + sizeof h + b->n * 4, b->strings, b->len);
	*len = sizeof h + b->n * 4 + b->len;
	return at;
}

enum {
	INT = 1,
	CHAR,
	PTR_CHAR,
	COMM,
	U64,
	ANON,
	TASK,
	PTR_TASK,
	CONST_TASK,
	TAG,
	USER_PTR,
	STATE,
	PROTO,
	FUNC,
	RAW_PROTO,
	RAW_PTR,
	RAW_TYPEDEF,
	ANON_TYPEDEF,
	FWD,
	LOOP
};

static void fill(struct blob *b)
{
	b->len = 1;
	type(b, "int", BTF_KIND_INT, 0, 0, 4); /* 1 */
	words(b, BTF_INT_SIGNED << 24 | 32, 0, 0, 1);
	type(b, "char", BTF_KIND_INT, 0, 0, 1);
	words(b, 8, 0, 0, 1);
	type(b, "", BTF_KIND_PTR, 0, 0, CHAR);
	type(b, "", BTF_KIND_ARRAY, 0, 0, 0);
	words(b, CHAR, INT, 16, 3);
	type(b, "u64", BTF_KIND_TYPEDEF, 0, 0, INT); /* 5 */
	type(b, "", BTF_KIND_UNION, 2, 0, 4);
	words(b, str(b, "x"), INT, 0, 3);
	words(b, str(b, "y"), INT, 0, 3);
	type(b, "task", BTF_KIND_STRUCT, 5, 1, 40);
	words(b, str(b, "comm"), COMM, 0, 3);
	words(b, 0, ANON, 16 * 8, 3);
	words(b, str(b, "low"), INT, 3u << 24 | (20 * 8), 3);
	words(b, str(b, "high"), INT, 5u << 24 | (20 * 8 + 3), 3);
	words(b, str(b, "next"), USER_PTR, 24 * 8, 3);
	type(b, "", BTF_KIND_PTR, 0, 0, TASK);
	type(b, "", BTF_KIND_CONST, 0, 0, TASK);
	type(b, "user", 18, 0, 0, CONST_TASK); /* 10 */
	type(b, "", BTF_KIND_PTR, 0, 0, TAG);
	type(b, "state", BTF_KIND_ENUM, 2, 0, 4);
	words(b, str(b, "RUNNING"), 0, 0, 2);
	words(b, str(b, "DEAD"), ~0u, 0, 2);
	type(b, "", BTF_KIND_FUNC_PROTO, 2, 0, INT);
	words(b, str(b, "p"), PTR_TASK, 0, 2);
	words(b, 0, 0, 0, 2); /* ... */
	type(b, "do_it", BTF_KIND_FUNC, 1, 0, PROTO);
	type(b, "", BTF_KIND_FUNC_PROTO, 3, 0, 0); /* 15 */
	words(b, 0, PTR_TASK, 0, 2);
	words(b, 0, INT, 0, 2);
	words(b, str(b, "why"), STATE, 0, 2);
	type(b, "", BTF_KIND_PTR, 0, 0, RAW_PROTO);
	type(b, "btf_trace_ev", BTF_KIND_TYPEDEF, 0, 0, RAW_PTR);
	type(b, "atomic_t", BTF_KIND_TYPEDEF, 0, 0, ANON);
	type(b, "task_fwd", BTF_KIND_FWD, 0, 0, 0);
	type(b, "", BTF_KIND_PTR, 0, 0, LOOP); /* 20: itself */
}

static void check_fields(struct btf *b)
{
	const struct type *t = btf_type_by_name(b, 's', "task");
	const struct field *f;
	u32 at = 0;

	is_int(t->size, 40, "size is known before the fields are");
	is_int(t->n_fields, 0, "fields are not");
	f = type_field(t, "comm", &at);
	is_str(type_str(&a, f->type), "string[16]", "char array");
	f = type_field(t, "y", &at);
	is_int(at, 16, "anonymous member");
	is_int(t->n_fields, 5, "fields");
	f = type_field(t, "high", &at);
	ok(at == 20 && f->bit_offset == 3 && f->bit_size == 5, "bitfield");
	f = type_field(t, "next", &at);
	ok(f->type->space == SPACE_USER && f->from_user, "type tag user");
	is_str(type_str(&a, f->type), "struct task *", "through const and tag");
	is_int(btf_type(b, PTR_TASK)->space, SPACE_KERNEL, "no tag: kernel");
}

static void check_names(struct btf *b)
{
	const struct type *t = NULL;
	s64 v = 0;

	is_int(btf_find(b, "task", BTF_KIND_STRUCT), TASK, "find");
	is_int(btf_find(b, "ask", BTF_KIND_STRUCT), 0, "no suffix of a name is found");
	is_int(btf_find(b, "task", BTF_KIND_UNION), 0, "nor another kind");
	ok(btf_enumerator(b, "DEAD", &v, &t) && v == -1, "negative enumerator");
	is_str(type_str(&a, t), "enum state", "its type");
	ok(!btf_enumerator(b, "task", &v, &t), "a struct is no enumerator");
	t = btf_type_by_name(b, 0, "u64");
	ok(t && t->kind == TY_INT && streq(t->name, "u64") && t->is_signed, "typedef keeps sign");
	t = btf_type_by_name(b, 0, "atomic_t");
	ok(t && t->kind == TY_STRUCT && streq(t->name, "atomic_t"), "typedef names a nameless one");
	ok(type_equal(t, btf_type(b, ANON)), "and is the same type");
	ok(!btf_type_by_name(b, 0, "nothing") && !btf_type_by_name(b, 's', ""), "no such type");
	is_int(btf_type(b, 999)->kind, TY_ERROR, "bad id");
	ok(btf_type(b, LOOP) != NULL, "a cycle of pointers ends");
	ok(type_complete(btf_type_by_name(b, 's', "task_fwd"))->size == 0, "declaration only");
}

static void check_functions(struct btf *b)
{
	struct btf_param p[8];
	const struct type *ret;
	u32 id = 0;

	is_int(btf_func(b, "do_it", p, 8, &ret, &id), 1, "parameters without ...");
	is_str(p[0].name, "p", "name");
	ok(ret->kind == TY_INT && id == FUNC, "return type and id");
	ok(btf_func(b, "undo", p, 8, NULL, NULL) < 0, "unknown function");
	is_int(btf_raw_tracepoint(b, "ev", p, 8, &id), 2, "raw tracepoint without __data");
	is_int(id, RAW_TYPEDEF, "typedef id");
	is_str(type_str(&a, p[1].type), "enum state", "second argument");
	ok(btf_raw_tracepoint(b, "no", p, 8, &id) < 0, "unknown tracepoint");
}

static void from_bytes(void)
{
	static struct blob blob, split;
	struct err err = { 0 };
	size_t len, split_len;
	const void *bytes, *more;
	struct btf *b, *s;

	fill(&blob);
	bytes = finish(&blob, &len);
	b = btf_from_bytes(&a, bytes, len, NULL, &err);
	ok(b != NULL, "made file opens: %s", err.text);
	is_int(btf_n_types(b), LOOP + 1, "types");
	check_fields(b);
	check_names(b);
	check_functions(b);
	for (int i = 0; i < 20; i++)
		btf_find(b, "task", BTF_KIND_STRUCT);
	check_names(b); /* now from the index */

	split.len = 0;
	split.id = LOOP;
	type(&split, "mod", BTF_KIND_STRUCT, 0, 0, 8);
	split.type[0] = blob.len; /* its first string follows the base's */
	strcpy(split.strings, "mod");
	split.len = 4;
	more = finish(&split, &split_len);
	s = btf_from_bytes(&a, more, split_len, b, &err);
	ok(s != NULL, "split file opens: %s", err.text);
	is_int(btf_find(s, "mod", BTF_KIND_STRUCT), LOOP + 1, "name in the module");
	is_int(btf_find(s, "task", BTF_KIND_STRUCT), TASK, "name in the base");
	is_str(btf_name(s, LOOP + 1), "mod", "string of the module");
	is_str(btf_name(s, TASK), "task", "string of the base");
	btf_close(s);
	btf_close(b);
}

static void touch(struct btf *b)
{
	for (u32 i = 0; b && i < btf_n_types(b); i++) {
		type_complete(btf_type(b, i));
		btf_name(b, i);
	}
	btf_close(b);
}

static void broken(void)
{
	static struct blob blob;
	struct err err = { 0 };
	size_t len, half;
	char *copy;

	fill(&blob);
	copy = malloc(4096);
	memcpy(copy, finish(&blob, &len), 4096);
	for (half = 0; half < len; half++)
		touch(btf_from_bytes(&a, copy, half, NULL, &err));
	ok(err.code < 0, "every cut is refused or harmless");
	for (size_t i = 0; i < len; i++) {
		for (u32 bit = 0; bit < 8; bit++) {
			copy[i] ^= 1 << bit;
			touch(btf_from_bytes(&a, copy, len, NULL, &err));
			copy[i] ^= 1 << bit;
		}
	}
	ok(true, "every flipped bit is refused or harmless");
	free(copy);
	err_release(&err);
}

static bool count(void *ctx, const char *name, u32 id)
{
	(void)id;
	*(u32 *)ctx += starts_with(name, "btf_trace_");
	return true;
}

static void live(void)
{
	struct err err = { 0 };
	struct btf *b = btf_open(&a, NULL, &err);
	struct btf_param p[8];
	const struct field *f;
	u32 at = 0, id = 0, n = 0;

	if (!b) {
		skip("%s", err.text);
		return;
	}
	f = type_field(btf_type_by_name(b, 's', "task_struct"), "comm", &at);
	ok(f && type_equal(f->type, &ty_comm) && at, "task_struct.comm is string[16]");
	is_int(btf_raw_tracepoint(b, "sched_process_exec", p, 8, &id), 3, "raw tracepoint");
	is_str(p[0].name, "p", "its parameters have names");
	ok(btf_func(b, "vfs_read", p, 8, NULL, NULL) == 4, "vfs_read has 4 parameters");
	btf_each(b, BTF_KIND_TYPEDEF, count, &n);
	ok(n > 100, "%u raw tracepoints", n);
	ok(!btf_module(b, "no_such_module") && !btf_module(b, "../vmlinux"), "no such module");
	ok(!btf_open(&a, "/no/such/file", &err) && err.help[0], "no such file");
	id = btf_find(b, "task_struct", BTF_KIND_STRUCT);
	btf_close(b);
	b = btf_open(&a, NULL, &err); /* as root: from the index that closing kept */
	is_int(btf_find(b, "task_struct", BTF_KIND_STRUCT), id, "the same in a second run");
	btf_close(b);
	err_release(&err);
}

int main(void)
{
	arena_init(&a);
	from_bytes();
	broken();
	live();
	arena_release(&a);
	return done();
}
