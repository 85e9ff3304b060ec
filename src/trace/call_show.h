/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of a view: call_show.c, call_netlink.c and others, whose values contain each other. */
#ifndef SONDE_TRACE_CALL_SHOW_H
#define SONDE_TRACE_CALL_SHOW_H

#include "trace/call_memory.h"

void call_show(struct shown *s, const struct call_view *v, struct bytes at);
/* Of a structure of which the first bytes are known, without braces. Returns whether a member was
 * shown. */
bool call_show_members(struct shown *s, const struct call_struct *st, struct bytes at);
/* n bytes of which the first are known, as text; "..." if that is not all. */
void call_put_data(const struct shown *s, const u8 *p, u32 known, u64 n);
/* Likewise, all of them in hex. */
void call_put_hex(const struct shown *s, const u8 *p, u32 known, u64 n);

/* As a comment, the address where what could be read ends. */
void call_put_end(struct buf *b, u64 address);
/* Directory entries, or their number; control messages. */
void call_show_dirents(struct shown *s, const struct call_view *v, u64 address, struct bytes at);
void call_show_control(struct shown *s, const struct call_view *v, u64 address, struct bytes at);

/* What a netlink socket has sent or received: n bytes of a message at an address, those of m are
 * known. */
void call_show_netlink(struct shown *s, const struct call_view *v, struct bytes m, u64 n);
/* An address by its family; others in hex. name: of the member, or NULL. */
void call_put_net_address(struct shown *s, u32 family, const char *name, struct bytes at);

#endif
