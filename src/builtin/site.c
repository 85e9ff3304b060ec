/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The site: a constant, the attachment's cookie, or an entry of a table by system call number. */
#include "builtin/builtin.h"
#include "builtin/site.h"

/* A session's cookie has two sites, of the entry and of the return. */
static struct opnd site_of_cookie(struct lower *l)
{
	struct opnd cookie = ir_call(l, BPF_FUNC_get_attach_cookie, true, 1, lower_ctx(l, 0));

	switch (l->profile->site.cookie_bits) {
	case 32: return ir_ext(l, cookie, 4, false);
	case 64: return ir_op2(l, IR_SHR, cookie, o_imm(32));
	default: return cookie;
	}
}

struct opnd lower_site(struct lower *l)
{
	const struct profile *p = l->profile;
	struct opnd nr, at;
	u32 off;

	if (p->site.from_cookie)
		return site_of_cookie(l);
	if (!p->syscall.site)
		return o_imm(p->site.index);
	off = lower_data(l, SYSCALL_SET_BITS * 4, p->syscall.site);
	nr = ir_op2(l, IR_AND, lower_syscall_number(l), o_imm(SYSCALL_SET_BITS - 1));
	at = ir_op2(l, IR_ADD, ir_addr(l, o_data(l->prog->data_map, off)),
		    ir_op2(l, IR_SHL, nr, o_imm(2)));
	return ir_load(l, at, 4, false);
}

u32 site_rows(const struct lower *l)
{
	u32 n = 2;

	while (n < l->prog->sites.n + l->prog->spare_sites)
		n *= 2;
	return n;
}
