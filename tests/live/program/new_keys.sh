# SPDX-License-Identifier: GPL-2.0-or-later
# burst VALUE N: makes N keys with VALUE at once in each of five places where nothing can be allocated, or not quickly: an interval,
# a profile, a software event, a switch of threads, a user-space probe. Prints how many keys there are then, and what was lost.
burst()
{
	local where=0 script="config = { unstable_tseries = enable }" probe name=nk$$

	cp "$W" "$TMP/$name"
	for probe in interval:ms:20 profile:hz:97 software:cpu-clock:1000000 \
		     "rawtracepoint:sched_switch /comm == \"$name\"/" "uprobe:$TMP/$name:main"; do
		where=$((where + 1))
		script+=" $probe { if (!has_key(@done, $where)) {
			for (\$i : 0..$2) { @h[$where, \$i] = $1; } @done[$where] = 1; }
			if (has_key(@done, 1) && has_key(@done, 2) && has_key(@done, 3) && has_key(@done, 4) &&
			    has_key(@done, 5)) { exit(); } }"
	done
	$SONDE -q --no-warnings -c "$TMP/$name spin 300" -e "$script" > "$TMP/keys" 2>&1
	echo "$1: $(grep -c '^@h\[' "$TMP/keys") keys"
	sed -n '/lost\|ERROR/p' "$TMP/keys"
}
