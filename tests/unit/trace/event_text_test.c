/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record printed by its print fmt: what each function and conversion makes of it. */
#include "trace/event_text.h"
#include "trace/fixture.h"
#include "tap.h"

static const struct event_member members[] = {
	{ .name = "common_pid",
	  .offset = 4,
	  .size = 4,
	  .elem = 4,
	  .is_signed = true,
	  .is_common = true },
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
	u32 type;
	int common_pid;
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
	.common_pid = 815,
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
	struct buf b = { 0 };

	for (int i = 0; i < 2; i++) { /* the second time it is parsed already */
		buf_clear(&b);
		event_text(&b, &fx, &fx_names, &f, &record, sizeof record);
	}
	is_str(b.s ? b.s : "", want, "%s", print_fmt);
	buf_release(&b);
}

static void values(void)
{
	is_text("\"pid=%d flags=%lx comm=%s\", REC->pid, REC->flags, REC->comm",
		"pid=-7 flags=105 comm=worker");
	is_text("\"%s|%8s|%-8s|%.3s\", __get_str(name), REC->comm, REC->comm, REC->comm",
		"given|  worker|worker  |wor");
	is_text("\"%hhd %u %5d %05d %+d %#x %o\", REC->small, REC->small, 42, 42, 42, 255, 8",
		"-2 4294967294    42 00042 +42 0xff 10");
	is_text("\"%lld%% %c\", ((REC->flags) >> 4) & ~0x10ULL, 'x'", "0% x");
	is_text("\"%s\" \"%s\", REC->pid < 0 ? \"neg\" : \"pos\", REC->comm[0] == 'w' ? \"w\" : \"?\"",
		"negw");
	is_text("\"%*d|%-*d|\", 4, 1, 4, 1", "   1|1   |");
	is_text("\"%x %d %d\", (u8)REC->pid, (int)sizeof(u64), (char)0xff", "f9 8 -1");
	is_text("\"%p\", (void *)(unsigned long)REC->flags", "0x105");
	is_text("\"%d %d %s\", REC->ent.pid, REC->common_pid, __print_flags(1, \"|\", { })",
		"815 815 0x1");
}

static void functions(void)
{
	is_text("\"%s\", __print_flags(REC->flags, \"|\", { 0x1, \"A\" }, { (1UL << 2), \"B\" }, { 0x8, \"C\" })",
		"A|B|0x100");
	is_text("\"%s\", __print_flags(REC->flags & 2, \"|\", { 0x1, \"A\" }, { 0, ((void *)0) })",
		"");
	is_text("\"%s %s\", __print_symbolic(REC->pid, { -7, \"seven\" }, { 0, \"zero\" }), __print_symbolic(3, { 1, \"one\" })",
		"seven 0x3");
	is_text("\"%s %s\", __print_hex(REC->addr, 4), __print_hex_str(REC->addr, 4)",
		"20 01 0d b8 20010db8");
	is_text("\"%s\", __print_array(__get_rel_dynamic_array(list), __get_rel_dynamic_array_len(list) / 2, 2)",
		"{0x1,0x20,0xffff}");
	is_text("\"%d\", ((u16 *)__get_rel_dynamic_array(list))[1]", "32");
	is_text("\"%pI6c %pI4 %pM\", REC->addr, REC->addr, REC->addr",
		"2001:db8::1 32.1.13.184 20:01:0d:b8:00:00");
	is_text("\"%s\", __get_sockaddr(sock)", "127.0.0.1:80");
	is_text("\"%llu.%09llu\", __print_ns_to_secs(1500000000ULL), __print_ns_without_secs(1500000000ULL)",
		"1.500000000");
}

/* Functions that the kernel's own text calls; what only it has shows what it is given. */
static void kernel_functions(void)
{
	is_text("\"%x %x %llx\", (__u16)__builtin_bswap16(0x102), __builtin_bswap32(0x1020304), __builtin_bswap64(1ULL << 56)",
		"201 4030201 1");
	is_text("\"%s\", __builtin_expect(!!(REC->pid < 0), 0) ? \"neg\" : \"pos\"", "neg");
	is_text("\"%s\", __print_dynamic_array(sock, sizeof(u16))", "{0x2,0x5000,0x7f,0x100}");
	is_text("\"%sqid=%d\", nvme_trace_disk_name(p, REC->comm), 3", "disk=worker, qid=3");
	is_text("\"%sqid=%d\", nvme_trace_disk_name(p, __get_str(none)), 3",
		"pid=-7 flags=261 comm=worker name=given "
		"list=0x1,0x20,0xffff addr=0x20,0x1,0xd,0xb8,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x1 small=-2 "
		"sock=0x2,0x0,0x0,0x50,0x7f,0x0,0x0,0x1");
	is_text("\"nvmet%s nvmet%s\", nvmet_trace_ctrl_id(p, 0), nvmet_trace_ctrl_id(p, 2)",
		"nvmet_ nvmet2");
	is_text("\"%llx\", (unsigned long long)pte_val(native_make_pte(REC->flags))", "105");
	is_text("\"%s %s %d\", some_op_name(REC->pid), some_dump(p, __get_dynamic_array(sock), 8), other(REC->pid)",
		"-7 02 00 00 50 7f 00 00 01 -7");
}

