# SPDX-License-Identifier: GPL-2.0-or-later
# built FILE COMPILER ARGUMENT...: as `COMPILER ARGUMENT... -o FILE`, but what was made once of the same words and
# sources is copied: kept beside sonde, where guests find it too (they need seconds for a file of C).
built() {
	local file=$1 kept new
	shift
	kept=${SONDE%/*}/tests/$({ pwd; echo $HOSTTYPE; printf '%s\n' "$@"; for a; do [ ! -f "$a" ] || cat "$a"; done; } | sha1sum | cut -c1-20)
	[ -x "$kept" ] && cp "$kept" "$file" && return
	"$@" -o "$file" || return
	mkdir -p "${kept%/*}" 2>/dev/null && new=$(mktemp "$kept.XXXXXX" 2>/dev/null) && cp "$file" "$new" && chmod 755 "$new" && mv "$new" "$kept"
	return 0
}
