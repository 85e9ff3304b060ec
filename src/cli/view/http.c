/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread answers requests in the order of their arrival, and works between them. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include "base/fd.h"
#include "cli/view/http.h"

/* ---- requests */

static bool take_header(struct http_request *r, const char *line, size_t len)
{
	static const char host[] = "host:", connection[] = "connection:";

	if (len >= sizeof host && !strncasecmp(line, host, sizeof host - 1)) {
		const char *at = line + sizeof host - 1;

		len -= sizeof host - 1;
		for (; len && *at == ' '; at++)
			len--;
		if (r->host[0] || len >= sizeof r->host)
			return false;
		memcpy(r->host, at, len);
	}
	if (len > sizeof connection && !strncasecmp(line, connection, sizeof connection - 1))
		r->closes = len >= 5 && !strncasecmp(line + len - 5, "close", 5);
	return true;
}

/* "GET /x HTTP/1.1" */
static bool take_first(struct http_request *r, const char *line, size_t len)
{
	const char *space = memchr(line, ' ', len), *end;
	size_t rest;

	if (!space)
		return false;
	r->is_get = space - line == 3 && !memcmp(line, "GET", 3);
	rest = len - (size_t)(space + 1 - line);
	end = memchr(space + 1, ' ', rest);
	if (!end || (size_t)(end - space - 1) >= sizeof r->target ||
	    rest - (size_t)(end - space - 1) != sizeof " HTTP/1.1" - 1 ||
	    memcmp(end, " HTTP/1.", sizeof " HTTP/1." - 1))
		return false;
	memcpy(r->target, space + 1, (size_t)(end - space - 1));
	r->closes = end[sizeof " HTTP/1." - 1] == '0';
	return true;
}

int http_parse(const char *bytes, size_t len, struct http_request *r)
{
	const char *end = memmem(bytes, len, "\r\n\r\n", 4), *at = bytes;

	*r = (struct http_request){ 0 };
	if (!end)
		return len < HTTP_MOST_HEAD ? 0 : -1;
	if (memchr(bytes, 0, (size_t)(end - bytes)))
		return -1;
	for (bool is_first = true; at < end; is_first = false) {
		const char *line_end = memmem(at, (size_t)(end + 2 - at), "\r\n", 2);
		size_t n = (size_t)(line_end - at);

		if (!(is_first ? take_first(r, at, n) : take_header(r, at, n)))
			return -1;
		at = line_end + 2;
	}
	return r->target[0] ? (int)(end + 4 - bytes) : -1;
}

/* The text after "key="; NULL: it has none. */
static const char *find_key(const char *query, const char *key)
{
	size_t len = strlen(key);

	for (const char *at = query; at && *at; at = strchr(at, '&')) {
		at += *at == '&';
		if (!strncmp(at, key, len) && at[len] == '=')
			return at + len + 1;
	}
	return NULL;
}

u64 http_number(const char *query, const char *key)
{
	const char *at = find_key(query, key);

	return at ? strtoull(at, NULL, 10) : 0;
}

bool http_text(const char *query, const char *key, struct buf *to)
{
	const char *at = find_key(query, key);

	if (!at)
		return false;
	for (; *at && *at != '&'; at++) {
		char hex[3] = { 0 };
		char c = *at == '+' ? ' ' : *at;

		if (c == '%' && isxdigit((u8)at[1]) && isxdigit((u8)at[2])) {
			memcpy(hex, at + 1, 2);
			c = (char)strtoul(hex, NULL, 16);
			at += 2;
		}
		if (!c)
			return false;
		buf_putc(to, c);
	}
	return true;
}

/* ---- answers */

static void put_answer(const struct http_server *s, struct http_client *c,
		       const struct http_answer *a)
{
	buf_printf(
		&c->out,
		"HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s%s%s"
		"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
		"Cross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: %s\r\nConnection: %s\r\n\r\n",
		a->status, a->status < 300 ? "OK" : "No", a->type ? a->type : "text/plain",
		a->body.len, a->encoding ? "Content-Encoding: " : "",
		a->encoding ? a->encoding : "", a->encoding ? "\r\n" : "", s->policy,
		c->closes ? "close" : "keep-alive");
	buf_add(&c->out, a->body.s ? a->body.s : "", a->body.len);
}

/* The path after the token; NULL: it has another one. Constant time: all bytes are compared. */
static char *after_token(const struct http_server *s, char *target)
{
	u8 differs = 0;

	if (strlen(target) < HTTP_TOKEN + 2 || target[0] != '/' || target[HTTP_TOKEN + 1] != '/')
		return NULL;
	for (u32 i = 0; i < HTTP_TOKEN; i++)
		differs |= (u8)(target[1 + i] ^ s->token[i]);
	return differs ? NULL : target + HTTP_TOKEN + 2;
}

static bool is_own_host(const struct http_server *s, const char *host)
{
	char own[2][32];

	snprintf(own[0], sizeof own[0], "127.0.0.1:%u", s->port);
	snprintf(own[1], sizeof own[1], "localhost:%u", s->port);
	return streq(host, own[0]) || streq(host, own[1]);
}

