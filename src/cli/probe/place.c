/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A point -> its addresses: the probes of the language find them (uprobe:FILE:FUNC,
 * uprobe:FILE:FUNC@SOURCE:LINE, kprobe:FUNC ...), with what can be read there.
 */
#include <errno.h>
#include "builtin/builtin.h"
#include "cli/probe/probe.h"
#include "engine/kernel/kernel.h"
#include "object/dwarf.h"
#include "object/elf.h"
#include "provider/uargs.h"
#include "session/system.h"

/* ---- debug information */

struct dwarf *probe_debug(struct probe *p, struct elf **elf, struct err *err)
{
	struct dwarf *d = NULL;

	*elf = elf_open(p->file, err);
	if (*elf)
		d = uargs_open(p->file, elf_machine(*elf), err);
	if (d)
		return d;
	elf_close(*elf);
	*elf = NULL;
	return NULL;
}

bool probe_is_of(const char *path, const char *source)
{
	size_t have = strlen(path), len = source ? strlen(source) : 0;

	return !source || (have >= len && streq(path + have - len, source) &&
			   (have == len || *source == '/' || path[have - len - 1] == '/'));
}

bool probe_body(struct probe *p, struct dwarf *d, const char *func, const char *source,
		struct text_body *out)
{
	struct text_body found[DWARF_MAX_BODIES];
	u32 n = dwarf_bodies(d, func, found);

	for (u32 i = 0; i < n; i++)
		if (probe_is_of(found[i].file, source)) {
			*out = found[i];
			return true;
		}
	if (n)
		say(p->c, "%s is not in %s but in %s", func, source, found[0].file);
	else
		say(p->c,
		    "debug information of %s has no function %s (sonde probe -x %s -F lists functions)",
		    p->file, func, p->file);
	return false;
}

/* ---- as a probe of the language */

/* In quotes, if it has to be. */
static void put_part(struct buf *b, const char *text)
{
	bool odd = text[strcspn(text, "(<>, \"{}&~[]=;:#'|")] != '\0';

	if (odd)
		buf_putc(b, '"');
	for (; *text; text++) {
		if (odd && (*text == '"' || *text == '\\'))
			buf_putc(b, '\\');
		buf_putc(b, *text);
	}
	if (odd)
		buf_putc(b, '"');
}

static void put_file(struct buf *b, const char *kind, const struct probe *p)
{
	buf_printf(b, "%s:", kind);
	put_part(b, p->file);
}

static void put_line(struct buf *b, const struct probe *p, const char *func, const char *source,
		     u32 line)
{
	put_file(b, "uprobe", p);
	if (func) {
		buf_putc(b, ':');
		put_part(b, func);
	}
	buf_putc(b, '@');
	put_part(b, source);
	buf_printf(b, ":%u", line);
}

/* The same text, but for blanks: * and ? are wildcards. */
static bool is_like(const char *pattern, const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	while (*pattern == ' ')
		pattern++;
	if (*pattern == '*')
		return is_like(pattern + 1, text) || (*text && is_like(pattern, text + 1));
	if (!*pattern || !*text)
		return !*pattern && !*text;
	return (*pattern == '?' || *pattern == *text) && is_like(pattern + 1, text + 1);
}

static int stop(void *ctx, const struct dwarf_line *l)
{
	return 1;
}

bool probe_has_code(struct dwarf *d, const char *func, const char *file, u32 line)
{
	const struct dwarf_place place = { func, file, line, 0 };
	u32 found = line;

	return dwarf_each_at_line(d, &place, &found, stop, NULL) > 0 && found == line;
}

/* Attach points for the lines of a text that match: their number, or -1 after a message. */
static int put_matching(struct probe *p, struct buf *b, struct dwarf *d,
			const struct probe_point *at, const struct text_body *body)
{
	struct buf text = { 0 };
	int ret = buf_read_file(&text, body->file), n = 0;
	u32 line = 1;

	if (ret < 0 || !text.s) {
		say(p->c, "read the source %s: %s", body->file, strerror(ret < 0 ? -ret : ENODATA));
		n = -1;
	}
	for (char *s = text.s, *end; n >= 0 && s && (end = strchr(s, '\n')); s = end + 1, line++) {
		*end = '\0';
		if (line < body->first || line > body->last || !is_like(at->pattern, s) ||
		    !probe_has_code(d, at->func, body->file, line))
			continue;
		buf_puts(b, n++ ? ",\n" : "");
		put_line(b, p, at->func, body->file, line);
	}
	buf_release(&text);
	if (!n)
		say(p->c, "%s: no line with code matches \"%s\"", at->text, at->pattern);
	return n;
}

static int put_in_source(struct probe *p, struct buf *b, const struct probe_point *at)
{
	struct err err = { 0 };
	struct elf *elf;
	struct dwarf *d = probe_debug(p, &elf, &err);
	struct text_body body = { .file = at->source, .last = UINT32_MAX };
	bool ok = d && (!at->func || probe_body(p, d, at->func, at->source, &body));

	if (!d)
		say_err(p->c, &err);
	if (ok && at->pattern)
		ok = put_matching(p, b, d, at, &body) > 0;
	else if (ok)
		put_line(b, p, at->func, body.file, body.first + at->line);
	elf_close(elf);
	err_release(&err);
	return ok ? 0 : STATUS_WRONG;
}

static void put_in_kernel(struct buf *b, const struct probe *p, const struct probe_point *at)
{
	buf_puts(b, at->is_return ? "kretprobe:" : "kprobe:");
	if (p->module)
		buf_printf(b, "%s:", p->module);
	buf_printf(b, "%s%s", at->func, at->offset);
}

