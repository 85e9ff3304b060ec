# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of -p, -c and --follow: family.c beside two noisy processes of the same program.
F=$TMP/family
. "$TOP/tests/live/built.sh"
built gcc -O1 -no-pie -w -o "$F" "$TOP/tests/live/family.c" -lpthread || exit 99
"$F" & noise=$!
"$F" & noise="$noise $!"
trap 'kill $noise 2>/dev/null' EXIT
WATCHED=0x$(nm "$F" | sed -n 's/ . watched$//p')

# One map for each kind of probe, by pid; exact ones first.
cat >"$TMP/all.bt" <<EOF
tracepoint:syscalls:sys_enter_getppid { @exact_tracepoint[pid] = count(); }
tracepoint:raw_syscalls:sys_enter /args.id == $(nr getppid)/ { @exact_raw_syscalls[pid] = count(); }
rawtracepoint:sys_enter /args.id == $(nr getppid)/ { @exact_rawtracepoint[pid] = count(); }
syscall:getppid { @exact_syscall[pid] = count(); }
uprobe:$F:mark { @exact_uprobe[pid] = count(); }
uretprobe:$F:mark { @exact_uretprobe[pid] = count(); }
usdt:$F:family:round { @exact_usdt[pid] = count(); }
profile:hz:499 { @some_profile[pid] = count(); }
software:cpu-clock:100000 { @some_cpu_clock[pid] = count(); }
software:page-faults:1 { @some_faults[pid] = count(); }
iter:task { @some_iter[args.task.tgid] = count(); }
interval:ms:20 { @interval = count(); }
EOF

echo "watchpoint:$WATCHED:8:w { @exact_watchpoint[pid] = count(); }" >"$TMP/watch.bt"

# judge OUTPUT PID... : every map has these pids and no other ("some": one of them at least), and the counts of exact ones
judge() { python3 - "$@" <<'EOF'
import collections, re, sys
pids, maps, ticks = set(map(int, sys.argv[2:])), collections.defaultdict(dict), 0
for line in open(sys.argv[1]):
    m = re.match(r'@(\w+)\[(\d+)\]: (\d+)$', line)
    if m:
        maps[m[1]][int(m[2])] = int(m[3])
    ticks += line.startswith('@interval')
for name, counts in sorted(maps.items()):
    others = set(counts) - pids
    if name.startswith('exact'):
        print(name, sorted(counts.values()), 'MISSING' if pids - set(counts) else '', 'OTHERS' if others else '')
    else: # the fork between a daemon and its parent does no rounds, but is there
        print(name, 'some' if set(counts) & pids else 'none', 'OTHERS' if len(others) > 1 or others and max(others) > max(pids) else '')
print('interval' if ticks else 'NO INTERVAL')
EOF
}
