/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules of ordinary files beside libdw's. Both are evaluated with registers and a memory that are
 * made up: the same CFA, frame pointer and return address must come out at each row, and in the
 * middle of what it covers.
 */
#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <dwarf.h>
#include <fcntl.h>
#include <glob.h>
#include <unistd.h>
#include "object/cfi.h"
#include "tap.h"

static struct {
	unsigned (*elf_version)(unsigned);
	Elf *(*elf_begin)(int, Elf_Cmd, Elf *);
	int (*elf_end)(Elf *);
	Dwarf_CFI *(*dwarf_getcfi_elf)(Elf *);
	int (*dwarf_cfi_end)(Dwarf_CFI *);
	int (*dwarf_cfi_addrframe)(Dwarf_CFI *, Dwarf_Addr, Dwarf_Frame **);
	int (*dwarf_frame_info)(Dwarf_Frame *, Dwarf_Addr *, Dwarf_Addr *, bool *);
	int (*dwarf_frame_cfa)(Dwarf_Frame *, Dwarf_Op **, size_t *);
	int (*dwarf_frame_register)(Dwarf_Frame *, int, Dwarf_Op *, Dwarf_Op **, size_t *);
} dw;

static bool load(void)
{
	void *elf = dlopen("libelf.so.1", RTLD_NOW), *lib = dlopen("libdw.so.1", RTLD_NOW);

	if (!elf || !lib)
		return false;
	*(void **)&dw.elf_version = dlsym(elf, "elf_version");
	*(void **)&dw.elf_begin = dlsym(elf, "elf_begin");
	*(void **)&dw.elf_end = dlsym(elf, "elf_end");
	*(void **)&dw.dwarf_getcfi_elf = dlsym(lib, "dwarf_getcfi_elf");
	*(void **)&dw.dwarf_cfi_end = dlsym(lib, "dwarf_cfi_end");
	*(void **)&dw.dwarf_cfi_addrframe = dlsym(lib, "dwarf_cfi_addrframe");
	*(void **)&dw.dwarf_frame_info = dlsym(lib, "dwarf_frame_info");
	*(void **)&dw.dwarf_frame_cfa = dlsym(lib, "dwarf_frame_cfa");
	*(void **)&dw.dwarf_frame_register = dlsym(lib, "dwarf_frame_register");
	return dw.elf_version(EV_CURRENT) != EV_NONE;
}

/* DWARF's numbers of registers. */
static const struct numbers {
	int machine;
	u32 fp, sp, ra, word;
	bool has_link; /* the return address is in a register at first */
} machines[] = {
#if defined(__x86_64__)
	{ EM_X86_64, 6, 7, 16, 8, false },
	{ EM_386, 5, 4, 8, 4, false },
#else
	{ EM_AARCH64, 29, 31, 30, 8, true },
#endif
};
static const struct numbers *now; /* of the file */

struct regs {
	u64 pc, sp, fp;
	u64 lr; /* x86: rdi */
	/* x86-64: rbx is where the callee saved it, if the rule is one of a CFA relative to rbx */
	bool has_rbx;
	u64 rbx;
};

enum { RBX = 3, RDI = 5 }; /* on x86-64 */

static u64 memory(u64 address)
{
	address = (address ^ address >> 31) * 0x9e3779b97f4a7c15ull;
	return address ^ address >> 29;
}

static bool value_of(const struct regs *r, u64 reg, u64 *v)
{
	if (reg == now->fp)
		*v = r->fp;
	else if (reg == now->sp)
		*v = r->sp;
	else if (reg == now->ra)
		*v = now->has_link ? r->lr : r->pc;
	else if (reg == RBX && r->has_rbx)
		*v = r->rbx;
	else
		return false;
	return true;
}

