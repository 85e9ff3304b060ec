/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a probe in a program or library is. The process maps the file at an address of its own: a
 * probe's address minus its address in the file tells where.
 *
 * At a return the registers are the caller's. bpf_get_func_ip() knows the function since Linux 6.6,
 * as the multi link does. Before, kernel/trace/trace_uprobe.c keeps what it tells fetch functions:
 *
 *	current->utask->vaddr	-> struct uprobe_dispatch_data { tu; unsigned long bp_addr; }
 */
#include "builtin/builtin.h"
#include "builtin/site.h"
#include "builtin/user_site.h"

enum { BP_ADDR = 8 };

static bool member(const struct env *env, const char *type, const char *name, u32 *offset)
{
	const struct world *w = &env->world;
	const struct type *t = w->type ? w->type(w->ctx, 's', type) : NULL;

	return t && type_field(t, name, offset);
}

static bool find_dispatch_data(const struct env *env, u32 *utask, u32 *vaddr)
{
	return member(env, "task_struct", "utask", utask) &&
	       member(env, "uprobe_task", "vaddr", vaddr);
}

static bool kernel_tells(struct features *f)
{
	return feature_has(f, FEAT_UPROBE_MULTI);
}

static struct arg_desc *pointer_register(const struct profile *p)
{
	struct arg_desc *ip = arg_find(&p->regs.list, "ip");

	return ip ? ip : arg_find(&p->regs.list, "pc");
}

bool user_site_has_ip(const struct check *c)
{
	const struct profile *p = c->inst->profile;
	u32 utask, vaddr;

	if (!p->func.is_return)
		return pointer_register(p) != NULL;
	return kernel_tells(c->env->features) || find_dispatch_data(c->env, &utask, &vaddr);
}

static struct opnd word_at(struct lower *l, struct opnd address, u32 offset)
{
	return lower_read_scalar(l, &ty_u64, ir_op2(l, IR_ADD, address, o_imm(offset)),
				 SPACE_KERNEL);
}

static struct opnd function_at_return(struct lower *l)
{
	u32 utask, vaddr;
	struct opnd task;

	if (kernel_tells(l->features))
		return ir_call(l, BPF_FUNC_get_func_ip, true, 1, lower_ctx(l, 0));
	if (!find_dispatch_data(l->env, &utask, &vaddr))
		return o_imm(0);
	task = ir_call(l, BPF_FUNC_get_current_task, true, 0);
	return word_at(l, word_at(l, word_at(l, task, utask), vaddr), BP_ADDR);
}

struct opnd user_site_ip(struct lower *l)
{
	struct arg_desc *ip = pointer_register(l->profile);

	if (l->profile->func.is_return)
		return function_at_return(l);
	return ip ? lower_loc(l, ip).o : o_imm(0);
}

static u64 word_of(const struct site_name *n, u32 word)
{
	const u64 words[PLACE_WORDS] = {
		[PLACE_DISTANCE] = n->distance, [PLACE_SPAN] = n->span, [PLACE_ADDRESS] = n->address
	};

	return words[word];
}

static const u64 *place_table(struct lower *l, u32 room)
{
	const struct program *p = l->prog;
	u64 *table = arena_array(l->arena, u64, room * PLACE_WORDS);

	for (u32 i = 0; i < p->sites.n; i++)
		for (u32 j = 0; j < PLACE_WORDS; j++)
			table[PLACE_WORDS * i + j] = word_of(&p->sites.v[i], j);
	return table;
}

/* The address of the site's row. */
static struct opnd row_by_cookie(struct lower *l)
{
	struct program *p = l->prog;
	u32 room = site_rows(l);
	struct opnd at;

	if (p->place_room != room) {
		p->place_table = lower_data(l, room * PLACE_WORDS * 8, place_table(l, room));
		p->place_room = room;
	}
	at = ir_op2(l, IR_AND, lower_site(l), o_imm(room - 1));
	return ir_op2(l, IR_ADD, ir_addr(l, o_data(p->data_map, p->place_table)),
		      ir_op2(l, IR_MUL, at, o_imm(PLACE_WORDS * 8)));
}

struct opnd user_site_word(struct lower *l, u32 word)
{
	const struct profile_site *site = &l->profile->site;

	if (!site->from_cookie)
		return o_imm((s64)word_of(&l->prog->sites.v[site->index], word));
	return ir_load(l, ir_op2(l, IR_ADD, row_by_cookie(l), o_imm(word * 8)), 8, false);
}
