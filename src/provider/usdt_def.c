/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *	provider NAME { probe NAME(TYPE [ARGUMENT], ...) [: (TYPE, ...)]; ... };
 *	#pragma D attributes ... provider NAME ...	(stability: ignored)
 *
 * The header is for sys/sdt.h, which writes the notes. "__" in a probe's name is "_" in its macro.
 */
#include <elf.h>
#include "provider/usdt_def.h"

enum { MAX_ARGS = 12 };

struct reader {
	struct usdt_defs *d;
	struct arena *arena;
	const char *s;
	u32 line;
};

static bool fail(struct reader *r, const char *why)
{
	if (!r->d->error) {
		r->d->error = why;
		r->d->line = r->line;
	}
	return false;
}

static void next(struct reader *r)
{
	r->line += *r->s == '\n';
	r->s++;
}

static void skip_line(struct reader *r)
{
	while (*r->s && *r->s != '\n')
		r->s++;
}

static void skip_comment(struct reader *r)
{
	for (r->s += 2; *r->s && strncmp(r->s, "*/", 2);)
		next(r);
	r->s += *r->s ? 2 : 0;
}

/* Skips blanks, comments and preprocessor lines. */
static void skip_blank(struct reader *r)
{
	for (;;) {
		if (*r->s == '#' || !strncmp(r->s, "//", 2))
			skip_line(r);
		else if (!strncmp(r->s, "/*", 2))
			skip_comment(r);
		else if (*r->s && strchr(" \t\r\n", *r->s))
			next(r);
		else
			return;
	}
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool punct(struct reader *r, char c)
{
	skip_blank(r);
	if (*r->s != c)
		return false;
	r->s++;
	return true;
}

static const char *word(struct reader *r)
{
	const char *begin;

	skip_blank(r);
	begin = r->s;
	while (is_word(*r->s))
		r->s++;
	return r->s > begin ? arena_strndup(r->arena, begin, (size_t)(r->s - begin)) : NULL;
}

static bool keyword(struct reader *r, const char *text)
{
	size_t n = strlen(text);

	skip_blank(r);
	if (strncmp(r->s, text, n) || is_word(r->s[n]))
		return false;
	r->s += n;
	return true;
}

/* The text up to "," or ")" outside brackets, without trailing blanks. */
static const char *type(struct reader *r)
{
	const char *begin, *end;
	int depth = 0;

	skip_blank(r);
	for (begin = r->s; *r->s && (depth || (*r->s != ',' && *r->s != ')')); next(r))
		depth += (*r->s == '(') - (*r->s == ')');
	for (end = r->s; end > begin && strchr(" \t\r\n", end[-1]);)
		end--;
	return arena_strndup(r->arena, begin, (size_t)(end - begin));
}

static bool arguments(struct reader *r, struct usdt_def_probe *p)
{
	if (punct(r, ')'))
		return true;
	do {
		const char *t = type(r);

		if (!*t)
			return fail(r, "an argument has no type");
		if (streq(t, "void") && !p->types.n)
			break;
		vec_push(r->arena, &p->types, t);
	} while (punct(r, ','));
	if (p->types.n > MAX_ARGS)
		return fail(r, "a probe has 12 arguments at most");
	return punct(r, ')') || fail(r, "\")\" is missing after the arguments");
}

/* ": (TYPE, ...)": the types that scripts see; C programs pass those before. */
static bool translated(struct reader *r)
{
	struct usdt_def_probe seen = { 0 };

	return !punct(r, ':') ||
	       ((punct(r, '(') || fail(r, "\"(\" is missing after \":\"")) && arguments(r, &seen));
}

static bool probe(struct reader *r, const char *provider)
{
	struct usdt_def_probe *p = arena_new(r->arena, struct usdt_def_probe);

	p->provider = provider;
	p->name = word(r);
	if (!p->name)
		return fail(r, "the probe has no name");
	if (!punct(r, '('))
		return fail(r, "\"(\" is missing after the probe's name");
	if (!arguments(r, p) || !translated(r))
		return false;
	vec_push(r->arena, &r->d->probes, p);
	return punct(r, ';') || fail(r, "\";\" is missing after the probe");
}

static bool provider(struct reader *r)
{
	const char *name;

	if (!keyword(r, "provider"))
		return fail(r, "\"provider NAME {\" is expected");
	name = word(r);
	if (!name || !punct(r, '{'))
		return fail(r, "\"provider NAME {\" is expected");
	while (keyword(r, "probe"))
		if (!probe(r, name))
			return false;
	if (!punct(r, '}'))
		return fail(r, "\"probe NAME(TYPE, ...);\" or \"}\" is expected");
	punct(r, ';');
	return true;
}

bool usdt_def_parse(struct usdt_defs *d, struct arena *a, const char *text)
{
	struct reader r = { .d = d, .arena = a, .s = text, .line = 1 };

	*d = (struct usdt_defs){ 0 };
	for (skip_blank(&r); *r.s; skip_blank(&r))
		if (!provider(&r))
			return false;
	return d->probes.n || fail(&r, "it defines no probe");
}

/* ---- the header */

static void put_upper(struct buf *b, const char *s)
{
	for (; *s; s++) {
		char c = (char)(*s >= 'a' && *s <= 'z' ? *s - 32 : *s);

		buf_putc(b, is_word(c) ? c : '_');
		s += s[0] == '_' && s[1] == '_';
	}
}

static void put_macro(struct buf *b, const struct usdt_def_probe *p)
{
	put_upper(b, p->provider);
	buf_putc(b, '_');
	put_upper(b, p->name);
}

static void put_parameters(struct buf *b, u32 n, const char *before)
{
	for (u32 i = 0; i < n; i++)
		buf_printf(b, "%sarg%u", i ? ", " : before, i + 1);
}

static void put_probe(struct buf *b, const struct usdt_def_probe *p)
{
	u32 n = p->types.n;

	buf_printf(b, "\n/* %s:%s(", p->provider, p->name);
	for (u32 i = 0; i < n; i++)
		buf_printf(b, "%s%s", i ? ", " : "", p->types.v[i]);
	buf_printf(
		b,
		") */\n__extension__ extern unsigned short %s_%s_semaphore __attribute__((unused, "
		"section(\".probes\")));\n",
		p->provider, p->name);
	buf_puts(b, "#define ");
	put_macro(b, p);
	buf_printf(b, "_ENABLED() __builtin_expect(%s_%s_semaphore, 0)\n#define ", p->provider,
		   p->name);
	put_macro(b, p);
	buf_putc(b, '(');
	put_parameters(b, n, "");
	if (n)
		buf_printf(b, ") DTRACE_PROBE%u(%s, %s", n, p->provider, p->name);
	else
		buf_printf(b, ") DTRACE_PROBE(%s, %s", p->provider, p->name);
	put_parameters(b, n, ", ");
	buf_puts(b, ")\n");
}

void usdt_def_header(const struct usdt_defs *d, const char *file, struct buf *out)
{
	const char *slash = strrchr(file, '/');

	file = slash ? slash + 1 : file;
	buf_puts(out, "/* Generated from a provider definition. */\n#ifndef SDT_");
	put_upper(out, file);
	buf_puts(out, "\n#define SDT_");
	put_upper(out, file);
	buf_puts(out, "\n\n#define _SDT_HAS_SEMAPHORES 1\n#include <sys/sdt.h>\n");
	for (u32 i = 0; i < d->probes.n; i++)
		put_probe(out, d->probes.v[i]);
	buf_puts(out, "\n#endif\n");
}

/* ---- the object file (System V ABI, "Object Files") */

enum {
	SECTION_NONE,
	SECTION_PROBES,
	SECTION_STACK,
	SECTION_SYMTAB,
	SECTION_STRTAB,
	SECTION_NAMES,
	N_SECTIONS
};

static const char section_names[] = "\0.probes\0.note.GNU-stack\0.symtab\0.strtab\0.shstrtab";

static u32 section_name(const char *name)
{
	u32 at = 1;

	while (!streq(section_names + at, name))
		at += (u32)strlen(section_names + at) + 1;
	return at;
}

static void put_symbols(const struct usdt_defs *d, struct buf *symbols, struct buf *strings)
{
	Elf64_Sym none = { 0 };

	buf_add(symbols, &none, sizeof none);
	buf_putc(strings, '\0');
	for (u32 i = 0; i < d->probes.n; i++) {
		Elf64_Sym s = { .st_name = (Elf64_Word)strings->len,
				.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
				.st_other = STV_HIDDEN,
				.st_shndx = SECTION_PROBES,
				.st_value = i * 2,
				.st_size = 2 };

		buf_add(symbols, &s, sizeof s);
		buf_printf(strings, "%s_%s_semaphore", d->probes.v[i]->provider,
			   d->probes.v[i]->name);
		buf_putc(strings, '\0');
	}
}

/* Appends the section's bytes and fills in their position. */
static void put_section(struct buf *out, size_t begin, Elf64_Shdr *h, const void *bytes, size_t len)
{
	while ((out->len - begin) % h->sh_addralign)
		buf_putc(out, '\0');
	h->sh_offset = out->len - begin;
	h->sh_size = len;
	buf_add(out, bytes, len);
}

void usdt_def_object(const struct usdt_defs *d, u16 elf_machine, struct buf *out)
{
	Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_REL,
		.e_machine = elf_machine,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof head,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = N_SECTIONS,
		.e_shstrndx = SECTION_NAMES,
	};
	Elf64_Shdr s[N_SECTIONS] = {
		[SECTION_PROBES] = { .sh_name = section_name(".probes"),
				     .sh_type = SHT_PROGBITS,
				     .sh_flags = SHF_ALLOC | SHF_WRITE,
				     .sh_addralign = 2 },
		[SECTION_STACK] = { .sh_name = section_name(".note.GNU-stack"),
				    .sh_type = SHT_PROGBITS,
				    .sh_addralign = 1 },
		[SECTION_SYMTAB] = { .sh_name = section_name(".symtab"),
				     .sh_type = SHT_SYMTAB,
				     .sh_link = SECTION_STRTAB,
				     .sh_info = 1,
				     .sh_addralign = 8,
				     .sh_entsize = sizeof(Elf64_Sym) },
		[SECTION_STRTAB] = { .sh_name = section_name(".strtab"),
				     .sh_type = SHT_STRTAB,
				     .sh_addralign = 1 },
		[SECTION_NAMES] = { .sh_name = section_name(".shstrtab"),
				    .sh_type = SHT_STRTAB,
				    .sh_addralign = 1 },
	};
	struct buf zeroes = { 0 }, symbols = { 0 }, strings = { 0 };
	size_t begin = out->len;

	buf_pad(&zeroes, '\0', d->probes.n * 2);
	put_symbols(d, &symbols, &strings);
	buf_add(out, &head, sizeof head);
	put_section(out, begin, &s[SECTION_PROBES], zeroes.s, zeroes.len);
	put_section(out, begin, &s[SECTION_STACK], "", 0);
	put_section(out, begin, &s[SECTION_SYMTAB], symbols.s, symbols.len);
	put_section(out, begin, &s[SECTION_STRTAB], strings.s, strings.len);
	put_section(out, begin, &s[SECTION_NAMES], section_names, sizeof section_names);
	buf_pad(out, '\0', (8 - (out->len - begin) % 8) % 8);
	head.e_shoff = out->len - begin;
	buf_add(out, s, sizeof s);
	memcpy(out->s + begin, &head, sizeof head);
	buf_release(&zeroes);
	buf_release(&symbols);
	buf_release(&strings);
}
