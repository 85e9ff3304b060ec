/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record printed by its print fmt: what each function and conversion makes of it. */
#include "trace/event_text.h"
#include "trace/fixture.h"
#include "tap.h"

static const struct event_member members[] = {
	{ .name = "pid", .offset = 8, .size = 4, .elem = 4, .is_signed = true },
	{ .name = "flags", .offset = 16, .size = 8, .elem = 8 },
	{ .name = "comm", .offset = 24, .size = 16, .elem = 1, .is_array = true, .is_char = true },
	{ .name = "name", .offset = 40, .size = 4, .elem = 1, .is_char = true, .data_loc = 1 },
	{ .name = "list", .offset = 44, .size = 4, .elem = 2, .data_loc = 2 },
	{ .name = "addr", .offset = 48, .size = 16, .elem = 1, .is_array = true },
	{ .name = "small", .offset = 64, .size = 1, .elem = 1, .is_signed = true },
	{ .name = "sock", .offset = 68, .size = 4, .elem = 1, .data_loc = 1 },
};

struct record {
	char common[8];
	int pid, pad;
	unsigned long flags;
	char comm[16];
	u32 name, list;
	u8 addr[16];
	signed char small, pad2[3];
	u32 sock;
	char text[8];
	u16 words[3];
	u8 sockaddr[8];
};

static const struct record record = {
	.pid = -7,
	.flags = 0x105,
	.comm = "worker",
	.name = 6 << 16 | offsetof(struct record, text),
	.list = 6 << 16 | (offsetof(struct record, words) - offsetof(struct record, list) - 4),
	.addr = { 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 },
	.small = -2,
	.sock = 8 << 16 | offsetof(struct record, sockaddr),
	.text = "given",
	.words = { 1, 0x20, 0xffff },
	.sockaddr = { 2, 0, 0, 80, 127, 0, 0, 1 },
};

static void is_text(const char *print_fmt, const char *want)
{
	struct event_format f = { .members = (struct event_member *)(uintptr_t)members,
				  .n_members = ARRAY_SIZE(members),
				  .print_fmt = print_fmt };
	struct buf b = {};

	for (int i = 0; i < 2; i++) { /* the second time it is parsed already */
		buf_clear(&b);
		event_text(&b, &fx, &fx_names, &f, &record, sizeof(record));
	}
	is_str(b.s ? b.s : "", want, "%s", print_fmt);
	buf_release(&b);
}

static void values(void)
{
	is_text("\"pid=%d flags=%lx comm=%s\", REC->pid, REC->flags, REC->comm", "pid=-7 flags=105 comm=worker");
	is_text("\"%s|%8s|%-8s|%.3s\", __get_str(name), REC->comm, REC->comm, REC->comm", "given|  worker|worker  |wor");
	is_text("\"%hhd %u %5d %05d %+d %#x %o\", REC->small, REC->small, 42, 42, 42, 255, 8",
		"-2 4294967294    42 00042 +42 0xff 10");
	is_text("\"%lld%% %c\", ((REC->flags) >> 4) & ~0x10ULL, 'x'", "0% x");
	is_text("\"%s\" \"%s\", REC->pid < 0 ? \"neg\" : \"pos\", REC->comm[0] == 'w' ? \"w\" : \"?\"", "negw");
	is_text("\"%*d|%-*d|\", 4, 1, 4, 1", "   1|1   |");
	is_text("\"%x %d %d\", (u8)REC->pid, (int)sizeof(u64), (char)0xff", "f9 8 -1");
	is_text("\"%p\", (void *)(unsigned long)REC->flags", "0x105");
}

static void functions(void)
{
	is_text("\"%s\", __print_flags(REC->flags, \"|\", { 0x1, \"A\" }, { (1UL << 2), \"B\" }, { 0x8, \"C\" })", "A|B|0x100");
	is_text("\"%s\", __print_flags(REC->flags & 2, \"|\", { 0x1, \"A\" }, { 0, ((void *)0) })", "");
	is_text("\"%s %s\", __print_symbolic(REC->pid, { -7, \"seven\" }, { 0, \"zero\" }), __print_symbolic(3, { 1, \"one\" })",
		"seven 0x3");
	is_text("\"%s %s\", __print_hex(REC->addr, 4), __print_hex_str(REC->addr, 4)", "20 01 0d b8 20010db8");
	is_text("\"%s\", __print_array(__get_rel_dynamic_array(list), __get_rel_dynamic_array_len(list) / 2, 2)",
		"{0x1,0x20,0xffff}");
	is_text("\"%d\", ((u16 *)__get_rel_dynamic_array(list))[1]", "32");
	is_text("\"%pI6c %pI4 %pM\", REC->addr, REC->addr, REC->addr", "2001:db8::1 32.1.13.184 20:01:0d:b8:00:00");
	is_text("\"%s\", __get_sockaddr(sock)", "127.0.0.1:80");
	is_text("\"%llu.%09llu\", __print_ns_to_secs(1500000000ULL), __print_ns_without_secs(1500000000ULL)", "1.500000000");
}

