# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests: build NAME FLAGS makes $TMP/NAME, which calls libouter.so and libinner.so.
. ../built.sh
export LD_LIBRARY_PATH=$TMP
built gcc -O1 -w -fPIC -fno-optimize-sibling-calls -shared -Wl,-soname,libinner.so -o "$TMP/libinner.so" inner.c || exit 99
built gcc -O1 -w -fPIC -foptimize-sibling-calls -shared -Wl,-soname,libouter.so -o "$TMP/libouter.so" outer.c || exit 99
build() { local name=$1; shift; built gcc -O1 -w -fno-builtin -fno-inline "$@" -o "$TMP/$name" calls.c "$TMP/libouter.so" "$TMP/libinner.so" -pthread -ldl || exit 99; }
# The names of the functions, with the libraries that call them.
names() { sed -E 's/^\[pid +[0-9]+\] //; s/^<\.\.\. ([^ ]+) resumed>.*/\1 resumed/; s/\(.*//; s/status.*//'; }
# What differs from run to run: addresses, times.
values() { sed -E "s|$TMP/||; s/0x[0-9a-f]{6,}/ADDRESS/g; s/<[0-9]+\.[0-9]{6}>/<TIME>/; s/[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}/CLOCK/; s/ += / = /; s/^ *[0-9.]+ +[0-9.]+ +[0-9]* +([0-9]+) /PERCENT SECONDS USECS \1 /" | grep -v '^single-stepped'; }
