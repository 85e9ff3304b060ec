/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves the value of one key of a map to another key while programs may add to both. Only a program
 * can add to a value atomically, so each map that needs this has a program, which is run from here:
 *
 *	p = lookup(map, from), q = lookup(map, to)
 *	if !p					return MOVE_ABSENT
 *	if !q  update(map, to, *p, NOEXIST)	fails: return MOVE_FULL
 *	else   *q is merged with *p, by the type of the value
 *	delete(map, from)			if the last processor has been done
 *	return q ? MOVE_DONE : MOVE_MADE
 *
 * A value that has a copy for each processor is merged on each of them in turn, with its interrupts
 * off (BPF_F_TEST_RUN_ON_CPU), because a processor's programs write to their copy without atomic
 * operations.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "engine/kernel/insn.h"
#include "engine/kernel/internal.h"
#include "type/agg.h"

enum { MOVE_DONE, MOVE_MADE, MOVE_ABSENT, MOVE_FULL, MOVE_NOT };
enum { CONTROL_DELETE = 1, CONTROL_REPLACE = 2 };
enum { MOST_WORDS = 8000, MOST_INSNS = 3 * MOST_WORDS + 100, MOST_CPUS = 1024 };

struct mover {
	int prog_fd, args_fd; /* args_fd: an array of one element: the keys, u64 control */
	u32 key_room;         /* of a key in it */
	bool per_cpu;         /* is run on each processor, */
	bool copies_all;      /* until one of them has made the second key */
};

struct code {
	struct bpf_insn *insns;
	u32 n;
};

#define PUT(c, ...)                                                                                \
	put(c, (const struct bpf_insn[]){ __VA_ARGS__ },                                           \
	    sizeof((const struct bpf_insn[]){ __VA_ARGS__ }) / sizeof(struct bpf_insn))

static void put(struct code *c, const struct bpf_insn *insns, size_t n)
{
	memcpy(c->insns + c->n, insns, n * sizeof *insns);
	c->n += (u32)n;
}

/* A jump whose target follows later. */
static u32 put_jump(struct code *c, u8 op, u8 reg, s32 imm)
{
	PUT(c, I_JMPI(op, reg, imm, 0));
	return c->n - 1;
}

static void land(struct code *c, u32 jump)
{
	c->insns[jump].off = (s16)(c->n - jump - 1);
}

static void put_return(struct code *c, s32 value)
{
	PUT(c, I_MOVI(BPF_REG_0, value), I_EXIT());
}

static bool is_per_cpu_map(const struct map_desc *m)
{
	return m->bpf_type == BPF_MAP_TYPE_PERCPU_HASH;
}

static bool is_added(const struct map_desc *m)
{
	return agg_only_adds(m->value) || (m->value->kind == TY_INT && !m->is_assigned);
}

static bool is_least_or_most(const struct map_desc *m)
{
	return m->value->kind == TY_MIN || m->value->kind == TY_MAX;
}

/* r8: the sum; r7: the value that is added to it. */
static void put_sum(struct code *c, const struct map_desc *m)
{
	for (u32 at = 0; at < m->value_size; at += 8) {
		PUT(c, I_LDX(BPF_DW, BPF_REG_1, BPF_REG_7, (s16)at),
		    I_ATOMIC(BPF_DW, BPF_ADD, BPF_REG_8, BPF_REG_1, (s16)at));
		if (is_per_cpu_map(m))
			PUT(c, I_ST(BPF_DW, BPF_REG_7, (s16)at, 0));
	}
}

/* For struct agg_minmax of this processor. */
static void put_least_or_most(struct code *c, const struct map_desc *m)
{
	bool is_min = m->value->kind == TY_MIN, is_signed = m->value->is_signed;
	u8 worse = is_min ? (is_signed ? BPF_JSGE : BPF_JGE) : (is_signed ? BPF_JSLE : BPF_JLE);
	u32 unset, first, no_better;

	if (m->n_slots > 1)
		PUT(c, I_CALL(BPF_FUNC_get_smp_processor_id),
		    I_ALUI(BPF_AND, BPF_REG_0, (s32)m->n_slots - 1),
		    I_ALUI(BPF_MUL, BPF_REG_0, (s32)m->slot_size),
		    I_RAW(BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_7, BPF_REG_0, 0, 0),
		    I_RAW(BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_8, BPF_REG_0, 0, 0));
	PUT(c, I_LDX(BPF_DW, BPF_REG_1, BPF_REG_7, 8));
	unset = put_jump(c, BPF_JEQ, BPF_REG_1, 0);
	PUT(c, I_LDX(BPF_DW, BPF_REG_2, BPF_REG_7, 0), I_LDX(BPF_DW, BPF_REG_3, BPF_REG_8, 8));
	first = put_jump(c, BPF_JEQ, BPF_REG_3, 0);
	PUT(c, I_LDX(BPF_DW, BPF_REG_4, BPF_REG_8, 0),
	    I_RAW(BPF_JMP | worse | BPF_X, BPF_REG_2, BPF_REG_4, 0, 0));
	no_better = c->n - 1;
	land(c, first);
	PUT(c, I_STX(BPF_DW, BPF_REG_8, BPF_REG_2, 0), I_ST(BPF_DW, BPF_REG_8, 8, 1));
	land(c, no_better);
	land(c, unset);
}

