/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the names of LTTng's kernel tracer to those of the kernel: the other direction of
 * export/ctf_event.c. */
#ifndef SONDE_IMPORT_CTF_NAMES_H
#define SONDE_IMPORT_CTF_NAMES_H

#include "import/ctf_line.h"

/* "syscall_entry_openat" is system "syscalls", event "sys_enter_openat"; "provider:event" of
 * programs is itself. */
void ctf_event_names(struct arena *a, const char *name, const char **system, const char **event);
/* "prev_tid" is prev_pid; beside it, LTTng's own prev_pid is a process: prev_tgid. */
const char *ctf_field_name(struct arena *a, const char *system, const struct ctf_values *fields,
			   const char *name);

#endif
