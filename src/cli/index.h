/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands, in the order in which help shows them: NAME is struct command command_NAME. */
C(run)
C(top)
C(list)
C(info)
C(check)
C(audit)
C(build)
C(lsp)
C(fmt)
C(dtrace)
C(explain)
C(help)
