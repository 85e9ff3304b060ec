/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path(): the name of a struct path.
 *
 * The kernel allows bpf_d_path() only in iterators and on a short list of functions. Elsewhere the
 * program walks from directory to directory as prepend_path() does (fs/d_path.c), but without its
 * locks: while a file is being renamed, the result may mix the old and the new path.
 */
#include "builtin/text.h"

/* ---- bpf_d_path() */

/* The context pointer at the start of an expression: args.NAME in args.NAME.f_path. NULL: there
 * is none. */
static struct node *root_arg(struct node *n)
{
	while (n && n->kind == N_FIELD && !n->data)
		n = n->a;
	return n && n->kind == N_FIELD && n->data ? n : NULL;
}

/* Jumps to out if the pointer is null. */
static struct opnd not_null(struct lower *l, struct opnd pointer, struct ir_block *out)
{
	struct ir_block *next = ir_block_new(l);

	ir_branch(l, CC_NE, pointer, o_imm(0), next, out);
	ir_place(l, next);
	return pointer;
}

/*
 * Address of a field such as args.vma.vm_file.f_path, by direct loads starting at the context:
 * verifiers track these as typed pointers, but a pointer read by a helper is a number to them. Some
 * kernels do not trust pointers after the first one: see explain_log().
 */
static struct opnd followed(struct lower *l, struct node *n, struct ir_block *out)
{
	if (n->data) {
		struct opnd root = lower_scalar(l, n);

		return l->profile->may_be_null ? not_null(l, root, out) : root;
	}

	struct opnd base = followed(l, n->a, out);

	if (n->a->type->kind == TY_POINTER && !n->a->data)
		base = not_null(l, ir_load(l, base, 8, false), out);
	return opnd_plus(base, n->field_offset);
}

static struct opnd path_pointer(struct lower *l, struct node *what, struct ir_block *out)
{
	if (type_is_scalar(what->type) && !what->data)
		return not_null(l, ir_load(l, followed(l, what, out), 8, false), out);
	return followed(l, what, out);
}

/* The helper takes only a pointer that verifiers know is not null. */
static void call_d_path(struct lower *l, struct node *what, struct opnd dst, u32 size)
{
	struct ir_block *out = ir_block_new(l);
	u32 mark = lower_values_mark(l);

	ir_call(l, BPF_FUNC_d_path, false, 3, ir_addr(l, path_pointer(l, what, out)), dst,
		o_imm(size));
	ir_jump(l, out);
	ir_place(l, out);
	lower_values_drop(l, mark);
}

/* ---- the walk to the root */

enum { MAX_PARTS = 64, PART_BYTES = 256 }; /* names have at most 255 bytes (NAME_MAX) */

/* The members that the walk reads. */
enum member {
	PATH_MNT,
	PATH_DENTRY,
	DENTRY_PARENT,
	DENTRY_NAME,
	DENTRY_LINK,
	DENTRY_INODE,
	DENTRY_BLOCK,
	DENTRY_CALLS,
	CALLS_NAME,
	BLOCK_MAGIC,
	INODE_NUMBER,
	TOP_OF_MOUNT,
	IN_MOUNT,
	MOUNT_ABOVE,
	MOUNT_POINT,
	TASK_FILES,
	FILES_ROOT,
	N_MEMBERS,
};
static const struct {
	const char *type, *member, *submember;
} members[N_MEMBERS] = {
	[PATH_MNT] = { "path", "mnt", NULL },
	[PATH_DENTRY] = { "path", "dentry", NULL },
	[DENTRY_PARENT] = { "dentry", "d_parent", NULL },
	[DENTRY_NAME] = { "dentry", "d_name", "name" },
	[DENTRY_LINK] = { "dentry", "d_hash", "pprev" },
	[DENTRY_INODE] = { "dentry", "d_inode", NULL },
	[DENTRY_BLOCK] = { "dentry", "d_sb", NULL },
	[DENTRY_CALLS] = { "dentry", "d_op", NULL },
	[CALLS_NAME] = { "dentry_operations", "d_dname", NULL },
	[BLOCK_MAGIC] = { "super_block", "s_magic", NULL },
	[INODE_NUMBER] = { "inode", "i_ino", NULL },
	[TOP_OF_MOUNT] = { "vfsmount", "mnt_root", NULL },
	[IN_MOUNT] = { "mount", "mnt", NULL },
	[MOUNT_ABOVE] = { "mount", "mnt_parent", NULL },
	[MOUNT_POINT] = { "mount", "mnt_mountpoint", NULL },
	[TASK_FILES] = { "task_struct", "fs", NULL },
	[FILES_ROOT] = { "fs_struct", "root", NULL },
};

