/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs. Input: category and event names. Output: ids and record layouts. A format file:
 *
 *	name: sched_switch
 *	ID: 314
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *		field:__data_loc char[] name;	offset:8;	size:4;	signed:0;
 *
 *	print fmt: "...", REC->...
 *
 * Source of the format: kernel/trace/trace_events.c, f_show().
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <unistd.h>
#include <linux/magic.h>
#include "base/fd.h"
#include "sym/tracefs.h"
#include "type/site.h"

/* ---- mount point */

static const char native[] = "/sys/kernel/tracing", old[] = "/sys/kernel/debug/tracing";

static bool is_tracefs(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && fs.f_type == TRACEFS_MAGIC;
}

/* Other mount points are rare: in containers, or custom ones such as /tracing. */
static const char *mounted_elsewhere(void)
{
	static char path[256];
	FILE *f = fopen("/proc/self/mounts", "re");
	char line[1024], type[32];
	bool found = false;

	while (f && !found && fgets(line, sizeof line, f)) /* another mount may hide it */
		found = sscanf(line, "%*s %255s %31s", path, type) == 2 && streq(type, "tracefs") &&
			is_tracefs(path);
	if (f)
		fclose(f);
	return found ? path : NULL;
}

static const char *search(void)
{
	if (is_tracefs(native))
		return native;
	if (is_tracefs(old))
		return old;
	return mounted_elsewhere();
}

/*
 * With lockdown=confidentiality tracefs is mounted but empty: files cannot be created in it
 * (fs/tracefs/inode.c).
 */
static bool is_empty(const char *root, struct err *err)
{
	char path[300];

	snprintf(path, sizeof path, "%s/events", root);
	if (access(path, F_OK) == 0 || errno != ENOENT)
		return false;
	err_set(err, -EPERM, "%s is empty: the kernel hides its tracing files", root);
	err_help(
		err,
		"with lockdown=confidentiality it does so to root as well, see /sys/kernel/security/lockdown: "
		"boot with lockdown=integrity or none; rawtracepoint, syscall and uprobe need no tracefs");
	return true;
}

