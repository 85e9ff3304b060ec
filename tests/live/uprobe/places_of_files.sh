# SPDX-License-Identifier: GPL-2.0-or-later
# For uprobe-where-files-are.in, run in a mount namespace of its own: D is a folder, a program that ticks 7 is $TMP/t7,
# one that ticks 8 is $TMP/t8. Each case says what the probe saw.
cd "$D" || exit 99
P='{ printf("%d\n", arg0); exit(); } interval:s:5 { exit(); }'
see() { printf '%s: ' "$1"; shift; timeout 20 "$SONDE" -q "$@" 2>&1 | tr -s '\n' ' '; echo; }
begin() { "$@" & pid=$!; until grep -q S /proc/$pid/wchan 2>/dev/null || [ "$(cut -d' ' -f3 /proc/$pid/stat)" = S ]; do sleep 0.02; done; }
over() { kill $pid; wait $pid 2>/dev/null; }

mkdir lower upper m; mount -t tmpfs t lower; mount -t tmpfs t upper; mkdir upper/u upper/w; cp "$TMP/t7" lower/prog
if mount -t overlay o -o lowerdir=lower,upperdir=upper/u,workdir=upper/w m; then
	begin m/prog
	see 'overlay, lower file' -e "uprobe:$D/m/prog:tick $P"
	see 'its lower path' -e "uprobe:$D/lower/prog:tick $P"
	see 'by process' -p $pid -e "usdt:beat $P"
	over
	touch m/prog
	begin m/prog
	see 'overlay, copied up' -p $pid -e "uprobe:$D/m/prog:tick $P"
	see 'its upper path' -e "uprobe:$D/upper/u/prog:tick $P"
	over
fi
cp "$TMP/t7" one; ln one two; ln -s one three; cp "$TMP/t8" four
begin ./one
see 'hard link' -e "uprobe:$D/two:tick $P"
see 'symbolic link' -e "usdt:$D/three:t:beat $P"
over
mount --bind one four
begin ./one
see 'bind mount' -e "uprobe:$D/four:tick $P"
over
mkdir -p c/lib64 c/lib/x86_64-linux-gnu; cp "$TMP/t7" c/prog; cp /lib64/ld-linux-x86-64.so.2 c/lib64; cp /lib/x86_64-linux-gnu/libc.so.6 c/lib/x86_64-linux-gnu
begin chroot c /prog
sleep 0.1
see 'chroot, its path' -p $pid -e "uprobe:/prog:tick $P"
see 'chroot, the program' -p $pid -e "uprobe:tick $P"
see 'chroot, its libc' -p $pid -e 'uprobe:libc:clock_nanosleep { printf("sleeps\n"); exit(); }'
see 'chroot, all that runs' -e "usdt:*:t:beat $P"
over