struct layout {
	u32 at[N_MEMBERS];
};

static bool find_layout(const struct world *w, struct layout *layout)
{
	for (u32 i = 0; i < N_MEMBERS; i++) {
		const struct type *t = w->type ? w->type(w->ctx, 's', members[i].type) : NULL;
		const struct field *f =
			t ? type_field(type_complete(t), members[i].member, &layout->at[i]) : NULL;
		u32 more = 0;

		if (f && members[i].submember)
			f = type_field(type_complete(f->type), members[i].submember, &more);
		if (!f)
			return false;
		layout->at[i] += more;
	}
	return true;
}

/* State of the walk. What changes from iteration to iteration is in memory: verifiers would
 * track values in registers. */
struct walk {
	struct layout at;
	struct opnd word;                  /* buffer for one read */
	struct opnd mnt, dentry;           /* current: struct vfsmount *, struct dentry * */
	struct opnd root_mnt, root_dentry; /* of the current task */
	struct opnd parts, n;              /* pointers to the names, innermost first */
	struct opnd arrived;               /* 1: at the root, or at an unreachable top */
	struct opnd deleted, digits;
	struct opnd text, len; /* the result so far; its length without the NUL */
	u32 cap;
};

static struct opnd follow(struct lower *l, const struct walk *c, struct opnd p, enum member m)
{
	lower_probe_read(l, c->word, 8, ir_op2(l, IR_ADD, p, o_imm(c->at.at[m])), SPACE_KERNEL);
	return ir_load(l, c->word, 8, false);
}

static struct opnd equal(struct lower *l, struct opnd a, struct opnd b)
{
	return is_zero(l, ir_op2(l, IR_XOR, a, b));
}

/* where = y if c is 1, x if it is 0. */
static void store_either(struct lower *l, struct opnd where, struct opnd c, struct opnd y,
			 struct opnd x)
{
	u32 v = ir_var(l);

	ir_var_set(l, v, x);
	choose(l, v, c, y);
	ir_store(l, where, 8, o_temp(v));
}

static struct opnd get(struct lower *l, struct opnd word)
{
	return ir_load(l, word, 8, false);
}

static struct opnd is_at_root(struct lower *l, const struct walk *c)
{
	struct opnd mnt = ir_op2(l, IR_XOR, get(l, c->mnt), get(l, c->root_mnt));
	struct opnd dentry = ir_op2(l, IR_XOR, get(l, c->dentry), get(l, c->root_dentry));

	return is_zero(l, ir_op2(l, IR_OR, mnt, dentry));
}

