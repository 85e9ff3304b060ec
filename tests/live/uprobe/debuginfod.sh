# SPDX-License-Identifier: GPL-2.0-or-later
# A stripped program l, and its debug information on a server that is a folder.
. "$TOP/tests/live/built.sh"
built gcc -g -O1 -Wl,--build-id=sha1 lines.c -o "$TMP/l" || exit 99
id=$(readelf -n "$TMP/l" | awk '/Build ID/ { print $3 }')
mkdir -p "$TMP/s/buildid/$id" "$TMP/c"
objcopy --only-keep-debug "$TMP/l" "$TMP/s/buildid/$id/debuginfo"
strip "$TMP/l"
export HOME=$TMP DEBUGINFOD_CACHE_PATH=$TMP/c DEBUGINFOD_URLS=file://$TMP/s
waits='note: waiting' # a busy machine waits for a folder, too
q() { "$SONDE" -q -c "$TMP/l" -e "$1" 2>&1 | sed "s/$id/ID/" | grep -v "^\$\|$waits"; }
list() { "$SONDE" "$1" "uprobe:$TMP/l:other" 2>&1 | grep -v "$waits"; }
cached() { find "$TMP/c" -name debuginfo -size +0 | wc -l; }
# silent: a server that takes calls and never answers
silent() {
	waits='^$'
	python3 -c 'import socket, sys
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
kept = []
while True:
	kept.append(s.accept())' >"$TMP/port" &
	trap "kill $!" EXIT
	until [ -s "$TMP/port" ]; do sleep 0.05; done
	export DEBUGINFOD_URLS=http://127.0.0.1:$(cat "$TMP/port")/ DEBUGINFOD_TIMEOUT=2 DEBUGINFOD_RETRY_LIMIT=0
}
