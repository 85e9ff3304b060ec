/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: an address in a file and what the clause reads; out: a profile with typed arguments.
 *
 * At a function's entry unoptimized code describes where parameters will be once the prologue has
 * stored them, which is not yet true: the calling convention determines where they are (abi.c).
 * Optimized code gives ranges of addresses, which hold at the entry too, also for clones whose
 * parameters the compiler has changed. If kernel programs cannot read a parameter either way (a
 * double in a vector register, Rust's private convention) but the prologue stores it, the site
 * moves past the prologue.
 */
#include <elf.h>
#include <stdio.h>
#include "arch/abi.h"
#include "provider/internal.h"
#include "arch/insn.h"
#include "provider/dwarf_registers.h"
#include "provider/uargs.h"
#include "provider/uresult.h"
#include "sym/btf.h"
#include "object/dwarf.h"
#include "object/elf.h"

struct dwarf *uargs_open(const char *path, u16 machine, struct err *err)
{
	return dwarf_of(path, dwarf_registers_of(machine), err);
}

/* ---- types in scope: the file is opened when a name is looked up that is not known elsewhere */

struct file_scope {
	struct type_scope scope;
	const char *path;
	u16 machine;
	u64 pc;
};

static const struct type *find_type(void *ctx, u8 tag, const char *name, bool everywhere)
{
	const struct file_scope *s = ctx;
	struct err err = { 0 };
	struct dwarf *d = uargs_open(s->path, s->machine, &err);

	err_release(&err);
	if (!d) {
		struct btf *btf = btf_of_program(s->path);

		return btf ? btf_type_by_name(btf, tag, name) : NULL;
	}
	return dwarf_find_type(d, s->pc, tag, name, everywhere);
}

static const struct type_scope *scope_of(struct provider_env *env, const struct uargs_site *site,
					 u64 pc)
{
	struct file_scope *s = arena_new(env->arena, struct file_scope);

	s->path = arena_strdup(env->arena, site->path);
	s->machine = elf_machine(site->elf);
	s->pc = pc;
	s->scope = (struct type_scope){ .ctx = s, .find = find_type };
	return &s->scope;
}

/* task_struct.thread.fsbase: arch/x86/kernel/process_64.c. -1: not known. */
static s64 thread_pointer_offset(struct provider_env *env)
{
	struct btf *btf = env_btf(env);
	const struct type *task = btf ? btf_type_by_name(btf, 's', "task_struct") : NULL;
	u32 thread, base;
	const struct field *f = task ? type_field(task, "thread", &thread) : NULL;

	return f && type_field(f->type, "fsbase", &base) ? (s64)thread + base : -1;
}

/* ---- parameters */

struct params {
	struct provider_env *env;
	struct dwarf *d;
	struct dwarf_func func; /* producer may be NULL: not from DWARF */
	u64 pc;
	u16 machine;
	bool at_entry, is_return, many, typed_result;
	struct elf *elf;
	struct abi abi;
	bool has_abi, is_go;
	bool wants_move; /* something used can only be read after the prologue */
	VEC(struct arg_desc) list;
	u32 n; /* seen */
};

static bool is_used(const struct provider_env *env, const char *name)
{
	return !env->clause.arg_names ||
	       is_one_of(env->clause.arg_names, env->clause.n_arg_names, name) ||
	       is_one_of(env->clause.var_names, env->clause.n_var_names, name);
}

/* For thread-local variables: the kernel's types tell where it stores the thread pointer. */
static void find_thread(struct provider_env *env, struct arg_desc *arg)
{
	const struct loc *loc = &arg->loc;
	struct loc_step *steps;
	s64 offset;
	u32 i = 0;

	while (loc->kind == LOC_EXPR && i < loc->n && loc->step[i].op != LOP_THREAD)
		i++;
	if (loc->kind != LOC_EXPR || i == loc->n)
		return;
	offset = thread_pointer_offset(env);
	if (offset < 0) {
		arg->loc = (struct loc){ 0 };
		arg->why =
			"it is thread-local, and this kernel does not tell where it stores a thread's TLS pointer";
		return;
	}
	steps = arena_dup(env->arena, loc->step, loc->n * sizeof *steps);
	for (i = 0; i < loc->n; i++)
		if (steps[i].op == LOP_THREAD)
			steps[i].value = offset;
	arg->loc.step = steps;
}

/* In a listing: why a part of it cannot be read. */
static void put_gap(const struct params *p, struct arg_desc *arg)
{
	if (arg->gap && !p->env->diags)
		arg->text = arena_printf(p->env->arena, "%s (in part: %s)", arg->text, arg->gap);
}

static void add(struct params *p, const struct dwarf_var *v, struct loc loc, const char *why)
{
	struct arena *a = p->env->arena;
	const char *given = v->name + (v->name[0] == '~'); /* Go's nameless results are ~r0, ~r1 */
	const char *name = *given ? arena_strdup(a, given) : arena_printf(a, "arg%u", p->n);
	struct arg_desc arg = { .name = name, .type = v->type, .loc = loc };

	if (loc.kind == LOC_NONE)
		arg.why = why ? why : "its place is not known";
	else if (loc.kind == LOC_PIECES)
		arg.gap = why;
	if ((p->many && !is_used(p->env, name)) || *name == '.') /* .dict: Go's own */
		return;
	find_thread(p->env, &arg);
	arg.text = declaration_text(a, v->type, name);
	if (arg.why && !p->env->diags) /* listing */
		arg.text = arena_printf(a, "%s (%s)", arg.text, arg.why);
	put_gap(p, &arg);
	vec_push(a, &p->list, arg);
}

static s64 first_register(const struct loc *loc)
{
	const struct loc *first = loc->kind == LOC_PIECES && loc->n ? &loc->piece[0].loc : loc;

	return first->kind == LOC_REG ? (s64)first->offset : -1;
}

/* Skips registers taken by unnamed parameters: the convention continues after this one. */
static bool catch_up(struct params *p, const struct dwarf_var *v, struct loc *loc, const char **why)
{
	enum { MOST = 16 };
	struct abi at;

	for (u32 skipped = 0; skipped <= MOST; skipped++) {
		at = p->abi;
		at.n_int += skipped;
		*loc = (struct loc){ 0 };
		*why = NULL;
		if (abi_param(&at, v->type, v->by_reference, loc, why) &&
		    first_register(loc) == first_register(&v->loc)) {
			p->abi = at;
			return true;
		}
	}
	*loc = (struct loc){ 0 };
	*why = NULL;
	return abi_param(&p->abi, v->type, v->by_reference, loc, why);
}

/*
 * Locates a parameter by the calling convention, which is applied to every parameter in order. Go's
 * debug information omits unnamed parameters and receivers and the dictionaries of generic
 * functions, but it is exact at the entry.
 */
static bool by_convention(struct params *p, const struct dwarf_var *v, struct loc *loc,
			  const char **why)
{
	bool known;

	*loc = (struct loc){ 0 };
	*why = NULL;
	if (p->is_go && p->at_entry && v->in_list && v->loc.kind != LOC_NONE) {
		known = catch_up(p, v, loc, why);
		if (known && v->gap)
			return true;
		*loc = v->loc;
		*why = v->gap;
		return true;
	}
	known = p->has_abi && abi_param(&p->abi, v->type, v->by_reference, loc, why);
	if (known && p->is_go && loc->kind == LOC_EXPR && v->loc.kind == LOC_EXPR)
		*loc = v->loc; /* on the stack, maybe after unnamed ones */
	return known;
}

/*
 * For address ranges that exclude the entry. If part of a register is used, callers fill the rest,
 * too; clang omits parameters that are not used at all, and describes those in memory from where
 * they are loaded.
 */
static bool is_passed(const struct dwarf_var *v, const struct loc *convention)
{
	return (v->gap && v->type->size <= 8) || (!v->gap && convention->kind == LOC_EXPR);
}

/*
 * Not a clone, which does not follow the convention: clones are local symbols, although debug
 * information uses the function's name for them. Builds an index of all symbols.
 */
static bool is_public(const struct params *p)
{
	struct elf_symbol s;

	return elf_symbol_at(p->elf, p->pc, &s) && s.value == p->pc && s.bind != STB_LOCAL;
}

static bool same_loc(const struct loc *a, const struct loc *b)
{
	if (a->kind != b->kind || (a->kind != LOC_REG && a->kind != LOC_EXPR))
		return false;
	if (a->kind == LOC_REG)
		return a->offset == b->offset;
	for (u32 i = 0; i < a->n && i < b->n; i++)
		if (a->step[i].op != b->step[i].op || a->step[i].value != b->step[i].value)
			return false;
	return a->n == b->n && a->is_value == b->is_value;
}

struct nth_param {
	u32 left;
	const struct loc *expected;
	bool same;
};

static int compare_param(void *ctx, const struct dwarf_var *v)
{
	struct nth_param *nth = ctx;

	if (v->is_result || nth->left--)
		return 0;
	nth->same = same_loc(&v->loc, nth->expected);
	return 1;
}

/* clang without optimization: ranges begin after the prologue, which changes no argument
 * register. */
static bool holds_behind_prologue(const struct params *p, const struct loc *convention)
{
	u64 after = dwarf_prologue_end(p->d, p->pc);
	struct nth_param nth = { .left = p->n, .expected = convention };

	if (after > p->pc)
		dwarf_params(p->d, after, false, compare_param, &nth);
	return nth.same;
}

static int find_place(void *ctx, const struct dwarf_var *v)
{
	struct nth_param *nth = ctx;

	if (v->is_result || nth->left--)
		return 0;
	nth->same = v->loc.kind != LOC_NONE && !v->gap;
	return 1;
}

/* Rust's parameters are at the location in debug information or nowhere: older compilers list them
 * only from the end of the prologue on. */
static bool is_placed_by_prologue(const struct params *p)
{
	u64 after = dwarf_prologue_end(p->d, p->pc);
	struct nth_param nth = { .left = p->n };

	if (p->func.language == LANGUAGE_RUST && after > p->pc)
		dwarf_params(p->d, after, false, find_place, &nth);
	return nth.same;
}

static int add_param(void *ctx, const struct dwarf_var *v)
{
	struct params *p = ctx;
	struct loc loc = v->loc, convention;
	const char *why = v->why, *no_convention;
	bool known, guess, lacking = loc.kind == LOC_NONE || v->gap;

	if (v->is_result)
		return 0;
	known = by_convention(p, v, &convention, &no_convention);
	guess = p->at_entry &&
		(p->is_go || v->in_frame ||
		 (lacking && p->func.external && (!v->in_list || is_passed(v, &convention)) &&
		  is_public(p)) ||
		 (lacking && known && v->in_list && holds_behind_prologue(p, &convention)));
	if (guess && v->in_frame && (!known || no_convention) &&
	    !(loc.kind == LOC_EXPR && p->is_go))
		p->wants_move |= is_used(p->env, v->name);
	if (p->at_entry && lacking && v->in_list && is_used(p->env, v->name))
		p->wants_move |= is_placed_by_prologue(p);
	if (guess && (known || !v->gap)) {
		loc = known ? convention : (struct loc){ 0 };
		why = known || no_convention ?
			      no_convention :
			      "the function stores it only later: probe one of its lines";
	} else if (v->gap) {
		why = v->gap;
	}
	add(p, v, loc, why);
	p->n++;
	return 0;
}

/* Go: results are a return's arguments. */
static int add_result(void *ctx, const struct dwarf_var *v)
{
	struct params *p = ctx;
	struct loc loc;
	const char *why;

	if (!v->is_result)
		return 0;
	by_convention(p, v, &loc, &why);
	add(p, v, loc, why);
	p->n++;
	return 0;
}

static int skip_param(void *ctx, const struct dwarf_var *v)
{
	struct params *p = ctx;
	struct loc loc;
	const char *why;

	if (!v->is_result)
		by_convention(p, v, &loc, &why);
	return 0;
}

static void choose_convention(struct params *p)
{
	bool in_registers = p->func.producer && strstr(p->func.producer, "regabi");

	switch (p->func.language) {
	case LANGUAGE_GO:
		p->is_go = true;
		abi_begin(&p->abi, p->env->arena, abi_of_go(p->machine, in_registers));
		p->has_abi = true;
		return;
	case LANGUAGE_RUST: return; /* not fixed: debug information decides */
	case LANGUAGE_C:
	case LANGUAGE_CXX:
	case LANGUAGE_OTHER: break;
	}
	abi_begin(&p->abi, p->env->arena, abi_of_c(p->machine));
	p->has_abi = true;
	abi_skip_result(&p->abi, p->func.result, p->func.result_by_reference);
}

static void collect(struct params *p, bool inner)
{
	p->list.n = p->n = 0;
	p->has_abi = p->wants_move = false;
	choose_convention(p);
	if (p->is_return && !p->is_go)
		return;
	if (!p->is_return) {
		dwarf_params(p->d, p->pc, inner, add_param, p);
		return;
	}
	dwarf_params(p->d, p->pc, inner, skip_param, p);
	abi_go_results(&p->abi);
	dwarf_params(p->d, p->pc, inner, add_result, p);
}

/* After the prologue debug information is right. */
static void move_site(struct params *p, struct profile *to, struct uargs_site *site)
{
	u64 after = dwarf_prologue_end(p->d, p->pc), offset;

	if (!after || after <= p->pc || !elf_address_to_offset(site->elf, after, &offset))
		return;
	p->pc = after;
	p->at_entry = false;
	site->offset = offset;
	to->func.caller.kind = LOC_NONE; /* the frame exists there */
	collect(p, false);
}

/* ---- results */

/* "clang LLVM (rustc version 1.95.0 (59807616e 2026-04-14))": 195; 0: another compiler. */
static u32 rustc_version(const char *producer)
{
	static const char words[] = "rustc version ";
	const char *at = strstr(producer, words);
	unsigned major, minor;

	return at && sscanf(at + strlen(words), "%u.%u", &major, &minor) == 2 ?
		       major * 100 + minor :
		       0;
}

static bool same_result(const struct loc *a, const struct loc *b)
{
	if (a->kind == LOC_PIECES && b->kind == LOC_PIECES) {
		for (u32 i = 0; i < a->n && i < b->n; i++)
			if (a->piece[i].size != b->piece[i].size ||
			    !same_result(&a->piece[i].loc, &b->piece[i].loc))
				return false;
		return a->n == b->n;
	}
	return (a->kind == b->kind && a->kind != LOC_REG && a->kind != LOC_EXPR) || same_loc(a, b);
}

/* Functions of Rust have mangled names; those with plain names are mostly extern "C", but need not
 * be. */
static bool rust_result(struct params *p, struct loc *out, const char **why)
{
	u32 rustc = rustc_version(p->func.producer);
	const char *name = p->func.linkage_name, *why_c = NULL;
	struct loc as_c = { 0 };
	struct abi abi;
	bool known;

	if (!rustc || p->machine == EM_386) {
		*why = "how this compiler returns results is not known";
		return false;
	}
	abi_begin(&abi, p->env->arena, abi_of_c(p->machine));
	known = abi_rust_result(&abi, p->func.result, rustc, out, why);
	if (!known || (name && (starts_with(name, "_ZN") || starts_with(name, "_R"))))
		return known;
	if (abi_result(&abi, p->func.result, false, &as_c, &why_c) && same_result(out, &as_c))
		return true;
	*out = (struct loc){ 0 };
	*why = "its name is not mangled, and debug information does not tell whether it is extern \"C\"";
	return false;
}

static bool result_by_convention(struct params *p, struct loc *out, const char **why)
{
	struct abi abi = p->abi;

	if (p->func.language == LANGUAGE_RUST)
		return rust_result(p, out, why);
	return abi_result(&abi, p->func.result, p->func.result_by_reference, out, why);
}

/* The offset of a register in struct pt_regs, by its number in instructions. */
static u32 reg_offset(u32 number)
{
	static const u8 dwarf[] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };

	return (u32)dwarf_registers_of(EM_X86_64)->offset[dwarf[number]];
}

