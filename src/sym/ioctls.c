/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: the packed table of names. Out: the names of one architecture, and the requests that stand
 * for many numbers.
 */
#include <stdlib.h>
#include "base/hash.h"
#include "base/packed.h"
#include "sym/ioctls.h"

extern const struct packed_data ioctl_texts;

enum { LEAST_REQUESTS = 4096, READ = 1 << 2, WRITE = 1 << 1, BOTH = 1 << 3 };

static int by_number(const void *a, const void *b)
{
	const struct call_name *x = a, *y = b;

	return x->value != y->value ? (x->value > y->value) - (x->value < y->value) :
				      strcmp(x->name, y->name);
}

/* Rows are the name, the number in hex, and that in 32-bit programs, which is empty if there are
 * none. */
struct row {
	const char *name;
	u32 number[2]; /* [1]: in 32-bit programs; 0: none */
};

static const struct row *next_row(const char **at, struct row *row)
{
	static const char *texts;

	if (!texts)
		texts = unpack(&ioctl_texts);
	*at = *at ? *at : texts;
	if (!**at)
		return NULL;
	row->name = *at;
	*at += strlen(*at) + 1;
	for (u32 i = 0; i < 2; i++) {
		row->number[i] = (u32)strtoul(*at, NULL, 16);
		*at += strlen(*at) + 1;
	}
	return row;
}

bool ioctl_find(const char *name, bool in_i386, s64 *number)
{
	static struct hash rows;
	static struct arena all;
	const char *at = NULL;
	const struct row *found;
	struct row row;

	if (!rows.n)
		while (next_row(&at, &row))
			hash_puts(&rows, row.name, arena_dup(&all, &row, sizeof row));
	found = hash_gets(&rows, name);
	if (found)
		*number = found->number[in_i386];
	return found;
}

u32 ioctl_names(struct arena *a, bool in_i386, struct call_name **names)
{
	VEC(struct call_name) found = { 0 };
	const char *at = NULL;
	struct row row;

	vec_reserve(a, &found, LEAST_REQUESTS);
	while (next_row(&at, &row))
		if (row.number[in_i386])
			vec_push(a, &found,
				 (struct call_name){ .name = row.name,
						     .value = row.number[in_i386] });
	qsort(found.v, found.n, sizeof found.v[0], by_number);
	*names = found.v;
	return found.n;
}

/* linux/input.h, hidraw.h, soundcard.h, uinput.h, joystick.h, spi/spidev.h */
const struct call_request *ioctl_requests(struct call_set *(*find)(const char *set))
{
	static struct call_request requests[] = {
		{ .type = 'E', .nr = 0x06, .in = READ, .name = "EVIOCGNAME", .has_size = true },
		{ .type = 'E', .nr = 0x07, .in = READ, .name = "EVIOCGPHYS", .has_size = true },
		{ .type = 'E', .nr = 0x08, .in = READ, .name = "EVIOCGUNIQ", .has_size = true },
		{ .type = 'E', .nr = 0x09, .in = READ, .name = "EVIOCGPROP", .has_size = true },
		{ .type = 'E', .nr = 0x0a, .in = READ, .name = "EVIOCGMTSLOTS", .has_size = true },
		{ .type = 'E', .nr = 0x18, .in = READ, .name = "EVIOCGKEY", .has_size = true },
		{ .type = 'E', .nr = 0x19, .in = READ, .name = "EVIOCGLED", .has_size = true },
		{ .type = 'E', .nr = 0x1a, .in = READ, .name = "EVIOCGSND", .has_size = true },
		{ .type = 'E', .nr = 0x1b, .in = READ, .name = "EVIOCGSW", .has_size = true },
		{ .type = 'E',
		  .nr = 0x20,
		  .more = 31,
		  .in = READ,
		  .name = "EVIOCGBIT",
		  .of_set = "input_event",
		  .has_size = true },
		{ .type = 'E',
		  .nr = 0x40,
		  .more = 63,
		  .in = READ,
		  .name = "EVIOCGABS",
		  .of_set = "input_abs" },
		{ .type = 'E',
		  .nr = 0xc0,
		  .more = 63,
		  .in = WRITE,
		  .name = "EVIOCSABS",
		  .of_set = "input_abs" },
		{ .type = 'H', .nr = 0x04, .in = READ, .name = "HIDIOCGRAWNAME", .has_size = true },
		{ .type = 'H', .nr = 0x05, .in = READ, .name = "HIDIOCGRAWPHYS", .has_size = true },
		{ .type = 'H',
		  .nr = 0x06,
		  .in = READ | BOTH,
		  .name = "HIDIOCSFEATURE",
		  .has_size = true },
		{ .type = 'H', .nr = 0x07, .in = BOTH, .name = "HIDIOCGFEATURE", .has_size = true },
		{ .type = 'H', .nr = 0x08, .in = READ, .name = "HIDIOCGRAWUNIQ", .has_size = true },
		{ .type = 'H', .nr = 0x12, .in = READ, .name = "HIDIOCGPHYS", .has_size = true },
		{ .type = 'M', .nr = 0, .more = 255, .in = READ, .name = "MIXER_READ" },
		{ .type = 'M', .nr = 0, .more = 255, .in = WRITE, .name = "MIXER_WRITE" },
		{ .type = 'U', .nr = 0x2c, .in = READ, .name = "UI_GET_SYSNAME", .has_size = true },
		{ .type = 'j', .nr = 0x13, .in = READ, .name = "JSIOCGNAME", .has_size = true },
		{ .type = 'k',
		  .nr = 0x00,
		  .in = WRITE,
		  .name = "SPI_IOC_MESSAGE",
		  .has_size = true },
		{ 0 }
	};

	for (u32 i = 0; requests[i].name; i++)
		requests[i].of = requests[i].of_set ? find(requests[i].of_set) : NULL;
	return requests;
}
