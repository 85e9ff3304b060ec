/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A server for a browser on this machine: GET of HTTP/1.1 (RFC 9112) on the loopback address and
 * nothing more. Paths begin with a random token, so that other users of the machine and pages of
 * other sites have no access; the Host header must be this address, which defeats DNS rebinding.
 *
 * It is not a library that is opened at run time, so that the static program has it, too.
 */
#ifndef SONDE_CLI_VIEW_HTTP_H
#define SONDE_CLI_VIEW_HTTP_H

#include "base/buf.h"
#include "base/err.h"

enum { HTTP_MOST_HEAD = 8192, HTTP_CLIENTS = 16, HTTP_TOKEN = 32 };

struct http_request {
	char target[4096], host[64]; /* as they came; empty: there is none */
	bool is_get, closes;
};

struct http_answer {
	int status;       /* 200, 202: not yet, 404 */
	const char *type; /* of the content; encoding: NULL, or "gzip" */
	const char *encoding;
	struct buf body;
};

struct http_client {
	int fd; /* -1: free */
	struct buf in, out;
	size_t sent;
	bool closes;
};

struct http_server {
	int fd;
	u16 port;
	char token[HTTP_TOKEN + 1];
	const char *policy; /* Content-Security-Policy */
	void *ctx;
	/* path: what follows the token. *a is zeroed but for status 200. */
	void (*answer)(void *ctx, const char *path, const char *query, struct http_answer *a);
	/* Some work between requests. False: there is none left. */
	bool (*work)(void *ctx);
	/* NULL, or: called once a second while it returns true. */
	bool (*watch)(void *ctx);
	int fd_beside; /* -1: none; readable: beside() is called */
	void (*beside)(void *ctx);
	struct http_client clients[HTTP_CLIENTS];
};

/* Length of the head of the request at the beginning of bytes, 0: it is not complete, -1: it is
 * none. */
int http_parse(const char *bytes, size_t len, struct http_request *r);
/* The number of key in "a=1&b=2"; 0: it has none. */
u64 http_number(const char *query, const char *key);
/* Appends its text, decoded. False: it has none, or one with a NUL. */
bool http_text(const char *query, const char *key, struct buf *to);
/* port 0: any. The caller sets policy, ctx, answer and work. */
int http_open(struct http_server *s, u16 port, struct err *err);
/* Until *stop. The caller blocks the signals that set it: they come only while the server waits. */
void http_run(struct http_server *s, volatile bool *stop);
void http_close(struct http_server *s);

#endif
