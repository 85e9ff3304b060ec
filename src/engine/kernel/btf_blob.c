/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The smallest BTF that names subprograms. The verifier takes a function's address as a callback
 * only from a program with func_info whose function is static (kernel/bpf/verifier.c:
 * check_ld_imm), and verifies a global one separately, once (do_check_subprogs); func_info must
 * name every subprogram once. Format: Documentation/bpf/btf.rst; only kinds of 5.6.
 *
 *	header | types                                              | strings
 *	       | [1] INT long, 8 bytes                              | \0long\0name\0...
 *	       | [2..7] FUNC_PROTO long (*)(long, ...), 0 to 5 of it |
 *	       | [8..] FUNC name -> one of them, static or global   |
 *
 * Prototypes of static functions have no parameters, because the kernel does not check them.
 */
#include <linux/btf.h>
#include <stdio.h>
#include "base/buf.h"
#include "engine/kernel/internal.h"

enum { MOST_PARAMS = 5, ID_LONG = 1, ID_PROTO, ID_FIRST_FUNC = ID_PROTO + MOST_PARAMS + 1 };

static void put_type(struct buf *b, u32 name, u32 kind, u32 vlen, u32 size_or_type)
{
	struct btf_type t = { .name_off = name, .info = kind << 24 | vlen, .size = size_or_type };

	buf_add(b, &t, sizeof t);
}

static u32 put_string(struct buf *strings, const char *s)
{
	u32 at = (u32)strings->len;

	buf_add(strings, s, strlen(s) + 1);
	return at;
}

static void put_func(struct buf *types, struct buf *strings, const struct subprog *s, u32 i)
{
	char name[BPF_OBJ_NAME_LEN], numbered[BPF_OBJ_NAME_LEN + 12];

	object_name(name, s->name ? s->name : "f");
	snprintf(numbered, sizeof numbered, "f%u_%s", i, name);
	put_type(types, put_string(strings, numbered), BTF_KIND_FUNC,
		 s->shared ? BTF_FUNC_GLOBAL : BTF_FUNC_STATIC,
		 ID_PROTO + (s->shared ? s->n_params : 0));
}

/* Parameters of functions must have names. */
static void put_prototypes(struct buf *types, struct buf *strings)
{
	const struct btf_param number = { .name_off = put_string(strings, "n"), .type = ID_LONG };

	for (u32 n = 0; n <= MOST_PARAMS; n++) {
		put_type(types, 0, BTF_KIND_FUNC_PROTO, n, ID_LONG);
		for (u32 i = 0; i < n; i++)
			buf_add(types, &number, sizeof number);
	}
}

int btf_blob_load(const struct bpf_func *f, u32 shift, struct bpf_func_info *info)
{
	struct btf_header head = { .magic = BTF_MAGIC,
				   .version = BTF_VERSION,
				   .hdr_len = sizeof head };
	u32 int_encoding = BTF_INT_SIGNED << 24 | 64;
	struct buf types = { 0 }, strings = { 0 }, blob = { 0 };
	int fd;

	buf_putc(&strings, '\0');
	put_type(&types, put_string(&strings, "long"), BTF_KIND_INT, 0, 8);
	buf_add(&types, &int_encoding, sizeof int_encoding);
	put_prototypes(&types, &strings);
	for (u32 i = 0; i < f->n_subprogs; i++) {
		put_func(&types, &strings, &f->subprogs[i], i);
		info[i].insn_off = f->subprogs[i].insn + (f->subprogs[i].insn ? shift : 0);
		info[i].type_id = ID_FIRST_FUNC + i;
	}
	head.type_len = (u32)types.len;
	head.str_off = head.type_len;
	head.str_len = (u32)strings.len;
	buf_add(&blob, &head, sizeof head);
	buf_add(&blob, types.s, types.len);
	buf_add(&blob, strings.s, strings.len);
	fd = bpf_btf_load(blob.s, (u32)blob.len, NULL, 0);
	buf_release(&types);
	buf_release(&strings);
	buf_release(&blob);
	return fd;
}
