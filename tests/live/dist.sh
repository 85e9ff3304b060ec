# SPDX-License-Identifier: GPL-2.0-or-later
# The scripts of Debian's bpftrace package on this kernel, over one process tree: dist SCRIPT WORKLOAD
# (tests/vm/live/dist compares them with bpftrace itself).
dist() {
	echo "$2" >$TMP/workload
	"$SONDE" -q --follow -c "bash $TMP/workload" "$(dpkg -L bpftrace | grep "/$1\.bt$")" 2>/dev/null
}
untimed() { sed -E 's/^[0-9]{2}:[0-9]{2}:[0-9]{2} *//'; }
