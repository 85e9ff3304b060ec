/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What our verifier accepts must load: random programs (tests/fuzz/bpf_gen.h) go to our verifier
 * and, if it accepts them, to that of the running kernel. Nothing is attached. The other direction
 * is only counted: our verifier applies the rules of the oldest kernel and may be stricter.
 *
 *	CHECK_KERNEL_N=100000 CHECK_KERNEL_SEED=7 unit-target-verify_kernel	a longer run
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap.h"
#include "target/target.h"
#include "tests/fuzz/bpf_gen.h"

enum { LOG_SIZE = 1 << 20 };

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(__NR_bpf, cmd, attr, sizeof *attr);
}

static u64 address(const void *p)
{
	return (u64)(uintptr_t)p;
}

static int create_map(const struct map_desc *d)
{
	union bpf_attr attr = { .map_type = d->bpf_type,
				.key_size = d->key_size,
				.value_size = d->value_size,
				.max_entries = d->max_entries };

	return bpf(BPF_MAP_CREATE, &attr);
}

/*
 * Callbacks need BTF for each function: int, a prototype without parameters, two static functions.
 *	header | types: u32 name, u32 kind << 24 | n, u32 size or type | "\0main\0sub\0int\0"
 */
static int load_btf(void)
{
	static const char strings[] = "\0main\0sub\0int";
	static const u32 types[] = {
		10, 1 << 24,  4, 1 << 24 | 32, /* [1] int: signed, 32 bits */
		0,  13 << 24, 1,               /* [2] int () */
		1,  12 << 24, 2,               /* [3] static main */
		6,  12 << 24, 2,               /* [4] static sub */
	};
	struct {
		u16 magic;
		u8 version, flags;
		u32 hdr_len, type_off, type_len, str_off, str_len;
		u32 types[ARRAY_SIZE(types)];
		char strings[sizeof strings];
	} blob = { 0xeb9f, 1, 0, 24, 0, sizeof types, sizeof types, sizeof strings, {}, {} };
	union bpf_attr attr = { .btf = address(&blob), .btf_size = sizeof blob };

	memcpy(blob.types, types, sizeof types);
	memcpy(blob.strings, strings, sizeof strings);
	attr.btf_size = 24 + sizeof types + sizeof strings;
	return bpf(BPF_BTF_LOAD, &attr);
}

static int load(const struct gen *g, const int *maps, int btf, char *log)
{
	struct bpf_insn insns[ARRAY_SIZE(g->insn)];
	struct bpf_func_info info[2] = { { 0, 3 }, { 0, 4 } };
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT };

	memcpy(insns, g->insn, g->n_insns * sizeof *insns);
	for (u32 i = 0; i < g->n_insns; i++)
		if (insns[i].code == (BPF_LD | BPF_IMM | BPF_DW)) {
			if (insns[i].src_reg == BPF_PSEUDO_MAP_FD ||
			    insns[i].src_reg == BPF_PSEUDO_MAP_VALUE)
				insns[i].imm = maps[insns[i].imm];
			i++;
		}
	attr.insns = address(insns);
	attr.insn_cnt = g->n_insns;
	attr.license = address("GPL");
	attr.log_buf = log ? address(log) : 0;
	attr.log_size = log ? LOG_SIZE : 0;
	attr.log_level = log ? 1 : 0;
	if (btf >= 0 && g->n_sub_calls) {
		u32 at = g->sub_call[0];

		info[1].insn_off = at + 1 + (u32)g->insn[at].imm;
		attr.prog_btf_fd = (u32)btf;
		attr.func_info = address(info);
		attr.func_info_cnt = 2;
		attr.func_info_rec_size = sizeof info[0];
	}
	return bpf(BPF_PROG_LOAD, &attr);
}

static u64 number_from(const char *name, u64 dflt)
{
	const char *s = getenv(name);

	return s ? strtoull(s, NULL, 0) : dflt;
}

static u32 random_bytes(u64 seed, u8 *bytes)
{
	u64 x = (seed + 1) * 0x9e3779b97f4a7c15;
	u32 n = 20 + (u32)(x >> 33) % 180;

	for (u32 i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		bytes[i] = (u8)(x >> 11);
	}
	return n;
}

/* The last lines of a verifier's log. */
static const char *tail(const char *log)
{
	const char *end = log + strlen(log);

	for (int lines = 0; end > log && (end[-1] != '\n' || ++lines < 12);)
		end--;
	return end;
}

struct tally {
	u32 both, only_checker, only_kernel, neither, too_long;
};

static void compare(u64 seed, const int *maps, int btf, struct tally *t)
{
	static const struct profile profile = { .kind = PROFILE_RAW_TP };
	static char log[LOG_SIZE];
	struct verify_error error;
	struct program prog;
	struct arena a;
	struct gen g;
	u8 bytes[256];
	bool ours;
	int fd;

	asm_program(&prog, &a);
	gen_maps(&prog);
	gen_program(&g, bytes, random_bytes(seed, bytes));
	asm_func(&prog, BPF_PROG_TYPE_RAW_TRACEPOINT, g.insn, g.n_insns);
	ours = target_verify(&prog, prog.funcs.v[0], &profile, &error) == 0;
	fd = load(&g, maps, btf, NULL);
	if (ours && fd < 0 && errno == E2BIG) {
		/* Paths through nested loops, multiplied: joining cannot count them. */
		t->too_long++;
		arena_release(&a);
		return;
	}
	if (ours && fd < 0) {
		log[0] = '\0';
		load(&g, maps, btf, log);
		note("seed %llu: accepted here, refused by the kernel:", (unsigned long long)seed);
		tap_text("log ", tail(log));
	} else if (!ours && fd >= 0 && getenv("CHECK_KERNEL_VERBOSE")) {
		note("seed %llu: refused here only: instruction %u: %s", (unsigned long long)seed,
		     error.insn, error.text);
	}
	++*(ours ? fd >= 0 ? &t->both : &t->only_checker : fd >= 0 ? &t->only_kernel : &t->neither);
	if (fd >= 0)
		close(fd);
	arena_release(&a);
}

int main(void)
{
	u64 n = number_from("CHECK_KERNEL_N", 1500), seed = number_from("CHECK_KERNEL_SEED", 1);
	struct tally t = { 0 };
	struct program prog;
	int maps[GEN_MAPS], btf;
	struct arena a;

	asm_program(&prog, &a);
	gen_maps(&prog);
	for (u32 i = 0; i < GEN_MAPS; i++) {
		maps[i] = create_map(&prog.maps.v[i]);
		if (maps[i] < 0) {
			skip("the kernel makes no BPF maps for us: %s", strerror(errno));
			return done();
		}
	}
	btf = load_btf();
	for (u64 i = 0; i < n; i++)
		compare(seed + i, maps, btf, &t);
	note("accepted by both %u, by the kernel only %u, by neither %u, too many paths %u", t.both,
	     t.only_kernel, t.neither, t.too_long);
	is_int(t.only_checker, 0, "whatever the checker accepts the kernel loads");
	ok(n < 1000 || t.both > n / 20, "and it accepts enough for that to mean something");
	arena_release(&a);
	return done();
}