static bool some_constant(void *ctx, const char *name, s64 *value)
{
	(void)ctx;
	*value = 5;
	return !strcmp(name, "KNOWN");
}

/* The kernel leaves names of its enumerators in some formats, and knows them when it prints. */
static void enumerators(void)
{
	struct names names = { .constant = some_constant };
	struct event_format f = {
		.members = (struct event_member *)(uintptr_t)members,
		.n_members = ARRAY_SIZE(members),
		.print_fmt =
			"\"%s %s\", __print_flags(REC->flags & 7, \"|\", { OTHER, \"o\" }, { KNOWN, \"k\" }), "
			"__print_symbolic(5, { OTHER, \"o\" }, { KNOWN, \"k\" })"
	};
	struct buf b = { 0 };

	event_text(&b, &fx, &names, &f, &record, sizeof record);
	is_str(b.s ? b.s : "", "k k", "%s", f.print_fmt);
	buf_release(&b);
}

static bool counted_constant(void *ctx, const char *name, s64 *value)
{
	(*(u32 *)ctx)++;
	return some_constant(NULL, name, value);
}

/* They are looked up before events come, and the recorded format has their values. */
static void prepared(void)
{
	u32 asked = 0, before;
	struct names names = { .ctx = &asked, .constant = counted_constant };
	struct event_format f = {
		.members = (struct event_member *)(uintptr_t)members,
		.n_members = ARRAY_SIZE(members),
		.text = "name: x\n\nprint fmt: \"%s KNOWN\", __print_flags(REC->flags & 7, \"|\", { KNOWN, \"k\" })\n",
		.print_fmt = "\"%s KNOWN\", __print_flags(REC->flags & 7, \"|\", { KNOWN, \"k\" })",
	};
	struct buf b = { 0 };

	event_prepare(&fx, &names, &f);
	is_str(f.text,
	       "name: x\n\nprint fmt: \"%s KNOWN\", __print_flags(REC->flags & 7, \"|\", { 5, \"k\" })\n",
	       "the text has a number");
	ok(asked, "asked %u times", asked);
	before = asked;
	event_text(&b, &fx, &names, &f, &record, sizeof record);
	is_str(b.s, "k KNOWN", "as an event");
	is_int(asked, before, "events ask no more");
	buf_release(&b);
}

static void ticks(void)
{
	struct event_format f = { .members = (struct event_member *)(uintptr_t)members,
				  .n_members = ARRAY_SIZE(members),
				  .print_fmt = "\"%d\", jiffies_to_msecs(1000)" };
	struct buf b = { 0 };
	int hz;

	event_text(&b, &fx, &fx_names, &f, &record, sizeof record);
	hz = b.s && atoi(b.s) ? 1000000 / atoi(b.s) : 0;
	ok(hz == 100 || hz == 250 || hz == 300 || hz == 1000,
	   "a kernel ticks 100, 250, 300 or 1000 times a second");
	buf_release(&b);
}

/* min() and max() leave statements behind. */
static void statements(void)
{
	is_text("\"%d\", ({ int x_1 = (REC->pid); int y_2 = (128); ((x_1) < (y_2) ? (x_1) : (y_2)); })",
		"-7");
	is_text("\"%u/%d\", ({ unsigned long x = (REC->flags); (void) (&x == &x); ({ u8 x = (300); x; }) + x; }), x",
		"305/0");
	is_text("\"%s\", ({ static const char *t[] = { \"a\" }; t[0]; })",
		"pid=-7 flags=261 comm=worker name=given "
		"list=0x1,0x20,0xffff addr=0x20,0x1,0xd,0xb8,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x1 small=-2 "
		"sock=0x2,0x0,0x0,0x50,0x7f,0x0,0x0,0x1");
}

