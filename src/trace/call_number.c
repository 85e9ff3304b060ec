/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <endian.h>
#include <net/if.h>
#include <time.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "base/os_names.h"
#include "trace/call_number.h"
#include "trace/call_quote.h"
#include "trace/call_words.h"

void put_number(struct buf *b, const struct call_view *v, s64 n)
{
	if (v->base == 10 && v->is_signed)
		buf_s64(b, n);
	else if (v->base == 10)
		buf_u64(b, (u64)n);
	else if (v->base == 8)
		buf_printf(b, "%#llo", (unsigned long long)n);
	else if (v->base == 16)
		buf_printf(b, "%#llx", (unsigned long long)n);
	else
		buf_printf(b, "%#0*llx", 2 * v->size, (unsigned long long)n);
}

void put_address(struct buf *b, u64 v)
{
	if (v)
		buf_printf(b, "%#llx", (unsigned long long)v);
	else
		buf_puts(b, "NULL");
}

void put_id(struct buf *b, u64 id)
{
	if ((u32)id == ~0u)
		buf_puts(b, "-1");
	else
		buf_u64(b, (u32)id);
}

void put_mode(struct buf *b, u64 mode)
{
	buf_printf(b, "%#03llo", (unsigned long long)mode);
}

void put_file_mode(struct buf *b, u64 mode)
{
	static const struct {
		u32 value;
		const char *name;
	} types[] = { { S_IFREG, "S_IFREG" }, { S_IFSOCK, "S_IFSOCK" }, { S_IFIFO, "S_IFIFO" },
		      { S_IFLNK, "S_IFLNK" }, { S_IFDIR, "S_IFDIR" },   { S_IFBLK, "S_IFBLK" },
		      { S_IFCHR, "S_IFCHR" } },
	  bits[] = { { S_ISUID, "S_ISUID|" }, { S_ISGID, "S_ISGID|" }, { S_ISVTX, "S_ISVTX|" } };

	for (u32 i = 0; i < ARRAY_SIZE(types); i++)
		if ((mode & S_IFMT) == types[i].value) {
			buf_printf(b, "%s|", types[i].name);
			mode &= ~(u64)S_IFMT;
			break;
		}
	for (u32 i = 0; i < ARRAY_SIZE(bits); i++)
		if (mode & bits[i].value) {
			buf_puts(b, bits[i].name);
			mode &= ~(u64)bits[i].value;
		}
	put_mode(b, mode);
}

void put_error(struct buf *b, s32 number)
{
	const char *name = os_error_name(number < 0 ? 0u - (u32)number : (u32)number);

	if (number && name)
		buf_printf(b, "%s%s", number < 0 ? "-" : "", name);
	else
		buf_s64(b, number);
}

void put_limit(struct buf *b, u64 n, u32 size)
{
	if (size == 4 && n == ~0u)
		buf_puts(b, "RLIM_INFINITY");
	else if (n == ~0ull)
		buf_puts(b, "RLIM64_INFINITY");
	else if (n > 1024 && n % 1024 == 0)
		buf_printf(b, "%llu*1024", (unsigned long long)n / 1024);
	else
		buf_u64(b, n);
}

void put_handler(struct buf *b, u64 handler)
{
	static const char *const names[] = { "SIG_DFL", "SIG_IGN", "SIG_ERR" };

	if (handler < 2)
		buf_puts(b, names[handler]);
	else if (handler == ~0ull)
		buf_puts(b, names[2]);
	else
		buf_printf(b, "%#llx", (unsigned long long)handler);
}

/* In local time. Returns false if there is no such date. */
static bool date_of(s64 seconds, char *date, char *zone, size_t size)
{
	time_t when = (time_t)seconds;
	struct tm tm;

	return seconds && localtime_r(&when, &tm) &&
	       strftime(date, size, "%Y-%m-%dT%H:%M:%S", &tm) && strftime(zone, size, "%z", &tm);
}

/* digits: of the fraction */
void put_date(struct buf *b, s64 seconds, u64 fraction, int digits)
{
	char date[64], zone[64];

	if ((digits && fraction >= (digits == 9 ? 1000000000u : 1000000u)) ||
	    !date_of(seconds, date, zone, sizeof date))
		return;
	buf_printf(b, " /* %s", date);
	if (digits && fraction)
		buf_printf(b, ".%0*llu", digits, (unsigned long long)fraction);
	buf_printf(b, "%s */", zone);
}

void put_bare_date(struct buf *b, s64 seconds)
{
	char date[64], zone[64];

	if (date_of(seconds, date, zone, sizeof date))
		buf_printf(b, "%s%s", date, zone);
}

void put_dated(struct buf *b, const struct call_view *v, const u8 *p)
{
	s64 seconds = (s64)word_at(p, 8);
	u64 fraction = word_at(p + 8, 8);

	buf_printf(b, "{tv_sec=%lld, %s=%llu}", (long long)seconds,
		   v->size == 9 ? "tv_nsec" : "tv_usec", (unsigned long long)fraction);
	put_date(b, seconds, fraction, v->size);
}

void put_device(struct buf *b, u64 dev)
{
	buf_printf(b, "makedev(%#x, %#x)", major(dev), minor(dev));
}

void put_inet_text(struct buf *b, const char *text, bool six, const char *name, enum call_hex hex)
{
	buf_puts(b, six ? "inet_pton(AF_INET6, " : "inet_addr(");
	put_quoted(b, (const u8 *)text, (u32)strlen(text), hex);
	if (six && name)
		buf_printf(b, ", &%s", name);
	buf_putc(b, ')');
}

void put_inet(struct buf *b, const u8 *p, bool six, enum call_hex hex)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(six ? AF_INET6 : AF_INET, p, text, sizeof text);
	put_inet_text(b, text, six, "sin6_addr", hex);
}

void put_hardware(struct buf *b, const u8 *p, u32 n)
{
	for (u32 i = 0; i < n; i++)
		buf_printf(b, "%s%02x", i ? ":" : "", p[i]);
}

void put_port(struct buf *b, const struct call_view *v, u64 n)
{
	if (v->set) {
		buf_puts(b, "htons(");
		put_name_word(b, v->set, ntohs((u16)n), false);
		buf_putc(b, ')');
	} else if (v->size == 2)
		buf_printf(b, "htons(%u)", ntohs((u16)n));
	else if (v->size == 8)
		buf_printf(b, "htobe64(%llu)", (unsigned long long)be64toh(n));
	else
		buf_printf(b, v->base == 16 ? "htonl(%#x)" : "htonl(%u)", ntohl((u32)n));
}

void put_interface(struct buf *b, u32 index, bool by_name)
{
	char name[IF_NAMESIZE];

	if (by_name && if_indextoname(index, name))
		buf_printf(b, "if_nametoindex(\"%s\")", name);
	else
		buf_printf(b, "%u", index);
}

void put_version(struct buf *b, u32 v)
{
	buf_printf(b, "KERNEL_VERSION(%u, %u, %u)", v >> 16, v >> 8 & 0xff, v & 0xff);
}

/* linux/ioprio.h: the class in the upper three of 16 bits. */
void put_priority(struct buf *b, u32 v)
{
	static const char *const classes[] = { "NONE", "RT", "BE", "IDLE" };
	u32 class = v >> 13;

	buf_puts(b, "IOPRIO_PRIO_VALUE(");
	if (class < ARRAY_SIZE(classes))
		buf_printf(b, "IOPRIO_CLASS_%s", classes[class]);
	else
		buf_printf(b, "%#x /* IOPRIO_CLASS_??? */", class);
	buf_printf(b, ", %u)", v & 0x1fff);
}
