# SPDX-License-Identifier: GPL-2.0-or-later
# alike SCRIPT [OPTION]...: runs it live and `sonde record SCRIPT` beside it on one run of script-load.sh, then the script over
# the recording. The lines must be the same (not the warnings: the machine of the recording may have limits), but for times and for where in a histogram a time falls.
export __BPFTRACE_NOTIFY_PROBES_ATTACHED=1
. "$TOP/tests/live/traced.sh"
plain() {
	grep -v -e PROBES_ATTACHED -e '^Attached ' -e '^$' -e 'the kernel is still removing' "$1" |
		sed 's/[0-9][0-9]:[0-9][0-9]:[0-9][0-9]/TIME/; s/[0-9]*\.[0-9]\{3\}/MS/g; s/^\[.*|.*|$/BUCKET/' | sort
}
alike() {
	local load live rec
	rm -f go ready live* record.out replay*; mkfifo go || exit 99
	exec 9<>go
	bash -c ": >ready; read x; . $TOP/tests/live/record/script-load.sh" <&9 >/dev/null 2>&1 & load=$!
	until [ -e ready ]; do sleep 0.01; done # what it opens itself is before both
	"$SONDE" run "$@" --follow -p $load >live 2>live.err & live=$!
	"$SONDE" record "$@" -p $load -o file >record.out 2>&1 & rec=$!
	attached live live.err; attached record.out
	echo >&9; wait $load; wait $live $rec
	"$SONDE" run "$@" --from file >replay 2>replay.err
	plain live | uniq >a; plain replay | uniq >b
	if cmp -s a b && [ "$(wc -l <a)" -ge ${LEAST:-2} ]; then echo "the same"; return; fi
	echo "$*: $(wc -l <a) lines live, $(wc -l <b) from the file"; diff a b | head -20; tail -n5 live.err replay.err
}
