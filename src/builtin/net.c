/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Network addresses, byte order, socket cookies.
 *
 * A TY_INET value is the address family and up to 16 bytes in network order; inet_ntop(3) formats
 * it when it is printed.
 */
#include <arpa/inet.h>
#include "builtin/builtin.h"

enum { INET_BYTES = 4 /* offset of the address in a TY_INET value */ };

/* ---- ntop() */

/* Size of an address argument: 4 or 16; 0: it is not an address. An integer is IPv4, its bytes
 * as in memory. */
static u32 address_size(const struct node *n)
{
	const struct type *t = n->type;

	if (type_is_integer(t))
		return 4;
	if (t->kind == TY_POINTER)
		t = type_complete(t->elem);
	if (t->kind == TY_BUFFER || t->kind == TY_STRING)
		return t->count >= 16 ? 16 : t->count >= 4 ? 4 : 0;
	if (t->kind == TY_ARRAY || t->kind == TY_STRUCT || t->kind == TY_INT)
		return t->size == 4 || t->size == 16 ? t->size : 0;
	return 0;
}

static const struct type *check_ntop(struct check *c, struct node *call)
{
	struct node *addr = call_arg(call, call_n_args(call) - 1);

	if (!type_is_integer(call_arg(call, 0)->type) && call_n_args(call) > 1)
		return diag_type(c, call_arg(call, 0)->span, D_NTOP_FAMILY);
	if (!address_size(addr))
		return diag_type(c, addr->span, D_NTOP_ADDRESS);
	return &ty_inet;
}

static void put_address(struct lower *l, struct node *addr, struct opnd to, u32 size)
{
	struct ir_val v;

	if (type_is_integer(addr->type)) {
		ir_store(l, to, 4, lower_scalar(l, addr));
		return;
	}
	if (addr->type->kind == TY_POINTER) {
		lower_probe_read(l, to, size, lower_scalar(l, addr), addr->type->space);
		return;
	}
	v = lower_lvalue(l, addr);
	if (v.is_foreign)
		lower_probe_read(l, to, size, v.o, v.space);
	else
		ir_copy(l, to, addr->type->kind == TY_BUFFER ? opnd_plus(v.o, 4) : v.o, size);
}

static struct ir_val lower_ntop(struct lower *l, struct node *call)
{
	struct node *addr = call_arg(call, call_n_args(call) - 1);
	u32 size = address_size(addr);
	bool canonical;
	struct opnd dst = lower_dest(l, &ty_inet, &canonical),
		    family = o_imm(size == 4 ? AF_INET : AF_INET6);

	if (call_n_args(call) > 1)
		family = lower_scalar(l, call_arg(call, 0));
	if (size == 4)
		ir_zero(l, dst, ty_inet.size);
	ir_store(l, dst, 4, family);
	put_address(l, addr, opnd_plus(dst, INET_BYTES), size);
	return val_memory(&ty_inet, dst);
}

/* ---- pton() */

static const struct type *check_pton(struct check *c, struct node *call)
{
	const char *s = call_str(call, 0);
	u8 *bytes = arena_alloc(c->arena, 16);
	u32 n = strchr(s, ':') ? 16 : 4;

	if (inet_pton(n == 16 ? AF_INET6 : AF_INET, s, bytes) != 1)
		return diag_type(c, call_arg(call, 0)->span, D_PTON_ADDRESS, s);
	call->data = bytes;
	return type_array(c->arena, &ty_u8, n);
}

static struct ir_val lower_pton(struct lower *l, struct node *call)
{
	bool canonical;
	struct opnd dst = lower_dest(l, call->type, &canonical);

	for (u32 at = 0; at < call->type->size; at += 4) {
		u32 word;

		memcpy(&word, (const u8 *)call->data + at, sizeof word);
		ir_store(l, opnd_plus(dst, at), 4, o_imm(word));
	}
	return val_memory(call->type, dst);
}

/* ---- macaddr() */

static bool has_six_bytes(const struct type *t)
{
	if (t->kind == TY_ARRAY || t->kind == TY_STRUCT)
		return t->size >= 6;
	if (t->kind == TY_STRING || t->kind == TY_BUFFER)
		return t->count >= 6;
	return t->kind == TY_POINTER || type_is_integer(t); /* their address */
}

static const struct type *check_macaddr(struct check *c, struct node *call)
{
	const struct node *n = call_arg(call, 0);

	if (!has_six_bytes(n->type))
		return diag_type(c, n->span, D_MACADDR, type_str(c->arena, n->type));
	return &ty_macaddr;
}

static struct ir_val lower_macaddr(struct lower *l, struct node *call)
{
	struct node *n = call_arg(call, 0);
	bool canonical;
	struct opnd dst = lower_dest(l, &ty_macaddr, &canonical), addr;

	ir_store(l, dst, 8, o_imm(0));
	if (type_is_scalar(n->type)) {
		addr = lower_scalar(l, n);
		lower_probe_read(l, dst, 6, addr,
				 n->type->kind == TY_POINTER ? n->type->space : SPACE_NONE);
		return val_memory(&ty_macaddr, dst);
	}
	put_address(l, n, dst, 6);
	return val_memory(&ty_macaddr, dst);
}

