# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of Go for tests. Guests of another architecture have no compiler of Go: tests/vm/run calls this file with
# the architecture and a folder beside sonde, where the tests find them.
. "$TOP/tests/live/built.sh"
go_rows() { # name, source, flags of the compiler
	echo "regs lang_go.go"
	echo "stack lang_go.go -N -l"
	echo "errors errors_go.go"
	echo "stacks stacks_go.go all=-l"
}
go_build() { GO111MODULE=off GOFLAGS= CGO_ENABLED=0 go build "$@"; }
# go_built NAME FILE: the program of that row
go_built() {
	local name source flags
	while read -r name source flags; do
		[ "$name" = "$1" ] || continue
		if command -v go >/dev/null; then built go_build -gcflags "$flags" -o "$2" "$source"; else cp "${SONDE%/*}/tests/go/$name" "$2"; fi
		return
	done < <(go_rows)
	return 1
}
# go_cross ARCH FOLDER: all of them, unless they are there
go_cross() {
	local name source flags
	mkdir -p "$2"
	go_rows | while read -r name source flags; do
		[ "$2/$name" -nt "$source" ] && [ "$2/$name" -nt go.sh ] || GOARCH=$1 go_build -gcflags "$flags" -o "$2/$name" "$source" || return
	done
}
[ $# -ne 2 ] || { cd "$(dirname "$0")" && go_cross "$@"; }