/* One directory up, or from the root of a mount to its mount point. */
static void walk_step(struct lower *l, const struct walk *c)
{
	struct opnd mnt = get(l, c->mnt), dentry = get(l, c->dentry), n = get(l, c->n);
	struct opnd mount = ir_op2(l, IR_SUB, mnt, o_imm(c->at.at[IN_MOUNT]));
	struct opnd parent = follow(l, c, dentry, DENTRY_PARENT),
		    above = follow(l, c, mount, MOUNT_ABOVE);
	struct opnd on_top = ir_op2(l, IR_OR, equal(l, dentry, parent),
				    equal(l, dentry, follow(l, c, mnt, TOP_OF_MOUNT)));
	struct opnd slot = ir_op2(l, IR_SHL, ir_op2(l, IR_AND, n, o_imm(MAX_PARTS - 1)), o_imm(3));
	struct opnd nothing_above, lost;

	ir_store(l, ir_op2(l, IR_ADD, ir_addr(l, c->parts), slot), 8,
		 follow(l, c, dentry, DENTRY_NAME));
	ir_store(l, c->n, 8, ir_op2(l, IR_ADD, n, ir_op2(l, IR_XOR, on_top, o_imm(1))));
	nothing_above = ir_op2(l, IR_AND, on_top, equal(l, above, mount));
	store_either(l, c->dentry, on_top, follow(l, c, mount, MOUNT_POINT), parent);
	store_either(l, c->mnt, on_top, ir_op2(l, IR_ADD, above, o_imm(c->at.at[IN_MOUNT])), mnt);
	lost = is_zero(l, get(l, c->dentry));
	ir_store(l, c->arrived, 8,
		 ir_op2(l, IR_OR, ir_op2(l, IR_OR, nothing_above, lost), is_at_root(l, c)));
}

static void walk_to_root(struct lower *l, const struct walk *c)
{
	struct ir_block *out = ir_block_new(l), *up = ir_block_new(l);
	struct byte_loop b;
	u32 mark = lower_values_mark(l);

	ir_branch(l, CC_NE, get(l, c->arrived), o_imm(0), out, up);
	ir_place(l, up);
	byte_loop_begin(l, &b, MAX_PARTS);
	b.step = 1;
	walk_step(l, c);
	byte_loop_while(l, &b, CC_EQ, get(l, c->arrived), o_imm(0));
	ir_jump(l, out);
	ir_place(l, out);
	lower_values_drop(l, mark);
}

/* ---- the text */

static struct opnd end_of_text(struct lower *l, const struct walk *c)
{
	return ir_op2(l, IR_ADD, ir_addr(l, c->text), ir_at_most(l, get(l, c->len), c->cap));
}

static void append(struct lower *l, const struct walk *c, struct opnd string, u32 most)
{
	struct opnd n = text_append(l, end_of_text(l, c), most, string, SPACE_KERNEL);

	ir_store(l, c->len, 8, ir_op2(l, IR_ADD, get(l, c->len), ir_op2(l, IR_SUB, n, o_imm(1))));
}

static void append_slash(struct lower *l, const struct walk *c)
{
	ir_store(l, end_of_text(l, c), 1, o_imm('/'));
	ir_store(l, c->len, 8, ir_op2(l, IR_ADD, get(l, c->len), o_imm(1)));
}

/* Appends the names, outermost first; "/" if there are none. */
static void append_names(struct lower *l, const struct walk *c)
{
	struct ir_block *some = ir_block_new(l), *none = ir_block_new(l), *out = ir_block_new(l);
	struct byte_loop b;
	struct opnd slot;
	u32 mark = lower_values_mark(l);

	ir_branch(l, CC_NE, get(l, c->n), o_imm(0), some, none);
	ir_place(l, none);
	append_slash(l, c);
	ir_jump(l, out);
	lower_values_drop(l, mark);
	ir_place(l, some);
	byte_loop_begin(l, &b, MAX_PARTS);
	b.step = 1;
	slot = ir_op2(l, IR_SUB, ir_op2(l, IR_SUB, get(l, c->n), o_imm(1)), o_temp(b.i));
	slot = ir_op2(l, IR_SHL, ir_op2(l, IR_AND, slot, o_imm(MAX_PARTS - 1)), o_imm(3));
	append_slash(l, c);
	append(l, c, get(l, ir_op2(l, IR_ADD, ir_addr(l, c->parts), slot)), PART_BYTES);
	byte_loop_while(l, &b, CC_ULT, o_temp(b.i), get(l, c->n));
	ir_jump(l, out);
	ir_place(l, out);
	lower_values_drop(l, mark);
}

/* ---- pseudo files, which are in no directory: pipes, sockets, memory files (named by
 * d_dname()) */

