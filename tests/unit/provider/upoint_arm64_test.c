/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where probes of arm64 functions go, and where they must not, in a program built by the cross
 * compiler. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "fixture.h"
#include "arch/insn_arm64.h"
#include "provider/upoint.h"
#include "object/elf.h"

#define OPTIONS "-O1 -w -mbranch-protection=standard -static -nostdlib -ffreestanding"

static struct fixture x;
static struct elf *elf;
static struct upoint_finder *finder;

static struct upoint find(const char *name, struct upoint_need need)
{
	struct elf_symbol s;
	struct upoint at = { 0 };

	if (!elf_find(elf, name, &s))
		BUG("no %s", name);
	upoint_find(finder, &s, &need, &at);
	return at;
}

static void place(const char *name, struct upoint_need need, u32 offset, const char *why)
{
	struct upoint at = find(name, need);

	ok(at.offset == offset && strstr(at.why, why), "%s: %s", name, at.why);
}

static const char *refusal(const char *name, u64 offset)
{
	struct elf_symbol s;

	if (!elf_find(elf, name, &s))
		BUG("no %s", name);
	return upoint_refuses(elf, s.value + offset);
}

static void refused(const char *name, u64 offset, const char *want)
{
	const char *why = refusal(name, offset);

	ok(want ? why && strstr(why, want) : !why, "%s+%llu: %s", name, (unsigned long long)offset,
	   why ? why : "may be probed");
}

static void test_entries(void)
{
	struct upoint_need two = { .regs = 3 }, none = { 0 };
	struct upoint at;

	place("after_bti", two, 8, "conditional branch");
	place("after_sub", two, 12, "conditional branch");
	is_int(find("after_sub", two).sp, -32, "sp has moved by");
	place("signed_frame", two, 24, "bl");
	at = find("signed_frame", two);
	ok(at.reg[0] == 19 && at.reg[1] == 1 && at.framed,
	   "x0 is in x19 there, and the frame is made");
	place("both", two, 28, "bl");
	place("no_frame", two, 8, "bl");
	place("late_frame", two, 16, "bl");
	ok(find("late_frame", two).framed && !find("no_frame", two).framed,
	   "a frame below the top");
	place("overwritten", two, 0, "overwrites x0");
	place("overwritten", none, 8, "conditional branch");
	place("loops_back", none, 0, "a branch enters");
	place("entered", none, 0, "another symbol");
	place("jumped_into", none, 0, "a branch enters");
	place("jumper", two, 8, "simulates the b there");
	place("table", none, 0, "jump table");
	place("reads_memory", none, 0, "reads memory");
	place("leaf", none, 8, "ret");
	place("leaf", (struct upoint_need){ .flags = true }, 8, "ret");
	place("after_bti", (struct upoint_need){ .plain = true }, 0, "args or ctx");
}

static void test_returns_and_stacks(void)
{
	struct upoint_need returns = { .is_return = true }, stack = { .stack = true };

	place("after_bti", returns, 8, "conditional branch");
	place("after_sub", returns, 0, "sp or x30");
	place("signed_frame", returns, 0, "sp or x30");
	place("leaf", returns, 8, "ret");
	place("signed_frame", stack, 24, "bl");
	place("late_frame", stack, 16, "bl");
	place("no_frame", stack, 0, "branches or ends");
	place("after_sub", stack, 12, "conditional branch");
	stack.caller = true;
	place("after_sub", stack, 0, "a return probe is here");
	place("signed_frame", stack, 0, "a return probe is here");
	place("leaf", stack, 8, "ret");
}

static void test_refused(void)
{
	refused("adds_up", 12, NULL);
	refused("adds_up", 16, "exclusive load or store");
	refused("adds_up", 20, "between an exclusive load and its store");
	refused("adds_up", 24, "exclusive load or store");
	refused("adds_up", 28, NULL);
	refused("literal", 4, NULL);
	refused("literal", 8, "beside the code");
	refused("signed_frame", 40, "autiasp");
	refused("both", 44, "authenticates");
	refused("leaf", 2, "multiples of four");
	refused("start", 0, NULL);
}

static void test_literal_first(void)
{
	place("no_entry", (struct upoint_need){ 0 }, 12, "ret");
	place("no_entry", (struct upoint_need){ .regs = 3 }, 4,
	      "does not allow a probe on the instructions before it");
	ok(find("no_entry", (struct upoint_need){ .regs = 4 }).refused != NULL,
	   "but not where x2 is asked for");
	ok(!find("no_entry", (struct upoint_need){ .regs = 3 }).refused, "x0 and x1 are there");
}

int main(void)
{
	char file[] = "/tmp/upoint_arm64.XXXXXX", command[512];
	struct err err = { 0 };
	int fd = mkstemp(file);

	fixture_init(&x);
	snprintf(command, sizeof command,
		 "aarch64-linux-gnu-gcc " OPTIONS
		 " -o %s tests/live/uprobe/places_arm64.c 2>/dev/null",
		 file);
	elf = fd >= 0 && !system(command) ? elf_open(file, &err) : NULL;
	if (elf) {
		finder = upoint_finder_new(&x.env, elf);
		test_entries();
		test_returns_and_stacks();
		test_refused();
		test_literal_first();
		upoint_finder_free(finder);
		elf_close(elf);
	} else {
		skip("no aarch64-linux-gnu-gcc");
	}
	unlink(file);
	close(fd);
	fixture_release(&x);
	return done();
}
