/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of an ELF file, by name and by address. Input: .symtab, .dynsym, and those of the
 * separate debug file. The first lookups by name scan the tables, later ones use chains; the first
 * lookup by address sorts all code symbols. Addresses are file virtual addresses, which the debug
 * file shares.
 */
#include <stdio.h>
#include <stdlib.h>
#include "base/glob.h"
#include "object/elf_file.h"

#ifndef STT_GNU_IFUNC
#define STT_GNU_IFUNC 10
#endif

/* The versions of a table's symbols: SHT_GNU_versym. */
static const u16 *find_versions(struct elf *e, u32 table, u32 n)
{
	for (u32 i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *s = &e->section[i];

		if (s->sh_type == SHT_GNU_versym && s->sh_link == table && s->sh_offset % 2 == 0 &&
		    s->sh_size / sizeof(u16) >= n)
			return elf_at(e, s->sh_offset, n * sizeof(u16));
	}
	return NULL;
}

static void find_table(struct elf *e, u32 type, u32 which)
{
	struct elf_table *t = &e->table[which];
	u64 entry = e->own_header ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);

	for (u32 i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *s = &e->section[i], *link;

		if (s->sh_type != type || s->sh_entsize != entry ||
		    (!e->own_header && s->sh_offset % 8) || s->sh_link >= e->n_sections ||
		    s->sh_size / entry > INT32_MAX)
			continue;
		link = &e->section[s->sh_link];
		t->n = (u32)(s->sh_size / entry);
		t->sym = e->own_header ? elf32_symbols(e, which, s, &t->n) :
					 elf_at(e, s->sh_offset, s->sh_size);
		t->strings = link->sh_type == SHT_NOBITS ?
				     NULL :
				     elf_at(e, link->sh_offset, link->sh_size);
		if (!t->sym || !t->strings) {
			t->n = 0;
			continue;
		}
		t->strings_len = link->sh_size;
		/* One check for all names: the table is cut after its last NUL. */
		while (t->strings_len && t->strings[t->strings_len - 1])
			t->strings_len--;
		t->version = find_versions(e, i, t->n);
		t->chains = xcalloc(1, sizeof *t->chains);
		return;
	}
}

void elf_find_tables(struct elf *e)
{
	find_table(e, SHT_SYMTAB, 0);
	find_table(e, SHT_DYNSYM, 1);
}

/* A symbol of a table, decoded; false: undefined, nameless, neither code nor data. */
static bool elf_table_symbol(const struct elf_table *t, u32 i, struct elf_symbol *out)
{
	const Elf64_Sym *s = &t->sym[i];
	u8 type = ELF64_ST_TYPE(s->st_info);

	if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS || s->st_name >= t->strings_len ||
	    !t->strings[s->st_name])
		return false;
	if (type == STT_SECTION || type == STT_FILE || type == STT_TLS)
		return false;
	*out = (struct elf_symbol){
		.name = t->strings + s->st_name,
		.value = s->st_value,
		.size = s->st_size,
		.type = type,
		.bind = ELF64_ST_BIND(s->st_info),
		.section = s->st_shndx,
	};
	return true;
}

static bool is_function(const struct elf_symbol *s)
{
	return s->type == STT_FUNC || s->type == STT_GNU_IFUNC;
}

/* ---- by name */

/* 3: function with a size, 2: function, 1: anything else; global before local. */
static u32 worth(const struct elf_symbol *s)
{
	return (is_function(s) ? s->size ? 6 : 4 : 2) + (s->bind != STB_LOCAL);
}

/* Compatibility symbols for programs linked against an older library: "memcpy@GLIBC_2.2.5". */
static bool is_old_version(const struct elf_table *t, u32 i, const char *suffix)
{
	enum { HIDDEN = 0x8000 };

	return t->version ? t->version[i] & HIDDEN : suffix[0] == '@' && suffix[1] != '@';
}

/* Of a name without the version, and without what compilers append. */
static u32 hash_of(const char *name)
{
	u32 h = 2166136261u;

	for (; *name && *name != '@' && *name != '.'; name++)
		h = (h ^ (u8)*name) * 16777619u;
	return h;
}

static const char *name_of(const struct elf_table *t, u32 i)
{
	return t->sym[i].st_name < t->strings_len ? t->strings + t->sym[i].st_name : "";
}

