/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be probed: lines of sources (-L), variables (-V), functions (-F); laid out as perf probe
 * does. */
#include <errno.h>
#include <stdlib.h>
#include "base/glob.h"
#include "cli/probe/probe.h"
#include "object/dwarf.h"
#include "object/elf.h"
#include "provider/provider.h"

/* Of the kernel, its image. */
static int need_file(struct probe *p, const char *what)
{
	return p->file ? 0 : probe_use_image(p, what);
}

/* ---- lines */

struct shown {
	const char *func; /* NULL: of a file */
	struct text_body body;
	u32 first, last; /* as they are numbered */
};

/* Which lines have code. */
struct marks {
	struct dwarf *d;
	struct elf *elf;
	struct arena *arena;
	const char *file;
	VEC(u32) v;
	u32 line; /* that is looked at */
};

/* The entry of a function belongs to the line that declares it, as perf has it, not to its
 * brace. */
static u32 declared_at(const struct marks *m, u64 address)
{
	struct text_body found[DWARF_MAX_BODIES];
	struct elf_symbol s;
	u32 n;

	if (!elf_symbol_at(m->elf, address, &s) || s.value != address)
		return 0;
	n = dwarf_bodies(m->d, s.name, found);
	for (u32 i = 0; i < n; i++)
		if (probe_is_of(found[i].file, m->file) && found[i].first <= m->line &&
		    m->line <= found[i].last)
			return found[i].first;
	return 0;
}

static int see_code(void *ctx, const struct dwarf_line *l)
{
	struct marks *m = ctx;
	u32 declared = l->line == m->line ? declared_at(m, l->address) : 0;

	vec_push(m->arena, &m->v, declared ? declared : l->line);
	return 0;
}

static void mark_lines(struct marks *m, const struct shown *s)
{
	u32 base = s->func ? s->body.first : 0, first = MAX(s->body.first, base + s->first);
	u32 last = s->last < UINT32_MAX - base ? MIN(s->body.last, base + s->last) : s->body.last;

	for (m->line = MAX(first, 1u); m->line <= last; m->line++) {
		const struct dwarf_place place = { s->func, m->file, m->line, 0 };
		u32 found = m->line, n = m->v.n;

		if (dwarf_each_at_line(m->d, &place, &found, see_code, m) <= 0)
			return; /* no later one either */
		if (found == m->line)
			continue;
		m->v.n = n;
		m->line = found - 1;
	}
}

static bool is_marked(const struct marks *m, u32 line)
{
	for (u32 i = 0; i < m->v.n; i++)
		if (m->v.v[i] == line)
			return true;
	return false;
}

static void put_lines(struct buf *out, const struct marks *m, const struct shown *s,
		      const char *text)
{
	u32 line = 1, base = s->func ? s->body.first : 0;

	for (const char *end; (end = strchr(text, '\n')); text = end + 1, line++) {
		if (line < s->body.first || line > s->body.last || line - base < s->first ||
		    line - base > s->last)
			continue;
		if (is_marked(m, line))
			buf_printf(out, "%7u  ", line - base);
		else
			buf_pad(out, ' ', 9);
		buf_printf(out, "%.*s\n", (int)(end - text), text);
	}
}

static int show_text(struct probe *p, struct dwarf *d, struct elf *elf, struct shown *s)
{
	struct marks marks = { .d = d, .elf = elf, .arena = p->arena, .file = s->body.file };
	struct buf text = { 0 }, out = { 0 };
	int ret = buf_read_file(&text, s->body.file);

	if (ret < 0 || !text.len) {
		say(p->c, "read the source %s: %s", s->body.file,
		    strerror(ret < 0 ? -ret : ENODATA));
		ret = STATUS_REFUSED;
	} else {
		buf_printf(&out, "<%s%s%s:%u>\n", s->func ? s->func : "", s->func ? "@" : "",
			   s->body.file, s->first);
		mark_lines(&marks, s);
		put_lines(&out, &marks, s, text.s);
		ret = put_out(p->c, &out);
	}
	buf_release(&text);
	buf_release(&out);
	return ret;
}

struct source_search {
	const char *name, *path;
	struct arena *arena;
};

static void see_file(void *ctx, const char *path)
{
	struct source_search *s = ctx;
	size_t have = strlen(path), len = strlen(s->name);

	if (!s->path && have >= len && streq(path + have - len, s->name) &&
	    (have == len || path[have - len - 1] == '/'))
		s->path = arena_strdup(s->arena, path);
}

/* "FUNC[@SRC]" or "SRC"; false after a message. */
static bool find_text(struct probe *p, struct dwarf *d, const char *name, struct shown *s)
{
	struct source_search search = { .name = name, .arena = p->arena };
	const char *at = strchr(name, '@');

	dwarf_each_file(d, see_file, &search);
	if (search.path) {
		s->body = (struct text_body){ search.path, 0, UINT32_MAX };
		return true;
	}
	s->func = at ? arena_strndup(p->arena, name, (size_t)(at - name)) : name;
	return probe_body(p, d, s->func, at ? at + 1 : NULL, &s->body);
}

