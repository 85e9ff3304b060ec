/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engines: NAME is struct engine engine_NAME in engine/NAME. E: chosen by --engine=NAME;
 * E_BY_OPTION: by an option of its own (--vm, --from).
 */
#ifndef E_BY_OPTION
#define E_BY_OPTION(name)
#endif
E(kernel)
E_BY_OPTION(interpreter)
E_BY_OPTION(replay)
E(process)
E(perf)
#undef E_BY_OPTION
