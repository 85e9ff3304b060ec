/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times and stacks of the lines of sonde strace and sonde ltrace. In: boot times, stack values.
 * Out: text. */
#include "base/visible.h"
#include "cli/line.h"
#include "trace/value.h"

void line_more_time(struct line_clock *clock)
{
	clock->time = clock->times > 1 ? TIME_EPOCH : TIME_OF_DAY;
	clock->digits = clock->times++ ? 6 : 0;
}

u64 line_wall_ns(const struct names *names, u64 ns)
{
	struct timestamp_value ts = { .ns = ns, .mode = TS_BOOT };

	return names && names->wall_ns ? names->wall_ns(names->ctx, &ts) : ns;
}

static void put_fraction(struct buf *b, u64 ns, int digits)
{
	u64 part = ns % 1000000000;

	for (int i = digits; i < 9; i++)
		part /= 10;
	if (digits)
		buf_printf(b, ".%0*llu", digits, (unsigned long long)part);
}

void line_put_time_digits(struct buf *b, u64 ns, int width, int digits)
{
	buf_printf(b, "%*llu", width, (unsigned long long)(ns / 1000000000));
	put_fraction(b, ns, digits);
}

void line_put_seconds(struct buf *b, u64 ns)
{
	line_put_time_digits(b, ns, 1, 6);
}

static void put_relative(struct buf *b, struct line_clock *clock, u64 ns)
{
	bool with_clock = clock->time != TIME_NONE;
	u64 since = clock->last_ns && ns > clock->last_ns ? ns - clock->last_ns : 0;

	buf_puts(b, with_clock ? "(+" : "");
	line_put_time_digits(b, since, 6, clock->relative_digits);
	buf_puts(b, with_clock ? ") " : " ");
	clock->last_ns = ns;
}

void line_put_time(struct buf *b, const struct names *names, struct line_clock *clock, u64 ns)
{
	u64 wall = clock->time ? line_wall_ns(names, ns) : 0;

	switch (clock->time) {
	case TIME_NONE: break;
	case TIME_OF_DAY:
		time_text(b, "%H:%M:%S", wall);
		put_fraction(b, wall, clock->digits);
		buf_putc(b, ' ');
		break;
	case TIME_EPOCH:
		line_put_time_digits(b, wall, 1, clock->digits);
		buf_putc(b, ' ');
		break;
	}
	if (clock->relative)
		put_relative(b, clock, ns);
}

void line_put_name(struct buf *b, const char *name, bool visible)
{
	size_t start = b->len;

	buf_puts(b, name);
	if (visible)
		buf_visible(b, start, VISIBLE_NAME);
}

/* " > FILE(FUNCTION+0x12) [0x3456]", where the last is an offset in the file. */
static void put_frame(struct buf *b, const struct names *names, struct process_at of, u64 ip,
		      bool visible)
{
	struct symbol sym = { 0 };
	const char *id;
	u64 at = ip;

	if (names->usym) /* the file may be known without the function */
		names->usym(names->ctx, of, ip, &sym);
	if (!sym.module) {
		buf_printf(b, " > unexpected_backtracing_error [%#llx]\n", (unsigned long long)ip);
		return;
	}
	buf_puts(b, " > ");
	line_put_name(b, sym.module, visible);
	buf_putc(b, '(');
	if (sym.name) {
		line_put_name(b, sym.name, visible);
		buf_printf(b, "+%#llx", (unsigned long long)sym.offset);
	}
	if (names->build_id && !names->build_id(names->ctx, of, ip, &id, &at))
		at = ip;
	buf_printf(b, ") [%#llx]\n", (unsigned long long)at);
}

void line_put_stack(struct buf *b, const struct names *names, const struct type *t,
		    const void *stack, bool visible)
{
	u64 ips[STACK_MAX_FRAMES];
	struct process_at of;
	u32 n = stack_frames(names, t, stack, true, ips, &of);

	for (u32 i = 0; i < n; i++)
		put_frame(b, names, of, ips[i], visible);
}
