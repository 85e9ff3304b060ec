/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Effects of A64 instructions: by hand for what placing builds on, and as binutils' disassembler
 * describes every instruction of the libraries that Debian's cross compiler brings along.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "fixture.h"
#include "arch/insn_arm64.h"

static struct arm64_effect of(u32 word)
{
	struct arm64_effect e;

	arm64_effect(word, &e);
	return e;
}

enum { LR = 1 << ARM64_LR };
#define SP (1u << ARM64_SP)

static void test_effects(void)
{
	ok(of(0xd503245f).kind == ARM64_NOP, "bti c");
	ok(of(0xd503201f).kind == ARM64_NOP, "nop");
	ok(of(0xd503233f).signs && of(0xd503233f).writes == LR, "paciasp");
	ok(of(0xa9be7bfd).saves_frame && of(0xa9be7bfd).sp == -32 && of(0xa9be7bfd).writes == SP,
	   "stp x29, x30, [sp, -32]!");
	ok(of(0xa8c27bfd).sp == 32 && of(0xa8c27bfd).writes == (SP | LR | 1 << 29),
	   "ldp x29, x30, [sp], 32");
	ok(of(0xa90153f3).writes == 0 && !of(0xa90153f3).may_fault && !of(0xa90153f3).saves_frame,
	   "stp x19, x20, [sp, 16]");
	ok(of(0xd10083ff).moves_sp && of(0xd10083ff).sp == -32, "sub sp, sp, 32");
	ok(of(0xd14007ff).sp == -4096, "sub sp, sp, 1, lsl 12");
	ok(of(0x910003fd).writes == 1 << 29 && !of(0x910003fd).moves_sp, "mov x29, sp");
	ok(of(0x9100001f).writes == SP && !of(0x9100001f).moves_sp, "mov sp, x0: anywhere");
	ok(of(0xcb2063ff).writes == SP && !of(0xcb2063ff).moves_sp, "sub sp, sp, x0");
	ok(of(0xaa0003f3).copy_to == 19 && of(0xaa0003f3).copy_from == 0, "mov x19, x0");
	ok(of(0x2a0003f3).copy_to == ARM64_NO_REG && of(0x2a0003f3).writes == 1 << 19,
	   "mov w19, w0 copies a half");
	ok(of(0xaa1f03e0).copy_to == ARM64_NO_REG && of(0xaa1f03e0).writes == 1, "mov x0, xzr");
	ok(of(0xb4000040).kind == ARM64_BRANCH && of(0xb4000040).target == 8, "cbz x0, . + 8");
	ok(of(0x37fffc61).kind == ARM64_BRANCH && of(0x37fffc61).target == -116,
	   "tbnz w1, 31, . - 116");
	ok(of(0x97ffffff).kind == ARM64_CALL && of(0x97ffffff).target == -4, "bl . - 4");
	ok(of(0xd65f03c0).kind == ARM64_RETURN && of(0xd65f0bff).kind == ARM64_RETURN,
	   "ret, retaa");
	ok(of(0xd61f0200).kind == ARM64_JUMP_INDIRECT && of(0xd63f0860).kind == ARM64_CALL_INDIRECT,
	   "br, blraaz");
	ok(of(0xd4200020).kind == ARM64_END && of(0).kind == ARM64_END, "brk, udf");
	ok(of(0xd4000001).kind == ARM64_UNKNOWN, "svc");
	ok(of(0x04a0e3e0).kind == ARM64_UNKNOWN, "cntw of SVE");
	ok(of(0xf9400000).may_fault && !of(0xf94007e0).may_fault && of(0xf8616be0).may_fault,
	   "ldr: [x0], [sp, 8], [sp, x1]");
	ok(of(0xd53bd040).writes == 1, "mrs x0, tpidr_el0");
	ok(of(0xeb01001f).flags && !of(0xeb01001f).writes, "cmp x0, x1");
	ok(of(0xfa411004).flags && !of(0xfa411004).writes, "ccmp");
}

