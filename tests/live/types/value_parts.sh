# SPDX-License-Identifier: GPL-2.0-or-later
. ../built.sh
cp value_parts.c "$TMP" && cd "$TMP" || exit 99
line=$(grep -n 'sum += p.used' value_parts.c | cut -d: -f1)
ask() { "$SONDE" -q -c ./p -e "$1" 2>&1 | sed -n '/^stdin/{s/.*ERROR: //p; d}; /^[^ ]/p' | paste -sd ' '; }
for how in 'gcc -O0' 'gcc -O2' 'clang -O2'; do
	built $how -g value_parts.c -o p || exit
	echo "$how: $(ask 'uprobe:./p:mixed { print((args.m.id, args.k)); }')"
	ask 'uprobe:./p:mixed { print(args.m.weight); }'
	ask 'uprobe:./p:mixed { print(args.m); }'
	ask "uprobe:./p@value_parts.c:$line { print(vars.p.used); }"
	ask "uprobe:./p@value_parts.c:$line { print(vars.p.lost); }"
	ask "uprobe:./p@value_parts.c:$line { print(vars.p); }"
done
