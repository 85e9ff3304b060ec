/* SPDX-License-Identifier: GPL-2.0 */
/* Types with all that a C declaration can hold, as arguments of the test module's functions. */
#ifndef SONDE_TEST_TYPES_H
#define SONDE_TEST_TYPES_H

#include <linux/fs.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/types.h>

enum sonde_color { SONDE_RED, SONDE_GREEN, SONDE_BLUE = 7 };

struct sonde_level4 {
	long value;
	const char *name; /* a string of the kernel */
};

struct sonde_level3 {
	u8 pad;
	struct sonde_level4 four;
};

struct sonde_level2 {
	struct sonde_level3 *three;
};

struct sonde_point {
	int x, y;
};

struct sonde_range {
	long from, to;
};

struct sonde_big {
	long v[4];
};

union sonde_word {
	u64 whole;
	u32 half[2];
	struct {
		u8 low, second;
	};
};

struct sonde_object {
	int id;
	unsigned int low : 3;
	unsigned int middle : 13;
	signed int sign : 5;
	u64 wide : 40;
	union sonde_word word;
	struct { /* unnamed, and in it another one */
		int inner;
		union {
			int as_int;
			char as_bytes[4];
		};
	};
	enum sonde_color color;
	bool flag;
	char text[12];
	int matrix[2][3];
	struct sonde_point points[2];
	int (*call)(int x);
	struct sonde_level2 two;
	struct list_head link;
	dev_t dev;
	struct file *file;
	struct sonde_object *self;
	u16 n;
	u32 tail[]; /* n of them */
};

#endif