static void build_chains(const struct elf_table *t, struct elf_chains *c)
{
	for (c->mask = 1; c->mask < t->n; c->mask *= 2)
		;
	c->first = xcalloc(c->mask--, sizeof *c->first);
	c->next = xcalloc(t->n + 1ul, sizeof *c->next);
	for (u32 i = t->n; i-- > 0;) {
		u32 *first = &c->first[hash_of(name_of(t, i)) & c->mask];

		c->next[i] = *first;
		*first = i + 1;
	}
}

/* The first symbol that may have a name, or have it with an appendix, + 1; 0: none. In the order of
 * the table. */
static u32 first_named(const struct elf_table *t, const char *name)
{
	enum { ASKED_OFTEN = 8 };
	struct elf_chains *c = t->chains;

	if (c && ++c->n_asked == ASKED_OFTEN)
		build_chains(t, c);
	return c && c->first ? c->first[hash_of(name) & c->mask] : t->n > 0;
}

static u32 next_named(const struct elf_table *t, u32 i)
{
	return t->chains && t->chains->first ? t->chains->next[i - 1] : i < t->n ? i + 1 : 0;
}

void elf_chains_release(struct elf_table *t)
{
	if (!t->chains)
		return;
	free(t->chains->first);
	free(t->chains->next);
	free(t->chains);
	t->chains = NULL;
}

/* The symbol's name if its first len bytes match, else NULL. Most names differ in the first
 * byte. */
static const char *name_that_begins(const struct elf_table *t, u32 i, const char *begin, size_t len)
{
	u32 at = t->sym[i].st_name;

	if (at >= t->strings_len || t->strings[at] != *begin ||
	    strncmp(t->strings + at, begin, len) != 0)
		return NULL;
	return t->strings + at;
}

static u32 find_in_table(const struct elf_table *t, const char *name, struct elf_symbol *out)
{
	size_t len = strlen(name);
	u32 best = 0;

	for (u32 at = first_named(t, name); at; at = next_named(t, at)) {
		u32 i = at - 1;
		const char *have = name_that_begins(t, i, name, len);
		struct elf_symbol s;
		u32 value;

		/* "memcpy@@GLIBC_2.14" in .symtab is found as memcpy */
		if (!have || (have[len] && have[len] != '@') || !elf_table_symbol(t, i, &s))
			continue;
		value = 2 * worth(&s) + !is_old_version(t, i, s.name + len);
		if (value > best) {
			best = value;
			*out = s;
		}
	}
	return best;
}

bool elf_is_stripped(const struct elf *e)
{
	return !e->table[0].n;
}

/*
 * The file with the symbols that e lacks: the debug file, or the one compressed in e. NULL: e has
 * its symbols, or there is none.
 */
static struct elf *more_symbols(struct elf *e)
{
	struct elf *more = elf_is_stripped(e) ? elf_debug_file(e) : NULL;

	return more || !elf_is_stripped(e) ? more : elf_mini_file(e);
}

/* The table with the best match for the name; NULL: none. */
static const struct elf_table *find_named(struct elf *e, const char *name, struct elf_symbol *out)
{
	struct elf *debug;

	if (!*name)
		return NULL;
	for (u32 i = 0; i < 2; i++)
		if (find_in_table(&e->table[i], name, out))
			return &e->table[i];
	debug = more_symbols(e);
	return debug && find_in_table(&debug->table[0], name, out) ? &debug->table[0] : NULL;
}

bool elf_find(struct elf *e, const char *name, struct elf_symbol *out)
{
	return find_named(e, name, out);
}

/* Local functions, at most MAX_NAMED, whose names begin with `name` and which accept() accepts. */
enum { MAX_NAMED = 256 };

struct local_search {
	const char *name;
	bool (*accept)(const char *have, const char *name);
	u64 seen[MAX_NAMED]; /* addresses of those reported already */
	u32 n;
};

static int each_local(const struct elf_table *t, struct local_search *l,
		      int (*f)(void *ctx, const struct elf_symbol *s), void *ctx)
{
	size_t len = strlen(l->name);
	struct elf_symbol s;
	int stop = 0;

	for (u32 at = first_named(t, l->name); at && l->n < MAX_NAMED && !stop;
	     at = next_named(t, at)) {
		u32 i = at - 1, k = 0;

		if (!name_that_begins(t, i, l->name, len) ||
		    ELF64_ST_BIND(t->sym[i].st_info) != STB_LOCAL || !elf_table_symbol(t, i, &s) ||
		    !is_function(&s) || !l->accept(s.name, l->name))
			continue;
		while (k < l->n && l->seen[k] != s.value)
			k++;
		if (k < l->n)
			continue;
		l->seen[l->n++] = s.value;
		stop = f(ctx, &s);
	}
	return stop;
}

