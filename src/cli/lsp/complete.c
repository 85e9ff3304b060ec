/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion. The context of the cursor is determined from the text alone, because a script rarely
 * compiles while it is edited: outside of braces a probe is named, after a dot a field, and so on.
 * The type before a dot comes from the compiler, which is given the script up to the statement and
 * the expression alone: "head { earlier statements; _ = (EXPRESSION); }".
 */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include "base/json.h"
#include "builtin/builtin.h"
#include "cli/front.h"
#include "cli/lsp/lsp.h"

enum { MAX_ITEMS = 500, MAX_DEPTH = 64 };

enum item_kind { /* CompletionItemKind */
		 ITEM_FUNCTION = 3,
		 ITEM_FIELD = 5,
		 ITEM_VARIABLE = 6,
		 ITEM_MODULE = 9,
		 ITEM_KEYWORD = 14,
		 ITEM_FILE = 17,
		 ITEM_FOLDER = 19,
		 ITEM_EVENT = 23,
};

struct completion {
	struct lsp *l;
	const struct document *d;
	size_t at, from; /* the cursor, and where the word that is replaced begins */
	u32 n;
	bool more; /* there are others */
	struct hash seen;
};

/* ---- items */

struct item {
	const char *label;
	enum item_kind kind;
	const char *detail, *doc; /* may be NULL */
	const char *snippet;      /* what is inserted, with ${1:places}; NULL: the label */
};

/* 0, or 1 when there are enough. */
static int put_item(struct completion *c, const struct item *i)
{
	struct buf *b = &c->l->out;
	const char *label = arena_strdup(&c->l->arena, i->label);

	if (hash_puts(&c->seen, label, c))
		return 0;
	if (c->n == MAX_ITEMS) {
		c->more = true;
		return 1;
	}
	buf_puts(b, c->n++ ? ",{\"label\":" : "{\"label\":");
	json_strz(b, i->label);
	buf_printf(b, ",\"kind\":%d", i->kind);
	if (i->detail) {
		buf_puts(b, ",\"detail\":");
		json_strz(b, i->detail);
	}
	if (i->doc) {
		buf_puts(b, ",\"documentation\":");
		json_strz(b, i->doc);
	}
	if (i->snippet)
		buf_puts(b, ",\"insertTextFormat\":2");
	buf_puts(b, ",\"textEdit\":{\"range\":");
	put_range(b, c->d->text, c->d->len, c->from, c->at);
	buf_puts(b, ",\"newText\":");
	json_strz(b, i->snippet ? i->snippet : i->label);
	buf_puts(b, "}}");
	return 0;
}

static bool begins(const struct completion *c, const char *name)
{
	return !strncmp(name, c->d->text + c->from, c->at - c->from);
}

/* ---- the context of the cursor */

struct where {
	u32 depth;        /* braces that are open */
	size_t head;      /* start of the last text outside of braces */
	size_t statement; /* where the statement began */
	bool in_text;     /* a string, a comment, a line of C */
	bool in_predicate;
};

/* The end of the string, comment or preprocessor line at s, or NULL: none begins there. */
static const char *skip_text(const char *s, const char *end, bool line_start)
{
	const char *stop;

	if (*s == '"') {
		for (s++; s < end && *s != '"' && *s != '\n'; s++)
			s += *s == '\\';
		return MIN(s + 1, end + 1);
	}
	if (s[0] == '/' && s[1] == '*') {
		stop = strstr(s + 2, "*/");
		return stop && stop + 2 <= end ? stop + 2 : end + 1;
	}
	if ((s[0] == '/' && s[1] == '/') || (*s == '#' && line_start)) {
		stop = memchr(s, '\n', (size_t)(end - s));
		return stop ? stop : end + 1;
	}
	return NULL;
}

static struct where look(const char *text, size_t at)
{
	struct where w = { 0 };
	const char *end = text + at;
	bool line_start = true;

