/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What names, source lines and inlined functions of many addresses cost: distinct addresses, spread
 * over the code of a file with debug information, which this process maps. Each is asked for twice,
 * as rows of a map do that share frames. Prints CPU time and memory, without pages of files.
 *
 *	symbols [FILE [ADDRESSES]]	build/sonde, 100000
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "object/elf.h"
#include "sym/usym.h"

struct code {
	u64 begin, size; /* of the executable mapping, in this process */
};

static struct code map_code(const char *path)
{
	struct err err = {};
	struct elf *e = elf_open(path, &err);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_section text;
	void *p;

	if (!e || fd < 0 || !elf_section(e, ".text", &text)) {
		fprintf(stderr, "symbols: %s is no program\n", path);
		exit(1);
	}
	p = mmap(NULL, text.offset + text.size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	elf_close(e);
	return (struct code){ (u64)(uintptr_t)p + text.offset, text.size };
}

struct counts {
	u32 found, inlined;
};

static void name_all(struct usyms *u, const struct code *c, u32 n, struct counts *sum)
{
	struct usym s;

	for (u32 i = 0; i < n; i++)
		sum->found += usyms_resolve(u, (u32)getpid(), 0, c->begin + c->size * i / n, &s);
}

static void place_all(struct usyms *u, const struct code *c, u32 n, struct counts *sum)
{
	struct usource s;

	for (u32 i = 0; i < n; i++)
		for (u32 depth = 0;
		     usyms_source(u,
				  &(struct code_at){ .pid = (u32)getpid(),
						     .address = c->begin + c->size * i / n },
				  depth, &s);
		     depth++) {
			sum->found += !depth;
			sum->inlined += s.inlined;
		}
}

static u64 cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

/* Kilobytes of memory that are not pages of files. */
static long own_kb(void)
{
	struct buf b = {};
	const char *line;
	long kb = 0;

	if (buf_read_file(&b, "/proc/self/status") == 0 && (line = strstr(b.s, "RssAnon:")))
		kb = strtol(line + strlen("RssAnon:"), NULL, 10);
	buf_release(&b);
	return kb;
}

typedef void (*look_up)(struct usyms *u, const struct code *c, u32 n, struct counts *sum);

static void measure(const char *what, look_up f, struct usyms *u, const struct code *c, u32 n)
{
	struct counts sum = {};
	long kb = own_kb();
	u64 from = cpu_ns();

	f(u, c, n, &sum);
	printf("%s: %.3f s, %.1f MB, %u found, %u inlined\n", what, (double)(cpu_ns() - from) / 1e9,
	       (double)(own_kb() - kb) / 1024, sum.found, sum.inlined);
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "build/sonde";
	u32 n = argc > 2 ? (u32)strtoul(argv[2], NULL, 10) : 100000;
	struct code c = map_code(path);
	struct usyms *u = usyms_new();

	measure("names", name_all, u, &c, n);
	measure("lines and inlined functions", place_all, u, &c, n);
	measure("the same again", place_all, u, &c, n);
	usyms_free(u);
	return 0;
}