/* ---- bswap() */

static const struct type *check_bswap(struct check *c, struct node *call)
{
	struct node *n = call_arg(call, 0);
	u32 size = n->type->size;

	if (n->is_const)
		node_fold_int(call, (s64)(__builtin_bswap64((u64)n->value) >> (64 - 8 * size)),
			      type_int(size, false));
	return type_int(size, false);
}

static struct ir_val lower_bswap(struct lower *l, struct node *call)
{
	struct opnd v = lower_scalar(l, call_arg(call, 0));
	u8 size = (u8)call->type->size;

	if (size > 1)
		v = ir_emit(l, (struct ir_insn){ .op = IR_BSWAP, .size = size, .arg = { v } });
	else /* one byte: only becomes unsigned */
		v = ir_ext(l, v, size, false);
	return val_scalar(call->type, v);
}

/* ---- sockets: bpf_get_socket_cookie() takes only a typed pointer (PTR_TO_BTF_ID) */

static const struct type *check_cookie(struct check *c, struct node *call)
{
	const struct profile *p = c->inst ? c->inst->profile : NULL;

	if (!p || p->kind != PROFILE_BTF)
		return diag_type(c, call->span, D_NEEDS_BTF_PROBE, call->name);
	return &ty_u64;
}

static struct ir_val lower_cookie(struct lower *l, struct node *call)
{
	struct opnd socket = lower_scalar(l, call_arg(call, 0));
	struct ir_block *known = ir_block_new(l), *out = ir_block_new(l);
	u32 cookie = ir_var(l);

	/* The pointer may be NULL. The verifier of Linux 6.1 refuses a constant 0 ("R1
	 * type=scalar expected=sock_common"). */
	ir_var_set(l, cookie, o_imm(0));
	ir_branch(l, CC_NE, socket, o_imm(0), known, out);
	ir_place(l, known);
	ir_var_set(l, cookie, ir_call(l, BPF_FUNC_get_socket_cookie, false, 1, socket));
	ir_jump(l, out);
	ir_place(l, out);
	return val_scalar(&ty_u64, o_temp(cookie));
}

static const struct builtin rows[] = {
	{
		.name = "ntop",
		.sig = "ntop(family: any, address: any = 0) -> inet",
		.brief = "a network address as text",
		.doc = "ntop(address) or ntop(family, address): an integer or 4 bytes print as "
		       "IPv4, 16 bytes as IPv6. The optional family is AF_INET or AF_INET6.",
		.example =
			"begin { print(ntop(0x0100007f)); print(ntop(AF_INET6, pton(\"::1\"))); }",
		.output = "127.0.0.1\n"
			  "::1",
		.engines = ON_ALL,
		.check = check_ntop,
		.lower = lower_ntop,
	},
	{
		.name = "pton",
		.sig = "pton(address: lit string) -> array",
		.brief = "bytes of a network address",
		.doc = "The 4 bytes of an IPv4 address or the 16 bytes of an IPv6 address, "
		       "computed at compile time.",
		.example = "begin { print(pton(\"127.0.0.1\")); }",
		.output = "[127,0,0,1]",
		.engines = ON_ALL,
		.check = check_pton,
		.lower = lower_pton,
	},
	{
		.name = "macaddr",
		.sig = "macaddr(address: any) -> macaddr",
		.brief = "a hardware address as text",
		.doc = "Six bytes, from an array or a pointer, printed like 02:42:AC:11:00:02.",
		.example = "begin { print(macaddr(kptr(0))); }",
		.output = "00:00:00:00:00:00",
		.engines = ON_ALL,
		.check = check_macaddr,
		.lower = lower_macaddr,
	},
	{
		.name = "bswap",
		.sig = "bswap(n: int) -> int",
		.brief = "reverse byte order",
		.doc = "Reverses the bytes of an integer. The result is unsigned and has the same "
		       "size.",
		.example = "begin { $p = (uint16)0x5000; print(bswap($p)); }",
		.output = "80",
		.engines = ON_ALL,
		.check = check_bswap,
		.lower = lower_bswap,
	},
	{
		.name = "socket_cookie",
		.sig = "socket_cookie(socket: ptr) -> uint64",
		.brief = "stable id of a socket",
		.doc = "The kernel's cookie of a struct sock, constant for its lifetime. Only in "
		       "probes with typed kernel arguments: fentry, fexit, rawtracepoint.",
		.example =
			"rawtracepoint:inet_sock_set_state { @[socket_cookie(args.sk)] = count(); }",
		.work = "bash -c \": </dev/tcp/127.0.0.1/1\"",
		.output = "@[1]: 2",
		.varies = true,
		.flags = BI_NEEDS_PROFILE | BI_READS_TYPED | BI_NOTED,
		.engines = ON_KERNEL,
		.check = check_cookie,
		.lower = lower_cookie,
	},
};

const struct builtin_theme builtin_net = THEME("Network", rows);
