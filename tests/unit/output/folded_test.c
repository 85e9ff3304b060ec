/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stack-keyed maps as folded lines, all else as text; and the list of outputs. */
#include "output/fixture.h"

static void folding(void)
{
	const struct type *k = type_stack(&fx, TY_KSTACK, STACK_MODE_SONDE, 127),
			  *u = type_stack(&fx, TY_USTACK, STACK_MODE_SONDE, 127), *all;
	struct {
		struct stack_value k, u;
		char comm[16];
	} key = { { 1, 0, 2 }, { 2, 42, 2 }, "my;cat" };
	struct table *t = fx_table("@", k, &ty_count);

	fx_row(t, &(struct stack_value){ 1, 0, 2 }, &(u64){ 3 });
	fx_row(t, &(struct stack_value){ 0, 0, 0 }, &(u64){ 2 });
	fx_row(t, &(struct stack_value){ 3, 0, 1 }, &(u64){ 1 });
	is_str(fx_show(t), "0x10 1\n[user mode] 2\ndo_sys_open;vfs_read 3\n", "outermost first");

	all = type_tuple(&fx, (const struct type *[]){ k, u, &ty_comm }, 3);
	t = fx_table("@", all, type_agg(&fx, TY_SUM, true));
	fx_row(t, &key, &(struct agg_sum){ -40, 2 });
	is_str(fx_show(t), "my:cat;read:line;main;do_sys_open;vfs_read -40\n",
	       "words, user frames, kernel frames");
	t->div = 10;
	is_str(fx_show(t), "my:cat;read:line;main;do_sys_open;vfs_read -4\n", "divided");
}

/* A stack and, in a tuple, the one of the thread that woke it up. */
static void two_stacks(void)
{
	const struct type *k = type_stack(&fx, TY_KSTACK, STACK_MODE_SONDE, 127),
			  *u = type_stack(&fx, TY_USTACK, STACK_MODE_SONDE, 127),
			  *waker = type_tuple(&fx, (const struct type *[]){ &ty_comm, u, k }, 3),
			  *root = fx_tuple2(&ty_comm, &ty_u64),
			  *all = type_tuple(&fx, (const struct type *[]){ root, waker, u }, 3);
	struct {
		char comm[16];
		u64 pid;
		char waker[16];
		struct stack_value waker_u, waker_k, u;
	} key = { "cat", 42, "sh", { 2, 42, 2 }, { 1, 0, 2 }, { 2, 42, 2 } };
	struct table *t = fx_table("@", all, &ty_count);

	fx_row(t, &key, &(u64){ 3 });
	is_str(fx_show(t), "cat 42;read:line;main;vfs_read;do_sys_open;main;read:line;sh 3\n",
	       "a tuple with a stack follows in reverse");
}

static void the_rest(void)
{
	struct table *t = fx_table("@x", &ty_s64, &ty_count);

	fx_row_s64(t, 1, 2);
	is_str(fx_show(t), "@x[1]: 2\n", "maps without stacks are text");
	is_str(fx_value(&ty_s64, &(s64){ 5 }), "5\n", "values are text");
	fx_sink.output->end(&fx_sink);
	is_str(fx_take(), "", "no blank lines at the end");
	is_str(FX_ERR(fx_sink.output->attached(&fx_sink, 3)), "Attached 3 probes\n", "attached");
	is_str(FX_ERR(fx_sink.output->message(&fx_sink, LEVEL_WARNF, fx_span, "m")),
	       "stdin:2:2-8: WARNING: m\n", "messages");
}

static void list(void)
{
	for (const struct output *const *o = outputs; *o; o++) {
		ok((*o)->name && (*o)->brief && (*o)->doc && (*o)->example, "%s is described",
		   (*o)->name);
		ok((*o)->attached && (*o)->text && (*o)->value && (*o)->table && (*o)->lost &&
			   (*o)->event && (*o)->message && (*o)->test && (*o)->tested &&
			   (*o)->bench && (*o)->end,
		   "%s has all hooks", (*o)->name);
		ok(output_find((*o)->name) == *o, "%s is found", (*o)->name);
	}
	ok(!output_find("jsonx"), "no output jsonx");
}

int main(void)
{
	fx_open("folded");
	folding();
	two_stacks();
	the_rest();
	list();
	fx_close();
	return done();
}
