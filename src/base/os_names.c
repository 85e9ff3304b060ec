/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and texts of error numbers and signals. */
#include <stdio.h>

#include "base/os_names.h"

enum { LAST_ERROR = 133, FIRST_REAL_TIME = 34, LAST_SIGNAL = 64 };

struct name {
	const char *name, *text;
};

#define SIGNAL(number, name, text)
#define ERROR(number, name, text) [number] = { name, text },
static const struct name errors[LAST_ERROR + 1] = {
#include "base/os_names.def"
};
#undef ERROR
#undef SIGNAL

#define ERROR(number, name, text)
#define SIGNAL(number, name, text) [number] = { name, text },
static const struct name signals[FIRST_REAL_TIME] = {
#include "base/os_names.def"
};
#undef ERROR
#undef SIGNAL

/* The text of a number that has no row; valid until the next call. */
static const char *numbered(const char *what, u32 number)
{
	static char text[40];

	snprintf(text, sizeof text, "%s %u", what, number);
	return text;
}

const char *os_error_name(u32 number)
{
	return number <= LAST_ERROR ? errors[number].name : NULL;
}

const char *os_error_text(u32 number)
{
	return number <= LAST_ERROR ? errors[number].text : NULL;
}

const char *os_signal_name(u32 number)
{
	return number < FIRST_REAL_TIME ? signals[number].name : NULL;
}

const char *os_signal_text(u32 number)
{
	if (number > LAST_SIGNAL)
		return NULL;
	if (number >= FIRST_REAL_TIME)
		return numbered("Real-time signal", number - FIRST_REAL_TIME);
	return signals[number].text ? signals[number].text : numbered("Unknown signal", number);
}
