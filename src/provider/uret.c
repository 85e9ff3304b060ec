/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: a function's code; out: where it returns. x86-64 and arm64. */
#include <elf.h>
#include "arch/insn.h"
#include "arch/insn_arm64.h"
#include "provider/upoint.h"
#include "provider/uret.h"

enum { RET = 0xc3, RET_POP = 0xc2, NOTRACK = 0x3e };

static bool has_word(struct elf *e, const char *section, const char *word)
{
	struct elf_section s;

	return elf_section(e, section, &s) && s.bytes &&
	       memmem(s.bytes, s.size, word, strlen(word) + 1);
}

/* Whether functions of the file may run on stacks of their own. */
static bool has_coroutines(struct elf *e)
{
	static const struct {
		const char *name;
		bool by_user; /* a file that defines it offers it to others, and does not use it */
	} switches[] = { { "swapcontext", true },                /* libc */
			 { "jump_fcontext", true },              /* Boost.Context */
			 { "co_switch", true },                  /* libco */
			 { "coctx_swap", false },                /* Tencent's libco */
			 { "coro_transfer", false },             /* Coro of perl */
			 { "rb_fiber_yield", false },            /* Ruby */
			 { "zend_fiber_switch_context", false }, /* PHP */
			 { "qemu_coroutine_switch", false } };

	for (u32 i = 0; i < ARRAY_SIZE(switches); i++) {
		struct elf_symbol s;

		if (has_word(e, ".dynstr", switches[i].name) ?
			    !switches[i].by_user || !elf_find(e, switches[i].name, &s) :
			    has_word(e, ".strtab", switches[i].name))
			return true;
	}
	return false;
}

static bool has_exceptions(struct elf *e)
{
	struct elf_section s;

	return elf_section(e, ".gcc_except_table", &s) &&
	       (has_word(e, ".dynstr", "__gxx_personality_v0") ||
		has_word(e, ".strtab", "__gxx_personality_v0") ||
		has_word(e, ".strtab", "rust_eh_personality"));
}

enum unwinds uret_unwinds(struct elf *e)
{
	struct elf_section s;

	if (elf_section(e, ".gopclntab", &s) || elf_section(e, ".go.buildinfo", &s))
		return UNWINDS_GO;
	return has_exceptions(e) || has_coroutines(e) ? UNWINDS_STACKS : UNWINDS_NOT;
}

enum { MOST_PARTS = 8 };

struct scan {
	struct elf *e;
	const struct elf_symbol *s, *part; /* the function; the part being scanned */
	/* Its unlikely parts, which its compiler has moved away. */
	struct elf_symbol parts[MOST_PARTS];
	u32 n_parts;
	struct arena *arena;
	struct urets *out;
	bool is_go;
};

static bool is_cold_part(struct scan *sc, u64 address)
{
	struct elf_symbol to;

	if (!elf_symbol_at(sc->e, address, &to) || !strstr(to.name, ".cold"))
		return false;
	for (u32 i = 0; i < sc->n_parts; i++)
		if (sc->parts[i].value == to.value)
			return true;
	if (sc->n_parts == MOST_PARTS)
		return false;
	sc->parts[sc->n_parts++] = to;
	return true;
}

static const char tail[] = "it ends in a jump to another function, which returns in its place",
		  never[] = "it never returns";

/*
 * Whether a jump is a tail call: another function then returns. A jump to the function's very end
 * right after a call is not: unoptimized clang emits it after calls that do not return, and a tail
 * call would have to release the frame first.
 */
static bool leaves(struct scan *sc, u64 to, bool behind_call)
{
	bool is_end = to == sc->s->value + sc->s->size;

	return to - sc->s->value >= sc->s->size && to - sc->part->value >= sc->part->size &&
	       !(is_end && behind_call) && !is_cold_part(sc, to);
}

static void add_jump(struct scan *sc, u64 to, bool behind_call)
{
	if (!leaves(sc, to, behind_call))
		return;
	sc->out->jumps = true;
	vec_push(sc->arena, &sc->out->to, to);
}

/* Go's are tables of cases. */
static void add_unknown_jump(struct scan *sc)
{
	sc->out->jumps |= !sc->is_go;
	sc->out->jumps_anywhere |= !sc->is_go;
}

/* `end`: of the instruction. */
static void add_indirect_jump(struct scan *sc, const struct x86_insn *in, u64 end)
{
	u64 word = end + (u64)in->disp;
	struct elf_section got;

	if (in->segment == NOTRACK || in->index != X86_NO_REG)
		return; /* a table of cases is marked or indexed */
	if (sc->is_go || in->base != X86_RIP || !elf_section_around(sc->e, word, ".got", &got)) {
		add_unknown_jump(sc);
		return;
	}
	sc->out->jumps = true;
	vec_push(sc->arena, &sc->out->to, word);
}

