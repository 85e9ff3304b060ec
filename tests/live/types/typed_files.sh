# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by dwarf-files.in: builds typed_lines.c in many ways and asks each program the same.
src=$PWD/typed_lines.c
cd "$TMP" || exit 99
cp "$src" a.c && sed 's/f(21/f(22/' a.c > b.c
args='{ print((args.n, args.h, str(args.s), args.p->in.next->a, str(args.p->in.s), args.p->h, args.p->b2, args.p->arr[2])); }'
ask() { # what, program, probes besides the function's own
	echo "$1: $("$SONDE" -q -c "./$2" -e "uprobe:./$2:f $args uretprobe:./$2:f { print(retval); } $3" 2>&1 |
		grep -E '^\(|^[0-9]|help: its' | sed "s,$TMP,TMP,g" | sort -u | tr '\n' ' ')"
}
line='uprobe:./PROG@a.c:8 { print(("line", vars.n)); }'
gcc -g -O1 a.c -o one && gcc -g -O1 b.c -o two && dwz -m shared.debug one two
ask 'dwz of two' one "${line/PROG/one}"
mkdir moved && cp one shared.debug moved && (cd moved && rm ../shared.debug && ask 'dwz, moved' one "${line/PROG/one}")
gcc -g -O1 a.c -o alone && dwz alone
ask 'dwz of one' alone "${line/PROG/alone}"
for v in 4 5; do
	gcc -g -gdwarf-$v -gsplit-dwarf -O1 -c a.c -o a.o && gcc -g a.o -o split
	ask "split, DWARF $v" split "${line/PROG/split}"
done
mv a.dwo b.dwo
ask 'split, a part missing' split ''
touch split.dwp
ask 'split, packed' split ''
gcc -g -O1 -fdebug-types-section -gz=zlib a.c -o types
ask 'type units, compressed' types "${line/PROG/types}"
gcc -g -O1 a.c -o btf && pahole -J btf && objcopy --strip-debug btf
ask 'BTF by pahole' btf ''
