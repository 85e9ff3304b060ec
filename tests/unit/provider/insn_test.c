/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The x86 decoder against Zydis and objdump, over every function of libraries of this system:
 * lengths, targets of branches, registers written, how rsp moves. Both are opened only where they
 * are installed.
 */
#include "arch/insn.h"
#include "object/elf.h"
#include "tap.h"
#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#if defined(__x86_64__) && __has_include(<Zydis/Zydis.h>)
#include <Zydis/Zydis.h>
#define HAVE_ZYDIS 1
#endif

#define LIBS "/lib/x86_64-linux-gnu/"
#if defined(HAVE_ZYDIS)
static const char *const libraries[] = {
	LIBS "libc.so.6",
	LIBS "libm.so.6",
	"/lib64/ld-linux-x86-64.so.2",
	"/bin/bash",
	"/usr/bin/perl",
	LIBS "libstdc++.so.6",
	LIBS "libcrypto.so.3",
	LIBS "libssl.so.3",
	LIBS "libz.so.1",
	LIBS "liblzma.so.5",
	LIBS "libzstd.so.1",
	LIBS "libglib-2.0.so.0",
	LIBS "libgnutls.so.30",
	LIBS "libsqlite3.so.0",
	LIBS "libsystemd.so.0",
	LIBS "libgmp.so.10",
	LIBS "libtinfo.so.6",
	LIBS "libpcre2-8.so.0",
	LIBS "libelf.so.1",
	LIBS "libdw.so.1",
	LIBS "libbz2.so.1.0",
	LIBS "libselinux.so.1",
	LIBS "libcap.so.2",
	LIBS "libnettle.so.8",
};
#endif

struct tally {
	const u8 *text; /* of the section at hand */
	u64 at, size;
	u32 functions, insns, unknown, wrong;
	const struct elf *elf;
};

static const u8 *code_of(struct tally *t, const struct elf_symbol *s)
{
	struct elf_section sec;

	if (t->text && s->value >= t->at && s->value - t->at < t->size &&
	    s->size <= t->size - (s->value - t->at))
		return t->text + (s->value - t->at);
	for (u32 i = 0; i < elf_n_sections(t->elf); i++) {
		if (!elf_section_at(t->elf, i, &sec) || !sec.bytes || !sec.address ||
		    s->value < sec.address || s->value - sec.address >= sec.size)
			continue;
		t->text = sec.bytes;
		t->at = sec.address;
		t->size = sec.size;
		return s->size <= sec.size - (s->value - sec.address) ?
			       t->text + (s->value - t->at) :
			       NULL;
	}
	return NULL;
}

#if defined(HAVE_ZYDIS)
static struct {
	ZyanStatus (*init)(ZydisDecoder *d, ZydisMachineMode mode, ZydisStackWidth width);
	ZyanStatus (*decode)(const ZydisDecoder *d, const void *code, ZyanUSize len,
			     ZydisDecodedInstruction *in, ZydisDecodedOperand *ops);
	ZydisDecoder decoder;
} zydis;

static bool zydis_open(void)
{
	void *lib = dlopen("libZydis.so.4.0", RTLD_NOW);

	if (!lib)
		return false;
	*(void **)&zydis.init = dlsym(lib, "ZydisDecoderInit");
	*(void **)&zydis.decode = dlsym(lib, "ZydisDecoderDecodeFull");
	return zydis.init && zydis.decode &&
	       ZYAN_SUCCESS(zydis.init(&zydis.decoder, ZYDIS_MACHINE_MODE_LONG_64,
				       ZYDIS_STACK_WIDTH_64));
}

static int general(ZydisRegister r)
{
	static const ZydisRegister first[] = { ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_EAX,
					       ZYDIS_REGISTER_AX };

	for (u32 i = 0; i < ARRAY_SIZE(first); i++)
		if (r >= first[i] && r < first[i] + 16)
			return (int)(r - first[i]);
	if (r >= ZYDIS_REGISTER_AL && r <= ZYDIS_REGISTER_BL)
		return (int)(r - ZYDIS_REGISTER_AL);
	if (r >= ZYDIS_REGISTER_AH && r <= ZYDIS_REGISTER_BH)
		return (int)(r - ZYDIS_REGISTER_AH);
	if (r >= ZYDIS_REGISTER_SPL && r <= ZYDIS_REGISTER_R15B)
		return (int)(r - ZYDIS_REGISTER_SPL) + 4;
	return -1;
}