static void memory(void)
{
	is_text("\"%*ph|%*phC|%*phD|%*phN|%*ph\", 3, REC->addr, 3, REC->addr, 2, REC->addr, 4, REC->addr, 0, REC->addr",
		"20 01 0d|20:01:0d|20-01|20010db8|");
	is_text("\"%*pbl|%*pbl|%*pb|%*pb\", 16, REC->addr, 5, REC->addr, 16, REC->addr, 40, REC->addr",
		"5,8||0120|00,b80d0120");
	is_text("\"%s\", __get_bitmask(sock)", "0100007f,50000002");
}

/* C's own types: what is unsigned is compared and divided so, small ones are ints, 32 bits
 * overflow. */
static void types(void)
{
	is_text("\"%s %s\", REC->flags < -1 ? \"less\" : \"more\", REC->pid < 1 ? \"less\" : \"more\"",
		"less less");
	is_text("\"%s\", REC->flags >= (unsigned long)-4095 ? \"error\" : \"address\"", "address");
	is_text("\"%s %s\", REC->pid > 0u ? \"big\" : \"0\", REC->pid > 0UL ? \"big\" : \"0\"",
		"big big");
	is_text("\"%lu %ld %d\", (jiffies - REC->flags) / 250, REC->pid / 2L, REC->small / 2",
		"73786976294838205 -3 -1");
	is_text("\"%lx %lx %lx\", 0xffffffffu + 1, 0xffffffff + 1, 0xffffffffUL + 1",
		"0 0 100000000");
	is_text("\"%d %lx %ld\", REC->pid >> 1, REC->flags >> 4, ~0 + 0L", "-4 10 -1");
}

static void unknown_names(void)
{
	const char *table =
		"\"%s\", __print_symbolic(REC->flags - 261, { NAME_ONE, \"one\" }, { 0, \"zero\" })";

	is_text(table, "zero");
	is_text("\"%s\", __print_symbolic(0, { 1 << NAME, \"one\" })", "0x0");
	is_text("\"%s\", __print_flags(REC->flags & 5, \"|\", { NAME, \"N\" }, { 1, \"A\" })",
		"A|0x4");
	is_text("\"%s %s\", __print_symbolic(REC->pid, { 1, \"a\" }), __print_symbolic(REC->small, { 1, \"a\" })",
		"0xfffffff9 0xfe");
	is_text("\"%s\", __print_flags(REC->pid, \"|\", { 1, \"A\" })", "A|0xfffffff8");
}

static void addresses(void)
{
	static const struct event_member six = {
		.name = "six", .offset = 8, .size = 16, .elem = 1, .is_array = true
	};
	static const struct {
		u8 common[8], six[16];
		const char *print_fmt, *want;
	} rows[] = {
		{ .six = { [10] = 0xff, 0xff, 127, 0, 0, 1 },
		  .print_fmt = "\"%pI6c\", REC->six",
		  .want = "::ffff:127.0.0.1" },
		{ .six = { 0xfe, 0x80, [10] = 0x5e, 0xfe, 10, 0, 0, 7 },
		  .print_fmt = "\"%pI6c\", REC->six",
		  .want = "fe80::5efe:10.0.0.7" },
		{ .six = { 0x20, 1, [15] = 2 },
		  .print_fmt = "\"%pI6c\", REC->six",
		  .want = "2001::2" },
		{ .six = { 0x20, 1, [15] = 2 },
		  .print_fmt = "\"%pI6\", REC->six",
		  .want = "2001:0000:0000:0000:0000:0000:0000:0002" },
		{ .six = { 0x20, 1, [15] = 2 },
		  .print_fmt = "\"%pi6\", REC->six",
		  .want = "20010000000000000000000000000002" },
		{ .six = { 10, 0, 0, 254 },
		  .print_fmt = "\"%pI4 %pi4\", REC->six, REC->six",
		  .want = "10.0.0.254 010.000.000.254" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event_format f = { .members = (struct event_member *)(uintptr_t)&six,
					  .n_members = 1,
					  .print_fmt = rows[i].print_fmt };
		struct buf b = { 0 };

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
	const char *plain =
		"pid=-7 flags=261 comm=worker name=given list=0x1,0x20,0xffff addr=0x20,0x1,0xd,0xb8,0x0,0x0,0x0,"
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
	kernel_functions();
	enumerators();
	prepared();
	ticks();
	statements();
	memory();
	types();
	unknown_names();
	addresses();
	pointers();
	not_understood();
	arena_release(&fx);
	return done();
}
