/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engines: NAME is struct engine engine_NAME in engine/NAME. */
E(kernel)
E(interpreter)
E(replay)
E(process)
E(perf)
