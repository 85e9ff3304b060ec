/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * untouched FILE: strings and a number in pages that this process has mapped and not touched. Each
 * page is a mapping of its own, because a fault maps what lies around in the same one.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 65536, PAGES = 4 }; /* the largest that machines have: smaller ones divide it */
struct numbers {
	long first, second;
};

__attribute__((noinline)) long take(const char *a, const char *b, const struct numbers *n)
{
	__asm__ volatile("" ::: "memory");
	return a && b && n;
}

static void map_again(char *at, int fd)
{
	for (int i = 0; i < PAGES; i++)
		mmap(at + i * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, (PAGES - 1 - i) * PAGE);
}

int main(int argc, char **argv)
{
	static char page[PAGES][PAGE];
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *m = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	strcpy(page[0], "begins a page");
	strcpy(page[0] + PAGE - 4, "end"); /* the NUL is the page's last byte */
	strcpy(page[1] + 8, "in the middle");
	memcpy(page[1] + PAGE - 7, "across ", 7);
	strcpy(page[2], "two pages");
	memcpy(page[3], &(struct numbers){ 42, -1 }, sizeof(struct numbers));
	for (int i = PAGES - 1; i >= 0; i--) /* backward, so that no two are mapped as one */
		if (write(fd, page[i], PAGE) != PAGE)
			return 1;
	map_again(m, fd);
	take(m, m + PAGE + 8, (void *)(m + 3 * PAGE));
	map_again(m, fd);
	take(m + PAGE - 4, m + 2 * PAGE - 7, (void *)(m + 3 * PAGE));
	map_again(m, fd);
	take((char *)1, m + 2 * PAGE - 7, NULL);
	return 0;
}
