/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * skboutput(): writes packets to a pcap file.
 *
 * The program copies bytes from the linear part of the sk_buff into a record; the action in user
 * space writes the file.
 *
 *	file header	u32 magic 0xa1b2c3d4, u16 2, u16 4, s32 0, u32 0, u32 snaplen, u32 101 (LINKTYPE_RAW)
 *	each packet	u32 seconds, u32 microseconds, u32 captured bytes, u32 original bytes
 *
 * Format: draft-ietf-opsawg-pcap. In struct sk_buff, len counts all bytes and data_len those
 * outside the linear part, which begins at data.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "builtin/text.h"
#include "type/agg.h"

enum { PACKET_MOST = 4096, PACKET_LIMIT = 16384, LINKTYPE_RAW = 101, SNAPLEN = 65535 };

enum { FIELD_TIME, FIELD_LEN, FIELD_BYTES };

enum skb_member { SKB_LEN, SKB_DATA_LEN, SKB_DATA, N_SKB_MEMBERS };

static const struct type *check_skboutput(struct check *c, struct node *call)
{
	static const char *const names[] = { "len", "data_len", "data" };
	const struct world *w = &c->env->world;
	const struct type *skb = w->type ? w->type(w->ctx, 's', "sk_buff") : NULL;
	u32 *at;

	if (call->data)
		return &ty_s64;
	if (c->inst && c->inst->provider &&
	    (!c->inst->profile || c->inst->profile->kind == PROFILE_NONE))
		return diag_type(c, call->span, D_NO_PACKET, c->inst->provider);
	at = arena_array(c->arena, u32, N_SKB_MEMBERS);
	skb = skb ? type_complete(skb) : NULL;
	for (u32 i = 0; i < N_SKB_MEMBERS; i++)
		if (!skb || !type_field(skb, names[i], &at[i]))
			return diag_type(c, call->span, D_NO_SKBOUTPUT);
	call->data = at;
	return &ty_s64;
}

static struct opnd member(struct lower *l, struct opnd skb, u32 offset, const struct type *t)
{
	return lower_read_scalar(l, t, ir_op2(l, IR_ADD, skb, o_imm(offset)), SPACE_KERNEL);
}

/* Size of the linear part after the offset; 0 if the linear part is shorter. */
static struct opnd linear_bytes(struct lower *l, struct opnd skb, const u32 *at, struct opnd offset)
{
	struct opnd n = ir_op2(l, IR_SUB, member(l, skb, at[SKB_LEN], &ty_u32),
			       member(l, skb, at[SKB_DATA_LEN], &ty_u32));

	n = ir_op2(l, IR_SUB, n, offset);
	return ir_op2(l, IR_AND, n, ir_op2(l, IR_XOR, ir_op2(l, IR_SAR, n, o_imm(63)), o_imm(-1)));
}

static u32 capacity(const struct node *length)
{
	if (!length->is_const)
		return PACKET_MOST;
	return (u32)MAX(MIN(length->value, (s64)PACKET_LIMIT), 1);
}

static struct ir_val lower_skboutput(struct lower *l, struct node *call)
{
	const u32 *at = call->data;
	struct node *length = call_arg(call, 2);
	struct event_desc *e = event_new(l, call->builtin, call);
	u32 cap = capacity(length),
	    fields[] = { event_field(l, e, &ty_u64), event_field(l, e, &ty_u64),
			 event_field(l, e, type_buffer(l->prog->arena, cap)) };
	struct opnd skb = lower_scalar(l, call_arg(call, 1)),
		    offset = lower_scalar(l, call_arg(call, 3)), n, want, to;
	struct event_build eb;

	e->text = call_str(call, 0);
	want = ir_at_most(l, lower_scalar(l, length), cap);
	n = linear_bytes(l, skb, at, offset);
	n = ir_at_most(l, n, cap);
	u32 v = ir_var(l);
	struct ir_block *less = ir_block_new(l), *out = ir_block_new(l);

	ir_var_set(l, v, n);
	ir_branch(l, CC_UGT, o_temp(v), want, less, out);
	ir_place(l, less);
	ir_var_set(l, v, want);
	ir_jump(l, out);
	ir_place(l, out);
	n = ir_at_most(l, o_temp(v), cap);
	want = ir_op2(l, IR_SUB, member(l, skb, at[SKB_LEN], &ty_u32), offset);
	to = ir_op2(l, IR_ADD, member(l, skb, at[SKB_DATA], &ty_u64), offset);
	eb = event_begin(l, e);
	ir_store(l, event_at(&eb, fields[FIELD_TIME]), 8, boot_clock(l));
	ir_store(l, event_at(&eb, fields[FIELD_LEN]), 8, want);
	ir_store(l, event_at(&eb, fields[FIELD_BYTES]), 4, n);
	lower_probe_read_sized(l, opnd_plus(event_at(&eb, fields[FIELD_BYTES]), 4), n, cap, to,
			       SPACE_KERNEL);
	event_end(l, &eb);
	return val_scalar(&ty_s64, o_imm(0));
}