/* For a result in memory: its address is where the function's code leaves it. */
static bool result_in_memory(struct params *p, const struct uresult *r, struct loc *out)
{
	struct loc_step *s = arena_array(p->env->arena, struct loc_step, 4);
	u32 reg = 0;

	if (r->address) {
		while (!(r->address >> reg & 1))
			reg++;
		s[0] = (struct loc_step){ .op = LOP_REG, .value = reg_offset(reg) };
	} else {
		s[0] = (struct loc_step){ .op = LOP_REG, .value = reg_offset(X86_SP) };
		s[1] = (struct loc_step){ .op = LOP_CONST, .value = r->slot };
		s[2] = (struct loc_step){ .op = LOP_ADD };
		s[3] = (struct loc_step){ .op = LOP_DEREF, .size = 8 };
	}
	*out = (struct loc){ .kind = LOC_EXPR, .step = s, .n = r->address ? 1 : 4 };
	return r->address || r->has_slot;
}

/* Whether the function sets every register of the result. */
static bool is_set(const struct loc *loc, u32 set)
{
	u32 reg = 0;

	for (u32 i = 0; loc->kind == LOC_PIECES && i < loc->n; i++)
		if (!is_set(&loc->piece[i].loc, set))
			return false;
	while (loc->kind == LOC_REG && reg < 16 && reg_offset(reg) != loc->offset)
		reg++;
	return loc->kind != LOC_REG || reg == 16 || set >> reg & 1;
}

