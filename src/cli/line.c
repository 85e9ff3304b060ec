/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times and stacks of the lines of sonde strace and sonde ltrace. In: boot times, stack values.
 * Out: text. */
#include "base/visible.h"
#include "cli/cli.h"
#include "cli/line.h"
#include "trace/value.h"

static void more_time(struct line_clock *clock)
{
	clock->time = clock->times > 1 ? TIME_EPOCH : TIME_OF_DAY;
	clock->digits = clock->times++ ? 6 : 0;
}

int line_read_digits(const char *unit)
{
	static const char *const units[] = { "s", "ms", "us", "ns" };

	for (int i = 0; i < (int)ARRAY_SIZE(units); i++)
		if (streq(unit, units[i]))
			return 3 * i;
	return -1;
}

int line_read_precision(const struct cli *c, const char *option, const char *value, int *digits)
{
	*digits = value ? line_read_digits(value) : 6;
	return *digits >= 0 ?
		       0 :
		       say_usage(c, "invalid --%s argument: '%s': s, ms, us or ns", option, value);
}

int line_read_relative(const struct cli *c, struct line_clock *clock, const char *value)
{
	clock->relative = true;
	return line_read_precision(c, "relative-timestamps", value, &clock->relative_digits);
}

/* A word of --absolute-timestamps: "format:unix", "unix", "precision:us", "us" */
static bool read_time_word(struct line_clock *clock, const char *word, size_t len)
{
	static const char *const formats[] = { "none", "time", "unix" };
	const char *colon = memchr(word, ':', len);
	char name[8];

	snprintf(name, sizeof name, "%.*s", (int)(word + len - (colon ? colon + 1 : word)),
		 colon ? colon + 1 : word);
	for (u32 i = 0; i < ARRAY_SIZE(formats); i++)
		if (streq(name, formats[i]) && (!colon || starts_with(word, "format:"))) {
			clock->time = (enum line_time)i;
			return true;
		}
	if (colon && !starts_with(word, "precision:"))
		return false;
	clock->digits = line_read_digits(name);
	return clock->digits >= 0;
}

int line_read_time(const struct cli *c, struct line_clock *clock, const char *value)
{
	if (!value) {
		more_time(clock);
		return 0;
	}
	clock->time = TIME_OF_DAY;
	clock->digits = 0;
	for (const char *s = value; *s;) {
		size_t n = strcspn(s, ",");

		if (!read_time_word(clock, s, n))
			return say_usage(c,
					 "invalid --absolute-timestamps argument: '%s': none, time "
					 "or unix, and s, ms, us or ns",
					 value);
		s += n + (s[n] == ',');
	}
	return 0;
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
