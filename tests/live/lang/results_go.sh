# SPDX-License-Identifier: GPL-2.0-or-later
. ../built.sh
export GO111MODULE=off GOFLAGS=
built go build -o "$TMP/p" results.go || exit
"$SONDE" list -v "uprobe:$TMP/p:main.price"
"$SONDE" list -v "uretprobe:$TMP/p:main.price"
"$SONDE" -q -c "$TMP/p" -e "uretprobe:$TMP/p:main.price { printf(\"= %d %s %s\n\", args.r0, str(args.r1), str(args.r2)); }" | grep =
built go build -ldflags '-s -w' -o "$TMP/stripped" results.go || exit
"$SONDE" -q -c "$TMP/stripped" -e "uprobe:$TMP/stripped:main.price { printf(\"%s %d =\n\", str(reg(\"ax\"), reg(\"bx\") + 1), reg(\"cx\")); }" | grep =