static void add(struct scan *sc, u64 at)
{
	u64 offset;

	if (!elf_address_to_offset(sc->e, sc->part->value + at, &offset))
		return;
	vec_push(sc->arena, &sc->out->at, offset);
	vec_push(sc->arena, &sc->out->address, sc->part->value + at);
}

static const char *find_x86(struct scan *sc, const u8 *code)
{
	const struct elf_symbol *s = sc->part;
	bool behind_call = false;

	for (u64 at = 0; at < s->size;) {
		struct x86_insn in;
		struct x86_effect fx;

		if (!x86_decode(code + at, (u32)MIN(s->size - at, 16u), X86_64, &in))
			return "one of its instructions is not known";
		x86_effect(&in, &fx);
		if (fx.kind == X86_JUMP || fx.kind == X86_BRANCH)
			add_jump(sc, s->value + at + (u64)fx.target, behind_call);
		else if (fx.kind == X86_JUMP_INDIRECT)
			add_indirect_jump(sc, &in, s->value + at + in.len);
		else if (in.map == 0 && !in.vector && (in.op == RET || in.op == RET_POP))
			add(sc, at);
		behind_call = fx.kind == X86_CALL || fx.kind == X86_CALL_INDIRECT;
		at += in.len;
	}
	return NULL;
}

/* retaa, which authenticates the return address, cannot be probed. */
static const char *find_arm64(struct scan *sc, const u8 *code)
{
	const struct elf_symbol *s = sc->part;
	const char *why = NULL;
	bool behind_call = false;

	for (u64 at = 0; at + 4 <= s->size && !why; at += 4) {
		struct arm64_effect fx;
		u32 word;

		memcpy(&word, code + at, sizeof word);
		arm64_effect(word, &fx);
		if (fx.kind == ARM64_JUMP)
			add_jump(sc, s->value + at + (u64)fx.target, behind_call);
		else if (fx.kind == ARM64_JUMP_INDIRECT)
			add_unknown_jump(sc);
		else if (fx.kind == ARM64_RETURN && !(why = arm64_uprobe_refuses(word)))
			add(sc, at);
		behind_call = fx.kind == ARM64_CALL || fx.kind == ARM64_CALL_INDIRECT;
	}
	return why;
}

static const char *find_in(struct scan *sc, const struct elf_symbol *part)
{
	u64 room;
	const u8 *code = upoint_code(sc->e, part->value, &room);

	if (!code || !part->size || part->size > room)
		return "its code is not in the file";
	sc->part = part;
	return elf_machine(sc->e) == EM_AARCH64 ? find_arm64(sc, code) : find_x86(sc, code);
}

const char *uret_find(struct arena *a, struct elf *e, const struct elf_symbol *s,
		      enum unwinds unwinds, struct urets *out)
{
	struct scan sc = { .e = e, .s = s, .arena = a, .out = out, .is_go = unwinds == UNWINDS_GO };
	const char *why;

	*out = (struct urets){ 0 };
	if (elf_machine(e) != EM_X86_64 && elf_machine(e) != EM_AARCH64)
		return "its returns can be found only on x86-64 and arm64";
	why = find_in(&sc, s);
	for (u32 i = 0; i < sc.n_parts && !why; i++)
		why = find_in(&sc, &sc.parts[i]);
	if (!why && out->jumps)
		why = tail;
	return why || out->at.n ? why : never;
}

/* ---- tail calls */

struct chain {
	struct elf *e;
	const struct elf_symbol *to; /* NULL: a function of another file */
	struct arena arena;
};

static bool may_continue(struct chain *c, const struct elf_symbol *from, u32 depth);

static bool leads_to(struct chain *c, u64 address, u32 depth)
{
	const struct elf_symbol *to = c->to;
	struct elf_symbol next;
	struct elf_section s;

	/* an executable's own functions are bound when it is linked: its PLT leads to others */
	if (elf_section_around(c->e, address, ".plt", &s) ||
	    elf_section_around(c->e, address, ".got", &s))
		return !to || !elf_section(c->e, ".interp", &s);
	if (to && address - to->value < MAX(to->size, 1u))
		return true;
	if (!elf_symbol_at(c->e, address, &next) && !elf_frame_at(c->e, address, &next))
		return true;
	return may_continue(c, &next, depth + 1);
}

static bool may_continue(struct chain *c, const struct elf_symbol *from, u32 depth)
{
	enum { MOST_DEPTH = 4 };
	struct urets rets;
	const char *why = uret_find(&c->arena, c->e, from, UNWINDS_STACKS, &rets);

	if (depth > MOST_DEPTH || rets.jumps_anywhere || (why && why != tail && why != never))
		return true;
	for (u32 i = 0; i < rets.to.n; i++)
		if (leads_to(c, rets.to.v[i], depth))
			return true;
	return false;
}