/* The register of the third argument word is that of a result's second word. */
static u32 set_by_caller(const struct params *p)
{
	return p->n >= 2 ? 1u << X86_DX | 1u << X86_CX : 0;
}

static const char no_address[] =
	"the compiler knows all callers and stores its address nowhere: probe the line that returns";
static const char not_set[] = "the compiler knows all callers and has omitted it, or a part of it";

/* Local functions, whose convention compilers may change. */
static bool is_local(const struct params *p)
{
	struct elf_symbol s;

	return elf_symbol_at(p->elf, p->pc, &s) && s.bind == STB_LOCAL;
}

enum change { CHANGED_NOT, CHANGED_MAYBE, CHANGED };

/* "clang version 14.0.6"; 0: another compiler. */
static u32 clang_version(const char *producer)
{
	static const char words[] = "clang version ";
	const char *at = strstr(producer, words);
	unsigned major;

	return at && sscanf(at + strlen(words), "%u", &major) == 1 ? major : 0;
}

/* gcc's name of a local function shows whether its parameters and result were changed; LLVM's debug
 * information does since 16. */
static enum change is_changed(const struct params *p)
{
	u32 rustc = rustc_version(p->func.producer), clang = clang_version(p->func.producer);
	struct elf_symbol s;

	if (p->func.is_changed || (elf_symbol_at(p->elf, p->pc, &s) && strstr(s.name, ".isra")))
		return CHANGED;
	return (rustc && rustc < 171) || (clang && clang < 17) ? CHANGED_MAYBE : CHANGED_NOT;
}

