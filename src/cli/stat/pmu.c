/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A counting unit as sysfs describes it
 * (Documentation/ABI/testing/sysfs-bus-event_source-devices-*):
 *
 *	/sys/bus/event_source/devices/cpu/type		4
 *	.../events/cache-misses				event=0x2e,umask=0x41
 *	.../format/umask				config:8-15
 */
#include <errno.h>
#include <stdlib.h>
#include "cli/stat/stat.h"

#define DEVICES "/sys/bus/event_source/devices"

/* Without the end of the line; NULL: there is no such file. */
static const char *read_text(struct arena *a, const char *pmu, const char *folder, const char *file)
{
	struct buf b = { 0 };
	const char *text = NULL;

	if (!strchr(file, '/') &&
	    !buf_read_file(&b, arena_printf(a, DEVICES "/%s/%s%s", pmu, folder, file)) && b.s)
		text = arena_strndup(a, b.s, strcspn(b.s, "\n"));
	buf_release(&b);
	return text;
}

/* "config1:0-7,21": the bits of value, from the lowest on, go there. */
static bool place(const char *format, u64 value, u64 config[3])
{
	u32 word = !strncmp(format, "config1:", 8) ? 1 : !strncmp(format, "config2:", 8) ? 2 : 0;
	const char *s = strchr(format, ':');

	if (!s)
		return false;
	while (*s) {
		char *end;
		u32 from = (u32)strtoul(s + 1, &end, 10), to = from;

		if (*end == '-')
			to = (u32)strtoul(end + 1, &end, 10);
		for (u32 bit = from; bit <= to && bit < 64; bit++, value >>= 1)
			config[word] |= (value & 1) << bit;
		if (end == s + 1)
			return false;
		s = end;
	}
	return !value;
}

static int read_terms(struct arena *a, const char *pmu, const char *terms, struct stat_event *e,
		      struct err *err);

static int read_term(struct arena *a, const char *pmu, const char *term, struct stat_event *e,
		     struct err *err)
{
	const char *eq = strchr(term, '='), *format, *event;
	const char *name = eq ? arena_strndup(a, term, (size_t)(eq - term)) : term;
	u64 value = eq ? strtoull(eq + 1, NULL, 0) : 1;

	if (!strncmp(name, "config", 6) &&
	    (!name[6] || ((name[6] == '1' || name[6] == '2') && !name[7]))) {
		e->config[name[6] ? name[6] - '0' : 0] |= value;
		return 0;
	}
	if (!eq && (event = read_text(a, pmu, "events/", name)))
		return read_terms(a, pmu, event, e, err);
	if (eq && streq(name, "name")) {
		e->name = eq + 1;
		return 0;
	}
	format = read_text(a, pmu, "format/", name);
	if (!format || !place(format, value, e->config)) {
		err_usage(err, -EINVAL,
			  format ? "%s: %s has no room for this value (%s)" :
				   "%s: %s has no such term or event%s",
			  term, pmu, format ? format : "");
		err_help(err, "ls " DEVICES "/%s/format " DEVICES "/%s/events lists them", pmu,
			 pmu);
		return -EINVAL;
	}
	return 0;
}

static int read_terms(struct arena *a, const char *pmu, const char *terms, struct stat_event *e,
		      struct err *err)
{
	int ret = 0;

	for (const char *s = terms; *s && !ret;) {
		size_t n = strcspn(s, ",");

		ret = read_term(a, pmu, arena_strndup(a, s, n), e, err);
		s += n + (s[n] == ',');
	}
	return ret;
}

int stat_read_pmu(struct arena *a, const char *text, struct stat_event *e, struct err *err)
{
	const char *slash = strchr(text, '/');
	const char *pmu = arena_strndup(a, text, (size_t)(slash - text));
	const char *type = read_text(a, pmu, "", "type");

	if (!type) {
		err_usage(err, -ENOENT, "this machine has no counting unit %s", pmu);
		err_help(err, "ls " DEVICES " lists them; a virtual machine often has no cpu");
		return -ENOENT;
	}
	e->type = (u32)strtoul(type, NULL, 10);
	return read_terms(a, pmu, slash + 1, e, err);
}