const char *tracefs_path(struct err *err)
{
	static const char *known;

	if (known)
		return known;
	known = search();
	if (known && is_empty(known, err))
		return known = NULL;
	if (known)
		return known;
	if (access(native, F_OK) == 0 &&
	    mount("tracefs", native, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0)
		return known = native;
	if (access("/sys/kernel", F_OK) < 0)
		err_set(err, -ENOENT,
			"tracefs cannot be mounted: there is no sysfs (mount -t sysfs sysfs /sys)");
	else if (access(native, F_OK) < 0)
		err_set(err, -ENOENT, "tracefs: this kernel has no tracing events");
	else
		err_set(err, -errno, "tracefs is not mounted, and mounting it failed: %s",
			strerror(errno));
	err_help(err,
		 "mount it as root, outside of containers: mount -t tracefs tracefs %s; "
		 "rawtracepoint, syscall and "
		 "uprobe need no tracefs",
		 native);
	return NULL;
}

static const char denied[] =
	"tracing needs root: try it with sudo, or let a group read tracefs (mount -o "
	"remount,gid=GROUP,mode=0750)";

/* ---- writing */

/* Whether the log's command is what was written, or the part of it that was wrong: the filter of a
 * trigger. */
static bool is_command(const char *command, const char *text)
{
	size_t len = strcspn(command, "\n");

	return len && memmem(text, strlen(text), command, len);
}

/*
 * Appends the newest entry of error_log, which keeps the last eight (kernel/trace/trace.c,
 * tracing_log_err()):
 *
 *	[  211.123456] trace_uprobe: error: Invalid register name
 *	  Command: p:a/b /bin/x:0x1130 %foo
 *	                                ^
 */
static void add_reason(const char *root, const char *file, const char *text, struct err *err)
{
	char path[300], *at, *next;
	struct buf b = { 0 };
	bool is_instance = starts_with(file, "instances/");
	const char *name = file + strlen("instances/");

	/* an instance has a log of its own */
	if (is_instance)
		snprintf(path, sizeof path, "%s/instances/%.*s/error_log", root,
			 (int)strcspn(name, "/"), name);
	else
		snprintf(path, sizeof path, "%s/error_log", root);
	at = buf_read_file(&b, path) < 0 || !b.len ? NULL : b.s;
	while (at && (next = strstr(at + 1, ": error: ")))
		at = next;
	next = at && at != b.s ? strstr(at, "Command: ") : NULL;
	if (next && is_command(next + strlen("Command: "), text)) {
		at += strlen(": error: ");
		err_help(err, "the kernel says: %.*s", (int)strcspn(at, "\n"), at);
	}
	buf_release(&b);
}

int tracefs_put(const char *file, const char *text, int flags, struct err *err)
{
	const char *root = tracefs_path(err);
	char path[300];
	_fd int fd = -1;

	if (!root)
		return err->code;
	snprintf(path, sizeof path, "%s/%s", root, file);
	fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	if (fd < 0) {
		err_sys(err, "open %s", path);
		if (err->code == -EACCES)
			err_help(err, "%s", denied);
		return err->code;
	}
	if (write(fd, text, strlen(text)) >= 0)
		return 0;
	err_sys(err, "write \"%s\" to %s", text, path);
	add_reason(root, file, text, err);
	return err->code;
}

void tracefs_put_place(struct buf *to, const struct site *s, const char *path)
{
	if (s->kind == SITE_UPROBE) {
		buf_printf(to, "%s:0x%llx", path, (unsigned long long)s->user.offset);
		if (s->user.ref_ctr_offset)
			buf_printf(to, "(0x%llx)", (unsigned long long)s->user.ref_ctr_offset);
	} else if (s->kernel.symbol) {
		buf_printf(to, "%s%s%s+%llu", s->kernel.module ? s->kernel.module : "",
			   s->kernel.module ? ":" : "", s->kernel.symbol,
			   (unsigned long long)s->kernel.offset);
	} else {
		buf_printf(to, "0x%llx", (unsigned long long)s->kernel.address);
	}
}

/* ---- lists */

static int by_string(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct names {
	VEC(const char *) list;
};

static int list_dirs(struct arena *a, const char *path, struct names *names, struct err *err)
{
	DIR *d = opendir(path);
	struct dirent *e;

	if (!d) {
		err_sys(err, "open %s", path);
		if (err->code == -EACCES)
			err_help(err, "%s", denied);
		return err->code;
	}
	while ((e = readdir(d)))
		if (e->d_name[0] != '.' && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN))
			vec_push(a, &names->list, arena_strdup(a, e->d_name));
	closedir(d);
	if (names->list.n)
		qsort(names->list.v, names->list.n, sizeof *names->list.v, by_string);
	vec_push(a, &names->list, NULL);
	return 0;
}

static int list(struct arena *a, const char *path, const char ***names, u32 *n, struct err *err)
{
	struct names found = { 0 };
	int r = list_dirs(a, path, &found, err);

	if (r < 0)
		return r;
	*names = found.list.v;
	*n = found.list.n - 1;
	return 0;
}

int tracefs_categories(struct arena *a, const char ***names, u32 *n, struct err *err)
{
	const char *root = tracefs_path(err);

	if (!root)
		return err->code;
	return list(a, arena_printf(a, "%s/events", root), names, n, err);
}

int tracefs_events(struct arena *a, const char *category, const char ***names, u32 *n,
		   struct err *err)
{
	const char *root = tracefs_path(err);

	if (!root)
		return err->code;
	if (strchr(category, '/') || category[0] == '.')
		return err_set(err, -ENOENT, "no event category %s", category);
	return list(a, arena_printf(a, "%s/events/%s", root, category), names, n, err);
}

/* ---- one event */

static int read_event_file(struct buf *b, const char *category, const char *event, const char *file,
			   struct err *err)
{
	const char *root = tracefs_path(err);
	char path[512];
	int r;

	if (!root)
		return err->code;
	if (strchr(category, '/') || strchr(event, '/') || category[0] == '.' || event[0] == '.' ||
	    (size_t)snprintf(path, sizeof path, "%s/events/%s/%s/%s", root, category, event,
			     file) >= sizeof path)
		return err_set(err, -ENOENT, "no tracepoint %s:%s", category, event);
	r = buf_read_file(b, path);
	if (r == -ENOENT)
		return err_set(err, r, "no tracepoint %s:%s", category, event);
	if (r < 0) {
		err_set(err, r, "read %s: %s", path, strerror(-r));
		if (r == -EACCES)
			err_help(err, "%s", denied);
	}
	return r;
}

int tracefs_event_id(const char *category, const char *event, struct err *err)
{
	struct buf b = { 0 };
	int r = read_event_file(&b, category, event, "id", err);

	if (r >= 0)
		r = b.len ? (int)strtol(b.s, NULL, 10) : err_set(err, -EIO, "empty event id");
	buf_release(&b);
	return r;
}

/* ---- format files */

struct text {
	const char *at, *end;
};

static bool eat(struct text *t, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n))
		return false;
	t->at += n;
	return true;
}

