# SPDX-License-Identifier: GPL-2.0-or-later
# Types of probes over known work in situations with less than everything.
. "$TOP/tests/live/less/less.sh"
export SYS GETPGID=$(nr getpgid)
# What each type of probe does, of those whose name matches PATTERN: what they counted in one line, and a line for each
# help that was given, with the exit status and the types. `WRAPPER...` makes the situation.
kinds() {
	local pattern=$1 name work p said status
	shift
	while IFS='|' read -r name work p; do
		[[ $name =~ $pattern ]] || continue
		said=$("$@" timeout 30 "$S" -q -c "$S info --selftest-work=$work" -e "$p" 2>&1 </dev/null)
		status=$?
		printf '%s\t%s\n' "$name" "$(digest $status "$said")"
	done <<-END | awk -F'\t' '!($2 in seen) { order[++n] = $2 } { seen[$2] = seen[$2] " " $1 } END { for (i = 1; i <= n; i++) print order[i] ":" seen[order[i]] }'
		begin|getpgid:1|begin { @n = 300; exit(); }
		interval|spin:300|interval:ms:1 { @n = 300; exit(); }
		profile|spin:300|profile:hz:99 { @n = 300; exit(); }
		event|getpgid:300|tracepoint:syscalls:sys_enter_getpgid /pid == cpid/ { @n = count(); }
		fields|getpgid:300|tracepoint:raw_syscalls:sys_enter /pid == cpid && args.id == $GETPGID/ { @n = count(); }
		raw|getpgid:300|rawtracepoint:sys_enter /pid == cpid && arg1 == $GETPGID/ { @n = count(); }
		typed|getpgid:300|rawtracepoint:sched_switch { @n = args.preempt * 0 + 300; exit(); }
		syscall|getpgid:300|syscall:getpgid /pid == cpid/ { @n = count(); }
		kprobe|getpgid:300|kprobe:${SYS}getpgid /pid == cpid/ { @n = count(); }
		kretprobe|getpgid:300|kretprobe:${SYS}getpgid /pid == cpid/ { @n = count(); }
		fentry|getpgid:300|fentry:${SYS}getpgid /pid == cpid/ { @n = count(); }
		uprobe|call:300|uprobe:$S:selftest_step /pid == cpid/ { @n = count(); }
		usdt|call:300|usdt:$S:sonde:selftest /pid == cpid/ { @n = count(); }
		iter|getpgid:1|iter:task { @n = 300; }
		software|getpgid:300|software:page-faults:1 /pid == cpid/ { @n = 300; exit(); }
		lsm|getpgid:300|lsm:file_open { @n = 300; exit(); }
	END
}
# STATUS TEXT
digest() {
	local said
	said=$(grep -vE '^ *(~+)?$|^    |^  help: attach ' <<<"$2" | sed "s,$D,,g; s/[0-9]* bytes/N bytes/" | paste -sd'|')
	case $said in
	*'processed '*insns* | *"'s log"*) echo "$1, A VERIFIER'S LOG: $said" ;;
	'') echo "$1, SILENCE" ;;
	*'|  help: '*) echo "$1, ${said#*|  }" ;;
	*) echo "$1, $said" ;;
	esac
}
# A function, with arguments, in a mount namespace with a /run of its own, so that what is learned is kept from others.
apart() {
	export -f kinds digest few user_probes "$1"
	export D
	unshare -m bash -c 'mount -t tmpfs run /run; "$@"' bash "$@" 2>&1
}
# Where links for user-space probes are there, they need no more than both capabilities.
user_probes() {
	local answer
	answer=$(kinds '^u' "$@")
	if "$S" info | grep -q 'uprobe_multi: yes'; then
		[[ $answer == '0, @n: 300: uprobe usdt' ]]
	else
		[[ $answer == '255, help: '*sysctl*': uprobe usdt' || $answer == '255, help: '*CAP_SYS_ADMIN*': uprobe usdt' ]]
	fi && echo 'uprobe, usdt: as they should' || echo "$answer"
}
# As another user with these capabilities alone.
few() {
	local c=-all,+${1//,/,+}
	shift
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps="$c" --ambient-caps="$c" --bounding-set="$c" "$@"
}
