/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde lsp: messages of the language server protocol, one after the other. A message is
 *
 *	Content-Length: N\r\n
 *	other headers, that are not looked at\r\n
 *	\r\n
 *	N bytes of JSON
 *
 * A change of a document is answered with its diagnostics at once: compiling takes a millisecond.
 */
#include <poll.h>
#include <stdlib.h>
#include <strings.h>
#include "base/fd.h"
#include "base/json.h"
#include "cli/lsp/lsp.h"

enum { MESSAGE_MAX = 64 << 20 };

/* Codes of JSON-RPC 2.0 and of the protocol. */
enum {
	PARSE_ERROR = -32700,
	INVALID_REQUEST = -32600,
	NO_METHOD = -32601,
	NOT_READY = -32002,
	REQUEST_FAILED = -32803
};

/* ---- out */

static void send_text(const struct buf *body)
{
	struct buf b = { 0 };

	buf_printf(&b, "Content-Length: %zu\r\n\r\n", body->len);
	buf_add(&b, body->s, body->len);
	write_all(STDOUT_FILENO, b.s, b.len);
	buf_release(&b);
}

static void put_id(struct buf *b, const struct json *message)
{
	const struct json *id = json_get(message, "id");

	buf_puts(b, "{\"jsonrpc\":\"2.0\",\"id\":");
	if (id && id->kind == JSON_STRING)
		json_str(b, id->str, id->len);
	else if (id && id->kind == JSON_NUMBER)
		buf_puts(b, id->str);
	else
		buf_puts(b, "null");
}

static void send_error(const struct json *message, int code, const char *text)
{
	struct buf b = { 0 };

	put_id(&b, message);
	buf_printf(&b, ",\"error\":{\"code\":%d,\"message\":", code);
	json_strz(&b, text);
	buf_puts(&b, "}}");
	send_text(&b);
	buf_release(&b);
}

static void send_result(const struct lsp *l)
{
	struct buf b = { 0 };

	put_id(&b, l->message);
	buf_puts(&b, ",\"result\":");
	if (l->out.len)
		buf_add(&b, l->out.s, l->out.len);
	else
		buf_puts(&b, "null");
	buf_putc(&b, '}');
	send_text(&b);
	buf_release(&b);
}

static void send_diagnostics(struct lsp *l, const struct document *d)
{
	struct buf b = { 0 };

	buf_clear(&l->out);
	lsp_diagnostics(l, d);
	buf_puts(&b,
		 "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/publishDiagnostics\",\"params\":");
	buf_add(&b, l->out.s, l->out.len);
	buf_putc(&b, '}');
	send_text(&b);
	buf_release(&b);
}

/* ---- methods */

static void initialize(struct lsp *l)
{
	l->is_ready = true;
	buf_puts(
		&l->out,
		"{\"capabilities\":{\"positionEncoding\":\"utf-16\","
		"\"textDocumentSync\":{\"openClose\":true,\"change\":2},"
		"\"completionProvider\":{\"triggerCharacters\":[\":\",\".\",\"$\",\"@\",\">\",\"/\"]},"
		"\"hoverProvider\":true,\"definitionProvider\":true,"
		"\"referencesProvider\":true,\"documentHighlightProvider\":true,\"renameProvider\":{\"prepareProvider\":true},"
		"\"signatureHelpProvider\":{\"triggerCharacters\":[\"(\",\",\"]},"
		"\"documentSymbolProvider\":true,\"documentFormattingProvider\":true},"
		"\"serverInfo\":{\"name\":\"sonde\",\"version\":\"" SONDE_VERSION "\"}}");
}

static void shutdown(struct lsp *l)
{
	l->is_over = true;
}

static void did_open(struct lsp *l)
{
	const char *uri = json_text(l->message, "params.textDocument.uri");
	const struct json *text = json_path(l->message, "params.textDocument.text");

	if (uri && text && text->kind == JSON_STRING)
		send_diagnostics(l, document_open(l, uri, text->str, text->len));
}

static void apply_change(struct document *d, const struct json *change)
{
	const struct json *text = json_get(change, "text");
	struct lsp_position start = { (u32)json_int(change, "range.start.line"),
				      (u32)json_int(change, "range.start.character") };
	struct lsp_position end = { (u32)json_int(change, "range.end.line"),
				    (u32)json_int(change, "range.end.character") };
	size_t from = 0, to = d->len;

	if (!text || text->kind != JSON_STRING)
		return;
	if (json_get(change, "range")) {
		from = offset_of(d, start);
		to = MAX(from, offset_of(d, end));
	}
	document_replace(d, from, to, text->str, text->len);
}

static void did_change(struct lsp *l)
{
	struct document *d = document_asked(l);
	const struct json *changes = json_path(l->message, "params.contentChanges");

	if (!d || !changes)
		return;
	for (const struct json *change = changes->first; change; change = change->next)
		apply_change(d, change);
	send_diagnostics(l, d);
}

