/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: the kernel's answer to CTRL_CMD_GETFAMILY (linux/genetlink.h), a message for each family,
 * with its number and name among the attributes. Out: numbers and names.
 */
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "sym/genl.h"

enum { ANSWER = 32 << 10 };

struct families {
	struct arena *a;
	struct call_name *v;
	u32 n, max;
};

/* The attributes of a family: bytes p[0..len). */
static void read_family(struct families *f, const u8 *p, u32 len)
{
	struct call_name name = { 0 };

	while (len >= NLA_HDRLEN) {
		struct nlattr at;
		u32 size, whole;

		memcpy(&at, p, sizeof at);
		if (at.nla_len < NLA_HDRLEN || at.nla_len > len)
			break;
		size = at.nla_len - NLA_HDRLEN;
		if (at.nla_type == CTRL_ATTR_FAMILY_ID && size >= sizeof(u16))
			name.value = p[NLA_HDRLEN] | p[NLA_HDRLEN + 1] << 8;
		if (at.nla_type == CTRL_ATTR_FAMILY_NAME)
			name.name = arena_strndup(f->a, (const char *)p + NLA_HDRLEN,
						  strnlen((const char *)p + NLA_HDRLEN, size));
		whole = MIN(NLA_ALIGN((u32)at.nla_len), len);
		p += whole;
		len -= whole;
	}
	if (name.name && f->n < f->max)
		f->v[f->n++] = name;
}

/* False: this was the last message. */
static bool read_answer(struct families *f, const u8 *p, u32 len)
{
	while (len >= NLMSG_HDRLEN) {
		struct nlmsghdr h;
		u32 whole;

		memcpy(&h, p, sizeof h);
		if (h.nlmsg_type == NLMSG_DONE || h.nlmsg_type == NLMSG_ERROR ||
		    h.nlmsg_len < NLMSG_HDRLEN || h.nlmsg_len > len)
			return false;
		if (h.nlmsg_len >= NLMSG_HDRLEN + GENL_HDRLEN)
			read_family(f, p + NLMSG_HDRLEN + GENL_HDRLEN,
				    h.nlmsg_len - NLMSG_HDRLEN - (u32)GENL_HDRLEN);
		whole = MIN(NLMSG_ALIGN(h.nlmsg_len), len);
		p += whole;
		len -= whole;
	}
	return true;
}

static bool ask(int fd)
{
	struct {
		struct nlmsghdr h;
		struct genlmsghdr g;
	} m = { { sizeof m, GENL_ID_CTRL, NLM_F_REQUEST | NLM_F_DUMP, 1, 0 },
		{ CTRL_CMD_GETFAMILY, 1, 0 } };

	return send(fd, &m, sizeof m, 0) == (ssize_t)sizeof m;
}

u32 genl_families(struct arena *a, struct call_name *v, u32 max)
{
	struct families f = { .a = a, .v = v, .max = max };
	struct timeval soon = { .tv_sec = 1 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	u8 *answer = arena_alloc(a, ANSWER);
	ssize_t n;

	if (fd < 0)
		return 0;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
	for (bool more = ask(fd); more;) {
		n = recv(fd, answer, ANSWER, 0);
		more = n > 0 && read_answer(&f, answer, (u32)n);
	}
	close(fd);
	return f.n;
}