enum { WORD_BYTES = 16 };

static const struct {
	/* Of the file system (include/uapi/linux/magic.h). 0: any other; simple_dname() names
	 * its files. */
	u32 magic;
	bool is_numbered; /* the inode number is printed, else the name, */
	bool is_fixed;    /* or neither */
	char before[WORD_BYTES], after[WORD_BYTES];
} pseudo[] = {
	{ 0, false, false, "/", " (deleted)" },
	{ 0x50495045, true, false, "pipe:[", "]" },
	{ 0x534f434b, true, false, "socket:[", "]" },
	{ 0x6e736673, true, false, "ns:[", "]" },
	{ 0x09041934, false, false, "anon_inode:", "" },
	{ 0x50494446, false, true, "anon_inode:", "[pidfd]" }, /* fs/pidfs.c: pidfs_dname() */
};

/* Writes the number in decimal; returns the address of the first digit. */
static struct opnd format_digits(struct lower *l, const struct walk *c, struct opnd number)
{
	enum { DIGITS = 10 }; /* of 32 bits: get_next_ino() */
	struct opnd left = ir_op2(l, IR_AND, number, o_imm(UINT32_MAX)), more;
	u32 first = ir_var(l);

	ir_zero(l, c->digits, WORD_BYTES);
	ir_var_set(l, first, o_imm(DIGITS - 1));
	for (u32 i = DIGITS; i-- > 0;) {
		ir_store(l, opnd_plus(c->digits, i), 1,
			 ir_op2(l, IR_ADD, ir_op2(l, IR_UMOD, left, o_imm(10)), o_imm('0')));
		left = ir_op2(l, IR_UDIV, left, o_imm(10));
		more = ir_op2(l, IR_XOR, is_zero(l, left), o_imm(1));
		ir_var_set(l, first, ir_op2(l, IR_SUB, o_temp(first), more));
	}
	return ir_op2(l, IR_ADD, ir_addr(l, c->digits),
		      ir_op2(l, IR_AND, o_temp(first), o_imm(WORD_BYTES - 1)));
}

/* Address of `before` or `after` in a row of the table; at: offset of that member. */
static struct opnd row_word(struct lower *l, u32 table, struct opnd row, size_t at)
{
	struct opnd off =
		ir_op2(l, IR_MUL, ir_op2(l, IR_AND, row, o_imm(7)), o_imm(sizeof pseudo[0]));

	return ir_op2(l, IR_ADD, ir_addr(l, o_data(l->prog->data_map, table + (s64)at)), off);
}

static void append_pseudo(struct lower *l, const struct walk *c)
{
	struct ir_block *number = ir_block_new(l), *other = ir_block_new(l),
			*name = ir_block_new(l), *out = ir_block_new(l);
	u32 table = data_table(l, pseudo, sizeof pseudo), mark;
	struct opnd magic =
		follow(l, c, follow(l, c, get(l, c->dentry), DENTRY_BLOCK), BLOCK_MAGIC);
	struct opnd row = o_imm(0), numbered = o_imm(0), fixed = o_imm(0), hit;

	for (u32 i = 1; i < ARRAY_SIZE(pseudo); i++) {
		hit = equal(l, magic, o_imm(pseudo[i].magic));
		row = ir_op2(l, IR_ADD, row, ir_op2(l, IR_MUL, hit, o_imm(i)));
		if (pseudo[i].is_numbered)
			numbered = ir_op2(l, IR_OR, numbered, hit);
		if (pseudo[i].is_fixed)
			fixed = ir_op2(l, IR_OR, fixed, hit);
	}
	append(l, c, row_word(l, table, row, offsetof(typeof(pseudo[0]), before)), WORD_BYTES);
	ir_branch(l, CC_NE, numbered, o_imm(0), number, other);
	mark = lower_values_mark(l);
	ir_place(l, number);
	append(l, c,
	       format_digits(l, c,
			     follow(l, c, follow(l, c, get(l, c->dentry), DENTRY_INODE),
				    INODE_NUMBER)),
	       WORD_BYTES);
	ir_jump(l, out);
	lower_values_drop(l, mark);
	ir_place(l, other);
	ir_branch(l, CC_NE, fixed, o_imm(0), out, name);
	ir_place(l, name);
	append(l, c, follow(l, c, get(l, c->dentry), DENTRY_NAME), PART_BYTES);
	ir_jump(l, out);
	lower_values_drop(l, mark);
	ir_place(l, out);
	append(l, c, row_word(l, table, row, offsetof(typeof(pseudo[0]), after)), WORD_BYTES);
}

