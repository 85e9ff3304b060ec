/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel functions: entry, return, several at once, trampolines; what is refused says why. */
#include <errno.h>
#include <sys/syscall.h>
#include "handmade.h"
#include "sym/btf.h"

#ifdef __x86_64__
#define SYSCALL(name) "__x64_sys_" name
#else
#define SYSCALL(name) "__arm64_sys_" name
#endif

enum { CALLS = 100 };

static void call_getpgid(void)
{
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getpgid, 0);
}

static void start(struct handmade *h, u32 type)
{
	handmade_init(h);
	add_data(h, 64);
	add_counter(h, type, 0, NULL, 0);
	handmade_open(h, 0);
	good(h, kernel_create_maps(h->k, &h->err));
}

static void one(bool is_return, bool multi)
{
	struct site s = { .kind = SITE_KPROBE,
			  .kernel.symbol = SYSCALL("getpgid"),
			  .is_return = is_return,
			  .pid = -1,
			  .probe = "kprobe:getpgid" };
	s8 known = feature_has(kernel_features(), FEAT_KPROBE_MULTI) ? 1 : -1;
	struct handmade h;

	if (!multi)
		kernel_features()->known[FEAT_KPROBE_MULTI] = -1;
	start(&h, BPF_PROG_TYPE_KPROBE);
	good(&h, kernel_attach(h.k, 0, &s, &h.err));
	note("%s", kernel_how(h.k, 0));
	call_getpgid();
	is_int(kernel_data_u64(h.k, 0), CALLS, "%s", is_return ? "return" : "entry");
	is_int(h.k->loaded[0].alt_fd, -1, "loaded once");
	kernel_detach_all(h.k);
	call_getpgid();
	is_int(kernel_data_u64(h.k, 0), CALLS, "not after detaching");
	handmade_release(&h);
	kernel_features()->known[FEAT_KPROBE_MULTI] = known;
}

static void count_refused(void *ctx, const struct site *s, const struct err *err)
{
	++*(int *)ctx;
	note("refused %s: %s (%s)", s->kernel.symbol, err->text, err->help);
}

static void many(void)
{
	static const char *const syms[] = { SYSCALL("getpgid"), SYSCALL("getppid"),
					    "sonde_no_such_function", SYSCALL("getsid"),
					    SYSCALL("gettid") };
	struct site s[ARRAY_SIZE(syms)] = { 0 };
	const struct site *list[ARRAY_SIZE(syms)];
	int n_refused = 0;
	struct attach_request a = {
		.sites = list, .n = ARRAY_SIZE(syms), .refused = count_refused, .ctx = &n_refused
	};
	struct handmade h;

	for (u32 i = 0; i < ARRAY_SIZE(syms); i++) {
		s[i] = (struct site){
			.kind = SITE_KPROBE, .kernel.symbol = syms[i], .probe = syms[i], .pid = -1
		};
		list[i] = &s[i];
	}
	start(&h, BPF_PROG_TYPE_KPROBE);
	is_int(kernel_attach_many(h.k, &a, &h.err), 4, "four of five: %s", h.err.text);
	is_int(n_refused, 1, "one is told of");
	for (u32 i = 0; i < kernel_n_attached(h.k); i++)
		note("%s", kernel_how(h.k, i));
	call_getpgid();
	syscall(SYS_getppid);
	is_int(kernel_data_u64(h.k, 0), CALLS + 1, "they fire");
	handmade_release(&h);
}

static void trampoline(void)
{
	struct site s = { .kind = SITE_TRAMPOLINE, .probe = "fentry:getpgid", .pid = -1 };
	struct handmade h;
	struct btf *btf;

	start(&h, BPF_PROG_TYPE_TRACING);
	btf = btf_open(&h.arena, NULL, &h.err);
	h.prog.funcs.v[0]->load.attach_type = ATTACH_TRACE_FENTRY;
	h.prog.funcs.v[0]->load.btf_id = btf ? btf_find(btf, SYSCALL("getpgid"), 12) : 0;
	good(&h, kernel_attach(h.k, 0, &s, &h.err));
	call_getpgid();
	is_int(kernel_data_u64(h.k, 0), CALLS, "fentry");
	handmade_release(&h);
	if (btf)
		btf_close(btf);
}

static void refusal(void)
{
	struct site s = { .kind = SITE_KPROBE,
			  .kernel.symbol = "sonde_no_such_function",
			  .probe = "kprobe:x",
			  .pid = -1 };
	struct handmade h;

	start(&h, BPF_PROG_TYPE_KPROBE);
	ok(kernel_attach(h.k, 0, &s, &h.err) < 0, "refused: %s", h.err.text);
	ok(h.err.help[0] != '\0', "help: %s", h.err.help);
	handmade_release(&h);
}

int main(void)
{
	struct features *f = kernel_features();

	if (!may_test())
		return done();
	refusal();
	if (!feature_has(f, FEAT_KPROBE)) {
		skip("no kprobes");
	} else {
		one(false, false);
		one(true, false);
		many();
	}
	if (feature_has(f, FEAT_KPROBE_MULTI)) {
		one(false, true);
		one(true, true);
	} else {
		skip("no kprobe links");
	}
	if (feature_has(f, FEAT_FENTRY))
		trampoline();
	else
		skip("no trampolines");
	return done();
}
