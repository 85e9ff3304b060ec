/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of Go programs, stripped ones too, and where their stack pointers are: .gopclntab,
 * which the runtime needs for stacks, so every Go program has it. Format: Go's
 * src/runtime/symtab.go (pcHeader, funcTab, _func, step) and src/debug/gosym/pclntab.go. Words have
 * the header's pointer size:
 *
 *	u32 magic | 0 0 | u8 least instruction | u8 pointer size | then words:
 *	fffffff1 (1.20), fffffff0 (1.18): n, files, text start, names, units, files, pcs, functions
 *	    function: u32 entry - text start, u32 _func - functions; _func: u32, u32 name
 *	fffffffa (1.16): n, files, names, units, files, pcs, functions
 *	    function: word entry, word _func - functions; _func: word, u32 name
 *	fffffffb (1.2): n, functions; offsets are relative to the section, names too
 *
 * Of a _func: at 12 after its first word u32 pcsp, from pcs on (1.2: relative to the section), 0:
 * none; u8 flag at 37 (1.18) or 41 (1.20).
 *
 * In position-independent programs the section has another name or none, and the loader fills in
 * the text start: its relocation has the value.
 */
#include <stdlib.h>
#include "object/elf_file.h"

enum {
	GO_1_2 = 0xfffffffb,
	GO_1_16 = 0xfffffffa,
	GO_1_18 = 0xfffffff0,
	GO_1_20 = 0xfffffff1,
	MAX_FUNCTIONS = 16 << 20,
};

struct go_table {
	const struct elf *e;
	struct elf_section s;
	u32 magic, word; /* bytes of a word */
	u64 n, names, names_end, functions, pcs, text;
	bool is_near; /* entries are u32, relative to text */
};

/* A number of size bytes at an offset; 0 past the end of the section. */
static u64 number_at(const struct go_table *t, u64 at, u32 size)
{
	u64 v = 0;

	if (at <= t->s.size && size <= t->s.size - at)
		memcpy(&v, (const u8 *)t->s.bytes + at, size);
	return v;
}

static u64 header_word(const struct go_table *t, u32 i)
{
	return number_at(t, 8 + (u64)i * t->word, t->word);
}

/* The value that the loader relocates at an address; false: no relocation there. */
static bool relocated(const struct elf *e, u64 address, u64 *value)
{
	struct elf_relocations at = { 0 };
	Elf64_Rela r;

	while (elf_relocation_next(e, &at, &r))
		if (r.r_offset == address) {
			*value = (u64)r.r_addend;
			return true;
		}
	return false;
}

static void find_text(struct go_table *t)
{
	struct elf_section text;

	t->text = header_word(t, 2);
	if (!t->text && !relocated(t->e, t->s.address + 8 + 2 * t->word, &t->text) &&
	    elf_section(t->e, ".text", &text)) /* a header without it */
		t->text = text.address;
}

static bool read_header(struct go_table *t)
{
	t->magic = (u32)number_at(t, 0, 4);
	t->word = (u32)number_at(t, 7, 1);
	if (t->word != 4 && t->word != 8)
		return false;
	t->n = header_word(t, 0);
	t->names_end = t->s.size;
	switch (t->magic) {
	case GO_1_20:
	case GO_1_18:
		t->names = header_word(t, 3);
		t->pcs = header_word(t, 6);
		t->functions = header_word(t, 7);
		t->is_near = true;
		find_text(t);
		break;
	case GO_1_16:
		t->names = header_word(t, 2);
		t->pcs = header_word(t, 5);
		t->functions = header_word(t, 6);
		break;
	case GO_1_2: t->functions = 8 + t->word; break;
	default: return false;
	}
	return t->n <= MAX_FUNCTIONS && t->names < t->names_end && t->functions < t->s.size;
}

/* Start of the index-th function; past the last one, its end. */
static u64 entry_of(const struct go_table *t, u64 index)
{
	u32 word = t->is_near ? 4 : t->word;

	return (t->is_near ? t->text : 0) + number_at(t, t->functions + index * 2 * word, word);
}

/* Offset of its _func, past the first word. */
static u64 func_of(const struct go_table *t, u64 index)
{
	u32 word = t->is_near ? 4 : t->word;
	u64 func = number_at(t, t->functions + (index * 2 + 1) * word, word);

	return (t->magic == GO_1_2 ? 0 : t->functions) + func + word;
}

static u64 name_of(const struct go_table *t, u64 index)
{
	return number_at(t, func_of(t, index), 4);
}

static Elf64_Sym *make_symbols(const struct go_table *t, u32 *n)
{
	u32 word = t->is_near ? 4 : t->word;
	u64 room = (t->s.size - t->functions) / (2 * word);
	Elf64_Sym *symbols;

	*n = (u32)MIN(t->n, room);
	symbols = xcalloc((size_t)*n + 1, sizeof *symbols);
	for (u32 i = 0; i < *n; i++) {
		u64 start = entry_of(t, i), end = entry_of(t, i + 1);

		symbols[i] = (Elf64_Sym){
			.st_name = (u32)name_of(t, i),
			.st_value = start,
			.st_size = end > start ? end - start : 0,
			.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
			.st_shndx = 1,
		};
	}
	return symbols;
}

