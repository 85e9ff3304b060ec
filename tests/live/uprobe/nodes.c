/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Five things that are made and freed again, the first two not: what a script on a constructor and a destructor sees. */
#include <stdlib.h>

struct node {
	int id;
	struct node *next;
};

__attribute__((noinline)) struct node *make(int id)
{
	struct node *n = calloc(1, sizeof(*n));

	n->id = id;
	return n;
}

__attribute__((noinline)) void drop(struct node *n)
{
	free(n);
}

int main(void)
{
	for (int id = 1; id <= 5; id++) {
		struct node *n = make(id);

		if (id > 2)
			drop(n);
	}
	return 0;
}
