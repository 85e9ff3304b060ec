/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wall-clock times as text: strftime(3) in local time with three more conversions: %f is
 * microseconds (6 digits), %k nanoseconds (9), %l milliseconds (3). As in bpftrace, these replace
 * glibc's %k and %l (blank-padded hours).
 *
 * The broken-down time of the last second is cached, because events come in bursts.
 */
#include <time.h>

#include "trace/value.h"

enum { NS_PER_S = 1000000000, NS_PER_MS = 1000000, NS_PER_US = 1000 };

static const struct tm *local_time(time_t s)
{
	static __thread struct tm tm;
	static __thread time_t last = -1;

	if (s != last || last == -1) {
		if (!localtime_r(&s, &tm))
			memset(&tm, 0, sizeof tm);
		last = s;
	}
	return &tm;
}

static void put_digits(struct buf *b, u64 v, u32 n)
{
	char text[10];

	for (u32 i = n; i-- > 0; v /= 10)
		text[i] = (char)('0' + v % 10);
	buf_add(b, text, n);
}

/* Length of a conversion: %, flags, width, E or O, the letter. */
static size_t conversion_len(const char *p)
{
	size_t n = 1;

	n += strspn(p + n, "_-0^#");
	n += strspn(p + n, "0123456789");
	if (p[n] == 'E' || p[n] == 'O')
		n++;
	return p[n] ? n + 1 : n;
}

/* The format comes from the script, so the compiler cannot check it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_strftime(struct buf *b, const char *fmt, const struct tm *tm)
{
	char text[256];

	buf_add(b, text, strftime(text, sizeof text, fmt, tm));
}
#pragma GCC diagnostic pop

static void put_conversion(struct buf *b, const char *p, size_t n, const struct tm *tm, u64 ns)
{
	char one[16];

	switch (n == 2 ? p[1] : 0) {
	case 'f': put_digits(b, ns / NS_PER_US, 6); return;
	case 'k': put_digits(b, ns, 9); return;
	case 'l': put_digits(b, ns / NS_PER_MS, 3); return;
	case 'H': put_digits(b, (u64)tm->tm_hour, 2); return;
	case 'M': put_digits(b, (u64)tm->tm_min, 2); return;
	case 'S': put_digits(b, (u64)tm->tm_sec, 2); return;
	}
	if (n >= sizeof one) { /* such a width is a mistake */
		buf_add(b, p, n);
		return;
	}
	memcpy(one, p, n);
	one[n] = '\0';
	put_strftime(b, one, tm);
}

void time_text(struct buf *b, const char *fmt, u64 wall_ns)
{
	const struct tm *tm = local_time((time_t)(wall_ns / NS_PER_S));
	const char *from = fmt;

	while ((fmt = strchr(fmt, '%'))) {
		size_t n = conversion_len(fmt);

		buf_add(b, from, (size_t)(fmt - from));
		put_conversion(b, fmt, n, tm, wall_ns % NS_PER_S);
		from = fmt += n;
	}
	buf_puts(b, from);
}
