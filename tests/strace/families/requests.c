/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of ioctl requests: each number of the table, and those with a size or a number in them, on no file. */
#include "calls.h"

#if defined(__x86_64__)
#define I(name, x86, i386, arm64) { #name, 0x##x86 },
#else
#define I(name, x86, i386, arm64) { #name, 0x##arm64 },
#endif

static const struct {
	const char *name;
	unsigned number;
} requests[] = {
#include "../../../src/sym/ioctls.def"
};

/* Requests that strace 6.1 does not know, and those whose numbers it explains in a way of its own. */
static int is_other(const char *name)
{
	static const char *const others[] = { "LP",
					      "SOUND_MIXER_WRITE_",
					      "SCSI_IOCTL_TAGGED_",
					      "SNDRV_SEQ_IOCTL_USER_PVERSION",
					      "KIOCSOUND",
					      "KDMKTONE",
					      "HDIO_SET_NICE" };

	for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return 1;
	return 0;
}

int main(void)
{
	static const unsigned sized[] = { 'E' << 8 | 0x06, 'E' << 8 | 0x20, 'E' << 8 | 0x31,
					  'E' << 8 | 0x6f, 'E' << 8 | 0xc1, 'H' << 8 | 0x04,
					  'H' << 8 | 0x06, 'H' << 8 | 0x07, 'M' << 8 | 0x77,
					  'M' << 8 | 0x08, 'U' << 8 | 0x2c, 'j' << 8 | 0x13,
					  'k' << 8 | 0x00, 'y' << 8 | 0x33 };
	void *bad = (void *)1;

	for (unsigned i = 0; i < sizeof requests / sizeof requests[0]; i++)
		if (requests[i].number && !is_other(requests[i].name))
			syscall(SYS_ioctl, -1, requests[i].number, bad);
	for (unsigned i = 0; i < sizeof sized / sizeof sized[0]; i++)
		for (unsigned direction = 0; direction < 4; direction++)
			for (unsigned size = 0; size < 80; size += 39)
				syscall(SYS_ioctl, -1, direction << 30 | size << 16 | sized[i],
					bad);
	return 0;
}