/* ---- the file: opened for the first packet, closed at the end of the run */

struct action_file {
	struct action_file *next;
	const char *path;
	int fd;
};

static int write_all(int fd, const struct buf *b)
{
	for (size_t at = 0; at < b->len;) {
		ssize_t n = write(fd, b->s + at, b->len - at);

		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static void put_u32(struct buf *b, u32 v)
{
	buf_add(b, &v, sizeof v);
}

static void put_file_header(struct buf *b)
{
	put_u32(b, 0xa1b2c3d4);
	put_u32(b, 2 | 4 << 16);
	put_u32(b, 0);
	put_u32(b, 0);
	put_u32(b, SNAPLEN);
	put_u32(b, LINKTYPE_RAW);
}

static struct action_file *open_file(struct actor *a, const char *path)
{
	struct action_file *f;
	struct buf head = { 0 };

	for (f = a->files; f; f = f->next)
		if (streq(f->path, path))
			return f;
	f = xcalloc(1, sizeof *f);
	f->path = path;
	f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (f->fd < 0) {
		buf_printf(&head, "cannot write \"%s\": %s", path, strerror(errno));
		a->sink->output->message(a->sink, LEVEL_WARNF, (struct span){ 0, 0 }, head.s);
	} else {
		put_file_header(&head);
		write_all(f->fd, &head);
	}
	buf_release(&head);
	f->next = a->files;
	a->files = f;
	return f;
}

void action_files_close(struct actor *a)
{
	for (struct action_file *f = a->files, *next; f; f = next) {
		next = f->next;
		if (f->fd >= 0)
			close(f->fd);
		free(f);
	}
	a->files = NULL;
}

static int act_packet(struct actor *a, struct event_desc *e, const void *record, u32 len)
{
	struct action_file *f = open_file(a, e->text);
	const u8 *at = record, *bytes;
	struct timestamp_value ts = { .mode = TS_BOOT };
	struct buf b = { 0 };
	u64 total, wall;
	u32 n = value_bytes(e->fields[FIELD_BYTES].type, at + e->fields[FIELD_BYTES].offset,
			    &bytes);
	int ret;

	memcpy(&ts.ns, at + e->fields[FIELD_TIME].offset, sizeof ts.ns);
	memcpy(&total, at + e->fields[FIELD_LEN].offset, sizeof total);
	if (f->fd < 0)
		return 0;
	wall = a->names->wall_ns ? a->names->wall_ns(a->names->ctx, &ts) : ts.ns;
	put_u32(&b, (u32)(wall / 1000000000));
	put_u32(&b, (u32)(wall % 1000000000 / 1000));
	put_u32(&b, n);
	put_u32(&b, MAX((u32)total, n));
	buf_add(&b, bytes, n);
	ret = write_all(f->fd, &b);
	buf_release(&b);
	return ret;
}

static const struct action action_packet = { .name = "skboutput",
					     .needs_rights = true,
					     .act = act_packet };

static const struct builtin rows[] = {
	{
		.name = "skboutput",
		.sig = "skboutput(file: lit string, skb: ptr|int, length: int, offset: int) -> int64",
		.brief = "write a packet to a file",
		.doc = "Appends length bytes of the sk_buff's data, starting at offset, to a pcap "
		       "file of raw IP packets. The run creates or truncates the file. If the "
		       "data begins with an Ethernet header, the offset is 14. Bytes outside the "
		       "linear part (the payload of outgoing TCP) are not written; a length that "
		       "is not a constant is at most 4096. The result is 0.",
		.example =
			"rawtracepoint:net_dev_queue { print(skboutput(\"/tmp/out.pcap\", args.skb, 1500, 14)); }",
		.work = "bash -c \"echo > /dev/udp/127.0.0.1/9\"",
		.output = "0\n"
			  "...",
		.flags = BI_NO_DISCARD_WARNING,
		.engines = ON_KERNEL,
		.check = check_skboutput,
		.lower = lower_skboutput,
		.action = &action_packet,
	},
};

const struct builtin_theme builtin_packet = THEME("Packets", rows);