	for (const char *s = text; s < end;) {
		const char *past = skip_text(s, end, line_start);

		if (past > end) {
			w.in_text = true;
			return w;
		}
		if (past) {
			if (!w.depth && *s == '#')
				w.head = (size_t)(past - text);
			s = past;
			continue;
		}
		if (*s == '{')
			w.depth++;
		if (*s == '}' && w.depth)
			w.depth--;
		if (strchr("{};", *s)) {
			w.statement = (size_t)(s + 1 - text);
			w.in_predicate = false;
			if (!w.depth)
				w.head = w.statement;
		}
		if (!w.depth && *s == '/' && s > text && isspace((u8)s[-1]))
			w.in_predicate = true;
		line_start = *s == '\n' || (line_start && isspace((u8)*s));
		s++;
	}
	return w;
}

/* ---- probes */

/* Parts of "kprobe[:MODULE]:FUNCTION" that are required: 2. */
static u32 parts_needed(const struct provider *p)
{
	u32 n = 1, depth = 0;

	for (const char *s = p->syntax; *s && *s != ' '; s++) {
		depth += *s == '[';
		depth -= *s == ']';
		n += *s == ':' && !depth;
	}
	return n;
}

static u32 parts_of(const char *s)
{
	u32 n = 1;

	for (; *s; s++)
		n += *s == ':';
	return n;
}

struct listing {
	struct completion *c;
	const char *word; /* as typed: "t:sched:sched_s" */
	size_t typed;     /* length of its first part */
	bool by_part;     /* up to the next colon only */
};

/* The name with the provider as the user spells it; a group of many ends in its colon. */
static int on_probe(struct listing *li, const char *probe)
{
	const char *rest = strchr(probe, ':'), *colon;
	u32 colons = parts_of(li->word) - 1;
	struct item i = { .kind = ITEM_EVENT };

	if (!rest)
		return 0;
	for (colon = rest; colon && colons > 1; colons--)
		colon = strchr(colon + 1, ':');
	colon = colon ? strchr(colon + 1, ':') : NULL;
	if (li->by_part && colon) {
		i.label = arena_printf(&li->c->l->arena, "%.*s%.*s", (int)li->typed, li->word,
				       (int)(colon + 1 - rest), rest);
		i.kind = ITEM_MODULE;
	} else {
		i.label = arena_printf(&li->c->l->arena, "%.*s%s", (int)li->typed, li->word, rest);
	}
	return put_item(li->c, &i);
}

/* Names may have a module that the script omits: fentry:vmlinux:vfs_read matches fentry:vfs. */
static bool starts_with_word(const char *probe, const char *whole, const struct provider *p)
{
	const char *last = strrchr(probe, ':'), *wanted = strrchr(whole, ':');

	if (starts_with(probe, whole))
		return true;
	return parts_needed(p) < parts_of(probe) && parts_of(whole) == parts_needed(p) && last &&
	       wanted && starts_with(last, wanted);
}

static void list_probes(struct completion *c, const struct provider *p, const char *word)
{
	struct listing li = { .c = c, .word = word, .typed = strcspn(word, ":") };
	const char *colon = strrchr(word, ':');
	char *family = arena_printf(&c->l->arena, "%s%.*s", p->name,
				    (int)(colon + 1 - word - li.typed), word + li.typed);
	char *whole = arena_printf(&c->l->arena, "%s%s", p->name, word + li.typed);
	u32 missing = parts_needed(p) > parts_of(word) ? parts_needed(p) - parts_of(word) : 0;
	const struct probe_names *names = lsp_names(c->l, family, missing);

	li.by_part = missing > 0;
	for (u32 i = 0; i < names->v.n; i++)
		if (starts_with_word(names->v.v[i], whole, p) && on_probe(&li, names->v.v[i]))
			break;
}