static void put_replacement(struct code *c, int map_fd, u32 room)
{
	u32 keeps;

	PUT(c, I_LDX(BPF_DW, BPF_REG_1, BPF_REG_6, (s16)(2 * room)),
	    I_ALUI(BPF_AND, BPF_REG_1, CONTROL_REPLACE));
	keeps = put_jump(c, BPF_JEQ, BPF_REG_1, 0);
	PUT(c, I_LD_MAP(BPF_REG_1, map_fd), I_MOV(BPF_REG_2, BPF_REG_6),
	    I_ALUI(BPF_ADD, BPF_REG_2, (s32)room), I_MOV(BPF_REG_3, BPF_REG_7),
	    I_MOVI(BPF_REG_4, BPF_ANY), I_CALL(BPF_FUNC_map_update_elem));
	land(c, keeps);
}

/* Others, such as tseries, stay separate if both keys have a value. */
static bool merges(const struct map_desc *m)
{
	return is_added(m) || is_least_or_most(m) || !type_is_agg(m->value);
}

static void put_merge(struct code *c, const struct map_desc *m, int map_fd, u32 room)
{
	if (is_added(m))
		put_sum(c, m);
	else if (is_least_or_most(m))
		put_least_or_most(c, m);
	else
		put_replacement(c, map_fd, room);
}

static void put_lookup(struct code *c, int map_fd, u32 key_at)
{
	PUT(c, I_LD_MAP(BPF_REG_1, map_fd), I_MOV(BPF_REG_2, BPF_REG_6),
	    I_ALUI(BPF_ADD, BPF_REG_2, (s32)key_at), I_CALL(BPF_FUNC_map_lookup_elem));
}

/* Creates the second key with the value at r7. */
static void put_copy(struct code *c, const struct map_desc *m, int map_fd, u32 room)
{
	u32 made;

	PUT(c, I_LD_MAP(BPF_REG_1, map_fd), I_MOV(BPF_REG_2, BPF_REG_6),
	    I_ALUI(BPF_ADD, BPF_REG_2, (s32)room), I_MOV(BPF_REG_3, BPF_REG_7),
	    I_MOVI(BPF_REG_4, BPF_NOEXIST), I_CALL(BPF_FUNC_map_update_elem));
	made = put_jump(c, BPF_JEQ, BPF_REG_0, 0);
	put_return(c, MOVE_FULL);
	land(c, made);
	if (is_per_cpu_map(m)) /* the copy of this processor has moved */
		for (u32 at = 0; at < m->value_size; at += 8)
			PUT(c, I_ST(BPF_DW, BPF_REG_7, (s16)at, 0));
}

static void put_if_last(struct code *c, u32 room)
{
	u32 removes;

	PUT(c, I_LDX(BPF_DW, BPF_REG_1, BPF_REG_6, (s16)(2 * room)),
	    I_ALUI(BPF_AND, BPF_REG_1, CONTROL_DELETE));
	removes = put_jump(c, BPF_JNE, BPF_REG_1, 0);
	put_return(c, MOVE_DONE);
	land(c, removes);
}

static void put_program(struct code *c, const struct map_desc *m, int map_fd, int args_fd, u32 room)
{
	u32 found, have, copied;

	PUT(c, I_LD_VALUE(BPF_REG_6, args_fd, 0), I_MOVI(BPF_REG_9, MOVE_MADE));
	put_lookup(c, map_fd, 0);
	found = put_jump(c, BPF_JNE, BPF_REG_0, 0);
	put_return(c, MOVE_ABSENT);
	land(c, found);
	PUT(c, I_MOV(BPF_REG_7, BPF_REG_0));
	put_lookup(c, map_fd, room);
	have = put_jump(c, BPF_JNE, BPF_REG_0, 0);
	put_copy(c, m, map_fd, room);
	copied = put_jump(c, BPF_JA, 0, 0);
	land(c, have);
	PUT(c, I_MOV(BPF_REG_8, BPF_REG_0), I_MOVI(BPF_REG_9, MOVE_DONE));
	if (!merges(m)) {
		put_return(c, MOVE_NOT);
		land(c, copied);
	} else if (is_per_cpu_map(m)) {
		put_merge(c, m, map_fd, room);
		land(c, copied);
		put_if_last(c, room);
	} else {
		put_merge(c, m, map_fd, room);
		put_if_last(c, room);
		land(c, copied);
	}
	PUT(c, I_LD_MAP(BPF_REG_1, map_fd), I_MOV(BPF_REG_2, BPF_REG_6),
	    I_CALL(BPF_FUNC_map_delete_elem), I_MOV(BPF_REG_0, BPF_REG_9), I_EXIT());
}