static void append_deleted(struct lower *l, const struct walk *c, struct opnd deleted)
{
	static const char words[2][WORD_BYTES] = { "", " (deleted)" };
	u32 table = data_table(l, words, sizeof words);
	struct opnd off =
		ir_op2(l, IR_MUL, ir_op2(l, IR_AND, deleted, o_imm(1)), o_imm(WORD_BYTES));

	append(l, c, ir_op2(l, IR_ADD, ir_addr(l, o_data(l->prog->data_map, table)), off),
	       WORD_BYTES);
}

/* ---- the whole path */

static void read_path(struct lower *l, const struct walk *c, struct opnd path, struct opnd mnt,
		      struct opnd dentry)
{
	ir_store(l, mnt, 8, follow(l, c, path, PATH_MNT));
	ir_store(l, dentry, 8, follow(l, c, path, PATH_DENTRY));
}

/* Stores the start of the walk. */
static void begin_walk(struct lower *l, const struct walk *c, struct node *what)
{
	if (type_is_scalar(what->type)) {
		read_path(l, c, ir_known(l, lower_scalar(l, what)), c->mnt, c->dentry);
	} else {
		struct ir_val v = lower_lvalue(l, what);

		if (v.is_foreign) {
			read_path(l, c, ir_known(l, v.o), c->mnt, c->dentry);
		} else {
			ir_store(l, c->mnt, 8, get(l, opnd_plus(v.o, c->at.at[PATH_MNT])));
			ir_store(l, c->dentry, 8, get(l, opnd_plus(v.o, c->at.at[PATH_DENTRY])));
		}
	}
}

/* Stores its end, the root of the current task, and empty results. */
static void find_end(struct lower *l, const struct walk *c)
{
	struct opnd files =
		follow(l, c, ir_call(l, BPF_FUNC_get_current_task, true, 0), TASK_FILES);

	read_path(l, c, ir_op2(l, IR_ADD, files, o_imm(c->at.at[FILES_ROOT])), c->root_mnt,
		  c->root_dentry);
	ir_store(l, c->n, 8, o_imm(0));
	ir_store(l, c->len, 8, o_imm(0));
	ir_store(l, c->text, 1, o_imm(0));
	ir_store(l, c->arrived, 8, is_at_root(l, c));
}

static void append_path(struct lower *l, const struct walk *c)
{
	struct ir_block *in_nothing = ir_block_new(l), *in_directory = ir_block_new(l),
			*out = ir_block_new(l);
	struct opnd dentry = get(l, c->dentry), parent = follow(l, c, dentry, DENTRY_PARENT);
	struct opnd is_own_parent = equal(l, dentry, parent), mounted, named, unlinked, deleted;
	u32 mark;

	mounted = ir_op2(l, IR_AND, is_own_parent,
			 equal(l, dentry, follow(l, c, get(l, c->mnt), TOP_OF_MOUNT)));
	named = is_zero(l, follow(l, c, follow(l, c, dentry, DENTRY_CALLS), CALLS_NAME));
	unlinked = is_zero(l, follow(l, c, dentry, DENTRY_LINK));
	deleted = ir_op2(l, IR_AND, unlinked, ir_op2(l, IR_XOR, is_own_parent, o_imm(1)));
	ir_store(l, c->deleted, 8, deleted);
	ir_branch(l, CC_EQ, ir_op2(l, IR_OR, mounted, named), o_imm(0), in_nothing, in_directory);
	mark = lower_values_mark(l);
	ir_place(l, in_nothing);
	append_pseudo(l, c);
	ir_store(l, c->arrived, 8, o_imm(1));
	ir_jump(l, out);
	lower_values_drop(l, mark);
	ir_place(l, in_directory);
	walk_to_root(l, c);
	append_names(l, c);
	append_deleted(l, c, get(l, c->deleted));
	ir_jump(l, out);
	lower_values_drop(l, mark);
	ir_place(l, out);
}