bool uret_may_continue_as(struct elf *e, const struct elf_symbol *from, const struct elf_symbol *to)
{
	struct chain c = { .e = e, .to = to };
	bool may;

	arena_init(&c.arena);
	may = may_continue(&c, from, 0);
	arena_release(&c.arena);
	return may;
}

/* ---- where Go's functions begin */

/* ldr x16, [x28, 16] (stackguard of g); cmp sp, x16; b.ls to the code that lets the stack grow. */
static u32 arm64_go_entry(const u8 *code, u64 room)
{
	enum { LDR_GUARD = 0xf9400b90, B_LS = 0x54000009, MAX_CHECK = 8 };
	bool loaded = false;

	for (u32 at = 0; at < MAX_CHECK * 4 && at + 4 <= room; at += 4) {
		u32 word;

		memcpy(&word, code + at, sizeof word);
		if ((word & 0xff00001f) == B_LS)
			return loaded ? at + 4 : 0;
		loaded |= word == LDR_GUARD;
	}
	return 0;
}

enum {
	LEA = 0x8d,
	MOV_TO = 0x89,
	MOV_FROM = 0x8b,
	SUB = 0x81,
	SUB_8 = 0x83,
	JB = 0x72,
	JB_FAR = 0x82,
	FS = 0x64
};

/* Instructions before the comparison: g is loaded (before Go 1.17), or rsp less the size of a large
 * frame is computed. */
static bool prepares_check(const struct x86_insn *in)
{
	bool is_branch = in->map == 1 && in->op == JB_FAR;

	if (in->map || in->vector)
		return is_branch;
	return (in->op == LEA && in->base == X86_SP) || in->segment == FS || in->op == MOV_TO ||
	       in->op == MOV_FROM || in->op == SUB || in->op == SUB_8 || in->op == JB;
}

/* cmp rsp, stackguard (of g, which is in r14 or rcx) */
static bool is_check(const struct x86_insn *in)
{
	enum { CMP_FROM_MEMORY = 0x3b, R14 = 14 };

	return in->map == 0 && !in->vector && in->op == CMP_FROM_MEMORY && in->disp == 16 &&
	       (in->base == R14 || in->base == X86_CX);
}

/* The check, and jbe to the code that lets the stack grow and jumps back to the start. */
u32 uret_go_entry(struct elf *e, const struct elf_symbol *s)
{
	enum { JBE = 0x76, JBE_FAR = 0x86, MAX_CHECK = 8 };
	u64 room, at = 0;
	const u8 *code = upoint_code(e, s->value, &room);
	bool compared = false;

	if (code && elf_machine(e) == EM_AARCH64)
		return arm64_go_entry(code, MIN(room, s->size));
	if (elf_machine(e) != EM_X86_64 || !code)
		return 0;
	for (u32 i = 0; i < MAX_CHECK && at < s->size && at < room; i++) {
		struct x86_insn in;

		if (!x86_decode(code + at, (u32)MIN(room - at, 16u), X86_64, &in))
			return 0;
		at += in.len;
		if ((in.map == 0 && in.op == JBE) || (in.map == 1 && in.op == JBE_FAR))
			return compared ? (u32)at : 0;
		if (!is_check(&in) && (compared || !prepares_check(&in)))
			return 0;
		compared |= is_check(&in);
	}
	return 0;
}

/*
 * A return probe overwrites the return address at rsp. A program's entry point has none; functions
 * that return twice store the address and return through it later, when the kernel no longer knows
 * the call.
 */
bool uret_returns_twice(const char *name)
{
	static const char *const twice[] = { "setjmp",        "sigsetjmp",  "vfork",
					     "libc_vfork",    "getcontext", "swapcontext",
					     "start_context", "clone",      "clone3",
					     "clone_internal" };
	size_t len;

	if (starts_with(name, "__GI_")) /* glibc's inner names: __GI___sigsetjmp */
		name += strlen("__GI_");
	name += strspn(name, "_");
	len = strcspn(name, "@");
	for (u32 i = 0; i < ARRAY_SIZE(twice); i++)
		if (strlen(twice[i]) == len && !memcmp(name, twice[i], len))
			return true;
	return false;
}

bool uret_throws(const char *name)
{
	static const char *const throws[] = { "_Unwind_Resume",
					      "_Unwind_RaiseException",
					      "_Unwind_Resume_or_Rethrow",
					      "_Unwind_ForcedUnwind",
					      "__cxa_throw",
					      "__cxa_rethrow",
					      "__cxa_throw_bad_array_new_length",
					      "__cxa_bad_cast",
					      "__cxa_bad_typeid",
					      "pthread_exit",
					      "__pthread_unwind" };

	/* those of the C++ library: std::rethrow_exception(), std::__throw_out_of_range() ... */
	return is_one_of(throws, ARRAY_SIZE(throws), name) ||
	       starts_with(name, "_ZSt17rethrow_exception") ||
	       (starts_with(name, "_ZSt") && strstr(name, "__throw_"));
}
