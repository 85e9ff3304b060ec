# SPDX-License-Identifier: GPL-2.0-or-later
. "$TOP/tests/live/arch.sh"

# built COMPILER ARGUMENT... -o FILE ARGUMENT...: runs it, but what was made once of the same words and sources is
# copied, whatever FILE is: kept beside sonde, where guests find it too (they need seconds for a file of C).
built() {
	local file='' last='' kept new
	for a; do
		[ "$last" != -o ] || file=$a
		last=$a
	done
	kept=${SONDE%/*}/tests/$({ echo "$HOSTTYPE ${PWD#$TMP}"; for a; do [ "$a" = "$file" ] && continue; echo "${a//$TMP/}"; [ ! -f "$a" ] || cat "$a"; done; } | sha1sum | cut -c1-20)
	[ -x "$kept" ] && cp --remove-destination "$kept" "$file" && return
	"$@" || return
	mkdir -p "${kept%/*}" 2>/dev/null && new=$(mktemp "$kept.XXXXXX" 2>/dev/null) && cp "$file" "$new" && chmod 755 "$new" && mv "$new" "$kept"
	return 0
}
