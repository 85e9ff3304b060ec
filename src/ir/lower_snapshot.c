/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The value of argstr in system call probes: a snapshot (type/call.h) becomes code. The number of
 * bytes in use is kept in the value itself, where verifiers do not follow it, so that the paths
 * through the ops are not multiplied. For each op:
 *
 *	ptr = an argument, or the word in an earlier piece
 *	if ptr == 0 goto skip
 *	len = min(what the op says, cap)
 *	if len <= 0 goto skip
 *	at = value->used & ~7
 *	if at > size - 8 - cap goto skip		never
 *	ret = probe_read_user(value + at + 8, len, ptr)
 *	if ret < 0 goto failed				counts it, then skip
 *	*(u64 *)(value + at) = ptr | len << 48
 *	value->used = at + 8 + (len + 7) & ~7
 *	skip:
 */
#include "ir/lower_piece.h"

enum { REQUEST_SIZE_SHIFT = 16, REQUEST_SIZE_MASK = 0x3fff }; /* asm-generic/ioctl.h */

static u32 after(const struct snapping *g, u32 op)
{
	return op + 1 + g->s->v[op].skip;
}

static void leave_unless(struct snapping *g, u32 op, enum ir_cond cc, struct opnd a, struct opnd b)
{
	piece_leave_unless(g, after(g, op), cc, a, b);
}

static struct opnd bounded(struct snapping *g, u32 op, struct opnd offset, u32 room)
{
	return piece_bounded(g, after(g, op), offset, room);
}

/* A word of the piece of an op, if the piece reaches that far. */
static struct opnd word_of(struct snapping *g, u32 op, u32 parent, u32 off, u32 size)
{
	const struct snapshot_op *from = &g->s->v[parent];
	struct lower *l = g->l;
	struct opnd at = bounded(g, op, o_temp(g->at[parent]), CALL_PIECE_HEAD + from->cap),
		    piece = ir_op2(l, IR_ADD, ir_addr(l, g->value), at);

	if (from->len.kind != LEN_CONST || from->is_partial)
		leave_unless(g, op, CC_UGE,
			     ir_op2(l, IR_SHR, ir_load(l, piece, 8, false),
				    o_imm(CALL_PIECE_SHIFT)),
			     o_imm(off + size));
	return ir_load(l, opnd_plus(piece, CALL_PIECE_HEAD + off), size, false);
}

static void leave_unless_chosen(struct snapping *g, u32 op)
{
	const struct snapshot_op *o = &g->s->v[op];
	const struct call_choice *c = o->choice;
	struct opnd value;

	if (!c)
		return;
	value = c->by_member ? word_of(g, op, o->parent, o->choice_base + c->where, c->size) :
			       g->arg[c->where];
	value = ir_op2(g->l, IR_AND, value, o_imm(c->mask));
	leave_unless(g, op, CC_EQ, value, o_imm(o->value & c->mask));
}

/*
 * The halves of a call: an entry that could copy everything leaves its thread in a slot of the data
 * map, and then the return copies only what the call may have stored. Threads with one slot only
 * copy more.
 */
enum { COPIED_SLOTS = 512, COPIED_LINE_SHIFT = 6 };

static struct opnd copied_slot(struct snapping *g, struct opnd tid)
{
	struct lower *l = g->l;
	struct opnd at = ir_op2(l, IR_AND, tid, o_imm(COPIED_SLOTS - 1));

	if (!l->prog->copied)
		l->prog->copied =
			ALIGN_UP(lower_data(l, (COPIED_SLOTS + 1) << COPIED_LINE_SHIFT, NULL),
				 1u << COPIED_LINE_SHIFT);
	at = ir_op2(l, IR_SHL, at, o_imm(COPIED_LINE_SHIFT));
	return ir_op2(l, IR_ADD,
		      ir_addr(l, o_data(lower_internal_map(l, MAP_DATA), l->prog->copied)), at);
}

