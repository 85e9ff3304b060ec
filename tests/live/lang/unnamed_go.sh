# SPDX-License-Identifier: GPL-2.0-or-later
. ../built.sh
export GO111MODULE=off GOFLAGS=
for flags in '' '-N -l'; do
	built go build -gcflags "$flags" -o "$TMP/p" unnamed_go.go || exit
	"$SONDE" -q -c "$TMP/p" - <<-END 2>&1 | grep .
		uprobe:$TMP/p:main.blank { print(args); }
		uretprobe:$TMP/p:main.blank { print(retval); }
		uprobe:$TMP/p:main.T.receiver { print(args.x); }
		uprobe:$TMP/p:"main.(*T).pointer" { print(args); }
		uprobe:$TMP/p:main.large { print((args.a, args.h, args.i, args.k, args.l)); }
		uprobe:$TMP/p:main.named { printf("%s %s %s\n", str(args.n), str(args.r), str(*args.p)); }
		uretprobe:$TMP/p:main.named { printf("%s\n", str(retval)); }
		uprobe:$TMP/p:"main.(*Stack[go.shape.string_0]).Push" { printf("%s %d\n", str(args.v), args.s.items.cap); }
		uprobe:$TMP/p:"main.(*Stack[go.shape.int_0]).Push" { print(args.v); }
		uprobe:$TMP/p:"main.Max[go.shape.int_0]" { print(args); }
		uprobe:$TMP/p:"main.Max[go.shape.string_0]" { printf("%s %s\n", str(args.a), str(args.b)); }
	END
done
built go build -gcflags '-N -l' -o "$TMP/p" unnamed_go.go || exit
"$SONDE" -q -c "$TMP/p" -e "uprobe:$TMP/p@unnamed_go.go:44 { print((vars.sum, vars.t)); printf(\"%s %s\n\", str(vars.text), str(vars.pointed)); } uprobe:$TMP/p:main.Max[go.shape.int_0]:* { @lines = count(); }" 2>&1 | grep .
