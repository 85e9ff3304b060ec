/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides which functions of a program run in the process, among those that can. */
#ifndef SONDE_ENGINE_PROCESS_TOGETHER_H
#define SONDE_ENGINE_PROCESS_TOGETHER_H

#include "type/program.h"

/* is_event: by function: it runs at sites in the process. runs: it can run there; becomes: it
 * does. */
void together_decide(const struct program *prog, const bool *is_event, bool *runs);
/* Whether it shares a map of the script with another one. */
bool together_with_others(const struct program *prog, const bool *is_event, u32 func);

#endif