/* C's own types: what is unsigned is compared and divided so, small ones are ints, 32 bits overflow. */
static void types(void)
{
	is_text("\"%s %s\", REC->flags < -1 ? \"less\" : \"more\", REC->pid < 1 ? \"less\" : \"more\"", "less less");
	is_text("\"%s\", REC->flags >= (unsigned long)-4095 ? \"error\" : \"address\"", "address");
	is_text("\"%s %s\", REC->pid > 0u ? \"big\" : \"0\", REC->pid > 0UL ? \"big\" : \"0\"", "big big");
	is_text("\"%lu %ld %d\", (jiffies - REC->flags) / 250, REC->pid / 2L, REC->small / 2", "73786976294838205 -3 -1");
	is_text("\"%lx %lx %lx\", 0xffffffffu + 1, 0xffffffff + 1, 0xffffffffUL + 1", "0 0 100000000");
	is_text("\"%d %lx %ld\", REC->pid >> 1, REC->flags >> 4, ~0 + 0L", "-4 10 -1");
}

static void unknown_names(void)
{
	const char *table = "\"%s\", __print_symbolic(REC->flags - 261, { NAME_ONE, \"one\" }, { 0, \"zero\" })";

	is_text(table, "zero");
	is_text("\"%s\", __print_symbolic(0, { 1 << NAME, \"one\" })", "0x0");
	is_text("\"%s\", __print_flags(REC->flags & 5, \"|\", { NAME, \"N\" }, { 1, \"A\" })", "A|0x4");
	is_text("\"%s %s\", __print_symbolic(REC->pid, { 1, \"a\" }), __print_symbolic(REC->small, { 1, \"a\" })",
		"0xfffffff9 0xfe");
	is_text("\"%s\", __print_flags(REC->pid, \"|\", { 1, \"A\" })", "A|0xfffffff8");
}

static void addresses(void)
{
	static const struct event_member six = { .name = "six", .offset = 8, .size = 16, .elem = 1, .is_array = true };
	static const struct {
		u8 common[8], six[16];
		const char *print_fmt, *want;
	} rows[] = {
		{ .six = { [10] = 0xff, 0xff, 127, 0, 0, 1 }, .print_fmt = "\"%pI6c\", REC->six", .want = "::ffff:127.0.0.1" },
		{ .six = { 0xfe, 0x80, [10] = 0x5e, 0xfe, 10, 0, 0, 7 },
		  .print_fmt = "\"%pI6c\", REC->six", .want = "fe80::5efe:10.0.0.7" },
		{ .six = { 0x20, 1, [15] = 2 }, .print_fmt = "\"%pI6c\", REC->six", .want = "2001::2" },
		{ .six = { 0x20, 1, [15] = 2 },
		  .print_fmt = "\"%pI6\", REC->six", .want = "2001:0000:0000:0000:0000:0000:0000:0002" },
		{ .six = { 0x20, 1, [15] = 2 }, .print_fmt = "\"%pi6\", REC->six", .want = "20010000000000000000000000000002" },
		{ .six = { 10, 0, 0, 254 }, .print_fmt = "\"%pI4 %pi4\", REC->six, REC->six", .want = "10.0.0.254 010.000.000.254" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event_format f = { .members = (struct event_member *)(uintptr_t)&six,
					  .n_members = 1,
					  .print_fmt = rows[i].print_fmt };
		struct buf b = {};

		event_text(&b, &fx, &fx_names, &f, &rows[i], 24);
		is_str(b.s ? b.s : "", rows[i].want, "%s", rows[i].print_fmt);
		buf_release(&b);
	}
}

static void pointers(void)
{
	is_text("\"%p %8p %s\", 0, 0x12, REC->flags", "(nil)     0x12 constant");
	is_text("\"%s\", REC->pid + 8", "1");
	is_text("\"%s\", __get_cpumask(list)", "0,21,32-47");
}

static void not_understood(void)
{
	const char *plain = "pid=-7 flags=261 comm=worker name=given list=0x1,0x20,0xffff addr=0x20,0x1,0xd,0xb8,0x0,0x0,0x0,"
			    "0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x1 small=-2 sock=0x2,0x0,0x0,0x50,0x7f,0x0,0x0,0x1";

	is_text("\"%d\", REC->nothing", plain);
	is_text("\"%d", plain);
	is_text("\"%d\", (1 + ", plain);
	is_text("\"%d %d\", 1", "1 ");
}

int main(void)
{
	arena_init(&fx);
	values();
	functions();
	types();
	unknown_names();
	addresses();
	pointers();
	not_understood();
	arena_release(&fx);
	return done();
}
