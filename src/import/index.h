/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The foreign files that are read: X(NAME) is import/NAME.c and struct importer import_NAME. */
X(perf)
X(trace_dat)
X(ftrace)
X(ctf)
