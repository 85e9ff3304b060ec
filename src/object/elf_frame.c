/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where functions begin in files without symbols: .eh_frame, which unwinding needs and strip keeps, has an
 * entry (FDE) for each function. Format: the Linux Standard Base, "Exception Frames", and DWARF 4, 6.4.1:
 *
 *	u32 length (ffffffff: u64 follows; 0: end) | u32 CIE id | body
 *
 * CIE id 0 is a CIE: version, augmentation, alignments, return register, augmentation data, of which 'R'
 * tells how the addresses of its FDEs are written. Else it is an FDE, its CIE stands so many bytes
 * before that word: address, size, augmentation data, and how the frame changes. A part that the compiler
 * moved away from its function (foo.cold) has an entry too: its frame is there from the first instruction.
 */
#include <stdlib.h>
#include "object/elf_file.h"

enum { /* DW_EH_PE_*: how a pointer is written, and what is added to it */
       PE_ABSPTR = 0,
       PE_UDATA2 = 2,
       PE_UDATA4 = 3,
       PE_UDATA8 = 4,
       PE_SIGNED = 8, /* of what follows: sdata2, sdata4, sdata8; 8 alone: a signed word */
       PE_PCREL = 0x10,
       PE_OMIT = 0xff,
};

struct cursor {
	const u8 *at, *end;
	u64 address; /* of at */
	bool is32, bad;
};

static u64 take(struct cursor *c, u32 size)
{
	u64 v = 0;

	if ((u64)(c->end - c->at) < size) {
		c->bad = true;
		return 0;
	}
	memcpy(&v, c->at, size); /* little-endian, as this machine */
	c->at += size;
	c->address += size;
	return v;
}

static u64 take_leb(struct cursor *c)
{
	u64 v = 0;
	u32 shift = 0;
	u8 byte;

	do {
		byte = (u8)take(c, 1);
		if (shift < 64)
			v |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !c->bad);
	return v;
}

static u64 sign_extend(u64 v, u32 size)
{
	u32 shift = 64 - 8 * size;

	return (u64)((s64)(v << shift) >> shift);
}

static u64 take_pointer(struct cursor *c, u8 how)
{
	u64 base = (how & 0x70) == PE_PCREL ? c->address : 0, v;
	u32 size;

	switch (how & 7) {
	case PE_ABSPTR: size = c->is32 ? 4 : 8; break;
	case PE_UDATA2: size = 2; break;
	case PE_UDATA4: size = 4; break;
	case PE_UDATA8: size = 8; break;
	default: c->bad = true; return 0;
	}
	if ((how & 0x70) > PE_PCREL)
		c->bad = true; /* relative to what we do not know */
	v = take(c, size);
	if (how & PE_SIGNED || (base && size < 8))
		v = sign_extend(v, size);
	v += base;
	return c->is32 ? (u32)v : v;
}

/* How a CIE's FDEs write addresses; false: not one that we can read. */
static bool read_cie(struct cursor c, u8 *how, bool *has_data)
{
	u8 version = (u8)take(&c, 1);
	const char *augmentation = (const char *)c.at;
	u64 len = c.bad ? 0 : strnlen(augmentation, (size_t)(c.end - c.at));

	*how = PE_ABSPTR;
	if (c.bad || c.at + len == c.end || (version != 1 && version != 3))
		return false;
	c.at += len + 1;
	c.address += len + 1;
	take_leb(&c);
	take_leb(&c);
	if (version == 1)
		take(&c, 1);
	else
		take_leb(&c);
	*has_data = *augmentation == 'z';
	if (!*has_data)
		return !*augmentation && !c.bad;
	take_leb(&c);
	for (const char *a = augmentation + 1; *a && !c.bad; a++) {
		if (*a == 'R')
			*how = (u8)take(&c, 1);
		else if (*a == 'L')
			take(&c, 1);
		else if (*a == 'P')
			take_pointer(&c, (u8)take(&c, 1) & 0x1f);
		else if (*a != 'S' && *a != 'B')
			return false;
	}
	return !c.bad && *how != PE_OMIT;
}

