/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of system calls as names. The sets are of sym/callsets.def. */
#include <signal.h>
#include <sys/wait.h>
#include "trace/call_words.h"

enum { MODE_BITS = 0777, SHIFT = 26, SHIFTED_BITS = 0xfc000000 };

static void complete(struct call_set *set)
{
	if (set->complete)
		set->complete(set);
}

static u32 common_length(const char *a, const char *b)
{
	u32 n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/*
 * What the names have in common, up to an underscore: "O_", "EPOLL_CTL_". Where one has nothing in
 * common with the others, what the first two have.
 */
static void put_unknown(struct buf *b, const char *prefix)
{
	if (*prefix)
		buf_printf(b, " /* %s%s */", prefix, strchr(prefix, '?') ? "" : "???");
}

static void put_prefix(struct buf *b, const struct call_set *set)
{
	const char *a = set->n ? set->v[0].name : "";
	u32 len = (u32)strlen(a), underscore;

	if (set->unknown) {
		put_unknown(b, set->unknown);
		return;
	}
	for (u32 i = 1; i < set->n; i++)
		len = MIN(len, common_length(a, set->v[i].name));
	if (!len && set->n > 1)
		len = common_length(a, set->v[1].name);
	underscore = len;
	while (underscore && a[underscore - 1] != '_')
		underscore--;
	buf_printf(b, " /* %.*s??? */", (int)(underscore ? underscore : len), a);
}

/* Where the flags of a number begin in the text: a '|' stands before all but the first. */
static void begin_flag(struct buf *b, size_t start)
{
	buf_puts(b, b->len > start ? "|" : "");
}

/* Fields of several bits, which have one of several values. Returns the other bits. */
static u64 put_field(struct buf *b, const struct call_set *set, u64 v)
{
	for (u32 i = 0; i < set->n && set->field; i++)
		if (set->v[i].mask == set->field && (u64)set->v[i].value == (v & set->field)) {
			buf_puts(b, set->v[i].name);
			return v & ~set->field;
		}
	if (!set->any_field)
		return v;
	buf_printf(b, "%#llx", (unsigned long long)(v & set->field));
	put_prefix(b, set);
	return v & ~set->field;
}

/* The names of bits. Returns those without a name. */
static u64 put_bits(struct buf *b, const struct call_set *set, u64 v, size_t start)
{
	u64 rest = v;

	for (u32 i = 0; i < set->n; i++) {
		const struct call_name *n = &set->v[i];
		u64 value = n->mask >> 32 ? (u64)n->value : (u32)n->value;

		if (!n->mask || n->mask == set->field || (v & n->mask) != value ||
		    (value && (rest & value) != value))
			continue;
		begin_flag(b, start);
		buf_puts(b, n->name);
		rest &= ~(u64)n->mask;
	}
	return rest;
}

void put_flag_words(struct buf *b, struct call_set *set, u64 v, bool with_mode)
{
	size_t start = b->len, after;
	u64 mode = 0, shifted = 0, rest = v;

	complete(set);
	if (with_mode)
		rest &= ~(mode = v & MODE_BITS);
	if (set->shift)
		rest &= ~(shifted = rest & SHIFTED_BITS);
	rest = put_field(b, set, rest);
	after = b->len;
	rest = put_bits(b, set, rest, start);
	if (rest && set->is_exact) {
		b->len = after = start;
		rest = v;
	}
	if (rest) {
		begin_flag(b, start);
		buf_printf(b, "%#llx", (unsigned long long)rest);
	}
	if (rest && after > start && set->others && !strchr(b->s + after + 1, '|'))
		put_unknown(b, set->others);
	if (rest && after == start && !strchr(b->s + start, '|') && !with_mode)
		put_prefix(b, set);
	if (shifted) {
		begin_flag(b, start);
		buf_printf(b, "%u<<%s", (u32)(shifted >> SHIFT), set->shift);
	}
	if (with_mode) {
		begin_flag(b, start);
		buf_printf(b, "%#03llo", (unsigned long long)mode);
	}
	if (b->len == start)
		buf_putc(b, '0');
}

static const char *name_of(struct call_set *set, s64 v)
{
	complete(set);
	for (u32 i = 0; i < set->n; i++)
		if (set->v[i].value == v || (v == (s32)v && (u32)set->v[i].value == (u32)v))
			return set->v[i].name;
	return NULL;
}

/* EVIOCGBIT(EV_KEY, 96); false: it is none of these. */
static bool put_request_with_size(struct buf *b, const struct call_set *set, u32 v)
{
	const struct call_request *r = set->requests;
	u8 type = v >> 8 & 0xff, nr = v & 0xff;
	u32 size = v >> 16 & 0x3fff;

	while (r->name &&
	       (r->type != type || nr < r->nr || nr > r->nr + r->more || !(r->in >> (v >> 30) & 1)))
		r++;
	if (!r->name)
		return false;
	buf_printf(b, "%s(", r->name);
	if (r->of)
		put_name_word(b, r->of, nr - r->nr, false);
	else if (r->more)
		buf_s64(b, nr - r->nr);
	if (r->has_size)
		buf_printf(b, r->of ? ", %u" : "%u", size);
	buf_putc(b, ')');
	return true;
}

/* All names of the number; false: it has none. */
static bool put_request_names(struct buf *b, const struct call_set *set, u32 v, const char *between)
{
	u32 from = 0, to = set->n;

	while (from < to) {
		u32 middle = (from + to) / 2;

		if (set->v[middle].value < v)
			from = middle + 1;
		else
			to = middle;
	}
	for (to = from; to < set->n && set->v[to].value == v; to++, between = " or ") {
		buf_puts(b, between);
		buf_puts(b, set->v[to].name);
	}
	return to > from;
}

/* Bits of an ioctl request (asm-generic/ioctl.h): number 8, type 8, size 14, direction 2. */
static void put_request(struct buf *b, const struct call_set *set, u32 v)
{
	static const char *const directions[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ",
						  "_IOC_READ|_IOC_WRITE" };
	bool has_size = put_request_with_size(b, set, v);

	if (!put_request_names(b, set, v, has_size ? " or " : "") && !has_size)
		buf_printf(b, "_IOC(%s, %#x, %#x, %#x)", directions[v >> 30], v >> 8 & 0xff,
			   v & 0xff, v >> 16 & 0x3fff);
}

void put_name_word(struct buf *b, struct call_set *set, s64 v, bool or_decimal)
{
	const char *name;

	complete(set);
	if (set->requests) {
		put_request(b, set, (u32)v);
		return;
	}
	name = name_of(set, v);
	if (streq(set->name, "signal"))
		put_signal(b, (int)v);
	else if (name)
		buf_puts(b, name);
	else if (or_decimal)
		buf_s64(b, v);
	else
		buf_printf(b, "%#llx", (unsigned long long)(v == (s32)v ? (u64)(u32)v : (u64)v));
	if (!name && !or_decimal && (set->n > 1 || (set->n && set->unknown)) &&
	    !streq(set->name, "signal"))
		put_prefix(b, set);
}

void put_quota(struct buf *b, struct call_set *set, u32 v)
{
	static const char *const types[] = { "USRQUOTA", "GRPQUOTA", "PRJQUOTA" };

	buf_puts(b, "QCMD(");
	put_name_word(b, set, v >> 8, false);
	if ((v & 0xff) < ARRAY_SIZE(types))
		buf_printf(b, ", %s)", types[v & 0xff]);
	else
		buf_printf(b, ", %#x /* ???QUOTA */)", v & 0xff);
}

void put_number_name(struct buf *b, struct call_set *set, s64 v)
{
	complete(set);
	buf_s64(b, v);
	for (u32 i = 0; i < set->n; i++)
		if (set->v[i].value == v) {
			buf_printf(b, " /* %s */", set->v[i].name);
			return;
		}
	put_prefix(b, set);
}

void put_bit_fields(struct buf *b, struct call_set *set, u64 v, bool all, bool says_skid)
{
	/* of the only member of two bits, precise_ip of linux/perf_event.h */
	static const char *const skids[] = { "arbitrary skid", "constant skid",
					     "requested to have 0 skid", "must have 0 skid" };
	const char *between = "";

	complete(set);
	for (u32 i = 0; i < set->n; i++) {
		u64 mask = set->v[i].mask, n = v & mask;

		if (!n && !all && !(mask & (mask - 1)))
			continue;
		n /= mask & -mask;
		buf_printf(b, "%s%s=%llu", between, set->v[i].name, (unsigned long long)n);
		if (says_skid && mask & (mask - 1))
			buf_printf(b, " /* %s */", skids[n & 3]);
		between = ", ";
	}
}

void put_capability_words(struct buf *b, u64 caps)
{
	static const char names[][19] = { "CHOWN",
					  "DAC_OVERRIDE",
					  "DAC_READ_SEARCH",
					  "FOWNER",
					  "FSETID",
					  "KILL",
					  "SETGID",
					  "SETUID",
					  "SETPCAP",
					  "LINUX_IMMUTABLE",
					  "NET_BIND_SERVICE",
					  "NET_BROADCAST",
					  "NET_ADMIN",
					  "NET_RAW",
					  "IPC_LOCK",
					  "IPC_OWNER",
					  "SYS_MODULE",
					  "SYS_RAWIO",
					  "SYS_CHROOT",
					  "SYS_PTRACE",
					  "SYS_PACCT",
					  "SYS_ADMIN",
					  "SYS_BOOT",
					  "SYS_NICE",
					  "SYS_RESOURCE",
					  "SYS_TIME",
					  "SYS_TTY_CONFIG",
					  "MKNOD",
					  "LEASE",
					  "AUDIT_WRITE",
					  "AUDIT_CONTROL",
					  "SETFCAP",
					  "MAC_OVERRIDE",
					  "MAC_ADMIN",
					  "SYSLOG",
					  "WAKE_ALARM",
					  "BLOCK_SUSPEND",
					  "AUDIT_READ",
					  "PERFMON",
					  "BPF",
					  "CHECKPOINT_RESTORE" };
	const char *between = "";

	for (u32 i = 0; i < 64; i++) {
		if (!(caps >> i & 1))
			continue;
		if (i < ARRAY_SIZE(names))
			buf_printf(b, "%s1<<CAP_%.19s", between, names[i]);
		else
			buf_printf(b, "%s%#llx", between, 1ull << i);
		between = "|";
	}
	if (!caps)
		buf_putc(b, '0');
}

void put_futex_op(struct buf *b, u32 v)
{
	static const char *const ops[] = { "SET", "ADD", "OR", "ANDN", "XOR" },
				 *const comparisons[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
	u32 op = v >> 28, cmp = v >> 24 & 15, arg = v >> 12 & 0xfff;

	if (op & 8)
		buf_puts(b, "FUTEX_OP_OPARG_SHIFT<<28|");
	op &= 7;
	if (op < ARRAY_SIZE(ops))
		buf_printf(b, "FUTEX_OP_%s<<28|", ops[op]);
	else
		buf_printf(b, "%#x<<28|", op);
	buf_printf(b, arg ? "%#x<<12|" : "%x<<12|", arg);
	if (cmp < ARRAY_SIZE(comparisons))
		buf_printf(b, "FUTEX_OP_CMP_%s<<24|", comparisons[cmp]);
	else
		buf_printf(b, "%#x<<24|", cmp);
	buf_printf(b, "%#x", v & 0xfff);
}

/* ---- signals */

enum { FIRST_RT = 32, N_SIGNALS = 64 };

static void put_short_signal(struct buf *b, int sig)
{
	static const char names[FIRST_RT][7] = { "",     "HUP",  "INT",    "QUIT", "ILL",    "TRAP",
						 "ABRT", "BUS",  "FPE",    "KILL", "USR1",   "SEGV",
						 "USR2", "PIPE", "ALRM",   "TERM", "STKFLT", "CHLD",
						 "CONT", "STOP", "TSTP",   "TTIN", "TTOU",   "URG",
						 "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH",  "IO",
						 "PWR",  "SYS" };

	if (sig < FIRST_RT)
		buf_printf(b, "%.7s", names[sig]);
	else if (sig == FIRST_RT)
		buf_puts(b, "RTMIN");
	else
		buf_printf(b, "RT_%d", sig - FIRST_RT);
}

void put_signal(struct buf *b, int sig)
{
	if (sig <= 0 || sig > N_SIGNALS) {
		buf_s64(b, sig);
		return;
	}
	buf_puts(b, "SIG");
	put_short_signal(b, sig);
}

static void put_styled_signal(struct buf *b, int sig, const struct call_style *style)
{
	size_t start = b->len;

	put_short_signal(b, sig);
	call_restyle(b, style, start, CALL_AS_SIGNED, (u64)sig);
}

void put_signal_set(struct buf *b, u64 set, const struct call_style *style)
{
	const char *between = "";

	if (__builtin_popcountll(set) > N_SIGNALS * 2 / 3) {
		buf_putc(b, '~');
		set = ~set;
	}
	buf_putc(b, '[');
	for (int sig = 1; sig <= N_SIGNALS; sig++)
		if (set >> (sig - 1) & 1) {
			buf_puts(b, between);
			put_styled_signal(b, sig, style);
			between = " ";
		}
	buf_putc(b, ']');
}

void put_bit_set(struct buf *b, struct call_set *set, u32 bits)
{
	enum { N_BITS = 32 };
	const char *between = "";

	if (__builtin_popcount(bits) >= N_BITS * 2 / 3) {
		buf_putc(b, '~');
		bits = ~bits;
	}
	buf_putc(b, '[');
	for (u32 i = 0; i < N_BITS; i++)
		if (bits >> i & 1) {
			buf_puts(b, between);
			put_name_word(b, set, i, false);
			between = " ";
		}
	buf_putc(b, ']');
}

void put_ticks(struct buf *b, s64 ticks)
{
	buf_s64(b, ticks);
	if (ticks > 0)
		buf_printf(b, " /* %lld.%02lld s */", (long long)ticks / 100,
			   (long long)ticks % 100);
}

void put_wait_status(struct buf *b, int status)
{
	if (WIFEXITED(status)) {
		buf_printf(b, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]", WEXITSTATUS(status));
	} else if (WIFSTOPPED(status)) {
		buf_puts(b, "[{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		put_signal(b, WSTOPSIG(status));
		buf_puts(b, "}]");
	} else if (WIFCONTINUED(status)) {
		buf_puts(b, "[{WIFCONTINUED(s)}]");
	} else {
		buf_puts(b, "[{WIFSIGNALED(s) && WTERMSIG(s) == ");
		put_signal(b, WTERMSIG(status));
		buf_puts(b, WCOREDUMP(status) ? " && WCOREDUMP(s)}]" : "}]");
	}
}