/* False: a register or an operation that no rule of ours has. */
static bool evaluate(const struct regs *r, u64 cfa, const Dwarf_Op *ops, size_t n, u64 *out,
		     bool *is_value)
{
	u64 s[32] = { 0 }, d = 2; /* the depth; two below it may be read */

	*is_value = false;
	for (size_t i = 0; i < n && d < 30; i++) {
		u8 op = ops[i].atom;

		if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
			if (!value_of(r, op - DW_OP_breg0, &s[d]))
				return false;
			s[d++] += ops[i].number;
		} else if (op == DW_OP_bregx) {
			if (!value_of(r, ops[i].number, &s[d]))
				return false;
			s[d++] += ops[i].number2;
		} else if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
			s[d++] = op - DW_OP_lit0;
		} else if (op == DW_OP_call_frame_cfa) {
			s[d++] = cfa;
		} else if (op == DW_OP_plus_uconst) {
			s[d - 1] += ops[i].number;
		} else if (op == DW_OP_deref) {
			s[d - 1] = memory(s[d - 1]);
		} else if (op == DW_OP_and || op == DW_OP_ge || op == DW_OP_shl ||
			   op == DW_OP_plus) {
			u64 b = s[--d], a = s[d - 1];

			s[d - 1] = op == DW_OP_and ? a & b :
				   op == DW_OP_ge  ? (s64)a >= (s64)b :
				   op == DW_OP_shl ? a << b :
						     a + b;
		} else if (op == DW_OP_stack_value) {
			*is_value = true;
		} else {
			return false;
		}
	}
	*out = s[d - 1];
	return d > 2;
}

static bool is_kept_in_rdi(int reg, const Dwarf_Op *ops, size_t n)
{
	return now->machine == EM_X86_64 && reg == (int)now->ra && n == 1 &&
	       ops[0].atom == DW_OP_regx && ops[0].number == RDI;
}

/* What one of a frame's registers was in the caller; *known false: nowhere. */
static bool theirs(Dwarf_Frame *f, const struct regs *r, u64 cfa, int reg, u64 *v, bool *known)
{
	Dwarf_Op mem[3], *ops;
	size_t n;
	bool is_value;

	*known = true;
	if (dw.dwarf_frame_register(f, reg, mem, &ops, &n) != 0)
		return false;
	if (!n) {
		*known = !ops; /* NULL: the same value */
		return value_of(r, (u64)reg, v);
	}
	if (is_kept_in_rdi(reg, ops, n)) {
		*v = r->lr;
		return true;
	}
	if (!evaluate(r, cfa, ops, n, v, &is_value))
		return false;
	if (!is_value)
		*v = memory(*v);
	return true;
}

static u64 ours_saved(const struct regs *r, u8 kind, s64 offset, u64 cfa, u64 same)
{
	switch ((enum cfi_saved)kind) {
	case CFI_SAME: return same;
	case CFI_IN_RDI: return r->lr;
	case CFI_AT_CFA: return memory(cfa + (u64)offset);
	case CFI_AT_SP: return memory(r->sp + (u64)offset);
	case CFI_AT_FP: return memory(r->fp + (u64)offset);
	case CFI_NOWHERE:
	case CFI_OTHER: return 0;
	}
	return 0;
}

static u64 ours_cfa(const struct regs *r, const struct cfi_rule *rule)
{
	switch ((enum cfi_cfa)rule->cfa_kind) {
	case CFI_NONE: return 0;
	case CFI_SP: return r->sp + (u64)(s64)rule->cfa;
	case CFI_FP: return r->fp + (u64)(s64)rule->cfa;
	case CFI_SP_DEREF: return memory(r->sp + (u64)(s64)rule->cfa) + (u64)(s64)rule->add;
	case CFI_FP_DEREF: return memory(r->fp + (u64)(s64)rule->cfa) + (u64)(s64)rule->add;
	case CFI_PLT: return r->sp + now->word * ((s64)(r->pc & 15) >= rule->add ? 2 : 1);
	}
	return 0;
}

struct counts {
	u32 seen, wrong, left_out;
	u64 first_wrong;
};

static bool agrees(Dwarf_Frame *f, const struct cfi_rule *rule, const struct regs *r,
		   bool *expressible)
{
	Dwarf_Op *ops;
	size_t n;
	u64 cfa, ra, fp;
	bool is_value, ra_known, fp_known, is_signal = false;
	Dwarf_Addr lo, hi;

	*expressible = false;
	/* libdw refuses what gdb and binutils accept: a new register after an expression */
	if (dw.dwarf_frame_cfa(f, &ops, &n) != 0)
		return true;
	if (!n || !evaluate(r, 0, ops, n, &cfa, &is_value) ||
	    !theirs(f, r, cfa, (int)now->ra, &ra, &ra_known) ||
	    dw.dwarf_frame_info(f, &lo, &hi, &is_signal) != (int)now->ra)
		return rule->cfa_kind == CFI_NONE;
	if (!theirs(f, r, cfa, (int)now->fp, &fp, &fp_known))
		fp_known = false;
	*expressible = true;
	if (!ra_known)
		return rule->ra_kind == CFI_NOWHERE;
	return ours_cfa(r, rule) == cfa && rule->ra_kind != CFI_NOWHERE &&
	       ours_saved(r, rule->ra_kind, rule->ra, cfa, now->has_link ? r->lr : r->pc) == ra &&
	       (rule->fp_kind >= CFI_NOWHERE ?
			!fp_known :
			ours_saved(r, rule->fp_kind, rule->fp, cfa, r->fp) == fp) &&
	       rule->is_signal == is_signal;
}