static bool has_result(void *ctx, u64 entry)
{
	struct params *p = ctx;
	struct dwarf_func f;

	return dwarf_func_at(p->d, entry, &f) && f.result->size;
}

/* Whether the result's registers hold a result. */
static bool callers_use(struct params *p, const struct loc *loc, enum change change)
{
	const struct uresult_asker asker = { has_result, p };
	u32 reg = 0;

	for (u32 i = 0; loc->kind == LOC_PIECES && i < loc->n; i++)
		if (!callers_use(p, &loc->piece[i].loc, change))
			return false;
	while (loc->kind == LOC_REG && reg < 16 && reg_offset(reg) != loc->offset)
		reg++;
	return loc->kind != LOC_REG || reg == 16 ||
	       uresult_is_used(p->elf, p->func.entry, reg, change == CHANGED, &asker);
}

static bool is_there(struct params *p, const struct loc *loc, u32 set)
{
	enum change change = is_changed(p);

	return is_set(loc, set) && (change == CHANGED_NOT || !p->d || callers_use(p, loc, change));
}

static bool result_loc(struct params *p, struct uargs_site *site, struct loc *out, const char **why)
{
	bool known = result_by_convention(p, out, why), at_ret = p->pc != p->func.entry;
	struct uresult r;

	if (!known || p->machine != EM_X86_64 || !is_local(p) ||
	    !uresult_find(p->elf, p->func.entry, at_ret ? p->pc : 0, &r))
		return known;
	if (out->kind != LOC_EXPR && is_there(p, out, r.set | set_by_caller(p)))
		return true;
	if (out->kind != LOC_EXPR) {
		*why = not_set;
	} else if ((at_ret && r.at != p->pc && (p->env->script.regs || p->env->script.sp)) ||
		   !result_in_memory(p, &r, out)) {
		*why = no_address;
	} else {
		if (at_ret && r.at != p->pc && elf_address_to_offset(p->elf, r.at, &site->offset))
			site->sp = r.sp;
		return true;
	}
	*out = (struct loc){ 0 };
	return false;
}