enum { WORDS = 11, WALK_BYTES = (WORDS + MAX_PARTS) * 8, TEXT_MORE = PART_BYTES + 8 };

static u32 room_of(u32 cap)
{
	return WALK_BYTES + ALIGN_UP(cap + TEXT_MORE, 8u);
}

/* Places the walk's state in room_of(cap) bytes. */
static struct walk walk_in(struct lower *l, struct opnd room, u32 cap)
{
	struct walk c = {
		.word = room,
		.mnt = opnd_plus(room, 8),
		.dentry = opnd_plus(room, 16),
		.root_mnt = opnd_plus(room, 24),
		.root_dentry = opnd_plus(room, 32),
		.n = opnd_plus(room, 40),
		.arrived = opnd_plus(room, 48),
		.len = opnd_plus(room, 56),
		.deleted = opnd_plus(room, 64),
		.digits = opnd_plus(room, 72),
		.parts = opnd_plus(room, 8 * WORDS),
		.text = opnd_plus(room, WALK_BYTES),
		.cap = cap,
	};

	find_layout(&l->env->world, &c.at);
	return c;
}

/* Builds the text; empty if the dentry is null. 0: the walk ended before the root. */
static struct opnd make_path(struct lower *l, const struct walk *c)
{
	struct ir_block *some = ir_block_new(l), *out = ir_block_new(l);
	u32 complete = ir_var(l), mark;

	find_end(l, c);
	ir_var_set(l, complete, o_imm(1));
	ir_branch(l, CC_EQ, get(l, c->dentry), o_imm(0), out, some);
	mark = lower_values_mark(l);
	ir_place(l, some);
	append_path(l, c);
	ir_var_set(l, complete, get(l, c->arrived));
	ir_jump(l, out);
	lower_values_drop(l, mark);
	ir_place(l, out);
	return o_temp(complete);
}

static struct opnd path_body(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	struct walk c = walk_in(l, lower_shared_scratch(l, arg[0], most[0]), most[0] - room_of(0));

	return make_path(l, &c);
}

static const struct shared_func path_shared = { .name = "path", .n_args = 1, .body = path_body };

static struct opnd make_path_shared(struct lower *l, struct opnd room, u32 cap)
{
	const u32 most[2] = { room_of(cap), 0 };
	struct opnd at = lower_scratch_offset(l, room);

	return lower_call_shared(l, &path_shared, most, &at);
}

/* The path by walking: inline only if the program does little else, because verifiers take long to
 * follow it. */
static struct ir_val walk_path(struct lower *l, struct node *call)
{
	enum { ALONE = 4096 }; /* of lower_wants_shared() */
	bool shared = lower_wants_shared(l, ALONE), canonical;
	/* the same for all calls of one function */
	u32 cap = shared ? ALIGN_UP((u32)l->env->config.max_strlen, 8u) : call->type->count;
	struct opnd room = lower_temp(l, room_of(cap), 8, "path");
	struct walk c = walk_in(l, room, cap);
	struct opnd dst = lower_dest(l, call->type, &canonical);

	begin_walk(l, &c, call_arg(call, 0));
	lower_loss_if_zero(l, shared ? make_path_shared(l, room, cap) : make_path(l, &c), LOSS_DEEP,
			   NULL);
	return text_result(l, call, dst, canonical, ir_addr(l, c.text));
}

/* ---- checking */

static bool is_path(const struct type *t)
{
	if (t->kind == TY_POINTER)
		t = type_complete(t->elem);
	return t->kind != TY_STRUCT || (t->name && streq(t->name, "path"));
}