static void compare(Dwarf_CFI *cfi, const struct cfi_table *t, u64 pc, struct counts *c)
{
	const struct cfi_rule *rule = cfi_at(t, pc);
	struct regs r = { pc,
			  0x7ffc00001000 + (pc & 0xff0),
			  0x7ffc00002000 + (pc & 0xff0),
			  ~pc,
			  now->machine == EM_X86_64 && rule->cfa_kind == CFI_SP_DEREF,
			  0 };
	Dwarf_Frame *f = NULL;
	bool expressible, equal;

	if (r.has_rbx)
		r.rbx = memory(r.sp + (u64)(s64)rule->cfa);
	c->seen++;
	if (dw.dwarf_cfi_addrframe(cfi, pc, &f) != 0) {
		equal = rule->cfa_kind == CFI_NONE && rule->ra_kind != CFI_NOWHERE;
	} else {
		equal = agrees(f, rule, &r, &expressible);
		if (!equal && rule->cfa_kind == CFI_NONE && expressible) {
			c->left_out++;
			equal = true;
		}
		free(f);
	}
	if (!equal && !c->wrong++)
		c->first_wrong = pc;
}

static const struct numbers *numbers_of(const struct elf *e)
{
	for (u32 i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].machine == elf_machine(e))
			return &machines[i];
	return NULL;
}

static void file(const char *path)
{
	struct err err = { 0 };
	struct elf *e = elf_open(path, &err);
	struct counts c = { 0 };
	struct cfi_table t;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = dw.elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Dwarf_CFI *cfi = dw.dwarf_getcfi_elf(elf);

	now = e ? numbers_of(e) : NULL;
	if (now && cfi && cfi_build(&t, e)) {
		u32 every = t.n_rows / 40000 + 1; /* of large files some */

		for (u32 i = 0; i + 1 < t.n_rows; i += every) {
			u64 at = t.rows[i].address, len = t.rows[i + 1].address - at;

			if (i) {
				compare(cfi, &t, at, &c);
				compare(cfi, &t, at + len / 2, &c);
				compare(cfi, &t, at + len - 1, &c);
			}
		}
		note("%s: %u rows, %u rules, %u compared, %u left out", path, t.n_rows, t.n_rules,
		     c.seen, c.left_out);
		if (c.wrong)
			note("%u wrong, the first at %#llx", c.wrong,
			     (unsigned long long)c.first_wrong);
		ok(!c.wrong && c.left_out * 100 <= c.seen, "%s: as libdw", path);
		cfi_release(&t);
	}
	err_release(&err);
	if (cfi)
		dw.dwarf_cfi_end(cfi);
	dw.elf_end(elf);
	close(fd);
	elf_close(e);
}

int main(int argc, char **argv)
{
	static const char *const globs[] = { "/lib/*-linux-gnu/libc.so.6",
					     "/lib/*-linux-gnu/libm.so.6",
					     "/lib*/*-linux-gnu/ld-linux-*.so.?",
					     "/lib32/libc.so.6",
					     "/lib32/libm.so.6",
					     "/lib32/ld-linux.so.2",
					     "/usr/lib/*-linux-gnu/libcrypto.so.3",
					     "/usr/lib/*-linux-gnu/libstdc++.so.6",
					     "/usr/bin/perl",
					     "/bin/bash",
					     "/usr/bin/python3.*" };

	if (!load()) {
		skip("libdw is not installed");
		return done();
	}
	for (int i = 1; i < argc; i++)
		file(argv[i]);
	for (u32 i = 0; argc < 2 && i < ARRAY_SIZE(globs); i++) {
		glob_t g;

		if (glob(globs[i], 0, NULL, &g) == 0)
			file(g.gl_pathv[0]);
		globfree(&g);
	}
	if (!tap_run)
		skip("no file of this machine is here");
	return done();
}