static void describe_result(struct params *p, struct uargs_site *site, struct profile *to)
{
	const char *why = NULL;
	struct arg_desc *r = &to->retval;

	if (p->is_go && p->list.n) {
		*r = p->list.v[0];
		r->name = "retval";
		r->text = declaration_text(p->env->arena, r->type, "retval");
		return;
	}
	if (!p->has_abi && p->func.language != LANGUAGE_RUST)
		return;
	if (!p->func.result->size) {
		if (p->func.language == LANGUAGE_RUST) /* C code may still be read */
			*r = (struct arg_desc){ .name = "retval",
						.type = &ty_u64,
						.why = "the function returns nothing" };
		return;
	}
	if (p->func.result->kind == TY_POINTER && p->func.result->elem->kind == TY_VOID) {
		r->text = "void * retval"; /* stays a number: hist(retval) of malloc */
		return;
	}
	r->type = type_of_result(p->env->arena, p->func.result);
	r->loc = (struct loc){ 0 };
	if (!result_loc(p, site, &r->loc, &why))
		r->why = why;
	else if (r->loc.kind == LOC_PIECES)
		r->gap = why;
	r->text = declaration_text(p->env->arena, r->type, "retval");
	put_gap(p, r);
}

/* ---- Go's goroutine: its descriptor, runtime.g, is where r14 points (ABIInternal, Go 1.17 and
 * later); on arm64 r28 */

