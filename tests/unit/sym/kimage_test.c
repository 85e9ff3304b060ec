/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a kernel's code: a small program is the image, its symbols say that it runs
 * elsewhere. */
#include <stdlib.h>
#include <unistd.h>
#include "object/dwarf.h"
#include "object/elf.h"
#include "sym/kallsyms.h"
#include "sym/kimage.h"
#include "tap.h"

static const char program[] = "asm(\".globl _text, _stext\\n_text: _stext: nop\\n\");\n"
			      "volatile int seen;\n"
			      "static inline int inner(int n)\n"
			      "{\n"
			      "	return seen * n;\n"
			      "}\n"
			      "int outer(int n)\n"
			      "{\n"
			      "	seen = 7;\n"
			      "	return inner(n) + 1;\n"
			      "}\n"
			      "void _start(void) { outer(1); for (;;) ; }\n";

enum { SLIDE = 0x200000 };

/* Under an emulator "cc" is the host's. */
#ifdef __aarch64__
#define COMPILER "aarch64-linux-gnu-gcc"
#else
#define COMPILER "cc"
#endif

static char folder[] = "/tmp/kimage_test.XXXXXX";

static const char *in_folder(const char *name)
{
	static char path[4][64];
	static u32 n;
	char *to = path[n++ % 4];

	snprintf(to, sizeof path[0], "%s/%s", folder, name);
	return to;
}

static bool build(void)
{
	FILE *f = fopen(in_folder("image.c"), "w");
	char command[256];

	if (!f || fputs(program, f) < 0 || fclose(f))
		return false;
	snprintf(command, sizeof command,
		 COMPILER " -g -O1 -static -nostdlib -fno-toplevel-reorder -o %s %s 2>/dev/null",
		 in_folder("image"), in_folder("image.c"));
	return !system(command);
}

static void put_symbol(FILE *f, const char *name, u64 address)
{
	fprintf(f, "%016llx T %s\n", (unsigned long long)address + SLIDE, name);
}

/* The symbols as the running kernel would list them. */
static bool list(u64 text, u64 outer)
{
	FILE *f = fopen(in_folder("kallsyms"), "w");

	if (!f)
		return false;
	put_symbol(f, "_text", text);
	put_symbol(f, "_stext", text);
	put_symbol(f, "outer", outer);
	put_symbol(f, "_etext", outer + 4096);
	return !fclose(f);
}

static void look_up(u64 outer, u64 size)
{
	struct kallsyms *symbols = kallsyms_new(in_folder("kallsyms"));
	struct kimage *k = kimage_new(in_folder("image"));
	struct usource s;
	struct err err = { 0 };
	u64 inlined = 0;

	ok(!kallsyms_load(symbols, &err), "the symbols are read");
	ok(kimage_source(k, symbols, outer + SLIDE, false, 0, &s) && streq(s.name, "outer") &&
		   !s.inlined && ends_with(s.file, "image.c"),
	   "the entry of a function");
	ok(!kimage_source(k, symbols, outer + SLIDE, false, 1, &s), "nothing around it");
	for (u64 at = outer; !inlined && at < outer + size; at++)
		if (kimage_source(k, symbols, at + SLIDE, false, 0, &s) && s.inlined)
			inlined = at + SLIDE;
	ok(inlined && streq(s.name, "inner") && s.line == 5, "an inlined function");
	ok(kimage_source(k, symbols, inlined + 1, true, 0, &s) && streq(s.name, "inner"),
	   "of a return address the call before it");
	ok(kimage_source(k, symbols, inlined, false, 1, &s) && streq(s.name, "outer") &&
		   !s.inlined && s.line == 10,
	   "its caller at the line of the call");
	ok(!kimage_source(k, symbols, inlined - SLIDE, false, 0, &s), "not where it is not loaded");
	ok(!kimage_source(k, symbols, inlined + (64 << 20), false, 0, &s), "no code of the image");
	kimage_free(k);
	k = kimage_new("/nonexistent");
	ok(!kimage_source(k, symbols, inlined, false, 0, &s), "no image: no lines");
	kimage_free(k);
	kallsyms_free(symbols);
	err_release(&err);
}

int main(void)
{
	struct err err = { 0 };
	struct elf_symbol text, outer;
	struct dwarf *d;
	struct elf *elf;
	char command[64];

	if (!mkdtemp(folder) || !build())
		return skip("no C compiler"), done();
	elf = elf_open(in_folder("image"), &err);
	ok(elf && elf_find(elf, "_text", &text) && elf_find(elf, "outer", &outer) &&
		   list(text.value, outer.value),
	   "the image has the symbols");
	d = elf ? dwarf_open(elf, &err) : NULL;
	if (d)
		look_up(outer.value, outer.size);
	else
		skip("no libdw");
	dwarf_close(d);
	elf_close(elf);
	err_release(&err);
	snprintf(command, sizeof command, "rm -r %s", folder);
	return system(command) ? 1 : done();
}
