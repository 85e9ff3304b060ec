/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and texts of Linux's error numbers and signals, equal in every build (C libraries
 * differ). */
#ifndef SONDE_BASE_OS_NAMES_H
#define SONDE_BASE_OS_NAMES_H

#include "base/base.h"

/* "ENOENT", or NULL if no error has this number. */
const char *os_error_name(u32 number);
/* "No such file or directory", or NULL. */
const char *os_error_text(u32 number);
/* "HUP", or NULL; real-time signals have none. */
const char *os_signal_name(u32 number);
/* "Hangup", "Real-time signal 0" (34), "Unknown signal 32"; NULL above 64. Valid until the next
 * call. */
const char *os_signal_text(u32 number);

#endif
