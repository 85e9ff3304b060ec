/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a program distinguishes 32-bit system calls from native ones: offsets and masks, from BTF. */
#include "session/compile.h"

/*
 * x86: thread_info.status & TS_COMPAT (arch/x86/include/asm/thread_info.h); arm64:
 * thread_info.flags & _TIF_32BIT. thread_info is the first member of task_struct on both.
 */
#if defined(__aarch64__)
static const struct {
	const char *field;
	u64 mask;
} compat = { "flags", 1 << 22 };
#else
static const struct {
	const char *field;
	u64 mask;
} compat = { "status", 2 };
#endif

static void native_registers(const struct world *w, struct profile *p)
{
#if defined(__x86_64__)
	const struct type *regs = w->type(w->ctx, 's', "pt_regs");
	u32 cs = 0, cx = 0, ip = 0;

	if (p->kind != PROFILE_BTF || !regs || !type_field(regs, "cs", &cs) ||
	    !type_field(regs, "cx", &cx) || !type_field(regs, "ip", &ip))
		return;
	p->syscall.native.user_cs = 0x33; /* __USER_CS, arch/x86/include/asm/segment.h */
	p->syscall.native.cs = (u16)cs;
	p->syscall.native.cx = (u16)cx;
	p->syscall.native.ip = (u16)ip;
#endif
}

void compat_fill(struct compiled *c, struct profile *p)
{
	const struct world *w = &c->env.world;
	const struct type *t;
	const struct field *f;
	u32 offset = 0;

	if ((!p->syscall.enter && !p->syscall.exit) || p->syscall.compat.mask)
		return;
	t = w->type(w->ctx, 's', "thread_info");
	f = t ? type_field(t, compat.field, &offset) : NULL;
	if (!f)
		return;
	p->syscall.compat.offset = offset;
	p->syscall.compat.size = f->type->size;
	p->syscall.compat.mask = compat.mask;
	native_registers(w, p);
}