static struct opnd own_tid(struct lower *l)
{
	return ir_op2(l, IR_AND, ir_call(l, BPF_FUNC_get_current_pid_tgid, true, 0),
		      o_imm(UINT32_MAX));
}

static void begin_half(struct snapping *g)
{
	struct lower *l = g->l;
	struct opnd tid, slot;

	if (!g->s->is_half)
		return;
	tid = own_tid(l);
	g->copied = ir_var(l);
	if (g->result.kind == O_NONE) {
		ir_var_set(l, g->copied, tid);
		return;
	}
	slot = copied_slot(g, tid);
	ir_var_set(l, g->copied, ir_set(l, CC_EQ, ir_load(l, slot, 8, false), tid));
	ir_store(l, slot, 8, o_imm(0));
}

static void end_half(struct snapping *g)
{
	struct lower *l = g->l;

	if (g->s->is_half && g->result.kind == O_NONE)
		ir_store(l, copied_slot(g, own_tid(l)), 8, o_temp(g->copied));
}

static void leave_if_copied(struct snapping *g, u32 op)
{
	if (g->s->is_half && g->result.kind != O_NONE && !g->s->v[op].stored)
		leave_unless(g, op, CC_EQ, o_temp(g->copied), o_imm(0));
}

/* ---- whose messages are shown */

enum { IS_SOCKET = 0140000, FILE_TYPE = 0170000, FAMILY_NETLINK = 16 };

/* The members on the way from a task to the protocol of its socket, and their sizes. */
static const struct {
	const char *type, *member;
} way[] = { { "task_struct", "files" }, { "files_struct", "fdt" }, { "fdtable", "max_fds" },
	    { "fdtable", "fd" },        { "file", "f_inode" },     { "inode", "i_mode" },
	    { "file", "private_data" }, { "socket", "sk" },        { "sock_common", "skc_family" },
	    { "sock", "sk_protocol" } };
enum step { FILES, TABLE, ROOM, FILE_LIST, INODE, MODE, SOCKET, SOCK, FAMILY, PROTOCOL };

struct way_at {
	u32 at[ARRAY_SIZE(way)], size[ARRAY_SIZE(way)];
};

static bool find_way(const struct lower *l, struct way_at *to)
{
	const struct world *w = &l->env->world;

	for (u32 i = 0; i < ARRAY_SIZE(way); i++) {
		const struct type *t = w->type ? w->type(w->ctx, 's', way[i].type) : NULL;
		const struct field *f =
			t ? type_field(type_complete(t), way[i].member, &to->at[i]) : NULL;

		if (!f)
			return false;
		to->size[i] = MIN(type_complete(f->type)->size, 8u);
	}
	return true;
}

static struct opnd step(struct lower *l, const struct way_at *to, struct opnd from, enum step i)
{
	return lower_read_scalar(l, type_int(to->size[i], false),
				 ir_op2(l, IR_ADD, from, o_imm(to->at[i])), SPACE_KERNEL);
}

static void unless(struct lower *l, enum ir_cond cc, struct opnd a, struct opnd b,
		   struct ir_block *out)
{
	struct ir_block *go = ir_block_new(l);

	ir_branch(l, cc, a, b, go, out);
	ir_place(l, go);
}

/* The socket of a descriptor, or a branch to out. */
static struct opnd socket_of(struct lower *l, const struct way_at *to, struct opnd fd,
			     struct ir_block *out)
{
	struct opnd table = step(l, to, ir_call(l, BPF_FUNC_get_current_task, true, 0), FILES),
		    file, mode;

	fd = ir_ext(l, fd, 4, false);
	table = step(l, to, table, TABLE);
	unless(l, CC_ULT, fd, step(l, to, table, ROOM), out);
	file = ir_op2(l, IR_ADD, step(l, to, table, FILE_LIST), ir_op2(l, IR_SHL, fd, o_imm(3)));
	file = lower_read_scalar(l, type_int(8, false), file, SPACE_KERNEL);
	unless(l, CC_NE, file, o_imm(0), out);
	mode = step(l, to, step(l, to, file, INODE), MODE);
	unless(l, CC_EQ, ir_op2(l, IR_AND, mode, o_imm(FILE_TYPE)), o_imm(IS_SOCKET), out);
	return step(l, to, step(l, to, file, SOCKET), SOCK);
}

