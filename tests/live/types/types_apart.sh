# SPDX-License-Identifier: GPL-2.0-or-later
# apart COMPILER ARGUMENT...: builds types_apart.cpp in its three parts and shows what is in them.
. ../built.sh
apart() {
	for part in 1 2 3; do
		built "$@" -std=c++17 -fno-inline -DPART=$part -c types_apart.cpp -o "$TMP/apart$part.o" || return
	done
	built "$@" "$TMP"/apart[123].o -o "$TMP/apart" || return
	"$SONDE" -q -c "$TMP/apart" - <<-END 2>&1 | grep . | paste -sd ' '
		uprobe:$TMP/apart:cpp:"left::Node::run" { printf("left %d %d\n", args.this.impl.value, args.k); }
		uprobe:$TMP/apart:cpp:"right::Node::run" { printf("right %d %d\n", args.this.impl.value, args.k); }
		uretprobe:$TMP/apart:cpp:make { printf("%s\n", str(retval)); }
		uprobe:$TMP/apart:cpp:by_value { printf("%s, %s\n", str(args.s), str(args.named.name)); }
		uprobe:$TMP/apart:cpp:stacked { print((args.f, args.last)); print(args.h); }
		uprobe:$TMP/apart:cpp:halves { print(args.h); printf("%d %d\n", args.h.low, args.h.high); }
	END
}
apart g++ -g -O0
apart g++ -g -O2
apart g++ -gdwarf-4 -O1 -fdebug-types-section
apart clang++ -g -O0
apart clang++ -g -O2
apart clang++ -gdwarf-4 -O1 -fdebug-types-section
