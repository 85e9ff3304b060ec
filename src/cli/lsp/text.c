/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Documents as the editor has them. Its columns count UTF-16 units, ours bytes of UTF-8. */
#include <ctype.h>
#include <stdlib.h>
#include "cli/lsp/lsp.h"

/* "file:///a%20b.bt" -> "/a b.bt" */
static char *path_of(const char *uri)
{
	const char *s = starts_with(uri, "file://") ? uri + strlen("file://") : uri;
	char *path = xcalloc(strlen(s) + 1, 1), *to = path;

	for (; *s; s++) {
		char hex[3] = { 0 };

		if (*s == '%' && isxdigit((u8)s[1]) && isxdigit((u8)s[2])) {
			memcpy(hex, s + 1, 2);
			*to++ = (char)strtoul(hex, NULL, 16);
			s += 2;
		} else {
			*to++ = *s;
		}
	}
	return path;
}

struct document *document_find(struct lsp *l, const char *uri)
{
	struct document *d = l->documents;

	while (d && uri && !streq(d->uri, uri))
		d = d->next;
	return uri ? d : NULL;
}

struct document *document_asked(struct lsp *l)
{
	return document_find(l, json_text(l->message, "params.textDocument.uri"));
}

struct document *document_open(struct lsp *l, const char *uri, const char *text, size_t len)
{
	struct document *d = document_find(l, uri);

	if (!d) {
		d = xcalloc(1, sizeof *d);
		d->uri = xstrdup(uri);
		d->path = path_of(uri);
		d->next = l->documents;
		l->documents = d;
	}
	free(d->text);
	d->text = xstrndup(text, len);
	d->len = strlen(d->text); /* a NUL ends it */
	return d;
}

void document_close(struct lsp *l, const char *uri)
{
	struct document **at = &l->documents, *d = document_find(l, uri);

	while (d && *at != d)
		at = &(*at)->next;
	if (!d)
		return;
	*at = d->next;
	free(d->uri);
	free(d->path);
	free(d->text);
	free(d);
}

void document_replace(struct document *d, size_t from, size_t to, const char *text, size_t len)
{
	struct buf b = { 0 };

	buf_add(&b, d->text, from);
	buf_add(&b, text, strnlen(text, len));
	buf_add(&b, d->text + to, d->len - to);
	free(d->text);
	d->len = b.len;
	d->text = buf_steal(&b);
}

/* ---- positions */

/* Bytes of the sequence at s; broken ones count as single bytes. */
static u32 sequence(const char *s, const char *end)
{
	u8 c = (u8)*s;
	u32 n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

	for (u32 i = 1; i < n; i++)
		if (s + i >= end || ((u8)s[i] & 0xc0) != 0x80)
			return 1;
	return n;
}

size_t offset_of(const struct document *d, struct lsp_position p)
{
	const char *s = d->text, *end = d->text + d->len;

	for (; p.line && s < end; s++)
		p.line -= *s == '\n';
	if (p.line)
		return d->len;
	for (u32 n = 0; s < end && *s != '\n' && n < p.character;) {
		u32 bytes = sequence(s, end);

		n += bytes == 4 ? 2 : 1;
		s += bytes;
	}
	return (size_t)(s - d->text);
}

static struct lsp_position position_of(const char *text, size_t len, size_t offset)
{
	struct lsp_position p = { 0 };
	const char *end = text + len;

	for (const char *s = text, *at = text + MIN(offset, len); s < at;) {
		u32 bytes = sequence(s, end);

		if (*s == '\n')
			p = (struct lsp_position){ .line = p.line + 1 };
		else
			p.character += bytes == 4 ? 2 : 1;
		s += bytes;
	}
	return p;
}

static void put_position(struct buf *b, struct lsp_position p)
{
	buf_printf(b, "{\"line\":%u,\"character\":%u}", p.line, p.character);
}

void put_range(struct buf *b, const char *text, size_t len, size_t from, size_t to)
{
	buf_puts(b, "{\"start\":");
	put_position(b, position_of(text, len, from));
	buf_puts(b, ",\"end\":");
	put_position(b, position_of(text, len, MAX(from, to)));
	buf_putc(b, '}');
}

bool lsp_position(struct lsp *l, struct document **d, size_t *offset)
{
	struct lsp_position p = { (u32)json_int(l->message, "params.position.line"),
				  (u32)json_int(l->message, "params.position.character") };

	*d = document_asked(l);
	if (!*d)
		return false;
	*offset = offset_of(*d, p);
	return true;
}
