# SPDX-License-Identifier: GPL-2.0-or-later
# both EVENTS FILE...: runs each script live and beside them `sonde record -e EVENTS`, all on one run of load.c; then each
# script over the recording. "TOOL OPTION..." is one of sonde's own. Prints the scripts whose two outputs differ, and how many lines were equal. COMM in a
# script is the name of the threads of the workload.
. "$TOP/tests/live/built.sh"
L=$TMP/rp$$; COMM=rp$$
built gcc -O1 -static -pthread -w -o "$L" "$TOP/tests/live/replay/load.c" || exit 99
export __BPFTRACE_NOTIFY_PROBES_ATTACHED=1
. "$TOP/tests/live/traced.sh"
# With SUM the numbers of histograms alone, added: two tracers see an event at two moments.
lines_of() { if [ -n "$SUM" ]; then plain "$1" | sed -n 's/^[[(][^|]*[])] *\([0-9]*\) *|.*/\1/p' | paste -sd+ | bc; else plain "$1"; fi; }
plain() { grep -v -e PROBES_ATTACHED -e '^Attached ' -e 'the kernel skipped events' "$1"; }
# An event that the kernel skips for one tracer (it interrupts that one on the same processor; reported, of
# any thread) the others have: such a run is repeated.
both() {
	local try
	for try in 1 2 3 4 5; do
		both_once "$@" >"$TMP/result"
		grep -q 'scripts print the same' "$TMP/result" && [ "$(wc -l <"$TMP/result")" = 1 ] && break
		grep -q 'the kernel skipped events' "$TMP"/record.out "$TMP"/live* || break
	done
	cat "$TMP/result"
}
both_once() {
	local events=$1 pids=() load n=0 equal=0 f s what=(); shift
	cd "$TMP" && rm -f go && mkfifo go || exit 99
	bash -c "read x <go; exec $L" & load=$!
	"$SONDE" record -p $load -e "$events" -o file >record.out 2>&1 & pids+=($!)
	for f; do
		n=$((n + 1)); what[n]="script$n"
		if [ -f "$f" ]; then sed "s/COMM/\"$COMM\"/g" "$f" >"script$n"; else what[n]="run ${f//COMM/$COMM}"; fi
		"$SONDE" ${what[n]} >"live$n" 2>&1 & pids+=($!)
	done
	attached record.out; for ((s = 1; s <= n; s++)); do attached "live$s"; done
	echo >go; wait $load; sleep 0.5
	kill -INT "${pids[@]}" 2>/dev/null; wait "${pids[@]}"
	for ((s = 1; s <= n; s++)); do
		"$SONDE" ${what[s]} --from file >"replay$s" 2>&1
		lines_of "live$s" >a; lines_of "replay$s" >b
		if cmp -s a b && [ "$(wc -l <a)" -gt ${LEAST:-2} ]; then equal=$((equal + 1)); continue; fi
		echo "${!s}:"; diff a b | head -20; echo "$(wc -l <a) lines live, $(wc -l <b) from the file"
	done
	echo "$equal of $n scripts print the same"
}
