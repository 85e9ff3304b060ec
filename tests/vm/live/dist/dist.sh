# SPDX-License-Identifier: GPL-2.0-or-later
# The scripts of Debian's bpftrace package, run by bpftrace and by sonde at the same time on the same
# workload: what a filter leaves of both outputs must be equal, and not empty. Kernels younger than that
# bpftrace have lost functions that it insists on: there the scripts are loaded (dist-scripts-load).
# For guests: all output is of the guest's own processes.

# sleeping PID: the tracer is through with attaching and waits for events (epoll_wait, epoll_pwait)
sleeping() {
	local nr
	for ((i = 0; i < 600; i++)); do
		read -r nr _ 2>/dev/null </proc/$1/syscall && [[ $nr == 232 || $nr == 281 ]] && return
		sleep 0.05
	done
	echo "$2 did not start"
	head -5 "$TMP/$2.err"
}

# stop PID NAME: asked again after a while, since bpftrace has lost a request, and gives up what it has when asked twice
stop() {
	for ((i = 0; i < 1200; i++)); do
		((i % 500)) || kill -INT $1 2>/dev/null
		[ -e /proc/$1 ] && ! grep -q '^State:.Z' /proc/$1/status || { wait $1; return; }
		sleep 0.05
	done
	echo "$2 does not end: $(cat /proc/$1/wchan /proc/$1/syscall)"
	kill -KILL $1
}

# run_all SCRIPT WORKLOAD TRACER...: the output of each tracer is in $TMP/TRACER, without the trailing blanks
run_all() {
	local script who workload=$2
	local -A tracer=([bpftrace]=bpftrace [sonde]=$SONDE) pid
	script=$(dpkg -L bpftrace | grep "/$1\.bt$") || { echo "no $1.bt"; return; }
	shift 2
	for who; do
		"${tracer[$who]}" "$script" >"$TMP/$who.raw" 2>"$TMP/$who.err" & pid[$who]=$!
		sleeping $! $who
	done
	eval "$workload" >/dev/null 2>&1
	sleep "${SETTLE:-0.3}"
	for who; do
		stop ${pid[$who]} $who
		sed '/^Attaching [0-9]* probe/d; s/ *$//' "$TMP/$who.raw" >"$TMP/$who"
	done
}

# compare SCRIPT WORKLOAD FILTER: the filter is a command, from standard input to standard output
compare() {
	local who
	run_all "$1" "$2" bpftrace sonde
	for who in bpftrace sonde; do
		eval "$3" <"$TMP/$who" >"$TMP/$who.kept"
	done
	[ -s "$TMP/sonde.kept" ] || { echo "sonde: nothing left of"; head -20 "$TMP/sonde" "$TMP/sonde.err"; return; }
	diff "$TMP/bpftrace.kept" "$TMP/sonde.kept" || return
	echo good
}

# alone SCRIPT WORKLOAD FILTER: sonde only, where bpftrace would need kernel headers
alone() {
	run_all "$1" "$2" sonde
	eval "$3" <"$TMP/sonde"
}

# Without the time of day in front
untimed() { sed -E 's/^[0-9]{2}:[0-9]{2}:[0-9]{2} *//'; }
# The sum of a histogram's buckets, each histogram by its title
sums() { awk '/^@.*:$/ { title = $0 } /\|$/ { n[title] += $1 ~ /,$/ ? $3 : $2 } END { for (t in n) print t, n[t] }'; }