/* Files of the folder that the second part of a probe begins with. */
static void list_files(struct completion *c, const char *word)
{
	const char *path = strchr(word, ':') + 1, *slash = strrchr(path, '/');
	char *folder = arena_strndup(&c->l->arena, path, (size_t)(slash + 1 - path));
	DIR *dir = opendir(folder);
	const struct dirent *e;

	while (dir && (e = readdir(dir))) {
		bool is_folder = e->d_type == DT_DIR;
		struct item i = { .kind = is_folder ? ITEM_FOLDER : ITEM_FILE };

		if (e->d_name[0] == '.' || strncmp(e->d_name, slash + 1, strlen(slash + 1)))
			continue;
		i.label = arena_printf(&c->l->arena, "%.*s%s%s", (int)(slash + 1 - word), word,
				       e->d_name, is_folder ? "/" : ":");
		if (put_item(c, &i))
			break;
	}
	if (dir)
		closedir(dir);
}

static void list_providers(struct completion *c)
{
	static const struct item heads[] = {
		{ "macro", ITEM_KEYWORD, "a named piece of script", NULL,
		  "macro ${1:name}(${2:x}) {\n\t$0\n}" },
		{ "fn", ITEM_KEYWORD, "a function", NULL,
		  "fn ${1:name}($${2:x}: ${3:uint64}): ${4:uint64} {\n\t$0\n}" },
		{ "config", ITEM_KEYWORD, "configuration variables", NULL, "config = {\n\t$0\n}" },
		{ "import", ITEM_KEYWORD, "another script", NULL, "import \"${1:file.bt}\";" },
		{ "struct", ITEM_KEYWORD, "a structure, as in C", NULL,
		  "struct ${1:name} {\n\t$0\n};" },
		{ "let", ITEM_KEYWORD, "a map with its size", NULL,
		  "let @${1:x} = hash(${2:1000});" },
	};

	for (u32 i = 0; providers[i]; i++) {
		const struct provider *p = providers[i];
		const char *label = p->max_parts > 1 ? arena_printf(&c->l->arena, "%s:", p->name) :
						       p->name;
		struct item item = { label, ITEM_MODULE, p->syntax, p->brief, NULL };

		if (begins(c, label))
			put_item(c, &item);
	}
	for (u32 i = 0; i < ARRAY_SIZE(heads); i++)
		if (begins(c, heads[i].label))
			put_item(c, &heads[i]);
}

static void complete_probe(struct completion *c, const struct where *w)
{
	const char *text = c->d->text, *word;
	const struct provider *p;
	char *name;

	c->from = c->at;
	while (c->from > w->head && !isspace((u8)text[c->from - 1]) && text[c->from - 1] != ',')
		c->from--;
	word = arena_strndup(&c->l->arena, text + c->from, c->at - c->from);
	if (!strchr(word, ':')) {
		list_providers(c);
		return;
	}
	name = arena_strndup(&c->l->arena, word, strcspn(word, ":"));
	p = provider_find(name);
	if (!p)
		return;
	if (strstr(p->syntax, ":BINARY") && parts_of(word) == 2 && strchr(word, '/'))
		list_files(c, word);
	else
		list_probes(c, p, word);
}

/* ---- fields */

static bool is_word(char ch)
{
	return isalnum((u8)ch) || ch == '_';
}

/* Where the bracket that ends at `at` opens. */
static size_t opening(const char *text, size_t at)
{
	u32 depth = 0;

	while (at > 0) {
		char ch = text[--at];

		depth += ch == ')' || ch == ']';
		depth -= ch == '(' || ch == '[';
		if (!depth || ch == ';' || ch == '{')
			break;
	}
	return at;
}

/* Where the postfix expression that ends at `at` begins. */
static size_t expression(const char *text, size_t at)
{
	while (at > 0) {
		char ch = text[at - 1];

		if (ch == ')' || ch == ']')
			at = opening(text, at);
		else if (ch == '>' && at > 1 && text[at - 2] == '-')
			at -= 2;
		else if (is_word(ch) || ch == '.' || ch == '$' || ch == '@')
			at--;
		else
			break;
		if (ch == '$' || ch == '@')
			break;
	}
	return at;
}

