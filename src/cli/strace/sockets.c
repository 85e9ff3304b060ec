/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -yy: a socket as strace(1) shows it. In: the words of the kernel's own socket. Out: its protocol
 * and addresses. */
#include <arpa/inet.h>
#include <sys/socket.h>
#include "cli/strace/sockets.h"

static void put_address(struct buf *b, const struct strace_socket *s, const u8 *address, u16 port)
{
	bool six = s->family == AF_INET6;
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(s->family, address, text, sizeof text);
	buf_printf(b, six ? "[%s]:%u" : "%s:%u", text, port);
}

static const char *inet_name(const struct strace_socket *s)
{
	switch (s->protocol) {
	case IPPROTO_TCP: return "TCP";
	case IPPROTO_UDP: return "UDP";
	case IPPROTO_UDPLITE: return "UDPLITE";
	}
	return s->type == SOCK_RAW ? "RAW" : NULL;
}

/* A socket that is not bound has no port; a raw one has its protocol there. */
static bool put_inet(struct buf *b, const struct strace_socket *s)
{
	const char *name = inet_name(s);

	if (!name)
		return false;
	buf_printf(b, "%s%s:[", name, s->family == AF_INET6 ? "v6" : "");
	if (!s->port || s->type == SOCK_RAW) {
		buf_u64(b, s->ino);
	} else {
		put_address(b, s, s->address, s->port);
		if (s->peer_port) {
			buf_puts(b, "->");
			put_address(b, s, s->peer, ntohs(s->peer_port));
		}
	}
	buf_putc(b, ']');
	return true;
}

static void put_path(struct buf *b, const u8 *path, u32 n)
{
	bool is_abstract = !path[0];

	buf_puts(b, is_abstract ? ",@\"" : ",\"");
	for (u32 i = is_abstract; i < n && (is_abstract || path[i]); i++)
		if (path[i] >= ' ' && path[i] <= '~' && !strchr("\"\\<>", path[i]))
			buf_putc(b, (char)path[i]);
		else
			buf_printf(b, "\\%o", path[i]);
	buf_putc(b, '"');
}

static bool put_unix(struct buf *b, const struct strace_socket *s)
{
	/* The names of the kernel's protocols (net/unix/af_unix.c): all other sockets share one. */
	buf_printf(b, "UNIX%s:[%llu", s->type == SOCK_STREAM ? "-STREAM" : "",
		   (unsigned long long)s->ino);
	if (s->peer_ino)
		buf_printf(b, "->%llu", (unsigned long long)s->peer_ino);
	if (s->n_path)
		put_path(b, s->path, s->n_path);
	buf_putc(b, ']');
	return true;
}

/* linux/netlink.h */
static bool put_netlink(struct buf *b, const struct strace_socket *s)
{
	static const char *const names[] = {
		"ROUTE",          "UNUSED",    "USERSOCK",  "FIREWALL",      "SOCK_DIAG",
		"NFLOG",          "XFRM",      "SELINUX",   "ISCSI",         "AUDIT",
		"FIB_LOOKUP",     "CONNECTOR", "NETFILTER", "IP6_FW",        "DNRTMSG",
		"KOBJECT_UEVENT", "GENERIC",   NULL,        "SCSITRANSPORT", "ECRYPTFS",
		"RDMA",           "CRYPTO",    "SMC",
	};
	const char *name = s->protocol < ARRAY_SIZE(names) ? names[s->protocol] : NULL;

	if (!s->netlink_port)
		buf_printf(b, "NETLINK:[%llu]", (unsigned long long)s->ino);
	else if (name)
		buf_printf(b, "NETLINK:[%s:%u]", name, s->netlink_port);
	else
		buf_printf(b, "NETLINK:[%u:%u]", s->protocol, s->netlink_port);
	return true;
}

bool strace_socket_is_bare(const struct strace_socket *s)
{
	return s->family == AF_UNIX ? !s->peer_ino && !s->n_path : !s->port && !s->netlink_port;
}

bool strace_put_socket(struct buf *b, const struct strace_socket *s)
{
	switch (s->family) {
	case AF_INET:
	case AF_INET6: return put_inet(b, s);
	case AF_UNIX: return put_unix(b, s);
	case AF_NETLINK: return put_netlink(b, s);
	}
	return false;
}