static bool can_move(const struct map_desc *m)
{
	bool is_hash = m->bpf_type == BPF_MAP_TYPE_HASH || m->bpf_type == BPF_MAP_TYPE_LRU_HASH;

	return m->role == MAP_USER && m->key && type_has_user_stack(m->key) &&
	       m->value_size <= MOST_WORDS / 2 * 8 && (is_hash || (is_per_cpu_map(m) && merges(m)));
}

static void load_mover(const struct kernel *k, u32 map, struct mover *v)
{
	const struct map_desc *m = &k->prog->maps.v[map];
	struct code c = { .insns = xcalloc(MOST_INSNS, sizeof *c.insns) };

	v->key_room = ALIGN_UP(m->key_size, 8u);
	v->per_cpu = is_per_cpu_map(m) || is_least_or_most(m);
	v->copies_all = !is_per_cpu_map(m);
	v->args_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "move_args", 4, 2 * v->key_room + 8, 1, 0);
	if (v->args_fd >= 0) {
		put_program(&c, m, k->map_fd[map], v->args_fd, v->key_room);
		v->prog_fd =
			bpf_prog_load(&(struct bpf_load){ .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
							  .insns = c.insns,
							  .n_insns = c.n,
							  .license = "GPL",
							  .name = "move" });
	}
	free(c.insns);
}

void movers_load(struct kernel *k)
{
	if (program_map_of(k->prog, MAP_UNWIND) == NO_INDEX)
		return;
	k->movers = arena_array(&k->arena, struct mover, k->prog->maps.n);
	for (u32 i = 0; i < k->prog->maps.n; i++) {
		k->movers[i] = (struct mover){ .prog_fd = -1, .args_fd = -1 };
		if (can_move(&k->prog->maps.v[i]))
			load_mover(k, i, &k->movers[i]);
	}
	k->n_movers = k->prog->maps.n;
}

void movers_release(struct kernel *k)
{
	for (u32 i = 0; i < k->n_movers; i++) {
		if (k->movers[i].prog_fd >= 0)
			close(k->movers[i].prog_fd);
		if (k->movers[i].args_fd >= 0)
			close(k->movers[i].args_fd);
	}
	k->n_movers = 0;
}

static int run_once(const struct mover *v, const u8 *args, s32 cpu)
{
	static const int error[] = { [MOVE_DONE] = 0,
				     [MOVE_MADE] = 1,
				     [MOVE_ABSENT] = -ENOENT,
				     [MOVE_FULL] = -ENOSPC,
				     [MOVE_NOT] = -EOPNOTSUPP };
	u32 zero = 0, ret = MOVE_NOT;

	if (bpf_map_update(v->args_fd, &zero, args, BPF_ANY) < 0 ||
	    (cpu < 0 ? bpf_prog_run(v->prog_fd, NULL, 0, &ret) :
		       bpf_prog_run_on(v->prog_fd, (u32)cpu, &ret)) < 0)
		return -errno;
	return ret < ARRAY_SIZE(error) ? error[ret] : -EINVAL;
}

/* The last processor's run removes the first key; if one cannot run, the key stays. */
static int run_on_each(const struct mover *v, u8 *args, u64 *control)
{
	u32 cpu[MOST_CPUS], n = MIN(cpus_online(cpu, MOST_CPUS), (u32)MOST_CPUS);
	int ret = -ENOENT;

	if (n < cpus_possible())
		return -EOPNOTSUPP;
	for (u32 i = 0; i < n; i++) {
		*control = i + 1 == n ? CONTROL_DELETE : 0;
		ret = run_once(v, args, (s32)cpu[i]);
		if (ret < 0 || (ret && v->copies_all))
			return ret;
	}
	return ret;
}

int kernel_map_move(struct kernel *k, u32 map, const void *from, const void *to, bool replace)
{
	const struct mover *v = map < k->n_movers ? &k->movers[map] : NULL;
	u32 key_size = k->prog->maps.v[map].key_size;
	u64 *args;
	u8 *bytes;
	int ret;

	if (!v || v->prog_fd < 0)
		return -EOPNOTSUPP;
	args = xcalloc(2 * v->key_room + 8, 1);
	bytes = (u8 *)args;
	memcpy(bytes, from, key_size);
	memcpy(bytes + v->key_room, to, key_size);
	args[v->key_room / 4] = CONTROL_DELETE | (replace ? CONTROL_REPLACE : 0);
	ret = v->per_cpu ? run_on_each(v, bytes, &args[v->key_room / 4]) : run_once(v, bytes, -1);
	free(args);
	return ret;
}
