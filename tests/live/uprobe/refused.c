/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refused FILE [STEP]: asks the kernel for a uprobe on instructions of all opcodes, plain, with prefixes, VEX and
 * EVEX, in a file that this process has mapped, and prints where its answer is not that of x86_uprobe_refuses().
 * Closing a probe waits for all processors: STEP leaves out all but each STEP-th.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "arch/insn.h"

enum { SLOT = 32, MAX_SLOTS = 4096 };

static unsigned char code[MAX_SLOTS][SLOT];
static unsigned n_slots;

static void add(const char *prefix, unsigned n, unsigned op)
{
	unsigned char *at = code[n_slots++];

	memset(at, 0x90, SLOT);
	memcpy(at, prefix, n);
	at[n] = (unsigned char)op;
	at[n + 1] = 0xc1;
}

static int probe(int type, const char *path, unsigned slot)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = (unsigned)type };

	attr.config1 = (unsigned long)path;
	attr.config2 = slot * SLOT;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char **argv)
{
	static const struct { const char *bytes; unsigned n; } prefix[] = {
		{ "", 0 }, { "\x66", 1 }, { "\xf0", 1 }, { "\x2e", 1 }, { "\x3e", 1 }, { "\x64", 1 }, { "\xf3", 1 },
		{ "\x48", 1 }, { "\x0f", 1 }, { "\x66\x0f", 2 }, { "\xc5\xf9", 2 }, { "\xc5\xfa", 2 },
		{ "\xc4\xe2\x79", 3 }, { "\x62\xf1\x7d\x48", 4 },
	};
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "r"), *file;
	unsigned step = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	int type = -1, refused = 0, known = 0;
	struct x86_insn in;

	if (argc < 2 || !f || fscanf(f, "%d", &type) != 1 || !(file = fopen(argv[1], "w+")))
		return 2;
	for (unsigned p = 0; p < sizeof(prefix) / sizeof(*prefix); p++)
		for (unsigned op = 0; op < 256; op++) /* but for fs and gs, behind which no other prefix is seen */
			if (op != 0x64 && op != 0x65)
				add(prefix[p].bytes, prefix[p].n, op);
	fwrite(code, SLOT, n_slots, file);
	fflush(file);
	if (mmap(NULL, n_slots * SLOT, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0) == MAP_FAILED)
		return 2;
	for (unsigned i = 0; i < n_slots; i += step) {
		const char *why;
		int fd, error;

		if (!x86_decode(code[i], 15, X86_64, &in))
			continue;
		why = x86_uprobe_refuses(&in, X86_64);
		fd = probe(type, argv[1], i);
		error = fd < 0 ? errno : 0;
		if (error == ENOEXEC) /* unknown to this kernel's decoder */
			continue;
		known++;
		refused += error != 0;
		if (!error != !why)
			printf("%02x %02x %02x %02x %02x: the kernel: %s; sonde: %s\n", code[i][0], code[i][1],
			       code[i][2], code[i][3], code[i][4], error ? strerror(error) : "yes", why ? why : "yes");
		if (fd >= 0)
			close(fd);
	}
	printf("%s\n", refused && refused < known ? "both answers" : "one answer only");
	fprintf(stderr, "%d asked, %d refused\n", known, refused);
	return 0;
}