static int put_field(struct completion *c, const char *name, const struct type *t, const char *text)
{
	struct buf b = { 0 };
	struct item i = { name, ITEM_FIELD, NULL, NULL, NULL };
	int ret = 0;

	if (!text)
		type_print(&b, t);
	i.detail = text ? text : b.s;
	if (begins(c, name))
		ret = put_item(c, &i);
	buf_release(&b);
	return ret;
}

static void put_members(struct completion *c, const struct type *t, u32 depth)
{
	if (t->kind == TY_POINTER)
		t = t->elem;
	type_complete(t);
	for (u32 i = 0; i < t->n_fields; i++) {
		const struct field *f = &t->fields[i];

		if (f->name && *f->name)
			put_field(c, f->name, f->type, NULL);
		else if (depth < MAX_DEPTH) /* anonymous: its members are the outer one's */
			put_members(c, f->type, depth + 1);
	}
}

static void put_arguments(struct completion *c, const struct profile *p)
{
	for (u32 i = 0; p && i < p->args.n; i++)
		put_field(c, p->args.v[i].name, p->args.v[i].type, p->args.v[i].text);
}

struct widest {
	struct compiled *compiled;
	size_t from, to;
	struct node *best;
};

static bool on_node(struct node *n, void *ctx)
{
	struct widest *w = ctx;
	size_t from, to;

	if (n->type && n->kind <= N_BLOCK_EXPR && lsp_span(w->compiled, n->span, &from, &to) &&
	    from >= w->from && to <= w->to && (!w->best || n->span.len > w->best->span.len))
		w->best = n;
	return true;
}

static void complete_field(struct completion *c, const struct where *w, size_t dot)
{
	const char *text = c->d->text;
	size_t from = expression(text, dot), start;
	struct buf b = { 0 };
	struct widest widest = { 0 };
	struct instance *in;

	buf_add(&b, text, w->in_predicate ? w->head : w->statement);
	if (w->in_predicate) {
		const char *slash = memchr(text + w->head, '/', dot - w->head);

		while (slash && !isspace((u8)slash[-1]))
			slash = memchr(slash + 1, '/', (size_t)(text + dot - slash - 1));
		buf_add(&b, text + w->head, slash ? (size_t)(slash - text) - w->head : 0);
		buf_puts(&b, " {");
	}
	buf_puts(&b, " _ = (");
	start = b.len;
	buf_add(&b, text + from, dot - from);
	widest.from = start;
	widest.to = b.len;
	buf_puts(&b, ");");
	for (u32 i = 0; i < w->depth + w->in_predicate; i++)
		buf_puts(&b, " }");
	widest.compiled = lsp_compile(c->l, c->d, b.s, b.len);
	in = lsp_instance(widest.compiled, start);
	if (in)
		ast_walk(in->body, on_node, &widest);
	if (dot - from == 4 && !memcmp(text + from, "args", 4))
		put_arguments(c, in ? in->profile : NULL);
	else if (widest.best)
		put_members(c, widest.best->type, 0);
	lsp_forget(widest.compiled);
	buf_release(&b);
}

/* ---- names */

/* Words of the text that begin with a sign: "$x", "@m". */
static void complete_sign(struct completion *c, char sign)
{
	const char *text = c->d->text;

	c->from--;
	for (size_t i = 0; i < c->d->len; i++) {
		size_t n = 1;
		struct item item = { .kind = ITEM_VARIABLE };

		while (is_word(text[i + n]))
			n++;
		if (text[i] != sign || (i <= c->at && c->at <= i + n))
			continue;
		item.label = arena_strndup(&c->l->arena, text + i, n);
		if (begins(c, item.label))
			put_item(c, &item);
		i += n - 1;
	}
}

