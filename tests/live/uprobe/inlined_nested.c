/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions inlined into each other: their first instruction is one and the same, or is left to the caller. */
#include <stdlib.h>
#include <string.h>

struct node {
	struct node *next;
	int key;
	char name[16];
};

static struct node *table[64];

static inline unsigned hash(const char *s, int n)
{
	unsigned h = 5381;

	for (int i = 0; i < n; i++)
		h = h * 33 + s[i];
	return h;
}

static struct node *find(const char *s, int len)
{
	for (struct node *n = table[hash(s, len) % 64]; n; n = n->next)
		if (n->key == len && !memcmp(n->name, s, len))
			return n;
	return NULL;
}

static int insert(const char *text, int size)
{
	struct node *n = find(text, size);

	if (n)
		return 0;
	n = malloc(sizeof *n);
	n->key = size;
	memcpy(n->name, text, size);
	n->next = table[hash(text, size) % 64];
	table[hash(text, size) % 64] = n;
	return 1;
}

__attribute__((noinline)) int work(int argc, char **argv)
{
	int t = 0;

	for (int i = 0; i < argc; i++)
		t += insert(argv[i], strlen(argv[i]) & 15);
	return t;
}

int main(void)
{
	char *words[] = { "a", "bb", "ccc", "bb" };

	return work(4, words) != 3;
}
