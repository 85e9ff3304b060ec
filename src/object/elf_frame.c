/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Function starts in files without symbols: .eh_frame, which unwinding needs and strip keeps, has
 * an entry (FDE) for each function; for code compiled without it, the debug information has entries
 * in .debug_frame. Format: the Linux Standard Base, "Exception Frames", and DWARF 4, 6.4.1:
 *
 *	u32 length (ffffffff: u64 follows; 0: end) | u32 CIE id | body
 *
 * CIE id 0 is a CIE: version, augmentation, alignments, return register, augmentation data, where
 * 'R' gives the address encoding of its FDEs. Else it is an FDE whose CIE is that many bytes before
 * this word: address, size, augmentation data, and the frame rules. In .debug_frame the id of a CIE
 * has all bits set, and that of an FDE is the offset of its CIE in the section. A part that the
 * compiler split off its function (foo.cold) has an entry too; its frame is set up from the first
 * instruction.
 */
#include <stdlib.h>
#include "object/bytes.h"
#include "object/elf_file.h"

enum { /* DW_EH_PE_*: pointer encoding, and the base added to it */
       PE_ABSPTR = 0,
       PE_UDATA2 = 2,
       PE_UDATA4 = 3,
       PE_UDATA8 = 4,
       PE_SIGNED = 8, /* sdata2, sdata4, sdata8; 8 alone: a signed word */
       PE_PCREL = 0x10,
       PE_OMIT = 0xff,
};

struct cursor {
	struct bytes in;
	/* an encoded address is relative to its own address: that of its byte in memory plus
	 * this */
	u64 bias;
	bool is32;
	bool is_debug; /* .debug_frame */
};

static u64 take(struct cursor *c, u32 size)
{
	return bytes_take(&c->in, size);
}

static u64 address_of(const struct cursor *c)
{
	return (u64)(uintptr_t)c->in.at + c->bias;
}

static u64 sign_extend(u64 v, u32 size)
{
	u32 shift = 64 - 8 * size;

	return (u64)((s64)(v << shift) >> shift);
}

static u64 take_pointer(struct cursor *c, u8 how)
{
	u64 base = (how & 0x70) == PE_PCREL ? address_of(c) : 0, v;
	u32 size;

	switch (how & 7) {
	case PE_ABSPTR: size = c->is32 ? 4 : 8; break;
	case PE_UDATA2: size = 2; break;
	case PE_UDATA4: size = 4; break;
	case PE_UDATA8: size = 8; break;
	default: c->in.bad = true; return 0;
	}
	if ((how & 0x70) > PE_PCREL)
		c->in.bad = true; /* unknown base */
	v = take(c, size);
	if (how & PE_SIGNED || (base && size < 8))
		v = sign_extend(v, size);
	v += base;
	return c->is32 ? (u32)v : v;
}

struct cie {
	u8 how; /* PE_*: address encoding of its FDEs */
	bool has_data;
	struct elf_fde part; /* common to its FDEs */
};

static bool read_augmentation(struct cursor *c, const char *augmentation, struct cie *cie)
{
	for (const char *a = augmentation; *a && !c->in.bad; a++) {
		if (*a == 'R')
			cie->how = (u8)take(c, 1);
		else if (*a == 'L')
			take(c, 1);
		else if (*a == 'P')
			take_pointer(c, (u8)take(c, 1) & 0x1f);
		else if (*a == 'S')
			cie->part.is_signal = true;
		else if (*a != 'B')
			return false;
	}
	return !c->in.bad && cie->how != PE_OMIT;
}

