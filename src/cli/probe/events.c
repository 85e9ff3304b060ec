/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dynamic events that are defined: read, listed, removed. The kernel lists them as
 *
 *	p:probe_bash/readline /bin/bash:0x00000000000d5690 prompt=%di:x64
 *	r8:probe/vfs_read__return vfs_read+0 arg1=$retval
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/glob.h"
#include "cli/probe/probe.h"
#include "object/dwarf.h"
#include "object/elf.h"
#include "session/system.h"
#include "sym/kallsyms.h"
#include "sym/tracefs.h"

static const char *const files[] = { "kprobe_events", "uprobe_events" };

static bool parse(struct probe *p, const char *line, struct probe_event *e)
{
	const char *colon = strchr(line, ':'), *slash = colon ? strchr(colon, '/') : NULL,
		   *blank = slash ? strchr(slash, ' ') : NULL, *end;

	if (!blank)
		return false;
	end = strchr(blank + 1,
		     ' '); /* a path that has one is listed as it is: cut before the offset */
	for (const char *at = strstr(blank, ":0x"); at; at = NULL)
		end = strchr(at, ' ');
	e->line = line;
	e->group = arena_strndup(p->arena, colon + 1, (size_t)(slash - colon - 1));
	e->name = arena_strndup(p->arena, slash + 1, (size_t)(blank - slash - 1));
	e->place = end ? arena_strndup(p->arena, blank + 1, (size_t)(end - blank - 1)) : blank + 1;
	e->args = end ? end + 1 : "";
	e->is_return = *line == 'r';
	return true;
}

static int read_file(struct probe *p, const char *root, const char *file, struct probe_events *to)
{
	const char *path = arena_printf(p->arena, "%s/%s", root, file);
	struct buf b = { 0 };
	int ret = buf_read_file(&b, path);

	for (char *s = ret < 0 || !b.len ? NULL : b.s, *end; s && (end = strchr(s, '\n'));
	     s = end + 1) {
		struct probe_event e = { .file = file };

		if (parse(p, arena_strndup(p->arena, s, (size_t)(end - s)), &e))
			vec_push(p->arena, &to->v, e);
	}
	buf_release(&b);
	if (ret >= 0 || ret == -ENOENT) /* a kernel without such probes */
		return 0;
	say(p->c, "read %s: %s%s", path, strerror(-ret),
	    ret == -EACCES ? " (try it with sudo)" : "");
	return STATUS_REFUSED;
}

int probe_read(struct probe *p, struct probe_events *to)
{
	struct err err = { 0 };
	const char *root = tracefs_path(&err);
	int ret = 0;

	if (!root) {
		say_err(p->c, &err);
		ret = STATUS_REFUSED;
	}
	for (u32 i = 0; i < ARRAY_SIZE(files) && !ret; i++)
		ret = read_file(p, root, files[i], to);
	err_release(&err);
	return ret;
}

const struct probe_event *probe_find(const struct probe_events *es, const char *group,
				     const char *name)
{
	for (u32 i = 0; i < es->v.n; i++)
		if (streq(es->v.v[i].group, group) && streq(es->v.v[i].name, name))
			return &es->v.v[i];
	return NULL;
}

/* "[GROUP:]EVENT", both may be patterns. */
static bool matches(struct probe *p, const char *pattern, const struct probe_event *e)
{
	const char *colon = strchr(pattern, ':');

	if (!colon)
		return glob_match(pattern, e->name);
	return glob_match(arena_strndup(p->arena, pattern, (size_t)(colon - pattern)), e->group) &&
	       glob_match(colon + 1, e->name);
}

static bool matches_any(struct probe *p, const char *const *patterns, const struct probe_event *e)
{
	for (u32 i = 0; patterns && patterns[i]; i++)
		if (matches(p, patterns[i], e))
			return true;
	return !patterns || !patterns[0];
}

/* ---- the list */

/* A file with code that probes are in. */
struct code {
	struct elf *elf;
	struct dwarf *d; /* NULL: no debug information */
};