enum { X86_64_R14 = 8, ARM64_R28 = 224 }; /* offsets in struct pt_regs */

static void describe_goroutine(struct params *p, struct profile *to)
{
	const struct type *g = dwarf_find_type(p->d, p->pc, 's', "runtime.g", true);
	struct loc_step *s;
	u32 offset;

	if (!p->is_go || !p->has_abi || !strstr(p->func.producer, "regabi") || !g ||
	    !type_field(g, "goid", &offset))
		return;
	s = arena_array(p->env->arena, struct loc_step, 4);
	s[0] = (struct loc_step){ .op = LOP_REG,
				  .value = p->machine == EM_AARCH64 ? ARM64_R28 : X86_64_R14 };
	s[1] = (struct loc_step){ .op = LOP_CONST, .value = offset };
	s[2] = (struct loc_step){ .op = LOP_ADD };
	s[3] = (struct loc_step){ .op = LOP_DEREF, .size = 8 };
	to->goid = (struct arg_desc){
		.name = "goid",
		.type = &ty_u64,
		.loc = { .kind = LOC_EXPR, .step = s, .n = 4, .is_value = true }
	};
}

/* ---- variables */

static const struct arg_desc *param_named(const struct params *p, const char *name)
{
	for (u32 i = 0; i < p->list.n; i++)
		if (streq(p->list.v[i].name, name))
			return &p->list.v[i];
	return NULL;
}

static void add_var(struct params *p, struct profile *to, const char *name)
{
	const struct arg_desc *param = p->at_entry ? param_named(p, name) : NULL;
	struct arg_desc *arg = &to->vars.v[to->vars.n];
	struct dwarf_var v;

	if (!param && !dwarf_var(p->d, p->pc, name, &v) &&
	    !(param = param_named(p, name))) /* it has no name but that of its place, arg1 */
		return;
	to->vars.n++;
	if (param) {
		*arg = *param;
		return;
	}
	*arg = (struct arg_desc){
		.name = name, .type = v.type, .loc = v.loc, .why = v.why, .gap = v.gap
	};
	find_thread(p->env, arg);
	if (p->at_entry && v.in_frame) {
		arg->loc = (struct loc){ 0 };
		arg->why = "it has no value yet at the function's entry: probe one of its lines";
	}
}

static int list_var(void *ctx, const struct dwarf_var *v)
{
	struct params *p = ctx;

	if (!v->is_param)
		add(p, v, v->loc, v->why ? v->why : v->gap);
	return 0;
}

/* All in scope; parameters are listed as such. */
static void list_vars(struct params *p, struct profile *to)
{
	p->list.v = NULL;
	p->list.n = p->list.cap = 0;
	dwarf_vars(p->d, p->pc, list_var, p);
	to->vars.v = p->list.v;
	to->vars.n = p->list.n;
}

static void describe_vars(struct params *p, struct profile *to)
{
	if (!p->env->diags) {
		if (!p->at_entry)
			list_vars(p, to);
		return;
	}
	to->vars.v = arena_array(p->env->arena, struct arg_desc, p->env->clause.n_var_names);
	for (u32 i = 0; i < p->env->clause.n_var_names; i++)
		add_var(p, to, p->env->clause.var_names[i]);
	to->fixed_address |= to->vars.n > 0;
}

/* ---- a site */

static bool is_wanted(const struct provider_env *env, const struct profile *base)
{
	return env->clause.n_var_names || env->clause.goid ||
	       (base->func.is_return ? env->clause.args : env_reads_args(env));
}