/* Clears the diagnostics of the document in the editor. */
static void did_close(struct lsp *l)
{
	const char *uri = json_text(l->message, "params.textDocument.uri");
	struct buf b = { 0 };

	if (!document_find(l, uri))
		return;
	document_close(l, uri);
	buf_puts(
		&b,
		"{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/publishDiagnostics\",\"params\":{\"uri\":");
	json_strz(&b, uri);
	buf_puts(&b, ",\"diagnostics\":[]}}");
	send_text(&b);
	buf_release(&b);
}

static const struct method {
	const char *name;
	void (*answer)(struct lsp *l);
	bool is_request;
} methods[] = {
	{ "initialize", initialize, true },
	{ "shutdown", shutdown, true },
	{ "textDocument/didOpen", did_open, false },
	{ "textDocument/didChange", did_change, false },
	{ "textDocument/didClose", did_close, false },
	{ "textDocument/completion", lsp_complete, true },
	{ "textDocument/hover", lsp_hover, true },
	{ "textDocument/definition", lsp_definition, true },
	{ "textDocument/references", lsp_references, true },
	{ "textDocument/documentHighlight", lsp_highlights, true },
	{ "textDocument/prepareRename", lsp_prepare_rename, true },
	{ "textDocument/rename", lsp_rename, true },
	{ "textDocument/signatureHelp", lsp_signature, true },
	{ "textDocument/documentSymbol", lsp_symbols, true },
	{ "textDocument/formatting", lsp_format, true },
};

static const struct method *find_method(const char *name)
{
	for (u32 i = 0; name && i < ARRAY_SIZE(methods); i++)
		if (streq(methods[i].name, name))
			return &methods[i];
	return NULL;
}

/* Unknown notifications are ignored, as the protocol requires. */
static void answer(struct lsp *l)
{
	const char *name = json_text(l->message, "method");
	const struct method *m = find_method(name);
	bool is_request = json_get(l->message, "id") != NULL;

	if (!name && is_request &&
	    (json_get(l->message, "result") || json_get(l->message, "error")))
		return; /* a response without a request */
	if (!name)
		send_error(l->message, INVALID_REQUEST, "a message without a method");
	else if (is_request && !l->is_ready && !(m && m->answer == initialize))
		send_error(l->message, NOT_READY, "initialize comes first");
	else if (is_request && l->is_over)
		send_error(l->message, INVALID_REQUEST, "no request is valid after shutdown");
	else if (is_request && (!m || !m->is_request))
		send_error(l->message, NO_METHOD, name);
	else if (m && (is_request || l->is_ready)) {
		l->refusal = NULL;
		m->answer(l);
		if (is_request && l->refusal)
			send_error(l->message, REQUEST_FAILED, l->refusal);
		else if (is_request)
			send_result(l);
	}
}

/* ---- in */

/* The length in the headers, or -1: end of input, or not a message. */
static ssize_t read_head(FILE *in)
{
	static const char name[] = "content-length:";
	char line[1024];
	ssize_t len = -1;

	while (fgets(line, sizeof line, in)) {
		if (line[0] == '\r' || line[0] == '\n')
			return len;
		if (!strncasecmp(line, name, sizeof name - 1))
			len = strtol(line + sizeof name - 1, NULL, 10);
	}
	return -1;
}

static bool read_message(FILE *in, struct buf *b)
{
	ssize_t len = read_head(in);

	if (len < 0 || len > MESSAGE_MAX)
		return false;
	buf_clear(b);
	buf_reserve(b, (size_t)len);
	b->len = fread(b->s, 1, (size_t)len, in);
	b->s[b->len] = '\0';
	return b->len == (size_t)len;
}

static bool is_exit(const struct json *message)
{
	const char *method = json_text(message, "method");

	return method && streq(method, "exit");
}

static bool is_idle(void)
{
	struct pollfd in = { STDIN_FILENO, POLLIN, 0 };

	return poll(&in, 1, 0) == 0;
}

static int run(struct cli *c)
{
	struct lsp l = { .c = c };
	struct buf text = { 0 };
	bool over = false;

	while (!over && read_message(stdin, &text)) {
		arena_init(&l.arena);
		buf_clear(&l.out);
		l.message = json_read(&l.arena, text.s, text.len, NULL);
		if (!l.message)
			send_error(NULL, PARSE_ERROR, "this is no JSON");
		else if (is_exit(l.message))
			over = true;
		else
			answer(&l);
		arena_release(&l.arena);
		if (l.documents && !l.names && is_idle())
			lsp_names(&l,
				  "kprobe:", 0); /* before they are requested: they take longest */
	}
	while (l.documents)
		document_close(&l, l.documents->uri);
	lsp_forget_names(&l);
	buf_release(&l.out);
	buf_release(&text);
	return l.is_over ? 0 : 1;
}

const struct command command_lsp = {
	.name = "lsp",
	.args = "",
	.brief = "run a language server for editors",
	.doc = "Speaks the language server protocol on standard input and output: diagnostics while the script is "
	       "written, completion of probes, fields and functions, hover, signatures, definitions, references, renaming, symbols and "
	       "formatting. Run as root, it also knows what only root may read: the fields of tracepoints.",
	.example = "vim.lsp.start({ name = 'sonde', cmd = { 'sonde', 'lsp' } })",
	.takes = SET_SCRIPT,
	.run = run,
};
