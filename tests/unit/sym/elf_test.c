/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files: this program and the C library, then broken copies of this program. */
#include <elf.h>
#include <unistd.h>
#include "base/buf.h"
#include "object/elf.h"
#include "sym/procs.h"
#include "tap.h"

#ifdef __x86_64__
/* Two probes as systemtap's sdt.h lays them out, one with a semaphore. */
__asm__(".pushsection .probes, \"aw\", \"progbits\"\n"
	"test_semaphore: .word 0\n"
	".popsection\n"
	".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
	".weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"
	".size _.stapsdt.base, 1\n"
	".popsection\n"
	".text\n"
	"test_probe_site: nop\n"
	".pushsection .note.stapsdt, \"\", \"note\"\n"
	".balign 4\n"
	".4byte 2f-1f, 4f-3f, 3\n"
	"1: .asciz \"stapsdt\"\n"
	"2: .balign 4\n"
	"3: .8byte test_probe_site, _.stapsdt.base, test_semaphore\n"
	".asciz \"house\"\n.asciz \"door\"\n.asciz \"-4@%edi 8@-16(%rbp)\"\n"
	"4: .balign 4\n"
	".4byte 2f-1f, 4f-3f, 3\n"
	"1: .asciz \"stapsdt\"\n"
	"2: .balign 4\n"
	"3: .8byte test_probe_site, _.stapsdt.base, 0\n"
	".asciz \"house\"\n.asciz \"bell\"\n.asciz \"\"\n"
	"4: .balign 4\n"
	".popsection\n");
#endif

int a_function_of_mine(int x);

__attribute__((noinline)) int a_function_of_mine(int x)
{
	return x + getpid();
}

#ifdef __x86_64__
static int n_usdt;

static int usdt(void *ctx, const struct elf_usdt *u)
{
	struct elf *e = ctx;
	struct elf_symbol s;

	is_str(u->provider, "house", "provider");
	is_str(u->name, n_usdt ? "bell" : "door", "name");
	is_str(u->args, n_usdt ? "" : "-4@%edi 8@-16(%rbp)", "arguments");
	ok(elf_find(e, "test_probe_site", &s) && u->address == s.value, "address");
	ok(elf_find(e, "test_semaphore", &s) && u->semaphore == (n_usdt ? 0 : s.value),
	   "semaphore");
	ok(!u->semaphore == !u->semaphore_offset, "semaphore's offset");
	n_usdt++;
	return 0;
}
#endif

/* Called through a pointer that may change: neither the compiler nor the linker drops it. */
static int (*volatile mine)(int) = a_function_of_mine;

static int count(void *ctx, const struct elf_symbol *s)
{
	(void)s;
	++*(u32 *)ctx;
	return 0;
}

static void own(void)
{
	int one = mine(1);
	struct err err = { 0 };
	struct elf *e = elf_open("/proc/self/exe", &err);
	struct elf_symbol s;
	u64 off = 0, back = 0;
	u32 n = 0, len = 0;

	ok(one && e != NULL, "opens: %s", err.text);
	ok(elf_find(e, "a_function_of_mine", &s) && s.type == STT_FUNC && s.size, "symbol by name");
	ok(elf_address_to_offset(e, s.value, &off), "file offset");
	ok(elf_offset_to_address(e, off, &back) && back == s.value, "and back");
	ok(elf_symbol_at(e, s.value + 1, &s) && streq(s.name, "a_function_of_mine"), "by address");
	ok(!elf_symbol_at(e, ~0ULL, &s), "no symbol at the end of the world");
	ok(!elf_find(e, "getpid", &s), "imports are not ours");
	is_int(elf_each_function(e, "a_func*_of_mine", count, &n), 0, "list");
	is_int(n, 1, "each once");
	ok(elf_type(e) == ET_DYN || elf_type(e) == ET_EXEC, "type");
	if (elf_build_id(e, &len))
		ok(len >= 8, "build id of %u bytes", len);
	else
		skip("no build id");
#ifdef __x86_64__
	is_int(elf_each_usdt(e, usdt, e), 0, "USDT notes");
	is_int(n_usdt, 2, "number of them");
#endif
	elf_close(e);
}

static void libc(void)
{
	struct arena a;
	struct err err = { 0 };
	const char *path;
	struct elf *e;
	struct elf_symbol s;
	u32 n = 0;

	arena_init(&a);
	path = path_find_binary(&a, "libc", 0);
	ok(path != NULL, "libc is found: %s", path ? path : "");
	e = path ? elf_open(path, &err) : NULL;
	ok(e && elf_find(e, "malloc", &s) && s.size, "malloc");
	ok(e && elf_symbol_at(e, s.value, &s), "at its address: %s", s.name);
	ok(e && elf_each_function(e, NULL, count, &n) == 0 && n > 1000, "%u functions", n);
	elf_close(e);
	arena_release(&a);
	err_release(&err);
}

static int ignore(void *ctx, const struct elf_usdt *u)
{
	(void)ctx;
	return strlen(u->args) > 100000;
}

static void touch(const void *bytes, size_t len)
{
	struct err err = { 0 };
	struct elf *e = elf_from_bytes(bytes, len, &err);
	struct elf_symbol s;
	u32 n = 0;
	u64 x;

	err_release(&err);
	if (!e)
		return;
	elf_find(e, "main", &s);
	elf_symbol_at(e, elf_entry(e), &s);
	elf_build_id(e, &n);
	elf_debuglink(e, &n);
	elf_each_usdt(e, ignore, NULL);
	elf_address_to_offset(e, elf_entry(e), &x);
	elf_close(e);
}

/* The headers are where the damage can be done; sections of this program follow in the tail. */
static void broken(void)
{
	struct buf b = { 0 };
	u32 seed = 1;
	Elf64_Ehdr *h;

	if (buf_read_file(&b, "/proc/self/exe") < 0) {
		skip("cannot read itself");
		return;
	}
	h = (void *)b.s;
	for (size_t cut = 0; cut < 200; cut++)
		touch(b.s, cut * b.len / 200);
	ok(true, "cut files are refused or harmless");
	for (u32 i = 0; i < 300; i++) {
		u64 at = i % 3 ? h->e_shoff + (seed = seed * 1103515245 + 12345) / 7 %
						      ((u64)h->e_shnum * sizeof(Elf64_Shdr)) :
				 16 + i / 3 % 48;
		char was = at < b.len ? b.s[at] : 0;

		if (at >= b.len)
			continue;
		b.s[at] = (char)(seed >> 9);
		touch(b.s, b.len);
		b.s[at] = was;
	}
	ok(true, "damaged headers are refused or harmless");
	buf_release(&b);
}

static void refused(void)
{
	struct err err = { 0 };

	ok(!elf_open("/no/such/file", &err) && err.code < 0, "no file: %s", err.text);
	ok(!elf_open("/etc/passwd", &err) && err.code < 0, "no ELF: %s", err.text);
	ok(!elf_open("/tmp", &err) && err.code < 0, "a directory: %s", err.text);
	err_release(&err);
}

int main(void)
{
	own();
	libc();
	broken();
	refused();
	return done();
}