static void skip_blank(struct text *t)
{
	while (t->at < t->end && (*t->at == ' ' || *t->at == '\t'))
		t->at++;
}

static bool is_name_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* "label:123;" anywhere on the line. */
static bool value_after(struct text line, const char *label, s64 *out)
{
	const char *hit = memmem(line.at, (size_t)(line.end - line.at), label, strlen(label));
	char digits[24] = "";
	size_t n;

	if (!hit)
		return false;
	hit += strlen(label);
	n = MIN((size_t)(line.end - hit), sizeof digits - 1);
	memcpy(digits, hit, n);
	*out = strtoll(digits, NULL, 10);
	return true;
}

static struct text trim(const char *from, const char *to)
{
	while (from < to && (*from == ' ' || *from == '\t'))
		from++;
	while (from < to && (to[-1] == ' ' || to[-1] == '\t'))
		to--;
	return (struct text){ from, to };
}

static bool text_is(struct text t, const char *s)
{
	return (size_t)(t.end - t.at) == strlen(s) && !memcmp(t.at, s, strlen(s));
}

static char *copy(struct arena *a, struct text t)
{
	return arena_strndup(a, t.at, (size_t)(t.end - t.at));
}

static bool names_char(struct text type)
{
	if (eat(&type, "const "))
		skip_blank(&type);
	return text_is(type, "char");
}

/* C text of a declaration: type, name, and an array suffix on either of them: "char comm[16]",
 * "char[] name". */
static bool parse_declaration(struct arena *a, struct tp_field *f, struct text d)
{
	const char *name_end = d.end, *name, *bracket;
	struct text type;

	f->text = copy(a, d);
	if (eat(&d, "__data_loc "))
		f->data_loc = 1;
	else if (eat(&d, "__rel_loc "))
		f->data_loc = 2;
	f->is_array = f->data_loc;
	if (name_end > d.at && name_end[-1] == ']') {
		bracket = memrchr(d.at, '[', (size_t)(name_end - d.at));
		if (!bracket)
			return false;
		f->is_array = true;
		f->count = (u32)strtoul(bracket + 1, NULL, 0);
		name_end = trim(d.at, bracket).end;
	}
	for (name = name_end; name > d.at && is_name_char(name[-1]); name--)
		;
	if (name == name_end)
		return false;
	f->name = copy(a, (struct text){ name, name_end });
	type = trim(d.at, name);
	bracket = memchr(type.at, '[', (size_t)(type.end - type.at));
	if (bracket) { /* "char[] name" of dynamic arrays, "u8[6] addr" */
		f->is_array = true;
		if (!f->count)
			f->count = (u32)strtoul(bracket + 1, NULL, 0);
		type = trim(type.at, bracket);
	}
	f->type = copy(a, type);
	f->is_pointer = type.end > type.at && type.end[-1] == '*';
	f->is_char = f->is_array && names_char(type);
	return true;
}

static bool parse_field(struct arena *a, struct tp_field *f, struct text line)
{
	s64 offset, size, is_signed = 0;
	const char *semi;

	memset(f, 0, sizeof *f);
	skip_blank(&line);
	if (!eat(&line, "field:"))
		return false;
	semi = memchr(line.at, ';', (size_t)(line.end - line.at));
	if (!semi || !value_after((struct text){ semi, line.end }, "offset:", &offset) ||
	    !value_after((struct text){ semi, line.end }, "size:", &size) || offset < 0 ||
	    size < 0 || offset > 65535 || size > 65535)
		return false;
	value_after((struct text){ semi, line.end }, "signed:", &is_signed);
	f->offset = (u32)offset;
	f->size = (u32)size;
	f->is_signed = is_signed;
	if (!parse_declaration(a, f, trim(line.at, semi)))
		return false;
	/* the count may be the name of a macro; the size in bytes is always a number */
	if (f->is_char && !f->data_loc)
		f->count = f->size;
	f->is_common = starts_with(f->name, "common_");
	return true;
}

