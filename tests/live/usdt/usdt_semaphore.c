/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A probe behind a semaphore: prints in how many of N turns it was on. */
#define _SDT_HAS_SEMAPHORES 1
#include <stdio.h>
#include <stdlib.h>
#include <sys/sdt.h>
#include <unistd.h>

unsigned short sem_tick_semaphore __attribute__((section(".probes")));

int main(int argc, char **argv)
{
	int on = 0;

	for (int i = 0; i < atoi(argv[1]); i++, usleep(10000))
		if (*(volatile unsigned short *)&sem_tick_semaphore) {
			on++;
			STAP_PROBE2(sem, tick, i, on);
		}
	printf("on %d\n", on);
	return 0;
}
