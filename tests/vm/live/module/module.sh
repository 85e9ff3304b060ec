# SPDX-License-Identifier: GPL-2.0-or-later
# For tests whose `run:` begins with `. ./module.sh`: loads the test module (tests/vm/module), once for all.
. "$TOP/tests/live/traced.sh"
load() {
	[ -e /proc/sonde_test ] || busybox insmod "$SONDE_TEST_MODULE" 2>/dev/null
	for ((i = 0; i < 100; i++)); do # another test may be loading it
		[ ! -e /proc/sonde_test ] || return 0
		sleep 0.05
	done
	echo "the module is not loaded"
}
load
printf '#!/bin/sh\necho "$@" >/proc/sonde_test\n' >"$TMP/job"
chmod +x "$TMP/job"
# job 'JOB NUMBER TEXT' [sonde options]: traces exactly the process that asks the module for it
job() { local line=$1; shift; timeout 60 "$SONDE" -q --follow -c "$TMP/job $line" "$@" 2>&1 | grep -v '^$'; }
# no_pointers: addresses differ from boot to boot
no_pointers() { sed -E 's/0xfff[0-9a-f]{13}/PTR/g'; }
