/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -y, -yy. In: records of what a descriptor is: a file or a socket. Out: its text, for files.c. */
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/strace/event.h"
#include "cli/strace/sockets.h"
#include "trace/call_quote.h"

enum { AT_FD = 4, AT_PATH, AT_MODE, AT_DEVICE, AT_PID };
enum {
	AT_INO = 5,
	AT_FAMILY,
	AT_TYPE,
	AT_PROTOCOL,
	AT_PORT,
	AT_PEER_PORT,
	AT_ADDRESS,
	AT_ADDRESS6,
	AT_UNIX = AT_ADDRESS6 + 4
};

/* The process of a pidfd; false: it has been waited for. */
static bool put_pidfd(struct strace *st, struct buf *b, const struct strace_event *r)
{
	s64 pid = event_number(r, AT_PID);

	if (pid <= 0)
		return false;
	buf_printf(b, NAMES_REST "pid:%lld", (long long)pid);
	put_comm(b, &st->style, pid);
	return true;
}

static bool put_link(struct buf *b, const char *path, const char *inode)
{
	char name[64];
	ssize_t n = readlink(path, name, sizeof name - 1);

	if (n <= 0)
		return false;
	name[n] = '\0';
	if (!strstr(name, inode))
		return false;
	buf_puts(b, name);
	return true;
}

/*
 * All namespaces are "ns:[4026531841]" to the program; /proc says "mnt:[4026531841]" (fs/nsfs.c:
 * ns_dname()). The descriptor may be another file by now: our own namespaces are tried, too. false:
 * not known.
 */
static bool put_namespace(struct buf *b, const struct strace_event *r, const char *inode)
{
	static const char *const kinds[] = { "cgroup", "ipc",  "mnt",  "net",
					     "pid",    "time", "user", "uts" };
	char path[64];
	bool found;

	snprintf(path, sizeof path, "/proc/%u/fd/%d", r->pid, (s32)event_number(r, AT_FD));
	found = put_link(b, path, inode);
	for (u32 i = 0; !found && i < ARRAY_SIZE(kinds); i++) {
		snprintf(path, sizeof path, "/proc/self/ns/%s", kinds[i]);
		found = put_link(b, path, inode);
	}
	return found;
}

void strace_on_file(struct strace *st, const struct strace_event *r)
{
	struct strace_thread *th = strace_thread_of(st, r->tid, r->pid);
	const char *text = event_text(r, AT_PATH);

	buf_clear(&st->line);
	if (!(st->o.files & DECODE_PIDFD && strstr(text, "pidfd") && put_pidfd(st, &st->line, r)) &&
	    !(starts_with(text, "ns:[") && put_namespace(&st->line, r, text + strlen("ns"))) &&
	    strace_shows_path(st, (u32)event_number(r, AT_MODE)))
		buf_puts(&st->line, text);
	if (st->o.files & DECODE_DEVICE)
		strace_put_device(&st->line, (u32)event_number(r, AT_MODE),
				  (u32)event_number(r, AT_DEVICE));
	strace_set_file(st, th, (s32)event_number(r, AT_FD), st->line.s, st->line.len);
	buf_clear(&st->line);
}

/* A socket that is closed at one end has no address any more: as in strace, the last known one is
 * shown. */
struct strace_known {
	u64 ino;
	struct buf text;
};

static void remember(struct strace *st, const struct strace_socket *s, struct buf *text)
{
	struct strace_known *known = hash_get(&st->sockets, &s->ino, sizeof s->ino);

	if (strace_socket_is_bare(s)) {
		if (known) {
			buf_clear(text);
			buf_add(text, known->text.s, known->text.len);
		}
		return;
	}
	if (!known) {
		known = arena_new(&st->c->line.arena, struct strace_known);
		known->ino = s->ino;
		hash_put(&st->sockets, &known->ino, sizeof known->ino, known);
	}
	buf_clear(&known->text);
	buf_add(&known->text, text->s, text->len);
}

void strace_on_socket(struct strace *st, const struct strace_event *r)
{
	struct strace_socket s = { .ino = (u64)event_number(r, AT_INO),
				   .family = (u16)event_number(r, AT_FAMILY),
				   .type = (u16)event_number(r, AT_TYPE),
				   .protocol = (u16)event_number(r, AT_PROTOCOL),
				   .port = (u16)event_number(r, AT_PORT),
				   .peer_port = (u16)event_number(r, AT_PEER_PORT) };
	const struct field *path = &r->t->fields[r->t->n_fields - 1];
	u32 n_path;

	for (u32 i = 0; i < 2; i++) {
		u64 words[2] = { (u64)event_number(r, AT_ADDRESS6 + 2 * i),
				 (u64)event_number(r, AT_ADDRESS6 + 2 * i + 1) };

		if (s.family != AF_INET6)
			words[0] = (u64)event_number(r, AT_ADDRESS) >> 32 * i;
		memcpy(i ? s.address : s.peer, words, sizeof words); /* the peer is first */
	}
	s.peer_ino = (u64)event_number(r, AT_UNIX);
	s.netlink_port = (u32)event_number(r, AT_UNIX + 1);
	n_path = value_bytes(path->type, r->p + path->offset, &s.path);
	s.n_path = MIN((u32)event_number(r, AT_UNIX + 2), n_path);
	buf_puts(&st->line, NAMES_REST);
	if (strace_put_socket(&st->line, &s)) {
		remember(st, &s, &st->line);
		strace_set_file(st, strace_thread_of(st, r->tid, r->pid),
				(s32)event_number(r, AT_FD), st->line.s, st->line.len);
	}
	buf_clear(&st->line);
}
