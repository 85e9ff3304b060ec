# SPDX-License-Identifier: GPL-2.0-or-later
# For tests whose `run:` begins with `. ./lib.sh`: the workload. Its name, and so its comm, is this test's own:
# tools that look at events of other contexts (interrupts, the next thread) filter by it.
export BPFTRACE_SHOW_DEBUG_INFO=0 # stacks are the same with and without debug packages
C=tw$$ W=$TMP/tw$$
. "$TOP/tests/live/built.sh"
. "$TOP/tests/live/traced.sh"
built gcc -o "$W" -O1 -g -w -fno-omit-frame-pointer -pthread -D_GNU_SOURCE "$TOP/tests/live/tools/work.c" || exit 99
# On 7.x a busy guest skips events, of others as well, and the warning may be there: what was counted is compared.
# A slow guest may still be letting go of the tool before.
no_skips() { without_skips 'WARNING: the kernel skipped events, matching or not: ' | sed -u '/^sonde: the kernel is still removing /d'; }
# tool NAME 'workload' [options]: a tool on exactly that process tree
tool() { local name=$1 what=$2; shift 2; "$SONDE" run -q "$name" --follow -c "$W $what" "$@" 2>&1 | no_skips; }
# by_comm NAME 'workload' [options]: a tool that looks for the workload by its name
by_comm() { local name=$1 what=$2; shift 2; "$SONDE" run -q "$name" --comm "$C" -c "$W $what" "$@" 2>&1 | no_skips; }
# plain: what varies has a name; columns are one space apart
plain() {
	sed -E -e "s,$TMP,TMP,g; s,$C,work,g; s/tw\\.[A-Za-z0-9]{6}/FILE/g; s/ +/ /g; s/ $//" \
		-e 's/^[0-9]{2}:[0-9]{2}:[0-9]{2}/TIME/; s/^(TIME )?[0-9]+ ([0-9]+ )?([^0-9])/\1PID \3/' \
		-e "s/\\b[0-9]+\\.[0-9]{3}\\b/MS/g; s/\\b$P\\b/PORT/g; s/(127\\.0\\.0\\.1|::1) [0-9]{4,5}/\\1 OTHER/g"
}
# totals: histograms as the number of their values
totals() {
	awk '/^@/ { name = $0 } match($0, /[])] +[0-9]+ \|/) { n[name] += substr($0, RSTART + 1) } END { for (k in n) print k, n[k] }' | sort
}
# a port that is nobody else's
P=$((20000 + $$ % 12000))
[ -z "$SONDE_VM" ] || ip link set lo up
# portable: what lies below main() is libc's own, with symbols or without; system calls' functions without the processor
portable() {
	sed -E -e '/^ (_start|__libc_start_[a-z_]+(@+GLIBC[_.0-9]+)?|0x[0-9a-f]+)$/d' -e 's/__(x64|arm64)_sys_/sys_/' \
		-e 's/;((_start|__libc_start_[a-z_]+(@+GLIBC[_.0-9]+)?|0x[0-9a-f]+|\[[^];]*\]);)+main;/;main;/'
}
