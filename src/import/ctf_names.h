/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the names and values of LTTng's kernel tracer to those of the kernel: the other direction of
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
/* The value of the field NAME of "sched:sched_switch" as the kernel has it. is_own: an export of
 * sonde. */
const struct ctf_value *ctf_kernel_value(struct arena *a, const struct ctf_value *v,
					 const char *event, const char *name, bool is_own);

#endif