/* The protocol of the netlink socket that is argument 0, and 1; 0: it is another file. */
static void find_protocol(struct snapping *g)
{
	struct lower *l = g->l;
	struct ir_block *out;
	struct way_at to;
	struct opnd sock;
	u32 mark;

	if (!g->s->has_messages)
		return;
	g->protocol = ir_var(l);
	ir_var_set(l, g->protocol, o_imm(0));
	if (!find_way(l, &to))
		return;
	out = ir_block_new(l);
	mark = lower_values_mark(l);
	sock = socket_of(l, &to, g->arg[0], out);
	unless(l, CC_EQ, step(l, &to, sock, FAMILY), o_imm(FAMILY_NETLINK), out);
	sock = ir_op2(l, IR_AND, step(l, &to, sock, PROTOCOL), o_imm(CALL_PROTOCOLS - 1));
	ir_var_set(l, g->protocol, ir_op2(l, IR_ADD, sock, o_imm(1)));
	ir_jump(l, out);
	ir_place(l, out);
	lower_values_drop(l, mark);
}

static void leave_unless_of(struct snapping *g, u32 op)
{
	const struct snapshot_op *o = &g->s->v[op];

	if (o->of != OF_ANY_FILE)
		leave_unless(g, op, o->of == OF_NETLINK ? CC_NE : CC_EQ, o_temp(g->protocol),
			     o_imm(0));
}

/* ---- pieces */

static struct opnd pointer_of(struct snapping *g, u32 op)
{
	const struct snapshot_op *o = &g->s->v[op];
	struct opnd ptr = o->parent == SNAPSHOT_NONE ?
				  g->arg[o->arg] :
				  word_of(g, op, o->parent, o->src_off, o->width);

	leave_unless(g, op, CC_NE, ptr, o_imm(0));
	return o->plus ? ir_op2(g->l, IR_ADD, ptr, o_imm(o->plus)) : ptr;
}

/* The u32 to which an argument points. */
static struct opnd pointee_of(struct snapping *g, u32 op, struct opnd ptr)
{
	leave_unless(g, op, CC_NE, ptr, o_imm(0));
	return lower_read_scalar(g->l, &ty_u32, ptr, SPACE_USER);
}

/* What a table has for the value of an argument; 0: not to be read. */
static struct opnd by_table(struct snapping *g, const struct snapshot_op *o)
{
	const struct snapshot_table *t = o->table;
	struct lower *l = g->l;
	struct ir_block *out = ir_block_new(l);
	struct opnd value = ir_op2(l, IR_AND, g->arg[o->len.value], o_imm(t->mask)),
		    table = ir_addr(l, o_data(lower_internal_map(l, MAP_DATA),
					      lower_data(l, sizeof t->bytes, t->bytes)));
	u32 len = ir_var(l);

	ir_var_set(l, len, o_imm(0));
	if (t->by_request)
		ir_var_set(l, len,
			   ir_op2(l, IR_AND, ir_op2(l, IR_SHR, value, o_imm(REQUEST_SIZE_SHIFT)),
				  o_imm(REQUEST_SIZE_MASK)));
	for (u32 i = 0; i < SNAPSHOT_PAGES && t->page[i] != ~0u; i++) {
		struct ir_block *in = ir_block_new(l), *next = ir_block_new(l);
		struct opnd index = ir_op2(l, IR_AND, value, o_imm(SNAPSHOT_PAGE - 1));
		u32 mark;

		ir_branch(l, CC_EQ, ir_op2(l, IR_SUB, value, index), o_imm(t->page[i]), in, next);
		mark = lower_values_mark(l);
		ir_place(l, in);
		ir_var_set(l, len,
			   ir_load(l, opnd_plus(ir_op2(l, IR_ADD, table, index), i * SNAPSHOT_PAGE),
				   1, false));
		lower_values_drop(l, mark);
		ir_jump(l, out);
		ir_place(l, next);
	}
	ir_jump(l, out);
	ir_place(l, out);
	return o_temp(len);
}