/* False: an unsupported CIE. */
static bool read_cie(struct cursor c, struct cie *cie)
{
	u8 version = (u8)take(&c, 1);
	const char *augmentation = (const char *)c.in.at;
	u64 len = c.in.bad ? 0 : strnlen(augmentation, (size_t)(c.in.end - c.in.at));
	struct cursor data;

	*cie = (struct cie){ .how = PE_ABSPTR };
	if (c.in.bad || c.in.at + len == c.in.end ||
	    (version != 1 && version != 3 && !(c.is_debug && version == 4)))
		return false;
	c.in.at += len + 1;
	if (version == 4 && (take(&c, 1) != (c.is32 ? 4 : 8) || take(&c, 1)))
		return false; /* sizes of an address, and of a segment */
	cie->part.code_align = (u32)bytes_uleb(&c.in);
	cie->part.data_align = (s32)bytes_sleb(&c.in);
	cie->part.return_reg = (u32)(version == 1 ? take(&c, 1) : bytes_uleb(&c.in));
	cie->has_data = *augmentation == 'z';
	if (cie->has_data) {
		len = bytes_uleb(&c.in);
		if (c.in.bad || len > (u64)(c.in.end - c.in.at))
			return false;
		data = c;
		data.in.end = c.in.at + len;
		c.in.at += len;
		if (!read_augmentation(&data, augmentation + 1, cie))
			return false;
	} else if (*augmentation) {
		return false;
	}
	cie->part.initial = c.in.at;
	cie->part.n_initial = (u32)(c.in.end - c.in.at);
	return !c.in.bad;
}

/* False: nothing usable. */
static bool read_fde(struct cursor c, const struct cie *cie, struct elf_fde *out)
{
	u64 skip;

	*out = cie->part;
	out->start = take_pointer(&c, cie->how);
	out->size = take_pointer(&c, cie->how & 0xf);
	skip = cie->has_data ? bytes_uleb(&c.in) : 0;
	if (c.in.bad || skip > (u64)(c.in.end - c.in.at))
		return false;
	out->insns = c.in.at + skip;
	out->n_insns = (u32)((u64)(c.in.end - c.in.at) - skip);
	return out->start && out->size;
}

/* Reads the length of an entry and sets c->in.end to its end. */
static bool take_length(struct cursor *c, u32 *id_size)
{
	u64 len = take(c, 4);

	*id_size = len == 0xffffffff ? 8 : 4;
	if (len == 0xffffffff)
		len = take(c, 8);
	if (c->in.bad || len < *id_size || len > (u64)(c->in.end - c->in.at))
		return false;
	c->in.end = c->in.at + len;
	return true;
}

static bool is_cie(const struct cursor *c, u64 id, u32 id_size)
{
	return id == (c->is_debug ? UINT64_MAX >> (64 - 8 * id_size) : 0);
}

/* The CIE of an FDE; NULL: outside of the section. id_at: where the id is. */
static const u8 *find_cie(const struct cursor *c, const u8 *from, const u8 *id_at, u64 id)
{
	if (c->is_debug)
		return id < (u64)(c->in.end - from) ? from + id : NULL;
	return id <= (u64)(id_at - from) ? id_at - id : NULL;
}

/* Parses one CIE or FDE; false: the end. out->size 0: not a usable FDE. */
static bool read_entry(struct cursor *c, const u8 *from, struct elf_fde *out)
{
	struct cursor body = *c, at_cie;
	struct cie cie;
	const u8 *id_at;
	u32 id_size;
	u64 id;

	out->size = 0;
	if (!take_length(&body, &id_size))
		return false;
	c->in.at = body.in.end;
	id_at = body.in.at;
	id = take(&body, id_size);
	at_cie = *c;
	at_cie.in.at = is_cie(c, id, id_size) ? NULL : find_cie(c, from, id_at, id);
	if (!at_cie.in.at)
		return true;
	if (take_length(&at_cie, &id_size) && is_cie(c, take(&at_cie, id_size), id_size) &&
	    read_cie(at_cie, &cie) && !read_fde(body, &cie, out))
		out->size = 0;
	return true;
}

static void each_in(const struct elf *e, const char *section, bool is_debug,
		    void (*f)(void *ctx, const struct elf_fde *fde), void *ctx)
{
	struct elf_section s;
	struct elf_fde fde;
	struct cursor c;

	if (!elf_section(e, section, &s) || !s.bytes || s.flags & SHF_COMPRESSED)
		return;
	c = (struct cursor){ .in = { .at = s.bytes, .end = (const u8 *)s.bytes + s.size },
			     .bias = s.address - (u64)(uintptr_t)s.bytes,
			     .is32 = e->own_header,
			     .is_debug = is_debug };
	while (read_entry(&c, s.bytes, &fde))
		if (fde.size)
			f(ctx, &fde);
}