/* 0, or the exit status after a message. */
static int put_attach(struct probe *p, struct buf *b, const struct probe_point *at)
{
	if (!p->file && at->is_usdt)
		return say_usage(p->c, "%s: a tracepoint of a program: -x FILE", at->text);
	if (!p->file && (at->source || at->has_line || at->pattern || p->c->own.probe.vmlinux)) {
		int ret = probe_use_image(p, at->text);

		if (ret)
			return ret;
	}
	if (!p->file)
		put_in_kernel(b, p, at);
	else if (at->is_usdt)
		put_file(b, "usdt", p);
	else if (at->has_line || at->pattern)
		return put_in_source(p, b, at);
	else
		put_file(b, at->is_return ? "uretprobe" : "uprobe", p);
	if (p->file) {
		buf_putc(b, ':');
		if (at->is_usdt)
			buf_puts(b, at->func);
		else
			put_part(b, at->func);
		buf_puts(b, at->offset);
	}
	return 0;
}

/* ---- resolve */

static int on_target(void *ctx, struct target *t)
{
	struct probe *p = ctx;
	const char *func = t->site.func;

	if (t->is_part || t->site.is_deferred)
		return 0;
	vec_push(&p->front.arena, &p->places, (struct probe_place){ &t->site, t->profile, func });
	return 0;
}

static struct btf *front_btf(struct provider_env *env)
{
	struct front *f = env->system.ctx;

	return system_btf(&f->system);
}

/* The variable that an argument begins with. */
static const char *root_of(struct probe *p, const char *expr)
{
	return arena_strndup(p->arena, expr, strcspn(expr, ".-["));
}

static void setup(struct probe *p, const struct probe_point *at, bool all)
{
	const char **names = arena_array(p->arena, const char *, at->n_args + 1);
	u32 n = 0;

	for (u32 i = 0; i < at->n_args; i++)
		if (!probe_is_raw(&at->args[i]) || streq(at->args[i].expr, "$vars") ||
		    streq(at->args[i].expr, "$params"))
			names[n++] = root_of(p, at->args[i].expr);
	p->env = (struct provider_env){
		.arena = &p->front.arena,
		.diags = &p->front.diags,
		.system = { .features = kernel_features(), .btf = front_btf, .ctx = &p->front },
		.request = &p->c->request,
		.attach = { .kprobe_only = "an event is defined" },
		.config = { .max_targets = 1024,
			    .exact_uprobes = true,
			    .missing_probes = MISSING_ERROR },
		.clause = { .args = n || all || at->is_return || at->is_usdt,
			    .result = true,
			    .var_names = names,
			    .n_var_names = n },
		/* variables of the frame have values after the prologue: then the probe is there */
		.script = { .args = true, .record = n > 0 },
		.kernel_script = { .args = true, .record = true },
	};
}

/* all: as for a list. */
static void resolve_all(struct probe *p, bool all)
{
	memset(&p->places, 0, sizeof p->places);
	for (struct clause *cl = p->front.lang.script->clauses; cl; cl = cl->next)
		for (const struct attach *a = cl->attaches; a; a = a->next) {
			struct spec *spec = spec_parse(&p->env, a);

			p->env.diags = all ? NULL : &p->front.diags;
			if (spec)
				spec->provider->resolve(&p->env, spec, on_target, p);
			p->env.diags = &p->front.diags;
		}
}

static int resolve(struct probe *p, const struct probe_point *at, bool all, const char *script)
{
	p->c->request.script.text = script;
	p->c->request.script.len = strlen(script);
	p->c->request.script.name = "<probe>";
	p->c->request.script.is_of_command = true;
	p->c->host.themes = builtin_themes;
	front_init(&p->front, p->c);
	setup(p, at, all);
	if (parse_script(&p->front.lang, p->front.src) && lang_prepare(&p->front.lang))
		resolve_all(p, false);
	if (all && !p->front.diags.n_errors)
		resolve_all(p, true);
	say_diags(p->c, &p->front.diags);
	if (p->front.diags.n_errors)
		return diags_are_refusals(&p->front.diags) ? STATUS_REFUSED : STATUS_WRONG;
	if (!p->places.n)
		say(p->c, "probe point \"%s\" was not found", at->where);
	return p->places.n ? 0 : STATUS_WRONG;
}

/* Leaves those of FUNC that are of SRC. 0, or the exit status after a message. */
static int keep_source(struct probe *p, const struct probe_point *at)
{
	struct err err = { 0 };
	struct elf *elf;
	struct dwarf *d = probe_debug(p, &elf, &err);
	u32 n = 0;
	u64 pc;

	for (u32 i = 0; d && i < p->places.n; i++) {
		struct dwarf_line line;

		if (elf_offset_to_address(elf, p->places.v[i].site->user.offset, &pc) &&
		    dwarf_line_at(d, pc, &line) && probe_is_of(line.file, at->source))
			p->places.v[n++] = p->places.v[i];
	}
	p->places.n = n;
	if (!d)
		say_err(p->c, &err);
	else if (!n)
		say(p->c, "%s: no function %s is in %s", at->text, at->func, at->source);
	elf_close(elf);
	err_release(&err);
	return n ? 0 : STATUS_WRONG;
}

int probe_resolve(struct probe *p, const struct probe_point *at, bool all)
{
	struct buf b = { 0 };
	int ret = put_attach(p, &b, at);

	if (!ret) {
		buf_puts(&b, " {}\n");
		ret = resolve(p, at, all, arena_strdup(p->arena, b.s));
		if (!ret && at->func && at->source && !at->has_line && !at->pattern)
			ret = keep_source(p, at);
		if (ret)
			probe_done(p);
	}
	buf_release(&b);
	return ret;
}

void probe_done(struct probe *p)
{
	provider_env_release(&p->env);
	front_release(&p->front);
}
