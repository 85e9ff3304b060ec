# SPDX-License-Identifier: GPL-2.0-or-later
. ../built.sh
build() {
	for part in 1 2 3; do
		built gcc -g "$@" -DPART=$part -c same_name.c -o "$TMP/part$part.o" || return
	done
	built gcc "$@" "$TMP"/part[123].o -o "$TMP/p"
}
ask() { (cd "$TMP" && "$SONDE" -q -c ./p -e "$1" 2>&1 | sed "s,$PWD,TMP,g" | grep .); }
build -O1
ask "uprobe:./p:helper { @[func, arg0] = count(); } uretprobe:./p:helper { @back[retval] = count(); }"
ask "uprobe:./p:helper { print(args); }"
ask "uprobe:./p:helper { print(args.second); }"
ask "uprobe:./p:helper { print(args.third); }"
ask "uretprobe:./p:helper { print(args.first); }"
build -O2 -flto
ask "uprobe:./p:helper { print(args); }"
built gcc -g -O3 clone_of.c -o "$TMP/p" || exit
ask "uprobe:./p:scale { @never = count(); }"
ask "uprobe:./p:scale.* { @copy[args.by] = count(); }"