/* "str(addr: ptr, len: int = 0)" -> "str(${1:addr})": what must be given. */
static const char *snippet_of(struct arena *a, const struct builtin *row)
{
	const char *s = strchr(row->sig, '(');
	struct buf b = { 0 };
	const char *text;
	u32 n = 0;

	if (row->flags & BI_VARIABLE)
		return NULL;
	buf_printf(&b, "%s(", row->name);
	while (s && *s && *s != ')') {
		size_t len = strcspn(++s, ",)"), name = strcspn(s, ":");

		while (len && *s == ' ')
			s++, len--, name--;
		if (name < len && !memchr(s, '=', len))
			buf_printf(&b, "%s${%u:%.*s}", n ? ", " : "", n + 1, (int)name, s), n++;
		s += len;
	}
	buf_puts(&b, n ? ")" : "$1)");
	text = arena_strdup(a, b.s);
	buf_release(&b);
	return text;
}

static void complete_word(struct completion *c)
{
	static const char *const keywords[] = { "if",          "else",   "for",      "while",
						"unroll",      "let",    "break",    "return",
						"sizeof",      "typeof", "offsetof", "continue",
						"true",        "false",  "struct",   "comptime",
						"field_exists" };
	struct cli script = { .request = { .script.name = c->d->path,
					   .script.text = c->d->text,
					   .script.len = c->d->len },
			      .host = { .themes = builtin_themes } };
	struct front f;

	for (u32 t = 0; builtin_themes[t]; t++)
		for (u32 i = 0; i < builtin_themes[t]->n; i++) {
			const struct builtin *row = &builtin_themes[t]->rows[i];
			struct item item = { row->name, ITEM_FUNCTION, row->sig, row->brief, NULL };

			if (row->alias_of || !begins(c, row->name))
				continue;
			item.snippet = snippet_of(&c->l->arena, row);
			put_item(c, &item);
		}
	front_init(&f, &script);
	parse_script(&f.lang, f.src);
	for (const struct macro *m = f.lang.script->macros; m; m = m->next)
		if (begins(c, m->name))
			put_item(c, &(struct item){ m->name, ITEM_FUNCTION, "a macro of the script",
						    NULL, NULL });
	for (const struct function *fn = f.lang.script->functions; fn; fn = fn->next)
		if (begins(c, fn->name))
			put_item(c, &(struct item){ fn->name, ITEM_FUNCTION,
						    "a function of the script", NULL, NULL });
	front_release(&f);
	for (u32 i = 0; i < ARRAY_SIZE(keywords); i++)
		if (begins(c, keywords[i]))
			put_item(c, &(struct item){ keywords[i], ITEM_KEYWORD, NULL, NULL, NULL });
}

static void complete_inside(struct completion *c, const struct where *w)
{
	const char *text = c->d->text;
	char before;

	c->from = c->at;
	while (c->from > w->statement && is_word(text[c->from - 1]))
		c->from--;
	before = c->from > 0 ? text[c->from - 1] : 0;
	if (before == '$' || before == '@')
		complete_sign(c, before);
	else if (before == '.' && !(c->from > 1 && text[c->from - 2] == '.'))
		complete_field(c, w, c->from - 1);
	else if (before == '>' && c->from > 1 && text[c->from - 2] == '-')
		complete_field(c, w, c->from - 2);
	else
		complete_word(c);
}

void lsp_complete(struct lsp *l)
{
	struct completion c = { .l = l };
	struct document *d;
	struct where w;
	struct buf head = { 0 };

	if (!lsp_position(l, &d, &c.at))
		return;
	c.d = d;
	w = look(d->text, c.at);
	if (!w.in_text && !w.depth && !w.in_predicate)
		complete_probe(&c, &w);
	else if (!w.in_text)
		complete_inside(&c, &w);
	buf_printf(&head, "{\"isIncomplete\":%s,\"items\":[", c.more ? "true" : "false");
	buf_add(&head, l->out.s ? l->out.s : "", l->out.len);
	buf_puts(&head, "]}");
	buf_release(&l->out);
	l->out = head;
	hash_release(&c.seen);
}