/* An argument in units of 2^shift, rounded up. */
static struct opnd units_of(struct snapping *g, const struct snapshot_op *o, u32 shift)
{
	struct lower *l = g->l;
	struct opnd v = ir_op2(l, IR_ADD, g->arg[o->len.value], o_imm((1ll << shift) - 1));

	return ir_op2(l, IR_SHR, v, o_imm(shift));
}

static struct opnd count_of(struct snapping *g, u32 op)
{
	const struct snapshot_op *o = &g->s->v[op];

	if (o->table)
		return by_table(g, o);
	switch (o->len.kind) {
	case LEN_ARG: return g->arg[o->len.value];
	case LEN_BITS:
	case LEN_NODES: return units_of(g, o, 6);
	case LEN_PAGES: return units_of(g, o, 12);
	case LEN_RESULT: return g->result;
	case LEN_POINTEE: return pointee_of(g, op, g->arg[o->len.value]);
	case LEN_MEMBER: return word_of(g, op, o->parent, o->len.value, o->len.size);
	case LEN_NONE:
	case LEN_CONST: break;
	}
	return o_imm(o->len.value);
}

/* Of a buffer that the call has filled only in part. */
static struct opnd at_most_bound(struct snapping *g, u32 op, struct opnd n)
{
	const struct snapshot_op *o = &g->s->v[op];
	struct opnd bound;

	if (o->bound.kind == LEN_NONE)
		return n;
	bound = o->bound.kind == LEN_RESULT ?
			g->result :
			word_of(g, op, o->bound_in, o->bound.value, o->bound.size);
	leave_unless(g, op, CC_SGT, bound, o_imm(0));
	return ir_choose(g->l, CC_UGT, n, bound, bound, n);
}

/* Bytes to read: not 0, at most cap. */
static struct opnd bytes_of(struct snapping *g, u32 op)
{
	const struct snapshot_op *o = &g->s->v[op];
	struct opnd n = count_of(g, op), most = o_imm(o->cap / MAX(o->scale, 1));

	if (n.kind == O_IMM && !o->table)
		return o_imm(MIN(n.imm * o->scale, (s64)o->cap));
	leave_unless(g, op, CC_SGT, n, o_imm(0));
	n = at_most_bound(g, op, n);
	n = ir_at_most(g->l, n, most.imm);
	return o->scale > 1 ? ir_op2(g->l, IR_MUL, n, o_imm(o->scale)) : n;
}

/* The piece is complete. */
static void take_piece(struct snapping *g, u32 op, struct opnd piece)
{
	struct opnd at = piece_take(g, piece);

	if (g->s->v[op].skip) {
		g->at[op] = ir_var(g->l);
		ir_var_set(g->l, g->at[op], at);
	}
}

/*
 * Directory entries, one after the other: struct linux_dirent and linux_dirent64 (linux/dirent.h)
 * begin with two words and the length of the entry. Counted in scratch:
 *
 *	buffer | bytes that the call stored | bytes that are counted | entries that are counted
 */
enum counted { BUFFER = 0, STORED = 8, USED = 16, ENTRIES = 24, COUNTED_SIZE = 32 };

static struct opnd counted(struct lower *l, struct opnd words, enum counted at)
{
	return ir_load(l, opnd_plus(words, at), 8, false);
}