static void answer(struct http_server *s, struct http_client *c, struct http_request *r)
{
	struct http_answer a = { .status = 200 };
	char *path = after_token(s, r->target), *query;

	c->closes = r->closes;
	if (!r->is_get) {
		a.status = 405;
		c->closes = true; /* a body may follow */
	} else if (!is_own_host(s, r->host) || !path) {
		a.status = 403;
	} else {
		query = strchr(path, '?');
		if (query)
			*query++ = '\0';
		s->answer(s->ctx, path, query ? query : "", &a);
	}
	put_answer(s, c, &a);
	buf_release(&a.body);
}

/* ---- connections */

static void drop(struct http_client *c)
{
	fd_close(&c->fd);
	buf_release(&c->in);
	buf_release(&c->out);
	*c = (struct http_client){ .fd = -1 };
}

static void send_some(struct http_client *c)
{
	ssize_t n =
		send(c->fd, c->out.s + c->sent, c->out.len - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		drop(c);
		return;
	}
	c->sent += n > 0 ? (size_t)n : 0;
	if (c->sent < c->out.len)
		return;
	c->sent = 0;
	buf_release(&c->out);
	if (c->closes)
		drop(c);
}

/* Requests that are complete, one at a time: the next one when its answer is sent. */
static void serve(struct http_server *s, struct http_client *c)
{
	while (c->fd >= 0 && !c->out.len && c->in.len) {
		struct http_request r;
		int n = http_parse(c->in.s, c->in.len, &r);

		if (!n)
			return;
		if (n < 0) {
			drop(c);
			return;
		}
		buf_cut(&c->in, 0, (size_t)n);
		answer(s, c, &r);
		send_some(c);
	}
}

static void receive(struct http_client *c)
{
	char bytes[4096];
	ssize_t n = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);

	if (n > 0)
		buf_add(&c->in, bytes, (size_t)n);
	else if (!n || (errno != EAGAIN && errno != EINTR))
		drop(c);
}

/* If all slots are in use, closes an idle connection. */
static void take_client(struct http_server *s)
{
	int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct http_client *place = NULL;

	for (u32 i = 0; i < HTTP_CLIENTS && fd >= 0; i++)
		if (s->clients[i].fd < 0 || (!place && !s->clients[i].out.len))
			place = &s->clients[i];
	if (!place) {
		fd_close(&fd);
		return;
	}
	if (place->fd >= 0)
		drop(place);
	place->fd = fd;
}

static void poll_once(struct http_server *s, const struct timespec *timeout)
{
	static const sigset_t none;
	struct pollfd p[HTTP_CLIENTS + 2] = {
		{ .fd = s->fd, .events = POLLIN },
		[HTTP_CLIENTS + 1] = { .fd = s->fd_beside, .events = POLLIN },
	};

	for (u32 i = 0; i < HTTP_CLIENTS; i++)
		p[i + 1] = (struct pollfd){ .fd = s->clients[i].fd,
					    .events = s->clients[i].out.len ? POLLOUT : POLLIN };
	if (ppoll(p, HTTP_CLIENTS + 2, timeout, &none) <= 0)
		return;
	for (u32 i = 0; i < HTTP_CLIENTS; i++) {
		struct http_client *c = &s->clients[i];

		if (c->fd < 0 || !p[i + 1].revents)
			continue;
		if (c->out.len)
			send_some(c);
		else
			receive(c);
		serve(s, c);
	}
	if (p[0].revents)
		take_client(s);
	if (p[HTTP_CLIENTS + 1].revents)
		s->beside(s->ctx);
}

void http_run(struct http_server *s, volatile bool *stop)
{
	static const struct timespec at_once, second = { .tv_sec = 1 };
	bool has_work = true;

	while (!*stop) {
		poll_once(s, has_work ? &at_once : s->watch && s->watch(s->ctx) ? &second : NULL);
		if (has_work)
			has_work = s->work(s->ctx);
	}
}

/* ---- the socket */

static int make_token(struct http_server *s, struct err *err)
{
	u8 bytes[HTTP_TOKEN / 2];

	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return err_sys(err, "get random bytes");
	for (u32 i = 0; i < sizeof bytes; i++)
		snprintf(s->token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

int http_open(struct http_server *s, u16 port, struct err *err)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof a;
	int one = 1;

	*s = (struct http_server){ .fd_beside = -1,
				   .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
						0) };
	for (u32 i = 0; i < HTTP_CLIENTS; i++)
		s->clients[i].fd = -1;
	if (s->fd < 0)
		return err_sys(err, "make a socket");
	setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(s->fd, (struct sockaddr *)&a, sizeof a) < 0 || listen(s->fd, HTTP_CLIENTS) < 0 ||
	    getsockname(s->fd, (struct sockaddr *)&a, &len) < 0) {
		err_sys(err, "listen on port %u of 127.0.0.1", port);
		if (port)
			err_help(err, "without --port a free one is taken");
		return err->code;
	}
	s->port = ntohs(a.sin_port);
	return make_token(s, err);
}

void http_close(struct http_server *s)
{
	for (u32 i = 0; i < HTTP_CLIENTS; i++)
		if (s->clients[i].fd >= 0)
			drop(&s->clients[i]);
	fd_close(&s->fd);
}