int probe_show_lines(struct probe *p, const char *what)
{
	const char *colon = strrchr(what, ':');
	const char *name = colon ? arena_strndup(p->arena, what, (size_t)(colon - what)) : what;
	struct shown s = { 0 };
	struct err err = { 0 };
	struct elf *elf = NULL;
	struct dwarf *d;
	int ret = need_file(p, what);

	if (!ret && !probe_range(colon ? colon + 1 : NULL, &s.first, &s.last))
		ret = say_usage(p->c, "%s: lines are FUNC:3, FUNC:3-10, FUNC:3+5, FILE.c:100-120",
				what);
	if (ret)
		return ret;
	d = probe_debug(p, &elf, &err);
	if (!d)
		say_err(p->c, &err);
	ret = !d || !find_text(p, d, name, &s) ? STATUS_WRONG : show_text(p, d, elf, &s);
	elf_close(elf);
	err_release(&err);
	return ret;
}

/* ---- variables */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* As perf writes it: "struct open_how*", "char[16]". */
static void put_type(struct buf *out, const struct type *t)
{
	struct buf b = { 0 };

	type_print_c(&b, t, "");
	for (const char *s = b.s; *s; s++)
		if (s[0] != ' ' || s[1] != '*')
			buf_putc(out, *s);
	buf_release(&b);
}

static void put_vars(struct probe *p, struct buf *out, const struct profile *profile)
{
	u32 n = profile->args.n + profile->vars.n;
	const char **text = arena_array(p->arena, const char *, n + 1);
	struct buf b = { 0 };

	for (u32 i = 0; i < n; i++) {
		const struct arg_desc *v = i < profile->args.n ?
						   &profile->args.v[i] :
						   &profile->vars.v[i - profile->args.n];

		buf_clear(&b);
		put_type(&b, v->type);
		buf_printf(&b, "\t%s", v->name);
		if (v->why)
			buf_printf(&b, "\t(%s)", v->why);
		text[i] = arena_strdup(p->arena, b.s);
	}
	if (n)
		qsort(text, n, sizeof *text, by_text);
	for (u32 i = 0; i < n; i++)
		buf_printf(out, "\t\t%s\n", text[i]);
	if (!n)
		buf_printf(out, "\t\t(none%s%s)\n", profile->missing.why ? ": " : "",
			   profile->missing.why ? profile->missing.why : "");
	buf_release(&b);
}

static void put_place(struct probe *p, struct buf *out, struct elf *elf,
		      const struct probe_place *at)
{
	struct elf_symbol s;
	u64 pc;

	if (at->site->kind == SITE_KPROBE)
		buf_printf(out, "\t@<%s+%llu>\n",
			   at->site->kernel.symbol ? at->site->kernel.symbol : "",
			   (unsigned long long)at->site->kernel.offset);
	else if (elf && elf_offset_to_address(elf, at->site->user.offset, &pc) &&
		 elf_symbol_at(elf, pc, &s))
		buf_printf(out, "\t@<%s+%llu>\n", s.name, (unsigned long long)(pc - s.value));
	else
		buf_printf(out, "\t@<0x%llx>\n", (unsigned long long)at->site->user.offset);
	put_vars(p, out, at->profile);
}

int probe_show_vars(struct probe *p, const char *what)
{
	struct probe_point at;
	struct err err = { 0 };
	struct buf out = { 0 };
	int ret = probe_parse(p, what, &at);
	struct elf *elf;

	ret = ret ? ret : probe_resolve(p, &at, true);
	if (ret)
		return ret;
	elf = p->file ? elf_open(p->file, &err) : NULL;
	buf_printf(&out, "Available variables at %s\n", at.where);
	for (u32 i = 0; i < p->places.n; i++)
		put_place(p, &out, elf, &p->places.v[i]);
	elf_close(elf);
	err_release(&err);
	probe_done(p);
	ret = put_out(p->c, &out);
	buf_release(&out);
	return ret;
}

/* ---- functions */

struct functions {
	struct probe *p;
	const char *pattern;
	VEC(const char *) v;
};

static int see_function(void *ctx, const struct elf_symbol *s)
{
	struct functions *f = ctx;

	if (f->pattern ? glob_match(f->pattern, s->name) : *s->name != '_')
		vec_push(f->p->arena, &f->v, arena_strdup(f->p->arena, s->name));
	return 0;
}

int probe_show_functions(struct probe *p, const char *pattern)
{
	struct functions f = { .p = p, .pattern = pattern };
	struct err err = { 0 };
	struct buf out = { 0 };
	int ret =
		p->file || p->c->own.probe.vmlinux ?
			need_file(p, "-F") :
			say_usage(
				p->c,
				"functions are those of -x FILE or -k FILE; sonde list 'kprobe:*' lists those of the kernel");
	struct elf *elf = ret ? NULL : elf_open(p->file, &err);

	if (ret)
		return ret;
	if (!elf) {
		say_err(p->c, &err);
		err_release(&err);
		return STATUS_WRONG;
	}
	elf_each_function(elf, NULL, see_function, &f);
	if (f.v.n)
		qsort(f.v.v, f.v.n, sizeof *f.v.v, by_text);
	for (u32 i = 0; i < f.v.n; i++)
		if (!i || !streq(f.v.v[i], f.v.v[i - 1]))
			buf_printf(&out, "%s\n", f.v.v[i]);
	elf_close(elf);
	ret = put_out(p->c, &out);
	buf_release(&out);
	return ret;
}