static void count_entry(struct lower *l, struct opnd words, struct ir_block *stop)
{
	enum { AT_LENGTH = 16 };
	struct ir_block *go = ir_block_new(l);
	struct opnd used = counted(l, words, USED), at, len;

	at = ir_op2(l, IR_ADD, ir_op2(l, IR_ADD, counted(l, words, BUFFER), used),
		    o_imm(AT_LENGTH));
	len = lower_read_scalar(l, &ty_u16, at, SPACE_USER);
	/* one that cannot be read ends the loop, with a sum that is wrong */
	len = ir_op2(l, IR_ADD, len, ir_op2(l, IR_SHL, ir_set(l, CC_EQ, len, o_imm(0)), o_imm(30)));
	used = ir_op2(l, IR_ADD, used, len);
	ir_store(l, opnd_plus(words, USED), 8, used);
	ir_store(l, opnd_plus(words, ENTRIES), 8,
		 ir_op2(l, IR_ADD, counted(l, words, ENTRIES), o_imm(1)));
	/* Verifiers would learn something else of the result in each iteration from a comparison
	 * with it, and follow all that comes after the loop for each of them. */
	ir_branch(l, CC_SLT, ir_op2(l, IR_SUB, used, counted(l, words, STORED)), o_imm(0), go,
		  stop);
	ir_place(l, go);
}

static void count_entries(struct snapping *g, u32 op, struct opnd ptr)
{
	enum { SMALLEST = 24, MOST = (32 << 10) / SMALLEST };
	struct lower *l = g->l;
	struct opnd words = lower_scratch_temp(l, COUNTED_SIZE), piece;

	ir_store(l, opnd_plus(words, BUFFER), 8, ptr);
	ir_store(l, opnd_plus(words, STORED), 8, g->result);
	ir_store(l, opnd_plus(words, USED), 8, o_imm(0));
	ir_store(l, opnd_plus(words, ENTRIES), 8, o_imm(0));
	lower_repeat(l, MOST, words, count_entry);
	piece = ir_op2(l, IR_ADD, ir_addr(l, g->value),
		       bounded(g, op, ir_load(l, g->value, 8, false), CALL_PIECE_HEAD + 16));
	ir_store(l, opnd_plus(piece, CALL_PIECE_HEAD), 8, counted(l, words, ENTRIES));
	ir_store(l, opnd_plus(piece, CALL_PIECE_HEAD + 8), 8, counted(l, words, USED));
	piece_put_head(g, piece, ptr, o_imm(16));
	take_piece(g, op, piece);
}

/*
 * Verifiers forget the bounds of what is spilled: the offset and the length are used at once and do
 * not live across the call.
 */
static void snap_one(struct snapping *g, u32 op)
{
	const struct snapshot_op *o = &g->s->v[op];
	struct lower *l = g->l;
	struct opnd ptr, len, piece, ret;
	u32 room = CALL_PIECE_HEAD + ALIGN_UP(o->cap, 8u);

	leave_if_copied(g, op);
	leave_unless_of(g, op);
	if (o->on_failure)
		leave_unless(g, op, CC_SLT, g->result, o_imm(0));
	if (o->on_success)
		leave_unless(g, op, CC_SGE, g->result, o_imm(0));
	leave_unless_chosen(g, op);
	ptr = pointer_of(g, op);
	if (o->is_count) {
		leave_unless(g, op, CC_SGT, g->result, o_imm(0));
		count_entries(g, op, ptr);
		return;
	}
	if (o->is_string && o->table)
		leave_unless(g, op, CC_NE, by_table(g, o), o_imm(0));
	piece = ir_op2(l, IR_ADD, ir_addr(l, g->value),
		       bounded(g, op, ir_load(l, g->value, 8, false), room));
	len = o->is_string ? o_imm(o->cap) : bytes_of(g, op);
	if (!o->is_string)
		piece_put_head(g, piece, ptr, len);
	ret = ir_call(l, o->is_string ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_user,
		      false, 3, opnd_plus(piece, CALL_PIECE_HEAD), len, ptr);
	/* not what may be no pointer, or past the end of a list */
	if (!o->plus && (!o->table || !o->table->by_request))
		piece_count_failed(g, ret, ptr);
	if (o->is_partial)
		piece_take_part(g, after(g, op), o->cap, piece, ptr, ret);
	else
		leave_unless(g, op, CC_SGE, ret, o_imm(0));
	if (o->is_string) /* of an empty string older kernels return 0: without the NUL */
		piece_put_head(g, piece, ptr,
			       ir_op2(l, IR_ADD, ret, ir_set(l, CC_EQ, ret, o_imm(0))));
	take_piece(g, op, piece);
	if (o->is_link)
		leave_unless(g, op, CC_NE,
			     ir_load(l, opnd_plus(piece, CALL_PIECE_HEAD), o->width, false),
			     o_imm(0));
}