static struct code open_code(struct probe *p, const char *file)
{
	struct err err = { 0 };
	struct code code = { 0 };

	p->file = file;
	code.d = file ? probe_debug(p, &code.elf, &err) : NULL;
	if (file && !code.elf)
		code.elf = elf_open(file, &err);
	err_release(&err);
	return code;
}

/* "FUNC:3@/src/x.c"; false: there is no debug information about the code. */
static bool put_line(struct buf *b, const struct code *code, const struct probe_event *e, u64 pc)
{
	struct dwarf_func func;
	struct dwarf_line line = { 0 };
	struct text_body body[DWARF_MAX_BODIES];

	if (!code->d || !dwarf_inline_at(code->d, pc, &func) ||
	    !dwarf_line_at(code->d, pc, &line) || !dwarf_bodies(code->d, func.name, body))
		return false;
	buf_puts(b, func.name);
	if (e->is_return)
		buf_puts(b, "%return");
	else if (line.line > body[0].first && (func.inlined || func.entry != pc))
		buf_printf(b, ":%u", line.line - body[0].first);
	buf_printf(b, "@%s", body[0].file);
	return true;
}

static void put_symbol(struct buf *b, const struct code *code, const struct probe_event *e, u64 pc)
{
	struct elf_symbol s;

	if (!elf_symbol_at(code->elf, pc, &s)) {
		buf_printf(b, "0x%llx", (unsigned long long)pc);
		return;
	}
	buf_puts(b, s.name);
	if (pc != s.value)
		buf_printf(b, "+%llu", (unsigned long long)(pc - s.value));
	buf_puts(b, e->is_return ? "%return" : "");
}

/* Its line, "FUNC+16" or the address. */
static void put_in_file(struct probe *p, struct buf *b, const struct probe_event *e, u64 offset)
{
	struct code code = open_code(p, p->file);
	u64 pc;

	if (!code.elf || !elf_offset_to_address(code.elf, offset, &pc))
		buf_printf(b, "0x%llx", (unsigned long long)offset);
	else if (!put_line(b, &code, e, pc))
		put_symbol(b, &code, e, pc);
	elf_close(code.elf);
}

/* The kernel's names and, where its image is here, lines. */
struct kernel_code {
	struct kallsyms *k;
	struct code image;
};

static bool put_kernel_line(struct buf *b, const struct kernel_code *kernel,
			    const struct probe_event *e, const char *name, u64 offset)
{
	struct elf_symbol s;

	return kernel->image.elf && elf_find(kernel->image.elf, name, &s) &&
	       put_line(b, &kernel->image, e, s.value + offset);
}

/* perf writes places of the kernel as "_text+7166832". */
static void put_in_kernel(struct probe *p, const struct kernel_code *kernel, struct buf *b,
			  const struct probe_event *e)
{
	const char *plus = strrchr(e->place, '+');
	struct ksym text, s;
	char *end = NULL;
	u64 offset = plus ? strtoull(plus + 1, &end, 0) : 0;
	const char *name = plus && !*end ?
				   arena_strndup(p->arena, e->place, (size_t)(plus - e->place)) :
				   e->place;

	if (put_kernel_line(b, kernel, e, name, offset))
		return;
	if (plus && !*end && streq(name, "_text") &&
	    kallsyms_find(kernel->k, "_text", NULL, &text) &&
	    kallsyms_lookup(kernel->k, text.address + offset, &s)) {
		buf_puts(b, s.name);
		if (s.offset)
			buf_printf(b, "+%llu", (unsigned long long)s.offset);
	} else {
		buf_puts(b, offset ? e->place : name);
	}
	buf_puts(b, e->is_return ? "%return" : "");
}

static void put_arg_names(struct buf *b, const char *args)
{
	if (*args)
		buf_puts(b, " with");
	for (const char *s = args; *s; s += strcspn(s, " "), s += strspn(s, " "))
		buf_printf(b, " %.*s", (int)strcspn(s, "= "), s);
}

