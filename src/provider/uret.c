/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: a function's code; out: where it returns. x86-64. */
#include <elf.h>
#include "provider/insn.h"
#include "provider/uplace.h"
#include "provider/uret.h"

enum { RET = 0xc3, RET_POP = 0xc2, NOTRACK = 0x3e };

static bool has_word(struct elf *e, const char *section, const char *word)
{
	struct elf_section s;

	return elf_section(e, section, &s) && s.bytes && memmem(s.bytes, s.size, word, strlen(word) + 1);
}

enum unwinds uret_unwinds(struct elf *e)
{
	struct elf_section s;

	if (elf_section(e, ".gopclntab", &s) || elf_section(e, ".go.buildinfo", &s))
		return UNWINDS_GO;
	if (!elf_section(e, ".gcc_except_table", &s))
		return UNWINDS_NOT;
	if (has_word(e, ".dynstr", "__gxx_personality_v0") || has_word(e, ".strtab", "__gxx_personality_v0") ||
	    has_word(e, ".strtab", "rust_eh_personality"))
		return UNWINDS_EXCEPTIONS;
	return UNWINDS_NOT;
}

struct scan {
	struct elf *e;
	const struct elf_symbol *s;
	bool is_go;
};

/* The unlikely part of the same function, which its compiler has moved away. */
static bool is_cold_part(struct scan *sc, u64 address)
{
	struct elf_symbol to;

	return elf_symbol_at(sc->e, address, &to) && strstr(to.name, ".cold");
}

/* A jump that ends the function leaves the return to another one. */
static const char *leaves(struct scan *sc, u64 at, const struct x86_insn *in, const struct x86_effect *fx)
{
	static const char tail[] = "it ends in a jump to another function, whose return is not its own";
	u64 to = sc->s->value + at + (u64)fx->target;

	if (fx->kind == X86_JUMP)
		return to - sc->s->value < sc->s->size || is_cold_part(sc, to) ? NULL : tail;
	if (fx->kind == X86_JUMP_INDIRECT) /* a table of cases, if it is marked or indexed */
		return sc->is_go || in->segment == NOTRACK || in->index != X86_NO_REG ? NULL : tail;
	return NULL;
}

const char *uret_find(struct provider_env *env, struct elf *e, const struct elf_symbol *s, enum unwinds unwinds,
		      struct urets *out)
{
	struct scan sc = { .e = e, .s = s, .is_go = unwinds == UNWINDS_GO };
	u64 room, offset;
	const u8 *code = uplace_code(e, s->value, &room);

	out->at.n = 0;
	if (elf_machine(e) != EM_X86_64)
		return "its returns are found on x86-64 only";
	if (!code || !s->size || s->size > room)
		return "its code is not in the file";
	for (u64 at = 0; at < s->size;) {
		struct x86_insn in;
		struct x86_effect fx;
		const char *why;

		if (!x86_decode(code + at, (u32)MIN(s->size - at, 16u), X86_64, &in))
			return "not all of its instructions are known";
		x86_effect(&in, &fx);
		why = leaves(&sc, at, &in, &fx);
		if (why)
			return why;
		if (in.map == 0 && !in.vector && (in.op == RET || in.op == RET_POP) &&
		    elf_address_to_offset(e, s->value + at, &offset))
			vec_push(env->arena, &out->at, offset);
		at += in.len;
	}
	return out->at.n ? NULL : "it never returns";
}

/* cmp rsp, stackguard (of g); jbe to the code that lets the stack grow and jumps back to the start. */
u32 uret_go_entry(struct elf *e, const struct elf_symbol *s)
{
	enum { CMP_FROM_MEMORY = 0x3b, JBE = 0x76, JBE_FAR = 0x86, MAX_CHECK = 8 };
	u64 room, at = 0;
	const u8 *code = uplace_code(e, s->value, &room);
	bool compared = false;

	if (elf_machine(e) != EM_X86_64 || !code)
		return 0;
	for (u32 i = 0; i < MAX_CHECK && at < s->size && at < room; i++) {
		struct x86_insn in;
		bool is_jbe;

		if (!x86_decode(code + at, (u32)MIN(room - at, 16u), X86_64, &in))
			return 0;
		at += in.len;
		is_jbe = (in.map == 0 && in.op == JBE) || (in.map == 1 && in.op == JBE_FAR);
		if (is_jbe)
			return compared ? (u32)at : 0;
		compared |= in.map == 0 && in.op == CMP_FROM_MEMORY && in.disp == 16;
	}
	return 0;
}