static void snap_all(struct snapping *g)
{
	struct lower *l = g->l;
	u32 mark = lower_values_mark(l);

	for (u32 i = 0; i < g->s->n; i++) {
		snap_one(g, i);
		if (g->skip[i + 1]) {
			ir_jump(l, g->skip[i + 1]);
			ir_place(l, g->skip[i + 1]);
		}
		lower_values_drop(l, mark);
	}
}

bool lower_snapshot_repeats(const struct profile *p)
{
	const struct snapshot *s = p->snapshot.what;

	for (u32 i = 0; s && i < s->n; i++)
		if (s->v[i].is_count)
			return true;
	return false;
}

/* The formats that the value may need. */
static void publish_formats(struct lower *l)
{
	struct program *prog = l->prog;

	if (!prog->calls)
		prog->calls =
			arena_array(prog->arena, const struct call_format *, SYSCALL_SET_BITS);
	for (u32 nr = 0; nr < SYSCALL_SET_BITS; nr++)
		if (l->profile->snapshot.calls[nr])
			prog->calls[nr] = l->profile->snapshot.calls[nr];
}

/* The pieces of the entry come first: all of its value is copied, and used is where it ends. */
static void begin_with_entry(struct snapping *g, const struct ir_val *kept)
{
	struct lower *l = g->l;
	struct ir_block *none = ir_block_new(l), *out = ir_block_new(l);
	struct opnd used;

	ir_copy(l, g->value, kept->o, kept->type->size);
	used = ir_op2(l, IR_AND, ir_load(l, g->value, 8, false), o_imm(CALL_USED));
	ir_store(l, g->value, 8, used);
	ir_branch(l, CC_NE, used, o_imm(0), out, none);
	ir_place(l, none);
	ir_store(l, g->value, 8, o_imm(CALL_AT_ARGS + 8 * g->s->n_args));
	ir_jump(l, out);
	ir_place(l, out);
}

static struct opnd n_args(struct snapping *g)
{
	return g->s->is_rows ? snapshot_row_args(g) : o_imm(g->s->n_args);
}

static void put_head(struct snapping *g)
{
	struct lower *l = g->l;
	struct opnd head, n = o_imm((s64)(g->result.kind != O_NONE) << CALL_RESULT_SHIFT);

	struct opnd nr = l->profile->syscall.either ?
				 lower_syscall_number(l) :
				 ir_ext(l, lower_loc(l, &l->profile->syscall.nr).o, 2, false);

	n = ir_op2(l, IR_OR, n, ir_op2(l, IR_SHL, n_args(g), o_imm(CALL_ARGS_SHIFT)));
	head = ir_op2(l, IR_SHL, nr, o_imm(CALL_NUMBER_SHIFT));
	if (l->profile->syscall.i386)
		head = ir_op2(l, IR_OR, head, o_imm(SYSCALL_I386 << CALL_NUMBER_SHIFT));
	if (g->s->has_messages)
		n = ir_op2(l, IR_OR, n,
			   ir_op2(l, IR_SHL, o_temp(g->protocol), o_imm(CALL_PROTOCOL_SHIFT)));
	head = ir_op2(l, IR_OR, ir_op2(l, IR_OR, head, n), ir_load(l, g->value, 8, false));
	ir_store(l, g->value, 8, head);
}

static void put_arguments(struct snapping *g)
{
	struct lower *l = g->l;

	ir_store(l, opnd_plus(g->value, CALL_AT_RESULT), 8,
		 g->result.kind == O_NONE ? o_imm(0) : g->result);
	for (u32 i = 0; i < g->s->n_args; i++)
		ir_store(l, opnd_plus(g->value, CALL_AT_ARGS + 8 * i), 8, g->arg[i]);
}

