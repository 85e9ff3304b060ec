/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion of what is typed: fields and events of the recording, variables of the language. */
#include <ctype.h>
#include "builtin/builtin.h"
#include "cli/tui/tui.h"
#include "type/event_format.h"

struct found {
	const char *word;
	size_t len;
	char common[64]; /* what all candidates begin with */
	u32 n;
	struct buf names;
};

/* Names that begin with "args." complete after it. */
static void try(struct found *f, const char *name)
{
	size_t same = 0;

	if (strncmp(name, f->word, f->len))
		return;
	if (f->names.s && (strstr(f->names.s, name) || f->names.len > 300))
		return;
	buf_printf(&f->names, "%s ", name);
	if (!f->n++)
		snprintf(f->common, sizeof f->common, "%s", name);
	while (f->common[same] && f->common[same] == name[same])
		same++;
	f->common[same] = '\0';
}

static void try_fields(struct found *f, const struct event_format *e)
{
	for (u32 i = 0; i < e->n_members; i++)
		if (!e->members[i].is_common)
			try(f, e->members[i].name);
}

static void try_all(struct found *f, const struct tui *t)
{
	for (u32 i = 0; i < t->r->tables->formats.n; i++)
		if (t->prompt.is_predicate)
			try_fields(f, t->r->tables->formats.v[i]);
		else
			try(f, t->r->tables->formats.v[i]->name);
	for (const struct builtin_theme *const *b = builtin_themes; *b && t->prompt.is_predicate;
	     b++)
		for (u32 i = 0; i < (*b)->n; i++)
			if ((*b)->rows[i].flags & BI_VARIABLE && !(*b)->rows[i].alias_of)
				try(f, (*b)->rows[i].name);
}

static bool is_word(const struct tui_prompt *p, char c)
{
	return isalnum((u8)c) || c == '_' || (c == ':' && !p->is_predicate);
}

void tui_complete(struct tui *t)
{
	struct tui_prompt *p = &t->prompt;
	u32 from = p->at;
	struct found f = { 0 };
	size_t more;

	while (from && is_word(p, p->text[from - 1]))
		from--;
	f.word = p->text + from;
	f.len = p->at - from;
	try_all(&f, t);
	more = strlen(f.common);
	more = more > f.len ? more - f.len : 0;
	if (f.n && p->len + more < sizeof p->text) {
		memmove(p->text + p->at + more, p->text + p->at, p->len - p->at + 1);
		memcpy(p->text + p->at, f.common + f.len, more);
		p->len += (u32)more;
		p->at += (u32)more;
	}
	if (f.n != 1)
		tui_say(t, f.n ? "%s" : "no field or variable begins like this%s",
			f.n ? f.names.s : "");
	buf_release(&f.names);
}
