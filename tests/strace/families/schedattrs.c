/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct sched_attr of all lengths, also where memory ends within it. */
#include "calls.h"

struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
	uint32_t util_min, util_max;
	uint64_t more[8];
};

static void set(struct attr *a, unsigned size, uint64_t flags, unsigned policy)
{
	memset(a, 0, size > sizeof(*a) ? sizeof(*a) : size);
	a->size = size;
	if (size && size < 48)
		return; /* refused, and the size that the kernel wants is stored */
	*a = (struct attr){
		.size = size, .policy = policy, .flags = flags, .nice = -(int)size, .runtime = size
	};
	syscall(SYS_sched_setattr, 0, a, 0);
}

int main(void)
{
	static const unsigned sizes[] = { 0, 48, 49, 52, 56 },
			      asked[] = { 0, 8, 40, 47, 48, 49, 55, 56, 57, 64, 4096, 5000 };
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct attr a = { 0 };

	mprotect(page + 4096, 4096, PROT_NONE);
	for (unsigned i = 0; i < NELEM(asked); i++)
		syscall(SYS_sched_getattr, 0, &a, asked[i], 0);
	for (unsigned i = 0; i < NELEM(sizes); i++)
		for (unsigned policy = 0; policy < 7; policy++)
			for (uint64_t flags = 0; flags < 0x80; flags = flags * 2 + 1)
				set(&a, sizes[i], flags, policy);
	set(&a, 48, 0, 99);
	set(&a, 56, ~0ull, 0x80000000);
	set((struct attr *)(page + 4096 - sizeof(a)), 56, 0, 0);
	*(uint32_t *)(page + 4096 - 48) = 56;
	syscall(SYS_sched_setattr, 0, page + 4096 - 48, 0);
	*(uint32_t *)(page + 4096 - 48) = 48;
	syscall(SYS_sched_setattr, 0, page + 4096 - 48, 0);
	syscall(SYS_sched_getattr, 0, page + 4096 - 50, 50, 0);
	syscall(SYS_sched_setattr, 0, NULL, 0);
	syscall(SYS_sched_setattr, 0, BAD, 0);
	syscall(SYS_sched_getattr, 0, BAD, 48, 0);
	return 0;
}