static void parse_line(struct arena *a, struct tp_format *f, struct text line)
{
	struct tp_field field;
	s64 id;

	if (parse_field(a, &field, line))
		vec_push(a, &f->fields, field);
	else if (eat(&line, "name: "))
		f->name = copy(a, line);
	else if (value_after(line, "ID: ", &id) && !f->id)
		f->id = (u32)id;
}

struct tp_format *tracefs_parse_format(struct arena *a, const char *text, size_t len)
{
	struct tp_format *f = arena_new(a, struct tp_format);
	struct text rest = { text, text + len };

	f->name = f->category = f->print_fmt = "";
	f->text = arena_strndup(a, text, len);
	while (rest.at < rest.end) {
		struct text line = rest;
		const char *eol = memchr(rest.at, '\n', (size_t)(rest.end - rest.at));

		if (eat(&rest, "print fmt: ")) { /* the rest: it may span lines */
			while (rest.end > rest.at && rest.end[-1] == '\n')
				rest.end--;
			f->print_fmt = copy(a, rest);
			break;
		}
		line.end = eol ? eol : rest.end;
		rest.at = eol ? eol + 1 : rest.end;
		parse_line(a, f, line);
	}
	return f->fields.n ? f : NULL;
}

struct tp_format *tracefs_format(struct arena *a, const char *category, const char *event,
				 struct err *err)
{
	struct buf b = { 0 };
	struct tp_format *f = NULL;

	if (read_event_file(&b, category, event, "format", err) >= 0) {
		f = tracefs_parse_format(a, b.s ? b.s : "", b.len);
		if (f)
			f->category = arena_strdup(a, category);
		else
			err_set(err, -EINVAL, "the format of %s:%s cannot be read", category,
				event);
	}
	buf_release(&b);
	return f;
}

const struct tp_field *tp_format_field(const struct tp_format *f, const char *name)
{
	for (u32 i = 0; i < f->fields.n; i++)
		if (streq(f->fields.v[i].name, name))
			return &f->fields.v[i];
	return NULL;
}

/* ---- constant strings: 0xffffffff82a1b2c3 : "a \"text\"\n" */

struct constant_string {
	u64 addr;
	const char *text;
};

struct tracefs_strings {
	VEC(struct constant_string) v; /* by address */
};

static int by_address(const void *a, const void *b)
{
	const struct constant_string *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The text between the quotes; the kernel escapes \n, \t, backslashes and quotes. */
static const char *unescaped(struct arena *a, const char *from, const char *end)
{
	char *s = arena_alloc(a, (size_t)(end - from) + 1), *to = s;

	for (const char *p = from; p < end; p++) {
		if (*p != '\\' || p + 1 == end) {
			*to++ = *p;
			continue;
		}
		p++;
		*to++ = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p;
	}
	*to = '\0';
	return s;
}

struct tracefs_strings *tracefs_parse_strings(struct arena *a, const char *text)
{
	struct tracefs_strings *s = arena_new(a, struct tracefs_strings);

	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		const char *quote;

		end = line + strcspn(line, "\n");
		quote = memchr(line, '"', (size_t)(end - line));
		if (starts_with(line, "0x") && quote && end - quote >= 2 && end[-1] == '"')
			vec_push(a, &s->v,
				 (struct constant_string){ strtoull(line, NULL, 16),
							   unescaped(a, quote + 1, end - 1) });
	}
	if (s->v.n)
		qsort(s->v.v, s->v.n, sizeof *s->v.v, by_address);
	return s;
}

struct tracefs_strings *tracefs_read_strings(struct arena *a)
{
	struct tracefs_strings *s;
	struct err err = { 0 };
	const char *root = tracefs_path(&err);
	struct buf b = { 0 };
	char path[300];

	snprintf(path, sizeof path, "%s/printk_formats", root ? root : "");
	s = tracefs_parse_strings(a, root && buf_read_file(&b, path) == 0 && b.s ? b.s : "");
	buf_release(&b);
	return s;
}

const char *tracefs_string(const struct tracefs_strings *s, u64 addr)
{
	struct constant_string key = { .addr = addr }, *found = NULL;

	if (s->v.n)
		found = bsearch(&key, s->v.v, s->v.n, sizeof *s->v.v, by_address);
	return found ? found->text : NULL;
}
