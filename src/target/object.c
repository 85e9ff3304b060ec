/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program as an ELF object (EM_BPF) for other tools: llvm-objdump, readelf, loaders.
 *
 *	"license"		the license, with its NUL
 *	"maps"			struct bpf_map_def of each map: type, key, value, entries, flags
 *	"<type>/<name>"		instructions of one program; ".rel<type>/<name>" where they name maps, functions
 *	".symtab", ".strtab"	a symbol for each map, program and kernel function
 *
 * Relocations: R_BPF_64_64 at a load of a map (its imm is the offset in the map's value),
 * R_BPF_64_32 at a call of a kernel function. Documentation/bpf/llvm_reloc.rst, elf(5).
 */
#include <elf.h>
#include "base/buf.h"
#include "target/target.h"

#ifndef R_BPF_64_64
#define R_BPF_64_64 1
#define R_BPF_64_32 10
#endif

enum { MAP_DEF_SIZE = 20, N_FIXED = 3 }; /* null, license, maps */

struct object {
	const struct program *prog;
	struct buf out, strings, symbols, headers;
	u32 n_sections, n_symbols, symtab, strtab;
	u32 *map_symbol, *kfunc_symbol;
};

static u32 add_string(struct object *o, const char *s)
{
	u32 at;

	if (!o->strings.len)
		buf_putc(&o->strings, '\0');
	at = (u32)o->strings.len;
	buf_add(&o->strings, s, strlen(s) + 1);
	return at;
}

static u32 add_symbol(struct object *o, const char *name, u8 type, u16 section, u64 value, u64 size)
{
	Elf64_Sym sym = { .st_name = *name ? add_string(o, name) : 0,
			  .st_info = ELF64_ST_INFO(*name ? STB_GLOBAL : STB_LOCAL, type),
			  .st_shndx = section,
			  .st_value = value,
			  .st_size = size };

	buf_add(&o->symbols, &sym, sizeof sym);
	return o->n_symbols++;
}

/* The bytes of a section are written at once; its header is kept for the end. */
static u32 add_section(struct object *o, Elf64_Shdr h, const char *name, const void *bytes,
		       size_t len)
{
	buf_pad(&o->out, 0, ALIGN_UP(o->out.len, 8u) - o->out.len);
	h.sh_name = add_string(o, name);
	h.sh_offset = o->out.len;
	h.sh_size = len;
	h.sh_addralign = 8;
	buf_add(&o->out, bytes, len);
	buf_add(&o->headers, &h, sizeof h);
	return o->n_sections++;
}

/* ---- maps */

static void put_maps(struct object *o)
{
	struct buf b = { 0 };

	for (u32 i = 0; i < o->prog->maps.n; i++) {
		const struct map_desc *m = &o->prog->maps.v[i];
		u32 def[] = { m->bpf_type, m->key_size, m->value_size, m->max_entries, m->flags };

		if (m->role == MAP_GLOBAL)
			continue; /* part of the data map */
		o->map_symbol[i] =
			add_symbol(o, m->name, STT_OBJECT, N_FIXED - 1, b.len, MAP_DEF_SIZE);
		buf_add(&b, def, sizeof def);
	}
	add_section(o, (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_WRITE },
		    "maps", b.s, b.len);
	buf_release(&b);
}

/* ---- programs */

/* Section prefixes by which loaders recognize a program's type. */
static const char *type_prefix(const struct bpf_func *f)
{
	switch (f->load.prog_type) {
	case BPF_PROG_TYPE_KPROBE: return f->prog_flags & BPF_F_SLEEPABLE ? "uprobe.s" : "kprobe";
	case BPF_PROG_TYPE_TRACEPOINT: return "tracepoint";
	case BPF_PROG_TYPE_RAW_TRACEPOINT: return "raw_tracepoint";
	case BPF_PROG_TYPE_PERF_EVENT: return "perf_event";
	case BPF_PROG_TYPE_LSM: return "lsm";
	case BPF_PROG_TYPE_TRACING:
		switch (f->load.attach_type) {
		case BPF_TRACE_FENTRY: return "fentry";
		case BPF_TRACE_FEXIT: return "fexit";
		case BPF_TRACE_ITER: return "iter";
		default: return "tp_btf";
		}
	default: return "bpf";
	}
}

/* The relocation is resolved when the object is loaded. */
static bool is_outside(const struct reloc *r)
{
	return r->kind != RELOC_FUNC && r->kind != RELOC_BOUND;
}

static void put_func(struct object *o, const struct bpf_func *f, struct arena *a)
{
	struct bpf_insn *insns = arena_dup(a, f->insns, f->n_insns * sizeof *insns);
	char *name = arena_printf(a, "%s/%s", type_prefix(f), f->name);
	struct buf rel = { 0 };
	u32 section;

	for (u32 i = 0; i < f->n_relocs; i++) {
		const struct reloc *r = &f->relocs[i];
		Elf64_Rel e = { .r_offset = r->insn * sizeof *insns };

		if (!is_outside(r))
			continue;
		if (r->kind == RELOC_KFUNC) {
			e.r_info = ELF64_R_INFO((u64)o->kfunc_symbol[r->index], R_BPF_64_32);
		} else {
			e.r_info = ELF64_R_INFO((u64)o->map_symbol[r->index], R_BPF_64_64);
			insns[r->insn].imm = (s32)r->add;
		}
		buf_add(&rel, &e, sizeof e);
	}
	section = add_section(
		o, (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR },
		name, insns, f->n_insns * sizeof *insns);
	add_symbol(o, f->name, STT_FUNC, (u16)section, 0, f->n_insns * sizeof *insns);
	if (rel.len)
		add_section(o,
			    (Elf64_Shdr){ .sh_type = SHT_REL,
					  .sh_link = o->symtab,
					  .sh_info = section,
					  .sh_entsize = sizeof(Elf64_Rel) },
			    arena_printf(a, ".rel%s", name), rel.s, rel.len);
	buf_release(&rel);
}

static bool has_relocs(const struct bpf_func *f)
{
	for (u32 i = 0; i < f->n_relocs; i++)
		if (is_outside(&f->relocs[i]))
			return true;
	return false;
}

/* ---- the whole object */

static void put_header(struct object *o)
{
	Elf64_Ehdr e = { .e_type = ET_REL,
			 .e_machine = EM_BPF,
			 .e_version = EV_CURRENT,
			 .e_ehsize = sizeof e,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = (u16)o->n_sections,
			 .e_shstrndx = (u16)o->strtab };

	memcpy(e.e_ident, ELFMAG, SELFMAG);
	e.e_ident[EI_CLASS] = ELFCLASS64;
	e.e_ident[EI_DATA] = ELFDATA2LSB;
	e.e_ident[EI_VERSION] = EV_CURRENT;
	buf_pad(&o->out, 0, ALIGN_UP(o->out.len, 8u) - o->out.len);
	e.e_shoff = o->out.len;
	buf_add(&o->out, o->headers.s, o->headers.len);
	memcpy(o->out.s, &e, sizeof e);
}

static void put_tables(struct object *o)
{
	Elf64_Shdr *strings;

	add_section(o,
		    (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
				  .sh_link = o->strtab,
				  .sh_info = 1,
				  .sh_entsize = sizeof(Elf64_Sym) },
		    ".symtab", o->symbols.s, o->symbols.len);
	add_section(o, (Elf64_Shdr){ .sh_type = SHT_STRTAB }, ".strtab", "", 0);
	strings = (Elf64_Shdr *)o->headers.s + o->strtab; /* includes its own name */
	strings->sh_size = o->strings.len;
	buf_add(&o->out, o->strings.s, o->strings.len);
}

void target_object(struct buf *out, const struct program *prog, const char *license)
{
	struct object o = { .prog = prog };
	struct arena a;

	arena_init(&a);
	o.map_symbol = arena_array(&a, u32, prog->maps.n + 1);
	o.kfunc_symbol = arena_array(&a, u32, prog->kfuncs.n + 1);
	o.symtab = N_FIXED;
	for (u32 i = 0; i < prog->funcs.n; i++)
		o.symtab += 1 + has_relocs(prog->funcs.v[i]);
	o.strtab = o.symtab + 1;
	buf_pad(&o.out, 0, sizeof(Elf64_Ehdr));
	add_symbol(&o, "", STT_NOTYPE, SHN_UNDEF, 0, 0);
	add_section(&o, (Elf64_Shdr){ .sh_type = SHT_NULL }, "", "", 0);
	((Elf64_Shdr *)o.headers.s)->sh_offset = ((Elf64_Shdr *)o.headers.s)->sh_addralign = 0;
	add_section(&o, (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC }, "license",
		    license, strlen(license) + 1);
	put_maps(&o);
	for (u32 i = 0; i < prog->kfuncs.n; i++)
		o.kfunc_symbol[i] = add_symbol(&o, prog->kfuncs.v[i], STT_NOTYPE, SHN_UNDEF, 0, 0);
	for (u32 i = 0; i < prog->funcs.n; i++)
		put_func(&o, prog->funcs.v[i], &a);
	put_tables(&o);
	put_header(&o);
	*out = o.out;
	buf_release(&o.strings);
	buf_release(&o.symbols);
	buf_release(&o.headers);
	arena_release(&a);
}
