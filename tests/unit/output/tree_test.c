/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stack-keyed maps as a table by function and a call tree; all else as text. */
#include "output/fixture.h"

static void tree(void)
{
	const struct type *k = type_stack(&fx, TY_KSTACK, STACK_MODE_SONDE, 127),
			  *u = type_stack(&fx, TY_USTACK, STACK_MODE_SONDE, 127),
			  *root = type_tuple(&fx, (const struct type *[]){ &ty_comm, &ty_u64 }, 2),
			  *all = type_tuple(&fx, (const struct type *[]){ k, u, root }, 3);
	struct {
		struct stack_value k, u;
		char comm[16];
		u64 pid;
	} deep = { { 1, 0, 2 }, { 2, 42, 2 }, "cat", 42 }, flat = deep, other = deep;
	struct table *t = fx_table("@us", all, &ty_count);

	flat.k.n = 0;
	fx_row(t, &deep, &(u64){ 30 });
	fx_row(t, &flat, &(u64){ 10 });
	is_str(fx_show(t),
	       "@us: 40 in 2 stacks\n"
	       "\n"
	       "        SELF      %       TOTAL      %  FUNCTION\n"
	       "          30   75.0          30   75.0  vfs_read (kernel)\n"
	       "          10   25.0          40  100.0  main (cat)\n"
	       "           0    0.0          40  100.0  read;line (cat)\n"
	       "           0    0.0          30   75.0  do_sys_open (kernel)\n"
	       "\n"
	       "100.0%  cat 42\n"
	       "100.0%  read;line (cat)\n"
	       "100.0%  main (cat)\n"
	       " 75.0%  do_sys_open (kernel)\n"
	       " 75.0%  vfs_read (kernel)\n",
	       "a table by function and a tree");
	other.u = (struct stack_value){ 3, 42, 1 };
	other.k.n = 0;
	fx_row(t, &other, &(u64){ 40 });
	is_str(strstr(fx_show(t), "100.0%  cat"),
	       "100.0%  cat 42\n"
	       "-  50.0%  read;line (cat)\n"
	       "   50.0%  main (cat)\n"
	       "   37.5%  do_sys_open (kernel)\n"
	       "   37.5%  vfs_read (kernel)\n"
	       "-  50.0%  0x10\n",
	       "callees that are several have marks");
}

static void the_rest(void)
{
	struct table *t = fx_table("@x", &ty_s64, &ty_count);

	fx_row_s64(t, 1, 2);
	is_str(fx_show(t), "@x[1]: 2\n", "maps without stacks are text");
	is_str(fx_value(&ty_s64, &(s64){ 5 }), "5\n", "values are text");
	fx_sink.output->end(&fx_sink);
	is_str(fx_take(), "", "no blank lines at the end");
}

int main(void)
{
	fx_open("tree");
	tree();
	the_rest();
	fx_close();
	return done();
}