static bool is_same(const char *have, const char *name)
{
	return streq(have, name);
}

int elf_each_named(struct elf *e, const char *name, int (*f)(void *ctx, const struct elf_symbol *s),
		   void *ctx)
{
	struct elf_symbol best;
	const struct elf_table *t = find_named(e, name, &best);
	struct local_search local = { .name = name, .accept = is_same, .n = 1 };
	int stop = t ? f(ctx, &best) : 0;

	if (!t || stop || !is_function(&best))
		return stop;
	local.seen[0] = best.value;
	return each_local(t, &local, f, ctx);
}

/*
 * Suffixes that compilers append to a whole function that they changed; .part and .cold denote a
 * part of a function.
 */
bool symbol_is_clone_of(const char *have, const char *name)
{
	static const char *const marks[] = { "constprop", "isra", "lto_priv", "llvm",
					     "specialized" };
	size_t len = strlen(name);

	if (strncmp(have, name, len) != 0 || have[len] != '.')
		return false;
	for (have += len; *have; have += strcspn(have, ".")) {
		u32 i = 0;

		len = strcspn(++have, ".");
		while (i < ARRAY_SIZE(marks) &&
		       (strlen(marks[i]) != len || strncmp(have, marks[i], len) != 0))
			i++;
		if (i == ARRAY_SIZE(marks) && strspn(have, "0123456789") != len)
			return false;
	}
	return true;
}

int elf_each_clone(struct elf *e, const char *name, int (*f)(void *ctx, const struct elf_symbol *s),
		   void *ctx)
{
	struct elf *debug = more_symbols(e);
	struct local_search local = { .name = name, .accept = symbol_is_clone_of };

	return *name ? each_local(debug ? &debug->table[0] : &e->table[0], &local, f, ctx) : 0;
}

/* ---- by address */

static int by_value(const void *a, const void *b)
{
	const struct elf_code *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->rank != y->rank)
		return (int)x->rank - (int)y->rank;
	return x->index < y->index ? -1 : x->index > y->index;
}

static bool is_executable(const struct elf *e, u16 section)
{
	return section >= e->n_sections || e->section[section].sh_flags & SHF_EXECINSTR;
}

/*
 * Functions, and untyped labels of assembly code. Of aliases, a global one with a size is
 * preferred, and among these one without a leading '_' (calloc, not __libc_calloc). Names that
 * begin with '$' are arm's mapping symbols.
 */
static bool is_code(const struct elf *e, const struct elf_symbol *s)
{
	if (is_function(s))
		return true;
	return s->type == STT_NOTYPE && s->name[0] != '$' && s->name[0] != '.' &&
	       is_executable(e, s->section);
}

static u8 rank(const struct elf_symbol *s)
{
	return (u8)(is_function(s) * 8 + (s->size != 0) * 4 + (s->bind == STB_GLOBAL) * 2 +
		    (s->bind == STB_WEAK) + (s->name[0] != '_') * 2);
}

static u32 collect(const struct elf *e, u8 table, struct elf_code *to)
{
	const struct elf_table *t = &e->table[table];
	struct elf_symbol s;
	u32 n = 0;

	for (u32 i = 0; i < t->n; i++)
		if (elf_table_symbol(t, i, &s) && is_code(e, &s))
			to[n++] = (struct elf_code){ s.value, s.size, i, table, rank(&s) };
	return n;
}

static void build_code(struct elf *e)
{
	e->code_built = true;
	e->code = xmalloc(sizeof *e->code * ((u64)e->table[0].n + e->table[1].n + 1));
	e->n_code = collect(e, 0, e->code);
	e->n_code += collect(e, 1, e->code + e->n_code);
	qsort(e->code, e->n_code, sizeof *e->code, by_value);
}

/* A symbol without a size ends at the end of its section. */
static bool covers(const struct elf *e, const struct elf_code *c, u64 address)
{
	const Elf64_Shdr *s;
	u16 section;

	if (c->size)
		return address - c->value < c->size;
	section = e->table[c->table].sym[c->index].st_shndx;
	if (section >= e->n_sections)
		return false;
	s = &e->section[section];
	return address - s->sh_addr < s->sh_size;
}