static void snap(struct snapping *g, struct node *entry)
{
	struct lower *l = g->l;
	struct ir_val kept;

	if (entry) {
		kept = lower_memory(l, entry);
		begin_with_entry(g, &kept);
	} else {
		ir_store(l, g->value, 8,
			 ir_op2(l, IR_ADD, ir_op2(l, IR_SHL, n_args(g), o_imm(3)),
				o_imm(CALL_AT_ARGS)));
	}
	put_arguments(g);
	find_protocol(g);
	begin_half(g);
	if (g->s->is_rows)
		snapshot_copy_row(g);
	else
		snap_all(g);
	end_half(g);
	put_head(g);
}

/* The memory of the call is gone if it has succeeded: its arguments are what the entry kept. */
static void snap_or_entry(struct snapping *g, struct node *entry)
{
	struct lower *l = g->l;
	struct ir_block *failed = ir_block_new(l), *worked = ir_block_new(l),
			*out = ir_block_new(l);
	u32 mark = lower_values_mark(l);
	struct ir_val kept;

	ir_branch(l, CC_SLT, g->result, o_imm(0), failed, worked);
	ir_place(l, failed);
	snap(g, NULL);
	ir_jump(l, out);
	lower_values_drop(l, mark);
	ir_place(l, worked);
	kept = lower_memory(l, entry);
	ir_copy(l, g->value, kept.o, kept.type->size);
	ir_jump(l, out);
	lower_values_drop(l, mark);
	ir_place(l, out);
}

static void load_args(struct snapping *g, const struct arg_desc *from)
{
	struct lower *l = g->l;
	u32 mark = lower_values_mark(l);

	for (u32 i = 0; i < g->s->n_args; i++)
		ir_var_set(l, g->arg[i].id, lower_loc(l, &from[i]).o);
	lower_values_drop(l, mark);
}

/* Arguments are in other registers in 32-bit programs. */
static void take_args(struct snapping *g)
{
	struct lower *l = g->l;
	const struct profile_snapshot *s = &l->profile->snapshot;
	struct ir_block *native, *compat, *out;

	if (!l->profile->syscall.either) {
		for (u32 i = 0; i < g->s->n_args; i++)
			g->arg[i] = lower_loc(l, &s->args[i]).o;
		return;
	}
	native = ir_block_new(l);
	compat = ir_block_new(l);
	out = ir_block_new(l);
	for (u32 i = 0; i < g->s->n_args; i++)
		g->arg[i] = o_temp(ir_var(l));
	ir_branch(l, CC_UGE, lower_syscall_number(l), o_imm(SYSCALL_I386), compat, native);
	ir_place(l, native);
	load_args(g, s->args);
	ir_jump(l, out);
	ir_place(l, compat);
	load_args(g, s->i386_args);
	ir_jump(l, out);
	ir_place(l, out);
}

struct ir_val lower_snapshot(struct lower *l, const struct type *t, struct node *entry)
{
	const struct profile *p = l->profile;
	bool canonical;
	struct opnd dst = lower_dest(l, t, &canonical);
	struct snapping g = { .l = l, .s = p->snapshot.what, .value = dst };
	bool varies = g.s->n || g.s->is_rows;

	publish_formats(l);
	if (dst.kind == O_SLOT && varies) /* offsets that vary are not allowed in the stack */
		g.value = lower_scratch_temp(l, t->size);
	if (canonical)
		ir_zero(l, g.value, t->size);
	if (p->snapshot.result.loc.kind != LOC_NONE)
		g.result = lower_loc(l, &p->snapshot.result).o;
	take_args(&g);
	if (g.s->is_rows)
		snapshot_find_row(&g);
	if (p->snapshot.gone)
		snap_or_entry(&g, entry);
	else
		snap(&g, entry);
	if (dst.kind == O_SLOT && varies)
		ir_copy(l, dst, g.value, t->size);
	return val_memory(t, dst);
}
