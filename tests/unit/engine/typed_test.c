/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attachments that need BTF (typed raw tracepoints, iterators), and watchpoints. */
#include <linux/hw_breakpoint.h>
#include <sys/syscall.h>
#include "handmade.h"
#include "sym/btf.h"

enum { KIND_FUNC = 12, CALLS = 100 };

static struct btf *open_btf(struct handmade *h)
{
	struct btf *btf = btf_open(&h->arena, NULL, &h->err);

	if (!btf)
		skip("%s", h->err.text);
	return btf;
}

static void typed_tracepoint(void)
{
	struct site s = { .kind = SITE_RAW_TRACEPOINT,
			  .tracepoint = "sys_enter",
			  .probe = "sys_enter" };
	const struct bpf_insn getppid_only[] = {
		I_LDX(BPF_DW, 0, 6, 8),
		I_JMPI(BPF_JNE, 0, SYS_getppid, TAIL_TO_OUT),
	};
	struct handmade h;
	struct btf *btf;
	u32 id = 0;

	handmade_init(&h);
	btf = open_btf(&h);
	if (!btf)
		return;
	btf_raw_tracepoint(btf, "sys_enter", NULL, 0, &id);
	add_data(&h, 8);
	add_counter(&h, BPF_PROG_TYPE_TRACING, 0, getppid_only, ARRAY_SIZE(getppid_only));
	h.prog.funcs.v[0]->load.attach_type = ATTACH_TRACE_RAW_TP;
	h.prog.funcs.v[0]->load.btf_id = id;
	handmade_open(&h, 0);
	good(&h, kernel_create_maps(h.k, &h.err));
	good(&h, kernel_attach(h.k, 0, &s, &h.err));
	note("%s", kernel_how(h.k, 0));
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	is_int(kernel_data_u64(h.k, 0), CALLS, "a typed raw tracepoint");
	btf_close(btf);
	handmade_release(&h);
}

static void iterator(void)
{
	const struct site s = { .kind = SITE_ITER, .pid = -1, .probe = "iter:task" };
	struct handmade h;
	struct btf *btf;
	char text[64];
	int fd;

	handmade_init(&h);
	btf = open_btf(&h);
	if (!btf)
		return;
	add_data(&h, 8);
	const struct bpf_insn code[] = {
		I_LD_VALUE(1, 0, 0), I_MOVI(2, 1), I_ATOMIC(BPF_DW, BPF_ADD, 1, 2, 0),
		I_MOVI(0, 0),        I_EXIT(),
	};
	add_func(&h, BPF_PROG_TYPE_TRACING, code, ARRAY_SIZE(code));
	h.prog.funcs.v[0]->load.attach_type = ATTACH_TRACE_ITER;
	h.prog.funcs.v[0]->load.btf_id = btf_find(btf, "bpf_iter_task", KIND_FUNC);
	handmade_open(&h, 0);
	good(&h, kernel_create_maps(h.k, &h.err));
	is_int(kernel_attach(h.k, 0, &s, &h.err), 0, "attach it");
	fd = kernel_iter_open(h.k, 0, &h.err);
	ok(fd >= 0, "open the iterator %s", h.err.text);
	is_int(kernel_data_u64(h.k, 0), 0, "nothing before it is read");
	while (fd >= 0 && read(fd, text, sizeof text) > 0)
		;
	ok(kernel_data_u64(h.k, 0) > 2, "tasks, and the end: %d", (int)kernel_data_u64(h.k, 0));
	close(fd);
	btf_close(btf);
	handmade_release(&h);
}

static void watchpoint(void)
{
	static volatile u64 watched;
	struct site s = { .kind = SITE_WATCHPOINT,
			  .pid = getpid(),
			  .probe = "watchpoint",
			  .watch.address = (u64)(uintptr_t)&watched,
			  .watch.len = 8,
			  .watch.type = HW_BREAKPOINT_W };
	struct handmade h;

	handmade_init(&h);
	add_data(&h, 8);
	add_counter(&h, BPF_PROG_TYPE_PERF_EVENT, 0, NULL, 0);
	handmade_open(&h, 0);
	good(&h, kernel_create_maps(h.k, &h.err));
	if (kernel_attach(h.k, 0, &s, &h.err) < 0) {
		skip("%s (%s)", h.err.text, h.err.help);
	} else if (!feature_has(kernel_features(), FEAT_WATCHPOINT)) {
		skip("this machine reports no hits of hardware breakpoints");
	} else {
		note("%s", kernel_how(h.k, 0));
		for (int i = 0; i < CALLS; i++)
			watched++;
		is_int(kernel_data_u64(h.k, 0), CALLS, "each write");
	}
	handmade_release(&h);
}

int main(void)
{
	if (!may_test())
		return done();
	typed_tracepoint();
	iterator();
	watchpoint();
	return done();
}
