/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -yy: properties of a socket. */
#ifndef SONDE_CLI_STRACE_SOCKETS_H
#define SONDE_CLI_STRACE_SOCKETS_H

#include "base/buf.h"

/* As the kernel has it (struct sock_common, unix_sock, netlink_sock). */
struct strace_socket {
	u64 ino;
	u16 family;
	u16 type, protocol;
	u16 port, peer_port; /* the first in host byte order, the second in network byte order */
	u8 address[16], peer[16]; /* 4 bytes of AF_INET, 16 of AF_INET6 */
	u64 peer_ino;             /* AF_UNIX; 0: not connected */
	u32 netlink_port;
	const u8 *path; /* AF_UNIX: sun_path, n_path bytes; a first NUL is of an abstract name */
	u32 n_path;
};

/* Neither an address nor a peer is known: it is unbound, or closed. */
bool strace_socket_is_bare(const struct strace_socket *s);
/* "TCP:[127.0.0.1:80->127.0.0.1:4242]"; false: sockets of this kind are not known. */
bool strace_put_socket(struct buf *b, const struct strace_socket *s);

#endif