/* The number of sorted symbols at or below the address. */
static u32 symbols_up_to(const struct elf *e, u64 address)
{
	u32 lo = 0, hi = e->n_code;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (e->code[mid].value <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The last symbol at or below the address that covers it; with nested symbols it is a few entries
 * back. */
static const struct elf_code *symbol_before(const struct elf *e, u64 address)
{
	u32 lo = symbols_up_to(e, address);

	for (u32 i = lo; i-- && lo - i <= 16;)
		if (covers(e, &e->code[i], address))
			return &e->code[i];
	return NULL;
}

static bool symbol_at(struct elf *e, u64 address, struct elf_symbol *out)
{
	const struct elf_code *c;

	if (!e->code_built)
		build_code(e);
	c = symbol_before(e, address);
	return c && elf_table_symbol(&e->table[c->table], c->index, out);
}

/* A stripped file's .dynsym has gaps that the debug file fills. */
bool elf_symbol_at(struct elf *e, u64 address, struct elf_symbol *out)
{
	struct elf *debug;

	debug = more_symbols(e);
	if (debug && symbol_at(debug, address, out))
		return true;
	return symbol_at(e, address, out);
}

static bool symbol_within(struct elf *e, u64 lo, u64 hi)
{
	if (!e->code_built)
		build_code(e);
	return symbols_up_to(e, hi) > symbols_up_to(e, lo);
}

bool elf_symbol_within(struct elf *e, u64 lo, u64 hi)
{
	struct elf *debug = more_symbols(e);

	return symbol_within(e, lo, hi) || (debug && symbol_within(debug, lo, hi));
}

/* ---- lists */

struct listing {
	struct elf_symbol *v;
	u32 n;
};

static void list_table(const struct elf_table *t, const char *glob, struct listing *l)
{
	for (u32 i = 0; i < t->n; i++) {
		struct elf_symbol s;

		if (elf_table_symbol(t, i, &s) && is_function(&s) &&
		    (!glob || glob_match(glob, s.name)))
			l->v[l->n++] = s;
	}
}

enum { NAME_ROOM = 20 };

/*
 * Include functions without a symbol, named 0xADDRESS: reading .eh_frame takes longer than
 * everything else. Files with symbols are excluded: their additional entries are parts that
 * compilers split off.
 */
static bool wants_frames(const struct elf *e, const char *glob)
{
	return !e->table[0].n && (!glob || *glob == '0' || *glob == '*');
}

static void list_frames(struct elf *e, const char *glob, struct listing *l)
{
	struct elf_symbol named;

	if (!e->n_frames)
		return;
	if (!e->frame_names)
		e->frame_names = xmalloc((size_t)e->n_frames * NAME_ROOM);
	for (u32 i = 0; i < e->n_frames; i++) {
		const struct elf_code *c = &e->frame[i];
		char *name = e->frame_names + (size_t)i * NAME_ROOM;

		if (elf_symbol_at(e, c->value, &named) && named.value == c->value)
			continue;
		snprintf(name, NAME_ROOM, "0x%llx", (unsigned long long)c->value);
		if (!glob || glob_match(glob, name))
			l->v[l->n++] = (struct elf_symbol){
				.name = name, .value = c->value, .size = c->size, .type = STT_FUNC
			};
	}
}

static int by_address_and_name(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return strcmp(x->name, y->name);
}

int elf_each_function(struct elf *e, const char *glob,
		      int (*f)(void *ctx, const struct elf_symbol *s), void *ctx)
{
	struct elf *debug = more_symbols(e);
	u64 max = (u64)e->table[0].n + e->table[1].n + (debug ? debug->table[0].n : 0) +
		  (wants_frames(e, glob) ? elf_n_frames(e) : 0);
	struct listing l = { .v = xmalloc(sizeof *l.v * (max + 1)) };
	int r = 0;

	list_table(&e->table[0], glob, &l);
	list_table(&e->table[1], glob, &l);
	if (debug)
		list_table(&debug->table[0], glob, &l);
	if (wants_frames(e, glob))
		list_frames(e, glob, &l);
	qsort(l.v, l.n, sizeof *l.v, by_address_and_name);
	for (u32 i = 0; i < l.n && !r; i++)
		if (!i || by_address_and_name(&l.v[i - 1], &l.v[i]))
			r = f(ctx, &l.v[i]);
	free(l.v);
	return r;
}