struct frames {
	struct elf_code *v;
	u32 n, room;
};

static void add(struct frames *f, u64 start, u64 size)
{
	if (f->n == f->room) {
		f->room = f->room ? f->room * 2 : 256;
		f->v = xrealloc(f->v, f->room * sizeof(*f->v));
	}
	f->v[f->n++] = (struct elf_code){ .value = start, .size = size };
}

enum { /* DW_CFA_* */
       CFA_NOP = 0,
       CFA_SET_LOC = 1,
       CFA_ADVANCE1 = 2,
       CFA_ADVANCE4 = 4,
       CFA_UNDEFINED = 7,
       CFA_ADVANCE = 0x40, /* the two high bits */
};

/* Whether the frame is that of a function just called: nothing changes before the first advance. The entry
 * point of a program says besides that it has no caller. */
static bool begins_function(struct cursor c, bool has_data)
{
	u64 skip = has_data ? take_leb(&c) : 0;
	u8 op = CFA_NOP;

	if (c.bad || skip > (u64)(c.end - c.at))
		return false;
	for (c.at += skip; c.at < c.end && op == CFA_NOP;)
		op = (u8)take(&c, 1);
	return op <= CFA_ADVANCE4 || op == CFA_UNDEFINED || (op & 0xc0) == CFA_ADVANCE;
}

static void read_fde(struct frames *f, struct cursor c, u8 how, bool has_data)
{
	u64 start = take_pointer(&c, how), size = take_pointer(&c, how & 0xf);

	if (!c.bad && start && size && begins_function(c, has_data))
		add(f, start, size);
}

/* One CIE or FDE; false: the end. */
static bool read_entry(struct frames *f, struct cursor *c, const u8 *from)
{
	u64 len = take(c, 4);
	struct cursor body, cie;
	u32 id_size = 4;
	const u8 *id_at;
	u64 id;
	bool has_data;
	u8 how;

	if (len == 0xffffffff) {
		len = take(c, 8);
		id_size = 8;
	}
	if (c->bad || !len || len > (u64)(c->end - c->at))
		return false;
	body = *c;
	body.end = c->at + len;
	c->at += len;
	c->address += len;
	id_at = body.at;
	id = take(&body, id_size);
	if (body.bad || !id || id > (u64)(id_at - from))
		return !body.bad;
	cie = (struct cursor){ .at = id_at - id,
			       .end = body.end,
			       .address = body.address - id_size - id,
			       .is32 = c->is32 };
	len = take(&cie, 4);
	if (len == 0xffffffff)
		len = take(&cie, 8);
	if (cie.bad || len > (u64)(cie.end - cie.at) || len < id_size)
		return true;
	cie.end = cie.at + len;
	if (take(&cie, id_size) == 0 && read_cie(cie, &how, &has_data))
		read_fde(f, body, how, has_data);
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct elf_code *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

enum { MAX_STUB_SECTIONS = 8 }; /* .plt, .plt.got, .plt.sec */

/* Where the linker's stubs are that call other files: one entry covers a whole section of them. */
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
	struct elf_section s;
	struct frames f = {};
	struct cursor c;
	struct elf_code stubs[MAX_STUB_SECTIONS];
	u32 kept = 0, n_stubs = find_stubs(e, stubs);

	e->frames_built = true;
	if (!elf_section(e, ".eh_frame", &s) || !s.bytes)
		return;
	c = (struct cursor){ .at = s.bytes,
			     .end = (const u8 *)s.bytes + s.size,
			     .address = s.address,
			     .is32 = e->own_header };
	while (read_entry(&f, &c, s.bytes))
		;
	if (f.n)
		qsort(f.v, f.n, sizeof(*f.v), by_start);
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
