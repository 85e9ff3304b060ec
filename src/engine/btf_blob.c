/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The smallest BTF that names subprograms. The verifier takes a function's address as a
 * callback only from a program with func_info whose function is static (kernel/bpf/verifier.c:
 * check_ld_imm), and func_info must name every subprogram once. Format:
 * Documentation/bpf/btf.rst; only kinds of 5.0.
 *
 *	header | types                                          | strings
 *	       | [1] INT int  [2] FUNC_PROTO int (*)(void)      | \0int\0name\0...
 *	       | [3..] FUNC name -> [2], static                 |
 *
 * The prototype has no parameters: for static functions the kernel does not look at them.
 */
#include <linux/btf.h>
#include <stdio.h>
#include "base/buf.h"
#include "engine/internal.h"

enum { ID_INT = 1, ID_PROTO, ID_FIRST_FUNC };

static void put_type(struct buf *b, u32 name, u32 kind, u32 size_or_type)
{
	struct btf_type t = { .name_off = name, .info = kind << 24, .size = size_or_type };

	buf_add(b, &t, sizeof(t));
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
	snprintf(numbered, sizeof(numbered), "f%u_%s", i, name);
	put_type(types, put_string(strings, numbered), BTF_KIND_FUNC, ID_PROTO);
}

int btf_blob_load(const struct bpf_func *f, u32 shift, struct bpf_func_info *info)
{
	struct btf_header head = { .magic = BTF_MAGIC,
				   .version = BTF_VERSION,
				   .hdr_len = sizeof(head) };
	u32 int_encoding = BTF_INT_SIGNED << 24 | 32;
	struct buf types = {}, strings = {}, blob = {};
	int fd;

	buf_putc(&strings, '\0');
	put_type(&types, put_string(&strings, "int"), BTF_KIND_INT, 4);
	buf_add(&types, &int_encoding, sizeof(int_encoding));
	put_type(&types, 0, BTF_KIND_FUNC_PROTO, ID_INT);
	for (u32 i = 0; i < f->n_subprogs; i++) {
		put_func(&types, &strings, &f->subprogs[i], i);
		info[i].insn_off = f->subprogs[i].insn + (f->subprogs[i].insn ? shift : 0);
		info[i].type_id = ID_FIRST_FUNC + i;
	}
	head.type_len = (u32)types.len;
	head.str_off = head.type_len;
	head.str_len = (u32)strings.len;
	buf_add(&blob, &head, sizeof(head));
	buf_add(&blob, types.s, types.len);
	buf_add(&blob, strings.s, strings.len);
	fd = bpf_btf_load(blob.s, (u32)blob.len, NULL, 0);
	buf_release(&types);
	buf_release(&strings);
	buf_release(&blob);
	return fd;
}