static void describe(struct params *p, struct profile *to, struct uargs_site *site)
{
	p->at_entry = p->pc == p->func.entry && !p->func.inlined;
	p->elf = (struct elf *)(uintptr_t)site->elf;
	collect(p, site->inner);
	if (p->wants_move && !p->is_return)
		move_site(p, to, site);
	if (!p->is_return || p->is_go) {
		to->args.v = p->list.v;
		if (p->n && !p->list.n) /* it has some, but not those that are used */
			to->args.v = arena_new(p->env->arena, struct arg_desc);
		to->args.n = p->list.n;
		if (!p->n && p->func.inlined)
			to->missing.why =
				"this copy of the function is inlined and the optimizer has removed its argument";
	} else {
		to->missing.why =
			"at a return its registers hold other values: keep the arguments in a map at the entry, "
			"@x[tid], at its uprobe";
	}
	to->record.name = arena_printf(p->env->arena, "the %s list of %s",
				       p->is_return ? "result" : "parameter", p->func.name);
	if (!p->is_return)
		describe_vars(p, to);
	else if (!p->many ||
		 p->typed_result) /* functions of a pattern have different types: a number */
		describe_result(p, site, to);
	if (p->env->clause.goid)
		describe_goroutine(p, to);
	to->fixed_address |= !p->at_entry;
}

/*
 * ---- without DWARF: a BTF section, which has prototypes; locations follow from the calling
 * convention
 */

enum { MAX_PARAMS = 32 };

static bool from_btf(struct provider_env *env, struct profile *to, struct uargs_site *site, u64 pc)
{
	struct params p = { .env = env,
			    .pc = pc,
			    .machine = elf_machine(site->elf),
			    .is_return = to->func.is_return,
			    .many = site->many };
	struct btf *btf = btf_of_program(site->path);
	struct btf_param param[MAX_PARAMS];
	struct elf_symbol s;
	int n;

	if (!btf || !elf_symbol_at((struct elf *)(uintptr_t)site->elf, pc, &s))
		return false;
	n = btf_func(btf, s.name, param, MAX_PARAMS, &p.func.result, NULL);
	if (n < 0)
		return false;
	p.func.name = s.name;
	p.func.entry = s.value;
	p.elf = (struct elf *)(uintptr_t)site->elf;
	p.at_entry = s.value == pc;
	choose_convention(&p);
	if (p.is_return) {
		describe_result(&p, site, to);
		return true;
	}
	for (int i = 0; i < n && p.at_entry; i++)
		add_param(&p, &(struct dwarf_var){ .name = param[i].name,
						   .type = param[i].type,
						   .in_frame = true });
	to->args.v = p.list.v;
	to->args.n = p.list.n;
	to->record.name = arena_printf(env->arena, "the parameter list of %s", s.name);
	return p.at_entry;
}

static const char *reason(struct provider_env *env, const struct err *err)
{
	return *err->help ? arena_printf(env->arena, "%s: %s", err->text, err->help) :
			    arena_strdup(env->arena, err->text);
}

static void from_debug_info(struct provider_env *env, struct profile *to, struct uargs_site *site,
			    u64 pc)
{
	struct params p = { .env = env,
			    .pc = pc,
			    .machine = elf_machine(site->elf),
			    .is_return = to->func.is_return,
			    .many = site->many,
			    .typed_result = site->typed_result };
	struct err err = { 0 };
	bool found;

	p.d = uargs_open(site->path, p.machine, &err);
	if (!p.d) {
		if (!from_btf(env, to, site, pc))
			to->missing.why = reason(env, &err);
		err_release(&err);
		return;
	}
	found = site->inner ? dwarf_inline_at(p.d, pc, &p.func) : dwarf_func_at(p.d, pc, &p.func);
	if (found)
		describe(&p, to, site);
	else
		to->missing.why = dwarf_why_nothing(p.d, pc);
}

struct profile *uargs_profile(struct provider_env *env, struct profile *base,
			      struct uargs_site *site)
{
	struct profile *p;
	u64 pc;

	if (!site->elf || !elf_offset_to_address(site->elf, site->offset, &pc))
		return base;
	if (site->one_file && !base->types && env->clause.names_types)
		base->types = scope_of(env, site, pc);
	if (!is_wanted(env, base))
		return base;
	p = arena_dup(env->arena, base, sizeof *base);
	from_debug_info(env, p, site, pc);
	return p;
}
