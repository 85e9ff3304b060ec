/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process is called in lists of processes. */
#ifndef SONDE_BASE_TITLE_H
#define SONDE_BASE_TITLE_H

/* name: 15 characters of it in /proc/PID/comm. text: /proc/PID/cmdline, cut to the space that the arguments had when the
 * program started. Makes system calls only. */
void title_set(const char *name, const char *text);

#endif
