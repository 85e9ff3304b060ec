/* SPDX-License-Identifier: MIT */
/* For sonde-command.in: a tracepoint with a semaphore; "wait": says when it is enabled, and no longer. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sonde/sonde.h>

SONDE_SEMAPHORE(cmd, costly);
static int calls;

static const char *costly(void)
{
	calls++;
	return "costly";
}

static int wait_until(int enabled)
{
	for (int i = 0; i < 3000 && SONDE_ENABLED(cmd, costly) != enabled; i++)
		usleep(10000);
	return SONDE_ENABLED(cmd, costly) == enabled;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "wait") == 0) {
		printf("%s\n", wait_until(1) ? "enabled" : "never enabled");
		fflush(stdout);
		SONDE_TP_IF_ENABLED(cmd, costly, costly(), 7);
		printf("%s\n", wait_until(0) ? "disabled" : "never disabled");
		return 0;
	}
	for (int i = 0; i < 3; i++) {
		SONDE_TP(cmd, plain, i, 1.5 * i);
		SONDE_TP_IF_ENABLED(cmd, costly, costly(), i);
	}
	printf("evaluated %d times\n", calls);
	return 0;
}
