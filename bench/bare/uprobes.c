/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thousand functions of this program probed by one uprobe_multi link: load and attach. */
#include "bare.h"

/* clang-format off */
#define PLACE(n) __attribute__((noinline, used)) static void place_##n(void) { __asm__ volatile("nop; nop; nop; nop"); }
#define NAME(n) place_##n,
#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define HUNDRED(m, n) TEN(m, n##0) TEN(m, n##1) TEN(m, n##2) TEN(m, n##3) TEN(m, n##4) \
	TEN(m, n##5) TEN(m, n##6) TEN(m, n##7) TEN(m, n##8) TEN(m, n##9)
#define THOUSAND(m) HUNDRED(m, 0) HUNDRED(m, 1) HUNDRED(m, 2) HUNDRED(m, 3) HUNDRED(m, 4) \
	HUNDRED(m, 5) HUNDRED(m, 6) HUNDRED(m, 7) HUNDRED(m, 8) HUNDRED(m, 9)
/* clang-format on */

THOUSAND(PLACE)
typedef void place_fn(void);
static place_fn *const places[] = { THOUSAND(NAME) };

/* File offset minus address of this program's code. */
static u64 code_shift(void)
{
	unsigned long lo, hi, off, at = (unsigned long)(uintptr_t)places[0];
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &lo, &hi, &off) == 3 && at >= lo && at < hi)
			return off - lo;
	exit(1);
}

int main(void)
{
	u64 offsets[ARRAY_SIZE(places)], shift = code_shift(), start;
	const struct bpf_insn code[] = { I_MOVI(0, 0), I_EXIT() };
	struct bpf_load l = { .prog_type = BPF_PROG_TYPE_KPROBE,
			      .attach_type = ATTACH_UPROBE_MULTI,
			      .insns = code,
			      .n_insns = ARRAY_SIZE(code),
			      .name = "bare" };
	struct bpf_multi_link m = { .attach_type = ATTACH_UPROBE_MULTI,
				    .n = ARRAY_SIZE(places),
				    .addrs = offsets };
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	must((int)n, "readlink");
	self[n] = '\0';
	m.path = self;
	for (u32 i = 0; i < ARRAY_SIZE(places); i++)
		offsets[i] = (u64)(uintptr_t)places[i] + shift;
	start = now_ns();
	m.prog_fd = must(bpf_prog_load(&l), "load");
	must(bpf_link_multi(&m), "attach");
	report(now_ns() - start);
	return 0;
}