void elf_each_fde(const struct elf *e, void (*f)(void *ctx, const struct elf_fde *fde), void *ctx)
{
	each_in(e, ".eh_frame", false, f, ctx);
	each_in(e, ".debug_frame", true, f, ctx);
}

struct frames {
	struct elf_code *v;
	u32 n, room;
};

enum { /* DW_CFA_* */
       CFA_NOP = 0,
       CFA_ADVANCE4 = 4,
       CFA_UNDEFINED = 7,
       CFA_ADVANCE = 0x40, /* in the two high bits */
};

/*
 * The frame rules are those of a function just called: none changes before the first advance. A
 * program's entry point also declares that it has no caller.
 */
static bool begins_function(const struct elf_fde *fde)
{
	u8 op = CFA_NOP;

	for (u32 i = 0; i < fde->n_insns && op == CFA_NOP; i++)
		op = fde->insns[i];
	return op <= CFA_ADVANCE4 || op == CFA_UNDEFINED || (op & 0xc0) == CFA_ADVANCE;
}

static void add(void *ctx, const struct elf_fde *fde)
{
	struct frames *f = ctx;

	if (!begins_function(fde))
		return;
	if (f->n == f->room) {
		f->room = f->room ? f->room * 2 : 256;
		f->v = xrealloc(f->v, f->room * sizeof *f->v);
	}
	f->v[f->n++] = (struct elf_code){ .value = fde->start, .size = fde->size };
}

static int by_start(const void *a, const void *b)
{
	const struct elf_code *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

enum { MAX_STUB_SECTIONS = 8 }; /* .plt, .plt.got, .plt.sec */

/* Sections with the linker's PLT stubs: one FDE covers a whole section. */
static u32 find_stubs(const struct elf *e, struct elf_code *to)
{
	struct elf_section s;
	u32 n = 0;

	for (u32 i = 0; n < MAX_STUB_SECTIONS && elf_section_at(e, i, &s); i++)
		if (starts_with(s.name, ".plt"))
			to[n++] = (struct elf_code){ .value = s.address, .size = s.size };
	return n;
}

static bool is_within(const struct elf_code *ranges, u32 n, u64 address)
{
	for (u32 i = 0; i < n; i++)
		if (address - ranges[i].value < ranges[i].size)
			return true;
	return false;
}

static void build(struct elf *e)
{
	struct frames f = { 0 };
	struct elf_code stubs[MAX_STUB_SECTIONS];
	u32 kept = 0, n_stubs = find_stubs(e, stubs);

	e->frames_built = true;
	elf_each_fde(e, add, &f);
	if (f.n)
		qsort(f.v, f.n, sizeof *f.v, by_start);
	for (u32 i = 0; i < f.n; i++)
		if ((!kept || f.v[kept - 1].value != f.v[i].value) &&
		    !is_within(stubs, n_stubs, f.v[i].value))
			f.v[kept++] = f.v[i];
	e->frame = f.v;
	e->n_frames = kept;
}

bool elf_frame_at(struct elf *e, u64 address, struct elf_symbol *out)
{
	u32 lo = 0, hi;

	if (!e->frames_built)
		build(e);
	for (hi = e->n_frames; lo < hi;) {
		u32 mid = lo + (hi - lo) / 2;

		if (e->frame[mid].value <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || address - e->frame[lo - 1].value >= e->frame[lo - 1].size)
		return false;
	*out = (struct elf_symbol){ .name = "",
				    .value = e->frame[lo - 1].value,
				    .size = e->frame[lo - 1].size,
				    .type = STT_FUNC,
				    .section = SHN_UNDEF };
	return true;
}

u32 elf_n_frames(struct elf *e)
{
	if (!e->frames_built)
		build(e);
	return e->n_frames;
}