static void test_uprobes(void)
{
	static const struct {
		u32 word;
		bool simulated, refused;
		const char *text;
	} cases[] = {
		{ 0x14000001, true, false, "b" },
		{ 0x94000001, true, false, "bl" },
		{ 0x54000040, true, false, "b.eq" },
		{ 0x54000050, false, true, "bc.eq" },
		{ 0xb4000040, true, false, "cbz" },
		{ 0x36000040, true, false, "tbz" },
		{ 0x90000000, true, false, "adrp" },
		{ 0x10000000, true, false, "adr" },
		{ 0xd61f0000, true, false, "br x0" },
		{ 0xd63f0000, true, false, "blr x0" },
		{ 0xd65f03c0, true, false, "ret" },
		{ 0xd65f0bff, false, true, "retaa" },
		{ 0xd71f0801, false, true, "braa x0, x1" },
		{ 0xd63f081f, false, true, "blraaz x0" },
		{ 0xd503201f, true, false, "nop" },
		{ 0xd503233f, false, false, "paciasp" },
		{ 0xd503237f, false, false, "pacibsp" },
		{ 0xd50323bf, false, true, "autiasp" },
		{ 0xd503245f, false, false, "bti c" },
		{ 0xd50324df, false, false, "bti jc" },
		{ 0xd503203f, false, true, "yield" },
		{ 0xd503205f, false, true, "wfe" },
		{ 0xd4000001, false, true, "svc" },
		{ 0xd4200000, false, true, "brk" },
		{ 0xd53bd040, false, false, "mrs tpidr_el0" },
		{ 0xd51bd040, false, true, "msr tpidr_el0" },
		{ 0xd5033bbf, false, false, "dmb ish" },
		{ 0x58000040, false, true, "ldr x0, literal" },
		{ 0x98000040, false, true, "ldrsw literal" },
		{ 0x5c000040, false, true, "ldr d0, literal" },
		{ 0x9c000040, false, true, "ldr q0, literal" },
		{ 0xd8000000, false, true, "prfm literal" },
		{ 0xc85f7c20, false, true, "ldxr" },
		{ 0xc8007c20, false, true, "stxr" },
		{ 0xc8dffc20, false, false, "ldar" },
		{ 0xc8a07c20, false, false, "cas" },
		{ 0x48207c82, false, true, "casp" },
		{ 0xf8200020, false, false, "ldadd" },
		{ 0x19010440, false, true, "cpyfp" },
		{ 0xa9be7bfd, false, false, "stp x29, x30" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *why = arm64_uprobe_refuses(cases[i].word);

		ok(arm64_uprobe_simulates(cases[i].word, true) == cases[i].simulated &&
			   !why == !cases[i].refused,
		   "%s: %s", cases[i].text,
		   why                ? why :
		   cases[i].simulated ? "simulated" :
					"stepped over");
	}
	ok(!arm64_uprobe_simulates(0xd503201f, false), "nop before 6.13");
	ok(arm64_is_exclusive_load(0xc85f7c20) && arm64_is_exclusive_load(0x885ffc20) &&
		   arm64_is_exclusive_load(0xc87f0440) && !arm64_is_exclusive_load(0x48607c82) &&
		   !arm64_is_exclusive_load(0xc8dffc20),
	   "ldxr, ldaxr, ldxp; not caspa, ldar");
	ok(arm64_is_exclusive_store(0xc8007c20) && arm64_is_exclusive_store(0xc8200440) &&
		   !arm64_is_exclusive_store(0x48207c82),
	   "stxr, stxp; not casp");
}

/* ---- what objdump says of an instruction */

struct said {
	char name[32], op[6][64];
	u32 n, writes;
	bool flags, memory, at_sp, is_branch;
	s64 sp;
	bool moves_sp;
	u64 target;
};

/* Number of a general register: x0, w0, sp, wsp; -1: none (xzr too). */
static int number_of(const char *s)
{
	char *end;
	long n;

	if (!strcmp(s, "sp") || !strcmp(s, "wsp"))
		return ARM64_SP;
	if ((*s != 'x' && *s != 'w') || !isdigit((unsigned char)s[1]))
		return -1;
	n = strtol(s + 1, &end, 10);
	return *end || n > 30 ? -1 : (int)n;
}

static void writes(struct said *s, u32 op)
{
	int r = op < s->n ? number_of(s->op[op]) : -1;

	if (r >= 0)
		s->writes |= 1u << r;
}

/* Operands, cut at commas outside of brackets. */
static void split(struct said *s, char *text)
{
	int depth = 0;
	size_t n = 0;

	s->n = 0;
	memset(s->op, 0, sizeof s->op);
	for (char *p = text; *p && s->n < ARRAY_SIZE(s->op); p++) {
		if (*p == '/' && p[1] == '/')
			break;
		depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
		if (*p == ',' && !depth) {
			s->n++;
			n = 0;
		} else if (!isspace((unsigned char)*p) && n + 1 < sizeof s->op[0]) {
			s->op[s->n][n++] = *p;
		}
	}
	if (s->n < ARRAY_SIZE(s->op))
		s->n += *s->op[s->n] != '\0';
}

static bool starts_with_any(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (starts_with(name, *list))
			return true;
	return false;
}

static void memory(struct said *s)
{
	for (u32 i = 0; i < s->n; i++) {
		char *at = s->op[i], base[8] = "", *last = at + strlen(at) - 1;
		bool pre, post;

		if (*at != '[')
			continue;
		sscanf(at, "[%7[a-z0-9]", base);
		pre = *last == '!';
		post = i + 1 < s->n;
		s->memory = true;
		s->at_sp = !strcmp(base, "sp") && (!strchr(at, ',') || strchr(at, '#'));
		if (!pre && !post)
			continue;
		s->writes |= 1u << number_of(base);
		s->moves_sp = !strcmp(base, "sp");
		s->sp = strtol(pre ? strchr(at, '#') + 1 : s->op[i + 1] + 1, NULL, 10);
	}
}

/* The registers that an instruction of this name writes, by its operands. */
static void understand(struct said *s)
{
	static const char *const silent[] = { "st",    "cmp", "cmn",  "tst",   "ccm", "prf", "msr",
					      "b",     "cb",  "tb",   "ret",   "sv",  "hlt", "ds",
					      "dm",    "is",  "fcmp", "fccmp", "sys", "dc",  "ic",
					      "clrex", "nop", "hint", "at",    "ld1", "ld2", "ld3",
					      "ld4",   "pac", "aut",  "xpac",  "udf", ".",   "csdb",
					      "yield", "wf",  "se",   NULL };
	static const char *const flags[] = { "cmp",  "cmn",  "tst",  "ccm",   "adds",
					     "subs", "ands", "bics", "adcs",  "sbcs",
					     "negs", "ngcs", "fcmp", "fccmp", NULL };
	static const char *const pairs[] = { "ldp", "ldnp", "ldxp", "ldaxp", "casp", NULL };
	static const char *const seconds[] = { "ldadd", "ldclr", "ldeor", "ldset",
					       "ldsm",  "ldum",  "swp",   NULL };
	static const char *const status[] = { "stxr", "stlxr", "stxp", "stlxp", NULL };
	const char *name = s->name;
	bool is_bitfield = starts_with(name, "bf"),
	     is_set = starts_with(name, "cset") || starts_with(name, "sbf");

	s->flags = starts_with_any(name, flags);
	if (starts_with_any(name, seconds))
		writes(s, 1);
	else if (!starts_with_any(name, silent) || is_bitfield || is_set ||
		 starts_with(name, "bic") || starts_with_any(name, status))
		writes(s, 0);
	if (starts_with_any(name, pairs))
		writes(s, 1);
	if (!strcmp(name, "bl") || starts_with(name, "blr") || !strcmp(name, "paciasp") ||
	    !strcmp(name, "autiasp") || !strcmp(name, "xpaclri"))
		s->writes |= LR;
	if (strstr(name, "1716"))
		s->writes |= 1u << 17;
	s->is_branch = !strcmp(name, "b") || starts_with(name, "b.") || !strcmp(name, "bl") ||
		       starts_with(name, "cbz") || starts_with(name, "cbnz") ||
		       starts_with(name, "tbz") || starts_with(name, "tbnz");
	if (s->is_branch)
		s->target = strtoull(s->op[s->n - 1], NULL, 16);
	memory(s);
}

static const char *compare(u32 word, u64 at, const struct said *s)
{
	struct arm64_effect e = of(word);
	bool goes = e.kind == ARM64_JUMP || e.kind == ARM64_BRANCH || e.kind == ARM64_CALL;
	bool exact = (word & 0x0e000000) != 0x0e000000 && (word & 0x3f000000) != 0x08000000;

	if (goes != s->is_branch || (goes && at + (u64)e.target != s->target))
		return "another target";
	if (e.kind == ARM64_UNKNOWN)
		return NULL;
	if ((e.kind == ARM64_RETURN) != starts_with(s->name, "ret"))
		return "a return";
	if (e.kind == ARM64_JUMP_INDIRECT ? strcmp(s->name, "br") != 0 : !strcmp(s->name, "br"))
		return "a jump";
	if (s->writes & ~e.writes)
		return "it writes more";
	if (exact && e.writes & ~s->writes)
		return "it writes less";
	if (s->flags && !e.flags)
		return "it writes flags";
	if (s->memory && !s->at_sp && !e.may_fault && !starts_with(s->name, "prf"))
		return "it may fault";
	if (s->moves_sp && (!e.moves_sp || e.sp != s->sp))
		return "it moves sp";
	return NULL;
}

static void against_objdump(const char *path)
{
	char command[256], line[512];
	u32 n = 0, unknown = 0, wrong = 0;
	FILE *f;

	snprintf(command, sizeof command, "aarch64-linux-gnu-objdump -d -w %s 2>/dev/null", path);
	f = popen(command, "r");
	while (f && fgets(line, sizeof line, f)) {
		struct said s = { 0 };
		unsigned long long at;
		char text[256] = "";
		const char *why;
		u32 word;

		if (sscanf(line, " %llx: %8x %31s %255[^\n]", &at, &word, s.name, text) < 3 ||
		    *s.name == '.' || starts_with(s.name, "udf"))
			continue;
		split(&s, text);
		understand(&s);
		n++;
		unknown += of(word).kind == ARM64_UNKNOWN;
		why = compare(word, at, &s);
		if (why && wrong++ < 10)
			note("%s: %08x %s %s: ours writes %08x, sp %d", why, word, s.name, text,
			     of(word).writes, of(word).sp);
	}
	if (f)
		pclose(f);
	if (!n)
		skip("no aarch64-linux-gnu-objdump, or no %s", path);
	else
		ok(!wrong, "%s: %u instructions as objdump says, %u of unknown effect", path, n,
		   unknown);
}

int main(void)
{
	static const char *const libraries[] = { "libc.so.6", "libm.so.6", "libstdc++.so.6",
						 "ld-linux-aarch64.so.1", "libgcc_s.so.1" };

	test_effects();
	test_uprobes();
	for (u32 i = 0; i < ARRAY_SIZE(libraries); i++) {
		char path[128];

		snprintf(path, sizeof path, "/usr/aarch64-linux-gnu/lib/%s", libraries[i]);
		against_objdump(path);
	}
	return done();
}