static void put_event(struct probe *p, const struct kernel_code *kernel, struct buf *b,
		      const struct probe_event *e)
{
	const char *colon = strrchr(e->place, ':');
	char *name = xasprintf("%s:%s", e->group, e->name);

	buf_printf(b, "  %-20s (on ", name);
	free(name);
	if (*e->place == '/' && colon) {
		p->file = arena_strndup(p->arena, e->place, (size_t)(colon - e->place));
		put_in_file(p, b, e, strtoull(colon + 1, NULL, 16));
		buf_printf(b, " in %s", p->file);
	} else {
		put_in_kernel(p, kernel, b, e);
	}
	put_arg_names(b, e->args);
	buf_puts(b, ")\n");
}

static int by_name(const void *a, const void *b)
{
	const struct probe_event *x = a, *y = b;
	int order = strcmp(x->group, y->group);

	return order ? order : strcmp(x->name, y->name);
}

int probe_list(struct probe *p)
{
	struct kernel_code kernel = { .k = kallsyms_new(NULL) };
	struct probe_events es = { 0 };
	struct buf out = { 0 };
	int ret = probe_read(p, &es);

	if (es.v.n) {
		qsort(es.v.v, es.v.n, sizeof *es.v.v, by_name);
		kernel.image = open_code(p, probe_image(p));
	}
	for (u32 i = 0; i < es.v.n && !ret; i++)
		if (matches_any(p, p->c->line.words, &es.v.v[i]))
			put_event(p, &kernel, &out, &es.v.v[i]);
	elf_close(kernel.image.elf);
	kallsyms_free(kernel.k);
	ret = ret ? ret : put_out(p->c, &out);
	buf_release(&out);
	return ret;
}

/* ---- removal */

/* An event is in use for a while after its user closed it. */
static int remove_event(const struct probe_event *e, struct err *err)
{
	enum { TRIES = 20, TURN_US = 10000 };
	char *line = xasprintf("-:%s/%s", e->group, e->name);
	int ret = -EBUSY;

	for (u32 i = 0; i < TRIES && ret == -EBUSY; i++) {
		err_release(err);
		*err = (struct err){ 0 };
		ret = tracefs_put(e->file, line, O_APPEND, err);
		if (ret == -EBUSY)
			usleep(TURN_US);
	}
	if (ret == -EBUSY)
		err_help(err,
			 "who uses it, as perf record or a file enable that is 1, must end first");
	free(line);
	return ret;
}

static bool is_repeated(const struct probe_events *es, u32 i)
{
	const struct probe_event *e = &es->v.v[i];

	return probe_find(es, e->group, e->name) != e; /* several probes of one event */
}

/* Those of a run of the perf engine, which removes them itself: "sonde_4711/f3". */
static bool is_own(const struct probe_event *e)
{
	return starts_with(e->group, "sonde_") && e->name[0] == 'f';
}

int probe_delete(struct probe *p, const char *const *patterns)
{
	struct probe_events es = { 0 };
	struct err err = { 0 };
	struct buf out = { 0 };
	int ret = probe_read(p, &es), n = 0;

	if (es.v.n)
		qsort(es.v.v, es.v.n, sizeof *es.v.v, by_name);
	for (u32 i = 0; i < es.v.n && !ret; i++) {
		if (!matches_any(p, patterns, &es.v.v[i]) || is_repeated(&es, i) ||
		    is_own(&es.v.v[i]))
			continue;
		n++;
		if (!p->c->request.dry_run && remove_event(&es.v.v[i], &err) < 0) {
			say_err(p->c, &err);
			ret = STATUS_REFUSED;
		} else if (!p->c->output.quiet) {
			buf_printf(&out, "Removed event: %s:%s\n", es.v.v[i].group, es.v.v[i].name);
		}
	}
	put_out(p->c, &out);
	buf_release(&out);
	err_release(&err);
	if (ret || n)
		return ret;
	say(p->c, "no event matches %s: sonde probe -l lists them", patterns[0]);
	return STATUS_WRONG;
}