static bool in_own_section(struct go_table *t)
{
	return (elf_section(t->e, ".gopclntab", &t->s) ||
		elf_section(t->e, ".data.rel.ro.gopclntab", &t->s)) &&
	       t->s.bytes && read_header(t);
}

/* C linkers put the table of a position-independent program among other relocated data. */
static bool in_other_data(struct go_table *t)
{
	struct elf_section s;

	if (!elf_section(t->e, ".go.buildinfo", &s) || !elf_section(t->e, ".data.rel.ro", &s) ||
	    !s.bytes)
		return false;
	for (u64 at = 0; at + 64 <= s.size; at += 8) {
		const u8 *head = (const u8 *)s.bytes + at;

		if (head[1] != 0xff || head[2] != 0xff || head[3] != 0xff || head[4] || head[5] ||
		    head[7] != 8)
			continue;
		t->s = s;
		t->s.bytes = head;
		t->s.size -= at;
		t->s.address += at;
		if (read_header(t) && t->n)
			return true;
	}
	return false;
}

/* ---- stack pointers */

static const char *name_text(const struct go_table *t, u64 index)
{
	u64 at = t->names + name_of(t, index);
	const char *name = (const char *)t->s.bytes + at;

	return at < t->s.size && memchr(name, '\0', t->s.size - at) ? name : "";
}

/* src/runtime/symtab.go: funcFlag. */
enum { TOPFRAME = 1, SPWRITE = 2, ASM = 4 };

/* Before 1.18 no flag tells where stacks begin or change. */
static u32 flags_of(const struct go_table *t, u64 index)
{
	u32 at = t->magic == GO_1_20 ? 41 : 37;

	return t->is_near ? (u32)number_at(t, func_of(t, index) - 4 + at, 1) : ASM;
}

/* The kind of functions whose flags do not tell it. Symbols have a suffix for the calling
 * convention. */
static bool named_kind(const char *name, enum elf_go_kind *kind)
{
	static const struct {
		const char *name;
		enum elf_go_kind kind;
	} rows[] = {
		{ "runtime.goexit", ELF_GO_FIRST },
		{ "runtime.mstart", ELF_GO_FIRST },
		{ "runtime.rt0_go", ELF_GO_FIRST },
		{ "runtime.sigtramp",
		  ELF_GO_ASSEMBLY }, /* flagged as "the top" by Go, but the interrupted code follows */
		{ "runtime.sigreturn", ELF_GO_SIGNAL },
		{ "runtime.sigreturn__sigaction", ELF_GO_SIGNAL },
	};
	size_t len = strcspn(name + MIN(strlen(name), (size_t)8), ".") + 8;

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if (strlen(rows[i].name) == len && starts_with(name, rows[i].name)) {
			*kind = rows[i].kind;
			return true;
		}
	return false;
}

static enum elf_go_kind kind_of(const struct go_table *t, u64 index)
{
	u32 flags = flags_of(t, index);
	enum elf_go_kind kind;

	if (named_kind(name_text(t, index), &kind))
		return kind;
	return flags & TOPFRAME ? ELF_GO_FIRST :
	       flags & SPWRITE  ? ELF_GO_SWITCH :
	       flags & ASM      ? ELF_GO_ASSEMBLY :
				  ELF_GO_COMPILED;
}

static bool go_function(const struct go_table *t, u64 index, struct elf_go_function *f)
{
	u64 at = number_at(t, func_of(t, index) + 12, 4);

	*f = (struct elf_go_function){ .start = entry_of(t, index),
				       .end = entry_of(t, index + 1),
				       .kind = kind_of(t, index) };
	if (at && t->pcs + at < t->s.size) {
		f->deltas = (const u8 *)t->s.bytes + t->pcs + at;
		f->deltas_end = (const u8 *)t->s.bytes + t->s.size;
	}
	return f->start < f->end;
}

void elf_each_go_function(const struct elf *e,
			  void (*f)(void *ctx, const struct elf_go_function *function), void *ctx)
{
	struct go_table t = { .e = e };
	struct elf_go_function function;

	if (elf_machine(e) != EM_X86_64 || (!in_own_section(&t) && !in_other_data(&t)))
		return;
	for (u64 i = 0; i < MIN(t.n, (t.s.size - t.functions) / 8); i++)
		if (go_function(&t, i, &function))
			f(ctx, &function);
}

/* ---- symbols */

struct elf *elf_go_symbols(const struct elf *e)
{
	struct go_table t = { .e = e };
	struct elf_table *table;
	struct elf *go;

	if (!in_own_section(&t) && !in_other_data(&t))
		return NULL;
	go = xcalloc(1, sizeof *go);
	table = &go->table[0];
	table->strings = (const char *)t.s.bytes + t.names;
	table->strings_len = t.names_end - t.names;
	while (table->strings_len && table->strings[table->strings_len - 1])
		table->strings_len--;
	table->sym = go->unpacked = make_symbols(&t, &table->n);
	go->mini_tried = go->debug_tried = go->fetch_tried = true;
	return go;
}
