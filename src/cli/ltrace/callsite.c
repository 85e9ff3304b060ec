/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name by which code calls a function of another file, which it does through a word that the
 * dynamic linker sets (GOT). x86-64 (System V ABI, "Procedure Linkage Table"):
 *
 *	call *SLOT(%rip)			-fno-plt: ff 15 disp32
 *	call STUB				e8 rel32
 *	STUB: [endbr64] [bnd] jmp *SLOT(%rip)	.plt, .plt.got, .plt.sec: ff 25 disp32
 *
 * and the slot's relocation has the name.
 */
#include <elf.h>
#include "cli/ltrace/ltrace.h"

static void put_address(struct ltrace_object *o, struct hash *h, u64 address, const char *name)
{
	u64 *key = xmalloc(sizeof *key);

	*key = address;
	hash_put(h, key, sizeof *key, (void *)(uintptr_t)name);
}

static const char *name_at(const struct hash *h, u64 address)
{
	return hash_get(h, &address, sizeof address);
}

static int add_slot(void *ctx, u64 address, const char *name)
{
	struct ltrace_object *o = ctx;

	put_address(o, &o->slots, address, name);
	return 0;
}

/* The beginning of an entry: what is before its jump has no effect. */
static u64 stub_start(const u8 *code, u64 at)
{
	static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (at >= 1 && code[at - 1] == 0xf2) /* bnd */
		at--;
	return at >= 4 && !memcmp(code + at - 4, endbr64, 4) ? at - 4 : at;
}

static void scan_stubs(struct ltrace_object *o, const struct elf_section *s)
{
	const u8 *code = s->bytes;

	for (u64 at = 0; at + 6 <= s->size; at++) {
		const char *name;
		s32 disp;

		if (code[at] != 0xff || code[at + 1] != 0x25)
			continue;
		memcpy(&disp, code + at + 2, sizeof disp);
		name = name_at(&o->slots, s->address + at + 6 + (u64)(s64)disp);
		if (name)
			put_address(o, &o->stubs, s->address + stub_start(code, at), name);
	}
}

static void read_stubs(struct ltrace_object *o)
{
	struct elf_section s;

	if (o->has_stubs || elf_machine(o->elf) != EM_X86_64)
		return;
	o->has_stubs = true;
	elf_each_slot(o->elf, add_slot, o);
	for (u32 i = 0; elf_section_at(o->elf, i, &s); i++)
		if (starts_with(s.name, ".plt") && s.bytes)
			scan_stubs(o, &s);
}

u64 ltrace_stub(struct ltrace_object *o, const char *name)
{
	read_stubs(o);
	for (u32 i = 0; i < o->stubs.cap; i++) {
		const struct hash_slot *slot = &o->stubs.slot[i];
		u64 address;

		if (!slot->key || !streq(slot->value, name))
			continue;
		memcpy(&address, slot->key, sizeof address);
		return address;
	}
	return 0;
}

/* The bytes before an address of the code, or NULL. */
static const u8 *code_before(const struct elf *e, u64 address, u32 n)
{
	struct elf_section s;

	for (u32 i = 0; elf_code_segment(e, i, &s); i++)
		if (s.bytes && address - s.address <= s.size && address - s.address >= n)
			return (const u8 *)s.bytes + (address - s.address) - n;
	return NULL;
}

const char *ltrace_called_name(struct ltrace_object *o, u64 return_address)
{
	const u8 *code = code_before(o->elf, return_address, 6);
	const char *name = NULL;
	s32 disp;

	read_stubs(o);
	if (!code || !o->has_stubs)
		return NULL;
	memcpy(&disp, code + 2, sizeof disp);
	if (code[0] == 0xff && code[1] == 0x15)
		name = name_at(&o->slots, return_address + (u64)(s64)disp);
	if (!name && code[1] == 0xe8)
		name = name_at(&o->stubs, return_address + (u64)(s64)disp);
	return name;
}