/* Lists the members that path() takes, without the kernel's alias __f_path. */
static const char *paths_in(struct check *c, const struct type *t, const char *before)
{
	t = type_complete(t->kind == TY_POINTER ? t->elem : t);
	for (u32 i = 0; t->kind == TY_STRUCT && i < t->n_fields; i++) {
		const struct field *f = &t->fields[i];
		const struct type *of = type_complete(f->type);

		if (!f->name[0])
			before = paths_in(c, of, before);
		else if (f->name[0] != '_' && of->kind == TY_STRUCT && is_path(of))
			before = arena_printf(c->arena, "%s%s->%s", before, *before ? ", " : "",
					      f->name);
	}
	return before;
}

/* path() takes a struct file as its f_path. */
static bool is_file(const struct type *t)
{
	t = t->kind == TY_POINTER ? type_complete(t->elem) : t;
	return t->kind == TY_STRUCT && t->name && streq(t->name, "file");
}

static struct node *path_of_file(struct check *c, struct node *file)
{
	struct node *n = arena_new(c->arena, struct node);

	*n = (struct node){
		.kind = N_FIELD, .span = file->span, .a = file, .name = "f_path", .next = file->next
	};
	file->next = NULL;
	n->type = check_expr(c, n);
	return n;
}

static const struct type *check_path(struct check *c, struct node *call)
{
	const struct profile *p = c->inst ? c->inst->profile : NULL;
	struct node *what = call_arg(call, 0);
	s64 size = call_int(call, 1, (s64)c->env->config.max_strlen);
	struct layout layout;

	if (is_file(what->type))
		what = call->a = path_of_file(c, what);
	if (!is_path(what->type)) {
		struct diag *d =
			check_report(c, what->span, D_NOT_A_PATH, type_str(c->arena, what->type));
		const char *in = paths_in(c, what->type, "");

		if (*in)
			diag_help(c->diags, d, "in it there is: %s", in);
		return &ty_error;
	}
	if (!(p && p->d_path && root_arg(what)) && !find_layout(&c->env->world, &layout))
		return diag_type(c, call->span, D_MISSING_FEATURE, call->name,
				 feature_rows[FEAT_BTF].text);
	if (size < 1)
		return diag_type(c, call_arg(call, 1)->span, D_STR_LENGTH, (long long)size);
	return type_string(c->arena, (u32)MIN(size, (s64)c->env->config.max_strlen));
}

static struct ir_val lower_path(struct lower *l, struct node *call)
{
	struct node *what = call_arg(call, 0);
	bool canonical;
	struct opnd dst;
	struct ir_val v;

	if (!l->profile->d_path || !root_arg(what)) /* the pointer is not typed for verifiers */
		return walk_path(l, call);
	dst = lower_dest(l, call->type, &canonical);
	v = val_memory(call->type, dst);
	ir_zero(l, dst, call->type->count); /* d_path() builds from the end and leaves garbage */
	call_d_path(l, what, dst, call->type->count);
	return v;
}

static const struct builtin rows[] = {
	{
		.name = "path",
		.sig = "path(path: ptr|struct, size: lit int = 0) -> string",
		.brief = "path of an open file",
		.doc = "The path of a struct path, as seen by the current process: "
		       "path(args.file->f_path), path(curtask->fs->pwd). Pipes, sockets and "
		       "unnamed files are shown as in /proc/PID/fd, but namespaces as "
		       "ns:[NUMBER]. size limits the result to that many bytes.",
		.example = "kprobe:vfs_open { print(path(args.path)); }",
		.work = "cat /dev/null",
		.output = "/usr/bin/cat\n"
			  "...\n"
			  "/dev/null",
		.flags = BI_NEEDS_PROFILE | BI_NOTED,
		.engines = ON_KERNEL,
		.check = check_path,
		.lower = lower_path,
	},
};

const struct builtin_theme builtin_path = THEME("Paths", rows);
