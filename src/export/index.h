/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats of other tools: X(NAME) is export/NAME.c and struct exporter export_NAME. */
X(perf)
X(chrome)
X(perfetto)
X(ctf)
X(trace_dat)
X(ftrace)
X(folded)
X(html)