static u32 zydis_writes(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
	u32 set = 0;

	for (u32 i = 0; i < in->operand_count; i++) {
		int r = ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER ? general(ops[i].reg.value) : -1;

		if (ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE && r >= 0)
			set |= 1u << r;
	}
	if (in->cpu_flags && (in->cpu_flags->modified | in->cpu_flags->set_0 |
			      in->cpu_flags->set_1 | in->cpu_flags->undefined))
		set |= 1u << X86_FLAGS;
	return set;
}

static bool touches_memory(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
	for (u32 i = 0; i < in->operand_count; i++)
		if (ops[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    ops[i].mem.type == ZYDIS_MEMOP_TYPE_MEM &&
		    ops[i].mem.base != ZYDIS_REGISTER_RSP &&
		    ops[i].mem.base != ZYDIS_REGISTER_RIP &&
		    ops[i].mem.segment != ZYDIS_REGISTER_FS && ops[i].actions)
			return true;
	return false;
}

/* Not rsp, which is read wherever something is pushed. */
static u32 zydis_reads(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
	u32 set = in->cpu_flags && in->cpu_flags->tested & ~ZYDIS_CPUFLAG_DF ? 1u << X86_FLAGS : 0;

	for (u32 i = 0; i < in->operand_count; i++) {
		bool is_memory = ops[i].type == ZYDIS_OPERAND_TYPE_MEMORY,
		     is_reg = ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER;
		int r = is_reg && ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ ?
				general(ops[i].reg.value) :
				-1;
		int base = is_memory ? general(ops[i].mem.base) : -1,
		    index = is_memory ? general(ops[i].mem.index) : -1;

		set |= (r >= 0 ? 1u << r : 0) | (base >= 0 ? 1u << base : 0) |
		       (index >= 0 ? 1u << index : 0);
	}
	return set & ~(1u << X86_SP);
}

/* Instructions of which a value does not come from what they read. */
static bool is_idiom(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
	if (in->mnemonic == ZYDIS_MNEMONIC_OR || in->mnemonic == ZYDIS_MNEMONIC_AND)
		return ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		       (ops[1].imm.value.s == -1 || !ops[1].imm.value.s);
	return ops[0].type == ops[1].type && ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       general(ops[0].reg.value) == general(ops[1].reg.value) &&
	       (in->mnemonic == ZYDIS_MNEMONIC_XOR || in->mnemonic == ZYDIS_MNEMONIC_SUB ||
		in->mnemonic == ZYDIS_MNEMONIC_SBB);
}

/* Nops and prefetches name memory and never fault. */
static bool is_hint(const ZydisDecodedInstruction *in)
{
	return in->opcode_map == ZYDIS_OPCODE_MAP_0F &&
	       (in->opcode == 0x0d || (in->opcode >= 0x18 && in->opcode <= 0x1f));
}

/* Of vector instructions only the address is known. */
static const char *compare_reads(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops,
				 const struct x86_insn *ours)
{
	u32 theirs = zydis_reads(in, ops), reads = x86_reads(ours) & ~(1u << X86_SP);

	if (in->meta.category == ZYDIS_CATEGORY_CMOV) /* what stays may be the old value */
		return theirs & ~reads ? "reads more" : NULL;
	if (reads & ~theirs)
		return "reads less";
	return theirs & ~reads && !ours->vector && !is_hint(in) && !is_idiom(in, ops) ?
		       "reads more" :
		       NULL;
}

static const char *compare(const u8 *code, u32 room, u32 len, const struct x86_insn *ours,
			   const struct x86_effect *e)
{
	ZydisDecodedInstruction in;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	bool relative = false, branch;

	if (!ZYAN_SUCCESS(zydis.decode(&zydis.decoder, code, room, &in, ops)))
		return len ? NULL : "none";
	if (in.length != len)
		return "length";
	for (u32 i = 0; i < in.operand_count; i++)
		if (ops[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && ops[i].imm.is_relative &&
		    in.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY) {
			relative = true;
			if ((s64)in.length + ops[i].imm.value.s != e->target)
				return "target";
		}
	branch = in.meta.category == ZYDIS_CATEGORY_COND_BR ||
		 in.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
		 in.meta.category == ZYDIS_CATEGORY_CALL || in.meta.category == ZYDIS_CATEGORY_RET;
	if (e->kind == X86_UNKNOWN)
		return relative ? "a branch not seen" : NULL;
	if (e->kind >= X86_JUMP)
		return branch || in.mnemonic == ZYDIS_MNEMONIC_UD2 ||
				       in.mnemonic == ZYDIS_MNEMONIC_UD1 ||
				       in.mnemonic == ZYDIS_MNEMONIC_UD0 ||
				       in.mnemonic == ZYDIS_MNEMONIC_HLT ?
			       NULL :
			       "no branch";
	if (branch)
		return "a branch";
	if (zydis_writes(&in, ops) & ~e->writes)
		return "writes more";
	if (e->kind == X86_NOP && in.mnemonic != ZYDIS_MNEMONIC_NOP &&
	    in.mnemonic != ZYDIS_MNEMONIC_PAUSE)
		return "no nop";
	if (!e->may_fault && !is_hint(&in) && touches_memory(&in, ops))
		return "may fault";
	return e->kind == X86_PLAIN && !e->moves_sp ? compare_reads(&in, ops, ours) : NULL;
}

static int check_function(void *ctx, const struct elf_symbol *s)
{
	struct tally *t = ctx;
	const u8 *code = s->size ? code_of(t, s) : NULL;
	struct x86_insn in;
	struct x86_effect e;

	if (!code)
		return 0;
	t->functions++;
	for (u64 at = 0; at < s->size;) {
		u32 room = (u32)MIN(s->size - at, 15u),
		    len = x86_decode(code + at, room, X86_64, &in);
		const char *wrong;

		x86_effect(&in, &e);
		wrong = compare(code + at, room, len, &in, &e);
		if (wrong && t->wrong++ < 10)
			note("%s+%llu: %s: length %u, op %02x, writes %x: %02x %02x %02x %02x %02x %02x %02x %02x",
			     s->name, (unsigned long long)at, wrong, len, in.op, e.writes, code[at],
			     code[at + 1], code[at + 2], code[at + 3], code[at + 4], code[at + 5],
			     code[at + 6], code[at + 7]);
		if (!len)
			break;
		t->insns++;
		t->unknown += e.kind == X86_UNKNOWN;
		at += len;
	}
	return 0;
}

static void against_zydis(void)
{
	struct err err = { 0 };

	if (!zydis_open()) {
		skip("libZydis is not here");
		return;
	}
	for (u32 i = 0; i < ARRAY_SIZE(libraries); i++) {
		struct elf *e = elf_open(libraries[i], &err);
		struct tally t = { .elf = e };

		err_release(&err);
		err = (struct err){ 0 };
		if (!e)
			continue;
		elf_each_function(e, NULL, check_function, &t);
		ok(!t.wrong,
		   "%s: %u functions, %u instructions as Zydis says, %u of unknown effect",
		   libraries[i], t.functions, t.insns, t.unknown);
		elf_close(e);
	}
}

/* Random bytes: what both decode has one length; behind it rsp moves as pushes and pops say. */
static void random_bytes(void)
{
	u64 seed = 88172645463325252ull;
	u32 wrong = 0, known = 0;

	if (!zydis.decode) {
		skip("libZydis is not here");
		return;
	}
	for (u32 i = 0; i < 3000000; i++) {
		u8 code[16];
		struct x86_insn in;
		struct x86_effect e;
		ZydisDecodedInstruction z;
		ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
		const char *why;

		for (u32 j = 0; j < 2; j++) {
			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			memcpy(code + 8 * j, &seed, 8);
		}
		if (!ZYAN_SUCCESS(zydis.decode(&zydis.decoder, code, 15, &z, ops)) ||
		    !x86_decode(code, 15, X86_64, &in))
			continue;
		known++;
		x86_effect(&in, &e);
		why = compare(code, 15, in.len, &in, &e);
		if (why && wrong++ < 20)
			note("%s: ours %u, Zydis %u: %02x %02x %02x %02x %02x %02x %02x %02x", why,
			     in.len, z.length, code[0], code[1], code[2], code[3], code[4], code[5],
			     code[6], code[7]);
	}
	ok(!wrong && known > 100000, "random bytes: %u instructions that both know", known);
}
#else
static void against_zydis(void)
{
	skip("built without Zydis");
}

static void random_bytes(void)
{
	skip("built without Zydis");
}
#endif

/* objdump's addresses are the boundaries: `  401000:\tpush ...`. */
static void against_objdump(const char *path)
{
	char command[256], line[512];
	struct err err = { 0 };
	struct elf *e = elf_open(path, &err);
	struct tally t = { .elf = e };
	u64 last = 0, at;
	u32 n = 0, wrong = 0;
	FILE *f;

	err_release(&err);
	snprintf(command, sizeof command, "objdump -d -w --no-show-raw-insn %s 2>/dev/null", path);
	f = e && elf_machine(e) == EM_X86_64 ? popen(command, "r") : NULL;
	while (f && fgets(line, sizeof line, f)) {
		const struct elf_symbol s = { .value = last, .size = 1 };
		const u8 *code;
		char *end;

		at = strtoull(line, &end, 16);
		if (*end != ':' || end[1] != '\t') {
			last = 0;
			continue;
		}
		code = last && at > last ? code_of(&t, &s) : NULL;
		if (code && *code != 0x9b) { /* objdump joins fwait and what follows */
			n++;
			if (x86_insn_len(code, 15) != at - last && wrong++ < 10)
				note("%llx: ours %u, objdump %u", (unsigned long long)last,
				     x86_insn_len(code, 15), (u32)(at - last));
		}
		last = strstr(line, "(bad)") || strstr(line, ".byte") ? 0 : at;
	}
	if (f)
		pclose(f);
	elf_close(e);
	if (!n)
		skip("no objdump, or no %s of x86-64", path);
	else
		ok(!wrong, "%s: %u instructions as objdump says", path, n);
}

static struct x86_effect effect(const char *text)
{
	u8 code[16] = { 0 };
	struct x86_insn in;
	struct x86_effect e;
	u32 n = 0;

	for (char *end; *text; text = end) {
		code[n++] = (u8)strtoul(text, &end, 16);
		while (isspace((unsigned char)*end))
			end++;
	}
	x86_decode(code, n, X86_64, &in);
	x86_effect(&in, &e);
	return e;
}

static void test_effects(void)
{
	struct x86_effect e = effect("48 83 ec 18"); /* sub rsp, 24 */

	ok(e.moves_sp && e.sp == -24, "sub rsp");
	e = effect("48 81 c4 00 01 00 00");
	ok(e.moves_sp && e.sp == 256, "add rsp");
	e = effect("48 83 e4 f0"); /* and rsp, -16 */
	ok(!e.moves_sp && e.writes & 1 << X86_SP, "and rsp: anywhere");
	e = effect("48 8d 64 24 f8"); /* lea rsp, [rsp-8] */
	ok(e.moves_sp && e.sp == -8, "lea rsp");
	e = effect("41 57");
	ok(e.kind == X86_PUSH && e.sp == -8, "push r15");
	e = effect("f3 0f 1e fa");
	ok(e.kind == X86_ENDBR && !e.writes, "endbr64");
	e = effect("48 89 fb");
	ok(e.copy_to == X86_BX && e.copy_from == X86_DI && e.writes == 1 << X86_BX, "mov rbx, rdi");
	e = effect("49 8b c7");
	ok(e.copy_to == X86_AX && e.copy_from == 15, "mov rax, r15");
	e = effect("89 fb");
	ok(e.copy_to == X86_NO_REG && e.writes == 1 << X86_BX, "mov ebx, edi copies a half");
	e = effect("88 e3"); /* mov bl, ah */
	ok(e.writes == 1 << X86_BX, "mov bl, ah");
	e = effect("b4 01"); /* mov ah, 1 */
	ok(e.writes == 1 << X86_AX, "mov ah");
	e = effect("40 b4 01");
	ok(e.writes == 1 << X86_SP, "mov spl");
	e = effect("64 48 8b 04 25 28 00 00 00");
	ok(!e.may_fault, "the canary is always there");
	e = effect("48 8b 07");
	ok(e.may_fault, "*rdi may not be");
	e = effect("74 10");
	ok(e.kind == X86_BRANCH && e.target == 18, "je");
	e = effect("3e ff e0");
	ok(e.kind == X86_JUMP_INDIRECT, "notrack jmp rax");
	e = effect("f3 48 0f 1e c8");
	ok(e.kind == X86_UNKNOWN, "rdsspq");
	e = effect("0f a2");
	ok(e.kind == X86_UNKNOWN, "cpuid");
}

static struct x86_insn decoded(const char *text, u8 code[static 16])
{
	struct x86_insn in;
	u32 n = 0;

	memset(code, 0, 16);
	for (char *end; *text; text = end) {
		code[n++] = (u8)strtoul(text, &end, 16);
		while (isspace((unsigned char)*end))
			end++;
	}
	x86_decode(code, n, X86_64, &in);
	return in;
}

static bool emulated(const char *text, bool all_nops)
{
	u8 code[16];
	struct x86_insn in = decoded(text, code);

	return x86_uprobe_emulates(&in, code, all_nops);
}

static bool refused(const char *text)
{
	u8 code[16];
	struct x86_insn in = decoded(text, code);

	return x86_uprobe_refuses(&in, X86_64);
}

static bool refused_32(u8 op)
{
	struct x86_insn in;

	return x86_decode(&op, 1, X86_32, &in) && x86_uprobe_refuses(&in, X86_32);
}

/* tests/live/uprobe/refused.c asks the kernel itself. */
static void test_refused(void)
{
	ok(refused("f0 ff 07") && refused("2e 0f 1f 40 00") && refused("3e ff e0") &&
		   !refused("64 48 8b 04 25 28 0 0 0"),
	   "lock and segment prefixes, but for fs and gs");
	ok(refused("66 e8 0 0") && refused("66 0f 84 0 0") && refused("66 74 05") &&
		   !refused("66 90"),
	   "16-bit branches");
	ok(refused("c5 f9 ef c0") && refused("c5 fa 6f 07") && !refused("c5 f9 57 c0") &&
		   !refused("66 0f ef c0"),
	   "vector instructions by the last byte of their opcodes");
	ok(!refused_32(0x06) && refused_32(0x07) && !refused_32(0x60) && refused_32(0xcf),
	   "32 bits");
	ok(refused("c4 e3 f1 6b c2 00") && !refused("c4 e3 79 0f c1 05"), "FMA4, and not vpalignr");
	ok(refused("cc") && refused("f4") && refused("8e d0") && !refused("8e d8") &&
		   !refused("0f 05"),
	   "others");
}

static void test_emulated(void)
{
	ok(emulated("55", false) && emulated("41 57", false) && !emulated("66 55", false) &&
		   !emulated("48 55", false),
	   "pushes");
	ok(emulated("90", false) && emulated("66 90", false) && !emulated("41 90", false), "nop");
	ok(!emulated("0f 1f 44 00 00", false) && emulated("0f 1f 44 00 00", true),
	   "long nops since 6.18");
	ok(emulated("eb 05", false) && emulated("e9 0 0 0 0", false) &&
		   emulated("e8 0 0 0 0", false),
	   "jmp, call");
	ok(emulated("74 05", false) && emulated("0f 84 0 0 0 0", false), "jcc");
	ok(!emulated("f3 0f 1e fa", true) && !emulated("48 83 ec 08", true) &&
		   !emulated("c3", true),
	   "not the others");
	ok(!emulated("3e 74 05", false), "not with a segment prefix");
}

static void test_32(void)
{
	static const struct {
		u8 len, code[8];
		const char *text;
	} cases[] = {
		{ 1, { 0x40 }, "inc eax" },
		{ 1, { 0x60 }, "pusha" },
		{ 6, { 0x8b, 0x0d, 1, 2, 3, 4 }, "mov ecx, [4030201]" },
		{ 3, { 0x67, 0x8b, 0x07 }, "mov eax, [bx]" },
		{ 2, { 0xc5, 0x07 }, "lds eax, [edi]" },
		{ 5, { 0xa1, 1, 2, 3, 4 }, "mov eax, [4030201]" },
		{ 7, { 0x9a, 1, 2, 3, 4, 5, 6 }, "call far" },
		{ 3, { 0xc5, 0xf8, 0x77 }, "vzeroupper" },
		{ 4, { 0x66, 0xe8, 1, 2 }, "callw" },
	};
	struct x86_insn in;

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++)
		is_int(x86_decode(cases[i].code, 8, X86_32, &in), cases[i].len, "32 bits: %s",
		       cases[i].text);
}

int main(void)
{
	test_effects();
	test_emulated();
	test_refused();
	test_32();
	against_zydis();
	random_bytes();
	against_objdump(LIBS "libc.so.6");
	against_objdump("/bin/bash");
	against_objdump(LIBS "libm.so.6");
	return done();
}
