/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The title of this process in process lists. */
#ifndef SONDE_BASE_TITLE_H
#define SONDE_BASE_TITLE_H

/*
 * name: for /proc/PID/comm, cut to 15 characters. text: for /proc/PID/cmdline, cut to the space
 * that the arguments had at program start. Makes system calls only.
 */
void title_set(const char *name, const char *text);

#endif
